"""Readers in Python of files from somebody else: any change of a right file is read, or refused in words."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import PLAN, Once, dupack_in
from dupack.cli import cli
from dupack.errors import Error, RequestError
from dupack.plots import source
from dupack.readings import axes
from dupack.reproduce import folder
from dupack.store import journal, segments
from test_own_paper import copied

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "fuzz"))

import record  # noqa: E402

FRESH_S = float(os.environ.get("FRESH") or 0)
"""Time for which a reader gets fresh changes (``make fuzz``) [s]; without it, it gets the same few in every run."""
PIECES = [
    b"", b"\0", b"\n", b'"', b"'", b"[", b"]", b"{", b"}", b",", b"=", b"-", b"0", b"1e999", b"99999999999999", b"nan",
    b"null", b"true", b"[]", b"{}", b'""', b"\xff\xfe", "é".encode(), b"\x1b[2J", b"../../x", b"name", b"= 1\n",
]  # fmt: skip
"""Pieces that break files."""

Change = tuple[int, int, bytes]
CHANGES = st.lists(
    st.tuples(st.integers(0, 1 << 20), st.integers(0, 40), st.sampled_from(PIECES) | st.binary(max_size=8)),
    min_size=1,
    max_size=4,
)
"""Where, how much is taken out, and what is put in."""


def changed(data: bytes, changes: list[Change]) -> bytes:
    """The data with these changes."""
    for at, length, piece in changes:
        start = at % (len(data) + 1)
        data = data[:start] + piece + data[start + length :]
    return data


def check_changes(reader: str, law: Callable[[list[Change]], None]) -> None:
    """The law holds whatever is changed. A run of an hour is described in `fuzz/last.toml`, like those of fuzzers."""
    began, of, tried = time.time(), record.commit(), 0

    @settings(
        max_examples=2000 if FRESH_S else 60,
        derandomize=not FRESH_S,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(CHANGES)
    def holds(changes: list[Change]) -> None:
        nonlocal tried
        tried += 1
        law(changes)

    found = "an error"
    try:
        holds()
        while time.time() < began + FRESH_S:
            holds()
        found = ""
    finally:
        if FRESH_S:
            record.describe(reader.replace(".", "-"), began, of, tried, found)


@pytest.fixture(scope="session")
def files(once: Once) -> Path:
    """A store, a result and a tape."""

    def make(place: Path) -> None:
        (place / "plan.toml").write_text(PLAN)
        for words in (
            ["sweep", "plan.toml", "--seeds", "1..3"],
            ["run", "plan.toml", "--set", "sample=100 ms", "--out", "result", "--tape", "tape.csv"],
        ):
            assert dupack_in(place, *words).returncode == 0

    return once("files", make)[0]


@contextmanager
def in_words(place: Path) -> Iterator[None]:
    """Errors of dupack name the file, and are in words."""
    said = ""
    try:
        yield
    except Error as error:
        said = str(error)
    assert not said or str(place) in said, said


@pytest.mark.parametrize("name", ["result/result.json", "tape.csv"])
def test_what_a_figure_is_drawn_of(files: Path, tmp_path: Path, name: str) -> None:
    right, file = (files / name).read_bytes(), tmp_path / Path(name).name
    file.write_bytes(right)
    source.read(file)

    def law(changes: list[Change]) -> None:
        file.write_bytes(changed(right, changes))
        with in_words(file):
            source.read(file)

    check_changes(file.name, law)


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (("flows", 0, "goodput_bps"), None),
        (("flows", 0), {}),
        (("links", 1), "x"),
        (("series", "cwnd", "bulk-1", 2), "x"),
        (("series", "backlog"), []),
        (("summary", "jain"), {}),
    ],
)
@pytest.mark.parametrize("what", ["course", "tradeoff", "jain"])
def test_a_changed_result_is_drawn_or_refused(
    files: Path, tmp_path: Path, what: str, at: tuple[str | int, ...], value: object
) -> None:
    document = json.loads((files / "result/result.json").read_bytes())
    inner = document
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = value
    file = tmp_path / "changed.json"
    file.write_text(json.dumps(document))
    words = ["plot", str(file), what, "--out", str(tmp_path / "figure.svg")]
    done = CliRunner().invoke(cli, words, standalone_mode=False)
    if done.exit_code:
        assert type(done.exception) is RequestError, done.exception


@pytest.mark.parametrize(
    ("name", "read"),
    [("published.toml", folder.load), ("readings.toml", lambda place: axes.load(folder.load(place)))],
)
def test_what_a_folder_of_a_paper_says(tmp_path: Path, name: str, read: Callable[[Path], object]) -> None:
    paper = copied(tmp_path)
    file = paper / name
    right = file.read_bytes()
    read(paper)

    def law(changes: list[Change]) -> None:
        file.write_bytes(changed(right, changes))
        with in_words(paper):
            read(paper)

    check_changes(name, law)


def test_a_journal(files: Path, tmp_path: Path) -> None:
    """A changed line is no entry; the others stay."""
    documents = [b'{"run": "%d", "document": {"x": [1, 2.5]}}' % number for number in range(5)]
    lines = [journal.digest(data).encode() + b" " + data + b"\n" for data in documents]
    file, right = tmp_path / "journal.jsonl", b"".join(lines)
    file.write_bytes(right)
    entries = list(journal.read(file))
    assert [entry and entry["run"] for entry in entries] == list("01234")

    def law(changes: list[Change]) -> None:
        file.write_bytes(changed(right, changes))
        found = [entry for entry in journal.read(file) if entry is not None]
        assert all(entry in entries for entry in found)
        assert len(found) >= 5 - 5 * len(changes)

    check_changes("journal", law)


@pytest.mark.parametrize("table", ["runs", "flows"])
def test_a_segment_of_a_store(files: Path, tmp_path: Path, table: str) -> None:
    """A changed file is found to be damaged; what is kept of it are rows that it had."""
    store = tmp_path / "store"
    shutil.copytree(files / "store", store)
    (file,) = (store / table).iterdir()
    right = file.read_bytes()
    (sound,) = segments.read_all(store)
    assert isinstance(sound, segments.Segment)

    def law(changes: list[Change]) -> None:
        data = changed(right, changes)
        file.write_bytes(data)
        (found,) = segments.read_all(store)
        assert isinstance(found, segments.Damaged) == (data != right)
        if isinstance(found, segments.Damaged) and (rest := found.rest()):
            had, tables = rest
            assert tables["runs"].num_rows <= had == 3

    check_changes(f"{table}.parquet", law)
