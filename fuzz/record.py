"""`python fuzz/record.py TARGET COMMAND...`: runs a fuzzer's command, and describes the run in `fuzz/last.toml`.

A run of less than an hour that finds nothing is shown and not kept, for the page of `make verify` is about an hour.
"""

import fcntl
import json
import os
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

LAST = Path(__file__).with_name("last.toml")
HOUR = 3600
HEAD = "# Per target the last hour of `make fuzz`, or a shorter run that has found something. By fuzz/record.py.\n"


def summary(lines: list[str], began: float, commit: str) -> dict[str, str | int]:
    """What libFuzzer's lines say of a run that began then [s since 1970].

    A number that it has not said is -1, such as the length of a run that has found something.
    """

    def said(pattern: str, otherwise: str = "-1") -> str:
        found = [match[1] for line in lines if (match := re.search(pattern, line))]
        return found[-1] if found else otherwise

    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime(began)),
        "commit": commit,
        "seed": int(said(r"^INFO: Seed: (\d+)")),
        "seconds": int(said(r"^Done \d+ runs in (\d+) second")),
        "executions": int(said(r"^stat::number_of_executed_units:\s*(\d+)")),
        # A target whose inputs have several packets counts them.
        **({"packets": int(packets)} if (packets := said(r"^stat::packets:\s*(\d+)", "")) else {}),
        "coverage": int(said(r"\bcov: (\d+)")),
        # Not a slow unit: on a busy machine any may be.
        "found": said(r"Test unit written to (\S*(?:crash|timeout|oom|leak)-\S+)", ""),
    }


def keep(target: str, said: dict[str, str | int]) -> None:
    """Puts the description of a target's run into `fuzz/last.toml`, beside those of the others."""
    # Readers in Python are tested two at a time.
    folder = os.open(LAST.parent, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    try:
        _write(target, said)
    finally:
        os.close(folder)


def _write(target: str, said: dict[str, str | int]) -> None:
    all_of = (tomllib.loads(LAST.read_text()) if LAST.exists() else {}) | {target: said}
    tables = [
        f"\n[{json.dumps(name) if '.' in name else name}]\n"
        + "".join(f"{key} = {json.dumps(value)}\n" for key, value in run.items())
        for name, run in sorted(all_of.items())
    ]
    LAST.write_text(HEAD + "".join(tables))
    print(f"wrote {LAST}")


def commit() -> str:
    """What is checked out."""
    asked = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return asked.stdout.strip()


def describe(reader: str, began: float, of: str, executions: int, found: str) -> None:
    """Keeps what a reader in Python, of this commit, has read since then [s since 1970].

    It is not kept if it was less than an hour and has found nothing.
    """
    seconds = int(time.time() - began)
    if seconds >= HOUR or found:
        date = time.strftime("%Y-%m-%d", time.gmtime(began))
        told: dict[str, str | int] = {"date": date, "commit": of, "seconds": seconds}
        keep(reader, told | {"executions": executions, "found": found})


def main() -> int:
    """The fuzzer's exit status."""
    began = time.time()
    target, *command = sys.argv[1:]
    checked_out = commit()
    lines = []
    both, pipe = subprocess.STDOUT, subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=both, text=True, errors="replace") as fuzzer:
        assert fuzzer.stdout is not None
        for line in fuzzer.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    said = summary(lines, began, checked_out)
    if int(said["seconds"]) >= HOUR or said["found"]:
        keep(target, said)
    return fuzzer.returncode


if __name__ == "__main__":
    sys.exit(main())
