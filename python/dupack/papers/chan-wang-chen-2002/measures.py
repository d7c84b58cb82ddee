"""The measures of Chan, Wang & Chen 2002: what is kept of runs, measures by name, claims that need Python, and notes.

Rates are in Mb/s of cells unless a name says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from dupack.reproduce.compare import mean_of, paired
from dupack.reproduce.folder import stated
from dupack.reproduce.paper import Finding, Measured, Measures, Read, Results, Sample, Settings
from dupack.reproduce.select import where
from dupack.reproduce.told import fixed, plain
from dupack.reproduce.verdicts import above, all_above, below, every
from dupack.words import with_half

from .runs import (
    ABS,
    ALLOCATED,
    CHAIN,
    EPD,
    GUARANTEED,
    IN_BINS,
    KINDS,
    LARGE,
    LINE,
    LONG,
    MORE_CHAIN,
    MORE_LARGE,
    ONE_PACKET,
    PUSH,
    RATES,
    SHORT,
    SMALL,
    TABLE_1,
    WAYS,
    Cuts,
    again,
    again_all,
    again_honest,
    ahead,
    at_buffer,
    beyond,
    bias,
    buffer,
    carried,
    chain,
    chain_reading,
    counted,
    end_goodput,
    fairness,
    goodput,
    kind_of,
    least_of_ten,
    least_vc,
    of_kind,
    other_timeouts,
    over_buffer,
    over_excess,
    per_vc,
    pushed_out,
    share,
    table_1,
    tenth_timeouts,
    timeouts,
    together,
    together_read,
    together_wide,
    total,
    udp_sent,
    vc_fairness,
    way,
    wire,
    wires,
)

MEASURES = measure = Measures()

# What is kept of a run


def cuts(tape: str) -> Cuts:
    """Reads a tape: a fast retransmit and a timeout cut the window.

    Such rows are a few of millions, so the function searches for them and does not split the others.
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


def quick_rates(settings: Settings) -> bool:
    """Points of Figs. 9 and 11 for a first look: four buffers, three rooms beyond the threshold."""
    sample = Sample(settings, ())
    return buffer(sample) in (200, 400, 800, 2000) and beyond(sample) in (0, 2, 6, 10)


# Measures by name

READS: dict[str, Read] = {
    "goodput": goodput,
    "end_goodput": end_goodput,
    "share": share,
    "total": total,
    "fairness": fairness,
    "vc_fairness": vc_fairness,
    "least_vc": least_vc,
    "ahead": ahead,
    "bias": bias,
    "rate_1": wire(1),
    "rate_10": wire(10),
    "again_honest": again_honest,
    "again_10": again(10),
    "again_all": again_all,
}


STATED = stated(Path(__file__).parent)
"""What the paper states, by claim."""


# Figs. 7, 8 and 13: goodput

BUFFERS = (200, 400, 600, 800, 1000)


def least_goodput(plan: str, size: int) -> Callable[[Results], Finding]:
    """The least goodput of all runs of the proposed scheme with this buffer [cells], if there are any."""

    def find(results: Results) -> Finding:
        samples = where(over_buffer(results, plan, ABS), {"queue.buffer": f"{size} cells"})
        values = [value for sample in samples for value in sample.values(goodput) if value is not None]
        return Finding(min(values, default=None))

    return find


measure("goodput-excess-proposed", SMALL)(least_goodput(SMALL, 200))
for size in BUFFERS:
    measure(f"goodput-buffer-{size}", SMALL)(least_goodput(SMALL, size))
    measure(f"large-goodput-{size}", LARGE)(least_goodput(LARGE, size))


@measure("goodput-excess-enough", RATES, SMALL)
def _(results: Results) -> Finding:
    ten, most = over_excess(results, RATES, EPD)[-1], over_excess(results, SMALL, EPD)[-1]
    seen = f"In Fig. 7, with {beyond(most)} packets, it is {most.estimate(goodput).mean:.3f} %."
    return replace(Finding.of(ten.estimate(goodput)), seen=seen)


