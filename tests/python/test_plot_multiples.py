"""Figures of connections over several axes: rows of panels with few curves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

import dupack as dk
from dupack.plots import completions, swept
from dupack.plots.canvas import plain
from dupack.plots.data import RECORD, OfDocument
from dupack.plots.tradeoff import tradeoff


def grid(levels: dict[str, list[Any]], flows: Sequence[str] = ("web",)) -> OfDocument:
    """A sweep over these axes, one seed each, with connections of two ranges of sizes."""
    points = [dict(zip(levels, values, strict=True)) for values in product(*levels.values())]
    data = OfDocument(
        {
            "title": "grid",
            "points": [
                {"settings": one, "seed": 1, "summary": {"goodput_bps": 1.0}, "flows": [], "links": []}
                for one in points
            ],
        }
    )
    table: dict[str, list[Any]] = {name: [] for name in RECORD}
    for point, flow, nth in product(range(len(points)), flows, range(60)):
        row = (point, 1, flow, True, 1_000 if nth % 2 else 200_000, 0.001 * (nth + point + 1), 1.0 + nth)
        for name, value in zip(RECORD, row, strict=True):
            table[name].append(value)
    data.record = lambda: table  # type: ignore[method-assign]
    return data


QUEUES_OF = "topology.queue.kind"


@pytest.mark.parametrize(
    ("levels", "flows", "rows", "curves"),
    [
        ({QUEUES_OF: ["red", "codel"]}, ["web"], [""], ["red", "codel"]),
        ({"a.load": [0.2, 0.4]}, ["web"], [""], ["load 0.2", "load 0.4"]),
        (
            {"a.load": [0.6, 0.2], QUEUES_OF: ["red", "codel", "pie"]},
            ["web"],
            ["load 0.2", "load 0.6"],
            ["red", "codel", "pie"],
        ),
        (
            {"a.load": [0.2, 0.4, 0.6], "a.size": [1, 2, 3, 4]},
            ["web"],
            ["load 0.2", "load 0.4", "load 0.6"],
            ["1", "2", "3", "4"],
        ),
        ({"a.load": [0.2, 0.4], "a.size": [*range(1, 9)]}, ["web"], None, ["0.2", "0.4"]),
        ({QUEUES_OF: ["red", "codel"]}, ["web", "bulk"], ["flow web", "flow bulk"], ["red", "codel"]),
    ],
)
@pytest.mark.parametrize("what", ["slowdown", "cdf", "ccdf"])
def test_two_axes_make_rows_of_panels_with_few_curves(
    what: str, levels: dict[str, list[Any]], flows: list[str], rows: list[str] | None, curves: list[str]
) -> None:
    data = grid(levels, flows)
    figure = completions.slowdown(data) if what == "slowdown" else completions.distribution(data, tail=what == "ccdf")
    if rows is None:
        # Eight rows of two panels would be too many: the axis with fewer values has the rows.
        rows, curves = ["load 0.2", "load 0.4"], [str(value) for value in range(1, 9)]
    panels = ["median", "99th percentile"] if what == "slowdown" else ["up to 100 kB", "100 kB to 10 MB"]
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert titles == [f"{row}: {panel}" if row else panel for row in rows for panel in panels]
    for ax in figure.axes:
        assert [line.get_label() for line in ax.lines] == curves
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == curves
    assert bool(legend.get_title().get_text()) == (len(rows) > 1)
    # A curve looks alike in all panels, and the data have all of them.
    for curve in zip(*(ax.lines for ax in figure.axes), strict=True):
        assert len({line.get_color() for line in curve}) == 1
    assert len({row["group"] for row in figure.data}) == len(rows) * len(curves)


def test_more_curves_than_panels_can_hold_are_told() -> None:
    data = grid({"a.load": [*range(1, 14)], "a.size": [*range(1, 14)]})
    with pytest.raises(dk.RequestError, match=r"169 curves are too many; choose values with --at a\.load=VALUE"):
        completions.slowdown(data)


def test_each_curve_of_slowdowns_has_enough_connections_in_a_bin() -> None:
    for figure in (completions.slowdown(grid({"a.load": [*range(1, many)]})) for many in (2, 4, 7)):
        rows = [row for row in figure.data if row["share"] == "p50"]
        assert min(row["connections"] for row in rows) >= completions.FEWEST


def test_few_seeds_are_told() -> None:
    for seeds, said in ((1, False), (2, True), (3, True), (4, False)):
        settings: list[dict[str, Any]] = [{"a.load": load} for load in (1, 2)]
        points = [
            {
                "settings": one,
                "runs": [
                    {"seed": seed, "summary": {"timeouts": seed}, "flows": [], "links": []}
                    for seed in range(1, seeds + 1)
                ],
            }
            for one in settings
        ]
        for as_heat in (False, True):
            axes = [{**one, **({"b.size": 1 + at} if as_heat else {})} for at, one in enumerate(settings)]
            bodies = [{**body, "settings": one} for body, one in zip(points, axes, strict=True)]
            figure = swept.measures(OfDocument({"title": "few", "points": bodies}), ["timeouts"], as_heat=as_heat)
            told = " ".join(text.get_text() for text in figure.texts).replace("\n", " ")
            assert (f"With only {seeds} seeds, intervals are wide and say little." in told) == said


def test_numbers_of_a_linear_axis_have_the_same_number_of_decimals() -> None:
    assert plain().format_ticks([3.9, 4.0, 4.1]) == ["3.9", "4.0", "4.1"]
    assert plain().format_ticks([-0.25, 0, 1e-17, 1000]) == ["-0.25", "0.00", "0.00", "1,000.00"]
    assert plain().format_ticks([0, 5, 10_000]) == ["0", "5", "10,000"]


def test_dots_without_an_ellipse_are_told() -> None:
    flows = [{"mean_rtt_s": 0.01, "goodput_bps": 1e6}, {"mean_rtt_s": 0.02, "goodput_bps": 2e6}]
    for many, said in ((2, True), (4, False)):
        document = {"title": "dots", "seed": 1, "summary": {}, "flows": (flows * 2)[:many], "links": []}
        figure = tradeoff(OfDocument(document))
        assert ("Fewer than three dots have no ellipse." in figure.texts[-1].get_text().replace("\n", " ")) == said
