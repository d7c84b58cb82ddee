"""The local engine: threads that simulate without holding the GIL."""

from __future__ import annotations

from dupack import _native, memory
from dupack.engines import Done, Failed, Next
from dupack.work import Plan, cores


class Local:
    """Threads."""

    def __init__(self, threads: int | None) -> None:
        self.threads = threads or cores()

    def run(self, give: Next, done: Done, failed: Failed) -> None:
        """See `dupack.engines.Engine`."""
        slots: dict[int, int] = {}
        given = 0

        def next_job() -> tuple[Plan, int, int] | None:
            nonlocal given
            found = give()
            if found is None:
                return None
            slot, job = found
            slots[given] = slot
            given += 1
            return job.plan, job.point, job.seed

        with memory.of_process().hold():
            _native.run_all(
                next_job,
                self.threads,
                False,
                lambda number, document, _: done(slots.pop(number), document),
                lambda number, why: failed(slots.pop(number), why),
                connections=True,
            )
