"""The memory of runs: what is estimated before they start, and the limit."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

import dupack as dk
from conftest import PLAN, Dupack, of_json
from dupack import memory, work
from dupack.cli import cli
from dupack.options import Amount

OWN = Path(__file__).parents[2] / "docs/howto/paper/fall-floyd-1996"

SERIES = PLAN.replace('duration = "2 s"', 'duration = "20 s"\nsample = "1 ms"')
"""With 20,001 samples of 16 values."""

LONG = PLAN.replace('duration = "2 s"', 'duration = "10 s"\nsample = "1 us"')
"""With 10,000,001 samples of 16 values."""

VARY = ["--vary", "flow.*.transport=reno,sack"]

CONNECTIONS = """
duration = "100 ms"
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "line", from = "a", to = "b", carries = "packets", rate = "10 Gb/s", delay = "100 us" }]
[[flow]]
name = "files"
from = "a"
to = "b"
arrivals = { kind = "poisson", load = 0.2, of = "line" }
traffic = { kind = "file", size = "100 B" }
transport = { kind = "sack", min_rto = "1 s" }
"""
"""With about 250,000 connections."""

OVERLOADED = (
    CONNECTIONS.replace("10 Gb/s", "10 Mb/s").replace("100 ms", "1500 ms").replace("0.2", "1").replace("100 B", "20 B")
)
"""With about 94,000 connections, of which two of three are open at the end: headers are two thirds of their load."""

BUFFER = """
duration = "1000 s"
host = [{ name = "a" }, { name = "b" }]
switch = [{ name = "s" }]
link = [
  { name = "in", from = "a", to = "s", carries = "packets", rate = "10 Gb/s", delay = "1 us" },
  { name = "out", from = "s", to = "b", carries = "packets", rate = "1 Gb/s", delay = "1 us" },
]
[[flow]]
name = "flood"
from = "a"
to = "b"
traffic = { kind = "cbr", rate = "9 Gb/s" }
transport = { kind = "udp", mss = "1448 B" }
"""
"""Whose buffer takes 100 MB per second of simulated time."""

FLOWS = """
duration = "10 ms"
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "line", from = "a", to = "b", carries = "packets", rate = "10 Mb/s", delay = "1 ms" }]
""" + "".join(
    f'[[flow]]\nname = "f{at}"\nfrom = "a"\nto = "b"\n'
    'traffic = { kind = "greedy" }\ntransport = { kind = "reno" }\n'
    for at in range(20)
)
"""Of which only documents remain, of 20 flows."""

LINKS = (
    FLOWS.partition("link =")[0]
    + "".join(f'[[switch]]\nname = "s{at}"\n' for at in range(30))
    + "".join(
        f'[[link]]\nname = "l{at}"\nfrom = "{one}"\nto = "{next_one}"\ncarries = "packets"\n'
        'rate = "10 Mb/s"\ndelay = "1 ms"\n'
        for at, (one, next_one) in enumerate(pairwise(["a", *(f"s{at}" for at in range(30)), "b"]))
    )
    + FLOWS[FLOWS.index("[[flow]]") : FLOWS.index("[[flow]]", FLOWS.index("[[flow]]") + 1)]
)
"""Of which only documents remain, of 31 links."""

PEAK = """
import sys
from dupack.cli import main
try:
    main()
finally:
    status = open("/proc/self/status").read()
    print(status.partition("VmHWM:")[2].split()[0], file=sys.stderr)
"""


MEASURED: dict[str, tuple[str, str, list[str]]] = {
    "run": (SERIES, "run", ["run", "plan.toml"]),
    "runs": (SERIES, "run", ["run", "plan.toml", "--seeds", "1..4"]),
    "documents": (SERIES, "run --json", ["run", "plan.toml", "--seeds", "1..4", "--json"]),
    "compare": (SERIES, "compare", ["compare", "plan.toml", *VARY, "--seeds", "1..2"]),
    "sweep": (SERIES, "sweep", ["sweep", "plan.toml", "--seeds", "1..2"]),
    "connections": (CONNECTIONS, "sweep", ["sweep", "plan.toml", "--seeds", "1..2"]),
    "open connections": (OVERLOADED, "run", ["run", "plan.toml"]),
    "flows of many seeds": (FLOWS, "run", ["run", "plan.toml", "--seeds", "1..800"]),
    "documents of many seeds": (FLOWS, "run --json", ["run", "plan.toml", "--seeds", "1..400", "--json"]),
    "links of many seeds": (LINKS, "run", ["run", "plan.toml", "--seeds", "1..200"]),
}
"""Commands with a plan each, and the key of their costs."""


def peak(place: Path, *words: str) -> float:
    """The largest resident memory of a command [bytes]."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *words], cwd=place, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return 1024 * float(done.stderr.split()[-1])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the memory of a process")
