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
"""Of the streams. Those of seed 1 have shown the differences."""
PEERS = ("s2n-quic", "aioquic")
EXPLAINED = 0.999
"""Of the streams of a peer, the part of which the named differences must give all windows."""
EQUAL = "1e-9"
"""The largest relative difference between dupack's CUBIC and the plain program."""

TEXT = """
{streams:,} streams are drawn, with {acks:,} acks and {losses:,} losses in all: round trips of 5 to 300 ms that stay,
vary or grow; an ack for each packet or for every second; losses, application-limited and idle times, persistent
congestion.
A stream says when acks and losses come, and nothing of windows: each controller sends as much as its own window and the
application allow. Windows are compared after every event. dupack's is the controller `cubic` with `counted =
"segments"`, without HyStart++.

The three differ, so hardly any stream has the same windows in all of them. Each difference is a switch of a plain
program (`verify/streams/src/plain.rs`). Without any it must have dupack's windows, within {equal}. With all of a
peer's it must have the peer's, within 1 % after each event, in at least {explained} of the streams. The differences
were found with other streams than these, and the bands stated before these were drawn. A row of a difference says how
many streams need it: without it some window is further off. Its note begins with the side that follows the paragraph.
"""

DIFFERENCES: Mapping[str, tuple[str, str, str]] = {
    "LeavesSlowStart": (
        "slow start ends when round trips grow longer",
        "both",
        "RFC 9438 §4.10 allows any slow start; `slow_start = hystart++` is ours",
    ),
    "ShortestTrip": (
        "W_cubic's target is that after the shortest round trip",
        "ours",
        "RFC 9438 §4.1.2: RTT is the smoothed one",
    ),
    "LastTrip": ("W_cubic's target is that after the last round trip", "ours", "RFC 9438 §4.1.2"),
    "RenoByTime": (
        "Reno's window is a function of time and of the shortest round trip",
        "ours",
        "RFC 9438 §4.3: it counts acknowledged segments; RFC 8312 §4.2 has time",
    ),
    "RenoByOne": (
        "Reno's window grows by one packet per round trip from the cut on",
        "ours",
        "RFC 9438 §4.3: by 0.53 up to the window at the last loss",
    ),
    "HalfOfAcked": (
        "an ack adds at most half of what it acknowledges, and W_cubic's target has no other limit",
        "ours",
        "RFC 9438 §4.2: the target is at most 1.5 times the window",
    ),
    "LastLoss": (
        "fast convergence compares the window with that of the last loss",
        "ours",
        "RFC 9438 §4.7: with W_max, which it has reduced; RFC 8312 §4.6 has the window",
    ),
    "OfWindow": (
        "a loss leaves 0.7 of the window, also where less is in flight",
        "ours",
        "RFC 9438 §4.6: 0.7 of flight_size; with other measures the window is allowed",
    ),
    "WithoutLost": (
        "a loss leaves 0.7 of what is in flight without the lost packet",
        "ours",
        "RFC 9438 §4.6: flight_size is what was outstanding when the loss was found",
    ),
    "AtThreshold": (
        "a window at ssthresh is in congestion avoidance",
        "ours",
        "RFC 9438 §4.10: slow start while cwnd is no more than ssthresh",
    ),
    "CountsAtEnd": (
        "the ack that ends a recovery lets the window grow",
        "theirs",
        "RFC 9002 §B.5: acks of packets sent after the loss count; ours ends the recovery by it, as TCP does",
    ),
    "LowestThreshold": (
        "after persistent congestion ssthresh is the lowest so far, and at least 16 packets",
        "ours",
        "RFC 9438 §4.8: 0.7 of flight_size",
    ),
    "NoSlowStart": (
        "after persistent congestion there is no slow start",
        "ours",
        "RFC 9438 §4.8, RFC 9002 §7.6.2: all in flight is taken for lost before the part of it is",
    ),
    "WholeBytes": ("windows are whole bytes, rounded down at each ack", "", "no RFC speaks of it"),
    "PerPacket": (
        "every packet that an ack covers counts as an ack",
        "ours",
        "RFC 9438 §4.4: the window grows per ack",
    ),
    "GrowsInRecovery": (
        "acks of what was sent before a loss let the window grow",
        "ours",
        "RFC 9002 §7.3.2: the recovery lasts until a packet sent in it is acknowledged",
    ),
    "GrowsLimited": (
        "the window grows when the application does not fill it, and idle time counts",
        "ours",
        "RFC 9438 §4.2 and §5.8",
    ),
    "SeenWhenSent": (
        "three free packets, in slow start half of the window, count as a full window; idle time counts",
        "ours",
        "RFC 9438 §4.2: idle time MUST NOT count; RFC 9002 §7.8 leaves open when a window is full",
    ),
    "BoundByFlight": (
        "the window is at most 1.5 times, in slow start twice, what was in flight since the last loss",
        "both",
        "RFC 9002 §7.8 does not forbid it",
    ),
    "IdleReset": (
        "after two seconds without an ack everything begins again",
        "theirs",
        "RFC 5681 §4.1: a restart window after idle time SHOULD be used; ours departs",
    ),
    "RoundsOtherwise": (
        "its rounding decides where two curves are equal, and where the window is whole packets",
        "",
        "s2n-quic reckons in single precision, aioquic in whole bytes",
    ),
}
"""Per difference of `verify/streams/src/plain.rs`: what the peer does, who follows the paragraph, and which."""

