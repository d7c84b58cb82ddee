"""The test cases of the appendix of BBR's draft; their plans are in `verify/bbr3`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from verify import bbr3_paths as paths
from verify import bbr3_states as states
from verify.bbr3_seen import Seen
from verify.bbr3_signs import Sign


@dataclass(frozen=True)
class Case:
    """A test case."""

    judge: Callable[[Mapping[str, Seen]], list[Sign]]
    """Signs of the flows of its plan."""
    band: str
    """Whose bands they are."""
    note: str = ""


DRAFT = "the draft's"
WINDOWS = "the draft's; ours: 86 % of cwnd, because its gain is 2.25 in ProbeUP and 2.0 in ProbeREFILL"
CASES = {
    1: Case(states.startup_ends_on_a_plateau, DRAFT),
    2: Case(states.startup_ends_by_loss, "the draft's; ours: 3 round trips from the first loss"),
    3: Case(states.drain_ends_by_inflight, DRAFT),
    4: Case(
        states.drain_ends_by_time,
        DRAFT,
        "the draft takes 10 % of the bandwidth away, but half of it drains the queue then all the same; here 60 % go",
    ),
    5: Case(states.probe_up_ends_on_a_plateau, DRAFT),
    6: Case(
        states.probe_up_ends_by_loss,
        "the draft's; ours: 3 round trips from the first loss",
        "the queue is empty, so the same ack may end ProbeDOWN; the case updates inflight_longterm, the draft's "
        "pseudocode does not if the application limits, and neither does ours",
    ),
    7: Case(states.probe_up_goes_on, DRAFT, "until ProbeRTT is due"),
    8: Case(states.probe_down_ends_by_inflight, DRAFT),
    9: Case(states.probe_down_ends_by_time, "the draft's 2 to 3 s; ours: 0.2 s more"),
    10: Case(states.probe_rtt_comes_and_goes, "the draft's; ours: 0.1 s after 5 s, 0.11 s after 200 ms"),
    11: Case(
        states.idle_time_saves_a_probe_rtt, DRAFT, "`idle_restart` shows in the pacing rate and in the skipped ProbeRTT"
    ),
    12: Case(
        paths.aggregated_startup,
        "the draft's; ours: 10 to 20 of the 16.7 packets of 20 ms, and 40 % too much bandwidth",
        "in Startup a sample spans one or two round trips",
    ),
    13: Case(paths.aggregated_cruise, "ours: 12 to 30 of the 16.7 packets of 20 ms, and 97 %"),
    14: Case(
        paths.product_below_a_packet, "the draft's 4 packets; ours: 3 %, and 95 % of the link", "acks are delayed"
    ),
    15: Case(
        paths.ten_times_the_bandwidth,
        "ours: 16 rounds, of which growth by a quarter needs 11; whole segments",
    ),
    16: Case(
        paths.tenth_of_the_bandwidth,
        "the draft's 2 cycles; ours: 1 s, 5 %, 92 %",
        "the repair is rack-tlp; with `sack` timeouts find many of the losses, and a probe follows each at once",
    ),
    17: Case(paths.behind_a_policer, "ours: 15 % of loss, 85 % of the rate", "from 10 s on"),
    18: Case(
        paths.spurious_recovery,
        WINDOWS,
        "reordering has no schedule in plans, so the seed is one with which it comes in ProbeUP; what is saved shows "
        "in what is restored",
    ),
    19: Case(
        paths.spurious_timeout,
        WINDOWS,
        "the path stands still instead of reordering",
    ),
    20: Case(states.probe_rtt_in_startup, "the draft's; ours: 0.41 s, of two round trips more"),
    21: Case(states.loss_ends_probe_up, DRAFT, "Beta bounds what inflight_longterm falls to"),
    22: Case(states.limits_in_refill, DRAFT, "the application has a tenth of the rate instead of a pause"),
}
"""By its number in the appendix."""
