"""The measures of Cohen & Hamo 2001: what is kept of a run, what is read off it, and claims that need Python."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import correlation, median
from typing import Any, cast

from dupack._native import Plan, check_losses
from dupack.reproduce.compare import best, gain, paired, ratio
from dupack.reproduce.paper import Estimate, Finding, Measured, Measures, Results, Sample
from dupack.reproduce.reads import read
from dupack.reproduce.select import only, setting, where
from dupack.reproduce.told import words
from dupack.reproduce.verdicts import above, below, every, within

from .regimes import pair

MEASURES = measure = Measures()
GAPS = (5, 10, 15, 20, 25, 35)
EXHAUSTIVE, SAMPLED = 24, 64
"""Largest window of which every set of losses is tried, and of which samples are tried [segments]."""

# What is kept of a run

__all__ = ["MEASURES", "READS", "pair"]
EVENTS = ("drop", "fast_retransmit", "timeout")


@dataclass
class Windows:
    """What Figs. 15 to 17 show of every connection."""

    cwnd: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    """Time [s] and congestion window [segments], whenever it has changed by half a segment."""
    mean: dict[str, float] = field(default_factory=dict)
    """Mean congestion window over time [segments]."""
    losses: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    """Time [s] and number of every lost segment."""
    events: dict[str, dict[str, list[tuple[float, float]]]] = field(default_factory=dict)
    """Time [s] and congestion window [segments] of every loss, fast retransmit and timeout."""


def windows(tape: str) -> Windows:
    """Reads a tape."""
    kept = Windows()
    latest: dict[str, tuple[float, float]] = {}
    area: dict[str, float] = {}
    end = 0.0
    for time, flow, event, segment, cwnd, _ in csv.reader(tape.splitlines()[1:]):
        if event in EVENTS:
            mine = kept.events.setdefault(flow, {name: [] for name in EVENTS})
            mine[event].append((float(time), float(cwnd)))
        if event == "drop":
            kept.losses.setdefault(flow, []).append((float(time), int(segment)))
        if event not in ("cwnd", "timeout", "send"):
            continue
        now, window = end, _ = float(time), float(cwnd)
        before = latest.get(flow)
        if before is not None:
            area[flow] = area.get(flow, 0.0) + before[1] * (now - before[0])
        latest[flow] = (now, window)
        curve = kept.cwnd.setdefault(flow, [])
        if not curve or abs(curve[-1][1] - window) >= 0.5:
            if before is not None and curve and curve[-1] != before:
                curve.append(before)
            curve.append((now, window))
    for flow, (now, window) in latest.items():
        start = kept.cwnd[flow][0][0]
        kept.cwnd[flow].append((end, window))
        kept.mean[flow] = (area.get(flow, 0.0) + window * (end - now)) / max(end - start, 1e-9)
    return kept


def every_loss(plan: Plan, threads: int) -> dict[str, Any]:
    """What the analysis of §2.2 and the simulated sender say of every set of up to four losses from one window."""
    cases = check_losses(plan, 4, EXHAUSTIVE, SAMPLED, 500, threads)
    return {"columns": ["window", "lost", "inevitable", "timed_out"], "cases": cases}


# What is read off a run

goodput = read("link.bottleneck.goodput_fraction", {})
active = read("summary.active_fraction", {})


def idle(run: Measured) -> float:
    """Share of the time that a connection waits for a timeout, mean over the connections."""
    return 1 - float(run.document["summary"]["active_fraction"])


def timeouts_each(run: Measured) -> float:
    """Timeouts of a connection, mean over the connections."""
    return float(run.document["summary"]["timeouts"]) / len(run.document["flows"])


def timeouts_in_10_s(run: Measured) -> float:
    """Timeouts of a connection in 10 s, mean over the connections."""
    return 10 * timeouts_each(run) / float(run.document["duration_s"])


def stable(run: Measured) -> float:
    """Time from which a run counts as stable: the first fifth is left out [s]."""
    return float(run.document["duration_s"]) / 5


def without_timeout(run: Measured) -> float:
    """Number of connections without a timeout."""
    return float(sum(flow["timeouts"] == 0 for flow in run.document["flows"]))


def late_events(what: str) -> Callable[[Measured], float]:
    """Number of losses or timeouts of all connections, once stable."""
    return lambda run: float(
        sum(time >= stable(run) for events in run.tape.events.values() for time, _ in events[what])
    )


def spacing(run: Measured) -> float | None:
    """Distance of successive losses of a connection, median over all of them [segments]."""
    gaps = []
    for losses in run.tape.losses.values():
        late = [segment for time, segment in losses if time >= stable(run)]
        gaps += [b - a for a, b in itertools.pairwise(late) if b > a]
    return median(gaps) if gaps else None


def mean_cwnd(run: Measured) -> float:
    """Mean congestion window over time, mean over the connections [segments]."""
    return float(sum(run.tape.mean.values()) / len(run.tape.mean))


def peak_cwnd(run: Measured) -> float:
    """Highest congestion window once stable, mean over the connections [segments]."""
    peaks = [max(w for time, w in curve if time >= stable(run)) for curve in run.tape.cwnd.values()]
    return float(sum(peaks) / len(peaks))


def above_half(run: Measured) -> float:
    """Share of the samples at which the buffer is more than half full."""
    cells = run.document["series"]["backlog"]["bottleneck"]
    return sum(n > 600 for n in cells) / len(cells)


def throughput(link: str) -> Callable[[Measured], float]:
    """Throughput of Fig. 20, as a share of what this link can carry: as goodput counts it, or of all cells."""
    counts = {"goodput": read(f"link.{link}.goodput_fraction", {}), "cells": read(f"link.{link}.utilization", {})}
    return lambda run: cast(float, counts[run.option("throughput", "goodput")](run))


throughput_1, throughput_2, overall = map(throughput, ("access-0", "access-1", "bottleneck"))


def fairness(run: Measured) -> float | None:
    """Fairness index of the two throughputs of Fig. 20."""
    a, b = throughput_1(run), throughput_2(run)
    return (a + b) ** 2 / (2 * (a * a + b * b)) if a or b else None


def smaller(run: Measured) -> float | None:
    """Of the two throughputs of Fig. 20, the smaller one over the larger."""
    both = throughput_1(run), throughput_2(run)
    return min(both) / max(both) if max(both) else None


READS = {
    "throughput_1": throughput_1,
    "throughput_2": throughput_2,
    "overall": overall,
    "fairness": fairness,
    "smaller": smaller,
    "goodput": goodput,
    "active": active,
    "idle": idle,
    "timeouts_each": timeouts_each,
    "spacing": spacing,
    "mean_cwnd": mean_cwnd,
    "peak_cwnd": peak_cwnd,
    "above_half": above_half,
}

Case = tuple[int, list[int], bool, bool]


def loss_cases(results: Results, losses: int | None = None) -> list[Case]:
    """Per case: window, lost segments, whether a timeout is inevitable by the analysis, and whether there was one."""
    cases: list[Case] = results["section-2-2"][0].runs[0].document["cases"]
    return [case for case in cases if losses is None or len(case[1]) == losses]


def ns(results: Results, **settings: Any) -> list[Sample]:
    """Runs with the Reno of NS 1.4."""
    return where(results["extra-sender"], {"careful": True, "min_rto": "300 ms"}, **settings)


def ns_epd(results: Results) -> Sample:
    """EPD at its best threshold, with the Reno of NS 1.4."""
    return best(ns(results, threshold=True), goodput)


# §2: losses from one window


def rtt_rto(runs: Iterable[Measured]) -> list[tuple[float, float]]:
    """Mean RTT and mean retransmission timeout of every connection of these runs of Fig. 3 [s]."""
    flows = [flow for run in runs for flow in run.document["flows"]]
    return [(f["mean_rtt_s"], f["mean_rto_s"]) for f in flows if f["mean_rtt_s"] and f["mean_rto_s"]]


@measure("rto-far-above-rtt", "fig-03")
def _(results: Results) -> Finding:
    # A run of each seed for each length of the link; together they have the connections of the figure.
    seeds = zip(*(sample.runs for sample in results["fig-03"]), strict=True)
    found = Estimate.of([median(rto / rtt for rtt, rto in rtt_rto(runs) if rtt < 0.2) for runs in seeds])
    return Finding(f"median RTO / RTT {words(found)}, for RTTs below 200 ms", agrees=above(found, 2.0).agrees)


for losses, claim in ((1, "fast-retransmit-needs"), (2, "two-losses-need")):

    @measure(claim, "section-2-2")
    def _(results: Results, losses: int = losses) -> Finding:
        """The smallest window such that no case of it or of a larger one times out."""
        cases = loss_cases(results, losses)
        return Finding(max((window for window, _, _, timed_out in cases if timed_out), default=0) + 1)


@measure("two-of-eight", "section-2-2")
def _(results: Results) -> Finding:
    cases = [timed_out for window, _, _, timed_out in loss_cases(results, 2) if window == 8]
    return Finding(f"{sum(cases)} of {len(cases)} pairs time out", agrees=all(cases))


@measure("three-losses-spaced", "section-2-2")
def _(results: Results) -> Finding:
    cases = loss_cases(results, 3)
    same = sum(inevitable == timed_out for _, _, inevitable, timed_out in cases)
    return Finding(f"{same:,} of {len(cases):,} sets agree with eq. (3)", agrees=same == len(cases))


@measure("three-of-twenty-four", "section-2-2")
def _(results: Results) -> Finding:
    cases = [timed_out for window, _, _, timed_out in loss_cases(results, 3) if window == 24]
    free = len(cases) - sum(cases)
    return Finding(f"{free} of {len(cases):,} sets recover", agrees=free > 0)


@measure("four-losses", "section-2-2")
def _(results: Results) -> Finding:
    cases = [timed_out for _, _, _, timed_out in loss_cases(results, 4)]
    return Finding(f"{sum(cases):,} of {len(cases):,} sets time out", agrees=all(cases))


def differing(results: Results) -> tuple[int, int]:
    """Number of cases in which the analysis and the simulated sender differ, and of all cases."""
    cases = loss_cases(results)
    return sum(inevitable != timed_out for _, _, inevitable, timed_out in cases), len(cases)


@measure("analysis-is-right", "section-2-2")
def _(results: Results) -> Finding:
    wrong, cases = differing(results)
    return Finding(f"{wrong} of {cases:,} sets differ", agrees=wrong == 0)


@measure("cells-per-packet", "fig-15-16")
def _(results: Results) -> Finding:
    # Links count the whole run, and flows count from the end of warm-up: no reading gives this plan a warm-up. Only the
    # first run is used. The ratio is rounded, because cells of the last segments are on their way at its end.
    run = results["fig-15-16"][0].runs[0].document
    cells = sum(link["offered"] for link in run["links"] if link["name"] in {f"access-{i}" for i in range(5)})
    return Finding(round(cells / sum(flow["segments_sent"] for flow in run["flows"]), 3))


# §3 and §5: topologies A and B


@measure("epd-ahead-though-idle-a", "fig-06-07")
def _(results: Results) -> Finding:
    ppd, epd = only(results["fig-06-07"], kind="ppd"), only(results["fig-06-07"], threshold=0.7)
    goodputs, shares = paired(epd, ppd, goodput), paired(epd, ppd, active)
    text = f"goodput {words(goodputs, sign=True)}, active {words(shares, sign=True)}"
    return Finding(text, agrees=every([above(goodputs).agrees, below(shares).agrees]))


def correlated(samples: Sequence[Sample]) -> Estimate:
    """Correlation of the share of time active with the goodput over these points, mean over the seeds."""
    seeds = zip(*(zip(sample.values(active), sample.values(goodput), strict=True) for sample in samples), strict=True)
    return Estimate.of([correlation([a or 0.0 for a, _ in seed], [b or 0.0 for _, b in seed]) for seed in seeds])


@measure("uncorrelated-a", "fig-06-07")
def _(results: Results) -> Finding:
    found = correlated(results["fig-06-07"])
    text = f"correlation {words(found)} over all points of Figs. 6 and 7"
    return Finding(text, agrees=within(found, 0.3).agrees)


@measure("bpd-doubles-somewhere", "fig-12-13", "fig-08-09")
def _(results: Results) -> Finding:
    epd = {sample.settings["link.bottleneck.queue.threshold"]: sample for sample in _epd(results)}
    gains = [gain(bpd, epd[bpd.settings["link.bottleneck.queue.lower"]], goodput) for bpd in results["fig-12-13"]]
    return Finding.of(max(gains, key=lambda gain: gain.mean or 0.0))


def _epd(results: Results) -> list[Sample]:
    return where(results["fig-08-09"], threshold=True)


@measure("bpd-rises-with-lt", "fig-12-13")
def _(results: Results) -> Finding:
    ends = [[only(results["fig-12-13"], gap=f"{gap} packets", lower=lt) for lt in (0.7, 0.1)] for gap in GAPS]
    verdicts = [above(paired(high, low, goodput)).agrees for high, low in ends]
    rises = verdicts.count(True)
    return Finding(f"higher at LT 0.7 than at 0.1 for {rises} of {len(GAPS)} Gaps", agrees=every(verdicts))


@measure("bpd-no-timeouts", "fig-15-16")
def _(results: Results) -> Finding:
    (sample,) = results["fig-15-16"]
    spared, mean = sample.total(without_timeout), sample.estimate(timeouts_each).mean or 0.0
    connections = sum(len(run.document["flows"]) for run in sample.runs)
    text = f"no timeout in {spared:.0f} of {connections} connections; mean {mean:.2g}"
    return Finding(text, agrees=spared == connections)


@measure("bpd-stable-by-fast-retransmit", "fig-15-16")
def _(results: Results) -> Finding:
    (sample,) = results["fig-15-16"]
    timeouts, losses = late_events("timeout"), late_events("drop")
    share = ratio(sample, sample, timeouts, losses)
    text = f"{sample.total(timeouts):.0f} timeouts and {sample.total(losses):,.0f} losses, once stable"
    return Finding(text, agrees=below(share, 0.01).agrees)


@measure("epd-below-threshold", "fig-18")
def _(results: Results) -> Finding:
    sample = only(results["fig-18"], kind="epd")
    threshold, peak = 600, read("link.bottleneck.max_backlog", {})
    share = 100 * (sample.estimate(above_half).mean or 0.0)
    highest = sample.estimate(peak).mean
    text = f"above it {share:.1f} % of the time; maximum {highest:.0f} cells (mean over seeds), threshold {threshold}"
    # When the threshold is reached, each connection may have begun a packet of 12 cells.
    room = 12 * len(sample.runs[0].document["flows"])
    return Finding(text, agrees=max(value or 0.0 for value in sample.values(peak)) <= threshold + room)


# What other runs show about claims that do not agree

NS, SEE = "With the Reno of NS 1.4", "see Extra, the sender"
FORMS = {
    "epd-best-b": goodput,
    "epd-best-b-again": goodput,
    "epd-active-b": active,
    "epd-idle-b": idle,
}
for claim, by in FORMS.items():

    @measure.remark(["extra-sender"], claim)
    def _(results: Results, by: Any = by) -> str:
        return f"{NS}: {words(ns_epd(results).estimate(by))} ({SEE})."


@measure.remark(["extra-sender"], "epd-timeouts")
def _(results: Results) -> str:
    count = only(ns(results), threshold=0.9).estimate(timeouts_in_10_s)
    return f"{NS}, a connection has {count.mean:.1f} timeouts in 10 s, in runs as long as those of Fig. 8 ({SEE})."


@measure.remark(["extra-sender"], "bpd-improvement-b")
def _(results: Results) -> str:
    found = gain(ns(results, kind="bpd"), ns_epd(results), goodput)
    return f"{NS}, BPD (LT 0.4, Gap 25) gains {words(found)} over EPD at its best threshold ({SEE})."


@measure.remark(["extra-sender"], "bpd-doubles-somewhere")
def _(results: Results) -> str:
    found = gain(ns(results, kind="bpd"), ns(results, threshold=0.4), goodput)
    return f"{NS}, the gain at equal thresholds of 40 % is {words(found)} ({SEE})."


for claim, by, runs in (
    ("bpd-best-b", goodput, "of Fig. 15 (LT 0.4, Gap 25)"),
    ("bpd-active-b", active, "of Fig. 15 (LT 0.4)"),
):

    @measure.remark(["fig-15-16"], claim)
    def _(results: Results, by: Any = by, runs: str = runs) -> str:
        return f"In the 10 s runs {runs}: {words(results['fig-15-16'][0].estimate(by))}."


def unlocked(results: Results, kind: str, by: Any) -> str:
    """A measure with access links that are a little faster than the bottleneck, as text."""
    return words(only(results["extra-lock"], {"access.rate": "80 Mb/s"}, kind=kind).estimate(by))


@measure.remark(["fig-06-07", "extra-lock"], "ppd-above-plain-a")
def _(results: Results) -> str:
    shares: Sequence[float] = [run.document["summary"]["jain"] for run in only(results["fig-06-07"], kind="ppd").runs]
    return (
        f"Fairness with PPD is {min(shares):.2f} to {max(shares):.2f} in single runs. Access links of 80 Mb/s instead "
        f"of 75 Mb/s end the lock-out. The goodput is then {unlocked(results, 'plain', goodput)} with Plain ATM and "
        f"{unlocked(results, 'ppd', goodput)} with PPD (see Extra, the lock)."
    )


@measure.remark(["extra-lock"], "epd-above-ppd-a", "epd-ahead-though-idle-a")
def _(results: Results) -> str:
    told = [
        f"{name} PPD {unlocked(results, 'ppd', by)}, EPD {unlocked(results, 'epd', by)}"
        for name, by in (("goodput", goodput), ("active", active))
    ]
    return f"With access links of 80 Mb/s: {'; '.join(told)} (see Extra, the lock)."


@measure.remark(["fig-06-07"], "uncorrelated-a")
def _(results: Results) -> str:
    high = [one for one in results["fig-06-07"] if (setting(one, "queue.threshold") or 1.0) >= 0.5]
    return f"Without thresholds below 50 %: {words(correlated(high))}."


@measure.remark(["fig-06-07"], "ppd-more-active-a")
def _(results: Results) -> str:
    ppd = only(results["fig-06-07"], kind="ppd")
    epds = where(results["fig-06-07"], threshold=True)
    ahead = [epd for epd in epds if above(paired(ppd, epd, active)).agrees]
    at = ", ".join(str(epd.settings["link.bottleneck.queue.threshold"]) for epd in ahead)
    if not ahead:
        return "PPD is not significantly more active than EPD at any threshold."
    return f"PPD is significantly more active than EPD at thresholds {at}."


@measure.remark(["fig-20"], "sack-alone-is-enough")
def _(results: Results) -> str:
    both = {"connection-1.transport.kind": "sack", "connection-2.transport.kind": "sack"}
    ppd, epd = (only(results["fig-20"], both | {"queue.kind": kind}).estimate(overall) for kind in ("ppd", "epd"))
    return f"With PPD: {words(ppd)}; with EPD at 90 %: {words(epd)}."


def short(results: Results) -> dict[str, Any]:
    """The numbers of the conclusions."""
    epd, bpd = best(_epd(results), goodput), best(results["fig-12-13"], goodput)
    middle = best(where(results["fig-12-13"], {"queue.gap": "25 packets"}), goodput)
    wrong, cases = differing(results)
    return {
        "gain": words(gain(bpd, epd, goodput).times(100), 0),
        "good": epd.estimate(goodput).mean,
        "bpd": bpd.estimate(goodput).mean,
        "always": 100 * (middle.estimate(active).mean or 0.0),
        "busy": 100 * (epd.estimate(active).mean or 0.0),
        "often": results["fig-17"][0].estimate(timeouts_in_10_s).mean,
        "wrong": wrong,
        "cases": cases,
    }
