"""Test cases of BBR's draft that are about a path: bursts of acks, little and changing bandwidth, reordering."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from verify.bbr3_seen import CRUISE, DOWN, GAINS, MARGIN, PROBE_BW, REFILL, STARTUP, UP, Seen
from verify.bbr3_signs import (
    CLOSE,
    MIN_PIPE_CWND,
    RATE,
    Sign,
    at_least,
    at_most,
    inside,
    lossless,
    near,
    only,
    rate,
    round_trip,
    then,
)


def aggregated_startup(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.12."""
    seen = only(flows)
    startup = seen.first(STARTUP)
    after = seen.next(startup)
    product = RATE * round_trip(seen, after.start) / seen.bits
    return [
        at_least("cwnd", seen.window(seen.last(startup)), 2 * product),
        inside("extra_acked", seen.window(seen.last(after)) - 2 * seen.product(after.start), 10, 20),
        inside("max_bw", seen.bandwidth(after.start) / RATE, 1 - CLOSE, 1.4, " of the link"),
    ]


def aggregated_cruise(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.13."""
    seen = only(flows)
    cruise = seen.first(CRUISE)
    before, after = (seen.window(time) - 2 * seen.product(time) for time in (cruise.start, seen.last(cruise)))
    return [
        at_most("extra_acked before", before, 2),
        inside("and after", after, 12, 30),
        at_least("link", seen.goodput(1.0, cruise.end) / RATE * 100, 97, " %"),
    ]


def product_below_a_packet(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.14."""
    seen = only(flows)
    link, propagation = 64e3, 0.01
    probes = [it for it in seen.phases if it.state in PROBE_BW]
    first = probes[0].start if probes else seen.first(CRUISE).start
    among = seen.samples(first, seen.times[-1])
    rates = [seen.bandwidth(it.start) for it in probes]
    least = min(seen.rate(seen.times[at]) for at in among)
    return [
        at_most("product", link * propagation / seen.bits, 1, " packets"),
        at_least("cwnd", min(seen.windows[at] for at in among), MIN_PIPE_CWND),
        near("max_bw", min(rates), link, 0.03, 1e3, " kb/s"),
        near("to", max(rates), link, 0.03, 1e3, " kb/s"),
        at_least("pacing", least / 1e3, 0.97 * GAINS[DOWN] * MARGIN * link / 1e3, " kb/s"),
        at_least("link", seen.goodput(first, seen.times[-1]) / link * 100, 95, " %"),
    ]


def ten_times_the_bandwidth(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.15."""
    step = 1.0
    free, bounded = flows["free"], flows["bounded"]
    up, wide = (it.first(UP, step) for it in (bounded, free))
    found = free.when("95 Mb/s", step, lambda it: free.bandwidth(it) >= 9.5 * RATE)
    before = bounded.window(up.start)
    windows = [bounded.window(time) for time in bounded.rounds(up.start, up.end)]
    grown = [it - before for it in windows if it > before][:4]
    ratios = [later / it for it, later in pairwise(grown)]
    return [
        rate("free: max_bw before", free.bandwidth(step), RATE),
        inside("95 Mb/s found in", len(free.rounds(wide.start, found)), 1, 16, " rounds of ProbeUP"),
        rate("max_bw then", free.bandwidth(free.last(wide)), 10 * RATE),
        rate("bounded: max_bw before", bounded.bandwidth(step), RATE),
        at_most("inflight_longterm", before, 2 * bounded.product(up.start)),
        Sign(
            f"grown by {', '.join(f'{it:.0f}' for it in grown)} after its first rounds",
            "1.5 to 3 times as much after each",
            len(ratios) == 3 and all(1.5 <= it <= 3 for it in ratios),
        ),
        rate("max_bw then", bounded.bandwidth(bounded.last(up)), 10 * RATE),
    ]


def tenth_of_the_bandwidth(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.16."""
    seen = only(flows)
    step = 1.0
    before = seen.bandwidth(step)
    first = seen.first_loss(step)
    less = seen.when("less than three quarters", first, lambda it: seen.bandwidth(it) < 0.75 * before)
    found = seen.when("10 Mb/s", step, lambda it: seen.bandwidth(it) <= 1.05 * RATE)
    cycles = sum(it.state == DOWN and step < it.start < found for it in seen.phases)
    return [
        rate("max_bw before", before, 10 * RATE),
        at_most("bw below three quarters", less - first, 1.0, " s after the first loss"),
        Sign(f"in {seen.at(less).state}", f"in {CRUISE}", seen.at(less).state == CRUISE),
        inside("max_bw of the new rate in cycle", cycles, 1, 2),
        rate("max_bw then", seen.bandwidth(found), RATE, 0.05),
        at_least("link at the end", seen.goodput(seen.times[-1] - 2, seen.times[-1]) / RATE * 100, 92, " %"),
    ]


def behind_a_policer(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.17."""
    seen = only(flows)
    end = seen.times[-1]
    falls = [
        (seen.bandwidth(seen.last(it)) / seen.bandwidth(it.start), seen.window(seen.last(it)) / seen.window(it.start))
        for it in seen.phases
        if it.state == CRUISE and it.length > 0.2
    ]
    slower, smaller = (sum(it[at] < 0.95 for it in falls) for at in (0, 1))
    return [
        at_least(f"of {len(falls)} cruises, bw_shortterm falls in", slower, 1),
        at_least("inflight_shortterm in", smaller, 1),
        inside("lost", seen.losses(end - 10, end) * 100, 0.1, 15, " %"),
        inside("rate", seen.goodput(end - 10, end) / RATE * 100, 85, 101, " % of the policer's"),
    ]


def _undone(seen: Seen) -> list[Sign]:
    """A probe that losses have ended goes on when they turn out to be none."""
    up = next((it for it in seen.phases if it.state == UP and seen.next(it).state == DOWN), seen.first(UP))
    down = seen.next(up)
    refill = seen.next(down)
    again = seen.next(refill)
    before = seen.window(seen.last(up))
    during = min(seen.windows[at] for at in seen.samples(down.start, down.end))
    lost = {number for time, number in seen.lost if up.start < time <= down.end}
    arrived = lost & {number for it in seen.heard for number in it.packets}
    return [
        lossless(seen),
        at_least("taken for lost", len(lost), 1),
        Sign(f"{len(arrived)} of them arrived", "all", arrived == lost),
        then(down, DOWN),
        at_most("cwnd", during / before, 0.85, " of before"),
        then(refill, REFILL),
        at_least("cwnd at once", seen.window(refill.start) / before, 0.86, " of before"),
        at_least("bw", seen.bandwidth(refill.start) / seen.bandwidth(up.start), 1, " of before"),
        then(again, UP),
    ]


def spurious_recovery(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.18."""
    return _undone(only(flows))


def spurious_timeout(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.19."""
    seen = only(flows)
    up = seen.first(UP)
    timeouts = sum(up.start < it <= up.end for it in seen.timeouts)
    return [at_least("timeouts in ProbeUP", timeouts, 1), *_undone(seen)]
