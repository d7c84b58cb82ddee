"""Settings that are run both by Linux in a process and by the simulator."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dupack.discipline import External
from dupack.work import Job, Plan

PACKET = 1514
"""Bytes of a full packet as Linux' qdiscs count it, with the Ethernet header."""
DATAGRAM = 1472
"""Payload of a datagram in such a packet."""
BURST = 20_000
"""Of the token bucket [B]: more than a line of 10 Mb/s carries in a tick of a kernel with HZ 100."""
START_S = 0.2
"""Flows start in this time, at times that the seed draws."""
PING_S = 0.01
"""Time between echo requests."""
TICK = "10 ms"
"""Of this kernel, which has 100 per second. The preset has 1 ms."""
KINDS = {"cubic": "linux-cubic", "reno": "linux-reno", "bbr": "linux-bbr", "dctcp": "dctcp+rack-tlp"}
"""Linux' controllers, and transports of the simulator."""


@dataclass(frozen=True)
class Flow:
    """A flow, from a host of its own."""

    control: str
    """A congestion control of Linux, or `udp`."""
    rtt: int
    """Round trip of the empty network [ms]."""
    rate: float = 0.0
    """Of `udp`: with headers [Mb/s]."""


@dataclass(frozen=True)
class Queue:
    """A qdisc of Linux, and a discipline of the simulator."""

    name: str
    qdisc: str
    """As `tc` has it."""
    table: str
    """As a plan has it."""


@dataclass(frozen=True)
class Variant:
    """What is changed in a plan."""

    sets: tuple[str, ...] = ()
    externals: Mapping[str, External] = field(default_factory=dict)
    """Parts in Python, by their names in it."""

    def __add__(self, other: Variant) -> Variant:
        both = self.externals.keys() & other.externals.keys()
        joined = {name: self.externals[name] | other.externals[name] for name in both}  # type: ignore[operator]
        return Variant(self.sets + other.sets, {**self.externals, **other.externals, **joined})


@dataclass(frozen=True)
class Case:
    """Flows over a queue."""

    rate: int
    """Mb/s."""
    queue: Queue
    flows: tuple[Flow, ...]
    ecn: bool
    warm_up: int
    duration: int
    depth: str = ""
    """Words about the buffer."""
    runs: int = field(default=8, compare=False)
    timed: bool = field(default=False, compare=False)
    """Whether echo requests beside the flows measure how late acks are. They do not pass the bottleneck."""

    @property
    def name(self) -> str:
        """What a row calls it."""
        kinds = [f"udp of {flow.rate:g} Mb/s" if flow.rate else flow.control for flow in self.flows]
        words = [f"{kinds.count(kind)} {kind}" if kinds.count(kind) > 1 else kind for kind in dict.fromkeys(kinds)]
        rtts = " and ".join(str(rtt) for rtt in dict.fromkeys(flow.rtt for flow in self.flows))
        queue = f"{self.queue.name}{f' ({self.depth})' if self.depth else ''}{' with ECN' if self.ecn else ''}"
        return f"{' and '.join(words)}, {queue}, {self.rate} Mb/s, {rtts} ms"

    def asked(self, repetition: int) -> dict[str, Any]:
        """The run for Linux in a process."""
        draw = random.Random(repetition)
        return {
            "repetition": repetition,
            "rate_bps": self.rate * 1_000_000,
            "burst": BURST,
            "qdisc": self.queue.qdisc,
            "ecn": self.ecn,
            "duration_s": self.duration,
            "warm_up_s": self.warm_up,
            "flows": [
                *(self._asked(flow, round(draw.uniform(0.0, START_S), 6)) for flow in self.flows),
                *([pings(self.flows[0].rtt)] if self.timed else []),
            ],
        }

    def _asked(self, flow: Flow, start: float) -> dict[str, Any]:
        asked = {"control": flow.control, "rtt_ms": flow.rtt, "start_s": start}
        if flow.control == "udp":
            every = PACKET * 8 / (flow.rate * 1e6)
            # The last word only tells these runs from those that were kept before the guest had a timer.
            return {**asked, "payload": DATAGRAM, "every_s": every, "clock": "timerfd"}
        return asked

    def plan(self) -> str:
        """The plan for the simulator: acks are delayed between the router and the sender, as there."""
        head = HEAD.format(
            title=self.name,
            duration=self.duration,
            warm_up=self.warm_up,
            rate=self.rate,
            burst=BURST,
            queue=self.queue.table,
        )
        parts = [head]
        for n, flow in enumerate(self.flows):
            parts.append(ACCESS.format(n=n, rtt=flow.rtt))
            if flow.control == "udp":
                parts.append(DATAGRAMS.format(n=n, rate=flow.rate, payload=DATAGRAM, header=PACKET - DATAGRAM))
            else:
                own = "" if flow.control == "dctcp" else f", ecn = {str(self.ecn).lower()}"
                parts.append(CONNECTION.format(n=n, transport=transport(flow.control) + own))
        return "".join(parts)

    def jobs(self, seeds: Sequence[int], variant: Variant | None = None) -> list[Job]:
        """The simulator's runs, of the plan or of a variant."""
        own = variant or Variant()
        plan = Plan(self.plan().encode(), "linux", list(own.sets), dict(own.externals))
        return [Job(plan, 0, seed) for seed in seeds]


