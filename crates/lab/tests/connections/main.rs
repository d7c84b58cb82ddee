//! Connections that come and go: their number, their data and their completion times; packets of a trace.

mod recorded;

use dupack_lab::plan::Plan;
use dupack_lab::run::{Job, Outcome, run};
use dupack_sim::report::Report;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A plan as if it stood in this folder.
fn origin(name: &str) -> String {
    format!("{}/{name}.toml", env!("CARGO_TARGET_TMPDIR"))
}

fn write(name: &str, text: &str) {
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name), text).unwrap();
}

fn outcome(text: &str, sets: &[&str], seed: u64, tape: bool) -> Outcome {
    let sets: Vec<String> = sets.iter().map(|it| (*it).to_string()).collect();
    let plan =
        Plan::parse(text.as_bytes(), &origin("plan"), &sets).unwrap_or_else(|e| panic!("{e}"));
    let job = Job {
        network: plan.points[0].network.clone(),
        seed,
        threads: 1,
        tape,
        connections: false,
    };
    run(&job, &AtomicBool::new(false)).unwrap()
}

fn report(text: &str, sets: &[&str], seed: u64) -> Report {
    outcome(text, sets, seed, false).document.report
}

fn mistakes(text: &str, sets: &[&str]) -> Vec<String> {
    let sets: Vec<String> = sets.iter().map(|it| (*it).to_string()).collect();
    let errors = Plan::parse(text.as_bytes(), &origin("plan"), &sets).expect_err("a wrong plan");
    errors.errors.iter().map(ToString::to_string).collect()
}

const TRANSPORT: &str = r#"{ kind = "newreno", mss = "1460 B", min_rto = "10 ms", tick = "1 ms" }"#;

/// Ten hosts around a switch of 1 Gb/s.
fn star(arrivals: &str, traffic: &str) -> String {
    format!(
        r#"
duration = "1 s"
warm_up = "0.1 s"
[topology]
kind = "star"
hosts = 10
carries = "packets"
access = {{ rate = "1 Gb/s", delay = "5 us" }}
queue = {{ kind = "drop-tail", buffer = "100 packets" }}
[[flow]]
name = "web"
from = "host"
to = "host"
arrivals = {arrivals}
traffic = {traffic}
transport = {TRANSPORT}
"#
    )
}

/// One at a time: nothing queues, and each takes what `alone` says, to the picosecond.
#[test]
fn a_connection_that_is_alone_is_not_slowed_down() {
    for (size, packets) in [
        ("1 B", 1.0),
        ("1460 B", 1.0),
        ("10 segments", 10.0),
        ("14601 B", 11.0),
    ] {
        let text = star(
            r#"{ kind = "rounds", senders = 1, pause = "1 ms" }"#,
            &format!("{{ kind = \"file\", size = \"{size}\" }}"),
        );
        let report = report(
            &text,
            &["flow.web.transport.initial_window=100 segments"],
            1,
        );
        let it = report.flows[0].connections.as_ref().expect("connections");
        assert!(it.completed > 700, "{}", it.completed);
        let slowdown = it.slowdown.expect("some").max;
        assert!((slowdown - 1.0).abs() < 1e-6, "{size}: {slowdown}");
        // All connections are alike. Each round is one connection, so both numbers agree, except for what is under way.
        assert_eq!(it.rounds, it.completed);
        assert_eq!(report.flows[0].active_fraction, 1.0);
        let sent = report.flows[0].segments_sent as f64;
        assert!((sent - packets * it.completed as f64).abs() <= 2.0 * packets);
    }
}

