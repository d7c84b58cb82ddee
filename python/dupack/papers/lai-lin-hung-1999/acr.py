"""ACR that is used and ACR that is not, and ACR before a loss."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from dupack.reproduce.paper import Measured

from .runs import CELL, LINE, By, chosen, counted, flows, megabytes, step, warm

HIGH = 4.0
"""Upper end of ACR without loss, as published [MB/s]."""
BEFORE = 0.010
"""How long before a loss, and after a source starts to send again [s]. Losses that are closer to each other are one."""


def pairs(run: Measured, flow: str) -> list[tuple[float, float]]:
    """ACR [MB/s] and the number of cells waiting at the source, at the samples after warm-up."""
    series = run.document["series"]
    both = zip(series["acr_bps"][flow], series["source_backlog"][flow], strict=True)
    return [(counted(run) * megabytes(bps), waiting) for bps, waiting in warm(run, list(both)) if bps is not None]


def held(run: Measured, *, waits: bool) -> list[float]:
    """ACR of all sources at the samples at which cells wait at the source, or at which none waits [MB/s].

    A reading may choose SES 1 instead of all sources.
    """
    found = [pair for flow in chosen(run, run.document["series"]["acr_bps"]) for pair in pairs(run, flow)]
    return [rate for rate, waiting in found if (waiting > 0) == waits]


def median_held(*, waits: bool) -> By:
    """The median of what is `held` [MB/s]."""

    def by(run: Measured) -> float | None:
        rates = held(run, waits=waits)
        return median(rates) if rates else None

    return by


def idle_over_used(run: Measured) -> float | None:
    """Median ACR while no cell waits at the source, over that while cells wait."""
    idle, used = median_held(waits=False)(run), median_held(waits=True)(run)
    return idle / used if idle is not None and used else None


def unused_above(run: Measured, rate: float = HIGH) -> float | None:
    """Of the samples with an ACR above a rate [MB/s], those at which no cell waits at the source [%]."""
    used, idle = (sum(acr > rate for acr in held(run, waits=waits)) for waits in (True, False))
    return 100 * idle / (used + idle) if used + idle else None


@dataclass(frozen=True)
class Pause:
    """A time of two samples or more in which no cell waits at a source."""

    lasted: float
    """[s]"""
    peak: float
    """Its highest ACR [MB/s]."""


def pauses(run: Measured) -> list[Pause]:
    """The pauses of all sources."""
    found = []
    for flow in run.document["series"]["acr_bps"]:
        for waits, same in itertools.groupby(pairs(run, flow), key=lambda pair: pair[1] > 0):
            rates = [rate for rate, _ in same]
            if not waits and len(rates) > 1:
                found.append(Pause(len(rates) * step(run), max(rates)))
    return found


# Before a loss

Course = Sequence[float | None]
"""A value per sample of a run."""


def losses(run: Measured) -> list[float]:
    """When the first loss of each burst was, after warm-up [s]."""
    drops = sorted(time for times in run.tape.drops.values() for time in times if time >= run.document["warm_up_s"])
    return [b for a, b in zip([0.0, *drops], drops, strict=False) if b - a > BEFORE]


def before_losses(run: Measured, course: Course) -> float | None:
    """The mean of a course over the samples in the 10 ms before a loss."""
    first, apart = run.document["series"]["time_s"][0], step(run)
    found = []
    for loss in losses(run):
        end = int((loss - first) / apart) + 1
        found += [value for value in course[max(end - round(BEFORE / apart), 0) : end] if value is not None]
    return fmean(found) if found else None


def usual(run: Measured, course: Course) -> float | None:
    """The mean of a course over all samples after warm-up."""
    found = warm(run, course)
    return fmean(found) if found else None


def _rates(run: Measured, *, used: bool) -> list[list[float]]:
    """Per sample ACR of all sources, or of those with waiting cells [MB/s]."""
    series = run.document["series"]
    names = [flow["name"] for flow in flows(run)]
    columns = [list(zip(series["acr_bps"][name], series["source_backlog"][name], strict=True)) for name in names]
    return [
        [megabytes(bps) for bps, waiting in row if bps is not None and (waiting > 0 or not used)]
        for row in zip(*columns, strict=True)
    ]


def allowed(run: Measured, *, used: bool = False) -> Course:
    """The sum of the ACR of all sources, or of those with waiting cells [multiple of the line's rate]."""
    return [sum(rates) * 1e6 / (LINE * CELL) for rates in _rates(run, used=used)]


def senders(run: Measured) -> Course:
    """The number of sources with waiting cells."""
    return [len(rates) for rates in _rates(run, used=True)]


def rate_of_senders(run: Measured) -> Course:
    """The mean ACR of the sources with waiting cells [MB/s]."""
    return [counted(run) * fmean(rates) if rates else None for rates in _rates(run, used=True)]


def followed(run: Measured, *, high: bool) -> float | None:
    """Of the times at which a source starts to send again, those that a loss follows within 10 ms [%].

    Before such a time two samples see no cell waiting. Counted are those with an ACR above 4 MB/s, or the others.
    """
    series, begins = run.document["series"], run.document["warm_up_s"]
    drops = sorted(time for times in run.tape.drops.values() for time in times)
    found = []
    for name in (flow["name"] for flow in flows(run)):
        waiting, rates = series["source_backlog"][name], series["acr_bps"][name]
        for i in range(2, len(waiting)):
            time = series["time_s"][i]
            again = waiting[i] > 0 and not waiting[i - 1] and not waiting[i - 2] and rates[i - 1] is not None
            if again and begins <= time <= run.document["duration_s"] - BEFORE:
                after = bisect_left(drops, time)
                if (counted(run) * megabytes(rates[i - 1]) > HIGH) == high:
                    found.append(after < len(drops) and drops[after] <= time + BEFORE)
    return 100 * fmean(found) if found else None
