"""Files of a store: written whole, named by what is in them, checked before they are believed."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dupack.files import write_whole
from dupack.store.journal import digest
from dupack.store.rows import Tables
from dupack.store.schema import RUNS

NAME = re.compile(r"(\d{6,})-([0-9a-f]{32})\.parquet")
PART = re.compile(r"\..*\.\d+\.part")
KEY = b"dupack"


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


def write(root: Path, number: int, sweep: str, tables: Tables, *, whole: bool) -> Segment:
    """Writes a segment. Equal tables give equal bytes."""
    files: dict[str, str] = {}
    for table in sorted(tables, key=lambda table: table == RUNS):
        rows = tables[table]
        if rows.num_rows == 0 and table != RUNS:
            continue
        if table == RUNS:
            about = {"sweep": sweep, "segment": number, "whole": whole, "files": files}
            kept = {**(rows.schema.metadata or {}), KEY: json.dumps(about, sort_keys=True).encode()}
            rows = rows.replace_schema_metadata(kept)
        data = _parquet(rows)
        name = f"{number:06d}-{digest(data)}.parquet"
        folder = root / table
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / name, data, sync=True)
        sync(folder)
        files = {**files, table: name}
    return Segment(root, number, sweep, whole, files)


def _parquet(table: pa.Table) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd", version="2.6", write_page_checksum=True)
    return out.getvalue()


def read_all(root: Path, elsewhere: Path | None = None) -> Iterator[Segment | Path]:
    """The segments below ``root``; of one that is damaged the file of ``runs``.

    A file that is missing may have got ``elsewhere`` already (see `Segment.move`).
    """
    for path in sorted((root / RUNS).glob("*.parquet")):
        segment = _read(root, path)
        places = [root] if elsewhere is None else [root, elsewhere]
        if segment and all(any(_sound(place / t / name) for place in places) for t, name in segment.files.items()):
            yield segment
        else:
            yield path


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
