"""The figures of Lai, Lin & Hung 1999, and where the delay lies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dupack.reproduce.lai_lin_hung_1999.acr import HIGH, median_held, nobody_waits_above, table_of_use
from dupack.reproduce.lai_lin_hung_1999.runs import (
    BUFFER,
    CELL,
    CONGESTED,
    FIRST,
    FREE,
    LINE,
    LOSS,
    SWITCH,
    VERY_CONGESTED,
    Reactions,
    megabytes,
    one,
    rate_at,
    window,
)
from dupack.reproduce.lai_lin_hung_1999.verdicts import shown
from dupack.reproduce.paper import Figure, Panel, Results, Series

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
        ends: list[float | str] = [x[0], x[-1]]
        for words, level in (("Q_L", CONGESTED[plan]), ("DQT", VERY_CONGESTED[plan])):
            at_both, of = [float(level)] * 2, "theory" if words == "DQT" else ""
            made.append(Series(words, ends, at_both, [None] * 2, of, kind="reference", panel=QUEUE_PANEL))
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


# What is seen, with the numbers of the runs


def _seen_4(results: Results) -> str:
    idle = one(results, LOSS).estimate(median_held(waits=False))
    return (
        "0.4 s of Fig. 6. ACR is what a source may send: while TCP waits for a timeout (the flat pieces) it stays "
        f"where the last RM cell left it, anywhere up to PCR ({shown(idle)} MB/s in the median), and nobody uses it."
    )


def _seen_5(results: Results) -> str:
    low, high = (one(results, FREE).estimate(rate_at(part)) for part in (0.01, 0.99))
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
            median_held(waits=False),
            median_held(waits=True),
            lambda run: nobody_waits_above(run, HIGH),
        )
    )
    return (
        "What the text tells of it can be seen: windows of one packet, a queue that runs empty, ACR up to PCR. ACR is "
        f"high while it is not used: {shown(idle)} MB/s (median) while no cell waits at the source, {shown(used)} MB/s "
        f"while some do; of the samples above {HIGH:.0f} MB/s, where ACR ends without loss, {shown(most)} % see none "
        "waiting. A pause begins with the RM cells of a whole window on their way, and each that comes back while the "
        "switch is not congested adds RIF x PCR; then none is sent any more, and ACR stays where it is. But ten "
        "connections are not alike any more: timeouts fall on some more than on others. And what the text makes of it "
        "is not what happens: ACR is lower before a loss than at other times, and the queue is empty for long when "
        "nearly all sources wait for a timeout at once (the rows of swamped buffers and of underflow, below)."
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
        stacked=True,
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
        stacked=True,
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
        stacked=True,
        ours=_seen_6,
        table=table_of_use,
    ),
]
