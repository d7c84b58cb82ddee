"""The runs of a sweep in their order, each with a name of its own, and which of them share a file."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Sequence

from dupack import _native
from dupack.store.rows import Shape
from dupack.work import Job, Plan

RUNS_PER_FILE = 10_000
ROWS_PER_FILE = 250_000
"""In all tables together: what a file's rows take in memory while they are put together."""
DIGITS = 32
"""Hexadecimal digits of a digest: 128 bits of SHA-256."""


class Slots:
    """A place per point and seed: the last seed first, then the next point, as in `dupack.work.jobs_of`."""

    def __init__(self, plan: Plan, seeds: Sequence[int] | None = None) -> None:
        self.plan = plan
        self.seeds = list(plan.seeds if seeds is None else seeds)
        self.stop = plan.stop if seeds is None else None
        """The plan's rule; seeds that are asked for are all run."""
        self.points = plan.points
        self.shape = Shape(plan.title, plan.axes, dict(enumerate(self.points)))
        self._experiments = [self._experiment(point) for point in range(len(self.points))]
        self._seed_at = {seed: at for at, seed in enumerate(self.seeds)}
        self._starts = self._cut()
        self.digest = self._digest()

    def __len__(self) -> int:
        return len(self.points) * len(self.seeds)

    def least(self) -> int:
        """How many runs there will be; with a rule, at least."""
        return len(self) if self.stop is None else len(self.points) * min(self.stop[2], len(self.seeds))

    def job(self, slot: int) -> Job:
        """What is to be run."""
        point, at = divmod(slot, len(self.seeds))
        return Job(self.plan, point, self.seeds[at])

    def run(self, slot: int) -> str:
        """The digest of all that the run's results depend on: what is simulated, the program, and the seed."""
        point, at = divmod(slot, len(self.seeds))
        digest = self._experiments[point].copy()
        digest.update(str(self.seeds[at]).encode())
        return digest.hexdigest()[:DIGITS]

    def slot(self, point: int, seed: int) -> int | None:
        """Where a run belongs."""
        at = self._seed_at.get(seed)
        return None if at is None or not 0 <= point < len(self.points) else point * len(self.seeds) + at

    def segment(self, slot: int) -> int:
        """In which file a run will be."""
        return bisect_right(self._starts, slot) - 1

    def segments(self) -> int:
        """How many files there will be."""
        return len(self._starts)

    def of(self, segment: int) -> range:
        """The runs of a file."""
        ends = [*self._starts[1:], len(self)]
        return range(self._starts[segment], ends[segment])

    def _experiment(self, point: int) -> hashlib._Hash:
        return hashlib.sha256(f"{_native.__build__}\n{self.plan.key(point)}\n".encode())

    def _cut(self) -> list[int]:
        """Where files begin. The plan alone decides, so that every file can be written when its own runs are there."""
        starts, rows, slot = [0], 0, 0
        for point in range(len(self.points)):
            per_run = self.plan.rows(point) + 1
            for _ in self.seeds:
                full = slot - starts[-1] >= RUNS_PER_FILE or rows + per_run > ROWS_PER_FILE
                if full and slot > starts[-1]:
                    starts.append(slot)
                    rows = 0
                rows += per_run
                slot += 1
        return starts

    def _digest(self) -> str:
        told = hashlib.sha256(f"{self.shape.told()}\n{self.plan.title}\n{self.stop}\n".encode())
        for experiment, point in zip(self._experiments, self.points, strict=True):
            told.update(experiment.digest() + repr(point).encode())
        told.update(repr(self.seeds).encode())
        return told.hexdigest()[:DIGITS]