def pings(rtt: int) -> dict[str, Any]:
    """Echo requests whose answers have the delay of acks [ms]."""
    return {"control": "pings", "rtt_ms": rtt, "start_s": START_S, "every_s": PING_S}


def transport(control: str) -> str:
    """The transport of the simulator, without the braces."""
    if control == "dctcp":
        # There is no pair called so; the preset makes the rest Linux'.
        return f'control = "dctcp", repair = "rack-tlp", compat = "linux", {OWN}'
    return f'kind = "{KINDS[control]}", {OWN}'


OWN = f'header = "{PACKET - 1448} B", tick = "{TICK}", send_quantum = "0 s"'
"""What is other than in the preset: the header is that of TCP with time stamps, IP and Ethernet."""
HEAD = """
title = "{title}"
duration = "{duration} s"
warm_up = "{warm_up} s"
percentiles = true
[[host]]
name = "to"
[[switch]]
name = "router"
[[link]]
name = "bottleneck"
carries = "packets"
from = "router"
to = "to"
# Behind the token bucket, it takes nearly no time.
rate = "100 Gb/s"
delay = "0 s"
[link.queue]
kind = "token-bucket"
rate = "{rate} Mb/s"
burst = "{burst} B"
buffer = "100000 packets"
inner = {queue}
"""
ACCESS = """
[[host]]
name = "from-{n}"
[[link]]
name = "access-{n}"
carries = "packets"
from = "from-{n}"
to = "router"
rate = "100 Gb/s"
delay = "0 s"
back_delay = "{rtt} ms"
"""
CONNECTION = """
[[flow]]
name = "flow-{n}"
from = "from-{n}"
to = "to"
start = "0 s..200 ms"
transport = {{ {transport} }}
"""
DATAGRAMS = """
[[flow]]
name = "flow-{n}"
from = "from-{n}"
to = "to"
start = "0 s..200 ms"
traffic = {{ kind = "cbr", rate = "{rate} Mb/s" }}
transport = {{ kind = "udp", mss = "{payload} B", header = "{header} B" }}
"""


def bdp(rate: int, rtt: int) -> float:
    """Bandwidth-delay product [packets]."""
    return rate * 1e6 * rtt * 1e-3 / 8 / PACKET


def fifo(packets: int) -> Queue:
    """A FIFO of this room."""
    return Queue("FIFO", f"pfifo limit {packets}", f'{{ kind = "drop-tail", buffer = "{packets} packets" }}')


