"""Disciplines beside real flows, by what users see of them."""

from __future__ import annotations

from typing import Any

import dupack as dk


def measured(queue: dk.parts.Queue, *, ecn: bool, senders: int = 4) -> tuple[dict[str, Any], list[float]]:
    """The bottleneck's measures, and the goodputs of the flows, of which the last has short segments."""
    net = dk.dumbbell(
        senders=senders, access="1 Gb/s", bottleneck="40 Mb/s", delay="10 ms", access_delay="1 ms", queue=queue
    )

    def cubic(mss: str) -> dk.parts.Transport:
        return dk.transport.cubic(mss=mss, header="52 B", max_window="4 MiB", ecn=ecn, tick="10 ms")

    transports = [cubic("1448 B")] * (senders - 1) + [cubic("548 B")]
    plan = net.with_values({"percentiles": True})
    run = plan.run(transports, duration="30 s", warm_up="10 s")
    link = next(link for link in run.document["links"] if link["name"] == "bottleneck")
    return link, [flow["goodput_bps"] for flow in run.document["flows"]]


def test_dualpi2_keeps_classic_flows_at_its_target() -> None:
    for ecn in (False, True):
        link, _ = measured(dk.queue.dualpi2(), ecn=ecn)
        assert 0.010 < link["queue_delay_s"]["p50"] < 0.020
        assert link["queue_delay_s"]["p99"] < 0.035
        assert link["utilization"] > 0.98
        # Those that can be marked are, except in the overload at the start.
        assert (link["measured"]["marked"] > 50) is ecn
        assert ("early" in link["measured"]["dropped"]) is not ecn


def test_sfq_gives_flows_of_short_and_long_segments_equal_shares() -> None:
    # With a queue of 200 packets in all, drop-tail lets long segments win.
    link, goodputs = measured(dk.queue.sfq(buffer="200 packets", flows=65536), ecn=False)
    assert link["utilization"] > 0.99
    # A share of the bytes on the line, of which short segments have more headers.
    rates = [*goodputs[:-1], goodputs[-1] * (600 / 548) / (1500 / 1448)]
    assert max(rates) / min(rates) < 1.05
    _, unfair = measured(dk.queue.drop_tail(buffer="200 packets"), ecn=False)
    assert max(unfair) / min(unfair) > 1.5
