"""The same ABR sources behind ERICA in YATS and in dupack. A slot of YATS is the time of a cell on every line."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from dupack import _native
from verify.yats import Asked, head, link, runs_of

RATE = 100_000
"""Of every line [cells/s]."""
CELL_US = 10
CELL_BITS = 424
MS = 100
"""A millisecond [slots]."""
TRUNK = 1
"""Delay of a line between switches [slots]."""
ICR = 0.05
"""Initial rate, relative to PCR."""
WARM_UP_MS, END_MS = 2000, 4000
APART_MS = 20
"""Sources start within this time after their start; a seed draws when."""
NEAR = 0.1
"""Part of its fair rate by which a source may differ that has found it."""
STAYS_MS = 100
RULES = ("yats", "memory", "plus")
"""Switches of our program for YATS: its own, the same with ERICA's memory, and with all of dupack's rules."""


@dataclass(frozen=True)
class Source:
    """A greedy ABR source."""

    round_trip_ms: float
    """Propagation delay there and back, half of it before the first switch and behind the last."""
    start_us: int = 0
    pcr: int = RATE
    lines: tuple[int, int] = (0, 0)
    """The first and the last line that it passes, of those behind switches."""


@dataclass(frozen=True)
class Abr:
    """Sources behind a row of switches."""

    sources: Sequence[Source]
    lines: int = 1
    interval_ms: int = 5
    """Averaging interval of ERICA."""
    rif: float = 1 / 16

    def fair(self) -> list[float]:
        """Max-min fair rates [cells/s]."""
        routes = [list(range(it.lines[0], it.lines[1] + 1)) for it in self.sources]
        most = [float(it.pcr) for it in self.sources]
        return _native.max_min_rates([float(RATE)] * self.lines, routes, most=most)

    def drawn(self, seed: int) -> Abr:
        """The same with starts that a seed draws."""
        draw = random.Random(seed)
        steps = APART_MS * 1000 // CELL_US
        later = [replace(it, start_us=it.start_us + draw.randrange(steps) * CELL_US) for it in self.sources]
        return replace(self, sources=later)

    def asked(self, rules: str) -> Asked:
        """For YATS, in which only the lines behind switches take a slot for a cell, and only on the way there."""
        values = [END_MS * MS, MS, RATE, self.interval_ms * MS, TRUNK, self.lines]
        lines = []
        for it in self.sources:
            (first, last), each = it.lines, self._each(it)
            words = [first, last, each + 1, each + 1 + TRUNK, it.start_us // CELL_US, it.pcr, ICR * it.pcr, self.rif]
            lines.append(" ".join(map(str, words)))
        return Asked(["abr", rules, *map(str, values)], lines)

    def plan(self) -> str:
        """For dupack, without what ERICA+ has beyond ERICA as far as parameters can leave it out."""
        erica = f'kind = "erica", a = 1, b = 1, delta = 0, decay = 0, interval = "{self.interval_ms} ms"'
        queue = f'queue = {{ kind = "plain", buffer = "1000000 cells" }}\nmarker = {{ {erica} }}'
        delay = TRUNK * CELL_US * 1000
        links = [link(f"line-{n}", f"switch-{n}", f"switch-{n + 1}", RATE, delay, queue) for n in range(self.lines)]
        flows = []
        for n, it in enumerate(self.sources):
            delay = self._each(it) * CELL_US * 1000
            links.append(link(f"access-{n}", f"source-{n}", f"switch-{it.lines[0]}", RATE, delay))
            links.append(link(f"leaf-{n}", f"switch-{it.lines[1] + 1}", f"sink-{n}", RATE, delay))
            flows.append(
                f'[[flow]]\nname = "vc-{n}"\nfrom = "source-{n}"\nto = "sink-{n}"\nstart = "{it.start_us} us"\n'
                # Packets of ten cells come faster than a line can send them.
                'traffic = { kind = "greedy", access_rate = "42.4 Mb/s" }\n'
                'transport = { kind = "udp", mss = "444 B", header = "28 B" }\n'
                f'abr = {{ pcr = "{it.pcr} cells/s", icr = {ICR}, rif = {self.rif}, trm = "100 ms", '
                'crm = 524287, use_it_or_lose_it = "adtf" }\n'
            )
        times = f'duration = "{END_MS} ms"\nwarm_up = "{WARM_UP_MS} ms"\nsample = "1 ms"'
        switches = [f"switch-{n}" for n in range(self.lines + 1)]
        return "\n".join([head(times, len(self.sources), switches), *links, *flows])

    def _each(self, source: Source) -> int:
        """Delay of the line of a source, and of that of its destination [slots]."""
        return round(source.round_trip_ms * MS / 4)

    def course(self, acr: Sequence[Sequence[float]], cells: Sequence[int]) -> Course:
        """The measures of ACR in each millisecond, and of cells after warm-up, of each source."""
        rates = [it / (END_MS - WARM_UP_MS) * 1000 for it in cells]
        used = [0.0] * self.lines
        for rate, it in zip(rates, self.sources, strict=True):
            for line in range(it.lines[0], it.lines[1] + 1):
                used[line] += rate / RATE
        last = max(it.start_us for it in self.sources) // 1000
        return Course(rates, used, settled(acr[last:], self.fair()))


@dataclass(frozen=True)
class Course:
    """What became of sources in a run."""

    rates: list[float]
    """Cells of each that arrived after warm-up, RM cells too [cells/s]."""
    used: list[float]
    """Share of the capacity of each line between switches that they used."""
    settled_ms: int | None
    """Time from the last start until every ACR was near its fair rate, and stayed there for some time."""


@dataclass(frozen=True)
class Courses:
    """What became of sources over all runs."""

    low: list[float]
    """Least rate of each source in any run [cells/s]."""
    mean: list[float]
    high: list[float]
    used: list[float]
    """Mean of each line."""
    settled_ms: list[int | None]
    """Of each run."""


def together(runs: Sequence[Course]) -> Courses:
    """The summary of runs."""
    rates = list(zip(*(it.rates for it in runs), strict=True))
    used = list(zip(*(it.used for it in runs), strict=True))
    return Courses(
        low=[min(it) for it in rates],
        mean=[round(fmean(it), 1) for it in rates],
        high=[max(it) for it in rates],
        used=[round(fmean(it), 5) for it in used],
        settled_ms=[it.settled_ms for it in runs],
    )


def settled(acr: Sequence[Sequence[float]], fair: Sequence[float]) -> int | None:
    """The first sample from which all rates stay near the fair ones, for `STAYS_MS` samples."""
    near = [all(abs(a / f - 1) <= NEAR for a, f in zip(now, fair, strict=True)) for now in acr]
    at = 0
    for good, run in itertools.groupby(near):
        length = len(list(run))
        if good and length >= STAYS_MS:
            return at
        at += length
    return None


def of_yats(binary: Path, runs: Sequence[Abr], rules: str) -> Courses:
    """Runs in YATS."""
    return together([_of_yats(binary, it, rules) for it in runs])


def _of_yats(binary: Path, case: Abr, rules: str) -> Course:
    *lines, (_, lost) = case.asked(rules).run(binary)
    assert lost == "0", f"YATS drops {lost} cells of ABR sources"
    acr = [[float(it) for it in line[::2]] for line in lines]
    counts = [[int(it) for it in line[1::2]] for line in lines]
    cells = [b - a for a, b in zip(counts[WARM_UP_MS - 1], counts[-1], strict=True)]
    return case.course(acr, cells)


def of_dupack(runs: Sequence[Abr]) -> Courses:
    """Runs in dupack."""
    made = runs_of([it.plan() for it in runs])
    return together([_of_dupack(case, run.document) for case, run in zip(runs, made, strict=True)])


def _of_dupack(case: Abr, document: dict[str, Any]) -> Course:
    sent = {it["name"]: it["measured"]["sent"] for it in document["links"]}
    places = range(len(case.sources))
    rates = [document["series"]["acr_bps"][f"vc-{n}"] for n in places]
    # A sample at the start comes before the first of YATS, and a source has no ACR before its own start.
    acr = [[(it[k] or 0) / CELL_BITS for it in rates] for k in range(1, len(rates[0]))]
    return case.course(acr, [sent[f"leaf-{n}"] for n in places])
