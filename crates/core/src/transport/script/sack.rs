//! SACK by Fall & Floyd: the scoreboard says what to send, `pipe` when.
//!
//! `pipe` stands in the comments; a segment goes out while it is below cwnd.

use super::play;
use std::format;

const TEN: &[(&str, &str)] = &[("initial_window", "10 segments")];

#[test]
//= cohen-hamo-2001 §6.1 type=test
//= fall-floyd-1996 §5 type=test
//= rfc5681 §4.3, advanced type=test
//= rfc2018 §5.1, congestion type=test
// Pipe starts at the window less 3: three duplicates have left, and the lost segment is replaced by its retransmission. So one loss
// lets out W/2 - 1 new segments, as Reno does (RFC 5681 §3.2).
fn one_loss() {
    play(
        "sack",
        TEN,
        "0    greedy          => 0..10                 # 0 is lost
         100  ack(0, 1..2)    =>        | dup cwnd 10
         101  ack(0, 1..3)    =>        | dup
         102  ack(0, 1..4)    => 0*     | loss ssthresh 5 cwnd 5    # pipe 7
         103  ack(0, 1..5)    =>        | dup cwnd 5                # pipe 6: no inflation
         104  ack(0, 1..6)    =>        | dup                       # pipe 5
         105  ack(0, 1..7)    => 10     | dup                       # pipe 4, 5
         106  ack(0, 1..8)    => 11
         107  ack(0, 1..9)    => 12
         108  ack(0, 1..10)   => 13
         200  ack(10)         => 14     | over cwnd 5 flight 5
         210  ack(11)         => 15     | open cwnd 5.2",
    );
}

#[test]
//= cohen-hamo-2001 §6.1, Fig. 19 type=test
//= rfc5681 §4.3, half type=test
//= fall-floyd-1996 §5 type=test
// Missing segments are sent first, in ascending order, each once. A partial ack takes two from pipe.
fn several_losses_in_a_round_trip() {
    play(
        "sack",
        TEN,
        "0    greedy                      => 0..10               # 0, 3 and 6 are lost
         100  ack(0, 1..2)                =>       | dup
         101  ack(0, 1..3)                =>       | dup
         102  ack(0, 4..5 1..3)           => 0*    | loss cwnd 5           # pipe 7
         103  ack(0, 4..6 1..3)           =>                               # pipe 6
         104  ack(0, 7..8 4..6 1..3)      =>                               # pipe 5
         105  ack(0, 7..9 4..6 1..3)      => 3*                            # pipe 4, 5
         106  ack(0, 7..10 4..6 1..3)     => 6*                            # pipe 4, 5
         200  ack(3, 7..10 4..6)          => 10 11 | partial cwnd 5        # pipe 3, 5
         205  ack(6, 7..10)               => 12 13 | partial               # pipe 3, 5
         206  ack(10)                     => 14    | over cwnd 5 ssthresh 5",
    );
}

#[test]
//= fall-floyd-1996 §5 type=test
// Pipe falls "when the sender receives a dup ACK packet with a SACK option reporting that new data has been received".
fn a_duplicate_without_news_leaves_pipe() {
    play(
        "sack",
        TEN,
        "0    greedy              => 0..10
         102  ack(0, 1..4) x3     => 0*    | loss           # pipe 7
         103  ack(0, 1..4) x9     =>       | dup
         104  ack(0)              =>       | dup
         105  ack(0, 1..7)        =>       | dup            # pipe 6: by one, whatever it reports
         106  ack(0, 1..8)        =>                        # pipe 5
         107  ack(0, 1..9)        => 10                     # pipe 4, 5",
    );
}

#[test]
//= cohen-hamo-2001 §6.1 type=test
// "Fast-recovery phase is exited when an ack for all the data that was outstanding upon initiating fast-retransmit is received".
fn recovery_ends_at_the_highest_segment_sent_when_it_began() {
    let recovery = "0    greedy          => 0..10
                    102  ack(0, 1..2)    =>
                    102  ack(0, 1..3)    =>
                    102  ack(0, 1..4)    => 0*       | loss cwnd 5";
    play(
        "sack",
        TEN,
        &format!("{recovery}\n200 ack(9) => | partial\n210 ack(10) => 10..15 | over"),
    );
    play(
        "sack",
        TEN,
        &format!("{recovery}\n200 ack(10) => 10..15 | over"),
    );
}

