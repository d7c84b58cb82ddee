"""The specification curve: readings in the order of the claims that agree, and below them the values that they have."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from dupack.reproduce.draw import METADATA, RC
from dupack.reproduce.style import COLOURS

BEST, PLANNED, OTHER = COLOURS["bpd"], COLOURS["epd"], "#8A8F96"


def draw(found: Mapping[str, Any]) -> dict[str, bytes]:
    """The curve as SVG and PNG."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    readings = found["readings"]
    axes = [axis for axis in found["axes"] if len({one["values"][axis["name"]] for one in readings}) > 1]
    rows = [(axis, value) for axis in axes for value in axis["values"]]
    with mpl.rc_context(RC):
        canvas = Figure(figsize=(7.4, 2.2 + 0.155 * len(rows) + 0.08 * len(axes)))
        FigureCanvasAgg(canvas)
        top, below = canvas.subplots(2, 1, sharex=True, height_ratios=[1.7, 0.155 * len(rows) + 0.08 * len(axes) + 0.1])
        xs = range(len(readings))
        colours = [BEST if x == found["best"] else PLANNED if x == found["planned"] else OTHER for x in xs]
        top.scatter(xs, [one["agree"] for one in readings], c=colours, s=14, zorder=3)
        top.set_ylabel(f"claims that agree\n(of {len(found['claims'])})")
        top.yaxis.set_major_locator(MaxNLocator(integer=True))
        best, planned = found["best"], found["planned"]
        # The curve rises: there is room above it on the left, and below it on the right.
        labels = [(best, "best" if best != planned else "best, as planned", BEST, (-3, 4), "right")]
        labels += [(planned, "as planned", PLANNED, (3, -10), "left")] if best != planned else []
        for x, name, colour, offset, side in labels:
            at = (x, readings[x]["agree"])
            top.annotate(name, at, offset, textcoords="offset points", ha=side, color=colour, size=7.5)
        y, ticks, names = 0.0, [], []
        for axis in axes:
            y -= 0.5
            below.text(1.01, y - 0.5 * (len(axis["values"]) + 1), axis["name"], transform=below.get_yaxis_transform(),
                       va="center", size=7.5, weight="bold")  # fmt: skip
            below.axhline(y, color="#DDDDDD", linewidth=0.7)
            for value in axis["values"]:
                y -= 1
                mine = [x for x in xs if readings[x]["values"][axis["name"]] == value["name"]]
                below.scatter(mine, [y] * len(mine), c=[colours[x] for x in mine], s=9, marker="s", linewidths=0)
                ticks.append(y)
                names.append(f"{value['name']} ({value['basis']})")
        below.set_yticks(ticks, names)
        below.set_ylim(y - 0.7, -0.3)
        below.set_xlabel("readings, by the number of claims that agree")
        below.tick_params(axis="x", labelbottom=False)
        below.grid(visible=False)
        pictures = {}
        for kind in ("svg", "png"):
            file = io.BytesIO()
            canvas.savefig(file, format=kind, metadata=METADATA[kind])
            pictures[kind] = file.getvalue()
        return pictures
