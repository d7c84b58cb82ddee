"""Figures that the paper does not have: where gains come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dupack.reproduce.paper import Figure, Panel, Results, Sample, Series
from dupack.reproduce.viswanathan_kamal.figures import DELAY, THROUGHPUT, curve, dots, name, of
from dupack.reproduce.viswanathan_kamal.runs import (
    DECIDES,
    NETWORKS,
    SCHEMES,
    drops_per_second,
    fast,
    megabytes,
    milliseconds,
    network,
    only,
    packets,
    per_second,
    pick,
    queue,
    scheme,
    timeouts,
)

# Where gains come from

_ACCOUNT_PLANS = {"Table 1": "fig-06-07", "Table 2": "fig-08-09", "Figs. 13, 14": "fig-13-14"}
ACCOUNTS = {
    "packets dropped": ("drops [1/s]", drops_per_second, "drop"),
    "fast retransmits": ("fast retransmits [1/s]", per_second(fast), "fast_retransmit"),
    "timeouts": ("timeouts [1/s]", per_second(timeouts), "timeout"),
}


def _accounts(results: Results) -> list[Series]:
    rows = {
        f"{words}: {name(wanted)}": only(results[plan], wanted)
        for words, plan in _ACCOUNT_PLANS.items()
        for wanted in SCHEMES
    }
    return [dots(label, rows, measure, of=colour, panel=label) for label, (_, measure, colour) in ACCOUNTS.items()]


SHARES = [i / 50 for i in range(50)]
"""Of the drops, of which the time is shown."""


def _sooner(results: Results) -> list[Series]:
    made = []
    for words in NETWORKS:
        samples = network(results["extra-sooner"], words)
        for wanted in SCHEMES:
            found = sorted(wait for s in samples if scheme(s) == wanted for run in s.runs for wait in run.tape)
            if found:
                x = [1e3 * found[int(share * len(found))] for share in SHARES]
                how: dict[str, Any] = {"of": of(wanted), "panel": words, "kind": "steps"}
                made.append(Series(name(wanted), list(x), list(SHARES), [None] * len(x), **how))
    return made


# The schemes' own parameters

EARLY: list[tuple[str, float, dict[str, Any]]] = [
    ("all dropped", 0.0, {"early": "drop"}),
    ("episodes begin", 0.6, {"early": "start", "age": None}),
    ("they last 1 s", -0.5, {"early": "start", "age": "1 s"}),
]
"""What scheme 1 does beyond the trigger: words, shade, and the queue's parameters."""
BUFFER = 50
"""Of Tables 1 and 2 [packets]."""
DEPTH = "discarding begins at [packets]"
MEASURES = {
    "throughput": (THROUGHPUT, megabytes),
    "delay": (DELAY, milliseconds),
    "drops": ("drops [1/s]", drops_per_second),
}


def _trigger(results: Results) -> list[Series]:
    samples = results["extra-trigger"]
    plain = pick(samples, "0")
    made = []
    for panel, (_, measure) in MEASURES.items():
        how: dict[str, Any] = {"panel": panel}
        depths = [packets(queue(s)["buffer"]) for s in plain]
        made.append(curve("scheme 0, such a buffer", depths, plain, measure, of="scheme-0", **how))
        for words, shade, own in EARLY:
            mine = [s for s in pick(samples, "1") if all(queue(s).get(k) == v for k, v in own.items())]
            at = [BUFFER * queue(s)["trigger"] for s in mine]
            made.append(curve(f"scheme 1, {words}", at, mine, measure, of="scheme-1", shade=shade, **how))
    return made


def flat(label: str, x: Sequence[float], sample: Sample, measure: Any, **how: Any) -> Series:
    """What does not depend on x."""
    found = sample.estimate(measure)
    ends = [min(x), max(x)]
    return Series(label, list(ends), [found.mean] * 2, [found.half] * 2, kind="flat", **how)


def _interval(results: Results) -> list[Series]:
    made = []
    samples = results["extra-interval"]
    for decides, above in DECIDES.items():
        (base,) = pick(samples, "0", decides)
        for counts in ("packets", "candidates"):
            panel = f"{above}, {counts}"
            for wanted in ("1", "2", "2-drop"):
                mine = [s for s in pick(samples, wanted, decides) if queue(s)["interval_counts"] == counts]
                at = [packets(queue(s)["interval"]) for s in mine]
                made.append(curve(name(wanted), at, mine, megabytes, of=of(wanted), panel=panel))
            made.append(flat(name("0"), at, base, megabytes, of="scheme-0", panel=panel))
    return made


def _copies(results: Results) -> list[Series]:
    samples = results["extra-copies"]
    made = []
    for decides, panel in DECIDES.items():
        (base,) = pick(samples, "0", decides)
        for wanted in ("2", "2-drop"):
            mine = pick(samples, wanted, decides)
            at = [queue(s)["duplicates"] for s in mine]
            made.append(curve(name(wanted), [0, *at], [base, *mine], megabytes, of=of(wanted), panel=panel))
    return made


