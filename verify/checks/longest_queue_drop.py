"""Longest queue drop beside the offline optimum, which knows all arrivals in advance."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence
from functools import cache

from dupack import _native
from verify.frame import Report, Row

TITLE = "Longest queue drop in `weighted-round-robin`, against the optimum"
AGAINST = (
    "Antoniadis, Englert, Matsakis & Veselý 2021: the optimum sends at most 1.6918 times as much; for two ports, "
    "Kobayashi, Miyazaki & Okabe 2008: at most (4M - 4) / (3M - 2) times, which is tight"
)
TEXT = """
The ports of a switch share a buffer of M packets, and each port sends a packet per slot. The check drives
`weighted-round-robin` without guarantees directly, not on a line: it offers the arrivals of a slot, then pulls a
packet for each port that has one. The discipline shares its buffer among queues, one per port, by longest queue
drop. It chooses the victim by the same code (`Victims` in `crates/core/src/queue/thresholds.rs`) as
`longest-queue-drop`. That discipline itself is not driven, because it has one FIFO for one line: with a single
line, any discipline that accepts packets while there is room sends as much as possible. The optimum knows all
arrivals in advance, and is found by trying all combinations of admitted packets. "ours" is the largest ratio of
optimum to sent over all cases. The adversary is that of the proof for two ports: a flood for both, then M - 2
packets for one of them, repeatedly. Our ratio approaches the bound as the sequences get longer, and never exceeds
it. All of this is exact: seeds are used only to draw arrivals.

The last column has the ratio of tail drop on the same cases: `fair-queueing` has a queue per port, too, and by
default drops arrivals at a full buffer. If tail drop keeps the bound as well, the row checks our bound but does not
distinguish the two rules. This is so for the adversary from M = 4 on (it was made for longest queue drop), for all
arrivals of two slots, and for random arrivals at three ports or more. The hog distinguishes them: it fills the
buffer, then a packet arrives for each other port, six times over.

`fair-queueing` with `longest-queue-tail` is shown for comparison, without a claim. It has one queue per port, too,
but always keeps the arriving packet and does not count it in its queue. Among equally long queues it drops from the
one that became the longest first, as documented: this is the overload handling of Keshav & Morgan 1997 §5, whose
figures were reproduced with it. So of two equally long queues, the one that the arriving packet does not belong to
loses a packet. That is not longest queue drop as in the proofs, and their bound does not hold for it. It stays as
it is, because a corrected version would be a different discipline.
"""
BOUND = 1.6918
RULE = {"kind": "weighted-round-robin"}
BESIDE = {"kind": "fair-queueing", "overflow": "longest-queue-tail"}
TAIL_DROP = {"kind": "fair-queueing", "overflow": "arriving"}
"""A discipline that breaks the bounds, to show that the check can fail."""
Slots = Sequence[Sequence[int]]
"""Per slot the ports for which packets arrive, in order."""


def sent(kind: dict[str, str], room: int, slots: Slots) -> int:
    """Total sent by a switch whose ports share the discipline's buffer, and send a packet each per slot."""
    queue = _native.Queue(kind | {"buffer": f"{room} packets"})
    waiting: dict[str, int] = {}
    total = number = 0
    for slot in itertools.chain(slots, itertools.repeat(())):
        for port in slot:
            name = chr(ord("a") + port)
            waiting[name] = waiting.get(name, 0) + 1
            number += 1
            for gone, _ in queue.offer(f"{name}{number}", 1000):
                waiting[gone[0]] -= 1
        # Equal turns: each port that has units sends one of them.
        ports = {name for name, many in waiting.items() if many}
        served = {(queue.pull()[0] or "-")[0] for _ in ports}
        assert served == ports, f"{served} sent, not one each of {ports}"
        for name in ports:
            waiting[name] -= 1
        total += len(ports)
        if not ports and number == sum(map(len, slots)):
            return total
    return total


def best(room: int, ports: int, slots: Slots) -> int:
    """The optimum: tries all numbers of admitted packets for each port in each slot."""
    arrivals = [[list(slot).count(port) for port in range(ports)] for slot in slots]

    @cache
    def rest(at: int, held: tuple[int, ...]) -> int:
        if at == len(arrivals):
            return 0
        free = room - sum(held)
        most = 0
        for let_in in itertools.product(*(range(min(free, many) + 1) for many in arrivals[at])):
            if (more := sum(let_in)) <= free:
                then = tuple(max(0, a + b - 1) for a, b in zip(held, let_in, strict=True))
                most = max(most, more + rest(at + 1, then))
        return most

    return rest(0, (0,) * ports)


