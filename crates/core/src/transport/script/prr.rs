//! Scripts for proportional rate reduction: the two examples of RFC 9937, and what follows them.

use super::play;

/// Reno with 20 segments in flight, SACK and limited transmit. The RFC's cwnd is before limited transmit.
const TWENTY: &[(&str, &str)] = &[
    ("pipe", "rfc6675"),
    ("reduction", "prr"),
    ("limited_transmit", "true"),
    ("initial_window", "20 segments"),
    ("initial_ssthresh", "20 segments"),
];

#[test]
//= rfc9937 §8, Fig. 1 type=test
//= rfc9937 §6.1, RecoverFS type=test
//= rfc9937 §6.2, DeliveredData type=test
//= rfc9937 §6.2, inflight type=test
//= rfc9937 §6.3 type=test
//= rfc9937 §6.4 type=test
// Segment 0 is lost. The window comes down from 20 to 10 in the course of the round trip. Figure 1 differs for the acks of 19 and 20: the
// first lets a segment out, at a window of 11, the second none. By the RFC's algorithm it is the reverse, because 10 in flight are not more
// than ssthresh.
fn a_single_loss() {
    play(
        "sack",
        TWENTY,
        "0    greedy           => 0..20
         101  ack(0, 1..2)     => 20  | dup cwnd 20
         102  ack(0, 1..3)     => 21  | dup cwnd 20
         103  ack(0, 1..4)     => 0*  | loss cwnd 19
         104  ack(0, 1..5)     =>     | dup cwnd 18
         105  ack(0, 1..6)     => 22  | dup cwnd 18
         106  ack(0, 1..7)     =>     | dup cwnd 17
         107  ack(0, 1..8)     => 23  | dup cwnd 17
         108  ack(0, 1..9)     =>     | dup cwnd 16
         109  ack(0, 1..10)    => 24  | dup cwnd 16
         110  ack(0, 1..11)    =>     | dup cwnd 15
         111  ack(0, 1..12)    => 25  | dup cwnd 15
         112  ack(0, 1..13)    =>     | dup cwnd 14
         113  ack(0, 1..14)    => 26  | dup cwnd 14
         114  ack(0, 1..15)    =>     | dup cwnd 13
         115  ack(0, 1..16)    => 27  | dup cwnd 13
         116  ack(0, 1..17)    =>     | dup cwnd 12
         117  ack(0, 1..18)    => 28  | dup cwnd 12
         118  ack(0, 1..19)    =>     | dup cwnd 11
         119  ack(0, 1..20)    =>     | dup cwnd 10
         120  ack(0, 1..21)    => 29  | dup cwnd 10
         121  ack(0, 1..22)    => 30  | dup cwnd 10
         122  ack(22)          => 31  | over cwnd 10",
    );
}

#[test]
//= rfc9937 §8, Fig. 2 type=test
//= rfc9937 §6.2, SafeACK type=test
//= rfc9937 §6.2, CRB type=test
//= rfc9937 §6.2, SSRB type=test
// Segments 0 to 14 are lost: as much is sent as is delivered. Then acks of retransmissions each let out one segment more.
fn a_burst_of_losses() {
    play(
        "sack",
        TWENTY,
        "0    greedy           => 0..20
         101  ack(0, 15..16)   => 20  | dup cwnd 20
         102  ack(0, 15..17)   => 21  | dup cwnd 20
         103  ack(0, 15..18)   => 0*  | loss cwnd 5
         104  ack(0, 15..19)   => 1*  | dup cwnd 5
         105  ack(0, 15..20)   => 2*  | dup cwnd 5
         201  ack(0, 15..21)   => 3*  | dup cwnd 5
         202  ack(0, 15..22)   => 4*  | dup cwnd 5
         203  ack(1, 15..22)   => 5..7*   | partial cwnd 6
         204  ack(2, 15..22)   => 7..9*   | partial cwnd 7
         205  ack(3, 15..22)   => 9..11*  | partial cwnd 8
         301  ack(4, 15..22)   => 11..13* | partial cwnd 9
         302  ack(5, 15..22)   => 13..15* | partial cwnd 10
         303  ack(6, 15..22)   => 22      | partial cwnd 10
         304  ack(7, 15..22)   => 23      | partial cwnd 10",
    );
}

