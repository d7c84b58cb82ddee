"""What intervals say of an ordering that a text states: yes, no, or (None) that it cannot be said."""

from __future__ import annotations

from collections.abc import Iterable

from dupack.reproduce.paper import Estimate


def positive(estimate: Estimate, nothing: float = 0.0) -> bool | None:
    """Above 0 with all of its interval; not if all of it is below `nothing`. One run says neither."""
    if estimate.mean is None or estimate.half is None:
        return None
    if estimate.mean - estimate.half > 0:
        return True
    return False if estimate.mean + estimate.half <= nothing else None


def every(verdicts: Iterable[bool | None]) -> bool | None:
    """All of them: one no is enough, else all have to be known."""
    known = list(verdicts)
    if False in known:
        return False
    return None if None in known else True
