"""Fills a store: an engine runs every point of a plan with every seed that is missing in the store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from dupack.engines import Engine
from dupack.progress import Progress
from dupack.stopping import Stopping
from dupack.store.store import State, Store
from dupack.work import Job

HERE = (State.PLACED, State.WRITTEN, State.EARLIER)


@dataclass
class Tally:
    """Progress of a sweep."""

    total: int
    """Number of runs of the sweep."""
    before: int
    """Runs that had finished before this start."""
    ran: int = 0
    failures: list[tuple[dict[str, Any], int, str]] = field(default_factory=list)
    """Settings, seed, reason."""

    @property
    def done(self) -> int:
        """Runs that have finished."""
        return self.before + self.ran

    def tell(self, progress: Progress) -> None:
        """Shows it."""
        progress.at(self.done + len(self.failures), self.total, len(self.failures))


def fill(store: Store, engine: Engine, tally: Tally, watch: Callable[[], object]) -> None:
    """Runs what a store is missing; counts in ``tally`` and calls ``watch`` after each run."""
    slots = store.slots
    known = {slot: value for slot, value in store.values.items() if store.state(slot) in HERE}
    stopping = Stopping(slots.plan, len(slots.seeds), known, store.void) if slots.stop else None
    failed: set[int] = set()

    def done(slot: int, document: str) -> None:
        store.add(slot, document)
        tally.ran += 1
        if stopping:
            stopping.told(slot, stopping.measure.value(json.loads(document)))
            tally.total = stopping.total()
        watch()

    def fail(slot: int, why: str) -> None:
        job = slots.job(slot)
        failed.add(slot)
        tally.failures.append((slots.points[job.point], job.seed, why))
        watch()

    def job(slot: int | None) -> tuple[int, Job] | None:
        return None if slot is None else (slot, slots.job(slot))

    def missing() -> Iterator[int]:
        return (slot for slot in store.missing() if slot not in failed)

    if stopping:
        engine.run(lambda: job(stopping.next()), done, fail)
        tally.total = stopping.total()
        return
    # Repeats if runs in the journal could not be read when their file was to be written.
    while next(missing(), None) is not None:
        todo = missing()
        engine.run(lambda todo=todo: job(next(todo, None)), done, fail)  # type: ignore[misc]
