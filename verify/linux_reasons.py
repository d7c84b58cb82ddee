"""The reports about Linux in a process, and why numbers differ from it: each reason is tried in a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from verify import uml
from verify.frame import Report, Row
from verify.linux_cases import BURST, Case, Variant
from verify.linux_choke import LinuxChoke
from verify.linux_codel import LinuxCodel
from verify.linux_dctcp import LinuxDctcp
from verify.linux_fq_codel import LinuxFqCodel
from verify.linux_late import LONGEST, PINGS, late, late_us
from verify.linux_rows import CHANCE, HELD_UP, SEEDS, Change, Comparison, latest, results

Runs = Sequence[Mapping[str, Any]]
"""Of Linux in a process, for a case."""


def _each(case: Case, what: str, control: str) -> Variant | None:
    """What is set for the flows with this controller; None without any."""
    places = [n for n, flow in enumerate(case.flows) if flow.control == control]
    return Variant(tuple(f"flow.flow-{n}.transport.{what}" for n in places)) if places else None


def _queue(own: LinuxFqCodel | LinuxChoke) -> Variant:
    """A discipline in place of the simulator's, and of its token bucket."""
    name = type(own).__name__
    return Variant((f'link.bottleneck.queue={{ kind = "external", name = "{name}" }}',), {name: own})


def _backlog(case: Case, _: Runs) -> Variant | None:
    if case.queue.name != "FQ-CoDel":
        return None
    return _queue(LinuxFqCodel(case.rate * 1_000_000, BURST))


def _average(case: Case, _: Runs) -> Variant | None:
    if case.queue.name != "CHOKe":
        return None
    return _queue(LinuxChoke(case.rate * 1_000_000, BURST))


def _root(case: Case, _: Runs) -> Variant | None:
    rate = case.rate * 1_000_000
    if case.queue.name == "CoDel":
        return _queue(LinuxCodel(rate, BURST, ecn=case.ecn))
    if case.queue.name == "FQ-CoDel":
        return _queue(LinuxFqCodel(rate, BURST, whole=False, steps=True))
    return None


def _dctcp(case: Case, _: Runs) -> Variant | None:
    name = LinuxDctcp.__name__
    changes = (f'control={{ kind = "external", name = "{name}" }}', "ecn=true", 'ecn_echo="exact"')
    own = [_each(case, change, "dctcp") for change in changes]
    return sum((one for one in own if one), Variant(externals={name: LinuxDctcp()})) if all(own) else None


CHANGES = (
    Change(1, _backlog),
    Change(2, _dctcp),
    Change(3, _average),
    Change(4, _root),
    Change(5, late),
)

