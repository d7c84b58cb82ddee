"""Figures of a run and of a sweep, in the style of the reports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from dupack.amounts import Told, kind, rate, seconds
from dupack.errors import MissingError, RequestError
from dupack.reproduce.style import COLOURS, FAMILY, MARKS
from dupack.words import known

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dupack.series import Series

INKS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Colours of Okabe and Ito, for lines without a colour of their own."""
UNITS: dict[Told, str] = {rate: " [bit/s]", seconds: " [s]"}
LABEL = 36
"""The most characters on a line along the height of a figure."""
BINS = 60
"""Number of intervals of a goodput curve."""


@contextmanager
def _panel(width: float = 5.6) -> Iterator[tuple[Figure, Axes]]:
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        from dupack.figures import Figure
    except ImportError as error:
        raise MissingError("figures need matplotlib: pip install 'dupack[figures]'") from error
    from dupack.reproduce.draw import RC

    with mpl.rc_context(RC):
        figure = Figure(figsize=(width, 2.9))
        FigureCanvasAgg(figure)
        yield figure, figure.subplots()


class Plots:
    """Figures of a run; each method returns a matplotlib Figure."""

    def __init__(self, document: dict[str, Any], series: Series) -> None:
        self._document = document
        self._series = series

    def cwnd(self, flows: str | Sequence[str] | None = None) -> Figure:
        """Congestion windows over time, of all flows or of those named (a name or a list of names)."""
        series = self._series.cwnd
        names = _chosen(flows, series.columns[1:], "flow")
        with _panel() as (figure, axes):
            _lines(axes, series["time_s"].to_list(), {name: series[name].to_list() for name in names})
            self._label(axes, "cwnd [segments]")
        return figure

    def queue(self, links: str | Sequence[str] | None = None) -> Figure:
        """Backlogs over time, of all links with a queue discipline, or of those named."""
        series = self._series.backlog
        names = _chosen(links, series.columns[1:], "link with a queue discipline")
        if not names:
            raise RequestError("nothing to draw: no link of this network has a queue discipline")
        unit = self._document["links"][0]["carries"]
        with _panel() as (figure, axes):
            _lines(axes, series["time_s"].to_list(), {name: series[name].to_list() for name in names})
            self._label(axes, f"backlog{f' of {names[0]}' if len(names) == 1 else ''} [{unit}]")
        return figure

    def goodput(self, flows: str | Sequence[str] | None = None) -> Figure:
        """Goodput over time, as means over intervals, of all flows or of those named, and their sum."""
        series = self._series.delivered
        names = _chosen(flows, series.columns[1:], "flow")
        at = series["time_s"].to_list()
        step = max(1, (len(at) - 1) // BINS)
        edges = range(0, len(at), step)
        times = [(at[i] + at[i + step]) / 2 for i in edges if i + step < len(at)]
        rates = {}
        for name in names:
            told = series[name].to_list()
            rates[name] = [
                (told[i + step] - told[i]) * 8e-6 / (at[i + step] - at[i]) for i in edges if i + step < len(at)
            ]
        with _panel() as (figure, axes):
            _lines(axes, times, rates, hold=False)
            if len(names) > 1:
                total = [sum(values) for values in zip(*rates.values(), strict=True)]
                axes.plot(times, total, color=COLOURS["published"], linewidth=1.6, label="sum")
                _legend(axes, len(names) + 1)
            self._label(axes, "goodput [Mb/s]")
        return figure

    def _label(self, axes: Axes, y: str) -> None:
        axes.set_title(f"{self._document['title']}, seed {self._document['seed']}")
        axes.set_xlabel("time [s]")
        axes.set_ylabel(y)
        axes.set_xlim(0, self._document["duration_s"])
        axes.set_ylim(bottom=0)


def _chosen(asked: str | Sequence[str] | None, there: Sequence[str], what: str) -> list[str]:
    asked = [asked] if isinstance(asked, str) else asked
    return list(there) if asked is None else [known(name, there, what) for name in asked]


def _lines(axes: Axes, x: Sequence[float], lines: dict[str, list[Any]], *, hold: bool = True) -> None:
    """Curves with names; if there are many, all have the same colour."""
    many = len(lines) > len(INKS)
    for i, (name, y) in enumerate(lines.items()):
        ink = INKS[0] if many else INKS[i]
        style: dict[str, Any] = {"color": ink, "linewidth": 0.8 if many else 1.1, "alpha": 0.35 if many else 0.9}
        axes.plot(x, y, drawstyle="steps-post" if hold else "default", label=None if many else name, **style)
    if len(lines) > 1:
        _legend(axes, 0 if many else len(lines))


def _legend(axes: Axes, entries: int) -> None:
    handles, _ = axes.get_legend_handles_labels()
    if entries and handles:
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0)


