"""The verification page: Rust tests, checks that crash, and checks that cannot be run here."""

from __future__ import annotations

import runpy
import sys
import time
import tomllib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[2] / "fuzz"))

import record

from verify import __main__ as program
from verify import rust
from verify.checks import fuzzing, properties, published_bugs, standards
from verify.frame import Report, Row, disagreements, page

ROOT = Path(__file__).parents[2]
CASE = {"at": "§4, case 3", "level": "example", "says": "it", "by": ["§4, latest"]}
TEST = "reports::every_second_is_lost"
OUTPUT = """\
     Running unittests src/lib.rs (/tmp/target/debug/deps/dupack_core-74ba8a9c718f715f)

running 4 tests
test transport::script::reports::every_second_is_lost ... ok
test transport::script::a_failure_names_its_line - should panic ... ok
test transport::rtt::tests::the_estimator ... ignored, it is slow
test transport::script::reno::half_of_what ... FAILED

successes:

---- transport::script::reports::every_second_is_lost stdout ----
3 cases
1500 cases


successes:
    transport::script::reports::every_second_is_lost

     Running tests/plan_laws/main.rs (/tmp/target/debug/deps/plan_laws-0123456789abcdef)
test any_plan ... ok
"""


def test_what_came_of_each_test_is_read() -> None:
    core = "dupack_core::transport"
    assert rust.outcomes(OUTPUT) == {
        f"{core}::script::reports::every_second_is_lost": rust.Outcome("ok", "1500 cases"),
        f"{core}::script::a_failure_names_its_line": rust.Outcome("ok", ""),
        f"{core}::rtt::tests::the_estimator": rust.Outcome("ignored", ""),
        f"{core}::script::reno::half_of_what": rust.Outcome("FAILED", ""),
        "plan_laws::any_plan": rust.Outcome("ok", ""),
    }


def test_a_marked_test_is_found_by_its_file() -> None:
    ran = rust.outcomes(OUTPUT)
    transport = ROOT / "crates/core/src/transport"
    assert rust.state(transport / "script/reports.rs", "every_second_is_lost", ran) == "ok"
    assert rust.state(transport / "rtt.rs", "the_estimator", ran) == "ignored"
    assert rust.state(transport / "script/reno.rs", "half_of_what", ran) == "FAILED"
    assert rust.state(transport / "script/reno.rs", "every_second_is_lost", ran) == "was not run"


def test_a_demand_needs_code_and_tests_that_have_passed() -> None:
    found, pages = standards.marks(), standards.departures()
    assert TEST in found.tests["rfc2018", "§4, case 3"]
    # Before the first run, the page says nothing about them.
    assert standards.row("rfc2018", CASE, found, pages).agrees is None
    found.states = {TEST: "ok"}
    assert standards.row("rfc2018", CASE, found, pages).agrees
    for state in ("FAILED", "ignored", "was not run"):
        found.states = {TEST: state}
        row = standards.row("rfc2018", CASE, found, pages)
        assert row.wrong
        assert f"{TEST} (**{state}**)" in row.theirs


def test_a_departure_whose_test_fails_is_none() -> None:
    found, pages = standards.marks(), standards.departures()
    demand = {"at": "§3.2, step 2", "level": "MUST", "says": "it"}
    tests = found.tests["rfc5681", "§3.2, step 2"]
    found.states = dict.fromkeys(tests, "ok")
    row = standards.row("rfc5681", demand, found, pages)
    assert (row.departs, row.wrong) == (True, False)
    found.states = {tests[0]: "FAILED"}
    assert standards.row("rfc5681", demand, found, pages).wrong


def test_a_demand_without_its_mark_does_not_agree() -> None:
    pages = standards.departures()
    for missing in ("tests", "code"):
        found = standards.marks()
        found.states = {TEST: "ok"}
        place = "§4, case 3" if missing == "tests" else "§4, latest"
        del getattr(found, missing)["rfc2018", place]
        assert standards.row("rfc2018", CASE, found, pages).agrees is False
    found.states = {TEST: "ok"}
    assert standards.row("rfc2018", CASE | {"at": "§4, case 9"}, found, pages).agrees is False
    assert standards.row("rfc2018", CASE | {"at": "§9", "level": "MAY", "by": []}, found, pages).agrees is None


