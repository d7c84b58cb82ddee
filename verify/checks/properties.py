"""Laws that hold for any input: of senders under any stream of acks, of generated plans."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from verify import rust
from verify.frame import Report, Row

LAWS = Path(__file__).parents[1] / "properties.toml"
TITLE = "Laws of any input"
AGAINST = "laws stated by tests, on random cases from proptest"
TEXT = f"""
Each law is a Rust test on random cases from proptest. proptest would reduce the first case that breaks a law to a
minimal one, and show it. "ours" is the number of cases that the test reports, counted as they ran. The seed is
{rust.SEED}, as in `make test`, so that the page can be reproduced; `make test-seeds` draws from 1,000 others.
"""


def row(law: dict[str, str], ran: Mapping[str, rust.Outcome]) -> Row:
    """A law."""
    name = law["test"]
    outcome = ran.get(name)
    if outcome is None:
        return Row(law["says"], "was not run", f"`{name}`", "no case breaks it", False)
    ours = outcome.said if outcome.state == "ok" else outcome.state
    return Row(law["says"], ours, f"`{name}`", "no case breaks it", outcome.state == "ok" and bool(outcome.said))


def check(quick: bool) -> Report:
    """One row a law; `quick` runs nothing."""
    missing = "this is a quick look" if quick else rust.missing()
    if missing:
        return Report(TITLE, AGAINST, text=TEXT, skipped=missing, order=70)
    laws = tomllib.loads(LAWS.read_text())["law"]
    return Report(TITLE, AGAINST, [row(law, rust.tests()) for law in laws], TEXT, order=70)
