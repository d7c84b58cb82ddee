"""Fairness of round robin: the largest difference of service between two backlogged flows."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from dupack.work import Run
from verify.frame import Report, Row
from verify.runs import marks, runs

TITLE = "Round robin's fairness"
AGAINST = (
    "Golestani 1994 (self-clocked fair queueing) and Shreedhar & Varghese 1996 (deficit round robin), proven bounds"
)
TEXT = """
Several flows share a line; some of them offer more than its rate, others come and go. For every two flows, and
every interval in which both are backlogged or in service, the amounts sent of each are compared, from the tape; the
result is the largest difference over all intervals of all runs. `fair-queueing` counts bytes, and the bound is the
sum of the flows' longest packets, L_a + L_b. `weighted-round-robin` counts cells divided by the flows' weights f
(the smallest is 1). It is a deficit round robin whose quantum is f and whose units all have one size, so the bound
is 1 + 1/f_a + 1/f_b rounds. "ours" is the largest share of its bound that any two flows reached.
"""
DELAY = 10**9
"""Propagation delay of the line [ps]."""
PLAN = """
duration = "DURATION"
[aal5]
trailer = "8 B"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "line"
carries = "GRAIN"
from = "a"
to = "b"
rate = "8 Mb/s"
delay = "1 ms"
queue = QUEUE
"""
FLOW = """
[[flow]]
name = "NAME"
from = "a"
to = "b"
start = "0 s..20 ms"
traffic = TRAFFIC
transport = { kind = "udp", mss = "MSS B", header = "28 B" }
"""
PACKETS = [
    ('{ kind = "cbr", rate = "8 Mb/s" }', 1472),
    ('{ kind = "cbr", rate = "6 Mb/s" }', 548),
    ('{ kind = "cbr", rate = "5 Mb/s" }', 12),
    ('{ kind = "poisson", rate = "1.5 Mb/s" }', 972),
    ('{ kind = "on-off", on = "30 packets", off = "60 ms", rate = "8 Mb/s" }', 1172),
]
"""Traffic of each user, and its payload [bytes]; the last two come and go."""
WEIGHTS = {"one": "1 Mb/s", "middling": "1.5 Mb/s", "uneven": "1.7 Mb/s", "many": "3.1 Mb/s"}
"""Guarantees; weights are in proportion to them."""


def packets(seconds: float) -> str:
    """Users of packets of several sizes, before fair queueing."""
    plan = PLAN.replace("GRAIN", "packets").replace("QUEUE", '{ kind = "fair-queueing", buffer = "1000000 packets" }')
    for number, (traffic, mss) in enumerate(PACKETS):
        plan += FLOW.replace("NAME", f"flow-{number}").replace("TRAFFIC", traffic).replace("MSS", str(mss))
    return plan.replace("DURATION", f"{seconds} s")


def cells(seconds: float) -> str:
    """Users of packets of one cell each, with weights, before weighted round robin."""
    queue = '{ kind = "weighted-round-robin", buffer = "1000000 cells" }'
    plan = PLAN.replace("GRAIN", "cells").replace("QUEUE", queue)
    for name, mpr in WEIGHTS.items():
        # 12 bytes with 28 of headers and 8 of trailer make one cell. The rates below count packets; a cell is longer.
        flow = FLOW.replace("NAME", name).replace("MSS", "12")
        come_and_go = '{ kind = "on-off", on = "80 packets", off = "5 ms", rate = "6 Mb/s" }'
        traffic = come_and_go if name == "many" else '{ kind = "poisson", rate = "4 Mb/s" }'
        plan += flow.replace("TRAFFIC", traffic) + f'mpr = "{mpr}"\n'
    return plan.replace("DURATION", f"{seconds} s")


def leads(run: Run, size: dict[str, float]) -> dict[tuple[str, str], float]:
    """For every two flows the most that one was ahead of the other while both waited; units' sizes by flow."""
    waiting = dict.fromkeys(size, 0)
    since: dict[tuple[str, str], tuple[float, float, float]] = {}
    worst = dict.fromkeys(combinations(size, 2), 0.0)
    events = [(it.at - (DELAY if it.event == "deliver" else 0), it.event, it.flow) for it in marks(run)]
    # At the same instant, departures come before arrivals.
    for _, event, flow in sorted(it for it in events if it[1] in ("send", "deliver")):
        if event == "send":
            waiting[flow] += 1
            if waiting[flow] == 1:
                since |= {pair: (0.0, 0.0, 0.0) for pair in worst if flow in pair and all(waiting[it] for it in pair)}
            continue
        waiting[flow] -= 1
        for pair in worst:
            if flow not in pair or pair not in since:
                continue
            now, least, most = since[pair]
            now += size[flow] if flow == pair[0] else -size[flow]
            since[pair] = now, min(now, least), max(now, most)
            worst[pair] = max(worst[pair], since[pair][2] - since[pair][1])
            if waiting[flow] == 0:
                del since[pair]
    return worst


def row(what: str, plan: str, seeds: Iterable[int], size: dict[str, float], most: dict[tuple[str, str], float]) -> Row:
    """The two flows that came nearest to their bound, `most`."""
    part, pair, lead = 0.0, ("", ""), 0.0
    sent = 0
    for run in runs(plan, seeds, tape=True):
        for two, found in leads(run, size).items():
            if found / most[two] > part:
                part, pair, lead = found / most[two], two, found
        sent += run.document["links"][0]["sent"]
    note = f"{sent} units; {pair[0]} and {pair[1]}: {lead:.4g} of {most[pair]:.4g}"
    return Row(what, f"{part:.4f}", "at most 1", "proven", part <= 1 + 1e-9, note)


def check(quick: bool) -> Report:
    """Both disciplines."""
    seeds = range(1, 3) if quick else range(1, 21)
    sizes = {f"flow-{number}": float(mss + 28) for number, (_, mss) in enumerate(PACKETS)}
    bounds = {(a, b): sizes[a] + sizes[b] for a, b in combinations(sizes, 2)}
    rates = {name: float(mpr.split()[0]) for name, mpr in WEIGHTS.items()}
    turns = {name: min(rates.values()) / rate for name, rate in rates.items()}
    fair = {(a, b): 1 + turns[a] + turns[b] for a, b in combinations(turns, 2)}
    rows = [
        row("`fair-queueing`, five users, packets of 40 to 1500 bytes", packets(2), seeds, sizes, bounds),
        row("`weighted-round-robin`, weights 1, 1.5, 1.7 and 3.1", cells(1), seeds, turns, fair),
    ]
    return Report(TITLE, AGAINST, rows, TEXT, order=31)
