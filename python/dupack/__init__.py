"""A congestion laboratory: how a buffer discards, how a sender recovers, how the rate is controlled.

>>> import dupack
>>> plan = dupack.read_plan("plan.toml", sets=["duration=10 s"])     # doctest: +SKIP
>>> dupack.run(plan, seeds=range(1, 6))["summary"]["goodput_fraction"]    # doctest: +SKIP
{'mean': 0.93, 'ci95': 0.01}
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dupack._native import Plan, __version__, batch_means, mean_ci95, parse_seeds
    from dupack.errors import Error, MissingError, OutputError, PlanError, RequestError, RunError
    from dupack.work import Run, read_plan, run, run_jobs

__all__ = [
    "Error",
    "MissingError",
    "OutputError",
    "Plan",
    "PlanError",
    "RequestError",
    "Run",
    "RunError",
    "__version__",
    "batch_means",
    "mean_ci95",
    "parse_seeds",
    "read_plan",
    "run",
    "run_jobs",
]

_HOMES = {
    "dupack._native": ("Plan", "__version__", "batch_means", "mean_ci95", "parse_seeds"),
    "dupack.errors": ("Error", "MissingError", "OutputError", "PlanError", "RequestError", "RunError"),
    "dupack.work": ("Run", "read_plan", "run", "run_jobs"),
}


def __getattr__(name: str) -> Any:
    # Only when asked for: the command answers Ctrl-C before it imports anything large (see `dupack._start`).
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(home), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
