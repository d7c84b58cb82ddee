"""What figures are drawn from: the runs of a sweep, of a store, or of a document, all seen in the same way."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dupack import connections
from dupack.dataframes import flat
from dupack.document import BY_BATCHES, estimate
from dupack.errors import RequestError
from dupack.measures import PARTS, SUMMARY, Measure, numbers
from dupack.plots.words import Axis, axis, key_of
from dupack.words import common_unit, nearest

if TYPE_CHECKING:
    import polars as pl

    from dupack import _native

RECORD = ("point", "seed", "flow", "measured", "size_bytes", "completion_s", "slowdown")
"""Columns of the table of connections that figures need."""
COLUMNS = {
    "flows": ("name", "mean_rtt_s", "goodput_bps", "connections_begun"),
    "links": ("name", "carries"),
}
"""Columns of the tables of flows and links that figures need: all of them would be 5 kB a flow."""
ENOUGH = 4
"""The fewest seeds whose intervals are not called wide: of fewer, they have 4 standard errors or more on each side."""
Cell = dict[str, Any]
"""``mean``, ``ci95``, perhaps ``regimes``, and ``values``: those of the runs."""
Course = tuple[list[float], dict[str, list[Any]]]
"""The times of samples [s], and the values per flow or link."""


@dataclass(frozen=True)
class Gauge:
    """The samples of a state variable."""

    link: str
    owner: str
    """The link, and the class if the discipline has a discipline for each class."""
    name: str
    unit: str
    """Its unit; empty if it is not known."""
    values: list[Any]


@dataclass
class Data(ABC):
    """Runs to draw: the base of the sources."""

    title: str
    raw: list[dict[str, Any]]
    """The settings of each point."""
    runs: list[tuple[int, int]]
    """Point and seed of each run, in order."""
    where: str = ""
    """Name of the source in errors."""
    kept: set[int] = field(default_factory=set)
    """The points that are drawn."""
    _tape: dict[str, list[Any]] | None = None

    def __post_init__(self) -> None:
        self.kept = {point for point, _ in self.runs}

    # Sources define these.

    @abstractmethod
    def _values(self, measure: str) -> dict[int, list[float | None]]:
        """A measure in the runs of each point."""

    @abstractmethod
    def rows(self, part: str) -> list[dict[str, Any]]:
        """The rows of ``runs``, ``flows`` or ``links`` with their ``point`` and ``seed``; at least `COLUMNS`."""

    @abstractmethod
    def record(self) -> dict[str, list[Any]]:
        """The columns `RECORD` of the table with a row per connection."""

    def connects(self) -> bool:
        """Whether there is a table with a row per connection."""
        return bool(self.record()["flow"])

    @abstractmethod
    def series(self, measure: str, point: int, seed: int) -> Course:
        """The samples of a measure in a run; without names if there are none."""

    def units(self, point: int, seed: int) -> dict[str, str]:
        """The units of the state variables of a run, by the names of their samples, if they are known."""
        return {}

    def events(self) -> dict[str, list[Any]] | None:
        """The tape as columns, if there is one."""
        return self._tape

    def add_tape(self, tape: dict[str, list[Any]], run: tuple[int, int]) -> None:
        """Takes the events of a run from a tape.

        Raises:
            RequestError: It is the tape of another run.
        """
        times, windows = self.series("cwnd", *run)
        if not times:
            raise RequestError(f"{self.where or self.title} has no samples of this run, on which its events are drawn")
        flows = set(windows)
        strange = next((name for name in tape["flow"] if flow_of(name, flows) is None), None)
        if strange is not None:
            raise RequestError(f"not a tape of this run: it has a flow {strange!r}; known: {', '.join(windows)}")
        last = max(tape["time_s"], default=0.0)
        # The last sample may be one interval before the end.
        if last > times[-1] + (times[-1] - times[-2] if len(times) > 1 else times[-1]):
            raise RequestError(
                f"not a tape of this run: it has an event at {last:g} s, and the run ends at {times[-1]:g} s"
            )
        self._tape = tape

    # What follows from them.

    @property
    def points(self) -> list[int]:
        """The points that are drawn."""
        return sorted(self.kept)

    @cached_property
    def paths(self) -> list[str]:
        """The axes of the sweep."""
        return list(dict.fromkeys(path for settings in self.raw for path in settings))

    def axes(self) -> list[Axis]:
        """The axes with several values among the points that are drawn."""
        found = []
        for path in self.paths:
            raw = [settings.get(path) for settings in self.raw]
            one = axis(path, raw, self.paths)
            if len({one.told(point) for point in self.points}) > 1:
                found.append(one)
        return found

    def levels(self, axis: Axis) -> list[str]:
        """The different values of an axis, in order: numbers by size, words as the sweep has them."""
        if axis.numeric:
            values = sorted({axis.values[point] for point in self.points if axis.values[point] is not None})
            found = {axis.values[point]: axis.told(point) for point in self.points}
            return [found[value] for value in values] + ["-"] * any(axis.values[p] is None for p in self.points)
        return list(dict.fromkeys(axis.told(point) for point in self.points))

    def fixed(self) -> str:
        """The values of the axes with a single one, in words."""
        told = []
        for path in self.paths:
            one = axis(path, [settings.get(path) for settings in self.raw], self.paths)
            values = {one.told(point) for point in self.points}
            if len(values) == 1:
                told.append(f"{one.short} {values.pop()}")
        return ", ".join(told)

    def seeds(self, point: int) -> list[int]:
        """The seeds of a point's runs."""
        return self._seeds.get(point, [])

    @cached_property
    def _seeds(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for point, seed in self.runs:
            found.setdefault(point, []).append(seed)
        return found

    @property
    def many(self) -> str:
        """The number of seeds of a point, in words."""
        counts = sorted({len(self.seeds(point)) for point in self.points})
        many = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        return f"{many} seed{'' if counts == [1] else 's'}"

    @property
    def few(self) -> list[str]:
        """A sentence on intervals, if there are so few seeds that they say little."""
        many = min((len(self.seeds(point)) for point in self.points if len(self.seeds(point)) > 1), default=ENOUGH)
        return [f"With only {many} seeds, intervals are wide and say little."] if many < ENOUGH else []

    def keep(self, at: Mapping[str, str]) -> None:
        """Draws only the points at which axes have these values.

        Raises:
            RequestError: There is no such axis or value.
        """
        for asked, value in at.items():
            one = self.axis_named(asked)
            told = {one.told(point) for point in self.points}
            bare = {str(settings.get(one.path)) for settings in self.raw}
            if value not in told | bare:
                raise RequestError(f"{asked}: no point has {value!r}; known: {', '.join(sorted(told))}")
            self.kept = {p for p in self.kept if value in (one.told(p), str(self.raw[p].get(one.path)))}
            if not self.kept:
                raise RequestError(f"{asked} = {value}: no run has this together with the other values")

    def axis_named(self, asked: str) -> Axis:
        """An axis by its path, or by its name in figures."""
        axes = [axis(path, [settings.get(path) for settings in self.raw], self.paths) for path in self.paths]
        for one in axes:
            if asked in (one.path, one.short):
                return one
        if not axes:
            raise RequestError(f"{asked}: {self.where or self.title} has no axes")
        names = [one.path for one in axes]
        near = nearest(asked, [*names, *(one.short for one in axes)])
        hint = f'did you mean "{near}"?' if near else f"known: {', '.join(names)}"
        raise RequestError(f"unknown axis {asked!r}; {hint}")

    def measure(self, asked: str) -> str:
        """The whole path of a measure.

        Raises:
            RequestError: There is no such measure.
        """
        for path in (asked, f"{SUMMARY}.{asked}"):
            if self._has(path):
                return path
        known = self.measures()
        bare = {path.removeprefix(f"{SUMMARY}."): path for path in known}
        near = nearest(asked, [*bare, *known])
        hint = f'did you mean "{bare.get(near, near)}"?' if near else "the reference of results lists all"
        raise RequestError(f"measure {asked!r} is unknown; {hint}")

    def _has(self, path: str) -> bool:
        """Whether this is the path of a measure."""
        return path in self.measures() or ("*" in path and self._starred(path))

    def _starred(self, path: str) -> bool:
        if path.partition(".")[0] not in PARTS:
            return False
        pattern = re.compile(re.escape(path).replace(r"\*", ".*"))
        return any(pattern.fullmatch(one) for one in self.measures())

    @abstractmethod
    def measures(self) -> list[str]:
        """The paths of all measures."""

    def estimates(self, measure: str) -> dict[int, Cell]:
        """Mean, interval and values of a measure at each point that is drawn."""
        found = {}
        for point, values in self._values(self.measure(measure)).items():
            if point not in self.kept:
                continue
            cell = estimate(values)
            if len(values) == 1:
                cell["ci95"] = self._half(measure, point)
            found[point] = {**cell, "values": values}
        return found

    def _half(self, measure: str, point: int) -> float | None:
        """The half-width of the interval by batches of a single run."""
        key = measure.removeprefix(f"{SUMMARY}.")
        return self._first.get(point, {}).get(f"{BY_BATCHES}{key}")

    @cached_property
    def _first(self) -> dict[int, dict[str, Any]]:
        """The row of the first run of each point."""
        return {row["point"]: row for row in reversed(self.rows("runs"))}

    def in_order(self, found: dict[str, list[Any]], measure: str, run: tuple[int, int]) -> dict[str, list[Any]]:
        """The samples of flows or links in the order of the network; files have them in that of their names."""
        part = "links" if measure in ("backlog", "gauges") else "flows"
        places = {name: at for at, name in enumerate(self._names(part, run))}
        order = {name: places.get(link_of(name, places), len(places)) for name in found}
        return {name: found[name] for name in sorted(found, key=order.__getitem__)}

    def gauges(self, run: tuple[int, int]) -> tuple[list[float], list[Gauge]]:
        """The times of a run's samples, and its state variables in the order of the links."""
        times, every = self.series("gauges", *run)
        links, units = set(self._names("links", run)), self.units(*run)
        found = []
        for name, values in every.items():
            owner, _, own = name.rpartition(".")
            found.append(Gauge(link_of(name, links), owner, own, units.get(name, ""), values))
        return times, found

    def _names(self, part: str, run: tuple[int, int]) -> list[str]:
        return [row["name"] for row in self.rows_of(part, run)]

    def rows_of(self, part: str, run: tuple[int, int]) -> list[dict[str, Any]]:
        """The rows of a run."""
        return [row for row in self.rows(part) if (row["point"], row["seed"]) == run]

    def every(self, run: tuple[int, int]) -> list[str]:
        """The flows of a run, in order, also those that are not drawn."""
        return self._names("flows", run)

    def carries(self, links: Collection[str] | None = None) -> str:
        """What these links carry, all by default: cells, packets, or units if some carry the one and some the other."""
        rows = [row for row in self.rows("links") if links is None or row.get("name") in links]
        return common_unit((row.get("carries") for row in rows), "packets")

    def only(self, seed: int | None, what: str) -> tuple[int, int]:
        """The one run that is drawn.

        Raises:
            RequestError: There are several points, or there is no such seed.
        """
        if len(self.kept) > 1:
            axes = self.axes()
            first = f"{axes[0].path}={axes[0].told(self.points[0])}" if axes else ""
            raise RequestError(
                f"{what}: shows a single run, but there are {len(self.kept)} points; choose one with --at "
                f"{first!r} (at= in Python)"
            )
        (point,) = self.kept
        seeds = self.seeds(point)
        if seed is not None and seed not in seeds:
            raise RequestError(f"{what}: there is no run with seed {seed}; known: {', '.join(map(str, seeds))}")
        return point, seeds[0] if seed is None else seed


class OfDocument(Data):
    """Runs in a document, as ``dupack run --json`` prints it."""

    def __init__(self, document: Mapping[str, Any], where: str = "") -> None:
        bodies = document.get("points") or [{**document, "settings": {}}]
        self._documents: dict[tuple[int, int], Mapping[str, Any]] = {}
        for at, body in enumerate(bodies):
            for run in body.get("runs") or [body]:
                self._documents[at, run["seed"]] = run
        raw = [dict(body.get("settings") or {}) for body in bodies]
        super().__init__(str(document.get("title", where)), raw, list(self._documents), where)
        self._record: dict[str, list[Any]] | None = None
        self._sampled: Any = None

    @classmethod
    def of_run(
        cls, document: Mapping[str, Any], sampled: Any, connections: pl.DataFrame, tape: pl.DataFrame | None
    ) -> OfDocument:
        """One run, with its samples, the table of its connections, and its tape if it has one."""
        made = cls(document)
        made._record = {name: connections[name].to_list() for name in connections.columns}
        made._sampled = sampled
        if tape is not None:
            made._tape = {name: tape[name].to_list() for name in tape.columns}
        return made

    def _values(self, measure: str) -> dict[int, list[float | None]]:
        found: dict[int, list[float | None]] = {}
        one = measure_at(measure, self)
        for (point, _), run in self._documents.items():
            found.setdefault(point, []).append(one.value(run))
        return found

    def rows(self, part: str) -> list[dict[str, Any]]:
        """See `Data`."""
        made = []
        for (point, seed), run in self._documents.items():
            head = {"point": point, "seed": seed}
            if part == "runs":
                halves = run.get("batches", {}).get("ci95", {})
                made.append({**head, **run[SUMMARY], **{f"{BY_BATCHES}{key}": half for key, half in halves.items()}})
            else:
                made += [{**head, **flat(row)} for row in run[part]]
        return made

    def measures(self) -> list[str]:
        """See `Data`."""
        return list(dict.fromkeys(path for run in self._documents.values() for path, _ in numbers(run)))

    def record(self) -> dict[str, list[Any]]:
        """See `Data`."""
        made: dict[str, list[Any]] = {name: [] for name in RECORD}
        for (point, seed), run in self._documents.items():
            found = self._record if self._record is not None else connections.each(run)
            many = len(found["flow"])
            made["point"] += [point] * many
            made["seed"] += [seed] * many
            for name in RECORD[2:]:
                made[name] += found[name]
        return made

    def series(self, measure: str, point: int, seed: int) -> Course:
        """See `Data`."""
        if self._sampled is not None:
            if measure not in self._sampled:
                return [], {}
            table = getattr(self._sampled, measure)
            return table["time_s"].to_list(), {name: table[name].to_list() for name in table.columns[1:]}
        found = self._documents[point, seed].get("series") or {}
        return found.get("time_s", []), self.in_order(found.get(measure, {}), measure, (point, seed))

    def units(self, point: int, seed: int) -> dict[str, str]:
        """See `Data`."""
        if self._sampled is not None:
            return dict(self._sampled.units)
        return (self._documents[point, seed].get("series") or {}).get("gauge_units", {})


class OfSweep(Data):
    """The runs of a sweep in Python: its plan, the settings of its points, its tables by name, and what gives the
    values of a measure in the runs of each point."""

    def __init__(
        self,
        plan: _native.Plan,
        raw: list[dict[str, Any]],
        tables: Callable[[str], pl.DataFrame],
        values: Callable[[Measure], dict[int, list[float | None]]],
    ) -> None:
        self._plan = plan
        self._tables = tables
        self._of = values
        runs = tables("runs").select("point", "seed").rows()
        super().__init__(plan.title, raw, [(point, seed) for point, seed in runs])

    def _values(self, measure: str) -> dict[int, list[float | None]]:
        return self._of(Measure.find(self._plan, measure, "measure"))

    def measure(self, asked: str) -> str:
        """See `Data`."""
        return Measure.find(self._plan, asked, "measure").name

    def measures(self) -> list[str]:
        """See `Data`."""
        return self._plan.measures()

    def rows(self, part: str) -> list[dict[str, Any]]:
        """See `Data`."""
        return self._tables(part).to_dicts()

    def record(self) -> dict[str, list[Any]]:
        """See `Data`."""
        table = self._tables("connections")
        return {name: table[name].to_list() for name in RECORD}

    def series(self, measure: str, point: int, seed: int) -> Course:
        """A sweep in memory keeps no samples."""
        return [], {}


def link_of(name: str, links: Collection[str]) -> str:
    """The link of a name in a time series, which is the link's, ``LINK.GAUGE`` or ``LINK.CLASS.GAUGE``."""
    link = name
    for _ in range(3):
        if link in links:
            return link
        link = link.rpartition(".")[0]
    return name.rpartition(".")[0]


def flow_of(name: str, flows: Collection[str]) -> str | None:
    """The one of the flows to which a name in a tape belongs; ``files.8`` is a connection of ``files``."""
    if name in flows:
        return name
    flow, _, number = name.rpartition(".")
    return flow if flow in flows and number.isdecimal() else None


def measure_at(path: str, data: Data) -> Measure:
    """A measure from its whole path: names of flows and links may have dots, keys are those of the documents."""
    part, _, rest = path.partition(".")
    key = key_of(path)
    of = rest.removesuffix(key).rstrip(".") if part != SUMMARY else ""
    return Measure(path, part, of, key, None)
