"""What the paper leaves open, and what is not in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dupack.reproduce.chan_wang_chen_2002.runs import (
    ALL,
    GUARANTEED,
    KINDS,
    LONG,
    RELATIVES,
    SHORT,
    STACKS,
    TICK,
    WAYS,
    at_buffer,
    chain,
    end_goodput,
    fairness,
    first_vc,
    goodput,
    honest,
    least,
    only,
    pushed_out,
    second_vc,
    share,
    table_1,
    total,
    udp_sent,
    way,
    wire,
)
from dupack.reproduce.chan_wang_chen_2002.series import GOODPUT, RATE, THROUGHPUT, By, words
from dupack.reproduce.paper import Figure, Panel, Results, Sample, Series

READING_PANELS = {"total": share, "tenth": wire(10), "goodput": goodput}
PANELS = {
    "total": Panel(THROUGHPUT, (75, 101)),
    "tenth": Panel("TCP 10 [Mb/s of cells]", (0, 47)),
    "goodput": Panel(GOODPUT, (99.78, 100.02)),
}


def _readings(results: Results) -> list[Series]:
    made = []
    for panel, y in READING_PANELS.items():
        for kind in KINDS:
            samples = sorted(only(results["extra-readings"], kind), key=lambda sample: WAYS.index(way(sample)))
            x = [f"{way(sample)}, {sample.settings[TICK]}" for sample in samples]
            made.append(words(KINDS[kind], of=kind, x=x, ys=[(sample, y) for sample in samples], panel=panel))
    return made


NETWORKS = ("ten, short", "ten, long", "chain")
GREEDY, EVEN, SUM, WHOLE = "who sends too much", "fairness", "total of ten", "goodput"
BEYOND = {
    GREEDY: (Panel("rate [Mb/s of cells]", (0, 40)), (wire(10), wire(10), wire(1))),
    EVEN: (Panel("Jain's index [share]", (0.78, 1.01)), (fairness,) * 3),
    SUM: (Panel(RATE, (125, 157)), (total,) * 3),
    WHOLE: (Panel(GOODPUT, (99.94, 100.01)), (goodput, goodput, end_goodput)),
}


def _beyond(results: Results) -> list[Series]:
    made = []
    for panel, (_, measures) in BEYOND.items():
        for kind in (*KINDS, *RELATIVES):
            samples = [*(table_1(results, kind, delay) for delay in (SHORT, LONG)), chain(results, kind)]
            ys = list(zip(samples, measures, strict=True))
            made.append(words(ALL[kind], of=kind, x=NETWORKS, ys=ys, panel=panel))
    return made


OUT = "pushed out"
PAIR = ("spaced, 200 cells", "spaced, 600 cells", *NETWORKS)
PAIRS = {
    GREEDY: (Panel("rate [Mb/s of cells]", (0, 40)), (*(wire(10),) * 4, wire(1))),
    EVEN: (Panel("Jain's index [share]", (0.78, 1.01)), (fairness,) * 5),
    SUM: (Panel(RATE, (125, 157)), (total,) * 5),
    OUT: (Panel("of the cells [%]", (0, None)), (pushed_out,) * 5),
}


def _stacks(results: Results) -> list[Series]:
    """The paper's two descriptions of its scheme."""
    made = []
    for panel, (_, measures) in PAIRS.items():
        for kind in ("abs-push-out", *STACKS):
            samples: list[Sample] = [at_buffer(results, "fig-07-08", kind, size) for size in (200, 600)]
            samples += [*(table_1(results, kind, delay) for delay in (SHORT, LONG)), chain(results, kind)]
            made.append(words(ALL[kind], of=kind, x=PAIR, ys=list(zip(samples, measures, strict=True)), panel=panel))
    return made


OVERLOAD: dict[str, tuple[Panel, By]] = {
    "UDP": (Panel(RATE, (0, 155)), wire(10)),
    "mean of nine TCPs": (Panel(RATE, (0, 18)), honest),
    "least of them": (Panel(RATE, (0, 18)), least),
}


def _overload(results: Results) -> list[Series]:
    made = []
    for panel, (_, y) in OVERLOAD.items():
        for kind in ALL:
            samples = sorted(only(results["extra-overload"], kind), key=lambda sample: WAYS.index(way(sample)))
            ways = ["spaced" if way(sample) == WAYS[0] else "access lines" for sample in samples]
            x = [f"{name}, {udp_sent(sample):.0f} Mb/s" for name, sample in zip(ways, samples, strict=True)]
            made.append(words(ALL[kind], of=kind, x=x, ys=[(sample, y) for sample in samples], panel=panel))
        made.append(guaranteed(GUARANTEED, x, panel=panel))
    return made


def guaranteed(rate: float, x: Sequence[str], name: str = "guaranteed", **how: Any) -> Series:
    """What a VC is promised."""
    return Series(name, [x[0], x[-1]], [rate] * 2, [None] * 2, kind="reference", **how)


VCS: dict[str, tuple[By, str, float]] = {
    "three UDP sources": (first_vc, "epd", 50),
    "three TCPs": (second_vc, "bpd", 100),
}


def _two_vcs(results: Results) -> list[Series]:
    x = list(ALL.values())
    found = [only(results["extra-two-vcs"], kind)[0] for kind in ALL]
    made = []
    for name, (y, of, _) in VCS.items():
        made.append(words(name, of=of, x=x, ys=[(sample, y) for sample in found]))
    for name, (_, of, rate) in VCS.items():
        made.append(guaranteed(rate, x, f"{name}, guaranteed", of=of))
    return made