def codel(ecn: bool) -> Queue:
    """CoDel with its defaults."""
    word = "ecn" if ecn else "noecn"
    return Queue(
        "CoDel",
        f"codel limit 1000 target 5ms interval 100ms {word}",
        f'{{ kind = "codel", buffer = "1000 packets", ecn = {_word(ecn)} }}',
    )


def fq_codel() -> Queue:
    """FQ-CoDel with its defaults: it marks what can be marked."""
    return Queue("FQ-CoDel", "fq_codel", '{ kind = "fq-codel" }')


def pie(ecn: bool) -> Queue:
    """PIE as Linux has it. Its timer counts ticks of 10 ms: 15 ms are two, and a timer ends one tick later."""
    word = "ecn" if ecn else "noecn"
    own = 'update = "30 ms", derandomize = true, cap = true, packet_size = "1514 B"'
    return Queue(
        "PIE",
        f"pie limit 1000 target 15ms tupdate 15ms {word}",
        f'{{ kind = "pie", buffer = "1000 packets", {own}, ecn = {_word(ecn)} }}',
    )


def cake() -> Queue:
    """CAKE without its shaper, which loses a tenth in this kernel."""
    return Queue("CAKE", "cake unlimited besteffort", '{ kind = "cake", tins = "besteffort" }')


RED_P = 0.1
RED_BURST = 20
"""Of `tc`: packets that may come at once; from it the weight of the average follows."""


def red(low: int, high: int, ecn: bool) -> Queue:
    """RED with these thresholds [packets]; it counts bytes, as Linux' does, and drops above the higher one."""
    word = " ecn harddrop" if ecn else ""
    least = low * PACKET
    shift = ewma(least, RED_BURST, PACKET)
    room = 4 * high
    return Queue(
        "RED",
        f"red limit {room * PACKET} min {least} max {high * PACKET} avpkt {PACKET} burst {RED_BURST} "
        f"probability {RED_P} bandwidth 10mbit{word}",
        f'{{ kind = "red", buffer = "{room} packets", min_th = "{low} packets", '
        f'max_th = "{high} packets", max_p = {RED_P}, weight = {2.0**-shift}, mode = "bytes", '
        f'packet_size = "{PACKET} B", ecn = {_word(ecn)} }}',
    )


def choke(low: int, high: int) -> Queue:
    """CHOKe with these thresholds [packets]."""
    shift = ewma(low * PACKET, RED_BURST, PACKET)
    room = 4 * high
    return Queue(
        "CHOKe",
        f"choke limit {room} min {low} max {high} avpkt {PACKET} burst {RED_BURST} "
        f"probability {RED_P} bandwidth 10mbit",
        f'{{ kind = "choke", buffer = "{room} packets", min_th = "{low} packets", '
        f'max_th = "{high} packets", max_p = {RED_P}, weight = {2.0**-shift}, packet_size = "{PACKET} B" }}',
    )


def sfq() -> Queue:
    """SFQ with its defaults."""
    return Queue("SFQ", "sfq limit 127 depth 127 divisor 1024 quantum 1514", '{ kind = "sfq" }')


def ewma(least: int, burst: int, size: int) -> int:
    """The weight of RED's average as `tc` chooses it, as a shift: `burst` packets of `size` leave it below `least`.

    Floyd and Jacobson 1993, §8: with a weight w, an average of n packets that come to an empty queue is
    n + 1 + ((1 - w)^(n + 1) - 1) / w; `tc` has the same with n for n + 1.
    """
    room = burst + 1 - least / size
    if room < 1:
        raise ValueError(f"a burst of {burst} packets does not reach the threshold of {least / size:.0f}")
    for shift in range(1, 32):
        weight = 2.0**-shift
        if room <= (1 - math.pow(1 - weight, burst)) / weight:
            return shift
    raise ValueError(f"no weight lets {burst} packets stay below {least} bytes")


def _word(flag: bool) -> str:
    return str(flag).lower()
