"""Numbers in sentences and in tables."""

from __future__ import annotations

from collections.abc import Iterable

from dupack.reproduce.paper import Estimate
from dupack.words import with_half

FINEST = 5e-4
"""A half-width below this is not shown, and no more than three digits after the point are."""


def plain(value: float | None, digits: int = 1) -> str:
    """A number with ``digits`` digits after the point; "-" if there is none."""
    return "-" if value is None else f"{value:z.{digits}f}"


def shown(estimate: Estimate) -> str:
    """A mean with its interval, both with the digits that the interval allows."""
    mean, half = estimate.mean, estimate.half
    if mean is None:
        return "-"
    return f"{mean:z,.3f}".rstrip("0").rstrip(".") if half is None or half < FINEST else with_half(mean, half)


def fixed(estimate: Estimate, digits: int) -> str:
    """A mean with its interval, both with ``digits`` digits after the point; an interval that is then 0 is left out."""
    mean, half = estimate.mean, estimate.half
    if mean is None:
        return "-"
    interval = "" if half is None or f"{half:.{digits}f}" == f"{0:.{digits}f}" else f" ± {half:.{digits}f}"
    return f"{mean:z,.{digits}f}{interval}"


def signed(estimate: Estimate) -> str:
    """A difference with its sign and its interval: two digits after the point if both are below 1, else one."""
    mean, half = estimate.mean, estimate.half
    if mean is None:
        return "-"
    digits = 2 if max(abs(mean), half or 0.0) < 1 else 1
    return f"{mean:+z.{digits}f}" + ("" if half is None else f" ± {half:.{digits}f}")


def words(estimate: Estimate, digits: int = 2, *, sign: bool = False) -> str:
    """A mean with its interval."""
    if estimate.mean is None:
        return "-"
    mean = f"{estimate.mean:{'+' if sign else ''}.{digits}f}"
    return mean if estimate.half is None else f"{mean} ± {estimate.half:.{digits}f}"


def listed(values: Iterable[float | None], digits: int = 2, *, sign: bool = False) -> str:
    """Numbers, separated by commas; "-" for a missing one."""
    return ", ".join("-" if value is None else f"{value:{'+' if sign else ''}z.{digits}f}" for value in values)
