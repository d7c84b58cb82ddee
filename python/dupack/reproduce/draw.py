"""Draws figures for print with matplotlib, one column wide."""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dupack.reproduce.paper import Figure, Mark, Series
from dupack.reproduce.style import COLOURS, EVENTS, FAMILY, MARKS, colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text
    from matplotlib.typing import RcKeyType

RC: dict[RcKeyType, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "lines.markersize": 4,
    # Otherwise an axis may show -0.01 with "+1e2" at its end, instead of 99.99.
    "axes.formatter.useoffset": False,
    "savefig.dpi": 220,
    "figure.constrained_layout.use": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "dupack",
    "pdf.fonttype": 42,
}
CLOUD: dict[str, Any] = {"markersize": 3, "alpha": 0.55, "markeredgewidth": 0}
BAND: dict[str, Any] = {"alpha": 0.16, "linewidth": 0}
DASHED: dict[str, Any] = {"linewidth": 0.9, "linestyle": (0, (4, 2))}
DOTTED: dict[str, Any] = {"linewidth": 1.3, "linestyle": (0, (1, 1.4))}
OTHER: dict[str, Any] = {"linewidth": 0.9, "linestyle": (0, (2, 1.5)), "alpha": 0.6}
OTHER_WORDS: dict[str, Any] = {"linestyle": "", "marker": "_", "markersize": 7, "alpha": 0.6}
SPACE = 5
"""Least distance of two numbers on an axis [pt]."""
METADATA = {"svg": {"Date": None, "Creator": "dupack"}, "png": {"Software": "dupack"}}


