"""Measures of a run, by name.

A name is a measure that the paper's Python declares, or a path into the run's document: ``summary.jain``,
``link.bottleneck.goodput_fraction``, ``flow.user-1.timeouts``; ``flow.1.timeouts`` counts flows from 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dupack.reproduce.paper import Measured, Read

TABLES = {"link": "links", "flow": "flows"}


def read(name: str, declared: Mapping[str, Read]) -> Read:
    """The measure of this name.

    Raises ``LookupError`` if it is neither declared nor a path.
    """
    if name in declared:
        return declared[name]
    first, _, rest = name.partition(".")
    if first == "summary" and rest:
        return lambda run: _number(run.document["summary"], rest, name)
    which, _, key = rest.rpartition(".")
    if first in TABLES and which and key:
        return lambda run: _number(_entry(run, TABLES[first], which), key, name)
    if not name:
        raise LookupError("read: no measure is given")
    known = ", ".join(sorted(declared)) or "none"
    raise LookupError(f'unknown measure "{name}"; declared: {known}; or summary.KEY, link.NAME.KEY, flow.NAME.KEY')


def _entry(run: Measured, table: str, which: str) -> dict[str, Any]:
    entries = run.document[table]
    if which.isdigit() and 1 <= int(which) <= len(entries):
        return dict(entries[int(which) - 1])
    for entry in entries:
        if entry["name"] == which:
            return dict(entry)
    known = ", ".join(entry["name"] for entry in entries)
    raise LookupError(f'{table} have no "{which}"; {table}: {known}')


def _number(entry: dict[str, Any], key: str, name: str) -> float | None:
    if key not in entry:
        raise LookupError(f'the runs have no "{name}"; known: {", ".join(entry)}')
    value: float | None = entry[key]
    if isinstance(value, str | dict):
        raise LookupError(f'"{name}" is not a number')
    return value
