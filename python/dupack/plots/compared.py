"""Alternatives of a comparison, ranked, with 95 % intervals; several measures side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dupack.document import estimate
from dupack.errors import RequestError
from dupack.measures import SUMMARY
from dupack.plots.canvas import COLUMNS, WIDTH, finish, looks, more, page, spine, ticks
from dupack.plots.words import axis, quantity
from dupack.words import known, setting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dupack.figures import Figure

GROUPS = 4
"""The most comparisons of a figure."""
ROW = 0.22
"""Height of an alternative [in]."""

Kept = Mapping[str, Sequence[Mapping[tuple[Any, ...], Sequence[float | None]]]]
"""Per measure and comparison, the values of each alternative in its runs."""


def compared(
    title: str,
    of: str,
    comparisons: Sequence[Mapping[str, Any]],
    measures: Sequence[str] | None,
    kept: Kept | None,
    carries: str = "",
) -> Figure:
    """Draws comparisons as `dupack compare` makes them, one row of panels for each.

    Args:
        title: Title of the plan.
        of: The measure that ranks.
        comparisons: As in ``dupack compare --json``.
        measures: Measures, a panel each; by default ``of``, and as many of the others as a figure can hold.
        kept: The values of the runs; None if only the means and intervals in ``comparisons`` are known.
        carries: Cells or packets, if it is known.
    """
    of = of if "." in of else f"{SUMMARY}.{of}"
    there = list(kept) if kept else measures_of(of, comparisons)
    if measures is None:
        measures = there[: COLUMNS * 2]
    chosen = [known(_whole(one, there), there, "measure of this comparison") for one in measures]
    if len(comparisons) > GROUPS:
        raise RequestError(
            f"nothing to draw: {len(comparisons)} comparisons are too many for a figure; the plan's own sweep makes "
            "one for each of its points"
        )
    if len(chosen) > COLUMNS * 2:
        raise RequestError(f"nothing to draw: {len(chosen)} measures are too many for a figure; at most {COLUMNS * 2}")
    ranked = [[tuple(one["alternative"].values()) for one in group["alternatives"]] for group in comparisons]
    if not any(ranked):
        raise RequestError("nothing to draw: the measure is missing in some runs of all alternatives")
    names = _names(comparisons)
    most = max(map(len, ranked))
    across = min(len(chosen), COLUMNS)
    down = -(-len(chosen) // across) * len(comparisons)
    size: dict[str, Any] = {
        "width": WIDTH if across == 1 else min(6.7, 2.05 * across + 0.8),
        "height": (0.75 + (ROW + more(names.values())) * most) * down,
    }
    panels = [(at, measure) for at in range(len(comparisons)) for measure in chosen]
    alike = grouped = False
    with page(len(panels), rows=down, **size) as (figure, axes):
        for place, ((at, measure), ax) in enumerate(zip(panels, axes, strict=True)):
            group, order = comparisons[at], ranked[at]
            inks = looks([names[one] for one in order])
            cells = [_cell(group, measure, of, kept, at, one) for one in order]
            what = quantity(measure, [cell["mean"] for cell in cells], carries)
            for row, (one, cell, (ink, mark)) in enumerate(zip(order, cells, inks, strict=True)):
                if cell["mean"] is None:
                    continue
                told = next(it for it in group["alternatives"] if tuple(it["alternative"].values()) == one)
                same = measure == of and told["told_apart"] is False
                alike |= same
                grouped |= bool(cell["regimes"])
                _draw(ax, row, cell, what.factor, (ink, mark), filled=not same)
                entry = {**group["settings"], **told["alternative"], "measure": measure, "mean": cell["mean"]}
                entry |= {"ci95": cell["ci95"], "difference": None, "low": None, "high": None, "told_apart": None}
                if measure == of:
                    entry |= {key: told[key] for key in ("difference", "low", "high", "told_apart")}
                figure.data.append(entry)
            first = place % across == 0
            ticks(ax, "y", [names[one] for one in order] if first else [""] * len(order))
            ax.set_ylim(most - 0.5, -0.5)
            ax.grid(visible=False, axis="y")
            spine(ax, "x")
            ax.margins(x=0.08)
            ax.set_xlabel(what.label)
            if len(comparisons) > 1 and first:
                ax.set_title(", ".join(f"{axis(k, [v], [k]).short} {setting(v)}" for k, v in group["settings"].items()))
        runs = max((len(cell["values"]) for cell in cells), default=0)
        note = "Best first. Bars: 95 % intervals of the means"
        note += f"; small dots: the {runs} runs of each." if runs else "."
        if grouped:
            note += " Where runs fall into two groups, the mean describes none of them"
            note += "." if runs else "; large dots: the means of the groups."
        note += " Hollow: not significantly different from the best." if alike else ""
        finish(figure, axes, title, note)
    return figure


def _draw(ax: Axes, row: int, cell: Mapping[str, Any], factor: float, look: tuple[str, str], *, filled: bool) -> None:
    """An alternative: its mean with an interval, and above it the values of its runs."""
    ink, mark = look
    values = [value / factor for value in cell["values"]]
    small: dict[str, Any] = {"marker": ".", "markersize": 3, "alpha": 0.4, "markeredgewidth": 0}
    if not values:
        # Of a document of means, the groups are known and the runs are not.
        values = [group["mean"] / factor for group in cell["regimes"]]
        small |= {"markersize": 7}
    ax.plot(values, [row + 0.2] * len(values), linestyle="", color=ink, **small)
    ax.errorbar(
        [cell["mean"] / factor],
        [row],
        xerr=[(cell["ci95"] or 0.0) / factor],
        color=ink,
        marker=mark,
        markerfacecolor=ink if filled else "white",
        capsize=2.5,
        elinewidth=1,
        linestyle="",
    )


def _whole(asked: str, there: Sequence[str]) -> str:
    """The whole path of a measure that may be named by its key alone."""
    return f"{SUMMARY}.{asked}" if f"{SUMMARY}.{asked}" in there else asked


def measures_of(of: str, comparisons: Sequence[Mapping[str, Any]]) -> list[str]:
    """The measures that a document of comparisons has."""
    also = [name for group in comparisons for one in group["alternatives"] for name in one.get("also", ())]
    return list(dict.fromkeys([of, *also]))


def _names(comparisons: Sequence[Mapping[str, Any]]) -> dict[tuple[Any, ...], str]:
    """Short names of the alternatives: their values, without the paths, and without what all have in common."""
    every = [tuple(one["alternative"].values()) for group in comparisons for one in group["alternatives"]]
    columns = [_shorter([str(value) for value in column]) for column in zip(*every, strict=True)]
    varied = [column for column in columns if len(set(column)) > 1] or columns
    return {one: ", ".join(parts) for one, parts in zip(every, zip(*varied, strict=True), strict=True)}


def _shorter(values: Sequence[str]) -> list[str]:
    """Values without the parameters that are the same wherever the kind is; ``sack (mss 1448 B)``: ``sack``."""
    parts = [_parts(value) for value in values]
    made = []
    for head, given in parts:
        alike = [other for kind, other in parts if kind == head]
        kept = [one for one in given if any(one not in other for other in alike)]
        made.append(f"{head} ({', '.join(kept)})" if kept else head)
    return made


def _parts(value: str) -> tuple[str, list[str]]:
    """The kind and the parameters of a part in words; a parameter may itself have some in brackets."""
    head, bracket, rest = value.partition(" (")
    if not bracket or not rest.endswith(")"):
        return value, []
    found, depth = [""], 0
    for word in rest[:-1].split(", "):
        found[-1] += f", {word}" if depth else word
        depth += word.count("(") - word.count(")")
        if not depth:
            found.append("")
    given = [one for one in found if one]
    # Python writes truth values with capitals, plans do not.
    return head, [re.sub(r"\b(True|False)\b", lambda word: word[0].lower(), one) for one in given]


def _cell(
    group: Mapping[str, Any], measure: str, of: str, kept: Kept | None, at: int, one: tuple[Any, ...]
) -> dict[str, Any]:
    values = list((kept or {}).get(measure, [{}] * (at + 1))[at].get(one, ()))
    if values:
        known_ = [value for value in values if value is not None]
        return {"regimes": [], **estimate(values), "values": known_ if len(known_) == len(values) else []}
    told = next(it for it in group["alternatives"] if tuple(it["alternative"].values()) == one)
    if measure != of:
        # Null if a run lacks it.
        told = told["also"].get(measure) or {"mean": None, "ci95": None}
    return {"mean": told["mean"], "ci95": told["ci95"], "regimes": told.get("regimes", []), "values": []}
