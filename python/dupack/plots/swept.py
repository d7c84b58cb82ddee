"""Measures over the axes of a sweep, with 95 % intervals: curves, small multiples, dots for words, heat maps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dupack.errors import RequestError
from dupack.plots.canvas import COLUMNS, CURVES, PANELS, WIDTH, finish, heat, looks, more, page, spine, ticks
from dupack.plots.data import Cell, Data
from dupack.plots.words import Axis, Quantity, number, quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dupack.figures import Figure

SINGLE: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 3, "alpha": 0.55, "markeredgewidth": 0}
"""The runs of a point with two regimes."""
TOLD = 48
"""The most cells of a heat map that have their number written in them."""
BARS = "Bars: 95 % intervals of the means."


def measures(
    data: Data, asked: Sequence[str], *, x: str | None = None, as_heat: bool | None = None, log: str | None = None
) -> Figure:
    """Draws measures over the axis ``x`` of a sweep, one above the other.

    Args:
        data: The sweep.
        asked: Paths of measures.
        x: The axis; by default the first with numbers, else the first.
        as_heat: Whether two axes with numbers give a heat map; by default if curves would be more than 12.
        log: The logarithmic axes, ``""``, ``"x"``, ``"y"`` or ``"xy"``; by default x if its values are far apart.

    Raises:
        RequestError: There is nothing to draw, or more than a figure can hold.
    """
    paths = [data.measure(one) for one in asked]
    axes = data.axes()
    if not axes:
        raise RequestError(f"nothing to draw: {_no_axes(data)}")
    found = {path: data.estimates(path) for path in paths}
    for path, cells in found.items():
        if all(cell["mean"] is None for cell in cells.values()):
            raise RequestError(f"nothing to draw: no point has {path} in all of its runs")
    over = data.axis_named(x) if x is not None else next((one for one in axes if one.numeric), axes[0])
    others = [one for one in axes if one.path != over.path]
    if log is None:
        log = "x" if over.log else ""
    second = next((one for one in others if one.numeric), None)
    many = math.prod(len(data.levels(one)) for one in others)
    if as_heat and (second is None or not over.numeric):
        raise RequestError("a heat map needs two axes with numbers; " + _some(axes))
    if second is not None and over.numeric and (as_heat or (as_heat is None and many > CURVES and len(others) == 1)):
        return _maps(data, found, over, second, [one for one in others if one is not second], log)
    return _curves(data, found, over, others, log)


def _no_axes(data: Data) -> str:
    fixed = data.fixed()
    return f"only one value of each axis is left ({fixed})" if fixed else "the sweep has no axes"


def _some(axes: Sequence[Axis]) -> str:
    numeric = [one.path for one in axes if one.numeric]
    return f"with numbers there is {', '.join(numeric) or 'none'}"


def _curves(data: Data, found: dict[str, dict[int, Cell]], over: Axis, others: list[Axis], log: str) -> Figure:
    # The axis with the most words becomes the curves: its colours are those of the reports.
    inner = min(others, key=lambda one: (one.numeric, -len(data.levels(one)))) if others else None
    outer = [one for one in others if one is not inner]
    sides = list(dict.fromkeys(", ".join(f"{one.short} {one.told(p)}" for one in outer) for p in _sorted(data, outer)))
    names = data.levels(inner) if inner else [""]
    if len(names) > CURVES or len(sides) * len(found) > PANELS:
        wide = inner.path if inner and len(names) > CURVES else (outer[0].path if outer else "")
        raise RequestError(
            f"nothing to draw: {len(names)} curves in {len(sides) * len(found)} panels are too many; choose values "
            f"with --at {wide}=VALUE (at= in Python), or another x"
        )
    words_on_side = not over.numeric
    levels = data.levels(over)
    alone = words_on_side and inner is None
    if alone:
        # Each word has its colour.
        inner, names = over, levels
    inks = looks(names, ordered=bool(inner and inner.numeric))
    tall = max(2.0, 0.55 + 0.2 * len(levels) * (1 if alone else max(1, 0.55 * len(names)))) if words_on_side else 2.45
    tall += more(levels) * len(levels) * words_on_side
    rows, across = (
        (len(found), len(sides)) if len(sides) <= COLUMNS else (-(-len(sides) // COLUMNS) * len(found), COLUMNS)
    )
    if words_on_side and len(found) > 1 and len(sides) == 1:
        # Measures of the same words side by side.
        rows, across = 1, len(found)
    size: dict[str, Any] = {
        "width": WIDTH if across == 1 else min(6.7, 2.15 * across + 0.6),
        "height": tall * rows * (0.85 if rows > 1 else 1),
    }
    panels = [(path, side) for path in found for side in sides]
    # Each measure begins a row.
    each = rows * across // len(found)
    places = [nth * each + at for nth in range(len(found)) for at in range(len(sides))]
    unseen = _not_positive(data, found, over, log)
    with page(len(panels), rows=rows, places=places, sharex="none" if words_on_side else "all", **size) as (
        figure,
        axes,
    ):
        for at, (path, side), ax in zip(places, panels, axes, strict=True):
            cells = found[path]
            known = [cell["mean"] for cell in cells.values()]
            what = quantity(path, known, data.carries())
            mine = [
                p
                for p in data.points
                if ", ".join(f"{one.short} {one.told(p)}" for one in outer) == side and p in cells
            ]
            for nth, (name, look) in enumerate(zip(names, inks, strict=True)):
                of = [p for p in mine if inner is None or inner.told(p) == name]
                place = (0, 1) if alone else (nth, len(names))
                rows_ = _drawn(ax, over, of, cells, what, look, "" if alone else name, levels, place, log)
                for row in rows_:
                    head = {one.name: one.told(row["point"]) for one in outer}
                    head |= {inner.name: name} if inner and not alone else {}
                    figure.data.append({"measure": path, **head, **{k: v for k, v in row.items() if k != "point"}})
            if side:
                ax.set_title(side)
            if words_on_side:
                ticks(ax, "y", levels if at % across == 0 else [""] * len(levels))
                ax.set_ylim(len(levels) - 0.5, -0.5)
                ax.grid(visible=False, axis="y")
                ax.set_xlabel(what.label)
                spine(ax, "x", log="y" in log)
            else:
                spine(ax, "x", log="x" in log, values=_known(over, log))
                spine(ax, "y", log="y" in log)
                ax.margins(x=0.04)
                if at + across not in places:
                    # There is no panel below, which would have the numbers.
                    ax.set_xlabel(over.name)
                    ax.tick_params(labelbottom=True)
                if at % across == 0 or len(sides) == 1:
                    ax.set_ylabel(_lines(what.label, tall))
                low, high = ax.get_ylim()
                least = min((value for value in known if value is not None), default=0.0)
                if "y" not in log and least >= 0 and low < 0.4 * high:
                    ax.set_ylim(bottom=0)
        if not words_on_side:
            for path in found:
                _same([ax for (of, _), ax in zip(panels, axes, strict=True) if of == path])
        note = " ".join([_note(data, found, bars=True), *unseen])
        finish(figure, axes, data.title, note, names="" if inner is None or alone else inner.short)
    return figure


def _not_positive(data: Data, found: dict[str, dict[int, Cell]], over: Axis, log: str) -> list[str]:
    """A sentence on the means, and one on the values of the axis, that a logarithmic axis cannot show.

    Raises:
        RequestError: It can show none.
    """
    means = [cell["mean"] for cells in found.values() for cell in cells.values() if cell["mean"] is not None]
    values = [over.values[point] for point in data.points] if over.numeric else []
    told = []
    for letter, what, numbers in (("y", "mean", means), ("x", over.short, values)):
        known = [value for value in numbers if value is not None]
        left = sum(value <= 0 for value in known) if letter in log else 0
        if left and left == len(known):
            raise RequestError(f"nothing to draw: a logarithmic axis has no zero, and no {what} is above it")
        if left:
            told.append(f"Left out: {left} point{'s' if left > 1 else ''} whose {what} is not above 0.")
    return told


def _same(axes: Sequence[Axes]) -> None:
    """Panels of one measure have one scale."""
    low = min(ax.get_ylim()[0] for ax in axes)
    high = max(ax.get_ylim()[1] for ax in axes)
    for ax in axes:
        ax.set_ylim(low, high)


def _known(over: Axis, log: str) -> list[float]:
    """The values of an axis that it can show."""
    return [value for value in over.values if value is not None and ("x" not in log or value > 0)]


def _sorted(data: Data, axes: Sequence[Axis]) -> list[int]:
    order = [{told: at for at, told in enumerate(data.levels(one))} for one in axes]
    return sorted(data.points, key=lambda p: [places[one.told(p)] for places, one in zip(order, axes, strict=True)])


def _drawn(
    ax: Axes,
    over: Axis,
    points: Sequence[int],
    cells: dict[int, Cell],
    what: Quantity,
    look: tuple[str, str],
    name: str,
    levels: Sequence[str],
    nth: tuple[int, int],
    log: str,
) -> list[dict[str, Any]]:
    """Draws one curve, and returns its rows."""
    ink, mark = look
    rows, drawn, xs, ys, halves = [], [], [], [], []
    rank = {level: at for at, level in enumerate(levels)}
    for point in sorted(points, key=lambda p: rank[over.told(p)]):
        cell = cells[point]
        value = over.values[point]
        if cell["mean"] is None or (over.numeric and value is None):
            continue
        place = rank[over.told(point)] + 0.6 * ((nth[0] + 0.5) / nth[1] - 0.5)
        row = {"point": point, over.name: value if over.numeric else over.told(point), "mean": cell["mean"]}
        rows.append({**row, "ci95": cell["ci95"], "runs": len(cell["values"])})
        if ("y" in log and cell["mean"] <= 0) or ("x" in log and over.numeric and value <= 0):
            continue
        drawn.append(point)
        xs.append(value if over.numeric else place)
        ys.append(cell["mean"] / what.factor)
        half = (cell["ci95"] or 0.0) / what.factor
        # On a logarithmic axis a bar that reaches zero would have no end.
        halves.append((min(half, 0.999 * ys[-1]) if "y" in log else half, half))
    bars = [list(side) for side in zip(*halves, strict=True)] or [[], []]
    style: dict[str, Any] = {"color": ink, "marker": mark, "capsize": 2.2, "elinewidth": 0.9, "label": name}
    if over.numeric:
        ax.errorbar(xs, ys, yerr=bars, linestyle="-", **style)
    else:
        ax.errorbar(ys, xs, xerr=bars, linestyle="", **style)
    for point, x in zip(drawn, xs, strict=True):
        # A mean of two regimes describes no run; the runs themselves are drawn, too.
        values = [value / what.factor for value in cells[point]["values"]] if cells[point].get("regimes") else []
        places = [x] * len(values)
        ax.plot(*((places, values) if over.numeric else (values, places)), color=ink, **SINGLE)
    return rows


def _maps(data: Data, found: dict[str, dict[int, Cell]], over: Axis, up: Axis, outer: list[Axis], log: str) -> Figure:
    sides = list(dict.fromkeys(", ".join(f"{one.short} {one.told(p)}" for one in outer) for p in _sorted(data, outer)))
    if len(sides) * len(found) > PANELS:
        raise RequestError(
            f"nothing to draw: {len(sides) * len(found)} heat maps are too many; choose values with --at "
            f"{outer[0].path}=VALUE (at= in Python)"
        )
    panels = [(path, side) for path in found for side in sides]
    across = min(len(panels), 2)
    rows = -(-len(panels) // across)
    size: dict[str, Any] = {"width": WIDTH if across == 1 else 7.4, "height": 3.0 * rows}
    columns, lines = data.levels(over), data.levels(up)
    told = len(columns) * len(lines) <= TOLD and across == 1
    # Panels of one measure have one scale of colours.
    ends = {}
    for path, cells in found.items():
        known = [cell["mean"] for cell in cells.values() if cell["mean"] is not None]
        ends[path] = min(known), max(known)
    with page(len(panels), rows=rows, **size) as (figure, axes):
        for (path, side), ax in zip(panels, axes, strict=True):
            cells = found[path]
            what = quantity(path, [cell["mean"] for cell in cells.values()], data.carries())
            grid = [[math.nan] * len(columns) for _ in lines]
            halves: dict[tuple[int, int], float | None] = {}
            for point in data.points:
                if ", ".join(f"{one.short} {one.told(point)}" for one in outer) != side or point not in cells:
                    continue
                cell = cells[point]
                at = lines.index(up.told(point)), columns.index(over.told(point))
                if cell["mean"] is not None:
                    grid[at[0]][at[1]] = cell["mean"] / what.factor
                    halves[at] = None if cell["ci95"] is None else cell["ci95"] / what.factor
                    head = {one.name: one.told(point) for one in outer}
                    row = {"measure": path, **head, over.name: over.values[point], up.name: up.values[point]}
                    figure.data.append({**row, "mean": cell["mean"], "ci95": cell["ci95"], "runs": len(cell["values"])})
            low, high = (end / what.factor for end in ends[path])
            drawn = heat(ax, grid, vmin=low, vmax=high)
            ticks(ax, "x", [one.split(" ")[0] for one in columns], first=0.5)
            ticks(ax, "y", [one.split(" ")[0] for one in lines], first=0.5)
            _thin(ax, len(columns), len(lines))
            ax.set_xlabel(over.name)
            ax.set_ylabel(up.name)
            if side:
                ax.set_title(side)
            if len(found) > 1 or ax is axes[-1]:
                bar = figure.colorbar(drawn, ax=[ax] if len(found) > 1 else axes, pad=0.02)
                bar.set_label(what.label)
                bar.outline.set_linewidth(0.7)
            if told:
                _write(ax, grid, halves)
        note = _note(data, found, bars=False)
        if not told:
            widest = [
                c["ci95"] / abs(c["mean"])
                for cells in found.values()
                for c in cells.values()
                if c["ci95"] and c["mean"]
            ]
            if widest:
                note += f" The widest 95 % interval is ± {number(float(f'{100 * max(widest):.2g}'))} % of its mean."
        else:
            note += " In each cell: the mean and the half-width of its 95 % interval." if any(halves.values()) else ""
        finish(figure, axes, data.title, note)
    return figure


def _thin(ax: Axes, columns: int, lines: int) -> None:
    for axis, many, most in ((ax.xaxis, columns, 9), (ax.yaxis, lines, 12)):
        step = -(-many // most)
        for at, text in enumerate(axis.get_ticklabels()):
            text.set_visible(at % step == 0)


def _write(ax: Axes, grid: list[list[float]], halves: dict[tuple[int, int], float | None]) -> None:
    from dupack.words import with_half

    known = [value for row in grid for value in row if not math.isnan(value)]
    middle = (min(known) + max(known)) / 2
    for (i, j), half in halves.items():
        value = grid[i][j]
        text = f"{value:.3g}" if half is None else with_half(value, half).replace(" ± ", "\n± ")
        ink = "white" if value < middle else "black"
        ax.text(j + 0.5, i + 0.5, text, ha="center", va="center", fontsize=5.6, color=ink, linespacing=1.05)


def _note(data: Data, found: dict[str, dict[int, Cell]], *, bars: bool) -> str:
    """The sentence below: what is fixed, how many seeds, what bars are."""
    fixed = data.fixed()
    told = [f"At {fixed}."] if fixed else []
    told.append(f"Means of {data.many}." if data.many != "1 seed" else "A single run of each point.")
    intervals = [cell["ci95"] for cells in found.values() for cell in cells.values()]
    if bars and any(intervals):
        told.append(BARS)
    if any(intervals):
        told += data.few
    if any(cell.get("regimes") for cells in found.values() for cell in cells.values()):
        told.append("Where runs fall into two groups, each run is a dot: the mean describes none of them.")
    missing = sum(cell["mean"] is None for cells in found.values() for cell in cells.values())
    if missing:
        told.append(f"Left out: {missing} points without a value in all of their runs.")
    return " ".join(told)


def _lines(label: str, tall: float) -> str:
    import textwrap

    return "\n".join(textwrap.wrap(label, int(tall * 13)))
