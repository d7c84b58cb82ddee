//! The timeout, in every state, and what follows it.

use super::play;
use std::format;

const TEN: (&str, &str) = ("initial_window", "10 segments");
const FLIGHT: (&str, &str) = ("halve", "flight");

#[test]
//= rfc5681 §3.1, LW type=test
//= rfc5681 §3.1, both type=test
//= rfc5681 §3.1, reduced type=test
// "upon a timeout [...] cwnd MUST be set to no more than the loss window, LW, which equals 1 full-sized segment (regardless of
// the value of IW)"; then "slow start [...] to the new value of ssthresh, at which point congestion avoidance again takes over".
fn slow_start_to_half_then_avoidance() {
    for transport in ["tahoe", "reno", "newreno", "sack"] {
        play(
            transport,
            &[TEN, FLIGHT],
            "0     greedy        => 0..10
             1000  timeout       => 0*        | cwnd 1 ssthresh 5 flight 10
             1100  ack(1)        => 1..3*     | open cwnd 2
             1200  ack(2)        => 3..5*     | cwnd 3
             1200  ack(3)        => 5..7*     | cwnd 4
             1300  ack(4)        => 7..9*     | cwnd 5
             1300  ack(5)        => 9*        | cwnd 5.2 flight 5
             1300  ack(6)        => 10        | cwnd 5.3923",
        );
    }
}

#[test]
//= cohen-hamo-2001 §4 type=test
// "retransmits the first segment in the window for which an ack was not received, and continues with a window of one segment
// in slow-start mode": an ack that jumps ahead moves the go-back ahead, too.
fn an_ack_that_jumps_ahead_spares_the_rest_of_the_go_back() {
    for transport in ["tahoe", "reno", "newreno", "sack"] {
        play(
            transport,
            &[TEN],
            "0     greedy   => 0..10
             1000  timeout  => 0*      | cwnd 1 ssthresh 5
             1100  ack(3)   => 3..5*   | cwnd 2           # 3 was lost too
             1200  ack(7)   => 7..10*  | cwnd 3
             1300  ack(10)  => 10..14  | cwnd 4 flight 4",
        );
    }
}

#[test]
//= rfc5681 §3.1, again type=test
// "when [...] the given segment has already been retransmitted by way of the retransmission timer at least once, the value of
// ssthresh is held constant." The code of the 1990s halves again.
fn the_second_timeout_of_a_segment_leaves_ssthresh() {
    for (halve, second) in [("flight", 5), ("window", 2)] {
        play(
            "reno",
            &[TEN, ("halve", halve)],
            &format!(
                "0     greedy   => 0..10
                 1000  timeout  => 0*     | cwnd 1 ssthresh 5
                 3000  timeout  => 0*     | cwnd 1 ssthresh {second}
                 3100  ack(1)   => 1..3*  | cwnd 2
                 7100  timeout  => 1*     | cwnd 1 ssthresh {}    # another one, that had been sent again
                 ",
                if halve == "flight" { "2.5" } else { "2" }
            ),
        );
    }
}

#[test]
//= rfc5681 §3.1, again type=test
// The same, with a fast retransmit between the two: the segments that it let out would make ssthresh 5.5.
fn it_does_so_although_more_is_outstanding() {
    play(
        "reno",
        &[("initial_window", "4 segments"), FLIGHT],
        "0     greedy      => 0..4
         1000  timeout     => 0*         | cwnd 1 ssthresh 2
         1100  ack(0) x3   => 0..4* 4    | loss cwnd 5 ssthresh 2 timer 3100
         1110  ack(0) x6   => 5..11      | dup cwnd 11 flight 11
         3100  timeout     => 0*         | cwnd 1 ssthresh 2",
    );
}

#[test]
//= rfc5681 §3.1, eq. 4 type=test
// FlightSize is all that is outstanding, including what a recovery before the timeout has let out.
fn a_timeout_after_a_recovery_counts_all_that_is_outstanding() {
    play(
        "reno",
        &[("initial_window", "8 segments"), FLIGHT],
        "0     greedy      => 0..8                               # 0 and 1 are lost
         100   ack(0) x3   => 0*         | loss cwnd 7 ssthresh 4
         110   ack(0) x4   => 8..11      | dup cwnd 11 flight 11
         200   ack(1)      =>            | over cwnd 4 flight 10
         1200  timeout     => 1*         | cwnd 1 ssthresh 5",
    );
}

