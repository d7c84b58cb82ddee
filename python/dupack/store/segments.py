"""Files of a store: written whole, named by what is in them, checked before they are believed."""

from __future__ import annotations

import io
import itertools
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dupack.files import write_whole
from dupack.measures import SUMMARY, Measure
from dupack.store.journal import digest
from dupack.store.rows import Tables
from dupack.store.schema import RUNS

NAME = re.compile(r"(\d{6,})-([0-9a-f]{32})\.parquet")
PART = re.compile(r"\..*\.\d+\.part")
KEY = b"dupack"
SUMS = b"dupack.sums"
GROUPS, FEWEST = 16, 64
"""A file has about so many groups of rows, none of them smaller: of a damaged file the others can be kept."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The files of some runs. That of table ``runs`` is written last and names the others; without it there is none."""

    root: Path
    number: int
    sweep: str
    whole: bool
    """No run of its part of the sweep is missing."""
    files: dict[str, str]
    """Per table the name of its file; none for a table without rows."""

    def path(self, table: str) -> Path:
        """The file of a table."""
        return self.root / table / self.files[table]

    def runs(self) -> list[str]:
        """Its runs, by digest."""
        return self.column("run")

    def column(self, name: str) -> list[Any]:
        """A column of its table ``runs``."""
        return pq.read_table(self.path(RUNS), columns=[name])[name].to_pylist()

    def places(self) -> list[tuple[int, int]]:
        """Its runs, by point and seed."""
        return list(zip(self.column("point"), self.column("seed"), strict=True))

    def values(self, measure: Measure) -> list[float | None]:
        """Of each of its runs the value of a measure."""
        table = RUNS if measure.part == SUMMARY else measure.part
        rows: dict[str, list[dict[str, Any]]] = {}
        if table in self.files:
            for row in pq.read_table(self.path(table), columns=["run", *measure.columns]).to_pylist():
                rows.setdefault(row["run"], []).append(row)
        return [measure.in_rows(rows.get(run, [])) for run in self.runs()]

    def read(self, runs: list[str]) -> Tables:
        """The rows of some of its runs."""
        wanted = [("run", "in", runs)]
        return {table: pq.read_table(self.path(table), filters=wanted) for table in self.files}

    def move(self, root: Path) -> Segment:
        """Carries it elsewhere, ``runs`` last."""
        for table in sorted(self.files, key=lambda table: table == RUNS):
            (root / table).mkdir(parents=True, exist_ok=True)
            # It may have been carried there when a process was killed in the middle of this.
            if (self.root / table / self.files[table]).exists():
                self.path(table).replace(root / table / self.files[table])
        return Segment(root, self.number, self.sweep, self.whole, self.files)

    def remove(self) -> None:
        """Deletes it, ``runs`` first."""
        for table in sorted(self.files, key=lambda table: table != RUNS):
            self.path(table).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Damaged:
    """The files of some runs, of which not all are what they were."""

    root: Path
    runs: Path
    """That of table ``runs``."""
    bad: tuple[Path, ...]
    """Those that are damaged or missing."""

    def told(self) -> str:
        """What is wrong with it."""
        return ", ".join(f"{path}: {'damaged' if path.exists() else 'missing'}" for path in self.bad)

    def rest(self) -> tuple[int, Tables] | None:
        """How many runs it had, and the rows of those of which nothing is damaged; None if that cannot be known."""
        about = _sums(self.runs)
        if about is None:
            return None
        places = {RUNS: self.runs} | {table: self.root / table / name for table, name in about["files"].items()}
        parts = {table: _groups(path, sound=path not in self.bad) for table, path in places.items()}
        # A run may have no rows in a table, but of a damaged one nobody knows that.
        whole = _untouched(parts[RUNS])
        for groups in parts.values():
            if any(group is None for group in groups):
                whole &= _untouched(groups)
        tables = {table: [group for group in groups if group is not None] for table, groups in parts.items()}
        if not whole:
            return None
        of = pa.array(sorted(whole), type=pa.string())

        def rows(groups: list[pa.Table]) -> pa.Table:
            table = pa.concat_tables(groups)
            return table.filter(pc.is_in(table["run"], value_set=of))

        return sum(rows for rows, _ in about["groups"]), {table: rows(groups) for table, groups in tables.items()}


