"""Sweeps from Python: a network over a grid of values, each with several seeds."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from pickle import PicklingError
from typing import TYPE_CHECKING, Any

from dupack import _native, connections
from dupack.connections import each
from dupack.dataframes import frame, polars, record
from dupack.discipline import External, fingerprint
from dupack.document import BY_BATCHES, estimate
from dupack.errors import RequestError, RunError
from dupack.files import expanded
from dupack.measures import SUMMARY, Measure
from dupack.network import Network, Senders
from dupack.parts import Traffic
from dupack.progress import Progress
from dupack.store.need import store_module
from dupack.words import known, setting, visible
from dupack.work import Run, jobs_of, run_points

if TYPE_CHECKING:
    import polars as pl

    from dupack.plots.of import SweepPlots

POINT = "point"
"""Name of the column with the number of a point in the sweep."""

TABLES = ("runs", "flows", "links", "connections")
Tables = Callable[[str], "pl.DataFrame"]
"""The `TABLES` by name; each begins with the point and the seed."""


class SweepResult:
    """Results of a finished sweep."""

    def __init__(self, plan: _native.Plan, text: str, tables: Tables) -> None:
        self._plan = plan
        self.plan = text
        """Text of a plan file of the whole sweep, for ``dupack run`` and ``dupack sweep``."""
        self.title = plan.title
        self.axes = plan.axes
        """Paths that were varied."""
        self.seeds = plan.seeds
        """Seeds of every point; with a stopping rule, a point has as many of them as it needed."""
        self._raw = plan.points
        self._settings = [{axis: _told(point.get(axis)) for axis in plan.axes} for point in plan.points]
        self._tables = tables

    def _of(self, part: str) -> pl.DataFrame:
        """A table of `Tables` with the settings instead of the number of the point."""
        settings = frame([{POINT: at, **settings} for at, settings in enumerate(self._settings)])
        found = self._tables(part)
        rest = [name for name in found.columns if name != POINT]
        return found.join(settings, on=POINT, how="left", maintain_order="left").select(*self.axes, *rest)

    @cached_property
    def runs(self) -> pl.DataFrame:
        """A row per run: the values of the axes, the seed, the summary, and its intervals by batches, if any."""
        return self._of("runs")

    @cached_property
    def flows(self) -> pl.DataFrame:
        """A row per flow of each run."""
        return self._of("flows")

    @cached_property
    def links(self) -> pl.DataFrame:
        """A row per direction of each link of each run."""
        return self._of("links")

    @cached_property
    def connections(self) -> pl.DataFrame:
        """A row per connection of flows with ``arrivals``, of each run; the columns are those of `RunResult`'s."""
        return self._of("connections")

    @property
    def measures(self) -> list[str]:
        """Names of all measures for `estimates` and `plot`: the paths of all numbers in the runs' documents. A number
        of the summary may also be named by its key alone."""
        return self._plan.measures()

    @cached_property
    def points(self) -> pl.DataFrame:
        """A row per point: the values of the axes, and each number of the summary as its mean over the seeds and, in
        ``..._ci95``, the half-width of its 95 % interval (Student's t; with a single seed by batches, null without).

        For flows that are many connections, columns named by their paths have p50 and p99 of completion times of
        connections and rounds, and the number open at the end: ``flows.web.connections.completion_s.p99``. If the only
        flow is one of these, ``jain`` is null: it would always be 1.
        """
        made = self.means("runs").drop("runs")
        lib = polars()
        for column in connections.columns(connections.in_plan(self._plan), lambda of: list(self._values(of).values())):
            found = [estimate(values) for values in column.values]
            for name, key in ((column.measure.name, "mean"), (f"{column.measure.name}_ci95", "ci95")):
                made = made.with_columns(lib.Series(name, [cell[key] for cell in found], dtype=lib.Float64))
        if connections.lone_in_plan(self._plan):
            made = made.with_columns(lib.lit(None, dtype=lib.Float64).alias(f"jain{end}") for end in ("", "_ci95"))
        return made

    def means(self, part: str) -> pl.DataFrame:
        """Means and intervals of ``"flows"`` or ``"links"``: a row per point and flow or link, with its ``runs``.

        A number is null if it is null in any run. For maxima there are both the mean over runs and, as ``..._max``, the
        maximum over runs.
        """
        named = [] if known(part, ("runs", "flows", "links"), "table") == "runs" else ["name"]
        found = self._tables(part).partition_by(POINT, *named, as_dict=True)
        rows = []
        for (at, *name), mine in sorted(found.items(), key=lambda item: item[0][0]):
            row: dict[str, Any] = {**self._settings[at], **dict(zip(named, name, strict=True)), "runs": mine.height}
            for column in mine.columns:
                if column in (POINT, "seed", *named) or column.startswith(BY_BATCHES):
                    continue
                if mine[column].dtype.is_numeric():
                    row |= _mean(column, mine)
                elif mine[column].dtype == polars().String and mine[column].n_unique() == 1:
                    # Columns with JSON are left out: they differ.
                    row[column] = mine[column][0]
            rows.append(row)
        return frame(rows)

    def estimates(self, measure: str) -> pl.DataFrame:
        """A row per point: the values of the axes, the number of ``runs``, and ``mean`` and ``ci95`` of a measure.

        Raises:
            RequestError: The measure is unknown; the text lists all measures of this sweep.
        """
        of = Measure.find(self._plan, measure, "measure")
        told = []
        for place, (at, values) in enumerate(self._values(of).items()):
            cell = estimate(values)
            if of.part == SUMMARY and len(values) == 1:
                cell["ci95"] = self.points[f"{of.key}_ci95"][place]
            told.append({**self._settings[at], "runs": len(values), **cell})
        return frame(told)

    def values(self, measure: str) -> list[list[float | None]]:
        """The values of a measure in the runs of each point, in the order of ``estimates``.

        Raises:
            RequestError: The measure is unknown; the text lists all measures of this sweep.
        """
        return list(self._values(Measure.find(self._plan, measure, "measure")).values())

    def _values(self, of: Measure) -> dict[int, list[float | None]]:
        """The values of a measure in the runs of each point."""
        table = self._tables("runs" if of.part == SUMMARY else of.part)
        runs: dict[tuple[int, int], list[dict[str, Any]]] = {
            (at, seed): [] for at, seed in self._tables("runs").select(POINT, "seed").iter_rows()
        }
        # A table that only some flows have may be missing in all runs.
        lacking = dict.fromkeys(name for name in of.columns if name not in table.columns)
        columns = [name for name in of.columns if name not in lacking]
        for row in table.select(POINT, "seed", *columns).iter_rows(named=True):
            runs[row[POINT], row["seed"]].append({**row, **lacking})
        found: dict[int, list[float | None]] = {}
        for (at, _), rows in runs.items():
            found.setdefault(at, []).append(of.in_rows(rows))
        if (of.part, of.key) == (SUMMARY, connections.JAIN) and connections.lone_in_plan(self._plan):
            found = {at: [None] * len(values) for at, values in found.items()}
        return dict(sorted(found.items()))

    @property
    def plot(self) -> SweepPlots:
        """Figures: ``result.plot("goodput_bps")`` draws measures over an axis of the sweep, with 95 % intervals.

        ``result.plot.tradeoff()`` draws goodput against delay, and ``.cdf()``, ``.ccdf()`` and ``.slowdown()`` draw the
        times of connections.
        """
        from dupack.plots.data import OfSweep
        from dupack.plots.of import SweepPlots

        return SweepPlots(lambda: OfSweep(self._plan, self._raw, self._tables, self._values))

    @property
    def told(self) -> str:
        """The number of seeds per point, in words."""
        counts = self._tables("runs")[POINT].value_counts()["count"].to_list()
        least, most = min(counts), max(counts)
        return f"{least if least == most else f'{least} to {most}'} seed{'s' if most != 1 else ''}"

    def __getstate__(self) -> dict[str, Any]:
        if self._plan.externals:
            raise PicklingError("a sweep with a Python discipline cannot be pickled; its tables can")
        read = (self._plan.text, self._plan.origin, self._plan.sets)
        return {**self.__dict__, "_plan": read, "_tables": {part: self._tables(part) for part in TABLES}.__getitem__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _plan=_native.Plan(*state["_plan"]))

    def __len__(self) -> int:
        return self._tables("runs").height

    def __repr__(self) -> str:
        points = len(self._settings)
        many = f"{points} point{'s' if points != 1 else ''} x {self.told}"
        return f"{visible(self.title)}: {many}, over {', '.join(self.axes) or 'nothing'}"

    def _repr_html_(self) -> str:
        return f"<div><b>{html.escape(repr(self))}</b>{self.points._repr_html_()}</div>"


