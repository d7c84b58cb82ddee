"""Where each demand and worked example of an RFC is met, where it is tested, or which departure is filed."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

from verify.frame import Report, Row

ROOT = Path(__file__).parents[2]
KEYS = ("rfc5681", "rfc2018", "rfc2883", "rfc6298", "rfc6582", "rfc6675")
"""Each has its demands in `verify/KEY.toml`."""
MARK = re.compile(r"^\s*//= (?P<key>rfc\d+) (?P<at>.+?)(?: type=(?P<kind>\w+))?$")
FUNCTION = re.compile(r"^\s*(?:pub(?:\(\w+\))? )?fn (\w+)")
TEXT = """
"ours" is where the code meets it (marked `//= {key} PLACE`), "theirs" the tests that hold it to that, the last column
the page where we depart from it, by default or altogether: such a row departs, though options may meet it. A demand
or example with neither code and test nor departure does not agree; one that is optional (MAY) and not built claims
nothing. That the tests named here pass is `make test`'s to say.
"""

Marks = dict[tuple[str, str, str], list[str]]


def marks() -> Marks:
    """By key, place and kind (`""`, `test`, `departure`): files with lines, or tests by their names."""
    found: Marks = defaultdict(list)
    for path in sorted((ROOT / "crates").rglob("*.rs")):
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines, 1):
            if not (mark := MARK.match(line)):
                continue
            where = f"{path.name}:{number}"
            if mark["kind"] == "test":
                names = (FUNCTION.match(later) for later in lines[number:])
                name = next((it[1] for it in names if it), "")
                where = f"{path.stem}::{name}"
            found[mark["key"], mark["at"], mark["kind"] or ""].append(where)
    return found


def departures() -> dict[tuple[str, str], str]:
    """The page that cites each key and place."""
    pages = {}
    for path in sorted((ROOT / "docs/departures").glob("*.md")):
        cites = next((line[7:] for line in path.read_text().splitlines() if line.startswith("Cites: ")), "")
        for it in cites.split(";"):
            key, _, at = it.strip().partition(" ")
            pages[key, at] = path.name
    return pages


def row(key: str, demand: dict[str, Any], found: Marks, pages: dict[tuple[str, str], str]) -> Row:
    """A demand, or an example."""
    at = demand["at"]
    code = [where for place in [at, *demand.get("by", [])] for where in found.get((key, place, ""), [])]
    tests = found.get((key, at, "test"), [])
    page = f"[departure](departures/{pages[key, at]})" if (key, at) in pages else ""
    agrees: bool | None = bool(code and tests)
    departs = bool(page)
    if demand["level"] == "MAY" and not code:
        agrees, page = None, "optional, not built"
    what = f"{at}: {demand['level']} {demand['says']}"
    return Row(what, ", ".join(dict.fromkeys(code)) or "not met", ", ".join(tests), "", agrees, page, departs)


def check(quick: bool) -> list[Report]:
    """One page section an RFC, one row a demand; `quick` makes no difference."""
    found, pages = marks(), departures()
    reports = []
    for key in KEYS:
        said = tomllib.loads((ROOT / f"verify/{key}.toml").read_text())
        rows = [row(key, demand, found, pages) for demand in said["demand"]]
        reports.append(Report(said["title"], said["against"], rows, TEXT.format(key=key), order=20))
    return reports
