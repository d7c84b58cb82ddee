"""Why numbers of the simulator and of the kernel differ: each reason is tried in a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from verify.linux_cases import Variant
from verify.linux_cubic import LinuxCubic

HZ = 250
"""Ticks per second of most distributions' kernels, and of the one on the page."""
FEW = 20
"""Drops of a run."""
ENDED = ("TcpExt.TCPHystartTrainCwnd", "TcpExt.TCPHystartDelayCwnd")
"""Counters of the window at which HyStart ended slow start [segments]."""


def without(senders: Sequence[str], runs: Sequence[Mapping[str, Any]]) -> Variant | None:
    """The simulated plan with the known behaviour of these senders, from the live runs; None if none is known."""
    if "cubic" not in senders:
        return None
    name = LinuxCubic.__name__
    # Whole, because a controller beside `kernel` would leave the preset behind.
    own = f'control = {{ kind = "external", name = "{name}" }}'
    sets = [f'flow.cubic.transport={{ kind = "linux-cubic", {own} }}']
    # There is one CUBIC flow, so the counters of its host are its own; 0 if a loss ended slow start.
    if window := median(sum(run["counters"].get(one, 0.0) for one in ENDED) for run in runs):
        sets.append(f"flow.cubic.transport.initial_ssthresh={window:.0f} segments")
    return Variant(tuple(sets), {name: LinuxCubic(HZ)})


BELOW = """
Reasons, by their numbers in the last column:

1. Linux' CUBIC is not RFC 9438's (`verify/linux_cubic.py`): windows are whole segments, Reno's window grows by 0.53
   segments per round trip also where the RFC has 1, and slow start ends by HyStart (`hystart_update`), not by
   HyStart++ (RFC 9406). The last column gives the simulation with that controller and with `initial_ssthresh` set to
   the window at which, by the kernel's counters (`TCPHystartTrainCwnd`, `TCPHystartDelayCwnd`), slow start ended. It
   also says what is still outside.
2. The kernel's BBR overestimates the line a little. Read with `ss` during runs at 5 Mb/s and 100 ms: `bw` 4.87 to
   4.92 Mb/s, where the line carries 4.83 Mb/s of payload, and `mrtt` 104.9 ms after ten seconds instead of 100.2.
   99 % of that (`bbr_pacing_margin_percent`) is still more than the line carries: a standing queue forms, and small
   buffers overflow.
3. With fewer than 20 drops per run, a single drop is more than 5 %.

The reasons say where the senders are known to differ; only for the first is it shown, in the last column, how much of a
row it explains. What is left is open.
"""


def reasons(senders: Sequence[str], outside: Sequence[str], drops: float) -> str:
    """The numbers of the reasons below that apply; ``drops`` are those of a live run."""
    found = [str(at) for at, sender in enumerate(("cubic", "bbr"), 1) if sender in senders]
    if "drops" in outside and drops < FEW:
        found.append("3")
    return f"reasons {', '.join(found)}" if found else ""
