"""Loads a paper from its folder.

A folder has plans (``NAME.toml``) and these files:

- ``paper.toml``: what the paper is, our conclusions, how its plans are run, what it leaves open
- ``published.toml``: the paper's claims, and how the simple ones are measured
- ``figures.toml``: texts and axes of the figures, and the curves of the simple ones
- ``measures.py`` (optional): measures of runs (``READS``) and of the other claims (``MEASURES``)
- ``figures.py`` (optional): the curves, numbers and tables of the other figures (``FIGURES``)

The name of a folder may be one that a Python module cannot have. The Python files of a folder import each other
relatively (``from .measures import goodput``).
"""

from __future__ import annotations

import importlib
import re
import string
import sys
import tomllib
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial, wraps
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from dupack.errors import Error, RequestError
from dupack.files import read_regular
from dupack.reproduce.declared import Curve, Declared, curves, selected
from dupack.reproduce.paper import (
    PAPERS,
    Claim,
    Experiment,
    Figure,
    Figures,
    Finding,
    Mark,
    Measure,
    Measures,
    Panel,
    Paper,
    Read,
    Reading,
    Remark,
    Results,
    Sample,
)
from dupack.reproduce.select import setting

WORDS = ("paper.toml", "published.toml", "figures.toml", "readings.toml")
"""The TOML files of a folder that are not plans."""
PACKAGE = "dupack_papers"


class _Struct(msgspec.Struct, forbid_unknown_fields=True):
    pass


class _Experiment(_Struct):
    quick: list[str] = []
    quick_seeds: Annotated[int, msgspec.Meta(ge=1)] = 3
    quick_only: dict[str, list[Any]] = {}
    """For a first look only points with these values, by the ends of the paths; points without the path are kept."""
    quick_points: str = ""
    """The function that selects the points for a first look."""
    keep: str = ""
    tape: str = ""
    special: str = ""


class _Open(_Struct):
    open: str
    choice: str
    reason: str


class _Paper(_Struct):
    cite: str
    about: str
    short: str
    quick: str
    position: int = 0
    """Place among the papers."""
    live: bool = False
    """Whether its plans are run on kernel traffic."""
    stated: Literal["published", "expected"] = "published"
    statistics: str = ""
    tables: dict[str, tuple[str, ...]] = {}
    experiment: dict[str, _Experiment] = {}
    open: list[_Open] = []


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
    log: Literal["", "x", "y", "xy"] = ""
    stacked: bool = False
    flat: bool = False
    place: str = ""
    panels: dict[str, _Panel] = {}
    ours: str = ""
    curves: list[Curve] = []


class _Mark(_Struct):
    """The position of a published number in a figure; the word "published" stands for that number."""

    label: str
    of: str = ""
    x: float | str | None = None
    y: float | Literal["published"] | None = None
    y_to: float | Literal["published"] | None = None
    panel: str = ""
    last: bool = False


class _Claim(_Struct):
    id: str
    where: str
    what: str
    published: float | str
    figure: str | None = None
    tolerance: float | None = None
    relation: Literal["about", "<", "<=", ">", ">="] = "about"
    note: str = ""
    why: str = ""
    shows: str = ""
    mark: _Mark | None = None
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
    _forget(directory)
    _check_kinds(directory)
    words = _read(directory / "paper.toml", _Paper)
    measures, drawn = module(directory, "measures"), module(directory, "figures")
    reads: Mapping[str, Read] = _given(directory, measures, "READS", dict, {})
    for name, by in reads.items():
        if not callable(by):
            raise RequestError(f"{directory / 'measures.py'}: READS: {name} is no function")
    claims, measured = _claims(directory, _given(directory, measures, "MEASURES", Measures, Measures()), reads)
    figures = _figures(
        directory,
        _given(directory, drawn, "FIGURES", Figures, Figures()),
        reads,
        {claim.id: claim.published for claim in claims},
    )
    experiments = _experiments(directory, words.experiment, measures)
    _check_names(directory, words.tables, claims, figures)
    _check_plans(directory, {one.plan for one in experiments}, measured, figures)
    numbers = getattr(measures, "short", None)
    if numbers is not None:
        numbers = _guarded(directory, f"{directory / 'measures.py'}: short", numbers)
    short = _filled(unwrapped(words.short), numbers, f"{directory / 'paper.toml'}: short")
    optional = {"statistics": unwrapped(words.statistics)} if words.statistics else {}
    return Paper(
        key=directory.name,
        directory=directory,
        cite=words.cite,
        about=unwrapped(words.about),
        short=(lambda results: short) if isinstance(short, str) else short,
        experiments=experiments,
        figures=figures,
        readings=[Reading(*map(unwrapped, (one.open, one.choice, one.reason))) for one in words.open],
        quick=unwrapped(words.quick),
        measures=measured,
        tables=words.tables,
        claims=claims,
        position=words.position,
        live=words.live,
        stated=words.stated,
        **optional,
    )


