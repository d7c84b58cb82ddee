"""The runs of Chan, Wang & Chen 2002: how samples are selected, and what is read off a run.

Rates are in Mb/s of cells unless a name says otherwise.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from dupack.reproduce.paper import Measured, Results, Sample
from dupack.reproduce.select import number, only, setting, where

EPD, PUSH, ABS = "epd", "epd-push-out", "abs-push-out"
KINDS = {EPD: "EPD", PUSH: "EPD + push-out", ABS: "proposed"}
RELATIVES = {
    "weighted-round-robin": "weighted round robin",
    "longest-queue-drop": "longest-queue drop",
    "dynamic-thresholds": "dynamic thresholds",
}
STACKS = {"abs-push-out-stacks": "proposed, by stacks"}
"""The paper's second description of its scheme (§3.3)."""
ALL = KINDS | STACKS | RELATIVES

SMALL, RATES, TABLE_1, LARGE, CHAIN = "fig-07-08", "fig-09-11", "table-1", "fig-13-15", "table-2-3"
MORE_TEN, MORE_LARGE, MORE_CHAIN = "extra-ten", "extra-fifty", "extra-chain"
"""Plans with other disciplines. Readings of the paper do not edit them."""
SHORT, LONG = "21.9 us", "1641 us"
"""Delays between the switches of Table 1."""

MSS, PACKET = 512, 12
"""Payload [bytes] and cells of a packet: 512 bytes, 40 of TCP and IP and 8 of AAL5 leave 16 bytes of 12 cells free."""
WIRE = PACKET * 53 / MSS
"""Bits of cells per bit of payload."""
IP_WIRE = PACKET * 53 / (MSS + 40)
"""Bits of cells per bit of IP packets."""
LINE = 155e6
"""Rate of a link [bit/s]."""
ALLOCATED = (10, 20, 30, 40, 50)
"""Rates of the five VCs of Fig. 12 [Mb/s]."""
GUARANTEED = 15.5
"""Rate of each of ten VCs [Mb/s]."""

# What is kept of a tape

BIN, WIDE = 0.02, 0.1
"""Bins in which window cuts are counted [s]: twice and ten times the longest round-trip time of the chain."""


@dataclass
class Cuts:
    """When each connection cut its window [s], when by a timeout, and the end of the tape."""

    times: dict[str, list[float]] = field(default_factory=dict)
    timeouts: dict[str, list[float]] = field(default_factory=dict)
    end: float = 0.0


# Selections of samples


def kind_of(sample: Sample) -> str:
    """The strategy. EPD is push-out with M as large as the buffer: no packet of M cells fits below a VC's threshold."""
    kind = str(setting(sample, "queue.kind"))
    never = kind == PUSH and setting(sample, "queue.max_packet") == setting(sample, "queue.buffer")
    return EPD if never else kind


def of_kind(samples: Sequence[Sample], kind: str) -> list[Sample]:
    """The samples of a strategy."""
    return [sample for sample in samples if kind_of(sample) == kind]


def buffer(sample: Sample) -> int:
    """Buffer of a bottleneck [cells]."""
    return int(number(sample, "queue.buffer"))


def beyond(sample: Sample) -> int:
    """Room beyond the EPD threshold [packets]; 0 without a threshold."""
    return round(buffer(sample) * (1 - float(setting(sample, "queue.threshold", 1))) / PACKET)


def over_excess(results: Results, plan: str, kind: str) -> list[Sample]:
    """The samples with 200 cells, by the room beyond the threshold; a strategy without a threshold has one."""
    return sorted((sample for sample in of_kind(results[plan], kind) if buffer(sample) == 200), key=beyond)


def over_buffer(results: Results, plan: str, kind: str, *, coarse: bool = False) -> list[Sample]:
    """The samples by the buffer, with room for two packets beyond the threshold if there is one.

    ``coarse`` selects those with a coarser clock instead.
    """
    mine = where(of_kind(results[plan], kind), {"transport.tick": coarse})
    return sorted((sample for sample in mine if beyond(sample) in (0, 2)), key=buffer)


