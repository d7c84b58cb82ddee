"""The measures of Keshav & Morgan 1997: what is read off runs, and claims that need more than a declaration."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from statistics import fmean, median
from typing import Any

from dupack._native import nominal_load, packets_lost_per_loss_event, potential_goodput, tcp_goodput_loss
from dupack.reproduce.compare import about_best, apart, best, compared, mean_of, paired
from dupack.reproduce.paper import Estimate, Finding, Measured, Measures, Results, Sample
from dupack.reproduce.reads import read
from dupack.reproduce.select import number, only, where
from dupack.reproduce.told import listed, words
from dupack.reproduce.verdicts import above, below, every, in_order, positive, within

from .readings import AS_IT_IS, BRISK, GO_BACK_N, MIX, SMART, Change, changed

MEASURES = measure = Measures()

# The numbers of §2

ROUND_TRIP = 0.05
"""T_RT [s]."""
ON = 2 * ROUND_TRIP
"""T_ON [s]."""
WINDOW = 100
"""W_RT, the round-trip window [packets]."""
SOURCES = 10
PACKET = 500
"""P, the length of a packet [bytes]."""
PAYLOAD = {"whole": 460, "payload": 500}
"""Payload of a packet [bytes], by what P is: the whole packet, or its payload."""
BACKBONE = WINDOW * PACKET / ROUND_TRIP
"""S_b [bytes/s]."""
BUFFERS = {"25 packets": 0.25, "50 packets": 0.5, "100 packets": 1}
"""B, the buffer in round-trip windows, by its size in the plans."""
EACH_BUFFER = "with B = 0.25, 0.5, 1"
BURSTS = {"1 packet": "isolated losses", "5 packets": "bursts of 5"}
ISOLATED, CLUSTERED = BURSTS
HEAVY, HIGHEST = 2.5, 5.0
"""The least load that counts as heavy, and the highest load."""

# What is read off a run


Intervals = Callable[[Measured], list[float]]
"""Reads one value for each successive interval of a run."""


def goodputs(group: str = "", *, each: bool = False) -> Intervals:
    """Goodput in each interval, as a share of the backbone: the sum over the flows of a group, or their mean.

    It is P for each packet that was delivered in order, over what the backbone carries in that time.
    """

    def found(run: Measured) -> list[float]:
        series, warm = run.document["series"], run.document["warm_up_s"]
        payload = PAYLOAD[run.option("packet", "whole")]
        mine = [total for flow, total in series["delivered"].items() if flow.startswith(group)]
        at = [i for i, time in enumerate(series["time_s"]) if time >= warm]
        shares = []
        for begin, end in itertools.pairwise(at):
            time = series["time_s"][end] - series["time_s"][begin]
            packets = sum(total[end] - total[begin] for total in mine) / payload
            shares.append(packets * PACKET / (BACKBONE * time) / (len(mine) if each else 1))
        return shares

    return found


goodput = goodputs()
per_source = goodputs(each=True)
of_pair, of_static = goodputs("pair", each=True), goodputs("static", each=True)
utilization = read("link.backbone.utilization", {})


def again(run: Measured) -> float:
    """Share of the packets sent that had been sent before."""
    flows = run.document["flows"]
    return float(sum(f["segments_retransmitted"] for f in flows) / sum(f["segments_sent"] for f in flows))


READS = {"goodput": goodput}


def _bound(estimate: Estimate, sign: int) -> float:
    """The mean, or an end of the interval."""
    return (estimate.mean or 0.0) + sign * (estimate.half or 0.0)


def mean(sample: Sample, by: Intervals = goodput) -> float:
    """Over all intervals."""
    return sample.estimate(by).mean or 0.0


# Samples by what they are


def load(sample: Sample) -> float:
    """Nominal load of all sources together (eq. 1)."""
    return SOURCES * nominal_load(ON, ROUND_TRIP, number(sample, "traffic.off") / 1e3)


def percent(sample: Sample) -> float:
    """Rate at which packets are lost, one way, or overtaken [%]."""
    return 100 * number(sample, "rate")


def beyond(samples: Sequence[Sample], least: float) -> list[Sample]:
    """Those with at least this nominal load."""
    return [sample for sample in samples if load(sample) >= least - 0.001]


def overloaded(samples: Sequence[Sample], least: float = 1.0) -> list[Sample]:
    """Those under overload: with at least this nominal load, or with the highest."""
    highest = any(run.option("overload", "range") == "highest" for sample in samples for run in sample.runs)
    return beyond(samples, HIGHEST if highest else least)


def at_load(samples: Sequence[Sample], wanted: float) -> Sample:
    """The one with this nominal load."""
    (found,) = (sample for sample in samples if abs(load(sample) - wanted) < 0.01)
    return found


def per_buffer(samples: Sequence[Sample]) -> list[list[Sample]]:
    """The samples with each buffer."""
    return [where(samples, buffer=size) for size in BUFFERS]


def mixed(samples: Sequence[Sample], pairs: int) -> list[Sample]:
    """Those with this number of packet-pair sources."""
    return where(samples, {"pair-source.count": pairs})


def tcp(results: Results, kind: str, burst: str) -> list[Sample]:
    """Of Fig. 6, over the loss rate."""
    return where(results["fig-06"], kind=kind, mean_burst=burst)


def lossy(results: Results, burst: str, limit: int) -> list[Sample]:
    """The circuit of Fig. 7 over the loss rate, with an error-control window of ``limit`` packets."""
    return where(results["fig-07"], mean_burst=burst, max_window=f"{limit} segments", buffer=False)


# Verdicts

NEGLIGIBLE = 0.02
"""A rise of goodput that is certainly below this counts as none."""


def no_rise(rises: Iterable[Estimate]) -> bool | None:
    """Whether none of the differences is a rise; None if that cannot be said."""
    found = [positive(rise, NEGLIGIBLE) for rise in rises]
    return every(None if rise is None else not rise for rise in found)


def steps(samples: Sequence[Sample]) -> list[Estimate]:
    """From each sample to the next the difference of goodput."""
    return [paired(more, one, goodput) for one, more in itertools.pairwise(samples)]


# §2: go-back-n


for claim, size in zip(("gbn-peak-25", "gbn-peak-50", "gbn-peak-100"), BUFFERS, strict=True):

    @measure(claim, "fig-02")
    def _(results: Results, size: str = size) -> Finding:
        peak = best(where(results["fig-02"], buffer=size), goodput)
        found = peak.estimate(goodput)
        return Finding(found.mean, found.half, seen=f"At load {load(peak):.3g}.")


def peak_loads(results: Results) -> list[float]:
    """The loads of the best goodput with each buffer."""
    return [load(best(mine, goodput)) for mine in per_buffer(results["fig-02"])]


def about_peak(results: Results) -> list[list[float]]:
    """With each buffer, the loads whose goodput is not significantly below the best."""
    return [[load(one) for one in about_best(mine, goodput)] for mine in per_buffer(results["fig-02"])]


@measure("gbn-peak-load", "fig-02")
def _(results: Results) -> Finding:
    near = about_peak(results)
    ends = (median(map(min, near)), median(map(max, near)))
    seen = f"Not significantly different: loads from {ends[0]:.3g} to {ends[1]:.3g}." if ends[0] < ends[1] else ""
    middle = Finding(round(median(peak_loads(results)), 3))
    return replace(middle, seen=seen, apart=[middle, *(Finding(round(end, 3)) for end in ends)])


@measure("gbn-peak-load-falls-with-buffer", "fig-02")
def _(results: Results) -> Finding:
    near = about_peak(results)
    # The maxima are where the loads of the plan, and the intervals, leave them.
    orders = [all(a <= b for a, b in itertools.pairwise(loads)) and loads[0] < loads[-1] for loads in product(*near)]
    verdict = orders[0] if len(set(orders)) == 1 else None
    seen = f"Not significantly different: {'; '.join(listed(loads) for loads in near)}."
    return Finding(listed(peak_loads(results)), agrees=verdict, seen=seen)


@measure("gbn-collapses", "fig-02")
def _(results: Results) -> Finding:
    ones, ends, verdicts = [], [], []
    for mine in per_buffer(results["fig-02"]):
        peak, one = best(mine, goodput), at_load(mine, 1)
        ones.append(mean(one) / mean(peak))
        ends.append(mean(at_load(mine, 5)) / mean(peak))
        verdicts.append(below(compared(one, peak, goodput, lambda at_one, at_peak: at_one - at_peak / 2)).agrees)
    text = f"{listed(ones)} of the maximum {EACH_BUFFER}"
    return Finding(text, agrees=every(verdicts), seen=f"At load 5: {listed(ends)}.")


@measure("gbn-stays-collapsed", "fig-02")
def _(results: Results) -> Finding:
    rises, verdicts = [], []
    for mine in per_buffer(results["fig-02"]):
        found = [paired(more, at_load(mine, 1), goodput) for more in beyond(mine, 1.1)]
        rises.append(max(rise.mean or 0.0 for rise in found))
        verdicts.append(no_rise(found))
    return Finding(f"at most {listed(rises, sign=True)} {EACH_BUFFER}", agrees=every(verdicts))


@measure("gbn-busy-in-vain", "fig-02")
def _(results: Results) -> Finding:
    sample = at_load(where(results["fig-02"], buffer="25 packets"), 5)
    use, good = sample.estimate(utilization).mean or 0.0, sample.estimate(goodput)
    return Finding(f"{use:.2f} busy, {good.mean:.2f} useful", agrees=below(good, use / 2).agrees)


# §4: static windows with SMART


@measure("smart-half", "fig-03")
def _(results: Results) -> Finding:
    each = [mean_of(overloaded(mine), goodput).mean for mine in per_buffer(results["fig-03"])]
    found = mean_of(overloaded(results["fig-03"]), goodput)
    return Finding(found.mean, found.half, seen=f"With B = 0.25, 0.5, 1: {listed(each)}.")


@measure("smart-no-collapse", "fig-03")
def _(results: Results) -> Finding:
    gains = [paired(at_load(mine, 5), at_load(mine, 1), goodput) for mine in per_buffer(results["fig-03"])]
    text = f"{listed((gain.mean for gain in gains), sign=True)} {EACH_BUFFER}"
    return Finding(text, agrees=every(above(gain, -0.02).agrees for gain in gains))


# §5: packet-pair with SMART


@measure("pair-no-collapse", "fig-04")
def _(results: Results) -> Finding:
    drops = [paired(best(mine, goodput), at_load(mine, 5), goodput) for mine in per_buffer(results["fig-04"])]
    most = max(drop.mean or 0.0 for drop in drops)
    return Finding(most, agrees=every(below(drop, 0.05).agrees for drop in drops))


@measure("pair-buffers", "fig-04")
def _(results: Results) -> Finding:
    ends = [at_load(mine, 5) for mine in per_buffer(results["fig-04"])]
    order, span = in_order(ends, goodput), paired(ends[-1], ends[0], goodput)
    return Finding(order.value, agrees=every([order.agrees, below(span, 0.15).agrees]))


@measure("two-packets-each", "section-5-buffer")
def _(results: Results) -> Finding:
    samples = where(results["section-5-buffer"], kind="packet-pair")

    def least(bound: Callable[[Estimate], float]) -> int | None:
        """The smallest buffer at which a bound of the goodput is at least 0.8."""
        enough = [int(number(one, "buffer")) for one in samples if bound(one.estimate(goodput)) >= 0.8]
        return min(enough, default=None)

    means, highs, lows = (least(partial(_bound, sign=sign)) for sign in (0, 1, -1))
    seen = "" if highs == lows else f"With the ends of the intervals: {highs} to {lows or 'none'}."
    return Finding(means, seen=seen, apart=[Finding(one) for one in (means, highs, lows)])


# §5, Fig. 5: mixtures


for count, claim in ((9, "mix-majority"), (1, "mix-minority")):

    @measure(claim, "fig-05")
    def _(results: Results, count: int = count) -> Finding:
        samples = [overloaded(mine) for mine in per_buffer(mixed(results["fig-05"], count))]
        leads = [paired(mine, mine, of_pair, of_static) for mine in samples]
        text = f"{', '.join(words(lead, 3, sign=True) for lead in leads)} {EACH_BUFFER}"
        return Finding(text, agrees=every(above(lead).agrees for lead in leads))


def heavy(samples: Sequence[Sample]) -> list[list[Sample]]:
    """Under heavy load, with each buffer."""
    return [overloaded(mine, HEAVY) for mine in per_buffer(samples)]


@measure("mix-driven-out", "fig-05")
def _(results: Results) -> Finding:
    left = [mean_of(mine, of_static) for mine in heavy(mixed(results["fig-05"], 9))]
    text = f"{listed((one.mean for one in left), 3)} {EACH_BUFFER}"
    return Finding(text, agrees=every(below(one, 0.02).agrees for one in left))


@measure("mix-gains-at-the-expense", "fig-03", "fig-05")
def _(results: Results) -> Finding:
    among, alone = heavy(mixed(results["fig-05"], 9)), heavy(results["fig-03"])
    gains = [paired(a, b, of_pair, per_source) for a, b in zip(among, alone, strict=True)]
    pairs = listed((mean_of(mine, of_pair).mean for mine in among), 3)
    others = listed((mean_of(mine, per_source).mean for mine in alone), 3)
    return Finding(f"{pairs} against {others}", agrees=every(above(gain).agrees for gain in gains))


@measure("mix-single-pair", "fig-05")
def _(results: Results) -> Finding:
    found = [mean_of(mine, of_pair) for mine in heavy(mixed(results["fig-05"], 1))]
    return Finding.of(min(found, key=lambda one: one.mean or 0.0))


@measure("mix-single-pair-small-buffer", "fig-05")
def _(results: Results) -> Finding:
    samples = heavy(mixed(results["fig-05"], 1))
    falls = [below(paired(more, less, of_pair)).agrees for less, more in itertools.pairwise(samples)]
    return Finding(", ".join(words(mean_of(mine, of_pair)) for mine in samples), agrees=every(falls))


# §5, the last paragraph: drop the longest queue


def populations(results: Results, rule: str) -> list[list[Sample]]:
    """Under heavy load: all static, all packet-pair, nine and one packet-pair."""
    same = [where(results["section-5"], kind=kind, overflow=rule) for kind in ("smart", "packet-pair")]
    both = [where(mixed(results["section-5-mix"], count), overflow=rule) for count in (9, 1)]
    return [overloaded(mine, HEAVY) for mine in (*same, *both)]


@measure("longest-lower", "section-5", "section-5-mix")
def _(results: Results) -> Finding:
    arriving, longest = (populations(results, rule) for rule in ("arriving", "longest-queue"))
    lost = [paired(a, b, goodput) for a, b in zip(arriving, longest, strict=True)]
    in_all = paired(list(itertools.chain(*arriving)), list(itertools.chain(*longest)), goodput)
    limits = [verdict for one in lost for verdict in (above(one, -0.05).agrees, below(one, 0.15).agrees)]
    text = f"{listed((one.mean for one in lost), 3, sign=True)} with 0, 10, 9, 1 packet-pair sources"
    return Finding(text, agrees=every([above(in_all).agrees, *limits]))


def kept(before: Sequence[Sample], after: Sequence[Sample], by: Intervals) -> float:
    """The share of the goodput that is left; 0 if there was none."""
    whole = mean_of(before, by).mean
    return (mean_of(after, by).mean or 0.0) / whole if whole else 0.0


def by_kind(results: Results, count: int) -> tuple[str, bool | None]:
    """What ``count`` packet-pair sources and the others keep, and whether static windows keep the smaller share."""
    samples = overloaded(mixed(results["section-5-mix"], count), HEAVY)
    arriving, longest = (where(samples, overflow=rule) for rule in ("arriving", "longest-queue"))
    pair, static = (kept(arriving, longest, by) for by in (of_pair, of_static))
    less = compared(longest, arriving, of_static, lambda after, before: after - pair * before)
    return f"packet-pair times {pair:.2f}, static times {static:.2f}", below(less).agrees


@measure("longest-harder-on-static", "section-5-mix")
def _(results: Results) -> Finding:
    told, verdicts = zip(*(by_kind(results, count) for count in (9, 1)), strict=True)
    return Finding("; ".join(told), agrees=every(verdicts))


# §6: TCP under random losses


@measure("parameter", "fig-06")
def _(results: Results) -> Finding:
    return Finding(round(tcp_goodput_loss(0.01, WINDOW), 12))


@measure("reno-similar", "fig-06")
def _(results: Results) -> Finding:
    far = []
    for burst in BURSTS:
        pairs = zip(tcp(results, "reno", burst), tcp(results, "tahoe", burst), strict=True)
        far += [paired(reno, tahoe, goodput) for reno, tahoe in pairs]
    most = max(far, key=lambda found: abs(found.mean or 0.0))
    return Finding(most.mean, most.half, every(within(one, 0.1).agrees for one in far))


@measure("tahoe-falls", "fig-06")
def _(results: Results) -> Finding:
    samples = tcp(results, "tahoe", ISOLATED)
    tenth = only(samples, rate=0.001).estimate(goodput)
    text = f"{tenth.mean:.2f} at r = 0.1 %, {mean(samples[-1]):.2f} at 1 %"
    falls = below(paired(samples[-1], samples[0], goodput)).agrees
    return Finding(text, agrees=every([no_rise(steps(samples)), falls, below(tenth, 0.5).agrees]))


@measure("gbn-random", "section-6-go-back-n")
def _(results: Results) -> Finding:
    found = [sample.estimate(goodput) for sample in results["section-6-go-back-n"]]
    text = f"{listed(one.mean for one in found)} with isolated losses, bursts of 5"
    return Finding(text, agrees=every(below(one, 0.35).agrees for one in found))


@measure("equation-4", "section-6")
def _(results: Results) -> Finding:
    def cost(kind: str) -> int:
        one, none = where(results["section-6"], kind=kind)
        sent = [sample.runs[0].document["flows"][0]["segments_delivered"] for sample in (none, one)]
        return int(sent[0] - sent[1])

    assert packets_lost_per_loss_event(WINDOW) == 1250
    return Finding(cost("reno"), seen=f"Tahoe loses {cost('tahoe'):,}.")


@measure("equation-5", "extra-rare")
def _(results: Results) -> Finding:
    rate = 0.00005
    said = tcp_goodput_loss(rate, WINDOW)
    sample = only(results["extra-rare"], {"kind": "reno", "*loss.rate": rate})
    return Finding.of(sample.estimate(lambda run: [(1 - value) / said for value in goodput(run)]))


# §7: packet-pair under random losses


@measure("pair-buffers-alike", "fig-07")
def _(results: Results) -> Finding:
    beyond = total = 0
    for sample in where(results["fig-07"], buffer=True):
        same = {end: value for end, value in sample.settings.items() if not end.endswith(".buffer")}
        found = paired(sample, only(where(results["fig-07"], buffer=False), same), goodput)
        total += 1
        beyond += abs(found.mean or 0.0) > (found.half or 0.0) + 1e-6
    return Finding(f"{beyond} of {total} differences larger than their interval", agrees=beyond <= total / 10)


for burst, claim in ((ISOLATED, "pair-nearly-maximum-1"), (CLUSTERED, "pair-nearly-maximum-5")):

    @measure(claim, "fig-07")
    def _(results: Results, burst: str = burst) -> Finding:
        shares = []
        for sample in lossy(results, burst, 1200)[1:]:
            shares.append(sample.estimate(goodput).times(1 / potential_goodput(percent(sample) / 100)))
        return Finding.of(min(shares, key=lambda share: share.mean or 0.0))


@measure("pair-tends", "fig-07")
def _(results: Results) -> Finding:
    limit, told, verdicts = potential_goodput(0.05), [], []
    for burst, name in BURSTS.items():
        samples = [only(lossy(results, burst, window), rate=0.05) for window in (300, 600, 1200)]
        largest = samples[-1].estimate(goodput)
        near = within(Estimate((largest.mean or 0.0) - limit, largest.half), 0.02).agrees
        verdicts += [no_rise(steps(samples[::-1])), near]
        told.append(f"{listed(map(mean, samples), 3)} ({name})")
    return Finding("; ".join(told), agrees=every(verdicts))


@measure("pair-quicker-isolated", "fig-07")
def _(results: Results) -> Finding:
    def missing(burst: str) -> list[float]:
        """Share of the goodput with the largest window that is missing with the smallest, for each interval.

        It is the mean over the loss rates.
        """
        pairs = zip(*(lossy(results, burst, limit) for limit in (300, 1200)), strict=True)
        columns = zip(*(zip(a.values(goodput), b.values(goodput), strict=True) for a, b in pairs), strict=True)
        return [fmean(1 - (a or 0.0) / b for a, b in column if b) for column in columns]

    one, five = missing(ISOLATED), missing(CLUSTERED)
    further = Estimate.of_intervals([b - a for a, b in zip(one, five, strict=True)])
    text = f"{100 * fmean(one):.2f} % missing for isolated losses, {100 * fmean(five):.2f} % for bursts"
    return Finding(text, agrees=above(further).agrees)


@measure("better-than-tcp", "fig-07", "section-7")
def _(results: Results) -> Finding:
    pair = only(lossy(results, ISOLATED, 600), rate=0.01).estimate(goodput)
    tahoe = only(results["section-7"], rate=0.01).estimate(goodput)
    # The plans differ in the number of seeds, so there are no pairs.
    gain = apart(pair, tahoe)
    return Finding(gain.mean, agrees=above(gain, 0.5).agrees)


# What other runs say of a disagreement


def of_reading(samples: Sequence[Sample], change: Change, at: float) -> str:
    """Goodput under a reading at some load."""
    return f"{mean(at_load(changed(samples, change), at)):.2f}"


@measure.remark(("extra-go-back-n",), "gbn-collapses", "gbn-peak-100", "gbn-peak-25")
def _(results: Results) -> str:
    def course(words: str) -> str:
        return ", ".join(of_reading(results["extra-go-back-n"], GO_BACK_N[words], at) for at in (0.5, 1, 5))

    return (
        "With the plan of Fig. 2 as it is and B = 0.5, goodput at loads of 0.5, 1 and 5 is "
        f"{course(AS_IT_IS)}. If timeouts never double, it is {course('timeouts never double')}. If the receiver "
        f"keeps what arrives out of order, it is {course('receiver keeps what is out of order')} (see Extra, readings "
        "of go-back-n)."
    )


@measure.remark(("extra-smart",), "smart-half", "smart-no-collapse")
def _(results: Results) -> str:
    def end(words: str) -> str:
        return of_reading(results["extra-smart"], SMART[words], 5)

    return (
        f"With the plan of Fig. 3 as it is and B = 0.5, goodput at load 5 is {end(AS_IT_IS)}. If every retransmission "
        f"is watched, it is {end('all retransmissions watched')}. If timeouts never double, it is "
        f"{end('timeouts never double')} (see Extra, readings of SMART)."
    )


@measure.remark(("extra-mix",), "mix-majority", "mix-driven-out")
def _(results: Results) -> str:
    samples = changed(mixed(results["extra-mix"], 9), MIX["longest queue dropped"])
    mine = only(samples, buffer="100 packets")
    return (
        "With the plan of Fig. 5 as it is, B = 1 and load 5, but a router that drops the longest queue, a packet-pair "
        f"source gets {mean(mine, of_pair):.2f} and the static one {mean(mine, of_static):.2f} (see Extra, which "
        "sources gain)."
    )


def timeouts(sample: Sample) -> str:
    """Timeouts in 100 s."""
    counts = [sum(flow["timeouts"] for flow in run.document["flows"]) / run.measured_s for run in sample.runs]
    return f"{100 * fmean(counts):.0f}"


@measure.remark(("fig-06",), "tahoe-few-percent-1")
def _(results: Results) -> str:
    counts = [
        f"{timeouts(only(tcp(results, 'tahoe', burst), rate=0.01))} with {name}" for burst, name in BURSTS.items()
    ]
    return f"Timeouts of Tahoe in 100 s: {', '.join(counts)}."


@measure.remark(("fig-07",), "pair-nearly-maximum-1", "pair-nearly-maximum-5", "pair-tends", "pair-quicker-isolated")
def _(results: Results) -> str:
    counts = [f"{timeouts(only(lossy(results, burst, 1200), rate=0.05))} with {name}" for burst, name in BURSTS.items()]
    return f"Timeouts in 100 s with W_EC = 12 W_RT and r = 5 %: {', '.join(counts)}."


def short(results: Results) -> dict[str, Any]:
    """The numbers of the conclusions."""
    fig_2, fig_3, fig_4 = (
        at_load(where(results[plan], buffer="25 packets"), 5) for plan in ("fig-02", "fig-03", "fig-04")
    )
    as_it_is, brisk = (at_load(changed(results["extra-smart"], SMART[reading]), 5) for reading in (AS_IT_IS, BRISK))
    rate = 0.00005
    rare = only(results["extra-rare"], {"kind": "reno", "*loss.rate": rate})
    return {
        "gbn": mean(fig_2),
        "busy": fig_2.estimate(utilization).mean,
        "static": mean(fig_3),
        "pair": mean(fig_4),
        "tahoe": 100 * mean(only(tcp(results, "tahoe", ISOLATED), rate=0.01)),
        "lossy": 100 * mean(only(lossy(results, ISOLATED, 600), rate=0.01)),
        "sack": 100 * mean(only(where(results["extra-tcp-loss"], kind="sack", mean_burst=ISOLATED), rate=0.01)),
        "as_it_is": mean(as_it_is),
        "brisk": mean(brisk),
        "equation": (1 - mean(rare)) / tcp_goodput_loss(rate, WINDOW),
    }
