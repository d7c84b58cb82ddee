"""What the figures of Chan, Wang & Chen 2002 have in common: axes, and how curves are made."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from typing import Any

from dupack.reproduce.chan_wang_chen_2002.runs import (
    ALL,
    KINDS,
    beyond,
    buffer,
    over_buffer,
    over_excess,
)
from dupack.reproduce.paper import PAPERS, Measured, Results, Sample, Series

BUFFER_AXIS = "buffer [cells]"
EXCESS_AXIS = "buffer beyond the EPD threshold [packets]"
GOODPUT = "goodput [% of the cells]"
THROUGHPUT = "TCP throughput [% of the line]"
RATE = "throughput [Mb/s of cells]"

By = Callable[[Measured], float | None]


def curve(kind: str, samples: Sequence[Sample], x: Callable[[Sample], float], y: By, **how: Any) -> Series:
    """Of a discipline."""
    ys = [sample.estimate(y) for sample in samples]
    at: list[float | str] = [x(sample) for sample in samples]
    return Series(ALL[kind], at, [e.mean for e in ys], [e.half for e in ys], of=kind, **how)


def flat(kind: str, sample: Sample, ends: Sequence[float], y: By) -> Series:
    """Of a discipline that does not depend on x."""
    e = sample.estimate(y)
    return Series(ALL[kind], list(ends), [e.mean] * 2, [e.half] * 2, of=kind, kind="flat")


def over_beyond(plan: str, y: By, most: int) -> Callable[[Results], list[Series]]:
    """Over the room beyond the EPD threshold [packets], up to ``most``."""

    def series(results: Results) -> list[Series]:
        made = []
        for kind in ("epd", "epd-push-out"):
            samples = [sample for sample in over_excess(results, plan, kind) if beyond(sample) <= most]
            made.append(curve(kind, samples, beyond, y))
        ends = [float(made[0].x[0]), float(made[0].x[-1])]
        return [*made, flat("abs-push-out", over_excess(results, plan, "abs-push-out")[0], ends, y)]

    return series


def over_room(plan: str, y: By, kinds: Sequence[str] = tuple(KINDS)) -> Callable[[Results], list[Series]]:
    """Over the buffer [cells]."""
    return lambda results: [curve(kind, over_buffer(results, plan, kind), buffer, y) for kind in kinds]


def stated() -> dict[str, float]:
    """The numbers of published.toml, by claim."""
    text = (PAPERS / "chan-wang-chen-2002" / "published.toml").read_text(encoding="utf-8")
    return {entry["id"]: entry["published"] for entry in tomllib.loads(text)["claim"]}


def words(name: str, *, x: Sequence[str], ys: Sequence[tuple[Sample, By]], **how: Any) -> Series:
    """Measured values over words."""
    es = [sample.estimate(y) for sample, y in ys]
    return Series(name, list(x), [e.mean for e in es], [e.half for e in es], **how)


def printed(name: str, x: Sequence[str], claims: Sequence[str], **how: Any) -> Series:
    """Values of a table, in a paler mark."""
    known = stated()
    return Series(name, list(x), [known[claim] for claim in claims], [None] * len(x), **how)
