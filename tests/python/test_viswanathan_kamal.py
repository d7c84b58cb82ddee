"""The reproduction of Viswanathan & Kamal."""

from __future__ import annotations

from dataclasses import replace
from math import log10
from typing import Any

import pytest

from conftest import Dupack, Once, all_measured, at_a_glance, curves, of_json
from dupack.reproduce import judging
from dupack.reproduce.folder import load, module
from dupack.reproduce.interactive import interactive
from dupack.reproduce.paper import PAPERS, Estimate, Measured, Results, Sample
from dupack.reproduce.select import setting
from dupack.reproduce.verdicts import every, positive
from dupack.work import read_plan

FOLDER = PAPERS / "viswanathan-kamal"
PAPER = load(FOLDER)
figures, measures, model, runs = (module(FOLDER, name) for name in ("figures", "measures", "model", "runs"))
TAIL = {"kind": "drop-tail", "buffer": "50 packets"}
RED = {"kind": "red", "buffer": "50 packets"}


def sample(queue: dict[str, Any], *measured: Measured, **settings: object) -> Sample:
    rest = {f"flow.ftp.transport.{key}": value for key, value in settings.items()}
    return Sample({"link.trunk.queue": queue, **rest}, list(measured))


def run(**flows: tuple[float, float | None, int]) -> Measured:
    """Per flow goodput [bit/s], mean delay [s] and segments delivered."""
    keys = ("goodput_bps", "mean_delay_s", "segments_delivered")
    return Measured({"flows": [{"name": n, **dict(zip(keys, f, strict=True))} for n, f in flows.items()]})


def test_a_scheme_is_what_the_router_and_the_receivers_do() -> None:
    wrapped = {"kind": "triple-truncated", "inner": RED}
    samples = {
        "tail": sample(TAIL),
        "red": sample(RED),
        "buffering": sample({"kind": "triple-buffering", "inner": TAIL}),
        "answered": sample(wrapped, bad_checksum="dup-ack"),
        "ignored": sample(wrapped, bad_checksum="drop"),
        "trim": sample({"kind": "trim", "buffer": "50 packets"}),
    }

    def found(scheme: str) -> list[str]:
        """Around either queue."""
        picked = [one for by in runs.DECIDES for one in runs.pick(samples.values(), scheme, by)]
        return [name for name, one in samples.items() if one in picked]

    assert {scheme: found(scheme) for scheme in runs.SCHEMES} == {
        "0": ["tail", "red"],
        "1": ["buffering"],
        "2": ["answered"],
        "2-drop": ["ignored"],
        "trim": ["trim"],
    }
    assert [runs.decides(samples[name]) for name in ("tail", "red", "answered")] == ["drop-tail", "red", "red"]


def test_throughput_is_of_all_flows_and_delay_of_all_segments() -> None:
    both = run(a=(8e6, 0.010, 300), b=(16e6, 0.030, 100), silent=(0.0, None, 0))
    assert runs.throughput(both) == pytest.approx(3)
    assert runs.delay(both) == pytest.approx(15)
    assert runs.delay(run(silent=(0.0, None, 0))) is None
    assert runs.locked_out(both)
    assert not runs.locked_out(run(a=(8e6, None, 0), b=(16e6, None, 0)))


def test_a_gain_is_seed_by_seed() -> None:
    base = sample(TAIL, run(a=(100.0, 0.02, 1)), run(a=(200.0, 0.04, 1)))
    better = sample(TAIL, run(a=(110.0, 0.01, 1)), run(a=(220.0, 0.02, 1)))
    up = runs.percent(better, base, runs.throughput)
    assert up.mean == pytest.approx(10)
    assert up.half == pytest.approx(0, abs=1e-9)
    assert runs.percent(better, base, runs.delay, less=True).mean == pytest.approx(50)


def test_an_ordering_holds_or_not_or_cannot_be_said() -> None:
    assert measures.gained(Estimate(5.0, 2.0)) is True
    assert measures.gained(Estimate(5.0, 7.0)) is None
    assert measures.gained(Estimate(-5.0, 2.0)) is False
    # A gain that is certainly very small does not count as one.
    assert measures.gained(Estimate(0.1, 0.3)) is False
    assert positive(Estimate(0.1, 0.3)) is None
    assert positive(Estimate(None)) is None
    assert positive(Estimate(5.0)) is None
    assert every([True, None]) is None
    assert every([None, False]) is False
    assert every([True, True]) is True
    few, many, mixed = (
        sample(TAIL, *[run(a=(bits, None, 0)) for bits in both]) for both in ((8.0, 16.0), (80.0, 90.0), (80.0, 20.0))
    )
    asked = [measures.fewer([few], base, runs.throughput) for base in (many, mixed, few)]
    assert asked == [True, None, False]
    assert measures.fewer([many], many, runs.throughput, share=0.5) is False


