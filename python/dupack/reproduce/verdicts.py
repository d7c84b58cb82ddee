"""Verdicts on estimates: True, False, or None if the confidence interval does not decide.

Only an interval decides an order. A single run has no interval, so it decides nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence

from dupack.reproduce.compare import paired
from dupack.reproduce.paper import Estimate, Finding, Read, Sample


def positive(estimate: Estimate, negligible: float = 0.0) -> bool | None:
    """True if the whole interval is above 0, False if it is at most ``negligible``, else None."""
    if estimate.mean is None or estimate.half is None:
        return None
    if estimate.mean - estimate.half > 0:
        return True
    return False if estimate.mean + estimate.half <= negligible else None


def every(verdicts: Iterable[bool | None]) -> bool | None:
    """False if any verdict is False; True if there are some and all are True; else None."""
    known = list(verdicts)
    if False in known:
        return False
    return None if None in known or not known else True


def above(estimate: Estimate, than: float = 0.0, *, seen: str = "", negligible: float = 0.0) -> Finding:
    """Whether the estimate is greater than a value."""
    if estimate.mean is None:
        return Finding(None, seen=seen)
    verdict = positive(Estimate(estimate.mean - than, estimate.half), negligible)
    return Finding(estimate.mean, estimate.half, verdict, seen)


def below(estimate: Estimate, than: float = 0.0, *, seen: str = "") -> Finding:
    """Whether the estimate is less than a value."""
    if estimate.mean is None:
        return Finding(None, seen=seen)
    return Finding(estimate.mean, estimate.half, positive(Estimate(than - estimate.mean, estimate.half)), seen)


def within(estimate: Estimate, limit: float, *, seen: str = "") -> Finding:
    """Whether the absolute value of the estimate is less than a limit."""
    sides = (above(estimate, -limit).agrees, below(estimate, limit).agrees)
    return Finding(estimate.mean, estimate.half, every(sides), seen)


def all_above(estimates: Sequence[Estimate], than: float = 0.0, *, seen: str = "") -> Finding:
    """Whether all estimates are greater than a value; the finding shows the least."""
    known = [one for one in estimates if one.mean is not None]
    least = min(known, key=lambda one: one.mean or 0.0, default=Estimate(None))
    return Finding(least.mean, least.half, every(above(one, than).agrees for one in estimates), seen)


def in_order(
    samples: Sequence[Sample],
    read: Read,
    *,
    slack: float = 0.0,
    shown: Callable[[float], str] = "{:.3f}".format,
) -> Finding:
    """Whether each sample is above the one before, by more than ``-slack``; the finding shows the means."""
    steps = [paired(b, a, read) for a, b in itertools.pairwise(samples)]
    means = [sample.estimate(read).mean for sample in samples]
    told = ", ".join("-" if mean is None else shown(mean) for mean in means)
    return Finding(told, agrees=every(above(step, -slack).agrees for step in steps))
