"""The papers that dupack knows, and its own studies, which have the same form."""

from __future__ import annotations

from functools import cache

from dupack.reproduce.folder import load
from dupack.reproduce.paper import PAPERS, STUDIES, Paper


@cache
def all_papers() -> tuple[Paper, ...]:
    """All papers, in the order of the README."""
    folders = sorted(file.parent for file in PAPERS.glob("*/paper.toml"))
    return tuple(sorted(map(load, folders), key=lambda paper: paper.position))


@cache
def all_studies() -> tuple[Paper, ...]:
    """The studies, which run only when they are named: what they say is not published, and the runs on kernel traffic
    take as long as they say."""
    return tuple(load(file.parent) for file in sorted(STUDIES.glob("*/paper.toml")))
