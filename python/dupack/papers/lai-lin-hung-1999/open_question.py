"""The question that the paper leaves open: what to switch on, and where it hurts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import Any

from dupack.reproduce.compare import mean_paired, paired
from dupack.reproduce.paper import Estimate, Finding, Measured, Results, Sample
from dupack.reproduce.select import number, setting
from dupack.reproduce.told import shown, signed
from dupack.reproduce.verdicts import below

from .runs import By, dead, empty, empty_samples, jain, loss_rate, share, unused

PLAN, THRESHOLD = "extra-open", "extra-threshold"
CLAIMS = "section-5"
"""The plan of the claims: a part of the runs of the question, in the network of Fig. 6."""
WHERE = {"short": "LAN", "paper": "Fig. 6's, 1 ms", "between": "WAN, 5 ms behind", "before": "WAN, 5 ms before"}
"""The networks: how long the delay is, and whether it is behind the switch that marks or before it."""
SHORT = {"short": "LAN", "paper": "Fig. 6", "between": "WAN behind", "before": "WAN before"}
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
Setting = tuple[str, int]
"""A network and the number of connections."""
Key = tuple[str, int, Way]
NOTHING: Way = ("off", "tahoe", "plain")
BEST: Way = ("off", "sack", "epd")
"""What we recommend."""
WAYS: tuple[Way, ...] = (
    NOTHING,
    ("count-based", "tahoe", "plain"),
    ("off", "reno", "plain"),
    ("off", "sack", "plain"),
    ("off", "tahoe", "ppd"),
    ("off", "tahoe", "epd"),
    BEST,
    ("count-based", "sack", "epd"),
)
"""The rows of the table in each setting."""
SETTINGS: tuple[Setting, ...] = tuple(product(WHERE, COUNTS))
TEN: Setting = ("paper", 10)
"""Ten connections in the network of Fig. 6."""

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
USE = "count-based"
"""The policy that represents use-it-or-lose-it in the claims: the same for every measure, not each one's best.

A reading may replace it in the plan of the claims.
"""


def network(sample: Sample) -> str:
    """The network of a sample; a plan that does not vary it has that of Fig. 6."""
    access = setting(sample, "access.delay")
    if access is None:
        return "paper"
    if access == setting(sample, "backbone.delay"):
        return "short"
    return {"5 ms": "before", "0.01 ms": "between"}.get(access, "paper")


def way(sample: Sample) -> Way:
    """What is switched on in a sample."""
    lose, kind, queue = (setting(sample, end) for end in ("use_it_or_lose_it", "transport.kind", "queue.kind"))
    return lose, kind, queue


def index(results: Results, plan: str = PLAN) -> dict[Key, Sample]:
    """The samples by network, number of connections and way."""
    return {(network(sample), int(number(sample, "count")), way(sample)): sample for sample in results[plan]}


def timeouts(run: Measured) -> float:
    """Timeouts of all connections."""
    return float(run.document["summary"]["timeouts"])


def effect(
    found: Mapping[Key, Sample],
    settings: Iterable[Setting],
    option: str,
    by: By,
    ways: Collection[Way] | None = None,
) -> Estimate:
    """The mean change by an option, over all ways (or these) that have it, with the same seeds."""
    (part, value), wanted = OPTIONS[option], set(settings)
    pairs = []
    for (place, n, mine), sample in found.items():
        if (place, n) in wanted and mine[part] == value and (ways is None or mine in ways):
            other = list(mine)
            other[part] = NOTHING[part]
            pairs.append((sample, found[place, n, (other[0], other[1], other[2])]))
    return mean_paired(pairs, by) if pairs else Estimate(None)


def lossy(found: Mapping[Key, Sample]) -> list[Setting]:
    """The settings in which cells are lost with nothing switched on."""
    return [at for at in SETTINGS if (found[(*at, NOTHING)].estimate(loss_rate).mean or 0.0) > 0]


def thresholds(results: Results) -> dict[int, dict[float, Sample]]:
    """The samples of EPD's thresholds by number of connections and threshold [share of the buffer]."""
    found: dict[int, dict[float, Sample]] = {}
    for sample in results[THRESHOLD]:
        found.setdefault(int(number(sample, "count")), {})[number(sample, "threshold")] = sample
    return found


def _beside(results: Results) -> str:
    """What a reading switches on beside a remedy.

    That is what each claim names (``each``), or nothing (``alone``), or the mean over all (``mean``), or the paper's
    other remedy (``together``).
    """
    return results[CLAIMS][0].runs[0].option("beside", "each")


def _both(found: Mapping[Key, Sample], by: By) -> Finding:
    """The change by both of the paper's remedies together, with ten connections in the network of Fig. 6."""
    return below(paired(found[(*TEN, (USE, "reno", "plain"))], found[(*TEN, NOTHING)], by))


def use(results: Results, by: By) -> Finding:
    """The change by use-it-or-lose-it with ten connections in the network of Fig. 6, mean over recovery and discard."""
    found, beside = index(results, CLAIMS), _beside(results)
    if beside == "together":
        return _both(found, by)
    ways = [(USE, "tahoe", "plain")] if beside == "alone" else None
    return below(effect(found, [TEN], f"lose: {LOSES[USE]}", by, ways))


