"""The overview of the papers that were reproduced into a directory: ``index.html``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from dupack import __version__
from dupack.files import from_json, write_whole
from dupack.readings.answer import counts, in_words
from dupack.readings.record import StaleRecordError
from dupack.readings.record import load as load_record
from dupack.reproduce.paper import Figure, Paper

FILE = "index.html"
MARK = '<meta name="generator" content="dupack reproduce">'
"""Marks a page as dupack's own."""


def statuses(paper: Paper) -> dict[str, int]:
    """How many claims hold under every reading of a paper, and so on; empty without a record of a search that fits."""
    try:
        record = load_record(paper)
    except StaleRecordError:
        return {}
    return counts(record.found) if record else {}


def outcome(found: Mapping[str, Any]) -> dict[str, int]:
    """How many claims agree in a report, and so on."""
    verdicts = [row["agrees"] for row in found["claims"]]
    return {"agree": verdicts.count(True), "differ": verdicts.count(False), "unsaid": verdicts.count(None)}


def main_figure(paper: Paper) -> Figure | None:
    """The figure with the most claims."""
    claims = [claim.figure for claim in paper.claims]
    return max(paper.figures, key=lambda figure: claims.count(figure.id), default=None)


def write(papers: Sequence[Paper], place: Path) -> Path | None:
    """Writes the overview of those of these papers that have a report in a directory.

    Returns None, and writes nothing, if the directory has such a file that dupack has not written.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    path = place / FILE
    if path.exists() and MARK not in path.read_text(encoding="utf-8", errors="replace")[:2000]:
        return None
    made = []
    for paper in papers:
        found = _results(place / paper.key)
        figure = main_figure(paper)
        if found is None or figure is None:
            continue
        made.append(
            {
                "paper": paper,
                "found": found,
                "outcome": outcome(found),
                "statuses": statuses(paper),
                "figure": figure,
                "picture": f"{paper.key}/figures/{figure.file}.svg",
                "readings": (place / paper.key / "readings.html").exists(),
            }
        )
    environment = Environment(
        loader=PackageLoader("dupack.reproduce", ""), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    page = environment.get_template("overview.html.j2").render(
        papers=made,
        mark=MARK,
        in_words=in_words,
        version=__version__,
        style=files("dupack.reproduce").joinpath("report.css").read_text(encoding="utf-8"),
    )
    write_whole(path, page)
    return path


def _results(place: Path) -> dict[str, Any] | None:
    """The results of a paper, if its report is whole."""
    try:
        found = from_json((place / "results.json").read_text(encoding="utf-8"))
        whole = bool(found["claims"]) and found["whole"] and (place / "report.html").exists()
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if whole else None
