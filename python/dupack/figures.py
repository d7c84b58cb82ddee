"""A figure for notebooks and files. It needs matplotlib: `dupack.plots` imports it when a figure is drawn."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure as Base

from dupack.reproduce.draw import RC


class Figure(Base):
    """A figure that a notebook displays without pyplot. A saved SVG has the same bytes for the same numbers."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Saves the figure as matplotlib does; an SVG without the date, and with text as text."""
        name = fname if isinstance(fname, (str, Path)) else ""
        if (options.get("format") or Path(name).suffix.removeprefix(".")) == "svg":
            options["metadata"] = {"Date": None, "Creator": "dupack", **options.get("metadata", {})}
        fixed = {key: RC[key] for key in ("svg.fonttype", "svg.hashsalt")}
        with mpl.rc_context(fixed):  # type: ignore[arg-type]
            super().savefig(fname, **options)

    def _repr_png_(self) -> bytes:
        drawn = io.BytesIO()
        self.savefig(drawn, format="png", dpi=110, bbox_inches="tight")
        return drawn.getvalue()
