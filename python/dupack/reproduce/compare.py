"""Compares samples: differences and ratios of runs with the same seed, or of the same interval of a run.

The samples have the same seeds, so the confidence interval is that of the paired differences. If the runs of each
sample are alike, there is one pair, and no interval. A ratio to 0 does not exist; such a pair is left out.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from contextlib import suppress
from statistics import fmean

from dupack.reproduce.paper import Estimate, Read, Sample, first_of_alike
from dupack.reproduce.watch import unwatched

Samples = Sample | Sequence[Sample]


def compared(
    ones: Samples,
    others: Samples,
    read: Read,
    compare: Callable[[float, float], float],
    other_read: Read | None = None,
) -> Estimate:
    """Compares two samples value by value; of several samples the means over them are compared.

    Pairs of which one has no value are left out, and pairs for which ``compare`` divides by 0. ``other_read`` is the
    measure of the others if it is another one.
    """
    values = []
    for a, b in _pairs(ones, others, read, other_read or read):
        with suppress(ZeroDivisionError):
            values.append(compare(a, b))
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


def over_zero(ones: Samples, others: Samples, read: Read, other_read: Read | None = None) -> tuple[int, int]:
    """The number of pairs that have no ratio because the second value is 0, and of all pairs."""
    pairs = _pairs(ones, others, read, other_read or read)
    return sum(b == 0 for _, b in pairs), len(pairs)


def apart(one: Estimate, other: Estimate) -> Estimate:
    """The difference of two estimates from runs that are not paired, with the interval of independent means."""
    if one.mean is None or other.mean is None:
        return Estimate(None)
    half = None if one.half is None or other.half is None else math.hypot(one.half, other.half)
    return Estimate(one.mean - other.mean, half)


def mean_of(samples: Sequence[Sample], read: Read) -> Estimate:
    """The mean over several samples, seed by seed or interval by interval."""
    values = [value for value in _means(first_of_alike(samples), read) if value is not None]
    successive = isinstance(read(samples[0].runs[0]), Sequence)
    return Estimate.of_intervals(values) if successive else Estimate.of(values)


def mean_paired(pairs: Sequence[tuple[Sample, Sample]], read: Read) -> Estimate:
    """The mean over several pairs of their difference: one value per seed, and its interval over the seeds.

    A pair of which one run has no value is left out of that seed.
    """
    known = first_of_alike([sample for pair in pairs for sample in pair])
    ones, others = ([sample.values(read) for sample in side] for side in (known[::2], known[1::2]))
    columns = zip(*(zip(a, b, strict=True) for a, b in zip(ones, others, strict=True)), strict=True)
    per_seed = [[a - b for a, b in column if a is not None and b is not None] for column in columns]
    return Estimate.of(fmean(known) for known in per_seed if known)


def best(samples: Sequence[Sample], read: Read) -> Sample:
    """The sample with the highest mean; the first of several. A sample without a value is none of them."""
    return max(_known(samples, read), key=lambda pair: pair[1])[0]


def about_best(samples: Sequence[Sample], read: Read) -> list[Sample]:
    """The best sample, and those that are not significantly below it, in their order."""
    most = best(samples, read)
    with unwatched():
        steps = [(one, None if one is most else paired(most, one, read)) for one in samples]
    return [one for one, step in steps if step is None or not _below(step)]


def _below(step: Estimate) -> bool:
    """Whether a difference to the best is significant."""
    return step.mean is not None and step.half is not None and step.mean - step.half > 0


def worst(samples: Sequence[Sample], read: Read) -> Sample:
    """The sample with the lowest mean; the first of several. A sample without a value is none of them."""
    return min(_known(samples, read), key=lambda pair: pair[1])[0]


def _known(samples: Sequence[Sample], read: Read) -> list[tuple[Sample, float]]:
    # Those that are not picked are not what the claim is about.
    with unwatched():
        means = [(sample, sample.estimate(read).mean) for sample in samples]
    # If no sample has a value, the first stands for all of them.
    return [(sample, mean) for sample, mean in means if mean is not None] or [(samples[0], 0.0)]


def _list(samples: Samples) -> Sequence[Sample]:
    return [samples] if isinstance(samples, Sample) else samples


def _pairs(ones: Samples, others: Samples, read: Read, other_read: Read) -> list[tuple[float, float]]:
    known = first_of_alike([*_list(ones), *_list(others)])
    many = len(_list(ones))
    columns = _columns([_means(known[:many], read), _means(known[many:], other_read)])
    return [(a, b) for a, b in columns if a is not None and b is not None]


def _columns(rows: Sequence[Sequence[float | None]]) -> list[tuple[float | None, ...]]:
    """The values of several samples, seed by seed or interval by interval."""
    lengths = sorted({len(row) for row in rows})
    if len(lengths) > 1:
        raise ValueError(
            f"samples with {lengths[0]} and with {lengths[-1]} values cannot be compared run by run; "
            "give their plans the same seeds"
        )
    return list(zip(*rows, strict=True))


def _means(samples: Samples, read: Read) -> list[float | None]:
    """Per value of a sample the mean over the samples that have it."""
    columns = _columns([sample.values(read) for sample in _list(samples)])
    known = ([value for value in column if value is not None] for column in columns)
    return [fmean(values) if values else None for values in known]
