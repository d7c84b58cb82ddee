//! Limited transmit: a new segment for each of the first two duplicates.

use super::play;
use std::format;

const LIMITED: (&str, &str) = ("limited_transmit", "true");
const EIGHT: (&str, &str) = ("initial_window", "8 segments");
const FLIGHT: (&str, &str) = ("halve", "flight");

#[test]
//= rfc3042 §2 type=test
// "the amount of outstanding data would remain less than or equal to the congestion window plus two segments. [...] the
// congestion window (cwnd) MUST NOT be changed when these new segments are transmitted."
//= rfc5681 §3.2, step 1 type=test
//= rfc5681 §3.2, step 1, cwnd type=test
//= rfc5681 §3.2, step 2, limited transmit type=test
// "additional data sent in limited transmit MUST NOT be included in this calculation" of ssthresh.
fn two_new_segments_that_change_neither_cwnd_nor_ssthresh() {
    for transport in ["reno", "newreno"] {
        play(
            transport,
            &[LIMITED, EIGHT, FLIGHT],
            "0    greedy     => 0..8
             100  ack(0)     => 8     | dup cwnd 8 flight 9
             101  ack(0)     => 9     | dup cwnd 8 flight 10
             102  ack(0)     => 0*    | loss ssthresh 4 cwnd 7
             103  ack(0) x4  => 10    | dup cwnd 11
             200  ack(11)    => 11..15 | over cwnd 4",
        );
    }
}

#[test]
//= rfc3042 §2 type=test
// With four segments outstanding, one loss leaves three duplicates. With fewer, the new segments cause the missing duplicates.
fn a_window_of_three_recovers_without_a_timeout() {
    let three = ("initial_window", "3 segments");
    play(
        "reno",
        &[three, LIMITED],
        "0    greedy  => 0..3          # 0 is lost
         100  ack(0)  => 3
         101  ack(0)  => 4
         200  ack(0)  => 0*  | loss",
    );
    play(
        "reno",
        &[three],
        "0     greedy     => 0..3
         100   ack(0) x2  =>
         1000  timeout    => 0*",
    );
}

#[test]
//= rfc3042 §2 type=test
// "The receiver's advertised window allows the transmission of the segment", and there is new data.
fn the_receivers_window_and_the_data_bound_it() {
    play(
        "reno",
        &[
            LIMITED,
            ("initial_window", "4 segments"),
            ("max_window", "5 segments"),
        ],
        "0    greedy     => 0..4
         100  ack(0)     => 4   | dup flight 5
         101  ack(0)     =>     | dup flight 5",
    );
    play(
        "reno",
        &[LIMITED, ("initial_window", "4 segments")],
        "0    release(4)  => 0..4
         100  ack(0) x2   =>    | dup flight 4
         102  ack(0)      => 0* | loss",
    );
}

#[test]
//= rfc5681 §3.2, step 1 type=test
// It sends "previously unsent data" only: it does not speed up a go-back.
fn it_sends_nothing_again() {
    for transport in ["tahoe", "reno", "newreno", "sack"] {
        play(
            transport,
            &[LIMITED, EIGHT],
            "0     greedy            => 0..8
             1000  timeout           => 0*    | cwnd 1
             1001  ack(0, 2..3)      =>       | dup
             1002  ack(0, 2..4)      =>       | dup cwnd 1",
        );
    }
    // Tahoe's third duplicate lets out the retransmission and no new segment.
    play(
        "tahoe",
        &[LIMITED, EIGHT, FLIGHT],
        "0    greedy     => 0..8
         100  ack(0) x2  => 8 9   | dup cwnd 8
         102  ack(0)     => 0*    | loss cwnd 1 ssthresh 4
         103  ack(0) x6  =>       | dup cwnd 1
         200  ack(10)    => 10 11 | open cwnd 2",
    );
}

#[test]
//= rfc5681 §3.2, step 1 type=test
// It is for "the first and second duplicate ACKs": a third that starts no recovery lets out nothing.
fn a_third_duplicate_that_starts_nothing_sends_nothing() {
    play(
        "newreno",
        &[LIMITED, ("initial_window", "4 segments")],
        "0     release(4)   => 0..4
         1000  timeout      => 0*       | cwnd 1
         1100  ack(4)       =>          | open cwnd 2
         1100  release(6)   => 4 5
         1200  ack(4) x3    =>          | dup
         1200  release(9)   =>          | flight 2",
    );
}