def unwrapped(text: str) -> str:
    """A text without the line breaks inside its paragraphs; lines of a list stay apart."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(re.sub(r"\s*\n(?!- )\s*", " ", paragraph.strip()) for paragraph in paragraphs)


T = TypeVar("T")


def _check_kinds(directory: Path) -> None:
    """Raises ``RequestError`` for what is no file: a device has no end, and a reader waits for a pipe."""
    for path in sorted((*directory.glob("*.toml"), *directory.glob("*.py"))):
        # What is not there, behind a link, is told where it is needed.
        if path.exists() and not path.is_file():
            raise RequestError(f"{path}: not a file")


def _read(path: Path, of: type[T]) -> T:
    try:
        text = read_regular(path).decode()
    except OSError as error:
        raise RequestError(f"{path}: {error.strerror}; a paper's folder needs {', '.join(WORDS[:2])}") from error
    except UnicodeDecodeError as error:
        raise RequestError(f"{path}: byte {error.start} is not UTF-8") from error
    try:
        data = tomllib.loads(text)
        return msgspec.convert(data, of)
    except tomllib.TOMLDecodeError as error:
        raise RequestError(f"{path}: {error}") from error
    except RecursionError:
        raise RequestError(f"{path}: its lists or tables are nested too deeply") from None
    except msgspec.ValidationError as error:
        raise RequestError(f"{path}: {error}{_entry(data, str(error))}") from error


def _entry(data: Mapping[str, Any], error: str) -> str:
    """The id of the claim or the figure that an error gives only by its number."""
    at = re.search(r"`\$\.(claim|figure)\[(\d+)\]", error)
    entry = data[at[1]][int(at[2])] if at else None
    return f", {at[1]} {entry['id']}" if at and isinstance(entry, dict) and "id" in entry else ""


def module(directory: Path, name: str) -> ModuleType | None:
    """A Python file of the folder, None if there is none; the folder itself is the package that it is in.

    Raises ``RequestError`` if the file cannot be imported.
    """
    if not (directory / f"{name}.py").exists():
        return None
    package = f"{PACKAGE}.{_package(directory)}"
    for parent, path in ((PACKAGE, []), (package, [str(directory)])):
        if parent not in sys.modules:
            made = ModuleType(parent)
            made.__path__ = path
            sys.modules[parent] = made
    try:
        return importlib.import_module(f"{package}.{name}")
    except (Exception, SystemExit) as error:
        place = _place(directory, error) or f"{directory / name}.py"
        raise RequestError(f"{place}: {type(error).__name__}: {error}") from error


def stated(directory: Path) -> dict[str, float | str]:
    """What the paper states, by claim."""
    return {claim.id: claim.published for claim in _read(directory / "published.toml", _Published).claim}


def _place(directory: Path, error: BaseException) -> str:
    """The line of the folder's Python that raised an error, if one did."""
    at = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).parent == directory]
    return f"{at[-1].filename}, line {at[-1].lineno}" if at else ""


def _guarded(directory: Path, place: str, find: Callable[..., Any], gives: type | None = None) -> Callable[..., Any]:
    """A function of the folder whose errors name the claim or the figure, and the line."""

    @wraps(find)
    def guarded(*given: Any) -> Any:
        try:
            found = find(*given)
        except Error:
            raise
        except Exception as error:
            line = _place(directory, error)
            ours = not line and type(error) in (LookupError, ValueError)
            told = str(error) if ours else f"{type(error).__name__}: {error}"
            raise RequestError(f"{place}: {f'{line}: ' if line else ''}{told}") from error
        if gives is not None and not isinstance(found, gives):
            raise RequestError(f"{place}: measures.py gives {found!r} and not a {gives.__name__}")
        return found

    return guarded


