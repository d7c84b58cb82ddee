"""Sweeps as values: tables, figures, and the store that they may be kept in."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import dupack as dk
from conftest import PLAN, net


def test_a_sweep_is_a_plan_and_does_not_depend_on_threads() -> None:
    queues = [dk.queue.drop_tail(buffer="20 packets"), dk.queue.fair_queueing(buffer="20 packets")]
    grid = {"link.bottleneck.queue": queues, "link.bottleneck.rate": ["4 Mb/s", "8 Mb/s"]}
    once = dk.sweep(net(), grid, seeds=3, duration="1 s", threads=1)
    again = dk.sweep(net(), grid, seeds=3, duration="1 s", threads=2)
    assert once.runs.equals(again.runs)
    assert len(once) == 12
    document = dk.run(dk.Plan(once.plan.encode(), "plan"))
    fractions = [point["summary"]["goodput_fraction"]["mean"] for point in document["points"]]
    halves = [point["summary"]["goodput_fraction"]["ci95"] for point in document["points"]]
    assert once.points["goodput_fraction"].to_list() == fractions
    assert once.points["goodput_fraction_ci95"].to_list() == halves
    assert once.points.columns[:2] == once.axes
    assert once.flows.height == 24
    assert once.runs["seed"].to_list() == [1, 2, 3] * 4


def test_a_sweep_in_a_store_is_that_in_memory(tmp_path: Path) -> None:
    queues = [dk.queue.drop_tail(buffer="20 packets"), dk.queue.fair_queueing(buffer="20 packets")]
    grid = {"link.bottleneck.queue": queues, "link.bottleneck.rate": ["4 Mb/s", "8 Mb/s"]}
    store = tmp_path / "store"
    part = dk.sweep(net(), grid, seeds=2, duration="1 s", out=store)
    assert len(part) == 8
    before = {path: path.read_bytes() for path in store.rglob("*.parquet")}
    assert before
    here = dk.sweep(net(), grid, seeds=3, duration="1 s")
    kept = dk.sweep(net(), grid, seeds=3, duration="1 s", out=store)
    for table in ("runs", "flows", "links", "points"):
        assert getattr(kept, table).equals(getattr(here, table)), table
    assert (kept.plan, kept.measures, len(kept)) == (here.plan, here.measures, 12)
    # A complete store is not changed.
    after = {path: path.stat().st_mtime_ns for path in store.rglob("*.parquet")}
    dk.sweep(net(), grid, seeds=3, duration="1 s", out=store)
    assert {path: path.stat().st_mtime_ns for path in store.rglob("*.parquet")} == after


def test_a_sweep_stops_by_the_plans_rule_wherever_it_is_kept(tmp_path: Path) -> None:
    rule = 'stop = { relative_ci = 0.2, of = "summary.goodput_bps", min = 3, max = 12 }\n'
    path = tmp_path / "plan.toml"
    path.write_text(rule + PLAN)
    here, kept = (dk.sweep(dk.load(path), {}, out=out) for out in (None, tmp_path / "store"))
    assert 3 <= len(here) <= 12
    assert here.runs.equals(kept.runs)
    document = dk.run(dk.Plan(path.read_bytes(), "plan"))
    assert document["points"][0]["n"] == len(here) if "points" in document else len(document["runs"]) == len(here)


class Fifo(dk.Discipline):
    """What comes waits."""

    def __init__(self) -> None:
        self.room = 100
        self.waiting: list[dk.Unit] = []

    def offer(self, now: int, unit: dk.Unit, book: dk.Book) -> None:
        if len(self.waiting) < self.room:
            self.waiting.append(unit)
        else:
            book.drop(unit)

    def pull(self, now: int, book: dk.Book) -> dk.Unit | None:
        return self.waiting.pop(0) if self.waiting else None


def test_what_a_store_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(dk.RequestError, match="on='ray': needs a store"):
        dk.sweep(net(), {}, on="ray")
    mine = net().with_values({"link.bottleneck.queue": Fifo()})
    with pytest.raises(dk.RequestError, match="on='ray': a cluster does not have the Python discipline"):
        dk.sweep(mine, {}, duration="1 s", out=tmp_path / "store", on="ray")
    nowhere: dict[str, Any] = {"Fifo": Fifo, "__name__": "nowhere"}
    exec("class Made(Fifo):\n    pass", nowhere)
    made = net().with_values({"link.bottleneck.queue": nowhere["Made"]()})
    with pytest.raises(dk.RequestError, match="the code of Made cannot be read"):
        dk.sweep(made, {}, duration="1 s", out=tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_a_store_has_python_disciplines_by_their_names(tmp_path: Path) -> None:
    short = Fifo()
    short.room = 5
    grid = {"link.bottleneck.queue": [short, Fifo(), dk.queue.codel()]}

    def swept() -> dk.SweepResult:
        return dk.sweep(net(), grid, seeds=2, duration="1 s", out=tmp_path / "store")

    first = swept()
    names = ["Fifo (room 5)", "Fifo (room 100)", "codel"]
    assert first.points["link.bottleneck.queue"].to_list() == names
    stored = pl.read_parquet(tmp_path / "store" / "runs" / "*.parquet")
    assert stored["link.bottleneck.queue"].to_list()[:4] == [names[0]] * 2 + [names[1]] * 2
    assert first.points.equals(dk.sweep(net(), grid, seeds=2, duration="1 s").points)
    assert swept().points.equals(first.points)
    # Another state is another discipline: its runs are made anew, and those of the others are kept.
    short._seen = 1
    with pytest.warns(UserWarning, match="2 runs of another sweep are kept in"):
        assert swept().points.equals(first.points)
    now = pl.read_parquet(tmp_path / "store" / "runs" / "*.parquet")
    assert now["run"].to_list()[2:] == stored["run"].to_list()[2:]
    assert not set(now["run"][:2]) & set(stored["run"])


def test_a_single_seed_has_no_interval() -> None:
    result = dk.sweep(net(), {"link.bottleneck.rate": ["4 Mb/s", "8 Mb/s"]}, duration="1 s")
    assert result.points["goodput_bps_ci95"].to_list() == [None, None]
    assert result.plot("goodput_bps").axes[0].get_ylabel() == "goodput [Mb/s]"


def test_the_figure_of_a_sweep_has_its_intervals() -> None:
    grid = {"link.bottleneck.delay": ["1 ms", "5 ms"], "flow.*.transport": [dk.transport.reno(), dk.transport.sack()]}
    result = dk.sweep(net(), grid, seeds=3, duration="1 s")
    axes = result.plot("goodput_fraction", x="link.bottleneck.delay").axes[0]
    assert axes.get_xlabel() == "delay [ms]"
    curves = axes.containers
    assert [curve.get_label() for curve in curves] == ["reno", "sack"]
    line, _, (bars,) = curves[0].lines
    row = result.points.row(0, named=True)
    assert line.get_ydata()[0] == row["goodput_fraction"]
    (low, high) = bars.get_segments()[0][:, 1]
    assert (high - low) / 2 == pytest.approx(row["goodput_fraction_ci95"])
    with pytest.raises(dk.RequestError, match=r'"goodput" is unknown; did you mean "summary\.goodput_bps"'):
        result.plot("goodput")


def test_a_figure_of_nothing_is_refused_and_a_long_name_has_room() -> None:
    result = dk.sweep(net(), {"link.bottleneck.delay": ["1 ms", "5 ms"]}, duration="1 s", seeds=2)
    with pytest.raises(
        dk.RequestError, match=r"nothing to draw: no point has flows\.bulk-\*\.completed_s in all of its runs"
    ):
        result.plot("flows.bulk-*.completed_s")
    figure = dk.sweep(
        net().with_values({"percentiles": True}), {"link.bottleneck.delay": ["1 ms", "5 ms"]}, duration="1 s", seeds=2
    ).plot("links.bottleneck.queue_delay_s.p99")
    figure.savefig(io.BytesIO())
    label = figure.axes[0].yaxis.label
    assert label.get_text() == "queueing delay of bottleneck,\np99 [ms]"
    extent = label.get_window_extent()
    assert extent.y0 >= 0
    assert extent.y1 <= figure.bbox.height
