"""The papers that dupack knows."""

from __future__ import annotations

from dupack.reproduce.paper import Paper


def all_papers() -> list[Paper]:
    """All papers, in the order of the README."""
    from dupack.reproduce import (
        chan_wang_chen_2002,
        cohen_hamo_2001,
        keshav_morgan_1997,
        lai_lin_hung_1999,
        viswanathan_kamal,
    )

    return [
        cohen_hamo_2001.PAPER,
        keshav_morgan_1997.PAPER,
        viswanathan_kamal.PAPER,
        chan_wang_chen_2002.PAPER,
        lai_lin_hung_1999.PAPER,
    ]
