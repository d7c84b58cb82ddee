//! Tahoe: back to the lost segment, and slow start.

use super::play;
use std::format;

const EIGHT: (&str, &str) = ("initial_window", "8 segments");

#[test]
//= fall-floyd-1996 §2 type=test
// Fast retransmit without fast recovery: ssthresh is half the window, cwnd one segment, and further duplicates do nothing.
fn three_duplicates_start_slow_start_at_the_lost_segment() {
    play(
        "tahoe",
        &[EIGHT],
        "0    greedy     => 0..8
         100  ack(0) x2  =>       | dup cwnd 8 ssthresh inf
         101  ack(0)     => 0*    | loss cwnd 1 ssthresh 4
         102  ack(0) x4  =>       | dup cwnd 1
         200  ack(8)     => 8 9   | open cwnd 2         # the receiver had kept the rest
         300  acks(9..11) => 10..14 | cwnd 4
         400  ack(11)    => 14    | cwnd 4.25           # avoidance from ssthresh on",
    );
}

#[test]
//= fall-floyd-1996 §2 type=test
// Go-back: what follows the lost segment is sent again unless an ack jumps over it.
fn it_goes_back() {
    play(
        "tahoe",
        &[EIGHT],
        "0    greedy      => 0..8                      # 0 and 2 are lost
         100  ack(0) x3   => 0*      | loss cwnd 1 ssthresh 4
         101  ack(0) x3   =>         | dup
         200  ack(2)      => 2..4*   | open cwnd 2
         300  ack(8)      => 8..11   | open cwnd 3
         301  ack(8)      =>         | dup cwnd 3      # 3 arrived a second time
         400  ack(9)      => 11 12   | cwnd 4",
    );
}

#[test]
//= rfc2582 §5 type=test
// The go-back sends again what has arrived. Three duplicates for it are not "an indication of a new instance of congestion".
fn its_own_duplicates() {
    for (careful, then) in [
        ("false", "=> 32* | loss cwnd 1 ssthresh 2"),
        ("true", "=> | dup cwnd 5 ssthresh 16"),
    ] {
        play(
            "tahoe",
            &[("initial_window", "32 segments"), ("careful", careful)],
            &format!(
                "0    greedy      => 0..32                            # 0, 4, 12 and 28 are lost
                 100  ack(0) x3   => 0*       | loss cwnd 1 ssthresh 16
                 200  ack(4)      => 4..6*    | open cwnd 2
                 300  ack(12)     => 12..15*  | open cwnd 3
                 301  ack(12)     =>          | dup                   # of 5
                 400  ack(28)     => 28..32*  | open cwnd 4
                 401  ack(28) x2  =>          | dup                   # of 13 and 14
                 500  ack(32)     => 32..37   | open cwnd 5
                 501  ack(32) x2  =>          | dup                   # of 29 and 30
                 503  ack(32)     {then}"
            ),
        );
    }
}

#[test]
fn a_second_window_may_lose_again() {
    play(
        "tahoe",
        &[("initial_window", "4 segments")],
        "0    greedy      => 0..4
         100  ack(0) x3   => 0*     | loss cwnd 1 ssthresh 2
         200  ack(4)      => 4 5    | cwnd 2
         300  ack(5)      => 6      | cwnd 2.5
         300  ack(6)      => 7      | cwnd 2.9
         400  ack(7)      => 8 9    | cwnd 3.2448
         400  ack(8)      => 10     | cwnd 3.5530
         500  ack(9)      => 11     | cwnd 3.8345
         500  ack(10)     => 12 13  | cwnd 4.0953
         600  ack(10) x3  => 10*    | loss cwnd 1 ssthresh 2",
    );
}

#[test]
// 4.3BSD-Tahoe's tcp_input() sets snd_nxt to the missing segment, sends one segment, and sets snd_nxt back.
fn of_bsd_goes_back_only_after_a_timeout() {
    play(
        "tahoe",
        &[EIGHT, ("go_back", "false")],
        "0    greedy      => 0..8                      # 0 and 2 are lost
         100  ack(0) x3   => 0*      | loss cwnd 1 ssthresh 4
         101  ack(0) x3   =>         | dup cwnd 1
         200  ack(2)      =>         | open cwnd 2 timer 1200
         1200 timeout     => 2*      | cwnd 1 ssthresh 2
         1300 ack(8)      => 8 9     | open cwnd 2",
    );
    // With one loss, the ack of the retransmission acknowledges all.
    play(
        "tahoe",
        &[EIGHT, ("go_back", "false")],
        "0    greedy      => 0..8
         100  ack(0) x3   => 0*      | loss cwnd 1 ssthresh 4
         200  ack(8)      => 8 9     | open cwnd 2",
    );
}
