"""COBALT, FQ-PIE and PIE, as ns-3 has them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from verify import ns3
from verify.frame import Report, Row
from verify.ns3_both import FEW, MANY, SOME, Alone, Both, delay_ms, dropped, early, full, joined, marked
from verify.ns3_disciplines import Ns3Cobalt, Ns3Pie
from verify.ns3_figures import figures
from verify.ns3_loops import loops
from verify.ns3_queues import (
    PACKET,
    SECOND,
    Fates,
    Packet,
    backlogs,
    drawn,
    of_dupack,
    of_ns3,
    phases,
    poisson,
    together,
    up_and_down,
)

TITLE = "Queues of ns-3"
AGAINST = "{} (CobaltQueueDisc, FqPieQueueDisc, PieQueueDisc), and the figures of its own tests"
ORDER = 14
TEXT = """
`verify/ns3_queues.cc` is our program for ns-3. **Alone**, a disc is driven directly: packets arrive at times that are
drawn per seed, and a line of 10 Mb/s takes them from it. Ours gets the same packets from a trace. Packets have 1,042
B unless stated otherwise, loads are shares of the line's rate, and arrivals are independent of each other. Where
nothing is drawn at random, the same packets must be dropped and marked, at the same times to the nanosecond, and the
others must leave in the same order. Else the two have the same arrivals in each run, and the mean of the differences
of their numbers is compared with 0. In `p is 0 or 1`, PIE's gains are so large that its drop probability is either,
and nothing is left to chance: such rows check the times of updates, the delay, and the guards. The row `PIE's p`
checks the probability itself. In it all packets are marked and none is dropped, so that p has the same course in all
runs. Our marks are counted in times of 0.25 s, and compared with those to be expected by the p of ns-3, which the
program reads after each update.

**Below TCPs**, there are 1 or 5 connections over 10 Mb/s; the network, the senders (`as in the RFCs`) and their
settings are those of "Goodput, loss and queue of SACK TCPs". Starts and receivers' delays are drawn per seed, the
initial ssthresh is half of what the path holds but at least 8 segments for each, and runs of 30 s are measured after
10 s. A device of ns-3 takes a packet from the disc while it still sends the one before. Here it is stopped while it
sends, so that all packets wait in the disc.

**ns-3's tests**: each row has the input of one of ns-3's own tests, and what that test expects of drops and marks. In
the tests of PIE a packet arrives every 10 ms for 4 s, and packets depart at a fixed interval. Tests of PIE without a
row read or set variables of ns-3's class (1, 13, 14, and the increments of p in 7 and 8), or use ActiveThreshold (15,
16; RFC 8033 §5.3), which dupack does not have. Of COBALT, tests of its CE threshold have no row, because dupack has
none; its test of marks also looks at times and queue lengths, which are not judged. `pie-example` has two TCPs over
1.5 Mb/s.

Parameters are the same on both sides, and those of the RFCs and of Linux unless a row says otherwise: PIE has a
target of 15 ms, an update every 15 ms and a burst allowance of 150 ms, COBALT a target of 5 ms and an interval of 100
ms. PIE and FQ-PIE alone have no burst allowance except in the rows on bursts; a target of 50 ms in the row `PIE's p`,
and of 40 ms in those on the departure rate. Options are on or off in both. COBALT in ns-3 also has a threshold of 400
ms for Blue, which neither Linux nor dupack has; it is off. So are ns-3's L4S modes.

All bands were stated before the first run, except that the packets of one TCP over COBALT, and of five at 100 ms with
rule 1, are identical: that was claimed after two runs had been seen. The rules below were found by reading ns-3's
sources before the first run; which of them a row needs was found after it. A row that departs has their numbers.
Where a rule can be given to ours (`verify/ns3_disciplines.py`), a row beside it does so; for rules 7 to 10, a row
beside it changes the setting or ns-3's side. Rows with `theirs is ours in Python` show that the discipline in Python
differs from ours by these rules alone.
"""
BELOW = """
Rules of ns-3 that differ. Names are those of files and functions of ns-3.37; they are the same in ns-3.44
and in ns-3 of July 2026.

