"""``dupack query``: SQL on a store, also during a sweep."""

from __future__ import annotations

import csv
import itertools
import json
import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any, TypeVar

import click
import duckdb
import pyarrow as pa
from rich.cells import cell_len
from rich.table import Table

from dupack import memory, tables
from dupack.errors import RequestError
from dupack.files import expanded, printing, why
from dupack.interrupts import Leaving
from dupack.measures import SUMMARY, Measure
from dupack.progress import Progress
from dupack.store import journal, schema
from dupack.store.rows import of_entries
from dupack.store.schema import AXIS, RUNS
from dupack.store.segments import Damaged, Segment, dataset, read_all
from dupack.store.store import JOURNAL, SWEEP, check_kinds, description
from dupack.terminal import echo
from dupack.words import visible

T = TypeVar("T")

MOST_ROWS = 200
"""The most rows that are shown in a terminal."""
SOME = 10_000
"""The number of rows that are fetched at once."""
PATIENCE_S = 1.0
"""Time in which DuckDB should end after Ctrl-C."""
NATIVE = re.compile(r"U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|BOOLEAN|VARCHAR|DECIMAL\(.*\)|\"NULL\"")
"""Types whose values Python has."""
LOCKED = {"enable_external_access": "false", "lock_configuration": "true"}
"""Settings of DuckDB that keep SQL from files, the network, extensions and other settings."""


