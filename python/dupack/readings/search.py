"""The search: which readings of a paper are tried, and which of them is the best.

1. Screening, with the settings of a first look (``--quick``): each axis alone, around the preferred reading.
2. Screening of the axes that have moved a claim, in all combinations; of a part of them if the budget does not suffice.
3. In full: the preferred reading, the plans as they are, and the best reading of the screening; the other leading
   readings, as far as the budget, once more, suffices; and around the best of all of them each axis that has moved a
   claim, as far as the budget, for the third time, suffices, and each axis that needs no further run.

The answer uses the readings of step 3 only.
"""

from __future__ import annotations

import itertools
import math
import operator
import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dupack.errors import PlanError, RequestError
from dupack.readings.axes import FILE, Reading, Space, edits_plan
from dupack.readings.rows import Rows
from dupack.reproduce.batch import Batch, Todo, simulate
from dupack.reproduce.paper import Claim, Results
from dupack.reproduce.runs import Key, Runs
from dupack.work import read_plan

LEADING = 8
"""Leading readings that are run in full."""
CHANCE = 0.05
SPLITS = 20
DRAWN = 5_000
"""The most combinations that are tried."""


@dataclass(frozen=True)
class Tried:
    """A reading that was tried."""

    reading: Reading
    rows: Mapping[str, dict[str, Any]]
    """The claims with their findings, as in the report of a paper."""

    @property
    def verdicts(self) -> dict[str, bool | None]:
        """Whether each claim agrees."""
        return {claim: row["agrees"] for claim, row in self.rows.items()}

    @property
    def agree(self) -> int:
        """Number of claims that agree."""
        return sum(row["agrees"] is True for row in self.rows.values())


class Silent:
    """Shows no progress."""

    def __init__(self, what: str, total: int, before: int) -> None:
        pass

    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def step(self, left: float | None = None) -> None:
        """A run has ended."""