def two_ports(room: int) -> float:
    """The least that is true of two ports and an even room."""
    return (4 * room - 4) / (3 * room - 2)


def bound(ports: int, room: int) -> float:
    """The proven bound for this number of ports."""
    return two_ports(room) if ports == 2 else BOUND


def adversary(room: int, floods: int) -> Slots:
    """The floods for the two ports, and the trickle for one between them."""
    flood = [[0] * room + [1] * room, *[[1]] * (room - 2)]
    return flood * floods


def hog(room: int, ports: int) -> Slots:
    """One port's flood, and a packet for each of the others behind it."""
    return [[0] * room + list(range(1, ports))] * 6


def drawn(draw: random.Random, ports: int, room: int, slots: int) -> Slots:
    """Some arrivals, few or floods."""
    many = [draw.choice([0, 1, 1, 2, room, 2 * room]) for _ in range(slots)]
    return [[draw.randrange(ports) for _ in range(each)] for each in many]


def every(room: int, slots: int) -> Iterable[Slots]:
    """All arrivals for two ports, up to a flood each, the one's before the other's or after."""
    one = [[0] * a + [1] * b for a in range(room + 1) for b in range(room + 1)]
    turned = [slot[::-1] for slot in one if 0 < sum(slot) < len(slot)]
    return itertools.product([*one, *turned], repeat=slots)


def worst(kind: dict[str, str], room: int, ports: int, cases: Iterable[Slots]) -> float:
    """The greatest optimum / sent of some cases."""
    greatest = 1.0
    for slots in cases:
        if optimum := best(room, ports, slots):
            greatest = max(greatest, optimum / sent(kind, room, slots))
    return greatest


def row(what: str, kind: dict[str, str], room: int, ports: int, cases: Iterable[Slots], most: float) -> Row:
    """The worst of some cases, and the ratio of tail drop on them."""
    cases = list(cases)
    greatest = worst(kind, room, ports, cases)
    claims = kind is RULE
    agrees = greatest <= most + 1e-9 if claims else None
    theirs = f"at most {most:.4f}" if claims else "–"
    note = f"{len(cases)} case{'s' if len(cases) > 1 else ''}"
    if claims:
        note += f"; tail drop {worst(TAIL_DROP, room, ports, cases):.4f}"
    return Row(what, f"{greatest:.4f}", theirs, "proven" if claims else "none", agrees, note)


def check(quick: bool) -> Report:
    """The adversary, all small cases, and some larger ones."""
    rows = []
    for room in (2, 4) if quick else (2, 4, 6, 8, 12):
        floods = adversary(room, 5 if quick else 40)
        what = f"M = {room}, two ports, the adversary"
        rows.append(row(what, RULE, room, 2, [floods], two_ports(room)))
        rows.append(row(f"{what}; `fair-queueing`, `longest-queue-tail`", BESIDE, room, 2, [floods], BOUND))
    for room, slots in [(2, 2)] if quick else [(2, 4), (4, 2)]:
        what = f"M = {room}, two ports, all arrivals of {slots} slots"
        rows.append(row(what, RULE, room, 2, every(room, slots), two_ports(room)))
    for ports, room in [(2, 4), (3, 4)] if quick else [(2, 4), (2, 6), (2, 8), (3, 4), (3, 6), (4, 4), (4, 6)]:
        rows.append(
            row(f"M = {room}, {ports} ports, the hog", RULE, room, ports, [hog(room, ports)], bound(ports, room))
        )
    draw = random.Random("longest queue drop")
    settings = (
        [(2, 4, 8, 20)]
        if quick
        else [(2, 4, 12, 2000), (2, 8, 8, 500), (3, 4, 8, 1000), (3, 6, 6, 200), (4, 4, 6, 500)]
    )
    for ports, room, slots, many in settings:
        cases = [drawn(draw, ports, room, slots) for _ in range(many)]
        what = f"M = {room}, {ports} ports, {slots} slots drawn at random"
        rows.append(row(what, RULE, room, ports, cases, bound(ports, room)))
    return Report(TITLE, AGAINST, rows, TEXT, order=34)
