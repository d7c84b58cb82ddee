"""The reproduction of Chan, Wang & Chen 2002."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import Any

import pytest

from conftest import Dupack, Once, all_measured, at_a_glance, curves, of_json
from dupack.reproduce.draw import draw
from dupack.reproduce.folder import load, module
from dupack.reproduce.interactive import interactive
from dupack.reproduce.paper import PAPERS, Estimate, Measured, Results, Sample
from dupack.reproduce.verdicts import above, all_above, below, in_order
from dupack.work import read_plan

PAPER = load(PAPERS / "chan-wang-chen-2002")
measures: Any = module(PAPER.directory, "measures")
runs: Any = module(PAPER.directory, "runs")


def run(*goodputs: float, links: list[dict[str, Any]] | None = None, tape: Any = None) -> Measured:
    """A run of this many flows, by payload delivered [bit/s]."""
    flows = [{"goodput_bps": each, "segments_retransmitted": 90} for each in goodputs]
    return Measured({"duration_s": 10.0, "warm_up_s": 1.0, "flows": flows, "links": links or []}, tape)


def test_throughput_is_counted_in_cells_on_the_line() -> None:
    # 512 bytes of payload make 12 cells of 53 bytes, so 155 Mb/s carry at most 124.8 Mb/s of payload.
    assert runs.wires(run(155e6 * 512 / 636)) == pytest.approx([155.0])
    assert runs.share(run(*[15.5e6 * 512 / 636] * 10)) == pytest.approx(100.0)
    assert runs.again(1)(run(1.0)) == pytest.approx(10.0), "of nine measured seconds"


def test_a_line_carries_no_more_than_all_of_it() -> None:
    # The backlog at the beginning of measuring is delivered, too: 2,000 cells of 53 bytes in nine seconds.
    more = 2000 * 424 / 9
    assert runs.share(run((155e6 + more) * 512 / 636)) == 100.0
    assert runs.share(run((155e6 - more) * 512 / 636)) == pytest.approx(100 - 100 * more / 155e6)


def test_udp_is_named_by_the_cells_it_sends() -> None:
    # An IP packet of 552 bytes makes 12 cells.
    sent = [runs.udp_sent(Sample({"flow.udp.traffic.rate": rate}, [])) for rate in ("31 Mb/s", "60 Mb/s", "120 Mb/s")]
    assert [round(rate) for rate in sent] == [36, 69, 138]


def test_table_1_and_table_3_are_more_than_other_units_could_be() -> None:
    # Only cells explain the tables: this compares the sums of their rows with what 155 Mb/s carry in cells.
    known = measures.STATED
    row = sum(known[f"table-1-short-abs-push-out-{i}"] for i in range(1, 11))
    chain = sum(known[f"table-3-abs-push-out-{name}"] for name in ("udp", *"123456789"))
    assert row == pytest.approx(142.5, abs=0.05)
    assert chain == pytest.approx(known["table-3-abs-push-out-total"], abs=0.05)
    assert 155 * 512 / 636 < 155 * 552 / 636 < row < chain < 155


@pytest.mark.parametrize(("table", "count"), [("table-1-", 6 * 11 + 4), ("table-2-", 3 + 1), ("table-3-", 3 * 12 + 3)])
def test_the_tables_are_whole(table: str, count: int) -> None:
    assert len([claim for claim in PAPER.claims if claim.id.startswith(table)]) == count


def test_the_printed_indices_follow_from_the_printed_rows() -> None:
    known = measures.STATED
    for word in ("short", "long"):
        for kind in runs.KINDS:
            row = [known[f"table-1-{word}-{kind}-{i}"] for i in range(1, 11)]
            assert runs.jain(row) == pytest.approx(known[f"table-1-{word}-{kind}-jain"], abs=0.0016)


def test_goodput_is_of_the_shared_line_or_of_what_arrives() -> None:
    links = [
        {"name": "backbone", "dead_units": 1, "sent": 100},
        {"name": "leaf-0", "dead_units": 4, "sent": 100},
        {"name": "tenth-leaf", "dead_units": 0, "sent": 100},
        {"name": "leaf-0.back", "dead_units": 50, "sent": 100},
    ]
    assert runs.goodput(run(1.0, links=links)) == pytest.approx(99.0)
    assert runs.end_goodput(run(1.0, links=links)) == pytest.approx(98.0)


def test_fairness_of_the_large_network_is_of_what_was_allocated() -> None:
    shares = [rate * 1e5 * 512 / 636 for rate in runs.ALLOCATED for _ in range(10)]
    assert runs.per_vc(run(*shares)) == pytest.approx([1.0] * 5)
    assert runs.vc_fairness(run(*shares)) == pytest.approx(1.0)
    assert runs.vc_fairness(run(*[1e6] * 50)) < 0.75, "equal shares of what was allocated unequally"
    # 50 flows of 3 Mb/s of cells give each of the five VCs 30 Mb/s; the last VC is allocated 50.
    assert runs.least_vc(run(*[3e6 * 512 / 636] * 50)) == pytest.approx(0.6)


def test_a_guarantee_is_kept_if_the_least_of_all_keeps_it() -> None:
    kept = [15.5e6 * 512 / 636] * 10
    assert runs.least_of_ten(run(*kept)) == pytest.approx(1.0)
    assert runs.least_of_ten(run(*kept[:9], kept[9] / 2)) == pytest.approx(0.5)


TAPE = """time_s,flow,event,segment,cwnd,ssthresh
0.500000000000,long-0,fast_retransmit,1,4,2
1.010000000000,long-0,fast_retransmit,7,4,2
1.015000000000,long-0,send,8,4,2
1.019000000000,cross-a-1,timeout,9,1,2
5.000000000000,long-0,timeout,9,1,2
5.900000000000,cross-a-1,cwnd,9,2,2
"""


def test_cuts_are_read_off_a_tape_and_correlated() -> None:
    kept = measures.cuts(TAPE)
    assert kept.times == {"long-0": [0.5, 1.01, 5.0], "cross-a-1": [1.019]}
    assert kept.timeouts == {"long-0": [5.0], "cross-a-1": [1.019]}
    assert kept.end == 5.9
    # There are 245 bins of 20 ms after warm-up. One flow has two cuts; that in the first bin is common to both.
    one, other = [0.0] * 245, [0.0] * 245
    one[0] = one[200] = other[0] = 1.0
    assert runs.together(run(1.0, tape=kept)) == pytest.approx(runs.correlation(one, other))
    # There are 49 bins of 100 ms.
    one, other = [0.0] * 49, [0.0] * 49
    one[0] = one[40] = other[0] = 1.0
    assert runs.together_wide(run(1.0, tape=kept)) == pytest.approx(runs.correlation(one, other))
    assert runs.together(run(1.0, tape=runs.Cuts(end=5.9))) is None, "nobody cut a window"


def test_a_correlation_is_pearsons() -> None:
    assert runs.correlation([1, 2, 3], [2, 4, 6]) == pytest.approx(1.0)
    assert runs.correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1.0)
    assert runs.correlation([0, 0, 1, 1], [0, 1, 0, 1]) == pytest.approx(0.0)
    assert runs.correlation([1, 1], [0, 1]) is None


def test_every_point_is_a_strategy_of_the_paper_or_a_relative() -> None:
    for experiment in PAPER.experiments:
        for settings in read_plan(PAPER.plan_file(experiment.plan)).points:
            kind = runs.kind_of(Sample(settings, []))
            assert kind in runs.ALL
            (queue,) = (value for path, value in settings.items() if path.endswith(".queue"))
            if queue["kind"] == "epd-push-out":
                never = queue["max_packet"] == queue["buffer"]
                assert (kind == "epd") == never


def test_every_reading_is_shown_once() -> None:
    points = read_plan(PAPER.plan_file("extra-readings")).points
    seen = {(runs.way(s := Sample(point, [])), point["flow.*.transport.tick"], runs.kind_of(s)) for point in points}
    assert len(seen) == len(points) == len(runs.WAYS) * 4 * 3
    points = read_plan(PAPER.plan_file("extra-chain")).points
    chains = {(runs.chain_reading(s := Sample(point, [])), runs.kind_of(s)) for point in points}
    # The proposed scheme has no threshold, so it has no variant that leaves room for one packet. All strategies and
    # their relatives are there as in the plan of Tables 2 and 3.
    assert len(chains) == len(points) == len(runs.ALL) + 4 * 3 + 2
    points = read_plan(PAPER.plan_file("extra-overload")).points
    seen = {(runs.way(s := Sample(point, [])), point["flow.udp.traffic.rate"], runs.kind_of(s)) for point in points}
    assert len(seen) == len(points) == 2 * 3 * len(runs.ALL)


@pytest.mark.parametrize(
    ("plan", "of", "common"),
    [("extra-ten", "table-1", 6), ("extra-fifty", "fig-13-15", 9), ("extra-chain", "table-2-3", 3)],
)
def test_other_disciplines_have_the_networks_of_the_paper(plan: str, of: str, common: int) -> None:
    # Apart from the disciplines, the plans are the same; only the chain is simulated for a shorter time.
    mine, theirs = (read_plan(PAPER.plan_file(name), ["duration=6 s"]) for name in (plan, of))
    keys = [{one.key(point) for point in range(len(one.points))} for one in (mine, theirs)]
    assert len(keys[0] & keys[1]) == common


def test_an_order_needs_to_rise() -> None:
    def order(*means: float, swing: float = 0.0, slack: float = 0.0) -> bool | None:
        # Each sample has three runs, whose links differ; in the first sample the goodputs differ too, by the swing.
        def runs_of(mean: float, swing: float) -> list[Measured]:
            return [run(mean + sign * swing, links=[{"sent": sign}]) for sign in (-1, 0, 1)]

        samples = [Sample({}, runs_of(mean, swing if at == 0 else 0.0)) for at, mean in enumerate(means)]
        return in_order(samples, lambda one: one.document["flows"][0]["goodput_bps"], slack=slack).agrees

    assert order(0.9, 0.95, 1.0) is True
    assert order(0.9, 1.0, 0.95) is False
    assert order(0.99, 1.0, 0.999, slack=0.002) is True
    assert order(0.9, 0.95, 1.0, swing=0.1) is None, "within chance"
    assert order(0.95, 0.93, 1.0, swing=0.1) is None, "and so is what goes the other way"


def test_a_difference_within_chance_says_nothing() -> None:
    assert above(Estimate(2.0, 1.0)).agrees is True
    assert above(Estimate(2.0, 3.0)).agrees is None
    assert above(Estimate(-2.0, 1.0)).agrees is False
    assert above(Estimate(2.0, 0.5), 3.0).agrees is False
    assert below(Estimate(-2.0, 1.0)).agrees is True
    assert below(Estimate(-2.0)).agrees is None, "one run"
    assert all_above([Estimate(2.0, 1.0), Estimate(1.0, 2.0)]).agrees is None


def test_what_the_text_states_is_there() -> None:
    text = (PAPER.directory / "published.toml").read_text()
    published = {entry["published"] for entry in tomllib.loads(text)["claim"]}
    assert {100.0, 96.8, 92.8, 96.4, 37.5, 11.0, 0.98, 99.51, 99.72, 28.96, 147.78, 0.932, 0.937, 24.7} <= published


def test_goodput_is_whole_with_the_proposed_scheme(dupack: Dupack) -> None:
    done = dupack("reproduce", "chan-wang-chen-2002", "--figure", "7", "--quick", "--out", "here", "--json")
    found = of_json(done)
    (figure,) = found["figures"]
    names = {series["name"]: series for series in figure["series"]}
    assert set(names) == set(runs.KINDS.values())
    assert set(names["proposed"]["y"]) == {100.0}
    assert names["EPD"]["y"] == sorted(names["EPD"]["y"]), "more room beyond the threshold, more goodput"
    assert names["EPD"]["y"][0] < 99.95
    claims_of = {claim["id"]: claim for claim in found["claims"]}
    assert claims_of["goodput-excess-proposed"]["agrees"] is True


def test_results_are_found_by_what_they_are() -> None:
    points = read_plan(PAPER.plan_file("fig-07-08")).points
    results: Results = {"fig-07-08": [Sample(settings, []) for settings in points]}
    for kind in ("epd", "epd-push-out"):
        assert [runs.beyond(s) for s in runs.over_excess(results, "fig-07-08", kind)] == [1, 2, 3, 4, 5]
        assert [runs.buffer(s) for s in runs.over_buffer(results, "fig-07-08", kind)] == [200, 400, 600, 800, 1000]
    assert len(runs.over_excess(results, "fig-07-08", "abs-push-out")) == 1


def test_what_was_pushed_out_is_of_the_shared_lines() -> None:
    links = [
        {"name": "hop-a", "sent": 90, "dropped": {"pushed-out": 10, "early": 7}},
        {"name": "hop-a.back", "sent": 900, "dropped": {}},
        {"name": "hop-b", "sent": 100, "dropped": {}},
        {"name": "leaf-0", "sent": 100, "dropped": {}},
    ]
    assert runs.pushed_out(run(1.0, links=links)) == pytest.approx(5.0)


@pytest.fixture(scope="module")
def glance(once: Once) -> Results:
    """Every experiment, for less than a second; the chain for longer, so that somebody cuts a window."""
    keep = {name: lambda _: True for name in ("fig-07-08", "fig-13-15", "extra-fifty")}
    short = [
        replace(one, quick=(f"duration={time} ms", "warm_up=200 ms"), quick_keep=keep.get(one.plan, one.quick_keep))
        for one in PAPER.experiments
        for time in (1500 if one.plan == "table-2-3" else 500,)
    ]
    return at_a_glance(once, PAPER, short, seeds=1)


def test_every_claim_is_measured(glance: Results) -> None:
    all_measured(PAPER, glance)


def test_every_figure_has_its_curves(glance: Results) -> None:
    for figure, one in curves(PAPER, glance):
        assert any(y is not None for y in one.y) or one.kind == "events", (figure, one.name)


def test_the_windows_of_all_sources_are_shown_whole(glance: Results) -> None:
    (figure,) = (one for one in PAPER.figures if one.id == "17")
    drawn = figure.series(glance)
    assert {f"TCP {i}" for i in range(1, 20)} < {one.name for one in drawn}
    for one in drawn:
        low, high = sorted(end or 0 for end in figure.panels[one.panel].limits)
        assert all(low <= (y or 0) <= high for y in one.y), one.name
    layout = interactive(figure, drawn, [])["layout"]
    tops = [layout[f"yaxis{i or ''}"]["domain"][1] for i in (0, *range(2, 7))]
    assert tops == sorted(tops, reverse=True), "one below the other"
    assert all(layout[f"xaxis{i}"]["matches"] == "x" for i in range(2, 7))
    assert draw(figure, drawn, [])["png"]
