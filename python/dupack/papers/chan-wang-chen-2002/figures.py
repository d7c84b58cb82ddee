"""The figures of Chan, Wang & Chen 2002 that are more than curves over a setting."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from dupack.reproduce.compare import mean_of
from dupack.reproduce.paper import Estimate, Figures, Read, Results, Sample, Series, Table
from dupack.reproduce.told import fixed

from .measures import STATED, idle, timeouts_by_buffer
from .runs import (
    ABS,
    ALL,
    ALLOCATED,
    CLOCKS,
    EPD,
    GUARANTEED,
    KINDS,
    LARGE,
    LONG,
    MORE_LARGE,
    MORE_TEN,
    NINETEEN,
    ONE_PACKET,
    PUSH,
    RATES,
    RELATIVES,
    SHORT,
    SMALL,
    STACKS,
    WAYS,
    Cuts,
    again,
    again_honest,
    at_buffer,
    beyond,
    buffer,
    carried,
    chain,
    chain_reading,
    chains,
    end_goodput,
    fairness,
    first_vc,
    goodput,
    honest,
    least,
    least_vc,
    of_kind,
    over_buffer,
    over_excess,
    per_vc,
    pushed_out,
    second_vc,
    share,
    spaced,
    table_1,
    together,
    together_wide,
    total,
    udp_sent,
    vc_fairness,
    way,
    wire,
)

FIGURES = figure = Figures()

SHORT_NAMES = (("epd", EPD), ("push", PUSH), ("abs", ABS))
"""The strategies, as the notes name them."""

Points = Sequence[tuple[float | str, Sample]]
"""Positions on the x axis, and the sample at each."""


def curve(name: str, points: Points, reads: Read | Sequence[Read], **how: Any) -> Series:
    """A measure over x; or one measure for each x."""
    own = [reads] * len(points) if callable(reads) else reads
    ys = [sample.estimate(read) for (_, sample), read in zip(points, own, strict=True)]
    return Series.estimated(name, [x for x, _ in points], ys, **how)


def printed(name: str, x: Sequence[float | str], claims: Sequence[str], **how: Any) -> Series:
    """The values of these claims, as published."""
    return Series.exact(name, x, [float(STATED[claim]) for claim in claims], **how)


def panels(
    reads: Mapping[str, Read | Sequence[Read]], kinds: Iterable[str], points: Callable[[Results, str], Points]
) -> Callable[[Results], list[Series]]:
    """A panel for each measure, with a curve for each strategy."""
    return lambda results: [
        curve(ALL[kind], points(results, kind), read, of=kind, panel=panel)
        for panel, read in reads.items()
        for kind in kinds
    ]


# Ten connections


def over_room(plan: str, read: Read) -> Callable[[Results], list[Series]]:
    """Over the room beyond the EPD threshold [packets]; the proposed scheme has no such threshold."""

    def series(results: Results) -> list[Series]:
        made = []
        for kind in (EPD, PUSH):
            samples = over_excess(results, plan, kind)
            made.append(curve(KINDS[kind], [(beyond(sample), sample) for sample in samples], read, of=kind))
        (sample,) = over_excess(results, plan, ABS)
        ends: Points = [(end, sample) for end in (made[0].x[0], made[0].x[-1])]
        return [*made, curve(KINDS[ABS], ends, read, of=ABS, kind="flat")]

    return series


def over_buffers(plan: str, read: Read, kinds: Iterable[str]) -> Callable[[Results], list[Series]]:
    """Over the buffer [cells], with room for two packets beyond the EPD threshold."""

    def points(results: Results, kind: str) -> Points:
        return [(buffer(sample), sample) for sample in over_buffer(results, plan, kind)]

    return panels({"": read}, kinds, points)


figure("7")(over_room(SMALL, goodput))
figure("8")(over_buffers(SMALL, goodput, KINDS))
figure("9")(over_room(RATES, share))
figure("11")(over_buffers(RATES, share, KINDS))

TEN = range(1, 11)


@figure.note("7")
def _(results: Results) -> dict[str, str]:
    return {name: fixed(over_excess(results, SMALL, kind)[0].estimate(goodput), 2) for name, kind in SHORT_NAMES}


@figure.note("8")
def _(results: Results) -> dict[str, str]:
    def at(kind: str, size: int) -> str:
        return fixed(at_buffer(results, SMALL, kind, size).estimate(goodput), 2)

    return {
        "small": at(EPD, 200),
        "large": at(EPD, 1000),
        "push_small": at(PUSH, 200),
        "push_large": at(PUSH, 1000),
        "timeouts": timeouts_by_buffer(over_buffer(results, SMALL, EPD)),
    }


@figure.note("9")
def _(results: Results) -> dict[str, str]:
    rooms = {beyond(sample): sample for sample in over_excess(results, RATES, EPD)}
    return {
        "two": fixed(rooms[2].estimate(share), 1),
        "ten": fixed(rooms[10].estimate(share), 1),
        "printed": _span(_printed_sums()),
    }


@figure("10")
def _(results: Results) -> list[Series]:
    return [
        curve(
            KINDS[kind],
            [(str(i), table_1(results, kind, SHORT)) for i in TEN],
            [again(i) for i in TEN],
            of=kind,
        )
        for kind in KINDS
    ]


@figure.note("10")
def _(results: Results) -> dict[str, str]:
    found = {name: table_1(results, kind, SHORT) for name, kind in SHORT_NAMES}
    nine = {name: fixed(sample.estimate(again_honest), 1) for name, sample in found.items()}
    return nine | {f"{name}_tenth": fixed(sample.estimate(again(10)), 1) for name, sample in found.items()}


@figure.note("11")
def _(results: Results) -> dict[str, str]:
    return {name: fixed(at_buffer(results, RATES, kind, 400).estimate(share), 1) for name, kind in SHORT_NAMES}


PATHS = ((SHORT, "short"), (LONG, "long"))


def _printed_sums() -> list[float]:
    """The sums of the printed rows of Table 1 [Mb/s]."""
    return [sum(float(STATED[f"table-1-{word}-{kind}-{i}"]) for i in TEN) for kind in KINDS for _, word in PATHS]


def _span(rates: Sequence[float]) -> str:
    """How far such sums are below 155 Mb/s [%], least and most."""
    return f"{idle(max(rates))} to {idle(min(rates))}"


@figure.note("table-1")
def _(results: Results) -> dict[str, str]:
    ours = [table_1(results, kind, delay).estimate(carried).mean for kind in KINDS for delay, _ in PATHS]
    proposed = table_1(results, ABS, SHORT)
    return {
        "ours": _span([rate for rate in ours if rate is not None]),
        "printed": _span(_printed_sums()),
        "tenth": fixed(proposed.estimate(wire(10)), 1),
        "nine": fixed(proposed.estimate(honest), 1),
    }


@figure("table-1")
def _(results: Results) -> list[Series]:
    made = []
    x, reads = [str(i) for i in TEN], [wire(i) for i in TEN]
    for kind in KINDS:
        for delay, word, of in ((SHORT, "short", "bpd"), (LONG, "long", "epd")):
            sample, how = table_1(results, kind, delay), {"of": of, "panel": KINDS[kind]}
            made.append(curve(word, [(i, sample) for i in x], reads, **how))
            claims = [f"table-1-{word}-{kind}-{i}" for i in x]
            made.append(printed(f"{word}, printed", x, claims, shade=0.55, **how))
    return made


@figure.table("table-1")
def _(results: Results) -> Table:
    return _sums(
        [
            (f"{KINDS[kind]}, {word} path", f"table-1-{word}-{kind}", table_1(results, kind, delay))
            for kind in KINDS
            for delay, word in PATHS
        ]
    )


def _sums(rows: Sequence[tuple[str, str, Sample]]) -> Table:
    """Total throughput and fairness of ten sources beside the published ones, by the beginnings of their claims."""
    heads = ["", "total [Mb/s of cells]", "printed", "Jain's index", "printed"]

    def row(name: str, claims: str, sample: Sample) -> list[str]:
        # Table 1 prints no total: this is the sum of its row.
        total = STATED.get(f"{claims}-total") or sum(float(STATED[f"{claims}-{i}"]) for i in TEN)
        index = float(STATED[f"{claims}-jain"])
        total_ours, index_ours = sample.estimate(carried), sample.estimate(fairness)
        return [name, fixed(total_ours, 1), f"{float(total):.1f}", fixed(index_ours, 3), f"{index:.3f}"]

    return Table(heads, [row(*one) for one in rows])


# Fifty connections


@figure.note("14")
def _(results: Results) -> dict[str, str]:
    return {name: fixed(at_buffer(results, LARGE, kind, 1000).estimate(share), 1) for name, kind in SHORT_NAMES}


@figure.note("15")
def _(results: Results) -> dict[str, str]:
    found = ((name, mean_of(over_buffer(results, LARGE, kind), vc_fairness)) for name, kind in SHORT_NAMES)
    return {name: fixed(index, 3) for name, index in found}


OF_FIFTY: dict[str, Read] = {
    "goodput": goodput,
    "throughput": share,
    "fairness": vc_fairness,
    "the worst off": least_vc,
}


def _large(results: Results, kind: str, *, coarse: bool = False) -> Points:
    return [(buffer(sample), sample) for sample in over_buffer(results, MORE_LARGE, kind, coarse=coarse)]


figure("extra-large")(panels(OF_FIFTY, (*KINDS, *RELATIVES), _large))


@figure.note("extra-large")
def _(results: Results) -> dict[str, str]:
    sample = at_buffer(results, MORE_LARGE, ABS, 1000)
    robin = over_buffer(results, MORE_LARGE, "weighted-round-robin")

    def of_vc(i: int) -> Estimate:
        """Rate of a VC [Mb/s]."""
        return sample.estimate(lambda run: per_vc(run)[i] * ALLOCATED[i])

    small, large = of_vc(0), of_vc(-1)
    most = max(per_vc(run)[-1] * ALLOCATED[-1] for run in sample.runs)
    least = (f"{fixed(one.estimate(least_vc), 2)} with {buffer(one):,} cells" for one in robin)
    return {"small": fixed(small, 1), "large": fixed(large, 1), "most": f"{most:.1f}", "robin": ", ".join(least)}


@figure("extra-clock")
def _(results: Results) -> list[Series]:
    made = []
    for panel, read in OF_FIFTY.items():
        for kind in KINDS:
            for clock, coarse, shade in (("10 ms", False, 0.0), ("100 ms", True, 0.55)):
                points = _large(results, kind, coarse=coarse)
                made.append(curve(f"{KINDS[kind]}, {clock}", points, read, of=kind, panel=panel, shade=shade))
    return made


@figure.note("extra-clock")
def _(results: Results) -> dict[str, str]:
    def indices(*, coarse: bool) -> str:
        samples = (over_buffer(results, MORE_LARGE, kind, coarse=coarse) for kind in KINDS)
        return ", ".join(fixed(mean_of(some, vc_fairness), 3) for some in samples)

    return {"slow": indices(coarse=True), "fast": indices(coarse=False)}


# The chain of switches


@figure("table-2")
def _(results: Results) -> list[Series]:
    points: Points = [(name, chain(results, kind)) for kind, name in KINDS.items()]
    claims = [f"table-2-{kind}" for kind in KINDS]
    return [
        curve("measured", points, end_goodput, of=ABS),
        printed("printed", list(KINDS.values()), claims, of="plain"),
    ]


@figure("table-3")
def _(results: Results) -> list[Series]:
    made = []
    x, reads = ["UDP", *(str(i) for i in range(1, 10))], [wire(i) for i in TEN]
    for kind in KINDS:
        how: dict[str, Any] = {"of": "bpd", "panel": KINDS[kind]}
        made.append(curve("measured", [(i, chain(results, kind)) for i in x], reads, **how))
        made.append(printed("printed", x, [f"table-3-{kind}-{i.lower()}" for i in x], shade=0.55, **how))
    return made


@figure.table("table-3")
def _(results: Results) -> Table:
    return _sums([(KINDS[kind], f"table-3-{kind}", chain(results, kind)) for kind in KINDS])


MOST = 128
"""Receiver's window [segments]: 64 KiB in segments of 512 bytes."""
SPAN = 6
"""Time that Figs. 17 and 18 show [s]."""
GROUPS = {
    "TCP 1 to 4: over all three links": range(4),
    "TCP 5 to 9: over the first": range(4, 9),
    "TCP 10 to 14: over the second": range(9, 14),
    "TCP 15 to 19: over the third": range(14, 19),
}
SUM, CUTS = "all nineteen together", "who cuts its window, and when"
HUES = ("abs-push-out", "epd", "sack", "drop-tail", "plain")
"""Colours of the four or five in a panel."""


