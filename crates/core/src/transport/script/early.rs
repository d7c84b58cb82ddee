//! Early retransmit: at the end of the data, fewer duplicates are enough.

use super::play;
use std::format;

const REPAIRS: [(&str, &[(&str, &str)]); 5] = [
    ("reno", &[]),
    ("newreno", &[]),
    ("sack", &[("pipe", "fall-floyd")]),
    ("sack", &[("pipe", "rfc6675")]),
    ("sack", &[("pipe", "rfc6675"), ("reduction", "prr")]),
];

/// Plays with early retransmit, and with `more`.
fn all(more: &[(&str, &str)], script: &str) {
    for (repair, own) in REPAIRS {
        let early = [
            ("early_retransmit", "true"),
            ("initial_window", "8 segments"),
        ];
        play(
            &format!("reno+{repair}"),
            &[own, more, &early].concat(),
            script,
        );
    }
}

#[test]
//= rfc5827 §3.2, (3.a) type=test
//= rfc5827 §3.2, ER_thresh type=test
//= rfc5827 §3.2, SACK type=test
// Three segments are all that there is, or two.
fn all_duplicates_that_can_come_are_enough() {
    all(
        &[],
        "0    release(3)        => 0..3
         100  ack(0 by 1, 1..2) =>       | dup
         101  ack(0 by 2, 1..3) => 0*    | loss
         200  ack(3 by 0)       =>       | over timer off",
    );
    all(
        &[],
        "0    release(2)        => 0 1
         100  ack(0 by 1, 1..2) => 0*    | loss
         200  ack(2 by 0)       =>       | over timer off",
    );
    // Without it the timer must run out.
    for (repair, own) in REPAIRS {
        let eight = [("initial_window", "8 segments")];
        let script = "0    release(2)        => 0 1
         100  ack(0 by 1, 1..2) =>       | dup
         101  wait              =>";
        play(&format!("reno+{repair}"), &[own, &eight].concat(), script);
    }
}

#[test]
//= rfc5827 §3.2, SACK type=test
// A duplicate that reports nothing new is none for a sender with SACK, which knows that segment 2 has not arrived.
fn a_sender_with_sack_waits_for_the_reports() {
    for (repair, own) in &REPAIRS[2..] {
        let early = [
            ("early_retransmit", "true"),
            ("initial_window", "8 segments"),
        ];
        let script = "0    release(3)        => 0..3
         100  ack(0 by 1, 1..2) =>       | dup
         101  ack(0 by 1, 1..2) =>       | dup
         102  ack(0 by 2, 1..3) => 0*    | loss";
        play(
            &format!("reno+{repair}"),
            &[own, &early[..]].concat(),
            script,
        );
    }
}

#[test]
//= rfc5827 §3.2, (3.a) type=test
//= rfc5827 §3.2, not type=test
// Four segments are outstanding, so that three duplicates can come.
fn with_four_outstanding_three_duplicates_are_needed() {
    all(
        &[],
        "0    release(4)        => 0..4
         100  ack(0 by 1, 1..2) =>       | dup
         101  ack(0 by 2, 1..3) =>       | dup
         102  ack(0 by 3, 1..4) => 0*    | loss",
    );
}

#[test]
//= rfc5827 §3.2, (3.b) type=test
//= rfc5827 §3.2, not type=test
// There is more to send, which limited transmit does: its acks are duplicates, too. Where the receiver's window ends, nothing can be sent.
fn while_there_is_more_to_send_limited_transmit_has_it() {
    let limited = [("limited_transmit", "true"), ("max_cwnd", "3 segments")];
    all(
        &limited,
        "0    release(9)        => 0..3
         100  ack(0 by 1, 1..2) => 3     | dup
         101  ack(0 by 2, 1..3) => 4     | dup
         200  ack(0 by 3, 1..4) => 0*    | loss",
    );
    all(
        &[("max_window", "3 segments")],
        "0    release(9)        => 0..3
         100  ack(0 by 1, 1..2) =>       | dup
         101  ack(0 by 2, 1..3) => 0*    | loss",
    );
}
