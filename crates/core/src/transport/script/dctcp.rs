//! Scripts for DCTCP: exact echoes are its default, one reduction per window of data, a loss halves.

use super::play;

/// Ten segments, in congestion avoidance.
const TEN: &[(&str, &str)] = &[
    ("initial_window", "10 segments"),
    ("initial_ssthresh", "10 segments"),
];

#[test]
//= rfc8257 §3.3, steps 1 to 8 type=test
//= rfc8257 §3.3, step 9 type=test
//= rfc8257 §3.4 type=test
fn the_window_shrinks_by_the_share_of_marks() {
    play(
        "dctcp",
        TEN,
        "0    greedy      => 0..10e
         100  ack(1 ece)  =>          | open cwnd 5 ssthresh 5        # alpha is 1 at first
         101  ack(2 ece)  =>          | cwnd 5                        # the same window of data
         102  ack(5)      =>          | cwnd 5.2
         103  ack(10)     => 10ew 11..15e | cwnd 5.392
         200  ack(11 ece) =>          | cwnd 2.83 ssthresh 2.83       # 2 of 10 were marked: alpha = (15 + 0.2) / 16",
    );
}

#[test]
//= rfc8257 §3.5 type=test
fn a_loss_is_renos() {
    play(
        "dctcp+newreno",
        TEN,
        "0    greedy      => 0..10e
         100  ack(0) x3   => 0*       | loss cwnd 8 ssthresh 5
         200  ack(10)     => 10ew 11..15e | over cwnd 5
         1200 timeout     => 10*      | cwnd 1 ssthresh 2",
    );
}