def draw(figure: Figure, series: Sequence[Series], marks: Sequence[Mark]) -> dict[str, bytes]:
    """The figure as SVG and PNG, the same bytes for the same numbers."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    with mpl.rc_context(RC):
        panels = list(dict.fromkeys(one.panel for one in series)) or [""]
        if figure.flat:
            size = (6.2 if len(panels) == 1 else 7.4, 0.9 + 0.24 * len(worded(series)))
        elif len(panels) == 1:
            size = (4.9, 2.75)
        elif figure.stacked:
            size = (6.4, 0.5 + 1.2 * len(panels))
        elif in_a_square(figure, series):
            size = (7.4, 5.2)
        else:
            # A panel with many words needs a place for each.
            each = max(2.9 if len(panels) < 3 else 2.2, 0.6 + 0.2 * len(worded(series)))
            size = (max(each * len(panels), 5.8), 2.8)
        canvas = Canvas(figsize=size)
        FigureCanvasAgg(canvas)
        down, across = (len(panels), 1) if figure.stacked else (1, len(panels))
        if in_a_square(figure, series):
            down, across = 2, 2
        shared = canvas.subplots(down, across, squeeze=False, sharex=figure.stacked, sharey=not figure.panels)
        axes: list[Axes] = list(shared.flatten())
        for panel, ax in zip(panels, axes, strict=True):
            if panel:
                ax.set_title(panel)
            mine = [one for one in series if one.panel == panel]
            axis = figure.panel(panel, first=ax is axes[0] or figure.flat)
            if figure.flat:
                _on_its_side(ax, mine, worded(series))
                ax.tick_params(labelleft=ax is axes[0])
                ax.set_xlabel(axis.y)
                ax.set_xlim(*axis.limits)
                continue
            _panel(ax, figure, mine, [m for m in marks if m.panel == panel])
            if not figure.stacked or ax is axes[-1]:
                ax.set_xlabel(figure.x)
            ax.set_ylabel(axis.y)
        if figure.stacked:
            canvas.align_ylabels(axes)
        if not figure.flat:
            # After drawing: setting limits ends the autoscaling, which panels may share.
            for panel, ax in zip(panels, axes, strict=True):
                ax.set_ylim(*figure.panel(panel, first=False).limits)
        # The curves, then what they are compared with.
        curves = sorted(series, key=lambda one: one.kind == "reference")
        in_order = [one.name for one in curves if not titled(one)] + [_name(mark) for mark in marks]
        _legend(canvas, axes, in_order, below=len(axes) > 1 or figure.flat)
        if figure.flat or not worded(series):
            apart(canvas, axes)
        drawn = {}
        for kind in ("svg", "png"):
            buffer = io.BytesIO()
            canvas.savefig(buffer, format=kind, metadata=METADATA[kind])
            drawn[kind] = buffer.getvalue()
        return drawn


def in_a_square(figure: Figure, series: Sequence[Series]) -> bool:
    """Whether four panels are in two rows, so that there is room for their words."""
    return len({one.panel for one in series}) == 4 and bool(worded(series)) and not (figure.stacked or figure.flat)


def _panel(ax: Axes, figure: Figure, series: Sequence[Series], marks: Sequence[Mark]) -> None:
    for letter in figure.log:
        getattr(ax, f"set_{letter}scale")("log")
    if figure.log:
        _plain_ticks(ax, figure, series)
    words = worded(series)
    if words:
        ax.set_xticks(range(len(words)), [str(label(word)) for word in words])
        ax.set_xlim(-0.5, len(words) - 0.5)
    elif not figure.log and steps_of_one(series):
        ax.locator_params(axis="x", integer=True)
    for one, mark, column in zip(series, marks_of(series), columns(series), strict=True):
        shown = colour(one.of, one.shade)
        known = [i for i, y in enumerate(one.y) if y is not None]
        x, y = [place(one.x[i], words, *column) for i in known], [y for y in one.y if y is not None]
        half = [one.ci95[i] or 0.0 for i in known]
        low, high = ([b + sign * h for b, h in zip(y, half, strict=True)] for sign in (-1, 1))
        if one.kind in ("points", "runs"):
            name = one.name if one.legend else ""
            ax.plot(x, y, linestyle="", marker="o", color=shown, label=name, **CLOUD)
        elif one.kind == "cells":
            ax.plot(x, y, linestyle="", marker="s", markersize=2.5, color=shown, label=one.name, markeredgewidth=0)
        elif one.kind == "steps":
            name = one.name if one.legend else ""
            ax.plot(x, y, linewidth=0.7, color=shown, label=name, drawstyle="steps-post")
        elif one.kind == "events":
            shape, size, _ = EVENTS[one.of]
            ax.plot(
                x,
                y,
                linestyle="",
                marker=shape,
                markersize=size,
                color=shown,
                label=one.name,
                markeredgewidth=0,
                zorder=4,
            )
        elif one.kind == "reference":
            ax.plot(x, y, color=_reference(one), label=one.name, **(DOTTED if one.of else DASHED))
        elif one.kind == "other":
            name = one.name if one.legend else ""
            ax.plot(x, y, color=shown, label=name, **(OTHER_WORDS if words else OTHER))
        elif one.kind == "flat":
            ax.plot(x, y, color=shown, linestyle=(0, (5, 1.5)), label=one.name)
            ax.fill_between(x, low, high, color=shown, alpha=0.1, linewidth=0)
        elif words:
            ax.errorbar(
                x, y, yerr=half, linestyle="", marker=mark, capsize=2, elinewidth=1, color=shown, label=one.name
            )
        else:
            ax.plot(x, y, marker=mark, color=shown, label=one.name)
            ax.fill_between(x, low, high, color=shown, alpha=0.1, linewidth=0)
    for published in marks:
        _mark(ax, published, words)
    if not words:
        ax.margins(x=0.03)


def _on_its_side(ax: Axes, series: Sequence[Series], words: Sequence[str]) -> None:
    """Draws words on the vertical axis, the first on top, with the values of all series beside each."""
    ax.set_yticks(range(len(words)), list(words))
    ax.set_ylim(len(words) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")
    for one, mark, column in zip(series, marks_of(series), columns(series), strict=True):
        known = [i for i, y in enumerate(one.y) if y is not None]
        if one.kind == "reference":
            ax.axvline(one.y[0] or 0.0, color=_reference(one), label=one.name, **(DOTTED if one.of else DASHED))
            continue
        if one.kind in ("points", "runs"):
            at = [beside(one.x[i], words, *column) for i in known]
            name = one.name if one.legend else ""
            ax.plot(
                [one.y[i] or 0.0 for i in known],
                at,
                linestyle="",
                marker="o",
                color=colour(one.of, one.shade),
                label=name,
                **CLOUD,
            )
            continue
        if one.kind == "other":
            at = [beside(one.x[i], words, *column) for i in known]
            how = OTHER_WORDS | {"marker": "|", "color": colour(one.of, one.shade)}
            ax.plot([y for y in one.y if y is not None], at, label=one.name if one.legend else "", **how)
            continue
        ax.errorbar(
            [y for y in one.y if y is not None],
            [beside(one.x[i], words, *column) for i in known],
            xerr=[one.ci95[i] or 0.0 for i in known],
            linestyle="",
            marker=mark,
            elinewidth=1,
            color=colour(one.of, one.shade),
            label="" if titled(one) else one.name,
        )


def titled(one: Series) -> bool:
    """Whether the title of the panel is the name of the series; the legend then leaves it out."""
    return one.name == one.panel


def _reference(one: Series) -> str:
    return colour(one.of) if one.of else COLOURS["published"]


def worded(series: Sequence[Series]) -> list[str]:
    """The words on the x axis, if it has words."""
    return list(dict.fromkeys(x for one in series for x in one.x if isinstance(x, str)))


def steps_of_one(series: Sequence[Series]) -> bool:
    """Whether x has only a few whole numbers; the axis then has no ticks between them."""
    values = [x for one in series for x in one.x if isinstance(x, (int, float))]
    return bool(values) and all(x == int(x) for x in values) and max(values) - min(values) <= 10


BESIDE = ("other", "runs")
"""Kinds of series that belong to another one."""


def columns(series: Sequence[Series]) -> list[tuple[int, int]]:
    """For each series its number among those that are side by side at a word, and how many these are.

    What another reading gives, and single runs, are at the place of the series that they belong to, which has their
    colour.
    """
    main = [one for one in series if one.kind not in BESIDE]
    # Of several with one colour, the first.
    compared = {(one.of, one.shade): nth for nth, one in reversed([*enumerate(main)])}
    numbers = itertools.count()
    places = [compared.get((one.of, one.shade), 0) if one.kind in BESIDE else next(numbers) for one in series]
    return [(nth, max(len(main), 1)) for nth in places]


def place(x: float | str, words: Sequence[str], nth: int = 0, of: int = 1) -> float:
    """The x position: words in order, and the series of each word side by side."""
    return words.index(x) + 0.18 * (nth - (of - 1) / 2) if isinstance(x, str) else x


def beside(x: float | str, words: Sequence[str], nth: int, of: int) -> float:
    """The y position of a word in a sideways figure: markers of equal values do not hide each other."""
    return words.index(str(x)) + min(0.2, 0.7 / of) * (nth - (of - 1) / 2)


def _plain_ticks(ax: Axes, figure: Figure, series: Sequence[Series]) -> None:
    """Plain numbers on logarithmic axes; if there are few values, ticks at these."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

    plain = FuncFormatter(lambda value, _: f"{value:g}")
    values = sorted({x for one in series for x in one.x if isinstance(x, (int, float))})
    if len(values) <= 6:
        ax.xaxis.set_major_locator(FixedLocator(values))
        ax.xaxis.set_minor_locator(NullLocator())
    elif "x" in figure.log and values[0] > 0 and values[-1] < 100 * values[0]:
        # Otherwise the axis would show one number only, or all numbers of a decade.
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_minor_formatter(NullFormatter())
    for letter in figure.log:
        getattr(ax, f"{letter}axis").set_major_formatter(plain)


