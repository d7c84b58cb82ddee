"""Numbers and names, as people write them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def number(value: float, digits: int = 4) -> str:
    """A number with so many significant digits, whole numbers without a point, never in powers of ten."""
    if isinstance(value, int) or float(value).is_integer():
        return f"{value:,.0f}"
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    text = f"{value:.{digits}g}"
    return f"{value:.{digits}f}" if "e" in text else text


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was meant, if one is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return near[0] if near else None
