"""What a run of a plan shows of its BBR: states, rates and windows from its samples, packets from its qlog.

The state of the controller is sampled, and with it the pacing rate and the window. Its other variables are not
recorded. They follow from these, because BBR paces at its gain times 0.99 of its bandwidth, and because its window is
a multiple of its product, or a bound. Packets in flight, rounds and losses are those of the log that is written.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from dupack.traces import Traces
from dupack.work import Job, read_plan

MARGIN = 0.99
"""Part of the bandwidth at which BBR paces."""
GAINS = {
    "startup": 2.77,
    "drain": 0.5,
    "probe-bw-down": 0.9,
    "probe-bw-cruise": 1.0,
    "probe-bw-refill": 1.0,
    "probe-bw-up": 1.25,
    "probe-rtt": 1.0,
}
"""Pacing gains of the draft, §5.6.1."""
STARTUP, DRAIN, DOWN, CRUISE, REFILL, UP, PROBE_RTT = GAINS
PROBE_BW = (DOWN, CRUISE, REFILL, UP)


class UnseenError(Exception):
    """A run does not show what a case is about."""


@dataclass(frozen=True, slots=True)
class Phase:
    """Time in which the controller stayed in a state."""

    state: str
    start: float
    """When it began [s]."""
    end: float
    """When the next one began, or the end of the run [s]."""
    at: int
    """Its place among all phases of the run."""

    @property
    def length(self) -> float:
        """Duration [s]."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Heard:
    """An ack."""

    time: float
    packets: Sequence[int]
    """Numbers of the transmissions that it reports for the first time."""


