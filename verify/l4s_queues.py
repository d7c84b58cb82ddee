"""Queues of l4s-tests' kernel that dupack does not have: its DualPI2 and RED, each behind `htb`.

They are written from what the sources do; names in comments are the kernel's. `htb` releases a packet whole when its
tokens are not negative, so a packet takes no time on the line, and two can leave at once after a pause.
"""

from __future__ import annotations

import math
from collections import deque

import dupack as dk
from dupack._native import Book, Unit
from verify.linux_cases import PACKET, ewma

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
    """`sch_dualpi2.c` of L4STeam/linux, which is older than RFC 9332, with its defaults.

    What `dualpi2` has otherwise: marks are as regular as their probability allows; an L4S packet is marked for its
    delay if another waits behind it when it departs, and not if two waited before it when it arrived; and there is no
    rule that nothing is marked while less than two packets wait.

    Args:
        rate: Of `htb` [bit/s].
        at_random: Marks are random.
        at_arrival: Whether the delay counts is decided at arrival.
        spares: Nothing is marked while less than two packets are left, but for the delay.
    """

    room = 10000

    def __init__(self, rate: int, at_random: bool = True, at_arrival: bool = True, spares: bool = True) -> None:
        self.shaped, self.at_random, self.at_arrival, self.spares = rate, at_random, at_arrival, spares

    def start(self) -> None:
        """Empty queues."""
        self._l4s: deque[tuple[int, bool, Unit]] = deque()
        self._classic: deque[tuple[int, Unit]] = deque()
        self._tokens = Htb(self.shaped)
        self._bytes = 0
        self._credit = self._reset = (10 - 90) * PACKET
        self._p = self._delay = 0.0
        self._sums = [0.0, 0.0]
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

    def _happens(self, queue: int, p: float) -> bool:
        if self.at_random:
            return self.random.random() < p
        self._sums[queue] += p
        happens = self._sums[queue] > 1
        self._sums[queue] -= happens
        return happens

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
                if not self.at_arrival:
                    counts = bool(self._l4s)
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
        return not self.spares or self._bytes >= 2 * PACKET

    def _l4s_signal(self, unit: Unit, late: bool, book: Book) -> bool:
        p = 2 * self._p
        left = self._left(unit)
        if left:
            if p > 1 and self._happens(0, self._p**2):
                book.drop(unit, "early")
                return True
            # With sums, one of both probabilities is counted, as in the RFC.
            if p > 1 or self._happens(0, max(p, float(late and not self.at_random))):
                book.mark(unit)
        if late and (self.at_random or not left):
            book.mark(unit)
        return False

    def _classic_signal(self, unit: Unit, book: Book) -> bool:
        if not self._left(unit) or not self._happens(1, self._p**2):
            return False
        if 2 * self._p <= 1 and book.mark(unit):
            return False
        book.drop(unit, "early")
        return True

    def ready_at(self, now: int) -> int | None:
        """When there are tokens."""
        return self._tokens.ready_at() if self._l4s or self._classic else None


class LinuxRed(dk.Discipline):
    """`sch_red.c` as `tc` completes `limit B avpkt 1000 adaptive ecn`: counted in bytes, with no `harddrop`.

    What `red` has otherwise: from the higher threshold on it drops packets, and Linux marks those that it can mark.

    Args:
        rate: Of `htb` [bit/s].
        limit: Room [B].
        hard: Packets are dropped from the higher threshold on, as with `harddrop`.
    """

    def __init__(self, rate: int, limit: int, hard: bool = False) -> None:
        self.shaped, self.limit, self.hard = rate, limit, hard
        self.most = limit // 4
        self.least = self.most // 3
        self.shift = ewma(self.least, (2 * self.least + self.most) // 3000, 1000)

    def start(self) -> None:
        """An empty buffer."""
        self._queue: deque[Unit] = deque()
        self._tokens = Htb(self.shaped)
        self._bytes = 0
        self._average = 0.0
        """Times 2^shift."""
        self._count, self._gap, self._probability = -1, 0.0, 0.02
        self._idle: int | None = None
        self._next = 500 * MS

    def _adapt(self, now: int) -> None:
        """`red_adaptative_algo`, every half second."""
        part = (self.most - self.least) // 5
        while self._next <= now:
            average = self._average / 2**self.shift
            if average > self.least + 3 * part and self._probability <= 0.5:
                self._probability += min(self._probability / 4, 0.01)
            elif average < self.least + 2 * part and self._probability >= 0.01:
                self._probability *= 0.9
            self._next += 500 * MS

    def offer(self, now: int, unit: Unit, book: Book) -> None:
        """`red_enqueue`."""
        self._adapt(now)
        if self._idle is None:
            self._average += self._bytes - int(self._average / 2**self.shift)
        else:
            packets = (now - self._idle) * self.shaped / (1000 * BYTE)
            self._average *= (1 - 2.0**-self.shift) ** packets
            self._idle = None
        if self._signals() and not (book.mark(unit) if self._markable else False):
            book.drop(unit, "early")
        elif self._bytes + unit.bytes > self.limit:
            book.drop(unit, "overflow")
        else:
            self._bytes += unit.bytes
            self._queue.append(unit)

    def _signals(self) -> bool:
        """`red_action`: whether it is to be marked, or dropped."""
        average = self._average / 2**self.shift
        self._markable = True
        if average < self.least:
            self._count = -1
            return False
        if average >= self.most:
            self._count = -1
            self._markable = not self.hard
            return True
        self._count += 1
        chosen = self._count > 0 and (average - self.least) * self._count >= self._gap
        if chosen or self._count == 0:
            self._count = 0
            self._gap = self.random.random() * (self.most - self.least) / self._probability
        return chosen

    def pull(self, now: int, book: Book) -> Unit | None:
        """`red_dequeue`, when `htb` asks."""
        if not self._tokens.ready(now):
            return None
        if not self._queue:
            self._idle = now if self._idle is None else self._idle
            return None
        unit = self._queue.popleft()
        self._bytes -= unit.bytes
        self._tokens.take(unit)
        return unit

    def ready_at(self, now: int) -> int | None:
        """When there are tokens."""
        return self._tokens.ready_at() if self._queue else None
