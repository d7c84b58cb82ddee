"""The examples of a page: run, compared with what the page says, or written into it.

`python -m docs.site.examples PAGE...` runs the pages in directories of their own, writes the outputs of their commands
into them, and keeps the pictures that they draw: a page `howto/sweep.md` shows `sweep/x.svg`, which its examples save
as `x.svg`. Review both before you commit them.
"""

from __future__ import annotations

import contextlib
import difflib
import doctest
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs.site.pages import DOCS, pictures
from dupack.reproduce.paper import PAPERS

BLOCK = re.compile(r"^```(python|pycon|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COLUMNS = 110
"""Width of the terminal that the commands see."""
STYLES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def shell(command: str, place: Path) -> str:
    """What a command says to standard error, then what it prints to a terminal."""
    ours = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{ours}{os.pathsep}{os.environ['PATH']}", "COLUMNS": str(COLUMNS)}
    # What is printed about progress depends on the machine.
    environment |= {"TERM": "xterm", "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "DUPACK_QUIET": "1"}
    mine, its = pty.openpty()
    with tempfile.TemporaryFile() as said:
        running = subprocess.Popen(
            ["sh", "-c", command], cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=its, stderr=said
        )
        os.close(its)
        told = b""
        # Reading from a pseudo-terminal that nobody writes to any more is an error, which here means the end.
        with contextlib.suppress(OSError):
            while more := os.read(mine, 65536):
                told += more
        os.close(mine)
        running.wait()
        said.seek(0)
        told = said.read() + told
    return STYLES.sub("", told.decode().replace("\r\n", "\n"))


def commands(block: str) -> Iterator[tuple[str, str, str]]:
    """Of each command of a block: as it is written, as the shell takes it, and its output."""
    written: list[str] = []
    output: list[str] = []
    for line in [*block.splitlines(keepends=True), "$ "]:
        if line.startswith("$ "):
            if written:
                yield "".join(written), "".join(one[2:] or "\n" for one in written), "".join(output)
            written, output = [line], []
        elif not output and line.startswith(("> ", ">\n")):
            written.append(line)
        else:
            output.append(line)


def tidy(text: str) -> str:
    """Without the blanks at the ends of lines, and the empty lines at the end."""
    told = "\n".join(line.rstrip() for line in text.splitlines()).rstrip()
    return f"{told}\n" if told else ""


def same(said: str, found: str) -> bool:
    """Whether a command printed what the page says, in which ``...`` stands for anything."""
    return doctest.OutputChecker().check_output(said, found, doctest.ELLIPSIS)


def prepare(place: Path) -> None:
    """What a reader finds in the directory of the project."""
    (place / "papers").symlink_to(PAPERS)
    (place / "docs").symlink_to(DOCS)


@contextlib.contextmanager
def _steady() -> Iterator[None]:
    """Whatever draws a picture here, the same numbers make the same bytes."""
    import matplotlib as mpl

    before = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    try:
        with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dupack", "backend": "agg"}):
            yield
    finally:
        os.environ.pop("SOURCE_DATE_EPOCH")
        if before is not None:
            os.environ["SOURCE_DATE_EPOCH"] = before


def failures(page: Path, place: Path) -> list[str]:
    """What the examples of a page, run in order in one place and one namespace, say otherwise than the page does."""
    prepare(place)
    names: dict[str, Any] = {}
    told: list[str] = []
    text = page.read_text(encoding="utf-8")
    with contextlib.chdir(place), _steady():
        for found in BLOCK.finditer(text):
            line = text.count("\n", 0, found.start(2))
            if found[1] == "console":
                told += _console(page, line, found[2], place)
            elif found[1] == "python":
                exec(compile("\n" * line + found[2], str(page), "exec"), names)
            else:
                examples = doctest.DocTestParser().get_doctest(found[2], names, page.name, str(page), line)
                doctest.DocTestRunner().run(examples, out=told.append, clear_globs=False)
                names.update(examples.globs)
    return told


def stale(page: Path, place: Path) -> list[str]:
    """The pictures that a page shows and that its examples, run in a place, have drawn otherwise."""
    told = []
    for picture in pictures(page):
        kept, drawn = page.parent / picture, place / Path(picture).name
        if not kept.exists() or not drawn.exists() or kept.read_bytes() != drawn.read_bytes():
            command = f"python -m docs.site.examples {page}"
            told.append(f"{page.name}: {picture} is not what its examples draw; run `{command}`")
    return told


def _console(page: Path, line: int, block: str, place: Path) -> list[str]:
    told = []
    for written, command, said in commands(block):
        found = tidy(shell(command, place))
        if not same(tidy(said), found):
            lines = difflib.unified_diff(said.splitlines(), found.splitlines(), "the page", "the command", lineterm="")
            told.append(f"{page.name}, block of line {line}: {written}" + "\n".join(lines))
    return told


def rewritten(page: Path, place: Path) -> str:
    """The page with what its commands print; what holds already stays, with its ``...``."""
    prepare(place)
    text = page.read_text(encoding="utf-8")
    names: dict[str, Any] = {}

    def block(found: re.Match[str]) -> str:
        if found[1] == "python":
            exec(compile(found[2], str(page), "exec"), names)
        elif found[1] == "pycon":
            # The example runs because later blocks need its names; tests check that its output is that of the page.
            examples = doctest.DocTestParser().get_doctest(found[2], names, page.name, str(page), 0)
            doctest.DocTestRunner().run(examples, out=lambda _: None, clear_globs=False)
            names.update(examples.globs)
        if found[1] != "console":
            return found[0]
        parts = []
        for written, command, said in commands(found[2]):
            output = tidy(shell(command, place))
            parts.append(written + (tidy(said) if same(tidy(said), output) else output))
        return "```console\n" + "".join(parts) + "```"

    with contextlib.chdir(place), _steady():
        return BLOCK.sub(block, text)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(name).resolve()
            page.write_text(rewritten(page, Path(folder)), encoding="utf-8")
            for picture in pictures(page):
                (page.parent / picture).parent.mkdir(exist_ok=True)
                shutil.copy(Path(folder) / Path(picture).name, page.parent / picture)
