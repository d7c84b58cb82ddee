"""Compares claims with findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dupack.reproduce.paper import Claim, Finding, Paper, Results
from dupack.reproduce.regimes import note, regimes
from dupack.reproduce.watch import watched
from dupack.words import number, with_half

AGREES = {True: "yes", False: "no", None: "-"}


def judge(claim: Claim, paper: Paper, results: Results) -> dict[str, Any]:
    """Compares a claim with its finding: a row of the table."""
    with watched() as seen:
        finding: Finding = paper.measures[claim.id].find(results)
    groups = regimes(seen)
    agrees = claim.agrees(finding)
    value, half = finding.value, finding.half
    bounds = (value - half, value + half) if isinstance(value, (int, float)) and half is not None else (None, None)
    notes = [claim.note, finding.seen, note(groups)]
    if agrees is not True:
        remark = paper.measures.remarks.get(claim.id)
        known = remark is not None and results.keys() >= set(remark.plans)
        notes += [claim.why, remark.find(results) if remark and known else ""]
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


def in_brief(rows: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> str:
    """What these runs say of the claims, in words; ``names`` are the names of the figures."""
    agree, differ, unsaid = (sum(row["agrees"] is verdict for row in rows) for verdict in (True, False, None))
    agrees, does = "agrees" if agree == 1 else "agree", "does" if differ == 1 else "do"
    told = [f"Of {len(rows)} claims, {agree} {agrees}, {differ} {does} not agree, and {unsaid} cannot be said."]
    by_figure: dict[str, list[bool | None]] = {}
    for row in rows:
        if row["figure"] in names:
            by_figure.setdefault(names[row["figure"]], []).append(row["agrees"])
    all_agree = [name for name, verdicts in by_figure.items() if all(verdicts) and len(verdicts) > 1]
    none_agree = [name for name, verdicts in by_figure.items() if not any(verdicts) and len(verdicts) > 1]
    for what, some in (("All claims of", all_agree), ("No claim of", none_agree)):
        if some:
            *first, last = some
            told.append(
                f"{what} {', '.join(first)}{' and ' if first else ''}{last} agree{'s' if 'No' in what else ''}."
            )
    return " ".join(told)


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
