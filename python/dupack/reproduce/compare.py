"""Compares samples: differences and ratios of runs with the same seed, or of the same interval of a run.

The samples have the same seeds, so the confidence interval is that of the paired differences.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from statistics import fmean

from dupack.reproduce.paper import Estimate, Read, Sample

Samples = Sample | Sequence[Sample]


def compared(
    ones: Samples,
    others: Samples,
    read: Read,
    compare: Callable[[float, float], float],
    other_read: Read | None = None,
) -> Estimate:
    """Compares two samples value by value; of several samples the means over them are compared.

    Pairs of which one has no value are left out. ``other_read`` is the measure of the others if it is another one.
    """
    mine, theirs = _means(ones, read), _means(others, other_read or read)
    values = [compare(a, b) for a, b in zip(mine, theirs, strict=True) if a is not None and b is not None]
    successive = isinstance(read(_list(ones)[0].runs[0]), Sequence)
    return Estimate.of_intervals(values) if successive else Estimate.of(values)


def paired(ones: Samples, others: Samples, read: Read, other_read: Read | None = None) -> Estimate:
    """The difference of two samples."""
    return compared(ones, others, read, operator.sub, other_read)


def ratio(ones: Samples, others: Samples, read: Read, other_read: Read | None = None) -> Estimate:
    """The ratio of two samples."""
    return compared(ones, others, read, operator.truediv, other_read)


def gain(ones: Samples, others: Samples, read: Read, other_read: Read | None = None) -> Estimate:
    """The relative difference: 0.1 if the first is 10 % above the second."""
    return compared(ones, others, read, lambda a, b: a / b - 1, other_read)


def mean_of(samples: Sequence[Sample], read: Read) -> Estimate:
    """The mean over several samples, seed by seed or interval by interval."""
    values = [value for value in _means(samples, read) if value is not None]
    successive = isinstance(read(samples[0].runs[0]), Sequence)
    return Estimate.of_intervals(values) if successive else Estimate.of(values)


def mean_paired(pairs: Sequence[tuple[Sample, Sample]], read: Read) -> Estimate:
    """The mean over several pairs of their difference: one value per seed, and its interval over the seeds.

    A pair of which one run has no value is left out of that seed.
    """
    columns = zip(*(zip(a.values(read), b.values(read), strict=True) for a, b in pairs), strict=True)
    per_seed = [[a - b for a, b in column if a is not None and b is not None] for column in columns]
    return Estimate.of(fmean(known) for known in per_seed if known)


def best(samples: Sequence[Sample], read: Read) -> Sample:
    """The sample with the highest mean; the first of several."""
    return max(samples, key=lambda sample: sample.estimate(read).mean or 0.0)


def _list(samples: Samples) -> Sequence[Sample]:
    return [samples] if isinstance(samples, Sample) else samples


def _means(samples: Samples, read: Read) -> list[float | None]:
    """Per value of a sample the mean over the samples that have it."""
    columns = zip(*(sample.values(read) for sample in _list(samples)), strict=True)
    known = ([value for value in column if value is not None] for column in columns)
    return [fmean(values) if values else None for values in known]
