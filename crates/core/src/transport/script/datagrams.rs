//! Datagrams: sent once, as they are generated, whatever happens.

use super::{params, play, play_on};
use crate::measure::Rate;
use crate::time::Instant;
use crate::transport::Pair;

#[test]
//= rfc768 type=test
fn each_goes_as_it_comes_and_is_done_with() {
    // No window limits the sender, and the receiver sends no delayed ack.
    let one = "1 segments";
    play(
        "udp",
        &[
            ("max_window", one),
            ("window", one),
            ("delayed_ack", "true"),
        ],
        "
        0      release(3) => 0..3 | flight 0 timer off
        50     wait       =>
        60     release(5) => 3..5 | flight 0 timer off
        70     ack(2)     =>      | stale unmeasured
        70     ack(5) x4  =>      | stale
        100000 wait       =>      | flight 0 timer off
        ",
    );
}

#[test]
fn what_is_sent_is_taken_for_acknowledged() {
    let mut sender = params("udp", &[]).sender();
    sender.release(7, false);
    let all: std::vec::Vec<_> = std::iter::from_fn(|| sender.poll_transmit(Instant(3)))
        .map(|it| (it.segment, it.again, it.id))
        .collect();
    assert_eq!(all.len(), 7);
    assert!((0..).zip(&all).all(|(n, sent)| *sent == (n, false, n)));
    assert_eq!((sender.acknowledged(), sender.unanswered()), (7, true));
    assert_eq!(sender.poll_timeout(), None);
}

#[test]
fn a_rate_is_kept() {
    let mut sender = params("udp", &[]).sender();
    sender.shape(Rate(1000), 10);
    play_on(
        &mut sender,
        "
        0  greedy => 0 | timer off
        5  wait   =>
        10 wait   => 1
        27 wait   => 2
        36 wait   =>
        37 wait   => 3
        ",
    );
    assert_eq!(sender.poll_timeout(), Some(Instant(47_000_000_000)));
}

#[test]
fn only_a_controller_that_needs_no_acks_goes_with_it() {
    let refused = |control| Pair::new(control, "none").unwrap().refusal().is_some();
    let controls = ["tahoe", "reno", "packet-pair", "static-window"];
    assert_eq!(controls.map(refused), [true, true, true, false]);
}
