"""The document of one run, several seeds, or a sweep: the keys that ``dupack run --json`` promises."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from dupack._native import Plan, mean_ci95
from dupack.measures import SUMMARY, Measure, largest, numbers
from dupack.regimes import in_groups

Document = dict[str, Any]

BY_BATCHES = "batches_ci95_"
"""Prefix of columns in tables of runs: the half-width of a measure's interval by batches of a single run."""


def assemble(
    plan: Plan, documents: Sequence[Document | None], *, repeated: bool, void: Container[int] = ()
) -> Document:
    """One document from those of all runs, in the order of `dupack.work.jobs_of`; None for a run that has not finished.

    Runs in ``void`` are not needed: the stopping rule was met without them.

    With ``repeated`` a point has ``runs`` and, for every number in ``summary``, mean and 95 % interval, even with a
    single seed. ``cpu_s`` is the only key whose value changes when the same runs are repeated.
    """
    points = plan.points
    per_point = len(documents) // len(points)
    bodies = []
    for i, settings in enumerate(points):
        mine = [one for one in documents[i * per_point : (i + 1) * per_point] if one is not None]
        if mine:
            bodies.append((settings, _repeated(mine) if repeated else dict(mine[0])))
            if plan.stop is not None and repeated:
                # With a star, the rule's measure combines several flows or links; the documents lack that number.
                of = Measure.find(plan, plan.stop[1], "stop.of")
                bodies[-1][1]["measures"].setdefault(of.name, estimate([of.value(run) for run in mine]))
    head: Document = {"title": plan.title}
    if plan.stop is not None:
        head["stop"] = dict(zip(("relative_ci", "of", "min", "max"), plan.stop, strict=True))
    if any(one is None and at not in void for at, one in enumerate(documents)):
        head["interrupted"] = True
    if not plan.axes:
        return {**head, **bodies[0][1]}
    return {
        **head,
        "cpu_s": sum(body["cpu_s"] for _, body in bodies),
        "points": [{"settings": settings, **body} for settings, body in bodies],
    }


def _repeated(runs: Sequence[Document]) -> Document:
    first = runs[0]
    summary = estimates(runs)
    warm_ups = [run["warm_up_s"] for run in runs]
    return {
        "seeds": [run["seed"] for run in runs],
        "duration_s": first["duration_s"],
        # A mean only if MSER-5 has found a warm-up for each run.
        "warm_up_s": warm_ups[0] if len(set(warm_ups)) == 1 else sum(warm_ups) / len(warm_ups),
        "cpu_s": sum(run["cpu_s"] for run in runs),
        "runs": list(runs),
        "summary": summary,
        "mean": {key: value["mean"] for key, value in summary.items()},
        "ci95": {key: value["ci95"] for key, value in summary.items()},
        "measures": _measures(runs, summary),
    }


def _measures(runs: Sequence[Document], summary: Document) -> dict[str, dict[str, float | None]]:
    """Every measure of the runs, by path: mean and interval, and for maxima also the maximum over all runs.

    Null if it is null in any run.
    """
    found = [dict(numbers(run)) for run in runs]
    told: dict[str, dict[str, float | None]] = {}
    for path in dict.fromkeys(path for one in found for path in one):
        values = [one.get(path) for one in found]
        key = path.partition(".")[2]
        told[path] = summary[key] if path == f"{SUMMARY}.{key}" and key in summary else estimate(values)
        if largest(path):
            told[path] = {**told[path], "max": None if None in values else max(v for v in values if v is not None)}
    return told


def estimates(runs: Sequence[Document]) -> dict[str, dict[str, float | None]]:
    """The mean of each number of the summary over the runs, and the half-width of its 95 % interval. For a single run
    the interval is by batches, if the plan asks for them."""
    if len(runs) > 1:
        return {key: estimate([run["summary"][key] for run in runs]) for key in runs[0]["summary"]}
    halves = runs[0].get("batches", {}).get("ci95", {})
    values = runs[0]["summary"].items()
    return {key: {"mean": None if x is None else float(x), "ci95": halves.get(key)} for key, x in values}


def estimate(values: Sequence[float | None]) -> dict[str, Any]:
    """Mean and half-width of the 95 % interval; null if they cannot be computed. If the values fall into two groups,
    also ``regimes``."""
    known = [float(value) for value in values if value is not None]
    if len(known) < len(values):
        return {"mean": None, "ci95": None}
    if len(known) > 1 and len(set(known)) == 1:
        # Exact: the rounding of a sum would give a spurious interval.
        return {"mean": known[0], "ci95": 0.0}
    mean, half = mean_ci95(known)
    return {"mean": mean, "ci95": half, **in_groups(known)}
