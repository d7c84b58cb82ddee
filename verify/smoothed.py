"""The smoothed round trip of a simulated flow, as Linux reckons it and TCP_INFO tells it: from a run's tape.

Linux takes at most one sample from an ack (`tcp_clean_rtx_queue`, `tcp_sacktag_one`, `tcp_ack_update_rtt`):

- the first segment that it covers, if none of those has been sent again;
- if it covers none, the first segment that SACK reports, if that was not sent again;
- else, if it covers some, the time stamp that it echoes, in whole milliseconds: that of the first of them.

(Linux prefers a report of SACK to a time stamp. An ack that covers what was sent again hardly ever reports more.) A
tape tells of each ack what it covers, but not what SACK reports. That follows from the order: segments of a flow arrive
in the order in which they were sent, without those that were dropped, and each that arrives out of order causes a
duplicate ack. If duplicates are lost or come from copies, a sample may be of the segment before or after.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

SAMPLE_S = 0.05
"""Time between two looks, as in verify/guest."""
SOON_S = 0.5e-3
"""An ack that comes this much later than it could was delayed."""


@dataclass
class _Flow:
    srtt: float | None = None
    acked: int = 0
    path: deque[tuple[int, float]] = field(default_factory=deque)
    """Transmissions of which no ack has told, without those that were dropped: segments, and when they were sent."""
    again: set[int] = field(default_factory=set)
    """Segments that were sent again."""
    held: set[int] = field(default_factory=set)
    """Segments that have arrived out of order."""
    delivered: dict[int, float] = field(default_factory=dict)
    """When each segment was delivered that no ack has covered."""
    back: float = float("inf")
    """Time that an ack takes if it is sent at once."""

    def send(self, now: float, segment: int) -> None:
        """A transmission."""
        self.path.append((segment, now))

    def drop(self, segment: int) -> None:
        """The last transmission of ``segment`` does not arrive."""
        for at in range(len(self.path) - 1, -1, -1):
            if self.path[at][0] == segment:
                del self.path[at]
                return

    def ack(self, now: float, upto: int) -> None:
        """An ack covers all segments before ``upto``."""
        covered = range(self.acked, upto)
        first = None
        while self.acked < upto and self.path:
            segment, sent = self.path.popleft()
            if segment > self.acked:
                self.held.add(segment)
            elif segment == self.acked:
                first = sent if first is None else first
                self._advance()
        self.acked = max(self.acked, upto)
        if first is None:
            return
        if self.again.isdisjoint(covered):
            self._sample(now - first)
        else:
            self.again.difference_update(covered)
            self._sample(max(1, int(now * 1e3) - int(first * 1e3)) * 1e-3)
        self._follow(now, upto - 1)

    def _advance(self) -> None:
        self.acked += 1
        while self.acked in self.held:
            self.held.remove(self.acked)
            self.acked += 1

    def _follow(self, now: float, last: int) -> None:
        """An ack of segments up to ``last``, delayed until another arrived out of order, reports that one as well."""
        delivered = self.delivered[last]
        self.delivered = {segment: at for segment, at in self.delivered.items() if segment > last}
        self.back = min(self.back, now - delivered)
        if now - delivered > self.back + SOON_S and self.path and self.path[0][0] > self.acked:
            self.held.add(self.path.popleft()[0])

    def duplicate(self, now: float) -> None:
        """A segment has arrived out of order, or again."""
        if not self.path or self.path[0][0] == self.acked:
            return
        segment, sent = self.path.popleft()
        if segment < self.acked or segment in self.held:
            return
        self.held.add(segment)
        if segment not in self.again:
            self._sample(now - sent)

    def _sample(self, trip: float) -> None:
        self.srtt = trip if self.srtt is None else self.srtt + (trip - self.srtt) / 8


def smoothed(tape: str, warm_up: float, end: float) -> dict[str, list[float]]:
    """The smoothed round trips [s] of each flow after warm-up, one per `SAMPLE_S`."""
    flows: dict[str, _Flow] = {}
    found: dict[str, list[float]] = {}
    due = warm_up + SAMPLE_S
    for now, name, event, segment in _lines(tape):
        while due <= min(now, end):
            for other, flow in flows.items():
                if flow.srtt is not None:
                    found.setdefault(other, []).append(flow.srtt)
            due += SAMPLE_S
        flow = flows.setdefault(name, _Flow())
        match event:
            case "send":
                flow.send(now, segment)
            case "retransmit":
                flow.again.add(segment)
                flow.send(now, segment)
            case "drop":
                flow.drop(segment)
            case "deliver":
                flow.delivered[segment] = now
            case "ack":
                flow.ack(now, segment)
            case "dup_ack":
                flow.duplicate(now)
    return found


def _lines(tape: str) -> Iterator[tuple[float, str, str, int]]:
    for line in tape.splitlines()[1:]:
        time, name, event, segment, _ = line.split(",", 4)
        yield float(time), name, event, int(segment)
