"""The measures of Lai, Lin & Hung 1999: what is kept of runs, what is read off them, and claims that need more."""

from __future__ import annotations

import csv
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import fmean, median
from typing import Any

from dupack.reproduce.compare import paired, ratio
from dupack.reproduce.declared import Declared
from dupack.reproduce.paper import Document, Finding, Measured, Measures, Read, Results
from dupack.reproduce.select import only
from dupack.reproduce.told import plain, shown, signed
from dupack.reproduce.verdicts import above, below, every

from . import acr, delay, fairness, open_question, runs
from .acr import BEFORE, HIGH, idle_over_used, median_held, pauses, unused_above
from .dips import SOON, dips, rate_of, share_of, woken
from .runs import FIRST, FREE, LOSS, MSS, SWITCH, By, ceiling, chosen, empty, flows, share, unused

MEASURES = measure = Measures()

RDF = "section-3-2"
"""The plan of the claim on RDF."""

# What is kept of a run


@dataclass
class Reactions:
    """When a transmission of each flow was lost, and when its sender cut the window [s]."""

    drops: dict[str, list[float]] = field(default_factory=dict)
    cuts: dict[str, list[float]] = field(default_factory=dict)
    retransmits: dict[str, list[float]] = field(default_factory=dict)
    """The cuts after duplicate acknowledgments; the others are after timeouts."""

    @property
    def fast(self) -> int:
        """Number of cuts after duplicate acknowledgments."""
        return sum(map(len, self.retransmits.values()))


def reactions(tape: str) -> Reactions:
    """Reads a tape."""
    kept = Reactions()
    for time, flow, event, *_ in csv.reader(tape.splitlines()[1:]):
        if event == "drop":
            kept.drops.setdefault(flow, []).append(float(time))
        elif event in ("fast_retransmit", "timeout"):
            kept.cuts.setdefault(flow, []).append(float(time))
            if event == "fast_retransmit":
                kept.retransmits.setdefault(flow, []).append(float(time))
    return kept


def courses(document: Document) -> Document:
    """Keeps the sampled series that are drawn or measured."""
    kept = ("time_s", "cwnd", "acr_bps", "backlog", "source_backlog")
    return document | {"series": {key: document["series"][key] for key in kept}}


def switch_alone(document: Document) -> Document:
    """Keeps flows and the switch, not the access lines; of the samples the share with an empty queue.

    The open question has thousands of runs, with up to a hundred access lines each.
    """
    kept = document | {"links": [link for link in document["links"] if link["name"] == SWITCH]}
    if kept.pop("series", None) is not None:
        kept[runs.EMPTY_SAMPLES] = runs.empty_queue(Measured(document))
    return kept


# What is read off a run


def settled(run: Measured) -> float:
    """When the last sample of the first second of SES 1 has no waiting cell, after its start [ms].

    If a reading chooses all sources, it is that of the source which is the last.
    """
    series, found = run.document["series"], [0.0]
    for flow in chosen(run, flows(run), "first"):
        start = flow["started_s"]
        samples = zip(series["time_s"], series["source_backlog"][flow["name"]], strict=True)
        times = [time for time, waiting in samples if start < time < start + 1 and waiting == 0]
        found += [1e3 * (max(times) - start)] if times else []
    return max(found)


def changes_of_acr(run: Measured) -> float:
    """Changes of ACR per change of the window, of SES 1."""
    names = [flow["name"] for flow in chosen(run, flows(run), "first")]
    rates, windows = (sum(runs.changes(run, key, name) for name in names) for key in ("acr_bps", "cwnd"))
    return rates / max(windows, 1)


def rm_per_packet(run: Measured) -> float:
    """Backward RM cells per packet delivered, of SES 1."""
    mine = chosen(run, flows(run), "first")
    return float(sum(flow["abr"]["backward_rm"] for flow in mine) / sum(flow["segments_delivered"] for flow in mine))


def of_sources(run: Measured, times: Mapping[str, list[float]]) -> dict[str, list[float]]:
    """Events of all sources, or of SES 1 alone [s]."""
    alone = run.option("sources", "all") == "first"
    return {flow: some for flow, some in times.items() if not alone or flow == FIRST}