1. `cobalt-queue-disc.cc`, `InvSqrt`: 1/sqrt(count) comes from Newton's method, as in Linux' CAKE. It is 0.06 % too
   small for a count of 2, and up to 0.16 % from 16 on; ours is exact. So signals come up to 0.04 ms early, and the
   packet that they meet may be another one.
2. `DoDequeue`: the last packet of the queue may be dropped, too. Linux and dupack send it.
3. `cobalt-queue-disc.h`, `m_lastUpdateTimeBlue`: the time of Blue's last change has 32 bits of nanoseconds. After
   4.3 s of simulated time it always seems long ago, so each overflow raises the drop probability, and not only one in
   5 ms. **This is a mistake of ns-3.**
4. `CobaltQueueEmpty`: Blue's probability falls once in an idle time, however long it is, because ns-3 asks an
   empty disc once. Ours falls once in 5 ms.
5. `pie-queue-disc.cc`, `DropEarly`: nothing is dropped while two packets wait or fewer. RFC 8033 §4.1 has twice the
   bytes of a usual packet.
6. `DropEarly`, `CalculateP`: the burst allowance begins with the first packet after 1.5 s without congestion, even if
   no burst follows, and p is 0 while it lasts (as in ns-2). By RFC 8033 §4.4 it begins when congestion does, and p is
   updated in the meantime.
7. `DoDequeue`: the departure rate is that of the bytes counted, 16 packets or 16,672 B. RFC 8033 §5.2 divides by the
   threshold of 16,384 B, and so do we: our delay is thought 1.8 % longer than it is. With a threshold of 16 packets
   the difference is gone. (ns-3 also weighs a measurement by a half, not by a quarter, and counts the packet that
   begins it.)
8. `PieQueueDisc::PieQueueDisc`: within FQ-PIE, each PIE updates every 15 ms from the first packet of its flow on. Linux
   has one timer for all, dupack multiples of 15 ms. Where flows begin at such multiples, all is identical.
9. `fq-pie-queue-disc.cc`, `InitializeParams`: `MarkEcnThreshold` is not handed to the PIEs, so that it has no effect.
   **This is a mistake of ns-3.** If the default of the PIEs is set instead, the difference is gone.
10. `FqPieDrop`: when the buffer is full, ns-3 drops up to 64 packets at the head of the longest queue, as FQ-CoDel.
    Linux and dupack drop the packet that arrives.

With five TCPs over COBALT at 20 ms, packets differ from early on, even with rule 1. In the two runs that were
examined, the first difference was how a sender with a window of a few segments begins a recovery right after another,
and not the queue. Their means agree.
"""
ROOM = Both('buffer = "100000 packets"', "MaxSize=100000p")
COBALT = Both(f'kind = "cobalt", {ROOM.ours}', f"{ROOM.theirs} BlueThreshold=1000s")
"""Blue's other threshold is not in Linux or in ours."""
PLAIN = Both(f'packet_size = "{PACKET} B", {ROOM.ours}', f"{ROOM.theirs} UseCapDropAdjustment=false")
CALM = Both('max_burst = "0 s"', "MaxBurstAllowance=0s")
BANG = Both("alpha = 1e15, beta = 1e16", "A=1e15 B=1e16")
"""The probability is 0 or 1."""
PIE = joined(Both('kind = "pie"', ""), PLAIN)
FQ_PIE = joined(
    Both('kind = "fq-pie", collisions = false, quantum = "1514 B"', "Quantum=1514"),
    Both("cap = false, derandomize = false, ecn = true", "UseEcn=true"),
    PLAIN,
)


def sizes(quick: bool) -> tuple[int, int]:
    """Numbers of runs of exact comparisons and of means."""
    return (1, 3) if quick else (FEW, SOME)


