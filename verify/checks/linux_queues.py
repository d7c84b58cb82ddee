"""The simulator's queues beside those of Linux, in a process."""

from __future__ import annotations

from verify import uml
from verify.frame import Report
from verify.linux_cases import Case, Flow, Queue, cake, choke, codel, fq_codel, pie, red, sfq
from verify.linux_reasons import CHANGES, report
from verify.linux_rows import Band, Comparison

TITLE = "Linux' queues, in a process"
AGAINST = "Linux 6.1 (User-Mode Linux): its qdiscs under CUBIC and UDP"
ORDER = 30
REPETITIONS = 8
RATE = 10
BANDS = {
    "goodput": Band(0.05),
    "queueing": Band(0.10, 1e-3),
    "queueing p95": Band(0.10, 2e-3),
    "drops": Band(0.10, 5),
    "marks": Band(0.10, 5),
    "share": Band(0.10, 0.01),
    "Jain": Band(0.10),
}
"""Stated before the first run; the 0.01 before that of UDP faster than its share, the p95 before it was first seen."""
NAMES = ("goodput", "queueing", "queueing p95", "drops", "marks", "share", "Jain")
BANDS_SAID = (
    "Bands, stated before the first run: goodput within 5 %; median queueing delay (srtt without the "
    "round trip of the empty network) within 10 % or 1 ms; drops and marks within 10 % or 5 packets; "
    "Jain's index within 10 %; shares within 10 % or 0.01 (the 0.01 was added, before its first run, for UDP that is "
    "faster than its fair share). The 95th percentile of the queueing delay has 10 % or 2 ms, stated before it was "
    "seen, when the rows without it were known."
)


def cases() -> list[Case]:
    """The settings: per queue and load two round trips, and some others."""
    made: list[Case] = []
    for queue, marking in (
        (codel(ecn=False), codel(ecn=True)),
        (fq_codel(), fq_codel()),
        (pie(ecn=False), pie(ecn=True)),
        (cake(), cake()),
        (red(10, 30, ecn=False), red(10, 30, ecn=True)),
        (sfq(), None),
        (choke(10, 30), None),
    ):
        made += [_case(queue, _cubic(1, rtt)) for rtt in (20, 80)]
        # Two flows mark, where the queue can.
        made += [_case(marking or queue, _cubic(2, rtt), ecn=marking is not None) for rtt in (40, 160)]
        made += [_case(queue, _cubic(8, rtt)) for rtt in (20, 80)]
        made += [_case(queue, (*_cubic(1, rtt), Flow("udp", rtt, 4.0))) for rtt in (20, 80)]
    # Chosen when the preset seemed complete, to see what it was not made from. It has been changed since.
    made += [
        _case(codel(ecn=False), _cubic(3, 30)),
        _case(fq_codel(), _cubic(2, 60), ecn=True),
        _case(red(10, 30, ecn=False), _cubic(4, 50)),
        _case(cake(), _cubic(3, 60)),
        _case(sfq(), _cubic(4, 30)),
        _case(pie(ecn=False), _cubic(4, 60)),
    ]
    # Chosen after the last of these changes.
    made += [
        _case(choke(10, 30), _cubic(4, 50)),
        _case(red(10, 30, ecn=False), _cubic(6, 40)),
        _case(codel(ecn=False), _cubic(6, 100)),
        _case(cake(), _cubic(8, 50)),
        _case(sfq(), _cubic(3, 60)),
        _case(pie(ecn=False), (*_cubic(2, 40), Flow("udp", 40, 3.0))),
    ]
    # UDP faster than its fair share, and faster than the line.
    for queue in (codel(ecn=False), fq_codel(), pie(ecn=False), cake(), red(10, 30, ecn=False), sfq(), choke(10, 30)):
        made += [_case(queue, (*_cubic(2, 40), Flow("udp", 40, rate))) for rate in (8.0, 12.0)]
    # The path of 160 ms with one CUBIC flow, with eight, and with CUBIC and UDP; marks with one flow and with eight.
    for queue in (codel(ecn=False), fq_codel(), pie(ecn=False), cake(), red(10, 30, ecn=False), sfq(), choke(10, 30)):
        made += [_case(queue, _cubic(flows, 160)) for flows in (1, 8)]
        made.append(_case(queue, (*_cubic(1, 160), Flow("udp", 160, 4.0))))
    for queue in (codel(ecn=True), fq_codel(), pie(ecn=True), cake(), red(10, 30, ecn=True)):
        made += [_case(queue, _cubic(flows, rtt), ecn=True) for flows, rtt in ((1, 20), (8, 80))]
    return made


def _cubic(number: int, rtt: int) -> tuple[Flow, ...]:
    return (Flow("cubic", rtt),) * number


def _case(queue: Queue, flows: tuple[Flow, ...], *, ecn: bool = False) -> Case:
    rtt = flows[0].rtt
    warm_up, measured = 3, 8
    if rtt >= 80 or queue.name == "PIE":
        # A sawtooth takes seconds there, and PIE needs seconds to unlearn the probability of slow start.
        warm_up, measured = 8, 12
    return Case(RATE, queue, flows, ecn, warm_up, warm_up + measured)


COMPARISON = Comparison(lambda _: BANDS, NAMES, "delays, drops, marks, share 10 %; goodput 5 %", CHANGES)


def check(quick: bool) -> Report:
    """Makes the runs that are missing, and compares."""
    if why := uml.unable():
        return Report(TITLE, AGAINST, skipped=why, order=ORDER)
    chosen, repetitions = (cases()[::8], 1) if quick else (cases(), REPETITIONS)
    return report(Report(TITLE, AGAINST, order=ORDER), COMPARISON, chosen, repetitions, BANDS_SAID, first=False)