def test_courses_are_read_from_the_samples() -> None:
    series = {
        "time_s": [0.0, 10.0, 20.0],
        "delivered": {"a": [0, 10_000_000, 10_000_000], "b": [0, 0, 30_000_000]},
        "delay_s": {"a": [None, 0.01, None], "b": [None, None, 0.02]},
        "throughput_bps": {"access-1": [None, 1e6, 3e6]},
    }
    one = Measured({"series": series, "duration_s": 20.0})
    assert [value for _, value, _ in runs.throughput_course(one)] == [1.0, 3.0]
    assert [value for _, value, _ in runs.delay_course(one)] == pytest.approx([10.0, 20.0])
    assert [value for _, value in runs.mean_until(runs.throughput_course(one))] == [1.0, 2.0]
    # The mean of the delay is weighted by segments, which are proportional to the bytes.
    assert [value for _, value in runs.mean_until(runs.delay_course(one))] == pytest.approx([10.0, 17.5])
    assert runs.carried(1)(one) == 2
    assert runs.carried(1, begin=10.0)(one) == 3
    assert runs.carried_last(1, 10.0)(one) == 3


def test_a_step_begins_with_its_interval() -> None:
    series = {"time_s": [0.0, 10.0, 20.0], "delivered": {"a": [0, 10_000_000, 40_000_000]}}
    samples = [sample(TAIL, Measured({"series": series}))]
    wrapped = {"kind": "triple-truncated", "inner": TAIL}
    samples.append(sample({"kind": "triple-buffering", "inner": TAIL}, *samples[0].runs))
    samples += [sample(wrapped, *samples[0].runs, bad_checksum=one) for one in ("dup-ack", "drop")]
    for one in figures.one_run(samples, runs.throughput_course):
        assert (one.x, one.y) == ([0.0, 10.0, 20.0], [1.0, 3.0, 3.0])


def test_a_lost_packet_waits_until_it_is_sent_again() -> None:
    tape = """time_s,flow,event,segment,cwnd,ssthresh
4.5,a,drop,6,1,1
5.0,a,retransmit,7,1,1
5.5,a,drop,7,1,1
5.6,b,retransmit,7,1,1
5.75,a,retransmit,7,1,1
6.0,a,retransmit,6,1,1
6.0,a,drop,7,1,1
6.5,a,retransmit,7,1,1
7.0,a,drop,8,1,1
"""
    assert measures.waits(tape) == pytest.approx([0.25, 0.5])


def test_every_reading_that_is_run_is_shown_once() -> None:
    points = read_plan(PAPER.plan_file("extra-readings")).points
    results: Results = {"extra-readings": [Sample(settings, []) for settings in points]}
    shown = []
    for change in figures.READINGS.values():
        for by in runs.DECIDES:
            for scheme in runs.NAMES:
                found = figures.changed(results, scheme, by, change)
                shown += [id(found)] if found else []
    assert set(shown) == {id(sample) for sample in results["extra-readings"]}


def test_the_paper_contradicts_itself_where_the_report_says_so() -> None:
    text = {claim.id: claim for claim in PAPER.claims}
    assert judging.judge(text["tail-delay-swapped"], PAPER, {})["measured"] == "21.57, 12.18"
    zero, one, two = (text[f"red-delay-{scheme}"].published for scheme in (0, 1, 2))
    # The values of Table 2 and its percentages are consistent.
    assert 100 * (1 - one / zero) == pytest.approx(27.67, abs=0.1)
    assert 100 * (1 - two / zero) == pytest.approx(25.4, abs=0.1)


def test_the_models_rise_is_in_the_print_alone() -> None:
    assert model.as_printed(0.9) > 40
    assert model.as_printed(1.0) == float("inf")
    found = model.simulated(1.0)
    assert abs((found.mean or 0.0) - 30) <= 3 * (found.half or 0.0)


def test_figures_without_a_plan_run_nothing(dupack: Dupack) -> None:
    found = of_json(dupack("reproduce", "viswanathan-kamal", "--figure", "1", "--quick", "--out", "here", "--json"))
    (figure,) = found["figures"]
    assert [series["name"] for series in figure["series"]] == ["as printed", "mended", "exact", "simulated"]
    agrees = {claim["id"]: claim["agrees"] for claim in found["claims"]}
    assert agrees == {"model-around-30": True, "model-high-first": True, "model-over-40": True, "model-rise": False}


