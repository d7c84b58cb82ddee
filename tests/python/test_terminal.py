"""What is printed, on any terminal and on none."""

from __future__ import annotations

import contextlib
import http.client
import io
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

import dupack as dk
from conftest import DUPACK, PLAN, Dupack, of_json
from dupack import explained, progress, tables
from dupack.interrupts import Leaving
from dupack.playing import Begun, Server
from dupack.printer import LEAST, Printer
from dupack.progress import Progress


def shell(place: Path, command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a line of shell, in which ``dupack`` is the command."""
    line = command.replace("dupack", f"'{DUPACK}'", 1)
    every = {**os.environ, **environment}
    return subprocess.run(
        ["bash", "-c", line], cwd=place, env=every, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture(autouse=True)
def _progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(progress.QUIET)


CLOSED = "standard output: cannot be written: bad file descriptor"


@pytest.mark.parametrize(
    ("command", "code", "error"),
    [
        ("dupack run plan.toml >&-", 1, f"{CLOSED}; all runs had finished; use --out DIR to keep their results\n"),
        ("dupack run plan.toml --out kept >&-", 1, f"{CLOSED}; all results are in kept/result.json\n"),
        ("dupack sweep plan.toml >&-", 1, f"{CLOSED}; the results are stored in store\n"),
        ("dupack check plan.toml >&-", 1, f"{CLOSED}\n"),
        ("dupack --version >&-", 1, f"{CLOSED}\n"),
        ("dupack run nothing 2>&-", 2, ""),
        ("dupack run plan.toml --out quiet <&- >&- 2>&-", 1, ""),
    ],
)
def test_a_closed_stream_is_told_and_no_file_takes_its_place(
    plan: Path, tmp_path: Path, command: str, code: int, error: str
) -> None:
    done = shell(tmp_path, command)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", error)
    for kept in tmp_path.glob("*/result.json"):
        assert kept.read_text().startswith("{")
    for lock in tmp_path.glob("*/.lock"):
        assert lock.read_bytes() == b""


@pytest.mark.parametrize("columns", ["1", "20", "59"])
def test_a_narrow_terminal_has_the_text_of_a_wider_one(plan: Path, tmp_path: Path, columns: str) -> None:
    (tmp_path / "sweep.toml").write_text(f'{PLAN}\n[sweep]\n"link.bottleneck.queue.threshold" = [0.3, 0.9]\n')
    for words in ("run plan.toml", "run sweep.toml", "check plan.toml"):
        narrow, least = (shell(tmp_path, f"dupack {words}", COLUMNS=wide) for wide in (columns, str(LEAST)))
        assert (narrow.returncode, narrow.stderr) == (0, "")
        # The cost is another one, and lines after it may break elsewhere.
        cost = r"\S+ \S+ of CPU time(, [^,]+ on \d+ cores)?(, \S+ \S+ of memory)?"
        told = [
            [re.sub(cost, "", " ".join(it.split())) if "CPU" in it else it for it in done.stdout.split("\n\n")]
            for done in (narrow, least)
        ]
        assert told[0] == told[1]


def test_a_column_is_left_out_once() -> None:
    made = tables.table("Some", ["name", "a value", "another value"])
    out = Console(file=io.StringIO(), width=5)
    left_out = tables.fit(made, [("one", "1.000", "2.000")], out, ["another value", "a value"], ["another value"])
    assert left_out == ["some: a value"]


def test_of_very_many_rows_the_first_are_printed_and_the_caption_says_so() -> None:
    made = tables.table("Some", ["name", "a value"])
    out = Console(file=io.StringIO(), width=100)
    tables.fit(made, [(f"row {i}", str(i)) for i in range(tables.MOST_PRINTED + 234)], out, [])
    assert (made.row_count, made.caption) == (tables.MOST_PRINTED, "The first 1,000 of 1,234 rows; --json has all.")
    few = tables.table("Some", ["name", "a value"])
    tables.fit(few, [(f"row {i}", str(i)) for i in range(tables.MOST_PRINTED)], out, [])
    assert (few.row_count, few.caption) == (tables.MOST_PRINTED, None)


@pytest.mark.parametrize("locale", ["POSIX", "C"])
def test_every_locale_prints_utf8(dupack: Dupack, plan: Path, tmp_path: Path, locale: str) -> None:
    ascii_only = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    named = tmp_path / "grün.toml"
    named.write_text(PLAN)
    for words in ("run grün.toml --seeds 1..2 --set 'title=\"Grün\"' --out 'äöü'", "show red"):
        done = shell(tmp_path, f"dupack {words}", **ascii_only)
        wide = shell(tmp_path, f"dupack {words}", PYTHONUTF8="1")
        assert (done.returncode, wide.returncode) == (0, 0), done.stderr
        assert [line for line in done.stdout.splitlines() if "CPU" not in line] == [
            line for line in wide.stdout.splitlines() if "CPU" not in line
        ]
    assert (tmp_path / "äöü" / "result.json").exists()
    assert shell(tmp_path, "dupack run plan.toml", PYTHONIOENCODING="ascii").returncode == 0


def test_a_title_does_not_act_on_the_terminal(dupack: Dupack, plan: Path) -> None:
    plan.write_text(PLAN.replace("Two senders, one queue", r"red \u001b[31m bell \u0007 clear \u009b2J \u202eback"))
    for command in ("run", "check"):
        title = dupack(command, plan).stdout.splitlines()[0]
        assert title == r"red \x1b[31m bell \x07 clear \x9b2J \u202eback"
    title = of_json(dupack("run", plan, "--json"))["title"]
    assert title == "red \x1b[31m bell \x07 clear \x9b2J \u202eback", "a document has it as it is"


def test_neither_an_explanation_nor_a_result_in_python_acts_on_the_terminal(dupack: Dupack, plan: Path) -> None:
    plan.write_text(PLAN.replace("Two senders, one queue", r"red \u001b[31m"))
    done = dupack("explain", plan, "--flow", "bulk-0", "--at", "1 s")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == r"red \x1b[31m"
    loaded = dk.load(plan)
    assert repr(loaded.run(duration="100 ms")).startswith(r"red \x1b[31m, 0.1 s, seed 1: ")
    swept = dk.sweep(loaded, {"duration": ["100 ms"]}, seeds=range(1, 3))
    assert repr(swept).startswith(r"red \x1b[31m: 1 point x 2 seeds")


def test_the_text_of_a_step_does_not_act_on_the_terminal() -> None:
    out = io.StringIO()
    step = {"time_s": 1.0, "text": "a \x1b[31m drop"}
    told = {"title": "t", "flow": "f \x1b[32m", "seed": 1, "number": 1, "steps": [step] * (explained.SHOWN + 1)}
    explained.show({**told, "from_s": 1.0, "to_s": 2.0, "at_s": 0.0, "open": False}, Printer(file=out, width=80))
    assert "\x1b" not in out.getvalue()
    assert r"a \x1b[31m drop" in out.getvalue()
    assert r"f \x1b[32m, seed 1" in out.getvalue()


def test_paths_do_not_act_on_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = tmp_path / "red \x1b[31m"
    home.mkdir()
    done = shell(tmp_path, "dupack --install-completion bash", HOME=str(home), XDG_DATA_HOME=str(home / "data"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"completion for bash: {tmp_path}/red \\x1b[31m/data/dupack/completion.bash; added")

    class Unreadable(Begun):
        def json(self) -> bytes | None:
            raise FileNotFoundError(2, "No such file", "red \x1b[31m")

    with Server(0, Unreadable(None), tmp_path) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
        connection.request("GET", "/plan.json", headers={"Connection": "close"})
        assert connection.getresponse().status == 404
        connection.close()
        thread.join()
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert r"red \x1b[31m" in said


def test_cells_and_heads_do_not_act_on_the_terminal() -> None:
    for options in ({}, {"force_terminal": True, "color_system": None}):
        out = io.StringIO()
        made = tables.table("a \x1b[1m", ["head \x1b[2m"])
        made.caption = "a \x1b[3m"
        made.add_row("cell \x1b[4m \udcff")
        Printer(file=out, width=80, **options).print(made)
        assert "\x1b" not in out.getvalue()
        assert all(f"\\x1b[{n}m" in out.getvalue() for n in (1, 2, 3, 4))
        assert "\\xff" in out.getvalue()


@pytest.mark.parametrize(
    "words",
    [
        ["run", "no\x1b[31mplan"],
        ["run", "plan.toml", "--seeds", "\x1b[31m"],
        ["query", "not SQL \x1b[31m", "no\x1b[31mstore"],
        ["no \x1b[31m command"],
    ],
)
def test_an_error_does_not_act_on_the_terminal(tmp_path: Path, words: list[str]) -> None:
    # On other files than terminals click leaves out control characters.
    ours, theirs = pty.openpty()
    done = subprocess.run([str(DUPACK), *words], cwd=tmp_path, stderr=theirs, timeout=60, check=False)
    os.close(theirs)
    told = b""
    # It ends with an error, and comes in pieces: the kernel hands them over a little later.
    with contextlib.suppress(OSError):
        while more := os.read(ours, 65536):
            told += more
    os.close(ours)
    assert done.returncode == 2
    assert b"[31m" in told
    assert b"\x1b" not in told


def wait(condition: Callable[[], Any]) -> None:
    """Waits."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


class Clock:
    """A clock that is set by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr("dupack.progress.time.monotonic", lambda: self.now)


@pytest.mark.parametrize(
    ("total", "before", "done", "took", "told"),
    [
        (3, 0, 1, 10, "1 of 3 runs (33 %), 10 s so far, about 20 s left"),
        (600, 0, 0, 7, "0 of 600 runs (0 %), 7 s so far"),
        (1000, 500, 100, 60, "600 of 1,000 runs (60 %), 60 s so far, about 4 min left"),
        (1, 0, 0, 300, "5 min so far"),
        (4, 0, 4, 30, "4 of 4 runs (100 %), 30 s so far"),
    ],
)
def test_the_state_says_what_is_done_and_what_is_left(
    monkeypatch: pytest.MonkeyPatch, total: int, before: int, done: int, took: float, told: str
) -> None:
    clock = Clock(monkeypatch)
    shown = Progress("running", total, before)
    for _ in range(done):
        shown.step()
    clock.now += took
    assert shown._told() == told


def test_without_a_terminal_a_long_run_has_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert progress.EVERY_S == 10, "the time that the help and the pages say"
    monkeypatch.setattr(progress, "EVERY_S", 0.01)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: 100.0))
    lines: list[str] = []

    def more() -> bool:
        lines.extend(capsys.readouterr().err.splitlines())
        return len(lines) > 1

    with Progress("running", 1):
        # A single run that has not ended.
        wait(more)
    assert set(lines) == {"running: 0 s so far"}
    with Progress("sweeping", 10) as many:
        many.at(5, 10, 2)
        lines.clear()
        wait(more)
    assert lines[-1].startswith("sweeping: 5 of 10 runs (50 %), 2 failed, 0 s so far, about 0 s left")


def test_commands_show_their_progress(monkeypatch: pytest.MonkeyPatch, plan: Path, tmp_path: Path) -> None:
    """Each command that runs something tells of it while it runs."""
    (tmp_path / "slow.py").write_text(
        "import importlib, sys\n"
        "from threading import Event\n"
        "from types import SimpleNamespace\n"
        "from dupack import progress\n"
        "progress.EVERY_S = 0.02\n"
        "progress.time = SimpleNamespace(monotonic=lambda: 100.0)\n"
        "shown, echo = Event(), progress.echo\n"
        "progress.echo = lambda *words, **more: (echo(*words, **more), shown.set())\n"
        "place, name = ('dupack.' + sys.argv.pop(1)).rsplit('.', 1)\n"
        "module = importlib.import_module(place)\n"
        "work = getattr(module, name)\n"
        "def waits(*words, **more):\n"
        "    assert shown.wait(60)\n"
        "    return work(*words, **more)\n"
        "setattr(module, name, waits)\n"
        f"sys.argv[0] = {str(DUPACK)!r}\n"
        f"exec(open({str(DUPACK)!r}).read())\n"
    )
    python = DUPACK.with_name("python")
    for words, work, told in [
        ("run plan.toml", "_native.run_all", "running: 0 s so far"),
        ("sweep plan.toml --seeds 1..2", "_native.run_all", "sweeping: 0 of 2 runs"),
        ("compare plan.toml --vary seed=1,2 --seeds 1..2", "_native.run_all", "comparing: 0 of 4 runs"),
        ("explain plan.toml --at 1s --flow bulk-0", "_native.explain", "running: 0 s so far"),
        ("check plan.toml", "memory.estimate", "checking: 0 s so far"),
        ("query 'select 1' store", "store.query._as_told", "querying: 0 s so far"),
    ]:
        words = words.replace("--vary seed=1,2", "--vary link.bottleneck.queue.threshold=0.3,0.9")
        # Its work begins when the first line is there.
        done = shell(tmp_path, f"'{python}' slow.py {work} {words}")
        assert done.returncode == 0, done.stderr
        assert told in done.stderr


def test_progress_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    for quiet in ("", "1"):
        monkeypatch.setenv(progress.QUIET, quiet)
        for way in ("_in_lines", "_in_terminal"):
            monkeypatch.setattr(Progress, way, lambda self, quiet=quiet: shown.append(quiet))
        with Progress("running", 1):
            pass
    assert shown == [""]


def test_a_bar_says_what_is_done() -> None:
    shown = Event()

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> int:
            if "1 of 3 runs (33 %)" in text and "left" in text:
                shown.set()
            return super().write(text)

    written = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "FIRST_S", 0.0)
        patch.setattr(sys, "stderr", written)
        patch.setattr(tables, "console", lambda **_: Printer(file=written, width=100, force_terminal=True))
        with Progress("a [red] {x} \x1b[31m", 3) as bar:
            bar.step()
            assert shown.wait(60)
    assert "a [red] {x} \\x1b[31m" in written.getvalue()
    assert "% left" not in written.getvalue()


def test_nothing_watches_for_signals_after_the_work() -> None:
    # Those of other tests may end meanwhile.
    before = set(threading.enumerate())
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        for _ in range(20):
            with Leaving():
                assert len(set(threading.enumerate()) - before) == 1
            assert set(threading.enumerate()) <= before
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
