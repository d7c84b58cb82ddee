"""Connections: distributions of completion times by size, and slowdown against size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dupack import _native
from dupack.errors import RequestError
from dupack.plots.canvas import CURVES, WIDTH, finish, looks, page, spine
from dupack.plots.data import Data
from dupack.plots.words import SIZES, scale

if TYPE_CHECKING:
    from dupack.figures import Figure

BOUNDS = (100_000, 10_000_000)
"""The largest short and the largest medium connection [bytes], as in the documents of runs."""
BINS = 12
"""Bins of sizes of a slowdown curve, each with the same number of connections."""
FEWEST = 20
"""The fewest connections of a bin."""
SHARES = {"p50": 0.5, "p99": 0.99}
PLACES = 200
"""The most steps of a distribution that are drawn."""

Runs = dict[int, list[Any]]
"""The values of each run, by seed."""


class Group:
    """The connections of a curve: those that began after warm-up."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.runs: dict[tuple[int, int], list[tuple[int, float, float]]] = {}
        """Per run, size, completion time and slowdown of each that ended."""
        self.open: list[int] = []
        """The sizes of those that had not ended."""


def groups(data: Data, flow: str | None) -> tuple[list[Group], bool]:
    """The connections by point of the sweep and flow, and whether the names are ordered numbers.

    Raises:
        RequestError: There are none.
    """
    if not data.connects():
        raise RequestError(
            f"nothing to draw: {data.where or data.title} has no table of connections; flows with `arrivals` have one, "
            "in a store of `dupack sweep` and in Python"
        )
    found = data.record()
    flows = list(dict.fromkeys(found["flow"]))
    if flow is not None and flow not in flows:
        raise RequestError(f"flow: {flow!r} has no connections; known: {', '.join(flows)}")
    chosen = [flow] if flow is not None else flows
    axes = data.axes()
    made: dict[str, Group] = {}
    for point in data.points:
        for one in chosen:
            told = [axis.told(point) if axis.numeric is False else f"{axis.short} {axis.told(point)}" for axis in axes]
            name = ", ".join([*told, *([one] if len(chosen) > 1 else [])])
            made.setdefault(f"{point} {one}", Group(name))
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
    if len(kept) > CURVES:
        wide = axes[0].path if axes else ""
        raise RequestError(
            f"nothing to draw: {len(kept)} curves are too many; choose values with --at {wide}=VALUE (at= in Python)"
        )
    return kept, len(axes) == 1 and axes[0].numeric


def distribution(data: Data, *, tail: bool = False, flow: str | None = None, of: str = "completion_s") -> Figure:
    """The distribution of completion times (or of slowdowns), a panel per size.

    Args:
        data: Runs with a table of connections.
        tail: Whether to draw the part above (CCDF) on a logarithmic axis, instead of the part below (CDF).
        flow: Name of the flow; by default all.
        of: ``"completion_s"`` or ``"slowdown"``.
    """
    found, ordered = groups(data, flow)
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
    panels = 1 if alone else len(sizes)
    inks = looks([SIZES[size] for size in sizes] if alone else [group.name for group in found], ordered=ordered)
    size_: dict[str, Any] = {"width": WIDTH if panels == 1 else min(6.7, 2.2 * panels + 0.4), "height": 2.5}
    several = False
    with page(panels, rows=1, sharey="all", **size_) as (figure, axes):
        for place, size in enumerate(sizes):
            ax = axes[0] if alone else axes[place]
            for nth, group in enumerate(found):
                runs = [sorted(one[at] for one in run if _bin(one[0]) == size) for run in group.runs.values()]
                runs = [run for run in runs if run]
                if not runs:
                    continue
                ink, _ = inks[place if alone else nth]
                name = SIZES[size] if alone else group.name
                xs = _places([value for run in runs for value in run])
                rows = [_share(runs, x, tail=tail) for x in xs]
                several |= len(runs) > 1
                # A logarithmic axis has no zero.
                keep = [i for i, (mean, _) in enumerate(rows) if not tail or mean > 0]
                if not keep:
                    continue
                # Below the smallest value no connection counts, or in a tail all do.
                ends = [(xs[0], (1.0 if tail else 0.0, 0.0)), *((xs[i], rows[i]) for i in keep)]
                if tail:
                    # The last step ends at the largest value, where none is left.
                    ends.append((xs[-1], rows[keep[-1]]))
                told = [x / factor for x, _ in ends]
                ys = [mean for _, (mean, _) in ends]
                ax.plot(told, ys, color=ink, label=name, drawstyle="steps-post", linewidth=1.2)
                if len(runs) > 1:
                    low = [max(mean - half, mean / 30 if tail else 0.0) for _, (mean, half) in ends]
                    high = [min(mean + half, 1.0) for _, (mean, half) in ends]
                    ax.fill_between(told, low, high, color=ink, alpha=0.13, linewidth=0, step="post")
                head = {"group": group.name, "size": SIZES[size]}
                for x, (mean, half) in zip(xs, rows, strict=True):
                    row = {**head, of: x, "ccdf" if tail else "cdf": mean}
                    figure.data.append({**row, "ci95": half if len(runs) > 1 else None, "runs": len(runs)})
            if not alone:
                ax.set_title(f"{SIZES[size]}")
        for ax in axes:
            drawn = [value for line in ax.lines for value in line.get_xdata()]
            spine(ax, "x", log=True, reach=drawn)
            ax.set_xlabel(label)
            if tail:
                parts = [value for line in ax.lines for value in line.get_ydata() if value > 0]
                spine(ax, "y", log=True, reach=[min(parts, default=0.1), 1])
                ax.set_ylim(min(parts, default=0.1) / 1.5, 1.2)
            else:
                ax.set_ylim(0, 1.02)
        axes[0].set_ylabel("fraction above" if tail else "fraction of connections")
        note = _note(data, found, "Bands" if several else "")
        single = [SIZES[size] for size, count in enumerate(counts) if count == 1]
        if single:
            note += f" Left out, as all are equal there: {', '.join(single)}."
        finish(figure, axes, data.title, note)
    return figure


