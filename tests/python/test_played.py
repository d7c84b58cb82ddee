"""Links of the site into the playground: every figure of a paper links all plans whose runs it shows."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from dupack.reference import FAMILIES, catalogue
from dupack.reproduce.paper import Paper
from dupack.reproduce.papers import all_papers

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from docs.site import played  # noqa: E402


@pytest.mark.parametrize("paper", all_papers(), ids=lambda paper: paper.key)
def test_a_figure_links_each_of_its_plans(paper: Paper) -> None:
    for figure in paper.figures:
        label = f"({paper.key}-{figure.file})="
        shown = played.in_paper(paper, f"{label}\n## A figure\n\nText.\n")
        links = re.findall(r'href="([^"]*)"[^>]*>([^<]*)<', shown)
        targets = [parse_qs(link.split("#")[1])["plan"][0] for link, _ in links]
        assert targets == [f"{paper.key}/{plan}" for plan in figure.plans]
        assert len({words for _, words in links}) == len(links)
        for target in targets:
            assert (ROOT / "papers" / f"{target}.toml").exists()
        assert shown.endswith("Text.\n")


def test_words_of_a_link_are_escaped() -> None:
    assert "<b>" not in played.link(0, [("plan", "<b>&")], "<b>")


def test_an_example_has_the_word_in_a_starter() -> None:
    found = dict(played.example("queue", "codel") or ())
    assert found["plan"] == "dumbbell"
    assert '"codel"' in found["set"]
    assert played.example("queue", "no-such-queue") is None


FILES = {("traffic", "trace"), ("jitter", "table"), ("topology", "graphml")}
"""Words that need a file, which a page cannot read."""


@pytest.mark.parametrize("family", FAMILIES)
def test_every_word_of_the_reference_can_be_opened(family: str) -> None:
    names = [entry["name"] for entry in catalogue()["entries"] if entry["family"] == family]
    assert names
    for name in names:
        found = played.example(family, name)
        assert (found is None) == ((family, name) in FILES), name
    text = "".join(f"## {name}\n\nText.\n\n" for name in names)
    links = re.findall(r'class="play" href="([^"]*)"', played.in_reference(family, text))
    assert len(links) == len([name for name in names if (family, name) not in FILES])
