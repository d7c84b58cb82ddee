//! `[topology]`: the nodes and links of each shape, that all of them can be named and overridden, and that ECMP uses every route.

use crate::common::{job, mistakes, network, plan};
use dupack_lab::plan::Plan;
use dupack_lab::run::run;
use dupack_sim::spec::Network;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A plan with a topology, a flow from one host to another, and lines of 1 Gb/s.
fn shaped(topology: &str, from: &str, to: &str) -> String {
    format!(
        r#"
duration = "20 ms"
[topology]
{topology}
carries = "packets"
access = {{ rate = "1 Gb/s", delay = "10 us" }}
[[flow]]
name = "it"
from = "{from}"
to = "{to}"
"#
    )
}

/// Nodes and duplex links of a network, and the links of the flow's way.
fn measure(network: &Network) -> (usize, usize, Vec<&str>) {
    let way = network.flows[0].forward.iter();
    let way = way.map(|at| network.links[*at].name.as_str()).collect();
    (network.map.hosts.len(), network.map.links.len(), way)
}

#[test]
fn every_shape_has_its_nodes_and_links() {
    /// Topology, ends of the flow, nodes, links, the flow's way.
    type Case<'a> = (&'a str, (&'a str, &'a str), usize, usize, &'a [&'a str]);
    let cases: [Case; 7] = [
        (
            "kind = \"dumbbell\"\nsenders = 3\nbottleneck = { rate = \"10 Mb/s\", delay = \"1 ms\" }",
            ("source", "sink"),
            3 + 3 + 2,
            3 + 3 + 1,
            &["access-0", "bottleneck", "exit-0"],
        ),
        (
            "kind = \"dumbbell\"\nsenders = 3\nreceivers = 1\nbottleneck = { rate = \"10 Mb/s\", delay = \"1 ms\" }",
            ("source", "sink"),
            3 + 1 + 2,
            3 + 1 + 1,
            &["access-0", "bottleneck", "exit"],
        ),
        (
            "kind = \"parking-lot\"\nhops = 3\ncross = 2\nbottleneck = { rate = \"10 Mb/s\", delay = \"1 ms\" }",
            ("source", "sink"),
            2 + 12 + 4,
            2 + 12 + 3,
            &["access-0", "hop-0", "hop-1", "hop-2", "exit-0"],
        ),
        (
            "kind = \"star\"\nhosts = 4",
            ("host-0", "host-3"),
            5,
            4,
            &["access-0", "access-3.back"],
        ),
        (
            "kind = \"incast\"\nsenders = 4",
            ("source", "sink"),
            6,
            5,
            &["access-0", "bottleneck"],
        ),
        (
            "kind = \"leaf-spine\"\nleaves = 3\nspines = 2\nhosts = 4",
            ("host-0", "host-11"),
            12 + 5,
            12 + 6,
            &[
                "access-0",
                "fabric-0-0",
                "fabric-2-0.back",
                "access-11.back",
            ],
        ),
        (
            "kind = \"fat-tree\"\nk = 4",
            ("host-0", "host-15"),
            16 + 8 + 8 + 4,
            48,
            &[
                "access-0",
                "pod-0-0",
                "core-0-0",
                "core-6-0.back",
                "pod-7-6.back",
                "access-15.back",
            ],
        ),
    ];
    for (topology, (from, to), nodes, links, way) in cases {
        let network = network(&shaped(topology, from, to), &[]);
        let found = measure(&network);
        assert_eq!(found, (nodes, links, way.to_vec()), "{topology}");
    }
}

/// Al-Fares et al.: (k/2)^2 shortest paths between any two hosts of different pods; every core switch is joined to every pod.
//= al-fares-2008 §2.2 type=test
#[test]
fn in_a_fat_tree_there_is_a_way_over_every_core_switch() {
    for k in [4usize, 6] {
        let text = shaped(
            &format!("kind = \"fat-tree\"\nk = {k}"),
            "host-0",
            &format!("host-{}", k * k * k / 4 - 1),
        );
        let network = network(&text, &["routing=ecmp"]);
        let mut ways = HashSet::new();
        let mut cores: BTreeMap<&str, u32> = BTreeMap::new();
        let seeds = 40 * (k * k / 4) as u64;
        for seed in 1..=seeds {
            let routed = network.routed(seed);
            let way = &routed.flows[0].forward;
            assert_eq!(way.len(), 6);
            let joined = way
                .windows(2)
                .all(|pair| network.links[pair[0]].to == network.links[pair[1]].from);
            assert!(joined);
            *cores.entry(&network.links[way[2]].to).or_default() += 1;
            ways.insert(way.clone());
        }
        assert_eq!((ways.len(), cores.len()), (k * k / 4, k * k / 4));
        // The expected number is 40 flows per core switch; four standard deviations of a binomial count are allowed.
        assert!(cores.values().all(|n| (14..=66).contains(n)), "{cores:?}");
    }
}

