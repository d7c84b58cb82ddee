"""The page of benchmarks, and its plot."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

from verify import ns3
from verify.bench.cases import Found, Other
from verify.bench.threads import SECTION
from verify.figures import panels, svg

BAND = 0.1
"""The largest difference of goodputs; beyond it, times are not compared."""

KEPT = "## Targets that are missed"
"""From this heading on, the page is written by hand."""

HEAD = """# Benchmarks

`make bench` measured this page on {today}: {here}.

The costs are processor time per unit of work, without reading the plan: the median of three runs with one seed, or one
run if it takes more than 3 s. Those of ns-2 2.35 and {ns3} are of the whole process, once. At
1,000 flows they include the set-up of routes, which may be most of them. Runs of ns-3 have a quarter of the length.
The senders are NewReno with windows of 64 KiB (256 KiB in (c)), without delayed acks. Timers and first
windows of ns-2 and ns-3 are their own defaults (`verify/bench/dumbbell.tcl`, `dumbbell.cc`). So the goodputs are
compared first: if they differ by more than 10 %, a cost is in brackets, because the simulators did not do the same
work. This band was chosen after trial runs, in which goodputs differed by less than 5 %.

"""
HTSIM = """htsim is {version}. Its cost, too, is of the whole process, once. Its senders are also NewReno's.
`dumbbell_htsim.cc` gives them what dupack's begin with: no handshake, a window of one segment, a timeout of 1 s. Both
have a clock of 10 ms. What differs: the least timeout is 250 ms, not 200 ms; the round trip of each ack is measured,
not one per window; acks have 40 B, also where dupack's have 52 B.

"""
PEERS = {"ns-2": "s", "ns-3": "^", "htsim": "v"}
"""Other simulators, and their marks in the plot."""


def page(
    before: str, found: Sequence[Found], others: Sequence[Other], here: str, absent: Sequence[str], htsim: str | None
) -> str:
    """The page, with the version of htsim if that was measured; what is written by hand in `before` is kept."""
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    lines = [HEAD.format(today=today, here=here, ns3=ns3.against())]
    if htsim:
        lines.append(HTSIM.format(version=htsim))
    lines += [f"Skipped: {reason}.\n\n" for reason in absent]
    peers = [name for name in PEERS if any(name in it.peers for it in found)]
    heads = ["case", "unit of work", "dupack", "target", *peers, f"goodput: {', '.join(['dupack', *peers])}"]
    lines.append(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|\n")
    for it in found:
        target = "" if it.case.target_ns is None else f"{it.case.target_ns:,.0f} ns, {_met(it.ns <= it.case.target_ns)}"
        costs = [_cost(it, name) for name in peers]
        goodputs = ", ".join(f"{bps / 1e6:,.1f}" for bps in [it.goodput_bps, *(bps for _, bps in it.peers.values())])
        cells = [it.case.name, it.case.unit, f"{it.ns:,.0f} ns", target, *costs, f"{goodputs} Mb/s"]
        lines.append(f"| {' | '.join(cells)} |\n")
    lines.append("\n| | measured | target | |\n|---|---|---|---|\n")
    lines += [f"| {it.name} | {it.value} | {it.target} | {_met(it.met)} |\n" for it in others]
    lines.append("\n![Cost over the number of flows and of hosts](figures/benchmarks.svg)\n\n")
    return "".join(lines) + _from(before, SECTION) if SECTION in before else "".join(lines) + _from(before, KEPT)


def with_section(before: str, text: str) -> str:
    """The page with another section on threads."""
    head, _, _ = before.partition(SECTION if SECTION in before else KEPT)
    return head + text + _from(before, KEPT)


def _from(text: str, heading: str) -> str:
    return text[text.index(heading) :] if heading in text else f"{heading}\n"


def _met(met: bool) -> str:
    return "met" if met else "**missed**"


def _cost(it: Found, name: str) -> str:
    if name not in it.peers:
        return ""
    ns, bps = it.peers[name]
    agree = abs(bps / it.goodput_bps - 1) <= BAND
    return f"{ns:,.0f} ns" if agree else f"({ns:,.0f} ns)"


def plot(found: Sequence[Found]) -> str:
    """Cost over flows, and over hosts."""
    figure, axes = panels(2)
    flows, hosts = axes[0]
    sizes = [(it.case.flows, it) for it in found if it.case.flows]
    flows.loglog([size for size, _ in sizes], [it.ns for _, it in sizes], "o-", label="dupack")
    for name, mark in PEERS.items():
        theirs = [(size, it.peers[name][0]) for size, it in sizes if name in it.peers]
        if theirs:
            flows.loglog([size for size, _ in theirs], [ns for _, ns in theirs], mark, label=name)
    flows.set(xlabel="flows of about 1 Mb/s", ylabel="processor time per delivered segment [ns]", ylim=(10, None))
    flows.legend()
    trees = [
        (int(size[1].replace(",", "")), it.ns)
        for it in found
        if (size := re.search(r"\(([\d,]+) hosts\)", it.case.name))
    ]
    hosts.loglog([size for size, _ in trees], [ns for _, ns in trees], "o-")
    hosts.set(xlabel="hosts of a fat tree", ylabel="processor time per packet-hop [ns]", ylim=(10, None))
    return svg(figure)
