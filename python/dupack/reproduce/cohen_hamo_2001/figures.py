"""The figures of Cohen & Hamo 2001."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Sequence
from typing import Any

from dupack.reproduce.cohen_hamo_2001.runs import (
    ACCESS,
    GAPS,
    KINDS,
    LOWER,
    SAMPLED,
    THRESHOLD,
    TICK,
    active,
    fairness,
    goodput,
    kind_of,
    levels,
    locked,
    loss_cases,
    only,
    over,
    pair,
    senders,
    throughput,
    timeouts,
    with_gap,
)
from dupack.reproduce.paper import PAPERS, Figure, Panel, Results, Sample, Series


def _curve(name: str, of: str, samples: Sequence[Sample], path: str, measure: Any, **how: Any) -> Series:
    ys = [sample.estimate(measure) for sample in samples]
    x = [sample.settings[path] for sample in samples]
    return Series(name, x, [y.mean for y in ys], [y.half for y in ys], of=of, **how)


def _level(name: str, of: str, sample: Sample, x: list[float], measure: Any, **how: Any) -> Series:
    y = sample.estimate(measure)
    return Series(name, [min(x), max(x)], [y.mean] * 2, [y.half] * 2, of=of, kind="flat", **how)


def _over_threshold(plan: str, measure: Any) -> Callable[[Results], list[Series]]:
    def series(results: Results) -> list[Series]:
        epd = _curve("EPD", "epd", over(results, plan, THRESHOLD), THRESHOLD, measure)
        x = [float(value) for value in epd.x]
        return [_level(KINDS[kind], kind, only(results, plan, kind), x, measure) for kind in ("plain", "ppd")] + [epd]

    return series


def _fig_12(results: Results) -> list[Series]:
    # From pale to nearly black.
    shades = [0.68 - 1.4 * i / (len(GAPS) - 1) for i in range(len(GAPS))]
    return [
        _curve(f"BPD, Gap {gap}", "bpd", with_gap(results, gap), LOWER, goodput, shade=shade)
        for gap, shade in zip(GAPS, shades, strict=True)
    ]


def rto_against_rtt(results: Results) -> list[Series]:
    flows = [flow for sample in results["fig-03"] for run in sample.runs for flow in run.document["flows"]]
    known = [(f["mean_rtt_s"], f["mean_rto_s"]) for f in flows if f["mean_rtt_s"] and f["mean_rto_s"]]
    rtt, rto = [r for r, _ in known], [t for _, t in known]
    low, high = math.log10(min(rtt)), math.log10(max(rtt))
    line = [10 ** (low + (high - low) * i / 50) for i in range(51)]
    nothing: list[float | None] = [None] * len(rtt)
    return [
        Series("a connection", [1e3 * r for r in rtt], list(rto), nothing, kind="points"),
        Series("RTO = RTT", [1e3 * r for r in line], list(line), [None] * 51, kind="reference"),
    ]


def _cwnd(plan: str, of: str, begin: float = 0.0, end: float = math.inf) -> Callable[[Results], list[Series]]:
    def series(results: Results) -> list[Series]:
        tape = results[plan][0].runs[0].tape
        curve = [at for at in tape.cwnd["bulk-0"] if begin <= at[0] <= end]
        x, y = [at[0] for at in curve], [at[1] for at in curve]
        series = [Series(f"cwnd, {KINDS[of]}", list(x), list(y), [None] * len(x), of=of, kind="steps")]
        for event, name in (("drop", "segment lost"), ("fast_retransmit", "fast retransmit"), ("timeout", "timeout")):
            mine = [at for at in tape.events["bulk-0"][event] if begin <= at[0] <= end]
            x, y = [at[0] for at in mine], [at[1] for at in mine]
            name = f"{name} ({len(mine)})"
            series.append(Series(name, list(x), list(y), [None] * len(x), of=event, kind="events"))
        return series

    return series


def _fig_18(results: Results) -> list[Series]:
    series = []
    names = {"threshold": "EPD-threshold or LT", "lower": "EPD-threshold or LT", "upper": "UT"}
    for kind in ("epd", "bpd"):
        sample = only(results, "fig-18", kind)
        samples = sample.runs[0].document["series"]
        x, y = samples["time_s"], samples["backlog"]["bottleneck"]
        name, panel = "cells in the buffer", KINDS[kind]
        series.append(Series(f"{name}, {panel}", x, y, [None] * len(x), of=kind, kind="steps", panel=panel))
        for key, level in levels(sample).items():
            how: dict[str, Any] = {"kind": "reference", "panel": panel, "of": "upper" if key == "upper" else ""}
            series.append(Series(names[key], [x[0], x[-1]], [level] * 2, [None] * 2, **how))
    return series


FATES = {
    "recovers": "fast retransmit recovers",
    "times out": "timeout inevitable",
    "depends": "depends on the third loss",
    "differs": "analysis and machine differ",
}


def _map(results: Results) -> list[Series]:
    series = []
    for losses, panel in ((2, "Two losses"), (3, "Three losses")):
        fates: dict[tuple[int, int], set[str]] = {}
        for window, lost, inevitable, timed_out in loss_cases(results, losses):
            fate = "differs" if inevitable != timed_out else "times out" if timed_out else "recovers"
            fates.setdefault((window, lost[1] - lost[0]), set()).add(fate)
        for fate, name in FATES.items():
            at = [place for place, found in fates.items() if _fate(found) == fate]
            if at:
                x, y = [float(window) for window, _ in at], [float(apart) for _, apart in at]
                nothing: list[float | None] = [None] * len(at)
                series.append(Series(name, list(x), list(y), nothing, of=fate, kind="cells", panel=panel))
    bound = [(w, 3 * w / 4 + 3) for w in range(12, SAMPLED + 1)]
    x, y = [float(w) for w, _ in bound], [d for _, d in bound]
    name = "n2 - n1 = 3W/4 + 3, eq. (3)"
    series.append(Series(name, list(x), list(y), [None] * len(x), kind="reference", panel="Three losses"))
    return series


def _fate(found: set[str]) -> str:
    """Of all cases at one place of the map."""
    if "differs" in found:
        return "differs"
    return "depends" if len(found) > 1 else next(iter(found))


PAIRS = (
    ("reno", 1, "Reno 1, with Reno"),
    ("reno", 2, "Reno 2, with Reno"),
    ("sack", 1, "SACK 1, with Reno"),
    ("sack", 2, "Reno 2, with SACK"),
)


def _fig_20(kinds: Sequence[str], plan: str = "fig-20") -> Callable[[Results], list[Series]]:
    def series(results: Results) -> list[Series]:
        x: list[float | str] = [name for _, _, name in PAIRS]
        made = []
        for panel, measure in (("Throughput", throughput), ("Timeouts", timeouts)):
            for kind in kinds:
                ys = [pair(results, kind, first, plan=plan).estimate(measure(number)) for first, number, _ in PAIRS]
                y, half = [e.mean for e in ys], [e.half for e in ys]
                made.append(Series(KINDS[kind], x, y, half, of=kind, panel=panel))
        return made

    return series


def _tick(results: Results) -> list[Series]:
    series = []
    for kind in ("ppd", "epd", "bpd"):
        samples = [sample for sample in results["extra-tick"] if kind_of(sample) == kind]
        ys = [sample.estimate(goodput) for sample in samples]
        x = [float(sample.settings[TICK].removesuffix(" ms")) for sample in samples]
        series.append(Series(KINDS[kind], x, [y.mean for y in ys], [y.half for y in ys], of=kind))
    return series + _best_of_paper([series[0].x[0], series[0].x[-1]])


def _best_of_paper(ends: Sequence[float | str], panel: str = "") -> list[Series]:
    text = (PAPERS / "cohen-hamo-2001" / "published.toml").read_text(encoding="utf-8")
    stated = {entry["id"]: entry["published"] for entry in tomllib.loads(text)["claim"]}
    return [
        Series(f"paper's best, {KINDS[of]}", list(ends), [stated[claim]] * 2, [None] * 2, of, 0, "reference", panel)
        for of, claim in (("bpd", "bpd-best-b"), ("epd", "epd-best-b-again"))
    ]


PANELS = {
    "Throughput": Panel("share of the connection's own link", (0, 1.05)),
    "Timeouts": Panel("timeouts in 10 s", (-2, 45)),
}
SENDERS = {False: "Reno of §2.2", True: "Reno of NS 1.4"}


def _sender(results: Results) -> list[Series]:
    series = []
    for careful, panel in SENDERS.items():
        for kind in ("ppd", "epd", "bpd"):
            for least, shade in (("200 ms", 0.55), ("300 ms", 0.0)):
                name = f"{KINDS[kind]}, least timeout {least}"
                how: dict[str, Any] = {"shade": shade, "panel": panel}
                mine = senders(results, kind, careful, least)
                if kind == "epd":
                    series.append(_curve(name, kind, mine, THRESHOLD, goodput, **how))
                else:
                    series.append(_level(name, kind, mine[0], [0.1, 0.9], goodput, **how))
        series += _best_of_paper([0.1, 0.9], panel)
    return series


def _lock(results: Results) -> list[Series]:
    rates = list(dict.fromkeys(sample.settings[ACCESS] for sample in results["extra-lock"]))
    series = []
    for panel, measure in (("Goodput", goodput), ("Fairness", fairness), ("Active", active)):
        for kind in ("plain", "ppd", "epd"):
            ys = [locked(results, rate, kind).estimate(measure) for rate in rates]
            y, half = [e.mean for e in ys], [e.half for e in ys]
            series.append(Series(KINDS[kind], list(rates), y, half, of=kind, panel=panel))
    return series


GOODPUT = "goodput [share of the most possible]"
ACTIVE = "active [share of time]"
THRESHOLD_AXIS = "EPD-threshold [share of the buffer]"
LT_AXIS = "LT [share of the buffer]"

FIGURES = [
    Figure(
        "losses",
        "When is a timeout inevitable?",
        "The analysis of fast retransmit: of a window of W segments some are lost. Two losses need a window of 10 "
        "(eq. 2), three need the first two to be 3W/4 + 3 apart (eq. 3), four always end in a timeout (eq. 4).",
        "window W [segments]",
        "distance n2 - n1 [segments]",
        ("section-2-2",),
        _map,
        limits=(0, 66),
        place="§2.2",
        ours="The equations as functions against the simulated Reno, for every set of up to four losses in every "
        "window up to 24 and samples of them beyond, up to 64: blank places there are places without a sample. "
        "They differ in two cases, the first and the last segment of "
        "a window of 8 or 9: the end of the first recovery then lets out one new segment that the text's count "
        "leaves out, it brings the third duplicate, and the machine needs no timeout.",
    ),
    Figure(
        "3",
        "RTO as a function of the actual RTT",
        "The average retransmission timeout of several hundred simulated connections over their round trips (§2.1): "
        "because of its coarse clock and cautious estimate, TCP often waits much longer than a round trip.",
        "mean round trip [ms]",
        "mean retransmission timeout [s]",
        ("fig-03",),
        rto_against_rtt,
        log="xy",
        ours="Of these connections the paper says only that there are several hundred. Every dot is one of ours; "
        "back-off is not in the timeout.",
    ),
    Figure(
        "6",
        "Plain ATM, PPD and EPD in topology A",
        "Goodput over the EPD-threshold with ten sources as fast as the shared link (§3). PPD is better than Plain "
        "ATM; EPD improves it slightly, up to a threshold near 70 %, beyond which it falls again.",
        THRESHOLD_AXIS,
        GOODPUT,
        ("fig-06-07",),
        _over_threshold("fig-06-07", goodput),
        limits=(0.7, 1.01),
    ),
    Figure(
        "7",
        "Proportion of the time the connections are active in topology A",
        "Time not spent waiting for a timeout (§3). PPD is more active than EPD, and yet EPD's goodput is higher: "
        "in this topology the two are hardly related.",
        THRESHOLD_AXIS,
        ACTIVE,
        ("fig-06-07",),
        _over_threshold("fig-06-07", active),
        limits=(0, 1.02),
    ),
    Figure(
        "8",
        "Plain ATM, PPD and EPD in topology B",
        "Goodput over the EPD-threshold with five sources of 30 Mb/s (§3). The curves are similar to those of "
        "topology A but much lower; EPD is again the best, with at most 0.75 (§3) or 0.741 (§5).",
        THRESHOLD_AXIS,
        GOODPUT,
        ("fig-08-09",),
        _over_threshold("fig-08-09", goodput),
        limits=(0, 1.02),
    ),
    Figure(
        "9",
        "Proportion of the time the connections are active in topology B",
        "With EPD the connections are idle for 49 % of the time (§3), or active for 49 % of it (§5): the paper says "
        "both.",
        THRESHOLD_AXIS,
        ACTIVE,
        ("fig-08-09",),
        _over_threshold("fig-08-09", active),
        limits=(0, 1.02),
    ),
    Figure(
        "12",
        "BPD in topology B",
        "Goodput over LT for six recovery periods (§5). It rises with LT; with a long Gap it falls again from a "
        "certain point, where the space above LT no longer holds the recovering packets. The best is 0.932.",
        LT_AXIS,
        GOODPUT,
        ("fig-12-13",),
        _fig_12,
        limits=(0.6, 1.01),
    ),
    Figure(
        "13",
        "Proportion of the time the connections are active in topology B with BPD (Gap = 25)",
        "With BPD the connections are active 92 % of the time (§5): most timeouts are gone.",
        LT_AXIS,
        ACTIVE,
        ("fig-12-13",),
        lambda results: [_curve("BPD, Gap 25", "bpd", with_gap(results, 25), LOWER, active)],
        limits=(0, 1.02),
    ),
    Figure(
        "14",
        "BPD in topology A",
        "Where timeouts hardly matter, BPD is very good, yet not significantly better than EPD (§5).",
        LT_AXIS,
        GOODPUT,
        ("fig-14", "fig-06-07"),
        lambda results: [
            _curve("BPD, Gap 25", "bpd", results["fig-14"], LOWER, goodput),
            _curve("EPD (Fig. 6)", "epd", over(results, "fig-06-07", THRESHOLD), THRESHOLD, goodput),
        ],
        limits=(0.7, 1.01),
    ),
    Figure(
        "15",
        "Congestion window with BPD over a long period of time",
        "LT = 40 %, UT = 90 %, Gap = 25 (§5). After the first slow start has overshot, the window is a regular saw; "
        "it never falls to one segment: no timeout.",
        "time [s]",
        "cwnd [segments]",
        ("fig-15-16",),
        _cwnd("fig-15-16", "bpd"),
        limits=(0, None),
        ours="The first connection of seed 1, with the inflation of fast recovery.",
    ),
    Figure(
        "16",
        "Congestion window with BPD over a short period of time",
        "The same in higher resolution: one segment is lost every 25 to 26 segments, which is the Gap (§5).",
        "time [s]",
        "cwnd [segments]",
        ("fig-15-16",),
        _cwnd("fig-15-16", "bpd", 5.0, 5.5),
        limits=(0, None),
        ours="The same connection.",
    ),
    Figure(
        "17",
        "Congestion window with EPD",
        "EPD-threshold = 90 % (§5). The window reaches higher peaks than with BPD, but falls to one segment 18 "
        "times in 10 s: 18 timeouts. Its mean is far below BPD's.",
        "time [s]",
        "cwnd [segments]",
        ("fig-17",),
        _cwnd("fig-17", "epd"),
        limits=(0, None),
        ours="The first connection of seed 1, with the inflation of fast recovery.",
    ),
    Figure(
        "18",
        "Occupied buffer space of EPD and BPD",
        "Thresholds of 50 % (§5). EPD keeps the buffer below its threshold with only minor breaks; BPD uses the "
        "space above it more often and more intensively, for the packets of recovering connections.",
        "time [s]",
        "cells in the buffer",
        ("fig-18",),
        _fig_18,
        limits=(0, 1260),
        ours="Seed 1, sampled every 5 ms, which shows less than every cell would: peaks between samples are missing.",
    ),
    Figure(
        "20a",
        "Reno and SACK sharing a switch without BPD",
        "Two connections on the network of Fig. 21 (§6.2). Two Renos share evenly but suffer from many timeouts; "
        "SACK leaves Reno behind.",
        "",
        "",
        ("fig-20",),
        _fig_20(("plain", "ppd", "epd")),
        panels=PANELS,
        ours="What is left on when BPD is off is not said: Plain ATM, PPD and EPD are three readings of it, and all "
        "three are shown. The rows below are measured with PPD, the reading under which the published table is "
        "approached; the overall throughput of two Renos has a row for each.",
    ),
    Figure(
        "20b",
        "Reno and SACK sharing a switch with BPD",
        "LT = 0.4, UT = 0.9, Gap = 20 (§6.2). All timeouts are gone, both connections get nearly the same, and the "
        "link is used to almost 100 %.",
        "",
        "",
        ("fig-20",),
        _fig_20(("bpd",)),
        panels=PANELS,
    ),
    Figure(
        "sender",
        "Which Reno? Topology B",
        "Not in the paper, which analyses one Reno (§2.2: one window can trigger several fast retransmits) and "
        "simulates another: that of NS 1.4, which does not fast retransmit twice for one window (its bug-fix is on "
        "by default), and whose timeout never falls below three ticks of 100 ms.",
        THRESHOLD_AXIS,
        GOODPUT,
        ("extra-sender",),
        _sender,
        limits=(0, 1.02),
        place="Extra, the sender",
        ours="Left the sender that all other figures here use, right that of NS 1.4. BPD with LT 0.4, UT 0.9 and "
        "Gap 25.",
    ),
    Figure(
        "pair",
        "Reno of NS 1.4 and SACK sharing a switch",
        "Not in the paper: Fig. 20 with the Reno that brings EPD near the published numbers in topology B.",
        "",
        "",
        ("extra-pair",),
        _fig_20(("ppd", "bpd"), "extra-pair"),
        panels=PANELS,
        place="Extra, the pair",
        ours="With this sender BPD no longer removes the timeouts of two Renos, as Fig. 20 (b) says; beside SACK it "
        "does.",
    ),
    Figure(
        "lock",
        "One connection locks the others out, topology A",
        "Not in the paper: access links exactly as fast as the bottleneck, as in topology A, and a little faster.",
        "rate of the access links",
        "",
        ("extra-lock",),
        _lock,
        panels={
            "Goodput": Panel("share of the most possible", (0, 1.05)),
            "Fairness": Panel("Jain's index [share]", (-0.3, 1.3)),
            "Active": Panel("share of time", (0, 1.05)),
        },
        place="Extra, the lock",
        ours="At equal rates, and with nothing random, a place that falls free in a full buffer always falls to the "
        "same connection; it fills the link under any discipline, and fairness depends on the seed. EPD ends the lock "
        "by refusing whole packets before the buffer is full.",
    ),
    Figure(
        "tick",
        "Granularity of the retransmission clock in topology B",
        "Not in the paper, which calls 500 ms typical (§2.1) and does not say what its own senders had. The least "
        "timeout is two ticks.",
        "clock tick [ms]",
        GOODPUT,
        ("extra-tick",),
        _tick,
        limits=(0, 1.02),
        log="x",
        place="Extra, the clock",
        ours="The finer the clock, the less a timeout costs and the less there is for BPD to save. EPD at threshold "
        "0.7, BPD with LT 0.4, UT 0.9 and Gap 25.",
    ),
]
