"""YATS as a judge of cells: what is told, what is read, and verdicts, with the results that are kept of it."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from dupack import Plan
from verify import yats, yats_epd
from verify.checks.yats import ABR, EPD, SEEDS, Setting, epd_row, key_of, rates_row, rows_of, settled_row
from verify.yats_abr import RULES, Courses, settled
from verify.yats_epd import Epd, joined

KEPT = yats.kept()
COURSES = Courses(low=[10.0, 40.0], mean=[10.0, 45.0], high=[10.0, 50.0], used=[1.0], settled_ms=[100, 120])


def test_a_packet_without_its_last_cell_takes_the_next_one_with_it() -> None:
    whole, damaged, delimited, headless = (3, 3, 9), (3, 2, -1), (3, 1, 9), (3, 0, -1)
    assert joined([whole, whole]) == [9, 9]
    assert joined([delimited, whole]) == [None, 9]
    assert joined([damaged, whole, whole]) == [None, None, 9]
    assert joined([headless, whole]) == [None, 9]


def test_a_rate_is_found_when_it_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.yats_abr.STAYS_MS", 2)
    fair = [100.0, 50.0]
    near, far = [109.0, 46.0], [111.0, 50.0]
    assert settled([far, near, far, near, near], fair) == 3
    assert settled([near, near, far], fair) == 0
    assert settled([near, far, near], fair) is None


def test_both_sides_are_told_the_same_packets() -> None:
    case = Epd(3, 1.2, 20, 0.5, range(2, 9), packets=30)
    vcs = case.drawn()
    asked = case.asked(vcs)
    # YATS refuses at its threshold, dupack above it.
    assert list(asked.words) == ["epd", "40", "20", "11", "1"]
    assert case.asked(vcs, more=1).words[2:4] == ["20", "12"]
    assert replace(case, threshold=None).asked(vcs, more=1).words[2:4] == ["21", "22"]
    cells = [tuple(map(int, line.split())) for line in asked.lines]
    assert len(cells) == 30
    arrivals = [first + n * spacing for _, first, many, spacing in cells for n in range(many)]
    assert len(set(arrivals)) == len(arrivals)
    for vc in vcs:
        assert all((it.size + 8 + 47) // 48 == it.cells for it in vc.packets)
    links = {it["name"]: it for it in tomllib.loads(case.plan(vcs))["link"]}
    assert links["bottleneck"]["queue"] == {"kind": "epd", "buffer": "20 cells", "threshold": 0.5}


@pytest.mark.parametrize("setting", ABR, ids=lambda it: it.what)
def test_plans_of_abr_are_plans(setting: Setting) -> None:
    case = setting.case.drawn(1)
    assert Plan(case.plan().encode(), "yats", []).points == [{}]
    assert case == setting.case.drawn(1) != setting.case.drawn(2)
    assert len(case.asked("yats").lines) == len(case.sources) == len(case.fair())


def test_results_are_kept_for_every_setting() -> None:
    assert KEPT is not None
    wanted = {it.asked(it.drawn()).key for it in EPD}
    for setting in ABR:
        runs = [setting.case.drawn(seed) for seed in SEEDS]
        wanted |= {key_of(runs, rules) for rules in RULES}
    assert KEPT.results.keys() == wanted


@pytest.mark.parametrize(("case", "verdict"), [(EPD[5], "yes"), (EPD[-1], "departs")], ids=["EPD", "one cell"])
def test_packets_have_the_fates_that_they_had_in_yats(case: Epd, verdict: str) -> None:
    assert KEPT is not None
    row = rows_of(case, KEPT.results)
    assert row.verdict == verdict
    assert rows_of(case, {}).agrees is None
    vcs = case.drawn()
    theirs = yats_epd.Judged(**KEPT.results[case.asked(vcs).key])
    other = yats_epd.of_dupack(replace(case, buffer=case.buffer - 1), vcs)
    assert not epd_row(case, other, theirs).agrees


def test_a_difference_is_a_departure_only_if_its_reason_explains_it() -> None:
    fairness = replace(ABR[4], case=replace(ABR[4].case, sources=ABR[4].case.sources[:2]))

    def verdicts(unlike: Sequence[str]) -> list[str]:
        other = replace(COURSES, high=[10.0, 60.0], settled_ms=[300, None])
        theirs = {rules: other if rules in unlike else COURSES for rules in RULES}
        return [row(fairness, COURSES, theirs).verdict for row in (rates_row, settled_row)]

    assert verdicts([]) == ["yes", "yes"]
    assert verdicts(["yats"]) == ["departs", "departs"]
    assert verdicts(["yats", "memory"]) == ["**no**", "departs"]
    assert verdicts(["yats", "plus"]) == ["departs", "**no**"]


@pytest.mark.skipif(yats.missing() is not None, reason=str(yats.missing()))
def test_yats_gives_what_is_kept() -> None:
    assert KEPT is not None
    case = EPD[0]
    vcs = case.drawn()
    with yats.program() as binary:
        theirs = yats_epd.of_yats(binary, case, vcs)
    assert yats_epd.Judged(**KEPT.results[case.asked(vcs).key]) == theirs
