"""The site's pages, gathered: those of `docs/`, and those that are made."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from docs.site import papers, reference
from docs.site.markdown import cell, fence, links, table
from dupack.reproduce.papers import all_papers

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def written() -> list[Path]:
    """The pages that somebody wrote."""
    return sorted(path for path in DOCS.rglob("*.md") if "site" not in path.relative_to(DOCS).parts[:1])


def stage(place: Path, reports: Mapping[str, Path], ran: Callable[[str], Path]) -> None:
    """Puts every page into a directory, as Sphinx wants them.

    ``reports`` has the places of the papers' reports, if there are any. ``ran`` runs the examples of a page, and tells
    where: a picture ``PAGE/x.svg`` of a page is one that its examples drew there.
    """
    texts = {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in written()}
    texts["departures/index.md"] = _departures(texts)
    texts |= reference.pages(DOCS / "sources.toml")
    texts |= {f"papers/{paper.key}.md": papers.page(paper, reports.get(paper.key)) for paper in all_papers()}
    texts["papers/index.md"] = _papers()
    texts |= {f"extra/{name}": text for name, text in reference.downloads().items()}
    for name, text in texts.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    for page in written():
        for picture in links(page.read_text(encoding="utf-8")):
            if picture.startswith(f"{page.stem}/") and picture.endswith(".svg"):
                target = place / page.relative_to(DOCS).parent / picture
                target.parent.mkdir(exist_ok=True)
                kept = page.parent / picture
                drawn = kept if kept.exists() else ran(page.relative_to(DOCS).as_posix()) / target.name
                shutil.copy(drawn, target)
    for paper in all_papers():
        report = reports.get(paper.key)
        if report is not None:
            (place / "extra" / "reports").mkdir(parents=True, exist_ok=True)
            shutil.copy(report / "report.html", place / "extra" / "reports" / f"{paper.key}.html")
            (place / "papers" / paper.key).mkdir(exist_ok=True)
            for figure in paper.figures:
                name = f"{figure.file}.svg"
                shutil.copy(report / "figures" / name, place / "papers" / paper.key / name)


def _departures(texts: Mapping[str, str]) -> str:
    """The list of departures, by source."""
    rows, names = [], []
    for place, text in sorted(texts.items()):
        folder, _, name = place.rpartition("/")
        if folder != "departures":
            continue
        title = re.search(r"^# (.*)$", text, re.MULTILINE)
        cites = re.search(r"^Cites: (.*?)\n\n", text, re.MULTILINE | re.DOTALL)
        assert title, f"{place} has no title"
        assert cites, f"{place} cites nothing"
        rows.append((cell(" ".join(cites[1].split())), f"[{cell(title[1])}]({name})"))
        names.append(name.removesuffix(".md"))
    return "\n".join(
        [
            "# Departures\n",
            "Where the code departs from its sources, and why. Each is marked in the code where it happens, and "
            "the tests see to it that every mark has its page and every page its mark.\n",
            table(("source", "departure"), sorted(rows)),
            fence(":hidden:\n\n" + "\n".join(names), "{toctree}"),
        ]
    )


def _papers() -> str:
    """The list of papers."""
    names = [paper.key for paper in all_papers()]
    rows = [(f"[{cell(paper.cite)}]({paper.key}.md)", cell(paper.about)) for paper in all_papers()]
    return "\n".join(
        [
            "# Papers\n",
            "Each is reproduced by one command, `dupack reproduce KEY`: its figures, and what its text states beside "
            "what was measured. What is not reached is shown beside ours with the reason.\n",
            table(("paper", "about"), rows),
            fence(":hidden:\n\n" + "\n".join(names), "{toctree}"),
        ]
    )
