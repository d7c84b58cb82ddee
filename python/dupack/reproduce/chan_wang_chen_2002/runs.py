"""The experiments of Chan, Wang & Chen 2002, and how their results are read."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from dupack.reproduce.paper import Experiment, Measured, Results, Sample

KINDS = {"epd": "EPD", "epd-push-out": "EPD + push-out", "abs-push-out": "proposed"}
RELATIVES = {
    "weighted-round-robin": "weighted round robin",
    "longest-queue-drop": "longest-queue drop",
    "dynamic-thresholds": "dynamic thresholds",
}
STACKS = {"abs-push-out-stacks": "proposed, by stacks"}
"""The paper's second description of its scheme (§3.3)."""
ALL = KINDS | STACKS | RELATIVES

MSS, PACKET = 512, 12
"""Payload [bytes] and cells of a packet: 512 bytes, 40 of TCP and IP and 8 of AAL5 fill 12 cells but for 16 bytes."""
WIRE = PACKET * 53 / MSS
"""Bits on the line per bit of payload, in cells."""
IP_WIRE = PACKET * 53 / (MSS + 40)
"""The same per bit of IP packets."""
LINE = 155e6
"""Of a link [bit/s]."""
RATES = (10, 20, 30, 40, 50)
"""Allocated to the five VCs of Fig. 12 [Mb/s]."""
GUARANTEED = 15.5
"""To each of ten VCs [Mb/s]."""

QUEUE = "link.backbone.queue"
HOP = "link.hop-*.queue"
DELAY = "link.backbone.delay"
TICK = "flow.*.transport.tick"
UDP = "flow.udp.traffic.rate"
SHORT, LONG = "21.9 us", "1641 us"

BIN, WIDE = 0.02, 0.1
"""In which window cuts are counted [s]: within two of the chain's longest round trips; or ten."""


@dataclass
class Cuts:
    """When each connection cut its window [s], when by a timeout, and until when there is a tape."""

    times: dict[str, list[float]] = field(default_factory=dict)
    timeouts: dict[str, list[float]] = field(default_factory=dict)
    end: float = 0.0


def cuts(tape: str) -> Cuts:
    """Reads a tape: a fast retransmit and a timeout cut the window.

    They are a few of millions of rows, so they are looked for, and the others not taken apart.
    """
    last = tape.rfind("\n", 0, len(tape) - 1) + 1
    kept = Cuts(end=float(tape[last : tape.find(",", last)]))
    for event in ("fast_retransmit", "timeout"):
        word = f",{event},"
        at = tape.find(word)
        while at >= 0:
            time, flow = tape[tape.rfind("\n", 0, at) + 1 : at].split(",")
            kept.times.setdefault(flow, []).append(float(time))
            if event == "timeout":
                kept.timeouts.setdefault(flow, []).append(float(time))
            at = tape.find(word, at + 1)
    for times in kept.times.values():
        times.sort()
    return kept


def _quick(plan: str, *sets: str, keep: Callable[[dict[str, Any]], bool] = lambda _: True, **how: Any) -> Experiment:
    return Experiment(plan, quick=sets, quick_seeds=1, quick_keep=keep, **how)


def _coarse(*buffers: int, excess: Sequence[int] = (1, 3)) -> Callable[[dict[str, Any]], bool]:
    """Of what is varied over buffers and over the room beyond the threshold some."""

    def keep(settings: dict[str, Any]) -> bool:
        queue = settings[QUEUE]
        room = _room(queue)
        beyond = _beyond(queue)
        return room in buffers and (room != 200 or beyond in (None, 2, *excess))

    return keep


EXPERIMENTS = [
    _quick("fig-07-08", "duration=4 s", keep=_coarse(200, 600, 1000)),
    _quick("fig-09-11", "duration=6 s", keep=_coarse(200, 400, 800, 2000, excess=(6, 10))),
    _quick("table-1", "duration=3 s"),
    _quick("fig-13-15", "duration=3 s", keep=lambda settings: _room(settings[QUEUE]) in (200, 1000)),
    _quick("table-2-3", "duration=4 s", tape=cuts),
    _quick("extra-readings", "duration=2 s", keep=lambda settings: settings[TICK] in ("100 ms", "1 ms")),
    _quick("extra-chain", "duration=3 s", tape=cuts),
    _quick("extra-overload", "duration=2 s", keep=lambda settings: settings[UDP] != "60 Mb/s"),
    _quick("extra-two-vcs", "duration=2 s"),
]