def reactions_of(run: Measured) -> list[tuple[float, float]]:
    """Per window cut after warm-up, when the loss was and when the cut [s]."""
    found = []
    for flow, cuts in of_sources(run, run.tape.cuts).items():
        before = 0.0
        for cut in cuts:
            drops = [drop for drop in run.tape.drops.get(flow, []) if before < drop < cut]
            if cut >= run.document["warm_up_s"] and drops:
                found.append((drops[0], cut))
            before = cut
    return found


def reaction_time(run: Measured) -> float | None:
    """Median time from a loss to the window cut [ms]."""
    found = [cut - drop for drop, cut in reactions_of(run)]
    return 1e3 * median(found) if found else None


def fast(run: Measured) -> float | None:
    """Share of the window cuts that are after duplicate acknowledgments [%]."""
    cuts, fast = (sum(map(len, of_sources(run, of).values())) for of in (run.tape.cuts, run.tape.retransmits))
    return 100 * fast / cuts if cuts else None


def _not_congested(run: Measured, times: Sequence[float], queues: Sequence[float]) -> float | None:
    """Share of some times [s] at which the switch is not congested [%]; its queue then [cells].

    It is not congested while the queue is at most Q_L. A reading may choose DQT instead, or that no cell is lost within
    the next 10 ms.
    """
    by = run.option("relieved", "q-l")
    if by == "no-loss":
        drops = sorted(time for of in run.tape.drops.values() for time in of)
        calm = [bisect_left(drops, time) == bisect_left(drops, time + BEFORE) for time in times]
    else:
        limit = (runs.VERY_CONGESTED if by == "dqt" else runs.CONGESTED)[LOSS]
        calm = [queue <= limit for queue in queues]
    return 100 * sum(calm) / len(calm) if calm else None


def relieved(run: Measured) -> float | None:
    """Share of the window cuts at which the switch is not congested [%]."""
    cuts = [cut for _, cut in reactions_of(run)]
    return _not_congested(run, cuts, [runs.at(run, "backlog", SWITCH, cut) for cut in cuts])


def uncongested(run: Measured) -> float | None:
    """Share of the samples at which the switch is not congested [%]."""
    series = run.document["series"]
    return _not_congested(run, *(runs.warm(run, values) for values in (series["time_s"], series["backlog"][SWITCH])))


def _after_cuts(run: Measured, key: str, *, own: bool) -> float | None:
    """The mean of a series, of the flow or of the switch, 5 to 20 ms after cuts, over its mean at all times.

    A reading may compare with the value at the cut, and may choose the cuts after duplicate acknowledgments alone.
    """
    begins, ends = run.document["warm_up_s"], run.document["duration_s"] - 0.020
    before, fast = run.option("after", "mean") == "cut", run.option("cuts", "all") == "fast"
    values, usual = [], []
    for flow, cuts in of_sources(run, run.tape.retransmits if fast else run.tape.cuts).items():
        name = flow if own else SWITCH
        mean = fmean(runs.warm(run, run.document["series"][key][name]))
        for cut in cuts:
            if begins <= cut < ends and mean:
                values.append(fmean(runs.at(run, key, name, cut + 0.001 * ms) for ms in range(5, 20)))
                usual.append(runs.at(run, key, name, cut) if before else mean)
    return fmean(values) / fmean(usual) if any(usual) else None


def unused_share(run: Measured) -> float:
    """Share of ACR that is not used [%]."""
    mine = chosen(run, flows(run))
    allowed = sum(flow["abr"]["mean_acr_bps"] for flow in mine)
    return float(100 * sum(flow["abr"]["unused_acr_bps"] for flow in mine) / allowed)


def again(run: Measured) -> float:
    """Payload that had arrived before [% of the ceiling]: of segments sent and neither damaged nor delivered."""
    begins = run.document["warm_up_s"]
    damaged = sum(time >= begins for times in run.tape.drops.values() for time in times)
    useless = sum(flow["segments_sent"] - flow["segments_delivered"] for flow in flows(run)) - damaged
    return 100 * useless * MSS / run.measured_s / ceiling(run)


READS: dict[str, Read] = {
    "loss_rate": runs.loss_rate,
    "jain": runs.jain,
    "rate_based": runs.rate_based,
    "settled": settled,
    "changes_of_acr": changes_of_acr,
    "rm_per_packet": rm_per_packet,
    "reaction_time": reaction_time,
    "fast": fast,
    "queue_after_cuts": partial(_after_cuts, key="backlog", own=False),
    "acr_after_cuts": partial(_after_cuts, key="acr_bps", own=True),
}


