"""The figures of Lai, Lin & Hung 1999, and where the delay lies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dupack.reproduce.lai_lin_hung_1999.acr import HIGH, held, median_of, nobody_waits_above, table_of_use
from dupack.reproduce.lai_lin_hung_1999.runs import (
    BUFFER,
    CELL,
    FIRST,
    FREE,
    LINE,
    LOSS,
    SWITCH,
    Reactions,
    all_rates,
    dead,
    empty,
    jain,
    link,
    loss_rate,
    lost,
    megabytes,
    one,
    percentile,
    rates,
    share,
    unused,
    window,
    window_based,
)
from dupack.reproduce.lai_lin_hung_1999.verdicts import fixed, shown
from dupack.reproduce.paper import Figure, Measured, Panel, Results, Sample, Series, Table

TIME = "time [s]"
PANELS = {
    "(a) TCP window of SES 1": Panel("window [bytes]", (0, 70000)),
    "(b) ACR of SES 1": Panel("ACR [MB/s]", (0, None)),
    "(c) switch queue": Panel("queue [cells]", (0, 2150)),
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
            full: list[float | None] = [float(BUFFER)] * len(drops)
            made.append(
                Series(
                    "packets of SES 1 lost",
                    list(drops),
                    full,
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
DELAY_TABLE: dict[str, tuple[By, int]] = {
    "throughput [% of ceiling]": (share, 1),
    "cells lost [%]": (loss_rate, 2),
    "cells sent in vain [%]": (dead, 1),
    "ACR, 1st percentile [MB/s]": (lambda run: percentile(all_rates(run), 0.01), 2),
    "ACR, 99th [MB/s]": (lambda run: percentile(all_rates(run), 0.99), 1),
    "unused ACR [MB/s]": (unused, 1),
    "ACR, median while no cell waits": (lambda run: median_of(held(run, waits=False)), 1),
    "window-based [% of time]": (window_based, 1),
    "idle line [%]": (empty, 1),
    "longest queue [cells]": (lambda run: float(link(run)["max_backlog"]), 0),
    "Jain": (jain, 2),
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
            lines.append([words, at, *(fixed(sample.estimate(y), digits) for y, digits in DELAY_TABLE.values())])
    return Table(["case", "tau", *DELAY_TABLE], lines, words=2)


# What is seen, with the numbers of the runs


def _seen_4(results: Results) -> str:
    idle = one(results, LOSS).estimate(lambda run: median_of(held(run, waits=False)))
    return (
        "0.4 s of Fig. 6. ACR is what a source may send: while TCP waits for a timeout (the flat pieces) it stays "
        f"where the last RM cell left it, anywhere up to PCR ({shown(idle)} MB/s in the median), and nobody uses it."
    )


def _seen_5(results: Results) -> str:
    low, high = (one(results, FREE).estimate(lambda run, at=at: percentile(rates(run), at)) for at in (0.01, 0.99))
    step = LINE * CELL / 16e6
    return (
        f"As published: 98 % of the samples lie between {shown(low)} and {shown(high)} MB/s. The lower end is MRF's: a "
        "very congested switch tells a quarter of MACR; the upper one is two steps of RIF x PCR, "
        f"{step:.1f} MB/s each, above what a congested switch allows."
    )


def _seen_6(results: Results) -> str:
    sample = one(results, LOSS)
    idle, used, most = (
        sample.estimate(by)
        for by in (
            lambda run: median_of(held(run, waits=False)),
            lambda run: median_of(held(run, waits=True)),
            lambda run: nobody_waits_above(run, HIGH),
        )
    )
    return (
        "All that the text tells of it is there: windows of one packet, a queue that runs empty, ACR up to PCR. ACR is "
        f"high while it is not used: {shown(idle)} MB/s (median) while no cell waits at the source, {shown(used)} MB/s "
        f"while some do; of the samples above {HIGH:.0f} MB/s, where ACR ends without loss, {shown(most)} % see none "
        "waiting. A pause begins with the RM cells of a whole window on their way, and each that comes back while the "
        "switch is not congested adds RIF x PCR; then none is sent any more, and ACR stays where it is. But ten "
        "connections are not alike any more: timeouts fall on some more than on others."
    )


def lost_between(results: Results) -> str:
    """What is lost, in the case with loss, with all of tau behind the switch that marks."""
    lost_of = [lost(run) for run in split(results, LOSS, "all between the switches").runs]
    return f"{sum(lost_of)} cells in {sum(map(bool, lost_of))} of {len(lost_of)} runs"


def _seen_delay(results: Results) -> str:
    of = {words: split(results, LOSS, words) for words in SPLITS}
    lost_share, idle = (
        {words: shown(sample.estimate(by)) for words, sample in of.items()} for by in (loss_rate, empty)
    )
    between, tenth, thirds, each = SPLITS
    peak = shown(of[between].estimate(lambda run: float(link(run)["max_backlog"])))
    return (
        "Without loss it does not matter. With loss it decides: EPRCA answers in backward RM cells that pass "
        "switch 1 on their way home, so delay behind that switch delays no feedback. With all of tau there the queue "
        f"peaks at {peak} of its {BUFFER:,} cells, and hardly any is lost ({lost_between(results)}); with a tenth of "
        f"tau before the switch {lost_share[tenth]} % are, with a third {lost_share[thirds]} %, and with tau on each "
        f"line {lost_share[each]} %. The line is idle for {idle[tenth]}, {idle[thirds]} and {idle[each]} % of the "
        "time. What the text says of Fig. 6, loss and a queue that underflows, fits the last two, and of these only "
        "the thirds make tau the whole way from a source to its destination."
    )


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
        ours=_seen_4,
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
        ours=_seen_5,
    ),
    Figure(
        "6",
        "Time-dependent behaviour in the cell-loss case",
        "A lost packet, a window of one, a queue that shrinks, and an ACR that is much higher than its use (§4.2.1).",
        TIME,
        "",
        (LOSS, FREE),
        _course(LOSS, 0.0, 2.0),
        panels=PANELS,
        ours=_seen_6,
        table=table_of_use,
    ),
    Figure(
        "delay",
        "Four splits of tau",
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
        ours=_seen_delay,
        table=_delay_table,
    ),
]
