//! Paths of packets that lead over lines of cells: an access line with ATM.

use crate::common::{self, mistakes, network, outcome, report};
use dupack_core::time::Instant;
use dupack_lab::forecast::forecast;
use dupack_sim::Session;
use dupack_sim::probe::Off;
use dupack_sim::report::{Link, Report};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// A home behind an ADSL line, whose modem and whose router at the other end turn packets into cells and back.
const PLAN: &str = r#"
duration = "20 s"
host = [{ name = "home", count = 2 }, { name = "server", count = 2 }]
edge = [{ name = "modem" }, { name = "router" }]
switch = [{ name = "dslam" }]
link = [
    { name = "lan", from = "home", to = "modem", carries = "packets", rate = "100 Mb/s", delay = "100 us" },
    { name = "line", from = "modem", to = "dslam", carries = "cells", rate = "1 Mb/s", delay = "4 ms", queue = QUEUE },
    { name = "trunk", from = "dslam", to = "router", carries = "cells", rate = "155 Mb/s", delay = "1 ms" },
    { name = "core", from = "router", to = "server", carries = "packets", rate = "1 Gb/s", delay = "10 ms" },
]
flow = [{ name = "up", from = "home", to = "server", transport = { kind = "reno", mss = "1460 B" } }]
"#;

const LARGE: &str = r#"{ kind = "plain", buffer = "100000 cells" }"#;
const EPD: &str = r#"{ kind = "epd", buffer = "300 cells" }"#;

fn text(queue: &str) -> String {
    PLAN.replace("QUEUE", queue)
}

fn link<'r>(report: &'r Report, name: &str) -> &'r Link {
    report.link(name)
}

/// One datagram of 1000 bytes per second.
const DATAGRAMS: &str = r#"flow.up.transport={ kind = "udp", mss = "972 B", header = "28 B" }"#;
const RARELY: &str = r#"flow.up.traffic={ kind = "cbr", rate = "7776 b/s" }"#;

#[test]
fn a_packet_becomes_cells_and_again_a_packet() {
    let sets = [
        DATAGRAMS,
        RARELY,
        "flow.up.from=\"home-0\"",
        "flow.up.to=\"server-0\"",
    ];
    let report = report(&text(LARGE), &sets);
    // 1000 bytes and a trailer of 8 are 21 cells. Each link of packets takes the time of the whole packet. The DSLAM forwards each cell as
    // it comes, so the trunk adds the time of one.
    let cell = 53.0 * 8.0;
    let lines = 8000.0 / 100e6 + 21.0 * cell / 1e6 + cell / 155e6 + 8000.0 / 1e9;
    let expected = lines + 0.1e-3 + 4e-3 + 1e-3 + 10e-3;
    let delay = report.flows[0].mean_delay_s.expect("datagrams");
    assert!((delay - expected).abs() < 1e-9, "{delay} {expected}");
    let delivered = report.flows[0].segments_delivered;
    assert_eq!(delivered, 20);
    for name in ["line", "trunk"] {
        let link = link(&report, name);
        assert_eq!((link.carries, link.sent), ("cells", 21 * delivered));
        assert!((link.utilization * 20.0 - 20.0 * 21.0 * cell / rate(name)).abs() < 1e-6);
        // Of a full line, 972 of 1113 bytes are payload.
        let share = 8.0 * 972.0 / rate(name);
        let full = 972.0 / (21.0 * 53.0);
        assert!((link.goodput_fraction - share / full).abs() < 1e-6);
    }
    assert_eq!(link(&report, "core-0").carries, "packets");
    assert_eq!(link(&report, "core-0").sent, delivered);
}

fn rate(name: &str) -> f64 {
    if name == "line" { 1e6 } else { 155e6 }
}

