"""The two regimes of two Renos of NS 1.4 with BPD, as the report of Cohen & Hamo explains them."""

from __future__ import annotations

from typing import Any

import pytest

from dupack import _native
from dupack.reproduce.folder import load, module
from dupack.reproduce.paper import PAPERS, Measured
from dupack.work import read_plan

PAPER = load(PAPERS / "cohen-hamo-2001")
regimes: Any = module(PAPER.directory, "regimes")

TAPE = """time_s,flow,event,segment,cwnd,ssthresh
0.5,connection-1,cwnd,0,9,8
1.0,connection-1,drop,100,38.5,8
1.001,connection-2,drop,50,15.25,8
1.0024,connection-1,drop,121,22,19
1.3,connection-1,timeout,121,1,9
1.5,connection-1,drop,130,15,9
1.501,connection-2,drop,90,70,8
1.9,connection-2,timeout,90,1,35
3.0,connection-1,cwnd,200,12,9
3.2,connection-3,send,7,1,1
3.5,connection-2,timeout,99,1,2
4.5,connection-1,cwnd,300,14,9
"""


def test_overloads_and_timeouts_are_read_off_a_tape() -> None:
    kept = regimes.pair(TAPE)
    assert kept.cwnd == {"connection-1": [(3.0, 12.0)], "connection-2": [(3.5, 1.0)]}
    run = Measured({"duration_s": 6.0}, kept)
    first, second = regimes.overloads(run)
    assert (first.time, first.window, first.most) == (1.0, 38.5, 2)
    assert (second.window, second.most, set(second.losses)) == (70.0, 1, {"connection-1", "connection-2"})
    one, two, three = regimes.timeouts(run)
    assert (one.lost, one.distance, one.window, one.before) == (2, 21, 38.5, None)
    assert one.wait == pytest.approx(0.2976)
    assert (two.flow, two.lost, two.before) == ("connection-2", 1, one)
    assert three.cause == second
    assert regimes.with_timeouts(run)
    assert regimes.first_window(run) == 0.0, "no overload after both connections had a timeout"
    assert regimes.again(run)


def test_the_starts_decide_the_regime() -> None:
    plan = read_plan(PAPER.directory / "extra-regimes.toml", ['duration="6 s"'])
    found = {}
    for start, seed in (("0 s..100 ms", 1), ("0 s..100 ms", 8), ("0 s..1 ms", 1)):
        recording = _native.record(plan, plan.points.index({"flow.*.start": start}), seed, [])
        run = Measured({"duration_s": 6.0}, regimes.pair(recording.csv()))
        found[start, seed] = regimes.with_timeouts(run)
        assert (regimes.first_window(run) >= regimes.GAP + 1) == found[start, seed]
    assert list(found.values()) == [True, False, False]


def test_a_longer_round_trip_leaves_more_packets_before_the_reaction() -> None:
    # 4 x 0.3 ms, 160 cells at 75 Mb/s, and 12 cells at each rate, in packets of 45 Mb/s; and three packets.
    assert regimes.reaction(0.3) == pytest.approx((1.2e-3 + 0.9045e-3 + 0.1131e-3 + 0.0678e-3) * 8844 + 3, rel=1e-3)
    assert regimes.reaction(0.5) - regimes.reaction(0.3) == pytest.approx(0.8e-3 * 8844, rel=1e-3)
