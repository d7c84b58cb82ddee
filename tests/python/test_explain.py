"""``dupack explain``: the chain in words, its JSON, and what cannot be explained."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

import dupack as package
from conftest import Dupack

STARTERS = Path(package.__file__).with_name("starters")
CASES = [("dumbbell", "bulk-0", "12.3s"), ("atm", "bulk-0", "2 s"), ("parking-lot", "long", "5 s")]


@pytest.mark.parametrize(("name", "flow", "at"), CASES)
def test_a_chain_goes_from_a_drop_to_the_end_of_the_recovery(dupack: Dupack, name: str, flow: str, at: str) -> None:
    told = json.loads(dupack("explain", STARTERS / f"{name}.toml", "--flow", flow, "--at", at, "--json").stdout)
    events = [step["event"] for step in told["steps"]]
    assert "drop" in events
    assert events[-1] == "recovered"
    assert told["from_s"] <= told["steps"][0]["time_s"] <= told["steps"][-1]["time_s"] <= told["to_s"] + 1e-9
    assert all(a["time_s"] <= b["time_s"] for a, b in pairwise(told["steps"]))
    assert all(step["text"].endswith(".") for step in told["steps"])
    printed = dupack("explain", STARTERS / f"{name}.toml", "--flow", flow, "--at", at).stdout
    words = " ".join(printed.split())
    assert all(step["text"] in words for step in told["steps"][:2])


def test_drops_are_those_of_the_tape(dupack: Dupack, tmp_path: Path) -> None:
    plan = STARTERS / "dumbbell.toml"
    told = json.loads(dupack("explain", plan, "--flow", "bulk-0", "--at", "3s", "--json").stdout)
    dupack("run", plan, "--set", "duration=4 s", "--set", "warm_up=0 s", "--tape", "tape.csv")
    rows = (tmp_path / "tape.csv").read_text().splitlines()
    drops = {float(row.split(",")[0]) for row in rows if ",bulk-0,drop," in row}
    assert {step["time_s"] for step in told["steps"] if step["event"] == "drop"} <= drops


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--flow", "bulk-9"], '--flow: no flow "bulk-9": did you mean'),
        ([], "--flow: name one of the 5 flows: bulk-0, bulk-1"),
        (["--flow", "bulk-0", "--at", "soon"], "--at: 'soon' is not a time"),
        (["--flow", "bulk-0", "--at", "1000 s"], "--at: 1000 s is after the end of the run, 30 s"),
        (["--flow", "bulk-0", "--point", "3"], "--point: 3; the points of the plan are 0 to 0"),
    ],
)
def test_what_cannot_be_explained_is_an_error(dupack: Dupack, arguments: list[str], said: str) -> None:
    run = dupack("explain", STARTERS / "dumbbell.toml", *arguments)
    assert run.returncode == 2, run.stderr
    assert said in run.stderr
