"""What ns-3's own tests expect of its queue discs, as rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from dupack import _native
from verify.frame import Row
from verify.ns3_both import SOME, Alone, Both, dropped, early, interval, joined, marked
from verify.ns3_queues import Packet
from verify.runs import documents


def _suite(service_ms: int, capable: bool = False) -> list[Packet]:
    """The pattern of ns-3's test of PIE: a packet every 10 ms, for 4 s, and a departure every `service_ms`.

    A packet before them makes the departures those of its clock. At one instant, an arrival is before a departure, and
    this before an update, as there: they are 2 and 1 ns early.
    """
    bytes_ = service_ms * 125
    first = Packet(7_999, 0, bytes_ - 1, capable)
    return [first, *(Packet((n + 1) * 10_000_000 - 2, 0, bytes_, capable) for n in range(400))]


@dataclass(frozen=True)
class OfPie:
    """One of ns-3's tests of PIE."""

    number: int
    about: str
    service_ms: int
    own: Both
    capable: bool = False
    marks: bool = False
    """Whether some are expected; else there must be none."""


CHANGED = Both(
    'update = "30 ms", target = "20 ms", max_burst = "100 ms", cap = true',
    "Tupdate=30ms QueueDelayReference=20ms MaxBurstAllowance=100ms",
)
FAR = Both(CHANGED.ours.replace("20 ms", "80 ms"), CHANGED.theirs.replace("20ms", "80ms"))
SLOWLY = Both(CHANGED.ours.replace("30 ms", "90 ms"), CHANGED.theirs.replace("30ms", "90ms"))
CAP = Both("cap = true", "UseCapDropAdjustment=true")
ECN = Both("ecn = true, mark_ecnth = 0.3", "UseEcn=true MarkEcnThreshold=0.3")
SUITE = (
    OfPie(2, "a departure every 12 ms", 12, CHANGED),
    OfPie(3, "test 2, the target 80 ms", 12, FAR),
    OfPie(4, "test 2, a departure every 15 ms", 15, CHANGED),
    OfPie(5, "test 4, an update every 90 ms", 15, SLOWLY),
    OfPie(6, "departure rate", 14, joined(CAP, Both('estimator = "departure-rate"', "UseDequeueRateEstimator=true"))),
    OfPie(7, "no cap", 14, Both("cap = false", "UseCapDropAdjustment=false")),
    OfPie(8, "cap", 14, CAP),
    OfPie(9, "ECN, packets not capable", 14, joined(CAP, ECN)),
    OfPie(10, "packets capable, no ECN", 14, CAP, capable=True),
    OfPie(11, "ECN, packets capable", 14, joined(CAP, ECN), capable=True, marks=True),
    OfPie(12, "derandomized", 14, joined(CAP, Both("derandomize = true", "UseDerandomization=true"))),
)
LESS = {3: 2, 5: 4}
"""Tests with fewer early drops than others."""
MORE = {4: 2}
"""Tests with more."""


def figures(binary: Path, quick: bool) -> Iterator[Row]:
    """What ns-3's tests of PIE, COBALT and FQ-PIE expect, and its example of PIE."""
    number = 2 if quick else SOME
    drops: dict[int, float] = {}
    for test in SUITE:
        arrivals = _suite(test.service_ms, test.capable)
        own = Both(f'kind = "pie", buffer = "300 packets", packet_size = "{test.service_ms * 125} B"', "MaxSize=300p")
        alone = Alone(binary, "Pie", joined(own, test.own), [arrivals] * number, 8, 1_000_000)
        expects = ["early drops", "no overflow", "marks" if test.marks else "no marks"]
        fits = all(early(it) > 0 and it.overflows == 0 and (marked(it) > 0) == test.marks for it in alone.ours)
        drops[test.number] = fmean(map(early, alone.ours))
        for other, word in ((LESS.get(test.number), "fewer"), (MORE.get(test.number), "more")):
            if other:
                expects[0] = f"{word} early drops than test {other}"
                # Of the means: the drops of single runs overlap.
                mine, their = drops[test.number], drops[other]
                fits = fits and (mine < their if word == "fewer" else mine > their)
        many = sum(it.overflows for it in alone.ours)
        said = f"{interval([early(it) for it in alone.ours], '')} early, {many} overflows"
        if test.marks:
            said += f", {interval([marked(it) for it in alone.ours], '')} marks"
        note = f"ns-3: {interval([early(it) for it in alone.theirs], '')} early"
        if test.marks:
            note += f", {interval([marked(it) for it in alone.theirs], '')} marks"
        yield Row(
            f"ns-3's test {test.number} of PIE: {test.about}", said, ", ".join(expects), "in all runs", fits, note
        )
    yield from _other_figures(binary)
    yield _example()


