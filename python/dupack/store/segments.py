"""Files of a store: written completely, named by their content, checked when they are read."""

from __future__ import annotations

import io
import itertools
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyarrow.fs import LocalFileSystem

from dupack.files import from_json, sync_folder, write_whole
from dupack.measures import SUMMARY, Measure
from dupack.store.journal import digest, digest_of
from dupack.store.rows import Tables
from dupack.store.schema import RUNS

NAME = re.compile(r"(\d{6,})-([0-9a-f]{32})\.parquet")
KEY = b"dupack"
SUMS = b"dupack.sums"
GROUPS, FEWEST = 16, 64
"""Number of row groups per file, and least size of a group: the undamaged groups of a damaged file can be kept."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The files of some runs. The file of table ``runs`` is written last and names the others; it makes the segment."""

    root: Path
    number: int
    sweep: str
    whole: bool
    """Whether no run of its part of the sweep is missing."""
    files: dict[str, str]
    """File names per table; a table without rows has none."""

    def path(self, table: str) -> Path:
        """The file of a table."""
        return self.root / table / self.files[table]

    def runs(self) -> list[str]:
        """Its runs, by digest."""
        return self.column("run")

    def column(self, name: str) -> list[Any]:
        """A column of its table ``runs``."""
        with opened(self.path(RUNS)) as file:
            return pq.read_table(file, columns=[name])[name].to_pylist()

    def __len__(self) -> int:
        with opened(self.path(RUNS)) as file:
            return int(pq.read_metadata(file).num_rows)

    def places(self) -> list[tuple[int, int]]:
        """Its runs, by point and seed."""
        return list(zip(self.column("point"), self.column("seed"), strict=True))

    def values(self, measure: Measure) -> list[float | None]:
        """The value of a measure in each of its runs."""
        table = RUNS if measure.part == SUMMARY else measure.part
        rows: dict[str, list[dict[str, Any]]] = {}
        if table in self.files:
            with opened(self.path(table)) as file:
                found = pq.read_table(file, columns=["run", *measure.columns]).to_pylist()
            for row in found:
                rows.setdefault(row["run"], []).append(row)
        return [measure.in_rows(rows.get(run, [])) for run in self.runs()]

    def read(self, runs: list[str]) -> Tables:
        """The rows of some of its runs."""
        wanted = [("run", "in", runs)]
        found = {}
        for table in self.files:
            with opened(self.path(table)) as file:
                found[table] = pq.read_table(file, filters=wanted)
        return found

    def move(self, root: Path) -> Segment:
        """Moves it elsewhere, ``runs`` last."""
        for table in sorted(self.files, key=lambda table: table == RUNS):
            (root / table).mkdir(parents=True, exist_ok=True)
            # It may have been moved already, by a process that was killed in the middle of this.
            if (self.root / table / self.files[table]).exists():
                self.path(table).replace(root / table / self.files[table])
        return Segment(root, self.number, self.sweep, self.whole, self.files)

    def remove(self) -> None:
        """Deletes it, ``runs`` first."""
        for table in sorted(self.files, key=lambda table: table != RUNS):
            self.path(table).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Damaged:
    """The files of some runs, of which some are damaged or missing."""

    root: Path
    runs: Path
    """The file of table ``runs``."""
    bad: tuple[Path, ...]
    """The damaged or missing files."""

    def told(self) -> str:
        """The damage, in words."""
        return ", ".join(f"{path}: {'damaged' if path.exists() else 'missing'}" for path in self.bad)

    def rest(self) -> tuple[int, Tables] | None:
        """The number of runs that it had, and the rows of undamaged runs; None if that cannot be known."""
        about = _sums(self.runs)
        if about is None:
            return None
        places = {RUNS: self.runs} | {table: self.root / table / name for table, name in about["files"].items()}
        parts = {table: _groups(path, sound=path not in self.bad) for table, path in places.items()}
        # A run may have no rows in a table; in a damaged table this cannot be known.
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
        sync_folder(folder)
        files = {**files, table: name}
    return Segment(root, number, sweep, whole, files)


def _parquet(table: pa.Table, group: int) -> bytes:
    out = io.BytesIO()
    with pq.ParquetWriter(out, table.schema, compression="zstd", version="2.6", write_page_checksum=True) as writer:
        for at in range(0, max(table.num_rows, 1), group):
            # The bytes depend on chunks, and a copy of the whole table may be large.
            writer.write_table(table.slice(at, group).combine_chunks(), row_group_size=group)
    return out.getvalue()