def declared(claim: str, plan: str, read: str, holds: str, counts: Callable[[Measured], str]) -> None:
    """A claim that is measured as those of published.toml, with a note on what counts under the reading."""
    find = Declared(plan=plan, read=read, holds=holds).measure("", READS).find

    @measure(claim, plan)
    def _(results: Results) -> Finding:
        found = find(results)
        return replace(found, seen=" ".join(filter(None, (found.seen, counts(results[plan][0].runs[0])))))


def shared(run: Measured) -> str:
    """What the fairness index is of, in words."""
    return f"The index is that of their {'mean ACR' if run.option('fair', 'goodput') == 'acr' else 'goodput'}."


def compared_with(run: Measured) -> str:
    """What is compared with what after a window cut, in words."""
    before = "its value at the cut" if run.option("after", "mean") == "cut" else "its mean"
    return f"Over {before}; {'cuts after three duplicate acks' if run.option('cuts', 'all') == 'fast' else 'all cuts'}."


# §3


measure("ceiling", FREE)(lambda results: Finding(ceiling(results[FREE][0].runs[0]) / 1e7))


@measure("switch-2-idle", LOSS)
def _(results: Results) -> Finding:
    def behind(run: Measured) -> float:
        """The largest backlog behind switch 2 [cells]."""
        links = [link for link in run.document["links"] if link["name"].startswith("leaf-")]
        return float(max(link["max_backlog"] for link in links if "back" not in link["name"]))

    found = max(value or 0.0 for value in results[LOSS][0].values(behind))
    return Finding(found, agrees=found <= 2)


@measure("rdf", RDF)
def _(results: Results) -> Finding:
    usual, other = (only(results[RDF], rdf=rdf) for rdf in (1 / 16, 1 / 2))
    same = all(a.document["flows"] == b.document["flows"] for a, b in zip(other.runs, usual.runs, strict=True))
    mean = ratio(other, usual, share).mean
    return Finding(mean, agrees=same, seen="All results of all flows are the same." if same else "")


measure("free-no-loss", FREE)(lambda results: Finding(results[FREE][0].total(runs.lost)))


# §4.1


@measure("loss-alternates", LOSS)
def _(results: Results) -> Finding:
    window, rate = (results[LOSS][0].estimate(by) for by in (runs.window_based, runs.rate_based))
    verdict = every(above(found, 5.0).agrees for found in (window, rate))
    return Finding(window.mean, window.half, verdict, f"Rate-based: {plain(rate.mean)} %.")


@measure("relieved", LOSS)
def _(results: Results) -> Finding:
    sample = results[LOSS][0]
    usual, more = sample.estimate(uncongested), paired(sample, sample, relieved, uncongested)
    return above(
        sample.estimate(relieved), 20.0, seen=f"Of all samples: {shown(usual)} %, a difference of {signed(more)}."
    )


# §4.2.1


for claim, part, extreme, name in (("acr-low", 0.01, min, "lowest"), ("acr-high", 0.99, max, "highest")):

    @measure(claim, FREE)
    def _(results: Results, part: float = part, extreme: Any = extreme, name: str = name) -> Finding:
        end = results[FREE][0].estimate(partial(runs.end_of, part=part))
        seen = extreme(rate for run in results[FREE][0].runs for rate in runs.all_rates(run, "first"))
        return Finding(end.mean, end.half, seen=f"The {name} sample is {plain(seen, 2)}.")


@measure.remark([FREE], "acr-high")
def _(results: Results) -> str:
    found: list[tuple[float, float]] = []
    for run in results[FREE][0].runs:
        series = run.document["series"]
        both = runs.warm(run, list(zip(series["acr_bps"][FIRST], series["time_s"], strict=True)))
        found += [(runs.counted(run) * runs.megabytes(bps), time) for bps, time in both if bps is not None]
    high, when = max(found)
    later = plain(max((rate for rate, time in found if time >= 1), default=None), 2)
    return f"SES 1 has its highest sample, {high:.2f} MB/s, at {when:.2f} s; after the first second it is {later} MB/s."


declared("fair", FREE, "jain", "> 0.98", shared)
declared("fair-loss", LOSS, "jain", "> 0.98", shared)


Reduce = Callable[[list[float]], float]


