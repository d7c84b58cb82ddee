"""The experiments of Viswanathan & Kamal, and how their results are read."""

from __future__ import annotations

import bisect
import csv
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dupack.reproduce.paper import Estimate, Experiment, Measured, Results, Sample

# What is varied

QUEUE = "link.trunk.queue"
TRUNK = "link.trunk.rate"
BAD_CHECKSUM = ".transport.bad_checksum"
KIND = ".transport.kind"
NEAR = "link.access-1.delay"
FAR = "link.access-3.delay"

DS1, DS3 = "1.544 Mb/s", "44.736 Mb/s"
DS1_RATE = 1.544e6
"""[bit/s]"""
SAME, MIXED = {NEAR: "5 ms", FAR: "5 ms"}, {NEAR: "1 ms", FAR: "9 ms"}
"""The delays of Tables 1 and 2, and of Figs. 13 and 14."""

SCHEMES = {"0": "scheme 0", "1": "scheme 1", "2": "scheme 2, dup-ack", "2-drop": "scheme 2, drop"}
"""Scheme 2 by what its receivers do with a truncated packet."""
KINDS = {"triple-buffering": "1", "triple-truncated": "2", "trim": "trim"}
"""What a router of that queue is; of all others scheme 0."""


def queue(sample: Sample) -> Mapping[str, Any]:
    """What the router does."""
    return sample.settings[QUEUE]


def scheme(sample: Sample) -> str:
    """Which of `SCHEMES` its router and receivers are, or ``trim``, which is none of the paper's."""
    found = KINDS.get(queue(sample)["kind"], "0")
    return "2-drop" if found == "2" and setting(sample, BAD_CHECKSUM) == "drop" else found


def inner(sample: Sample) -> str:
    """What decides about drops: ``drop-tail`` (trimming too trims what finds the buffer full) or ``red``."""
    found = str(queue(sample).get("inner", queue(sample))["kind"])
    return "drop-tail" if found == "trim" else found


def setting(sample: Sample, end: str) -> Any:
    """The value of the axis whose path ends so; None if there is none."""
    return next((value for path, value in sample.settings.items() if path.endswith(end)), None)


def rest(sample: Sample) -> dict[str, Any]:
    """The settings besides the scheme."""
    return {k: v for k, v in sample.settings.items() if k != QUEUE and not k.endswith(BAD_CHECKSUM)}


def pick(
    samples: Iterable[Sample], wanted: str, decides: str = "drop-tail", settings: Mapping[str, Any] | None = None
) -> list[Sample]:
    """Those of a scheme around such a queue, with these settings, and others that are not named."""
    settings = settings or {}
    return [
        sample
        for sample in samples
        if scheme(sample) == wanted
        and inner(sample) == decides
        and all(setting(sample, end) == value for end, value in settings.items())
    ]


def only(samples: Sequence[Sample], wanted: str) -> Sample:
    """The one of a scheme, where all else is the same."""
    (found,) = (sample for sample in samples if scheme(sample) == wanted)
    return found


TRUNKS = {
    "DS1 to the server": (DS1, "64 KiB"),
    "DS3 to the server": (DS3, "64 KiB"),
    "DS3, windows of 256 KiB": (DS3, "256 KiB"),
}
"""Readings of Figs. 10 and 11: the link to the server and the windows."""
AS_WORDED = "DS1 to the server"
"""That of the text's words."""


def rates(results: Results, reading: str = AS_WORDED) -> list[Sample]:
    """Of Figs. 10 and 11, those of a reading."""
    rate, window = TRUNKS[reading]
    samples = results["fig-10-11"]
    return [s for s in samples if s.settings[TRUNK] == rate and setting(s, ".max_window") == window]


def packets(value: object) -> int:
    """As it stands in plans."""
    return int(str(value).split()[0])


DECIDES = {"drop-tail": "tail drop", "red": "RED"}
"""What decides about drops, in words."""

# The three networks

NETWORKS: dict[str, tuple[dict[str, str], str]] = {
    "Table 1": (SAME, "drop-tail"),
    "Table 2 (RED)": (SAME, "red"),
    "Figs. 13, 14": (MIXED, "drop-tail"),
}


