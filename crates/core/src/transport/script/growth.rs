//! Slow start, congestion avoidance, and their limits.

use super::play;
use std::format;

#[test]
//= rfc5681 §3.1, slow start type=test
//= rfc5681 §3.1, initial ssthresh type=test
// "During slow start, a TCP increments cwnd by at most SMSS bytes for each ACK received that cumulatively acknowledges new data."
fn slow_start_adds_a_segment_per_ack() {
    play(
        "reno",
        &[],
        "0    greedy      => 0         | cwnd 1 ssthresh inf flight 1
         100  ack(1)      => 1 2       | open cwnd 2
         200  ack(2)      => 3 4       | cwnd 3
         200  ack(3)      => 5 6       | cwnd 4
         300  acks(4..8)  => 7..15     | cwnd 8
         400  ack(9)      => 15..18    | cwnd 9      # two segments, but one ack",
    );
}

#[test]
//= rfc5681 §3.1, avoidance type=test
// "cwnd += SMSS*SMSS/cwnd" on every ack of new data, once cwnd has reached ssthresh.
fn congestion_avoidance_adds_a_segment_per_round_trip() {
    play(
        "reno",
        &[
            ("initial_window", "4 segments"),
            ("initial_ssthresh", "4 segments"),
        ],
        "0    greedy  => 0..4  | cwnd 4 ssthresh 4
         100  ack(1)  => 4     | cwnd 4.25
         100  ack(2)  => 5     | cwnd 4.4853
         100  ack(3)  => 6     | cwnd 4.7082
         100  ack(4)  => 7     | cwnd 4.9206
         200  ack(5)  => 8 9   | cwnd 5.1239",
    );
}

#[test]
//= linux §tcp_cong.c, tcp_cong_avoid_ai type=test
fn windows_of_segments_are_counted_in_whole_segments() {
    play(
        "reno",
        &[
            ("initial_window", "4 segments"),
            ("initial_ssthresh", "5 segments"),
            ("counted", "windows"),
        ],
        "0    greedy  => 0..4   | cwnd 4 ssthresh 5
         100  ack(2)  => 4..7   | cwnd 5      # slow start takes one, and one counts
         100  ack(4)  => 7..9   | cwnd 5      # three
         200  ack(5)  => 9      | cwnd 5      # four
         200  ack(7)  => 10..13 | cwnd 6      # six: five for this segment, and one counts for the next
         300  ack(11) => 13..17 | cwnd 6      # five
         300  ack(12) => 17..19 | cwnd 7",
    );
}

#[test]
//= rfc5681 §3.1, zero type=test
// "If the above formula yields 0, the result SHOULD be rounded up to 1 byte": with a million segments it yields half a byte.
fn congestion_avoidance_opens_even_a_huge_window() {
    play(
        "reno",
        &[
            ("initial_window", "1000000 segments"),
            ("initial_ssthresh", "1 segments"),
            ("max_window", "1000000 segments"),
        ],
        "0    release(1)  => 0  | cwnd 1000000
         100  ack(1)      =>    | open cwnd 1000000.000001",
    );
}

#[test]
//= rfc5681 §3.1, both type=test
// "The slow start algorithm is used when cwnd < ssthresh, while the congestion avoidance algorithm is used when cwnd > ssthresh."
fn slow_start_ends_at_ssthresh() {
    play(
        "reno",
        &[("initial_ssthresh", "3 segments")],
        "0    greedy  => 0    | cwnd 1 ssthresh 3
         100  ack(1)  => 1 2  | cwnd 2
         200  ack(2)  => 3 4  | cwnd 3
         200  ack(3)  => 5    | cwnd 3.3333",
    );
}

#[test]
//= rfc5681 §3.1, IW type=test
// "If SMSS <= 1095 bytes: IW = 4 * SMSS bytes and MUST NOT be more than 4 segments": here a parameter; in the papers one segment.
fn the_initial_window() {
    // The default keeps the bound for segments of any size.
    for transport in ["tahoe", "reno", "newreno", "sack"] {
        for mss in ["536 B", "2190 B", "9140 B"] {
            play(transport, &[("mss", mss)], "0 greedy => 0 | cwnd 1");
        }
    }
    for (window, sent) in [("1 segments", "0"), ("4 segments", "0..4")] {
        let script = format!("0 greedy => {sent}");
        play("reno", &[("initial_window", window)], &script);
    }
    // A window in bytes is rounded down to whole segments, of 536 B here.
    let window = [("initial_window", "2143 B")];
    play("reno", &window, "0 greedy => 0..3 | cwnd 3");
}

#[test]
//= rfc5681 §2 type=test
// "a TCP MUST NOT send data with a sequence number higher than the sum of the highest acknowledged sequence number and the
// minimum of cwnd and rwnd."
fn the_receivers_window_bounds_what_is_outstanding_but_not_cwnd() {
    play(
        "reno",
        &[("max_window", "3 segments")],
        "0    greedy  => 0
         100  ack(1)  => 1 2  | cwnd 2
         200  ack(2)  => 3 4  | cwnd 3 flight 3
         200  ack(3)  => 5    | cwnd 4 flight 3
         300  ack(6)  => 6..9 | cwnd 5 flight 3",
    );
}

