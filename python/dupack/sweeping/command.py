"""``dupack sweep``."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any

import click

from dupack import amounts, memory, tables
from dupack.connections import Column, columns, in_plan, lone_in_plan
from dupack.document import estimate
from dupack.engines import engine
from dupack.errors import RequestError, WriteError
from dupack.files import printing, to_json
from dupack.interrupts import code, word
from dupack.measures import Measure
from dupack.points import tell
from dupack.progress import Progress
from dupack.stopping import missed, unheeded
from dupack.store.query import Reader
from dupack.store.schema import summary_columns
from dupack.store.slots import Slots
from dupack.store.store import Store
from dupack.sweeping.fill import Tally, fill
from dupack.terminal import echo
from dupack.words import setting
from dupack.work import read_plan

MOST_POINTS = 60
"""With more points than this no table is printed; use queries."""
MOST_FAILURES = 5


def sweep(
    plan: Path,
    *,
    sets: Sequence[str],
    seeds: list[int] | None,
    on: str,
    out: Path,
    limit: memory.Limit | None,
    threads: int | None,
    as_json: bool,
) -> None:
    """Runs what the store ``out`` is missing of a plan's sweep."""
    read = read_plan(plan, sets)
    by = engine(on, threads=threads)
    if on != "local" and limit is not None:
        raise RequestError("--memory: applies only to --on local; nothing was run")
    limit = limit or (memory.default() if on == "local" else memory.Limit(math.inf, ""))
    limit.check(read, "sweep", memory.runs_of(read, seeds), threads)
    slots = Slots(read, seeds)
    store = Store(out, slots)
    if note := unheeded(read, seeds):
        echo(note, err=True)
    for note in store.notes:
        echo(note, err=True)
    tally = Tally(max(slots.least(), store.there()), store.there())
    if 0 < tally.before < tally.total:
        echo(f"{out}: {tally.before:,} of {_runs(tally.total)} had already finished", err=True)
    started = time.monotonic()
    try:
        with limit.hold(), Progress("sweeping", tally.total, tally.before) as progress:
            store.settle()
            fill(store, by, tally, partial(tally.tell, progress))
            store.close()
    except (KeyboardInterrupt, WriteError) as stop:
        told = _stopped(store, tally, out)
        if isinstance(stop, WriteError):
            raise WriteError(f"{stop}; {told}") from stop
        echo(f"{word(stop)}: {told}", err=True)
        sys.exit(code(stop))
    except BaseException:
        _stopped(store, tally, out)
        raise
    took = time.monotonic() - started
    _tell(out, slots, tally, took, as_json=as_json)
    if slots.stop:
        found = Reader(out).values(Measure.find(read, slots.stop[1], "stop.of"))
        for line in missed(read, ((slots.points[point], list(values)) for point, values in sorted(found.items()))):
            echo(line, err=True)
    _failures(tally)


def _stopped(store: Store, tally: Tally, out: Path) -> str:
    """Writes the finished runs as Parquet, if possible, and returns a message on what was kept."""
    # If this fails or is interrupted again, the runs are still in the journal.
    with suppress(OSError, WriteError, KeyboardInterrupt):
        store.close()
    return f"{store.there():,} of {tally.total:,} runs are stored in {out}; the same command resumes the sweep"


def _failures(tally: Tally) -> None:
    if not tally.failures:
        return
    for settings, seed, why in tally.failures[:MOST_FAILURES]:
        at = ", ".join(f"{path} = {setting(value)}" for path, value in settings.items())
        echo(f"failed: {at}{', ' if at else ''}seed {seed}: {why}", err=True)
    more = len(tally.failures) - MOST_FAILURES
    if more > 0:
        echo(f"failed: {more:,} more", err=True)
    echo(f"{_runs(len(tally.failures))} failed; the same command retries them", err=True)
    sys.exit(1)


def _runs(n: int) -> str:
    return f"{n:,} run" if n == 1 else f"{n:,} runs"


def _tell(out: Path, slots: Slots, tally: Tally, took: float, *, as_json: bool) -> None:
    told = {"store": str(out), "finished": tally.done, "ran": tally.ran, "failed": len(tally.failures)}
    with printing(f"; the results are stored in {out}"):
        if as_json:
            click.echo(to_json({"title": slots.plan.title, **told, "points": summaries(out, slots)}))
            return
        shown = tables.console()
        if len(slots.points) <= MOST_POINTS and tally.done:
            points = summaries(out, slots)
            found = completion_columns(out, slots, brief=True)
            shown.print(slots.plan.title, style="bold")
            shown.print()
            of = slots.stop[1] if slots.stop else ""
            tell(points, shown, of=of, completion=found, lone=lone_in_plan(slots.plan))
            shown.print()
        ran = f"{_runs(tally.ran)} in {amounts.seconds(took)}" if tally.ran else "no run was missing"
        echo(f"{ran}; {tally.done:,} of {tally.total:,} are stored in {out}")
        echo(f'To query the results: dupack query "from runs" {quote(str(out))}')


def summaries(out: Path, slots: Slots) -> list[dict[str, Any]]:
    """Per point: its ``settings``, the number ``n`` of its runs, and mean and 95 % interval of each number in
    ``summary``; also in ``measures`` those of the stopping rule's measure, completion times and open connections."""
    keys = [column.name for column in summary_columns()]
    reader = Reader(out)
    found: dict[int, list[tuple[Any, ...]]] = {}
    for point, *values in reader.rows(["point", *keys]):
        found.setdefault(point, []).append(tuple(values))
    of = Measure.find(slots.plan, slots.stop[1], "stop.of") if slots.stop else None
    waited: dict[str, Mapping[int, Sequence[float | None]]] = {of.name: reader.values(of)} if of else {}
    for column in completion_columns(out, slots):
        waited[column.measure.name] = dict(zip(sorted(found), column.values, strict=True))
    return [
        {
            "settings": slots.points[point],
            "n": len(rows),
            "summary": {key: estimate(values) for key, values in zip(keys, zip(*rows, strict=True), strict=True)},
            **({"measures": {name: estimate(values[point]) for name, values in waited.items()}} if waited else {}),
        }
        for point, rows in sorted(found.items())
    ]


def completion_columns(out: Path, slots: Slots, *, brief: bool = False) -> list[Column]:
    """The columns of flows that are many connections, for each point that has been run."""
    reader = Reader(out)
    return columns(
        in_plan(slots.plan), lambda measure: [mine for _, mine in sorted(reader.values(measure).items())], brief=brief
    )
