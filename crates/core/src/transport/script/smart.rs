//! Scripts for SMART and go-back-N: the paper's examples, its two algorithms for lost retransmissions, the last resort.
//!
//! The paper's ack (2, 7) (all up to 2 have arrived, 7 caused it) is `ack(3 by 7)` here: the next segment expected is 3.

use super::play;

const TEN: (&str, &str) = ("window", "10 segments");

#[test]
//= keshav-morgan-1997 §3 type=test
// "if the source receives an ack that has a header (2,7) [...] the source guesses that packets with sequence numbers 3, 4, 5, and 6
// are lost"; "(2,7), and (2,9) [...] on receiving the second ack, the source only retransmits 8".
fn what_lies_between_is_sent_again_once() {
    play(
        "smart",
        &[TEN],
        "0   greedy      => 0..10
         50  acks(1..4)  => 10..13          | open
         51  ack(3 by 7) => 3..7* 13        | loss flight 11   # 7 has left the network
         52  ack(3 by 9) => 8* 14           | dup              # and 9
         53  ack(3 by 9) =>                 | stale
         98  ack(3 by 10) => 15             | dup
         99  ack(4 by 3) => 16              | partial
         100 ack(8 by 6) => 17..20          | partial          # 4 and 5 have arrived, too; their acks were lost
         101 ack(8 by 4) =>                 | stale",
    );
}

#[test]
//= keshav-morgan-1997 §3 type=test
// The controller's window bounds what is in the network; the receiver's window bounds what the receiver would have to hold.
fn the_error_control_window_is_apart_from_the_flow_control_window() {
    play(
        "smart",
        &[("window", "3 segments"), ("max_window", "6 segments")],
        "0   greedy      => 0..3
         50  ack(0 by 1) => 0* 3            | loss
         51  ack(0 by 2) => 4               | dup
         102 ack(5 by 0) => 5..8            | over     # 3 and 4 have arrived, too
         150 ack(5 by 6) => 5* 8            | loss
         151 ack(7 by 5) => 9               | partial",
    );
    // Without a limit on what is in the network, only the receiver's room limits the sender.
    play(
        "smart",
        &[("window", "100 segments"), ("max_window", "4 segments")],
        "0   greedy      => 0..4
         50  ack(0 by 1) => 0*              | loss
         51  ack(0 by 2) =>                 | dup      # 4 would be the fifth from 0
         100 ack(4 by 0) => 4..8            | over",
    );
}

#[test]
//= keshav-morgan-1997 §3 type=test
// "when the next packet would have id 213, if the cumulative ack is still 51 when an ack with id 213 is received, the source
// retransmits 52"; "the source thus places two copies of the same packet in the retransmission queue".
fn an_ack_of_a_later_transmission_shows_that_a_retransmission_is_lost() {
    play(
        "smart",
        &[("window", "4 segments")],
        "0   greedy     => 0..4
         50  ack(0 by 1) => 0* 4            | loss
         51  ack(0 by 2) => 5               | dup
         52  ack(0 by 3) => 6               | dup       # sent before the retransmission: says nothing of it
         100 ack(0 by 4) => 0* 0* 7         | dup       # sent after it
         101 ack(0 by 5) => 8               | dup       # sent before the copies
         102 ack(0 by 6) => 9
         150 ack(0 by 7) => 0* 0* 10        | dup       # they are lost as well",
    );
}

#[test]
fn either_copy_will_do() {
    const TWICE: &str = "
         0   greedy     => 0..4
         50  ack(0 by 1) => 0* 4            | loss
         51  ack(0 by 2) => 5
         52  ack(0 by 3) => 6
         100 ack(0 by 4) => 0* 0* 7
         101 ack(0 by 5) => 8
         102 ack(0 by 6) => 9";
    let script = |rest: &str| std::format!("{TWICE}\n{rest}");
    let four = [("window", "4 segments")];
    play(
        "smart",
        &four,
        &script(
            "150 ack(7 by 0@2) => 10    | over
             151 ack(7 by 0@3) =>       | stale
             152 ack(8 by 7)   => 11    | open",
        ),
    );
    play(
        "smart",
        &four,
        &script(
            "151 ack(7 by 0@3) => 10    | over
             152 ack(8 by 7)   => 11    | open",
        ),
    );
}

#[test]
//= keshav-morgan-1997 §3 type=test
// Two retransmissions are outstanding. In the paper the state of the second overwrites that of the first, so the loss of the first is
// found when an ack outruns the second while the cumulative ack has not moved.
fn of_several_retransmissions_the_last_is_tracked_or_each() {
    const LOSSES: &str = "
         0   greedy      => 0..5
         50  ack(0 by 1) => 0* 5            | loss
         51  ack(0 by 3) => 2* 6            | dup
         52  ack(0 by 4) => 7               | dup";
    let script = |rest: &str| std::format!("{LOSSES}\n{rest}");
    let each = [("window", "5 segments")];
    let last = [("window", "5 segments"), ("tracking", "last")];
    // The first is lost again. The ack of 5 has outrun it, but not the second.
    play(
        "smart",
        &each,
        &script("100 ack(0 by 5) => 0* 0* 8    | dup"),
    );
    play(
        "smart",
        &last,
        &script(
            "100 ack(0 by 5) => 8              | dup
             101 ack(0 by 2) => 9              | dup
             102 ack(0 by 6) => 0* 0* 10       | dup",
        ),
    );
    // The first has arrived, the second has not: the cumulative ack has moved, so the paper's test finds nothing.
    play(
        "smart",
        &each,
        &script(
            "100 ack(2 by 0) => 8              | partial
             101 ack(2 by 5) => 9              | dup
             102 ack(2 by 6) => 2* 2* 10       | dup",
        ),
    );
    play(
        "smart",
        &last,
        &script(
            "100 ack(2 by 0) => 8              | partial
             101 ack(2 by 5) => 9              | dup
             102 ack(2 by 6) => 10             | dup",
        ),
    );
}

