//! The habits of ns-2, one by one. That together they are all, `make verify` says, which asks ns-2 itself.

use super::play;
use std::format;

const TEN: (&str, &str) = ("initial_window", "10 segments");
const SEVEN: (&str, &str) = ("initial_window", "7 segments");

#[test]
//= ns-2 type=test
fn half_keeps_its_fraction_and_ssthresh_does_not() {
    for (halve, cwnd) in [("exact", "6.5"), ("window", "6.0")] {
        play(
            "reno",
            &[SEVEN, ("halve", halve)],
            &format!(
                "0    greedy      => 0..7
                 100  ack(0) x3   => 0*   | loss cwnd {cwnd} ssthresh 3
                 1100 timeout     => 0*   | cwnd 1 ssthresh 2      # of what the recovery had set, with its fraction"
            ),
        );
    }
}

#[test]
//= ns-2 type=test
fn the_ack_that_ends_a_recovery_opens_the_window() {
    for (recovered, cwnd) in [("open", "5.20"), ("stay", "5.00"), ("ssthresh", "5.00")] {
        play(
            "reno",
            &[TEN, ("recovered", recovered)],
            &format!(
                "0    greedy      => 0..10
                 100  ack(0) x3   => 0*       | loss cwnd 8
                 200  ack(10)     => 10..15   | over cwnd {cwnd} ssthresh 5"
            ),
        );
    }
}

#[test]
//= ns-2 type=test
fn an_ack_of_a_recovery_lets_out_two_new_segments() {
    // The window allows three new segments. With a burst of two, the third waits for the next ack.
    for (burst, first, second) in [("2", "10 11", "12 13"), ("9", "10..13", "13")] {
        play(
            "newreno",
            &[TEN, ("burst", burst), ("max_window", "14 segments")],
            &format!(
                "0    release(10)  => 0..10
                 100  ack(0) x3    => 0*         | loss cwnd 8
                 110  ack(0) x5    =>            | cwnd 13
                 120  release(40)  => {first}
                 200  ack(1)       => 1* {second}      | partial cwnd 13"
            ),
        );
    }
}

#[test]
//= ns-2 type=test
fn a_partial_ack_takes_from_the_window_what_no_duplicate_had_added() {
    for (deflate, over) in [("window", "2.00"), ("sum", "5.00")] {
        play(
            "newreno",
            &[
                TEN,
                ("deflate", deflate),
                (
                    "recovered",
                    if deflate == "sum" { "ssthresh" } else { "stay" },
                ),
            ],
            &format!(
                "0    greedy      => 0..10
                 100  ack(0) x3   => 0*       | loss cwnd 8 ssthresh 5
                 200  ack(6)      => 6*       | partial cwnd 3
                 300  ack(10)     => {}       | over cwnd {over}",
                if deflate == "sum" { "10..15" } else { "10 11" }
            ),
        );
    }
}

#[test]
//= ns-2 type=test
// `exit_recovery_fix_`: no burst where nothing is outstanding.
fn at_the_end_of_a_recovery_the_window_may_be_that_of_what_is_outstanding() {
    play(
        "newreno",
        &[TEN, ("recovered", "outstanding")],
        "0    greedy      => 0..10
         100  ack(0) x3   => 0*       | loss cwnd 8 ssthresh 5
         200  ack(10)     => 10 11    | over cwnd 2 ssthresh 5      # nothing is outstanding: 1, and one more in slow start",
    );
}

#[test]
//= ns-2 type=test
// `partial_window_deflation_ 0`: the window stays, and only what duplicates had added is gone.
fn a_partial_ack_may_leave_the_window() {
    play(
        "newreno",
        &[TEN, ("deflate", "none"), ("recovered", "stay")],
        "0    greedy      => 0..10
         100  ack(0) x3   => 0*       | loss cwnd 8 ssthresh 5
         200  ack(6)      => 6* 10    | partial cwnd 5
         210  ack(6)      => 11       | dup cwnd 6
         300  ack(10)     => 12..15   | over cwnd 5",
    );
}

#[test]
//= ns-2 type=test
// `newreno_changes1_ 0`: slow but steady. The impatient variant, whose timer ends the recovery, is in `newreno`.
fn every_partial_ack_may_restart_the_timer() {
    play(
        "newreno",
        &[TEN, ("partial_timer", "every"), ("halve", "flight")],
        "0     greedy     => 0..10
         100   ack(0) x3  => 0*     | loss timer 1100
         200   ack(3)     => 3*     | partial timer 1200
         300   ack(6)     => 6*     | partial timer 1300",
    );
}