@measure("goodput-buffer-proposed-best", SMALL)
def _(results: Results) -> Finding:
    mine = over_buffer(results, SMALL, ABS)
    return all_above([paired(mine, over_buffer(results, SMALL, kind), goodput) for kind in (EPD, PUSH)])


# Figs. 11 and 14: throughput over the buffer

for claim, plan, most in (("throughput-buffer-rises", RATES, 2000), ("large-throughput-rises", LARGE, 1000)):

    @measure(claim, plan)
    def _(results: Results, plan: str = plan, most: int = most) -> Finding:
        ends = [[at_buffer(results, plan, kind, size) for size in (most, 200)] for kind in KINDS]
        return all_above([paired(large, small, share) for large, small in ends])


# Tables 1 and 3: rates


def rate(sample: Sample, read: Read) -> Finding:
    """A rate in cells, as in the tables, with a note in payload."""
    found = sample.estimate(read)
    payload = found.times(1 / counted(sample.runs[0]))
    return Finding(found.mean, found.half, seen=f"This is {plain(payload.mean)} Mb/s of payload.")


for delay, word in ((SHORT, "short"), (LONG, "long")):
    for kind in KINDS:
        for place in range(1, 11):

            @measure(f"table-1-{word}-{kind}-{place}", TABLE_1)
            def _(results: Results, kind: str = kind, delay: str = delay, place: int = place) -> Finding:
                return rate(table_1(results, kind, delay), wire(place))

    @measure(f"guarantee-{word}", TABLE_1)
    def _(results: Results, delay: str = delay, word: str = word) -> Finding:
        printed = min(float(STATED[f"table-1-{word}-{ABS}-{place}"]) for place in range(1, 11)) / GUARANTEED
        found = table_1(results, ABS, delay).estimate(least_of_ten)
        return above(found, printed, seen=f"The least of the printed row is {printed:.2f}.")


for kind in KINDS:
    for place, name in enumerate(("udp", *"123456789"), 1):

        @measure(f"table-3-{kind}-{name}", CHAIN)
        def _(results: Results, kind: str = kind, place: int = place) -> Finding:
            return rate(chain(results, kind), wire(place))

    @measure(f"table-3-{kind}-total", CHAIN)
    def _(results: Results, kind: str = kind) -> Finding:
        return rate(chain(results, kind), total)


# Figs. 17 and 18: window cuts

TOGETHER = 0.1
"""Correlation above which window cuts count as synchronised."""


@measure("sync-epd", CHAIN)
def _(results: Results) -> Finding:
    sample = chain(results, EPD)
    return above(sample.estimate(together_read), TOGETHER, seen=_in_other_bins(sample))


@measure("sync-proposed", CHAIN)
def _(results: Results) -> Finding:
    sample = chain(results, ABS)
    lower, own = below(paired(sample, chain(results, EPD), together_read)), sample.estimate(together_read)
    if own.mean is None:
        return Finding(None)
    avoided = every([lower.agrees, below(own, TOGETHER).agrees])
    seen = f"The correlation is {with_half(own.mean, own.half or 0.0)}. {_in_other_bins(sample)}"
    return replace(lower, agrees=avoided, seen=seen)


def _in_other_bins(sample: Sample) -> str:
    """The correlation in the bins that the reading does not have, which shows how much it depends on the bins."""
    other = "20 ms" if sample.runs[0].option("bins", "20 ms") == "100 ms" else "100 ms"
    found = sample.estimate(IN_BINS[other])
    return f"In bins of {other} it is {with_half(found.mean or 0.0, found.half or 0.0)}."


# What other runs show about claims that do not agree


def idle(rates: float | None) -> str:
    """How far these rates [Mb/s] together are below 155 Mb/s [%], whatever a reading takes for the rate of the link."""
    return plain(None if rates is None else 100 - 1e8 * rates / LINE, 0)


def timeouts_of_ten(sample: Sample) -> str:
    """Timeouts of the tenth source and of the others, in words."""
    tenth, others = (plain(sample.estimate(by).mean) for by in (tenth_timeouts, other_timeouts))
    return f"Timeouts of a run: {tenth} of the tenth source, {others} of each other on average."


