"""For each requirement and worked example of an RFC, the code that implements it, its tests, or the departure."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verify import rust
from verify.frame import Report, Row

ROOT = Path(__file__).parents[2]
KEYS = (
    "rfc5681",
    "rfc2018",
    "rfc2883",
    "rfc6298",
    "rfc6582",
    "rfc6675",
    "rfc8985",
    "rfc9937",
    "rfc3522",
    "rfc5682",
    "rfc5827",
    "rfc9438",
    "rfc9406",
    "rfc9002",
    "rfc3168",
    "rfc8511",
    "rfc8257",
    "rfc8289",
    "rfc8290",
    "rfc8033",
    "rfc9332",
    "rfc9957",
    "rfc2697",
    "rfc2698",
    "rfc7141",
    "rfc2861",
    "rfc7661",
    "rfc9768",
    "ccwg-bbr-06",
)
"""Each has its demands in `verify/KEY.toml`."""
MARK = re.compile(r"^\s*//= (?P<key>rfc\d+|ccwg-bbr-06) (?P<at>.+?)(?: type=(?P<kind>\w+))?$")
FUNCTION = re.compile(r"^\s*(?:pub(?:\(\w+\))? )?fn (\w+)")
HEADS = ("requirement", "code", "tests", "band", "agrees", "departure")

Place = tuple[str, str]
"""Key and place."""


@dataclass
class Marks:
    """Marks in the code, by key and place."""

    code: dict[Place, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Files below `crates`, with lines."""
    tests: dict[Place, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Tests, as the page names them."""
    states: dict[str, str] = field(default_factory=dict)
    """Outcome of each, if they were run."""


def marks(ran: Mapping[str, rust.Outcome] | None = None) -> Marks:
    """Those of all crates; `ran` are the tests that were run."""
    found = Marks()
    for path in sorted((ROOT / "crates").rglob("*.rs")):
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines, 1):
            if not (mark := MARK.match(line)):
                continue
            place = (mark["key"], mark["at"])
            if mark["kind"] == "test":
                names = (FUNCTION.match(later) for later in lines[number:])
                name = next((it[1] for it in names if it), "")
                test = f"{path.stem}::{name}"
                found.tests[place].append(test)
                if ran is not None:
                    found.states[test] = rust.state(path, name, dict(ran))
            elif mark["kind"] is None:
                found.code[place].append(f"{path.relative_to(ROOT / 'crates')}:{number}")
    return found


def departures() -> dict[Place, str]:
    """The page that cites each key and place."""
    pages = {}
    for path in sorted((ROOT / "docs/departures").glob("*.md")):
        cites = next((line[7:] for line in path.read_text().splitlines() if line.startswith("Cites: ")), "")
        for it in cites.split(";"):
            key, _, at = it.strip().partition(" ")
            pages[key, at] = path.name
    return pages


def row(key: str, demand: dict[str, Any], found: Marks, pages: dict[Place, str]) -> Row:
    """A demand, or an example."""
    at = demand["at"]
    code = [where for place in [at, *demand.get("by", [])] for where in found.code.get((key, place), [])]
    tests = dict.fromkeys(found.tests.get((key, at), []))
    bad = {test: found.states[test] for test in tests if found.states.get(test, "ok") != "ok"}
    note = f"[departure](departures/{pages[key, at]})" if (key, at) in pages else ""
    agrees: bool | None = bool(code and tests) and not bad
    departs = bool(note) and not bad
    note = note or demand.get("note", "")
    if demand["level"] == "MAY" and not code:
        agrees, note = None, "optional, not built"
    elif agrees and not found.states:
        agrees, note = None, note or "its tests were not run"
    shown = [f"{test} (**{bad[test]}**)" if test in bad else test for test in tests]
    level = {"is": "", "example": "example: "}.get(demand["level"], f"{demand['level']} ")
    what = f"{at}: {level}{demand['says']}"
    return Row(what, ", ".join(dict.fromkeys(code)) or "not met", ", ".join(shown), "", agrees, note, departs)


def check(quick: bool) -> list[Report]:
    """One page section an RFC, one row a demand; `quick` runs no tests."""
    missing = "this is a quick look" if quick else rust.missing()
    found, pages = marks(None if missing else rust.tests()), departures()
    text = f"The tests were not run: {missing}." if missing else ""
    reports = []
    for key in KEYS:
        said = tomllib.loads((ROOT / f"verify/{key}.toml").read_text())
        rows = [row(key, demand, found, pages) for demand in said["demand"]]
        reports.append(Report(said["title"], said["against"], rows, text, heads=HEADS, order=20))
    return reports
