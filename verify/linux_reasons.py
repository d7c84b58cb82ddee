"""The reports about Linux in a process, and why numbers differ from it: each reason is tried in a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from verify import uml
from verify.frame import Report, Row
from verify.linux_cases import BURST, Case, Variant
from verify.linux_cubic import HZ, LinuxCubic
from verify.linux_dctcp import LinuxDctcp
from verify.linux_fq_codel import LinuxFqCodel
from verify.linux_rows import SEEDS, Change, Comparison, latest, results

Runs = Sequence[Mapping[str, Any]]
"""Of Linux in a process, for a case."""
MOST_ACKS = 0.6
"""Acks per data segment above which it is tried whether acks that are not delayed explain the difference."""


def _of(case: Case, *controls: str) -> list[int]:
    """The places of flows with these controllers."""
    return [n for n, flow in enumerate(case.flows) if flow.control in controls]


def _each(case: Case, what: str, *controls: str) -> Variant | None:
    """What is set for these flows; None without any."""
    places = _of(case, *controls)
    return Variant(tuple(f"flow.flow-{n}.transport.{what}" for n in places)) if places else None


def _cubic(case: Case, found: Runs) -> Variant | None:
    name = LinuxCubic.__name__
    own = _each(case, f'control={{ kind = "external", name = "{name}" }}', "cubic")
    if not own:
        return None
    ends = []
    for n in _of(case, "cubic"):
        windows = [ended(run["flows"][n]["netstat"]) for run in found]
        if window := median(windows):
            ends.append(f"flow.flow-{n}.transport.initial_ssthresh={window:.0f} segments")
    return own + Variant(tuple(ends), {name: LinuxCubic()})


def ended(netstat: Mapping[str, int]) -> int:
    """The window at which HyStart ended a flow's slow start [segments]; 0 if a loss did."""
    return netstat["TCPHystartTrainCwnd"] + netstat["TCPHystartDelayCwnd"]


def _acks(case: Case, found: Runs) -> Variant | None:
    return _each(case, "delayed_ack=false", "reno", "cubic", "bbr", "dctcp") if acks(found) > MOST_ACKS else None


def acks(found: Runs) -> float:
    """Acks per data segment of Linux after warm-up, the median over flows and runs; 0 if no run tells."""
    ratios = []
    for flow in (flow for run in found for flow in run["flows"] if "acks" in flow.get("info", ())):
        first, last = flow["info_at_warm_up"], flow["info"]
        segments = last["data_segments_out"] - first["data_segments_out"]
        ratios.append((last["acks"] - first["acks"]) / max(1, segments))
    return median(ratios) if ratios else 0.0


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


CUBIC = Change(1, _cubic)
ACKS = Change(2, _acks)
FQ_CODEL = Change(3, _fq_codel)
DCTCP = Change(4, _dctcp)
CHANGES = (CUBIC, ACKS, FQ_CODEL, DCTCP)

