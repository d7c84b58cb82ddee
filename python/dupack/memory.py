"""Memory of runs: an estimate before they start, and a limit.

The estimate counts what a run keeps until it ends, what becomes of it in Python, and the connections that are open at
the end because their load exceeds the rate of a link. It leaves out what depends on the course of a run: packets that
wait in buffers, and other connections that are open at the same time. The limit holds for all.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from dupack import _native
from dupack.amounts import count, size_of
from dupack.errors import RequestError
from dupack.machine import cores
from dupack.work import Plan

SHARE = 0.5
"""Part of the machine's memory that runs may use, unless another limit is given."""
TAPE_S = 0.1
"""CPU time that is spent to estimate the length of a tape."""

FACTORS = {unit: 1000**at for at, unit in enumerate(("B", "kB", "MB", "GB", "TB"))}
FACTORS |= {unit: 1024**at for at, unit in enumerate(("KiB", "MiB", "GiB", "TiB"), 1)}


Each = tuple[float, float, float]
"""The memory of one thing [bytes]: for each run of a command, for each run that is under way, and once."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command needs [bytes]: for itself, and of each thing that a run keeps."""

    program: float
    value: Each
    link: Each
    """One of both directions."""
    flow: Each = (0, 0, 0)
    connection: Each = (0, 0, 0)


# From peaks of resident memory, with CPython on Linux, of runs of different lengths and numbers.
COSTS = {
    "run": Cost(30e6, (45, 12, 0), (6e3, 3e3, 0), (3e3, 10e3, 0)),
    "run by rows": Cost(30e6, (0, 12, 0), (0, 500, 300), (0, 1.5e3, 300)),
    "run --json": Cost(30e6, (140, 12, 0), (7e3, 3e3, 0), (5e3, 5e3, 0)),
    "run in Python": Cost(30e6, (45, 12, 0), (1.5e3, 3e3, 0), connection=(0, 350, 0)),
    "compare": Cost(30e6, (0, 60, 0), (0, 5e3, 0)),
    "sweep": Cost(150e6, (0, 90, 190), (0, 5e3, 1e3), connection=(0, 200, 450)),
}
HISTOGRAM: Each = (0, 17e3, 0)
"""Of percentiles, without any entry."""
OPEN: Each = (0, 3e3, 0)
"""Of a connection that is open."""
ROW = 230
"""Of a row of a tape [bytes]."""

CHANGES = {
    "time series": "a longer `sample` or a shorter `duration`",
    "links": "a smaller topology",
    "flows": "fewer flows",
    "connections": "a shorter `duration` or a lower load",
    "open connections": "a lower load or a shorter `duration`",
    "percentiles": "`percentiles = false` or a smaller topology",
    "the tape": "a shorter `duration`, or leave out --tape, --pcap and --qlog",
}
"""What to change, by the part that needs most."""

PYTHON = {"the tape": "a shorter `duration`, or leave out tape=True"}
"""The same in Python, where it differs."""

PROGRAM = "the program"


@dataclass(frozen=True, slots=True)
class Estimate:
    """The memory that all runs need at the same time [bytes], as far as it is known before they start."""

    total: float
    most: str
    """The part that needs most: a key of `CHANGES`, or `PROGRAM`."""
    told: str
    """That part in words, with its number."""


def estimate(plan: Plan, command: str, runs: int, threads: int | None, rows: float = 0, parts: int = 1) -> Estimate:
    """The memory of a command (a key of `COSTS`) with this number of runs of each point, and of rows of a tape.

    A run that is divided into ``parts`` has that many copies of the network.
    """
    cost, points = COSTS[command], len(plan.points)
    at_once = min(threads or cores(), runs * points) * parts
    needs: dict[str, float] = dict.fromkeys(CHANGES, 0.0)
    largest: dict[str, tuple[float, str]] = dict.fromkeys(CHANGES, (0.0, ""))
    each = {
        "time series": cost.value,
        "links": cost.link,
        "flows": cost.flow,
        "connections": cost.connection,
        "percentiles": HISTOGRAM,
        "open connections": OPEN,
    }
    for point in range(points):
        has = plan.kept(point)
        many = (has["values"], has["links"], has["flows"], has["connections"], has["histograms"], has["open"])
        for name, number in zip(each, many, strict=True):
            needs[name] += number * each[name][0] * runs
            if number > largest[name][0]:
                largest[name] = number, _told(name, has)
    for name, (_, under_way, once) in each.items():
        needs[name] += largest[name][0] * (at_once * under_way + once)
    needs["the tape"] = rows * ROW
    told = {name: words for name, (_, words) in largest.items()}
    told |= {"the tape": f"{count(round(rows))} rows of the tape", PROGRAM: "the program itself"}
    needs[PROGRAM] = cost.program
    most = max(needs, key=needs.__getitem__)
    return Estimate(sum(needs.values()), most, told[most])


def _told(name: str, has: dict[str, float]) -> str:
    """A part of a run in words."""
    if name == "time series":
        each = has["values"] / has["samples"] if has["samples"] else 0
        return f"{count(has['samples'])} samples of {count(each)} values in each run"
    return {
        "links": f"{count(has['links'] / 2)} links",
        "flows": f"{count(has['flows'])} flows",
        "connections": f"{count(round(has['connections']))} connections in each run",
        "open connections": f"{count(round(has['open']))} connections that are open at the end of each run",
        "percentiles": f"{count(has['histograms'])} histograms of delays in each run",
    }[name]


