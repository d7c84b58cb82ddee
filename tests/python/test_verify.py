"""The checks against other programs, on a few cases; `make verify` runs all of them."""

from __future__ import annotations

import shutil
import sys
from itertools import combinations
from pathlib import Path
from types import ModuleType

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from verify import ns2
from verify.__main__ import names
from verify.checks import (
    closed_forms,
    longest_queue_drop,
    max_min,
    round_robin,
    standards,
    thresholds,
    window_laws,
    wireshark,
)
from verify.frame import Figure, Report, Row, disagreements, page


@pytest.mark.skipif(not ns2.installed(), reason="ns-2 is not installed (Debian: the package ns2)")
def test_four_tcps_send_what_ns2_sends_and_when() -> None:
    verdicts = ns2.compare(ns2.cases(36, seed=1))
    assert [it for it in verdicts if it.difference] == []
    # There were losses to repair, which duplicate acks and the timer found.
    events = [event.kind for it in verdicts for event in it.theirs]
    assert events.count("fast") > 20
    assert events.count("timeout") > 20


@pytest.mark.skipif(not ns2.installed(), reason="ns-2 is not installed (Debian: the package ns2)")
def test_without_its_habits_the_comparison_fails() -> None:
    cases = [case for case in ns2.cases(36, seed=1) if case.transport == "newreno"]
    assert all(it.difference is None for it in ns2.compare(cases))
    assert any(it.difference for it in ns2.compare(cases, own='recovered = "ssthresh"'))


def test_where_two_senders_part_is_said() -> None:
    one = [ns2.Event("send", 0, 0), ns2.Event("timeout", 9), ns2.Event("send", 9, 0)]
    assert ns2.difference(one, one) is None
    assert ns2.difference(one, [*one[:2], ns2.Event("send", 9, 1)]) == "packet 1 carries segment 0, in ns-2 1"
    assert ns2.difference(one, one[:1]) == "2 packets are sent, in ns-2 1"
    assert ns2.difference(one, [one[0], one[2], one[1]]) == "timeout after packets [1], in ns-2 [2]"
    late = [one[0], one[1], ns2.Event("send", 12, 0)]
    assert ns2.difference(one, late) == "send of 0 at 9 us, in ns-2 at 12"


def test_each_case_loses_what_its_pattern_says() -> None:
    for case in ns2.cases(180, seed=3):
        assert case.lost
        assert case.lost[0] < case.segments
        if case.pattern == "last packets":
            assert case.lost[0] >= case.segments - 6
        if case.pattern == "edges of a window":
            assert case.lost[-1] - case.lost[-2] == 1
            assert case.window <= case.lost[-1] - 2 < case.segments
    assert len({(case.window, case.segments) for case in ns2.cases(180, seed=3)}) > 100


def test_a_page_is_made_of_whatever_a_check_reports() -> None:
    shown = page([Report("A", "them", [Row("x", "1", "2", "", True, departs=True)], "above", below="below", order=1)])
    assert "| A | them | 0 | 1 | 0 |" in shown
    assert shown.rstrip().endswith("below")


def test_the_page_shows_what_does_not_agree() -> None:
    rows = [
        Row("one", "1", "1", "identical", True),
        Row("a|b", "1", "2", "±1 %", False, "why"),
        Row("c", "", "", "", None),
    ]
    reports = [Report("Late", "them", rows, order=2), Report("Early", "others", skipped="it is not here", order=1)]
    text = page(reports)
    assert text.index("## Early") < text.index("## Late")
    assert "| Early | others | not run | 0 | 0 |" in text
    assert "| Late | them | 1 | 0 | 1 |" in text
    assert r"| a\|b | 1 | 2 | ±1 % | **no** | why |" in text
    assert "| what | ours | theirs | band | agrees |  |\n|---|---|---|---|---|---|\n| one |" in text
    # A column with nothing in it is left out.
    text = page([Report("It", "them", rows[2:], heads=("requirement", "code", "tests", "band", "agrees", "departure"))])
    assert "| requirement | agrees |\n|---|---|\n| c | – |" in text
    assert disagreements(reports) == ["Late: a|b"]


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_wireshark_sees_what_the_tape_tells() -> None:
    mine, other = wireshark.case("sack", 0.01, 5, limited=False, seed=1)
    assert len(mine.again) > 10
    assert len(mine.fast) > 5
    assert (mine.again, mine.duplicates) == (other.again, other.duplicates)
    assert mine.fast == other.fast - mine.timers
    # Another run makes another list.
    assert wireshark.case("sack", 0.01, 5, limited=False, seed=2)[1].again != other.again


