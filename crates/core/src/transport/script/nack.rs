//! Scripts for repair by notices of loss: what a notice says and what it does not, losses without one, the window, the timer.
//!
//! In flight (it stands in the comments as `f`) is what has neither arrived nor been found lost.

use super::play;
use std::format;

const STATIC: &str = "static-window+nack";
const FOUR: &[(&str, &str)] = &[("window", "4 segments")];
const TEN: &[(&str, &str)] = &[("initial_window", "10 segments")];

#[test]
//= ndp-2017 §3.2 type=test
// The sender learns of each trimmed packet within a round trip, whatever waits before it: headers overtake data.
fn a_notice_sends_its_segment_again_at_once_and_says_nothing_of_others() {
    play(
        STATIC,
        &[("window", "10 segments")],
        "0   greedy         => 0..10
         20  notice(0 of 9) => 9*        | loss flight 10
         21  notice(0 of 5) => 5*        | dup               # before any ack of data
         50  ack(1)         => 10        | partial
         51  acks(2..6)     => 11..15
         60  ack(5 by 6)    => 15        | dup               # 5 is in flight again, as a transmission after that of 6
         61  ack(5 by 7)    => 16
         62  ack(5 by 8)    => 17
         70  ack(5 by 9)    => 18        | dup
         71  ack(10 by 5)   => 19        | over",
    );
}

#[test]
fn several_losses_go_lowest_first_and_before_new_segments() {
    play(
        "nack",
        TEN,
        "0   greedy         => 0..10
         20  notice(0 of 8) =>           | loss cwnd 5 ssthresh 5   # f 9
         21  notice(0 of 3) =>           | dup cwnd 5               # of the same window; f 8
         22  notice(0 of 6) =>           | dup                      # f 7
         23  notice(0 of 2) =>           | dup                      # f 6
         50  ack(1)         =>           | partial cwnd 5           # f 5
         51  ack(2)         => 2*        | partial                  # f 4
         52  ack(2 by 4)    => 3*        | dup
         53  ack(2 by 5)    => 6*
         54  ack(2 by 7)    => 8*
         55  ack(2 by 9)    => 10
         80  ack(3)         => 11        | partial
         81  ack(6 by 3)    => 12        | partial
         82  ack(8 by 6)    => 13        | partial
         83  ack(10 by 8)   => 14        | over cwnd 5
         90  ack(11)        => 15        | open cwnd 5.2",
    );
}

#[test]
fn a_retransmission_that_is_lost_goes_again_without_a_second_halving() {
    play(
        "nack",
        &[("initial_window", "4 segments")],
        "0   greedy         => 0..4
         20  notice(0 of 1) =>           | loss cwnd 2         # f 3
         50  ack(1)         =>           | partial
         51  ack(1 by 2)    => 1*        | dup                 # f 1, 2
         60  notice(1 of 1) => 1*        | dup cwnd 2
         70  notice(1 of 1) => 1*        | dup cwnd 2
         71  ack(1 by 3)    => 4         | dup
         99  ack(4 by 1)    => 5         | over cwnd 2",
    );
}

#[test]
fn the_window_is_halved_again_for_what_was_sent_after_the_first_loss() {
    play(
        "nack",
        TEN,
        "0   greedy         => 0..10
         20  notice(0 of 9) =>           | loss cwnd 5
         50  acks(1..6)     => 9*        | partial cwnd 5
         51  ack(6)         => 10        | partial
         52  ack(7)         => 11        | partial
         60  notice(7 of 9) => 9*        | dup cwnd 5
         61  notice(7 of 11) =>          | loss cwnd 2         # f 4: 7, 8, 9 and 10
         70  ack(9)         =>           | partial             # up to 12 is the second window
         90  ack(11)        => 11* 12    | partial
         99  ack(12)        => 13        | over cwnd 2",
    );
}

