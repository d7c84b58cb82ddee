"""Flows that are many connections, as columns of a sweep's points: completion times and open connections."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dupack import _native
from dupack.measures import Measure

SHARES = ("p50", "p99")
"""Percentiles of times that are reported."""
OPEN = "open"
"""Connections that had not completed at the end of the run: the times do not include them."""
JAIN = "jain"
"""For a single flow it is always 1, and says nothing on the shares of its connections."""

EACH = (
    "flow",
    "number",
    "start_s",
    "size_bytes",
    "completion_s",
    "slowdown",
    "segments_retransmitted",
    "round",
    "measured",
    "path",
)
"""Columns of the table with a row per connection."""

Values = Callable[[Measure], Sequence[Sequence[float | None]]]
"""The values of a measure in the runs of each point."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a sweep's points."""

    label: str
    """Head of the printed column."""
    measure: Measure
    values: Sequence[Sequence[float | None]]
    """The values in the runs of each point."""


def in_plan(plan: _native.Plan) -> list[str]:
    """The names of a plan's flows that are many connections."""
    # The list of all measures has 18 paths of each flow.
    try:
        plan.measure(f"flows.*.connections.{OPEN}")
    except ValueError:
        return []
    found = (re.fullmatch(r"flows\.(.+)\.connections\.open", path) for path in plan.measures())
    return [match[1] for match in found if match]


def in_runs(runs: Iterable[dict[str, Any]]) -> list[str]:
    """The same, from the documents of runs."""
    return list(dict.fromkeys(flow["name"] for run in runs for flow in run["flows"] if "connections" in flow))


def lone(runs: Iterable[dict[str, Any]]) -> bool:
    """Whether the only flow of these runs is many connections (`JAIN`)."""
    return all(len(run["flows"]) == 1 and "connections" in run["flows"][0] for run in runs)


def lone_in_plan(plan: _native.Plan) -> bool:
    """The same, from a plan."""
    if len(in_plan(plan)) != 1:
        return False
    return sum(re.fullmatch(r"flows\..+\.segments_sent", path) is not None for path in plan.measures()) == 1


def columns(names: Sequence[str], values: Values, *, brief: bool = False) -> list[Column]:
    """The columns per flow, or per group such as ``web-0`` ... ``web-9``.

    With ``brief``, a flow with rounds has columns of its rounds only, not of the connections in them.
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(re.sub(r"-\d+$", "", name), []).append(name)
    made = []
    for group, members in groups.items():
        of = members[0] if len(members) == 1 else f"{group}-*"
        whose = f"{group} " if len(groups) > 1 else ""
        rounds = any(one for point in values(_measure(of, "rounds")) for one in point)
        kinds = [("completion_s", "completion")] * (not (brief and rounds)) + [("round_s", "round")] * rounds
        for key, word in kinds:
            for share in SHARES:
                measure = _measure(of, f"{key}.{share}")
                made.append(Column(f"{whose}{word} {share}", measure, values(measure)))
        still = _measure(of, OPEN)
        made.append(Column(f"{whose}{OPEN}", still, values(still)))
    return made


def each(document: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The record of each connection in a run's document, as columns (`EACH`); without rows if there is none."""
    made: dict[str, list[Any]] = {name: [] for name in EACH}
    for flow, found in (document.get("connections") or {}).items():
        many = len(found["start_s"])
        made["flow"] += [flow] * many
        made["number"] += range(many)
        paths = found["paths"]
        made["path"] += [paths[at] for at in found["path"]]
        for name in EACH:
            if name not in ("flow", "number", "path"):
                made[name] += found[name]
    return made


def _measure(of: str, key: str) -> Measure:
    return Measure(f"flows.{of}.connections.{key}", "flows", of, f"connections.{key}", None)
