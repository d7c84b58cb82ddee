"""Files are written completely, then renamed into place: a reader finds the whole file or none."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from dupack.errors import OutputError, RequestError, WriteError


def write_whole(path: Path, content: str | bytes, option: str = "", *, sync: bool = False) -> None:
    """Writes a file. With ``sync`` it is on the disk before it is renamed: not even a power cut leaves half a file.

    A device or a pipe is written directly, since nothing can be renamed into its place.
    """
    data = content.encode() if isinstance(content, str) else content
    with _told(path, option):
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        with _beside(path, sync=sync) as file:
            file.write(data)


@contextmanager
def write_pieces(path: Path | None, option: str, *, sync: bool = False) -> Iterator[Callable[[bytes], object]]:
    """Within this, the function that is given writes a file piece by piece; at the end it is renamed into its place.

    With ``sync`` it is on the disk before that. Without a path nothing is written.
    """
    if path is None:
        yield lambda piece: None
        return
    with _told(path, option), _beside(path, sync=sync) as file:
        yield file.write


@contextmanager
def _beside(path: Path, *, sync: bool) -> Iterator[BinaryIO]:
    """A file that is renamed to this path at the end; after an error there is none."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        # A link of this name would lead to another file.
        part.unlink(missing_ok=True)
        with part.open("xb") as file:
            yield file
            if sync:
                file.flush()
                os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


@contextmanager
def _told(path: Path, option: str) -> Iterator[None]:
    """An error of the system while this path is written is a `WriteError`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise WriteError(f"{option} {path}: cannot be written: {why(error)}".lstrip()) from error


def sync_folder(folder: Path) -> None:
    """Syncs the names in a folder: after a power cut, files that were made or renamed there still have them."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_json(path: Path, document: Any, option: str = "") -> None:
    """Writes a document."""
    write_whole(path, to_json(document) + "\n", option)


@contextmanager
def printing(stands: str = "") -> Iterator[None]:
    """A context for printing results; if standard output fails, the error adds ``stands``: what was kept."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_stdout()
        raise WriteError(f"standard output: cannot be written: {why(error)}{stands}") from error


def drop_stdout() -> None:
    """Discards output that is still buffered; it would fail once more when Python exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


RUN = re.compile(r"\.?(point-\d+-)?seed-\d+\.json(\.\d+\.part)?")
"""File names of runs in `dupack run --out`, complete or partial."""
PART = re.compile(r"\.(result\.json|dupack)\.\d+\.part")
"""File names that it leaves if it is killed."""


def expanded(path: str | os.PathLike[str]) -> Path:
    """The path with ``~`` as the home directory; a shell does not replace it in ``--out=~/results``."""
    text = os.fspath(path)
    if not text.startswith("~"):
        return Path(path)
    try:
        return Path(path).expanduser()
    except RuntimeError:
        user = Path(text).parts[0]
        raise RequestError(f"{text}: there is no user {user[1:]!r}; write ./{text} for a file of this name") from None


def refuse_links(paths: Iterable[Path], option: str) -> None:
    """Raises an error for links: what is written there would be written elsewhere."""
    for path in paths:
        if path.is_symlink():
            raise RequestError(
                f"{option} {path}: a link, and nothing is written through a link; remove it, or give another place; "
                "nothing was run"
            )


def own_directory(path: Path, option: str, *, force: bool = False) -> list[Path]:
    """The files of an earlier `dupack run --out` in a directory, which are replaced.

    Other files are an error, unless ``force``; they are kept.
    """
    refuse_links([path / "runs"], option)
    try:
        inside = {entry.name: entry for entry in path.iterdir()}
        runs = inside.get("runs")
        mine = [file for file in runs.iterdir() if RUN.fullmatch(file.name)] if runs and runs.is_dir() else []
        mine += [entry for name, entry in inside.items() if PART.fullmatch(name)]
        others = {name for name in inside if name != "runs" and not PART.fullmatch(name)}
        if runs and runs.is_dir() and any(not RUN.fullmatch(file.name) for file in runs.iterdir()):
            others.add("runs")
        if _is_result(path / "result.json"):
            mine.append(path / "result.json")
        elif others and not force:
            raise RequestError(
                f"{option} {path}: the directory has files that are not results of dupack run; "
                "give a new or an empty directory, or --force; nothing was run"
            )
    except OSError as error:
        raise OutputError(f"{option} {path}: cannot be read: {why(error)}; nothing was run") from error
    return mine


def _is_result(path: Path) -> bool:
    try:
        document = from_json(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and "title" in document and bool({"points", "runs", "summary"} & set(document))


def remove(files: list[Path], option: str) -> None:
    """Removes files, and the directories that are empty then."""
    for file in files:
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(f"{option} {file}: cannot be removed: {why(error)}; nothing was run") from error
    for directory in {file.parent for file in files if file.parent.name == "runs"}:
        with suppress(OSError):
            directory.rmdir()


def from_json(text: str | bytes) -> Any:
    """The document of a JSON text from a file; ``ValueError`` if it is none, or is nested too deeply for Python."""
    import json

    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def to_json(document: Any) -> str:
    """A document as JSON. NaN is an error; a document has null for it."""
    import json

    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    # A path that is not UTF-8 has its bytes as escapes.
    return text.encode("utf-8", "backslashreplace").decode()


def check_directory(path: Path, option: str) -> None:
    """Creates the directory, and raises an error if it cannot be written to, before anything runs."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        _probe(path)
    except OSError as error:
        raise OutputError(f"{option} {path}: cannot be written: {why(error)}; nothing was run") from error


def check_file(
    path: Path, option: str, ours: Callable[[Path], bool] = lambda path: True, *, force: bool = False
) -> None:
    """Raises an error if a file cannot be written, before anything runs.

    A file that exists must be one of ``ours`` or empty, unless ``force``.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(21, "is a directory")
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError(13, "no permission")
        if not path.exists() or path.is_file():
            _probe(path.parent)
        if path.is_file() and path.stat().st_size and not force and not ours(path):
            raise RequestError(
                f"{option} {path}: dupack did not write this file, and does not overwrite it; "
                "give another name, or --force; nothing was run"
            )
    except OSError as error:
        raise OutputError(f"{option} {path}: cannot be written: {why(error)}; nothing was run") from error


def _probe(directory: Path) -> None:
    part = directory / f".dupack.{os.getpid()}.part"
    part.unlink(missing_ok=True)
    part.touch(exist_ok=False)
    part.unlink()


def why(error: OSError) -> str:
    """The system's message, in lower case."""
    return (error.strerror or str(error)).lower()