SINGLE: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 3, "alpha": 0.55, "markeredgewidth": 0}
"""The runs of a point with two regimes."""


class Swept(Protocol):
    """A sweep that can be drawn."""

    title: str
    axes: list[str]

    @property
    def told(self) -> str:
        """The number of runs per point, in words."""

    def estimates(self, measure: str) -> pl.DataFrame:
        """A row per point: the values of the axes, and ``mean`` and ``ci95`` of a measure."""

    def values(self, measure: str) -> list[list[float | None]]:
        """A measure in each run, by point."""


def sweep(result: Swept, measure: str, x: str | None) -> Figure:
    """Draws a measure over an axis of a sweep, with 95 % intervals; a curve per point of the other axes."""
    points = result.estimates(measure)
    if not result.axes:
        raise RequestError("nothing to draw: the sweep has no axes")
    if points["mean"].null_count() == points.height:
        raise RequestError(f"nothing to draw: no point has {measure} in all of its runs")
    over = known(x, result.axes, "axis") if x is not None else result.axes[0]
    others = [axis for axis in result.axes if axis != over]
    rows = points.to_dicts()
    for row, values in zip(rows, result.values(measure), strict=True):
        # A mean of two regimes describes no run; the runs themselves are drawn, too.
        row["single"] = values if row.get("regimes") else []
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(", ".join(str(row[axis]) for axis in others), []).append(row)
    numbers = points[over].dtype.is_numeric()
    places = list(dict.fromkeys(row[over] for row in rows))
    # Each has its colour of the reports, unless two of them would share it.
    inks = [COLOURS.get(name, "") for name in groups]
    if len(set(inks)) < len(inks):
        inks = [""] * len(inks)
    with _panel(4.9 if not others else 5.6) as (figure, axes):
        for i, (name, mine) in enumerate(groups.items()):
            ink = inks[i] or INKS[i % len(INKS)]
            mark = MARKS.get(name, FAMILY[i % len(FAMILY)]) if inks[i] else FAMILY[i % len(FAMILY)]
            at = [row[over] if numbers else places.index(row[over]) for row in mine]
            told = [(x, row["mean"], row["ci95"]) for x, row in zip(at, mine, strict=True)]
            told = [one for one in told if one[1] is not None]
            axes.errorbar(
                [x for x, *_ in told],
                [y for _, y, _ in told],
                yerr=[half or 0 for *_, half in told],
                color=ink,
                marker=mark,
                linestyle="-" if numbers else "none",
                capsize=2.5,
                elinewidth=0.9,
                label=name,
            )
            single = [(x, y) for x, row in zip(at, mine, strict=True) for y in row["single"]]
            if single:
                axes.plot([x for x, _ in single], [y for _, y in single], color=ink, **SINGLE)
        if not numbers:
            axes.set_xticks(range(len(places)), [str(place) for place in places])
            axes.margins(x=0.15)
        if others:
            axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, title=", ".join(others))
        axes.set_title(f"{result.title}, {result.told}")
        axes.set_xlabel(over)
        axes.set_ylabel(_named(measure))
    return figure


def _named(measure: str) -> str:
    """A path with its unit, broken into lines that fit the height of a figure."""
    lines = [""]
    for part in re.split(r"(?<=\.)", f"{measure}{UNITS.get(kind(measure), '')}"):
        if lines[-1] and len(lines[-1] + part) > LABEL:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)
