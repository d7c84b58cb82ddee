"""Dead links of the pages: ``python -m docs.links``, a part of ``make lint``."""

from __future__ import annotations

import os.path
import re
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path

from docs.site.markdown import anchors, links
from docs.site.pages import ROOT, written

CODE = re.compile(r"`((?:crates|docs|python|tests|verify|fuzz|papers)/[\w./-]*\.(?:rs|py|pyi|toml|md|cc|h|svg|png))`")
"""Files of the project that a page names in code."""
TO_WRITE = {"crates/core/src/queue/drop_front.rs"}
"""Files that a page tells its reader to write."""


def dead(folder: Path, texts: Mapping[str, str], forge: Collection[str] | None = None) -> list[str]:
    """The links of pages in a folder that lead nowhere.

    With ``forge``, the files and folders that a forge shows, a link has to lead to one of them: a forge does not follow
    a symbolic link, has no page that is made when the site is built, and knows no anchors but those of headings.
    """
    told = []
    for name, text in texts.items():
        for link in links(text):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (folder / name).parent / path if path else folder / name
            place = os.path.normpath(os.path.relpath(target, folder))
            there = target.exists() if forge is None else place in forge
            inside = there and anchor and target.suffix == ".md"
            if not there or (inside and anchor not in anchors(target.read_text(), explicit=forge is None)):
                told.append(f"{name}: {link}")
    return told


def shown() -> set[str]:
    """The files and folders of the project that a forge shows when it is asked for their pages."""
    # Files that are not committed yet are included, because they will be.
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()]
    return {str(place) for file in files if not (ROOT / file).is_symlink() for place in (file, *file.parents)}


def of_the_project() -> list[str]:
    """Those of the pages as a forge shows them, and the files that pages name and that do not exist."""
    pages = [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
        *(ROOT / "python/dupack/papers").glob("*/README.md"),
        *written(),
    ]
    texts = {page.relative_to(ROOT).as_posix(): page.read_text() for page in pages}
    told = dead(ROOT, texts, shown())
    for name, text in texts.items():
        told += [
            f"{name}: {file}" for file in CODE.findall(text) if file not in TO_WRITE and not (ROOT / file).exists()
        ]
    return told


def main() -> None:
    """Prints the dead links, and fails if there are some."""
    told = of_the_project()
    if told:
        raise SystemExit("\n".join(["dead links:", *told]))


if __name__ == "__main__":
    main()
