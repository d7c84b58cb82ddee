"""``dupack compare --live``: a plan simulated and on kernel traffic, side by side."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import click
from rich.console import Console

from dupack import _native, memory, tables, trust
from dupack.amounts import kind, within
from dupack.comparing.rank import CONFIDENCE, against
from dupack.errors import RequestError
from dupack.files import printing, to_json
from dupack.interrupts import code, word
from dupack.live import run_live
from dupack.measures import Measure
from dupack.privileges import obtain
from dupack.progress import Progress
from dupack.terminal import echo
from dupack.words import setting
from dupack.work import Job, Plan, jobs_of, read_plan, run_jobs

SEEDS = 5
"""Runs of each kind if neither the plan nor the user says more: live runs take as long as they say."""
PER_FLOW = ("goodput_bps", "rtt_s.p50", "mean_rtt_s", "segments_retransmitted", "timeouts")
PER_LINK = ("measured.utilization", "measured.dropped", "mean_backlog")
MANY = 8
"""With more flows than this, only the sum of them and the links are compared."""


class Beside:
    """A plan, the measures, and what the runs of both kinds gave."""

    def __init__(self, plan: Plan, seeds: Sequence[int] | None, of: Sequence[str]) -> None:
        self.plan = plan
        if plan.stop is not None and seeds is None:
            raise RequestError("--live: the plan's stopping rule goes with one kind of runs; give --seeds")
        own = plan.seeds if len(plan.seeds) > 1 else list(range(plan.seeds[0], plan.seeds[0] + SEEDS))
        self.seeds = list(seeds) if seeds else own
        if len(self.seeds) < 2:
            raise RequestError("--seeds: one seed, which gives no interval; give at least two; nothing was run")
        self.jobs: list[Job] = jobs_of(plan, self.seeds)
        self.measures = [Measure.find(plan, one, "--of or --also") for one in of]
        self.kinds: dict[str, list[dict[str, Any]]] = {}

    def run(self, *, threads: int | None, live: Callable[[Job], dict[str, Any]], step: Callable[[], object]) -> None:
        """Runs all jobs in both ways, and calls ``step`` after each run."""
        simulated: list[dict[str, Any]] = [{}] * len(self.jobs)

        def done(index: int, run: Any) -> None:
            simulated[index] = run.document
            step()

        run_jobs(self.jobs, threads=threads, done=done)
        real = []
        # One after another: they share the processors with the traffic.
        for job in self.jobs:
            real.append(live(job))
            step()
        self.kinds = {"simulated": simulated, "live": real}
        if not self.measures:
            self.measures = list(_default(self.plan, simulated[0]))

    def document(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        each = len(self.seeds)
        points = []
        for at, settings in enumerate(self.plan.points):
            part = {name: runs[at * each : (at + 1) * each] for name, runs in self.kinds.items()}
            doubts = [{"seed": run["seed"], "doubt": doubt} for run in part["live"] for doubt in run["live"]["doubts"]]
            rows = [_row(one, part["simulated"], part["live"]) for one in self.measures]
            points.append({"settings": settings, "doubts": doubts, "measures": rows})
        return {
            "title": self.plan.title,
            "seeds": self.seeds,
            "kernel": self.kinds["live"][0]["live"]["kernel"],
            "points": points,
        }


NARROW = 70
"""Terminals with fewer columns get the names of measures on two lines."""


def _default(plan: Plan, document: dict[str, Any]) -> list[Measure]:
    """Goodput, and what the plan's flows and links have, if a run measures it."""
    flows = [one["name"] for one in document["flows"]] if len(document["flows"]) <= MANY else []
    names = ["goodput_bps", "jain"] if len(document["flows"]) > 1 else []
    names += [f"flows.{flow}.{key}" for flow in flows for key in PER_FLOW]
    links = [one["name"] for one in document["links"] if one["offered"] and not one["name"].endswith(".back")]
    names += [f"links.{link}.{key}" for link in links for key in PER_LINK]
    found = []
    for name in names:
        try:
            measure = Measure.find(plan, name, "")
        except RequestError:
            continue  # such as a percentile in a plan without percentiles
        if measure.value(document) is not None:
            found.append(measure)
    return found


