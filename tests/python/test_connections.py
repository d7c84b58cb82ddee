"""Flows that are many connections, in sweeps and comparisons: completion times, and open connections."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dupack as dk
from conftest import Dupack, of_json

QUERIES = "flows.queries.connections"
AXIS = "topology.queue.buffer"
SHORT = ["--set", "duration=60 ms", "--set", "warm_up=10 ms"]
SWEEP = ["--set", f"sweep={{'{AXIS}'=['20 packets','200 packets']}}"]
LOADED = [*SHORT, "--set", "flow.queries.arrivals.load=0.9"]


@pytest.fixture
def fabric(dupack: Dupack, tmp_path: Path) -> Path:
    """A leaf-spine whose only flow is many connections."""
    dupack("new", "fabric.toml", "--topology", "leaf-spine")
    return tmp_path / "fabric.toml"


def columns(text: str) -> list[str]:
    """The words of the table's head."""
    return next(line for line in text.splitlines() if line.startswith("buffer")).split()


def test_points_tell_when_connections_ended_and_not_that_one_flow_is_fair(dupack: Dupack, fabric: Path) -> None:
    words = [fabric, *LOADED, *SWEEP, "--seeds", "1..2"]
    points = of_json(dupack("run", *words, "--json"))["points"]
    told = {key: [point["measures"][f"{QUERIES}.{key}"]["mean"] for point in points] for key in ("open", "begun")}
    assert all(0 < some < of for some, of in zip(told["open"], told["begun"], strict=True))
    stored = of_json(dupack("sweep", *words, "--json"))["points"]
    for key in ("completion_s.p50", "completion_s.p99", "open"):
        path = f"{QUERIES}.{key}"
        assert [one["measures"][path] for one in stored] == [one["measures"][path] for one in points]
    for command in ("run", "sweep"):
        text = dupack(command, *words).stdout
        assert columns(text)[-5:] == ["completion", "p50", "completion", "p99", "open"]
        assert "Jain" not in text
        assert "Open: connections not completed at the end of the run." in text
    single = dupack("run", fabric, *LOADED, *SWEEP).stdout
    row = next(line for line in single.splitlines() if line.startswith("20 packets"))
    (alone, _) = of_json(dupack("run", fabric, *LOADED, *SWEEP, "--json"))["points"]
    assert row.split()[-1] == str(alone["flows"][0]["connections"]["open"])
    assert "Jain" not in dupack("run", fabric, *LOADED).stdout


def test_a_flow_without_connections_was_not_active(dupack: Dupack, fabric: Path) -> None:
    words = [fabric, *SHORT, "--set", 'flow.queries.arrivals={ kind = "poisson", every = "1000 s" }']
    for seeds in ([], ["--seeds", "1..2"]):
        text = dupack("run", *words, *seeds).stdout
        head, row = (
            next(line for line in text.splitlines() if f" {word} " in f" {line} ") for word in ("transport", "queries")
        )
        assert row[: head.index("active") + len("active")].endswith(" -")
        summary = next(line for line in text.splitlines() if line.startswith("active fraction of time"))
        assert summary.split()[-1] == "-"


def test_points_of_a_program_have_them_too(fabric: Path, tmp_path: Path) -> None:
    net = dk.load(fabric)
    grid: dict[str, Any] = {AXIS: ["20 packets", "200 packets"]}
    held = dk.sweep(net, grid, seeds=2, duration="60 ms", warm_up="10 ms")
    points = held.points
    for key in ("completion_s.p50", "completion_s.p99", "open"):
        path = f"{QUERIES}.{key}"
        told = held.estimates(path)
        assert points[path].to_list() == told["mean"].to_list()
        assert points[f"{path}_ci95"].to_list() == told["ci95"].to_list()
        assert points[path].null_count() == 0
    assert points["jain"].to_list() == held.estimates("jain")["mean"].to_list() == [None, None]
    assert points["goodput_bps"].null_count() == 0
    stored = dk.sweep(net, grid, seeds=2, duration="60 ms", warm_up="10 ms", out=tmp_path / "store")
    assert stored.points.equals(points)


def test_of_rounds_the_time_of_a_round_is_told(dupack: Dupack) -> None:
    dupack("new", "incast.toml", "--topology", "incast")
    words = ["run", "incast.toml", "--set", "sweep={'topology.senders'=[16,64]}"]
    text = dupack(*words).stdout
    head = next(line for line in text.splitlines() if line.startswith("senders"))
    assert head.split()[-5:] == ["round", "p50", "round", "p99", "open"]
    assert "completion" not in head
    points = of_json(dupack(*words, "--json"))["points"]
    for point in points:
        shown = next(line for line in text.splitlines() if line.startswith(str(point["settings"]["topology.senders"])))
        number, unit, left = shown.split()[-3:]
        found = point["flows"][0]["connections"]
        assert float(number) * {"s": 1, "ms": 1e-3}[unit] == pytest.approx(found["round_s"]["p99"], rel=1e-3)
        assert left == str(found["open"])


def test_a_flow_of_its_own_beside_connections_is_fair_or_not(dupack: Dupack, fabric: Path) -> None:
    bulk = '[[flow]]\nname = "bulk"\nfrom = "host-0"\nto = "host-9"\ntransport = { kind = "sack" }\n'
    fabric.write_text(f"{fabric.read_text()}\n{bulk}")
    text = dupack("run", fabric, *SHORT, *SWEEP).stdout
    assert "Jain" in text
    assert columns(text)[-5:] == ["completion", "p50", "completion", "p99", "open"]


def test_who_compares_times_is_told_of_connections_that_never_ended(dupack: Dupack, fabric: Path) -> None:
    vary = ["--vary", "topology.queue=drop-tail,red", "--seeds", "1..3"]
    words = ["compare", fabric, *LOADED, *vary, "--of", f"{QUERIES}.completion_s.p99"]
    (group,) = of_json(dupack(*words, "--json"))["comparisons"]
    ends = []
    for one in group["alternatives"]:
        sets = ["--set", f"topology.queue={one['alternative']['topology.queue']}"]
        runs = of_json(dupack("run", fabric, *LOADED, *sets, "--seeds", "1..3", "--json"))["runs"]
        found = [run["flows"][0]["connections"] for run in runs]
        assert one["open"] == pytest.approx(sum(it["open"] for it in found) / 3)
        assert one["begun"] == pytest.approx(sum(it["begun"] for it in found) / 3)
        ends.append(one["open"])
    assert min(ends) > 0
    line = next(line for line in dupack(*words).stdout.splitlines() if line.startswith("Open at the end, by rank: "))
    of = group["alternatives"][0]["begun"]
    told = ", ".join(f"{one:.0f}" if one.is_integer() else f"{one:,.1f}" for one in ends)
    assert f": {told} of {of:.0f}" in line if float(of).is_integer() else f" of {of:,.1f}" in line
    net = dk.load(fabric).with_values({"flow.queries.arrivals.load": 0.9})
    timed = dk.compare(
        net,
        {"topology.queue": ["drop-tail", "red"]},
        of=f"{QUERIES}.completion_s.p99",
        seeds=3,
        duration="60 ms",
        warm_up="10 ms",
    )
    assert timed.ranked["open"].to_list() == ends
    assert "Open at the end, by rank: " in repr(timed)
    # A value that is not a time has no such gap.
    (plain,) = of_json(dupack("compare", fabric, *SHORT, *vary, "--json"))["comparisons"]
    assert "open" not in plain["alternatives"][0]
