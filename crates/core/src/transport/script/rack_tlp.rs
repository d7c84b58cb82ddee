//! Scripts for RACK-TLP: the examples of RFC 8985, and what each of its sections demands. Round trips are 100 ms, so a probe is due after
//! 200, and the timeout is 300 once a round trip has been measured.

use super::{params, play, play_on};

/// Four segments at the start, and a window that is reduced at once.
const FOUR: &[(&str, &str)] = &[("reduction", "classic"), ("initial_window", "4 segments")];

fn rack(texts: &[(&str, &str)], script: &str) {
    play("reno+rack-tlp", texts, script);
}

#[test]
//= rfc8985 §3.4, Fig. 1 type=test
//= rfc8985 §4, SACK type=test
//= rfc8985 §4, scoreboard type=test
//= rfc8985 §7.3, transmission type=test
//= rfc8985 §7.4.1 type=test
//= rfc8985 §7.3, last type=test
//= rfc8985 §6.1 type=test
//= rfc8985 §9.3, twice type=test
// 1, 2 and 3 are lost, and the retransmission of 1 is lost as well: two indications of congestion.
fn the_example_of_a_fast_recovery() {
    rack(
        FOUR,
        "0    release(4)                  => 0..4
         100  ack(1)                      =>       | open cwnd 5
         300  clock                       => 3*    | probe cwnd 5
         400  ack(1 by 3, 3..4)           => 1..3* | loss cwnd 2
         500  ack(1 by 2, 2..4)           => 1*    | loss cwnd 2 ssthresh 2
         600  ack(4 by 1)                 =>       | over cwnd 2 timer off",
    );
}

#[test]
//= rfc8985 §3.5 type=test
//= rfc8985 §6.3 type=test
// 1 is only late, and 2 and 3 are sent just before the timer runs out: they are not lost. Without probes, as in the example.
fn the_example_of_a_timeout() {
    let texts = [FOUR, &[("tlp", "false")]].concat();
    let start = "0    release(1)                  => 0
         100  ack(1)                      =>
         200  release(2)                  => 1
         450  release(4)                  => 2 3   | timer 500
         500  timeout                     => 1*    | cwnd 1
";
    rack(
        &texts,
        &std::format!(
            "{start}
         510  ack(2 by 1@0)               =>       | open cwnd 2 timer 1010
         550  ack(4 by 3)                 =>       | open timer off"
        ),
    );
    // They are once they were sent a round trip and the reordering window ago, 25 ms, when the timer runs out again.
    rack(
        &texts,
        &std::format!(
            "{start}
         510  ack(2 by 1@0)               =>       | open cwnd 2
         1010 timeout                     => 2*    | cwnd 1
         1110 ack(3)                      => 3*    | open cwnd 2"
        ),
    );
}

#[test]
//= rfc8985 §9.1, tail type=test
//= rfc8985 §6.2, step 5 type=test
// Three segments, 50 ms apart. 0 and 2 are lost: 0 when 1 arrives, at once, because the reordering window of 25 ms is over then; 2 when the
// retransmission of 0 arrives.
fn losses_at_the_end_of_the_data_are_found_without_a_timeout() {
    rack(
        FOUR,
        "0    release(1)                  => 0
         100  ack(1)                      =>
         200  release(2)                  => 1
         250  release(3)                  => 2
         300  release(4)                  => 3
         350  ack(1 by 2, 2..3)           => 1*    | loss
         450  ack(3 by 1)                 => 3*    | partial
         550  ack(4)                      =>       | over timer off",
    );
}

#[test]
//= rfc8985 §9.1, retransmission type=test
//= rfc8985 §4, stamps type=test
//= rfc8985 §6.2, timer type=test
// 1 and 2 are lost: the timer of the reordering window finds that. The retransmission of 1 is lost as well, and that of 2 shows it.
fn a_lost_retransmission_is_sent_again_without_a_timeout() {
    rack(
        FOUR,
        "0    release(4)                  => 0..4
         100  ack(1)                      =>       | open
         100  ack(1 by 3, 3..4)           =>       | dup timer 125
         125  clock                       => 1..3* | loss ssthresh 2
         225  ack(1 by 2, 2..4)           => 1*    | loss ssthresh 2
         325  ack(4 by 1)                 =>       | over cwnd 2 timer off",
    );
}

