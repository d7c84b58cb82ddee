"""CoDel as Linux computes it: without floating point (`LinuxFqCodel`), and with times in units of 1,024 ns."""

from __future__ import annotations

from dupack._native import Book, Unit
from verify.linux_fq_codel import INTERVAL, TARGET, Flow, LinuxFqCodel

TICK = 1_024_000
"""Unit of time [ps]: `CODEL_SHIFT`."""
MTU = 1514
ROOM = 1000


class LinuxCodel(LinuxFqCodel):
    """CoDel behind a token bucket of ``bucket`` bit/s and ``burst`` bytes: one queue of `LinuxFqCodel`, for all flows.

    ``exact`` replaces the steps by the root itself, and the units of time by picoseconds.
    """

    room = ROOM + 1

    def __init__(self, bucket: int, burst: int, *, exact: bool = False, ecn: bool = False) -> None:
        super().__init__(bucket, burst, ecn=ecn, steps=not exact)
        self.tick = 1 if exact else TICK
        self.target, self.interval = TARGET // self.tick, INTERVAL // self.tick

    def start(self) -> None:
        """An empty buffer."""
        super().start()
        self._all = Flow()

    def offer(self, now: int, unit: Unit, book: Book) -> None:
        """`codel_qdisc_enqueue`."""
        if len(self._all.waiting) == ROOM:
            book.drop(unit, "overflow")
            return
        self._all.waiting.append((now // self.tick, unit))
        self._all.bytes += unit.bytes

    def _choose(self, now: int, book: Book) -> Unit | None:
        return self._codel(self._all, now // self.tick, book)

    def _take(self, flow: Flow, now: int) -> tuple[Unit | None, bool]:
        """`codel_should_drop`."""
        if not flow.waiting:
            flow.first_above = 0
            return None, False
        came, unit = flow.waiting.popleft()
        flow.bytes -= unit.bytes
        if now - came < self.target or flow.bytes <= MTU:
            flow.first_above = 0
            return unit, False
        if not flow.first_above:
            flow.first_above = now + self.interval
            return unit, False
        return unit, now > flow.first_above