def of_runs(results: Results, by: Reduce, value: Callable[[dict[str, Any]], float]) -> str:
    """The median over the runs with loss of something of their ten flows."""
    return plain(median(by([value(flow) for flow in flows(run)]) for run in results[LOSS][0].runs), 0)


def timeouts_of(results: Results, by: Reduce) -> str:
    """Timeouts of a connection, such as the fewest, in the median over the runs with loss."""
    return of_runs(results, by, lambda flow: float(flow["timeouts"]))


@measure.remark([LOSS], "fair-loss")
def _(results: Results) -> str:
    def lowest(value: Callable[[dict[str, Any]], float]) -> str:
        return of_runs(results, lambda values: 100 * min(values) / max(values), value)

    least_of, most_of = (timeouts_of(results, by) for by in (min, max))
    return (
        f"Of the ten connections, the lowest mean ACR is {lowest(lambda flow: flow['abr']['mean_acr_bps'])} % of the "
        f"highest, and the lowest throughput {lowest(lambda flow: flow['goodput_bps'])} % of the highest. A connection "
        f"has {least_of} to {most_of} timeouts. (These are medians of {len(results[LOSS][0].runs)} runs.) Without loss "
        "the ten are alike."
    )


@measure("acr-very-high", FREE, LOSS)
def _(results: Results) -> Finding:
    high, usual = (results[plan][0].estimate(delay.highest_acr).mean for plan in (LOSS, FREE))
    pcr = runs.counted(results[LOSS][0].runs[0]) * runs.LINE * runs.CELL / 1e6
    who = "SES 1" if results[LOSS][0].runs[0].option("sources", "all") == "first" else "any source"
    seen = f"Of {who}, {plain(high)} over {plain(usual)} MB/s; PCR is {pcr:.1f} MB/s."
    return above(delay.highest(results[LOSS][0], results[FREE][0]), 1.5, seen=seen)


def _pauses(results: Results, plan: str) -> str:
    """How often sources pause, how long, and how high ACR is then."""
    every_run = results[plan][0].runs
    found = [pause for run in every_run for pause in pauses(run)]
    if not found:
        return "no source pauses for 4 ms."
    often = len(found) / sum(run.measured_s * len(flows(run)) for run in every_run)
    long, peaks = 1e3 * fmean(pause.lasted for pause in found), [pause.peak for pause in found]
    return (
        f"a source pauses for 4 ms or more {plain(often)} times a second. A pause lasts {plain(long, 0)} ms in the "
        f"mean. Its highest ACR is {plain(median(peaks))} MB/s in the median, and at least "
        f"{plain(runs.percentile(peaks, 0.9))} MB/s in one of ten."
    )


@measure("acr-while-idle", FREE, LOSS)
def _(results: Results) -> Finding:
    sample = results[LOSS][0]
    idle, used = (sample.estimate(median_held(waits=waits)).mean for waits in (False, True))
    free = results[FREE][0].estimate(runs.window_based).mean
    seen = (
        f"{plain(idle)} over {plain(used)} MB/s. With loss {_pauses(results, LOSS)} Without loss no cell waits for "
        f"{plain(free, 2)} % of the time, and {_pauses(results, FREE)}"
    )
    return above(sample.estimate(idle_over_used), 1.5, seen=seen)


@measure("acr-high-idle", FREE, LOSS)
def _(results: Results) -> Finding:
    free, found = (results[plan][0].estimate(unused_above) for plan in (FREE, LOSS))
    always = results[LOSS][0].estimate(runs.window_based)
    seen = f"At all times it is {plain(always.mean)} %. Without loss it is {plain(free.mean)} %."
    return above(found, 50.0, seen=seen)


@measure("unused", FREE, LOSS)
def _(results: Results) -> Finding:
    loss, free = (plain(results[plan][0].estimate(unused_share).mean) for plan in (LOSS, FREE))
    seen = f"With loss {loss} %, without {free} %."
    return above(paired(results[LOSS][0], results[FREE][0], unused_share), seen=seen)


declared("shrinks", LOSS, "queue_after_cuts", "< 1", compared_with)
declared("acr-after-cut", LOSS, "acr_after_cuts", "> 1.5", compared_with)

in_use = partial(acr.allowed, used=True)


def more_before_losses(run: Measured, course: Callable[[Measured], acr.Course] = acr.allowed) -> float | None:
    """The mean of a course in the 10 ms before a loss, minus its mean at all times."""
    before, always = acr.before_losses(run, course(run)), acr.usual(run, course(run))
    return None if before is None or always is None else before - always


