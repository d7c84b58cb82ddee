"""``dupack query``, as a user calls it."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from conftest import DUPACK, STARTED, Dupack, Once, of_json
from dupack import _native
from dupack.errors import RequestError
from dupack.store.query import Reader, query
from dupack.store.slots import Slots
from dupack.store.store import Store
from dupack.tables import MOST_PRINTED
from dupack.work import read_plan
from test_run import STOPS
from test_sweep import AXIS, SWEEP, begin, journal, until


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """Twelve runs."""
    path = tmp_path / "plan.toml"
    path.write_text(SWEEP)
    return path


@pytest.fixture
def store(dupack: Dupack, plan: Path) -> str:
    """Filled."""
    assert dupack("sweep", plan, "--out", "here").returncode == 0
    return "here"


def fill(place: Path, plan: Path, seeds: list[int]) -> Store:
    """Makes a store with all runs of these seeds."""
    store = Store(place, Slots(read_plan(plan), seeds))
    for slot in range(len(store.slots)):
        job = store.slots.job(slot)
        store.add(slot, _native.run_one(job.plan, job.point, job.seed, False)[0])
    return store


@pytest.fixture
def kept(once: Once) -> Path:
    """A store that several tests read."""

    def make(place: Path) -> None:
        (place / "plan.toml").write_text(SWEEP)
        fill(place / "kept", place / "plan.toml", [1, 2, 3, 4]).close()

    return once("query", make)[0] / "kept"


def test_sql_joins_the_tables(dupack: Dupack, store: str) -> None:
    sql = f"""
        select "{AXIS}" as lower, count(*) as flows, sum(f.timeouts) = sum(distinct r.timeouts + 0) as one
        from flows f join runs r using (run) group by 1 order by 1
    """
    assert [row["flows"] for row in of_json(dupack("query", sql, store, "--json"))] == [8, 8, 8]
    shared = "select bool_and(l.sent + l.dropped + l.waiting + l.in_service = l.offered + l.minted) as law from links l"
    assert dupack("query", shared, store, "--csv").stdout == "law\nTrue\n"


def test_csv_is_escaped_on_a_terminal_alone(kept: Path, tmp_path: Path) -> None:
    command = [str(DUPACK), "query", "select chr(27) || '[31m' as text", str(kept), "--csv"]
    assert subprocess.run(command, capture_output=True, timeout=60, check=True).stdout == b"text\n\x1b[31m\n"
    ours, theirs = pty.openpty()
    subprocess.run(command, stdout=theirs, timeout=60, check=True)
    os.close(theirs)
    told = os.read(ours, 65536)
    os.close(ours)
    assert told == b"text\r\n\\x1b[31m\r\n"


@pytest.mark.parametrize("columns", ["1", "20", "80", "1000"])
def test_no_word_of_a_row_is_broken(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    query("select * exclude (run), 'a text of several words' as text from runs order by point, seed", kept, None)
    told = capsys.readouterr().out
    if columns == "1000":
        assert len(told.splitlines()) == 13
        return
    assert told.startswith("row 1\ntitle: ")
    assert {"point: 0", "seed: 1", "text: a text of several words", "row 12"} <= set(told.splitlines())


def test_a_text_is_wrapped_between_words(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    query(f"select 12345678901234567890 as n, repeat('words of text ', 8) as text, '{'x' * 20}' as name", kept, None)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["n", "text", "name"]
    assert lines[1].startswith("12345678901234567890  words of text ")
    assert max(map(len, lines)) <= 60
    assert set(" ".join(lines[1:]).split()) == {"12345678901234567890", "words", "of", "text", "x" * 20}


def test_a_long_query_is_no_file_name(dupack: Dupack, store: str) -> None:
    done = dupack("query", f"select count(*) as runs from runs where {' or '.join(['seed > 0'] * 40)}", store)
    assert done.returncode == 0, done.stderr
    assert "runs" in done.stdout


def test_an_answer_is_a_table_csv_or_json(dupack: Dupack, store: str) -> None:
    sql = "select seed, jain, null as none from runs where point = 1"
    document = of_json(dupack("query", sql, store, "--json"))
    rows = list(csv.DictReader(io.StringIO(dupack("query", sql, store, "--csv").stdout)))
    assert [(float(row["jain"]), row["none"]) for row in rows] == [(row["jain"], "") for row in document]
    lines = dupack("query", sql, store).stdout.splitlines()
    assert lines[0].split() == ["seed", "jain", "none"]
    assert lines[1].split() == ["1", f"{document[0]['jain']:.6g}", "-"]
    assert of_json(dupack("query", "from runs where false", store, "--json")) == []


def test_json_has_null_for_what_is_not_finite(dupack: Dupack, store: str) -> None:
    sql = "select 'nan'::double as a, [1.5, 'inf'::double] as b, {'c': '-inf'::double} as d"
    assert of_json(dupack("query", sql, store, "--json")) == [{"a": None, "b": [1.5, None], "d": {"c": None}}]


def test_without_sql_it_says_what_there_is(dupack: Dupack, store: str) -> None:
    text = dupack("query", store).stdout
    assert any(line.split()[:3] == ["runs", AXIS, "double"] for line in text.splitlines())
    assert "Timeouts: expirations of the retransmission timer." in text


def test_a_sweep_under_way_shows_what_has_finished(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    process = begin(plan, "--seeds", "1..100000")
    store = tmp_path / "store"
    until(lambda: len(journal(store)) >= 30)
    counts = [of_json(dupack("query", "select count(*) as n from runs", "--json"))[0]["n"] for _ in range(2)]
    process.kill()
    process.communicate()
    assert 30 <= counts[0] <= counts[1] <= 300_000
    whole = sum(line.endswith("}") for line in journal(store))
    sql = "select count(*) as n, count(distinct run) as runs from runs"
    assert of_json(dupack("query", sql, "--json")) == [{"n": whole, "runs": whole}]
    sql = f'select count(*) as n from flows join runs using (run) where "{AXIS}" is not null'
    assert of_json(dupack("query", sql, "--json")) == [{"n": 2 * whole}]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["selct 1", "here"], 'the query: syntax error at or near "selct"\nLINE 1: selct 1\n        ^'),
        (["select nope from runs", "here"], 'the query: Referenced column "nope" not found in FROM clause\n'),
        (["from rns", "here"], "LINE 1: from rns\n             ^^^\n`dupack query here` prints"),
        ([f"select {AXIS} from runs", "here"], f'A name with dots needs double quotes: "{AXIS}".'),
        (["select avg(title) from runs", "here"], "'avg(VARCHAR)'. You might need to add explicit type casts.\nLINE"),
        (["from runs", "nowhere"], "nowhere: not a store; `dupack sweep` makes one"),
        ([";", "here"], "the query has no statement; `dupack query` without a query lists tables and columns"),
        (["from runs"], "store: not a store; `dupack sweep` makes one"),
    ],
)
def test_what_cannot_be_asked(dupack: Dupack, store: str, words: list[str], error: str) -> None:
    done = dupack("query", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert error in done.stderr


def test_an_empty_answer_and_a_reader_that_leaves(dupack: Dupack, store: str) -> None:
    assert dupack("query", "from series", store).stdout.split() == [
        "run",
        "measure",
        "name",
        "time_s",
        "value",
        "unit",
    ]
    assert json.loads(dupack("query", "select 1 as one", store, "--json").stdout) == [{"one": 1}]


@pytest.mark.parametrize("gone", [["runs"], ["runs", "flows", "links"]])
def test_deleted_runs_are_missed(dupack: Dupack, plan: Path, tmp_path: Path, gone: list[str]) -> None:
    assert dupack("sweep", plan, "--out", "here").returncode == 0
    for table in gone:
        for path in (tmp_path / "here" / table).iterdir():
            path.unlink()
    done = dupack("query", "select count(*) from runs", "here")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "here/runs: 12 of 12 runs are missing; run the same `dupack sweep` again to repeat the lost runs\n"
    )
    assert of_json(dupack("sweep", plan, "--out", "here", "--json"))["ran"] == 12
    assert of_json(dupack("query", "select count(*) as n from runs", "here", "--json")) == [{"n": 12}]


def test_deleted_runs_of_a_sweep_that_goes_on_are_missed(plan: Path, tmp_path: Path) -> None:
    # Of an interrupted sweep, only those that were in Parquet files are known.
    store = fill(tmp_path / "here", plan, [1, 2])
    Reader(tmp_path / "here").close()
    for path in (tmp_path / "here" / "runs").iterdir():
        path.unlink()
    with pytest.raises(RequestError, match="6 of 6 runs are missing"):
        Reader(tmp_path / "here")
    store.close()


@pytest.mark.parametrize(
    "sql",
    [
        "copy runs to 'mine.csv'",
        "export database 'mine'",
        "attach 'mine.db'",
        "from read_csv('plan.toml')",
        "from read_text('plan.toml')",
        "from read_parquet('kept/runs/*.parquet')",
        "from glob('*')",
        "from 'plan.toml'",
        "from sniff_csv('plan.toml')",
        "from read_blob('http://127.0.0.1:1/')",
        "import database 'mine'",
        "create persistent secret mine (type http, bearer_token 'x')",
        "call enable_logging('QueryLog', storage='file', storage_path='mine')",
        "pragma profile_output = 'mine.json'",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "set profiling_output = 'mine.txt'",
        "set temp_directory = 'mine'",
        "from reader",
    ],
)
def test_sql_sees_only_the_store(
    kept: Path, plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RequestError):
        query(sql.replace("kept", str(kept)), kept, "csv")
    assert list(tmp_path.iterdir()) == [plan]


def test_sql_has_a_limit_of_memory(dupack: Dupack, kept: Path) -> None:
    # A list is one value, which is not kept in temporary files.
    done = dupack("query", "select list(range) from range(100000000)", kept, "--memory", "100 MB")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(
        r"the query: failed to allocate .* used\); ask for less at once, or give a larger --memory\n", done.stderr
    )
    limit = dupack("query", "select current_setting('memory_limit')", kept, "--memory", "100 MiB", "--csv")
    assert limit.stdout.splitlines()[1] == "100.0 MiB"


def test_a_long_table_has_its_first_rows(dupack: Dupack, kept: Path) -> None:
    done = dupack("query", "from range(10000000)", kept, "--memory", "200 MB")
    assert done.returncode == 0, done.stderr
    assert [line.strip() for line in done.stdout.splitlines()] == ["range", *map(str, range(MOST_PRINTED))]
    assert done.stderr == "Shown are the first 1,000 rows; --csv and --json print all.\n"
    whole = dupack("query", f"from range({MOST_PRINTED})", kept)
    assert (whole.stdout, whole.stderr) == (done.stdout, "")


def test_sql_is_unsafe_if_that_is_asked_for(dupack: Dupack, kept: Path, tmp_path: Path) -> None:
    sql = "copy (select seed from runs order by run) to 'mine.csv'"
    refused = dupack("query", sql, kept)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--unsafe-sql lets a query read and write files" in refused.stderr
    assert "--unsafe-sql lets a query change settings" in dupack("query", "set threads = 1", kept).stderr
    assert dupack("query", sql, kept, "--unsafe-sql").returncode == 0
    assert (tmp_path / "mine.csv").read_text().startswith("seed\n")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("timestamptz '2020-01-01 00:00:00+00'", "2020-01-01 00:00:00+00"),
        ("[timestamptz '2020-01-01 00:00:00+00']", "['2020-01-01 00:00:00+00']"),
        ("timetz '10:00:00+01'", "10:00:00+01"),
        ("timestamp 'infinity'", "infinity"),
        ("date '5000-01-01 (BC)'", "5000-01-01 (BC)"),
        ("interval 36 hour", "36:00:00"),
        ("'\\xAA'::blob", "\\xAA"),
        ("'nan'::double", None),
        ("[1.5, '-inf'::float]", [1.5, None]),
        ("{'a': 1, 'b': [2]}", {"a": 1, "b": [2]}),
        ("sum(seed)::hugeint", 30),
        ("1.50::decimal(4, 2)", "1.50"),
        ("null", None),
    ],
)
def test_any_value_can_be_printed(kept: Path, capsys: pytest.CaptureFixture[str], value: str, text: object) -> None:
    ask = f'select count(*); select max(seed) as x, {value} as x, \'it\' as "a ""b""" from runs -- and no more'
    query(ask, kept, "json")

    def never(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    assert json.loads(capsys.readouterr().out, parse_constant=never) == [{"x": 4, "x_1": text, 'a "b"': "it"}]
    for form in ("csv", None):
        query(ask, kept, form)
        assert len(capsys.readouterr().out.splitlines()) == 2


def test_the_present_time_can_be_asked_for(dupack: Dupack, kept: Path) -> None:
    done = dupack("query", "select now() as now, seed from runs order by seed desc, run limit 3", kept, "--csv")
    assert done.returncode == 0, done.stderr
    assert [line[:3] + line[-2:] for line in done.stdout.splitlines()[1:]] == ["202,4"] * 3


@pytest.mark.parametrize(("number", "word", "code"), STOPS)
@pytest.mark.parametrize(
    "sql", ["select count(*) from range(1000000000000) as t(a) where a % 7 = 3", "select {wait}() from runs"]
)
def test_a_signal_ends_a_long_query(
    kept: Path, tmp_path: Path, sql: str, number: signal.Signals, word: str, code: int
) -> None:
    # The second query is one call that never returns; DuckDB cannot interrupt it.
    (tmp_path / "at_query.py").write_text(
        "import sys, threading, time\n"
        "from dupack.store import query\n"
        "answer = query._answer\n"
        "def answered(reader, sql, form):\n"
        "    if '{wait}' in sql:\n"
        "        sql = sql.replace('{wait}', 'wait')\n"
        "        reader.connection.create_function('wait', lambda: time.sleep(1000), [], 'INTEGER')\n"
        "    print('begun', flush=True)\n"
        "    answer(reader, sql, form)\n"
        "query._answer = answered\n"
        f"sys.argv[0] = {str(DUPACK)!r}\n"
        f"exec(open({str(DUPACK)!r}).read())\n"
    )
    process = subprocess.Popen(
        [sys.executable, "at_query.py", "query", sql, str(kept)],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    STARTED.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (code, f"{word}\n")
    assert not list(tmp_path.glob("dupack-*")), "intermediate results are removed"


@pytest.mark.parametrize("of", ["all", "table"])
@pytest.mark.parametrize("sql", ["select count(*) from range(1000000000000) as t(a) where a % 7 = 3", "select wait()"])
def test_a_signal_ends_what_the_package_asks_a_store(kept: Path, tmp_path: Path, of: str, sql: str) -> None:
    # As above: sweeps end with such queries, and figures begin with them.
    (tmp_path / "ask.py").write_text(
        "import threading, time\n"
        "from pathlib import Path\n"
        "from dupack.store.query import Reader\n"
        f"reader = Reader(Path({str(kept)!r}))\n"
        "def wait():\n"
        "    time.sleep(1000)\n"
        "reader.connection.create_function('wait', wait, [], 'INTEGER')\n"
        "threading.Timer(0.5, print, ['begun'], {'flush': True}).start()\n"
        f"reader.{of}({sql!r})\n"
    )
    process = subprocess.Popen(
        [sys.executable, "ask.py"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    STARTED.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    # DuckDB may complain, after it, of what is left at the end.
    assert "KeyboardInterrupt" in errors.splitlines()


def test_errors_of_sql_are_raised_where_it_is_asked(kept: Path) -> None:
    reader = Reader(kept)
    for ask in (reader.execute, reader.all, reader.table):
        with pytest.raises(duckdb.CatalogException, match="nothing"):
            ask("select nothing() from runs")
    assert reader.all("select ? + 1", [41]) == [(42,)]
    assert reader.table("select seed from runs").num_rows == len(reader.all("from runs"))


def test_a_damaged_store_is_not_asked(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    assert dupack("sweep", plan, "--out", "here").returncode == 0
    [path] = (tmp_path / "here/flows").glob("*.parquet")
    whole = path.read_bytes()
    middle = len(whole) // 2
    for bad in (whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :], whole[:middle], b"", None):
        path.unlink(missing_ok=True)
        if bad is not None:
            path.write_bytes(bad)
        done = dupack("query", "select sum(segments_sent) from flows", "here")
        assert (done.returncode, done.stdout) == (2, "")
        what = "missing" if bad is None else "damaged"
        assert (
            f"{path.relative_to(tmp_path)}: {what}; run the same `dupack sweep` again to repeat the lost" in done.stderr
        )
    path.write_bytes(whole)
    assert dupack("query", "select sum(segments_sent) from flows", "here").returncode == 0
    assert "the query is empty" in dupack("query", " ", "here").stderr


@pytest.mark.parametrize("damage", ["changed", "merged", "emptied"])
def test_a_damaged_journal_is_not_asked(dupack: Dupack, plan: Path, tmp_path: Path, damage: str) -> None:
    store = tmp_path / "store"
    process = begin(plan, "--seeds", "1..1000")
    until(lambda: len(journal(store)) >= 30)
    process.kill()
    process.communicate()
    (path,) = (store / "journal").iterdir()
    lines = path.read_bytes().splitlines(keepends=True)[:30]
    how = {"changed": lines[7].replace(b'"goodput_bps"', b'"goodput_bpS"', 1), "merged": lines[7][:-1] + b" ",
           "emptied": b"\0\n"}  # fmt: skip
    part = lines[29][:50]
    path.write_bytes(b"".join([*lines[:7], how[damage], *lines[8:29], part]))
    done = dupack("query", "select count(*) as n from runs")
    assert (done.returncode, done.stdout) == (2, "")
    name = path.relative_to(tmp_path)
    assert done.stderr == f"{name}: a line is damaged; run the same `dupack sweep` again to repeat the lost runs\n"
    # A sweep that goes on, and is killed again, has removed the line.
    process = begin(plan, "--seeds", "1..1000")
    until(lambda: len(journal(store)) >= 60)
    process.kill()
    process.communicate()
    sound = 27 if damage == "merged" else 28
    assert path.read_bytes().startswith(b"".join([*lines[:7], *lines[8 + 28 - sound : 29]]))
    assert of_json(dupack("query", "select count(*) as n from runs", "--json"))[0]["n"] >= 59


def test_a_partial_line_at_the_end_of_a_journal_is_no_damage(plan: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store", Slots(read_plan(plan), [1]))
    for slot in (0, 1):
        job = store.slots.job(slot)
        store.add(slot, _native.run_one(job.plan, job.point, job.seed, False)[0])
    (path,) = (store.root / "journal").iterdir()
    whole = path.read_bytes()
    for size in (len(whole) - 1, len(whole) - 100, whole.index(b"\n") + 1, 10):
        path.write_bytes(whole[:size])
        found = Reader(store.root).all("select count(*) from runs")
        assert found == [(whole[:size].count(b"\n"),)]
    store.close()
