"""The measures of Viswanathan & Kamal: what is kept of a tape, and claims that need more than a declaration."""

from __future__ import annotations

import bisect
import csv
from collections.abc import Callable, Sequence
from math import log
from pathlib import Path
from statistics import fmean, median

from dupack._native import time_to_three_scheme_1
from dupack.reproduce.compare import apart, compared, ratio
from dupack.reproduce.folder import stated
from dupack.reproduce.paper import Estimate, Finding, Measured, Measures, Read, Results, Sample
from dupack.reproduce.select import number as decimal
from dupack.reproduce.verdicts import every, positive
from dupack.words import number, with_half

from .model import GRID, as_printed, simulated
from .runs import (
    TRUNKS,
    bias,
    by_timeout,
    carried,
    carried_last,
    count,
    delay,
    drops,
    drops_per_second,
    locked_out,
    network,
    one,
    percent,
    pick,
    rates,
    throughput,
    timeouts,
)

MEASURES = measure = Measures()
READS: dict[str, Read] = {
    "throughput": throughput,
    "delay": delay,
    "drops_per_second": drops_per_second,
    "by_timeout": by_timeout,
    "source_2_late": carried_last(2, 300.0),
    "bias": bias,
}
PLANS = {"tail": "fig-06-07", "red": "fig-08-09"}

# What is kept of a tape

STEADY = 5.0
"""Flows start and overshoot before this time [s]."""


def waits(tape: str) -> list[float]:
    """The time from each drop at the router to the retransmission [s]; drops before `STEADY` are left out."""
    lost: list[tuple[str, str, float]] = []
    again: dict[tuple[str, str], list[float]] = {}
    # Most events are neither, and splitting their lines would take most of the time.
    lines = (line for line in tape.splitlines() if ",drop," in line or ",retransmit," in line)
    for time, flow, event, segment, *_ in csv.reader(lines):
        if event == "drop" and float(time) >= STEADY:
            lost.append((flow, segment, float(time)))
        elif event == "retransmit":
            again.setdefault((flow, segment), []).append(float(time))
    found = []
    for flow, segment, when in lost:
        later = again.get((flow, segment), [])
        at = bisect.bisect_right(later, when)
        if at < len(later):
            found.append(later[at] - when)
    return found


# Verdicts and words

NOTHING = 1.0
"""A gain whose interval is below this is none [%]."""


def gained(estimate: Estimate) -> bool | None:
    """Whether there is a gain; the estimate is in per cent."""
    return positive(estimate, NOTHING)


def fewer(samples: Sequence[Sample], base: Sample, read: Read, share: float = 1.0) -> bool | None:
    """Whether all of them have less than this share of what the same seeds have in the base."""
    return every(positive(compared(base, sample, read, lambda b, a: share * b - a)) for sample in samples)


def words(estimate: Estimate, digits: int = 2) -> str:
    """A mean with its interval, rounded to two digits of the interval; without one, with ``digits`` decimals."""
    if estimate.mean is None:
        return "-"
    if estimate.half is None:
        return f"{estimate.mean:z.{digits}f}"
    return with_half(estimate.mean, estimate.half) if estimate.half else number(estimate.mean)


def listed(estimates: Sequence[Estimate], digits: int = 2) -> str:
    """Several estimates, separated by commas."""
    return ", ".join(words(one, digits) for one in estimates)


def noted(estimate: Estimate, seen: str) -> Finding:
    """A number with a note."""
    return Finding(estimate.mean, estimate.half, seen=seen)


def _if_dropped(estimate: Estimate, digits: int = 2) -> str:
    return f"With receivers that drop truncated packets: {words(estimate, digits)}."


def _three(samples: Sequence[Sample], read: Read) -> list[Estimate]:
    """Under schemes 0, 1 and 2."""
    return [one(samples, scheme).estimate(read) for scheme in ("0", "1", "2")]


def _gains(samples: Sequence[Sample], read: Read, *, less: bool = False) -> list[Estimate]:
    """Of schemes 1 and 2 over scheme 0 [%]."""
    base = one(samples, "0")
    return [percent(one(samples, scheme), base, read, less=less) for scheme in ("1", "2")]


def _both(samples: Sequence[Sample]) -> list[Sample]:
    """Schemes 1 and 2."""
    return [one(samples, scheme) for scheme in ("1", "2")]


# Tables 1 and 2


def _locked(sample: Sample) -> str:
    locked = sum(locked_out(run) for run in sample.runs)
    return f"In {locked} of {len(sample.runs)} runs one source is locked out." if locked else ""


