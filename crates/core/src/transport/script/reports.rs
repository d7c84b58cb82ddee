//! What acks report, in the worked examples of the RFCs: their segments of 500 bytes from 5000, 3000 or 500 on are ours from 0.

use super::params;
use crate::time::Instant;
use crate::transport::Block;
use std::format;
use std::string::String;
use std::vec::Vec;

/// The acks of segments that arrive, as the RFC would write them: the byte expected, and the edges of the blocks.
fn acks(transport: &str, texts: &[(&str, &str)], base: u64, arrivals: &[u64]) -> Vec<String> {
    let mut receiver = params(transport, texts).receiver();
    let byte = |segment: u64| base + 500 * segment;
    let mut said = Vec::new();
    for segment in arrivals {
        let ack = receiver
            .handle_segment(Instant::ZERO, (segment - base) / 500, 0)
            .ack;
        let ack = ack.expect("acks are not delayed");
        let mut text = format!("{}", byte(ack.next));
        for Block { from, to } in ack.sacked() {
            text += &format!(" {}-{}", byte(from), byte(to));
        }
        said.push(text);
    }
    said
}

#[test]
//= rfc2018 §4, case 1 type=test
// Case 1: the first four of eight segments arrive, the rest are lost.
fn no_block_without_a_gap() {
    let said = acks("sack", &[], 5000, &[5000, 5500, 6000, 6500]);
    assert_eq!(said, ["5500", "6000", "6500", "7000"]);
}

#[test]
//= rfc2018 §4, case 2 type=test
// Case 2: the first is lost, the other seven arrive.
fn one_block_that_grows() {
    let arrivals: Vec<u64> = (1..8).map(|n| 5000 + 500 * n).collect();
    let want: Vec<String> = (1..8)
        .map(|n| format!("5000 5500-{}", 5500 + 500 * n))
        .collect();
    assert_eq!(acks("sack", &[], 5000, &arrivals), want);
}

#[test]
//= rfc2018 §4, case 3 type=test
// Case 3: the second, fourth, sixth and eighth are lost; then the fourth arrives, and the second.
fn every_second_is_lost() {
    assert_eq!(
        acks("sack", &[], 5000, &[5000, 6000, 7000, 8000, 6500, 5500]),
        [
            "5500",
            "5500 6000-6500",
            "5500 7000-7500 6000-6500",
            "5500 8000-8500 7000-7500 6000-6500",
            "5500 6000-7500 8000-8500",
            "7500 8000-8500",
        ]
    );
}

const DSACK: &[(&str, &str)] = &[("dsack", "true")];

/// The acks of these arrivals, with D-SACK.
fn dsacks(base: u64, arrivals: &[u64]) -> Vec<String> {
    acks("sack", DSACK, base, arrivals)
}

#[test]
//= rfc2883 §4, example 1 type=test
//= rfc2883 §4, (1) type=test
//= rfc2883 §4, (3) type=test
// The acks of the first two were lost, and the first is sent again.
fn a_segment_that_was_delivered_before() {
    let arrivals = [3000, 3500, 3000];
    assert_eq!(dsacks(3000, &arrivals), ["3500", "4000", "4000 3000-3500"]);
    assert_eq!(acks("sack", &[], 3000, &arrivals), ["3500", "4000", "4000"]);
}

#[test]
//= rfc2883 §4, example 2 type=test
//= rfc2883 §4, (5) type=test
// Two acks and the third segment are lost; the first is sent again.
fn a_segment_that_was_delivered_before_beside_a_gap() {
    let want = ["3500", "4000", "4000 4500-5000", "4000 3000-3500 4500-5000"];
    assert_eq!(dsacks(3000, &[3000, 3500, 4500, 3000]), want);
}

#[test]
//= rfc2883 §4, example 3 type=test
//= rfc2883 §4, (2) type=test
//= rfc2883 §4, (4) type=test
// A segment above a gap arrives twice: it is reported before the block that contains it, and only once though the gap stays open.
fn a_segment_that_is_held() {
    assert_eq!(
        dsacks(3500, &[3500, 4500, 5000, 5000, 5500]),
        [
            "4000",
            "4000 4500-5000",
            "4000 4500-5500",
            "4000 5000-5500 4500-5500",
            "4000 4500-6000",
        ]
    );
}

#[test]
//= rfc2883 §5, example 7 type=test
// The network has duplicated a packet.
fn a_packet_that_was_doubled() {
    let want = ["1000", "1500", "1500 1000-1500"];
    assert_eq!(dsacks(500, &[500, 1000, 1000]), want);
}

#[test]
//= rfc2883 §5, example 8 type=test
// A packet is late, three duplicates cause its retransmission, and both copies arrive.
fn a_packet_that_was_only_late() {
    assert_eq!(
        dsacks(500, &[500, 1500, 2000, 2500, 1000, 1000]),
        [
            "1000",
            "1000 1500-2000",
            "1000 1500-2500",
            "1000 1500-3000",
            "3000",
            "3000 1000-1500",
        ]
    );
}

#[test]
//= rfc2883 §5, example 9 type=test
// All acks of a window are lost, and the timer runs out.
fn a_timeout_for_lost_acks() {
    let said = dsacks(500, &[500, 1000, 1500, 2000, 500]);
    assert_eq!(said, ["1000", "1500", "2000", "2500", "2500 500-1000"]);
}

#[test]
//= rfc2883 §5, example 10 type=test
// The timer expires although nothing is lost, and all segments are sent twice.
fn a_timeout_that_was_too_early() {
    let said = dsacks(500, &[500, 1000, 1500, 2000, 500, 1000, 1500, 2000]);
    assert_eq!(said[..4], ["1000", "1500", "2000", "2500"]);
    let twice = [
        "2500 500-1000",
        "2500 1000-1500",
        "2500 1500-2000",
        "2500 2000-2500",
    ];
    assert_eq!(said[4..], twice);
}

#[test]
//= rfc2883 §4, compatible type=test
// A sender that counts reports of arrivals does not count the report of a duplicate.
fn such_a_report_changes_nothing_in_a_sender() {
    for pipe in ["rfc6675", "sack1"] {
        super::play(
            "sack",
            &[("initial_window", "10 segments"), ("pipe", pipe)],
            "0    greedy                  => 0..10
             90   ack(2)                  => 10..13     | cwnd 11
             100  ack(2, 0..1)            =>            | dup
             101  ack(2, 1..2 3..4)       =>
             102  ack(2, 3..4 3..5)       =>",
        );
    }
}