def _cuts(kept: Cuts, late: bool) -> Iterator[tuple[float, int]]:
    """Time [s] and TCP of each window cut: those by timeouts (``late``), or those by fast retransmits."""
    for place, flow in enumerate(NINETEEN, 1):
        timeouts = set(kept.timeouts.get(flow, []))
        yield from ((time, place) for time in kept.times.get(flow, []) if (time in timeouts) is late)


def windows(kind: str) -> Callable[[Results], list[Series]]:
    """The windows of all TCPs in the first run, their sum, and when they were cut."""

    def series(results: Results) -> list[Series]:
        run = chain(results, kind).runs[0]
        samples, warm = run.document["series"], run.document["warm_up_s"]
        at = [i for i, time in enumerate(samples["time_s"]) if warm <= time <= warm + SPAN]
        x = [samples["time_s"][i] for i in at]
        # The smaller of the two windows counts. CWND grows without end while a source loses nothing.
        own = [[min(samples["cwnd"][flow][i], MOST) for i in at] for flow in NINETEEN]
        how: dict[str, Any] = {"kind": "steps", "legend": False}
        made = []
        for panel, members in GROUPS.items():
            for of, index in zip(HUES, members, strict=False):
                made.append(Series.exact(f"TCP {index + 1}", x, own[index], of=of, panel=panel, **how))
        total = [sum(now) for now in zip(*own, strict=True)]
        made.append(Series.exact("sum", x, total, of="plain", panel=SUM, **how))
        for late, name in ((False, "fast retransmit"), (True, "timeout")):
            spots = [spot for spot in _cuts(run.tape, late) if warm <= spot[0] <= warm + SPAN]
            when, places = [time for time, _ in spots], [place for _, place in spots]
            event: dict[str, Any] = {"of": name.replace(" ", "_"), "kind": "events", "panel": CUTS}
            made.append(Series.exact(name, when, places, **event))
        return made

    return series


