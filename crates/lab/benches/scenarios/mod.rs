//! The plans that the benchmarks run.
#![allow(dead_code)] // each benchmark uses only some of these

use dupack_lab::plan::Plan;
use dupack_sim::spec::Network;
use std::sync::Arc;

/// The network of a plan without a sweep.
fn network(text: &[u8], sets: &[String]) -> Arc<Network> {
    let plan = Plan::parse(text, "the scenario", sets).unwrap_or_else(|errors| panic!("{errors}"));
    plan.points[0].network.clone()
}

/// The plans whose cost `tests/python/test_cost.py` guards.
pub mod guarded {
    use super::*;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// Their paths, in order.
    pub fn plans() -> Vec<PathBuf> {
        let folder = Path::new(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/python/cost"
        ));
        let files = fs::read_dir(folder).expect("the folder is part of the repository");
        let mut plans: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
        plans.retain(|path| path.extension().is_some_and(|it| it == "toml"));
        plans.sort();
        plans
    }

    /// The network of one of them.
    pub fn network(path: &Path) -> Arc<Network> {
        let text = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        super::network(&text, &[])
    }
}

/// Topology B of Cohen & Hamo: five Reno senders of cells.
//= cohen-hamo-2001 §3, Fig. 5
pub mod topology_b {
    use super::*;

    const PLAN: &[u8] = include_bytes!("../../tests/plans/balanced-discard.toml");

    /// The bottleneck's queue.
    pub const QUEUES: [(&str, &str); 4] = [
        ("plain", r#"{ kind = "plain", buffer = "1200 cells" }"#),
        ("ppd", r#"{ kind = "ppd", buffer = "1200 cells" }"#),
        (
            "epd",
            r#"{ kind = "epd", buffer = "1200 cells", threshold = 0.7 }"#,
        ),
        (
            "bpd",
            r#"{ kind = "bpd", buffer = "1200 cells", lower = 0.4, upper = 0.9, gap = "25 packets" }"#,
        ),
    ];

    /// With this queue at the bottleneck.
    pub fn network(queue: &str, seconds: u64) -> Arc<Network> {
        let sets = [
            format!("link.bottleneck.queue={queue}"),
            format!("duration={seconds} s"),
        ];
        super::network(PLAN, &sets)
    }
}

/// Many greedy senders of packets behind one backbone.
pub mod packets {
    use super::*;

    /// Flows, and the time that is simulated \[s\].
    pub const SIZES: [(u64, u64); 2] = [(10, 100), (1000, 4)];

    /// The senders, with what is peculiar to them, and the discipline of the backbone.
    pub const CASES: [(&str, &str, &str); 2] = [
        (
            "reno, drop-tail",
            r#"kind = "reno", initial_ssthresh = "32 segments""#,
            r#"kind = "drop-tail""#,
        ),
        (
            "packet-pair, fair-queueing",
            r#"kind = "packet-pair""#,
            r#"kind = "fair-queueing""#,
        ),
    ];

    fn plan(flows: u64, seconds: u64, transport: &str, queue: &str) -> String {
        let (rate, buffer) = (10 * flows, 33 * flows);
        let mut text = format!(
            r#"
    duration = "{seconds} s"
    [[switch]]
    name = "router"
    [[host]]
    name = "sink"
    [[link]]
    name = "backbone"
    from = "router"
    to = "sink"
    carries = "packets"
    rate = "{rate} Mb/s"
    delay = "10 ms"
    queue = {{ {queue}, buffer = "{buffer} packets" }}
    "#
        );
        for group in 0..5 {
            let (members, delay) = (flows / 5, 8 + group);
            text += &format!(
                r#"
    [[host]]
    name = "source-{group}"
    count = {members}
    [[link]]
    name = "access-{group}"
    from = "source-{group}"
    to = "router"
    carries = "packets"
    rate = "100 Mb/s"
    delay = "{delay} ms"
    [[flow]]
    name = "flow-{group}"
    from = "source-{group}"
    to = "sink"
    start = "0 s..100 ms"
    transport = {{ mss = "1460 B", header = "40 B", max_window = "200 segments", {transport} }}
    "#
            );
        }
        text
    }

    /// A network of `flows` flows that runs for `seconds` seconds.
    pub fn network(flows: u64, seconds: u64, transport: &str, queue: &str) -> Arc<Network> {
        super::network(plan(flows, seconds, transport, queue).as_bytes(), &[])
    }
}

/// Fifty NewReno senders on five VCs through two switches.
//= chan-wang-chen-2002 §4.3, Fig. 12
pub mod push_out {
    use super::*;

    pub const QUEUES: [&str; 10] = [
        r#"kind = "plain""#,
        r#"kind = "epd", threshold = 0.8"#,
        r#"kind = "epd-push-out", threshold = 0.8, max_packet = "12 cells""#,
        r#"kind = "abs-push-out", max_packet = "12 cells""#,
        r#"kind = "abs-push-out", max_packet = "12 cells", excess = "equal""#,
        r#"kind = "abs-push-out-stacks", max_packet = "12 cells""#,
        r#"kind = "longest-queue-drop""#,
        r#"kind = "dynamic-thresholds""#,
        r#"kind = "weighted-round-robin""#,
        r#"kind = "fair-queueing", overflow = "longest-queue-tail""#,
    ];

    /// Ten senders per VC behind an edge of their own; only the line between the switches is short of room.
    fn plan(queue: &str) -> String {
        let line = r#"carries = "cells", rate = "155 Mb/s""#;
        let far = format!(
            r#"[[link]]
    name = "backbone"
    from = "a"
    to = "b"
    delay = "3.3 ms"
    queue = {{ {queue}, buffer = "1000 cells" }}
    {}
    "#,
            line.replace(", ", "\n")
        );
        let group = |n: u32| {
            let mpr = 10 * (n + 1);
            format!(
                r#"
    [[vc]]
    name = "v{n}"
    mpr = "{mpr} Mb/s"
    [[host]]
    name = "s{n}"
    count = 10
    [[host]]
    name = "d{n}"
    count = 10
    [[edge]]
    name = "i{n}"
    [[edge]]
    name = "o{n}"
    [[flow]]
    name = "f{n}"
    from = "s{n}"
    to = "d{n}"
    vc = "v{n}"
    start = "0 s..100 ms"
    traffic = {{ kind = "greedy" }}
    transport = {{ kind = "newreno", mss = "512 B" }}
    "#
            ) + &[("access", "s", "i"), ("in", "i", "a"), ("out", "b", "o"), ("leaf", "o", "d")]
                .map(|(name, from, to)| {
                    let node = |node: &str| match node {
                        "a" | "b" => node.to_string(),
                        group => format!("{group}{n}"),
                    };
                    let (from, to) = (node(from), node(to));
                    format!(
                        "[[link]]\nname = \"{name}-{n}\"\nfrom = \"{from}\"\nto = \"{to}\"\ndelay = \"10 us\"\n{}\n",
                        line.replace(", ", "\n")
                    )
                })
                .concat()
        };
        let groups: String = (0..5).map(group).collect();
        format!(
            "duration = \"5 s\"\n[[switch]]\nname = \"a\"\n[[switch]]\nname = \"b\"\n{far}{groups}"
        )
    }

    /// With this queue between the switches.
    pub fn network(queue: &str) -> Arc<Network> {
        super::network(plan(queue).as_bytes(), &[])
    }
}
