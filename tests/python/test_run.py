"""``dupack run``, as a user calls it."""

from __future__ import annotations

import csv
import io
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from conftest import DUPACK, Dupack, interrupted, of_json, steady
from dupack import amounts, printed, read_plan, run
from dupack.amounts import within

FLOW = {
    "name", "transport", "goodput_bps", "segments_sent", "segments_retransmitted", "segments_delivered", "timeouts",
    "fast_retransmits", "active_fraction", "mean_rtt_s", "completed_s",
}  # fmt: skip
LINK = {
    "name", "from", "to", "carries", "queue", "offered", "minted", "sent", "dropped", "waiting", "in_service",
    "utilization", "dead_units", "mean_backlog", "max_backlog", "goodput_fraction",
}  # fmt: skip


def test_a_run_prints_the_document_that_the_design_promises(dupack: Dupack, plan: Path) -> None:
    document = of_json(dupack("run", plan, "--json"))
    assert {"title", "seed", "duration_s", "warm_up_s", "cpu_s", "flows", "links", "summary"} == set(document)
    assert (document["title"], document["seed"], document["duration_s"]) == ("Two senders, one queue", 1, 2.0)
    assert [flow["name"] for flow in document["flows"]] == ["bulk-0", "bulk-1"]
    assert set(document["flows"][0]) >= FLOW
    names = [link["name"] for link in document["links"]]
    assert names == ["access-0", "access-0.back", "access-1", "access-1.back", "bottleneck", "bottleneck.back"]
    for link in document["links"]:
        assert set(link) >= LINK
        out = link["sent"] + sum(link["dropped"].values()) + link["waiting"] + link["in_service"]
        assert link["offered"] + link["minted"] == out, "the law of the ledger"
    assert 0.5 < document["summary"]["goodput_fraction"] <= 1


def test_a_run_prints_tables_for_people(dupack: Dupack, plan: Path) -> None:
    done = dupack("run", plan)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "Two senders, one queue"
    flow = next(line for line in lines if line.startswith("bulk-1"))
    assert "reno" in flow
    assert "Mb/s" in flow
    assert any(line.startswith("bottleneck") and " epd " in line for line in lines)
    assert "\x1b" not in done.stdout, "colours for a file"


def test_sources_with_abr_have_a_table_and_series(dupack: Dupack, plan: Path) -> None:
    marker = 'link.bottleneck.marker={ kind = "eprca", congested = "50 cells", very_congested = "100 cells" }'
    sets = ["--set", marker, "--set", "flow.bulk.abr.icr=0.05", "--set", "sample=0.1 s"]
    done = dupack("run", plan, *sets)
    lines = done.stdout.splitlines()
    sources = lines[lines.index(next(line for line in lines if line.startswith("Sources (ABR)"))) :]
    row = next(line for line in sources if line.startswith("bulk-1"))
    assert "Mb/s" in row
    document = of_json(dupack("run", plan, *sets, "--json"))
    for flow in document["flows"]:
        abr = flow["abr"]
        assert 0 <= abr["rate_based_fraction"] == pytest.approx(1 - abr["window_based_fraction"])
        assert abr["unused_acr_bps"] < abr["mean_acr_bps"] <= 10e6
        assert 0 < abr["backward_rm"] <= abr["forward_rm"]
    series = document["series"]
    assert set(series["acr_bps"]) == set(series["source_backlog"]) == {"bulk-0", "bulk-1"}
    assert len(series["gauges"]["bottleneck.macr"]) == len(series["time_s"])
    assert "Sources" not in dupack("run", plan, *sets[:2], "--set", "flow.bulk.abr=none").stdout


@pytest.mark.parametrize("width", [60, 80, 100, 120, 160])
@pytest.mark.parametrize("sweep", ["", '[sweep]\nseeds = "1..2"\n"link.bottleneck.queue.threshold" = [0.3, 0.9]\n'])
def test_no_word_is_broken_in_a_narrow_terminal(plan: Path, width: int, sweep: str) -> None:
    plan.write_text(f"{plan.read_text()}\n{sweep}")
    document = run(read_plan(plan))
    texts = []
    for columns in (width, 1000):
        written = io.StringIO()
        out = Console(file=written, width=columns, force_terminal=True, color_system=None, highlight=False)
        printed.show(document, out)
        texts.append(written.getvalue())
    narrow, wide = texts
    assert max(map(len, narrow.splitlines())) <= width
    told, _, left_out = narrow.partition("Columns that do not fit: ")
    words = set(re.sub("[─,;:]", " ", wide).split())
    assert set(re.sub("[─,;:]", " ", told).split()) <= words, "a word or a number that the wide table has not"
    assert ("delivered" in wide) == ("delivered" in told or "delivered" in left_out)
    # A sweep has few columns: their cells are wrapped before any column is left out.
    assert bool(left_out) == (width < (80 if sweep else 121))


