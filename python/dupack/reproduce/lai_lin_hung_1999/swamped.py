"""What a loss follows: ACR of all sources, ACR that is in use, and sources that begin to send again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import partial
from statistics import fmean

from dupack.reproduce.lai_lin_hung_1999.acr import HIGH
from dupack.reproduce.lai_lin_hung_1999.runs import CELL, LINE, LOSS, flows, megabytes, one
from dupack.reproduce.lai_lin_hung_1999.verdicts import By, above, paired_in, shown, signed
from dupack.reproduce.paper import Finding, Measured, Results

BEFORE = 0.010
"""Before a loss, and after a source begins again [s]; losses that come within it of another are one with it."""

Course = Sequence[float | None]


def losses(run: Measured) -> list[float]:
    """The first of each burst after warm-up [s]."""
    drops = sorted(time for times in run.tape.drops.values() for time in times if time >= run.document["warm_up_s"])
    return [b for a, b in zip([0.0, *drops], drops, strict=False) if b - a > BEFORE]


def _step(run: Measured) -> float:
    times = run.document["series"]["time_s"]
    return float(times[1] - times[0])


def before_losses(run: Measured, course: Course) -> float | None:
    """Its mean over the samples in the 10 ms before a loss."""
    first, step = run.document["series"]["time_s"][0], _step(run)
    found = []
    for loss in losses(run):
        end = int((loss - first) / step) + 1
        found += [value for value in course[max(end - round(BEFORE / step), 0) : end] if value is not None]
    return fmean(found) if found else None


def usual(run: Measured, course: Course) -> float | None:
    """Its mean over all samples after warm-up."""
    times, begins = run.document["series"]["time_s"], run.document["warm_up_s"]
    found = [value for time, value in zip(times, course, strict=True) if time >= begins and value is not None]
    return fmean(found) if found else None


def _rates(run: Measured, *, used: bool) -> list[list[float]]:
    """At each sample ACR of all sources, or of those whose cells wait [MB/s]."""
    series = run.document["series"]
    names = [flow["name"] for flow in flows(run)]
    pairs = [list(zip(series["acr_bps"][name], series["source_backlog"][name], strict=True)) for name in names]
    return [
        [megabytes(bps) for bps, waiting in at if bps is not None and (waiting > 0 or not used)]
        for at in zip(*pairs, strict=True)
    ]


def allowed(run: Measured, *, used: bool = False) -> Course:
    """Sum of these [multiple of the line]."""
    return [sum(rates) * 1e6 / (LINE * CELL) for rates in _rates(run, used=used)]


def in_use(run: Measured) -> Course:
    """Allowed to sources whose cells wait."""
    return allowed(run, used=True)


def senders(run: Measured) -> Course:
    """Sources whose cells wait."""
    return [len(rates) for rates in _rates(run, used=True)]


def rate_of_senders(run: Measured) -> Course:
    """ACR of such a source, the mean of them [MB/s]."""
    return [fmean(rates) if rates else None for rates in _rates(run, used=True)]


def followed(run: Measured, *, high: bool) -> float | None:
    """Of the times that a source begins again, after two samples without a cell, with an ACR above 4 MB/s or not,
    those that a loss follows within 10 ms [%]."""
    series, begins = run.document["series"], run.document["warm_up_s"]
    drops = sorted(time for times in run.tape.drops.values() for time in times)
    found = []
    for name in (flow["name"] for flow in flows(run)):
        waiting, rates = series["source_backlog"][name], series["acr_bps"][name]
        for i in range(2, len(waiting)):
            time = series["time_s"][i]
            again = waiting[i] > 0 and not waiting[i - 1] and not waiting[i - 2] and rates[i - 1] is not None
            if again and begins <= time <= run.document["duration_s"] - BEFORE:
                next_one = bisect_left(drops, time)
                if (megabytes(rates[i - 1]) > HIGH) == high:
                    found.append(next_one < len(drops) and drops[next_one] <= time + BEFORE)
    return 100 * fmean(found) if found else None


def more_before_losses(run: Measured) -> float | None:
    """ACR of all sources before a loss, minus its mean at all times [multiple of the line]."""
    course = allowed(run)
    before, at_all = before_losses(run, course), usual(run, course)
    return None if before is None or at_all is None else before - at_all


def find(results: Results) -> Finding:
    """ACR of all sources before a loss, minus its mean at all times."""
    sample = one(results, LOSS)

    def both(course: Callable[[Measured], Course]) -> tuple[str, str]:
        return (
            shown(sample.estimate(lambda run: before_losses(run, course(run)))),
            shown(sample.estimate(lambda run: usual(run, course(run)))),
        )

    def change(course: Callable[[Measured], Course]) -> By:
        return paired_in(lambda run: before_losses(run, course(run)), lambda run: usual(run, course(run)))

    total, used, many, each = (both(course) for course in (allowed, in_use, senders, rate_of_senders))
    low, high = (shown(sample.estimate(partial(followed, high=high))) for high in (False, True))
    seen = (
        f"{total[0]} before a loss, {total[1]} at all times. Of sources whose cells wait it is {used[0]} and {used[1]} "
        f"({signed(sample.estimate(change(in_use)))}): {many[0]} sources send and not {many[1]}, at an ACR of "
        f"{each[0]} MB/s and not {each[1]}. When a source begins again after a pause, a loss follows within 10 ms in "
        f"{high} % of the cases with an ACR above {HIGH:.0f} MB/s, and in {low} % of the others."
    )
    return above(sample.estimate(more_before_losses), 0.0, seen)
