"""Verdicts on an order from confidence intervals: True, False, or None if it cannot be said."""

from __future__ import annotations

from collections.abc import Iterable

from dupack.reproduce.paper import Estimate


def positive(estimate: Estimate, nothing: float = 0.0) -> bool | None:
    """True if the whole interval is above 0, False if it is below `nothing`, else None; None for a single run."""
    if estimate.mean is None or estimate.half is None:
        return None
    if estimate.mean - estimate.half > 0:
        return True
    return False if estimate.mean + estimate.half <= nothing else None


def every(verdicts: Iterable[bool | None]) -> bool | None:
    """False if any verdict is False; True if all are True; else None."""
    known = list(verdicts)
    if False in known:
        return False
    return None if None in known else True
