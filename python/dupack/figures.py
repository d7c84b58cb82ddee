"""A figure that notebooks show. Needs matplotlib: `dupack.plots` imports it when something is drawn."""

from __future__ import annotations

import io

from matplotlib.figure import Figure as Base


class Figure(Base):
    """A figure that shows itself in a notebook: pyplot, which would see to that, is not there."""

    def _repr_png_(self) -> bytes:
        drawn = io.BytesIO()
        self.savefig(drawn, format="png", dpi=110, bbox_inches="tight")
        return drawn.getvalue()
