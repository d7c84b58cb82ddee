"""Where each demand of RFC 5681 is met, where it is tested, or which departure is filed."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from pathlib import Path

from verify.frame import Report, Row

ROOT = Path(__file__).parents[2]
DEMANDS = ROOT / "verify/rfc5681.toml"
KEY = "rfc5681"
MARK = re.compile(r"^\s*//= rfc5681 (?P<at>.+?)(?: type=(?P<kind>\w+))?$")
FUNCTION = re.compile(r"^\s*(?:pub(?:\(\w+\))? )?fn (\w+)")
TITLE = "RFC 5681, demand by demand"
AGAINST = "RFC 5681 §3 and §4, every MUST and SHOULD on a sender or receiver"


def marks() -> dict[str, dict[str, list[str]]]:
    """By place and kind (`""`, `test`, `departure`): files with lines, or tests by their names."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted((ROOT / "crates").rglob("*.rs")):
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines, 1):
            if not (mark := MARK.match(line)):
                continue
            kind = mark["kind"] or ""
            where = f"{path.name}:{number}"
            if kind == "test":
                names = (FUNCTION.match(later) for later in lines[number:])
                name = next((it[1] for it in names if it), "")
                where = f"{path.stem}::{name}"
            found[mark["at"]][kind].append(where)
    return found


def departures() -> dict[str, str]:
    """The page that cites each place."""
    pages = {}
    for path in sorted((ROOT / "docs/departures").glob("*.md")):
        cites = next((line[7:] for line in path.read_text().splitlines() if line.startswith("Cites: ")), "")
        pages |= {
            it.strip().removeprefix(KEY).strip(): path.name for it in cites.split(";") if it.strip().startswith(KEY)
        }
    return pages


def check(quick: bool) -> Report:
    """One row a demand; `quick` makes no difference."""
    found, pages = marks(), departures()
    rows = []
    for demand in tomllib.loads(DEMANDS.read_text())["demand"]:
        at = demand["at"]
        code, tests = found[at][""], found[at]["test"]
        page = f"[departure](departures/{pages[at]})" if at in pages else ""
        met = bool(code and tests)
        ours = ", ".join(code) or "not met"
        rows.append(
            Row(f"{at}: {demand['level']} {demand['says']}", ours, ", ".join(tests), "", met or bool(page), page)
        )
    text = """
"ours" is where the code meets it (marked `//= rfc5681 PLACE`), "theirs" the tests that hold it to that, the last column
the page where we depart from it, by default or altogether. A demand with neither code and test nor departure does not
agree.
"""
    return Report(TITLE, AGAINST, rows, text, order=20)