@pytest.mark.parametrize(("text", "command", "words"), MEASURED.values(), ids=MEASURED)
def test_the_estimate_is_what_runs_need(tmp_path: Path, text: str, command: str, words: list[str]) -> None:
    (tmp_path / "plan.toml").write_text(text)
    plan = work.read_plan(tmp_path / "plan.toml")
    runs = (
        1
        if len(words) == 2
        else int(words[words.index("--seeds") + 1].rpartition(".")[2]) * (2 if command == "compare" else 1)
    )
    told = memory.estimate(plan, command, runs, 2).total
    measured = peak(tmp_path, *words, "--threads", "2")
    assert 0.6 < told / measured < 1.7, (told, measured)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the memory of a process")
def test_a_tape_is_estimated_by_a_trial_run(plan: Path, tmp_path: Path) -> None:
    plan.write_text(PLAN.replace('duration = "2 s"', 'duration = "200 s"'))
    read = work.read_plan(plan)
    rows = memory.tape_rows(read, 1)
    told = memory.estimate(read, "run", 1, 1, rows).total
    measured = peak(tmp_path, "run", "plan.toml", "--tape", "tape.csv")
    assert 0.6 < told / measured < 1.7, (told, measured)
    written = len((tmp_path / "tape.csv").read_text().splitlines())
    assert 0.8 < rows / written < 1.25


@pytest.mark.parametrize("words", [["run"], ["run", "--json"], ["sweep"], ["compare", *VARY]])
def test_runs_that_need_more_than_the_limit_are_refused_before_they_start(
    dupack: Dupack, plan: Path, tmp_path: Path, words: list[str]
) -> None:
    plan.write_text(LONG)
    done = dupack(words[0], "plan.toml", *words[1:], "--memory", "4 GB")
    assert (done.returncode, done.stdout) == (2, "")
    said = "most of it for 10,000,001 samples of 16 values in each run; the limit is 4 GB, as --memory says"
    assert said in done.stderr
    assert "write a longer `sample` or a shorter `duration`" in done.stderr
    assert done.stderr.endswith("or give a larger --memory; nothing was run\n")
    assert [path.name for path in tmp_path.iterdir()] == ["plan.toml"]


def test_without_an_option_the_limit_is_half_of_the_memory(dupack: Dupack, plan: Path) -> None:
    plan.write_text(LONG)
    done = dupack("run", "plan.toml", "--seeds", "1..10000")
    assert done.returncode == 2
    assert "half of this machine's memory" in done.stderr
    assert memory.default().size == memory.machine() / 2


@pytest.fixture
def limited() -> Iterator[None]:
    """The limit of this process is 400 MB."""
    dk.limit_memory("400 MB")
    yield
    dk.limit_memory()


