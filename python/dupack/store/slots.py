"""The runs of a sweep in order: their digests, and their files."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from dupack import _native
from dupack.store.rows import Shape
from dupack.work import Job, Plan

RUNS_PER_FILE = 10_000
ROWS_PER_FILE = 250_000
"""The most rows of a file, in all tables together: it bounds the memory to write it."""
DIGITS = 32
"""Hexadecimal digits of a digest: 128 bits of SHA-256."""


class Slots:
    """A slot per point and seed: all seeds of a point, then the next point, as in `dupack.work.jobs_of`."""

    def __init__(self, plan: Plan, seeds: Sequence[int] | None = None, code: Mapping[str, str] | None = None) -> None:
        self.plan = plan
        self.code = dict(code or {})
        """Digests of the plan's Python disciplines, by name."""
        self.seeds = list(plan.seeds if seeds is None else seeds)
        self.stop = plan.stop if seeds is None else None
        """The plan's stopping rule; None if seeds are asked for, which are all run."""
        self.points = plan.points
        self.shape = Shape(plan.title, plan.axes, dict(enumerate(self.points)))
        self._experiments = [self._experiment(point) for point in range(len(self.points))]
        self._seed_at = {seed: at for at, seed in enumerate(self.seeds)}
        self._starts = self._cut()
        self.digest = self._digest()

    def __len__(self) -> int:
        return len(self.points) * len(self.seeds)

    def least(self) -> int:
        """The number of runs; with a stopping rule, the least number."""
        return len(self) if self.stop is None else len(self.points) * min(self.stop[2], len(self.seeds))

    def job(self, slot: int) -> Job:
        """The job of a slot."""
        point, at = divmod(slot, len(self.seeds))
        return Job(self.plan, point, self.seeds[at])

    def run(self, slot: int) -> str:
        """The digest of all that the run's results depend on: what is simulated, the program, and the seed."""
        point, at = divmod(slot, len(self.seeds))
        digest = self._experiments[point].copy()
        digest.update(str(self.seeds[at]).encode())
        return digest.hexdigest()[:DIGITS]

    def slot(self, point: int, seed: int) -> int | None:
        """The slot of a run."""
        at = self._seed_at.get(seed)
        return None if at is None or not 0 <= point < len(self.points) else point * len(self.seeds) + at

    def segment(self, slot: int) -> int:
        """The number of the file of a run."""
        return bisect_right(self._starts, slot) - 1

    def segments(self) -> int:
        """The number of files."""
        return len(self._starts)

    def of(self, segment: int) -> range:
        """The runs of a file."""
        ends = [*self._starts[1:], len(self)]
        return range(self._starts[segment], ends[segment])

    def _experiment(self, point: int) -> hashlib._Hash:
        key = self.plan.key(point)
        told = hashlib.sha256(f"{_native.__build__}\n{key}\n".encode())
        for name, code in sorted(self.code.items()):
            # The other disciplines of the sweep do not matter at this point.
            if json.dumps(name, ensure_ascii=False) in key or name in key:
                told.update(f"{name} {code}\n".encode())
        return told

    def _cut(self) -> list[int]:
        """The first slots of files. They depend only on the plan, so a file can be written when its runs are there."""
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
