"""CHOKe as Linux reckons it: in whole packets, and an average in parts of a packet that are cut off.

Linux keeps the average times 2^shift, and adds to it the queue less the average, which is rounded down to a whole
packet (`red_calc_qavg_no_idle_time`). So the average may stay almost one packet above a queue that does not change.
Linux' RED counts bytes, and a part of a byte makes no difference.
"""

from __future__ import annotations

import random

import dupack as dk
from dupack._native import Book, Unit
from verify.linux_fq_codel import Bucket


class LinuxChoke(dk.Discipline):
    """CHOKe with these thresholds [packets], behind a token bucket of ``bucket`` bit/s and ``burst`` bytes.

    ``shift`` is the weight of the average, and ``probability`` that of a drop as the average reaches ``high``.
    """

    def __init__(
        self, bucket: int, burst: int, *, low: int = 10, high: int = 30, shift: int = 4, probability: float = 0.1
    ) -> None:
        self.bucket, self.burst, self.room = bucket, burst, 4 * high
        self.low, self.high, self.shift, self.probability = low, high, shift, probability

    def start(self) -> None:
        """An empty buffer."""
        self._queue: list[Unit] = []
        self._tokens = Bucket(self.bucket, self.burst)
        self._average, self._count, self._gap = 0, -1, 0.0
        self._random = random.Random(1)

    def offer(self, now: int, unit: Unit, book: Book) -> None:
        """`choke_enqueue`."""
        self._average += len(self._queue) - (self._average >> self.shift)
        if self._average <= self.low << self.shift:
            self._count = -1
        elif self._matches(unit, book) or self._decides():
            book.drop(unit, "early")
            return
        if len(self._queue) == self.room:
            book.drop(unit, "overflow")
        else:
            self._queue.append(unit)

    def _matches(self, unit: Unit, book: Book) -> bool:
        """Whether a packet that is drawn is of the same flow; that one is dropped."""
        if not self._queue:
            return False
        at = self._random.randrange(len(self._queue))
        if self._queue[at].flow != unit.flow:
            return False
        book.drop(self._queue.pop(at), "early")
        return True

    def _decides(self) -> bool:
        """RED's decision to drop."""
        if self._average > self.high << self.shift:
            self._count = -1
            return True
        self._count += 1
        beyond = (self._average - (self.low << self.shift)) >> self.shift
        drops = self._count > 0 and beyond * self._count >= self._gap
        if drops or self._count == 0:
            self._count = 0
            self._gap = self._random.random() * (self.high - self.low) / self.probability
        return drops

    def pull(self, now: int, book: Book) -> Unit | None:
        """The first packet, if there are tokens for it: it waits for them in the queue."""
        self._tokens.fill(now)
        if not self._queue or not self._tokens.take(self._queue[0]):
            return None
        return self._queue.pop(0)

    def ready_at(self, now: int) -> int | None:
        """When there are tokens for it."""
        return self._tokens.ready_at(self._queue[0]) if self._queue else None
