"""What files of others can reach at most: see docs/security.md."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import dupack as dk
from conftest import DUPACK, PLAN, Dupack
from dupack.reproduce import report
from test_own_paper import copied

DEEP = 200_000
"""Nesting that would fill the stack of a reader that calls itself."""

GRAPH = """
duration = "1 s"
[topology]
kind = "graphml"
file = "graph.graphml"
access = { rate = "10 Mb/s", delay = "1 ms" }
"""


@pytest.mark.parametrize(
    "text",
    [
        "title = " + "[" * DEEP + "]" * DEEP,
        "a" + ".a" * DEEP + " = 1",
        "a = " + "{ a = " * DEEP + "1" + " }" * DEEP,
    ],
    ids=["arrays", "keys", "tables"],
)
def test_a_plan_that_is_nested_deeply_is_refused(dupack: Dupack, tmp_path: Path, text: str) -> None:
    (tmp_path / "plan.toml").write_text(text)
    done = dupack("check", "plan.toml")
    assert done.returncode == 2
    assert done.stderr.startswith("plan.toml: 1 error in the plan, nothing was run\nline 1, column ")
    assert "not TOML" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><graphml><graph>&c;</graph></graphml>',
            "XML with DTD detected",
        ),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "other">]><graphml><graph>&b;</graph></graphml>', "XML with DTD detected"),
        ("<a>" * DEEP + "</a>" * DEEP, "not GraphML"),
    ],
    ids=["entities", "files", "nested"],
)
def test_xml_that_expands_or_includes_is_refused(dupack: Dupack, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "plan.toml").write_text(GRAPH)
    (tmp_path / "graph.graphml").write_text(text)
    done = dupack("check", "plan.toml")
    assert done.returncode == 2
    assert 'topology.file: "graph.graphml": not ' in done.stderr
    assert said in done.stderr


@pytest.mark.parametrize(("name", "said"), [("graph.graphml", "larger than 256 MiB"), ("/dev/zero", "not a file")])
def test_a_file_that_a_plan_names_is_a_file_of_limited_size(
    dupack: Dupack, tmp_path: Path, name: str, said: str
) -> None:
    (tmp_path / "plan.toml").write_text(GRAPH.replace("graph.graphml", name))
    with (tmp_path / "graph.graphml").open("wb") as file:
        file.truncate((256 << 20) + 1)
    done = dupack("check", "plan.toml")
    assert done.returncode == 2
    assert f'topology.file: "{name}" cannot be read: {said} ({name})\n' in done.stderr


def test_json_that_is_nested_deeply_is_no_store_and_no_result(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    for name in ("store/sweep.json", "out/result.json", "result.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("[" * DEEP)
    for words in (["query", "from runs", "store"], ["plot", "result.json"], ["run", plan, "--out", "out"]):
        done = dupack(*words)
        assert done.returncode == 2, done.stderr
        assert "internal error" not in done.stderr


@pytest.mark.parametrize("name", ["paper.toml", "published.toml", "figures.toml", "drops.toml", "measures.py"])
@pytest.mark.parametrize("how", ["device", "pipe"])
def test_a_folder_of_a_paper_has_files(dupack: Dupack, tmp_path: Path, name: str, how: str) -> None:
    paper = copied(tmp_path)
    (paper / name).unlink(missing_ok=True)
    if how == "device":
        (paper / name).symlink_to("/dev/zero")
    else:
        os.mkfifo(paper / name)
    done = dupack("reproduce", paper, "--quick", "--out", tmp_path / "out")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{paper / name}: not a file\n")


def test_the_words_of_a_paper_have_a_limit(dupack: Dupack, tmp_path: Path) -> None:
    paper = copied(tmp_path)
    with (paper / "paper.toml").open("ab") as file:
        file.truncate((256 << 20) + 1)
    done = dupack("reproduce", paper, "--quick", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr.startswith(f"{paper / 'paper.toml'}: larger than 256 MiB; ")


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_nothing_asks_for_the_network(plan: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    for words in (
        ["check", "plan.toml"],
        ["run", "plan.toml", "--tape", "tape.parquet"],
        ["sweep", "plan.toml", "--out", "store"],
        ["query", "from runs", "store"],
        ["plot", "store", "--out", "figure.svg"],
    ):
        command = [
            "strace",
            "-f",
            "-qq",
            "-e",
            "trace=socket,connect,bind",
            "-e",
            "signal=none",
            "-o",
            str(trace),
            str(DUPACK),
        ]
        done = subprocess.run([*command, *words], cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        calls = [line for line in trace.read_text().splitlines() if "(" in line and "AF_UNIX" not in line]
        assert calls == [], words


def test_a_page_has_a_title_as_text(plan: Path) -> None:
    title = "</script><img src=x onerror=alert(1)>"
    plan.write_text(PLAN.replace("Two senders, one queue", title))
    shown = dk.load(plan).run()._repr_html_()
    assert "&lt;img" in shown
    assert "<img" not in shown
    embedded = report._inline({"title": title})
    assert "<" not in embedded
    assert json.loads(embedded) == {"title": title}