figure("17")(windows(EPD))
figure("18")(windows(ABS))


@figure.note("table-3")
def _(results: Results) -> dict[str, str]:
    return {name: fixed(chain(results, kind).estimate(wire(1)), 1) for name, kind in SHORT_NAMES}


@figure.note("18")
def _(results: Results) -> dict[str, str]:
    def of(kind: str, by: Read) -> str:
        return fixed(chain(results, kind).estimate(by), 2)

    return {
        "near": of(ABS, together),
        "near_epd": of(EPD, together),
        "wide": of(ABS, together_wide),
        "wide_epd": of(EPD, together_wide),
    }


# What the paper leaves open


def _chains(results: Results, kind: str) -> Points:
    return [(chain_reading(sample), sample) for sample in chains(results, kind)]


OF_CHAIN: dict[str, Read] = {
    "UDP": wire(1),
    "fairness": fairness,
    "goodput": end_goodput,
    "cuts in 20 ms": together,
    "cuts in 100 ms": together_wide,
}
figure("extra-chain")(panels(OF_CHAIN, KINDS, _chains))


@figure.note("extra-chain")
def _(results: Results) -> dict[str, str]:
    clocks = [s for kind in KINDS for s in chains(results, kind) if chain_reading(s) in CLOCKS]
    udp = [sample.estimate(wire(1)).mean or 0.0 for sample in clocks]
    one = {kind: s for kind in KINDS for s in chains(results, kind) if chain_reading(s) == ONE_PACKET}
    return {
        "udp": f"{min(udp):.1f} to {max(udp):.1f}",
        "sent": f"{2 * GUARANTEED:.0f}",
        "one_epd": fixed(one[EPD].estimate(end_goodput), 3),
        "one_push": fixed(one[PUSH].estimate(end_goodput), 3),
    }


