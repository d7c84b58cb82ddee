"""Draws interactive figures with Plotly, from the same series as the printed ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dupack.reproduce.draw import beside, columns, in_a_square, marks_of, place, steps_of_one, titled, worded
from dupack.reproduce.paper import Figure, Mark, Series
from dupack.reproduce.style import COLOURS, EVENTS, PLOTLY_MARKS, colour, rgba

MARGIN = 28
"""Margin above a figure without panels [px]."""
BUTTONS = 24
"""Height of Plotly's buttons, which would otherwise cover the text above the last panel [px]."""
WIDTH, LETTER = 700, 7
"""Usual width of all panels, and of a letter [px]."""


def library() -> str:
    """plotly.js."""
    from plotly.offline import get_plotlyjs

    return get_plotlyjs()


def interactive(figure: Figure, series: Sequence[Series], marks: Sequence[Mark]) -> dict[str, Any]:
    """Data and layout for plotly.js."""
    panels = list(dict.fromkeys(one.panel for one in series)) or [""]
    data: list[dict[str, Any]] = []
    if figure.flat:
        return _on_its_side(figure, series, panels)
    named: set[str] = set()
    for panel in panels:
        mine = [one for one in series if one.panel == panel]
        words = worded(mine)
        for one, mark, column in zip(mine, marks_of(mine), columns(mine), strict=True):
            x = [place(value, words, *column) for value in one.x]
            data += _traces(one, x, mark, _axis(panels.index(panel)), first=one.name not in named and not titled(one))
            named.add(one.name)
    layout = _layout()
    gap, n = 0.12 if figure.panels and not figure.stacked else 0.06, len(panels)
    square = in_a_square(figure, series)
    width = (1 - gap) / 2 if square else (1 - gap * (n - 1)) / n
    across = 1 if figure.stacked else width
    for i, panel in enumerate(panels):
        name = "" if i == 0 else str(i + 1)
        left = (i % 2 if square else i) * (width + gap)
        layout[f"xaxis{name}"] = {
            "title": _title(figure.x if not figure.stacked or i == n - 1 else "", WIDTH * across),
            "domain": [0, 1] if figure.stacked else [left, left + width],
            "anchor": f"y{name}",
            # The panels of a stack have the numbers of the last one.
            "showticklabels": not figure.stacked or i == n - 1,
            **_numbers(WIDTH * across, log="x" in figure.log),
            **LINES,
        }
        words = worded([one for one in series if one.panel == panel])
        if words:
            ticks = {"tickvals": list(range(len(words))), "ticktext": [label(word) for word in words]}
            layout[f"xaxis{name}"] |= ticks | {"range": [-0.5, len(words) - 0.5]}
        elif not figure.log and steps_of_one([one for one in series if one.panel == panel]):
            layout[f"xaxis{name}"]["dtick"] = 1
        y = figure.panel(panel, first=i == 0)
        kind = "log" if "y" in figure.log else "-"
        layout[f"yaxis{name}"] = {"title": _title(y.y), "anchor": f"x{name}", **_numbers(log=kind == "log"), **LINES}
        if square:
            layout[f"yaxis{name}"]["domain"] = [0, HALF] if i > 1 else [1 - HALF, 1]
        if figure.stacked:
            # The first panel is on top; all panels have the same x range.
            layout[f"yaxis{name}"]["domain"] = [1 - left - width, 1 - left]
            if i:
                layout[f"xaxis{name}"]["matches"] = "x"
        if i and not figure.panels:
            layout[f"yaxis{name}"]["matches"] = "y"
        if y.limits == (0, None) and n > 1 and not figure.panels:
            # Matched axes ignore half-open ranges.
            layout[f"yaxis{name}"]["rangemode"] = "tozero"
        elif y.limits != (None, None):
            layout[f"yaxis{name}"]["range"] = _range(y.limits, kind)
        if panel:
            top = 1.005 - left if figure.stacked else HALF + 0.02 if square and i > 1 else 1.02
            layout["annotations"].append(_above(panel, 0 if figure.stacked else left, top))
            layout["margin"]["t"] = MARGIN + BUTTONS
    for published in marks:
        at = panels.index(published.panel) if published.panel in panels else 0
        words = worded([one for one in series if one.panel == panels[at]])
        _mark(published, at, words, data, layout)
    return {"data": data, "layout": layout}


HALF = 0.42
"""Height of a panel in two rows."""


def _layout() -> dict[str, Any]:
    return {
        "font": {"family": "system-ui, sans-serif", "size": 13, "color": "#222"},
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
        "margin": {"l": 64, "r": 12, "t": MARGIN, "b": 56},
        "hovermode": "closest",
        "legend": {"orientation": "h", "yref": "container", "yanchor": "bottom", "y": 0.01, "x": 0},
        "annotations": [],
        "shapes": [],
    }


