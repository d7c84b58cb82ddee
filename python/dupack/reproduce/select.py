"""Selects samples: the points of a plan's sweep that have certain settings.

A selection names settings by their path or by the end of it: ``queue.kind`` stands for ``link.bottleneck.queue.kind``,
whether the plan sweeps that path or the whole table ``link.bottleneck.queue``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dupack.reproduce.paper import Sample, Settings


def flat(settings: Settings) -> dict[str, Any]:
    """The settings of a point by path; a table has one path per key."""
    found: dict[str, Any] = {}
    for path, value in settings.items():
        found |= (
            {f"{path}.{key}": one for key, one in flat(value).items()} if isinstance(value, dict) else {path: value}
        )
    return found


def setting(sample: Sample, end: str, otherwise: Any = None) -> Any:
    """The value of the setting whose path ends so; ``otherwise`` if there is none."""
    found = {path: value for path, value in flat(sample.settings).items() if path == end or path.endswith(f".{end}")}
    values = list(found.values())
    if any(value != values[0] for value in values):
        raise ValueError(f"{end} is the end of several settings: {', '.join(found)}")
    return values[0] if values else otherwise


def number(sample: Sample, end: str) -> float:
    """A setting as a number, without its unit.

    Raises ``LookupError`` if there is none, ``ValueError`` if it is not a number.
    """
    value = setting(sample, end)
    if value is None:
        raise LookupError(f'no setting ends in "{end}"; settings: {", ".join(flat(sample.settings)) or "none"}')
    try:
        return float(value.split()[0] if isinstance(value, str) else value)
    except (IndexError, TypeError, ValueError) as error:
        raise ValueError(f"{end} = {value!r} is not a number") from error


def matches(sample: Sample, where: Mapping[str, Any]) -> bool:
    """Whether a sample has these settings: a list stands for any of its values, True for any value, False for none.

    If the setting itself is true or false, it must be the same. If it is a list itself, the same list stands for it.
    """
    for end, wanted in where.items():
        value = setting(sample, end, _ABSENT)
        if isinstance(wanted, bool) and not isinstance(value, bool):
            if wanted == (value is _ABSENT):
                return False
        elif value is _ABSENT or (value != wanted and value not in (wanted if isinstance(wanted, list) else [])):
            return False
    return True


_ABSENT = object()


def where(samples: Sequence[Sample], settings: Mapping[str, Any] | None = None, **more: Any) -> list[Sample]:
    """The samples with these settings; a keyword is a setting whose path ends so."""
    return [sample for sample in samples if matches(sample, {**(settings or {}), **more})]


def only(samples: Sequence[Sample], settings: Mapping[str, Any] | None = None, **more: Any) -> Sample:
    """The sample with these settings.

    Raises ``LookupError`` if there is none, or more than one.
    """
    found = where(samples, settings, **more)
    if len(found) != 1:
        wanted = {**(settings or {}), **more}
        raise LookupError(f"{len(found)} samples have {wanted}")
    return found[0]
