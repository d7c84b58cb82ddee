"""Dynamic thresholds: lengths of overloaded queues."""

from __future__ import annotations

import math
from typing import Any

from dupack import _native
from verify.checks import queues
from verify.frame import Report, Row
from verify.runs import documents

TITLE = "Dynamic thresholds' fixed point"
AGAINST = "Choudhury & Hahne 1998: each of n overloaded queues holds alpha B / (1 + n alpha); for one queue, D/M/1"
SEEDS = range(1, 21)
ROOM = 1000
ALPHAS = {"1/4": 0.25, "1": 1.0, "2": 2.0, "8": 8.0}
USERS = (1, 2, 5, 10)
SECONDS = 60
"""Measured time of a run, after its warm-up."""
PROPAGATION = SERVICE = 1e-3
"""Transmission time on the line of the plan [s]."""
TEXT = """
The first part tests the discipline alone: packets of n flows are offered in turn until all are refused, and none is
sent. The second part is on a line with n Poisson flows. The first flow offers 2/n of the line's rate, the last 4/n,
and the others values between; the results are means over 20 runs of 60 s, after 20 s, with their 99 % intervals.
The fixed point is that of a fluid. Real queues are whole packets, and between a departure and the next arrival of
its flow, a queue is below its threshold.

For a single flow (it offers twice the line's rate) the exact mean is known, and must lie in the 99 % interval. The
flow may hold N = ceil(alpha B / (1 + alpha)) packets. The number missing from N grows by one at each departure, one
per service time, and falls by one at each arrival. An arrival when none is missing is refused, and Poisson arrivals
are memoryless. So the number missing is the number in a D/M/1 queue with the load rho = 1/2, whose mean is rho /
(1 - sigma) with sigma = exp(-(1 - sigma) / rho) (Kleinrock 1975, chapter 6), 0.6275 packets. It does not depend on
alpha, and the seeds are the same, so these four rows count as one.

For more flows we know no exact law. Most of these rows are off by far more than their intervals, and none is
expected to be within them: their bands are tolerances for the difference between a fluid and packets. The mean of
all queues may be off by a packet. A single flow's queue follows from Little's law: its throughput times its mean
wait. There the tolerance is larger by alpha. Free room is a whole number, too, so a threshold moves in steps of
alpha, and the flow with more arrivals is the first to find the threshold raised. (A first test, which expected
equal shares, failed by up to 3 %.) At alpha = 8 and ten flows that is 9 % of a queue, which is a loose bound; a
FIFO without thresholds would give the first flow a third less than the mean, and the last a third more.
"""
PLAN = """
duration = "80 s"
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
rate = "8 Mb/s"
delay = "1 ms"
queue = { kind = "dynamic-thresholds", buffer = "ROOM packets", alpha = "ALPHA" }
"""
FLOW = """
[[flow]]
name = "user-NUMBER"
from = "a"
to = "b"
traffic = { kind = "poisson", rate = "RATE Mb/s" }
transport = { kind = "udp", mss = "972 B", header = "28 B" }
"""


def held(alpha: str, users: int) -> list[int]:
    """Backlog of each of ``users`` flows [packets] when all are refused and nothing is sent."""
    queue = _native.Queue({"kind": "dynamic-thresholds", "buffer": f"{ROOM} packets", "alpha": alpha})
    holds = [0] * users
    refused = 0
    for turn in range(2 * ROOM * users):
        flow = turn % users
        if queue.offer(f"{chr(ord('a') + flow)}{turn}", 1000):
            refused += 1
        else:
            holds[flow] += 1
            refused = 0
        if refused == users:
            break
    return holds


def asked(users: int) -> list[float]:
    """Rate that each user offers [Mb/s]."""
    return [8 / users * (2 + 2 * user / max(1, users - 1)) for user in range(users)]


def check(quick: bool) -> Report:
    """By itself, and on a line."""
    rows = []
    for text, alpha in ALPHAS.items():
        for users in USERS:
            wanted = alpha * ROOM / (1 + users * alpha)
            holds = held(text, users)
            ours = f"{min(holds)} to {max(holds)}" if len(set(holds)) > 1 else f"{holds[0]}"
            off = max(abs(hold - wanted) for hold in holds)
            what = f"discipline alone, alpha = {text}, n = {users}: a queue"
            rows.append(Row(what, ours, f"{wanted:.1f}", "1 packet", off <= 1))
    parts = []
    for text, alpha in {"2": 2.0}.items() if quick else ALPHAS.items():
        for users in (1, 2) if quick else USERS:
            found = documents(plan(text, users), SEEDS)
            wanted = alpha * ROOM / (1 + users * alpha)
            what = f"on a line, alpha = {text}, n = {users}"
            means = [it["links"][0]["mean_backlog"] / users for it in found]
            if users == 1:
                rows.append(row(f"{what}: the queue, mean", means, alone(alpha)))
            else:
                rows.append(row(f"{what}: a queue, mean", means, wanted, 1))
                for user, who in ((0, "first"), (-1, "greediest")):
                    theirs = [queue(it["flows"][user]) for it in found]
                    parts.append(row(f"{what}: the {who} user's queue", theirs, wanted, 1 + alpha))
    return Report(TITLE, AGAINST, rows + parts, TEXT, order=33)


def plan(alpha: str, users: int) -> str:
    """The plan of a line with this many users."""
    text = PLAN.replace("ROOM", str(ROOM)).replace("ALPHA", alpha)
    for user, rate in enumerate(asked(users)):
        text += FLOW.replace("NUMBER", str(user)).replace("RATE", f"{rate:.6f}")
    return text


def alone(alpha: float) -> float:
    """Mean queue of a single user who offers twice the line's rate [packets]."""
    rho = 1 / 2
    sigma = 0.0
    # This converges: the slope at the fixed point is sigma / rho = 0.41, below 1.
    for _ in range(100):
        sigma = math.exp(-(1 - sigma) / rho)
    return math.ceil(alpha * ROOM / (1 + alpha)) - rho / (1 - sigma)


def queue(flow: dict[str, Any]) -> float:
    """Mean queue of a user [packets], by Little's law, without the packet in service."""
    wait = flow["mean_delay_s"] - PROPAGATION - SERVICE
    return flow["segments_delivered"] / SECONDS * wait


def row(what: str, values: list[float], theirs: float, tolerance: float | None = None) -> Row:
    """A mean beside what it should be; without a tolerance its 99 % interval is the band."""
    mean, half = queues.band(values)
    band = "99 % interval" if tolerance is None else f"{tolerance:g} packet{'s' if tolerance > 1 else ''}, a tolerance"
    agrees = abs(mean - theirs) <= (half if tolerance is None else tolerance)
    digits = max(2, 1 - math.floor(math.log10(half)))
    return Row(what, f"{mean:.{digits}f} ± {half:.{digits}f}", f"{theirs:.{digits}f}", band, agrees)
