"""What Keshav & Morgan 1997 leaves open: each reading in words, and what it changes in a plan.

The words label the rows of the figures on readings. The plan as it is changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dupack.reproduce.paper import Sample
from dupack.reproduce.select import setting

Change = Mapping[str, Any]
"""Settings by the ends of their paths."""


def _lines(*rates: str) -> dict[str, Change]:
    return {f"access lines of {rate}": {"access.rate": rate} for rate in rates}


AS_IT_IS = "the plan as it is"
BRISK = "all watched, each ack measured"
ALL_AT_ONCE: Change = {"traffic.rate": "the whole message at once"}
TIMERS: dict[str, Change] = {
    "timeouts never double": {"backoff": False},
    "any advance ends the doubling": {"undouble": "advance"},
}
WINDOWS: dict[str, Change] = {
    "window of 100 packets": {"transport.window": "100 segments"},
    "window of 200 packets": {"transport.window": "200 segments"},
}
GO_BACK_N: dict[str, Change] = {
    AS_IT_IS: {},
    "receiver keeps what is out of order": {"out_of_order": "keep"},
    **WINDOWS,
    **_lines("8 Mb/s", "80 Mb/s"),
    "samples: each ack's own packet": {"samples": "each"},
    "samples: Karn's rule": {"samples": "karn"},
    "samples: one at a time, as TCP": {"samples": "timed"},
    **TIMERS,
    "first timeout 1 s": {"initial_rto": "1 s"},
    "whole message at once": ALL_AT_ONCE,
    "80 Mb/s, keeps, one sample at a time": {"access.rate": "80 Mb/s", "out_of_order": "keep", "samples": "timed"},
}
SMART: dict[str, Change] = {
    AS_IT_IS: {},
    "all retransmissions watched": {"tracking": "each"},
    "lost ones found by a timer": {"lost_retransmission": "timer"},
    **WINDOWS,
    **_lines("8 Mb/s", "10 Mb/s", "155 Mb/s"),
    "samples: each ack": {"samples": "each"},
    "samples: Karn's rule": {"samples": "karn"},
    **TIMERS,
    "first timeout 1 s": {"initial_rto": "1 s"},
    "whole message at once": ALL_AT_ONCE,
    BRISK: {"tracking": "each", "samples": "each"},
}
MIX: dict[str, Change] = {
    AS_IT_IS: {},
    "longest queue dropped": {"overflow": "longest-queue"},
    "all retransmissions watched": {"tracking": "each"},
    "samples: each ack": {"samples": "each"},
    "timeouts never double": {"backoff": False},
    "static window of 100 packets": {"transport.window": "100 segments"},
    "access lines of 10 Mb/s": {"*access.rate": "10 Mb/s"},
    "whole message at once": ALL_AT_ONCE,
    BRISK: {"tracking": "each", "samples": "each"},
}

VARIED = (".traffic.off", ".queue.buffer", ".count")
"""The ends of paths that the plans vary under every reading."""


def changed(samples: Sequence[Sample], change: Change) -> list[Sample]:
    """The samples of one reading: those that change this and nothing else."""

    def fits(sample: Sample) -> bool:
        axes = sum(not path.endswith(VARIED) for path in sample.settings)
        return axes == len(change) and all(setting(sample, end) == value for end, value in change.items())

    return [sample for sample in samples if fits(sample)]
