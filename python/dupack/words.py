"""Numbers and names for reading."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable

from dupack.errors import RequestError


def number(value: float, digits: int = 4) -> str:
    """A number with ``digits`` significant digits; whole numbers without a point; no exponent."""
    if float(value).is_integer() or abs(value) >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    text = f"{value:.{digits}g}"
    return f"{value:.{digits + 2}f}" if "e" in text else text


def with_half(value: float, half: float) -> str:
    """A mean and the half-width of its interval, rounded to the digits that the interval allows."""
    if half == 0:
        return number(value)
    decimals = min(max(1 - math.floor(math.log10(half)), 0), 6)
    return f"{value:z,.{decimals}f} ± {half:.{decimals}f}"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most similar, if one is similar enough."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return near[0] if near else None


def known(name: str, names: Iterable[str], what: str) -> str:
    """The name, if it is one of ``names``; else an error that lists them."""
    names = list(names)
    if name in names:
        return name
    near = nearest(name, names)
    hint = f'did you mean "{near}"?' if near else f"known: {', '.join(names)}"
    raise RequestError(f"unknown {what} {name!r}; {hint}")