#[test]
fn the_forecast_has_the_time_of_cells() {
    let sets = [
        DATAGRAMS,
        RARELY,
        "flow.up.from=\"home-0\"",
        "flow.up.to=\"server-0\"",
    ];
    let plan = common::plan(&text(LARGE), &sets);
    let facts = forecast(&plan.points[0].network, &plan.points[0].key);
    let measured = report(&text(LARGE), &sets).flows[0].mean_delay_s;
    let there = facts.flows[0].round_trip_s;
    assert!(
        (there - measured.expect("datagrams")).abs() < 1e-9,
        "{there}"
    );
    let line = facts.links.iter().find(|it| it.name == "line").expect("it");
    assert_eq!(line.carries, "cells");
    assert_eq!(line.buffer_s, Some(100_000.0 * 424.0 / 1e6));
}

#[test]
fn a_line_of_cells_is_a_line_of_packets_with_the_framing_of_atm() {
    // Buffers without bounds and no trunk: nothing but the times of packets remains.
    let plan = PLAN.replace(
        ", queue = QUEUE",
        ", framing = \"pppoe-llcsnap\", back_framing = \"pppoe-llcsnap\"",
    );
    let plan = plan.replace(
        "\"155 Mb/s\", delay = \"1 ms\"",
        "\"155 Mb/s\", delay = \"1 ms\", framing = \"pppoe-llcsnap\", back_framing = \"pppoe-llcsnap\"",
    );
    let one = plan.replace("{ name = \"trunk\", from = \"dslam\", to = \"router\", carries = \"cells\", rate = \"155 Mb/s\", delay = \"1 ms\", framing = \"pppoe-llcsnap\", back_framing = \"pppoe-llcsnap\" },", "");
    let one = one.replace("to = \"dslam\"", "to = \"router\"");
    assert_ne!(plan, one);
    let cells = report(&one, &[]);
    let packets = one.replace("carries = \"cells\"", "carries = \"packets\"");
    let packets = report(
        &packets
            .replace("edge =", "switch =")
            .replace("switch = [{ name = \"dslam\" }]", ""),
        &[],
    );
    let flows = |report: &Report| serde_json::to_value(&report.flows).expect("JSON");
    assert_eq!(flows(&cells), flows(&packets));
    let (cells, packets) = (link(&cells, "line"), link(&packets, "line"));
    assert_eq!(cells.utilization, packets.utilization);
    assert!(cells.sent > 30 * packets.sent);
}

#[test]
fn what_is_dropped_as_a_cell_is_lost_as_a_packet() {
    for queue in [EPD, r#"{ kind = "plain", buffer = "300 cells" }"#] {
        let taped = outcome(&text(queue), &[], 1, true);
        let report = &taped.document.report;
        let line = link(report, "line");
        assert!(line.dropped.values().sum::<u64>() > 0, "{:?}", line.dropped);
        // Each loss is on the tape once, and each is a packet that left the homes and did not reach the servers.
        let rows = taped.tape.as_deref().expect("a tape").lines();
        let lost = rows.filter(|row| row.contains(",drop,")).count() as u64;
        let sum = |names: [&str; 2]| names.iter().map(|it| link(report, it).sent).sum::<u64>();
        let (left, came) = (sum(["lan-0", "lan-1"]), sum(["core-0", "core-1"]));
        let under_way = left - came - lost;
        assert!(lost > 0 && under_way < 50, "{left} {came} {lost}");
        // The lines before carried those packets in vain, and those behind only whole packets.
        let dead = |names: [&str; 2]| {
            names
                .iter()
                .map(|it| link(report, it).dead_units)
                .sum::<u64>()
        };
        assert_eq!(dead(["lan-0", "lan-1"]), lost);
        assert_eq!(dead(["core-0", "core-1"]), 0);
        assert!(link(report, "trunk").dead_units > 0);
        // What is seen does not change what happens.
        let plain = outcome(&text(queue), &[], 1, false).document.report;
        let json = |it: &Report| serde_json::to_value(it).expect("JSON");
        assert_eq!(json(report), json(&plain));
    }
}

