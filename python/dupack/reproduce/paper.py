"""The parts of a reproduced paper. A paper is a folder, which `dupack.reproduce.folder` loads."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from dupack._native import Plan, batch_means
from dupack.document import estimate
from dupack.regimes import in_groups
from dupack.reproduce.watch import see

PAPERS = Path(__file__).resolve().parent.parent / "papers"
STUDIES = PAPERS.parent / "studies"

Document = dict[str, Any]
Settings = dict[str, Any]


@dataclass(frozen=True)
class Experiment:
    """A plan of a paper, and the part of its runs that is kept."""

    plan: str
    """Name of its file in the paper's directory, without ``.toml``."""
    keep: Callable[[Document], Document] | None = None
    """Selects the part of a run's document to keep; None keeps all."""
    tape: Callable[[str], Any] | None = None
    """Selects the part of a run's tape to keep; None records no tape."""
    quick: tuple[str, ...] = ()
    """Overrides for a first look."""
    quick_seeds: int = 3
    special: Callable[[Plan, int], Document] | None = None
    """Replaces the simulation of the plan's points: takes the plan and the number of threads."""
    quick_keep: Callable[[Settings], bool] = lambda settings: True
    """Selects the points of the sweep for a first look."""


@dataclass(frozen=True)
class Measured:
    """A run of an experiment."""

    document: Document
    tape: Any = None
    options: Mapping[str, str] = field(default_factory=dict)
    """What a reading of the paper chooses for its measures; see `dupack.readings.axes`."""

    def option(self, name: str, otherwise: str) -> str:
        """The choice of a reading, such as what "throughput" counts; ``otherwise`` is that of the plans as they are."""
        return self.options.get(name, otherwise)

    @property
    def measured_s(self) -> float:
        """Time that is measured: the duration without the warm-up [s]."""
        return float(self.document["duration_s"] - self.document["warm_up_s"])


Read = Callable[[Measured], float | Sequence[float] | None]
"""What is read off a run: a number, None if it has none, or the values of successive intervals."""


@dataclass(frozen=True)
class Sample:
    """A point of an experiment's sweep with the runs of all seeds."""

    settings: Settings
    runs: Sequence[Measured]

    @cached_property
    def alike(self) -> bool:
        """Whether it has several runs that differ in nothing: the plan does not depend on the seed."""
        first, *others = ({**run.document, "seed": None, "cpu_s": None} for run in self.runs)
        tapes = [run.tape for run in self.runs]
        return bool(others) and all(one == first for one in others) and all(tape == tapes[0] for tape in tapes)

    def values(self, read: Read) -> list[float | None]:
        """What is read off each run, or off each successive interval of each run."""
        return self._read(read)[0]

    def estimate(self, read: Read) -> Estimate:
        """Mean and interval: over the seeds that have a value, or over the successive intervals of long runs.

        Runs that differ in nothing are one run: their mean has no interval.
        """
        values, successive = first_of_alike([self])[0]._read(read)
        known = [value for value in values if value is not None]
        return Estimate.of_intervals(known) if successive else Estimate.of(known)

    def total(self, read: Read) -> float:
        """Sum over all runs of what is read off each."""
        return sum(value for value in self.values(read) if value is not None)

    def _read(self, read: Read) -> tuple[list[float | None], bool]:
        found = [read(run) for run in self.runs]
        values: list[float | None] = []
        for value in found:
            values += value if isinstance(value, Sequence) else [value]
        successive = isinstance(found[0], Sequence)
        see(self.settings, values, intervals=successive)
        return values, successive


def first_of_alike(samples: Sequence[Sample]) -> list[Sample]:
    """The samples, each with one run if all runs of each are alike: there are no replications to compare."""
    return [replace(one, runs=one.runs[:1]) if all(each.alike for each in samples) else one for one in samples]


