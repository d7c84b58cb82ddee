"""The experiments of Keshav & Morgan 1997, and how their results are read."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dupack._native import nominal_load
from dupack.reproduce.paper import Experiment, Measured, Results, Sample

# The numbers of §2

ROUND_TRIP = 0.05
"""T_RT [s]."""
ON = 2 * ROUND_TRIP
"""T_ON [s]."""
WINDOW = 100
"""W_RT, the round-trip window [packets]."""
SOURCES = 10
PAYLOAD, PACKET = 460, 500
"""Of a packet [bytes]; P counts its header."""
BACKBONE = WINDOW * PACKET / ROUND_TRIP
"""S_b [bytes/s]."""
SHARES = {25: 0.25, 50: 0.5, 100: 1}
"""B, the buffer in round-trip windows, by its packets."""
BURSTS = {"1 packet": "isolated losses", "5 packets": "bursts of 5"}

# Paths of what is varied, or how they end

OFF = ".traffic.off"
BUFFER = "link.backbone.queue.buffer"
OVERFLOW = "link.backbone.queue.overflow"
PAIRS = "host.pair-source.count"
TRANSPORT = "flow.user.transport"
KIND = ".transport.kind"
LIMIT = "flow.user.transport.max_window"
RATE = "loss.rate"
BURST = "loss.mean_burst"


def _load(off: object) -> float:
    return SOURCES * nominal_load(ON, ROUND_TRIP, float(str(off).removesuffix(" ms")) / 1e3)


def _experiment(plan: str, *loads: float, quick: str = "120 s") -> Experiment:
    """A first look has a quarter of the intervals, and of the loads only these."""

    def keep(settings: dict[str, Any]) -> bool:
        offs = [value for path, value in settings.items() if path.endswith(OFF)]
        return not loads or all(any(abs(_load(off) - load) < 0.01 for load in loads) for off in offs)

    return Experiment(plan, quick=(f"duration={quick}",), quick_seeds=1, quick_keep=keep)


EXPERIMENTS = [
    _experiment("fig-02", 0.3, 0.5, 1, 2, 5),
    _experiment("fig-03", 0.5, 1, 2, 5),
    _experiment("fig-04", 0.5, 1, 2, 5),
    _experiment("fig-05", 0.5, 1, 2, 5),
    _experiment("section-5", 1, 2, 5),
    _experiment("section-5-mix", 1, 2, 5),
    _experiment("section-5-buffer"),
    _experiment("fig-06"),
    Experiment("section-6", quick_seeds=1),
    _experiment("fig-07"),
    _experiment("extra-rare", quick="420 s"),
    _experiment("extra-go-back-n"),
    _experiment("extra-smart"),
    _experiment("extra-pair"),
    _experiment("extra-mix"),
    _experiment("extra-lost"),
    _experiment("extra-tcp-load", 0.5, 1, 2, 5),
    _experiment("extra-tcp-loss"),
    _experiment("extra-reorder"),
    _experiment("extra-delayed"),
]


# What is read off a run


def goodputs(group: str = "", *, each: bool = False) -> Callable[[Measured], list[float]]:
    """Of every interval the goodput, as a share of the backbone: of all flows of a group together, or the mean of them.

    It is P for each packet that was delivered in order, over what the backbone carries in that time.
    """

    def measure(run: Measured) -> list[float]:
        series, warm = run.document["series"], run.document["warm_up_s"]
        mine = [total for flow, total in series["delivered"].items() if flow.startswith(group)]
        at = [i for i, time in enumerate(series["time_s"]) if time >= warm]
        shares = []
        for begin, end in itertools.pairwise(at):
            time = series["time_s"][end] - series["time_s"][begin]
            packets = sum(total[end] - total[begin] for total in mine) / PAYLOAD
            shares.append(packets * PACKET / (BACKBONE * time) / (len(mine) if each else 1))
        return shares

    return measure


goodput = goodputs()


def again(run: Measured) -> float:
    """Share of the packets sent that had been sent before."""
    flows = run.document["flows"]
    return sum(f["segments_retransmitted"] for f in flows) / sum(f["segments_sent"] for f in flows)


# Samples by what they are


def setting(sample: Sample, end: str) -> Any:
    """The value of the axis whose path ends so; None if there is none."""
    return next((value for path, value in sample.settings.items() if path.endswith(end)), None)


def load(sample: Sample) -> float:
    """Nominal load of all sources together (eq. 1)."""
    return _load(setting(sample, OFF))


def buffer(sample: Sample) -> int:
    """Of the router [packets]."""
    return _packets(sample.settings[BUFFER])


def _packets(value: object) -> int:
    return int(str(value).split()[0])


def loss_rate(sample: Sample) -> float:
    """One way [%]."""
    return 100 * float(setting(sample, RATE))


def overloaded(samples: Sequence[Sample], least: float = 1.0) -> list[Sample]:
    """Those of nominal loads of at least so much."""
    return [sample for sample in samples if load(sample) >= least - 0.001]


def at_load(samples: Sequence[Sample], wanted: float) -> Sample:
    return next(sample for sample in samples if abs(load(sample) - wanted) < 0.01)


def with_buffer(samples: Sequence[Sample], size: int) -> list[Sample]:
    return [sample for sample in samples if buffer(sample) == size]


def mixed(results: Results, plan: str, pairs: int) -> list[Sample]:
    """Those with so many packet-pair sources."""
    return [sample for sample in results[plan] if sample.settings[PAIRS] == pairs]


def overflow(samples: Sequence[Sample], rule: str) -> list[Sample]:
    return [sample for sample in samples if sample.settings[OVERFLOW] == rule]


def alike(results: Results, plan: str, kind: str) -> list[Sample]:
    """Those of users of one kind, where whole transports are varied."""
    return [sample for sample in results[plan] if sample.settings[TRANSPORT]["kind"] == kind]


def tcp(results: Results, kind: str, burst: str) -> list[Sample]:
    """Of Fig. 6, by loss rate."""
    end = {KIND: kind, BURST: burst, RATE: None}
    return [sample for sample in results["fig-06"] if fits(sample, end)]


def circuit(results: Results, plan: str, burst: str, **changed: object) -> list[Sample]:
    """Packet-pair or another on the lossy circuit, by loss rate; ``changed`` names parameters of the transport."""
    end = {BURST: burst, RATE: None} | {f".transport.{name}": value for name, value in changed.items()}
    return [sample for sample in results[plan] if fits(sample, end)]


def window(packets: int) -> str:
    """As it stands in plans."""
    return f"{packets} segments"


def fits(sample: Sample, ends: Mapping[str, object]) -> bool:
    """Whether the axes of a sample are those whose paths end so, with these values; None stands for any value."""

    def fit(path: str, value: object) -> bool:
        return any(path.endswith(end) and wanted in (None, value) for end, wanted in ends.items())

    return len(sample.settings) == len(ends) and all(fit(*one) for one in sample.settings.items())


def reading(results: Results, plan: str, **changed: object) -> list[Sample]:
    """What changes so much of a figure's readings and no more, by the ends of the paths."""
    open_ = (OFF, BUFFER, ".count")
    found = []
    for sample in results[plan]:
        rest = {path: value for path, value in sample.settings.items() if not path.endswith(open_)}
        if fits(Sample(rest, sample.runs), changed):
            found.append(sample)
    return found
