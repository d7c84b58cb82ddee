"""Sweeps from Python: a network over a grid of values, each with several seeds."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dupack import _native
from dupack.document import BY_BATCHES, estimate
from dupack.errors import RequestError, RunError
from dupack.frames import frame
from dupack.network import Network, Senders
from dupack.parts import Traffic
from dupack.progress import Progress
from dupack.store.need import store_module
from dupack.tables import setting
from dupack.work import Run, jobs_of, run_points

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure


POINT = "point"
"""The column that has the number of a point in the sweep."""

Tables = Callable[[str], "pl.DataFrame"]
"""The tables ``runs``, ``flows`` and ``links`` by their names; each begins with the point and the seed."""


class SweepResult:
    """A sweep that is done."""

    def __init__(self, plan: _native.Plan, text: str, tables: Tables) -> None:
        self.plan = text
        """The whole sweep as a plan file's text, for ``dupack run`` and ``dupack sweep``."""
        self.title = plan.title
        self.axes = plan.axes
        """The paths that were varied."""
        self.seeds = plan.seeds
        """Every point was run with each, or, with a rule to stop, with as many as it took."""
        self._settings = [{axis: _told(point.get(axis)) for axis in plan.axes} for point in plan.points]
        self._tables = tables

    def _of(self, part: str) -> pl.DataFrame:
        """A table of `Tables` with the settings in the place of the point's number."""
        settings = frame([{POINT: at, **settings} for at, settings in enumerate(self._settings)])
        found = self._tables(part)
        rest = [name for name in found.columns if name != POINT]
        return found.join(settings, on=POINT, how="left", maintain_order="left").select(*self.axes, *rest)

    @cached_property
    def runs(self) -> pl.DataFrame:
        """A row per run: the values of the axes, the seed, the summary, and intervals of this by batches, if any."""
        return self._of("runs")

    @cached_property
    def flows(self) -> pl.DataFrame:
        """A row per flow and run."""
        return self._of("flows")

    @cached_property
    def links(self) -> pl.DataFrame:
        """A row per direction of a link and run."""
        return self._of("links")

    @property
    def measures(self) -> list[str]:
        """What `points` and `plot` have of each point."""
        names = self._tables("runs").columns
        return [name for name in names if name not in (POINT, "seed") and not name.startswith(BY_BATCHES)]

    @cached_property
    def points(self) -> pl.DataFrame:
        """A row per point: the values of the axes, and of each measure its mean over the seeds and, as ``..._ci95``,
        the half-width of its 95 % interval (Student's t; of a single seed by its batches, and null without)."""
        found = self._tables("runs").partition_by(POINT, as_dict=True)
        rows = []
        for (at,), mine in sorted(found.items()):
            row: dict[str, Any] = dict(self._settings[at])
            for measure in self.measures:
                told = estimate(mine[measure].to_list())
                batches = f"{BY_BATCHES}{measure}"
                if len(mine) == 1 and batches in mine.columns:
                    told["ci95"] = mine[batches][0]
                row |= {measure: told["mean"], f"{measure}_ci95": told["ci95"]}
            rows.append(row)
        return frame(rows)

    def plot(self, measure: str, x: str | None = None) -> Figure:
        """A measure over the axis ``x`` (the first one, if not given), with 95 % intervals; other axes make curves."""
        from dupack import plots

        return plots.sweep(self, measure, x)

    def __len__(self) -> int:
        return self._tables("runs").height

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
    out: str | os.PathLike[str] | None = None,
    on: str = "local",
) -> SweepResult:
    """Runs a network over a grid of values on all cores, with a bar where somebody watches in a terminal.

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
        out: A store, as ``dupack sweep`` makes them: each run stands there as soon as it has finished, and what stands
            there already is not run again, whatever ended the sweep. If not given, results are in memory alone.
        on: What does the runs: ``"local"``, or with ``out`` a Ray cluster, as with ``dupack sweep --on``.

    Raises:
        PlanError: A value is wrong, at whatever point; nothing was run.
        RunError: A run failed. With ``out`` all others were made, and stand.
        RequestError: What is asked for does not go together; nothing was run.
    """
    if not isinstance(net, Network):
        raise RequestError(f"net: {net!r} is no network; make one such as dupack.dumbbell(...)")
    grid: dict[str, Any] = {path: _listed(path, values) for path, values in over.items()}
    chosen = _seeds(seeds)
    if chosen is not None:
        grid["seeds"] = chosen
    plan, text = net.read(transport, duration=duration, warm_up=warm_up, traffic=traffic, sweep=grid or None)
    if out is not None:
        return SweepResult(plan, text, _stored(plan, Path(out), on, threads))
    if on != "local":
        raise RequestError(f"on={on!r} needs a store: name one, such as out='store'; nothing was run")
    jobs = jobs_of(plan)
    with Progress("sweeping", len(jobs), quiet=len(jobs) == 1) as progress:
        runs = run_points(plan, jobs, threads=threads, progress=progress)
    done = [run for run in runs if run is not None]
    return SweepResult(plan, text, cache(lambda part: _held(done, part)))


def _held(runs: Sequence[Run], part: str) -> pl.DataFrame:
    """A table of runs that are in memory."""
    rows = []
    for run in runs:
        head = {POINT: run.job.point, "seed": run.job.seed}
        found = run.document["summary" if part == "runs" else part]
        if part == "runs":
            halves = run.document.get("batches", {}).get("ci95", {})
            found = {**found, **{f"{BY_BATCHES}{key}": half for key, half in halves.items()}}
        rows += [{**head, **one} for one in (found if isinstance(found, list) else [found])]
    return frame(rows)


def _stored(plan: _native.Plan, out: Path, on: str, threads: int | None) -> Tables:
    """The tables of a store, when all of the plan is in it."""
    if plan.guests:
        raise RequestError(
            f"out={str(out)!r}: a store is of what a plan file can say, and a discipline in Python is not; "
            "leave `out` away; nothing was run"
        )
    into = store_module("sweeping.into")
    tally = into.fill_store(plan, out, on, threads)
    if tally.failures:
        settings, seed, why = tally.failures[0]
        at = ", ".join(f"{path} = {setting(value)}" for path, value in settings.items())
        raise RunError(
            f"{len(tally.failures)} of {tally.total} runs failed, such as that of {at}{', ' if at else ''}seed {seed}: "
            f"{why}; the others stand in {out}, and the same call tries those that failed again"
        )
    return cache(lambda part: into.tables_of(out)[part])


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
