//! Explanations: chains of events in words, of runs in which it is known what happens.

use crate::common::network;
use dupack_core::time::{Duration, Instant};
use dupack_lab::explain::{Asked, Explanation, Unexplained, explain};
use std::sync::atomic::AtomicBool;

/// A transfer of 1000-byte packets over a link that loses some of them.
const TRANSFER: &str = r#"
duration = "10 s"
host = [{ name = "a" }, { name = "b" }]
[[link]]
name = "l"
from = "a"
to = "b"
carries = "packets"
rate = "8 Mb/s"
delay = "10 ms"
[[flow]]
name = "f"
from = "a"
to = "b"
transport = { kind = "reno", mss = "960 B", header = "40 B", max_window = "20 segments", initial_window = "2 segments" }
traffic = { kind = "file", size = "100 segments" }
"#;

fn asked(sets: &[&str], flow: Option<&str>, at: Duration) -> Result<Explanation, Unexplained> {
    let at = Instant::ZERO + at;
    explain(
        &network(TRANSFER, sets),
        1,
        &Asked { flow, at },
        &AtomicBool::new(false),
    )
}

fn chain(sets: &[&str]) -> Explanation {
    asked(sets, None, Duration(0)).expect("something happens")
}

fn words(told: &Explanation) -> Vec<&'static str> {
    told.steps.iter().map(|step| step.event).collect()
}

#[test]
fn a_loss_that_duplicates_reveal() {
    let told = chain(&["link.l.loss={ kind = \"script\", flow = \"f\", packets = [40] }"]);
    let expected = [
        "send",
        "drop",
        "dup_ack",
        "fast_retransmit",
        "retransmit",
        "dup_ack",
        "recovered",
    ];
    assert_eq!(words(&told), expected, "{told:#?}");
    let text = |at: usize| told.steps[at].text.as_str();
    assert_eq!(text(0), "Segment 40 is sent; cwnd is 23.");
    assert_eq!(
        text(1),
        "Segment 40 is lost on link l, as its loss script says."
    );
    assert_eq!(told.steps[1].link.as_deref(), Some("l"));
    assert!(
        text(2).starts_with("3 duplicate acks arrive until"),
        "{}",
        text(2)
    );
    assert!(
        text(2).ends_with("the receiver still expects segment 40."),
        "{}",
        text(2)
    );
    assert!(
        text(3).starts_with(
            "The sender takes segment 40 for lost after 3 duplicate acks: cwnd goes from"
        ),
        "{}",
        text(3)
    );
    assert_eq!(text(4), "Segment 40 is sent again.");
    assert!(
        text(6).contains("The recovery is over; cwnd is 10."),
        "{}",
        text(6)
    );
    assert!(!told.open && told.number == 1 && told.from_s < told.to_s);
    let times: Vec<_> = told.steps.iter().map(|step| step.time_s).collect();
    assert!(times.is_sorted(), "{times:?}");
}

#[test]
fn a_loss_at_the_end_that_only_the_timer_finds() {
    let told = chain(&["link.l.loss={ kind = \"script\", flow = \"f\", packets = [99] }"]);
    assert_eq!(
        words(&told),
        ["send", "drop", "timeout", "retransmit", "recovered"],
        "{told:#?}"
    );
    let timeout = &told.steps[2].text;
    assert!(
        timeout.starts_with("The retransmission timer expires; the oldest segment without an ack is 99: cwnd goes from 101 to 1"),
        "{timeout}"
    );
}

#[test]
fn a_retransmission_that_is_lost_too_belongs_to_the_chain() {
    // The retransmission of segment 40 is packet 61 or so: all of the next packets but one window are lost.
    let lost: Vec<_> = (59..62).map(|at| at.to_string()).collect();
    let script = format!(
        "link.l.loss={{ kind = \"script\", flow = \"f\", packets = [40, {}] }}",
        lost.join(", ")
    );
    let told = chain(&[&script]);
    let words = words(&told);
    assert!(words.contains(&"timeout"), "{told:#?}");
    let drops = words.iter().filter(|word| **word == "drop").count();
    assert!(drops >= 2, "{told:#?}");
    assert_eq!(words.last(), Some(&"recovered"), "{told:#?}");
}

#[test]
fn a_full_buffer_is_told_with_its_backlog_and_marks_with_their_answer() {
    let told = chain(&[
        "link.l.queue={ kind = \"drop-tail\", buffer = \"5 packets\" }",
        "link.l.rate=1 Mb/s",
    ]);
    let drop = told
        .steps
        .iter()
        .find(|step| step.event == "drop")
        .expect("a drop");
    assert!(
        drop.text
            .ends_with("dropped at link l (drop-tail): the buffer has no room, 5 packets wait."),
        "{}",
        drop.text
    );
    let told = chain(&[
        "link.l.queue={ kind = \"codel\", buffer = \"500 packets\", ecn = true }",
        "link.l.rate=1 Mb/s",
        "flow.f.transport.ecn=true",
    ]);
    assert_eq!(words(&told), ["send", "mark", "cwnd"], "{told:#?}");
    assert!(
        told.steps[1]
            .text
            .contains("marked with CE at link l (codel)"),
        "{told:#?}"
    );
    assert!(
        told.steps[2]
            .text
            .starts_with("The sender answers the mark: cwnd goes from"),
        "{told:#?}"
    );
}

#[test]
fn the_chain_that_covers_a_time_is_chosen() {
    let script = ["link.l.loss={ kind = \"script\", flow = \"f\", packets = [30, 80] }"];
    let first = chain(&script);
    let ms = |seconds: f64| Duration((seconds * 1e12) as u64);
    let second = asked(&script, Some("f"), Duration::millis(9_000)).expect("a chain");
    assert_eq!((first.number, second.number), (1, 2));
    let middle = (first.from_s + first.to_s) / 2.0;
    assert_eq!(
        asked(&script, None, ms(middle)).expect("a chain").steps,
        first.steps
    );
    // Before the second begins, the first is the last one.
    let before = asked(&script, None, ms(second.from_s - 1e-6)).expect("a chain");
    assert_eq!(before.number, 1);
}

#[test]
fn what_cannot_be_explained_is_an_error() {
    let wrong = |sets: &[&str], flow, at| asked(sets, flow, at).expect_err("nothing").to_string();
    assert_eq!(
        wrong(&[], Some("g"), Duration(0)),
        "no flow \"g\": allowed: \"f\""
    );
    assert_eq!(
        wrong(&[], None, Duration(0)),
        "nothing of f is dropped or marked in this run, and no timer of it expires"
    );
    assert_eq!(
        wrong(&[], None, Duration::millis(11_000)),
        "11 s is after the end of the run, 10 s"
    );
    let classes = ["flow.f.arrivals={ kind = \"poisson\", load = 0.1, of = \"l\" }"];
    assert!(wrong(&classes, None, Duration(0)).contains("name one of them, such as f.0"));
}
