"""What TCP gets out of random losses, beside the laws that predict it."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any

from dupack import Plan, _native
from dupack.work import Run, jobs_of, run_jobs
from verify.frame import Report, Row

TITLE = "Throughput laws"
AGAINST = "Mathis et al. 1997 (square root) and Padhye et al. 1998 (PFTK, the full model)"
TEXT = """
A greedy sender, no delayed acks, one long line that loses packets with the probability p, independently; five
runs of 600 s each, clocks of 10 ms, a first timeout of 1 s (`min_rto`). Measured / predicted; measured is
what is sent per second, as the laws count, and p in the laws is the loss probability of the line. PFTK models
Reno, which loses all packets behind a lost one of the same round; with independent losses it is known to be a
little low where windows are middling, and to fail where most losses are found by timeout (windows of 3 and
4). The square-root law has no timeouts, and is meant for p up to about 1 %. The bands are ours, from what the
papers' own figures show of measured traces: PFTK ±15 % for Reno up to p = 3 % (the authors report mean errors
of that size over traces), the law ±10 % up to 0.3 %. Beyond them rows claim nothing.
"""
PLAN = """
duration = "620 s"
warm_up = "20 s"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "line"
carries = "packets"
from = "a"
to = "b"
rate = "10 Gb/s"
delay = "50 ms"
queue = { kind = "drop-tail", buffer = "1000000 packets" }
loss = { kind = "bernoulli", rate = 0.01 }
[[flow]]
name = "f"
from = "a"
to = "b"
traffic = { kind = "greedy" }
transport = { kind = "reno", mss = "1460 B", tick = "10 ms", min_rto = "1 s", max_window = "100000 segments" }
[sweep]
"link.line.delay" = DELAYS
"link.line.loss.rate" = LOSSES
"flow.f.transport.kind" = ["reno", "newreno", "sack"]
seeds = "1..5"
"""
WHOLE = ('["5 ms", "50 ms", "150 ms"]', "[0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1]")
QUICK = ('["50 ms"]', "[0.001, 0.01]")
RTO = 1.0
SECONDS = 600.0


@dataclass(frozen=True)
class Point:
    """A setting, with what was measured there."""

    kind: str
    p: float
    rtt: float
    rate: float
    """Packets sent per second."""

    @property
    def square_root(self) -> float:
        """Measured over the square-root law."""
        return self.rate / _native.mathis(self.p, self.rtt, 1)

    @property
    def pftk(self) -> float:
        """Measured over the full model."""
        return self.rate / _native.pftk(self.p, self.rtt, RTO, 1, 1e9)


def points(quick: bool) -> list[Point]:
    """All of the sweep, or some of it if it is to be quick."""
    delays, losses = QUICK if quick else WHOLE
    plan = Plan(PLAN.replace("DELAYS", delays).replace("LOSSES", losses).encode(), "verify", [])
    jobs = jobs_of(plan)
    runs: dict[int, Run] = {}
    run_jobs(jobs, done=runs.__setitem__)
    of: dict[int, list[dict[str, Any]]] = {}
    for i, job in enumerate(jobs):
        of.setdefault(job.point, []).append(runs[i].document["flows"][0])
    found = []
    for at, flows in of.items():
        settings = plan.points[at]
        rate = statistics.mean(flow["segments_sent"] for flow in flows) / SECONDS
        rtt = statistics.mean(flow["mean_rtt_s"] for flow in flows)
        kind, p = settings["flow.f.transport.kind"], float(settings["link.line.loss.rate"])
        found.append(Point(kind, p, rtt, rate))
    return found


def check(quick: bool) -> Report:
    """Runs the sweep."""
    rows = []
    for it in points(quick):
        claims = it.kind == "reno" and it.p <= 0.03
        rows.append(
            Row(
                f"{it.kind}, RTT {it.rtt * 1e3:.0f} ms, p = {it.p:g}: over PFTK",
                f"{it.pftk:.3f}",
                "1",
                "±15 %" if claims else "none",
                abs(it.pftk - 1) <= 0.15 if claims else None,
            )
        )
        claims = it.p <= 0.003
        rows.append(
            Row(
                f"{it.kind}, RTT {it.rtt * 1e3:.0f} ms, p = {it.p:g}: over the square-root law",
                f"{it.square_root:.3f}",
                "1",
                "±10 %" if claims else "none",
                abs(it.square_root - 1) <= 0.1 if claims else None,
            )
        )
    return Report(TITLE, AGAINST, rows, TEXT, order=30)