#[test]
fn a_seed_draws_the_same_ways_whatever_else_there_is() {
    let one = shaped("kind = \"fat-tree\"\nk = 4", "host-0", "host-15");
    let two = one.clone() + "[[flow]]\nname = \"another\"\nfrom = \"host-1\"\nto = \"host-14\"\n";
    let ecmp = ["routing=ecmp"];
    for seed in 1..20 {
        let way = |text: &str| network(text, &ecmp).routed(seed).flows[0].forward.clone();
        assert_eq!(way(&one), way(&two));
    }
}

#[test]
fn all_that_a_topology_makes_can_be_overridden() {
    let text = shaped(
        "kind = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts = 2",
        "host-0",
        "host-3",
    );
    let sets = [
        "link.fabric-0-1.rate=2 Mb/s",
        "link.access-*.delay=3 us",
        "topology.spines=3",
        "topology.queue={ kind = \"drop-tail\", buffer = \"7 packets\" }",
        "link.fabric-1-2.queue.buffer=9 packets",
    ];
    let network = network(&text, &sets);
    let link = |name: &str| network.links.iter().find(|it| it.name == name).expect(name);
    assert_eq!(link("fabric-0-1").rate.0, 2_000_000);
    assert_eq!(link("fabric-0-2").rate.0, 1_000_000_000);
    assert_eq!(link("access-3").delay.0, 3_000_000);
    // The ports of switches have the queue, those of hosts do not.
    let queue = |name: &str| link(name).queue.as_ref().map(|it| format!("{it:?}"));
    assert!(queue("fabric-1-2").unwrap().contains("Packets(9)"));
    for port in ["fabric-1-2.back", "fabric-1-1", "access-2.back"] {
        assert!(queue(port).unwrap().contains("Packets(7)"), "{port}");
    }
    assert_eq!(queue("access-2"), None);
}

#[test]
fn a_sweep_varies_the_topology_and_what_it_makes() {
    let text = shaped(
        "kind = \"dumbbell\"\nsenders = 2\nbottleneck = { rate = \"10 Mb/s\", delay = \"1 ms\" }",
        "source",
        "sink",
    ) + "[sweep]\n\"topology.senders\" = [1, 3]\n\"link.bottleneck.rate\" = [\"1 Mb/s\", \"2 Mb/s\"]\n";
    let plan = plan(&text, &["topology.access.delay=5 us"]);
    let found: Vec<_> = (plan.points.iter())
        .map(|point| {
            let network = &point.network;
            let bottleneck = network.links.iter().find(|it| it.name == "bottleneck");
            let rate = bottleneck.expect("a bottleneck").rate.0;
            assert_eq!(network.links[0].delay.0, 5_000_000);
            (network.flows.len(), rate)
        })
        .collect();
    assert_eq!(
        found,
        [
            (1, 1_000_000),
            (1, 2_000_000),
            (3, 1_000_000),
            (3, 2_000_000)
        ]
    );
}

#[test]
fn written_out_or_by_its_shape_it_is_the_same_experiment() {
    let shaped = shaped(
        "kind = \"incast\"\nsenders = 2\nbottleneck = { rate = \"1 Mb/s\", delay = \"1 ms\" }",
        "source",
        "sink",
    );
    let written = r#"
duration = "20 ms"
[[host]]
name = "source"
count = 2
[[host]]
name = "sink"
[[switch]]
name = "hub"
[[link]]
name = "access"
from = "source"
to = "hub"
carries = "packets"
rate = "1 Gb/s"
delay = "10 us"
[[link]]
name = "bottleneck"
from = "hub"
to = "sink"
carries = "packets"
rate = "1 Mb/s"
delay = "1 ms"
[[flow]]
name = "it"
from = "source"
to = "sink"
"#;
    assert_eq!(
        plan(&shaped, &[]).points[0].key,
        plan(written, &[]).points[0].key
    );
}

