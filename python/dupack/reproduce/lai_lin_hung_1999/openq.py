"""The question that the paper leaves open: what to switch on, and where it hurts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product

from dupack.reproduce.lai_lin_hung_1999.runs import (
    ACCESS,
    BACKBONE,
    COUNT,
    KIND,
    LOSE,
    QUEUE,
    empty,
    empty_samples,
    jain,
    loss_rate,
    share,
    unused,
)
from dupack.reproduce.lai_lin_hung_1999.verdicts import By, below, fixed, mean_paired, paired, signed
from dupack.reproduce.paper import Estimate, Finding, Measured, Results, Sample, Series, Table

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


USE = "count-based"
"""That use-it-or-lose-it which stands for all wherever one has to: the same for every measure, not each one's best."""


def use(results: Results, by: By) -> Finding:
    """What it makes of a measure in the network of Fig. 6 with ten connections, in the mean over all else."""
    found = index(results)
    known = {
        words: effect(found, [("paper", 10)], f"lose: {words}", by) for how, words in LOSES.items() if how != "off"
    }
    rest = ", ".join(f"{words} {signed(e)}" for words, e in known.items() if words != LOSES[USE] and e.mean is not None)
    return below(known[LOSES[USE]], seen=f"The others: {rest or 'none was run'}.")


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
    rest = ", ".join(f"{KINDS[kind]} {signed(known[kind])}" for kind in known if kind != first)
    return below(known[first], seen=f"{KINDS[first]}; {rest or 'no other was run'}.")


def timeouts(run: Measured) -> float:
    """Of all connections."""
    return float(run.document["summary"]["timeouts"])


# What a switch does, over all settings of the others

MEASURES: dict[str, tuple[str, By]] = {
    "throughput": ("% of ceiling", share),
    "cells lost": ("% of offered", loss_rate),
    "unused ACR": ("MB/s a source", unused),
    "idle line": ("% of time", empty),
    "empty queue": ("% of samples", empty_samples),
    "fairness": ("Jain's index", jain),
}
OPTIONS: dict[str, tuple[int, str]] = {
    **{f"lose: {words}": (0, lose) for lose, words in LOSES.items() if lose != "off"},
    **{f"recover: {words}": (1, kind) for kind, words in KINDS.items() if kind != "tahoe"},
    **{f"discard: {words}": (2, queue) for queue, words in QUEUES.items() if queue != "plain"},
}
"""What can be switched on: which part of a way, and what it becomes."""


Setting = tuple[str, int]
"""A network and the number of connections."""
SETTINGS: tuple[Setting, ...] = tuple(product(WHERE, COUNTS))


def effect(
    found: dict[Key, Sample],
    settings: Iterable[Setting],
    option: str,
    by: By,
    given: Callable[[Way], bool] = lambda way: True,
) -> Estimate:
    """The mean of what an option changes, over all (or the given) settings of the two others, with the same seeds."""
    (part, value), wanted = OPTIONS[option], set(settings)
    pairs = []
    for (place, n, mine), sample in found.items():
        if (place, n) in wanted and mine[part] == value and given(mine):
            other = list(mine)
            other[part] = NOTHING[part]
            pairs.append((sample, found[place, n, (other[0], other[1], other[2])]))
    return mean_paired(pairs, by) if pairs else Estimate(None)


def lossy(found: dict[Key, Sample]) -> list[Setting]:
    """Where cells are lost with nothing switched on."""
    return [at for at in SETTINGS if (found[(*at, NOTHING)].estimate(loss_rate).mean or 0.0) > 0]


COLOUR = {"short": "bpd", "paper": "plain", "between": "theory", "before": "epd"}


def effects(results: Results) -> list[Series]:
    """Per measure and network what every option changes."""
    found = index(results)
    where = lossy(found)
    made = []
    for panel, (_, by) in MEASURES.items():
        for place, words in WHERE.items():
            mine = [setting for setting in where if setting[0] == place]
            values = [effect(found, mine, option, by) for option in OPTIONS]
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


COLUMNS: dict[str, tuple[By, int]] = {
    "throughput [% of ceiling]": (share, 1),
    "cells lost [%]": (loss_rate, 2),
    "unused ACR [MB/s]": (unused, 1),
    "idle line [%]": (empty, 1),
    "empty queue [%]": (empty_samples, 1),
    "Jain": (jain, 2),
}
"""The measures, and with how many decimals they are told."""


def table(results: Results) -> Table:
    """The measures of some ways in every setting; without those that are in every number as Tahoe alone."""
    found = index(results)
    lines: list[list[str]] = []
    for place, n in SETTINGS:
        alone: list[str] = []
        for mine in WAYS:
            if (place, n, mine) not in found:
                continue
            values = [fixed(found[place, n, mine].estimate(by), digits) for by, digits in COLUMNS.values()]
            if values != alone:
                lines.append([f"{WHERE[place]} / {n}", said(mine), *values])
            alone = values if mine == NOTHING else alone
    return Table(["network / connections", "switched on", *COLUMNS], lines, words=2)


def in_all(results: Results, words: Mapping[str, str], part: str, by: By) -> str:
    """What each of some options does to a measure, in the mean over the settings in which cells are lost."""
    found = index(results)
    where = lossy(found)
    changes = {
        word: effect(found, where, f"{part}: {word}", by) for word in words.values() if f"{part}: {word}" in OPTIONS
    }
    return ", ".join(f"{word} {signed(change)}" for word, change in changes.items() if change.mean is not None)
