//! Spurious congestion: what is undone, and what is not.

use super::play;
use std::format;

/// Eight segments at the start, on a path of 100 ms: the timeout is 300 ms once that is measured.
const EIGHT: &[(&str, &str)] = &[("initial_window", "8 segments"), ("ecn", "false")];

const SACK: [(&str, &[(&str, &str)]); 3] = [
    ("sack", &[("pipe", "fall-floyd")]),
    ("sack", &[("pipe", "rfc6675")]),
    ("sack", &[("pipe", "rfc6675"), ("reduction", "prr")]),
];
/// Without probes, which are tried by the other tests.
const RACK: [(&str, &[(&str, &str)]); 2] = [
    ("rack-tlp", &[("tlp", "false"), ("reduction", "classic")]),
    ("rack-tlp", &[("tlp", "false")]),
];

/// By cumulative acks, which have F-RTO alone.
const CUMULATIVE: [(&str, &[(&str, &str)]); 2] = [("reno", &[]), ("newreno", &[])];

/// Plays with `more` switched on, and several controllers.
fn all(repairs: &[(&str, &[(&str, &str)])], more: &[(&str, &str)], script: &str) {
    for control in ["reno", "cubic", "dctcp"] {
        for (repair, own) in repairs {
            let texts = [EIGHT, own, more].concat();
            play(&format!("{control}+{repair}"), &texts, script);
        }
    }
}

#[test]
//= rfc3522 §3.2, step 2 type=test
//= rfc3522 §3.2, step 3 type=test
//= rfc3522 §3.2, step 4 type=test
//= rfc4015 §3.2, resume type=test
//= linux §tcp_input.c, undo type=test
// A delay comes: the timer runs out, although nothing is lost. The first ack echoes the first transmission of segment 1.
fn the_first_ack_echoes_the_first_transmission() {
    let eifel = [("eifel", "true")];
    let script = "
         0    release(100)      => 0..8
         100  ack(1)            => 8 9   | open cwnd 9
         400  timeout           => 1*    | cwnd 1
         430  ack(2 by 1@0)     => 10    | spurious cwnd 9
         440  ack(3 by 2)       => 11 12 | open cwnd 10";
    all(&SACK, &eifel, script);
    all(&RACK, &eifel, script);
    // The same after a second timeout for the same segment, to which F-RTO does not apply.
    let both = [("eifel", "true"), ("frto", "true")];
    let script = "
         0    release(100)      => 0..8
         100  ack(1)            => 8 9   | open cwnd 9
         400  timeout           => 1*    | cwnd 1
         1000 timeout           => 1*    | cwnd 1
         1030 ack(2 by 1@0)     => 10    | spurious cwnd 9";
    all(&SACK, &both, script);
    all(&RACK, &both, script);
}

#[test]
//= rfc3522 §3.2, step 4 type=test
// Segment 1 is lost, and so are the others: the ack is of the retransmission.
fn a_genuine_timeout_is_not_undone() {
    let ways = [("eifel", "true"), ("dsack_undo", "true"), ("dsack", "true")];
    let script = "
         0    release(100)      => 0..8
         100  ack(1)            => 8 9   | open cwnd 9
         400  timeout           => 1*    | cwnd 1
         500  ack(2 by 1)       => 2..4* | open cwnd 2
         600  ack(3 by 2)       => 4..6* | open cwnd 3";
    all(&SACK, &ways, script);
    all(&RACK, &ways, script);
}

#[test]
//= rfc5682 §2.1, step 2b type=test
//= rfc5682 §2.1, step 3b type=test
//= rfc5682 §3.1, step 3b type=test
// The first ack may be of either transmission of segment 1. New data is sent, and the second ack is of what was sent once.
fn the_second_ack_is_of_what_was_not_sent_again() {
    let frto = [("frto", "true")];
    let script = "
         0    release(100)      => 0..8
         100  ack(1)            => 8 9   | open cwnd 9
         400  timeout           => 1*    | cwnd 1
         430  ack(2 by 1@0)     => 10 11 | open cwnd 2
         440  ack(3 by 2)       =>       | spurious cwnd 9
         450  ack(4 by 3)       => 12 13 | open cwnd 10";
    all(&CUMULATIVE, &frto, script);
    all(&SACK, &frto, script);
    all(&RACK, &frto, script);
}

