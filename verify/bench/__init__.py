"""How fast dupack is, beside ns-2 and ns-3: `python -m verify.bench` writes `docs/benchmarks.md`."""
