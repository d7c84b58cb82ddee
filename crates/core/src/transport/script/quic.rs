//! Scripts for QUIC: what each section of RFC 9002 demands. Round trips are 100 ms, so a packet is lost by the time threshold after 112.5,
//! and the first probe timeout after a round trip has been measured is 300.

use super::play;

fn quic(texts: &[(&str, &str)], script: &str) {
    play("reno+quic", texts, script);
}

#[test]
//= rfc9002 §6.1 type=test
//= rfc9002 §6.1.1 type=test
//= rfc9002 §A.5 type=test
//= rfc9002 §A.7 type=test
//= rfc9002 §A.10 type=test
// Packet 0 is lost when the third after it has arrived.
fn three_packets_later_a_packet_is_lost() {
    quic(
        &[("initial_window", "6 segments")],
        "0    release(6)                  => 0..6
         100  packets(0, 1..2)            =>       | dup cwnd 6
         100  packets(0, 1..3)            =>       | dup
         100  packets(0, 1..4)            => 0*    | loss cwnd 3 ssthresh 3
         200  packets(6, 1..7)            =>       | over cwnd 3 timer off",
    );
    // With a threshold of 5 two more are waited for.
    quic(
        &[("initial_window", "6 segments"), ("packet_threshold", "5")],
        "0    release(6)                  => 0..6
         100  packets(0, 1..5)            =>       | dup
         100  packets(0, 1..6)            => 0*    | loss",
    );
}

#[test]
//= rfc9002 §6.1.2 type=test
//= rfc9002 §6.2.1, loss time type=test
//= rfc9002 §A.8 type=test
//= rfc9002 §A.9 type=test
// 9/8 of a round trip of 104 ms are 117.
fn after_nine_eighths_of_a_round_trip_an_earlier_packet_is_lost() {
    quic(
        &[("initial_window", "2 segments")],
        "0    release(2)                  => 0 1
         104  packets(0, 1..2)            =>       | dup timer 117
         117  clock                       => 0*    | loss cwnd 2
         221  packets(2, 1..3)            =>       | over timer off",
    );
    // The least time is the granularity.
    quic(
        &[("initial_window", "2 segments"), ("granularity", "200 ms")],
        "0    release(2)                  => 0 1
         104  packets(0, 1..2)            =>       | dup timer 200",
    );
}

#[test]
//= rfc9002 §6.2.1 type=test
//= rfc9002 §6.2.2, initial type=test
//= rfc9002 §6.2.1, backoff type=test
//= rfc9002 §6.2, no loss type=test
//= rfc9002 §7.5 type=test
// 333 + 4 * 333 / 2 = 999 ms before a round trip has been measured; each probe timeout doubles the next. The ack of the third shows that
// the first two are lost.
fn a_probe_timeout_is_no_loss() {
    quic(
        &[],
        "0    release(1)                  => 0     | timer 999
         999  clock                       => 0*    | probe cwnd 1 timer 2997
         2997 clock                       => 0*    | probe cwnd 1 timer 6993
         3097 packets(1, 2..3)            =>       | loss ssthresh 2 cwnd 2 timer off",
    );
    quic(
        &[("backoff", "false"), ("max_ack_delay", "25 ms")],
        "0    release(1)                  => 0     | timer 1024
         1024 clock                       => 0*    | probe timer 2048",
    );
}

#[test]
//= rfc9002 §6.2.4, new type=test
//= rfc9002 §6.2.4, one type=test
//= rfc9002 §6.2.1, restart type=test
//= rfc9002 §7.3.2, single type=test
// The window is full, so the probe goes beyond it. Its ack shows that all eight before it are lost.
fn a_probe_is_new_data_and_its_ack_shows_what_is_lost() {
    quic(
        &[("initial_window", "4 segments")],
        "0    greedy                      => 0..4
         100  packets(4, 0..4)            => 4..12 | open cwnd 8 timer 400
         400  clock                       => 12    | probe cwnd 8 timer 1000
         500  packets(4, 12..13 0..4)     => 4..8* | loss cwnd 4 ssthresh 4",
    );
}

#[test]
//= rfc9002 §7.3.2, once type=test
//= rfc9002 §7.3.2, ends type=test
//= rfc9002 §7.3.2, single type=test
//= rfc9002 §7, limit type=test
//= rfc9002 §B.8 type=test
// Packet 4 is lost as well, in the same recovery. That is over when packet 10, the first of it, is acknowledged, although 4 is still
// missing; the loss of packet 11, which has carried 4 again, is new congestion.
fn a_recovery_reduces_the_window_once() {
    quic(
        &[("initial_window", "10 segments")],
        "0    greedy                      => 0..10
         100  packets(0, 1..4)            => 0*        | loss cwnd 5
         100  packets(0, 5..10 1..4)      => 4* 10..13 | dup cwnd 5
         200  packets(4, 5..11 1..4)      => 13        | over cwnd 5
         201  packets(4, 12..15 5..11)    => 4*        | loss cwnd 2",
    );
}

