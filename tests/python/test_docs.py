"""The pages: examples print what the pages show, there are no dead links, the site can be built."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import dupack
from conftest import Once
from dupack import controller, discipline, network
from dupack.reference import catalogue
from dupack.reproduce.papers import all_papers

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from docs import drawing, generate  # noqa: E402
from docs.links import dead, of_the_project, shown  # noqa: E402
from docs.site import papers, reference  # noqa: E402
from docs.site.examples import BLOCK, commands, failures, same, stale  # noqa: E402
from docs.site.markdown import anchors, links, relinked, toctrees  # noqa: E402
from docs.site.pages import DOCS, pictures, stage, written  # noqa: E402

WITH_EXAMPLES = [
    "../README.md",
    *(path.relative_to(DOCS).as_posix() for path in written() if BLOCK.search(path.read_text())),
]

Pages = Callable[[str], tuple[Path, list[str]]]


@pytest.fixture(scope="session")
def ran(once: Once) -> Pages:
    """Runs the examples of a page, once: returns the directory, and the differences from the page."""
    return lambda page: once(f"page-{page.replace('/', '-')}", lambda place: failures(DOCS / page, place))


@pytest.mark.parametrize("page", WITH_EXAMPLES)
def test_the_examples_of_a_page_are_right(page: str, ran: Pages) -> None:
    _, told = ran(page)
    assert not told, "\n".join(told)


@pytest.mark.parametrize("page", [page for page in WITH_EXAMPLES if pictures(DOCS / page)])
def test_the_pictures_of_a_page_are_what_its_examples_draw(page: str, ran: Pages) -> None:
    place, _ = ran(page)
    assert stale(DOCS / page, place) == []


def test_a_stale_picture_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("![one](page/one.svg) ![two](page/two.svg) ![three](other/three.svg)\n")
    (tmp_path / "page").mkdir()
    (tmp_path / "page/one.svg").write_text("as kept")
    (tmp_path / "page/two.svg").write_text("the same")
    place = tmp_path / "place"
    place.mkdir()
    (place / "one.svg").write_text("as drawn")
    (place / "two.svg").write_text("the same")
    assert [one.split(" is ")[0] for one in stale(page, place)] == ["page.md: page/one.svg"]
    (place / "two.svg").unlink()
    assert len(stale(page, place)) == 2


def test_the_pages_that_have_examples_are_found() -> None:
    assert {"tutorial.md", "python.md", "howto/sweep.md", "howto/topology.md"} <= set(WITH_EXAMPLES)


def test_what_is_generated_is_up_to_date() -> None:
    stale = [str(path.relative_to(ROOT)) for path, text in generate.generated() if path.read_text() != text]
    assert stale == [], "run `make generate`"


def test_a_wrong_page_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nx = 1\n```\n\n```pycon\n>>> x\n2\n```\n\n```console\n$ echo one\ntwo\n$ echo three\nth...\n```\n"
    )
    (tmp_path / "place").mkdir()
    told = failures(page, tmp_path / "place")
    assert len(told) == 2
    assert "Expected:\n    2\nGot:\n    1" in told[0]
    assert "$ echo one" in told[1]
    assert "-two\n+one" in told[1]


def test_commands_are_read_with_their_lines_and_outputs() -> None:
    block = "$ cat <<'END'\n> a\n>\n> b\n> END\na\n\nb\n$ true\n"
    assert list(commands(block)) == [
        ("$ cat <<'END'\n> a\n>\n> b\n> END\n", "cat <<'END'\na\n\nb\nEND\n", "a\n\nb\n"),
        ("$ true\n", "true\n", ""),
    ]
    assert same("a ... of CPU\n", "a 15 ms of CPU\n")
    assert not same("a 15 ms of CPU\n", "a 16 ms of CPU\n")


@pytest.mark.parametrize("module", [dupack, network, discipline, controller])
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


@pytest.fixture(scope="session")
def site(once: Once, ran: Pages) -> Path:
    """Every page as the site has it, but for the papers' results."""
    place, _ = once("site", lambda place: stage(place, {}))
    return place


