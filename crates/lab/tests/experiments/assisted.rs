//! Routers that assist TCP's recovery: the effect of one burst into a small buffer.
//= viswanathan-kamal §III.3 type=test
//= viswanathan-kamal §III.4 type=test

use crate::common;
use dupack_sim::report::Report;

const PLAN: &str = r#"
duration = "20 s"
host = [{ name = "a" }, { name = "b" }, { name = "server" }]
switch = [{ name = "router" }]
link = [
    { name = "from-a", from = "a", to = "router", carries = "packets", rate = "100 Mb/s", delay = "1 ms" },
    { name = "from-b", from = "b", to = "router", carries = "packets", rate = "100 Mb/s", delay = "1 ms" },
    { name = "out", from = "router", to = "server", carries = "packets", rate = "1 Mb/s", delay = "1 ms", queue = QUEUE },
]
"#;

const TAIL: &str = r#"{ kind = "drop-tail", buffer = "3 packets" }"#;
const TRUNCATED: &str =
    r#"{ kind = "triple-truncated", inner = { kind = "drop-tail", buffer = "3 packets" } }"#;
const BUFFERING: &str = r#"{ kind = "triple-buffering", inner = { kind = "drop-tail", buffer = "6 packets" }, trigger = 0.5 }"#;

/// A flow of one file of `segments` segments, sent at once; `answer` is what the receiver does with a bad checksum.
fn flow(from: &str, segments: u64, answer: &str) -> String {
    format!(
        r#"
[[flow]]
name = "f{from}{segments}"
from = "{from}"
to = "server"
traffic = {{ kind = "file", size = "{segments} segments" }}
transport = {{ kind = "reno", initial_window = "{segments} segments", bad_checksum = "{answer}" }}
"#
    )
}

fn run(queue: &str, flows: &[String]) -> Report {
    let report = run_for("20 s", queue, flows);
    assert!(report.flows.iter().all(|flow| flow.completed_s.is_some()));
    report
}

fn run_for(duration: &str, queue: &str, flows: &[String]) -> Report {
    let text = PLAN.replace("QUEUE", queue).replace("20 s", duration) + &flows.concat();
    common::report(&text, &[])
}

/// Timeouts, fast retransmissions, copies, and what the router's line carried in vain.
fn told(report: &Report) -> [u64; 4] {
    let (flow, out) = (&report.flows[0], &report.links[4]);
    [
        flow.timeouts,
        flow.fast_retransmits,
        out.minted,
        out.dead_units,
    ]
}

#[test]
fn a_loss_at_the_end_is_told_by_three_headers_if_the_receiver_answers_them() {
    // The fifth segment finds one packet in service and a full buffer of three. No later segment could cause duplicate acks.
    let flow = |answer| [flow("a", 5, answer)];
    assert_eq!(told(&run(TAIL, &flow("dup-ack"))), [1, 0, 0, 0]);
    assert_eq!(told(&run(TRUNCATED, &flow("dup-ack"))), [0, 1, 3, 3]);
    assert_eq!(told(&run(TRUNCATED, &flow("drop"))), [1, 0, 3, 3]);
}

#[test]
fn three_that_are_let_in_tell_of_the_one_before() {
    let flow = || [flow("a", 8, "drop")];
    // With drop-tail the last four of eight segments are lost, so nothing arrives that could reveal it.
    assert_eq!(told(&run(TAIL, &flow())), [1, 0, 0, 0]);
    assert_eq!(told(&run(BUFFERING, &flow())), [0, 1, 0, 0]);
}

#[test]
fn flows_between_the_same_hosts_are_one_to_the_router() {
    // All segments of the second flow arrive while those of the first fill the buffer.
    let minted = |hosts: [&str; 2]| {
        let flows = [flow(hosts[0], 5, "dup-ack"), flow(hosts[1], 4, "dup-ack")];
        run(TRUNCATED, &flows).links[4].minted
    };
    assert_eq!(minted(["a", "a"]), 3);
    assert_eq!(minted(["a", "b"]), 6);
}

#[test]
// The links before the router carried the dropped packet in vain, wherever its three copies are when the run ends.
fn copies_that_are_still_on_their_way_undo_nothing() {
    let dead = |end: u32| {
        let report = run_for(&format!("{end} ms"), TRUNCATED, &[flow("a", 5, "drop")]);
        [0, 4].map(|link: usize| report.links[link].dead_units)
    };
    // The packet in service and the three that wait take 18.4 ms; a copy takes 0.3 ms.
    assert_eq!([1, 2, 10, 20].map(dead), [[0, 0], [1, 0], [1, 0], [1, 0]]);
    assert_eq!([21, 22, 23].map(dead), [[1, 1], [1, 3], [1, 3]]);
}

#[test]
// The line out sends each of the three copies twice; the line before has carried none of them.
fn copies_that_a_line_sends_twice_were_not_on_the_links_before() {
    let dead = |queue: &str| {
        let text = PLAN.replace("QUEUE }", &format!("{queue}, duplicate = 1 }}"));
        let report = common::report(&(text + &flow("a", 5, "drop")), &[]);
        [0, 4].map(|link: usize| report.links[link].dead_units)
    };
    // The segment that was dropped came over the line before in vain.
    assert_eq!(dead(TAIL), [1, 0]);
    assert_eq!(dead(TRUNCATED), [1, 6]);
}

#[test]
// The ack of the fifth segment is being delayed when the copies of the sixth arrive.
fn copies_that_are_not_answered_change_nothing_for_who_sent() {
    let told = |queue: &str| {
        let queue = queue.replace("3 packets", "4 packets");
        let flow =
            flow("a", 6, "drop").replace("kind = \"reno\"", "kind = \"reno\", delayed_ack = true");
        format!("{:?}", run(&queue, &[flow]).flows[0])
    };
    assert_eq!(told(TRUNCATED), told(TAIL));
}