def test_without_cargo_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rust, "missing", lambda: "there is no cargo here")
    reports = standards.check(False)
    assert {row.agrees for report in reports for row in report.rows if not row.departs} == {None}
    assert "there is no cargo here" in reports[0].text
    assert properties.check(False).skipped == "there is no cargo here"
    assert published_bugs.check(False).skipped == "there is no cargo here"
    assert "there is no cargo here" in fuzzing.check(False).rows[1].note


def test_a_law_must_have_been_tried() -> None:
    law = {"test": "plan_laws::any_plan", "says": "it"}
    assert properties.row(law, {law["test"]: rust.Outcome("ok", "9 plans")}).agrees
    assert properties.row(law, {law["test"]: rust.Outcome("ok", "")}).agrees is False
    assert properties.row(law, {law["test"]: rust.Outcome("FAILED", "9 plans")}).agrees is False
    assert properties.row(law, {}).agrees is False


def test_a_published_bug_must_have_been_found() -> None:
    for test, says in published_bugs.BUGS.items():
        module, name = test.split("::")
        assert f"fn {name}()" in (ROOT / f"crates/core/src/queue/tests/referees/{module}.rs").read_text()
        full = f"{published_bugs.REFEREES}::{test}"
        said = "222 of 300 comparisons differ"
        assert published_bugs.row(test, says, {full: rust.Outcome("ok", said)}).ours == said
        assert published_bugs.row(test, says, {full: rust.Outcome("ok", "")}).wrong
        assert published_bugs.row(test, says, {full: rust.Outcome("FAILED", "0 of 300 comparisons differ")}).wrong
        assert published_bugs.row(test, says, {}).wrong


def test_an_hour_of_fuzzing_is_an_hour() -> None:
    last = {"date": "2026-11-21", "commit": "abc", "seed": 1, "seconds": 3601, "executions": 9, "found": ""}
    assert fuzzing.hour("plans", last).agrees
    assert fuzzing.hour("plans", None).agrees is None
    assert fuzzing.hour("plans", last | {"seconds": 60}).agrees is False
    assert fuzzing.hour("plans", last | {"seconds": -1, "found": "artifacts/x"}).agrees is False


def test_what_is_kept_of_readers_in_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(record, "LAST", tmp_path / "last.toml")
    record.keep("plan", {"executions": 9})
    record.describe("journal", time.time() - 60, "abc", 10, "")
    assert record.LAST.read_text().count("[") == 1, "a minute is not kept"
    record.describe("journal", time.time() - 3600, "abc", 10, "")
    record.describe("tape-csv", time.time() - 60, "abc", 11, "an error")
    kept = tomllib.loads(record.LAST.read_text())
    assert kept["plan"] == {"executions": 9}
    journal = kept["journal"]
    assert (journal["commit"], journal["executions"], journal["found"]) == ("abc", 10, "")
    assert kept["tape-csv"]["found"] == "an error"
    assert fuzzing.hour("journals", journal).agrees


def test_every_fuzzer_has_rows_a_corpus_and_a_binary() -> None:
    names = {target.name for target in fuzzing.TARGETS}
    assert names == {path.name for path in (ROOT / "fuzz/corpus").iterdir()}
    assert names == {one["name"] for one in tomllib.loads((ROOT / "fuzz/Cargo.toml").read_text())["bin"]}
    assert (
        f"FUZZED := readers {' '.join(target.name for target in fuzzing.TARGETS)}\n" in (ROOT / "Makefile").read_text()
    )


