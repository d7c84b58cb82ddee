"""Printed tables: as wide as the terminal, every mean with its confidence interval."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from dupack import regimes
from dupack.amounts import Told, kind, within
from dupack.document import estimate
from dupack.printer import LEAST, Printer

Document = dict[str, Any]

MOST_ROWS = 16
"""With more flows or links than this, a table has a row per group."""

MOST_PRINTED = 1000
"""The most rows of a printed table: nobody reads more, and each takes a millisecond."""

WIDTH = re.compile(r"(\S+) ± ([\d,.]*\d)( [^\s,]+|)(,?)$")
"""A mean, the half-width of its interval, and their unit: on two lines each gets the unit."""

SUMMARY = {
    "goodput_bps": "goodput",
    "goodput_fraction": "goodput fraction, busiest link",
    "jain": "fairness (Jain)",
    "active_fraction": "active fraction of time",
    "timeouts": "timeouts",
}

WIDTHS = "± half-width of the 95 % confidence interval (Student's t); without ±, all runs are equal"
COMPLETED = "completed at, mean of the flows"


def console(*, stderr: bool = False, width: int = 120) -> Console:
    """A console; without a terminal it is plain, and as wide as ``COLUMNS`` says, or else ``width``."""
    plain = not (sys.stderr if stderr else sys.stdout).isatty()
    said = os.environ.get("COLUMNS", "")
    if said.isdigit() and int(said):
        known = int(said)
    elif plain:
        known = width
    else:
        from shutil import get_terminal_size

        known = get_terminal_size().columns
    return Printer(stderr=stderr, width=max(known, LEAST) if plain or known < LEAST else None)


def table(title: str, columns: Sequence[str], *, left: int = 1, plain: bool = False) -> Table:
    """An empty table: its first ``left`` columns hold words, the others numbers."""
    made = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=None if plain else box.SIMPLE_HEAD,
        padding=(0, 1),
        pad_edge=False,
        show_edge=False,
    )
    for i, column in enumerate(columns):
        made.add_column(column, justify="left" if i < left else "right", overflow="fold")
    return made


def fits(made: Table, rows: Sequence[Sequence[str]], out: Console) -> bool:
    """Whether the rows fit if only the heads are broken, between words."""
    headers = [str(column.header) for column in made.columns]
    least = _least(headers, [[row[i] for row in rows] for i in range(len(headers))], lambda cell: cell)
    gap = 2 if made.box is None else 3
    return sum(least) + gap * (len(least) - 1) <= out.width


def fit(
    made: Table,
    rows: Sequence[Sequence[str]],
    out: Console,
    drop: Sequence[str],
    idle: Sequence[str] = (),
    *,
    first: int = 0,
) -> list[str]:
    """Puts rows into a table without breaking a word, and returns the columns that do not fit.

    First, heads break between words and cells after commas. Then columns are left out: those that are ``idle``, which
    are not reported, and the ``first`` ones of ``drop``. Then cells break before ±. Then the other columns are left
    out, in the order of ``drop``. Of more rows than `MOST_PRINTED`, the first ones are put in, and the caption says so.
    """
    if len(rows) > MOST_PRINTED:
        said = f"The first {MOST_PRINTED:,} of {len(rows):,} rows; --json has all."
        made.caption = f"{made.caption} {said}" if made.caption else said
        made.caption_justify = "left"
        rows = rows[:MOST_PRINTED]
    columns = list(made.columns)
    headers = [str(column.header) for column in columns]
    cells = [[row[i] for row in rows] for i in range(len(columns))]
    least = _least(headers, cells, lambda cell: cell.replace(", ", ",\n"))
    most = [max(len(text) for text in (header, *mine)) for header, mine in zip(headers, cells, strict=True)]
    kept = list(range(len(columns)))
    gap = 2 if made.box is None else 3

    def room() -> int:
        return out.width - sum(least[i] for i in kept) - gap * (len(kept) - 1)

    for at, name in enumerate((*idle, *drop)):
        if room() < 0 and at >= len(idle) + first:
            least = _least(headers, cells, lambda cell: _broken(cell, 0))
        if room() < 0 and name in headers and headers.index(name) in kept:
            kept.remove(headers.index(name))
    if room() < 0:
        least = _least(headers, cells, lambda cell: _broken(cell, 0))
    left = max(room(), 0)
    for i in kept:
        width = min(most[i], least[i] + left)
        left -= width - least[i]
        columns[i].width = width
        if width < most[i]:
            cells[i] = [_broken(cell, width) for cell in cells[i]]
    made.columns = []
    for column in (columns[i] for i in kept):
        made.add_column(column.header, justify=column.justify, overflow=column.overflow, width=column.width)
    for n in range(len(rows)):
        made.add_row(*(cells[i][n] for i in kept))
    whose = f"{str(made.title).lower()}: " if made.title else ""
    gone = [headers[i].split(", ")[0] for i in range(len(columns)) if i not in kept and headers[i] not in idle]
    return [whose + ", ".join(gone)] if gone else []


def _least(headers: Sequence[str], cells: Sequence[Sequence[str]], broken: Callable[[str], str]) -> list[int]:
    """The least widths of the columns."""
    pieces = [
        [*header.split(), *(piece for cell in mine for piece in broken(cell).split("\n"))]
        for header, mine in zip(headers, cells, strict=True)
    ]
    return [max(map(len, mine), default=0) for mine in pieces]


def _broken(cell: str, width: int) -> str:
    """A cell on as many lines as it needs."""
    parts = [cell] if len(cell) <= width else cell.replace(", ", ",\n").split("\n")
    return "\n".join(part if len(part) <= width else WIDTH.sub(r"\1\3\n± \2\3\4", part) for part in parts)


def say_left_out(names: Sequence[str], out: Console) -> None:
    """Prints which columns do not fit (see `fit`)."""
    if names:
        out.print(f"Columns that do not fit: {'; '.join(names)}. A wider terminal or --json shows them.")


def of_all(runs: int) -> str:
    """What the head of a maximum adds: it is a maximum over all runs, not a mean."""
    return " of all runs" if runs > 1 else ""


def done(runs: Sequence[Document]) -> dict[str, float | None] | None:
    """When flows completed, as a mean over the flows of each run; None if some did not."""
    times = [mean([flow["completed_s"] for flow in run["flows"]]) for run in runs if run["flows"]]
    return None if not times or None in times else estimate(times)


def short(paths: Sequence[str]) -> list[str]:
    """The shortest ends of the paths that differ: ``queue.lower`` of ``link.bottleneck.queue.lower``."""
    parts = [path.split(".") for path in paths]
    for n in range(1, max(map(len, parts), default=1) + 1):
        ends = [".".join(part[-n:]) for part in parts]
        if len(set(ends)) == len(ends):
            return ends
    return list(paths)


def measured(key: str, cell: Mapping[str, float | None]) -> str:
    """A number of a document with the half-width of its interval, in the unit of its path."""
    return within(kind(key), cell["mean"], cell["ci95"])


def regime_note(key: str, cell: Mapping[str, Any], at: str = "") -> str:
    """A sentence on a measure whose runs (those ``at`` a point) fall into two groups; empty for one group."""
    name = SUMMARY.get(key, key)
    place = f" at {at}" if at else ""
    return regimes.note(f"{name[:1].upper()}{name[1:]}{place}", cell, lambda mean: within(kind(key), mean, None))


def grouped(per_run: Sequence[Sequence[Document]], same: tuple[str, ...]) -> list[tuple[str, list[Document]]]:
    """The documents of all runs per name; per group (``source-0`` ... ``source-99``) if there are too many names."""
    names = [one["name"] for one in per_run[0]]
    keys: Iterable[tuple[str, ...]] = [(name,) for name in names]
    if len(names) > MOST_ROWS:
        keys = [(re.sub(r"-\d+(?=\.back$|$)", "", one["name"]), *(one[k] for k in same)) for one in per_run[0]]
    members: dict[tuple[str, ...], list[int]] = {}
    for i, key in enumerate(keys):
        members.setdefault(key, []).append(i)
    rows = []
    for key, at in members.items():
        name = key[0] if len(at) == 1 else f"{key[0]} (each of {len(at)})"
        rows.append((name, [run[i] for run in per_run for i in at]))
    return rows


def mean(values: Sequence[float | None]) -> float | None:
    """The mean; None if a value is None."""
    known = [value for value in values if value is not None]
    return None if len(known) < len(values) or not known else sum(known) / len(known)


def over_runs(ones: Sequence[Document], value: Callable[[Document], float | None], runs: int, told: Told) -> str:
    """The mean over runs, in each run over the members of the group, with the half-width of its 95 % interval."""
    each = len(ones) // runs
    values = [value(one) for one in ones]
    means = [mean(values[i * each : (i + 1) * each]) for i in range(runs)]
    found = estimate(means)
    return within(told, found["mean"], found["ci95"])
