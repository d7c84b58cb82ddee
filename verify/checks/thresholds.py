"""Dynamic thresholds: what overloaded queues come to hold."""

from __future__ import annotations

import statistics
from typing import Any

from dupack import _native
from verify.frame import Report, Row
from verify.runs import documents

TITLE = "Dynamic thresholds' fixed point"
AGAINST = "Choudhury & Hahne 1998: each of n overloaded queues holds alpha B / (1 + n alpha)"
SEEDS = range(1, 21)
ROOM = 1000
ALPHAS = {"1/4": 0.25, "1": 1.0, "2": 2.0, "8": 8.0}
USERS = (1, 2, 5, 10)
TEXT = """
At first the discipline by itself: packets of n flows are offered in turn until all are refused, and nothing is
sent. Then on a line: n Poisson users, the first of whom asks for two nths of the line, the last for four, and the
others for something between; the means over 20 runs of 60 s, after 20 s. What waits is counted at all times, so
that a queue is a little below its threshold on average, from a departure to the next arrival of its flow; and
queues are whole packets. Both make up the band of one packet. In one FIFO a user's part of the queue is its part of
the line: so the last rows tell what the least and the greediest user hold. Free room is whole, too, and a threshold
moves in steps of alpha: who asks more often is the first to find a step up, so the band is alpha more
(a first test, of equal shares, had failed by up to 3 %).
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
    """What each of so many flows holds when nobody may have more, and nothing is sent."""
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
    """What each user asks for [Mb/s]."""
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
            what = f"by itself, alpha = {text}, n = {users}: a queue"
            rows.append(Row(what, ours, f"{wanted:.1f}", "1 packet", off <= 1))
    seeds = SEEDS if not quick else range(1, 3)
    parts = []
    for text, alpha in {"1": 1.0}.items() if quick else ALPHAS.items():
        for users in (2,) if quick else USERS:
            plan = PLAN.replace("ROOM", str(ROOM)).replace("ALPHA", text)
            for user, rate in enumerate(asked(users)):
                plan += FLOW.replace("NUMBER", str(user)).replace("RATE", f"{rate:.6f}")
            found = documents(plan, seeds)
            wanted = alpha * ROOM / (1 + users * alpha)
            mean = statistics.mean(it["links"][0]["mean_backlog"] for it in found) / users
            what = f"on a line, alpha = {text}, n = {users}: a queue, mean"
            rows.append(Row(what, f"{mean:.2f}", f"{wanted:.2f}", "1 packet", abs(mean - wanted) <= 1))
            if users > 1:
                parts += [
                    part(f"on a line, alpha = {text}, n = {users}", found, user, alpha, wanted) for user in (0, -1)
                ]
    return Report(TITLE, AGAINST, rows + parts, TEXT, order=33)


def part(what: str, found: list[dict[str, Any]], user: int, alpha: float, wanted: float) -> Row:
    """What a user holds, by its part of the line."""
    rates = [[flow["goodput_bps"] for flow in it["flows"]] for it in found]
    parts = [len(each) * each[user] / sum(each) for each in rates]
    held = statistics.mean(parts) * wanted
    who = "first" if user == 0 else "greediest"
    band = f"{1 + alpha:g} packets"
    return Row(f"{what}: the {who} user's queue", f"{held:.2f}", f"{wanted:.2f}", band, abs(held - wanted) <= 1 + alpha)
