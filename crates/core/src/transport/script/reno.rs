//! Reno: fast retransmit and fast recovery, and what two losses in one window do.

use super::play;
use std::format;

const TEN: (&str, &str) = ("initial_window", "10 segments");
const EIGHT: (&str, &str) = ("initial_window", "8 segments");
const FLIGHT: (&str, &str) = ("halve", "flight");

#[test]
//= rfc5681 §3.2, fast retransmit type=test
//= rfc5681 §3.2, step 3 type=test
//= rfc5681 §3.2, step 4 type=test
//= rfc5681 §3.2, step 5 type=test
//= rfc5681 §3.2, step 6 type=test
//= rfc5681 §4.3, after type=test
fn fast_retransmit_and_fast_recovery_step_by_step() {
    play(
        "reno",
        &[TEN, FLIGHT],
        "0    greedy     => 0..10   | cwnd 10
         100  ack(0)     =>         | dup cwnd 10
         101  ack(0)     =>         | dup cwnd 10 ssthresh inf
         102  ack(0)     => 0*      | loss ssthresh 5 cwnd 8   # steps 2 and 3: FlightSize / 2; ssthresh plus 3*SMSS
         103  ack(0) x2  =>         | dup cwnd 10              # step 4: cwnd MUST be incremented by SMSS
         105  ack(0)     => 10      | cwnd 11                  # step 5: previously unsent data, as cwnd allows
         106  ack(0) x3  => 11..14  | cwnd 14 ssthresh 5
         200  ack(10)    => 14      | over cwnd 5 ssthresh 5   # step 6: cwnd to ssthresh
         300  ack(11)    => 15      | open cwnd 5.2            # and on in congestion avoidance",
    );
}

#[test]
//= rfc5681 §3.2, step 6 type=test
// "When the next ACK arrives that acknowledges previously unacknowledged data", however little of it.
fn any_ack_of_new_data_ends_the_recovery() {
    play(
        "reno",
        &[TEN, FLIGHT],
        "0    greedy     => 0..10
         100  ack(0) x3  => 0*  | loss cwnd 8
         200  ack(1)     =>     | over cwnd 5",
    );
}

#[test]
//= rfc5681 §3.1, eq. 4 type=test
//= rfc5681 §3.2, step 2 type=test
//= rfc5681 §4.3, first loss type=test
// Equation 4 takes FlightSize: "an easy mistake to make is to simply use cwnd, rather than FlightSize".
//= rfc2001 §2 type=test
// "one-half of the current window size (the minimum of cwnd and the receiver's advertised window, but at least two segments)"
fn half_of_what() {
    let cases = [
        // halve, max_window, outstanding => ssthresh
        ("flight", "99 segments", 6, "3"),
        ("window", "99 segments", 6, "4"),
        ("flight", "6 segments", 6, "3"),
        ("window", "6 segments", 6, "3"),
        ("flight", "99 segments", 9, "4.5"),
        ("window", "99 segments", 9, "4"), // whole segments
        ("flight", "4 segments", 4, "2"),
        ("window", "4 segments", 4, "2"),
    ];
    for (halve, max_window, outstanding, ssthresh) in cases {
        play(
            "reno",
            &[
                ("initial_window", "9 segments"),
                ("halve", halve),
                ("max_window", max_window),
            ],
            &format!(
                "0    release({outstanding})  => 0..{outstanding} | cwnd 9
                 100  ack(0) x3               => 0*               | loss ssthresh {ssthresh}"
            ),
        );
    }
}

#[test]
//= cohen-hamo-2001 §2.2 type=test
// Two losses in W = 10: W - N = 8 duplicates, W/2 - N = 3 new segments, and just those bring the second fast retransmit.
fn two_losses_in_ten_segments_need_no_timeout() {
    play(
        "reno",
        &[TEN],
        "0    greedy     => 0..10                             # 0 and 3 are lost
         100  ack(0) x3  => 0*      | loss ssthresh 5 cwnd 8
         101  ack(0) x5  => 10..13  | dup cwnd 13
         200  ack(3)     =>         | over cwnd 5
         201  ack(3) x2  =>         | dup
         202  ack(3)     => 3*      | loss ssthresh 2 cwnd 5
         300  ack(13)    => 13 14   | over cwnd 2",
    );
}

#[test]
//= cohen-hamo-2001 §2.2 type=test
// "if only two segments are lost within a window, the window must be greater than or equal to 10".
fn two_losses_in_nine_segments_need_one() {
    play(
        "reno",
        &[("initial_window", "9 segments")],
        "0     greedy     => 0..9                             # 0 and 3 are lost
         100   ack(0) x3  => 0*    | loss ssthresh 4 cwnd 7
         101   ack(0) x4  => 9 10  | cwnd 11
         200   ack(3)     =>       | over cwnd 4
         201   ack(3) x2  =>       | dup
         1200  timeout    => 3*    | cwnd 1 ssthresh 2",
    );
}

#[test]
//= cohen-hamo-2001 §2.2 type=test
// For N = 2 the end of the recovery lets out n2 - n1 - (W - N) more: one, if the first and the last of the window are lost. So eq. (2)
// asks too much here.
fn the_first_and_the_last_of_eight_segments_need_no_timeout() {
    play(
        "reno",
        &[EIGHT],
        "0    greedy     => 0..8                            # 0 and 7 are lost
         100  ack(0) x3  => 0*    | loss ssthresh 4 cwnd 7
         101  ack(0) x3  => 8 9   | dup cwnd 10
         200  ack(7)     => 10    | over cwnd 4
         201  ack(7) x3  => 7* 11 | loss ssthresh 2 cwnd 5",
    );
}