def apart(canvas: Any, axes: Sequence[Axes]) -> None:
    """Sets numbers below the axes apart: fewer of them; on a logarithmic axis those that are too near are hidden."""
    for _ in range(3):
        canvas.draw_without_rendering()
        for ax in axes:
            near = _near(ax, SPACE * canvas.dpi / 72)
            if ax.get_xscale() == "log":
                for text in near:
                    text.set_visible(False)
            elif near:
                ax.locator_params(axis="x", nbins=max(len(ax.get_xticks()) - 3, 2))


def _near(ax: Axes, least: float) -> list[Text]:
    """The numbers below an axis that are too near to the one before [px]."""
    found: list[Text] = []
    end = -math.inf
    for text in ax.get_xticklabels():
        extent = text.get_window_extent()
        if not text.get_visible() or not text.get_text() or not _inside(ax, text):
            continue
        if extent.x0 - end < least:
            found.append(text)
        else:
            end = extent.x1
    return found


def _inside(ax: Axes, text: Text) -> bool:
    low, high = ax.get_xlim()
    return low <= text.get_position()[0] <= high


def label(x: float | str) -> float | str:
    """A label of the axis; a word may be broken into two lines."""
    return x.replace(", ", "\n") if isinstance(x, str) else x


def marks_of(series: Sequence[Series]) -> list[str]:
    """The mark of each series: that of its discipline, or one of its own if a discipline has several curves."""
    family = [one.of for one in series if one.kind == "line"]
    marks, nth = [], dict.fromkeys(family, -1)
    for one in series:
        if family.count(one.of) > 1:
            nth[one.of] += 1
            marks.append(FAMILY[nth[one.of] % len(FAMILY)])
        else:
            marks.append(MARKS.get(one.of, "o"))
    return marks


