"""ACR that is used, and ACR that nobody uses."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from dupack.reproduce.lai_lin_hung_1999.runs import (
    FREE,
    LOSS,
    flows,
    measured_time,
    megabytes,
    one,
    percentile,
    rate_based,
    warm,
    window_based,
)
from dupack.reproduce.lai_lin_hung_1999.verdicts import By, above, shown, text
from dupack.reproduce.paper import Finding, Measured, Results, Table

HIGH = 4.0
"""ACR's upper end without loss, as published [MB/s]."""


def _pairs(run: Measured, flow: str) -> list[tuple[float, float]]:
    """ACR [MB/s] and the cells that wait in the source, at the samples after warm-up."""
    series = run.document["series"]
    both = zip(series["acr_bps"][flow], series["source_backlog"][flow], strict=True)
    return [(megabytes(bps), waiting) for bps, waiting in warm(run, list(both)) if bps is not None]


def held(run: Measured, *, waits: bool) -> list[float]:
    """ACR of all sources at the samples at which their cells wait, and so use it, or at which none does [MB/s]."""
    pairs = [pair for flow in run.document["series"]["acr_bps"] for pair in _pairs(run, flow)]
    return [rate for rate, waiting in pairs if (waiting > 0) == waits]


def median_of(values: Sequence[float]) -> float | None:
    """Nothing of nothing."""
    return median(values) if values else None


def median_held(*, waits: bool) -> By:
    """The median of what is `held` [MB/s]."""
    return lambda run: median_of(held(run, waits=waits))


def nobody_waits_above(run: Measured, rate: float) -> float | None:
    """Of the samples with an ACR above a rate [MB/s] those at which no cell waits for it [%]."""
    used, idle = (sum(acr > rate for acr in held(run, waits=waits)) for waits in (True, False))
    return 100 * idle / (used + idle) if used + idle else None


@dataclass(frozen=True)
class Pause:
    """A time in which no cell waits in a source, of two samples or more."""

    lasted: float
    """[s]"""
    peak: float
    """The highest ACR in it [MB/s]."""


def pauses(run: Measured) -> list[Pause]:
    """Of all sources."""
    step = run.document["series"]["time_s"][1] - run.document["series"]["time_s"][0]
    found = []
    for flow in run.document["series"]["acr_bps"]:
        for waits, same in itertools.groupby(_pairs(run, flow), key=lambda pair: pair[1] > 0):
            seen = [rate for rate, _ in same]
            if not waits and len(seen) > 1:
                found.append(Pause(len(seen) * step, max(seen)))
    return found


# What is said of it


def _pauses(results: Results, plan: str) -> str:
    """How often, how long, and how high ACR is in the median of them."""
    found = [pause for run in one(results, plan).runs for pause in pauses(run)]
    time = sum(measured_time(run) * len(flows(run)) for run in one(results, plan).runs)
    if not found:
        return "no source pauses for 4 ms"
    often, long = text(len(found) / time), text(1e3 * fmean(pause.lasted for pause in found), 0)
    peaks = [pause.peak for pause in found]
    return (
        f"a source pauses for 4 ms or more {often} times a second, for {long} ms in the mean, and the highest ACR of a "
        f"pause is {text(median(peaks))} MB/s in the median and at least {text(percentile(peaks, 0.9))} in one of ten"
    )


def while_idle(results: Results) -> Finding:
    """ACR while no cell waits for it over that while some do, in the case with loss."""
    sample = one(results, LOSS)

    def ratio(run: Measured) -> float | None:
        idle, used = (median_of(held(run, waits=waits)) for waits in (False, True))
        return idle / used if idle is not None and used else None

    idle, used = (sample.estimate(median_held(waits=waits)) for waits in (False, True))
    free = one(results, FREE).estimate(window_based)
    seen = (
        f"{text(idle.mean)} against {text(used.mean)} MB/s; {_pauses(results, LOSS)}. Without loss no cell waits for "
        f"{text(free.mean, 2)} % of the time, and {_pauses(results, FREE)}. Yes is more than 1.5."
    )
    return above(sample.estimate(ratio), 1.5, seen)


def high_idle(results: Results) -> Finding:
    """Of the samples with a high ACR those at which no cell waits [%]."""
    free, found = (one(results, plan).estimate(lambda run: nobody_waits_above(run, HIGH)) for plan in (FREE, LOSS))
    all_samples = one(results, LOSS).estimate(window_based)
    seen = f"Of all the time it is {text(all_samples.mean)} %. Without loss {text(free.mean)} %. Yes is more than half."
    return above(found, 50.0, seen)


STATES = {True: "cells wait", False: "none waits"}
"""At a source."""
COLUMNS: dict[str, Callable[[Sequence[float]], float]] = {
    "ACR, median [MB/s]": median,
    "90 % are below [MB/s]": lambda rates: percentile(rates, 0.9),
    "highest [MB/s]": max,
    f"above {HIGH:.0f} MB/s [% of samples]": lambda rates: 100 * sum(rate > HIGH for rate in rates) / len(rates),
}
"""Of the samples in a state."""


def table_of_use(results: Results) -> Table:
    """ACR while cells wait, and while none does, in both cases."""
    lines = []
    for plan, words in ((FREE, "without loss"), (LOSS, "with loss")):
        sample = one(results, plan)
        for waits, state in STATES.items():
            cells = [sample.estimate(rate_based if waits else window_based)]
            for column in COLUMNS.values():

                def by(run: Measured, column: Callable[..., float] = column, w: bool = waits) -> float | None:
                    rates = held(run, waits=w)
                    return column(rates) if rates else None

                cells.append(sample.estimate(by))
            lines.append([words, state, *map(shown, cells)])
    return Table(["case", "at the source", "share of time [%]", *COLUMNS], lines, words=2)