#[test]
fn mistakes_are_told_where_the_plan_makes_them() {
    let dumbbell =
        "kind = \"dumbbell\"\nsenders = 2\nbottleneck = { rate = \"10 Mb/s\", delay = \"1 ms\" }";
    let text = shaped(dumbbell, "source", "sink");
    let told = |sets: &[&str]| mistakes(&text, sets);
    let with = |from: &str, to: &str| mistakes(&text.replace(from, to), &[]);
    // The mistake is reported once, although the table makes four links.
    assert_eq!(
        with("rate = \"1 Gb/s\"", "rate = \"1 GB/s\""),
        [
            "topology.access.rate: \"1 GB/s\" is not a rate: its unit is \"GB/s\"; write a rate above zero such as \"155.52 Mb/s\" (b/s, kb/s, Mb/s, Gb/s, Tb/s, cells/s)"
        ]
    );
    assert_eq!(
        with("rate = \"1 Gb/s\"", "rat = \"1 Gb/s\"")[1],
        "topology.access.rat: unknown key; did you mean \"rate\"?"
    );
    assert_eq!(
        with(
            "carries = \"packets\"",
            "carries = \"cells\"\nqueue = { kind = \"drop-tail\", buffer = \"1 packet\" }"
        )[0],
        "topology.queue.buffer: \"1 packets\", but this link carries cells; write room in cells such as \"1200 cells\""
    );
    assert_eq!(
        with("senders = 2", "senders = 0"),
        ["topology.senders: 0; write at least 1"]
    );
    assert_eq!(
        with("senders = 2", "senders = 2000000"),
        ["topology: makes more than 4000000 nodes and links; write a smaller one"]
    );
    assert_eq!(
        with("kind = \"dumbbell\"", "kind = \"dumbell\""),
        ["topology.kind: unknown topology \"dumbell\"; did you mean \"dumbbell\"?"]
    );
    assert_eq!(
        with("bottleneck = {", "throat = {"),
        [
            "topology.bottleneck: missing; write the properties of the links from `left` to `right`, a table such as { rate = \"1 Gb/s\", delay = \"10 us\" }",
            "topology.throat: unknown key; allowed: \"kind\", \"senders\", \"receivers\", \"carries\", \"queue\", \"access\", \"bottleneck\", \"exit\""
        ]
    );
    assert_eq!(
        with("bottleneck = {", "bottleneck = { from = \"a\", "),
        ["topology.bottleneck.from: the topology sets this; leave it out"]
    );
    // A mistake in an override is reported at the override.
    assert_eq!(
        told(&["link.bottleneck.rate=fast"])[0].split(':').next(),
        Some("link.bottleneck.rate")
    );
    assert_eq!(
        told(&["link.bottlneck.rate=1 Mb/s"]),
        ["link.bottlneck.rate: there is no link \"bottlneck\"; did you mean \"bottleneck\"?"]
    );
    assert_eq!(
        told(&["topology=3"])[0].split(';').next(),
        Some("topology: 3 is a number")
    );
    assert_eq!(
        mistakes(
            &shaped("kind = \"fat-tree\"\nk = 5", "host-0", "host-1"),
            &[]
        ),
        ["topology.k: 5; write an even number from 2 on"]
    );
}

/// The Topology Zoo's format, as far as it is used: three cities, of which the file gives one link's rate and two places.
const GRAPHML: &str = r#"<?xml version="1.0" encoding="utf-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key attr.name="Longitude" attr.type="double" for="node" id="d1"/><key attr.name="Latitude" attr.type="double" for="node" id="d2"/>
<key attr.name="label" attr.type="string" for="node" id="d3"/><key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="d4"/>
<graph edgedefault="undirected">
<node id="0"><data key="d1">-74.00597</data><data key="d2">40.71427</data><data key="d3">New York</data></node>
<node id="1"><data key="d1">-87.65005</data><data key="d2">41.85003</data><data key="d3">Chicago</data></node>
<node id="2"><data key="d3">Washington DC</data></node>
<edge source="0" target="1"><data key="d4">2488320000.0</data></edge><edge source="1" target="2"/>
</graph></graphml>"#;

