"""The tables of ``dupack check``: flows, connections and links of a plan."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from dupack import amounts, tables
from dupack.document import Document

MOST = 4
"""The most links or flows that a line names."""

Made = tuple[Table, list[tuple[str, ...]], list[str]]
"""A table, its rows, and the columns that it can leave out."""


def _table(title: str, columns: Sequence[str], left: int) -> Table:
    return tables.table(title, columns, left=left, plain=not tables.console().is_terminal)


def flows(found: Sequence[Document]) -> Made:
    """Flows that are a single connection."""
    made = _table("Flows", ["flow", "transport", "path", "RTT", "bottleneck", "BDP", "window"], 3)
    rows: list[tuple[str, ...]] = []
    for name, ones in tables.grouped([found], ("transport", "bottleneck_bps", "round_trip_s")):
        flow = ones[0]
        path = " ".join(flow["path"]) if len(ones) == 1 else f"{len(flow['path']) - 1} links"
        bdp = f"{amounts.count(flow['bdp_segments'])} segments"
        line = f"{amounts.rate(flow['bottleneck_bps'])}, {flow['bottleneck']}"
        most, share = flow["window_segments"], flow["window_share"]
        filled = f", alone fills {amounts.share(share)}" if share < 1 else ""
        window = "-" if most is None else f"{most} segments{filled}"
        rows.append((name, flow["transport"], path, amounts.seconds(flow["round_trip_s"]), line, bdp, window))
    return made, rows, ["path", "transport"]


def arrivals(found: Sequence[Document]) -> Made:
    """Flows that are many connections."""
    heads = ["flow", "transport", "between", "connections", "mean size", "offered", "RTT", "bottleneck", "load"]
    made = _table("Connections", heads, 3)
    rows: list[tuple[str, ...]] = []
    for flow in found:
        least, most = (amounts.seconds(trip) for trip in flow["round_trip_s"])
        between = _hosts(*flow["sources"])
        if flow["sources"] != flow["targets"]:
            between += f" to {_hosts(*flow['targets'])}"
        number = flow["expected"]
        expected = "-" if number is None else f"about {float(f'{number:.3g}'):,.0f}"
        if flow["at_once"] is not None:
            expected = f"{flow['at_once']} at once" + ("" if number is None else f", {expected}")
        offered = amounts.rate(flow["offered_bps"]) if flow["offered_bps"] is not None else "-"
        load = amounts.share(flow["bottleneck_load"]) if flow["bottleneck_load"] is not None else "-"
        rows.append(
            (
                flow["name"],
                flow["transport"],
                f"{between}, {flow['pairs']} {'pair' if flow['pairs'] == 1 else 'pairs'}",
                expected,
                _size(flow["mean_size_bytes"]),
                offered,
                least if least == most else f"{least} to {most}",
                f"{amounts.rate(flow['bottleneck_bps'])}, {flow['bottleneck']}",
                load,
            )
        )
    return made, rows, ["transport", "RTT", "mean size"]


def overloaded(found: Sequence[Document]) -> str:
    """A line on links whose offered load exceeds their rate; empty if there are none."""
    over = [link for link in found if (link["offered_load"] or 0) > 1]
    over.sort(key=lambda link: -link["offered_load"])
    told = [f"{link['name']} ({amounts.share(link['offered_load'])})" for link in over[:MOST]]
    more = f" and {len(over) - MOST} more" if len(over) > MOST else ""
    return f"Overloaded: {', '.join(told)}{more}." if told else ""


def short_windows(flows: Sequence[Document], links: Sequence[Document]) -> str:
    """A line per bottleneck on windows smaller than BDP plus buffer: such a flow alone loses nothing."""
    room = {link["name"]: (link["buffer_s"] or 0) * link["rate_bps"] for link in links if link["buffer_units"]}
    told: dict[tuple[str, int, int], list[str]] = {}
    for flow in flows:
        if (name := flow["bottleneck"]) in room:
            # The size of a segment on the bottleneck, from the BDP in bytes and in segments.
            bits = flow["bdp_bytes"] * 8 / flow["bdp_segments"]
            holds = round(flow["bdp_segments"] + room[name] / bits)
            if flow["window_segments"] is not None and flow["window_segments"] < holds:
                told.setdefault((name, flow["window_segments"], holds), []).append(flow["name"])
    lines = []
    for (name, window, holds), those in told.items():
        who = ", ".join(those[:MOST]) + (f" and {len(those) - MOST} more" if len(those) > MOST else "")
        lines.append(
            f"Small windows: {who} with at most {window} segments; BDP and buffer of {name} hold {holds}. "
            "One such flow never fills the buffer. Several may: some of them lose segments, others none."
        )
    return "\n".join(lines)


def _size(value: float) -> str:
    """A mean size [bytes]."""
    factor, unit = next(((f, u) for f, u in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")) if value >= f), (1, "B"))
    return f"{value / factor:.3g} {unit}"


def _hosts(many: int, first: str, last: str) -> str:
    return first if many == 1 else f"{many} hosts {first} ... {last}"


def links(found: Sequence[Document], *, loads: bool, flows: bool) -> Made:
    """Links that carry a flow or have a buffer."""
    heads = [
        "link",
        "queue",
        "carries",
        "rate",
        "delay",
        "buffer",
        *(["load"] if loads else []),
        *(["flows"] if flows else []),
    ]
    made = _table("Links", heads, 3)
    rows: list[tuple[str, ...]] = []
    busy = [
        link for link in found if link["flows"] or link["buffer_units"] is not None or link["offered_load"] is not None
    ]
    for name, ones in tables.grouped([busy], ("queue", "rate_bps", "delay_s", "buffer_units")):
        link = ones[0]
        room = "-"
        if link["buffer_units"] is not None:
            room = f"{amounts.count(link['buffer_units'])} {link['carries']}, {amounts.seconds(link['buffer_s'])}"
        passing = amounts.count(sum(one["flows"] for one in ones) / len(ones))
        rate, delay = amounts.rate(link["rate_bps"]), amounts.seconds(link["delay_s"])
        told = [one["offered_load"] for one in ones if one["offered_load"] is not None]
        load = [amounts.share(sum(told) / len(told)) if told else "-"] if loads else []
        rows.append((name, link["queue"], link["carries"], rate, delay, room, *load, *([passing] if flows else [])))
    return made, rows, ["carries"]
