"""Why numbers of the simulator and of the kernel differ."""

from __future__ import annotations

from collections.abc import Sequence

FEW = 20
"""Drops of a run."""
BELOW = """
Reasons, by their numbers in the last column:

1. The kernel's BBR overestimates the line a little. Read with `ss` during runs at 5 Mb/s and 100 ms: `bw` 4.87 to
   4.92 Mb/s, where the line carries 4.83 Mb/s of payload, and `mrtt` 104.9 ms after ten seconds instead of 100.2.
   99 % of that (`bbr_pacing_margin_percent`) is still more than the line carries: a standing queue forms, and small
   buffers overflow.
2. With fewer than 20 drops per run, a single drop is more than 5 %.

The reasons say where the senders are known to differ, and not how much of a row they explain. What is left is open.
"""


def reasons(senders: Sequence[str], outside: Sequence[str], drops: float) -> str:
    """The numbers of the reasons below that apply; ``drops`` are those of a live run."""
    found = ["1"] if "bbr" in senders else []
    if "drops" in outside and drops < FEW:
        found.append("2")
    return f"reason{'s' if len(found) > 1 else ''} {', '.join(found)}" if found else ""