CALLS: dict[str, Callable[[dk.Network], object]] = {
    "run": lambda net: net.run(),
    "sweep": lambda net: dk.sweep(net, {}, seeds=2),
    "store": lambda net: dk.sweep(net, {}, seeds=2, out="store"),
    "compare": lambda net: dk.compare(net, {"link.*.delay": ["1 ms", "2 ms"]}, seeds=2),
    "plan": lambda net: dk.run(net.read()[0]),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.usefixtures("limited")
def test_a_program_has_a_limit_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    (tmp_path / "plan.toml").write_text(LONG)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(dk.RequestError) as raised:
        CALLS[call](dk.load("plan.toml"))
    assert "the limit is 400 MB, as dupack.limit_memory says; write a longer `sample`" in str(raised.value)
    assert str(raised.value).endswith("or give a larger dupack.limit_memory; nothing was run")
    assert [path.name for path in tmp_path.iterdir()] == ["plan.toml"]


TAPED = PLAN.replace('duration = "2 s"', 'duration = "2000 s"')
"""With about 15 million rows of a tape."""


@pytest.mark.parametrize(
    ("text", "tape", "most", "change"),
    [
        (TAPED, True, "rows of the tape", "write a shorter `duration`, or leave out tape=True, or give"),
        (
            CONNECTIONS.replace("100 ms", "2 s"),
            False,
            "connections in each run",
            "write a shorter `duration` or a lower",
        ),
    ],
)
@pytest.mark.usefixtures("limited")
def test_a_tape_and_connections_count_in_a_program(
    tmp_path: Path, text: str, tape: bool, most: str, change: str
) -> None:
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(dk.RequestError, match=f"{most}; the limit is 400 MB, .*; {change}.*; nothing was run"):
        dk.load(tmp_path / "plan.toml").run(tape=tape)


IN_PYTHON = """
import sys
import dupack as dk
dk.load("plan.toml").run(tape=sys.argv[1] == "tape")
status = open("/proc/self/status").read()
print(status.partition("VmHWM:")[2].split()[0])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the memory of a process")
@pytest.mark.parametrize(("text", "of"), [(CONNECTIONS, "connections"), (TAPED.replace("2000 s", "100 s"), "tape")])
def test_the_estimate_is_what_a_run_in_python_needs(tmp_path: Path, text: str, of: str) -> None:
    (tmp_path / "plan.toml").write_text(text)
    plan = work.read_plan(tmp_path / "plan.toml")
    rows = memory.tape_rows(plan, 1) if of == "tape" else 0
    told = memory.estimate(plan, "run in Python", 1, 1, rows).total
    words = [sys.executable, "-c", IN_PYTHON, of]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    measured = 1024 * float(done.stdout)
    assert 0.6 < told / measured < 1.7, (told, measured)


# In a process of its own, because this one may have more memory already.
ENDED = """
import sys
import dupack as dk
dk.limit_memory("400 MB")
net = dk.load("plan.toml")
calls = {
    "run": lambda: net.run(),
    "sweep": lambda: dk.sweep(net, {}, seeds=2, threads=1),
    "store": lambda: dk.sweep(net, {}, seeds=2, threads=1, out="store"),
    "plan": lambda: dk.run(dk.read_plan("plan.toml")),
}
try:
    calls[sys.argv[1]]()
except dk.RunError as error:
    print(error)
"""


@pytest.mark.parametrize("call", ["run", "sweep", "store", "plan"])
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the memory of a process")
def test_runs_of_a_program_that_exceed_its_limit_are_ended(tmp_path: Path, call: str) -> None:
    (tmp_path / "plan.toml").write_text(BUFFER)
    words = [sys.executable, "-c", ENDED, call]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert "more than the limit of 400 MB" in done.stdout, done.stderr
    assert "a larger limit (--memory, or dupack.limit_memory in Python)" in done.stdout


def test_no_limit_is_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[int | None] = []
    monkeypatch.setattr("dupack._native.limit_memory", said.append)
    with memory.Limit(1e9, "").hold(), memory.Limit(2e9, "").hold():
        pass
    assert said == [10**9, None]
    with pytest.raises(dk.RequestError, match="size: many: not an amount of memory"):
        dk.limit_memory("many")
    dk.limit_memory("1 GB")
    assert memory.of_process().size == 1e9
    dk.limit_memory()
    assert memory.of_process().size == memory.machine() / 2


@pytest.mark.parametrize("words", [["reproduce"], ["readings", "--budget", "1s"]])
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the memory of a process")
def test_a_report_is_ended_by_its_limit(dupack: Dupack, tmp_path: Path, words: list[str]) -> None:
    # The program itself needs more.
    command, *options = words
    done = dupack(command, OWN, *options, "--out", tmp_path / "out", "--threads", 1, "--memory", "10 MB")
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stderr.splitlines()[-1].startswith("memory: the runs use ")
    assert "more than the limit of 10 MB" in done.stderr


@pytest.mark.parametrize("words", [["run", "plan.toml"], ["sweep", "plan.toml", "--seeds", "1..3"]])
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the memory of a process")
def test_runs_that_exceed_the_limit_are_ended(dupack: Dupack, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "plan.toml").write_text(BUFFER)
    done = dupack(*words, "--threads", 1, "--memory", "400 MB")
    assert done.returncode == 1
    assert "memory: the runs use " in done.stderr
    assert "more than the limit of 400 MB; write a shorter `duration`, smaller buffers" in done.stderr
    if words[0] == "sweep":
        assert dupack("query", "select count(*) from runs", "store", "--csv").stdout == "count_star()\n0\n"


def test_check_tells_the_memory(dupack: Dupack, plan: Path) -> None:
    told = of_json(dupack("check", plan, "--json"))["expected"]["memory_bytes"]
    assert 30e6 < told["run"] < 40e6
    plan.write_text(SERIES)
    more = of_json(dupack("check", plan, "--json"))["expected"]["memory_bytes"]
    assert more["run"] > told["run"] + 20_001 * 16 * 40
    assert more["sweep"] > told["sweep"]
    printed = dupack("check", plan).stdout.splitlines()[-1]
    assert printed.endswith(f"CPU time, {more['run'] / 1e6:.0f} MB of memory.")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("8 GB", 8e9),
        ("8GB", 8e9),
        ("1.5 gb", 1.5e9),
        ("8 GiB", 8 * 2**30),
        ("512MiB", 2**29),
        ("25 %", memory.machine() / 4),
    ],
)
def test_amounts_of_memory(text: str, size: float) -> None:
    assert Amount().convert(text, None, None).size == size


@pytest.mark.parametrize("text", ["8", "8 apples", "-1 GB", "GB", "", "1e9 B"])
def test_what_is_no_amount_of_memory_is_refused(dupack: Dupack, plan: Path, text: str) -> None:
    done = dupack("run", plan, "--memory", text)
    assert done.returncode == 2
    assert f'{text}: not an amount of memory; write "8 GB", "8 GiB", "50 %" or the like' in done.stderr


def test_no_limit_is_above_the_memory_of_the_machine(plan: Path) -> None:
    assert memory.read("100 %", "", "").size == memory.machine()
    done = CliRunner().invoke(cli, ["run", str(plan), "--memory", "200 %"])
    assert (done.exit_code, "200 %: more than this machine has; give at most 100 %" in done.output) == (2, True)


def test_a_cluster_has_memory_of_its_own(dupack: Dupack, plan: Path) -> None:
    pytest.importorskip("ray")
    done = dupack("sweep", plan, "--on", "ray", "--memory", "8 GB")
    assert done.returncode == 2
    assert done.stderr == "--memory: applies only to --on local; nothing was run\n"
