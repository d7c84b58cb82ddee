# Written by `make generate` from the declarations in crates/core; do not change it here.
"""Transports: congestion control and loss recovery.

One function per word of a plan, made from its declaration; its help lists the parameters (see `dupack.parts`).
"""

from typing import Literal

from dupack.controller import Controller
from dupack.parts import Transport

__all__ = [
    "bbr1",
    "bbr3",
    "cubic",
    "dctcp",
    "go_back_n",
    "linux_bbr",
    "linux_cubic",
    "linux_reno",
    "nack",
    "newreno",
    "packet_pair",
    "pair",
    "prague",
    "quic_bbr3",
    "quic_cubic",
    "quic_newreno",
    "reno",
    "sack",
    "smart",
    "static_window",
    "tahoe",
    "udp",
    "vegas",
]

def go_back_n(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    window: str | None = None,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Retransmits the whole outstanding window on a timeout.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        window: Flow-control window: the most that may be outstanding. Beyond `max_window` it has no effect. [in
            B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: max_window]
        control: Controller, instead of static-window. [if not given: static-window]
        repair: Repair, instead of go-back-n. [if not given: go-back-n]

    Source: Srinivasan Keshav, Samuel P. Morgan. "SMART Retransmission: Performance with Overload and Random
        Losses". Proceedings of IEEE INFOCOM '97. 1997, §2
    """

def nack(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    recovered: Literal["ssthresh", "stay", "open", "outstanding"] = "ssthresh",
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Retransmits each segment that the receiver reports as lost, as soon as the window allows; switches without
    room trim packets to their headers.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        recovered: Congestion window at the end of a recovery. [default ssthresh]
        control: Controller, instead of reno. [if not given: reno]
        repair: Repair, instead of nack. [if not given: nack]

    Source: Mark Handley, Costin Raiciu, Alexandru Agache, Andrei Voinescu, Andrew W. Moore, Gianni Antichi,
        Marcin Wójcik. "Re-architecting Datacenter Networks and Stacks for Low Latency and High Performance". ACM
        SIGCOMM '17, pp. 29-42, doi:10.1145/3098822.3098825. 2017, §3.2
    """

def newreno(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    recovered: Literal["ssthresh", "stay", "open", "outstanding"] = "ssthresh",
    burst: int | None = None,
    deflate: Literal["sum", "window", "none"] = "sum",
    partial_timer: Literal["first", "every"] = "first",
    frto: bool = False,
    early_retransmit: bool = False,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Retransmits the missing segment on three duplicate acks, and on every partial ack.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        recovered: Congestion window at the end of a recovery. [default ssthresh]
        burst: Maximum number of new segments per ack in a recovery. [if not given: unlimited]
        deflate: Quantity that partial acks deflate when they have acknowledged more than the duplicates had
            added. [default sum]
        partial_timer: Partial acks of a recovery that restart the retransmission timer. [default first]
        frto: F-RTO: after a timeout the second ack tells whether it was spurious (RFC 5682); then the window is
            what it was. [default false]
        early_retransmit: Early retransmit: with fewer than four segments outstanding and no more to send, all
            duplicate acks that can come are enough (RFC 5827). [default false]
        control: Controller, instead of reno. [if not given: reno]
        repair: Repair, instead of newreno. [if not given: newreno]

    Source: Tom Henderson, Sally Floyd, Andrei Gurtov, Yoshifumi Nishida. "The NewReno Modification to TCP's Fast
        Recovery Algorithm". RFC 6582. 2012, §3.2
    """

def reno(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    recovered: Literal["ssthresh", "stay", "open", "outstanding"] = "ssthresh",
    frto: bool = False,
    early_retransmit: bool = False,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Retransmits the missing segment on three duplicate acks; the first ack of new data ends the recovery.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        recovered: Congestion window at the end of a recovery. [default ssthresh]
        frto: F-RTO: after a timeout the second ack tells whether it was spurious (RFC 5682); then the window is
            what it was. [default false]
        early_retransmit: Early retransmit: with fewer than four segments outstanding and no more to send, all
            duplicate acks that can come are enough (RFC 5827). [default false]
        control: Controller, instead of reno. [if not given: reno]
        repair: Repair, instead of reno. [if not given: reno]

    Source: Mark Allman, Vern Paxson, Ethan Blanton. "TCP Congestion Control". RFC 5681. 2009, §3.2
    """

def sack(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    recovered: Literal["ssthresh", "stay", "open", "outstanding"] = "ssthresh",
    pipe: Literal["fall-floyd", "rfc6675", "sack1", "sack1-partial"] = "fall-floyd",
    reduction: Literal["classic", "prr"] = "classic",
    frto: bool = False,
    eifel: bool = False,
    dsack_undo: bool = False,
    early_retransmit: bool = False,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Learns from selective acks what is missing, and fills the holes while `pipe` allows.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        recovered: Congestion window at the end of a recovery. [default ssthresh]
        pipe: Rule by which the segments in flight, `pipe`, are counted. [default fall-floyd]
        reduction: Window of a recovery: reduced at once, or in the course of it. [default classic]
        frto: F-RTO: after a timeout the second ack tells whether it was spurious (RFC 5682); then the window is
            what it was. [default false]
        eifel: Eifel: losses and timeouts are spurious if the ack echoes the first transmission of what was sent
            again (RFC 3522); then the window is what it was. [default false]
        dsack_undo: Losses and timeouts are spurious if the receiver reports all that was sent again as arrived
            twice (RFC 3708); then the window is what it was. Needs `dsack`. [default false]
        early_retransmit: Early retransmit: with fewer than four segments outstanding and no more to send, the
            oldest is lost if all others are reported (RFC 5827). [default false]
        control: Controller, instead of reno. [if not given: reno]
        repair: Repair, instead of sack. [if not given: sack]

    Source: Reuven Cohen, Yaniv Hamo. "Balanced packet discard for improving TCP performance in ATM networks".
        Computer Communications, Elsevier; an earlier version at IEEE INFOCOM 2000,
        doi:10.1109/INFCOM.2000.832554. 2001, §6.1
    """

def smart(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    window: str | None = None,
    lost_retransmission: Literal["id", "timer"] = "id",
    tracking: Literal["each", "last"] = "each",
    slack: float = 0.25,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Retransmits at once, and only once, all segments between the cumulative ack and the segment that caused the
    ack, which it names.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        window: Flow-control window: the most that may be outstanding. Beyond `max_window` it has no effect. [in
            B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: max_window]
        lost_retransmission: Method that finds the loss of a fast retransmission. [default id]
        tracking: Retransmissions that are watched when several are outstanding. [default each]
        slack: Excess of the timer of `lost_retransmission = "timer"` over the smoothed RTT, as a share of it; the
            timer is at least `tick`. [default 0.25]
        control: Controller, instead of static-window. [if not given: static-window]
        repair: Repair, instead of smart. [if not given: smart]

    Source: Srinivasan Keshav, Samuel P. Morgan. "SMART Retransmission: Performance with Overload and Random
        Losses". Proceedings of IEEE INFOCOM '97. 1997, §3
    """

def tahoe(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    timeout_keeps_duplicates: bool = False,
    go_back: bool = True,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Goes back to the missing segment on three duplicate acks, and retransmits everything from there.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        timeout_keeps_duplicates: Duplicate acks before a timeout count after it as well (ns-2). [default false]
        go_back: A fast retransmit goes back: what follows the missing segment is sent again as well. If false,
            only a timeout goes back (4.3BSD-Tahoe). [default true]
        control: Controller, instead of tahoe. [if not given: tahoe]
        repair: Repair, instead of tahoe. [if not given: tahoe]

    Source: Kevin Fall, Sally Floyd. "Simulation-based Comparisons of Tahoe, Reno, and SACK TCP". ACM Computer
        Communication Review 26 (3), pp. 5-21. 1996, §2
    """

def bbr1(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    pipe: Literal["fall-floyd", "rfc6675", "sack1", "sack1-partial"] = "fall-floyd",
    reduction: Literal["classic", "prr"] = "classic",
    frto: bool = False,
    eifel: bool = False,
    dsack_undo: bool = False,
    early_retransmit: bool = False,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Sends at the largest delivery rate of the last ten rounds, with two bandwidth-delay products in flight at
    most.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        pipe: Rule by which the segments in flight, `pipe`, are counted. [default fall-floyd]
        reduction: Window of a recovery: reduced at once, or in the course of it. [default classic]
        frto: F-RTO: after a timeout the second ack tells whether it was spurious (RFC 5682); then the window is
            what it was. [default false]
        eifel: Eifel: losses and timeouts are spurious if the ack echoes the first transmission of what was sent
            again (RFC 3522); then the window is what it was. [default false]
        dsack_undo: Losses and timeouts are spurious if the receiver reports all that was sent again as arrived
            twice (RFC 3708); then the window is what it was. Needs `dsack`. [default false]
        early_retransmit: Early retransmit: with fewer than four segments outstanding and no more to send, the
            oldest is lost if all others are reported (RFC 5827). [default false]
        control: Controller, instead of bbr1. [if not given: bbr1]
        repair: Repair, instead of sack. [if not given: sack]

    Source: Van Jacobson, Neal Cardwell, Yuchung Cheng, Soheil Hassas Yeganeh. "net/ipv4/tcp_bbr.c, BBR
        (Bottleneck Bandwidth and RTT) congestion control". Linux kernel, as of 6.1. 2016
    """

def bbr3(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    loss_thresh: float = 0.02,
    headroom: float = 0.15,
    pipe: Literal["fall-floyd", "rfc6675", "sack1", "sack1-partial"] = "fall-floyd",
    reduction: Literal["classic", "prr"] = "classic",
    frto: bool = False,
    eifel: bool = False,
    dsack_undo: bool = False,
    early_retransmit: bool = False,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Sends at the largest delivery rate of two cycles of probing, and bounds what is in flight by what losses have
    shown.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        loss_thresh: LossThresh: largest share of lost segments in a round trip that a probe for bandwidth
            tolerates. [default 0.02]
        headroom: Headroom: share of `inflight_longterm` that is left to others between the probes. [default 0.15]
        pipe: Rule by which the segments in flight, `pipe`, are counted. [default fall-floyd]
        reduction: Window of a recovery: reduced at once, or in the course of it. [default classic]
        frto: F-RTO: after a timeout the second ack tells whether it was spurious (RFC 5682); then the window is
            what it was. [default false]
        eifel: Eifel: losses and timeouts are spurious if the ack echoes the first transmission of what was sent
            again (RFC 3522); then the window is what it was. [default false]
        dsack_undo: Losses and timeouts are spurious if the receiver reports all that was sent again as arrived
            twice (RFC 3708); then the window is what it was. Needs `dsack`. [default false]
        early_retransmit: Early retransmit: with fewer than four segments outstanding and no more to send, the
            oldest is lost if all others are reported (RFC 5827). [default false]
        control: Controller, instead of bbr3. [if not given: bbr3]
        repair: Repair, instead of sack. [if not given: sack]

    Source: Neal Cardwell, Ian Swett, Joseph Beshay. "BBR Congestion Control". draft-ietf-ccwg-bbr-06, July 2026;
        with the changes of its repository to 2026-08-03, which are of wording. 2026, §5
    """

def cubic(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    c: str = "0.4",
    beta: float = 0.7,
    beta_of: Literal["flight", "window"] = "flight",
    fast_convergence: bool = True,
    reno_friendly: bool = True,
    pipe: Literal["fall-floyd", "rfc6675", "sack1", "sack1-partial"] = "fall-floyd",
    reduction: Literal["classic", "prr"] = "classic",
    frto: bool = False,
    eifel: bool = False,
    dsack_undo: bool = False,
    early_retransmit: bool = False,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Grows the window between losses as a cubic function of time around the window at the last loss, and at least
    as Reno would.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        c: C: growth of the window far from its last maximum, in segments per second cubed. [default 0.4]
        beta: Factor by which the window is multiplied on loss. [default 0.7]
        beta_of: Quantity that `beta` multiplies on loss: FlightSize or cwnd. [default flight]
        fast_convergence: Fast convergence: a flow whose window has not come back to its last maximum aims lower,
            which leaves room to others. [default true]
        reno_friendly: The window is never below Reno's; without this (Linux: tcp_friendliness 0, ns-3 before
            3.41) it is the cubic function alone. [default true]
        pipe: Rule by which the segments in flight, `pipe`, are counted. [default fall-floyd]
        reduction: Window of a recovery: reduced at once, or in the course of it. [default classic]
        frto: F-RTO: after a timeout the second ack tells whether it was spurious (RFC 5682); then the window is
            what it was. [default false]
        eifel: Eifel: losses and timeouts are spurious if the ack echoes the first transmission of what was sent
            again (RFC 3522); then the window is what it was. [default false]
        dsack_undo: Losses and timeouts are spurious if the receiver reports all that was sent again as arrived
            twice (RFC 3708); then the window is what it was. Needs `dsack`. [default false]
        early_retransmit: Early retransmit: with fewer than four segments outstanding and no more to send, the
            oldest is lost if all others are reported (RFC 5827). [default false]
        control: Controller, instead of cubic. [if not given: cubic]
        repair: Repair, instead of sack. [if not given: sack]

    Source: Lisong Xu, Sangtae Ha, Injong Rhee, Vidhi Goel, Lars Eggert. "CUBIC for Fast and Long-Distance
        Networks". RFC 9438. 2023, §4
    """

def dctcp(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    g: float = 0.0625,
    pipe: Literal["fall-floyd", "rfc6675", "sack1", "sack1-partial"] = "fall-floyd",
    reduction: Literal["classic", "prr"] = "classic",
    frto: bool = False,
    eifel: bool = False,
    dsack_undo: bool = False,
    early_retransmit: bool = False,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Reduces the window for an echo in proportion to the share of segments that were marked; a loss halves it.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        g: Weight of the latest window of data in the average share of marked segments. [default 0.0625]
        pipe: Rule by which the segments in flight, `pipe`, are counted. [default fall-floyd]
        reduction: Window of a recovery: reduced at once, or in the course of it. [default classic]
        frto: F-RTO: after a timeout the second ack tells whether it was spurious (RFC 5682); then the window is
            what it was. [default false]
        eifel: Eifel: losses and timeouts are spurious if the ack echoes the first transmission of what was sent
            again (RFC 3522); then the window is what it was. [default false]
        dsack_undo: Losses and timeouts are spurious if the receiver reports all that was sent again as arrived
            twice (RFC 3708); then the window is what it was. Needs `dsack`. [default false]
        early_retransmit: Early retransmit: with fewer than four segments outstanding and no more to send, the
            oldest is lost if all others are reported (RFC 5827). [default false]
        control: Controller, instead of dctcp. [if not given: dctcp]
        repair: Repair, instead of sack. [if not given: sack]

    Source: Stephen Bensley, Dave Thaler, Praveen Balasubramanian, Lars Eggert, Glenn Judd. "Data Center TCP
        (DCTCP): TCP Congestion Control for Data Centers". RFC 8257. 2017, §3.3
    """

def packet_pair(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    set_point: str | int = "2 packets",
    gain: float = 0.25,
    filtered: Literal["spacing", "rate"] = "spacing",
    law: Literal["continuous", "acks"] = "continuous",
    lost_retransmission: Literal["id", "timer"] = "id",
    tracking: Literal["each", "last"] = "each",
    slack: float = 0.25,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Measures the rate at which the bottleneck serves the flow with pairs of segments, and sends at that rate, with
    a few segments waiting there.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        set_point: Number of packets that should wait at the bottleneck. [in packets; default 2 packets]
        gain: Weight of a new measurement in the filtered service rate. [default 0.25]
        filtered: Quantity that is averaged to estimate the service rate. [default spacing]
        law: Events at which the control law sets the sending rate. [default continuous]
        lost_retransmission: Method that finds the loss of a fast retransmission. [default id]
        tracking: Retransmissions that are watched when several are outstanding. [default each]
        slack: Excess of the timer of `lost_retransmission = "timer"` over the smoothed RTT, as a share of it; the
            timer is at least `tick`. [default 0.25]
        control: Controller, instead of packet-pair. [if not given: packet-pair]
        repair: Repair, instead of smart. [if not given: smart]

    Source: Srinivasan Keshav. "A Control-Theoretic Approach to Flow Control". Proceedings of ACM SIGCOMM '91,
        Computer Communication Review 21 (4), pp. 3-15. 1991
    """

def prague(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    g: float = 0.0625,
    rtt_virt_min: str = "25 ms",
    rtt_transition: int = 500,
    reduction: Literal["classic", "prr"] = "prr",
    echo_reduction: Literal["classic", "prr"] = "classic",
    tlp: bool = True,
    max_ack_delay: str | None = None,
    late_ticks: int = 0,
    frto: bool = False,
    eifel: bool = False,
    dsack_undo: bool = False,
    min_rtt_window: str = "300 s",
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """DCTCP with ECT(1), for the Internet: growth for each segment that was not marked, and rates that do not depend
    on short round trips.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        g: Weight of the latest round in the average share of marked segments. [default 0.0625]
        rtt_virt_min: RTT_VIRT_MIN: least virtual round trip; 0 for none. [in ps, ns, us, µs, ms, s, min, h;
            default 25 ms]
        rtt_transition: Rounds after slow start from which on the virtual round trip is used. [default 500]
        reduction: Window of a recovery: reduced at once, or in the course of it. [default prr]
        echo_reduction: How an echo of congestion reduces the window: at once, or over a window of data, during
            which it does not grow (Linux). [default classic]
        tlp: Probes: without them it is RACK alone. [default true]
        max_ack_delay: TLP.max_ack_delay: how much longer a probe waits if the receiver may be withholding the
            ack. [in ps, ns, us, µs, ms, s, min, h; if not given: ack_delay with delayed_ack, else 0 s]
        late_ticks: Ticks that are added to the timer for reordering and probes, after its time is rounded up to
            whole ticks; with 0 it is exact. [default 0]
        frto: F-RTO: after a timeout new data is sent, and acks of what was not sent again show that it was
            spurious (RFC 5682); then the window is what it was. [default false]
        eifel: Eifel: losses and timeouts are spurious if the ack echoes the first transmission of what was sent
            again (RFC 3522); then the window is what it was. [default false]
        dsack_undo: Losses and timeouts are spurious if the receiver reports all that was sent again as arrived
            twice (RFC 3708); then the window is what it was. [default false]
        min_rtt_window: Time over which the shortest round trip is taken; the estimate is of the last one to two
            of these. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        control: Controller, instead of prague. [if not given: prague]
        repair: Repair, instead of rack-tlp. [if not given: rack-tlp]

    Source: Koen De Schepper, Olivier Tilmans, Bob Briscoe, Vidhi Goel. "Prague Congestion Control".
        draft-briscoe-iccrg-prague-congestion-control-04. 2024, §2.4
    """

def static_window(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    window: str | None = None,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Keeps the window constant.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        window: Flow-control window: the most that may be outstanding. Beyond `max_window` it has no effect. [in
            B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: max_window]
        control: Controller, instead of static-window. [if not given: static-window]
        repair: Repair, instead of go-back-n. [if not given: go-back-n]

    Source: Srinivasan Keshav, Samuel P. Morgan. "SMART Retransmission: Performance with Overload and Random
        Losses". Proceedings of IEEE INFOCOM '97. 1997, §3
    """

def vegas(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    alpha: str = "2",
    beta: str = "4",
    gamma: str = "1",
    pipe: Literal["fall-floyd", "rfc6675", "sack1", "sack1-partial"] = "fall-floyd",
    reduction: Literal["classic", "prr"] = "classic",
    frto: bool = False,
    eifel: bool = False,
    dsack_undo: bool = False,
    early_retransmit: bool = False,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Keeps a few segments waiting in queues, by the increase of the round trip over the shortest one.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        alpha: Segments that wait in queues, below which the window grows. [default 2]
        beta: Segments that wait in queues, above which the window shrinks. [default 4]
        gamma: Segments that wait in queues, above which slow start ends. [default 1]
        pipe: Rule by which the segments in flight, `pipe`, are counted. [default fall-floyd]
        reduction: Window of a recovery: reduced at once, or in the course of it. [default classic]
        frto: F-RTO: after a timeout the second ack tells whether it was spurious (RFC 5682); then the window is
            what it was. [default false]
        eifel: Eifel: losses and timeouts are spurious if the ack echoes the first transmission of what was sent
            again (RFC 3522); then the window is what it was. [default false]
        dsack_undo: Losses and timeouts are spurious if the receiver reports all that was sent again as arrived
            twice (RFC 3708); then the window is what it was. Needs `dsack`. [default false]
        early_retransmit: Early retransmit: with fewer than four segments outstanding and no more to send, the
            oldest is lost if all others are reported (RFC 5827). [default false]
        control: Controller, instead of vegas. [if not given: vegas]
        repair: Repair, instead of sack. [if not given: sack]

    Source: Lawrence S. Brakmo, Larry L. Peterson. "TCP Vegas: End to End Congestion Avoidance on a Global
        Internet". IEEE Journal on Selected Areas in Communications 13 (8), pp. 1465-1480. 1995, §3.2
    """

def udp(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    window: str | None = None,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Sends each datagram once, as it comes; nothing is acknowledged.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        window: Flow-control window: the most that may be outstanding. Beyond `max_window` it has no effect. [in
            B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: max_window]
        control: Controller, instead of static-window. [if not given: static-window]
        repair: Repair, instead of none. [if not given: none]

    Source: Jon Postel. "User Datagram Protocol". RFC 768. 1980
    """

def linux_reno(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    recovered: Literal["ssthresh", "stay", "open", "outstanding"] = "ssthresh",
    reduction: Literal["classic", "prr"] = "prr",
    echo_reduction: Literal["classic", "prr"] = "prr",
    tlp: bool = True,
    max_ack_delay: str = "200 ms",
    late_ticks: int = 2,
    frto: bool = True,
    eifel: bool = True,
    dsack_undo: bool = True,
    min_rtt_window: str = "300 s",
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Sends as Linux does with Reno: RACK-TLP, proportional rate reduction, an initial window of 10 segments, acks
    as its receiver sends them; the defaults are those of the preset linux.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        recovered: Congestion window at the end of a recovery. [default ssthresh]
        reduction: Window of a recovery: reduced at once, or in the course of it. [default prr]
        echo_reduction: How an echo of congestion reduces the window: at once, or over a window of data, during
            which it does not grow (Linux). [default prr]
        tlp: Probes: without them it is RACK alone. [default true]
        max_ack_delay: TLP.max_ack_delay: how much longer a probe waits if the receiver may be withholding the
            ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        late_ticks: Ticks that are added to the timer for reordering and probes, after its time is rounded up to
            whole ticks; with 0 it is exact. [default 2]
        frto: F-RTO: after a timeout new data is sent, and acks of what was not sent again show that it was
            spurious (RFC 5682); then the window is what it was. [default true]
        eifel: Eifel: losses and timeouts are spurious if the ack echoes the first transmission of what was sent
            again (RFC 3522); then the window is what it was. [default true]
        dsack_undo: Losses and timeouts are spurious if the receiver reports all that was sent again as arrived
            twice (RFC 3708); then the window is what it was. [default true]
        min_rtt_window: Time over which the shortest round trip is taken; the estimate is of the last one to two
            of these. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        control: Controller, instead of reno. [if not given: reno]
        repair: Repair, instead of rack-tlp. [if not given: rack-tlp]

    Source: the Linux kernel developers. "Linux 6, its TCP (net/ipv4/tcp*.c, include/net/tcp.h)".
        https://www.kernel.org; the constants of tcp.h were read, the rest is cited from memory. 2022
    """

def linux_cubic(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    c: str = "0.400390625",
    beta: float = 0.7001953125,
    fast_convergence: bool = True,
    reno_friendly: bool = True,
    reduction: Literal["classic", "prr"] = "prr",
    echo_reduction: Literal["classic", "prr"] = "prr",
    tlp: bool = True,
    max_ack_delay: str = "200 ms",
    late_ticks: int = 2,
    frto: bool = True,
    eifel: bool = True,
    dsack_undo: bool = True,
    min_rtt_window: str = "300 s",
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Sends as Linux does by default: its CUBIC with HyStart, RACK-TLP, proportional rate reduction, an initial
    window of 10 segments, acks as its receiver sends them; the defaults are those of the preset linux.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        c: bic_scale: growth of the window far from its last maximum, in segments per second cubed (410/1024).
            [default 0.400390625]
        beta: beta: factor by which the window is multiplied on loss (717/1024). [default 0.7001953125]
        fast_convergence: fast_convergence: a flow whose window has not come back to its last maximum aims lower,
            which leaves room to others. [default true]
        reno_friendly: tcp_friendliness: the window is never below Reno's. [default true]
        reduction: Window of a recovery: reduced at once, or in the course of it. [default prr]
        echo_reduction: How an echo of congestion reduces the window: at once, or over a window of data, during
            which it does not grow (Linux). [default prr]
        tlp: Probes: without them it is RACK alone. [default true]
        max_ack_delay: TLP.max_ack_delay: how much longer a probe waits if the receiver may be withholding the
            ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        late_ticks: Ticks that are added to the timer for reordering and probes, after its time is rounded up to
            whole ticks; with 0 it is exact. [default 2]
        frto: F-RTO: after a timeout new data is sent, and acks of what was not sent again show that it was
            spurious (RFC 5682); then the window is what it was. [default true]
        eifel: Eifel: losses and timeouts are spurious if the ack echoes the first transmission of what was sent
            again (RFC 3522); then the window is what it was. [default true]
        dsack_undo: Losses and timeouts are spurious if the receiver reports all that was sent again as arrived
            twice (RFC 3708); then the window is what it was. [default true]
        min_rtt_window: Time over which the shortest round trip is taken; the estimate is of the last one to two
            of these. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        control: Controller, instead of tcp-cubic. [if not given: tcp-cubic]
        repair: Repair, instead of rack-tlp. [if not given: rack-tlp]

    Source: the Linux kernel developers. "Linux 6, its TCP (net/ipv4/tcp*.c, include/net/tcp.h)".
        https://www.kernel.org; the constants of tcp.h were read, the rest is cited from memory. 2022
    """

def linux_bbr(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    reduction: Literal["classic", "prr"] = "classic",
    echo_reduction: Literal["classic", "prr"] = "classic",
    tlp: bool = True,
    max_ack_delay: str = "200 ms",
    late_ticks: int = 2,
    frto: bool = True,
    eifel: bool = True,
    dsack_undo: bool = True,
    min_rtt_window: str = "300 s",
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Sends as Linux does with BBR: BBRv1, RACK-TLP, an initial window of 10 segments, acks as its receiver sends
    them; the defaults are those of the preset linux.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        reduction: Window of a recovery: reduced at once, or in the course of it. [default classic]
        echo_reduction: How an echo of congestion reduces the window: at once, or over a window of data, during
            which it does not grow (Linux). [default classic]
        tlp: Probes: without them it is RACK alone. [default true]
        max_ack_delay: TLP.max_ack_delay: how much longer a probe waits if the receiver may be withholding the
            ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        late_ticks: Ticks that are added to the timer for reordering and probes, after its time is rounded up to
            whole ticks; with 0 it is exact. [default 2]
        frto: F-RTO: after a timeout new data is sent, and acks of what was not sent again show that it was
            spurious (RFC 5682); then the window is what it was. [default true]
        eifel: Eifel: losses and timeouts are spurious if the ack echoes the first transmission of what was sent
            again (RFC 3522); then the window is what it was. [default true]
        dsack_undo: Losses and timeouts are spurious if the receiver reports all that was sent again as arrived
            twice (RFC 3708); then the window is what it was. [default true]
        min_rtt_window: Time over which the shortest round trip is taken; the estimate is of the last one to two
            of these. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        control: Controller, instead of bbr1. [if not given: bbr1]
        repair: Repair, instead of rack-tlp. [if not given: rack-tlp]

    Source: the Linux kernel developers. "Linux 6, its TCP (net/ipv4/tcp*.c, include/net/tcp.h)".
        https://www.kernel.org; the constants of tcp.h were read, the rest is cited from memory. 2022
    """

def quic_newreno(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    recovered: Literal["ssthresh", "stay", "open", "outstanding"] = "ssthresh",
    packet_threshold: int = 3,
    time_threshold: str = "1.125",
    granularity: str = "1 ms",
    initial_rtt: str = "333 ms",
    max_ack_delay: str | None = None,
    persistent_congestion: int = 3,
    late_ack_undo: bool = False,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Sends as QUIC does by RFC 9002: Reno, losses found by packet numbers and times, probe timeouts, pacing, an
    initial window of 10 packets, delayed acks; the defaults are those of the preset quic.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        recovered: Congestion window at the end of a recovery. [default ssthresh]
        packet_threshold: kPacketThreshold: a packet is lost if one sent this many packets later has arrived.
            [default 3]
        time_threshold: kTimeThreshold: a packet is lost if a later one has arrived, and this many round trips
            have passed since it was sent. [default 1.125]
        granularity: kGranularity: least time for which its timer is set. [in ps, ns, us, µs, ms, s, min, h;
            default 1 ms]
        initial_rtt: kInitialRtt: the round trip before one has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 333 ms]
        max_ack_delay: max_ack_delay: how much longer a probe waits because the receiver may be withholding the
            ack. [in ps, ns, us, µs, ms, s, min, h; if not given: ack_delay with delayed_ack, else 0 s]
        persistent_congestion: kPersistentCongestionThreshold: the window closes if all packets for this many
            probe timeouts are lost. [default 3]
        late_ack_undo: Losses are spurious if all packets that were taken for lost are acknowledged after all;
            then the window is what it was. [default false]
        control: Controller, instead of reno. [if not given: reno]
        repair: Repair, instead of quic. [if not given: quic]

    Source: Jana Iyengar, Ian Swett. "QUIC Loss Detection and Congestion Control". RFC 9002. 2021
    """

def quic_cubic(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    c: str = "0.4",
    beta: float = 0.7,
    beta_of: Literal["flight", "window"] = "flight",
    fast_convergence: bool = True,
    reno_friendly: bool = True,
    packet_threshold: int = 3,
    time_threshold: str = "1.125",
    granularity: str = "1 ms",
    initial_rtt: str = "333 ms",
    max_ack_delay: str | None = None,
    persistent_congestion: int = 3,
    late_ack_undo: bool = False,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Sends as quic-newreno does, with CUBIC.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        c: C: growth of the window far from its last maximum, in segments per second cubed. [default 0.4]
        beta: Factor by which the window is multiplied on loss. [default 0.7]
        beta_of: Quantity that `beta` multiplies on loss: FlightSize or cwnd. [default flight]
        fast_convergence: Fast convergence: a flow whose window has not come back to its last maximum aims lower,
            which leaves room to others. [default true]
        reno_friendly: The window is never below Reno's; without this (Linux: tcp_friendliness 0, ns-3 before
            3.41) it is the cubic function alone. [default true]
        packet_threshold: kPacketThreshold: a packet is lost if one sent this many packets later has arrived.
            [default 3]
        time_threshold: kTimeThreshold: a packet is lost if a later one has arrived, and this many round trips
            have passed since it was sent. [default 1.125]
        granularity: kGranularity: least time for which its timer is set. [in ps, ns, us, µs, ms, s, min, h;
            default 1 ms]
        initial_rtt: kInitialRtt: the round trip before one has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 333 ms]
        max_ack_delay: max_ack_delay: how much longer a probe waits because the receiver may be withholding the
            ack. [in ps, ns, us, µs, ms, s, min, h; if not given: ack_delay with delayed_ack, else 0 s]
        persistent_congestion: kPersistentCongestionThreshold: the window closes if all packets for this many
            probe timeouts are lost. [default 3]
        late_ack_undo: Losses are spurious if all packets that were taken for lost are acknowledged after all;
            then the window is what it was. [default false]
        control: Controller, instead of cubic. [if not given: cubic]
        repair: Repair, instead of quic. [if not given: quic]

    Source: Jana Iyengar, Ian Swett. "QUIC Loss Detection and Congestion Control". RFC 9002. 2021
    """

def quic_bbr3(
    *,
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    loss_thresh: float = 0.02,
    headroom: float = 0.15,
    packet_threshold: int = 3,
    time_threshold: str = "1.125",
    granularity: str = "1 ms",
    initial_rtt: str = "333 ms",
    max_ack_delay: str | None = None,
    persistent_congestion: int = 3,
    late_ack_undo: bool = False,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller
    | None = None,
    repair: Literal[
        "none",
        "go-back-n",
        "nack",
        "newreno",
        "quic",
        "rack-tlp",
        "reno",
        "sack",
        "smart",
        "tahoe",
    ]
    | None = None,
) -> Transport:
    """Sends as quic-newreno does, with BBRv3, which has a pacing rate of its own.

    Args:
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        loss_thresh: LossThresh: largest share of lost segments in a round trip that a probe for bandwidth
            tolerates. [default 0.02]
        headroom: Headroom: share of `inflight_longterm` that is left to others between the probes. [default 0.15]
        packet_threshold: kPacketThreshold: a packet is lost if one sent this many packets later has arrived.
            [default 3]
        time_threshold: kTimeThreshold: a packet is lost if a later one has arrived, and this many round trips
            have passed since it was sent. [default 1.125]
        granularity: kGranularity: least time for which its timer is set. [in ps, ns, us, µs, ms, s, min, h;
            default 1 ms]
        initial_rtt: kInitialRtt: the round trip before one has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 333 ms]
        max_ack_delay: max_ack_delay: how much longer a probe waits because the receiver may be withholding the
            ack. [in ps, ns, us, µs, ms, s, min, h; if not given: ack_delay with delayed_ack, else 0 s]
        persistent_congestion: kPersistentCongestionThreshold: the window closes if all packets for this many
            probe timeouts are lost. [default 3]
        late_ack_undo: Losses are spurious if all packets that were taken for lost are acknowledged after all;
            then the window is what it was. [default false]
        control: Controller, instead of bbr3. [if not given: bbr3]
        repair: Repair, instead of quic. [if not given: quic]

    Source: Jana Iyengar, Ian Swett. "QUIC Loss Detection and Congestion Control". RFC 9002. 2021
    """

def pair(
    *,
    control: Literal[
        "bbr1",
        "bbr3",
        "cubic",
        "dctcp",
        "packet-pair",
        "prague",
        "reno",
        "static-window",
        "tahoe",
        "tcp-cubic",
        "vegas",
    ]
    | Controller,
    repair: Literal["none", "go-back-n", "nack", "newreno", "quic", "rack-tlp", "reno", "sack", "smart", "tahoe"],
    mss: str = "536 B",
    header: str = "40 B",
    max_window: str = "64 KiB",
    tuned_window: str | None = None,
    max_cwnd: str | None = None,
    initial_window: str = "1 segments",
    initial_ssthresh: str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] = "standard",
    hystart_low_window: int = 16,
    hystart_ack_delta: str = "2 ms",
    min_rtt_thresh: str = "4 ms",
    max_rtt_thresh: str = "16 ms",
    min_rtt_divisor: int = 8,
    n_rtt_sample: int = 8,
    css_growth_divisor: int = 4,
    css_rounds: int = 5,
    growth_limit: int | None = None,
    counted: Literal["acks", "segments", "windows"] = "acks",
    loss_window: str = "1 segments",
    idle: Literal["keep", "restart", "decay", "validate"] = "keep",
    non_validated_period: str = "300 s",
    pace: str | None = None,
    send_quantum: str = "0 s",
    delayed_ack: bool = False,
    ack_every: int = 2,
    ack_delay: str = "200 ms",
    quick_acks: int = 0,
    read_delay: str = "0 s",
    tick: str = "100 ms",
    tick_phase: str = "0 s",
    rtt_ticks: Literal["nearest", "passed"] = "nearest",
    heartbeat: bool = False,
    min_rto: str | None = None,
    initial_rto: str = "1 s",
    max_rto: str = "64 s",
    rto: Literal["jacobson", "twice-srtt", "scaled", "floored"] | None = None,
    samples: Literal["timed", "karn", "each", "latest"] | None = None,
    backoff: bool = True,
    undouble: Literal["sample", "advance"] = "sample",
    out_of_order: Literal["keep", "discard"] = "keep",
    dsack: bool = False,
    bad_checksum: Literal["drop", "dup-ack"] = "drop",
    careful: bool = False,
    less_careful: bool = False,
    recover_at_start: Literal["none", "set", "exempt"] = "none",
    halve: Literal["window", "flight", "exact"] = "window",
    limited_transmit: bool = False,
    limited_again: bool = False,
    ecn: bool = False,
    beta_ecn: float | None = None,
    ecn_echo: Literal["latched", "exact", "counter"] = "latched",
    compat: Literal["ns2", "linux", "quic", "none"] = "none",
    loss_thresh: float | None = None,
    headroom: float | None = None,
    c: str | None = None,
    beta: float | None = None,
    beta_of: Literal["flight", "window"] | None = None,
    fast_convergence: bool | None = None,
    reno_friendly: bool | None = None,
    g: float | None = None,
    set_point: str | int | None = None,
    gain: float | None = None,
    filtered: Literal["spacing", "rate"] | None = None,
    law: Literal["continuous", "acks"] | None = None,
    rtt_virt_min: str | None = None,
    rtt_transition: int | None = None,
    recovered: Literal["ssthresh", "stay", "open", "outstanding"] | None = None,
    window: str | None = None,
    alpha: str | None = None,
    gamma: str | None = None,
    burst: int | None = None,
    deflate: Literal["sum", "window", "none"] | None = None,
    partial_timer: Literal["first", "every"] | None = None,
    frto: bool | None = None,
    early_retransmit: bool | None = None,
    packet_threshold: int | None = None,
    time_threshold: str | None = None,
    granularity: str | None = None,
    initial_rtt: str | None = None,
    max_ack_delay: str | None = None,
    persistent_congestion: int | None = None,
    late_ack_undo: bool | None = None,
    reduction: Literal["classic", "prr"] | None = None,
    echo_reduction: Literal["classic", "prr"] | None = None,
    tlp: bool | None = None,
    late_ticks: int | None = None,
    eifel: bool | None = None,
    dsack_undo: bool | None = None,
    min_rtt_window: str | None = None,
    pipe: Literal["fall-floyd", "rfc6675", "sack1", "sack1-partial"] | None = None,
    lost_retransmission: Literal["id", "timer"] | None = None,
    tracking: Literal["each", "last"] | None = None,
    slack: float | None = None,
    timeout_keeps_duplicates: bool | None = None,
    go_back: bool | None = None,
) -> Transport:
    """Combines any controller with a repair that it works with; parameters of one of them need that one.

    Args:
        control: Congestion-control half of the transport. [required]
        repair: Loss-recovery half of the transport. [required]
        mss: Payload of a full segment. [in B, kB, KiB, MB, MiB, GB, GiB; default 536 B]
        header: Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B". [in B, kB,
            KiB, MB, MiB, GB, GiB; default 40 B]
        max_window: The receiver's window: distance beyond the oldest missing segment up to which data may be sent
            (the error-control window). [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 64 KiB]
        tuned_window: The receiver's window at the start, if the receiver tunes it, as Linux does: after each
            round trip it is twice what was delivered in it, and more while that grows, up to `max_window`.
            Captures show `max_window`. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: always
            max_window]
        max_cwnd: Upper bound of the congestion window alone. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        initial_window: Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most
            2190 B, else 2. [in B, kB, KiB, MB, MiB, GB, GiB, segments; default 1 segments]
        initial_ssthresh: Slow-start threshold at the start. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not
            given: unlimited]
        slow_start: Slow start of Tahoe, Reno, DCTCP and CUBIC. [default standard]
        hystart_low_window: hystart_low_window of HyStart: segments below which slow start is not ended. [default
            16]
        hystart_ack_delta: hystart_ack_delta of HyStart: longest time between two acks of a train. [in ps, ns, us,
            µs, ms, s, min, h; default 2 ms]
        min_rtt_thresh: MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round
            trip by which slow start ends. [in ps, ns, us, µs, ms, s, min, h; default 4 ms]
        max_rtt_thresh: MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by
            which slow start always ends. [in ps, ns, us, µs, ms, s, min, h; default 16 ms]
        min_rtt_divisor: MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round
            trip divided by this. HyStart has it, too. [default 8]
        n_rtt_sample: N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a
            round before they are compared with those of the round before, or with the shortest. [default 8]
        css_growth_divisor: CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window
            grows in conservative slow start. [default 4]
        css_rounds: CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
            [default 5]
        growth_limit: L of HyStart++: most segments by which one ack opens the window. [if not given: 8, or no
            limit with `pace`]
        counted: What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux)
            the same in slow start, and in congestion avoidance one segment for each window of segments. Of Tahoe,
            Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`. [default acks]
        loss_window: Congestion window after a timeout; the minimum window of QUIC. [in B, kB, KiB, MB, MiB, GB,
            GiB, segments; default 1 segments]
        idle: Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and
            CUBIC. [default keep]
        non_validated_period: With `idle = "validate"`: time after which a window that is not validated halves;
            RFC 7661 recommends at most 300 s. [in ps, ns, us, µs, ms, s, min, h; default 300 s]
        pace: Pacing of a controller without a rate of its own, at this many times the congestion window per
            smoothed round trip. [if not given: not paced]
        send_quantum: Time whose worth of packets a paced sender sends at once, two packets at least (one at less
            than 1.2 Mb/s) and 64 KiB at most, as segmentation offload makes Linux do. 0 s: packets leave one by
            one. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        delayed_ack: Delayed acks: one for every `ack_every` segments, or after `ack_delay`. [default false]
        ack_every: Segments for which a delayed ack waits. [default 2]
        ack_delay: Longest delay of a delayed ack. [in ps, ns, us, µs, ms, s, min, h; default 200 ms]
        quick_acks: With delayed acks: segments at the start of a connection that are acknowledged at once, each
            by itself. Linux does so while the window that it offers grows. [default 0]
        read_delay: With delayed acks: time from the arrival of a segment until the application reads it. The ack
            for `ack_every` segments is sent when the last of them is read, and covers all that have arrived. [in
            ps, ns, us, µs, ms, s, min, h; default 0 s]
        tick: Granularity of the retransmission clock. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        tick_phase: Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and
            `heartbeat`. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        rtt_ticks: Rounding of a round trip to whole ticks, at least one. [default nearest]
        heartbeat: The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th
            tick after it is set, up to a tick early (BSD). [default false]
        min_rto: Lower bound of the retransmission timeout. [in ps, ns, us, µs, ms, s, min, h; if not given: two
            ticks]
        initial_rto: Retransmission timeout before the RTT has been measured. [in ps, ns, us, µs, ms, s, min, h;
            default 1 s]
        max_rto: Upper bound of the timeout under back-off. [in ps, ns, us, µs, ms, s, min, h; default 64 s]
        rto: Formula of the retransmission timeout. [if not given: the repair's: twice-srtt for go-back-n and
            smart, else jacobson]
        samples: Acks that measure the RTT. [if not given: the repair's: karn for go-back-n, each for nack and
            quic and rack-tlp and smart, else timed]
        backoff: Exponential back-off: each timeout doubles the next. [default true]
        undouble: Event that ends back-off. [default sample]
        out_of_order: The receiver's treatment of a segment that arrives out of order. [default keep]
        dsack: Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
            [default false]
        bad_checksum: The receiver's treatment of a segment whose checksum fails, such as a packet that was
            truncated on its way. [default drop]
        careful: No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a
            repair that is specified with that always does so). [default false]
        less_careful: With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start
            a fast retransmit (ns-2's `less_careful_`; RFC 2582 recommends against it). Not with SACK. [default
            false]
        recover_at_start: Effect of `careful` on the first segments of a connection. [default none]
        halve: Quantity halved on loss: cwnd or FlightSize. [default window]
        limited_transmit: Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
            [default false]
        limited_again: Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones
            only. [default false]
        ecn: ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a
            retransmission (RFC 3168). [default false]
        beta_ecn: Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance;
            with ABE (RFC 8511) 0.8, and 0.85 for CUBIC. [if not given: as for a loss]
        ecn_echo: How acks tell of marks. [default latched]
        compat: Implementation whose defaults the transport has; keys of the plan take precedence. [default none]
        loss_thresh: LossThresh: largest share of lost segments in a round trip that a probe for bandwidth
            tolerates. Only with bbr3. [if not given: 0.02]
        headroom: Headroom: share of `inflight_longterm` that is left to others between the probes. Only with
            bbr3. [if not given: 0.15]
        c: C: growth of the window far from its last maximum, in segments per second cubed. Only with cubic or
            tcp-cubic. [if not given: 0.4 with cubic, 0.400390625 with tcp-cubic]
        beta: Factor by which the window is multiplied on loss. Only with cubic or tcp-cubic or vegas. [if not
            given: 0.7 with cubic, 0.7001953125 with tcp-cubic, 4 with vegas]
        beta_of: Quantity that `beta` multiplies on loss: FlightSize or cwnd. Only with cubic. [if not given:
            flight]
        fast_convergence: Fast convergence: a flow whose window has not come back to its last maximum aims lower,
            which leaves room to others. Only with cubic or tcp-cubic. [if not given: true]
        reno_friendly: The window is never below Reno's; without this (Linux: tcp_friendliness 0, ns-3 before
            3.41) it is the cubic function alone. Only with cubic or tcp-cubic. [if not given: true]
        g: Weight of the latest window of data in the average share of marked segments. Only with dctcp or prague.
            [if not given: 0.0625]
        set_point: Number of packets that should wait at the bottleneck. Only with packet-pair. [in packets; if
            not given: 2 packets]
        gain: Weight of a new measurement in the filtered service rate. Only with packet-pair. [if not given:
            0.25]
        filtered: Quantity that is averaged to estimate the service rate. Only with packet-pair. [if not given:
            spacing]
        law: Events at which the control law sets the sending rate. Only with packet-pair. [if not given:
            continuous]
        rtt_virt_min: RTT_VIRT_MIN: least virtual round trip; 0 for none. Only with prague. [in ps, ns, us, µs,
            ms, s, min, h; if not given: 25 ms]
        rtt_transition: Rounds after slow start from which on the virtual round trip is used. Only with prague.
            [if not given: 500]
        recovered: Congestion window at the end of a recovery. Only with reno. [if not given: ssthresh]
        window: Flow-control window: the most that may be outstanding. Beyond `max_window` it has no effect. Only
            with static-window. [in B, kB, KiB, MB, MiB, GB, GiB, segments; if not given: max_window]
        alpha: Segments that wait in queues, below which the window grows. Only with vegas. [if not given: 2]
        gamma: Segments that wait in queues, above which slow start ends. Only with vegas. [if not given: 1]
        burst: Maximum number of new segments per ack in a recovery. Only with newreno. [if not given: unlimited]
        deflate: Quantity that partial acks deflate when they have acknowledged more than the duplicates had
            added. Only with newreno. [if not given: sum]
        partial_timer: Partial acks of a recovery that restart the retransmission timer. Only with newreno. [if
            not given: first]
        frto: F-RTO: after a timeout the second ack tells whether it was spurious (RFC 5682); then the window is
            what it was. Only with newreno or rack-tlp or reno or sack. [if not given: false]
        early_retransmit: Early retransmit: with fewer than four segments outstanding and no more to send, all
            duplicate acks that can come are enough (RFC 5827). Only with newreno or reno or sack. [if not given:
            false]
        packet_threshold: kPacketThreshold: a packet is lost if one sent this many packets later has arrived. Only
            with quic. [if not given: 3]
        time_threshold: kTimeThreshold: a packet is lost if a later one has arrived, and this many round trips
            have passed since it was sent. Only with quic. [if not given: 1.125]
        granularity: kGranularity: least time for which its timer is set. Only with quic. [in ps, ns, us, µs, ms,
            s, min, h; if not given: 1 ms]
        initial_rtt: kInitialRtt: the round trip before one has been measured. Only with quic. [in ps, ns, us, µs,
            ms, s, min, h; if not given: 333 ms]
        max_ack_delay: max_ack_delay: how much longer a probe waits because the receiver may be withholding the
            ack. Only with quic or rack-tlp. [in ps, ns, us, µs, ms, s, min, h; if not given: ack_delay with
            delayed_ack, else 0 s]
        persistent_congestion: kPersistentCongestionThreshold: the window closes if all packets for this many
            probe timeouts are lost. Only with quic. [if not given: 3]
        late_ack_undo: Losses are spurious if all packets that were taken for lost are acknowledged after all;
            then the window is what it was. Only with quic. [if not given: false]
        reduction: Window of a recovery: reduced at once, or in the course of it. Only with rack-tlp or sack. [if
            not given: prr with rack-tlp, classic with sack]
        echo_reduction: How an echo of congestion reduces the window: at once, or over a window of data, during
            which it does not grow (Linux). Only with rack-tlp. [if not given: classic]
        tlp: Probes: without them it is RACK alone. Only with rack-tlp. [if not given: true]
        late_ticks: Ticks that are added to the timer for reordering and probes, after its time is rounded up to
            whole ticks; with 0 it is exact. Only with rack-tlp. [if not given: 0]
        eifel: Eifel: losses and timeouts are spurious if the ack echoes the first transmission of what was sent
            again (RFC 3522); then the window is what it was. Only with rack-tlp or sack. [if not given: false]
        dsack_undo: Losses and timeouts are spurious if the receiver reports all that was sent again as arrived
            twice (RFC 3708); then the window is what it was. Only with rack-tlp or sack. [if not given: false]
        min_rtt_window: Time over which the shortest round trip is taken; the estimate is of the last one to two
            of these. Only with rack-tlp. [in ps, ns, us, µs, ms, s, min, h; if not given: 300 s]
        pipe: Rule by which the segments in flight, `pipe`, are counted. Only with sack. [if not given:
            fall-floyd]
        lost_retransmission: Method that finds the loss of a fast retransmission. Only with smart. [if not given:
            id]
        tracking: Retransmissions that are watched when several are outstanding. Only with smart. [if not given:
            each]
        slack: Excess of the timer of `lost_retransmission = "timer"` over the smoothed RTT, as a share of it; the
            timer is at least `tick`. Only with smart. [if not given: 0.25]
        timeout_keeps_duplicates: Duplicate acks before a timeout count after it as well (ns-2). Only with tahoe.
            [if not given: false]
        go_back: A fast retransmit goes back: what follows the missing segment is sent again as well. If false,
            only a timeout goes back (4.3BSD-Tahoe). Only with tahoe. [if not given: true]

    Source: common practice
    """