@dataclass
class Search:
    """A search for the readings of a paper under which its claims hold."""

    space: Space
    claims: Sequence[Claim]
    runs: Runs
    budget_s: float
    """Processor time of the runs for screening, again of the leading readings in full, and again of those around the
    best reading; also of runs that an earlier search has kept [s]."""
    seed: int = 1
    """Decides which combinations are tried if the budget does not suffice for all."""
    quick: bool = False
    """Whether nothing is run in full; the answer then uses the screening."""
    threads: int | None = None
    on: str = "local"
    progress: Callable[[str, int, int], Any] = Silent
    """Makes a context for a step of the search (its name, all runs, those that had finished); it has ``step``."""
    screened: dict[Reading, Tried] = field(default_factory=dict)
    full: dict[Reading, Tried] = field(default_factory=dict)
    center: Reading = ()
    """The reading around which each axis is varied for the answer."""
    moved: Sequence[int] = ()
    """The axes that have moved a claim."""
    combinations: int = 0
    """Number of their combinations."""
    leaders: int = 0
    """Number of readings that lead in the screening."""
    led: int = 0
    """How many of them are in full."""
    around: int = 0
    """Number of the readings that differ from the best one in one axis that moves claims; not all need be in full."""
    refused: set[Reading] = field(default_factory=set)
    """The readings that a plan refuses: their values do not go together."""
    _spent: dict[Key, tuple[str, float]] = field(default_factory=dict)
    """The runs of the screening, with their plans and processor times."""
    _edited: dict[str, set[int]] = field(default_factory=dict)
    """The axes that edit each plan, as far as they have been looked for."""
    _in_full: dict[Key, tuple[str, float]] = field(default_factory=dict)
    """The same of runs in full."""

    def __post_init__(self) -> None:
        self._rows = Rows(self.space.paper, self.claims, self.runs)

    def plans(self) -> set[str]:
        """The plans that the claims need."""
        return {plan for claim in self.claims for plan in self.space.paper.measures[claim.id].plans}

    def run(self) -> None:
        """Searches."""
        preferred, planned = self.space.preferred, self.space.planned
        if self._todo(preferred, quick=True) is not None:
            self._batch(preferred, quick=True).check(self.claims, [])
        every = range(len(self.space.axes))
        self._try("each axis alone", [preferred, planned, *self._alone(preferred, every)], self.screened, quick=True)
        self.moved = moving(self.space, list(self.screened.values()))
        self._try("combinations", self._combined(), self.screened, quick=True)
        if self.quick:
            self.full, self.center = self.screened, preferred
            return
        lead = list(dict.fromkeys(leading(self.space, list(self.screened.values()), LEADING)))
        self._try("in full", [preferred, planned, lead[0]], self.full, quick=False)
        self._try("in full, leading", self._within_budget(lead), self.full, quick=False)
        self.leaders, self.led = len(lead), sum(one in self.full for one in lead)
        # These differ in several axes. What one axis does shows around the best of them.
        best = self.center = choose(self.space, list(self.full.values())).reading
        beside = [one for axes in (self._by_claims(), self._hidden(), self._free()) for one in self._alone(best, axes)]
        possible = [one for one in dict.fromkeys(beside) if self._todo(one, quick=False) is not None]
        self.around = len(possible)
        self._try("around the best", self._within_budget(possible), self.full, quick=False)

    def vary(self, center: Reading, axes: Iterable[int], known: Collection[Reading]) -> None:
        """Runs a reading in full, and those that differ from it in one of these axes and are not ``known``."""
        self.center = center
        self.run_in_full([center, *(one for one in self._alone(center, axes) if one not in known)])

    def run_in_full(self, readings: Iterable[Reading]) -> None:
        """Runs readings in full, whatever they cost."""
        self._try("in full", readings, self.full, quick=False)

    def _by_claims(self) -> list[int]:
        """The axes that have moved a claim, first those that have moved most claims."""
        tried = list(self.screened.values())
        return sorted(self.moved, key=lambda axis: -len(moved(tried, axis)))

    def _within_budget(self, readings: Iterable[Reading]) -> Iterator[Reading]:
        """Of readings to run in full, those for which the budget suffices."""
        left = self.budget_s
        costs, known = _costs(self._in_full), set(self._in_full)
        for one in readings:
            new = {key: job for key, job in (self._todo(one, quick=False) or {}).items() if key not in known}
            cost = sum(costs[experiment.plan] for experiment, _ in new.values())
            if cost <= left:
                left -= cost
                known.update(new)
                yield one

    def beside(self) -> int:
        """Number of readings in full that differ from the best one in one axis that moves claims."""
        axes = {*self.moved, *self._hidden(), *self._free()}
        return sum(
            len(differ) == 1 and differ[0] in axes
            for one in self.full
            if (differ := [at for at, value in enumerate(one) if value != self.center[at]])
        )

    def _hidden(self) -> list[int]:
        """The axes whose values are the same in a first look, such as the length of runs."""
        preferred = self.space.preferred

        def screened(reading: Reading) -> tuple[Any, ...]:
            todo = self._todo(reading, quick=True)
            return todo and todo.keys(), self.space.options(reading)

        mine = screened(preferred)
        axes = range(len(self.space.axes))
        return [axis for axis in axes if all(screened(one) == mine for one in self._alone(preferred, [axis]))]

    def _free(self) -> list[int]:
        """The axes whose values need no other runs than the best reading, such as what throughput counts."""

        def runs(reading: Reading) -> set[Key] | None:
            todo = self._todo(reading, quick=False)
            return None if todo is None else set(todo)

        mine = runs(self.center)
        axes = range(len(self.space.axes))
        return [axis for axis in axes if all(runs(one) == mine for one in self._alone(self.center, [axis]))]

    def _alone(self, around: Reading, axes: Iterable[int]) -> Iterator[Reading]:
        """The readings that differ from one in one of these axes."""
        for axis in axes:
            for value in range(len(self.space.axes[axis].value)):
                if value != around[axis]:
                    yield (*around[:axis], value, *around[axis + 1 :])

    def _combined(self) -> list[Reading]:
        """Combinations of the axes that have moved a claim, until the budget is spent; the others as preferred."""
        sizes = [len(self.space.axes[axis].value) for axis in self.moved]
        self.combinations = math.prod(sizes)
        drawn = random.Random(self.seed).sample(range(self.combinations), min(self.combinations, DRAWN))
        left = self.budget_s - sum(cpu_s for _, cpu_s in self._spent.values())
        costs = _costs(self._spent)
        known = set(self._spent)
        chosen: list[Reading] = []
        for values in pairs_first(drawn, sizes):
            reading = list(self.space.preferred)
            for axis, value in zip(self.moved, values, strict=True):
                reading[axis] = value
            one = tuple(reading)
            if one in self.screened:
                continue
            todo = self._todo(one, quick=True)
            if todo is None:
                continue
            new = {key: job for key, job in todo.items() if key not in known}
            left -= sum(costs[experiment.plan] for experiment, _ in new.values())
            if left < 0:
                break
            known.update(new)
            chosen.append(one)
        return chosen

    def combined(self) -> int:
        """Number of combinations of the axes that move a claim that were screened."""
        return self.among_combinations(self.screened)

    def among_combinations(self, readings: Iterable[Reading]) -> int:
        """How many of these readings are combinations of the axes that move a claim, with the others as preferred."""
        preferred = self.space.preferred
        others = [axis for axis in range(len(preferred)) if axis not in self.moved]
        return sum(all(reading[axis] == preferred[axis] for axis in others) for reading in readings)

    def cpu_s(self) -> float:
        """Processor time of the screening [s]."""
        return sum(cpu_s for _, cpu_s in self._spent.values())

    def concerning(self, claim: str) -> set[int]:
        """The axes that edit plans which a claim has used, or set options that it has asked for."""
        plans, options = self._rows.used(claim)
        asked = {
            at for at, axis in enumerate(self.space.axes) if any(value.measure.keys() & options for value in axis.value)
        }
        return asked.union(*(self._editing(plan) for plan in plans))

    def _editing(self, name: str) -> set[int]:
        """The axes that edit a plan."""
        if name not in self._edited:
            plan = read_plan(self.space.paper.plan_file(name))
            every = enumerate(self.space.axes)
            self._edited[name] = {at for at, axis in every if edits_plan(self.space, axis, name, plan)}
        return self._edited[name]

    def results(self, reading: Reading) -> Results:
        """The runs of a reading for the answer."""
        return self._batch(reading, quick=self.quick).results(self.runs)

    def _batch(self, reading: Reading, *, quick: bool) -> Batch:
        return Batch.of(self.space.paper, self.plans(), quick=quick, read=(self.space, reading))

    def _todo(self, reading: Reading, *, quick: bool) -> Todo | None:
        """What a reading needs; None if a plan refuses it.

        Raises ``RequestError`` if it is the preferred reading, around which all others are tried.
        """
        try:
            return self._batch(reading, quick=quick).todo()
        except PlanError as error:
            if reading == self.space.preferred:
                named = ", ".join(f"{axis} {value}" for axis, value in self.space.named(reading).items())
                what = f"the values with the best basis do not go together ({named}): {error}"
                raise RequestError(f"{self.space.paper.directory / FILE}: {what}") from error
            self.refused.add(reading)
            return None

    def _try(self, what: str, readings: Iterable[Reading], into: dict[Reading, Tried], *, quick: bool) -> None:
        """Runs what these readings need, each run once, and compares them with the claims."""
        new: list[Reading] = []
        todo: Todo = {}
        for one in dict.fromkeys(readings):
            needed = None if one in into else self._todo(one, quick=quick)
            if needed is not None:
                new.append(one)
                todo |= needed
        before = sum(self.runs.has(key) for key in todo)
        with self.progress(f"{what}, {len(new):,} readings", len(todo), before) as progress:
            simulate(todo, self.runs, threads=self.threads, on=self.on, then=progress.step)
        spent = self._spent if quick else self._in_full
        spent |= {key: (job[0].plan, self.runs.cpu_s(key)) for key, job in todo.items()}
        for one in new:
            try:
                into[one] = Tried(one, self._rows.of(self._batch(one, quick=quick)))
            except RequestError as error:
                raise RequestError(f"{error}{self._unlike_the_plans(one)}") from error

    def _unlike_the_plans(self, reading: Reading) -> str:
        """Where a reading is not that of the plans, for an error in its measures; empty if it is."""
        planned = self.space.named(self.space.planned)
        named = [f"{axis}={name}" for axis, name in self.space.named(reading).items() if name != planned[axis]]
        if not named:
            return ""
        file = self.space.paper.directory / FILE
        return f" (under the reading {', '.join(named)} of {file}; other axes as in the plans)"