def _red(results: Results) -> list[Series]:
    samples = results["extra-red"]
    plain = pick(samples, "0", "red")
    shares = [queue(s)["max_p"] for s in plain]
    made = []
    for panel in ("throughput", "delay", "drops"):
        measure = MEASURES[panel][1]
        made.append(curve("scheme 0", shares, plain, measure, of="scheme-0", panel=panel))
        for wanted in ("1", "2", "2-drop"):
            (mine,) = pick(samples, wanted, "red")
            label = f"{name(wanted)}, max_p = 0.02"
            made.append(flat(label, shares, mine, measure, of=of(wanted), panel=panel))
    return made


GAINS = [
    Figure(
        "accounts",
        "What becomes of a loss",
        "Not in the paper, which puts its gains down to fast retransmits in the place of timeouts (§IV.2, §V).",
        "scheme",
        "events [1/s]",
        ("fig-06-07", "fig-08-09", "fig-13-14"),
        _accounts,
        limits=(0, None),
        flat=True,
        panels={label: Panel(axis, (0, None)) for label, (axis, _, _) in ACCOUNTS.items()},
        place="Extra, accounts",
        ours="Under scheme 0 of Tables 1 and 2 Reno hardly ever times out: windows are large, and three duplicates "
        "come soon after the loss. There are hardly any timeouts to be avoided. Scheme 1 around RED drops less. "
        "Scheme 2 around tail drop brings more losses, and timeouts that were not there. In Figs. 13 and 14 scheme 0 "
        "loses less only because two sources hardly send.",
    ),
    Figure(
        "sooner",
        "How long until a lost packet is sent again",
        "Not in the paper: of the packets that the router dropped, the share that has been sent again.",
        "time since the drop [ms]",
        "share of the drops",
        ("extra-sooner",),
        _sooner,
        limits=(0, 1),
        log="x",
        place="Extra, how soon",
        ours="From the sixth second on. A round trip is 20 to 25 ms in the first two, 12 to 28 ms in the third. "
        "Mostly three packets follow a lost one within a millisecond: hearing of it by other means saves less than "
        "that at the median.",
    ),
    Figure(
        "trigger",
        "Discarding before the buffer is full",
        "The paper's simulator begins to discard before the buffer is full, so that there is room for the three; how "
        "early is not said (§III.3). Beside it a router without any scheme and with no more buffer than that.",
        DEPTH,
        THROUGHPUT,
        ("extra-trigger",),
        _trigger,
        panels={panel: Panel(axis, (None, None)) for panel, (axis, _) in MEASURES.items()},
        place="Extra, the trigger",
        ours="Scheme 1 does what a smaller buffer does. It gains under one reading: beyond the trigger only what "
        "begins an episode is dropped, and an entry of the table lasts for a second without candidates (the paper's "
        "do not age). Then each flow loses about one packet a second, and not all at once. Drops are of the whole "
        "run, with those of the first seconds.",
    ),
    Figure(
        "red",
        "A gentler RED",
        "Not in the paper: RED alone with other shares max_p, beside the schemes around the RED of Table 2.",
        "max_p of RED alone",
        THROUGHPUT,
        ("extra-red",),
        _red,
        log="x",
        panels={panel: Panel(axis, (None, None)) for panel, (axis, _) in MEASURES.items()},
        place="Extra, a gentler RED",
        ours="Scheme 1 gives what RED with less than half of its max_p gives without any scheme.",
    ),
    Figure(
        "copies",
        "More copies, less throughput",
        "Not in the paper: how many copies scheme 2 makes. One or two cannot make a sender retransmit sooner; as "
        "duplicates they let it send as many packets more during recovery.",
        "copies for each loss [packets]",
        THROUGHPUT,
        ("extra-copies",),
        _copies,
        limits=(None, None),
        place="Extra, copies",
        ours="One or two copies bring no fast retransmit. Under RED, where there is room, they gain a third and more "
        "than half of what three do, and more than three gain nothing more: a part at least of scheme 2's gain is the "
        "inflated window's, not sooner recovery's. Under tail drop what it sends "
        "meets a full buffer, and two copies already cost 3 %. Many cost throughput even if nobody answers them, by "
        "their time on a full link.",
    ),
    Figure(
        "interval",
        "The invocation interval",
        "The text counts packets of the flow, Figs. 2 and 3 those that are to be dropped (§III.3). Both use 25.",
        "interval [packets]",
        THROUGHPUT,
        ("extra-interval",),
        _interval,
        log="x",
        place="Extra, the interval",
        ours="Counted on candidates the schemes act on one loss in 27, and do next to nothing. With "
        "receivers that drop what is truncated scheme 2 stays near scheme 0, however it counts.",
    ),
]
