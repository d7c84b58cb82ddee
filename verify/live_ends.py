"""The two ends of a judged link, which know nothing of dupack: they run as programs on hosts, and write what they saw.

``python verify/live_ends.py receive FILE SECONDS`` and ``... send FILE ADDRESS PACKETS BYTES GAP_NS``. Times are the
kernel's or the clock's, CLOCK_REALTIME [ns].
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import time
from pathlib import Path

PORT = 4000
SO_RCVBUFFORCE = 33
"""Linux: a receive buffer beyond the system's limit, for root."""
SO_TIMESTAMPNS = 35
"""Linux: the time at which the kernel got a packet comes with it."""


def send(address: str, packets: int, size: int, gap: int) -> list[int]:
    """Sends numbered datagrams of ``size`` bytes on the line, ``gap`` ns apart; the send times."""
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    out.connect((address, PORT))
    padding = bytes(size - 28 - 4)
    times = []
    due = time.clock_gettime_ns(time.CLOCK_REALTIME)
    for number in range(packets):
        while (now := time.clock_gettime_ns(time.CLOCK_REALTIME)) < due:
            pass
        times.append(now)
        out.send(struct.pack("!I", number) + padding)
        due += gap
    return times


def receive(seconds: float) -> list[tuple[int, int]]:
    """Number and arrival time of each datagram, until none has come for ``seconds``."""
    here = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    # A receiver that sleeps must not lose what the line has carried.
    here.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 26)
    here.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    here.bind(("0.0.0.0", PORT))
    here.settimeout(10)
    found = []
    try:
        while True:
            data, extra, _, _ = here.recvmsg(65_536, 64)
            whole, part = struct.unpack("qq", extra[0][2])
            found.append((struct.unpack_from("!I", data)[0], whole * 1_000_000_000 + part))
            here.settimeout(seconds)
    except TimeoutError:
        return found


if __name__ == "__main__":
    what, file, *rest = sys.argv[1:]
    told = receive(float(rest[0])) if what == "receive" else send(rest[0], *map(int, rest[1:]))
    # A reader that waits for the file finds all of it.
    part = Path(f"{file}.part")
    part.write_text(json.dumps(told))
    part.rename(file)
