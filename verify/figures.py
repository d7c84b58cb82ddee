"""Figures of the page: SVG whose bytes depend only on what is drawn."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.typing import RcKeyType

STYLE: dict[RcKeyType, Any] = {
    "svg.hashsalt": "dupack",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def panels(across: int, down: int = 1, *, width: float = 4.2, height: float = 3.4) -> tuple[Any, Any]:
    """A matplotlib Figure and its axes, without a window."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width * across, height * down), layout="constrained")
        return figure, figure.subplots(down, across, squeeze=False)


def svg(figure: Any) -> str:
    """A Figure as a file."""
    import matplotlib as mpl

    with mpl.rc_context(STYLE):
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()
