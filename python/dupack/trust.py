"""Whether live runs can be trusted, in print: doubts, lateness, packets refused, and departures from the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from dupack.amounts import seconds
from dupack.words import setting

Document = dict[str, Any]
Runs = Sequence[tuple[Mapping[str, Any], Document]]
"""Runs, each with the values of its point."""

MOST = 8
"""The most doubts that are printed; the others are counted."""


def runs_of(document: Document) -> Runs:
    """All runs in a document of ``dupack run`` or ``dupack live``."""
    points = document.get("points", [document])
    return [(point.get("settings", {}), run) for point in points for run in point.get("runs", [point])]


def say_doubts(runs: Runs, out: Console) -> None:
    """Prints why live runs are not to be trusted, with point and seed where there are several."""
    several = len(runs) > 1
    told = [
        f"{at(settings)}seed {run['seed']}: {doubt}" if several else doubt
        for settings, run in runs
        for doubt in run.get("live", {}).get("doubts", ())
    ]
    say(told, out)


def say(doubts: Sequence[str], out: Console) -> None:
    """Prints doubts, one on a line."""
    for doubt in doubts[:MOST]:
        out.print(f"DO NOT TRUST THIS: {doubt}", style="bold red", markup=False, highlight=False)
    if len(doubts) > MOST:
        more = f"DO NOT TRUST THIS: {len(doubts) - MOST:,} more such lines; --json has all"
        out.print(more, style="bold red", markup=False, highlight=False)


def at(settings: Mapping[str, Any]) -> str:
    """A point, before what is said of it; empty without a sweep."""
    return "".join(f"{path} = {setting(value)}, " for path, value in settings.items())


def lateness(runs: Runs) -> list[str]:
    """How late the packets of live runs were written, at worst of all runs, what was refused, and the departures."""
    lives = [run["live"] for _, run in runs if "live" in run]
    told = [live["lateness_s"] for live in lives if live["lateness_s"]]
    lines = []
    if told:
        worst = {key: max(one[key] for one in told) for key in ("p50", "p99", "max")}
        missed = sum(live["missed_deadlines"] for live in lives)
        written = sum(live["packets_written"] for live in lives)
        times = ", ".join(f"{key} {seconds(value)}" for key, value in worst.items())
        lines.append(
            f"Lateness of the router{', the worst of all runs' if len(lives) > 1 else ''}: {times}; "
            f"{missed:,} of {written:,} packets later than the bound of {seconds(lives[0]['bound_s'])}; "
            f"{100 * max(live['cpu_share'] for live in lives):.0f} % of a core."
        )
    reasons = lives[0]["refused"] if lives else {}
    refused = {why: n for why in reasons if (n := sum(live["refused"][why] for live in lives))}
    if refused:
        counts = ", ".join(f"{n:,} {why.replace('_', ' ')}" for why, n in refused.items())
        lines.append(f"Packets refused: {counts}.")
    departures: dict[str, list[str]] = {}
    for live in lives:
        for flow, notes in live["departures"].items():
            known = departures.setdefault(flow, [])
            known += [note for note in notes if note not in known]
    return [*lines, *_together(departures)]


def _together(departures: Mapping[str, Sequence[str]]) -> list[str]:
    """A sentence for the flows that depart in the same way."""
    flows: dict[tuple[str, ...], list[str]] = {}
    for flow, notes in departures.items():
        flows.setdefault(tuple(notes), []).append(flow)
    return [
        f"Flow {mine[0]} departs from the plan: {'; '.join(notes)}."
        if len(mine) == 1
        else f"Flow {mine[0]} and {len(mine) - 1} more depart from the plan: {'; '.join(notes)}."
        for notes, mine in flows.items()
    ]
