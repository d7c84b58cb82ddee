"""The figures of Cohen & Hamo 2001 whose curves need Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from dupack.reproduce.paper import Figures, Results, Series
from dupack.reproduce.reads import read
from dupack.reproduce.select import only, setting, where

from . import regimes
from .measures import GAPS, READS, SAMPLED, goodput, loss_cases, rtt_rto

FIGURES = figure = Figures()

KINDS = {"plain": "Plain ATM", "ppd": "PPD", "epd": "EPD", "bpd": "BPD"}


FATES = {
    "recovers": "fast retransmit recovers",
    "times out": "timeout inevitable",
    "depends": "depends on the third loss",
    "differs": "analysis and machine differ",
}


@figure("losses")
def _(results: Results) -> list[Series]:
    series = []
    for losses, panel in ((2, "Two losses"), (3, "Three losses")):
        fates: dict[tuple[int, int], set[str]] = {}
        for window, lost, inevitable, timed_out in loss_cases(results, losses):
            fate = "differs" if inevitable != timed_out else "times out" if timed_out else "recovers"
            fates.setdefault((window, lost[1] - lost[0]), set()).add(fate)
        for fate, name in FATES.items():
            at = [place for place, found in fates.items() if _fate(found) == fate]
            if at:
                series.append(Series.exact(name, *map(list, zip(*at, strict=True)), of=fate, kind="cells", panel=panel))
    windows = range(12, SAMPLED + 1)
    bound = [3 * window / 4 + 3 for window in windows]
    return [
        *series,
        Series.exact("n2 - n1 = 3W/4 + 3, eq. (3)", windows, bound, kind="reference", panel="Three losses"),
    ]


def _fate(found: set[str]) -> str:
    """The fate to show for all cases at one place of the map."""
    if "differs" in found:
        return "differs"
    return "depends" if len(found) > 1 else next(iter(found))


@figure("3")
def _(results: Results) -> list[Series]:
    rtt, rto = zip(*rtt_rto(run for sample in results["fig-03"] for run in sample.runs), strict=True)
    low, high = math.log10(min(rtt)), math.log10(max(rtt))
    equal = [10 ** (low + (high - low) * i / 50) for i in range(51)]
    return [
        Series.exact("a connection", [1e3 * r for r in rtt], rto, kind="points"),
        Series.exact("RTO = RTT", [1e3 * r for r in equal], equal, kind="reference"),
    ]


@figure("12")
def _(results: Results) -> list[Series]:
    # The shades run from pale (short Gaps) to nearly black (long ones).
    shades = [0.68 - 1.4 * i / (len(GAPS) - 1) for i in range(len(GAPS))]
    made = []
    for gap, shade in zip(GAPS, shades, strict=True):
        samples = where(results["fig-12-13"], gap=f"{gap} packets")
        x, ys = [setting(sample, "lower") for sample in samples], [sample.estimate(goodput) for sample in samples]
        made.append(Series.estimated(f"BPD, Gap {gap}", x, ys, of="bpd", shade=shade))
    return made


def cwnd(plan: str, of: str, begin: float = 0.0, end: float = math.inf) -> Callable[[Results], list[Series]]:
    """The congestion window of the first connection of seed 1, with its losses, fast retransmits and timeouts."""

    def series(results: Results) -> list[Series]:
        def part(of: Sequence[tuple[float, float]]) -> list[list[float]]:
            inside = [at for at in of if begin <= at[0] <= end]
            return [[at[0] for at in inside], [at[1] for at in inside]]

        tape = results[plan][0].runs[0].tape
        made = [Series.exact(f"cwnd, {KINDS[of]}", *part(tape.cwnd["bulk-0"]), of=of, kind="steps")]
        for event, name in (("drop", "segment lost"), ("fast_retransmit", "fast retransmit"), ("timeout", "timeout")):
            mine = part(tape.events["bulk-0"][event])
            made.append(Series.exact(f"{name} ({len(mine[0])})", *mine, of=event, kind="events"))
        return made

    return series


figure("15")(cwnd("fig-15-16", "bpd"))
figure("16")(cwnd("fig-15-16", "bpd", 5.0, 5.5))
figure("17")(cwnd("fig-17", "epd"))


@figure("18")
def _(results: Results) -> list[Series]:
    series = []
    names = {"threshold": "EPD-threshold or LT", "lower": "EPD-threshold or LT", "upper": "UT"}
    for kind in ("epd", "bpd"):
        sample = only(results["fig-18"], kind=kind)
        samples, panel = sample.runs[0].document["series"], KINDS[kind]
        x, y = samples["time_s"], samples["backlog"]["bottleneck"]
        series.append(Series.exact(f"cells in the buffer, {panel}", x, y, of=kind, kind="steps", panel=panel))
        for key, name in names.items():
            if share := setting(sample, f"queue.{key}"):
                how: dict[str, Any] = {"kind": "reference", "panel": panel, "of": "upper" if key == "upper" else ""}
                series.append(Series.exact(name, [x[0], x[-1]], [1200 * share] * 2, **how))
    return series


SHARED = (("reno", "two Renos"), ("sack", "SACK and Reno"))
PAIRS = (
    ("reno", 1, "Reno 1, with Reno"),
    ("reno", 2, "Reno 2, with Reno"),
    ("sack", 1, "SACK 1, with Reno"),
    ("sack", 2, "Reno 2, with SACK"),
)


def pairs(plan: str, *kinds: str) -> Callable[[Results], list[Series]]:
    """What Fig. 20 has of the two connections of Fig. 21, for each pair of senders and each discipline."""

    def series(results: Results) -> list[Series]:
        made = []
        for panel, measure in (("Throughput", "throughput_{}"), ("Timeouts", "flow.{}.timeouts")):
            for kind in kinds:
                ys = []
                for first, number, _ in PAIRS:
                    by = read(measure.format(number), READS)
                    ys.append(only(results[plan], _senders(first, kind)).estimate(by))
                x = [name for _, _, name in PAIRS]
                made.append(Series.estimated(KINDS[kind], x, ys, of=kind, panel=panel))
        for panel, name in (("Both together", "overall"), ("Fairness", "fairness")):
            for kind in kinds:
                rows = {words: only(results[plan], _senders(first, kind)) for first, words in SHARED}
                ys = [row.estimate(READS[name]) for row in rows.values()]
                made.append(Series.estimated(KINDS[kind], list(rows), ys, of=kind, panel=panel))
        return made

    return series


def _senders(first: str, kind: str) -> dict[str, Any]:
    """The settings of the runs with this sender beside a Reno."""
    return {"connection-1.transport.kind": first, "connection-2.transport.kind": False, "queue.kind": kind}


figure("20a")(pairs("fig-20", "plain", "ppd", "epd"))
figure("20b")(pairs("fig-20", "bpd"))
figure("pair")(pairs("extra-pair", "ppd", "bpd"))


@figure("regimes")
def _(results: Results) -> list[Series]:
    made = []
    for regime, run in regimes.examples(results):
        how: dict[str, Any] = {"panel": f"A run {regime}"}
        for flow, of in zip(regimes.FLOWS, ("bpd", "epd"), strict=True):
            made.append(Series.exact(flow, *_columns(run.tape.cwnd[flow]), of=of, kind="steps", **how))
        losses = [loss for flow in regimes.FLOWS for loss in run.tape.losses[flow]]
        lost = [(time, window) for time, _, window in losses if regimes.SHOWN[0] <= time <= regimes.SHOWN[1]]
        made.append(Series.exact("segment lost", *_columns(lost), of="drop", kind="events", **how))
        out = [time for flow in regimes.FLOWS for time in run.tape.timeouts[flow]]
        out = [time for time in out if regimes.SHOWN[0] <= time <= regimes.SHOWN[1]]
        made.append(Series.exact("timeout", out, [1.0] * len(out), of="timeout", kind="events", **how))
    return made


def _columns(pairs: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in pairs], [y for _, y in pairs]


figure.note("regimes")(regimes.note)
figure.table("regimes")(regimes.cycle)
figure.table("regimes")(regimes.changes)


@figure("third")
def _(results: Results) -> list[Series]:
    made = []
    for delay, of in zip(regimes.DELAYS, ("epd", "bpd", "ppd"), strict=True):
        samples = where(results[regimes.THIRD], delay=f"{delay} ms", gap=True)
        x, y = [regimes.gap(one) for one in samples], [one.estimate(regimes.timeouts_in_10_s) for one in samples]
        made.append(Series.estimated(f"links of {delay} ms", x, y, of=of))
    return made


figure.note("third")(regimes.third_note)
figure.table("third")(regimes.thresholds)
