"""What a reproduced paper is made of. A paper is a module of this package that makes one `Paper`."""

from __future__ import annotations

import operator
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dupack._native import Plan, batch_means
from dupack.document import estimate

PAPERS = Path(__file__).resolve().parent.parent / "papers"

Document = dict[str, Any]
Settings = dict[str, Any]


@dataclass(frozen=True)
class Experiment:
    """A plan of a paper, and what is kept of its runs."""

    plan: str
    """Its file in the paper's directory, without ``.toml``."""
    keep: Callable[[Document], Document] | None = None
    """Makes what is kept of a run's document; without it all is."""
    tape: Callable[[str], Any] | None = None
    """Makes what is kept of a run's tape; without it there is none."""
    quick: tuple[str, ...] = ()
    """Overrides for a first look."""
    quick_seeds: int = 3
    special: Callable[[Plan, int], Document] | None = None
    """Does what is no simulation of the plan's points: from the plan, on so many threads."""
    quick_keep: Callable[[Settings], bool] = lambda settings: True
    """The points of the sweep that a first look takes."""


@dataclass(frozen=True)
class Measured:
    """A run of an experiment."""

    document: Document
    tape: Any = None


@dataclass(frozen=True)
class Sample:
    """A point of an experiment's sweep with the runs of all seeds."""

    settings: Settings
    runs: Sequence[Measured]

    def estimate(self, measure: Callable[[Measured], float | None]) -> Estimate:
        """Mean and interval over the seeds; seeds without a value are left out."""
        return Estimate.of([value for value in map(measure, self.runs) if value is not None])

    def intervals(self, measure: Callable[[Measured], Sequence[float]]) -> Estimate:
        """Mean and interval over the successive intervals of long runs, those of all seeds together."""
        return Estimate.of_intervals([value for run in self.runs for value in measure(run)])


@dataclass(frozen=True)
class Estimate:
    """A mean, and the half-width of its 95 % interval if there is one."""

    mean: float | None
    half: float | None = None

    @classmethod
    def of(cls, values: Iterable[float]) -> Estimate:
        """Over replications."""
        values = list(values)
        if not values:
            return cls(None)
        both = estimate(values)
        return cls(both["mean"], both["ci95"])

    @classmethod
    def of_intervals(cls, values: Sequence[float]) -> Estimate:
        """Over the intervals of a run, as batch means (Keshav & Morgan, eqs. 2 and 3)."""
        return cls(*batch_means(list(values))) if values else cls(None)


Results = Mapping[str, Sequence[Sample]]
"""Per plan the points of its sweep, in their order."""


@dataclass(frozen=True)
class Series:
    """A curve, or a cloud of points."""

    name: str
    x: Sequence[float | str]
    y: Sequence[float | None]
    ci95: Sequence[float | None]
    of: str = ""
    """The discipline, which decides the colour."""
    shade: float = 0.0
    """0 for the discipline's own colour; towards 1 for paler ones, in families of curves."""
    kind: str = "line"
    """``line``, ``steps``, ``points``, ``events``, ``flat`` (does not depend on x), ``reference`` or
    ``cells`` (of a map)."""
    panel: str = ""
    """The panel it stands in, of a figure that has several."""
    legend: bool = True
    """Whether the legend names it; of many thin lines the panel's title says what they are."""


@dataclass(frozen=True)
class Panel:
    """The y axis of a panel."""

    y: str
    limits: tuple[float | None, float | None]


@dataclass(frozen=True)
class Table:
    """Numbers that stand below a figure."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1
    """So many columns on the left hold words, the others numbers."""
    title: str = ""
    """What it is called, of one that is folded away until somebody asks for it."""


@dataclass(frozen=True)
class Figure:
    """A figure of the paper, or one that the paper should have had."""

    id: str
    title: str
    shows: str
    """What the paper's text says that it shows."""
    x: str
    y: str
    plans: tuple[str, ...]
    series: Callable[[Results], list[Series]]
    limits: tuple[float | None, float | None] = (None, None)
    """Of the y axis."""
    log: str = ""
    """Axes that are logarithmic: ``x``, ``xy`` or none."""
    stacked: bool = False
    """Its panels stand one below the other, on one x axis."""
    flat: bool = False
    """Drawn on its side, of a figure with words on its x axis: they stand on the left, a line each."""
    place: str = ""
    """Where it belongs, if it is no figure of the paper."""
    panels: Mapping[str, Panel] = field(default_factory=dict)
    """The y axes, of a figure whose panels measure different things."""
    ours: str | Callable[[Results], str] = ""
    """What to know about this version of it: departures, and what is seen; made of the runs if it has their numbers.

    An empty line between paragraphs; one whose lines begin with "- " is a list.
    """
    table: Callable[[Results], Table] | None = None
    """What stands below it."""
    more: Callable[[Results], list[Table]] | None = None
    """Further tables, with titles."""

    def tables(self, results: Results) -> list[Table]:
        """All that stand below it."""
        return [*([self.table(results)] if self.table else []), *(self.more(results) if self.more else [])]

    def told(self, results: Results) -> Figure:
        """With what there is to know of these runs."""
        return self if isinstance(self.ours, str) else replace(self, ours=self.ours(results))

    @property
    def name(self) -> str:
        """What it is called."""
        return f"{self.short}: {self.title}"

    @property
    def short(self) -> str:
        """What it is called, without its title."""
        return self.place or f"Fig. {self.id}"

    @property
    def file(self) -> str:
        """The name of its files."""
        digits = self.id.rstrip("abcdefgh")
        return f"fig-{digits.zfill(2)}{self.id[len(digits) :]}" if digits.isdigit() else self.id

    def panel(self, name: str, *, first: bool) -> Panel:
        """The y axis of a panel; its title stands once where the panels share it."""
        return self.panels.get(name, Panel(self.y if first else "", self.limits))

    def answers(self, asked: str) -> bool:
        """Whether somebody who asks for figure ``20`` means this one (``20a``)."""
        return self.id == asked or (asked.isdigit() and self.id.rstrip("abcdefgh") == asked)


