"""Times in which the switch's queue is empty: short dips, and long ones in which all sources wait at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from dupack.reproduce.lai_lin_hung_1999.runs import FREE, LOSS, SWITCH, empty_queue, flows, measured_time, one
from dupack.reproduce.lai_lin_hung_1999.verdicts import above, below, shown, text
from dupack.reproduce.paper import Estimate, Finding, Measured, Results

LONG = 0.008
"""A dip that lasts longer is a long one [s]; between these and the others no dip is of a length like this."""
SOON = 0.005
"""After a timeout [s]."""


@dataclass(frozen=True)
class Dip:
    """Successive samples that see no cell waiting in the switch."""

    begins: float
    ends: float
    """The first sample that sees cells again, or the last of all [s]."""
    samples: int
    silent: int
    """Sources without a cell in the middle of it."""

    def is_long(self, step: float) -> bool:
        """Of samples so far apart."""
        return self.samples * step > LONG + 1e-9


def dips(run: Measured) -> list[Dip]:
    """After warm-up."""
    series = run.document["series"]
    times, queue = series["time_s"], series["backlog"][SWITCH]
    found = []
    begin = next(i for i, time in enumerate(times) if time >= run.document["warm_up_s"])
    while begin < len(times):
        end = begin
        while end < len(times) and (queue[end] > 0) == (queue[begin] > 0):
            end += 1
        if not queue[begin]:
            middle = (begin + end) // 2
            silent = sum(not series["source_backlog"][flow["name"]][middle] for flow in flows(run))
            found.append(Dip(times[begin], times[min(end, len(times) - 1)], end - begin, silent))
        begin = end
    return found


def step_of(run: Measured) -> float:
    """Between samples [s]."""
    times = run.document["series"]["time_s"]
    return float(times[1] - times[0])


def share_of(run: Measured, *, long: bool) -> float:
    """Of all time that of the dips of a kind [%]."""
    kept = [dip for dip in dips(run) if dip.is_long(step_of(run)) == long]
    return 100 * sum(dip.samples for dip in kept) * step_of(run) / measured_time(run)


def rate_of(run: Measured, *, long: bool) -> float:
    """Dips of a kind [1/s]."""
    return sum(dip.is_long(step_of(run)) == long for dip in dips(run)) / measured_time(run)


def _woken(run: Measured, dip: Dip) -> bool:
    """Whether it ends soon after a cut: in a dip in which no ack comes any more, a timeout."""
    return any(dip.ends - SOON <= cut <= dip.ends for cuts in run.tape.cuts.values() for cut in cuts)


def find(results: Results) -> Finding:
    """How often and how long it is empty, in the case with loss."""
    sample = one(results, LOSS)

    def told(by: Callable[..., float], *, long: bool) -> str:
        return shown(sample.estimate(lambda run: by(run, long=long)))

    long_ones = [(run, dip) for run in sample.runs for dip in dips(run) if dip.is_long(step_of(run))]
    seen = (
        f"Dips of up to 8 ms: {told(rate_of, long=False)} a second, {told(share_of, long=False)} % of the time. "
        f"Longer ones: {told(rate_of, long=True)} a second, {told(share_of, long=True)} % of the time"
    )
    if long_ones:
        silent, last = [dip.silent for _, dip in long_ones], [1e3 * (dip.ends - dip.begins) for _, dip in long_ones]
        woken = sum(_woken(run, dip) for run, dip in long_ones)
        seen += (
            f": {len(long_ones)} in all, of {min(last):.0f} to {max(last):.0f} ms. In their middle {min(silent)} to "
            f"{max(silent)} of {len(flows(sample.runs[0]))} sources (median {text(median(silent), 0)}) have no cell, "
            f"and {woken} of them end within {1e3 * SOON:.0f} ms after a timeout: nearly all sources wait for one at "
            "once. The slow start that the text blames can account for the short ones"
        )
    return above(sample.estimate(empty_queue), 1.0, f"{seen}. Yes is more than 1 %.")


def none(results: Results) -> Finding:
    """The same without loss."""
    sample = one(results, FREE)
    found = sum(len(dips(run)) for run in sample.runs)
    long_ones: Estimate = sample.estimate(lambda run: rate_of(run, long=True))
    seen = "No sample sees it empty." if not found else f"{shown(long_ones)} dips of more than 8 ms a second."
    return below(sample.estimate(empty_queue), 1.0, f"{seen} Yes is less than 1 %.")
