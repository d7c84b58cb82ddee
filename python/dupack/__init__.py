"""A congestion-control laboratory: simulates queue disciplines, loss recovery and rate control.

>>> import dupack as dk
>>> net = dk.dumbbell(senders=5, access="30 Mb/s", bottleneck="75 Mb/s", delay="0.3 ms", carries="cells",
...                   queue=dk.queue.bpd(buffer="1200 cells", lower=0.4, upper=0.9, gap=25))
>>> run = net.run(dk.transport.reno(mss="536 B"), duration="1 s", seed=1)
>>> run.flows["name"].to_list()
['bulk-0', 'bulk-1', 'bulk-2', 'bulk-3', 'bulk-4']

A plan file is read by `load`, or run as the command runs it:

>>> plan = dk.read_plan("plan.toml", sets=["duration=10 s"])     # doctest: +SKIP
>>> dk.run(plan, seeds=range(1, 6))["summary"]["goodput_fraction"]    # doctest: +SKIP
{'mean': 0.93, 'ci95': 0.01}
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dupack import arrivals, jitter, loss, queue, traffic, transport
    from dupack._native import Ack, Book, Congestion, Plan, Unit, __version__, batch_means, mean_ci95, parse_seeds
    from dupack.comparisons import CompareResult, compare
    from dupack.controller import Controller
    from dupack.discipline import Discipline, conformance
    from dupack.errors import Error, LawError, MissingError, OutputError, PlanError, RequestError, RunError
    from dupack.memory import limit_memory
    from dupack.network import Network, load
    from dupack.parts import Arrivals, Jitter, Loss, Queue, Traffic, Transport
    from dupack.results import RunResult
    from dupack.sweeps import SweepResult, sweep
    from dupack.topology import dumbbell, fat_tree, graphml, incast, leaf_spine, parking_lot, star
    from dupack.work import Run, read_plan, run, run_jobs

_HOMES = {
    "dupack._native": (
        *("Ack", "Book", "Congestion", "Plan", "Unit"),
        *("__version__", "batch_means", "mean_ci95", "parse_seeds"),
    ),
    "dupack.comparisons": ("CompareResult", "compare"),
    "dupack.controller": ("Controller",),
    "dupack.discipline": ("Discipline", "conformance"),
    "dupack.errors": ("Error", "LawError", "MissingError", "OutputError", "PlanError", "RequestError", "RunError"),
    "dupack.memory": ("limit_memory",),
    "dupack.network": ("Network", "load"),
    "dupack.parts": ("Arrivals", "Jitter", "Loss", "Queue", "Traffic", "Transport"),
    "dupack.results": ("RunResult",),
    "dupack.sweeps": ("SweepResult", "sweep"),
    "dupack.topology": ("dumbbell", "fat_tree", "graphml", "incast", "leaf_spine", "parking_lot", "star"),
    "dupack.work": ("Run", "read_plan", "run", "run_jobs"),
}
_MODULES = ("arrivals", "jitter", "loss", "queue", "traffic", "transport")

__all__ = [
    "Ack",
    "Arrivals",
    "Book",
    "CompareResult",
    "Congestion",
    "Controller",
    "Discipline",
    "Error",
    "Jitter",
    "LawError",
    "Loss",
    "MissingError",
    "Network",
    "OutputError",
    "Plan",
    "PlanError",
    "Queue",
    "RequestError",
    "Run",
    "RunError",
    "RunResult",
    "SweepResult",
    "Traffic",
    "Transport",
    "Unit",
    "__version__",
    "arrivals",
    "batch_means",
    "compare",
    "conformance",
    "dumbbell",
    "fat_tree",
    "graphml",
    "incast",
    "jitter",
    "leaf_spine",
    "limit_memory",
    "load",
    "loss",
    "mean_ci95",
    "parking_lot",
    "parse_seeds",
    "queue",
    "read_plan",
    "run",
    "run_jobs",
    "star",
    "sweep",
    "traffic",
    "transport",
]


def __getattr__(name: str) -> Any:
    # Imported on first use: the command handles Ctrl-C before it imports anything large (see `dupack._start`).
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"dupack.{name}")
    for home, names in _HOMES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(home), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
