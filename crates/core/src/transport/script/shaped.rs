//! Senders whose transmissions are limited to a rate: of one packet in 10 ms.

use super::{params, play_on};
use crate::measure::Rate;
use crate::time::{Duration, Instant};
use crate::transport::AnySender;

fn shaped(transport: &str, texts: &[(&str, &str)]) -> AnySender {
    let mut sender = params(transport, texts).sender();
    sender.shape(Rate(1000), 10);
    sender
}

const FOUR: (&str, &str) = ("initial_window", "4 segments");

#[test]
fn a_window_leaves_at_the_rate_and_a_pause_earns_no_burst() {
    let mut sender = shaped("reno", &[FOUR, ("min_rto", "1 s")]);
    play_on(
        &mut sender,
        "
        0   greedy  => 0
        9   wait    =>        # the second is not due yet
        10  wait    => 1
        20  wait    => 2
        30  wait    => 3
        40  wait    =>        # the window is closed
        200 ack(4)  => 4 | cwnd 5 flight 1
        205 wait    =>
        210 wait    => 5
        215 ack(5)  =>   | cwnd 6
        220 wait    => 6
        ",
    );
    // The sender wakes for the segment that is held, not for its retransmission timer.
    let due = sender.poll_timeout();
    assert_eq!(due, Some(Instant(Duration::millis(230).0)));
}

#[test]
fn who_is_late_does_not_catch_up() {
    play_on(
        &mut shaped("reno", &[FOUR]),
        "
        0  greedy => 0
        14 wait   => 1
        20 wait   =>
        24 wait   => 2
        34 wait   => 3
        ",
    );
}

#[test]
fn what_is_sent_again_counts_as_well() {
    play_on(
        &mut shaped("reno", &[("initial_window", "8 segments")]),
        "
        0   greedy     => 0
        10  wait       => 1
        20  wait       => 2
        30  wait       => 3
        40  wait       => 4
        42  ack(1)     =>
        44  ack(1) x2  =>
        46  ack(1)     =>    | loss
        50  wait       => 1*
        55  ack(1)     =>
        60  wait       => 5  # of 1 + 4 + 4 that half of the window and four duplicates let out
        ",
    );
}

#[test]
fn a_timeout_sends_at_the_rate_again() {
    play_on(
        &mut shaped("go-back-n", &[("max_window", "3 segments")]),
        "
        0    greedy  => 0
        10   wait    => 1
        20   wait    => 2
        1000 timeout => 0*
        1010 wait    => 1*
        1020 wait    => 2*
        ",
    );
}
