"""Dead links of the pages: ``python -m docs.links``, a part of ``make lint``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from docs.site.markdown import anchors, links
from docs.site.pages import ROOT, written

MADE = re.compile(r"(reference|papers|departures/index|tutorial/.*\.svg)\b")
"""Generated pages, and pictures that examples draw: they are not in the repository."""


def dead(folder: Path, texts: Mapping[str, str]) -> list[str]:
    """The dead links of pages in a folder."""
    told = []
    for name, text in texts.items():
        for link in links(text):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (folder / name).parent / path if path else folder / name
            inside = target.suffix == ".md" and target.exists()
            if not target.exists() or (anchor and inside and anchor not in anchors(target.read_text())):
                told.append(f"{name}: {link}")
    return told


def of_the_project() -> list[str]:
    """The dead links of the pages as they are read in the repository."""
    pages = [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
        *(ROOT / "python/dupack/papers").glob("*/README.md"),
        *written(),
    ]
    told = dead(ROOT, {page.relative_to(ROOT).as_posix(): page.read_text() for page in pages})
    return [one for one in told if not MADE.search(one.split(": ")[1])]


def main() -> None:
    """Prints the dead links, and fails if there are some."""
    told = of_the_project()
    if told:
        raise SystemExit("\n".join(["dead links:", *told]))


if __name__ == "__main__":
    main()