/// The number is Poisson's, the load is the one that was asked for, and what is said of the whole agrees with what links carried.
#[test]
fn a_load_is_carried_by_as_many_connections_as_it_takes() {
    write("small.txt", "0 0\n20000 100\n");
    let text = star(
        r#"{ kind = "poisson", load = 0.3 }"#,
        r#"{ kind = "random-file", sizes = "small.txt" }"#,
    );
    let (mut begun, mut goodput) = (0.0, 0.0);
    let seeds = 5;
    for seed in 1..=seeds {
        let report = report(&text, &[], seed);
        let flow = &report.flows[0];
        let it = flow.connections.as_ref().expect("connections");
        begun += it.begun as f64;
        goodput += flow.goodput_bps;
        assert_eq!(it.begun, it.completed + it.open);
        assert!(it.open < 40, "{}", it.open);
        let by_size: u64 = it.by_size.iter().map(|it| it.completed).sum();
        assert_eq!(by_size, it.completed);
        // The flow's payload is the sum over all ports of the switch.
        let ports = report.links.iter().filter(|it| it.from == "hub");
        let payload: f64 = ports
            .map(|it| it.goodput_fraction * 1e9 * 1460.0 / 1500.0)
            .sum();
        assert!((payload / flow.goodput_bps - 1.0).abs() < 1e-6);
        assert_eq!(flow.active_fraction < 1.0, flow.timeouts > 0);
        let (completion, slowdown) = (it.completion_s.unwrap(), it.slowdown.unwrap());
        assert!(completion.p50 <= completion.p99 && completion.p99 <= completion.max);
        assert!((completion.mean / flow.mean_message_s.unwrap() - 1.0).abs() < 0.05);
        assert!(slowdown.p50 > 1.0 && slowdown.p50 < 5.0, "{slowdown:?}");
    }
    // 3 Gb/s in files of 10,000 bytes are 37,500 per second, for 0.9 s. The count is Poisson; four standard deviations are allowed.
    let want = 33_750.0 * f64::from(seeds as u32);
    assert!((begun - want).abs() < 4.0 * want.sqrt(), "{begun} {want}");
    let share = goodput / seeds as f64 / 3e9;
    assert!((share - 1.0).abs() < 0.01, "{share}");
}

#[test]
fn a_load_may_be_of_one_link() {
    let text = star(
        r#"{ kind = "poisson", load = 0.5, of = "access-3" }"#,
        r#"{ kind = "file", size = "12500 B" }"#,
    );
    let report = report(&text, &[], 1);
    // 0.5 Gb/s in files of 12,500 bytes are 5,000 per second.
    let begun = report.flows[0].connections.as_ref().unwrap().begun as f64;
    assert!((begun - 4500.0).abs() < 4.0 * 4500_f64.sqrt(), "{begun}");
}

/// All senders answer at once, and the next request follows when all have answered.
#[test]
fn rounds_fill_the_port_of_the_receiver() {
    let text = star(
        r#"{ kind = "rounds", pause = "1 ms" }"#,
        r#"{ kind = "file", size = "64 kB" }"#,
    )
    .replace("from = \"host\"", "from = \"host-*\"");
    let text = text.replace(
        "kind = \"star\"\nhosts = 10",
        "kind = \"incast\"\nsenders = 8",
    );
    let text = text.replace(
        "from = \"host-*\"\nto = \"host\"",
        "from = \"source-*\"\nto = \"sink\"",
    );
    let report = report(&text, &[], 1);
    let it = report.flows[0].connections.as_ref().unwrap();
    assert!(it.rounds > 20 && it.completed >= 8 * it.rounds);
    // 8 x 64 kB take at least 4.1 ms at 1 Gb/s.
    let round = it.round_s.unwrap();
    assert!(round.p50 > 0.0041, "{round:?}");
    assert!(it.completion_s.unwrap().max <= round.max + 1e-9);
    let port = report
        .links
        .iter()
        .find(|it| it.name == "bottleneck")
        .unwrap();
    assert!(
        port.dropped.values().sum::<u64>() > 0,
        "incast loses packets"
    );
}

