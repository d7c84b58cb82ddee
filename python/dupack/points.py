"""The printed table of a sweep's points."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from dupack import connections, trust
from dupack.amounts import seconds
from dupack.document import estimate, estimates
from dupack.tables import (
    COMPLETED,
    SUMMARY,
    WIDTHS,
    Document,
    done,
    fit,
    measured,
    regime_note,
    say_left_out,
    short,
    table,
)
from dupack.words import setting

COMPLETION_NOTE = (
    "p50 and p99 are of completed connections or rounds. Open: connections not completed at the end of the run."
)


def show(document: Document, out: Console) -> None:
    """Prints the points in the document of `dupack run`."""
    points = document["points"]
    runs = [point.get("runs", [point]) for point in points]
    counts = sorted({len(mine) for mine in runs})
    many = " to ".join(str(n) for n in {counts[0]: 0, counts[-1]: 0})
    out.print(f"{len(points)} points of the sweep, {many} {'run' if many == '1' else 'runs'} each", end="")
    out.print(f"; {seconds(document['cpu_s'])} of CPU time")
    out.print()
    every = [run for mine in runs for run in mine]
    names = connections.in_runs(every)
    found = connections.columns(
        names, lambda measure: [[measure.value(run) for run in mine] for mine in runs], brief=True
    )
    tell(
        points,
        out,
        completed=[done(mine) for mine in runs],
        of=document.get("stop", {}).get("of", ""),
        completion=found,
        lone=connections.lone(every),
    )
    notes = trust.lateness(trust.runs_of(document))
    if notes:
        out.print()
    for note in notes:
        out.print(note)


MOST_NOTES = 6
"""Notes on regimes that are printed."""


def _tell_regimes(points: Sequence[Document], keys: Sequence[str], axes: Sequence[str], out: Console) -> None:
    """Prints a sentence for each number of a point whose runs fall into two groups."""
    notes = []
    for point in points:
        values = (setting(point["settings"].get(axis)) for axis in axes)
        at = ", ".join(f"{name} {value}" for name, value in zip(short(axes), values, strict=True))
        cells = {key: point["summary"][key] for key in keys if isinstance(point["summary"][key], dict)}
        notes += [text for key, cell in cells.items() if (text := regime_note(key, cell, at))]
    if notes:
        out.print()
    for text in notes[:MOST_NOTES]:
        out.print(text)
    if len(notes) > MOST_NOTES:
        out.print(f"{len(notes) - MOST_NOTES} more such notes; --json has all.")


def tell(
    points: Sequence[Document],
    out: Console,
    *,
    completed: Sequence[dict[str, float | None] | None] = (),
    of: str = "",
    completion: Sequence[connections.Column] = (),
    lone: bool = False,
) -> None:
    """Prints a row per point of a sweep.

    Args:
        points: Each has ``settings``, ``summary`` and perhaps the number of its runs, ``n``.
        out: The console.
        completed: When the flows of each point completed, if that is known.
        of: The measure of the stopping rule: it gets a column if it is among the ``measures`` and not in the summary.
        completion: The columns of flows that are many connections.
        lone: Whether the only flow is one of these.
    """
    axes = list(dict.fromkeys(path for point in points for path in point["settings"]))
    keys = list(points[0]["summary"])
    shown = [key for key in keys if not (lone and key == connections.JAIN)]
    counts = {point.get("n", len(point.get("runs", [None]))) for point in points}
    columns = [*short(axes), *(["runs"] if len(counts) > 1 else []), *(SUMMARY.get(key, key) for key in shown)]
    ends = any(completed)
    waited = [] if of.startswith("summary.") or of in [one.measure.name for one in completion] else [of]
    waited = [of for of in waited if all(of in point.get("measures", {}) for point in points)]
    columns += [*(one.label for one in completion), *waited]
    made = table("", [*columns, COMPLETED] if ends else columns, left=len(axes), plain=not out.is_terminal)
    made.title = None
    told = []
    halves = []
    for at, point in enumerate(points):
        settings = [setting(point["settings"].get(axis)) for axis in axes]
        summary = point["summary"]
        several = isinstance(summary[keys[0]], dict)
        cells = summary if several else estimates([point])
        found = [estimate(one.values[at]) for one in completion]
        halves += [cell["ci95"] for cell in (*cells.values(), *found) if several and cell["ci95"] is not None]
        values = [measured(key, cells[key]) for key in shown]
        n = point.get("n", len(point.get("runs", [None])))
        values = [str(n), *values] if len(counts) > 1 else values
        values += [measured(one.measure.key, cell) for one, cell in zip(completion, found, strict=True)]
        last = [measured(of, point["measures"][of]) for of in waited]
        if ends:
            when = completed[at]
            last.append(measured("_s", when) if when else "-")
        told.append((*settings, *values, *last))
    # With connections, the load of a link is of less interest.
    first = ["active_fraction", *(["goodput_fraction", "timeouts"] if completion else [])]
    drop = [*first, *(key for key in ("goodput_bps", "jain", "timeouts") if key not in first)]
    names = [*(SUMMARY[key] for key in drop), COMPLETED, *(one.label for one in reversed(completion))]
    left_out = fit(made, told, out, names, first=len(first))
    out.print(made)
    _tell_regimes(points, shown, axes, out)
    if halves:
        out.print(f"\nMeans over the runs {WIDTHS}.")
        if not any(halves) and not any("live" in run for _, run in trust.runs_of({"points": points})):
            out.print("All numbers are equal in all runs: this plan does not depend on the seed.")
    if completion:
        lead = "" if halves else "\n"
        out.print(f"{lead}{COMPLETION_NOTE}")
    if left_out:
        out.print()
    say_left_out(left_out, out)