#[test]
//= rfc8985 §9.3, twice type=test
// Of ten segments 1 and 2 are lost, and the retransmission of 1. The window is halved again for that, but not in a proportional reduction.
fn a_lost_retransmission_is_further_congestion() {
    let ten = |reduction| [("initial_window", "10 segments"), ("reduction", reduction)];
    let script = |sent, then| {
        std::format!(
            "0    release(10)                 => 0..10
             100  ack(1)                      =>       | open cwnd 11
             100  ack(1 by 5, 3..6)           => {sent}| loss ssthresh 5
             101  ack(1 by 9, 3..10)          => 2*    | dup
             201  ack(1 by 2, 2..10)          => 1*    | {then}
             301  ack(10 by 1)                =>       | over"
        )
    };
    rack(&ten("classic"), &script("1* ", "loss ssthresh 2"));
    rack(&ten("prr"), &script("1* ", "dup ssthresh 5"));
}

#[test]
//= rfc8985 §9.1, reordering type=test
//= rfc8985 §6.2, step 3 type=test
// Segments are late by less than a quarter of a round trip, and are not sent again. From then on three reports beyond a segment are no
// sign of a loss. One that is late by more is sent again, and the duplicate of it widens the window.
fn reordering_within_the_window_causes_no_retransmission() {
    rack(
        &[("reduction", "classic"), ("initial_window", "8 segments")],
        "0    release(8)                  => 0..8
         100  ack(1)                      =>       | open
         100  ack(1 by 2, 2..4)           =>       | dup timer 125
         124  ack(4 by 1)                 =>       | open timer 324
         130  ack(4 by 7, 5..8)           =>       | dup timer 155
         154  ack(8 by 4)                 =>       | open timer off
         200  release(16)                 => 8..16
         300  ack(8 by 10, 9..11)         =>       | dup timer 325
         300  ack(8 by 15, 9..16)         =>       | dup timer 325",
    );
}

#[test]
//= rfc8985 §6.2, DupThresh type=test
//= rfc8985 §3.3.2, zero type=test
// As long as no reordering has been seen, the third report beyond a segment shows that it is lost.
fn three_reports_are_enough_before_reordering_is_seen() {
    rack(
        &[("reduction", "classic"), ("initial_window", "8 segments")],
        "0    release(8)                  => 0..8
         100  ack(1)                      =>       | open
         101  ack(1 by 3, 2..4)           =>       | dup timer 126
         102  ack(1 by 4, 2..5)           => 1*    | loss
         103  ack(1 by 7, 2..8)           =>       | dup
         202  ack(8 by 1)                 =>       | over",
    );
}

/// The first round trip of [`FOUR`], after which 3 is outstanding.
const LAST: &str = "0    release(4)                  => 0..4
     100  ack(3)                      =>       | open cwnd 5 timer 300
";

#[test]
//= rfc8985 §7.3, last type=test
//= rfc8985 §7.3, rearm type=test
//= rfc8985 §7.4.2 type=test
//= rfc8985 §7.4.2, process type=test
// 3 is lost, and the probe replaces it after two round trips. No report of a second copy comes, so the window is halved when later data is
// acknowledged. The timeout, 300 ms, counts from the probe.
fn a_loss_that_the_probe_repairs_is_congestion_all_the_same() {
    rack(
        FOUR,
        &std::format!(
            "{LAST}
             300  clock                       => 3*    | probe cwnd 5 timer 600
             400  ack(4 by 3)                 =>       | open cwnd 6 timer off
             500  release(12)                 => 4..10
             600  ack(5)                      =>       | loss cwnd 3 ssthresh 3
             601  ack(10)                     => 10 11 | over cwnd 3"
        ),
    );
}

#[test]
//= rfc8985 §7.4.2, process type=test
// 3 was late: a DSACK, or a duplicate without blocks from a receiver that sends none, shows that both copies have arrived.
fn a_probe_for_what_was_late_is_no_congestion() {
    for duplicate in ["ack(4 by 3, 3..4)", "ack(4 by 3)"] {
        rack(
            FOUR,
            &std::format!(
                "{LAST}
                 300  clock                       => 3*    | probe
                 310  ack(4 by 3@0)               =>       | open cwnd 6
                 400  {duplicate}                 =>       | stale
                 500  release(12)                 => 4..10
                 600  ack(5)                      => 10 11 | open cwnd 7"
            ),
        );
    }
}

