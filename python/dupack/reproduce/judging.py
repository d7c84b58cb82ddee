"""Compares claims with findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dupack.reproduce.paper import Claim, Finding, Paper, Results
from dupack.reproduce.regimes import note, regimes
from dupack.reproduce.watch import watched
from dupack.words import number, with_half

AGREES = {True: "yes", False: "no", None: "-"}


def judge(claim: Claim, paper: Paper, results: Results, *, full: bool = True) -> dict[str, Any]:
    """Compares a claim with its finding: a row of the table.

    ``full`` is whether these are full runs of the best reading: what a claim's texts say of runs is said of those.
    """
    with watched() as seen:
        finding: Finding = paper.measures[claim.id].find(results)
    groups = regimes(seen)
    agrees = claim.agrees(finding)
    value, half = finding.value, finding.half
    bounds = (value - half, value + half) if isinstance(value, (int, float)) and half is not None else (None, None)
    notes = [claim.note, claim.shows if full else "", finding.seen, note(groups)]
    if agrees is not True:
        remark = paper.measures.remarks.get(claim.id)
        known = remark is not None and results.keys() >= set(remark.plans)
        notes += [claim.why if full else "", remark.find(results) if remark and known else ""]
    relation = "" if claim.relation == "about" else claim.relation
    return {
        "id": claim.id,
        "where": claim.where,
        "figure": claim.figure or None,
        "what": claim.what,
        "published": claim.published,
        "relation": relation or None,
        "tolerance": claim.tolerance,
        "measured": value,
        "low": bounds[0],
        "high": bounds[1],
        "agrees": agrees,
        "note": " ".join(told for told in notes if told),
        **({"regimes": groups} if groups else {}),
    }


TOO_FEW = "the runs that would decide them are too few, vary too much, or are the same for every seed"
MOST = 3
"""Claims that a sentence names one by one, and figures that it names."""


SHORT_NAME = 24
"""Characters of a name that needs no quotes in a sentence."""


def in_brief(rows: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> str:
    """What these runs say of the claims, in words; ``names`` are the names of the figures."""
    agree, differ, unsaid = (sum(row["agrees"] is verdict for row in rows) for verdict in (True, False, None))
    agrees, does = "agrees" if agree == 1 else "agree", "does" if differ == 1 else "do"
    why = f": {_of(unsaid, TOO_FEW)}" if unsaid else ""
    told = [f"Of {len(rows)} claims, {agree} {agrees}, {differ} {does} not agree, and {unsaid} cannot be said{why}."]
    by_figure: dict[str, list[bool | None]] = {}
    for row in rows:
        if row["figure"] in names:
            by_figure.setdefault(_quoted(names[row["figure"]]), []).append(row["agrees"])
    all_agree = [name for name, verdicts in by_figure.items() if all(verdicts) and len(verdicts) > 1]
    none_agree = [name for name, verdicts in by_figure.items() if not any(verdicts) and len(verdicts) > 1]
    if all_agree:
        told.append(f"All claims agree in {_listed(all_agree, 'and')}.")
    if none_agree:
        told.append(f"No claim agrees in {_listed(none_agree, 'or')}.")
    return " ".join(told)


def undecided(
    rows: Sequence[Mapping[str, Any]], names: Mapping[str, str], nowhere: Sequence[Claim] | None = None
) -> str:
    """Of which claims these runs say nothing, in words; ``names`` are the names of the figures.

    ``nowhere`` are the claims that cannot be said under any reading of the paper, if a search has tried some.
    """
    left = [row for row in rows if row["agrees"] is None]
    if not left:
        return "The runs decide every claim."
    told = [f"Nothing can be said of {len(left)} of the {len(rows)} claims: {_which(left, names)}."]
    told.append(f"{_of(len(left), TOO_FEW).capitalize()}.")
    never = [claim for claim in nowhere or () if claim.id in {row["id"] for row in left}]
    if nowhere is not None and not never:
        told.append(
            f"{'It is' if len(left) == 1 else 'Each of them is'} decided under some other reading that was tried."
        )
    elif never:
        every = _listed([f"{claim.what} ({claim.where})" for claim in never], "and")
        told.append(f"No reading that was tried decides {_of(len(never), 'these')}: {every}.")
    return " ".join(told)


def _which(rows: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> str:
    """Few claims one by one, more of them by their figures."""
    if len(rows) <= MOST:
        return _listed([f"{row['what']} ({row['where']})" for row in rows], "and")
    figures = Counter(row["figure"] for row in rows if row["figure"] in names)
    named = figures.most_common(MOST if len(figures) > MOST + 1 else None)
    told = [f"{count} of {_quoted(names[figure])}" for figure, count in named]
    others = len(rows) - sum(count for _, count in named)
    return _listed([*told, *([f"{others} other{'s' if others > 1 else ''}"] if others else [])], "and")


def _of(count: int, text: str) -> str:
    """A text on several claims, for one claim if it is one."""
    return text.replace("them", "it").replace("these", "this") if count == 1 else text


def _quoted(name: str) -> str:
    """The name of a figure in a list: a comma in it would divide it, and a long one would look like a part of it."""
    return f'"{name}"' if "," in name or len(name) > SHORT_NAME else name


def _listed(words: Sequence[str], last: str) -> str:
    """Words in a sentence; words with commas are divided by semicolons."""
    if len(words) == 1:
        return words[0]
    comma = ";" if any("," in word and not word.endswith('"') for word in words) else ","
    return f"{f'{comma} '.join(words[:-1])}{comma if comma == ';' else ''} {last} {words[-1]}"


def published(row: dict[str, Any]) -> str:
    """The published value, as printed."""
    value = row["published"]
    shown = value if isinstance(value, str) else number(value)
    return f"{row['relation']} {shown}" if row["relation"] else shown


def measured(row: dict[str, Any]) -> str:
    """The measured value with the half-width of its interval, as printed."""
    value = row["measured"]
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if row["high"] is None or row["high"] == row["low"]:
        return number(value)
    return with_half(value, (row["high"] - row["low"]) / 2)