BELOW = """
Neither of the two has all of RFC 9438: s2n-quic is RFC 8312's, with Linux' limit of growth; aioquic is RFC 9438's but
for the paragraphs above. So windows within 1 % of one of them all the time are rare: most streams have a loss, and the
first ack after it is slow start's in dupack alone.
"""


@dataclass
class Findings:
    """What `cubic-streams judge` has said."""

    numbers: dict[tuple[str, str], float] = field(default_factory=dict)
    open: dict[str, list[str]] = field(default_factory=dict)

    @staticmethod
    def read(text: str) -> Findings:
        """From its rows, with tabs."""
        found = Findings()
        for line in text.splitlines():
            who, what, said = line.split("\t")
            if what == "open":
                found.open.setdefault(who, []).append(said)
            else:
                found.numbers[who, what] = float(said)
        return found


def missing() -> str:
    """Why it cannot be run here; empty if it can."""
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
    """As it is written."""
    return f"{100 * part:g} %"


def rows(found: Findings, streams: int) -> list[Row]:
    """A row per claim, and per difference."""
    numbers = found.numbers
    off = numbers["dupack", "plain"]
    made = [
        Row("dupack beside the plain program", f"{off:.0e}", "0", EQUAL, off <= float(EQUAL), "largest difference"),
        Row(
            "dupack as it is, beside either of the two",
            f"{numbers['dupack', 'either']:,.0f} streams",
            f"{streams:,}",
            "within 1 %",
            None,
        ),
    ]
    for peer in PEERS:
        direct, explained = numbers[peer, "direct"], numbers[peer, "explained"]
        given = direct + explained
        note = "open: " + "; ".join(found.open[peer]) if peer in found.open else ""
        agrees, band = given >= EXPLAINED * streams, f"within 1 %, {share(EXPLAINED)} of them"
        what = f"the plain program with what {peer} does, beside it"
        made += [
            Row(f"dupack as it is, beside {peer}", f"{direct:,.0f} streams", f"{streams:,}", "within 1 %", None),
            Row(what, f"{given:,.0f} streams", f"{streams:,}", band, agrees, note),
        ]
        for name, (what, side, why) in DIFFERENCES.items():
            if needed := numbers.get((peer, name)):
                made.append(
                    Row(f"{peer}: {what}", f"{needed:,.0f} streams", "", "–", None, f"{side}: {why}" if side else why)
                )
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
