"""Printed distributions: queueing delays, RTTs, completion times of connections; and what applications notice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.table import Table

from dupack.amounts import count, rate, ratio, seconds, share, within
from dupack.document import estimate
from dupack.tables import Document, fit, grouped, mean, of_all, table

SHARES = {"mean": "mean", "p50": "p50", "p95": "p95", "p99": "p99", "p99_9": "p99.9", "max": "max"}
"""Column heads, by the keys of a distribution in the document."""

Row = tuple[str, ...]
Told = tuple[Table, list[str]]
Found = Sequence[Sequence[Document]]
"""Per run, the distributions of the members of a group that have one."""


def connections(runs: Sequence[Document], out: Console) -> Told | None:
    """Completion times and slowdowns of flows that are many connections; None if there are none."""
    rows = [row for one in _members(runs, "connections") for row in _connections(*one)]
    return _table("Connections", ["flow", "measure", "number"], rows, len(runs), out) if rows else None


def percentiles(runs: Sequence[Document], out: Console) -> Told | None:
    """Queueing delays of links and RTTs of flows; None if the plan does not ask for them."""
    rows = []
    for part, key, what in (("links", "queue_delay_s", "queueing delay"), ("flows", "rtt_s", "RTT")):
        for name, found in _members(runs, key, part):
            # A queue in which nothing ever waits is left out.
            if any(one["max"] > 0 for run in found for one in run):
                rows.append((name, what, *_shares(found, seconds)))
    return _table("Percentiles", ["link or flow", "measure"], rows, len(runs), out) if rows else None


def applications(runs: Sequence[Document], out: Console) -> Iterator[Told]:
    """What the users of flows with frames, responses or a video notice; nothing without such flows."""
    frames = []
    for name, found in _members(runs, "frames"):
        counts = (_mean_count(found, key) for key in ("generated", "late"))
        missed = _over(_having(found, "missed_fraction"), "missed_fraction", share)
        frames.append((name, *counts, missed, *_shares(_inside(found, "delay_s"), seconds)))
    if frames:
        yield _table("Frames and their delays", ["flow", "generated", "late", "missed"], frames, len(runs), out)
    responses = [
        (name, _mean_count(found, "complete"), *_shares(_inside(found, "time_s"), seconds))
        for name, found in _members(runs, "responses")
    ]
    if responses:
        yield _table("Responses and their times", ["flow", "complete"], responses, len(runs), out)
    videos = [
        (name, *(_over(_having(found, key), key, told) for key, _, told in VIDEO))
        for name, found in _members(runs, "video")
    ]
    if videos:
        made = table("Videos", ["flow", *(head for _, head, _ in VIDEO)], plain=not out.is_terminal)
        yield made, fit(made, videos, out, ["switches", "startup", "chunks"])


VIDEO: tuple[tuple[str, str, Callable[[float | None], str]], ...] = (
    ("chunks", "chunks", count),
    ("mean_rate_bps", "mean rate", rate),
    ("switches", "switches", count),
    ("stalls", "stalls", count),
    ("stalled_s", "stalled", seconds),
    ("startup_s", "startup", seconds),
)
"""Keys of a video, column heads, and how the values are written."""


def _having(found: Found, key: str) -> Found:
    """Those in which the key has a value."""
    return [[one for one in run if one[key] is not None] for run in found]


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
        yield name, "round time", _mean_count(found, "rounds"), *_shares(_inside(found, "round_s"), seconds)


def _inside(found: Found, key: str) -> Found:
    """The values of a key, where there are any."""
    return [[one[key] for one in run if one[key] is not None] for run in found]


def _mean_count(found: Found, key: str) -> str:
    return _over(found, key, count)


def _over(found: Found, key: str, told: Callable[[float | None], str]) -> str:
    """The mean over the runs that have a value, in each run over the members of a group, with its interval.

    It has an asterisk if some runs have no value.
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
    """The mean of each percentile over runs and members of a group; the maximum over all for the maximum."""
    largest = max((one["max"] for run in found for one in run), default=None)
    for key in SHARES:
        yield told(largest) if key == "max" else _over(found, key, told)


def _table(title: str, head: Sequence[str], rows: Sequence[Row], runs: int, out: Console) -> Told:
    columns = [*head, *SHARES.values()]
    columns[-1] += of_all(runs)
    made = table(title, columns, left=2, plain=not out.is_terminal)
    if any(cell.endswith("*") for row in rows for cell in row):
        made.caption, made.caption_justify = "* mean over the runs that have a value", "left"
    return made, fit(made, rows, out, ["p99.9", "mean", "number"])
