"""The model of §III.2: as printed, and simulated. Its exact solution is in `dupack._native`."""

from __future__ import annotations

from functools import cache

from dupack._native import simulate_three_acceptances, time_to_three
from dupack.reproduce.paper import Estimate

OTHERS, BUFFER = 9, 50
"""N, the flows besides the target, and B [packets]."""
PRINTED = ["eq-8", "eq-9-share", "eq-9-limit"]
"""The equations that are evaluated as printed."""
GRID = [0.02, 0.03, 0.04, 0.05, 0.06, 0.08, *(i / 40 for i in range(4, 41))]
SIMULATED = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0]
"""Probabilities of a packet in a slot, for curves and for simulations."""
EPISODES = 10_000


@cache
def as_printed(p: float) -> float:
    """Mean time to three acceptances by eqs. 2 to 12 as printed [slots]."""
    return time_to_three(OTHERS, BUFFER, p, PRINTED)


@cache
def simulated(p: float) -> Estimate:
    """The same in a simulation of the slotted system that begins with a full buffer [slots]."""
    mean, half = simulate_three_acceptances(OTHERS, BUFFER, p, EPISODES, 1)["t"]
    return Estimate(mean, half)
