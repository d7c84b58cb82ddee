"""Instructions that eight small plans cost, counted by valgrind; see ``tests/python/test_cost.py``."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from dupack import _native

FOLDER = Path(__file__).parent
PLANS = sorted(FOLDER.glob("*.toml"))
KEPT = FOLDER / "instructions.json"
TOLERANCE = 0.02

COUNTED = "dupack_sim::world::whole::measure_on"
"""The function whose instructions are counted: the simulation, without reading the plan and writing the document."""


def compiler() -> str:
    """The version of the Rust compiler: another one makes other instructions."""
    return subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.strip()


def missing() -> str | None:
    """Why nothing can be counted here, if so."""
    return next((f"{tool} is missing" for tool in ("valgrind", "rustc") if shutil.which(tool) is None), None)


def count() -> dict[str, int]:
    """The instructions of each plan, by its name."""
    child = [sys.executable, "-I", str(FOLDER / "child.py"), _native.__file__, *map(str, PLANS)]
    with TemporaryDirectory() as folder:
        out = Path(folder) / "profile"
        options = [f"--callgrind-out-file={out}", f"--toggle-collect={COUNTED}", f"--dump-after={COUNTED}"]
        words = ["valgrind", "--tool=callgrind", *options, *child]
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONHASHSEED": "0"}
        )
        if done.returncode:
            raise RuntimeError(f"valgrind failed: {done.stderr[-2000:]}")
        # One profile per plan, numbered from 1, and one of what came after the last.
        profiles = [Path(f"{out}.{number}").read_text() for number in range(1, len(PLANS) + 1)]
    totals = [re.search(r"^totals: (\d+)", profile, re.MULTILINE) for profile in profiles]
    return {plan.stem: int(total[1]) if total else 0 for plan, total in zip(PLANS, totals, strict=True)}


def kept() -> tuple[str, dict[str, int]]:
    """The compiler with which the instructions in the file were counted, and these."""
    found = json.loads(KEPT.read_text())
    return found["compiler"], found["instructions"]


def changes(before: dict[str, int], now: dict[str, int]) -> dict[str, float]:
    """Plans whose cost has changed by more than the tolerance, and by how much."""
    if before.keys() != now.keys():
        raise ValueError(f"the file has {sorted(before)}, and there are {sorted(now)}")
    relative = {name: now[name] / before[name] - 1 for name in sorted(now)}
    return {name: change for name, change in relative.items() if abs(change) > TOLERANCE}