#[test]
//= rfc9000 §13.3 type=test
// 0 to 4 are taken for lost, and 0 and 1 are sent again. 2 was only late, and is not.
fn what_is_late_is_not_sent_again_once_it_has_arrived() {
    quic(
        &[("initial_window", "8 segments")],
        "0    release(8)                  => 0..8
         100  packets(0, 7..8)            => 0..2* | loss cwnd 4
         101  packets(0, 7..8 2..3)       =>       | dup
         200  packets(3, 7..10 2..3)      => 3..7* | over
         300  packets(8, 7..14 2..3)      =>       | open timer off",
    );
}

const EXAMPLE: &str = "
         0     release(1)                 => 0
         200   packets(1, 0..1)           =>       | open timer off
         1000  release(3)                 => 1 2
         1200  packets(2, 0..2)           =>       | open cwnd 12 timer 3000
         2000  release(4)                 => 3
         3000  release(5)                 => 4
         4000  release(6)                 => 5
         5000  release(7)                 => 6
         6000  release(8)                 => 7     | timer 8000
         8000  clock                      => 2*    | probe timer 12000
         12000 clock                      => 2*    | probe
";

#[test]
//= rfc9002 §7.6.1 type=test
//= rfc9002 §7.6.2 type=test
//= rfc9002 §7.6.2, minimum type=test
//= rfc9002 §7.6.3 type=test
// The example, with one packet more at the start, so that a round trip has been measured before the packets that are lost, and packet
// #1 at 1 s, so that a probe timeout is 2 s: 0.2 + 4 * 0.075 + 1.5. From 1 to 8 s all packets are lost, more than three times that.
fn the_example_of_persistent_congestion() {
    let texts = [
        ("initial_window", "10 segments"),
        ("max_ack_delay", "1500 ms"),
    ];
    let after = |step: &str| quic(&texts, &std::format!("{EXAMPLE}{step}"));
    // The window is 2, and opens for the ack.
    after("12200 packets(3, 9..10 0..2)       => 3..6*       | timeout cwnd 3 ssthresh 6");
    // One of the packets between has arrived: it is a loss as any other.
    after("12200 packets(3, 9..10 5..6 0..2)  => 3..5* 6..8* | loss cwnd 6 ssthresh 6");
}

#[test]
//= rfc9002 §7.6.2 type=test
// All packets for ten seconds are lost, but a round trip had not been measured when they were sent.
fn without_a_round_trip_there_is_no_persistent_congestion() {
    quic(
        &[],
        "0     release(1)                 => 0
         999   clock                      => 0*
         2997  clock                      => 0*
         6993  clock                      => 0*
         14985 clock                      => 0*
         15085 packets(1, 4..5)           =>       | loss",
    );
}

#[test]
//= rfc9002 §7.3.1 type=test
//= rfc9002 §7.3.3 type=test
// A segment for each that is acknowledged, and at most one per window after slow start.
fn the_window_opens_by_what_is_acknowledged() {
    let texts = [("initial_window", "4 segments")];
    quic(
        &texts,
        "0    greedy                      => 0..4
         100  packets(4, 0..4)            => 4..12 | open cwnd 8",
    );
    let texts = [texts[0], ("initial_ssthresh", "4 segments")];
    let script = |half: &str, whole: &str| {
        std::format!(
            "0    greedy              => 0..4
             100  ack(2)              => 4 5 | open cwnd {half}
             100  ack(4)              => 6 7 | open cwnd {whole}"
        )
    };
    let segments = [&texts[..], &[("counted", "segments")]].concat();
    play("reno+sack", &segments, &script("4.5", "4.94"));
    // By acks, half of that.
    play("reno+sack", &texts, &script("4.25", "4.49"));
}

#[test]
//= rfc9002 §7.7 type=test
// 1.25 windows of 3 segments per 100 ms: a packet each 26.7 ms, once a round trip has been measured.
fn packets_are_paced_at_a_rate_of_the_window() {
    play(
        "reno+quic",
        &[("initial_window", "2 segments"), ("pace", "1.25")],
        "0    greedy                      => 0 1
         100  packets(1, 0..1)            => 2     | open cwnd 3
         126  wait                        =>
         127  wait                        => 3",
    );
}

