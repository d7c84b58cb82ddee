"""The question that the paper leaves open: what to switch on, and where it hurts."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from dupack.reproduce.lai_lin_hung_1999.runs import (
    ACCESS,
    BACKBONE,
    COUNT,
    KIND,
    LOSE,
    QUEUE,
    empty,
    jain,
    loss_rate,
    share,
    unused,
)
from dupack.reproduce.lai_lin_hung_1999.verdicts import By, below, mean_paired, paired, shown, signed
from dupack.reproduce.paper import Estimate, Figure, Finding, Panel, Results, Sample, Series, Table

PLAN = "extra-open"

WHERE = {
    "short": "LAN",
    "paper": "Fig. 6's, 1 ms",
    "between": "WAN, 5 ms behind",
    "before": "WAN, 5 ms before",
}
"""How long the way is, and whether that is behind the switch that marks or before it."""
COUNTS = (2, 10, 50)
LOSES = {
    "off": "kept",
    "adtf": "ADTF (rule 5)",
    "august-1995": "August 1995",
    "time-based": "time-based",
    "count-based": "count-based",
}
KINDS = {"tahoe": "Tahoe", "reno": "Reno", "newreno": "NewReno", "sack": "SACK"}
QUEUES = {"plain": "plain", "ppd": "PPD", "epd": "EPD"}

Way = tuple[str, str, str]
"""Use-it-or-lose-it, recovery, discard."""
NOTHING: Way = ("off", "tahoe", "plain")


def where(sample: Sample) -> str:
    """Where the delay of its network lies."""
    access, backbone = sample.settings[ACCESS], sample.settings[BACKBONE]
    if access == backbone:
        return "short"
    return {"5 ms": "before", "0.01 ms": "between"}.get(access, "paper")


def way(sample: Sample) -> Way:
    """What is switched on."""
    settings = sample.settings
    return settings[LOSE], settings[KIND], settings[QUEUE]["kind"]


Key = tuple[str, int, Way]


def index(results: Results) -> dict[Key, Sample]:
    """Every sample by network and way."""
    return {(where(s), int(s.settings[COUNT]), way(s)): s for s in results[PLAN]}


def base(results: Results, place: str, n: int) -> Sample:
    """With nothing switched on."""
    return index(results)[place, n, NOTHING]


def best_use(results: Results, by: By) -> Finding:
    """The alternative that lowers a measure most, in the network of Fig. 6 with ten connections."""
    found = index(results)
    none = found["paper", 10, NOTHING]
    others = {lose: found.get(("paper", 10, (lose, *NOTHING[1:]))) for lose in LOSES if lose != "off"}
    known = {lose: paired(sample, none, by) for lose, sample in others.items() if sample}
    least = min(known, key=lambda lose: known[lose].mean or 0.0)
    rest = ", ".join(f"{LOSES[lose]} {known[lose].mean or 0.0:+.2f}" for lose in known if lose != least)
    return below(known[least], seen=f"{LOSES[least]}; {rest or 'no other was run'}.")


def recovery(results: Results, by: By) -> Finding:
    """What Reno (or the nearest that was run) makes of a measure in the same network."""
    found = index(results)
    none = found["paper", 10, NOTHING]
    known = {}
    for kind in KINDS:
        sample = found.get(("paper", 10, ("off", kind, "plain")))
        if kind != "tahoe" and sample:
            known[kind] = paired(sample, none, by)
    first = next(iter(known))
    rest = ", ".join(f"{KINDS[kind]} {known[kind].mean or 0.0:+.2f}" for kind in known if kind != first)
    return below(known[first], seen=f"{KINDS[first]}; {rest or 'no other was run'}.")


# What a switch does, over all settings of the others

MEASURES: dict[str, tuple[str, By]] = {
    "throughput": ("% of ceiling", share),
    "cells lost": ("% of offered", loss_rate),
    "unused ACR": ("MB/s a source", unused),
    "idle line": ("% of time", empty),
    "fairness": ("Jain's index", jain),
}
SHOWN = tuple(MEASURES)[:4]
"""In the figure; the table has all."""
OPTIONS: dict[str, tuple[int, str]] = {
    **{f"lose: {words}": (0, lose) for lose, words in LOSES.items() if lose != "off"},
    **{f"recover: {words}": (1, kind) for kind, words in KINDS.items() if kind != "tahoe"},
    **{f"discard: {words}": (2, queue) for queue, words in QUEUES.items() if queue != "plain"},
}
"""What can be switched on: which part of a way, and what it becomes."""


def effect(found: dict[Key, Sample], places: Iterable[str], counts: Iterable[int], option: str, by: By) -> Estimate:
    """The mean of what an option changes, over all settings of the two others, with the same seeds."""
    part, value = OPTIONS[option]
    pairs = []
    for place, n in product(places, counts):
        for (at, many, mine), sample in found.items():
            if (at, many) == (place, n) and mine[part] == value:
                other = list(mine)
                other[part] = NOTHING[part]
                pairs.append((sample, found[place, n, (other[0], other[1], other[2])]))
    return mean_paired(pairs, by) if pairs else Estimate(None)


COLOUR = {"short": "bpd", "paper": "plain", "between": "theory", "before": "epd"}


def _effects(results: Results) -> list[Series]:
    found = index(results)
    made = []
    for panel in SHOWN:
        by = MEASURES[panel][1]
        for place, words in WHERE.items():
            values = [effect(found, [place], COUNTS, option, by) for option in OPTIONS]
            x, y, half = list(OPTIONS), [e.mean for e in values], [e.half for e in values]
            made.append(Series(words, list(x), y, half, of=COLOUR[place], panel=panel))
        made.append(Series("no change", [0], [0.0], [None], kind="reference", panel=panel))
    return made


# The table: in each network with nothing, with a part, and with all

WAYS: tuple[Way, ...] = (
    NOTHING,
    ("count-based", "tahoe", "plain"),
    ("off", "reno", "plain"),
    ("off", "sack", "plain"),
    ("off", "tahoe", "ppd"),
    ("off", "tahoe", "epd"),
    ("off", "sack", "epd"),
    ("count-based", "sack", "epd"),
)


def said(mine: Way) -> str:
    """What is switched on, in words."""
    lose, kind, queue = mine
    parts = [KINDS[kind]]
    parts += [QUEUES[queue]] if queue != "plain" else []
    parts += [LOSES[lose]] if lose != "off" else []
    return ", ".join(parts)


def table(results: Results) -> Table:
    """Five measures of some ways in every network; one line where nothing makes a difference."""
    found = index(results)
    heads = ["network", "connections", "switched on", *(f"{name} [{unit}]" for name, (unit, _) in MEASURES.items())]
    lines: list[list[str]] = []
    for place, n in product(WHERE, COUNTS):
        ways = {said(mine): found[place, n, mine] for mine in WAYS if (place, n, mine) in found}
        told = {words: [shown(sample.estimate(by)) for _, by in MEASURES.values()] for words, sample in ways.items()}
        if len(told) > 1 and len({tuple(values[:2]) for values in told.values()}) == 1:
            told = {"whatever": next(iter(told.values()))}
        lines += [[WHERE[place], str(n), words, *values] for words, values in told.items()]
    return Table(heads, lines, words=3)


# In words

SHORT = {"short": "LAN", "paper": "Fig. 6", "between": "WAN behind", "before": "WAN before"}
"""Networks, with the number of connections after a stroke."""
SETTINGS = tuple(product(WHERE, COUNTS))


def _named(place: str, n: int) -> str:
    return f"{SHORT[place]}/{n}"


def by_setting(found: dict[Key, Sample], option: str, by: By) -> dict[tuple[str, int], Estimate]:
    """What an option changes in each network with each number of connections, over all settings of the two others."""
    return {(place, n): effect(found, [place], [n], option, by) for place, n in SETTINGS}


def _told(changes: dict[tuple[str, int], Estimate], sign: int) -> str:
    """Those whose interval lies wholly on one side of 0, the largest first."""
    sure = [
        (abs(e.mean), f"{_named(*at)} {signed(e)}")
        for at, e in changes.items()
        if e.mean is not None and sign * e.mean > (e.half or 0.0)
    ]
    return ", ".join(words for _, words in sorted(sure, reverse=True))


def _option(found: dict[Key, Sample], option: str) -> str:
    """A line: where it gains throughput and where it costs some, and what it does to unused ACR."""
    changes = by_setting(found, option, share)
    gains, costs = _told(changes, 1), _told(changes, -1)
    acr = by_setting(found, option, unused)
    down, up = (min(acr.values(), key=lambda e: -sign * (e.mean or 0.0)) for sign in (-1, 1))
    parts = [f"gains in {gains}" if gains else "gains nowhere", f"costs in {costs}" if costs else "costs nowhere"]
    return f"{option}: {'; '.join(parts)}. Unused ACR {signed(down)} to {signed(up)} MB/s a source."


def seen(results: Results) -> str:
    """What to switch on and where it hurts, and then the numbers."""
    found = index(results)
    return "\n".join(f"- {_option(found, option)}" for option in OPTIONS)


FIGURE = Figure(
    "open",
    "What to switch on",
    "The paper ends with a question (§5): how should a source lose a rate that it does not use, how much does fast "
    "recovery improve, and what do EPD and PPD? All with all: five ways to lose a rate, four to recover and three to "
    "discard, with 2, 10 and 50 connections, in a LAN, in the network of Fig. 6, and in WANs whose delay lies behind "
    "the switch that marks (its feedback comes at once) or before it (it takes 10 ms).",
    "switched on",
    "change",
    (PLAN,),
    _effects,
    flat=True,
    panels={name: Panel(f"[{MEASURES[name][0]}]", (None, None)) for name in SHOWN},
    place="Extra, the open question",
    ours="Each dot is the mean of what one option changes, over 2, 10 and 50 connections and all settings of the two "
    "others, with the same seeds. Switch on EPD, and SACK or NewReno with it; leave use-it-or-lose-it off, or take "
    "the count-based one. Where cells are lost EPD is worth 7 to 10 % of the ceiling, on the long way before the "
    "switch 17 to 19 %, PPD half to nine tenths of that, SACK 1 to 2.5, in the mean over all else (the table has the "
    "settings: with Tahoe EPD is worth more than with SACK): what is lost without "
    "them is less an empty line than cells of packets that are damaged already. Use-it-or-lose-it does what it is "
    "for (unused ACR falls by up to 1.6 MB/s a source) and gains little throughput: a rate that is lost must be asked "
    "for again, a round trip at a time, which costs up to 4 % on the long way (time-based, August 1995). Rule 5 of "
    "TM 4.0 (ADTF) does next to nothing: hardly any wait is as long as its 500 ms. Fast recovery as the paper "
    "proposes it hurts: a full buffer damages several packets of a window, and Reno waits for a timeout (a third "
    "more of them) where Tahoe starts slowly; the line is then idle more often, and ACR less used. NewReno and "
    "SACK do not have this. Where it hurts: EPD drops what would have been sent, 1 to 2 % of the cells where nothing "
    "else is lost, 10 to 12 % with 50 connections in the network of Fig. 6 (lost cells include what EPD and PPD "
    "discard), takes 2 % of the throughput of two connections there, and leaves 2 MB/s more of ACR unused to each "
    "source. And where the delay "
    "lies decides more than all of it: behind the switch that marks feedback comes at once, nothing is lost up to "
    "ten connections, and nothing needs to be switched on; before it every setting with ten connections or more loses "
    "cells. Two connections on a "
    "long way are bound by TCP's window of 64 KB, and nothing helps them.",
    table=table,
)
