"""CUBIC beside those of s2n-quic and aioquic, on the same streams of acks."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field

from verify.frame import Report, Row
from verify.rust import ROOT

TITLE = "CUBIC beside s2n-quic's and aioquic's"
AGAINST = "the controllers of s2n-quic-core 0.91.0 and aioquic 1.7.0, called as their connections call them"
ORDER = 22
CRATE = ROOT / "verify/streams"
UV = ROOT / ".uv/bin/uv"
SEED = 2
"""The seed of the streams. The differences were found with seed 1."""
PEERS = ("s2n-quic", "aioquic")
EXPLAINED = 0.999
"""The fraction of streams in which the named differences must explain every window of a peer."""
EQUAL = "1e-9"
"""The largest relative difference between dupack's CUBIC and the plain program."""

TEXT = """
{streams:,} streams are drawn, with {acks:,} acks and {losses:,} losses in all: round trips of 5 to 300 ms that stay,
vary or grow; an ack for each packet or for every second; losses, application-limited and idle times, persistent
congestion. A stream has the times of acks and losses, drawn with dupack's window, but no window: each controller sends
as much as its own window and the application allow. Windows are compared after every event. dupack's is the controller
`cubic` with `counted = "segments"` (in slow start it grows by acknowledged packets), without HyStart++.

The three differ, so hardly any stream has the same windows in all of them. Each difference is a switch of a plain
program (`verify/streams/src/plain.rs`). With all switches off, its windows must be dupack's within {equal}. In at least
{explained} of the streams dupack itself, or the program with all switches of a peer on, must be within 1 % of the peer
after every event. The program is told when the peer leaves slow start because of a round trip. Where two curves are
equal, or the window is a whole number of packets, the peer's window decides. The differences were found on other
streams. The bands were stated before these streams were drawn.

The rows of differences are about the streams in which dupack itself is not within 1 %. Of a peer's switches, one after
another is left out as long as the windows still agree; a row counts the streams in which its switch had to stay. Its
note names the side that follows the cited paragraph: ours, theirs or both.
"""

DIFFERENCES: Mapping[str, tuple[str, str, str]] = {
    "LeavesSlowStart": (
        "slow start ends when round trips grow longer",
        "",
        "neither: RFC 9438 §4.10: HyStart++ SHOULD be used, others MAY be; dupack has it as `slow_start = hystart++`, "
        "off here",
    ),
    "ShortestTrip": (
        "W_cubic's target is W_cubic(t + RTT) with the shortest RTT",
        "ours",
        "RFC 9438 §4.1.2: RTT is the smoothed one",
    ),
    "LastTrip": (
        "W_cubic's target is W_cubic(t + RTT) with the sample before this ack as RTT",
        "ours",
        "RFC 9438 §4.1.2: RTT is the smoothed one",
    ),
    "RenoByTime": (
        "W_est is a function of time and of the shortest round trip",
        "ours",
        "RFC 9438 §4.3: it grows by acknowledged segments; in RFC 8312 §4.2 it is a function of time",
    ),
    "RenoByOne": (
        "W_est grows by one packet per round trip from the reduction on",
        "ours",
        "RFC 9438 §4.3: by 0.53 up to the window at the last loss",
    ),
    "HalfOfAcked": (
        "an ack adds at most half of what it acknowledges, and W_cubic's target is not limited otherwise",
        "ours",
        "RFC 9438 §4.2: the target is at most 1.5 times the window",
    ),
    "LastLoss": (
        "fast convergence compares the window with that at the last loss",
        "ours",
        "RFC 9438 §4.7: with W_max, which fast convergence may have reduced; RFC 8312 §4.6: with the window at the "
        "last loss",
    ),
    "OfWindow": (
        "a loss leaves 0.7 of the window, also where less is in flight",
        "ours",
        "RFC 9438 §4.6: 0.7 of flight_size; the window is allowed if it cannot grow while it is not filled, and here "
        "it grows to 1.5 times what was in flight",
    ),
    "WithoutLost": (
        "a loss leaves 0.7 of what is in flight, without the lost packet and those acknowledged after it",
        "ours",
        "RFC 9438 §4.6: flight_size, which counts all that is not cumulatively acknowledged",
    ),
    "AtThreshold": (
        "a window at ssthresh is in congestion avoidance",
        "both",
        "ours RFC 9438 §4.10, slow start while cwnd is no more than ssthresh; theirs RFC 9002 §7.3.3; RFC 5681 §3.1 "
        "allows both",
    ),
    "CountsAtEnd": (
        "the ack that ends a recovery lets the window grow",
        "theirs",
        "RFC 9002 §B.5: acks of packets sent after the loss grow the window; dupack only ends the recovery with the "
        "first of them, as TCP does",
    ),
    "LowestThreshold": (
        "after persistent congestion ssthresh is the lowest so far, and at least 16 packets",
        "ours",
        "RFC 9438 §4.8: 0.7 of flight_size after a timeout, to which RFC 9002 §7.6.2 compares persistent congestion",
    ),
    "NoSlowStart": (
        "after persistent congestion there is no slow start",
        "ours",
        "RFC 9438 §4.8, RFC 9002 §7.3.1; aioquic first removes all lost packets from what is in flight, so that "
        "ssthresh is 0.7 of nothing",
    ),
    "WholeBytes": ("windows are whole bytes, rounded down at each ack", "", "no RFC says how to round"),
    "PerPacket": (
        "every packet that an ack covers counts as an ack",
        "both",
        "ours RFC 9438 §4.4 and §4.5, cwnd grows per ack; theirs RFC 9002 §B.5, which is called per packet",
    ),
    "GrowsInRecovery": (
        "acks of what was sent before a loss let the window grow",
        "ours",
        "RFC 9002 §7.3.2: the recovery lasts until a packet sent in it is acknowledged",
    ),
    "GrowsLimited": (
        "the window grows when the application does not fill it, and idle time counts in t",
        "ours",
        "RFC 9438 §4.2 and §5.8",
    ),
    "SeenWhenSent": (
        "a window with three packets free, or in slow start one half used, counts as full; idle time counts in t; acks "
        "of a window that is not full do not end a recovery",
        "ours",
        "RFC 9438 §4.2: application-limited time MUST NOT count in t; RFC 9002 §7.8: a window that is not filled "
        "SHOULD NOT grow, other mechanisms MAY be used; §7.3.2",
    ),
    "BoundByFlight": (
        "the window is at most 1.5 times, in slow start twice, what was in flight since the last loss",
        "",
        "RFC 9002 §7.8 allows it",
    ),
    "IdleReset": (
        "if the latest acknowledged packet was sent 2 s ago or more, the next one that is sent resets the controller",
        "",
        "neither: by RFC 5681 §4.1 cwnd SHOULD be reduced to the restart window after an RTO of idle time, and "
        "ssthresh stays; dupack keeps both",
    ),
    "RoundsOtherwise": (
        "its rounding decides when W_cubic equals W_est, and when the window is a whole number of packets",
        "",
        "s2n-quic computes in single precision, aioquic in whole bytes",
    ),
}
"""Per difference of `verify/streams/src/plain.rs`: what it is, which side follows the paragraph, and which that is."""