def slowdown(data: Data, *, flow: str | None = None) -> Figure:
    """Slowdown against size: median and 99th percentile of bins with equal numbers of connections."""
    found, ordered = groups(data, flow)
    inks = looks([group.name for group in found], ordered=ordered)
    edges = _edges([one[0] for group in found for run in group.runs.values() for one in run])
    several = False
    with page(2, rows=1, width=6.6, height=2.6, sharex="all") as (figure, axes):
        for ax, (share, quantile) in zip(axes, SHARES.items(), strict=True):
            for group, (ink, mark) in zip(found, inks, strict=True):
                xs, ys, halves = [], [], []
                for low, high in pairwise(edges):
                    runs = [[one for one in run if low < one[0] <= high] for run in group.runs.values()]
                    sizes = [one[0] for run in runs for one in run]
                    told = [percentile([one[2] for one in run], quantile) for run in runs if run]
                    if not told:
                        continue
                    mean, half = _native.mean_ci95(told)
                    several |= half is not None
                    middle = _middle([float(size) for size in sizes])
                    xs.append(middle)
                    ys.append(mean)
                    halves.append(half or 0.0)
                    row = {"group": group.name, "above_bytes": low, "up_to_bytes": high, "median_bytes": middle}
                    row |= {"share": share, "slowdown": mean, "ci95": half, "runs": len(told)}
                    figure.data.append({**row, "connections": len(sizes)})
                bars = [
                    [min(half, 0.999 * (y - 1) if y > 1 else 0) for y, half in zip(ys, halves, strict=True)],
                    halves,
                ]
                ax.errorbar(
                    xs, ys, yerr=bars, color=ink, marker=mark, markersize=3, capsize=2, elinewidth=0.8, label=group.name
                )
            ax.set_title("median" if share == "p50" else "99th percentile")
            drawn = [float(row["slowdown"]) for row in figure.data if row["share"] == share]
            sizes_ = [row["median_bytes"] for row in figure.data]
            spine(ax, "x", log=True, reach=sizes_)
            spine(ax, "y", log=True, reach=[1.0, *drawn])
            ends = [row["slowdown"] + (row["ci95"] or 0.0) for row in figure.data if row["share"] == share]
            ax.set_ylim(0.95, 1.12 * max(ends))
            _bytes(ax)
            ax.set_xlabel("size")
        axes[0].set_ylabel("slowdown")
        finish(figure, axes, data.title, _note(data, found, "Bars" if several else ""))
    return figure


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


def _edges(sizes: list[int]) -> list[int]:
    """Bounds of bins with about equal numbers of connections; equal sizes are in one bin."""
    ordered = sorted(sizes)
    many = max(1, min(BINS, len(ordered) // FEWEST))
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
        told.append(f"{marks}: 95 % intervals between seeds.")
    return " ".join(told)
