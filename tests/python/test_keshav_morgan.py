"""The reproduction of Keshav & Morgan 1997."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conftest import Dupack, Once, all_measured, at_a_glance, curves, of_json
from dupack._native import nominal_load, off_time
from dupack.reproduce import judging
from dupack.reproduce.draw import draw
from dupack.reproduce.folder import load, module
from dupack.reproduce.interactive import interactive
from dupack.reproduce.paper import PAPERS, Estimate, Figure, Measured, Results, Sample, Series
from dupack.reproduce.select import only, setting, where
from dupack.work import read_plan

PAPER = load(PAPERS / "keshav-morgan-1997")
MEASURES: Any = module(PAPER.directory, "measures")
FIGURES: Any = module(PAPER.directory, "figures")
READINGS: Any = module(PAPER.directory, "readings")


def document(**delivered: list[int]) -> Measured:
    """A run with a transient of 20 s and samples every 20 s."""
    times = [20.0 * i for i in range(len(next(iter(delivered.values()))))]
    return Measured({"warm_up_s": 20.0, "series": {"time_s": times, "delivered": delivered}})


def test_goodput_is_the_share_of_the_backbone_in_every_interval() -> None:
    # 8 Mb/s carry at most 40,000 packets of 500 bytes in 20 s; the transient is not counted.
    packets = 40_000 * 460
    run = document(pair=[0, 5, 5 + packets // 2, 5 + packets], static=[0, 7, 7, 7 + packets // 4])
    assert MEASURES.goodput(run) == pytest.approx([0.5, 0.75])
    assert MEASURES.goodputs("pair")(run) == pytest.approx([0.5, 0.5])
    assert MEASURES.goodputs(each=True)(run) == pytest.approx([0.25, 0.375])


def test_a_reading_chooses_what_a_packet_is_and_which_loads_are_overload() -> None:
    # The same packets with 500 bytes of payload each.
    packets = 40_000 * 500
    run = document(user=[0, 5, 5 + packets // 2])
    assert MEASURES.goodput(Measured(run.document, options={"packet": "payload"})) == pytest.approx([0.5])
    offs = ["1850 ms", "850 ms", "50 ms"]

    def loads(options: dict[str, str]) -> list[float]:
        runs = [Measured({}, options=options)]
        samples = [Sample({"flow.user.traffic.off": off}, runs) for off in offs]
        return [round(MEASURES.load(sample), 2) for sample in MEASURES.overloaded(samples)]

    assert loads({}) == [1, 5]
    assert loads({"overload": "highest"}) == [5]


def test_a_mean_over_intervals_has_the_papers_interval() -> None:
    # Eqs. 2 and 3: the variance of the mean of 1, 2, 3 is (1 + 0 + 1) / (3 * 2).
    sample = Sample({}, [Measured({"values": [1.0]}), Measured({"values": [2.0, 3.0]})])
    found = sample.estimate(lambda run: run.document["values"])
    assert found.mean == 2.0
    assert found.half == pytest.approx(1.96 / 3**0.5)
    assert Estimate.of_intervals([]) == Estimate(None)


@pytest.mark.parametrize("plan", ["fig-03", "fig-04", "fig-05"])
def test_the_loads_are_those_of_the_paper(plan: str) -> None:
    settings = read_plan(PAPER.plan_file(plan)).points
    loads = {round(MEASURES.load(Sample(each, [])), 2) for each in settings}
    assert min(loads) == 0.5
    assert max(loads) == 5.0
    assert MEASURES.SOURCES * nominal_load(0.1, 0.05, off_time(0.25, 0.1, 0.05)) == pytest.approx(2.5)


B_25 = {"queue.buffer": "25 packets", "traffic.off": "50 ms"}
ISOLATED = {"mean_burst": "1 packet", "*loss.rate": 0.01}


@pytest.mark.parametrize(
    ("one", "other", "settings", "mine"),
    [
        ("fig-03", "section-4", B_25, {}),
        ("fig-04", "fig-03", B_25, {}),
        ("fig-07", "section-7", ISOLATED, {"max_window": "600 segments", "buffer": False}),
    ],
)
def test_plans_that_a_claim_compares_differ_only_in_the_sender(
    one: str, other: str, settings: dict[str, Any], mine: dict[str, Any]
) -> None:
    def experiment(name: str, settings: dict[str, Any]) -> set[str]:
        plan = read_plan(PAPER.plan_file(name))
        samples = [Sample(point, []) for point in plan.points]
        return set(plan.key(samples.index(only(samples, settings))).splitlines())

    different = experiment(one, {**settings, **mine}) ^ experiment(other, settings)
    sender = (
        "control",
        "repair",
        "window",
        "gain",
        "set_point",
        "filtered",
        "law",
        "lost_retransmission",
        "tracking",
        "slack",
    )
    timer = ("tick", "min_rto", "initial_rto", "timeout_keeps_duplicates", "go_back") if other == "section-7" else ()
    paths = {line.partition(" = ")[0] for line in different}
    assert paths <= {f"flow.user.transport.{key}" for key in (*sender, *timer)}
    assert "flow.user.transport.repair" in paths or "flow.user.transport.control" in paths


@pytest.mark.parametrize(
    ("plan", "changes"),
    [
        ("extra-go-back-n", READINGS.GO_BACK_N),
        ("extra-smart", READINGS.SMART),
        ("extra-mix", READINGS.MIX),
    ],
)
def test_every_reading_that_is_run_is_shown_once(plan: str, changes: dict[str, dict[str, Any]]) -> None:
    samples = [Sample(settings, []) for settings in read_plan(PAPER.plan_file(plan)).points]
    shown = [id(sample) for change in changes.values() for sample in READINGS.changed(samples, change)]
    assert len(set(shown)) == len(shown) == len(samples)


def test_a_reading_changes_these_settings_and_no_others() -> None:
    off, each, never = {"flow.*.traffic.off": "50 ms"}, {"flow.*.transport.tracking": "each"}, {"backoff": False}
    samples = [Sample(settings, []) for settings in (off, off | each, off | each | {"flow.*.transport.backoff": False})]
    assert READINGS.changed(samples, {}) == samples[:1]
    assert READINGS.changed(samples, {"tracking": "each"}) == samples[1:2]
    assert READINGS.changed(samples, {"tracking": "each", **never}) == samples[2:]
    assert READINGS.changed(samples, never) == [], "False is a value, not the absence of one"


def test_an_interval_that_contains_the_bound_decides_nothing() -> None:
    assert MEASURES.no_rise([Estimate(-0.1, 0.05), Estimate(0.0, 0.01)]) is True
    assert MEASURES.no_rise([Estimate(-0.1, 0.05), Estimate(0.0, 0.03)]) is None
    assert MEASURES.no_rise([Estimate(0.05, 0.04), Estimate(0.0, 0.03)]) is False


def test_the_equations_are_drawn() -> None:
    five = FIGURES.eq_5(0.1)
    assert five.y[0] == 1.0
    assert five.x[-1] == pytest.approx(0.04), "1 - r W^2 / 4 is zero at r = 0.04 %"
    half = FIGURES.eq_5(0.1, part=0.5)
    assert half.x[-1] == pytest.approx(0.08)
    assert FIGURES.eq_6(5).y[-1] == pytest.approx(0.95**2)


SIDEWAYS = Figure("id", "title", "shows", "", "goodput [share]", (), lambda results: [], limits=(0, 1), flat=True)


def test_words_stand_down_the_side_of_a_flat_figure() -> None:
    series = [
        Series("load 1", ["first, one", "second"], [0.2, 0.4], [0.1, None], of="smart"),
        Series("load 5", ["second"], [0.6], [0.1], of="smart", shade=0.5),
        Series("paper", [0], [0.5], [None], kind="reference"),
    ]
    drawn = draw(SIDEWAYS, series, [])
    assert b"first, one" in drawn["svg"]
    assert drawn["png"].startswith(b"\x89PNG")
    live: dict[str, Any] = interactive(SIDEWAYS, series, [])
    axis = live["layout"]["yaxis"]
    assert axis["ticktext"] == ["first, one", "second"]
    assert axis["range"] == [1.5, -0.5], "the first is on top"
    one, five, paper = live["data"]
    assert one["x"] == [0.2, 0.4]
    assert [round(y) for y in one["y"]] == [0, 1]
    assert [round(y) for y in five["y"]] == [1]
    assert paper["x"] == [0.5, 0.5]


def test_a_figure_in_two_parts_is_asked_for_by_its_number(dupack: Dupack, tmp_path: Path) -> None:
    done = dupack("reproduce", "keshav-morgan-1997", "--figure", "5", "--quick", "--out", "here", "--json")
    found = of_json(done)
    assert found["paper"] == "keshav-morgan-1997"
    assert [figure["id"] for figure in found["figures"]] == ["5ab", "5cd"]
    for figure in found["figures"]:
        names = [series["name"] for series in figure["series"]]
        assert len(names) == len(set(names)) == 8
        for series in figure["series"]:
            assert len(series["x"]) == len(series["y"]) == len(series["ci95"])
    where = {claim["id"] for claim in found["claims"]}
    assert {"mix-majority", "mix-single-pair"} <= where
    assert "mix-gains-at-the-expense" not in where, "it compares with Fig. 3, which was not run"
    page = (tmp_path / "here" / "report.html").read_text()
    assert "1.96 standard deviations" in page
    assert "1</b> seed per point" in page
    json.loads((tmp_path / "here" / "data" / "fig-05.json").read_text())


@pytest.fixture(scope="module")
def glance(once: Once) -> Results:
    """All experiments with two intervals of 10 s, and few of their points."""

    def few(settings: dict[str, Any]) -> bool:
        sample = Sample(settings, [])
        rates = {value for path, value in settings.items() if path.endswith("rate") and not isinstance(value, str)}
        loaded = setting(sample, "traffic.off") is None or round(MEASURES.load(sample), 2) in (0.5, 1, 5)
        return loaded and rates <= {0, 0.00005, 0.001, 0.01, 0.05}

    quick = ("duration=40 s", "sample=10 s")
    short = [replace(one, quick=quick, quick_keep=few) if one.plan != "section-6" else one for one in PAPER.experiments]
    return at_a_glance(once, PAPER, short)


def test_every_claim_is_measured(glance: Results) -> None:
    all_measured(PAPER, glance)


def test_every_figure_has_its_curves(glance: Results) -> None:
    for figure, one in curves(PAPER, glance):
        assert all(y is not None and -0.001 <= y <= 1.1 for y in one.y), (figure, one.name)


def test_the_order_of_the_papers_curves_shows_at_a_glance(glance: Results) -> None:
    # At load 5 with a quarter of a window of buffer: go-back-n < static window with SMART < packet-pair with SMART.
    ends = [MEASURES.at_load(where(glance[plan], buffer="25 packets"), 5) for plan in ("fig-02", "fig-03", "fig-04")]
    low, middle, high = (MEASURES.mean(end) for end in ends)
    assert low < middle < high
    # With random losses of 1 %, TCP stays below a fifth; packet-pair with SMART comes close to (1 - r)^2.
    tahoe = only(MEASURES.tcp(glance, "tahoe", "1 packet"), rate=0.01)
    pair = only(MEASURES.lossy(glance, "1 packet", 600), rate=0.01)
    assert 0 < MEASURES.mean(tahoe) < 0.2
    assert MEASURES.mean(pair) > 0.95
    # One loss costs Reno a little more than the W^2 / 8 of eq. 4, and costs Tahoe more than Reno.
    cost = judging.judge(next(c for c in PAPER.claims if c.id == "equation-4"), PAPER, glance)
    assert 1250 < cost["measured"] < 1500
