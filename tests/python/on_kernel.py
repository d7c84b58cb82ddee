"""What tests of ``dupack live`` share: a plan, the command, and whether there are namespaces and TUN devices."""

import os
import shutil
import subprocess
import sys
from typing import Any

import pytest

PLAN = """
title = "One kernel flow"
duration = "1500 ms"
warm_up = "500 ms"

[[host]]
name = "source"
[[host]]
name = "sink"

[[link]]
name = "line"
from = "source"
to = "sink"
carries = "packets"
rate = "10 Mb/s"
delay = "10 ms"
queue = { kind = "drop-tail", buffer = "30 packets" }

[[flow]]
name = "bulk"
from = "source"
to = "sink"
transport = { kernel = "reno", mss = "1000 B" }
"""


def _able() -> bool:
    # Without root they are made in a user namespace, as dupack does it.
    own = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    command = ["unshare", *own, "--net", "true"]
    tun = os.access("/dev/net/tun", os.R_OK | os.W_OK)
    return tun and bool(shutil.which("unshare")) and subprocess.run(command, capture_output=True).returncode == 0


live = pytest.mark.skipif(not _able(), reason="no network namespaces or no /dev/net/tun")


def run(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dupack", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stderr
    return done


BOUND = ["--bound", "20 ms"]
"""Lateness of the router that the numbers of the tests bear."""


def trust(document: dict[str, Any]) -> None:
    """Skips the rest of a test, which is about numbers, if the run itself says that the machine was too busy."""
    if doubts := document["live"]["doubts"]:
        pytest.skip(f"the machine was too busy: {'; '.join(doubts)}")


ANSWERED = """
import socket, struct, sys
host, count, length = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
out.settimeout(60)
for number in range(count):
    # The kernel fills in the checksum.
    out.sendto(struct.pack("!BBHHH", 8, 0, 0, 0, number) + bytes(length), (host, 0))
for _ in range(count):
    out.recv(65536)
"""
"""Sends a number of echo requests with a number of bytes of data to a host, and waits for all answers.

The host's kernel answers, so that no server has to be ready; what was sent before has left the device by then.
"""
