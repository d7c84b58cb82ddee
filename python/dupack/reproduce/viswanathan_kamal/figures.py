"""The figures of Viswanathan & Kamal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dupack.reproduce.paper import Estimate, Figure, Results, Sample, Series
from dupack.reproduce.viswanathan_kamal.runs import (
    SCHEMES,
    TRUNKS,
    Course,
    Read,
    delay_course,
    link_course,
    mean_until,
    only,
    rates,
    throughput_course,
)

TIME = "time [s]"
THROUGHPUT = "throughput of the server's TCP [MB/s]"
DELAY = "TCP delay [ms]"
LINK = "throughput of the link [Mb/s]"

ONE, MEAN = "one run", "mean until then"


def of(scheme: str) -> str:
    """Its colour and mark."""
    return scheme if scheme == "trim" else f"scheme-{scheme}"


def name(scheme: str) -> str:
    """What it is called in legends."""
    return SCHEMES.get(scheme, scheme)


def _steps(found: list[tuple[float, float | None, float]]) -> tuple[list[float], list[float | None]]:
    """A course as steps: each value from the begin of its interval on, the last until its end."""
    ends, values = [now for now, _, _ in found], [value for _, value, _ in found]
    return [0.0, *ends], [*values, values[-1]]


def one_run(samples: Sequence[Sample], course: Course, **how: Any) -> list[Series]:
    """Of each scheme the course of the first seed, interval by interval."""
    made = []
    for scheme in SCHEMES:
        at, values = _steps(course(only(samples, scheme).runs[0]))
        made.append(Series(name(scheme), list(at), values, [None] * len(at), of(scheme), kind="steps", **how))
    return made


def until(samples: Sequence[Sample], course: Course, points: int = 12, **how: Any) -> list[Series]:
    """Of each scheme the mean from the start until then, with its interval over the seeds."""
    made = []
    for scheme in SCHEMES:
        runs = [mean_until(course(run)) for run in only(samples, scheme).runs]
        every = max(1, len(runs[0]) // points)
        # Counted from the end, which is in the tables.
        shown = range((len(runs[0]) - 1) % every, len(runs[0]), every)
        found = [Estimate.of([v for v in (run[i][1] for run in runs) if v is not None]) for i in shown]
        at = [runs[0][i][0] for i in shown]
        made.append(Series(name(scheme), list(at), [e.mean for e in found], [e.half for e in found], of(scheme), **how))
    return made


def _courses(plan: str, course: Course) -> Callable[[Results], list[Series]]:
    return lambda results: [
        *one_run(results[plan], course, panel=ONE),
        *until(results[plan], course, panel=MEAN),
    ]


def _link(source: int) -> Callable[[Results], list[Series]]:
    """Figs. 10 and 11: a panel for each scheme, in it a run of each reading."""

    def series(results: Results) -> list[Series]:
        made = []
        for scheme, words in SCHEMES.items():
            for reading, colour in zip(TRUNKS, ("plain", "epd", "bpd"), strict=True):
                at, values = _steps(link_course(source)(only(rates(results, reading), scheme).runs[0]))
                how: dict[str, Any] = {"of": colour, "kind": "steps", "panel": words}
                made.append(Series(reading, list(at), values, [None] * len(at), **how))
        return made

    return series


def dots(label: str, rows: dict[str, Sample], measure: Read, **how: Any) -> Series:
    """A dot with its interval for each word."""
    found = [sample.estimate(measure) for sample in rows.values()]
    return Series(label, list(rows), [e.mean for e in found], [e.half for e in found], **how)


def curve(label: str, x: Sequence[float], samples: Sequence[Sample], measure: Read, **how: Any) -> Series:
    """A curve over numbers."""
    pairs = sorted(zip(x, [sample.estimate(measure) for sample in samples], strict=True), key=lambda pair: pair[0])
    return Series(label, [at for at, _ in pairs], [e.mean for _, e in pairs], [e.half for _, e in pairs], **how)


def _setting(interval: int, trigger: str = "at nine tenths of the buffer", *, mss: int = 536) -> str:
    """What the paper leaves open in a figure, and its interval, in a line."""
    return (
        f"Segments of {mss} B, headers of 48 B, windows of 64 KiB, all packets acknowledged, a clock of 100 ms (least "
        f"timeout 200 ms); scheme 1 begins to discard {trigger}; an interval of {interval} packets of the flow."
    )


TAIL, RED = _setting(25), _setting(25, "where RED does")
RATES, DELAYS = _setting(25, mss=1460), _setting(7)


def _delays(number: str, title: str, shows: str, *, source: int, limits: tuple[float, float], ours: str) -> Figure:
    """What one of two sources sends whose ways differ in delay: Figs. 13 and 14."""
    series = _courses("fig-13-14", link_course(source))
    return Figure(number, title, shows, TIME, LINK, ("fig-13-14",), series, limits=limits, ours=f"{DELAYS} {ours}")


FIGURES = [
    Figure(
        "6",
        "Throughput, tail drop",
        "Three DS3 sources, 50 packets of buffer, interval 25 (§IV.2, Table 1). Both schemes show marked improvement "
        "over scheme 0, scheme 2 a little more.",
        TIME,
        THROUGHPUT,
        ("fig-06-07",),
        _courses("fig-06-07", throughput_course),
        limits=(3.7, 5.2),
        ours=f"{TAIL} Left every 15 s of one run, right the mean of all runs from the start until then, with the "
        "paper's averages at 900 s. 5.13 MB/s are possible. No scheme improves on scheme 0. Scheme 1 does what a "
        "smaller buffer does (Extra, the trigger); scheme 2's duplicates make senders overfill it (Extra, copies), "
        "and without an answer its copies change nothing.",
    ),
    Figure(
        "7",
        "TCP delay, tail drop",
        "The same runs: both schemes lower the delay (§IV.2, Table 1).",
        TIME,
        DELAY,
        ("fig-06-07",),
        _courses("fig-06-07", delay_course),
        limits=(10, 42),
        ours=f"{TAIL} "
        "From a segment's first transmission to its hand-over in order: 10 ms of propagation, about 5 ms at "
        "most of waiting in the router, and about a round trip more for what is behind a loss. The published delays "
        "cannot be that: no queue here is longer than 5.2 ms. Times the throughput of a source those of Tables 1 and "
        "2 make 42 to 55 kB, which is somewhat less than a window.",
    ),
    Figure(
        "8",
        "Throughput, RED",
        "The same with RED (17, 50, 0.02), which gives less throughput than tail drop, and from which the schemes "
        "gain more (§IV.2, Table 2).",
        TIME,
        THROUGHPUT,
        ("fig-08-09",),
        _courses("fig-08-09", throughput_course),
        limits=(3.2, 5.2),
        ours=f"{RED} "
        "Scheme 1 gains, since packets that RED would drop soon after the first get in: a RED that drops less "
        "(Extra, a gentler RED). Scheme 2 hardly gains with a receiver that answers, and not at all with one that "
        "drops.",
    ),
    Figure(
        "9",
        "TCP delay, RED",
        "The same runs: the schemes lower the delay by about a quarter (§IV.2, Table 2).",
        TIME,
        DELAY,
        ("fig-08-09",),
        _courses("fig-08-09", delay_course),
        limits=(10, 46),
        ours=f"{RED} All of the delay beyond propagation is less than 2 ms; there is nothing to be saved.",
    ),
    Figure(
        "10",
        "What source 1 sends, a source on a DS1 link",
        "Sources 1 and 3 on DS1, source 2 on DS3 (§IV.3). Under scheme 0 source 1 ramps up, then stops for a "
        "timeout; under schemes 1 and 2 its link is fully used.",
        TIME,
        LINK,
        ("fig-10-11",),
        _link(1),
        limits=(0, 1.65),
        ours=f"{RATES} One reading has windows of 256 KiB. "
        "By the text's words the link to the server is DS1; then three sources share its "
        "1.5 Mb/s, and none can fill a link of its own. If it is DS3, 64 KiB of source 2 leave room, nothing is "
        "lost, and source 1's link is full under every scheme. If the windows fill the DS3 link, source 2 can lock "
        "the others out, and any scheme prevents that, also with receivers that ignore truncated packets.",
    ),
    Figure(
        "11",
        "What source 2 sends, a source on a DS3 link",
        "Source 2 begins with a higher rate, suffers far more drops, and ends with very little, less than the "
        "sources on DS1. The schemes do better; scheme 1 comes close to scheme 0 with time (§IV.3).",
        TIME,
        LINK,
        ("fig-10-11",),
        _link(2),
        limits=(0.005, 60),
        log="y",
        ours=f"{RATES} One reading has windows of 256 KiB. "
        "As the text says if the link to the server is DS1: bursts of a fast link meet a buffer that is kept "
        "full by packets of the slow links, which come in step with those that leave it. So Figs. 10 and 11 want "
        "different links to the server.",
    ),
    _delays(
        "13",
        "What the source at 1 ms sends",
        "Links of 1 ms and 9 ms, 15 packets of buffer, interval 7 (§IV.3): the near source gets less under the "
        "schemes.",
        source=1,
        limits=(0, 46),
        ours="Source 2 at 5 ms, as in the other experiments. Under scheme 0 the near source fills the link on its "
        "own and locks the others out. That is so only where its round trip is a whole number of packet times (Extra, "
        "the phase of Figs. 13 and 14). Each scheme breaks that up, and leaves half of the link or more unused.",
    ),
    _delays(
        "14",
        "What the source at 9 ms sends",
        "The same runs: the far source gets more under the schemes, which corrects the bias of TCP (§IV.3).",
        source=3,
        limits=(0, 6),
        ours="The far source does get more, if scheme 0 locks it out (Extra, the phase of Figs. 13 and 14); else not. "
        "Truncated packets correct the bias as well if the receiver drops them: not by duplicate acks, "
        "but by taking places from the source that holds all of them.",
    ),
]
