use super::*;
use crate::declare::Declared;
use std::format;
use std::string::String;

/// `arrivals` one per 10 ms; per arrival the ack as `next[blocks]`, `-` for none.
fn acks(delayed: bool, arrivals: &[u64]) -> Vec<String> {
    acks_with(
        &[("delayed_ack", if delayed { "true" } else { "false" })],
        arrivals,
    )
}

fn acks_with(texts: &[(&str, &str)], arrivals: &[u64]) -> Vec<String> {
    let params = Common::from_texts(texts);
    let mut receiver = Receiver::new(&params, Hears::Acks);
    let mut now = Instant::ZERO;
    arrivals
        .iter()
        .map(|segment| {
            now += Duration::millis(10);
            match receiver.handle_segment(now, *segment, 0).ack {
                None => "-".into(),
                Some(ack) => {
                    let blocks: Vec<_> = ack
                        .sacked()
                        .map(|b| format!("{}-{}", b.from, b.to))
                        .collect();
                    format!("{}[{}]", ack.next, blocks.join(" "))
                }
            }
        })
        .collect()
}

#[test]
//= rfc2018 §4, first block type=test
//= rfc2018 §4, as many type=test
//= rfc2018 §4, latest type=test
//= rfc2018 §4, every ack type=test
//= rfc2018 §4, all type=test
fn blocks_the_latest_first() {
    assert_eq!(
        acks(false, &[0, 2, 4, 6, 8, 3, 1, 9, 2, 5, 7]),
        [
            "1[]",
            "1[2-3]",
            "1[4-5 2-3]",
            "1[6-7 4-5 2-3]",
            "1[8-9 6-7 4-5]", // at most three
            "1[2-5 8-9 6-7]", // 3 joins two runs, and the joined run comes first
            "5[8-9 6-7]",
            "5[8-10 6-7]",
            "5[8-10 6-7]",
            "7[8-10]",
            "10[]",
        ]
    );
}

#[test]
//= rfc5681 §4.2, every second type=test
//= rfc5681 §4.2, above a gap type=test
//= rfc5681 §3.2, out of order type=test
//= rfc2018 §4, each type=test
//= rfc5681 §4.2, one type=test
fn delayed_acks_wait_for_a_second_segment_but_not_beside_a_gap() {
    assert_eq!(
        acks(true, &[0, 1, 2, 4, 5, 3, 6, 7]),
        ["-", "2[]", "-", "3[4-5]", "3[4-6]", "6[]", "-", "8[]"]
    );
}

#[test]
//= rfc5681 §4.2, every second type=test
fn a_delayed_ack_waits_for_as_many_as_a_plan_says() {
    let every = |n| {
        let texts = [("delayed_ack", "true"), ("ack_every", n)];
        acks_with(&texts, &[0, 1, 2, 3, 4, 6, 5, 7, 8])
    };
    assert_eq!(
        every("4"),
        ["-", "-", "-", "4[]", "-", "5[6-7]", "7[]", "-", "-"]
    );
    assert_eq!(
        every("1"),
        [
            "1[]", "2[]", "3[]", "4[]", "5[]", "5[6-7]", "7[]", "8[]", "9[]"
        ]
    );
    // The time counts from the first segment that waits: 20 ms after 10 ms is before the third of them.
    let texts = [
        ("delayed_ack", "true"),
        ("ack_every", "4"),
        ("ack_delay", "20 ms"),
    ];
    let mut receiver = Receiver::new(&Common::from_texts(&texts), Hears::Acks);
    let at = |ms| Instant(Duration::millis(ms).0);
    for segment in 0..2 {
        let arrival = receiver.handle_segment(at(10 * (segment + 1)), segment, segment);
        assert_eq!((arrival.ack, receiver.poll_timeout()), (None, Some(at(30))));
    }
    assert_eq!(receiver.handle_timeout(at(30)).unwrap().next, 2);
    // Three more wait again.
    for segment in 2..5 {
        let arrival = receiver.handle_segment(at(40), segment, segment);
        assert_eq!((arrival.ack, receiver.poll_timeout()), (None, Some(at(60))));
    }
    assert!(receiver.handle_segment(at(41), 5, 5).ack.is_some());
}