class Reader:
    """The present state of a store. SQL sees only the store: no files, no network, no settings, unless ``unsafe``.

    DuckDB keeps what exceeds ``limit`` in temporary files, where it can.
    """

    def __init__(self, root: Path, *, unsafe: bool = False, limit: memory.Limit | None = None) -> None:
        try:
            check_kinds(root)
            if description(root) is None:
                raise RequestError(f"{root}: not a store; `dupack sweep` makes one")
        except OSError as error:
            raise RequestError(f"{root}: cannot be read: {why(error)}") from error
        self.root = root
        self._spill = TemporaryDirectory(prefix="dupack-")
        self.connection = duckdb.connect(
            config={
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "python_enable_replacements": "false",
                # For intermediate results that do not fit into memory; by default in the current directory.
                "temp_directory": self._spill.name,
                "memory_limit": f"{int((limit or memory.default()).size)} B",
                **({} if unsafe else LOCKED),
            }
        )
        try:
            # A running sweep may replace a file meanwhile: real damage is still there at a second look.
            if (bad := _damage(root)) and (both := bad & _damage(root)):
                raise RequestError(
                    f"{'; '.join(sorted(both))}; run the same `dupack sweep` again to repeat the lost runs"
                )
            # The journal first: a run that moves to a file meanwhile is then in both, not in neither.
            journals = sorted((root / JOURNAL).glob("*.jsonl"))
            self._views(of_entries([entry for path in journals for entry in _entries(path)]))
        except OSError as error:
            raise RequestError(f"{root}: cannot be read: {why(error)}") from error

    def _views(self, written: dict[str, Any]) -> None:
        # Files are given as data sets: their names are never part of a statement.
        files = {table: sorted((self.root / table).glob("[0-9]*.parquet")) for table in written}
        for table, paths in files.items():
            if paths:
                self.connection.register(f"_{table}_stored", dataset(paths))
        for table, rows in written.items():
            self.connection.register(f"_{table}", rows)
            view = f"from _{table}"
            if files[RUNS]:
                view += f" where run not in (select run from _{RUNS}_stored)"
            if files[table]:
                stored = f"from _{table}_stored"
                view = stored if not rows.num_rows else f"{stored} union all by name {view}"
            self.execute(f"create view {table} as {view}")

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Executes SQL; Ctrl-C ends it."""
        return self._away(lambda: self.connection.execute(sql, list(values)))

    def all(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a result; Ctrl-C ends it."""
        return [*self.each(sql, values)]

    def each(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The same, one by one; until the last, nothing else can be asked."""
        self.execute(sql, values)

        def rows() -> Iterator[tuple[Any, ...]]:
            while some := self._away(lambda: self.connection.fetchmany(SOME)):
                yield from some

        return rows()

    def table(self, sql: str) -> pa.Table:
        """A result as a table; Ctrl-C ends it."""
        return self._away(lambda: self.connection.sql(sql).to_arrow_table())

    def _away(self, work: Callable[[], T]) -> T:
        """Does a work of DuckDB's.

        It may take minutes in a single call, and Python hears of a signal only after it. So another thread makes the
        call, and this one waits.
        """
        found: list[T] = []
        raised: list[BaseException] = []
        done = Event()

        def go() -> None:
            try:
                found.append(work())
            except BaseException as error:
                raised.append(error)
            finally:
                done.set()

        # Not `join`: a thread whose `join` was interrupted counts as ended in Python 3.11.
        Thread(target=go, daemon=True).start()
        try:
            done.wait()
        except KeyboardInterrupt:
            # DuckDB looks for this between two blocks of rows.
            self.connection.interrupt()
            done.wait(PATIENCE_S)
            raise
        if raised:
            raise raised[0]
        return found[0]

    def close(self) -> None:
        """Removes what did not fit into memory."""
        self._spill.cleanup()

    def describe(self) -> None:
        """Makes a table of the columns of all tables, with their meanings."""
        known = {(table, column.name): column.help for table, those in schema.tables().items() for column in those}
        rows = []
        for table in schema.tables():
            for name, kind, *_ in self.all(f"describe {table}"):
                rows.append((table, name, kind.lower(), known.get((table, name), AXIS)))
        names = ("table", "column", "type", "what it is")
        columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        self.connection.register("columns", pa.table(columns))

    def columns(self) -> list[str]:
        """The names of all tables' columns."""
        return [name for (name,) in self.all("select distinct column_name from information_schema.columns order by 1")]

    def rows(self, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Rows of these columns of table ``runs``."""
        return iter(self.all(f"select {', '.join(columns)} from {RUNS} order by point, seed"))

    def values(self, measure: Measure) -> dict[int, list[float | None]]:
        """The values of a measure per point, ordered by seed."""
        columns = ", ".join(f'"{name}"' for name in measure.columns)
        table = RUNS if measure.part == SUMMARY else measure.part
        rows: dict[str, list[dict[str, Any]]] = {}
        # A list of a million rows takes as much again as what is kept of them.
        for run, *values in self.each(f"select run, {columns} from {table}"):
            rows.setdefault(run, []).append(dict(zip(measure.columns, values, strict=True)))
        found: dict[int, list[float | None]] = {}
        for point, run in self.rows(["point", "run"]):
            found.setdefault(point, []).append(measure.in_rows(rows.get(run, [])))
        return found


def _damage(root: Path) -> set[str]:
    """What is damaged or missing."""
    # The number of runs first: it only grows while files are added.
    stored = (description(root) or {}).get("stored", 0)
    found = list(read_all(root))
    bad = {one.told() for one in found if isinstance(one, Damaged)}
    there = sum(len(one) for one in found if isinstance(one, Segment))
    if not bad and there < stored:
        bad.add(f"{root / RUNS}: {stored - there:,} of {stored:,} runs are missing")
    return bad


def _entries(path: Path) -> list[dict[str, Any]]:
    """The runs of a journal; an error if lines of it are damaged."""
    # A running sweep may remove a partial line meanwhile: real damage is still there at a second look.
    for _ in range(2):
        found, bad = [], 0
        try:
            for entry, ended in journal.lines(path):
                if entry is not None:
                    found.append(entry)
                elif ended:
                    bad += 1
        except FileNotFoundError:
            # Its segment has been written to a file.
            return []
        if not bad:
            return found
    these = "a line is" if bad == 1 else f"{bad:,} lines are"
    raise RequestError(f"{path}: {these} damaged; run the same `dupack sweep` again to repeat the lost runs")


def _is_store(text: str) -> bool:
    """Whether this is the path of a store; a long query is not even a valid file name."""
    try:
        return (expanded(text) / SWEEP).is_file()
    except (OSError, RequestError):
        return False


def query(
    sql: str | None, root: Path, form: str | None, *, unsafe: bool = False, limit: memory.Limit | None = None
) -> None:
    """Queries the store ``root``, and prints the result as a table, or in another ``form``."""
    if sql is not None and _is_store(sql):
        root, sql = expanded(sql), None
    if sql is not None and not sql.strip():
        raise RequestError("the query is empty; `dupack query` without a query lists tables and columns")
    if sql is not None and any("\ud800" <= letter <= "\udfff" for letter in sql):
        raise RequestError(f"the query: {sql} is not UTF-8")
    reader = Reader(root, unsafe=unsafe, limit=limit)
    try:
        # A statement may take hours, and notices Ctrl-C only between its parts.
        with Leaving(reader.close):
            if sql is None:
                reader.describe()
                sql = "from columns"
            _answer(reader, sql, form)
    except duckdb.Error as error:
        raise RequestError(f"the query: {_said(error, sql or '', reader)}") from error
    finally:
        reader.close()


def _answer(reader: Reader, sql: str, form: str | None) -> None:
    statements = reader.connection.extract_statements(sql)
    if not statements:
        raise RequestError("the query has no statement; `dupack query` without a query lists tables and columns")
    *before, last = statements
    with Progress("querying", 1):
        for statement in before:
            reader.connection.execute(statement)
        found = reader.connection.execute(_as_told(reader, last))
    names = [column[0] for column in found.description or ()]
    with printing():
        if form == "json":
            _json(_distinct(names), found)
        elif form == "csv":
            _csv(names, found)
        else:
            _table(names, found)


def _as_told(reader: Reader, statement: Any) -> Any:
    """The statement, with values that are neither numbers nor text as DuckDB's text of them.

    Python has no value for some of them: times with a zone need another library, and a date may be infinite.
    """
    if statement.type != duckdb.StatementType.SELECT:
        return statement
    try:
        asked = reader.connection.sql(statement.query)
    except duckdb.Error:
        # When the text is executed, the error says where in the text it is.
        return statement.query
    if asked is None or all(_native(str(kind)) for kind in asked.types):
        return statement
    columns = [
        f"#{at}{'' if _native(str(kind)) else '::varchar'} as {_quoted(name)}"
        for at, (name, kind) in enumerate(zip(asked.columns, asked.types, strict=True), 1)
    ]
    return f"select {', '.join(columns)} from (\n{statement.query.rstrip().rstrip(';')}\n)"


def _native(kind: str) -> bool:
    """Whether Python has all values of a type."""
    nested = kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION"))
    return NATIVE.fullmatch(kind) is not None or (nested and "TIME" not in kind and "DATE" not in kind)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _distinct(names: Sequence[str]) -> list[str]:
    """The names, with a number after those that are repeated: a JSON object has one value per name."""
    made: list[str] = []
    for name in names:
        tries = itertools.chain([name], (f"{name}_{n}" for n in itertools.count(1)))
        made.append(next(one for one in tries if one not in made))
    return made


def _said(error: duckdb.Error, sql: str, reader: Reader) -> str:
    """DuckDB's error without its own lists, with a hint for users of stores."""
    # DuckDB prints the kind of error, the message, and from LINE on the place with a mark below it.
    text, _, place = str(error).partition("\n\nLINE ")
    text = text.partition(": ")[2] or text
    if isinstance(error, duckdb.OutOfMemoryException):
        # Its own hints are settings, which are locked.
        return f"{text.splitlines()[0]}; ask for less at once, or give a larger --memory"
    lists = ("Candidate tables:", "\tCandidate functions:", "Candidate functions:")
    kept = itertools.takewhile(lambda line: not line.startswith(lists), text.splitlines())
    told = "\n".join(line.rstrip(" !") for line in kept if line)
    if place:
        told += f"\nLINE {place.rstrip()}"
    if isinstance(error, duckdb.PermissionException):
        told += "\n--unsafe-sql lets a query read and write files, and attach databases and extensions."
    elif "configuration has been locked" in told:
        told += "\n--unsafe-sql lets a query change settings."
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
            told = dict(zip(names, map(_finite, row), strict=True))
            text = json.dumps(told, ensure_ascii=False, allow_nan=False, default=str)
            click.echo(f"{comma}\n  {text}", nl=False)
            comma = ","
    click.echo("\n]" if comma else "]")


class _Terminal:
    """Standard output, if it is a terminal: in a file or a pipe, CSV is data and keeps control characters."""

    def write(self, text: str) -> int:
        """Writes a text."""
        return sys.stdout.write(visible(text))


def _csv(names: Sequence[str], found: Any) -> None:
    out = csv.writer(_Terminal() if sys.stdout.isatty() else sys.stdout, lineterminator="\n")
    out.writerow(names)
    for some in _batches(found):
        out.writerows(some)


def _table(names: Sequence[str], found: Any) -> None:
    out = tables.console(width=1000)
    most = MOST_ROWS if out.is_terminal else tables.MOST_PRINTED
    rows = found.fetchmany(most + 1)
    more = len(rows) > most
    rows = rows[:most]
    numbers = [all(isinstance(row[at], int | float | None) for row in rows) for at in range(len(names))]
    made = tables.table("", names, left=0, plain=not out.is_terminal)
    made.title = None
    for column, right in zip(made.columns, numbers, strict=True):
        column.justify = "right" if right else "left"
    cells = [[visible(_cell(value)) for value in row] for row in rows]
    if _fit(made, [list(column) for column in zip(map(visible, names), *cells, strict=True)], out.width):
        for row in cells:
            made.add_row(*row)
        out.print(made)
    else:
        # In too narrow columns, words would have one letter per line.
        for at, row in enumerate(cells, 1):
            out.print(f"row {at}", style="bold")
            for name, cell in zip(names, row, strict=True):
                out.print(f"{name}: {cell}")
            out.print()
    if more:
        # Beside a pipe, a program that reads the table need not know the line.
        echo(f"Shown are the first {most:,} rows; --csv and --json print all.", err=not out.is_terminal)


def _fit(made: Table, columns: Sequence[Sequence[str]], width: int) -> bool:
    """Sets the widths of columns, given with their heads, so that no word is broken; False if there is no room."""
    least = [max((cell_len(word) for text in column for word in text.split()), default=0) for column in columns]
    most = [max((cell_len(line) for text in column for line in text.split("\n")), default=0) for column in columns]
    left = width - sum(least) - (2 if made.box is None else 3) * (len(columns) - 1)
    if left < 0:
        return False
    # Columns that need little more get it; the others share the rest.
    order = sorted(range(len(columns)), key=lambda at: most[at] - least[at])
    for place, at in enumerate(order):
        more = min(most[at] - least[at], left // (len(order) - place))
        made.columns[at].width = least[at] + more
        left -= more
    return True


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
