"""The constants of Lai, Lin & Hung 1999, and what is read off a run."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any, TypeVar

from dupack._native import abr_ceiling, abr_printed_ceiling
from dupack.reproduce.paper import Measured

MSS, CELLS = 9148, 192
"""Payload [bytes] and cells of a packet: 9,148 bytes, 40 of headers and 8 of AAL5 fill 192 cells but for 20 bytes."""
LINE = 365566
"""Rate of every link [cells/s]."""
CELL = 53
"""Bytes of a cell on the line; rates in bytes/s count all of them, unless a reading counts the payload."""
PAYLOAD = 48
"""Bytes of a cell without its header."""
WINDOW = 7
"""The receiver's window [segments]: 64,036 bytes are seven whole segments."""
CEILING = abr_ceiling(LINE, 32, MSS)
PRINTED = abr_printed_ceiling(LINE, 32, MSS)
"""The highest throughput that TCP can have [bytes/s], in whole cells and by the paper's formula."""

FREE, LOSS = "fig-05", "fig-04-06"
"""The plans of the two cases of Table II."""
CONGESTED = {FREE: 500, LOSS: 800}
"""Q_L [cells]."""
VERY_CONGESTED = {FREE: 800, LOSS: 1500}
"""DQT [cells]."""
BUFFER = 2000
"""Capacity of the switch's buffer [cells]."""
SWITCH = "backbone"
"""The link behind the switch that marks; its queue is the switch's."""
FIRST = "tcp-0"
"""SES 1."""
EMPTY_SAMPLES = "switch_queue_empty_percent"
"""Where a run whose samples are not kept has its share of samples with an empty queue."""

By = Callable[[Measured], float | None]


def flows(run: Measured) -> list[dict[str, Any]]:
    """All flows."""
    found: list[dict[str, Any]] = run.document["flows"]
    return found


def switch(run: Measured) -> dict[str, Any]:
    """The measures of the switch's queue and of the line behind it."""
    found: dict[str, Any] = next(link for link in run.document["links"] if link["name"] == SWITCH)
    return found


def megabytes(bps: float) -> float:
    """A rate in bit/s as MB/s."""
    return bps / 8e6


# What a reading chooses


T = TypeVar("T")


def chosen(run: Measured, sources: Iterable[T], today: str = "all") -> list[T]:
    """The sources that a measure is of: all, or the first alone."""
    return list(sources)[: 1 if run.option("sources", today) == "first" else None]


def counted(run: Measured) -> float:
    """Part of a cell that a rate in bytes/s counts."""
    return PAYLOAD / CELL if run.option("rate", "line") == "payload" else 1.0


def ceiling(run: Measured) -> float:
    """The highest throughput of TCP [bytes/s], in whole cells or by the paper's formula."""
    return PRINTED if run.option("ceiling", "cells") == "formula" else CEILING


def underflow(run: Measured) -> float:
    """How often the switch's queue underflows [%]: samples that see it empty, or time in which the line is idle."""
    return empty(run) if run.option("underflow", "each") == "line" else empty_queue(run)


def idle(run: Measured) -> float:
    """The same for a run whose samples are not kept; it is the idle line if a reading does not say otherwise [%]."""
    return empty_samples(run) if run.option("underflow", "each") == "queue" else empty(run)


# Measures


def jain(run: Measured) -> float | None:
    """Jain's index of the flows, of their goodput or of their mean ACR."""
    if run.option("fair", "goodput") == "acr":
        rates = [flow["abr"]["mean_acr_bps"] for flow in flows(run)]
        return float(sum(rates) ** 2 / (len(rates) * sum(rate**2 for rate in rates)))
    found: float | None = run.document["summary"]["jain"]
    return found


def share(run: Measured) -> float:
    """Throughput: the goodput of all flows together [% of the ceiling], or the cells sent by the switch [% of time]."""
    if run.option("throughput", "goodput") == "cells":
        return float(100 * switch(run)["utilization"])
    return float(100 * run.document["summary"]["goodput_bps"] / 8 / ceiling(run))


