"""The windows of aioquic's CUBIC for the streams of `cubic-streams draw`: standard input to standard output.

Per event two little-endian floats: the window, and ssthresh or, if there is none, 0 [bytes]. Calls come in the order of
aioquic's `QuicPacketRecovery`: acknowledged packets first, then the RTT sample; lost packets first, then persistent
congestion.
"""

from __future__ import annotations

import struct
import sys
from collections import deque
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any, BinaryIO

PACKET = 1200
NO_LIMIT = 2**64 - 1


class Aioquic:
    """The controller, and what its connection knows."""

    def __init__(self, made: type[Any]) -> None:
        self._cubic = made(max_datagram_size=PACKET)
        self._sent: deque[Any] = deque()
        self._limit = NO_LIMIT

    def _fill(self, now: float) -> int:
        while len(self._sent) < self._limit and self._cubic.bytes_in_flight + PACKET <= self._cubic.congestion_window:
            packet = SimpleNamespace(sent_bytes=PACKET, sent_time=now)
            self._cubic.on_packet_sent(packet=packet)
            self._sent.append(packet)
        return len(self._sent)

    def _acked(self, now: float, sent: float, packets: int) -> None:
        for _ in range(packets):
            packet = self._sent.popleft()
            packet.sent_time = sent
            self._cubic.on_packet_acked(now=now, packet=packet)

    def _lost(self, now: float, sent: float, packets: int) -> None:
        lost = [self._sent.popleft() for _ in range(packets)]
        for packet in lost:
            packet.sent_time = sent
        self._cubic.on_packets_lost(now=now, packets=lost)

    def on(self, event: str, *values: int) -> None:
        """An event, as `cubic-streams draw` writes it."""
        now = values[0] * 1e-6
        if event == "D":
            self._acked(now, now, len(self._sent))
            return
        if event == "R":
            self._limit = values[1]
        flight = self._fill(now)
        if event == "P":
            self._lost(now, now, flight)
            self._cubic.on_persistent_congestion()
        elif flight and event != "R":
            rtt = values[1] * 1e-6
            if event == "X":
                self._lost(now, now - rtt, 1)
            else:
                self._acked(now, now - rtt, min(values[2], flight))
                self._cubic.on_rtt_measurement(now=now, rtt=rtt)

    def windows(self) -> bytes:
        """The bytes written after an event."""
        return struct.pack("<2f", self._cubic.congestion_window, self._cubic.ssthresh or 0)


def answer(made: type[Any], lines: Iterable[str], out: BinaryIO) -> None:
    """Writes the windows of a controller for each stream."""
    one = Aioquic(made)
    for line in lines:
        words: Sequence[str] = line.split()
        if words[0] == "E":
            one = Aioquic(made)
            continue
        one.on(words[0], *map(int, words[1:]))
        out.write(one.windows())


if __name__ == "__main__":
    from aioquic.quic.congestion.cubic import CubicCongestionControl  # type: ignore[import-not-found]

    answer(CubicCongestionControl, sys.stdin, sys.stdout.buffer)
