"""The site's pages, gathered: those of `docs/`, and those that are made."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from docs.site import papers, played, reference
from docs.site.markdown import cell, fence, links, relinked, table
from dupack.readings.answer import in_words
from dupack.readings.record import load as load_record
from dupack.reproduce import overview
from dupack.reproduce.overview import statuses
from dupack.reproduce.papers import all_papers, all_studies

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


NAVIGATION = {
    "Use it": (
        *(
            "install",
            "tutorial",
            "howto/playground",
            "howto/sweep",
            "howto/plot",
            "howto/arrivals",
            "howto/incast",
            "howto/home",
            "howto/l4s",
            "howto/senders",
            "howto/applications",
        ),
        *(
            "howto/lines",
            "howto/topology",
            "howto/capture",
            "howto/live",
            "howto/notebook",
            "python",
            "reference/index",
        ),
    ),
    "Understand it": ("terms", "howto/figure", "papers/index", "architecture", "why", "beside", "benchmarks"),
    "Extend it": ("howto/discipline", "howto/controller", "howto/paper", "contributing"),
    "Trust it": ("verification", "departures/index", "security", "reporting", "licences", "changelog"),
}
"""The paths through the site. A forge shows no navigation, so the pages themselves hold none."""
OUTSIDE = {"CONTRIBUTING.md": "contributing.md", "SECURITY.md": "reporting.md", "CHANGELOG.md": "changelog.md"}
"""Pages of the project outside ``docs``, and what the site calls them."""


def written() -> list[Path]:
    """The pages that are kept: those that somebody wrote, and those that `docs.generate` writes."""
    return sorted(path for path in DOCS.rglob("*.md") if "site" not in path.relative_to(DOCS).parts[:1])


def kept() -> dict[str, str]:
    """The generated pages as a forge shows them, by their place under ``docs``; `docs.generate` writes them."""
    texts = {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in written()}
    made = reference.pages(DOCS / "sources.toml", forge=True)
    return {**made, "departures/index.md": _departures(texts)[0], "papers/index.md": _papers(forge=True)}


def pictures(page: Path) -> list[str]:
    """The pictures of a page that its examples draw: links to ``PAGE/x.svg``, where ``x.svg`` is what they save."""
    found = links(page.read_text(encoding="utf-8"))
    return [one for one in found if one.startswith(f"{page.stem}/") and one.endswith(".svg")]


def stage(place: Path, reports: Mapping[str, Path]) -> None:
    """Puts every page into a directory, as Sphinx wants them.

    ``reports`` has the places of the papers' reports, if there are any.
    """
    texts = {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in written()}
    texts["index.md"] += "".join(
        f"\n{fence(f':hidden:{chr(10)}:caption: {caption}{chr(10) * 2}' + chr(10).join(names), '{toctree}')}"
        for caption, names in NAVIGATION.items()
    )
    listed, names = _departures(texts)
    texts["departures/index.md"] = listed + "\n" + fence(":hidden:\n\n" + "\n".join(names), "{toctree}")
    texts |= reference.pages(DOCS / "sources.toml")
    texts |= {f"papers/{paper.key}.md": papers.page(paper, reports.get(paper.key)) for paper in all_papers()}
    texts["papers/index.md"] = _papers(reports)
    texts |= {f"../{name}": (ROOT / name).read_text(encoding="utf-8") for name in OUTSIDE}
    if played.is_built():
        for paper in all_papers():
            name = f"papers/{paper.key}.md"
            texts[name] = played.in_paper(paper, texts[name])
        for name in [name for name in texts if name.startswith("reference/")]:
            texts[name] = played.in_reference(Path(name).stem, texts[name])
    for name, text in texts.items():
        page = OUTSIDE.get(name.removeprefix("../"), name)
        (place / page).parent.mkdir(parents=True, exist_ok=True)
        (place / page).write_text(_on_the_site(name, text), encoding="utf-8")
    for name, text in reference.downloads().items():
        (place / "extra").mkdir(exist_ok=True)
        (place / "extra" / name).write_text(text, encoding="utf-8")
    for picture in sorted([*DOCS.rglob("*.svg"), *DOCS.rglob("*.png")]):
        target = place / picture.relative_to(DOCS)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, target)
    for paper in all_papers():
        report = reports.get(paper.key)
        if report is not None:
            (place / "extra" / "reports").mkdir(parents=True, exist_ok=True)
            shutil.copy(report / "report.html", place / "extra" / "reports" / f"{paper.key}.html")
            (place / "papers" / paper.key).mkdir(exist_ok=True)
            for figure in paper.figures:
                name = f"{figure.file}.svg"
                shutil.copy(report / "figures" / name, place / "papers" / paper.key / name)


def _on_the_site(name: str, text: str) -> str:
    """A page, named from ``docs``, with the links that the site needs: files outside of ``docs`` have no page there,
    and are named as code.
    """

    def change(link: str, target: str) -> str:
        path, hash_, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or not path or link.startswith("<"):
            return link
        place = os.path.normpath((Path("docs") / name).parent / path)
        page = f"docs/{OUTSIDE[place]}" if place in OUTSIDE else place
        if not page.startswith("docs/"):
            return f"`{place}`"
        home = (Path("docs") / OUTSIDE.get(name.removeprefix("../"), name)).parent
        return link.replace(f"]({target})", f"]({os.path.relpath(page, home)}{hash_}{anchor})")

    return relinked(text, change)


def _departures(texts: Mapping[str, str]) -> tuple[str, list[str]]:
    """The list of departures, by source, and the names of their pages."""
    rows, names = [], []
    for place, text in sorted(texts.items()):
        folder, _, name = place.rpartition("/")
        if folder != "departures" or name == "index.md":
            continue
        title = re.search(r"^# (.*)$", text, re.MULTILINE)
        cites = re.search(r"^Cites: (.*?)\n\n", text, re.MULTILINE | re.DOTALL)
        assert title, f"{place} has no title"
        assert cites, f"{place} cites nothing"
        rows.append((cell(" ".join(cites[1].split())), f"[{cell(title[1])}]({name})"))
        names.append(name.removesuffix(".md"))
    page = [
        "# Departures\n",
        "Where the code departs from its sources, and why. Each departure is marked in the code; a test checks that "
        "every mark has its page and every page its mark.\n",
        table(("source", "departure"), sorted(rows)),
    ]
    return "\n".join(page), names


def _papers(reports: Mapping[str, Path] = MappingProxyType({}), *, forge: bool = False) -> str:
    """The papers: what each is about, and what holds.

    The site has a page with the results of each, and a figure of those with a report; a forge shows what the repository
    has.
    """
    where = "../../python/dupack/papers/{}/README.md" if forge else "{}.md"
    parts = [
        "# Papers\n",
        "One command reproduces a paper, `dupack reproduce KEY`: its figures, and each number of its text beside the "
        "measured one. Where we do not reach a number, the report says so, and why, as far as it is known. What a "
        "paper leaves open is [searched](../howto/paper.md#what-the-paper-leaves-open); the reports show the best "
        "reading.\n",
    ]
    for paper in all_papers():
        parts += [f"## [{cell(paper.cite)}]({where.format(paper.key)})\n", f"{cell(paper.about)}\n"]
        found = statuses(paper)
        record = load_record(paper) if found else None
        if record is not None:
            parts.append(f"{record.best_in_words()} {in_words(found)}\n")
        figure = overview.main_figure(paper)
        if paper.key in reports and figure is not None:
            parts.append(f"![{cell(figure.name)}]({paper.key}/{figure.file}.svg)\n")
    parts.append(
        "## Studies\n\nStudies have reports of the same form, but what they measure is in no paper. They run only when "
        "they are named.\n"
    )
    for study in all_studies():
        parts += [f"### {cell(study.cite)}\n", f"`dupack reproduce {study.key}`. {cell(study.about)}\n"]
    if not forge:
        names = [paper.key for paper in all_papers()]
        parts.append(fence(":hidden:\n\n" + "\n".join(names), "{toctree}"))
    return "\n".join(parts)
