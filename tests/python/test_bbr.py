"""BBR on a line of 10 Mb/s and 40 ms: a bandwidth-delay product of 34 packets."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

import dupack as dk
from conftest import DUPACK

RATE, ROUND_TRIP, PRODUCT = 10e6, 0.0412, 34
CEILING = RATE * 1460 / 1500

PLAN = """
duration = "30 s"
warm_up = "2 s"
percentiles = true

[[host]]
name = "source"
count = 1

[[host]]
name = "sink"

[[switch]]
name = "router"

[[link]]
name = "access"
from = "source"
to = "router"
carries = "packets"
rate = "1 Gb/s"
delay = "1 us"

[[link]]
name = "bottleneck"
from = "router"
to = "sink"
carries = "packets"
rate = "10 Mb/s"
delay = "20 ms"
queue = { kind = "drop-tail", buffer = "136 packets" }

[[flow]]
name = "bulk"
from = "source"
to = "sink"
start = "0 s..500 ms"
traffic = { kind = "greedy" }

[flow.transport]
kind = "bbr3"
mss = "1460 B"
header = "40 B"
max_window = "1000 segments"
tick = "1 ms"
min_rto = "200 ms"
"""


def run(kind: str, *sets: str, buffer: float = 4, seeds: int = 1) -> list[dict[str, Any]]:
    """Runs with a buffer of this many bandwidth-delay products."""
    queue = f"link.bottleneck.queue.buffer={round(buffer * PRODUCT)} packets"
    plan = dk.Plan(PLAN.encode(), "plan", [f"flow.bulk.transport.kind={kind}", queue, *sets])
    runs: list[dict[str, Any]] = dk.run(plan, seeds=list(range(1, seeds + 1)))["runs"]
    return runs


def flows(document: dict[str, Any], name: str) -> list[Any]:
    return [flow[name] for flow in document["flows"]]


def bottleneck(document: dict[str, Any]) -> dict[str, Any]:
    return next(link for link in document["links"] if link["name"] == "bottleneck")


def lost(document: dict[str, Any]) -> float:
    """Share of the packets that the bottleneck dropped after warm-up."""
    measured = bottleneck(document)["measured"]
    return sum(measured["dropped"].values()) / measured["offered"]


# Version 1 leaves what its window has for three bursts of two packets, rounded up, in the queue: 8 packets of 1.2 ms.
@pytest.mark.parametrize(("kind", "queue"), [("bbr1", 0.0096), ("bbr3", 0.002)])
def test_alone_it_fills_the_line_with_a_short_queue(kind: str, queue: float) -> None:
    [result] = run(kind)
    [goodput] = flows(result, "goodput_bps")
    assert goodput > 0.95 * CEILING
    assert bottleneck(result)["queue_delay_s"]["p50"] < queue
    assert lost(result) == 0
    # About one product is in flight.
    [trips] = flows(result, "rtt_s")
    assert ROUND_TRIP - 0.001 < trips["p50"] < ROUND_TRIP + queue


@pytest.mark.parametrize(("kind", "least"), [("bbr1", 0.9), ("bbr3", 0.75)])
def test_random_loss_costs_it_little(kind: str, least: float) -> None:
    # Reno's bound is 1.22 packets per round trip over the square root of the loss rate: a third of the line.
    loss = 'link.bottleneck.loss={ kind = "bernoulli", rate = 0.01 }'
    goodput = {
        word: mean(flows(result, "goodput_bps")[0] for result in run(word, loss, seeds=5)) / CEILING
        for word in (kind, "sack")
    }
    assert goodput[kind] > least, goodput
    assert goodput["sack"] < 0.45, goodput


LONG = ("duration=60 s", "warm_up=10 s")


@pytest.mark.parametrize("kind", ["bbr1", "bbr3"])
def test_two_flows_share(kind: str) -> None:
    results = run(kind, "host.source.count=2", *LONG, seeds=5)
    assert mean(result["summary"]["jain"] for result in results) > 0.9
    assert all(sum(flows(result, "goodput_bps")) > 0.9 * CEILING for result in results)


def test_version_1_loses_steadily_if_the_buffer_is_short() -> None:
    # Several flows overestimate their shares: two products are in flight, more than the line and half of one hold.
    short, long = (lost(run("bbr1", "host.source.count=4", *LONG, buffer=buffer)[0]) for buffer in (0.5, 3))
    assert short > 0.02
    assert long < 0.002


def test_the_next_probe_is_drawn_for_each_seed() -> None:
    fixed = ("host.source.count=2", "flow.bulk.start=0 s", "duration=10 s")
    first, second = (flows(result, "mean_delay_s") for result in run("bbr3", *fixed, seeds=2))
    assert first != second
    assert first == flows(run("bbr3", *fixed, seeds=2)[0], "mean_delay_s")


CASES = Path(__file__).parents[2] / "out" / "bbr-draft"
UNDO = {
    # One packet in fifty is overtaken by six others.
    "A.18": ('reorder = { rate = 0.02, delay = "8 ms" }', "30 s", "2 s"),
    # The line stands still for longer than the timeout, and loses nothing.
    "A.19": ('schedule = [{ at = "10 s", up = false }, { at = "10.5 s", up = true }]', "16 s", "9 s"),
}
"""The cases of BBR's draft with spurious recoveries: the bottleneck, duration, warm-up. Rust tests their states."""


def undone(case: str, repair: str, way: str, on: bool) -> dict[str, Any]:
    """The flow of a case, with a way to find spurious losses `on` or off. Its plan and qlog are written."""
    name = f"{case}-{repair}-{way}-{'on' if on else 'off'}"
    bottleneck, duration, warm_up = UNDO[case]
    text = PLAN.replace('"30 s"', f'"{duration}"').replace('"2 s"', f'"{warm_up}"')
    text = text.replace("queue = {", f"{bottleneck}\nqueue = {{").replace('kind = "bbr3"\n', "")
    text += f'control = "bbr3"\nrepair = "{repair}"\n{way} = {str(on).lower()}\n'
    CASES.mkdir(parents=True, exist_ok=True)
    plan = CASES / f"{name}.toml"
    plan.write_text(text)
    command: list[str | Path] = [DUPACK, "run", plan, "--qlog", CASES / name, "--json"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert [log.name for log in (CASES / name).iterdir()] == ["bulk-0.sqlog"]
    flow: dict[str, Any] = json.loads(told)["flows"][0]
    return flow


@pytest.mark.parametrize(("repair", "way"), [("quic", "late_ack_undo"), ("rack-tlp", "dsack_undo")])
def test_spurious_fast_recoveries_cost_nothing_if_they_are_undone(repair: str, way: str) -> None:
    found, other = (undone("A.18", repair, way, on=on) for on in (True, False))
    assert found["segments_retransmitted"] > 0
    assert found["goodput_bps"] > max(0.9 * CEILING, other["goodput_bps"])


@pytest.mark.parametrize("way", ["eifel", "frto", "dsack_undo"])
def test_a_spurious_timeout_costs_nothing_if_it_is_undone(way: str) -> None:
    found, other = (undone("A.19", "rack-tlp", way, on=on) for on in (True, False))
    assert found["timeouts"] >= 1
    assert found["goodput_bps"] >= other["goodput_bps"]
    # The line stood still for half of a second of seven.
    assert found["goodput_bps"] > 0.9 * CEILING * 6.5 / 7
    # What is known at once to have arrived is not sent again; reports that it has arrived twice come later.
    assert (found["segments_retransmitted"] == 1) == (way != "dsack_undo")
    assert other["segments_retransmitted"] > 50