def _mean(column: str, runs: pl.DataFrame) -> dict[str, float | None]:
    """The cells of a column in `SweepResult.means`."""
    values = runs[column].to_list()
    told = estimate(values)
    batches = f"{BY_BATCHES}{column}"
    if len(values) == 1 and batches in runs.columns:
        told["ci95"] = runs[batches][0]
    made = {column: told["mean"], f"{column}_ci95": told["ci95"]}
    if column.endswith(("_max", "max_backlog")):
        made[f"{column}_max"] = None if None in values else float(max(values))
    return made


def _told(value: Any) -> Any:
    """A value of an axis in a cell of a table: numbers and booleans unchanged."""
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
    """Runs a network over a grid of values on all cores, with a progress bar in a terminal.

    Args:
        net: The network.
        over: Values per path of the plan, such as ``{"link.bottleneck.queue.lower": [0.2, 0.4]}``; every combination
            is run. Values may be parts:
            ``{"link.bottleneck.queue": [dupack.queue.epd(...), dupack.queue.bpd(...)]}``.
        transport: As for `Network.run`.
        seeds: Seeds of each point: a number (the seeds 1, 2, ...), a list, or as in plans (``"1..5"``). By default
            those of the network, else 1.
        duration: As for `Network.run`.
        warm_up: As for `Network.run`.
        traffic: As for `Network.run`.
        threads: Number of worker threads; by default one per core. It does not change the results.
        out: Directory of a store, as of ``dupack sweep``: each run is committed to disk as soon as it finishes, and
            runs that are already stored are not repeated. By default results are only in memory. Runs of a Python
            discipline are repeated if the file (in a notebook the cell) with its class has changed.
        on: Where the runs are simulated: ``"local"``, or, with ``out``, a Ray cluster, as in ``dupack sweep --on``.

    Raises:
        PlanError: A value is wrong at some point; nothing was run.
        RunError: A run failed. With ``out`` all other runs were made and stored.
        RequestError: Arguments contradict each other; nothing was run.
    """
    if not isinstance(net, Network):
        raise RequestError(f"net: {net!r} is not a network; write one such as dupack.dumbbell(...)")
    grid: dict[str, Any] = {path: listed(path, values) for path, values in over.items()}
    chosen = seeds_of(seeds)
    if chosen is not None:
        grid["seeds"] = chosen
    given = {"duration": duration, "warm_up": warm_up, "traffic": traffic, "sweep": grid or None}
    plan, text, externals = net.read_all(transport, **given)
    if out is not None:
        return SweepResult(plan, text, _stored(plan, expanded(out), on, threads, externals))
    if on != "local":
        raise RequestError(f"on={on!r}: needs a store; give one, such as out='store'; nothing was run")
    jobs = jobs_of(plan)
    with Progress("sweeping", len(jobs)) as progress:
        runs = run_points(plan, jobs, threads=threads, connections=True, progress=progress)
    done = [run for run in runs if run is not None]
    return SweepResult(plan, text, cache(lambda part: _held(done, part)))


