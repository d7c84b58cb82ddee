//! NewReno: partial acks.

use super::play;
use std::format;

const TEN: &[(&str, &str)] = &[("initial_window", "10 segments"), ("halve", "flight")];

/// 0, 3 and 6 of ten are lost; the duplicates of 1, 2, 4, 5, 7, 8, 9 arrive.
const ENTERED: &str = "
    0    greedy     => 0..10
    100  ack(0) x3  => 0*     | loss ssthresh 5 cwnd 8 timer 1100
    101  ack(0) x4  => 10 11  | dup cwnd 12
";

#[test]
//= rfc6582 §3.2, step 2, covers type=test
//= rfc6582 §3.2, step 3, partial type=test
//= rfc6582 §3.2, step 3, deflate type=test
//= rfc6582 §3.2, step 3, add back type=test
//= rfc6582 §3.2, step 3, send type=test
//= rfc6582 §3.2, step 3, on type=test
// Partial: "retransmit the first unacknowledged segment. Deflate the congestion window by the amount of new data
// acknowledged [...] If the partial ACK acknowledges at least one SMSS of new data, then add back SMSS bytes [...] Send a new
// segment if permitted by the new value of cwnd."
fn partial_acks_repair_a_loss_per_round_trip() {
    play(
        "newreno",
        TEN,
        &format!(
            "{ENTERED}
             200  ack(3)     => 3* 12   | partial cwnd 10 ssthresh 5
             210  ack(3)     => 13      | dup cwnd 11               # of 10: step 4 of RFC 5681 goes on
             211  ack(3)     => 14      | dup cwnd 12               # of 11
             300  ack(6)     => 6* 15   | partial cwnd 10
             400  ack(15)    => 16..20  | over cwnd 5 ssthresh 5    # full: cwnd to ssthresh
             500  ack(16)    => 20      | open cwnd 5.2"
        ),
    );
}

#[test]
//= rfc6582 §3.2, step 3, timer type=test
// "For the first partial ACK that arrives during fast recovery, also reset the retransmit timer": the impatient variant.
fn only_the_first_partial_ack_resets_the_timer() {
    play(
        "newreno",
        TEN,
        &format!(
            "{ENTERED}
             200   ack(3)     => 3* 12  | partial timer 1200
             300   ack(6)     => 6* 13  | partial timer 1200
             400   ack(7)     => 7* 14  | partial timer 1200
             1199  wait       =>
             1200  timeout    => 7*     | cwnd 1"
        ),
    );
}

#[test]
//= rfc6582 §3.2, step 3, full type=test
//= rfc6582 §3.2, step 3, partial type=test
// It "acknowledges all of the data up to and including recover", the highest segment sent when the loss was found.
fn an_ack_of_all_up_to_recover_is_full_and_one_segment_less_is_partial() {
    play(
        "newreno",
        TEN,
        &format!("{ENTERED}\n200 ack(10) => 12..15 | over cwnd 5"),
    );
    // 12 less 9 plus 1.
    play(
        "newreno",
        TEN,
        &format!("{ENTERED}\n200 ack(9) => 9* 12 | partial cwnd 4"),
    );
}

#[test]
//= rfc6582 §3.2, step 2, does not type=test
//= rfc6582 §3.2, step 2, covers type=test
// A new fast retransmit only if "the Cumulative Acknowledgment field covers more than recover".
fn duplicates_that_do_not_cover_recover_start_nothing() {
    let over = format!("{ENTERED}\n200 ack(10) => 12..15 | over");
    play(
        "newreno",
        TEN,
        &format!("{over}\n210 ack(10) x4 => | dup cwnd 5 ssthresh 5"),
    );
    play(
        "newreno",
        TEN,
        &format!(
            "{over}
             210  ack(11)     => 15   | open cwnd 5.2
             220  ack(11) x3  => 11*  | loss ssthresh 2.5 cwnd 5.5"
        ),
    );
}

#[test]
//= rfc6582 §3.2, step 4, recover type=test
//= rfc6582 §3.2, step 4, exit type=test
// "After a retransmit timeout, record the highest sequence number transmitted in the variable recover, and exit the
// fast recovery procedure if applicable."
fn after_a_timeout_recover_is_the_highest_sent() {
    play(
        "newreno",
        TEN,
        &format!(
            "{ENTERED}
             1100  timeout      => 0*      | cwnd 1 ssthresh 2.5
             1200  ack(3)       => 3..5*   | open cwnd 2
             1210  ack(3) x4    =>         | dup cwnd 2           # not in recovery: no inflation
             1300  ack(12)      => 12..15  | open cwnd 3
             1310  ack(12) x3   =>         | dup                  # recover is 11: 12 covers no more
             1400  ack(13)      => 15       | open cwnd 3.3333
             1410  ack(13) x3   => 13* 16 17 | loss cwnd 5"
        ),
    );
}

#[test]
//= rfc6582 §3.2, step 3, deflate type=test
// If acks are lost, a partial ack may cover more segments than inflated the window. Then only the missing segment is sent.
fn a_partial_ack_may_deflate_to_nothing() {
    play(
        "newreno",
        &[("initial_window", "30 segments"), ("halve", "flight")],
        "0    greedy      => 0..30
         100  ack(0) x3   => 0*      | loss cwnd 18
         200  ack(25)     => 25*     | partial cwnd 0
         300  ack(25) x4  =>         | dup cwnd 0
         301  ack(25) x2  =>         | dup cwnd 0
         400  ack(30)     => 30..45  | over cwnd 15",
    );
}

#[test]
//= fall-floyd-1996 §4 type=test
//= rfc5681 §4.3, advanced type=test
// NewReno repairs one dropped packet per round trip, without the timeout that Reno needs.
fn four_losses_take_four_round_trips() {
    play(
        "newreno",
        &[("initial_window", "8 segments")],
        "0    greedy     => 0..8                              # 0, 1, 2 and 3 are lost
         100  ack(0) x3  => 0*     | loss ssthresh 4 cwnd 7
         101  ack(0)     =>        | dup cwnd 8
         200  ack(1)     => 1* 8   | partial cwnd 8
         300  ack(2)     => 2* 9   | partial cwnd 8
         301  ack(2)     => 10     | dup cwnd 9               # of 8
         400  ack(3)     => 3* 11  | partial cwnd 9
         401  ack(3) x2  => 12 13  | dup cwnd 11              # of 9, 10
         500  ack(11)    => 14     | over cwnd 4",
    );
}
