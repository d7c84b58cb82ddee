"""Linux in a process as a judge: what both sides are told, what is read, and verdicts; `make verify` has the rest."""

from __future__ import annotations

import json
import re
import socket
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dupack as dk

sys.path.insert(0, str(Path(__file__).parents[2]))

from dupack.work import Plan
from verify import linux_late, linux_rows, uml
from verify.checks import linux_hosts, linux_queues
from verify.checks.live_kernel import QUICK, _cases, _simulated
from verify.guest import make_runs
from verify.linux_cases import BURST, Case, Flow, Variant, choke, codel, ewma, fifo, fq_codel, pie, red
from verify.linux_choke import LinuxChoke
from verify.linux_codel import LinuxCodel
from verify.linux_dctcp import LinuxDctcp
from verify.linux_fq_codel import LinuxFqCodel
from verify.linux_reasons import CHANGES
from verify.linux_rows import Band, Change, Comparison, barely, chance, marks, medians, of_linux, outside, simulated
from verify.live_kernel_reasons import _own, lateness
from verify.smoothed import smoothed

CASE = Case(10, codel(ecn=True), (Flow("cubic", 20), Flow("udp", 20, 4.0)), True, 1, 3)
CASES = [*linux_hosts.cases(), *linux_queues.cases()]


def info(**values: int) -> dict[str, int]:
    return {"retransmitted": 0, "acks": 50, "data_segments_out": 100, **values}


def flow(goodput: float, srtt_ms: float, **values: int) -> dict[str, Any]:
    none = dict.fromkeys(make_runs.COUNTERS, 0)
    return {
        "goodput_bps": goodput,
        "srtt_us": {"p50": srtt_ms * 1e3, "p95": srtt_ms * 2e3, "max": srtt_ms * 3e3},
        "info_at_warm_up": info(acks=0, data_segments_out=0),
        "info": info(**values),
        "netstat_at_warm_up": none,
        "netstat": none | {"TCPTimeouts": 2},
    }