#[test]
//= rfc8257 §3.2 type=test
// With DCTCP's echo the ack before a change covers as many as have come.
fn exact_echoes_of_every_third_segment() {
    let texts = [
        ("ecn_echo", "exact"),
        ("delayed_ack", "true"),
        ("ack_every", "3"),
    ];
    assert_eq!(
        echoes(&texts, "- - - - - m m m m -"),
        "- - 3 - - 5+6e - - 9e 10"
    );
}

#[test]
//= rfc5681 §3.2, fills a gap type=test
//= rfc5681 §4.2, fills a gap type=test
// "fills in all or part of a gap": 1 fills a part.
fn a_part_of_a_gap_is_acknowledged_at_once() {
    assert_eq!(
        acks(true, &[0, 3, 1, 2, 4]),
        ["-", "1[3-4]", "2[3-4]", "4[]", "-"]
    );
}

#[test]
//= linux §tcp_input.c, quick acks type=test
fn the_first_segments_are_acknowledged_one_by_one() {
    let texts = [("delayed_ack", "true"), ("quick_acks", "3")];
    assert_eq!(
        acks_with(&texts, &[0, 1, 2, 3, 4, 5, 6]),
        ["1[]", "2[]", "3[]", "-", "5[]", "-", "7[]"]
    );
    // Beyond a gap they count as well, but not those that have arrived before.
    assert_eq!(
        acks_with(&texts, &[0, 2, 2, 0, 1, 3, 4]),
        ["1[]", "1[2-3]", "1[2-3]", "1[2-3]", "3[]", "-", "5[]"]
    );
}

#[test]
// QUIC counts packets: one in order is withheld like others, although its data has arrived before.
fn a_packet_whose_data_has_arrived_before_may_be_withheld() {
    let texts = [("delayed_ack", "true"), ("ack_every", "3")];
    let mut receiver = Receiver::new(&Common::from_texts(&texts), Hears::Packets);
    let now = Instant(Duration::millis(10).0);
    let acks = [(0, 0), (0, 1), (1, 2)]
        .map(|(segment, id)| receiver.handle_segment(now, segment, id).ack.is_some());
    assert_eq!(acks, [false, false, true]);
}

#[test]
//= linux §tcp.c, tcp_cleanup_rbuf type=test
fn an_ack_waits_until_the_application_has_read() {
    let texts = [("delayed_ack", "true"), ("read_delay", "3 ms")];
    let mut receiver = Receiver::new(&Common::from_texts(&texts), Hears::Acks);
    let at = |ms| Instant(Duration::millis(ms).0);
    // The ack of the second segment waits for 3 ms, and covers the third and fourth, too.
    let arrivals = [(10, 210), (20, 23), (21, 23), (22, 23)];
    for (segment, (now, due)) in (0..).zip(arrivals) {
        let arrival = receiver.handle_segment(at(now), segment, segment);
        assert_eq!(
            (arrival.ack, receiver.poll_timeout()),
            (None, Some(at(due)))
        );
    }
    assert_eq!(receiver.handle_timeout(at(23)).unwrap().next, 4);
    // The time of the first is over before the second is read.
    for (segment, now) in [(4, 30), (5, 229)] {
        assert_eq!(receiver.handle_segment(at(now), segment, segment).ack, None);
    }
    assert_eq!(receiver.poll_timeout(), Some(at(230)));
    // Beside a gap it waits for nothing.
    let arrival = receiver.handle_segment(at(230), 7, 7);
    assert_eq!(arrival.ack.unwrap().next, 6);
}