class Seen:
    """A flow in a run."""

    def __init__(self, document: dict[str, Any], flow: str, log: str) -> None:
        self.document = document
        self.flow = flow
        self.log = log
        series = document["series"]
        self.times: list[float] = series["time_s"]
        self.states: list[str] = series["state"][flow]
        self.rates: list[float | None] = series.get("pacing_bps", {}).get(flow) or [None] * len(self.times)
        """Pacing rate [bit/s]."""
        self.windows: list[float] = series["cwnd"][flow]
        """Congestion window [segments]."""
        self.delivered: list[int] = series["delivered"][flow]
        """Payload delivered since the start [bytes]."""

    @cached_property
    def phases(self) -> list[Phase]:
        """All phases in order."""
        samples = [at for at, state in enumerate(self.states) if at == 0 or state != self.states[at - 1]]
        starts = [self._cause(at) for at in samples]
        ends = [*starts[1:], self.times[-1]]
        return [
            Phase(self.states[sample], start, end, at)
            for at, (sample, start, end) in enumerate(zip(samples, starts, ends, strict=True))
        ]

    def _cause(self, sample: int) -> float:
        """When the state of a sample began: at the last ack since the sample before, if there was one [s]."""
        found = bisect_right(self.acks, self.times[sample]) - 1
        heard = found >= 0 and sample > 0 and self.acks[found] > self.times[sample - 1]
        return self.acks[found] if heard else self.times[sample]

    @cached_property
    def acks(self) -> list[float]:
        """Time of each ack [s]."""
        return [it.time for it in self.heard]

    def first(self, state: str, after: float = 0.0) -> Phase:
        """The first phase in a state that begins at a time or later."""
        found = next((it for it in self.phases if it.state == state and it.start >= after), None)
        if found is None:
            raise UnseenError(f"never in {state}" + (f" after {after:.3f} s" if after else ""))
        return found

    def at(self, time: float) -> Phase:
        """The phase at a time."""
        return next(it for it in reversed(self.phases) if it.start <= time)

    def next(self, phase: Phase) -> Phase:
        """The phase after another."""
        if phase.at + 1 == len(self.phases):
            raise UnseenError(f"{phase.state} until the end")
        return self.phases[phase.at + 1]

    def when(self, what: str, after: float, holds: Callable[[float], bool]) -> float:
        """The first sample after a time at which something holds [s]."""
        found = next((it for it in self.times if it > after and holds(it)), None)
        if found is None:
            raise UnseenError(f"never {what}")
        return found

    def samples(self, start: float, end: float) -> range:
        """Samples from a time to before another; at least one."""
        first = min(bisect_left(self.times, start), len(self.times) - 1)
        return range(first, max(bisect_left(self.times, end), first + 1))

    def rate(self, time: float) -> float:
        """Pacing rate at the first sample from a time on [bit/s]."""
        found = self.rates[self.samples(time, time)[0]]
        if found is None:
            raise UnseenError("it is not paced")
        return found

    def bandwidth(self, time: float) -> float:
        """BBR.bw at the first sample from a time on, from the pacing rate and the gain of the state [bit/s]."""
        state = self.states[self.samples(time, time)[0]]
        if state not in GAINS:
            raise UnseenError(f"{state} is not a state of BBR")
        return self.rate(time) / (GAINS[state] * MARGIN)

    def window(self, time: float) -> float:
        """Congestion window at the first sample from a time on [segments]."""
        return self.windows[self.samples(time, time)[0]]

    def last(self, phase: Phase) -> float:
        """Time of the last sample in a phase [s]."""
        return self.times[self.samples(phase.start, phase.end)[-1]]

    def product(self, time: float) -> float:
        """BBRInflight(1.0) at a time: bandwidth times the shortest round trip so far, at least 4 [segments]."""
        return max(self.bandwidth(time) * min(self.round_trips(0, time)) / self.bits, 4.0)

    def goodput(self, start: float, end: float) -> float:
        """Rate at which packets arrived in order, with their headers [bit/s]."""
        among = self.samples(start, end)
        first, last = among[0], among[-1]
        payload = (self.delivered[last] - self.delivered[first]) * 8 / (self.times[last] - self.times[first])
        return payload * self.bits / self.payload

    @cached_property
    def _events(self) -> dict[str, list[tuple[float, dict[str, Any]]]]:
        """Events of the log by name, each with its time [s] and its data."""
        found = defaultdict(list)
        for text in self.log.split("\x1e")[2:]:
            it = json.loads(text)
            found[it["name"]].append((it["time"] / 1e3, it["data"]))
        return found

    def _of(self, name: str) -> list[tuple[float, dict[str, Any]]]:
        return self._events.get(f"quic:{name}", [])

    @cached_property
    def bits(self) -> int:
        """Length of a full packet [bits]."""
        return max(int(data["raw"]["length"]) for _, data in self._of("packet_sent")) * 8

    @cached_property
    def payload(self) -> int:
        """Payload of a full packet [bits]."""
        return max(int(data["raw"]["payload_length"]) for _, data in self._of("packet_sent")) * 8

    @cached_property
    def sent(self) -> list[float]:
        """Time of each transmission, by its number [s]."""
        return [time for time, _ in self._of("packet_sent")]

    @cached_property
    def heard(self) -> list[Heard]:
        """All acks."""
        found = []
        for time, data in self._of("packet_received"):
            ranges = data["frames"][0].get("acked_ranges", [])
            found.append(Heard(time, [number for it in ranges for number in range(it[0], it[-1] + 1)]))
        return found

    @cached_property
    def lost(self) -> list[tuple[float, int]]:
        """When the sender took which transmission for lost."""
        return [(time, data["header"]["packet_number"]) for time, data in self._of("packet_lost")]

    @cached_property
    def timeouts(self) -> list[float]:
        """Times of timeouts [s]."""
        return [time for time, _ in self._of("loss_timer_updated")]

    @cached_property
    def _flights(self) -> tuple[list[tuple[float, int]], list[int]]:
        """How many packets are in flight from each time on; what is sent at the time of an ack comes after it."""
        changes = [(it.time, 0, number) for it in self.heard for number in it.packets]
        changes += [(time, 0, number) for time, number in self.lost]
        changes += [(time, 1, number) for number, time in enumerate(self.sent)]
        times, counts = [(0.0, -1)], [0]
        flying: set[int] = set()
        for time, sent, number in sorted(changes):
            if sent:
                flying.add(number)
            else:
                flying.discard(number)
            times.append((time, sent))
            counts.append(len(flying))
        return times, counts

    def in_flight(self, time: float) -> int:
        """Packets in flight at a time, before what is sent because of an ack at that time."""
        times, counts = self._flights
        return counts[bisect_right(times, (time, 0)) - 1]

    def least_in_flight(self, start: float, end: float) -> int:
        """Fewest packets in flight between two times."""
        times, counts = self._flights
        return min(counts[bisect_left(times, (start, 0)) : bisect_left(times, (end, 0))], default=0)

    def rounds(self, start: float, end: float) -> list[float]:
        """Ends of the round trips that begin at a time, each when a packet is acknowledged that was sent in it [s]."""
        found = []
        first = bisect_left(self.sent, start)
        for it in self.heard:
            if it.time > end:
                break
            if it.time > start and any(number >= first for number in it.packets):
                found.append(it.time)
                # What is sent at the time of an ack is sent because of it.
                first = bisect_left(self.sent, it.time)
        return found

    def delivery_rates(self, start: float, end: float) -> list[float]:
        """Delivery rate at the end of each round trip in a time, measured as in the draft's §4.1 [bit/s]."""
        found = []
        for time in self.rounds(start, end):
            sent = self.sent[max(self.heard[bisect_left(self.acks, time)].packets)]
            before = bisect_right(self.acks, sent)
            # The interval begins with the last ack before the packet was sent; before the first ack with the packet.
            began = self.acks[before - 1] if before else sent
            arrived = sum(len(it.packets) for it in self.heard[before : bisect_right(self.acks, time)])
            found.append(arrived * self.bits / (time - began))
        return found

    def round_trips(self, start: float, end: float) -> list[float]:
        """Round trips that were measured in a time, of the newest packet of each ack [s]."""
        return [it.time - self.sent[max(it.packets)] for it in self.heard if start <= it.time < end]

    def first_loss(self, after: float) -> float:
        """When the sender found the first loss after a time [s]."""
        found = next((time for time, _ in self.lost if time > after), None)
        if found is None:
            raise UnseenError("no loss")
        return found

    def losses(self, start: float, end: float) -> float:
        """Losses found in a time, as a share of what was sent in it."""
        sent = bisect_left(self.sent, end) - bisect_left(self.sent, start)
        return sum(start <= time < end for time, _ in self.lost) / max(sent, 1)


def watch(plan: Path, sets: Sequence[str] = ()) -> dict[str, Seen]:
    """The flows of a plan, run once with its seed and with other values if given, each with its log."""
    read = read_plan(plan, sets)
    made = Traces(qlog=Path()).record(Job(read, 0, read.seeds[0]))
    document = made.document
    logs = {path.stem: str(text) for _, path, text in made.files()}
    return {name: Seen(document, name, log) for name, log in logs.items()}
