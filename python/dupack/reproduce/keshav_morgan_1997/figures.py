"""The figures of Keshav & Morgan 1997."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dupack._native import potential_goodput, tcp_goodput
from dupack.reproduce.keshav_morgan_1997.runs import (
    BURSTS,
    SHARES,
    SOURCES,
    WINDOW,
    circuit,
    goodput,
    goodputs,
    load,
    loss_rate,
    mixed,
    tcp,
    window,
    with_buffer,
)
from dupack.reproduce.paper import Figure, Measured, Results, Sample, Series

LOAD_AXIS = "nominal load [share of the backbone]"
GOODPUT = "goodput [share of the backbone]"
LOSS_AXIS = "one-way loss rate r [%]"

SHADES = {25: 0.55, 50: 0.15, 100: -0.35}
"""Of the buffers: the larger, the darker."""

Intervals = Callable[[Measured], Sequence[float]]


def curve(
    name: str, of: str, samples: Sequence[Sample], x: Callable[[Sample], float], y: Intervals = goodput, **how: Any
) -> Series:
    """A curve with the intervals of eqs. 2 and 3."""
    at = sorted(samples, key=x)
    ys = [sample.intervals(y) for sample in at]
    return Series(name, [x(sample) for sample in at], [e.mean for e in ys], [e.half for e in ys], of=of, **how)


def line(name: str, x: Sequence[float], y: Sequence[float], **how: Any) -> Series:
    """A closed form, or a published number."""
    return Series(name, list(x), list(y), [None] * len(x), kind="reference", **how)


def buffers(samples: Sequence[Sample], of: str, y: Intervals = goodput, **how: Any) -> list[Series]:
    """A curve over the load for each buffer."""
    return [
        curve(f"B = {share:g}", of, with_buffer(samples, size), load, y, shade=SHADES[size], **how)
        for size, share in SHARES.items()
    ]


def most(low: float = 0.5, **how: Any) -> Series:
    """What the load asks for and the backbone allows."""
    return line("min(load, 1)", [low, 1, 5], [low, 1, 1], **how)


def _over_load(plan: str, of: str, low: float = 0.5) -> Callable[[Results], list[Series]]:
    return lambda results: [*buffers(results[plan], of), most(low)]


GROUPS = {"pair": "packet-pair", "static": "smart"}


def _mix(count: int) -> Callable[[Results], list[Series]]:
    """Goodput per source of ``count`` packet-pair sources, and of the others."""
    panels = {"pair": _some(count, "packet-pair"), "static": _some(SOURCES - count, "static window")}

    def series(results: Results) -> list[Series]:
        made = []
        for group, of in GROUPS.items():
            how: dict[str, Any] = {"panel": panels[group]}
            samples = mixed(results, "fig-05", count)
            made += [
                # The curves of the two panels have colours of their own, and so names.
                Series(f"{of_name(of)}, {one.name}", one.x, one.y, one.ci95, one.of, one.shade, **how)
                for one in buffers(samples, of, goodputs(group, each=True))
            ]
            made.append(line("a tenth of min(load, 1)", [0.5, 1, 5], [0.05, 0.1, 0.1], **how))
        return made

    return series


def _some(count: int, what: str) -> str:
    return f"{count} {what} source{'s' if count > 1 else ''}"


def of_name(of: str) -> str:
    """What a sender is called in legends."""
    return {"smart": "static window", "packet-pair": "packet-pair"}[of]


def eq_5(high: float, *, name: str = "1 - rW²/4, eq. (5)", low: float = 0.0, part: float = 1.0, **how: Any) -> Series:
    """1 - r W^2 / 4, as far as it is above zero; ``part`` of the losses count."""
    x = [low + (high - low) * i / 200 for i in range(201)]
    shown = [(r, tcp_goodput(part * r / 100, WINDOW)) for r in x]
    shown = [(r, y) for r, y in shown if y >= 0]
    return line(name, [r for r, _ in shown], [y for _, y in shown], **how)


def eq_6(high: float, **how: Any) -> Series:
    """(1 - r)^2."""
    x = [high * i / 20 for i in range(21)]
    return line("(1 - r)², eq. (6)", x, [potential_goodput(r / 100) for r in x], **how)


FADE = {"1 packet": -0.2, "5 packets": 0.5}


def _fig_6(results: Results) -> list[Series]:
    made = []
    for kind in ("tahoe", "reno"):
        panel = kind.capitalize()
        for burst, name in BURSTS.items():
            made.append(
                curve(name, "tahoe", tcp(results, kind, burst), loss_rate, panel=panel, shade=FADE[burst] + 0.2)
            )
        made += [eq_5(1, panel=panel, of="theory"), eq_6(1, panel=panel)]
    return made


WINDOWS = {300: 0.55, 600: 0.15, 1200: -0.35}
"""W_EC, and shades."""


def latest_watched(results: Results, burst: str, limit: int) -> list[Sample]:
    """The circuit of Fig. 7 with a sender that watches the latest fast retransmission alone, by the id."""
    if limit == 600:
        return circuit(results, "extra-lost", burst, lost_retransmission="id", tracking="last")
    return circuit(results, "extra-lost", burst, tracking="last", max_window=window(limit))


def _fig_7(results: Results) -> list[Series]:
    def watched(burst: str, limit: int) -> list[Sample]:
        return circuit(results, "fig-07", burst, max_window=window(limit))

    def latest(burst: str, limit: int) -> list[Sample]:
        return latest_watched(results, burst, limit)

    made = []
    for burst, panel in BURSTS.items():
        for name, of, samples in (("all", "packet-pair", watched), ("the latest", "go-back-n", latest)):
            for limit, shade in WINDOWS.items():
                how: dict[str, Any] = {"panel": panel, "shade": shade}
                words = f"{name}, W_EC {limit // WINDOW} W_RT"
                made.append(curve(words, of, samples(burst, limit), loss_rate, **how))
        made.append(eq_6(5, panel=panel))
    return made


FIGURES = [
    Figure(
        "2",
        "Ten go-back-n sources",
        "Goodput over the nominal load (§2). The maximum is between 25 and 35 %, at a load of about 50 %; as the load "
        "approaches 1 the goodput decreases dramatically, a classic congestion collapse. The peak, and the load at "
        "which it is reached, decrease with the buffer.",
        LOAD_AXIS,
        GOODPUT,
        ("fig-02",),
        _over_load("fig-02", "go-back-n", 0.2),
        limits=(0, 1.02),
        ours="Loads below 0.5 are added, to see the peak. Under most readings goodput does not fall as the load "
        "grows; under this one it does: the receiver throws away what arrives out of order, and the access lines "
        "(10 Mb/s) are but a little faster than the backbone, so that the windows that several sources send again "
        "interleave. The backbone is then nine tenths busy, with packets that help nobody. See Extra, readings of "
        "go-back-n.",
    ),
    Figure(
        "3",
        "Ten static-window sources with SMART",
        "The same with SMART in the place of go-back-n (§4). Nothing collapses: even at a load of 500 % the goodput "
        "does not decrease. It is around 50 % (§5), and smaller with a smaller buffer.",
        LOAD_AXIS,
        GOODPUT,
        ("fig-03",),
        _over_load("fig-03", "smart"),
        limits=(0, 1.02),
        ours="SMART to the letter of §3, with the timer of TCP, and access lines of 80 Mb/s. Half of the backbone "
        "stays idle because sources wait for doubled timeouts. See Extra, readings of SMART.",
    ),
    Figure(
        "4",
        "Ten packet-pair sources with SMART",
        "With packet-pair goodput gets close to 100 % even with a buffer of a quarter of a round-trip window (§5); "
        "asymptotically it is in the range of 80 to 95 %, depending on the buffer (§8).",
        LOAD_AXIS,
        GOODPUT,
        ("fig-04",),
        _over_load("fig-04", "packet-pair"),
        limits=(0, 1.02),
        ours="Readings as in Fig. 3.",
    ),
    Figure(
        "5ab",
        "Nine packet-pair sources and one with a static window",
        "All with SMART; goodput per source (§5). The packet-pair sources capture more; under heavy load they can "
        "essentially drive the other one out.",
        LOAD_AXIS,
        GOODPUT,
        ("fig-05",),
        _mix(9),
        limits=(0, 0.3),
        ours="Readings as in Figs. 3 and 4. With a quarter and a half of a window of buffer it is as the text says. "
        "With a whole window the static source fits its bursts in, sends more than its share, and is ahead.",
    ),
    Figure(
        "5cd",
        "One packet-pair source and nine with static windows",
        "The packet-pair source gets substantially more than a tenth, and does better with a smaller buffer (§5).",
        LOAD_AXIS,
        GOODPUT,
        ("fig-05",),
        _mix(1),
        limits=(0, 0.3),
        ours="The packet-pair source takes what the others, waiting for their timers, leave. That hangs on the "
        "reading: see Extra, who gains.",
    ),
    Figure(
        "6",
        "Tahoe and Reno under random losses",
        "One circuit that loses packets and acks at random (§6). Tahoe is down to a few per cent at r = 1 %; Reno is "
        "similar. The parameter is rW²/4, here 25 at r = 1 %.",
        LOSS_AXIS,
        GOODPUT,
        ("fig-06",),
        _fig_6,
        limits=(0, 1.02),
        ours="Means over five runs of 20 intervals. A burst is so many packets long, however far apart they are sent; "
        "after a timeout they go out one by one with ever longer pauses, so one burst can silence a sender for "
        "minutes. That makes the lower curves rough. Where eq. 5 holds: see Extra, rare losses.",
    ),
    Figure(
        "7",
        "Packet-pair with SMART under random losses",
        "The same, to 5 % (§7). With an error-control window of several round-trip windows goodput is nearly the most "
        "possible, (1 - r)²; it tends to that limit as the window grows, quicker for isolated losses than for bursts.",
        LOSS_AXIS,
        GOODPUT,
        ("fig-07", "extra-lost"),
        _fig_7,
        limits=(0.4, 1.02),
        ours="Blue: every fast retransmission that is out is watched; three windows are then already enough, and "
        "the rows below are of this reading. Red: the sender has the text's two variables, and the latest fast "
        "retransmission overwrites the one before; then goodput depends on the window as the text describes, but "
        "far from the limit. Dips of the red curves are single bursts that "
        "silenced the sender for minutes, see Fig. 6. Goodput can be above (1 - r)²: a lost ack costs nothing if a "
        "later one says the same.",
    ),
]