@dataclass(frozen=True, slots=True)
class Limit:
    """The memory that this process may use."""

    size: float
    """[bytes]"""
    says: str
    """The limit as it was given, or where it comes from."""
    by: str = "--memory"
    """What sets it."""

    def check(self, plan: Plan, command: str, runs: int, threads: int | None, rows: float = 0) -> None:
        """Raises `RequestError` if the runs of a command need more."""
        needs = estimate(plan, command, runs, threads, rows)
        if needs.total <= self.size:
            return
        dashes = "--" if self.by.startswith("--") else ""
        fewer = f"fewer {dashes}seeds" if command.startswith("run") and runs > 1 else ""
        if not command.startswith("run") and (threads or cores()) > 1:
            fewer = f"fewer {dashes}threads"
        less = (CHANGES if dashes else CHANGES | PYTHON).get(needs.most)
        changes = [it for it in (less, fewer) if it and needs.most != PROGRAM]
        change = f"write {', '.join(changes)}, or give" if changes else "give"
        raise RequestError(
            f"memory: the runs need about {size_of(needs.total)}, most of it for {needs.told}; the limit is "
            f"{size_of(self.size)}, {self.says}; {change} a larger {self.by}; nothing was run"
        )

    def threads_for_each(self, plan: Plan, command: str, jobs: int, threads: int | None) -> int:
        """Threads for each of these runs, at most one per core in all, and as many as the memory suffices for."""
        runs = max(jobs // len(plan.points), 1)
        each = min(threads or cores(), cores()) // max(jobs, 1)
        while each > 1 and estimate(plan, command, runs, threads, parts=each).total > self.size:
            each //= 2
        return max(each, 1)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Within this, runs end with an error if the process uses more; a limit that is held already stays."""
        global _held
        if _held:
            yield
            return
        _held = True
        _native.limit_memory(None if math.isinf(self.size) else int(self.size))
        try:
            yield
        finally:
            _native.limit_memory(None)
            _held = False


_held = False
"""Whether a limit is in force."""
_given: Limit | None = None
"""The limit of `limit_memory`."""


def limit_memory(size: str | None = None) -> None:
    """Limits the memory of this process while it simulates.

    Runs that need more, as far as that is known before they start, are refused with a `RequestError`; on Linux, runs
    that exceed the limit are ended with a `RunError`. Runs on a Ray cluster are not limited.

    Args:
        size: The limit, such as ``"8 GB"``, ``"8 GiB"`` or ``"50 %"`` of the machine's memory. By default half of it,
            as without a call.

    Raises:
        RequestError: It is no amount of memory.
    """
    global _given
    try:
        _given = None if size is None else read(size, "as dupack.limit_memory says", "dupack.limit_memory")
    except ValueError as error:
        raise RequestError(f"size: {error}") from None


def of_process() -> Limit:
    """The limit of Python programs: the one that is given, or the default."""
    if _given is not None:
        return _given
    return Limit(SHARE * machine(), "half of this machine's memory", "dupack.limit_memory")


def runs_of(plan: Plan, seeds: Sequence[int] | None) -> int:
    """The number of runs of each point; with a stopping rule the least number."""
    if seeds is None and plan.stop is not None:
        return min(plan.stop[2], len(plan.seeds))
    return len(plan.seeds if seeds is None else seeds)


def tape_rows(plan: Plan, seed: int) -> float:
    """The rows of the tape of a plan with one point, by a short trial run; 0 if it is not known."""
    # The methods of a discipline in Python are called in the run alone: there Ctrl-C ends an endless loop.
    return 0.0 if plan.externals else plan.tape_rows(0, seed, TAPE_S)


def machine() -> float:
    """The memory that this process can have at most [bytes]: that of the machine, or less in a container."""
    found = [float("inf")]
    with suppress(AttributeError, OSError, ValueError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):
            found.append(int((Path("/sys/fs/cgroup") / name).read_text()))
    with suppress(ImportError, OSError, ValueError):
        import resource

        soft = resource.getrlimit(resource.RLIMIT_AS)[0]
        if soft != resource.RLIM_INFINITY:
            found.append(soft)
    return min(found)


def default() -> Limit:
    """The limit if none is given."""
    return Limit(SHARE * machine(), "half of this machine's memory")


def read(text: str, says: str, by: str) -> Limit:
    """The limit of this text; a `ValueError` if it is none."""
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+|%)\s*", text)
    factors = {unit.lower(): factor for unit, factor in FACTORS.items()}
    unit = found[2].lower() if found else ""
    if found is None or unit not in {*factors, "%"}:
        raise ValueError(f'{text}: not an amount of memory; write "8 GB", "8 GiB", "50 %" or the like')
    number = float(found[1])
    if unit == "%":
        if number > 100:
            raise ValueError(f"{text}: more than this machine has; give at most 100 %")
        return Limit(number / 100 * machine(), f"{text} of this machine's memory", by)
    return Limit(number * factors[unit], says, by)
