"""Plans to results: every point of a plan with every seed, on all cores."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from dupack import _native
from dupack._native import Plan, parse_seeds
from dupack.document import assemble
from dupack.errors import PlanError, RequestError


@dataclass(frozen=True, slots=True)
class Job:
    """A point of a plan's sweep, and a seed."""

    plan: Plan
    point: int
    seed: int

    def same(self) -> tuple[str, int]:
        """Equal for jobs with equal results, in whatever plans they stand."""
        return self.plan.key(self.point), self.seed


@dataclass(frozen=True, slots=True)
class Run:
    """A finished job."""

    job: Job
    document: dict[str, Any]
    """What ``dupack run --json`` prints, without the title."""
    tape: str | None = None
    """CSV, if it was asked for."""


def read_plan(path: str | os.PathLike[str], sets: Sequence[str] = ()) -> Plan:
    """Reads a plan file with overrides ``PATH=VALUE``; a wrong one raises `PlanError`."""
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise PlanError(f"{os.fspath(path)}: the plan cannot be read: {why}; nothing was run") from error
    return Plan(text, os.fspath(path), list(sets))


def jobs_of(plan: Plan, seeds: Iterable[int] | None = None) -> list[Job]:
    """All jobs of a plan, in the order of its points and, at each, of the seeds."""
    seeds = plan.seeds if seeds is None else list(seeds)
    if not seeds:
        raise RequestError("no seeds; give at least one")
    return [Job(plan, point, seed) for point in range(len(plan.points)) for seed in seeds]


def run_jobs(
    jobs: Sequence[Job],
    *,
    threads: int | None = None,
    tape: bool = False,
    done: Callable[[int, Run], object] = lambda index, run: None,
    order: Callable[[], int | None] | None = None,
) -> None:
    """Runs jobs and tells ``done(index, run)`` in this thread as they finish, in whatever order.

    All in turn, or those whose index ``order`` gives: None says that it hangs on those under way which is next.

    A KeyboardInterrupt comes through at once; what had finished has been told by then.
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

    _native.run_all(give, threads or cores(), tape, told)


def run(plan: Plan, *, seeds: Iterable[int] | None = None, threads: int | None = None) -> dict[str, Any]:
    """Runs a plan whole and returns the document that ``dupack run --json`` prints."""
    seeds = None if seeds is None else list(seeds)
    jobs = jobs_of(plan, seeds)
    runs = run_points(plan, jobs, threads=threads, until=seeds is None)
    repeated = seeds is not None or len(plan.seeds) > 1
    documents = [run.document if run else None for run in runs]
    return assemble(plan, documents, repeated=repeated, void={at for at, run in enumerate(runs) if run is None})


class Steps(Protocol):
    """What watches how far it is."""

    def step(self) -> object:
        """A run has finished."""

    def grow(self, total: int) -> object:
        """It has turned out that there will be so many."""


def run_points(
    plan: Plan, jobs: Sequence[Job], *, threads: int | None = None, until: bool = True, progress: Steps | None = None
) -> list[Run | None]:
    """Runs a plan's jobs (`jobs_of`); with ``until`` by its rule to stop, if there is one (it leaves some out)."""
    from dupack.stopping import Stopping

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

    run_jobs(jobs, threads=threads, done=done, order=stopping.next if stopping else None)
    return runs


__all__ = ["Job", "Plan", "Run", "cores", "jobs_of", "parse_seeds", "read_plan", "run", "run_jobs", "run_points"]


def cores() -> int:
    """Cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