#[test]
//= rfc5681 §3.2, step 1 type=test
//= rfc6675 §5.1, point type=test
// The same with SACK, where a timeout forbids the recovery.
fn nor_with_sack() {
    play(
        "sack",
        &[LIMITED, ("initial_window", "4 segments")],
        "0     release(4)        => 0..4
         1000  timeout           => 0*      | cwnd 1
         1100  release(10)       =>
         1100  ack(3)            => 3* 4    | open cwnd 2
         1200  ack(3, 4..5)      => 5       | dup
         1201  ack(3, 4..6)      => 6       | dup
         1202  ack(3, 4..7)      =>         | dup",
    );
}

#[test]
//= rfc5681 §3.2, step 1, SACK type=test
//= rfc6675 §5, (4.2) type=test
// "a sender using SACK MUST NOT send new data unless the incoming duplicate acknowledgment contains new SACK information."
fn a_sack_sender_needs_new_information() {
    for pipe in ["fall-floyd", "rfc6675"] {
        play(
            "sack",
            &[LIMITED, EIGHT, FLIGHT, ("pipe", pipe)],
            "0    greedy            => 0..8
             100  ack(0)            =>       | dup
             101  ack(0, 1..2)      => 8     | dup cwnd 8 flight 9",
        );
        play(
            "sack",
            &[LIMITED, EIGHT, FLIGHT, ("pipe", pipe)],
            "0    greedy            => 0..8
             100  ack(0, 1..2)      => 8     | dup cwnd 8
             101  ack(0, 1..2)      =>       | dup",
        );
        play(
            "sack",
            &[LIMITED, EIGHT, FLIGHT, ("pipe", pipe)],
            "0    greedy            => 0..8
             100  ack(0, 1..2)      => 8     | dup cwnd 8
             101  ack(0, 1..3)      => 9     | dup cwnd 8
             102  ack(0, 1..4)      => 0*    | loss ssthresh 4 cwnd 4",
        );
    }
}

#[test]
//= rfc3042 §2 type=test
//= ns-2 type=test
// A timeout, or with `sack1` an ack of new data, clears the scoreboard. A copy of 2 makes the receiver repeat its report. To
// the sender it is news, and lets out a segment: "less than or equal to the congestion window plus two segments".
fn news_is_what_the_sender_does_not_know() {
    let sack1 = [EIGHT, ("pipe", "sack1"), ("limited_again", "true")];
    for (limited, sent) in [("true", "6*"), ("false", "")] {
        play(
            "sack",
            &[&sack1[..], &[("limited_transmit", limited)]].concat(),
            &format!(
                "0     greedy                => 0..8          # 0, 1, 3 and 4 are lost, and all acks
                 1000  timeout               => 0*            | cwnd 1
                 1100  ack(1, 2..3 5..8)     => 1* 2*         | open cwnd 2
                 1200  ack(3 by 1, 5..8)     => 3..6*         | open cwnd 3
                 1201  ack(3 by 2, 5..8)     => {sent}        | dup cwnd 3 flight 5
                 1300  ack(8 by 4)           => 8..12         | open cwnd 4"
            ),
        );
    }
}

#[test]
//= rfc6675 §5, (3) type=test
// (3.3): "If (cwnd - pipe) >= 1 SMSS, there exists previously unsent data, and the receiver's advertised window allows,
// transmit [...] then return to (3.2)": as many as have been reported, even by one ack.
fn rfc6675_counts_what_has_left_the_pipe() {
    let texts = |pipe| [LIMITED, EIGHT, ("pipe", pipe)];
    for (pipe, sent) in [("rfc6675", "8 9"), ("fall-floyd", "8")] {
        let script = format!("0 greedy => 0..8\n100 ack(0, 1..3) => {sent} | dup");
        play("sack", &texts(pipe), &script);
    }
}

#[test]
//= rfc6675 §5, (3) type=test
// What is reported beyond the next segment is not in `pipe`, and makes no room in the window before it either.
fn a_report_beyond_the_window_makes_no_room_in_it() {
    play(
        "sack",
        &[
            LIMITED,
            EIGHT,
            ("pipe", "rfc6675"),
            ("limited_again", "true"),
        ],
        "0     greedy            => 0..8           # all lost but 4
         1000  timeout           => 0*     | cwnd 1
         1100  ack(1, 4..5)      => 1* 2*  | open cwnd 2
         1200  ack(2, 4..5)      => 3* 5*  | open cwnd 3",
    );
}
