"""Why numbers of the simulator and of the kernel differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np

FEW = 20
"""Drops of a run."""
STEPS = 1000
"""Parts of the distribution of lateness."""
KNOWN = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999, "max": 1.0}
BELOW = """
Reasons, by their numbers in the last column:

1. The live router writes packets a little late. BBR takes the largest of its measurements of the line's rate, so that
   noise makes it too large. Read with `ss` during live runs at 5 Mb/s and 100 ms: `bw` 4.87 to 4.92 Mb/s, where the
   line carries 4.83 Mb/s of payload. 99 % of that (`bbr_pacing_margin_percent`) is still more than the line carries: a
   standing queue forms, and small buffers overflow. The row is simulated again with that noise: packets have, in both
   directions, a `jitter` with the percentiles of the lateness that the live runs of the row measured (median, 90th,
   99th and 99.9th percentile and maximum; straight lines between them). What the kernel itself adds, from the device
   to the socket, is neither measured nor simulated. Simulated links of cells have no jitter, so this is not tried with
   BPD.
2. Only drops are outside then, and a live run has fewer than 20, of which a single one is more than 5 %.

What else differs in open rows is not known.
"""


def lateness(runs: Sequence[Mapping[str, float]], table: Path) -> list[str]:
    """Changes of a plan that make its packets as late as those of live ``runs``; writes the ``table`` in them."""
    mean = {name: 1e3 * fmean(run[name] for run in runs) for name in KNOWN}
    shares = np.linspace(0.0, 1.0, STEPS + 1)
    late = np.interp(shares, [0.0, *KNOWN.values()], [0.0, *mean.values()])
    table.write_text("".join(f"{it:.6f}\n" for it in late))
    drawn = f'{{ kind = "table", delays = "{table}" }}'
    return [f"link.line.{way}={drawn}" for way in ("jitter", "back_jitter")]
