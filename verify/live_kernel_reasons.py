"""Why numbers of the simulator and of the kernel differ: each reason is tried in a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

EVIDENCE: Mapping[str, tuple[str, ...]] = {
    # Linux' Reno counts the segments that an ack covers; without delayed acks, so does the simulator's.
    "reno": ("flow.reno.transport.delayed_ack=false",),
}
"""Per sender, what to set in the simulated plan so that the known difference is gone."""


FEW = 20
"""Drops of a run."""


def sets(senders: Sequence[str]) -> list[str]:
    """The changes that remove what is known of these senders."""
    return [one for sender in senders for one in EVIDENCE.get(sender, ())]


BELOW = """
Reasons, by their numbers in the last column:

1. Linux' Reno counts the segments that an ack covers (`tcp_reno_cong_avoid` passes `acked` to `tcp_slow_start` and
   `tcp_cong_avoid_ai`). `linux-reno` counts acks, which are delayed, so that its window grows half as fast
   ([departure](departures/linux-as-far-as-parameters-go.md)). The last column has the simulation without delayed acks,
   whose window grows as Linux' does, and says what is then still outside.
2. Linux' CUBIC leaves slow start by HyStart (`hystart_update`, the kernel's counters `TCPHystartTrainDetect` and
   `TCPHystartDelayDetect`), `linux-cubic` by HyStart++ (RFC 9406). They leave it at different windows, and runs of
   seconds show that.
3. The kernel's BBR overestimates the line a little. Read with `ss` during runs at 5 Mb/s and 100 ms: `bw` 4.87 to
   4.92 Mb/s, where the line carries 4.83 Mb/s of payload, and `mrtt` 104.9 ms after ten seconds instead of 100.2.
   99 % of that (`bbr_pacing_margin_percent`) is still more than the line carries: a queue stands, and small ones drop.
4. Fewer than 20 drops per run: one drop more is 5 % or more.

The reasons say where the senders are known to differ; only for the first is it shown, in the last column, how much of a
row it explains. What is left is open. At 100 Mb/s and 10 ms a part of it is the machine's, which had 19 to 34 processes
that wanted to run: a host that waits for a processor is late before the router sees its packet.
"""


def reasons(senders: Sequence[str], outside: Sequence[str], drops: float) -> str:
    """The numbers of the reasons below that apply; ``drops`` are those of a live run."""
    found = [str(at) for at, sender in enumerate(("reno", "cubic", "bbr"), 1) if sender in senders]
    if "drops" in outside and drops < FEW:
        found.append("4")
    return f"reasons {', '.join(found)}"