#[test]
//= rfc5681 §4.2, 500 ms type=test
// The default is 200 ms.
fn a_delayed_ack_goes_when_its_time_is_up() {
    let mut receiver = Receiver::new(&Common::from_texts(&[("delayed_ack", "true")]), Hears::Acks);
    assert_eq!(receiver.handle_segment(Instant::ZERO, 0, 0).ack, None);
    let due = receiver.poll_timeout().unwrap();
    assert_eq!(due, Instant::ZERO + Duration::millis(200));
    assert_eq!(receiver.handle_timeout(Instant(due.0 - 1)), None);
    assert_eq!(receiver.handle_timeout(due).unwrap().next, 1);
    assert_eq!(
        (receiver.poll_timeout(), receiver.handle_timeout(due)),
        (None, None)
    );
}

#[test]
fn segments_are_delivered_once_and_in_order() {
    let mut receiver = Receiver::new(&Common::default(), Hears::Acks);
    let mut next = 0;
    for segment in [0, 2, 2, 0, 1, 5, 4, 3, 3] {
        let arrival = receiver.handle_segment(Instant::ZERO, segment, 0);
        let Block { from, to } = arrival.delivered;
        assert_eq!(from, next);
        next = to;
    }
    assert_eq!(next, 6);
}

#[test]
fn an_ack_names_what_caused_it() {
    let mut receiver = Receiver::new(&Common::default(), Hears::Acks);
    let mut hear = |segment, id| {
        let ack = receiver.handle_segment(Instant::ZERO, segment, id).ack;
        let ack = ack.unwrap();
        (ack.next, ack.cause, ack.id)
    };
    assert_eq!(hear(0, 0), (1, 0, 0));
    assert_eq!(hear(2, 2), (1, 2, 2));
    assert_eq!(hear(1, 3), (3, 1, 3));
}

#[test]
fn a_receiver_that_discards_waits_for_the_segment_itself() {
    let params = Common::from_texts(&[("out_of_order", "discard")]);
    let mut receiver = Receiver::new(&params, Hears::Acks);
    let mut next = |segment| {
        let ack = receiver.handle_segment(Instant::ZERO, segment, 0).ack;
        ack.unwrap().next
    };
    assert_eq!([next(0), next(2), next(1), next(2)], [1, 1, 2, 3]);
}

/// Segments from 0 on, one per 10 ms, with what their packets say of congestion (`m` a mark, `w` CWR, `x` not ECN-capable); per
/// segment the acks that it leads to, as their `next`, with `e` for an echo.
fn echoes(texts: &[(&str, &str)], packets: &str) -> String {
    let mut receiver = Receiver::new(&Common::from_texts(texts), Hears::Acks);
    let show = |ack: Ack| format!("{}{}", ack.next, if ack.ece { "e" } else { "" });
    let (mut now, mut segment) = (Instant::ZERO, 0);
    let mut all = Vec::new();
    for word in packets.split(' ') {
        now += Duration::millis(10);
        let (ecn, cwr) = match word {
            "m" => (Ecn::Ce, false),
            "w" => (Ecn::Ect0, true),
            "mw" => (Ecn::Ce, true),
            "x" => (Ecn::NotEct, false),
            _ => (Ecn::Ect0, false),
        };
        // A host calls `handle_ecn` first, too.
        let early = (ecn.is_capable() || cwr).then(|| receiver.handle_ecn(now, segment, ecn, cwr));
        let late = receiver.handle_segment(now, segment, segment).ack;
        segment += 1;
        let acks: Vec<_> = [early.flatten(), late]
            .into_iter()
            .flatten()
            .map(show)
            .collect();
        all.push(if acks.is_empty() {
            "-".into()
        } else {
            acks.join("+")
        });
    }
    all.join(" ")
}

