"""What others wrote is neither overwritten, nor changed through a link, nor obeyed; no path is special."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

import dupack as dk
from conftest import DUPACK, PLAN, Dupack, of_json
from dupack import _native
from dupack.cli import cli
from dupack.errors import RequestError
from dupack.files import check_file, expanded, refuse_inputs, refuse_links, write_whole
from dupack.reproduce.command import check_place
from dupack.reproduce.runs import FILE, Runs
from dupack.store.query import Reader
from dupack.store.slots import Slots
from dupack.store.store import JOURNAL, LOCK, Store
from dupack.traces import Capture
from dupack.words import visible
from dupack.work import read_plan

MINE = "mine, and of nobody else\n"
ODD = ["it's", 'a "quoted"; name', "two\nlines", "glob[1]*?{a,b}", "50 % \\ back", os.fsdecode(b"not UTF-8 \xff\xfe")]


def filled(place: Path, plan: Path) -> None:
    """Makes a store without runs."""
    Store(place, Slots(read_plan(plan))).close()


@pytest.mark.parametrize("link", [".lock", "sweep.json", "plan.toml", "journal", "runs", "journal/a.jsonl"])
def test_a_link_in_a_store_is_refused_and_what_it_leads_to_is_kept(plan: Path, tmp_path: Path, link: str) -> None:
    store, mine = tmp_path / "store", tmp_path / "mine"
    filled(store, plan)
    place = store / link
    if place.is_dir():
        place.rmdir()
        mine.mkdir()
    else:
        mine.write_text((store / link).read_text() if place.exists() else MINE)
        place.unlink(missing_ok=True)
    before = mine.read_bytes() if mine.is_file() else b""
    place.symlink_to(mine)
    with pytest.raises(
        RequestError,
        match=r"is a symbolic link; dupack does not write through links\. Remove it, or choose another --out; nothing",
    ):
        filled(store, plan)
    assert (mine.read_bytes() if mine.is_file() else b"") == before
    assert place.is_symlink()


def test_a_second_name_of_a_file_is_no_lock(plan: Path, tmp_path: Path) -> None:
    store, mine = tmp_path / "store", tmp_path / "mine"
    filled(store, plan)
    mine.write_text(MINE)
    (store / LOCK).unlink()
    (store / LOCK).hardlink_to(mine)
    (store / JOURNAL).rmdir()
    with pytest.raises(dk.Error, match=r"cannot be written: `\.lock` is a hard link, or not a file"):
        filled(store, plan)
    assert mine.read_text() == MINE
    assert not (store / JOURNAL).exists(), "nothing else is changed"


@pytest.mark.parametrize("name", [".lock", "plan.toml", "sweep.json", "runs"])
def test_a_directory_with_the_name_of_a_stores_file_is_no_store(plan: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text(MINE)
    with pytest.raises(RequestError, match=r"not a file of a store|files that are not of a store"):
        filled(tmp_path / "mine", plan)
    assert (tmp_path / "mine" / name).read_text() == MINE


@pytest.mark.parametrize("name", ["journal/diary.jsonl", "runs/mine.parquet", "earlier/flows/mine.parquet"])
def test_a_file_of_another_name_in_a_store_is_kept(plan: Path, tmp_path: Path, name: str) -> None:
    store = tmp_path / "store"
    if not name.startswith("journal"):
        filled(store, plan)
    mine = store / name
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text(MINE)
    with pytest.raises(RequestError, match="not a file of a store, but it would be read as one; move it elsewhere"):
        filled(store, plan)
    assert mine.read_text() == MINE


def test_a_partial_file_of_somebody_else_is_kept(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    filled(store, plan)
    for name in (".my.1.part", ".sweep.json.old.part"):
        (store / name).write_text(MINE)
    ours = [store / ".sweep.json.77.part", store / "journal" / ".dupack.77.part"]
    for path in ours:
        path.write_text("{")
    filled(store, plan)
    assert not any(path.exists() for path in ours)
    assert (store / ".my.1.part").read_text() == (store / ".sweep.json.old.part").read_text() == MINE
    (store / "runs").mkdir(exist_ok=True)
    (store / "runs" / ".my.2.part").write_text(MINE)
    with pytest.raises(RequestError, match=r"runs/\.my\.2\.part: not a file of a store"):
        filled(store, plan)
    assert (store / "runs" / ".my.2.part").read_text() == MINE
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / ".my.1.part").write_text(MINE)
    with pytest.raises(RequestError, match=r"files that are not of a store, such as \.my\.1\.part"):
        filled(tmp_path / "mine", plan)


@pytest.mark.parametrize(
    "about",
    [
        {"title": "mine", "sweep": "of the floor", "points": 3},
        {"title": "mine", "sets": [], "seeds": [], "axes": [], "points": 3, "version": "2", "sweep": "of the floor"},
    ],
)
def test_a_description_of_somebody_elses_sweep_makes_no_store(
    plan: Path, tmp_path: Path, about: dict[str, object]
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "sweep.json").write_text(json.dumps(about))
    (mine / "plan.toml").write_text(MINE)
    with pytest.raises(RequestError, match="files that are not of a store"):
        filled(mine, plan)
    assert (mine / "plan.toml").read_text() == MINE
    with pytest.raises(RequestError, match="not a store"):
        Reader(mine)


def test_a_store_of_the_first_version_is_a_store(plan: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    filled(store, plan)
    about = json.loads((store / "sweep.json").read_text())
    del about["stored"]
    (store / "sweep.json").write_text(json.dumps(about))
    Reader(store).close()
    filled(store, plan)


STRANGE: list[tuple[str, str]] = [
    *(
        (name, how)
        for name in (".lock", "sweep.json", "plan.toml", "journal", "runs", "flows")
        for how in ("link", "fifo")
    ),
    *((name, how) for name in ("journal/*", "runs/*", "links/*") for how in ("link", "fifo", "device")),
    ("sweep.json", "device"),
]


@pytest.mark.parametrize(("name", "how"), STRANGE)
def test_readers_of_a_store_follow_no_link_and_wait_for_no_pipe(
    plan: Path, tmp_path: Path, name: str, how: str
) -> None:
    store = tmp_path / "store"
    slots = Slots(read_plan(plan), [1, 2])
    filling = Store(store, slots)
    job = slots.job(0)
    document = _native.run_one(job.plan, job.point, job.seed, False)[0]
    filling.add(0, document)
    if "journal/*" not in name:
        filling.close()
    place = next(store.glob(name))
    aside = tmp_path / "aside"
    place.rename(aside)
    if how == "fifo":
        os.mkfifo(place)
    else:
        place.symlink_to("/dev/zero" if how == "device" else aside)
    for command in (["query", "from runs", str(store)], ["plot", str(store), "jain", "--out", str(tmp_path / "a.svg")]):
        refused = CliRunner().invoke(cli, command, standalone_mode=False).exception
        assert type(refused) is RequestError, command
        if command[0] == "query" or name != "sweep.json":
            assert f"{place}: {'not a' if how == 'fifo' else 'a link, and nothing is read through a link'}" in str(
                refused
            )
    with pytest.raises((RequestError, dk.Error), match=r"a symbolic link|not a f|not a regular file|another sweep"):
        filled(store, plan)


@pytest.mark.parametrize("option", ["--tape={}", "--tape={}.parquet", "--pcap=bottleneck={}", "--qlog={}"])
def test_traces_replace_traces_and_nothing_else(plan: Path, tmp_path: Path, option: str) -> None:
    run = CliRunner().invoke
    name = "logs" if "qlog" in option else "trace"
    words = ["run", str(plan), option.format(tmp_path / name)]
    for _ in range(2):
        assert run(cli, words, standalone_mode=False).exception is None, "one of its own is replaced"
    place = Path(words[2].rpartition("=")[2])
    place = place / "bulk-0.sqlog" if place.is_dir() else place
    own = place.read_bytes()
    place.write_text(MINE)
    refused = run(cli, words, standalone_mode=False).exception
    assert isinstance(refused, RequestError)
    assert f"{place}: dupack did not write this file, and does not overwrite it; give another" in str(refused)
    assert place.read_text() == MINE
    assert run(cli, [*words, "--force"], standalone_mode=False).exception is None
    assert len(place.read_bytes()) == len(own)


READS = "this command reads it, and does not replace it; give another name; nothing was"


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize(
    ("words", "replaced"),
    [
        (["run", "plan.toml", "--tape", "plan.toml"], "--tape plan.toml"),
        (["run", "plan.toml", "--tape", "link.toml"], "--tape link.toml"),
        (["run", "plan.toml", "--pcap", "bottleneck=plan.toml"], "--pcap plan.toml"),
        (["run", "bulk-0.sqlog", "--qlog", "."], "--qlog bulk-0.sqlog"),
        (["run", "result.json", "--out", "."], "--out result.json"),
        (["run", "plan.toml", "--tape", "./line.csv"], "--tape line.csv"),
        (["run", "plan.toml", "--set", "link.bottleneck.schedule.file=steps", "--tape", "steps"], "--tape steps"),
        (["live", "plan.toml", "--tape", "plan.toml"], "--tape plan.toml"),
        (["live", "plan.toml", "--pcap", "sink=plan.toml"], "--pcap plan.toml"),
        (["plot", "drawn.csv", "--out", "drawn.svg"], "--out drawn.csv"),
    ],
)
def test_no_output_replaces_an_input(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, force: list[str], words: list[str], replaced: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = PLAN.replace('rate = "12 Mb/s"', 'rate = "12 Mb/s"\nschedule = { file = "line.csv" }')
    for name in ("plan.toml", "bulk-0.sqlog", "result.json"):
        Path(name).write_text(text)
    Path("link.toml").symlink_to("plan.toml")
    Path("line.csv").write_text("at_s,rate_bps\n1,8e6\n")
    Path("steps").write_text("at_s,rate_bps\n1,8e6\n")
    Path("drawn.csv").write_text("time_s,flow,event,segment,cwnd,ssthresh\n0.1,a,window,1,2,3\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    refused = CliRunner().invoke(cli, [*words, *force], standalone_mode=False).exception
    assert type(refused) is RequestError, refused
    assert f"{replaced}: {READS} " in str(refused)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_report_does_not_replace_its_paper(dupack: Dupack, tmp_path: Path) -> None:
    (tmp_path / "paper").symlink_to(Path(dk.__file__).parent / "papers" / "cohen-hamo-2001")
    for command in ("reproduce", "readings"):
        done = dupack(command, "./paper", "--out", "paper", "--force")
        assert (done.returncode, f"--out paper: {READS} run" in done.stderr) == (2, True), done.stderr


def test_a_terminal_is_both_read_and_written() -> None:
    ours, theirs = pty.openpty()
    refuse_inputs([("--tape", Path(f"/dev/fd/{theirs}"))], [Path(f"/dev/fd/{theirs}")])
    for handle in (ours, theirs):
        os.close(handle)


def test_results_are_not_removed_through_a_link(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "seed-1.json").write_text(MINE)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "runs").symlink_to("../mine")
    assert dupack("run", plan, "--seeds", "1..2", "--out", "out").returncode == 2
    assert (tmp_path / "mine" / "seed-1.json").read_text() == MINE


def test_a_partial_file_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text(MINE)
    (tmp_path / f".new.{os.getpid()}.part").symlink_to("mine")
    write_whole(tmp_path / "new", "ours")
    assert (tmp_path / "new").read_text() == "ours"
    assert (tmp_path / "mine").read_text() == MINE


def test_results_replace_results_unless_forced(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "result.json").write_text(MINE)
    assert dupack("run", plan, "--out", "out").returncode == 2
    assert (tmp_path / "out" / "result.json").read_text() == MINE
    assert dupack("run", plan, "--out", "out", "--force").returncode == 0
    assert dupack("run", plan, "--out", "out").returncode == 0, "now it is dupack's"


def test_documents_of_others_are_no_results(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    """The name of a file does not make it a result, nor do a few of its keys."""
    assert dupack("run", plan, "--seeds", "6..7", "--out", "ours").returncode == 0
    run = (tmp_path / "ours" / "runs" / "seed-7.json").read_text()
    slides = json.dumps({"title": "my slides", "points": ["a", "b"]})
    for at, (name, text) in enumerate(
        [
            ("runs/seed-7.json", MINE),
            ("runs/seed-7.json", slides),
            ("runs/seed-8.json", run),
            ("runs/.seed-7.json.12.part", MINE),
            ("result.json", slides),
            ("result.json", json.dumps({"title": "mine", "summary": {}, "runs": []})),
            (".result.json.12.part", MINE),
            (".dupack.12.part", MINE),
        ]
    ):
        mine = tmp_path / f"mine-{at}" / name
        mine.parent.mkdir(parents=True)
        mine.write_text(text)
        done = dupack("run", plan, "--seeds", "6..7", "--out", f"mine-{at}")
        assert (done.returncode, done.stdout) == (2, ""), name
        assert "files that are not results of dupack run" in done.stderr
        assert mine.read_text() == text
    # Beside a result, too, if a new one would have the name.
    (tmp_path / "ours" / "runs" / "seed-7.json").write_text(MINE)
    assert dupack("run", plan, "--seeds", "6..7", "--out", "ours").returncode == 2
    assert (tmp_path / "ours" / "runs" / "seed-7.json").read_text() == MINE
    assert dupack("run", plan, "--seeds", "6..7", "--out", "ours", "--force").returncode == 0


@pytest.mark.parametrize(
    "words", [[], ["--seeds", "1..2"], ["--set", 'sweep={"link.access.rate"=["1 Mb/s", "2 Mb/s"]}']]
)
def test_results_of_each_kind_are_replaced(dupack: Dupack, plan: Path, tmp_path: Path, words: list[str]) -> None:
    kept = tmp_path / "kept"
    assert dupack("run", plan, *words, "--out", "kept").returncode == 0
    # What a process leaves that is killed while it writes: a part of the document, or nothing of it.
    text = (kept / "result.json").read_text()
    for size, name in enumerate([".result.json.77.part", "runs/.seed-3.json.77.part", ".dupack.77.part"]):
        (kept / name).parent.mkdir(exist_ok=True)
        (kept / name).write_text(text[: 100 if size == 0 else 0])
    done = dupack("run", plan, "--out", "kept")
    assert (done.returncode, done.stderr) == (0, "--out kept: earlier results were removed\n")
    assert [path.name for path in kept.iterdir()] == ["result.json"]


def test_a_result_that_is_a_pipe_is_not_waited_for(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    os.mkfifo(tmp_path / "out" / "result.json")
    assert dupack("run", plan, "--out", "out").returncode == 2


def test_a_report_needs_a_place_of_its_own(tmp_path: Path) -> None:
    place = tmp_path / "report"
    check_place(place, force=False)
    check_place(place, force=False)
    (place / "report.html").write_text(MINE)
    with pytest.raises(RequestError, match=r"not of a report of dupack, such as report\.html; give a new or an empty"):
        check_place(place, force=False)
    check_place(place, force=True)
    with Runs(place / "data" / FILE):
        pass
    check_place(place, force=False)
    (place / "figures").rmdir()
    (place / "figures").symlink_to(tmp_path)
    with pytest.raises(RequestError, match="is a symbolic link"):
        check_place(place, force=True)


def test_a_file_that_is_empty_is_nobodys(tmp_path: Path) -> None:
    (tmp_path / "new").touch()
    check_file(tmp_path / "new", "--tape", lambda path: False)
    refuse_links([tmp_path / "new"], "--out")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["run", "plan.toml", "--tape", "a", "--tape", "b"], "--tape: given more than once; give it once"),
        (["run", "plan.toml", "--set", "seed=1", "--set", "seed = 2"], "seed is given more than once; give it once"),
        (["compare", "plan.toml", "--vary", "seed=1,2", "--of", "a", "--of", "b"], "--of: given more than once"),
        (["compare", "plan.toml", "--vary", "seed=1,2", "--vary", "seed=3,4"], "seed is given more than once"),
        (["compare", "plan.toml", "--vary", "a=1,2", "--lowest", "--highest"], "--lowest or --highest: given more"),
        (["query", "--csv", "--json"], "--csv and --json: given together; give only one"),
        (["reproduce", "--quick", "--seeds", "1", "--seeds", "2"], "--seeds: given more than once"),
        (["show", "red", "--set", "min_th=1", "--set", "min_th=2"], "min_th is given more than once"),
    ],
)
def test_no_value_is_dropped_silently(words: list[str], error: str) -> None:
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 2
    assert error in done.output


def test_every_command_refuses_an_option_that_is_given_twice() -> None:
    commands = [(name, command) for name, command in cli.commands.items()]
    for name, command in commands:
        single = [one for one in command.params if one.param_type_name == "option" and not one.multiple]
        for option in (one for one in single if getattr(one, "is_flag", True) is False):
            done = CliRunner().invoke(cli, [name, option.opts[0], "1", option.opts[0], "2"])
            assert f"{option.opts[0]}: given more than once" in done.output, (name, option.opts)


def test_a_reading_has_one_value_per_axis(dupack: Dupack) -> None:
    done = dupack("reproduce", "cohen-hamo-2001", "--reading", "a=1", "--reading", "a=2")
    assert done.returncode == 2
    assert "--reading a: given more than once; give each axis one value" in done.stderr


@pytest.mark.parametrize("name", ODD, ids=range(len(ODD)))
def test_no_path_is_special(dupack: Dupack, plan: Path, tmp_path: Path, name: str) -> None:
    place = tmp_path / f"{name}.toml"
    place.write_text(plan.read_text())
    filling = dupack("sweep", place, "--seeds", "1..2", "--out", tmp_path / name, "--json")
    assert of_json(filling)["ran"] == 2
    sql = "select count(*) as n, count(distinct f.run) as runs from flows f join runs r using (run)"
    assert of_json(dupack("query", sql, tmp_path / name, "--json")) == [{"n": 4, "runs": 2}]
    again = dupack("sweep", place, "--seeds", "1..2", "--out", tmp_path / name)
    assert "no run was missing" in again.stdout, again.stderr
    kept = dupack("run", place, "--seeds", "1..2", "--out", tmp_path / f"{name}.out", "--json")
    assert of_json(kept)["title"]


def test_a_trace_and_a_network_have_any_path(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    name = ODD[-1]
    place = tmp_path / f"{name}.toml"
    place.write_text(f"{plan.read_text()}\n".replace('title = "Two senders, one queue"', ""))
    assert dupack("run", place, "--tape", tmp_path / name).returncode == 0
    assert (tmp_path / name).read_bytes().startswith(b"time_s,flow,")
    assert dk.load(place).run(duration="100 ms").document["title"].endswith("not UTF-8 \\xff\\xfe.toml")
    done = dupack("check", tmp_path / f"no {name}")
    assert (
        done.stderr
        == f"{tmp_path}/no not UTF-8 \\xff\\xfe: the plan cannot be read: no such file or directory; nothing was run\n"
    )


def test_a_tilde_is_the_home_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, plan: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert expanded("~/out") == tmp_path / "out"
    assert expanded("./~/out") == Path("./~/out")
    assert Capture.read("access@a=~/line").file == tmp_path / "line"
    assert read_plan("~/plan.toml").title == dk.load("~/plan.toml").plan().split('"')[1]
    with pytest.raises(RequestError, match=r"~nobody-here/x: there is no user 'nobody-here'; write \./~nobody-here/x"):
        expanded("~nobody-here/x")
    refused = CliRunner().invoke(cli, ["run", "plan.toml", "--out", "~nobody-here"])
    assert (refused.exit_code, "there is no user" in refused.output) == (2, True)


def test_text_that_is_not_utf8_is_refused_in_words(plan: Path, tmp_path: Path) -> None:
    for words in ([b"run", os.fsencode(plan), b"--set", b"title=\xff"], [b"query", b"select \xff"]):
        every = [os.fsencode(DUPACK), *words]
        done = subprocess.run(every, cwd=tmp_path, capture_output=True, timeout=60, check=False)
        assert done.returncode == 2
        assert b"\\xff is not UTF-8" in done.stderr


def test_what_cannot_be_seen_is_written_out() -> None:
    assert visible("a\x1b[2J\x9b\r\x07b\tc\nd µ ± é \u202e") == "a\\x1b[2J\\x9b\\x0d\\x07b\tc\nd µ ± é \\u202e"
    assert visible(os.fsdecode(b"\xff")) == "\\xff"
