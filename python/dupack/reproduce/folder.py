"""A paper's folder, loaded by its path.

A folder has plans (``NAME.toml``), and beside them:

- ``paper.toml``: what the paper is, the conclusions, how its plans are run, what it leaves open
- ``published.toml``: the paper's claims, and how routine ones are measured
- ``figures.toml``: the figures in words, and the curves of simple ones
- ``measures.py``, if there is one: measures of runs (``READS``) and of the other claims (``MEASURES``)
- ``figures.py``, if there is one: the curves, numbers and tables of the other figures (``FIGURES``)

The name of a folder need not be that of a Python module. Its Python files import each other relatively
(``from .measures import goodput``).
"""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import msgspec

from dupack.errors import RequestError
from dupack.reproduce.declared import Curve, Declared, curves
from dupack.reproduce.paper import (
    Claim,
    Experiment,
    Figure,
    Figures,
    Mark,
    Measures,
    Panel,
    Paper,
    Read,
    Reading,
    Results,
    Sample,
)
from dupack.reproduce.select import setting

WORDS = ("paper.toml", "published.toml", "figures.toml")
"""The TOML files of a folder that are not plans."""
PACKAGE = "dupack_papers"


class _Struct(msgspec.Struct, forbid_unknown_fields=True):
    pass


class _Experiment(_Struct):
    quick: list[str] = []
    quick_seeds: int = 3
    quick_only: dict[str, list[Any]] = {}
    """For a first look only points with these values, by the ends of the paths; points without the path are kept."""
    quick_points: str = ""
    """The function that selects the points for a first look."""
    keep: str = ""
    tape: str = ""
    special: str = ""


class _Paper(_Struct):
    cite: str
    about: str
    short: str
    quick: str
    position: int = 0
    """Place among the papers."""
    statistics: str = ""
    tables: dict[str, tuple[str, ...]] = {}
    experiment: dict[str, _Experiment] = {}
    open: list[Reading] = []


class _Panel(_Struct):
    y: str
    y_min: float | None = None
    y_max: float | None = None


class _Figure(_Struct):
    id: str
    title: str
    shows: str
    plans: tuple[str, ...] = ()
    x: str = ""
    y: str = ""
    y_min: float | None = None
    y_max: float | None = None
    log: str = ""
    stacked: bool = False
    flat: bool = False
    place: str = ""
    panels: dict[str, _Panel] = {}
    ours: str = ""
    curves: list[Curve] = []


class _Claim(_Struct):
    id: str
    where: str
    what: str
    published: float | str
    figure: str | None = None
    tolerance: float | None = None
    relation: str = "about"
    note: str = ""
    why: str = ""
    mark: dict[str, Any] | None = None
    measure: Declared | None = None


class _Figures(_Struct):
    figure: list[_Figure] = []


class _Published(_Struct):
    claim: list[_Claim]


def is_plan(path: Path) -> bool:
    """Whether a TOML file of a folder is a plan."""
    return path.suffix == ".toml" and path.name not in WORDS


def load(directory: Path) -> Paper:
    """The paper of a folder.

    Raises ``RequestError`` for a folder that is not whole: it names the file, the place in it, and what is wrong.
    """
    directory = directory.resolve()
    words = _read(directory / "paper.toml", _Paper)
    measures, drawn = module(directory, "measures"), module(directory, "figures")
    reads: Mapping[str, Read] = getattr(measures, "READS", {})
    known: Any = getattr(measures, "MEASURES", Measures())
    claims, measured = _claims(directory, known, reads)
    numbers = getattr(measures, "short", None)
    short = unwrapped(words.short)
    optional = {"statistics": unwrapped(words.statistics)} if words.statistics else {}
    return Paper(
        key=directory.name,
        directory=directory,
        cite=words.cite,
        about=unwrapped(words.about),
        short=lambda results: short.format_map(numbers(results)) if numbers else short,
        experiments=_experiments(directory, words.experiment, measures),
        figures=_figures(directory, getattr(drawn, "FIGURES", Figures()), reads, {c.id: c.published for c in claims}),
        readings=[Reading(*map(unwrapped, (one.open, one.choice, one.reason))) for one in words.open],
        quick=unwrapped(words.quick),
        measures=measured,
        tables=words.tables,
        claims=claims,
        position=words.position,
        **optional,
    )


