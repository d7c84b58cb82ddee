"""How each claim of Cohen & Hamo 2001 (``published.toml``) is measured."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from dupack.reproduce.cohen_hamo_2001 import figures
from dupack.reproduce.cohen_hamo_2001.runs import (
    GAPS,
    LOWER,
    THRESHOLD,
    Case,
    active,
    bottleneck,
    fairness,
    goodput,
    levels,
    locked,
    loss_cases,
    only,
    over,
    pair,
    senders,
    throughput,
    timeouts,
    with_gap,
)
from dupack.reproduce.paper import Estimate, Finding, Measured, Measures, Results, Sample

MEASURES = measure = Measures()


def _best(samples: Sequence[Sample], by: Any = goodput) -> Sample:
    return max(samples, key=lambda sample: sample.estimate(by).mean or 0.0)


def _difference(one: Sample, other: Sample, by: Any = goodput) -> Estimate:
    """Over the seeds, which both have in common."""
    return Estimate.of([by(a) - by(b) for a, b in zip(one.runs, other.runs, strict=True)])


def _ahead(difference: Estimate, by: float = 0.0) -> Finding:
    """Whether the first is ahead of the second by more than ``by``, and by more than chance."""
    assert difference.mean is not None
    return Finding(difference.mean, difference.half, difference.mean - (difference.half or 0.0) > by)


def _epd(results: Results, plan: str) -> list[Sample]:
    return over(results, plan, THRESHOLD)


def _at(samples: Sequence[Sample], path: str, value: float) -> Sample:
    return next(sample for sample in samples if sample.settings[path] == value)


@measure("rto-far-above-rtt", "fig-03")
def _(results: Results) -> Finding:
    cloud = figures.rto_against_rtt(results)[0]
    ratios = [1e3 * float(y or 0) / float(x) for x, y in zip(cloud.x, cloud.y, strict=True) if float(x) < 200]
    middle = median(ratios)
    return Finding(f"{middle:.0f} times the RTT in the median, below 200 ms", agrees=middle >= 2)


def _smallest(cases: list[Case]) -> int:
    """The smallest window from which on no case times out."""
    return max((window for window, _, _, timed_out in cases if timed_out), default=0) + 1


@measure("fast-retransmit-needs", "section-2-2")
def _(results: Results) -> Finding:
    return Finding(_smallest(loss_cases(results, 1)))


@measure("two-of-eight", "section-2-2")
def _(results: Results) -> Finding:
    cases = [timed_out for window, _, _, timed_out in loss_cases(results, 2) if window == 8]
    return Finding(f"{sum(cases)} of {len(cases)} pairs time out", agrees=all(cases))


@measure("two-losses-need", "section-2-2")
def _(results: Results) -> Finding:
    return Finding(_smallest(loss_cases(results, 2)))


@measure("three-losses-spaced", "section-2-2")
def _(results: Results) -> Finding:
    cases = loss_cases(results, 3)
    same = sum(inevitable == timed_out for _, _, inevitable, timed_out in cases)
    return Finding(f"{same:,} of {len(cases):,} sets are as eq. (3) says", agrees=same == len(cases))


@measure("three-of-twenty-four", "section-2-2")
def _(results: Results) -> Finding:
    cases = [timed_out for window, _, _, timed_out in loss_cases(results, 3) if window == 24]
    free = len(cases) - sum(cases)
    return Finding(f"{free} of {len(cases):,} sets recover", agrees=free > 0)


@measure("four-losses", "section-2-2")
def _(results: Results) -> Finding:
    cases = [timed_out for _, _, _, timed_out in loss_cases(results, 4)]
    return Finding(f"{sum(cases):,} of {len(cases):,} sets time out", agrees=all(cases))


@measure("analysis-is-right", "section-2-2")
def _(results: Results) -> Finding:
    cases = loss_cases(results)
    wrong = sum(inevitable != timed_out for _, _, inevitable, timed_out in cases)
    return Finding(f"{wrong} of {len(cases):,} sets differ", agrees=wrong == 0)


@measure("cells-per-packet", "fig-08-09")
def _(results: Results) -> Finding:
    # Of one run: cells that a source's link was offered per segment sent (those at the very end are under way).
    run = results["fig-08-09"][0].runs[0].document
    cells = sum(link["offered"] for link in run["links"] if link["name"] in {f"access-{i}" for i in range(5)})
    return Finding(round(cells / sum(flow["segments_sent"] for flow in run["flows"]), 3))


for letter, plan in (("a", "fig-06-07"), ("b", "fig-08-09")):

    @measure(f"ppd-above-plain-{letter}", plan)
    def _(results: Results, plan: str = plan) -> Finding:
        return _ahead(_difference(only(results, plan, "ppd"), only(results, plan, "plain")))

    @measure(f"epd-above-ppd-{letter}", plan)
    def _(results: Results, plan: str = plan) -> Finding:
        return _ahead(_difference(_best(_epd(results, plan)), only(results, plan, "ppd")))

    @measure(f"epd-optimum-{letter}", plan)
    def _(results: Results, plan: str = plan) -> Finding:
        return Finding(_best(_epd(results, plan)).settings[THRESHOLD])


@measure("epd-falls-beyond-70-a", "fig-06-07")
def _(results: Results) -> Finding:
    epd = _epd(results, "fig-06-07")
    return _ahead(_difference(_at(epd, THRESHOLD, 0.7), _at(epd, THRESHOLD, 0.9)))


@measure("high-throughput-a", "fig-06-07")
def _(results: Results) -> Finding:
    return Finding.of(_best(_epd(results, "fig-06-07")).estimate(goodput))


@measure("ppd-more-active-a", "fig-06-07")
def _(results: Results) -> Finding:
    epd = _at(_epd(results, "fig-06-07"), THRESHOLD, 0.7)
    return _ahead(_difference(only(results, "fig-06-07", "ppd"), epd, active))


@measure("epd-ahead-though-idle-a", "fig-06-07")
def _(results: Results) -> Finding:
    ppd, epd = only(results, "fig-06-07", "ppd"), _at(_epd(results, "fig-06-07"), THRESHOLD, 0.7)
    goodputs, shares = _difference(epd, ppd), _difference(epd, ppd, active)
    text = f"goodput {_words(goodputs, sign=True)}, active {_words(shares, sign=True)}"
    both = _ahead(goodputs).agrees and _ahead(_difference(ppd, epd, active)).agrees
    return Finding(text, agrees=bool(both))


@measure("uncorrelated-a", "fig-06-07")
def _(results: Results) -> Finding:
    samples = results["fig-06-07"]
    x = [sample.estimate(active).mean or 0.0 for sample in samples]
    y = [sample.estimate(goodput).mean or 0.0 for sample in samples]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    over = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    spread = math.sqrt(sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y))
    r = over / spread if spread else 0.0
    return Finding(f"correlation {r:.2f} over all points of Figs. 6 and 7", agrees=abs(r) < 0.3)


@measure("b-below-a", "fig-06-07", "fig-08-09")
def _(results: Results) -> Finding:
    return _ahead(_difference(_best(_epd(results, "fig-06-07")), _best(_epd(results, "fig-08-09"))), by=0.1)


@measure("epd-best-b", "fig-08-09")
@measure("epd-best-b-again", "fig-08-09")
def _(results: Results) -> Finding:
    return Finding.of(_best(_epd(results, "fig-08-09")).estimate(goodput))


@measure("epd-idle-b", "fig-08-09")
def _(results: Results) -> Finding:
    best = _best(_epd(results, "fig-08-09"))
    return Finding.of(best.estimate(lambda run: 1 - active(run)))


@measure("epd-active-b", "fig-08-09")
def _(results: Results) -> Finding:
    return Finding.of(_best(_epd(results, "fig-08-09")).estimate(active))


@measure("bpd-best-b", "fig-12-13")
def _(results: Results) -> Finding:
    return Finding.of(_best(results["fig-12-13"]).estimate(goodput))


@measure("bpd-improvement-b", "fig-12-13", "fig-08-09")
def _(results: Results) -> Finding:
    bpd, epd = _best(results["fig-12-13"]), _best(_epd(results, "fig-08-09"))
    return Finding.of(Estimate.of([goodput(a) / goodput(b) - 1 for a, b in zip(bpd.runs, epd.runs, strict=True)]))


@measure("bpd-doubles-somewhere", "fig-12-13", "fig-08-09")
def _(results: Results) -> Finding:
    gains = []
    for bpd in results["fig-12-13"]:
        epd = _at(_epd(results, "fig-08-09"), THRESHOLD, bpd.settings[LOWER])
        gains.append(Estimate.of([goodput(a) / goodput(b) - 1 for a, b in zip(bpd.runs, epd.runs, strict=True)]))
    return Finding.of(max(gains, key=lambda gain: gain.mean or 0.0))


@measure("bpd-rises-with-lt", "fig-12-13")
def _(results: Results) -> Finding:
    ends = [(_at(with_gap(results, gap), LOWER, 0.7), _at(with_gap(results, gap), LOWER, 0.1)) for gap in GAPS]
    rises = sum(bool(_ahead(_difference(high, low)).agrees) for high, low in ends)
    return Finding(f"higher at LT 0.7 than at 0.1 for {rises} of {len(GAPS)} Gaps", agrees=rises == len(GAPS))


@measure("bpd-long-gap-falls", "fig-12-13")
def _(results: Results) -> Finding:
    samples = with_gap(results, 35)
    best, last = _best(samples), samples[-1]
    fall = _ahead(_difference(best, last))
    return Finding(fall.value, fall.half, fall.agrees and best is not last)


@measure("bpd-active-b", "fig-12-13")
def _(results: Results) -> Finding:
    return Finding.of(_best(with_gap(results, 25)).estimate(active))


@measure("bpd-no-better-a", "fig-14", "fig-06-07")
def _(results: Results) -> Finding:
    gain = _difference(_best(results["fig-14"]), _best(_epd(results, "fig-06-07")))
    assert gain.mean is not None
    return Finding(gain.mean, gain.half, abs(gain.mean) + (gain.half or 0.0) < 0.05)


def _stable(run: Measured) -> float:
    """Stabilised: the first fifth is left out [s]."""
    return run.document["duration_s"] / 5


def _spacing(run: Measured) -> float | None:
    gaps = []
    for losses in run.tape.losses.values():
        late = [segment for time, segment in losses if time >= _stable(run)]
        gaps += [b - a for a, b in itertools.pairwise(late) if b > a]
    return median(gaps) if gaps else None


@measure("losses-gap-apart", "fig-15-16")
def _(results: Results) -> Finding:
    return Finding.of(results["fig-15-16"][0].estimate(_spacing))


@measure("bpd-no-timeouts", "fig-15-16")
def _(results: Results) -> Finding:
    counts = [flow["timeouts"] for run in results["fig-15-16"][0].runs for flow in run.document["flows"]]
    free = sum(count == 0 for count in counts)
    return Finding(
        f"none in {free} of {len(counts)} connections, {sum(counts) / len(counts):.2g} on average",
        agrees=free == len(counts),
    )


@measure("bpd-stable-by-fast-retransmit", "fig-15-16")
def _(results: Results) -> Finding:
    late = losses = 0
    for run in results["fig-15-16"][0].runs:
        for events in run.tape.events.values():
            late += sum(time >= _stable(run) for time, _ in events["timeout"])
            losses += sum(time >= _stable(run) for time, _ in events["drop"])
    return Finding(f"{late} timeouts after {losses} losses, once stable", agrees=late <= losses / 100)


def _mean_cwnd(run: Measured) -> float:
    return sum(run.tape.mean.values()) / len(run.tape.mean)


def _peak_cwnd(run: Measured) -> float:
    peaks = [max(w for time, w in curve if time >= _stable(run)) for curve in run.tape.cwnd.values()]
    return sum(peaks) / len(peaks)


@measure("epd-timeouts", "fig-17")
def _(results: Results) -> Finding:
    def each(run: Measured) -> float:
        return run.document["summary"]["timeouts"] / len(run.document["flows"])

    return Finding.of(results["fig-17"][0].estimate(each))


@measure("epd-higher-peaks", "fig-15-16", "fig-17")
def _(results: Results) -> Finding:
    return _ahead(_difference(results["fig-17"][0], results["fig-15-16"][0], _peak_cwnd))


@measure("epd-lower-mean", "fig-15-16", "fig-17")
def _(results: Results) -> Finding:
    return _ahead(_difference(results["fig-15-16"][0], results["fig-17"][0], _mean_cwnd))


def _above(level: float) -> Callable[[Measured], float]:
    """Share of the time that the buffer holds more than so many cells."""

    def share(run: Measured) -> float:
        cells = run.document["series"]["backlog"]["bottleneck"]
        return sum(n > level for n in cells) / len(cells)

    return share


def _peak(run: Measured) -> float:
    return bottleneck("max_backlog")(run)


@measure("epd-below-threshold", "fig-18")
def _(results: Results) -> Finding:
    sample = only(results, "fig-18", "epd")
    threshold = levels(sample)["threshold"]
    time, peak = sample.estimate(_above(threshold)), sample.estimate(_peak)
    assert time.mean is not None
    assert peak.mean is not None
    text = f"above it {100 * time.mean:.1f} % of the time, at most {peak.mean:.0f} cells for {threshold:.0f}"
    # Of each connection a packet of 12 cells may have begun before it was reached.
    packets = len(sample.runs[0].document["flows"])
    return Finding(text, agrees=max(map(_peak, sample.runs)) <= threshold + packets * 12)


@measure("bpd-uses-excess", "fig-18")
def _(results: Results) -> Finding:
    bpd, epd = only(results, "fig-18", "bpd"), only(results, "fig-18", "epd")
    return _ahead(_difference(bpd, epd, _above(levels(epd)["threshold"])))


def _of_all(sample: Sample, by: Callable[[Measured], float | None]) -> Finding:
    """With the least and the greatest of all runs."""
    mean = sample.estimate(by)
    values = [value for value in map(by, sample.runs) if value is not None]
    low, high = (f"{value:.4g}" for value in (min(values), max(values)))
    return Finding(mean.mean, mean.half, seen=f"Single runs: {low} to {high}." if low != high else "")


for part, kind in (("a", "ppd"), ("b", "bpd")):
    for first in ("reno", "sack"):
        for number in (1, 2):
            for name, of in (("throughput", throughput), ("timeouts", timeouts)):
                by = of(number)

                @measure(f"{part}-{first}-{name}-{number}", "fig-20")
                def _(results: Results, kind: str = kind, first: str = first, by: Any = by) -> Finding:
                    return _of_all(pair(results, kind, first), by)

        for name, share in (("fairness", fairness), ("overall", goodput)):

            @measure(f"{part}-{first}-{name}", "fig-20")
            def _(results: Results, kind: str = kind, first: str = first, by: Any = share) -> Finding:
                return _of_all(pair(results, kind, first), by)


for kind in ("plain", "epd"):

    @measure(f"a-reno-overall-{kind}", "fig-20")
    def _(results: Results, kind: str = kind) -> Finding:
        return _of_all(pair(results, kind, "reno"), goodput)


@measure("a-reno-even", "fig-20")
def _(results: Results) -> Finding:
    def smaller(run: Measured) -> float:
        both = [throughput(number)(run) for number in (1, 2)]
        return min(both) / max(both)

    share = pair(results, "ppd", "reno").estimate(smaller)
    assert share.mean is not None
    text = f"the smaller is {_words(share)} of the larger"
    return Finding(text, agrees=share.mean - (share.half or 0.0) >= 0.8)


for name, by in (("overall", goodput), ("timeouts", timeouts(1))):

    @measure(f"b-reno-{name}-ns", "extra-pair")
    def _(results: Results, by: Any = by) -> Finding:
        return _of_all(pair(results, "bpd", "reno", plan="extra-pair"), by)


@measure("sack-alone-is-enough", "fig-20")
def _(results: Results) -> Finding:
    return Finding.of(pair(results, "ppd", "sack", "sack").estimate(goodput))


@measure("sack-unfair-without-bpd", "fig-20")
def _(results: Results) -> Finding:
    sample = pair(results, "ppd", "sack")
    return Finding.of(sample.estimate(lambda run: throughput(1)(run) / throughput(2)(run)))


# What other runs say of a disagreement


def _words(estimate: Estimate, *, sign: bool = False) -> str:
    assert estimate.mean is not None
    mean = f"{estimate.mean:+.2f}" if sign else f"{estimate.mean:.2f}"
    return mean if estimate.half is None else f"{mean} ± {estimate.half:.2f}"


def ns_epd(results: Results) -> Sample:
    """EPD at its best threshold, with the Reno of NS 1.4."""
    return _best(senders(results, "epd", careful=True, least="300 ms"))


def per_ten_seconds(run: Measured) -> float:
    """Timeouts of a connection in 10 s."""
    return 10 * run.document["summary"]["timeouts"] / len(run.document["flows"]) / run.document["duration_s"]


def ns_timeouts(results: Results) -> Estimate:
    """Of a connection in 10 s, under EPD at 90 %, with the Reno of NS 1.4."""
    return _at(senders(results, "epd", careful=True, least="300 ms"), THRESHOLD, 0.9).estimate(per_ten_seconds)


NS, SEE = "With the Reno of NS 1.4", "see Extra, the sender"


@measure.remark(("extra-sender",), "epd-best-b", "epd-best-b-again")
def _(results: Results) -> str:
    return f"{NS}: {_words(ns_epd(results).estimate(goodput))} ({SEE})."


@measure.remark(("extra-sender",), "epd-active-b")
def _(results: Results) -> str:
    return f"{NS}: {_words(ns_epd(results).estimate(active))} ({SEE})."


@measure.remark(("extra-sender",), "epd-idle-b")
def _(results: Results) -> str:
    return f"{NS}: {_words(ns_epd(results).estimate(lambda run: 1 - active(run)))} ({SEE})."


@measure.remark(("extra-sender",), "epd-timeouts")
def _(results: Results) -> str:
    count = ns_timeouts(results)
    return f"{NS}, in runs as long as those of Fig. 8: {count.mean:.1f} in 10 s ({SEE})."


@measure.remark(("extra-sender",), "bpd-improvement-b")
def _(results: Results) -> str:
    bpd, epd = senders(results, "bpd", careful=True, least="300 ms")[0], ns_epd(results)
    gain = Estimate.of([goodput(a) / goodput(b) - 1 for a, b in zip(bpd.runs, epd.runs, strict=True)])
    return f"{NS} BPD (LT 0.4, Gap 25) gains {_words(gain)} over EPD's best ({SEE})."


@measure.remark(("extra-sender",), "bpd-doubles-somewhere")
def _(results: Results) -> str:
    bpd = senders(results, "bpd", careful=True, least="300 ms")[0]
    epd = _at(senders(results, "epd", careful=True, least="300 ms"), THRESHOLD, 0.4)
    gain = Estimate.of([goodput(a) / goodput(b) - 1 for a, b in zip(bpd.runs, epd.runs, strict=True)])
    return f"{NS} the gain at equal thresholds of 40 % is {_words(gain)} ({SEE})."


@measure.remark(("fig-15-16",), "bpd-best-b")
def _(results: Results) -> str:
    return f"In the runs of 10 s of Fig. 15 (LT 0.4, Gap 25): {_words(results['fig-15-16'][0].estimate(goodput))}."


@measure.remark(("fig-15-16",), "bpd-active-b")
def _(results: Results) -> str:
    return f"In the runs of 10 s of Fig. 15 (LT 0.4): {_words(results['fig-15-16'][0].estimate(active))}."


@measure.remark(("fig-06-07", "extra-lock"), "ppd-above-plain-a")
def _(results: Results) -> str:
    shares = [fairness(run) or 0.0 for run in only(results, "fig-06-07", "ppd").runs]
    plain, ppd = (_words(locked(results, "80 Mb/s", kind).estimate(goodput)) for kind in ("plain", "ppd"))
    return (
        f"Fairness with PPD is {min(shares):.2f} to {max(shares):.2f} in single runs. With access links of 80 instead "
        f"of 75 Mb/s the lock is broken: Plain ATM {plain}, PPD {ppd} (see Extra, the lock)."
    )


@measure.remark(("extra-lock",), "epd-above-ppd-a", "epd-ahead-though-idle-a")
def _(results: Results) -> str:
    ppd, epd = (locked(results, "80 Mb/s", kind) for kind in ("ppd", "epd"))
    return (
        f"With access links of 80 Mb/s: goodput PPD {_words(ppd.estimate(goodput))}, EPD "
        f"{_words(epd.estimate(goodput))}; active PPD {_words(ppd.estimate(active))}, EPD "
        f"{_words(epd.estimate(active))} (see Extra, the lock)."
    )


@measure.remark(("fig-06-07",), "ppd-more-active-a")
def _(results: Results) -> str:
    ppd = only(results, "fig-06-07", "ppd")
    ahead = [
        epd.settings[THRESHOLD] for epd in _epd(results, "fig-06-07") if _ahead(_difference(ppd, epd, active)).agrees
    ]
    true = f"at thresholds {', '.join(map(str, ahead))}" if ahead else "at no threshold"
    return f"PPD is more active {true}."


@measure.remark(("fig-20",), "sack-alone-is-enough")
def _(results: Results) -> str:
    ppd, epd = (_words(pair(results, kind, "sack", "sack").estimate(goodput)) for kind in ("ppd", "epd"))
    return f"With PPD {ppd}, with EPD at 90 % {epd}."
