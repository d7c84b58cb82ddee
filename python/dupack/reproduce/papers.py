"""The papers that dupack knows, and its own studies, which have the same form."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from dupack.reproduce.folder import load
from dupack.reproduce.paper import PAPERS, STUDIES, Paper

LIVE = Path(__file__).with_name("live")
"""The report on kernel traffic, which is asked for by its name: its runs take as long as they say, and its numbers
depend on the machine."""


@cache
def all_papers() -> tuple[Paper, ...]:
    """All papers, in the order of the README."""
    folders = sorted(file.parent for file in PAPERS.glob("*/paper.toml"))
    return tuple(sorted(map(load, folders), key=lambda paper: paper.position))


@cache
def all_studies() -> tuple[Paper, ...]:
    """The studies, which run only when they are named: what they say is not published."""
    return tuple(load(file.parent) for file in sorted(STUDIES.glob("*/paper.toml")))
