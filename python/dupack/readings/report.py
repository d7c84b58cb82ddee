"""The report of a search: one self-contained page."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from dupack import __version__
from dupack.files import write_whole
from dupack.readings.answer import PLURALS, STATUSES, around, counts, sentences, status
from dupack.reproduce.judging import published
from dupack.reproduce.paper import Claim, Paper


def write(paper: Paper, claims: Sequence[Claim], found: Mapping[str, Any], place: Path, name: str = "readings") -> Path:
    """Draws the specification curve into ``figures/``, and writes the page, both by ``name``."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from dupack.readings.draw import draw

    pictures = draw(found)
    for kind, content in pictures.items():
        write_whole(place / "figures" / f"{name}.{kind}", content)
    best = found["readings"][found["best"]]["values"]
    rows = [
        {
            "where": claim.where,
            "what": claim.what,
            "published": published({"published": claim.published, "relation": _relation(claim)}),
            "best": found["findings"]["best"][claim.id],
            "planned": found["findings"]["planned"][claim.id],
            "verdicts": [_verdict(found, which, index) for which in ("best", "planned")],
            "status": status(one, len(found["readings"])),
            "agree": one["agree"],
        }
        for index, (claim, one) in enumerate(zip(claims, found["claims"], strict=True))
    ]
    loader = PackageLoader("dupack.readings", "")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    what = {claim.id: claim.what for claim in claims}
    page = environment.get_template("report.html.j2").render(
        paper=paper,
        found=found,
        sentences=sentences(found),
        counts=counts(found),
        statuses=STATUSES,
        plurals=PLURALS,
        best=best,
        rows=rows,
        what=what,
        around=around(found),
        picture="data:image/svg+xml;base64," + base64.b64encode(pictures["svg"]).decode(),
        version=__version__,
        style=files("dupack.reproduce").joinpath("report.css").read_text(encoding="utf-8"),
    )
    path = place / f"{name}.html"
    write_whole(path, page)
    return path


def _relation(claim: Claim) -> str | None:
    return None if claim.relation == "about" else claim.relation


def _verdict(found: Mapping[str, Any], which: str, index: int) -> str:
    return {"y": "yes", "n": "no", "-": "-"}[found["readings"][found[which]]["verdicts"][index]]