#[test]
fn an_ack_that_finds_an_old_loss_and_a_new_one_halves_the_window() {
    play(
        "nack",
        &[("initial_window", "8 segments")],
        "0   greedy          => 0..8
         20  notice(0 of 0)  =>           | loss cwnd 4             # f 7
         50  ack(0 by 1)     =>
         51  ack(0 by 2)     =>
         52  ack(0 by 3)     =>           | dup                     # f 4
         53  ack(0 by 4)     => 0*        | dup                     # dropped
         54  ack(0 by 5)     => 8         | dup                     # dropped: of a later window
         55  ack(0 by 6)     => 9
         56  ack(0 by 7)     => 10
         99  ack(0 by 9)     => 11        | dup cwnd 4
         101 ack(0 by 11, 9..12 1..8) => 0* 8* | loss cwnd 2        # the ack of 10 is lost
         150 ack(8 by 0)     => 12        | partial cwnd 2
         151 ack(12 by 8)    => 13        | over cwnd 2",
    );
}

#[test]
// Data keeps its order. If a segment has not arrived, but one transmitted three or more later has, the first was lost: it was not
// trimmed, or its notice was lost.
fn a_loss_without_a_notice_is_found_by_the_order_of_transmissions() {
    play(
        STATIC,
        FOUR,
        "0   greedy         => 0..4                             # 0 is dropped
         50  ack(0 by 1)    => 4         | dup
         51  ack(0 by 2)    => 5         | dup                  # two transmissions after it
         52  ack(0 by 3)    => 0* 6      | loss                 # three
         99  ack(0 by 4)    => 7         | dup                  # its retransmission is the seventh transmission, 4 the fifth
         100 ack(0 by 5)    => 8
         101 ack(0 by 6)    => 9                                # the eighth
         150 ack(0 by 7)    => 10
         151 ack(0 by 8)    => 0* 11     | dup                  # the tenth: it is lost as well
         152 ack(10 by 0)   => 12..14    | over",
    );
}

#[test]
fn a_notice_that_is_lost_delays_the_repair_and_no_more() {
    play(
        STATIC,
        FOUR,
        "0   greedy         => 0..4
         50  ack(1)         => 4                                # 1 is trimmed, its notice lost
         51  ack(1 by 2)    => 5
         52  ack(1 by 3)    => 6
         99  ack(1 by 4)    => 1* 7      | loss
         100 notice(1 of 1@0) =>         | stale                # it was only late",
    );
}

#[test]
fn a_delayed_ack_covers_more_than_its_cause() {
    play(
        STATIC,
        &[("window", "8 segments"), ("delayed_ack", "true")],
        "0   greedy         => 0..8
         50  ack(2)         => 8 9       | open
         51  ack(6)         => 10..14    | open flight 8        # of 2..6; an ack in between is lost",
    );
}

#[test]
fn what_is_reported_as_arrived_is_not_lost() {
    play(
        STATIC,
        FOUR,
        "0   greedy            => 0..4
         50  ack(0 by 3, 1..4) => 0* 4..7 | loss                # the acks of 1 and 2 are lost, not they
         51  notice(0 of 2)    =>         | stale
         60  repeat(0, 4..9)   => 7..10   | dup                 # 4, 5 and 6 have arrived as well; beyond that it is nonsense",
    );
}

#[test]
fn a_notice_that_is_old_doubled_or_of_nothing_does_nothing() {
    play(
        STATIC,
        FOUR,
        "0   greedy           => 0..4
         20  notice(0 of 2)   => 2*      | loss
         21  notice(0 of 2@0) =>         | stale                # twice: 2 is in flight anew
         22  notice(0 of 9)   =>         | stale                # never sent
         23  notice(9 of 1)   =>         | stale                # more than was sent
         50  ack(2)           => 4 5     | partial
         51  notice(0 of 1)   =>         | stale                # acknowledged
         52  notice(2 of 3@5) =>         | stale                # no such transmission: it counts as the first of all
         53  ack(2 by 3)      => 6       | dup
         54  notice(2 of 3)   =>         | stale                # it has arrived
         55  notice(4 of 5)   => 5* 7    | loss                 # of a later window; it acknowledges, too: 2 has arrived
         56  notice(4 of 5@0) =>         | stale",
    );
}

#[test]
// Once the cumulative ack covers 2, segment 2 has arrived: the notice of its loss was of another transmission.
fn what_has_arrived_after_all_is_not_sent_again() {
    play(
        "nack",
        &[("initial_window", "4 segments")],
        "0   greedy         => 0..4
         20  notice(0 of 2) =>           | loss cwnd 2
         40  ack(4)         => 4 5       | over",
    );
}

