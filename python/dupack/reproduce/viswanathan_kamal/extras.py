"""Figures that the paper does not have: what it leaves open, other senders and more sources in its axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dupack.reproduce.paper import Figure, Measured, Panel, Results, Sample, Series
from dupack.reproduce.viswanathan_kamal.figures import DELAY, THROUGHPUT, curve, dots, name, of
from dupack.reproduce.viswanathan_kamal.runs import (
    DECIDES,
    KIND,
    NEAR,
    NETWORKS,
    SCHEMES,
    Read,
    by_timeout,
    gain,
    inner,
    megabytes,
    milliseconds,
    network,
    only,
    per_second,
    pick,
    queue,
    rest,
    scheme,
    setting,
)

GAIN = "throughput gained over scheme 0 [%]"

# What the paper leaves open

WINDOWS = ("8 KiB", "16 KiB", "32 KiB", "64 KiB")


def _setting(results: Results) -> list[Series]:
    made = []
    for late, panel in ((False, "every packet acknowledged"), (True, "every second one")):
        for wanted in SCHEMES:
            rows = {}
            for mss in ("536 B", "1460 B"):
                for window in WINDOWS:
                    ends = {".mss": mss, ".max_window": window, ".delayed_ack": late}
                    (rows[f"{mss}, {window}"],) = pick(results["extra-setting"], wanted, settings=ends)
            made.append(dots(name(wanted), rows, megabytes, of=of(wanted), panel=panel))
    return made


USUAL: dict[str, Any] = {
    "duplicates": 3,
    "interval": "25 packets",
    "interval_counts": "packets",
    "reserve": "30 packets",
    "trigger": 0.9,
    "early": "drop",
    "age": None,
}
"""What a scheme's queue is where nothing else is said; RED has no trigger."""


def unusual(sample: Sample) -> dict[str, Any]:
    """In what the scheme differs from the figures'; what is missing is None."""
    own = {k: v for k, v in queue(sample).items() if k in USUAL}
    found = {key: value for key, value in own.items() if value != USUAL[key]}
    if scheme(sample) == "1" and inner(sample) == "drop-tail" and "trigger" not in own:
        found["trigger"] = None
    return found


Change = tuple[dict[str, Any], dict[str, Any]]
"""What is different: of the plan, by the ends of the paths, and of the scheme."""

READINGS: dict[str, Change] = {
    "as in Tables 1 and 2": ({}, {}),
    "half of the window (RFC 2001)": ({".halve": "window"}, {}),
    "careful (RFC 2582)": ({".careful": True}, {}),
    "least timeout 1 s": ({".min_rto": "1 s"}, {}),
    "BSD: clock 500 ms, least timeout 1 s": ({".tick": "500 ms", ".min_rto": "1 s"}, {}),
    "clock of 1 ms": ({".tick": "1 ms"}, {}),
    "limited transmit (RFC 3042)": ({".limited_transmit": True}, {}),
    "slow start ends at 32 KiB": ({".initial_ssthresh": "32 KiB"}, {}),
    "headers of 40 B, without PPP's": ({".header": "40 B"}, {}),
    "access lines of 100 Mb/s": ({".access.rate": "100 Mb/s"}, {}),
    "interval counts candidates (Figs. 2, 3)": ({}, {"interval_counts": "candidates"}),
    "scheme 1: trigger 0.8": ({}, {"trigger": 0.8}),
    "scheme 1: no trigger": ({}, {"trigger": None}),
    "scheme 1: trigger begins episodes only": ({}, {"early": "start"}),
    "the same, and they last a second": ({}, {"early": "start", "interval_counts": "candidates", "age": "1 s"}),
    "scheme 2: copies have no room of their own": ({}, {"reserve": "0 packets"}),
}


def changed(results: Results, wanted: str, decides: str, change: Change) -> Sample | None:
    """The runs of one reading; of what is varied of a scheme the others have none."""
    plan, own = change
    for sample in pick(results["extra-readings"], wanted, decides):
        others = rest(sample)
        matches = len(others) == len(plan) and all(setting(sample, end) == value for end, value in plan.items())
        if matches and unusual(sample) == own:
            return sample
    return None


def _readings(results: Results) -> list[Series]:
    made = []
    for decides, panel in DECIDES.items():
        for wanted in ("1", "2", "2-drop"):
            rows, values = [], []
            for words, change in READINGS.items():
                sample, base = (
                    changed(results, wanted, decides, change),
                    changed(results, "0", decides, (change[0], {})),
                )
                if sample is not None and base is not None:
                    rows.append(words)
                    values.append(gain(sample, base, megabytes))
            y, half = [e.mean for e in values], [e.half for e in values]
            made.append(Series(name(wanted), list(rows), y, half, of=of(wanted), panel=panel))
        made.append(Series("none", [0], [0.0], [None], kind="reference", panel=panel))
    return made


# Other senders


