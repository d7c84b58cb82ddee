"""Measures of claims and curves of figures that a paper's TOML files declare, without Python."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from dupack.regimes import in_groups
from dupack.reproduce import compare
from dupack.reproduce.paper import Estimate, Finding, Measure, Read, Results, Sample, Series
from dupack.reproduce.reads import read
from dupack.reproduce.select import flat, setting, where
from dupack.reproduce.select import number as as_number
from dupack.reproduce.verdicts import above, below, in_order, within
from dupack.words import setting as in_words

PICKS: dict[str, Callable[[Sequence[Sample], Read], Sample]] = {
    "first": lambda samples, read: samples[0],
    "last": lambda samples, read: samples[-1],
    "best": compare.best,
    "worst": compare.worst,
}
HOLDS = re.compile(r"([<>]|within) *([-+]?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?)")
USELESS = {
    "order": ("optimum", "times", "holds", "negligible", "range"),
    "optimum": ("pick", "by", "times", "holds", "negligible", "range"),
}
"""What a measure of this kind does not use."""


class Selection(msgspec.Struct, forbid_unknown_fields=True):
    """Selects samples of a plan. A key that a part of a claim leaves out has the value of the claim."""

    plan: str = ""
    where: dict[str, Any] = {}
    """Settings by the end of their path; see `dupack.reproduce.select`."""
    pick: str = ""
    """``first``, ``last``, ``best`` or ``worst`` (by the measure); without it the samples are averaged seed by seed."""
    by: str = ""
    """The measure by which a sample is picked, if it is not ``read``."""
    read: str = ""
    """The measure; see `dupack.reproduce.reads`."""

    def samples(self, results: Results, of: Selection, reads: Mapping[str, Read]) -> list[Sample]:
        """The selected samples."""
        samples = self.matching(results, of)
        pick, by = self.pick or of.pick, self.by or of.by or self.read or of.read
        return [PICKS[pick](samples, reads[by])] if pick else samples

    def matching(self, results: Results, of: Selection) -> list[Sample]:
        """The samples that have the settings, before one of them is picked; raises ``LookupError`` if there is none."""
        plan, wanted = self.plan or of.plan, self.where or of.where
        samples = where(results[plan], wanted)
        if not samples:
            asked = ", ".join(f"{end} = {json.dumps(value, ensure_ascii=False)}" for end, value in wanted.items())
            known = dict.fromkeys(path for sample in results[plan] for path in flat(sample.settings))
            raise LookupError(f"no point of {plan} has {asked}; its settings: {', '.join(known) or 'none'}")
        return samples

    def check(self, plan: str = "") -> None:
        """Raises ``ValueError`` if it has no plan or an unknown pick; ``plan`` is that of the claim."""
        if not self.plan and not plan:
            raise ValueError("plan: none is given")
        if self.pick and self.pick not in PICKS:
            raise ValueError(f'pick = "{self.pick}"; known: {", ".join(PICKS)}')


class Declared(Selection, forbid_unknown_fields=True):
    """How a claim is measured: the mean of a measure, or a comparison of two selections, or an order of several."""

    minus: Selection | None = None
    """The finding is the difference to these, seed by seed; see ``paired``."""
    over: Selection | None = None
    """The finding is the ratio to these, seed by seed."""
    gain_over: Selection | None = None
    """The finding is the ratio to these, minus 1."""
    order: list[Selection] = []
    """Each of these is above the one before."""
    optimum: str = ""
    """The finding is the value of this setting at the best sample."""
    paired: bool = True
    """Whether a difference is between runs with the same seeds. It must be false if the numbers of runs differ."""
    times: float = 1.0
    """Factor: 100 for a percentage."""
    holds: str = ""
    """The bound of a claim in words: ``> 0.98``, ``< 2``, or ``within 0.05`` of 0. The default is ``> 0`` for a
    difference and ``> 1`` for a ratio."""
    negligible: float = 0.0
    """A difference that is certainly below this counts as none."""
    slack: float = 0.0
    """By how much each sample of an order may be below the one before."""
    digits: int = 3
    """Digits after the point of the means of an order."""
    range: bool = False
    """Whether the note gives the least and the greatest value of single runs."""

    def plans(self) -> tuple[str, ...]:
        """The plans that it needs."""
        return tuple(dict.fromkeys(part.plan or self.plan for part in self.parts()))

    def parts(self) -> list[Selection]:
        """The selections of samples."""
        return self.order or [self, *(part for part in (self.minus, self.over, self.gain_over) if part)]

    def measure(self, published: float | str, reads: Mapping[str, Read]) -> Measure:
        """The measure of a claim with this published value.

        Raises ``LookupError`` for an unknown measure, ``ValueError`` for a declaration that says nothing.
        """
        given = [name for name in ("minus", "over", "gain_over", "order", "optimum") if getattr(self, name)]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} are given together; give one of them")
        kind = given[0] if given else ""
        self._check(kind, published)
        default = {"minus": "> 0", "gain_over": "> 0", "over": "> 1"}.get(kind, "")
        holds = (self.holds or default) if isinstance(published, str) else ""
        named = {name for part in (self, *self.parts()) for name in (part.read, part.by) if name}
        mine = read(self.read, reads)
        known = {name: read(name, reads) for name in sorted(named)}

        def find(results: Results) -> Finding:
            if self.order:
                samples = [sample for part in self.order for sample in part.samples(results, self, known)]
                if len(samples) < 2:
                    raise ValueError("order: it has one sample; give at least two")
                return in_order(samples, mine, slack=self.slack, shown=f"{{:.{self.digits}f}}".format)
            ones = self.samples(results, self, known)
            if self.optimum:
                return _optimum(ones, mine, self.optimum)
            estimate, left_out = self._estimate(results, ones, mine, known)
            seen = [_range(ones, mine)] if self.range else []
            finding = self._verdict(estimate.times(self.times), holds, " ".join(filter(None, [*seen, left_out])))
            groups = _regimes(estimate) if not kind else []
            return replace(finding, apart=[self._verdict(one.times(self.times), holds, "") for one in groups])

        return Measure(self.plans(), find, lambda results: [part.matching(results, self) for part in self.parts()])

    def _check(self, kind: str, published: float | str) -> None:
        for part in self.parts():
            part.check(self.plan)
        if any(part.read for part in self.order):
            raise ValueError("order: a part has read; give one read for all")
        default = Declared()
        useless = [key for key in USELESS.get(kind, ()) if getattr(self, key) != getattr(default, key)]
        if useless:
            raise ValueError(f"{useless[0]}: it does not go with {kind}")
        if not self.paired and kind != "minus":
            raise ValueError("paired: it goes with minus only")
        if self.holds and not HOLDS.fullmatch(self.holds):
            raise ValueError(f'holds = "{self.holds}"; allowed: "> NUMBER", "< NUMBER" or "within NUMBER"')
        if self.holds and not isinstance(published, str):
            raise ValueError("holds: it is for a claim in words; for a number give tolerance or relation")
        if isinstance(published, str) and not self.holds and kind in ("", "optimum"):
            raise ValueError("the claim is in words; holds must say when it agrees")

    def _estimate(
        self, results: Results, ones: Sequence[Sample], mine: Read, known: Mapping[str, Read]
    ) -> tuple[Estimate, str]:
        """The estimate, and a note on pairs that are left out."""
        if self.minus and not self.paired:
            others, theirs = self.minus.samples(results, self, known), known[self.minus.read or self.read]
            return compare.apart(compare.mean_of(ones, mine), compare.mean_of(others, theirs)), ""
        for part, how in ((self.minus, compare.paired), (self.over, compare.ratio), (self.gain_over, compare.gain)):
            if part is not None:
                others, theirs = part.samples(results, self, known), known[part.read] if part.read else mine
                zeros, pairs = compare.over_zero(ones, others, mine, theirs) if part is not self.minus else (0, 0)
                note = f"{zeros} of {pairs} ratios do not exist, because the divisor is 0." if zeros else ""
                return how(ones, others, mine, theirs), note
        return ones[0].estimate(mine) if len(ones) == 1 else compare.mean_of(ones, mine), ""

    def _verdict(self, found: Estimate, holds: str, seen: str) -> Finding:
        bound = HOLDS.fullmatch(holds)
        if bound is None:
            return Finding(found.mean, found.half, seen=seen)
        than = float(bound[2])
        if bound[1] == "within":
            return within(found, than, seen=seen)
        if bound[1] == "<":
            return below(found, than, seen=seen)
        return above(found, than, seen=seen, negligible=self.negligible)


def _optimum(samples: Sequence[Sample], read: Read, end: str) -> Finding:
    """The setting of the best sample, and those of all samples that are not significantly worse."""
    best = compare.best(samples, read)
    best.estimate(read)  # what is read of it is noted, as for the other claims
    found = [setting(one, end) for one in compare.about_best(samples, read)]
    if None in found:
        raise LookupError(f'optimum: no setting ends in "{end}"')
    seen = f"Not significantly different: {', '.join(in_words(one) for one in found)}." if len(found) > 1 else ""
    return Finding(setting(best, end), seen=seen, apart=[Finding(one) for one in found])


def _regimes(estimate: Estimate) -> list[Estimate]:
    """The estimates of two regimes; none if there is one."""
    if not estimate.regimes:
        return []
    known = sorted(estimate.regimes)
    low = in_groups(known)["regimes"][0]["runs"]
    return [Estimate.of(known[:low]), Estimate.of(known[low:])]


def _range(samples: Sequence[Sample], read: Read) -> str:
    values = [value for sample in samples for value in sample.values(read) if value is not None]
    if not values:
        return ""
    low, high = (f"{value:.4g}" for value in (min(values), max(values)))
    return f"Single runs: {low} to {high}." if low != high else ""


class Curve(Selection, forbid_unknown_fields=True):
    """A curve of a figure: a measure over a setting of the plan; or a value that the paper states."""

    name: str = ""
    of: str = ""
    """The discipline; it determines the colour."""
    x: str = ""
    """The setting on the x axis. Without it, the curve is a flat line: its measure does not depend on x."""
    words: bool = False
    """Whether x has words instead of numbers."""
    panel: str = ""
    shade: float = 0.0
    published: str = ""
    """The claim whose published value is a line across the figure; the curve has no samples then."""


def curves(
    declared: Sequence[Curve], reads: Mapping[str, Read], published: Mapping[str, float | str]
) -> Callable[[Results], list[Series]]:
    """The curves of a figure; flat lines have the extent of the others.

    Raises ``LookupError`` for an unknown measure or claim, ``ValueError`` for a curve without a plan.
    """
    known: list[Read | None] = []
    for one in declared:
        if one.published and not isinstance(published.get(one.published), float | int):
            raise LookupError(f'curve {one.name}: no claim "{one.published}" has a published number')
        try:
            if not one.published:
                one.check()
            known.append(None if one.published else read(one.read, reads))
        except (LookupError, ValueError) as error:
            raise type(error)(f"curve {one.name}: {error.args[0]}") from error
    named = {name: read(name, reads) for one in declared for name in (one.read, one.by) if name}

    def series(results: Results) -> list[Series]:
        samples = [[] if one.published else one.samples(results, one, named) for one in declared]
        xs = [[_x(one, sample) for sample in some] for one, some in zip(declared, samples, strict=True)]
        numbers = [x for one, own in zip(declared, xs, strict=True) if one.x for x in own if not isinstance(x, str)]
        ends: list[float | str] = [min(numbers), max(numbers)] if numbers else []
        made = []
        for one, mine, some, own in zip(declared, known, samples, xs, strict=True):
            how: dict[str, Any] = {"of": one.of, "panel": one.panel, "shade": one.shade}
            if mine is None:
                value = float(published[one.published])
                made.append(Series.exact(one.name, ends, [value] * len(ends), kind="reference", **how))
                continue
            values = [sample.estimate(mine) for sample in some]
            if not one.x:
                if len(values) != 1:
                    raise ValueError(f"curve {one.name}: it has {len(values)} samples and no x; give x or pick")
                own, values, how["kind"] = ends, values * len(ends), "flat"
            made.append(Series.estimated(one.name, own, values, **how))
        return made

    return series


def selected(declared: Sequence[Curve], results: Results) -> list[list[Sample]]:
    """The samples of each curve that has some, before one of them is picked.

    Raises ``LookupError`` if a curve has none.
    """
    return [one.matching(results, one) for one in declared if not one.published]


def _x(one: Curve, sample: Sample) -> float | str:
    if not one.x:
        return 0.0
    return str(setting(sample, one.x)) if one.words else as_number(sample, one.x)