#[test]
//= rfc8985 §7.3, new type=test
//= rfc8985 §9.3, exception type=test
//= rfc8985 §7.3, conditions type=test
// With data left, the probe is new data, one segment beyond the window; and there is one only before the timeout. The next ack lets nothing
// out that the window does not allow.
fn a_probe_is_new_data_if_there_is_any() {
    let start = "0    greedy                      => 0..4
         100  ack(1)                      => 4 5   | open cwnd 5 timer 300
         300  clock                       => 6     | probe cwnd 5 flight 6 timer 600
";
    rack(
        FOUR,
        &std::format!("{start} 600  timeout                     => 1*    | cwnd 1"),
    );
    rack(
        FOUR,
        &std::format!(
            "{start}
         310  ack(2 by 1)                 => 7     | open cwnd 6 flight 6
         311  ack(7 by 6)                 => 8..14 | open cwnd 7 flight 7"
        ),
    );
}

#[test]
//= rfc8985 §7.3, conditions type=test
// The acks from 310 on are answers to damaged packets, which measure no round trip. So the next probe is not sent, and the timeout counts from
// then. After a measured round trip there is one again.
fn a_probe_needs_a_round_trip_that_was_measured_since_the_last() {
    let start = "0    greedy                      => 0..4
         100  ack(1)                      => 4 5   | open cwnd 5
         300  clock                       => 6     | probe
         310  repeat(7)                   => 7..13 | open cwnd 6 unmeasured timer 510
";
    rack(
        FOUR,
        &std::format!(
            "{start}
         510  clock                       =>       | stale timer 810
         810  timeout                     => 7*    | cwnd 1"
        ),
    );
    rack(
        FOUR,
        &std::format!(
            "{start}
         410  ack(8)                      => 13 14 | open measured timer 610
         610  clock                       => 15    | probe"
        ),
    );
}

#[test]
//= rfc8985 §7.2, schedule type=test
//= rfc8985 §7.2, PTO type=test
//= rfc8985 §7.2, delayed type=test
//= rfc8985 §7.2, RTO type=test
// New data restarts the time, and an ack of new data does. For one segment it is longer by the time for which its ack may be withheld. The
// timeout limits it.
fn when_a_probe_is_due() {
    rack(
        FOUR,
        "0    release(2)                  => 0 1   | timer 1000
         100  ack(1)                      =>       | timer 300
         150  release(4)                  => 2 3   | timer 350
         160  repeat(2)                   =>       | timer 360
         350  release(5)                  => 4     | timer 460
         460  clock                       => 4*    | probe timer 760",
    );
    let slow = |min_rto| {
        [
            ("delayed_ack", "true"),
            ("ack_delay", "40 ms"),
            ("min_rto", min_rto),
            ("initial_window", "4 segments"),
        ]
    };
    let script = |one| {
        std::format!(
            "0    release(4)                  => 0..4
             100  ack(2)                      =>       | timer 300
             101  ack(3)                      =>       | timer {one}"
        )
    };
    // SRTT is 100.125 ms. The timeout is at least 200 ms.
    rack(&slow("400 ms"), &script("341.25"));
    rack(
        &[("max_ack_delay", "60 ms")],
        "0    release(1)                  => 0
         100  ack(1)                      =>
         200  release(2)                  => 1     | timer 460",
    );
    rack(
        &[("max_ack_delay", "1 s")],
        "0    release(1)                  => 0
         100  ack(1)                      =>
         200  release(2)                  => 1     | timer 500",
    );
}

#[test]
//= rfc8985 §7.2, schedule type=test
//= rfc8985 §7.1, reset type=test
//= rfc8985 §8, exclusive type=test
// With a report beyond the oldest segment the timer is that of the reordering window, or of the timeout: no probe in a recovery.
fn there_is_no_probe_in_a_recovery() {
    rack(
        FOUR,
        "0    release(4)                  => 0..4
         100  ack(1)                      =>       | timer 300
         110  ack(1 by 2, 2..3)           =>       | dup timer 135
         135  clock                       => 1*    | loss timer 435
         145  ack(3 by 1@0)               =>       | partial timer 445
         445  timeout                     => 3*    | cwnd 1
         545  ack(4)                      =>       | open timer off",
    );
}

#[test]
//= rfc8985 §6.2, spurious type=test
// 1 is late and is sent again. The ack that comes 10 ms later is of its first transmission: by what it echoes, or, if the echo is unknown, because
// it comes earlier than any round trip. So 2, sent before that, is not lost.
fn the_ack_of_an_earlier_transmission_proves_nothing_about_later_ones() {
    for ack in ["ack(2 by 1@0)", "repeat(2)"] {
        rack(
            &[("reduction", "classic"), ("initial_window", "8 segments")],
            &std::format!(
                "0    release(5)                  => 0..5
                 100  ack(1)                      =>       | open
                 100  ack(1 by 4, 4..5)           =>       | dup timer 125
                 105  release(7)                  => 5 6   | timer 125
                 125  clock                       => 1..3* | loss cwnd 4
                 135  {ack}                       => 3*    | partial
                 225  ack(3 by 2, 4..7)           =>       | partial
                 235  ack(7 by 3)                 =>       | over"
            ),
        );
    }
}

