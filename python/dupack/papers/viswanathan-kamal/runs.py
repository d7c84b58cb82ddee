"""How samples of Viswanathan & Kamal are selected, and what is read off their runs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dupack.reproduce.compare import gain
from dupack.reproduce.paper import Estimate, Measured, Read, Results, Sample
from dupack.reproduce.select import flat, only, setting, where

# Which samples

SCHEMES: dict[str, dict[str, Any]] = {
    "0": {"queue.kind": ["drop-tail", "red"]},
    "1": {"queue.kind": "triple-buffering"},
    "2": {"queue.kind": "triple-truncated", "bad_checksum": "dup-ack"},
    "2-drop": {"queue.kind": "triple-truncated", "bad_checksum": "drop"},
    "trim": {"queue.kind": "trim"},
}
"""The settings of each scheme. The receivers of scheme 2 answer or drop truncated packets. Trimming is an addition."""
NAMES = {"0": "scheme 0", "1": "scheme 1", "2": "scheme 2, dup-ack", "2-drop": "scheme 2, drop"}
"""The names of the paper's schemes in figures."""
DECIDES = {"drop-tail": "tail drop", "red": "RED"}
"""The queue that decides which packets are dropped, and its name in figures."""

SAME = {"access-1.delay": "5 ms", "access-3.delay": "5 ms"}
MIXED = {"access-1.delay": "1 ms", "access-3.delay": "9 ms"}
NETWORKS: dict[str, tuple[dict[str, str], str]] = {
    "Table 1": (SAME, "drop-tail"),
    "Table 2 (RED)": (SAME, "red"),
    "Figs. 13, 14": (MIXED, "drop-tail"),
}
"""The delays of each network, and the queue that decides which packets are dropped."""

TRUNKS = {
    "DS1": {"trunk.rate": "1.544 Mb/s", "max_window": "64 KiB"},
    "DS3": {"trunk.rate": "44.736 Mb/s", "max_window": "64 KiB"},
    "DS3, windows of 256 KiB": {"trunk.rate": "44.736 Mb/s", "max_window": "256 KiB"},
}
"""Links to the server in the network of Figs. 10 and 11."""


def decides(sample: Sample) -> str:
    """The queue that decides which packets are dropped: ``red`` or ``drop-tail``. Trimming counts as drop-tail."""
    kind = setting(sample, "queue.inner.kind", setting(sample, "queue.kind"))
    return "red" if kind == "red" else "drop-tail"


def pick(
    samples: Iterable[Sample], scheme: str, by: str = "drop-tail", settings: Mapping[str, Any] | None = None
) -> list[Sample]:
    """The samples of a scheme around such a queue, with these settings."""
    return where([sample for sample in samples if decides(sample) == by], {**SCHEMES[scheme], **(settings or {})})


def one(samples: Sequence[Sample], scheme: str, settings: Mapping[str, Any] | None = None) -> Sample:
    """The only sample of a scheme with these settings."""
    return only(samples, {**SCHEMES[scheme], **(settings or {})})


def network(samples: Sequence[Sample], name: str) -> list[Sample]:
    """The samples of one of `NETWORKS`."""
    delays, by = NETWORKS[name]
    return [sample for sample in where(samples, delays) if decides(sample) == by]


def rates(results: Results, link: str) -> list[Sample]:
    """The samples of the network of Figs. 10 and 11 with one of `TRUNKS`."""
    return where(results["extra-rates"], TRUNKS[link])


USUAL: dict[str, list[Any]] = {
    "duplicates": [3],
    "interval": ["25 packets", "7 packets"],
    "interval_counts": ["packets"],
    "reserve": ["30 packets"],
    "trigger": [0.9],
    "early": ["drop"],
    "age": [],
}
"""The parameters of a scheme's queue, with their values in the paper's figures."""
REST = {"kind", "buffer", "min_th", "max_th", "max_p", "weight", "keep", "bad_checksum"}
"""Keys that distinguish the schemes and the queues."""


