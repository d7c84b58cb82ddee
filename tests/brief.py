"""`python tests/brief.py LOG COMMAND...`: runs `cargo test`, keeps its output in a file, prints what matters.

A property that fails panics once for each smaller case that proptest tries: hundreds of panics, each with its
backtrace. Printed are the first one, the last one, which is of the smallest case, and that case. Of what passes
only counts are printed. Tests that are ignored are named with the reason, and the slowest with their times.

The command must not be `--quiet`: its lines say which test has ended, and when.
"""

from __future__ import annotations

import heapq
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PANIC = re.compile(r"^thread '.*' (\(\d+\) )?panicked at ")
SECTION = re.compile(r"^---- \S+ std(out|err) ----$")
END = re.compile(r"^(failures:|successes:|test result: .*)$")
PROGRAM = re.compile(r"^ +(?:Running .*\(.*?([^/]+?)(?:-[0-9a-f]{16})?\)|Doc-tests (\w+))$")
ENDED = re.compile(r"^test (.*?)(?: - should panic)? \.\.\. (ok|FAILED)$")
NOTHING = re.compile(
    r"^(running \d+ tests?|test .* \.\.\. (ok|FAILED)|test result: ok\. 0 passed.*"
    r"| +(Compiling|Finished|Running|Doc-tests|Downloading|Downloaded) .*)$"
)
LONG = 60
"""Lines of a panic that are printed as they are."""
SLOWEST = 10


@dataclass
class Times:
    """How long each test took, which stable Rust does not tell.

    A test program starts its tests in the order of their names, as many at a time as there are processors: the first
    ones at once, each other one when a test ends.
    """

    threads: int
    program: str = ""
    start: float = 0.0
    ended: list[tuple[float, str]] = field(default_factory=list)
    """The tests of the program that runs, in the order in which they have ended."""
    took: list[tuple[float, str]] = field(default_factory=list)
    """Seconds of the tests of all programs."""

    def hear(self, line: str, now: float) -> None:
        """A line has come."""
        if begins := PROGRAM.match(line):
            self.program = begins[1] or f"{begins[2]} (doc)"
        elif line.startswith("running "):
            self.start, self.ended = now, []
        elif ends := ENDED.match(line):
            self.ended.append((now, ends[1]))
        elif line.startswith("test result: "):
            starts = [self.start] * self.threads + [at for at, _ in self.ended]
            names = sorted(name for _, name in self.ended)
            began = dict(zip(names, starts, strict=False))
            self.took += [(at - began[name], f"{self.program}::{name}") for at, name in self.ended]

    def slowest(self) -> Iterator[str]:
        """Lines for the slowest tests, if any took a tenth of a second."""
        slow = [one for one in heapq.nlargest(SLOWEST, self.took) if one[0] >= 0.1]
        if slow:
            yield f"the {len(slow)} slowest of {len(self.took)} tests:"
        for seconds, name in slow:
            yield f"{seconds:7.1f} s  {name}"


def folded(block: Sequence[str]) -> list[str]:
    """A panic; a case of many lines gets one for each of its arguments, where proptest prints one for each field."""
    lines: list[str] = []
    inside = False
    for line in block:
        inside = (inside or line.startswith("minimal failing input:")) and not line.startswith("\tsuccesses:")
        if inside and len(block) > LONG and re.match(r" |[\])}]", line):
            lines[-1] += " " * line.startswith(" ") + line.strip()
        else:
            lines.append(line)
    return lines


def shortened(section: Sequence[str]) -> list[str]:
    """What a test said: of many panics the first and the last two, which tell the smallest case and how it failed."""
    starts = [at for at, line in enumerate(section) if PANIC.match(line)]
    if len(section) <= LONG or not starts:
        return list(section)
    blocks = [section[start:end] for start, end in zip(starts, [*starts[1:], len(section)], strict=True)]
    lines = list(section[: starts[0]]) + folded(blocks[0])
    if len(blocks) > 3:
        lines.append(f"[{len(blocks) - 3} more panics, with smaller and smaller cases]")
    for block in blocks[1:][-2:]:
        lines += folded(block)
    return lines


def brief(lines: Iterable[str]) -> Iterator[str]:
    """What of the tests' lines is printed."""
    section: list[str] | None = None
    for line in lines:
        if section is not None and (SECTION.match(line) or END.match(line)):
            yield from shortened(section)
            section = None
        if SECTION.match(line):
            section = []
            yield line
        elif section is not None:
            section.append(line)
        elif line and not NOTHING.match(line):
            yield line
    yield from shortened(section or [])


def main() -> int:
    """The command's exit status."""
    log = Path(sys.argv[1])
    log.parent.mkdir(parents=True, exist_ok=True)
    times = Times(int(os.environ.setdefault("RUST_TEST_THREADS", str(os.cpu_count() or 1))))

    def kept(lines: Iterable[str]) -> Iterator[str]:
        with log.open("w") as file:
            for line in lines:
                file.write(line)
                times.hear(line.rstrip("\n"), time.monotonic())
                yield line.rstrip("\n")

    # Cargo prints the running program on stderr.
    with subprocess.Popen(
        sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as tests:
        assert tests.stdout is not None
        for line in brief(kept(tests.stdout)):
            print(line, flush=True)
    for line in times.slowest():
        print(line)
    if tests.returncode:
        print(f"all that the tests have said: {log}")
    return tests.returncode


if __name__ == "__main__":
    sys.exit(main())