def test_a_transfer_that_ends_tells_when(dupack: Dupack, plan: Path) -> None:
    assert "completed at, mean of the flows" not in dupack("run", plan).stdout
    finite = '{ kind = "file", size = "50 segments" }'
    plan.write_text(plan.read_text().replace('{ kind = "greedy" }', finite))
    runs = of_json(dupack("run", plan, "--seeds", "1..2", "--json"))["runs"]
    means = [sum(flow["completed_s"] for flow in one["flows"]) / 2 for one in runs]
    told = next(line for line in dupack("run", plan, "--seeds", "1..2").stdout.splitlines() if line.startswith("compl"))
    # The factor of Student's t with one degree of freedom is 12.7062.
    assert within(amounts.seconds, sum(means) / 2, 12.7062 * abs(means[0] - means[1]) / 2) in told
    plan.write_text(plan.read_text() + '\n[sweep]\n"link.bottleneck.queue.threshold" = [0.3, 0.9]\n')
    assert "completed at, mean of the flows" in dupack("run", plan).stdout


def test_many_flows_are_told_per_group(dupack: Dupack, plan: Path) -> None:
    done = dupack("run", plan, "--set", "host.source.count=40", "--set", "duration=500 ms")
    assert "bulk (each of 40)" in done.stdout
    assert "bulk-7" not in done.stdout


def test_seeds_give_runs_with_mean_and_interval(dupack: Dupack, plan: Path) -> None:
    document = of_json(dupack("run", plan, "--seeds", "1..3", "--json"))
    runs = document["runs"]
    assert [run["seed"] for run in runs] == document["seeds"] == [1, 2, 3]
    for key in runs[0]["summary"]:
        values = [run["summary"][key] for run in runs]
        mean = sum(values) / 3
        # The factor of Student's t with two degrees of freedom is 4.3027.
        half = 4.30265 * (sum((v - mean) ** 2 for v in values) / 2 / 3) ** 0.5
        assert document["mean"][key] == pytest.approx(mean)
        assert document["ci95"][key] == pytest.approx(half, rel=1e-4)
        assert document["summary"][key] == {"mean": document["mean"][key], "ci95": document["ci95"][key]}
    single = of_json(dupack("run", plan, "--set", "seed=2", "--json"))
    assert steady({"title": document["title"], **runs[1]}) == steady(single)


def test_one_seed_has_no_interval(dupack: Dupack, plan: Path) -> None:
    document = of_json(dupack("run", plan, "--seeds", "7", "--json"))
    assert [run["seed"] for run in document["runs"]] == [7]
    assert set(document["ci95"].values()) == {None}


def test_a_sweep_gives_points_with_their_settings(dupack: Dupack, plan: Path) -> None:
    sweep = '\n[sweep]\nseeds = "1..2"\n"link.bottleneck.queue.threshold" = [0.3, 0.9]\n'
    plan.write_text(plan.read_text() + sweep)
    document = of_json(dupack("run", plan, "--json"))
    points = document["points"]
    assert [point["settings"] for point in points] == [{"link.bottleneck.queue.threshold": t} for t in (0.3, 0.9)]
    assert [len(point["runs"]) for point in points] == [2, 2]
    alone = of_json(dupack("run", plan, "--set", "link.bottleneck.queue.threshold=0.9", "--seeds", "2", "--json"))
    assert steady(points[1]["runs"][1]) == steady(alone["runs"][0])
    table = dupack("run", plan).stdout
    assert "2 points of the sweep, 2 runs each" in table


def test_the_same_plan_gives_the_same_bytes_twice_and_with_any_number_of_threads(dupack: Dupack, plan: Path) -> None:
    plan.write_text(
        plan.read_text() + '\n[sweep]\nseeds = "1..4"\n"link.bottleneck.queue.threshold" = [0.3, 0.6, 0.9]\n'
    )
    texts = []
    for threads in (1, 2, 2, 5):
        document = of_json(dupack("run", plan, "--json", "--threads", threads))
        texts.append(json.dumps(steady(document)))
    assert len(set(texts)) == 1