def changes(sample: Sample) -> dict[str, Any]:
    """The settings that differ from the paper's figures, by the last part of their paths; a missing trigger is None."""
    found = {path.rpartition(".")[2]: value for path, value in flat(sample.settings).items()}
    if setting(sample, "queue.kind") == "triple-buffering" and decides(sample) == "drop-tail":
        found.setdefault("trigger", None)
    return {key: value for key, value in found.items() if key not in REST and value not in USUAL.get(key, [])}


# What is read off a run


def throughput(run: Measured) -> float:
    """Throughput of the server's TCP, of all flows [MB/s]; `THROUGHPUTS` has what may count."""
    return THROUGHPUTS[run.option("throughput", "payload")](run)


def goodput(flow: str) -> Callable[[Measured], float]:
    """The same of one flow [MB/s]."""
    return lambda run: sum(one["goodput_bps"] / 8e6 for one in run.document["flows"] if one["name"] == flow)


def delay(run: Measured) -> float | None:
    """TCP delay, mean over all segments [ms]; `DELAYS` has what may count."""
    return DELAYS[run.option("delay", "transmission")](run)


def weighted(pairs: Iterable[tuple[float, float]]) -> float | None:
    """The mean of (value, weight) pairs; None if all weights are 0."""
    pairs = list(pairs)
    weight = sum(weight for _, weight in pairs)
    return sum(value * weight for value, weight in pairs) / weight if weight else None


def count(key: str, flow: str = "") -> Callable[[Measured], float]:
    """Sum of a counter over the flows whose names begin with ``flow``."""
    return lambda run: float(sum(one[key] for one in run.document["flows"] if one["name"].startswith(flow)))


def per_second(read: Callable[[Measured], float]) -> Callable[[Measured], float]:
    """A counter per second of the measured time [1/s]."""
    return lambda run: read(run) / run.measured_s


timeouts, fast = count("timeouts"), count("fast_retransmits")


def by_timeout(run: Measured) -> float | None:
    """Share of the indications of loss that are timeouts."""
    both = timeouts(run) + fast(run)
    return timeouts(run) / both if both else None


def drops(run: Measured) -> float:
    """Packets that the router dropped, for any cause."""
    return float(sum(sum(link["dropped"].values()) for link in run.document["links"] if link["name"] == "trunk"))


def drops_per_second(run: Measured) -> float:
    """Drops per second of the whole run: the router also counts during the warm-up [1/s]."""
    return drops(run) / float(run.document["duration_s"])


def locked_out(run: Measured) -> bool:
    """Whether a flow has less than a tenth of an equal share."""
    found = [flow["goodput_bps"] for flow in run.document["flows"]]
    return min(found) * len(found) < 0.1 * sum(found)


def carried(source: int, begin: float = 0.0) -> Callable[[Measured], float]:
    """Mean rate that the link from a source to the router carried from ``begin`` [s] on [Mb/s]."""
    return _mean_rate(link_course(source), begin)


def _mean_rate(course: Course, begin: float = 0.0) -> Callable[[Measured], float]:
    # The beginning of an interval is computed as a difference, and is rounded.
    return lambda run: weighted((v or 0.0, size) for now, v, size in course(run) if now - size >= begin - 1e-9) or 0.0


def carried_last(source: int, seconds: float) -> Callable[[Measured], float]:
    """The same in the last seconds of the run [Mb/s]."""
    return lambda run: carried(source, run.document["duration_s"] - seconds)(run)


def bias(run: Measured) -> float:
    """Rate of the source at 1 ms over that of the source at 9 ms."""
    return carried(1)(run) / carried(3)(run)


def percent(sample: Sample, base: Sample, read: Read, *, less: bool = False) -> Estimate:
    """Gain over the runs of the base with the same seeds [%]: the increase, or the decrease if less is better."""
    return gain(sample, base, read).times(-100 if less else 100)


# Courses

Point = tuple[float, float | None, float]
"""End of an interval [s], its value, and its weight in a mean."""
Course = Callable[[Measured], list[Point]]


