"""Reports of checks, and the page made from all reports."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field


@dataclass(frozen=True)
class Row:
    """One comparison."""

    what: str
    ours: str
    """dupack's value as text; with its interval, if it is a mean."""
    theirs: str
    """The value with which it is compared."""
    band: str
    """The tolerance: `identical`, `99 % interval`, `±5 %`."""
    agrees: bool | None
    """`None` if nothing can be said, or nothing is claimed."""
    note: str = ""
    departs: bool = False
    """Whether it departs from its source, for a reason given on a page."""

    @property
    def verdict(self) -> str:
        """The verdict as one word."""
        return "departs" if self.departs else VERDICTS[self.agrees]

    @property
    def wrong(self) -> bool:
        """Whether it should agree and does not."""
        return self.agrees is False and not self.departs


@dataclass(frozen=True)
class Figure:
    """A picture beside the page."""

    name: str
    """Of its file, in `verification/`."""
    caption: str
    svg: str


@dataclass(frozen=True)
class Report:
    """Findings of a check."""

    title: str
    against: str
    """The source of the words or numbers with which dupack is compared."""
    rows: Sequence[Row] = ()
    text: str = ""
    """Markdown above the table: the method, and the number of runs."""
    _: KW_ONLY
    figures: Sequence[Figure] = ()
    """Pictures between text and table."""
    below: str = ""
    """Markdown below the table: open questions, and the reasons."""
    heads: Sequence[str] = ("what", "ours", "theirs", "band", "agrees", "")
    """Of the columns of the table."""
    skipped: str = ""
    """Why it could not be run here; then there are no rows, and the page keeps the rows that it had."""
    order: int = field(default=50)
    """Position on the page: smallest first."""


HEAD = """# Verification

This page compares dupack's results with independent programs, formulas and standards.
Written by `make verify` on {today}; each section is a file in `verify/checks`.

All settings of a check run with the same seeds, 1 to 20 unless stated otherwise. So rows are not independent. One
in a hundred rows with a 99 % interval fails by chance; such failures come in groups of similar rows.

The tables of standards (RFCs and drafts) have a row for each requirement and worked example: the code that implements
it (files below `crates`, in which it is marked `//= KEY PLACE`), and the tests that check it. A row whose test fails,
is ignored or does not exist does not agree, and says so. Neither does a row without code or tests. If we depart from a
requirement, always or only by default, its row says "departs", and the last column links the reason. An optional
requirement (MAY) that is not implemented claims nothing.
"""
WRITTEN = re.compile(r"Written by `make verify` on (\d{4}-\d\d-\d\d)")
OF = re.compile(r" \(of [^)]*\)$")
KEPT = re.compile(r"^\*\*From (.+?), not run since\*\*: .*\n\n", re.MULTILINE)
VERDICTS = {True: "yes", False: "**no**", None: "–"}


def disagreements(reports: Sequence[Report]) -> list[str]:
    """Rows that should agree and do not."""
    return [f"{report.title}: {row.what}" for report in reports for row in report.rows if row.wrong]


@dataclass(frozen=True)
class Earlier:
    """A section of an earlier page."""

    date: str
    """When it was made."""
    line: str
    """Of the table of contents."""
    section: str


def earlier(text: str) -> dict[str, Earlier]:
    """The sections of an earlier page with rows, by title."""
    written = WRITTEN.search(text)
    lines = {OF.sub("", line.split(" | ")[0][2:]): line for line in text.splitlines() if line.startswith("| ")}
    found = {}
    for section in re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]:
        title = section.split("\n")[0][3:]
        kept = KEPT.search(section)
        date = kept[1] if kept else written[1] if written else "an earlier run"
        if title in lines and "\n|---|" in section:
            found[title] = Earlier(date, lines[title], KEPT.sub("", section))
    return found


def page(reports: Sequence[Report], before: str = "", today: str = "", others: str = "") -> str:
    """All reports in one page of Markdown; sections that could not be run here are kept from the page `before`.

    With `others`, all other sections of that page are kept, too, in their order, and that is the reason.
    """
    reports = sorted(reports, key=lambda it: (it.order, it.title))
    found = earlier(before)
    skipped = {report.title for report in reports if report.skipped}
    kept = {title: it for title, it in found.items() if title in skipped}
    if others:
        known = {report.title: report for report in reports}
        kept |= {title: it for title, it in found.items() if title not in known}
        before_them = [known.pop(title, Report(title, "", skipped=others)) for title in found]
        reports = [*before_them, *known.values()]
    today = today or datetime.datetime.now(datetime.UTC).date().isoformat()
    parts = [HEAD.format(today=today), _contents(reports, kept)]
    parts += [_kept(kept[it.title], it.skipped) if it.title in kept else _section(it) for it in reports]
    return "\n".join(parts)


def _kept(it: Earlier, why: str) -> str:
    heading, _, rest = it.section.partition("\n\n")
    return f"{heading}\n\n**From {it.date}, not run since**: {why}.\n\n{rest.rstrip()}\n"


def _contents(reports: Sequence[Report], kept: Mapping[str, Earlier]) -> str:
    lines = ["| check | against | agree | depart | do not agree |", "|---|---|---|---|---|"]
    for report in reports:
        if it := kept.get(report.title):
            _, _, rest = it.line.partition(" | ")
            lines.append(f"| {report.title} (of {it.date}) | {rest}")
            continue
        verdicts = [row.agrees for row in report.rows if not row.departs]
        agree = "not run" if report.skipped else str(verdicts.count(True))
        departs = sum(row.departs for row in report.rows)
        lines.append(f"| {report.title} | {report.against} | {agree} | {departs} | {verdicts.count(False)} |")
    return "\n".join(lines) + "\n"


def _section(report: Report) -> str:
    parts = [f"## {report.title}", f"Against: {report.against}"]
    if report.skipped:
        parts.append(f"Not run here: {report.skipped}.")
    if report.text:
        parts.append(report.text.strip())
    parts += [f"![{it.caption}](verification/{it.name})" for it in report.figures]
    if report.rows:
        cells = [[row.what, row.ours, row.theirs, row.band, row.verdict, row.note] for row in report.rows]
        # Columns with nothing in them are left out.
        filled = [at for at in range(len(report.heads)) if any(row[at] for row in cells)]
        rows = [[report.heads[at] for at in filled], *([row[at] for at in filled] for row in cells)]
        lines = ["| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |" for row in rows]
        parts.append("\n".join([lines[0], "|---" * len(filled) + "|", *lines[1:]]))
    if report.below:
        parts.append(report.below.strip())
    return "\n\n".join(parts) + "\n"
