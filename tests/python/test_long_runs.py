"""Stores of runs with very many flows: their documents are never in memory as Python objects."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import dupack as dk
from conftest import PLAN
from dupack import connections, work
from dupack.plots import source
from dupack.plots.data import COLUMNS
from dupack.plots.stored import OfStore
from dupack.store import journal, long, rows, schema
from dupack.store.journal import Journal

TEXTS: dict[str, Any] = {
    "as it is": {"run": "a", "settings": {"x": [{"y": 1}]}, "document": {"flows": [{"name": "a"}, {"name": "b"}]}},
    "empty": {"document": {"flows": [], "links": [], "summary": {}}},
    "no lists": {"document": {}},
    "letters": {"document": {"flows": [{"name": '],"links":[{'}, {"name": 'é \\ " → 😀'}], "links": None}},
    "inside": {"flows": [1], "document": {"connections": {"flows": [[1], [2]]}, "links": [{"flows": [{}]}]}},
}


def whole(found: Any) -> Any:
    """With lists instead of rows that are decoded later."""
    if isinstance(found, dict):
        return {key: whole(value) for key, value in found.items()}
    return list(found) if isinstance(found, long.Rows) else found


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("document", TEXTS.values(), ids=TEXTS)
def test_a_long_line_is_the_same_run(document: dict[str, Any], indent: int | None) -> None:
    found = long.entry(json.dumps(document, ensure_ascii=False, indent=indent))
    assert whole(found) == document
    assert whole(found) == document, "rows can be read again"


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a" 1}', '{"document": {"flows": [{}', "{} {}", '{"a": 1 "b": 2}'])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        long.entry(text)


def test_a_store_has_the_same_bytes_if_its_lines_are_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plan.toml").write_text(PLAN)
    net = dk.load(tmp_path / "plan.toml")
    for name in ("short", "long"):
        dk.sweep(net, {"link.*.delay": ["1 ms", "2 ms"]}, seeds=2, out=tmp_path / name)
        monkeypatch.setattr(long, "LONG", 0)
        monkeypatch.setattr(rows, "ROWS_AT_ONCE", 3)
        monkeypatch.setattr(journal, "PIECE", 100)
    # The names of files have digests.
    files = [
        sorted(path.relative_to(tmp_path / name) for path in (tmp_path / name).rglob("*.parquet"))
        for name in ("short", "long")
    ]
    assert len(files[0]) == 3
    assert files[0] == files[1]


def peak(place: Path, flows: int) -> tuple[int, int]:
    """The most memory of Python objects from a document's text to the rows of tables [bytes], and the text's length."""
    flow = {key: number + 0.25 for number, key in enumerate(f"measure_{number}" for number in range(30))}
    document = {"summary": {}, "flows": [{"name": f"f-{at}", **flow, "goodput_bps": at + 0.5} for at in range(flows)]}
    text = json.dumps(document)
    del document
    kept = Journal(place)
    shape = rows.Shape("", [], {0: {}})
    tracemalloc.start()
    try:
        kept.append("one.jsonl", *rows.line("digest", "", 0, 1, {}, text))
        entries = (entry for entry in journal.read(place / "one.jsonl") if entry is not None)
        made = shape.tables((entry["run"], 0, 1, entry["document"]) for entry in entries)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        kept.remove("one.jsonl")
        kept.close()
    assert made["flows"].num_rows == flows
    assert made["flows"]["goodput_bps"][flows - 1].as_py() == flows - 0.5
    return most, len(text)


def test_flows_of_a_run_are_never_all_python_objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long, "LONG", 1 << 10)
    monkeypatch.setattr(rows, "ROWS_AT_ONCE", 500)
    monkeypatch.setattr(journal, "PIECE", 1 << 16)
    # Libraries import others at their first use.
    peak(tmp_path, 1)
    (few, short), (many, more) = peak(tmp_path, 2_000), peak(tmp_path, 8_000)
    # The line and its text. When a line was decoded whole, it was 4.5 times its length.
    assert 0 < many - few < 3 * (more - short)


def test_rows_in_order_are_not_copied() -> None:
    table = pa.table({"run": ["a", "a", "b"], "x": [1, 2, 3]})
    assert rows.ordered({"flows": table}, ["a", "b"])["flows"] is table
    assert rows.ordered({"flows": table}, ["b", "a"])["flows"]["x"].to_pylist() == [3, 1, 2]
    assert rows.ordered({"flows": table}, ["b"])["flows"]["x"].to_pylist() == [3]
    assert rows.ordered({"flows": table.slice(0, 0)}, ["b"])["flows"].num_rows == 0


class Asked:
    """A plan without connections that come and go."""

    def measure(self, name: str) -> None:
        """Refuses every measure."""
        raise ValueError(name)


def test_measures_are_not_listed_to_find_connections(tmp_path: Path) -> None:
    # A million flows have 18 million measures.
    assert connections.in_plan(Asked()) == []  # type: ignore[arg-type]
    assert not connections.lone_in_plan(Asked())  # type: ignore[arg-type]
    (tmp_path / "plan.toml").write_text(PLAN)
    assert connections.in_plan(work.read_plan(tmp_path / "plan.toml")) == []


def test_lists_of_documents_are_tables() -> None:
    assert set(long.LISTS) < set(schema.tables())


def test_figures_of_a_store_need_few_columns_and_no_list_of_all_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plan.toml").write_text(PLAN)
    dk.sweep(dk.load(tmp_path / "plan.toml"), {"link.access.delay": ["1 ms", "2 ms"]}, out=tmp_path / "store")
    data = source._store(tmp_path / "store")
    for part in ("flows", "links"):
        assert {frozenset(row) for row in data.rows(part)} == {frozenset(("point", "seed", *COLUMNS[part]))}
    known = data.measures()
    assert "flows.bulk-0.goodput_bps" in known
    with monkeypatch.context() as changed:
        changed.setattr(OfStore, "measures", lambda data: pytest.fail("listed"))
        assert [data.measure(path) for path in known] == known
        assert data.measure("goodput_bps") == "summary.goodput_bps"
    assert data.measure("flows.*.goodput_bps") == "flows.*.goodput_bps"
    for path in ("flows.bulk-9.goodput_bps", "flows.bulk-0", "flows", "summary", "goodput"):
        with pytest.raises(dk.RequestError, match="is unknown"):
            data.measure(path)