def throughput_course(run: Measured) -> list[Point]:
    """What throughput counts, in every interval [MB/s]; the weights are durations [s]."""
    if run.option("throughput", "payload") == "link":
        return [(now, value and value / 8, lasts) for now, value, lasts in _course_of("trunk")(run)]
    series = run.document["series"]
    totals = [sum(column) for column in zip(*series["delivered"].values(), strict=True)]
    steps = zip(itertools.pairwise(series["time_s"]), itertools.pairwise(totals), strict=True)
    return [(now, (b - a) / (now - before) / 1e6, now - before) for (before, now), (a, b) in steps]


def delay_course(run: Measured) -> list[Point]:
    """TCP delay of what was delivered in every interval [ms]; the weights are bytes.

    Runs have no course of round-trip times, so that with this option the delay is from the first transmission.
    """
    series = run.document["series"]
    if run.option("delay", "transmission") == "hand-over":
        # Little's law in each interval.
        rates = [(now, 8e6 * (rate or 0.0), lasts) for now, rate, lasts in throughput_course(run)]
        return [(now, 1e3 * _held(run) / rate - RETURN if rate else None, rate * lasts) for now, rate, lasts in rates]
    made: list[Point] = []
    for i, now in enumerate(series["time_s"][1:], 1):
        sizes = {flow: total[i] - total[i - 1] for flow, total in series["delivered"].items()}
        parts = [(1e3 * d[i], sizes[flow]) for flow, d in series["delay_s"].items() if d[i] is not None]
        made.append((now, weighted(parts), float(sum(size for _, size in parts))))
    return made


def link_course(source: int) -> Course:
    """Rate that the link from a source to the router carried per interval [Mb/s]; the weights are durations [s]."""
    return _course_of(f"access-{source}")


def _course_of(link: str) -> Course:
    def course(run: Measured) -> list[Point]:
        series = run.document["series"]
        rates = series["throughput_bps"][link][1:]
        steps = zip(itertools.pairwise(series["time_s"]), rates, strict=True)
        return [(now, rate / 1e6, now - before) for (before, now), rate in steps]

    return course


def mean_until(course: Sequence[Point]) -> list[tuple[float, float | None]]:
    """The mean of a course from the start until the end of each interval [s]."""
    made, total, weight = [], 0.0, 0.0
    for now, value, size in course:
        if value is not None:
            total, weight = total + value * size, weight + size
        made.append((now, total / weight if weight else None))
    return made


# What throughput and delay count: the paper does not define them, and `readings.toml` chooses


def _payload(run: Measured) -> float:
    """Payload that the server's TCP delivers in order [MB/s]."""
    return sum(flow["goodput_bps"] for flow in run.document["flows"]) / 8e6


def _by_link(run: Measured) -> float:
    """All that the link to the server carries, with headers, duplicates and copies [MB/s]."""
    return _mean_rate(_course_of("trunk"))(run) / 8


THROUGHPUTS: dict[str, Callable[[Measured], float]] = {"payload": _payload, "link": _by_link}


def _over_segments(key: str) -> Callable[[Measured], float | None]:
    """A mean time of each flow [ms], weighted by its segments."""

    def read(run: Measured) -> float | None:
        flows = [flow for flow in run.document["flows"] if flow[key] is not None]
        return weighted((1e3 * flow[key], flow["segments_delivered"]) for flow in flows)

    return read


RETURN = 10.0
"""Propagation of an acknowledgment in the networks of Tables 1 and 2 [ms]."""


def _from_hand_over(run: Measured) -> float | None:
    """From the hand-over of data to the source's TCP to its delivery in order [ms].

    TCP holds a window of each flow's data, from the hand-over to the acknowledgment, and each acknowledgment makes room
    for more. Little's law has the mean time from the one to the other.
    """
    rate = sum(flow["goodput_bps"] for flow in run.document["flows"])
    return 1e3 * _held(run) / rate - RETURN if rate else None


def _held(run: Measured) -> float:
    """What the sources' TCPs hold, a window for each flow [bits]."""
    return 8 * float(run.option("window", "65536")) * len(run.document["flows"])


DELAYS: dict[str, Callable[[Measured], float | None]] = {
    # From a segment's first transmission to its delivery in order.
    "transmission": _over_segments("mean_delay_s"),
    "hand-over": _from_hand_over,
    "round-trip": _over_segments("mean_rtt_s"),
}