def by_way(results: Results, plan: str, kind: str) -> list[Sample]:
    """The samples of a strategy, by how sources keep to their rates."""
    return sorted(of_kind(results[plan], kind), key=lambda sample: WAYS.index(way(sample)))


def _readings(results: Results, kind: str) -> Points:
    samples = by_way(results, "extra-readings", kind)
    return [(f"{way(sample)}, {sample.settings['flow.*.transport.tick']}", sample) for sample in samples]


figure("extra-readings")(panels({"total": share, "tenth": wire(10), "goodput": goodput}, KINDS, _readings))


@figure.note("extra-readings")
def _(results: Results) -> dict[str, str]:
    def most_idle(*, coarse: bool) -> str:
        found = [s for s in results["extra-readings"] if (s.settings["flow.*.transport.tick"] == "500 ms") is coarse]
        return f"{max(100 - (sample.estimate(share).mean or 0.0) for sample in found):.0f}"

    return {"coarse": most_idle(coarse=True), "fine": most_idle(coarse=False)}


# What is not in the paper


def _networks(results: Results, kind: str) -> Points:
    ten = {"ten, short": SHORT, "ten, long": LONG}
    pair = [(name, table_1(results, kind, delay, MORE_TEN)) for name, delay in ten.items()]
    return [*pair, ("chain", chains(results, kind)[0])]