def _sum(rows: pa.Table) -> str:
    """A checksum of rows: equal tables give equal bytes."""
    plain = pa.Table.from_arrays(rows.combine_chunks().columns, names=rows.column_names)
    return digest(_parquet(plain, max(rows.num_rows, 1)))


def _sums_of(rows: pa.Table, size: int) -> list[tuple[int, str]]:
    groups = (rows.slice(at, size) for at in range(0, rows.num_rows, size))
    return [(group.num_rows, _sum(group)) for group in groups]


def _line(about: dict[str, Any]) -> bytes:
    text = json.dumps(about, sort_keys=True).encode()
    return digest(text).encode() + b" " + text


def _sums(path: Path) -> dict[str, Any] | None:
    """The checksums of a file's groups, if they are undamaged; the file may be damaged."""
    with suppress(pa.ArrowException, KeyError, TypeError, ValueError, OSError), opened(path) as file:
        said, _, text = pq.read_schema(file).metadata[SUMS].partition(b" ")
        if said == digest(text).encode():
            return from_json(text)
    return None


def _groups(path: Path, *, sound: bool) -> list[pa.Table | None]:
    """The row groups of a file; None for a damaged group, or for all if the groups cannot be separated."""
    if sound:
        # It may be on its way to another folder.
        with suppress(FileNotFoundError), opened(path) as file:
            return [pq.read_table(file)]
        return [None]
    about = _sums(path)
    if about is None:
        return [None]
    groups: list[pa.Table | None] = []
    for at, (_, said) in enumerate(about["groups"]):
        group = None
        with suppress(pa.ArrowException, ValueError, OSError), opened(path) as file:
            group = pq.ParquetFile(file).read_row_group(at)
        groups.append(group if group is not None and _sum(group) == said else None)
    return groups


def _untouched(groups: list[pa.Table | None]) -> set[str]:
    """The runs with rows here and none in a damaged group; the rows of a run are adjacent."""
    there = {run for group in groups if group is not None for run in group["run"].to_pylist()}
    for before, after in itertools.pairwise(groups):
        if before is None and after is not None:
            there.discard(after["run"][0].as_py())
        if after is None and before is not None:
            there.discard(before["run"][-1].as_py())
    return there


def read_all(root: Path, elsewhere: Path | None = None) -> Iterator[Segment | Damaged]:
    """The segments below ``root``, sound or damaged.

    A missing file may already be ``elsewhere`` (see `Segment.move`).
    """
    places = [root] if elsewhere is None else [root, elsewhere]
    for path in sorted((root / RUNS).glob("*.parquet")):
        segment = _read(root, path)
        # The names of the others in a damaged file are read when it is repaired.
        files = segment.files.items() if segment else ()
        bad = [root / t / name for t, name in files if not any(_sound(place / t / name) for place in places)]
        if segment and not bad:
            yield segment
        else:
            yield Damaged(root, path, tuple(bad) if segment else (path, *_bad_sisters(root, path)))


def _bad_sisters(root: Path, path: Path) -> list[Path]:
    """The damaged files that belong to a damaged file of ``runs``, as far as it still names them."""
    about = _sums(path) or {"files": {}}
    files = [root / table / name for table, name in about["files"].items()]
    return [file for file in files if not _sound(file)]


def _read(root: Path, path: Path) -> Segment | None:
    if not _sound(path):
        return None
    # Its digest is right, so it is undamaged.
    with suppress(pa.ArrowException, KeyError, ValueError, OSError), opened(path) as file:
        about: dict[str, Any] = from_json(pq.read_schema(file).metadata[KEY])
        files = {**about["files"], RUNS: path.name}
        return Segment(root, about["segment"], about["sweep"], about["whole"], files)
    return None


def _sound(path: Path) -> bool:
    """Whether the file matches the digest in its name."""
    named = NAME.fullmatch(path.name)
    if not named:
        return False
    try:
        return digest_of(path) == named[2]
    except FileNotFoundError:
        return False


def opened(path: Path) -> Any:
    """A file, opened by Arrow: its own functions refuse a path that is not UTF-8."""
    return pa.OSFile(os.fsencode(path))


@dataclass(frozen=True, slots=True)
class _Bytes:
    """A path as its bytes."""

    path: bytes

    def __fspath__(self) -> bytes:
        return self.path


def dataset(paths: Sequence[Path]) -> ds.Dataset:
    """The rows of some files of a table; they are read when they are asked for."""
    files, form = LocalFileSystem(), ds.ParquetFileFormat()
    parts = [form.make_fragment(_Bytes(os.fsencode(path)), filesystem=files) for path in paths]
    schema = pa.unify_schemas([part.physical_schema for part in parts])
    return ds.FileSystemDataset(parts, schema, form, files)
