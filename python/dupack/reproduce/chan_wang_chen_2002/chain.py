"""Tables 2 and 3, Figures 17 and 18: the chain of switches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dupack.reproduce.chan_wang_chen_2002.runs import (
    KINDS,
    NINETEEN,
    Cuts,
    chain,
    chain_reading,
    end_goodput,
    fairness,
    only,
    together,
    together_wide,
    wire,
)
from dupack.reproduce.chan_wang_chen_2002.series import GOODPUT, RATE, By, printed, stated, words
from dupack.reproduce.paper import Figure, Panel, Results, Series

TEN = ["UDP", *(str(i) for i in range(1, 10))]


def _table_2(results: Results) -> list[Series]:
    x = [KINDS[kind] for kind in KINDS]
    y = [chain(results, kind).estimate(end_goodput) for kind in KINDS]
    known = stated()
    stands = [known[f"table-2-{kind}"] for kind in KINDS]
    return [
        Series("measured", list(x), [e.mean for e in y], [e.half for e in y], of="abs-push-out"),
        Series("printed", list(x), list(stands), [None] * 3, of="plain"),
    ]


def _table_3(results: Results) -> list[Series]:
    made = []
    for kind in KINDS:
        sample, how = chain(results, kind), {"of": "bpd", "panel": KINDS[kind]}
        made.append(words("measured", x=TEN, ys=[(sample, wire(i)) for i in range(1, 11)], **how))
        claims = [f"table-3-{kind}-{name.lower()}" for name in TEN]
        made.append(printed("printed", TEN, claims, shade=0.55, **how))
    return made


MOST = 128
"""Segments that a receiver allows: of 512 bytes in 64 KiB."""
SPAN = 6
"""Seconds that Figs. 17 and 18 show."""
GROUPS = {
    "TCP 1 to 4: over all three links": range(4),
    "TCP 5 to 9: over the first": range(4, 9),
    "TCP 10 to 14: over the second": range(9, 14),
    "TCP 15 to 19: over the third": range(14, 19),
}
SUM, CUTS = "all nineteen together", "who cuts its window, and when"
HUES = ("abs-push-out", "epd", "sack", "drop-tail", "plain")
"""Colours of the four or five in a panel."""
WINDOW_AXES = {
    **dict.fromkeys(GROUPS, Panel("cwnd [segments]", (0, 135))),
    SUM: Panel("sum [segments]", (0, 2450)),
    CUTS: Panel("TCP [number]", (20, 0)),
}


def _cuts(kept: Cuts, late: bool) -> Iterator[tuple[float, int]]:
    """When a window was cut, and of which TCP: by timeouts (``late``), or by fast retransmits."""
    for number, flow in enumerate(NINETEEN, 1):
        timeouts = set(kept.timeouts.get(flow, []))
        yield from ((time, number) for time in kept.times.get(flow, []) if (time in timeouts) is late)


def _windows(kind: str) -> Callable[[Results], list[Series]]:
    """The windows of all TCPs in the first run, their sum, and their cuts."""

    def series(results: Results) -> list[Series]:
        run = chain(results, kind).runs[0]
        samples, warm = run.document["series"], run.document["warm_up_s"]
        at = [i for i, time in enumerate(samples["time_s"]) if warm <= time <= warm + SPAN]
        x: list[float | str] = [samples["time_s"][i] for i in at]
        # What counts is the smaller of the two windows; a source that loses nothing lets its own grow without end.
        windows = [[min(samples["cwnd"][flow][i], MOST) for i in at] for flow in NINETEEN]
        made = []
        for panel, members in GROUPS.items():
            for of, number in zip(HUES, members, strict=False):
                how: dict[str, Any] = {"of": of, "kind": "steps", "panel": panel, "legend": False}
                made.append(Series(f"TCP {number + 1}", x, list(windows[number]), [None] * len(x), **how))
        total: list[float | None] = [sum(now) for now in zip(*windows, strict=True)]
        made.append(Series("sum", x, total, [None] * len(x), of="plain", kind="steps", panel=SUM, legend=False))
        for late, name in ((False, "fast retransmit"), (True, "timeout")):
            spots = [spot for spot in _cuts(run.tape, late) if warm <= spot[0] <= warm + SPAN]
            when: list[float | str] = [time for time, _ in spots]
            who: list[float | None] = [float(number) for _, number in spots]
            events: dict[str, Any] = {"of": name.replace(" ", "_"), "kind": "events", "panel": CUTS}
            made.append(Series(name, when, who, [None] * len(spots), **events))
        return made

    return series


def _all_windows(number: str, title: str, shows: str, kind: str, ours: str) -> Figure:
    """Figs. 17 and 18."""
    series = _windows(kind)
    axes = ("time [s]", "window [segments]")
    return Figure(number, title, shows, *axes, ("table-2-3",), series, stacked=True, panels=WINDOW_AXES, ours=ours)


CHAIN_PANELS: dict[str, By] = {
    "UDP": wire(1),
    "fairness": fairness,
    "goodput": end_goodput,
    "cuts in 20 ms": together,
    "cuts in 100 ms": together_wide,
}
CHAIN_AXES = {
    "UDP": Panel("UDP [Mb/s of cells]", (0, 40)),
    "fairness": Panel("Jain's index [share]", (0.7, 1.005)),
    "goodput": Panel("goodput [%]", (99.93, 100.02)),
    "cuts in 20 ms": Panel("correlation [share]", (-0.3, 0.7)),
    "cuts in 100 ms": Panel("correlation [share]", (-0.3, 0.7)),
}


def _chains(results: Results) -> list[Series]:
    made = []
    for panel, y in CHAIN_PANELS.items():
        for kind in KINDS:
            ys = [("Tables 2 and 3", chain(results, kind))]
            ys += [(chain_reading(sample), sample) for sample in only(results["extra-chain"], kind)]
            made.append(words(KINDS[kind], of=kind, x=[x for x, _ in ys], ys=[(s, y) for _, s in ys], panel=panel))
    return made


FIGURES = [
    Figure(
        "table-2",
        "Goodput of the chain",
        "Four switches in a row with a UDP source of twice its share (§4.4.1): 99.51, 99.72 and 100 %.",
        "",
        GOODPUT,
        ("table-2-3",),
        _table_2,
        limits=(99.4, 100.05),
        flat=True,
        place="Table 2",
        ours="Of the cells that arrive at the hosts; packets that a later switch drops whole are not in it. Sources "
        "space their packets, clock 500 ms.",
    ),
    Figure(
        "table-3",
        "Throughput of the chain",
        "UDP and TCP 1 to 4 pass all four switches, TCP 5 to 9 compete with them (§4.4.1). Push-out takes from UDP "
        "and lessens the difference between long and short ways.",
        "source [number]",
        RATE,
        ("table-2-3",),
        _table_3,
        limits=(0, None),
        place="Table 3",
        ours="As Table 2; dark: measured, pale: printed. Fig. 16 is not in the text: twenty sources are taken as UDP "
        "and four TCPs over all three links, and five more TCPs on each link, so that each has ten VCs of 15.5 Mb/s. "
        "TCP 5 to 9 are those of the first. Twice the allowed rate is 31 Mb/s of cells.",
    ),
    _all_windows(
        "17",
        "Congestion windows with EPD",
        "Most sources decrease their windows at the same time (§4.4.2).",
        "epd",
        "Six seconds of the chain, the first run: of each TCP the smaller of CWND and the 128 segments that its "
        "receiver allows. Losses come in bursts that many share, and in between hardly anybody cuts its window; a "
        "source that stands still at the top waits half a second and more for its timer.",
    ),
    _all_windows(
        "18",
        "Congestion windows with the proposed strategy",
        "Packets of the most misbehaved source are dropped, and synchronisation is avoided (§4.4.2).",
        "abs-push-out",
        "As Fig. 17. Sources cut their windows more often, and less; the same few share a loss less often. But all "
        "those of a link do so as long as it is full, and hardly ever when it is not: in bins of 100 ms instead of 20 "
        "the correlation is higher than under EPD (Extra, chain).",
    ),
    Figure(
        "extra-chain",
        "The chain under other readings",
        "Tables 2 and 3 with clocks of 100 and of 10 ms, with 31 Mb/s of IP packets of UDP, with access lines of the "
        "sources' rates, and with room for one packet beyond the EPD threshold instead of two.",
        "",
        RATE,
        ("table-2-3", "extra-chain"),
        _chains,
        flat=True,
        panels=CHAIN_AXES,
        place="Extra, chain",
        ours="Synchronisation is the mean correlation, over all pairs of TCP 1 to 9, of the numbers of window cuts in "
        "bins. In bins of 20 ms, two of the longest round trips, it is lower under the two that push out, as far as "
        "intervals can tell; in bins of 100 ms it is highest under the proposed strategy with clocks of 500 ms, and "
        "other readings cannot be told apart. UDP keeps 30 of 31 Mb/s whichever clock the TCPs have. With access "
        "lines a run may lock: everybody gets 15.5 Mb/s to the digit, UDP's excess alone is dropped, and nobody cuts "
        "a window. With room for one packet beyond the threshold EPD and EPD + push-out damage more packets than with "
        "two, but an eighth or less of what Table 2 has, and EPD + push-out no fewer than EPD.",
    ),
]