#[test]
fn a_graph_comes_from_a_file_beside_the_plan() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("three.graphml"), GRAPHML).unwrap();
    let origin = folder.join("plan.toml");
    let text = shaped(
        "kind = \"graphml\"\nfile = \"three.graphml\"\ntrunk = { rate = \"10 Gb/s\", delay = \"1 ms\" }",
        "host-New-York",
        "host-Washington-DC",
    );
    let parse = |text: &str| Plan::parse(text.as_bytes(), origin.to_str().unwrap(), &[]);
    let plan = parse(&text).unwrap();
    let network = &plan.points[0].network;
    let way = measure(network).2;
    assert_eq!(
        way,
        [
            "access-New-York",
            "trunk-New-York-Chicago",
            "trunk-Chicago-Washington-DC",
            "access-Washington-DC.back"
        ]
    );
    // Values of the plan have precedence over those of the file.
    let link = |name: &str| network.links.iter().find(|it| it.name == name).expect(name);
    assert_eq!(link("trunk-New-York-Chicago").rate.0, 10_000_000_000);
    let of_file = text.replace(
        "trunk = { rate = \"10 Gb/s\", delay = \"1 ms\" }",
        "trunk = { }",
    );
    let told = parse(&of_file).unwrap_err().errors;
    assert_eq!(
        told[0].to_string(),
        "topology.trunk.rate: the file does not give it for 1 of its 2 links (Chicago - Washington-DC); write fallback = { rate = \"10 Gb/s\" } for those, or trunk = { rate = \"10 Gb/s\" } for all"
    );
    assert_eq!(
        told[1].to_string(),
        "topology.trunk.delay: the file does not give it for 1 of its 2 links (Chicago - Washington-DC); write fallback = { delay = \"1 ms\" } for those, or trunk = { delay = \"1 ms\" } for all"
    );
    // The fallback applies only where the file gives no value; a table of trunks is not needed.
    let rest = text.replace("trunk = {", "fallback = {");
    let network = parse(&rest).unwrap().points[0].network.clone();
    let link = |name: &str| {
        (network.links.iter())
            .find(|it| it.name == name)
            .expect(name)
    };
    let (known, unknown) = (
        link("trunk-New-York-Chicago"),
        link("trunk-Chicago-Washington-DC"),
    );
    assert_eq!(
        (known.rate.0, unknown.rate.0),
        (2_488_320_000, 10_000_000_000)
    );
    assert!(known.delay.0 > 5_000_000_000 && unknown.delay.0 == 1_000_000_000);
    let wrong = rest.replace("delay = \"1 ms\" }\n", "dely = \"1 ms\" }\n");
    let told = parse(&wrong).unwrap_err().errors;
    assert_eq!(
        told[0].to_string(),
        "topology.fallback.dely: unknown key; did you mean \"delay\"?"
    );
    let missing = text.replace("three.graphml", "four.graphml");
    let told = parse(&missing).unwrap_err().errors[0].to_string();
    assert!(
        told.starts_with("topology.file: \"four.graphml\" cannot be read: there is no such file ("),
        "{told}"
    );
    assert!(told.ends_with("four.graphml)"), "{told}");
}

/// Conservation and order on a network with many ways: what is sent is delivered, and no flow's segments overtake each other.
#[test]
fn flows_of_a_fat_tree_run_over_their_ways() {
    let mut text = shaped(
        "kind = \"fat-tree\"\nk = 4\nqueue = { kind = \"drop-tail\", buffer = \"50 packets\" }",
        "host-0",
        "host-15",
    );
    for host in 1..8 {
        text += &format!(
            "[[flow]]\nname = \"f{host}\"\nfrom = \"host-{host}\"\nto = \"host-{}\"\ntraffic = {{ kind = \"file\", size = \"100 segments\" }}\n",
            15 - host
        );
    }
    let network = network(&text, &["routing=ecmp", "duration=1 s"]);
    let halt = AtomicBool::new(false);
    let report = |seed| {
        run(&job(Arc::clone(&network), seed, false), &halt)
            .unwrap()
            .document
            .report
    };
    let (one, two) = (report(1), report(2));
    for report in [&one, &two] {
        assert!(
            report.flows[1..]
                .iter()
                .all(|flow| flow.completed_s.is_some())
        );
    }
    // With another seed, hashing chooses other routes.
    let used = |report: &dupack_sim::report::Report| -> Vec<u64> {
        report.links.iter().map(|it| it.sent.min(1)).collect()
    };
    assert_ne!(used(&one), used(&two));
}
