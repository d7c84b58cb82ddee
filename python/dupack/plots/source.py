"""What ``dupack plot`` can read: a store, a result, a comparison, a tape."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dupack.errors import MissingError, RequestError
from dupack.files import from_json, why
from dupack.plots.data import Data, OfDocument
from dupack.plots.tape import OfTape
from dupack.traces import ABOUT

TAPE = ["time_s", "flow", "event", "segment", "cwnd", "ssthresh"]
"""Columns of a tape."""
TABLES = (".parquet", ".pq")
"""Suffixes of a tape as Parquet."""
READS = (
    "`dupack plot` reads a store (`dupack sweep`), a result (`dupack run --out DIR` or `--json`), a comparison "
    "(`dupack compare --json`) or a tape (`dupack run --tape FILE`)"
)
Comparison = Mapping[str, Any]


def read(place: Path) -> Data | Comparison:
    """The runs, the tape or the comparison at a place.

    Raises:
        RequestError: It is none of these.
    """
    try:
        if place.is_dir():
            if (place / "sweep.json").is_file():
                return _store(place)
            if (place / "result.json").is_file():
                return _document(place / "result.json")
            raise RequestError(f"{place}: neither a store nor a result; {READS}")
        if not place.exists():
            raise RequestError(f"{place}: no such file or directory")
        if not place.is_file():
            raise RequestError(f"{place}: not a file; {READS}")
        if place.suffix == ".toml":
            raise RequestError(
                f"{place}: a plan, which has no results; run it first: dupack sweep {place} --out store, then dupack "
                "plot store"
            )
        if place.suffix not in TABLES:
            with place.open("rb") as file:
                if file.read(64).lstrip().startswith(b"{"):
                    return _document(place)
        return OfTape(tape(place), place.name, about(place) if place.suffix in TABLES else {})
    except OSError as error:
        raise RequestError(f"{place}: cannot be read: {why(error)}") from error


def tape(place: Path) -> dict[str, list[Any]]:
    """The columns of a tape.

    Raises:
        RequestError: It is none.
    """
    try:
        return _parquet(place) if place.suffix in TABLES else _csv(place)
    except OSError as error:
        raise RequestError(f"{place}: cannot be read: {why(error)}") from error


def about(place: Path) -> dict[str, Any]:
    """What a tape as Parquet says of its run; nothing if it is of an older version."""
    import pyarrow.parquet as pq

    found = pq.read_schema(place).metadata or {}
    try:
        told = from_json(found.get(ABOUT.encode(), b"{}"))
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _store(place: Path) -> Data:
    from dupack.plots.stored import OfStore
    from dupack.store.need import store_module

    reader = store_module("store.query").Reader(place)
    schema = store_module("store.schema")
    about = from_json((place / "sweep.json").read_bytes())
    known = {column.name for column in schema.tables()["runs"]}
    told = reader.all("describe runs")
    there = [name for name, *_ in told if name not in known]
    columns = [f"plan.{path}" if path in known else path for path in about.get("axes", [])]
    axes = [name for name in columns if name in there]
    made = OfStore(reader, {**about, "axes": [name.removeprefix("plan.") for name in axes]}, axes)
    if not made.runs:
        raise RequestError(f"{place}: nothing to draw: no run has finished")
    return made


def _document(place: Path) -> Data | Comparison:
    try:
        found = from_json(place.read_bytes())
    except ValueError as error:
        raise RequestError(f"{place}: not JSON: {str(error).lower()}; {READS}") from None
    if isinstance(found, dict) and {"title", "of", "comparisons"} <= set(found):
        return found
    runs = isinstance(found, dict) and "title" in found and ("points" in found or "flows" in found or "runs" in found)
    try:
        if runs:
            return OfDocument(found, str(place))
    except (KeyError, TypeError, AttributeError):
        pass
    raise RequestError(f"{place}: not a result of dupack; {READS}")


def _csv(place: Path) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {name: [] for name in TAPE}
    try:
        with place.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file)
            if next(rows, None) != TAPE:
                raise RequestError(f"{place}: not a tape, whose first line is {','.join(TAPE)}; {READS}")
            for number, row in enumerate(rows, 2):
                try:
                    time, flow, event, segment, cwnd, ssthresh = row
                    read = (float(time), flow, event, int(segment), float(cwnd), float(ssthresh))
                except ValueError:
                    raise RequestError(f"{place}: line {number}: not a row of a tape: {','.join(row)[:80]!r}") from None
                for name, value in zip(TAPE, read, strict=True):
                    columns[name].append(value)
    except (UnicodeDecodeError, csv.Error) as error:
        raise RequestError(f"{place}: not a tape: {error}; {READS}") from None
    return columns


def _parquet(place: Path) -> dict[str, list[Any]]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingError("tapes as Parquet need pyarrow: install dupack[store]") from error
    try:
        table = pq.read_table(place)
    except (pa.ArrowException, OSError) as error:
        raise RequestError(f"{place}: not Parquet: {str(error).splitlines()[0]}; {READS}") from None
    if not set(TAPE) <= set(table.column_names):
        raise RequestError(f"{place}: not a tape, which has the columns {', '.join(TAPE)}; {READS}")
    return {name: table[name].to_pylist() for name in TAPE}