METHOD = """
Linux 6.1 runs in a process of its own (User-Mode Linux, Debian's package, 100 ticks per second), with its own
TCP, its own qdiscs and a network of namespaces that is not this machine's. {settings} settings; {repetitions} runs
of each there, and {seeds} in the simulator. On both sides a token bucket of 20 kB is the bottleneck, packets have
1,514 B, the propagation delay is on the path of the acks, between the router and each sender, and flows start within
200 ms. (In the simulator, `tick` is 10 ms.) Each run is measured after its warm-up, and numbers are medians over the
runs. Round trips are smoothed on both sides: TCP_INFO's srtt every 50 ms, and the same computed from the simulator's
tape, with the samples that Linux takes (`verify/smoothed.py`). Drops and marks come from `tc -s`; retransmissions and
timeouts from TCP_INFO and `/proc/net/netstat`. {bands} The last six rows of each of the two sections (of
queues: the last six before the rows with fast UDP; those and all after them were added later) were chosen after the
last change that a row had suggested. After they were seen, only mistakes that a reader found in the code were mended.
The six rows before them were chosen when the preset seemed complete; it has changed since.

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
bands when one or more of the known differences are removed from the simulated plan; the last column says which.
In {unsaid}, medians are further apart than the band, but the runs of each side spread so much that this may be
chance (Mann and Whitney's test, p of {chance} or more; this verdict was added after the rows had been seen). {held}
were held up. {open} are open: the last column says which numbers stay outside. Of the rows within, {barely} need the
absolute tolerance of a number (such as 5 packets); the last column names it."""
REASONS = """
Reasons, numbered as in the last column. To remove one, the simulated plan is given Linux' behaviour; nothing else
changes.

1. Linux' FQ-CoDel hands each CoDel the backlog of all queues; in the RFCs each has the backlog of its own queue. So
   with many flows Linux may drop a packet that is alone in its queue. The reason is removed by
   `verify/linux_fq_codel.py`; with the RFCs' rule, that implementation and the simulator's `fq-codel` drop the same
   packets, and their delays agree to the nanosecond.
2. Linux' DCTCP reduces the window by whole segments, so that with a small window and few marks it is not reduced at all
   (`verify/linux_dctcp.py`). `dctcp` follows RFC 8257.
3. Linux' CHOKe rounds the average down to whole packets when it computes the difference between queue and average. So
   the average may stay almost one packet above the queue (`verify/linux_choke.py`).
4. Linux' CoDel has no floating point. It keeps 1 / sqrt(count) in 16 bits, and corrects it by one Newton step for each
   drop. So the intervals after the second, third and fourth drop are 50, 56 and 49 ms, not 71, 58 and 50 ms. A dropping
   state that goes on from an earlier one may begin with half the interval: 23 ms, not 45 ms, if the earlier one had 40
   drops and its count goes on at 5. `verify/linux_codel.py` computes this; with the exact root, it and the simulator's
   `codel` drop the same packets. Linux' FQ-CoDel computes the root in the same way (`verify/linux_fq_codel.py`).
5. In this kernel a timer makes the delay of the path, which acks have, and it is late. Some {pings:,} echo requests
   were answered by the router beside two CUBIC flows. The answers came {p10:.2f} to {p90:.2f} ms late (p10 to p90;
   {p50:.2f} ms in the median, {longest:.1f} ms or more in one of a hundred). In the simulated plan each ack is late by
   one of these percentiles (`back_jitter`). The longest hundredth is left out: such delays come in groups, and a plan
   draws each by itself. With BBR the requests are sent in the row's own runs, whose percentiles count.
"""
OPEN = "The open rows are of these kinds.\n"
OPEN_SENDERS = """
- BBR over CoDel, and two BBRs over a FIFO. Linux loses more packets, and numbers differ much from run to run (78 to
  495 drops over CoDel). Acks that are as late as those of these runs (reason 5) give the simulator hardly more drops.
  Longer delays cause more: with those that were once measured while other jobs ran (1.1 ms at p90, 6.9 ms in one of a
  hundred), it has 202 drops over CoDel (Linux: 231) and 17 over the FIFO (Linux: 34). So the long delays that reason 5
  leaves out may be the cause.
- CUBIC and BBR over a FIFO of one BDP. Drops differ from run to run by a factor of two in the simulator, and of three
  in Linux.
- BBR over a deep FIFO. Its queue is short, so that delays of the host count: the srtt of Linux' runs is 28.2 to 40.3
  ms. With late acks the simulated one is 42.4 ms.
- DCTCP over PIE at 40 ms. Both sides oscillate, and the number of marks differs from run to run by a factor of two.
"""
OPEN_QUEUES = """
- CUBIC and UDP over CHOKe at 80 ms. Reason 3 explains half of the difference in drops, reason 5 none of it. With
  datagrams that are as late as acks, the simulator has 18 drops.
- CUBICs over CAKE and FQ-CoDel at 160 ms. Without the known differences, the median delay of eight flows is still 1.3
  to 1.5 ms longer in Linux, and p95 with one or two flows 2.1 to 2.5 ms. Acks are no later there than at 30 ms (0.37 ms
  at p90). Reason 4 does not apply to CAKE, whose COBALT keeps the roots of the first 15 counts. With CUBIC and UDP over
  FQ-CoDel, reason 4 explains the goodput, and p95 stays outside its band by 0.1 ms.
"""


def counted(rows: Sequence[Row]) -> dict[str, int]:
    """How many rows there are of each kind."""
    verdicts = [row.verdict for row in rows]
    words = {"within": "yes", "departing": "departs", "open": "**no**"}
    barely = sum(row.note.startswith("within by the amount") for row in rows)
    held = sum(row.note.endswith(HELD_UP) for row in rows)
    counts = {name: verdicts.count(word) for name, word in words.items()}
    return {**counts, "barely": barely, "held": held, "unsaid": verdicts.count("–") - held}


def _reasons() -> str:
    """The reasons, with the delays that were measured for the last one."""
    ms = [it * 1e-3 for it in late_us()]
    return REASONS.format(pings=PINGS, p10=ms[10], p50=ms[50], p90=ms[90], longest=ms[LONGEST])


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
        verdicts=VERDICTS.format(**counted(rows), chance=CHANCE),
    )
    below = _reasons() + "\n" + OPEN + OPEN_SENDERS if first else OPEN + OPEN_QUEUES
    return replace(head, rows=rows, text=text, below=below)
