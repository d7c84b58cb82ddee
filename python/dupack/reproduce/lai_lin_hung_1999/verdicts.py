"""What intervals say of a statement: yes, no, or (None) that it cannot be said."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dupack.reproduce.paper import Estimate, Finding, Measured, Sample
from dupack.words import with_half

By = Callable[[Measured], float | None]


def above(estimate: Estimate, than: float = 0.0, seen: str = "") -> Finding:
    """Whether all of its interval is; not if all of it is below. One run says what it says."""
    mean, half = estimate.mean, estimate.half or 0.0
    if mean is None:
        return Finding(None, seen=seen)
    agrees = True if mean - half > than else False if mean + half <= than else None
    return Finding(mean, estimate.half, agrees, seen)


def below(estimate: Estimate, than: float = 0.0, seen: str = "") -> Finding:
    """The same, downwards."""
    mean, half = estimate.mean, estimate.half or 0.0
    if mean is None:
        return Finding(None, seen=seen)
    agrees = True if mean + half < than else False if mean - half >= than else None
    return Finding(mean, estimate.half, agrees, seen)


def paired_in(mine: By, theirs: By) -> By:
    """The difference of two measures of a run."""

    def difference(run: Measured) -> float | None:
        a, b = mine(run), theirs(run)
        return None if a is None or b is None else a - b

    return difference


def paired(ones: Sample, others: Sample, by: By) -> Estimate:
    """The difference over the seeds, which both have in common."""
    differences = []
    for a, b in zip(ones.runs, others.runs, strict=True):
        mine, theirs = by(a), by(b)
        if mine is not None and theirs is not None:
            differences.append(mine - theirs)
    return Estimate.of(differences)


def mean_paired(pairs: Sequence[tuple[Sample, Sample]], by: By) -> Estimate:
    """The mean over some pairs of such differences: per seed one value, and its interval over the seeds."""
    seeds = range(len(pairs[0][0].runs))
    per_seed = []
    for seed in seeds:
        found = [(by(a.runs[seed]), by(b.runs[seed])) for a, b in pairs]
        known = [a - b for a, b in found if a is not None and b is not None]
        if known:
            per_seed.append(sum(known) / len(known))
    return Estimate.of(per_seed)


FINEST = 5e-4
"""Half-widths below this are not told, nor are more digits."""


def shown(estimate: Estimate) -> str:
    """A number with its interval, for a table."""
    mean, half = estimate.mean, estimate.half
    if mean is None:
        return "-"
    return f"{mean:z,.3f}".rstrip("0").rstrip(".") if half is None or half < FINEST else with_half(mean, half)


def fixed(estimate: Estimate, digits: int) -> str:
    """A number with its interval, in a column of a table: all with the same decimals."""
    mean, half = estimate.mean, estimate.half
    if mean is None:
        return "-"
    shown_half = "" if half is None or f"{half:.{digits}f}" == f"{0:.{digits}f}" else f" ± {half:.{digits}f}"
    return f"{mean:z,.{digits}f}{shown_half}"


def text(value: float | None, digits: int = 1) -> str:
    """A number in a sentence."""
    return "-" if value is None else f"{value:z.{digits}f}"


def signed(estimate: Estimate) -> str:
    """A change with its interval, in a sentence."""
    mean, half = estimate.mean, estimate.half
    if mean is None:
        return "-"
    digits = 2 if max(abs(mean), half or 0.0) < 1 else 1
    return f"{mean:+z.{digits}f}" + ("" if half is None else f" ± {half:.{digits}f}")