#[test]
//= fall-floyd-1996 §5 type=test
// "When a retransmitted packet is itself dropped, the SACK implementation detects the drop with a retransmit timeout".
fn a_retransmission_that_is_lost_needs_a_timeout() {
    play(
        "sack",
        TEN,
        "0     greedy               => 0..10                # 0 is lost, and once more
         102   ack(0, 1..4) x3      => 0*       | loss timer 1102     # pipe 7
         103   ack(0, 1..5)         =>
         104   ack(0, 1..6)         =>
         105   ack(0, 1..7)         => 10
         106   ack(0, 1..8)         => 11
         107   ack(0, 1..9)         => 12
         108   ack(0, 1..10)        => 13
         205   ack(0, 1..11)        => 14
         206   ack(0, 1..12)        => 15
         207   ack(0, 1..13)        => 16
         1102  timeout              => 0*       | cwnd 1 ssthresh 2",
    );
}

#[test]
//= rfc6298 §3, Karn type=test
//= fall-floyd-1996 §5 type=test
// New segments of the recovery may be lost, too: they are sent again once in it, like the others.
fn a_loss_beyond_the_recovery_point_is_repaired_once() {
    play(
        "sack",
        TEN,
        "0    greedy                  => 0..10               # 0, 9 and, of the new, 10 are lost
         100  ack(0, 1..2)            =>
         101  ack(0, 1..3)            =>
         102  ack(0, 1..4)            => 0*       | loss cwnd 5           # pipe 7
         103  ack(0, 1..5)            =>                                  # pipe 6
         104  ack(0, 1..6)            =>                                  # pipe 5
         105  ack(0, 1..7)            => 10
         106  ack(0, 1..8)            => 11
         107  ack(0, 1..9)            => 12                               # pipe 5
         200  ack(9)                  => 13 14    | partial               # pipe 3, 5: nothing is known beyond 9
         205  ack(9, 11..12)          => 9*       | dup                   # pipe 4, 5
         206  ack(9, 11..13)          => 10*      | dup
         300  ack(9, 11..14)          => 15       | dup                   # and not 10 again
         301  ack(9, 11..15)          => 16       | dup
         302  ack(10, 11..15)         =>          | over cwnd 5
         303  ack(15)                 => 17..20   | unmeasured            # 10 was timed, and sent again (Karn)",
    );
}

#[test]
//= fall-floyd-1996 §5 type=test
// "If there are no such packets and the receiver's advertised window is sufficiently large, the sender sends a new packet."
fn the_receivers_window_and_the_data_bound_new_segments() {
    let dups = |by: (&str, &str), release: &str, sent: &str| {
        play(
            "sack",
            &[TEN[0], by],
            &format!(
                "0    {release}       => 0..10
                 102  ack(0, 1..4) x3 => 0*  | loss
                 103  ack(0, 1..5)    =>
                 104  ack(0, 1..6)    =>
                 105  ack(0, 1..7)    => 10
                 106  ack(0, 1..8)    => {sent}
                 107  ack(0, 1..9)    =>"
            ),
        );
    };
    dups(("max_window", "11 segments"), "greedy", "");
    dups(("max_window", "12 segments"), "greedy", "11");
    dups(("max_window", "99 segments"), "release(11)", "");
}

#[test]
//= rfc2018 §5, reported type=test
// A block below `next`, or beyond what was sent, is not a report.
fn nonsense_is_not_entered() {
    play(
        "sack",
        TEN,
        "0    greedy                       => 0..10
         100  ack(4)                       => 10..15            | open cwnd 11
         101  ack(4, 0..3)                 =>                   | dup
         102  ack(4, 20..30)               =>                   | dup
         103  ack(4, 1..2)                 => 4*                | loss cwnd 5
         104  ack(4, 16..20)               =>                   | dup
         200  ack(15)                      => 15..20            | over",
    );
}
