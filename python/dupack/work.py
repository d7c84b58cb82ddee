"""Runs of a plan: every point with every seed, on all cores."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

from dupack import _native
from dupack._native import Plan, parse_seeds
from dupack.errors import PlanError, RequestError
from dupack.files import expanded, why
from dupack.machine import cores

if TYPE_CHECKING:
    import os

LARGEST = 256 << 20
"""Largest plan file [bytes]."""


@dataclass(frozen=True, slots=True)
class Job:
    """A point of a plan's sweep, and a seed."""

    plan: Plan
    point: int
    seed: int

    def same(self) -> tuple[str, int]:
        """A key that is equal for jobs with equal results, also of different plans."""
        return self.plan.key(self.point), self.seed


@dataclass(frozen=True, slots=True)
class Run:
    """A finished job."""

    job: Job
    document: dict[str, Any]
    """Document of the run, as ``dupack run --json`` prints it, without the title."""
    tape: str | None = None
    """Tape as CSV, if it was asked for."""


def read_plan(path: str | os.PathLike[str], sets: Sequence[str] = ()) -> Plan:
    """Reads a plan file with overrides ``PATH=VALUE``; raises `PlanError` if it is wrong."""
    path = expanded(path)
    try:
        with path.open("rb") as file:
            text = whole(file)
    except OSError as error:
        raise PlanError(f"{path}: the plan cannot be read: {why(error)}; nothing was run") from error
    if len(text) > LARGEST:
        raise PlanError(f"{path}: larger than {LARGEST >> 20} MiB, so it is no plan; nothing was run")
    return Plan(text, path, list(sets))


TEXT = re.compile(r'"([^"\n]*)"|\'([^\'\n]*)\'')
"""A text of a plan."""


def inputs(plan: Plan, file: Path) -> Iterator[Path]:
    """The file of a plan, and the files that it may name: every text of it may be the name of one, relative to it."""
    yield file
    for text in (plan.text.decode(errors="replace"), *plan.sets):
        for found in TEXT.finditer(text):
            yield file.parent / (found[1] or found[2] or "")
    for text in plan.sets:
        yield file.parent / text.partition("=")[2].strip()


def whole(file: IO[bytes]) -> bytes:
    """What a file contains, piece by piece; of what is larger than a plan only as much as shows this: a device has no
    end."""
    text = bytearray()
    while len(text) <= LARGEST and (piece := file.read(1 << 20)):
        text += piece
    return bytes(text)


def jobs_of(plan: Plan, seeds: Iterable[int] | None = None) -> list[Job]:
    """All jobs of a plan, ordered by point, then by seed."""
    seeds = plan.seeds if seeds is None else list(seeds)
    if not seeds:
        raise RequestError("seeds: none given; give at least one")
    return [Job(plan, point, seed) for point in range(len(plan.points)) for seed in seeds]


def run_jobs(
    jobs: Sequence[Job],
    *,
    threads: int | None = None,
    tape: bool = False,
    connections: bool = False,
    brief: bool = False,
    each: int | None = None,
    done: Callable[[int, Run], object] = lambda index, run: None,
    order: Callable[[], int | None] | None = None,
) -> None:
    """Runs jobs, and calls ``done(index, run)`` in this thread as they finish, in any order.

    With fewer jobs than ``threads`` (by default one per core), a run has up to ``each`` threads, if that makes it
    faster.

    With ``connections``, documents have a record of each connection; with ``brief``, they have no flows and no links.

    Jobs run in turn, or by the indices that ``order`` returns; None means that the next depends on jobs in progress.

    KeyboardInterrupt is raised at once; ``done`` has been called for all finished jobs by then.
    """
    begun: list[int] = []
    indices = iter(range(len(jobs)))

    def give() -> tuple[Plan, int, int] | None:
        index = next(indices, None) if order is None else order()
        if index is None:
            return None
        begun.append(index)
        job = jobs[index]
        return job.plan, job.point, job.seed

    def told(number: int, document: str, tape: str | None) -> None:
        index = begun[number]
        done(index, Run(jobs[index], json.loads(document), tape))

    # Its file imports this one.
    from dupack import memory

    limit = memory.of_process()
    if each is None:
        each = limit.threads_for_each(jobs[0].plan, "run --json", len(jobs), threads) if jobs else 1
    with limit.hold():
        _native.run_all(give, threads or cores(), tape, told, connections=connections, brief=brief, each=each)


def run(plan: Plan, *, seeds: Iterable[int] | None = None, threads: int | None = None) -> dict[str, Any]:
    """Runs a whole plan, and returns the document that ``dupack run --json`` prints."""
    seeds = None if seeds is None else list(seeds)
    jobs = jobs_of(plan, seeds)
    runs = run_points(plan, jobs, threads=threads, until=seeds is None)
    from dupack.document import assemble

    repeated = seeds is not None or len(plan.seeds) > 1
    documents = [run.document if run else None for run in runs]
    return assemble(plan, documents, repeated=repeated, void={at for at, run in enumerate(runs) if run is None})


class Steps(Protocol):
    """Receives progress."""

    def step(self) -> object:
        """Called when a run has finished."""

    def grow(self, total: int) -> object:
        """Called when the total number of runs changes."""


def run_points(
    plan: Plan,
    jobs: Sequence[Job],
    *,
    threads: int | None = None,
    until: bool = True,
    connections: bool = False,
    progress: Steps | None = None,
) -> list[Run | None]:
    """Runs a plan's jobs (`jobs_of`); with ``until`` and a stopping rule, some are left out."""
    from dupack import memory
    from dupack.stopping import Stopping

    memory.of_process().check(plan, "run --json", len(jobs) // len(plan.points), threads)
    runs: list[Run | None] = [None] * len(jobs)
    stopping = Stopping(plan, len(jobs) // len(plan.points), {}, lambda slots: None) if until and plan.stop else None
    if stopping and progress:
        progress.grow(stopping.total())

    def done(index: int, run: Run) -> None:
        runs[index] = run
        if stopping:
            stopping.told(index, stopping.measure.value(run.document))
        if progress:
            if stopping:
                progress.grow(stopping.total())
            progress.step()

    order = stopping.next if stopping else None
    run_jobs(jobs, threads=threads, connections=connections, done=done, order=order)
    return runs


__all__ = ["Job", "Plan", "Run", "cores", "jobs_of", "parse_seeds", "read_plan", "run", "run_jobs", "run_points"]
