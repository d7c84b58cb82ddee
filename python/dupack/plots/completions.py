"""Connections: distributions of completion times by size, and slowdown against size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

from dupack import _native
from dupack.errors import RequestError
from dupack.plots.canvas import CURVES, PANELS, WIDTH, finish, looks, page, spine
from dupack.plots.data import Data
from dupack.plots.words import SIZES, scale

if TYPE_CHECKING:
    from dupack.figures import Figure

BOUNDS = (100_000, 10_000_000)
"""The largest short and the largest medium connection [bytes], as in the documents of runs."""
BINS = 12
"""Bins of sizes of a slowdown curve, each with the same number of connections."""
FEWEST = 20
"""The fewest connections of a bin, for each curve."""
READABLE = 4
"""The most curves of a panel, if there is a choice."""
SHARES = {"p50": 0.5, "p99": 0.99}
ROW = 1.75
"""Height of a row of panels [in]."""
PLACES = 200
"""The most steps of a distribution that are drawn."""

Runs = dict[int, list[Any]]
"""The values of each run, by seed."""


@dataclass
class Group:
    """The connections of a curve: those that began after warm-up."""

    name: str
    """What it is called in the data of the figure."""
    at: dict[str, str]
    """Its value of each axis that varies, and its flow if there are several."""
    runs: dict[tuple[int, int], list[tuple[int, float, float]]] = field(default_factory=dict)
    """Per run, size, completion time and slowdown of each that ended."""
    open: list[int] = field(default_factory=list)
    """The sizes of those that had not ended."""


@dataclass
class Multiples:
    """Curves in rows of panels: one axis gives the curves, each combination of the others a row."""

    rows: dict[str, list[Group]]
    """The curves of each row, by its title, which is empty if there is one row only."""
    looks: dict[str, tuple[str, str]]
    """Colour and mark of each curve, by its name in the legend."""
    labels: dict[str, str]
    """The name in the legend of each group."""
    names: str
    """Title of the legend."""

    @property
    def groups(self) -> list[Group]:
        """All groups."""
        return [group for row in self.rows.values() for group in row]

    def look(self, group: Group) -> tuple[str, str]:
        """Colour and mark of a group."""
        return self.looks[self.labels[group.name]]

    def title(self, row: str, panel: str) -> str:
        """The title of a panel."""
        return f"{row}: {panel}" if row else panel


@dataclass(frozen=True)
class Side:
    """An axis of the sweep, or the flows."""

    name: str
    levels: list[str]
    numeric: bool

    def told(self, group: Group) -> str:
        """A value of it, with its name if that is a number."""
        return f"{self.name} {group.at[self.name]}" if self.numeric else group.at[self.name]


def groups(data: Data, flow: str | None, across: int) -> Multiples:
    """The connections by point of the sweep and flow, in rows of this many panels.

    Raises:
        RequestError: There are none.
    """
    if not data.connects():
        raise RequestError(
            f"nothing to draw: {data.where or data.title} has no table of connections; flows with `arrivals` have one, "
            "in Python and in a store: `dupack sweep PLAN --out store` writes one, also of a single run (--seeds 1)"
        )
    found = data.record()
    flows = list(dict.fromkeys(found["flow"]))
    if flow is not None and flow not in flows:
        raise RequestError(f"flow: {flow!r} has no connections; known: {', '.join(flows)}")
    chosen = [flow] if flow is not None else flows
    axes = data.axes()
    sides = [Side(axis.short, data.levels(axis), axis.numeric) for axis in axes]
    sides += [Side("flow", chosen, numeric=False)] if len(chosen) > 1 else []
    made: dict[str, Group] = {}
    for point in data.points:
        for one in chosen:
            group = Group("", {**{axis.short: axis.told(point) for axis in axes}, "flow": one})
            group.name = ", ".join(side.told(group) for side in sides)
            made.setdefault(f"{point} {one}", group)
    for point, seed, whose, measured, size, took, slowdown in zip(
        found["point"],
        found["seed"],
        found["flow"],
        found["measured"],
        found["size_bytes"],
        found["completion_s"],
        found["slowdown"],
        strict=True,
    ):
        if point in data.kept and whose in chosen and measured:
            group = made[f"{point} {whose}"]
            group.runs.setdefault((point, seed), [])
            if took is None:
                group.open.append(size)
            else:
                group.runs[point, seed].append((size, took, slowdown))
    kept = [group for group in made.values() if any(group.runs.values())]
    if not kept:
        raise RequestError("nothing to draw: no connection that began after warm-up has ended")
    return _multiples(kept, sides, across, axes[0].path if axes else "")


def _multiples(kept: list[Group], sides: list[Side], across: int, wide: str) -> Multiples:
    """One axis, words before numbers, gives the curves of all panels: they have few curves, which can be told apart."""
    inner, rows = None, 1
    for side in sorted(sides, key=lambda one: (len(one.levels) > READABLE, one.numeric, -len(one.levels))):
        rows = math.prod(len(one.levels) for one in sides if one is not side)
        if len(side.levels) <= CURVES and rows * (across if rows > 1 else 1) <= PANELS:
            inner = side
            break
    if sides and inner is None:
        raise RequestError(
            f"nothing to draw: {len(kept)} curves are too many; choose values with --at {wide}=VALUE (at= in Python)"
        )
    outer = [side for side in sides if side is not inner]
    order = sorted(kept, key=lambda group: [side.levels.index(group.at[side.name]) for side in outer])
    made: dict[str, list[Group]] = {}
    for group in order:
        made.setdefault(", ".join(f"{side.name} {group.at[side.name]}" for side in outer), []).append(group)
    # With other axes in the titles, the name of this one is the title of the legend.
    labels = {group.name: group.at[inner.name] if outer and inner else group.name for group in kept}
    levels = {labels[group.name]: inner.levels.index(group.at[inner.name]) if inner else 0 for group in kept}
    names = sorted(levels, key=levels.__getitem__)
    inks = looks(names, ordered=bool(inner and inner.numeric))
    return Multiples(made, dict(zip(names, inks, strict=True)), labels, inner.name if outer and inner else "")


def distribution(data: Data, *, tail: bool = False, flow: str | None = None, of: str = "completion_s") -> Figure:
    """The distribution of completion times (or of slowdowns), a panel per size.

    Args:
        data: Runs with a table of connections.
        tail: Whether to draw the part above (CCDF) on a logarithmic axis, instead of the part below (CDF).
        flow: Name of the flow; by default all.
        of: ``"completion_s"`` or ``"slowdown"``.
    """
    arranged = groups(data, flow, len(SIZES))
    found = arranged.groups
    at = 1 if of == "completion_s" else 2
    counts = [
        max(len({one[at] for run in group.runs.values() for one in run if _bin(one[0]) == size}) for group in found)
        for size in range(len(SIZES))
    ]
    # A single value has no distribution.
    sizes = [size for size, count in enumerate(counts) if count > 1]
    if not sizes:
        raise RequestError(
            "nothing to draw: no two connections of the same range of sizes have ended with different "
            f"{'completion times' if at == 1 else 'slowdowns'}"
        )
    alone = len(found) == 1
    values = [one[at] for group in found for run in group.runs.values() for one in run]
    factor, unit = scale([_middle(values)], "time") if at == 1 else (1.0, "")
    label = f"completion time [{unit}]" if at == 1 else "slowdown"
    across, rows = 1 if alone else len(sizes), len(arranged.rows)
    of_size = looks([SIZES[size] for size in sizes])
    shape: dict[str, Any] = {"width": WIDTH if across == 1 else min(6.7, 2.2 * across + 0.4)}
    shape |= {
        "height": 2.5 if rows == 1 else 0.4 + ROW * rows,
        "sharey": "all",
        "sharex": "col" if rows > 1 else "none",
    }
    several = False
    with page(across * rows, rows=rows, **shape) as (figure, axes):
        for ax, (row, (place, size)) in zip(
            axes if not alone else axes * len(sizes), product(arranged.rows, enumerate(sizes)), strict=True
        ):
            for group in arranged.rows[row]:
                runs = [sorted(one[at] for one in run if _bin(one[0]) == size) for run in group.runs.values()]
                runs = [run for run in runs if run]
                if not runs:
                    continue
                several |= len(runs) > 1
                ink, _ = of_size[place] if alone else arranged.look(group)
                name = SIZES[size] if alone else arranged.labels[group.name]
                told = _distribution(ax, runs, factor, ink, name, tail=tail)
                for x, mean, half in told:
                    head = {"group": group.name, "size": SIZES[size], of: x, "ccdf" if tail else "cdf": mean}
                    figure.data.append({**head, "ci95": half if len(runs) > 1 else None, "runs": len(runs)})
            if not alone:
                ax.set_title(arranged.title(row, SIZES[size]))
        for at_, ax in enumerate(axes):
            # A column has one scale.
            column = [other for other in axes[at_ % across :: across] if rows > 1] or [ax]
            spine(
                ax, "x", log=True, reach=[value for one in column for line in one.lines for value in line.get_xdata()]
            )
            if at_ >= across * (rows - 1):
                ax.set_xlabel(label)
            if at_ % across == 0:
                ax.set_ylabel("fraction above" if tail else "fraction of connections")
        _of_parts(axes, tail=tail)
        note = _note(data, found, "Bands" if several else "")
        single = [SIZES[size] for size, count in enumerate(counts) if count == 1]
        if single:
            note += f" Left out, as all are equal there: {', '.join(single)}."
        finish(figure, axes, data.title, note, names=arranged.names)
    return figure


def _distribution(
    ax: Any, runs: list[list[float]], factor: float, ink: str, name: str, *, tail: bool
) -> list[tuple[float, float, float]]:
    """Draws a curve with its band; returns its values, with the mean and the half-width at each."""
    xs = _places([value for run in runs for value in run])
    rows = [_share(runs, x, tail=tail) for x in xs]
    # A logarithmic axis has no zero.
    keep = [i for i, (mean, _) in enumerate(rows) if not tail or mean > 0]
    if not keep:
        return []
    # Below the smallest value no connection counts, or in a tail all do.
    ends = [(xs[0], (1.0 if tail else 0.0, 0.0)), *((xs[i], rows[i]) for i in keep)]
    if tail:
        # The last step ends at the largest value, where none is left.
        ends.append((xs[-1], rows[keep[-1]]))
    told = [x / factor for x, _ in ends]
    ax.plot(told, [mean for _, (mean, _) in ends], color=ink, label=name, drawstyle="steps-post", linewidth=1.2)
    if len(runs) > 1:
        low = [max(mean - half, mean / 30 if tail else 0.0) for _, (mean, half) in ends]
        high = [min(mean + half, 1.0) for _, (mean, half) in ends]
        ax.fill_between(told, low, high, color=ink, alpha=0.13, linewidth=0, step="post")
    return [(x, mean, half) for x, (mean, half) in zip(xs, rows, strict=True)]


def _of_parts(axes: Sequence[Any], *, tail: bool) -> None:
    """The vertical axes of distributions, all with one scale."""
    least = min((value for ax in axes for line in ax.lines for value in line.get_ydata() if value > 0), default=0.1)
    for ax in axes:
        if tail:
            spine(ax, "y", log=True, reach=[least, 1])
            ax.set_ylim(least / 1.5, 1.2)
        else:
            spine(ax, "y")
            ax.set_ylim(0, 1.02)


def slowdown(data: Data, *, flow: str | None = None) -> Figure:
    """Slowdown against size: median and 99th percentile of bins with equal numbers of connections."""
    arranged = groups(data, flow, len(SHARES))
    found = arranged.groups
    edges = _edges([one[0] for group in found for run in group.runs.values() for one in run], len(found))
    rows = len(arranged.rows)
    shape: dict[str, Any] = {"width": 6.6, "height": 2.6 if rows == 1 else 0.4 + ROW * rows, "sharex": "all"}
    marks = set()
    with page(len(SHARES) * rows, rows=rows, **shape) as (figure, axes):
        for ax, (row, (share, quantile)) in zip(axes, product(arranged.rows, SHARES.items()), strict=True):
            for group in arranged.rows[row]:
                told = _binned(group, edges, quantile)
                for one in told:
                    figure.data.append({"group": group.name, "share": share, **one})
                marks |= {_curve(ax, told, arranged.look(group), arranged.labels[group.name])}
            ax.set_title(arranged.title(row, "median" if share == "p50" else "99th percentile"))
        for at, ax in enumerate(axes):
            of = [row for row in figure.data if row["share"] == list(SHARES)[at % len(SHARES)]]
            spine(ax, "x", log=True, reach=[row["median_bytes"] for row in figure.data])
            spine(ax, "y", log=True, reach=[1.0, *(float(row["slowdown"]) for row in of)])
            ax.set_ylim(0.95, 1.12 * max(row["slowdown"] + (row["ci95"] or 0.0) for row in of))
            _bytes(ax)
            if at >= len(SHARES) * (rows - 1):
                ax.set_xlabel("size")
            if at % len(SHARES) == 0:
                ax.set_ylabel("slowdown")
        told_ = " and ".join(sorted(marks - {""})).capitalize()
        finish(figure, axes, data.title, _note(data, found, told_), names=arranged.names)
    return figure


def _binned(group: Group, edges: Sequence[int], quantile: float) -> list[dict[str, Any]]:
    """A percentile of the slowdowns of each bin: the mean over the runs, and the half-width of its interval."""
    made = []
    for low, high in pairwise(edges):
        runs = [[one for one in run if low < one[0] <= high] for run in group.runs.values()]
        sizes = [float(one[0]) for run in runs for one in run]
        told = [percentile([one[2] for one in run], quantile) for run in runs if run]
        if told:
            mean, half = _native.mean_ci95(told)
            row = {"above_bytes": low, "up_to_bytes": high, "median_bytes": _middle(sizes), "slowdown": mean}
            made.append({**row, "ci95": half, "runs": len(told), "connections": len(sizes)})
    return made


def _curve(ax: Any, told: Sequence[dict[str, Any]], look: tuple[str, str], name: str) -> str:
    """Draws slowdowns with a band, or a bar if there is one only; returns which of them."""
    ink, mark = look
    xs, ys = [row["median_bytes"] for row in told], [row["slowdown"] for row in told]
    halves = [row["ci95"] or 0.0 for row in told]
    lows = [y - min(half, 0.999 * (y - 1) if y > 1 else 0) for y, half in zip(ys, halves, strict=True)]
    highs = [y + half for y, half in zip(ys, halves, strict=True)]
    ax.plot(xs, ys, color=ink, marker=mark, markersize=3, label=name)
    if not any(row["ci95"] is not None for row in told):
        return ""
    if len(told) == 1:
        ax.vlines(xs, lows, highs, color=ink, linewidth=0.8)
        return "bars"
    ax.fill_between(xs, lows, highs, color=ink, alpha=0.13, linewidth=0)
    return "bands"


def _bytes(ax: Any) -> None:
    """Sizes on a logarithmic axis: 10 kB, 1 MB."""
    from matplotlib.ticker import FuncFormatter

    ax.xaxis.set_major_formatter(FuncFormatter(_size))


def _size(value: float, _: int | None) -> str:
    # A function of the module, so that figures can be pickled.
    factor, unit = next(((f, u) for f, u in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")) if value >= f * 0.999), (1, "B"))
    return f"{value / factor:.3g} {unit}"


def _bin(size: int) -> int:
    return sum(size > bound for bound in BOUNDS)


def _middle(values: Sequence[float]) -> float:
    return percentile(list(values), 0.5)


def percentile(values: list[float], share: float) -> float:
    """The smallest value that is not below this share of the values, as in the documents of runs."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)) - 1, 0)]


