"""The common style of figures: panels, colours, legends, intervals, and a sentence below."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dupack.errors import MissingError
from dupack.plots.words import number
from dupack.reproduce.style import COLOURS, FAMILY, MARKS
from dupack.words import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

    from dupack.figures import Figure

INKS = ("#0072B2", "#D55E00", "#009E73", "#AA3377", "#56B4E9", "#000000", "#E69F00", "#7F3B08")
"""Colours for lines without one of their own: those of Okabe and Ito, with Tol's purple and a brown in place of pink
and yellow. Readers with any kind of colour blindness can tell all pairs apart."""
SOLID = 4
"""The number of lines that are not dashed: the others resemble one of these more."""
DASHES: Any = (0, (3.5, 1.2))
"""The dashes of further lines."""
PALE = "#6B6B6B"
WIDTH = 4.9
"""Width of a figure with one panel [in]: that of the reports."""
LETTERS = 17.8
"""Letters per inch of the sentence below a figure."""
KEY: dict[str, Any] = {"title_fontsize": 7.5, "columnspacing": 1.4, "handletextpad": 0.5}
"""The style of legends."""
PLACES = 6
"""Decimals of the places of panels, as parts of the figure."""
COLUMNS = 3
"""The most panels side by side."""
LEAST = 8
"""The fewest letters of a line."""
WORDS = 30
"""The most letters of a line of a word beside an axis."""
LINE = 0.125
"""Height of a line of a word or of a label [in]."""
CURVES = 12
"""The most curves of a panel."""
PANELS = 12
"""The most panels of a figure."""
UNWRITTEN = re.compile("[\ufffe\uffff]")
"""Characters that XML does not have, but those that are written out everywhere."""


@contextmanager
def page(
    panels: int = 1,
    *,
    width: float = WIDTH,
    height: float = 2.9,
    rows: int = 0,
    places: Sequence[int] = (),
    **options: Any,
) -> Iterator[Any]:
    """A figure with panels in rows of up to three, in the style of the reports: ``(figure, axes)``.

    ``places`` are those of the panels in a grid with this many ``rows``, row by row; by default the first.
    """
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        from dupack.figures import Figure, drawing
    except ImportError as error:
        raise MissingError("figures need matplotlib: pip install 'dupack[figures]'") from error
    from dupack.reproduce.draw import RC

    down = rows or -(-panels // COLUMNS)
    places = places or range(panels)
    across = -(-(max(places) + 1) // down)
    # Titles and names may have dollars in them, which are no formulas.
    with drawing(), mpl.rc_context({**RC, "text.parse_math": False}):
        figure = Figure(figsize=(width, height))
        FigureCanvasAgg(figure)
        axes = figure.subplots(down, across, squeeze=False, **options)
        every = list(axes.flatten())
        for place, spare in enumerate(every):
            if place not in places:
                spare.remove()
        yield figure, [every[place] for place in places]


def looks(names: Sequence[str], *, ordered: bool = False) -> list[tuple[str, str]]:
    """A colour and a mark for each curve: those of the reports for disciplines, a scale for ``ordered`` values."""
    if ordered and len(names) > 2:
        from matplotlib import colormaps, colors

        steps = [0.88 * i / (len(names) - 1) for i in range(len(names))]
        return [(colors.to_hex(colormaps["viridis"](step)), FAMILY[i % len(FAMILY)]) for i, step in enumerate(steps)]
    own = [COLOURS.get(name, "") if name else "" for name in names]
    if all(own) and len(set(own)) == len(own):
        return [
            (ink, MARKS.get(name, FAMILY[i % len(FAMILY)]))
            for i, (ink, name) in enumerate(zip(own, names, strict=True))
        ]
    if len(names) > len(INKS):
        return looks(names, ordered=True)
    return [(INKS[i], FAMILY[i % len(FAMILY)]) for i in range(len(names))]


def spine(
    axes: Axes, letter: str, *, log: bool = False, values: Sequence[float] = (), reach: Sequence[float] = ()
) -> None:
    """An axis with plain numbers; a logarithmic one has ticks at its few ``values``, or at 1, 2, 5 of the decades that
    its values ``reach``."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

    it = getattr(axes, f"{letter}axis")
    values = sorted(set(values))
    if log:
        getattr(axes, f"set_{letter}scale")("log")
        ends = values or reach or getattr(axes, f"get_{letter}lim")()
        low, high = min(ends), max(ends)
        if low == high > 0:
            # A single value has no range of its own.
            values = [low]
            getattr(axes, f"set_{letter}lim")(low / 2, low * 2)
        if values and len(values) <= 7:
            it.set_major_locator(FixedLocator(values))
            it.set_minor_locator(NullLocator())
        else:
            decades = math.log10(high / low) if low > 0 else 9
            near = MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10])
            many = LogLocator(subs=(1, 2, 5) if decades < 1.7 else (1,), numticks=9)
            it.set_major_locator(near if decades < 0.8 else many)
        it.set_minor_formatter(NullFormatter())
    else:
        whole = bool(values) and all(float(value).is_integer() for value in values)
        integer = whole and max(values) - min(values) <= 10
        it.set_major_locator(MaxNLocator(nbins=6, integer=integer, steps=[1, 2, 2.5, 5, 10]))
    # The numbers of a linear axis have the same number of decimals.
    it.set_major_formatter(FuncFormatter(_plain) if log else plain())


