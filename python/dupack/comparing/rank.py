"""Ranks of alternatives with the same seeds: the best, the differences, and whether these are significant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from dupack import _native

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Ranked:
    """A ranked alternative."""

    name: Any
    mean: float
    ci95: float | None
    """Half-width of the 95 % interval of the mean of this alternative alone."""
    difference: float
    """Its mean minus that of the best."""
    half: float | None
    """Half-width of the interval of the difference; None for the best."""

    @property
    def told_apart(self) -> bool:
        """Whether the difference is significant: its interval does not contain 0."""
        return self.half is not None and abs(self.difference) > self.half


def rank(values: Mapping[Any, Sequence[float]], *, least: bool = False) -> list[Ranked]:
    """Ranks alternatives by their means over the same seeds; with ``least``, the lowest is the best.

    The differences from the best are paired by seed, so an effect that a seed has on all alternatives cancels. The
    intervals of all pairwise differences of the k alternatives hold simultaneously with 95 % confidence: each has the
    confidence 1 - 0.05 / (k (k - 1) / 2), by Bonferroni's inequality. This is needed because the best is chosen after
    looking at the results.
    """
    # Law 2015, §10.3.2.
    means = {name: _interval(mine, CONFIDENCE)[0] for name, mine in values.items()}
    order = sorted(values, key=lambda name: means[name], reverse=not least)
    return against(order[0], {name: values[name] for name in order})


def against(best: Any, values: Mapping[Any, Sequence[float]]) -> list[Ranked]:
    """Compares alternatives with one of them, in the order of ``values``; intervals as of `rank`."""
    confidence = 1 - (1 - CONFIDENCE) / max(pairs(len(values)), 1)
    compared = []
    for name, mine in values.items():
        differences = [one - its for one, its in zip(mine, values[best], strict=True)]
        difference, half = _interval(differences, confidence)
        compared.append(Ranked(name, *_interval(mine, CONFIDENCE), difference, None if name == best else half))
    return compared


def _interval(values: Sequence[float], confidence: float) -> tuple[float, float | None]:
    """Mean and half-width; exact for equal values."""
    if len(values) > 1 and len(set(values)) == 1:
        return values[0], 0.0
    return _native.mean_ci(list(values), confidence)


def pairs(k: int) -> int:
    """The number of pairwise differences of k alternatives."""
    return k * (k - 1) // 2


def gain(values: Mapping[Any, Sequence[float]]) -> float | None:
    """The gain from common seeds: independent seeds would need this many times the runs for intervals as narrow.

    It is the median over all pairs of (Var(x) + Var(y)) / Var(x - y).
    """
    names = list(values)
    found = []
    for at, one in enumerate(names):
        for other in names[at + 1 :]:
            together = _variance([a - b for a, b in zip(values[one], values[other], strict=True)])
            if together > 0:
                found.append((_variance(values[one]) + _variance(values[other])) / together)
    return median(found) if found else None


def _variance(values: Sequence[float]) -> float:
    _, half = _native.mean_ci(list(values), CONFIDENCE)
    # The factor of Student's t is the same for all and cancels.
    return 0.0 if half is None else half * half
