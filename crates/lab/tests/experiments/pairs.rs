//! `pairs` of a flow: permutations drawn from the seed, and all-to-all.

use crate::common::{job, mistakes, network};
use dupack_lab::run::run;
use dupack_sim::spec::Network;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A fat tree of 16 hosts, and a flow with these ends.
fn tree(ends: &str) -> String {
    format!(
        r#"
duration = "20 ms"
[topology]
kind = "fat-tree"
k = 4
carries = "packets"
access = {{ rate = "1 Gb/s", delay = "10 us" }}
[[flow]]
name = "bulk"
{ends}
traffic = {{ kind = "file", size = "10 segments" }}
transport = {{ kind = "reno", tick = "1 ms" }}
"#
    )
}

const PERMUTED: &str = "from = \"host\"\nto = \"host\"\npairs = \"permutation\"";

/// The pairs of sender and receiver that this seed draws; each way leads from the one to the other.
fn drawn(network: &Network, seed: u64) -> Vec<(usize, usize)> {
    let routed = network.routed(seed);
    let ends = |way: &[usize]| {
        let first = &network.links[way[0]].from;
        let last = &network.links[way[way.len() - 1]].to;
        (first.to_string(), last.to_string())
    };
    for flow in &routed.flows {
        let (from, to) = ends(&flow.forward);
        assert_eq!(ends(&flow.back), (to.clone(), from.clone()));
        // The hosts of a fat tree are the first nodes, in the order of their numbers.
        assert_eq!(
            (from, to),
            (
                format!("host-{}", flow.ends.0),
                format!("host-{}", flow.ends.1)
            )
        );
    }
    routed.flows.iter().map(|flow| flow.ends).collect()
}

//= raiciu-2011 type=test
#[test]
fn of_a_permutation_each_host_sends_once_and_receives_once_and_not_from_itself() {
    for sets in [&[][..], &["routing=ecmp"]] {
        let network = network(&tree(PERMUTED), sets);
        let mut orders = BTreeSet::new();
        for seed in 0..500 {
            let pairs = drawn(&network, seed);
            assert_eq!(pairs, drawn(&network, seed));
            let senders: Vec<usize> = pairs.iter().map(|it| it.0).collect();
            assert_eq!(senders, (0..16).collect::<Vec<_>>());
            let receivers: BTreeSet<usize> = pairs.iter().map(|it| it.1).collect();
            assert_eq!(receivers.len(), 16, "{pairs:?}");
            assert!(pairs.iter().all(|(from, to)| from != to), "{pairs:?}");
            orders.insert(pairs);
        }
        // There are 7 x 10^12 orders, so 500 draws are all different.
        assert_eq!(orders.len(), 500);
    }
}

/// Four hosts can be permuted in nine ways.
#[test]
fn every_permutation_is_as_likely() {
    let text = tree(&PERMUTED.replace("\"host\"", "\"few\"")).replace(
        "[[flow]]",
        "[[host]]\nname = \"few\"\ncount = 4\n[[link]]\nname = \"own\"\nfrom = \"few\"\nto = \"edge-0\"\ncarries = \"packets\"\nrate = \"1 Gb/s\"\ndelay = \"10 us\"\n[[flow]]",
    );
    let network = network(&text, &[]);
    let mut found: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
    let draws = 9000;
    for seed in 0..draws {
        *found.entry(network.permutations[0].draw(seed)).or_default() += 1.0;
    }
    assert_eq!(found.len(), 9);
    let mean = draws as f64 / 9.0;
    let off = |n: &f64| (n - mean).powi(2) / mean;
    let chi2: f64 = found.values().map(off).sum();
    // Chi-squared with 8 degrees of freedom exceeds 26.1 once in a thousand times.
    assert!(chi2 < 26.1, "{chi2}: {found:?}");
}

/// The stream is the flow's own: what else the plan has moves nothing.
#[test]
fn another_flow_shifts_no_draw() {
    let text = tree(PERMUTED);
    let (head, tail) = text.split_once("[[flow]]").expect("a flow");
    let second = tail.replace("bulk", "more");
    let both = format!("{head}[[flow]]{second}[[flow]]{tail}");
    let (one, two) = (network(&text, &[]), network(&both, &[]));
    for seed in 1..20 {
        let (of_one, of_two) = (drawn(&one, seed), drawn(&two, seed));
        assert_eq!(of_one, of_two[16..]);
        assert_ne!(of_two[..16], of_two[16..]);
    }
}

