"""Markdown, written and read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)|<a href=\"([^\"]+)\"")
FENCE = re.compile(r"^(`{3,}|:{3,})(.*?)\n(.*?)^\1\s*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`]*`")


def cell(text: str) -> str:
    """A text in a table: one line, its strokes no borders, its angles no tags, and code as it is."""
    parts = re.split(r"(`[^`]*`)", " ".join(str(text).split()))
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([<>*_\[\]\\~$])", r"\\\1", parts[i])
    return "".join(parts).replace("|", "\\|")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: int = 0) -> str:
    """A table of finished cells (see `cell`); the last ``numbers`` columns are set to the right."""
    lines = ["| " + " | ".join(heads) + " |"]
    left = len(heads) - numbers
    lines.append("|" + "---|" * left + "---:|" * numbers)
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def fence(text: str, language: str = "text") -> str:
    """A block of code, whatever is in it."""
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}\n"


def anchors(text: str, *, explicit: bool = True) -> set[str]:
    """The names that links to a page's headings use, as GitHub makes them, and ``explicit`` targets, which only the
    site knows.
    """
    found: dict[str, int] = {}
    bare = FENCE.sub("", text)
    for heading in re.findall(r"^#{1,6} (.*?)\s*$", bare, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("\\", "").lower()
        slug = re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")
        found[slug] = found.get(slug, 0) + 1
    counted = {f"{slug}-{n}" for slug, times in found.items() for n in range(1, times)}
    return {*found, *counted, *(re.findall(r"^\(([\w-]+)\)=$", bare, re.MULTILINE) if explicit else ())}


def links(text: str) -> Iterator[str]:
    """What a page links to, outside of code."""
    for found in LINK.finditer(CODE.sub("", FENCE.sub("", text))):
        yield found[1] or found[2]


def relinked(text: str, change: Callable[[str, str], str]) -> str:
    """The page with other links: ``change`` takes a whole link and its target, and gives what takes its place."""
    # Code is masked, not removed, so that places in the masked text are places in the page.
    masked = FENCE.sub(lambda found: re.sub(r"[^\n]", "x", found[0]), text)
    masked = CODE.sub(lambda found: re.sub(r"[^\n]", "x", found[0]), masked)
    parts, end = [], 0
    for found in LINK.finditer(masked):
        target = found[1] or found[2]
        parts += [text[end : found.start()], change(text[found.start() : found.end()], target)]
        end = found.end()
    return "".join([*parts, text[end:]])


def toctrees(text: str) -> Iterator[str]:
    """The pages that a page's navigation names."""
    for _, head, body in FENCE.findall(text):
        if head.strip() == "{toctree}":
            for line in body.splitlines():
                entry = line.strip()
                if entry and not entry.startswith(":"):
                    titled = re.fullmatch(r".*<(.+)>", entry)
                    yield titled[1] if titled else entry
