"""The stopping rule ``stop`` of a plan: runs each point until the interval of a measure is narrow enough."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dupack import _native
from dupack._native import Plan
from dupack.document import estimate
from dupack.measures import Measure
from dupack.words import setting

Void = Callable[[Iterable[int]], object]


class Stopping:
    """Decides which runs of a sweep are made, from the results so far.

    A run is identified by its slot: its point times the number of seeds, plus the index of its seed. The decision
    depends on the results, not on their order: a plan gives the same runs on any number of workers.
    """

    def __init__(self, plan: Plan, seeds: int, known: Mapping[int, Any], void: Void) -> None:
        if plan.stop is None:
            raise ValueError("the plan has no stopping rule")
        self.relative, of, least, _ = plan.stop
        self.measure = Measure.find(plan, of, "stop.of")
        """The measure whose interval decides."""
        self.seeds = seeds
        self.wanted = [min(least, seeds)] * len(plan.points)
        """Per point, the number of runs before the next decision."""
        self._known = dict(known)
        self._void = void
        self._opened = 0
        self._ready: deque[int] = deque()
        self._waiting: dict[int, int] = {}

    def total(self) -> int:
        """The number of runs, as far as it is known."""
        return sum(self.wanted)

    def next(self) -> int | None:
        """The next run to make; None if that depends on runs in progress, or if all is decided."""
        # Points begin in order, so few are open at a time.
        while not self._ready and self._opened < len(self.wanted):
            self._opened += 1
            self._look(self._opened - 1)
        return self._ready.popleft() if self._ready else None

    def told(self, slot: int, value: float | None) -> None:
        """Takes the value of the `measure` in a run."""
        self._known[slot] = value
        point = slot // self.seeds
        self._waiting[point] -= 1
        if self._waiting[point] == 0:
            self._look(point)

    def _look(self, point: int) -> None:
        """Decides whether a point has enough runs, once all its wanted runs have finished."""
        first = point * self.seeds
        while True:
            mine = range(first, first + self.wanted[point])
            missing = [slot for slot in mine if slot not in self._known]
            if missing:
                self._waiting[point] = len(missing)
                # Before points that began later.
                self._ready.extendleft(reversed(missing))
                return
            values = [float("nan") if self._known[slot] is None else float(self._known[slot]) for slot in mine]
            more = _native.runs_wanted(values, self.relative, self.seeds)
            if more is None:
                self._void(range(first + self.wanted[point], first + self.seeds))
                return
            self.wanted[point] = more


def missed(plan: Plan, points: Iterable[tuple[Mapping[str, Any], Sequence[float | None]]]) -> list[str]:
    """A line per point at which the rule was not met; ``points`` are settings with the values of their runs."""
    if plan.stop is None:
        return []
    relative, of, *_ = plan.stop
    lines = []
    for settings, values in points:
        told = estimate(values)
        mean, half = told["mean"], told["ci95"]
        if mean is not None and half is not None and half <= relative * abs(mean):
            continue
        at = ", ".join(f"{path} = {setting(value)}" for path, value in settings.items())
        known = f"is ± {half / abs(mean):.2g} of the mean" if mean and half is not None else "is unknown"
        where = f" at {at}" if at else ""
        lines.append(f"stop: not met{where} after {len(values)} runs: the interval of {of} {known}, not {relative:g}")
    return lines


def unheeded(plan: Plan, seeds: Sequence[int] | None) -> str:
    """A note if seeds that were asked for override the stopping rule."""
    if plan.stop is None or seeds is None:
        return ""
    whose = "every point" if len(plan.points) > 1 else "the plan"
    runs = f"{len(seeds):,} run{'s' if len(seeds) != 1 else ''}"
    return f"The plan's stopping rule is ignored: --seeds gives {whose} {runs}."


def many(plan: Plan) -> str:
    """The number of runs of a plan, in words."""
    points = len(plan.points)
    if plan.stop is None:
        return f"{points * len(plan.seeds):,} runs"
    return rule(plan) if points == 1 else f"{points} points with {rule(plan)}"


def rule(plan: Plan) -> str:
    """The number of runs per point by the stopping rule, and its condition, in words."""
    if plan.stop is None:
        raise ValueError("the plan has no stopping rule")
    relative, of, least, _ = plan.stop
    most = len(plan.seeds)
    runs = f"{least} to {most:,} runs" if least < most else f"{most:,} runs"
    return f"{runs}, until the 95 % interval of {of} is ± {100 * relative:g} % of its mean"
