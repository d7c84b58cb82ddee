"""Test cases of BBR's draft that are about a state: when it ends, and what follows."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from verify.bbr3_seen import CRUISE, DOWN, DRAIN, GAINS, MARGIN, PROBE_BW, PROBE_RTT, REFILL, STARTUP, UP, Seen
from verify.bbr3_signs import (
    BETA,
    CLOSE,
    HEADROOM,
    LOSS_THRESH,
    MBPS,
    PLATEAU,
    PROBE_RTT_DURATION,
    PROBE_RTT_INTERVAL,
    RATE,
    SLOW,
    Sign,
    at_least,
    at_most,
    inside,
    lossless,
    near,
    only,
    rate,
    round_trip,
    said,
    slow_rounds,
    then,
)


def startup_ends_on_a_plateau(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.1."""
    seen = only(flows)
    startup = seen.first(STARTUP)
    after = seen.next(startup)
    slow = slow_rounds(seen.delivery_rates(startup.start, startup.end))
    return [
        rate("max_bw", seen.bandwidth(after.start), RATE),
        Sign(f"{slow} rounds of less than 25 % growth", f"{PLATEAU} rounds", slow == PLATEAU),
        then(after, DRAIN),
    ]


def startup_ends_by_loss(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.2."""
    few, many = 1.0, 2.0
    seen = only(flows)
    startup = seen.first(STARTUP)
    trips = (startup.end - many) / round_trip(seen, startup.end)
    return [
        rate("application", seen.goodput(0.5, few), 20 * MBPS),
        inside("Startup goes on with losses of", seen.losses(few, many) * 100, 0.1, LOSS_THRESH * 100, " %"),
        at_least("and ends with losses of", seen.losses(many, startup.end) * 100, LOSS_THRESH * 100, " %"),
        inside("after", trips, 0, 3, " round trips"),
        then(seen.next(startup), DRAIN),
    ]


def drain_ends_by_inflight(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.3."""
    seen = only(flows)
    drain = seen.first(DRAIN)
    product = seen.product(drain.start)
    return [
        rate("pacing in Drain", seen.rate(drain.start), 0.5 * MARGIN * RATE),
        at_least("in flight at its start", seen.in_flight(drain.start), product),
        inside("at its end", seen.in_flight(drain.end), product - 1, product),
        at_most("rounds", len(seen.rounds(drain.start, drain.end)), PLATEAU),
        then(seen.next(drain), *PROBE_BW),
    ]


def drain_ends_by_time(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.4."""
    seen = only(flows)
    drain = seen.first(DRAIN)
    rounds = len(seen.rounds(drain.start, drain.end))
    least = seen.least_in_flight(drain.start, drain.end)
    return [
        rate("link in Drain", seen.goodput(drain.start + 0.1, drain.end), 0.4 * RATE),
        at_least("in flight", least, seen.product(drain.start)),
        Sign(f"round {rounds} of Drain is its last", f"the first after {PLATEAU}", rounds == PLATEAU + 1),
        then(seen.next(drain), *PROBE_BW),
    ]


def probe_up_ends_on_a_plateau(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.5."""
    seen = only(flows)
    up = seen.first(UP)
    rates = seen.delivery_rates(up.start, up.end)
    slow = slow_rounds(rates, seen.bandwidth(up.start))
    return [
        rate("link in ProbeUP", seen.goodput(up.start, up.end), RATE),
        at_least("in flight at its end", seen.in_flight(up.end), GAINS[UP] * seen.product(up.start)),
        Sign(f"{slow} of {len(rates)} rounds of less than 25 % growth", f"{PLATEAU}", slow == len(rates) == PLATEAU),
        lossless(seen),
        then(seen.next(up), DOWN),
    ]


def probe_up_ends_by_loss(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.6."""
    seen = only(flows)
    up = seen.first(UP)
    trip = round_trip(seen, up.end)
    lossy = 4.0
    return [
        rate("application in ProbeUP", seen.goodput(up.start + 2 * trip, lossy), 0.5 * SLOW, 0.05),
        at_least("rounds before a loss", len(seen.rounds(up.start, lossy)), 2 * PLATEAU),
        at_least("losses of the last round", seen.losses(up.end - trip, up.end + 1e-9) * 100, LOSS_THRESH * 100, " %"),
        inside("end after", (up.end - lossy) / trip, 0, 3, " round trips"),
        then(seen.next(up), DOWN, CRUISE),
    ]


def probe_up_goes_on(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.7."""
    starts, probes = flows["startup"], flows["probe-up"]
    up = probes.first(UP)
    states = dict.fromkeys(it.state for it in starts.phases)
    trips = [round_trip(it, 1.0) for it in (starts, probes)]
    return [
        rate("applications", starts.goodput(1.0, 5.0), 0.5 * SLOW),
        rate("and", probes.goodput(up.start + 2 * trips[1], up.end), 0.5 * SLOW, 0.05),
        Sign(f"the first in {' and '.join(states)}", f"{STARTUP} and {PROBE_RTT}", set(states) == {STARTUP, PROBE_RTT}),
        at_least("the other in ProbeUP for", len(probes.rounds(up.start, up.end)), 4 * PLATEAU, " rounds"),
        then(probes.next(up), PROBE_RTT),
        lossless(starts),
    ]


def probe_down_ends_by_inflight(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.8."""
    seen = only(flows)
    down = seen.first(DOWN)
    product, headroom = seen.product(down.start), (1 - HEADROOM) * seen.window(seen.last(down))
    return [
        rate("pacing in ProbeDOWN", seen.rate(down.start), 0.9 * MARGIN * RATE),
        at_most("inflight_longterm with headroom", headroom, product),
        at_least("in flight at its start", seen.in_flight(down.start), product),
        inside("at its end", seen.in_flight(down.end), headroom - 1, headroom),
        then(seen.next(down), CRUISE),
    ]


def probe_down_ends_by_time(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.9."""
    seen = only(flows)
    down = seen.first(DOWN)
    return [
        rate("link in ProbeDOWN", seen.goodput(down.start + 0.1, down.end), 18 * MBPS),
        at_least("in flight", seen.least_in_flight(down.start, down.end), seen.product(down.start)),
        inside("ended after", down.length, 2.0, 3.2, " s"),
        then(seen.next(down), REFILL),
    ]


def probe_rtt_comes_and_goes(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.10."""
    seen = only(flows)
    probes = [it for it in seen.phases if it.state == PROBE_RTT]
    # The first round trip is the shortest; later ones are no shorter.
    since = [seen.acks[0], *(it.end for it in probes)]
    waits = [it.start - ended for it, ended in zip(probes, since, strict=False)]
    half = 0.5 * seen.product(seen.first(PROBE_RTT).start)
    most = max(seen.window(seen.last(it)) for it in probes)
    flight = max(seen.in_flight(seen.last(it)) for it in probes)
    rounds = min(len(seen.rounds(it.start, it.end)) for it in probes)
    resumed = min(seen.goodput(it.end + 0.1, it.end + 1.1) for it in probes)
    after = dict.fromkeys(seen.next(it).state for it in probes)
    return [
        Sign(f"{len(probes)} times", "3 times", len(probes) == 3),
        inside("after at least", min(waits), PROBE_RTT_INTERVAL, 5.1, " s"),
        inside("at most", max(waits), PROBE_RTT_INTERVAL, 5.1, " s"),
        near("cwnd", most, half, CLOSE),
        at_most("in flight", flight, half),
        inside("lasted at least", min(it.length for it in probes), PROBE_RTT_DURATION, 0.31, " s"),
        inside("at most", max(it.length for it in probes), PROBE_RTT_DURATION, 0.31, " s"),
        at_least("rounds", rounds, 1),
        Sign(f"then {' and '.join(after)}", f"then {CRUISE}", set(after) == {CRUISE}),
        rate("link", resumed, RATE),
    ]


def idle_time_saves_a_probe_rtt(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.11."""
    seen = only(flows)
    start, end = max(pairwise(seen.sent), key=lambda it: it[1] - it[0])
    before = seen.at(start)
    probes = sum(it.state == PROBE_RTT and it.start < end + 1 for it in seen.phases)
    return [
        Sign(f"in {before.state}", f"in {said(PROBE_BW)}", before.state in PROBE_BW),
        at_least("idle for", end - start, PROBE_RTT_INTERVAL, " s"),
        Sign(f"{seen.in_flight(end)} in flight", "0 in flight", seen.in_flight(end) == 0),
        rate("pacing after it", seen.rate(end), MARGIN * seen.bandwidth(start), 0.001),
        Sign(f"{probes} times in ProbeRTT until 1 s later", "0 times", probes == 0),
    ]


def probe_rtt_in_startup(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.20."""
    seen = only(flows)
    probe = seen.first(PROBE_RTT)
    before, after = seen.phases[probe.at - 1], seen.next(probe)
    return [
        Sign(f"after {before.state}", f"after {STARTUP}", before.state == STARTUP),
        inside("lasted", probe.length, PROBE_RTT_DURATION, 0.41, " s"),
        then(after, STARTUP),
        rate("max_bw in Drain", seen.bandwidth(seen.first(DRAIN, after.start).start), SLOW),
    ]


def loss_ends_probe_up(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.21."""
    seen = only(flows)
    up = seen.first(UP, seen.first(DOWN).start)
    down = seen.next(up)
    before, after = seen.window(up.start), seen.window(down.start)
    product = seen.product(up.start)
    found = seen.first_loss(up.start)
    return [
        at_most("inflight_longterm before", before, 2 * product),
        at_most("rounds in ProbeUP", len(seen.rounds(up.start, up.end)), PLATEAU - 1),
        at_most("ends", abs(up.end - found) * 1e3, 1, " ms from the first loss found"),
        inside("inflight_longterm after", after, BETA * product, before - 1),
        then(down, DOWN),
    ]


def limits_in_refill(flows: Mapping[str, Seen]) -> list[Sign]:
    """A.22."""
    seen = only(flows)
    refill = seen.first(REFILL)
    up = seen.next(refill)
    before = seen.bandwidth(refill.start)
    # Of the packets that a round trip acknowledges, those of the end of ProbeREFILL come slowly.
    slow = seen.delivery_rates(refill.start, up.start + 4 * round_trip(seen, up.start))
    least = min(seen.bandwidth(seen.times[at]) for at in seen.samples(refill.start, up.end))
    after = seen.next(up)
    return [
        at_most("slowest sample", min(slow) / MBPS, 0.5 * SLOW / MBPS, " Mb/s"),
        then(up, UP),
        at_least("max_bw", least / before, 1, " of before"),
        then(after, DOWN),
        rate("max_bw then", seen.bandwidth(after.start), SLOW),
    ]