def swamps(run: Measured) -> float | None:
    """By how much ACR is higher before a loss than at all times [multiples of the line rate].

    It is that of all sources, or of those with waiting cells. A reading may choose the losses that follow when a source
    starts to send again: how much more often they do if its ACR is high than if it is not [% of these cases].
    """
    by = run.option("swamped", "all")
    if by == "restarts":
        high, low = (acr.followed(run, high=high) for high in (True, False))
        return None if high is None or low is None else high - low
    return more_before_losses(run, in_use if by == "waiting" else acr.allowed)


SWAMPS = {
    "all": "ACR of all sources in the 10 ms before a loss, minus its mean [multiples of the line rate].",
    "waiting": "ACR of the sources with waiting cells before a loss, minus its mean [multiples of the line rate].",
    "restarts": "How often a loss follows if a source starts again, with a high ACR minus with another [% of starts].",
}
"""What is measured, by what a reading chooses."""


@measure("swamped", LOSS)
def _(results: Results) -> Finding:
    sample = results[LOSS][0]

    def both(course: Callable[[Measured], acr.Course]) -> list[str]:
        """The mean before a loss and at all times."""
        before = sample.estimate(lambda run: acr.before_losses(run, course(run)))
        return [shown(before), shown(sample.estimate(lambda run: acr.usual(run, course(run))))]

    total, used, many, each = both(acr.allowed), both(in_use), both(acr.senders), both(acr.rate_of_senders)
    low, high = (shown(sample.estimate(partial(acr.followed, high=high))) for high in (False, True))
    change = signed(sample.estimate(partial(more_before_losses, course=in_use)))
    seen = (
        f"{SWAMPS[sample.runs[0].option('swamped', 'all')]} ACR of all sources: {total[0]} times the line rate before "
        f"a loss, {total[1]} at all times. For the sources with waiting cells: {used[0]} before a loss, {used[1]} at "
        f"all times (a difference of {change}). Number of such sources: {many[0]} before a loss, {many[1]} at all "
        f"times. Their ACR: {each[0]} MB/s before a loss, {each[1]} MB/s at all times. When a source "
        f"starts to send again after a pause, a loss follows within 10 ms in {high} % of the cases with an ACR above "
        f"{HIGH:.0f} MB/s, and in {low} % of the others."
    )
    return above(sample.estimate(swamps), seen=seen)


@measure("underflow", LOSS)
def _(results: Results) -> Finding:
    sample = results[LOSS][0]

    def told(*, long: bool) -> str:
        often, much = (shown(sample.estimate(partial(by, long=long))) for by in (rate_of, share_of))
        return f"{often} a second, {much} % of the time"

    found = [(run, dip) for run in sample.runs for dip in dips(run) if dip.long]
    seen = f"Dips of up to 8 ms: {told(long=False)}. Longer dips: {told(long=True)}."
    if found:
        silent, last = [dip.silent for _, dip in found], [1e3 * (dip.ends - dip.begins) for _, dip in found]
        seen += (
            f" There are {len(found)} longer dips, of {min(last):.0f} to {max(last):.0f} ms. In the middle of one, "
            f"{min(silent)} to {max(silent)} of {len(flows(sample.runs[0]))} sources (median "
            f"{plain(median(silent), 0)}) have no cell. {sum(woken(run, dip) for run, dip in found)} of these dips end "
            f"within {1e3 * SOON:.0f} ms after a timeout: nearly all sources wait for one at once. The slow start that "
            "the text blames can explain the short dips."
        )
    return above(sample.estimate(runs.underflow), 1.0, seen=seen)


@measure("no-underflow", FREE)
def _(results: Results) -> Finding:
    sample = results[FREE][0]
    long = shown(sample.estimate(partial(rate_of, long=True)))
    some = any(dips(run) for run in sample.runs)
    seen = f"{long} dips of more than 8 ms a second." if some else "No sample has an empty queue."
    return below(sample.estimate(runs.underflow), 1.0, seen=seen)


