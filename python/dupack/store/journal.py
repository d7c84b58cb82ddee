"""The journal: finished runs that are not in a Parquet file yet, one line each, which begins with a digest."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock, Timer
from typing import IO, Any

from dupack.errors import WriteError
from dupack.files import from_json, sync_folder, why, write_pieces

SYNC_S = 1.0
"""Most time from a write to its sync to the disk. A killed process loses nothing, a power cut at most this much."""
BLOCK = 1 << 16


def digest(data: bytes) -> str:
    """The first half of SHA-256, to detect damage and to compare."""
    return hashlib.sha256(data).hexdigest()[:32]


def read(path: Path) -> Iterator[dict[str, Any] | None]:
    """The runs of a journal; None for a damaged line (partially written or changed)."""
    return (entry for entry, _ in lines(path))


def lines(path: Path) -> Iterator[tuple[dict[str, Any] | None, bytes]]:
    """The same, each with its line. The last line may be partial, without its end: a process was killed, or writes it
    now. Any other line without a run is damaged, since a partial line is removed before the next one is written."""
    with path.open("rb") as file:
        for line in file:
            yield _entry(line), line


def mend(path: Path) -> None:
    """Removes damaged lines; the others stay as they are."""
    with write_pieces(path, "", sync=True) as keep:
        for entry, line in lines(path):
            if entry is not None:
                keep(line)
    sync_folder(path.parent)


def _entry(line: bytes) -> dict[str, Any] | None:
    said, _, text = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or said != digest(text).encode():
        return None
    with suppress(ValueError):
        return from_json(text)
    return None


class Journal:
    """The journals of incomplete segments.

    A timer syncs what was written, because the next run may take hours. If a sync fails, `check` tells it.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        self._open: dict[Path, IO[bytes]] = {}
        self._lock = Lock()
        """For the timer's thread: it protects ``_open`` and ``_timer``."""
        self._timer: Timer | None = None
        """Syncs what was written after the last sync."""
        self._failed: OSError | None = None

    def append(self, name: str, text: str) -> None:
        """Appends a line; a partial line before it is removed."""
        path = self.place / name
        file = self._file(path)
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
        with self._lock:
            if self._timer is None:
                self._timer = Timer(SYNC_S, self._sync_later)
                self._timer.daemon = True
                self._timer.start()

    def _file(self, path: Path) -> IO[bytes]:
        file = self._open.get(path)
        if file is None:
            try:
                file = open_own(path)
                _drop_partial(file)
            except OSError as error:
                raise WriteError(f"{path}: cannot be written: {why(error)}") from error
            with self._lock:
                self._open[path] = file
        return file

    def check(self) -> None:
        """Raises an error if a sync has failed: another sync of the same data may succeed without writing it."""
        if self._failed is not None:
            raise WriteError(f"{self.place}: cannot be written: {why(self._failed)}") from self._failed

    def _sync_later(self) -> None:
        with self._lock:
            self._timer = None
        try:
            self.sync()
        except OSError as error:
            self._failed = error

    def sync(self) -> None:
        """Syncs to the disk, so that no power cut loses what was written."""
        # A sync may take long. Meanwhile the other thread writes, or closes its own handles.
        handles: list[int] = []
        try:
            with self._lock:
                for file in self._open.values():
                    handles.append(os.dup(file.fileno()))
            for handle in handles:
                os.fsync(handle)
            sync_folder(self.place)
        finally:
            for handle in handles:
                os.close(handle)

    def remove(self, name: str) -> None:
        """Removes a journal whose runs are stored elsewhere."""
        path = self.place / name
        with self._lock:
            file = self._open.pop(path, None)
        if file is not None:
            file.close()
        path.unlink(missing_ok=True)

    def close(self) -> None:
        """Closes the journals."""
        with self._lock:
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
        with suppress(OSError):
            self.sync()
        with self._lock:
            for file in self._open.values():
                file.close()
            self._open.clear()


def open_own(path: Path) -> IO[bytes]:
    """Opens a file of a store to append to it; an ``OSError`` for a link to another file, which would be changed."""
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
        os.close(handle)
        raise OSError(errno.EMLINK, f"`{path.name}` is a hard link, or not a file")
    return os.fdopen(handle, "ab", buffering=0)


def _drop_partial(file: IO[bytes]) -> None:
    """Removes a line without its end: its process was killed while it wrote it."""
    end = size = file.seek(0, os.SEEK_END)
    while end:
        start = max(end - BLOCK, 0)
        at = os.pread(file.fileno(), end - start, start).rfind(b"\n")
        if at >= 0:
            end = start + at + 1
            break
        end = start
    if end < size:
        file.truncate(end)
    file.seek(0, os.SEEK_END)
