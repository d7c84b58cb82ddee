"""CoDel as Linux computes it: without floating point, so that most intervals between drops are shorter or longer.

Linux keeps 1 / sqrt(count) in 16 bits and corrects it by one Newton step per drop (`codel_Newton_step`). A new dropping
state that goes on from an earlier count makes one step, too, from the last value. Times are in units of 1,024 ns.
"""

from __future__ import annotations

import math
from collections import deque

import dupack as dk
from dupack._native import Book, Unit
from verify.linux_fq_codel import INTERVAL, TARGET, Bucket

TICK = 1_024_000
"""Unit of time [ps]: `CODEL_SHIFT`."""
ONE = 0xFFFF
"""1 / sqrt(1) in 16 bits."""
MTU = 1514
ROOM = 1000


class LinuxCodel(dk.Discipline):
    """CoDel behind a token bucket of ``bucket`` bit/s and ``burst`` bytes.

    ``exact`` replaces the steps by the root itself, and the units of time by picoseconds.
    """

    room = ROOM + 1

    def __init__(self, bucket: int, burst: int, *, exact: bool = False, ecn: bool = False) -> None:
        self.bucket, self.burst, self.exact, self.ecn = bucket, burst, exact, ecn
        self.tick = 1 if exact else TICK
        self.target, self.interval = TARGET // self.tick, INTERVAL // self.tick

    def start(self) -> None:
        """An empty buffer."""
        self._waiting: deque[tuple[int, Unit]] = deque()
        self._bytes = 0
        self._tokens = Bucket(self.bucket, self.burst)
        self._next: Unit | None = None
        self._first_above = self._drop_next = self._count = self._last_count = 0
        self._dropping = False
        self._root = ONE

    def offer(self, now: int, unit: Unit, book: Book) -> None:
        """`codel_qdisc_enqueue`."""
        if len(self._waiting) == ROOM:
            book.drop(unit, "overflow")
            return
        self._waiting.append((now // self.tick, unit))
        self._bytes += unit.bytes

    def pull(self, now: int, book: Book) -> Unit | None:
        """The packet that was chosen last, if there are tokens for it: `tbf` chooses one before it may send it."""
        self._tokens.fill(now)
        if self._next is None:
            self._next = self._choose(now // self.tick, book)
        unit = self._next
        if unit is None or not self._tokens.take(unit):
            return None
        self._next = None
        return unit

    def ready_at(self, now: int) -> int | None:
        """When there are tokens for it."""
        return self._tokens.ready_at(self._next) if self._next else None

    def _take(self, now: int) -> tuple[Unit | None, bool]:
        """The next packet, and whether it may be dropped: `codel_should_drop`."""
        if not self._waiting:
            self._first_above = 0
            return None, False
        came, unit = self._waiting.popleft()
        self._bytes -= unit.bytes
        if now - came < self.target or self._bytes <= MTU:
            self._first_above = 0
            return unit, False
        if not self._first_above:
            self._first_above = now + self.interval
            return unit, False
        return unit, now > self._first_above

    def _choose(self, now: int, book: Book) -> Unit | None:
        """`codel_dequeue`."""
        unit, able = self._take(now)
        if unit is None or not able:
            self._dropping = False
            return unit
        if not self._dropping:
            if self._signal(unit, book):
                unit, able = self._take(now)
            self._dropping = True
            delta = self._count - self._last_count
            if delta > 1 and now - self._drop_next < 16 * self.interval:
                self._count = delta
                self._step()
            else:
                self._count, self._root = 1, ONE
            self._last_count = self._count
            self._drop_next = self._law(now)
            return unit
        while unit is not None and self._dropping and now >= self._drop_next:
            self._count += 1
            self._step()
            if not self._signal(unit, book):
                self._drop_next = self._law(self._drop_next)
                return unit
            unit, able = self._take(now)
            if able:
                self._drop_next = self._law(self._drop_next)
            else:
                self._dropping = False
        return unit

    def _signal(self, unit: Unit, book: Book) -> bool:
        """Marks or drops; whether it is dropped."""
        if self.ecn and book.mark(unit):
            return False
        book.drop(unit, "early")
        return True

    def _step(self) -> None:
        """`codel_Newton_step`: x (3 - count x^2) / 2, where x is a number of 16 bits below 1."""
        root = self._root << 16
        value = ((3 << 32) - self._count * ((root * root) >> 32)) >> 2
        self._root = ((value * root) >> 31) >> 16

    def _law(self, at: int) -> int:
        """`codel_control_law`."""
        if self.exact:
            return at + int(self.interval / math.sqrt(self._count))
        return at + ((self.interval * (self._root << 16)) >> 32)
