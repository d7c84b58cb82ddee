"""Wireshark's classification of a capture: retransmissions, fast retransmissions and duplicate acks."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from dupack.traces import Capture, Traces
from dupack.work import Job, Plan, cores
from verify.frame import Report, Row

TITLE = "A capture, read by Wireshark"
ORDER = 25
AGAINST = "tshark's expert analysis of TCP (`tcp.analysis.*`)"
MARKS = ("retransmission", "spurious_retransmission", "out_of_order", "fast_retransmission", "duplicate_ack")
"""Marks of `tcp.analysis`; a packet may bear several."""
TRANSPORTS = ("tahoe", "reno", "newreno", "sack")
LOSSES = (0.002, 0.01, 0.05)
SEEDS = range(1, 11)
MSS, SEGMENTS = 1000, 2000
PLAN = """
duration = "600 s"
[[host]]
name = "a"
[[switch]]
name = "s"
[[host]]
name = "b"
[[link]]
name = "near"
carries = "packets"
from = "a"
to = "s"
rate = "100 Mb/s"
delay = "1 ms"
[[link]]
name = "far"
carries = "packets"
from = "s"
to = "b"
rate = "5 Mb/s"
delay = "{delay} ms"
queue = {{ {queue} }}
loss = {{ kind = "bernoulli", rate = {loss} }}
back_loss = {{ kind = "bernoulli", rate = {loss} }}
[[flow]]
name = "f"
from = "a"
to = "b"
traffic = {{ kind = "file", size = "{segments} segments" }}
transport = {{ kind = "{transport}", mss = "{mss} B", header = "52 B", limited_transmit = {limited}{ecn} }}
"""
DROPS = 'kind = "drop-tail", buffer = "20 packets"'
MARKS_TOO = 'kind = "red", buffer = "20 packets", min_th = "2 packets", max_th = "10 packets", ecn = true'
ECN = {
    "packets marked (`ip.dsfield.ecn == 3`)": "ip.dsfield.ecn == 3",
    "acks with ECE (`tcp.flags.ece`)": "tcp.flags.ece == 1 && tcp.flags.syn == 0",
    "segments with CWR (`tcp.flags.cwr`)": "tcp.flags.cwr == 1 && tcp.flags.syn == 0",
}
"""Wireshark's filters for a capture of a line whose queue marks packets."""
TEXT = """
Files of 2,000 segments cross a link that loses packets and acks at random, behind a buffer that overflows. They are
captured at the sender, so that every transmission is seen before any is lost. Each list is compared completely and
in order: the retransmitted segments, those that were fast retransmits, and the segment numbers in duplicate acks.
Wireshark classifies by time, because it does not know where the capture was made, so three of its classes are
interpreted for a capture at a sender. First, packets that it calls retransmission, spurious retransmission or out
of order are retransmissions. Second, it calls a retransmission fast if two duplicates arrived within 20 ms before;
if the timer expired just then, it is not a fast retransmit, and the last column counts these. Third, acks that
repeat the end of the file are not duplicates, because nothing is outstanding then (RFC 5681 §2). The rows
`unfiltered` have tshark's counts before these interpretations, and explain the difference. With RED and ECN before
the line, the segments marked on the tape are compared with those that Wireshark sees marked behind the queue, and
the acks with ECE with those in the sender's log.
"""


@dataclass(frozen=True)
class Told:
    """Events of a run in order: segments, and for acks the next segment expected."""

    again: list[int]
    fast: set[int]
    """Those of `again`, by index."""
    duplicates: list[int]
    timers: frozenset[int] = frozenset()
    """Those of `again` caused by the timer; unknown for Wireshark's."""
    raw: tuple[int, ...] = ()
    """Number of packets with each of `MARKS`, before any interpretation; unknown for ours."""