#[test]
fn cells_become_packets_and_cells_again() {
    // Two networks of cells with a link of packets between them.
    let plan = text(LARGE)
        .replace("{ name = \"router\" }]", "{ name = \"router\" }, { name = \"gate\" }, { name = \"exit\" }]")
        .replace("from = \"router\", to = \"server\"", "from = \"exit\", to = \"server\"")
        .replace(
            "link = [",
            "link = [
                { name = \"between\", from = \"router\", to = \"gate\", carries = \"packets\", rate = \"10 Mb/s\", delay = \"2 ms\" },
                { name = \"second\", from = \"gate\", to = \"exit\", carries = \"cells\", rate = \"2 Mb/s\", delay = \"3 ms\", queue = SECOND },",
        );
    let one = [
        DATAGRAMS,
        RARELY,
        "flow.up.from=\"home-0\"",
        "flow.up.to=\"server-0\"",
    ];
    let alone = report(&plan.replace("SECOND", LARGE), &one);
    let cell = 53.0 * 8.0;
    let first = 8000.0 / 100e6 + 21.0 * cell / 1e6 + cell / 155e6;
    let rest = 8000.0 / 10e6 + 21.0 * cell / 2e6 + 8000.0 / 1e9;
    let expected = first + rest + 0.1e-3 + 4e-3 + 1e-3 + 2e-3 + 3e-3 + 10e-3;
    let delay = alone.flows[0].mean_delay_s.expect("datagrams");
    assert!((delay - expected).abs() < 1e-9, "{delay} {expected}");
    for name in ["line", "trunk", "second"] {
        assert_eq!(link(&alone, name).sent, 21 * 20);
    }
    assert_eq!(link(&alone, "between").sent, 20);

    // Two homes send more than the second line carries. What it drops, the first has carried in vain.
    let narrow = plan
        .replace("SECOND", EPD)
        .replace("rate = \"2 Mb/s\"", "rate = \"500 kb/s\"");
    let taped = outcome(&narrow, &[], 1, true);
    let report = &taped.document.report;
    let rows = taped.tape.as_deref().expect("a tape").lines();
    let lost = rows.filter(|row| row.contains(",drop,")).count() as u64;
    assert!(lost > 10 && link(report, "second").dropped.values().sum::<u64>() > lost);
    assert_eq!(link(report, "line").dropped.values().sum::<u64>(), 0);
    assert_eq!(link(report, "between").dead_units, lost);
    assert!(link(report, "line").dead_units > lost && link(report, "trunk").dead_units > lost);
    for name in ["core-0", "core-1"] {
        assert_eq!(link(report, name).dead_units, 0);
    }
}

#[test]
fn under_ecmp_a_flow_has_one_of_the_lines_in_a_run() {
    let plan = text(LARGE)
        .replace(
            "{ name = \"home\", count = 2 }, { name = \"server\", count = 2 }",
            "{ name = \"home\", count = 8 }, { name = \"server\", count = 8 }",
        )
        .replace("{ name = \"dslam\" }", "{ name = \"dslam\", count = 2 }");
    let sets = [DATAGRAMS, RARELY, "routing=ecmp"];
    let mut shares = BTreeSet::new();
    for seed in 1..=10 {
        let report = outcome(&plan, &sets, seed, false).document.report;
        let delivered: u64 = report.flows.iter().map(|it| it.segments_delivered).sum();
        let cells = |name: &str| {
            (0..2)
                .map(|at| link(&report, &format!("{name}-{at}")).sent)
                .collect::<Vec<_>>()
        };
        let lines = cells("line");
        assert_eq!(lines, cells("trunk"));
        assert_eq!(
            (delivered, lines.iter().sum::<u64>()),
            (8 * 20, 21 * delivered)
        );
        // All twenty datagrams of a flow pass the same line.
        assert!(
            lines.iter().all(|cells| cells % (20 * 21) == 0),
            "{lines:?}"
        );
        shares.insert(lines[0] / (20 * 21));
    }
    // How many of the eight flows the first line has is drawn for every seed.
    assert!(
        shares.len() > 2 && shares.iter().all(|it| *it <= 8),
        "{shares:?}"
    );
}

#[test]
fn a_run_in_parts_is_the_same_run() {
    let network = network(
        &text(EPD),
        &["sample=\"1 s\"", "warm_up=\"2 s\"", "percentiles=true"],
    );
    let halt = AtomicBool::new(false);
    let whole = dupack_sim::measure(&network, 1, &halt).expect("a run");
    let drawn = Session::<Off>::prepare(&network, 1, &halt).expect("a network");
    let mut session = Session::new(&drawn, 1, dupack_sim::probe::Spreads::default());
    let mut peak = 0;
    for tenths in 1..200 {
        let now = Instant(tenths * 100_000_000_000);
        session.advance(now, &halt).expect("a run");
        peak = peak.max(session.links(now)[4].backlog);
    }
    let (parts, _) = session.finish(&halt).expect("a run");
    let json = |it: &Report| serde_json::to_value(it).expect("JSON");
    assert_eq!(json(&whole), json(&parts));
    let line = link(&whole, "line");
    assert!(peak > 100 && peak <= line.max_backlog, "{peak}");
    assert!(line.queue_delay_s.is_some() && line.measured.sent < line.sent);
    let series = whole.series.expect("samples");
    assert!(series.backlog["line"].iter().any(|it| *it > 100));
    let throughput: Vec<f64> = series.throughput_bps["line"]
        .iter()
        .flatten()
        .copied()
        .collect();
    assert!(throughput.iter().all(|it| *it > 0.0 && *it <= 1.000_001e6));
}

#[test]
fn a_channel_between_the_edges_has_its_guarantee() {
    let wrr = r#"{ kind = "weighted-round-robin", buffer = "2000 cells" }"#;
    let plan = format!(
        "{}vc = [{{ name = \"one\", mpr = \"600 kb/s\" }}, {{ name = \"other\", mpr = \"200 kb/s\" }}]\n",
        text(wrr)
    );
    let plan = plan.replace(
        "flow = [{ name = \"up\", from = \"home\", to = \"server\",",
        "flow = [{ name = \"a\", from = \"home-0\", to = \"server-0\", vc = \"one\", transport = { kind = \"reno\" } }, \
         { name = \"b\", from = \"home-1\", to = \"server-1\", vc = \"other\",",
    );
    let report = report(&plan, &["warm_up=\"5 s\""]);
    let share = report.flows[0].goodput_bps / report.flows[1].goodput_bps;
    assert!(share > 2.0, "{share}");
    let before = report.flows.iter().map(|it| it.goodput_bps).sum::<f64>();
    assert!(before > 0.7e6, "{before}");
}

#[test]
fn cells_meet_packets_at_an_edge_alone() {
    let wrong = |from: &str, to: &str| {
        let plan = text(EPD);
        assert!(plan.contains(from));
        mistakes(&plan.replace(from, to), &[])
    };
    assert_eq!(
        wrong(
            "edge = [{ name = \"modem\" }, { name = \"router\" }]\nswitch = [",
            "edge = [{ name = \"router\" }]\nswitch = [{ name = \"modem\" }, "
        ),
        [
            "link.line.carries: \"cells\", but link \"lan-0\" carries packets, and the two meet at the switch \"modem\"; write the same for all links, \
          or make \"modem\" an [[edge]] (there a packet becomes cells)"
        ]
    );
    assert_eq!(
        wrong(
            "to = \"modem\", carries = \"packets\"",
            "to = \"modem\", carries = \"cells\""
        ),
        [
            "link.lan.carries: \"cells\", but other links carry packets, and this one leads to the host \"home-0\"; write the same for all links, \
          or put an [[edge]] between the host and this link (there a packet becomes cells)"
        ]
    );
    let allowed = r#""ipoa-vcmux", "ipoa-llcsnap", "pppoa-vcmux", "pppoa-llc", "bridged-vcmux", "bridged-llcsnap", "pppoe-vcmux", "pppoe-llcsnap", "conservative""#;
    assert_eq!(
        wrong(
            "delay = \"4 ms\",",
            "delay = \"4 ms\", framing = \"docsis\","
        ),
        [format!(
            "link.line.framing: \"docsis\", but this link carries cells; allowed: {allowed}, or leave it out for AAL5's trailer alone"
        ),]
    );
    assert_eq!(
        wrong(
            "delay = \"4 ms\",",
            "delay = \"4 ms\", loss = { kind = \"script\", flow = \"up-0\", segments = [3] },"
        ),
        [
            "link.line.loss: it watches the segments of a flow, and this link has cells of packets that it does not see; write it on a link of packets"
        ]
    );
    assert_eq!(
        wrong(
            "delay = \"4 ms\",",
            "delay = \"4 ms\", marker = { kind = \"erica\" },"
        ),
        [
            "link.line.marker: it answers RM cells, and here packets come and go, not cells of a source with ABR; leave it out"
        ]
    );
    assert_eq!(
        wrong(
            "delay = \"4 ms\",",
            "delay = \"4 ms\", framing = \"ipoa-vcmux\","
        ),
        [
            "link.trunk.framing: \"raw\", but the same cells pass link \"line\", which has \"ipoa-vcmux\"; write the same for both"
        ]
    );
    let long = [
        "flow.up.transport.mss=\"65000 B\"",
        "aal5.trailer=\"600 B\"",
    ];
    assert_eq!(
        mistakes(&text(EPD), &long),
        [
            "flow.up.transport.mss: \"65000 B\" is too long for cells: with a header of 40 B and 600 B before it becomes cells, a packet has more than \
             65568 B; write a smaller one"
        ]
    );
}

#[test]
fn cells_of_packets_that_are_lost_later_were_sent_in_vain() {
    // Packets of many lengths, of which a line of packets loses every third one or so.
    let sets = [
        "flow.up.transport={ kind = \"udp\", mss = \"1472 B\", header = \"28 B\" }",
        "flow.up.traffic={ kind = \"poisson\", rate = \"200 kb/s\", sizes = \"geometric\" }",
        "link.core.loss={ kind = \"bernoulli\", rate = 0.3 }",
    ];
    let report = report(&text(LARGE), &sets);
    let line = link(&report, "line");
    let of = |name: &str, what: fn(&Link) -> u64| {
        (0..2)
            .map(|n| what(link(&report, &format!("{name}-{n}"))))
            .sum::<u64>()
    };
    let lost = of("core", |it| it.dropped.values().sum());
    let passed = of("core", |it| it.offered);
    assert!(lost > 100 && of("lan", |it| it.dead_units) == lost);
    // They are reckoned at the mean of each flow.
    let expected = lost as f64 * line.sent as f64 / passed as f64;
    assert!(
        (line.dead_units as f64 / expected - 1.0).abs() < 0.1,
        "{} {expected}",
        line.dead_units
    );
}

#[test]
fn a_guarantee_of_a_flow_holds_on_links_of_packets_behind_an_edge() {
    let plan = text(LARGE).replace(
        "rate = \"1 Gb/s\", delay = \"10 ms\"",
        "rate = \"1 Gb/s\", delay = \"10 ms\", queue = WRR",
    );
    let plan = plan.replace(
        "WRR",
        "{ kind = \"weighted-round-robin\", buffer = \"100 packets\" }",
    );
    let plan = plan.replace(
        "mss = \"1460 B\" }",
        "mss = \"1460 B\" }, mpr = \"300 kb/s\"",
    );
    let network = network(&plan, &[]);
    let channels = dupack_sim::channels::Channels::new(&network);
    let of = |name: &str| {
        let at = network
            .links
            .iter()
            .position(|it| it.name == name)
            .expect("a link");
        channels.guaranteed[at]
            .iter()
            .map(|(vc, rate)| (vc.0, rate.0))
            .collect::<Vec<_>>()
    };
    // Packets have the number of their way, there and behind the cells.
    assert_eq!(of("core-0"), [(0, 300_000)]);
    assert_eq!(of("core-1"), [(2, 300_000)]);
    assert_eq!(
        of("line").iter().map(|it| it.1).collect::<Vec<_>>(),
        [300_000; 2]
    );
}

#[test]
fn no_capture_is_made_of_cells_within_paths_of_packets() {
    let network = network(&text(EPD), &[]);
    let refused = dupack_lab::trace::End::find(&network, "line", None).expect_err("cells");
    assert!(
        refused.contains("carries cells within paths of packets"),
        "{refused}"
    );
    assert!(dupack_lab::trace::End::find(&network, "lan-0", None).is_ok());
}