#[test]
//= rfc9937 §6.2, SafeACK type=test
// The copy of 0 arrives, and so does 21; 20 is found lost with it. The ack is not safe: one segment goes out for each of the two that
// it reports.
fn an_ack_that_shows_a_further_loss_is_not_safe() {
    let start = "0    greedy           => 0..20
         101  ack(0, 15..16)   => 20  | dup
         102  ack(0, 15..17)   => 21  | dup
         103  ack(0, 15..18)   => 0*  | loss cwnd 5
         104  ack(0, 15..19)   => 1*  | dup cwnd 5
         105  ack(0, 15..20)   => 2*  | dup cwnd 5
";
    // RFC 6675 takes 20 for lost only when three segments beyond it are reported; Fall & Floyd when one is.
    let fall_floyd: &[_] = &[&[("pipe", "fall-floyd")], &TWENTY[1..]].concat();
    let last =
        |sent| std::format!("{start}         201  ack(1, 21..22 15..20) => {sent} | partial");
    play("sack", TWENTY, &last("3..6*"));
    play("sack", fall_floyd, &last("3..5*"));
}

#[test]
// After a timeout there is no reduction by proportion: the window is one segment.
fn a_timeout_ends_it() {
    play(
        "sack",
        TWENTY,
        "0    greedy           => 0..20
         101  ack(0, 15..16)   => 20  | dup
         102  ack(0, 15..17)   => 21  | dup
         103  ack(0, 15..18)   => 0*  | loss cwnd 5
         1103 timeout          => 0*  | cwnd 1
         1203 ack(1)           => 1..3*  | open cwnd 2",
    );
}

/// Ten segments in congestion avoidance, of a sender that hears echoes.
const ECHOES: &[(&str, &str)] = &[
    ("ecn", "true"),
    ("echo_reduction", "prr"),
    ("initial_window", "10 segments"),
    ("initial_ssthresh", "10 segments"),
];

#[test]
//= linux §tcp_input.c, tcp_enter_cwr type=test
// 5/10 of what arrives goes out, and nothing grows, until more is acknowledged than was outstanding at the echo. Reduced at once, the window
// lets nothing out before half of it is acknowledged.
fn after_an_echo_half_of_what_arrives_goes_out() {
    play(
        "reno+rack-tlp",
        ECHOES,
        "0    greedy      => 0..10e
         100  ack(1 ece)  => 10ew     | open cwnd 10 ssthresh 5
         101  ack(2 ece)  =>          | cwnd 9
         102  ack(3)      => 11e      | cwnd 9
         103  ack(5)      => 12e      | cwnd 8
         104  ack(9)      => 13e      | cwnd 5        # four are in flight
         105  ack(10)     => 14e      | cwnd 5
         200  ack(11)     => 15e      | cwnd 5.2",
    );
    let at_once = [&[("echo_reduction", "classic")], ECHOES].concat();
    play(
        "reno+rack-tlp",
        &at_once,
        "0    greedy      => 0..10e
         100  ack(1 ece)  =>          | open cwnd 5 ssthresh 5
         104  ack(5)      =>          | cwnd 5.2
         105  ack(6)      => 10ew     |",
    );
}

#[test]
//= linux §tcp_input.c, tcp_enter_recovery type=test
// A loss in that window of data is the same congestion: what has been sent for the echo counts.
fn a_loss_goes_on_with_the_reduction_for_an_echo() {
    play(
        "reno+rack-tlp",
        ECHOES,
        "0    greedy              => 0..10e
         100  ack(1 ece)          => 10ew     | open cwnd 10 ssthresh 5
         101  ack(1 by 2, 2..3)   =>          | dup
         102  ack(1 by 3, 2..4)   => 11e      | dup
         103  ack(1 by 4, 2..5)   => 1*       | loss ssthresh 5",
    );
}

#[test]
//= linux §tcp_input.c, tcp_enter_cwr type=test
// Nothing that this receiver says lets a segment out, but nothing is in flight, either.
fn a_reduction_for_an_echo_does_not_hold_a_sender_with_nothing_in_flight() {
    play(
        "reno+rack-tlp",
        ECHOES,
        "0    release(10)     => 0..10e
         100  ack(0, 0..10)   =>      | dup
         101  ack(0 ece)      =>      | dup
         102  ack(10)         =>      | open cwnd 5
         200  release(20)     => 10ew | cwnd 5
         300  ack(11)         => 11..16e | open cwnd 5.2",
    );
}