def test_the_tape_tells_every_event(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    document = of_json(dupack("run", plan, "--json", "--tape", "tape.csv"))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "tape.csv").read_text())))
    assert list(rows[0]) == ["time_s", "flow", "event", "segment", "cwnd", "ssthresh"]
    for flow in document["flows"]:
        mine = [row["event"] for row in rows if row["flow"] == flow["name"]]
        assert mine.count("send") + mine.count("retransmit") == flow["segments_sent"]
        assert mine.count("retransmit") == flow["segments_retransmitted"]
        assert mine.count("timeout") == flow["timeouts"]
        assert mine.count("deliver") == flow["segments_delivered"]
    times = [float(row["time_s"]) for row in rows]
    assert times == sorted(times)


def test_a_tape_is_of_one_run(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    done = dupack("run", plan, "--seeds", "1..2", "--tape", "tape.csv")
    assert done.returncode == 2
    assert (
        done.stderr.strip() == "--tape records a single run, but there are 2; give one seed and a plan without a sweep"
    )
    assert not (tmp_path / "tape.csv").exists()


def test_a_tape_may_go_to_a_device(dupack: Dupack, plan: Path) -> None:
    assert dupack("run", plan, "--tape", "/dev/null").returncode == 0
    assert Path("/dev/null").is_char_device(), "it was replaced by a file"


def test_out_keeps_what_was_printed(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    printed = of_json(dupack("run", plan, "--seeds", "1..2", "--json", "--out", "results/here"))
    kept = tmp_path / "results" / "here"
    assert json.loads((kept / "result.json").read_text()) == printed
    names = sorted(path.name for path in (kept / "runs").iterdir())
    assert names == ["seed-1.json", "seed-2.json"], "no half-written files"
    one = json.loads((kept / "runs" / "seed-2.json").read_text())
    about = {"title": printed["title"], "plan": str(plan), "sets": [], "settings": {}}
    assert one == {**about, **printed["runs"][1]}


def test_a_kept_run_says_of_what_experiment_it_is(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    plan.write_text(plan.read_text() + '\n[sweep]\n"link.bottleneck.queue.threshold" = [0.3, 0.9]\n')
    assert dupack("run", plan, "--set", "duration=1 s", "--seeds", "4", "--out", "kept").returncode == 0
    one = json.loads((tmp_path / "kept" / "runs" / "point-1-seed-4.json").read_text())
    assert (one["title"], one["plan"], one["seed"]) == ("Two senders, one queue", str(plan), 4)
    assert (one["sets"], one["settings"]) == (["duration=1 s"], {"link.bottleneck.queue.threshold": 0.9})


def test_results_are_not_mixed_with_those_of_another_experiment(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert dupack("run", plan, "--seeds", "1..3", "--out", "kept").stderr == ""
    (kept / "notes.txt").write_text("mine")
    # A plan with mistakes does not overwrite earlier results.
    assert dupack("run", plan, "--set", "duratoin=1 s", "--out", "kept").returncode == 2
    assert (kept / "result.json").exists()
    done = dupack("run", plan, "--seeds", "3..4", "--out", "kept")
    assert (done.returncode, done.stderr) == (0, "--out kept: earlier results were removed\n")
    assert sorted(path.name for path in (kept / "runs").iterdir()) == ["seed-3.json", "seed-4.json"]
    assert dupack("run", plan, "--out", "kept").returncode == 0
    assert sorted(path.name for path in kept.iterdir()) == ["notes.txt", "result.json"]


def test_what_an_interrupted_experiment_left_is_replaced_too(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert dupack("run", plan, "--seeds", "1..3", "--out", "kept").returncode == 0
    (kept / "result.json").rename(kept / ".result.json.77.part")
    assert dupack("run", plan, "--seeds", "9..10", "--out", "kept").returncode == 0
    assert sorted(path.name for path in kept.iterdir()) == ["result.json", "runs"]
    assert len(list((kept / "runs").iterdir())) == 2


@pytest.mark.parametrize("name", ["thesis.txt", "result.json", "runs/seed-1.txt"])
def test_a_directory_of_other_things_is_refused(dupack: Dupack, plan: Path, tmp_path: Path, name: str) -> None:
    mine = tmp_path / "mine" / name
    mine.parent.mkdir(parents=True)
    mine.write_text('{"title": "mine"}')
    done = dupack("run", plan, "--seeds", "1..2", "--out", "mine")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("--out mine: the directory has files that are not results of dupack run; ")
    assert done.stderr.endswith("; nothing was run\n")
    assert [path for path in (tmp_path / "mine").rglob("*") if path.is_file()] == [mine]


@pytest.mark.parametrize("option", ["--out", "--tape"])
def test_an_empty_path_is_refused(dupack: Dupack, plan: Path, option: str) -> None:
    done = dupack("run", plan, option, "")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"'{option}': the path is empty; give a path" in done.stderr


def test_a_full_disk_is_told_with_the_file_and_with_what_stands(plan: Path, tmp_path: Path) -> None:
    full = ": cannot be written: no space left on device"
    for words, error in [
        ("--tape /dev/full", f"--tape /dev/full{full}; the run had finished, and its other results were kept"),
        ("--json >/dev/full", f"standard output{full}; all runs had finished; use --out DIR to keep their results"),
        (">/dev/full", f"standard output{full}; all runs had finished; use --out DIR to keep their results"),
        ("--out kept >/dev/full", f"standard output{full}; all results are in kept/result.json"),
        ("--version >/dev/full", f"standard output{full}"),
    ]:
        command = ["bash", "-c", f"'{DUPACK}' run plan.toml {words}".replace("run plan.toml --v", "--v")]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (1, error + "\n")
        assert done.stdout.startswith("Two senders") == words.startswith("--tape"), "the results are printed"
    assert (tmp_path / "kept" / "result.json").exists()


def test_results_that_cannot_be_written_are_told_with_their_file(plan: Path, tmp_path: Path) -> None:
    run = "seed-1.json: cannot be written: file too large; 0 of 9 runs had finished; no result was written to kept"
    for kilobytes, error in [
        (1, f"--out kept/runs/{run}"),
        (16, "--out kept/result.json: cannot be written: file too large; the results of all runs are in kept/runs"),
    ]:
        command = f"ulimit -f {kilobytes}; '{DUPACK}' run plan.toml --seeds 1..9 --threads 1 --out kept"
        words = ["bash", "-c", command]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (1, error + "\n")
        assert not list((tmp_path / "kept").rglob("*.part"))


@pytest.mark.parametrize(
    ("option", "place"),
    [
        ("--out", "file/below"),
        ("--out", "file"),
        ("--tape", "file/tape.csv"),
        ("--tape", "nowhere/tape.csv"),
        ("--tape", "."),
    ],
)
def test_a_place_that_cannot_be_written_is_told_before_anything_runs(
    dupack: Dupack, plan: Path, tmp_path: Path, option: str, place: str
) -> None:
    (tmp_path / "file").write_text("a file")
    # If the plan were run before the check, this would take forever, and the test's time limit would end it.
    done = dupack("run", plan, option, place, "--set", "duration=1000000 s")
    assert done.returncode == 2
    assert done.stderr.startswith(f"{option} {place}: cannot be written: ")
    assert done.stderr.endswith("; nothing was run\n")
    assert (tmp_path / "file").read_text() == "a file"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ((b"threshold", b"treshold"), 'link.bottleneck.queue.treshold: unknown key; did you mean "threshold"?'),
        ((b'"12 Mb/s"', b"12"), "link.bottleneck.rate: "),
        ((b"Two senders", b"Zwei Sender \xe4"), "not UTF-8"),
    ],
)
def test_a_wrong_plan_is_refused_in_words(dupack: Dupack, plan: Path, change: tuple[bytes, bytes], error: str) -> None:
    plan.write_bytes(plan.read_bytes().replace(*change))
    done = dupack("run", plan, "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert error in done.stderr
    assert "nothing was run" in done.stderr


def test_a_plan_that_is_not_there_or_no_file(dupack: Dupack, tmp_path: Path) -> None:
    done = dupack("run", "missing.toml")
    assert done.returncode == 2
    assert done.stderr == "missing.toml: the plan cannot be read: no such file or directory; nothing was run\n"
    done = dupack("run", tmp_path)
    assert done.returncode == 2
    assert done.stderr.endswith("the plan cannot be read: is a directory; nothing was run\n")


@pytest.mark.parametrize("seeds", ["", "x", "5..1", "1,1"])
def test_wrong_seeds(dupack: Dupack, plan: Path, seeds: str) -> None:
    done = dupack("run", plan, "--seeds", seeds)
    assert done.returncode == 2
    assert "--seeds" in done.stderr


def test_an_unknown_option_or_override(dupack: Dupack, plan: Path) -> None:
    assert dupack("run", plan, "--sedes", "1").returncode == 2
    done = dupack("run", plan, "--set", "link.bottlenek.rate=3 Mb/s")
    assert done.returncode == 2
    assert 'did you mean "' in done.stderr


STOPS = [(signal.SIGINT, "interrupted", 130), (signal.SIGTERM, "terminated", 143)]


@pytest.mark.parametrize(("number", "word", "code"), STOPS)
def test_a_stopped_run_leaves_finished_results_whole_and_says_so(
    plan: Path, tmp_path: Path, number: signal.Signals, word: str, code: int
) -> None:
    words: list[str | Path] = [DUPACK, "run", plan, "--seeds", "1..100000", "--threads", "2", "--out", "kept"]
    process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    runs = tmp_path / "kept" / "runs"
    while len(list(runs.glob("seed-*.json"))) < 3 and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(number)
    process.send_signal(number)  # a user who presses twice wants to stop once
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    kept = list(runs.iterdir())
    assert len(kept) >= 3
    assert errors.strip() == f"{word}: {len(kept)} of 100000 runs had finished; their results are in kept/runs"
    for path in kept:
        assert json.loads(path.read_text())["duration_s"] == 2.0
    assert not (tmp_path / "kept" / "result.json").exists()


@pytest.mark.parametrize(("number", "word", "code"), STOPS)
@pytest.mark.parametrize("module", ["dupack.cli", "click", "dupack.progress", "dupack.reproduce.command"])
def test_a_signal_during_the_imports_is_no_traceback(
    plan: Path, tmp_path: Path, module: str, number: signal.Signals, word: str, code: int
) -> None:
    # The signal comes while the module is being found, as if the user had pressed Ctrl-C just then.
    (tmp_path / "at_import.py").write_text(
        "import os, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        f"            os.kill(os.getpid(), {int(number)})\n"
        "sys.meta_path.insert(0, Finder())\n"
        f"sys.argv[0] = {str(DUPACK)!r}\n"
        f"exec(open({str(DUPACK)!r}).read())\n"
    )
    what = ["reproduce"] if module.endswith("command") else ["run", plan, "--set", "duration=100000 s"]
    words = [sys.executable, "at_import.py", *what]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done.stderr
    assert done.stderr.strip().startswith(word)
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_signal_between_a_file_and_its_count_waits(plan: Path, tmp_path: Path) -> None:
    (tmp_path / "at_rename.py").write_text(
        "import os, pathlib, signal, sys\n"
        "rename = pathlib.Path.replace\n"
        "def replace(self, to):\n"
        "    rename(self, to)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "pathlib.Path.replace = replace\n"
        f"sys.argv[0] = {str(DUPACK)!r}\n"
        f"exec(open({str(DUPACK)!r}).read())\n"
    )
    words: list[str | Path] = [
        sys.executable,
        "at_rename.py",
        "run",
        plan,
        "--seeds",
        "1..5",
        "--threads",
        "1",
        "--out",
        "kept",
    ]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 130, done.stderr
    kept = list((tmp_path / "kept/runs").iterdir())
    assert done.stderr.strip() == "interrupted: 1 of 5 runs had finished; its result is in kept/runs"
    assert len(kept) == 1


def test_a_stopped_run_prints_the_document_of_what_had_finished(plan: Path, tmp_path: Path) -> None:
    plan.write_text(plan.read_text() + '\n[sweep]\n"link.bottleneck.queue.threshold" = [0.3, 0.6, 0.9]\n')
    done = interrupted(tmp_path, 5, "run", plan, "--seeds", "1..30000", "--json", "--threads", "2")
    assert done.returncode == 130
    document = json.loads(done.stdout)
    assert document["interrupted"] is True
    (point,) = document["points"]
    assert point["settings"] == {"link.bottleneck.queue.threshold": 0.3}
    n = len(point["runs"])
    assert n == len(point["seeds"]) >= 5
    assert done.stderr == f"interrupted: {n} of 90000 runs had finished; the document has their results\n"


def test_ctrl_c_ends_a_long_run_at_once(plan: Path, tmp_path: Path) -> None:
    done = interrupted(tmp_path, 0, "run", plan, "--set", "duration=1000000 s")
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "interrupted: 0 of 1 runs had finished\n"


def test_a_reader_that_leaves_early_is_no_error_to_talk_about(plan: Path, tmp_path: Path) -> None:
    command = f"'{DUPACK}' run plan.toml --seeds 1..30 --json | head -c 10"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == '{\n  "title'
    assert done.stderr == ""


def test_version(dupack: Dupack) -> None:
    import tomllib

    project = Path(__file__).parents[2] / "pyproject.toml"
    version = tomllib.loads(project.read_text())["project"]["version"]
    assert dupack("--version").stdout == f"dupack {version}\n"
