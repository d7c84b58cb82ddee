"""How each claim of Chan, Wang & Chen 2002 (``published.toml``) is measured."""

from __future__ import annotations

from dataclasses import replace
from math import hypot
from statistics import fmean
from typing import Any

from dupack.reproduce.chan_wang_chen_2002.judging import above, all_more, in_order, less, more, paired, rate
from dupack.reproduce.chan_wang_chen_2002.runs import (
    GUARANTEED,
    KINDS,
    LONG,
    SHORT,
    again,
    again_honest,
    at_buffer,
    beyond,
    chain,
    end_goodput,
    fairness,
    goodput,
    least_of_ten,
    least_vc,
    over_buffer,
    over_excess,
    share,
    table_1,
    together,
    together_wide,
    total,
    vc_fairness,
    wire,
    wires,
)
from dupack.reproduce.chan_wang_chen_2002.series import By, stated
from dupack.reproduce.paper import Estimate, Finding, Measured, Measures, Results, Sample
from dupack.reproduce.verdicts import every, positive
from dupack.words import with_half

MEASURES = measure = Measures()

EPD, PUSH, ABS = KINDS
SMALL, RATES, FIFTY = "fig-07-08", "fig-09-11", "fig-13-15"
BUFFERS = (200, 400, 600, 800, 1000)


def _excess(results: Results, plan: str, kind: str, packets: int) -> list[Sample]:
    return [sample for sample in over_excess(results, plan, kind) if beyond(sample) == packets]


def _shown(results: Results, plan: str, kind: str) -> list[Sample]:
    """All that are run of a discipline over the room beyond the threshold."""
    return over_excess(results, plan, kind)


# Figs. 7 and 8


@measure("goodput-excess-proposed", SMALL)
def _(results: Results) -> Finding:
    return Finding(min(goodput(run) for sample in over_excess(results, SMALL, ABS) for run in sample.runs))


for kind, name in ((EPD, "epd"), (PUSH, "push-out")):

    @measure(f"goodput-excess-rises-{name}", SMALL)
    def _(results: Results, kind: str = kind) -> Finding:
        samples = _shown(results, SMALL, kind)
        return above(samples[-1:], samples[:1], goodput)

    @measure(f"goodput-buffer-rises-{name}", SMALL)
    def _(results: Results, kind: str = kind) -> Finding:
        samples = over_buffer(results, SMALL, kind)
        return above(samples[-1:], samples[:1], goodput)

    @measure(f"large-goodput-{name}", FIFTY)
    def _(results: Results, kind: str = kind) -> Finding:
        lost = paired(over_buffer(results, FIFTY, ABS), over_buffer(results, FIFTY, kind), goodput)
        return more(lost)

    @measure(f"throughput-excess-falls-{name}", RATES)
    def _(results: Results, kind: str = kind) -> Finding:
        return less(paired(_excess(results, RATES, kind, 10), _excess(results, RATES, kind, 2), share))


@measure("goodput-push-out-above-epd", SMALL)
def _(results: Results) -> Finding:
    return above(_excess(results, SMALL, PUSH, 1), _excess(results, SMALL, EPD, 1), goodput)


@measure("goodput-excess-enough", RATES, SMALL)
def _(results: Results) -> Finding:
    (ten,) = _excess(results, RATES, EPD, 10)
    five = _shown(results, SMALL, EPD)[-1].estimate(goodput)
    seen = f"With five, and packets that come in bursts (Fig. 7): {five.mean:.3f} %."
    return replace(Finding.of(ten.estimate(goodput)), seen=seen)


def _least(plan: str, size: int) -> Any:
    def find(results: Results) -> Finding:
        known = [sample for sample in over_buffer(results, plan, ABS) if sample is at(results)]
        return Finding(min(goodput(run) for sample in known for run in sample.runs)) if known else Finding(None)

    def at(results: Results) -> Sample | None:
        try:
            return at_buffer(results, plan, ABS, size)
        except StopIteration:
            return None

    return find


for size in BUFFERS:
    measure(f"goodput-buffer-{size}", SMALL)(_least(SMALL, size))
    measure(f"large-goodput-{size}", FIFTY)(_least(FIFTY, size))


@measure("goodput-buffer-proposed-best", SMALL)
def _(results: Results) -> Finding:
    mine = over_buffer(results, SMALL, ABS)
    return all_more([paired(mine, over_buffer(results, SMALL, kind), goodput) for kind in (EPD, PUSH)])


# Figs. 9 to 11


@measure("throughput-excess-above-epd", RATES)
def _(results: Results) -> Finding:
    mine, others = over_excess(results, RATES, ABS)[0], over_excess(results, RATES, EPD)
    return above([mine] * len(others), others, share)


for kind in KINDS:

    @measure(f"throughput-2000-{kind}", RATES)
    def _(results: Results, kind: str = kind) -> Finding:
        return Finding.of(at_buffer(results, RATES, kind, 2000).estimate(share))