def ticks(axes: Axes, letter: str, words: Sequence[str], *, first: float = 0.0, **style: Any) -> None:
    """Words on an axis, at ``first`` and in steps of 1; long ones have several lines."""
    places = [first + i for i in range(len(words))]
    told = ["\n".join(_lines(shown(word))) for word in words]
    getattr(axes, f"set_{letter}ticks")(places, told, **style)


def _lines(word: str) -> list[str]:
    return textwrap.wrap(word, WORDS) or [""]


def more(words: Iterable[str]) -> float:
    """The height of the lines but the first of the longest word beside an axis [in]."""
    return LINE * max((len(_lines(word)) - 1 for word in words), default=0)


def plain() -> Any:
    """Numbers of a linear axis: all with as many decimals as one of them needs."""
    from matplotlib.ticker import FuncFormatter

    made = FuncFormatter(_plain)
    made.format_ticks = _alike  # type: ignore[method-assign]
    return made


def _alike(values: Sequence[float]) -> list[str]:
    told = [number(0.0 if abs(value) < 1e-12 else value) for value in values]
    decimals = max((len(one.partition(".")[2]) for one in told), default=0)
    return [f"{float(one.replace(',', '')):,.{decimals}f}" for one in told]


def _plain(value: float, _: int | None) -> str:
    # A function of the module, so that figures can be pickled.
    return number(value)


def finish(
    figure: Figure, axes: Sequence[Axes], title: str, note: str = "", *, names: str = "", of: Any = None
) -> None:
    """The title above all panels, one legend below them, and a sentence below that; then numbers are set apart.

    Args:
        figure: The figure.
        axes: Its panels.
        title: The title.
        note: The sentence.
        names: Title of the legend.
        of: The panels whose curves are in the legend; by default all.
    """
    _show(figure)
    _fit(figure)
    title, note = shown(title), shown(note)
    width, height = figure.get_size_inches()
    bold: dict[str, Any] = {"fontsize": 8.5, "fontweight": "bold"}
    lines = _parted(figure, title, width, **bold)
    alone = len(axes) == 1 and not axes[0].get_title(loc="left") and len(lines) == 1
    if alone and axes[0].get_position().x0 * width + breadth(figure, lines, **bold) < width:
        axes[0].set_title(lines[0])
    else:
        figure.suptitle("\n".join(lines), x=0.01, ha="left", **bold)
        height += 0.14 * len(lines)
    told = wrapped(figure, note, width, width * LETTERS, fontsize=6.8) if note else []
    below = 0.115 * len(told) + 0.05 * bool(told)
    entries: dict[str, Any] = {}
    for one in axes if of is None else of:
        for handle, name in zip(*one.get_legend_handles_labels(), strict=True):
            if name and not name.startswith("_"):
                entries.setdefault("\n".join(textwrap.wrap(shown(name), int(width * 12))), handle)
    key, columns = _key(figure, entries, names) if len(entries) > 1 else (0.0, 0)
    height += below + key
    figure.set_size_inches(width, height)
    if columns:
        made = figure.legend(
            list(entries.values()),
            list(entries),
            loc="lower center",
            ncols=columns,
            title=names or None,
            bbox_to_anchor=(0.5, below / height),
            borderaxespad=0.2,
            **KEY,
        )
        made.set_in_layout(False)
    engine = figure.get_layout_engine()
    if engine is not None:
        share = (below + key) / height
        engine.set(rect=(0, share, 1, 1 - share))  # type: ignore[call-arg]
    if told:
        figure.text(0.01, 0.03 / height, "\n".join(told), fontsize=6.8, color=PALE, va="bottom", linespacing=1.15)
    settle(figure, axes)


def breadth(figure: Figure, lines: Sequence[str], **style: Any) -> float:
    """The breadth of the longest of some lines [in]."""
    text = figure.text(0, 0, "\n".join(lines), **style)
    found = text.get_window_extent(figure.canvas.get_renderer()).width / figure.dpi  # type: ignore[attr-defined]
    text.remove()
    return float(found)


