"""The table of all measures."""

from __future__ import annotations

from dupack.reproduce.paper import Estimate, Figures, Results, Table
from dupack.reproduce.select import only, where

from .measures import READS

FIGURES = figure = Figures()

SENDERS = {"reno": "Reno", "cubic": "CUBIC", "bbr1": "BBR"}
QUEUES = ("drop-tail", "bpd", "fred", "afd", "choke", "fq-codel", "queue-protection")
COLUMNS = {
    "timeouts in 10 s": ("timeouts", 2),
    "p99 of short [ms]": ("late", 0),
    "fairness": ("fairness", 3),
    "queueing delay, p50 [ms]": ("delay", 1),
    "goodput [%]": ("used", 1),
}


def _told(estimate: Estimate, digits: int) -> str:
    if estimate.mean is None:
        return "-"
    interval = "" if estimate.half is None else f" ± {estimate.half:.{digits}f}"
    return f"{estimate.mean:.{digits}f}{interval}"


@figure.table("timeouts")
def _(results: Results) -> Table:
    rows = []
    for kind, sender in SENDERS.items():
        for queue in QUEUES:
            sample = only(where(results["mix"], {"transport.kind": kind, "queue.kind": queue}))
            values = (_told(sample.estimate(READS[name]), digits) for name, digits in COLUMNS.values())
            rows.append([sender, queue, *values])
    return Table(["sender", "queue", *COLUMNS], rows, words=2)
