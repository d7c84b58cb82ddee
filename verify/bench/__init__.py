"""How fast dupack is, beside ns-2, ns-3 and htsim: `python -m verify.bench` writes `docs/benchmarks.md`."""
