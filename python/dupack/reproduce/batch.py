"""Runs what figures and claims need, and simulates each run only once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from dupack.document import estimate
from dupack.errors import RequestError
from dupack.reproduce.paper import Experiment, Measured, Paper, Results, Sample
from dupack.work import Job, Run, cores, read_plan, run_jobs


@dataclass
class _Part:
    """An experiment's share of the batch."""

    experiment: Experiment
    points: list[dict[str, Any]]
    """Settings of the points of the sweep that are run."""
    jobs: list[list[Job]]
    """The jobs of each point, one per seed."""

    def all(self) -> Iterator[Job]:
        return (job for jobs in self.jobs for job in jobs)


@dataclass
class Batch:
    """The runs of some experiments of a paper."""

    paper: Paper
    parts: list[_Part]
    finished: dict[tuple[str, int, str], Measured] = field(default_factory=dict)

    @classmethod
    def of(cls, paper: Paper, plans: Iterable[str], *, quick: bool, seeds: int | None) -> Batch:
        """The runs of these plans. ``seeds`` replaces the number of seeds in the plans."""
        wanted = set(plans)
        parts = [_part(paper, e, quick, seeds) for e in paper.experiments if e.plan in wanted]
        return cls(paper, parts)

    def _key(self, part: _Part, job: Job) -> tuple[str, int, str]:
        # Each experiment keeps its own part of a run.
        own = part.experiment.tape or part.experiment.special or part.experiment.keep
        return (*job.same(), part.experiment.plan if own else "")

    def todo(self) -> list[tuple[_Part, Job]]:
        """The jobs to run; equal jobs of several experiments are run once."""
        unique = {self._key(part, job): (part, job) for part in self.parts for job in part.all()}
        return list(unique.values())

    def run(self, *, threads: int | None, then: Callable[[], object]) -> None:
        """Runs all jobs, and calls ``then`` after each run."""
        todo = self.todo()
        for part, job in todo:
            if part.experiment.special:
                document = part.experiment.special(job.plan, threads or cores())
                self.finished[self._key(part, job)] = Measured(document)
                then()
        simulated = [(part, job) for part, job in todo if not part.experiment.special]
        for taped in (True, False):
            mine = [(part, job) for part, job in simulated if (part.experiment.tape is not None) == taped]

            def done(index: int, run: Run, mine: Sequence[tuple[_Part, Job]] = mine) -> None:
                part, job = mine[index]
                keep, read = part.experiment.keep, part.experiment.tape
                tape = read(run.tape) if read and run.tape is not None else None
                self.finished[self._key(part, job)] = Measured(keep(run.document) if keep else run.document, tape)
                then()

            if mine:
                run_jobs([job for _, job in mine], threads=threads, tape=taped, done=done)

    def results(self) -> Results:
        """The samples of each plan, without unfinished experiments."""
        results = {}
        for part in self.parts:
            keys = [[self._key(part, job) for job in jobs] for jobs in part.jobs]
            if all(key in self.finished for point in keys for key in point):
                runs = [[self.finished[key] for key in point] for point in keys]
                results[part.experiment.plan] = [Sample(s, r) for s, r in zip(part.points, runs, strict=True)]
        return results

    def seeds(self) -> str:
        """The number of seeds per point, in words."""
        drawn = [part for part in self.parts if not part.experiment.special]
        counts = sorted({len(jobs) for part in drawn for jobs in part.jobs})
        return " to ".join(str(n) for n in {counts[0]: 0, counts[-1]: 0}) if counts else "0"


def _part(paper: Paper, experiment: Experiment, quick: bool, seeds: int | None) -> _Part:
    plan = read_plan(paper.plan_file(experiment.plan), experiment.quick if quick else ())
    used = plan.seeds
    if experiment.special:
        used = used[:1]
    elif seeds is not None:
        used = list(range(used[0], used[0] + seeds))
    elif quick:
        used = used[: experiment.quick_seeds]
    points = plan.points
    kept = [i for i, settings in enumerate(points) if not quick or experiment.quick_keep(settings)]
    if not kept:
        raise RequestError(f"{paper.plan_file(experiment.plan)}: paper.toml selects none of its points for --quick")
    return _Part(experiment, [points[i] for i in kept], [[Job(plan, i, seed) for seed in used] for i in kept])


def data(samples: Sequence[Sample]) -> dict[str, Any]:
    """An experiment's results as a document: the data of the figures."""
    points = []
    for sample in samples:
        documents = [run.document for run in sample.runs]
        if "summary" not in documents[0]:
            return documents[0]
        summary = {key: estimate([d["summary"][key] for d in documents]) for key in documents[0]["summary"]}
        points.append({"settings": sample.settings, "summary": summary, "runs": documents})
    return {"points": points}
