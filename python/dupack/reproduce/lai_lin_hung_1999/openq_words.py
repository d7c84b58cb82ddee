"""The open question, answered: in words, and in tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import fmean

from dupack.reproduce.lai_lin_hung_1999.openq import (
    LOSES,
    MEASURES,
    NOTHING,
    OPTIONS,
    PLAN,
    QUEUES,
    SETTINGS,
    Key,
    Setting,
    Way,
    effect,
    effects,
    index,
    lossy,
    table,
    timeouts,
)
from dupack.reproduce.lai_lin_hung_1999.runs import COUNT, QUEUE, dead, empty, empty_samples, jain, share, unused
from dupack.reproduce.lai_lin_hung_1999.verdicts import By, fixed, mean_paired, paired, shown, signed
from dupack.reproduce.paper import Estimate, Figure, Panel, Results, Sample, Table

THRESHOLD = "extra-threshold"
"""The plan of EPD's thresholds."""
SHORT = {"short": "LAN", "paper": "Fig. 6", "between": "WAN behind", "before": "WAN before"}
"""Networks, with the number of connections after a stroke."""
BEST: Way = ("off", "sack", "epd")
"""What we say should be switched on."""


def _at(setting: Setting) -> str:
    return f"{SHORT[setting[0]]}/{setting[1]}"


def starred(change: Estimate) -> str:
    """A change, with a star if its interval excludes 0."""
    sure = change.mean is not None and change.half is not None and abs(change.mean) > change.half
    return signed(change) + ("*" if sure else "")


# Tables


def table_of_means(results: Results) -> Table:
    """What every option does to every measure, in the mean over the settings in which cells are lost."""
    found = index(results)
    where = lossy(found)
    lines = []
    for option in OPTIONS:
        changes = [effect(found, where, option, by) for _, by in MEASURES.values()]
        if changes[0].mean is not None:
            lines.append([option, *map(starred, changes)])
    heads = [f"{words} [{unit}]" for words, (unit, _) in MEASURES.items()]
    title = (
        f"Every option: the mean change over the {len(where)} settings in which Tahoe alone loses cells (* excludes 0)"
    )
    return Table(["switched on", *heads], lines, words=1, title=title)


def table_of_gains(results: Results) -> Table:
    """What every option does to throughput, setting by setting."""
    found = index(results)
    lines = []
    for option in OPTIONS:
        changes = [effect(found, [setting], option, share) for setting in SETTINGS]
        if changes[0].mean is not None:
            lines.append([option, *map(starred, changes)])
    chance = round(0.05 * len(lines) * len(SETTINGS))
    title = (
        f"Throughput, setting by setting: change in % of the ceiling (* excludes 0, as some {chance} of the "
        f"{len(lines) * len(SETTINGS)} would by chance)"
    )
    return Table(["switched on", *map(_at, SETTINGS)], lines, words=1, title=title)


def thresholds(results: Results) -> dict[int, dict[float, Sample]]:
    """Per number of connections the runs of every threshold."""
    found: dict[int, dict[float, Sample]] = {}
    for sample in results[THRESHOLD]:
        found.setdefault(int(sample.settings[COUNT]), {})[sample.settings[QUEUE]["threshold"]] = sample
    return found


def table_of_thresholds(results: Results) -> Table:
    """Throughput with SACK in the network of Fig. 6."""
    found, others = thresholds(results), index(results)
    values = list(found[2])
    lines = [
        [f"EPD, {value:g} of the buffer", *(fixed(found[n][value].estimate(share), 1) for n in found)]
        for value in values
    ]
    for queue in ("ppd", "plain"):
        mine = [others.get(("paper", n, ("off", "sack", queue))) for n in found]
        cells = [fixed(sample.estimate(share), 1) if sample else "-" for sample in mine]
        lines.append([QUEUES[queue], *cells])
    title = "EPD's threshold: throughput with SACK in the network of Fig. 6 [% of ceiling]"
    return Table(["switch", *(f"{n} connections" for n in found)], lines, words=1, title=title)


# In words