def at_buffer(results: Results, plan: str, kind: str, size: int) -> Sample:
    """The sample with a buffer of this size [cells]."""
    return only(over_buffer(results, plan, kind), {"queue.buffer": f"{size} cells"})


def table_1(results: Results, kind: str, delay: str, plan: str = TABLE_1) -> Sample:
    """The sample of ten connections with this delay between the switches."""
    return only(of_kind(results[plan], kind), {"backbone.delay": delay})


def spaced(results: Results, kind: str, size: int) -> Sample:
    """The sample of extra-ten with sources that space their packets, and a buffer of this size [cells]."""
    return only(of_kind(results[MORE_TEN], kind), {"backbone.delay": False, "queue.buffer": f"{size} cells"})


def chain(results: Results, kind: str) -> Sample:
    """The sample of the chain of switches."""
    return only(of_kind(results[CHAIN], kind))


def chains(results: Results, kind: str) -> list[Sample]:
    """The samples of extra-chain; the first is as in the plan of Tables 2 and 3."""
    return sorted(of_kind(results[MORE_CHAIN], kind), key=lambda sample: chain_reading(sample) != AS_PLANNED)


WAYS = ("packets of IP", "packets of cells", "access lines", "applications")
"""How sources keep to their rates, as the figures name it."""


def way(sample: Sample) -> str:
    """How the sources of a reading keep to their rates."""
    if setting(sample, "tcp.traffic.kind") == "cbr":
        return "applications"
    spaced = {None: "access lines", "15.5 Mb/s": "packets of IP", "13.453 Mb/s": "packets of cells"}
    return spaced[setting(sample, "tcp.traffic.access_rate")]


def udp_sent(sample: Sample) -> float:
    """What UDP sends in extra-overload [Mb/s]; the plan states it in IP packets."""
    return number(sample, "udp.traffic.rate") * IP_WIRE


AS_PLANNED, ONE_PACKET = "as in the plan", "room for one packet"
CLOCKS = (AS_PLANNED, "clock 100 ms", "clock 10 ms")
"""Readings of the chain that differ in the clock only."""


def chain_reading(sample: Sample) -> str:
    """What a sample of extra-chain changes."""
    if setting(sample, "udp.traffic.rate"):
        return "UDP of 31 Mb/s of IP"
    if beyond(sample) == 1:
        return ONE_PACKET
    if setting(sample, "long.traffic.kind"):
        return "access lines"
    tick = setting(sample, "long.transport.tick")
    return f"clock {tick}" if tick else AS_PLANNED


# What is read off a run


def counted(run: Measured) -> float:
    """What throughput counts, per bit of payload: the cells on the link, unless a reading counts less."""
    return {"cells": WIRE, "ip": WIRE / IP_WIRE, "payload": 1.0}[run.option("throughput", "cells")]


def flows(run: Measured) -> list[dict[str, Any]]:
    """The flows. In the chain, the sixth to the tenth are TCP 5 to 9: those of the first link, or as a reading says."""
    found: list[dict[str, Any]] = run.document["flows"]
    mine = run.option("tcp-5-to-9", "first")
    if mine == "first" or len(found) < 2 or found[1]["name"] != NINE[0]:
        return found
    crossing = f"cross-{HOPS[mine]}-"
    last = [flow for flow in found[5:] if flow["name"].startswith(crossing)]
    return [*found[:5], *last, *(flow for flow in found[5:] if not flow["name"].startswith(crossing))]


def wires(run: Measured) -> list[float]:
    """Throughput of each flow: the cells on the link of what was delivered [Mb/s], or what a reading counts."""
    return _rates(run, counted(run))


