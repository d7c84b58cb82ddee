"""The test cases of BBR's draft as plans: every case's row, its log, and runs for which a row must not agree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dupack import Plan
from test_traces import validators
from verify.bbr3_cases import CASES
from verify.checks import bbr3


def test_every_case_of_the_appendix_is_a_plan_that_says_what_it_asks() -> None:
    assert list(CASES) == list(range(1, 23))
    assert sorted(path.name for path in bbr3.PLANS.glob("*.toml")) == [bbr3.plan_of(number).name for number in CASES]
    for number in CASES:
        path = bbr3.plan_of(number)
        plan = Plan(path.read_bytes(), path, [])
        assert plan.title.startswith(f"BBRv3, case {number}: ")
        assert len(plan.points) == len(plan.seeds) == 1
        assert path.read_text().startswith("# ")


def test_every_case_agrees_and_leaves_its_plan_and_its_qlog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bbr3, "LOGS", tmp_path)
    rows = bbr3.check(True).rows
    assert [row.what.partition(":")[0] for row in rows] == [f"§A.{number}" for number in CASES]
    assert [(row.what, row.ours, row.note) for row in rows if row.agrees is not True] == []
    two = {7: ("-probe-up", "-startup"), 15: ("-bounded", "-free")}
    logs = [f"case-{number:02}{flow}.sqlog" for number in CASES for flow in two.get(number, [""])]
    assert {path.name for path in tmp_path.iterdir()} == {*logs, *(path.name for path in bbr3.PLANS.iterdir())}
    known = validators()
    for name in logs:
        head, *rest = (tmp_path / name).read_text().split("\x1e")[1:]
        assert json.loads(head)["serialization_format"] == "application/qlog+json-seq"
        # A record in fifty: all of them take seconds, and are written by the same code.
        for text in rest[::50]:
            record = json.loads(text)
            known[record["name"]].validate(record["data"])


@pytest.mark.parametrize(
    ("number", "sets", "said"),
    [
        (1, ["flow.bbr.transport.kind=sack"], "never in startup"),
        # What the draft takes away in case 4 drains the queue.
        (4, ["link.bottleneck.schedule.0.rate=9 Mb/s"], "round 1 of Drain is its last"),
        (5, ["flow.bbr.transport.kind=bbr1"], "never in probe-bw-up"),
        (8, ["link.bottleneck.schedule.0.loss=0"], "inflight_longterm with headroom"),
        (12, ["link.bottleneck.back_grants.slot=0 s"], "extra_acked 1"),
        (18, ["flow.bbr.transport.dsack_undo=false"], "probe-bw-cruise until the end"),
        (19, ["flow.bbr.transport.eifel=false"], "cwnd at once"),
        (22, ['flow.bbr.traffic={ kind = "greedy" }'], "slowest sample"),
    ],
)
def test_without_what_a_case_is_about_its_row_does_not_agree(number: int, sets: list[str], said: str) -> None:
    row = bbr3.judged(number, sets)
    assert row.agrees is False
    assert said in row.ours + row.note