def _held(runs: Sequence[Run], part: str) -> pl.DataFrame:
    """A table of runs in memory."""
    if part == "connections":
        lib = polars()
        keys = (
            (lib.lit(run.job.point, lib.Int64).alias(POINT), lib.lit(run.job.seed, lib.Int64).alias("seed"))
            for run in runs
        )
        return lib.concat(
            [record(each(run.document)).select(*key, lib.all()) for key, run in zip(keys, runs, strict=True)]
        )
    rows = []
    for run in runs:
        head = {POINT: run.job.point, "seed": run.job.seed}
        found = run.document["summary" if part == "runs" else part]
        if part == "runs":
            halves = run.document.get("batches", {}).get("ci95", {})
            found = {**found, **{f"{BY_BATCHES}{key}": half for key, half in halves.items()}}
        rows += [{**head, **one} for one in (found if isinstance(found, list) else [found])]
    return frame(rows)


def _stored(plan: _native.Plan, out: Path, on: str, threads: int | None, externals: Mapping[str, External]) -> Tables:
    """The tables of a store, after it has been filled."""
    if plan.externals and on != "local":
        raise RequestError(f"on={on!r}: a cluster does not have the Python discipline of this program; nothing was run")
    code = {name: fingerprint(one) for name, one in externals.items()} if plan.externals else {}
    into = store_module("sweeping.into")
    tally = into.fill_store(plan, out, on, threads, code)
    if tally.failures:
        settings, seed, why = tally.failures[0]
        at = ", ".join(f"{path} = {setting(value)}" for path, value in settings.items())
        raise RunError(
            f"{len(tally.failures)} of {tally.total} runs failed; the first is {at}{', ' if at else ''}seed {seed}: "
            f"{why}; the others are stored in {out}, and the same call retries those that failed"
        )
    return cache(lambda part: into.table_of(out, part))


def listed(path: str, values: Any) -> list[Any]:
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise RequestError(f"{path}: {values!r} is not a list of values; write one such as [{values!r}]")
    return list(values)


def seeds_of(seeds: int | str | Iterable[int] | None) -> list[int] | None:
    if seeds is None:
        return None
    if isinstance(seeds, str):
        try:
            return _native.parse_seeds(seeds)
        except ValueError as error:
            raise RequestError(f"seeds: {error}") from None
    if isinstance(seeds, int):
        if seeds < 1:
            raise RequestError(f"seeds: {seeds}; give a number of at least 1, or a list of seeds")
        return list(range(1, seeds + 1))
    return [int(seed) for seed in seeds]
