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
IP_RECVERR = 11
SO_RCVBUFFORCE = 33
"""Linux: a receive buffer beyond the system's limit, for root."""
SO_TIMESTAMPNS = 35
"""Linux: the time at which the kernel got a packet comes with it."""


SO_TIMESTAMPING = 37
STAMPS = 1 << 1 | 1 << 4 | 1 << 7 | 1 << 11
"""Linux: when the kernel hands a packet to its device, told with the packet's number and without the packet."""


WAIT = 5
"""A time stamp that has not come for so long does not come [s]."""


def send(address: str, packets: int, size: int, gap: int) -> list[int | None]:
    """Sends numbered datagrams of ``size`` bytes on the line, ``gap`` ns apart.

    Returns when the kernel gave each to the device, null for one that a queue of the device dropped. These times do not
    contain how long this program, which is no part of the link, waits for a processor.
    """
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    out.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 28)
    out.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPING, STAMPS)
    out.connect((address, PORT))
    padding = bytes(size - 28 - 4)
    due = time.clock_gettime_ns(time.CLOCK_REALTIME)
    for number in range(packets):
        while time.clock_gettime_ns(time.CLOCK_REALTIME) < due:
            pass
        out.send(struct.pack("!I", number) + padding)
        due += gap
    return _stamps(out, packets)


def _stamps(out: socket.socket, packets: int) -> list[int | None]:
    """The times at which datagrams 0 to ``packets`` left, from the socket's queue of errors."""
    found: dict[int, int] = {}
    until = time.monotonic() + WAIT
    while len(found) < packets and time.monotonic() < until:
        try:
            _, extra, _, _ = out.recvmsg(0, 512, socket.MSG_ERRQUEUE | socket.MSG_DONTWAIT)
        except BlockingIOError:
            continue
        until = time.monotonic() + WAIT
        about = {(level, kind): data for level, kind, data in extra}
        whole, part = struct.unpack_from("qq", about[socket.SOL_SOCKET, SO_TIMESTAMPING])
        # struct sock_extended_err: the last of its numbers is that of the datagram.
        number = struct.unpack_from("IBBBBII", about[socket.SOL_IP, IP_RECVERR])[6]
        found[number] = whole * 1_000_000_000 + part
    return [found.get(number) for number in range(packets)]


def receive(seconds: float, ready: Path) -> list[tuple[int, int]]:
    """Number and arrival time of each datagram, until none has come for ``seconds``.

    Makes the file ``ready`` when it can receive.
    """
    here = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    # A receiver that sleeps must not lose what the line has carried.
    here.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 26)
    here.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    here.bind(("0.0.0.0", PORT))
    here.settimeout(20)
    ready.touch()
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
    told = receive(float(rest[0]), Path(f"{file}.ready")) if what == "receive" else send(rest[0], *map(int, rest[1:]))
    # A reader that waits for the file finds all of it.
    part = Path(f"{file}.part")
    part.write_text(json.dumps(told))
    part.rename(file)