def _delivered(flow: str) -> Callable[[Measured], float]:
    """Payload that a flow has delivered [MB]."""
    return lambda run: sum(
        one["goodput_bps"] / 8e6 * (run.document["duration_s"] - run.document["warm_up_s"])
        for one in run.document["flows"]
        if one["name"] == flow
    )


SENDERS = {
    "Reno": ("reno", None),
    "NewReno": ("newreno", None),
    "SACK (Fall & Floyd)": ("sack", None),
    "SACK (RFC 6675)": ("sack", "rfc6675"),
}
"""Transport, and how it reckons its pipe if that is said."""


def sender(samples: Sequence[Sample], kind: str, pipe: str | None = None) -> list[Sample]:
    """Those of a sender."""
    return [s for s in samples if (setting(s, KIND), setting(s, ".transport.pipe")) == (kind, pipe)]


def _senders(results: Results) -> list[Series]:
    made = []
    for words in NETWORKS:
        samples = network(results["extra-senders"], words)
        for wanted in SCHEMES:
            rows = {label: only(sender(samples, *which), wanted) for label, which in SENDERS.items()}
            made.append(dots(name(wanted), rows, megabytes, of=of(wanted), panel=words))
    return made


WITH_TRIM = {
    "scheme 0": ("0", "reno"),
    "scheme 1": ("1", "reno"),
    "scheme 2, dup-ack": ("2", "reno"),
    "scheme 2, drop": ("2-drop", "reno"),
    "scheme 0 and SACK": ("0", "sack"),
    "trimming and notices": ("trim", "nack"),
}
"""Per line the scheme and the sender."""
TRIM_PANELS: dict[str, tuple[str, str, Read, str]] = {
    "Fig. 6": ("Table 1", "throughput [MB/s]", megabytes, "bpd"),
    "Fig. 7": ("Table 1", DELAY, milliseconds, "plain"),
    "Fig. 13": ("Figs. 13, 14", "near source [MB/s]", per_second(_delivered("ftp-1")), "epd"),
    "Fig. 14": ("Figs. 13, 14", "far source [MB/s]", per_second(_delivered("ftp-3")), "theory"),
}


def _trim(results: Results) -> list[Series]:
    made = []
    for panel, (words, _, measure, colour) in TRIM_PANELS.items():
        samples = network(results["extra-senders"], words)
        rows = {line: only(sender(samples, kind), wanted) for line, (wanted, kind) in WITH_TRIM.items()}
        made.append(dots(panel, rows, measure, of=colour, panel=panel))
    return made


DELAY_READINGS: dict[str, dict[str, Any]] = {
    "as in Figs. 13 and 14": {},
    "headers of 40 B, without PPP's": {".header": "40 B"},
    "segments of 1460 B": {".mss": "1460 B"},
    "every second packet acknowledged": {".delayed_ack": True},
    "least timeout 1 s": {".min_rto": "1 s"},
    "windows of 32 KiB": {".max_window": "32 KiB"},
}


def delay_reading(results: Results, wanted: str, change: Mapping[str, Any]) -> Sample:
    """The runs of Figs. 13 and 14 with what is changed."""
    found = pick(results["extra-delays"], wanted, settings=change)
    return next(sample for sample in found if len(rest(sample)) == len(change))


def _delays(results: Results) -> list[Series]:
    made = []
    for panel, flow in (("at 1 ms", "ftp-1"), ("at 9 ms", "ftp-3"), ("all", "")):
        measure = per_second(_delivered(flow)) if flow else megabytes
        for wanted in SCHEMES:
            rows = {words: delay_reading(results, wanted, change) for words, change in DELAY_READINGS.items()}
            made.append(dots(name(wanted), rows, measure, of=of(wanted), panel=panel))
    return made


def _phase(results: Results) -> list[Series]:
    made = []
    for panel, flow in (("at 1 ms", "ftp-1"), ("at 9 ms", "ftp-3")):
        for wanted in SCHEMES:
            mine = pick(results["extra-phase"], wanted)
            at = [int(setting(s, NEAR).split()[0]) / 1e3 for s in mine]
            made.append(curve(name(wanted), at, mine, per_second(_delivered(flow)), of=of(wanted), panel=panel))
    return made


def _many(measure: Any) -> Callable[[Results], list[Series]]:
    def series(results: Results) -> list[Series]:
        made = []
        for decides, panel in DECIDES.items():
            for wanted in SCHEMES:
                mine = pick(results["extra-many"], wanted, decides)
                at = [setting(s, ".count") for s in mine]
                made.append(curve(name(wanted), at, mine, measure, of=of(wanted), panel=panel))
        return made

    return series


ONE_CHANGE = "Each line changes one thing."

