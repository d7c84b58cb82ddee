"""Coverage-guided fuzzing: the last hour of each target, and the inputs kept from all runs."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verify import rust
from verify.frame import Report, Row

ROOT = Path(__file__).parents[2]
LAST = ROOT / "fuzz/last.toml"
HOUR = 3600
TEXT = """
`make fuzz` runs targets on inputs that libFuzzer derives from earlier ones, and keeps those that reach new code. It
writes `fuzz/last.toml`, the source of the rows about hours. The smallest set of inputs that reaches all code ever
reached is kept (`fuzz/corpus`), and the tests read these inputs again. Files that Python reads are changed by
Hypothesis, in up to four places, and must be refused in words, or read without what was changed.
"""


@dataclass(frozen=True)
class Target:
    """A target in `fuzz/fuzz_targets`."""

    name: str
    what: str
    """What it feeds to what."""
    law: str
    """What holds for every input that it has kept."""
    replay: str
    """The test that reads them again."""


TARGETS = (
    Target(
        "plan",
        "texts as plans",
        "is refused, or is a valid plan",
        "plan_fuzz::what_the_fuzzer_kept_is_refused_or_whole",
    ),
    Target(
        "file",
        "texts as files that a plan names (traces of lines and of packets, sizes, GraphML)",
        "is refused, or is simulated",
        "file_fuzz::what_the_fuzzer_kept_is_refused_or_runs",
    ),
    Target(
        "queue",
        "arrivals and departures to every discipline",
        "breaks no law of disciplines",
        "dupack_core::queue::tests::fuzzed::tests::what_the_fuzzer_kept_breaks_no_law",
    ),
    Target(
        "packet",
        "packets of hosts in live runs to the router's parsers and links",
        "breaks no law",
        "packet_fuzz::what_the_fuzzer_kept_breaks_no_law",
    ),
    Target(
        "transport",
        "acks to every transport",
        "breaks no law of senders",
        "dupack_core::transport::script::fuzzed::tests::what_the_fuzzer_kept_breaks_no_law",
    ),
)

READERS = {
    "result-json": "results as `dupack run --out` writes them",
    "tape-csv": "tapes",
    "published-toml": "published values of a paper",
    "readings-toml": "readings of a paper",
    "journal": "journals of stores",
    "runs-parquet": "tables of runs in stores",
    "flows-parquet": "tables of flows in stores",
}
"""Files that Python reads, by their names in `fuzz/last.toml` (`tests/python/test_readers.py`)."""


def hour(inputs: str, last: dict[str, Any] | None) -> Row:
    """The last run of an hour, or the shorter one that found something."""
    what = f"an hour of {inputs} finds nothing"
    if last is None:
        return Row(what, "", "", "", None, "no run is on record; `make fuzz` makes one")
    found = last["found"] or "nothing"
    length = f"{last['seconds']} s, " if last["seconds"] >= 0 else ""
    packets = f" with {last['packets']:,} packets" if "packets" in last else ""
    seed = f", seed {last['seed']}" if "seed" in last else ""
    ran = f"{length}{last['executions']:,} inputs{packets}{seed}"
    ours = f"{last['date']}, {last['commit']}: {ran}; found: {found}"
    return Row(what, ours, "nothing found", f"{HOUR} s", last["seconds"] >= HOUR and not last["found"])


def corpus(target: Target, inputs: int, quick: bool) -> Row:
    """Inputs kept from all runs."""
    what, ours = f"each input that `{target.name}` has kept {target.law}", f"{inputs} inputs"
    missing = "this is a quick look" if quick else rust.missing()
    if missing:
        return Row(what, ours, f"`{target.replay}`", "all", None, f"not run: {missing}")
    outcome = rust.tests().get(target.replay)
    state = outcome.state if outcome else "was not run"
    return Row(what, ours, f"`{target.replay}`", "all", state == "ok", "" if state == "ok" else state)


def check(quick: bool) -> Report:
    """Two rows per target; `quick` does not read the inputs again."""
    last = tomllib.loads(LAST.read_text()) if LAST.exists() else {}
    rows = []
    for target in TARGETS:
        inputs = sum(1 for _ in (ROOT / "fuzz/corpus" / target.name).iterdir())
        rows += [hour(target.what, last.get(target.name)), corpus(target, inputs, quick)]
    rows += [hour(f"changed {what}", last.get(name)) for name, what in READERS.items()]
    return Report("Fuzzing", "inputs derived by libFuzzer, and files changed by Hypothesis", rows, TEXT, order=71)