def _title(text: str, room: float = math.inf) -> dict[str, Any]:
    """The title of an axis; the unit is on a second line if the first has no room for it [px]."""
    fits = LETTER * len(text) <= room
    return {"text": text if fits else text.replace(" [", "<br>["), "font": {"size": 13}}


def _numbers(room: float = math.inf, *, log: bool = False) -> dict[str, Any]:
    """The scale of an axis, with so few numbers that they do not touch."""
    narrow = room < 250
    if log:
        return {"type": "log", "nticks": 3 if narrow else 5}
    return {"type": "-", "nticks": 4, "tickangle": 0} if narrow else {"type": "-"}


def _range(limits: tuple[float | None, float | None], kind: str) -> list[float | None]:
    """The range of an axis; for a logarithmic one Plotly needs exponents."""
    return [math.log10(at) if kind == "log" and at is not None else at for at in limits]


def _above(panel: str, left: float, top: float = 1.02) -> dict[str, Any]:
    at = {"x": left, "y": top, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    return {"text": f"<b>{panel}</b>", "showarrow": False, **at}


def _on_its_side(figure: Figure, series: Sequence[Series], panels: Sequence[str]) -> dict[str, Any]:
    """Data and layout with words on the vertical axis, the first on top, and the values of all series beside each."""
    words, layout = worded(series), _layout()
    data: list[dict[str, Any]] = []
    width, gap = (1 - 0.04 * (len(panels) - 1)) / len(panels), 0.04
    room = width * (WIDTH - LETTER * max(map(len, words), default=0))
    for i, panel in enumerate(panels):
        name, left = "" if i == 0 else str(i + 1), i * (width + gap)
        axis = figure.panel(panel, first=True)
        layout[f"xaxis{name}"] = {"title": _title(axis.y, room), "domain": [left, left + width], **LINES}
        layout[f"xaxis{name}"] |= _numbers(room)
        if axis.limits != (None, None):
            layout[f"xaxis{name}"]["range"] = list(axis.limits)
        rows = {"tickvals": list(range(len(words))), "ticktext": words, "showticklabels": i == 0, "showgrid": False}
        ends = {"range": [len(words) - 0.5, -0.5], "anchor": f"x{name}"}
        layout[f"yaxis{name}"] = LINES | rows | ends
        if panel:
            layout["annotations"].append(_above(panel, left))
            layout["margin"]["t"] = MARGIN + BUTTONS
        mine = [one for one in series if one.panel == panel]
        for one, mark, column in zip(mine, marks_of(mine), columns(mine), strict=True):
            shown = colour(one.of, one.shade)
            known = [i for i, y in enumerate(one.y) if y is not None]
            trace: dict[str, Any] = {"type": "scatter", "name": one.name, "legendgroup": one.name, **_axis(i)}
            trace["showlegend"] = not titled(one) and all(other["name"] != one.name for other in data)
            if one.kind == "reference":
                dashed = {"color": shown if one.of else COLOURS["published"], "width": 1.6}
                dashed["dash"] = "dot" if one.of else "dash"
                x, y = [one.y[0]] * 2, [-0.5, len(words) - 0.5]
                data.append(trace | {"mode": "lines", "line": dashed, "x": x, "y": y})
                continue
            half = [one.ci95[i] or 0.0 for i in known]
            trace |= {"x": [one.y[i] for i in known], "y": [beside(one.x[i], words, *column) for i in known]}
            trace |= {"mode": "markers", "marker": {"color": shown, "size": 9, "symbol": PLOTLY_MARKS[mark]}}
            trace |= {"customdata": half, "hovertemplate": "%{x:.4g} ± %{customdata:.2g}"}
            if one.kind == "other":
                trace["marker"] |= {"symbol": "line-ns-open"}
                data.append(trace | {"showlegend": one.legend, "opacity": 0.6})
                continue
            data.append(trace | {"error_x": {"array": half, "color": shown, "thickness": 1.5}})
    return {"data": data, "layout": layout}


LINES = {"gridcolor": "#e4e4e4", "linecolor": "#777", "ticks": "outside", "zeroline": False, "automargin": True}


def label(x: float | str) -> float | str:
    """A label of the axis; a word may be broken into two lines."""
    return x.replace(", ", "<br>") if isinstance(x, str) else x


def _axis(panel: int) -> dict[str, str]:
    return {} if panel == 0 else {"xaxis": f"x{panel + 1}", "yaxis": f"y{panel + 1}"}


def _traces(one: Series, at: Sequence[float], mark: str, axis: dict[str, str], *, first: bool) -> list[dict[str, Any]]:
    shown = colour(one.of, one.shade)
    known = [i for i, y in enumerate(one.y) if y is not None]
    x: list[Any] = [at[i] for i in known]
    y: list[float] = [one.y[i] or 0.0 for i in known]
    half = [one.ci95[i] for i in known]
    words = bool(worded([one]))
    trace: dict[str, Any] = {
        "type": "scatter",
        "name": one.name,
        "legendgroup": one.name,
        "showlegend": first and one.legend,
        "x": x,
        "y": y,
        **axis,
    }
    line = {"color": shown, "width": 2}
    reference = shown if one.of else COLOURS["published"]
    if one.kind in ("points", "runs"):
        trace |= {"mode": "markers", "marker": {"color": shown, "size": 4, "opacity": 0.6}}
    elif one.kind == "cells":
        trace |= {"mode": "markers", "marker": {"color": shown, "size": 5, "symbol": "square"}}
    elif one.kind == "steps":
        trace |= {"mode": "lines", "line": {"color": shown, "width": 1.2, "shape": "hv"}}
    elif one.kind == "events":
        _, size, symbol = EVENTS[one.of]
        trace |= {"mode": "markers", "marker": {"color": shown, "size": 2 * size, "symbol": symbol}}
    elif one.kind == "reference":
        trace |= {"mode": "lines", "line": {"color": reference, "width": 1.6, "dash": "dot" if one.of else "dash"}}
    elif one.kind == "other":
        trace |= {"opacity": 0.6}
        if words:
            trace |= {"mode": "markers", "marker": {"color": shown, "size": 9, "symbol": "line-ew-open"}}
        else:
            trace |= {"mode": "lines", "line": {"color": shown, "width": 1.4, "dash": "dot"}}
    elif one.kind == "flat":
        trace |= {"mode": "lines", "line": line | {"dash": "dash"}}
    elif words:
        trace |= {"mode": "markers", "marker": {"color": shown, "size": 9, "symbol": PLOTLY_MARKS[mark]}}
        trace["error_y"] = {"array": [h or 0.0 for h in half], "color": shown, "thickness": 1.5}
    else:
        trace |= {"mode": "lines+markers", "line": line}
        trace["marker"] = {"size": 7, "symbol": PLOTLY_MARKS[mark]}
    if one.kind not in ("line", "flat") or words or not any(half):
        return [trace]
    trace["customdata"] = half
    trace["hovertemplate"] = "%{x}, %{y:.4g} ± %{customdata:.2g}"
    band = {
        "type": "scatter",
        "x": x + x[::-1],
        "y": [b + (h or 0.0) for b, h in zip(y, half, strict=True)]
        + [b - (h or 0.0) for b, h in zip(y[::-1], half[::-1], strict=True)],
        "fill": "toself",
        "fillcolor": rgba(one.of, one.shade, 0.1),
        "line": {"width": 0},
        "mode": "lines",
        "hoverinfo": "skip",
        "showlegend": False,
        "legendgroup": one.name,
        **axis,
    }
    return [band, trace]


STAR = {"symbol": "star-open", "size": 13, "line": {"width": 2}}


def _mark(mark: Mark, panel: int, words: Sequence[str], data: list[dict[str, Any]], layout: dict[str, Any]) -> None:
    shown = colour(mark.of) if mark.of else COLOURS["published"]
    name, axis = f"paper: {mark.label}", _axis(panel)
    first = all(trace["name"] != name for trace in data if "name" in trace)
    spot: dict[str, Any]
    if mark.x is not None and mark.y is not None:
        spot = {"type": "scatter", "mode": "markers", "x": [place(mark.x, words)], "y": [mark.y], "name": name}
        spot |= {"legendgroup": name, "showlegend": first}
        data.append(spot | {"marker": STAR | {"color": shown}} | axis)
        return
    if mark.x is None and mark.y is None:
        spot = {"x": 1, "y": 1.02, "xref": "paper", "yref": "paper", "xanchor": "right", "yanchor": "bottom"}
        layout["annotations"].append({"text": name, "showarrow": False, **spot})
        return
    # Lines across the panel, with a band between the two of a range, and an empty trace for the legend.
    dotted = {"color": shown, "width": 2, "dash": "dot"}
    x, y = axis.get("xaxis", "x"), axis.get("yaxis", "y")
    levels = [level for level in (mark.y, mark.y_to) if level is not None]
    lines = [{"x0": 0, "x1": 1, "xref": f"{x} domain", "y0": level, "y1": level, "yref": y} for level in levels]
    handle: dict[str, Any] = {"mode": "lines", "line": dotted}
    if mark.y_to is not None:
        fill = rgba(mark.of or "published", 0.0, 0.16)
        band = {"type": "rect", "layer": "below", "fillcolor": fill, "line": {"width": 0}}
        layout["shapes"].append(lines[0] | {"y1": mark.y_to} | band)
        handle = {"mode": "markers", "marker": {"symbol": "square", "size": 14, "color": fill}}
    elif not levels:
        lines = [{"x0": mark.x, "x1": mark.x, "xref": x, "y0": 0, "y1": 1, "yref": f"{y} domain"}]
        handle = {"mode": "markers", "marker": {"symbol": "line-ns-open", "size": 12, "color": shown}}
    layout["shapes"] += [{"type": "line", "line": dotted} | line for line in lines]
    data.append({"type": "scatter", "x": [None], "y": [None], "name": name, "showlegend": first} | handle)
