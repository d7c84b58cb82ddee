"""``dupack sweep`` and its store, as a user calls them: whatever happens, nothing is lost and nothing is run twice."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

from conftest import DUPACK, PLAN, STARTED, Dupack, Once, dupack_in, of_json, steady
from dupack import _native
from dupack.store.journal import read
from dupack.store.slots import Slots
from dupack.store.store import Store
from dupack.work import read_plan

AXIS = "link.bottleneck.queue.threshold"
SWEEP = f'{PLAN}\n[sweep]\nseeds = "1..4"\n"{AXIS}" = [0.3, 0.6, 0.9]\n'
TABLES = ("runs", "flows", "links", "series", "connections")


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """Twelve runs of some ten milliseconds each."""
    path = tmp_path / "plan.toml"
    path.write_text(SWEEP)
    return path


def content(store: Path) -> dict[str, bytes]:
    """All that a store shows, byte for byte."""
    files = [path for table in TABLES for path in (store / table).glob("*")]
    files += [store / "sweep.json", store / "plan.toml"]
    return {str(path.relative_to(store)): path.read_bytes() for path in files}


def journal(store: Path) -> list[str]:
    """Runs in the journal."""
    # A name with a dot is that of a file which is being replaced.
    return [line for path in (store / "journal").glob("[!.]*") for line in path.read_text().splitlines()]


def entries(store: Path) -> list[dict[str, Any] | None]:
    """The same, each None if it is damaged or incomplete."""
    return [entry for path in (store / "journal").glob("*") for entry in read(path)]


def runs_in_journal(store: Path) -> int:
    """Their number, quickly: a test that waits for it asks often."""
    return sum(path.read_bytes().count(b"\n") for path in (store / "journal").glob("*"))


def begin(plan: Path, *words: object) -> subprocess.Popen[str]:
    """Starts the command."""
    process = subprocess.Popen(
        [str(DUPACK), "sweep", str(plan), *map(str, words)],
        cwd=plan.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    STARTED.append(process)
    return process


def until(condition: Any) -> None:
    """Waits."""
    deadline = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_store_opens_directly_in_every_tool(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    assert dupack("sweep", plan).returncode == 0
    pattern = str(tmp_path / "store" / "runs" / "*.parquet")
    rows = duckdb.sql(
        f"select seed, {AXIS!r}, goodput_fraction from '{pattern}'".replace("'link", '"link').replace("old'", 'old"')
    ).fetchall()
    frame = pl.read_parquet(pattern)
    table = pd.read_parquet(tmp_path / "store" / "runs")
    assert frame.select("seed", AXIS, "goodput_fraction").rows() == rows
    assert list(table[["seed", AXIS, "goodput_fraction"]].itertuples(index=False, name=None)) == rows
    assert [row[:2] for row in rows] == [(seed, t) for t in (0.3, 0.6, 0.9) for seed in (1, 2, 3, 4)]
    assert frame.schema["seed"] == pl.UInt64
    assert frame.schema[AXIS] == pl.Float64
    assert frame.schema["timeouts"] == pl.Int64


def test_the_tables_hold_every_value_of_the_document(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    plan.write_text(SWEEP.replace("seed = 1\n", 'seed = 1\nsample = "500 ms"\n'))
    document = of_json(dupack("run", plan, "--json"))
    assert dupack("sweep", plan, "--out", "s").returncode == 0
    runs, flows, links, series = (pl.read_parquet(tmp_path / "s" / table / "*.parquet") for table in TABLES[:4])
    for point in document["points"]:
        for run in point["runs"]:
            row = runs.filter((pl.col(AXIS) == point["settings"][AXIS]) & (pl.col("seed") == run["seed"])).row(
                0, named=True
            )
            known = {"flows", "links", "summary", "series", "cpu_s"}
            assert {key: row[key] for key in run if key not in known} == {
                k: v for k, v in run.items() if k not in known
            }
            assert {key: row[key] for key in run["summary"]} == run["summary"]
            mine = flows.filter(pl.col("run") == row["run"]).rows(named=True)
            for found, flow in zip(mine, run["flows"], strict=True):
                assert {key: found[key] for key in flow} == flow
                assert found["abr_mean_acr_bps"] is None, "what a flow has not is null"
            for found, link in zip(
                links.filter(pl.col("run") == row["run"]).rows(named=True), run["links"], strict=True
            ):
                for prefix, counts in (("", link), ("measured_", link.pop("measured"))):
                    dropped = counts.pop("dropped")
                    assert {key: found[f"{prefix}{key}"] for key in counts} == counts
                    total = f"{prefix}dropped"
                    assert found[total] == sum(dropped.values())
                    by_cause = {key: value for key, value in found.items() if key.startswith(f"{total}_") and value}
                    assert by_cause == {f"{total}_{cause.replace('-', '_')}": n for cause, n in dropped.items()}
            values = series.filter(pl.col("run") == row["run"])
            times = run["series"].pop("time_s")
            # States are words, and the table has numbers.
            run["series"].pop("state")
            for measure, by_name in run["series"].items():
                for name, want in by_name.items():
                    one = values.filter((pl.col("measure") == measure) & (pl.col("name") == name))
                    assert one["time_s"].to_list() == times
                    assert one["value"].to_list() == want
    assert not (tmp_path / "s" / "connections").exists(), "no flow has arrivals"
    assert "cpu_s" not in runs.columns, "it differs from one time to the next"


@pytest.fixture
def whole(once: Once, tmp_path: Path) -> dict[str, bytes]:
    """The correct contents of the store, from one undisturbed sweep; the test gets a copy, ``whole``."""

    def make(place: Path) -> None:
        (place / "plan.toml").write_text(SWEEP)
        done = of_json(dupack_in(place, "sweep", "plan.toml", "--out", "whole", "--json"))
        assert (done["finished"], done["ran"], done["failed"]) == (12, 12, 0)

    place, _ = once("whole", make)
    shutil.copytree(place / "whole", tmp_path / "whole")
    return content(tmp_path / "whole")


def test_the_summary_is_that_of_run(dupack: Dupack, plan: Path) -> None:
    run = of_json(dupack("run", plan, "--json"))
    sweep = of_json(dupack("sweep", plan, "--json"))
    for a, b in zip(run["points"], sweep["points"], strict=True):
        assert (b["settings"], b["n"], b["summary"]) == (a["settings"], len(a["runs"]), a["summary"])


def test_the_same_bytes_by_any_number_of_threads(dupack: Dupack, plan: Path, tmp_path: Path, whole: Any) -> None:
    for threads in (1, 5):
        assert dupack("sweep", plan, "--out", f"on-{threads}", "--threads", threads).returncode == 0
        assert content(tmp_path / f"on-{threads}") == whole


def test_a_second_time_nothing_is_run(dupack: Dupack, plan: Path, tmp_path: Path, whole: Any) -> None:
    done = dupack("sweep", plan, "--out", "whole")
    assert "no run was missing; 12 of 12 are stored in whole" in done.stdout
    assert content(tmp_path / "whole") == whole


MANY = ("--seeds", "1..200", "--set", "duration=500 ms", "--threads", 2)


@pytest.fixture(scope="session")
def undisturbed(once: Once) -> dict[str, bytes]:
    """The contents of a store after 600 runs without an interruption."""

    def make(place: Path) -> None:
        (place / "plan.toml").write_text(SWEEP)
        _, errors = begin(place / "plan.toml", *MANY).communicate(timeout=300)
        assert errors == ""

    place, _ = once("undisturbed", make)
    return content(place / "store")


def test_killed_again_and_again_it_loses_nothing_and_runs_nothing_twice(
    dupack: Dupack, plan: Path, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    store = tmp_path / "store"
    had = 0
    for _ in range(3):
        process = begin(plan, *MANY)
        until(lambda: runs_in_journal(store) >= had + 50)  # noqa: B023
        process.kill()
        process.communicate()
        # A kill can leave a part of a line; the next process removes it.
        before, had = had, sum(entry is not None for entry in entries(store))
        assert had > before
    done = dupack("sweep", plan, *MANY, "--json")
    assert f"store: {had} of 600 runs had already finished" in done.stderr
    assert of_json(done)["ran"] == 600 - had
    assert content(store) == undisturbed
    assert not journal(store)


@pytest.mark.parametrize(
    ("number", "word", "code"), [(signal.SIGINT, "interrupted", 130), (signal.SIGTERM, "terminated", 143)]
)
def test_interrupted_it_leaves_parquet_and_goes_on(
    dupack: Dupack, plan: Path, tmp_path: Path, undisturbed: Any, number: signal.Signals, word: str, code: int
) -> None:
    store = tmp_path / "store"
    process = begin(plan, *MANY)
    until(lambda: runs_in_journal(store) >= 40)
    process.send_signal(number)
    output, errors = process.communicate(timeout=300)
    assert (process.returncode, output) == (code, "")
    had = pl.read_parquet(store / "runs" / "*.parquet").height
    assert had >= 40
    assert errors == f"{word}: {had} of 600 runs are stored in store; the same command resumes the sweep\n"
    assert not journal(store)
    assert of_json(dupack("sweep", plan, *MANY, "--json"))["ran"] == 600 - had
    assert content(store) == undisturbed
    assert not (store / "earlier").exists()


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def changed(data: bytes) -> bytes:
    return data[:100] + bytes([data[100] ^ 1]) + data[101:]


@pytest.mark.parametrize(("table", "damage"), [("runs", cut), ("flows", changed), ("links", None)])
def test_a_damaged_file_is_found_and_its_runs_are_done_again(
    dupack: Dupack, plan: Path, tmp_path: Path, whole: Any, table: str, damage: Callable[[bytes], bytes] | None
) -> None:
    store = tmp_path / "whole"
    (path,) = (store / table).glob("*")
    data = path.read_bytes()
    path.unlink()
    if damage:
        path.write_bytes(damage(data))
    done = dupack("sweep", plan, "--out", "whole", "--json")
    # The error names the file itself, not that of `runs`. Twelve runs are one group of rows, so all are repeated.
    what = "damaged" if damage else "missing"
    assert f"{path.relative_to(tmp_path)}: {what}; its runs are repeated" in done.stderr
    assert of_json(done)["ran"] == 12
    assert content(store) == whole


@pytest.mark.parametrize("table", ["runs", "flows", "links"])
def test_of_a_damaged_file_what_is_sound_is_kept(
    dupack: Dupack, plan: Path, tmp_path: Path, undisturbed: dict[str, bytes], table: str
) -> None:
    store = tmp_path / "store"
    for name, data in undisturbed.items():
        (store / name).parent.mkdir(parents=True, exist_ok=True)
        (store / name).write_bytes(data)
    (path,) = (store / table).glob("*")
    whole = path.read_bytes()
    # This flips a byte in the middle of the column of the runs' digests, which is long.
    places = pq.ParquetFile(path).metadata
    column = places.row_group(places.num_row_groups // 2).column(0)
    start = column.dictionary_page_offset or column.data_page_offset
    path.write_bytes(flipped(whole, start + column.total_compressed_size // 2))
    told = dupack("query", "from runs", store)
    assert (told.returncode, told.stdout) == (2, "")
    assert (
        f"{path.relative_to(tmp_path)}: damaged; run the same `dupack sweep` again to repeat the lost runs"
        in told.stderr
    )
    done = dupack("sweep", plan, *MANY, "--json")
    ran = of_json(done)["ran"]
    assert f"{path.relative_to(tmp_path)}: damaged; {ran} of its 600 runs are repeated" in done.stderr
    # A file has at least nine groups. Lost are one of them, and at most the last and the first run of its neighbours.
    assert 0 < ran <= 600 / 9 + 3
    assert content(store) == undisturbed
    assert not (store / "earlier").exists()


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def leave_damaged(plan: Path, store: Path, many: int) -> None:
    """A killed sweep has a journal of this many lines: one was changed, and the last one was not written to its end."""
    process = begin(plan, *MANY)
    until(lambda: runs_in_journal(store) >= many)
    process.kill()
    process.communicate()
    (path,) = (store / "journal").glob("*")
    lines = path.read_bytes().splitlines(keepends=True)[:many]
    lines[3] = lines[3].replace(b'"goodput_bps"', b'"goodput_bpS"', 1)
    path.write_bytes(b"".join(lines)[:-20])


def test_a_damaged_line_of_the_journal_is_one_run_done_again(
    dupack: Dupack, plan: Path, tmp_path: Path, undisturbed: Any
) -> None:
    store = tmp_path / "store"
    leave_damaged(plan, store, 40)
    done = dupack("sweep", plan, *MANY, "--json")
    assert "journal: 2 lines damaged or incomplete; those runs are repeated" in done.stderr
    assert of_json(done)["ran"] == 600 - 38
    assert content(store) == undisturbed


def test_runs_of_another_sweep_are_told(plan: Path, tmp_path: Path) -> None:
    def notes(seeds: list[int]) -> list[str]:
        filling = Store(tmp_path / "store", Slots(read_plan(plan), seeds))
        for slot in filling.missing():
            job = filling.slots.job(slot)
            filling.add(slot, _native.run_one(job.plan, job.point, job.seed, False)[0])
        filling.close()
        return filling.notes

    assert notes([1]) == []
    kept = f"kept in {tmp_path / 'store' / 'earlier'}, and not shown"
    assert notes([2]) == [f"3 runs of another sweep are {kept}"]
    assert notes([1, 2]) == [], "now they are in the sweep"
    plan.write_text(plan.read_text().replace("[0.3, 0.6, 0.9]", "[0.3, 0.6]"))
    assert notes([1, 2]) == [f"2 runs of another sweep are {kept}"]


def test_a_damaged_line_of_an_earlier_sweep_is_told(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    leave_damaged(plan, store, 8)
    # The partial line is what a killed process leaves, and is not told.
    done = dupack("sweep", plan, "--seeds", "1000..1001", "--json")
    assert "journal: 1 damaged line of earlier sweeps; those runs are not kept" in done.stderr
    assert pl.read_parquet(store / "earlier" / "runs" / "*.parquet").height == 6


def test_a_full_disk_is_told_and_what_had_finished_stands(
    dupack: Dupack, plan: Path, tmp_path: Path, undisturbed: Any
) -> None:
    store = tmp_path / "store"
    words = " ".join(f"'{word}'" for word in MANY)
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 200; '{DUPACK}' sweep plan.toml {words}"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    had = pl.read_parquet(store / "runs" / "*.parquet").height
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot be written: file too large; " in done.stderr
    assert done.stderr.endswith(f"; {had} of 600 runs are stored in store; the same command resumes the sweep\n")
    assert 10 < had < 600
    assert not list(store.rglob("*.part"))
    assert of_json(dupack("sweep", plan, *MANY, "--json"))["ran"] == 600 - had
    assert content(store) == undisturbed


def test_more_seeds_and_points_run_only_what_is_new(dupack: Dupack, plan: Path, tmp_path: Path, whole: Any) -> None:
    first = of_json(dupack("sweep", plan, "--seeds", "3..4", "--set", f"sweep.{AXIS}=[0.9, 0.3]", "--json"))
    assert first["ran"] == 4
    grown = of_json(dupack("sweep", plan, "--json"))
    assert (grown["ran"], grown["finished"]) == (8, 12)
    assert content(tmp_path / "store") == whole, "how it grew does not show"
    assert not (tmp_path / "store" / "earlier").exists()
    # A smaller sweep shows fewer runs, and keeps the rest.
    small = of_json(dupack("sweep", plan, "--seeds", "2", "--json"))
    assert (small["ran"], small["finished"]) == (0, 3)
    assert pl.read_parquet(tmp_path / "store" / "runs" / "*.parquet").height == 3
    again = of_json(dupack("sweep", plan, "--json"))
    assert again["ran"] == 0
    assert content(tmp_path / "store") == whole


def test_another_plan_shares_the_runs_that_are_the_same(dupack: Dupack, plan: Path, tmp_path: Path, whole: Any) -> None:
    store = tmp_path / "whole"
    other = tmp_path / "other.toml"
    # The plan has another title and one more axis, and contains the same experiments among others.
    text = SWEEP.replace("Two senders", "Other words") + '"link.access.rate" = ["10 Mb/s", "20 Mb/s"]\n'
    other.write_text(text)
    assert of_json(dupack("sweep", other, "--out", "whole", "--json"))["ran"] == 12
    frame = pl.read_parquet(store / "runs" / "*.parquet")
    assert set(frame["title"]) == {"Other words, one queue"}
    assert list(frame["link.access.rate"][:8]) == ["10 Mb/s"] * 4 + ["20 Mb/s"] * 4
    assert of_json(dupack("sweep", other, "--out", "fresh", "--json"))["ran"] == 24
    assert content(store) == content(tmp_path / "fresh")
    assert of_json(dupack("sweep", plan, "--out", "whole", "--json"))["ran"] == 0
    assert content(store) == whole


def test_a_killed_sweep_of_another_plan_is_kept(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    process = begin(plan, *MANY)
    until(lambda: runs_in_journal(store) >= 40)
    process.kill()
    process.communicate()
    had = sum(entry is not None for entry in entries(store))
    assert of_json(dupack("sweep", plan, "--set", "duration=400 ms", "--json"))["ran"] == 12
    assert f"store: {had} of 600 runs had already finished" in dupack("sweep", plan, *MANY).stderr


def test_only_one_writes(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    process = begin(plan, "--set", "duration=1000000 s")
    until(lambda: (tmp_path / "store" / "sweep.json").exists())
    done = dupack("sweep", plan)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"--out store: another sweep is writing there (process {process.pid}); nothing was run\n"
    process.kill()
    process.communicate()
    assert dupack("sweep", plan).returncode == 0, "the lock goes with its process"


def test_a_directory_of_other_things_is_refused(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    done = dupack("sweep", plan, "--out", "mine")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the directory has files that are not of a store, such as thesis.txt; " in done.stderr
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]
    assert dupack("sweep", plan).returncode == 0
    (tmp_path / "store" / "runs" / "mine.parquet").write_text("mine")
    done = dupack("sweep", plan)
    assert done.returncode == 2
    assert "--out store/runs/mine.parquet: not a file of a store, but it would be read as one; " in done.stderr


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--on", "nowhere"], '--on nowhere: unknown engine; write "local", "ray" or the address of a Ray cluster'),
        (["--on", "ray", "--threads", "2"], "--threads: applies only to --on local"),
        (["--out", "plan.toml"], "--out plan.toml: cannot be "),
        (["--seeds", "2..1"], "--seeds"),
        (["--set", "duratoin=1 s"], 'did you mean "duration"?'),
    ],
)
def test_what_is_wrong_is_told_before_anything_runs(dupack: Dupack, plan: Path, words: list[str], error: str) -> None:
    done = dupack("sweep", plan, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert error in done.stderr


def test_a_plan_without_a_sweep_is_a_sweep_of_one_point(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    plan.write_text(PLAN)
    assert "1 run in " in dupack("sweep", plan).stdout
    assert steady(json.loads((tmp_path / "store" / "sweep.json").read_text()))["points"] == 1
