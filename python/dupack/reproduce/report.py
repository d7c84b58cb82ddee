"""The report: one self-contained page."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from dupack import __version__
from dupack.files import write_whole
from dupack.readings.answer import PLURALS, RULE, STATUSES, around
from dupack.readings.axes import Reading, Space, Value
from dupack.readings.record import Record
from dupack.reproduce.judging import AGREES, measured, published
from dupack.reproduce.paper import Claim, Figure, Mark, Paper, Series, Table
from dupack.work import read_plan

Drawn = Sequence[tuple[Figure, list[Series]]]
Row = dict[str, Any]


@dataclass(frozen=True)
class How:
    """How it was run."""

    quick: bool
    seeds: str
    runs: int
    seconds: float
    whole: bool
    full: bool
    """Whether these are full runs of the best reading; without a search, of the plans."""
    short: str
    """The conclusions, if the whole paper was run."""
    reading: tuple[Space, Reading] | None = None
    """The reading; None if the plans are run as they are."""
    space: Space | None = None
    """What the paper leaves open."""
    record: Record | None = None
    """The search for the best reading, if that is the one."""
    changed: Sequence[str] = ()
    """Where these runs differ from the search, in words."""
    unusable: str = ""
    """Why the record of a search is not used, if there is one."""

    @property
    def values(self) -> list[Value]:
        """The values of the reading, by axis; none if the plans are run as they are."""
        if self.reading is None:
            return []
        space, reading = self.reading
        return [axis.value[at] for axis, at in zip(space.axes, reading, strict=True)]

    def edits(self, name: str, plan: Path) -> list[str]:
        """What the reading edits in a plan, a line each."""
        if self.reading is None:
            return []
        space, reading = self.reading
        return space.edits(reading, name).told(read_plan(plan))


def write(
    paper: Paper,
    drawn: Drawn,
    below: Mapping[str, Sequence[Table]],
    claims: Sequence[Claim],
    rows: Sequence[Row],
    how: How,
    place: Path,
) -> Path:
    """Draws every figure into ``figures/``, and writes the page."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from dupack.reproduce.draw import draw, in_a_square
    from dupack.reproduce.interactive import interactive, library

    sections: list[dict[str, Any]] = []
    for figure, series in drawn:
        marks = _marks(figure, series, claims)
        pictures = draw(figure, series, marks)
        for kind, content in pictures.items():
            write_whole(place / "figures" / f"{figure.file}.{kind}", content)
        files_of = {plan: paper.plan_file(plan) for plan in figure.plans}
        plans = [(plan, file.read_text(encoding="utf-8"), how.edits(plan, file)) for plan, file in files_of.items()]
        sections.append(
            {
                "figure": figure,
                "anchor": figure.file,
                "tall": figure.stacked or in_a_square(figure, series),
                "beside": not figure.stacked and len({one.panel for one in series}) > 1,
                "picture": "data:image/svg+xml;base64," + base64.b64encode(pictures["svg"]).decode(),
                "interactive": _inline(interactive(figure, series, marks)),
                "plans": plans,
                "tables": below.get(figure.id, ()),
                "rows": [row for row in rows if row["figure"] == figure.id],
            }
        )
    tried = {axis["name"]: axis for axis in how.record.found["axes"]} if how.record else {}

    def agree_with(axis: str, value: str) -> str:
        """How many claims agree with a value in place of another, if the search has tried it."""
        values = tried[axis]["values"] if axis in tried else []
        found = next((one["agree"] for one in values if one["name"] == value), None)
        return "" if found is None else str(found)

    loader = PackageLoader("dupack.reproduce", "")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    page = environment.get_template("report.html.j2").render(
        paper=paper,
        how=how,
        version=__version__,
        sections=sections,
        rows=rows,
        anchors={section["figure"].id: section["anchor"] for section in sections},
        loose=[row for row in rows if row["figure"] is None],
        agree=sum(row["agrees"] is True for row in rows),
        differ=sum(row["agrees"] is False for row in rows),
        published=published,
        measured=measured,
        verdicts=AGREES,
        style=files("dupack.reproduce").joinpath("report.css").read_text(encoding="utf-8"),
        plotly=library() if sections else "",
        axes=how.space.axes if how.space else [],
        tried=tried,
        around=around,
        what={claim.id: claim.what for claim in paper.claims},
        reach=sum(map(_by_interval, rows)),
        agree_with=agree_with,
        statuses=STATUSES,
        plurals=PLURALS,
        rule=RULE,
        curve=_curve(how.record, place),
    )
    path = place / "report.html"
    write_whole(path, page)
    return path


def _by_interval(row: Row) -> bool:
    """Whether a number agrees, although it is not within the tolerance: its interval contains a bound of it."""
    value, published, tolerance = row["measured"], row["published"], row["tolerance"]
    if row["agrees"] is not True or tolerance is None or not isinstance(published, int | float):
        return False
    return isinstance(value, int | float) and abs(value - published) > tolerance * (1 + 1e-9)


def _curve(record: Record | None, place: Path) -> str:
    """The specification curve of the search, as the address of a picture."""
    if record is None:
        return ""
    from dupack.readings.draw import draw

    pictures = draw(record.found)
    for kind, content in pictures.items():
        write_whole(place / "figures" / f"readings.{kind}", content)
    return "data:image/svg+xml;base64," + base64.b64encode(pictures["svg"]).decode()


def _marks(figure: Figure, series: Sequence[Series], claims: Sequence[Claim]) -> list[Mark]:
    return [claim.mark.within(series) for claim in claims if claim.figure == figure.id and claim.mark is not None]


def _inline(document: Any) -> str:
    """JSON that is safe inside a script element."""
    return json.dumps(document, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
