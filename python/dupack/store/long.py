"""Long lines of a journal: the rows of their lists are decoded when they are asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

LONG = 1 << 20
"""From this length on; shorter lines are decoded whole, which is faster, and takes several times their length."""
DOCUMENT, LISTS = "document", ("flows", "links")
"""The key of the document in a line, and its lists of rows."""

_decode = json.JSONDecoder().raw_decode
_SPACE = re.compile(r"[ \t\n\r]*")


class Rows:
    """The rows of a list in a JSON text; each use decodes them again, one by one."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._start = start

    def __iter__(self) -> Iterator[Any]:
        return (row for row, _ in self.placed())

    def placed(self) -> Iterator[tuple[Any, int]]:
        """The rows, each with the place of its end."""
        at = _after(self._text, self._start, "[")
        if self._text.startswith("]", at):
            return
        while True:
            row, at = _decode(self._text, at)
            yield row, at
            at = _space(self._text, at)
            if self._text.startswith("]", at):
                return
            at = _after(self._text, at, ",")

    def end(self) -> int:
        """The place after the list."""
        at = _after(self._text, self._start, "[")
        for _, place in self.placed():
            at = place
        return _after(self._text, at, "]", trim=False)


def entry(text: str) -> dict[str, Any]:
    """The run in a line; its document's lists are `Rows`. ``ValueError`` if the text is no JSON object."""
    try:
        found, end = _object(text, _space(text, 0), (DOCUMENT,), _document)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if _space(text, end) != len(text):
        raise ValueError("more than an object")
    return found


def _document(text: str, at: int) -> tuple[Any, int]:
    return _object(text, at, LISTS, _rows)


def _rows(text: str, at: int) -> tuple[Any, int]:
    if not text.startswith("[", at):
        return _decode(text, at)
    rows = Rows(text, at)
    return rows, rows.end()


def _object(text: str, at: int, those: tuple[str, ...], read: Any) -> tuple[dict[str, Any], int]:
    """The object at a place, and its end; the values of some keys are read by a function."""
    found: dict[str, Any] = {}
    at = _after(text, at, "{")
    while not text.startswith("}", at):
        key, at = _decode(text, at)
        at = _after(text, _space(text, at), ":")
        found[key], at = (read if key in those else _decode)(text, at)
        at = _space(text, at)
        if not text.startswith("}", at):
            at = _after(text, at, ",")
    return found, at + 1


def _space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _after(text: str, at: int, mark: str, *, trim: bool = True) -> int:
    """The place after a mark, which is a ``ValueError`` if it is missing, and after the space that follows it."""
    at = _space(text, at)
    if not text.startswith(mark, at):
        raise ValueError(f"no {mark} at {at}")
    return _space(text, at + 1) if trim else at + 1
