//! SACK by RFC 6675: IsLost(), SetPipe() and NextSeg().
//!
//! `pipe` stands in the comments; a segment goes out while cwnd - pipe >= 1.

use super::play;
use std::format;

const TEN: &[(&str, &str)] = &[
    ("pipe", "rfc6675"),
    ("initial_window", "10 segments"),
    ("halve", "flight"),
];

fn check(script: &str) {
    play("sack", TEN, script);
}

#[test]
//= rfc6675 §4, SetPipe (a) type=test
//= rfc6675 §4, SetPipe (b) type=test
// Pipe counts one per unreported segment that is not lost, and one per segment sent again.
//= rfc6675 §5, (1) type=test
//= rfc6675 §5, (4.1) type=test
//= rfc6675 §5, (4.2) type=test
//= rfc6675 §5, (4.3) type=test
//= rfc6675 §5, (4.4) type=test
//= rfc6675 §5, (C.4) type=test
// RecoveryPoint = HighData, ssthresh = cwnd = FlightSize / 2, resend HighACK + 1.
fn one_loss() {
    check(
        "0    greedy          => 0..10
         100  ack(0, 1..2)    =>        | dup cwnd 10
         101  ack(0, 1..3)    =>        | dup
         102  ack(0, 1..4)    => 0*     | loss ssthresh 5 cwnd 5    # pipe 7: 0 again and 4..10
         103  ack(0, 1..5)    =>                                    # pipe 6
         104  ack(0, 1..6)    =>                                    # pipe 5
         105  ack(0, 1..7)    => 10                                 # pipe 4, 5
         106  ack(0, 1..8)    => 11
         107  ack(0, 1..9)    => 12
         108  ack(0, 1..10)   => 13
         200  ack(10)         => 14     | over cwnd 5",
    );
}

#[test]
//= rfc6675 §5, (2) type=test
//= rfc6675 §5, (4.5) type=test
// "If DupAcks < DupThresh but IsLost (HighACK + 1) returns true [...] go to step (4)."
//= rfc6675 §4, IsLost type=test
// "more than (DupThresh - 1) * SMSS bytes with sequence numbers greater than 'SeqNum' have been SACKed".
fn recovery_starts_when_three_segments_beyond_are_reported() {
    check(
        "0 greedy => 0..10\n100 ack(0, 1..4)          => 0* | loss cwnd 5       # by the first duplicate",
    );
    check(
        "0 greedy => 0..10\n100 ack(0, 7..8 4..5 1..2) => 0* | loss cwnd 5      # three discontiguous runs",
    );
    check(
        "0    greedy               => 0..10
         100  ack(0, 5..7)         =>          | dup
         101  ack(0, 9..10 5..7)   => 0..3*    | loss cwnd 5     # 0..5 are lost; pipe 3 (0 again, 7, 8), 4, 5",
    );
}

#[test]
//= rfc6675 §2, duplicate type=test
// A duplicate "carries a SACK block that identifies previously unacknowledged and un-SACKed octets".
fn an_ack_without_news_is_no_duplicate() {
    check(
        "0    greedy              => 0..10
         100  ack(0, 1..2) x9     =>      | dup cwnd 10
         101  ack(0) x9           =>
         102  ack(0, 1..3)        =>      | dup
         103  ack(0, 1..4)        => 0*   | loss",
    );
}

#[test]
//= rfc6675 §5, any duplicate type=test
// "If the incoming ACK is a duplicate acknowledgment per the definition in Section 2 (regardless of its status as a cumulative
// acknowledgment), and the TCP is not currently in loss recovery": an ack of new data may prove a loss as well.
fn an_ack_of_new_data_may_start_recovery() {
    check(
        "0 greedy => 0..10\n100 ack(2, 3..6) => 2* | loss ssthresh 4 cwnd 4 flight 8   # pipe 1 + 4",
    );
    check(
        "0    greedy             => 0..10
         100  ack(2, 3..4)       => 10..13  | open cwnd 11
         101  ack(2, 3..5)       =>         | dup",
    );
}

#[test]
//= rfc6675 §5, reset type=test
// "If the incoming ACK is a cumulative acknowledgment, the TCP MUST reset DupAcks to zero": two duplicates before it and two after
// it are not three.
fn an_ack_of_new_data_ends_the_row_of_duplicates() {
    for pipe in ["rfc6675", "fall-floyd", "sack1"] {
        play(
            "sack",
            &[("initial_window", "10 segments"), ("pipe", pipe)],
            "0    release(10)        => 0..10
             100  ack(0, 1..2)       =>      | dup
             101  ack(0, 1..3)       =>      | dup
             200  ack(3)             =>      | open
             201  ack(3, 4..5)       =>      | dup
             202  ack(3, 4..6)       =>      | dup
             203  ack(3, 4..7)       => 3*   | loss",
        );
    }
}