def _shares(found: dict[Key, Sample], mine: Way, where: Iterable[Setting]) -> str:
    """The range of throughput over some settings."""
    shares = [found[(*setting, mine)].estimate(share).mean or 0.0 for setting in where]
    return f"{min(shares):.1f} to {max(shares):.1f} %" if shares else "-"


def on_top(found: dict[Key, Sample], kind: str, where: Iterable[Setting]) -> Estimate:
    """What a recovery adds to EPD alone, in the mean over some settings [% of the ceiling]."""
    pairs = [(found.get((*at, ("off", kind, "epd"))), found[(*at, ("off", "tahoe", "epd"))]) for at in where]
    known = [(a, b) for a, b in pairs if a is not None]
    return mean_paired(known, share) if known else Estimate(None)


def reno_alone(found: dict[Key, Sample], where: Iterable[Setting]) -> Estimate:
    """What Reno changes where nothing else is switched on [% of the ceiling]."""
    return effect(found, where, "recover: Reno", share, lambda way: way[0] == "off" and way[2] == "plain")


def other_threshold(results: Results, n: int, value: float) -> Estimate:
    """What another threshold than 0.8 changes [% of the ceiling]."""
    of = thresholds(results)[n]
    return paired(of[value], of[0.8], share)


def of_threshold(results: Results) -> str:
    """What hangs on EPD's threshold."""
    found = thresholds(results)
    values = ", ".join(f"{value:g}" for value in found[2])

    def highest(n: int) -> float:
        return max(found[n], key=lambda value: found[n][value].estimate(share).mean or 0.0)

    best = ", ".join(
        f"{value:g} for {n} connections ({shown(found[n][value].estimate(share))} % of the ceiling"
        + (")" if value == 0.8 else f", {shown(found[n][0.8].estimate(share))} at 0.8)")
        for n, value in ((n, highest(n)) for n in found)
    )
    return (
        "EPD here takes no new packet while more than 0.8 of the buffer is full: 1,600 cells, just above DQT (1,500), "
        f"from which on the marker cuts to a quarter. The answer hangs on that. With SACK in the network of Fig. 6, of "
        f"{values} the best in the mean is {best}: few connections want a threshold so high that nothing is discarded, "
        "many one that leaves room for the packets that are under way already."
    )


