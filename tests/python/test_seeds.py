"""`make test-seeds` finds every property test; what `make test` prints of one that fails."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import brief
import seeds

ROOT = Path(__file__).parents[2]
SOURCE = """
#[test]
fn plain() {}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    //= rfc5681 §3 type=test
    // It holds.
    fn first(n in 0..9u32) { helper(n); }

    #[test]
    fn second(n in 0..9u32) {}
}

fn helper(n: u32) {}

#[test]
#[allow(unused)]
fn third() {
    proptest!(config, |(n in 0..9u32)| {});
}
"""


def test_properties_are_the_tests_in_a_proptest_block_or_around_a_call() -> None:
    assert seeds.properties(SOURCE) == {"first", "second", "third"}
    for strange in ("proptest! [ fn f(n in 0..9u32) {} ]", "proptest!(|(n in 0..9u32)| {});", "proptest! {\n}\n"):
        with pytest.raises(AssertionError):
            seeds.properties(strange)


def test_each_property_of_the_crates_is_found() -> None:
    files = [file for file in ROOT.glob("crates/*/**/*.rs") if "proptest!" in file.read_text()]
    assert len(files) > 10
    for file in files:
        assert seeds.properties(file.read_text()), file
    assert {"--package=dupack-core", "--lib", "--test=plan_laws"} <= set(seeds.targets())


def test_a_property_has_the_name_that_its_binary_gives_it(tmp_path: Path) -> None:
    (tmp_path / "queue").mkdir()
    (tmp_path / "lib.rs").write_text("mod queue;")
    (tmp_path / "queue/mod.rs").write_text(SOURCE)
    names = ["queue::plain", "queue::first", "queue::tests::second", "queue::third", "first"]
    found = seeds.of_target(tmp_path / "lib.rs", names)
    assert found == ("queue::first", "queue::tests::second", "queue::third")
    with pytest.raises(AssertionError, match="second is no test of its binary"):
        seeds.of_target(tmp_path / "lib.rs", [name for name in names if not name.endswith("second")])


def test_a_failure_is_told_with_the_command_that_repeats_it(capsys: pytest.CaptureFixture[str]) -> None:
    binary = seeds.Binary("/bin/false", "/", "-p dupack-core --lib", ("queue::first",))
    failures: Counter[str] = Counter()
    for seed in range(seeds.SHOWN + 2):
        seeds.report(
            binary, seed, "---- queue::first stdout ----\n4 is not 5\n\nfailures:\n    queue::first\n", failures
        )
    assert failures == {"queue::first": seeds.SHOWN + 2}
    told = capsys.readouterr().out
    assert "  PROPTEST_RNG_SEED=2 cargo test -p dupack-core --lib -- --exact queue::first\n4 is not 5\n" in told
    assert told.count("PROPTEST_RNG_SEED") == seeds.SHOWN


def test_a_process_that_ends_without_a_failed_test_is_a_failure(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho thread has overflowed its stack\nexit 134\n")
    program.chmod(0o755)
    said = seeds.Binary(str(program), str(tmp_path), "--lib", ("first",)).run(1)
    assert said == "---- first stdout ----\nthread has overflowed its stack\n\nexit status 134\n"


def libtest(panics: int) -> list[str]:
    """Output of libtest for three tests, one of them a property that panics ``panics`` times."""
    trace = [f"   {n}: core::panicking::panic\n             at /rustc/panicking.rs" for n in range(40)]
    lines = ["", "running 3 tests", "..F", "", "failures:", "", "---- queue::first stdout ----", ""]
    for n in range(panics):
        lines += [f"thread 'queue::first' (7) panicked at src/queue.rs:{n}:9:", f"{n} is too much", *trace, ""]
    lines += [
        "thread 'queue::first' (7) panicked at src/queue.rs:70:1:",
        "Test failed: 8 is too much.",
        "minimal failing input: n = [",
    ]
    lines += ["    Some(", "        8,", "    ),"] * 50 + ["],", "room = 3", "\tsuccesses: 12", "", *trace]
    end = ["", "failures:", "    queue::first", "", "test result: FAILED. 2 passed; 1 failed"]
    return "\n".join([*lines, *end]).split("\n")


def test_of_many_panics_the_first_and_the_last_are_printed_and_the_case_is_folded() -> None:
    told = list(brief.brief(libtest(panics=200)))
    assert len(told) < 300
    assert [line for line in told if "too much" in line] == [
        "0 is too much",
        "199 is too much",
        "Test failed: 8 is too much.",
    ]
    assert "[198 more panics, with smaller and smaller cases]" in told
    assert "minimal failing input: n = [" + " Some( 8, )," * 50 + "]," in told
    assert told.index("room = 3") + 1 == told.index("\tsuccesses: 12")
    assert told[-2:] == ["    queue::first", "test result: FAILED. 2 passed; 1 failed"]


def test_of_what_passes_the_counts_are_printed_and_what_is_skipped_is_named() -> None:
    done = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"
    none = done.replace("3 passed", "0 passed")
    skipped = "test a::b ... ignored, needs a day"
    lines = [
        "   Compiling dupack-core v0.1.0 (/x/crates/core)",
        "warning: unused variable",
        "    Finished `test` profile [optimized] target(s) in 0.27s",
        "     Running unittests src/lib.rs (target/debug/deps/dupack_core-b7171c50231636cc)",
        *("", "running 0 tests", "", none, "", "running 4 tests", "test a::a ... ok", skipped, "test a::c ... FAILED"),
        *("test d - should panic ... ok", "", done, "   Doc-tests dupack_core", ""),
    ]
    assert list(brief.brief(lines)) == ["warning: unused variable", skipped, done]


def test_the_times_of_tests_follow_from_when_they_end() -> None:
    times = brief.Times(threads=2)
    heard = [
        (0.0, "     Running tests/house/main.rs (/x/target/debug/deps/house-16bfe41ea8d2b192)"),
        (1.0, "running 5 tests"),
        (1.0, "test c ... ignored, needs a day"),
        (4.0, "test b ... ok"),  # began at 1, as did a
        (5.0, "test d - should panic ... ok"),  # began at 4
        (9.0, "test a ... FAILED"),
        (9.05, "test e ... ok"),  # began at 5
        (9.1, "test result: FAILED. 3 passed; 1 failed; 1 ignored"),
        (9.2, "   Doc-tests dupack_core"),
        (9.2, "running 1 test"),
        (9.7, "test src/lib.rs - (line 3) ... ok"),
        (9.7, "test result: ok. 1 passed"),
    ]
    for now, line in heard:
        times.hear(line, now)
    assert list(times.slowest()) == [
        "the 5 slowest of 5 tests:",
        "    8.0 s  house::a",
        "    4.1 s  house::e",
        "    3.0 s  house::b",
        "    1.0 s  house::d",
        "    0.5 s  dupack_core (doc)::src/lib.rs - (line 3)",
    ]
    assert list(brief.Times(threads=2).slowest()) == []


def test_the_exit_status_is_the_commands_and_all_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    says = "echo running 1 test; sleep 0.2; echo test a ... ok; echo test result: ok. >&2; exit 5"
    monkeypatch.setattr(sys, "argv", ["brief.py", str(tmp_path / "out/log"), "sh", "-c", says])
    assert brief.main() == 5
    assert (tmp_path / "out/log").read_text() == "running 1 test\ntest a ... ok\ntest result: ok.\n"
    assert " s  ::a\n" in capsys.readouterr().out


def test_with_resume_it_goes_on_where_it_was_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[int] = []
    program = tmp_path / "program"
    program.write_text("one build")
    binary = seeds.Binary(str(program), "/", "-p dupack-core --lib", ("queue::first",))

    def run(_: seeds.Binary, seed: int) -> str:
        ran.append(seed)
        return "---- queue::first stdout ----\nthread panicked\n\n" if len(ran) == 2 else ""

    monkeypatch.setattr("os.cpu_count", lambda: 1)
    monkeypatch.setattr(seeds, "KEPT", tmp_path / "seeds")
    monkeypatch.setattr(seeds, "binaries", lambda: [binary])
    monkeypatch.setattr(seeds.Binary, "run", run)

    def ended(*arguments: str) -> tuple[int, int]:
        """Its exit status, and the seeds that were run."""
        before = len(ran)
        monkeypatch.setattr(sys, "argv", ["seeds", *arguments])
        return seeds.main(), len(ran) - before

    assert ended("--resume", "5") == (1, 5)
    # The seed that failed is not among those that have passed.
    assert ended("--resume", "8") == (0, 4)
    assert ended("--resume", "8") == (0, 0)
    assert "8 have passed before" in capsys.readouterr().out
    assert ended("8") == (0, 8)
    program.write_text("another")
    assert ended("--resume", "3") == (0, 3)
