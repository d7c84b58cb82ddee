"""ns-3's queue discs and our disciplines, each alone on a line, with the same arrivals."""

from __future__ import annotations

import csv
import io
import random
import subprocess
import tempfile
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import dupack as dk
from dupack.discipline import External
from dupack.work import Run, jobs_of, run_jobs

RATE = 10_000_000
"""Of the line [bit/s], unless stated otherwise: a byte takes 800 ns."""
PACKET = 1042
"""Bytes of a packet, as of TCPs in ns-3. In 7 s, no number of them takes a whole number of PIE's intervals."""
SECOND = 10**9
"""In ns."""


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet that arrives."""

    at: int
    """When [ns]."""
    flow: int = 0
    bytes: int = PACKET
    capable: bool = False
    """ECN-capable; the same for all packets of a flow."""


Arrivals = Sequence[Packet]
"""In order of time."""


@dataclass
class Fates:
    """What becomes of the packets of a run, by their numbers in its arrivals."""

    dropped: dict[int, int] = field(default_factory=dict)
    """Times [ns]: of arrival, or of the departure that they did not get."""
    marked: dict[int, int] = field(default_factory=dict)
    overflows: int = 0
    """Drops for want of room."""
    delay: float = 0.0
    """Mean queueing delay of those sent [s]."""
    sent: list[int] = field(default_factory=list)
    """Their numbers, in the order in which they were."""
    updates: list[tuple[int, float, float]] = field(default_factory=list)
    """Of ns-3's PIE: time [ns], drop probability, delay [s]."""


def poisson(draw: random.Random, load: float, begin: float, end: float, flow: int = 0, **more: Any) -> list[Packet]:
    """Arrivals at random from `begin` to `end` [s], of this share of the line's rate; times are whole nanoseconds."""
    size = more.get("bytes", PACKET)
    gap = size * 8e9 / RATE / load
    made, at = [], begin * SECOND
    while (at := at + 1 + draw.expovariate(1 / gap)) < end * SECOND:
        made.append(Packet(int(at), flow, **more))
    return made


def phases(draw: random.Random, loads: Sequence[tuple[float, float]], flow: int = 0, **more: Any) -> list[Packet]:
    """Arrivals in phases, each a time [s] and a load."""
    made: list[Packet] = []
    at = 0.0
    for time_s, load in loads:
        if load:
            made += poisson(draw, load, at, at + time_s, flow, **more)
        at += time_s
    return made


def up_and_down(draw: random.Random, time_s: float, low: float, high: float) -> list[tuple[float, float]]:
    """Loads that change every 0.2 s."""
    return [(0.2, draw.uniform(low, high)) for _ in range(round(time_s / 0.2))]


def together(*flows: Arrivals) -> list[Packet]:
    """Flows on one line. No two packets arrive at one time, which the two simulators would order differently."""
    made: list[Packet] = []
    taken: set[int] = set()
    for packet in sorted((it for flow in flows for it in flow), key=lambda it: it.at):
        if packet.at not in taken:
            made.append(packet)
            taken.add(packet.at)
    return made


Draw = Callable[[random.Random], list[Packet]]
"""Makes the arrivals of a run."""


def drawn(name: str, draw: Draw, runs: int) -> list[list[Packet]]:
    """Arrivals of runs, the same for both simulators."""
    made = [draw(random.Random(f"{name} {seed}")) for seed in range(1, runs + 1)]
    assert all(a.at < b.at for arrivals in made for a, b in pairwise(arrivals)), "two packets at one time"
    return made


def backlogs(arrivals: Arrivals, rate: int = RATE) -> list[int]:
    """Number of packets that wait when each arrives, on a line that drops none."""
    waiting: deque[int] = deque()
    free, found = 0, []
    for packet in arrivals:
        while waiting and waiting[0] <= packet.at:
            waiting.popleft()
        found.append(len(waiting))
        begins = max(free, packet.at)
        if begins > packet.at:
            waiting.append(begins)
        free = begins + packet.bytes * 8 * SECOND // rate
    return found


