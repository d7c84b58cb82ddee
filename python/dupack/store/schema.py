"""The columns of a store's tables, made from the declaration of a run's document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from dupack import _native
from dupack.document import BY_BATCHES

Value = bool | int | float | str | None


Get = Callable[[Any], Value]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its Arrow type, its meaning, and how its value is found in a row's document."""

    name: str
    type: str
    help: str
    of: Get = lambda document: None
    inside: str = ""
    """The nested table of the document with the value, if any; not every row has it."""


RUN = Column("run", "string", "Digest of what is simulated, the seed and the program; joins the tables.")
SERIES = (
    RUN,
    Column("measure", "string", "Sampled measure: a key of `series` in the document; all but `state`."),
    Column("name", "string", "Name of the flow or link; of `gauges` that of the link and of the state variable."),
    Column("time_s", "double", "Time of the sample [s]."),
    Column("value", "double", "Value of the sample; null if there was nothing to measure."),
    Column("unit", "string", "Unit of a state variable (`gauges`); null for other measures."),
)
RUNS, SERIES_TABLE, CONNECTIONS = "runs", "series", "connections"
AXIS = "Value that the sweep sets at this path of the plan; null if it sets none."


@cache
def tables() -> dict[str, tuple[Column, ...]]:
    """The columns per table, without those of the axes, which differ between sweeps."""
    schema = json.loads(_native.document_schema())
    resolve = _resolver(schema)
    head = [
        RUN,
        Column("title", "string", "The plan's title."),
        Column("point", "int64", "Number of the point in the sweep, from 0."),
        Column("seed", "uint64", "The seed."),
        Column("version", "string", "The program: its version and a digest of its sources."),
    ]
    found: dict[str, tuple[Column, ...]] = {}
    known = {column.name for column in head} | {"cpu_s"}
    for key, written in schema["properties"].items():
        declared = resolve(written)
        if key == SERIES_TABLE:
            found[key] = SERIES
        elif key == CONNECTIONS:
            found[key] = tuple(_connections(resolve(declared["additionalProperties"])))
        elif declared.get("type") == "array" and "properties" in (row := resolve(declared["items"])):
            found[key] = (RUN, *_columns(row, resolve, (), ""))
        elif key == "summary":
            head += _columns(declared, resolve, (key,), "")
        elif key not in known:
            head += _column(key, declared, resolve, (), "")
    return {RUNS: tuple(head), **found}


def _connections(declared: dict[str, Any]) -> Iterator[Column]:
    """The columns of table ``connections``: the lists of the document, with the paths themselves."""
    yield RUN
    yield Column("flow", "string", "Name of the flow that it belongs to.")
    yield Column(
        "number", "int64", "Its number among the connections of the flow, from 0, in the order of their starts."
    )
    types = {"number": "double", "integer": "int64", "boolean": "bool"}
    for key, written in declared["properties"].items():
        words = " ".join(written["description"].replace("\\", "").split())
        if key == "path":
            yield Column(key, "string", "Path of its data: names of nodes, separated by spaces.")
        elif key != "paths":
            kinds = written["items"]["type"]
            kinds = [kinds] if isinstance(kinds, str) else kinds
            yield Column(key, types[next(kind for kind in kinds if kind != "null")], words)


@cache
def summary_columns() -> tuple[Column, ...]:
    """The columns of table ``runs`` that are numbers of the summary."""
    keys = json.loads(_native.document_schema())["$defs"]["Summary"]["properties"]
    return tuple(
        column
        for column in tables()[RUNS]
        if column.type in ("double", "int64") and any(column.name == k or column.name.startswith(f"{k}_") for k in keys)
    )


@cache
def batch_columns() -> tuple[str, ...]:
    """The names of the columns of table ``runs`` that are intervals by batches."""
    return tuple(column.name for column in tables()[RUNS] if column.name.startswith(BY_BATCHES))


def _resolver(schema: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def resolve(declared: dict[str, Any]) -> dict[str, Any]:
        """A declaration with references resolved and without null."""
        for one in declared.get("anyOf", ()):
            if one.get("type") != "null":
                return resolve({**one, "description": declared.get("description", "")})
        if "$ref" in declared:
            target = schema["$defs"][declared["$ref"].removeprefix("#/$defs/")]
            return {**target, "description": declared.get("description", target.get("description", ""))}
        return declared

    return resolve


def _columns(declared: dict[str, Any], resolve: Any, path: tuple[str, ...], prefix: str) -> Iterator[Column]:
    for key, written in declared["properties"].items():
        yield from _column(key, resolve(written), resolve, path, prefix)


def _column(key: str, declared: dict[str, Any], resolve: Any, path: tuple[str, ...], prefix: str) -> Iterator[Column]:
    name, here = prefix + key, (*path, key)
    words = " ".join(declared.get("description", "").replace("\\", "").split())
    written = declared.get("type", "object")
    kinds = [written] if isinstance(written, str) else [kind for kind in written if kind != "null"]
    if key == "dropped":
        # All causes, so that the columns do not depend on the results.
        get = _drops(_at(here))
        yield Column(name, "int64", words.replace(", by cause", ""), lambda row: sum(get(row).values()))
        for cause in _native.drop_causes():
            help_ = f'Drops with cause "{cause}".'
            yield Column(f"{name}_{cause.replace('-', '_')}", "int64", help_, _cause(get, cause))
    elif "properties" in declared:
        yield from _columns(declared, resolve, here, f"{name}_")
    elif kinds in (["number"], ["integer"], ["string"], ["boolean"]):
        types = {"number": "double", "integer": "int64", "string": "string", "boolean": "bool"}
        yield Column(name, types[kinds[0]], words, _at(here), prefix)
    else:
        yield Column(name, "string", f"{words} As JSON.", _as_json(_at(here)), prefix)


def _at(path: tuple[str, ...]) -> Get:
    """The value at a path; None if a part of the path is missing."""
    if len(path) == 1:
        return lambda row: row.get(path[0])

    def get(row: Any) -> Value:
        for key in path:
            row = None if row is None else row.get(key)
        return row

    return get


def _as_json(get: Get) -> Get:
    def text(row: Any) -> Value:
        value = get(row)
        return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    return text


def _drops(get: Get) -> Callable[[Any], dict[str, int]]:
    """Drops by cause; none where there is no link."""

    def drops(row: Any) -> dict[str, int]:
        found = get(row)
        return found if isinstance(found, dict) else {}

    return drops


def _cause(drops: Callable[[Any], dict[str, int]], cause: str) -> Get:
    return lambda row: drops(row).get(cause, 0)


def axes(paths: Sequence[str], points: Sequence[dict[str, Any]]) -> tuple[Column, ...]:
    """A column per axis of a sweep; its type is that of all its values, or text if these have several types."""
    fixed = {column.name for column in tables()[RUNS]}
    made = []
    for path in paths:
        kind = _type([point[path] for point in points if path in point])
        name = f"plan.{path}" if path in fixed else path
        made.append(Column(name, kind, AXIS, _setting(path, kind)))
    return tuple(made)


def _type(values: Sequence[Any]) -> str:
    kinds = {type(value) for value in values}
    if kinds <= {bool}:
        return "bool"
    if kinds <= {int}:
        return "int64"
    return "double" if kinds <= {int, float} else "string"


def _setting(path: str, kind: str) -> Get:
    def get(point: Any) -> Value:
        value = point.get(path)
        if value is None or kind in ("bool", "int64"):
            return value
        if kind == "double":
            return float(value)
        if isinstance(value, dict) and value.keys() == {"kind", "name"} and value["kind"] == "external":
            return str(value["name"])
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    return get
