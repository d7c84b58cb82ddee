"""Runs plans for checks: documents, and tapes in order of time."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from dupack import Plan
from dupack.work import Run, jobs_of, run_jobs


@dataclass(frozen=True, slots=True)
class Mark:
    """A line of a tape."""

    at: int
    """When [ps]."""
    flow: str
    event: str
    segment: int


def runs(plan: str, seeds: Iterable[int] | None = None, *, tape: bool = False) -> list[Run]:
    """All runs of a plan's text, point by point and, at each, seed by seed."""
    found: dict[int, Run] = {}
    jobs = jobs_of(Plan(plan.encode(), "verify", []), seeds)
    run_jobs(jobs, tape=tape, done=found.__setitem__)
    return [found[i] for i in range(len(jobs))]


def documents(plan: str, seeds: Iterable[int] | None = None) -> list[dict[str, Any]]:
    """What they report."""
    return [run.document for run in runs(plan, seeds)]


def marks(run: Run) -> list[Mark]:
    """A run's tape."""
    assert run.tape is not None
    lines = csv.DictReader(io.StringIO(run.tape))
    # Times on a tape have twelve decimals; a float of a few seconds keeps all of them.
    return [Mark(round(float(it["time_s"]) * 1e12), it["flow"], it["event"], int(it["segment"])) for it in lines]
