"""Figures of single runs: windows with their events and states, backlogs, goodput, gauges."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from itertools import combinations
from math import dist
from operator import mul
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import dupack as dk
from conftest import Dupack
from dupack.plots import runs
from dupack.plots.canvas import INKS, SOLID
from dupack.plots.data import OfDocument
from dupack.plots.runs import gauges
from test_plot import FABRIC, SACK, WEB, fabric, net, texts


@pytest.fixture(scope="module")
def run() -> dk.RunResult:
    return net(queue=dk.queue.drop_tail(buffer="5 packets")).run(SACK, duration="2 s", tape=True)


def test_a_course_has_windows_with_events_backlog_and_goodput(run: dk.RunResult) -> None:
    figure = run.plot.course()
    assert [one.get_ylabel() for one in figure.axes] == [
        "cwnd\n[segments]",
        "",
        "backlog of bottleneck\n[packets]",
        "goodput [Mb/s]",
    ]
    drops = [row for row in figure.data if row.get("event") == "drop"]
    assert len(drops) == run.tape.filter(pl.col("event") == "drop").height > 0
    assert run.plot.cwnd("bulk-1").data[0]["flow"] == "bulk-1"
    goodput = [row["goodput_bps"] for row in run.plot.goodput("bulk-0").data]
    flow = run.flows.row(0, named=True)
    assert sum(goodput) / len(goodput) == pytest.approx(flow["goodput_bps"], rel=0.03)


def test_events_of_connections_are_on_the_window_of_their_flow() -> None:
    queue = dk.queue.drop_tail(buffer="5 packets")
    files, poisson = dk.traffic.file(size="200 kB"), dk.arrivals.poisson(load=0.9)
    run = net(queue=queue, traffic=files, arrivals=poisson).run(SACK, duration="3 s", tape=True)
    names = run.series.cwnd.columns[1:]
    assert set(run.tape["flow"].unique()).isdisjoint(names)
    drops = run.tape.filter(pl.col("event") == "drop")
    for figure in (run.plot.cwnd(), run.plot.course()):
        drawn = [row for row in figure.data if row.get("event") == "drop"]
        assert [row["time_s"] for row in drawn] == drops["time_s"].to_list()
        assert drawn
        for row, connection in zip(drawn, drops["flow"], strict=True):
            last = run.series.cwnd.filter(pl.col("time_s") <= row["time_s"])[-1]
            assert row["cwnd_segments"] == last[connection.rpartition(".")[0]].item()
        assert f"The window of {', '.join(names)} is the sum over open connections." in texts(figure)
    one = run.plot.cwnd(names[0])
    mine = drops.filter(pl.col("flow").str.starts_with(f"{names[0]}."))
    assert len([row for row in one.data if row.get("event") == "drop"]) == mine.height
    assert "sum over" not in texts(net().run(SACK, duration="100 ms").plot.cwnd())


def test_a_window_that_limits_nothing_is_left_out(dupack: Dupack, tmp_path: Path) -> None:
    """A sender without acks has a window; its line would make the others flat."""
    dupack("new", "home.toml", "--topology", "home")
    dupack(
        "run", "home.toml", "--set", "duration=5 s", "--set", "warm_up=0 s", "--set", "sample=50 ms", "--out", "home"
    )
    done = dupack("plot", "home", "cwnd", "--out", "all.svg")
    assert done.returncode == 0, done.stderr
    rows = pl.read_csv(tmp_path / "all.csv")
    assert set(rows["flow"]) == {"download", "upload", "pages"}
    assert "Left out: 2 flows with a window that does not change." in (tmp_path / "all.svg").read_text()
    dupack("plot", "home", "cwnd", "--flow", "speaking", "--out", "one.svg")
    assert set(pl.read_csv(tmp_path / "one.csv")["flow"]) == {"speaking"}


@pytest.mark.parametrize("flows", [1, 4, 9])
def test_events_are_ticks_in_the_colour_of_their_flow_or_shades(flows: int) -> None:
    from matplotlib.colors import to_hex

    queue = dk.queue.red(buffer="10 packets", min_th="1 packets", max_th="3 packets", ecn=True)
    senders = [dk.transport.reno(mss="1448 B", tick="10 ms", ecn=number % 2 == 0) for number in range(flows)]
    run = net(senders=flows, queue=queue).run(senders, duration="3 s", tape=True)
    figure = run.plot.cwnd()
    windows, strip = figure.axes
    assert {line.get_linestyle() for line in windows.lines} == {"-"}
    inks = {line.get_label(): to_hex(line.get_color()) for line in windows.lines}
    names = [text.get_text() for text in strip.get_yticklabels()]
    assert len(names) > 1
    drawn: dict[str, list[Any]] = {name: [] for name in names}
    rows_of_ticks: Any = strip.collections
    for ticks in rows_of_ticks:
        for (end, *_), colour in zip(ticks.get_segments(), ticks.get_color(), strict=True):
            drawn[names[round(end[1] + 0.4)]].append((end[0], to_hex(colour)))
    for name in names:
        rows = [row for row in figure.data if row.get("event") == name]
        assert len(rows) == run.tape.filter(pl.col("event") == name.replace(" ", "_")).height
        if drawn[name]:
            # Of many flows, all windows have one colour.
            assert drawn[name] == [(row["time_s"], inks.get(row["flow"], "#000000")) for row in rows]
        else:
            assert f"{name}s in " in texts(figure)
    shaded = [name for name in names if not drawn[name]]
    assert bool(shaded) == bool(strip.patches) == ("Shades: the darkest has" in texts(figure))
    assert ("in the colour of their flow" in texts(figure)) == (flows < 9)


# Machado, Oliveira and Fernandes (2009): what readers without one kind of cones see, of linear red, green and blue.
BLIND = {
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "red": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "green": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "blue": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}


def seen(ink: str, blind: str) -> tuple[float, ...]:
    """The colour as lightness and two contrasts (Oklab), in which equal distances look equal."""
    parts = [int(ink[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    red, green, blue = (min(max(sum(map(mul, row, linear)), 0), 1) for row in BLIND[blind])
    cones = ((0.4122, 0.5363, 0.0514), (0.2119, 0.6807, 0.1074), (0.0883, 0.2817, 0.6300))
    one, two, three = ((a * red + b * green + c * blue) ** (1 / 3) for a, b, c in cones)
    return (
        0.2105 * one + 0.7936 * two - 0.0041 * three,
        1.9780 * one - 2.4286 * two + 0.4506 * three,
        0.0259 * one + 0.7828 * two - 0.8087 * three,
    )


@pytest.mark.parametrize("blind", BLIND)
def test_eight_lines_can_be_told_apart(blind: str) -> None:
    apart = {pair: dist(*(seen(ink, blind) for ink in pair)) for pair in combinations(INKS, 2)}
    assert len(INKS) == 8
    assert min(apart.values()) > 0.08, min(apart, key=apart.__getitem__)
    white = seen("#FFFFFF", blind)
    assert min(dist(seen(ink, blind), white) for ink in INKS) > 0.2


@pytest.mark.parametrize(("senders", "rows"), [(5, 2), (8, 3)])
def test_flows_have_colours_and_dashes_and_the_legend_has_no_single_entry(senders: int, rows: int) -> None:
    figure = net(senders=senders).run(SACK, duration="200 ms").plot.course()
    lines = figure.axes[0].lines
    assert [line.get_color() for line in lines] == list(INKS[:senders])
    assert [line.is_dashed() for line in lines] == [at >= SOLID for at in range(senders)]
    (legend,) = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    assert len(names) == senders + 1
    figure.draw_without_rendering()
    at = Counter(round(text.get_window_extent().y0) for text in legend.get_texts())
    assert len(at) <= rows
    assert min(at.values()) > 1


def test_a_title_is_broken_at_commas() -> None:
    series = {"time_s": [0, 1], "cwnd": {"one": [1, 2]}}
    long = "Web search on a leaf-spine, queue red (min_th 5 packets), load 0.6"
    for title, lines in (("Short", ["Short, seed 1"]), (long, [f"{long},", "seed 1"]), ("word " * 30, None)):
        document = {"title": title, "summary": {}, "seed": 1, "series": series, "links": [], "flows": []}
        figure = runs.cwnd(OfDocument(document))
        told = figure.get_suptitle() or figure.axes[0].get_title(loc="left")
        # A part without commas is broken where it must be.
        assert len(told.split("\n")) > 1 if lines is None else told.split("\n") == lines


def test_a_short_run_has_milliseconds() -> None:
    assert net().run(SACK, duration="300 ms").plot.cwnd().axes[0].get_xlabel() == "time [ms]"


def test_a_heat_map_has_the_largest_backlogs_of_intervals() -> None:
    run = fabric().run(WEB, **FABRIC)
    figure = run.plot.queues()
    series = run.series.backlog
    used = [name for name in series.columns[1:] if series[name].max()]
    assert list(dict.fromkeys(row["link"] for row in figure.data)) == used
    for name in used:
        assert max(row["backlog_packets"] for row in figure.data if row["link"] == name) == series[name].max()
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == used


def test_links_without_a_queue_discipline_are_told() -> None:
    run = net().run(SACK, duration="300 ms")
    figure = run.plot.queues()
    others = run.links.height - 1
    assert f"Left out: {others} links without a queue discipline." in texts(figure)
    assert "`queue` draws the backlog of a single link" in texts(figure)
    assert "without a queue" not in texts(run.plot.queues(["bottleneck"]))


def test_a_run_without_a_tape_says_so(run: dk.RunResult) -> None:
    said = "Without a tape of the run, drops and other events are not known."
    bare = net().run(SACK, duration="300 ms")
    assert said in texts(bare.plot.course())
    assert said in texts(bare.plot.cwnd())
    assert said not in texts(run.plot.course())


def test_what_has_no_queue_is_told() -> None:
    with pytest.raises(dk.RequestError, match="no link of this network has a queue discipline"):
        net(queue=None).run(SACK, duration="100 ms").plot.queues()


@pytest.mark.parametrize(
    ("transport", "states"),
    [
        (dk.transport.cubic(mss="1448 B"), ["slow-start", "recovery", "congestion-avoidance"]),
        (dk.transport.bbr3(mss="1448 B"), ["startup", "probe-bw-cruise", "probe-bw-up", "probe-rtt"]),
    ],
)
def test_a_single_window_has_bands_for_the_states_of_its_sender(transport: dk.Transport, states: list[str]) -> None:
    run = net(senders=1).run(transport, duration="12 s")
    figure = run.plot.cwnd()
    (name,) = run.series.cwnd.columns[1:]
    told = run.series.state[name].cast(str).to_list()
    assert set(states) <= set(told)
    changes = [row["state"] for row in figure.data if "state" in row]
    assert changes == [state for i, state in enumerate(told) if i == 0 or state != told[i - 1]]
    # What a sender is in most of the time has no band.
    drawn = {str(handle.get_label()) for handle in figure.axes[0].patches} - {""}
    assert {label for label in drawn if not label.startswith("_")} == set(told) - {
        "congestion-avoidance",
        "probe-bw-cruise",
    }
    rates = run.series.pacing_bps.columns[1:]
    assert rates == ([name] if "startup" in states else [])
    several = net(senders=2).run(transport, duration="1 s").plot.cwnd()
    assert not several.axes[0].patches
    assert not any("state" in row for row in several.data)


def test_gauges_have_a_panel_each_with_the_samples() -> None:
    queue = dk.queue.red(buffer="60 packets", adaptive=True)
    run = net(queue=queue).run(SACK, duration="2 s")
    figure = run.plot.gauges()
    units = {"average": "packets", "max_p": "probability"}
    assert run.series.units == {f"bottleneck.{gauge}": unit for gauge, unit in units.items()}
    labels = [f"{gauge}\nof bottleneck\n[{unit}]" for gauge, unit in units.items()]
    assert [ax.get_ylabel() for ax in figure.axes] == labels
    series = run.series.gauges
    for gauge, unit in units.items():
        column = f"{gauge} [{unit}]"
        drawn = [row[column] for row in figure.data if column in row]
        assert drawn == series[f"bottleneck.{gauge}"].to_list()
    assert max(series["bottleneck.average"]) > 1
    again = pickle.loads(pickle.dumps(run.series))
    assert again.units == run.series.units


GAUGES = """
title = "gauges"
duration = "2 s"
warm_up = "0 s"
sample = "100 ms"
host = [{ name = "a" }, { name = "b" }]
switch = [{ name = "s" }, { name = "t" }]
flow = [{ name = "f", from = "a", to = "b", transport = { kind = "sack", mss = "1448 B" } }]

