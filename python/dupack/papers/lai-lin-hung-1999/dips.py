"""Times in which the switch's queue is empty: short dips, and long ones in which nearly all sources are silent."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from dupack.reproduce.paper import Measured

from .runs import SWITCH, flows, step

LONG = 0.008
"""A dip that lasts longer is a long one [s]. The runs have no dip of about this length."""
SOON = 0.005
"""How soon a dip ends after a timeout [s]."""


@dataclass(frozen=True)
class Dip:
    """Successive samples with no cell waiting in the switch."""

    begins: float
    ends: float
    """The first sample with waiting cells, or the last of all [s]."""
    samples: int
    silent: int
    """Number of sources without a cell in the middle of it."""
    long: bool


def dips(run: Measured) -> list[Dip]:
    """The dips after warm-up."""
    series = run.document["series"]
    times, queue, waiting = series["time_s"], series["backlog"][SWITCH], series["source_backlog"]
    first = next(i for i, time in enumerate(times) if time >= run.document["warm_up_s"])
    found = []
    for cells, same in itertools.groupby(range(first, len(times)), key=lambda i: queue[i] > 0):
        if cells:
            continue
        samples = list(same)
        begin, end = samples[0], samples[-1] + 1
        silent = sum(not waiting[flow["name"]][(begin + end) // 2] for flow in flows(run))
        is_long = len(samples) * step(run) > LONG + 1e-9
        found.append(Dip(times[begin], times[min(end, len(times) - 1)], len(samples), silent, is_long))
    return found


def share_of(run: Measured, *, long: bool) -> float:
    """Share of the time in short or in long dips [%]."""
    return 100 * sum(dip.samples for dip in dips(run) if dip.long == long) * step(run) / run.measured_s


def rate_of(run: Measured, *, long: bool) -> float:
    """Short or long dips per second [1/s]."""
    return sum(dip.long == long for dip in dips(run)) / run.measured_s


def woken(run: Measured, dip: Dip) -> bool:
    """Whether a dip ends soon after a window cut. In a dip without acknowledgments that is a timeout."""
    return any(dip.ends - SOON <= cut <= dip.ends for cuts in run.tape.cuts.values() for cut in cuts)
