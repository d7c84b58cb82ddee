"""Results of runs as values: tables, series, figures, notebooks."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow
import pytest

import dupack as dk
from conftest import Dupack, net, of_json, steady


@pytest.fixture(scope="module")
def run() -> dk.RunResult:
    return net().run(dk.transport.sack(), duration="2 s", seed=3)


def test_the_command_measures_the_same(run: dk.RunResult, dupack: Dupack, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(run.plan)
    told = of_json(dupack("run", path, "--json"))
    told.pop("series")
    assert steady(told) == steady(run.document)


def test_the_keys_of_a_document_are_columns(run: dk.RunResult) -> None:
    assert run.flows.columns == list(run.document["flows"][0])
    links = [key for key in run.document["links"][0] if key not in ("dropped", "measured")]
    assert [name for name in run.links.columns if not name.startswith(("dropped", "measured_"))] == links
    # The counts since the warm-up have columns as those of the whole run.
    measured = {name.removeprefix("measured_") for name in run.links.columns if name.startswith("measured_")}
    assert measured == {
        *run.document["links"][0]["measured"],
        *(n for n in run.links.columns if n.startswith("dropped_")),
    }
    assert run.summary.row(0) == tuple(run.document["summary"].values())


def test_drops_are_told_by_cause(run: dk.RunResult) -> None:
    causes = [name for name in run.links.columns if name.startswith("dropped_")]
    assert len(causes) == 6
    assert (run.links["dropped"] == run.links.select(causes).sum_horizontal()).all()
    assert run.links["dropped_overflow"].sum() > 0


def test_what_could_not_be_measured_is_a_number_that_is_missing(run: dk.RunResult) -> None:
    import polars as pl

    assert run.flows.schema["completed_s"] == pl.Float64
    assert run.flows["completed_s"].null_count() == 2


def test_tables_become_those_of_pandas(run: dk.RunResult) -> None:
    made = run.flows.to_pandas()
    assert list(made["name"]) == ["bulk-0", "bulk-1"]
    assert list(run.series.cwnd.to_pandas().columns) == ["time_s", "bulk-0", "bulk-1"]


def test_series_lie_where_they_were_written(run: dk.RunResult) -> None:
    import pyarrow as pa

    for name in ("cwnd", "delivered", "backlog"):
        arrow = pa.table(run.series.columns(name))
        again = pa.table(run.series.columns(name))
        taken = getattr(run.series, name)
        for column in arrow.column_names:
            chunk = arrow[column].chunk(0)
            address = chunk.buffers()[1].address
            assert address == again[column].chunk(0).buffers()[1].address
            assert address == _address(taken[column]), (name, column)


def _address(column: Any) -> int:
    """Where a column of polars lies."""
    address: int = column.to_numpy(allow_copy=False).__array_interface__["data"][0]
    return address


def test_series_are_those_of_the_document(run: dk.RunResult) -> None:
    text = run.plan
    document = dk.run(dk.Plan(text.encode(), "plan"))
    for measure, by_name in document["series"].items():
        if measure == "time_s":
            assert run.series.cwnd["time_s"].to_list() == by_name
            continue
        table = getattr(run.series, measure)
        assert set(table.columns[1:]) == set(by_name)
        for name, values in by_name.items():
            assert table[name].to_list() == values, (measure, name)
    flows = ["time_s", "bulk-0", "bulk-1"]
    assert run.series.delay_s.columns == flows


def test_a_series_that_does_not_exist(run: dk.RunResult) -> None:
    with pytest.raises(AttributeError, match="unknown series 'window'; known: cwnd"):
        run.series.window  # noqa: B018
    with pytest.raises(dk.RequestError, match="unknown series 'window'"):
        run.series.columns("window")


def test_samples_are_a_thousand_unless_said(run: dk.RunResult) -> None:
    assert len(run.series.cwnd) == 1001
    assert len(net().run(duration="1 s", sample="100 ms").series.cwnd) == 11
    assert 'sample = "500 ps"' in net().run(duration="500 ns").plan


def test_a_tape_is_kept_if_asked_for(run: dk.RunResult) -> None:
    with pytest.raises(dk.RequestError, match="tape=True"):
        run.tape  # noqa: B018
    tape = net().run(duration="1 s", tape=True).tape
    assert tape.columns == ["time_s", "flow", "event", "segment", "cwnd", "ssthresh"]
    assert tape["time_s"].is_sorted()
    assert set(tape["event"]) >= {"send", "ack", "deliver"}


def test_throughput_is_what_a_flow_sends_with_headers_and_again() -> None:
    one = dk.dumbbell(
        senders=1, access="10 Mb/s", bottleneck="10 Mb/s", delay="1 ms", loss=dk.loss.bernoulli(rate=0.01)
    )
    flow = one.run(dk.transport.sack(mss="960 B", header="40 B"), duration="10 s").document["flows"][0]
    assert flow["segments_retransmitted"] > 10
    assert flow["throughput_bps"] == flow["segments_sent"] * 1000 * 8 / 10
    assert flow["goodput_bps"] < 0.96 * flow["throughput_bps"]
    cells = dk.dumbbell(senders=1, access="10 Mb/s", bottleneck="10 Mb/s", delay="1 ms", carries="cells")
    flow = cells.run(dk.transport.sack(mss="536 B", header="40 B"), duration="1 s").document["flows"][0]
    # 576 B and AAL5's 8 B make 13 cells.
    assert flow["throughput_bps"] == flow["segments_sent"] * 13 * 424


def test_figures_show_what_was_measured(run: dk.RunResult) -> None:
    cwnd = run.plot.cwnd().axes[0]
    assert [line.get_label() for line in cwnd.lines] == ["bulk-0", "bulk-1"]
    assert list(cwnd.lines[0].get_ydata()) == run.series.cwnd["bulk-0"].to_list()
    queue = run.plot.queue().axes[0]
    assert queue.get_ylabel() == "backlog of bottleneck [packets]"
    goodput = run.plot.goodput().axes[0]
    assert [line.get_label() for line in goodput.lines] == ["bulk-0", "bulk-1", "sum"]
    # The mean over the intervals is the mean of the run, except for the last few samples.
    rates = goodput.lines[2].get_ydata()
    assert sum(rates) / len(rates) == pytest.approx(run.document["summary"]["goodput_bps"] / 1e6, rel=0.02)


def test_one_name_is_a_choice_too(run: dk.RunResult) -> None:
    for chosen in ("bulk-1", ["bulk-1"]):
        assert [line.get_label() for line in run.plot.goodput(chosen).axes[0].lines] == ["bulk-1"]
        assert len(run.plot.cwnd(chosen).axes[0].lines) == 1
    assert run.plot.queue("bottleneck").axes[0].get_ylabel() == "backlog of bottleneck [packets]"
    with pytest.raises(dk.RequestError, match=r"unknown flow 'bulk'; did you mean"):
        run.plot.goodput("bulk")


def test_results_and_figures_go_through_pickle(run: dk.RunResult) -> None:
    def again(one: Any) -> Any:
        return pickle.loads(pickle.dumps(one))

    other = again(run)
    assert (other.document, other.plan, repr(other)) == (run.document, run.plan, repr(run))
    for name in run.series:
        assert getattr(other.series, name).equals(getattr(run.series, name))
        assert pyarrow.table(other.series.columns(name)).num_rows == pyarrow.table(run.series.columns(name)).num_rows
    assert other.flows.equals(run.flows)
    figure = again(run.plot.cwnd())
    assert type(figure) is type(run.plot.cwnd())
    assert [len(line.get_xdata()) for line in figure.axes[0].lines] == [run.series.cwnd.height] * 2
    assert figure._repr_png_().startswith(b"\x89PNG")
    grid = {"link.bottleneck.delay": ["1 ms", "5 ms"]}
    swept = dk.sweep(net(), grid, duration="1 s", seeds=2)
    assert again(swept).points.equals(swept.points)
    assert again(swept).estimates("links.bottleneck.dropped").equals(swept.estimates("links.bottleneck.dropped"))
    assert again(again(swept)).runs.equals(swept.runs)
    ranked = dk.compare(net(), grid, duration="1 s", seeds=2)
    assert repr(again(ranked)) == repr(ranked)
    assert again(again(ranked)).ranked.equals(ranked.ranked)


def test_notebooks_show_tables(run: dk.RunResult) -> None:
    assert "<td>bulk-0</td>" in run._repr_html_().replace("&quot;", "")
    shown = net()._repr_html_()
    assert "<td>bottleneck</td>" in shown
    assert "<td>drop-tail</td>" in shown
    assert "<b>" in dk.sweep(net(), {}, duration="1 s")._repr_html_()


@pytest.mark.parametrize(("library", "extra"), [("polars", "frames"), ("matplotlib", "figures")])
def test_a_library_that_is_not_there_is_named(library: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = net().run(duration="1 s")
    run.series.cwnd  # noqa: B018
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(dk.MissingError, match=rf"pip install 'dupack\[{extra}\]'"):
        run.flows if library == "polars" else run.plot.cwnd()


LINE = dk.incast(
    senders=4,
    access="10 Mb/s",
    delay="1 ms",
    queue=dk.queue.drop_tail(buffer="10 packets"),
    arrivals=dk.arrivals.poisson(load=0.5, of="bottleneck"),
    traffic=dk.traffic.file(size="20 kB"),
)


def test_counts_of_links_since_the_warm_up_stand_beside_those_of_the_run() -> None:
    whole = LINE.run(duration="2 s").links
    half = LINE.run(duration="2 s", warm_up="1 s").links
    counts = ["offered", "sent", "dropped", "dropped_overflow", "minted", "trimmed", "marked"]
    for count in counts:
        # The run is the same, and without a warm-up all of it is measured.
        assert half[count].to_list() == whole[count].to_list() == whole[f"measured_{count}"].to_list()
    both = half.filter(pl.col("offered") > 100)
    assert all(0 < some < all_ for some, all_ in both.select("measured_offered", "offered").iter_rows())
    # A link of which nothing waits: as much has left it as has come.
    idle = both.filter(pl.col("queue") == "unlimited", pl.col("waiting") == 0)
    assert all(abs(came - left) < 20 for came, left in idle.select("measured_offered", "measured_sent").iter_rows())


def test_a_single_flow_of_many_connections_has_no_index_of_fairness() -> None:
    assert LINE.run(duration="1 s").document["summary"]["jain"] is None
    single = dk.dumbbell(senders=1, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms")
    assert single.run(duration="1 s").document["summary"]["jain"] == 1.0
