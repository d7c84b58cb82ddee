"""Figures of results: the data that they show, units, layout, kinds of files."""

from __future__ import annotations

import csv
import math
import pickle
import random
from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

import dupack as dk
from dupack.figures import drawing
from dupack.plots import completions
from dupack.plots import swept as swept_figures
from dupack.plots.canvas import shown
from dupack.plots.compared import compared
from dupack.plots.data import OfDocument
from dupack.plots.of import RunPlots
from dupack.plots.runs import EVENT_NAMES
from dupack.plots.tradeoff import ellipse
from dupack.plots.words import axis, number, quantity
from dupack.store import schema

SACK = dk.transport.sack(mss="1448 B", tick="10 ms")
BUFFER = "link.bottleneck.queue.buffer"


def net(**changes: Any) -> dk.Network:
    queue = dk.queue.drop_tail(buffer="10 packets")
    given = {"senders": 2, "access": "50 Mb/s", "bottleneck": "10 Mb/s", "delay": "5 ms", "queue": queue}
    return dk.dumbbell(**{**given, **changes})


def fabric() -> dk.Network:
    return dk.leaf_spine(
        leaves=2,
        spines=2,
        hosts=3,
        access="1 Gb/s",
        fabric="1 Gb/s",
        delay="5 us",
        queue=dk.queue.drop_tail(buffer="50 packets"),
        arrivals=dk.arrivals.poisson(load=0.5),
        traffic=dk.traffic.random_file(sizes="web-search"),
    )


WEB = dk.transport.sack(mss="1448 B", initial_window="10 segments", tick="1 ms", min_rto="10 ms")
FABRIC: dict[str, Any] = {"duration": "150 ms", "warm_up": "20 ms"}


@pytest.fixture(scope="module")
def swept() -> dk.SweepResult:
    grid: dict[str, list[Any]] = {
        BUFFER: ["5 packets", "10 packets", "20 packets", "80 packets"],
        "flow.*.transport": [dk.transport.reno(mss="1448 B"), SACK],
        "link.bottleneck.delay": ["1 ms", "20 ms"],
    }
    return dk.sweep(net(), grid, seeds=3, duration="1 s")


@pytest.fixture(scope="module")
def web() -> dk.SweepResult:
    grid = {"topology.queue": [dk.queue.drop_tail(buffer="50 packets"), dk.queue.red(buffer="50 packets")]}
    return dk.sweep(fabric(), grid, WEB, seeds=3, **FABRIC)


@pytest.fixture(scope="module")
def run() -> dk.RunResult:
    return net(queue=dk.queue.drop_tail(buffer="5 packets")).run(SACK, duration="2 s", tape=True)


def texts(figure: Any) -> str:
    return " ".join(text.get_text() for text in figure.texts).replace("\n", " ")


def point(curve: Any, at: int) -> list[float]:
    """A point of a curve."""
    found: list[float] = curve.get_xydata()[at].tolist()
    return found


