"""Numbers and names for reading."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

from dupack.errors import RequestError

UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters except the tab and the end of a line, marks that reorder text, and bytes that are not UTF-8."""


def visible(text: str) -> str:
    r"""The text with what cannot be seen in it written out.

    >>> visible("a title\x1b[31m in red")
    'a title\\x1b[31m in red'
    """
    return UNSEEN.sub(_written, text)


def _written(found: re.Match[str]) -> str:
    code = ord(found[0])
    # Python has the byte FF of a path that is not UTF-8 as DCFF.
    code = code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else code
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def number(value: float, digits: int = 4) -> str:
    """A number with ``digits`` significant digits; whole numbers without a point; no exponent."""
    if float(value).is_integer() or abs(value) >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    text = f"{value:.{digits}g}"
    return f"{value:.{digits + 2}f}" if "e" in text else text


def setting(value: Any) -> str:
    """A value of a sweep on one line."""
    if isinstance(value, dict):
        kind, hidden = value.get("kind", ""), {"kind"}
        if kind == "external":
            kind, hidden = str(value.get("name")), {"kind", "name"}
        told = {k: setting(v) if isinstance(v, bool | dict) else v for k, v in value.items() if k not in hidden}
        rest = ", ".join(f"{k} {v}" for k, v in told.items())
        return f"{kind} ({rest})" if kind and rest else kind or rest
    if isinstance(value, bool):
        return str(value).lower()
    return "-" if value is None else str(value)


def with_half(value: float, half: float) -> str:
    """A mean and the half-width of its interval, rounded to the digits that the interval allows."""
    if half == 0:
        return number(value)
    decimals = min(max(1 - math.floor(math.log10(half)), 0), 6)
    return f"{value:z,.{decimals}f} ± {half:.{decimals}f}"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word of which ``word`` is most likely a misspelling.

    As in plans, at most a third of the letters may be wrong, and at least one must be right.

    >>> nearest("newrno", ["newreno", "reno"]), nearest("tcp", ["dctcp"])
    ('newreno', None)
    """
    import difflib

    near = [(_distance(word.lower(), one.lower()), one) for one in difflib.get_close_matches(word, list(known), n=8)]
    close = [
        (wrong, one)
        for wrong, one in near
        if wrong <= max(max(len(word), len(one)) // 3, 1) and wrong < min(len(word), len(one))
    ]
    return min(close, key=lambda found: found[0])[1] if close else None


def _distance(a: str, b: str) -> int:
    """How many letters are inserted, deleted, replaced, or exchanged with the next one, to get from ``a`` to ``b``."""
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            least = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                least = min(least, before[j - 2] + 1)
            row.append(least)
        before, last = last, row
    return last[-1]


def known(name: str, names: Iterable[str], what: str) -> str:
    """The name, if it is one of ``names``; else an error that lists them."""
    names = list(names)
    if name in names:
        return name
    near = nearest(name, names)
    hint = f'did you mean "{near}"?' if near else f"known: {', '.join(names)}"
    raise RequestError(f"unknown {what} {name!r}; {hint}")


def common_unit(carries: Iterable[object], unknown: str = "") -> str:
    """What links carry: cells, packets, or units if some carry the one and some the other; ``unknown`` of none."""
    found = {str(word) for word in carries if word}
    return found.pop() if len(found) == 1 else "units" if found else unknown
