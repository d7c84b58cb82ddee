"""Published values in figures: points, lines, and bands for ranges."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dupack.errors import RequestError
from dupack.reproduce import papers
from dupack.reproduce.draw import columns, draw
from dupack.reproduce.folder import load
from dupack.reproduce.interactive import interactive
from dupack.reproduce.paper import Claim, Figure, Mark, Paper, Series
from dupack.reproduce.style import COLOURS
from test_folder import CLAIM, folder

PAPERS = papers.all_papers()
MARKED = [
    pytest.param(paper, claim, id=f"{paper.key}-{claim.id}") for paper in PAPERS for claim in paper.claims if claim.mark
]
TWO = Figure("id", "title", "shows", "load [share]", "goodput [share]", (), lambda results: [], limits=(0, 1))
SERIES = [
    Series("EPD", [0.1, 0.5, 1.0], [0.2, 0.4, 0.3], [None] * 3, of="epd", panel=panel) for panel in ("left", "right")
]


def marked(tmp_path: Path, mark: str, published: str = "0.3\ntolerance = 0.05") -> Paper:
    measure = ", minus = {}" if published.startswith('"') else ""
    claim = CLAIM.format(id="x", published=published, measure=measure)
    return load(folder(tmp_path, claims=f"{claim}mark = {{ {mark} }}\n"))


@pytest.mark.parametrize(
    ("mark", "y", "y_to"),
    [
        ('label = "25 to 35 %", y = 0.25, y_to = 0.35', 0.25, 0.35),
        ('label = "at least 30 %", y = "published", y_to = 1', 0.3, 1),
        ('label = "at most 30 %", y = 0, y_to = "published"', 0, 0.3),
        ('label = "30 %", y = "published"', 0.3, None),
    ],
)
def test_a_range_has_two_ends(tmp_path: Path, mark: str, y: float, y_to: float | None) -> None:
    (claim,) = [claim for claim in marked(tmp_path, mark).claims if claim.id == "x"]
    assert claim.mark is not None
    assert (claim.mark.y, claim.mark.y_to) == (y, y_to)


@pytest.mark.parametrize(
    ("mark", "published", "said"),
    [
        ("y_to = 0.35", "0.3\ntolerance = 0.05", "x = None, y = None, y_to = 0.35; a range has a y below y_to"),
        ("y = 0.35, y_to = 0.25", "0.3\ntolerance = 0.05", "y = 0.35, y_to = 0.25; a range has a y below y_to"),
        ("x = 0.5, y = 0.25, y_to = 0.35", "0.3\ntolerance = 0.05", "x = 0.5, y = 0.25, y_to = 0.35; a range has"),
        ('y = 0.25, y_to = "published"', '"so"', 'mark: y_to = "published"; the claim is in words'),
    ],
)
def test_half_a_range_is_refused(tmp_path: Path, mark: str, published: str, said: str) -> None:
    with pytest.raises(RequestError) as refused:
        marked(tmp_path, f'label = "x", {mark}', published)
    assert said in str(refused.value)
    assert "claim x: mark" in str(refused.value)


def test_a_band_is_drawn_on_paper_and_on_screen() -> None:
    marks = [Mark("25 to 35 %", of="epd", y=0.25, y_to=0.35, panel=panel) for panel in ("left", "right")]
    marks.append(Mark("elsewhere", x=0.5, panel="right"))
    assert draw(TWO, SERIES, marks)["svg"].count(b"paper: 25 to 35 %") == 1, "the legend has it once"
    live: dict[str, Any] = interactive(TWO, SERIES, marks)
    shapes = [(shape["type"], shape["y0"], shape["y1"], shape["yref"]) for shape in live["layout"]["shapes"]]
    band = [("rect", 0.25, 0.35), ("line", 0.25, 0.25), ("line", 0.35, 0.35)]
    assert shapes == [
        *((*shape, "y") for shape in band),
        *((*shape, "y2") for shape in band),
        ("line", 0, 1, "y2 domain"),
    ]
    entries = [trace for trace in live["data"] if trace["name"].startswith("paper: ")]
    assert [entry["showlegend"] for entry in entries] == [True, False, True], "its legend has it once, too"
    assert entries[0]["marker"]["symbol"] == "square"
    assert entries[2]["marker"]["symbol"] == "line-ns-open"


def test_two_published_values_above_a_panel_are_both_shown() -> None:
    words = [Mark("35 to 40 % below EPD", panel="left"), Mark("10 to 12 % below push-out", panel="left")]
    svg = draw(TWO, SERIES, words)["svg"].decode()
    assert all(svg.count(f">paper: {mark.label}<") == 1 for mark in words)


def test_a_legend_below_a_figure_fits_on_it() -> None:
    long = [
        Series(f"a rather long name of the curve {i}", [0, 1], [0, 1], [None] * 2, of="epd", panel=panel)
        for i in range(6)
        for panel in ("left", "right")
    ]
    few, many = (draw(TWO, series, [])["svg"] for series in (SERIES, long))
    heights = [float(svg.split(b'height="')[1].split(b"pt")[0]) for svg in (few, many)]
    assert heights[1] - heights[0] == pytest.approx(3 * 0.17 * 72), "two names in a row instead of three"


def test_numbers_below_an_axis_do_not_touch(monkeypatch: pytest.MonkeyPatch) -> None:
    x = [1, 7, 25, 100, 200]
    narrow = [Series("EPD", x, [0.1, 0.2, 0.3, 0.4, 0.5], [None] * 5, panel=f"panel {i}") for i in range(4)]
    shown = draw(replace(TWO, log="x"), narrow, [])["svg"].decode()
    assert [shown.count(f">{at}</text>") for at in x] == [4, 4, 4, 4, 0], "200 would touch 100"
    numbers = [len(re.findall(r">\d+</text>", draw(TWO, narrow, [])["svg"].decode()))]
    monkeypatch.setattr("dupack.reproduce.draw.SPACE", 30)
    numbers.append(len(re.findall(r">\d+</text>", draw(TWO, narrow, [])["svg"].decode())))
    assert numbers[1] < numbers[0], "fewer numbers, equally far apart"


def test_a_legend_has_the_curves_first_and_the_published_values_last() -> None:
    words = [
        Series("all", [0], [0.5], [None], kind="reference"),
        Series("dots", ["first", "second"], [0.2, 0.4], [0.1, None]),
    ]
    svg = draw(TWO, words, [Mark("star", x="first", y=0.3)])["svg"].decode()
    assert svg.index(">dots<") < svg.index(">all<") < svg.index(">paper: star<")


@pytest.mark.parametrize(("paper", "claim"), MARKED)
def test_every_mark_is_in_its_figure(paper: Paper, claim: Claim) -> None:
    """Inside its axes, in a figure that shows marks, in a colour that there is, and with the number of its claim."""
    (figure,) = [figure for figure in paper.figures if figure.id == claim.figure]
    mark = claim.mark
    assert mark is not None
    assert not figure.flat, "a figure with words on its side has no marks"
    assert mark.of in COLOURS
    assert not figure.panels or mark.panel in figure.panels
    low, high = figure.panel(mark.panel, first=True).limits
    for y in (mark.y, mark.y_to):
        assert y is None or ((low is None or low <= y) and (high is None or y <= high))
    if mark.y_to is not None:
        assert mark.y is not None
        assert isinstance(claim.published, (int, float))
        assert mark.y <= claim.published <= mark.y_to


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.key)
def test_no_panel_is_full_of_marks(paper: Paper) -> None:
    for figure in paper.figures:
        named = {
            (mark.panel, mark.label) for claim in paper.claims if claim.figure == figure.id and (mark := claim.mark)
        }
        panels = [panel for panel, _ in named]
        assert all(panels.count(panel) <= 6 for panel in panels), figure.id
        assert all(len(label) <= 32 for _, label in named), figure.id


def test_another_reading_is_drawn_where_it_is_compared() -> None:
    main = [Series.exact(of, ["a", "b"], [1, 2], of=of) for of in ("epd", "bpd")]
    others = [Series.exact("as in the plans", ["a", "b"], [1, 2], of=of, kind="other") for of in ("bpd", "epd")]
    assert columns([*main, *others]) == [(0, 2), (1, 2), (1, 2), (0, 2)]
    # Nothing has its colour.
    assert columns([*main, Series.exact("as in the plans", ["a"], [1], of="ppd", kind="other")])[2] == (0, 2)
    assert columns([]) == []