def test_the_record_of_a_fuzzer_keeps_those_of_the_others(tmp_path: Path) -> None:
    record = runpy.run_path(str(ROOT / "fuzz/record.py"))
    keep = record["keep"]
    keep.__globals__["LAST"] = tmp_path / "last.toml"
    keep("b", {"seed": 1, "found": ""})
    keep("a", {"seed": 2, "found": "x"})
    keep("b", {"seed": 3, "found": ""})
    assert tomllib.loads((tmp_path / "last.toml").read_text()) == {
        "a": {"seed": 2, "found": "x"},
        "b": {"seed": 3, "found": ""},
    }


def test_what_libfuzzer_says_of_its_run_is_read() -> None:
    summary = runpy.run_path(str(ROOT / "fuzz/record.py"))["summary"]
    lines = ["INFO: Seed: 37", "#9 DONE   cov: 91 ft: 3", "Done 9 runs in 3601 second(s)"]
    said = summary([*lines, "stat::number_of_executed_units: 9"], 0.0, "abc")
    assert (said["seed"], said["coverage"], said["seconds"], said["executions"]) == (37, 91, 3601, 9)
    assert (said["date"], said["commit"], said["found"]) == ("1970-01-01", "abc", "")
    crash = summary(["artifact_prefix='a/'; Test unit written to a/crash-1"], 0.0, "abc")
    assert (crash["found"], crash["seconds"]) == ("a/crash-1", -1)
    slow = summary(["artifact_prefix='a/'; Test unit written to a/slow-unit-1"], 0.0, "abc")
    assert slow["found"] == "", "a busy machine makes any slow"


def test_a_check_that_crashes_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(quick: bool) -> Report:
        raise ValueError("no such\nthing")

    monkeypatch.setattr("importlib.import_module", lambda name: SimpleNamespace(check=check))
    (report,) = program.run("laws", True)
    assert "crashed: ValueError: no such thing" in page([report])
    assert disagreements([report]) == ["laws, which crashed: verify/checks/laws.py"]


def test_what_cannot_be_made_here_is_kept_with_its_date() -> None:
    ns2 = Report("ns-2", "ns-2.35", [Row("one | two", "1", "1", "", True)], "What was done.", below="More.", order=1)
    other = Report("Other", "them", [Row("x", "1", "2", "", False)], order=2)
    gone = Report("ns-2", "ns-2.35", skipped="ns is not installed", order=1)
    first = page([ns2, other], today="2026-11-20")
    second = page([gone, other], first, "2026-11-21")
    assert "| ns-2 (of 2026-11-20) | ns-2.35 | 1 | 0 | 0 |" in second
    assert "**From 2026-11-20, not run since**: ns is not installed.\n\nAgainst: ns-2.35\n" in second
    assert "| one \\| two | 1 | 1 |" in second
    # If ns is missing once more, the result keeps its date; once ns is back, the result is new.
    assert page([gone, other], second, "2026-11-22") == second.replace("on 2026-11-21", "on 2026-11-22")
    assert page([ns2, other], second, "2026-11-20") == first
    # Without an earlier result the page shows none.
    assert "Not run here: ns is not installed." in page([gone, other], page([gone, other]))


def test_a_check_alone_leaves_the_other_sections_where_they_are() -> None:
    row = Row("x", "1", "2", "", True)
    one, two, three = (Report(title, "them", [row], title * 3, order=at) for at, title in enumerate("abc"))
    first = page([one, three], today="2026-11-20")
    second = page([replace(one, text="new")], first, "2026-11-21", others="b was asked for")
    assert "new" in second
    assert "aaa" not in second
    assert second.index("## a") < second.index("## c")
    assert "## c\n\n**From 2026-11-20, not run since**: b was asked for.\n\nAgainst: them\n\nccc\n" in second
    assert "| c (of 2026-11-20) | them | 1 | 0 | 0 |" in second
    # What is new comes last, until all are made; then nothing is left of the note.
    third = page([two], second, "2026-11-22", others="b was asked for")
    assert third.index("## c") < third.index("## b")
    assert page([one, two, three], third, "2026-11-23") == page([one, two, three], today="2026-11-23")
