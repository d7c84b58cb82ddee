"""The figures of Lai, Lin & Hung 1999, and where the delay lies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dupack.reproduce.lai_lin_hung_1999.runs import (
    FIRST,
    FREE,
    LOSS,
    SWITCH,
    Reactions,
    all_rates,
    dead,
    empty,
    jain,
    link,
    loss_rate,
    megabytes,
    one,
    percentile,
    share,
    unused,
    window,
    window_based,
)
from dupack.reproduce.lai_lin_hung_1999.verdicts import shown
from dupack.reproduce.paper import Figure, Measured, Panel, Results, Sample, Series, Table

TIME = "time [s]"
PANELS = {
    "(a) TCP window of SES 1": Panel("window [bytes]", (0, 70000)),
    "(b) ACR of SES 1": Panel("ACR [MB/s]", (0, None)),
    "(c) switch queue": Panel("queue [cells]", (0, 2050)),
}
(WINDOW_PANEL, RATE_PANEL, QUEUE_PANEL) = PANELS


def _course(plan: str, begin: float, lasts: float) -> Callable[[Results], list[Series]]:
    """Window, ACR and queue in the first run."""

    def series(results: Results) -> list[Series]:
        run = one(results, plan).runs[0]
        samples = run.document["series"]
        times = samples["time_s"]
        at = [i for i, time in enumerate(times) if begin <= time <= begin + lasts]
        x: list[float | str] = [times[i] for i in at]

        def curve(values: Sequence[float | None], of: str, panel: str) -> Series:
            return Series(panel, x, [values[i] for i in at], [None] * len(x), of=of, kind="steps", panel=panel)

        windows = [window(segments) for segments in samples["cwnd"][FIRST]]
        rates = [None if bps is None else megabytes(bps) for bps in samples["acr_bps"][FIRST]]
        made = [
            curve(windows, "tahoe", WINDOW_PANEL),
            curve(rates, "bpd", RATE_PANEL),
            curve(samples["backlog"][SWITCH], "epd", QUEUE_PANEL),
        ]
        if isinstance(run.tape, Reactions):
            drops = [time for time in run.tape.drops.get(FIRST, []) if begin <= time <= begin + lasts]
            zero: list[float | None] = [0.0] * len(drops)
            made.append(
                Series(
                    "packets of SES 1 lost",
                    list(drops),
                    zero,
                    [None] * len(drops),
                    "drop",
                    kind="events",
                    panel=QUEUE_PANEL,
                )
            )
        return made

    return series


SPLITS = {
    "all between the switches": (0, 1, 0),
    "0.1, 0.9, 0": (0.1, 0.9, 0),
    "thirds": (1 / 3, 1 / 3, 1 / 3),
    "tau on each line": (1, 1, 1),
}
"""Of tau before, between and behind the switches."""
CASES = {FREE: ("without loss", 0.01), LOSS: ("with loss", 1.0)}
"""In words, and tau [ms]."""


def _milliseconds(text: str) -> float:
    number, unit = text.split()
    return float(number) * {"ms": 1.0, "us": 1e-3}[unit]


DEFAULTS = "thirds, TM 4.0's Trm and ADTF"
"""As the case with loss, with what TM 4.0 has in force unless it is switched off."""


def split(results: Results, case: str, words: str, *, rdf: float | None = None) -> Sample:
    """The runs of a case with tau split so; a block of the sweep that does not say has the plan's 1 ms."""
    tau, own = CASES[case][1], words == DEFAULTS
    words = "thirds" if own else words
    wanted = [part * tau for part in SPLITS[words]]
    for sample in results["extra-delay"]:
        delays = [
            _milliseconds(sample.settings.get(f"link.{name}.delay", "1 ms")) for name in ("access", SWITCH, "leaf")
        ]
        near = all(abs(a - b) < 1e-2 * tau for a, b in zip(delays, wanted, strict=True))
        same = sample.settings.get("flow.tcp.abr.rdf") == rdf and ("flow.tcp.abr.trm" in sample.settings) == own
        if near and same:
            return sample
    raise KeyError(words)


By = Callable[[Measured], float | None]

