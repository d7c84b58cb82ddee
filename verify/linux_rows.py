"""Rows of the comparison with Linux in a process: the numbers of both sides, and their verdict."""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, median
from typing import Any

from dupack.work import Run, run_jobs
from verify import uml
from verify.frame import Row
from verify.linux_cases import Case, Variant
from verify.smoothed import smoothed

SEEDS = range(1, 13)
"""Of the simulated runs."""
FEW = range(1, 9)
"""Of those that try a reason."""


@dataclass(frozen=True)
class Band:
    """What a number may differ by."""

    share: float
    """Of the other side's."""
    least: float = 0.0
    """That much is always allowed."""

    def holds(self, ours: float, theirs: float) -> bool:
        """Whether the two agree."""
        return abs(ours - theirs) <= max(self.share * abs(theirs), self.least)


FORMS = {
    "goodput": ("{:.2f} Mb/s", 1e-6),
    "srtt": ("srtt {:.1f} ms", 1e3),
    "p95": ("p95 {:.1f} ms", 1e3),
    "queueing": ("delay {:.1f} ms", 1e3),
    "queueing p95": ("p95 {:.1f} ms", 1e3),
    "drops": ("{:.0f} drops", 1.0),
    "marks": ("{:.0f} marks", 1.0),
    "retransmitted": ("{:.0f} sent again", 1.0),
    "timeouts": ("{:.0f} timeouts", 1.0),
    "share": ("share {:.2f}", 1.0),
    "Jain": ("Jain {:.3f}", 1.0),
}
"""How each number is written, and its scale."""


def simulated(case: Case, variant: Variant | None = None, seeds: Sequence[int] = SEEDS) -> list[dict[str, float]]:
    """The numbers of the simulator's runs."""
    found: list[dict[str, float]] = []
    # Run by run, because tapes are large; medians do not depend on the order.
    run_jobs(case.jobs(seeds, variant), tape=True, done=lambda _, run: found.append(of_run(case, run)))
    return found


def of_run(case: Case, run: Run) -> dict[str, float]:
    """The numbers of a simulated run, with its tape."""
    document = run.document
    srtts = smoothed(run.tape or "", case.warm_up, case.duration)
    line = next(link for link in document["links"] if link["name"] == "bottleneck")["measured"]
    flows = sorted(document["flows"], key=lambda flow: int(flow["name"].split("-")[1]))
    tcp = [flow for flow in flows if "rtt_s" in flow]
    return _numbers(
        case,
        goodputs=[flow["goodput_bps"] for flow in flows],
        srtts=[quantile(srtts[flow["name"]], 0.5) for flow in tcp],
        p95s=[quantile(srtts[flow["name"]], 0.95) for flow in tcp],
        drops=sum(line["dropped"].values()),
        marks=line["marked"],
        retransmitted=sum(flow["segments_retransmitted"] for flow in tcp),
        timeouts=sum(flow["timeouts"] for flow in tcp),
    )


