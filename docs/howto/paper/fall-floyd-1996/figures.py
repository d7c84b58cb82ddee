"""The figure of Fall & Floyd 1996 whose curves need Python."""

from __future__ import annotations

from dupack.reproduce.paper import Figures, Results, Series
from dupack.reproduce.select import only

FIGURES = figure = Figures()
NAMES = {"tahoe": "Tahoe", "reno": "Reno", "newreno": "NewReno", "sack": "SACK"}
SHOWN = {"drop": "dropped", "fast_retransmit": "fast retransmit", "timeout": "timeout"}


@figure("4")
def _(results: Results) -> list[Series]:
    made = []
    for kind, panel in NAMES.items():
        tape = only(results["drops"], kind=kind, segments=[14, 26, 28]).runs[0].tape
        part = [(time, event, packet) for time, event, packet in tape if 0.5 <= time <= 3]
        sent = [(time, packet) for time, event, packet in part if event in ("send", "retransmit")]
        made.append(Series.exact("sent", *zip(*sent, strict=True), kind="points", panel=panel))
        for event, name in SHOWN.items():
            found = [(time, packet) for time, which, packet in part if which == event]
            x, y = [time for time, _ in found], [packet for _, packet in found]
            made.append(Series.exact(name, x, y, of=event, kind="events", panel=panel))
    return made
