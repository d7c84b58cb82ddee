"""``dupack query``, as a user calls it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from conftest import Dupack, of_json
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


def test_sql_joins_the_tables(dupack: Dupack, store: str) -> None:
    sql = f"""
        select "{AXIS}" as lower, count(*) as flows, sum(f.timeouts) = sum(distinct r.timeouts + 0) as one
        from flows f join runs r using (run) group by 1 order by 1
    """
    assert [row["flows"] for row in of_json(dupack("query", sql, store, "--json"))] == [8, 8, 8]
    shared = "select bool_and(l.sent + l.dropped + l.waiting + l.in_service = l.offered + l.minted) as law from links l"
    assert dupack("query", shared, store, "--csv").stdout == "law\nTrue\n"


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
        (["from runs"], "store: not a store; `dupack sweep` makes one"),
    ],
)
def test_what_cannot_be_asked(dupack: Dupack, store: str, words: list[str], error: str) -> None:
    done = dupack("query", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert error in done.stderr


def test_an_empty_answer_and_a_reader_that_leaves(dupack: Dupack, store: str) -> None:
    assert dupack("query", "from series", store).stdout.split() == ["run", "measure", "name", "time_s", "value"]
    assert json.loads(dupack("query", "select 1 as one", store, "--json").stdout) == [{"one": 1}]


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
        assert f"{path.relative_to(tmp_path)}: {what}; the same `dupack sweep` repeats the lost" in done.stderr
    path.write_bytes(whole)
    assert dupack("query", "select sum(segments_sent) from flows", "here").returncode == 0
    assert "the query is empty" in dupack("query", " ", "here").stderr
