"""What commands import before they print: modules are counted, not milliseconds."""

import subprocess
import sys
from pathlib import Path

import pytest

PLAN = """
duration = "10 ms"
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "line", from = "a", to = "b", carries = "packets", rate = "1 Mb/s", delay = "1 ms" }]
flow = [{ name = "f", from = "a", to = "b", transport = { kind = "reno", mss = "1000 B" } }]
"""

FIRST = r"""
import sys
from dupack import _start

class Out:
    encoding, buffer, told = "utf-8", None, []
    def write(self, text):
        if text and not self.told:
            self.told.extend(sys.modules)
    def flush(self): pass
    def isatty(self): return False
    def fileno(self): return 1

sys.argv = ["dupack", *sys.argv[1:]]
sys.stdout, real = Out(), sys.stdout
try:
    _start.main()
except SystemExit as end:
    assert not end.code, end.code
real.write("\n".join(Out.told))
"""
"""Runs the command with these words; prints the modules that were there when it first printed something."""

ALWAYS = {"_native", "_start", "cli", "completion", "errors", "files", "interrupts", "livecommands", "machine"}
ALWAYS |= {"options", "reference", "terminal", "words"}
RUN = {"amounts", "document", "measures", "memory", "progress", "regimes", "running", "work"}


@pytest.mark.parametrize(
    ("words", "own", "slow"),
    [
        (["--help"], ALWAYS, {"dataclasses", "json", "rich"}),
        (["run", "PLAN"], ALWAYS | RUN, {"rich"}),
        (["run", "PLAN", "--json"], ALWAYS | RUN, {"rich"}),
    ],
)
def test_little_is_imported_before_the_first_output(
    tmp_path: Path, words: list[str], own: set[str], slow: set[str]
) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    words = [str(plan) if word == "PLAN" else word for word in words]
    done = subprocess.run([sys.executable, "-c", FIRST, *words], capture_output=True, text=True, check=True)
    modules = done.stdout.split("\n")
    assert {name.removeprefix("dupack.") for name in modules if name.startswith("dupack.")} == own
    assert "click" in modules
    assert not slow & set(modules)
