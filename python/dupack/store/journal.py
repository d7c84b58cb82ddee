"""The journal: finished runs that are not in a Parquet file yet, one line each, which begins with a digest."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from dupack.errors import WriteError
from dupack.files import from_json, sync_folder, why

SYNC_S = 1.0
"""Interval of syncs to the disk. A killed process loses nothing, a power cut at most this much."""


def digest(data: bytes) -> str:
    """The first half of SHA-256, to detect damage and to compare."""
    return hashlib.sha256(data).hexdigest()[:32]


def read(path: Path) -> Iterator[dict[str, Any] | None]:
    """The runs of a journal; None for a damaged line (partially written or changed)."""
    with path.open("rb") as file:
        for line in file:
            yield _entry(line)


def _entry(line: bytes) -> dict[str, Any] | None:
    said, _, text = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or said != digest(text).encode():
        return None
    with suppress(ValueError):
        return from_json(text)
    return None


class Journal:
    """The journals of incomplete segments."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._open: dict[Path, IO[bytes]] = {}
        self._synced = time.monotonic()

    def append(self, name: str, text: str) -> None:
        """Appends a line; a partial line before it does no harm."""
        path = self.place / name
        file = self._open.get(path)
        if file is None:
            file = self._open[path] = open_own(path)
            _end_line(path, file)
        data = text.encode()
        line = digest(data).encode() + b" " + data + b"\n"
        start = file.tell()
        try:
            written = file.write(line)
            while written < len(line):
                written += file.write(line[written:])
        except OSError as error:
            # The disk is full: no partial line is left.
            with suppress(OSError):
                file.truncate(start)
            raise WriteError(f"{path}: cannot be written: {why(error)}") from error
        if time.monotonic() - self._synced > SYNC_S:
            self.sync()

    def sync(self) -> None:
        """Syncs to the disk, so that no power cut loses what was written."""
        for file in self._open.values():
            os.fsync(file.fileno())
        sync_folder(self.place)
        self._synced = time.monotonic()

    def remove(self, name: str) -> None:
        """Removes a journal whose runs are stored elsewhere."""
        path = self.place / name
        file = self._open.pop(path, None)
        if file is not None:
            file.close()
        path.unlink(missing_ok=True)

    def close(self) -> None:
        """Closes the journals."""
        with suppress(OSError):
            self.sync()
        for file in self._open.values():
            file.close()
        self._open.clear()


def open_own(path: Path) -> IO[bytes]:
    """Opens a file of a store to append to it; an ``OSError`` for a link to another file, which would be changed."""
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
        os.close(handle)
        raise OSError(errno.EMLINK, f"{path.name} has a second name or is not a file")
    return os.fdopen(handle, "ab", buffering=0)


def _end_line(path: Path, file: IO[bytes]) -> None:
    size = path.stat().st_size
    if size:
        with path.open("rb") as old:
            old.seek(size - 1)
            if old.read(1) != b"\n":
                file.write(b"\n")
    file.seek(0, os.SEEK_END)
