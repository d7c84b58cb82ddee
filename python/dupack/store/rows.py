"""Documents of runs as rows of tables."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from dupack import _native
from dupack.connections import each
from dupack.store import schema
from dupack.store.schema import CONNECTIONS, RUN, RUNS, SERIES, SERIES_TABLE, Column

Tables = dict[str, pa.Table]

HEAD = ("run", "title", "point", "seed", "version")
AT_ONCE = 256
"""Number of documents converted to columns at a time: Python objects are large."""
ROWS_AT_ONCE = 10_000
"""The same of flows or links; a single document may have a million."""


class Shape:
    """The tables of a sweep."""

    def __init__(self, title: str, axes: Sequence[str], points: Mapping[int, dict[str, Any]]) -> None:
        self.title = title
        self.points = points
        self.axes = schema.axes(axes, list(points.values()))
        self.columns = dict(schema.tables())
        runs = self.columns[RUNS]
        self.rest = tuple(column for column in runs if column.name not in HEAD)
        # The settings come before the seed.
        self.columns[RUNS] = (*runs[:3], *self.axes, *runs[3:])
        self.schemas = {name: _schema(columns) for name, columns in self.columns.items()}

    def told(self) -> str:
        """All that the columns of the files depend on, as text."""
        return "\n".join(self.schemas[name].to_string() for name in sorted(self.schemas))

    def tables(self, runs: Iterable[tuple[str, int, int, dict[str, Any]]]) -> Tables:
        """Rows of runs, each given as (digest, point, seed, document)."""
        parts: dict[str, list[pa.Table]] = {name: [] for name in self.columns}
        some: list[tuple[str, int, int, dict[str, Any]]] = []

        def flush() -> None:
            for name, table in self._tables(some).items():
                parts[name].append(table)
            some.clear()

        for run in runs:
            some.append(run)
            if len(some) == AT_ONCE:
                flush()
        flush()
        return {name: pa.concat_tables(parts[name]) for name in parts}

    def _tables(self, runs: Sequence[tuple[str, int, int, dict[str, Any]]]) -> Tables:
        made: Tables = {}
        for name, columns in self.columns.items():
            if name == RUNS:
                rows: dict[str, list[Any]] = {
                    "run": [run for run, *_ in runs],
                    "title": [self.title] * len(runs),
                    "point": [point for _, point, *_ in runs],
                    "seed": [seed for _, _, seed, _ in runs],
                    "version": [_native.__build__] * len(runs),
                }
                for axis in self.axes:
                    rows[axis.name] = [axis.of(self.points[point]) for _, point, *_ in runs]
                for column in self.rest:
                    rows[column.name] = [column.of(document) for *_, document in runs]
            elif name == SERIES_TABLE:
                rows = _series(runs)
            elif name == CONNECTIONS:
                rows = _connections(runs)
            else:
                made[name] = self._lists(name, columns, runs)
                continue
            made[name] = pa.Table.from_pydict(rows, schema=self.schemas[name])
        return made

    def _lists(
        self, name: str, columns: Sequence[Column], runs: Sequence[tuple[str, int, int, dict[str, Any]]]
    ) -> pa.Table:
        """The rows of a list that each document has."""
        ones = ((run, one) for run, *_, document in runs for one in document.get(name) or ())
        parts = []
        while some := list(itertools.islice(ones, ROWS_AT_ONCE)):
            rows = {column.name: [column.of(one) for _, one in some] for column in columns}
            rows[RUN.name] = [run for run, _ in some]
            parts.append(pa.Table.from_pydict(rows, schema=self.schemas[name]))
        return pa.concat_tables(parts) if parts else self.schemas[name].empty_table()

    def adopt(self, table: pa.Table, points: Callable[[str], int]) -> pa.Table:
        """Rows of table ``runs`` of another sweep, converted to this one; ``points`` gives the point of a run."""
        at = [points(run) for run in table["run"].to_pylist()]
        ours: dict[str, Any] = {"title": [self.title] * len(at), "point": at}
        ours |= {axis.name: [axis.of(self.points[point]) for point in at] for axis in self.axes}
        columns = []
        for field in self.schemas[RUNS]:
            new = ours.get(field.name)
            columns.append(table[field.name] if new is None else pa.array(new, type=field.type))
        return pa.Table.from_arrays(columns, schema=self.schemas[RUNS])


def of_entries(entries: Sequence[dict[str, Any]]) -> Tables:
    """Rows of the runs of a journal, whose lines describe themselves."""
    points = {entry["point"]: entry["settings"] for entry in entries}
    axes = list(dict.fromkeys(axis for settings in points.values() for axis in settings))
    shape = Shape(entries[0]["title"] if entries else "", axes, points)
    return shape.tables((e["run"], e["point"], e["seed"], e["document"]) for e in entries)


def _schema(columns: Sequence[Column]) -> pa.Schema:
    def field(column: Column) -> pa.Field:
        return pa.field(column.name, pa.type_for_alias(column.type), metadata={"help": column.help})

    return pa.schema([field(column) for column in columns])


def _series(runs: Sequence[tuple[str, int, int, dict[str, Any]]]) -> dict[str, list[Any]]:
    rows: dict[str, list[Any]] = {column.name: [] for column in SERIES}
    for run, _, _, document in runs:
        series = document.get(SERIES_TABLE)
        if series is None:
            continue
        times, units = series["time_s"], series.get("gauge_units", {})
        for measure, by_name in series.items():
            # States are words, and the column has numbers.
            if measure in ("time_s", "state", "gauge_units"):
                continue
            for name, values in by_name.items():
                rows["run"] += [run] * len(values)
                rows["measure"] += [measure] * len(values)
                rows["name"] += [name] * len(values)
                rows["time_s"] += times
                rows["value"] += [None if value is None else float(value) for value in values]
                rows["unit"] += [units.get(name) if measure == "gauges" else None] * len(values)
    return rows


def _connections(runs: Sequence[tuple[str, int, int, dict[str, Any]]]) -> dict[str, list[Any]]:
    rows: dict[str, list[Any]] = {column.name: [] for column in schema.tables()[CONNECTIONS]}
    for run, _, _, document in runs:
        found = each(document)
        rows[RUN.name] += [run] * len(found["flow"])
        for name, values in found.items():
            rows[name] += values
    return rows


def ordered(tables: Tables, runs: Sequence[str]) -> Tables:
    """The rows of these runs in this order; rows of a run keep their order."""
    wanted = pa.array(runs, type=pa.string())

    def sort(table: pa.Table) -> pa.Table:
        place = pc.index_in(table["run"], value_set=wanted).combine_chunks()
        # They mostly are in order already: a copy may be large.
        if not place.null_count and pc.all(pc.less_equal(place[:-1], place[1:]), min_count=0).as_py():
            return table
        table = table.append_column("place", place).filter(pc.is_valid(place))
        return table.take(pc.sort_indices(table["place"])).drop_columns("place")

    return {name: sort(table) for name, table in tables.items()}


def line(run: str, title: str, point: int, seed: int, settings: dict[str, Any], document: str) -> tuple[str, str, str]:
    """The line of a run in the journal, which describes itself, in parts: the document may be large."""
    head = {"run": run, "title": title, "point": point, "seed": seed, "settings": settings}
    return f'{json.dumps(head, ensure_ascii=False)[:-1]}, "document": ', document, "}"