def seen(results: Results) -> str:
    """What to switch on and where it hurts."""
    found = index(results)
    where = lossy(found)
    calm = [at for at in SETTINGS if at not in where]

    def all_of(option: str, by: By = share, given: Callable[[Way], bool] = lambda way: True) -> str:
        return signed(effect(found, where, option, by, given))

    def at(setting: Setting, option: str, by: By = share) -> str:
        return signed(effect(found, [setting], option, by))

    def of_reno(queue: str) -> str:
        return all_of("recover: Reno", given=lambda way: way[2] == queue)

    reno = {queue: of_reno(queue) for queue in QUEUES}
    uses = {words: effect(found, where, f"lose: {words}", share) for how, words in LOSES.items() if how != "off"}
    worst, *_, best = sorted(uses, key=lambda words: uses[words].mean or 0.0)
    behind, before = (found[place, 10, NOTHING].estimate(share) for place in ("between", "before"))
    verdict = (
        f"Switch on EPD at the switch, and SACK at the sender. In {len(where)} of {len(SETTINGS)} settings (four "
        "networks, three numbers of connections) TCP alone, a Tahoe, loses cells, and has "
        f"{_shares(found, NOTHING, where)} of the ceiling; with both it has {_shares(found, BEST, where)}. In the mean "
        f"over these {len(where)} (as all numbers here but those that name a network), and over all settings of the "
        f"other choices, EPD is worth {all_of('discard: EPD')} % of the ceiling (PPD {all_of('discard: PPD')}) and "
        f"SACK {all_of('recover: SACK')} (NewReno {all_of('recover: NewReno')}); on top of EPD alone SACK adds "
        f"{signed(on_top(found, 'sack', where))}, NewReno {signed(on_top(found, 'newreno', where))}. The paper's own "
        "remedies are not what helps: use-it-or-lose-it is "
        f"worth {signed(uses[best])} at best ({best}) and {signed(uses[worst])} at worst ({worst}), and Reno's fast "
        f"recovery by itself {signed(reno_alone(found, where))}; over all ways to lose a rate {reno['plain']} over a "
        f"plain queue, {reno['ppd']} with PPD, {reno['epd']} with EPD."
    )
    hurts = (
        "Where it hurts: EPD discards what would have been sent. Where nothing is lost without it, it costs "
        f"{signed(effect(found, calm, 'discard: EPD', share))} % in the mean, and {at(('paper', 2), 'discard: EPD')} % "
        "with two connections in the network of Fig. 6, whose unused ACR changes by "
        f"{at(('paper', 2), 'discard: EPD', unused)} MB/s each. {of_threshold(results)} And where the delay lies "
        "decides as much as all of this: ten Tahoes whose 5 ms lie behind the switch that marks lost nothing, had "
        f"{shown(behind)} % and needed nothing; with 5 ms before it, where feedback takes 10 ms, they had "
        f"{shown(before)} %."
    )
    idle, vain = (fmean(found[(*one, NOTHING)].estimate(by).mean or 0.0 for one in where) for by in (empty, dead))
    few = dict.fromkeys(shown(found[place, 2, NOTHING].estimate(share)) for place in ("between", "before"))
    asked = {words: effect(found, where, f"lose: {words}", unused) for how, words in LOSES.items() if how != "off"}
    less = ", ".join(f"{signed(change)} ({words})" for words, change in asked.items() if change.mean is not None)
    points = [
        "EPD loses more cells than a plain queue and delivers more: they are of whole packets. With Tahoe alone the "
        f"line is idle for {idle:.1f} % of the time in the mean, and {vain:.1f} % of the cells that it carries are of "
        "packets that are damaged already.",
        f"Use-it-or-lose-it changes the unused ACR of a source by {less} MB/s, and gains little: a rate that is lost "
        "must be asked for again, a round trip at a time.",
        f"Fairness: Jain's index changes by {all_of('discard: EPD', jain)} with EPD and by "
        f"{all_of('discard: PPD', jain)} with PPD, and the share of samples that see the queue empty by "
        f"{all_of('discard: EPD', empty_samples)} and {all_of('discard: PPD', empty_samples)} %.",
        "Reno: a full buffer damages several packets of a window; Reno leaves fast recovery after the first and waits "
        f"for a timeout ({all_of('recover: Reno', timeouts)} of them in a run), where Tahoe sends them again from slow "
        "start. NewReno and SACK stay in recovery.",
        "Two connections on a long way are bound by TCP's window of seven segments, at "
        f"{' and '.join(few)} %; no option helps them.",
    ]
    below_it = (
        "Empty queue: of samples 5 ms apart those that see no cell waiting; idle line: of all the time. A share just "
        "above 100 % counts packets whose first cells went before the measured time began. The table has the settings "
        "one by one; a way that it leaves out is in every number as Tahoe alone. Every option, every setting and EPD's "
        "threshold are in the tables folded below it."
    )
    return "\n\n".join([verdict, hurts, "\n".join(f"- {point}" for point in points), below_it])


FIGURE = Figure(
    "open",
    "What to switch on",
    "The paper ends with a question (§5): how should a source lose a rate that it does not use, how much does fast "
    "recovery improve, and what do EPD and PPD? All with all: five ways to lose a rate, four to recover and three to "
    "discard, with 2, 10 and 50 connections, in a LAN, in the network of Fig. 6, and in WANs whose delay lies behind "
    "the switch that marks (its feedback comes at once) or before it (it takes 10 ms). Each dot is the mean of what "
    "one option changes in a network, over those numbers of connections with which Tahoe alone loses cells, and over "
    "all settings of the two others, with the same seeds.",
    "switched on",
    "change",
    (PLAN, THRESHOLD),
    effects,
    flat=True,
    panels={name: Panel(f"[{MEASURES[name][0]}]", (None, None)) for name in MEASURES},
    place="Extra, the open question",
    ours=seen,
    table=table,
    more=lambda results: [table_of_means(results), table_of_gains(results), table_of_thresholds(results)],
)
