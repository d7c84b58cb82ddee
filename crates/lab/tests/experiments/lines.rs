//! Whole runs on links of packets: shares of a buffer, losses on lines, and reordering.

use crate::common::{network, outcome, report};
use dupack_sim::report::{Link, Report};

/// A modest and a greedy flow at one bottleneck.
const SHARED: &str = r#"
duration = "60 s"
warm_up = "10 s"
host = [{ name = "modest" }, { name = "greedy" }, { name = "sink" }]
switch = [{ name = "s" }]
link = [
    { name = "m", from = "modest", to = "s", carries = "packets", rate = "20 Mb/s", delay = "1 ms" },
    { name = "g", from = "greedy", to = "s", carries = "packets", rate = "20 Mb/s", delay = "1 ms" },
    { name = "out", from = "s", to = "sink", carries = "packets", rate = "2 Mb/s", delay = "5 ms" },
]
flow = [
    { name = "m", from = "modest", to = "sink", transport = { kind = "sack", max_window = "10 segments" } },
    { name = "g", from = "greedy", to = "sink", transport = { kind = "sack", max_window = "60 segments", mss = "1460 B" } },
]
"#;

/// What the modest flow sends over what the greedy flow sends \[bytes on the line\].
fn share(report: &Report) -> f64 {
    let rate = |flow: usize, mss: f64| report.flows[flow].goodput_bps * (mss + 40.0) / mss;
    rate(0, 536.0) / rate(1, 1460.0)
}

