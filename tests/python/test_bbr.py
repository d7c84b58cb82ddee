"""BBR on a line of 10 Mb/s and 40 ms: a bandwidth-delay product of 34 packets."""

from __future__ import annotations

from statistics import mean
from typing import Any

import pytest

import dupack as dk

RATE, ROUND_TRIP, PRODUCT = 10e6, 0.0412, 34
CEILING = RATE * 1460 / 1500

PACKETS: dict[str, Any] = {
    "mss": "1460 B",
    "header": "40 B",
    "max_window": "1000 segments",
    "tick": "1 ms",
    "min_rto": "200 ms",
}


def run(kind: str, buffer: float, seed: int = 1, senders: int = 1, **values: Any) -> dk.RunResult:
    """A run with a buffer of so many bandwidth-delay products."""
    line = {"access": "1 Gb/s", "bottleneck": "10 Mb/s", "delay": "20 ms", "access_delay": "1 us"}
    queue = dk.queue.drop_tail(buffer=f"{round(buffer * PRODUCT)} packets")
    net = dk.dumbbell(senders=senders, queue=queue, loss=values.pop("loss", None), start="0 s..500 ms", **line)
    transport = getattr(dk.transport, kind)(**PACKETS)
    given = {"duration": "30 s", "warm_up": "2 s", "percentiles": True, **values}
    return net.run(transport=transport, seed=seed, **given)


def flows(result: dk.RunResult, name: str) -> list[float]:
    return [flow[name] for flow in result.document["flows"]]


def bottleneck(result: dk.RunResult) -> dict[str, Any]:
    return next(link for link in result.document["links"] if link["name"] == "bottleneck")


def lost(result: dk.RunResult) -> float:
    """Share of the packets that the bottleneck dropped after warm-up."""
    measured = bottleneck(result)["measured"]
    return sum(measured["dropped"].values()) / measured["offered"]


@pytest.mark.parametrize("kind", ["bbr1", "bbr3"])
def test_alone_it_fills_the_line_with_a_short_queue(kind: str) -> None:
    result = run(kind, 4)
    [goodput] = flows(result, "goodput_bps")
    assert goodput > 0.95 * CEILING
    assert bottleneck(result)["queue_delay_s"]["p50"] < 0.005
    assert lost(result) == 0
    # About one product is in flight.
    [trips] = flows(result, "rtt_s")
    assert ROUND_TRIP - 0.001 < trips["p50"] < 1.15 * ROUND_TRIP


@pytest.mark.parametrize(("kind", "least"), [("bbr1", 0.9), ("bbr3", 0.75)])
def test_random_loss_costs_it_little(kind: str, least: float) -> None:
    # Reno's bound is 1.22 packets per round trip over the square root of the loss rate: a third of the line.
    loss = dk.loss.bernoulli(rate=0.01)
    goodput = {
        word: mean(flows(run(word, 4, seed, loss=loss), "goodput_bps")[0] for seed in range(1, 6)) / CEILING
        for word in (kind, "sack")
    }
    assert goodput[kind] > least, goodput
    assert goodput["sack"] < 0.45, goodput


@pytest.mark.parametrize("kind", ["bbr1", "bbr3"])
def test_two_flows_share(kind: str) -> None:
    results = [run(kind, 4, seed, senders=2, duration="60 s", warm_up="10 s") for seed in range(1, 6)]
    assert mean(result.document["summary"]["jain"] for result in results) > 0.9
    assert all(sum(flows(result, "goodput_bps")) > 0.9 * CEILING for result in results)


def test_version_1_loses_steadily_if_the_buffer_is_short() -> None:
    # Several flows overestimate their shares: two products are in flight, more than the line and half of one hold.
    short, long = (run("bbr1", buffer, senders=4, duration="60 s", warm_up="10 s") for buffer in (0.5, 3))
    assert lost(short) > 0.02
    assert lost(long) < 0.002


def test_the_next_probe_is_drawn_for_each_seed_and_no_other_flow_notices() -> None:
    times = [flows(run("bbr3", 4, seed, duration="10 s"), "mean_delay_s") for seed in (1, 1, 2)]
    assert times[0] == times[1] != times[2]
