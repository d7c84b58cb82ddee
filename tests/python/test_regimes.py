"""Runs that fall into two groups: found, told in tables and in JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conftest import Dupack, of_json
from dupack.document import estimate
from dupack.plots import swept
from dupack.plots.compared import compared
from dupack.plots.data import RECORD, Course, Data
from dupack.regimes import in_groups, note
from dupack.reproduce import reads
from dupack.reproduce.compare import mean_paired
from dupack.reproduce.declared import Curve, Declared, curves
from dupack.reproduce.judging import judge
from dupack.reproduce.paper import Claim, Finding, Measure, Measured, Measures, Paper, Results, Sample
from dupack.reproduce.regimes import note as words
from dupack.reproduce.regimes import regimes
from dupack.reproduce.watch import Seen

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
    (both,) = curves([curve], {}, {})({"p": [sample(5, one), sample(9, two)]})
    mean, single = both.with_singles()
    assert mean.x == [5.0, 9.0]
    assert (single.kind, single.legend) == ("runs", False)
    assert list(zip(single.x, single.y, strict=True)) == [(9.0, y) for y in two]
    (alone,) = curves([curve], {}, {})({"p": [sample(5, one)]})
    assert alone.with_singles() == [alone]


# Claims of papers: each is judged by what it reads off its runs, however it is measured.

ONE, TWO = [0.61, 0.64, 0.63, 0.66, 0.62], [0.634, 0.635, 0.634, 0.957, 0.635]
POINTS = {"5 packets": ONE, "9 packets": TWO, "20 packets": [0.7, 0.71, 0.72, 0.73, 0.74]}
RESULTS = {
    "p": [
        Sample(
            {"link.l.queue": {"kind": "plain", "buffer": buffer}},
            [Measured({"seed": seed, "summary": {"goodput_fraction": value}}) for seed, value in enumerate(values)],
        )
        for buffer, values in POINTS.items()
    ]
}
GOODPUT = "summary.goodput_fraction"
BUFFERS = [{"where": {"buffer": buffer}} for buffer in POINTS]
TOLD = "Two regimes{}: 4 runs near 0.6345 and 1 run near 0.957."


def judged(published: float | str, measure: Measure) -> dict[str, Any]:
    """The row of a claim."""
    claim, measures = Claim("c", "§1", "what", published), Measures()
    measures["c"] = measure
    words: dict[str, Any] = dict.fromkeys(("cite", "about", "quick"), "")
    lists: dict[str, Any] = {key: [] for key in ("experiments", "figures", "readings")}
    paper = Paper(key="k", directory=Path(), short=lambda results: "", measures=measures, **words, **lists)
    return judge(claim, paper, RESULTS)


def declared(published: float | str, **how: Any) -> dict[str, Any]:
    """The row of a claim that is declared in TOML."""
    return judged(published, msgspec.convert({"plan": "p", "read": GOODPUT, **how}, Declared).measure(published, {}))


@pytest.mark.parametrize(
    ("published", "how", "at"),
    [
        (0.6, BUFFERS[1], ""),
        ("higher", BUFFERS[2] | {"minus": BUFFERS[1]}, " at buffer 9 packets"),
        (1.0, BUFFERS[1] | {"over": BUFFERS[0]}, " at buffer 9 packets"),
        (0.1, BUFFERS[1] | {"gain_over": BUFFERS[0]}, " at buffer 9 packets"),
        ("in this order", {"order": BUFFERS}, " at buffer 9 packets"),
        (0.6, {}, " at buffer 9 packets"),
    ],
)
def test_claims_of_every_kind_tell_the_regimes_of_their_runs(
    published: float | str, how: dict[str, Any], at: str
) -> None:
    row = declared(published, **how)
    assert TOLD.format(at) in row["note"]
    (found,) = row["regimes"]
    assert found["settings"] == ({"link.l.queue.buffer": "9 packets"} if at else {})
    assert (found["of"], [group["runs"] for group in found["regimes"]]) == ("runs", [4, 1])


def test_a_claim_that_python_measures_tells_them_too() -> None:
    read = reads.read(GOODPUT, {})

    def find(results: Results) -> Finding:
        return Finding.of(mean_paired([(results["p"][0], results["p"][1])], read))

    row = judged(0.0, Measure(("p",), find))
    assert row["note"] == TOLD.format(" at buffer 9 packets")
    assert len(row["regimes"]) == 1


def test_runs_that_a_claim_does_not_count_are_not_told() -> None:
    assert "regimes" not in declared(0.6, **BUFFERS[0])
    # The best point is not the one with two regimes.
    row = declared(0.7, pick="best")
    assert (row["note"], "regimes" in row) == ("", False)


def test_a_note_names_a_few_samples_and_counts_the_others() -> None:
    seen = [Seen({"x": x}, TWO, intervals=False) for x in (1, 2, 3, 4, 4, 5)]
    found = regimes(seen)
    assert [one["settings"]["x"] for one in found] == [1, 2, 3, 4, 5]
    assert words(found).count("Two regimes at x ") == 3
    assert words(found).endswith(" So have more samples: 2.")


def test_intervals_of_a_run_are_not_called_runs() -> None:
    values = [0.634, 0.635, 0.634, 0.957, 0.635, 0.634]
    sample = Sample({}, [Measured({"seed": 1})])

    def find(results: Results) -> Finding:
        return Finding.of(sample.estimate(lambda run: values))

    row = judged(0.6, Measure((), find))
    assert row["note"] == "Two regimes: 5 intervals near 0.6344 and 1 interval near 0.957."
    assert row["regimes"][0]["of"] == "intervals"
