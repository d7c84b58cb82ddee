"""What figures call measures, axes and values: names with units instead of paths."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from dupack import _native
from dupack.amounts import RATES, SHARES, TIMES, Units, kind, rate, seconds
from dupack.measures import BY_SIZE
from dupack.words import setting

NAMES = {
    "active_fraction": "active fraction of time",
    "completion_s": "completion time",
    "dropped": "drops",
    "empty_fraction": "idle fraction of time",
    "goodput_bps": "goodput",
    "jain": "Jain's index",
    "mean_delay_s": "mean delay",
    "mean_message_s": "mean message time",
    "mean_rto_s": "mean RTO",
    "mean_rtt_s": "mean RTT",
    "max_backlog": "largest backlog",
    "open": "open connections",
    "queue_delay_s": "queueing delay",
    "round_s": "round time",
    "rtt_s": "RTT",
    "throughput_bps": "throughput",
}
"""Names of measures whose keys are not names themselves."""
OF_UNITS = ("offered", "minted", "trimmed", "marked", "sent", "dropped", "waiting", "dead_units", "mean_backlog")
"""Measures of links in cells or packets; `max_backlog` is another."""
SIZES = ("up to 100 kB", "100 kB to 10 MB", "above 10 MB")
"""Connections by size, as in the documents of runs."""
KINDS = ("kind", "word")

Scale = tuple[float, str]
"""A factor of the unit, and the unit."""

TIME = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
RATE = {"b/s": 1.0, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9, "Tb/s": 1e12, "cells/s": 424.0}
SIZE = {
    "B": 1.0,
    "kB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "TB": 1e12,
    "KiB": 2.0**10,
    "MiB": 2.0**20,
    "GiB": 2.0**30,
    "TiB": 2.0**40,
}
COUNTS = ("packet", "cell", "segment", "byte", "round", "tick")
NUMBER = re.compile(r"([-+]?(?:\d[\d_]*)?\.?\d+(?:[eE][-+]?\d+)?) *([A-Za-zµ/%]*)")


@dataclass(frozen=True)
class Axis:
    """An axis of a sweep."""

    path: str
    name: str
    """What it varies, with the unit of numbers in brackets."""
    short: str
    """The same without the unit."""
    unit: str
    values: list[Any]
    """Its value at each point: numbers in the unit if it is `numeric`, else words; None where the sweep sets none."""
    numeric: bool
    log: bool
    """Whether the values are far apart, so that a logarithmic axis shows them better."""

    def told(self, point: int) -> str:
        """The value at a point, with its unit."""
        value = self.values[point]
        if value is None:
            return "-"
        return f"{number(value)} {self.unit}".rstrip() if self.numeric else str(value)


def number(value: float) -> str:
    """A number for an axis: no exponent, thousands apart."""
    if value == 0:
        return "0"
    digits = max(0, 5 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{min(digits, 12)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def axis(path: str, raw: Sequence[Any], paths: Sequence[str]) -> Axis:
    """The axis at ``path`` with its raw value per point; ``paths`` are all axes of the sweep."""
    short = _short(path, paths)
    read = [_number(value) for value in raw if value is not None]
    dimensions = {one[1] for one in read if one is not None}
    if read and None not in read and len(dimensions) == 1:
        (dimension,) = dimensions
        written = {one[2] for one in read if one is not None}
        base = [None if value is None else _number(value) for value in raw]
        if len(written) == 1:
            factor, unit = 1.0, written.pop()
            values = [None if one is None else one[3] for one in base]
        else:
            factor, unit = scale((one[0] for one in base if one), dimension)
            values = [None if one is None else one[0] / factor for one in base]
        return Axis(path, f"{short} [{unit}]" if unit else short, short, unit, values, True, _spread(values))
    words = _words(raw)
    return Axis(path, short, short, "", words, False, False)


def _number(value: Any) -> tuple[float, str, str, float] | None:
    """A value in base units, its dimension, its unit as it is written, and the number before that unit."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value), "", "", float(value)
    found = NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return None
    given, unit = float(found[1].replace("_", "")), found[2]
    for dimension, units in (("time", TIME), ("rate", RATE), ("size", SIZE)):
        if unit in units:
            return given * units[unit], dimension, unit, given
    if unit.removesuffix("s") in COUNTS:
        plural = f"{unit.removesuffix('s')}s"
        return given, plural, plural, given
    return (given / 100, "%", "%", given) if unit == "%" else (given, "", "", given) if not unit else None


def scale(values: Iterable[float], dimension: str) -> Scale:
    """A unit in which the largest of the values is between 1 and 1000, as far as there is one."""
    largest = max((abs(value) for value in values), default=0.0)
    units: Units = {
        "time": TIMES,
        "rate": RATES,
        "size": ((1e9, " GB"), (1e6, " MB"), (1e3, " kB"), (1, " B")),
    }.get(dimension, ((1.0, dimension),))
    # The tolerance is for a value such as 0.001 s that was computed.
    found = next(((factor, unit) for factor, unit in units if largest >= factor * (1 - 1e-9)), units[-1])
    if largest == 0:
        found = units[min(len(units) - 1, 1)] if dimension == "time" else units[-1]
    return found[0], found[1].strip()