# Samples by what they are


def _room(queue: dict[str, Any]) -> int:
    return int(str(queue["buffer"]).split()[0])


def _beyond(queue: dict[str, Any]) -> int | None:
    """Packets that find room beyond the EPD threshold; None without a threshold."""
    if "threshold" not in queue:
        return None
    return round(_room(queue) * (1 - float(queue["threshold"])) / PACKET)


def queue_of(sample: Sample) -> dict[str, Any]:
    """Of the bottlenecks."""
    return sample.settings.get(QUEUE) or sample.settings[HOP]


def buffer(sample: Sample) -> int:
    """Of a bottleneck [cells]."""
    return _room(queue_of(sample))


def beyond(sample: Sample) -> int:
    """Room beyond the EPD threshold [packets]."""
    return _beyond(queue_of(sample)) or 0


def kind_of(queue: dict[str, Any]) -> str:
    """The strategy. EPD is push-out that never pushes out, because no packet of M cells fits below a VC's threshold."""
    never = queue["kind"] == "epd-push-out" and queue["max_packet"] == queue["buffer"]
    return "epd" if never else str(queue["kind"])


def only(samples: Sequence[Sample], kind: str) -> list[Sample]:
    """Those of a discipline."""
    return [sample for sample in samples if kind_of(queue_of(sample)) == kind]


def over_excess(results: Results, plan: str, kind: str) -> list[Sample]:
    """By the room beyond the threshold, with 200 cells; of a discipline without a threshold the one there is."""
    mine = [sample for sample in only(results[plan], kind) if buffer(sample) == 200]
    return sorted(mine, key=beyond)


def over_buffer(results: Results, plan: str, kind: str) -> list[Sample]:
    """By the buffer, with two packets of room beyond the threshold, where there is one."""
    mine = [sample for sample in only(results[plan], kind) if beyond(sample) in (0, 2) and TICK not in sample.settings]
    return sorted(mine, key=buffer)


def coarse_clock(results: Results, kind: str) -> list[Sample]:
    """The fifty connections by the buffer, with a coarser clock."""
    mine = [sample for sample in only(results["fig-13-15"], kind) if TICK in sample.settings]
    return sorted(mine, key=buffer)


def at_buffer(results: Results, plan: str, kind: str, size: int) -> Sample:
    return next(sample for sample in over_buffer(results, plan, kind) if buffer(sample) == size)


def table_1(results: Results, kind: str, delay: str) -> Sample:
    return next(sample for sample in only(results["table-1"], kind) if sample.settings[DELAY] == delay)


def chain(results: Results, kind: str) -> Sample:
    return only(results["table-2-3"], kind)[0]


WAYS = ("packets of IP", "packets of cells", "access lines", "applications")
"""How sources keep to their rates, in words of figures."""


def way(sample: Sample) -> str:
    """How the sources of a reading keep to their rates."""
    traffic = sample.settings["flow.tcp.traffic"]
    if traffic["kind"] == "cbr":
        return "applications"
    if "access_rate" not in traffic:
        return "access lines"
    return "packets of IP" if traffic["access_rate"] == "15.5 Mb/s" else "packets of cells"


def udp_sent(sample: Sample) -> float:
    """What UDP sends where it does not back off, in cells [Mb/s]; plans have it in IP packets."""
    return float(sample.settings[UDP].removesuffix(" Mb/s")) * IP_WIRE


def chain_reading(sample: Sample) -> str:
    """What a sample of extra-chain changes."""
    if UDP in sample.settings:
        return "UDP of 31 Mb/s of IP"
    if beyond(sample) == 1:
        return "room for one packet"
    tick = sample.settings.get("flow.long.transport.tick")
    return f"clock {tick}" if tick else "access lines"


# What is read off a run


def wires(run: Measured) -> list[float]:
    """Of every flow: cells on the line of what was delivered [Mb/s]."""
    return [flow["goodput_bps"] * WIRE / 1e6 for flow in run.document["flows"]]


def wire(number: int) -> Callable[[Measured], float]:
    """Of the connection of this number, from 1."""
    return lambda run: wires(run)[number - 1]


def ten(run: Measured) -> list[float]:
    """Of Table 3's ten: UDP, TCP 1 to 9."""
    return wires(run)[:10]


def honest(run: Measured) -> float:
    """Mean of TCP 1 to 9 of the small network [Mb/s]."""
    return fmean(wires(run)[:9])


