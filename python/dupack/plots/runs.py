"""Time courses of a run: windows, backlogs, goodput, events, and a heat map of the queues of a network."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from dupack.errors import RequestError
from dupack.plots.canvas import DASHES, INKS, PALE, SOLID, finish, page, spine, ticks
from dupack.plots.data import Data, flow_of
from dupack.plots.words import scale
from dupack.words import known

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dupack.figures import Figure

BINS = 60
"""Number of intervals of a goodput curve."""
ROWS = 40
"""The most links of a heat map: those with the largest backlogs."""
COLUMNS = 240
"""The most intervals of a heat map."""
EVENT_NAMES = {"drop": "drop", "fast_retransmit": "fast retransmit", "timeout": "timeout", "mark": "mark"}
"""Events that are drawn below windows."""
EDGE = "#000000"
CELLS = 240
"""Places for ticks of events beside each other. If events fill half of them, they are shaded instead."""
STRIP = 0.14
"""Height of a row of events below the windows [in]."""
BANDS = {
    "slow-start": "#56B4E9",
    "startup": "#56B4E9",
    "conservative-slow-start": "#0072B2",
    "drain": "#CC79A7",
    "recovery": "#D55E00",
    "probe-rtt": "#D55E00",
    "probe-bw-refill": "#F0E442",
    "probe-bw-up": "#E69F00",
    "probe-bw-down": "#009E73",
    "measuring": "#56B4E9",
}
"""Colours of the states of a sender, as bands behind its window. States without one are what a sender is in most of the
time: they have no band."""
NAMED = 3
"""The most flows that a sentence names."""
Happened = dict[str, list[tuple[float, float, str]]]
"""Of each event that is drawn, the times, the windows, and the flows."""

NO_TAPE = "Without a tape of the run, drops and other events are not known."

Names = str | Sequence[str] | None


def cwnd(data: Data, flows: Names = None, *, seed: int | None = None) -> Figure:
    """Congestion windows over time, with losses if there is a tape; behind a single one bands for its states."""
    run = data.only(seed, "cwnd")
    times, every = _course(data, "cwnd", run, "flow", flows)
    found = every if flows is not None else _changing(every)
    still = len(every) - len(found)
    told = [f"Left out: {still} flow{'s' if still > 1 else ''} with a window that does not change."] if still else []
    told += [*_sums(data, run, list(found)), *([NO_TAPE] if data.events() is None else [])]
    events = _happened(data, times, found)
    heights = [2.5, *[STRIP * len(events)] * bool(events)]
    with page(len(heights), rows=len(heights), height=0.4 + sum(heights), **_stacked(heights)) as (figure, axes):
        ax = axes[0]
        _bands(figure, ax, data, run, list(found))
        _lines(figure, ax, times, found, "flow", "cwnd_segments", among=_among(data, run, found))
        _label(figure, ax, "cwnd [segments]", times)
        if events:
            told.append(_strip(figure, axes[1], ax, events, times))
            axes[1].set_xlabel(ax.get_xlabel())
            ax.set_xlabel("")
        finish(figure, axes, _title(data, run), " ".join(told))
    return figure


def _changing(windows: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Those that change, or all if none does: a sender without acks has a window, but is not limited by it."""
    changing = {name: values for name, values in windows.items() if len(set(values)) > 1}
    return changing or windows


def queue(data: Data, links: Names = None, *, seed: int | None = None) -> Figure:
    """Backlogs over time, of all links with a queue discipline, or of those named."""
    run = data.only(seed, "queue")
    times, every = _course(data, "backlog", run, "link with a queue discipline", links)
    found = {name: values for name, values in every.items() if links is not None or any(values)} or every
    idle = len(every) - len(found)
    note = f"Left out: {idle} queue{'s' if idle > 1 else ''} that {'were' if idle > 1 else 'was'} empty at all samples."
    unit = data.carries(found)
    with page() as (figure, (ax,)):
        _lines(figure, ax, times, found, "link", f"backlog_{unit}")
        one = f" of {next(iter(found))}" if len(found) == 1 else ""
        _label(figure, ax, f"backlog{one} [{unit}]", times)
        finish(figure, [ax], _title(data, run), note if idle else "")
    return figure