@dataclass(frozen=True)
class Estimate:
    """A mean, and the half-width of its 95 % interval if there is one."""

    mean: float | None
    half: float | None = None
    regimes: Sequence[float] = field(default=(), compare=False)
    """The values of the replications, if they fall into two groups: the mean then describes none of them."""

    @classmethod
    def of(cls, values: Iterable[float]) -> Estimate:
        """Over replications."""
        values = list(values)
        if not values:
            return cls(None)
        both = estimate(values)
        return cls(both["mean"], both["ci95"], values if in_groups(values) else ())

    @classmethod
    def of_intervals(cls, values: Sequence[float]) -> Estimate:
        """Over the intervals of a run, as batch means (Keshav & Morgan, eqs. 2 and 3)."""
        return cls(*batch_means(list(values))) if values else cls(None)

    def times(self, factor: float) -> Estimate:
        """The same in another unit, or over a constant."""
        half = None if self.half is None else abs(factor) * self.half
        mean = None if self.mean is None else factor * self.mean
        return Estimate(mean, half, [factor * value for value in self.regimes])


Results = Mapping[str, Sequence[Sample]]
"""The points of the sweep of each plan, in order."""


@dataclass(frozen=True)
class Series:
    """A curve, or a cloud of points."""

    name: str
    x: Sequence[float | str]
    y: Sequence[float | None]
    ci95: Sequence[float | None]
    of: str = ""
    """The discipline; it determines the colour."""
    shade: float = 0.0
    """0 for the discipline's own colour; towards 1 for paler ones, in families of curves."""
    kind: str = "line"
    """``line``, ``steps``, ``points``, ``events``, ``flat`` (does not depend on x), ``reference`` or
    ``cells`` (of a map); ``other`` is a curve of another reading of the paper, which is drawn thinly; ``runs`` are the
    single runs of points of another curve."""
    panel: str = ""
    """Its panel, in a figure with several."""
    legend: bool = True
    """Whether the legend names it; many thin lines are named by the panel's title."""
    singles: Sequence[tuple[float | str, float]] = ()
    """Where the runs of a point fall into two regimes: x and y of each of them."""

    @classmethod
    def estimated(cls, name: str, x: Sequence[float | str], y: Sequence[Estimate], **how: Any) -> Series:
        """Values with their intervals."""
        singles = [(at, value) for at, one in zip(x, y, strict=True) for value in one.regimes]
        return cls(name, list(x), [one.mean for one in y], [one.half for one in y], singles=singles, **how)

    @classmethod
    def exact(cls, name: str, x: Sequence[float | str], y: Sequence[float | None], **how: Any) -> Series:
        """Values without intervals."""
        return cls(name, list(x), list(y), [None] * len(x), **how)

    def with_singles(self) -> list[Series]:
        """The curve, and the runs of the points whose mean describes no run."""
        if not self.singles:
            return [self]
        x, y = zip(*self.singles, strict=True)
        how: dict[str, Any] = {"of": self.of, "panel": self.panel, "shade": self.shade, "legend": False}
        return [self, Series.exact(f"{self.name}, single runs", x, y, kind="runs", **how)]


@dataclass(frozen=True)
class Panel:
    """The y axis of a panel."""

    y: str
    limits: tuple[float | None, float | None]