def cobalt(binary: Path, quick: bool) -> Iterator[Row]:
    """COBALT alone."""
    few, some = sizes(quick)

    def half(draw: random.Random) -> list[Packet]:
        loads = [(time, load / 2) for time, load in up_and_down(draw, 20, 0.3, 1.5)]
        return together(phases(draw, loads, 0, capable=True), phases(draw, loads, 1))

    # There is room for all, so that Blue does nothing.
    for what, ecn, draws in (
        ("loads of 0.3 to 1.5", "false", lambda draw: phases(draw, up_and_down(draw, 20, 0.3, 1.5))),
        ("loads of 0.3 to 1.5, half of the packets ECN-capable", "true", half),
        ("a load of 1.3 for 20 s", "false", lambda draw: poisson(draw, 1.3, 0, 20)),
    ):
        runs = drawn(f"cobalt {what}", draws, few)
        both = joined(COBALT, Both(f"ecn = {ecn}", f"UseEcn={ecn}"))
        alone = Alone(binary, "Cobalt", both, runs, 60)
        yield alone.identical(f"COBALT, {what}", rules=(1, 2))
        own = alone.other(Ns3Cobalt(100_000, ecn=ecn == "true", newton=True, last_too=True), 60)
        yield own.identical(f"COBALT, {what}; rules 1 and 2 in ours")
        own.theirs, own.ours = alone.ours, of_dupack(Ns3Cobalt(100_000, ecn=ecn == "true"), runs, 60)
        yield own.identical(f"COBALT, {what}; theirs is ours in Python")

    small = Both('kind = "cobalt", ecn = false, buffer = "50 packets"', "MaxSize=50p BlueThreshold=1000s")
    all_four = Ns3Cobalt(50, newton=True, last_too=True, wraps=True, once=True)
    for what, begin, draws in (
        ("a load of 1.5 from 0 to 4 s", 0, lambda draw: poisson(draw, 1.5, 0, 4)),
        ("a load of 1.5 from 10 to 14 s", 10, lambda draw: poisson(draw, 1.5, 10, 14)),
        ("a load of 0.7 for 3 s after one of 2 for 1 s", 0, lambda draw: phases(draw, [(1.0, 2.0), (3.0, 0.7)])),
    ):
        alone = Alone(binary, "Cobalt", small, drawn(f"blue {what}", draws, some), begin + 5)
        own = alone.other(all_four, begin + 5)
        for name, of, unit in (("overflows", full, ""), ("other drops", early, ""), ("delay", delay_ms, "ms")):
            rules = (1, 2, 3, 4) if begin else (1, 2, 4)
            yield alone.means(f"COBALT with Blue, {what}: {name}", of, unit, rules=rules)
            yield own.means(f"COBALT with Blue, {what}: {name}; rules 1 to 4 in ours", of, unit)


def pie(binary: Path, quick: bool) -> Iterator[Row]:
    """PIE alone."""
    few, some = sizes(quick)
    exact = joined(PIE, CALM, BANG)

    def one(draw: random.Random) -> list[Packet]:
        return phases(draw, up_and_down(draw, 20, 0.2, 2.0))

    def mixed(draw: random.Random) -> list[Packet]:
        return [Packet(it.at, 0, draw.randint(64, 2 * PACKET - 64)) for it in one(draw)]

    yield Alone(binary, "Pie", exact, drawn("pie", one, few), 60).identical("PIE, p is 0 or 1, loads of 0.2 to 2")
    alone = Alone(binary, "Pie", exact, drawn("pie sizes", mixed, few), 60)
    yield alone.identical("PIE, p is 0 or 1, packets of 64 to 2,020 B", rules=(5,))
    own = alone.other(Ns3Pie(100_000, burst=0, gain=1e15), 60)
    yield own.identical("PIE, p is 0 or 1, packets of 64 to 2,020 B; rule 5 in ours")
    yield probability(binary, 2 if quick else MANY)

    runs = drawn("pie counts", lambda draw: poisson(draw, 1.2, 0, 15), some)
    for name, words, attributes in (
        ("PIE", "cap = false", ""),
        ("PIE, derandomized", "derandomize = true", "UseDerandomization=true"),
        ("PIE, capped", "cap = true", "UseCapDropAdjustment=true"),
    ):
        alone = Alone(binary, "Pie", joined(PIE, CALM, Both(words, attributes)), runs, 20)
        yield alone.means(f"{name}, a load of 1.2: drops", dropped, "")
        yield alone.means(f"{name}, a load of 1.2: delay", delay_ms, "ms")

    capable = drawn("pie ecn", lambda draw: poisson(draw, 1.12, 0, 15, capable=True), some)
    alone = Alone(binary, "Pie", joined(PIE, CALM, Both("ecn = true", "UseEcn=true")), capable, 20)
    yield alone.means("PIE, marks below p = 0.1, a load of 1.12: marks", marked, "")
    yield alone.means("PIE, marks below p = 0.1, a load of 1.12: drops", dropped, "")

    for what, calm in (("silence", 0.0), ("a load of 0.1", 0.1)):

        def bursts(draw: random.Random, calm: float = calm) -> list[Packet]:
            return phases(draw, [(3.0, calm), (0.35, 1.5)] * 5)

        alone = Alone(binary, "Pie", PIE, drawn(f"pie bursts {calm}", bursts, some), 20)
        name = f"PIE with its burst allowance, bursts of 0.35 s after {what}: drops"
        yield alone.means(name, dropped, "", rules=(6,))
        yield alone.other(Ns3Pie(100_000), 20).means(f"{name}; rule 6 in ours", dropped, "")

    rate = joined(PIE, CALM, Both('estimator = "departure-rate"', "UseDequeueRateEstimator=true"))
    rate = joined(rate, Both('target = "40 ms"', "QueueDelayReference=40ms"))
    alone = Alone(binary, "Pie", rate, runs, 20)
    yield alone.means("PIE by the departure rate, a load of 1.2: delay", delay_ms, "ms", rules=(7,))
    whole = joined(rate, Both(f'dq_threshold = "{16 * PACKET} B"', f"DequeueThreshold={16 * PACKET}"))
    alone = Alone(binary, "Pie", whole, runs, 20)
    yield alone.means("PIE by the departure rate of 16 packets, a load of 1.2: delay", delay_ms, "ms")


