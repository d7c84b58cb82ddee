"""The axes of what a paper leaves open: ``readings.toml``.

An axis is a point that the text leaves open; its values are the ways to read it. A reading has a value on each axis.
A value edits the plans, or it sets options of the measures (`dupack.reproduce.paper.Measured.option`), or both. Each
axis has one value that does neither: it is as in the plans.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from dupack.errors import PlanError, RequestError
from dupack.files import read_regular
from dupack.readings.edits import Edits, edited, inside, texts, toml, written
from dupack.reproduce.paper import Paper
from dupack.work import Plan, read_plan

FILE = "readings.toml"
BASES = ("letter", "tool", "standard", "guess")
"""What a value rests on, in order of preference: the text, the simulator or the stack that the authors name, a
standard of that time, or nothing."""

Word = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9]+([-.][a-z0-9]+)*\Z")]
Text = Annotated[str, msgspec.Meta(pattern=r"\S")]


class Value(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A way to read an open point."""

    name: Word
    says: Text
    """What it means, in a few words."""
    basis: Literal["letter", "tool", "standard", "guess"]
    why: Text
    """The reason, or the source."""
    set: dict[str, Any] = {}
    """Values by path of the plan; a star stands for any letters of a name or key."""
    replace: dict[str, dict[str, Any]] = {}
    """New values for old ones, by path."""
    only: dict[str, dict[str, Any]] = {}
    """Values by path, for one plan each."""
    measure: dict[str, Text] = {}
    """Options of the measures."""
    excluded: Text = ""
    """Why no best reading may have it: it reads the same words in different ways in different figures, or the paper's
    own numbers rule it out. Empty for all others."""

    @property
    def planned(self) -> bool:
        """Whether it is as in the plans."""
        return not (self.set or self.replace or self.only or self.measure)


