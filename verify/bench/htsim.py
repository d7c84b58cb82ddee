"""htsim, compiled with a program of ours, where `HTSIM=` names a build of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SOURCE = Path(__file__).with_name("dumbbell_htsim.cc")
LIBRARY = "libhtsim.a"


def missing() -> str | None:
    """Why htsim cannot be run here, if it cannot."""
    if not os.environ.get("HTSIM"):
        return f"HTSIM= names no build of htsim (github:Broadcom/csg-htsim, its folder sim after `make {LIBRARY}`)"
    if not (build() / LIBRARY).exists():
        return f"there is no {LIBRARY} where HTSIM= says"
    if not shutil.which("c++"):
        return "there is no C++ compiler to build a program for htsim"
    return None


def build() -> Path:
    """The folder with its library and its headers."""
    return Path(os.environ["HTSIM"]).expanduser().resolve()


def version() -> str:
    """The commit that is checked out where it was built."""
    words = ["git", "-C", str(build()), "log", "-1", "--format=commit %h of %as"]
    done = subprocess.run(words, capture_output=True, text=True, check=False) if shutil.which("git") else None
    return (done.stdout.strip() if done else "") or "a build that git does not know"


@contextmanager
def program() -> Iterator[Path | None]:
    """Our program for htsim, compiled; None if htsim is missing."""
    if missing():
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "dumbbell"
        # Headers of htsim have names such as `config.h`, and are for those who include them in quotes.
        words = ["c++", "-std=c++17", "-O2", "-iquote", str(build()), str(SOURCE), str(build() / LIBRARY)]
        done = subprocess.run([*words, "-o", str(binary)], capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            raise RuntimeError(f"{SOURCE.name} does not compile with htsim: {done.stderr[-2000:]}")
        yield binary