#[test]
//= rfc5681 §4.3, twice type=test
// "the loss of a retransmission, should be taken as two indications of congestion and, therefore, cwnd (and ssthresh) MUST be lowered
// twice": FlightSize, with what the recovery has let out, would raise ssthresh from 4 to 5.5, by a timeout and by duplicates.
fn what_is_lost_again_lowers_ssthresh_again() {
    let lost = |halve, second: &str, third: &str| {
        play(
            "reno",
            &[("initial_window", "8 segments"), ("halve", halve)],
            &format!(
                "0     greedy      => 0..8
                 100   ack(0) x3   => 0*      | loss cwnd 7 ssthresh 4
                 110   ack(0) x4   => 8..11   | dup cwnd 11 flight 11
                 1100  timeout     => 0*      | cwnd 1 ssthresh {second}
                 3100  timeout     => 0*      | cwnd 1 ssthresh {third}"
            ),
        );
    };
    lost("flight", "2", "2");
    lost("window", "2", "2");
    play(
        "reno",
        &[("initial_window", "40 segments"), FLIGHT],
        "0     greedy      => 0..40
         100   ack(0) x3   => 0*      | loss cwnd 23 ssthresh 20
         110   ack(0) x36  => 40..59  | dup cwnd 59 flight 59
         1100  timeout     => 0*      | cwnd 1 ssthresh 10
         1110  ack(0) x3   => 0..8*   | loss cwnd 8 ssthresh 5
         1200  ack(1)      =>         | over cwnd 5             # 1 to 4 are on their way
         1300  ack(5)      => 8..10*  | open cwnd 5.2",
    );
}

#[test]
//= rfc5681 §4.3, twice type=test
// If less is outstanding than ssthresh, ssthresh becomes half of what is outstanding.
fn or_to_half_of_what_is_outstanding() {
    play(
        "reno",
        &[("initial_window", "20 segments"), FLIGHT],
        "0     release(9)   => 0..9
         100   ack(8)       =>       | cwnd 21 flight 1
         110   release(17)  => 9..17 | flight 9
         120   ack(8) x3    => 8*    | loss cwnd 7.5 ssthresh 4.5
         420   timeout      => 8*    | cwnd 1 ssthresh 2.25
         500   ack(14)      => 14..16* | open cwnd 2 flight 3
         1100  timeout      => 14*   | ssthresh 2",
    );
}

#[test]
//= rfc5681 §3.1, eq. 4 type=test
// Equation 4: at least two segments.
fn ssthresh_is_at_least_two() {
    for halve in ["window", "flight"] {
        play(
            "reno",
            &[("halve", halve)],
            "0     greedy   => 0   | cwnd 1
             1000  timeout  => 0*  | cwnd 1 ssthresh 2",
        );
    }
}

#[test]
fn between_duplicates() {
    for transport in ["tahoe", "reno", "newreno", "sack"] {
        play(
            transport,
            &[TEN],
            "0     greedy            => 0..10
             100   ack(0, 1..2)      =>      | dup
             101   ack(0, 1..3)      =>      | dup
             1000  timeout           => 0*   | cwnd 1 ssthresh 5
             1010  ack(0, 1..4)      =>      | dup cwnd 1       # the row starts anew
             1100  ack(9)            => 9* 10 | open cwnd 2",
        );
    }
}

#[test]
//= rfc5681 §4.3, twice type=test
//= rfc6582 §3.2, step 4, exit type=test
// "exit the fast recovery procedure".
//= rfc6675 §5.1, end type=test
// "the loss recovery algorithm outlined in this document MUST be terminated": by `pipe` 6 might be sent again.
fn in_recovery() {
    for (transport, third, cwnd) in [("reno", "10", 11), ("newreno", "10", 11), ("sack", "4*", 5)] {
        play(
            transport,
            &[TEN, FLIGHT],
            &format!(
                "0     greedy                => 0..10                     # 0 and 4 are lost
                 100   ack(0, 1..2)          =>
                 101   ack(0, 1..3)          =>
                 102   ack(0, 1..4)          => 0*       | loss ssthresh 5 timer 1102
                 103   ack(0, 5..6 1..4)     =>          | dup
                 104   ack(0, 5..7 1..4)     =>          | dup
                 105   ack(0, 5..8 1..4)     => {third}  | dup cwnd {cwnd} timer 1102
                 1102  timeout               => 0*       | cwnd 1 ssthresh 2.5
                 1150  ack(0) x2             =>          | dup cwnd 1           # no inflation
                 1200  ack(4)                => 4..6*    | open cwnd 2"
            ),
        );
    }
}

#[test]
//= rfc2001 §2 type=test
// A departure: the window is halved without the inflation of fast recovery.
fn in_recovery_the_inflation_is_not_halved() {
    play(
        "reno",
        &[TEN],
        "0     greedy      => 0..10
         102   ack(0) x3   => 0*      | loss ssthresh 5 cwnd 8
         110   ack(0) x6   => 10..14  | dup cwnd 14
         1102  timeout     => 0*      | cwnd 1 ssthresh 2",
    );
}