def found(*flows: dict[str, Any], stall_ms: float = 1.0) -> dict[str, Any]:
    return {
        "flows": list(flows),
        "qdisc_at_warm_up": {"drops": 3, "ecn_mark": 1},
        "qdisc": {"drops": 10, "ecn_mark": 6},
        "stall_ms": stall_ms,
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_both_sides_are_told_the_same(case: Case) -> None:
    asked, plan = case.asked(1), tomllib.loads(case.plan())
    links = {link["name"]: link for link in plan["link"]}
    bucket = links["bottleneck"]["queue"]
    assert bucket["rate"] == f"{asked['rate_bps'] // 10**6} Mb/s"
    assert bucket["burst"] == f"{asked['burst']} B"
    assert (plan["warm_up"], plan["duration"]) == (f"{asked['warm_up_s']} s", f"{asked['duration_s']} s")
    # Echo requests, which measure the lateness of acks, bypass the bottleneck; the simulator has none.
    flows = [flow for flow in asked["flows"] if flow["control"] != "pings"]
    assert (len(flows) < len(asked["flows"])) == case.timed
    for n, (told, one) in enumerate(zip(flows, plan["flow"], strict=True)):
        assert links[f"access-{n}"]["back_delay"] == f"{told['rtt_ms']} ms"
        transport = one["transport"]
        if told["control"] == "udp":
            bits = 8 * (told["payload"] + 42)
            assert bits / told["every_s"] == pytest.approx(float(one["traffic"]["rate"].split()[0]) * 1e6)
        else:
            assert told["control"] in (transport["kind"] if "kind" in transport else transport["control"])
            assert transport.get("ecn", True) == asked["ecn"]
    # The simulator takes it.
    assert Plan(case.plan().encode(), "linux", []).points == [{}]


def test_a_setting_is_known_by_all_that_it_is_made_of() -> None:
    runs = [case.asked(repetition) for case in CASES for repetition in (1, 2)]
    assert len({uml.key(run) for run in runs}) == len(runs)
    # Flows start at other times in each repetition.
    one, two = (CASE.asked(n)["flows"][0]["start_s"] for n in (1, 2))
    assert 0 <= one != two < 0.2
    assert len({case.name for case in linux_hosts.cases()}) == len(linux_hosts.cases()) >= 24
    assert len({case.name for case in linux_queues.cases()}) == len(linux_queues.cases())


def test_the_weight_of_reds_average_is_that_of_tc() -> None:
    # As `tc -d qdisc` of iproute2 6.1 shows it for these arguments.
    assert [ewma(15_140, 20, 1514), ewma(30_000, 55, 1000), ewma(5_000, 10, 1500)] == [4, 5, 5]
    with pytest.raises(ValueError, match="does not reach the threshold of 30"):
        ewma(45_420, 20, 1514)


def test_numbers_are_those_after_warm_up() -> None:
    run = found(flow(6e6, 30.0, retransmitted=7), {"goodput_bps": 2e6})
    assert of_linux(CASE, run) == pytest.approx(
        {
            "goodput": 8e6,
            "srtt": 0.030,
            "p95": 0.060,
            "queueing": 0.010,
            "queueing p95": 0.040,
            "drops": 7,
            "marks": 5,
            "retransmitted": 7,
            "timeouts": 2,
            "share": 0.75,
        }
    )
    alike = replace(CASE, flows=(Flow("cubic", 20),) * 2)
    assert of_linux(alike, found(flow(3e6, 30.0), flow(1e6, 30.0)))["Jain"] == pytest.approx(0.8)
    assert marks({"tins": [{"ecn_mark": 2}, {"ecn_mark": 3}]}) == 5
    assert marks({"marked": 4}) == 4
    assert marks({"kind": "pfifo"}) == 0


def test_a_band_is_a_share_and_at_least_so_much() -> None:
    bands = {"drops": Band(0.2, 5), "srtt": Band(0.05), "share": Band(0.1)}
    assert outside({"drops": 15, "srtt": 1.049}, {"drops": 10, "srtt": 1.0}, bands) == []
    assert outside({"drops": 16, "srtt": 1.051}, {"drops": 10, "srtt": 1.0}, bands) == ["drops", "srtt"]
    # 15 drops are within only because 5 are always allowed.
    assert barely({"drops": 15, "srtt": 1.049}, {"drops": 10, "srtt": 1.0}, bands) == ["drops"]
    assert barely({"drops": 16, "srtt": 1.049}, {"drops": 10, "srtt": 1.0}, bands) == []
    assert outside({"drops": 121}, {"drops": 100}, bands) == ["drops"]
    assert medians([{"drops": 1}, {"drops": 9}, {"drops": 2}]) == {"drops": 2}


def test_medians_that_are_as_far_apart_by_chance() -> None:
    # Two of the 70 ways to divide eight.
    assert chance([1, 2, 3, 4], [10, 11, 12, 13]) == pytest.approx(2 / 70, abs=0.006)
    assert chance([1, 10, 2, 11, 3, 12], [1, 10, 2, 11, 3, 12]) == 1.0
    assert chance([0.0] * 12, [1.0] * 8) < 1e-3


def comparison(monkeypatch: pytest.MonkeyPatch, **drops: float) -> Comparison:
    """Of a simulator that drops this many packets without this difference, and with it 20."""

    def made(case: Case, variant: Variant | None = None, seeds: object = None) -> list[dict[str, float]]:
        own = variant.sets if variant else ()
        run = of_linux(case, found(flow(6e6, 30.0), {"goodput_bps": 2e6}))
        return [{**run, "drops": drops["+".join(own) or "as_is"]}] * 12

    monkeypatch.setattr(linux_rows, "simulated", made)
    changes = [
        Change(1, lambda case, runs: None),
        Change(2, lambda case, runs: Variant(("b",))),
        Change(3, lambda case, runs: Variant(("c",))),
    ]
    return Comparison(lambda case: {"drops": Band(0.1)}, ("drops",), "10 %", changes)


def test_a_row_says_without_which_differences_all_is_within(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [found(flow(6e6, 30.0), {"goodput_bps": 2e6})] * 8
    row = comparison(monkeypatch, as_is=7).row(CASE, runs)
    assert (row.verdict, row.ours, row.theirs, row.note) == ("yes", "7 drops", "7 drops", "")
    row = comparison(monkeypatch, as_is=20, b=9, c=7).row(CASE, runs)
    assert (row.verdict, row.wrong) == ("departs", False)
    assert (
        row.note == "drops +186 % (simulated 20 drops to 20 drops, Linux 7 drops to 7 drops); "
        "without reason 3: 7 drops; all within"
    )
    row = comparison(monkeypatch, as_is=20, b=9, c=9, **{"b+c": 7}).row(CASE, runs)
    assert row.note.endswith("without reasons 2 and 3: 7 drops; all within")
    row = comparison(monkeypatch, as_is=20, b=9, c=9, **{"b+c": 8}).row(CASE, runs)
    assert (row.verdict, row.wrong) == ("**no**", True)
    assert row.note.endswith("open: without reasons 2 and 3: 8 drops; outside is drops")
    # One run says nothing about chance.
    row = comparison(monkeypatch, as_is=20, b=9, c=9, **{"b+c": 8}).row(CASE, runs[:1])
    assert row.verdict == "**no**"
    # Medians of 20 and 7, but runs of both kinds on both sides.
    seven = runs[0]
    twenty = {**seven, "qdisc": {**seven["qdisc"], "drops": 23}}
    mixed = comparison(monkeypatch, as_is=20, b=9, c=9, **{"b+c": 8})
    one = linux_rows.simulated(CASE)[0]
    monkeypatch.setattr(linux_rows, "simulated", lambda *_: [{**one, "drops": 7}] * 5 + [{**one, "drops": 20}] * 7)
    row = mixed.row(CASE, [seven] * 5 + [twenty] * 3)
    assert (row.verdict, row.wrong) == ("–", False)
    assert re.search(r"; may be chance \(p = 0\.[3-9]", row.note)
    assert "open" not in row.note
    # Within by the five drops that are always allowed.
    few = comparison(monkeypatch, as_is=8)
    few = replace(few, bands=lambda case: {"drops": Band(0.1, 5)})
    row = few.row(CASE, runs)
    assert (row.verdict, row.note) == ("yes", "within by the amount that is always allowed: drops")
    # Nothing is said of a kernel that was held up.
    late = [found(flow(6e6, 30.0), {"goodput_bps": 2e6}, stall_ms=uml.LATE_MS + 1)]
    assert comparison(monkeypatch, as_is=7).row(CASE, late).verdict == "–"


def test_results_are_lines_with_a_mark() -> None:
    assert uml.result("Halting.\n") is None
    assert uml.result(f'{make_runs.MARK}{{"key": "a", "stall_ms": 2}}\r\n') == {"key": "a", "stall_ms": 2}
    with pytest.raises(RuntimeError, match=r"a run failed in linux\.uml: a\ntc: no such qdisc"):
        uml.result('RESULT {"key": "a", "failed": "tc: no such qdisc"}')
    assert uml.MARK == make_runs.MARK


def test_of_several_tries_the_one_that_was_held_up_least_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    for stall in (90.0, 50.0, 60.0):
        uml.Store(path).put({"key": "a", "stall_ms": stall})
    assert uml.Store(path).get("a") == {"key": "a", "stall_ms": 50.0}
    assert len(path.read_text().splitlines()) == 2
    assert not uml.trusted(uml.Store(path).get("a"))
    assert not uml.trusted(uml.Store(path).get("b"))
    assert uml.trusted({"stall_ms": uml.LATE_MS})


def test_runs_are_made_again_until_they_are_trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    booted: list[list[str]] = []

    def boot(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        booted.append([run["name"] for run in runs])
        late = 100.0 if len(booted) == 1 else 1.0
        return [{"key": run["key"], "stall_ms": late if run["name"] == "a" else 1.0} for run in runs]

    monkeypatch.setattr(uml, "boot", boot)
    monkeypatch.setattr(uml, "AT_ONCE", 1)
    asked = [{"name": "a"}, {"name": "b"}]
    store = uml.Store(tmp_path / "kept.jsonl")
    assert [json.loads(it["key"])["name"] for it in uml.made(asked, store)] == ["a", "b"]
    assert booted == [["a", "b"], ["a"]]
    uml.made(asked, uml.Store(tmp_path / "kept.jsonl"))
    assert len(booted) == 2


def test_tcp_info_is_read_where_linux_has_it() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()) as sender,
        listener.accept()[0] as receiver,
    ):
        sender.sendall(bytes(3000))
        assert receiver.recv(3000, socket.MSG_WAITALL) == bytes(3000)
        receiver.sendall(b"1")
        sender.recv(1)
        told = make_runs.INFO.unpack(sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, make_runs.INFO.size))
    values = {name: told[at] for name, at in make_runs.FIELDS.items()}
    assert values["cwnd"] >= 10
    assert values["rto_us"] >= 200_000
    assert 0 < values["min_rtt_us"] <= values["srtt_us"] + 1000
    assert values["segments_out"] >= values["data_segments_out"] >= 1
    assert values["acks"] >= 1
    assert values["delivered"] == values["data_segments_out"] + 1
    assert (values["retransmitted"], values["lost"], values["delivered_ce"]) == (0, 0, 0)


