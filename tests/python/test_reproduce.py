"""``dupack reproduce``: machinery and papers."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from conftest import Dupack, interrupted, of_json
from dupack.reproduce import papers, report
from dupack.reproduce.compare import mean_of, mean_paired, paired
from dupack.reproduce.folder import is_plan, module
from dupack.reproduce.judging import in_brief, undecided
from dupack.reproduce.paper import Claim, Estimate, Figure, Finding, Measured, Paper, Sample, Series
from dupack.reproduce.verdicts import above
from dupack.work import read_plan

PAPERS = papers.all_papers()
FIGURES = [pytest.param(paper, figure, id=f"{paper.key}-{figure.id}") for paper in PAPERS for figure in paper.figures]


class Loads(HTMLParser):
    """What a page would fetch when it opens."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.styles = ""
        self._style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._style = tag == "style"
        for name, value in attrs:
            fetched = name in ("src", "srcset", "data", "poster", "background") or (tag == "link" and name == "href")
            if fetched and value and not value.startswith("data:"):
                self.found.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        if self._style:
            self.styles += data


def page_of(place: Path) -> str:
    """The report, which must load nothing."""
    page = (place / "report.html").read_text()
    loads = Loads()
    loads.feed(page)
    assert loads.found == []
    assert "url(" not in loads.styles
    assert "@import" not in loads.styles
    return page


def test_what_is_seen_of_a_figure_may_be_made_of_the_runs(tmp_path: Path) -> None:
    (figure,) = [figure for figure in PAPERS[0].figures if figure.id == "17"]
    made = replace(figure, ours=lambda results: f"{len(results)} plans <b>\n\n- one\n- two\n\nThe end.", tables=())
    told = made.told({"a": []})
    how = report.How(quick=False, seeds="1", runs=1, seconds=1.0, whole=False, full=True, short="")
    (tmp_path / "figures").mkdir()
    series = [Series("it", [1.0, 2.0], [1.0, 2.0], [None, None])]
    report.write(PAPERS[0], [(told, series)], {}, [], [], how, tmp_path)
    page = page_of(tmp_path)
    assert "<p><b>Our version.</b> 1 plans &lt;b&gt;</p>" in page
    points, rest = page.split('<ul class="points">')[1].split("</ul>")[0], page.split("</ul>", 2)[-1]
    assert points.split() == ["<li>one</li>", "<li>two</li>"]
    assert "<p>The end.</p>" in rest
    assert figure.told({}) is figure, "words need no runs"


