"""What the runs of Chan, Wang & Chen 2002 say of differences and orders."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from statistics import fmean

from dupack.reproduce.chan_wang_chen_2002.runs import WIRE
from dupack.reproduce.chan_wang_chen_2002.series import By
from dupack.reproduce.paper import Estimate, Finding, Sample
from dupack.reproduce.verdicts import every, positive


def paired(one: Sequence[Sample], other: Sequence[Sample], by: By) -> Estimate:
    """The difference over the seeds, which both have in common, of means over the samples of each.

    Seeds for which one of them has no value are left out.
    """

    def means(samples: Sequence[Sample]) -> list[float | None]:
        by_seed = ([by(sample.runs[seed]) for sample in samples] for seed in range(len(samples[0].runs)))
        known = ([value for value in values if value is not None] for values in by_seed)
        return [fmean(values) if values else None for values in known]

    pairs = zip(means(one), means(other), strict=True)
    return Estimate.of([a - b for a, b in pairs if a is not None and b is not None])


def above(one: Sequence[Sample], other: Sequence[Sample], by: By) -> Finding:
    """Whether the first are above the second, by more than chance."""
    return more(paired(one, other, by))


def more(difference: Estimate, than: float = 0.0) -> Finding:
    """Whether it is greater, with all of its interval; an interval with ``than`` in it cannot say."""
    if difference.mean is None:
        return Finding(None)
    agrees = positive(Estimate(difference.mean - than, difference.half))
    return Finding(difference.mean, difference.half, agrees)


def all_more(differences: Sequence[Estimate]) -> Finding:
    """Whether all are greater than 0; the least is shown."""
    least = min(differences, key=lambda one: one.mean or 0.0)
    return Finding(least.mean, least.half, every(map(positive, differences)))


def less(difference: Estimate) -> Finding:
    if difference.mean is None:
        return Finding(None)
    return Finding(difference.mean, difference.half, positive(Estimate(-difference.mean, difference.half)))


def rate(estimate: Estimate) -> Finding:
    """In cells on the line, as the tables have it, and in payload."""
    assert estimate.mean is not None
    return Finding(estimate.mean, estimate.half, seen=f"{estimate.mean / WIRE:.1f} Mb/s of payload.")


def in_order(samples: Sequence[Sample], by: By, slack: float = 0.0, digits: int = 3) -> Finding:
    """Whether each is above the one before by more than ``-slack``; where chance may have put it there, or below, that
    cannot be said."""
    means = [sample.estimate(by).mean or 0.0 for sample in samples]
    steps = [paired([b], [a], by) for a, b in itertools.pairwise(samples)]
    agrees = every(positive(Estimate((step.mean or 0.0) + slack, step.half)) for step in steps)
    return Finding(", ".join(f"{mean:.{digits}f}" for mean in means), agrees=agrees)
