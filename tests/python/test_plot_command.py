"""The command ``dupack plot``: what it draws of a store, a result, a comparison or a tape, and bad input."""

from __future__ import annotations

import contextlib
import csv
import json
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

import dupack as dk
from conftest import dupack_in
from dupack.cli import cli
from dupack.plots import runs
from dupack.plots.data import Data
from dupack.plots.source import TAPE, read

PLAN = """
title = "Buffers"
duration = "1 s"
sample = "10 ms"
[topology]
kind = "dumbbell"
senders = 2
access = { rate = "50 Mb/s", delay = "1 ms" }
bottleneck = { rate = "10 Mb/s", delay = "5 ms" }
queue = { kind = "drop-tail", buffer = "10 packets" }
carries = "packets"
[[flow]]
name = "bulk"
from = "source"
to = "sink"
transport = { kind = "sack", mss = "1448 B" }
[sweep]
seeds = "1..3"
"link.bottleneck.queue" = [{ kind = "drop-tail", buffer = "10 packets" }, { kind = "codel" }]
"link.bottleneck.rate" = ["5 Mb/s", "10 Mb/s"]
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("plots")
    (place / "plan.toml").write_text(PLAN)
    assert dupack_in(place, "sweep", "plan.toml", "--out", "store").returncode == 0
    one = ["--set", "sweep={}", "--set", 'duration="1 s"']
    assert dupack_in(place, "run", "plan.toml", *one, "--tape", "tape.csv", "--out", "result").returncode == 0
    assert dupack_in(place, "run", "plan.toml", *one, "--tape", "tape.parquet").returncode == 0
    vary = ["compare", "plan.toml", "--vary", "link.bottleneck.queue=drop-tail,codel", "--seeds", "1..3", *one]
    (place / "compared.json").write_text(dupack_in(place, *vary, "--json").stdout)
    also = ["--also", "jain", "--also", "links.bottleneck.mean_backlog"]
    (place / "also.json").write_text(dupack_in(place, *vary, *also, "--json").stdout)
    (place / "store.json").write_text(dupack_in(place, "run", "plan.toml", "--json").stdout)
    return place


def plot(place: Path, *words: str) -> Result:
    """Runs the command in this process, in a directory."""
    with contextlib.chdir(place):
        return CliRunner().invoke(cli, ["plot", *words])


def test_without_a_viewer_one_line_says_so(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    said = "--open: no program that shows the figure was found; open the file yourself\n"
    (place / "open").write_text("#!/bin/sh\necho a; echo b >&2; exit $CODE\n")
    (place / "open").chmod(0o755)
    for opener, status, told in ((place / "open", "3", said), (place / "open", "0", ""), (place / "none", "", said)):
        monkeypatch.setattr("dupack.plots.command.OPENER", str(opener))
        monkeypatch.setenv("CODE", status)
        done = plot(place, "tape.csv", "--open", "--out", "open.svg")
        assert (done.exit_code, done.stderr) == (0, told)
        assert done.stdout == "figure: open.svg, open.csv\n"


def test_the_path_of_a_figure_does_not_act_on_the_terminal(place: Path) -> None:
    done = dupack_in(place, "plot", "tape.csv", "--out", "o\x1b[31mut.svg")
    assert (done.returncode, done.stdout) == (0, "figure: o\\x1b[31mut.svg, o\\x1b[31mut.csv\n"), done.stderr


def test_the_command_reports_what_it_wrote_and_what_is_wrong(place: Path) -> None:
    done = dupack_in(place, "plot", "store", "jain")
    assert (done.returncode, done.stdout, done.stderr) == (0, "figure: jain.svg, jain.csv\n", "")
    done = dupack_in(place, "plot", "plan.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("plan.toml: a plan, which has no results; run it first: dupack sweep plan.toml")


@pytest.mark.parametrize(
    ("words", "files", "rows"),
    [
        (["store"], ["goodput_bps.svg", "goodput_bps.csv"], 4),
        (["store.json", "jain", "timeouts", "--out", "j.png"], ["j.png", "j.csv"], 8),
        (
            ["store", "tradeoff", "--at", "rate=5 Mb/s", "--out", "t.pdf", "--out", "t.svg"],
            ["t.pdf", "t.csv", "t.svg"],
            14,
        ),
        (
            ["store", "course", "--at", "rate=5 Mb/s", "--at", "queue=codel", "--seed", "2"],
            ["course.svg", "course.csv"],
            None,
        ),
        (["result", "queue"], ["queue.svg", "queue.csv"], 101),
        (["result/result.json", "--out", "r.svg"], ["r.svg", "r.csv"], None),
        (["tape.csv", "cwnd", "--flow", "bulk-1"], ["cwnd.svg", "cwnd.csv"], None),
        (["tape.parquet", "--out", "p.svg"], ["p.svg", "p.csv"], None),
        (["compared.json"], ["comparison.svg", "comparison.csv"], 2),
    ],
)
def test_the_command_draws_what_it_is_given(place: Path, words: list[str], files: list[str], rows: int | None) -> None:
    told = plot(place, *words)
    assert (told.exception, told.stderr) == (None, "")
    assert told.stdout == f"figure: {', '.join(files)}\n"
    assert all((place / file).stat().st_size > 100 for file in files)
    with (place / files[1]).open() as file:
        found = list(csv.DictReader(file))
    assert len(found) == rows if rows is not None else found


def test_a_store_has_the_order_of_the_network(place: Path) -> None:
    few = [
        "--set",
        "topology.senders=11",
        "--set",
        'duration="100 ms"',
        "--set",
        'sweep={"link.bottleneck.delay"=["5 ms"]}',
    ]
    assert dupack_in(place, "sweep", "plan.toml", *few, "--out", "many").returncode == 0
    (place / "many.json").write_text(dupack_in(place, "run", "plan.toml", *few, "--json").stdout)
    store, document = read(place / "many"), read(place / "many.json")
    assert isinstance(store, Data)
    assert isinstance(document, Data)
    for measure in ("backlog", "cwnd"):
        (_, stored), (_, printed) = store.series(measure, 0, 1), document.series(measure, 0, 1)
        assert list(stored) == list(printed)
        assert list(stored) != sorted(stored)
        assert stored == printed


def test_a_document_with_equal_times_is_told(place: Path) -> None:
    document = json.loads((place / "result" / "result.json").read_text())
    document["series"]["time_s"] = [0.5] * len(document["series"]["time_s"])
    (place / "still.json").write_text(json.dumps(document))
    with pytest.raises(dk.RequestError, match=r"still\.json: cannot be drawn: it is not as dupack writes it \(ZeroDiv"):
        raise plot(place, "still.json", "goodput").exception or AssertionError


@pytest.mark.parametrize("tape", ["tape.csv", "tape.parquet"])
@pytest.mark.parametrize("what", [[], ["cwnd"], ["course"]])
def test_a_run_has_the_events_of_its_tape(place: Path, what: list[str], tape: str) -> None:
    assert plot(place, "result", *what, "--tape", tape, "--out", "events.svg").exception is None
    rows = pl.read_csv(place / "events.csv", infer_schema_length=None)
    events = pl.read_csv(place / "tape.csv", infer_schema_length=None).filter(pl.col("event") == "drop")
    assert rows.filter(pl.col("event") == "drop")["time_s"].to_list() == events["time_s"].to_list()
    assert events.height
    assert ("goodput_bps" in rows.columns) == (what != ["cwnd"])


@pytest.mark.parametrize("tape", ["order.csv", "order.parquet"])
def test_a_tape_has_the_title_order_and_colours_of_its_run(place: Path, tape: str) -> None:
    late = PLAN.partition("[sweep]")[0].replace("senders = 2", "senders = 11") + 'start = "0 s..0.2 s"\n'
    (place / "late.toml").write_text(late)
    assert dupack_in(place, "run", "late.toml", "--set", "seed=3", "--tape", tape, "--out", "late").returncode == 0
    of_tape, of_run = read(place / tape), read(place / "late")
    assert isinstance(of_tape, Data)
    assert isinstance(of_run, Data)
    names = [f"bulk-{number}" for number in range(11)]
    assert list(dict.fromkeys(of_tape.events()["flow"])) != names  # type: ignore[index]
    assert list(of_tape.series("cwnd", *of_tape.runs[0])[1]) == names
    few = names[3:7]
    drawn = [runs.cwnd(data, few) for data in (of_tape, of_run)]
    looks = [[(str(line.get_label()), line.get_color()) for line in figure.axes[0].lines] for figure in drawn]
    assert looks[0] == looks[1]
    assert drawn[0].get_suptitle() == ("Buffers, seed 3" if tape == "order.parquet" else tape)
    assert drawn[1].axes[0].get_title(loc="left") == "Buffers, seed 3"


def test_a_store_and_a_document_of_the_same_sweep_give_the_same_data(place: Path) -> None:
    of = ["jain", "links.bottleneck.dropped", "flows.bulk-*.timeouts"]
    found = []
    for name in ("store", "store.json"):
        assert plot(place, name, *of, "--out", "same.svg").exception is None
        found.append((place / "same.csv").read_text())
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing"], "nothing: no such file or directory"),
        (["/dev/zero"], "/dev/zero: not a file; `dupack plot` reads a store"),
        (["."], ".: neither a store nor a result; `dupack plot` reads"),
        (["plan.toml"], "plan.toml: a plan, which has no results; run it first: dupack sweep plan.toml"),
        (["bad.json"], "bad.json: not JSON: "),
        (["other.json"], "other.json: not a result of dupack"),
        (["half.json"], "half.json: not a result of dupack"),
        (["bad.csv"], "bad.csv: line 3: not a row of a tape: '0.5,bulk-0,send'"),
        (["words.txt"], "words.txt: not a tape, whose first line is time_s,flow,event"),
        (["bad.parquet"], "bad.parquet: not Parquet: "),
        (["store", "goodputs"], 'goodputs: neither a figure nor a measure; did you mean "goodput"?'),
        (["store", "nonsense"], "measure 'nonsense' is unknown; the reference of results lists all"),
        (["store", "abc"], "measure 'abc' is unknown; the reference of results lists all"),
        (["store", "jian"], "measure 'jian' is unknown; did you mean \"summary.jain\"?"),
        (
            ["compared.json", "tradeoff"],
            "tradeoff: compared.json is a comparison, which has no data for this figure; it has goodput_bps",
        ),
        (["store", "links.bottleneck.droped"], 'did you mean "links.bottleneck.dropped"?'),
        (["store", "course"], "course: shows a single run, but there are 4 points; choose one with --at"),
        (["store", "cdf", "jain"], "cdf: is a figure of its own"),
        (["result", "cdf"], "`dupack sweep PLAN --out store` writes one, also of a single run (--seeds 1)"),
        (["store", "cdf"], "store has no table of connections; flows with `arrivals` have one"),
        (["store", "--at", "rate"], "--at 'rate': write PATH=VALUE"),
        (["store", "--at", "rate=7 Mb/s"], "rate: no point has '7 Mb/s'; known: 10 Mb/s, 5 Mb/s"),
        (["store", "jain", "--out", "x.gif"], "--out x.gif: not a kind of figure; write a name that ends in .svg"),
        (["store", "jain", "--out", "foreign.svg"], "--out foreign.svg: not a figure of dupack; --force replaces it"),
        (
            ["store", "jain", "--out", "no/such/x.svg"],
            "--out no/such/x.svg: cannot be written: no such file or directory; nothing was drawn",
        ),
        (["result", "jain"], "nothing to draw: the sweep has no axes"),
        (["tape.csv", "queue"], "tape.csv has no samples of this run"),
        (["tape.csv", "jain"], "jain: unknown; a tape has windows and events"),
        (["tape.csv", "cwnd", "--flow", "bulk-9"], "unknown flow 'bulk-9'; did you mean"),
        (["compared.json", "--tape", "tape.csv"], "--tape: compared.json is a comparison; give a run with samples"),
        (["tape.csv", "--tape", "tape.csv"], "--tape: tape.csv is a tape itself; give a run with samples"),
        (["result", "queue", "--tape", "tape.csv"], "--tape: queue has no windows on which to draw its events"),
        (["store", "course", "--tape", "tape.csv"], "course: shows a single run, but there are 4 points"),
        (["result", "cwnd", "--tape", "bad.csv"], "bad.csv: line 3: not a row of a tape"),
        (["result", "cwnd", "--tape", "none.csv"], "none.csv: cannot be read: no such file or directory"),
        (["result", "cwnd", "--tape", "flows.csv"], "--tape flows.csv: not a tape of this run: it has a flow 'web.1'"),
        (
            ["result", "cwnd", "--tape", "late.csv"],
            "not a tape of this run: it has an event at 7 s, and the run ends at 1 s",
        ),
    ],
)
def test_bad_input_is_told(place: Path, words: list[str], said: str) -> None:
    (place / "bad.json").write_text("{nothing")
    (place / "other.json").write_text('{"title": "x"}')
    (place / "half.json").write_text('{"title": "x", "points": [{"settings": {}, "runs": [{}]}]}')
    (place / "bad.csv").write_text(",".join(TAPE) + "\n0.1,bulk-0,send,1,2,inf\n0.5,bulk-0,send\n")
    (place / "flows.csv").write_text(",".join(TAPE) + "\n0.1,bulk-0,send,1,2,inf\n0.2,web.1,send,1,2,inf\n")
    (place / "late.csv").write_text(",".join(TAPE) + "\n7,bulk-0,send,1,2,inf\n")
    (place / "words.txt").write_text("some words\n")
    (place / "bad.parquet").write_text("PAR")
    (place / "foreign.svg").write_text("<svg/>")
    before = {path: path.stat().st_mtime_ns for path in place.iterdir()}
    told = plot(place, *words)
    assert isinstance(told.exception, dk.Error)
    assert said in str(told.exception)
    assert {path: path.stat().st_mtime_ns for path in place.iterdir()} == before


def test_a_document_of_a_comparison_has_the_measures_of_also(place: Path) -> None:
    told = json.loads((place / "also.json").read_text())
    assert plot(place, "also.json", "jain", "goodput_bps", "--out", "also.svg").exception is None
    rows = pl.read_csv(place / "also.csv")
    assert rows["measure"].to_list() == ["summary.jain"] * 2 + ["summary.goodput_bps"] * 2
    ranked = told["comparisons"][0]["alternatives"]
    for key in ("mean", "ci95"):
        assert rows[key].to_list()[:2] == [one["also"]["summary.jain"][key] for one in ranked]
        assert rows[key].to_list()[2:] == [one[key] for one in ranked]
    # By default all.
    assert plot(place, "also.json", "--out", "also.svg").exception is None
    measures = ["summary.goodput_bps", "summary.jain", "links.bottleneck.mean_backlog"]
    assert pl.read_csv(place / "also.csv")["measure"].unique(maintain_order=True).to_list() == measures
    ranked[0]["also"]["summary.jain"] = None
    (place / "missing.json").write_text(json.dumps(told))
    assert plot(place, "missing.json", "jain", "--out", "also.svg").exception is None
    assert pl.read_csv(place / "also.csv").height == 1
    with pytest.raises(dk.RequestError, match=r"unknown measure of this comparison 'timeouts'; known: summary\.good"):
        raise plot(place, "also.json", "timeouts").exception or AssertionError