def _srtts(rows: Sequence[tuple[float, str, int]]) -> list[float]:
    tape = "time_s,flow,event,segment,cwnd,ssthresh\n" + "".join(f"{t},a,{e},{s},10,inf\n" for t, e, s in rows)
    return smoothed(tape, 0.0, 2.0)["a"]


def _after(*samples: float) -> float:
    srtt = samples[0]
    for sample in samples[1:]:
        srtt += (sample - srtt) / 8
    return srtt


def test_round_trips_are_smoothed_as_linux_does() -> None:
    rows = [
        (0.0, "send", 0),
        (0.0, "send", 1),
        (0.05, "deliver", 0),
        (0.06, "deliver", 1),
        (0.11, "ack", 2),  # of the first segment that it covers
        (0.11, "send", 2),
        (0.11, "send", 3),
        (0.11, "send", 4),
        (0.11, "drop", 2),
        (0.23, "dup_ack", 2),  # reports segment 3, as SACK says
        (0.25, "dup_ack", 2),  # 4
        (0.25, "retransmit", 2),
        (0.3104, "deliver", 2),
        (0.3104, "deliver", 3),
        (0.3104, "deliver", 4),
        (0.3604, "ack", 5),  # by its time stamp, because 2 was sent again; in whole milliseconds
        (0.3604, "send", 5),
        (0.42, "deliver", 5),
        (0.47, "ack", 6),
        (2.0, "cwnd", 6),
    ]
    srtts = _srtts(rows)
    # From 0.15 s on, every 50 ms.
    assert srtts[0] == pytest.approx(0.11)
    assert srtts[3] == pytest.approx(_after(0.11, 0.12, 0.14))
    assert srtts[-1] == pytest.approx(_after(0.11, 0.12, 0.14, 0.110, 0.1096))