@dataclass(frozen=True)
class Finding:
    """What was measured for a claim."""

    value: float | str | None
    half: float | None = None
    agrees: bool | None = None
    """Of a claim in words; of one in numbers the published value and its tolerance decide."""
    seen: str = ""
    """What else the runs show, in words."""

    @classmethod
    def of(cls, estimate: Estimate) -> Finding:
        """A number."""
        return cls(estimate.mean, estimate.half)


@dataclass(frozen=True)
class Measure:
    """How a claim is measured."""

    plans: tuple[str, ...]
    find: Callable[[Results], Finding]


@dataclass(frozen=True)
class Remark:
    """What other runs say of a claim that we disagree with."""

    plans: tuple[str, ...]
    find: Callable[[Results], str]


class Measures(dict[str, Measure]):
    """Per claim how it is measured, and what other runs say of it."""

    def __init__(self) -> None:
        super().__init__()
        self.remarks: dict[str, Remark] = {}

    def remark(self, plans: Sequence[str], *claims: str) -> Callable[[Callable[[Results], str]], Any]:
        """Declares what these plans say of some claims. They are said where these plans were run."""

        def declare(find: Callable[[Results], str]) -> Callable[[Results], str]:
            self.remarks |= {claim: Remark(tuple(plans), find) for claim in claims}
            return find

        return declare

    def __call__(self, claim: str, *plans: str) -> Callable[[Callable[[Results], Finding]], Any]:
        """Declares how a claim is measured, and from which plans."""

        def declare(find: Callable[[Results], Finding]) -> Callable[[Results], Finding]:
            self[claim] = Measure(plans, find)
            return find

        return declare


@dataclass(frozen=True)
class Claim:
    """A number or an ordering that the paper's text states: an entry of ``published.toml``."""

    id: str
    where: str
    what: str
    published: float | str
    figure: str = ""
    tolerance: float | None = None
    relation: str = "about"
    """``about`` (within ``tolerance``), or ``<``, ``<=``, ``>``, ``>=`` to the published number."""
    note: str = ""
    """How it was read."""
    why: str = ""
    """If we disagree: the reason, as far as it is known."""
    mark: Mark | None = None

    def agrees(self, finding: Finding) -> bool | None:
        """Whether what was measured is what was published; None if that cannot be said."""
        value, published = finding.value, self.published
        if finding.agrees is not None or isinstance(published, str) or not isinstance(value, (int, float)):
            return finding.agrees
        if self.relation != "about":
            # All of the interval.
            worst = value + (finding.half or 0.0) * (1 if self.relation.startswith("<") else -1)
            return RELATIONS[self.relation](worst, published)
        far, tolerance, half = abs(value - published), self.tolerance or 0.0, finding.half or 0.0
        if far <= tolerance * (1 + 1e-9):
            return True
        # An interval that reaches it agrees too, unless it is so wide that it would reach anything.
        reaches = far <= tolerance + half
        return reaches if not reaches or half <= 0.1 * abs(published) else None


RELATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@dataclass(frozen=True)
class Mark:
    """Where a published number stands in a figure: at a point, or along a line if x or y is missing.

    Without both it is said above the figure.
    """

    label: str
    of: str = ""
    x: float | str | None = None
    y: float | None = None
    panel: str = ""
    last: bool = False
    """Of the paper's whole runs: where ours are shorter, it stands at their end."""

    def within(self, series: Sequence[Series]) -> Mark:
        """Where it stands beside these."""
        ends = [x for one in series if one.panel == self.panel for x in one.x if isinstance(x, (int, float))]
        beyond = self.last and isinstance(self.x, (int, float)) and ends and self.x > max(ends)
        return replace(self, x=max(ends)) if beyond else self


@dataclass(frozen=True)
class Reading:
    """What the paper leaves open, and how it is read here."""

    open: str
    choice: str
    reason: str


@dataclass(frozen=True)
class Paper:
    """A reproduced paper."""

    key: str
    cite: str
    about: str
    """What the paper is about, and what the report does with it."""
    short: Callable[[Results], str]
    """What came out of it, with the numbers of these runs; an empty line between paragraphs."""
    experiments: list[Experiment]
    figures: list[Figure]
    readings: list[Reading]
    quick: str
    """What a first look leaves out, in words."""
    measures: Measures
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Per table of the paper the figures with whose claims its numbers stand."""
    statistics: str = "Every value is a mean over the seeds; shaded bands, bars and ± are 95 % intervals (Student's t)."
    """What a value is a mean of, and what its interval is."""

    @property
    def directory(self) -> Path:
        """Where its plans and published numbers are."""
        return PAPERS / self.key

    def plan_file(self, plan: str) -> Path:
        """A plan of its."""
        return self.directory / f"{plan}.toml"

    def claims(self) -> list[Claim]:
        """All that its text states."""
        text = (self.directory / "published.toml").read_text(encoding="utf-8")
        claims = []
        for entry in tomllib.loads(text)["claim"]:
            mark = entry.pop("mark", None)
            if mark is not None:
                # A coordinate that is the published number says so.
                at = {key: entry["published"] if value == "published" else value for key, value in mark.items()}
                mark = Mark(**at)
            claims.append(Claim(**entry, mark=mark))
        return claims
