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


LINE = """
duration = "10 s"
host = [{ name = "a" }, { name = "b" }, { name = "c" }]
switch = [{ name = "s" }]

[[link]]
name = "access"
from = "a"
to = "s"
carries = "packets"
rate = "1 Gb/s"
delay = "1 ms"

[[link]]
name = "other"
from = "b"
to = "s"
carries = "packets"
rate = "1 Gb/s"
delay = "1 ms"

[[link]]
name = "line"
from = "s"
to = "c"
carries = "packets"
rate = "8 Mb/s"
delay = "1 ms"
queue = { kind = "drop-tail", buffer = "200 packets" }

[[flow]]
name = "voice"
from = "a"
to = "c"
dscp = "EF"
traffic = { kind = "cbr", rate = "1 Mb/s" }
transport = { kind = "udp", mss = "460 B", header = "40 B" }

[[flow]]
name = "bulk"
from = "b"
to = "c"
traffic = { kind = "cbr", rate = "20 Mb/s" }
transport = { kind = "udp", mss = "460 B", header = "40 B" }
"""
"""A call, and traffic that fills a line: packets of 500 B, of which 460 B are data."""


def flows(*sets: str, plan: str = LINE) -> dict[str, Any]:
    """Flows of a run by their names."""
    run = dk.run(dk.Plan(plan.encode(), "plan", list(sets)))
    return {flow["name"]: flow for flow in run["flows"]} | {"links": run["links"]}


def total(*sets: str) -> float:
    """What the line carries [b/s]."""
    found = flows(*sets)
    return sum(found[name]["goodput_bps"] for name in ("voice", "bulk")) * 500 / 460


def test_a_framed_line_carries_as_many_packets_as_fit_with_their_framing() -> None:
    for framing, on_line in {"raw": 500, "ethernet": 538, "pppoe-llcsnap": 12 * 53, "bridged-ptm": 531}.items():
        found = total(f"link.line.framing={framing}")
        assert abs(found / (8e6 * 500 / on_line) - 1) < 0.003, framing


def test_shapers_send_at_their_rates() -> None:
    for queue in (
        '{ kind = "token-bucket", buffer = "20 packets", rate = "3 Mb/s" }',
        '{ kind = "token-bucket", buffer = "20 packets", rate = "3 Mb/s", inner = { kind = "fq-codel" } }',
        '{ kind = "cake", buffer = "20 packets", rate = "3 Mb/s" }',
    ):
        assert abs(total(f"link.line.queue={queue}") / 3e6 - 1) < 0.006, queue
    docsis = '{ kind = "cake", buffer = "20 packets", rate = "3 Mb/s", framing = "docsis" }'
    assert abs(total(f"link.line.queue={docsis}") / (3e6 * 500 / 518) - 1) < 0.006


def test_a_policer_passes_its_rate() -> None:
    policer = 'link.line.queue={ kind = "policer", buffer = "100 packets", rate = "2 Mb/s", burst = "10 kB" }'
    assert abs(total(policer) / 2e6 - 1) < 0.01
    each = flows(policer, "link.line.queue.each=true")
    # The call stays below the rate, and bulk gets the rate for itself.
    assert each["voice"]["goodput_bps"] > 0.91e6
    assert abs(each["bulk"]["goodput_bps"] * 500 / 460 / 2e6 - 1) < 0.01


def test_classes_protect_a_call() -> None:
    inner = 'buffer = "200 packets", inner = { kind = "drop-tail", buffer = "50 packets" } }'
    for queue in (
        '{ kind = "strict-priority", ' + inner,
        '{ kind = "wfq", ' + inner,
        '{ kind = "cake", tins = "diffserv4" }',
        '{ kind = "flow-queueing", inner = { kind = "red", buffer = "100 packets" } }',
    ):
        voice = flows(f"link.line.queue={queue}")["voice"]
        assert voice["goodput_bps"] > 0.91e6, queue
        # 2 ms of propagation, and one packet of another class before it.
        assert voice["mean_delay_s"] < 0.0035, queue
    assert flows()["voice"]["mean_delay_s"] > 0.05


def test_an_ack_filter_leaves_out_acks_that_others_replace() -> None:
    plan = """
duration = "20 s"
warm_up = "5 s"
host = [{ name = "a" }, { name = "b" }]

[[link]]
name = "line"
from = "a"
to = "b"
carries = "packets"
rate = "50 Mb/s"
back_rate = "200 kb/s"
delay = "10 ms"
queue = { kind = "fq-codel" }
back_queue = { kind = "cake" }

[[flow]]
name = "f"
from = "a"
to = "b"
transport = { kind = "cubic", mss = "1448 B", header = "52 B", max_window = "4 MiB", tick = "1 ms" }
"""

    def run(queue: str) -> tuple[float, int]:
        found = flows(f"link.line.back_queue={queue}", plan=plan)
        back = next(link for link in found["links"] if link["name"] == "line.back")
        return found["f"]["goodput_bps"], back["dropped"].get("pushed-out", 0)

    for plain, filters in (
        ('{ kind = "cake" }', '{ kind = "cake", ack_filter = "on" }'),
        ('{ kind = "drop-tail", buffer = "100 packets" }', '{ kind = "ack-filter", buffer = "100 packets" }'),
    ):
        without, none = run(plain)
        filtered, many = run(filters)
        assert none == 0
        assert many > 1000
        assert filtered > 1.2 * without