def of_linux(case: Case, found: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a run of Linux in a process."""
    tcp = [flow for flow in found["flows"] if "srtt_us" in flow]
    first, last = found["qdisc_at_warm_up"], found["qdisc"]
    return _numbers(
        case,
        goodputs=[flow["goodput_bps"] for flow in found["flows"] if "goodput_bps" in flow],
        srtts=[flow["srtt_us"]["p50"] * 1e-6 for flow in tcp],
        p95s=[flow["srtt_us"]["p95"] * 1e-6 for flow in tcp],
        drops=last["drops"] - first["drops"],
        marks=marks(last) - marks(first),
        retransmitted=sum(flow["info"]["retransmitted"] - flow["info_at_warm_up"]["retransmitted"] for flow in tcp),
        timeouts=sum(flow["netstat"]["TCPTimeouts"] - flow["netstat_at_warm_up"]["TCPTimeouts"] for flow in tcp),
    )


def quantile(values: Sequence[float], share: float) -> float:
    """A quantile, as `verify/guest` takes it."""
    return sorted(values)[int(len(values) * share)]


def marks(qdisc: Mapping[str, Any]) -> int:
    """Packets that a qdisc has marked, as `tc -s` tells of each kind in its own way."""
    tins = qdisc.get("tins", ())
    return int(qdisc.get("ecn_mark", qdisc.get("marked", 0))) + sum(int(tin["ecn_mark"]) for tin in tins)


def _numbers(
    case: Case,
    *,
    goodputs: Sequence[float],
    srtts: Sequence[float],
    p95s: Sequence[float],
    drops: float,
    marks: float,
    retransmitted: float,
    timeouts: float,
) -> dict[str, float]:
    base = fmean(flow.rtt for flow in case.flows if flow.control != "udp") * 1e-3
    found = {
        "goodput": sum(goodputs),
        "srtt": fmean(srtts),
        "p95": fmean(p95s),
        "queueing": fmean(srtts) - base,
        "queueing p95": fmean(p95s) - base,
        "drops": drops,
        "marks": marks,
        "retransmitted": retransmitted,
        "timeouts": timeouts,
    }
    if len(set(case.flows)) > 1:
        found["share"] = goodputs[0] / max(1.0, sum(goodputs))
    elif len(case.flows) > 1:
        squares = sum(it * it for it in goodputs)
        found["Jain"] = sum(goodputs) ** 2 / (len(goodputs) * squares) if squares else 1.0
    return found


def medians(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The median of each number over the runs."""
    return {name: median(run[name] for run in runs) for name in runs[0]}


def barely(ours: Mapping[str, float], theirs: Mapping[str, float], bands: Mapping[str, Band]) -> list[str]:
    """The numbers that are within their bands only because of the amount that is always allowed."""
    shares = {name: Band(band.share) for name, band in bands.items()}
    return [name for name in outside(ours, theirs, shares) if name not in outside(ours, theirs, bands)]


def outside(ours: Mapping[str, float], theirs: Mapping[str, float], bands: Mapping[str, Band]) -> list[str]:
    """The numbers that are outside their bands."""
    return [name for name, band in bands.items() if name in theirs and not band.holds(ours[name], theirs[name])]


def told(numbers: Mapping[str, float], names: Sequence[str]) -> str:
    """Numbers as a cell of the table."""
    return ", ".join(FORMS[name][0].format(numbers[name] * FORMS[name][1]) for name in names if name in numbers)


def difference(name: str, ours: Sequence[Mapping[str, float]], theirs: Sequence[Mapping[str, float]]) -> str:
    """What is said of a number outside its band, with the ranges of the runs."""
    mine, its = ([run[name] for run in runs] for runs in (ours, theirs))
    by = f"{(median(mine) / median(its) - 1) * 100:+.0f} %" if median(its) else "none there"
    form, scale = FORMS[name]
    (low, high), (least, most) = (
        (form.format(min(values) * scale), form.format(max(values) * scale)) for values in (mine, its)
    )
    return f"{name} {by} (simulated {low} to {high}, Linux {least} to {most})"


SHUFFLES = 9999
CHANCE = 0.05
ENOUGH = 2
"""Runs of Linux from which on the test can tell: of one and twelve, p is at least 1 / 13."""
HELD_UP = "linux.uml was held up"


def chance(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The p-value of Mann and Whitney's test: how often random groups of all runs differ in rank by as much."""
    every = sorted([*ours, *theirs])
    ranks = [bisect_left(every, it) + bisect_right(every, it) for it in (*ours, *theirs)]
    # The sum of one group's ranks tells that of the other.
    middle = len(ours) * fmean(ranks)
    apart = abs(sum(ranks[: len(ours)]) - middle)
    draw = random.Random(1)
    count = 0
    for _ in range(SHUFFLES):
        draw.shuffle(ranks)
        count += abs(sum(ranks[: len(ours)]) - middle) >= apart
    return (count + 1) / (SHUFFLES + 1)


@dataclass(frozen=True)
class Change:
    """A known difference, and what takes it out of a simulated plan."""

    number: int
    """Of its reason, on the page."""
    variant: Callable[[Case, Sequence[Mapping[str, Any]]], Variant | None]
    """The plan of a case without the difference, by the runs of Linux; None if it does not concern the case."""


@dataclass(frozen=True)
class Comparison:
    """What is compared, and how."""

    bands: Callable[[Case], Mapping[str, Band]]
    names: Sequence[str]
    """Of the numbers in a row."""
    word: str
    """The column of the bands."""
    changes: Sequence[Change]

    def row(self, case: Case, found: Sequence[Mapping[str, Any]]) -> Row:
        """The row of a case.

        It departs if without known differences all numbers are within their bands. Nothing can be said if the runs of
        both sides may be of one kind (Mann and Whitney).
        """
        bands = self.bands(case)
        theirs = [of_linux(case, one) for one in found]
        ours = simulated(case)
        mine, its = medians(ours), medians(theirs)
        wrong = outside(mine, its, bands)
        notes = [difference(name, ours, theirs) for name in wrong]
        if not wrong and (small := barely(mine, its, bands)):
            notes.append(f"within by the amount that is always allowed: {', '.join(small)}")
        explained = False
        agrees: bool | None = not wrong
        if wrong:
            explained, note = self._reasons(case, found, its)
            values = [[[run[name] for run in runs] for runs in (ours, theirs)] for name in wrong]
            by_chance = min(chance(*both) for both in values)
            notes.append(note)
            if not explained and len(found) >= ENOUGH and by_chance >= CHANCE:
                agrees = None
                notes[-1] = notes[-1].removeprefix("open: ")
                notes.append(f"may be chance (p = {by_chance:.2f})")
        if not all(map(uml.trusted, found)):
            agrees, explained = None, False
            notes.append(HELD_UP)
        cells = (told(mine, self.names), told(its, self.names), self.word)
        return Row(case.name, *cells, agrees, "; ".join(notes), departs=explained)

    def _reasons(self, case: Case, found: Sequence[Mapping[str, Any]], its: Mapping[str, float]) -> tuple[bool, str]:
        """The fewest known differences without which all is within, or what is left without all of them."""
        able = [(change.number, variant) for change in self.changes if (variant := change.variant(case, found))]
        said = "open: no known difference concerns it"
        for count in range(1, len(able) + 1):
            for chosen in combinations(able, count):
                variant = sum((own for _, own in chosen), Variant())
                other = medians(simulated(case, variant, FEW))
                left = outside(other, its, self.bands(case))
                numbers = " and ".join(str(number) for number, _ in chosen)
                said = f"without reason{'s' if count > 1 else ''} {numbers}: {told(other, self.names)}"
                if not left:
                    return True, f"{said}; all within"
                said = f"open: {said}; outside {'is' if len(left) == 1 else 'are'} {', '.join(left)}"
        return False, said


def results(cases: Sequence[Case], repetitions: int) -> list[list[dict[str, Any]]]:
    """The runs of Linux, per case; those that are missing are made, repetition by repetition."""
    store = uml.Store()
    rounds = [uml.made([case.asked(n) for case in cases], store) for n in range(1, repetitions + 1)]
    return [list(runs) for runs in zip(*rounds, strict=True)]


def latest(found: Sequence[Sequence[Mapping[str, Any]]]) -> float:
    """The longest time by which a run was late [ms]."""
    return max(float(run["stall_ms"]) for runs in found for run in runs)
