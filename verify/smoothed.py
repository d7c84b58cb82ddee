"""The smoothed round trip of a simulated flow, as Linux reckons it and TCP_INFO tells it: from a run's tape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

SAMPLE_S = 0.05
"""Time between two looks, as in verify/guest."""


@dataclass
class _Flow:
    srtt: float | None = None
    acked: int = 0
    sent: dict[int, float] = field(default_factory=dict)
    """When each segment that is not acknowledged was sent; none of one that was sent again (Karn)."""
    duplicates: bool = False
    """Whether the last acks were duplicates: what the next one covers was reported before, and is no sample."""

    def ack(self, now: float, upto: int) -> None:
        """Linux takes the first segment that an ack covers (`tcp_clean_rtx_queue`), with a gain of an eighth."""
        first = next((self.sent[n] for n in range(self.acked, upto) if n in self.sent), None)
        for n in range(self.acked, upto):
            self.sent.pop(n, None)
        if first is not None and not self.duplicates:
            self.srtt = now - first if self.srtt is None else self.srtt + (now - first - self.srtt) / 8
        self.acked = max(self.acked, upto)
        self.duplicates = False


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
        if event == "send":
            flow.sent[segment] = now
        elif event == "retransmit":
            flow.sent.pop(segment, None)
        elif event == "ack":
            flow.ack(now, segment)
        elif event == "dup_ack":
            flow.duplicates = True
    return found


def _lines(tape: str) -> Iterator[tuple[float, str, str, int]]:
    for line in tape.splitlines()[1:]:
        time, name, event, segment, _ = line.split(",", 4)
        yield float(time), name, event, int(segment)