def _places(values: list[float]) -> list[float]:
    """The values at which a distribution steps, or enough of them that no step is above 1/200; all of the tail."""
    ordered = sorted(values)
    if len(ordered) <= PLACES:
        return ordered
    shares = [i / PLACES for i in range(PLACES)]
    shares += [1 - 10 ** (-2 - i / 20) for i in range(20 * 8) if 10 ** (-2 - i / 20) * len(ordered) >= 1]
    at = sorted({min(int(share * len(ordered)), len(ordered) - 1) for share in shares} | {len(ordered) - 1})
    return [ordered[i] for i in at]


def _share(runs: Sequence[Sequence[float]], x: float, *, tail: bool) -> tuple[float, float]:
    """The part of the connections up to ``x`` (or above it): mean over the runs, and half of its 95 % interval."""
    from bisect import bisect_right

    parts = [bisect_right(run, x) / len(run) for run in runs]
    parts = [1 - part for part in parts] if tail else parts
    mean, half = _native.mean_ci95(parts)
    return mean, half or 0.0


def _edges(sizes: list[int], curves: int) -> list[int]:
    """Bounds of bins with about equal numbers of connections of all curves; equal sizes are in one bin."""
    ordered = sorted(sizes)
    many = max(1, min(BINS, len(ordered) // (FEWEST * curves)))
    found = [ordered[min(len(ordered) * i // many, len(ordered) - 1)] for i in range(1, many)]
    return sorted({0, *found, ordered[-1]})


def _note(data: Data, found: Sequence[Group], marks: str) -> str:
    ended = [size for group in found for run in group.runs.values() for size, *_ in run]
    still = [size for group in found for size in group.open]
    fixed = data.fixed()
    told = [f"At {fixed}."] if fixed else []
    told.append(f"{len(ended):,} connections that began after warm-up, {data.many}.")
    if still:
        middle = _middle([float(size) for size in ended])
        long = 2 * sum(size > middle for size in still) > len(still)
        told.append(
            f"Another {len(still):,} {'was' if len(still) == 1 else 'were'} open at the end and left out"
            f"{'; they are mostly long' if long else ''}."
        )
    if marks:
        told += [f"{marks}: 95 % intervals between seeds.", *data.few]
    return " ".join(told)