#[test]
//= rfc5682 §2.1, step 3a type=test
// The second ack is a duplicate, for the new data: the old data is lost, and is sent again.
fn after_a_genuine_timeout_the_second_ack_is_a_duplicate() {
    let frto = [("frto", "true")];
    let start = "
         0    release(100)      => 0..8
         100  ack(1)            => 8 9   | open cwnd 9
         400  timeout           => 1*    | cwnd 1
         500  ack(2 by 1)       => 10 11 | open cwnd 2";
    let script = format!(
        "{start}
         600  ack(2 by 10, 10..11) => 2*    | dup cwnd 2    # one of the two new segments is still in flight
         601  ack(2 by 11, 10..12) => 3*    | dup cwnd 2
         700  ack(3 by 2, 10..12)  => 4..6* | open cwnd 3"
    );
    all(&CUMULATIVE, &frto, &script);
    all(&SACK, &frto, &script);
    all(&RACK, &frto, &script);
}

#[test]
//= rfc5682 §2.1, step 1 type=test
//= rfc5682 §2.1, step 2a type=test
//= rfc5682 §2.1, step 2b type=test
fn where_frto_does_not_apply_the_old_data_is_sent_again() {
    let frto = [("frto", "true")];
    let start = "100  ack(1)            => 8 9   | open cwnd 9
         400  timeout           => 1*    | cwnd 1";
    // There is nothing new to send.
    let script = format!("0 release(10) => 0..8\n{start}\n500 ack(2 by 1) => 2..4* | open cwnd 2");
    all(&CUMULATIVE, &frto, &script);
    all(&SACK, &frto, &script);
    all(&RACK, &frto, &script);
    // The timer had run out for the same data before.
    let script = format!(
        "0 release(100) => 0..8\n{start}
         1000 timeout           => 1*    | cwnd 1
         1100 ack(2 by 1)       => 2..4* | open cwnd 2"
    );
    all(&CUMULATIVE, &frto, &script);
    all(&SACK, &frto, &script);
    all(&RACK, &frto, &script);
    // The first ack is a duplicate.
    let script = format!(
        "0 release(100) => 0..8\n{start}
         500  ack(1 by 5)       =>       | dup cwnd 1
         510  ack(2 by 1)       => 2..4* | open cwnd 2"
    );
    all(&CUMULATIVE, &frto, &script);
    all(&SACK, &frto, &script);
}

#[test]
//= rfc3708 §2, count type=test
// One segment was sent again, and one has arrived twice. With two that were sent again, one is not enough.
fn all_that_was_sent_again_has_arrived_twice() {
    let dsack = [("dsack_undo", "true"), ("dsack", "true")];
    let start = "0    release(100)      => 0..8
         100  ack(1)            => 8 9   | open cwnd 9
         400  timeout           => 1*    | cwnd 1";
    let script = format!(
        "{start}
         430  ack(10 by 9)         => 10 11  | open cwnd 2
         431  ack(10 by 1, 1..2)   => 12..19 | spurious cwnd 9"
    );
    all(&SACK, &dsack, &script);
    all(&RACK, &dsack, &script);
    let script = format!(
        "{start}
         430  ack(2 by 1@0)        => 2..4*  | open cwnd 2
         440  ack(10 by 9)         => 10..13 | open cwnd 3
         450  ack(10 by 1, 1..2)   =>        | dup cwnd 3
         460  ack(10 by 2, 2..3)   =>        | dup cwnd 3
         470  ack(10 by 3, 3..4)   => 13..19 | spurious cwnd 9"
    );
    // Fall & Floyd's count takes the three duplicates for a loss.
    all(&SACK[1..], &dsack, &script);
    all(&RACK, &dsack, &script);
}