#[test]
//= cohen-hamo-2001 §2.2, Fig. 4 type=test
// W = 24, N = 3: W/2 - N = 9 new segments, then n2 - n1 - 3W/4 = 3.
fn three_losses_in_twenty_four_segments() {
    play(
        "reno",
        &[("initial_window", "24 segments")],
        "0    greedy      => 0..24                             # 0, 21 and 22 are lost
         100  ack(0) x3   => 0*      | loss ssthresh 12 cwnd 15
         101  ack(0) x18  => 24..33  | dup cwnd 33
         200  ack(21)     =>         | over cwnd 12
         201  ack(21) x3  => 21*     | loss ssthresh 6 cwnd 9
         202  ack(21) x6  => 33..36  | dup cwnd 15
         300  ack(22)     =>         | over cwnd 6
         301  ack(22) x3  => 22*     | loss ssthresh 3 cwnd 6
         400  ack(36)     => 36..39  | over cwnd 3",
    );
}

#[test]
//= rfc2582 §5 type=test
// The careful sender does not infer a second loss from the same window.
fn careful_reno_fast_retransmits_once_per_window() {
    play(
        "reno",
        &[TEN, ("careful", "true")],
        "0     greedy     => 0..10                            # 0 and 3 are lost
         100   ack(0) x3  => 0*      | loss ssthresh 5
         101   ack(0) x5  => 10..13
         200   ack(3)     =>         | over cwnd 5
         201   ack(3) x3  =>         | dup ssthresh 5 cwnd 5
         1200  timeout    => 3*      | cwnd 1 ssthresh 2
         1300  ack(13)    => 13 14   | open cwnd 2",
    );
}

/// A timeout that the network only delayed: the acks of the first transmissions bring a second one of each segment, and
/// the receiver answers those with duplicates.
const SPURIOUS: &str = "
    0     greedy      => 0..8
    1000  timeout     => 0*     | cwnd 1 ssthresh 4
    1010  acks(1..4)  => 1..7*  | open cwnd 4
    1020  ack(8)      => 8..12  | open cwnd 4.25";

#[test]
//= rfc2582 §5 type=test
// "If the duplicate ACKs don't cover send_high, then do nothing."
fn careful_reno_ignores_the_duplicates_of_its_own_go_back() {
    let reno = |careful, then: &str| {
        play(
            "reno",
            &[EIGHT, ("careful", careful)],
            &format!("{SPURIOUS}\n{then}"),
        );
    };
    reno("false", "1030 ack(8) x3 => 8* 12 | loss cwnd 5 ssthresh 2");
    reno(
        "true",
        "1030  ack(8) x7  =>        | dup cwnd 4.25 ssthresh 4
         1100  ack(9)     => 12     | open
         1110  ack(9) x3  => 9* 13  | loss                     # beyond what was outstanding then",
    );
}

#[test]
fn inflation_is_bounded_by_the_receivers_window_and_not_by_max_cwnd() {
    let dups = "0    greedy     => 0..8
                100  ack(0) x3  => 0*  | loss cwnd 7";
    play(
        "reno",
        &[EIGHT, ("max_cwnd", "8 segments")],
        &format!("{dups}\n101 ack(0) x4 => 8..11 | cwnd 11\n200 ack(8) => 11 | over cwnd 4"),
    );
    play(
        "reno",
        &[EIGHT, ("max_window", "9 segments")],
        &format!("{dups}\n101 ack(0) x4 => 8 | cwnd 11 flight 9"),
    );
}

#[test]
//= rfc5681 §3.2, step 5 type=test
// It sends "previously unsent data" only.
fn at_the_end_of_a_file_recovery_has_nothing_to_send() {
    play(
        "reno",
        &[EIGHT],
        "0    release(9)  => 0..8
         100  ack(0) x3   => 0*  | loss cwnd 7
         101  ack(0) x4   => 8   | cwnd 11
         150  release(10) => 9                    # later data goes out as the inflated window allows
         200  ack(10)     =>     | over cwnd 4 flight 0 timer off",
    );
}

#[test]
//= rfc5681 §2 type=test
// Between duplicates, an ack of new data breaks the row, but an old ack does not.
fn duplicates_are_counted_in_a_row() {
    play(
        "reno",
        &[EIGHT],
        "0    greedy     => 0..8
         100  ack(1)     => 8 9   | open
         101  ack(1) x2  =>       | dup
         102  ack(0)     =>       | stale
         103  ack(2)     => 10 11 | open
         104  ack(2) x2  =>       | dup
         105  ack(1)     =>       | stale
         106  ack(2)     => 2*    | loss",
    );
}

#[test]
fn a_host_may_hear_several_acks_before_it_sends() {
    use crate::time::Instant;
    let mut sender = super::params("reno", &[EIGHT]).sender();
    super::play_on(&mut sender, "0 greedy => 0..8\n100 ack(0) x2 =>");
    for next in [0, 5] {
        sender.handle_ack(Instant::ZERO, &super::plain(next));
    }
    // The lost segment has been acknowledged since: it is not sent again.
    assert_eq!(super::show(&super::sends(&mut sender, Instant::ZERO)), "8");
}
