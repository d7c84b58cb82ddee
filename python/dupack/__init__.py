"""A congestion laboratory: how a buffer discards, how a sender recovers, how the rate is controlled.

>>> import dupack
>>> plan = dupack.read_plan("plan.toml", sets=["duration=10 s"])     # doctest: +SKIP
>>> dupack.run(plan, seeds=range(1, 6))["summary"]["goodput_fraction"]    # doctest: +SKIP
{'mean': 0.93, 'ci95': 0.01}
"""

from dupack._native import Plan, __version__, mean_ci95, parse_seeds
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
    "mean_ci95",
    "parse_seeds",
    "read_plan",
    "run",
    "run_jobs",
]