for key, plan in PLANS.items():
    for scheme in ("0", "1"):

        @measure(f"{key}-throughput-{scheme}", plan)
        def _(results: Results, plan: str = plan, scheme: str = scheme) -> Finding:
            sample = one(results[plan], scheme)
            return noted(sample.estimate(throughput), _locked(sample))

    for name, read, digits in (("throughput", throughput, 2), ("delay", delay, 1)):

        @measure(f"{key}-{name}-2", plan)
        def _(results: Results, plan: str = plan, read: Read = read, digits: int = digits) -> Finding:
            found, dropped = (one(results[plan], scheme).estimate(read) for scheme in ("2", "2-drop"))
            return noted(found, _if_dropped(dropped, digits))

    for claim, read, less in ((f"{key}-gain-2", throughput, False), (f"{key}-delay-gain-2", delay, True)):

        @measure(claim, plan)
        def _(results: Results, plan: str = plan, read: Read = read, less: bool = less) -> Finding:
            zero, two, dropped = (one(results[plan], scheme) for scheme in ("0", "2", "2-drop"))
            return noted(percent(two, zero, read, less=less), _if_dropped(percent(dropped, zero, read, less=less), 1))

    @measure(f"{key}-throughput-order", plan)
    def _(results: Results, plan: str = plan) -> Finding:
        first, second = _both(results[plan])
        gains = [*_gains(results[plan], throughput), percent(second, first, throughput)]
        return Finding(listed(_three(results[plan], throughput)), agrees=every(map(gained, gains)))

    @measure(f"{key}-delay-order", plan)
    def _(results: Results, plan: str = plan) -> Finding:
        saved = _gains(results[plan], delay, less=True)
        return Finding(listed(_three(results[plan], delay), 1), agrees=every(map(gained, saved)))


@measure("tail-delay-swapped")
def _(results: Results) -> Finding:
    published = stated(Path(__file__).parent)
    zero, *others = (float(published[f"tail-delay-{scheme}"]) for scheme in (0, 1, 2))
    saved = ", ".join(f"{100 * (zero - other) / zero:.2f}" for other in others)
    return Finding(saved, agrees=saved == published["tail-delay-swapped"])


# What the paper attributes its gains to


@measure("timeouts-majority", "fig-06-07", "fig-08-09", "fig-13-14")
def _(results: Results) -> Finding:
    tail, red, mixed = (one(results[plan], "0") for plan in ("fig-06-07", "fig-08-09", "fig-13-14"))
    free = [run for run in tail.runs if not locked_out(run)]
    others = [words(sample.estimate(by_timeout)) for sample in (red, mixed)]
    seen = f"With RED: {others[0]}. Figs. 13, 14: {others[1]}."
    if len(free) < len(tail.runs):
        share = Estimate.of([v for v in map(by_timeout, free) if v is not None])
        seen = f"Without the runs in which a source is locked out: {words(share, 3)}. {seen}"
    return noted(tail.estimate(by_timeout), seen)


@measure("timeouts-avoided", "fig-06-07", "fig-13-14")
def _(results: Results) -> Finding:
    samples = results["fig-06-07"]
    base = one(samples, "0")
    free = [run for run in base.runs if not locked_out(run)]
    seen = f"Figs. 13, 14: {listed(_three(results['fig-13-14'], timeouts), 0)}."
    if len(free) < len(base.runs):
        count = words(Estimate.of([timeouts(run) for run in free]), 0)
        seen = f"Scheme 0 without the runs in which a source is locked out: {count}. {seen}"
    return Finding(listed(_three(samples, timeouts), 0), agrees=fewer(_both(samples), base, timeouts), seen=seen)


USUAL: dict[str, Callable[[Sequence[float]], float]] = {"median": median, "mean": fmean}
"""What may stand for many times: the paper does not say, and `readings.toml` chooses."""


def _usual(waits: Sequence[float], run: Measured) -> float | None:
    """One of `USUAL`; None without any time."""
    return USUAL[run.option("wait", "median")](waits) if waits else None


def _usual_wait(run: Measured) -> float | None:
    """Median, or mean, time from a drop to the retransmission [s]."""
    return _usual(run.tape, run)


def _usual_waits(samples: Sequence[Sample]) -> str:
    """Median, or mean, over the waits of all runs, under schemes 0, 1 and 2 [ms]."""
    three = [one(samples, scheme) for scheme in ("0", "1", "2")]
    found = [_usual([wait for run in sample.runs for wait in run.tape], sample.runs[0]) for sample in three]
    return ", ".join("-" if wait is None else f"{1e3 * wait:.1f}" for wait in found)


def _what_waits(samples: Sequence[Sample]) -> str:
    """Which of `USUAL` a reading chooses, in words."""
    return f"{samples[0].runs[0].option('wait', 'median')}s"


@measure("sooner", "section-5")
def _(results: Results) -> Finding:
    samples = results["section-5"]
    sooner = fewer(_both(samples), one(samples, "0"), _usual_wait)
    return Finding(_usual_waits(samples), agrees=sooner, seen=f"These are {_what_waits(samples)} over all drops.")


