"""What intervals say of the orderings that the text states: yes, no, or (None) that it cannot be said."""

from __future__ import annotations

from collections.abc import Sequence

from dupack.reproduce.paper import Estimate, Sample
from dupack.reproduce.verdicts import every, positive
from dupack.reproduce.viswanathan_kamal.runs import Read
from dupack.words import number, with_half

NOTHING = 1.0
"""A gain that is surely less than this is none [%]."""


def gained(estimate: Estimate) -> bool | None:
    """Of a gain in per cent."""
    return positive(estimate, NOTHING)


def fewer(samples: Sequence[Sample], base: Sample, read: Read, share: float = 1.0) -> bool | None:
    """Whether all of them have less than this share of what the same seeds have without a scheme."""

    def saved(sample: Sample) -> Estimate:
        pairs = [(read(mine), read(other)) for mine, other in zip(sample.runs, base.runs, strict=True)]
        return Estimate.of([share * b - a for a, b in pairs if a is not None and b is not None])

    return every(positive(saved(sample)) for sample in samples)


def words(estimate: Estimate, digits: int = 2) -> str:
    """A mean with its interval, of which two digits count; so many decimals where there is none."""
    if estimate.mean is None:
        return "-"
    if estimate.half is None:
        return f"{estimate.mean:z.{digits}f}"
    return with_half(estimate.mean, estimate.half) if estimate.half else number(estimate.mean)


def listed(estimates: Sequence[Estimate], digits: int = 2) -> str:
    """One after the other."""
    return ", ".join(words(one, digits) for one in estimates)
