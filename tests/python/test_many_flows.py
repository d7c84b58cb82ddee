"""Many flows: the summary alone in tables, documents row by row, and work in proportion to the size of a plan."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Dupack, of_json
from dupack import files, running
from dupack.reference import STARTER_FILES, STARTERS

LINK = 'carries = "packets", rate = "10 Mb/s", delay = "1 ms"'
MANY = f"""
title = "Many \\u00e9"
duration = "5 ms"
host = [{{ name = "a", count = 10001 }}, {{ name = "b" }}]
switch = [{{ name = "s" }}]
link = [
  {{ name = "access", from = "a", to = "s", {LINK} }},
  {{ name = "line", from = "s", to = "b", {LINK}, queue = {{ kind = "drop-tail", buffer = "10 packets" }} }},
]
flow = [{{ name = "f", from = "a", to = "b", transport = {{ kind = "reno", mss = "1000 B" }} }}]
"""


@pytest.fixture
def many(tmp_path: Path) -> Path:
    plan = tmp_path / "many.toml"
    plan.write_text(MANY)
    return plan


def test_many_flows_have_the_summary_alone_unless_tables_are_asked_for(dupack: Dupack, many: Path) -> None:
    done = dupack("run", many)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\nSummary" in done.stdout
    assert "\nFlows" not in done.stdout
    assert "\nLinks" not in done.stdout
    last = done.stdout.splitlines()[-1]
    assert last == running.ALONE.format(10_001, 10_002)
    told = dupack("run", many, "--no-summary").stdout
    assert "(each of 10001)" in told
    assert "\nLinks" in told
    assert running.ALONE.format(10_001, 10_002) not in told
    # The same summary.
    alone = done.stdout.removesuffix(f"{last}\n")
    assert alone[alone.index("\nSummary") :].strip() in told


def test_few_flows_have_the_summary_alone_if_it_is_asked_for(dupack: Dupack, plan: Path) -> None:
    whole = dupack("run", plan, "--seeds", "1..3").stdout
    alone = dupack("run", plan, "--seeds", "1..3", "--summary").stdout
    assert "\nFlows" in whole
    assert "\nFlows" not in alone
    assert "\nLinks" not in alone
    assert whole[whole.index("\nSummary") :].startswith(alone[alone.index("\nSummary") :].rstrip("\n"))
    done = dupack("run", plan, "--summary", "--json")
    assert done.returncode == 2
    assert done.stderr == "--summary: it is about tables, and --json prints none; leave one of the two out\n"


def without_cpu(text: str) -> str:
    return re.sub(r'"cpu_s": [^,]*', '"cpu_s": 0', text)


def test_a_document_by_rows_has_the_bytes_of_a_whole_one(dupack: Dupack, many: Path, tmp_path: Path) -> None:
    streamed = dupack("run", many, "--json", "--out", tmp_path / "out").stdout
    assert (tmp_path / "out" / "result.json").read_text() == streamed
    assert len(of_json(dupack("run", many, "--json"))["flows"]) == 10_001
    # Read and written again, as documents of few flows are.
    assert files.to_json(files.from_json(streamed)) + "\n" == streamed


@pytest.mark.parametrize("starter", STARTERS)
def test_every_starter_has_the_same_bytes_by_rows(starter: str, tmp_path: Path) -> None:
    code = (
        "import sys; from dupack import running, cli; running.MANY_FLOWS = int(sys.argv.pop(1));"
        "sys.argv[0] = 'dupack'; cli.main()"
    )
    sets = ["--set", "duration=0.5 s", "--set", "warm_up=0.1 s", "--set", "sample=100 ms", "--set", "percentiles=true"]
    words = ["run", str(STARTER_FILES / f"{starter}.toml"), *sets, "--json"]
    texts = []
    for most in ("0", "10000"):
        done = subprocess.run([sys.executable, "-c", code, most, *words], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        texts.append(without_cpu(done.stdout))
    assert texts[0] == texts[1]


def test_a_full_disk_is_told(many: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dupack", "run", many, "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("standard output: cannot be written: no space left on device")
    assert "Traceback" not in done.stderr


GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
KEYS = LINK.replace(", ", "\n")
TREE = 'carries = "packets", access = { rate = "10 Mb/s", delay = "1 ms" }'
NEXT = "\n"
FLOW = 'transport = { kind = "reno", mss = "1000 B" }'
SHAPES = {
    "members of a group": lambda n: MANY.replace("10001", str(n)),
    "links and flows": lambda n: "\n".join(
        [
            'duration = "1 s"\n[[switch]]\nname = "s"\n[[host]]\nname = "b"',
            f'[[link]]\nname = "line"\nfrom = "s"\nto = "b"\n{KEYS}',
            *(f'[[host]]\nname = "h{i}"' for i in range(n)),
            *(f'[[link]]\nname = "l{i}"\nfrom = "h{i}"\nto = "s"\n{KEYS}' for i in range(n)),
            *(f'[[flow]]\nname = "f{i}"\nfrom = "h{i}"\nto = "b"\n{FLOW}' for i in range(n)),
        ]
    ),
    "a fat-tree": lambda n: (
        f"""
        duration = "1 s"
        topology = {{ kind = "fat-tree", k = {n}, {TREE}, queue = {{ kind = "drop-tail", buffer = "9 packets" }} }}
        flow = [{{ name = "f", from = "host-*", to = "host-*", pairs = "permutation", {FLOW} }}]
    """
    ),
    "a graph": lambda n: (
        f"""
        duration = "1 s"
        flow = [{{ name = "f", from = "host-node-0", to = "host-node-{n - 1}", {FLOW} }}]
        [topology]
        kind = "graphml"
        file = "{n}.graphml"
        trunk = {{ rate = "10 Mb/s", delay = "1 ms" }}
        queue = {{ kind = "drop-tail", buffer = "9 packets" }}
        {TREE.replace(", ", NEXT, 1)}
    """
    ),
}

VALGRIND = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
PARSE = """
import sys
from dupack._native import Plan
plan = Plan(open(sys.argv[1], "rb").read(), sys.argv[1])
plan.forecast(0, 1)
"""


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind counts instructions")
@pytest.mark.parametrize(
    ("shape", "sizes", "grows"),
    [
        ("members of a group", (250, 500, 1000), 2),
        ("links and flows", (250, 500, 1000), 2),
        ("a graph", (250, 500, 1000), 2),
        # k^3 / 4 hosts and 3 k^3 / 4 links; each of k^2 / 2 edge switches has a table of 5 k^2 / 4 switches.
        ("a fat-tree", (6, 8, 10), (10**3 - 8**3) / (8**3 - 6**3) * 10 / 8),
    ],
)
def test_the_work_before_the_first_event_is_in_proportion(
    tmp_path: Path, shape: str, sizes: tuple[int, ...], grows: float
) -> None:
    counts = []
    for size in sizes:
        plan = tmp_path / f"{size}.toml"
        edges = "".join(f'<edge source="{i}" target="{i + 1}"/>' for i in range(size - 1))
        nodes = "".join(f'<node id="{i}"/>' for i in range(size))
        (tmp_path / f"{size}.graphml").write_text(f"{GRAPHML}{nodes}{edges}</graph></graphml>")
        plan.write_text(SHAPES[shape](size))
        done = subprocess.run(
            [*VALGRIND, sys.executable, "-c", PARSE, str(plan)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found = re.search(r"Collected : (\d+)", done.stderr)
        assert found is not None
        counts.append(int(found[1]))
    # Differences are without what Python itself needs. With the square of the size they would be twice as much.
    first, second = counts[1] - counts[0], counts[2] - counts[1]
    assert second / first == pytest.approx(grows, rel=0.25)