/// Nothing of the past stays in the places that are used again: halves of the same run agree with its whole.
#[test]
fn what_others_carry_and_lose_is_counted_whoever_has_the_place_now() {
    let text = star(
        r#"{ kind = "poisson", load = 0.5 }"#,
        r#"{ kind = "file", size = "30 kB" }"#,
    )
    .replace("100 packets", "8 packets");
    let report = report(
        &text,
        &[
            "warm_up=0 s",
            "topology.queue.buffer=8 packets",
            "flow.web.transport.initial_window=20 segments",
        ],
        3,
    );
    let it = report.flows[0].connections.as_ref().unwrap();
    assert!(it.begun > 20_000, "{}", it.begun);
    // Every unit that the switch dropped was carried in vain by a host's link.
    let dropped: u64 = report.links.iter().flat_map(|it| it.dropped.values()).sum();
    let dead: u64 = report.links.iter().map(|it| it.dead_units).sum();
    assert!(dropped > 1000);
    assert_eq!(dead, dropped);
    // Every delivered segment was sent at least once; retransmissions follow losses, real or supposed.
    let flow = &report.flows[0];
    assert!(flow.segments_sent - flow.segments_retransmitted >= flow.segments_delivered);
    assert!(flow.segments_retransmitted >= dropped / 2);
}

#[test]
fn the_same_seed_gives_the_same_and_transports_see_the_same_connections() {
    let text = star(
        r#"{ kind = "poisson", every = "100 us" }"#,
        r#"{ kind = "file", size = "30 kB" }"#,
    );
    let json = |seed, sets: &[&str]| {
        let report = report(&text, sets, seed);
        serde_json::to_string(&report).unwrap()
    };
    assert_eq!(json(1, &[]), json(1, &[]));
    assert_ne!(json(1, &[]), json(2, &[]));
    // A warm-up only shortens the measured time; it changes nothing else.
    let begun = |sets: &[&str]| {
        report(&text, sets, 1).flows[0]
            .connections
            .as_ref()
            .unwrap()
            .begun
    };
    assert_eq!(
        begun(&["warm_up=0 s"]),
        begun(&["warm_up=0 s", "flow.web.transport.kind=tahoe"])
    );
    let links = |sets: &[&str]| {
        report(&text, sets, 1)
            .links
            .iter()
            .map(|it| it.sent)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        links(&["warm_up=0 s"]),
        links(&["warm_up=0.5 s", "sample=10 ms"])
    );
}

/// The tape names each connection, and its marks tell its story from the first segment to the ack of the last.
#[test]
fn the_tape_names_connections() {
    let text = star(
        r#"{ kind = "poisson", every = "1 ms", limit = 20 }"#,
        r#"{ kind = "file", size = "3 segments" }"#,
    );
    let tape = outcome(&text, &["warm_up=0 s"], 1, true).tape.unwrap();
    for number in 0..20 {
        let name = format!(",web.{number},");
        let events: Vec<&str> = (tape.lines().filter(|line| line.contains(&name)))
            .map(|line| line.split(',').nth(2).unwrap())
            .collect();
        let count = |event| events.iter().filter(|it| **it == event).count();
        assert_eq!(
            (count("send"), count("deliver"), count("ack")),
            (3, 3, 3),
            "{number}"
        );
    }
    assert!(!tape.contains(",web.20,"));
}

#[test]
fn series_have_the_sum_over_connections() {
    let text = star(
        r#"{ kind = "poisson", load = 0.5 }"#,
        r#"{ kind = "file", size = "30 kB" }"#,
    );
    let report = report(&text, &["warm_up=0 s", "sample=100 ms"], 1);
    let series = report.series.unwrap();
    let delivered = &series.delivered["web"];
    assert!(delivered.windows(2).all(|two| two[0] < two[1]));
    let last = *delivered.last().unwrap() as f64 * 8.0;
    assert!((last / report.flows[0].goodput_bps - 1.0).abs() < 1e-2);
}

