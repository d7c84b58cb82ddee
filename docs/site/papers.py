"""The pages of the papers: what stands in their directories, and what `dupack reproduce` made of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docs.site.markdown import cell, table
from dupack.readings import axes
from dupack.reproduce.judging import AGREES, measured, published
from dupack.reproduce.paper import Figure, Paper

Row = dict[str, Any]


def whole(paper: Paper, place: Path) -> bool:
    """Whether a place has a report of all of the paper as it is declared now."""
    try:
        found = json.loads((place / "results.json").read_text(encoding="utf-8"))
        claims = [row["id"] for row in found["claims"]]
        figures = [figure["id"] for figure in found["figures"]]
        drawn = all((place / "figures" / f"{figure.file}.svg").exists() for figure in paper.figures)
    except (OSError, ValueError, KeyError, TypeError):
        return False
    declared = [claim.id for claim in paper.claims], [figure.id for figure in paper.figures]
    return (claims, figures) == declared and drawn and (place / "report.html").exists() and "runs" in found


def page(paper: Paper, place: Path | None) -> str:
    """A paper's page; without results it ends before them."""
    readme = (paper.directory / "README.md").read_text(encoding="utf-8").rstrip()
    if place is None:
        return readme + "\n"
    found = json.loads((place / "results.json").read_text(encoding="utf-8"))
    title, _, rest = readme.partition("\n")
    parts = [title, f"\n{cell(paper.cite)}.\n", _outcome(paper, found), _holds(paper, found["claims"])]
    drawn = {figure["id"]: figure for figure in found["figures"]}
    for figure in paper.figures:
        rows = [row for row in found["claims"] if row["figure"] == figure.id]
        parts.append(_figure(paper, figure, rows, drawn[figure.id]))
    loose = [row for row in found["claims"] if row["figure"] is None]
    if loose:
        parts += [f"({paper.key}-text)=\n## Without a figure\n", "Claims that belong to no figure.\n", _claims(loose)]
    parts += _open(paper, found.get("reading"))
    if paper.readings:
        parts.append("## Choices without an alternative\n")
        rows = [(cell(one.open), cell(one.choice), cell(one.reason)) for one in paper.readings]
        parts.append(table(("open", "our choice", "reason"), rows))
    parts += ["## The directory\n", f"`papers/{paper.key}/README.md` says:\n", rest.strip() + "\n"]
    return "\n".join(parts)


def _open(paper: Paper, reading: dict[str, str] | None) -> list[str]:
    """What the paper leaves open, and the ways to read it; those of the report are in bold type."""
    if not axes.has_axes(paper.directory):
        return []
    space = axes.load(paper)
    chosen = reading or space.named(space.planned)
    rows = []
    for axis in space.axes:
        for value in axis.value:
            says = f"**{cell(value.says)}**" if chosen[axis.name] == value.name else cell(value.says)
            first = f"{axis.name} ({cell(axis.where)}): {cell(axis.open)}" if value is axis.value[0] else ""
            rows.append((first, says, value.basis, cell(value.why)))
    return [
        "## What the paper leaves open, and how it is read here\n",
        "The values in bold type are those of the figures on this page.\n",
        table(("open", "ways to read it", "basis", "reason or source"), rows),
    ]


def _outcome(paper: Paper, found: dict[str, Any]) -> str:
    """What the paper is about, how exactly it was reproduced, and what came out."""
    verdicts = [row["agrees"] for row in found["claims"]]
    agree, open_ = (verdicts.count(verdict) for verdict in (True, None))
    how = f"{found['runs']} runs, {found['seeds']} seed{'s' if found['seeds'] != '1' else ''} per point"
    report = f'<a href="../reports/{paper.key}.html">report with interactive figures and every plan</a>'
    if found["quick"]:
        quick = f"Made with `dupack reproduce {paper.key} --quick`: {cell(paper.quick)} ({how}.)"
        precision = f":::{{admonition}} A first look\n:class: warning\n\n{quick}\n:::\n"
    else:
        precision = f"Full precision: {how}.\n"
    unsaid = f", {open_} cannot be said" if open_ else ""
    parts = [
        f"{cell(paper.about)}\n",
        f"**{agree} of {len(verdicts)} claims agree**{unsaid}. The {report} has the same results.\n",
        precision,
    ]
    if found["short"]:
        parts += [f"{cell(part)}\n" for part in found["short"].split("\n\n")]
    parts.append(f"{cell(paper.statistics)} Stars and dotted lines in the figures are values that the paper states.\n")
    return "\n".join(parts)


def _holds(paper: Paper, rows: Sequence[Row]) -> str:
    """What holds and what does not: how many claims of each figure, and every claim that is not reached."""
    places: dict[str | None, tuple[str, str]] = {
        figure.id: (cell(figure.name), f"{paper.key}-{figure.file}") for figure in paper.figures
    }
    places[None] = ("Without a figure", f"{paper.key}-text")
    heads = ("figure", "agree", "do not agree", "cannot be said")
    groups = []
    for key, (name, anchor) in places.items():
        verdicts = [row["agrees"] for row in rows if row["figure"] == key]
        if verdicts:
            counts = [str(verdicts.count(verdict) or "–") for verdict in (True, False, None)]
            groups.append([f"[{name}](#{anchor})", *counts])
    parts = ["## What holds, and what does not\n", table(heads, groups, numbers=3)]
    missed = [row for row in rows if row["agrees"] is False]
    if missed:
        parts.append("Claims that do not agree. The reason, as far as it is known, stands with the figure.\n")
        made = []
        for row in missed:
            where = f"[{cell(row['where'])}](#{places[row['figure']][1]})"
            made.append([where, cell(row["what"]), cell(published(row)), cell(measured(row))])
        parts.append(table(("where", "what", "published", "measured"), made))
    return "\n".join(parts)


def _claims(rows: Sequence[Row]) -> str:
    """A table of claims with their notes."""
    made = []
    for row in rows:
        verdict = {True: "yes", False: "**no**", None: "–"}[row["agrees"]]
        told = [row["where"], row["what"], published(row), measured(row)]
        made.append([*map(cell, told), verdict, cell(row["note"])])
    return table(("where", "what", "published", "measured", "agrees", "note"), made)


def _figure(paper: Paper, figure: Figure, rows: Sequence[Row], drawn: dict[str, Any]) -> str:
    parts = [f"({paper.key}-{figure.file})=\n## {cell(figure.name)}\n", f"{cell(figure.shows)}\n"]
    parts.append(f"![{cell(figure.name)}]({paper.key}/{figure.file}.svg)\n")
    # Older reports have no texts that are made from the runs.
    ours = drawn.get("ours", figure.ours)
    if ours and isinstance(ours, str):
        parts.append(f"**Here.** {cell(ours)}\n")
    below = drawn.get("table")
    if below:
        parts.append(table([cell(head) for head in below["heads"]], [[cell(c) for c in row] for row in below["rows"]]))
    if rows:
        parts.append(_claims(rows))
    return "\n".join(parts)


__all__ = ["AGREES", "page", "whole"]
