"""The journal: finished runs that are not in a Parquet file yet, one line each, which begins with a digest."""

from __future__ import annotations

import errno
import hashlib
import itertools
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock, Timer
from typing import IO, Any

from dupack.errors import WriteError
from dupack.files import from_json, sync_folder, why, write_pieces
from dupack.store import long

SYNC_S = 1.0
"""Most time from a write to its sync to the disk. A killed process loses nothing, a power cut at most this much."""
BLOCK = 1 << 16
PIECE = 1 << 20
"""A line is written in pieces of this size: that of a run with a million flows has 400 MB, without any copy."""
DIGITS = 32


def digest(data: bytes | memoryview) -> str:
    """The first half of SHA-256, to detect damage and to compare."""
    return _digest((data,))


def _digest(pieces: Iterable[bytes | memoryview]) -> str:
    told = hashlib.sha256()
    for piece in pieces:
        told.update(piece)
    return told.hexdigest()[:DIGITS]


def digest_of(path: Path) -> str:
    """The same, of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:DIGITS]


def read(path: Path) -> Iterator[dict[str, Any] | None]:
    """The runs of a journal; None for a damaged line (partially written or changed)."""
    return (entry for entry, _ in lines(path))


def lines(path: Path) -> Iterator[tuple[dict[str, Any] | None, bool]]:
    """The same, each with whether its line has its end. The last line may be partial: a process was killed, or writes
    it now. Any other line without a run is damaged, since a partial line is removed before the next one is written."""
    with path.open("rb") as file:
        for line in file:
            found = _entry(line), line.endswith(b"\n")
            # It may be large, and is not needed while the run is used.
            del line
            yield found


def mend(path: Path) -> None:
    """Removes damaged lines; the others stay as they are."""
    with write_pieces(path, "", sync=True) as keep, path.open("rb") as file:
        for line in file:
            if _entry(line) is not None:
                keep(line)
    sync_folder(path.parent)


def _entry(line: bytes) -> dict[str, Any] | None:
    text = memoryview(line)[DIGITS + 1 : -1]
    if not line.endswith(b"\n") or line[: DIGITS + 1] != digest(text).encode() + b" ":
        return None
    with suppress(ValueError):
        whole = str(text, "utf-8")
        return from_json(whole) if len(whole) < long.LONG else long.entry(whole)
    return None


def _encoded(texts: Iterable[str]) -> Iterator[bytes]:
    for text in texts:
        for at in range(0, len(text), PIECE):
            yield text[at : at + PIECE].encode()


def _blocks(pieces: Iterable[bytes]) -> Iterator[memoryview]:
    """Pieces, put together unless they are large: a short line is written at once."""
    block = bytearray()
    for piece in pieces:
        block += piece
        if len(block) >= PIECE:
            yield memoryview(block)
            block = bytearray()
    yield memoryview(block)


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

    def append(self, name: str, *texts: str) -> None:
        """Appends a line, given in parts; a partial line before it is removed."""
        path = self.place / name
        file = self._file(path)
        head = f"{_digest(_encoded(texts))} ".encode()
        start = file.tell()
        try:
            for block in _blocks(itertools.chain([head], _encoded(texts), [b"\n"])):
                written = 0
                while written < len(block):
                    written += file.write(block[written:])
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
