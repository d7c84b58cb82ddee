"""How late Linux in a process is.

Echo answers that pass the delay of acks are timed, and acks of a plan are made as late.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from verify import uml
from verify.linux_cases import PING_S, Case, Flow, Variant, fifo

TABLES = Path("out/verify")
RTT_MS = 30
REPETITIONS = 8
DURATION_S = 10
PINGS = round(REPETITIONS * DURATION_S / PING_S)
"""About as many in all runs."""
Runs = Sequence[Mapping[str, Any]]
"""Of Linux in a process."""
LONGEST = 99
"""Percentile above which delays are left out: such ones come in groups, but a plan draws each by itself."""


def asked(repetition: int) -> dict[str, object]:
    """A run with two CUBIC flows through a FIFO, and echo requests beside them."""
    flows = (Flow("cubic", RTT_MS),) * 2
    return Case(10, fifo(50), flows, ecn=False, warm_up=2, duration=DURATION_S, timed=True).asked(repetition)


@cache
def late_us() -> list[float]:
    """The percentiles from 0 to 100 [us], the median of each over the runs; those that are missing are made."""
    return of_runs(uml.made([asked(n) for n in range(1, REPETITIONS + 1)], uml.Store()))


def of_runs(runs: Runs) -> list[float]:
    """The percentiles that runs with echo requests have measured [us]; of each, the median over the runs."""
    found = [flow["late_us"] for run in runs for flow in run["flows"] if "late_us" in flow]
    # Medians, as those of the numbers that are compared: in some runs this machine is held up more often.
    return [median(values) for values in zip(*found, strict=True)]


def late(case: Case, runs: Runs) -> Variant:
    """Acks that are as late as answers were, in the runs of this case if these are timed, or else in other runs."""
    percentiles = of_runs(runs) if case.timed else late_us()
    # Each value has the same chance to be drawn, and so has each percentile.
    text = "".join(f"{it * 1e-3:.6f}\n" for it in percentiles[: LONGEST + 1])
    table = TABLES / f"late-acks-{zlib.crc32(text.encode()):08x}.txt"
    table.parent.mkdir(parents=True, exist_ok=True)
    table.write_text(text)
    jitter = f'{{ kind = "table", delays = "{table.resolve()}" }}'
    return Variant(tuple(f"link.access-{n}.back_jitter={jitter}" for n in range(len(case.flows))))