#[test]
//= rfc8985 §9.3, appropriate type=test
// 1 to 8 are lost. The first retransmission goes at once, the others when half of the window has room.
fn lost_segments_wait_for_the_window() {
    rack(
        &[("reduction", "classic"), ("initial_window", "20 segments")],
        "0    release(20)                 => 0..20
         100  ack(1)                      =>         | open cwnd 21
         101  ack(1 by 9, 9..10)          =>         | dup
         101  ack(1 by 10, 9..11)         =>         | dup
         101  ack(1 by 11, 9..12)         => 1..3*   | loss cwnd 10
         101  ack(1 by 12, 9..13)         => 3*      | dup
         101  ack(1 by 19, 9..20)         => 4..9*   | dup",
    );
}

#[test]
//= rfc8985 §9.3, slow start type=test
// Ten segments, all lost, of a window of twenty. The probe's ack shows it two round trips after they were sent, and proportional rate reduction
// sends 1, 2, 4 ... again: at 400 the probe, and nine segments in four round trips. The window ends at ssthresh.
fn the_example_of_a_lost_flight() {
    rack(
        &[("initial_window", "20 segments"), ("reduction", "prr")],
        "0    release(1)                  => 0
         100  ack(1)                      =>       | open cwnd 21
         200  release(11)                 => 1..11
         400  clock                       => 10*   | probe cwnd 21
         500  ack(1 by 10, 10..11)        => 1*    | loss ssthresh 10
         600  ack(2)                      => 2..4* | partial
         700  ack(3)                      => 4..6* | partial
         700  ack(4)                      => 6..8* | partial
         800  ack(5)                      => 8..10*  | partial
         800  acks(6..9)                  =>       | partial
         900  ack(11 by 9)                =>       | over cwnd 10",
    );
}

#[test]
//= rfc8985 §6.2, adapts type=test
//= rfc8985 §3.3.2, bounded type=test
// Each round trip with a report of a second copy makes the window wider by a quarter of the shortest round trip, up to SRTT.
fn second_copies_widen_the_window() {
    let mut sender = params("reno+rack-tlp", FOUR).sender();
    play_on(
        &mut sender,
        "0    release(4)                  => 0..4
         100  ack(1)                      =>       | open
         100  ack(1 by 3, 3..4)           =>       | dup timer 125
         125  clock                       => 1..3* | loss
         126  ack(3 by 2@0, 3..4)         =>       | partial
         127  ack(4 by 3)                 =>       | over",
    );
    let mut una = 4;
    for n in 1..8 {
        let now = 1000 * n;
        let wait = 100 * (n + 1).min(4) / 4;
        let script = std::format!(
            "{now} release({}) => {una}..{}
             {} ack({una} by {}, 0..1 {}..{}) => | dup timer {}
             {} ack({}) =>",
            una + 2,
            una + 2,
            now + 100,
            una + 1,
            una + 1,
            una + 2,
            now + 100 + wait,
            now + 100 + wait - 1,
            una + 2,
        );
        play_on(&mut sender, &script);
        una += 2;
    }
}

#[test]
//= linux §tcp_recovery.c, TCP_TIMEOUT_MIN type=test
// Ticks of 10 ms: two round trips are 20 and two more, the reordering window of 25 ms is three and two more. For one segment, whose ack may be
// withheld, two round trips of 103 ms are 21, and the delay of acks is added.
fn the_timer_may_be_late_by_whole_ticks() {
    let texts = [FOUR, &[("late_ticks", "2"), ("tick", "10 ms")]].concat();
    rack(
        &texts,
        "0    release(4)                  => 0..4
         100  ack(1)                      =>       | open timer 320
         100  ack(1 by 3, 3..4)           =>       | dup timer 150
         150  clock                       => 1..3* | loss ssthresh 2",
    );
    let texts = [&texts[..], &[("max_ack_delay", "40 ms")]].concat();
    rack(
        &texts,
        "0    release(1)                  => 0
         103  ack(1)                      =>       | open
         200  release(2)                  => 1     | timer 450",
    );
}