#[test]
fn packets_of_a_trace_are_sent_when_and_as_long_as_they_were() {
    write(
        "trace.txt",
        "# time [s], length [bytes]\n0 1500\n0.001 40\n0.001 576\n0.0035 1500\n",
    );
    let text = r#"
duration = "10 ms"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "line"
from = "a"
to = "b"
carries = "packets"
rate = "1 Gb/s"
delay = "1 us"
[[flow]]
name = "it"
from = "a"
to = "b"
start = "1 ms"
traffic = { kind = "trace", packets = "trace.txt" }
transport = { kind = "udp", mss = "1472 B", header = "28 B" }
"#;
    let Outcome { document, tape } = outcome(text, &[], 1, true);
    let flow = &document.report.flows[0];
    assert_eq!(flow.segments_delivered, 4);
    // The payloads are 1472, 12, 548 and 1472 bytes.
    assert_eq!((flow.goodput_bps * 0.01 / 8.0).round(), 3504.0);
    assert_eq!(flow.completed_s, Some(0.0045));
    let tape = tape.unwrap();
    let sent = tape.lines().filter(|line| line.contains(",send,"));
    let times: Vec<_> = sent.map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(
        times,
        [
            "0.001000000000",
            "0.002000000000",
            "0.002000000000",
            "0.004500000000"
        ]
    );
    assert_eq!(
        mistakes(text, &["flow.it.transport.mss=1000 B"]),
        [
            "flow.it.traffic.packets: its packets have 40 to 1500 bytes, and the transport's have 29 to 1028; write another `mss` or `header`"
        ]
    );
    let repeated = outcome(text, &["flow.it.traffic.repeat=true"], 1, false)
        .document
        .report;
    // The trace begins at 1 ms and repeats every 3.5 ms; the first packet of a turn comes with the last of the turn before.
    assert_eq!(repeated.flows[0].segments_delivered, 4 + 4 + 3);
}