#[test]
fn max_cwnd_bounds_cwnd() {
    play(
        "reno",
        &[("max_cwnd", "3 segments"), ("initial_window", "9 segments")],
        "0    greedy  => 0..3 | cwnd 3
         100  ack(1)  => 3    | cwnd 3
         100  ack(3)  => 4 5  | cwnd 3",
    );
    // A loss leaves at least two segments, but never more than the bound.
    play(
        "reno",
        &[("max_cwnd", "1 segments")],
        "0     greedy   => 0    | cwnd 1
         1000  timeout  => 0*   | cwnd 1 ssthresh 2
         1100  ack(1)   => 1    | cwnd 1",
    );
    play(
        "sack",
        &[("max_cwnd", "1 segments"), ("initial_window", "4 segments")],
        "0    greedy     => 0   | cwnd 1
         100  ack(0) x3  => 0*  | loss cwnd 1 ssthresh 2      # of a network that makes duplicates",
    );
}

#[test]
//= rfc5681 §2 type=test
// An ack is a duplicate only if data is outstanding and its number is that of the greatest ack so far.
fn stale_acks_mean_nothing() {
    for transport in ["tahoe", "reno", "newreno", "sack"] {
        play(
            transport,
            &[],
            "0    release(2)   => 0
             100  ack(1)       => 1     | cwnd 2
             200  ack(2)       =>       | open cwnd 3 flight 0 timer off
             210  ack(2) x4    =>       | stale          # nothing is outstanding
             220  release(10)  => 2..5
             300  ack(1) x4    =>       | stale cwnd 3   # older than the greatest
             310  ack(2) x2    =>       | dup",
        );
    }
}

#[test]
//= rfc793 §3.9 type=test
// "If the ACK acks something not yet sent (SEG.ACK > SND.NXT) then send an ACK, drop the segment, and return."
fn an_ack_of_what_was_not_sent_means_nothing() {
    for transport in ["tahoe", "reno", "newreno", "sack"] {
        play(
            transport,
            &[],
            "0    greedy   => 0
             100  ack(2)   =>      | stale cwnd 1 flight 1
             200  ack(1)   => 1 2  | open",
        );
    }
}

#[test]
fn a_file_ends() {
    play(
        "reno",
        &[],
        "0    release(4)  => 0
         100  ack(1)      => 1 2
         200  ack(2)      => 3   | cwnd 3        # the window has room for more
         200  ack(3)      =>     | cwnd 4 flight 1
         300  ack(4)      =>     | cwnd 5 flight 0 timer off
         900  release(4)  =>
         900  release(2)  =>                     # a smaller total takes nothing back
         950  release(5)  => 4   | timer 1250",
    );
}

#[test]
fn what_is_handed_over_later_is_sent_as_the_window_allows() {
    play(
        "reno",
        &[("initial_window", "3 segments")],
        "0    release(1)  => 0
         10   release(2)  => 1
         20   release(9)  => 2
         100  ack(1)      => 3 4  | cwnd 4",
    );
}

/// A congestion window of 10 segments, and a receiver's of 20 that grows to `most`.
fn tuned(most: &'static str) -> [(&'static str, &'static str); 3] {
    [
        ("initial_window", "10 segments"),
        ("tuned_window", "20 segments"),
        ("max_window", most),
    ]
}

#[test]
//= linux §tcp_input.c, tcp_rcv_space_adjust type=test
// In the second round trip 20 segments are delivered, 10 more than in the first: 2 * 20 + 16, and twice as much more. Until then the
// window of 20 segments lets out one for each.
fn a_tuned_window_follows_what_is_delivered() {
    for transport in ["tahoe", "reno", "newreno", "sack"] {
        play(
            transport,
            &tuned("1000 segments"),
            "0    greedy       => 0..10
             100  acks(1..11)  => 10..30 | cwnd 20
             200  acks(11..31) => 30..50 | cwnd 40
             300  ack(31)      => 50..72 | cwnd 41",
        );
    }
    // A small window is outgrown, too: 4 segments after 2 make 24, and twice 24 * 2 / 2 more.
    play(
        "reno",
        &[
            ("initial_window", "100 segments"),
            ("tuned_window", "4 segments"),
            ("max_window", "1000 segments"),
        ],
        "0    greedy     => 0..4
         100  acks(1..5) => 4..8
         200  ack(5)     => 8..77",
    );
    // No more than the receiver has.
    play(
        "reno",
        &tuned("30 segments"),
        "0    greedy       => 0..10
         100  acks(1..11)  => 10..30
         200  acks(11..31) => 30..50
         300  ack(31)      => 50..61 | cwnd 41",
    );
}

#[test]
// The congestion window lets no more be delivered than before, so the receiver's has no reason to grow.
fn a_tuned_window_stays_where_delivery_does() {
    play(
        "reno",
        &[
            &tuned("1000 segments")[..],
            &[("max_cwnd", "10 segments"), ("min_rto", "1 s")],
        ]
        .concat(),
        "0    greedy       => 0..10
         100  acks(1..11)  => 10..20
         200  acks(11..21) => 20..30
         300  acks(21..31) => 30..40 | cwnd 10
         400  ack(40)      => 40..50",
    );
}
