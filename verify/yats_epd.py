"""The same packets of several VCs through EPD or PPD in YATS and in dupack.

A slot of YATS is 250 ns. The bottleneck sends a cell in 40 slots, and the line of a sender in 20 or 40. The times of
a VC are multiples of 20 slots after a phase of its own, so that cells of two VCs never arrive in the same slot.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from verify.runs import marks
from verify.yats import Asked, digest, head, link, runs_of

SLOT_NS = 250
SERVICE = 40
GRID = 20


@dataclass(frozen=True)
class Packet:
    """A packet of a VC; times in slots."""

    start: int
    """When its sender begins to send it, or puts it behind others."""
    cells: int
    size: int
    """Its length with the headers of UDP and IP [bytes]."""
    first: int
    """When its first cell arrives at the bottleneck."""


@dataclass(frozen=True)
class Vc:
    """Packets of a sender."""

    spacing: int
    """Time of a cell on the sender's line [slots]."""
    packets: Sequence[Packet]


@dataclass(frozen=True)
class Epd:
    """Packets of several VCs through a multiplexer."""

    vcs: int
    load: float
    """What arrives over what the bottleneck can send."""
    buffer: int
    """Cells that wait at most."""
    threshold: float | None
    """Share of the buffer; None is PPD."""
    sizes: Sequence[int]
    """Lengths of packets [cells], from which each is drawn."""
    packets: int = 4000
    pass_last: bool = True
    """Whether YATS forwards the last cell of a damaged packet."""

    def drawn(self) -> list[Vc]:
        """All packets, which arrive with a Poisson process at each sender."""
        draw = random.Random(f"{self.vcs} {self.load} {self.buffer} {self.threshold} {min(self.sizes)}")
        phases = draw.sample(range(GRID), self.vcs)
        mean = sum(self.sizes) / len(self.sizes) * SERVICE * self.vcs / self.load
        return [self._vc(draw, phase, mean) for phase in phases]

    def _vc(self, draw: random.Random, phase: int, mean: float) -> Vc:
        # A line at the bottleneck's rate is fast enough for a VC that has at most half of it.
        spacing = draw.choice([GRID, 2 * GRID]) if self.load / self.vcs <= 0.5 else GRID
        packets, time, free = [], 0.0, 0
        for _ in range(self.packets // self.vcs):
            time += draw.expovariate(1 / mean)
            start = phase + spacing * round(time / spacing)
            cells = draw.choice(self.sizes)
            began = max(start, free)
            free = began + cells * spacing
            # The first cell is a slot on the way when all of it has been sent.
            packets.append(Packet(start, cells, 48 * cells - 8 - draw.randrange(12), began + spacing + 1))
        return Vc(spacing, packets)

    @property
    def limit(self) -> int:
        """Cells that wait at most when the first cell of a packet arrives that is not refused."""
        return self.buffer if self.threshold is None else int(self.threshold * self.buffer)

    def asked(self, vcs: Sequence[Vc], more: int = 0) -> Asked:
        """For YATS, which refuses a packet if as many cells wait as THRESH says; with a limit of some cells more."""
        buffer = self.buffer + more * (self.limit == self.buffer)
        words = ["epd", *map(str, [SERVICE, buffer, self.limit + more + 1, int(self.pass_last)])]
        each = [(n, packet, vc.spacing) for n, vc in enumerate(vcs) for packet in vc.packets]
        return Asked(words, [f"{n} {it.first} {it.cells} {spacing}" for n, it, spacing in each])

    def plan(self, vcs: Sequence[Vc]) -> str:
        """For dupack. The line behind the bottleneck sends a cell in a slot, so nothing waits there."""
        rates = [10**9 // (vc.spacing * SLOT_NS) for vc in vcs]
        queue = f'kind = "ppd", buffer = "{self.buffer} cells"'
        if self.threshold is not None:
            queue = f'kind = "epd", buffer = "{self.buffer} cells", threshold = {self.threshold}'
        last = max(vc.packets[-1].first + vc.packets[-1].cells * vc.spacing for vc in vcs)
        end_ms = (last + (self.buffer + 4) * SERVICE) * SLOT_NS // 10**6 + 1
        links = [
            link("bottleneck", "near", "far", 10**9 // (SERVICE * SLOT_NS), SLOT_NS, f"queue = {{ {queue} }}"),
            *(link(f"access-{n}", f"source-{n}", "near", rate, SLOT_NS) for n, rate in enumerate(rates)),
            *(link(f"leaf-{n}", "far", f"sink-{n}", 10**9 // SLOT_NS, SLOT_NS) for n in range(self.vcs)),
        ]
        flows = [
            f'[[flow]]\nname = "vc-{n}"\nfrom = "source-{n}"\nto = "sink-{n}"\n'
            f'traffic = {{ kind = "trace", packets = "vc-{n}.txt" }}\n'
            'transport = { kind = "udp", mss = "9180 B", header = "28 B" }\n'
            for n in range(self.vcs)
        ]
        return "\n".join([head(f'duration = "{end_ms} ms"', self.vcs, ["near", "far"]), *links, *flows])


Ends = list[list[int | None]]
"""Of each packet of each VC: the slot in which the bottleneck has sent its last cell, if it arrives whole."""


@dataclass(frozen=True)
class Fates:
    """What became of packets."""

    whole: int
    """Packets that arrive whole."""
    left: list[int]
    """Per VC, cells that the bottleneck sent."""
    digest: str
    """Of the ends of all packets."""


@dataclass(frozen=True)
class Judged(Fates):
    """What became of packets in YATS."""

    ties: int
    """Cells that arrived in a slot in which one left."""
    changed: int
    """Packets whose end changes if the threshold, or the buffer if there is none below it, is a cell more."""


def joined(packets: Sequence[tuple[int, int, int]]) -> list[int | None]:
    """The slot in which each packet of a VC is whole for AAL5, if it is.

    Of each packet: its cells, how many of them were sent, and when the last cell was, -1 if it was not. A packet
    without its last cell takes the next one with it.
    """
    found: list[int | None] = []
    held = 0
    for cells, sent, last in packets:
        held += sent
        found.append(last if last >= 0 and held == sent == cells else None)
        if last >= 0:
            held = 0
    return found


def of_yats(binary: Path, case: Epd, vcs: Sequence[Vc]) -> Judged:
    """The fates in YATS."""
    ends, left, ties = _of_yats(binary, case.asked(vcs), vcs)
    more, _, _ = _of_yats(binary, case.asked(vcs, more=1), vcs)
    changed = sum(a != b for one, other in zip(ends, more, strict=True) for a, b in zip(one, other, strict=True))
    return Judged(_whole(ends), left, digest(ends), ties, changed)


def _of_yats(binary: Path, asked: Asked, vcs: Sequence[Vc]) -> tuple[Ends, list[int], int]:
    *lines, (_, ties) = asked.run(binary)
    told = iter([(int(sent), int(last)) for _, sent, last in lines])
    each = [[(it.cells, *next(told)) for it in vc.packets] for vc in vcs]
    return [joined(it) for it in each], [sum(sent for _, sent, _ in it) for it in each], int(ties)


def _whole(ends: Ends) -> int:
    return sum(it is not None for vc in ends for it in vc)


def of_dupack(case: Epd, vcs: Sequence[Vc]) -> Fates:
    """The fates in dupack."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for n, vc in enumerate(vcs):
            times = [it.start * SLOT_NS for it in vc.packets]
            lines = [f"{ns // 10**9}.{ns % 10**9:09} {it.size}\n" for ns, it in zip(times, vc.packets, strict=True)]
            (folder / f"vc-{n}.txt").write_text("".join(lines))
        (run,) = runs_of([case.plan(vcs)], folder, tape=True)
    ends: Ends = [[None] * len(vc.packets) for vc in vcs]
    for mark in marks(run):
        if mark.event == "deliver":
            slot, rest = divmod(mark.at, SLOT_NS * 1000)
            assert rest == 0, f"{mark} is in no slot"
            # The cell was on the way for a slot, was sent in one, and was on the way for another.
            ends[int(mark.flow[3:])][mark.segment] = slot - 3
    offered = {it["name"]: it["offered"] for it in run.document["links"]}
    return Fates(_whole(ends), [offered[f"leaf-{n}"] for n in range(len(vcs))], digest(ends))