def ours(tape: str) -> Told:
    """By the tape."""
    rows = list(csv.DictReader(tape.splitlines()))

    def of(event: str) -> list[int]:
        return [int(row["segment"]) for row in rows if row["event"] == event]

    # The first retransmission after a cause belongs to it; later acks cause the others.
    causes: list[str | None] = []
    cause = None
    for row in rows:
        if row["event"] in ("fast_retransmit", "timeout"):
            cause = row["event"]
        elif row["event"] == "retransmit":
            causes.append(cause)
            cause = None
    fast, timers = ({at for at, it in enumerate(causes) if it == word} for word in ("fast_retransmit", "timeout"))
    return Told(of("retransmit"), fast, of("dup_ack"), frozenset(timers))


def theirs(capture: Path) -> Told:
    """By tshark."""
    fields = [f"tcp.analysis.{mark}" for mark in MARKS] + ["tcp.seq", "tcp.ack"]
    words = ["tshark", "-r", str(capture), "-Y", "tcp.analysis.flags", "-T", "fields"]
    for field in fields:
        words += ["-e", field]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=300)
    told = Told([], set(), [])
    raw = [0] * len(MARKS)
    for line in done.stdout.splitlines():
        *marked, seq, ack = line.split("\t")
        raw = [count + bool(mark) for count, mark in zip(raw, marked, strict=True)]
        if any(marked[:4]):
            # Sequence number 0 is that of the SYN.
            told.again.append((int(seq) - 1) // MSS)
        if marked[3]:
            told.fast.add(len(told.again) - 1)
        if marked[4] and (int(ack) - 1) // MSS < SEGMENTS:
            told.duplicates.append((int(ack) - 1) // MSS)
    return replace(told, raw=tuple(raw))


def case(transport: str, loss: float, delay: int, limited: bool, seed: int) -> tuple[Told, Told]:
    """A run, as our tape and as Wireshark describe it."""
    values = {"transport": transport, "loss": loss, "delay": delay, "limited": str(limited).lower()}
    text = PLAN.format(mss=MSS, segments=SEGMENTS, queue=DROPS, ecn="", **values)
    plan = Plan(text.encode(), "verify", [])
    with tempfile.TemporaryDirectory() as place:
        tape, capture = Path(place) / "tape.csv", Path(place) / "a.pcapng"
        made = Traces(tape, [Capture("near", None, capture)]).record(Job(plan, 0, seed))
        files = {path: content for _, path, content in made.files()}
        capture.write_bytes(files[capture])  # type: ignore[arg-type]
        return ours(str(files[tape])), theirs(capture)


def check(quick: bool) -> Report:
    """Every transport at several rates of loss."""
    if shutil.which("tshark") is None:
        return Report(TITLE, AGAINST, skipped="tshark is not installed", order=ORDER)
    seeds = SEEDS[:1] if quick else SEEDS
    rows = []
    with ThreadPoolExecutor(cores()) as pool:
        for transport, limited in product(TRANSPORTS, (False, True)):
            cases = [(transport, loss, delay, limited, seed) for loss, delay, seed in product(LOSSES, (5, 50), seeds)]
            found = list(pool.map(lambda it: case(*it), cases))
            name = f"{transport}{', limited transmit' if limited else ''}"
            rows.append(_row(f"{name}: retransmissions", [(mine.again, other.again) for mine, other in found]))
            fast = [(sorted(mine.fast), sorted(other.fast - mine.timers)) for mine, other in found]
            timers = sum(len(other.fast & mine.timers) for mine, other in found)
            rows.append(_row(f"{name}: fast retransmits", fast, f"; {timers} more by timeout"))
            rows.append(_row(f"{name}: duplicate acks", [(mine.duplicates, other.duplicates) for mine, other in found]))
            rows += _unfiltered(name, found)
    rows += _marks(seeds)
    version = subprocess.run(["tshark", "--version"], capture_output=True, text=True, check=True).stdout
    number = re.search(r"[0-9]+\.[0-9.]+[0-9]", version)
    against = f"{AGAINST}, version {number.group() if number else 'unknown'}"
    return Report(TITLE, against, rows, TEXT, order=ORDER)


def _unfiltered(name: str, found: list[tuple[Told, Told]]) -> list[Row]:
    """Counts of tshark before the three interpretations of the text."""
    again, spurious, disorder, fast, duplicates = (sum(other.raw[at] for _, other in found) for at in range(len(MARKS)))
    timers = sum(len(other.fast & mine.timers) for mine, other in found)
    sent, quick, repeats = (
        sum(map(len, it)) for it in zip(*((m.again, m.fast, m.duplicates) for m, _ in found), strict=True)
    )
    last = duplicates - sum(len(other.duplicates) for _, other in found)
    note = f"+ {spurious} spurious, {disorder} out of order; some have two marks"
    return [
        Row(f"{name}: `retransmission`, theirs unfiltered", f"{sent}", f"{again}", "none", None, note),
        Row(
            f"{name}: `fast_retransmission`, theirs unfiltered",
            f"{quick}",
            f"{fast}",
            "none",
            None,
            f"{timers} by timeout",
        ),
        Row(
            f"{name}: `duplicate_ack`, theirs unfiltered",
            f"{repeats}",
            f"{duplicates}",
            "none",
            None,
            f"{last} at the end of the file",
        ),
    ]


def marked(seed: int) -> tuple[dict[str, int], dict[str, int], list[int], list[int]]:
    """For a run with marks: our counts and tshark's of `ECN`, and the segments marked by either."""
    values = {"transport": "newreno", "loss": 0.002, "delay": 5, "limited": "false", "ecn": ", ecn = true"}
    plan = Plan(PLAN.format(mss=MSS, segments=SEGMENTS, queue=MARKS_TOO, **values).encode(), "verify", [])
    with tempfile.TemporaryDirectory() as place:
        tape, capture, logs = Path(place) / "tape.csv", Path(place) / "a.pcapng", Path(place)
        made = Traces(tape, [Capture("far", None, capture)], qlog=logs).record(Job(plan, 0, seed))
        files = {path: content for _, path, content in made.files()}
        capture.write_bytes(files[capture])  # type: ignore[arg-type]
        [link] = [link for link in made.document["links"] if link["name"] == "far"]
        rows = csv.DictReader(str(files[tape]).splitlines())
        segments = [int(row["segment"]) for row in rows if row["event"] == "mark"]
        echoes = str(files[logs / "f.sqlog"]).count('"ece":true')
        seen = {name: _filtered(capture, which, "tcp.seq") for name, which in ECN.items()}
        theirs = {name: len(found) for name, found in seen.items()}
        first, second, _ = ECN
        ours = {first: link["marked"], second: echoes}
        return ours, theirs, segments, [(int(seq) - 1) // MSS for seq in seen[first]]


def _filtered(capture: Path, which: str, field: str) -> list[str]:
    words = ["tshark", "-r", str(capture), "-Y", which, "-T", "fields", "-e", field]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=300)
    return done.stdout.split()


def _marks(seeds: Sequence[int]) -> list[Row]:
    """Packets marked by RED before the line, captured behind it."""
    found = [marked(seed) for seed in seeds]
    rows = [_row("marked by RED: the segments", [(ours, theirs) for _, _, ours, theirs in found])]
    for name in found[0][0]:
        ours, theirs = sum(run[0][name] for run in found), sum(run[1][name] for run in found)
        same = all(run[0][name] == run[1][name] for run in found)
        rows.append(Row(f"marked by RED: {name}", f"{ours}", f"{theirs}", "identical", same))
    # A single CWR answers all echoes from a mark until it arrives.
    *_, echoed, answers = ECN
    within = all(0 < theirs[answers] <= theirs[echoed] for _, theirs, _, _ in found)
    told = sum(theirs[answers] for _, theirs, _, _ in found)
    rows.append(Row(f"marked by RED: {answers}", "some, no more than echoes", f"{told}", "in range", within))
    return rows


def _row(what: str, pairs: list[tuple[list[int], list[int]]], note: str = "") -> Row:
    same = sum(mine == other for mine, other in pairs)
    n, m = (sum(len(pair[side]) for pair in pairs) for side in (0, 1))
    return Row(what, f"{n}", f"{m}", "identical", same == len(pairs), f"{same} of {len(pairs)} runs identical{note}")