def _costs(spent: Mapping[Key, tuple[str, float]]) -> dict[str, float]:
    """Mean processor time of a run of each plan [s]."""
    times: dict[str, list[float]] = {}
    for plan, cpu_s in spent.values():
        times.setdefault(plan, []).append(cpu_s)
    return {plan: sum(some) / len(some) for plan, some in times.items()}


def moving(space: Space, tried: Sequence[Tried]) -> list[int]:
    """The axes along which the verdict of some claim changes, among readings that differ in nothing else."""
    return [axis for axis in range(len(space.axes)) if moved(tried, axis)]


def along(tried: Sequence[Tried], axis: int) -> list[tuple[Tried, Tried]]:
    """The pairs of readings that differ in this axis only."""
    alike: dict[Reading, list[Tried]] = {}
    for one in tried:
        alike.setdefault((*one.reading[:axis], *one.reading[axis + 1 :]), []).append(one)
    return [pair for some in alike.values() for pair in itertools.combinations(some, 2)]


def moved(
    tried: Sequence[Tried], axis: int, differ: Callable[[bool | None, bool | None], bool] = operator.is_not
) -> list[str]:
    """The claims whose verdict this axis changes, the others alike; ``differ`` says what counts as a change."""
    pairs = [(one.verdicts, other.verdicts) for one, other in along(tried, axis)]
    return [claim for claim in tried[0].rows if any(differ(one[claim], other[claim]) for one, other in pairs)]


