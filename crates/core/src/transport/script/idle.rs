//! Windows that are not used: RFC 5681 §4.1, RFC 2861 and RFC 7661.

use super::play;
use std::format;

const IW: (&str, &str) = ("initial_window", "2 segments");
const RTO: (&str, &str) = ("min_rto", "1 s");
const NO_ECN: (&str, &str) = ("ecn", "false");

/// Slow start up to a window of 16 segments, of which all are used and acknowledged. The last go at 300 ms.
const SIXTEEN: &str = "
    0    release(30)  => 0 1
    100  acks(1..3)   => 2..6
    200  acks(3..7)   => 6..14
    300  acks(7..15)  => 14..30
    400  acks(15..31) =>       | cwnd 16 flight 0 rto 1000
";

/// Plays `script` after [`SIXTEEN`] to `transport`, with a rule and more parameters.
fn after_sixteen(transport: &str, rule: &str, more: &[(&str, &str)], script: &str) {
    let most = ("max_cwnd", "16 segments");
    let texts = [&[IW, RTO, NO_ECN, most, ("idle", rule)], more].concat();
    play(transport, &texts, &format!("{SIXTEEN}{script}"));
}

const WINDOWED: [&str; 7] = [
    "tahoe",
    "reno",
    "newreno",
    "sack",
    "cubic",
    "dctcp+sack",
    "vegas",
];

#[test]
fn a_window_stays_unless_a_rule_says_otherwise() {
    for transport in WINDOWED {
        after_sixteen(transport, "keep", &[], "90000 release(60) => 30..46");
    }
}

#[test]
//= rfc5681 §4.1 type=test
// "if the TCP has not sent data in an interval exceeding the retransmission timeout"
fn sending_begins_again_with_the_initial_window() {
    for transport in WINDOWED {
        for script in [
            "1300 release(60) => 30..46 | cwnd 16",
            "1301 release(60) => 30 31  | cwnd 2",
        ] {
            after_sixteen(transport, "restart", &[], script);
        }
    }
    // RW = min(IW, cwnd): a window of one segment, after a timeout, stays.
    play(
        "reno",
        &[("initial_window", "4 segments"), RTO, ("idle", "restart")],
        "0     release(2)   => 0 1
         1000  timeout      => 0*  | cwnd 1
         1100  ack(2)       =>     | cwnd 2
         9000  release(9)   => 2 3 | cwnd 2",
    );
    // Time in which something is outstanding is not idle; the timer runs.
    play(
        "sack",
        &[IW, ("initial_rto", "9 s"), ("idle", "restart")],
        "0     release(2)   => 0 1
         8000  ack(1)       =>     | cwnd 3
         8100  release(9)   => 2 3 | cwnd 3",
    );
}

#[test]
//= rfc2861 §3.2, idle type=test
fn idle_time_halves_the_window_once_per_timeout() {
    for transport in WINDOWED {
        for script in [
            "1299  release(60) => 30..46 | cwnd 16",
            "1300  release(60) => 30..38 | cwnd 8",
            "2400  release(60) => 30..34 | cwnd 4",
            "90000 release(60) => 30 31  | cwnd 2",
        ] {
            after_sixteen(transport, "decay", &[], script);
        }
    }
    // ssthresh is at least three quarters of the window of before, up to which slow start goes again.
    play(
        "reno",
        &[
            RTO,
            ("initial_window", "20 segments"),
            ("max_cwnd", "20 segments"),
            ("initial_ssthresh", "10 segments"),
            ("idle", "decay"),
        ],
        "0     release(20)  => 0..20
         100   ack(20)      =>        | cwnd 20 ssthresh 10
         1500  release(21)  => 20     | cwnd 20 ssthresh 15",
    );
}

#[test]
//= rfc2861 §3.2, limited type=test
//= rfc2861 §3, growth type=test
// Two segments per round trip, of a window of 16: (16 + 2) / 2, a timeout after the window was last full. No window grows.
fn a_window_comes_down_to_what_is_used() {
    for transport in WINDOWED {
        after_sixteen(
            transport,
            "decay",
            &[],
            "500  release(32)  => 30 31 | cwnd 16
             600  acks(31..33) =>       | cwnd 16
             1299 release(34)  => 32 33 | cwnd 16
             1399 acks(33..35) =>       | cwnd 16
             1400 release(36)  => 34 35 | cwnd 9
             1500 acks(35..37) =>       | cwnd 9
             2399 release(38)  => 36 37 | cwnd 9
             2499 acks(37..39) =>       | cwnd 9
             2500 release(40)  => 38 39 | cwnd 5.5",
        );
    }
}

#[test]
// T_prev is the time of the first segment, and not that of the start of the run.
fn a_connection_may_begin_late_and_with_little() {
    play(
        "reno",
        &[("initial_window", "10 segments"), ("idle", "decay")],
        "9000 release(4)   => 0..4  | cwnd 10",
    );
}

#[test]
//= rfc2861 §3, growth type=test
// The pace and not the application is why the window is not full.
fn a_window_grows_while_its_sender_is_paced() {
    for rule in ["keep", "decay", "validate"] {
        play(
            "reno",
            &[
                ("initial_window", "10 segments"),
                ("pace", "1"),
                ("idle", rule),
            ],
            "0    greedy       => 0..10
             100  acks(1..11)  => 10     | cwnd 20",
        );
    }
}