def probability(binary: Path, number: int) -> Row:
    """PIE's drop probability over time: all packets are marked, so that it is the same in all runs."""
    draw = random.Random("pie probability")
    tides = [draw.uniform(0.2, 0.7) for _ in range(30)]
    # Delays of up to a few times the target, and p between 0 and 0.3: all that can be marked is.
    arrivals = phases(draw, [it for tide in tides for it in ((0.25, 1 + tide), (0.25, 0.9 - tide))], capable=True)
    own = Both(
        'ecn = true, mark_ecnth = 1, target = "50 ms"', "UseEcn=true MarkEcnThreshold=1 QueueDelayReference=50ms"
    )
    both = joined(PIE, CALM, own)
    (theirs,) = of_ns3(binary, "Pie", both.theirs.split(), [arrivals], 20)
    seeds = range(1, number + 1)
    ours = of_dupack(f"{{ {both.ours} }}", [arrivals] * number, 20, seeds=seeds)
    counts, means, variances = [0] * 60, [0.0] * 60, [0.0] * 60
    for run in ours:
        for at in run.marked:
            counts[arrivals[at].at * 4 // SECOND] += 1
    updates = iter(theirs.updates)
    current, coming = (0, 0.0, 0.0), next(updates)
    for packet, waiting in zip(arrivals, backlogs(arrivals), strict=True):
        while coming[0] <= packet.at:
            current, coming = coming, next(updates)
        _, p, delay = current
        if waiting > 2 and (delay >= 0.025 or p >= 0.2):
            window = packet.at * 4 // SECOND
            means[window] += number * p
            variances[window] += number * p * (1 - p)
    # With a variance above 5, the number of marks is nearly normal.
    windows = [it for it in zip(counts, means, variances, strict=True) if it[2] > 5]
    square, most = beyond(windows)
    mine, other = sum(counts), sum(means)
    largest = max(p for _, p, _ in theirs.updates)
    note = f"{number} runs of ours; ns-3's p is 0 to {largest:.2f}; chi-squared {square:.1f}, at most {most:.1f}"
    drops = sum(len(it.dropped) for it in [*ours, theirs])
    what = f"PIE's p: marks in each of {len(windows)} times of 0.25 s"
    said = f"{mine} marks, {drops} drops"
    return Row(what, said, f"{other:.0f} by its p", "99 % of chi-squared", square <= most and not drops, note)


def beyond(windows: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    """Chi-squared of counts, each with its mean and variance; and what it exceeds in one of a hundred cases.

    The latter is Wilson and Hilferty's approximation, which is good to 0.1 % for 10 counts or more.
    """
    square = sum((count - mean) ** 2 / variance for count, mean, variance in windows)
    part = 2 / (9 * len(windows))
    return square, len(windows) * (1 - part + 2.326 * math.sqrt(part)) ** 3


def fq_pie(binary: Path, quick: bool) -> Iterator[Row]:
    """FQ-PIE alone."""
    few, some = sizes(quick)

    def three(offset: float, capable: bool = False) -> Callable[[random.Random], list[Packet]]:
        """Three flows whose first packets come a multiple of PIE's interval after the beginning, and `offset` [s]."""

        def made(draw: random.Random) -> list[Packet]:
            flows = []
            for flow, load in enumerate((0.15, 0.5, 0.8)):
                begin = 0.015 * flow + (offset * flow if flow else 0)
                first = Packet(round(begin * SECOND), flow, capable=capable)
                flows.append([first, *poisson(draw, load, begin, 10, flow, capable=capable)])
            return together(*flows)

        return made

    exact = joined(FQ_PIE, CALM, BANG)
    alone = Alone(binary, "FqPie", exact, drawn("fq-pie", three(0), few), 30)
    yield alone.identical("FQ-PIE, three flows, p is 0 or 1")
    alone = Alone(binary, "FqPie", exact, drawn("fq-pie", three(0.0053), few), 30)
    yield alone.identical("FQ-PIE, three flows that begin between updates, p is 0 or 1", rules=(8,))
    alone = Alone(binary, "FqPie", joined(FQ_PIE, CALM), drawn("fq-pie counts", three(0), some), 30)
    yield alone.means("FQ-PIE, three flows: drops", dropped, "")
    yield alone.means("FQ-PIE, three flows: delay", delay_ms, "ms")

    capable = drawn("fq-pie ecn", three(0, True), some)
    threshold = joined(FQ_PIE, CALM, Both("mark_ecnth = 1", "MarkEcnThreshold=1"))
    alone = Alone(binary, "FqPie", threshold, capable, 30)
    yield alone.means("FQ-PIE, marks below p = 1: drops", dropped, "", rules=(9,))
    threshold = joined(FQ_PIE, CALM, Both("mark_ecnth = 1", "@ns3::PieQueueDisc::MarkEcnThreshold=1"))
    alone = Alone(binary, "FqPie", threshold, capable, 30)
    yield alone.means("FQ-PIE, marks below p = 1, set in ns-3's PIE: drops", dropped, "")
    yield alone.means("FQ-PIE, marks below p = 1, set in ns-3's PIE: marks", marked, "")

    # PIE drops nothing.
    small = Both('kind = "fq-pie", collisions = false, quantum = "1514 B", buffer = "60 packets"', "MaxSize=60p")
    small = joined(small, Both('max_burst = "1000 s"', "Quantum=1514 MaxBurstAllowance=1000s"))

    def flood(draw: random.Random) -> list[Packet]:
        return together(poisson(draw, 0.2, 0, 10, 0), poisson(draw, 1.2, 0, 10, 1))

    runs = drawn("fq-pie full", flood, some)
    alone = Alone(binary, "FqPie", small, runs, 30)
    flows = {id(it): run for side in (alone.ours, alone.theirs) for it, run in zip(side, runs, strict=True)}

    def of_less(it: Fates) -> float:
        return sum(flows[id(it)][n].flow == 0 for n in it.dropped)

    yield alone.means("FQ-PIE, a full buffer: drops of the flow with a load of 0.2", of_less, "", rules=(10,))
    single = joined(small, Both("ecn = false", "DropBatchSize=1"))
    runs = drawn("fq-pie one", lambda draw: poisson(draw, 1.2, 0, 10), some)
    alone = Alone(binary, "FqPie", single, runs, 30)
    yield alone.means("FQ-PIE, a full buffer, one flow, ns-3 drops one packet at a time: drops", dropped, "")


PARTS = (cobalt, pie, fq_pie, loops, figures)


def check(quick: bool) -> Report:
    """The section; it takes about three minutes of a processor."""
    why = ns3.missing()
    if why:
        return Report(TITLE, AGAINST.format(ns3.against()), skipped=why, order=ORDER)
    with ns3.program(ns3.HERE / "ns3_queues.cc") as binary:
        rows = [row for part in PARTS for row in part(binary, quick)]
    return Report(TITLE, AGAINST.format(ns3.against()), rows, TEXT, below=BELOW, order=ORDER)
