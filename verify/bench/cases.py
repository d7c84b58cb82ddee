"""The cases: plans, targets, and what one unit of work is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Document = dict[str, Any]


@dataclass(frozen=True)
class Dumbbell:
    """Greedy NewReno senders, each with an access link, behind one drop-tail bottleneck to one sink."""

    flows: int
    access_bps: float
    rate_bps: float
    buffer: int
    """[packets]"""
    mss: int
    """[bytes]"""
    delay_s: float
    """Of each link."""
    duration_s: float
    header: int = 40
    window: int = 65536
    """[bytes]"""
    spread_s: float = 0.1
    """Flows start within this time."""
    sender: str = 'kind = "newreno"'
    """Its transport, as a plan writes it."""
    queue: str = "drop-tail"

    def plan(self) -> str:
        """For dupack."""
        return f"""
title = "{self.flows} flows"
duration = "{self.duration_s * 1e3:g} ms"
[[host]]
name = "source"
count = {self.flows}
[[switch]]
name = "router"
[[host]]
name = "sink"
[[link]]
name = "access"
from = "source"
to = "router"
carries = "packets"
rate = "{self.access_bps / 1e6:.10g} Mb/s"
delay = "{self.delay_s * 1e6:g} us"
[[link]]
name = "bottleneck"
from = "router"
to = "sink"
carries = "packets"
rate = "{self.rate_bps / 1e6:.10g} Mb/s"
delay = "{self.delay_s * 1e6:g} us"
queue = {{ kind = "{self.queue}", buffer = "{self.buffer} packets" }}
[[flow]]
name = "bulk"
from = "source"
to = "sink"
start = "0 s..{self.spread_s * 1e3:g} ms"
traffic = {{ kind = "greedy" }}
transport = {{ {self.sender}, mss = "{self.mss} B", header = "{self.header} B",
  max_window = "{self.window} B", tick = "10 ms", min_rto = "200 ms" }}
"""

    def ns2(self) -> list[str]:
        """Arguments of `dumbbell.tcl`."""
        window = self.window // self.mss
        line = [self.flows, self.access_bps, self.delay_s, self.rate_bps, self.delay_s, self.buffer]
        return [str(it) for it in [*line, self.mss, self.header, window, self.spread_s, self.duration_s]]

    def htsim(self) -> list[str]:
        """Arguments of `dumbbell_htsim.cc`: those of ns-2."""
        return self.ns2()

    def ns3(self) -> list[str]:
        """Arguments of `dumbbell.cc`."""
        line = [self.flows, int(self.access_bps), self.delay_s, int(self.rate_bps), self.delay_s, self.buffer]
        return [str(it) for it in [*line, self.mss, self.window, self.spread_s, self.duration_s]]


@dataclass(frozen=True)
class Case:
    """A plan, and its target."""

    name: str
    plan: str
    target_ns: float | None
    """The most nanoseconds of processor time per unit of work."""
    work: Callable[[Document], int]
    """Units of work that a document reports."""
    unit: str = "delivered segment"
    dumbbell: Dumbbell | None = None
    """The same for the other simulators, if they run it."""
    flows: int | None = None
    """Flows of about 1 Mb/s, in the cases that differ by their number."""


@dataclass
class Found:
    """What was measured of a case."""

    case: Case
    ns: float
    """Processor time per unit of work, the median of the runs."""
    goodput_bps: float
    peers: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Of other simulators: the same two."""


@dataclass
class Other:
    """What is not a cost per unit of work."""

    name: str
    value: str
    target: str
    met: bool


def delivered(document: Document) -> int:
    """Segments that receivers have handed over."""
    return sum(flow["segments_delivered"] for flow in document["flows"])


def hops(document: Document) -> int:
    """Packets sent, each counted on every link."""
    return sum(link["sent"] for link in document["links"])


def offered(document: Document) -> int:
    """Cells offered to the bottleneck."""
    return next(link["offered"] for link in document["links"] if link["name"].startswith("bottleneck"))