#[test]
//= rfc7661 §4.4.3 type=test
//= rfc7661 §4.4, NVP type=test
// pipeACK was 16 and is forgotten a second after 400 ms; then the phase begins that may last 10 s. The window goes from 16 to 8, and a
// period later to 4, but not below the initial one.
fn a_window_that_is_not_validated_stays_for_a_period() {
    let period = ("non_validated_period", "10 s");
    for transport in WINDOWED {
        for script in [
            "1399  release(60) => 30..46 | cwnd 16",
            "1400  release(60) => 30     | cwnd 16",
            "11399 release(60) => 30     | cwnd 16",
            "11400 release(60) => 30     | cwnd 8",
            "21400 release(60) => 30     | cwnd 4",
            "31400 release(60) => 30     | cwnd 2",
            "91400 release(60) => 30     | cwnd 2",
        ] {
            after_sixteen(transport, "validate", &[period], script);
        }
    }
    // "ssthresh = max(ssthresh, 3*cwnd/4)": slow start up to that.
    play(
        "reno",
        &[
            IW,
            RTO,
            period,
            ("initial_ssthresh", "2 segments"),
            ("idle", "validate"),
        ],
        "0     release(11)  => 0 1
         100   acks(1..3)   => 2 3
         200   acks(3..5)   => 4..7
         300   acks(5..8)   => 7..11
         400   acks(8..12)  =>       | cwnd 5.20 ssthresh 2
         11500 release(40)  => 11    | cwnd 2.60 ssthresh 3.90",
    );
}

#[test]
//= rfc7661 §4.4, growth type=test
//= rfc7661 §4.3 type=test
//= rfc7661 §4.2, pipeACK type=test
//= rfc7661 §4.2, period type=test
// Two segments per round trip, where 16 were acknowledged in one. A second later that is forgotten, and acks open the window no more.
fn a_window_that_is_not_validated_does_not_grow() {
    let script = "
        400  acks(15..31) =>       | cwnd 25
        500  release(32)  => 30
        504  wait         => 31
        600  acks(31..33) =>       | cwnd 25
        1600 release(34)  => 32
        1604 wait         => 33
        1700 acks(33..35) =>       | cwnd 25";
    let begin = SIXTEEN.rsplit_once("400").unwrap().0;
    for transport in ["tahoe", "reno", "newreno", "sack"] {
        let texts = [IW, RTO, ("idle", "validate")];
        play(transport, &texts, &format!("{begin}{script}"));
    }
}

#[test]
//= rfc7661 §4.1 type=test
//= rfc7661 §4.2, sample type=test
// Two segments of a window of 16: the first sample ends with the second ack. Before it, pipeACK is undefined.
fn a_connection_begins_with_a_validated_window() {
    let script = "
        0    release(2)  => 0 1
        100  ack(1)      =>      | cwnd 17
        100  ack(2)      =>      | cwnd 17
        150  release(4)  => 2
        157  wait        => 3
        250  ack(4)      =>      | cwnd 17";
    let texts = [("initial_window", "16 segments"), RTO, ("idle", "validate")];
    for transport in ["tahoe", "reno", "newreno", "sack"] {
        play(transport, &texts, script);
    }
}

#[test]
//= rfc7661 §4.4.1, loss type=test
//= rfc7661 §4.4.1, end type=test
//= rfc7661 §4.4.1, ssthresh type=test
//= rfc7661 §4.4.2 type=test
//= rfc7661 §4.4.1, undefined type=test
//= rfc7661 §4.2, recovery type=test
// The window is 16 segments, but only 8 were sent when the first is lost: max(2, 8) / 2, and at the end (8 - 1) / 2. They go at a pace of
// 16 per round trip. After the recovery nothing is known: what is sent is not paced, and the window grows.
fn a_loss_leaves_half_of_what_was_used() {
    let script = "
        1399 release(32)  => 30 31
        1499 acks(31..33) =>
        1500 release(40)  => 32
        1507 wait         => 33
        1514 wait         => 34
        1521 wait         => 35
        1528 wait         => 36
        1535 wait         => 37
        1542 wait         => 38
        1549 wait         => 39   | flight 8
        1607 ack(32)      =>      | dup
        1614 ack(32)      =>      | dup
        1621 ack(32)      => 32*  | loss
        1628 ack(32) x4   =>      | dup
        1721 ack(40)      =>      | over cwnd 3.5 ssthresh 3.5
        1750 release(42)  => 40 41
        1850 ack(41)      =>      | cwnd 3.79";
    for transport in ["reno", "newreno", "sack"] {
        after_sixteen(transport, "validate", &[], script);
    }
}

#[test]
//= rfc7661 §4.4, congestion type=test
// An echo leaves half of the window of 16 segments, or half of the 2 that were used if it was not validated.
fn an_echo_ends_the_phase() {
    let texts = [
        ("initial_window", "16 segments"),
        ("max_cwnd", "16 segments"),
        ("ecn", "true"),
        ("idle", "validate"),
        RTO,
    ];
    let begin = "
        0    release(16)   => 0..16e
        100  acks(1..17)   =>         | cwnd 16";
    for script in [
        "
        500  release(18)   => 16e 17e
        600  ack(18 ece)   =>         | cwnd 8 ssthresh 8",
        "
        1500 release(18)   => 16e
        1507 wait          => 17e
        1600 ack(17)       =>
        1607 ack(18 ece)   =>         | cwnd 1 ssthresh 8
        1700 release(19)   => 18ew
        1800 ack(19)       =>         | cwnd 2",
    ] {
        play("reno", &texts, &format!("{begin}{script}"));
    }
}

#[test]
//= rfc7661 §4.4, timeout type=test
fn a_timeout_does_what_it_always_does() {
    let script = "
        1500 release(34)  => 30
        1507 wait         => 31
        1514 wait         => 32
        1521 wait         => 33
        2500 timeout      => 30*  | cwnd 1 ssthresh 8
        2600 ack(34)      =>      | open cwnd 2";
    for transport in ["reno", "newreno", "sack"] {
        after_sixteen(transport, "validate", &[], script);
    }
}
