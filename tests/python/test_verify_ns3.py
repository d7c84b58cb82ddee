"""ns-3 as a referee, on one run; `make verify` has all of them."""

from __future__ import annotations

import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from verify import ns3
from verify.checks import ns3_dctcp
from verify.checks.ns3_referee import SCENARIOS, row
from verify.ns3 import Result

RESULT = Result(goodputs=[4.0, 5.0], loss=0.01, waiting=12.0, recoveries=30, timeouts=0)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda it: it.name)
def test_both_simulators_are_told_the_same(scenario: ns3.Scenario) -> None:
    plan = tomllib.loads((ns3.HERE / "plans" / scenario.plan).read_text())
    (line,) = [it for it in plan["link"] if it["name"] == "bottleneck"]
    assert line["rate"] == f"{scenario.rate_bps // 10**6} Mb/s"
    assert line["delay"] == f"{scenario.delay_s * 1e3:.0f} ms"
    queue = line["queue"]
    assert queue["buffer"] == f"{scenario.buffer} packets"
    if scenario.red:
        thresholds = [f"{it} packets" for it in scenario.red[:2]]
        assert [queue["min_th"], queue["max_th"]] == thresholds
        assert (queue["max_p"], queue["weight"]) == scenario.red[2:]
    else:
        assert queue["kind"] == "drop-tail"
    assert plan["warm_up"] == f"{scenario.warm_up_s} s"
    assert plan["duration"] == f"{scenario.duration_s} s"
    # Every link and flow that is drawn at random is in the plan, too.
    flows = ns3.drawn(scenario, 1)
    assert flows == ns3.drawn(scenario, 1) != ns3.drawn(scenario, 2)
    told = ns3.plan(scenario, 1).sets
    assert all(any(f"flow.tcp-{n}.start" in it for it in told) for n in range(len(flows)))


def test_dctcp_is_as_fast_as_ns3_publishes() -> None:
    case = ns3_dctcp.CASES[0]
    found = ns3_dctcp.ours(case)
    rate, alpha = ns3_dctcp.rows_of(case, found)
    assert (rate.agrees, alpha.agrees) == (True, None)
    slow = replace(found, rates={**found.rates, 9.0: 47.9})
    assert not ns3_dctcp.rows_of(case, slow)[0].agrees


def test_a_difference_beyond_its_interval_is_told() -> None:
    scenario = SCENARIOS[0]
    near = [replace(RESULT, loss=0.01 + n * 1e-5) for n in (-1, 0, 2)]
    far = [replace(RESULT, loss=0.0103 + n * 1e-5) for n in range(3)]
    wide = [replace(RESULT, loss=0.005 * n + 0.01) for n in range(3)]
    same = [RESULT] * 3

    def verdict(ours: list[Result], measure: str = "loss", sender: str = "rfc") -> bool | None:
        found = row(scenario, measure, ours, same, sender)
        assert found is not None
        return found.agrees

    assert [verdict(near), verdict(far), verdict(wide)] == [True, False, True]
    # No agreement is claimed where ns-3 differs from the RFCs, nor for measures that follow from others.
    assert verdict(far, sender="shipped") is None
    assert verdict([replace(RESULT, recoveries=40)] * 3, "recoveries") is None
    assert row(scenario, "timeouts", same, same, "rfc") is None


@pytest.mark.skipif(ns3.missing() is not None, reason=str(ns3.missing()))
def test_one_tcp_gets_what_it_gets_in_ns3() -> None:
    scenario = SCENARIOS[0]
    with ns3.program(ns3.HERE / "ns3.cc") as binary:
        theirs = {sender: ns3.of_ns3(binary, scenario, 1, sender) for sender in ("rfc", "shipped")}
    (ours,) = ns3.of_dupack(scenario, [1])
    goodput = {sender: it.goodputs[0] / ours.goodputs[0] for sender, it in theirs.items()}
    assert goodput["rfc"] == pytest.approx(1, abs=0.005)
    assert theirs["rfc"].recoveries == pytest.approx(ours.recoveries, abs=1)
    # ns-3 as shipped halves a smaller value, so its window becomes two segments smaller.
    assert goodput["shipped"] < goodput["rfc"] - 0.001
    assert (ours.timeouts, theirs["rfc"].timeouts) == (0, 0)
