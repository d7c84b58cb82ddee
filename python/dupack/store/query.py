"""``dupack query``: SQL on a store, also during a sweep."""

from __future__ import annotations

import csv
import itertools
import json
import math
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import duckdb
import pyarrow as pa

from dupack import tables
from dupack.errors import RequestError
from dupack.files import printing, why
from dupack.measures import SUMMARY, Measure
from dupack.store import journal, schema
from dupack.store.rows import of_entries
from dupack.store.schema import AXIS, RUNS
from dupack.store.segments import Damaged, read_all
from dupack.store.store import JOURNAL, SWEEP

MOST_ROWS = 200
"""The most rows that are shown in a terminal."""
SOME = 10_000


class Reader:
    """The present state of a store."""

    def __init__(self, root: Path) -> None:
        if not (root / SWEEP).is_file():
            raise RequestError(f"{root}: not a store; `dupack sweep` makes one")
        self.root = root
        self.connection = duckdb.connect(
            config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
        )
        try:
            # A running sweep may replace a file meanwhile: real damage is still there at a second look.
            if (bad := _damaged(root)) and bad & (again := _damaged(root)):
                these = "; ".join(sorted(found.told() for found in bad & again))
                raise RequestError(f"{these}; the same `dupack sweep` repeats the lost runs")
            # The journal first: a run that moves to a file meanwhile is then in both, not in neither.
            journals = sorted((root / JOURNAL).glob("*.jsonl"))
            self._views(of_entries([entry for path in journals for entry in _entries(path)]))
        except OSError as error:
            raise RequestError(f"{root}: cannot be read: {why(error)}") from error

    def _views(self, written: dict[str, Any]) -> None:
        def files(table: str) -> list[str]:
            return sorted(map(str, (self.root / table).glob("[0-9]*.parquet")))

        def read(table: str) -> str:
            return f"read_parquet({files(table)!r})"

        runs = files(RUNS)
        for table, rows in written.items():
            self.connection.register(f"_{table}", rows)
            view = f"select * from _{table}"
            if runs:
                view += f" where run not in (select run from {read(RUNS)})"
            if files(table):
                view = f"from {read(table)}" if not rows.num_rows else f"from {read(table)} union all by name {view}"
            self.connection.execute(f"create view {table} as {view}")

    def describe(self) -> None:
        """Makes a table of the columns of all tables, with their meanings."""
        known = {(table, column.name): column.help for table, those in schema.tables().items() for column in those}
        rows = []
        for table in schema.tables():
            for name, kind, *_ in self.connection.execute(f"describe {table}").fetchall():
                rows.append((table, name, kind.lower(), known.get((table, name), AXIS)))
        names = ("table", "column", "type", "what it is")
        columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        self.connection.register("columns", pa.table(columns))

    def columns(self) -> list[str]:
        """The names of all tables' columns."""
        told = self.connection.execute("select distinct column_name from information_schema.columns order by 1")
        return [name for (name,) in told.fetchall()]

    def rows(self, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Rows of these columns of table ``runs``."""
        told = self.connection.execute(f"select {', '.join(columns)} from {RUNS} order by point, seed")
        return iter(told.fetchall())

    def values(self, measure: Measure) -> dict[int, list[float | None]]:
        """The values of a measure per point, ordered by seed."""
        columns = ", ".join(f'"{name}"' for name in measure.columns)
        table = RUNS if measure.part == SUMMARY else measure.part
        rows: dict[str, list[dict[str, Any]]] = {}
        for run, *values in self.connection.execute(f"select run, {columns} from {table}").fetchall():
            rows.setdefault(run, []).append(dict(zip(measure.columns, values, strict=True)))
        found: dict[int, list[float | None]] = {}
        for point, run in self.rows(["point", "run"]):
            found.setdefault(point, []).append(measure.in_rows(rows.get(run, [])))
        return found


def _damaged(root: Path) -> set[Damaged]:
    return {found for found in read_all(root) if isinstance(found, Damaged)}


def _entries(path: Path) -> list[dict[str, Any]]:
    try:
        return [entry for entry in journal.read(path) if entry is not None]
    except FileNotFoundError:
        # Its segment has been written to a file.
        return []


def _is_store(text: str) -> bool:
    """Whether this is the path of a store; a long query is not even a valid file name."""
    try:
        return (Path(text) / SWEEP).is_file()
    except OSError:
        return False


def query(sql: str | None, root: Path, form: str | None) -> None:
    """Queries the store ``root``, and prints the result as a table, or in another ``form``."""
    if sql is not None and _is_store(sql):
        root, sql = Path(sql), None
    if sql is not None and not sql.strip():
        raise RequestError("the query is empty; `dupack query` without a query lists tables and columns")
    reader = Reader(root)
    try:
        if sql is None:
            reader.describe()
            sql = "from columns"
        found = reader.connection.execute(sql)
        names = [column[0] for column in found.description or ()]
        with printing():
            if form == "json":
                _json(names, found)
            elif form == "csv":
                _csv(names, found)
            else:
                _table(names, found)
    except duckdb.Error as error:
        raise RequestError(f"the query: {_said(error, sql or '', reader)}") from error


def _said(error: duckdb.Error, sql: str, reader: Reader) -> str:
    """DuckDB's error without its own lists, with a hint for users of stores."""
    # DuckDB prints the kind of error, the message, and from LINE on the place with a mark below it.
    text, _, place = str(error).partition("\n\nLINE ")
    text = text.partition(": ")[2] or text
    lists = ("Candidate tables:", "\tCandidate functions:", "Candidate functions:")
    kept = itertools.takewhile(lambda line: not line.startswith(lists), text.splitlines())
    told = "\n".join(line.rstrip(" !") for line in kept if line)
    if place:
        told += f"\nLINE {place.rstrip()}"
    dotted = [name for name in reader.columns() if "." in name]
    bare = [name for name in dotted if re.search(rf'(?<!["\w.]){re.escape(name)}(?!["\w.])', sql)]
    if bare:
        told += f'\nA name with dots needs double quotes: "{bare[0]}".'
    elif isinstance(error, duckdb.BinderException | duckdb.CatalogException):
        told += f"\n`dupack query {reader.root}` prints the tables and their columns."
    return told


def _batches(found: Any) -> Iterator[list[tuple[Any, ...]]]:
    while some := found.fetchmany(SOME):
        yield some


def _finite(value: Any) -> Any:
    """A value for JSON, which has no NaN and no infinity: they are null, as in documents."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return {str(key): _finite(one) for key, one in value.items()} if isinstance(value, dict) else value


def _json(names: Sequence[str], found: Any) -> None:
    click.echo("[", nl=False)
    comma = ""
    for some in _batches(found):
        for row in some:
            values = {name: _finite(value) for name, value in zip(names, row, strict=True)}
            text = json.dumps(values, ensure_ascii=False, default=str, allow_nan=False)
            click.echo(f"{comma}\n  {text}", nl=False)
            comma = ","
    click.echo("\n]" if comma else "]")


def _csv(names: Sequence[str], found: Any) -> None:
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(names)
    for some in _batches(found):
        out.writerows(some)


def _table(names: Sequence[str], found: Any) -> None:
    out = tables.console(width=1000)
    rows = found.fetchmany(MOST_ROWS + 1) if out.is_terminal else found.fetchall()
    numbers = [all(isinstance(row[at], int | float | None) for row in rows) for at in range(len(names))]
    made = tables.table("", names, left=0, plain=not out.is_terminal)
    made.title = None
    for column, right in zip(made.columns, numbers, strict=True):
        column.justify = "right" if right else "left"
    for row in rows[:MOST_ROWS] if out.is_terminal else rows:
        made.add_row(*map(_cell, row))
    out.print(made)
    if out.is_terminal and len(rows) > MOST_ROWS:
        out.print(f"Shown are the first {MOST_ROWS} rows; --csv and --json print all.")


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
