"""`python tests/brief.py LOG COMMAND...`: runs `cargo test`, keeps its output in a file, prints what matters.

A property that fails panics once for each smaller case that proptest tries: hundreds of panics, each with its
backtrace. Printed are the first one, the last one, which is of the smallest case, and that case. Of what passes
only counts are printed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

PANIC = re.compile(r"^thread '.*' (\(\d+\) )?panicked at ")
SECTION = re.compile(r"^---- \S+ std(out|err) ----$")
END = re.compile(r"^(failures:|successes:|test result: .*)$")
NOTHING = re.compile(r"^(running \d+ tests?|[.i]* *\d*/?\d*|test result: ok\. 0 passed.*)$")
LONG = 60
"""Lines of a panic that are printed as they are."""


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

    def kept(lines: Iterable[str]) -> Iterator[str]:
        with log.open("w") as file:
            for line in lines:
                file.write(line)
                yield line.rstrip("\n")

    with subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, text=True, errors="replace") as tests:
        assert tests.stdout is not None
        for line in brief(kept(tests.stdout)):
            print(line, flush=True)
    if tests.returncode:
        print(f"all that the tests have said: {log}")
    return tests.returncode


if __name__ == "__main__":
    sys.exit(main())
