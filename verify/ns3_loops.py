"""The same queues below TCPs in ns-3 and in dupack, and their rows."""

from __future__ import annotations

import csv
import io
import random
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import dupack as dk
from dupack import _native
from dupack.discipline import External
from dupack.work import Run, cores, jobs_of, run_jobs
from verify.frame import Row
from verify.ns3_both import FEW, Both, interval
from verify.ns3_disciplines import Ns3Cobalt
from verify.ns3_queues import PACKET, RATE, SECOND

SHARE = 0.10
"""Band of means under TCP."""


@dataclass(frozen=True)
class Loop:
    """TCPs over a queue."""

    word: str
    """The discipline, as a plan calls it."""
    flows: int
    rtt_ms: int
    """Round trip of the empty network, without transmission times; a draw shortens it by up to 0.8 ms."""

    @property
    def name(self) -> str:
        """What a row calls it."""
        return f"{self.word}, {self.flows} flow{'s' if self.flows > 1 else ''}, {self.rtt_ms} ms"

    @property
    def ssthresh(self) -> int:
        """Half of what the path holds, for each, but at least 8 [segments]."""
        return max(8, round(RATE * self.rtt_ms / 1e3 / 8 / PACKET / self.flows / 2))

    def drawn(self, seed: int) -> list[tuple[float, float]]:
        """Of each flow the start [s], and the delay of its receiver's line [s], within 0.4 ms."""
        draw = random.Random(f"{self.name} {seed}")
        least = self.rtt_ms / 4e3 - 0.0005
        return [(round(draw.uniform(1, 2), 6), round(least + draw.uniform(0, 0.0004), 9)) for _ in range(self.flows)]


@dataclass(frozen=True)
class Measures:
    """Of a run, after its warm-up."""

    goodput: float
    """Of all flows [Mb/s]."""
    delay: float
    """Mean queueing delay [ms]."""
    drops: float
    sends: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)
    """Per flow the times [ns] and numbers of the segments that it sends, from the start on."""
    classes: int = 0
    """In ns-3: queues of FQ-PIE."""


WARM_UP_S, END_S = 10, 30
NETWORK = """
duration = "{end} s"
warm_up = "{warm_up} s"
percentiles = true
switch = [{{ name = "left" }}, {{ name = "right" }}]
[[link]]
name = "bottleneck"
from = "left"
to = "right"
carries = "packets"
rate = "{rate} b/s"
delay = "{delay} ms"
back_rate = "10 Tb/s"
queue = {queue}
"""
TCP = """
[[host]]
name = "source-{n}"
[[host]]
name = "sink-{n}"
[[link]]
name = "access-{n}"
from = "source-{n}"
to = "left"
carries = "packets"
rate = "100 Mb/s"
delay = "0.1 ms"
back_rate = "10 Tb/s"
[[link]]
name = "exit-{n}"
from = "right"
to = "sink-{n}"
carries = "packets"
rate = "100 Mb/s"
delay = "{exit:.0f} ns"
back_rate = "10 Tb/s"
[[flow]]
name = "tcp-{n}"
from = "source-{n}"
to = "sink-{n}"
start = "{start:.0f} us"
transport = {{ kind = "sack", pipe = "rfc6675", mss = "1000 B", header = "42 B", max_window = "2 MB", {own} }}
"""
OWN = 'initial_window = "2 segments", limited_transmit = true, halve = "flight", tick = "1 ms", min_rto = "1 s"'


def _of_dupack(loop: Loop, queue: str | dk.Discipline, seeds: Sequence[int], *, tape: bool) -> list[Measures]:
    """Runs of the simulator."""
    externals: dict[str, External] = {}
    if isinstance(queue, dk.Discipline):
        externals[queue.label] = queue
        queue = f'{{ kind = "external", name = "{queue.label}" }}'
    jobs = []
    for seed in seeds:
        text = NETWORK.format(end=END_S, warm_up=WARM_UP_S, rate=RATE, delay=loop.rtt_ms / 4, queue=queue)
        for n, (start, leaves) in enumerate(loop.drawn(seed)):
            own = f'{OWN}, initial_ssthresh = "{loop.ssthresh} segments"'
            text += TCP.format(n=n, start=start * 1e6, exit=leaves * SECOND, own=own)
        jobs += jobs_of(dk.Plan(text.encode(), "verify", [], dict(externals)), [seed])
    found: dict[int, Run] = {}
    run_jobs(jobs, tape=tape, done=found.__setitem__)
    made = []
    for at in range(len(jobs)):
        document = found[at].document
        (line,) = [it for it in document["links"] if it["name"] == "bottleneck"]
        sends: dict[int, list[tuple[int, int]]] = {n: [] for n in range(loop.flows)}
        for row in csv.DictReader(io.StringIO(found[at].tape or "")):
            if row["event"] in ("send", "retransmit"):
                flow = int(row["flow"].removeprefix("tcp-"))
                sends[flow].append((round(float(row["time_s"]) * SECOND), int(row["segment"])))
        goodput = document["summary"]["goodput_bps"] / 1e6
        drops = sum(line["measured"]["dropped"].values())
        made.append(Measures(goodput, line["queue_delay_s"]["mean"] * 1e3, drops, sends))
    return made


