"""Distributions as tables for people: delays in queues, round trips, times of connections that come and go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from dupack.tables import Document, count, fit, grouped, seconds, table

SHARES = {"mean": "mean", "p50": "p50", "p95": "p95", "p99": "p99", "p99_9": "p99.9", "max": "max"}
"""The columns, by the keys of a distribution in the document."""

Row = tuple[str, ...]
Told = tuple[Table, list[str]]


def connections(runs: Sequence[Document], out: Console) -> Told | None:
    """Completion times and slowdowns of the flows that are many connections; nothing without any."""
    rows = [row for one in _members(runs, "connections") for row in _connections(*one)]
    return _table("Connections", ["flow", "of", "how many"], rows, out) if rows else None


def percentiles(runs: Sequence[Document], out: Console) -> Told | None:
    """Delays in the queues of links and round trips of flows; nothing if the plan does not ask for them."""
    rows = []
    for part, key, what in (("links", "queue_delay_s", "delay in the queue"), ("flows", "rtt_s", "round trip")):
        for name, found in _members(runs, key, part):
            # Where nothing ever waits nothing is told.
            if any(one["max"] > 0 for one in found):
                rows.append((name, what, *_shares(found, seconds)))
    return _table("Percentiles", ["link or flow", "of"], rows, out) if rows else None


def _members(runs: Sequence[Document], key: str, part: str = "flows") -> Iterator[tuple[str, list[Document]]]:
    same = ("transport",) if part == "flows" else ("queue", "carries")
    for name, ones in grouped([run[part] for run in runs], same):
        found = [one[key] for one in ones if key in one]
        if found:
            yield name, found


def _connections(name: str, found: Sequence[Document]) -> Iterator[Row]:
    n = len(found)
    completed, begun = (sum(one[key] for one in found) / n for key in ("completed", "begun"))
    ended = f"{count(completed)} of {count(begun)}"
    for key, what, told in (("completion_s", "completion time", seconds), ("slowdown", "slowdown", _ratio)):
        yield name, what, ended, *_shares([one[key] for one in found], told)
    sizes = [[one["by_size"][i] for one in found] for i in range(len(found[0]["by_size"]))]
    sizes = [ones for ones in sizes if any(one["completed"] for one in ones)]
    for ones in sizes if len(sizes) > 1 else ():
        many = count(sum(one["completed"] for one in ones) / n)
        for key, what, told in (("completion_s", "completion time", seconds), ("slowdown", "slowdown", _ratio)):
            yield name, f"{what}, {_size(ones[0])}", many, *_shares([one[key] for one in ones], told)
    if any(one["rounds"] for one in found):
        rounds = count(sum(one["rounds"] for one in found) / n)
        yield name, "time of a round", rounds, *_shares([one["round_s"] for one in found], seconds)


def _size(one: Document) -> str:
    if one["up_to_bytes"] is None:
        return f"above {_bytes(one['above_bytes'])}"
    return f"up to {_bytes(one['up_to_bytes'])}"


def _bytes(n: int) -> str:
    return f"{n // 1_000_000} MB" if n >= 1_000_000 else f"{n // 1000} kB"


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def _shares(found: Sequence[Document | None], told: Callable[[float | None], str]) -> Iterator[str]:
    """Each share's mean over runs and members of a group, but the largest of all maxima."""
    known = [one for one in found if one is not None]
    for key in SHARES:
        values: list[Any] = [one[key] for one in known]
        yield told((max(values) if key == "max" else sum(values) / len(values)) if values else None)


def _table(title: str, head: Sequence[str], rows: Sequence[Row], out: Console) -> Told:
    made = table(title, [*head, *SHARES.values()], left=2, plain=not out.is_terminal)
    return made, fit(made, rows, out, ["p99.9", "mean", "how many"])
