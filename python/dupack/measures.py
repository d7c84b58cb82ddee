"""Measures of runs, each a path in a run's document: ``summary.jain``, ``links.bottleneck.dropped``.

The stopping rule of plans, ``dupack compare --of``, figures of sweeps and documents of several runs use these names.
The measures of a plan, and whether more or less of them is better, are declared beside the plan's reader, in Rust.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dupack import _native
from dupack.amounts import SHARES
from dupack.errors import RequestError

SUMMARY = "summary"
PARTS = (SUMMARY, "flows", "links")
BY_SIZE = "by_size"
"""The only list in a flow's table: connections by size, smallest first."""
BOUNDS = ("above_bytes", "up_to_bytes")
"""Bounds of the sizes: given, not measured."""
DISTRIBUTIONS = ("completion_s", "slowdown", "round_s")
"""Distributions that are null if they have no values; others are missing then."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure: a number in a run's document."""

    name: str
    """Its whole path."""
    part: str
    """``summary``, ``flows`` or ``links``."""
    of: str
    """Name of the flow or link. A star matches any characters; the value is then the mean over all matches, or the
    maximum of maxima."""
    key: str
    """The path below that."""
    better: str | None
    """Whether ``more`` or ``less`` is better; None if neither is."""

    @classmethod
    def find(cls, plan: _native.Plan, name: str, what: str) -> Measure:
        """The measure ``name`` of runs of a plan; ``what`` names the argument in errors.

        Raises:
            RequestError: The measure is unknown.
        """
        try:
            return cls(*plan.measure(name))
        except ValueError as error:
            raise RequestError(f"{what}: {error}") from None

    @property
    def column(self) -> str:
        """Its column in the table of its part; `BY_SIZE` is a single column of lists, or of JSON."""
        head, by_size, _ = self.key.partition(f".{BY_SIZE}.")
        return f"{head}_{BY_SIZE}" if by_size else re.sub(r"[.-]", "_", self.key)

    def value(self, document: Mapping[str, Any]) -> float | None:
        """Its value in a run; None if there is none."""
        if self.part == SUMMARY:
            return _at(document[SUMMARY], self.key)
        table = self.key.split(".", 1)[0] if "." in self.key else ""
        mine = [one for one in document[self.part] if self.names(one["name"])]
        # The star may also match flows of other kinds.
        return self.joined([_at(one, self.key) for one in mine if not self._star or table in ("", *one)])

    def names(self, name: str) -> bool:
        """Whether it is a measure of the flow or link with this name."""
        return name == self.of or (self._star and self._pattern.fullmatch(name) is not None)

    def joined(self, values: Sequence[float | None]) -> float | None:
        """One value from those of all matches of the star."""
        if not values or any(value is None for value in values):
            return None
        known = [float(value) for value in values if value is not None]
        return max(known) if largest(self.key) else sum(known) / len(known)

    @property
    def columns(self) -> list[str]:
        """The columns that `in_rows` needs."""
        return list(dict.fromkeys(["name", self.column, self._there])) if self.part != SUMMARY else [self.column]

    def in_rows(self, rows: Iterable[Mapping[str, Any]]) -> float | None:
        """Its value from the rows of a run in the table of its part; rows of other flows or links are ignored."""
        if self.part == SUMMARY:
            return next((row[self.column] for row in rows), None)
        mine = [row for row in rows if self.names(row["name"])]
        return self.joined(
            [self._in(row[self.column]) for row in mine if not self._star or row[self._there] is not None]
        )

    def _in(self, cell: Any) -> float | None:
        _, by_size, path = self.key.partition(f".{BY_SIZE}.")
        if cell is None or not by_size:
            return cell
        return _at(json.loads(cell) if isinstance(cell, str) else cell, path)

    @property
    def _there(self) -> str:
        """The column that is not null in rows that have the measure."""
        head, inside, _ = self.key.partition(".")
        known = {"connections": "connections_begun", "abr": "abr_max_backlog"}
        return known.get(head, self.column) if inside else "name"

    @property
    def _star(self) -> bool:
        return "*" in self.of

    @property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(".*".join(map(re.escape, self.of.split("*"))))


def _at(found: Any, path: str) -> float | None:
    for key in path.split("."):
        if isinstance(found, list):
            found = found[int(key)] if int(key) < len(found) else None
        elif isinstance(found, Mapping):
            found = found.get(key)
            cause = path.partition("dropped.")[2]
            if key == "dropped" and cause:
                # A cause without drops is not in the document.
                return float((found or {}).get(cause, 0))
        else:
            return None
    if isinstance(found, Mapping):
        return float(sum(found.values())) if path.split(".")[-1] == "dropped" else None
    return None if found is None else float(found)


def largest(key: str) -> bool:
    """Whether a number is a maximum; its mean over runs is not a maximum."""
    return key.rsplit(".", 1)[-1] in ("max", "max_backlog")


def numbers(document: Mapping[str, Any]) -> Iterator[tuple[str, float | None]]:
    """Every number of a run with its path; None if there is no value."""
    for part in PARTS:
        if part == SUMMARY:
            yield from _walk(document[part], f"{part}.")
        else:
            for one in document[part]:
                yield from _walk(one, f"{part}.{one['name']}.")


def _walk(table: Mapping[str, Any], above: str) -> Iterator[tuple[str, float | None]]:
    for key, value in table.items():
        path = f"{above}{key}"
        if key == "dropped":
            yield path, float(sum(value.values()))
            yield from ((f"{path}.{cause}", float(value.get(cause, 0))) for cause in _native.drop_causes())
        elif key == BY_SIZE:
            for at, one in enumerate(value):
                yield from _walk(one, f"{path}.{at}.")
        elif isinstance(value, Mapping):
            yield from _walk(value, f"{path}.")
        elif value is None and key in DISTRIBUTIONS:
            yield from ((f"{path}.{one}", None) for one in SHARES)
        elif not isinstance(value, str) and key not in BOUNDS:
            yield path, None if value is None else float(value)
