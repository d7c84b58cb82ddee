"""The simulator's models of Linux' senders beside Linux itself, which runs in a process."""

from __future__ import annotations

from verify import uml
from verify.frame import Report
from verify.linux_cases import Case, Flow, Queue, bdp, codel, fifo, fq_codel, pie
from verify.linux_reasons import CHANGES, report
from verify.linux_rows import Band, Comparison

TITLE = "Linux' senders, in a process"
AGAINST = "Linux 6.1 (User-Mode Linux): TCP over its queues"
ORDER = 29
REPETITIONS = 8
BANDS = {
    "goodput": Band(0.05),
    "srtt": Band(0.05),
    "drops": Band(0.20, 5),
    "marks": Band(0.20, 5),
    "retransmitted": Band(0.20, 5),
    "timeouts": Band(0.20, 1),
    "share": Band(0.10),
    "Jain": Band(0.10),
}
"""Of every setting without BBR; stated before the first run."""
BANDS_BBR = BANDS | {"goodput": Band(0.10), "srtt": Band(0.10)}
NAMES = ("goodput", "srtt", "p95", "drops", "marks", "retransmitted", "timeouts", "share", "Jain")


BANDS_SAID = (
    "Bands, stated before the first run: goodput and median srtt within 5 %, with BBR 10 %; drops, marks "
    "and retransmissions within 20 % or 5 packets; timeouts within 20 % or 1; shares and Jain's index "
    "within 10 %."
)


def cases() -> list[Case]:
    """The settings."""
    one = [
        _fifo(10, 1, "cubic", 40),
        _fifo(20, 2, "cubic", 20),
        _fifo(5, 0.5, "cubic", 160),
        _fifo(10, 4, "cubic", 80),
        _case(10, codel(ecn=False), "cubic", 80),
        _case(20, pie(ecn=False), "cubic", 40),
        _case(10, fq_codel(), "cubic", 40),
        _fifo(10, 1, "reno", 40),
        _fifo(5, 4, "reno", 20),
        _fifo(20, 0.5, "reno", 80),
        _case(10, codel(ecn=False), "reno", 40),
        _case(10, pie(ecn=False), "reno", 80),
        _fifo(10, 1, "bbr", 40),
        _fifo(20, 4, "bbr", 20),
        _fifo(5, 2, "bbr", 160),
        _case(10, codel(ecn=False), "bbr", 40),
        _case(10, fq_codel(), "bbr", 80),
        _case(10, codel(ecn=True), "dctcp", 20, ecn=True),
        _case(20, pie(ecn=True), "dctcp", 40, ecn=True),
        _case(10, fq_codel(), "dctcp", 80, ecn=True),
        _fifo(10, 2, "dctcp", 10, ecn=True),
    ]
    two = [
        _fifo(10, 1, "cubic", 40, "cubic", 40),
        _case(10, codel(ecn=False), "cubic", 20, "cubic", 80),
        _fifo(20, 2, "cubic", 40, "reno", 40),
        _fifo(10, 1, "cubic", 40, "bbr", 40),
        _fifo(10, 4, "cubic", 40, "bbr", 40),
        _case(10, fq_codel(), "reno", 40, "bbr", 40),
        _case(10, pie(ecn=False), "reno", 20, "reno", 160),
        _case(20, codel(ecn=True), "dctcp", 20, "dctcp", 20, ecn=True),
        _case(5, fq_codel(), "cubic", 160, "cubic", 160),
        _fifo(10, 2, "bbr", 40, "bbr", 40),
    ]
    # Chosen when the preset seemed complete, to see what it was not made from. It has been changed since.
    then = [
        _fifo(15, 1.5, "cubic", 60),
        _fifo(10, 3, "reno", 30),
        _case(15, pie(ecn=False), "cubic", 100),
        _fifo(8, 1, "cubic", 120),
        _case(12, codel(ecn=True), "cubic", 60, ecn=True),
        _fifo(15, 2, "cubic", 30, "cubic", 90),
    ]
    # Chosen after the last of these changes.
    later = [
        _fifo(12, 2, "cubic", 50),
        _case(15, fq_codel(), "cubic", 30),
        _case(12, pie(ecn=False), "cubic", 45),
        _fifo(10, 2, "reno", 50),
        _fifo(10, 1, "dctcp", 30, ecn=True),
        _case(10, codel(ecn=False), "cubic", 30, "reno", 30),
    ]
    return one + two + then + later


def _fifo(rate: int, depth: float, *flows: str | int, ecn: bool = False) -> Case:
    """A FIFO whose room is this many BDP of the longest round trip."""
    longest = max(it for it in flows if isinstance(it, int))
    return _case(rate, fifo(max(4, round(depth * bdp(rate, longest)))), *flows, ecn=ecn, depth=f"{depth:g} BDP")


def _case(rate: int, queue: Queue, *flows: str | int, ecn: bool = False, depth: str = "") -> Case:
    """Flows are given as controllers and round trips in turn."""
    pairs = tuple(Flow(str(kind), int(rtt)) for kind, rtt in zip(flows[::2], flows[1::2], strict=True))
    longest = max(flow.rtt for flow in pairs)
    warm_up, measured = 4, 10
    if longest > 40:
        warm_up, measured = 7, 12
    if longest > 80:
        warm_up = 9
    bbr = any(flow.control == "bbr" for flow in pairs)
    if bbr:
        # BBR looks for its shortest round trip each 10 s.
        measured = 12
    # What BBR does depends on late acks, so each of its runs measures them.
    return Case(rate, queue, pairs, ecn, warm_up, warm_up + measured, depth, timed=bbr)


def bands(case: Case) -> dict[str, Band]:
    """Those of a case."""
    return BANDS_BBR if any(flow.control == "bbr" for flow in case.flows) else BANDS


COMPARISON = Comparison(bands, NAMES, "5 %, with BBR 10 %; counters 20 %; share 10 %", CHANGES)


def check(quick: bool) -> Report:
    """Makes the runs that are missing, and compares."""
    if why := uml.unable():
        return Report(TITLE, AGAINST, skipped=why, order=ORDER)
    chosen, repetitions = (cases()[:3], 2) if quick else (cases(), REPETITIONS)
    return report(Report(TITLE, AGAINST, order=ORDER), COMPARISON, chosen, repetitions, BANDS_SAID, first=True)