@measure("throughput-buffer-order", RATES)
def _(results: Results) -> Finding:
    mine, epd = (at_buffer(results, RATES, kind, 200) for kind in (ABS, EPD))
    return above([mine], [epd], share)


def _rise(results: Results, plan: str, most: int) -> Finding:
    rises = [
        paired([at_buffer(results, plan, kind, most)], [at_buffer(results, plan, kind, 200)], share) for kind in KINDS
    ]
    return all_more(rises)


@measure("throughput-buffer-rises", RATES)
def _(results: Results) -> Finding:
    return _rise(results, RATES, 2000)


@measure("throughput-epd-flat", RATES)
def _(results: Results) -> Finding:
    rise = paired([at_buffer(results, RATES, EPD, 800)], [at_buffer(results, RATES, EPD, 400)], share)
    assert rise.mean is not None
    # Within 3 % with all of its interval; not, if none of it is.
    above, below = (positive(Estimate(3 + sign * rise.mean, rise.half)) for sign in (1, -1))
    return Finding(rise.mean, rise.half, every([above, below]))


def _fewer(results: Results, than: str, by: By) -> Estimate:
    """By how much less is sent again under the proposed strategy, over the seeds [%]."""
    mine, other = (table_1(results, kind, SHORT) for kind in (ABS, than))
    pairs = zip(mine.runs, other.runs, strict=True)
    return Estimate.of([100 * (1 - (by(a) or 0.0) / (by(b) or 1.0)) for a, b in pairs])


@measure("retransmits-less-than-epd", "table-1")
def _(results: Results) -> Finding:
    return Finding.of(_fewer(results, EPD, again_honest))


@measure("retransmits-less-than-push-out", "table-1")
def _(results: Results) -> Finding:
    return Finding.of(_fewer(results, PUSH, again_honest))


@measure("retransmits-misbehaved", "table-1")
def _(results: Results) -> Finding:
    fewer = _fewer(results, EPD, again(10))
    assert fewer.mean is not None
    return Finding(1 - fewer.mean / 100, None if fewer.half is None else fewer.half / 100)


def _again_all(run: Measured) -> float:
    return 9 * again_honest(run) + again(10)(run)


@measure("retransmits-total", "table-1")
def _(results: Results) -> Finding:
    return more(_fewer(results, EPD, _again_all))


# Table 1

for delay, word in ((SHORT, "short"), (LONG, "long")):
    for kind in KINDS:
        for number in range(1, 11):

            @measure(f"table-1-{word}-{kind}-{number}", "table-1")
            def _(results: Results, kind: str = kind, delay: str = delay, number: int = number) -> Finding:
                return rate(table_1(results, kind, delay).estimate(wire(number)))

        @measure(f"table-1-{word}-{kind}-jain", "table-1")
        def _(results: Results, kind: str = kind, delay: str = delay) -> Finding:
            return Finding.of(table_1(results, kind, delay).estimate(fairness))

    @measure(f"table-1-order-{word}", "table-1")
    def _(results: Results, delay: str = delay) -> Finding:
        samples = [table_1(results, kind, delay) for kind in KINDS]
        return in_order(samples, fairness, slack=0.0 if delay == SHORT else 0.002)


@measure("table-1-long-punishes", "table-1")
def _(results: Results) -> Finding:
    return less(paired([table_1(results, ABS, LONG)], [table_1(results, ABS, SHORT)], wire(10)))


@measure("table-1-long-throughput", "table-1")
def _(results: Results) -> Finding:
    return less(paired([table_1(results, ABS, LONG)], [table_1(results, ABS, SHORT)], total))


# Figs. 13 to 15


@measure("large-throughput-rises", FIFTY)
def _(results: Results) -> Finding:
    return _rise(results, FIFTY, 1000)


for kind, name in ((PUSH, "push-out"), (ABS, "proposed")):

    @measure(f"large-throughput-{name}", FIFTY)
    def _(results: Results, kind: str = kind) -> Finding:
        return above([at_buffer(results, FIFTY, kind, 1000)], [at_buffer(results, FIFTY, EPD, 1000)], share)


def mean_fairness(results: Results) -> Estimate:
    """Of the fifty connections under the proposed scheme, mean over the buffers."""
    samples = over_buffer(results, FIFTY, ABS)
    return Estimate.of([fmean(vc_fairness(s.runs[seed]) for s in samples) for seed in range(len(samples[0].runs))])


@measure("large-fairness", FIFTY)
def _(results: Results) -> Finding:
    return Finding.of(mean_fairness(results))


@measure("large-fairness-lower", FIFTY, "table-1")
def _(results: Results) -> Finding:
    large, small = mean_fairness(results), table_1(results, ABS, LONG).estimate(fairness)
    assert large.mean is not None
    assert small.mean is not None
    # Two networks, so the runs of a seed are no pairs.
    half = None if large.half is None or small.half is None else hypot(large.half, small.half)
    return less(Estimate(large.mean - small.mean, half))