#[test]
//= rfc3168 §6.1.3 type=test
fn a_mark_is_echoed_until_the_sender_has_reduced_its_window() {
    let at_once = |packets| echoes(&[], packets);
    assert_eq!(
        at_once("- m - x - w - m mw - w"),
        "1 2e 3e 4e 5e 6 7 8e 9e 10e 11"
    );
    // One of the two segments of a delayed ack was marked.
    let delayed = |packets| echoes(&[("delayed_ack", "true")], packets);
    assert_eq!(delayed("- - m - - - w -"), "- 2 - 4e - 6e - 8");
    assert_eq!(delayed("- m - - w m - -"), "- 2e - 4e - 6e - 8e");
    // A mark whose ack is withheld when CWR arrives is still echoed: CWR does not answer a mark that no ack has reported.
    assert_eq!(delayed("m w - - w - - -"), "- 2e - 4e - 6 - 8");
}

#[test]
//= rfc3168 §6.1.5, window type=test
fn marks_outside_the_window_are_ignored() {
    for (echo, within) in [("latched", true), ("exact", true), ("exact", false)] {
        let texts = [("ecn_echo", echo), ("max_window", "4 segments")];
        let mut receiver = Receiver::new(&Common::from_texts(&texts), Hears::Acks);
        let mut hear = |segment, ecn| {
            receiver.handle_ecn(Instant::ZERO, segment, ecn, false);
            receiver.handle_segment(Instant::ZERO, segment, 0).ack
        };
        assert!(!hear(0, Ecn::Ect0).unwrap().ece);
        // Segment 0 has arrived before, and segment 5 is beyond the window of 4.
        for outside in [0, 5] {
            assert!(!hear(outside, Ecn::Ce).unwrap().ece, "{echo}, {outside}");
        }
        let ecn = if within { Ecn::Ce } else { Ecn::Ect0 };
        assert_eq!(hear(4, ecn).unwrap().ece, within, "{echo}");
    }
}

#[test]
//= rfc8257 §3.2 type=test
// An ack covers packets that were all marked, or all unmarked. Where that changes, the withheld ack is sent at once, and so is
// the ack of the packet that changed it.
fn exact_echoes_say_which_segments_were_marked() {
    let exact =
        |delayed, packets| echoes(&[("ecn_echo", "exact"), ("delayed_ack", delayed)], packets);
    assert_eq!(exact("false", "- m - m m x -"), "1 2e 3 4e 5e 6e 7");
    assert_eq!(
        exact("true", "- - m m - - m - m"),
        "- 2 3e - 4e+5 - 6+7e 8 9e"
    );
    // CWR means nothing here.
    assert_eq!(exact("true", "m m m w w w mw m"), "1e - 3e 4 - 6 7e -");
}

/// As [`echoes`], with the counter of each ack.
fn counts(delayed: &str, hears: Hears, packets: &str) -> String {
    let texts = [
        ("ecn_echo", "counter"),
        ("delayed_ack", delayed),
        ("ack_every", "4"),
    ];
    let mut receiver = Receiver::new(&Common::from_texts(&texts), hears);
    let mut all = Vec::new();
    for (segment, word) in (0..).zip(packets.split(' ')) {
        let now = ms(10 * segment);
        if word != "x" {
            let ecn = if word == "m" { Ecn::Ce } else { Ecn::Ect0 };
            assert_eq!(receiver.handle_ecn(now, segment, ecn, false), None);
        }
        let ack = receiver.handle_segment(now, segment, segment).ack;
        let show = |it: Ack| format!("{}:{}", it.next, it.marks);
        all.push(ack.map_or("-".into(), show));
    }
    all.join(" ")
}

