"""Figs. 1 and 4: the model of §III.2, as printed, mended, exact and simulated."""

from __future__ import annotations

from functools import cache

from dupack._native import simulate_three_acceptances, time_to_three, time_to_three_exact, time_to_three_scheme_1
from dupack.reproduce.paper import Estimate, Figure, Results, Series

OTHERS, BUFFER = 9, 50
"""N, the flows besides the target, and B [packets]."""
PRINTED = ["eq-8", "eq-9-share", "eq-9-limit"]
"""What is taken as it is printed."""
SLOTS = "mean time to three acceptances [slots]"
ARRIVALS = "probability p of a packet in a slot"

GRID = [0.02, 0.03, 0.04, 0.05, 0.06, 0.08, *(i / 40 for i in range(4, 41))]
SIMULATED = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0]
EPISODES = 10_000
TOP = 160.0
"""Of Fig. 1's axis [slots]."""


@cache
def as_printed(p: float) -> float:
    """Eqs. 2 to 12 as they stand [slots]."""
    return time_to_three(OTHERS, BUFFER, p, PRINTED)


@cache
def simulated(p: float) -> Estimate:
    """A simulation of the slotted system, from a full buffer on [slots]."""
    mean, half = simulate_three_acceptances(OTHERS, BUFFER, p, EPISODES, 1)["t"]
    return Estimate(mean, half)


def _line(name: str, points: list[tuple[float, float]], of: str, kind: str = "flat") -> Series:
    shown = [(p, t) for p, t in points if t <= TOP]
    return Series(name, [p for p, _ in shown], [t for _, t in shown], [None] * len(shown), of=of, kind=kind)


def _fig_1(_: Results) -> list[Series]:
    found = [(p, simulated(p)) for p in SIMULATED]
    ys, halves = [e.mean for _, e in found], [e.half for _, e in found]
    return [
        _line("as printed", [(p, as_printed(p)) for p in GRID], "epd"),
        _line("mended", [(p, time_to_three(OTHERS, BUFFER, p)) for p in GRID], "theory", "reference"),
        _line("exact", [(p, time_to_three_exact(OTHERS, BUFFER, p)) for p in GRID], "", "reference"),
        Series("simulated", [p for p, _ in found], ys, halves, of="bpd"),
    ]


def _fig_4(_: Results) -> list[Series]:
    return [
        _line("scheme 0, as printed", [(p, as_printed(p)) for p in GRID], "scheme-0"),
        _line("scheme 0, exact", [(p, time_to_three_exact(OTHERS, BUFFER, p)) for p in GRID], "", "reference"),
        _line("scheme 1", [(p, time_to_three_scheme_1(p)) for p in GRID], "scheme-1"),
        _line("scheme 2", [(p, 1.0) for p in GRID], "scheme-2"),
    ]


FIGURES = [
    Figure(
        "1",
        "How long three acceptances take",
        "From a drop at a full buffer until three more packets of the same flow have been accepted, ten flows, 50 "
        "packets of buffer (§III.2): high at first, around 30 slots, and rising again beyond p = 0.8, to over 40 at "
        "0.9.",
        ARRIVALS,
        SLOTS,
        (),
        _fig_1,
        limits=(0, TOP),
        ours="No simulation of TCP: eqs. 2 to 12. Mended: eq. 9's sum ends at N, not N - 1, and its places are "
        "shared as they are; eqs. 6 and 8 count P(N > 0) once. Exact: without the assumption of a full buffer after "
        f"each acceptance. Simulated: {EPISODES:,} episodes of the same slotted system. The rise is a slip of eq. 9: "
        "with more packets than slots a flow gets a tenth of them, one in ten slots, however many there are.",
    ),
    Figure(
        "4",
        "How long three duplicates take",
        "The same for the three schemes (§III.4): under scheme 1 close to 3 slots at high loads, under scheme 2 one "
        "slot at any load.",
        ARRIVALS,
        "mean time to three duplicates [slots]",
        (),
        _fig_4,
        limits=(0.8, TOP),
        log="y",
        ours="No simulation of TCP: N = 9 other flows, B = 50. A slot is the time of a packet on "
        "the link; here 0.1 ms, where a round trip takes 20 ms. What can be "
        "saved is 27 slots by scheme 1 and 29 by scheme 2, a seventh of a round trip. If the receiver drops what is "
        "truncated, scheme 2 takes as long as scheme 0.",
    ),
]