@dataclass(frozen=True)
class Table:
    """A table below a figure."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1
    """Number of columns, on the left, that hold words; the others hold numbers."""
    title: str = ""
    """Title of a table that is folded until the reader opens it."""


@dataclass(frozen=True)
class Figure:
    """A figure of the paper, or an additional one."""

    id: str
    title: str
    shows: str
    """What the figure shows, according to the paper."""
    x: str
    y: str
    plans: tuple[str, ...]
    series: Callable[[Results], list[Series]]
    limits: tuple[float | None, float | None] = (None, None)
    """Limits of the y axis."""
    log: str = ""
    """Axes that are logarithmic: ``x``, ``y``, ``xy`` or none."""
    stacked: bool = False
    """Whether its panels are stacked on a common x axis."""
    flat: bool = False
    """Whether a figure with words on its x axis is drawn sideways, with the words on the left."""
    place: str = ""
    """Its place, if it is not a figure of the paper."""
    panels: Mapping[str, Panel] = field(default_factory=dict)
    """The y axes of a figure whose panels have different measures."""
    ours: str | Callable[[Results], str] = ""
    """Notes on our version: departures and observations; a function if they include numbers of the runs.

    Empty lines separate paragraphs; a paragraph whose lines begin with "- " is a list.
    """
    tables: Sequence[Callable[[Results], Table]] = ()
    """The tables below it."""
    select: Callable[[Results], object] = lambda results: None
    """See `Measure.select`."""

    def told(self, results: Results) -> Figure:
        """The figure with its notes on these runs."""
        return self if isinstance(self.ours, str) else replace(self, ours=self.ours(results))

    @property
    def name(self) -> str:
        """Its name with its title."""
        return f"{self.short}: {self.title}"

    @property
    def short(self) -> str:
        """Its name without its title."""
        return self.place or f"Fig. {self.id}"

    @property
    def file(self) -> str:
        """The name of its files."""
        digits = self.id.rstrip("abcdefgh")
        return f"fig-{digits.zfill(2)}{self.id[len(digits) :]}" if digits.isdigit() else self.id

    def panel(self, name: str, *, first: bool) -> Panel:
        """The y axis of a panel; a title that the panels share appears once."""
        return self.panels.get(name, Panel(self.y if first else "", self.limits))

    def answers(self, asked: str) -> bool:
        """Whether a request for figure ``20`` includes this one (``20a``)."""
        return self.id == asked or (asked.isdigit() and self.id.rstrip("abcdefgh") == asked)


@dataclass(frozen=True)
class Finding:
    """The finding for a claim: what was measured."""

    value: float | str | None
    half: float | None = None
    agrees: bool | None = None
    """Whether it agrees with a claim in words; for a number, the published value and its tolerance decide."""
    seen: str = ""
    """A note on what else the runs show."""
    apart: Sequence[Finding] = ()
    """What it can be, if it is not one number: the findings of two regimes, or all settings that may be the best."""

    @classmethod
    def of(cls, estimate: Estimate) -> Finding:
        """A number."""
        return cls(estimate.mean, estimate.half)


@dataclass(frozen=True)
class Measure:
    """How a claim is measured."""

    plans: tuple[str, ...]
    find: Callable[[Results], Finding]
    select: Callable[[Results], object] = lambda results: None
    """Raises an error if it needs a point that no plan has. It looks at settings only: samples need no runs."""


@dataclass(frozen=True)
class Remark:
    """A note from other runs on a claim that does not agree."""

    plans: tuple[str, ...]
    find: Callable[[Results], str]


class Measures(dict[str, Measure]):
    """How each claim is measured, and notes from other runs."""

    def __init__(self) -> None:
        super().__init__()
        self.remarks: dict[str, Remark] = {}

    def remark(self, plans: Sequence[str], *claims: str) -> Callable[[Callable[[Results], str]], Any]:
        """Declares a note from these plans on some claims. It appears if these plans were run."""

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


class Figures:
    """What Python makes of figures that are declared in ``figures.toml``, by their ids."""

    def __init__(self) -> None:
        self.series: dict[str, Callable[[Results], list[Series]]] = {}
        self.numbers: dict[str, Callable[[Results], Mapping[str, Any]]] = {}
        """The numbers in the notes on a figure, by the names that the notes give them."""
        self.tables: dict[str, list[Callable[[Results], Table]]] = {}

    def __call__(self, *figures: str) -> Callable[[Callable[[Results], list[Series]]], Any]:
        """Declares the curves of figures."""
        return self._declare(self.series, figures)

    def note(self, *figures: str) -> Callable[[Callable[[Results], Mapping[str, Any]]], Any]:
        """Declares the numbers in the notes on figures."""
        return self._declare(self.numbers, figures)

    def table(self, *figures: str) -> Callable[[Callable[[Results], Table]], Any]:
        """Declares a table below figures; a figure may have several, in the order of declaration."""

        def declare(find: Callable[[Results], Table]) -> Callable[[Results], Table]:
            for figure in figures:
                self.tables.setdefault(figure, []).append(find)
            return find

        return declare

    @staticmethod
    def _declare(known: dict[str, Any], figures: Sequence[str]) -> Callable[[Any], Any]:
        def declare(find: Any) -> Any:
            for figure in figures:
                if figure in known:
                    raise ValueError(f"figure {figure} is declared twice")
                known[figure] = find
            return find

        return declare


@dataclass(frozen=True)
class Claim:
    """A number or an order that the paper states: an entry of ``published.toml``."""

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
    """If it does not agree: the reason, as far as it is known."""
    shows: str = ""
    """What full runs of the best reading show of it, whether it agrees or not."""
    mark: Mark | None = None

    def agrees(self, finding: Finding) -> bool | None:
        """Whether the finding agrees with the claim; None if that cannot be said.

        A finding of several numbers agrees if each of them does, and does not if none does.
        """
        verdicts = {self._agrees(one) for one in finding.apart or [finding]}
        return verdicts.pop() if len(verdicts) == 1 else None

    def _agrees(self, finding: Finding) -> bool | None:
        value, published = finding.value, self.published
        if finding.agrees is not None or isinstance(published, str) or not isinstance(value, (int, float)):
            return finding.agrees
        if self.relation != "about":
            # The whole interval must satisfy the relation, or the whole of it must not.
            half, holds = finding.half or 0.0, RELATIONS[self.relation]
            verdicts = {holds(value - half, published), holds(value + half, published)}
            return verdicts.pop() if len(verdicts) == 1 else None
        half, tolerance = finding.half or 0.0, (self.tolerance or 0.0) * (1 + 1e-9)
        far = abs(value - published)
        if far + half <= tolerance:
            return True
        if far - half > tolerance:
            return False
        # The interval contains a bound of the tolerance. It agrees too, unless it is too wide to say anything.
        return True if half <= 0.1 * abs(published) else None


RELATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@dataclass(frozen=True)
class Mark:
    """The position of a published number in a figure: a point, or a line if x or y is missing.

    A range is a band from y to ``y_to``. Without x and y it is text above the figure.
    """

    label: str
    of: str = ""
    x: float | str | None = None
    y: float | None = None
    y_to: float | None = None
    """The upper end of a range; y is then its lower end, and x is missing."""
    panel: str = ""
    last: bool = False
    """Whether it is at the end of the paper's runs; if ours are shorter, it is drawn at their end."""

    def within(self, series: Sequence[Series]) -> Mark:
        """The mark, moved to its position beside these series."""
        ends = [x for one in series if one.panel == self.panel for x in one.x if isinstance(x, (int, float))]
        beyond = self.last and isinstance(self.x, (int, float)) and ends and self.x > max(ends)
        return replace(self, x=max(ends)) if beyond else self


