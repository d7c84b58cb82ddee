"""Delay against goodput, an ellipse per alternative, as Winstein and Balakrishnan (2013) draw them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dupack.errors import RequestError
from dupack.plots.canvas import CURVES, finish, looks, page, spine
from dupack.plots.data import Data
from dupack.plots.words import quantity

if TYPE_CHECKING:
    from dupack.figures import Figure

Ellipse = tuple[float, float, float]
"""Lengths of both axes, and the angle of the first [degrees]."""


def ellipse(xs: Sequence[float], ys: Sequence[float]) -> Ellipse | None:
    """The ellipse of one standard deviation of the normal distribution that is most likely for these points.

    None for fewer than three points.
    """
    n = len(xs)
    if n < 3:
        return None
    x, y = sum(xs) / n, sum(ys) / n
    xx = sum((one - x) ** 2 for one in xs) / n
    yy = sum((one - y) ** 2 for one in ys) / n
    xy = sum((one - x) * (other - y) for one, other in zip(xs, ys, strict=True)) / n
    middle, spread = (xx + yy) / 2, math.hypot((xx - yy) / 2, xy)
    angle = math.degrees(0.5 * math.atan2(2 * xy, xx - yy))
    return 2 * math.sqrt(max(middle + spread, 0.0)), 2 * math.sqrt(max(middle - spread, 0.0)), angle


def _moments(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float, float]:
    """Both standard deviations, and the correlation."""
    n = len(xs)
    x, y = sum(xs) / n, sum(ys) / n
    deviations = [(one - x, other - y) for one, other in zip(xs, ys, strict=True)]
    sigmas = [math.sqrt(sum(one[i] ** 2 for one in deviations) / n) for i in (0, 1)]
    both = sum(a * b for a, b in deviations) / n
    return sigmas[0], sigmas[1], both / (sigmas[0] * sigmas[1]) if all(sigmas) else 0.0


def tradeoff(data: Data, *, delay: str | None = None, goodput: str | None = None) -> Figure:
    """Delay against goodput: a dot per flow and run, and per point of the sweep an ellipse of one standard deviation.

    Args:
        data: Runs.
        delay: Path of a measure of delay; by default the mean RTT of each flow.
        goodput: Path of a measure of goodput; by default that of each flow.

    Raises:
        RequestError: There is nothing to draw.
    """
    axes_ = data.axes()
    names = {
        p: ", ".join(one.told(p) if not one.numeric else f"{one.short} {one.told(p)}" for one in axes_)
        for p in data.points
    }
    if len(names) > CURVES:
        raise RequestError(
            f"nothing to draw: {len(names)} ellipses are too many; choose values with --at {axes_[0].path}=VALUE "
            "(at= in Python)"
        )
    dots: dict[int, list[tuple[float, float]]] = {point: [] for point in data.points}
    each = delay is None and goodput is None
    if each:
        for row in data.rows("flows"):
            if row["point"] in dots and row["mean_rtt_s"] is not None:
                dots[row["point"]].append((row["mean_rtt_s"], row["goodput_bps"]))
        delay, goodput = "flows.*.mean_rtt_s", "flows.*.goodput_bps"
    else:
        delay = data.measure(delay or "flows.*.mean_rtt_s")
        goodput = data.measure(goodput or "summary.goodput_bps")
        late, good = data.estimates(delay), data.estimates(goodput)
        for point in dots:
            both = zip(late[point]["values"], good[point]["values"], strict=True)
            dots[point] = [(a, b) for a, b in both if a is not None and b is not None]
    if not any(dots.values()):
        raise RequestError(f"nothing to draw: no run has both {delay} and {goodput}")
    across = quantity(delay, [x for mine in dots.values() for x, _ in mine])
    up = quantity(goodput, [y for mine in dots.values() for _, y in mine])
    inks = looks(list(names.values()), ordered=len(axes_) == 1 and axes_[0].numeric)
    from matplotlib.patches import Ellipse as Patch

    ellipses = False
    with page(1, height=3.1) as (figure, (ax,)):
        for (point, name), (ink, mark) in zip(names.items(), inks, strict=True):
            xs = [x / across.factor for x, _ in dots[point]]
            ys = [y / up.factor for _, y in dots[point]]
            if not xs:
                continue
            ax.plot(xs, ys, linestyle="", marker=".", markersize=4.5, color=ink, alpha=0.6, markeredgewidth=0)
            middle = sum(xs) / len(xs), sum(ys) / len(ys)
            found = ellipse(xs, ys)
            if found:
                ellipses = True
                shape = {"width": found[0], "height": found[1], "angle": found[2]}
                ax.add_patch(Patch(middle, **shape, facecolor=ink, alpha=0.16, linewidth=0))
                ax.add_patch(Patch(middle, **shape, fill=False, edgecolor=ink, linewidth=1.0))
            ax.plot(*[[one] for one in middle], marker=mark, color=ink, linestyle="", label=name or data.title)
            head = {"group": name, "runs": len(data.seeds(point))}
            for x, y in dots[point]:
                figure.data.append({**head, "kind": "dot", across.column: x, up.column: y})
            mean = {across.column: middle[0] * across.factor, up.column: middle[1] * up.factor}
            if found:
                # In base units the ellipse has other axes.
                whole = [[x for x, _ in dots[point]], [y for _, y in dots[point]]]
                mean |= dict(zip(("sigma_x", "sigma_y", "correlation"), _moments(*whole), strict=True))
            figure.data.append({**head, "kind": "mean", **mean})
        spine(ax, "x")
        spine(ax, "y")
        ax.margins(0.12)
        # Better is up and to the right, as in the paper.
        ax.invert_xaxis()
        ax.set_xlabel(f"{across.label}, less to the right")
        ax.set_ylabel(up.label)
        dot = "Small dots: flows of single runs" if each else "Small dots: single runs"
        fixed = f"At {data.fixed()}. " if data.fixed() else ""
        shown = f"{fixed}{dot}, {data.many}. "
        shown += "Ellipses: one standard deviation around the mean. " if ellipses else "Large: the mean. "
        if any(0 < len(mine) < 3 for mine in dots.values()):
            shown += "Fewer than three dots have no ellipse. "
        shown += "Better is up and to the right."
        finish(figure, [ax], data.title, shown)
    return figure