def lost(run: Measured) -> int:
    """Cells dropped by the switch."""
    return sum(switch(run)["dropped"].values())


def loss_rate(run: Measured) -> float:
    """Cells dropped by the switch [% of those offered]."""
    return 100 * lost(run) / switch(run)["offered"]


def of_abr(key: str, scale: float = 1.0) -> Callable[[Measured], float]:
    """The mean over the flows of a measure of their source end systems."""
    return lambda run: scale * fmean(flow["abr"][key] for flow in chosen(run, flows(run)))


def unused(run: Measured) -> float:
    """ACR that is not used, per source [MB/s]."""
    return counted(run) * of_abr("unused_acr_bps", 1 / 8e6)(run)


rate_based = of_abr("rate_based_fraction", 100.0)
window_based = of_abr("window_based_fraction", 100.0)
"""Share of the time in which cells wait at the source, and in which none waits [%]."""


def empty(run: Measured) -> float:
    """Share of the time in which the line behind the switch is idle [%]."""
    return float(100 * switch(run)["empty_fraction"])


def empty_queue(run: Measured) -> float:
    """Share of the samples after warm-up with no cell waiting in the switch [%]; the line may be sending one."""
    backlogs = warm(run, run.document["series"]["backlog"][SWITCH])
    return 100 * sum(not backlog for backlog in backlogs) / len(backlogs)


def empty_samples(run: Measured) -> float:
    """The same for a run whose samples are not kept [%]."""
    return float(run.document[EMPTY_SAMPLES])


def dead(run: Measured) -> float:
    """Share of the cells sent by the switch whose packets have lost another cell [%]."""
    return float(100 * switch(run)["dead_units"] / switch(run)["sent"])


# Samples of a run


def step(run: Measured) -> float:
    """Time between two samples [s]."""
    times = run.document["series"]["time_s"]
    return float(times[1] - times[0])


def warm(run: Measured, values: Sequence[Any]) -> list[Any]:
    """The values of the samples after warm-up, without those that are None."""
    times, begins = run.document["series"]["time_s"], run.document["warm_up_s"]
    return [value for time, value in zip(times, values, strict=True) if time >= begins and value is not None]


def at(run: Measured, key: str, name: str, time: float) -> float:
    """The sample of a series at or before a time [s]."""
    series = run.document["series"]
    index = min(int((time - series["time_s"][0]) / step(run)), len(series["time_s"]) - 1)
    return float(series[key][name][index])


def rates(run: Measured, flow: str = FIRST) -> list[float]:
    """ACR at the samples after warm-up [MB/s]."""
    return [counted(run) * megabytes(bps) for bps in warm(run, run.document["series"]["acr_bps"][flow])]


def all_rates(run: Measured, today: str = "all") -> list[float]:
    """ACR of all sources, or of SES 1, at the samples after warm-up [MB/s]."""
    return [rate for flow in chosen(run, run.document["series"]["acr_bps"], today) for rate in rates(run, flow)]


def percentile(values: Sequence[float], part: float) -> float:
    """The least value that is not below this part (0 to 1) of all values."""
    ranked = sorted(values)
    return ranked[min(int(part * len(ranked)), len(ranked) - 1)]


def end_of(run: Measured, part: float) -> float:
    """An end of the range of the ACR of SES 1 [MB/s]: a percentile (0 to 1), or the lowest or highest sample."""
    found = all_rates(run, "first")
    if run.option("ends", "percentiles") == "extremes":
        return min(found) if part < 0.5 else max(found)
    return percentile(found, part)


def window(segments: float) -> float:
    """TCP's window, the lesser of cwnd and the receiver's [bytes]."""
    return min(segments, WINDOW) * MSS


def changes(run: Measured, key: str, flow: str = FIRST) -> int:
    """Number of samples of a source that differ from the one before."""
    values = warm(run, run.document["series"][key][flow])
    if key == "cwnd":
        values = [int(min(value, WINDOW)) for value in values]
    return sum(a != b for a, b in itertools.pairwise(values))
