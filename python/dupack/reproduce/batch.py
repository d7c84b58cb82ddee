"""Runs what figures and claims need, and simulates each run only once."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from dupack.document import estimate
from dupack.engines import engine
from dupack.errors import RequestError, RunError
from dupack.readings.axes import Reading, Space
from dupack.readings.edits import Edits, edited
from dupack.reproduce.expected import Expected, by_turns
from dupack.reproduce.paper import Claim, Experiment, Figure, Measured, Paper, Results, Sample
from dupack.reproduce.runs import Key, Runs, key
from dupack.work import Job, Run, cores, read_plan, run_jobs


@dataclass
class _Part:
    """An experiment's share of the batch."""

    experiment: Experiment
    points: list[dict[str, Any]]
    """Settings of the points of the sweep that are run; those of the plan, whatever a reading edits."""
    jobs: list[list[Job]]
    """The jobs of each point, one per seed."""

    def all(self) -> Iterator[Job]:
        return (job for jobs in self.jobs for job in jobs)


Todo = dict[Key, tuple[Experiment, Job]]
"""The jobs to run; equal jobs of several experiments and of several readings are one."""


@dataclass
class Batch:
    """The runs of some experiments of a paper."""

    paper: Paper
    parts: list[_Part]
    options: dict[str, str] = field(default_factory=dict)
    """The options of the reading."""

    @classmethod
    def of(
        cls,
        paper: Paper,
        plans: Iterable[str],
        *,
        quick: bool,
        seeds: int | None = None,
        read: tuple[Space, Reading] | None = None,
    ) -> Batch:
        """The runs of these plans, by a reading of the paper or as the plans are.

        ``seeds`` replaces the number of seeds in the plans.
        """
        wanted = set(plans)
        parts = [_part(paper, e, quick, seeds, read) for e in paper.experiments if e.plan in wanted]
        return cls(paper, parts, read[0].options(read[1]) if read else {})

    def check(self, claims: Iterable[Claim], figures: Iterable[Figure]) -> None:
        """Raises an error if one of them needs a point that no plan has. It costs no run."""
        points = {part.experiment.plan: [Sample(settings, ()) for settings in part.points] for part in self.parts}
        for measure in (self.paper.measures[claim.id] for claim in claims):
            if points.keys() >= set(measure.plans):
                measure.select(points)
        for figure in figures:
            if points.keys() >= set(figure.plans):
                figure.select(points)

    def todo(self) -> Todo:
        """All jobs."""
        return {
            key(self.paper, part.experiment, job): (part.experiment, job) for part in self.parts for job in part.all()
        }

    def results(self, runs: Runs) -> Results:
        """The samples of each plan, without unfinished experiments."""
        finished = [plan for plan in self.plans if all(runs.has(one) for point in self.keys(plan) for one in point)]
        return {plan: self.samples(plan, runs) for plan in finished}

    @property
    def plans(self) -> list[str]:
        """The names of the plans."""
        return [part.experiment.plan for part in self.parts]

    def keys(self, plan: str) -> list[list[Key]]:
        """The runs of each point of a plan."""
        part = self._of(plan)
        return [[key(self.paper, part.experiment, job) for job in jobs] for jobs in part.jobs]

    def samples(self, plan: str, runs: Runs) -> list[Sample]:
        """The samples of a plan whose runs have all finished."""
        part = self._of(plan)
        measured = [[self._measured(runs, one, part.experiment) for one in point] for point in self.keys(plan)]
        return [Sample(s, r) for s, r in zip(part.points, measured, strict=True)]

    def _of(self, plan: str) -> _Part:
        return next(part for part in self.parts if part.experiment.plan == plan)

    def _measured(self, runs: Runs, one: Key, experiment: Experiment) -> Measured:
        found = runs.get(one, experiment)
        return Measured(found.document, found.tape, self.options)

    def seeds(self) -> str:
        """The number of seeds per point, in words."""
        drawn = [part for part in self.parts if not part.experiment.special]
        counts = sorted({len(jobs) for part in drawn for jobs in part.jobs})
        return " to ".join(str(n) for n in {counts[0]: 0, counts[-1]: 0}) if counts else "0"


Then = Callable[[float | None], object]
"""Called after each run with the work that is left, over the work so far, or None if nothing is known of it."""


