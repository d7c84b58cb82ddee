//! Virtual channels that several flows share, between edges that reassemble packets.
//= chan-wang-chen-2002 §4.3, Fig. 12 type=test

use crate::common;
use dupack_sim::channels::Channels;
use dupack_sim::report::Report;
use dupack_sim::spec::Network;
use std::sync::Arc;

/// Two hosts behind an edge, one backbone, two hosts behind another.
const PLAN: &str = r#"
duration = "5 s"
host = [{ name = "source", count = 2 }, { name = "sink", count = 2 }]
edge = [{ name = "in" }, { name = "out" }]
switch = [{ name = "s" }]
vc = [{ name = "both", mpr = "4 Mb/s" }]
link = [
    { name = "access", from = "source", to = "in", carries = "cells", rate = "50 Mb/s", delay = "1 ms" },
    { name = "up", from = "in", to = "s", carries = "cells", rate = "50 Mb/s", delay = "1 ms" },
    { name = "backbone", from = "s", to = "out", carries = "cells", rate = "10 Mb/s", delay = "1 ms", queue = QUEUE },
    { name = "leaf", from = "out", to = "sink", carries = "cells", rate = "50 Mb/s", delay = "1 ms" },
]
flow = [{ name = "f", from = "source", to = "sink", transport = { kind = "reno" }, traffic = { kind = "greedy" } VC }]
"#;

fn text(queue: &str, vc: &str) -> String {
    PLAN.replace("QUEUE", queue).replace("VC", vc)
}

fn network(queue: &str, vc: &str) -> Arc<Network> {
    common::network(&text(queue, vc), &[])
}

fn run(queue: &str, vc: &str) -> Report {
    common::report(&text(queue, vc), &[])
}

const LARGE: &str = r#"{ kind = "ppd", buffer = "100000 cells" }"#;
const SMALL: &str = r#"{ kind = "plain", buffer = "60 cells" }"#;

#[test]
fn an_edge_ends_a_channel_and_begins_another() {
    // The VCs along flow 0, there and back: one of its own, another between the edges, then one of its own again.
    let at = |vc| {
        let channels = Channels::new(&network(LARGE, vc));
        let ids: Vec<u32> = channels.at.iter().map(|vc| vc.0).collect();
        (ids, channels.count)
    };
    let own = [[0, 4, 4, 5], [1, 6, 6, 7], [2, 8, 8, 9], [3, 10, 10, 11]];
    assert_eq!(at(""), (own.concat(), 12));
    let shared = [[0, 4, 4, 5], [1, 6, 6, 7], [2, 4, 4, 8], [3, 6, 6, 9]];
    assert_eq!(at(r#", vc = "both""#), (shared.concat(), 10));
}

#[test]
fn a_channel_is_guaranteed_its_rate_on_every_link_that_it_passes() {
    let guaranteed = |vc| {
        let network = network(LARGE, vc);
        let channels = Channels::new(&network);
        let backbone = network.links.iter().position(|l| l.name == "backbone");
        let passing = &channels.guaranteed[backbone.expect("the link")];
        passing
            .iter()
            .map(|(vc, rate)| (vc.0, rate.0))
            .collect::<Vec<_>>()
    };
    assert_eq!(guaranteed(r#", vc = "both""#), [(4, 4_000_000)]);
    assert_eq!(
        guaranteed(r#", mpr = "3 Mb/s""#),
        [(4, 3_000_000), (8, 3_000_000)]
    );
    assert_eq!(guaranteed(""), [(4, 0), (8, 0)]);
}

#[test]
fn flows_on_one_channel_both_get_through() {
    for vc in ["", r#", vc = "both""#] {
        let report = run(LARGE, vc);
        // Two windows of 64 KiB exceed the BDP at any round-trip time here, so the line is full.
        assert!(
            report.summary.goodput_fraction > 0.95,
            "{:?}",
            report.summary
        );
        assert!(report.flows.iter().all(|flow| flow.goodput_bps > 3e6));
        assert!(report.links.iter().all(|link| link.dead_units == 0));
    }
}

#[test]
fn cells_of_damaged_packets_end_at_the_edge() {
    for vc in ["", r#", vc = "both""#] {
        let report = run(SMALL, vc);
        let link = |name: &str| {
            report
                .links
                .iter()
                .find(|l| l.name == name)
                .expect("a link")
        };
        assert!(link("backbone").dropped["overflow"] > 0);
        assert!(link("backbone").dead_units > 0);
        for (from, to) in [("access-0", "leaf-0"), ("access-1", "leaf-1")] {
            // The links before the edge carry cells in vain; the link behind it gets whole packets only.
            assert!(link(from).dead_units > 0 && link(to).dead_units == 0);
        }
        assert!(
            report
                .flows
                .iter()
                .all(|flow| flow.segments_delivered > 100)
        );
    }
}
