"""The experiments of Cohen & Hamo 2001, and how their results are read."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dupack._native import Plan, check_losses
from dupack.reproduce.paper import Experiment, Measured, Results, Sample

KINDS = {"plain": "Plain ATM", "ppd": "PPD", "epd": "EPD", "bpd": "BPD"}
GAPS = (5, 10, 15, 20, 25, 35)


# What is kept of a tape


EVENTS = ("drop", "fast_retransmit", "timeout")


@dataclass
class Windows:
    """Of every connection, what Figs. 15 to 17 show."""

    cwnd: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    """Time [s] and congestion window [segments], where it has changed by half a segment."""
    mean: dict[str, float] = field(default_factory=dict)
    """Over time [segments]."""
    losses: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    """Time [s] and number of every lost segment."""
    events: dict[str, dict[str, list[tuple[float, float]]]] = field(default_factory=dict)
    """Time [s] and congestion window [segments] of every loss, fast retransmit and timeout."""


def windows(tape: str) -> Windows:
    """Reads a tape."""
    kept = Windows()
    latest: dict[str, tuple[float, float]] = {}
    area: dict[str, float] = {}
    end = 0.0
    for time, flow, event, segment, cwnd, _ in csv.reader(tape.splitlines()[1:]):
        if event in EVENTS:
            mine = kept.events.setdefault(flow, {name: [] for name in EVENTS})
            mine[event].append((float(time), float(cwnd)))
        if event == "drop":
            kept.losses.setdefault(flow, []).append((float(time), int(segment)))
        if event not in ("cwnd", "timeout", "send"):
            continue
        now, window = end, _ = float(time), float(cwnd)
        before = latest.get(flow)
        if before is not None:
            area[flow] = area.get(flow, 0.0) + before[1] * (now - before[0])
        latest[flow] = (now, window)
        curve = kept.cwnd.setdefault(flow, [])
        if not curve or abs(curve[-1][1] - window) >= 0.5:
            if before is not None and curve and curve[-1] != before:
                curve.append(before)
            curve.append((now, window))
    for flow, (now, window) in latest.items():
        start = kept.cwnd[flow][0][0]
        kept.cwnd[flow].append((end, window))
        kept.mean[flow] = (area.get(flow, 0.0) + window * (end - now)) / max(end - start, 1e-9)
    return kept


# The experiments

EXHAUSTIVE, SAMPLED = 24, 64
"""Windows up to which every set of losses is tried, and samples of them [segments]."""


def _losses(plan: Plan, threads: int) -> dict[str, Any]:
    """Every set of up to four losses from one window: the analysis of §2.2 and the machine."""
    cases = check_losses(plan, 4, EXHAUSTIVE, SAMPLED, 500, threads)
    return {"columns": ["window", "lost", "inevitable", "timed_out"], "cases": cases}


SHORT = ("duration=10 s",)


def _coarse(path: str, kept: Sequence[float]) -> Callable[[dict[str, Any]], bool]:
    return lambda settings: path not in settings or settings[path] in kept


THRESHOLD = "link.bottleneck.queue.threshold"
LOWER = "link.bottleneck.queue.lower"
GAP = "link.bottleneck.queue.gap"
QUEUE = "link.bottleneck.queue"
FIRST = "flow.connection-1.transport.kind"
SECOND = "flow.connection-2.transport.kind"
TICK = "flow.bulk.transport.tick"
ACCESS = "link.access.rate"
CAREFUL = "flow.bulk.transport.careful"
LEAST = "flow.bulk.transport.min_rto"

EXPERIMENTS = [
    Experiment("fig-03", quick=("duration=20 s",), quick_seeds=1),
    Experiment("fig-06-07", quick=SHORT, quick_keep=_coarse(THRESHOLD, (0.1, 0.3, 0.5, 0.7, 0.9, 1.0))),
    Experiment("fig-08-09", quick=SHORT, quick_keep=_coarse(THRESHOLD, (0.1, 0.3, 0.5, 0.7, 0.9, 1.0))),
    Experiment("fig-12-13", quick=SHORT, quick_keep=_coarse(LOWER, (0.1, 0.3, 0.5, 0.7, 0.9))),
    Experiment("fig-14", quick=SHORT, quick_keep=_coarse(LOWER, (0.1, 0.3, 0.5, 0.7, 0.9))),
    Experiment("fig-15-16", tape=windows, quick_seeds=3),
    Experiment("fig-17", tape=windows, quick_seeds=3),
    Experiment("fig-18"),
    Experiment("fig-20", quick_seeds=5),
    Experiment("extra-tick", quick=SHORT),
    Experiment("extra-sender", quick=SHORT, quick_keep=_coarse(THRESHOLD, (0.1, 0.4, 0.7, 0.9))),
    Experiment("extra-pair", quick_seeds=5),
    Experiment("extra-lock", quick=("duration=5 s",)),
    Experiment("section-2-2", special=_losses),
]


# What is read off a run


def bottleneck(key: str) -> Callable[[Measured], float]:
    return lambda run: next(link for link in run.document["links"] if link["name"] == "bottleneck")[key]


goodput = bottleneck("goodput_fraction")


def active(run: Measured) -> float:
    """Share of the time that connections are active, mean over them."""
    return run.document["summary"]["active_fraction"]


def throughput(number: int) -> Callable[[Measured], float]:
    """Of a connection of Fig. 21, as a share of what its own link can carry."""
    name = f"access-{number - 1}"
    return lambda run: next(link for link in run.document["links"] if link["name"] == name)["goodput_fraction"]


def timeouts(number: int) -> Callable[[Measured], float]:
    """Of a connection of Fig. 21."""
    return lambda run: run.document["flows"][number - 1]["timeouts"]


def fairness(run: Measured) -> float | None:
    """Jain's index."""
    return run.document["summary"]["jain"]