def _rates(run: Measured, factor: float) -> list[float]:
    return [flow["goodput_bps"] * factor / 1e6 for flow in flows(run)]


def wire(number: int) -> Callable[[Measured], float]:
    """The rate of the connection of this number, from 1 [Mb/s]."""
    return lambda run: wires(run)[number - 1]


def honest(run: Measured) -> float:
    """Mean of TCP 1 to 9 of the small network [Mb/s]."""
    return fmean(wires(run)[:9])


def least(run: Measured) -> float:
    """Least of TCP 1 to 9 of the small network [Mb/s]."""
    return min(wires(run)[:9])


def least_of_ten(run: Measured) -> float:
    """Least of the first ten flows, over its guarantee."""
    return min(wires(run)[:10]) / GUARANTEED


def first_vc(run: Measured) -> float:
    """Rate of the VC of UDP in extra-two-vcs [Mb/s]."""
    return sum(wires(run)[:3])


def second_vc(run: Measured) -> float:
    """Rate of the VC of the TCPs in extra-two-vcs [Mb/s]."""
    return sum(wires(run)[3:])


def pushed_out(run: Measured) -> float:
    """Cells pushed out, over the cells that the switches sent and pushed out [%]."""
    shared = [link for link in run.document["links"] if link["name"] in ("backbone", "hop-a", "hop-b", "hop-c")]
    out = sum(link["dropped"].get("pushed-out", 0) for link in shared)
    return float(100 * out / (out + sum(link["sent"] for link in shared)))


def total(run: Measured) -> float:
    """Sum of the first ten flows [Mb/s]."""
    return sum(wires(run)[:10])


def carried(run: Measured) -> float:
    """The same in cells, whatever throughput counts."""
    return sum(_rates(run, WIRE)[:10])


def share(run: Measured) -> float:
    """Sum of all flows over the link's rate, both in cells [%].

    Some of what is delivered at the beginning of the measured time was sent before it. A link that is always full
    would have a little more than 100 %, so the value is at most 100.
    """
    return min(100 * sum(wires(run)) * 1e6 / LINE, 100.0)


def ahead(run: Measured) -> float:
    """UDP minus the mean of TCP 1 to 9 of the chain [Mb/s]."""
    rates = wires(run)
    return rates[0] - fmean(rates[1:10])


def bias(run: Measured) -> float:
    """Mean of TCP 5 to 9 of the chain, over one link, minus that of TCP 1 to 4, over three links [Mb/s]."""
    rates = wires(run)
    return fmean(rates[5:10]) - fmean(rates[1:5])


def jain(values: Sequence[float]) -> float:
    """Jain's index."""
    return sum(values) ** 2 / (len(values) * sum(value * value for value in values))


def fairness(run: Measured) -> float:
    """Jain's index of the first ten flows."""
    return jain(wires(run)[:10])


def per_vc(run: Measured) -> list[float]:
    """Rate of each VC of Fig. 12 over the rate that was allocated to it."""
    rates = [sum(wires(run)[i : i + 10]) for i in range(0, 50, 10)]
    return [got / allocated for got, allocated in zip(rates, ALLOCATED, strict=True)]


def least_vc(run: Measured) -> float:
    """Least rate of a VC of Fig. 12 over the rate that was allocated to it."""
    return min(per_vc(run))