#[test]
//= ns-2 type=test
// `less_careful_`: duplicates that acknowledge exactly what was outstanding may start a recovery.
fn careful_may_be_less_careful() {
    for (less, sent) in [("true", "10*"), ("false", "")] {
        play(
            "newreno",
            &[TEN, ("less_careful", less)],
            &format!(
                "0    greedy      => 0..10
                 100  ack(0) x3   => 0*       | loss cwnd 8 ssthresh 5
                 200  ack(10)     => 10..15   | over cwnd 5
                 210  ack(10) x3  => {sent}   | ssthresh {}",
                if less == "true" { "2" } else { "5" }
            ),
        );
    }
}

#[test]
//= ns-2 type=test
fn limited_transmit_sends_old_segments_after_a_timeout() {
    for (again, sent) in [("true", "1*"), ("false", "")] {
        play(
            "reno",
            &[TEN, ("limited_transmit", "true"), ("limited_again", again)],
            &format!(
                "0    greedy   => 0..10
                 1000 timeout  => 0*       | cwnd 1
                 1010 ack(0)   => {sent}   | dup cwnd 1"
            ),
        );
    }
}

#[test]
//= rfc6582 §3.2, step 1 type=test
//= ns-2 type=test
fn what_care_makes_of_the_first_segments() {
    let texts = |start| [TEN, ("careful", "true"), ("recover_at_start", start)];
    for transport in ["tahoe", "reno", "newreno"] {
        for (start, first) in [("none", "0*"), ("set", ""), ("exempt", "")] {
            play(
                transport,
                &texts(start),
                &format!(
                    "0    greedy      => 0..10
                     100  ack(0) x3   => {first}"
                ),
            );
        }
    }
    // The timer has expired for the second segment, which is still missing.
    for (start, second) in [("none", "dup"), ("set", "dup"), ("exempt", "loss")] {
        play(
            "tahoe",
            &texts(start),
            &format!(
                "0    greedy      => 0..10
                 100  ack(1)      => 10 11
                 400  timeout     => 1*
                 410  ack(1) x3   => {} | {second}",
                if second == "loss" { "1*" } else { "" }
            ),
        );
    }
}

#[test]
//= ns-2 type=test
fn tahoe_counts_on_after_a_timeout() {
    let care = [
        ("careful", "true"),
        ("limited_transmit", "true"),
        ("limited_again", "true"),
    ];
    for (keeps, third) in [("true", ""), ("false", "1*")] {
        let texts = [&[TEN, ("timeout_keeps_duplicates", keeps)][..], &care].concat();
        play(
            "tahoe",
            &texts,
            &format!(
                "0    greedy      => 0..10
                 100  ack(0) x2   => 10 11
                 1000 timeout     => 0*         | cwnd 1
                 1010 ack(0)      => {third}    | dup"
            ),
        );
    }
    // One segment for a duplicate, whatever the count.
    play(
        "tahoe",
        &[&[TEN, ("timeout_keeps_duplicates", "true")][..], &care].concat(),
        "0    greedy      => 0..10
         100  ack(0)      => 10
         1000 timeout     => 0*
         1010 ack(0)      => 1*   | dup",
    );
}

const SACK1: [(&str, &str); 2] = [("initial_window", "6 segments"), ("pipe", "sack1")];

#[test]
//= ns-2 type=test
fn the_ack_that_begins_a_recovery_sends_one_segment() {
    // With four outstanding, pipe is 1 and the window 2: the second segment waits for the next ack, which takes one more from pipe.
    for (pipe, first, second) in [("sack1", "1*", "5 6"), ("fall-floyd", "1* 5", "")] {
        play(
            "sack",
            &[("initial_window", "3 segments"), ("pipe", pipe)],
            &format!(
                "0    greedy          => 0..3
                 90   ack(1)          => 3 4      | cwnd 4
                 100  ack(1, 2..3)    =>
                 101  ack(1, 2..4)    =>
                 102  ack(1, 2..5)    => {first}  | loss cwnd 2
                 200  ack(1, 2..5)    => {second} | dup             # nothing new, but an ack"
            ),
        );
    }
}