def network(samples: Sequence[Sample], of_: str) -> list[Sample]:
    """Those in one of the three."""
    delays, decides = NETWORKS[of_]
    return [s for s in samples if inner(s) == decides and all(s.settings[k] == v for k, v in delays.items())]


# What is read off a run

Read = Callable[[Measured], float | None]


def throughput(run: Measured) -> float:
    """What the server's TCP hands to its users, of all flows [bytes/s]."""
    return sum(flow["goodput_bps"] for flow in run.document["flows"]) / 8


def megabytes(run: Measured) -> float:
    """The same [MB/s]."""
    return throughput(run) / 1e6


def delay(run: Measured) -> float | None:
    """TCP delay: from a segment's first transmission to its hand-over in order, mean over all segments [s]."""
    flows = run.document["flows"]
    return _weighted((f["mean_delay_s"], f["segments_delivered"]) for f in flows if f["mean_delay_s"] is not None)


def milliseconds(run: Measured) -> float | None:
    """The same [ms]."""
    found = delay(run)
    return None if found is None else 1e3 * found


def _weighted(pairs: Iterable[tuple[float, float]]) -> float | None:
    pairs = list(pairs)
    weight = sum(weight for _, weight in pairs)
    return sum(value * weight for value, weight in pairs) / weight if weight else None


def count(key: str, flow: str = "") -> Callable[[Measured], float]:
    """A counter of the flows whose names begin so, over the run."""
    return lambda run: float(sum(one[key] for one in run.document["flows"] if one["name"].startswith(flow)))


def per_second(measure: Callable[[Measured], float]) -> Callable[[Measured], float]:
    """The same over the time that is measured [1/s]."""
    return lambda run: measure(run) / (run.document["duration_s"] - run.document["warm_up_s"])


timeouts, fast = count("timeouts"), count("fast_retransmits")


def by_timeout(run: Measured) -> float | None:
    """Share of the indications of loss that are timeouts."""
    both = timeouts(run) + fast(run)
    return timeouts(run) / both if both else None


def trunk(run: Measured) -> dict[str, Any]:
    """The link to the server."""
    return next(link for link in run.document["links"] if link["name"] == "trunk")


def drops(run: Measured) -> float:
    """Packets that the router dropped, of whatever cause."""
    return float(sum(trunk(run)["dropped"].values()))


def drops_per_second(run: Measured) -> float:
    """The same over the whole run, warm-up and all, as the router counts them [1/s]."""
    return drops(run) / float(run.document["duration_s"])


def locked_out(run: Measured) -> bool:
    """A flow has less than a tenth of an equal share."""
    found = [flow["goodput_bps"] for flow in run.document["flows"]]
    return min(found) * len(found) < 0.1 * sum(found)


def link_rates(run: Measured, source: int) -> list[tuple[float, float, float]]:
    """Of the link from a source to the router: begin [s], end [s] and what it carried [bit/s] of every interval."""
    series = run.document["series"]
    steps = itertools.pairwise(series["time_s"])
    carried = series["throughput_bps"][f"access-{source}"][1:]
    return [(before, now, rate) for (before, now), rate in zip(steps, carried, strict=True)]


def carried(source: int, begin: float = 0.0, end: float = float("inf")) -> Callable[[Measured], float]:
    """What the link from a source to the router carried on the mean between two times [bit/s]."""

    def measure(run: Measured) -> float:
        found = link_rates(run, source)
        return _weighted((r, now - t) for t, now, r in found if t >= begin - 1e-9 and now <= end + 1e-9) or 0.0

    return measure


# Courses

Course = Callable[[Measured], list[tuple[float, float | None, float]]]
"""Of every interval its end [s], a value, and what it weighs in a mean."""


def throughput_course(run: Measured) -> list[tuple[float, float | None, float]]:
    """What the server's TCP handed over in every interval [MB/s]."""
    series = run.document["series"]
    totals = [sum(column) for column in zip(*series["delivered"].values(), strict=True)]
    steps = zip(itertools.pairwise(series["time_s"]), itertools.pairwise(totals), strict=True)
    return [(now, (b - a) / (now - before) / 1e6, now - before) for (before, now), (a, b) in steps]


