"""FQ-CoDel with what Linux does differently: which backlog counts, and the root of the control law.

RFC 8289 and 8290 have CoDel drop nothing while at most a packet waits in the queue that it looks at. Linux hands each
CoDel the backlog of the whole qdisc (`fq_codel_dequeue` passes `sch->qstats.backlog`), so with many flows it drops the
only packet of a queue, too.

Linux keeps 1 / sqrt(count) in 16 bits and corrects it by one Newton step per drop (`codel_Newton_step`). A new dropping
state that goes on from an earlier count makes one step, too, from the last value.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

import dupack as dk
from dupack._native import Book, Unit

TARGET = 5_000_000_000
INTERVAL = 100_000_000_000
"""Times of CoDel [ps]."""
BYTE = 8 * 10**12
"""A byte in tokens, of which one comes per picosecond and bit/s."""
QUANTUM = 1514
ROOM = 10240
ONE = 0xFFFF
"""1 / sqrt(1) in 16 bits."""


class Bucket:
    """Tokens that come at ``rate`` bit/s, up to ``burst`` bytes."""

    def __init__(self, rate: int, burst: int) -> None:
        self._rate, self._burst = rate, burst * BYTE
        self._tokens, self._filled = self._burst, 0

    def fill(self, now: int) -> None:
        """Time has passed."""
        self._tokens = min(self._tokens + (now - self._filled) * self._rate, self._burst)
        self._filled = now

    def take(self, unit: Unit) -> bool:
        """Takes the tokens for it, if there are as many."""
        able = self._tokens >= unit.bytes * BYTE
        if able:
            self._tokens -= unit.bytes * BYTE
        return able

    def ready_at(self, unit: Unit) -> int:
        """When there are as many."""
        return self._filled - (self._tokens - unit.bytes * BYTE) // self._rate


@dataclass
class Flow:
    """A queue with its CoDel."""

    waiting: deque[tuple[int, Unit]] = field(default_factory=deque)
    """With the times of arrival [ps]."""
    bytes: int = 0
    credit: int = QUANTUM
    listed: bool = False
    first_above: int = 0
    dropping: bool = False
    next: int = 0
    count: int = 0
    last_count: int = 0
    root: int = ONE
    """1 / sqrt(count) in 16 bits, as Linux approximates it."""


class LinuxFqCodel(dk.Discipline):
    """RFC 8290 with a queue for each flow, behind a token bucket of ``bucket`` bit/s and ``burst`` bytes.

    ``whole`` says whether the backlog of all queues counts, as in Linux, and ``steps`` whether the root is Linux'.
    """

    room = ROOM + 1

    def __init__(self, bucket: int, burst: int, whole: bool = True, ecn: bool = True, *, steps: bool = False) -> None:
        self.bucket, self.burst, self.whole, self.ecn, self.steps = bucket, burst, whole, ecn, steps
        self.target, self.interval = TARGET, INTERVAL

    def __or__(self, other: LinuxFqCodel) -> LinuxFqCodel:
        """Combines the Linux behaviours of both."""
        whole, steps = self.whole or other.whole, self.steps or other.steps
        return LinuxFqCodel(self.bucket, self.burst, whole, self.ecn, steps=steps)

    def start(self) -> None:
        """An empty buffer."""
        self._flows: dict[int, Flow] = {}
        self._new: deque[Flow] = deque()
        self._old: deque[Flow] = deque()
        self._bytes = self._longest = self._packets = 0
        self._tokens = Bucket(self.bucket, self.burst)
        self._next: Unit | None = None

    def offer(self, now: int, unit: Unit, book: Book) -> None:
        """RFC 8290, §4.1."""
        if self._packets == ROOM:
            book.drop(unit, "overflow")
            return
        flow = self._flows.setdefault(unit.flow, Flow())
        flow.waiting.append((now, unit))
        flow.bytes += unit.bytes
        self._bytes += unit.bytes
        self._packets += 1
        self._longest = max(self._longest, unit.bytes)
        if not flow.listed:
            flow.listed, flow.credit = True, QUANTUM
            self._new.append(flow)

    def pull(self, now: int, book: Book) -> Unit | None:
        """The packet that was chosen last, if there are tokens for it: `tbf` chooses one before it may send it."""
        self._tokens.fill(now)
        if self._next is None:
            self._next = self._choose(now, book)
        unit = self._next
        if unit is None or not self._tokens.take(unit):
            return None
        self._next = None
        return unit

    def ready_at(self, now: int) -> int | None:
        """When there are tokens for it."""
        return self._tokens.ready_at(self._next) if self._next else None

    def _choose(self, now: int, book: Book) -> Unit | None:
        """RFC 8290, §4.2: new queues first, each until its credits are used."""
        while turns := self._new or self._old:
            flow = turns[0]
            if flow.credit <= 0:
                flow.credit += QUANTUM
                self._old.append(turns.popleft())
                continue
            unit = self._codel(flow, now, book)
            if unit is None:
                turns.popleft()
                if turns is self._new and self._old:
                    self._old.append(flow)
                else:
                    flow.listed = False
                continue
            flow.credit -= unit.bytes
            return unit
        return None

    def _take(self, flow: Flow, now: int) -> tuple[Unit | None, bool]:
        """The next packet, and whether it may be dropped: RFC 8289, §5.6."""
        if not flow.waiting:
            flow.first_above = 0
            return None, False
        came, unit = flow.waiting.popleft()
        flow.bytes -= unit.bytes
        self._bytes -= unit.bytes
        self._packets -= 1
        left = self._bytes if self.whole else flow.bytes
        if now - came < self.target or left <= self._longest:
            flow.first_above = 0
            return unit, False
        if not flow.first_above:
            flow.first_above = now + self.interval
        return unit, now >= flow.first_above

    def _codel(self, flow: Flow, now: int, book: Book) -> Unit | None:
        """RFC 8289, §5.5."""
        unit, able = self._take(flow, now)
        if unit is None or not able:
            flow.dropping = False
            return unit
        if not flow.dropping:
            if self._signal(unit, book):
                unit, able = self._take(flow, now)
            flow.dropping = True
            delta = flow.count - flow.last_count
            flow.count = delta if delta > 1 and now - flow.next < 16 * self.interval else 1
            self._counted(flow)
            flow.last_count = flow.count
            flow.next = self._law(flow, now)
            return unit
        while unit is not None and flow.dropping and now >= flow.next:
            flow.count += 1
            self._counted(flow)
            if not self._signal(unit, book):
                flow.next = self._law(flow, flow.next)
                return unit
            unit, able = self._take(flow, now)
            if able:
                flow.next = self._law(flow, flow.next)
            else:
                flow.dropping = False
        return unit

    def _signal(self, unit: Unit, book: Book) -> bool:
        """Marks or drops; whether it is dropped."""
        if self.ecn and book.mark(unit):
            return False
        book.drop(unit, "early")
        return True

    def _counted(self, flow: Flow) -> None:
        """`codel_Newton_step`: x (3 - count x^2) / 2, where x is a number of 16 bits below 1."""
        if flow.count == 1:
            flow.root = ONE
            return
        root = flow.root << 16
        value = ((3 << 32) - flow.count * ((root * root) >> 32)) >> 2
        flow.root = ((value * root) >> 31) >> 16

    def _law(self, flow: Flow, at: int) -> int:
        """The time of the next drop after one at this time: `codel_control_law`, or RFC 8289, §5.6."""
        if self.steps:
            return at + ((self.interval * (flow.root << 16)) >> 32)
        return at + int(self.interval / math.sqrt(flow.count))