def test_one_figure_is_reproduced(dupack: Dupack, tmp_path: Path) -> None:
    done = dupack(
        "reproduce", "cohen-hamo-2001", "--figure", "17", "--quick", "--seeds", "4", "--out", "here", "--json"
    )
    document = of_json(done)
    here = tmp_path / "here"
    assert document == json.loads((here / "results.json").read_text())
    assert document["paper"] == "cohen-hamo-2001"
    (figure,) = document["figures"]
    assert {"id", "title", "x", "y", "series"} <= set(figure)
    series, *events = figure["series"]
    assert [event["name"].split(" (")[0] for event in events] == ["segment lost", "fast retransmit", "timeout"]
    assert {"name", "x", "y", "ci95"} == set(series)
    assert len(series["x"]) == len(series["y"]) == len(series["ci95"]) > 100
    assert series["x"] == sorted(series["x"])

    (claim,) = document["claims"]
    assert {"where", "what", "published", "measured", "low", "high", "agrees", "note"} <= set(claim)
    assert claim["published"] == 18
    assert claim["low"] < claim["measured"] < claim["high"]

    assert (here / "figures" / "fig-17.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (here / "figures" / "fig-17.svg").read_text()
    page = page_of(here)
    assert page.count("plotly.js v") == 1, "plotly.js is inlined once"
    assert "A first look." in page
    assert (PAPERS[0].plan_file("fig-17").read_text().splitlines()[0]) in page
    data = json.loads((here / "data" / "fig-17.json").read_text())
    assert [len(point["runs"]) for point in data["points"]] == [4]


def test_a_reproduction_is_the_same_twice(dupack: Dupack, tmp_path: Path) -> None:
    asked = ("reproduce", "cohen-hamo-2001", "--figure", "20", "--quick", "--seeds", "2", "--json")
    first = dupack(*asked, "--out", "one", "--threads", "1")
    second = dupack(*asked, "--out", "two", "--threads", "2")
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    assert [figure["id"] for figure in json.loads(first.stdout)["figures"]] == ["20a", "20b"]
    for name in ("fig-20a.svg", "fig-20a.png", "fig-20b.svg"):
        one, two = (tmp_path / place / "figures" / name for place in ("one", "two"))
        assert one.read_bytes() == two.read_bytes(), name


def test_a_whole_paper_is_reproduced_for_people(dupack: Dupack, tmp_path: Path) -> None:
    done = dupack("reproduce", "lai-lin-hung-1999", "--quick", "--seeds", "2")
    assert done.returncode == 0, done.stderr
    assert re.search(r"place +claim +published +measured +agrees", done.stdout)
    assert "A first look (--quick)" in done.stdout
    assert done.stdout.splitlines()[-2:] == [
        "report: out/quick/lai-lin-hung-1999/report.html",
        "all papers: out/quick/index.html",
    ]
    overview = (tmp_path / "out" / "quick" / "index.html").read_text()
    assert 'href="lai-lin-hung-1999/report.html"' in overview
    assert "keshav" not in overview

    (paper,) = (paper for paper in PAPERS if paper.key == "lai-lin-hung-1999")
    place = tmp_path / "out" / "quick" / paper.key
    page = page_of(place)
    # What a folder says of its runs is said of full runs.
    assert any(figure.ours for figure in paper.figures)
    assert "Our version." not in page
    results = json.loads((place / "results.json").read_text())
    assert [figure["id"] for figure in results["figures"]] == [figure.id for figure in paper.figures]
    for figure in paper.figures:
        for kind in ("svg", "png"):
            assert (place / "figures" / f"{figure.file}.{kind}").stat().st_size > 2000
        assert f'id="{figure.file}"' in page
    assert len(results["claims"]) == len(paper.claims)
    for claim in results["claims"]:
        assert claim["measured"] is not None, claim["id"]
        # If a claim is undecided, its interval is too wide. A finding that is a sentence has no interval.
        if claim["agrees"] is None and not isinstance(claim["measured"], str):
            assert claim["high"] - claim["low"] > 0, claim["id"]
    for experiment in paper.experiments:
        json.loads((place / "data" / f"{experiment.plan}.json").read_text())


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (["cohen-hamo-2010"], 'unknown paper "cohen-hamo-2010"; did you mean "cohen-hamo-2001"?'),
        (
            ["cohen-hamo-2001", "--figure", "19"],
            "cohen-hamo-2001 has no reproduced figure 19; it has",
        ),
        (["cohen-hamo-2001", "--table", "1"], "cohen-hamo-2001 has no table 1; it has figures losses, 3,"),
        (["cohen-hamo-2001", "--figure", "3", "--out", "file"], "--out file: cannot be written: "),
        (["--figure", "99"], "no paper has a reproduced figure 99; papers: cohen-hamo-2001, keshav-"),
    ],
)
def test_what_cannot_be_done_is_told_at_once(dupack: Dupack, tmp_path: Path, asked: list[str], error: str) -> None:
    (tmp_path / "file").write_text("")
    done = dupack("reproduce", *asked)
    assert done.returncode == 2
    assert done.stderr.startswith(error)
    assert not (tmp_path / "out").exists()


def test_ctrl_c_keeps_finished_experiments_and_says_so(tmp_path: Path) -> None:
    figure = ["cohen-hamo-2001", "--figure", "14", "--seeds", "50", "--out", "here"]
    done = interrupted(tmp_path, 2, "reproduce", *figure)
    assert done.returncode == 130
    told = re.match(r"interrupted: (\d+) of 1,050 runs had finished; the same command goes on from there", done.stderr)
    assert told
    assert int(told[1]) >= 2
    for path in (tmp_path / "here" / "data").glob("*.json"):
        json.loads(path.read_text())
    again = interrupted(tmp_path, 1, "reproduce", *figure)
    assert f"{told[1]} of 1,050 runs had already finished" in again.stderr


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.key)
def test_every_claim_has_a_place_and_a_measure(paper: Paper) -> None:
    claims = paper.claims
    ids = [claim.id for claim in claims]
    assert len(set(ids)) == len(ids)
    assert set(ids) == set(paper.measures), "a claim without a measure, or a measure without a claim"
    figures = {figure.id for figure in paper.figures}
    plans = {experiment.plan for experiment in paper.experiments}
    for claim in claims:
        assert claim.where, claim.id
        assert claim.what, claim.id
        assert not re.search(r"the same\b", claim.what), f"{claim.id}: lists of claims leave out the one before"
        assert claim.figure in figures | {""}, claim.id
        assert plans >= set(paper.measures[claim.id].plans), claim.id
        if isinstance(claim.published, str):
            assert claim.tolerance is None, claim.id
            assert claim.relation == "about", claim.id
        else:
            assert (claim.relation == "about") == (claim.tolerance is not None), claim.id
        mark = claim.mark
        if mark and mark.y_to is None and (mark.x is not None or mark.y is not None):
            assert claim.published in (mark.x, mark.y), claim.id


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.key)
def test_every_plan_of_a_paper_is_right_and_used(paper: Paper) -> None:
    plans = {path.stem for path in paper.directory.glob("*.toml") if is_plan(path)}
    assert plans == {experiment.plan for experiment in paper.experiments}
    for experiment in paper.experiments:
        for sets in ((), experiment.quick):
            plan = read_plan(paper.plan_file(experiment.plan), sets)
            assert experiment.special or len(plan.seeds) >= experiment.quick_seeds
            assert any(experiment.quick_keep(settings) for settings in plan.points)
    readme = (paper.directory / "README.md").read_text()
    for name in plans:
        assert f"`{name}.toml`" in readme, name