#[test]
//= rfc9768 §3.2.2, counter type=test
//= rfc9768 §3.2.2.5.1, change type=test
//= rfc9768 §3.2.2.5.1, increment type=test
//= rfc9000 §13.2.1, marked type=test
fn acks_count_the_marked_packets() {
    let at_once = |packets| counts("false", Hears::Acks, packets);
    assert_eq!(at_once("- m - x m m"), "1:0 2:1 3:1 4:1 5:2 6:3");
    assert_eq!(
        at_once("m m m m m m m m m"),
        "1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:0 9:1"
    );
    // An ack waits for four segments. The first mark after an unmarked packet is acknowledged at once, and so is each second one.
    let delayed = |packets| counts("true", Hears::Acks, packets);
    assert_eq!(
        delayed("- m - - - - m m m m m -"),
        "- 2:1 - - - 6:1 7:2 - 9:4 - 11:6 -"
    );
    // QUIC acknowledges each marked packet at once, and its counter is a whole number.
    let quic = |packets| counts("true", Hears::Packets, packets);
    assert_eq!(
        quic("- m m - m m m m m m m -"),
        "- 2:1 3:2 - 5:3 6:4 7:5 8:6 9:7 10:8 11:9 -"
    );
}

fn answering(delayed: &str, hears: Hears) -> Receiver {
    let texts = [("delayed_ack", delayed), ("bad_checksum", "dup-ack")];
    Receiver::new(&Common::from_texts(&texts), hears)
}

#[test]
//= rfc793 §1.5 type=test
fn a_damaged_segment_is_discarded() {
    let mut receiver = Receiver::new(&Common::default(), Hears::Acks);
    receiver.handle_segment(Instant::ZERO, 0, 0);
    assert_eq!(receiver.handle_damaged(Instant::ZERO), None);
    // To a connection without notices, a trimmed packet is a damaged packet.
    assert_eq!(receiver.handle_trimmed(Instant::ZERO, 1, 1), None);
}

#[test]
//= viswanathan-kamal §III.4 type=test
fn or_the_next_segment_expected_is_acknowledged_again() {
    let mut receiver = answering("false", Hears::Acks);
    let first = receiver.handle_damaged(Instant::ZERO).unwrap();
    assert_eq!((first.next, first.repeats), (0, true));
    receiver.handle_segment(Instant::ZERO, 0, 0);
    let last = receiver.handle_segment(Instant::ZERO, 2, 2).ack.unwrap();
    for again in [
        receiver.handle_damaged(Instant::ZERO),
        receiver.handle_trimmed(Instant::ZERO, 3, 3),
    ] {
        let repeats = true;
        assert_eq!(again, Some(Ack { repeats, ..last }));
    }
    let next = receiver.handle_segment(Instant::ZERO, 1, 4).ack.unwrap();
    assert_eq!((next.next, next.cause, next.id), (3, 1, 4));
    assert!(!next.repeats);
}

#[test]
// If an ack is withheld, the first of three copies causes an ack of new data, so only two duplicates follow.
fn a_withheld_ack_goes_with_the_answer() {
    let mut receiver = answering("true", Hears::Acks);
    assert_eq!(receiver.handle_segment(Instant::ZERO, 0, 0).ack, None);
    let [first, second, third] = [(); 3].map(|()| receiver.handle_damaged(Instant::ZERO).unwrap());
    assert_eq!((first.next, first.cause, first.repeats), (1, 0, false));
    assert_eq!(receiver.poll_timeout(), None);
    assert!(second.next == 1 && second.repeats && second == third);
}

#[test]
//= ndp-2017 §3.2 type=test
fn a_notice_names_the_transmission_that_was_trimmed() {
    let mut receiver = answering("true", Hears::Notices);
    receiver.handle_segment(Instant::ZERO, 0, 0);
    let notice = receiver.handle_trimmed(Instant::ZERO, 3, 3).unwrap();
    assert_eq!((notice.next, notice.cause, notice.id), (1, 3, 3));
    assert!(notice.trimmed && !notice.repeats);
    assert_eq!(receiver.poll_timeout(), None); // the notice has carried the withheld ack
    // The notice does not count as the arrival of its segment, and the answer to a damaged packet does not repeat a notice.
    let arrival = receiver.handle_segment(Instant::ZERO, 3, 4);
    let ack = arrival.ack.unwrap();
    assert_eq!((ack.next, ack.cause, ack.id), (1, 3, 4));
    receiver.handle_trimmed(Instant::ZERO, 1, 1);
    let again = receiver.handle_damaged(Instant::ZERO).unwrap();
    assert_eq!((again.cause, again.id, again.trimmed), (3, 4, false));
}

