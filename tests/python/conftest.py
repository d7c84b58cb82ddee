"""Fixtures that the tests of the Python package share."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import dupack as dk
from dupack.reproduce import judging
from dupack.reproduce.batch import Batch, simulate
from dupack.reproduce.paper import Experiment, Paper, Results, Series
from dupack.reproduce.runs import FILE, Runs

DUPACK = Path(sys.executable).with_name("dupack")

# On a busy machine any command may run long enough to show its progress.
os.environ["DUPACK_QUIET"] = "1"

PLAN = """
title = "Two senders, one queue"
duration = "2 s"
seed = 1

[[host]]
name = "source"
count = 2

[[host]]
name = "sink"

[[switch]]
name = "gray"

[[link]]
name = "access"
from = "source"
to = "gray"
carries = "cells"
rate = "10 Mb/s"
delay = "1 ms"

[[link]]
name = "bottleneck"
from = "gray"
to = "sink"
carries = "cells"
rate = "12 Mb/s"
delay = "1 ms"
queue = { kind = "epd", buffer = "300 cells", threshold = 0.7 }

[[flow]]
name = "bulk"
from = "source"
to = "sink"
start = "0 s..100 ms"
traffic = { kind = "greedy" }
transport = { kind = "reno" }
"""

Dupack = Callable[..., "subprocess.CompletedProcess[str]"]


def pytest_configure() -> None:
    """Tests press Ctrl-C, which a shell ignores for what it starts in the background; their commands would, too."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


STARTED: list[subprocess.Popen[str]] = []
"""Commands that tests have started; those that a failed test leaves are ended."""


@pytest.fixture(autouse=True)
def _nothing_goes_on() -> Iterator[None]:
    yield
    for process in STARTED:
        if process.poll() is None:
            process.kill()
            process.communicate()
    STARTED.clear()


@pytest.fixture
def dupack(tmp_path: Path) -> Dupack:
    """Runs the command as a user does, in an empty directory."""

    return partial(dupack_in, tmp_path)


def dupack_in(place: Path, *arguments: object, columns: int = 1000) -> subprocess.CompletedProcess[str]:
    """Runs the command in a directory."""
    words = [str(DUPACK), *map(str, arguments)]
    # A terminal wide enough that no row is wrapped.
    environment = {**os.environ, "COLUMNS": str(columns)}
    done = subprocess.run(words, cwd=place, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def interrupted(place: Path, after: int, *words: object) -> subprocess.CompletedProcess[str]:
    """The command, which gets a SIGINT when ``after`` runs have finished; with 0, during the first."""
    (place / "at_run.py").write_text(
        "import itertools, os, signal, sys, threading\n"
        "from dupack import _native\n"
        "run_all, finished = _native.run_all, itertools.count(1)\n"
        "def stop():\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "def stopped(give, threads, tape, done, *others, **more):\n"
        "    def told(*news):\n"
        "        done(*news)\n"
        f"        if next(finished) == {after}:\n"
        "            stop()\n"
        f"    if {after} == 0:\n"
        "        threading.Timer(0.1, stop).start()\n"
        "    run_all(give, threads, tape, told, *others, **more)\n"
        "_native.run_all = stopped\n"
        f"sys.argv[0] = {str(DUPACK)!r}\n"
        f"exec(open({str(DUPACK)!r}).read())\n"
    )
    every = [sys.executable, "at_run.py", *map(str, words)]
    return subprocess.run(every, cwd=place, capture_output=True, text=True, timeout=300, check=False)


Once = Callable[[str, Callable[[Path], Any]], tuple[Path, Any]]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Makes a directory once for all workers of pytest-xdist: gives it, and what its maker gave, which is JSON.

    A worker that asks while another one makes it waits.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent

    def made(name: str, make: Callable[[Path], Any]) -> tuple[Path, Any]:
        place, given = shared / f"{name}.made", shared / f"{name}.json"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not given.exists():
                # Files that a failed maker left behind.
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir()
                given.write_text(json.dumps(make(place)))
        return place, json.loads(given.read_text())

    return made


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """A plan that takes milliseconds."""
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


def net(**values: Any) -> dk.Network:
    """A network whose runs take milliseconds."""
    given: dict[str, Any] = {"queue": dk.queue.drop_tail(buffer="20 packets"), **values}
    return dk.dumbbell(senders=2, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms", **given)


def star(**values: Any) -> dk.Network:
    """Four hosts around a switch, over fast and short links."""
    return dk.star(**{"hosts": 4, "access": "1 Gb/s", "delay": "10 us", **values})


def at_a_glance(once: Once, paper: Paper, short: Sequence[Experiment], seeds: int | None = None) -> Results:
    """Results of these experiments of a paper in a quick look, with ``seeds`` seeds each; simulated by one worker."""
    batch = Batch.of(replace(paper, experiments=list(short)), [one.plan for one in short], quick=True, seeds=seeds)

    def simulated(place: Path) -> None:
        with Runs(place / FILE) as runs:
            simulate(batch.todo(), runs)

    place, _ = once(paper.key, simulated)
    with Runs(place / FILE) as runs:
        return batch.results(runs)


def all_measured(paper: Paper, results: Results) -> None:
    """Checks that every claim has something measured beside it."""
    for claim in paper.claims:
        row = judging.judge(claim, paper, results)
        assert row["measured"] is not None, claim.id


def curves(paper: Paper, results: Results) -> Iterator[tuple[str, Series]]:
    """All curves of all figures, after a look at their names and lengths."""
    for figure in paper.figures:
        series = figure.series(results)
        names = [(one.panel, one.name) for one in series if one.kind != "reference"]
        assert len(set(names)) == len(names), figure.id
        for one in series:
            # A series of events may be empty, because there may have been none.
            assert one.x or one.kind == "events", (figure.id, one.name)
            assert len(one.x) == len(one.y) == len(one.ci95), (figure.id, one.name)
            yield figure.id, one


def steady(document: Any) -> Any:
    """A document without the one key that differs from one time to the next."""
    if isinstance(document, dict):
        return {key: steady(value) for key, value in document.items() if key != "cpu_s"}
    return [steady(one) for one in document] if isinstance(document, list) else document


def of_json(done: subprocess.CompletedProcess[str]) -> Any:
    """The JSON that a command printed with ``--json``."""
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def browser() -> str:
    """A browser; the test is skipped if there is none."""
    known = [os.environ.get("DUPACK_BROWSER", ""), "chromium", "chromium-browser", "google-chrome"]
    found = next((name for name in known if name and shutil.which(name)), None)
    if found is None:
        pytest.skip("no browser: install chromium, or name one in DUPACK_BROWSER")
    return found