def of_ns3(
    binary: Path, queue: str, attributes: Sequence[str], runs: Sequence[Arrivals], end: float, rate: int = RATE
) -> list[Fates]:
    """Runs of a queue disc of ns-3 alone until `end` [s], with the seeds 1, 2, ..."""
    lines = []
    for seed, arrivals in enumerate(runs, 1):
        lines.append(f"run {seed} {round(end * SECOND)}")
        lines += [f"{it.at} {it.flow} {it.bytes} {int(it.capable)}" for it in arrivals]
    words = [str(binary), "alone", queue, str(rate), *attributes]
    done = subprocess.run(
        words, input="\n".join(lines), capture_output=True, text=True, encoding="utf-8", timeout=600, check=False
    )
    if done.returncode or done.stderr:
        raise RuntimeError(f"ns-3 failed on {queue}: {done.stderr or done.stdout[-200:]}")
    found: list[Fates] = []
    waited: list[list[int]] = []
    for line in done.stdout.splitlines():
        word, *rest = line.split()
        if word == "run":
            found.append(Fates())
            waited.append([])
            continue
        fates = found[-1]
        if word == "sent":
            fates.sent.append(int(rest[1]))
            waited[-1].append(int(rest[0]) - runs[len(found) - 1][int(rest[1])].at)
        elif word == "drop":
            fates.dropped[int(rest[1])] = int(rest[0])
            fates.overflows += rest[2] == "overflow"
        elif word == "mark":
            fates.marked[int(rest[1])] = int(rest[0])
        else:
            fates.updates.append((int(rest[0]), float(rest[1]), float(rest[2])))
    for fates, times in zip(found, waited, strict=True):
        fates.delay = sum(times) / len(times) / SECOND
    return found


PLAN = """
duration = "{end} s"
percentiles = true
host = [{{ name = "from" }}, {{ name = "to" }}]
[[link]]
name = "line"
from = "from"
to = "to"
carries = "packets"
rate = "{rate} b/s"
delay = "0 s"
back_rate = "10 Tb/s"
queue = {queue}
"""
FLOW = """
[[flow]]
name = "{flow}"
from = "from"
to = "to"
traffic = {{ kind = "trace", packets = "{file}" }}
transport = {{ {transport} }}
"""
DATAGRAMS = 'kind = "udp", mss = "10000 B", header = "1 B"'
CAPABLE = """kind = "go-back-n", mss = "10000 B", header = "1 B", ecn = true, max_window = "1 GB",
  min_rto = "10 min", initial_rto = "10 min", max_rto = "10 min\""""
"""For ECN-capable packets, since datagrams are none: it sends at once, and would retransmit only after the run."""


def of_dupack(
    queue: str | dk.Discipline, runs: Sequence[Arrivals], end: float, rate: int = RATE, seeds: Sequence[int] = ()
) -> list[Fates]:
    """Runs of a discipline, as a plan has it or in Python, alone on a line."""
    externals: dict[str, External] = {}
    if isinstance(queue, dk.Discipline):
        externals[queue.label] = queue
        queue = f'{{ kind = "external", name = "{queue.label}" }}'
    found: dict[int, Run] = {}
    with tempfile.TemporaryDirectory() as folder:
        jobs = []
        for at, arrivals in enumerate(runs):
            text = PLAN.format(end=end, rate=rate, queue=queue)
            for flow in sorted({it.flow for it in arrivals}):
                mine = [it for it in arrivals if it.flow == flow]
                file = Path(folder) / f"{at}-{flow}.txt"
                file.write_text("".join(f"{it.at / SECOND:.9f} {it.bytes}\n" for it in mine))
                transport = " ".join((CAPABLE if mine[0].capable else DATAGRAMS).split())
                text += FLOW.format(flow=f"flow-{flow}", file=file.name, transport=transport)
            plan = dk.Plan(text.encode(), str(Path(folder) / "plan.toml"), [], dict(externals))
            jobs += jobs_of(plan, [seeds[at] if seeds else at + 1])
        run_jobs(jobs, tape=True, done=found.__setitem__)
    return [_fates(found[at], arrivals) for at, arrivals in enumerate(runs)]


def _fates(run: Run, arrivals: Arrivals) -> Fates:
    numbers: dict[str, list[int]] = {}
    for number, packet in enumerate(arrivals):
        numbers.setdefault(f"flow-{packet.flow}", []).append(number)
    (line,) = [it for it in run.document["links"] if it["name"] == "line"]
    fates = Fates(overflows=line["dropped"].get("overflow", 0), delay=line["queue_delay_s"]["mean"])
    for row in csv.DictReader(io.StringIO(run.tape or "")):
        where = {"drop": fates.dropped, "mark": fates.marked}.get(row["event"])
        if where is not None:
            where[numbers[row["flow"]][int(row["segment"])]] = round(float(row["time_s"]) * SECOND)
        elif row["event"] == "deliver":
            fates.sent.append(numbers[row["flow"]][int(row["segment"])])
    return fates
