"""The answer of a search that a paper's folder keeps, ``readings.json``.

Reports of the paper are made with the best reading of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dupack.errors import RequestError
from dupack.files import from_json
from dupack.readings import axes
from dupack.readings.answer import LETTERS, RULE, depends_on, sentences
from dupack.readings.axes import Reading, Space
from dupack.reproduce.paper import Claim, Figure, Paper, Series

RECORD = "readings.json"
"""The answer, in the directory of the report and in the paper's folder."""
PLANNED = "as in the plans"
LEAST = 0.005
"""Curves are shown beside others if they differ by more than this share of the range of both."""


class StaleRecordError(RequestError):
    """The record in a paper's folder is not one of its claims and axes, and of the rule, as they are now."""


@dataclass(frozen=True)
class Record:
    """The answer of a search, and the axes that it searched."""

    space: Space
    found: Mapping[str, Any]

    @property
    def best(self) -> Reading:
        """The best single reading."""
        named: Mapping[str, str] = self.found["readings"][self.found["best"]]["values"]
        return self.space.reading(named, str(self.space.paper.directory / RECORD))

    def claims(self, status: str) -> list[Claim]:
        """The claims with a status."""
        named = {one["id"] for one in self.found["claims"] if one["status"] == status}
        return [claim for claim in self.space.paper.claims if claim.id in named]

    def axes(self, claim: Claim) -> str:
        """The axes that a claim depends on, in words."""
        return depends_on(next(one for one in self.found["claims"] if one["id"] == claim.id))

    def note(self, claim: str) -> str:
        """What the search says of a claim."""
        if not self.space.paper.measures[claim].plans:
            return "It needs no run, so no reading changes it."
        at = next(i for i, one in enumerate(self.found["claims"]) if one["id"] == claim)
        one, readings = self.found["claims"][at], self.found["readings"]
        told = f"Agrees under {one['agree']} of {len(readings)} readings"
        if one["decided"] < len(readings):
            left = len(readings) - one["decided"]
            told += f", and {left} {'decides' if left == 1 else 'decide'} nothing"
        told += f"; depends on {depends_on(one)}." if one["axes"] else "."
        best, planned = (readings[self.found[which]]["verdicts"][at] for which in ("best", "planned"))
        if best != planned:
            verdict = {"y": "agrees", "n": "does not agree", "-": "decides nothing"}[planned]
            told += f" With the plans as they are: {self.found['findings']['planned'][claim]}, which {verdict}."
        return told

    def changed(self, rows: Sequence[Mapping[str, Any]]) -> list[str]:
        """Of rows of the best reading, in full, the claims whose verdict is not that of the search, in words.

        Then the program or the plans have changed since, and the answer may be another today.
        """
        best = self.found["readings"][self.found["best"]]["verdicts"]
        letters = {one["id"]: best[at] for at, one in enumerate(self.found["claims"])}
        named = [row["what"] for row in rows if letters.get(row["id"]) not in (None, LETTERS[row["agrees"]])]
        if not named:
            return []
        count = f"{len(named)} claim{'s have' if len(named) > 1 else ' has'}"
        why = f"The program or the plans have changed since the search. {_again(self.space.paper)}"
        return [f"{count} another verdict in these runs than in the search: {'; '.join(named)}. {why}"]

    def others(self, figure: Figure, series: Sequence[Series]) -> list[Series]:
        """The curves of a figure as in the plans, where they differ from these."""
        kept: list[dict[str, Any]] = self.found.get("curves", {}).get(figure.id, [])
        known = {(one.name, one.panel): one for one in series}
        made: list[Series] = []
        for one in kept:
            mine = known.get((one["name"], one["panel"]))
            if mine is not None and list(mine.x) == one["x"]:
                how: dict[str, Any] = {"of": mine.of, "shade": mine.shade, "panel": mine.panel, "legend": not made}
                made.append(Series.exact(PLANNED, mine.x, one["y"], kind="other", **how))
        return made

    def best_in_words(self) -> str:
        """How many claims agree under the best reading."""
        best = self.found["readings"][self.found["best"]]
        return f"Under the best reading, {best['agree']} of {len(self.found['claims'])} claims agree."

    def told(self) -> list[str]:
        """The answer in words."""
        return [*sentences(self.found), *self._not_tried()]

    def _not_tried(self) -> list[str]:
        """The axes and values that were added after the search."""
        known = {axis["name"]: {value["name"] for value in axis["values"]} for axis in self.found["axes"]}
        new = {axis.name: axis.name for axis in self.space.axes if axis.name not in known}
        new |= {
            f"{axis.name} {value.name}": axis.name
            for axis in self.space.axes
            for value in axis.value
            if axis.name in known and value.name not in known[axis.name]
        }
        if not new:
            return []
        axes = " ".join(f"--axis {name}" for name in dict.fromkeys(new.values()))
        them = "it" if len(new) == 1 else "them"
        return [
            f"Added after this search, and not tried: {', '.join(new)}. dupack readings {self.space.paper.key} {axes} "
            f"--record tries {them}."
        ]