#[test]
fn after_a_partial_ack() {
    play(
        "newreno",
        &[TEN, FLIGHT],
        "0     greedy      => 0..10                           # 0 and 4 are lost, and 4 once more
         102   ack(0) x3   => 0*      | loss ssthresh 5 cwnd 8
         110   ack(0) x5   => 10..13  | dup cwnd 13
         200   ack(4)      => 4* 13   | partial cwnd 10 timer 1200
         210   ack(4) x4   => 14..18  | dup cwnd 14
         1200  timeout     => 4*      | cwnd 1 ssthresh 2.5   # not 7, half of 14
         1300  ack(18)     => 18 19   | open cwnd 2",
    );
}

#[test]
fn after_recovery() {
    play(
        "reno",
        &[TEN],
        "0     greedy      => 0..10                           # 0 and 1 are lost
         102   ack(0) x3   => 0*      | loss ssthresh 5 cwnd 8
         110   ack(0) x5   => 10..13  | dup cwnd 13
         200   ack(1)      =>         | over cwnd 5 timer 1200
         210   ack(1) x2   =>         | dup
         1200  timeout     => 1*      | cwnd 1 ssthresh 2
         1300  ack(13)     => 13 14   | open cwnd 2",
    );
}

#[test]
//= rfc2018 §5, timeout type=test
//= rfc2018 §5.1, ignore type=test
//= rfc2018 §5, left edge type=test
// "After a retransmit timeout the data sender SHOULD turn off all of the SACKed bits, since the timeout might indicate that
// the data receiver has reneged. The data sender MUST retransmit the segment at the left edge of the window".
fn sack_forgets_what_was_reported() {
    for pipe in ["fall-floyd", "rfc6675"] {
        play(
            "sack",
            &[TEN, ("pipe", pipe)],
            "0     greedy                 => 0..10
             100   ack(0, 1..3)           =>
             1000  timeout                => 0*      | cwnd 1
             1100  ack(1)                 => 1..3*   | open cwnd 2    # it had been reported, but is no longer",
        );
    }
}

#[test]
//= rfc6675 §5.1, reports type=test
// "If there are segments missing from the receiver's buffer following processing of the retransmitted segment, the
// corresponding ACK will contain SACK information. In this case, a TCP sender SHOULD use this SACK information".
fn sack_uses_what_is_reported_after_it() {
    for pipe in ["fall-floyd", "rfc6675"] {
        play(
            "sack",
            &[TEN, ("pipe", pipe)],
            "0     greedy                 => 0..10              # 0, 4 and 6 are lost
             1000  timeout                => 0*      | cwnd 1 ssthresh 5
             1100  ack(4, 7..10 5..6)     => 4*      | open cwnd 2     # 5 is not sent again
             1200  ack(6, 7..10)          => 6*      | open cwnd 3     # nor 7 and 8
             1300  ack(10)                => 10..14  | open cwnd 4",
        );
    }
}

#[test]
//= rfc6675 §5.1 type=test
//= rfc6675 §5.1, point type=test
// "a new recovery phase [...] MUST NOT be initiated until HighACK is greater than or equal to the new value of RecoveryPoint."
fn sack_starts_no_recovery_before_the_recovery_point() {
    for pipe in ["fall-floyd", "rfc6675"] {
        play(
            "sack",
            &[TEN, FLIGHT, ("pipe", pipe)],
            "0     greedy                 => 0..10
             1000  timeout                => 0*        | cwnd 1 ssthresh 5
             1010  ack(1)                 => 1..3*     | open cwnd 2
             1011  ack(1, 4..5)           =>           | dup
             1012  ack(1, 4..6)           =>           | dup
             1013  ack(1, 4..7)           =>           | dup cwnd 2
             1014  ack(1, 4..8)           =>           | dup
             1020  ack(10)                => 10..13    | open cwnd 3",
        );
    }
    // HighACK equal to RecoveryPoint is enough.
    play(
        "sack",
        &[TEN, FLIGHT],
        "0     greedy                 => 0..10
         1000  timeout                => 0*        | cwnd 1 ssthresh 5
         1010  ack(4)                 => 4..6*     | open cwnd 2
         1020  ack(5)                 => 6..8*     | open cwnd 3
         1021  ack(6)                 => 8..10*    | open cwnd 4
         1022  ack(10)                => 10..15    | open cwnd 5
         1030  ack(10, 11..12)        =>           | dup
         1031  ack(10, 11..13)        =>           | dup
         1032  ack(10, 11..14)        => 10*       | loss ssthresh 2.5",
    );
}