def test_the_page_shows_figures() -> None:
    picture = Figure("it.svg", "What is drawn", "<svg/>")
    assert "![What is drawn](verification/it.svg)" in page([Report("It", "them", text="Words.", figures=[picture])])


def test_every_demand_and_example_of_the_standards_is_met_or_filed() -> None:
    reports = standards.check(True)
    assert disagreements(reports) == []
    assert {report.title[:8]: len(report.rows) for report in reports} == {
        "RFC 5681": 40,
        "RFC 2018": 16,
        "RFC 2883": 16,
        "RFC 6298": 17,
        "RFC 6582": 15,
        "RFC 6675": 33,
        "RFC 8985": 36,
        "RFC 9937": 12,
        "RFC 3522": 3,
        "RFC 5682": 7,
        "RFC 5827": 6,
        "RFC 9438": 23,
        "RFC 9406": 12,
        "RFC 9002": 27,
        "RFC 3168": 11,
        "RFC 8511": 3,
        "RFC 8257": 7,
        "RFC 8289": 5,
        "RFC 8290": 6,
        "RFC 8033": 11,
        "RFC 9332": 24,
        "RFC 9957": 7,
        "RFC 2697": 3,
        "RFC 2698": 2,
        "RFC 7141": 5,
        "RFC 2861": 4,
        "RFC 7661": 16,
        "RFC 9768": 12,
        "BBRv3: t": 22,
    }


@pytest.mark.parametrize("check", [round_robin, max_min, thresholds, longest_queue_drop, closed_forms])
def test_a_closed_form_holds(check: ModuleType) -> None:
    report = check.check(True)
    assert report.rows
    assert disagreements([report]) == []


def test_what_is_not_in_closed_form_is_found() -> None:
    assert closed_forms.mean_row("it", [1.0, 2.0, 3.0, 2.0, 2.0], 4.0).agrees is False
    # Eleven packets at once are one more than the bucket holds; a pause gives the tokens back.
    together = [0.0] * 10
    assert closed_forms.beyond([*together, 0.0]) == closed_forms.BURST + closed_forms.SIZE
    assert closed_forms.beyond([*together, 0.08, *(1.0 for _ in together)]) == closed_forms.BURST


def test_a_fifo_does_not_keep_round_robins_bound() -> None:
    plan = round_robin.packets(1).replace('"fair-queueing"', '"drop-tail"')
    size = {f"flow-{number}": float(mss + 28) for number, (_, mss) in enumerate(round_robin.PACKETS)}
    most = {(a, b): size[a] + size[b] for a, b in combinations(size, 2)}
    assert round_robin.row("a FIFO", plan, [1], size, most).agrees is False


def test_rates_that_are_not_max_min_fair_are_found() -> None:
    capacities, routes = [2.0, 1.0], [[0], [0, 1], [1]]
    assert max_min.flaw(capacities, routes, {}, [1.5, 0.5, 0.5]) == ""
    assert max_min.flaw(capacities, routes, {}, [1.4, 0.5, 0.5]) == "flow 0 has no bottleneck"
    assert max_min.flaw(capacities, routes, {}, [1.4, 0.6, 0.4]) == "flow 2 has no bottleneck"
    assert max_min.flaw(capacities, routes, {}, [1.6, 0.4, 0.6]) == "flow 1 has no bottleneck"
    assert max_min.flaw(capacities, routes, {}, [1.6, 0.5, 0.5]) == "link 0 carries 2.1 of 2.0"
    assert "which is not in" in max_min.flaw(capacities, routes, {"most": [1.0, 1.0, 1.0]}, [1.5, 0.5, 0.5])