def goodput(data: Data, flows: Names = None, *, seed: int | None = None) -> Figure:
    """Goodput over time, as means over intervals, of all flows or of those named, and their sum."""
    run = data.only(seed, "goodput")
    times, found = _course(data, "delivered", run, "flow", flows)
    with page() as (figure, (ax,)):
        _goodput(figure, ax, times, found, _among(data, run, found))
        finish(figure, [ax], _title(data, run))
    return figure


def course(data: Data, flows: Names = None, links: Names = None, *, seed: int | None = None) -> Figure:
    """Windows with their events, backlogs and goodput of a run, one above the other on one time axis."""
    run = data.only(seed, "course")
    parts: list[tuple[str, list[float], dict[str, list[Any]]]] = []
    for measure, what, names in (("cwnd", "flow", flows), ("backlog", "link", links), ("delivered", "flow", flows)):
        times, every = data.series(measure, *run)
        if every:
            if names is None and measure == "cwnd":
                every = _changing(every)
            chosen = _busy(every) if names is None and measure == "backlog" else names
            parts.append((measure, times, _only(every, chosen, what)))
    if not parts:
        raise RequestError(_no_samples(data, "course"))
    told = [note for measure, _, found in parts if measure == "cwnd" for note in _sums(data, run, list(found))]
    told += [NO_TAPE] if data.events() is None and parts[0][0] == "cwnd" else []
    windows = next(((times, found) for measure, times, found in parts if measure == "cwnd"), ([], {}))
    events = _happened(data, *windows)
    heights = [1.35] * len(parts)
    heights[1:1] = [STRIP * len(events)] * bool(events)
    with page(len(heights), rows=len(heights), height=0.5 + sum(heights), **_stacked(heights)) as (figure, every_):
        axes = [every_[0], *every_[1 + bool(events) :]]
        for (measure, times, found), ax in zip(parts, axes, strict=True):
            if measure == "delivered":
                _goodput(figure, ax, times, found, _among(data, run, found))
            elif measure == "backlog":
                unit = data.carries(found)
                _lines(figure, ax, times, found, "link", f"backlog_{unit}")
                if len(found) > 1:
                    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, fontsize=6.5)
                one = f"backlog of {next(iter(found))}" if len(found) == 1 else "backlog"
                _label(figure, ax, f"{one}\n[{unit}]", times)
            else:
                _bands(figure, ax, data, run, list(found))
                _lines(figure, ax, times, found, "flow", "cwnd_segments", among=_among(data, run, found))
                _label(figure, ax, "cwnd\n[segments]", times)
                if events:
                    told.append(_strip(figure, every_[1], ax, events, times))
            if ax is not axes[-1]:
                ax.set_xlabel("")
        figure.align_ylabels(axes)
        flows_ = [ax for (measure, *_), ax in zip(parts, axes, strict=True) if measure != "backlog"]
        finish(figure, every_, _title(data, run), " ".join(told), of=flows_)
    return figure


