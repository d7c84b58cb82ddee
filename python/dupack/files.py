"""Files are written completely, then renamed into place: a reader finds the whole file or none."""

from __future__ import annotations

import errno
import os
import re
import stat
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


RESULT = "result.json"
RUN = re.compile(r"(\.?)(?:point-\d+-)?seed-(\d+)\.json(\.\d+\.part)?")
"""File names of runs in `dupack run --out`, complete or partial."""
PART = re.compile(r"\.(result\.json|dupack)\.\d+\.part")
"""File names that it leaves if it is killed."""
BEGIN = b'{\n  "title": '
"""The begin of each of its documents."""
LARGEST = 256 << 20
"""Largest file of settings or words [bytes]; results may be larger."""


def read_regular(path: Path, most: float = LARGEST, *, links: bool = True) -> bytes:
    """The content of a file; an ``OSError`` for what is none, or is too large, or with ``links`` false is a link.

    Others may have put a device there, which has no end, or a pipe, for which a reader would wait.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if links else os.O_NOFOLLOW))
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(handle)
        if stat.S_ISDIR(about.st_mode):
            raise IsADirectoryError(errno.EISDIR, "is a directory")
        if not stat.S_ISREG(about.st_mode):
            raise OSError(errno.EINVAL, "not a file")
        if about.st_size > most:
            raise OSError(errno.EFBIG, f"larger than {int(most) >> 20} MiB")
        return file.read()


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
                f"{option} {path}: is a symbolic link; dupack does not write through links. Remove it, or choose "
                f"another {option}; nothing was run"
            )


def refuse_inputs(outputs: Iterable[tuple[str, Path]], inputs: Iterable[Path], ending: str = "nothing was run") -> None:
    """Raises an error for an output, given with its option, that is one of the files or directories of the command's
    input: not even ``--force`` replaces that."""
    there = [(option, path, about) for option, path in outputs if (about := _file_of(path)) is not None]
    # A plan may name many files.
    read = {about for path in inputs if (about := _file_of(path)) is not None} if there else set()
    for option, path, about in there:
        if about in read:
            raise RequestError(
                f"{option} {path}: this command reads it, and does not replace it; give another name; {ending}"
            )


def _file_of(path: Path) -> tuple[int, int] | None:
    """What tells a file or a directory from all others; None for a terminal or a pipe, which may be both read and
    written."""
    try:
        about = path.stat()
    except (OSError, ValueError):
        return None
    return (about.st_dev, about.st_ino) if stat.S_ISREG(about.st_mode) or stat.S_ISDIR(about.st_mode) else None


def own_directory(path: Path, option: str, *, force: bool = False) -> list[Path]:
    """The files of an earlier `dupack run --out` in a directory, which are replaced.

    Other files are an error, unless ``force``; they are kept. Beside an earlier result only those are an error whose
    names results have.
    """
    runs = path / "runs"
    refuse_links([runs], option)
    try:
        inside = [entry for entry in path.iterdir() if entry != runs]
        below = list(runs.iterdir()) if runs.is_dir() else []
        mine = [entry for entry in inside if _is_result(entry)] + [entry for entry in below if _is_run(entry)]
    except OSError as error:
        raise OutputError(f"{option} {path}: cannot be read: {why(error)}; nothing was run") from error
    known = set(mine)
    others = [entry for entry in (*inside, *below) if entry not in known]
    if path / RESULT in known:
        others = [entry for entry in others if entry.parent == runs and RUN.fullmatch(entry.name)]
    if others and not force:
        raise RequestError(
            f"{option} {path}: the directory has files that are not results of dupack run; "
            "give a new or an empty directory, or --force; nothing was run"
        )
    return mine


def _is_result(path: Path) -> bool:
    """Whether `dupack run` wrote this file into its directory."""
    if PART.fullmatch(path.name):
        return _is_begun(path)
    if path.name != RESULT:
        return False
    document = _document(path)
    bodies = document.get("points", [document])
    return isinstance(document.get("title"), str) and isinstance(bodies, list) and all(map(_is_body, bodies))


def _is_run(path: Path) -> bool:
    """The same for the directory ``runs``."""
    named = RUN.fullmatch(path.name)
    if named is None or bool(named[1]) != bool(named[3]):
        return False
    if named[3]:
        return _is_begun(path)
    document = _document(path)
    keys = {"title", "plan", "sets", "settings"}
    return keys <= set(document) and document.get("seed") == int(named[2]) and _is_body(document)


def _is_begun(path: Path) -> bool:
    """Whether a partial file can be the begin of a document."""
    try:
        content = read_regular(path, float("inf"), links=False)
    except OSError:
        return False
    return content.startswith(BEGIN) or BEGIN.startswith(content)


def _document(path: Path) -> dict[str, Any]:
    """The document in a file; empty if there is none."""
    try:
        found = from_json(read_regular(path, float("inf"), links=False))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_body(document: Any) -> bool:
    """Whether this is the document of one or several runs: that all of these keys have these types is no chance."""
    if not isinstance(document, dict):
        return False
    numbers = all(isinstance(document.get(key), int | float) for key in ("duration_s", "warm_up_s", "cpu_s"))
    parts = ("runs",) if "runs" in document else ("flows", "links")
    lists = all(isinstance(document.get(key), list) for key in parts)
    return numbers and lists and isinstance(document.get("summary"), dict)


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
    path: Path,
    option: str,
    ours: Callable[[Path], bool] = lambda path: True,
    *,
    force: bool = False,
    ending: str = "nothing was run",
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
                f"give another name, or --force; {ending}"
            )
    except OSError as error:
        raise OutputError(f"{option} {path}: cannot be written: {why(error)}; {ending}") from error


def _probe(directory: Path) -> None:
    part = directory / f".dupack.{os.getpid()}.part"
    part.unlink(missing_ok=True)
    part.touch(exist_ok=False)
    part.unlink()


def why(error: OSError) -> str:
    """The system's message, in lower case."""
    return (error.strerror or str(error)).lower()
