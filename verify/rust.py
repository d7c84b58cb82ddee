"""The Rust tests that the page names: runs them once, and returns the outcome of each."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SEED = tomllib.loads((ROOT / ".cargo/config.toml").read_text())["env"]["PROPTEST_RNG_SEED"]
"""Of all that property tests draw here and in `make test`, so that the page can be made again."""
CRATES = "-p dupack-core -p dupack-sim -p dupack-lab -p dupack-live --lib"
WHICH = f"{CRATES} --test plan_laws --test plan_fuzz --test file_fuzz --test packet_fuzz"
COMMAND = f"cargo test {WHICH} --no-fail-fast -- --show-output"
BINARY = re.compile(r"^ +Running .*[/\\]deps[/\\](\w+)-[0-9a-f]+")
STATE = re.compile(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)")
OUTPUT = re.compile(r"^---- (\S+) stdout ----$")


@dataclass(frozen=True)
class Outcome:
    """What came of a test."""

    state: str
    """`ok`, `FAILED` or `ignored`."""
    said: str
    """The last line that it printed."""


def missing() -> str:
    """Why Rust tests cannot be run here; empty if they can."""
    return "" if shutil.which("cargo") else "there is no cargo here"


@cache
def tests() -> dict[str, Outcome]:
    """All that were run, by binary and name: `dupack_core::transport::script::reno::half_of_what`."""
    run = subprocess.run(
        COMMAND.split(),
        cwd=ROOT,
        env=os.environ | {"PROPTEST_RNG_SEED": SEED, "CARGO_TERM_COLOR": "never", "CARGO_TERM_QUIET": "false"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    found = outcomes(run.stdout)
    if not found:
        last = " ".join(run.stdout.split("\n")[-12:])
        raise RuntimeError(f"`{COMMAND}` ran no test: {last}")
    return found


def outcomes(output: str) -> dict[str, Outcome]:
    """What libtest's lines tell, binary by binary."""
    states: dict[str, str] = {}
    said: dict[str, str] = {}
    binary = speaker = ""
    for line in output.splitlines():
        if match := BINARY.match(line):
            binary, speaker = match[1], ""
        elif match := STATE.match(line):
            states[f"{binary}::{match[1]}"] = match[2]
        elif match := OUTPUT.match(line):
            speaker = f"{binary}::{match[1]}"
        elif line in ("successes:", "failures:"):
            speaker = ""
        elif speaker and line.strip():
            said[speaker] = line.strip()
    return {name: Outcome(state, said.get(name, "")) for name, state in states.items()}


def named(path: Path, function: str) -> tuple[str, str]:
    """How the names of a function of a file of `crates/CRATE/src` begin and end."""
    crate, _, *modules = path.relative_to(ROOT / "crates").with_suffix("").parts
    modules = [it for it in modules if it not in ("mod", "lib")]
    return "::".join([f"dupack_{crate}", *modules]), f"::{function}"


def state(path: Path, function: str, ran: dict[str, Outcome]) -> str:
    """What came of a file's test: `ok`, or what is wrong with it."""
    begin, end = named(path, function)
    found = [name for name in ran if name in (begin + end, f"{begin}::tests{end}")]
    return ran[found[0]].state if found else "was not run"