METHOD = """
Linux 6.1 runs in a process of its own (User-Mode Linux, Debian's package, {ticks} ticks per second), with its own
TCP, its own qdiscs and a network of namespaces that is not this machine's. {settings} settings; {repetitions} runs
of each there, and {seeds} in the simulator. On both sides a token bucket of 20 kB is the bottleneck, packets have
1,514 B, acks are delayed between the router and each sender, and flows start within 200 ms. (In the simulator, CAKE
is on a line of that rate, and buffers and thresholds of the FIFO, RED and CHOKe are one packet smaller, because
Linux counts the packet that waits for its tokens there.) The numbers are medians over the runs, of the time after
warm-up. Round trips are smoothed on both sides: TCP_INFO's srtt every 50 ms, and the same reckoned from the
simulator's tape, without the samples that Linux takes from SACK in a recovery (they raise the 95th percentile).
Drops and marks are those of `tc -s`, what was sent again and timeouts are TCP_INFO's and `/proc/net/netstat`'s.
{bands}

Linux runs in real time, before other processes (`chrt --rr`). Each run says by how much it was late; a run that was
more than {limit:.0f} ms late is made again. The latest of these was {late:.0f} ms late. Results are kept in
`out/verify/uml.jsonl`, so that the check goes on where it was ended.

{within} rows are within their bands as they are. {departing} depart: the last column says without which of the
known differences below all their numbers are within the bands, in a run of the same plan. {open} are open: it says
what is then still outside.
"""
BELOW = """
Reasons, by their numbers in the last column. Each is taken out of the simulated plan; nothing else changes.

1. Linux' CUBIC is not RFC 9438's (`verify/linux_cubic.py`): windows are whole segments, so a loss at 5 segments
   leaves 3 and not 3.5; Reno's window grows by 0.53 segments per round trip, also where the RFC has 1; the first
   ack after a loss adds no segment; slow start ends by HyStart, not by HyStart++. Taken out by that controller,
   with `initial_ssthresh` at the window at which Linux' counters (`TCPHystartTrainCwnd`, `TCPHystartDelayCwnd`) say
   that slow start ended.
2. Linux' receiver acknowledges every segment as long as the window that it offers grows (`tcp_grow_window` sets
   `icsk_ack.quick`): here the first thousand segments of a connection, because the receive buffer has 6 MiB from
   the start. `linux` delays acks from the start. It is tried where Linux' senders got more than {acks} acks per
   segment in the measured time (`tcpi_segs_in`; with delayed acks it is 0.5), and taken out by `delayed_ack =
   false`.
3. Linux' FQ-CoDel hands each CoDel the backlog of all queues; the RFCs have the one of its queue. So with many
   flows Linux drops the only packet of a queue, too. Taken out by `verify/linux_fq_codel.py`; with the RFCs' rule
   that file and the simulator's `fq-codel` have the same drops and, to nanoseconds, the same delays.
4. Linux' DCTCP reduces the window by whole segments, and does not let it grow for a window of data after an echo
   (`verify/linux_dctcp.py`).

Open rows are of these kinds.

- With round trips of 80 ms and more the queue is empty half of the time. The median of its delay is then 0 or 2 ms
  (a pair of packets), as the phase of the window's sawtooth has it, which comes from the last cut of slow start.
- Eight flows have a part of their first thousand segments in the measured time with 80 ms, and with PIE, which is
  measured from 8 s on: Linux is between the two ways of reason 2.
- DCTCP over PIE has a few drops in the simulator without reason 4, because PIE drops what it could mark while its
  probability is above 0.1; Linux has none.
- DCTCP over a FIFO that marks nothing loses two packets with each sawtooth of the window in the simulator. In Linux
  it is one in four runs, and two in the fifth.
- BBR's drops follow PROBE_RTT: the token bucket has filled, and BBR takes its burst for the rate of the line, on
  both sides. In some of Linux' repetitions that falls into the measured time, in others not (43 to 221 drops over
  FQ-CoDel).
- Beside UDP, RED and CHOKe drop a quarter more; CHOKe's queue under eight flows is 2 ms longer, and CAKE's under
  two. Why is not known.
"""


def counted(rows: Sequence[Row]) -> dict[str, int]:
    """How many rows there are of each kind."""
    verdicts = [row.verdict for row in rows]
    return {"within": verdicts.count("yes"), "departing": verdicts.count("departs"), "open": verdicts.count("**no**")}


def report(head: Report, comparison: Comparison, cases: Sequence[Case], repetitions: int, bands: str) -> Report:
    """`head` with a row per case, the method and the reasons. Runs that are missing are made; `bands` is in words."""
    found = results(cases, repetitions)
    rows = [comparison.row(case, runs) for case, runs in zip(cases, found, strict=True)]
    text = METHOD.format(
        ticks=HZ,
        settings=len(cases),
        repetitions=repetitions,
        seeds=len(SEEDS),
        bands=bands,
        limit=uml.LATE_MS,
        late=latest(found),
        **counted(rows),
    )
    return replace(head, rows=rows, text=text, below=BELOW.format(acks=MOST_ACKS))
