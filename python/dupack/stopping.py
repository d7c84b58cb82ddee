"""The rule ``stop`` of a plan: every point is run with as many seeds as it takes to be so certain."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dupack import _native
from dupack._native import Plan
from dupack.document import estimate
from dupack.measures import Measure
from dupack.tables import setting

Void = Callable[[Iterable[int]], object]


class Stopping:
    """Which runs of a sweep are made, as the results of others come in.

    A run is known by its slot: its point times the number of seeds, plus the place of its seed. The results alone
    decide which are made, not when they come: the same plan gives the same runs on any number of workers.
    """

    def __init__(self, plan: Plan, seeds: int, known: Mapping[int, Any], void: Void) -> None:
        if plan.stop is None:
            raise ValueError("a plan without a rule")
        self.relative, of, least, _ = plan.stop
        self.measure = Measure.find(plan, of, "stop.of")
        """What the interval is of."""
        self.seeds = seeds
        self.wanted = [min(least, seeds)] * len(plan.points)
        """Per point how many runs are to be there before it is looked again."""
        self._known = dict(known)
        self._void = void
        self._opened = 0
        self._ready: deque[int] = deque()
        self._waiting: dict[int, int] = {}

    def total(self) -> int:
        """How many runs there will be, as far as is known."""
        return sum(self.wanted)

    def next(self) -> int | None:
        """The next run to make; None if that hangs on those under way, or if all is decided."""
        # Points are begun in turn, so that few are open at a time.
        while not self._ready and self._opened < len(self.wanted):
            self._opened += 1
            self._look(self._opened - 1)
        return self._ready.popleft() if self._ready else None

    def told(self, slot: int, value: float | None) -> None:
        """What a run has given: of its `measure`."""
        self._known[slot] = value
        point = slot // self.seeds
        self._waiting[point] -= 1
        if self._waiting[point] == 0:
            self._look(point)

    def _look(self, point: int) -> None:
        """Decides whether a point has been run often enough, when all the runs that were wanted are there."""
        first = point * self.seeds
        while True:
            mine = range(first, first + self.wanted[point])
            missing = [slot for slot in mine if slot not in self._known]
            if missing:
                self._waiting[point] = len(missing)
                # Before what was begun later.
                self._ready.extendleft(reversed(missing))
                return
            values = [float("nan") if self._known[slot] is None else float(self._known[slot]) for slot in mine]
            more = _native.runs_wanted(values, self.relative, self.seeds)
            if more is None:
                self._void(range(first + self.wanted[point], first + self.seeds))
                return
            self.wanted[point] = more


def missed(plan: Plan, points: Iterable[tuple[Mapping[str, Any], Sequence[float | None]]]) -> list[str]:
    """A line per point that was given up before it was certain enough: of its settings, what its runs have given."""
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
        known = (
            f"the interval is ± {half / abs(mean):.2g} of the mean" if mean and half is not None else "it is unknown"
        )
        where = f" at {at}" if at else ""
        lines.append(f"stop: not reached{where} after {len(values)} runs: of {of} {known}, not {relative:g}")
    return lines


def unheeded(plan: Plan, seeds: Sequence[int] | None) -> str:
    """What is said where a rule there is gives way to seeds that were asked for."""
    if plan.stop is None or seeds is None:
        return ""
    whose = "every point" if len(plan.points) > 1 else "the plan"
    runs = f"{len(seeds):,} run{'s' if len(seeds) != 1 else ''}"
    return f"The plan's rule to stop is not followed: --seeds gives {whose} {runs}."


def many(plan: Plan) -> str:
    """How many runs a plan is."""
    points = len(plan.points)
    if plan.stop is None:
        return f"{points * len(plan.seeds):,} runs"
    return rule(plan) if points == 1 else f"{points} points with {rule(plan)}"


def rule(plan: Plan) -> str:
    """How many runs a plan's rule makes of each point, and until when."""
    if plan.stop is None:
        raise ValueError("a plan without a rule")
    relative, of, least, _ = plan.stop
    most = len(plan.seeds)
    runs = f"{least} to {most:,} runs" if least < most else f"{most:,} runs"
    return f"{runs}, until the 95 % interval of {of} is ± {100 * relative:g} % of its mean"
