"""Parts of a plan as values: queues, transports, traffic, arrivals, loss models, jitter.

The functions of `dupack.queue`, `dupack.transport`, `dupack.traffic`, `dupack.arrivals`, `dupack.loss` and
`dupack.jitter` make them.
Names, parameters, defaults, units and help come from the declarations beside the algorithms in Rust.
"""

from __future__ import annotations

import inspect
import json
import keyword
import textwrap
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, ClassVar, TypeVar

from dupack import _native
from dupack.discipline import named
from dupack.errors import RequestError


class Part:
    """An immutable table of a plan: its kind and the given values. All other parameters have their defaults."""

    __slots__ = ("kind", "table")

    family: ClassVar[str]
    """Name of the module whose functions make it."""
    kind: str
    """Word of the part in a plan."""
    table: dict[str, Any]
    """Table of the part in a plan."""

    def __init__(self, kind: str | None, values: dict[str, Any], path: str) -> None:
        table = {"kind": kind} if kind is not None else {}
        table |= {key: plain(value) for key, value in values.items() if value is not None}
        _native.check_part(self.family, path, named(table, {}))
        object.__setattr__(self, "kind", kind or f"{table.get('control')}+{table.get('repair')}")
        object.__setattr__(self, "table", table)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {self.family} is immutable; make another one")

    def __repr__(self) -> str:
        name = identifier(self.table.get("kind", "pair"))
        values = (f"{key}={value!r}" for key, value in self.table.items() if key != "kind")
        return f"dupack.{self.family}.{name}({', '.join(values)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part) and (self.family, self.table) == (other.family, other.table)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __reduce__(self) -> tuple[Any, ...]:
        values = {key: value for key, value in self.table.items() if key != "kind"}
        return type(self), (self.table.get("kind"), values, self.family)


class Queue(Part):
    """A queue discipline; see `dupack.queue`."""

    __slots__ = ()
    family = "queue"


class Transport(Part):
    """A transport; see `dupack.transport`."""

    __slots__ = ()
    family = "transport"


class Traffic(Part):
    """The traffic of a flow; see `dupack.traffic`."""

    __slots__ = ()
    family = "traffic"


class Arrivals(Part):
    """Arrivals of the connections of a flow; see `dupack.arrivals`."""

    __slots__ = ()
    family = "arrivals"


class Loss(Part):
    """A loss model of a link; see `dupack.loss`."""

    __slots__ = ()
    family = "loss"


class Jitter(Part):
    """A model of a link's jitter; see `dupack.jitter`."""

    __slots__ = ()
    family = "jitter"


FAMILIES: tuple[type[Part], ...] = (Queue, Transport, Traffic, Arrivals, Loss, Jitter)


def plain(value: Any) -> Any:
    """A value as in a plan: parts become tables."""
    if isinstance(value, Part):
        return dict(value.table)
    if hasattr(value, "tolist"):
        # Numbers and arrays of numpy.
        return value.tolist()
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value


@cache
def catalogue() -> dict[str, Any]:
    """The declarations: ``entries``, and the parameters common to all ``transports``."""
    found: dict[str, Any] = json.loads(_native.catalogue())
    return found


def identifier(word: str) -> str:
    """A word of a plan as a Python name: ``drop_tail`` for ``drop-tail``."""
    name = word.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


ANNOTATIONS = {
    "packets": "str | int",
    "mean-packets": "str | float",
    "share": "float",
    "factor": "float",
    "partial-rate": "str | float",
    "count": "int",
    "flag": "bool",
    "indices": "Sequence[int]",
    "discipline": "Queue",
}
"""Types by the kind of a parameter; all others are strings with a unit, or names."""


def annotation(parameter: dict[str, Any]) -> str:
    """The Python type of a parameter."""
    kind = parameter["kind"]
    if kind == "choice":
        told = f"Literal[{', '.join(json.dumps(word) for word in parameter['words'])}]"
        told += " | Controller" if parameter["name"] == "control" else ""
    else:
        told = ANNOTATIONS.get(kind, "str")
    return told if parameter["required"] or _given(parameter) is not None else f"{told} | None"


def _given(parameter: dict[str, Any]) -> Any:
    """The default as a Python value; None if there is none."""
    text = parameter["default"]
    if parameter["required"] or parameter["unset"]:
        return None
    match parameter["kind"]:
        case "share" | "factor":
            return float(text)
        case "count":
            return int(text)
        case "flag":
            return bool(text == "true")
        case _:
            return text


def signature(parameters: Iterable[dict[str, Any]], returns: str) -> inspect.Signature:
    """The signature of a function with these parameters: keyword-only, the required ones first."""
    return inspect.Signature(
        [
            inspect.Parameter(
                parameter["name"],
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if parameter["required"] else _given(parameter),
                annotation=annotation(parameter),
            )
            for parameter in parameters
        ],
        return_annotation=returns,
    )