def test_a_table_is_reproduced_with_its_figures(dupack: Dupack) -> None:
    short = ("--quick", "--seeds", "1", "--out", "here", "--json")
    found = of_json(dupack("reproduce", "--table", "2", *short))
    assert found["paper"] == "viswanathan-kamal"
    assert [figure["id"] for figure in found["figures"]] == ["8", "9"]
    rows = {claim["id"] for claim in found["claims"]}
    assert {"red-throughput-0", "red-throughput-1", "red-throughput-2", "red-delay-0"} <= rows
    wrong = dupack("reproduce", "viswanathan-kamal", "--table", "3")
    assert wrong.returncode == 2
    assert "viswanathan-kamal has no table 3; it has tables 1, 2 and figures 1, 4, 6" in wrong.stderr


@pytest.fixture(scope="module")
def glance(once: Once) -> Results:
    """All experiments, a few seconds of each."""
    quick = {
        "fig-10-11": ("duration=60 s", "sample=5 s"),
        "section-4-3": (),
        "section-5": ("duration=12 s",),
        "extra-sooner": ("duration=12 s",),
        **dict.fromkeys(("fig-06-07", "fig-08-09", "fig-13-14"), ("duration=20 s", "sample=2 s")),
    }
    short = [replace(e, quick=quick.get(e.plan, ("duration=6 s", "warm_up=3 s"))) for e in PAPER.experiments]
    return at_a_glance(once, PAPER, short, seeds=2)


def test_every_claim_is_measured(glance: Results) -> None:
    all_measured(PAPER, glance)


def test_every_figure_has_its_curves(glance: Results) -> None:
    for figure, one in curves(PAPER, glance):
        assert any(y is not None for y in one.y), (figure, one.name)


def test_logarithmic_axes_have_their_limits_on_screen_too(glance: Results) -> None:
    drawn = {figure.id: figure for figure in PAPER.figures}
    live = interactive(drawn["4"], drawn["4"].series(glance), [])
    assert live["layout"]["yaxis"]["type"] == "log"
    assert live["layout"]["yaxis"]["range"] == pytest.approx([log10(0.8), log10(figures.TOP)])
    live = interactive(drawn["6"], drawn["6"].series(glance), [])
    assert live["layout"]["yaxis"]["range"] == [3.7, 5.2]


def test_what_the_paper_has_after_900_s_stands_at_the_end_of_shorter_runs(glance: Results) -> None:
    marks = [claim.mark for claim in PAPER.claims if claim.mark and claim.mark.last]
    drawn = {figure.id: figure.series(glance) for figure in PAPER.figures if figure.id in ("6", "7", "8", "9")}
    assert {mark.x for mark in marks} == {900}
    assert {mark.within(series).x for mark in marks for series in drawn.values()} == {20.0}


def test_the_title_of_a_panel_is_its_legend(glance: Results) -> None:
    (figure,) = (figure for figure in PAPER.figures if figure.id == "accounts")
    live = interactive(figure, figure.series(glance), [])
    assert not any(trace["showlegend"] for trace in live["data"])


def test_every_scheme_2_figure_has_both_receivers(glance: Results) -> None:
    schemes = set(runs.NAMES.values())
    both = {"scheme 2, dup-ack", "scheme 2, drop"}
    for figure in PAPER.figures:
        series = figure.series(glance) if figure.plans else []
        if figure.id.isdigit() and figure.plans:
            assert schemes <= {one.name for one in series}, figure.id
        said: dict[str, str] = {}
        for one in series:
            said[one.panel] = " | ".join([said.get(one.panel, ""), one.name, *map(str, one.x)])
        for panel, words in said.items():
            if "scheme 2" in words:
                assert {name for name in both if name in words} == both, (figure.id, panel)


def test_what_is_said_of_the_schemes_shows_at_a_glance(glance: Results) -> None:
    def mean(estimate: Estimate) -> float:
        assert estimate.mean is not None
        return estimate.mean

    tail, red, delays = (glance[plan] for plan in ("fig-06-07", "fig-08-09", "fig-13-14"))
    # Scheme 1 gains around RED; scheme 2 loses around tail drop.
    assert mean(runs.percent(runs.one(red, "1"), runs.one(red, "0"), runs.throughput)) > 2
    assert mean(runs.percent(runs.one(tail, "2"), runs.one(tail, "0"), runs.throughput)) < -2
    # Figs. 13 and 14: the near source gets less and the far one more, even if the receiver drops truncated packets.
    for scheme in ("1", "2", "2-drop"):
        near, far = (
            mean(runs.percent(runs.one(delays, scheme), runs.one(delays, "0"), runs.carried(source)))
            for source in (1, 3)
        )
        assert near < 0 < far, scheme
    # With windows of 32 KiB there are no losses, so the schemes have nothing to do.
    small = [s for s in glance["extra-setting"] if setting(s, "max_window") == "32 KiB"]
    assert {runs.drops(one) for s in small for one in s.runs} == {0.0}


def test_in_short_has_its_numbers(glance: Results) -> None:
    assert all(isinstance(value, float) for value in measures.short(glance).values())
    assert PAPER.short(glance)
