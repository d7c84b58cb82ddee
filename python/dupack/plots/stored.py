"""The runs of a store, for figures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Any

from dupack import _native
from dupack.amounts import SHARES
from dupack.measures import PARTS, SUMMARY
from dupack.plots.data import COLUMNS, RECORD, Course, Data, measure_at


class OfStore(Data):
    """The runs of a store."""

    def __init__(self, reader: Any, about: Mapping[str, Any], axes: Sequence[str]) -> None:
        self._reader = reader
        quoted = ", ".join(_quoted(name) for name in axes)
        comma = ", " if quoted else ""
        found = reader.all(f"select point, seed{comma}{quoted} from runs order by point, seed")
        paths = list(about.get("axes", axes))
        raw: list[dict[str, Any]] = [{} for _ in range(max((row[0] for row in found), default=-1) + 1)]
        for point, _, *values in found:
            raw[point] = {path: value for path, value in zip(paths, values, strict=True) if value is not None}
        runs = [(point, seed) for point, seed, *_ in found]
        super().__init__(str(about.get("title", "")), raw, runs, str(reader.root))
        self._rows = cache(self._read)

    def _values(self, measure: str) -> dict[int, list[float | None]]:
        return self._reader.values(measure_at(measure, self))

    def _read(self, part: str) -> list[dict[str, Any]]:
        sql = f"select * from {part} order by point, seed"
        if part != "runs":
            columns = ", ".join(COLUMNS[part])
            # The order of a run's rows: several threads join and sort them.
            placed = f"select run, {columns}, row_number() over () as place from {part}"
            mine = columns.replace(", ", f", {part}.")
            sql = f"select point, seed, {part}.{mine} from ({placed}) as {part} join runs using (run) "
            sql += "order by point, seed, place"
        rows = self._reader.each(sql)
        names = [column[0] for column in self._reader.connection.description]
        return [dict(zip(names, row, strict=True)) for row in rows]

    def rows(self, part: str) -> list[dict[str, Any]]:
        """See `Data`."""
        return self._rows(part)

    def _has(self, path: str) -> bool:
        """See `Data`. Names are looked up: all measures of a million flows would be 4 GB of text."""
        part, _, rest = path.partition(".")
        if part == SUMMARY or part not in PARTS:
            return path in self._summary
        ends = (f".{key}" for key in _paths(part))
        names = [rest.removesuffix(end) for end in ends if rest.endswith(end)]
        there = f"select 1 from {part} where name = ? limit 1"
        return any(self._reader.all(there, [name]) for name in names) or super()._has(path)

    @cached_property
    def _summary(self) -> list[str]:
        from dupack.store import schema

        return [f"{SUMMARY}.{column.name}" for column in schema.summary_columns()]

    @cached_property
    def _known(self) -> list[str]:
        found = [*self._summary]
        for part in ("flows", "links"):
            names = [name for (name,) in self._reader.all(f"select distinct name from {part} order by 1")]
            paths = list(_paths(part))
            found += [f"{part}.{one}.{key}" for one in names for key in paths]
        return found

    def measures(self) -> list[str]:
        """See `Data`."""
        return self._known

    def record(self) -> dict[str, list[Any]]:
        """See `Data`."""
        rows = self._reader.all(
            f"select {', '.join(RECORD)} from connections join runs using (run) order by point, seed, flow, number"
        )
        columns = list(zip(*rows, strict=True)) or [()] * len(RECORD)
        return {name: list(column) for name, column in zip(RECORD, columns, strict=True)}

    def connects(self) -> bool:
        """See `Data`."""
        return bool(self._reader.all("from connections limit 1"))

    def series(self, measure: str, point: int, seed: int) -> Course:
        """See `Data`."""
        rows = self._reader.all(
            "select name, time_s, value from series join runs using (run) "
            "where measure = ? and point = ? and seed = ? order by name, time_s",
            [measure, point, seed],
        )
        found: dict[str, list[Any]] = {}
        times: dict[str, list[float]] = {}
        for name, time, value in rows:
            found.setdefault(name, []).append(value)
            times.setdefault(name, []).append(time)
        return next(iter(times.values()), []), self.in_order(found, measure, (point, seed))

    def units(self, point: int, seed: int) -> dict[str, str]:
        """See `Data`. A store of an older version has no such column."""
        if ("unit",) not in self._reader.all("select column_name from (describe series)"):
            return {}
        rows = self._reader.all(
            "select distinct name, unit from series join runs using (run) "
            "where unit is not null and point = ? and seed = ?",
            [point, seed],
        )
        return dict(rows)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _paths(part: str) -> Iterator[str]:
    """The keys of all measures of a flow or a link, of those that a store has."""
    definitions = json.loads(_native.document_schema())["$defs"]

    def walk(table: str, above: str) -> Iterator[str]:
        for key, declared in definitions[table]["properties"].items():
            inside = [one for one in (declared, *declared.get("anyOf", ())) if "$ref" in one]
            types = declared.get("type", "object")
            if key == "dropped":
                yield f"{above}{key}"
                yield from (f"{above}{key}.{cause}" for cause in _native.drop_causes())
            elif key == "by_size":
                for at in range(3):
                    yield from (f"{above}{key}.{at}.{inner}" for inner in ("completed",))
                    for inner in ("completion_s", "slowdown"):
                        yield from (f"{above}{key}.{at}.{inner}.{share}" for share in SHARES)
            elif inside:
                yield from walk(inside[0]["$ref"].removeprefix("#/$defs/"), f"{above}{key}.")
            elif not {"string", "array", "boolean"} & ({types} if isinstance(types, str) else set(types)):
                yield f"{above}{key}"

    return walk({"flows": "Flow", "links": "Link"}[part], "")
