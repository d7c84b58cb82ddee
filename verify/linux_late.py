"""How late Linux in a process is.

Echo answers that pass the delay of acks are timed, and acks of a plan are made as late.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from statistics import median

from verify import uml
from verify.linux_cases import BURST, Case, Flow, Variant, fifo

TABLE = Path("out/verify/late-acks.txt")
RTT_MS = 30
EVERY_S = 0.01
REPETITIONS = 8
DURATION_S = 10
PINGS = round(REPETITIONS * DURATION_S / EVERY_S)
"""About as many in all runs."""
LONGEST = 99
"""Percentile above which delays are left out: such ones come in groups, but a plan draws each by itself."""


def asked(repetition: int) -> dict[str, object]:
    """A run with two CUBIC flows through a FIFO, and echo requests beside them."""
    case = Case(10, fifo(50), (Flow("cubic", RTT_MS),) * 2, ecn=False, warm_up=2, duration=DURATION_S)
    run = case.asked(repetition)
    pings = {"control": "pings", "rtt_ms": RTT_MS, "start_s": 0.2, "every_s": EVERY_S}
    return {**run, "burst": BURST, "flows": [*run["flows"], pings]}


@cache
def late_us() -> list[float]:
    """The percentiles from 0 to 100 [us], the median of each over the runs; those that are missing are made."""
    runs = uml.made([asked(n) for n in range(1, REPETITIONS + 1)], uml.Store())
    found = [run["flows"][-1]["late_us"] for run in runs]
    # Medians, as those of the numbers that are compared: in some runs this machine is held up more often.
    return [median(values) for values in zip(*found, strict=True)]


def late(case: Case, _: object = None) -> Variant:
    """Acks that are as late as the answers were."""
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    # Each value has the same chance to be drawn, and so has each percentile.
    TABLE.write_text("".join(f"{it * 1e-3:.6f}\n" for it in late_us()[: LONGEST + 1]))
    jitter = f'{{ kind = "table", delays = "{TABLE.resolve()}" }}'
    return Variant(tuple(f"link.access-{n}.back_jitter={jitter}" for n in range(len(case.flows))))