#[test]
fn hosts_at_two_sides_are_permuted_too_and_some_may_be_at_both() {
    let two = network(
        &tree("from = \"host-1*\"\nto = \"host-*\"\npairs = \"all-to-all\""),
        &[],
    );
    // The star matches host-1 and host-10 to host-15; each of them sends to the other fifteen hosts.
    assert_eq!(two.flows.len(), 7 * 15);
    let text = r#"
duration = "1 s"
[topology]
kind = "dumbbell"
senders = 5
carries = "packets"
access = { rate = "10 Mb/s", delay = "1 ms" }
bottleneck = { rate = "10 Mb/s", delay = "1 ms" }
[[flow]]
name = "it"
from = "source"
to = "sink"
pairs = "permutation"
"#;
    let network = network(text, &[]);
    let it = &network.permutations[0];
    let mut fixed = 0;
    for seed in 0..400 {
        let mut to = it.draw(seed);
        fixed += usize::from(to[0] == it.targets[0]);
        to.sort_unstable();
        assert_eq!(to, it.targets);
    }
    // The first sender may draw the first receiver: one draw in five does, 80 on average with a standard deviation of 8.
    assert!((48..=112).contains(&fixed), "{fixed}");
}

#[test]
fn all_to_all_is_every_host_to_every_other() {
    let network = network(
        &tree("from = \"host\"\nto = \"host\"\npairs = \"all-to-all\""),
        &[],
    );
    let pairs: BTreeSet<_> = drawn(&network, 1).into_iter().collect();
    assert_eq!((network.flows.len(), pairs.len()), (240, 240));
    assert!(pairs.iter().all(|(from, to)| from != to));
    assert_eq!(network.flows[239].name, "bulk-239");
    assert_eq!(drawn(&network, 1), drawn(&network, 2));
}

/// What a run's links carry: each host's sends one file and receives one.
#[test]
fn a_run_has_the_pairs_of_its_seed() {
    let network = network(&tree(PERMUTED), &["routing=ecmp"]);
    for seed in [1, 2] {
        let job = job(Arc::clone(&network), seed, false);
        let report = run(&job, &AtomicBool::new(false)).unwrap().document.report;
        assert!(report.flows.iter().all(|it| it.segments_delivered == 10));
        let access: Vec<_> = report
            .links
            .iter()
            .filter(|it| it.name.starts_with("access"))
            .collect();
        assert_eq!(access.len(), 32);
        for link in access {
            // Ten segments pass in one direction, and acks of ten others.
            assert_eq!(link.sent, 20, "{}", link.name);
        }
    }
}

#[test]
fn what_cannot_be_paired_is_told() {
    let which = "write a group of hosts, one host, or names with a star such as \"host-*\"";
    for (ends, want) in [
        (
            "from = \"host\"\nto = \"host\"\npairs = \"permutaton\"",
            "flow.bulk.pairs: \"permutaton\" is unknown; did you mean \"permutation\"?".to_string(),
        ),
        (
            "from = \"host-3\"\nto = \"host-3\"\npairs = \"permutation\"",
            "flow.bulk.to: a single host at both ends; write at least two".into(),
        ),
        (
            "from = \"host-1*\"\nto = \"host\"\npairs = \"permutation\"",
            "flow.bulk.to: 16 hosts, and `from` has 7; write as many, since each receives from one in a permutation".into(),
        ),
        (
            "from = \"edge-*\"\nto = \"host\"\npairs = \"all-to-all\"",
            format!("flow.bulk.from: \"edge-0\" is not a host; {which}"),
        ),
        (
            "from = \"host\"\nto = \"hots-*\"\npairs = \"all-to-all\"",
            format!("flow.bulk.to: \"hots-*\" is not the name of a host; {which}"),
        ),
        (
            "from = \"host\"\nto = \"host\"\npairs = \"all-to-all\"\narrivals = { kind = \"poisson\", every = \"1 ms\" }",
            "flow.bulk.pairs: with `arrivals` each connection draws its two hosts; leave one of the two out".into(),
        ),
        (
            "from = \"host\"\nto = \"host\"\npairs = \"permutation\"\nmpr = \"1 Mb/s\"",
            "flow.bulk.mpr: a shared VC or a guarantee belongs to one path, and `pairs = \"permutation\"` draws a path for every seed; write other pairs".into(),
        ),
    ] {
        let told = mistakes(&tree(ends), &[]);
        assert_eq!(told[0], want, "{told:#?}");
    }
    let many =
        tree("from = \"host\"\nto = \"host\"\npairs = \"all-to-all\"").replace("k = 4", "k = 18");
    let told = mistakes(&many, &[]);
    assert_eq!(
        told,
        [
            "flow.bulk.to: 1458 hosts, each of which receives from 1458: more than 2000000 flows; write fewer hosts, or `pairs = \"permutation\"`"
        ]
    );
}
