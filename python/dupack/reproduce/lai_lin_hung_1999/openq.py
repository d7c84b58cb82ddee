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
    dead,
    empty,
    jain,
    loss_rate,
    share,
    unused,
)
from dupack.reproduce.lai_lin_hung_1999.verdicts import By, below, fixed, mean_paired, paired, shown, signed
from dupack.reproduce.paper import Estimate, Figure, Finding, Measured, Panel, Results, Sample, Series, Table

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
    rest = ", ".join(f"{LOSES[lose]} {signed(known[lose])}" for lose in known if lose != least)
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


def _effects(results: Results) -> list[Series]:
    found = index(results)
    made = []
    for panel in SHOWN:
        by = MEASURES[panel][1]
        for place, words in WHERE.items():
            values = [effect(found, product([place], COUNTS), option, by) for option in OPTIONS]
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
    "Jain": (jain, 2),
}
"""The measures, and with how many decimals they are told."""


def table(results: Results) -> Table:
    """Five measures of some ways in every setting; without those that are in every number as Tahoe alone."""
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


# In words

SHORT = {"short": "LAN", "paper": "Fig. 6", "between": "WAN behind", "before": "WAN before"}
"""Networks, with the number of connections after a stroke."""


def _at(setting: Setting) -> str:
    return f"{SHORT[setting[0]]}/{setting[1]}"


def _told(changes: dict[Setting, Estimate], sign: int) -> str:
    """Those whose interval lies wholly on one side of 0, the largest first."""
    sure = [
        (abs(change.mean), f"{_at(setting)} {signed(change)}")
        for setting, change in changes.items()
        if change.mean is not None and sign * change.mean > (change.half or 0.0)
    ]
    return ", ".join(words for _, words in sorted(sure, reverse=True)) or "nowhere"


def _throughput(found: dict[Key, Sample], option: str) -> str:
    """What an option does to throughput: in the mean, where it gains and where it costs."""
    changes = {setting: effect(found, [setting], option, share) for setting in SETTINGS}
    mean = signed(effect(found, lossy(found), option, share))
    return f"{option}, {mean} %. Gains: {_told(changes, 1)}. Costs: {_told(changes, -1)}."


def _others(found: dict[Key, Sample], by: By) -> str:
    """What every option does to another measure, in the mean."""
    where = lossy(found)
    return ", ".join(f"{option.split(': ')[1]} {signed(effect(found, where, option, by))}" for option in OPTIONS)


def in_all(results: Results, words: Mapping[str, str], part: str, by: By) -> str:
    """What each of some options does to a measure, in the mean over the settings in which cells are lost."""
    found = index(results)
    where = lossy(found)
    changes = {
        word: effect(found, where, f"{part}: {word}", by) for word in words.values() if f"{part}: {word}" in OPTIONS
    }
    return ", ".join(f"{word} {signed(change)}" for word, change in changes.items() if change.mean is not None)


BEST: Way = ("off", "sack", "epd")
"""What we say should be switched on."""


def _shares(found: dict[Key, Sample], mine: Way, where: Iterable[Setting]) -> str:
    """The range of throughput over some settings."""
    shares = [found[(*setting, mine)].estimate(share).mean or 0.0 for setting in where]
    return f"{min(shares):.1f} to {max(shares):.1f} %" if shares else "-"


def _alone(found: dict[Key, Sample], mine: Way, where: Iterable[Setting], than: Way = NOTHING) -> str:
    """What one way has more of the ceiling than another, setting by setting."""
    changes = {at: paired(found[(*at, mine)], found[(*at, than)], share) for at in where}
    return ", ".join(f"{_at(at)} {signed(change)}" for at, change in changes.items())


def _vain(found: dict[Key, Sample], where: Iterable[Setting]) -> str:
    """Idle line, and cells sent in vain, with nothing switched on."""
    samples = {at: found[(*at, NOTHING)] for at in where}
    both = {at: [sample.estimate(by).mean or 0.0 for by in (empty, dead)] for at, sample in samples.items()}
    return ", ".join(f"{_at(at)} {idle:.1f} and {vain:.1f}" for at, (idle, vain) in both.items())