for delay, word in ((SHORT, "short"), (LONG, "long")):
    for kind in KINDS:
        row = [f"table-1-{word}-{kind}-{place}" for place in range(1, 11)]

        @measure.remark([TABLE_1], *row, f"table-1-{word}-{kind}-jain")
        def _(results: Results, kind: str = kind, delay: str = delay, row: Sequence[str] = row) -> str:
            ours, table = table_1(results, kind, delay), [float(STATED[claim]) for claim in row]
            return (
                f"The sum of our rates is {idle(ours.estimate(carried).mean)} % below 155 Mb/s, that of the table "
                f"{idle(sum(table))} %. The tenth source gets {plain(ours.estimate(wire(10)).mean)} Mb/s, in the table "
                f"{table[-1]:.1f} Mb/s. {timeouts_of_ten(ours)}"
            )


def timeouts_by_buffer(samples: Sequence[Sample]) -> str:
    """Timeouts of a run with each buffer, in words."""
    counts = (f"{plain(sample.estimate(timeouts).mean, 0)} with {buffer(sample):,} cells" for sample in samples)
    return ", ".join(counts)


for kind, claim in ((EPD, "goodput-buffer-rises-epd"), (PUSH, "goodput-buffer-rises-push-out")):

    @measure.remark([SMALL], claim)
    def _(results: Results, kind: str = kind) -> str:
        samples = over_buffer(results, SMALL, kind)
        shares = ", ".join(plain(sample.estimate(goodput).mean, 2) for sample in samples)
        return f"Goodput with these buffers is {shares} %. Timeouts of a run: {timeouts_by_buffer(samples)}."


def timeouts_with(samples: Mapping[str, Sample]) -> str:
    """Timeouts of a run of each sample, in words."""
    counts = (f"{plain(sample.estimate(timeouts).mean)} with {name}" for name, sample in samples.items())
    return f"Timeouts of a run: {', '.join(counts)}."


@measure.remark([RATES], "throughput-excess-above-epd", "throughput-buffer-order")
def _(results: Results) -> str:
    return timeouts_with({name: at_buffer(results, RATES, kind, 200) for kind, name in KINDS.items() if kind != PUSH})


for kind, claim in ((EPD, "throughput-excess-falls-epd"), (PUSH, "throughput-excess-falls-push-out")):

    @measure.remark([RATES], claim)
    def _(results: Results, kind: str = kind) -> str:
        rooms = {beyond(sample): sample for sample in over_excess(results, RATES, kind)}
        return timeouts_with({f"room for {room} packets": rooms[room] for room in (2, 10)})


@measure.remark([RATES], "throughput-epd-flat")
def _(results: Results) -> str:
    return timeouts_with({f"{size} cells": at_buffer(results, RATES, EPD, size) for size in (400, 800)})


AGAIN = {"TCP 1 to 9 (their mean)": again_honest, "the tenth source": again(10)}


@measure.remark(
    [TABLE_1],
    "retransmits-less-than-epd",
    "retransmits-less-than-push-out",
    "retransmits-misbehaved",
    "retransmits-total",
)
def _(results: Results) -> str:
    told = [
        f"{', '.join(plain(table_1(results, kind, SHORT).estimate(by).mean, 2) for kind in KINDS)} by {name}"
        for name, by in AGAIN.items()
    ]
    return f"Retransmissions a second under {', '.join(KINDS.values())}: {'; '.join(told)}."


@measure.remark([TABLE_1, SMALL], "guarantee-short")
def _(results: Results) -> str:
    sample = table_1(results, ABS, SHORT)
    last = sum(wires(run)[9] == min(wires(run)[:10]) for run in sample.runs)
    of_fig_8 = [one.estimate(wire(10)).mean or 0.0 for one in over_buffer(results, SMALL, ABS)]
    return (
        f"The tenth source is the one that gets least in {last} of {len(sample.runs)} runs. {timeouts_of_ten(sample)} "
        f"All rates together are {idle(sample.estimate(carried).mean)} % below 155 Mb/s. In the runs of Fig. 8, the "
        f"tenth source gets {min(of_fig_8):.1f} to {max(of_fig_8):.1f} Mb/s."
    )


