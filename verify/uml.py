"""Linux in a process (User-Mode Linux): runs of its senders over its queues, apart from this machine's network.

The kernel is Debian's package `user-mode-linux`. It boots in 2 s on this machine's files, which it cannot write, makes
a network of namespaces of its own, and makes the runs that it is given one after the other (`verify/guest`). It runs in
real time, so each run says by how much it was late; one that was held up is made again.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

GUEST = Path(__file__).with_name("guest")
KEPT = Path("out/verify/uml.jsonl")
"""Results, so that a check goes on where it was ended."""
MARK = "RESULT "
AT_ONCE = 2
"""Kernels at the same time."""
LATE_MS = 40.0
"""A run in which the kernel was held up longer is made again."""
TRIES = 3
BOOT_S, BETWEEN_S = 60.0, 10.0
"""Most time for a boot, and for what a run needs beside its own time."""


def unable() -> str:
    """Why it cannot run here; empty if it can."""
    if not shutil.which("linux.uml"):
        return "linux.uml is not installed (Debian: the package user-mode-linux)"
    if not (shutil.which("tc") and shutil.which("ip")):
        return "ip and tc are not installed (Debian: the package iproute2)"
    # Processes with ordinary priority come before it where it may not say so.
    if not _real_time():
        return "it needs the right to run before other processes (chrt --rr)"
    return ""


def _real_time() -> list[str]:
    """The words that let a command run before others; none if that is not allowed."""
    words = ["chrt", "--rr", "10"]
    if not shutil.which("chrt"):
        return []
    return words if subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0 else []


class Store:
    """Runs that were made before."""

    def __init__(self, path: Path = KEPT) -> None:
        self._path = path
        self._lock = Lock()
        self._known: dict[str, dict[str, Any]] = {}
        if path.exists():
            for line in path.read_text().splitlines():
                found = json.loads(line)
                self._known[found["key"]] = found

    def get(self, key: str) -> dict[str, Any] | None:
        """What is known of a run."""
        return self._known.get(key)

    def put(self, found: dict[str, Any]) -> None:
        """Keeps a result; of several tries, the one that was held up least."""
        with self._lock:
            before = self._known.get(found["key"])
            if before and before["stall_ms"] <= found["stall_ms"]:
                return
            self._known[found["key"]] = found
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a") as file:
                file.write(json.dumps(found) + "\n")


def key(run: Mapping[str, Any]) -> str:
    """What a run is known by: all that it is made of."""
    return json.dumps({name: value for name, value in run.items() if name != "key"}, sort_keys=True)


def made(runs: Sequence[dict[str, Any]], store: Store) -> list[dict[str, Any]]:
    """The results of runs, those made that are not known; a run that was held up is tried again."""
    keyed = [{**run, "key": key(run)} for run in runs]
    for _ in range(TRIES):
        left = [run for run in keyed if not trusted(store.get(run["key"]))]
        if not left:
            break
        # Each kernel has runs of all kinds, so that both end at about the same time.
        parts = [part for part in (left[n::AT_ONCE] for n in range(AT_ONCE)) if part]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for booted in [pool.submit(_make, part, store) for part in parts]:
                booted.result()
    found = [store.get(run["key"]) for run in keyed]
    missing = sum(it is None for it in found)
    if missing:
        raise RuntimeError(f"{missing} of {len(keyed)} runs have given no result")
    return [it for it in found if it]


def _make(runs: Sequence[dict[str, Any]], store: Store) -> None:
    for found in boot(runs):
        store.put(found)


def trusted(found: Mapping[str, Any] | None) -> bool:
    """Whether there is a result, and the kernel was not held up."""
    return found is not None and found["stall_ms"] <= LATE_MS


def boot(runs: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Boots a kernel that makes these runs: their results, one by one."""
    with tempfile.TemporaryDirectory() as home:
        asked = Path(home, "runs.jsonl")
        asked.write_text("".join(json.dumps(run) + "\n" for run in runs))
        words = [*_real_time(), "linux.uml", *arguments(asked, home)]
        time = BOOT_S + sum(run["duration_s"] + BETWEEN_S for run in runs)
        # A bound of its own, so that a kernel that hangs ends although nobody waits for its next line.
        words = ["timeout", f"{time:.0f}", *words]
        with subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=_env(home)
        ) as process:
            assert process.stdout
            others = []
            count = 0
            for line in process.stdout:
                if found := result(line):
                    count += 1
                    yield found
                else:
                    others.append(line)
        if count < len(runs):
            raise RuntimeError(f"{count} of {len(runs)} runs came back from linux.uml: {''.join(others)[-2000:]}")


def _env(home: str) -> dict[str, str]:
    # The kernel's memory is a file there; it must be on a file system without noexec.
    return {**os.environ, "HOME": home, "TMPDIR": "/dev/shm" if os.access("/dev/shm", os.W_OK) else home}


def arguments(asked: Path, home: str) -> list[str]:
    """The kernel's command line."""
    return [
        "mem=256M",
        "rootfstype=hostfs",
        "ro",
        f"uml_dir={home}",
        f"init={GUEST / 'init.sh'}",
        f"python={os.path.realpath(sys.executable)}",
        f"script={GUEST / 'make_runs.py'}",
        f"runs={asked}",
        "con=null",
        "con0=null,fd:1",
        "quiet",
    ]


def result(line: str) -> dict[str, Any] | None:
    """The result on a line of the kernel's output, if there is one."""
    _, mark, text = line.partition(MARK)
    if not mark:
        return None
    found: dict[str, Any] = json.loads(text)
    if failed := found.get("failed"):
        raise RuntimeError(f"a run failed in linux.uml: {found['key']}\n{failed}")
    return found
