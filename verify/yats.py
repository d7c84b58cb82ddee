"""YATS, compiled with a program of ours; its results of earlier runs; parts of plans for the same cells in dupack."""

from __future__ import annotations

import datetime
import hashlib
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dupack import Plan
from dupack.work import Run, jobs_of, run_jobs

HERE = Path(__file__).parent
KEPT = HERE / "yats.json"
"""Results of YATS, so that dupack is compared with them where there is no YATS."""
SOURCES = [
    *(f"kernel/{name}" for name in ("sim", "data", "deriv", "root", "ino", "in1out", "inxout", "geo1")),
    *(f"abr/{name}" for name in ("abrmux", "abrsrc", "abrsink")),
    *("muxevt/muxBase", "muxevt/muxEvtEPD", "misc/line"),
]
FLAGS = [
    # The first two are of YATS' own makefile: `export` is a name there.
    *("-DUSELUA", "-Dexport=export_", "-std=gnu++17", "-O1", "-w", "-fpermissive"),
    # Its data have their type before the constructor runs, and are cast to each other; its random numbers overflow.
    *("-fno-lifetime-dse", "-fno-strict-aliasing", "-fwrapv"),
]


def missing() -> str | None:
    """Why YATS cannot be run here, if it cannot."""
    if not os.environ.get("YATS"):
        return "YATS= names no git repository with YATS (github:hleuwer/luayats)"
    if not shutil.which("c++"):
        return "there is no C++ compiler to build a program for YATS"
    if not shutil.which("git") or git("cat-file", "-e", f"HEAD:src/{SOURCES[0]}.c", check=False).returncode:
        return "git finds no sources of YATS where YATS= says"
    return None


def git(*words: str, check: bool = True) -> subprocess.CompletedProcess[bytes]:
    """A command of git in the repository of YATS."""
    return subprocess.run(["git", "-C", os.environ["YATS"], *words], capture_output=True, check=check)


def commit() -> str:
    """The commit of YATS that is run."""
    return git("rev-parse", "HEAD").stdout.decode().strip()


@contextmanager
def program() -> Iterator[Path]:
    """Our program for YATS, compiled with the sources of its commit, unchanged."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with tarfile.open(fileobj=io.BytesIO(git("archive", "HEAD", "src").stdout)) as files:
            files.extractall(folder, filter="data")
        binary = folder / "yats"
        sources = [str(folder / "src" / f"{it}.c") for it in SOURCES]
        headers = [f"-I{folder}/src/{it}" for it in ("kernel", "abr", "muxevt", "misc")]
        words = ["c++", *FLAGS, *headers, "-x", "c++", str(HERE / "yats.cc"), *sources, "-o", str(binary)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            raise RuntimeError(f"verify/yats.cc does not compile with YATS: {done.stderr[-2000:]}")
        yield binary


@dataclass(frozen=True)
class Asked:
    """Input of our program for YATS."""

    words: Sequence[str]
    lines: Sequence[str]

    @property
    def key(self) -> str:
        """Digest of the input."""
        return digest([*self.words, *self.lines])

    def run(self, binary: Path) -> list[list[str]]:
        """The words of the lines that it prints."""
        text = "\n".join(self.lines)
        words = [str(binary), *self.words]
        done = subprocess.run(words, input=text, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode or done.stderr:
            raise RuntimeError(f"YATS failed on {' '.join(self.words)}: {done.stderr or done.stdout[-200:]}")
        return [line.split() for line in done.stdout.splitlines()]


def digest(of: object) -> str:
    """Of what JSON can say."""
    return hashlib.sha256(json.dumps(of).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Kept:
    """Results of YATS from an earlier run."""

    commit: str
    date: str
    results: Mapping[str, dict[str, Any]]
    """By the digests of their inputs."""


def kept() -> Kept | None:
    """What is kept, if there is anything."""
    return Kept(**json.loads(KEPT.read_text())) if KEPT.exists() else None


def keep(results: Mapping[str, dict[str, Any]]) -> None:
    """Keeps the results of a run in place of all others."""
    lines = ",\n".join(f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in results.items())
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    head = f'  "commit": "{commit()}",\n  "date": "{today}",\n  "results": {{\n'
    KEPT.write_text(f"{{\n{head}{lines}\n  }}\n}}\n")


def runs_of(texts: Sequence[str], folder: Path | None = None, *, tape: bool = False) -> list[Run]:
    """The runs of plans, whose files are in a folder."""
    found: dict[int, Run] = {}
    plans = [Plan(text.encode(), str((folder or Path()) / "plan.toml"), []) for text in texts]
    jobs = [job for plan in plans for job in jobs_of(plan)]
    run_jobs(jobs, tape=tape, done=found.__setitem__)
    return [found[n] for n in range(len(jobs))]


def head(times: str, hosts: int, switches: Sequence[str]) -> str:
    """Begin of a plan: its times, sources and sinks, and switches."""
    named = [f'[[host]]\nname = "{end}-{n}"' for n in range(hosts) for end in ("source", "sink")]
    named += [f'[[switch]]\nname = "{it}"' for it in switches]
    return "\n".join(['title = "The same as in YATS"', times, *named, ""])


def link(name: str, source: str, to: str, rate: int, delay_ns: int, more: str = "") -> str:
    """A link of a plan [cells/s, ns]."""
    return (
        f'[[link]]\nname = "{name}"\nfrom = "{source}"\nto = "{to}"\ncarries = "cells"\n'
        f'rate = "{rate} cells/s"\ndelay = "{delay_ns} ns"\n{more}\n'
    )