DELAY_PANELS: dict[str, tuple[str, By]] = {
    "throughput": ("% of ceiling", share),
    "cells lost": ("% of offered", loss_rate),
    "unused ACR": ("MB/s a source", unused),
    "idle line": ("% of time", empty),
}
DELAY_TABLE: dict[str, By] = {
    "throughput [% of the ceiling]": share,
    "cells lost [% of those offered]": loss_rate,
    "sent in vain [% of cells]": dead,
    "ACR, 1st percentile [MB/s]": lambda run: percentile(all_rates(run), 0.01),
    "ACR, 99th percentile [MB/s]": lambda run: percentile(all_rates(run), 0.99),
    "unused ACR [MB/s a source]": unused,
    "window-based [% of time]": window_based,
    "idle line [% of time]": empty,
    "longest queue [cells]": lambda run: float(link(run)["max_backlog"]),
    "fairness (Jain)": jain,
}


def rows(name: str, found: dict[str, Sample], y: By, **how: Any) -> Series:
    """A dot with its interval for each word."""
    values = [sample.estimate(y) for sample in found.values()]
    return Series(name, list(found), [e.mean for e in values], [e.half for e in values], **how)


def _splits(case: str) -> list[str]:
    return [*SPLITS, *([DEFAULTS] if case == LOSS else [])]


def _delays(results: Results) -> list[Series]:
    made = []
    for panel, (_, y) in DELAY_PANELS.items():
        for case, of in ((FREE, "bpd"), (LOSS, "epd")):
            found = {words: split(results, case, words) for words in _splits(case)}
            made.append(rows(f"case {CASES[case][0]}", found, y, of=of, panel=panel))
    return made


def _delay_table(results: Results) -> Table:
    lines = []
    for case, (words, _) in CASES.items():
        for at in _splits(case):
            sample = split(results, case, at)
            lines.append([words, at, *(shown(sample.estimate(y)) for y in DELAY_TABLE.values())])
    return Table(["case", "tau", *DELAY_TABLE], lines, words=2)


FIGURES = [
    Figure(
        "4",
        "Time-dependent behaviour of TCP over ABR",
        "ACR changes more often than the TCP window, and the two respond to a loss one after the other (§4.1.2).",
        TIME,
        "",
        (LOSS,),
        _course(LOSS, 1.0, 0.4),
        panels=PANELS,
        ours="0.4 s of Fig. 6. ACR is what a source may send: while TCP waits for a timeout (the flat pieces) it stays "
        "where the last RM cell left it, anywhere up to PCR, and nobody uses it.",
    ),
    Figure(
        "5",
        "Time-dependent behaviour in the cell-loss-free case",
        "ACR oscillates between 0.4e6 and 4e6 bytes/s, and the switch's queue does not underflow (§4.2.1).",
        TIME,
        "",
        (FREE,),
        _course(FREE, 0.0, 2.0),
        panels=PANELS,
        ours="As published, to the digit. The lower end is MRF: a very congested switch tells a quarter of MACR, some "
        "0.45 MB/s; the upper one is two steps of RIF x PCR, 1.2 MB/s each, above what a congested switch allows.",
    ),
    Figure(
        "6",
        "Time-dependent behaviour in the cell-loss case",
        "A lost packet, a window of one, a queue that shrinks, and an ACR that is much higher than its use (§4.2.1).",
        TIME,
        "",
        (LOSS,),
        _course(LOSS, 0.0, 2.0),
        panels=PANELS,
        ours="All that the text tells of it is there: windows of one packet, a queue that runs empty, ACR up to PCR. "
        "But ten connections are not alike any more: timeouts fall on some more than on others.",
    ),
    Figure(
        "delay",
        "Where the delay lies",
        "Not in the text: Fig. 2, which would show where tau lies.",
        "tau",
        "",
        ("extra-delay",),
        _delays,
        flat=True,
        panels={
            name: Panel(f"[{axis}]", (70, 102) if name == "throughput" else (None, None))
            for name, (axis, _) in DELAY_PANELS.items()
        },
        place="Extra, where the delay lies",
        ours="Without loss it does not matter. With loss it decides: EPRCA answers in backward RM cells that pass "
        "switch 1 on their way home, so delay behind that switch delays no feedback. With all of tau there the queue "
        "peaks at 1,950 of its 2,000 cells, and nothing is lost; with a tenth of it before the switch a cell in 800 "
        "is, with a third one in 140, and with tau on each line one in 54, and the line is idle for 8 % of the time. "
        "What the text says of Fig. 6 fits the last two: with 0.1, 0.9, 0 the line is hardly ever idle.",
        table=_delay_table,
    ),
]
