//! Whole runs of sources with a rate, and of datagrams without acks.

use crate::common::{outcome, report};
use dupack_lab::run::Outcome;

/// A path on which a packet of 1000 bytes takes 0.08 ms, then 0.8 ms.
const LONE: &str = r#"
duration = "12 s"
warm_up = "2 s"
host = [{ name = "source" }, { name = "sink" }]
switch = [{ name = "s" }]
link = [
    { name = "access", from = "source", to = "s", carries = "packets", rate = "100 Mb/s", delay = "1 ms" },
    { name = "out", from = "s", to = "sink", carries = "packets", rate = "10 Mb/s", delay = "10 ms", queue = { kind = "drop-tail", buffer = "50 packets" } },
]
flow = [{ name = "a", from = "source", to = "sink", transport = { kind = "reno", mss = "960 B", max_window = "500 segments" } }]
"#;

/// When flow `a` had one of these events \[s\].
fn times(outcome: &Outcome, events: &[&str]) -> Vec<f64> {
    let rows = outcome.tape.as_deref().expect("asked for").lines();
    let cells = rows.map(|row| row.split(',').collect::<Vec<_>>());
    cells
        .filter(|row| row[1] == "a" && events.contains(&row[2]))
        .map(|row| row[0].parse().expect("a time"))
        .collect()
}

fn least_gap(times: &[f64]) -> f64 {
    let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
    gaps.fold(f64::INFINITY, f64::min)
}

const GREEDY: &str = r#"flow.a.traffic={ kind = "greedy", access_rate = "4 Mb/s" }"#;
const CBR: &str = r#"flow.a.traffic={ kind = "cbr", rate = "4 Mb/s" }"#;
const ONE_LOSS: &str = r#"link.out.loss={ kind = "script", flow = "a", segments = [2500] }"#;

#[test]
fn a_greedy_source_sends_at_its_access_rate_and_never_faster() {
    let free = report(LONE, &[]);
    assert!(free.flows[0].goodput_bps > 9e6 && free.flows[0].segments_retransmitted > 0);
    let lossless = report(LONE, &[GREEDY]);
    assert_eq!(lossless.flows[0].goodput_bps, 0.96 * 4e6);
    assert_eq!(lossless.links[2].max_backlog, 0);
    // The rate holds during repair as well; what was not sent in time is not made up for.
    let lossy = outcome(LONE, &[GREEDY, ONE_LOSS], 1, true);
    let sent = times(&lossy, &["send", "retransmit"]);
    assert!((least_gap(&sent) - 2e-3).abs() < 1e-9);
    let flow = &lossy.document.report.flows[0];
    assert_eq!((flow.segments_retransmitted, flow.timeouts), (1, 0));
    assert!(flow.goodput_bps < 0.96 * 4e6);
}

#[test]
// The window is five segments per round trip of 22.96 ms, and they are sent 2 ms apart.
fn a_window_that_is_smaller_than_the_rate_asks_for_decides() {
    let sets = [GREEDY, "flow.a.transport.max_window=5 segments"];
    let outcome = outcome(LONE, &sets, 1, true);
    let round_trip = 22e-3 + 0.88e-3 + 40.0 * 8.0 / 100e6 + 40.0 * 8.0 / 10e6;
    let expected = 5.0 * 960.0 * 8.0 / round_trip;
    let goodput = outcome.document.report.flows[0].goodput_bps;
    assert!(
        (goodput / expected - 1.0).abs() < 1e-3,
        "{goodput} {expected}"
    );
    assert!((least_gap(&times(&outcome, &["send"])) - 2e-3).abs() < 1e-9);
}

#[test]
fn a_constant_rate_piles_up_behind_a_window_and_catches_up() {
    let lossy = outcome(LONE, &[CBR, ONE_LOSS], 1, true);
    assert!(least_gap(&times(&lossy, &["send"])) < 1e-9);
    let flow = &lossy.document.report.flows[0];
    assert_eq!((flow.segments_retransmitted, flow.timeouts), (1, 0));
    assert_eq!(flow.goodput_bps, 0.96 * 4e6);
}

