"""What claims read off their runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Seen:
    """The values of a sample that a claim has read."""

    settings: dict[str, Any]
    values: Sequence[float]
    intervals: bool
    """Whether they are of successive intervals of runs."""


_SEEN: ContextVar[list[Seen] | None] = ContextVar("_SEEN", default=None)


@contextmanager
def watched() -> Iterator[list[Seen]]:
    """Notes what is read off samples within it."""
    seen: list[Seen] = []
    before = _SEEN.set(seen)
    try:
        yield seen
    finally:
        _SEEN.reset(before)


@contextmanager
def unwatched() -> Iterator[None]:
    """Notes nothing within it: samples are only looked through, to pick one of them."""
    before = _SEEN.set(None)
    try:
        yield
    finally:
        _SEEN.reset(before)


def see(settings: dict[str, Any], values: Sequence[float | None], *, intervals: bool) -> None:
    """Notes the values of a sample, if somebody watches."""
    seen = _SEEN.get()
    if seen is not None:
        seen.append(Seen(settings, [value for value in values if value is not None], intervals))
