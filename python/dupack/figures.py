"""A figure for notebooks. It needs matplotlib: `dupack.plots` imports it when a figure is drawn."""

from __future__ import annotations

import io

from matplotlib.figure import Figure as Base


class Figure(Base):
    """A figure that a notebook displays without pyplot."""

    def _repr_png_(self) -> bytes:
        drawn = io.BytesIO()
        self.savefig(drawn, format="png", dpi=110, bbox_inches="tight")
        return drawn.getvalue()
