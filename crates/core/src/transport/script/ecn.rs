//! Scripts for ECN: which packets are ECN-capable, one reduction per window of data, CWR. (`7e` is ECN-capable, `7ew` bears CWR.)

use super::play;
use std::vec::Vec;

/// Eight segments, in congestion avoidance.
const EIGHT: &[(&str, &str)] = &[
    ("ecn", "true"),
    ("initial_window", "8 segments"),
    ("initial_ssthresh", "8 segments"),
];

fn with(more: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    [EIGHT, more].concat()
}

#[test]
//= rfc3168 §6.1.2 type=test
//= rfc3168 §6.1.2, increase type=test
// "TCP should not react to congestion indications more than once every window of data".
fn an_echo_halves_the_window_once_and_the_next_new_segment_says_so() {
    for transport in ["tahoe", "reno", "newreno", "sack"] {
        play(
            transport,
            EIGHT,
            "0    greedy         => 0..8e
             100  ack(1 ece)     =>       | open cwnd 4 ssthresh 4 flight 7
             101  ack(2 ece)     =>       | cwnd 4                # the same window of data
             102  ack(3 ece)     =>       | cwnd 4
             103  ack(5 ece)     => 8ew   | cwnd 4                # CWR goes with the first new segment, once
             104  ack(6)         => 9e    | cwnd 4.25
             105  ack(8 ece)     => 10e 11e | cwnd 4.25           # all of that window, and nothing beyond it
             200  ack(9 ece)     =>       | cwnd 2 ssthresh 2     # a segment of the next is marked
             201  acks(10..11)   =>       | cwnd 2.5
             202  ack(11)        => 12ew  | cwnd 2.9",
        );
    }
}

#[test]
// Half a segment would let nothing out, and with nothing outstanding no ack and no timer would come.
fn an_echo_leaves_one_segment_however_the_window_is_halved() {
    for halve in ["window", "flight", "exact"] {
        play(
            "reno",
            &[
                ("ecn", "true"),
                ("initial_window", "1 segments"),
                ("halve", halve),
            ],
            "0    greedy         => 0e
             100  ack(1 ece)     => 1ew   | open cwnd 1 ssthresh 2
             200  ack(2 ece)     => 2ew   | cwnd 1",
        );
    }
}

#[test]
fn a_flow_without_ecn_hears_no_echo() {
    for transport in ["tahoe", "reno", "newreno", "sack", "nack"] {
        play(
            transport,
            &[("initial_window", "8 segments")],
            "0    greedy     => 0..8
             100  ack(1 ece) => 8 9 | open cwnd 9",
        );
    }
}

#[test]
//= rfc3168 §6.1.2 type=test
//= rfc3168 §6.1.5 type=test
// The retransmission is not ECN-capable. CWR reports this reduction as well, and is sent with new data.
fn what_is_sent_again_is_not_capable_and_a_recovery_hears_no_echo() {
    play(
        "newreno",
        EIGHT,
        "0    greedy         => 0..8e
         100  ack(0) x3      => 0*        | loss cwnd 7 ssthresh 4
         110  ack(0 ece)     =>           | dup cwnd 8
         111  ack(0 ece)     => 8ew       | dup cwnd 9 ssthresh 4
         200  ack(8 ece)     => 9..12e    | over cwnd 4 ssthresh 4  # still what was outstanding at the loss
         300  ack(9 ece)     =>           | open cwnd 2 ssthresh 2",
    );
}

#[test]
//= rfc3168 §6.1.2 type=test
// "reduced only once in response to a series of dropped and/or CE packets from a single window of data"
fn a_loss_in_a_window_of_data_that_was_echoed_halves_nothing_again() {
    play(
        "newreno",
        EIGHT,
        "0    greedy         => 0..8e
         100  ack(1 ece)     =>           | cwnd 4 ssthresh 4
         110  ack(1) x3      => 1*        | loss cwnd 7 ssthresh 4
         200  ack(8)         => 8ew 9..12e | over cwnd 4 ssthresh 4
         300  ack(9)         => 12e       | cwnd 4.25
         310  ack(9) x3      => 9* 13ew   | loss cwnd 5 ssthresh 2   # the next window, and another congestion",
    );
}

#[test]
//= rfc3168 §6.1.2 type=test
// Segment 8 is sent between the echo and the loss: it and its mark belong to the next window of data. The loss reduces nothing, so
// no second CWR reports it.
fn a_loss_that_halves_nothing_begins_no_window_of_data() {
    play(
        "newreno",
        EIGHT,
        "0    greedy         => 0..8e
         100  ack(5 ece)     => 8ew       | cwnd 4 ssthresh 4
         110  ack(5) x3      => 5* 9..12e | loss cwnd 7 ssthresh 4
         200  ack(9 ece)     =>           | over cwnd 2 ssthresh 2",
    );
}