def _aside(
    name: str,
    title: str,
    shows: str,
    plans: tuple[str, ...],
    series: Callable[[Results], list[Series]],
    *,
    panels: Mapping[str, tuple[Panel, Any]],
    place: str,
    ours: str,
) -> Figure:
    """One that is not in the paper, on its side, with panels that measure different things."""
    axes = {name: panel for name, (panel, _) in panels.items()}
    return Figure(name, title, shows, "", RATE, plans, series, flat=True, panels=axes, place=place, ours=ours)


FIGURES = [
    Figure(
        "extra-readings",
        "How sources keep to their rates, and which clock they have",
        "The paper says neither. Table 1's short network under four ways to keep to a rate, and four clocks.",
        "",
        THROUGHPUT,
        ("extra-readings",),
        _readings,
        flat=True,
        panels=PANELS,
        place="Extra, readings",
        ours="No reading gives all of the paper. Damaged packets need cells that come in bursts; a tenth of the line "
        "idle needs coarse clocks; a tenth source that is better off under EPD needs lines of its own, or a fine "
        "clock. Packets that are spaced by 15.5 Mb/s of cells exactly lock in phase: nine sources then find their "
        "places and the tenth does not.",
    ),
    _aside(
        "extra-beyond",
        "What push-out with thresholds buys",
        "Not in the paper: the networks of Tables 1 and 3 under a queue per VC with weighted round robin, which the "
        "FIFO is to replace, under longest-queue drop, and under the dynamic thresholds of Choudhury and Hahne.",
        ("table-1", "table-2-3"),
        _beyond,
        panels=BEYOND,
        place="Extra, beyond",
        ours="Guarantees are all equal here, so longest-queue drop is push-out without thresholds to set. It takes "
        "more from UDP than the proposed scheme: whoever finds the buffer full pushes out the longest queue, while "
        "there only a VC that is a packet below its threshold may begin one at the cost of another. Only round robin "
        "holds UDP near its share in every network. Hardly a cell of a damaged packet leaves under any of the three: "
        "goodput is 100.00 %.",
    ),
    _aside(
        "extra-stacks",
        "One scheme, two descriptions",
        "The paper describes its scheme twice: the victim is the VC furthest beyond its threshold of all others "
        "(§3.2), or the one with the most packets in its stack, which holds what came in beyond the threshold (§3.3).",
        ("fig-07-08", "table-1", "table-2-3"),
        _stacks,
        panels=PAIRS,
        place="Extra, stacks",
        ours="The first two are of Fig. 8, whose sources space their packets. With 200 cells there the tenth source "
        "gets 16.9 Mb/s, or, by stacks, 6.8, and in one run of six nothing: more than M cells are popped, two packets "
        "and not one, and of a window of few packets that is more often a timeout. Elsewhere they are within 1.5 Mb/s "
        "of each other; by stacks about twice as many cells are pushed out in Table 1 and the chain. Goodput is 100 % "
        "with both. With two VCs they are opposites (Extra, two VCs).",
    ),
    _aside(
        "extra-overload",
        "UDP that does not back off",
        "Not in the paper, whose UDP source sends twice its rate: Table 1's short network with UDP of 31, 60 and 120 "
        "Mb/s of IP packets, 36, 69 and 138 of cells, on the tenth VC. All ten are guaranteed 15.5 Mb/s, and the "
        "thresholds are equal. TCPs are on access lines of their rates as in Table 1, or space their packets as in "
        "Figs. 7 and 8.",
        ("extra-overload",),
        _overload,
        panels=OVERLOAD,
        place="Extra, overload",
        ours="A threshold takes from a source only as fast as the others ask: a packet that finds B > 0 is let in, "
        "whoever sends it, and only a VC with 8 cells or fewer may begin one at the cost of another (a threshold is "
        "20 cells, a packet 12). TCPs that have lost wait; UDP never does, and takes what they leave. With spaced "
        "TCPs and 138 Mb/s the proposed scheme leaves UDP more than EPD does. On access lines it locks TCPs out: of "
        "a mean of 8.6 Mb/s the least has 0.6; in one run five have their 15.5 and four about 1, and which ones "
        "changes with the seed. Round robin holds UDP to 15.5 Mb/s on access lines, and to about 21 with spaced TCPs: "
        "they wait now and then, the least of them has 14.3, and UDP takes what they leave. Dynamic thresholds hold it "
        "to about twice its share. Longest-queue drop does the one or the other; with spaced TCPs it shuts out TCP 1 "
        "and 2, by our tie-break: of queues that are equal, and longer than that of what arrives, the one with the "
        "lowest number gives. With 138 Mb/s these two get 0 to 6 Mb/s, and the others 12.2 to 17.9.",
    ),
    Figure(
        "extra-two-vcs",
        "Two VCs, one of which overruns the line",
        "Not in the paper: three UDP sources of 60 Mb/s share a VC that is guaranteed 50 Mb/s, three greedy TCPs one "
        "that is guaranteed 100 Mb/s. With j /= i (§3.2) the victim is always the other VC.",
        "",
        RATE,
        ("extra-two-vcs",),
        _two_vcs,
        flat=True,
        limits=(-3, 160),
        place="Extra, two VCs",
        ours="UDP's cells come all the time. Each that finds the buffer full pushes out what the TCPs have in it, "
        "however far that is below their threshold of 133 of 200 cells, and no packet of theirs gets through: a "
        "guaranteed VC starves. EPD does no better. Stacks hold only what came in beyond a threshold, and leave the "
        "TCPs two thirds of their guarantee; so does EPD + push-out, where only first cells push out. Only round "
        "robin keeps it.",
    ),
]