def recovery(results: Results, by: By) -> Finding:
    """The change by Reno with nothing else switched on, in the same network."""
    found, beside = index(results, CLAIMS), _beside(results)
    if beside == "together":
        return _both(found, by)
    changes = {}
    for kind, name in KINDS.items():
        ways = None if beside == "mean" else [("off", kind, "plain")]
        if kind != "tahoe" and (*TEN, ("off", kind, "plain")) in found:
            changes[kind] = effect(found, [TEN], f"recover: {name}", by, ways)
    rest = ", ".join(f"{KINDS[kind]} {signed(change)}" for kind, change in changes.items() if kind != "reno")
    return below(changes["reno"], seen=f"Others: {rest or 'not run'}.")


def waits(results: Results) -> str:
    """Timeouts in the runs of the claims on fast recovery, in words."""
    found = index(results, CLAIMS)
    tahoe, reno = (shown(found[(*TEN, ("off", kind, "plain"))].estimate(timeouts)) for kind in ("tahoe", "reno"))
    return f"A run of the claim has {tahoe} timeouts with Tahoe, and {reno} with Reno."


def in_all(results: Results, options: str, by: By) -> str:
    """The change by each ``lose`` or ``recover`` option, in the mean over the settings in which cells are lost."""
    found = index(results)
    where = lossy(found)
    changes = {option: effect(found, where, option, by) for option in OPTIONS if option.startswith(options)}
    told = [f"{o.removeprefix(f'{options}: ')} {signed(e)}" for o, e in changes.items() if e.mean is not None]
    return ", ".join(told)


def effects(found: Mapping[Key, Sample], settings: Sequence[Setting], prefix: str = "") -> dict[str, str]:
    """The changes by every option in every measure over some settings, by names as ``epd_throughput``.

    Of throughput also those by Reno with each discard, and by Reno, NewReno and SACK with nothing or with EPD alone.
    """
    told = {
        f"{value.replace('-', '_')}_{measure.replace(' ', '_')}": effect(found, settings, option, by)
        for option, (_, value) in OPTIONS.items()
        for measure, (_, by) in MEASURES.items()
    }
    for queue in QUEUES:
        ways = [(lose, "reno", queue) for lose in LOSES]
        told[f"reno_{queue}"] = effect(found, settings, "recover: Reno", share, ways)
    for kind, name in list(KINDS.items())[1:]:
        for queue, alone in (("plain", "alone"), ("epd", "on_epd")):
            told[f"{kind}_{alone}"] = effect(found, settings, f"recover: {name}", share, [("off", kind, queue)])
    return {prefix + name: signed(change) for name, change in told.items()}


def other_threshold(results: Results, n: int, value: float) -> str:
    """The change by another threshold than 0.8 [% of the ceiling]."""
    samples = thresholds(results)[n]
    return signed(paired(samples[value], samples[0.8], share))


def _range(found: Mapping[Key, Sample], mine: Way, where: Iterable[Setting]) -> str:
    """The range of throughput over some settings."""
    shares = [found[(*at, mine)].estimate(share).mean or 0.0 for at in where]
    return f"{min(shares):.1f} to {max(shares):.1f} %" if shares else "-"


def _best_thresholds(results: Results) -> str:
    """The best threshold for each number of connections."""
    told = []
    for n, of in thresholds(results).items():
        highest = max(of, key=lambda value: of[value].estimate(share).mean or 0.0)
        known = f"{highest:g} for {n} connections ({shown(of[highest].estimate(share))} % of the ceiling"
        told.append(known + (")" if highest == 0.8 else f", {shown(of[0.8].estimate(share))} at 0.8)"))
    return ", ".join(told)


def note(results: Results) -> dict[str, Any]:
    """The numbers of the note on the figure."""
    found = index(results)
    where = lossy(found)
    policies = {name: effect(found, where, f"lose: {name}", share) for name in LOSES.values() if name != LOSES["off"]}
    known = sorted((change.mean, name) for name, change in policies.items() if change.mean is not None)
    worst, best = known[0][1], known[-1][1]
    idle, vain = (fmean(found[(*at, NOTHING)].estimate(by).mean or 0.0 for at in where) for by in (empty, dead))
    behind, before, *few = (
        shown(found[place, n, NOTHING].estimate(share)) for n in (10, 2) for place in ("between", "before")
    )
    return {
        **effects(found, where),
        **effects(found, [at for at in SETTINGS if at not in where], "calm_"),
        **effects(found, [("paper", 2)], "two_"),
        "lossy": len(where),
        "settings": len(SETTINGS),
        "tahoe_range": _range(found, NOTHING, where),
        "best_range": _range(found, BEST, where),
        "lose_best": f"{signed(policies[best])} at best ({best})",
        "lose_worst": f"{signed(policies[worst])} at worst ({worst})",
        "less": in_all(results, "lose", unused),
        "reno_timeouts": signed(effect(found, where, "recover: Reno", timeouts)),
        "thresholds": ", ".join(f"{value:g}" for value in thresholds(results)[2]),
        "best_thresholds": _best_thresholds(results),
        "behind": behind,
        "before": before,
        "idle": f"{idle:.1f}",
        "vain": f"{vain:.1f}",
        "few": " and ".join(dict.fromkeys(few)),
    }
