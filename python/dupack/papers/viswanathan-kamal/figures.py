"""The figures of Viswanathan & Kamal that are more than curves over a setting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from dupack._native import time_to_three, time_to_three_exact, time_to_three_scheme_1
from dupack.reproduce.folder import stated
from dupack.reproduce.paper import Estimate, Figures, Read, Results, Sample, Series
from dupack.reproduce.select import number, setting, where

from .measures import rest
from .measures import words as told
from .model import BUFFER, EPISODES, GRID, OTHERS, SIMULATED, as_printed, simulated
from .runs import (
    DECIDES,
    NAMES,
    NETWORKS,
    SCHEMES,
    TRUNKS,
    USUAL,
    Course,
    Point,
    by_timeout,
    carried,
    changes,
    delay,
    delay_course,
    drops,
    drops_per_second,
    fast,
    goodput,
    link_course,
    locked_out,
    mean_until,
    network,
    one,
    per_second,
    percent,
    pick,
    rates,
    throughput,
    throughput_course,
    timeouts,
)

FIGURES = figure = Figures()

STATED = stated(Path(__file__).parent)


def of(scheme: str) -> str:
    """The colour and mark of a scheme."""
    return f"scheme-{scheme}"


def dots(name: str, rows: dict[str, Sample], read: Read, **how: Any) -> Series:
    """A dot with its interval for each word."""
    return Series.estimated(name, list(rows), [sample.estimate(read) for sample in rows.values()], **how)


def curve(name: str, x: Sequence[float], samples: Sequence[Sample], read: Read, **how: Any) -> Series:
    """A curve over numbers."""
    pairs = sorted(zip(x, samples, strict=True), key=lambda pair: pair[0])
    return Series.estimated(name, [at for at, _ in pairs], [sample.estimate(read) for _, sample in pairs], **how)


def published(claims: str, schemes: str, **how: Any) -> list[Series]:
    """A line at the published value of each scheme, in a figure with words on its side."""
    return [
        Series.exact(f"paper: scheme {s}", [0], [float(STATED[f"{claims}-{s}"])], kind="reference", of=of(s), **how)
        for s in schemes
    ]


# Figs. 1 and 4: the model

TOP = 160.0
"""Upper limit of the y axes [slots]."""
SLOT_MS, ROUND_TRIP_MS = 8 * 584 / 44.736e3, 20.0
"""A slot sends a packet of 584 bytes on a DS3 link. The round trip is the propagation in Fig. 5."""


def _line(name: str, slots: Callable[[float], float], of: str, kind: str = "flat") -> Series:
    shown = [(p, slots(p)) for p in GRID if slots(p) <= TOP]
    return Series.exact(name, [p for p, _ in shown], [t for _, t in shown], of=of, kind=kind)


def _mended(p: float) -> float:
    return time_to_three(OTHERS, BUFFER, p)


def _exact(p: float) -> float:
    return time_to_three_exact(OTHERS, BUFFER, p)


@figure("1")
def _(results: Results) -> list[Series]:
    return [
        _line("as printed", as_printed, "epd"),
        _line("mended", _mended, "theory", "reference"),
        _line("exact", _exact, "", "reference"),
        Series.estimated("simulated", SIMULATED, [simulated(p) for p in SIMULATED], of="bpd"),
    ]


@figure.note("1")
def _(results: Results) -> dict[str, int]:
    return {"episodes": EPISODES}


@figure("4")
def _(results: Results) -> list[Series]:
    return [
        _line("scheme 0, as printed", as_printed, "scheme-0"),
        _line("scheme 0, exact", _exact, "", "reference"),
        _line("scheme 1", time_to_three_scheme_1, "scheme-1"),
        _line("scheme 2", lambda p: 1.0, "scheme-2"),
    ]


@figure.note("4")
def _(results: Results) -> dict[str, float]:
    """What the schemes save at the load at which scheme 0 is fastest [slots; share of a round trip in %]."""
    load = min(GRID, key=as_printed)
    first, second = (as_printed(load) - other for other in (time_to_three_scheme_1(load), 1.0))
    return {"load": load, "first": first, "second": second, "share": 100 * second * SLOT_MS / ROUND_TRIP_MS}


# Figs. 6 to 14: courses


def _steps(name: str, course: Sequence[Point], **how: Any) -> Series:
    """A course as steps. Each value begins with its interval, and the last extends to the end."""
    ends, values = [now for now, _, _ in course], [value for _, value, _ in course]
    return Series.exact(name, [0.0, *ends], [*values, values[-1]], kind="steps", **how)


def one_run(samples: Sequence[Sample], course: Course, **how: Any) -> list[Series]:
    """The course of the first seed of each scheme."""
    return [_steps(NAMES[s], course(one(samples, s).runs[0]), of=of(s), **how) for s in NAMES]


def until(samples: Sequence[Sample], course: Course, points: int = 12, **how: Any) -> list[Series]:
    """The mean from the start until then, with its interval over the seeds, of each scheme."""
    made = []
    for scheme in NAMES:
        runs = [mean_until(course(run)) for run in one(samples, scheme).runs]
        step = max(1, len(runs[0]) // points)
        # The last point is always shown: the paper's tables have it.
        shown = range((len(runs[0]) - 1) % step, len(runs[0]), step)
        found = [Estimate.of([v for v in (run[i][1] for run in runs) if v is not None]) for i in shown]
        made.append(Series.estimated(NAMES[scheme], [runs[0][i][0] for i in shown], found, of=of(scheme), **how))
    return made


COURSES: dict[str, tuple[str, Course]] = {
    "6": ("fig-06-07", throughput_course),
    "7": ("fig-06-07", delay_course),
    "8": ("fig-08-09", throughput_course),
    "9": ("fig-08-09", delay_course),
    "10": ("fig-10-11", link_course(1)),
    "11": ("fig-10-11", link_course(2)),
    "13": ("fig-13-14", link_course(1)),
    "14": ("fig-13-14", link_course(3)),
}
for drawn, (plan, course) in COURSES.items():

    @figure(drawn)
    def _(results: Results, plan: str = plan, course: Course = course) -> list[Series]:
        samples = results[plan]
        return [*one_run(samples, course, panel="one run"), *until(samples, course, panel="mean until then")]


@figure("rates")
def _(results: Results) -> list[Series]:
    made = []
    for source in (1, 2):
        for scheme, name in NAMES.items():
            rows = {link: one(rates(results, link), scheme) for link in TRUNKS}
            made.append(dots(name, rows, carried(source), of=of(scheme), panel=f"source {source}"))
    return made


@figure.note("9")
def _(results: Results) -> dict[str, str]:
    return {"rest": rest(results, "fig-08-09")}


@figure.note("13")
def _(results: Results) -> dict[str, str]:
    def locked(scheme: str) -> str:
        runs = one(results["fig-13-14"], scheme).runs
        return f"{sum(map(locked_out, runs))} of {len(runs)}"

    return {f"locked_{scheme}": locked(scheme) for scheme in ("0", "1", "2")}


# Where gains come from


@figure("accounts")
def _(results: Results) -> list[Series]:
    plans = {"Table 1": "fig-06-07", "Table 2": "fig-08-09", "Figs. 13, 14": "fig-13-14"}
    rows = {f"{words}: {name}": one(results[plan], s) for words, plan in plans.items() for s, name in NAMES.items()}
    return [
        dots("packets dropped", rows, drops_per_second, of="drop", panel="packets dropped"),
        dots("fast retransmits", rows, per_second(fast), of="fast_retransmit", panel="fast retransmits"),
        dots("timeouts", rows, per_second(timeouts), of="timeout", panel="timeouts"),
    ]


@figure.note("accounts")
def _(results: Results) -> dict[str, str]:
    tail, red = results["fig-06-07"], results["fig-08-09"]

    def three(read: Read, digits: int = 2) -> str:
        """Under schemes 0, 1 and 2, in the network of Table 1."""
        return ", ".join(told(one(tail, scheme).estimate(read), digits) for scheme in ("0", "1", "2"))

    return {
        "share": told(one(tail, "0").estimate(by_timeout).times(100)),
        "timeouts": three(timeouts, 0),
        "drops": three(drops_per_second),
        "fewer": told(percent(one(red, "1"), one(red, "0"), drops, less=True), 1),
    }


SHARES = [i / 50 for i in range(50)]
"""Shares of the drops at which the time is shown."""


@figure("sooner")
def _(results: Results) -> list[Series]:
    made = []
    for words in NETWORKS:
        samples = network(results["extra-sooner"], words)
        for scheme, name in NAMES.items():
            found = sorted(wait for s in where(samples, SCHEMES[scheme]) for run in s.runs for wait in run.tape)
            if found:
                x = [1e3 * found[int(share * len(found))] for share in SHARES]
                how: dict[str, Any] = {"of": of(scheme), "panel": words, "kind": "steps"}
                made.append(Series.exact(name, x, SHARES, **how))
    return made


@figure.note("sooner")
def _(results: Results) -> dict[str, str]:
    """Median times in the network of Table 1 under schemes 0, 1 and 2 [ms]."""
    table = network(results["extra-sooner"], "Table 1")
    found = {scheme: [wait for run in one(table, scheme).runs for wait in run.tape] for scheme in ("0", "1", "2")}
    return {f"median_{scheme}": f"{1e3 * median(waits):.1f}" if waits else "-" for scheme, waits in found.items()}


EARLY: list[tuple[str, float, dict[str, Any]]] = [
    ("all dropped", 0.0, {"early": "drop"}),
    ("episodes begin", 0.6, {"early": "start", "age": False}),
    ("they last 1 s", -0.5, {"early": "start", "age": "1 s"}),
]
"""What scheme 1 does beyond the trigger: name, shade, and the parameters of the queue."""


@figure("trigger")
def _(results: Results) -> list[Series]:
    plain, schemes = (pick(results["extra-trigger"], scheme) for scheme in ("0", "1"))
    made = []
    for panel, read in (("throughput", throughput), ("delay", delay), ("drops", drops_per_second)):
        depths = [number(sample, "queue.buffer") for sample in plain]
        made.append(curve("scheme 0, such a buffer", depths, plain, read, of="scheme-0", panel=panel))
        for words, shade, settings in EARLY:
            mine = where(schemes, settings)
            at = [number(sample, "inner.buffer") * number(sample, "trigger") for sample in mine]
            made.append(curve(f"scheme 1, {words}", at, mine, read, of="scheme-1", shade=shade, panel=panel))
    return made


@figure("copies")
def _(results: Results) -> list[Series]:
    samples = results["extra-copies"]
    made = []
    for by, panel in DECIDES.items():
        (base,) = pick(samples, "0", by)
        for scheme in ("2", "2-drop"):
            mine = pick(samples, scheme, by)
            copies = [number(sample, "duplicates") for sample in mine]
            made.append(curve(NAMES[scheme], [0, *copies], [base, *mine], throughput, of=of(scheme), panel=panel))
    return made


@figure.note("copies")
def _(results: Results) -> dict[str, str]:
    """Gains of one, two and three answered copies around RED, and that of two around tail drop [%]."""

    def gained(by: str, copies: int) -> str:
        (base,) = pick(results["extra-copies"], "0", by)
        mine = next(s for s in pick(results["extra-copies"], "2", by) if number(s, "duplicates") == copies)
        return told(percent(mine, base, throughput), 1)

    return {**{f"red_{copies}": gained("red", copies) for copies in (1, 2, 3)}, "tail_2": gained("drop-tail", 2)}


# What the paper leaves open


@figure("setting")
def _(results: Results) -> list[Series]:
    made = []
    for late, panel in ((False, "every packet acknowledged"), (True, "every second one")):
        samples = where(results["extra-setting"], delayed_ack=late)
        for scheme, name in NAMES.items():
            mine = where(samples, SCHEMES[scheme])
            rows = {f"{setting(sample, 'mss')}, {setting(sample, 'max_window')}": sample for sample in mine}
            made.append(dots(name, rows, throughput, of=of(scheme), panel=panel))
        made += published("tail-throughput", "012", panel=panel)
    return made


READINGS: dict[str, dict[str, Any]] = {
    "as in Tables 1 and 2": {},
    "half of the window (RFC 2001)": {"halve": "window"},
    "careful (RFC 2582)": {"careful": True},
    "least timeout 1 s": {"min_rto": "1 s"},
    "BSD: clock 500 ms, least timeout 1 s": {"tick": "500 ms", "min_rto": "1 s"},
    "clock of 1 ms": {"tick": "1 ms"},
    "limited transmit (RFC 3042)": {"limited_transmit": True},
    "slow start ends at 32 KiB": {"initial_ssthresh": "32 KiB"},
    "headers of 40 B, without PPP's": {"header": "40 B"},
    "access lines of 100 Mb/s": {"rate": "100 Mb/s"},
    "interval counts candidates (Figs. 2, 3)": {"interval_counts": "candidates"},
    "scheme 1: trigger 0.8": {"trigger": 0.8},
    "scheme 1: no trigger": {"trigger": None},
    "scheme 1: trigger begins episodes only": {"early": "start"},
    "the same, and they last a second": {"early": "start", "interval_counts": "candidates", "age": "1 s"},
    "scheme 2: copies have no room of their own": {"reserve": "0 packets"},
}
"""The settings that each reading changes, by the last part of their paths."""


def changed(results: Results, scheme: str, by: str, change: dict[str, Any]) -> Sample | None:
    """The runs of one reading; None if the reading changes what the scheme does not have.

    For scheme 0 the parameters of the other schemes' queues are ignored.
    """
    wanted = {key: value for key, value in change.items() if scheme != "0" or key not in USUAL}
    found = pick(results["extra-readings"], scheme, by)
    return next((sample for sample in found if changes(sample) == wanted), None)


@figure("readings")
def _(results: Results) -> list[Series]:
    made = []
    for by, panel in DECIDES.items():
        for scheme in ("1", "2", "2-drop"):
            rows = {}
            for words, change in READINGS.items():
                sample, base = (changed(results, which, by, change) for which in (scheme, "0"))
                if sample is not None and base is not None:
                    rows[words] = percent(sample, base, throughput)
            made.append(Series.estimated(NAMES[scheme], list(rows), list(rows.values()), of=of(scheme), panel=panel))
        made.append(Series.exact("none", [0], [0.0], kind="reference", panel=panel))
        made += published("red-gain" if by == "red" else "tail-gain", "12", panel=panel)
    return made


DELAY_READINGS: dict[str, dict[str, Any]] = {
    "as in Figs. 13 and 14": {},
    "headers of 40 B, without PPP's": {"header": "40 B"},
    "segments of 1460 B": {"mss": "1460 B"},
    "every second packet acknowledged": {"delayed_ack": True},
    "least timeout 1 s": {"min_rto": "1 s"},
    "windows of 32 KiB": {"max_window": "32 KiB"},
}
ENDS = {"at 1 ms": goodput("ftp-1"), "at 9 ms": goodput("ftp-3")}


@figure("delays")
def _(results: Results) -> list[Series]:
    made = []
    for panel, read in {**ENDS, "all": throughput}.items():
        for scheme, name in NAMES.items():
            mine = pick(results["extra-delays"], scheme)
            rows = {
                words: next(sample for sample in mine if changes(sample) == change)
                for words, change in DELAY_READINGS.items()
            }
            made.append(dots(name, rows, read, of=of(scheme), panel=panel))
    return made


@figure.note("delays")
def _(results: Results) -> dict[str, str]:
    """What the far source gains by scheme 1 with segments of 1460 B [%]."""
    zero, first = (
        next(sample for sample in pick(results["extra-delays"], scheme) if changes(sample) == {"mss": "1460 B"})
        for scheme in ("0", "1")
    )
    return {"large": told(percent(first, zero, ENDS["at 9 ms"]), 0)}


@figure("phase")
def _(results: Results) -> list[Series]:
    made = []
    for panel, read in ENDS.items():
        for scheme, name in NAMES.items():
            mine = pick(results["extra-phase"], scheme)
            # The plan has microseconds.
            at = [number(sample, "access-1.delay") / 1e3 for sample in mine]
            made.append(curve(name, at, mine, read, of=of(scheme), panel=panel))
    return made


# Other senders

SENDERS: dict[str, dict[str, Any]] = {
    "Reno": {"transport.kind": "reno"},
    "NewReno": {"transport.kind": "newreno"},
    "SACK (Fall & Floyd)": {"transport.kind": "sack", "pipe": False},
    "SACK (RFC 6675)": {"transport.kind": "sack", "pipe": "rfc6675"},
}


@figure("senders")
def _(results: Results) -> list[Series]:
    made = []
    for words in NETWORKS:
        samples = network(results["extra-senders"], words)
        for scheme, name in NAMES.items():
            rows = {label: one(samples, scheme, settings) for label, settings in SENDERS.items()}
            made.append(dots(name, rows, throughput, of=of(scheme), panel=words))
    return made


@figure("trim")
def _(results: Results) -> list[Series]:
    rows = {name: (scheme, SENDERS["Reno"]) for scheme, name in NAMES.items()}
    rows["scheme 0 and SACK"] = ("0", SENDERS["SACK (Fall & Floyd)"])
    rows["trimming and notices"] = ("trim", {"transport.kind": "nack"})
    panels: list[tuple[str, str, Read, str]] = [
        ("Fig. 6", "Table 1", throughput, "bpd"),
        ("Fig. 7", "Table 1", delay, "plain"),
        ("Fig. 13", "Figs. 13, 14", goodput("ftp-1"), "epd"),
        ("Fig. 14", "Figs. 13, 14", goodput("ftp-3"), "theory"),
    ]
    made = []
    for panel, words, read, colour in panels:
        samples = network(results["extra-senders"], words)
        shown = {label: one(samples, scheme, settings) for label, (scheme, settings) in rows.items()}
        made.append(dots(panel, shown, read, of=colour, panel=panel))
    return made


@figure.note("trim")
def _(results: Results) -> dict[str, str]:
    samples = network(results["extra-senders"], "Figs. 13, 14")
    sums = {
        "sum": one(samples, "trim", {"transport.kind": "nack"}),
        "before": one(samples, "0", SENDERS["Reno"]),
    }
    return {name: told(sample.estimate(throughput)) for name, sample in sums.items()}


# More sources


def _crowd(results: Results, scheme: str, by: str, sources: int) -> Sample:
    mine = pick(results["extra-many"], scheme, by)
    return next(sample for sample in mine if number(sample, "source.count") == sources)


@figure.note("many")
def _(results: Results) -> dict[str, str]:
    """Gains around tail drop with many sources [%]."""

    def gained(scheme: str, sources: int) -> str:
        base = _crowd(results, "0", "drop-tail", sources)
        return told(percent(_crowd(results, scheme, "drop-tail", sources), base, throughput), 1)

    return {f"scheme_{scheme}_{sources}": gained(scheme, sources) for scheme in ("1", "2") for sources in (30, 100)}


@figure.note("many-timeouts")
def _(results: Results) -> dict[str, str]:
    """Share of the indications of loss that are timeouts, with a hundred sources [%]."""
    shares = {f"{by}_{s}": _crowd(results, s, by, 100).estimate(by_timeout) for by in DECIDES for s in ("0", "1", "2")}
    return {name.replace("drop-tail", "tail"): told(share.times(100), 0) for name, share in shares.items()}
