"""Numbers in sentences."""

from __future__ import annotations

from collections.abc import Iterable

from dupack.reproduce.paper import Estimate


def words(estimate: Estimate, digits: int = 2, *, sign: bool = False) -> str:
    """A mean with its interval."""
    assert estimate.mean is not None
    mean = f"{estimate.mean:{'+' if sign else ''}.{digits}f}"
    return mean if estimate.half is None else f"{mean} ± {estimate.half:.{digits}f}"


def listed(values: Iterable[float | None], digits: int = 2, *, sign: bool = False) -> str:
    """Numbers, separated by commas; a missing one is 0."""
    return ", ".join(f"{value or 0.0:{'+' if sign else ''}z.{digits}f}" for value in values)
