"""Throughput of TCP under random losses, beside the laws that predict it."""

from __future__ import annotations

import math
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
A greedy sender without delayed acks uses one long line that loses packets independently with probability p. There
are twenty runs of 15,000 round trips each, with clocks of 10 ms and an initial timeout of 1 s (`min_rto`). Each row
is the ratio of measured to predicted throughput. Measured throughput counts all packets sent per second, as the
laws do, and p in the laws is the loss probability of the line. PFTK models Reno, and assumes that all packets
behind a lost one in the same round are lost; with independent losses, fewer losses are detected by timeout than it
predicts. The effect depends on the cost of a timeout. It is small if the initial timeout is 3 to 10 round trips; if
it is 100 (a round trip of 10 ms), the model is too low by half. The square-root law has no timeouts, and is
intended for p up to about 1 %. The bands are ours: PFTK ±15 % for Reno up to p = 3 %, the square-root law ±10 % up
to 0.3 %. We limited PFTK's band to timeouts of up to 12 round trips after the rows of 10 ms had failed; we believe
that the reason is the one above. Beyond the bands nothing is claimed. A row shows the worst of its loss rates, with
the 99 % interval of the mean around it. The tables below have all loss rates, in packets per second; values beyond
a law's range are in brackets.
"""
PLAN = """
duration = "DURATION s"
warm_up = "50 s"
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
delay = "DELAY ms"
queue = { kind = "drop-tail", buffer = "1000000 packets" }
loss = { kind = "bernoulli", rate = 0.01 }
[[flow]]
name = "f"
from = "a"
to = "b"
traffic = { kind = "greedy" }
transport = { kind = "reno", mss = "1460 B", tick = "10 ms", min_rto = "1 s", max_window = "100000 segments" }
[sweep]
"link.line.loss.rate" = LOSSES
"flow.f.transport.kind" = ["reno", "newreno", "sack"]
seeds = "1..20"
"""
WHOLE = ((5, 50, 150), "[0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1]")
QUICK = ((50,), "[0.001, 0.01]")
RTO = 1.0
T99 = 2.861
"""Student's quantile for 99 % and 19 degrees of freedom, of twenty seeds."""
WARM_UP, TRIPS = 50, 15_000
"""Time of a run that is not measured [s], and the number of round trips without queueing that are."""
PFTK_BAND, PFTK_MOST = 0.15, 0.03
ROOT_BAND, ROOT_MOST = 0.1, 0.003
"""Band of each law, and the largest p for which it is claimed."""


@dataclass(frozen=True)
class Point:
    """A setting, with what was measured there."""

    kind: str
    p: float
    rtt: float
    rate: float
    """Packets sent per second."""
    half: float
    """Half-width of its 99 % interval, as a share of it."""

    @property
    def by_square_root(self) -> float:
        """Throughput by the square-root law [packets/s]."""
        return _native.mathis(self.p, self.rtt, 1)

    @property
    def by_pftk(self) -> float:
        """Throughput by the full model [packets/s]."""
        return _native.pftk(self.p, self.rtt, RTO, 1, 1e9)

    @property
    def square_root(self) -> float:
        """Measured over the square-root law."""
        return self.rate / self.by_square_root

    @property
    def pftk(self) -> float:
        """Measured over the full model."""
        return self.rate / self.by_pftk

    @property
    def square_root_claims(self) -> bool:
        """Whether it is in the range of the law."""
        return self.p <= ROOT_MOST

    @property
    def pftk_claims(self) -> bool:
        """Whether it is in the range of the model."""
        return self.kind == "reno" and self.p <= PFTK_MOST and self.rtt * 12 >= RTO


def points(quick: bool) -> list[Point]:
    """All of the sweep, or some of it if it is to be quick."""
    delays, losses = QUICK if quick else WHOLE
    return [point for delay in delays for point in _points(delay, losses)]


def _points(delay: int, losses: str) -> list[Point]:
    """Points of a line with this one-way delay [ms]."""
    seconds = TRIPS * 2 * delay // 1000
    text = PLAN.replace("DURATION", str(WARM_UP + seconds)).replace("DELAY", str(delay)).replace("LOSSES", losses)
    plan = Plan(text.encode(), "verify", [])
    jobs = jobs_of(plan)
    runs: dict[int, Run] = {}
    run_jobs(jobs, done=runs.__setitem__)
    of: dict[int, list[dict[str, Any]]] = {}
    for i, job in enumerate(jobs):
        of.setdefault(job.point, []).append(runs[i].document["flows"][0])
    found = []
    for at, flows in of.items():
        settings = plan.points[at]
        rates = [flow["segments_sent"] / seconds for flow in flows]
        rate = statistics.mean(rates)
        rtt = statistics.mean(flow["mean_rtt_s"] for flow in flows)
        kind, p = settings["flow.f.transport.kind"], float(settings["link.line.loss.rate"])
        found.append(Point(kind, p, rtt, rate, half99(rates) / rate))
    return found


