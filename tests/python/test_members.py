"""Members of groups have values of their own, by their paths, in Python and on the command line."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

import dupack as dk
from conftest import Dupack

NETWORKS = {
    "dumbbell": dk.dumbbell(senders=3, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms"),
    "parking-lot": dk.parking_lot(hops=2, senders=2, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms"),
    "star": dk.star(hosts=4, access="10 Mb/s", delay="1 ms"),
    "incast": dk.incast(senders=3, access="10 Mb/s", delay="1 ms"),
    "leaf-spine": dk.leaf_spine(leaves=2, spines=2, hosts=2, access="10 Mb/s", delay="1 ms"),
    "fat-tree": dk.fat_tree(k=4, access="10 Mb/s", delay="1 ms"),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_unequal_round_trips(name: str) -> None:
    net = NETWORKS[name]
    other = net.with_values({"link.access-1.delay": "200 ms"})
    before, after = (
        {flow["name"]: flow["mean_rtt_s"] for flow in one.run(duration="1 s").flows.to_dicts()} for one in (net, other)
    )
    # In a star and in a fabric, host 1 also receives from another host.
    slow = [flow for flow in before if after[flow] > before[flow] + 0.3]
    assert len(slow) == (2 if name in ("star", "leaf-spine", "fat-tree") else 1), (before, after)
    # The plan's text says so, too.
    again = dk.Network(tomllib.loads(other.plan(duration="1 s"))).run()
    assert {flow["name"]: flow["mean_rtt_s"] for flow in again.flows.to_dicts()} == after


def test_transports_of_single_flows() -> None:
    net = NETWORKS["dumbbell"].with_values({"flow.bulk-1.transport": dk.transport.sack(), "flow.bulk-2.start": "5 ms"})
    assert net.run(duration="100 ms").flows["transport"].to_list() == ["reno", "sack", "reno"]
    # Those given to run() replace all.
    assert set(net.run(dk.transport.cubic(), duration="100 ms").flows["transport"].to_list()) == {"cubic"}
    both = net.run([dk.transport.cubic(), dk.transport.tahoe()], duration="100 ms").flows
    assert both["transport"].to_list() == ["cubic", "tahoe", "cubic"]
    assert both["started_s"].to_list()[2] == 0.005


def test_an_unknown_member_is_refused_at_once() -> None:
    with pytest.raises(dk.PlanError, match='there is no link "acess-1"; did you mean "access-1"'):
        NETWORKS["dumbbell"].with_values({"link.acess-1.delay": "4 ms"})


def test_on_the_command_line(dupack: Dupack, tmp_path: Path) -> None:
    dupack("new", "plan.toml")
    done = dupack("check", "plan.toml", "--set", "link.access-1.delay=4 ms", "--json")
    assert done.returncode == 0, done.stderr
    links = {link["name"]: link["delay_s"] for link in json.loads(done.stdout)["links"]}
    assert links["access-1"] == 0.004 != links["access-0"]


def test_a_preset_is_listed_shown_and_accepted(dupack: Dupack) -> None:
    assert "ns2" in dupack("list", "compat").stdout
    shown = dupack("show", "ns2").stdout
    for told in ("initial_window", "2 segments", "With the repair sack."):
        assert told in shown
    assert "compat" in dupack("show", "transport").stdout
    assert '"compat"' in dupack("schema").stdout
    assert dk.transport.sack(compat="ns2") != dk.transport.sack()
    assert 'compat = "ns2"' in NETWORKS["dumbbell"].plan(dk.transport.newreno(compat="ns2"))


def test_words_of_other_systems_are_told_apart_from_mistakes(dupack: Dupack) -> None:
    dupack("new", "plan.toml")
    done = dupack("check", "plan.toml", "--set", "link.bottleneck.queue=hfsc")
    assert 'unknown discipline "hfsc"; not here; the nearest is "wfq"' in done.stderr
    assert 'not here; the nearest is "bbr3"' in dupack("show", "bbr").stderr
