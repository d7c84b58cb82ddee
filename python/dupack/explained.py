"""``dupack explain``: what happened to a flow, in words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from dupack import _native, memory
from dupack.errors import RequestError
from dupack.files import printing, to_json
from dupack.progress import Progress
from dupack.work import Plan, read_plan

SHOWN = 400
"""Steps that are printed; ``--json`` has all."""


def explain(
    plan: Path, *, at: str, flow: str | None, point: int, seed: int | None, sets: Sequence[str], as_json: bool
) -> None:
    """Runs a plan until the end of the chain of events that covers a time, and prints the chain."""
    read = read_plan(plan, sets)
    told = explanation(read, at=at, flow=flow, point=point, seed=seed)
    with printing():
        if as_json:
            click.echo(to_json(told))
        else:
            # Slow to import.
            from dupack.tables import console

            show(told, console())


def explanation(plan: Plan, *, at: str, flow: str | None, point: int = 0, seed: int | None = None) -> dict[str, Any]:
    """The chain of events of ``flow`` that covers the time ``at``: the last one before it, if none does."""
    time = _native.picoseconds(at)
    if time is None:
        raise RequestError(f'--at: {at!r} is not a time, such as "12.3 s" or "40 ms"')
    if not 0 <= point < len(plan.points):
        raise RequestError(f"--point: {point}; the points of the plan are 0 to {len(plan.points) - 1}")
    used = plan.seeds[0] if seed is None else seed
    try:
        with memory.of_process().hold(), Progress("running", 1):
            told: dict[str, Any] = json.loads(_native.explain(plan, point, used, flow, time))
    except ValueError as error:
        raise RequestError(f"--flow: {error}") from None
    except IndexError as error:
        raise RequestError(f"--at: {error}") from None
    return {"title": plan.title, "seed": used, **told}


def show(told: dict[str, Any], out: Any) -> None:
    """Prints a chain of events."""
    from rich.table import Table

    # Plain strings: the console writes control characters in them out.
    out.print(told["title"], style="bold")
    state = "not over when the run ends" if told["open"] else f"over at {told['to_s']:.6f} s"
    out.print(f"{told['flow']}, seed {told['seed']}: chain {told['number']}, from {told['from_s']:.6f} s, {state}")
    if not told["from_s"] <= told["at_s"] <= told["to_s"]:
        side = "after" if told["from_s"] > told["at_s"] else "before"
        out.print(f"Nothing was lost or marked at {told['at_s']:g} s; this is the nearest chain {side} it.")
    out.print()
    grid = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column()
    for step in told["steps"][:SHOWN]:
        grid.add_row(f"{step['time_s']:.6f} s", step["text"])
    out.print(grid)
    if len(told["steps"]) > SHOWN:
        out.print(f"and {len(told['steps']) - SHOWN} more; --json prints all")
