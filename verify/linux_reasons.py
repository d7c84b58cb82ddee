"""Why numbers of the simulator and of Linux in a process differ: each reason is tried in a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from verify.linux_cases import Case, Variant
from verify.linux_cubic import LinuxCubic
from verify.linux_fq_codel import LinuxFqCodel
from verify.linux_rows import Change

Runs = Sequence[Mapping[str, Any]]
"""Of Linux in a process, for a case."""
MOST_ACKS = 0.75
"""Acks per data segment above which acks are taken for not delayed: between one for each and one for every second."""


def _of(case: Case, *controls: str) -> list[int]:
    """The places of flows with these controllers."""
    return [n for n, flow in enumerate(case.flows) if flow.control in controls]


def _each(case: Case, what: str, *controls: str) -> Variant | None:
    """What is set for these flows; None without any."""
    places = _of(case, *controls)
    return Variant(tuple(f"flow.flow-{n}.transport.{what}" for n in places)) if places else None


def _counted(case: Case, _: Runs) -> Variant | None:
    return _each(case, "counted=segments", "reno", "dctcp")


def _cubic(case: Case, found: Runs) -> Variant | None:
    name = LinuxCubic.__name__
    own = _each(case, f'control={{ kind = "external", name = "{name}" }}', "cubic")
    if not own:
        return None
    ends = []
    for n in _of(case, "cubic"):
        windows = [ended(run["flows"][n]["netstat"]) for run in found]
        if window := median(windows):
            ends.append(f"flow.flow-{n}.transport.initial_ssthresh={window:.0f} segments")
    return own + Variant(tuple(ends), {name: LinuxCubic()})


def ended(netstat: Mapping[str, int]) -> int:
    """The window at which HyStart ended a flow's slow start [segments]; 0 if a loss did."""
    return netstat["TCPHystartTrainCwnd"] + netstat["TCPHystartDelayCwnd"]


def _acks(case: Case, found: Runs) -> Variant | None:
    return _each(case, "delayed_ack=false", "reno", "cubic", "bbr", "dctcp") if acks(found) > MOST_ACKS else None


def acks(found: Runs) -> float:
    """Acks per data segment that Linux' senders got; 0 if no run tells."""
    told = [flow["info"] for run in found for flow in run["flows"] if "acks" in flow.get("info", ())]
    return median(info["acks"] / info["data_segments_out"] for info in told) if told else 0.0


def _fq_codel(case: Case, _: Runs) -> Variant | None:
    if case.queue.name != "FQ-CoDel":
        return None
    name = LinuxFqCodel.__name__
    # A discipline in Python is on a line of that rate, without the token bucket.
    sets = (f'link.bottleneck.queue={{ kind = "external", name = "{name}" }}', f"link.bottleneck.rate={case.rate} Mb/s")
    return Variant(sets, {name: LinuxFqCodel()})


COUNTED = Change(1, _counted)
CUBIC = Change(2, _cubic)
ACKS = Change(3, _acks)
FQ_CODEL = Change(4, _fq_codel)
CHANGES = (COUNTED, CUBIC, ACKS, FQ_CODEL)
