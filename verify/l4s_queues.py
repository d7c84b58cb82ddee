"""DualPI2 of l4s-tests' kernel behind `htb`, in Python.

It is written from what the sources do; names in comments are the kernel's. `htb` releases a packet whole when its
tokens are not negative, so a packet takes no time on the line, and two can leave at once after a pause.
"""

from __future__ import annotations

import math
from collections import deque

import dupack as dk
from dupack._native import Book, Unit
from verify.linux_cases import PACKET

MS = 1_000_000_000
"""A millisecond [ps]."""
BYTE = 8 * 10**12
"""A byte in tokens, of which one comes per picosecond and bit/s."""
BURST = 1600
"""Of `htb` [B]: what `tc` makes of none with timers of high resolution."""


class Htb:
    """Tokens that come at ``rate`` bit/s; a packet may leave while they are not negative, and takes one per byte."""

    def __init__(self, rate: int) -> None:
        self._rate, self._tokens, self._filled = rate, BURST * BYTE, 0

    def ready(self, now: int) -> bool:
        """Whether a packet may leave."""
        self._tokens = min(self._tokens + (now - self._filled) * self._rate, BURST * BYTE)
        self._filled = now
        return self._tokens >= 0

    def take(self, unit: Unit) -> None:
        """It leaves."""
        self._tokens -= unit.bytes * BYTE

    def ready_at(self) -> int:
        """When one may."""
        return self._filled + max(1, math.ceil(-self._tokens / self._rate))


class LinuxDualpi2(dk.Discipline):
    """`sch_dualpi2.c` of L4STeam/linux with its defaults.

    Without `htb` it is `dualpi2` with `signals = "linux"` and `th_len = "2 packets"`.

    Args:
        rate: Of `htb` [bit/s].
    """

    room = 10000

    def __init__(self, rate: int) -> None:
        self.shaped = rate

    def start(self) -> None:
        """Empty queues."""
        self._l4s: deque[tuple[int, bool, Unit]] = deque()
        self._classic: deque[tuple[int, Unit]] = deque()
        self._tokens = Htb(self.shaped)
        self._bytes = 0
        self._credit = self._reset = (10 - 90) * PACKET
        self._p = self._delay = 0.0
        self._next = 500 * MS

    def _update(self, now: int) -> None:
        """`dualpi2_timer`, every 16 ms."""
        while self._next <= now:
            at = self._next
            first = [queue[0][0] for queue in (self._l4s, self._classic) if queue]
            # A packet that has come since the timer ended has waited for no time then.
            delay = max((max(0, at - came) for came in first), default=0) / (1000 * MS)
            p = self._p + 0.16 * (delay - 0.015) + 3.2 * (delay - self._delay)
            self._p, self._delay = min(max(p, 0.0), 1.0), delay
            self._next += 16 * MS

    def offer(self, now: int, unit: Unit, book: Book) -> None:
        """`dualpi2_qdisc_enqueue`."""
        self._update(now)
        if len(self._l4s) + len(self._classic) == self.room:
            book.drop(unit, "overflow")
            return
        self._bytes += unit.bytes
        if unit.ecn in ("ECT(1)", "CE"):
            self._l4s.append((now, len(self._l4s) > 1, unit))
        else:
            self._classic.append((now, unit))

    def _happens(self, p: float) -> bool:
        return self.random.random() < p

    def pull(self, now: int, book: Book) -> Unit | None:
        """`dualpi2_qdisc_dequeue`, when `htb` asks."""
        self._update(now)
        if not self._tokens.ready(now):
            return None
        while self._l4s or self._classic:
            both = self._l4s and self._classic
            if self._l4s and (not self._classic or self._credit <= 0):
                came, counts, unit = self._l4s.popleft()
                change = 10 * unit.bytes
                dropped = self._l4s_signal(unit, counts and now - came > MS, book)
            else:
                _, unit = self._classic.popleft()
                change = -90 * unit.bytes
                dropped = self._classic_signal(unit, book)
            if dropped:
                continue
            self._credit += change if both else 0
            self._tokens.take(unit)
            return unit
        self._credit = self._reset
        return None

    def _left(self, unit: Unit) -> bool:
        """Takes its bytes; whether enough wait for marks."""
        self._bytes -= unit.bytes
        return self._bytes >= 2 * PACKET

    def _l4s_signal(self, unit: Unit, late: bool, book: Book) -> bool:
        p = 2 * self._p
        if self._left(unit):
            if p > 1 and self._happens(self._p**2):
                book.drop(unit, "early")
                return True
            if p > 1 or self._happens(p):
                book.mark(unit)
        if late:
            book.mark(unit)
        return False

    def _classic_signal(self, unit: Unit, book: Book) -> bool:
        if not self._left(unit) or not self._happens(self._p**2):
            return False
        if 2 * self._p <= 1 and book.mark(unit):
            return False
        book.drop(unit, "early")
        return True

    def ready_at(self, now: int) -> int | None:
        """When there are tokens."""
        return self._tokens.ready_at() if self._l4s or self._classic else None