# Figs. 10 and 11


@measure("rates-source-2-worse", "fig-10-11")
def _(results: Results) -> Finding:
    sample = one(results["fig-10-11"], "0")
    return Finding.of(ratio(sample, sample, carried_last(2, 600.0), carried_last(1, 600.0)))


@measure("rates-source-2-first", "section-4-3")
def _(results: Results) -> Finding:
    (sample,) = results["section-4-3"]
    two, one = (count("segments_sent", f"ftp-{source}") for source in (2, 1))
    sent = [words(sample.estimate(read), 0) for read in (two, one)]
    return noted(ratio(sample, sample, two, one), f"Segments sent: {sent[0]} by source 2, {sent[1]} by source 1.")


def _use_of_link_1(run: Measured) -> float:
    """Share of the rate of source 1's link that is used; the link is a DS1 of 1.544 Mb/s."""
    return carried(1)(run) / 1.544


for scheme in ("1", "2"):

    @measure(f"rates-source-1-full-{scheme}", "fig-10-11")
    def _(results: Results, scheme: str = scheme) -> Finding:
        found, base = (one(results["fig-10-11"], which).estimate(_use_of_link_1) for which in (scheme, "0"))
        return noted(found, f"Under scheme 0: {words(base)}.")


@measure("rates-source-1-ramps", "fig-10-11")
def _(results: Results) -> Finding:
    samples, read = results["fig-10-11"], count("timeouts", "ftp-1")
    halved = fewer(_both(samples), one(samples, "0"), read, share=0.5)
    return Finding(listed(_three(samples, read), 0), agrees=halved)


@measure("rates-source-2-better", "fig-10-11")
def _(results: Results) -> Finding:
    def kilobits(run: Measured) -> float:
        return 1e3 * carried(2)(run)

    return _sent(results["fig-10-11"], kilobits, digits=0)


def _sent(samples: Sequence[Sample], read: Read, *, less: bool = False, digits: int = 2) -> Finding:
    """The rate of a source under the schemes, and whether both are above scheme 0, or below."""
    gains = _gains(samples, read, less=less)
    dropped = _if_dropped(one(samples, "2-drop").estimate(read), digits)
    return Finding(listed(_three(samples, read), digits), agrees=every(map(gained, gains)), seen=dropped)


@measure("rates-total", "fig-10-11")
def _(results: Results) -> Finding:
    return Finding.of(max(_gains(results["fig-10-11"], throughput), key=lambda one: one.mean or 0.0))


# Figs. 13 and 14


for claim, source, less in (("delays-near", 1, True), ("delays-far", 3, False)):

    @measure(claim, "fig-13-14")
    def _(results: Results, source: int = source, less: bool = less) -> Finding:
        return _sent(results["fig-13-14"], carried(source), less=less)


@measure("delays-fairer", "fig-13-14")
def _(results: Results) -> Finding:
    samples = results["fig-13-14"]
    closer = _gains(samples, lambda run: abs(log(bias(run))), less=True)
    dropped = _if_dropped(one(samples, "2-drop").estimate(bias))
    return Finding(listed(_three(samples, bias)), agrees=every(map(gained, closer)), seen=dropped)


# The model


@measure("model-around-30")
def _(results: Results) -> Finding:
    least = min(GRID, key=as_printed)
    return Finding(as_printed(least), seen=f"At p = {least:g}.")


def _falling(slots: Sequence[float]) -> Finding:
    """Times, and whether each is at most the one before [slots]."""
    return Finding(", ".join(f"{t:.0f}" for t in slots), agrees=list(slots) == sorted(slots, reverse=True))


FALLING: dict[str, Callable[[], list[float]]] = {
    "model-high-first": lambda: [*map(as_printed, (0.02, 0.05, 0.1)), min(map(as_printed, GRID))],
    "model-scheme-1-falls": lambda: [time_to_three_scheme_1(p) for p in (0.02, 0.1, 0.5, 1.0)],
    "model-order": lambda: [as_printed(0.5), time_to_three_scheme_1(0.5), 1.0],
}
for claim, slots in FALLING.items():

    @measure(claim)
    def _(results: Results, slots: Callable[[], list[float]] = slots) -> Finding:
        return _falling(slots())


@measure("model-over-40")
def _(results: Results) -> Finding:
    return Finding(as_printed(0.9), seen=f"In the simulation it is {words(simulated(0.9), 1)}.")


@measure("model-rise")
def _(results: Results) -> Finding:
    low, high = (simulated(p) for p in (0.8, 0.9))
    printed = as_printed(0.9) - as_printed(0.8)
    return noted(apart(high, low), f"The rise as printed: {printed:.1f}.")


