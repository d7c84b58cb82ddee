"""The simulator's models of Linux' senders beside Linux itself, over the same links and queues."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import Any

from dupack import privileges
from dupack.live import run_live
from dupack.work import Job, Plan, run_points
from verify.frame import Report, Row

TITLE = "Simulated senders beside those of the Linux kernel"
AGAINST = "the kernel's own TCP, in live runs of the same plans"
ORDER = 28
CONTROLS = ("reno", "cubic", "bbr")
QUEUES = {
    "drop-tail": 'kind = "drop-tail", buffer = "60 packets"',
    "codel": 'kind = "codel"',
}
RATES = (10, 50)
"""In Mb/s."""
PLAN = """
title = "One flow"
duration = "{duration} s"
warm_up = "{warm_up} s"
percentiles = true
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "line"
carries = "packets"
from = "a"
to = "b"
rate = "{rate} Mb/s"
delay = "20 ms"
queue = {{ {queue} }}
[[flow]]
name = "flow"
from = "a"
to = "b"
transport = {{ kernel = "{control}" }}
"""
TEXT = """
One flow over one link, with a round trip of 40 ms, as simulated (`linux-reno`, `linux-cubic`, `linux-bbr`) and live,
with {runs} runs of each of {duration} s, of which the first {warm_up} s are not measured. Bands, stated before: goodput
within 3 %, median round trip within 5 %, share of packets dropped within 15 %. Where a live run says that it is not
to be trusted, nothing is claimed.
"""
BELOW = """
A single flow has few drops, so that one more or less is often more than 15 %. Two differences are known: the
simulator's CUBIC leaves slow start by HyStart++ (RFC 9406), the kernel's by HyStart; and connections of the kernel
begin with a handshake.
"""


@dataclass(frozen=True)
class Measure:
    """What is compared."""

    goodput: float
    rtt: float
    loss: float

    @staticmethod
    def of(documents: list[dict[str, Any]]) -> Measure:
        """Means over runs."""
        flows = [it["flows"][0] for it in documents]
        lines = [it["links"][0]["measured"] for it in documents]
        return Measure(
            fmean(it["goodput_bps"] for it in flows),
            fmean(it["rtt_s"]["p50"] for it in flows),
            sum(sum(it["dropped"].values()) for it in lines) / max(1, sum(it["offered"] for it in lines)),
        )


def check(quick: bool) -> Report:
    """Runs the grid."""
    if not privileges.able():
        return Report(TITLE, AGAINST, skipped="it needs root, network namespaces and /dev/net/tun", order=ORDER)
    duration, warm_up, runs = (8, 3, 2) if quick else (20, 5, 5)
    rows: list[Row] = []
    rates = RATES[:1] if quick else RATES
    for rate, queue, control in product(rates, QUEUES, CONTROLS):
        text = PLAN.format(duration=duration, warm_up=warm_up, rate=rate, queue=QUEUES[queue], control=control)
        plan = Plan(text.encode(), "live_kernel", [])
        jobs = [Job(plan, 0, seed) for seed in range(1, runs + 1)]
        simulated = [run.document for run in run_points(plan, jobs, until=False) if run]
        live = [run_live(job) for job in jobs]
        trusted = all(it["live"]["trusted"] for it in live)
        ours, theirs = Measure.of(simulated), Measure.of(live)
        where = f"{control}, {queue}, {rate} Mb/s"
        rows += [
            _row(f"{where}: goodput", ours.goodput / 1e6, theirs.goodput / 1e6, ("{:.3f} Mb/s", 0.03), trusted),
            _row(f"{where}: median RTT", ours.rtt * 1e3, theirs.rtt * 1e3, ("{:.1f} ms", 0.05), trusted),
            _row(f"{where}: dropped", ours.loss * 100, theirs.loss * 100, ("{:.3f} %", 0.15), trusted),
        ]
    text = TEXT.format(runs=runs, duration=duration, warm_up=warm_up)
    return Report(TITLE, AGAINST, rows, text, below=BELOW, order=ORDER)


def _row(what: str, ours: float, theirs: float, how: tuple[str, float], trusted: bool) -> Row:
    form, band = how
    within = abs(ours - theirs) <= band * theirs
    note = "" if trusted else "a live run says: do not trust this"
    off = f"{(ours / theirs - 1) * 100:+.1f} %" if theirs else ""
    said = "; ".join(it for it in (off, note) if it)
    return Row(what, form.format(ours), form.format(theirs), f"±{band:.0%}", within if trusted else None, said)
