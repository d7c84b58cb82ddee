"""The reports about Linux in a process, and why numbers differ from it: each reason is tried in a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from verify import uml
from verify.frame import Report, Row
from verify.linux_cases import BURST, Case, Variant
from verify.linux_dctcp import LinuxDctcp
from verify.linux_fq_codel import LinuxFqCodel
from verify.linux_rows import SEEDS, Change, Comparison, latest, results

Runs = Sequence[Mapping[str, Any]]
"""Of Linux in a process, for a case."""


def _each(case: Case, what: str, control: str) -> Variant | None:
    """What is set for the flows with this controller; None without any."""
    places = [n for n, flow in enumerate(case.flows) if flow.control == control]
    return Variant(tuple(f"flow.flow-{n}.transport.{what}" for n in places)) if places else None


def _fq_codel(case: Case, _: Runs) -> Variant | None:
    if case.queue.name != "FQ-CoDel":
        return None
    name = LinuxFqCodel.__name__
    sets = (f'link.bottleneck.queue={{ kind = "external", name = "{name}" }}',)
    return Variant(sets, {name: LinuxFqCodel(case.rate * 1_000_000, BURST)})


def _dctcp(case: Case, _: Runs) -> Variant | None:
    name = LinuxDctcp.__name__
    changes = (f'control={{ kind = "external", name = "{name}" }}', "ecn=true", 'ecn_echo="exact"')
    own = [_each(case, change, "dctcp") for change in changes]
    return sum((one for one in own if one), Variant(externals={name: LinuxDctcp()})) if all(own) else None


CHANGES = (Change(1, _fq_codel), Change(2, _dctcp))

METHOD = """
Linux 6.1 runs in a process of its own (User-Mode Linux, Debian's package, 100 ticks per second), with its own
TCP, its own qdiscs and a network of namespaces that is not this machine's. {settings} settings; {repetitions} runs
of each there, and {seeds} in the simulator. On both sides a token bucket of 20 kB is the bottleneck, packets have
1,514 B, the propagation delay is on the path of the acks, between the router and each sender, and flows start within
200 ms. (In the simulator, buffers and thresholds of the FIFO, RED and CHOKe are one packet smaller, because Linux
counts the packet that waits for its tokens there; and `tick` is 10 ms.) Each run is measured after its warm-up, and
numbers are medians over the runs. Round trips are smoothed on both sides: TCP_INFO's srtt every 50 ms, and the same
computed from the simulator's tape, without the samples that Linux takes from SACK in a recovery (they
raise the 95th percentile). Drops and marks come from `tc -s`; retransmissions and timeouts from TCP_INFO and
`/proc/net/netstat`. {bands} The last six rows of each of the two sections were chosen when the preset `linux` was
complete: nothing was changed after they were seen.

Linux runs with real-time priority (`chrt --rr`). Each run reports how late it was; a run that was more than
{limit:.0f} ms late is repeated. The largest lateness of a run that counts was {late:.0f} ms. Results are kept in
`out/verify/uml.jsonl`, so that an interrupted check can resume.

{verdicts}
"""
BRIEF = """
The method and the numbers of the reasons are those of the section on Linux' senders. {settings} settings;
{repetitions} runs of each in Linux, and {seeds} in the simulator. {bands} The largest lateness of a run that counts was
{late:.0f} ms.

{verdicts}
"""
VERDICTS = """{within} rows are within their bands as they are. {departing} depart: all their numbers come within the
bands when one or more of the known differences are removed from the simulated plan; the last column says which. {open}
are open: some numbers stay outside; the last column says which."""
REASONS = """
Reasons, numbered as in the last column. To remove one, the simulated plan is given Linux' behaviour; nothing else
changes.

1. Linux' FQ-CoDel hands each CoDel the backlog of all queues; in the RFCs each has the backlog of its own queue. So
   with many flows Linux may drop a packet that is alone in its queue. The reason is removed by
   `verify/linux_fq_codel.py`; with the RFCs' rule, that implementation and the simulator's `fq-codel` drop the same
   packets, and their delays agree to the nanosecond.
2. Linux' DCTCP reduces the window by whole segments, so that with a small window and few marks it is not reduced at all
   (`verify/linux_dctcp.py`). `dctcp` follows RFC 8257.
"""
OPEN = "The open rows are of these kinds.\n"
OPEN_SENDERS = """
- BBR's drops over CoDel follow PROBE_RTT: the token bucket has filled, and BBR takes the rate of its burst for the
  line's, on both sides. In some of Linux' runs the burst falls into the measured time, in others not.
- DCTCP over a FIFO that marks nothing loses two packets with each sawtooth of the window in the simulator. Linux loses
  one in most of its runs, and two in the others.
- CUBIC over PIE at 100 ms, and two CUBICs of 30 and 90 ms: both sides spread over the same values from run to run
  (goodput 12.6 to 14.3 Mb/s, share 0.5 to 0.9), so the medians of 8 and 12 runs are apart.
"""
OPEN_QUEUES = """
- CHOKe. With eight flows the queueing delay is 2 to 3 ms longer in the simulator, with as many drops; with two at
  160 ms it is 2 ms shorter. Beside UDP at 80 ms, half as many packets are dropped; all other numbers of the two rows
  beside UDP are at most 11 % apart. Why is not known.
- PIE with ECN at 160 ms has runs with a queue of 16 to 22 ms and runs without one, on both sides. The median is the
  share of the two.
- The delays of two rows of CoDel, and the drops of one of SFQ, are just outside: by 1 to 2 ms, and by 9 packets.
"""


def counted(rows: Sequence[Row]) -> dict[str, int]:
    """How many rows there are of each kind."""
    verdicts = [row.verdict for row in rows]
    return {"within": verdicts.count("yes"), "departing": verdicts.count("departs"), "open": verdicts.count("**no**")}


def report(
    head: Report, comparison: Comparison, cases: Sequence[Case], repetitions: int, bands: str, *, first: bool
) -> Report:
    """`head` with a row per case, the method and the reasons. Runs that are missing are made; `bands` is in words.

    The `first` of the two sections has the method and the reasons whole.
    """
    found = results(cases, repetitions)
    rows = [comparison.row(case, runs) for case, runs in zip(cases, found, strict=True)]
    text = (METHOD if first else BRIEF).format(
        settings=len(cases),
        repetitions=repetitions,
        seeds=len(SEEDS),
        bands=bands,
        limit=uml.LATE_MS,
        late=latest(found),
        verdicts=VERDICTS.format(**counted(rows)),
    )
    below = REASONS + "\n" + OPEN + OPEN_SENDERS if first else OPEN + OPEN_QUEUES
    return replace(head, rows=rows, text=text, below=below)