#[test]
//= linux §tcp_input.c, tcp_cong_control type=test
// Segments 2 and 3 overtake segment 1. The ack of all three is the first to report one of them.
fn what_was_reported_before_does_not_open_linux_windows_again() {
    for (control, counted) in [("reno", "windows"), ("tcp-cubic", "acks")] {
        play(
            &std::format!("{control}+rack-tlp"),
            &[
                ("initial_window", "8 segments"),
                ("counted", counted),
                ("tlp", "false"),
            ],
            "0    release(100)      => 0..8
             100  ack(1)            => 8 9   | open cwnd 9
             110  ack(1 by 2, 2..3) => 10    | dup cwnd 9
             111  ack(1 by 3, 2..4) => 11    | dup cwnd 9
             115  ack(4 by 1)       => 12 13 | open cwnd 10",
        );
    }
}

#[test]
//= linux §tcp_input.c, tcp_cong_control, over type=test
// The ack that ends the recovery is the first to report segment 1, and the next three acks report one segment each: four in all, the
// window of after the loss.
fn the_ack_that_ends_a_recovery_opens_linux_windows() {
    for (counted, last) in [("windows", "18 19 | open cwnd 5"), ("acks", "18    | open")] {
        play(
            "reno+rack-tlp",
            &[
                ("initial_window", "8 segments"),
                ("counted", counted),
                ("tlp", "false"),
            ],
            &std::format!(
                "0    release(100)         => 0..8
                 100  ack(1)               => 8 9 | open cwnd 9
                 110  ack(1 by 2, 2..3)    => 10  | dup
                 111  ack(1 by 3, 2..4)    => 11  | dup
                 112  ack(1 by 4, 2..5)    => 1*  | loss
                 113  ack(1 by 5, 2..6)    =>     | dup
                 114  ack(1 by 6, 2..7)    => 12  | dup
                 115  ack(1 by 7, 2..8)    =>     | dup
                 200  ack(1 by 8, 2..9)    => 13  | dup
                 201  ack(1 by 9, 2..10)   =>     | dup
                 210  ack(1 by 10, 2..11)  =>     | dup
                 211  ack(1 by 11, 2..12)  => 14  | dup
                 212  ack(12 by 1)         => 15  | over cwnd 4
                 310  ack(13 by 12)        => 16  | open
                 311  ack(14 by 13)        => 17  | open
                 312  ack(15 by 14)        => {last}"
            ),
        );
    }
}

#[test]
//= linux §tcp_input.c, tcp_time_to_recover type=test
// Segment 12 is sent in the recovery and lost, and sent again before the recovery is over. That is a loss of its own.
fn what_is_lost_in_a_recovery_with_prr_begins_another() {
    let texts = [("initial_window", "8 segments"), ("tlp", "false")];
    let start = "0    release(100)           => 0..8
         100  ack(1)                 => 8 9   | open cwnd 9
         110  ack(1 by 2, 2..3)      => 10    | dup
         111  ack(1 by 3, 2..4)      => 11    | dup
         112  ack(1 by 4, 2..5)      => 1*    | loss
         113  ack(1 by 5, 2..6)      =>       | dup
         114  ack(1 by 6, 2..7)      => 12    | dup
         115  ack(1 by 7, 2..8)      =>       | dup
         200  ack(1 by 8, 2..9)      => 13    | dup
         201  ack(1 by 9, 2..10)     =>       | dup
         210  ack(1 by 10, 2..11)    =>       | dup
         211  ack(1 by 11, 2..12)    => 14    | dup
         300  ack(1 by 13, 2..12 13..14) => 1* 12* 15 | dup
         311  ack(1 by 14, 2..12 13..15) => 16 | dup cwnd 4";
    let loss = std::format!(
        "{start}
         400  ack(12 by 1, 13..15)   => 17 | loss ssthresh 2"
    );
    play("reno+rack-tlp", &texts, &loss);
    // Segment 12 arrives once more, and nothing else has been sent again since: the second was no loss.
    let late = std::format!(
        "{loss}
         410  ack(17 by 16)          => 18 | over
         411  ack(17 by 12, 12..13)  => 19..21 | spurious ssthresh 4"
    );
    let dsack = [("dsack", "true"), ("dsack_undo", "true")];
    play("reno+rack-tlp", &[texts, dsack].concat(), &late);
    // The ack that ends the first shows that it was none: the window is restored, and nothing begins.
    let none = std::format!(
        "{start}
         400  ack(12 by 1@0, 13..15) => 17..23 | spurious cwnd 9"
    );
    let eifel = [("eifel", "true")];
    play("reno+rack-tlp", &[&texts[..], &eifel].concat(), &none);
}