def _given(directory: Path, module: ModuleType | None, name: str, of: type[T], otherwise: T) -> T:
    found = getattr(module, name, otherwise)
    if not isinstance(found, of):
        file = directory / f"{(module.__name__ if module else '').rpartition('.')[2]}.py"
        raise RequestError(f"{file}: {name} is a {type(found).__name__} and not a {of.__name__}")
    return found


class _Missing:
    """A number that these runs do not have."""

    def __format__(self, form: str) -> str:
        return "-"


def _filled(
    text: str, numbers: Callable[[Results], Mapping[str, Any]] | None, place: str
) -> str | Callable[[Results], str]:
    """A text with the numbers of runs in braces."""
    if numbers is None:
        named = re.findall(r"\{(\w+)[^{}]*\}", text)
        if named:
            raise RequestError(f"{place}: {{{named[0]}}} stands for a number, but no Python gives the numbers")
        return text
    try:
        names = [re.split(r"[.\[]", name)[0] for _, name, _, _ in string.Formatter().parse(text) if name is not None]
    except ValueError as error:
        raise RequestError(f"{place}: {error}") from error

    def filled(results: Results) -> str:
        known = numbers(results)
        missing = [name for name in names if name not in known]
        if missing:
            raise RequestError(f"{place}: {{{missing[0]}}} is not among the numbers: {', '.join(known) or 'none'}")
        try:
            return text.format_map({name: _Missing() if value is None else value for name, value in known.items()})
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise RequestError(f"{place}: {error}") from error

    return filled


def _unknown(place: str, what: str, named: Iterable[str], known: Iterable[str]) -> None:
    """Raises ``RequestError`` if something that is named does not exist."""
    known = list(known)
    for name in named:
        if name not in known:
            raise RequestError(f"{place}: there is no {what} {name}; known: {', '.join(known) or 'none'}")


def _check_names(
    directory: Path, tables: Mapping[str, Sequence[str]], claims: Sequence[Claim], figures: Sequence[Figure]
) -> None:
    drawn = [figure.id for figure in figures]
    for claim in claims:
        if claim.figure:
            _unknown(f"{directory / 'published.toml'}: claim {claim.id}", "figure", [claim.figure], drawn)
    for table, named in tables.items():
        _unknown(f"{directory / 'paper.toml'}: tables.{table}", "figure", named, drawn)


def _check_plans(directory: Path, plans: set[str], measured: Measures, figures: Sequence[Figure]) -> None:
    known = sorted(plans)
    for claim, measure in measured.items():
        _unknown(f"{directory / 'published.toml'}: claim {claim}", "plan", measure.plans, known)
    for claim, remark in measured.remarks.items():
        _unknown(f"{directory / 'measures.py'}: note on {claim}", "plan", remark.plans, known)
    for figure in figures:
        _unknown(f"{directory / 'figures.toml'}: figure {figure.id}", "plan", figure.plans, known)


def _forget(directory: Path) -> None:
    """Forgets the Python of a folder, which its author may have changed since it was loaded."""
    if directory.parent == PAPERS:
        return
    package = f"{PACKAGE}.{_package(directory)}"
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        del sys.modules[name]


def _package(directory: Path) -> str:
    name = re.sub(r"\W", "_", directory.name)
    # Folders elsewhere may have the same name.
    return name if directory.parent == PAPERS else f"{name}_{sha256(str(directory).encode()).hexdigest()[:8]}"


def _claims(directory: Path, measured: Measures, reads: Mapping[str, Read]) -> tuple[list[Claim], Measures]:
    """The claims, and how each is measured: as declared there, or by Python."""
    file = directory / "published.toml"
    every = Measures()
    for claim, remark in measured.remarks.items():
        told = _guarded(directory, f"{directory / 'measures.py'}: note on {claim}", remark.find)
        every.remarks[claim] = Remark(remark.plans, told)
    claims = []
    for entry in _read(file, _Published).claim:
        declared = entry.measure
        if entry.id in every:
            raise RequestError(f"{file}: claim {entry.id}: given twice")
        if (declared is None) == (entry.id not in measured):
            problem = "has no measure here or in measures.py" if declared is None else "is also measured in measures.py"
            raise RequestError(f"{file}: claim {entry.id}: {problem}")
        try:
            found = measured[entry.id] if declared is None else declared.measure(entry.published, reads)
        except (LookupError, ValueError) as error:
            raise RequestError(f"{file}: claim {entry.id}: {error.args[0]}") from error
        place = f"{file}: claim {entry.id}"
        find, select = _guarded(directory, place, found.find, Finding), _guarded(directory, place, found.select)
        every[entry.id] = Measure(found.plans, find, select)
        kept = {name: getattr(entry, name) for name in entry.__struct_fields__ if name not in ("mark", "measure")}
        claims.append(Claim(**kept | {"figure": entry.figure or ""}, mark=_mark(entry, file)))
    for kind, known in (("measures", measured), ("notes", measured.remarks)):
        unknown = sorted(set(known) - set(every))
        if unknown:
            raise RequestError(f"{directory / 'measures.py'}: {kind} of unknown claims: {', '.join(unknown)}")
    return claims, every


