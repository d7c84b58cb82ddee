"""Runs that fall into two groups: found, told in tables and in JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Dupack, of_json
from dupack.document import estimate
from dupack.regimes import in_groups, note

PAIR = Path(__file__).parents[2] / "papers" / "cohen-hamo-2001" / "extra-pair.toml"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """Fig. 20 (b) with the Reno of NS 1.4: one seed of eight recovers, the others time out again and again."""
    path = tmp_path / "pair.toml"
    path.write_text(PAIR.read_text().split("[[sweep]]")[0].replace('duration = "10 s"', 'duration = "20 s"'))
    return path


def test_groups_are_found_and_told() -> None:
    values = [0.634, 0.635, 0.634, 0.957, 0.635, 0.634, 0.635, 0.634]
    found = in_groups(values)
    low, high = found["regimes"]
    assert (low["runs"], high) == (7, {"runs": 1, "mean": 0.957})
    assert low["mean"] == pytest.approx(0.63443, abs=1e-5)
    assert estimate(values)["regimes"] == found["regimes"]
    text = note("Goodput", found, "{:.2f}".format)
    assert text == "Goodput: two regimes, 7 runs near 0.63 and 1 run near 0.96. The mean describes no run."


def test_one_group_says_nothing() -> None:
    assert in_groups([0.61, 0.64, 0.63, 0.66, 0.62]) == {}
    assert set(estimate([0.61, 0.64, 0.63, 0.66, 0.62])) == {"mean", "ci95"}
    assert note("Goodput", {"mean": 1.0, "ci95": None}, str) == ""


WINDOWS = "20 segments", "122 segments"
"""With the larger one, nearly the paper's 64 KiB, there are two regimes."""


def test_a_run_tells_its_regimes(dupack: Dupack, plan: Path) -> None:
    document = of_json(dupack("run", plan, "--seeds", "1..8", "--json"))
    low, high = document["summary"]["goodput_fraction"]["regimes"]
    assert (low["runs"], high["runs"]) == (7, 1)
    assert low["mean"] < 0.65
    assert high["mean"] > 0.94
    text = dupack("run", plan, "--seeds", "1..8").stdout
    assert "Timeouts: two regimes, 1 run near 2 and 7 runs near 59. The mean describes no run." in text


def test_points_of_a_sweep_tell_theirs(dupack: Dupack, plan: Path) -> None:
    windows = ", ".join(f'"{window}"' for window in WINDOWS)
    with plan.open("a") as file:
        file.write(f'[sweep]\nseeds = "1..8"\n"flow.*.transport.max_window" = [{windows}]\n')
    for command in ("run", "sweep"):
        text = dupack(command, plan).stdout
        assert "max_window 122 segments: Timeouts: two regimes, 1 run near 2 and 7 runs near 59." in text, command
        assert "max_window 20 segments: " not in text, command


def test_alternatives_tell_theirs(dupack: Dupack, plan: Path) -> None:
    vary = f"flow.*.transport.max_window={','.join(WINDOWS)}"
    words = ["compare", plan, "--vary", vary, "--of", "goodput_fraction", "--seeds", "1..8"]
    assert "122 segments: two regimes, 7 runs near 0.634" in dupack(*words).stdout
    (group,) = of_json(dupack(*words, "--json"))["comparisons"]
    found = {one["alternative"]["flow.*.transport.max_window"]: one.get("regimes") for one in group["alternatives"]}
    assert found["20 segments"] is None
    assert [one["runs"] for one in found["122 segments"]] == [7, 1]