#[test]
//= rfc3522 §3.2, step 4 type=test
// Segment 1 is overtaken by three others, and then arrives.
fn a_fast_retransmit_of_what_was_only_late_is_undone() {
    let eifel = [("eifel", "true")];
    let script = "
         0    release(100)               => 0..8
         100  ack(1)                     => 8 9    | open cwnd 9
         110  ack(1 by 2, 2..3)          =>        | dup cwnd 9
         111  ack(1 by 3, 2..4)          =>        | dup cwnd 9
         112  ack(1 by 4, 2..5)          => 1*     | loss
         120  ack(5 by 1@0)              => 10..14 | spurious cwnd 9
         121  ack(6 by 5)                => 14 15  | open cwnd 10";
    all(&SACK[..2], &eifel, script);
    // RACK sends by what is in flight, and duplicates let out new data.
    let script = "
         0    release(100)               => 0..8
         100  ack(1)                     => 8 9    | open cwnd 9
         110  ack(1 by 2, 2..3)          => 10     | dup cwnd 9
         111  ack(1 by 3, 2..4)          => 11     | dup cwnd 9
         112  ack(1 by 4, 2..5)          => 1*     | loss
         120  ack(5 by 1@0)              => 12 13  | spurious cwnd 9";
    all(&RACK, &eifel, script);
}

#[test]
//= rfc5682 §2.1, step 3b type=test
// The timeout was spurious, but segment 3 is lost: it is found as before the timeout.
fn after_a_spurious_timeout_three_duplicates_are_a_loss() {
    let script = "
         0    release(100)      => 0..8
         100  ack(1)            => 8 9   | open cwnd 9
         400  timeout           => 1*    | cwnd 1
         430  ack(2 by 1@0)     => 10 11 | open cwnd 2
         440  ack(3 by 2)       =>       | spurious cwnd 9
         441  ack(3 by 4, 4..5) =>       | dup
         442  ack(3 by 5, 4..6) =>       | dup
         443  ack(3 by 6, 4..7) => 3*    | loss";
    all(&CUMULATIVE, &[("frto", "true")], script);
    all(&SACK[..2], &[("frto", "true")], script);
}

#[test]
//= linux §tcp_input.c, tcp_enter_cwr type=test
// All that was sent again has arrived twice, but by then an echo has reduced the window for another reason.
fn after_an_echo_nothing_is_undone() {
    let texts = [
        ("initial_window", "8 segments"),
        ("ecn", "true"),
        ("dsack_undo", "true"),
        ("dsack", "true"),
    ];
    let start = "0    release(100)      => 0..8e
         100  ack(1)            => 8e 9e   | open cwnd 9
         400  timeout           => 1*      | cwnd 1
         430  ack(10 by 9)      => 10ew 11e | open cwnd 2";
    let late = format!(
        "{start}
         431  ack(10 by 1, 1..2)   => 12..19e | spurious cwnd 9"
    );
    // ssthresh is at least two segments, so the window stays as it is.
    let echo = format!(
        "{start}
         530  ack(11 ece)          => 12ew  | open cwnd 2
         531  ack(11 by 1, 1..2)   =>       | dup cwnd 2"
    );
    for (repair, own) in SACK.iter().chain(&RACK) {
        for script in [&late, &echo] {
            play(&format!("reno+{repair}"), &[&texts, *own].concat(), script);
        }
    }
}

#[test]
//= rfc5682 §3.1, step 1 type=test
// The timeout ends a fast recovery, which has sent segment 1 again: the ack of that says nothing about the others.
fn frto_does_not_begin_in_a_fast_recovery() {
    let script = "
         0    release(100)               => 0..8
         100  ack(1)                     => 8 9    | open cwnd 9
         110  ack(1 by 2, 2..3)          =>        | dup
         111  ack(1 by 3, 2..4)          =>        | dup
         112  ack(1 by 4, 2..5)          => 1*     | loss
         412  timeout                    => 1*     | cwnd 1
         512  ack(5 by 1)                => 5* 6*  | open cwnd 2";
    all(&SACK[..2], &[("frto", "true")], script);
    // RACK sends by what is in flight.
    let script = "
         0    release(100)               => 0..8
         100  ack(1)                     => 8 9    | open cwnd 9
         110  ack(1 by 2, 2..3)          => 10     | dup
         111  ack(1 by 3, 2..4)          => 11     | dup
         112  ack(1 by 4, 2..5)          => 1*     | loss
         312  timeout                    => 1*     | cwnd 1
         412  ack(5 by 1)                => 5* 6*  | open cwnd 2";
    all(&RACK, &[("frto", "true")], script);
}