@measure("large-fairness-epd", FIFTY)
def _(results: Results) -> Finding:
    return above(over_buffer(results, FIFTY, ABS), over_buffer(results, FIFTY, EPD), vc_fairness)


# Guarantees

for delay, word in ((SHORT, "short"), (LONG, "long")):

    @measure(f"guarantee-{word}", "table-1")
    def _(results: Results, delay: str = delay, word: str = word) -> Finding:
        """Beside what the printed row has."""
        known = stated()
        row = [known[f"table-1-{word}-abs-push-out-{i}"] for i in range(1, 11)]
        found = table_1(results, ABS, delay).estimate(least_of_ten)
        return replace(more(found, min(row) / GUARANTEED), seen=f"The printed row: {min(row) / GUARANTEED:.2f}.")


def large_least(results: Results) -> Estimate:
    """What the VC that is worst off gets of what it was allocated, mean over the buffers."""
    samples = over_buffer(results, FIFTY, ABS)
    return Estimate.of([fmean(least_vc(s.runs[seed]) for s in samples) for seed in range(len(samples[0].runs))])


@measure("guarantee-large", FIFTY)
def _(results: Results) -> Finding:
    return more(large_least(results), 1.0)


# Tables 2 and 3

CHAIN = "table-2-3"

for kind in KINDS:

    @measure(f"table-2-{kind}", CHAIN)
    def _(results: Results, kind: str = kind) -> Finding:
        return Finding.of(chain(results, kind).estimate(end_goodput))

    for number, name in enumerate(("udp", *"123456789"), 1):

        @measure(f"table-3-{kind}-{name}", CHAIN)
        def _(results: Results, kind: str = kind, number: int = number) -> Finding:
            return rate(chain(results, kind).estimate(wire(number)))

    @measure(f"table-3-{kind}-total", CHAIN)
    def _(results: Results, kind: str = kind) -> Finding:
        return rate(chain(results, kind).estimate(total))

    @measure(f"table-3-{kind}-jain", CHAIN)
    def _(results: Results, kind: str = kind) -> Finding:
        return Finding.of(chain(results, kind).estimate(fairness))


@measure("table-2-order", CHAIN)
def _(results: Results) -> Finding:
    return in_order([chain(results, kind) for kind in KINDS], end_goodput, digits=4)


@measure("table-3-order", CHAIN)
def _(results: Results) -> Finding:
    return in_order([chain(results, kind) for kind in KINDS], fairness)


@measure("table-3-udp", CHAIN)
def _(results: Results) -> Finding:
    return less(paired([chain(results, ABS)], [chain(results, EPD)], wire(1)))


def ahead(run: Measured) -> float:
    """How much more UDP gets than the mean of the TCPs [Mb/s]."""
    rates = wires(run)
    return rates[0] - fmean(rates[1:10])


@measure("chain-udp-gains", CHAIN)
def _(results: Results) -> Finding:
    return more(chain(results, EPD).estimate(ahead))


@measure("chain-total-improved", CHAIN)
def _(results: Results) -> Finding:
    return more(paired([chain(results, ABS)], [chain(results, "epd-push-out")], total))


def bias(run: Measured) -> float:
    """How much more the short ways get than the long ones [Mb/s]."""
    rates = wires(run)
    return fmean(rates[5:10]) - fmean(rates[1:5])


@measure("table-3-bias", CHAIN)
def _(results: Results) -> Finding:
    return less(paired([chain(results, ABS)], [chain(results, EPD)], bias))


# Figs. 17 and 18

TOGETHER = 0.1
"""Sources whose cuts are correlated by more cut their windows together."""


@measure("sync-epd", CHAIN)
def _(results: Results) -> Finding:
    found = more(chain(results, EPD).estimate(together), TOGETHER)
    return replace(found, seen=_in_wide_bins(chain(results, EPD)))


@measure("sync-proposed", CHAIN)
def _(results: Results) -> Finding:
    """Lower than EPD's, and no longer what counts as together there."""
    lower = less(paired([chain(results, ABS)], [chain(results, EPD)], together))
    own = chain(results, ABS).estimate(together)
    if own.mean is None:
        return Finding(None)
    avoided = every([lower.agrees, positive(Estimate(TOGETHER - own.mean, own.half))])
    seen = f"It is {with_half(own.mean, own.half or 0.0)}. {_in_wide_bins(chain(results, ABS))}"
    return Finding(lower.value, lower.half, avoided, seen=seen)


def _in_wide_bins(sample: Sample) -> str:
    """How much the number depends on the bin."""
    wide = sample.estimate(together_wide)
    return f"In bins of 100 ms: {with_half(wide.mean or 0.0, wide.half or 0.0)}."