def _row(measure: Measure, simulated: Sequence[dict[str, Any]], live: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A measure in both kinds of runs; null where some run lacks it."""
    ours, theirs = ([measure.value(run) for run in runs] for runs in (simulated, live))
    if None in ours or None in theirs:
        return {"measure": measure.name, "simulated": None, "live": None, "difference": None}
    both = against("live", {"live": theirs, "simulated": ours})  # type: ignore[dict-item]
    real, model = both
    half = model.half or 0.0
    return {
        "measure": measure.name,
        "simulated": {"mean": model.mean, "ci95": model.ci95},
        "live": {"mean": real.mean, "ci95": real.ci95},
        "difference": {
            "mean": model.difference,
            "low": model.difference - half,
            "high": model.difference + half,
            "relative": model.difference / real.mean if real.mean else None,
            "significant": model.told_apart,
        },
    }


def compare(
    plan: Path,
    *,
    sets: Sequence[str],
    seeds: list[int] | None,
    of: Sequence[str],
    detuned: bool,
    limit: memory.Limit | None,
    threads: int | None,
    as_json: bool,
) -> None:
    """Runs a plan in both ways with the same seeds, and prints the differences."""
    read = read_plan(plan, [*(["detune=0.001"] if detuned else []), *sets])
    beside = Beside(read, seeds, of)
    _native.check_live(read)
    limit = limit or memory.default()
    limit.check(read, "compare", len(beside.seeds), threads)
    obtain()
    finished, total = 0, 2 * len(beside.jobs)
    try:
        with limit.hold(), Progress("comparing", total) as progress:

            def step() -> None:
                nonlocal finished
                finished += 1
                progress.step()

            beside.run(threads=threads, live=run_live, step=step)
    except KeyboardInterrupt as stop:
        echo(f"{word(stop)}: {finished} of {total} runs had finished; no comparison was made", err=True)
        sys.exit(code(stop))
    told = beside.document()
    with printing():
        if as_json:
            click.echo(to_json(told))
        else:
            tell(told, tables.console())


def tell(told: dict[str, Any], out: Console) -> None:
    """Prints the differences."""
    runs = len(told["seeds"])
    trust.say(
        [
            f"{trust.at(point['settings'])}seed {one['seed']}: {one['doubt']}"
            for point in told["points"]
            for one in point["doubts"]
        ],
        out,
    )
    out.print(told["title"], style="bold")
    out.print(f"simulated, and on traffic of Linux {told['kernel']}: {runs} runs of each, with the same seeds")
    for point in told["points"]:
        out.print()
        if point["settings"]:
            at = ", ".join(f"{path} = {setting(value)}" for path, value in point["settings"].items())
            out.print(at, style="italic")
        heads = ["measure", "simulated", "kernel", "difference", "relative", "differs?"]
        made = tables.table("", heads, left=1, plain=not out.is_terminal)
        made.title = None
        rows = [_cells(one) for one in point["measures"]]
        if out.width < NARROW:
            # Whose it is on one line, and what on another.
            rows = [(re.sub(r"^(\w+\.[^.]+\.)", "\\1\n", row[0]), *row[1:]) for row in rows]
        left_out = tables.fit(made, rows, out, ["relative", "differs?", "simulated"])
        out.print(made)
        tables.say_left_out(left_out, out)
    out.print()
    out.print(
        f"± is the half-width of the {100 * CONFIDENCE:.0f} % confidence interval (Student's t), of differences by "
        "seed, and of each measure for itself. A measure differs if the interval of its difference does not contain 0. "
        "Of 20 measures that are the same, one differs by chance, on average."
    )


def _cells(one: dict[str, Any]) -> tuple[str, ...]:
    if one["difference"] is None:
        return (one["measure"], "-", "-", "-", "-", "not measured")
    key = one["measure"].partition(".")[2].partition(".")[2] or one["measure"]
    told = kind(key)
    differs = one["difference"]
    half = fmean((differs["high"], -differs["low"]))
    relative = differs["relative"]
    return (
        one["measure"],
        *(within(told, one[side]["mean"], one[side]["ci95"]) for side in ("simulated", "live")),
        within(told, differs["mean"], half),
        "-" if relative is None else f"{relative:+.1%}",
        "yes" if differs["significant"] else "no",
    )