#[test]
//= rfc3168 §6.1.2 type=test
//= rfc3168 §6.1.2, ssthresh type=test
// Tahoe goes back, whatever was echoed before, and leaves ssthresh as the echo set it.
fn tahoe_answers_a_loss_as_ever() {
    play(
        "tahoe",
        EIGHT,
        "0    greedy         => 0..8e
         100  ack(1 ece)     =>           | cwnd 4 ssthresh 4
         110  ack(1) x3      => 1*        | loss cwnd 1 ssthresh 4",
    );
}

#[test]
//= rfc3168 §6.1.2 type=test
fn a_timeout_is_a_reduction_as_well() {
    play(
        "reno",
        EIGHT,
        "0    greedy         => 0..8e
         1000 timeout        => 0*        | cwnd 1 ssthresh 4
         1100 ack(1 ece)     => 1*        | cwnd 1 ssthresh 4     # of what was sent before
         1200 ack(8)         => 8ew 9e    | cwnd 2",
    );
}

#[test]
//= rfc3168 §6.1.2, one segment type=departure
//= rfc3168 §6.1.2, one segment type=test
fn a_window_of_one_segment_stays() {
    play(
        "reno",
        &[("ecn", "true")],
        "0    greedy     => 0e
         100  ack(1 ece) => 1ew | open cwnd 1 ssthresh 2",
    );
}

#[test]
fn half_is_taken_of_what_halve_says() {
    play(
        "reno",
        &with(&[("halve", "flight")]),
        "0    release(6)  => 0..6e
         100  ack(2 ece)  =>      | cwnd 2 ssthresh 2", // half of the four that are still outstanding
    );
}

#[test]
fn a_window_that_stays_is_not_reduced_and_ends_the_echo_all_the_same() {
    for transport in ["smart", "go-back-n"] {
        play(
            transport,
            &[("ecn", "true"), ("window", "4 segments")],
            "0    greedy      => 0..4e
             100  ack(1 ece)  => 4ew   | cwnd 4
             101  ack(2)      => 5e    | cwnd 4",
        );
    }
}

/// Eight segments, beyond the threshold.
const ABE: &[(&str, &str)] = &[
    ("ecn", "true"),
    ("beta_ecn", "0.8"),
    ("initial_window", "8 segments"),
    ("initial_ssthresh", "4 segments"),
];

#[test]
//= rfc8511 §3.1 type=test
fn with_abe_an_echo_leaves_four_fifths() {
    play(
        "newreno",
        ABE,
        "0    greedy      => 0..8e
         100  ack(1 ece)  =>      | open cwnd 5.6 ssthresh 5.6   # of the seven that are outstanding
         101  ack(2 ece)  =>      | cwnd 5.6
         200  ack(8)      => 8ew 9..13e | cwnd 5.8",
    );
}

#[test]
//= rfc8511 §3.1 type=test
//= rfc8511 §4 type=test
fn with_abe_a_loss_and_an_echo_in_slow_start_halve_the_window() {
    play(
        "newreno",
        ABE,
        "0    greedy      => 0..8e
         100  ack(0) x3   => 0*   | loss cwnd 7 ssthresh 4",
    );
    play(
        "newreno",
        &[ABE[0], ABE[1], ABE[2]],
        "0    greedy      => 0..8e
         100  ack(1 ece)  =>      | open cwnd 4 ssthresh 4",
    );
}

const COUNTER: (&str, &str) = ("ecn_echo", "counter");

#[test]
//= rfc9768 §3.1.5, CWR type=test
//= rfc9768 §3.2.2.2 type=test
// The counter grows: one reduction per window of data. Without growth there is no congestion, whatever the counter is.
fn a_counter_of_marks_halves_the_window_and_no_segment_bears_cwr() {
    for transport in ["tahoe", "reno", "newreno", "sack"] {
        play(
            transport,
            &with(&[COUNTER]),
            "0    greedy         => 0..8e
             100  ack(1 marks 1) =>       | open cwnd 4 ssthresh 4 flight 7
             101  ack(2 marks 3) =>       | cwnd 4                # the same window of data
             103  ack(5 marks 3) => 8e    | cwnd 4.25
             104  ack(6 marks 3) => 9e    | cwnd 4.49
             105  ack(8 marks 3) => 10e 11e | cwnd 4.71
             200  ack(9 marks 4) =>       | cwnd 2 ssthresh 2     # a segment of the next is marked
             201  acks(10..11)   =>       | cwnd 2",
        );
    }
}

#[test]
//= rfc9000 §13.4.2.1, largest type=test
//= rfc9002 §7.1 type=test
fn quics_counter_is_a_whole_number() {
    play(
        "reno+quic",
        &with(&[COUNTER]),
        "0    greedy                   => 0..8e
         100  packets(1, 0..1)         => 8e
         101  packets(2 marks 9, 0..2) =>      | cwnd 4
         200  packets(9 marks 9, 0..9) => 9..14e",
    );
}