def _spread(values: Sequence[float | None]) -> bool:
    known = sorted({value for value in values if value is not None})
    if len(known) < 3 or known[0] <= 0 or known[-1] < 8 * known[0]:
        return False
    # Equal ratios rather than equal steps.
    ratios = [math.log(b / a) for a, b in pairwise(known)]
    steps = [b - a for a, b in pairwise(known)]
    return max(steps) / min(steps) > 1.5 * max(ratios) / min(ratios)


def _short(path: str, paths: Sequence[str]) -> str:
    """The last word of a path that says something, and those before it that make it the only one among ``paths``."""

    def parts(of: str) -> list[str]:
        found = [part for part in of.split(".") if part != "*"]
        while len(found) > 1 and found[-1] in KINDS:
            found.pop()
        return found

    mine = parts(path)
    others = [parts(other) for other in paths if other != path]
    many = 1
    while many < len(mine) and any(other[-many:] == mine[-many:] for other in others):
        many += 1
    words = [part.replace("_", " ") for part in mine[-many:]]
    return words[0] if len(words) == 1 else f"{words[-1]} of {' '.join(words[:-1])}"


def _words(raw: Sequence[Any]) -> list[str | None]:
    """Values in words; of tables with different kinds only the kinds."""
    tables = [_table(value) for value in raw]
    kinds: dict[str, set[str]] = {}
    for table in tables:
        if isinstance(table, dict):
            kinds.setdefault(str(table.get("name" if table.get("kind") == "external" else "kind")), set()).add(
                json.dumps(table, sort_keys=True, default=str)
            )
    made: list[str | None] = []
    for table in tables:
        if isinstance(table, dict):
            kind_ = str(table.get("name" if table.get("kind") == "external" else "kind"))
            same = len(kinds[kind_]) == 1 and kind_ != "None"
            made.append(kind_ if same else setting(_differing(table, tables)))
        else:
            made.append(None if table is None else setting(table))
    return made


def _differing(table: dict[str, Any], tables: Sequence[Any]) -> dict[str, Any]:
    """A table without the keys whose values are the same in all tables of its kind."""
    alike = [one for one in tables if isinstance(one, dict) and one.get("kind") == table.get("kind")]
    kept = {k: v for k, v in table.items() if k == "kind" or any(one.get(k) != v for one in alike)}
    return kept if len(kept) > 1 or "kind" in kept else table


def _table(value: Any) -> Any:
    """A value of a store's axis: a table is stored as JSON."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


@dataclass(frozen=True)
class Quantity:
    """What a figure calls a measure, and the unit in which it shows it."""

    name: str
    factor: float
    unit: str
    column: str
    """Its column in the data of the figure, in base units."""

    @property
    def label(self) -> str:
        """Name and unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


def quantity(path: str, values: Iterable[float | None], carries: str = "") -> Quantity:
    """The name of the measure at ``path`` and a unit for its values; ``carries`` is the unit of links."""
    key = key_of(path)
    what = kind(key)
    known = [abs(value) for value in values if value is not None]
    factor, unit = 1.0, ""
    if what is rate:
        factor, unit = scale(known, "rate")
    elif what is seconds:
        factor, unit = scale(known, "time")
    elif path.startswith("links.") and key.split(".")[0] in (*OF_UNITS, "max_backlog"):
        unit = carries
    return Quantity(name(path), factor, unit, path)


def key_of(path: str) -> str:
    """The part of a path after the name of a flow or link. Keys have no upper levels but those of tables."""
    part, _, rest = path.partition(".")
    if part not in ("flows", "links"):
        return path.removeprefix("summary.")
    words = rest.split(".")
    for at in range(1, len(words)):
        if words[at] in _keys():
            return ".".join(words[at:])
    return words[-1]


@cache
def _keys() -> set[str]:
    """The keys of flows and links in documents."""
    declared = json.loads(_native.document_schema())["$defs"]
    return {key for part in ("Flow", "Link") for key in declared[part]["properties"]}


def name(path: str) -> str:
    """The name of a measure: ``queueing delay of bottleneck, p99``."""
    part, _, rest = path.partition(".")
    key = key_of(path)
    whose = rest.removesuffix(key).rstrip(".") if part in ("flows", "links") else ""
    whose = "" if whose == "*" else whose
    words = key.split(".")
    size = ""
    if words[0] in ("connections", "abr"):
        words = words[1:]
    if words[0] == BY_SIZE and len(words) > 2:
        size, words = SIZES[int(words[1])] if int(words[1]) < len(SIZES) else "", words[2:]
    first, *last = words
    told = NAMES.get(first) or re.sub(r"_(s|bps)$", "", first).replace("_", " ")
    if last and last[0] in SHARES:
        share = last[0].replace("_", ".")
        told = f"{share} {told}" if share in ("mean", "max") else f"{told}, {share}"
    elif last:
        told = f"{told} ({' '.join(last).replace('_', ' ')})"
    head, comma, tail = told.partition(", ")
    return f"{head}{f' of {whose}' if whose else ''}{f', {size}' if size else ''}{comma}{tail}"