def test_an_ack_that_was_delayed_until_a_segment_came_early_reports_it() -> None:
    rows = [
        (0.0, "send", 0),
        (0.05, "deliver", 0),
        (0.1, "ack", 1),  # at once
        (0.1, "send", 1),
        (0.1, "send", 2),
        (0.1, "send", 3),
        (0.1, "send", 4),
        (0.1, "drop", 2),
        (0.15, "deliver", 1),
        (0.22, "ack", 2),  # 20 ms later, when 3 came
        (0.24, "dup_ack", 2),  # so this is of 4
        (2.0, "cwnd", 2),
    ]
    assert _srtts(rows)[-1] == pytest.approx(_after(0.1, 0.12, 0.14))


class Told:
    """An ack, or congestion."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(
            {"kind": "loss", "echoed": False, "again": False, "opens": True, "min_rtt": 0.05, **values}
        )

    def is_limited_by(self, window: float) -> bool:
        return True


def test_linux_dctcp_takes_whole_segments() -> None:
    control: Any = LinuxDctcp().begun((1448, 66, 20, 20.0, 1.0), 1)
    control.on_congestion(Told(kind="ecn", flight=20))
    assert control.window == 10  # alpha is 1 at the start
    for n in range(1, 1000):
        control.on_ack(Told(acked=1, flight=10, delivered=n, ece=False))
    assert control.window > 20
    # Without marks alpha has vanished; one marked segment in 30 then takes nothing of a small window.
    assert control._alpha == 0
    control._alpha, control.window = 1024 // 16 // 30, 20.0
    control.on_congestion(Told(kind="ecn", flight=20))
    assert control.window == 20


def test_the_average_of_linux_choke_may_stay_above_a_queue_that_does_not_change() -> None:
    choke = LinuxChoke(10**7, BURST)
    book: Any = None
    one: Any = Told(flow=0)
    other: Any = Told(flow=1)
    for average, then in ((10 * 16, 10 * 16), (10 * 16 + 15, 10 * 16 + 15), (11 * 16, 11 * 16 - 1)):
        choke.start()
        choke._queue = [one] * 10
        choke._average = average
        choke.offer(0, other, book)
        assert choke._average == then


def test_what_stands_for_linux_keeps_the_laws() -> None:
    dk.conformance(LinuxDctcp(), cases=30)
    dk.conformance(LinuxFqCodel(10**8, 20_000), cases=60)
    dk.conformance(LinuxFqCodel(10**5, 3_000, whole=False), cases=60)
    dk.conformance(LinuxChoke(10**8, 20_000, low=1, high=4), cases=60)
    dk.conformance(LinuxCodel(10**8, 20_000, ecn=True), cases=60)
    dk.conformance(LinuxCodel(10**5, 3_000, exact=True), cases=60)


def test_with_the_rule_of_the_rfc_it_is_fq_codel() -> None:
    case = replace(CASE, queue=fq_codel(), flows=(Flow("cubic", 20),) * 8, ecn=False)
    line = ('link.bottleneck.queue={ kind = "external", name = "mine" }',)
    rust = Variant(("link.bottleneck.queue.inner.collisions=false",))
    own, whole = (Variant(line, {"mine": LinuxFqCodel(10**7, BURST, whole)}) for whole in (False, True))
    ours, theirs, linux = (simulated(case, variant, [1]) for variant in (rust, own, whole))
    # To nanoseconds: our token bucket counts whole bytes.
    assert ours[0] == pytest.approx(theirs[0], rel=1e-6)
    assert ours[0]["drops"] > 10
    # It drops where a queue has one packet, too, and so holds the delay near its target.
    assert linux[0]["drops"] > ours[0]["drops"]
    assert linux[0]["queueing"] < 0.7 * ours[0]["queueing"]


@pytest.mark.parametrize("ecn", [False, True])
def test_with_the_exact_root_it_is_codel(ecn: bool) -> None:
    case = replace(CASE, queue=codel(ecn), flows=(Flow("cubic", 20), Flow("udp", 20, 4.0)), ecn=ecn, duration=8)
    line = ('link.bottleneck.queue={ kind = "external", name = "mine" }',)
    own, steps = (Variant(line, {"mine": LinuxCodel(10**7, BURST, exact=it, ecn=ecn)}) for it in (True, False))
    ours, theirs, linux = (simulated(case, variant, [1]) for variant in (None, own, steps))
    assert ours[0] == pytest.approx(theirs[0], rel=1e-6)
    assert ours[0]["drops"] > 10
    assert (ours[0]["marks"] > 10) == ecn
    assert linux[0]["drops"] != ours[0]["drops"]


def test_linux_codel_takes_a_newton_step_per_drop() -> None:
    codel = LinuxCodel(10**7, BURST)
    codel.start()

    def gap(count: int) -> float:
        """The time to the next drop [ms], once the count is this."""
        codel._all.count = count
        codel._counted(codel._all)
        return codel._law(codel._all, 0) * 1.024e-3

    assert [gap(count) for count in range(1, 5)] == pytest.approx([100.0, 50.0, 56.2, 48.8], abs=0.1)
    assert [gap(count) for count in range(5, 41)][-1] == pytest.approx(100 / 40**0.5, rel=0.01)
    # A dropping state that goes on from a count of 5 makes one step, from the root of 40: 22.7 ms instead of 44.7.
    assert gap(5) == pytest.approx(22.7, abs=0.2)


@pytest.fixture
def late_by_5_ms(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(linux_late, "late_us", lambda: [5000.0] * 101)
    monkeypatch.setattr(linux_late, "TABLES", tmp_path)


@pytest.mark.usefixtures("late_by_5_ms")
def test_acks_are_late_in_a_plan_by_what_was_measured() -> None:
    case = Case(10, fifo(1000), (Flow("cubic", 20),), ecn=False, warm_up=0, duration=1)
    (plain,), (late,) = simulated(case, seeds=[1]), simulated(case, linux_late.late(case, []), [1])
    assert late["goodput"] < plain["goodput"], "slow start is slower"
    small = replace(case, queue=fifo(1), warm_up=2, duration=12)
    (plain,), (late,) = simulated(small, seeds=[1]), simulated(small, linux_late.late(small, []), [1])
    assert late["srtt"] - plain["srtt"] == pytest.approx(0.005, abs=0.001)
    # What the runs of the case have measured counts: of three runs, the median of each percentile.
    timed = [{"flows": [{"goodput_bps": 1e6}, {"late_us": [late] * 101}]} for late in (2000, 9000, 1000)]
    (own,) = simulated(small, linux_late.late(replace(small, timed=True), timed), [1])
    assert own["srtt"] - plain["srtt"] == pytest.approx(0.002, abs=0.001)
    assert [one["control"] for one in replace(small, timed=True).asked(1)["flows"]] == ["cubic", "pings"]


def test_the_checksum_is_that_of_rfc_1071() -> None:
    # Its example in section 3: the sum is ddf2.
    assert make_runs.checksum(bytes.fromhex("0001f203f4f5f6f7")) == 0xFFFF - 0xDDF2


def test_percentiles_are_values() -> None:
    assert make_runs.percentiles([3, 1, 2]) == [1] * 34 + [2] * 33 + [3] * 34


@pytest.mark.usefixtures("late_by_5_ms")
def test_a_reason_is_tried_where_it_can_be_one() -> None:
    def numbers(case: Case, *runs: dict[str, Any]) -> list[int]:
        return [change.number for change in CHANGES if change.variant(case, runs)]

    run = found(flow(6e6, 30.0), flow(6e6, 30.0))
    assert numbers(replace(CASE, queue=fifo(20), flows=(Flow("cubic", 20),)), run) == [5]
    assert numbers(CASE, run) == [4, 5]
    assert numbers(replace(CASE, queue=fq_codel()), run) == [1, 4, 5]
    assert numbers(replace(CASE, queue=fq_codel(), flows=(Flow("dctcp", 20),)), run) == [1, 2, 4, 5]
    assert numbers(replace(CASE, queue=choke(10, 30)), run) == [3, 5]
    # Two reasons about one queue are both taken out of it.
    one, four = (
        change.variant(replace(CASE, queue=fq_codel()), [run]) for change in CHANGES if change.number in (1, 4)
    )
    assert one
    assert four
    for variant, flags in ((one, (True, False)), (four, (False, True)), (one + four, (True, True))):
        (queue,) = variant.externals.values()
        assert isinstance(queue, LinuxFqCodel)
        assert (queue.whole, queue.steps) == flags


@pytest.mark.skipif(bool(uml.unable()), reason=uml.unable() or "it runs")
def test_it_boots_and_makes_a_run() -> None:
    case = Case(10, fifo(20), (Flow("cubic", 10),), ecn=False, warm_up=0, duration=1)
    run = {**case.asked(1), "warm_up_s": 0.4, "key": "a"}
    (made,) = uml.boot([run])
    assert made["key"] == "a"
    assert made["qdisc"]["kind"] == "pfifo"
    numbers = of_linux(case, made)
    assert 1e6 < numbers["goodput"] < 12e6
    assert 0.01 <= numbers["srtt"] < 0.2
    # Other queues are given words that `tc` takes; the whole table is run by `make verify`.
    assert {queue.qdisc.split()[0] for queue in (pie(ecn=True), red(10, 30, ecn=True))} == {"pie", "red"}


@pytest.mark.skipif(bool(uml.unable()), reason=uml.unable() or "it runs")
def test_it_tells_how_late_answers_were() -> None:
    run = {**linux_late.asked(1), "duration_s": 2, "warm_up_s": 0.5, "key": "a"}
    (made,) = uml.boot([run])
    told = made["flows"][-1]
    assert told["answers"] > 100
    assert len(told["late_us"]) == 101
    assert 0 <= told["late_us"][0] <= told["late_us"][50] <= told["late_us"][100]
    assert told["late_us"][50] < 10_000, "a delay of 30 ms is not counted"


def test_in_live_runs_the_rest_of_the_preset_is_kept() -> None:
    jobs = next(jobs for _, senders, jobs in _cases(QUICK[0], 1) if senders == ("cubic",))
    # 64 KiB, the default of `max_window`, would be 13 Mb/s.
    assert _simulated(["cubic"], jobs[0].plan.text, seeds=[1]).goodput[0] > 18e6


LATE = {
    "lateness": {"min": 0.0, "p1": 0.0, "p10": 0.0, "p50": 50e-6, "p90": 1e-4, "p99": 5e-4, "p99_9": 1e-3, "max": 2e-3},
    "ack_delay": {
        "min": 1e-5,
        "p1": 1e-5,
        "p10": 2e-5,
        "p50": 5e-5,
        "p90": 1.1e-3,
        "p99": 1.2e-3,
        "p99_9": 2e-3,
        "max": 3e-3,
    },
}


@pytest.mark.parametrize(("units", "link"), [("packets", "line"), ("cells", "late")])
def test_bbr_waits_longer_in_simulations_with_the_delays_of_live_runs(units: str, link: str, tmp_path: Path) -> None:
    carried = f'carries = "{units}"'.encode()
    bbr = (jobs[0] for _, senders, jobs in _cases(QUICK[0], 1) if senders == ("bbr",))
    text = next(job.plan.text for job in bbr if carried in job.plan.text)
    plan, late = lateness(text.decode(), 0.6, [LATE, LATE], tmp_path)
    assert late == [
        f'link.{link}.jitter={{ kind = "table", delays = "{tmp_path}/lateness.txt" }}',
        f'link.{link}.back_jitter={{ kind = "table", delays = "{tmp_path}/acks.txt" }}',
    ]
    on_time, same, noisy = (
        _simulated(["bbr"], of, more, [1, 2, 3])
        for of, more in ((text, []), (plan.encode(), []), (plan.encode(), late))
    )
    assert min(noisy.rtt) > 1.02 * max(on_time.rtt)
    # The link of packets behind one of cells changes nothing by itself but the time of a packet on it.
    assert same.goodput == pytest.approx(on_time.goodput, rel=1e-3)
    assert same.rtt == pytest.approx(on_time.rtt, rel=1e-3)


def test_what_results_from_the_delays_that_are_drawn_is_what_was_measured() -> None:
    shares = np.linspace(0.0, 1.0, 1001)
    measured = np.interp(shares, [0.0, 0.5, 0.9, 0.99, 1.0], [0.0, 0.05, 0.1, 0.5, 2.0])
    apart = 0.12
    drawn = np.random.default_rng(1).choice(_own(measured, apart), 200_000)
    result, before = np.empty_like(drawn), 0.0
    for at, delay in enumerate(drawn):
        result[at] = before = max(delay, before - apart)
    for value in (0.02, 0.05, 0.08, 0.2, 0.5, 1.0):
        assert np.mean(result <= value) == pytest.approx(np.interp(value, measured, shares), abs=0.005)
    # One in ten is later than 0.1 ms, most of them because they are held back.
    assert np.mean(drawn > 0.1) < 0.05
