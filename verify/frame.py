"""What a check reports, and the page that is made of all reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field


@dataclass(frozen=True)
class Row:
    """A thing that was checked."""

    what: str
    ours: str
    """What dupack has, as it is to be read: with its interval, if it is a mean."""
    theirs: str
    """What it is held against."""
    band: str
    """How far off it may be: `identical`, `99 % interval`, `±5 %`."""
    agrees: bool | None
    """`None` where nothing can be said, or nothing is claimed."""
    note: str = ""
    departs: bool = False
    """It is not as they say, and there is a page that says why."""

    @property
    def verdict(self) -> str:
        """In a word."""
        return "departs" if self.departs else VERDICTS[self.agrees]

    @property
    def wrong(self) -> bool:
        """It should agree and does not."""
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
    """What a check found."""

    title: str
    against: str
    """Whose words or numbers dupack is held against, with their source."""
    rows: Sequence[Row] = ()
    text: str = ""
    """Markdown above the table: what was done, how, how many times."""
    _: KW_ONLY
    figures: Sequence[Figure] = ()
    """Pictures between text and table."""
    below: str = ""
    """Markdown below it: what is left open, and why."""
    skipped: str = ""
    """Why it could not be made here; then there are no rows."""
    order: int = field(default=50)
    """Where on the page: least first."""


HEAD = """# Verification

What dupack's answers were checked against, and how far off they are. Written by `make verify`; each section is a file
in `verify/checks`.
"""
VERDICTS = {True: "yes", False: "**no**", None: "–"}


def disagreements(reports: Sequence[Report]) -> list[str]:
    """What is not as it should be."""
    return [f"{report.title}: {row.what}" for report in reports for row in report.rows if row.wrong]


def page(reports: Sequence[Report]) -> str:
    """All reports in one page of Markdown."""
    reports = sorted(reports, key=lambda it: (it.order, it.title))
    parts = [HEAD, _contents(reports)]
    parts += [_section(report) for report in reports]
    return "\n".join(parts)


def _contents(reports: Sequence[Report]) -> str:
    lines = ["| check | against | agree | depart | not |", "|---|---|---|---|---|"]
    for report in reports:
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
        rows = ["| what | ours | theirs | band | agrees | |", "|---|---|---|---|---|---|"]
        for row in report.rows:
            cells = [row.what, row.ours, row.theirs, row.band, row.verdict, row.note]
            rows.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
        parts.append("\n".join(rows))
    if report.below:
        parts.append(report.below.strip())
    return "\n\n".join(parts) + "\n"