@measure("model-scheme-1")
def _(results: Results) -> Finding:
    return Finding(time_to_three_scheme_1(1.0))


# What other runs show about claims that do not agree


@measure.remark(["fig-06-07"], "tail-throughput-0")
def _(results: Results) -> str:
    return f"Reno loses {words(one(results['fig-06-07'], '0').estimate(drops_per_second))} packets a second."


@measure.remark(["extra-many"], "timeouts-majority")
def _(results: Results) -> str:
    most = max(pick(results["extra-many"], "0"), key=lambda sample: decimal(sample, "source.count"))
    share = words(most.estimate(by_timeout))
    return f"With {decimal(most, 'source.count'):.0f} sources the share is {share} (Extra, timeouts of more sources)."


for scheme in ("1", "2"):

    @measure.remark(["extra-rates"], f"rates-source-1-full-{scheme}")
    def _(results: Results, scheme: str = scheme) -> str:
        def used(link: str, scheme: str) -> str:
            return words(one(rates(results, link), scheme).estimate(_use_of_link_1))

        seen = [f"{link}: {used(link, scheme)}, under scheme 0 {used(link, '0')}" for link in TRUNKS]
        return f"By the link to the server, the plans otherwise as they are: {'; '.join(seen)}."


@measure.remark(["extra-sooner"], "sooner")
def _(results: Results) -> str:
    others = ("Table 2 (RED)", "Figs. 13, 14")
    found = [f"{name}: {_usual_waits(network(results['extra-sooner'], name))}" for name in others]
    return f"The {_what_waits(results['extra-sooner'])} with the plans as they are, {'; '.join(found)}."


@measure.remark(["fig-06-07"], "tail-gain-2", "tail-delay-gain-2", "tail-delay-order")
def _(results: Results) -> str:
    zero, two = (words(one(results["fig-06-07"], scheme).estimate(drops_per_second)) for scheme in ("0", "2"))
    return f"The router drops {zero} packets a second under scheme 0, and {two} under scheme 2."


@measure.remark(["fig-08-09"], "red-gain-1")
def _(results: Results) -> str:
    less = percent(one(results["fig-08-09"], "1"), one(results["fig-08-09"], "0"), drops, less=True)
    return f"The router drops {words(less, 1)} % fewer packets than under scheme 0."


@measure.remark(["fig-10-11"], "rates-source-1-ramps")
def _(results: Results) -> str:
    others = words(one(results["fig-10-11"], "0").estimate(count("timeouts", "ftp-2")), 0)
    return f"Under scheme 0 source 2 has {others} timeouts."


PROPAGATION = 10.0
"""Of the networks of Tables 1 and 2 [ms]."""


def rest(results: Results, plan: str) -> str:
    """The delay under scheme 0 beyond propagation [ms]."""
    found = one(results[plan], "0").estimate(delay)
    return words(Estimate(None if found.mean is None else found.mean - PROPAGATION, found.half), 1)


for key, plan in PLANS.items():
    claims = [f"{key}-delay-gain-1", *([f"{key}-delay-gain-2", f"{key}-delay-order"] if key == "red" else [])]

    @measure.remark([plan], *claims)
    def _(results: Results, plan: str = plan) -> str:
        return f"Beyond {PROPAGATION:.0f} ms of propagation, the delay under scheme 0 is {rest(results, plan)} ms."


# The conclusions


def short(results: Results) -> dict[str, float]:
    """The numbers of the conclusions [%].

    ``far_`` are ratios of the rate of the far source to that under scheme 0, and timeouts are those of a run.
    """
    tail, red, mixed = (results[plan] for plan in ("fig-06-07", "fig-08-09", "fig-13-14"))

    def gain(samples: Sequence[Sample], scheme: str, read: Read = throughput, *, less: bool = False) -> float:
        return percent(one(samples, scheme), one(samples, "0"), read, less=less).mean or 0.0

    def far(scheme: str) -> float:
        found, base = (one(mixed, which).estimate(carried(3)).mean or 0.0 for which in (scheme, "0"))
        return found / base

    return {
        "by_duplicates": 100 - 100 * (one(tail, "0").estimate(by_timeout).mean or 0.0),
        "timeouts": one(tail, "0").estimate(timeouts).mean or 0.0,
        "tail_1": gain(tail, "1"),
        "tail_2": gain(tail, "2"),
        "tail_2_drop": gain(tail, "2-drop"),
        "red_1": gain(red, "1"),
        "red_1_fewer_drops": gain(red, "1", drops, less=True),
        "red_2": gain(red, "2"),
        "red_2_drop": gain(red, "2-drop"),
        "far_1": far("1"),
        "far_2": far("2"),
        "far_2_drop": far("2-drop"),
        "mixed_1_lost": gain(mixed, "1", less=True),
        "mixed_2_lost": gain(mixed, "2", less=True),
    }
