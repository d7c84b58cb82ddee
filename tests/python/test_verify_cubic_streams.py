"""The check of CUBIC beside those of s2n-quic and aioquic: what it says of numbers, and how it calls aioquic's."""

from __future__ import annotations

import io
import re
import struct
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from verify.aioquic_windows import answer
from verify.checks.cubic_streams import CRATE, DIFFERENCES, Findings, rows

JUDGED = (
    "dupack\tacks\t70\ndupack\tlosses\t3\ndupack\teither\t30\ndupack\tplain\t{plain}\n"
    "s2n-quic\tdirect\t20\ns2n-quic\texplained\t{explained}\ns2n-quic\tShortestTrip\t7\ns2n-quic\tLastLoss\t0\n"
    "aioquic\tdirect\t10\naioquic\texplained\t990\n"
)


def judged(plain: float = 1e-12, explained: int = 980, more: str = "") -> dict[str, Any]:
    found = Findings.read(JUDGED.format(plain=plain, explained=explained) + more)
    return {row.what: row for row in rows(found, 1000)}


def test_the_claims_are_that_the_plain_program_has_the_windows_of_all_three() -> None:
    made = judged()
    claims = {what: row.agrees for what, row in made.items() if row.agrees is not None}
    assert claims == {
        "the plain program beside dupack": True,
        "dupack, or the program with s2n-quic's switches, beside s2n-quic": True,
        "dupack, or the program with aioquic's switches, beside aioquic": True,
    }
    assert not judged(plain=1e-6)["the plain program beside dupack"].agrees
    less = judged(explained=978, more="s2n-quic\topen\tstream 5, event 3\n")
    row = less["dupack, or the program with s2n-quic's switches, beside s2n-quic"]
    assert (row.agrees, row.ours, row.note) == (False, "998 of 1,000 streams", "open: stream 5, event 3")


def test_a_difference_has_a_row_where_a_stream_needs_it() -> None:
    made = judged()
    shown = [row for what, row in made.items() if what.startswith("s2n-quic: ")]
    assert [(row.ours, row.note) for row in shown] == [
        ("7 of 1,000 streams", "ours: RFC 9438 §4.1.2: RTT is the smoothed one")
    ]


def test_each_difference_of_the_plain_program_is_described() -> None:
    body = re.search(r"pub enum Difference \{(.*?)\n\}", (CRATE / "src/plain.rs").read_text(), re.DOTALL)
    assert body
    assert set(re.findall(r"^ {4}(\w+),$", body[1], re.MULTILINE)) == set(DIFFERENCES)


class Recorded:
    """A controller of one packet more per ack, that writes down its calls."""

    calls: ClassVar[list[str]] = []

    def __init__(self, *, max_datagram_size: int) -> None:
        self.bytes_in_flight, self.congestion_window, self.ssthresh = 0, 2 * max_datagram_size, None

    def on_packet_sent(self, *, packet: SimpleNamespace) -> None:
        self.bytes_in_flight += packet.sent_bytes
        self.calls.append("sent")

    def on_packet_acked(self, *, now: float, packet: SimpleNamespace) -> None:
        self.bytes_in_flight -= packet.sent_bytes
        self.congestion_window += packet.sent_bytes
        self.calls.append(f"acked {now - packet.sent_time:.3f}")

    def on_packets_lost(self, *, now: float, packets: list[SimpleNamespace]) -> None:
        self.bytes_in_flight -= sum(one.sent_bytes for one in packets)
        self.calls.append(f"lost {len(packets)} at {now:g}")

    def on_persistent_congestion(self) -> None:
        self.calls.append("persistent")

    def on_rtt_measurement(self, *, now: float, rtt: float) -> None:
        self.calls.append(f"rtt {rtt:g}")


@pytest.mark.parametrize(
    ("events", "calls"),
    [
        (["R 1000000 5", "A 1020000 20000 1"], ["sent", "sent", "acked 0.020", "rtt 0.02"]),
        (["R 1000000 1", "X 1020000 20000"], ["sent", "lost 1 at 1.02"]),
        (["R 1000000 9", "P 1500000"], ["sent", "sent", "lost 2 at 1.5", "persistent"]),
        (["R 1000000 9", "R 1000000 0", "D 1020000"], ["sent", "sent", "acked 0.000", "acked 0.000"]),
        # The next stream begins anew.
        (["R 1000000 1", "E", "R 1000000 1"], ["sent", "sent"]),
    ],
)
def test_aioquic_is_called_as_its_connection_does(events: list[str], calls: list[str]) -> None:
    Recorded.calls, out = [], io.BytesIO()
    answer(Recorded, events, out)
    assert Recorded.calls == calls
    windows = struct.iter_unpack("<2f", out.getvalue())
    assert [threshold for _, threshold in windows] == [0.0] * len([event for event in events if event != "E"])