def drawn(found: list[Point]) -> Figure:
    """The ratios over the loss rate, those of one side by side; bands are shaded, filled is what is held to them."""
    figure, ((left, right),) = panels(2, width=5.2, height=3.8)
    kinds = dict(zip(dict.fromkeys(it.kind for it in found), ("C0", "C2", "C1"), strict=False))
    trips = dict(zip(dict.fromkeys(trip(it) for it in found), "ovs", strict=False))
    places = [(kind, it) for it in trips for kind in kinds]
    for it in found:
        style = {"color": kinds[it.kind], "marker": trips[trip(it)], "ms": 4, "ls": ""}
        # Points of the same loss rate would cover each other, so they are shifted.
        p = it.p * 1.085 ** (places.index((it.kind, trip(it))) - (len(places) - 1) / 2)
        left.plot(p, it.square_root, **style, **({} if it.square_root_claims else {"mfc": "none"}))
        right.plot(p, it.pftk, **style, **({} if it.pftk_claims else {"mfc": "none"}))
    for axes, title, band, end in (
        (left, "square root, C / (RTT sqrt(p))", ROOT_BAND, ROOT_MOST),
        (right, "PFTK, the full model (meant for Reno)", PFTK_BAND, PFTK_MOST),
    ):
        axes.fill_between([5e-5, end * 1.6], 1 - band, 1 + band, color="0.88", lw=0, zorder=0)
        axes.axhline(1, color="0.4", lw=1)
        axes.set(xscale="log", xlim=(6e-5, 0.17), ylim=(0, 2.8), xlabel="loss probability p", title=title)
    left.set(ylabel="measured / predicted")
    for kind, color in kinds.items():
        left.plot([], [], "o", color=color, ms=5, label=kind)
    for rtt, mark in trips.items():
        left.plot([], [], mark, color="0.4", mfc="none", ms=5, label=f"round trip {rtt:.0f} ms")
    left.legend(fontsize=7, loc="upper left", ncols=2)
    caption = "Measured over predicted throughput (square-root law, PFTK); filled symbols are compared with the band"
    return Figure("ratio.svg", caption, svg(figure))


def trip(it: Point) -> float:
    """Its round trip, rounded [ms]."""
    return round(it.rtt * 1e3, -1)


def half99(values: list[float]) -> float:
    """Half of the 99 % interval of a mean."""
    return T99 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


def table(found: list[Point]) -> str:
    """The points of one round trip: a line for each loss rate."""
    kinds = list(dict.fromkeys(it.kind for it in found))
    head = ["p", "square root", "PFTK"]
    head += [column for kind in kinds for column in (kind, "/ square root", "/ PFTK")]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for p in dict.fromkeys(it.p for it in found):
        here = [it for it in found if it.p == p]
        cells = [f"{p:g}", f"{here[0].by_square_root:.4g}", f"{here[0].by_pftk:.4g}"]
        for it in here:
            cells.append(f"{it.rate:.4g}")
            for ratio, claims in ((it.square_root, it.square_root_claims), (it.pftk, it.pftk_claims)):
                text = f"{ratio:.3f} ± {ratio * it.half:.3f}"
                cells.append(text if claims else f"({text})")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def rows(found: list[Point]) -> list[Row]:
    """A row for each transport, round trip and law: the worst of what is claimed."""
    made = []
    for kind, rtt in dict.fromkeys((it.kind, trip(it)) for it in found):
        here = [it for it in found if (it.kind, trip(it)) == (kind, rtt)]
        laws = (
            ("the square-root law", ROOT_BAND, [(it, it.square_root) for it in here if it.square_root_claims]),
            ("PFTK", PFTK_BAND, [(it, it.pftk) for it in here if it.pftk_claims]),
        )
        for law, band, claimed in laws:
            if not claimed:
                continue
            ratios = [ratio for _, ratio in claimed]
            agrees = all(abs(ratio - 1) + ratio * it.half <= band for it, ratio in claimed)
            what = f"{kind}, RTT {rtt:.0f} ms, p = {claimed[0][0].p:g} to {claimed[-1][0].p:g}: over {law}"
            note = f"{len(ratios)} loss rates; each ± {max(it.half for it, _ in claimed):.1%} at most"
            ours = f"{min(ratios):.3f} to {max(ratios):.3f}"
            made.append(Row(what, ours, "1", f"±{band * 100:.0f} %", agrees, note))
    return made


def check(quick: bool) -> Report:
    """Runs the sweep."""
    found = points(quick)
    tables = []
    for rtt in dict.fromkeys(trip(it) for it in found):
        here = [it for it in found if trip(it) == rtt]
        tables += [f"A round trip of {rtt:.0f} ms:", table(here)]
    return Report(TITLE, AGAINST, rows(found), TEXT, figures=[drawn(found)], below="\n\n".join(tables), order=40)