def curves(figures: Sequence[tuple[Figure, Sequence[Series], Sequence[Series]]]) -> dict[str, list[dict[str, Any]]]:
    """The curves as in the plans that differ from those of the best reading, by figure, to be kept in the record.

    Each figure comes with the curves of the best reading, then with those as in the plans.
    """
    kept: dict[str, list[dict[str, Any]]] = {}
    for figure, best, planned in figures:
        mine = {(one.name, one.panel): one for one in best}
        for one in planned:
            other = mine.get((one.name, one.panel))
            if one.kind in ("line", "flat") and other is not None and _differ(one, other):
                entry = {"name": one.name, "panel": one.panel, "x": list(one.x), "y": [_short(y) for y in one.y]}
                kept.setdefault(figure.id, []).append(entry)
    return kept


def _short(y: float | None) -> float | None:
    return None if y is None else float(f"{y:.5g}")


def _differ(one: Series, other: Series) -> bool:
    if list(one.x) != list(other.x):
        return False
    values = [y for y in (*one.y, *other.y) if y is not None]
    if not values:
        return False
    least = LEAST * (max(values) - min(values))
    pairs = zip(one.y, other.y, strict=True)
    return any((a is None) != (b is None) or (a is not None and b is not None and abs(a - b) > least) for a, b in pairs)


def load(paper: Paper) -> Record | None:
    """The record in a paper's folder, if there is one.

    Raises ``StaleRecordError`` for a record of other claims or axes, and ``RequestError`` if the axes cannot be read.
    """
    file = paper.directory / RECORD
    if not file.exists():
        return None
    space = axes.load(paper)
    try:
        found = from_json(file.read_text(encoding="utf-8"))
        claims = [one["id"] for one in found["claims"]]
        record = Record(space, found)
        stale = claims != [claim.id for claim in paper.claims] or record.best is None
        record.told()
        _ = [(one["decided"], one["alone"]) for one in found["claims"]]
    except KeyError as error:
        raise StaleRecordError(f"{file}: it has no {error}, so another dupack wrote it. {_again(paper)}") from error
    except RequestError as error:
        raise StaleRecordError(f"{error}. {_again(paper)}") from error
    except (OSError, ValueError, TypeError, IndexError) as error:
        raise StaleRecordError(f"{file}: not an answer of dupack readings ({error}). {_again(paper)}") from error
    if found.get("rule") != RULE:
        raise StaleRecordError(f"{file}: its best reading was chosen by another rule. {_again(paper)}")
    if stale:
        raise StaleRecordError(f"{file}: its claims are not those of published.toml. {_again(paper)}")
    return record


def _again(paper: Paper) -> str:
    return f"dupack readings {paper.key} --record makes it anew."