[[link]]
name = "one"
from = "a"
to = "s"
carries = "packets"
rate = "20 Mb/s"
delay = "5 ms"
queue = { kind = "red", buffer = "60 packets", weight = 0.5 }
back_queue = { kind = "red", buffer = "60 packets", weight = 0.5 }

[[link]]
name = "two"
from = "s"
to = "t"
carries = "packets"
rate = "10 Mb/s"
delay = "5 ms"
queue = { kind = "red", buffer = "60 packets", weight = 0.5, mode = "bytes" }

[[link]]
name = "three"
from = "t"
to = "b"
carries = "packets"
rate = "5 Mb/s"
delay = "5 ms"
queue = { kind = "wfq", buffer = "60 packets", classes = "acks", inner = { kind = "codel" } }
"""
"""REDs whose averages are in packets and in bytes, and a discipline with one for each class."""


@pytest.mark.parametrize("source", ["store", "run", "run.json"])
def test_gauges_have_a_panel_for_each_unit_and_a_curve_for_each_class(
    dupack: Dupack, tmp_path: Path, source: str
) -> None:
    (tmp_path / "gauges.toml").write_text(GAUGES)
    if source == "store":
        dupack("sweep", "gauges.toml", "--seeds", "1", "--out", source)
    elif source == "run":
        dupack("run", "gauges.toml", "--out", source)
    else:
        (tmp_path / source).write_text(dupack("run", "gauges.toml", "--json").stdout)
    dupack("plot", source, "gauges", "--out", "all.svg")
    drawn = pl.read_csv(tmp_path / "all.csv", infer_schema_length=None)
    measures = {"average [packets]", "average [bytes]", "backlog [packets]", "count [drops and marks]"}
    assert set(drawn.columns) == {"link", "time_s", *measures}
    owners = {
        column: set(drawn.filter(pl.col(column).is_not_null())["link"].to_list())
        for column in drawn.columns
        if "[" in column
    }
    assert owners == {
        "average [packets]": {"one", "one.back"},
        "average [bytes]": {"two"},
        "backlog [packets]": {"three.data", "three.acks"},
        "count [drops and marks]": {"three.data", "three.acks"},
    }
    dupack("plot", source, "gauges", "--link", "three", "--out", "three.svg")
    drawn = pl.read_csv(tmp_path / "three.csv", infer_schema_length=None)
    assert set(drawn["link"]) == {"three.data", "three.acks"}
    assert (drawn["count [drops and marks]"] > 0).any()


def test_each_link_and_class_has_a_colour_of_its_own_in_all_panels(dupack: Dupack, tmp_path: Path) -> None:
    (tmp_path / "gauges.toml").write_text(GAUGES)
    document = json.loads(dupack("run", "gauges.toml", "--json").stdout)
    figure = gauges(OfDocument(document))
    colours = {str(line.get_label()): line.get_color() for ax in figure.axes for line in ax.lines}
    assert set(colours) == {"one", "one.back", "two", "three.data", "three.acks"}
    assert len(set(colours.values())) == len(colours)


def test_what_has_no_gauges_is_told() -> None:
    run = net(queue=dk.queue.drop_tail(buffer="60 packets")).run(SACK, duration="100 ms")
    with pytest.raises(dk.RequestError, match="no queue of this network has a state that is sampled"):
        run.plot.gauges()
    with pytest.raises(dk.RequestError, match="unknown link whose queue has gauges 'access'"):
        net(queue=dk.queue.pie()).run(SACK, duration="100 ms").plot.gauges("access")