BELOW = """
Neither implements all of RFC 9438. s2n-quic implements RFC 8312 with Linux' limit of growth. aioquic implements RFC
9438 except for the paragraphs above. So dupack is rarely within 1 % of one of them throughout a stream: most streams
have a loss, and only in dupack is the first growth after it slow start's.
"""


@dataclass
class Findings:
    """The output of `cubic-streams judge`."""

    numbers: dict[tuple[str, str], float] = field(default_factory=dict)
    open: dict[str, list[str]] = field(default_factory=dict)

    @staticmethod
    def read(text: str) -> Findings:
        """Parses its tab-separated rows."""
        found = Findings()
        for line in text.splitlines():
            who, what, said = line.split("\t")
            if what == "open":
                found.open.setdefault(who, []).append(said)
            else:
                found.numbers[who, what] = float(said)
        return found


def missing() -> str:
    """Why the check cannot be run here; empty if it can."""
    if not shutil.which("cargo"):
        return "there is no cargo here"
    return "" if UV.exists() else "there is no .uv, which `make setup` makes"


def findings(streams: int) -> Findings:
    """Builds the crate, draws the streams, and asks all controllers."""
    build = f"cargo build --release --quiet --locked --manifest-path {CRATE}/Cargo.toml --target-dir {ROOT}/target"
    subprocess.run(build.split(), check=True)
    program = str(ROOT / "target/release/cubic-streams")
    drawn = [program, "draw", str(streams), str(SEED)]
    python = f"{UV} run --quiet --locked --isolated --python {ROOT}/.uv/bin/python --only-group referees python"
    with tempfile.NamedTemporaryFile() as windows:
        with subprocess.Popen(drawn, stdout=subprocess.PIPE) as events:
            ask = [*python.split(), str(ROOT / "verify/aioquic_windows.py")]
            subprocess.run(ask, stdin=events.stdout, stdout=windows, check=True, cwd=ROOT)
        judged = [program, "judge", str(streams), str(SEED), windows.name]
        return Findings.read(subprocess.run(judged, capture_output=True, text=True, check=True).stdout)


def share(part: float) -> str:
    """The fraction as the page prints it."""
    return f"{100 * part:g} %"


def rows(found: Findings, streams: int) -> list[Row]:
    """A row per claim, and per difference."""
    numbers = found.numbers

    def part(count: float) -> str:
        return f"{count:,.0f} of {streams:,} streams"

    off, either = numbers["dupack", "plain"], numbers["dupack", "either"]
    made = [
        Row("the plain program beside dupack", f"{off:.0e}", "0", EQUAL, off <= float(EQUAL), "largest difference"),
        Row("dupack beside at least one of the two", part(either), "", "within 1 %", None),
    ]
    for peer in PEERS:
        direct, explained = numbers[peer, "direct"], numbers[peer, "explained"]
        given = direct + explained
        note = "open: " + "; ".join(found.open[peer]) if peer in found.open else ""
        agrees, band = given >= EXPLAINED * streams, f"within 1 %, {share(EXPLAINED)} of them"
        made += [
            Row(f"dupack beside {peer}", part(direct), "", "within 1 %", None),
            Row(f"dupack, or the program with {peer}'s switches, beside {peer}", part(given), "", band, agrees, note),
        ]
        for name, (what, side, why) in DIFFERENCES.items():
            if needed := numbers.get((peer, name)):
                note = f"{side}: {why}" if side else why
                made.append(Row(f"{peer}: {what}", part(needed), "", "–", None, note))
    return made


def check(quick: bool) -> Report:
    """Draws the streams and compares."""
    if why := missing():
        return Report(TITLE, AGAINST, skipped=why, order=ORDER)
    streams = 300 if quick else 10_000
    found = findings(streams)
    text = TEXT.format(
        streams=streams,
        acks=int(found.numbers["dupack", "acks"]),
        losses=int(found.numbers["dupack", "losses"]),
        equal=EQUAL,
        explained=share(EXPLAINED),
    )
    return Report(TITLE, AGAINST, rows(found, streams), text, below=BELOW, order=ORDER)
