"""Spurious timeouts and losses: the window comes back, and after genuine ones it does not."""

from __future__ import annotations

from typing import Any

import pytest

import dupack as dk

PAUSE, OUTAGE = "pause", "outage"


def schedule(kind: str, what: str) -> list[dict[str, Any]]:
    """The link stands still for longer than the first timeout, and not than the second; or loses everything meanwhile.

    In a pause nothing is lost, because the buffer has room for the window. RACK-TLP sends a probe before its timeout.
    Linux' timeout is at least 200 ms longer than the round trip.
    """
    end = f"{ends(kind)} s"
    if what == PAUSE:
        return [{"at": "5 s", "up": False}, {"at": end, "up": True}]
    return [{"at": "5 s", "loss": 1.0}, {"at": end, "loss": 0.0}]


def ends(kind: str) -> float:
    """When the link works again [s]."""
    if kind.startswith("linux-"):
        return 5.75
    return 5.35 if kind.endswith(("+sack", "+reno", "+newreno")) else 5.62


def windows(kind: str, what: str, **values: Any) -> tuple[float, float, float, int]:
    """The window before 5 s, the least and the largest of a second after the pause [segments], and the timeouts."""
    network = dk.dumbbell(
        senders=1,
        access="100 Mb/s",
        delay="20 ms",
        access_delay="1 ms",
        bottleneck={"rate": "5 Mb/s", "schedule": schedule(kind, what)},
        queue=dk.queue.drop_tail(buffer="100 packets"),
        start="0 s",
    )
    plain = {"mss": "1000 B", "tick": "1 ms", "min_rto": "200 ms"}
    control, _, repair = kind.partition("+")
    pair = {"control": control, "repair": repair} if repair else {"kind": kind}
    limits = {"max_window": "60 segments", "max_cwnd": "60 segments"}
    told = {**(plain if repair else {}), **limits, **pair, **values}
    network = network.with_values({f"flow.*.transport.{name}": value for name, value in told.items()})
    found = network.run(duration="8 s", tape=True)
    rows = found.tape.filter(found.tape["event"] == "cwnd")
    before = rows.filter(rows["time_s"] < 5)["cwnd"].to_list()[-1]
    since = max(5.8, ends(kind) + 0.18)
    later = rows.filter((rows["time_s"] > since) & (rows["time_s"] < since + 1))["cwnd"].to_list()
    after = [it for it in later if it is not None] or [rows.filter(rows["time_s"] < since + 1)["cwnd"].to_list()[-1]]
    return before, min(after), max(after), found.flows["timeouts"].to_list()[0]


WAYS = [
    ("reno+reno", {"frto": True}),
    ("cubic+newreno", {"frto": True}),
    ("reno+sack", {"frto": True}),
    ("reno+sack", {"eifel": True}),
    ("cubic+sack", {"frto": True, "pipe": "rfc6675"}),
    ("reno+rack-tlp", {"frto": True}),
    ("reno+rack-tlp", {"eifel": True}),
    ("cubic+rack-tlp", {"eifel": True, "reduction": "classic"}),
    ("linux-reno", {}),
    ("linux-cubic", {}),
]


@pytest.mark.parametrize(("kind", "values"), WAYS)
def test_after_a_spurious_timeout_the_window_is_what_it_was(kind: str, values: dict[str, Any]) -> None:
    before, least, most, timeouts = windows(kind, PAUSE, **values)
    assert timeouts >= 1
    assert before == 60
    assert (least, most) == (60, 60)


@pytest.mark.parametrize(("kind", "values"), WAYS)
def test_after_a_genuine_timeout_it_is_not(kind: str, values: dict[str, Any]) -> None:
    before, least, most, timeouts = windows(kind, OUTAGE, **values)
    assert timeouts >= 1
    assert before == 60
    assert least < 10
    assert most < 55


def test_without_a_switch_a_spurious_timeout_halves_the_window() -> None:
    for kind in ("reno+sack", "reno+rack-tlp"):
        before, _, most, timeouts = windows(kind, PAUSE)
        assert (before, timeouts >= 1) == (60, True)
        assert most < 55