def test_other_rules_do_not_keep_longest_queue_drops_bound() -> None:
    floods = longest_queue_drop.adversary(4, 5)
    assert longest_queue_drop.best(4, 2, floods) == 30
    assert longest_queue_drop.sent(longest_queue_drop.RULE, 4, floods) == 26
    for overflow in ("longest-queue-head", "longest-queue-tail"):
        kind = {"kind": "fair-queueing", "overflow": overflow}
        assert longest_queue_drop.worst(kind, 4, 2, [floods]) > longest_queue_drop.two_ports(4)


@pytest.mark.parametrize(("ports", "room"), [(2, 4), (2, 6), (2, 8), (3, 4), (3, 6), (4, 4), (4, 6)])
def test_the_hog_tells_tail_drop_from_longest_queue_drop(ports: int, room: int) -> None:
    slots = longest_queue_drop.hog(room, ports)
    most = longest_queue_drop.bound(ports, room)
    assert longest_queue_drop.worst(longest_queue_drop.RULE, room, ports, [slots]) <= most
    # One packet of the flood departs per slot; the other flows get one place in each slot except the first.
    assert longest_queue_drop.sent(longest_queue_drop.TAIL_DROP, room, slots) == room + 5
    assert longest_queue_drop.worst(longest_queue_drop.TAIL_DROP, room, ports, [slots]) > most


def test_without_thresholds_no_row_of_theirs_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    free = thresholds.PLAN.replace('"dynamic-thresholds"', '"drop-tail"').replace(', alpha = "ALPHA"', "")
    monkeypatch.setattr(thresholds, "PLAN", free)
    rows = [row for row in thresholds.check(True).rows if row.what.startswith("on a line")]
    assert len(rows) == 4
    assert {row.agrees for row in rows} == {False}


def test_a_user_alone_holds_what_the_queue_of_what_lacks_says() -> None:
    assert thresholds.alone(1.0) == pytest.approx(500 - 0.6275, abs=1e-4)
    assert thresholds.alone(2.0) == pytest.approx(667 - 0.6275, abs=1e-4)


def test_every_check_is_found() -> None:
    assert {"ns2_referee", "standards"} <= set(names())


def test_windows_follow_their_laws() -> None:
    # RFC 9438, table 1: RTT 0.1 s, C = 0.4.
    assert [round(window_laws.cubic_window(p, 0.1)) for p in (1e-4, 1e-5, 1e-6)] == [187, 1054, 5926]
    # The Reno-friendly region.
    assert window_laws.cubic_window(1e-3, 0.1) == window_laws.reno_window(1e-3)
    assert window_laws.exponent([1, 2, 4], [3, 12, 48]) == pytest.approx(2)
    for transport in (window_laws.RENO, window_laws.PLAIN):
        got, rate = window_laws.window(transport, 1e-3, 0.1, settled=transport == window_laws.PLAIN)
        assert got == pytest.approx(window_laws.predicted(transport, 1e-3, 0.1), rel=window_laws.WINDOW)
        assert rate == pytest.approx(got / 0.1, rel=0.01)


def test_the_queue_of_dctcp_is_a_sawtooth() -> None:
    got = window_laws.sawtooth(60, 20, 1 / 256)
    assert 21 <= got["top"] <= 22
    assert 5 <= got["amplitude"] <= 7
    assert got["alpha"] == pytest.approx((2 / 80) ** 0.5, rel=0.1)