@dataclass(frozen=True)
class Reading:
    """A point that the paper leaves open, and our reading of it."""

    open: str
    choice: str
    reason: str


@dataclass(frozen=True)
class Paper:
    """A reproduced paper."""

    key: str
    directory: Path
    """Its folder: plans, published numbers, words and measures."""
    cite: str
    about: str
    """Subject of the paper, and of the report."""
    short: Callable[[Results], str]
    """The conclusions, with the numbers of these runs; empty lines separate paragraphs."""
    experiments: list[Experiment]
    figures: list[Figure]
    readings: list[Reading]
    quick: str
    """A sentence on what a first look leaves out."""
    measures: Measures
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For each table of the paper, the figures whose claims have its numbers."""
    statistics: str = (
        "Every value is a mean over the seeds; shaded bands, bars and ± are 95 % confidence intervals (Student's t)."
    )
    """What values are means of, and what their intervals are."""

    claims: Sequence[Claim] = ()
    """What the paper states, in its order."""
    position: int = 0
    """Its place among the papers."""
    live: bool = False
    """Whether its plans are run on kernel traffic, in real time."""
    stated: str = "published"
    """What its claims are: published, or expected before the runs of a study that no paper has."""

    def plan_file(self, plan: str) -> Path:
        """The file of a plan."""
        return self.directory / f"{plan}.toml"
