"""Why numbers of the simulator and of the kernel differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

FEW = 20
"""Drops of a run."""
STEPS = 10_000
"""Parts of a distribution of delays."""
KNOWN = {"min": 0.0, "p1": 0.01, "p10": 0.1, "p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999, "max": 1.0}
BELOW = """
Reasons, by their numbers in the last column:

1. In a live run packets and acks are a little late: the router writes them after their ideal times, and receivers
   acknowledge some segments when they read. BBR takes the largest of its measurements of the line's rate, so that noise
   makes it too large. Read with `ss` during live runs at 5 Mb/s and 100 ms: `bw` 4.87 to 4.92 Mb/s, where the line
   carries 4.83 Mb/s of payload. 99 % of that (`bbr_pacing_margin_percent`) is still more than the line carries: a
   standing queue forms, and small buffers overflow. The row is simulated again with such noise. Data has a `jitter`
   with the percentiles of the lateness that the live runs of the row measured, and acks have one with the sum of
   lateness and `ack_delay_s` (straight lines between the percentiles). A late packet holds back those behind it, so
   less is drawn for each than what was measured. Links of cells have no jitter; with BPD, a link of packets without a
   delay of its own follows, and has it.
2. Only drops are outside then, and a live run has fewer than 20, of which a single one is more than 5 %.

In most open rows with BBR at 100 Mb/s, the live numbers are between those of the simulations without and with these
delays. Delays are drawn for each packet by itself there, and have the mean percentiles of five runs; those of a machine
come in groups, and differ from run to run. Whether that is the reason is not known, nor what else differs in open rows.
"""


EDGES = """
[[edge]]
name = "in"
[[edge]]
name = "out"
[[link]]
name = "early"
carries = "packets"
from = "a"
to = "in"
rate = "100 Gb/s"
delay = "0 s"
[[link]]
name = "late"
carries = "packets"
from = "out"
to = "b"
rate = "100 Gb/s"
delay = "0 s"
"""
"""What a plan with a link of cells has besides, so that packets behind that link can be late."""


def lateness(plan: str, gap: float, runs: Sequence[Mapping[str, Any]], folder: Path) -> tuple[str, list[str]]:
    """The ``plan`` with changes that make its packets as late as those of live ``runs``, and its receivers' acks, too.

    Packets leave the line every ``gap`` ms, and every second one is acknowledged. Writes the tables of delays into the
    ``folder``.
    """
    late = _measured([run["lateness"] for run in runs])
    acks = late + np.random.default_rng(1).permutation(_measured([run["ack_delay"] for run in runs]))
    tables = {"jitter": folder / "lateness.txt", "back_jitter": folder / "acks.txt"}
    for table, delays, apart in zip(tables.values(), (late, acks), (gap, 2 * gap), strict=True):
        table.write_text("".join(f"{it:.6f}\n" for it in _own(delays, apart)))
    link = "line"
    if 'carries = "cells"' in plan:
        cells = 'carries = "cells"\nfrom = "a"\nto = "b"'
        plan = plan.replace(cells, 'carries = "cells"\nfrom = "in"\nto = "out"') + EDGES
        link = "late"
    return plan, [f'link.{link}.{way}={{ kind = "table", delays = "{table}" }}' for way, table in tables.items()]


def _own(delays: np.ndarray, apart: float) -> np.ndarray:
    """Delays [ms] to be drawn for each packet, so that those that result are distributed as ``delays``.

    Jitter keeps the order of packets: one that is late holds back the next, which come ``apart`` ms later each. If G is
    the distribution of what is drawn and F that of what results, F(x) = G(x) F(x + apart).
    """
    values = np.sort(delays)
    shares = np.linspace(0.0, 1.0, len(values))
    drawn = np.maximum.accumulate(shares / np.interp(values + apart, values, shares))
    return np.interp(shares, drawn, values)


def _measured(percentiles: Sequence[Mapping[str, float]]) -> np.ndarray:
    """Delays [ms] whose distribution has the means of the runs' ``percentiles``."""
    mean = [1e3 * fmean(run[name] for run in percentiles) for name in KNOWN]
    return np.interp(np.linspace(0.0, 1.0, STEPS + 1), list(KNOWN.values()), mean)
