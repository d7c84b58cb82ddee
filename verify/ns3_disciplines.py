"""COBALT and PIE with rules of ns-3, as disciplines in Python."""

from __future__ import annotations

import math
from collections import deque
from typing import Literal

import dupack as dk
from dupack._native import Book, Unit

ROOT = 1 << 32
"""1 in the fractions that Linux and ns-3 take for 1 / sqrt(count)."""


def _newton(inverse: int, count: int) -> int:
    """A step of Newton's method towards 1 / sqrt(count)."""
    return (3 * ROOT - count * (inverse * inverse // ROOT)) // 4 * inverse // (ROOT // 2)


def _first_inverses() -> list[int]:
    """1 / sqrt(count) for the small counts, for which Linux and ns-3 have a table."""
    found = [ROOT - 1]
    for count in range(1, 16):
        inverse = found[-1]
        for _ in range(4):
            inverse = _newton(inverse, count)
        found.append(inverse)
    return found


INVERSES = _first_inverses()


class Ns3Cobalt(dk.Discipline):
    """COBALT with the defaults of `cobalt`; each switch is a rule of ns-3 in place of ours.

    ``newton`` takes roots by a step of Newton's method; ``last_too`` drops the last packet, too; ``once`` makes only
    one change in an idle time; ``wraps`` keeps the time of Blue's last change in 32 bits of nanoseconds.
    """

    TARGET = 5_000_000_000
    INTERVAL = 100_000_000_000
    """In ps, as all times."""

    def __init__(
        self,
        room: int,
        *,
        ecn: bool = False,
        newton: bool = False,
        last_too: bool = False,
        once: bool = False,
        wraps: bool = False,
    ) -> None:
        self.room, self.ecn = room, ecn
        self.newton, self.last_too, self.once, self.wraps = newton, last_too, once, wraps

    def start(self) -> None:
        """An empty queue."""
        self._queue: deque[tuple[int, Unit]] = deque()
        self._count, self._inverse, self._next, self._dropping = 0, INVERSES[0], 0, False
        self._p, self._changed = 0.0, 0
        self._empty: int | None = None

    def _counts(self, count: int) -> None:
        self._count = count
        self._inverse = INVERSES[count] if count < len(INVERSES) else _newton(self._inverse, count)

    def _later(self, at: int) -> int:
        if self.newton:
            return at + self.INTERVAL // 1000 * self._inverse // ROOT * 1000
        return at + int(self.INTERVAL / math.sqrt(max(self._count, 1)))

    def _blue(self, now: int, change: float) -> None:
        """Changes the probability, if that is due."""
        if now - self._changed > self.TARGET:
            self._p = min(max(self._p + change, 0.0), 1.0)
            self._changed = now // 1000 % ROOT * 1000 if self.wraps else now

    def _forget(self, now: int) -> None:
        while self._count and now >= self._next:
            self._counts(self._count - 1)
            self._next = self._later(self._next)

    def _idle(self, now: int) -> None:
        """The changes of an idle time that ends."""
        if self._empty is None:
            return
        at, self._empty = self._empty, None
        if self.once:
            if self._p:
                self._blue(at, -1 / 4096)
            return
        at = max(at, self._changed + self.TARGET + 1)
        while self._p and at <= now:
            self._blue(at, -1 / 4096)
            at += self.TARGET + 1
        self._forget(now)

    def offer(self, now: int, unit: Unit, book: Book) -> None:
        """A full buffer raises the probability, and begins to signal."""
        if len(self._queue) == self.room:
            self._blue(now, 1 / 256)
            self._dropping, self._next = True, now
            self._count = self._count or 1
            book.drop(unit, "overflow")
            return
        self._idle(now)
        self._queue.append((now, unit))

    def pull(self, now: int, book: Book) -> Unit | None:
        """The first packet that is not dropped."""
        while self._queue:
            came, unit = self._queue.popleft()
            if not self._drops(now, now - came, unit, book):
                return unit
            book.drop(unit, "early")
        self._dropping = False
        if self._empty is None:
            self._empty = now
        return None

    def _drops(self, now: int, waited: int, unit: Unit, book: Book) -> bool:
        due = self._count > 0 and now >= self._next
        late = now > self._next
        if waited > self.TARGET:
            if not self._dropping:
                self._dropping, self._next = True, self._later(now)
            self._count = self._count or 1
        else:
            self._dropping = False
        signals = due and self._dropping
        if signals:
            self._counts(self._count + 1)
            self._next = self._later(self._next)
        elif due:
            self._forget(now)
        if due:
            late = now > self._next
        drops = self._p > 0 and self.random.random() < self._p
        if signals and not drops:
            drops = not (self.ecn and book.mark(unit))
        if not self._count:
            self._next = now + self.INTERVAL
        elif late and not drops:
            self._next = now
        return drops and (self.last_too or len(self._queue) > 0)


class Ns3Pie(dk.Discipline):
    """PIE with time stamps, without ECN, derandomization and cap, with the defaults of `pie`, and two rules of ns-3.

    The burst allowance begins with the first packet after 1.5 s without congestion, and the drop probability is 0 while
    it lasts. Nothing is dropped early while two packets wait, whatever their lengths.
    """

    TARGET = 0.015
    UPDATE = 15_000_000
    CALM = 100
    """Updates in 1.5 s."""

    def __init__(self, room: int, *, burst: int = 150_000_000, gain: float = 0.125) -> None:
        self.room, self.burst, self.gain = room, burst, gain

    def start(self) -> None:
        """An empty queue."""
        self._queue: deque[tuple[int, Unit]] = deque()
        self._p = self._delay = self._before = 0.0
        self._next = self._allowed = 0
        self._state: Literal["none", "protected", "over"] = "none"
        self._calm = 0

    def _update(self) -> None:
        step = self.gain * (self._delay - self.TARGET) + 10 * self.gain * (self._delay - self._before)
        limits = ((1e-6, 2048), (1e-5, 512), (1e-4, 128), (1e-3, 32), (1e-2, 8), (0.1, 2))
        step /= next((scale for limit, scale in limits if self._p < limit), 1)
        self._p = 0.0 if self._allowed else self._p + step
        if self._delay == self._before == 0:
            self._p *= 0.98
        self._p = min(max(self._p, 0.0), 1.0)
        self._allowed = max(self._allowed - self.UPDATE, 0)
        if not (self._low(self._delay) and self._low(self._before) and self._p == 0 and self._allowed == 0):
            self._calm = 0
        elif self._state == "protected":
            self._state, self._calm = "over", 0
        elif self._state == "over":
            self._calm += 1
            if self._calm > self.CALM:
                self._state, self._calm = "none", 0
        self._before = self._delay

    def _low(self, delay: float) -> bool:
        return delay < self.TARGET / 2

    def _catch_up(self, now: int) -> None:
        while self._next <= now:
            self._update()
            self._next += self.UPDATE

    def _early(self) -> bool:
        if self._allowed:
            return False
        if self._state == "none":
            self._state, self._allowed = "protected", self.burst
        if (self._low(self._before) and self._p < 0.2) or len(self._queue) <= 2:
            return False
        return self.random.random() < self._p

    def offer(self, now: int, unit: Unit, book: Book) -> None:
        """Decides at the arrival."""
        self._catch_up(now // 1000)
        if len(self._queue) == self.room:
            book.drop(unit, "overflow")
        elif self._early():
            book.drop(unit, "early")
        else:
            self._queue.append((now, unit))

    def pull(self, now: int, book: Book) -> Unit | None:
        """Takes the delay of the packet that departs; that of the last one is 0."""
        if not self._queue:
            return None
        self._catch_up(now // 1000)
        came, unit = self._queue.popleft()
        self._delay = (now - came) / 1e12 if self._queue else 0.0
        return unit
