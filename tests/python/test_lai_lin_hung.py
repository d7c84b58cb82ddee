"""The reproduction of Lai, Lin & Hung 1999."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest

from conftest import Dupack, of_json
from dupack.reproduce.lai_lin_hung_1999 import PAPER, claims, fairness, figures, openq, runs, verdicts
from dupack.reproduce.paper import Estimate, Measured, Results, Sample
from dupack.work import read_plan

TAPE = """time_s,flow,event,segment,cwnd,ssthresh
0.500000000000,tcp-0,drop,1,7,7
1.100000000000,tcp-0,drop,7,7,7
1.101000000000,tcp-0,drop,8,7,7
1.103000000000,tcp-0,fast_retransmit,7,1,3
1.104000000000,tcp-1,drop,2,7,7
1.110000000000,tcp-0,send,9,1,3
1.600000000000,tcp-1,timeout,2,1,3
"""


def run(tape: Any = None, **keys: Any) -> Measured:
    """A run of 2 s with samples every millisecond."""
    document = {"duration_s": 2.0, "warm_up_s": 1.0, "flows": [], "links": [], "summary": {}} | keys
    return Measured(document, tape)


def series(**values: list[Any]) -> dict[str, Any]:
    """Of SES 1 and the switch."""
    names = {"backlog": runs.SWITCH}
    length = len(next(iter(values.values())))
    return {"time_s": [0.9 + 0.1 * i for i in range(length)]} | {
        key: {names.get(key, runs.FIRST): value} for key, value in values.items()
    }


def test_a_loss_and_its_cut_are_read_off_a_tape() -> None:
    kept = runs.reactions(TAPE)
    assert kept.drops == {"tcp-0": [0.5, 1.1, 1.101], "tcp-1": [1.104]}
    assert kept.cuts == {"tcp-0": [1.103], "tcp-1": [1.6]}
    assert kept.fast == 1
    # The first loss that the sender has not reacted to yet.
    assert claims._reactions(run(kept)) == [(0.5, 1.103), (1.104, 1.6)]


def test_the_window_is_the_receivers_at_most() -> None:
    assert runs.window(2.5) == 2.5 * 9148
    assert runs.window(40) == 64036


def test_the_ceiling_is_in_whole_cells() -> None:
    assert runs.share(run(summary={"goodput_bps": 8 * runs.CEILING})) == pytest.approx(100.0)
    assert pytest.approx(9216 / 9188) == runs.PRINTED / runs.CEILING
    assert math.ceil((runs.MSS + 40 + 8) / 48) == runs.CELLS


def test_samples_count_after_warm_up() -> None:
    one = run(series=series(acr_bps=[8e6, 16e6, 16e6, 24e6], cwnd=[1.0, 2.2, 2.4, 9.0]))
    assert runs.rates(one) == [2.0, 2.0, 3.0]
    assert runs.changes(one, "acr_bps") == 1
    assert runs.changes(one, "cwnd") == 1, "whole segments, and no more than the receiver's"
    assert runs.at(one, "acr_bps", runs.FIRST, 1.05) == 16e6
    assert runs.percentile([3.0, 1.0, 2.0, 4.0], 0.5) == 3.0


def test_how_often_and_how_long_the_queue_is_empty() -> None:
    links = [
        {
            "name": runs.SWITCH,
            "empty_fraction": 0.2,
            "dead_units": 9,
            "sent": 90,
            "dropped": {"overflow": 5},
            "offered": 100,
        }
    ]
    one = run(links=links, series=series(backlog=[0, 0, 0, 5, 0, 7, 0, 0, 0]))
    assert runs.empty(one) == pytest.approx(20.0)
    assert runs.loss_rate(one) == pytest.approx(5.0)
    assert runs.dead(one) == pytest.approx(10.0)
    # Samples every 0.1 s from 0.9 s on, warm-up ends at 1 s: two, one (which is too short) and three in a row.
    assert runs.underflows(one) == pytest.approx([0.2, 0.3])


def test_an_interval_decides_or_does_not() -> None:
    assert verdicts.above(Estimate(2.0, 1.0)).agrees is True
    assert verdicts.above(Estimate(0.5, 1.0)).agrees is None
    assert verdicts.above(Estimate(-2.0, 1.0)).agrees is False
    assert verdicts.below(Estimate(-2.0, 1.0)).agrees is True
    assert verdicts.below(Estimate(0.5, 1.0)).agrees is None
    assert verdicts.below(Estimate(2.0, 1.0), 5.0).agrees is True
    told = [verdicts.shown(Estimate(*each)) for each in ((99.97344, 1e-7), (-1e-7, None), (87.41, 4.4), (None,))]
    assert told == ["99.973", "0", "87.4 ± 4.4", "-"]


def test_every_split_of_the_delay_is_run_in_both_cases() -> None:
    points = read_plan(PAPER.plan_file("extra-delay")).points
    results: Results = {"extra-delay": [Sample(settings, []) for settings in points]}
    found = [id(figures.split(results, case, words)) for case, words in product(figures.CASES, figures.SPLITS)]
    found.append(id(figures.split(results, runs.LOSS, "tau on each line", rdf=0.5)))
    found.append(id(figures.split(results, runs.LOSS, figures.DEFAULTS)))
    assert sorted(found) == sorted(id(sample) for sample in results["extra-delay"])
    for case, words in product(figures.CASES, figures.SPLITS):
        sample = figures.split(results, case, words)
        assert sample.settings["link.backbone.marker"]["congested"] == f"{runs.CONGESTED[case]} cells"


def open_results() -> Results:
    return {openq.PLAN: [Sample(settings, []) for settings in read_plan(PAPER.plan_file(openq.PLAN)).points]}


def test_the_open_question_has_all_with_all() -> None:
    found = openq.index(open_results())
    ways = set(product(openq.LOSES, openq.KINDS, openq.QUEUES))
    assert set(found) == set(product(openq.WHERE, openq.COUNTS, ways))
    assert set(openq.WAYS) <= ways


def test_an_effect_is_the_mean_of_what_an_option_changes() -> None:
    def sample(way: openq.Way, gain: float) -> tuple[openq.Key, Sample]:
        runs_of = [Measured({"summary": {"jain": gain + seed}}) for seed in (0.0, 5.0)]
        return ("short", 2, way), Sample({}, runs_of)

    found = dict(
        [
            sample(("off", "tahoe", "plain"), 1.0),
            sample(("off", "sack", "plain"), 3.0),
            sample(("off", "tahoe", "epd"), 10.0),
            sample(("off", "sack", "epd"), 16.0),
        ]
    )
    effect = openq.effect(found, ["short"], [2], "recover: SACK", runs.jain)
    assert (effect.mean, effect.half) == (pytest.approx(4.0), pytest.approx(0.0)), "2 and 6, in either seed"
    assert openq.effect(found, ["short"], [2], "discard: EPD", runs.jain).mean == pytest.approx(11.0)
    assert openq.effect(found, ["short"], [2], "discard: PPD", runs.jain).mean is None


def test_what_is_fair_on_the_configuration() -> None:
    ninth = 50 / 9
    wanted = {"a": ninth, "b": 2 * ninth, "c": 100 / 3, "d": ninth, "e": 2 * ninth, "f": 50}
    assert fairness.fair() == pytest.approx(wanted)
    flows = [
        {"name": f"{group}-{i}", "goodput_bps": fairness.fair()[group] * 1e6 / fairness.WIRE}
        for group, (n, _) in fairness.GROUPS.items()
        for i in range(n)
    ]
    assert fairness.distance(run(flows=flows)) == pytest.approx(0.0, abs=1e-9)
    assert fairness.rate(run(flows=flows), "f") == pytest.approx(50)


def test_the_case_without_loss(dupack: Dupack) -> None:
    done = dupack("reproduce", "lai-lin-hung-1999", "--figure", "5", "--quick", "--out", "here", "--json")
    found = of_json(done)
    (figure,) = found["figures"]
    assert [one["name"] for one in figure["series"]] == list(figures.PANELS)
    assert max(figure["series"][0]["y"]) == 64036
    claims_of = {claim["id"]: claim for claim in found["claims"]}
    assert claims_of["free-no-loss"]["measured"] == 0
    assert claims_of["free-rate-based"]["agrees"] is True
