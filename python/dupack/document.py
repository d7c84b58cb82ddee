"""The document of one run, several seeds, or a sweep: the keys that ``dupack run --json`` promises."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from dupack._native import Plan, mean_ci95

Document = dict[str, Any]


def assemble(
    plan: Plan, documents: Sequence[Document | None], *, repeated: bool, void: Container[int] = ()
) -> Document:
    """One document from those of all runs, in the order of `dupack.work.jobs_of`; None for a run that has not finished.

    Those that are ``void`` need not: the plan's rule has decided that there are enough without them.

    With ``repeated`` a point has ``runs`` and, for every number in ``summary``, mean and 95 % interval, even if there
    is but one seed. ``cpu_s`` is the only key whose value differs from one time to the next.
    """
    points = plan.points
    per_point = len(documents) // len(points)
    bodies = []
    for i, settings in enumerate(points):
        mine = [one for one in documents[i * per_point : (i + 1) * per_point] if one is not None]
        if mine:
            bodies.append((settings, _repeated(mine) if repeated else dict(mine[0])))
    head: Document = {"title": plan.title}
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
    summary = {key: estimate([run["summary"][key] for run in runs]) for key in first["summary"]}
    return {
        "seeds": [run["seed"] for run in runs],
        "duration_s": first["duration_s"],
        "warm_up_s": first["warm_up_s"],
        "cpu_s": sum(run["cpu_s"] for run in runs),
        "runs": list(runs),
        "summary": summary,
        "mean": {key: value["mean"] for key, value in summary.items()},
        "ci95": {key: value["ci95"] for key, value in summary.items()},
    }


def estimate(values: Sequence[float | None]) -> dict[str, float | None]:
    """Mean and half-width of the 95 % interval; null for what cannot be said."""
    if any(value is None for value in values):
        return {"mean": None, "ci95": None}
    mean, half = mean_ci95([float(value) for value in values])
    return {"mean": mean, "ci95": half}