# Samples by what they are


def levels(sample: Sample) -> dict[str, float]:
    """The thresholds of a discipline [cells]."""
    queue = sample.settings[QUEUE]
    buffer = float(queue["buffer"].removesuffix(" cells"))
    return {key: queue[key] * buffer for key in ("threshold", "lower", "upper") if key in queue}


def kind_of(sample: Sample, otherwise: str = "epd") -> str:
    return sample.settings.get(QUEUE, {}).get("kind", otherwise)


def only(results: Results, plan: str, kind: str) -> Sample:
    """The only sample of a discipline without a threshold."""
    return next(sample for sample in results[plan] if kind_of(sample) == kind)


def over(results: Results, plan: str, path: str) -> list[Sample]:
    return [sample for sample in results[plan] if path in sample.settings]


def with_gap(results: Results, gap: int) -> list[Sample]:
    return [sample for sample in results["fig-12-13"] if sample.settings[GAP] == f"{gap} packets"]


def pair(results: Results, kind: str, first: str, second: str = "reno", plan: str = "fig-20") -> Sample:
    return next(
        sample
        for sample in results[plan]
        if (kind_of(sample), sample.settings[FIRST], sample.settings.get(SECOND, "reno")) == (kind, first, second)
    )


Case = tuple[int, list[int], bool, bool]


def loss_cases(results: Results, losses: int | None = None) -> list[Case]:
    """Window, lost segments, whether the analysis says that a timeout is inevitable, whether there was one."""
    cases: list[Case] = results["section-2-2"][0].runs[0].document["cases"]
    return [case for case in cases if losses is None or len(case[1]) == losses]


def senders(results: Results, kind: str, careful: bool, least: str) -> list[Sample]:
    return [
        sample
        for sample in results["extra-sender"]
        if (kind_of(sample), sample.settings[CAREFUL], sample.settings[LEAST]) == (kind, careful, least)
    ]


def locked(results: Results, rate: str, kind: str) -> Sample:
    return next(s for s in results["extra-lock"] if s.settings[ACCESS] == rate and kind_of(s) == kind)