def help_of(entry: dict[str, Any], parameters: Iterable[dict[str, Any]]) -> str:
    """The docstring of the function that makes the part."""
    lines = textwrap.wrap(entry["summary"], 110)
    if entry.get("carries"):
        lines += ["", f"Runs on links that carry {' or '.join(entry['carries'])}."]
    told = list(parameters)
    if told:
        lines += ["", "Args:"]
    for parameter in told:
        text = f"{parameter['name']}: {parameter['help']} {_written(parameter)}"
        lines += textwrap.wrap(text, 110, initial_indent="    ", subsequent_indent="        ", break_on_hyphens=False)
    published = entry.get("published") or entry["source"]
    place = entry["source"].partition(" ")[2] if entry.get("published") else ""
    source = f"Source: {published}{', ' if place else ''}{place}"
    lines += ["", *textwrap.wrap(source, 110, subsequent_indent="    ", break_on_hyphens=False)]
    return "\n".join(lines)


def _written(parameter: dict[str, Any]) -> str:
    several = parameter.get("units", ())
    # "cells" implies "cell".
    units = ", ".join(unit for unit in several if f"{unit}s" not in several)
    default = parameter["default"]
    told = [f"in {units}" if units else ""]
    if parameter["required"]:
        told.append("required")
    elif parameter["unset"]:
        told.append(f"if not given: {default}")
    else:
        told.append(f"default {default}")
    return f"[{'; '.join(one for one in told if one)}]"


P = TypeVar("P", bound=Part)


def entries(family: str) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """The functions of a family's module: each with its declaration and its parameters."""
    found = catalogue()
    mine = [entry for entry in found["entries"] if entry["family"] == family]
    if family != "transport":
        return [(entry, entry["parameters"]) for entry in mine]
    own = {
        half: {e["name"]: e["parameters"] for e in found["entries"] if e["family"] == half}
        for half in ("control", "repair")
    }
    told = []
    for entry in mine:
        control, repair = entry["halves"]
        halves = [
            _half("control", own["control"], f"Controller, instead of {control}.", control),
            _half("repair", own["repair"], f"Repair, instead of {repair}.", repair),
        ]
        # A stack has the parameters of its halves, with other defaults.
        mine_of = entry["parameters"] or [*own["control"][control], *own["repair"][repair]]
        told.append((entry, [*found["transports"], *mine_of, *halves]))
    pair = {
        "name": None,
        "summary": "Combines any controller with a repair that it works with; parameters of one of them need that one.",
        "source": "common practice",
    }
    halves = [
        _half("control", own["control"], "Congestion-control half of the transport.", None),
        _half("repair", own["repair"], "Loss-recovery half of the transport.", None),
    ]
    # If a half requires a parameter, the check of the pair reports it as missing.
    rest = [{**p, "required": False, "unset": True, "default": p["default"] or "missing"} for p in _own(own)]
    told.append((pair, [*halves, *found["transports"], *rest]))
    return told


def _own(own: dict[str, dict[str, list[dict[str, Any]]]]) -> list[dict[str, Any]]:
    homes: dict[str, dict[str, dict[str, Any]]] = {}
    for half in own.values():
        for word, ps in half.items():
            for p in ps:
                homes.setdefault(p["name"], {})[word] = p
    return [_shared(found) for found in homes.values()]


def _shared(homes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """A parameter of one or more halves, by their words."""
    first = next(iter(homes.values()))
    defaults = {word: p["default"] for word, p in homes.items()}
    told = {**first, "help": f"{first['help']} Only with {' or '.join(homes)}."}
    if len(set(defaults.values())) > 1:
        told["default"] = ", ".join(f"{default} with {word}" for word, default in defaults.items())
    return told


def _half(key: str, words: Iterable[str], told: str, default: str | None) -> dict[str, Any]:
    return {
        "name": key,
        "help": told,
        "kind": "choice",
        "words": list(words),
        "required": default is None,
        "unset": default is not None,
        "default": default,
    }


def fill(namespace: dict[str, Any], of: type[Part]) -> None:
    """Adds a function per word of a family to its module."""
    module = namespace["__name__"]
    names = []
    for entry, parameters in entries(of.family):
        made = _maker(entry, parameters, of, module)
        names.append(made.__name__)
        namespace[made.__name__] = made
    namespace["__all__"] = names


def _maker(entry: dict[str, Any], parameters: list[dict[str, Any]], of: type[P], module: str) -> Callable[..., P]:
    kind = entry["name"]
    name = identifier(kind or "pair")
    path = f"{of.family}.{name}"
    bare = {p["name"] for p in parameters if p["kind"] in ("packets", "mean-packets")}

    def make(*values: Any, **named: Any) -> P:
        if values:
            raise RequestError(
                f"{path}: a positional argument; name the arguments, such as {next(iter(told.parameters), 'none')}="
            )
        # These have only one unit, so it need not be written.
        for key in bare & named.keys():
            bare_number = plain(named[key])
            if isinstance(bare_number, (int, float)) and not isinstance(bare_number, bool):
                named[key] = f"{bare_number} packets"
        return of(kind, named, path)

    told = signature(parameters, of.__name__)
    make.__name__ = make.__qualname__ = name
    make.__module__ = module
    make.__doc__ = help_of(entry, parameters)
    make.__signature__ = told  # type: ignore[attr-defined]
    make.__annotations__ = {p.name: p.annotation for p in told.parameters.values()} | {"return": of.__name__}
    return make