def simulate(
    todo: Todo, runs: Runs, *, threads: int | None = None, on: str = "local", then: Then = lambda left: None
) -> None:
    """Runs the jobs that have no result yet, and calls ``then`` after each.

    Runs with a tape, and those of an analysis, are run on this machine, whatever engine the others have.
    """
    expected = Expected(todo, runs)

    def put(one: Key, experiment: Experiment, run: Measured, cpu_s: float) -> None:
        runs.put(one, experiment, run, cpu_s)
        expected.ended(one, cpu_s)
        then(expected.share_left)

    missing = [(one, *todo[one]) for one in by_turns(todo) if not runs.has(one)]
    for one, experiment, job in missing:
        if experiment.special:
            began = time.process_time()
            run = Measured(experiment.special(job.plan, threads or cores()))
            put(one, experiment, run, time.process_time() - began)
    # One run of each plan that has none comes first. By these the progress tells how long the others will take.
    taped = [given for given in missing if given[1].tape]
    first = len({experiment.plan for _, experiment, _ in taped})
    _run_taped(taped[:first], put, threads)
    _run_plain([given for given in missing if not given[1].tape and not given[1].special], put, threads, on)
    _run_taped(taped[first:], put, threads)


Given = tuple[Key, Experiment, Job]
Put = Callable[[Key, Experiment, Measured, float], None]


def _run_taped(taped: Sequence[Given], put: Put, threads: int | None) -> None:
    def told(index: int, run: Run) -> None:
        one, experiment, _ = taped[index]
        read = experiment.tape
        assert read is not None
        assert run.tape is not None
        found = Measured(_selected(experiment, run.document), read(run.tape))
        put(one, experiment, found, run.document["cpu_s"])

    if taped:
        run_jobs([job for _, _, job in taped], threads=threads, tape=True, done=told)


def _run_plain(plain: Sequence[Given], put: Put, threads: int | None, on: str) -> None:
    given = iter(enumerate(plain))
    failures: list[str] = []

    def give() -> tuple[int, Job] | None:
        found = next(given, None)
        return None if found is None else (found[0], found[1][2])

    def done(index: int, document: str) -> None:
        one, experiment, _ = plain[index]
        read = json.loads(document)
        # What is kept of the document need not have it.
        cpu_s = read["cpu_s"]
        put(one, experiment, Measured(_selected(experiment, read)), cpu_s)

    def failed(index: int, why: str) -> None:
        _, experiment, job = plain[index]
        failures.append(f"{experiment.plan}.toml, seed {job.seed}: {why}")

    if plain:
        engine(on, threads=threads).run(give, done, failed)
    if failures:
        more = f"; {len(failures) - 1:,} more runs failed" if len(failures) > 1 else ""
        raise RunError(failures[0] + more)


TRIES = 3
"""A live run that says that it is not to be trusted is repeated up to this number of times."""


def run_live(todo: Todo, runs: Runs, *, then: Then = lambda left: None) -> None:
    """Runs the jobs that have no result yet on kernel traffic, one after another, and calls ``then`` after each."""
    from dupack.live import run_live as once

    for one, (experiment, job) in todo.items():
        if runs.has(one):
            continue
        for _ in range(TRIES):
            document = once(job)
            if document["live"]["trusted"]:
                break
        # How busy the machine was belongs to the result.
        document["live"]["load"] = os.getloadavg()[0]
        runs.put(one, experiment, Measured(_selected(experiment, document)), document["cpu_s"])
        # All runs take the time that they simulate, so the progress needs no other estimate.
        then(None)


def _selected(experiment: Experiment, document: dict[str, Any]) -> dict[str, Any]:
    return experiment.keep(document) if experiment.keep else document


def _part(
    paper: Paper, experiment: Experiment, quick: bool, seeds: int | None, read: tuple[Space, Reading] | None
) -> _Part:
    name = experiment.plan
    edits = read[0].edits(read[1], name) if read else Edits()
    if quick:
        edits = edits.without([one.partition("=")[0].strip() for one in experiment.quick])
    plan = read_plan(paper.plan_file(name), experiment.quick if quick else ())
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
        raise RequestError(f"{paper.plan_file(name)}: paper.toml selects none of its points for --quick")
    at = [(edited(plan, i, edits), 0) if edits else (plan, i) for i in kept]
    return _Part(experiment, [points[i] for i in kept], [[Job(*one, seed) for seed in used] for one in at])


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