def _mark(entry: _Claim, file: Path) -> Mark | None:
    if entry.mark is None:
        return None
    at = msgspec.structs.asdict(entry.mark)
    named = [key for key in ("x", "y", "y_to") if at[key] == "published"]
    if named and isinstance(entry.published, str):
        raise RequestError(f'{file}: claim {entry.id}: mark: {named[0]} = "published"; the claim is in words')
    mark = Mark(**at | dict.fromkeys(named, entry.published))
    if mark.y_to is not None and (mark.x is not None or mark.y is None or mark.y_to <= mark.y):
        raise RequestError(
            f"{file}: claim {entry.id}: mark: x = {mark.x}, y = {mark.y}, y_to = {mark.y_to}; "
            "a range has a y below y_to, and no x"
        )
    return mark


def _experiments(directory: Path, declared: Mapping[str, _Experiment], module: ModuleType | None) -> list[Experiment]:
    """The experiments in the order of paper.toml, then those of the other plans by name."""
    file = directory / "paper.toml"

    def function(plan: str, name: str) -> Any:
        if not name:
            return None
        if not callable(getattr(module, name, None)):
            raise RequestError(f"{file}: experiment.{plan}: measures.py has no function {name}")
        return _guarded(directory, f"{directory / 'measures.py'}: {name}, for {plan}", getattr(module, name))

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
    directory: Path, drawn: Figures, reads: Mapping[str, Read], known: Mapping[str, float | str]
) -> list[Figure]:
    file = directory / "figures.toml"
    if not file.exists():
        return []
    declared = _read(file, _Figures).figure
    unknown = sorted({*drawn.series, *drawn.numbers, *drawn.tables} - {one.id for one in declared})
    if unknown:
        raise RequestError(f"{directory / 'figures.py'}: unknown figures: {', '.join(unknown)}")
    made: list[Figure] = []
    for one in declared:
        if bool(one.curves) == (one.id in drawn.series):
            problem = "has curves here and in figures.py" if one.curves else "has no curves here or in figures.py"
            raise RequestError(f"{file}: figure {one.id}: {problem}")
        place = f"{file}: figure {one.id}"
        if one.id in {other.id for other in made}:
            raise RequestError(f"{place}: given twice")
        for curve in one.curves:
            if curve.plan and curve.plan not in one.plans:
                raise RequestError(f"{place}: curve {curve.name}: plans do not name its plan {curve.plan}")
        try:
            series = curves(one.curves, reads, known) if one.curves else drawn.series[one.id]
        except (LookupError, ValueError) as error:
            raise RequestError(f"{place}: {error.args[0]}") from error
        select = _guarded(directory, place, partial(selected, one.curves))
        made.append(replace(_figure(one, series, drawn, directory), select=select))
    return made


def _figure(one: _Figure, series: Callable[[Results], Any], drawn: Figures, directory: Path) -> Figure:
    place = f"{directory / 'figures.toml'}: figure {one.id}"
    numbers = drawn.numbers.get(one.id)
    if numbers is not None:
        numbers = _guarded(directory, f"{place}: numbers", numbers)
    tables = [_guarded(directory, f"{place}: table", table) for table in drawn.tables.get(one.id, ())]
    return Figure(
        one.id,
        one.title,
        unwrapped(one.shows),
        one.x,
        one.y,
        one.plans,
        _guarded(directory, place, series),
        limits=(one.y_min, one.y_max),
        log=one.log,
        stacked=one.stacked,
        flat=one.flat,
        place=one.place,
        panels={name: Panel(panel.y, (panel.y_min, panel.y_max)) for name, panel in one.panels.items()},
        ours=_filled(unwrapped(one.ours), numbers, f"{place}: ours"),
        tables=tables,
    )
