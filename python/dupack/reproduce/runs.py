"""Results of runs, kept on disk by what decides them: an interrupted command goes on where it was.

A run is decided by the build of dupack, the experiment, the seed, and the Python of the paper that selects what is kept
of it. Changing one of them makes it another run; nothing that is kept is ever out of date.
"""

from __future__ import annotations

import platform
import sqlite3
import zlib
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

from dupack import _native
from dupack.errors import RequestError, WriteError
from dupack.reproduce.paper import Experiment, Measured, Paper
from dupack.work import Job

FILE = "runs.sqlite"
OURS = 0x64757061
"""Marks a database as dupack's own."""

Key = tuple[str, int, str]
"""An experiment, a seed, and what is kept of the run."""


def key(paper: Paper, experiment: Experiment, job: Job) -> Key:
    """What decides a run."""
    own = [f"{name} {by.__name__}" for name, by in _selections(experiment).items()]
    if own:
        own.append(_python(paper.directory))
    if paper.live:
        own.append(f"live on Linux {platform.release()}")
    return (*job.same(), "; ".join(own))


def _selections(experiment: Experiment) -> dict[str, Callable[..., Any]]:
    by = {"keep": experiment.keep, "tape": experiment.tape, "special": experiment.special}
    return {name: one for name, one in by.items() if one is not None}


@lru_cache(maxsize=16)
def _python(directory: Path) -> str:
    """A digest of a paper's Python."""
    found = sha256()
    for file in sorted(directory.glob("*.py")):
        found.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()


class Runs:
    """Results of runs, in a file or in memory."""

    def __init__(self, file: Path | None = None) -> None:
        self._memory: dict[Key, Measured] = {}
        self._times: dict[Key, float] = {}
        self._file = file
        self._disk = None if file is None else _opened(file)

    def __enter__(self) -> Runs:
        return self

    def __exit__(self, *_: object) -> None:
        if self._disk is not None:
            self._disk.close()

    def has(self, key: Key) -> bool:
        """Whether a run has finished."""
        if key in self._memory:
            return True
        return self._disk is not None and bool(self._select("1", key))

    def get(self, key: Key, experiment: Experiment) -> Measured:
        """A run that has finished."""
        if key in self._memory:
            return self._memory[key]
        ((packed,),) = self._select("result", key)
        kept: Any = tuple.__class_getitem__((dict[str, Any], _kept(experiment)))
        document, tape = msgspec.json.decode(zlib.decompress(packed), type=kept)
        return Measured(document, tape)

    def cpu_s(self, key: Key) -> float:
        """Processor time of a run that has finished [s]."""
        if key in self._memory:
            return self._times[key]
        ((taken,),) = self._select("cpu_s", key)
        return float(taken)

    def put(self, key: Key, experiment: Experiment, run: Measured, cpu_s: float) -> None:
        """Keeps a run and its processor time."""
        if self._disk is None or _kept(experiment) is None:
            self._memory[key], self._times[key] = run, cpu_s
            return
        packed = zlib.compress(msgspec.json.encode((run.document, run.tape)), 1)
        try:
            self._disk.execute("INSERT OR REPLACE INTO run VALUES (?, ?, ?)", (_digest(key), cpu_s, packed))
        except sqlite3.Error as error:
            raise WriteError(f"{self._file}: a run cannot be kept: {error}") from error

    def _select(self, what: str, key: Key) -> list[tuple[Any, ...]]:
        assert self._disk is not None
        try:
            return self._disk.execute(f"SELECT {what} FROM run WHERE key = ?", (_digest(key),)).fetchall()
        except sqlite3.DatabaseError as error:
            raise RequestError(f"{self._file}: {error}; remove it, and its runs are simulated again") from error


def is_ours(file: Path) -> bool:
    """Whether dupack has written this database."""
    try:
        with file.open("rb") as opened:
            head = opened.read(100)
    except OSError:
        return False
    # The header of SQLite's file format, and the field "application ID" in it.
    return head.startswith(b"SQLite format 3\0") and int.from_bytes(head[68:72]) == OURS


def _kept(experiment: Experiment) -> Any:
    """The type of what is kept of a tape; None if it is not known, and the run cannot be read back."""
    if experiment.tape is None:
        return Any
    return get_type_hints(experiment.tape).get("return")


def _digest(key: Key) -> bytes:
    return sha256("\0".join([_native.__build__, *map(str, key)]).encode()).digest()


def _opened(file: Path) -> sqlite3.Connection:
    """The database.

    Raises ``RequestError`` for a file that dupack has not written.
    """
    if file.is_symlink() or (file.exists() and not file.is_file()):
        raise RequestError(f"{file}: not a file that dupack has written; nothing was run")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        disk = sqlite3.connect(file, timeout=60, isolation_level=None)
        (made_by,) = disk.execute("PRAGMA application_id").fetchone()
        (tables,) = disk.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if made_by != OURS and tables:
            raise RequestError(f"{file}: not a file that dupack has written; nothing was run")
        disk.execute(f"PRAGMA application_id = {OURS}")
        # A run that is lost with the power is simulated again.
        disk.execute("PRAGMA journal_mode = WAL")
        disk.execute("PRAGMA synchronous = NORMAL")
        disk.execute(
            "CREATE TABLE IF NOT EXISTS run "
            "(key BLOB PRIMARY KEY, cpu_s REAL NOT NULL, result BLOB NOT NULL) WITHOUT ROWID"
        )
    except sqlite3.DatabaseError as error:
        raise RequestError(f"{file}: {error}; nothing was run") from error
    except OSError as error:
        raise WriteError(f"{file.parent}: {error.strerror}") from error
    return disk
