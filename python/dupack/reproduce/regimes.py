"""Samples of claims whose values fall into two groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dupack.regimes import in_groups, told
from dupack.reproduce.select import flat
from dupack.reproduce.watch import Seen
from dupack.tables import short
from dupack.words import number
from dupack.words import setting as in_words

MOST = 3
"""Samples that a note names."""


def regimes(seen: Sequence[Seen]) -> list[dict[str, Any]]:
    """The samples whose values fall into two groups, with the settings in which those that were read differ.

    The rule is that of ``dupack.regimes``. ``of`` says what the groups count: runs, or intervals of runs.
    """
    groups = [in_groups(one.values) for one in seen]
    if not any(groups):
        return []
    every = [flat(one.settings) for one in seen]
    paths = list(dict.fromkeys(path for one in every for path in one))
    vary = [path for path in paths if any(one.get(path) != every[0].get(path) for one in every)]
    found: list[dict[str, Any]] = []
    for one, settings, both in zip(seen, every, groups, strict=True):
        if both:
            own = {path: settings[path] for path in vary if path in settings}
            entry = {"settings": own, "of": "intervals" if one.intervals else "runs", **both}
            # A claim may read a sample several times.
            found += [entry] if entry not in found else []
    return found


def note(found: Sequence[Mapping[str, Any]]) -> str:
    """Sentences on samples in two groups."""
    named = [_note(one) for one in found[:MOST]]
    more = [] if len(found) <= MOST else [f"So have more samples: {len(found) - MOST}."]
    return " ".join([*named, *more])


def _note(one: Mapping[str, Any]) -> str:
    settings = one["settings"]
    at = ", ".join(
        f"{name} {in_words(value)}" for name, value in zip(short(list(settings)), settings.values(), strict=True)
    )
    groups = told(one["regimes"], number, "interval" if one["of"] == "intervals" else "run")
    return f"Two regimes{f' at {at}' if at else ''}: {groups}."