def wrapped(figure: Figure, text: str, room: float, letters: float, **style: Any) -> list[str]:
    """A text in lines of this many letters, or of fewer if they are broader than the room [in]."""
    while True:
        lines = textwrap.wrap(text, max(int(letters), 1)) or [""]
        if letters < LEAST or breadth(figure, lines, **style) <= 0.98 * room:
            return lines
        letters *= 0.95


def _parted(figure: Figure, title: str, room: float, **style: Any) -> list[str]:
    """A title in lines that end at commas; a part between commas that is broader than the room [in] has several."""
    lines: list[str] = []
    for part in re.split(r"(?<=,) +", title):
        if lines and breadth(figure, [f"{lines[-1]} {part}"], **style) <= 0.98 * room:
            lines[-1] += f" {part}"
        else:
            lines += wrapped(figure, part, room, room * 12.5, **style)
    return lines


def _fit(figure: Figure) -> None:
    """Breaks labels and titles that are longer than their panel into lines, and makes room for these."""
    for _ in range(2):
        # With other lines, panels have other places.
        figure.draw_without_rendering()
        grown: dict[Any, int] = {}
        for one in figure.axes:
            place = one.get_subplotspec()
            row = place.rowspan.start if place else None
            extent = one.get_window_extent()
            more_ = _break(one.xaxis.label, extent.width) + _break(one._left_title, extent.width)  # type: ignore[attr-defined]
            _break(one.yaxis.label, extent.height)
            grown[row] = max(grown.get(row, 0), more_)
        if not any(grown.values()):
            return
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + LINE * sum(grown.values()))


def _break(label: Text, room: float) -> int:
    """Breaks a label that is longer than its room [px]; returns the number of lines that it has more."""
    text = label.get_text()
    # No line ends between a number and its unit.
    words = re.sub(r"(?<=\d) (?=\w)", "\N{NO-BREAK SPACE}", text.replace("\n", " "))
    letters = max(map(len, text.split("\n")))
    while letters >= LEAST:
        extent = label.get_window_extent()
        if (extent.height if label.get_rotation() else extent.width) <= room:
            break
        letters -= 1
        label.set_text("\n".join(textwrap.wrap(words, letters)).replace("\N{NO-BREAK SPACE}", " "))
    return label.get_text().count("\n") - text.count("\n")


def shown(text: str) -> str:
    """Text that others wrote, without characters that cannot be seen or that an SVG must not have."""
    return UNWRITTEN.sub(lambda found: f"\\u{ord(found[0]):04x}", visible(text))


def _show(figure: Figure) -> None:
    """Writes out what cannot be seen in titles and labels; words at ticks are those of `ticks`."""
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        text.set_text(shown(text.get_text()))


def _key(figure: Figure, entries: dict[str, Any], names: str) -> tuple[float, int]:
    """The height of a legend [in], and its columns: as many as fit."""
    high = 0.0
    for columns in (5, 4, 3, 2, 1):
        if columns > len(entries):
            continue
        made = figure.legend(list(entries.values()), list(entries), ncols=columns, title=names or None, **KEY)
        taken = made.get_window_extent(figure.canvas.get_renderer())  # type: ignore[attr-defined]
        made.remove()
        high = taken.height / figure.dpi
        if columns == 1 or taken.width <= 0.97 * figure.bbox.width:
            break
    # As few columns as the same number of lines needs: no line has one entry only where that can be avoided.
    return high + 0.03, -(-len(entries) // -(-len(entries) // columns))


def settle(figure: Figure, axes: Sequence[Axes]) -> None:
    """Sets numbers on axes apart, after all else."""
    from dupack.reproduce.draw import apart

    numeric = [one for one in axes if not one.get_xaxis().get_major_formatter().__class__.__name__.startswith("Fixed")]
    apart(figure, numeric)
    # The solver of the layout depends on addresses in memory: its last digits differ from one figure to the next.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for one in figure.axes:
        left, bottom, width, height = (round(value, PLACES) for value in one.get_position(original=True).bounds)
        one.set_position((left, bottom, width, height))


def heat(axes: Axes, values: Sequence[Sequence[float]], **options: Any) -> Any:
    """A heat map in one colour scale for all figures; the first row is at the bottom, NaN is grey."""
    from matplotlib import colormaps

    colours = colormaps["viridis"].with_extremes(bad="#DDDDDD")
    axes.grid(visible=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(True)
    return axes.pcolormesh(values, cmap=colours, rasterized=True, **options)