def _of_ns3(binary: Path, loop: Loop, queue: str, attributes: Sequence[str], seed: int, *, trace: bool) -> Measures:
    """A run of ns-3."""
    times = [f"{start}:{leaves}" for start, leaves in loop.drawn(seed)]
    values = [RATE, loop.rtt_ms / 4e3, loop.ssthresh, WARM_UP_S, END_S, seed, int(trace)]
    words = [str(binary), "tcp", queue, *map(str, values), *attributes, *times]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode or done.stderr:
        raise RuntimeError(f"ns-3 failed on {loop.name}: {done.stderr or done.stdout[-200:]}")
    sends: dict[int, list[tuple[int, int]]] = {n: [] for n in range(loop.flows)}
    received = 0
    for line in done.stdout.splitlines():
        word, *rest = line.split()
        if word == "send":
            sends[int(rest[1])].append((int(rest[0]), int(rest[2])))
        elif word == "flow":
            received += int(rest[0])
    _, dropped, delay, classes = rest
    goodput = received * 8e-6 / (END_S - WARM_UP_S)
    return Measures(goodput, float(delay) * 1e3, int(dropped), sends, int(classes))


def _alike(ours: Measures, theirs: Measures) -> tuple[int, int]:
    """Packets that both send, the same ones within 1 µs, before the first that differs; and packets that we send."""
    end = (END_S * SECOND) - 1000
    parted = end
    for flow, mine in ours.sends.items():
        other = theirs.sends[flow]
        for one, two in zip(mine, other, strict=False):
            if one[1] != two[1] or abs(one[0] - two[0]) > 1000:
                parted = min(parted, one[0], two[0])
                break
        else:
            rest = [*mine[len(other) :], *other[len(mine) :]]
            parted = min([parted, *(at for at, _ in rest)])
    times = [at for flow in ours.sends.values() for at, _ in flow]
    return sum(at < parted for at in times), sum(at < end for at in times)


LOOPS = {
    "cobalt": (
        "Cobalt",
        Both('kind = "cobalt", ecn = false, buffer = "1000 packets"', "MaxSize=1000p BlueThreshold=1000s"),
    ),
    "pie": (
        "Pie",
        Both(f'kind = "pie", buffer = "1000 packets", cap = true, packet_size = "{PACKET} B"', "MaxSize=1000p"),
    ),
    "fq-pie": (
        "FqPie",
        Both(
            f'kind = "fq-pie", collisions = false, packet_size = "{PACKET} B", quantum = "{PACKET} B"',
            # Its packets have no PPP header yet.
            f"Quantum={PACKET - 2} UseDerandomization=true UseEcn=false",
        ),
    ),
}
"""The discs, and what of the defaults is made the same."""


def loops(binary: Path, quick: bool) -> Iterator[Row]:
    """Queues below TCPs."""
    cases = [Loop(word, flows, rtt) for word in LOOPS for flows in (1, 5) for rtt in (20, 100)]
    seeds = range(1, 11)
    if quick:
        cases, seeds = [Loop("cobalt", 1, 20), Loop("pie", 1, 20)], range(1, 3)

    def of_theirs(case: tuple[Loop, int]) -> Measures:
        loop, seed = case
        disc, both = LOOPS[loop.word]
        return _of_ns3(binary, loop, disc, both.theirs.split(), seed, trace=loop.word == "cobalt")

    asked = [(loop, seed) for loop in cases for seed in seeds]
    with ThreadPoolExecutor(cores()) as pool:
        found = dict(zip(asked, pool.map(of_theirs, asked), strict=True))
    for loop in cases:
        theirs = [found[loop, seed] for seed in seeds]
        ours = _of_dupack(loop, f"{{ {LOOPS[loop.word][1].ours} }}", seeds, tape=loop.word == "cobalt")
        yield _compared(loop, ours, theirs)
        if loop.word != "cobalt":
            continue
        yield _packets(loop.name, ours, theirs, claims=loop.flows == 1)
        if loop.flows > 1:
            some = theirs[:FEW]
            own = _of_dupack(loop, Ns3Cobalt(1000, newton=True), seeds[:FEW], tape=True)
            yield _packets(f"{loop.name}; rule 1 in ours", own, some, claims=loop.rtt_ms == 100)


def _packets(name: str, ours: Sequence[Measures], theirs: Sequence[Measures], *, claims: bool) -> Row:
    """Whether senders send the same packets."""
    pairs = [_alike(a, b) for a, b in zip(ours, theirs, strict=True)]
    whole = sum(same == of for same, of in pairs)
    same, of = sum(it[0] for it in pairs), sum(it[1] for it in pairs)
    note = f"{whole} of {len(pairs)} runs to the end"
    agrees = whole == len(pairs) if claims else None
    band = "identical" if claims else "none"
    return Row(f"{name}: packets sent", f"{same} identical", f"of {of}", band, agrees, note)


MEASURES: tuple[tuple[str, str, Callable[[Measures], float]], ...] = (
    ("goodput", "Mb/s", lambda it: it.goodput),
    ("delay", "ms", lambda it: it.delay),
    ("drops", "", lambda it: it.drops),
)


def _compared(loop: Loop, ours: Sequence[Measures], theirs: Sequence[Measures]) -> Row:
    """Means of a setting."""
    sides: list[list[str]] = [[], []]
    outside = []
    for name, unit, of in MEASURES:
        values = [[of(it) for it in side] for side in (ours, theirs)]
        for said, side in zip(sides, values, strict=True):
            said.append(f"{name} {interval(side, unit)}")
        (a, half_a), (b, half_b) = (_native.mean_ci(side, 0.99) for side in values)
        if abs(a - b) > max(SHARE * b, (half_a or 0) + (half_b or 0)):
            outside.append(name)
    if loop.word == "fq-pie":
        assert all(it.classes == loop.flows for it in theirs), "flows share a queue in ns-3"
    band = f"±{SHARE:.0%}, or 99 % intervals overlap"
    note = f"{len(ours)} runs" + (f"; outside: {', '.join(outside)}" if outside else "")
    return Row(loop.name, ", ".join(sides[0]), ", ".join(sides[1]), band, not outside, note)