#[test]
fn fair_queueing_gives_equal_shares_to_unequal_windows_and_sizes() {
    let with = |queue: &str| report(SHARED, &[&format!("link.out.queue={queue}")]);
    let fifo = with(r#"{ kind = "drop-tail", buffer = "100 packets" }"#);
    assert!(share(&fifo) < 0.1, "{}", share(&fifo));
    let fair = with(r#"{ kind = "fair-queueing", buffer = "100 packets" }"#);
    assert!((share(&fair) - 1.0).abs() < 0.01, "{}", share(&fair));
    assert_eq!((fair.summary.timeouts, fifo.summary.timeouts), (0, 0));
}

#[test]
fn who_is_dropped_is_as_the_plan_says() {
    let with = |overflow: &str| {
        let queue = format!(
            r#"link.out.queue={{ kind = "fair-queueing", buffer = "20 packets", overflow = "{overflow}" }}"#
        );
        let outcome = outcome(SHARED, &[&queue], 1, true);
        let lost = |flow: &str| {
            let rows = outcome.tape.as_deref().unwrap().lines();
            rows.filter(|l| l.contains(&format!(",{flow},drop,")))
                .count()
        };
        let out = &outcome.document.report.links[4];
        let causes: Vec<_> = out.dropped.keys().copied().collect();
        assert_eq!(out.max_backlog, 20);
        (causes, lost("m"), lost("g"))
    };
    let (causes, modest, greedy) = with("arriving");
    assert_eq!(causes, ["overflow"]);
    assert!(modest > 0 && greedy > 0);
    for overflow in ["longest-queue", "longest-queue-head", "longest-queue-tail"] {
        let (causes, modest, greedy) = with(overflow);
        assert_eq!(causes, ["pushed-out"]);
        // The modest flow's window is half of the buffer, so its queue is never the longest when the buffer overflows.
        assert!(modest == 0 && greedy > 0, "{overflow}: {modest} {greedy}");
    }
}

const RANDOM: &str = include_str!("../plans/random-loss.toml");

fn random(link: &Link) -> u64 {
    link.dropped.get("random").copied().unwrap_or(0)
}

#[test]
fn both_ways_lose_what_the_plan_says() {
    let report = report(RANDOM, &["warm_up=0 s"]);
    let [there, back] = &report.links[..] else {
        panic!("{:?}", report.links)
    };
    for link in [there, back] {
        // Losses are single, with 99 packets between two on average, so 1 % is lost; four standard errors are allowed.
        let (n, lost) = (link.offered as f64, random(link) as f64);
        let error = (0.01 * 0.99 * n).sqrt();
        assert!(
            n > 5000.0 && (lost - 0.01 * n).abs() < 4.0 * error,
            "{lost} of {n}"
        );
        assert_eq!(link.dropped.len(), 1);
    }
    // Acks are lost like other packets: those that got through were heard, or are still on the line.
    let flow = &report.flows[0];
    let under_way = back.sent - flow.acks;
    assert!(under_way <= 100, "{under_way}");
    assert_eq!(
        back.offered,
        back.sent + random(back) + back.in_service + back.waiting
    );
    //= keshav-morgan-1997 §6 type=test
    assert!(
        flow.goodput_bps < 0.1 * 8e6,
        "a few per cent: {}",
        flow.goodput_bps
    );
}

/// One flow over one line, with a file to send.
const LINE: &str = r#"
duration = "300 s"
host = [{ name = "a" }, { name = "b" }]
[[link]]
name = "l"
from = "a"
to = "b"
carries = "packets"
rate = "8 Mb/s"
delay = "5 ms"
[[flow]]
name = "f"
from = "a"
to = "b"
traffic = { kind = "file", size = "5000 segments" }
transport = { kind = "sack", mss = "460 B", max_window = "100 segments", min_rto = "200 ms" }
"#;

const BURSTS: &str = r#"link.l.loss={ kind = "burst", rate = 0.02, mean_burst = "3 packets" }"#;
const SINGLE: &str = r#"link.l.back_loss={ kind = "bernoulli", rate = 0.05 }"#;

#[test]
fn a_line_loses_the_same_whatever_holds_its_packets() {
    // Behind an unlimited FIFO losses are decided in advance, behind a discipline when departures are processed.
    let free = report(LINE, &[BURSTS, SINGLE]);
    let held = report(
        LINE,
        &[
            BURSTS,
            SINGLE,
            r#"link.l.queue={ kind = "drop-tail", buffer = "9999 packets" }"#,
            r#"link.l.back_queue={ kind = "fair-queueing", buffer = "9999 packets" }"#,
        ],
    );
    assert_eq!(free.flows[0].segments_delivered, 5000);
    assert_eq!(free.flows[0].completed_s, held.flows[0].completed_s);
    for (free, held) in free.links.iter().zip(&held.links) {
        assert!(random(free) > 50);
        assert_eq!((free.sent, random(free)), (held.sent, random(held)));
    }
}

#[test]
fn a_packet_lost_on_a_cell_line_loses_its_first_cell() {
    // 508 bytes are 11 cells, so each lost segment leaves 10 dead cells. An ack is one cell.
    let sets = [BURSTS, SINGLE, "link.l.carries=cells"];
    let report = report(LINE, &sets);
    assert_eq!(report.flows[0].segments_delivered, 5000);
    let [there, back] = &report.links[..] else {
        panic!("{:?}", report.links)
    };
    assert!(random(there) > 50 && random(back) > 50);
    assert_eq!(there.dead_units, 10 * random(there));
    assert_eq!(there.offered, 11 * report.flows[0].segments_sent);
    assert_eq!(back.dead_units, 0);
}

#[test]
fn each_direction_draws_for_itself() {
    let first_lost = |sets: &[&str]| {
        let tape = outcome(LINE, sets, 3, true).tape.unwrap();
        let row = tape.lines().find(|l| l.contains(",drop,")).unwrap();
        row.split(',').nth(3).unwrap().to_string()
    };
    let there = first_lost(&[BURSTS]);
    assert_eq!(
        there,
        first_lost(&[BURSTS, SINGLE]),
        "losses of acks shift nothing"
    );
    assert_ne!(there, first_lost(&[&BURSTS.replace("0.02", "0.05")]));
}

/// Two lines in a row, so that a packet may be overtaken on each.
const CHAIN: &str = r#"
duration = "300 s"
host = [{ name = "a" }, { name = "b" }]
switch = [{ name = "s" }]
link = [
    { name = "one", from = "a", to = "s", carries = "packets", rate = "20 Mb/s", delay = "2 ms" },
    { name = "two", from = "s", to = "b", carries = "packets", rate = "8 Mb/s", delay = "5 ms" },
]
flow = [
    { name = "f", from = "a", to = "b", traffic = { kind = "file", size = "5000 segments" }, transport = { kind = "sack" } },
    { name = "g", from = "a", to = "b", traffic = { kind = "file", size = "5000 segments" }, transport = { kind = "reno" } },
]
"#;

const ORDERS: [&str; 3] = [
    r#"link.one.reorder={ rate = 0.02, delay = "9 ms" }"#,
    r#"link.two.reorder={ rate = 0.02, delay = "3 ms" }"#,
    r#"link.two.back_reorder={ rate = 0.05, delay = "4 ms" }"#,
];

#[test]
fn what_is_reordered_is_not_lost() {
    let ordered = report(CHAIN, &[]);
    let report = report(CHAIN, &ORDERS);
    for (flow, ordered) in report.flows.iter().zip(&ordered.flows) {
        assert_eq!(
            (ordered.segments_retransmitted, flow.segments_delivered),
            (0, 5000)
        );
        // Three duplicate acks count as a loss, and some packets are overtaken by three others.
        assert!(flow.fast_retransmits > 20 && flow.segments_retransmitted > 20);
        assert!(flow.acks == flow.segments_sent && flow.completed_s > ordered.completed_s);
    }
    for link in &report.links {
        assert!(link.dropped.is_empty() && link.offered == link.sent);
    }
}

#[test]
fn losses_and_disorder_are_the_same_every_time() {
    let bytes = |sets: &[&str], seed| {
        let outcome = outcome(CHAIN, sets, seed, true);
        let mut document = outcome.document;
        document.cpu_s = 0.0;
        serde_json::to_string(&document).unwrap() + &outcome.tape.unwrap()
    };
    let lossy = |rate| {
        let loss = format!(
            r#"link.two.loss={{ kind = "burst", rate = {rate}, mean_burst = "2 packets" }}"#
        );
        let queue = r#"link.two.queue={ kind = "fair-queueing", buffer = "40 packets", overflow = "longest-queue-head" }"#;
        [loss, queue.to_string()]
    };
    let [loss, queue] = lossy(0.02);
    let all = [&ORDERS[..], &[&loss, &queue]].concat();
    assert_eq!(bytes(&all, 1), bytes(&all, 1));
    assert_ne!(bytes(&all, 1), bytes(&all, 2));
    // Reordering with rate 0 changes nothing, and a loss model with rate 0 is like none.
    let [never, queue] = lossy(0.0);
    let none = r#"link.two.reorder={ rate = 0, delay = "3 ms" }"#;
    assert_eq!(bytes(&[&queue], 1), bytes(&[&queue, &never, none], 1));
    assert_eq!(bytes(&[], 1), bytes(&[none], 1));
}

const JITTERS: [&str; 3] = [
    r#"link.one.jitter={ kind = "uniform", max_delay = "30 ms" }"#,
    r#"link.two.jitter={ kind = "pareto", mean = "2 ms" }"#,
    r#"link.two.back_jitter={ kind = "wifi" }"#,
];

#[test]
fn jitter_keeps_the_order_and_loses_nothing() {
    let steady = report(CHAIN, &[]);
    let report = report(CHAIN, &JITTERS);
    for (flow, steady) in report.flows.iter().zip(&steady.flows) {
        // Neither a duplicate ack nor a timeout, whatever the delays are.
        assert_eq!((flow.fast_retransmits, flow.timeouts), (0, 0));
        assert_eq!((flow.segments_sent, flow.segments_delivered), (5000, 5000));
        assert!(flow.completed_s > steady.completed_s);
    }
    for link in &report.links {
        assert!(link.dropped.is_empty() && link.offered == link.sent);
    }
}

#[test]
fn wrong_bits_are_found_by_the_link_or_by_the_host() {
    // 4,608 bits of a packet: 46 of 5,000 are damaged. Acks of 320 bits hardly ever are.
    let set = |by: &str| {
        format!(r#"link.one.loss={{ kind = "bit-errors", rate = 2e-6, found_by = "{by}" }}"#)
    };
    let [link, host] = ["link", "host"].map(|by| report(CHAIN, &[&set(by)]));
    for report in [&link, &host] {
        for flow in &report.flows {
            assert_eq!(flow.segments_delivered, 5000);
            let again = flow.segments_retransmitted;
            assert!((25..150).contains(&again), "{again}");
        }
    }
    let of = |report: &Report, name: &str| {
        let link = report.links.iter().find(|it| it.name == name).unwrap();
        let lost: u64 = link.dropped.values().sum();
        (link.offered, link.sent, lost, link.dead_units)
    };
    // The link discards them: the next link never sees them.
    let (offered, sent, lost, dead) = of(&link, "one");
    assert!(lost > 60 && offered == sent + lost && dead == 0);
    assert_eq!(of(&link, "two"), (sent, sent, 0, 0));
    // The host discards them: both links carry them in vain.
    let (offered, sent, lost, dead) = of(&host, "one");
    assert!(offered == sent && lost == 0 && dead > 60);
    assert_eq!(of(&host, "two"), (sent, sent, 0, dead));
}

#[test]
fn packets_that_arrive_twice_are_delivered_once() {
    let sets = ["link.one.duplicate=0.1", "link.two.back_duplicate=0.05"];
    let report = report(CHAIN, &sets);
    for flow in &report.flows {
        assert_eq!((flow.segments_delivered, flow.timeouts), (5000, 0));
        // Each copy of a segment is acknowledged, and each copy of an ack arrives.
        let beyond = flow.acks as f64 / flow.segments_sent as f64;
        assert!((1.13..1.18).contains(&beyond), "{beyond}");
    }
    let of = |name: &str| report.links.iter().find(|it| it.name == name).unwrap();
    let copies = of("two").offered - of("one").sent;
    let share = copies as f64 / of("one").sent as f64;
    // Four standard errors of a share of 10,000.
    assert!((share - 0.1).abs() < 0.012, "{share}");
    assert!(of("two.back").offered == of("two").sent);
    assert!(of("one.back").offered > of("two.back").sent);
}

#[test]
fn all_packets_come_twice_and_none_is_lost() {
    let sets = [
        "link.one.duplicate=1",
        r#"link.one.jitter={ kind = "uniform", max_delay = "3 ms" }"#,
    ];
    let report = report(STEADY_TWICE, &sets);
    let [line, two] = [&report.links[0], &report.links[2]];
    assert_eq!(two.offered, 2 * line.sent);
    // Datagrams have no duplicate protection.
    assert_eq!(report.flows[0].segments_delivered, two.sent);
}

#[test]
fn a_host_takes_a_random_time_for_each_packet() {
    // One packet in 10 ms: delays are 1.1 ms and what is drawn, 2.5 ms on average; the standard error is 0.014 ms.
    let plan = STEADY.replace(r#"{ name = "a" }"#, r#"{ name = "a", overhead = "5 ms" }"#);
    let slow = [
        "flow.f.traffic.rate=100 kb/s",
        "flow.f.traffic.packets=9000 packets",
    ];
    let [late, steady] = [&plan, STEADY].map(|plan| report(plan, &slow).flows.remove(0));
    let extra = |it: &dupack_sim::report::Flow| it.mean_delay_s.unwrap() * 1e3 - 1.1;
    assert!(extra(&steady).abs() < 1e-6);
    assert!((extra(&late) - 2.5).abs() < 0.06, "{}", extra(&late));
    assert_eq!(late.segments_delivered, late.segments_sent);
    // It is that of the host: the way back has none.
    let links = &network(&plan, &[]).links;
    assert!(links[0].jitter.is_some() && links[1].jitter.is_none());
}

/// Packets of 125 bytes, 1 Mb/s, over two lines.
const STEADY_TWICE: &str = r#"
duration = "10 s"
host = [{ name = "a" }, { name = "b" }]
switch = [{ name = "s" }]
link = [
    { name = "one", from = "a", to = "s", carries = "packets", rate = "10 Mb/s", delay = "1 ms" },
    { name = "two", from = "s", to = "b", carries = "packets", rate = "10 Mb/s", delay = "0 s" },
]
flow = [{ name = "f", from = "a", to = "b", transport = { kind = "udp", mss = "85 B", header = "40 B" }, traffic = { kind = "cbr", rate = "1 Mb/s", packets = "9000 packets" } }]
"#;

#[test]
fn bursts_begin_when_they_are_granted() {
    // One packet of 0.1 ms in each millisecond: times in microseconds.
    for (slot, delay, burst) in [
        (10_000, 5000, 64),
        (4000, 7000, 8),
        (0, 3000, 64),
        (2000, 0, 64),
    ] {
        let grants = format!(
            r#"link.line.grants={{ slot = "{slot} us", delay = "{delay} us", burst = "{burst} packets" }}"#
        );
        let granted = |asked: u64| match slot {
            0 => asked + delay,
            _ => (asked + delay).div_ceil(slot) * slot,
        };
        let n = 99_900;
        let (mut free, mut count, mut sum) = (0, 0, 0.0);
        for packet in 0..n {
            let comes = packet * 1000;
            // The next burst has been asked for, or the packet is in the present one, or it asks.
            let begins = if packet > 0 && count == burst {
                granted(free).max(comes)
            } else if packet > 0 && comes < free {
                free
            } else {
                granted(comes)
            };
            if begins > free || count == burst || packet == 0 {
                count = 0;
            }
            count += 1;
            free = begins + 100;
            sum += (free - comes) as f64 / 1e6 + 1e-3;
        }
        let report = report(STEADY, &[&grants]);
        let found = report.flows[0].mean_delay_s.unwrap();
        let want = sum / n as f64;
        // The last packets are still waiting when the run ends.
        assert!(
            (found - want).abs() < 2e-5,
            "{slot} {delay} {burst}: {found}, {want}"
        );
    }
}

/// Packets of 125 bytes, 10 or 1 Mb/s on a line of 10 Mb/s.
const STEADY: &str = r#"
duration = "100 s"
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "line", from = "a", to = "b", carries = "packets", rate = "10 Mb/s", delay = "1 ms" }]
flow = [{ name = "f", from = "a", to = "b", transport = { kind = "udp", mss = "85 B", header = "40 B" }, traffic = { kind = "cbr", rate = "1 Mb/s" } }]
"#;

#[test]
fn a_packet_waits_for_those_that_were_sent_before() {
    let uniform = r#"link.line.jitter={ kind = "uniform", max_delay = "50 ms" }"#;
    let mean_ms = |sets: &[&str]| {
        let report = report(STEADY, &[&[uniform], sets].concat());
        report.flows[0].mean_delay_s.expect("packets arrive") * 1e3 - 1.1
    };
    // One packet in 100 ms: delays are those that are drawn; 1,000 of them, of which the standard error is 0.46 ms.
    let alone = mean_ms(&["flow.f.traffic.rate=10 kb/s"]);
    assert!((alone - 25.0).abs() < 4.0 * 0.46, "{alone}");
    // One packet in 1 ms: a packet arrives with the latest of those before. The delay is at most y if each packet i ms earlier
    // was drawn at most y + i ms.
    let below = |y: f64| {
        (0..50)
            .map(|i| f64::min(1.0, (y + f64::from(i)) / 50.0))
            .product::<f64>()
    };
    let want = (0..50_000)
        .map(|i| (1.0 - below((f64::from(i) + 0.5) / 1000.0)) / 1000.0)
        .sum::<f64>();
    // 2,000 separate groups of 50 packets; the delay of a packet has a standard deviation of 4.3 ms.
    let close = mean_ms(&[]);
    assert!(
        (close - want).abs() < 4.0 * 4.3 / 2000f64.sqrt(),
        "{close}, not {want}"
    );
}
