"""A queue of ours and one of ns-3 with the same arrivals, and what rows say of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dupack import Discipline, _native
from verify.frame import Row
from verify.ns3_queues import RATE, Arrivals, Fates, of_dupack, of_ns3

FEW, SOME, MANY = 5, 20, 60
"""Runs of exact comparisons, of means, and of the probability."""


@dataclass(frozen=True)
class Both:
    """A queue of either side."""

    ours: str
    """Keys of a plan."""
    theirs: str
    """Attributes."""


def joined(*parts: Both) -> Both:
    """All of them; later ones take precedence in ns-3, and must not repeat a key in ours."""
    return Both(", ".join(it.ours for it in parts), " ".join(it.theirs for it in parts))


class Alone:
    """Both sides with the same arrivals."""

    def __init__(
        self, binary: Path, disc: str, both: Both, runs: Sequence[Arrivals], end: float, rate: int = RATE
    ) -> None:
        self.runs = runs
        self.theirs = of_ns3(binary, disc, both.theirs.split(), runs, end, rate)
        self.ours = of_dupack(f"{{ {both.ours} }}", runs, end, rate)

    def other(self, own: Discipline, end: float) -> Alone:
        """The same with a discipline in Python in place of ours."""
        made = Alone.__new__(Alone)
        made.runs, made.theirs, made.ours = self.runs, self.theirs, of_dupack(own, self.runs, end)
        return made

    def identical(self, what: str, *, rules: Sequence[int] = ()) -> Row:
        """Whether the same packets are dropped and marked, at the same times, and the others sent in the same order."""
        wrong, number = 0, 0
        for ours, theirs, arrivals in zip(self.ours, self.theirs, self.runs, strict=True):
            number += len(arrivals)
            for mine, other in ((ours.dropped, theirs.dropped), (ours.marked, theirs.marked)):
                wrong += sum(mine.get(n) != other.get(n) for n in mine.keys() | other.keys())
            # Our ECN-capable flows deliver nothing after a hole.
            sent, sent_there = ([n for n in it.sent if not arrivals[n].capable] for it in (ours, theirs))
            wrong += sum(a != b for a, b in zip(sent, sent_there, strict=False))
            # We learn of a packet when its transmission ends, and ns-3 says when it begins.
            wrong += len(sent_there) - len(sent) not in (0, 1)
        said = f"{number} packets in {_counted(len(self.runs), 'run')}" + (f"; {wrong} differ" if wrong else "")
        return self._row(what, _told(self.ours), _told(self.theirs), "identical", not wrong, said, rules)

    def means(self, what: str, of: Callable[[Fates], float], unit: str, *, rules: Sequence[int] = ()) -> Row:
        """Whether the mean difference of the runs may be 0."""
        ours, theirs = [of(it) for it in self.ours], [of(it) for it in self.theirs]
        agrees = _zero_in([a - b for a, b in zip(ours, theirs, strict=True)])
        said = _counted(len(self.runs), "run")
        band = "99 % interval of the difference holds 0"
        return self._row(what, interval(ours, unit), interval(theirs, unit), band, agrees, said, rules)

    def _row(self, what: str, ours: str, theirs: str, band: str, agrees: bool, said: str, rules: Sequence[int]) -> Row:
        departs = not agrees and bool(rules)
        if departs:
            said += f"; rule{'s' * (len(rules) > 1)} {', '.join(map(str, rules))}"
        return Row(what, ours, theirs, band, agrees, said, departs=departs)


def _counted(number: int, noun: str) -> str:
    """A number of things."""
    return f"{number} {noun}{'s' * (number != 1)}"


def _told(runs: Sequence[Fates]) -> str:
    """Numbers of drops and marks."""
    drops, marks = sum(len(it.dropped) for it in runs), sum(len(it.marked) for it in runs)
    return f"{drops} drops" + (f", {marks} marks" if marks else "")


def _zero_in(differences: Sequence[float]) -> bool:
    """Whether their mean may be 0."""
    mean, half = _native.mean_ci(list(differences), 0.99)
    return abs(mean) <= (half or 0.0)


def interval(values: Sequence[float], unit: str) -> str:
    """Mean and 99 % interval."""
    mean, half = _native.mean_ci(list(values), 0.99)
    return f"{mean:.4g} ± {half or 0:.2g} {unit}".strip()


def dropped(it: Fates) -> float:
    """Number of drops."""
    return len(it.dropped)


def full(it: Fates) -> float:
    """Number of drops for want of room."""
    return it.overflows


def early(it: Fates) -> float:
    """Number of drops that are not for want of room."""
    return len(it.dropped) - it.overflows


def marked(it: Fates) -> float:
    """Number of marks."""
    return len(it.marked)


def delay_ms(it: Fates) -> float:
    """Mean queueing delay."""
    return it.delay * 1e3
