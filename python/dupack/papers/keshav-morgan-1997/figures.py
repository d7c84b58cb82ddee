"""The figures of Keshav & Morgan 1997 that are more than curves over a setting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from dupack._native import potential_goodput, tcp_goodput
from dupack.reproduce.compare import mean_of
from dupack.reproduce.paper import Figures, Read, Results, Sample, Series
from dupack.reproduce.select import number, only, where
from dupack.reproduce.told import listed

from .measures import (
    BUFFERS,
    BURSTS,
    SOURCES,
    WINDOW,
    again,
    at_load,
    goodput,
    heavy,
    load,
    lossy,
    mean,
    mixed,
    of_pair,
    of_static,
    per_source,
    percent,
    tcp,
)
from .readings import GO_BACK_N, MIX, SMART, Change, changed

FIGURES = figure = Figures()

SHADES = {"25 packets": 0.55, "50 packets": 0.15, "100 packets": -0.35}
"""Of the buffers: the larger, the darker."""
GROUPS = (("packet-pair", "packet-pair", of_pair), ("static window", "smart", of_static))
"""The sources of a mixture: their name in legends, their colour, and the goodput of one of them."""


def plotted(name: str, of: str, x: Sequence[float | str], samples: Sequence[Sample], y: Read, **how: Any) -> Series:
    """Samples with the intervals of eqs. 2 and 3."""
    ys = [sample.estimate(y) for sample in samples]
    return Series.estimated(name, x, ys, of=of, **how)


def curve(
    name: str, of: str, samples: Sequence[Sample], x: Callable[[Sample], float], y: Read = goodput, **how: Any
) -> Series:
    """A curve over a number."""
    at = sorted(samples, key=x)
    return plotted(name, of, [x(sample) for sample in at], at, y, **how)


def line(name: str, x: Sequence[float], y: Sequence[float], **how: Any) -> Series:
    """A closed form, or a published number."""
    return Series.exact(name, x, y, kind="reference", **how)


def tenth(**how: Any) -> Series:
    """The fair share of a source."""
    return line("a tenth", [0], [1 / SOURCES], **how)


def eq_5(high: float, *, name: str = "1 - rW²/4, eq. (5)", low: float = 0.0, part: float = 1.0, **how: Any) -> Series:
    """1 - r W^2 / 4 from ``low`` to ``high`` [%], as far as it is above zero; ``part`` of the losses count."""
    x = [low + (high - low) * i / 200 for i in range(201)]
    shown = [(r, tcp_goodput(part * r / 100, WINDOW)) for r in x]
    shown = [(r, y) for r, y in shown if y >= 0]
    return line(name, [r for r, _ in shown], [y for _, y in shown], **how)


def eq_6(high: float, **how: Any) -> Series:
    """(1 - r)^2 up to ``high`` [%]."""
    x = [high * i / 20 for i in range(21)]
    return line("(1 - r)², eq. (6)", x, [potential_goodput(r / 100) for r in x], **how)


# Figs. 2 to 5: over the load


def per_buffer(samples: Sequence[Sample], of: str, y: Read = goodput, prefix: str = "", **how: Any) -> list[Series]:
    """A curve over the load for each buffer."""
    return [
        curve(f"{prefix}B = {share:g}", of, where(samples, buffer=size), load, y, shade=SHADES[size], **how)
        for size, share in BUFFERS.items()
    ]


def most(low: float = 0.5, **how: Any) -> Series:
    """The offered load, as far as the backbone can carry it."""
    return line("min(load, 1)", [low, 1, 5], [low, 1, 1], **how)


for name, plan, of, low in (
    ("2", "fig-02", "go-back-n", 0.2),
    ("3", "fig-03", "smart", 0.5),
    ("4", "fig-04", "packet-pair", 0.5),
):

    @figure(name)
    def _(results: Results, plan: str = plan, of: str = of, low: float = low) -> list[Series]:
        return [*per_buffer(results[plan], of), most(low)]


for name, count in (("5ab", 9), ("5cd", 1)):

    @figure(name)
    def _(results: Results, count: int = count) -> list[Series]:
        made = []
        for (group, of, by), number_of in zip(GROUPS, (count, SOURCES - count), strict=True):
            panel = f"{number_of} {group} source{'s' if number_of > 1 else ''}"
            # The two panels have different colours, so the legend needs a name for each curve.
            made += per_buffer(mixed(results["fig-05"], count), of, by, prefix=f"{group}, ", panel=panel)
            made.append(line("a tenth of min(load, 1)", [0.5, 1, 5], [0.05, 0.1, 0.1], panel=panel))
        return made

    @figure.note(name)
    def _(results: Results, count: int = count) -> dict[str, str]:
        found = heavy(mixed(results["fig-05"], count))
        reads = {"pair": of_pair, "static": of_static}
        return {group: listed((mean_of(mine, by).mean for mine in found), 3) for group, by in reads.items()}


# Figs. 6 and 7: over the loss rate


def over(samples: Sequence[Sample]) -> dict[str, str]:
    """What a mean of these points is over."""
    runs = samples[0].runs
    measured = runs[0].document["duration_s"] - runs[0].document["warm_up_s"]
    length = f"{measured:g} s after the transient"
    return {"over": f"Means over {len(runs)} runs of {length}." if len(runs) > 1 else f"One run of {length}."}


@figure.note("6")
def _(results: Results) -> dict[str, str]:
    return over(results["fig-06"])


@figure.note("tcp-loss")
def _(results: Results) -> dict[str, str]:
    return over(results["extra-tcp-loss"])


@figure("6")
def _(results: Results) -> list[Series]:
    made = []
    for kind in ("tahoe", "reno"):
        panel = kind.capitalize()
        for (burst, name), shade in zip(BURSTS.items(), (0, 0.7), strict=True):
            made.append(curve(name, "tahoe", tcp(results, kind, burst), percent, panel=panel, shade=shade))
        made += [eq_5(1, panel=panel, of="theory"), eq_6(1, panel=panel)]
    return made


def per_burst(curves: Callable[[Results, str, str], list[Series]]) -> Callable[[Results], list[Series]]:
    """A panel for isolated losses and one for bursts, with eq. 6 in each."""

    def series(results: Results) -> list[Series]:
        made = []
        for burst, panel in BURSTS.items():
            made += [*curves(results, burst, panel), eq_6(5, panel=panel)]
        return made

    return series


@figure("7")
@per_burst
def _(results: Results, burst: str, panel: str) -> list[Series]:
    return [
        curve(
            f"W_EC = {limit // WINDOW} W_RT",
            "packet-pair",
            lossy(results, burst, limit),
            percent,
            panel=panel,
            shade=shade,
        )
        for limit, shade in ((300, 0.55), (600, 0.15), (1200, -0.35))
    ]


@figure("lost")
@per_burst
def _(results: Results, burst: str, panel: str) -> list[Series]:
    made = []
    for found, shade in (("id", 0.0), ("timer", 0.55)):
        for kept, name, of in (("each", "all", "packet-pair"), ("last", "latest", "go-back-n")):
            samples = where(results["extra-lost"], lost_retransmission=found, tracking=kept, mean_burst=burst)
            made.append(curve(f"{found}, {name}", of, samples, percent, panel=panel, shade=shade))
    return made


NEWER = (("newreno", "NewReno"), ("sack", "SACK"))


@figure("tcp-loss")
@per_burst
def _(results: Results, burst: str, panel: str) -> list[Series]:
    pair = lossy(results, burst, 600)
    made = [curve("packet-pair, SMART (Fig. 7)", "packet-pair", pair, percent, panel=panel)]
    for kind, name in NEWER:
        samples = where(results["extra-tcp-loss"], kind=kind, mean_burst=burst)
        made.append(curve(name, kind, samples, percent, panel=panel))
    return made


@figure("delayed")
@per_burst
def _(results: Results, burst: str, panel: str) -> list[Series]:
    made = []
    for late, name, shade in ((False, "every packet acknowledged", -0.3), (True, "every second one", 0.4)):
        samples = where(results["extra-delayed"], delayed_ack=late, mean_burst=burst)
        made.append(curve(name, "smart", samples, percent, panel=panel, shade=shade))
    return made


# Work that the paper mentions, and other additions


@figure("longest")
def _(results: Results) -> list[Series]:
    made = []
    for rule, name in (
        ("arriving", "the arriving packet"),
        ("longest-queue", "the longest queue"),
        ("longest-queue-head", "its first packet"),
        ("longest-queue-tail", "its last packet"),
    ):
        shown: list[tuple[str, Sample, Read]] = []
        for kind, who in (("smart", "10 static windows"), ("packet-pair", "10 packet-pair")):
            shown.append((who, at_load(where(results["section-5"], kind=kind, overflow=rule), 5), per_source))
        for count in (9, 1):
            sample = at_load(where(mixed(results["section-5-mix"], count), overflow=rule), 5)
            both = f"{count} packet-pair, {SOURCES - count} static"
            shown += [(f"{both}: {group}", sample, by) for group, _, by in GROUPS]
        ys = [sample.estimate(by) for _, sample, by in shown]
        made.append(Series.estimated(name, [who for who, _, _ in shown], ys, of=rule))
    return [*made, tenth()]


@figure.note("longest")
def _(results: Results) -> dict[str, str]:
    def total(rule: str) -> str:
        """Goodput of all sources, mean over the populations."""
        same = [where(results["section-5"], kind=kind, overflow=rule) for kind in ("smart", "packet-pair")]
        both = [where(mixed(results["section-5-mix"], count), overflow=rule) for count in (9, 1)]
        return f"{fmean(mean(at_load(samples, 5)) for samples in (*same, *both)):.2f}"

    rules = {"longest": "longest-queue", "head": "longest-queue-head", "tail": "longest-queue-tail"}
    return {name: total(rule) for name, rule in {"arriving": "arriving", **rules}.items()}


@figure("rare")
def _(results: Results) -> list[Series]:
    made = []
    for kind in ("tahoe", "reno"):
        how: dict[str, Any] = {"panel": kind.capitalize()}
        both = where(results["extra-rare"], {"kind": kind, "*loss.rate": True})
        alone = where(results["extra-rare"], {"kind": kind, "back_loss.rate": 0})
        made += [
            curve("packets and acks are lost", "tahoe", both, percent, shade=0.5, **how),
            curve("packets alone", "tahoe", alone, lambda sample: 100 * number(sample, "path.loss.rate"), **how),
            eq_5(0.1, low=0.001, of="theory", **how),
            eq_5(0.1, low=0.001, part=0.5, name="1 - rW²/8, lost acks not counted", **how),
        ]
    return made


@figure("tcp-load")
def _(results: Results) -> list[Series]:
    made = []
    for size, share in BUFFERS.items():
        how: dict[str, Any] = {"panel": f"B = {share:g}"}
        for plan, of, name in (
            ("fig-02", "go-back-n", "go-back-n (Fig. 2)"),
            ("fig-03", "smart", "static window, SMART (Fig. 3)"),
            ("fig-04", "packet-pair", "packet-pair, SMART (Fig. 4)"),
        ):
            samples = [sample for sample in where(results[plan], buffer=size) if load(sample) > 0.49]
            made.append(curve(name, of, samples, load, **how))
        for kind, name in NEWER:
            made.append(curve(name, kind, where(results["extra-tcp-load"], kind=kind, buffer=size), load, **how))
        made.append(most(**how))
    return made


SENDERS = {
    "packet-pair": "packet-pair, SMART",
    "smart": "static window, SMART",
    "sack": "SACK",
    "newreno": "NewReno",
}

for name, by in (("reorder", goodput), ("needless", again)):

    @figure(name)
    def _(results: Results, by: Read = by) -> list[Series]:
        return [
            curve(
                name,
                kind,
                where(results["extra-reorder"], kind=kind, delay=delay),
                percent,
                by,
                panel=f"{delay} longer",
            )
            for delay in ("1 ms", "25 ms")
            for kind, name in SENDERS.items()
        ]


# What the paper leaves open


READINGS = {
    "gbn-readings": ("extra-go-back-n", "go-back-n", GO_BACK_N, "paper: 25 to 35 % at load 0.5", (0.25, 0.35)),
    "smart-readings": ("extra-smart", "smart", SMART, "paper: around 50 % beyond load 1", (0.5,)),
}
"""For each figure the plan, the colour, the readings, and what the paper says."""


def readings(
    plan: str, of: str, changes: Mapping[str, Change], said: str, published: Sequence[float]
) -> Callable[[Results], list[Series]]:
    """A dot for each reading at each of three loads."""

    def series(results: Results) -> list[Series]:
        made = []
        for at, shade in ((0.5, 0.6), (1, 0.2), (5, -0.4)):
            samples = [at_load(changed(results[plan], change), at) for change in changes.values()]
            made.append(plotted(f"load {at:g}", of, list(changes), samples, goodput, shade=shade))
        return [*made, *(line(said, [0], [value], of=of) for value in published)]

    return series


for name, how in READINGS.items():
    figure(name)(readings(*how))


@figure("who")
def _(results: Results) -> list[Series]:
    made = []
    for count, panel in ((9, "9 packet-pair, 1 static window"), (1, "1 packet-pair, 9 static windows")):
        mine = mixed(results["extra-mix"], count)
        for group, of, by in GROUPS:
            for size in ("25 packets", "100 packets"):
                samples = [only(changed(mine, change), buffer=size) for change in MIX.values()]
                look: dict[str, Any] = {"shade": SHADES[size], "panel": panel}
                made.append(plotted(f"{group}, B = {BUFFERS[size]:g}", of, list(MIX), samples, by, **look))
        made.append(tenth(panel=panel))
    return made
