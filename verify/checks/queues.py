"""Queues without congestion control: closed forms of queueing theory, and Lindley's recursion."""

from __future__ import annotations

import csv
import io
import math
import statistics
from typing import Any

from dupack import Plan, _native
from dupack.work import Run, jobs_of, run_jobs
from verify.frame import Report, Row

TITLE = "Queues without congestion control"
AGAINST = "M/D/1, M/M/1 and M/M/1/K in closed form, and Lindley's recursion (Kleinrock 1975)"
SEEDS = range(1, 21)
T99 = 2.861
"""Student's quantile for 99 % and 19 degrees of freedom."""
RATE, BYTES, DELAY = 8e6, 1000, 1e-3
SERVICE = BYTES * 8 / RATE
TEXT = """
A `poisson` source sends packets with `udp` over one line; 20 runs of 400 s after 20 s of warm-up (about 320,000
packets each at a load of 0.8). The wait of a packet is its delay minus its transmission time and the propagation
delay. Exponential service times are drawn in whole bytes (geometric with the mean 1,000), whose second moment is
0.05 % below the exponential's. The bands are 99 % intervals (Student's t). One in a hundred such rows fails by
chance, but not independently, because all settings have the same seeds.
"""
PLAN = """
duration = "{duration} s"
warm_up = "{warm_up} s"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "line"
carries = "packets"
from = "a"
to = "b"
rate = "8 Mb/s"
delay = "1 ms"
queue = {{ kind = "drop-tail", buffer = "{room} packets" }}
[[flow]]
name = "source"
from = "a"
to = "b"
traffic = {{ kind = "poisson", rate = "{load} Mb/s", sizes = "{sizes}" }}
transport = {{ kind = "udp", mss = "{mss} B", header = "{header} B" }}
"""


def plan(sizes: str, load: float, room: int, duration: int = 420, warm_up: int = 20) -> Plan:
    """A source and a line; `load` of the line's rate."""
    header = 40 if sizes == "fixed" else 0
    values = {"sizes": sizes, "load": round(load * 8, 6), "room": room, "mss": BYTES - header, "header": header}
    return Plan(PLAN.format(duration=duration, warm_up=warm_up, **values).encode(), "verify", [])


def documents(plan: Plan) -> list[dict[str, Any]]:
    """Documents of the runs of all seeds."""
    runs: dict[int, Run] = {}
    run_jobs(jobs_of(plan, SEEDS), done=runs.__setitem__)
    return [runs[i].document for i in sorted(runs)]


def band(values: list[float]) -> tuple[float, float]:
    """Mean and half-width at 99 %."""
    return statistics.mean(values), T99 * statistics.stdev(values) / math.sqrt(len(values))


def row(what: str, values: list[float], theirs: float, unit: str) -> Row:
    """A mean beside what theory gives."""
    mean, half = band(values)
    agrees = abs(mean - theirs) <= half
    return Row(what, f"{mean:.4g} ± {half:.2g} {unit}", f"{theirs:.4g} {unit}", "99 % interval", agrees)


def waits(runs: list[dict[str, Any]]) -> list[float]:
    """Mean wait of each run, in services."""
    return [(run["flows"][0]["mean_delay_s"] - DELAY) / SERVICE - 1 for run in runs]


def share_lost(runs: list[dict[str, Any]]) -> list[float]:
    """Share of the packets that each run lost."""
    lines = [next(link for link in run["links"] if link["name"] == "line") for run in runs]
    return [sum(line["dropped"].values()) / line["offered"] for line in lines]


def lindley() -> Row:
    """Each packet's wait from the one before it: W' = max(0, W + service - time between them)."""
    runs: dict[int, Run] = {}
    run_jobs(jobs_of(plan("fixed", 0.9, 10**6, 60, 0), [1]), tape=True, done=runs.__setitem__)
    tape = runs[0].tape
    assert tape is not None
    sent: dict[int, float] = {}
    arrived: dict[int, float] = {}
    for mark in csv.DictReader(io.StringIO(tape)):
        if mark["event"] in ("send", "deliver"):
            (sent if mark["event"] == "send" else arrived)[int(mark["segment"])] = float(mark["time_s"])
    wait, last, worst = 0.0, None, 0.0
    for number in range(len(arrived)):
        if last is not None:
            wait = max(0.0, wait + SERVICE - (sent[number] - last))
        last = sent[number]
        worst = max(worst, abs(arrived[number] - sent[number] - wait - SERVICE - DELAY))
    # The times of a tape are rounded, and so are sums of them.
    return Row(
        f"Lindley's recursion, {len(arrived)} packets at a load of 0.9",
        f"off by at most {worst * 1e9:.3g} ns",
        "0",
        "1 ns",
        worst <= 1e-9,
    )


def check(quick: bool) -> Report:
    """Runs them all; only the recursion and one load if it is to be quick."""
    rows = [lindley()]
    loads = [0.8] if quick else [0.5, 0.8, 0.95]
    for load in loads:
        runs = documents(plan("fixed", load, 10**6))
        rows.append(row(f"M/D/1, load {load}: mean wait", waits(runs), _native.mg1_wait(load, 1, 1), "services"))
        queue = [run["links"][0]["mean_backlog"] for run in runs]
        theirs = load * _native.mg1_wait(load, 1, 1)
        rows.append(row(f"M/D/1, load {load}: mean queue (Little's law)", queue, theirs, "packets"))
    for load in loads:
        runs = documents(plan("geometric", load, 10**6))
        rows.append(row(f"M/M/1, load {load}: mean wait", waits(runs), _native.mg1_wait(load, 1, 2), "services"))
    for load, room in [(0.8, 8)] if quick else [(0.8, 8), (1.0, 4), (1.5, 3)]:
        runs = documents(plan("geometric", load, room - 1))
        theirs = _native.mm1k_loss(load, room)
        rows.append(row(f"M/M/1/{room}, load {load}: loss rate", share_lost(runs), theirs, ""))
        busy = [run["links"][0]["mean_backlog"] for run in runs]
        theirs = load * (1 - theirs) * _native.mm1k_wait(load, room)
        rows.append(row(f"M/M/1/{room}, load {load}: mean queue", busy, theirs, "packets"))
        theirs = _native.mm1k_wait(load, room)
        rows.append(row(f"M/M/1/{room}, load {load}: mean wait of accepted packets", waits(runs), theirs, "services"))
    return Report(TITLE, AGAINST, rows, TEXT, order=20)
