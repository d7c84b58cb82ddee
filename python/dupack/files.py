"""Results are written whole, then renamed into place: whoever looks finds all of a file or none of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from dupack.errors import OutputError


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file. A device or a pipe is written as it is: there is no renaming into its place."""
    data = content.encode() if isinstance(content, str) else content
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_json(path: Path, document: Any) -> None:
    """Writes a document."""
    write_whole(path, to_json(document) + "\n")


def to_json(document: Any) -> str:
    """A document as text. Not-a-number is no JSON; whoever makes a document writes null for it."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def check_directory(path: Path, option: str) -> None:
    """Makes the directory, and refuses one in which nothing can be written: before anything runs."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        _probe(path)
    except OSError as error:
        raise OutputError(f"{option} {path}: cannot be written: {_why(error)}; nothing was run") from error


def check_file(path: Path, option: str) -> None:
    """Refuses a file that cannot be written, before anything runs."""
    try:
        if path.is_dir():
            raise IsADirectoryError(21, "is a directory")
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError(13, "no permission")
        if not path.exists() or path.is_file():
            _probe(path.parent)
    except OSError as error:
        raise OutputError(f"{option} {path}: cannot be written: {_why(error)}; nothing was run") from error


def _probe(directory: Path) -> None:
    part = directory / f".dupack.{os.getpid()}.part"
    part.touch()
    part.unlink()


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
