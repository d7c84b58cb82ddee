"""Max-min fair rates: their characterization, and round robin on every line with large windows."""

from __future__ import annotations

import math
import random

from dupack import _native
from verify.frame import Report, Row
from verify.runs import documents

TITLE = "Max-min rates"
AGAINST = (
    "Bertsekas & Gallager 1992 §6.5.2 (every flow has a bottleneck, and only then rates are max-min fair); Hahne 1991"
)
TEXT = """
Random networks have up to 12 links and 30 flows; some flows have weights, a minimum rate and a maximum rate.
`dupack-theory` computes the rates by water-filling. They are not compared with another water-filling program, but
tested for the characterization of max-min fairness: no link is overloaded, and every flow either has its maximum
rate or passes a full link on which no flow above its minimum rate has more, relative to its weight. Exactly one
allocation satisfies this.

Round robin on every line gives flows with large windows these rates (Hahne 1991). The second part tests this on
random chains of lines with random rates and flows over random stretches, with `static-window` over `fair-queueing`.
Each flow's goodput during 200 s, after 300 s in which windows find their bottlenecks, is compared with the rate
from the theory. Nothing in such a run is random, so each is run once, and the rows are exact; only the networks are
drawn.
"""
SLACK = 1e-9


def network(random: random.Random, bounded: bool) -> tuple[list[float], list[list[int]], dict[str, list[float]]]:
    """Capacities, routes and bounds."""
    links = random.randint(1, 12)
    capacities = [random.choice([1.0, 10.0, random.uniform(0.1, 20)]) for _ in range(links)]
    flows = random.randint(1, 30)
    routes = [random.sample(range(links), random.randint(1, min(links, 5))) for _ in range(flows)]
    if not bounded:
        return capacities, routes, {}
    # At most half of each link is guaranteed.
    crowd = [sum(link in route for route in routes) for link in range(links)]
    fair = [min(capacities[link] / crowd[link] for link in route) for route in routes]
    least = [random.choice([0.0, random.uniform(0, 0.5) * rate]) for rate in fair]
    most = [random.choice([math.inf, random.uniform(0.5, 2) * rate]) for rate in fair]
    weights = [random.choice([1.0, random.uniform(0.2, 5)]) for _ in routes]
    return capacities, routes, {"least": least, "most": most, "weights": weights}


def flaw(capacities: list[float], routes: list[list[int]], bounds: dict[str, list[float]], rates: list[float]) -> str:
    """Why these rates are not max-min fair; empty if they are."""
    flows = range(len(routes))
    least = bounds.get("least", [0.0] * len(routes))
    most = bounds.get("most", [math.inf] * len(routes))
    weight = bounds.get("weights", [1.0] * len(routes))
    load = [sum(rates[flow] for flow in flows if link in routes[flow]) for link in range(len(capacities))]
    for link, capacity in enumerate(capacities):
        if load[link] > capacity * (1 + SLACK):
            return f"link {link} carries {load[link]} of {capacity}"
    for flow in flows:
        if not least[flow] * (1 - SLACK) <= rates[flow] <= most[flow] * (1 + SLACK):
            return f"flow {flow} has {rates[flow]}, which is not in {least[flow]} to {most[flow]}"
        if rates[flow] >= most[flow] * (1 - SLACK):
            continue
        level = rates[flow] / weight[flow] * (1 + SLACK)
        stops = [
            link
            for link in routes[flow]
            if load[link] >= capacities[link] * (1 - SLACK)
            and all(
                rates[other] / weight[other] <= level or rates[other] <= least[other] * (1 + SLACK)
                for other in flows
                if link in routes[other]
            )
        ]
        if not stops:
            return f"flow {flow} has no bottleneck"
    return ""


def certified(many: int, bounded: bool) -> Row:
    """Whether the rates on ``many`` networks are max-min fair, by their certificates."""
    draw = random.Random(f"max-min {bounded}")
    wrong = []
    for number in range(many):
        capacities, routes, bounds = network(draw, bounded)
        rates = _native.max_min_rates(capacities, routes, **bounds)
        if found := flaw(capacities, routes, bounds, rates):
            wrong.append(f"network {number}: {found}")
    kind = "weights, minimum and maximum rates" if bounded else "equal flows"
    return Row(
        f"{many} networks, {kind}", f"{many - len(wrong)} max-min", "all", "1e-9", not wrong, "; ".join(wrong[:3])
    )


def row_of_lines(draw: random.Random) -> tuple[str, list[float], list[list[int]]]:
    """A plan of lines in a row, and flows over stretches of them; the lines' rates [Mb/s], and the routes."""
    lines = draw.randint(1, 5)
    rates = [round(draw.uniform(2, 10), 1) for _ in range(lines)]
    plan = 'duration = "500 s"\nwarm_up = "300 s"\n'
    plan += "".join(f'[[switch]]\nname = "s{at}"\n' for at in range(lines + 1))
    link = '[[link]]\nname = "{}"\ncarries = "packets"\nfrom = "{}"\nto = "{}"\nrate = "{} Mb/s"\ndelay = "2 ms"\n'
    queue = 'queue = { kind = "fair-queueing", buffer = "100000 packets" }\n'
    for at, rate in enumerate(rates):
        plan += link.format(f"line-{at}", f"s{at}", f"s{at + 1}", rate) + queue
    routes = []
    for flow in range(draw.randint(2, 10)):
        first = draw.randrange(lines)
        last = draw.randrange(first, lines)
        routes.append(list(range(first, last + 1)))
        plan += f'[[host]]\nname = "from-{flow}"\n[[host]]\nname = "to-{flow}"\n'
        plan += link.format(f"in-{flow}", f"from-{flow}", f"s{first}", 100)
        plan += link.format(f"out-{flow}", f"s{last + 1}", f"to-{flow}", 100)
        plan += (
            f'[[flow]]\nname = "flow-{flow}"\nfrom = "from-{flow}"\nto = "to-{flow}"\ntraffic = {{ kind = "greedy" }}\n'
        )
        plan += (
            'transport = { control = "static-window", repair = "sack", window = "100 segments", mss = "960 B", '
            'header = "40 B", max_window = "1000 segments", min_rto = "60 s", initial_rto = "60 s" }\n'
        )
    return plan, rates, routes


def simulated(many: int) -> Row:
    """Rates on ``many`` rows of lines, simulated and computed."""
    draw = random.Random("lines")
    worst, flows = 0.0, 0
    for _ in range(many):
        plan, rates, routes = row_of_lines(draw)
        wanted = _native.max_min_rates(rates, routes)
        (document,) = documents(plan, [1])
        for flow, mbps in zip(document["flows"], wanted, strict=True):
            worst = max(worst, abs(flow["goodput_bps"] / (mbps * 1e6 * 0.96) - 1))
            flows += 1
    what = f"{many} rows of lines, {flows} flows with windows of 100 packets, fair queueing on every line"
    return Row(what, f"off by {worst:.3%} at most", "0", "0.1 %", worst <= 0.001)


def check(quick: bool) -> Report:
    """Rates against what characterises them, and round robin against the rates."""
    many = 200 if quick else 5000
    rows = [certified(many, False), certified(many, True), simulated(3 if quick else 30)]
    return Report(TITLE, AGAINST, rows, TEXT, order=32)