@pytest.mark.parametrize(("paper", "figure"), FIGURES)
def test_every_figure_names_its_axes_with_units(paper: Paper, figure: Figure) -> None:
    axes = [panel.y for panel in figure.panels.values()] if figure.panels else [figure.x, figure.y][figure.flat :]
    for axis in axes:
        assert "[" in axis or "share" in axis or "in " in axis, axis
    assert set(figure.plans) <= {experiment.plan for experiment in paper.experiments}
    assert figure.shows


def test_the_numbers_of_the_text_are_there() -> None:
    # The numbers that issue 2 names, and all of Fig. 20's table.
    text = (PAPERS[0].directory / "published.toml").read_text()
    published = {entry["published"] for entry in tomllib.loads(text)["claim"]}
    assert {0.741, 0.75, 0.932, 0.49, 0.92, 18, "none", 25.5, 0.7} <= published
    assert {24, 22, 3, 34, 0.454, 0.517, 0.910, 0.193, 0.995, 0.702, 0.584, 0.662} <= published
    assert {0, 0.8122, 0.8216, 0.8109, 0.8228, 0.999, 0.98} <= published


NUMBER = Claim("id", "§1", "what", 10.0, tolerance=0.5)


@pytest.mark.parametrize(
    ("claim", "finding", "agrees"),
    [
        (NUMBER, Finding(10.4), True),
        (NUMBER, Finding(10.6), False),
        (NUMBER, Finding(10.6, 0.2), True),  # the interval reaches the published value's rounding
        (NUMBER, Finding(12.0, 0.2), False),
        (NUMBER, Finding(12.0, 5.0), None),  # so wide that it would reach anything
        (NUMBER, Finding(10.4, 5.0), None),  # the mean alone says nothing
        (NUMBER, Finding(10.0, 0.5), True),
        (NUMBER, Finding(10.4, 0.9), True),  # it contains a bound, but it is narrow
        (Claim("id", "§1", "what", 10.0, tolerance=4.0), Finding(9.0, 2.0), True),  # wide, but all within the tolerance
        (Claim("id", "§1", "what", 10.0, tolerance=4.0), Finding(9.0, 4.0), None),
        (NUMBER, Finding(None), None),
        (NUMBER, Finding(10.4, apart=[Finding(9.0), Finding(12.0)]), False),
        (NUMBER, Finding(10.4, apart=[Finding(9.0), Finding(10.2)]), None),
        (NUMBER, Finding(12.0, apart=[Finding(10.1), Finding(10.2)]), True),
        (Claim("id", "§1", "what", 10.0, relation=">"), Finding(10.0), False),
        (Claim("id", "§1", "what", 10.0, relation=">="), Finding(10.0), True),
        (Claim("id", "§1", "what", 10.0, relation=">="), Finding(10.5, 0.4), True),
        (Claim("id", "§1", "what", 10.0, relation=">="), Finding(10.5, 0.6), None),  # the interval contains the bound
        (Claim("id", "§1", "what", 10.0, relation="<"), Finding(9.5, 0.6), None),
        (Claim("id", "§1", "what", 10.0, relation="<"), Finding(11.0, 0.6), False),
        (Claim("id", "§1", "what", "more"), Finding(3.0, agrees=True), True),
    ],
)
def test_verdicts(claim: Claim, finding: Finding, agrees: bool | None) -> None:
    assert claim.agrees(finding) is agrees


NAMES = {"4": "Fig. 4", "open": "Extra, open"}
FEW = "The runs that would decide them are too few, vary too much, or are the same for every seed."


