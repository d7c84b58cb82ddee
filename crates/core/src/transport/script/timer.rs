//! The retransmission timer.

use super::play;
use std::format;

/// A fine clock, so that round trips are what they are: R = 100 ms gives 100 + 4 * 50 = 300 ms.
const FINE: &[(&str, &str)] = &[
    ("tick", "1 ms"),
    ("min_rto", "1 ms"),
    ("initial_window", "2 segments"),
];
const ALL: [&str; 4] = ["tahoe", "reno", "newreno", "sack"];

#[test]
//= rfc6298 §5.1 type=test
//= rfc6298 §5.2 type=test
//= rfc6298 §5.3 type=test
//= rfc6298 §5.4 type=test
//= rfc6298 §5.5 type=test
//= rfc6298 §5.6 type=test
fn the_timer_is_managed_rule_by_rule() {
    for transport in ALL {
        play(
            transport,
            FINE,
            "0     release(1)  => 0    | timer 1000          # 5.1: a packet is sent, the timer is not running
             50    release(2)  => 1    | timer 1000          # 5.1: it is running
             100   ack(1)      =>      | measured rto 300 timer 400    # 5.3: new data is acknowledged
             150   ack(2)      =>      | unmeasured timer off          # 5.2: nothing is outstanding
             200   release(3)  => 2    | timer 500           # 5.1
             499   wait        =>      | timer 500
             500   timeout     => 2*   | timer 1100 rto 300  # 5.4: the earliest; 5.5: RTO * 2; 5.6: start
             1100  timeout     => 2*   | timer 2300
             2300  timeout     => 2*   | timer 4700
             2400  ack(3)      =>      | timer off",
        );
    }
}

#[test]
//= rfc6298 §5.3 type=test
// Only an ack of new data restarts the timer.
fn duplicates_and_old_acks_leave_the_timer_alone() {
    for transport in ALL {
        play(
            transport,
            FINE,
            "0     release(3)       => 0 1  | timer 1000
             100   ack(1)           => 2    | timer 400
             200   ack(1, 2..3)     =>      | dup timer 400
             210   ack(0)           =>      | stale timer 400
             220   release(4)       => 3    | timer 400
             400   timeout          => 1*",
        );
    }
}

#[test]
//= rfc6298 §5, early type=test
// "a segment is never retransmitted too early, i.e., less than one RTO after the previous transmission of that segment."
fn a_fast_retransmit_restarts_the_timer() {
    for transport in ALL {
        play(
            transport,
            &[("initial_window", "4 segments")],
            "0     release(4)     => 0..4
             700   ack(0, 1..2)   =>     | timer 1000
             700   ack(0, 1..3)   =>     | timer 1000
             700   ack(0, 1..4)   => 0*  | loss timer 1700",
        );
    }
}

#[test]
//= rfc6298 §3, Karn type=test
// Karn: "RTT samples MUST NOT be made using segments that were retransmitted".
//= rfc6298 §5.5 type=test
// The back-off stays until a segment that was sent once is acknowledged.
fn what_was_sent_twice_measures_nothing() {
    for transport in ALL {
        play(
            transport,
            FINE,
            "0     release(2)  => 0 1
             100   ack(1)      =>      | measured rto 300
             150   ack(2)      =>
             200   release(3)  => 2
             500   timeout     => 2*   | timer 1100
             900   ack(3)      =>      | unmeasured rto 300
             1000  release(4)  => 3    | timer 1600          # still twice 300
             1100  ack(4)      =>      | measured rto 250 timer off   # 100 + 4 * 37.5
             1200  release(5)  => 4    | timer 1450",
        );
    }
}

#[test]
//= rfc6298 §3, Karn type=test
fn a_timed_segment_that_was_lost_measures_nothing() {
    for transport in ALL {
        play(
            transport,
            &[("initial_window", "4 segments"), ("tick", "1 ms")],
            "0     release(4)     => 0..4
             100   ack(0, 1..2)   =>
             101   ack(0, 1..3)   =>
             102   ack(0, 1..4)   => 0*  | loss
             202   ack(4)         =>     | unmeasured rto 1000 timer off",
        );
    }
}

