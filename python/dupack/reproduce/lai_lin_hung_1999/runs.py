"""The experiments of Lai, Lin & Hung 1999, and how their results are read."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from dupack._native import abr_ceiling, abr_printed_ceiling
from dupack.reproduce.paper import Document, Experiment, Measured, Results, Sample

MSS, CELLS = 9148, 192
"""Payload [bytes] and cells of a packet: 9,148 bytes, 40 of headers and 8 of AAL5 fill 192 cells but for 20 bytes."""
LINE = 365566
"""Of every link [cells/s]."""
CELL = 53
"""Bytes of a cell on the line, by which rates in bytes/s are read."""
WINDOW = 7
"""Of the receiver [segments]: 64,036 bytes are seven whole ones."""
CEILING = abr_ceiling(LINE, 32, MSS)
PRINTED = abr_printed_ceiling(LINE, 32, MSS)
"""The most that TCP can have [bytes/s], in whole cells and as the paper reckons it."""

FREE, LOSS = "fig-05", "fig-04-06"
"""The two cases of Table II."""
CONGESTED = {FREE: 500, LOSS: 800}
"""Q_L [cells]."""
VERY_CONGESTED = {FREE: 800, LOSS: 1500}
"""DQT [cells]."""
BUFFER = 2000
"""Of the switch [cells]: where cells are lost."""
SWITCH = "backbone"
FIRST = "tcp-0"
"""SES 1."""


@dataclass
class Reactions:
    """When a transmission of each flow was lost, and when its sender cut the window for it [s]."""

    drops: dict[str, list[float]] = field(default_factory=dict)
    cuts: dict[str, list[float]] = field(default_factory=dict)
    fast: int = 0
    """Cuts after duplicate acks; the others are timeouts."""


def reactions(tape: str) -> Reactions:
    """Reads a tape."""
    kept = Reactions()
    for time, flow, event, *_ in csv.reader(tape.splitlines()[1:]):
        if event == "drop":
            kept.drops.setdefault(flow, []).append(float(time))
        elif event in ("fast_retransmit", "timeout"):
            kept.cuts.setdefault(flow, []).append(float(time))
            kept.fast += event == "fast_retransmit"
    return kept


SERIES = ("time_s", "cwnd", "acr_bps", "backlog", "source_backlog")


def courses(document: Document) -> Document:
    """Of what is sampled those series that are drawn or measured."""
    return document | {"series": {key: document["series"][key] for key in SERIES}}


EMPTY_SAMPLES = "switch_queue_empty_percent"


def switch_alone(document: Document) -> Document:
    """Of thousands of runs: the flows and the switch, and not a hundred access lines of each; of what is sampled how
    often the queue is empty."""
    kept = document | {"links": [link for link in document["links"] if link["name"] == SWITCH]}
    if kept.pop("series", None) is not None:
        kept[EMPTY_SAMPLES] = empty_queue(Measured(document))
    return kept


def _of_first_look(settings: dict[str, Any]) -> bool:
    """Of the open question the plain combinations."""
    kind, how = settings[KIND], settings[LOSE]
    return kind in ("tahoe", "sack") and how in ("off", "count-based") and settings[QUEUE]["kind"] != "ppd"


LOSE = "flow.tcp.abr.use_it_or_lose_it"
KIND = "flow.tcp.transport.kind"
QUEUE = "link.backbone.queue"
COUNT = "host.*.count"
ACCESS, BACKBONE = "link.access.delay", "link.backbone.delay"

EXPERIMENTS = [
    Experiment(FREE, quick=("duration=2 s", "warm_up=0.5 s"), quick_seeds=2, keep=courses),
    Experiment(LOSS, quick=("duration=2 s", "warm_up=0.5 s"), quick_seeds=2, keep=courses, tape=reactions),
    Experiment("extra-delay", quick=("duration=2 s", "warm_up=0.5 s"), quick_seeds=2, keep=courses),
    Experiment(
        "extra-open",
        quick=("duration=1 s", "warm_up=0.3 s"),
        quick_seeds=1,
        quick_keep=_of_first_look,
        keep=switch_alone,
    ),
    Experiment("extra-threshold", quick=("duration=1 s", "warm_up=0.3 s"), quick_seeds=1, keep=switch_alone),
    Experiment("extra-fairness", quick=("duration=2 s", "warm_up=1 s"), quick_seeds=1, keep=courses),
]


# Samples by what they are


def one(results: Results, plan: str) -> Sample:
    """Of a plan with one point."""
    (sample,) = results[plan]
    return sample


# What is read off a run


def flows(run: Measured) -> list[dict[str, Any]]:
    """All of them."""
    found: list[dict[str, Any]] = run.document["flows"]
    return found


def link(run: Measured, name: str = SWITCH) -> dict[str, Any]:
    """A direction of a link, by its name."""
    found: dict[str, Any] = next(link for link in run.document["links"] if link["name"] == name)
    return found


def megabytes(bps: float) -> float:
    """[MB/s] of [bit/s]."""
    return bps / 8e6


def payload(run: Measured) -> float:
    """What all flows deliver [MB/s]."""
    return megabytes(run.document["summary"]["goodput_bps"])


def share(run: Measured) -> float:
    """The same as part of the ceiling in whole cells [%]."""
    return 100 * payload(run) * 1e6 / CEILING


def lost(run: Measured) -> int:
    """Cells that the switch has dropped."""
    return sum(link(run)["dropped"].values())


def loss_rate(run: Measured) -> float:
    """The same as part of those offered [%]."""
    return 100 * lost(run) / link(run)["offered"]


def of_abr(key: str, scale: float = 1.0) -> Callable[[Measured], float]:
    """The mean over the flows of what a source end system tells."""
    return lambda run: scale * fmean(flow["abr"][key] for flow in flows(run))


unused = of_abr("unused_acr_bps", 1 / 8e6)
"""Allowed and not sent, a source [MB/s]."""
rate_based = of_abr("rate_based_fraction", 100.0)
window_based = of_abr("window_based_fraction", 100.0)
"""Share of the time in which cells wait at the source, and in which none do [%]."""


def empty(run: Measured) -> float:
    """Share of the time in which the line behind the switch is idle [%]."""
    return float(100 * link(run)["empty_fraction"])


def empty_queue(run: Measured) -> float:
    """Share of the samples after warm-up that see no cell waiting in the switch [%]: the line may be sending one."""
    seen = warm(run, run.document["series"]["backlog"][SWITCH])
    return 100 * sum(not waiting for waiting in seen) / len(seen)


def empty_samples(run: Measured) -> float:
    """The same of a run of which this alone was kept [%]."""
    return float(run.document[EMPTY_SAMPLES])


def dead(run: Measured) -> float:
    """Share of the cells sent by the switch that are of packets which another cell was lost of [%]."""
    return float(100 * link(run)["dead_units"] / link(run)["sent"])


def measured_time(run: Measured) -> float:
    """After warm-up [s]."""
    return float(run.document["duration_s"] - run.document["warm_up_s"])


def jain(run: Measured) -> float | None:
    """Fairness of the flows."""
    found: float | None = run.document["summary"]["jain"]
    return found


def warm(run: Measured, values: Sequence[Any]) -> list[Any]:
    """Of samples those after warm-up."""
    times, begins = run.document["series"]["time_s"], run.document["warm_up_s"]
    return [value for time, value in zip(times, values, strict=True) if time >= begins and value is not None]


def rates(run: Measured, flow: str = FIRST) -> list[float]:
    """ACR at the samples after warm-up [MB/s]."""
    return [megabytes(bps) for bps in warm(run, run.document["series"]["acr_bps"][flow])]


def all_rates(run: Measured) -> list[float]:
    """Of all sources."""
    return [rate for flow in run.document["series"]["acr_bps"] for rate in rates(run, flow)]


def percentile(values: Sequence[float], part: float) -> float:
    """The least value that so large a part of all does not exceed."""
    ranked = sorted(values)
    return ranked[min(int(part * len(ranked)), len(ranked) - 1)]


def rate_at(part: float) -> Callable[[Measured], float]:
    """ACR that so large a part of its samples does not exceed [MB/s]."""
    return lambda run: percentile(rates(run), part)


def window(segments: float) -> float:
    """TCP's window: the lesser of cwnd and what the receiver offers [bytes]."""
    return min(segments, WINDOW) * MSS


def changes(run: Measured, key: str) -> int:
    """How often samples of a flow differ from the one before, of SES 1."""
    values = warm(run, run.document["series"][key][FIRST])
    if key == "cwnd":
        values = [int(min(value, WINDOW)) for value in values]
    return sum(a != b for a, b in itertools.pairwise(values))


def at(run: Measured, key: str, name: str, time: float) -> float:
    """The sample of a series at or before a time."""
    series = run.document["series"]
    step = series["time_s"][1] - series["time_s"][0]
    index = min(int((time - series["time_s"][0]) / step), len(series["time_s"]) - 1)
    return float(series[key][name][index])
