"""Coverage-guided fuzzing of plans: the last hour, and the texts kept from all runs."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from verify import rust
from verify.frame import Report, Row

ROOT = Path(__file__).parents[2]
LAST = ROOT / "fuzz/last.toml"
REPLAY = "plan_fuzz::what_the_fuzzer_kept_is_refused_or_whole"
HOUR = 3600
TEXT = """
`make fuzz` runs the plan reader on texts that libFuzzer derives from earlier ones, token by token, and keeps those
that reach new code. It writes `fuzz/last.toml`, the source of the first row. The smallest set of texts that reaches
all code ever reached is kept (`fuzz/corpus/plan`), and the tests read these texts again.
"""


def hour(last: dict[str, Any] | None) -> Row:
    """The last run of an hour, or the shorter one that found something."""
    what = "an hour of fuzzing finds nothing"
    if last is None:
        return Row(what, "", "", "", None, "no run is on record; `make fuzz` makes one")
    found = last["found"] or "nothing"
    length = f"{last['seconds']} s, " if last["seconds"] >= 0 else ""
    ran = f"{length}{last['executions']:,} texts, seed {last['seed']}"
    ours = f"{last['date']}, {last['commit']}: {ran}; found: {found}"
    return Row(what, ours, "nothing found", f"{HOUR} s", last["seconds"] >= HOUR and not last["found"])


def corpus(texts: int, quick: bool) -> Row:
    """Texts kept from all runs."""
    what, ours = "each text that it has kept is refused, or is a valid plan", f"{texts} texts"
    missing = "this is a quick look" if quick else rust.missing()
    if missing:
        return Row(what, ours, f"`{REPLAY}`", "all", None, f"not run: {missing}")
    outcome = rust.tests().get(REPLAY)
    state = outcome.state if outcome else "was not run"
    return Row(what, ours, f"`{REPLAY}`", "all", state == "ok", "" if state == "ok" else state)


def check(quick: bool) -> Report:
    """Two rows; `quick` does not read the texts again."""
    last = tomllib.loads(LAST.read_text()) if LAST.exists() else None
    texts = sum(1 for _ in (ROOT / "fuzz/corpus/plan").iterdir())
    return Report("Fuzzing", "plans mutated by libFuzzer", [hour(last), corpus(texts, quick)], TEXT, order=71)