def judged(*figures: str | None) -> list[dict[str, Any]]:
    """A claim that agrees, and claims of these figures that cannot be said."""
    left = [
        {"id": f"c{at}", "what": f"claim {at}", "where": f"§{at}", "figure": figure, "agrees": None}
        for at, figure in enumerate(figures)
    ]
    return [{"id": "yes", "what": "claim", "where": "§9", "figure": "4", "agrees": True}, *left]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (judged(), "The runs decide every claim."),
        (judged("4"), "Nothing can be said of 1 of the 2 claims: claim 0 (§0). "
                      "The runs that would decide it are too few, vary too much, or are the same for every seed."),
        (judged("4", None), f"Nothing can be said of 2 of the 3 claims: claim 0 (§0) and claim 1 (§1). {FEW}"),
        (judged("4", "4", "open", None), "Nothing can be said of 4 of the 5 claims: "
                                         f'2 of Fig. 4, 1 of "Extra, open" and 1 other. {FEW}'),
    ],
)  # fmt: skip
def test_what_the_runs_do_not_decide_is_said(rows: list[dict[str, Any]], told: str) -> None:
    assert undecided(rows, NAMES) == told


def test_what_no_reading_decides_is_said() -> None:
    rows = judged("4", None)
    claims = [Claim(row["id"], row["where"], row["what"], 1.0) for row in rows]
    elsewhere = undecided(rows, NAMES, [])
    assert elsewhere.endswith(f"{FEW} Each of them is decided under some other reading that was tried.")
    # The first one agrees in these runs.
    assert undecided(rows, NAMES, claims[:1]) == elsewhere
    never = undecided(rows, NAMES, claims[:2])
    assert never.endswith(f"{FEW} No reading that was tried decides this: claim 0 (§0).")
    assert undecided(rows, NAMES, claims).endswith("decides these: claim 0 (§0) and claim 1 (§1).")
    assert undecided(judged(), NAMES, []) == "The runs decide every claim."


def test_a_first_look_says_why_claims_cannot_be_said() -> None:
    assert in_brief(judged("open", "open"), NAMES) == (
        "Of 3 claims, 1 agrees, 0 do not agree, and 2 cannot be said: "
        "the runs that would decide them are too few, vary too much, or are the same for every seed. "
        'No claim agrees in "Extra, open".'
    )
    assert in_brief(judged(), NAMES) == "Of 1 claims, 1 agrees, 0 do not agree, and 0 cannot be said."


def test_estimates_leave_out_what_has_no_value() -> None:
    assert Estimate.of([]) == Estimate(None, None)
    assert Estimate.of([2.0]) == Estimate(2.0, None)


def goodputs(*values: float, other: float = 0.0) -> Sample:
    """Runs of as many seeds; ``other`` is another measure, in the last run."""
    every = [Measured({"seed": i, "cpu_s": i / 7, "goodput": value, "other": 0.0}) for i, value in enumerate(values)]
    every[-1].document["other"] = other
    return Sample({}, every)


def test_runs_that_differ_in_nothing_are_one_run() -> None:
    def goodput(run: Measured) -> float:
        return float(run.document["goodput"])

    alike, also, apart = goodputs(2.0, 2.0, 2.0), goodputs(3.0, 3.0, 3.0), goodputs(2.0, 2.0, 2.0, other=1.0)
    assert alike.estimate(goodput) == Estimate(2.0, None)
    # The same goodput in runs that differ has an interval, of width 0.
    assert apart.estimate(goodput) == Estimate(2.0, 0.0)
    for compared in (paired(also, alike, goodput), mean_paired([(also, alike), (also, alike)], goodput)):
        assert compared == Estimate(1.0, None)
    assert mean_of([alike, also], goodput) == Estimate(2.5, None)
    assert above(paired(also, alike, goodput)).agrees is None
    # A plan that depends on the seed has pairs with one that does not.
    assert paired(also, apart, goodput) == Estimate(1.0, 0.0)
    assert mean_paired([(also, apart)], goodput) == Estimate(1.0, 0.0)


def test_the_tape_of_a_window_is_read() -> None:
    measures = module(PAPERS[0].directory, "measures")
    assert measures is not None
    tape = """time_s,flow,event,segment,cwnd,ssthresh
0.000000000000,bulk-0,send,0,1,64
1.000000000000,bulk-0,cwnd,1,4,64
2.000000000000,bulk-0,drop,1,4,64
2.000000000000,bulk-1,send,0,1,64
3.000000000000,bulk-0,timeout,1,1,2
4.000000000000,bulk-0,cwnd,1,1.25,2
"""
    kept = measures.windows(tape)
    curve: list[Any] = kept.cwnd["bulk-0"]
    assert curve[:2] == [(0.0, 1.0), (1.0, 4.0)]
    assert (3.0, 1.0) in curve
    assert kept.losses == {"bulk-0": [(2.0, 1)]}
    assert kept.mean["bulk-0"] == pytest.approx((1 * 1 + 4 * 2 + 1 * 1) / 4)
