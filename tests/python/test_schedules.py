"""Links that change over time, as users of Python and the command line see them."""

from __future__ import annotations

from pathlib import Path

import pytest

import dupack as dk

STEPS = [{"at": "2 s", "rate": "10 Mb/s"}, {"at": "4 s", "up": False}, {"at": "6 s", "up": True}]
DATAGRAMS = dk.transport.udp(mss="1448 B", header="52 B")
BITS = 12_000
"""Bits of a packet."""


def net(schedule: object, **line: object) -> dk.Network:
    return dk.dumbbell(
        senders=1,
        access="100 Mb/s",
        delay="20 ms",
        access_delay="1 ms",
        bottleneck={"rate": "5 Mb/s", "schedule": schedule, **line},
        queue=dk.queue.drop_tail(buffer="50 packets"),
        traffic=dk.traffic.cbr(rate="40 Mb/s"),
        start="0 s",
    )


def run(network: dk.Network) -> dk.RunResult:
    return network.run(DATAGRAMS, duration="10 s", sample="1 s")


def bottleneck(result: dk.RunResult) -> dict[str, float]:
    return next(link for link in result.document["links"] if link["name"] == "bottleneck")


def test_a_link_carries_the_area_under_its_rate() -> None:
    result = run(net(STEPS))
    # 5 Mb/s for 2 s, 10 Mb/s for 2 s, nothing for 2 s, 10 Mb/s for 4 s. The first packet arrives after 1.12 ms.
    link = bottleneck(result)
    assert abs(link["sent"] - (70e6 - 5e6 * 1.12e-3) / BITS) <= 1
    assert link["utilization"] == pytest.approx(1, abs=1e-3)
    rates = result.series.throughput_bps["bottleneck"].to_list()
    for second, rate in enumerate([5, 5, 10, 10, 0, 0, 10, 10, 10, 10]):
        assert rates[second + 1] == pytest.approx(rate * 1e6, abs=BITS if second else 2 * BITS)


def test_one_step_can_be_set_and_swept() -> None:
    network = net(STEPS)
    faster = network.with_values({"link.bottleneck.schedule.0.rate": "20 Mb/s"})
    assert abs(bottleneck(run(faster))["sent"] - 130e6 / BITS) <= 2
    swept = dk.sweep(network, {"link.bottleneck.schedule.1.at": ["3 s", "5 s"]}, transport=DATAGRAMS, duration="10 s")
    assert len(swept.runs) == 2


def test_steps_of_a_file_are_those_of_a_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "steps.csv").write_text("at_s,rate_bps,up\n2,1e7,\n4,,False\n6,,True\n")
    plan = tmp_path / "plan.toml"
    plan.write_text(net({"file": "steps.csv"}).plan(DATAGRAMS, duration="10 s"))
    other = tmp_path / "other.toml"
    other.write_text(net(STEPS).plan(DATAGRAMS, duration="10 s"))
    assert dk.load(plan).run().document["links"] == dk.load(other).run().document["links"]


def test_steps_are_repeated() -> None:
    blinks = {"steps": [{"at": "0.5 s", "up": False}, {"at": "0.7 s", "up": True}], "every": "2 s"}
    assert abs(bottleneck(run(net(blinks)))["sent"] - 5e6 * 9 / BITS) <= 2


@pytest.mark.parametrize(
    ("schedule", "told"),
    [
        ([], "bottleneck.schedule: a list without steps"),
        ([STEPS[1], STEPS[0]], 'schedule.1.at: "2 s" is not after the step before, which is at "4 s"'),
        ([{"at": "1 s", "rates": "1 Mb/s"}], 'schedule.0.rates: unknown key; did you mean "rate"?'),
        ([{"at": 1, "up": True}], "schedule.0.at: 1 is a bare number; write a unit"),
        ({"steps": STEPS, "every": "6 s"}, 'schedule.every: "6 s" is not after the last step'),
    ],
)
def test_a_wrong_schedule_is_refused_with_its_path(schedule: object, told: str) -> None:
    with pytest.raises(dk.PlanError) as error:
        run(net(schedule))
    assert told in str(error.value)
