"""What is kept of a run of Fall & Floyd 1996, what is read off it, and a claim that needs Python."""

from __future__ import annotations

import csv
from typing import Any

from dupack.reproduce.paper import Finding, Measured, Measures, Results
from dupack.reproduce.select import setting, where

MEASURES = measure = Measures()
EVENTS = ("send", "retransmit", "drop", "fast_retransmit", "timeout")
EMPTY = 0.21164
"""Round-trip time of a packet and its acknowledgment on the empty network [s]."""


def course(tape: str) -> list[tuple[float, str, int]]:
    """Time [s], kind and packet of each event of a run."""
    rows = csv.DictReader(tape.splitlines())
    return [(float(row["time_s"]), row["event"], int(row["segment"])) for row in rows if row["event"] in EVENTS]


def resending(run: Measured) -> float:
    """Round trips from the first retransmission to the last one of a packet that was dropped."""
    dropped = {packet for _, event, packet in run.tape if event == "drop"}
    times = [time for time, event, packet in run.tape if event == "retransmit" and packet in dropped]
    measured = run.option("round-trip", "empty") == "measured"
    return (max(times) - min(times)) / (run.document["flows"][0]["mean_rtt_s"] if measured else EMPTY)


READS = {"resending": resending}


@measure("tahoe-once", "drops")
def _(results: Results) -> Finding:
    flows = [sample.runs[0].document["flows"][0] for sample in where(results["drops"], kind="tahoe")]
    fast, timeouts = (sum(flow[key] for flow in flows) for key in ("fast_retransmits", "timeouts"))
    once = all(flow["fast_retransmits"] == 1 and flow["timeouts"] == 0 for flow in flows)
    return Finding(f"{fast} in {len(flows)} runs, {timeouts} timeouts", agrees=once)


def short(results: Results) -> dict[str, Any]:
    """The number of the conclusions: drops with which Reno waits for a timeout."""
    reno = where(results["drops"], kind="reno")
    late = [sample for sample in reno if sample.runs[0].document["summary"]["timeouts"]]
    return {"needs": " or ".join(str(len(setting(sample, "segments"))) for sample in late)}
