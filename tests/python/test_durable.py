"""A store survives its machine: a kill at any system call or time, an error of any call, a power cut, wrong clocks.

strace injects the faults at system calls, and records the calls.
"""

from __future__ import annotations

import errno
import os
import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from conftest import DUPACK, PLAN, Dupack, Once, dupack_in, of_json
from dupack import _native
from dupack.errors import WriteError
from dupack.store.journal import Journal
from dupack.store.query import Reader
from dupack.store.slots import Slots
from dupack.store.store import Store
from dupack.work import read_plan
from test_sweep import TABLES, begin, content, entries, journal, until

STRACE = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
FLOW = """
[[flow]]
name = "files"
from = "source"
to = "sink"
arrivals = { kind = "poisson", load = 0.2, of = "bottleneck" }
traffic = { kind = "file", size = "2 kB" }
transport = { kind = "reno" }
"""
PACKETS = PLAN.replace('carries = "cells"', 'carries = "packets"').replace(
    'queue = { kind = "epd", buffer = "300 cells", threshold = 0.7 }',
    'queue = { kind = "drop-tail", buffer = "10 packets" }',
)
SWEEP = PACKETS.replace('duration = "2 s"', 'duration = "0.2 s"\nsample = "20 ms"') + f'{FLOW}[sweep]\nseeds = "1..6"\n'
"""Its runs have rows in every table."""
CHANGES = ("write", "rename", "fsync", "unlink", "mkdir", "ftruncate", "openat")
"""The system calls that change files; of ``openat`` those that may make one."""
EVERY = "EVERY" in os.environ
"""Whether faults are injected at every change, which takes minutes (``make test-kills``), or at some of them."""
UNFINISHED = "<unfinished ...>"
RESUMED = re.compile(r"<\.\.\. \w+ resumed>")
MANY = ("--seeds", "1..60", "--threads", "2")


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """Six short runs."""
    path = tmp_path / "plan.toml"
    path.write_text(SWEEP)
    return path


@pytest.fixture(scope="session")
def undisturbed(once: Once) -> dict[str, bytes]:
    """The store that a sweep fills if nothing happens."""

    def make(place: Path) -> None:
        (place / "plan.toml").write_text(SWEEP)
        assert dupack_in(place, "sweep", "plan.toml").returncode == 0

    place, _ = once("small", make)
    return content(place / "store")