#[test]
fn what_does_not_go_with_connections_is_refused() {
    let file = r#"{ kind = "file", size = "30 kB" }"#;
    let text = star(r#"{ kind = "poisson", every = "1 ms" }"#, file);
    let told = |sets: &[&str]| mistakes(&text, sets);
    for (set, want) in [
        (
            "flow.web.arrivals.kind=poison",
            "flow.web.arrivals.kind: unknown arrivals \"poison\"; did you mean \"poisson\"?",
        ),
        (
            "flow.web.arrivals.load=0.5",
            "flow.web.arrivals.load: 0.5 does not fit; write either `every` or `load`",
        ),
        (
            "flow.web.arrivals.every=0 s",
            "flow.web.arrivals.every: \"0 s\" does not fit; write more than 0 s",
        ),
        (
            "flow.web.arrivals={ kind = \"poisson\", load = 0.5, of = \"x\" }",
            "flow.web.arrivals.of: \"x\" does not exist; allowed: \"access\"",
        ),
        (
            "flow.web.to=host-1",
            "flow.web.to: \"host-1\" is at both ends; write the same hosts at both ends, or no host at both",
        ),
        (
            "flow.web.to=hub",
            "flow.web.to: \"hub\" is not a host; write a group of hosts, one host, or names with a star such as \"host-*\"",
        ),
        (
            "flow.web.from=hots-*",
            "flow.web.from: \"hots-*\" is not the name of a host; write a group of hosts, one host, or names with a star such as \"host-*\"",
        ),
        (
            "flow.web.traffic.kind=greedy",
            "flow.web.traffic.size: unknown key; allowed: \"kind\", \"access_rate\"",
        ),
        (
            "flow.web.traffic={ kind = \"greedy\" }",
            "flow.web.traffic: does not end, so a connection would not end either; write traffic that ends, such as { kind = \"file\", size = \"20 kB\" }",
        ),
        (
            "flow.web.transport={ kind = \"udp\" }",
            "flow.web.transport: has no acks, so the end of a connection is unknown; write a transport with acks, or leave `arrivals` out",
        ),
        (
            "flow.web.mpr=1 Mb/s",
            "flow.web.mpr: a rate can be guaranteed only to a flow of one connection; leave it out",
        ),
        (
            "flow.web.traffic={ kind = \"random-file\", sizes = 3 }",
            "flow.web.traffic.sizes: 3 is a number; write \"web-search\", \"hadoop\", or the name of a file, relative to the plan, with a size [bytes] and the per cent of flows up to that size on each line (or three numbers as ns-2 reads them: a size [packets of 1460 bytes], any number, the share of flows up to that size)",
        ),
    ] {
        let told = told(&[set]);
        assert!(told.iter().any(|it| it == want), "{set}:\n{told:#?}");
    }
    write("bad.txt", "0 0\n20 50\n");
    let told = told(&["flow.web.traffic={ kind = \"random-file\", sizes = \"bad.txt\" }"]);
    assert_eq!(
        told,
        [
            "flow.web.traffic.sizes: \"bad.txt\": it ends at 50; the last line must be at 100, or at 1; write \"web-search\", \"hadoop\", or the name of a file, relative to the plan, with a size [bytes] and the per cent of flows up to that size on each line (or three numbers as ns-2 reads them: a size [packets of 1460 bytes], any number, the share of flows up to that size)"
        ]
    );
}

/// Wherever the plan is: a name needs no file, and a file of ns-2's says the same in packets.
#[test]
fn published_distributions_are_known_by_name() {
    let text = |sizes: &str| {
        star(
            r#"{ kind = "poisson", every = "2 ms" }"#,
            &format!("{{ kind = \"random-file\", {sizes} }}"),
        )
    };
    let mean = |sizes: &str| {
        let report = report(&text(sizes), &["duration=0.5 s"], 1);
        let it = report.flows[0].connections.as_ref().expect("connections");
        assert!(it.begun > 100);
        report.flows[0].segments_delivered
    };
    // On average, the files of the one are fourteen times as large as those of the other.
    let (web, hadoop) = (mean("sizes = \"web-search\""), mean("sizes = \"hadoop\""));
    assert!(web > 2 * hadoop, "{web} {hadoop}");
    // `web-search` is still the name of the distribution; the file of that name is `./web-search`.
    write("web-search", "1 1 0\n3 1 1\n");
    let own = mean("sizes = \"./web-search\"");
    assert!(own < hadoop, "{own} {hadoop}");
    let bytes = mean("sizes = \"./web-search\", unit = \"bytes\"");
    let packets = mean("sizes = \"./web-search\", unit = \"packets\"");
    assert!(bytes < own && packets == own, "{bytes} {own} {packets}");
}

/// A line of which a Mahimahi trace says when it sends, with packets of 1500 bytes every millisecond.
fn traced(trace: &str) -> String {
    format!(
        r#"
duration = "40 ms"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "line"
from = "a"
to = "b"
carries = "packets"
trace = "{trace}"
delay = "1 us"
queue = {{ kind = "drop-tail", buffer = "2 packets" }}
[[flow]]
name = "it"
from = "a"
to = "b"
start = "0.5 ms"
traffic = {{ kind = "cbr", rate = "12 Mb/s", packets = "12 packets" }}
transport = {{ kind = "udp", mss = "1472 B", header = "28 B" }}
"#
    )
}

/// When each packet of the flow was sent, delivered or dropped \[us\].
fn times(tape: &str, event: &str) -> Vec<(u64, u64)> {
    let rows = tape.lines().filter(|line| line.contains(event));
    let read = |line: &str| {
        let words: Vec<_> = line.split(',').collect();
        let us = words[0].replace('.', "").parse::<u64>().unwrap() / 1_000_000;
        (words[3].parse().unwrap(), us)
    };
    rows.map(read).collect()
}

#[test]
fn a_line_with_a_trace_sends_at_its_times() {
    // Opportunities: two packets at 4 ms, one at 7, one at 20; the trace repeats from 20 ms on.
    write("cellular.txt", "4\n4\n7\n20\n");
    let Outcome { document, tape } = outcome(&traced("cellular.txt"), &[], 1, true);
    let tape = tape.unwrap();
    // Packets are sent at 0.5, 1.5, ... ms. Two fit into the buffer, the others find it full.
    assert_eq!(
        times(&tape, ",deliver,"),
        [(0, 4001), (1, 4001), (4, 7001), (5, 20001), (7, 24001)]
    );
    let link = &document.report.links[0];
    assert_eq!((link.sent, link.dropped["overflow"]), (5, 7));
    // The capacity is 4 x 1500 bytes in 20 ms; 7500 bytes were carried in 40 ms.
    assert!(
        (link.utilization - 0.625).abs() < 1e-9,
        "{}",
        link.utilization
    );
    // All opportunities are used: three in the first 10 ms, where the trace's mean rate would allow two, and two in the first 5 ms.
    for (until, want) in [
        ("duration=10 ms", 1.0),
        ("duration=5 ms", 1.0),
        ("duration=6.9 ms", 1.0),
        ("duration=3 ms", 0.0),
    ] {
        let link = &report(&traced("cellular.txt"), &[until], 1).links[0];
        let found = (link.utilization, link.empty_fraction);
        assert!(
            (found.0 - want).abs() < 1e-9 && (found.1 - (1.0 - want)).abs() < 1e-9,
            "{until}: {found:?}"
        );
    }
    // If the run ends within a packet, its carried part counts: at 4 ms 3000 bytes are carried, 2250 of this packet and 750 of the next.
    let long = r#"flow.it.transport={ kind = "udp", mss = "2222 B", header = "28 B" }"#;
    let until = ["duration=6 ms", long];
    let link = &report(&traced("cellular.txt"), &until, 1).links[0];
    assert!(
        (link.utilization - 1.0).abs() < 1e-9,
        "{}",
        link.utilization
    );
    // The fraction is the share of the capacity for payload, 1472 of 1500 bytes: headers do not lower it.
    let goodput = report(&traced("cellular.txt"), &["duration=10 ms"], 1).links[0].goodput_fraction;
    assert!((goodput - 1.0).abs() < 1e-9, "{goodput}");
}

#[test]
fn a_trace_of_equal_distances_is_a_line_of_that_rate() {
    write("even.txt", "1\n");
    let text = traced("even.txt")
        .replace("40 ms", "20 s")
        .replace("2 packets", "20 packets");
    let text = text.replace(
        r#"kind = "cbr", rate = "12 Mb/s", packets = "12 packets""#,
        r#"kind = "greedy""#,
    );
    let text = text.replace(
        r#"kind = "udp", mss = "1472 B", header = "28 B""#,
        r#"kind = "newreno", mss = "1460 B""#,
    );
    let even = report(
        &text.replace("trace = ", "back_rate = \"12 Mb/s\"\ntrace = "),
        &[],
        1,
    );
    let plain = report(
        &text.replace("trace = \"even.txt\"", "rate = \"12 Mb/s\""),
        &[],
        1,
    );
    let share = even.flows[0].goodput_bps / plain.flows[0].goodput_bps;
    assert!((share - 1.0).abs() < 0.02, "{share}");
    assert!((even.links[0].utilization / plain.links[0].utilization - 1.0).abs() < 0.02);
    // Here the acks pass a line with a trace as well.
    let both = report(&text, &[], 1);
    assert!(both.flows[0].goodput_bps > 0.5 * plain.flows[0].goodput_bps);
    assert_eq!(
        mistakes(&text, &["link.line.rate=1 Mb/s"]),
        ["link.line.rate: its trace already says when it sends; write either `rate` or `trace`"]
    );
    assert_eq!(
        mistakes(&text, &["link.line.carries=cells"])[0],
        "link.line.trace: this link carries cells, which are sent at its rate; write it on a link that carries packets"
    );
}