def queues(data: Data, links: Names = None, *, seed: int | None = None) -> Figure:
    """A heat map of backlogs over time: a row per link, the largest backlog of each interval."""
    run = data.only(seed, "queues")
    times, every = _course(data, "backlog", run, "link with a queue discipline", links)
    used = {name: values for name, values in every.items() if any(values)}
    if not used:
        raise RequestError("nothing to draw: no queue ever held anything at a sample")
    largest = sorted(used, key=lambda name: max(used[name]), reverse=True)[:ROWS]
    shown = [name for name in used if name in set(largest)]
    unit = data.carries(shown)
    step = max(1, -(-len(times) // COLUMNS))
    starts = range(0, len(times), step)
    grid = [[max(used[name][i : i + step]) for i in starts] for name in shown]
    ends = [times[i] for i in starts] + [times[-1] + (times[1] - times[0] if len(times) > 1 else 1.0)]
    factor, second = scale([times[-1]], "time")
    height = max(1.3 if len(shown) < SOLID else 2.2, 0.8 + 0.15 * len(shown))
    with page(width=5.6, height=height) as (figure, (ax,)):
        drawn = ax.pcolormesh(
            [end / factor for end in ends], range(len(shown) + 1), grid, cmap="viridis", rasterized=True, vmin=0
        )
        ax.grid(visible=False)
        ticks(ax, "y", shown, first=0.5, fontsize=7.5 if len(shown) <= 16 else 5.5)
        ax.set_ylim(len(shown), 0)
        ax.set_xlabel(f"time [{second}]")
        spine(ax, "x")
        figure.colorbar(drawn, ax=ax, pad=0.02).set_label(f"backlog [{unit}]")
        for name, values in zip(shown, grid, strict=True):
            for i, value in zip(starts, values, strict=True):
                figure.data.append({"link": name, "time_s": times[i], f"backlog_{unit}": value})
        note = f"The largest backlog in intervals of {number_of(times, step)}."
        plain = len(data.rows_of("links", run)) - len(every) if links is None else 0
        idle, least = len(every) - len(used), len(used) - len(shown)
        note += f" Left out: {idle} queues that were empty at all samples." if idle else ""
        note += f" Left out: {least} links with smaller backlogs." if least else ""
        if plain > 0:
            note += f" Left out: {plain} link{'s' if plain > 1 else ''} without a queue discipline."
        note += " `queue` draws the backlog of a single link as a curve." if len(shown) == 1 else ""
        finish(figure, [ax], _title(data, run), note)
    return figure


def gauges(data: Data, links: Names = None, *, seed: int | None = None) -> Figure:
    """State variables of disciplines and rate markers over time, such as RED's average: a panel for each."""
    run = data.only(seed, "gauges")
    times, every = data.gauges(run)
    if not times:
        raise RequestError(_no_samples(data, "gauges"))
    if not every:
        raise RequestError(
            "nothing to draw: no queue of this network has a state that is sampled (RED, CoDel, PIE have)"
        )
    found = _only({gauge.link: [] for gauge in every}, links, "link whose queue has gauges")
    drawn = [gauge for link in found for gauge in every if gauge.link == link]
    # RED's average may be in packets on one link and in bytes on another.
    panels = list(dict.fromkeys((gauge.name, gauge.unit) for gauge in drawn))
    owners = list(dict.fromkeys(gauge.owner for gauge in drawn))
    with page(len(panels), rows=len(panels), height=0.5 + 1.35 * len(panels), sharex="all") as (figure, axes):
        for (name, unit), ax in zip(panels, axes, strict=True):
            lines = {gauge.owner: gauge.values for gauge in drawn if (gauge.name, gauge.unit) == (name, unit)}
            column = f"{name} [{unit}]" if unit else name
            _lines(figure, ax, times, lines, "link", column, among=owners)
            one = f"\nof {next(iter(lines))}" if len(lines) == 1 else ""
            _label(figure, ax, f"{name}{one}\n[{unit}]" if unit else f"{name}{one}", times)
            if ax is not axes[-1]:
                ax.set_xlabel("")
        figure.align_ylabels(axes)
        finish(figure, axes, _title(data, run))
    return figure


def number_of(times: Sequence[float], step: int) -> str:
    """The length of an interval, in words."""
    from dupack.amounts import seconds

    return seconds((times[1] - times[0]) * step if len(times) > 1 else times[-1])


def _title(data: Data, run: tuple[int, int]) -> str:
    # A tape does not know its seed.
    seed = [f"seed {run[1]}"] if run[1] >= 0 else []
    return ", ".join([data.title, *filter(None, [data.fixed()]), *seed])


def _no_samples(data: Data, what: str) -> str:
    return (
        f'{what}: {data.where or data.title} has no samples of this run; `sample = "10 ms"` in the plan takes one each '
        "10 ms (Network.run in Python samples by itself; sweeps in memory do not)"
    )


def _course(
    data: Data, measure: str, run: tuple[int, int], what: str, asked: Names
) -> tuple[list[float], dict[str, list[Any]]]:
    times, every = data.series(measure, *run)
    if not times:
        raise RequestError(_no_samples(data, {"backlog": "queue", "delivered": "goodput"}.get(measure, measure)))
    if not every:
        raise RequestError("nothing to draw: no link of this network has a queue discipline")
    return times, _only(every, asked, what)


def _only(every: dict[str, list[Any]], asked: Names, what: str) -> dict[str, list[Any]]:
    names = [asked] if isinstance(asked, str) else asked
    return every if names is None else {known(name, every, what): every[name] for name in names}


def _busy(every: dict[str, list[Any]]) -> list[str]:
    """The links that matter most: the up to seven with the largest backlogs."""
    order = sorted(every, key=lambda name: max(every[name], default=0), reverse=True)
    chosen = {name for name in order[: len(INKS)] if max(every[name], default=0) > 0} or set(order[:1])
    return [name for name in every if name in chosen]


def _lines(
    figure: Figure,
    ax: Axes,
    x: Sequence[float],
    lines: dict[str, list[Any]],
    what: str,
    column: str,
    *,
    hold: bool = True,
    factor: float = 1.0,
    among: Sequence[str] = (),
) -> None:
    """Curves with names; if there are many, all have the same colour.

    ``among`` are the names in several panels: if they are few, each has a colour of its own in all panels.
    """
    names = list(among if 0 < len(among) <= len(INKS) else lines)
    many = len(names) > len(INKS)
    for i, (name, y) in enumerate(lines.items()):
        nth = 0 if many else names.index(name)
        style: dict[str, Any] = {"color": INKS[nth], "linestyle": "-" if nth < SOLID else DASHES}
        style |= {"linewidth": 0.8 if many else 1.1, "alpha": 0.35 if many else 0.9}
        own = f"{len(lines)} {what}s" if many and i == 0 else None if many else name
        told = [math.nan if value is None else value / factor for value in y]
        ax.plot(x, told, drawstyle="steps-post" if hold else "default", label=own, **style)
        figure.data += [{what: name, "time_s": at, column: value} for at, value in zip(x, y, strict=True)]


def _goodput(figure: Figure, ax: Axes, at: list[float], found: dict[str, list[Any]], among: Sequence[str]) -> None:
    step = max(1, (len(at) - 1) // BINS)
    edges = [i for i in range(0, len(at), step) if i + step < len(at)]
    times = [(at[i] + at[i + step]) / 2 for i in edges]
    rates = {
        name: [(told[i + step] - told[i]) * 8 / (at[i + step] - at[i]) for i in edges] for name, told in found.items()
    }
    total = [sum(values) for values in zip(*rates.values(), strict=True)]
    factor, unit = scale(total, "rate")
    _lines(figure, ax, times, rates, "flow", "goodput_bps", hold=False, factor=factor, among=among)
    if len(found) > 1:
        ax.plot(times, [y / factor for y in total], color=PALE, linewidth=1.6, label="sum")
    _label(figure, ax, f"goodput [{unit}]", at)


def _among(data: Data, run: tuple[int, int], drawn: Mapping[str, Any]) -> list[str]:
    """All flows of a run, if those that are drawn are among them: a flow has one colour in all figures of the run."""
    every = data.every(run)
    return every if set(drawn) <= set(every) else []


def _bands(figure: Figure, ax: Axes, data: Data, run: tuple[int, int], flows: Sequence[str]) -> None:
    """The states of the only flow that is drawn, behind its window."""
    times, every = data.series("state", *run)
    if len(flows) != 1 or flows[0] not in every:
        return
    states = every[flows[0]]
    starts = [i for i, state in enumerate(states) if i == 0 or state != states[i - 1]]
    named = set()
    for start, end in zip(starts, [*starts[1:], len(states) - 1], strict=True):
        state = states[start]
        figure.data.append({"flow": flows[0], "time_s": times[start], "state": state})
        if state in BANDS and times[end] > times[start]:
            label = "_" if state in named else state
            named.add(state)
            ax.axvspan(times[start], times[end], color=BANDS[state], alpha=0.3, linewidth=0, zorder=0, label=label)


def _sums(data: Data, run: tuple[int, int], flows: Sequence[str]) -> list[str]:
    """A sentence on the windows of flows that are many connections."""
    rows = [row for row in data.rows("flows") if (row["point"], row["seed"]) == run]
    many = {row["name"] for row in rows if row.get("connections_begun") is not None}
    found = [name for name in flows if name in many]
    if not found:
        return []
    told = ", ".join(found) if len(found) <= NAMED else f"each of {len(found)} flows"
    return [f"The window of {told} is the sum over open connections."]


def _happened(data: Data, times: Sequence[float], windows: Mapping[str, Sequence[Any]]) -> Happened:
    """Losses, timeouts, fast retransmits and marks of a tape, of the flows that are drawn."""
    tape = data.events()
    found: Happened = {event: [] for event in EVENT_NAMES}
    if tape is None or not windows:
        return {}
    for time, whose, what, cwnd in zip(tape["time_s"], tape["flow"], tape["event"], tape["cwnd"], strict=True):
        flow = flow_of(whose, windows) if what in found else None
        if flow is None:
            continue
        if flow == whose:
            found[what].append((time, cwnd, flow))
        elif times[0] <= time:
            # The window of a connection is a part of what is drawn.
            found[what].append((time, windows[flow][bisect_right(times, time) - 1], flow))
    return {event: rows for event, rows in found.items() if rows}


def _stacked(heights: Sequence[float]) -> dict[str, Any]:
    """Options of a page with panels of these heights on one time axis."""
    return {"sharex": "all", "gridspec_kw": {"height_ratios": heights}}


def _strip(figure: Figure, ax: Axes, above: Axes, events: Happened, times: Sequence[float]) -> str:
    """Events below the windows, a row for each kind; returns a sentence on them.

    Each is a tick in the colour of its flow. Events that would fill the row are shaded, by how many there are.
    """
    inks = {str(line.get_label()): line.get_color() for line in above.lines}
    width = (times[-1] - times[0]) / CELLS
    most = {}
    for row, (event, found) in enumerate(events.items()):
        counts = Counter(min(int((time - times[0]) / width), CELLS - 1) for time, *_ in found)
        if len(counts) > CELLS // 2:
            most[event] = max(counts.values())
            at = [times[0] + cell * width for cell in counts]
            # A single event can be seen, too.
            shades = [(0.0, 0.0, 0.0, 0.25 + 0.75 * count / most[event]) for count in counts.values()]
            ax.bar(at, 0.8, width=width, bottom=row - 0.4, align="edge", color=shades, linewidth=0)
        else:
            # In order of time, whatever the flow: none is above all others.
            ends = [time for time, *_ in found]
            colours = [inks.get(flow, EDGE) for *_, flow in found]
            ax.vlines(ends, row - 0.4, row + 0.4, colors=colours, linewidth=0.8)
        name = EVENT_NAMES[event]
        figure.data += [{"event": name, "time_s": time, "cwnd_segments": cwnd, "flow": of} for time, cwnd, of in found]
    ticks(ax, "y", [EVENT_NAMES[event] for event in events], fontsize=6.5)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(events) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")
    ax.spines["left"].set_visible(False)
    above.tick_params(axis="x", labelbottom=False)
    told = []
    if len(most) < len(events):
        coloured = any(inks.get(flow, EDGE) != EDGE for found in events.values() for *_, flow in found)
        told.append(f"Ticks: events{', in the colour of their flow' if coloured else ''}.")
    if most:
        shaded = ", ".join(f"{count} {EVENT_NAMES[event]}s" for event, count in most.items())
        told.append(f"Shades: the darkest has {shaded} in {_length(width)}.")
    return " ".join(told)


def _length(width: float) -> str:
    """The length of an interval with two digits."""
    from dupack.amounts import seconds

    return seconds(float(f"{width:.2g}"))


def _scaled(factor: float, value: float, _: int | None) -> str:
    return f"{value / factor:g}"


def _label(figure: Figure, ax: Axes, y: str, times: Sequence[float]) -> None:
    factor, unit = scale([times[-1]], "time") if times else (1.0, "s")
    if factor != 1.0 and unit != "s":
        from matplotlib.ticker import FuncFormatter

        spine(ax, "x")
        ax.xaxis.set_major_formatter(FuncFormatter(partial(_scaled, factor)))
    else:
        spine(ax, "x")
    ax.set_xlabel(f"time [{unit}]")
    ax.set_ylabel(y)
    ax.set_xlim(times[0], times[-1])
    spine(ax, "y")
    ax.set_ylim(bottom=0)