def by_chance(one: Tried, other: Tried, claims: Sequence[str] | None = None) -> float:
    """How probable it is that two readings which are equally good differ at least as much (McNemar's exact test).

    Counted are the claims that agree under one of them and do not under the other.
    """
    mine, theirs = one.verdicts, other.verdicts
    counted = mine.keys() if claims is None else claims
    better = sum(mine[claim] is True and theirs[claim] is not True for claim in counted)
    worse = sum(theirs[claim] is True and mine[claim] is not True for claim in counted)
    n, least = better + worse, min(better, worse)
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(least + 1)) / 2**n)


def choose(space: Space, tried: Sequence[Tried], claims: Sequence[str] | None = None) -> Tried:
    """The best single reading, of those without an excluded value.

    Of the readings that do not agree significantly less often than the one that agrees most often (`by_chance` above
    5 %), the one with the fewest guesses, then with the fewest standards, then with the fewest tools; of equal ones the
    one that agrees most often.
    """

    def agree(one: Tried) -> int:
        return one.agree if claims is None else sum(one.verdicts[claim] is True for claim in claims)

    able = [one for one in tried if space.eligible(one.reading)]
    most = min(able, key=lambda one: (-agree(one), space.bases(one.reading), one.reading))
    alike = [one for one in able if by_chance(most, one, claims) >= CHANCE]
    return min(alike, key=lambda one: (space.bases(one.reading), -agree(one), one.reading))


def leading(space: Space, tried: Sequence[Tried], count: int) -> list[Reading]:
    """The best reading by `choose`, and those that agree most often, of those without an excluded value."""
    able = [one for one in tried if space.eligible(one.reading)]
    order = sorted(able, key=lambda one: (-one.agree, space.bases(one.reading), one.reading))
    return [choose(space, tried).reading, *(one.reading for one in order[: count - 1])]


@dataclass(frozen=True)
class Split:
    """A check for fitting: a reading that was chosen by half of the claims, on the other half."""

    chosen: Reading
    seen: float
    """Share of the claims that agree, in the half by which it was chosen."""
    unseen: float
    """The same in the other half."""
    preferred: float
    """Share of the claims of the other half that agree under the reading with the best basis on each axis."""


def split(space: Space, tried: Sequence[Tried], claims: Sequence[Claim], seed: int = 1) -> list[Split]:
    """Chooses by a random half of the figures, and looks at the claims of the others, several times."""
    draw = random.Random(seed)
    groups: dict[str, list[str]] = {}
    for claim in claims:
        groups.setdefault(claim.figure or claim.id, []).append(claim.id)
    preferred = next(one for one in tried if one.reading == space.preferred)
    made = []
    for _ in range(SPLITS if len(groups) > 1 else 0):
        order = draw.sample(sorted(groups), len(groups))
        half = {group for at, group in enumerate(order) if at < len(order) // 2}
        seen = [claim for group in sorted(half) for claim in groups[group]]
        unseen = [claim for group in order if group not in half for claim in groups[group]]
        best = choose(space, tried, seen)
        made.append(Split(best.reading, _share(best, seen), _share(best, unseen), _share(preferred, unseen)))
    return made


def _share(one: Tried, claims: Sequence[str]) -> float:
    return sum(one.verdicts[claim] is True for claim in claims) / len(claims)


def pairs_first(drawn: Sequence[int], sizes: Sequence[int]) -> Iterator[list[int]]:
    """Combinations, by their numbers, as values of each axis, in an order in which each pair of values of two axes
    comes early: the next one is, of some, the one with the most pairs that no earlier one has."""
    left = [_digits(index, sizes) for index in drawn]
    axes = list(itertools.combinations(range(len(sizes)), 2))
    missing = {(a, x, b, y) for a, b in axes for x in range(sizes[a]) for y in range(sizes[b])}
    while missing and left:
        found = max(range(min(len(left), 50)), key=lambda at: len(_pairs(left[at]) & missing))
        values = left.pop(found)
        missing -= _pairs(values)
        yield values
    yield from left


def _digits(index: int, sizes: Sequence[int]) -> list[int]:
    """A combination by its number."""
    found = []
    for size in reversed(sizes):
        index, digit = divmod(index, size)
        found.append(digit)
    return found[::-1]


def _pairs(values: Sequence[int]) -> set[tuple[int, int, int, int]]:
    return {(a, values[a], b, values[b]) for a, b in itertools.combinations(range(len(values)), 2)}
