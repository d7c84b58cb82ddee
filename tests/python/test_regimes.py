"""Runs that fall into two groups: found, told in tables and in JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conftest import Dupack, of_json
from dupack.document import estimate
from dupack.plots import swept
from dupack.plots.compared import compared
from dupack.plots.data import RECORD, Course, Data
from dupack.regimes import in_groups, note
from dupack.reproduce.declared import Curve, curves
from dupack.reproduce.paper import Measured, Sample

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
        assert "Timeouts at max_window 122 segments: two regimes, 1 run near 2 and 7 runs near 59." in text, command
        assert "at max_window 20 segments: " not in text, command


def test_alternatives_tell_theirs(dupack: Dupack, plan: Path) -> None:
    vary = f"flow.*.transport.max_window={','.join(WINDOWS)}"
    words = ["compare", plan, "--vary", vary, "--of", "goodput_fraction", "--seeds", "1..8"]
    assert "122 segments: two regimes, 7 runs near 0.634" in dupack(*words).stdout
    (group,) = of_json(dupack(*words, "--json"))["comparisons"]
    found = {one["alternative"]["flow.*.transport.max_window"]: one.get("regimes") for one in group["alternatives"]}
    assert found["20 segments"] is None
    assert [one["runs"] for one in found["122 segments"]] == [7, 1]


@pytest.mark.parametrize("kept", [False, True])
def test_a_plot_of_a_comparison_shows_the_groups(kept: bool) -> None:
    runs = {"a": [0.634, 0.635, 0.634, 0.957, 0.635, 0.634], "b": [0.61, 0.64, 0.63, 0.66, 0.62, 0.63]}
    told = {"difference": None, "low": None, "high": None, "told_apart": None}
    alternatives = [{"alternative": {"x": name}, **estimate(values), **told} for name, values in runs.items()]
    group = {"settings": {}, "alternatives": alternatives}
    values = {"summary.goodput_fraction": [{(name,): mine for name, mine in runs.items()}]} if kept else None
    figure = compared("title", "goodput_fraction", [group], None, values)
    (axes,) = figure.axes
    drawn = [[*map(float, line.get_xdata())] for line in axes.lines]  # type: ignore[arg-type]
    groups = [pytest.approx(one["mean"]) for one in estimate(runs["a"])["regimes"]]
    assert (runs["a"] in drawn, groups in drawn) == (kept, not kept)
    assert "the mean describes none of them" in figure.texts[-1].get_text().replace("\n", " ")


class Swept(Data):
    """Two points; the runs of the second have two regimes."""

    def __init__(self) -> None:
        runs = [(0, seed) for seed in range(5)] + [(1, seed) for seed in range(6)]
        super().__init__("swept", [{"buffer": 5}, {"buffer": 9}], runs)

    def measures(self) -> list[str]:
        return ["summary.goodput_fraction"]

    def _values(self, measure: str) -> dict[int, list[float | None]]:
        return {0: [0.61, 0.64, 0.63, 0.66, 0.62], 1: [0.634, 0.635, 0.634, 0.957, 0.635, 0.634]}

    def rows(self, part: str) -> list[dict[str, Any]]:
        return []

    def record(self) -> dict[str, list[Any]]:
        return {name: [] for name in RECORD}

    def series(self, measure: str, point: int, seed: int) -> Course:
        return [], {}


def test_a_plot_of_a_sweep_shows_the_runs_of_two_regimes() -> None:
    figure = swept.measures(Swept(), ["goodput_fraction"])
    (axes,) = figure.axes
    drawn = [([*map(float, line.get_xdata())], [*map(float, line.get_ydata())]) for line in axes.lines]  # type: ignore[arg-type]
    assert ([9.0] * 6, Swept()._values("")[1]) in drawn
    assert all(0.61 not in y for _, y in drawn)
    assert "the mean describes none of them" in figure.texts[-1].get_text()


def test_a_declared_curve_shows_the_runs_of_two_regimes() -> None:
    def sample(x: int, values: Sequence[float]) -> Sample:
        runs = [Measured({"summary": {"goodput_fraction": value}}) for value in values]
        return Sample({"link.l.queue.buffer": x}, runs)

    one, two = [0.61, 0.64, 0.63, 0.66, 0.62], [0.634, 0.635, 0.634, 0.957, 0.635, 0.634]
    curve = Curve(plan="p", name="c", x="buffer", read="summary.goodput_fraction")
    mean, single = curves([curve], {}, {})({"p": [sample(5, one), sample(9, two)]})
    assert mean.x == [5.0, 9.0]
    assert (single.kind, single.legend) == ("points", False)
    assert list(zip(single.x, single.y, strict=True)) == [(9.0, y) for y in two]
    (alone,) = curves([curve], {}, {})({"p": [sample(5, one)]})
    assert alone.kind == "line"