#[test]
//= rfc6675 §5, any ack type=test
//= rfc6675 §4, Update type=test
// "Upon the receipt of any ACK containing SACK information, the scoreboard MUST be updated".
fn an_old_ack_may_report_something_new() {
    check(
        "0    greedy             => 0..10
         100  ack(2)             => 10..13    | open cwnd 11
         101  ack(1)             =>           | stale
         102  ack(0, 3..4)       =>           | dup             # overtaken
         103  ack(1, 3..5)       =>           | dup
         104  ack(1, 3..5)       =>           | stale
         105  ack(2, 3..6)       => 2*        | loss",
    );
}

#[test]
//= rfc6675 §4, NextSeg (1) type=test
//= rfc6675 §4, NextSeg (2) type=test
//= rfc6675 §5, (C.3) type=test
//= rfc6675 §4, NextSeg (3) type=test
//= rfc6675 §5, (C) type=test
//= rfc2018 §5, skip type=test
// (1): the lowest segment that is lost and was not sent again; (2): without one, new data, even if segments are missing;
// (3): without new data, missing segments that are not yet lost.
fn what_is_sent_next() {
    let lost = |release: &str, then: &str| {
        check(&format!(
            "0    {release}                   => 0..10              # 0, 2 and 7 are lost
             100  ack(0, 1..2)                =>
             101  ack(0, 3..4 1..2)           =>
             102  ack(0, 3..5 1..2)           => 0*     | loss cwnd 5    # 0, 2, 5, 6, 7, 8 and 9 are 7
             103  ack(0, 3..6 1..2)           =>                         # 2 is lost; 0, 6, 7, 8 and 9 are 5
             104  ack(0, 3..7 1..2)           => 2*                      # 4: (1)
             105  ack(0, 8..9 3..7 1..2)      => {then}"
        ));
    };
    // 0, 2, 7 and 9 are in the pipe: 4.
    lost("greedy", "10    # (2)");
    lost("release(10)", "7*    # (3)");
}

#[test]
//= rfc6675 §4, NextSeg (4) type=test
// "a single rescue retransmission per entry into loss recovery. If HighACK is greater than RescueRxt (or RescueRxt
// is undefined), then one segment [...] that MUST include the highest outstanding unSACKed sequence number".
//= rfc6675 §5, (4.3) type=test
//= rfc6675 §5, (B.1) type=test
//= rfc6675 §5, (B.2) type=test
// "To prevent [...] a premature rescue retransmission, set both HighRxt and RescueRxt to the highest sequence number in
// the retransmitted segment."
fn a_lost_tail_is_rescued_once() {
    check(
        "0    release(10)      => 0..10                # 0, 7, 8 and 9 are lost
         100  ack(0, 1..2)     =>
         101  ack(0, 1..3)     =>
         102  ack(0, 1..4)     => 0*     | loss cwnd 5          # pipe 7
         103  ack(0, 1..5)     =>
         104  ack(0, 1..6)     =>
         105  ack(0, 1..7)     =>                               # pipe 4, but HighACK is not beyond 0: too early
         200  ack(7)           => 9*     | partial timer 1200   # pipe 3, 4: the highest, and only it
         300  ack(7, 9..10)    => 7..9*  | dup                  # pipe 2, 4: (3), below the highest reported
         301  ack(7, 9..10)    =>        | dup                  # \"counted twice\": 4
         400  ack(8, 9..10)    =>        | partial              # pipe 2
         500  ack(10)          =>        | over timer off",
    );
}

#[test]
//= rfc6675 §5, (4.3) type=test
// HighACK is not 0 when the recovery begins.
fn no_rescue_before_the_first_retransmission_is_acknowledged() {
    check(
        "0    release(10)      => 0..10                # 2 is lost
         100  ack(2)           =>        | open cwnd 11
         101  ack(2, 3..6)     => 2*     | loss cwnd 4          # pipe 5
         102  ack(2, 3..8)     =>                               # pipe 3",
    );
}

#[test]
//= rfc6675 §4, NextSeg (4) type=test
// The rescue may send a segment that was sent again before, and still happens only once.
fn a_rescue_may_repeat_a_retransmission() {
    check(
        "0    release(10)           => 0..10           # 0 and 7 are lost
         102  ack(0, 1..4)          => 0*     | loss cwnd 5     # pipe 7
         105  ack(0, 1..7)          =>                          # pipe 4
         106  ack(0, 8..9 1..7)     => 7*                       # pipe 3: (3)
         107  ack(0, 8..10 1..7)    =>                          # 0 once, 7 twice: 3
         200  ack(7, 8..10)         => 7*     | partial         # pipe 2: (4)
         201  ack(7, 8..10) x3      =>        | dup",
    );
}

