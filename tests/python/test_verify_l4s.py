"""The senders of l4s-tests' kernel."""

from __future__ import annotations

import dupack as dk
from verify.l4s_reno import LinuxReno


def _segments(*, waits: bool) -> float:
    """What arrives in a second over an idle link with a round trip of 100 ms."""
    net = dk.dumbbell(
        senders=1,
        access={"rate": "1 Gb/s", "delay": "0 s"},
        bottleneck="50 Mb/s",
        delay="50 ms",
        queue=dk.queue.drop_tail(buffer="1000 packets"),
    )
    sender = dk.transport.pair(
        control=LinuxReno(waits=waits),
        repair="rack-tlp",
        compat="linux",
        echo_reduction="classic",
        mss="1448 B",
        initial_window="2 segments",
        initial_ssthresh="2 segments",
        quick_acks=0,
    )
    return float(net.run(sender, duration="1 s").flows["goodput_bps"][0]) / 8 / 1448


def test_a_window_of_three_does_not_grow_while_a_third_packet_waits() -> None:
    # Ten round trips with two segments each, less those under way; 2 + 3 + ... + 10 if no packet waits.
    assert _segments(waits=True) <= 20
    assert _segments(waits=False) >= 30
