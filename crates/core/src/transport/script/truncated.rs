//! Scripts for what truncated copies of a dropped packet cause, under `bad_checksum = "dup-ack"`: three acks at once that report nothing.

use super::play;

const TEN: &[(&str, &str)] = &[("initial_window", "10 segments")];
const RFC6675: &[(&str, &str)] = &[TEN[0], ("pipe", "rfc6675")];

#[test]
//= viswanathan-kamal §III.4 type=test
// "When all three truncated packets reach the receiver, they in turn trigger three duplicate acknowledgments which, when received by
// the sender, are interpreted as the presence of congestion in the network."
fn for_reno_they_are_three_duplicates() {
    for transport in ["reno", "newreno"] {
        play(
            transport,
            TEN,
            "0   greedy        => 0..10                # 3 is dropped
             50  acks(1..4)    => 10..16    | open cwnd 13
             51  repeat(3) x2  =>           | dup
             52  repeat(3)     => 3*        | loss ssthresh 6 cwnd 9 unmeasured",
        );
    }
}

#[test]
// Each further packet of the window that is cut into three inflates Reno's window by three segments that have not left the network.
fn in_a_fast_recovery_they_inflate_the_window() {
    play(
        "newreno",
        TEN,
        "0   greedy        => 0..10
         50  acks(1..4)    => 10..16    | open cwnd 13
         52  repeat(3) x3  => 3*        | loss ssthresh 6 cwnd 9
         53  repeat(3) x3  =>           | dup cwnd 12
         54  repeat(3) x3  => 16 17     | dup cwnd 15
         90  ack(16)       => 18..22    | over cwnd 6",
    );
}

#[test]
//= rfc6675 §2, duplicate type=test
// A duplicate "carries a SACK block that identifies previously unacknowledged and un-SACKed octets": these acks do not, so the scheme
// does nothing for such a sender. The packets that follow cause duplicates, as ever.
fn for_rfc_6675_they_are_no_duplicates() {
    play(
        "sack",
        RFC6675,
        "0   greedy        => 0..10                # 3 is dropped
         50  acks(1..4)    => 10..16    | open cwnd 13
         52  repeat(3) x9  =>           | dup cwnd 13
         60  ack(3, 4..5)  =>           | dup cwnd 13
         61  ack(3, 4..6)  =>           | dup
         62  ack(3, 4..7)  => 3*        | loss cwnd 6",
    );
}

#[test]
// Fall & Floyd count any three duplicates, but in the recovery only an ack with news takes a segment out of the pipe.
fn for_fall_and_floyd_they_begin_a_recovery_and_drain_no_pipe() {
    play(
        "sack",
        TEN,
        "0   greedy        => 0..10                # 3 is dropped
         50  acks(1..4)    => 10..16    | open cwnd 13
         52  repeat(3) x3  => 3*        | loss cwnd 6                # pipe 10
         53  repeat(3) x9  =>           | dup cwnd 6
         90  ack(16)       => 16..22    | over cwnd 6",
    );
}

#[test]
// A repeated echo does not report its cause again, and a cause of 0 does not report segment 0 before anything has arrived.
fn smart_learns_nothing_from_them() {
    play(
        "smart",
        &[
            ("window", "4 segments"),
            ("tick", "1 ms"),
            ("min_rto", "0 s"),
        ],
        "0    greedy        => 0..4
         10   repeat(0) x3  =>           | stale unmeasured
         40   ack(0 by 1)   => 0* 4      | loss measured             # 0 has not arrived
         41   repeat(0) x3  =>           | stale unmeasured timer 120
         120  timeout       => 0* 2..5*",
    );
}

#[test]
// The acks of a pair arrive 10 ms apart, not 5: 2 / lambda is 10.2 ms after the second pair (keshav-1991's law, two in the network).
fn packet_pair_measures_no_spacing_with_them() {
    play(
        "packet-pair",
        &[("tick", "1 ms"), ("min_rto", "0 s")],
        "0   greedy         => 0 1
         40  ack(1)         =>
         45  repeat(1)      =>          | stale
         50  ack(2)         => 2 3
         60  wait           =>
         61  wait           => 4 5",
    );
}
