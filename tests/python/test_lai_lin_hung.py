"""The reproduction of Lai, Lin & Hung 1999."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest

from conftest import Dupack, of_json
from dupack.reproduce import folder, told
from dupack.reproduce.paper import PAPERS, Estimate, Measured, Results, Sample
from dupack.reproduce.verdicts import above, below
from dupack.work import read_plan

HERE = PAPERS / "lai-lin-hung-1999"
PAPER = folder.load(HERE)


def module(name: str) -> Any:
    """A Python file of the paper; its types are those of its own check."""
    found = folder.module(HERE, name)
    assert found is not None, name
    return found


acr, delay, dips, fairness = map(module, ("acr", "delay", "dips", "fairness"))
figures, measures, open_question, runs = map(module, ("figures", "measures", "open_question", "runs"))

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
    """Rates of SES 1 and of the switch."""
    names = {"backlog": runs.SWITCH}
    length = len(next(iter(values.values())))
    return {"time_s": [0.9 + 0.1 * i for i in range(length)]} | {
        key: {names.get(key, runs.FIRST): value} for key, value in values.items()
    }


def test_a_loss_and_its_cut_are_read_off_a_tape() -> None:
    kept = measures.reactions(TAPE)
    assert kept.drops == {"tcp-0": [0.5, 1.1, 1.101], "tcp-1": [1.104]}
    assert kept.cuts == {"tcp-0": [1.103], "tcp-1": [1.6]}
    assert kept.fast == 1
    # The first loss to which the sender has not reacted yet.
    assert measures.reactions_of(run(kept)) == [(0.5, 1.103), (1.104, 1.6)]


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


def test_idle_line_and_cells_in_vain() -> None:
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
    one = run(links=links)
    assert runs.empty(one) == pytest.approx(20.0)
    assert runs.loss_rate(one) == pytest.approx(5.0)
    assert runs.dead(one) == pytest.approx(10.0)


def test_how_often_and_how_long_the_queue_is_empty() -> None:
    """Samples 2 ms apart: a short dip, and one of five samples, after warm-up; cut short by no other."""
    times = [0.998 + 0.002 * i for i in range(10)]
    samples: dict[str, Any] = {"time_s": times, "backlog": {runs.SWITCH: [0, 0, 7, 0, 0, 0, 0, 0, 9, 9]}}
    samples["source_backlog"] = {runs.FIRST: [0] * 10, "tcp-1": [3] * 5 + [0] * 5}
    flows = [{"name": name} for name in (runs.FIRST, "tcp-1")]
    one = run(measures.Reactions(cuts={"tcp-1": [1.013]}), series=samples, flows=flows)
    short, long_one = dips.dips(one)
    assert (short.samples, long_one.samples) == (1, 5)
    assert (short.silent, long_one.silent) == (1, 2), "in the middle"
    assert not short.long
    assert long_one.long
    assert not dips.dips(run(series=samples | {"backlog": {runs.SWITCH: [1] * 10}}, flows=flows))
    assert dips.share_of(one, long=True) == pytest.approx(100 * 0.01), "of a second"
    assert dips.rate_of(one, long=False) == pytest.approx(1.0)
    assert dips.woken(one, long_one)
    assert not dips.woken(one, short)


def two_sources(acr_bps: list[list[float | None]], source_backlog: list[list[int]]) -> Measured:
    """Samples every 0.1 s from 0.9 s on, warm-up ends at 1 s."""
    names = (runs.FIRST, "tcp-1")
    samples: dict[str, Any] = {"time_s": [0.9 + 0.1 * i for i in range(len(acr_bps[0]))]}
    samples["acr_bps"] = dict(zip(names, acr_bps, strict=True))
    samples["source_backlog"] = dict(zip(names, source_backlog, strict=True))
    return run(series=samples, flows=[{"name": name} for name in names])


def test_what_arrives_twice_is_neither_damaged_nor_delivered() -> None:
    flows = [{"segments_sent": 100, "segments_delivered": 90}, {"segments_sent": 50, "segments_delivered": 49}]
    one = run(measures.Reactions(drops={runs.FIRST: [0.5, 1.1, 1.2], "tcp-1": [1.3]}), flows=flows)
    assert measures.again(one) == pytest.approx(100 * 8 * runs.MSS / runs.CEILING), "in a second"


def test_a_rate_is_used_while_cells_wait() -> None:
    one = two_sources(
        [[800e6, 8e6, 16e6, 80e6, 40e6, 48e6], [800e6, 8e6, 24e6, 8e6, 72e6, None]],
        [[0, 9, 9, 0, 0, 1], [0, 1, 0, 0, 1, 0]],
    )
    assert sorted(acr.held(one, waits=True)) == [1.0, 1.0, 2.0, 6.0, 9.0]
    assert sorted(acr.held(one, waits=False)) == [1.0, 3.0, 5.0, 10.0]
    # Samples 5, 6, 9 and 10 are above; no cell waits at 5 and 10.
    assert acr.unused_above(one, acr.HIGH) == 50.0
    assert acr.unused_above(one, 11.0) is None
    # Only groups of two samples or more count: 10 and 5 of the first source, 3 and 1 of the second.
    found = acr.pauses(one)
    assert [pause.peak for pause in found] == [10.0, 3.0]
    assert [pause.lasted for pause in found] == pytest.approx([0.2, 0.2])


def test_acr_while_nothing_waits_is_judged_over_that_while_cells_wait() -> None:
    twice = two_sources([[8e6, 8e6, 16e6], [8e6, 8e6, 16e6]], [[1, 1, 0], [1, 1, 0]])
    flows = [{"name": flow["name"], "abr": {"window_based_fraction": 0.5}} for flow in twice.document["flows"]]

    def in_two_runs(one: Measured) -> list[Sample]:
        """Of which something else differs."""
        return [Sample({}, [Measured(one.document | {"flows": flows, "links": [seed]}) for seed in (1, 2)])]

    sample = in_two_runs(twice)
    results: Results = {runs.FREE: sample, runs.LOSS: sample}
    found = PAPER.measures["acr-while-idle"].find(results)
    assert (found.value, found.agrees) == (2.0, True)
    assert "2.0 over 1.0 MB/s" in found.seen
    low = two_sources([[8e6, 16e6, 8e6], [8e6, 16e6, 8e6]], [[1, 1, 0], [1, 1, 0]])
    sample = in_two_runs(low)
    assert PAPER.measures["acr-while-idle"].find({runs.FREE: sample, runs.LOSS: sample}).agrees is False


def test_what_a_loss_follows() -> None:
    """Samples 2 ms apart, a loss at 1.0131 s: the five samples before it against all."""
    times = [1.0 + 0.002 * i for i in range(12)]
    line = 8 * runs.LINE * runs.CELL
    samples: dict[str, Any] = {"time_s": times}
    samples["acr_bps"] = {runs.FIRST: [2.0 * line] * 2 + [1.0 * line] * 10, "tcp-1": [1.0 * line] * 12}
    samples["source_backlog"] = {runs.FIRST: [0] * 4 + [5] * 8, "tcp-1": [0] * 12}
    tape = measures.Reactions(drops={runs.FIRST: [1.0131, 1.0132]})
    one = run(tape, series=samples, flows=[{"name": name} for name in (runs.FIRST, "tcp-1")], duration_s=1.1)
    assert acr.losses(one) == [1.0131], "the second is one with the first"
    assert acr.before_losses(one, acr.allowed(one)) == pytest.approx(2.0)
    assert acr.usual(one, acr.allowed(one)) == pytest.approx((2 * 3 + 10 * 2) / 12)
    assert acr.before_losses(one, measures.in_use(one)) == pytest.approx(0.6)
    assert acr.before_losses(one, acr.senders(one)) == pytest.approx(0.6)
    # The source begins again at 1.008 s with 19 MB/s, and the loss follows 5 ms later.
    assert acr.followed(one, high=True) == 100.0
    assert acr.followed(one, high=False) is None


def test_a_reading_chooses_what_a_measure_counts() -> None:
    """Samples every 0.1 s from 0.9 s on, warm-up ends at 1 s."""
    plain = two_sources([[8e6, 8e6, 16e6, 24e6], [8e6, 32e6, 40e6, 48e6]], [[1, 1, 0, 1], [1, 1, 1, 0]])
    flows = [
        {"name": flow["name"], "abr": {"mean_acr_bps": rate, "unused_acr_bps": 4e6}}
        for flow, rate in zip(plain.document["flows"], (8e6, 24e6), strict=True)
    ]
    link = {"name": runs.SWITCH, "utilization": 0.75, "empty_fraction": 0.25}
    summary = {"goodput_bps": 8 * runs.PRINTED, "jain": 0.5}
    series = plain.document["series"] | {"backlog": {runs.SWITCH: [0, 0, 9, 900]}}
    kept = {"flows": flows, "links": [link], "summary": summary, "series": series, runs.EMPTY_SAMPLES: 10.0}
    tape = measures.Reactions(
        drops={"tcp-1": [1.15]}, cuts={runs.FIRST: [1.1, 1.2], "tcp-1": [1.2]}, retransmits={runs.FIRST: [1.1]}
    )

    def by(**options: str) -> Measured:
        return Measured(plain.document | kept, tape, options)

    assert runs.unused(by(rate="payload")) == pytest.approx(0.5 * 48 / 53)
    assert runs.all_rates(by(rate="payload"))[0] == pytest.approx(48 / 53)
    assert runs.all_rates(by()) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert runs.all_rates(by(sources="first")) == [1.0, 2.0, 3.0]
    assert [runs.end_of(by(ends=ends), 0.5) for ends in ("percentiles", "extremes")] == [2.0, 3.0]
    assert runs.end_of(by(sources="all", ends="extremes"), 0.99) == 6.0
    assert (runs.jain(by()), runs.jain(by(fair="acr"))) == (0.5, pytest.approx(0.8))
    assert runs.share(by(ceiling="formula")) == pytest.approx(100.0)
    assert runs.share(by(throughput="cells")) == 75.0
    assert [runs.underflow(by(underflow=word)) for word in ("each", "queue", "line")] == pytest.approx(
        [100 / 3, 100 / 3, 25.0]
    )
    assert [runs.idle(by(underflow=word)) for word in ("each", "queue", "line")] == [25.0, 10.0, 25.0]
    assert (measures.fast(by()), measures.fast(by(sources="first"))) == (pytest.approx(100 / 3), 50.0)
    assert sorted(acr.held(by(sources="first"), waits=True)) == [1.0, 3.0]


def test_a_reading_chooses_when_congestion_is_relieved() -> None:
    """Samples every 2 ms; SES 1 cuts its window twice, and tcp-1 loses a cell between the two."""
    times = [1.0 + 0.002 * i for i in range(30)]
    names = (runs.FIRST, "tcp-1")
    samples: dict[str, Any] = {"time_s": times, "backlog": {runs.SWITCH: [1000] * 9 + [1600] * 8 + [400] * 13}}
    samples["acr_bps"] = {name: [8e6] * 10 + [16e6] * 20 for name in names}
    tape = measures.Reactions(
        drops={runs.FIRST: [1.001, 1.018], "tcp-1": [1.013]},
        cuts={runs.FIRST: [1.0051, 1.0211]},
        retransmits={runs.FIRST: [1.0051]},
    )
    flows = [{"name": name} for name in names]

    def by(**options: str) -> Measured:
        return Measured(run(series=samples, flows=flows, duration_s=1.06).document, tape, options)

    assert [measures.relieved(by(relieved=word)) for word in ("q-l", "dqt", "no-loss")] == [0.0, 50.0, 50.0]
    after = measures.READS["acr_after_cuts"]
    mean = (10 + 2 * 20) / 30
    # From 5 to 20 ms after the first cut ACR is 1 MB/s for ten of 15 ms, then 2 MB/s; after the second, 2 MB/s.
    first = (10 * 1 + 5 * 2) / 15
    assert after(by()) == pytest.approx((first + 2) / 2 / mean)
    assert after(by(cuts="fast")) == pytest.approx(first / mean)
    assert after(by(after="cut")) == pytest.approx((first + 2) / (1 + 2))
    assert after(by(after="cut", cuts="fast")) == pytest.approx(first)


def test_an_interval_decides_or_does_not() -> None:
    assert above(Estimate(2.0, 1.0)).agrees is True
    assert above(Estimate(0.5, 1.0)).agrees is None
    assert above(Estimate(-2.0, 1.0)).agrees is False
    assert below(Estimate(-2.0, 1.0)).agrees is True
    assert below(Estimate(0.5, 1.0)).agrees is None
    assert below(Estimate(2.0, 1.0), 5.0).agrees is True
    seen = [told.shown(Estimate(*each)) for each in ((99.97344, 1e-7), (-1e-7, None), (87.41, 4.4), (None,))]
    assert seen == ["99.973", "0", "87.4 ± 4.4", "-"]
    seen = [told.signed(Estimate(*each)) for each in ((11.84, 0.42), (-0.001, 0.02), (3.0, None), (None,))]
    assert seen == ["+11.8 ± 0.4", "+0.00 ± 0.02", "+3.0", "-"]
    assert [told.plain(value) for value in (-0.01, None)] == ["0.0", "-"]


PARTS = {
    "all between the switches": (0, 1, 0),
    "0.1, 0.9, 0": (0.1, 0.9, 0),
    "thirds": (1 / 3, 1 / 3, 1 / 3),
    "tau on each line": (1, 1, 1),
}
"""Of tau before, between and behind the switches."""


def milliseconds(text: str) -> float:
    number, unit = text.split()
    return float(number) * {"ms": 1.0, "us": 1e-3}[unit]


def test_every_split_of_the_delay_is_run_in_both_cases() -> None:
    points = read_plan(PAPER.plan_file("extra-delay")).points
    results: Results = {"extra-delay": [Sample(settings, []) for settings in points]}
    tau = {runs.FREE: 0.01, runs.LOSS: 1.0}
    assert set(delay.SPLITS) == set(PARTS)
    found = [id(delay.split(results, case, words)) for case, words in product(tau, PARTS)]
    found += [id(delay.variant(results, words)) for words in delay.VARIANTS]
    assert sorted(found) == sorted(id(sample) for sample in results["extra-delay"])
    for case, words in product(tau, PARTS):
        settings = delay.split(results, case, words).settings
        assert settings["link.backbone.marker"]["congested"] == f"{runs.CONGESTED[case]} cells"
        delays = [milliseconds(settings[f"link.{line}.delay"]) for line in ("access", "backbone", "leaf")]
        assert delays == pytest.approx([part * tau[case] for part in PARTS[words]], rel=1e-3), (case, words)
    given = {words: delay.variant(results, words).settings for words in delay.VARIANTS}
    thirds = delay.split(results, runs.LOSS, "thirds").settings
    for words, settings in given.items():
        for line in ("access", "backbone", "leaf"):
            assert settings[f"link.{line}.delay"] == thirds[f"link.{line}.delay"], words
    assert given[delay.DEFAULTS]["flow.tcp.abr.use_it_or_lose_it"] == "adtf"


def open_results() -> Results:
    return {
        open_question.PLAN: [Sample(settings, []) for settings in read_plan(PAPER.plan_file(open_question.PLAN)).points]
    }


def test_the_open_question_has_all_with_all() -> None:
    found = open_question.index(open_results())
    ways = set(product(open_question.LOSES, open_question.KINDS, open_question.QUEUES))
    assert set(found) == set(product(open_question.WHERE, open_question.COUNTS, ways))
    assert set(open_question.WAYS) <= ways


def test_a_first_look_has_the_ways_that_the_text_names() -> None:
    (experiment,) = [one for one in PAPER.experiments if one.plan == open_question.PLAN]
    points = read_plan(PAPER.plan_file(open_question.PLAN)).points
    kept = {open_question.way(Sample(settings, [])) for settings in points if experiment.quick_keep(settings)}
    assert kept >= {open_question.NOTHING, open_question.BEST, ("off", "tahoe", "epd")}


def test_an_effect_is_the_mean_of_what_an_option_changes() -> None:
    def sample(way: tuple[str, str, str], gain: float) -> tuple[tuple[str, int, tuple[str, str, str]], Sample]:
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
    here = [("short", 2)]
    effect = open_question.effect(found, here, "recover: SACK", runs.jain)
    assert (effect.mean, effect.half) == pytest.approx((4.0, 0.0)), "2 and 6, in either seed"
    assert open_question.effect(found, here, "discard: EPD", runs.jain).mean == pytest.approx(11.0)
    assert open_question.effect(found, here, "discard: PPD", runs.jain).mean is None
    alone = open_question.effect(found, here, "recover: SACK", runs.jain, [("off", "sack", "plain")])
    assert alone.mean == pytest.approx(2.0), "over a plain queue"


def test_a_reading_chooses_what_else_is_switched_on() -> None:
    lose = {"off": 0.0, "count-based": 1.0}
    recover = {"tahoe": 0.0, "reno": 10.0, "newreno": 30.0, "sack": 50.0}

    def value(way: tuple[str, str, str]) -> float:
        """What is switched on adds up, but for use-it-or-lose-it and Reno, which do more together."""
        both = 7.0 if way[0] != "off" and way[1] == "reno" else 0.0
        return lose[way[0]] + recover[way[1]] + both + (100.0 if way[2] == "epd" else 0.0)

    def results(**options: str) -> Results:
        plan = open_question.CLAIMS
        points = [Sample(settings, []) for settings in read_plan(PAPER.plan_file(plan)).points]
        summaries = [{"jain": value(open_question.way(one))} for one in points]
        return {
            plan: [
                Sample(one.settings, [Measured({"summary": summary, "links": [n]}, None, options) for n in (1, 2)])
                for one, summary in zip(points, summaries, strict=True)
            ]
        }

    def found(find: Any, **options: str) -> float:
        return float(find(results(**options), runs.jain).value)

    use, recovery = open_question.use, open_question.recovery
    mixed = (found(use), found(recovery))
    assert mixed == pytest.approx((1 + 7 / 4, 10.0)), "one of four recoveries is Reno"
    assert (found(use, beside="alone"), found(recovery, beside="alone")) == pytest.approx((1.0, 10.0))
    assert (found(use, beside="mean"), found(recovery, beside="mean")) == pytest.approx((1 + 7 / 4, 10 + 7 / 2))
    assert (found(use, beside="together"), found(recovery, beside="together")) == pytest.approx((18.0, 18.0))
    assert recovery(results(), runs.jain).seen == "Others: NewReno +30.0 ± 0.0, SACK +50.0 ± 0.0."


def test_the_claims_on_remedies_need_a_part_of_the_runs_of_the_question() -> None:
    """Their plan differs from that of the figure in the number of seeds, and in points that no claim needs."""
    small, large = (read_plan(PAPER.plan_file(plan)) for plan in (open_question.CLAIMS, open_question.PLAN))
    keys = {large.key(point) for point in range(len(large.points))}
    assert all(small.key(point) in keys for point in range(len(small.points)))
    assert len(small.points) < len(large.points) / 20


def test_the_claim_on_rdf_compares_runs_that_differ_in_nothing_else() -> None:
    plan = read_plan(PAPER.plan_file(measures.RDF))
    assert plan.points == [{"flow.tcp.abr.rdf": rdf} for rdf in (1 / 16, 1 / 2)]

    def agrees(sent: int) -> bool | None:
        flows = [{"segments_sent": 7}], [{"segments_sent": sent}]
        summary = {"goodput_bps": 8 * runs.CEILING}
        samples = [
            Sample(settings, [run(flows=of, summary=summary)]) for settings, of in zip(plan.points, flows, strict=True)
        ]
        agreement: bool | None = PAPER.measures["rdf"].find({measures.RDF: samples}).agrees
        return agreement

    assert [agrees(7), agrees(8)] == [True, False]


def test_a_change_whose_interval_excludes_0_has_a_star() -> None:
    changes = [Estimate(1.0, 0.5), Estimate(-3.0, 0.5), Estimate(0.4, 0.5), Estimate(2.0), Estimate(None)]
    assert [figures.starred(change) for change in changes] == [
        "+1.0 ± 0.5*",
        "-3.0 ± 0.5*",
        "+0.40 ± 0.50",
        "+2.0",
        "-",
    ]


def test_every_threshold_is_run_with_every_number_of_connections() -> None:
    points = read_plan(PAPER.plan_file(open_question.THRESHOLD)).points
    found = open_question.thresholds({open_question.THRESHOLD: [Sample(settings, []) for settings in points]})
    assert set(found) == set(open_question.COUNTS)
    assert {tuple(of) for of in found.values()} == {(0.4, 0.6, 0.8, 0.9, 0.95)}


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


def test_when_every_rate_is_near_its_fair_one() -> None:
    """Samples every 0.1 s; the last VC begins at 0.15 s."""
    fair = fairness.fair()

    def rates(group: str, *shares: float) -> list[float]:
        return [1e6 * fair[group] * share for share in shares]

    samples: dict[str, Any] = {
        "time_s": [0.1, 0.2, 0.3, 0.4],
        "acr_bps": {"a-0": rates("a", 1.0, 0.8, 0.95, 1.0), "b-0": rates("b", 1.0, 1.0, 1.09, 2.0)},
    }
    one = run(series=samples, flows=[{"started_s": 0.0}, {"started_s": 0.15}])
    assert fairness.reached(one) == pytest.approx(0.15)
    samples["acr_bps"]["a-0"][2] = 0.0
    assert fairness.reached(one) is None


def test_every_trial_of_feedback_is_run() -> None:
    points = read_plan(PAPER.plan_file(fairness.PLAN)).points
    results: Results = {fairness.PLAN: [Sample(settings, []) for settings in points]}
    found = [id(fairness.sample_of(results, name)) for name in fairness.SAMPLES]
    assert len(set(found)) == len(found)
    assert set(found) == {id(sample) for sample in results[fairness.PLAN]}
    links = [{"name": f"line-{i}", "mean_backlog": 150e6 / 424 / 1000 * i} for i in (1, 2, 3)]
    assert fairness.waiting(run(links=links)) == pytest.approx(5.0), "ms"


def test_the_case_without_loss(dupack: Dupack) -> None:
    done = dupack("reproduce", "lai-lin-hung-1999", "--figure", "5", "--quick", "--out", "here", "--json")
    found = of_json(done)
    (figure,) = found["figures"]
    thresholds = [f"{figures.QUEUE_PANEL}: {words}" for words in ("Q_L", "DQT")]
    assert [one["name"] for one in figure["series"]] == [
        *(figures.WINDOW_PANEL, figures.RATE_PANEL, figures.QUEUE_PANEL),
        *thresholds,
    ]
    assert [one["y"][0] for one in figure["series"][3:]] == [500, 800], "Table II"
    assert max(figure["series"][0]["y"]) == 64036
    claims_of = {claim["id"]: claim for claim in found["claims"]}
    assert claims_of["free-no-loss"]["measured"] == 0
    assert claims_of["free-rate-based"]["agrees"] is True


def test_erica_finds_the_max_min_fair_rates(dupack: Dupack) -> None:
    done = dupack("reproduce", "lai-lin-hung-1999", "--figure", "fairness", "--quick", "--out", "here", "--json")
    (figure,) = of_json(done)["figures"]
    rates = {one["name"]: one["y"] for one in figure["series"]}
    assert rates["max-min fair"] == pytest.approx(list(fairness.fair().values()))
    assert rates["ERICA+"] == pytest.approx(rates["max-min fair"], rel=0.01), "of every group"
    off = [abs(rate / fair - 1) for rate, fair in zip(rates["EPRCA"], rates["max-min fair"], strict=True)]
    assert max(off) > 0.1, "EPRCA does not: it is told apart"
