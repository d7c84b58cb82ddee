"""The papers that dupack knows."""

from __future__ import annotations

from functools import cache

from dupack.reproduce.folder import load
from dupack.reproduce.paper import PAPERS, Paper


@cache
def all_papers() -> tuple[Paper, ...]:
    """All papers, in the order of the README."""
    folders = sorted(file.parent for file in PAPERS.glob("*/paper.toml"))
    return tuple(sorted(map(load, folders), key=lambda paper: paper.position))