def traced(plan: Path, *options: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """The sweep under strace, and its calls that change or open files, in order."""
    log = plan.with_name("log")
    trace = f"trace={','.join((*CHANGES, 'flock'))}"
    words = ["strace", "-f", "-qq", "-y", "-o", str(log), "-e", trace, *options]
    command = [str(DUPACK), "sweep", str(plan), "--threads", "1", "--out", str(plan.with_name("store"))]
    # Modules that are compiled in one run and not in the next would change the numbers of the calls.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([*words, *command], env=environment, capture_output=True, text=True, timeout=300, check=False)
    return done, logged(plan)


def logged(plan: Path, *, main: bool = False) -> list[str]:
    """The calls of the last sweep under strace; with ``main`` without those of the thread that syncs the journal."""
    calls: list[tuple[str, str]] = []
    unfinished: dict[str, int] = {}
    for line in plan.with_name("log").read_text().splitlines():
        thread, _, call = line.partition(" ")
        call = call.lstrip()
        # A call during which another thread makes one has two lines.
        if (resumed := RESUMED.match(call)) and thread in unfinished:
            at = unfinished.pop(thread)
            calls[at] = (thread, calls[at][1] + call[resumed.end() :])
            continue
        if call.endswith(UNFINISHED):
            unfinished[thread] = len(calls)
        calls.append((thread, call.removesuffix(UNFINISHED).rstrip()))
    return [call for thread, call in calls if not main or thread == calls[0][0]]


def changes(call: str) -> bool:
    """Whether a call may change a file."""
    name = call.partition("(")[0]
    return name in CHANGES and (name != "openat" or "O_CREAT" in call)


@dataclass
class Disk:
    """What a power cut leaves: the least that POSIX promises, by the order of writes, syncs and renames."""

    dirty: set[str] = field(default_factory=set)
    """Files with content that is not synced."""
    unsure: dict[str, str] = field(default_factory=dict)
    """Names that are not synced, each with its folder, which would have to be."""

    def apply(self, call: str) -> None:
        """A call of the log."""
        if "= -1 " in call or not changes(call):
            return
        name, paths = call.partition("(")[0], re.findall(r'"([^"]+)"', call)
        handle = re.search(r"\(\d+<([^>]+)>", call)
        if name in ("write", "ftruncate") and handle:
            self.dirty.add(handle[1])
        elif name == "fsync" and handle:
            self.dirty.discard(handle[1])
            self.unsure = {path: folder for path, folder in self.unsure.items() if folder != handle[1]}
        elif name in ("openat", "mkdir"):
            self.unsure.setdefault(paths[-1], str(Path(paths[-1]).parent))
        elif name == "rename":
            old, new = paths
            self.dirty = {new if path == old else path for path in self.dirty}
            self.unsure.pop(old, None)
            self.unsure[new] = str(Path(new).parent)

    def keeps(self, path: Path) -> bool:
        """Whether a file is there after a power cut, with its content."""
        return str(path) not in self.dirty and not {str(path), *map(str, path.parents)} & self.unsure.keys()


@STRACE
def test_a_power_cut_loses_no_run_that_is_stored(plan: Path, tmp_path: Path) -> None:
    """The journal is removed when the files that replace it are on the disk, with their names and folders."""
    done, calls = traced(plan)
    assert done.returncode == 0, done.stderr
    tables = [path for table in TABLES for path in (tmp_path / "store" / table).iterdir()]
    assert len(tables) == 5
    disk, removed = Disk(), 0
    for call in calls:
        if re.match(r'unlink\(".*\.jsonl"\)', call):
            removed += 1
            assert [path for path in tables if not disk.keeps(path)] == []
        disk.apply(call)
    assert removed == 1


@STRACE
def test_a_synced_journal_outlives_a_power_cut(plan: Path, tmp_path: Path) -> None:
    """When it is closed without having been replaced, it is on the disk, with its name and its folders."""
    done, calls = traced(plan, "-e", "inject=rename:error=EROFS:when=4+")
    assert done.returncode == 1
    (path,) = (tmp_path / "store" / "journal").iterdir()
    disk = Disk()
    for call in calls:
        disk.apply(call)
    assert disk.keeps(path)


LONG = f'{PACKETS}[sweep]\nduration = ["0.2 s", "3000 s"]\n'
"""A short run, then one that takes longer than `journal.SYNC_S`."""


@STRACE
def test_a_run_is_synced_while_the_next_one_is_under_way(plan: Path, tmp_path: Path) -> None:
    plan.write_text(LONG)
    done, calls = traced(plan)
    assert done.returncode == 0, done.stderr
    lines = [at for at, call in enumerate(calls) if re.match(r"write\(\d+<[^>]*\.jsonl>", call)]
    assert len(lines) == 2
    disk = Disk()
    for call in calls[: lines[1]]:
        disk.apply(call)
    name = re.findall(r"<([^>]+)>", calls[lines[0]])[0]
    assert disk.keeps(Path(name))


def test_a_sync_that_fails_is_told(plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next run that is stored tells it; that run is stored all the same."""

    def refused(self: Journal) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(Journal, "sync", refused)
    monkeypatch.setattr("dupack.store.journal.SYNC_S", 0.0)
    store = Store(tmp_path / "store", Slots(read_plan(plan)))
    job = store.slots.job(0)
    documents = [_native.run_one(job.plan, job.point, seed, False)[0] for seed in (1, 2)]
    store.add(0, documents[0])
    until(lambda: store._journal._failed)
    with pytest.raises(WriteError, match="journal: cannot be written: input/output error"):
        store.add(1, documents[1])
    store.close()
    assert Reader(tmp_path / "store").all("select seed from runs order by seed") == [(1,), (2,)]


def places(plan: Path, errors: bool = False) -> list[tuple[str, int]]:
    """Calls of the last sweep at which a fault is injected: names, and numbers among the calls of that name.

    strace counts the calls of each thread alone.
    """
    count: Counter[str] = Counter()
    found = []
    for call in logged(plan, main=True):
        name = call.partition("(")[0]
        count[name] += 1
        if changes(call) and "store" in call and not (errors and "= -1 " in call):
            found.append((name, count[name]))
    if EVERY:
        return found
    made = [place for place in found if place[0] == "openat"]
    return [*found[:: len(found) // 5], *made[1 :: len(made) // 2]]


def stored(calls: Sequence[str]) -> int:
    """Runs whose lines were written to the journal as a whole."""
    lines = [re.search(r"\.jsonl>.*, (\d+)\) += (\d+)$", call) for call in calls if call.startswith("write(")]
    return sum(line is not None and line[1] == line[2] for line in lines)


def resumed(dupack: Dupack, plan: Path, least: int) -> dict[str, bytes]:
    """The content of the store when the same command has ended; it ran at most what had not been stored."""
    done = dupack("sweep", plan, "--json")
    assert done.returncode == 0, done.stderr
    assert of_json(done)["ran"] <= 6 - least
    store = plan.with_name("store")
    assert not journal(store)
    assert not list(store.rglob("*.part"))
    return content(store)


@STRACE
def test_killed_at_any_change_it_loses_nothing(
    dupack: Dupack, plan: Path, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    traced(plan)
    for name, number in places(plan):
        shutil.rmtree(tmp_path / "store", ignore_errors=True)
        done, calls = traced(plan, "-e", f"inject={name}:signal=KILL:when={number}")
        assert done.returncode == -9, (name, number)
        assert resumed(dupack, plan, stored(calls)) == undisturbed, (name, number)


@pytest.fixture(scope="session")
def many(once: Once) -> dict[str, bytes]:
    """The store of sixty runs on two threads, if nothing happens."""

    def make(place: Path) -> None:
        (place / "plan.toml").write_text(SWEEP)
        assert dupack_in(place, "sweep", "plan.toml", *MANY).returncode == 0

    place, _ = once("sixty", make)
    return content(place / "store")


@pytest.mark.parametrize("seed", range(100 if EVERY else 2))
def test_killed_at_any_time_it_loses_nothing(
    dupack: Dupack, plan: Path, tmp_path: Path, many: dict[str, bytes], seed: int
) -> None:
    draws = random.Random(seed)
    store = tmp_path / "store"
    had = 0
    for _ in range(draws.randint(1, 4)):
        process = begin(plan, *MANY)
        try:
            process.communicate(timeout=draws.uniform(0.1, 1.2))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        # Some are killed before the first run is stored, and some end first; both belong to any time.
        if not list(store.glob("runs/*.parquet")):
            before, had = had, sum(entry is not None for entry in entries(store))
            assert had >= before
    done = dupack("sweep", plan, *MANY, "--json")
    assert done.returncode == 0, done.stderr
    assert of_json(done)["ran"] <= 60 - had
    assert content(store) == many
    assert not journal(store)
    assert not list(store.rglob("*.part"))


@STRACE
@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
def test_a_failed_change_is_told_and_nothing_is_lost(
    dupack: Dupack, plan: Path, tmp_path: Path, undisturbed: dict[str, bytes], error: str
) -> None:
    traced(plan)
    for name, number in places(plan, errors=True):
        shutil.rmtree(tmp_path / "store", ignore_errors=True)
        done, calls = traced(plan, "-e", f"inject={name}:error={error}:when={number}")
        assert all("store" in call for call in calls if "(INJECTED)" in call), (name, number)
        assert "Traceback" not in done.stderr
        assert "internal error" not in done.stderr, (name, number)
        if done.returncode:
            said = {"ENOSPC": "no space left on device", "EIO": "input/output error"}[error]
            assert said in done.stderr, (name, number, done.stderr)
        assert resumed(dupack, plan, stored(calls)) == undisturbed, (name, number)


@STRACE
def test_a_file_system_without_locks_is_refused(plan: Path, tmp_path: Path) -> None:
    done, _ = traced(plan, "-e", "inject=flock:error=ENOLCK")
    assert done.returncode == 2
    store = tmp_path / "store"
    assert f"--out {store}: the file system has no locks, so that two sweeps could write there at once" in done.stderr
    assert not (store / "sweep.json").exists()


@pytest.mark.parametrize("when", [0, 4_000_000_000])
def test_the_clock_of_another_machine_does_not_matter(
    dupack: Dupack, plan: Path, tmp_path: Path, undisturbed: dict[str, bytes], when: int
) -> None:
    """Half of the runs were stored by a machine whose clock is decades behind or ahead."""
    store = tmp_path / "store"
    assert dupack("sweep", plan, "--seeds", "1..3").returncode == 0
    for path in [store, *store.rglob("*")]:
        os.utime(path, (when, when))
    assert of_json(dupack("sweep", plan, "--json"))["ran"] == 3
    assert content(store) == undisturbed