@measure.remark([TABLE_1], "table-1-long-throughput")
def _(results: Results) -> str:
    paths = {"the short path": SHORT, "the long path": LONG}
    return timeouts_with({name: table_1(results, ABS, delay) for name, delay in paths.items()})


def _of_vc(run: Measured, place: int) -> float:
    return per_vc(run)[place]


@measure.remark([LARGE, MORE_LARGE], "guarantee-large")
def _(results: Results) -> str:
    def short_of(run: Measured) -> float:
        return float(sum(rate < 1 for rate in per_vc(run)))

    mine, others = over_buffer(results, LARGE, ABS), over_buffer(results, MORE_LARGE, "weighted-round-robin")
    got = [plain(mean_of(mine, partial(_of_vc, place=place)).mean, 2) for place in range(len(ALLOCATED))]
    counts = [f"{plain(sample.estimate(short_of).mean)} with {buffer(sample):,} cells" for sample in mine]
    least = [f"{plain(sample.estimate(least_vc).mean, 2)} with {buffer(sample):,} cells" for sample in others]
    return (
        f"Of what was allocated to them, the VCs of 10 to 50 Mb/s get {', '.join(got)}, mean over the buffers. VCs of "
        f"the five that miss their rate, mean over the runs: {', '.join(counts)}. With weighted round robin the "
        f"VC that is worst off gets, of its rate, {', '.join(least)}."
    )


@measure.remark([MORE_CHAIN], "table-2-epd", "table-2-epd-push-out", "table-2-order")
def _(results: Results) -> str:
    found = [sample for sample in results[MORE_CHAIN] if chain_reading(sample) == ONE_PACKET]
    told = [f"{fixed(sample.estimate(end_goodput), 3)} % with {KINDS[kind_of(sample)]}" for sample in found]
    return f"With room for one packet beyond the threshold, goodput is {', '.join(told)} (Extra, chain)."


@measure.remark([CHAIN], "table-3-udp")
def _(results: Results) -> str:
    share = plain(chain(results, ABS).estimate(pushed_out).mean, 2)
    return f"Under the proposed strategy {share} % of the cells are pushed out."


@measure.remark([CHAIN], "sync-proposed")
def _(results: Results) -> str:
    near, wide = (fixed(chain(results, EPD).estimate(by), 2) for by in (together, together_wide))
    return f"Under EPD it is {near} in bins of 20 ms, and {wide} in bins of 100 ms."


def _overload(results: Results, kind: str) -> Sample:
    """The sample of extra-overload with TCPs that space their packets, and the fastest UDP."""
    samples = [sample for sample in of_kind(results["extra-overload"], kind) if way(sample) == WAYS[0]]
    return max(samples, key=udp_sent)


def short(results: Results) -> dict[str, Any]:
    """The numbers of the conclusions."""

    def mean(sample: Sample, by: Read) -> float:
        return sample.estimate(by).mean or 0.0

    large = over_buffer(results, LARGE, ABS)
    return {
        "worst": min(mean(sample, goodput) for sample in over_excess(results, SMALL, EPD)),
        "large": mean_of(large, vc_fairness).mean,
        "large_epd": mean_of(over_buffer(results, LARGE, EPD), vc_fairness).mean,
        "large_least": 100 * (mean_of(large, least_vc).mean or 0.0),
        "epd_tenth": mean(table_1(results, EPD, SHORT), wire(10)),
        "tenth": mean(table_1(results, ABS, SHORT), wire(10)),
        "epd_total": mean(table_1(results, EPD, SHORT), total),
        "total": mean(table_1(results, ABS, SHORT), total),
        "udp": mean(chain(results, ABS), wire(1)),
        "overload": mean(_overload(results, ABS), wire(10)),
        "overload_sent": udp_sent(_overload(results, ABS)),
        "overload_epd": mean(_overload(results, EPD), wire(10)),
        "sync_epd": mean(chain(results, EPD), together),
        "sync": mean(chain(results, ABS), together),
        "wide_epd": mean(chain(results, EPD), together_wide),
        "wide": mean(chain(results, ABS), together_wide),
    }