def _spaced_too(results: Results, kind: str) -> Points:
    both = [(f"spaced, {size} cells", spaced(results, kind, size)) for size in (200, 600)]
    return [*both, *_networks(results, kind)]


GREEDY, EVEN, SUM_OF_TEN = "who sends too much", "fairness", "total of ten"
OF_NETWORKS: dict[str, Read | Sequence[Read]] = {
    GREEDY: (wire(10), wire(10), wire(1)),
    EVEN: fairness,
    SUM_OF_TEN: total,
    "goodput": (goodput, goodput, end_goodput),
}
figure("extra-beyond")(panels(OF_NETWORKS, (*KINDS, *RELATIVES), _networks))


def _least(results: Results, kinds: Iterable[str], points: Callable[[Results, str], Points]) -> str:
    """The least mean goodput [%]; not rounded up to 100."""
    found = [(s, end_goodput if name == "chain" else goodput) for kind in kinds for name, s in points(results, kind)]
    least = min(sample.estimate(read).mean or 0.0 for sample, read in found)
    return f"{math.floor(1000 * least) / 1000:.3f}".rstrip("0").rstrip(".")


@figure.note("extra-beyond")
def _(results: Results) -> dict[str, str]:
    return {"least": _least(results, RELATIVES, _networks)}


OF_STACKS: dict[str, Read | Sequence[Read]] = {
    GREEDY: (*(wire(10),) * 4, wire(1)),
    EVEN: fairness,
    SUM_OF_TEN: total,
    "pushed out": pushed_out,
}
figure("extra-stacks")(panels(OF_STACKS, (ABS, *STACKS), _spaced_too))