def misplaced(figure: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are drawn beyond the page or over each other."""
    from matplotlib.text import Text

    found: dict[int, Any] = {}
    draw = Text.draw

    def record(text: Text, renderer: Any) -> None:
        if text.get_visible() and text.get_text().strip():
            found[id(text)] = text
        draw(text, renderer)

    with monkeypatch.context() as patched, drawing():
        patched.setattr(Text, "draw", record)
        figure.draw_without_rendering()
        boxes = [(text.get_text(), text.get_window_extent().padded(-0.5)) for text in found.values()]
    page = figure.bbox
    within = page.contains
    beyond = [f"{word!r} beyond" for word, box in boxes if not (within(box.x0, box.y0) and within(box.x1, box.y1))]
    over = [f"{one!r} over {other!r}" for (one, a), (other, b) in combinations(boxes, 2) if a.overlaps(b)]
    assert boxes
    return beyond + over


# Words.


@pytest.mark.parametrize(
    ("path", "raw", "name", "values", "log"),
    [
        (BUFFER, ["5 packets", "10 packets", "80 packets"], "buffer [packets]", [5, 10, 80], True),
        ("link.l.rate", ["500 kb/s", "2 Mb/s"], "rate [Mb/s]", [0.5, 2], False),
        ("link.l.rate", ["10 Gb/s", "100 Gb/s"], "rate [Gb/s]", [10, 100], False),
        ("link.l.delay", ["500 us", "5 ms", "50 ms"], "delay [ms]", [0.5, 5, 50], True),
        ("flow.web.arrivals.load", [0.2, 0.4, 0.6, 0.8], "load", [0.2, 0.4, 0.6, 0.8], False),
        ("topology.senders", [1, 2, 4, 100_000_000], "senders", [1, 2, 4, 1e8], True),
        ("flow.*.transport.kind", ["reno", "sack"], "transport", ["reno", "sack"], False),
        ("flow.*.transport.max_window", ["64 KiB", None], "max window [KiB]", [64, None], False),
        (
            "link.l.queue",
            [{"kind": "red", "buffer": "9 packets"}, '{"kind":"codel"}'],
            "queue",
            ["red", "codel"],
            False,
        ),
        (
            "link.l.queue",
            [{"kind": "red", "min_th": "5 packets", "ecn": True}, {"kind": "red", "min_th": "9 packets", "ecn": True}],
            "queue",
            ["red (min_th 5 packets)", "red (min_th 9 packets)"],
            False,
        ),
        ("link.l.queue", [{"kind": "external", "name": "Mine"}, {"kind": "codel"}], "queue", ["Mine", "codel"], False),
        ("link.l.rate", ["1 Mb/s", "unlimited"], "rate", ["1 Mb/s", "unlimited"], False),
        ("ecn", [True, False], "ecn", ["true", "false"], False),
    ],
)
def test_an_axis_has_a_name_a_unit_and_numbers(
    path: str, raw: list[Any], name: str, values: list[Any], log: bool
) -> None:
    made = axis(path, raw, [path])
    assert (made.name, made.values, made.log) == (name, pytest.approx(values) if made.numeric else values, log)


def test_truth_values_of_tables_are_as_in_plans() -> None:
    tables = [{"kind": "codel", "ecn": value, "inner": {"kind": "red", "gentle": value}} for value in (True, False)]
    made = axis("link.l.queue", tables, ["link.l.queue"]).values
    assert made == ["codel (ecn true, inner red (gentle true))", "codel (ecn false, inner red (gentle false))"]


def test_names_of_axes_tell_them_apart() -> None:
    paths = ["link.near.delay", "link.far.delay", "flow.a.transport"]
    assert [axis(path, ["1 ms"], paths).short for path in paths] == ["delay of near", "delay of far", "transport"]


@pytest.mark.parametrize(
    ("path", "values", "label"),
    [
        ("summary.goodput_bps", [9.5e6, 2e6], "goodput [Mb/s]"),
        ("summary.jain", [0.9], "Jain's index"),
        ("links.bottleneck.mean_backlog", [3.0], "mean backlog of bottleneck [packets]"),
        ("links.bottleneck.back.dropped.overflow", [3.0], "drops (overflow) of bottleneck.back [packets]"),
        ("links.bottleneck.queue_delay_s.p99_9", [2e-5], "queueing delay of bottleneck, p99.9 [µs]"),
        ("flows.*.mean_rtt_s", [0.02, None], "mean RTT [ms]"),
        ("flows.web.connections.by_size.0.slowdown.p99", [4.0], "slowdown of web, up to 100 kB, p99"),
        ("flows.web.connections.completion_s.mean", [0.0], "mean completion time of web [ms]"),
        ("flows.a.b.segments_sent", [5.0], "segments sent of a.b"),
    ],
)
def test_a_measure_has_a_name_and_a_unit(path: str, values: list[float | None], label: str) -> None:
    assert quantity(path, values, "packets").label == label


def test_numbers_have_no_exponents() -> None:
    told = [number(value) for value in (0, 1e8, 12_345.5, 0.1 + 0.2, 1e-5, -2.5)]
    assert told == ["0", "100,000,000", "12,345.5", "0.3", "0.00001", "-2.5"]


# Sweeps.


def test_curves_and_small_multiples_show_the_estimates(swept: dk.SweepResult) -> None:
    figure = swept.plot("goodput_bps")
    assert [one.get_title() or one.get_title(loc="left") for one in figure.axes] == ["delay 1 ms", "delay 20 ms"]
    for one in figure.axes:
        assert (one.get_xlabel(), one.get_xscale()) == ("buffer [packets]", "log")
        assert [text.get_text() for text in one.get_xticklabels()] == ["5", "10", "20", "80"]
    told = swept.estimates("goodput_bps")
    assert len(figure.data) == told.height == 16
    for row in told.iter_rows(named=True):
        (mine,) = [
            one
            for one in figure.data
            if (f"{one['buffer [packets]']:g} packets", one["transport"], one["delay [ms]"])
            == (row[BUFFER], row["flow.*.transport"].partition(" ")[0], row["link.bottleneck.delay"])
        ]
        assert (mine["mean"], mine["ci95"], mine["runs"]) == (row["mean"], row["ci95"], 3)
    # The mean in the figure is the same number in Mb/s, and its bar the interval.
    curve: Any = figure.axes[0].containers[0]
    line, _, (bars,) = curve.lines
    (low, high) = bars.get_segments()[0][:, 1]
    assert line.get_ydata()[0] * 1e6 == pytest.approx(figure.data[0]["mean"])
    assert (high - low) / 2 * 1e6 == pytest.approx(figure.data[0]["ci95"])
    assert texts(figure).count("Means of 3 seeds.") == 1


def test_what_is_fixed_is_told_and_several_measures_have_a_panel_each(swept: dk.SweepResult) -> None:
    figure = swept.plot("goodput_fraction", "links.bottleneck.mean_backlog", at={"delay": "20 ms"})
    assert [one.get_ylabel() for one in figure.axes] == ["goodput fraction", "mean backlog of bottleneck\n[packets]"]
    assert "At delay 20 ms." in texts(figure)
    assert {row["measure"] for row in figure.data} == {"summary.goodput_fraction", "links.bottleneck.mean_backlog"}
    assert len(figure.data) == 16


def test_two_axes_with_numbers_make_a_heat_map(swept: dk.SweepResult) -> None:
    figure = swept.plot("goodput_bps", x=BUFFER, at={"flow.*.transport": "sack"}, heat=True)
    mesh: Any = figure.axes[0].collections[0].get_array()
    assert mesh.shape == (2, 4)
    told = {(row["delay [ms]"], row["buffer [packets]"]): row["mean"] for row in figure.data}
    for i, delay in enumerate((1, 20)):
        for j, buffer in enumerate((5, 10, 20, 80)):
            assert mesh[i, j] * 1e6 == pytest.approx(told[delay, buffer])
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("buffer [packets]", "delay [ms]")
    assert figure.axes[1].get_ylabel() == "goodput [Mb/s]"


def test_heat_maps_of_a_measure_have_one_scale(swept: dk.SweepResult) -> None:
    figure = swept.plot("goodput_bps", x=BUFFER, heat=True)
    *maps, bar = figure.axes
    assert [ax.get_title(loc="left") for ax in maps] == ["transport reno", "transport sack"]
    means = [row["mean"] / 1e6 for row in figure.data]
    for ax in maps:
        assert ax.collections[0].get_clim() == pytest.approx((min(means), max(means)))
    assert bar.get_ylabel() == "goodput [Mb/s]"
    widest = max(row["ci95"] / row["mean"] for row in figure.data)
    assert f"± {float(f'{100 * widest:.2g}'):g} % of its mean" in texts(figure)
    several = swept.plot("goodput_bps", "jain", x=BUFFER, at={"transport": "sack"}, heat=True)
    assert [ax.get_ylabel() for ax in several.axes] == ["delay [ms]", "delay [ms]", "goodput [Mb/s]", "Jain's index"]


def test_panels_above_a_gap_have_numbers(swept: dk.SweepResult) -> None:
    # Four buffers are panels in rows of three.
    figure = swept.plot("goodput_bps", "jain", x="delay", at={})
    told = {}
    for ax in figure.axes:
        spec: Any = ax.get_subplotspec()
        numbers = [text.get_text() for text in ax.get_xticklabels() if text.get_visible() and text.get_text()]
        told[spec.rowspan.start, spec.colspan.start] = (ax.get_ylabel(), bool(ax.get_xlabel()), bool(numbers))
    bottom = {(row, column) for row, column in told if (row + 1, column) not in told}
    assert {place for place, (_, label, numbers) in told.items() if label and numbers} == bottom
    # Each measure begins a row.
    assert [told[row, 0][0] for row in range(4)] == ["goodput [Mb/s]"] * 2 + ["Jain's index"] * 2


def test_words_stand_beside_their_values(swept: dk.SweepResult) -> None:
    figure = swept.plot("jain", x="flow.*.transport", at={BUFFER: "10 packets", "delay": "1 ms"})
    (ax,) = figure.axes
    assert [text.get_text() for text in ax.get_yticklabels()] == ["reno", "sack"]
    assert [row["transport"] for row in figure.data] == ["reno", "sack"]
    assert ax.get_xlabel() == "Jain's index"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda it: it.plot("goodputs"), r'"goodputs" is unknown; did you mean'),
        (lambda it: it.plot("jain", x="bufer"), r"unknown axis 'bufer'; did you mean \"buffer\""),
        (
            lambda it: it.plot("jain", at={"buffer": "7 packets"}),
            r"buffer: no point has '7 packets'; known: 10 ",
        ),
        (
            lambda it: it.plot("jain", at={BUFFER: "5 packets", "delay": "1 ms", "transport": "reno"}),
            r"nothing to draw: only one value of each axis is left \(buffer 5 packets, transport reno, delay 1 ms\)",
        ),
        (lambda it: it.plot("jain", x="transport", heat=True), "a heat map needs two axes with numbers"),
        (lambda it: it.plot("flows.*.completed_s"), "no point has flows.*completed_s in all of its runs"),
        (lambda it: it.plot.tradeoff(), "16 ellipses are too many; choose values with --at"),
        (lambda it: it.plot.cdf(), "has no table of connections"),
    ],
)
def test_what_cannot_be_drawn_is_told(swept: dk.SweepResult, call: Any, said: str) -> None:
    with pytest.raises(dk.RequestError, match=said):
        call(swept)


# Connections.


def test_the_table_of_connections_agrees_with_the_measures_and_with_the_store(
    web: dk.SweepResult, tmp_path: Path
) -> None:
    table = web.connections
    assert table.columns[1:] == ["seed", *(one.name for one in schema.tables()["connections"] if one.name != "run")]
    kept = table.filter(pl.col("measured"))
    for row in web.flows.iter_rows(named=True):
        mine = kept.filter((pl.col("seed") == row["seed"]) & (pl.col("topology.queue") == row["topology.queue"]))
        assert mine.height == row["connections_begun"]
        assert mine["completion_s"].null_count() == row["connections_open"] > 0
        assert mine["completion_s"].mean() == pytest.approx(row["connections_completion_s_mean"])
        assert mine["slowdown"].max() == row["connections_slowdown_max"]
    one = fabric().run(WEB, **FABRIC)
    assert one.connections.select("start_s", "path").equals(
        table.filter((pl.col("seed") == 1) & (pl.col("topology.queue").str.starts_with("drop"))).select(
            "start_s", "path"
        )
    )
    assert "connections" not in one.document
    kinds = [dk.queue.drop_tail(buffer="50 packets"), dk.queue.red(buffer="50 packets")]
    dk.sweep(fabric(), {"topology.queue": kinds}, WEB, seeds=3, out=tmp_path / "s", **FABRIC)
    stored = pl.read_parquet(tmp_path / "s" / "connections" / "*.parquet")
    assert stored.columns == [column.name for column in schema.tables()["connections"]]
    assert stored.drop("run").equals(table.drop("topology.queue", "seed"))


def test_distributions_are_those_of_the_connections(web: dk.SweepResult) -> None:
    figure = web.plot.cdf()
    table = web.connections.filter(pl.col("measured") & pl.col("completion_s").is_not_null())
    assert f"{table.height:,} connections" in texts(figure)
    short = table.filter((pl.col("size_bytes") <= 100_000) & pl.col("topology.queue").str.starts_with("red"))
    rows = [row for row in figure.data if (row["group"], row["size"]) == ("red", "up to 100 kB")]
    assert [row["cdf"] for row in rows] == sorted(row["cdf"] for row in rows)
    assert rows[-1] == {**rows[-1], "completion_s": short["completion_s"].max(), "cdf": 1.0, "runs": 3}
    middle = rows[len(rows) // 2]
    parts = [
        run.filter(pl.col("completion_s") <= middle["completion_s"]).height / run.height
        for run in short.partition_by("seed")
    ]
    assert middle["cdf"] == pytest.approx(sum(parts) / 3)
    above = [row["ccdf"] for row in web.plot.ccdf().data if (row["group"], row["size"]) == ("red", "up to 100 kB")]
    assert above == pytest.approx([1 - row["cdf"] for row in rows])
    assert web.plot.cdf(of="slowdown").axes[0].get_xlabel() == "slowdown"


def test_the_slowdown_of_a_bin_is_its_percentile(web: dk.SweepResult) -> None:
    figure = web.plot.slowdown()
    table = web.connections.filter(pl.col("measured") & pl.col("slowdown").is_not_null())
    for share, quantile in (("p50", 0.5), ("p99", 0.99)):
        rows = [row for row in figure.data if row["share"] == share]
        assert sum(row["connections"] for row in rows) == table.height
        row = next(row for row in rows if row["group"] == "red" and row["runs"] == 3)
        mine = table.filter(
            (pl.col("size_bytes") > row["above_bytes"])
            & (pl.col("size_bytes") <= row["up_to_bytes"])
            & pl.col("topology.queue").str.starts_with("red")
        )
        told = [completions.percentile(run["slowdown"].to_list(), quantile) for run in mine.partition_by("seed")]
        assert row["slowdown"] == pytest.approx(sum(told) / 3)
    assert all(one.get_xscale() == one.get_yscale() == "log" for one in figure.axes)


def connected(ended: Sequence[tuple[int, float | None]], *, seeds: int = 1) -> RunPlots:
    """Figures of a run whose connections have these sizes and completion times; a slowdown is 1000 times the time."""
    many = len(ended)
    table = {
        "flow": ["web"] * many,
        "measured": [True] * many,
        "size_bytes": [size for size, _ in ended],
        "completion_s": [took for _, took in ended],
        "slowdown": [None if took is None else 1000 * took for _, took in ended],
    }
    document = {"title": "web", "runs": [{"seed": seed, "summary": {}} for seed in range(1, seeds + 1)]}
    return RunPlots(OfDocument.of_run(document, None, pl.DataFrame(table), None))


@pytest.mark.parametrize("many", [1, 11, 22])
@pytest.mark.parametrize("seeds", [1, 2])
@pytest.mark.filterwarnings("error")
def test_one_bin_of_sizes_has_a_point_in_the_middle(many: int, seeds: int) -> None:
    figure = connected([(20_000, 0.002)] * many, seeds=seeds).slowdown()
    for ax in figure.axes:
        assert ax.get_xlim() == (10_000, 40_000)
        assert [text.get_text() for text in ax.get_xticklabels()] == ["20 kB"]
        (x, y) = ax.transAxes.inverted().transform(ax.transData.transform((20_000, 2)))
        assert 0.4 < x < 0.6
        assert 0.05 < y < 0.95
        assert 0 < ax.get_position().x0 < ax.get_position().x1 <= 1


def test_a_distribution_rises_from_nothing_and_a_tail_falls_from_all() -> None:
    plots = connected([(20_000, 0.002)] * 10 + [(20_000, 0.004)])
    (curve,) = plots.cdf().axes[0].lines
    assert point(curve, 0) == [2, 0]
    assert point(curve, -1) == [4, 1]
    (curve,) = plots.ccdf().axes[0].lines
    assert point(curve, 0) == [2, 1]
    assert point(curve, -1) == pytest.approx([4, 1 / 11])
    with pytest.raises(dk.RequestError, match="no two connections of the same range of sizes have ended with differ"):
        connected([(20_000, 0.002)] * 11).cdf()
    some = connected([(20_000, 0.002), (20_000, 0.003), (200_000, 0.01), (200_000, 0.01)]).cdf()
    assert "Left out, as all are equal there: 100 kB to 10 MB." in texts(some)


def test_open_connections_are_called_long_only_if_they_are() -> None:
    """Web-search files are longer, the longer they take; equal ones are not."""
    ended = [(20_000, 0.002), (20_000, 0.004)]
    for size, said in ((20_000, "Another 1 was open at the end and left out."), (90_000, "left out; they are mostly")):
        assert said in texts(connected([*ended, (size, None)]).cdf())


# Delay against goodput.


def test_an_ellipse_has_the_deviations_of_its_points() -> None:
    draw = random.Random(1)
    points = [(draw.gauss(5, 2), draw.gauss(1, 0.5)) for _ in range(20_000)]
    long, short, angle = ellipse(*zip(*points, strict=True)) or (0, 0, 0)
    assert [long, short] == pytest.approx([4, 1], rel=0.03)
    assert angle == pytest.approx(0, abs=1)
    tilted = [((x - y) / math.sqrt(2), (x + y) / math.sqrt(2)) for x, y in points]
    long, short, angle = ellipse(*zip(*tilted, strict=True)) or (0, 0, 0)
    assert [long, short, angle] == pytest.approx([4, 1, 45], rel=0.03)
    assert ellipse([1, 2], [1, 2]) is None


def test_the_tradeoff_has_a_dot_per_flow_and_run(swept: dk.SweepResult) -> None:
    figure = swept.plot.tradeoff(at={"buffer": "10 packets", "delay": "1 ms"})
    dots = [row for row in figure.data if row["kind"] == "dot"]
    assert len(dots) == 2 * 2 * 3
    flows = swept.flows.filter((pl.col(BUFFER) == "10 packets") & (pl.col("link.bottleneck.delay") == "1 ms"))
    assert sorted(row["flows.*.goodput_bps"] for row in dots) == sorted(flows["goodput_bps"].to_list())
    (ax,) = figure.axes
    assert ax.xaxis_inverted()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("mean RTT [ms], less to the right", "goodput [Mb/s]")
    of_runs = swept.plot.tradeoff(
        "links.bottleneck.mean_backlog", "goodput_bps", at={"buffer": "10 packets", "delay": "1 ms"}
    )
    assert len([row for row in of_runs.data if row["kind"] == "dot"]) == 2 * 3


def test_ellipses_are_told_only_if_there_are_some(swept: dk.SweepResult) -> None:
    at = {"buffer": "10 packets", "delay": "1 ms"}
    assert "Ellipses: one" in texts(swept.plot.tradeoff(at=at))
    run = net().run(SACK, duration="200 ms").plot.tradeoff()
    assert not run.axes[0].patches
    assert "Ellipses" not in texts(run)


def points(values: list[tuple[float, float]]) -> OfDocument:
    """A sweep over ``link.l.delay`` with these numbers and timeouts, one seed each."""
    bodies = [
        {"settings": {"link.l.delay": x}, "seed": 1, "summary": {"timeouts": y}, "flows": [], "links": []}
        for x, y in values
    ]
    return OfDocument({"title": "points", "points": bodies})


@pytest.mark.parametrize(
    ("values", "log", "kept", "said"),
    [
        ([(1, 5), (2, 0), (3, 2)], "y", [1, 3], "Left out: 1 point whose mean is not above 0."),
        ([(1, 0), (2, 0), (3, 2)], "y", [3], "Left out: 2 points whose mean is not above 0."),
        ([(0, 5), (2, 1), (3, 2)], "x", [2, 3], "Left out: 1 point whose delay is not above 0."),
        ([(1, 5), (2, 0), (3, 2)], "x", [1, 2, 3], ""),
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_a_logarithmic_axis_cannot_show_is_told(
    values: list[tuple[float, float]], log: str, kept: list[float], said: str
) -> None:
    figure = swept_figures.measures(points(values), ["timeouts"], log=log)
    lines: list[Any] = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert [list(line.get_xdata()) for line in lines if len(line.get_xdata())] == [kept]
    assert said in texts(figure)
    assert ("Left out" in texts(figure)) == bool(said)
    assert len(figure.data) == 3


def test_a_logarithmic_axis_without_any_point_is_told() -> None:
    with pytest.raises(dk.RequestError, match="a logarithmic axis has no zero, and no mean is above it"):
        swept_figures.measures(points([(1, 0), (2, 0)]), ["timeouts"], log="y")


def test_the_rows_of_runs_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store of n points reads n rows, which for each point would take the square of the time."""
    data = points([(x, x) for x in range(50)])
    rows, parts = data.rows, []

    def counted(part: str) -> list[dict[str, Any]]:
        parts.append(part)
        return rows(part)

    monkeypatch.setattr(data, "rows", counted)
    assert len(data.estimates("timeouts")) == 50
    assert parts == ["runs"]


# Comparisons.


def test_a_comparison_shows_several_measures_best_first() -> None:
    kinds = [dk.queue.drop_tail(buffer="5 packets"), dk.queue.drop_tail(buffer="60 packets"), dk.queue.codel()]
    result = dk.compare(
        net(), {"link.bottleneck.queue": kinds}, SACK, also=["links.bottleneck.mean_backlog"], seeds=3, duration="2 s"
    )
    figure = result.plot()
    labels = ["goodput [Mb/s]", "mean backlog of bottleneck [packets]"]
    assert [one.get_xlabel().replace("\n", " ") for one in figure.axes] == labels
    ranked = result.ranked
    order = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert order == ranked["link.bottleneck.queue"].to_list()
    mine = [row for row in figure.data if row["measure"] == "summary.goodput_bps"]
    assert [row["mean"] for row in mine] == ranked["mean"].to_list()
    assert [row["told_apart"] for row in mine] == ranked["told_apart"].to_list()
    assert len(figure.data) == 6
    assert len(result.plot("goodput_bps").axes) == 1
    with pytest.raises(dk.RequestError, match="unknown measure of this comparison 'jain'"):
        result.plot("jain")


def ranked(alternatives: list[dict[str, str]], measures: list[str], *, groups: int = 1) -> list[dict[str, Any]]:
    """Comparisons as in a document."""
    none = {"difference": None, "low": None, "high": None, "told_apart": None}
    also = {measure: {"mean": 12.5, "ci95": 3.0, **none} for measure in measures}
    rows = [
        {"alternative": one, "mean": 1e6 * at, "ci95": 1e5, **none, "also": also} for at, one in enumerate(alternatives)
    ]
    return [{"settings": {"link.l.delay": f"{at} ms"}, "alternatives": rows} for at in range(groups)]


QUEUES = [
    "fq-codel (target 20 ms, interval 300 ms, ecn True)",
    "fq-codel (target 5 ms, interval 300 ms, ecn True)",
    "drop-tail (buffer 60 packets)",
    "drop-tail (buffer 1000 packets)",
]
ALSO = ["links.bottleneck.mean_backlog", "summary.jain", "links.bottleneck.queue_delay_s.p99", "summary.timeouts"]


def test_names_of_alternatives_have_only_what_differs() -> None:
    def named(*alternatives: tuple[str, ...]) -> list[str]:
        rows = [dict(zip(("queue", "transport"), one, strict=False)) for one in alternatives]
        (ax,) = compared("title", "goodput_bps", ranked(rows, []), None, None).axes
        return [" ".join(text.get_text().split("\n")) for text in ax.get_yticklabels()]

    assert named(*[(queue,) for queue in QUEUES]) == [
        "fq-codel (target 20 ms)",
        "fq-codel (target 5 ms)",
        "drop-tail (buffer 60 packets)",
        "drop-tail (buffer 1000 packets)",
    ]
    sack = "sack (mss 1448 B, ecn {}, inner codel (target 5 ms, ecn True))"
    assert named(("codel", sack.format(True)), ("codel", sack.format(False))) == ["sack (ecn true)", "sack (ecn false)"]
    assert named(
        ("codel", "sack (mss 1448 B)"), ("drop-tail", "reno (mss 1448 B)"), ("codel", "reno (mss 1448 B)")
    ) == [
        "codel, sack",
        "drop-tail, reno",
        "codel, reno",
    ]
    groups = [{**one, "settings": {"ecn": on}} for on in (True, False) for one in ranked([{"queue": "a"}], [])]
    titles = [ax.get_title(loc="left") for ax in compared("title", "goodput_bps", groups, None, None).axes]
    assert titles == ["ecn true", "ecn false"]


@pytest.mark.parametrize("also", [0, 1, 2, 4])
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize(
    ("title", "alternatives"),
    [
        ("Queues", [{"queue": one, "rate": rate} for one in QUEUES for rate in ("10 Mb/s", "5 Mb/s")]),
        ("Words", [{"queue": "drop-tail", "rate": "10 Mb/s"}, {"queue": "fq-codel", "rate": "5 Mb/s"}]),
        ("W" * 90, [{"queue": "W" * 80}, {"queue": "fq_pie_" * 9}]),
    ],
)
def test_all_text_of_a_comparison_has_a_place(
    title: str, alternatives: list[dict[str, str]], groups: int, also: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = ranked(alternatives, ALSO[:also], groups=groups)
    figure = compared(title, "goodput_bps", told, None, None, "packets")
    assert not misplaced(figure, monkeypatch)
    figure.set_dpi(72)
    assert not misplaced(figure, monkeypatch)


LAID_OUT: dict[str, Any] = {
    "curves": lambda swept, web, run: swept.plot("goodput_bps"),
    "measures": lambda swept, web, run: swept.plot("flows.*.segments_sent", *ALSO[:2], at={"delay": "1 ms"}, log="xy"),
    "words": lambda swept, web, run: swept.plot("goodput_bps", *ALSO[:2], x="transport", at={"delay": "1 ms"}),
    "heat": lambda swept, web, run: swept.plot("goodput_bps", x=BUFFER, at={"transport": "sack"}, heat=True),
    "heats": lambda swept, web, run: swept.plot("goodput_bps", ALSO[0], x=BUFFER, heat=True),
    "cdf": lambda swept, web, run: web.plot.cdf(),
    "ccdf": lambda swept, web, run: web.plot.ccdf(),
    "slowdown": lambda swept, web, run: web.plot.slowdown(),
    "tradeoff": lambda swept, web, run: web.plot.tradeoff(),
    "course": lambda swept, web, run: run.plot.course(),
    "cwnd": lambda swept, web, run: run.plot.cwnd(),
    "queue": lambda swept, web, run: run.plot.queue(),
    "goodput": lambda swept, web, run: run.plot.goodput(),
    "queues": lambda swept, web, run: fabric().run(WEB, **FABRIC).plot.queues(),
    "gauges": lambda swept, web, run: net(queue=dk.queue.pie()).run(SACK, duration="1 s").plot.gauges(),
}


@pytest.mark.parametrize("what", LAID_OUT)
def test_all_text_has_a_place(
    what: str, swept: dk.SweepResult, web: dk.SweepResult, run: dk.RunResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = LAID_OUT[what](swept, web, run)
    assert not misplaced(figure, monkeypatch)
    figure.set_dpi(72)
    assert not misplaced(figure, monkeypatch)
    assert pickle.loads(pickle.dumps(figure)).data == figure.data


# Files.


def test_a_figure_is_saved_with_its_data(swept: dk.SweepResult, tmp_path: Path) -> None:
    figure = swept.plot("jain", at={"delay": "1 ms"})
    starts = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}
    for kind, start in starts.items():
        path = tmp_path / f"jain.{kind}"
        assert figure.save(path) == [path, tmp_path / "jain.csv"]
        assert path.read_bytes().startswith(start)
        first = path.read_bytes()
        figure.save(path)
        assert path.read_bytes() == first
    with (tmp_path / "jain.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["mean"]) for row in rows] == [row["mean"] for row in figure.data]
    assert list(rows[0]) == ["measure", "transport", "buffer [packets]", "mean", "ci95", "runs"]


def test_files_of_others_are_not_replaced(swept: dk.SweepResult, tmp_path: Path) -> None:
    figure = swept.plot("jain", at={"delay": "1 ms"})
    (tmp_path / "mine.svg").write_text("<svg/>")
    (tmp_path / "data.csv").write_text("a,b\n")
    with pytest.raises(dk.RequestError, match=r"mine\.svg: not a figure of dupack; --force"):
        figure.save(tmp_path / "mine.svg")
    with pytest.raises(dk.RequestError, match=r"data\.csv: not the data of a figure of dupack"):
        figure.save(tmp_path / "data.svg")
    with pytest.raises(dk.RequestError, match=r"x\.jpg: not a kind of figure; write a name that ends in \.svg"):
        figure.save(tmp_path / "x.jpg")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "mine.svg"]
    figure.save(tmp_path / "mine.svg", force=True)
    assert (tmp_path / "mine.csv").exists()


@pytest.mark.parametrize(
    "title", ["Costs $a_1$ and $b", r"$\frac$ and $x_$", "a\x1b[31mred\x00\ufffe", "拥塞控制", "%s_{"]
)
@pytest.mark.filterwarnings("error")
def test_text_of_others_is_drawn_as_it_is(title: str, tmp_path: Path) -> None:
    sampled = {"time_s": [0, 1], "cwnd": {title: [1, 2], "other": [3, 4]}, "backlog": {title: [1, 2], "$b$": [3, 4]}}
    run = RunPlots(OfDocument({"title": title, "summary": {}, "seed": 1, "series": sampled, "links": [], "flows": []}))
    rows = [{"alternative": {"queue": word}, "mean": 1e6, "ci95": 1e5} for word in (title, f"$a$ {title}")]
    none = {"difference": None, "low": None, "high": None, "told_apart": None}
    groups = [{"settings": {}, "alternatives": [{**row, **none} for row in rows]}]
    for figure in (run.cwnd(), run.queues(), compared(title, "goodput_bps", groups, ["goodput_bps"], None)):
        for kind in ("pdf", "png", "svg"):
            figure.save(tmp_path / f"f.{kind}")
        root = ElementTree.parse(tmp_path / "f.svg").getroot()
        words = ["".join(one.itertext()) for one in root.iter("{http://www.w3.org/2000/svg}text")]
        # As the title and as a name.
        assert [word.removesuffix(", seed 1") for word in words].count(shown(title)) == 2


def test_no_numbers_on_axes_collide_and_none_has_an_exponent(
    swept: dk.SweepResult, web: dk.SweepResult, run: dk.RunResult
) -> None:
    drawn = [
        swept.plot("goodput_bps"),
        swept.plot("flows.*.segments_sent", "goodput_bps", at={"delay": "1 ms"}, log="xy"),
        swept.plot("goodput_bps", x="delay", at={"transport": "sack"}),
        web.plot.cdf(),
        web.plot.ccdf(),
        web.plot.slowdown(),
        web.plot.tradeoff(),
        run.plot.course(),
    ]
    for figure in drawn:
        figure.draw_without_rendering()
        for ax in figure.axes:
            for letter in "xy":
                it = getattr(ax, f"{letter}axis")
                low, high = sorted(getattr(ax, f"get_{letter}lim")())
                ticks = [(tick.get_loc(), tick.label1) for tick in it.get_major_ticks()]
                shown = [text for at, text in ticks if low <= at <= high and text.get_text() and text.get_visible()]
                # The rows of events have words.
                shown = [text for text in shown if text.get_text() not in EVENT_NAMES.values()]
                assert not any("e" in text.get_text() or "10^" in text.get_text() for text in shown)
                assert it.get_offset_text().get_text() == ""
                boxes = sorted(
                    (
                        text.get_window_extent().intervalx if letter == "x" else text.get_window_extent().intervaly
                    ).tolist()
                    for text in shown
                )
                assert all(one[1] <= other[0] for one, other in pairwise(boxes))