#[test]
//= ns-2 type=test
fn a_duplicate_without_news_is_not_counted() {
    for (pipe, third) in [("sack1", ""), ("fall-floyd", "1*")] {
        play(
            "sack",
            &[SACK1[0], ("pipe", pipe)],
            &format!(
                "0    greedy          => 0..6
                 90   ack(1)          => 6 7
                 100  ack(1, 2..3)    =>
                 101  ack(1, 2..4)    =>
                 102  ack(1, 2..4)    => {third}"
            ),
        );
    }
}

#[test]
//= ns-2 type=test
// 1, 4, 6 and 8 are lost. The partial acks begin at the first segment missing, whether it has been sent again or not; the last new segment
// that they send is sent again after the recovery.
fn a_partial_ack_sends_two_segments_in_any_case() {
    let begins = "0    greedy                     => 0..9
                  90   ack(1)                     => 9 10    | cwnd 10
                  100  ack(1, 2..3)               =>
                  101  ack(1, 2..4)               =>
                  102  ack(1, 5..6 2..4)          => 1*      | loss cwnd 5     # pipe 7
                  103  ack(1, 7..8 5..6 2..4)     =>                           # pipe 6
                  104  ack(1, 9..10 7..8 5..6)    =>                           # pipe 5
                  105  ack(1, 9..11 7..8 5..6)    => 4*                        # pipe 4, 5";
    for (pipe, rest) in [
        (
            "sack1",
            "200  ack(4, 9..11 7..8 5..6)    => 6* 8*   | partial timer 500 # pipe 3, 5
             205  ack(6, 9..11 7..8)         => 11 12   | partial timer 505
             206  ack(8, 9..11)              => 13 14   | partial timer 506
             207  ack(11)                    => 15      | over",
        ),
        (
            "sack1-partial",
            "200  ack(4, 9..11 7..8 5..6)    => 4* 6*   | partial timer 500 # pipe 5
             205  ack(6, 9..11 7..8)         => 8* 11   | partial timer 500
             206  ack(8, 9..11)              => 12 13   | partial timer 500
             207  ack(11)                    => 13* 14 15 | over",
        ),
    ] {
        play(
            "sack",
            &[("initial_window", "9 segments"), ("pipe", pipe)],
            &format!("{begins}\n{rest}"),
        );
    }
}

#[test]
//= ns-2 type=test
fn after_a_timeout_all_is_sent_again_whatever_is_reported() {
    play(
        "sack",
        &SACK1,
        "0    greedy            => 0..6
         1000 timeout           => 0*      | cwnd 1
         1010 ack(0, 2..6)      =>         | dup
         1100 ack(1, 2..6)      => 1..3*   | open cwnd 2
         1200 ack(6)            => 6..9    | open cwnd 3
         1300 ack(6, 7..8)      =>
         1301 ack(6, 7..9)      =>
         1302 ack(6, 7..9)      =>         | dup",
    );
    // All that was outstanding is acknowledged, and no more. RFC 6675 allows a new recovery then; `sack1` does not.
    for (pipe, third) in [("sack1", ""), ("fall-floyd", "6* 8")] {
        play(
            "sack",
            &[SACK1[0], ("pipe", pipe)],
            &format!(
                "0    greedy            => 0..6
                 1000 timeout           => 0*
                 1100 ack(6)            => 6 7       | open cwnd 2
                 1150 ack(6, 7..8)      =>
                 1151 ack(6, 7..9)      =>
                 1152 ack(6, 7..10)     => {third}"
            ),
        );
    }
}

#[test]
//= ns-2 type=test
// A round trip of 102 ms contains ten or eleven ticks of 10 ms, depending on the phase of the clock.
fn the_ticks_that_pass_are_counted() {
    for (phase, ticks, rto) in [
        ("0 ms", "passed", "330"),
        ("7 ms", "passed", "300"),
        ("9 ms", "passed", "330"),
    ] {
        play(
            "reno",
            &[
                ("tick", "10 ms"),
                ("tick_phase", phase),
                ("rtt_ticks", ticks),
                ("rto", "scaled"),
            ],
            &format!(
                "9   greedy   => 0
                 111 ack(1)   => 1 2   | measured rto {rto}"
            ),
        );
    }
}
