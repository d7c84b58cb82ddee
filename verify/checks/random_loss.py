"""Random losses on a line: when they, and not the buffer, limit a TCP."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from dataclasses import dataclass
from itertools import product

from dupack import _native
from verify.figures import panels, svg
from verify.frame import Figure, Report, Row
from verify.runs import runs

TITLE = "Random losses on a line"
AGAINST = (
    "Lakshman & Madhow 1997, as others cite it: random losses matter if p (mu tau)^2 exceeds about 1; "
    "and a fluid equation that we derived from this"
)
TEXT = """
A greedy sender is alone on a line. W is the line's rate times the round-trip time without queueing, in packets (mu
tau in the paper's notation). The buffer is W or W/5, and packets are lost independently with probability p. In the
model, the sender's share of the line depends only on x = p W^2 and on the ratio of the buffer to W. So points of
all W should lie on one curve, which is flat while x is far below 1 (the window grows to the full buffer before a
loss) and falls as 1.31 / sqrt(x) far above. The curve is the solution of the fluid model (`dupack-theory`,
`lakshman_madhow`; the paper was not at hand, the equation is ours). There are twenty runs of 800 s each, with a
round trip of 100 ms without queueing and no delayed acks. The model has no timeouts and repairs a loss instantly,
whereas a recovery takes a round trip, which matters if windows are small. So nothing is claimed where W or sqrt(3 /
(2p)) is below 25. Nor is anything claimed where a window often loses several packets, that is, where x / W, the
losses per window of W, exceeds 0.5. For Reno, which then often waits for a timeout, the limit is 0.1. The bands are
ours and include the 99 % interval of each mean. We chose these limits after seeing the rows beyond them.
"""
T99 = 2.861
"""Student's quantile for 99 % and 19 degrees of freedom, of twenty seeds."""
SECONDS, WARM_UP = 800, 100
PLAN = """
duration = "DURATION s"
warm_up = "100 s"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "line"
carries = "packets"
from = "a"
to = "b"
rate = "RATE Mb/s"
delay = "50 ms"
back_rate = "10 Gb/s"
queue = { kind = "drop-tail", buffer = "BUFFER packets" }
loss = { kind = "bernoulli", rate = 0.01 }
[[flow]]
name = "f"
from = "a"
to = "b"
traffic = { kind = "greedy" }
transport = { kind = "reno", mss = "1460 B", tick = "10 ms", min_rto = "1 s", max_window = "100000 segments" }
[sweep]
"link.line.loss.rate" = LOSSES
"flow.f.transport.kind" = KINDS
"""
XS = (0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300)
WINDOWS = (20, 50, 100, 200)
BUFFERS = (1.0, 0.2)
KINDS = ("reno", "sack")


@dataclass(frozen=True)
class Point:
    """A setting, with what was measured there."""

    kind: str
    beta: float
    w: int
    x: float
    share: float
    """Share of the line's rate that is sent."""
    half: float
    """Half-width of its 99 % interval, as a share of it."""

    @property
    def p(self) -> float:
        """Loss probability."""
        return self.x / self.w**2

    @property
    def model(self) -> float:
        """Share by the model."""
        return _native.lakshman_madhow(self.x, self.beta)

    @property
    def ratio(self) -> float:
        """Measured share over the model's."""
        return self.share / self.model

    @property
    def claims(self) -> bool:
        """Whether it is in the range of the model."""
        several = 0.1 if self.kind == "reno" else 0.5
        return self.x / self.w <= several and min(self.w, math.sqrt(1.5 / self.p)) >= 25


def measured(beta: float, w: int, xs: list[float], seeds: range, seconds: int) -> list[Point]:
    """The mean shares of a line and a buffer."""
    # T is 100 ms and the transmission time of a packet.
    rate = (w - 1) * 12000 / 0.1
    losses = [round(x / w**2, 9) for x in xs]
    plan = PLAN.replace("DURATION", str(WARM_UP + seconds)).replace("RATE", f"{rate / 1e6:.6f}")
    plan = (
        plan.replace("BUFFER", str(round(beta * w))).replace("LOSSES", str(losses)).replace("KINDS", str(list(KINDS)))
    )
    sent: dict[tuple[str, float], list[int]] = defaultdict(list)
    for run in runs(plan, seeds):
        set_here = run.job.plan.points[run.job.point]
        at = set_here["flow.f.transport.kind"], float(set_here["link.line.loss.rate"])
        sent[at].append(run.document["flows"][0]["segments_sent"])
    found = []
    for kind, (x, p) in product(KINDS, zip(xs, losses, strict=True)):
        counts = sent[kind, p]
        mean = statistics.mean(counts)
        half = T99 * statistics.stdev(counts) / math.sqrt(len(counts)) / mean if len(counts) > 1 else 0.0
        found.append(Point(kind, beta, w, x, mean * 12000 / seconds / rate, half))
    return found