def _hollow(shown: str) -> dict[str, Any]:
    return {"markerfacecolor": "none", "markeredgecolor": shown, "markeredgewidth": 1.1}


def _name(mark: Mark) -> str:
    return f"paper: {mark.label}"


def _mark(ax: Axes, mark: Mark, words: Sequence[str]) -> None:
    """Draws a published value: a star, a dotted line if a coordinate is missing, or text above if both are missing.

    A published range is a band.
    """
    shown = colour(mark.of) if mark.of else COLOURS["published"]
    name = _name(mark)
    if mark.y is not None and mark.y_to is not None:
        ax.axhspan(mark.y, mark.y_to, color=shown, label=name, **BAND)
        for end in (mark.y, mark.y_to):
            ax.axhline(end, color=shown, **DOTTED)
    elif mark.x is not None and mark.y is not None:
        ax.plot(
            [place(mark.x, words)],
            [mark.y],
            linestyle="",
            marker="*",
            markersize=9,
            zorder=5,
            label=name,
            **_hollow(shown),
        )
    elif mark.y is not None:
        ax.axhline(mark.y, color=shown, label=name, **DOTTED)
    elif mark.x is not None:
        ax.axvline(float(mark.x), color=shown, **DOTTED)
        # The legend would show a horizontal line.
        ax.plot([], [], linestyle="", marker="|", markersize=9, label=name, **_hollow(shown))
    else:
        above = ax.get_title(loc="right")
        words_above = f"{above}\n{name}" if above else name
        ax.set_title(words_above, loc="right", fontsize=7.5, fontweight="normal", color=shown)


def _legend(canvas: Any, axes: Sequence[Axes], in_order: Sequence[str], *, below: bool) -> None:
    """Draws the legend outside the data; a name in several panels appears once.

    A legend below makes the figure higher. It has three names in a row, or fewer if they are long.
    """
    entries: dict[str, Any] = dict.fromkeys(in_order)
    untold = False
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            # The title of the panel has this name already.
            if label == ax.get_title(loc="left"):
                untold = True
            else:
                entries[label] = entries.get(label) or handle
    entries = {label: handle for label, handle in entries.items() if handle is not None}
    if len(entries) <= (0 if untold else 1):
        return
    given = (list(entries.values()), list(entries))
    if not below:
        canvas.legend(*given, loc="outside right upper")
        return
    for columns in (3, 2, 1):
        legend = canvas.legend(*given, loc="outside lower center", ncols=columns)
        taken = legend.get_window_extent(canvas.canvas.get_renderer()).width
        if columns == 1 or taken <= 0.98 * canvas.bbox.width:
            break
        legend.remove()
    width, height = canvas.get_size_inches()
    canvas.set_size_inches(width, height + 0.17 * -(-len(entries) // columns))
