"""The examples of the pages are run, and print what the pages say."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import pytest

import dupack
from dupack import discipline, network

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(python|pycon)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def failures(page: Path) -> list[str]:
    """What the examples of a page, run in order in one namespace, say otherwise than the page does."""
    names: dict[str, Any] = {}
    told: list[str] = []
    text = page.read_text()
    for found in BLOCK.finditer(text):
        line = text.count("\n", 0, found.start(2))
        if found[1] == "python":
            exec(compile("\n" * line + found[2], str(page), "exec"), names)
            continue
        examples = doctest.DocTestParser().get_doctest(found[2], names, page.name, str(page), line)
        runner = doctest.DocTestRunner()
        runner.run(examples, out=told.append, clear_globs=False)
        names.update(examples.globs)
    return told


@pytest.mark.parametrize("page", ["python.md"])
def test_the_examples_of_a_page_are_right(page: str) -> None:
    told = failures(DOCS / page)
    assert not told, "\n".join(told)


def test_a_wrong_page_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\n\n```pycon\n>>> x\n2\n```\n")
    assert "Expected:\n    2\nGot:\n    1" in "".join(failures(page))


@pytest.mark.parametrize("module", [dupack, network, discipline])
def test_the_examples_of_docstrings_are_right(module: Any) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_example_of_the_issue_is_on_the_page_as_it_was_asked_for() -> None:
    asked = """import dupack as dk
net = dk.dumbbell(senders=5, access="30 Mb/s", bottleneck="75 Mb/s", delay="0.3 ms", carries="cells",
                  queue=dk.queue.bpd(buffer="1200 cells", lower=0.4, upper=0.9, gap=25))
run = net.run(dk.transport.reno(mss="536 B"), duration="60 s", seed=1)
run.flows            # a DataFrame (polars; .to_pandas() works)
run.plot.cwnd()      # a matplotlib Figure; also .queue(), .goodput()
dk.sweep(net, {"link.bottleneck.queue.lower": [0.2, 0.4, 0.6]}, seeds=10).plot("goodput_fraction")
"""
    assert asked in (DOCS / "python.md").read_text()
