"""Networks as values: topologies, plans of files, and how mistakes are told."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import dupack as dk
from conftest import PLAN, net, star, steady


def test_transports_are_shared_out_and_names_stay() -> None:
    kinds = [dk.transport.reno(), dk.transport.sack(), dk.transport.tahoe()]
    net = dk.dumbbell(senders=4, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms", receivers=1)
    flows = net.run(kinds, duration="1 s").flows
    assert flows["name"].to_list() == [f"bulk-{i}" for i in range(4)]
    assert flows["transport"].to_list() == ["reno", "sack", "tahoe", "reno"]
    # A list of one transport gives the same run: it changes no random numbers.
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
        # Every host sends three segments, and acks of three others.
        assert sent == [6] * 32
    # Another seed draws other routes.
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
    with pytest.raises(dk.PlanError, match=r'"web-serch" cannot be read: .*; write "web-search", "hadoop", or'):
        net.run(traffic=dk.traffic.random_file(sizes="web-serch"))


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
        # Several transports are divided among flows, but do not divide a single flow.
        run = made.run([dk.transport.sack(tick="1 ms"), dk.transport.reno()], duration="1 s")
        done = run.document["flows"][0]["connections"]
        assert (run.flows["name"].to_list(), done["completed"]) == (["files"], 20), made
    more = shapes[0].with_flow("more", "host-0", "host-1", traffic=dk.traffic.cbr(rate="1 Mb/s"), start="10 ms")
    assert more.run(duration="100 ms").flows["name"].to_list() == ["files", "more"]
    assert shapes[0].run(duration="100 ms").flows.height == 1, "a network does not change"


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
    # Traffic of a finite size may be given later.
    assert dk.incast(senders=8, access="1 Gb/s", delay="10 us", arrivals=dk.arrivals.rounds(limit=2)).name == "incast"