def points(quick: bool) -> list[Point]:
    """All settings, but for losses beyond 3 %."""
    seeds, seconds = (range(1, 2), 500) if quick else (range(1, 21), SECONDS)
    windows, xs = ((20, 50), (0.1, 1, 10)) if quick else (WINDOWS, XS)
    found = []
    for beta in BUFFERS:
        for w in windows:
            found += measured(beta, w, [x for x in xs if x / w**2 <= 0.03], seeds, seconds)
    return found


def drawn(found: list[Point]) -> Figure:
    """The shares on the model's curve, and what they are over it."""
    figure, (above, below) = panels(2, 2)
    # All panels share the x axis, so that each share is above its ratio to the model.
    for axes in (*above, *below):
        axes.sharex(above[0])
    xs = [10 ** (i / 20) for i in range(-35, 56)]
    marks = dict(zip(WINDOWS, "ovs^", strict=True))
    for beta, upper, lower in zip(BUFFERS, above, below, strict=True):
        upper.plot(xs, [_native.lakshman_madhow(x, beta) for x in xs], color="0.4", label="the model")
        falls = [x for x in xs if x >= 1.5]
        upper.plot(falls, [1.31 / math.sqrt(x) for x in falls], color="0.4", ls=":", label="1.31 / sqrt(x)")
        lower.axhspan(0.9, 1.1, color="0.92")
        lower.axhline(1, color="0.4", lw=1)
        for kind, color in zip(KINDS, ("C0", "C1"), strict=True):
            for w, mark in marks.items():
                here = [it for it in found if (it.kind, it.beta, it.w) == (kind, beta, w)]
                style = {"color": color, "marker": mark, "ls": "", "ms": 5}
                upper.plot(
                    [it.x for it in here], [it.share for it in here], mfc="none", **style, label=f"{kind}, W = {w}"
                )
                for claims in (True, False):
                    some = [it for it in here if it.claims == claims]
                    fill = {} if claims else {"mfc": "none"}
                    lower.plot([it.x for it in some], [it.ratio for it in some], **style, **fill)
        upper.set(
            xscale="log", yscale="log", ylabel="share of the line", title=f"buffer = {beta:g} W", ylim=(0.03, 1.3)
        )
        lower.set(xscale="log", xlabel="x = p W²", ylabel="measured / model", ylim=(0.3, 1.3))
        for axes in (upper, lower):
            axes.axvline(1, color="0.7", lw=1)
    above[0].legend(fontsize=7, ncols=2, loc="lower left")
    below[0].plot([], [], "ko", ms=5, label="where the model is meant")
    below[0].plot([], [], "ko", ms=5, mfc="none", label="beyond")
    below[0].legend(fontsize=7, loc="lower left")
    caption = "Share of a line under random losses, measured and by the model, over x; and the ratio of the two"
    return Figure("random-loss.svg", caption, svg(figure))


def spread(found: list[Point]) -> str:
    """From the least ratio to the greatest."""
    ratios = [it.ratio for it in found]
    return f"{min(ratios):.3f} to {max(ratios):.3f}"


def check(quick: bool) -> Report:
    """A row for each W, buffer and TCP; rows for the two regimes."""
    found = points(quick)
    rows = []
    groups: dict[tuple[str, float, int, bool], list[Point]] = defaultdict(list)
    for it in found:
        groups[it.kind, it.beta, it.w, it.claims].append(it)
    for (kind, beta, w, claims), here in groups.items():
        what = f"{kind}, buffer {beta:g} W, W = {w}, x = {here[0].x:g} to {here[-1].x:g}: share over the model's"
        note = f"{len(here)} settings; each ± {max(it.half for it in here):.1%} at most"
        agrees = all(abs(it.ratio - 1) + it.ratio * it.half <= 0.1 for it in here) if claims else None
        rows.append(Row(what, spread(here), "1", "±10 %" if claims else "none", agrees, note))
    for beta in BUFFERS:
        calm = [it for it in found if it.beta == beta and it.x <= 0.1 and it.claims]
        flat = _native.lakshman_madhow(1e-9, beta)
        shares = [it.share / flat for it in calm]
        ours = f"{min(shares):.3f} to {max(shares):.3f}"
        agrees = min(shares) >= 0.95
        rows.append(Row(f"buffer {beta:g} W, x up to 0.1: over the share without losses", ours, "1", "-5 %", agrees))
    falling = [it for it in found if it.x >= 10 and it.claims] or [found[-1]]
    falls = [it.share * math.sqrt(it.x) for it in falling]
    agrees = all(abs(it / 1.3098 - 1) <= 0.1 for it in falls)
    ours = f"{min(falls):.3f} to {max(falls):.3f}"
    rows.append(
        Row(f"x from {falling[0].x:g}: share times sqrt(x)", ours, "1.310", "±10 %", agrees, f"{len(falls)} settings")
    )
    return Report(TITLE, AGAINST, rows, TEXT, figures=[drawn(found)], order=41)