@figure.note("extra-stacks")
def _(results: Results) -> dict[str, str]:
    (other,) = STACKS
    lists, stacks = (spaced(results, kind, 200) for kind in (ABS, other))
    reads = OF_STACKS[GREEDY]
    assert not callable(reads)
    networks = list(zip(_spaced_too(results, ABS), _spaced_too(results, other), reads, strict=True))[1:]
    apart = [abs((a.estimate(read).mean or 0.0) - (b.estimate(read).mean or 0.0)) for (_, a), (_, b), read in networks]
    return {
        "lists": fixed(lists.estimate(wire(10)), 1),
        "stacks": fixed(stacks.estimate(wire(10)), 1),
        "least": f"{min(wire(10)(run) for run in stacks.runs):.1f}",
        "most": f"{max(apart):.1f}",
        "goodput": _least(results, (ABS, other), _spaced_too),
    }


def guaranteed(rate: float, x: Sequence[float | str], name: str = "guaranteed", **how: Any) -> Series:
    """A line at a rate that a VC is guaranteed [Mb/s]."""
    return Series.exact(name, [x[0], x[-1]], [rate] * 2, kind="reference", **how)


def _overload(results: Results, kind: str) -> Points:
    def name(sample: Sample) -> str:
        return f"{'spaced' if way(sample) == WAYS[0] else 'access lines'}, {udp_sent(sample):.0f} Mb/s"

    return [(name(sample), sample) for sample in by_way(results, "extra-overload", kind)]


@figure("extra-overload")
def _(results: Results) -> list[Series]:
    reads: dict[str, Read] = {"UDP": wire(10), "mean of nine TCPs": honest, "least of them": least}
    made = []
    for panel, read in reads.items():
        made += panels({panel: read}, ALL, _overload)(results)
        made.append(guaranteed(GUARANTEED, made[-1].x, panel=panel))
    return made


@figure.note("extra-overload")
def _(results: Results) -> dict[str, str]:
    def at(kind: str, how: str) -> Sample:
        """With the fastest UDP."""
        return max((s for s in by_way(results, "extra-overload", kind) if way(s) == how), key=udp_sent)

    lines, robin = at(ABS, "access lines"), "weighted-round-robin"
    waiting, queues = at(robin, WAYS[0]), at("longest-queue-drop", WAYS[0])
    return {
        "mean": fixed(lines.estimate(honest), 1),
        "least": fixed(lines.estimate(least), 1),
        "robin_lines": fixed(at(robin, "access lines").estimate(wire(10)), 1),
        "robin": fixed(waiting.estimate(wire(10)), 1),
        "robin_least": fixed(waiting.estimate(least), 1),
        "out": _range(queues, range(1, 3)),
        "others": _range(queues, range(3, 10)),
    }


def _range(sample: Sample, numbers: Iterable[int]) -> str:
    """The least and the greatest rate of these connections in any run [Mb/s]."""
    rates = [wire(number)(run) for number in numbers for run in sample.runs]
    return f"{min(rates):.1f} to {max(rates):.1f}"


@figure("extra-two-vcs")
def _(results: Results) -> list[Series]:
    points: Points = [(name, of_kind(results["extra-two-vcs"], kind)[0]) for kind, name in ALL.items()]
    first, second = "three UDP sources", "three TCPs"
    x = list(ALL.values())
    return [
        curve(first, points, first_vc, of="epd"),
        curve(second, points, second_vc, of="bpd"),
        guaranteed(50, x, f"{first}, guaranteed", of="epd"),
        guaranteed(100, x, f"{second}, guaranteed", of="bpd"),
    ]


@figure.note("extra-two-vcs")
def _(results: Results) -> dict[str, str]:
    def left(kind: str) -> str:
        return fixed(of_kind(results["extra-two-vcs"], kind)[0].estimate(second_vc), 1)

    (stacks,) = STACKS
    return {"lists": left(ABS), "epd": left(EPD), "push": left(PUSH), "stacks": left(stacks)}
