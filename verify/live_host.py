"""Whether live links can be judged on this machine now."""

from __future__ import annotations

import os
import time
from pathlib import Path

from dupack import privileges

BUSY = 0.2
"""Beyond this share of the processors' time that others take, a judgement would be about them."""
LOOK_S = 3.0


def unable(*, root: bool) -> str:
    """Why live links cannot be judged here, by a check that needs ``root`` or not; empty if they can."""
    if not privileges.able() or (root and os.geteuid() != 0):
        return f"it needs {'root, ' if root else ''}network namespaces and /dev/net/tun"
    busy = _busy(LOOK_S)
    return f"other work takes {busy:.0%} of the processors" if busy > BUSY else ""


def _busy(seconds: float) -> float:
    """The share of all processors' time that is not idle."""
    first = _ticks()
    time.sleep(seconds)
    idle, every = (last - before for last, before in zip(_ticks(), first, strict=True))
    return 1 - idle / every


def _ticks() -> tuple[int, int]:
    """Idle time, waits for disks included, and all time, of all processors [ticks]."""
    # proc(5): user, nice, system, idle, iowait, irq, softirq, steal; guests are in user and nice.
    ticks = [int(text) for text in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)