CELLS = """
title = "Topology B"
duration = "20 s"
[[host]]
name = "source"
count = 5
[[host]]
name = "sink"
[[switch]]
name = "gray"
[[link]]
name = "access"
from = "source"
to = "gray"
carries = "cells"
rate = "30 Mb/s"
delay = "0.3 ms"
[[link]]
name = "bottleneck"
from = "gray"
to = "sink"
carries = "cells"
rate = "75 Mb/s"
delay = "0.3 ms"
queue = { kind = "bpd", buffer = "1200 cells", lower = 0.4, upper = 0.9, gap = "25 packets" }
[[flow]]
name = "bulk"
from = "source"
to = "sink"
start = "0 s..100 ms"
traffic = { kind = "greedy" }
transport = { kind = "reno", mss = "536 B", max_window = "64 KiB", tick = "100 ms", min_rto = "200 ms" }
"""


def fat_tree(k: int, duration_ms: float) -> str:
    """Web search at half the load of the hosts' links."""
    return f"""
title = "Fat tree, k = {k}"
duration = "{duration_ms:g} ms"
routing = "ecmp"
[topology]
kind = "fat-tree"
k = {k}
carries = "packets"
queue = {{ kind = "drop-tail", buffer = "200 packets" }}
access = {{ rate = "1 Gb/s", delay = "5 us" }}
[[flow]]
name = "queries"
from = "host"
to = "host"
arrivals = {{ kind = "poisson", load = 0.5 }}
traffic = {{ kind = "random-file", sizes = "web-search" }}
transport = {{ kind = "sack", mss = "1448 B", header = "52 B", initial_window = "10 segments",
  max_window = "256 KiB", tick = "1 ms", min_rto = "10 ms" }}
"""


def long_flows(k: int, duration_ms: float) -> str:
    """A long flow from each host to another."""
    plan = fat_tree(k, duration_ms).replace('arrivals = { kind = "poisson", load = 0.5 }', 'pairs = "permutation"')
    return plan.replace('{ kind = "random-file", sizes = "web-search" }', '{ kind = "greedy" }')


FIVE = Dumbbell(5, 30e6, 75e6, 100, 536, 0.001, 20)
TEN = Dumbbell(10, 75e6, 75e6, 100, 536, 0.001, 20)
HUNDRED = Dumbbell(100, 1e9, 10e9, 1000, 1448, 0.0001, 0.5, 52, 262144, 0.01)
PAIRS = Dumbbell(5, 30e6, 75e6, 100, 536, 0.001, 20, sender='kind = "packet-pair"', queue="fair-queueing")


def many(flows: int, duration_s: float) -> Dumbbell:
    """About 1 Mb/s each."""
    return Dumbbell(flows, 10e6, 1e6 * flows, flows, 1448, 0.005, duration_s, 52)


def of(name: str, it: Dumbbell, target_ns: float, *, peers: bool = True, flows: int | None = None) -> Case:
    """A case on one bottleneck."""
    return Case(name, it.plan(), target_ns, delivered, dumbbell=it if peers else None, flows=flows)


CASES = [
    of("(a) 5 x 30 Mb/s into 75 Mb/s, 536 B", FIVE, 110),
    of("(b) 10 x 75 Mb/s into 75 Mb/s, 536 B", TEN, 110),
    of("(c) 100 x 1 Gb/s into 10 Gb/s, 1,448 B", HUNDRED, 170),
    of("(a) with packet-pair and fair queueing", PAIRS, 250, peers=False),
    of("1,000 flows of about 1 Mb/s", many(1000, 4), 250, flows=1000),
    of("10,000 flows", many(10_000, 1), 600, peers=False, flows=10_000),
    of("100,000 flows", many(100_000, 0.25), 1200, peers=False, flows=100_000),
    Case("cells, balanced packet discard", CELLS, 25, offered, "offered cell"),
    Case("fat tree, k = 4 (16 hosts)", fat_tree(4, 2000), None, hops, "packet-hop"),
    Case("fat tree, k = 8 (128 hosts)", fat_tree(8, 250), None, hops, "packet-hop"),
    Case("fat tree, k = 16 (1,024 hosts)", fat_tree(16, 30), 150, hops, "packet-hop"),
]
