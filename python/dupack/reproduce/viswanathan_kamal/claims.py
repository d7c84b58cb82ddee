"""How each claim of Viswanathan & Kamal (``published.toml``) is measured."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from math import log
from statistics import median
from typing import Any

from dupack._native import time_to_three_scheme_1
from dupack.reproduce.paper import PAPERS, Estimate, Finding, Measured, Measures, Results, Sample
from dupack.reproduce.verdicts import every
from dupack.reproduce.viswanathan_kamal.model import GRID, as_printed, simulated
from dupack.reproduce.viswanathan_kamal.runs import (
    AS_WORDED,
    DS1_RATE,
    TRUNKS,
    Read,
    by_timeout,
    carried,
    count,
    delay,
    drops,
    gain,
    locked_out,
    megabytes,
    milliseconds,
    network,
    only,
    rates,
    throughput,
    timeouts,
)
from dupack.reproduce.viswanathan_kamal.verdicts import fewer, gained, listed, words

MEASURES = measure = Measures()

KEY = "viswanathan-kamal"
DS3_READING = "DS3 to the server"
PLANS = {"tail": "fig-06-07", "red": "fig-08-09"}


def _three(samples: Sequence[Sample], read: Read) -> list[Estimate]:
    """Under schemes 0, 1 and 2."""
    return [only(samples, scheme).estimate(read) for scheme in ("0", "1", "2")]


def _under_drop(estimate: Estimate, digits: int = 2) -> str:
    return f"If the receiver drops: {words(estimate, digits)}."


def _gains(samples: Sequence[Sample], read: Read, *, less: bool = False) -> list[Estimate]:
    """Of schemes 1 and 2 over scheme 0, seed by seed, in per cent."""
    base = only(samples, "0")
    return [gain(only(samples, scheme), base, read, less=less) for scheme in ("1", "2")]


# Tables 1 and 2


def _locked(sample: Sample) -> str:
    locked = sum(locked_out(run) for run in sample.runs)
    return f"In {locked} of {len(sample.runs)} runs one source is locked out." if locked else ""


for key, plan in PLANS.items():
    for scheme in ("0", "1", "2"):

        @measure(f"{key}-throughput-{scheme}", plan)
        def _(results: Results, plan: str = plan, scheme: str = scheme) -> Finding:
            sample = only(results[plan], scheme)
            found = sample.estimate(megabytes)
            dropped = only(results[plan], "2-drop").estimate(megabytes)
            seen = _under_drop(dropped) if scheme == "2" else _locked(sample)
            return Finding(found.mean, found.half, seen=seen)

        @measure(f"{key}-delay-{scheme}", plan)
        def _(results: Results, plan: str = plan, scheme: str = scheme) -> Finding:
            found = only(results[plan], scheme).estimate(milliseconds)
            dropped = only(results[plan], "2-drop").estimate(milliseconds)
            return Finding(found.mean, found.half, seen=_under_drop(dropped, 1) if scheme == "2" else "")

    for nth, scheme in enumerate(("1", "2")):

        @measure(f"{key}-gain-{scheme}", plan)
        def _(results: Results, plan: str = plan, nth: int = nth) -> Finding:
            return _gain(results[plan], nth, throughput)

        @measure(f"{key}-delay-gain-{scheme}", plan)
        def _(results: Results, plan: str = plan, nth: int = nth) -> Finding:
            return _gain(results[plan], nth, delay, less=True)

    @measure(f"{key}-throughput-order", plan)
    def _(results: Results, plan: str = plan) -> Finding:
        one, two = _gains(results[plan], throughput)
        second = gain(only(results[plan], "2"), only(results[plan], "1"), throughput)
        holds = every(map(gained, (one, two, second)))
        return Finding(listed(_three(results[plan], megabytes)), agrees=holds)

    @measure(f"{key}-delay-order", plan)
    def _(results: Results, plan: str = plan) -> Finding:
        saved = _gains(results[plan], delay, less=True)
        return Finding(listed(_three(results[plan], milliseconds), 1), agrees=every(map(gained, saved)))


def _gain(samples: Sequence[Sample], nth: int, read: Read, *, less: bool = False) -> Finding:
    found = _gains(samples, read, less=less)[nth]
    if nth == 0:
        return Finding.of(found)
    dropped = gain(only(samples, "2-drop"), only(samples, "0"), read, less=less)
    return Finding(found.mean, found.half, seen=_under_drop(dropped, 1))


@cache
def _published() -> dict[str, Any]:
    text = (PAPERS / KEY / "published.toml").read_text(encoding="utf-8")
    return {claim["id"]: claim["published"] for claim in tomllib.loads(text)["claim"]}


@measure("tail-delay-swapped", "fig-06-07")
def _(results: Results) -> Finding:
    zero, one, two = (_published()[f"tail-delay-{scheme}"] for scheme in (0, 1, 2))
    text = ", ".join(f"{100 * (zero - other) / zero:.2f}" for other in (one, two))
    return Finding(text, agrees=text == _published()["tail-delay-swapped"])


@measure("red-below-tail", "fig-06-07", "fig-08-09")
def _(results: Results) -> Finding:
    red, tail = (only(results[plan], "0") for plan in ("fig-08-09", "fig-06-07"))
    pairs = zip(red.runs, tail.runs, strict=True)
    return Finding.of(Estimate.of([throughput(a) / throughput(b) for a, b in pairs]))


# What gains are put down to


@measure("timeouts-majority", "fig-06-07", "fig-08-09", "fig-13-14")
def _(results: Results) -> Finding:
    tail, red, mixed = (only(results[plan], "0") for plan in ("fig-06-07", "fig-08-09", "fig-13-14"))
    found = tail.estimate(by_timeout)
    free = Estimate.of([v for v in (by_timeout(run) for run in tail.runs if not locked_out(run)) if v is not None])
    others = [words(sample.estimate(by_timeout)) for sample in (red, mixed)]
    seen = (
        f"Without the runs that lock a source out: {words(free, 3)}. With RED {others[0]}; Figs. 13, 14: {others[1]}."
    )
    return Finding(found.mean, found.half, seen=seen)


@measure("timeouts-avoided", "fig-06-07", "fig-13-14")
def _(results: Results) -> Finding:
    found = [sample.estimate(timeouts) for sample in (only(results["fig-06-07"], s) for s in ("0", "1", "2"))]
    free = [timeouts(run) for run in only(results["fig-06-07"], "0").runs if not locked_out(run)]
    mixed = _three(results["fig-13-14"], timeouts)
    less = fewer(
        [only(results["fig-06-07"], scheme) for scheme in ("1", "2")], only(results["fig-06-07"], "0"), timeouts
    )
    seen = f"Scheme 0 without the runs that lock a source out: {words(Estimate.of(free), 0)}. "
    seen += f"Figs. 13, 14: {listed(mixed, 0)}."
    return Finding(listed(found, 0), agrees=less, seen=seen)


def _median_wait(run: Measured) -> float | None:
    """From a drop to the retransmission [s]."""
    return median(run.tape) if run.tape else None


@measure("sooner", "extra-sooner")
def _(results: Results) -> Finding:
    def middle(words: str, scheme: str) -> float:
        sample = only(network(results["extra-sooner"], words), scheme)
        return 1e3 * median(wait for run in sample.runs for wait in run.tape)

    found = [middle("Table 1", scheme) for scheme in ("0", "1", "2")]
    others = "; ".join(
        f"{words}: {', '.join(f'{middle(words, s):.1f}' for s in ('0', '1', '2'))}"
        for words in ("Table 2 (RED)", "Figs. 13, 14")
    )
    table = network(results["extra-sooner"], "Table 1")
    less = fewer([only(table, scheme) for scheme in ("1", "2")], only(table, "0"), _median_wait)
    return Finding(", ".join(f"{one:.1f}" for one in found), agrees=less, seen=f"{others}.")


# Figs. 10 and 11


def _end(sample: Sample, seconds: float) -> float:
    """So long before the end of the runs [s]."""
    return float(sample.runs[0].document["duration_s"]) - seconds


LATE, LAST = 600.0, 300.0
"""The last ten and five minutes [s]."""


@measure("rates-source-2-worse", "fig-10-11")
def _(results: Results) -> Finding:
    def ratio(sample: Sample) -> Estimate:
        begin = _end(sample, LATE)
        return sample.estimate(lambda run: carried(2, begin)(run) / carried(1, begin)(run))

    found = ratio(only(rates(results), "0"))
    return Finding(
        found.mean, found.half, seen=f"{DS3_READING}: {words(ratio(only(rates(results, DS3_READING), '0')))}."
    )


@measure("rates-source-2-first", "section-4-3")
def _(results: Results) -> Finding:
    (sample,) = results["section-4-3"]
    sent = (count("segments_sent", f"ftp-{source}") for source in (2, 1))
    two, one = (sample.estimate(each) for each in sent)
    pairs = [(count("segments_sent", "ftp-2")(run), count("segments_sent", "ftp-1")(run)) for run in sample.runs]
    found = Estimate.of([a / b for a, b in pairs])
    return Finding(found.mean, found.half, seen=f"{words(two, 0)} against {words(one, 0)}.")


for scheme in ("1", "2"):

    @measure(f"rates-source-1-full-{scheme}", "fig-10-11")
    def _(results: Results, scheme: str = scheme) -> Finding:
        def used(reading: str, scheme: str) -> Estimate:
            return only(rates(results, reading), scheme).estimate(lambda run: carried(1)(run) / DS1_RATE)

        found = used(AS_WORDED, scheme)
        by_reading = (
            f"{reading}: {words(used(reading, scheme))}, under scheme 0 {words(used(reading, '0'))}"
            for reading in TRUNKS
        )
        return Finding(found.mean, found.half, seen=f"{'; '.join(by_reading)}.")


@measure("rates-source-1-ramps", "fig-10-11")
def _(results: Results) -> Finding:
    samples, read = rates(results), count("timeouts", "ftp-1")
    halved = fewer([only(samples, scheme) for scheme in ("1", "2")], only(samples, "0"), read, share=0.5)
    return Finding(listed(_three(samples, read), 0), agrees=halved)


@measure("rates-source-2-better", "fig-10-11")
def _(results: Results) -> Finding:
    samples = rates(results)
    found = _three(samples, lambda run: carried(2)(run) / 1e3)
    dropped = only(samples, "2-drop").estimate(lambda run: carried(2)(run) / 1e3)
    holds = every(map(gained, _gains(samples, carried(2))))
    return Finding(listed(found, 0), agrees=holds, seen=_under_drop(dropped, 0))


@measure("rates-source-2-close", "fig-10-11")
def _(results: Results) -> Finding:
    one, base = (only(rates(results), scheme) for scheme in ("1", "0"))
    read = carried(2, _end(base, LAST))
    return Finding.of(Estimate.of([read(a) / read(b) for a, b in zip(one.runs, base.runs, strict=True)]))


@measure("rates-total", "fig-10-11")
def _(results: Results) -> Finding:
    found = max(_gains(rates(results), throughput), key=lambda one: one.mean or 0.0)
    return Finding.of(found)


# Figs. 13 and 14


def _bias(run: Measured) -> float:
    """The source at 1 ms over the source at 9 ms."""
    return carried(1)(run) / carried(3)(run)


@measure("delays-bias", "fig-13-14")
def _(results: Results) -> Finding:
    return Finding.of(only(results["fig-13-14"], "0").estimate(_bias))


def _sends(results: Results, source: int, *, less: bool) -> Finding:
    samples = results["fig-13-14"]

    def megabits(run: Measured) -> float:
        return carried(source)(run) / 1e6

    found = _three(samples, megabits)
    changes = _gains(samples, megabits, less=less)
    dropped = only(samples, "2-drop").estimate(megabits)
    return Finding(listed(found), agrees=every(map(gained, changes)), seen=_under_drop(dropped))


@measure("delays-near", "fig-13-14")
def _(results: Results) -> Finding:
    return _sends(results, 1, less=True)


@measure("delays-far", "fig-13-14")
def _(results: Results) -> Finding:
    return _sends(results, 3, less=False)


@measure("delays-fairer", "fig-13-14")
def _(results: Results) -> Finding:
    samples = results["fig-13-14"]
    found = _three(samples, _bias)
    closer = _gains(samples, lambda run: abs(log(_bias(run))), less=True)
    dropped = only(samples, "2-drop").estimate(_bias)
    return Finding(listed(found), agrees=every(map(gained, closer)), seen=_under_drop(dropped))


# The model


@measure("model-around-30")
def _(results: Results) -> Finding:
    least = min(GRID, key=as_printed)
    return Finding(as_printed(least), seen=f"At p = {least:g}.")


@measure("model-high-first")
def _(results: Results) -> Finding:
    found = [as_printed(p) for p in (0.02, 0.05, 0.1)] + [min(map(as_printed, GRID))]
    return Finding(", ".join(f"{t:.0f}" for t in found), agrees=found == sorted(found, reverse=True))


@measure("model-over-40")
def _(results: Results) -> Finding:
    found = simulated(0.9)
    return Finding(as_printed(0.9), seen=f"In the simulation it is {words(found, 1)}.")


@measure("model-rise")
def _(results: Results) -> Finding:
    low, high = (simulated(p) for p in (0.8, 0.9))
    half = sum((e.half or 0.0) ** 2 for e in (low, high)) ** 0.5
    printed = as_printed(0.9) - as_printed(0.8)
    return Finding((high.mean or 0.0) - (low.mean or 0.0), half, seen=f"As printed: {printed:.1f}.")


@measure("model-scheme-1")
def _(results: Results) -> Finding:
    return Finding(time_to_three_scheme_1(1.0))


@measure("model-scheme-1-falls")
def _(results: Results) -> Finding:
    found = [time_to_three_scheme_1(p) for p in (0.02, 0.1, 0.5, 1.0)]
    return Finding(", ".join(f"{t:.0f}" for t in found), agrees=found == sorted(found, reverse=True))


@measure("model-order")
def _(results: Results) -> Finding:
    found = [as_printed(0.5), time_to_three_scheme_1(0.5), 1.0]
    return Finding(", ".join(f"{t:.0f}" for t in found), agrees=found == sorted(found, reverse=True))


def in_short(results: Results) -> dict[str, float]:
    """The numbers of the report's first words: per cent, but for shares of timeouts."""
    tail, red, mixed = (results[plan] for plan in ("fig-06-07", "fig-08-09", "fig-13-14"))

    def gained(samples: Sequence[Sample], scheme: str, read: Read = throughput) -> float:
        return gain(only(samples, scheme), only(samples, "0"), read).mean or 0.0

    def far(scheme: str) -> float:
        found = [only(mixed, one).estimate(carried(3)).mean or 0.0 for one in (scheme, "0")]
        return found[0] / found[1]

    return {
        "tail 1": gained(tail, "1"),
        "tail 2": gained(tail, "2"),
        "tail 2-drop": gained(tail, "2-drop"),
        "red 1": gained(red, "1"),
        "red 2": gained(red, "2"),
        "red 2-drop": gained(red, "2-drop"),
        "red 1 drops": gained(red, "1", drops),
        "tail timeouts": 100 * (only(tail, "0").estimate(by_timeout).mean or 0.0),
        "far 1": far("1"),
        "far 2": far("2"),
        "far 2-drop": far("2-drop"),
        "mixed 1": gained(mixed, "1"),
        "mixed 2": gained(mixed, "2"),
    }
