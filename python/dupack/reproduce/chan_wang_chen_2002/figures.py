"""The figures and tables of Chan, Wang & Chen 2002."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from typing import Any

from dupack.reproduce.chan_wang_chen_2002.runs import (
    ALL,
    KINDS,
    LONG,
    NINE,
    RELATIVES,
    SHORT,
    TICK,
    WAYS,
    again,
    beyond,
    buffer,
    chain,
    chain_reading,
    end_goodput,
    fairness,
    goodput,
    kind_of,
    only,
    over_buffer,
    over_excess,
    queue_of,
    share,
    table_1,
    together,
    total,
    vc_fairness,
    way,
    wire,
)
from dupack.reproduce.paper import PAPERS, Figure, Measured, Panel, Results, Sample, Series

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


def _flat(kind: str, sample: Sample, ends: Sequence[float], y: By) -> Series:
    e = sample.estimate(y)
    return Series(ALL[kind], list(ends), [e.mean] * 2, [e.half] * 2, of=kind, kind="flat")


def _over_excess(plan: str, y: By, most: int) -> Callable[[Results], list[Series]]:
    def series(results: Results) -> list[Series]:
        made = []
        for kind in ("epd", "epd-push-out"):
            samples = [sample for sample in over_excess(results, plan, kind) if beyond(sample) <= most]
            made.append(curve(kind, samples, beyond, y))
        ends = [float(made[0].x[0]), float(made[0].x[-1])]
        return [*made, _flat("abs-push-out", over_excess(results, plan, "abs-push-out")[0], ends, y)]

    return series


def _over_buffer(plan: str, y: By, kinds: Sequence[str] = tuple(KINDS)) -> Callable[[Results], list[Series]]:
    return lambda results: [curve(kind, over_buffer(results, plan, kind), buffer, y) for kind in kinds]


def stated() -> dict[str, float]:
    """The numbers of published.toml, by claim."""
    text = (PAPERS / "chan-wang-chen-2002" / "published.toml").read_text(encoding="utf-8")
    return {entry["id"]: entry["published"] for entry in tomllib.loads(text)["claim"]}


def words(name: str, *, x: Sequence[str], ys: Sequence[tuple[Sample, By]], **how: Any) -> Series:
    """Measured values over words."""
    es = [sample.estimate(y) for sample, y in ys]
    return Series(name, list(x), [e.mean for e in es], [e.half for e in es], **how)


NUMBERS = [str(i) for i in range(1, 11)]
DELAYS = {"short": SHORT, "long": LONG}


def _printed(name: str, x: Sequence[str], claims: Sequence[str], **how: Any) -> Series:
    """Values of a table, in a paler mark."""
    known = stated()
    return Series(name, list(x), [known[claim] for claim in claims], [None] * len(x), **how)


def _table_1(results: Results) -> list[Series]:
    made = []
    for kind in KINDS:
        for delay, word, of in ((SHORT, "short", "bpd"), (LONG, "long", "epd")):
            sample, how = table_1(results, kind, delay), {"of": of, "panel": KINDS[kind]}
            made.append(words(word, x=NUMBERS, ys=[(sample, wire(i)) for i in range(1, 11)], **how))
            claims = [f"table-1-{word}-{kind}-{i}" for i in range(1, 11)]
            made.append(_printed(f"{word}, printed", NUMBERS, claims, shade=0.55, **how))
    return made


def _fig_10(results: Results) -> list[Series]:
    return [
        words(KINDS[kind], of=kind, x=NUMBERS, ys=[(table_1(results, kind, SHORT), again(i)) for i in range(1, 11)])
        for kind in KINDS
    ]


TEN = ["UDP", *(str(i) for i in range(1, 10))]


def _table_3(results: Results) -> list[Series]:
    made = []
    for kind in KINDS:
        sample, how = chain(results, kind), {"of": "bpd", "panel": KINDS[kind]}
        made.append(words("measured", x=TEN, ys=[(sample, wire(i)) for i in range(1, 11)], **how))
        claims = [f"table-3-{kind}-{name.lower()}" for name in TEN]
        made.append(_printed("printed", TEN, claims, shade=0.55, **how))
    return made


def _table_2(results: Results) -> list[Series]:
    x = [KINDS[kind] for kind in KINDS]
    y = [chain(results, kind).estimate(end_goodput) for kind in KINDS]
    known = stated()
    printed = [known[f"table-2-{kind}"] for kind in KINDS]
    return [
        Series("measured", list(x), [e.mean for e in y], [e.half for e in y], of="abs-push-out"),
        Series("printed", list(x), list(printed), [None] * 3, of="plain"),
    ]


def _windows(kind: str) -> Callable[[Results], list[Series]]:
    """The windows of TCP 1 to 9 in the first run."""

    def series(results: Results) -> list[Series]:
        run = chain(results, kind).runs[0]
        samples = run.document["series"]
        warm = run.document["warm_up_s"]
        at = [i for i, time in enumerate(samples["time_s"]) if warm <= time <= warm + 6]
        made = []
        for number, flow in enumerate(NINE, 1):
            long = number <= 4
            x: list[float | str] = [samples["time_s"][i] for i in at]
            y: list[float | None] = [samples["cwnd"][flow][i] for i in at]
            # The four that pass all switches in one colour, the five others in another.
            how: dict[str, Any] = {"shade": 0.15 * ((number - 1) % 5), "kind": "steps"}
            how["panel"] = "TCP 1 to 4" if long else "TCP 5 to 9"
            made.append(Series(f"TCP {number}", x, y, [None] * len(x), of="sack" if long else "bpd", **how))
        return made

    return series


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


CHAIN_PANELS: dict[str, By] = {"UDP": wire(1), "fairness": fairness, "synchronisation": together}
CHAIN_AXES = {
    "UDP": Panel("UDP [Mb/s of cells]", (0, 40)),
    "fairness": Panel("Jain's index [share]", (0.7, 1.005)),
    "synchronisation": Panel("correlation of cuts [share]", (-0.05, 0.5)),
}


def _chains(results: Results) -> list[Series]:
    made = []
    for panel, y in CHAIN_PANELS.items():
        for kind in KINDS:
            ys = [("Tables 2 and 3", chain(results, kind))]
            ys += [(chain_reading(sample), sample) for sample in only(results["extra-chain"], kind)]
            made.append(words(KINDS[kind], of=kind, x=[x for x, _ in ys], ys=[(s, y) for _, s in ys], panel=panel))
    return made


NETWORKS = ("ten, short", "ten, long", "chain")
BEYOND_PANELS = ("who sends too much", "fairness", "total of ten")
BEYOND_AXES = {
    "who sends too much": Panel("TCP 10 or UDP [Mb/s of cells]", (0, 40)),
    "fairness": Panel("Jain's index [share]", (0.78, 1.01)),
    "total of ten": Panel(RATE, (125, 157)),
}


def _beyond(results: Results) -> list[Series]:
    made = []
    for panel in BEYOND_PANELS:
        for kind in ALL:
            small = [table_1(results, kind, delay) for delay in (SHORT, LONG)]
            greedy: By = {"fairness": fairness, "total of ten": total}.get(panel, wire(10))
            ys = [(sample, greedy) for sample in small]
            ys.append((chain(results, kind), wire(1) if panel == BEYOND_PANELS[0] else greedy))
            made.append(words(ALL[kind], of=kind, x=NETWORKS, ys=ys, panel=panel))
    return made


LARGE_PANELS: dict[str, By] = {"throughput": share, "fairness": vc_fairness}
LARGE_AXES = {
    "throughput": Panel(THROUGHPUT, (None, 101)),
    "fairness": Panel("Jain's index over the VCs [share]", (None, 1.005)),
}


def _large(results: Results) -> list[Series]:
    few = {buffer(sample) for sample in over_buffer(results, "fig-13-15", next(iter(RELATIVES)))}
    made = []
    for panel, y in LARGE_PANELS.items():
        for kind in ALL:
            samples = [sample for sample in over_buffer(results, "fig-13-15", kind) if buffer(sample) in few]
            made.append(curve(kind, samples, buffer, y, panel=panel))
    return made


__all__ = ["FIGURES", "kind_of", "queue_of"]

FIGURES = [
    Figure(
        "7",
        "The goodput versus the buffer size in excess of the EPD threshold",
        "Ten connections, a buffer of 200 cells (§4.2.1). The proposed method has 100 % always; EPD and EPD + push-out "
        "have the more, the more room there is beyond the threshold, and push-out has more than EPD.",
        EXCESS_AXIS,
        GOODPUT,
        ("fig-07-08",),
        _over_excess("fig-07-08", goodput, 5),
        limits=(None, 100.05),
        ours="Sources space their packets, the cells of one come at the speed of the line; clock 10 ms. With access "
        "lines of the sources' rates cells of all packets come interleaved, and hardly ever more than finds room "
        "beyond the threshold: goodput is then 100 % everywhere (Extra, readings).",
    ),
    Figure(
        "8",
        "The goodput versus the buffer size",
        "Two packets of room beyond the threshold (§4.2.2). Goodput increases with the buffer; the proposed approach "
        "has 100 % regardless of it.",
        BUFFER_AXIS,
        GOODPUT,
        ("fig-07-08",),
        _over_buffer("fig-07-08", goodput),
        limits=(None, 100.02),
        ours="As Fig. 7. What the threshold leaves is the same at every buffer, so goodput changes little with it.",
    ),
    Figure(
        "9",
        "The TCP throughput versus the buffer size in excess of the EPD threshold",
        "A buffer of 200 cells (§4.2.3). The proposed strategy has more than EPD; the two others lose throughput as "
        "the room beyond the threshold grows over two packets.",
        EXCESS_AXIS,
        THROUGHPUT,
        ("fig-09-11",),
        _over_excess("fig-09-11", share, 10),
        ours="Access lines of the sources' rates, clock 500 ms: only coarse clocks leave as much of the line idle as "
        "Table 1's sums do (8 %). But with the proposed strategy it is the tenth source that is idle, nearly always, "
        "while nine have their 15.5 Mb/s (90 % of the line); in the table the tenth has more than anybody. Runs of 15 "
        "s, in which a source waits but few times: the intervals are wide.",
    ),
    Figure(
        "10",
        "The number of retransmitted packets with different sources",
        "A well-behaved source sends 35 to 40 % less again than with EPD, and 10 to 12 % less than with EPD + "
        "push-out; the misbehaved one as much as with EPD (§4.2.4).",
        "source [number]",
        "packets sent again [1/s]",
        ("table-1",),
        _fig_10,
        limits=(0, None),
        ours="Of Table 1's short network. Well-behaved sources gain as the text says, and more; EPD + push-out is no "
        "better for them than EPD, because on access lines cells hardly ever meet its threshold alone.",
    ),
    Figure(
        "11",
        "The TCP throughput versus the buffer size",
        "Two packets of room beyond the threshold (§4.2.4). The larger the buffer the higher the throughput: 96.8 % "
        "with 2,000 cells, 92.8 % with EPD, 96.4 % with EPD + push-out.",
        BUFFER_AXIS,
        THROUGHPUT,
        ("fig-09-11",),
        _over_buffer("fig-09-11", share),
        ours="As Fig. 9. A buffer of 2,000 cells takes 5.5 ms to send, several times what this network needs: in ours "
        "the line is then full with every discipline.",
    ),
    Figure(
        "table-1",
        "Throughput of ten connections",
        "Nine sources of 15.5 Mb/s, and a tenth that sends 45 Mb/s (§4.2.5); 8 and 600 slots between the switches. The "
        "proposed strategy is the fairest, and a longer way punishes the tenth more.",
        "source [number]",
        RATE,
        ("table-1",),
        _table_1,
        limits=(0, None),
        place="Table 1",
        ours="Dark: measured, pale: printed. Access lines of the sources' rates, clock 10 ms. The proposed "
        "strategy is the fairest on both ways. But the printed sums leave 8 to 21 % of the line idle, ours 1 to 6 %; "
        "and its thresholds, equal as the guarantees are, give nine sources nearly their 15.5 Mb/s and the tenth what "
        "its timeouts leave it, on the short way less than the 15.5 Mb/s that it is guaranteed, while in the table it "
        "keeps 21 and nine get 13.4.",
    ),
    Figure(
        "13",
        "Goodput of fifty connections",
        "Ten connections on each of five VCs of 10 to 50 Mb/s, sources of twice their share (§4.3.1). 100 % with the "
        "proposed scheme; greedy connections reduce that of the others.",
        BUFFER_AXIS,
        GOODPUT,
        ("fig-13-15",),
        _over_buffer("fig-13-15", goodput),
        limits=(None, 100.001),
        ours="Access lines of twice the share, edges that send packets whole, clock 10 ms.",
    ),
    Figure(
        "14",
        "TCP throughput of fifty connections",
        "Throughput rises with the buffer, and push-out benefits more than EPD once the buffer is large enough "
        "(§4.3.2).",
        BUFFER_AXIS,
        THROUGHPUT,
        ("fig-13-15",),
        _over_buffer("fig-13-15", share),
        ours="As Fig. 13. With 1,000 cells the line is full with every discipline.",
    ),
    Figure(
        "15",
        "Fairness of fifty connections",
        "Jain's index of the proposed scheme is around 0.98, that of EPD lower (§4.3.3).",
        BUFFER_AXIS,
        "Jain's index over the VCs [share]",
        ("fig-13-15",),
        _over_buffer("fig-13-15", vc_fairness),
        limits=(None, 1.003),
        ours="As Fig. 13. Of what each VC gets over what it was allocated. Here EPD + push-out is the fairest.",
    ),
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
        "UDP and TCP 1 to 4 pass all four switches, TCP 5 to 9 compete with them (§4.4.1). Push-out takes from UDP and "
        "lessens the difference between long and short ways.",
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
    Figure(
        "17",
        "Congestion windows with EPD",
        "Most sources decrease their windows at the same time (§4.4.2).",
        "time [s]",
        "cwnd [segments]",
        ("table-2-3",),
        _windows("epd"),
        limits=(0, 130),
        ours="Six seconds of the chain, the first run; 128 segments are the most that a receiver allows.",
    ),
    Figure(
        "18",
        "Congestion windows with the proposed strategy",
        "Packets of the most misbehaved source are dropped, and synchronisation is avoided (§4.4.2).",
        "time [s]",
        "cwnd [segments]",
        ("table-2-3",),
        _windows("abs-push-out"),
        limits=(0, 130),
        ours="Six seconds of the chain, the first run.",
    ),
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
    Figure(
        "extra-chain",
        "The chain under other readings",
        "Tables 2 and 3 with a clock of 100 ms, with 31 Mb/s of IP packets of UDP, and with access lines of the "
        "sources' rates.",
        "",
        RATE,
        ("table-2-3", "extra-chain"),
        _chains,
        flat=True,
        panels=CHAIN_AXES,
        place="Extra, chain",
        ours="Synchronisation is the mean correlation, over all pairs of TCP 1 to 9, of the numbers of window cuts in "
        "bins of 20 ms. With access lines a run may lock: everybody gets 15.5 Mb/s to the digit, UDP's excess alone is "
        "dropped, and nobody cuts a window.",
    ),
    Figure(
        "extra-beyond",
        "What push-out with thresholds buys",
        "Not in the paper: the networks of Tables 1 and 3 under a queue per VC with weighted round robin, which the "
        "FIFO is to replace, under longest-queue drop, and under the dynamic thresholds of Choudhury and Hahne.",
        "",
        RATE,
        ("table-1", "table-2-3"),
        _beyond,
        flat=True,
        panels=BEYOND_AXES,
        place="Extra, beyond",
        ours="Guarantees are all equal here, so longest-queue drop is push-out without thresholds to set. It takes "
        "more from UDP than the proposed scheme: whoever finds the buffer full pushes out the longest queue, while "
        "there only a VC that is a packet below its threshold may begin one at the cost of another. Only round robin "
        "holds UDP to its share in every network. "
        "Hardly a cell of a damaged packet leaves under any of the three: goodput is 100.00 %.",
    ),
    Figure(
        "extra-large",
        "Fifty connections, and what the guarantees are for",
        "Not in the paper: Figs. 13 to 15 with the same three.",
        BUFFER_AXIS,
        THROUGHPUT,
        ("fig-13-15",),
        _large,
        panels=LARGE_AXES,
        place="Extra, fifty",
        ours="Guarantees differ here. Longest-queue drop and dynamic thresholds do not know them, and share equally "
        "what was allocated unequally; push-out with thresholds comes as near to the allocation as round robin.",
    ),
]
