"""Signs of what a case of BBR's draft asks for: a measured value, the demand with its band, and whether it holds.

The bands are in this file, in `verify/bbr3_states.py` and in `verify/bbr3_paths.py`. Where the draft has a number, that
is the band. Where it has none, ours is that of the scripted test of the same case, if that has one:
`crates/core/src/transport/script/bbr3.rs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from verify.bbr3_seen import PROBE_BW, Phase, Seen

MBPS = 1e6
RATE = 10 * MBPS
"""Link of most plans [bit/s]; the round trip is 41.2 ms, and the product 34.4 segments."""
SLOW = 2 * MBPS
"""Link of the plans whose traffic is a file; the round trip is 106 ms, and the product 17.7 segments."""

CLOSE = 0.02
"""Largest error of a bandwidth, by the draft's first case."""
GROWTH = 1.25
"""Least growth of the delivery rate in a round that has found more bandwidth."""
PLATEAU = 3
"""Rounds without it that end a phase; rounds after which Drain ends."""
LOSS_THRESH = 0.02
BETA = 0.7
HEADROOM = 0.15
MIN_PIPE_CWND = 4.0
PROBE_RTT_INTERVAL, PROBE_RTT_DURATION = 5.0, 0.2


@dataclass(frozen=True)
class Sign:
    """A demand of a case, and what a run shows of it."""

    ours: str
    theirs: str
    """The demand, with its band."""
    holds: bool


def near(what: str, found: float, want: float, off: float, scale: float = 1.0, unit: str = "") -> Sign:
    """A value is what it should be, except for this share of it."""
    ours = f"{what} {found / scale:.4g}{unit}"
    return Sign(ours, f"{want / scale:.4g}{unit} ± {off * 100:g} %", abs(found / want - 1) <= off)


def rate(what: str, found: float, want: float, off: float = CLOSE) -> Sign:
    """A rate is what it should be."""
    return near(what, found, want, off, MBPS, " Mb/s")


def inside(what: str, found: float, least: float, most: float, unit: str = "") -> Sign:
    """A value is in a range."""
    return Sign(f"{what} {found:.4g}{unit}", f"{least:.4g} to {most:.4g}{unit}", least <= found <= most)


def at_least(what: str, found: float, least: float, unit: str = "") -> Sign:
    """A value is large enough."""
    return Sign(f"{what} {found:.4g}{unit}", f"at least {least:.4g}{unit}", found >= least)


def at_most(what: str, found: float, most: float, unit: str = "") -> Sign:
    """A value is small enough."""
    return Sign(f"{what} {found:.4g}{unit}", f"at most {most:.4g}{unit}", found <= most)


def then(phase: Phase, *allowed: str) -> Sign:
    """A state follows."""
    return Sign(f"then {phase.state}", f"then {said(allowed)}", phase.state in allowed)


def said(states: tuple[str, ...]) -> str:
    """These states in words."""
    return "any of ProbeBW" if states == PROBE_BW else " or ".join(states)


def lossless(seen: Seen) -> Sign:
    """Nothing is dropped on any link."""
    dropped = sum(sum(link["dropped"].values()) for link in seen.document["links"])
    return Sign(f"{dropped} dropped", "0 dropped", dropped == 0)


def round_trip(seen: Seen, until: float) -> float:
    """The shortest one so far [s]."""
    return min(seen.round_trips(0, until))


def slow_rounds(rates: list[float], largest: float = 0.0) -> int:
    """Rounds in a row, at the end, in which the delivery rate has not grown by a quarter."""
    count = 0
    for it in rates:
        if it >= GROWTH * largest:
            largest, count = it, 0
        else:
            count += 1
    return count


def only(flows: Mapping[str, Seen]) -> Seen:
    """The flow of a plan with one."""
    return flows["bbr"]
