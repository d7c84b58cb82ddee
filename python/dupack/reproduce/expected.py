"""How long the missing runs of a paper will take, from those that have finished."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dupack.reproduce.paper import Experiment
from dupack.reproduce.runs import Key, Runs
from dupack.work import Job

DURATION = re.compile(r"^duration = (\d+) ps$", re.MULTILINE)
"""The duration of an experiment, in its key."""


def by_turns(jobs: Mapping[Key, tuple[Experiment, Job]]) -> list[Key]:
    """The jobs in an order in which each plan comes early: the first job of each plan, then the second, and so on."""
    turns: dict[str, int] = {}
    at: dict[Key, int] = {}
    for key, (experiment, _) in jobs.items():
        at[key] = turns[experiment.plan] = turns.get(experiment.plan, -1) + 1
    return sorted(jobs, key=at.__getitem__)


class Expected:
    """The work of some runs: processor time of those that have finished, and an estimate for the others.

    A run costs what other runs of its plan have cost, per simulated time. Runs of a plan that has none are taken to
    cost what all others have cost.
    """

    def __init__(self, jobs: Mapping[Key, tuple[Experiment, Job]], runs: Runs) -> None:
        self._of = {key: (experiment.plan, _duration_s(key)) for key, (experiment, _) in jobs.items()}
        self._left: dict[str, float] = {}
        """Simulated time that is missing, by plan [s]."""
        self._cost: dict[str, float] = {}
        self._simulated: dict[str, float] = {}
        self._spent = 0.0
        for plan, duration_s in self._of.values():
            self._left[plan] = self._left.get(plan, 0.0) + duration_s
        for key in self._of:
            if runs.has(key):
                self._count(key, runs.cpu_s(key))

    def ended(self, key: Key, cpu_s: float) -> None:
        """Counts a run that has finished just now."""
        self._count(key, cpu_s)
        self._spent += cpu_s

    def _count(self, key: Key, cpu_s: float) -> None:
        plan, duration_s = self._of[key]
        self._left[plan] -= duration_s
        self._cost[plan] = self._cost.get(plan, 0.0) + cpu_s
        self._simulated[plan] = self._simulated.get(plan, 0.0) + duration_s

    @property
    def share_left(self) -> float | None:
        """Processor time of the missing runs over that of the runs that finished just now; None if none did."""
        if not self._spent:
            return None
        usual = sum(self._cost.values()) / sum(self._simulated.values())
        rates = {plan: self._cost[plan] / self._simulated[plan] for plan in self._cost}
        return sum(left * rates.get(plan, usual) for plan, left in self._left.items()) / self._spent


def _duration_s(key: Key) -> float:
    """Simulated time of a run [s]."""
    found = DURATION.search(key[0])
    assert found is not None
    return 1e-12 * int(found[1])