def write(root: Path, number: int, sweep: str, tables: Tables, *, whole: bool) -> Segment:
    """Writes a segment. Equal tables give equal bytes."""
    files: dict[str, str] = {}
    for table in sorted(tables, key=lambda table: table == RUNS):
        rows = tables[table]
        if rows.num_rows == 0 and table != RUNS:
            continue
        kept = dict(rows.schema.metadata or {})
        if table == RUNS:
            about = {"sweep": sweep, "segment": number, "whole": whole, "files": files}
            kept[KEY] = json.dumps(about, sort_keys=True).encode()
        size = max(FEWEST, -(-rows.num_rows // GROUPS))
        kept[SUMS] = _line({"files": files if table == RUNS else {}, "groups": _sums_of(rows, size)})
        data = _parquet(rows.replace_schema_metadata(kept), size)
        name = f"{number:06d}-{digest(data)}.parquet"
        folder = root / table
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / name, data, sync=True)
        sync(folder)
        files = {**files, table: name}
    return Segment(root, number, sweep, whole, files)


def _parquet(table: pa.Table, group: int) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd", version="2.6", write_page_checksum=True, row_group_size=group)
    return out.getvalue()


def _sum(rows: pa.Table) -> str:
    """Of rows, wherever they come from: equal tables give equal bytes."""
    plain = pa.Table.from_arrays(rows.combine_chunks().columns, names=rows.column_names)
    return digest(_parquet(plain, max(rows.num_rows, 1)))


def _sums_of(rows: pa.Table, size: int) -> list[tuple[int, str]]:
    groups = (rows.slice(at, size) for at in range(0, rows.num_rows, size))
    return [(group.num_rows, _sum(group)) for group in groups]


def _line(about: dict[str, Any]) -> bytes:
    text = json.dumps(about, sort_keys=True).encode()
    return digest(text).encode() + b" " + text


def _sums(path: Path) -> dict[str, Any] | None:
    """What a file, damaged or not, says of its groups, if that is what was written."""
    with suppress(pa.ArrowException, KeyError, TypeError, ValueError, OSError):
        said, _, text = pq.read_schema(path).metadata[SUMS].partition(b" ")
        if said == digest(text).encode():
            return json.loads(text)
    return None


def _groups(path: Path, *, sound: bool) -> list[pa.Table | None]:
    """The groups of rows of a file; None for one that is damaged, and for all of them if they cannot be told apart."""
    if sound:
        # It may be half-way to another folder.
        return [pq.read_table(path) if path.exists() else None]
    about = _sums(path)
    if about is None:
        return [None]
    groups: list[pa.Table | None] = []
    for at, (_, said) in enumerate(about["groups"]):
        group = None
        with suppress(pa.ArrowException, ValueError, OSError), pq.ParquetFile(path) as file:
            group = file.read_row_group(at)
        groups.append(group if group is not None and _sum(group) == said else None)
    return groups


def _untouched(groups: list[pa.Table | None]) -> set[str]:
    """The runs that have rows here, and none in a damaged group: rows of a run are neighbours."""
    there = {run for group in groups if group is not None for run in group["run"].to_pylist()}
    for before, after in itertools.pairwise(groups):
        if before is None and after is not None:
            there.discard(after["run"][0].as_py())
        if after is None and before is not None:
            there.discard(before["run"][-1].as_py())
    return there


def read_all(root: Path, elsewhere: Path | None = None) -> Iterator[Segment | Damaged]:
    """The segments below ``root``, sound or damaged.

    A file that is missing may have got ``elsewhere`` already (see `Segment.move`).
    """
    places = [root] if elsewhere is None else [root, elsewhere]
    for path in sorted((root / RUNS).glob("*.parquet")):
        segment = _read(root, path)
        # What a damaged file says of the others is looked at when it is to be mended.
        files = segment.files.items() if segment else ()
        bad = [root / t / name for t, name in files if not any(_sound(place / t / name) for place in places)]
        if segment and not bad:
            yield segment
        else:
            yield Damaged(root, path, tuple(bad) if segment else (path, *_bad_sisters(root, path)))


def _bad_sisters(root: Path, path: Path) -> list[Path]:
    """The damaged files that belong to a damaged one of ``runs``, as far as that can still say which they are."""
    about = _sums(path) or {"files": {}}
    files = [root / table / name for table, name in about["files"].items()]
    return [file for file in files if not _sound(file)]


def _read(root: Path, path: Path) -> Segment | None:
    if not _sound(path):
        return None
    # Its digest is right, so it is what was written.
    with suppress(pa.ArrowException, KeyError, ValueError, OSError):
        about: dict[str, Any] = json.loads(pq.read_schema(path).metadata[KEY])
        files = {**about["files"], RUNS: path.name}
        return Segment(root, about["segment"], about["sweep"], about["whole"], files)
    return None


def _sound(path: Path) -> bool:
    """Whether the file is what its name says."""
    named = NAME.fullmatch(path.name)
    if not named:
        return False
    try:
        return digest(path.read_bytes()) == named[2]
    except FileNotFoundError:
        return False


def sync(folder: Path) -> None:
    """Renamed files stay renamed, also after a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
