"""Distributions as tables for people: delays in queues, round trips, times of connections that come and go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.table import Table

from dupack.amounts import count, ratio, seconds, within
from dupack.document import estimate
from dupack.tables import Document, fit, grouped, mean, of_all, table

SHARES = {"mean": "mean", "p50": "p50", "p95": "p95", "p99": "p99", "p99_9": "p99.9", "max": "max"}
"""The columns, by the keys of a distribution in the document."""

Row = tuple[str, ...]
Told = tuple[Table, list[str]]
Found = Sequence[Sequence[Document]]
"""Per run those of the members of a group that have any."""


def connections(runs: Sequence[Document], out: Console) -> Told | None:
    """Completion times and slowdowns of the flows that are many connections; nothing without any."""
    rows = [row for one in _members(runs, "connections") for row in _connections(*one)]
    return _table("Connections", ["flow", "of", "how many"], rows, len(runs), out) if rows else None


def percentiles(runs: Sequence[Document], out: Console) -> Told | None:
    """Delays in the queues of links and round trips of flows; nothing if the plan does not ask for them."""
    rows = []
    for part, key, what in (("links", "queue_delay_s", "delay in the queue"), ("flows", "rtt_s", "round trip")):
        for name, found in _members(runs, key, part):
            # Where nothing ever waits nothing is told.
            if any(one["max"] > 0 for run in found for one in run):
                rows.append((name, what, *_shares(found, seconds)))
    return _table("Percentiles", ["link or flow", "of"], rows, len(runs), out) if rows else None


def _members(runs: Sequence[Document], key: str, part: str = "flows") -> Iterator[tuple[str, Found]]:
    same = ("transport",) if part == "flows" else ("queue", "carries")
    for name, ones in grouped([run[part] for run in runs], same):
        each = len(ones) // len(runs)
        found = [[one[key] for one in ones[i : i + each] if key in one] for i in range(0, len(ones), each)]
        if any(found):
            yield name, found


def _connections(name: str, found: Found) -> Iterator[Row]:
    ended, of = _mean_count(found, "completed"), _mean_count(found, "begun")
    ended += f"{',' if '±' in ended + of else ''} of {of}"
    for key, what, told in (("completion_s", "completion time", seconds), ("slowdown", "slowdown", ratio)):
        yield name, what, ended, *_shares(_inside(found, key), told)
    many = max(len(one["by_size"]) for run in found for one in run)
    sizes = [[[one["by_size"][i] for one in run] for run in found] for i in range(many)]
    sizes = [size for size in sizes if any(one["completed"] for run in size for one in run)]
    for size in sizes if len(sizes) > 1 else ():
        bound = next(_size(one) for run in size for one in run)
        for key, what, told in (("completion_s", "completion time", seconds), ("slowdown", "slowdown", ratio)):
            yield name, f"{what}, {bound}", _mean_count(size, "completed"), *_shares(_inside(size, key), told)
    if any(one["rounds"] for run in found for one in run):
        yield name, "time of a round", _mean_count(found, "rounds"), *_shares(_inside(found, "round_s"), seconds)


def _inside(found: Found, key: str) -> Found:
    """What is under a key, where there is any."""
    return [[one[key] for one in run if one[key] is not None] for run in found]


def _mean_count(found: Found, key: str) -> str:
    return _over(found, key, count)


def _over(found: Found, key: str, told: Callable[[float | None], str]) -> str:
    """The mean over the runs that have any, each of the mean over the members of a group, with its interval.

    With a mark if some have none: then nothing says that the runs agree.
    """
    some = [mean([one[key] for one in run]) for run in found if run]
    if not some:
        return "-"
    known = estimate(some)
    return within(told, known["mean"], known["ci95"]) + ("*" if len(some) < len(found) else "")


def _size(one: Document) -> str:
    if one["up_to_bytes"] is None:
        return f"above {_bytes(one['above_bytes'])}"
    return f"up to {_bytes(one['up_to_bytes'])}"


def _bytes(n: int) -> str:
    return f"{n // 1_000_000} MB" if n >= 1_000_000 else f"{n // 1000} kB"


def _shares(found: Found, told: Callable[[float | None], str]) -> Iterator[str]:
    """Each share's mean over runs and members of a group, but the largest of all maxima."""
    largest = max((one["max"] for run in found for one in run), default=None)
    for key in SHARES:
        yield told(largest) if key == "max" else _over(found, key, told)


def _table(title: str, head: Sequence[str], rows: Sequence[Row], runs: int, out: Console) -> Told:
    columns = [*head, *SHARES.values()]
    columns[-1] += of_all(runs)
    made = table(title, columns, left=2, plain=not out.is_terminal)
    if any(cell.endswith("*") for row in rows for cell in row):
        made.caption, made.caption_justify = "* of the runs that have any", "left"
    return made, fit(made, rows, out, ["p99.9", "mean", "how many"])
