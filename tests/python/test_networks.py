"""Networks, runs and sweeps as values."""

from __future__ import annotations

import inspect
import io
import json
import pickle
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import dupack as dk
from conftest import PLAN, Dupack, of_json, steady
from dupack import parts


def net(**values: Any) -> dk.Network:
    """A plan that takes milliseconds."""
    given: dict[str, Any] = {"queue": dk.queue.drop_tail(buffer="20 packets"), **values}
    return dk.dumbbell(senders=2, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms", **given)


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
    links = [key for key in run.document["links"][0] if key != "dropped"]
    assert [name for name in run.links.columns if not name.startswith("dropped")] == links
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


def test_transports_are_shared_out_and_names_stay() -> None:
    kinds = [dk.transport.reno(), dk.transport.sack(), dk.transport.tahoe()]
    net = dk.dumbbell(senders=4, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms", receivers=1)
    flows = net.run(kinds, duration="1 s").flows
    assert flows["name"].to_list() == [f"bulk-{i}" for i in range(4)]
    assert flows["transport"].to_list() == ["reno", "sack", "tahoe", "reno"]
    # Nobody else's random numbers change with it.
    same = net.run([dk.transport.reno()], duration="1 s").document
    assert steady(same) == steady(net.run(dk.transport.reno(), duration="1 s").document)
    with pytest.raises(dk.RequestError, match="the list is empty"):
        net.run([])


def test_values_are_put_at_their_paths() -> None:
    other = net().with_values({"link.bottleneck.queue.buffer": "5 packets", "flow.*.start": "0 s", "duration": "1 s"})
    plan = tomllib.loads(other.plan())
    assert plan["link"][1]["queue"]["buffer"] == "5 packets"
    assert net().with_values({"topology.senders": 7}).run(duration="1 s").flows.height == 7
    assert (plan["flow"][0]["start"], plan["duration"]) == ("0 s", "1 s")
    assert other.run().document["duration_s"] == 1.0
    assert "20 packets" in net().plan()
    with pytest.raises(dk.PlanError, match=r'link.bottlneck.rate: there is no link "bottlneck"; did you mean'):
        net().with_values({"link.bottlneck.rate": "1 Mb/s"})


def test_a_plan_file_is_a_network(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    loaded = dk.load(path)
    assert steady(loaded.run(sample="1 s").document)["flows"] == steady(dk.run(dk.read_plan(path)))["flows"]
    path.write_text(f'{PLAN}\n[sweep]\n"link.bottleneck.rate" = ["8 Mb/s", "9 Mb/s"]\nseeds = "1..2"\n')
    loaded = dk.load(path)
    with pytest.raises(
        dk.RequestError, match=r"4 runs, where run\(\) makes a single one; write dupack\.sweep\(net, \{\}\)"
    ):
        loaded.run()
    assert len(dk.sweep(loaded, {})) == 4
    assert len(dk.sweep(loaded, {"link.access.delay": ["1 ms", "2 ms", "3 ms"]}, seeds=1)) == 6
    path.write_text("duration = ")
    with pytest.raises(dk.PlanError, match="not valid TOML"):
        dk.load(path)
    with pytest.raises(dk.PlanError, match="cannot be read: no such file"):
        dk.load(tmp_path / "none.toml")


QUEUE = dk.queue.drop_tail(buffer="20 packets")
COMMON: dict[str, Any] = {"access": "10 Mb/s", "delay": "1 ms", "queue": QUEUE}


@pytest.mark.parametrize(
    ("net", "told", "queues"),
    [
        (
            dk.parking_lot(hops=3, bottleneck="8 Mb/s", cross=2, **COMMON),
            'parking-lot: 1 host "source", 1 host "sink", 6 hosts "cross-source", 6 hosts "cross-sink"',
            ["hop-0", "hop-1", "hop-2"],
        ),
        (dk.incast(senders=4, **COMMON), 'incast: 4 hosts "source", 1 host "sink"', ["bottleneck"]),
        (dk.star(hosts=3, **COMMON), 'star: 3 hosts "host"', [f"access-{i}.back" for i in range(3)]),
        (
            dk.leaf_spine(leaves=2, spines=2, hosts=2, fabric="5 Mb/s", **COMMON),
            'leaf-spine: 4 hosts "host"',
            [f"access-{i}.back" for i in range(4)]
            + [f"fabric-{i}-{j}{back}" for i in range(2) for j in range(2) for back in ("", ".back")],
        ),
        (dk.fat_tree(k=2, **COMMON), 'fat-tree: 2 hosts "host"', None),
    ],
)
def test_topologies_have_their_queues_where_packets_wait(net: dk.Network, told: str, queues: list[str] | None) -> None:
    assert repr(net).startswith(told)
    result = net.run(duration="1 s")
    assert result.flows["segments_sent"].min() > 0
    rows = result.links.select("name", "queue").rows()
    if queues is not None:
        assert [name for name, queue in rows if queue == "drop-tail"] == queues
    assert tomllib.loads(result.plan)["topology"]["kind"] == net.name


def test_mistakes_of_a_topology_are_told_where_it_says_it() -> None:
    net = dk.leaf_spine(leaves=1, spines=2, hosts=2, access="10 Mb/s", delay="1 ms")
    net = net.with_values({"topology.leaves": 0})
    assert repr(net).startswith("leaf-spine: error: topology.leaves: 0; write at least 1")
    assert "topology.leaves" in net._repr_html_()
    with pytest.raises(dk.PlanError, match=r"topology\.leaves: 0; write at least 1"):
        net.run()
    with pytest.raises(dk.PlanError, match=r"topology\.access\.rate"):
        dk.star(hosts=2, access="10", delay="1 ms")


GRAPH = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">
<node id="a"/><node id="b"/><node id="c"/><edge source="a" target="b"/><edge source="b" target="c"/>
</graph></graphml>"""


def test_a_graph_of_a_file_is_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "three.graphml").write_text(GRAPH)
    monkeypatch.chdir(tmp_path)
    trunk = {"rate": "5 Mb/s", "delay": "3 ms"}
    net = dk.graphml("three.graphml", flows=[], access="10 Mb/s", access_delay="1 ms", trunk=trunk)
    hosts = [host["name"] for host in net._whole["host"]]
    pairs = [(hosts[0], hosts[-1])]
    net = dk.graphml("three.graphml", flows=pairs, access="10 Mb/s", access_delay="1 ms", trunk=trunk)
    assert net.run(duration="1 s").flows["goodput_bps"][0] > 1e6


def test_fabrics_have_the_traffic_matrices_of_their_papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net = dk.fat_tree(k=4, access="100 Mb/s", delay="5 us", flows="permutation", start="0 s")
    assert repr(net).endswith("links, 16 flows")
    one, other = (net.run(duration="0.2 s", seed=seed, traffic=dk.traffic.file(size="3 segments")) for seed in (1, 2))
    assert one.flows["segments_delivered"].to_list() == [3] * 16
    for run in (one, other):
        sent = run.links.filter(run.links["name"].str.starts_with("access"))["sent"].to_list()
        # Three segments one way and three acks the other, at every host.
        assert sent == [6] * 32
    # Another seed, other ways.
    assert one.links["sent"].to_list() != other.links["sent"].to_list()
    net = dk.leaf_spine(leaves=2, spines=2, hosts=2, access="10 Mb/s", delay="1 ms", flows="all-to-all")
    assert repr(net).endswith("links, 12 flows")
    assert len(net.run(duration="10 ms").flows) == 12
    with pytest.raises(dk.RequestError, match="several for flow 'bulk', whose pairs of hosts are drawn or all-to-all"):
        net.run([dk.transport.reno(), dk.transport.sack()])
    (tmp_path / "three.graphml").write_text(GRAPH)
    monkeypatch.chdir(tmp_path)
    trunk = {"rate": "5 Mb/s", "delay": "3 ms"}
    net = dk.graphml("three.graphml", flows="all-to-all", access="10 Mb/s", access_delay="1 ms", trunk=trunk)
    assert repr(net).endswith("links, 6 flows")
    assert len(net.run(duration="10 ms").flows) == 6


def test_sizes_are_known_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    net = dk.star(hosts=2, access="10 Gb/s", delay="1 us")
    run = net.run(duration="1 s", traffic=dk.traffic.random_file(sizes="web-search"))
    assert run.flows["segments_delivered"].min() > 1
    with pytest.raises(dk.PlanError, match=r'"web-serch" cannot be read .*; write "web-search", "hadoop", or'):
        net.run(traffic=dk.traffic.random_file(sizes="web-serch"))


def test_numbers_of_numpy_are_numbers() -> None:
    import numpy as np

    queue = dk.queue.bpd(buffer="100 cells", lower=np.float32(0.5), upper=np.float64(0.75), gap=np.int64(5))
    assert queue == dk.queue.bpd(buffer="100 cells", lower=0.5, upper=0.75, gap="5 packets")
    assert dk.transport.reno(careful=np.bool_(True)) == dk.transport.reno(careful=True)


def star(**values: Any) -> dk.Network:
    return dk.star(**{"hosts": 4, "access": "1 Gb/s", "delay": "10 us", **values})


def test_connections_come_and_go_on_every_shape() -> None:
    some = {"arrivals": dk.arrivals.poisson(every="1 ms", limit=20), "traffic": dk.traffic.file(size="20 kB")}
    lines = {"access": "1 Gb/s", "delay": "10 us"}
    shapes = [
        star(**some),
        dk.incast(senders=4, **lines, **some),
        dk.leaf_spine(leaves=2, spines=2, hosts=2, **lines, **some),
        dk.fat_tree(k=2, **lines, **some),
        dk.dumbbell(senders=3, bottleneck="100 Mb/s", **lines, **some),
        dk.parking_lot(hops=2, bottleneck="100 Mb/s", **lines, **some),
    ]
    for made in shapes:
        # Transports that are shared out do not split what is one flow.
        run = made.run([dk.transport.sack(tick="1 ms"), dk.transport.reno()], duration="1 s")
        done = run.document["flows"][0]["connections"]
        assert (run.flows["name"].to_list(), done["completed"]) == (["files"], 20), made
    more = shapes[0].with_flow("more", "host-0", "host-1", traffic=dk.traffic.cbr(rate="1 Mb/s"), start="10 ms")
    assert more.run(duration="100 ms").flows["name"].to_list() == ["files", "more"]
    assert shapes[0].run(duration="100 ms").flows.height == 1, "a network does not change"


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
    # 576 B and AAL5's 8 are 13 cells.
    assert flow["throughput_bps"] == flow["segments_sent"] * 13 * 424


def test_a_part_is_a_value() -> None:
    red = dk.queue.red(buffer="50 packets", min_th=5, max_th="15 packets")
    assert red == dk.queue.red(buffer="50 packets", min_th="5 packets", max_th=15)
    assert len({red, pickle.loads(pickle.dumps(red))}) == 1
    assert eval(repr(red), {"dupack": dk}) == red
    assert red.kind == "red"
    with pytest.raises(AttributeError, match="is immutable"):
        red.kind = "plain"
    wrapped = dk.queue.triple_buffering(inner=red)
    assert wrapped.table["inner"] == red.table
    pair = dk.transport.pair(control="static-window", repair="smart", window="12 segments")
    assert eval(repr(pair), {"dupack": dk}) == pair


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: dk.queue.bpd(), r"queue\.bpd\.buffer: missing"),
        (lambda: dk.queue.bpd(buffer=1200), r"queue\.bpd\.buffer: 1200 is a bare number"),
        (lambda: dk.queue.bpd(buffer=object()), r"queue\.bpd\.buffer: <object .* is a object"),
        (lambda: dk.queue.bpd("1200 cells"), r"queue\.bpd: a positional argument; name the arguments"),
        (lambda: dk.transport.reno(mss="0 B"), r"transport\.reno\.mss: \"0 B\" does not fit"),
        (lambda: dk.transport.pair(control="tahoe", repair="reno"), r"transport\.pair\.repair: .* does not go with"),
        (lambda: dk.transport.static_window(window=3), r"transport\.static_window\.window: 3 is a bare number"),
        (lambda: dk.traffic.cbr(), r"traffic\.cbr\.rate: missing"),
        (lambda: dk.loss.bernoulli(rate=2), r"loss\.bernoulli\.rate: 2 is not from 0 to 1"),
        (lambda: net(start="2 s").run(duration="1 s"), r"flow\.bulk\.start: \"2 s\" is not before the end"),
        (
            lambda: net().run("sack"),
            r"transport: 'sack' is not a Transport; write one such as dupack\.transport\.reno\(\)",
        ),
        (lambda: net().run(traffic=dk.transport.reno()), r"traffic: dupack\.transport\.reno\(\) is not a Traffic"),
        (lambda: net().run(duration=5), r"duration: 5 is a bare number; write a unit: a time such as"),
        (lambda: net().run(duration="1 s", warm_up=0.5), r"warm_up: 0\.5 is a bare number"),
        (lambda: net().run(duration="1 s", sample=1), r"sample: 1 is a bare number"),
        (lambda: net().run(duration="1 s", seed="x"), r"seed: \"x\" is a string"),
        (lambda: star(access=30).run(), r"topology\.access\.rate: 30 is a bare number"),
        (lambda: star(hosts="4").run(), r"topology\.hosts: \"4\" is a string"),
        (lambda: star(flows=["host-0"]), r"flows: 'host-0' is not a pair"),
        (
            lambda: star(flows=[("host-0", "host-1")], arrivals=dk.arrivals.rounds()),
            r"flows: given together with arrivals",
        ),
        (lambda: star(arrivals=dk.arrivals.rounds()).run(), r"flow\.files\.traffic: does not end"),
        (
            lambda: star(arrivals=dk.arrivals.poisson(every="1 s", load=0.5)),
            r"arrivals\.poisson\.load: 0\.5 does not fit",
        ),
        (lambda: dk.fat_tree(k="4", access="1 Gb/s", delay="1 us").run(), r"topology\.k: \"4\" is a string"),
        (lambda: dk.graphml("x", access="1 Gb/s", access_delay="1 us"), r"flows: missing"),
        (lambda: net().with_flow("more", "source-9", "sink-0").run(), r"flow\.more\.from: .*source-9"),
        (lambda: net().with_flow("more", "source-0", "sink-0", mrp="1 Mb/s").run(), r"did you mean \"mpr\""),
        (lambda: net().run(duration="x"), r"duration: \"x\" is not a time"),
        (
            lambda: dk.sweep(net(), {"link.bottleneck.rate": "1 Mb/s"}),
            r"link\.bottleneck\.rate: '1 Mb/s' is not a list",
        ),
        (lambda: dk.sweep(net(), {}, seeds=0), r"seeds: 0"),
        (lambda: dk.sweep(net(), {}, seeds="1..x"), r"seeds: "),
        (lambda: dk.sweep("plan.toml", {}), r"is not a network"),
        (lambda: net(queue=None).run(duration="1 s").plot.queue(), r"no link of this network has a queue discipline"),
        (lambda: net().run(duration="1 s").plot.cwnd(["bulk-7"]), r"unknown flow 'bulk-7'; did you mean \"bulk-"),
    ],
)
def test_mistakes_name_their_place(make: Any, told: str) -> None:
    with pytest.raises(dk.Error, match=told):
        make()


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
    # What is whole is not touched.
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


def test_what_a_store_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(dk.RequestError, match="on='ray': needs a store"):
        dk.sweep(net(), {}, on="ray")
    with pytest.raises(dk.RequestError, match=r"out=.*runs of a Python discipline"):
        dk.sweep(net().with_values({"link.bottleneck.queue": Fifo()}), {}, duration="1 s", out=tmp_path / "store")
    assert not (tmp_path / "store").exists()


class Fifo(dk.Discipline):
    """Lets all arrivals wait."""

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


def test_a_single_seed_has_no_interval() -> None:
    result = dk.sweep(net(), {"link.bottleneck.rate": ["4 Mb/s", "8 Mb/s"]}, duration="1 s")
    assert result.points["goodput_bps_ci95"].to_list() == [None, None]
    assert result.plot("goodput_bps").axes[0].get_ylabel() == "goodput_bps [bit/s]"


def test_figures_show_what_was_measured(run: dk.RunResult) -> None:
    cwnd = run.plot.cwnd().axes[0]
    assert [line.get_label() for line in cwnd.lines] == ["bulk-0", "bulk-1"]
    assert list(cwnd.lines[0].get_ydata()) == run.series.cwnd["bulk-0"].to_list()
    queue = run.plot.queue().axes[0]
    assert queue.get_ylabel() == "backlog of bottleneck [packets]"
    goodput = run.plot.goodput().axes[0]
    assert [line.get_label() for line in goodput.lines] == ["bulk-0", "bulk-1", "sum"]
    # The mean of the intervals is the mean of the run, but for the last few samples.
    rates = goodput.lines[2].get_ydata()
    assert sum(rates) / len(rates) == pytest.approx(run.document["summary"]["goodput_bps"] / 1e6, rel=0.02)


def test_one_name_is_a_choice_too(run: dk.RunResult) -> None:
    for chosen in ("bulk-1", ["bulk-1"]):
        assert [line.get_label() for line in run.plot.goodput(chosen).axes[0].lines] == ["bulk-1"]
        assert len(run.plot.cwnd(chosen).axes[0].lines) == 1
    assert run.plot.queue("bottleneck").axes[0].get_ylabel() == "backlog of bottleneck [packets]"
    with pytest.raises(dk.RequestError, match=r"unknown flow 'bulk'; did you mean"):
        run.plot.goodput("bulk")


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
    assert label.get_text() == "links.bottleneck.queue_delay_s.\np99 [s]"
    extent = label.get_window_extent()
    assert extent.y0 >= 0
    assert extent.y1 <= figure.bbox.height


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


def test_the_figure_of_a_sweep_has_its_intervals() -> None:
    grid = {"link.bottleneck.delay": ["1 ms", "5 ms"], "flow.*.transport": [dk.transport.reno(), dk.transport.sack()]}
    result = dk.sweep(net(), grid, seeds=3, duration="1 s")
    axes = result.plot("goodput_fraction", x="link.bottleneck.delay").axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1 ms", "5 ms"]
    curves = axes.containers
    assert [curve.get_label() for curve in curves] == ["reno", "sack"]
    line, _, (bars,) = curves[0].lines
    row = result.points.row(0, named=True)
    assert line.get_ydata()[0] == row["goodput_fraction"]
    (low, high) = bars.get_segments()[0][:, 1]
    assert (high - low) / 2 == pytest.approx(row["goodput_fraction_ci95"])
    with pytest.raises(dk.RequestError, match=r'"goodput" is unknown; did you mean "summary\.goodput_bps"'):
        result.plot("goodput")


def test_notebooks_show_tables(run: dk.RunResult) -> None:
    assert "<td>bulk-0</td>" in run._repr_html_().replace("&quot;", "")
    shown = net()._repr_html_()
    assert "<td>bottleneck</td>" in shown
    assert "<td>drop-tail</td>" in shown
    assert "<b>" in dk.sweep(net(), {}, duration="1 s")._repr_html_()


def test_every_word_has_a_function_whose_help_says_all() -> None:
    for of in parts.FAMILIES:
        module = getattr(dk, of.family)
        told = {entry["name"] for entry, _ in parts.entries(of.family) if entry["name"]}
        assert {parts.identifier(word) for word in told} <= set(module.__all__)
        for entry, parameters in parts.entries(of.family):
            made = getattr(module, parts.identifier(entry["name"] or "pair"))
            assert list(inspect.signature(made).parameters) == [p["name"] for p in parameters]
            for parameter in parameters:
                assert f"    {parameter['name']}: " in made.__doc__


def test_a_default_that_is_written_changes_nothing() -> None:
    def key(queue: dk.Queue) -> str:
        return net(queue=queue, carries="cells").read()[0].key(0)

    told = inspect.signature(dk.queue.bpd).parameters
    defaults = {name: p.default for name, p in told.items() if p.default not in (p.empty, None)}
    assert set(defaults) == {"lower", "upper", "gap"}
    assert key(dk.queue.bpd(buffer="100 cells")) == key(dk.queue.bpd(buffer="100 cells", **defaults))


def test_stubs_match_the_modules(tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    # PyO3 makes it, and the stub tells of all that is in it.
    allowed.write_text("dupack._native.__all__\n")
    modules = ["dupack._native", *(f"dupack.{of.family}" for of in parts.FAMILIES)]
    done = _python("-m", "mypy.stubtest", "--allowlist", str(allowed), *modules, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


USE = """
import dupack as dk

queue: dk.Queue = dk.queue.bpd(buffer="1200 cells", lower=0.4, gap=25)
net = dk.dumbbell(senders=5, access="30 Mb/s", bottleneck="75 Mb/s", delay="0.3 ms", carries="cells", queue=queue)
run = net.run(dk.transport.reno(mss="536 B"), duration="60 s", seed=1)
reveal_type(run.flows)
reveal_type(run.plot.cwnd())
reveal_type(dk.sweep(net, {"link.bottleneck.queue.lower": [0.2]}, seeds=10).points)


class Mine(dk.Discipline):
    def offer(self, now: int, unit: dk.Unit, book: dk.Book) -> None:
        book.drop(unit, "early")

    def pull(self, now: int, book: dk.Book) -> dk.Unit | None:
        return None
"""


def test_types_are_known_to_who_uses_them(tmp_path: Path) -> None:
    (tmp_path / "use.py").write_text(USE)
    (tmp_path / "wrong.py").write_text(
        'import dupack as dk\n\ndk.queue.bpd(buffer=1200)\ndk.queue.bpd(bufer="1 cells")\ndk.dumbbell(senders="five")\n'
    )
    cache = ["--strict", "--cache-dir", str(tmp_path / "cache")]
    done = _python("-m", "mypy", *cache, "use.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("polars.dataframe.frame.DataFrame") == 2
    assert "matplotlib.figure.Figure" in done.stdout
    done = _python("-m", "mypy", *cache, "wrong.py", cwd=tmp_path)
    assert 'Argument "buffer" to "bpd" has incompatible type "int"; expected "str"' in done.stdout
    assert 'Unexpected keyword argument "bufer" for "bpd"' in done.stdout
    assert 'Missing named argument "access"' in done.stdout


def _python(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=cwd, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize(("library", "extra"), [("polars", "frames"), ("matplotlib", "figures")])
def test_a_library_that_is_not_there_is_named(library: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = net().run(duration="1 s")
    run.series.cwnd  # noqa: B018
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(dk.MissingError, match=rf"pip install 'dupack\[{extra}\]'"):
        run.flows if library == "polars" else run.plot.cwnd()


def test_nothing_large_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys, json, dupack as dk\n"
        "net = dk.dumbbell(senders=1, access='1 Mb/s', bottleneck='1 Mb/s', delay='1 ms')\n"
        "net.run(duration='1 s').document\n"
        "large = ['polars', 'numpy', 'matplotlib', 'pandas', 'pyarrow', 'plotly', 'scipy']\n"
        "print(json.dumps([name for name in large if name in sys.modules]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stdout) == []


def test_a_shape_that_cannot_be_is_told_at_once() -> None:
    with pytest.raises(dk.PlanError, match=r"topology\.k: 3; write an even number"):
        dk.fat_tree(k=3, access="1 Gb/s", delay="1 us")
    with pytest.raises(dk.PlanError, match=r"topology\.senders: 0; write at least 1"):
        dk.dumbbell(senders=0, access="1 Gb/s", bottleneck="1 Mb/s", delay="1 us")
    # Traffic that ends is given later.
    assert dk.incast(senders=8, access="1 Gb/s", delay="10 us", arrivals=dk.arrivals.rounds(limit=2)).name == "incast"
