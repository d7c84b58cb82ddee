"""What ``dupack live`` says of its trust, and what departs from the plan."""

import copy
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from dupack import printed, trust
from dupack.comparing import beside
from dupack.printer import Printer
from on_kernel import PLAN, live, run
from verify.checks import live as checked


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


DOUBT = "DO NOT TRUST THIS: "


@live
def test_doubts_come_before_the_title(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    told = run("live", plan, "--bound", "0.3 us").stdout
    assert told.splitlines()[0].startswith(f"{DOUBT}1 % of the packets were written more than ")
    assert "the bound is 300 ns" in told.splitlines()[0]
    assert "later than the bound of 300 ns" in " ".join(told.split())
    # One spelling of a unit in one output.
    assert " us" not in told


@live
def test_a_sweep_tells_doubts_by_point_and_seed(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    plan.write_text(PLAN + '[sweep]\n"link.line.delay" = ["10 ms", "12 ms"]\n')
    sets = ["--set", "duration=300 ms", "--set", "warm_up=0 s"]
    told = run("live", plan, *sets, "--seeds", "1..2", "--bound", "0.3 us").stdout
    lines = told.splitlines()
    places = [(delay, seed) for delay in ("10 ms", "12 ms") for seed in (1, 2)]
    starts = [f"{DOUBT}link.line.delay = {delay}, seed {seed}: 1 % of the packets" for delay, seed in places]
    assert [line[: len(start)] for line, start in zip(lines, starts, strict=False)] == starts
    assert lines[4] == "One kernel flow"
    assert "Lateness of the router, the worst of all runs: p50 " in told


def test_a_comparison_tells_doubts_first() -> None:
    point = {"settings": {"a.b": 1}, "doubts": [{"seed": 3, "doubt": "late"}], "measures": []}
    out = io.StringIO()
    beside.tell({"title": "A title", "seeds": [3], "kernel": "6", "points": [point]}, Printer(file=out, width=80))
    assert out.getvalue().splitlines()[:2] == [f"{DOUBT}a.b = 1, seed 3: late", "A title"]


@pytest.mark.parametrize("width", [120, 80, 60])
def test_a_comparison_breaks_no_word_and_no_number(width: int) -> None:
    def row(measure: str, mean: float, half: float) -> dict[str, Any]:
        side = {"mean": mean, "ci95": half}
        differs = {"mean": mean / 10, "low": mean / 10 - half, "high": mean / 10 + half}
        differs |= {"relative": 0.1, "significant": True}
        return {"measure": measure, "simulated": side, "live": side, "difference": differs}

    rows = [row("flows.bulk.goodput_bps", 9.653e6, 1e3), row("flows.bulk.segments_retransmitted", 5, 1)]
    rows.append(row("links.bottleneck.measured.dropped", 1234.5, 12))
    out = io.StringIO()
    points = [{"settings": {}, "doubts": [], "measures": rows}]
    told = {"title": "A title", "seeds": [3], "kernel": "6", "points": points}
    beside.tell(told, Printer(file=out, width=width))
    words = set(out.getvalue().split())
    assert {"difference", "segments_retransmitted"} <= {word.split(".")[-1] for word in words}
    assert "Mb/s" not in {line.split()[0] for line in out.getvalue().splitlines() if line.split()}
    assert ("differs?" in words) == (width == 120)


def live_part(**more: Any) -> dict[str, Any]:
    late = {"p50": 2e-5, "p99": 0.0042, "max": 1.5}
    part = {"lateness_s": late, "missed_deadlines": 1234, "packets_written": 56789, "bound_s": 5e-4, "cpu_share": 0.07}
    return {**part, "doubts": [], "refused": {"spoofed": 1200}, "departures": {}, **more}


def test_lateness_has_the_unit_of_its_size() -> None:
    told = trust.lateness([({}, {"live": live_part()})])
    assert told[0].startswith("Lateness of the router: p50 20 µs, p99 4.2 ms, max 1.5 s; 1,234 of 56,789 packets later")
    assert told[1] == "Packets refused: 1,200 spoofed."


def test_many_doubts_are_counted() -> None:
    out = io.StringIO()
    runs: list[Any] = [({}, {"seed": seed, "live": {"doubts": ["late"]}}) for seed in range(20)]
    trust.say_doubts(runs, Printer(file=out, width=80))
    lines = out.getvalue().splitlines()
    assert len(lines) == trust.MOST + 1
    assert lines[-1] == f"{DOUBT}12 more such lines; --json has all"


def test_flows_that_depart_alike_are_told_together() -> None:
    departures = {f"bulk-{n}": ["tick"] for n in range(3)} | {"other": ["halve"]}
    told = trust.lateness([({}, {"live": live_part(refused={}, departures=departures)})])
    assert told[1:] == [
        "Flow bulk-0 and 2 more depart from the plan: tick.",
        "Flow other departs from the plan: halve.",
    ]


@live
@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("tc") is None, reason="it needs root and tc")
def test_the_rate_behind_tbf_is_measured_and_a_failure_is_a_row() -> None:
    found = checked.tbf(1e6, 125, 5_000_000)
    assert isinstance(found, float), found
    row = checked._beside("a name", -1.0, 125, 5_000_000)
    assert row.ours == "no number"
    assert row.note


@live
def test_a_flow_that_never_connects_is_a_doubt(plan: Path) -> None:
    sets = ["--set", 'link.line.loss={ kind = "bernoulli", rate = 1.0 }', "--set", "duration=600 ms"]
    document = json.loads(run("live", plan, *sets, "--json").stdout)
    assert document["live"]["doubts"] == ["flow bulk never connected"]
    assert document["live"]["trusted"] is False


@live
@pytest.mark.parametrize(
    ("transport", "options", "notes"),
    [
        (
            '{ kind = "sack", idle = "validate", ack_every = 4, dsack = true, read_delay = "3 ms" }',
            [],
            {
                "repair: sack in the plan, RACK-TLP in the kernel",
                "idle: validate in the plan is not kept",
                "ack_every: 4 in the plan is not kept",
                "dsack: true in the plan is not kept",
                "read_delay: 3 ms in the plan, live receivers read every 2 ms",
            },
        ),
        ('{ kernel = "cubic" }', [], set()),
        ('{ kernel = "cubic" }', ["--ipv6"], {"header: 52 B in the plan, 72 B in the kernel with IPv6"}),
        ('{ kind = "udp", header = "100 B" }', [], {"header: 100 B in the plan, 28 B in the kernel"}),
    ],
)
def test_departures_are_all_keys_that_the_kernel_does_not_keep(
    plan: Path, transport: str, options: list[str], notes: set[str]
) -> None:
    sets = ["--set", f"flow.bulk.transport={transport}", "--set", "duration=200 ms", "--set", "warm_up=0 s"]
    if "udp" in transport:
        sets += ["--set", 'flow.bulk.traffic={ kind = "cbr", rate = "1 Mb/s" }']
    document = json.loads(run("live", plan, *sets, *options, "--json").stdout)
    assert set(document["live"]["departures"].get("bulk", [])) == notes


@live
def test_datagrams_of_ipv6_have_no_sockets_and_nothing_is_refused(plan: Path) -> None:
    sets = ["--set", 'flow.bulk.traffic={ kind = "cbr", rate = "1 Mb/s" }', "--set", "warm_up=0 s"]
    sets += ["--set", 'flow.bulk.transport={ kind = "udp", mss = "972 B", header = "48 B" }']
    document = json.loads(run("live", plan, *sets, "--ipv6", "--json").stdout)
    flow = document["flows"][0]
    assert flow["goodput_bps"] * 1.5 == flow["segments_delivered"] * 972 * 8
    assert document["live"]["sockets"] == []
    assert set(document["live"]["refused"].values()) == {0}


@live
def test_samples_of_a_live_run_are_those_of_a_simulated_one(plan: Path) -> None:
    document = json.loads(run("live", plan, "--set", "sample=100 ms", "--json").stdout)
    series = document["series"]
    assert series["time_s"] == [pytest.approx(n / 10) for n in range(len(series["time_s"]))]
    assert len(series["time_s"]) == 16
    assert 0 < max(series["backlog"]["line"]) <= document["links"][0]["max_backlog"]
    assert max(series["cwnd"]["bulk"]) > 10
    delivered = series["delivered"]["bulk"]
    assert delivered == sorted(delivered)
    assert delivered[-1] >= document["flows"][0]["segments_delivered"] * 1000


def test_more_flows_than_there_are_ways_are_refused(plan: Path) -> None:
    head, _, flow = PLAN.partition("[[flow]]")
    hosts = head.replace('name = "source"', 'name = "source"\ncount = 4100', 1)
    plan.write_text(hosts + "[[flow]]" + flow)
    said = run("live", plan, code=1).stderr
    assert "flow: 4100 flows; live runs have at most 4096" in said
    assert "panicked" not in said


def test_a_live_sweep_has_the_columns_of_a_simulated_one(plan: Path) -> None:
    plan.write_text(PLAN + '[sweep]\n"link.line.delay" = ["10 ms", "12 ms"]\n')
    simulated = json.loads(run("run", plan, "--json").stdout)
    real = copy.deepcopy(simulated)
    for point in real["points"]:
        point["live"] = live_part(refused={})

    def table(document: dict[str, Any]) -> list[str]:
        out = io.StringIO()
        printed.show(document, Printer(file=out, width=80))
        return [line for line in out.getvalue().splitlines() if "delay" in line]

    assert table(simulated)[0] == table(real)[0]
