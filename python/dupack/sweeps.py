"""Sweeps from Python: a network over a grid of values, each with several seeds."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dupack import _native
from dupack.document import estimate
from dupack.errors import RequestError, RunError
from dupack.frames import flat, frame
from dupack.network import Network, Senders
from dupack.parts import Traffic
from dupack.tables import setting
from dupack.work import Run, jobs_of, run_jobs

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure


class SweepResult:
    """A sweep that is done."""

    def __init__(self, plan: _native.Plan, text: str, seeds: list[int], runs: list[Run]) -> None:
        self.plan = text
        """The whole sweep as a plan file's text, for ``dupack run`` and ``dupack sweep``."""
        self.title = plan.title
        self.axes = plan.axes
        """The paths that were varied."""
        self.seeds = seeds
        """Every point was run with each."""
        self._settings = [{axis: _told(point.get(axis)) for axis in plan.axes} for point in plan.points]
        self._runs = runs

    def _rows(self, part: str) -> list[dict[str, Any]]:
        rows = []
        for run in self._runs:
            head = {**self._settings[run.job.point], "seed": run.job.seed}
            found = run.document[part]
            rows += [{**head, **one} for one in (found if isinstance(found, list) else [found])]
        return rows

    @cached_property
    def runs(self) -> pl.DataFrame:
        """A row per run: the values of the axes, the seed, the summary."""
        return frame(self._rows("summary"))

    @cached_property
    def flows(self) -> pl.DataFrame:
        """A row per flow and run."""
        return frame(self._rows("flows"))

    @cached_property
    def links(self) -> pl.DataFrame:
        """A row per direction of a link and run."""
        return frame(self._rows("links"))

    @property
    def measures(self) -> list[str]:
        """What `points` and `plot` have of each point."""
        return list(flat(self._runs[0].document["summary"]))

    @cached_property
    def points(self) -> pl.DataFrame:
        """A row per point: the values of the axes, and of each measure its mean over the seeds and, as ``..._ci95``,
        the half-width of its 95 % interval (Student's t; null for a single seed)."""
        rows = []
        for at, settings in enumerate(self._settings):
            mine = [flat(run.document["summary"]) for run in self._runs if run.job.point == at]
            row: dict[str, Any] = dict(settings)
            for measure in self.measures:
                told = estimate([one[measure] for one in mine])
                row |= {measure: told["mean"], f"{measure}_ci95": told["ci95"]}
            rows.append(row)
        return frame(rows)

    def plot(self, measure: str, x: str | None = None) -> Figure:
        """A measure over the axis ``x`` (the first one, if not given), with 95 % intervals; other axes make curves."""
        from dupack import plots

        return plots.sweep(self, measure, x)

    def __len__(self) -> int:
        return len(self._runs)

    def __repr__(self) -> str:
        points = len(self._settings)
        return f"{self.title}: {points} points x {len(self.seeds)} seeds, over {', '.join(self.axes) or 'nothing'}"

    def _repr_html_(self) -> str:
        return f"<div><b>{html.escape(repr(self))}</b>{self.points._repr_html_()}</div>"


def _told(value: Any) -> Any:
    """A value of an axis in a cell of a table: numbers and truths as they are."""
    return value if isinstance(value, (bool, int, float, str)) or value is None else setting(value)


def sweep(
    net: Network,
    over: Mapping[str, Iterable[Any]],
    transport: Senders | None = None,
    *,
    seeds: int | str | Iterable[int] | None = None,
    duration: str | None = None,
    warm_up: str | None = None,
    traffic: Traffic | None = None,
    threads: int | None = None,
) -> SweepResult:
    """Runs a network over a grid of values on all cores.

    Args:
        net: What is run.
        over: Per path of the plan the values that it takes, such as ``{"link.bottleneck.queue.lower": [0.2, 0.4]}``;
            every combination is run. Values may be parts:
            ``{"link.bottleneck.queue": [dupack.queue.epd(...), dupack.queue.bpd(...)]}``.
        transport: As for `Network.run`.
        seeds: Each point is run with each: how many (1, 2, ...), or which, as a list or as plans write them
            (``"1..5"``). If not given those of the network, else 1.
        duration: As for `Network.run`.
        warm_up: As for `Network.run`.
        traffic: As for `Network.run`.
        threads: How many at a time; all cores if not given. Results do not depend on it.

    Raises:
        PlanError: A value is wrong, at whatever point; nothing was run.
        RunError: A run failed.
    """
    if not isinstance(net, Network):
        raise RequestError(f"net: {net!r} is no network; make one such as dupack.dumbbell(...)")
    grid: dict[str, Any] = {path: _listed(path, values) for path, values in over.items()}
    chosen = _seeds(seeds)
    if chosen is not None:
        grid["seeds"] = chosen
    plan, text = net.read(transport, duration=duration, warm_up=warm_up, traffic=traffic, sweep=grid or None)
    jobs = jobs_of(plan)
    runs: list[Run | None] = [None] * len(jobs)
    run_jobs(jobs, threads=threads, done=runs.__setitem__)
    done = [run for run in runs if run is not None]
    if len(done) < len(jobs):
        raise RunError(f"{net.name}: {len(jobs) - len(done)} of {len(jobs)} runs gave nothing")
    return SweepResult(plan, text, plan.seeds, done)


def _listed(path: str, values: Any) -> list[Any]:
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise RequestError(f"{path}: {values!r} is no list of values; write one such as [{values!r}]")
    return list(values)


def _seeds(seeds: int | str | Iterable[int] | None) -> list[int] | None:
    if seeds is None:
        return None
    if isinstance(seeds, str):
        try:
            return _native.parse_seeds(seeds)
        except ValueError as error:
            raise RequestError(f"seeds: {error}") from None
    if isinstance(seeds, int):
        if seeds < 1:
            raise RequestError(f"seeds: {seeds}; write how many, at least 1, or a list of them")
        return list(range(1, seeds + 1))
    return [int(seed) for seed in seeds]
