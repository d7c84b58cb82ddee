"""Alternatives that were run with the same seeds: which is best, by how much, and whether that can be said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from dupack import _native

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Ranked:
    """An alternative in its place."""

    name: Any
    mean: float
    ci95: float | None
    """Half-width of the interval of the mean, of this alternative alone."""
    difference: float
    """Its mean less the best one's."""
    half: float | None
    """Half-width of the interval of the difference; None with the best."""

    @property
    def told_apart(self) -> bool:
        """Whether the difference is more than chance."""
        return self.half is not None and abs(self.difference) > self.half


def rank(values: Mapping[Any, Sequence[float]], *, least: bool = False) -> list[Ranked]:
    """Ranks alternatives by their means over the same seeds; ``least`` says that less is better.

    Each difference to the best is a paired one, per seed: what a seed does to all of them does not count as chance.
    All pairwise differences of the k alternatives are in their intervals together with 95 %: each has the confidence
    1 - 0.05 / (k (k - 1) / 2), by Bonferroni's inequality. Only so may the best be named after a look at the results.
    """
    # Law 2015, §10.3.2.
    means = {name: _interval(mine, CONFIDENCE) for name, mine in values.items()}
    order = sorted(values, key=lambda name: means[name][0], reverse=not least)
    best = order[0]
    confidence = 1 - (1 - CONFIDENCE) / max(pairs(len(order)), 1)
    ranked = []
    for name in order:
        differences = [mine - its for mine, its in zip(values[name], values[best], strict=True)]
        difference, half = _interval(differences, confidence)
        ranked.append(Ranked(name, *means[name], difference, None if name == best else half))
    return ranked


def _interval(values: Sequence[float], confidence: float) -> tuple[float, float | None]:
    """Mean and half-width; of equal values exactly."""
    if len(values) > 1 and len(set(values)) == 1:
        return values[0], 0.0
    return _native.mean_ci(list(values), confidence)


def pairs(k: int) -> int:
    """How many differences k alternatives have."""
    return k * (k - 1) // 2


def gain(values: Mapping[Any, Sequence[float]]) -> float | None:
    """What the common seeds save: independent ones would take so many times the runs for intervals as narrow.

    The median over all pairs of Var(x) + Var(y) over Var(x - y).
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
    # The factor of Student's t is the same in all, and goes out.
    return 0.0 if half is None else half * half