def unwrapped(text: str) -> str:
    """A text without the line breaks inside its paragraphs; lines of a list stay apart."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(re.sub(r"\s*\n(?!- )\s*", " ", paragraph.strip()) for paragraph in paragraphs)


T = TypeVar("T")


def _read(path: Path, of: type[T]) -> T:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RequestError(f"{path}: {error.strerror}; a paper's folder needs {', '.join(WORDS[:2])}") from error
    try:
        return msgspec.convert(tomllib.loads(text), of)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise RequestError(f"{path}: {error}") from error


def module(directory: Path, name: str) -> ModuleType | None:
    """A Python file of a folder, or None if there is no such file; the folder itself is the package that it is in."""
    if not (directory / f"{name}.py").exists():
        return None
    package = f"{PACKAGE}.{_package(directory)}"
    for parent, path in ((PACKAGE, []), (package, [str(directory)])):
        if parent not in sys.modules:
            made = ModuleType(parent)
            made.__path__ = path
            sys.modules[parent] = made
    return importlib.import_module(f"{package}.{name}")


def _package(directory: Path) -> str:
    name = re.sub(r"\W", "_", directory.name)
    ours = directory.parent == Path(__file__).resolve().parents[1] / "papers"
    # Folders elsewhere may have the same name.
    return name if ours else f"{name}_{sha256(str(directory).encode()).hexdigest()[:8]}"


def _claims(directory: Path, measured: Measures, reads: Mapping[str, Read]) -> tuple[list[Claim], Measures]:
    """The claims, and how each is measured: as declared there, or by Python."""
    file = directory / "published.toml"
    every = Measures()
    every.remarks |= measured.remarks
    claims = []
    for entry in _read(file, _Published).claim:
        declared = entry.measure
        if entry.id in every:
            raise RequestError(f"{file}: claim {entry.id}: given twice")
        if (declared is None) == (entry.id not in measured):
            problem = "has no measure here or in measures.py" if declared is None else "is also measured in measures.py"
            raise RequestError(f"{file}: claim {entry.id}: {problem}")
        try:
            every[entry.id] = measured[entry.id] if declared is None else declared.measure(entry.published, reads)
        except (LookupError, ValueError) as error:
            raise RequestError(f"{file}: claim {entry.id}: {error.args[0]}") from error
        # The word "published" as a coordinate stands for the published number.
        at: dict[str, Any] = {
            key: entry.published if value == "published" else value for key, value in (entry.mark or {}).items()
        }
        kept = {name: getattr(entry, name) for name in entry.__struct_fields__ if name not in ("mark", "measure")}
        claims.append(Claim(**kept | {"figure": entry.figure or ""}, mark=Mark(**at) if at else None))
    for kind, known in (("measures", measured), ("notes", measured.remarks)):
        unknown = sorted(set(known) - set(every))
        if unknown:
            raise RequestError(f"{directory / 'measures.py'}: {kind} of unknown claims: {', '.join(unknown)}")
    return claims, every


def _experiments(directory: Path, declared: Mapping[str, _Experiment], module: ModuleType | None) -> list[Experiment]:
    """The experiments in the order of paper.toml, then those of the other plans by name."""
    file = directory / "paper.toml"

    def function(plan: str, name: str) -> Any:
        if not name:
            return None
        if not callable(getattr(module, name, None)):
            raise RequestError(f"{file}: experiment.{plan}: measures.py has no function {name}")
        return getattr(module, name)

    plans = sorted(path.stem for path in directory.glob("*.toml") if is_plan(path))
    unknown = [plan for plan in declared if plan not in plans]
    if unknown:
        raise RequestError(f"{file}: experiment.{unknown[0]}: there is no plan {unknown[0]}.toml")
    made = []
    for plan in [*declared, *(plan for plan in plans if plan not in declared)]:
        one = declared.get(plan, _Experiment())
        named = {key: function(plan, getattr(one, key)) for key in ("keep", "tape", "special")}
        points = function(plan, one.quick_points) or _points(one.quick_only)
        made.append(
            Experiment(plan, quick=tuple(one.quick), quick_seeds=one.quick_seeds, quick_keep=points, **named),
        )
    return made


def _points(only: Mapping[str, list[Any]]) -> Callable[[dict[str, Any]], bool]:
    def kept(settings: dict[str, Any]) -> bool:
        found = {end: setting(Sample(settings, ()), end) for end in only}
        return all(value is None or value in only[end] for end, value in found.items())

    return kept


def _figures(
    directory: Path, drawn: Figures, reads: Mapping[str, Read], published: Mapping[str, float | str]
) -> list[Figure]:
    file = directory / "figures.toml"
    if not file.exists():
        return []
    made: list[Figure] = []
    for one in _read(file, _Figures).figure:
        if bool(one.curves) == (one.id in drawn.series):
            problem = "has curves here and in figures.py" if one.curves else "has no curves here or in figures.py"
            raise RequestError(f"{file}: figure {one.id}: {problem}")
        try:
            series = curves(one.curves, reads, published) if one.curves else drawn.series[one.id]
        except LookupError as error:
            raise RequestError(f"{file}: figure {one.id}: {error.args[0]}") from error
        made.append(_figure(one, series, drawn))
    unknown = sorted({*drawn.series, *drawn.numbers, *drawn.tables} - {one.id for one in made})
    if unknown:
        raise RequestError(f"{directory / 'figures.py'}: unknown figures: {', '.join(unknown)}")
    return made


def _figure(one: _Figure, series: Callable[[Results], Any], drawn: Figures) -> Figure:
    ours, numbers = unwrapped(one.ours), drawn.numbers.get(one.id)
    tables: Sequence[Any] = drawn.tables.get(one.id, ())
    return Figure(
        one.id,
        one.title,
        unwrapped(one.shows),
        one.x,
        one.y,
        one.plans,
        series,
        limits=(one.y_min, one.y_max),
        log=one.log,
        stacked=one.stacked,
        flat=one.flat,
        place=one.place,
        panels={name: Panel(panel.y, (panel.y_min, panel.y_max)) for name, panel in one.panels.items()},
        ours=(lambda results: ours.format_map(numbers(results))) if numbers else ours,
        tables=tables,
    )