def vc_fairness(run: Measured) -> float:
    """Jain's index of the rates of the VCs of Fig. 12 over the rates that were allocated to them.

    Readings: of the rates of the fifty sources over those allocated to them, or of these rates as they are.
    """
    of = run.option("large-fairness", "vcs")
    if of == "vcs":
        return jain(per_vc(run))
    rates = wires(run)[:50]
    allocated = [rate / ALLOCATED[i // 10] for i, rate in enumerate(rates)]
    return jain({"sources": allocated, "throughputs": rates}[of])


def goodput(run: Measured) -> float:
    """Share of the cells on the shared link that belong to complete packets [%]."""
    return _goodput(run, [link for link in run.document["links"] if link["name"] == "backbone"])


def end_goodput(run: Measured) -> float:
    """Share of the cells arriving at the hosts that belong to complete packets [%].

    A reading: the same of the cells on the three links between the switches.
    """
    links = [link for link in run.document["links"] if "back" not in link["name"]]
    word = "hop-" if run.option("goodput", "hosts") == "links" else "leaf"
    return _goodput(run, [link for link in links if word in link["name"]])


def _goodput(run: Measured, links: Sequence[dict[str, Any]]) -> float:
    if run.option("goodput", "hosts") == "delivered":
        # A reading: the share that carries payload which is delivered, each byte once. All links have the same rate.
        share = sum(link["goodput_fraction"] for link in links) / sum(link["utilization"] for link in links)
        return min(100.0 * share, 100.0)
    return float(100 * (1 - sum(link["dead_units"] for link in links) / sum(link["sent"] for link in links)))


def again(number: int) -> Callable[[Measured], float]:
    """Retransmissions of the connection of this number [packets/s]."""

    def measure(run: Measured) -> float:
        return float(run.document["flows"][number - 1]["segments_retransmitted"] / run.measured_s)

    return measure


def timeouts(run: Measured) -> float:
    """Timeouts of all flows."""
    return float(run.document["summary"]["timeouts"])


def tenth_timeouts(run: Measured) -> float:
    """Timeouts of the tenth connection."""
    return float(run.document["flows"][9]["timeouts"])


def other_timeouts(run: Measured) -> float:
    """Timeouts, mean of TCP 1 to 9 of the small network."""
    return fmean(flow["timeouts"] for flow in run.document["flows"][:9])


def again_honest(run: Measured) -> float:
    """Retransmissions, mean of TCP 1 to 9 [packets/s]."""
    return fmean(again(number)(run) for number in range(1, 10))


def again_all(run: Measured) -> float:
    """Retransmissions of all ten [packets/s]."""
    return 9 * again_honest(run) + again(10)(run)


NINE = tuple(f"{group}-{i}" for group, count in (("long", 4), ("cross-a", 5)) for i in range(count))
"""TCP 1 to 9 of the chain."""
NINETEEN = (*NINE, *(f"cross-{hop}-{i}" for hop in "bc" for i in range(5)))
"""All TCPs of the chain: four over all three links, five on each."""
HOPS = {"first": "a", "second": "b", "third": "c"}
"""The links of the chain."""


def together(run: Measured, width: float = BIN) -> float | None:
    """Mean correlation, over all pairs of TCP 1 to 9, of the numbers of window cuts per bin of ``width`` [s]."""
    warm, kept = run.document["warm_up_s"], run.tape
    bins = max(int((kept.end - warm) / width), 1)
    counts = []
    hop = HOPS[run.option("tcp-5-to-9", "first")]
    for flow in (name.replace("cross-a", f"cross-{hop}") for name in NINE):
        mine = [0] * bins
        for time in kept.times.get(flow, []):
            at = int((time - warm) / width)
            if time >= warm and at < bins:
                mine[at] += 1
        counts.append(mine)
    pairs = [correlation(a, b) for a, b in itertools.combinations(counts, 2)]
    known = [value for value in pairs if value is not None]
    return fmean(known) if known else None


def together_wide(run: Measured) -> float | None:
    """The same correlation in wide bins."""
    return together(run, WIDE)


def together_read(run: Measured) -> float | None:
    """The correlation that the claims use: in bins of 20 ms, or as a reading says."""
    return IN_BINS[run.option("bins", "20 ms")](run)


IN_BINS: dict[str, Callable[[Measured], float | None]] = {"20 ms": together, "100 ms": together_wide}


def correlation(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Pearson's correlation; None if one of the two does not vary."""
    try:
        return statistics.correlation(a, b)
    except statistics.StatisticsError:
        return None