#[test]
//= rfc6298 §3, Karn type=test
// A segment that was sent once, but timed across a loss, would measure how long the repair took: BSD stops timing at every loss.
fn what_was_timed_when_a_loss_was_found_measures_nothing() {
    for transport in ALL {
        let texts = [("initial_window", "4 segments"), ("tick", "1 ms")];
        let timed = "0     release(6)     => 0..4
                     100   ack(1)         => 4 5 | measured rto 300     # 4 is timed now; 1 is lost";
        play(
            transport,
            &texts,
            &format!(
                "{timed}
                 110   ack(1, 2..3)   =>
                 120   ack(1, 2..4)   =>
                 200   ack(1, 2..5)   => 1*  | loss
                 300   ack(6)         =>     | unmeasured rto 300"
            ),
        );
        play(
            transport,
            &texts,
            &format!("{timed}\n400 timeout => 1*\n900 ack(6) => | unmeasured rto 300"),
        );
    }
}

#[test]
//= rfc6298 §3, one type=test
//= rfc6298 §4 type=test
// A round trip below the clock's granularity G counts as one tick: 100 + max(G, 4 * 50).
//= rfc6298 §2.4 type=test
// The least RTO is two ticks here, not a second.
fn the_coarse_clock_of_the_papers() {
    play(
        "reno",
        &[("max_cwnd", "3 segments"), ("initial_window", "2 segments")],
        "0     release(1)   => 0    | timer 1000
         10    release(99)  => 1
         20    ack(1)       => 2 3  | measured rto 300 timer 320
         30    ack(2)       => 4    | unmeasured timer 330    # one at a time: 1 was sent while 0 was timed
         40    ack(3)       => 5    | measured rto 300
         50    ack(4)       => 6    | unmeasured
         60    ack(6)       => 7 8  | measured rto 300 timer 360",
    );
}

#[test]
//= rfc6298 §2.5 type=test
// "A maximum value MAY be placed on RTO provided it is at least 60 seconds."
fn the_back_off_has_an_end() {
    play(
        "reno",
        &[("initial_rto", "20 s"), ("max_rto", "64 s")],
        "0       release(1)  => 0   | timer 20000
         20000   timeout     => 0*  | timer 60000
         60000   timeout     => 0*  | timer 124000
         124000  timeout     => 0*  | timer 188000",
    );
}

#[test]
//= rfc6298 §5.3 type=test
//= rfc6675 §6 type=test
// Partial acks of a SACK recovery acknowledge new data.
fn sack_restarts_the_timer_at_every_partial_ack() {
    for (pipe, sent) in [
        ("fall-floyd", ["0*", "", "1*", "2*", ""]),
        ("rfc6675", ["0..2*", "2*", "", "", "2*"]), // the last by rule (4) of NextSeg()
    ] {
        let [first, second, third, fourth, fifth] = sent;
        play(
            "sack",
            &[("initial_window", "8 segments"), ("pipe", pipe)],
            &format!(
                "0    release(8)        => 0..8                  # 0, 1 and 2 are lost
                 100  ack(0, 3..4)      =>
                 100  ack(0, 3..5)      =>
                 100  ack(0, 3..6)      => {first}    | loss timer 1100
                 110  ack(0, 3..7)      => {second}   | timer 1100
                 111  ack(0, 3..8)      => {third}    | timer 1100
                 200  ack(1, 3..8)      => {fourth}   | partial timer 1200
                 210  ack(2, 3..8)      => {fifth}    | partial timer 1210
                 300  ack(8)            =>            | over timer off"
            ),
        );
    }
}

#[test]
//= cohen-hamo-2001 §2.1 type=test
// With a common clock a timeout of n ticks ends with the n-th tick after it is set.
fn a_heartbeat_ends_timeouts() {
    for transport in ALL {
        let clock = |phase| {
            [
                ("tick", "100 ms"),
                ("heartbeat", "true"),
                ("tick_phase", phase),
            ]
        };
        play(
            transport,
            &clock("0 ms"),
            "30    release(1)  => 0    | timer 1000          # ten ticks, of which the first is at 100
             1000  timeout     => 0*   | timer 3000          # it is set at a tick, which does not count
             3000  timeout     => 0*   | timer 7000
             7010  ack(1)      =>      | timer off",
        );
        play(
            transport,
            &clock("40 ms"),
            "30    release(1)  => 0    | timer 960           # the clock ticks at 60, 160 and so on
             960   timeout     => 0*   | timer 2960",
        );
    }
    // A timeout that is bounded by less than a tick ends with the next one.
    play(
        "reno",
        &[
            ("tick", "100 ms"),
            ("heartbeat", "true"),
            ("min_rto", "50 ms"),
            ("initial_rto", "50 ms"),
            ("max_rto", "50 ms"),
        ],
        "70    release(1)  => 0    | timer 100
         100   timeout     => 0*   | timer 200",
    );
}