#[test]
//= rfc9002 §7.8 type=test
// A sender that its pace holds back has the window that it needs: CUBIC's grows in slow start as without pacing.
fn pacing_is_no_limit_of_the_application() {
    play(
        "cubic+quic",
        &[("initial_window", "4 segments"), ("pace", "1.25")],
        "0    greedy                      => 0..4
         100  packets(2, 0..2)            => 4     | open cwnd 6
         100  packets(4, 0..4)            =>       | open cwnd 8",
    );
}

#[test]
//= rfc9002 §7.5 type=test
// Packet-pair has no rate before an ack has come, and both packets of its pair are lost. The probe goes all the same, and begins a pair.
fn a_probe_does_not_wait_for_its_pace() {
    play(
        "packet-pair+quic",
        &[],
        "0    greedy                      => 0 1
         998  wait                        =>
         999  clock                       => 2 3   | probe",
    );
}

#[test]
// Ranges of packets that have not been sent say nothing, and neither does an ack that is older than the last.
fn strange_ranges_are_ignored() {
    quic(
        &[("initial_window", "4 segments")],
        "0    release(4)                  => 0..4
         100  packets(2, 0..2)            =>       | open timer 300
         100  packets(1, 0..1)            =>       | stale timer 300
         200  packets(4, 0..4)            =>       | open timer off",
    );
}

/// Plays with spurious losses undone, and several controllers.
fn undone(texts: &[(&str, &str)], script: &str) {
    for control in ["reno", "cubic", "dctcp"] {
        let more = [("late_ack_undo", "true"), ("ecn", "false")];
        play(
            &std::format!("{control}+quic"),
            &[texts, &more].concat(),
            script,
        );
    }
}

const EIGHT: [(&str, &str); 1] = [("initial_window", "8 segments")];

#[test]
//= rfc9438 §4.9.2 type=test
// Packets 0 and 1 are overtaken by others. With the acks of both, nothing was lost.
fn losses_whose_acks_come_late_are_undone() {
    let script = |end: &str| {
        std::format!(
            "0    release(8)                  => 0..8
             100  packets(0, 2..6)            => 0..2* | loss
             101  packets(0, 2..7)            =>       | dup
             102  packets(1, 2..7 0..1)       =>       | partial
             110  packets(8, 0..8)            =>       | {end} timer off"
        )
    };
    undone(&EIGHT, &script("spurious cwnd 8"));
    // By default the window is left as it is.
    quic(&EIGHT, &script("partial cwnd 4"));
}

#[test]
//= rfc9438 §4.9.2 type=test
// The retransmission is acknowledged first, which ends the recovery, and then the packet itself.
fn a_late_ack_after_the_recovery_undoes_it() {
    undone(
        &EIGHT,
        "0    release(8)                  => 0..8
         100  packets(0, 1..4)            => 0*    | loss
         200  packets(8, 1..9)            =>       | over timer off
         201  packets(8, 0..9)            =>       | spurious cwnd 8",
    );
}

#[test]
// Packet 1 is lost, and its number never acknowledged; or only after two probe timeouts, of 100 + 4 * 50 ms each.
fn what_is_lost_is_not_undone() {
    let script = |end: &str| {
        let script = std::format!(
            "0    release(8)                  => 0..8
             100  packets(0, 2..8)            => 0..2* | loss
             110  packets(1, 2..8 0..1)       =>       | partial
             {end}"
        );
        undone(&EIGHT, &script);
    };
    script("200 packets(8, 2..10 0..1) => | over timer off");
    script("700 packets(8, 0..8) => | spurious cwnd 8");
    script("701 packets(8, 0..8) => | partial");
}

#[test]
//= rfc9438 §4.9.2 type=test
// The losses of the example are persistent congestion. But the packets were only late.
fn persistent_congestion_is_undone_as_well() {
    let texts = [
        ("initial_window", "10 segments"),
        ("max_ack_delay", "1500 ms"),
        ("late_ack_undo", "true"),
    ];
    let script = std::format!(
        "{EXAMPLE}
         12200 packets(3, 9..10 0..2)       => 3..6*       | timeout cwnd 3
         12300 packets(8, 0..10)            =>             | spurious cwnd 12 timer off"
    );
    quic(&texts, &script);
}

#[test]
// As above, but the packet's own ack comes when marks have reduced the window once more.
fn a_late_ack_after_an_echo_undoes_nothing() {
    let texts = [
        ("initial_window", "8 segments"),
        ("late_ack_undo", "true"),
        ("ecn", "true"),
    ];
    play(
        "reno+quic",
        &texts,
        "0    release(8)                    => 0..8e
         100  packets(0, 1..4)              => 0*e   | loss cwnd 4
         200  packets(8, 1..9)              =>       | over
         300  release(9)                    => 8e
         400  packets(9 marks 1, 1..10)     =>       | open cwnd 2
         401  packets(9 marks 1, 0..10)     =>       | stale cwnd 2",
    );
}