#[test]
//= rfc6675 §4, SetPipe (b) type=test
// "octets retransmitted without being considered lost are counted twice".
fn what_was_sent_again_by_rule_3_counts_twice() {
    check(
        "0    release(10)                 => 0..10     # 0, 2 and 7 are lost
         102  ack(0, 3..5 1..2)           => 0*   | loss cwnd 5    # pipe 7
         104  ack(0, 3..7 1..2)           => 2*                    # 0, 7, 8, 9: 4
         105  ack(0, 8..9 3..7 1..2)      => 7*                    # 0, 2, 7, 9: 4
         106  release(20)                 =>
         107  ack(0, 8..10 3..7 1..2)     => 10                    # 0, 2 and twice 7: 4",
    );
}

#[test]
//= rfc6675 §5, (4.3) type=test
// HighRxt is set anew: a recovery may send again what the last recovery has sent again.
fn each_recovery_may_send_a_segment_again() {
    check(
        "0    greedy             => 0..10                # 0, 9 and, of the new, 10 and 11 are lost
         102  ack(0, 1..4)       => 0*       | loss cwnd 5            # pipe 7
         105  ack(0, 1..9)       => 10..13                            # 0, 9: 2
         200  ack(9, 12..13)     => 13 14    | partial                # 9, 10, 11: 3
         201  ack(9, 12..14)     => 15                                # 9, 10, 11, 14: 4
         202  ack(9, 12..15)     => 9..12* 16                         # 15: 1
         300  ack(10, 12..15)    =>          | over cwnd 5            # 10 and 11 are lost once more
         301  ack(10, 12..16)    => 10*      | loss ssthresh 2.5      # 10, 16: 2
         302  ack(10, 12..17)    => 11*      | dup                    # 10: 1",
    );
}

#[test]
//= rfc6298 §3, Karn type=test
//= rfc6675 §5, (C.2) type=test
// New segments that the recovery sends may be lost. They are repaired in it, once.
fn a_loss_beyond_the_recovery_point_is_repaired_once() {
    check(
        "0    greedy             => 0..10                # 0, 9 and, of the new, 10 are lost
         100  ack(0, 1..2)       =>
         101  ack(0, 1..3)       =>
         102  ack(0, 1..4)       => 0*       | loss cwnd 5            # pipe 7
         103  ack(0, 1..5)       =>
         104  ack(0, 1..6)       =>
         105  ack(0, 1..7)       => 10
         106  ack(0, 1..8)       => 11
         107  ack(0, 1..9)       => 12
         200  ack(9)             => 13       | partial                # 9, 10, 11, 12: 4
         205  ack(9, 11..12)     => 14                                # 9, 10, 12, 13
         206  ack(9, 11..13)     => 15                                # 9, 10, 13, 14
         300  ack(9, 11..14)     => 9..11* 16                         # 9 and 10 are lost: 14, 15
         301  ack(9, 11..15)     => 17                                # 9, 10, 15, 16: 4
         302  ack(9, 11..16)     => 18
         400  ack(10, 11..16)    =>          | over cwnd 5
         401  ack(16)            => 19 20    | open unmeasured        # 10 was timed, and sent again (Karn)",
    );
}

#[test]
//= rfc6675 §5, (A) type=test
// "Any information contained in the scoreboard for sequence numbers greater than the new value of HighACK SHOULD NOT be cleared
// when leaving the loss recovery phase."
fn the_scoreboard_outlives_the_recovery() {
    check(
        "0    greedy             => 0..10                # 0 and, of the new, 10 are lost
         102  ack(0, 1..4)       => 0*       | loss cwnd 5            # pipe 7
         105  ack(0, 1..7)       => 10
         108  ack(0, 1..10)      => 11..14                            # pipe 2: 0, 10; 5
         200  ack(10)            => 14       | over cwnd 5            # 10 is still missing
         210  ack(10, 11..12)    =>          | dup
         211  ack(10, 11..13)    =>          | dup
         212  ack(10, 11..14)    => 10*      | loss ssthresh 2.5      # 14: pipe 2",
    );
    check(
        "0    greedy                => 0..10             # 0, 9 and, of the new, 10 are lost
         102  ack(0, 1..4)          => 0*       | loss cwnd 5
         105  ack(0, 1..7)          => 10
         107  ack(0, 1..9)          => 11 12                          # 0, 9, 10: 3
         200  ack(9, 11..13)        => 13..16   | partial             # 9 and 10: 2
         210  ack(10)               =>          | over cwnd 5
         211  ack(10, 13..14)       => 10*      | loss                # the third beyond 10",
    );
}