EXTRAS = [
    Figure(
        "setting",
        "Segments, windows and acks",
        "Not in the paper: the segment size and the window are not stated. The network of Table 1.",
        "segment size and window",
        THROUGHPUT,
        ("extra-setting",),
        _setting,
        limits=(0, 5.6),
        flat=True,
        place="Extra, segments and windows",
        ours="With windows of 32 KiB or less nothing is ever lost, and the schemes do nothing. With 64 KiB and 1460 "
        "B scheme 0 already has nearly all that the link can carry; 19 % more is more than there is.",
    ),
    Figure(
        "readings",
        "What else is open",
        "Not in the paper: gains with one thing changed at a time, each over scheme 0 with the same change.",
        "reading",
        GAIN,
        ("extra-readings",),
        _readings,
        flat=True,
        place="Extra, readings",
        ours=f"{ONE_CHANGE} The paper has 13 and 19 % under tail drop, 18 and 35 % under RED. "
        "With receivers that drop what is truncated scheme 2 gains nothing beyond its intervals under any of them.",
    ),
    Figure(
        "senders",
        "Better senders",
        "Not in the paper, which names NewReno and SACK (§II) and compares with Reno alone.",
        "sender",
        THROUGHPUT,
        ("extra-senders",),
        _senders,
        flat=True,
        place="Extra, better senders",
        ours="Around RED better senders gain a little, scheme 1 gains more, and not on top of each other. For SACK as "
        "RFC 6675 has it an ack that reports nothing new is no duplicate: scheme 2 does the same whether the receiver "
        "answers or not, and recovers nothing. In Figs. "
        "13 and 14 no sender gets through to the server past the one at 1 ms; the sum is then high, see Extra, "
        "trimming.",
    ),
    Figure(
        "trim",
        "Trimming",
        "Beyond the paper: what switches in data centres do today (NDP, Ultra Ethernet). One header instead of three "
        "copies, ahead of the data, and a receiver that answers it with a notice of the loss.",
        "scheme",
        THROUGHPUT,
        ("extra-senders",),
        _trim,
        limits=(0, None),
        flat=True,
        panels={panel: Panel(axis, (None, None)) for panel, (_, axis, _, _) in TRIM_PANELS.items()},
        place="Extra, trimming",
        ours="The sender reacts to a notice as Reno does to three duplicates. One header ahead of the data does what "
        "three in the queue were to do: no timeouts and no inflation. In the network of Table 1 throughput is about "
        "that of scheme 0. In Figs. 13 and 14 the far source gets the most of all; it costs the sum, 3.1 MB/s against "
        "5.1, as every end of a lock-out does here.",
    ),
    Figure(
        "delays",
        "The bias of Figs. 13 and 14",
        "Not in the paper: what it leaves open, and what that does to the sources at 1 ms and at 9 ms.",
        "reading",
        THROUGHPUT,
        ("extra-delays",),
        _delays,
        flat=True,
        panels={panel: Panel("throughput [MB/s]", (0, None)) for panel in ("at 1 ms", "at 9 ms", "all")},
        place="Extra, readings of Figs. 13 and 14",
        ours="The far source gains where scheme 0 locks it out: with PPP's headers, with or without delayed acks, "
        "with long timeouts. Where nobody is locked out it gains nothing (headers of 40 B, windows of 32 KiB), or a "
        "quarter, from scheme 1 (1460 B). No scheme raises the sum of all under any reading.",
    ),
    Figure(
        "phase",
        "A hundredth of a millisecond",
        "Not in the paper: Figs. 13 and 14 with the link of the source at 1 ms a little shorter or longer.",
        "delay of the near source's link [ms]",
        "throughput [MB/s]",
        ("extra-phase",),
        _phase,
        panels={panel: Panel("throughput [MB/s]", (0, None)) for panel in ("at 1 ms", "at 9 ms")},
        place="Extra, the phase of Figs. 13 and 14",
        ours="Under scheme 0 the near source either locks the others out or has a third of the link, and 10 us decide. "
        "It does so where its round trip is about a whole number of packet times: then its packets come just as others "
        "leave, and find the place. Half a packet time further on the link, 52 us, the round trip is a whole number "
        "again. At 1 ms and headers of 48 B it is one; there the far source gains under the schemes. Elsewhere it "
        "gains nothing, though scheme 1 takes from the near one.",
    ),
    Figure(
        "many",
        "More sources",
        "Not in the paper: more sources share the network of Tables 1 and 2, each with a smaller share of what fits.",
        "sources in the network",
        THROUGHPUT,
        ("extra-many",),
        _many(megabytes),
        log="x",
        place="Extra, more sources",
        ours="Scheme 1 gains around RED up to thirty sources, around tail drop from thirty on, there 1 or 2 %. Scheme "
        "2 with receivers that answer loses 6 to 11 % from thirty sources on.",
    ),
    Figure(
        "many-timeouts",
        "More sources, more timeouts",
        "The same runs.",
        "sources in the network",
        "timeouts [share of loss indications]",
        ("extra-many",),
        _many(by_timeout),
        limits=(0, None),
        log="x",
        place="Extra, timeouts of more sources",
        ours="With a hundred sources a third of the losses are found by timeouts. Scheme 2 has a few less of them only "
        "there, and it does not pay. Scheme 1 has fewer around RED, with fewer drops, and more around tail drop, where "
        "it gains nevertheless: throughput and timeouts do not go together.",
    ),
]