def delay_course(run: Measured) -> list[tuple[float, float | None, float]]:
    """TCP delay of what was handed over in every interval [ms]."""
    series = run.document["series"]
    made = []
    for i, now in enumerate(series["time_s"]):
        if i == 0:
            continue
        sizes = {flow: total[i] - total[i - 1] for flow, total in series["delivered"].items()}
        parts = [(1e3 * d[i], sizes[flow]) for flow, d in series["delay_s"].items() if d[i] is not None]
        made.append((now, _weighted(parts), float(sum(size for _, size in parts))))
    return made


def link_course(source: int) -> Course:
    """What the link from a source to the router carried in every interval [Mb/s]."""
    return lambda run: [(now, rate / 1e6, now - before) for before, now, rate in link_rates(run, source)]


def mean_until(course: list[tuple[float, float | None, float]]) -> list[tuple[float, float | None]]:
    """Of a course the mean from the start until each time."""
    made, total, weight = [], 0.0, 0.0
    for now, value, size in course:
        if value is not None:
            total, weight = total + value * size, weight + size
        made.append((now, total / weight if weight else None))
    return made


# Gains


def gain(sample: Sample, base: Sample, measure: Read, *, less: bool = False) -> Estimate:
    """By how much runs are above those of the same seeds under scheme 0, or below if less is better [%]."""
    found = []
    for mine, other in zip(sample.runs, base.runs, strict=True):
        a, b = measure(mine), measure(other)
        if a is not None and b:
            found.append(100 * (b - a if less else a - b) / b)
    return Estimate.of(found)


# What is kept of a tape


STEADY = 5.0
"""Until then flows start, and overshoot [s]."""


def waits(tape: str) -> list[float]:
    """Of every segment that the router dropped from `STEADY` on, the time until it was sent again [s]."""
    lost: list[tuple[str, str, float]] = []
    again: dict[tuple[str, str], list[float]] = {}
    for time, flow, event, segment, *_ in csv.reader(tape.splitlines()[1:]):
        if event == "drop" and float(time) >= STEADY:
            lost.append((flow, segment, float(time)))
        elif event == "retransmit":
            again.setdefault((flow, segment), []).append(float(time))
    found = []
    for flow, segment, when in lost:
        later = again.get((flow, segment), [])
        at = bisect.bisect_right(later, when)
        if at < len(later):
            found.append(later[at] - when)
    return found


_SHORT = ("duration=25 s", "warm_up=5 s")

EXPERIMENTS = [
    Experiment("fig-06-07", quick=("duration=60 s", "sample=5 s"), quick_seeds=2),
    Experiment("fig-08-09", quick=("duration=60 s", "sample=5 s"), quick_seeds=2),
    Experiment("fig-10-11", quick=("duration=120 s",), quick_seeds=2),
    Experiment("section-4-3", quick_seeds=2),
    Experiment("fig-13-14", quick=("duration=60 s", "sample=5 s"), quick_seeds=2),
    Experiment("extra-sooner", tape=waits, quick=("duration=12 s",), quick_seeds=1),
    Experiment("extra-setting", quick=_SHORT, quick_seeds=1),
    Experiment("extra-readings", quick=_SHORT, quick_seeds=1),
    Experiment("extra-trigger", quick=_SHORT, quick_seeds=1),
    Experiment("extra-interval", quick=_SHORT, quick_seeds=1),
    Experiment("extra-copies", quick=_SHORT, quick_seeds=1),
    Experiment("extra-red", quick=_SHORT, quick_seeds=1),
    Experiment("extra-senders", quick=_SHORT, quick_seeds=1),
    Experiment("extra-delays", quick=_SHORT, quick_seeds=1),
    Experiment("extra-phase", quick=_SHORT, quick_seeds=1),
    Experiment("extra-many", quick=_SHORT, quick_seeds=1),
]
