"""Digests of the results of the plans in the tree; see ``tests/python/test_golden.py``."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from dupack import _native
from dupack.reproduce.folder import is_plan
from dupack.work import Job, Run, read_plan, run_jobs

ROOT = Path(__file__).parents[3]
DIGESTS = Path(__file__).with_name("digests.json")
POINTS = 8
"""Largest number of points of a sweep that run, spread evenly over it."""

ADDED: frozenset[str] = frozenset({"gauge_units", "marked", "measured", "pacing_bps", "probes", "state"})
"""Keys of documents that did not exist when the digests were written."""

SHORT = {"keshav-morgan-1997": "25 s", "viswanathan-kamal": "10 s", "cohen-hamo-2001": "1 s"}
"""Durations of the plans of a folder: long enough for losses, timeouts and recoveries. Others run for `DURATION`."""
DURATION = "0.5 s"

STARTERS = ROOT / "python/dupack/starters"
PLANS = {
    f"{path.parent.name}/{path.name}": path
    for path in (*STARTERS.glob("*.toml"), *(ROOT / "papers").glob("*/*.toml"))
    if is_plan(path)
}
"""The plans, by folder and name."""


def digest(name: str) -> dict[str, str]:
    """The digests of a plan's documents and tapes; a run without a tape must have the same document."""
    path = PLANS[name]
    duration = SHORT.get(path.parent.name, DURATION)
    plan = read_plan(path, [f'duration="{duration}"', 'warm_up="0 s"'])
    many = len(plan.points)
    documents, tapes = hashlib.blake2b(digest_size=16), hashlib.blake2b(digest_size=16)
    points = sorted({step * many // POINTS for step in range(POINTS)})
    plain: dict[int, Any] = {}

    def done(index: int, run: Run) -> None:
        plain[points[index]] = known(run.document)

    run_jobs([Job(plan, point, 1) for point in points], threads=1, done=done)
    for point in points:
        recording = _native.record(plan, point, 1, [])
        document = known(json.loads(recording.document()))
        assert plain[point] == document, f"{name}, point {point}: the run without a tape differs from that with one"
        documents.update(json.dumps(document, sort_keys=True).encode())
        tapes.update(recording.csv().encode())
    return {"documents": documents.hexdigest(), "tapes": tapes.hexdigest()}


def known(document: Any) -> Any:
    """A document without keys that differ from run to run, or are newer than the digests."""
    if isinstance(document, dict):
        return {key: known(value) for key, value in document.items() if key != "cpu_s" and key not in ADDED}
    return [known(one) for one in document] if isinstance(document, list) else document