#[test]
//= keshav-morgan-1997 §3 type=test
// "every time the source sends a fast retransmission, it sets a timer to expire one round-trip-time from the current time [...]
// somewhat larger than the measured smoothed round-trip-time".
fn or_a_timer_shows_it() {
    let timer = [
        ("window", "4 segments"),
        ("lost_retransmission", "timer"),
        ("tick", "1 ms"),
        ("min_rto", "0 s"),
    ];
    const LOST: &str = "
         0   greedy      => 0..4
         40  ack(1)      => 4               | rto 80
         40  ack(1 by 2) => 1* 5            | loss
         41  ack(1 by 3) => 6";
    let script = |rest: &str| std::format!("{LOST}\n{rest}");
    // The timer expires at 40 + 1.25 * 40 = 90. Acks that outrun the retransmission say nothing.
    play(
        "smart",
        &timer,
        &script(
            "80  ack(1 by 4) => 7              | dup
             81  ack(1 by 5) => 8              | dup
             89  wait        =>
             90  wait        => 1* 1*",
        ),
    );
    play(
        "smart",
        &timer,
        &script(
            "80  ack(4 by 1) => 7              | partial
             90  wait        =>",
        ),
    );
}

#[test]
fn a_retransmission_before_the_first_round_trip_stops_no_timer() {
    play(
        "smart",
        &[
            ("window", "4 segments"),
            ("lost_retransmission", "timer"),
            ("tick", "1 ms"),
            ("min_rto", "0 s"),
        ],
        "0    greedy      => 0..4
         1000 timeout     => 0..4*
         1040 ack(1 by 0) => 4
         1041 ack(1 by 2) => 1* 5
         1042 ack(1 by 3) => 6
         1081 ack(1 by 4) => 7
         1082 ack(1 by 5) => 8
         1095 wait        => 1* 1*",
    );
}

#[test]
//= keshav-morgan-1997 §3 type=test
// "On packet transmission, a per-connection timer is set to twice the smoothed round-trip-time estimate. On a timeout, the entire
// window, other than packets that are known to have been correctly received, is retransmitted."
fn the_last_resort_sends_all_that_is_not_known_to_have_arrived() {
    let fine = [
        ("window", "5 segments"),
        ("tick", "1 ms"),
        ("min_rto", "0 s"),
    ];
    play(
        "smart",
        &fine,
        "0   greedy      => 0..5            | timer 1000
         50  ack(1)      => 5               | timer 150
         60  ack(1 by 3) => 1..3* 6         | loss timer 163  # twice 51.25 ms, rounded up to a tick
         163 timeout     => 1..3* 4..7*     | timer 369",
    );
}

#[test]
//= keshav-morgan-1997 §2 type=test
// "The sources do GBN retransmission of the entire outstanding window on a timeout, simultaneously doubling the timeout value."
fn go_back_n_sends_the_whole_window_again_and_doubles() {
    play(
        "go-back-n",
        &[
            ("window", "4 segments"),
            ("tick", "1 ms"),
            ("min_rto", "0 s"),
        ],
        "0   greedy     => 0..4             | timer 1000
         40  ack(1)     => 4                | timer 120 rto 80 open
         41  ack(1) x3  =>                  | dup       # no ack proves a loss
         120 timeout    => 1..5*            | timer 280
         160 ack(2 by 1) => 5               | open timer 320 unmeasured
         201 ack(6 by 5) => 6..10           | open measured",
    );
}

#[test]
fn tahoe_without_fast_retransmit() {
    play(
        "tahoe+go-back-n",
        &[
            ("tick", "1 ms"),
            ("min_rto", "0 s"),
            ("initial_window", "4 segments"),
        ],
        "0   greedy      => 0..4
         40  ack(1)      => 4 5             | cwnd 5 timer 120
         41  ack(1) x5   =>                 | dup cwnd 5
         120 timeout     => 1*              | cwnd 1 ssthresh 2
         160 ack(6 by 1) => 6 7             | open cwnd 2",
    );
}

#[test]
fn smart_under_renos_window() {
    play(
        "reno+smart",
        &[("initial_window", "8 segments")],
        "0   greedy      => 0..8
         50  ack(1)      => 8 9             | open cwnd 9
         51  ack(1 by 2) =>                 | loss cwnd 4 ssthresh 4   # 3..10 are in the network, 1 is not
         52  ack(1 by 4) =>                 | dup cwnd 4               # of the same window
         53  ack(1 by 5) =>
         54  ack(1 by 6) => 1*
         55  ack(1 by 7) => 3*
         99  ack(8 by 1) => 10 11           | partial cwnd 4
         105 ack(10 by 9) => 12 13          | over cwnd 4
         150 ack(11 by 10) => 14            | open cwnd 4.25",
    );
}

#[test]
// Otherwise the sender would guess that all segments before it are lost, up to the largest number.
fn an_ack_that_names_what_was_never_sent_is_dropped() {
    for transport in ["smart", "static-window+nack"] {
        play(
            transport,
            &[],
            "0    release(4)                     => 0..4
             100  ack(0 by 4)                    =>        | stale
             101  ack(0 by 18446744073709551615) =>        | stale
             102  ack(1 by 0)                    =>        | flight 3",
        );
    }
}