class Axis(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A point that the paper leaves open."""

    name: Word
    where: Text
    """The place in the paper."""
    open: Text
    """What the text says there, or omits."""
    value: Annotated[list[Value], msgspec.Meta(min_length=2)]
    plans: list[str] = []
    """The plans whose edits it makes; all, if none is named."""

    @property
    def planned(self) -> int:
        """The value that is as in the plans."""
        return next(at for at, value in enumerate(self.value) if value.planned)

    @property
    def preferred(self) -> int:
        """The first of the values with the best basis, of those that are not excluded."""
        bases = [(bool(value.excluded), BASES.index(value.basis)) for value in self.value]
        return bases.index(min(bases))

    def edits(self, at: int, plan: str) -> Edits:
        """The edits that a value makes in a plan."""
        value = self.value[at]
        if self.plans and plan not in self.plans:
            return Edits()
        return Edits([*value.set.items(), *value.only.get(plan, {}).items()], list(value.replace.items()))


class _File(msgspec.Struct, forbid_unknown_fields=True):
    axis: Annotated[list[Axis], msgspec.Meta(min_length=1)]


Reading = tuple[int, ...]
"""The index of the value on each axis."""
Paths = dict[tuple[str, int, str], list[Any]]
"""What an axis sets, by plan, point and path: all values of the axis that set it."""


@dataclass(frozen=True)
class Space:
    """All readings of a paper."""

    paper: Paper
    axes: Sequence[Axis]

    @property
    def planned(self) -> Reading:
        """The reading of the plans as they are."""
        return tuple(axis.planned for axis in self.axes)

    @property
    def preferred(self) -> Reading:
        """The reading with the best basis on each axis: the letter of the text, where it says something."""
        return tuple(axis.preferred for axis in self.axes)

    def edits(self, reading: Reading, plan: str) -> Edits:
        """The edits of all axes in a plan; none in a plan that no claim needs, which tries its own readings."""
        if plan not in self.plans:
            return Edits()
        made = [axis.edits(at, plan) for axis, at in zip(self.axes, reading, strict=True)]
        return Edits([edit for one in made for edit in one.set], [edit for one in made for edit in one.replace])

    @cached_property
    def plans(self) -> list[str]:
        """The plans that claims need."""
        return list(dict.fromkeys(plan for measure in self.paper.measures.values() for plan in measure.plans))

    def options(self, reading: Reading) -> dict[str, str]:
        """The options of the measures."""
        chosen = [axis.value[at] for axis, at in zip(self.axes, reading, strict=True)]
        return {name: word for value in chosen for name, word in value.measure.items()}

    def bases(self, reading: Reading) -> tuple[int, ...]:
        """Numbers of guesses, of standards and of tools among the values; the fewer, the better."""
        chosen = [axis.value[at].basis for axis, at in zip(self.axes, reading, strict=True)]
        return tuple(chosen.count(basis) for basis in reversed(BASES[1:]))

    def eligible(self, reading: Reading) -> bool:
        """Whether it may be the best: none of its values is excluded."""
        return not any(axis.value[at].excluded for axis, at in zip(self.axes, reading, strict=True))

    def named(self, reading: Reading) -> dict[str, str]:
        """The names of the values, by axis."""
        return {axis.name: axis.value[at].name for axis, at in zip(self.axes, reading, strict=True)}

    def reading(self, named: Mapping[str, str], place: str) -> Reading:
        """The reading with these values; axes that are not named are as in the plans.

        Raises ``RequestError`` for an unknown axis or value; it begins with ``place``.
        """
        known = {axis.name: axis for axis in self.axes}
        for name, word in named.items():
            if name not in known:
                raise RequestError(f"{place}: there is no axis {name}; known: {', '.join(known)}")
            values = [value.name for value in known[name].value]
            if word not in values:
                raise RequestError(f"{place}: axis {name} has no value {word}; known: {', '.join(values)}")
        return tuple(
            [value.name for value in axis.value].index(named[axis.name]) if axis.name in named else axis.planned
            for axis in self.axes
        )


def has_axes(directory: Path) -> bool:
    """Whether a paper's folder says what the paper leaves open."""
    return (directory / FILE).exists()


def load(paper: Paper) -> Space:
    """The axes of a paper.

    Raises ``RequestError`` for axes that cannot be searched: it names the axis, the value, and what is wrong.
    """
    file = paper.directory / FILE
    try:
        data = tomllib.loads(read_regular(file).decode())
        axes = msgspec.convert(data, _File).axis
    except FileNotFoundError:
        raise RequestError(f"{file}: there is no such file; it says what the paper leaves open") from None
    except OSError as error:
        raise RequestError(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RequestError(f"{file}: byte {error.start} is not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise RequestError(f"{file}: {error}") from error
    except RecursionError:
        raise RequestError(f"{file}: its lists or tables are nested too deeply") from None
    except msgspec.ValidationError as error:
        raise RequestError(f"{file}: {_in_words(data, str(error))}") from error
    _check_names(file, axes, {experiment.plan for experiment in paper.experiments})
    return Space(paper, axes)


ALLOWED = {
    "name": 'allowed are small letters and digits, with "-" or "." between them',
    "basis": f"allowed are {', '.join(BASES)}",
}
"""What is allowed for a key, where the error of its type does not say it in words."""


def _in_words(data: Mapping[str, Any], error: str) -> str:
    """An error of a type, with the names of the axis and of the value that it gives only by numbers."""
    at = re.search(r"`\$\.axis\[(\d+)\](?:\.value\[(\d+)\])?(?:\.(\w+))?", error)
    if at is None:
        return error
    axis = data["axis"][int(at[1])]
    entries = {"axis": axis, "value": axis["value"][int(at[2])] if at[2] else None}
    named = [
        f", {what} {one['name'] if one['name'].isprintable() else ascii(one['name'])}"
        for what, one in entries.items()
        if isinstance(one, dict) and isinstance(one.get("name"), str) and one["name"]
    ]
    what, _, place = error.partition(" - at ")
    if "matching regex" in what:
        what = "it is not a name" if at[3] == "name" else "it is empty"
    allowed = f"; {ALLOWED[at[3]]}" if at[3] in ALLOWED else ""
    return f"{what} - at {place}{''.join(named)}{allowed}"


def _check_names(file: Path, axes: Sequence[Axis], plans: set[str]) -> None:
    for name in _twice(axis.name for axis in axes):
        raise RequestError(f"{file}: axis {name}: given twice")
    of: dict[str, str] = {}
    for axis in axes:
        place = f"{file}: axis {axis.name}"
        for name in _twice(value.name for value in axis.value):
            raise RequestError(f"{place}: value {name}: given twice")
        if all(value.excluded for value in axis.value):
            raise RequestError(f"{place}: every value is excluded, so that no reading could be the best")
        planned = [value.name for value in axis.value if value.planned]
        if len(planned) != 1:
            found = " and ".join(planned) or "none"
            raise RequestError(
                f"{place}: one value must be as in the plans, without set, replace, only and measure; found: {found}"
            )
        for plan in [*axis.plans, *(plan for value in axis.value for plan in value.only)]:
            if plan not in plans:
                raise RequestError(f"{place}: there is no plan {plan}; known: {', '.join(sorted(plans))}")
        for option in dict.fromkeys(option for value in axis.value for option in value.measure):
            if of.setdefault(option, axis.name) != axis.name:
                raise RequestError(f"{place}: measure.{option} is also set by axis {of[option]}")


def _twice(names: Iterable[str]) -> list[str]:
    seen: list[str] = []
    again: list[str] = []
    for name in names:
        (again if name in seen else seen).append(name)
    return again


def _quotes(python: str, word: str) -> bool:
    return bool(re.search(rf"""["']{re.escape(word)}["']""", python))


OPTION = re.compile(r"""\.option\(\s*(["'])(?P<name>[^"']+)\1\s*,\s*(?:(["'])(?P<word>[^"']*)\3\s*,?\s*\))?""")
ASKS = re.compile(r"\.option\(")
NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?")


def _defaults(python: str) -> dict[str, str]:
    """The words of the plans as they are, by option, where Python gives one word for all uses of the option."""
    found: dict[str, set[str | None]] = {}
    for call in OPTION.finditer(python):
        found.setdefault(call["name"], set()).add(call["word"])
    return {name: word for name, (word, *others) in found.items() if word is not None and not others}


def _check_options(value: Value, python: str, defaults: Mapping[str, str], place: str) -> None:
    """Raises ``RequestError`` for an option that no measure asks for, and for a word that none knows."""
    named = {call["name"] for call in OPTION.finditer(python)}
    # A call whose option is not written in it may ask for any that Python quotes.
    every = len(ASKS.findall(python)) == len(list(OPTION.finditer(python)))
    for option, word in value.measure.items():
        if option not in named and (every or not _quotes(python, option)):
            raise RequestError(f'{place}: measure: no measure in Python asks for the option "{option}"')
        # A number may be computed with.
        number = NUMBER.fullmatch(word) and NUMBER.fullmatch(defaults.get(option, word))
        if not number and not _quotes(python, word):
            raise RequestError(f'{place}: measure.{option}: no measure in Python knows the word "{word}"')


def check(space: Space, plans: Iterable[str]) -> None:
    """Tries each value of each axis on every point of these plans, without running them.

    Raises ``RequestError`` for an edit that these plans have no place for, for an option that no measure has, and for
    values that are the same. The same goes for a value that a plan refuses, and for two axes that edit one value,
    unless one of them sets it and the other one has a new value for whatever is set.
    """
    file = space.paper.directory / FILE
    python = "".join(path.read_text(encoding="utf-8") for path in sorted(space.paper.directory.glob("*.py")))
    defaults = _defaults(python)
    read = {plan: read_plan(space.paper.plan_file(plan)) for plan in plans}
    paths: dict[str, Paths] = {}
    for axis in space.axes:
        keys = []
        for at, value in enumerate(axis.value):
            place = f"{file}: axis {axis.name}, value {value.name}"
            _check_places(space, axis, at, read, place)
            _check_options(value, python, defaults, place)
            keys.append(tuple(_keys(axis, at, read, place, paths.setdefault(axis.name, {}))))
        options = [sorted(set(value.measure.items()) - set(defaults.items())) for value in axis.value]
        for one, other in itertools.combinations(range(len(axis.value)), 2):
            if keys[one] == keys[other] and options[one] == options[other]:
                names, known = f"{axis.value[one].name} and {axis.value[other].name}", ", ".join(read)
                raise RequestError(
                    f"{file}: axis {axis.name}: {names} are the same in all plans that the claims need: {known}"
                )
    of = {axis.name: axis for axis in space.axes}
    for mine, theirs in itertools.combinations(paths, 2):
        for shared in (place for place in paths[mine] if place in paths[theirs]):
            _check_shared(of[mine], of[theirs], shared, read[shared[0]], file)
    for mine, theirs in itertools.permutations(paths, 2):
        _check_tables(mine, paths[mine], theirs, paths[theirs], read, file)


def _check_shared(one: Axis, other: Axis, place: tuple[str, int, str], plan: Plan, file: Path) -> None:
    """Raises ``RequestError`` for a value that two axes edit, unless one of them sets it and the other one replaces it.

    The second one must have a new value for each that the first one sets: else it would silently do nothing.
    """
    name, point, path = place
    where = f"{path} of {name}.toml, point {point + 1}"

    def edits(axis: Axis) -> list[Edits]:
        return [axis.edits(at, name) for at in range(len(axis.value))]

    def put(axis: Axis) -> list[Any]:
        made = (Edits(edit.set).values(plan, point) for edit in edits(axis))
        return [values[path] for values in made if path in values]

    def new(axis: Axis) -> list[Mapping[str, Any]]:
        return [values for edit in edits(axis) for values in edit.new(path)]

    setting, replacing = (one, other) if put(one) else (other, one)
    if new(setting) or put(replacing):
        raise RequestError(f"{file}: axes {one.name} and {other.name} both set {where}; one of them may")
    for value, values in itertools.product(put(setting), new(replacing)):
        if not any(text in values for text in texts(value)):
            raise RequestError(
                f"{file}: axis {setting.name} sets {where}, to {toml(value)}, and axis {replacing.name} has no new "
                f"value for it there; it has some for {', '.join(values)}"
            )


def _check_tables(mine: str, ours: Paths, theirs: str, others: Paths, plans: Mapping[str, Plan], file: Path) -> None:
    """Raises ``RequestError`` for a table of one axis without a value that the plan has in it, and another axis edits.

    The table would choose a value of the other axis, too.
    """
    tables: dict[tuple[str, int], list[tuple[str, Any]]] = {}
    for (plan, point, path), values in ours.items():
        tables.setdefault((plan, point), []).extend((path, value) for value in values if isinstance(value, dict))
    for plan, point, path in others:
        for table, value in tables.get((plan, point), ()):
            if not path.startswith(f"{table}."):
                continue
            key = path.removeprefix(f"{table}.")
            before, after = written(plans[plan], point, path), inside(value, key.split("."))
            if before is not None and before != after:
                has = "does not have it" if after is None else f"has {toml(after)}"
                raise RequestError(
                    f"{file}: axis {mine} sets {table} of {plan}.toml, point {point + 1}, as a whole, and axis "
                    f"{theirs} sets {path} in it. The plan has {key} = {toml(before)} there, and the table {has}; "
                    "write the plan's value in the table"
                )


def concerning(space: Space, plans: Iterable[str]) -> Space:
    """The axes that edit something in these plans, or set options of the measures."""
    read = {plan: read_plan(space.paper.plan_file(plan)) for plan in plans}

    def concerns(axis: Axis) -> bool:
        edit = any(edits_plan(space, axis, name, plan) for name, plan in read.items())
        return edit or any(value.measure for value in axis.value)

    return Space(space.paper, [axis for axis in space.axes if concerns(axis)])


def edits_plan(space: Space, axis: Axis, name: str, plan: Plan) -> bool:
    """Whether a value of an axis edits a point of the plan of this name, or a value that another axis sets there."""
    return any(_does_something(axis.edits(at, name), name, plan, space, axis) for at in range(len(axis.value)))


def _check_places(space: Space, axis: Axis, at: int, plans: Mapping[str, Plan], place: str) -> None:
    """Raises ``RequestError`` for an edit that none of the plans has a place for.

    The place of a replacement can also be a value that another axis sets.
    """
    value = axis.value[at]
    mine = [plan for plan in plans if not axis.plans or plan in axis.plans]
    single = [(mine, Edits([edit]), edit[0]) for edit in value.set.items()]
    for path, values in value.replace.items():
        single += [(mine, Edits(replace=[(path, {old: new})]), f"{path} = {old}") for old, new in values.items()]
    for plan, values in value.only.items():
        single += [([plan] if plan in mine else [], Edits([edit]), edit[0]) for edit in values.items()]
    for names, edit, what in single:
        if not any(_does_something(edit, name, plans[name], space, axis) for name in names):
            known = f" ({', '.join(names)})" if names else ""
            raise RequestError(f"{place}: no plan that the claims need{known} has {what}")


def _does_something(edit: Edits, name: str, plan: Plan, space: Space, axis: Axis) -> bool:
    """Whether edits of an axis change a point of the plan of this name, or a value that another axis sets there."""
    points = range(len(plan.points))
    if any(edit.values(plan, point) for point in points):
        return True
    sets = [one.edits(at, name).set for one in space.axes if one is not axis for at in range(len(one.value))]
    return any(
        Edits([*edit.set, *some], edit.replace).values(plan, point) != Edits(some).values(plan, point)
        for some in (sets if edit.replace else [])
        for point in points
    )


def _keys(axis: Axis, at: int, plans: Mapping[str, Plan], place: str, paths: Paths) -> Iterable[str]:
    """The experiments of a value; the paths that it edits are added to ``paths``."""
    for name, plan in plans.items():
        edits = axis.edits(at, name)
        for point in range(len(plan.points)):
            found = edits.values(plan, point)
            for path, new in found.items():
                paths.setdefault((name, point, path), []).append(new)
            try:
                # Reading a plan takes long.
                yield edited(plan, point, edits).key(0) if found else plan.key(point)
            except PlanError as error:
                raise RequestError(f"{place}: {error}") from error