#[test]
fn so_many_packets_at_a_rate_are_one_message() {
    let sets = [
        r#"flow.a.traffic={ kind = "cbr", rate = "4 Mb/s", packets = "501 packets" }"#,
        "warm_up=0 s",
    ];
    let flow = report(LONE, &sets).flows.remove(0);
    assert_eq!((flow.segments_delivered, flow.messages), (501, 1));
    // The last segment is made after 1 s, and is acknowledged a round trip later.
    let completed = flow.completed_s.expect("it ends");
    assert!((completed - 1.0229152).abs() < 1e-9, "{completed}");
    assert_eq!(flow.mean_message_s, Some(completed));
}

/// Datagrams of 1000 bytes at this rate, on the path of [`LONE`].
fn datagrams(rate: &str) -> [String; 2] {
    [
        format!(r#"flow.a.traffic={{ kind = "cbr", rate = "{rate}" }}"#),
        r#"flow.a.transport={ kind = "udp", mss = "972 B", header = "28 B" }"#.into(),
    ]
}

/// The path's delay for one of them, if nothing waits \[s\].
const ALONE: f64 = 1e-3 + 0.08e-3 + 10e-3 + 0.8e-3;

#[test]
//= rfc768 type=test
fn datagrams_come_as_they_are_sent_and_nothing_goes_back() {
    let [traffic, transport] = datagrams("5 Mb/s");
    let outcome = outcome(LONE, &[&traffic, &transport], 1, true);
    let sent = times(&outcome, &["send"]);
    let spread = sent.windows(2).map(|pair| pair[1] - pair[0] - 1.6e-3);
    assert!(spread.map(f64::abs).fold(0.0, f64::max) < 1e-9);
    let report = &outcome.document.report;
    let flow = &report.flows[0];
    assert_eq!(
        (flow.transport.as_ref(), flow.goodput_bps),
        ("udp", 0.972 * 5e6)
    );
    // The first segment is sent at the end of warm-up, and the last at the end of the run.
    assert_eq!((flow.segments_delivered, flow.segments_sent), (6250, 6251));
    assert_eq!(
        (flow.segments_retransmitted, flow.timeouts, flow.acks),
        (0, 0, 0)
    );
    assert_eq!(
        (flow.active_fraction, flow.mean_rtt_s, flow.mean_rto_s),
        (1.0, None, None)
    );
    let delay = flow.mean_delay_s.expect("some arrived");
    assert!((delay - ALONE).abs() < 1e-12, "{delay}");
    let back = |link: &&dupack_sim::report::Link| link.name.ends_with(".back");
    assert!(
        report
            .links
            .iter()
            .filter(back)
            .all(|link| link.offered == 0)
    );
    assert!((report.summary.goodput_fraction - 0.5).abs() < 1e-12);
}

#[test]
// Five packets arrive in the time of four. A place becomes free every 0.8 ms; its packet waits for 49 others and the one in service.
fn what_does_not_fit_through_is_lost_and_the_rest_waits_for_a_full_buffer() {
    let [traffic, transport] = datagrams("12.5 Mb/s");
    let report = report(LONE, &[&traffic, &transport]);
    let (flow, line) = (&report.flows[0], &report.links[2]);
    assert_eq!(flow.goodput_bps, 0.972 * 10e6);
    assert_eq!((line.utilization, line.max_backlog), (1.0, 50));
    let lost = line.dropped["overflow"] as f64 / line.offered as f64;
    // The first 50 of 18,750 packets fill the buffer without a drop.
    assert!((0.2 - lost - 50.0 / 18_750.0).abs() < 1e-3, "{lost}");
    let waited = flow.mean_delay_s.expect("some arrived") - ALONE;
    assert!((49.0 * 0.8e-3..50.0 * 0.8e-3).contains(&waited), "{waited}");
}

#[test]
fn a_lost_datagram_is_nobodys_delay_and_a_late_one_is_handed_on_late() {
    let [traffic, transport] = datagrams("5 Mb/s");
    let lossy = r#"link.out.loss={ kind = "script", flow = "a", segments = [1, 2, 1300, 5000] }"#;
    let sets = [&traffic, &transport, lossy, "warm_up=0 s"];
    let flow = report(LONE, &sets).flows.remove(0);
    // Segments of the last 11.88 ms are on their way, including one sent at the very end.
    assert_eq!(
        (flow.segments_sent, flow.segments_delivered),
        (7501, 7501 - 8 - 4)
    );
    let delay = flow.mean_delay_s.expect("some arrived");
    assert!((delay - ALONE).abs() < 1e-12, "{delay}");
    let late = r#"link.out.reorder={ rate = 0.25, delay = "8 ms" }"#;
    let outcome = outcome(LONE, &[&traffic, &transport, late], 1, true);
    let flow = &outcome.document.report.flows[0];
    let missing = flow.segments_sent.abs_diff(flow.segments_delivered);
    assert!(missing < 10, "{missing}");
    let extra = flow.mean_delay_s.expect("some arrived") - ALONE;
    assert!((extra - 0.25 * 8e-3).abs() < 0.2e-3, "{extra}");
    let tape = outcome.tape.as_deref().expect("asked for").lines();
    let delivered: Vec<u64> = tape
        .filter(|row| row.contains(",a,deliver,"))
        .map(|row| {
            row.split(',')
                .nth(3)
                .and_then(|n| n.parse().ok())
                .expect("a segment")
        })
        .collect();
    let overtaken = delivered
        .windows(2)
        .filter(|pair| pair[0] > pair[1])
        .count();
    assert!(overtaken > 500, "{overtaken}");
}

#[test]
fn greedy_datagrams_are_those_of_a_constant_rate() {
    let [traffic, transport] = datagrams("5 Mb/s");
    let greedy = GREEDY.replace("4 Mb/s", "5 Mb/s");
    let [constant, greedy] = [&traffic, &greedy].map(|it| {
        let outcome = outcome(LONE, &[it.as_str(), &transport], 1, true);
        times(&outcome, &["send", "deliver"])
    });
    assert_eq!(constant, greedy);
}

#[test]
// Without acks, a file is complete when its last packet is sent, and an on-off user's pause begins with that of the message.
fn what_needs_no_ack_is_over_when_it_is_sent() {
    let [_, transport] = datagrams("5 Mb/s");
    let run = |traffic: &str| {
        report(LONE, &[traffic, &transport, "warm_up=0 s"])
            .flows
            .remove(0)
    };
    let file = run(r#"flow.a.traffic={ kind = "file", size = "20 segments" }"#);
    assert_eq!((file.completed_s, file.messages), (Some(0.0), 1));
    assert_eq!((file.segments_sent, file.segments_delivered), (20, 20));
    let few = run(r#"flow.a.traffic={ kind = "cbr", rate = "8 Mb/s", packets = "21 packets" }"#);
    assert_eq!((few.completed_s, few.segments_delivered), (Some(0.02), 21));
    let users =
        r#"flow.a.traffic={ kind = "on-off", on = "11 packets", off = "10 ms", rate = "8 Mb/s" }"#;
    let user = run(users);
    // A message takes ten packet times on average; then 10 ms of silence follow.
    assert!((user.mean_message_s.expect("some end") / 10e-3 - 1.0).abs() < 0.1);
    assert!((user.messages as f64 / 600.0 - 1.0).abs() < 0.1);
    assert!((user.goodput_bps / (600.0 * 11.0 * 972.0 * 8.0 / 12.0) - 1.0).abs() < 0.1);
}

/// Beside a Reno, whose window would fill the line.
const BESIDE: &str = r#"
duration = "30 s"
warm_up = "5 s"
host = [{ name = "source" }, { name = "sink" }]
switch = [{ name = "s" }]
link = [
    { name = "access", from = "source", to = "s", carries = "packets", rate = "100 Mb/s", delay = "1 ms" },
    { name = "out", from = "s", to = "sink", carries = "packets", rate = "10 Mb/s", delay = "10 ms", queue = { kind = "drop-tail", buffer = "50 packets" } },
]
[[flow]]
name = "b"
from = "source"
to = "sink"
transport = { kind = "reno", mss = "960 B", max_window = "200 segments" }
[[flow]]
name = "a"
from = "source"
to = "sink"
start = "1 s"
traffic = { kind = "cbr", rate = "8 Mb/s" }
transport = { kind = "udp", mss = "972 B", header = "28 B" }
"#;

#[test]
fn a_reno_gives_way_to_datagrams_unless_it_is_served_in_turn() {
    let goodputs = |queue: &str| {
        let queue = format!(r#"link.out.queue={{ kind = {queue}, buffer = "50 packets" }}"#);
        let report = report(BESIDE, &[&queue]);
        // The rate on the line, with headers [Mb/s].
        let line = |flow: usize, payload: f64| report.flows[flow].goodput_bps * 1e-3 / payload;
        (line(0, 960.0), line(1, 972.0))
    };
    let (last, udp) = goodputs(r#""drop-tail""#);
    assert!(udp > 7.8, "{udp}");
    assert!((1.0..2.2).contains(&last), "{last}");
    let (served, udp) = goodputs(r#""fair-queueing", overflow = "longest-queue""#);
    assert!(served > 2.0 * last && served + udp > 9.7, "{served} {udp}");
}

/// Both at a bottleneck that knows flows by their pair of hosts, the second to a sink of its own or not.
fn between_hosts(transport: &str, sink: &str) -> Vec<(u64, u64)> {
    let plan = format!(
        r#"
duration = "20 s"
host = [{{ name = "source" }}, {{ name = "sink" }}, {{ name = "other" }}]
switch = [{{ name = "s" }}, {{ name = "t" }}]
link = [
    {{ name = "access", from = "source", to = "s", carries = "packets", rate = "100 Mb/s", delay = "1 ms" }},
    {{ name = "out", from = "s", to = "t", carries = "packets", rate = "10 Mb/s", delay = "10 ms",
      queue = {{ kind = "triple-buffering", inner = {{ kind = "drop-tail", buffer = "50 packets" }}, trigger = 0.5 }} }},
    {{ name = "last", from = "t", to = "sink", carries = "packets", rate = "100 Mb/s", delay = "1 ms" }},
    {{ name = "other", from = "t", to = "other", carries = "packets", rate = "100 Mb/s", delay = "1 ms" }},
]
[[flow]]
name = "b"
from = "source"
to = "sink"
transport = {{ kind = "reno", mss = "972 B", header = "28 B", max_window = "200 segments" }}
[[flow]]
name = "a"
from = "source"
to = "{sink}"
start = "1 s"
traffic = {{ kind = "cbr", rate = "8 Mb/s" }}
transport = {{ kind = "{transport}", mss = "972 B", header = "28 B" }}
"#
    );
    let flows = report(&plan, &[]).flows;
    let counts = flows
        .iter()
        .map(|flow| (flow.segments_sent, flow.segments_delivered));
    counts.collect()
}

#[test]
// The packets wait for each other only at the bottleneck.
fn tcp_and_udp_between_two_hosts_are_two_flows_and_two_tcps_are_one() {
    assert_eq!(between_hosts("udp", "sink"), between_hosts("udp", "other"));
    assert_ne!(
        between_hosts("reno", "sink"),
        between_hosts("reno", "other")
    );
}