def seen(results: Results) -> str:
    """What to switch on and where it hurts; then the numbers, option by option."""
    found = index(results)
    where = lossy(found)
    calm = [at for at in SETTINGS if at not in where]

    def all_of(option: str, by: By = share, given: Callable[[Way], bool] = lambda way: True) -> str:
        return signed(effect(found, where, option, by, given))

    def at(setting: Setting, option: str, by: By = share) -> str:
        return signed(effect(found, [setting], option, by))

    reno = {queue: all_of("recover: Reno", given=lambda way, q=queue: way[2] == q) for queue in QUEUES}
    uses = {words: effect(found, where, f"lose: {words}", share) for how, words in LOSES.items() if how != "off"}
    worst, *_, best = sorted(uses, key=lambda words: uses[words].mean or 0.0)
    behind, before = (found[place, 10, NOTHING].estimate(share) for place in ("between", "before"))
    verdict = (
        f"Switch on EPD at the switch, and SACK at the sender. In {len(where)} of {len(SETTINGS)} settings (four "
        "networks, three numbers of connections) TCP alone, a Tahoe, loses cells, and has "
        f"{_shares(found, NOTHING, where)} of the ceiling; with both it has {_shares(found, BEST, where)}. In the mean "
        f"over these {len(where)}, and over all settings of the other choices, EPD is worth {all_of('discard: EPD')} % "
        f"of the ceiling (PPD {all_of('discard: PPD')}) and SACK {all_of('recover: SACK')} (NewReno "
        f"{all_of('recover: NewReno')}). The paper's own remedies are not what helps: use-it-or-lose-it is worth "
        f"{signed(uses[best])} at best ({best}) and {signed(uses[worst])} at worst ({worst}), and Reno's fast recovery "
        f"{reno['plain']} over a plain queue, {reno['ppd']} with PPD, {reno['epd']} with EPD. Where it hurts: EPD "
        "discards what would have been sent. Where nothing is lost without it, it costs "
        f"{signed(effect(found, calm, 'discard: EPD', share))} % in the mean, and {at(('paper', 2), 'discard: EPD')} % "
        "with two connections in the network of Fig. 6, whose unused ACR changes by "
        f"{at(('paper', 2), 'discard: EPD', unused)} MB/s each. And where the delay lies decides as much as "
        "all of this: ten Tahoes whose 5 ms lie behind the switch that marks lost nothing, had "
        f"{shown(behind)} % and needed nothing; with 5 ms before it, where feedback takes 10 ms, they had "
        f"{shown(before)} %."
    )
    few = [(place, 2) for place in ("between", "before")]
    sack = ("off", "sack", "plain")
    points = [
        "How to read these: a setting is network/connections; first comes the mean change of throughput, as above, in "
        "% of the ceiling; then every setting by itself whose 95 % interval excludes 0, as some "
        f"{round(0.05 * len(OPTIONS) * len(SETTINGS))} of the {len(OPTIONS) * len(SETTINGS)} would by chance.",
        *(_throughput(found, option) for option in OPTIONS),
        f"SACK with nothing else differs from setting to setting: {_alone(found, sack, where)}. Added to EPD: "
        f"{_alone(found, BEST, where, ('off', 'tahoe', 'epd'))}.",
        f"Cells lost, those that PPD and EPD discard among them [% of those offered]: {_others(found, loss_rate)}. EPD "
        "loses more cells and delivers more: they are of whole packets.",
        f"Unused ACR [MB/s a source]: {_others(found, unused)}. Use-it-or-lose-it does what it is for, and gains "
        "little: a rate that is lost must be asked for again, a round trip at a time.",
        f"Idle line [% of time]: {_others(found, empty)}. With Tahoe alone it is idle, and carries cells of packets "
        f"that are damaged already, for so much of the time [%]: {_vain(found, where)}. But for the long way before "
        "the switch more is lost to these cells than to an idle line.",
        f"Fairness (Jain's index): {_others(found, jain)}.",
        "Reno: a full buffer damages several packets of a window; Reno leaves fast recovery after the first and waits "
        f"for a timeout ({all_of('recover: Reno', timeouts)} of them in a run), where Tahoe sends them again from slow "
        "start. NewReno and SACK stay in recovery.",
        "Two connections on a long way are bound by TCP's window of seven segments, at "
        f"{' and '.join(shown(found[(*at, NOTHING)].estimate(share)) for at in few)} %; no option helps them.",
    ]
    below_it = "The table has the settings one by one; a way that it leaves out is in every number as Tahoe alone."
    return "\n\n".join([verdict, "\n".join(f"- {point}" for point in points), below_it])


FIGURE = Figure(
    "open",
    "What to switch on",
    "The paper ends with a question (§5): how should a source lose a rate that it does not use, how much does fast "
    "recovery improve, and what do EPD and PPD? All with all: five ways to lose a rate, four to recover and three to "
    "discard, with 2, 10 and 50 connections, in a LAN, in the network of Fig. 6, and in WANs whose delay lies behind "
    "the switch that marks (its feedback comes at once) or before it (it takes 10 ms). Each dot is the mean of what "
    "one option changes, over 2, 10 and 50 connections and all settings of the two others, with the same seeds.",
    "switched on",
    "change",
    (PLAN,),
    _effects,
    flat=True,
    panels={name: Panel(f"[{MEASURES[name][0]}]", (None, None)) for name in SHOWN},
    place="Extra, the open question",
    ours=seen,
    table=table,
)