#[test]
fn no_notice_of_what_has_arrived() {
    let mut receiver = answering("false", Hears::Notices);
    for (segment, id) in [(0, 0), (2, 2), (4, 4)] {
        receiver.handle_segment(Instant::ZERO, segment, id);
    }
    for segment in [0, 2] {
        let ack = receiver.handle_trimmed(Instant::ZERO, segment, 9).unwrap();
        assert_eq!((ack.next, ack.trimmed, ack.repeats), (1, false, true));
    }
    let ack = receiver.handle_trimmed(Instant::ZERO, 2, 9).unwrap();
    assert_eq!(ack.blocks[0], Block { from: 2, to: 3 }); // the block that contains it comes first
    assert!(
        receiver
            .handle_trimmed(Instant::ZERO, 3, 9)
            .unwrap()
            .trimmed
    );
}

#[test]
//= rfc768 type=test
fn datagrams_are_handed_on_as_they_come_and_nothing_is_said() {
    let texts = [("delayed_ack", "true"), ("bad_checksum", "dup-ack")];
    let mut receiver = Receiver::new(&Common::from_texts(&texts), Hears::Nothing);
    // 1 and 2 are lost, 3 is overtaken, 5 comes twice.
    for (segment, id) in [(0, 0), (4, 4), (3, 3), (5, 5), (5, 5)] {
        let arrival = receiver.handle_segment(Instant::ZERO, segment, id);
        let (from, to) = (segment, segment + 1);
        assert_eq!((arrival.delivered, arrival.ack), (Block { from, to }, None));
    }
    assert_eq!(receiver.handle_damaged(Instant::ZERO), None);
    assert_eq!(receiver.handle_trimmed(Instant::ZERO, 1, 1), None);
    assert_eq!(receiver.poll_timeout(), None);
}

fn ms(n: u64) -> Instant {
    Instant(Duration::millis(n).0)
}

#[test]
fn the_next_segment_is_handled_in_short_as_it_is_at_length() {
    // Gaps, segments that come twice, and marks.
    let arrivals = [0, 1, 3, 2, 4, 4, 5, 8, 7, 6, 9, 10, 3, 11, 12];
    let mut short_ones = [0; 4];
    let variants = [
        ("dsack", "true"),
        ("dsack", "false"),
        ("delayed_ack", "true"),
        ("ecn", "true"),
    ];
    for (count, variant) in short_ones.iter_mut().zip(variants) {
        let mut receiver = Receiver::new(&Common::from_texts(&[variant]), Hears::Acks);
        for (id, segment) in (0..).zip(arrivals) {
            if variant.0 == "ecn" && id == 6 {
                receiver.handle_ecn(ms(id), segment, Ecn::Ce, false);
            }
            let before = format!("{receiver:?}");
            let mut short = receiver.clone();
            let done = short.handle_next(segment, id);
            *count += u32::from(done);
            let received = receiver.handle_segment(ms(id), segment, id);
            if !done {
                assert_eq!(format!("{short:?}"), before);
                continue;
            }
            let (from, to) = (segment, segment + 1);
            let ack = Ack {
                next: to,
                cause: segment,
                id,
                ..Ack::default()
            };
            assert_eq!(
                (received.delivered, received.ack),
                (Block { from, to }, Some(ack))
            );
            assert_eq!(format!("{short:?}"), format!("{receiver:?}"));
        }
    }
    // All that come in order and fill no gap; the one after a duplicate has that to report; none with delayed acks; none after a mark.
    assert_eq!(short_ones, [8, 8, 0, 3]);
}