@measure("lower-throughput", FREE, LOSS)
def _(results: Results) -> Finding:
    loss, free = (plain(results[plan][0].estimate(share).mean) for plan in (LOSS, FREE))
    idle, waste, twice = (plain(results[LOSS][0].estimate(by).mean) for by in (empty, runs.dead, again))
    run = results[LOSS][0].runs[0]
    cells = run.option("throughput", "goodput") == "cells"
    most = "the cells that the line can carry" if cells else f"{ceiling(run) / 1e7:.3f}e7 bytes/s"
    seen = (
        f"With loss {loss} %, without {free} % of {most}. With loss the line is idle for {idle} % of the "
        f"time, {waste} % of the cells that it carries belong to damaged packets, and {twice} % of the ceiling goes to "
        "packets that arrive a second time."
    )
    return below(paired(results[LOSS][0], results[FREE][0], share), seen=seen)


# The open question


def underflows(run: Measured) -> str:
    """What counts as underflow in the open question, in words."""
    samples = run.option("underflow", "each") == "queue"
    return f"Underflow: {'samples (5 ms) with an empty queue' if samples else 'time in which the line is idle'}."


for claim, find, options, by in (
    ("lose-unused", open_question.use, "lose", unused),
    ("lose-empty", open_question.use, "lose", runs.idle),
    ("recovery-empty", open_question.recovery, "recover", runs.idle),
    ("recovery-unused", open_question.recovery, "recover", unused),
):

    @measure(claim, open_question.CLAIMS)
    def _(results: Results, find: Callable[[Results, By], Finding] = find, by: By = by) -> Finding:
        found = find(results, by)
        counts = underflows(results[open_question.CLAIMS][0].runs[0]) if by is runs.idle else ""
        return replace(found, seen=" ".join(filter(None, (counts, found.seen))))

    @measure.remark([open_question.PLAN, open_question.CLAIMS], claim)
    def _(results: Results, options: str = options, by: By = by) -> str:
        told = f"Mean over all settings in which cells are lost: {open_question.in_all(results, options, by)}."
        return f"{told} {open_question.waits(results)}" if options == "recover" else told


# The conclusions


def acr_without_loss(results: Results) -> dict[str, str]:
    """The range of ACR without loss, and the step by which it rises [MB/s]."""
    low, high = (shown(results[FREE][0].estimate(partial(runs.end_of, part=part))) for part in (0.01, 0.99))
    return {"low": low, "high": high, "step": f"{runs.LINE * runs.CELL / 16e6:.1f}"}


def acr_with_loss(results: Results) -> dict[str, str]:
    """ACR that is not used and that is used [MB/s], and the share of high ACR that is not used [%]."""
    idle, used = (shown(results[LOSS][0].estimate(median_held(waits=waits))) for waits in (False, True))
    nobodys = shown(results[LOSS][0].estimate(unused_above))
    return {"idle": idle, "used": used, "limit": f"{HIGH:.0f}", "nobodys": nobodys}


def short(results: Results) -> dict[str, str]:
    """The numbers of the conclusions."""
    loss = results[LOSS][0]
    reads: dict[str, By] = {
        "window_based": runs.window_based,
        "unused_share": unused_share,
        "empty_queue": runs.empty_queue,
        "long": partial(share_of, long=True),
        "share": share,
        "idle_line": empty,
        "dead": runs.dead,
        "jain": runs.jain,
        "jain_goodput": lambda run: float(run.document["summary"]["jain"]),
    }
    changes = {(n, value): open_question.other_threshold(results, n, value) for n in (2, 50) for value in (0.6, 0.9)}
    return {
        **acr_without_loss(results),
        **acr_with_loss(results),
        **{name: shown(loss.estimate(by)) for name, by in reads.items()},
        **open_question.effects(open_question.index(results), [open_question.TEN]),
        **{f"at_0{10 * value:.0f}_{n}": change for (n, value), change in changes.items()},
        **{kind: shown(fairness.sample_of(results, kind).estimate(fairness.distance)) for kind in fairness.MARKERS},
        "free_share": plain(results[FREE][0].estimate(share).mean),
        "of": f"{ceiling(results[FREE][0].runs[0]) / 1e7:.3f}",
        "ceiling": f"{runs.CEILING / 1e7:.3f}",
        "printed": f"{runs.PRINTED / 1e7:.3f}",
        "lost_between": delay.lost_between(results),
        "lost_thirds": shown(delay.split(results, LOSS, delay.THIRDS).estimate(runs.loss_rate)),
        "lost_each": shown(delay.split(results, LOSS, delay.EACH).estimate(runs.loss_rate)),
        "before": signed(loss.estimate(more_before_losses)),
    }
