"""Goodput, loss and queue of three scenarios, as ns-3 has them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

from dupack import mean_ci95
from dupack.work import cores
from verify import ns3
from verify.frame import Report, Row
from verify.ns3 import Flow, Result, Scenario

TITLE = "Goodput, loss and queue of SACK TCPs"
AGAINST = "ns-3 (TcpNewReno with SACK, DropTailQueue, RedQueueDisc)"
ORDER = 11
SENDERS = {"rfc": "as in the RFCs", "shipped": "as shipped"}
"""The two variants of ns-3's sender."""
CLOSE = 0.02
"""Difference that is let pass though its interval does not hold zero."""
TEXT = """
The plans are in `verify/plans`, and `verify/ns3.cc` is our program for ns-3: (a) one TCP over a drop-tail bottleneck
with half a round trip's buffer, (b) ten TCPs with round trips of 24 to 96 ms over one, (c) a hundred TCPs over RED.
Starts, and in (a) and (b) delays before the bottleneck, are drawn per seed and the same in both simulators; in (c)
each draws for itself. Both send segments of 1000 bytes with 42 of headers (TCP, IP, ns-3's PPP), acknowledge each,
have limited transmit, an initial window of 2 segments, a timer of at least 1 s; dupack counts the pipe as RFC 6675
says. ns-3 has its classic recovery (its default, proportional rate reduction, is not dupack's) and no time stamps.
Its device below RED keeps a packet that RED does not see, so its thresholds are one packet lower. All measures are of
the time after warm-up. The last column is the mean difference, seed by seed, of ns-3's value.
"""
BELOW = """
Why there are two variants of ns-3's sender. At a loss RFC 5681 (§3.2) and RFC 6675 (step 4.2) make the window half of
FlightSize, all that is outstanding, without what limited transmit added. With SACK ns-3 halves its `BytesInFlight()`
instead, which by then leaves out the three segments that were reported as arrived and the first that is thought lost:
its window comes out two segments smaller at every loss. That is little where windows are large, as in (a), and much
in (c), where they have about six segments. And ns-3 cuts what an ack adds to the window down to whole bytes, 16 for
16.67 at 60 segments, so that windows grow more slowly: in (a) it had 28.25 recoveries for our 29.25 with only the
first put right, and 29.25 with both. `as in the RFCs` is a controller of ours, of a few lines, that does both as the
RFCs say; all that is claimed is claimed against it, and what ns-3 does as it is shipped is beside it.

In (b) a few flows hold the buffer for seconds at a time, others with another seed: what single flows get hangs on the
order of packets that arrive within microseconds of each other.
"""


def one(rng: random.Random) -> list[Flow]:
    """A flow, and a delay of a few milliseconds before the bottleneck."""
    return [Flow(start_s=round(rng.uniform(0, 1), 6), access_s=round(rng.uniform(0.001, 0.005), 9))]


def ten(rng: random.Random) -> list[Flow]:
    """Flows whose round trips are 8 ms apart, but for less than 1 ms."""
    return [
        Flow(start_s=round(rng.uniform(0, 1), 6), access_s=round(0.001 + 0.004 * n + rng.uniform(0, 0.001), 9))
        for n in range(10)
    ]


def hundred(rng: random.Random) -> list[Flow]:
    """Flows of one round trip."""
    return [Flow(start_s=round(rng.uniform(0, 1), 6), access_s=0.001) for _ in range(100)]


def each(flows: Sequence[Flow]) -> list[str]:
    """Starts and delays of flows and lines that have a name each."""
    sets = [f'flow.tcp-{n}.start="{it.start_s * 1e6:.0f} us"' for n, it in enumerate(flows)]
    return sets + [f'link.access-{n}.delay="{it.access_s * 1e9:.0f} ns"' for n, it in enumerate(flows)]


SCENARIOS = [
    Scenario("a", "a-one.toml", 10_000_000, 0.02, 30, None, 20, 100, 4, one, each),
    Scenario("b", "b-ten.toml", 20_000_000, 0.01, 60, None, 20, 100, 8, ten, each),
    Scenario("c", "c-hundred.toml", 30_000_000, 0.08, 300, (39, 159, 0.1, 0.002), 10, 40, 4, hundred, lambda flows: []),
]
FEW = 3
"""Seeds if it is to be quick."""


def jain(result: Result) -> float:
    """Of the goodputs."""
    total = sum(result.goodputs)
    return total * total / (len(result.goodputs) * sum(x * x for x in result.goodputs))


MEASURES: dict[str, tuple[str, Callable[[Result], float]]] = {
    "goodput": ("Mb/s", lambda it: sum(it.goodputs)),
    "loss": ("%", lambda it: 100 * it.loss),
    "queue": ("packets", lambda it: it.waiting),
    "fairness (Jain)": ("", jain),
    "recoveries": ("", lambda it: it.recoveries),
    "timeouts": ("", lambda it: it.timeouts),
}
CLAIMED = {"goodput", "loss", "queue"}


def shown(values: Sequence[float], unit: str) -> str:
    """Mean and 95 % interval."""
    mean, half = mean_ci95(list(values))
    return f"{mean:.4g} ± {half or 0:.2g} {unit}".strip()


def row(scenario: Scenario, measure: str, ours: Sequence[Result], theirs: Sequence[Result], sender: str) -> Row | None:
    """A measure in both simulators; none where it says nothing."""
    unit, of = MEASURES[measure]
    mine, other = [of(it) for it in ours], [of(it) for it in theirs]
    if measure not in CLAIMED and len(set(mine + other)) == 1:
        return None
    mean, half = mean_ci95([a - b for a, b in zip(mine, other, strict=True)])
    reference = sum(other) / len(other)
    agrees = abs(mean) <= max(half or 0, CLOSE * reference) if sender == "rfc" and measure in CLAIMED else None
    share = f"{100 * mean / reference:+.2f} ± {100 * (half or 0) / reference:.2g} %" if reference else ""
    band = f"95 % interval of the difference, or {CLOSE:.0%}" if agrees is not None else ""
    what = f"({scenario.name}) {measure}, ns-3 {SENDERS[sender]}"
    return Row(what, shown(mine, unit), shown(other, unit), band, agrees, share)


def check(quick: bool) -> Report:
    """Runs the scenarios, with fewer seeds if it is to be quick."""
    why = ns3.missing()
    if why:
        return Report(TITLE, AGAINST, skipped=why, order=ORDER)
    variants = ["rfc"] if quick else list(SENDERS)
    seeds = {it.name: range(1, 1 + (FEW if quick else it.seeds)) for it in SCENARIOS}
    cases = [(it, sender, seed) for it, sender in product(SCENARIOS, variants) for seed in seeds[it.name]]
    with ns3.program() as binary, ThreadPoolExecutor(cores()) as pool:
        results = dict(zip(cases, pool.map(lambda case: of_case(binary, *case), cases), strict=True))
    rows = []
    for scenario in SCENARIOS:
        ours = ns3.of_dupack(scenario, seeds[scenario.name])
        for measure, sender in product(MEASURES, variants):
            theirs = [results[scenario, sender, seed] for seed in seeds[scenario.name]]
            rows.append(row(scenario, measure, ours, theirs, sender))
    return Report(TITLE, AGAINST, [it for it in rows if it], TEXT, below=BELOW, order=ORDER)


def of_case(binary: Path, scenario: Scenario, sender: str, seed: int) -> Result:
    """A run of ns-3."""
    return ns3.of_ns3(binary, scenario, seed, sender)