def _other_figures(binary: Path) -> Iterator[Row]:
    """What ns-3's tests of COBALT and FQ-PIE expect."""
    # The first packet is on the line for longer than the run.
    slow = [Packet(1, bytes=2_000), *(Packet((n + 1) * 10_000_000, bytes=100) for n in range(200))]
    both = Both('kind = "cobalt", buffer = "100 packets"', "MaxSize=100p BlueThreshold=1000s")
    alone = Alone(binary, "Cobalt", both, [slow], 3, 4_000)
    many = alone.ours[0].overflows
    yield Row("ns-3's test of COBALT's drops: overflows", str(many), "100", "identical", many == 100, "200 packets")
    for name, capable, expected in (("none", 0, 0), ("all", 20, 3), ("three", 3, 2)):
        yield _marks_of(binary, name, capable, expected)
    queue = _native.Queue({"kind": "fq-pie", "collisions": False, "quantum": "90 B"})
    queue.offer("a1", 120)
    served = [queue.pull()[0]]
    for name in ("a2", "a3", "b1", "b2"):
        queue.offer(name, 120)
    served += [queue.pull()[0] for _ in range(4)]
    order = " ".join(it or "-" for it in served)
    same = order == "a1 b1 a2 b2 a3"
    yield Row("ns-3's test of FQ-PIE's deficits: order of service", order, "a1 b1 a2 b2 a3", "identical", same)


def _marks_of(binary: Path, name: str, capable: int, expected: int) -> Row:
    """ns-3's test of COBALT's marks: 20 packets at once, and departures after 10, 210, 210 and 420 ms.

    A packet before them makes the first departure. The lengths of packets at 100 kb/s make the others; the third is
    0.16 ms later than in ns-3. If packets are dropped at 210 ms, there is none at 420 ms.
    """
    lengths = [125, 2500, 2, 2623, 9000] + [2] * 16
    ecn = str(capable > 0).lower()
    arrivals = [Packet(n, int(n > capable > 0), it, n <= capable and capable > 0) for n, it in enumerate(lengths)]
    both = Both(
        f'kind = "cobalt", ecn = {ecn}, buffer = "500 packets"', f"MaxSize=500p UseEcn={ecn} BlueThreshold=1000s"
    )
    alone = Alone(binary, "Cobalt", both, [arrivals], 0.5, 100_000)
    row = alone.identical("")
    marks, drops = marked(alone.ours[0]), dropped(alone.ours[0])
    agrees = bool(row.agrees) and marks == expected and (drops > 0) == (capable < 20)
    what = f"ns-3's test of COBALT's marks, {name} of 20 packets ECN-capable"
    theirs = f"{expected} marks" + (", some drops" if capable < 20 else ", no drops")
    return Row(what, row.ours, theirs, "as the test expects", agrees, f"ns-3 with the same arrivals: {row.theirs}")


def _example() -> Row:
    """ns-3's example of PIE: two TCPs over 1.5 Mb/s."""
    found = documents(EXAMPLE, range(1, 11))
    lines = [next(it for it in document["links"] if it["name"] == "middle") for document in found]
    many = sum(line["dropped"].get("overflow", 0) for line in lines)
    others = interval([line["dropped"].get("early", 0) for line in lines], "")
    what = "ns-3's pie-example: overflows of 100 packets"
    return Row(what, str(many), "0", "in all runs", many == 0, f"10 runs; {others} early drops")


EXAMPLE = """
duration = "5 s"
host = [{ name = "n0" }, { name = "n1" }, { name = "n4" }]
switch = [{ name = "n2" }, { name = "n3" }]
[[link]]
name = "first"
from = "n0"
to = "n2"
carries = "packets"
rate = "10 Mb/s"
delay = "2 ms"
[[link]]
name = "second"
from = "n1"
to = "n2"
carries = "packets"
rate = "10 Mb/s"
delay = "3 ms"
[[link]]
name = "middle"
from = "n2"
to = "n3"
carries = "packets"
rate = "1.5 Mb/s"
delay = "20 ms"
[link.queue]
kind = "pie"
buffer = "100 packets"
target = "20 ms"
max_burst = "100 ms"
cap = true
packet_size = "1012 B"
[[link]]
name = "last"
from = "n3"
to = "n4"
carries = "packets"
rate = "10 Mb/s"
delay = "4 ms"
""" + "".join(
    f"""
[[flow]]
name = "tcp-{n}"
from = "n{n}"
to = "n4"
start = "1.5 s"
[flow.transport]
kind = "sack"
pipe = "rfc6675"
mss = "958 B"
# With time stamps and ns-3's PPP.
header = "54 B"
max_window = "131072 B"
initial_window = "10 segments"
tick = "1 ms"
min_rto = "1 s"
"""
    for n in (0, 1)
)