#[test]
fn nothing_goes_beyond_the_receivers_window_or_the_data() {
    play(
        STATIC,
        &[("window", "100 segments"), ("max_window", "4 segments")],
        "0   greedy         => 0..4
         20  notice(0 of 0) => 0*        | loss
         50  ack(0 by 1)    =>           | dup                  # 4 would be the fifth from 0
         51  ack(0 by 3)    =>           | dup
         70  ack(3 by 0)    => 4..7      | partial",
    );
    play(
        STATIC,
        FOUR,
        "0   release(5)     => 0..4
         20  notice(0 of 3) => 3*        | loss
         50  ack(3)         => 4         | partial
         70  ack(4)         =>           | over
         71  ack(5)         =>           | open timer off",
    );
}

#[test]
fn the_timer_counts_from_the_last_transmission_and_all_in_flight_is_lost_then() {
    let script = "0    greedy         => 0..4
         100  ack(1)         => 4 5       | measured timer 400     # 100 + 4 * 50 after the last transmission
         120  notice(1 of 3) =>           | loss cwnd 2 timer 420  # f 3
         150  ack(1 by 2)    =>           | dup                    # f 2, and nothing more comes
         420  timeout        => 1*        | cwnd 1";
    let fine = [
        ("initial_window", "4 segments"),
        ("tick", "1 ms"),
        ("min_rto", "0 s"),
    ];
    play("nack", &fine, script);
    // The sender knows what has arrived. A late ack of a presumed loss prevents its retransmission, and no loss is found a second time.
    play(
        "nack",
        &fine,
        &format!(
            "{script}
             500  ack(3 by 1)    => 3* 4*     | open cwnd 2
             501  ack(3 by 5@0)  =>           | dup                    # f 2
             510  notice(3 of 3) => 3*        | dup cwnd 2             # from before the timeout
             600  ack(6 by 4)    => 6 7       | open cwnd 2.5"
        ),
    );
}

#[test]
// Losses of such segments belong to the timeout, whether a recovery was going on or not.
fn after_a_timeout_what_was_outstanding_halves_no_window() {
    play(
        "nack",
        &[("initial_window", "4 segments")],
        "0    greedy          => 0..4
         1000 timeout         => 0*       | cwnd 1 ssthresh 2
         1010 notice(0 of 3@0) =>         | stale                   # it was only late
         1020 notice(0 of 0)  => 0*       | dup cwnd 1 ssthresh 2
         1050 ack(1)          => 1..3*    | open measured cwnd 2    # the echo tells it from the first transmission
         1060 notice(1 of 2)  => 2*       | dup cwnd 2",
    );
}

#[test]
// A notice has not waited behind data, and the answer to a damaged packet repeats an earlier ack.
fn only_an_ack_of_data_measures_the_round_trip() {
    play(
        STATIC,
        FOUR,
        "0   greedy         => 0..4
         10  repeat(0)      =>           | stale unmeasured
         20  notice(0 of 2) => 2*        | loss unmeasured
         50  ack(1)         => 4         | partial measured
         51  ack(2)         => 5         | partial measured
         52  notice(2 of 4) => 4*        | loss unmeasured
         53  ack(2 by 3)    => 6         | dup measured             # and the notice has not spoilt the earlier ones
         54  repeat(2) x3   =>           | stale unmeasured",
    );
}

#[test]
// "A pair of which one segment or one ack is lost says nothing": a notice is no ack of its half.
fn a_notice_is_no_half_of_a_pair() {
    play(
        "packet-pair+nack",
        &[("tick", "1 ms"), ("min_rto", "0 s")],
        "0   greedy         => 0 1
         1   notice(0 of 0) =>           | loss
         40  ack(0 by 1)    => 0* 2      | dup                      # no spacing of 39 ms: the next pair goes at once, as the first did
         80  ack(1 by 0)    =>           | partial
         90  ack(3 by 2)    => 3 4       | over",
    );
}

#[test]
fn a_window_that_closes_opens_again() {
    play(
        "tahoe+nack",
        &[("initial_window", "4 segments")],
        "0   greedy         => 0..4
         20  notice(0 of 2) =>           | loss cwnd 1 ssthresh 2
         50  ack(1)         =>           | partial
         51  ack(2)         =>           | partial
         52  ack(2 by 3)    => 2*        | dup
         99  ack(4 by 2)    => 4         | over cwnd 1
         150 ack(5)         => 5 6       | open cwnd 2",
    );
}
