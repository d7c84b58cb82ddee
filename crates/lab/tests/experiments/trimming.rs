//! A switch that trims, and senders that receive notices of loss: many send to one at once, and none waits for a timeout.

use crate::common;
use dupack_sim::report::Report;

/// Hosts that send a file of 200 kB each to one host at the same moment, over one switch.
fn incast(hosts: u32, queue: &str, transport: &str, duration: &str) -> Report {
    let plan = format!(
        r#"
duration = "{duration}"
[[host]]
name = "source"
count = {hosts}
[[host]]
name = "sink"
[[switch]]
name = "router"
[[link]]
name = "access"
from = "source"
to = "router"
carries = "packets"
rate = "1 Gb/s"
delay = "5 us"
[[link]]
name = "last"
from = "router"
to = "sink"
carries = "packets"
rate = "1 Gb/s"
delay = "5 us"
queue = {{ {queue} }}
[[flow]]
name = "user"
from = "source"
to = "sink"
traffic = {{ kind = "file", size = "200 kB" }}
transport = {{ {transport}, mss = "1460 B", initial_window = "12 segments", tick = "1 ms" }}
"#
    );
    common::report(&plan, &[])
}

fn delivered(report: &Report) -> u64 {
    report
        .flows
        .iter()
        .map(|flow| flow.segments_delivered)
        .sum()
}

#[test]
//= ndp-2017 §3 type=test
// A packet that finds the buffer full costs one retransmission and nothing else: no timeout, and the line to the receiver is never idle.
fn what_is_trimmed_is_sent_again_once() {
    for own in [", ratio = 1000000", "", r#", victim = "either""#] {
        let queue = format!(r#"kind = "trim", buffer = "8 packets"{own}"#);
        let report = incast(20, &queue, r#"kind = "nack""#, "1 s");
        let last = report.links.iter().find(|link| link.name == "last");
        let last = last.expect("the link");
        let sum =
            |of: fn(&dupack_sim::report::Flow) -> u64| report.flows.iter().map(of).sum::<u64>();
        assert!(last.trimmed > 0 && last.dropped.is_empty(), "{last:?}");
        assert_eq!(sum(|flow| flow.segments_retransmitted), last.trimmed);
        assert_eq!(sum(|flow| flow.timeouts), 0);
        let ends = report.flows.iter().map(|flow| flow.completed_s);
        let end = ends.fold(0.0, |last, it| it.expect("all are complete").max(last));
        // The utilization refers to the whole duration of 1 s.
        assert!(
            last.utilization > 0.99 * end,
            "{} in {end} s",
            last.utilization
        );
    }
}

#[test]
//= ndp-2017 §3.1 type=test
// 40 senders of two segments per round trip of 24 us cause more headers than the line can carry. If headers always go first, hardly
// any data gets through.
fn headers_that_always_go_first_may_leave_no_room_for_data() {
    let run = |own| {
        let queue = format!(r#"kind = "trim", buffer = "8 packets"{own}"#);
        delivered(&incast(40, &queue, r#"kind = "nack""#, "20 ms"))
    };
    let (first, share) = (run(", ratio = 1000000"), run(""));
    // Delivered in order, which is less than what has arrived.
    assert!(share > 100 * first.max(1), "{first} and {share} segments");
}

#[test]
fn where_packets_are_dropped_timers_run_out() {
    let dropped = incast(
        20,
        r#"kind = "drop-tail", buffer = "8 packets""#,
        r#"kind = "newreno", initial_rto = "3 ms""#,
        "40 ms",
    );
    assert!(dropped.flows.iter().map(|flow| flow.timeouts).sum::<u64>() > 0);
    assert!(dropped.flows.iter().any(|flow| flow.completed_s.is_none()));
}
