"""Figures that the paper does not have: what it leaves open, work that it mentions, and today's senders in its axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dupack.reproduce.keshav_morgan_1997.figures import (
    FADE,
    GOODPUT,
    LOSS_AXIS,
    SHADES,
    curve,
    eq_5,
    eq_6,
    line,
    most,
)
from dupack.reproduce.keshav_morgan_1997.runs import (
    BURSTS,
    KIND,
    SHARES,
    again,
    alike,
    at_load,
    buffer,
    circuit,
    fits,
    goodput,
    goodputs,
    load,
    loss_rate,
    mixed,
    overflow,
    reading,
    setting,
    window,
    with_buffer,
)
from dupack.reproduce.paper import Figure, Measured, Results, Sample, Series

PER_SOURCE = "goodput per source [share]"
ALL = "the whole message at once"

Change = dict[str, object]

# What is changed of a figure's readings, in words and in the plans' keys


def _lines(*rates: str) -> dict[str, Change]:
    return {f"access lines of {rate}": {"access.rate": rate} for rate in rates}


TIMERS: dict[str, Change] = {
    "timeouts never double": {"backoff": False},
    "any advance ends the doubling": {"undouble": "advance"},
}
GO_BACK_N: dict[str, Change] = {
    "as in Fig. 2": {},
    "receiver keeps what is out of order": {"out_of_order": "keep"},
    "window of 100 packets": {"window": window(100)},
    "window of 200 packets": {"window": window(200)},
    **_lines("8 Mb/s", "80 Mb/s"),
    "samples: each ack's own packet": {"samples": "each"},
    "samples: Karn's rule": {"samples": "karn"},
    "samples: one at a time, as TCP": {"samples": "timed"},
    **TIMERS,
    "first timeout 1 s": {"initial_rto": "1 s"},
    "whole message at once": {"traffic.rate": ALL},
    "as Figs. 3 to 5 are read": {"access.rate": "80 Mb/s", "out_of_order": "keep", "samples": "timed"},
}
SMART: dict[str, Change] = {
    "as in Fig. 3": {},
    "all retransmissions watched": {"tracking": "each"},
    "lost ones found by a timer": {"lost_retransmission": "timer"},
    "window of 100 packets": {"window": window(100)},
    "window of 200 packets": {"window": window(200)},
    **_lines("8 Mb/s", "10 Mb/s", "155 Mb/s"),
    "samples: each ack": {"samples": "each"},
    "samples: Karn's rule": {"samples": "karn"},
    **TIMERS,
    "first timeout 1 s": {"initial_rto": "1 s"},
    "whole message at once": {"traffic.rate": ALL},
    "as Fig. 7 is read": {"tracking": "each", "samples": "each"},
}
PAIR: dict[str, Change] = {
    "as in Fig. 4": {},
    **{f"set-point of {n} packet{'s' if n > 1 else ''}": {"set_point": f"{n} packets"} for n in (1, 4, 8)},
    **{f"gain of {g:g}": {"gain": g} for g in (0.1, 0.5, 1)},
    "all retransmissions watched": {"tracking": "each"},
    **_lines("8 Mb/s", "10 Mb/s"),
    "samples: each ack": {"samples": "each"},
    "timeouts never double": {"backoff": False},
    "whole message at once": {"traffic.rate": ALL},
    "as Fig. 7 is read": {"tracking": "each", "samples": "each"},
}
MIX: dict[str, Change] = {
    "as in Fig. 5": {},
    "longest queue dropped": {"overflow": "longest-queue"},
    "all retransmissions watched": {"tracking": "each"},
    "samples: each ack": {"samples": "each"},
    "timeouts never double": {"backoff": False},
    "static window of 100 packets": {"window": window(100)},
    "access lines of 10 Mb/s": {"access.rate": "10 Mb/s"},
    "whole message at once": {"traffic.rate": ALL},
    "as Fig. 7 is read": {"tracking": "each", "samples": "each"},
}


def changed(results: Results, plan: str, change: Change) -> list[Sample]:
    """The runs of one reading."""
    return reading(results, plan, **change)


def _dots(
    name: str, of: str, rows: dict[str, Sample], y: Callable[[Measured], Sequence[float]] = goodput, **how: Any
) -> Series:
    """A dot with its interval for each word."""
    ys = [sample.intervals(y) for sample in rows.values()]
    return Series(name, list(rows), [e.mean for e in ys], [e.half for e in ys], of=of, **how)


def _readings(plan: str, of: str, changes: dict[str, Change], *published: Series) -> Callable[[Results], list[Series]]:
    def series(results: Results) -> list[Series]:
        found = {words: changed(results, plan, change) for words, change in changes.items()}
        made = [
            _dots(f"load {at:g}", of, {words: at_load(samples, at) for words, samples in found.items()}, shade=shade)
            for at, shade in ((0.5, 0.6), (1, 0.2), (5, -0.4))
        ]
        return [*made, *published]

    return series


def _who(results: Results) -> list[Series]:
    made = []
    for count, panel in ((9, "9 packet-pair, 1 static window"), (1, "1 packet-pair, 9 static windows")):
        samples = {"extra-mix": mixed(results, "extra-mix", count)}
        found = {words: changed(samples, "extra-mix", change) for words, change in MIX.items()}
        for group, of, name in (("pair", "packet-pair", "packet-pair"), ("static", "smart", "static window")):
            for size in (25, 100):
                rows = {words: with_buffer(mine, size)[0] for words, mine in found.items()}
                how: dict[str, Any] = {"shade": SHADES[size], "panel": panel}
                made.append(_dots(f"{name}, B = {SHARES[size]:g}", of, rows, goodputs(group, each=True), **how))
        made.append(line("a tenth", [0], [0.1], panel=panel))
    return made


RULES = {
    "arriving": "the arriving packet",
    "longest-queue": "the longest queue",
    "longest-queue-head": "its first packet",
    "longest-queue-tail": "its last packet",
}


def _longest(results: Results) -> list[Series]:
    made = []
    for rule, name in RULES.items():
        rows, ys = [], []
        for kind, words in (("smart", "10 static windows"), ("packet-pair", "10 packet-pair")):
            sample = at_load(overflow(alike(results, "section-5", kind), rule), 5)
            rows.append(words)
            ys.append(sample.intervals(goodputs(each=True)))
        for count in (9, 1):
            sample = at_load(overflow(mixed(results, "section-5-mix", count), rule), 5)
            for group, words in (("pair", "packet-pair"), ("static", "static window")):
                rows.append(f"{count} packet-pair, {10 - count} static: {words}")
                ys.append(sample.intervals(goodputs(group, each=True)))
        made.append(Series(name, list(rows), [e.mean for e in ys], [e.half for e in ys], of=rule))
    return [*made, line("a tenth", [0], [0.1])]


def _buffer(results: Results) -> list[Series]:
    return [
        curve(name, kind, alike(results, "section-5-buffer", kind), buffer)
        for kind, name in (("packet-pair", "packet-pair"), ("smart", "static window"))
    ]


def _rare(results: Results) -> list[Series]:
    made = []
    for kind in ("tahoe", "reno"):
        how: dict[str, Any] = {"panel": kind.capitalize()}
        both = [s for s in results["extra-rare"] if fits(s, {KIND: kind, "*loss.rate": None})]
        alone = [s for s in results["extra-rare"] if fits(s, {KIND: kind, ".loss.rate": None, "back_loss.rate": 0})]
        made.append(curve("packets and acks are lost", "tahoe", both, loss_rate, shade=FADE["5 packets"], **how))
        made.append(curve("packets alone", "tahoe", alone, _alone, **how))
        made.append(eq_5(0.1, low=0.001, of="theory", **how))
        made.append(eq_5(0.1, low=0.001, part=0.5, name="1 - rW²/8, lost acks not counted", **how))
    return made


def _alone(sample: Sample) -> float:
    """Loss rate of packets where acks are not lost [%]."""
    return 100 * float(setting(sample, ".path.loss.rate"))


def _lost(results: Results) -> list[Series]:
    made = []
    for burst, panel in BURSTS.items():
        for found, one in (("id", "id"), ("timer", "timer")):
            for kept, other in (("each", "all"), ("last", "latest")):
                mine = circuit(results, "extra-lost", burst, lost_retransmission=found, tracking=kept)
                of = "packet-pair" if kept == "each" else "go-back-n"
                how: dict[str, Any] = {"panel": panel, "shade": 0.0 if found == "id" else 0.55}
                made.append(curve(f"{one}, {other}", of, mine, loss_rate, **how))
        made.append(eq_6(5, panel=panel))
    return made


def _tcp_load(results: Results) -> list[Series]:
    made = []
    for size, share in SHARES.items():
        how: dict[str, Any] = {"panel": f"B = {share:g}"}
        for plan, of, name in (
            ("fig-02", "go-back-n", "go-back-n (Fig. 2)"),
            ("fig-03", "smart", "static window, SMART (Fig. 3)"),
            ("fig-04", "packet-pair", "packet-pair, SMART (Fig. 4)"),
        ):
            mine = [sample for sample in with_buffer(results[plan], size) if load(sample) > 0.49]
            made.append(curve(name, of, mine, load, **how))
        for kind, name in (("newreno", "NewReno"), ("sack", "SACK")):
            mine = [sample for sample in with_buffer(results["extra-tcp-load"], size) if setting(sample, KIND) == kind]
            made.append(curve(name, kind, mine, load, **how))
        made.append(most(**how))
    return made


def _tcp_loss(results: Results) -> list[Series]:
    made = []
    for burst, panel in BURSTS.items():
        mine = circuit(results, "fig-07", burst, max_window=window(600))
        made.append(curve("packet-pair, SMART (Fig. 7)", "packet-pair", mine, loss_rate, panel=panel))
        for kind, name in (("newreno", "NewReno"), ("sack", "SACK")):
            mine = circuit(results, "extra-tcp-loss", burst, kind=kind)
            made.append(curve(name, kind, mine, loss_rate, panel=panel))
        made.append(eq_6(5, panel=panel))
    return made


SENDERS = (
    ("packet-pair", "packet-pair, SMART"),
    ("smart", "static window, SMART"),
    ("sack", "SACK"),
    ("newreno", "NewReno"),
)


def reordered(results: Results, kind: str, delay: str) -> list[Sample]:
    """Over the share of packets that are overtaken."""
    return [s for s in alike(results, "extra-reorder", kind) if setting(s, ".reorder.delay") == delay]


def overtaken(sample: Sample) -> float:
    """Share of the packets that take longer [%]."""
    return 100 * float(setting(sample, ".reorder.rate"))


def _reorder(y: Callable[[Measured], Sequence[float]]) -> Callable[[Results], list[Series]]:
    def series(results: Results) -> list[Series]:
        return [
            curve(name, kind, reordered(results, kind, delay), overtaken, y, panel=f"{delay} longer")
            for delay in ("1 ms", "25 ms")
            for kind, name in SENDERS
        ]

    return series


def _delayed(results: Results) -> list[Series]:
    made = []
    for burst, panel in BURSTS.items():
        for late, name, shade in ((False, "every packet acknowledged", -0.3), (True, "every second one", 0.4)):
            mine = circuit(results, "extra-delayed", burst, delayed_ack=late)
            made.append(curve(name, "smart", mine, loss_rate, panel=panel, shade=shade))
        made.append(eq_6(5, panel=panel))
    return made


ONE_CHANGE = "Each line changes one thing, and the last one what its words say."

EXTRAS = [
    Figure(
        "longest",
        "What a full buffer discards",
        "Work that the paper mentions and does not show (§5): a packet that finds the buffer full makes the longest "
        "queue go. Under overload that gives a somewhat lower total goodput, not by much, and is harder on sources "
        "without packet-pair, which keep bumping into the limit and lose their whole queue.",
        "who they are",
        PER_SOURCE,
        ("section-5", "section-5-mix"),
        _longest,
        limits=(-0.01, 0.5),
        flat=True,
        place="§5, not shown",
        ours="At load 5, B = 0.5, readings as in Figs. 3 to 5. Dropping one packet of the longest queue, its first "
        "or its last, is gentler and brings more in total.",
    ),
    Figure(
        "buffer",
        "How little buffer is enough",
        "With packet-pair the buffer needs to be at least 2N packets for N connections (§5), here 20.",
        "buffer of the router [packets]",
        GOODPUT,
        ("section-5-buffer",),
        _buffer,
        limits=(0, 1.02),
        log="x",
        place="§5, the buffer",
        ours="At load 5, readings as in Figs. 3 and 4. Nothing breaks below 2N; each packet of buffer is worth more "
        "there.",
    ),
    Figure(
        "rare",
        "Eq. (5) where losses are rare",
        "For sufficiently small losses the goodput of TCP is 1 - rW²/4 (§6): each loss costs W²/8 packets (eq. 4), and "
        "the rate of losses is 2r, because acks are lost too.",
        LOSS_AXIS,
        GOODPUT,
        ("extra-rare",),
        _rare,
        limits=(0, 1.02),
        log="x",
        place="Extra, rare losses",
        ours="Lost acks make no difference: the next one says the same and more. So half of eq. (5)'s loss, rW²/8, "
        "is what Reno loses, as long as it is little; beyond, the window has not grown back when the next loss "
        "comes, and a loss costs less.",
    ),
    Figure(
        "gbn-readings",
        "When does it collapse?",
        "Not in the paper: what it leaves open, and what that does to Fig. 2 with B = 0.5.",
        "reading",
        GOODPUT,
        ("extra-go-back-n",),
        _readings(
            "extra-go-back-n",
            "go-back-n",
            GO_BACK_N,
            line("paper: 25 to 35 % at load 0.5", [0], [0.25], of="go-back-n"),
            line("paper: 25 to 35 % at load 0.5", [0], [0.35], of="go-back-n"),
        ),
        limits=(0, 1),
        flat=True,
        place="Extra, readings of go-back-n",
        ours=f"{ONE_CHANGE} A collapse is a darker dot left of a paler one. It takes a receiver that discards, a "
        "window that is large, timers that stay short, and access lines a little faster than the backbone. With "
        "lines exactly as fast all sources keep step: the same ones get through, an artefact.",
    ),
    Figure(
        "smart-readings",
        "What leaves half of the backbone idle?",
        "Not in the paper: what it leaves open, and what that does to Fig. 3 with B = 0.5.",
        "reading",
        GOODPUT,
        ("extra-smart",),
        _readings("extra-smart", "smart", SMART, line("paper: around 50 % beyond load 1", [0], [0.5], of="smart")),
        limits=(0, 1),
        flat=True,
        place="Extra, readings of SMART",
        ours=f"{ONE_CHANGE} Under no reading does goodput fall with the load. Where it is high, sources do not wait "
        "for timers: SMART then finds every loss within a round trip and keeps the backbone busy, by brute force.",
    ),
    Figure(
        "pair-readings",
        "What matters to it?",
        "Not in the paper: what it leaves open, and what that does to Fig. 4 with B = 0.25.",
        "reading",
        GOODPUT,
        ("extra-pair",),
        _readings(
            "extra-pair",
            "packet-pair",
            PAIR,
            line("paper: 80 to 95 %", [0], [0.8], of="packet-pair"),
            line("paper: 80 to 95 %", [0], [0.95], of="packet-pair"),
        ),
        limits=(0, 1),
        flat=True,
        place="Extra, readings of packet-pair",
        ours=f"{ONE_CHANGE} Little depends on them.",
    ),
    Figure(
        "who",
        "Who gains, and under which reading",
        "Not in the paper: what it leaves open, and what that does to Fig. 5 at load 5.",
        "reading",
        PER_SOURCE,
        ("extra-mix",),
        _who,
        limits=(-0.01, 0.52),
        flat=True,
        place="Extra, who gains",
        ours=f"{ONE_CHANGE} That packet-pair pays, as the text concludes, needs static sources that waste their "
        "time, waiting for timers (as in Fig. 5) or in large bursts, or a router that drops the longest queue. One "
        "static source whose losses are repaired at once is ahead of nine that pace themselves: who sends more gets "
        "more of the buffer.",
    ),
    Figure(
        "lost",
        "One variable, or one for each?",
        "Not in the paper, which has two algorithms for a fast retransmission that is lost, by a timer and by the "
        "id, and says that their variables hold one packet (§3), not what happens when several are out.",
        LOSS_AXIS,
        GOODPUT,
        ("extra-lost",),
        _lost,
        limits=(0, 1.02),
        place="Extra, lost fast retransmissions",
        ours="W_EC = 6 W_RT. If all are watched, id and timer are equally good. If the latest overwrites the one "
        "before, most losses of a retransmission wait for the last-resort timer. The dip at 3 % is a burst that "
        "silenced the sender for minutes, see Fig. 6.",
    ),
    Figure(
        "tcp-load",
        "NewReno and SACK on the paper's network",
        "Not in the paper: NewReno (RFC 6582) and SACK in the axes of Figs. 2 to 4.",
        "nominal load [share]",
        GOODPUT,
        ("fig-02", "fig-03", "fig-04", "extra-tcp-load"),
        _tcp_load,
        limits=(0, 1.02),
        place="Extra, today's TCP",
        ours="Both halve what is in flight; clock of 10 ms, least timeout 200 ms. Behind fair queueing they do what "
        "packet-pair does, sharing a backbone that is nearly full, without measuring any rate.",
    ),
    Figure(
        "tcp-loss",
        "NewReno and SACK on a lossy line",
        "Not in the paper: NewReno and SACK in the axes of Fig. 7.",
        LOSS_AXIS,
        GOODPUT,
        ("fig-07", "extra-tcp-loss"),
        _tcp_loss,
        limits=(0, 1.02),
        place="Extra, today's TCP and losses",
        ours="Better repair does not help: what is lost is lost because the window halves. The paper's point, that "
        "error control and flow control are different things, still holds. Means over five runs.",
    ),
    Figure(
        "reorder",
        "A path that reorders",
        "Not in the paper, which says that SMART guesses a packet lost whenever it may be misordered (§3). Here a "
        "share of the packets takes 1 ms longer and is overtaken by two others, or 25 ms and is overtaken by fifty; "
        "nothing is lost.",
        "packets that are overtaken [%]",
        GOODPUT,
        ("extra-reorder",),
        _reorder(goodput),
        limits=(0, 1.02),
        log="x",
        place="Extra, reordering",
        ours="SMART pays one packet for each that is overtaken, at most. SACK and NewReno, which wait for three "
        "duplicates, pay nothing if two packets overtake, and nearly all they have if fifty do: they halve their "
        "window.",
    ),
    Figure(
        "needless",
        "Sent again in vain",
        "The same runs: nothing is lost on this path, so whatever is sent again is sent in vain.",
        "packets that are overtaken [%]",
        "sent again [share of the packets sent]",
        ("extra-reorder",),
        _reorder(lambda run: [again(run)]),
        limits=(-0.002, 0.11),
        log="x",
        place="Extra, sent in vain",
    ),
    Figure(
        "delayed",
        "An ack for every second packet",
        "Not in the paper, which assumes that every packet is acknowledged (§3).",
        LOSS_AXIS,
        GOODPUT,
        ("extra-delayed",),
        _delayed,
        limits=(0.8, 1.01),
        place="Extra, delayed acks",
        ours="A static window of one round trip, as packet-pair needs every ack. A receiver with a gap acknowledges "
        "at once, so SMART hears of losses as fast; what is lost is the half packet by which an ack is late.",
    ),
]