def test_every_link_of_the_site_leads_somewhere(site: Path) -> None:
    texts = {path.relative_to(site).as_posix(): path.read_text() for path in site.rglob("*.md")}
    assert sum(len(list(links(text))) for text in texts.values()) > 200
    assert dead(site, texts) == []


def test_every_link_of_the_project_leads_somewhere() -> None:
    assert of_the_project() == []


def test_a_link_that_only_the_site_knows_is_found(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("(here)=\n# One\n")
    (tmp_path / "made.md").write_text("# Made with the site\n")
    (tmp_path / "alias").symlink_to("one.md")
    text = "[a](one.md#one) [b](one.md#here) [c](made.md) [d](alias) [e](https://example.org)\n"
    assert dead(tmp_path, {"two.md": text}) == []
    assert dead(tmp_path, {"two.md": text}, {".", "one.md", "two.md"}) == [
        "two.md: one.md#here",
        "two.md: made.md",
        "two.md: alias",
    ]
    listed = shown()
    assert {"docs/index.md", "docs/reference/queue.md", "docs/howto/incast/incast.svg", "docs"} <= listed
    assert "papers" not in listed, "a symbolic link"
    assert "papers/cohen-hamo-2001" not in listed


def test_links_out_of_docs_are_changed_for_the_site(site: Path) -> None:
    page = (site / "architecture.md").read_text()
    assert "`crates/sim/src/world/mod.rs`" in page
    assert "](../crates" not in page
    assert "](howto/discipline.md)" in (site / "contributing.md").read_text()
    assert "](contributing.md)" in (site / "index.md").read_text()
    code = "`[a](../x.md)`\n\n```text\n[b](../y.md)\n```\n\n[`c`](../z.md) [d](w.md)\n"
    assert relinked(code, lambda link, target: f"<{target}>") == code.replace(
        "[`c`](../z.md) [d](w.md)", "<../z.md> <w.md>"
    )


def test_the_way_of_a_segment_names_functions_of_the_files_beside_them() -> None:
    rows = re.findall(r"^\| \d+ \|.*$", (DOCS / "architecture.md").read_text(), re.MULTILINE)
    assert len(rows) > 10
    for row in rows:
        step, _, files, functions = [part.strip() for part in row.split("|")[1:5]]
        code = "".join((DOCS / file).read_text() for file in links(files))
        for function in re.findall(r"`(\w+)`", functions):
            assert re.search(rf"\bfn {function}\b", code), f"step {step}: {function}"


def test_the_drawing_has_every_crate_and_follows_the_imports(tmp_path: Path) -> None:
    made = drawing.drawings(ROOT)
    for crate in (ROOT / "crates").iterdir():
        assert f">crates/{crate.name}</text>" in made["house.svg"]
    for room in (ROOT / "crates/core/src").iterdir():
        if room.name != "lib.rs":
            assert f">{room.stem}</text>" in made["core.svg"]
    for name, text in made.items():
        assert ElementTree.fromstring(text).tag.endswith("svg"), name
    # A copy of a crate with two modules, one of which imports the other.
    source = tmp_path / "crates/lab/src"
    source.mkdir(parents=True)
    (tmp_path / "crates/lab/Cargo.toml").write_text('[package]\ndescription = "d"\n[dependencies]\ndupack-core = {}\n')
    (source / "lib.rs").write_text("use crate::upper;\n")
    (source / "upper.rs").write_text("//! Upper: stands above. More.\nuse crate::{lower::A, lower};\n")
    (source / "lower.rs").write_text(
        "//! Lower.\n// crate::upper in a comment\n#[cfg(test)]\nmod tests {\nuse crate::upper;\n}\n"
    )
    box = drawing.crate(tmp_path, "lab")
    assert {room.name: sorted(room.uses) for room in box.rooms} == {"lower": [], "upper": ["lower"]}
    assert [room.about for room in box.rooms] == ["Lower", "Upper: stands above"]
    assert box.uses == ("core",)
    assert drawing.layers({"a": ["b"], "b": ["c", "d"], "c": [], "d": ["b"]}) == [["a"], ["b", "d"], ["c"]]


def test_a_papers_page_begins_with_what_holds_and_what_does_not(tmp_path: Path) -> None:
    paper = next(iter(all_papers()))
    keys = {figure.id for figure in paper.figures}
    rows = [
        {
            "id": claim.id,
            "where": f"§{i}",
            "figure": claim.figure if claim.figure in keys else None,
            "what": f"claim {i}",
        }
        | {"published": 1, "relation": None, "measured": 2.0, "low": None, "high": None, "note": f"because {i}"}
        | {"agrees": (True, False, None)[i % 3]}
        for i, claim in enumerate(paper.claims)
    ]
    figures = [{"id": figure.id, "ours": "", "table": None} for figure in paper.figures]
    found = {"quick": False, "short": "", "runs": 1, "seeds": "1", "claims": rows, "figures": figures}
    (tmp_path / "results.json").write_text(json.dumps(found))
    page = papers.page(paper, tmp_path)
    head, first, *rest = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    agree, unsaid = (sum(row["agrees"] is verdict for row in rows) for verdict in (True, None))
    assert f"**{agree} of {len(rows)} claims agree**, {unsaid} cannot be said." in head
    assert first.startswith("## What holds, and what does not")
    shown_there = set(re.findall(r"\| claim (\d+) \|", first))
    assert shown_there == {str(i) for i, row in enumerate(rows) if row["agrees"] is False}
    for figure in paper.figures:
        section = next(part for part in rest if f"]({paper.key}/{figure.file}.svg)" in part)
        mine = {str(i) for i, row in enumerate(rows) if row["figure"] == figure.id}
        assert set(re.findall(r"\| claim (\d+) \|", section)) == mine
    assert {link[1:] for link in links(first)} <= anchors(page)


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    text = '# One\n\n[a](one.md#one) [b](one.md#two) [c](three.md) [d](#one) `[e](f)` [g](https:h) <a href="i.html">\n'
    (tmp_path / "one.md").write_text(text)
    assert dead(tmp_path, {"one.md": text}) == ["one.md: one.md#two", "one.md: three.md", "one.md: i.html"]


def test_the_navigation_names_every_page(site: Path) -> None:
    texts = {path.relative_to(site).as_posix(): path.read_text() for path in site.rglob("*.md")}
    named = {"index.md"}
    for name, text in texts.items():
        named |= {(Path(name).parent / entry).as_posix() + ".md" for entry in toctrees(text)}
    assert named == set(texts)


def test_the_reference_has_every_word_and_every_public_name(site: Path) -> None:
    for entry in catalogue()["entries"]:
        assert entry["name"] in anchors((site / f"reference/{entry['family']}.md").read_text())
    known = {name for names in reference.PYTHON.values() for name in names}
    assert known | reference.MODULES | {"__version__"} == set(dupack.__all__)


def test_the_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(site: Path, tmp_path: Path) -> None:
    out = tmp_path / "html"
    command = [sys.executable, "-m", "sphinx", "-c", str(ROOT / "docs/site"), "-W", "--keep-going", "-q", "-j", "2"]
    done = subprocess.run(
        [*command, "-d", str(tmp_path / "cache"), str(site), str(out)], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    loads = re.compile(r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=[\"'](?:https?:)?//", re.IGNORECASE)
    pages = list(out.rglob("*.html"))
    assert len(pages) > 60
    for page in pages:
        assert not loads.search(page.read_text()), page.name
    for sheet in out.rglob("*.css"):
        assert not re.search(r"(url\(|@import )[\"']?(https?:)?//", sheet.read_text()), sheet.name