def least(run: Measured) -> float:
    """The one of them that gets the least [Mb/s]."""
    return min(wires(run)[:9])


def least_of_ten(run: Measured) -> float:
    """What the one of ten that gets the least has of its guarantee."""
    return min(wires(run)[:10]) / GUARANTEED


def first_vc(run: Measured) -> float:
    """Of the two VCs that of UDP [Mb/s]."""
    return sum(wires(run)[:3])


def second_vc(run: Measured) -> float:
    """Of the two VCs that of the TCPs [Mb/s]."""
    return sum(wires(run)[3:])


def pushed_out(run: Measured) -> float:
    """Of the cells that switches sent and pushed out, those pushed out [%]."""
    shared = [link for link in run.document["links"] if link["name"] in ("backbone", "hop-a", "hop-b", "hop-c")]
    out = sum(link["dropped"].get("pushed-out", 0) for link in shared)
    return 100 * out / (out + sum(link["sent"] for link in shared))


def total(run: Measured) -> float:
    """Of the first ten flows [Mb/s]."""
    return sum(wires(run)[:10])


def share(run: Measured) -> float:
    """Of all flows over the line, both in cells [%].

    What is delivered in the first moments of the measured time came before it: a line that is always full has a little
    more than 100 %, which is no throughput.
    """
    return min(100 * sum(wires(run)) * 1e6 / LINE, 100.0)


def jain(values: Sequence[float]) -> float:
    return sum(values) ** 2 / (len(values) * sum(value * value for value in values))


def fairness(run: Measured) -> float:
    """Of the first ten flows."""
    return jain(wires(run)[:10])


def per_vc(run: Measured) -> list[float]:
    """Of Fig. 12: what each VC gets over what it was allocated."""
    rates = [sum(wires(run)[i : i + 10]) for i in range(0, 50, 10)]
    return [got / allocated for got, allocated in zip(rates, RATES, strict=True)]


def least_vc(run: Measured) -> float:
    """What the VC that is worst off gets over what it was allocated."""
    return min(per_vc(run))


def vc_fairness(run: Measured) -> float:
    return jain(per_vc(run))


def goodput(run: Measured) -> float:
    """Share of the cells on the shared line that are of complete packets [%]."""
    return _whole([link for link in run.document["links"] if link["name"] == "backbone"])


def end_goodput(run: Measured) -> float:
    """Share of the cells that arrive at the hosts which are of complete packets [%]."""
    leaves = [link for link in run.document["links"] if "leaf" in link["name"] and "back" not in link["name"]]
    return _whole(leaves)


def _whole(links: Sequence[dict[str, Any]]) -> float:
    return 100 * (1 - sum(link["dead_units"] for link in links) / sum(link["sent"] for link in links))


def again(number: int) -> Callable[[Measured], float]:
    """Packets sent again per second by the connection of this number."""

    def measure(run: Measured) -> float:
        return run.document["flows"][number - 1]["segments_retransmitted"] / measured_time(run)

    return measure


def measured_time(run: Measured) -> float:
    """After warm-up [s]."""
    return run.document["duration_s"] - run.document["warm_up_s"]


def again_honest(run: Measured) -> float:
    """Mean of TCP 1 to 9."""
    return fmean(again(number)(run) for number in range(1, 10))


NINE = tuple(f"{group}-{i}" for group, count in (("long", 4), ("cross-a", 5)) for i in range(count))
"""TCP 1 to 9 of the chain."""
NINETEEN = (*NINE, *(f"cross-{hop}-{i}" for hop in "bc" for i in range(5)))
"""All of its TCPs: four over all three links, five on each."""


def together(run: Measured, width: float = BIN) -> float | None:
    """Mean correlation, over all pairs of TCP 1 to 9, of the numbers of window cuts per bin of ``width`` [s]."""
    warm, kept = run.document["warm_up_s"], run.tape
    bins = max(int((kept.end - warm) / width), 1)
    counts = []
    for flow in NINE:
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
    """The same in wide bins."""
    return together(run, WIDE)


def correlation(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Pearson's; None if one of the two does not vary."""
    ma, mb = fmean(a), fmean(b)
    va, vb = sum((x - ma) ** 2 for x in a), sum((y - mb) ** 2 for y in b)
    if va == 0 or vb == 0:
        return None
    return sum((x - ma) * (y - mb) for x, y in zip(a, b, strict=True)) / (va * vb) ** 0.5
