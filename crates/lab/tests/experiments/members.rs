//! Members of groups of links and flows have values of their own, by their paths, in every topology.

use crate::common::{mistakes, network, plan};
use dupack_lab::plan::Plan;
use dupack_sim::spec::{Link, Network};

const BOTTLENECK: &str = "bottleneck = { rate = \"10 Mb/s\", delay = \"1 ms\" }";

fn shaped(topology: &str, from: &str, to: &str) -> String {
    let queue = "{ kind = \"drop-tail\", buffer = \"50 packets\" }";
    format!(
        "duration = \"20 ms\"\n[topology]\n{topology}\ncarries = \"packets\"\n\
         access = {{ rate = \"1 Gb/s\", delay = \"10 us\", queue = {queue} }}\n\
         [[flow]]\nname = \"bulk\"\nfrom = \"{from}\"\nto = \"{to}\"\n"
    )
}

fn dumbbell() -> String {
    shaped(
        &format!("kind = \"dumbbell\"\nsenders = 3\n{BOTTLENECK}"),
        "source",
        "sink",
    )
}

/// Names of links whose delay differs between two networks.
fn changed(one: &Network, other: &Network) -> Vec<String> {
    let both = one.links.iter().zip(&other.links);
    let differ = both.filter(|(a, b)| a.delay != b.delay);
    differ.map(|(_, b)| b.name.clone()).collect()
}

#[test]
fn every_link_of_every_topology_can_be_overridden_by_its_path() {
    let shapes = [
        (
            format!("kind = \"dumbbell\"\nsenders = 3\n{BOTTLENECK}"),
            "source",
            "sink",
        ),
        (
            format!("kind = \"dumbbell\"\nsenders = 3\nreceivers = 1\n{BOTTLENECK}"),
            "source",
            "sink",
        ),
        (
            format!("kind = \"parking-lot\"\nhops = 2\nsenders = 2\ncross = 2\n{BOTTLENECK}"),
            "source",
            "sink",
        ),
        ("kind = \"star\"\nhosts = 4".into(), "host-0", "host-3"),
        ("kind = \"incast\"\nsenders = 4".into(), "source", "sink"),
        (
            "kind = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts = 2".into(),
            "host-0",
            "host-3",
        ),
        ("kind = \"fat-tree\"\nk = 2".into(), "host-0", "host-1"),
    ];
    for (topology, from, to) in shapes {
        let text = shaped(&topology, from, to);
        let plain = network(&text, &[]);
        for link in plain.links.iter().step_by(2) {
            let name = &link.name;
            let set = format!("link.{name}.delay=4321 us");
            let other = network(&text, &[&set]);
            assert_eq!(
                changed(&plain, &other),
                [name.clone(), format!("{name}.back")],
                "{topology}"
            );
            // By a sweep, too.
            let swept = format!("{text}[sweep]\n\"link.{name}.delay\" = [\"4321 us\"]\n");
            assert_eq!(
                changed(&network(&swept, &[]), &other),
                [""; 0],
                "{topology} {name}"
            );
        }
        for flow in &plain.flows {
            let name = &flow.name;
            let other = network(&text, &[&format!("flow.{name}.transport.kind=sack")]);
            let kinds = other
                .flows
                .iter()
                .map(|it| (&it.name, it.transport.pair.name()));
            for (it, kind) in kinds {
                assert_eq!(kind == "sack", it == name, "{topology} {it}");
            }
        }
    }
}

/// Longest processing times of the hosts of a network, by the links that leave them \[us\].
fn overheads(network: &Network) -> Vec<(String, Option<u64>)> {
    use dupack_core::jitter::JitterParams;
    let late = |link: &Link| match &link.jitter.as_ref()?.params {
        JitterParams::Uniform(it) => Some(it.max_delay.0 / 1_000_000),
        other => panic!("{other:?}"),
    };
    let links = network
        .links
        .iter()
        .filter(|it| it.name.starts_with("access"));
    links.map(|it| (it.name.clone(), late(it))).collect()
}

#[test]
fn a_host_of_a_group_can_be_set_alone() {
    let told = |sets: &[&str]| {
        let found = overheads(&network(&dumbbell(), sets));
        let there = found
            .into_iter()
            .filter(|(name, _)| !name.ends_with(".back"));
        there.map(|(_, late)| late).collect::<Vec<_>>()
    };
    assert_eq!(told(&[]), [None, None, None]);
    assert_eq!(
        told(&["host.source-1.overhead=5 us"]),
        [None, Some(5), None]
    );
    let sets = [
        "host.source-1.overhead=none",
        "host.source.overhead=7 us",
        "host.source-2.overhead=9 us",
    ];
    assert_eq!(told(&sets), [Some(7), None, Some(9)]);
    // Experiments that differ in it differ in their canonical texts, and others do not.
    let key = |sets: &[&str]| plan(&dumbbell(), sets).points[0].key.clone();
    let keys = [key(&sets), key(&sets[1..]), key(&sets[..2]), key(&[])];
    for (at, one) in keys.iter().enumerate() {
        assert!(keys[at + 1..].iter().all(|other| one != other), "{at}");
    }
    assert_eq!(
        key(&["host.source.overhead=7 us", "host.source-1.overhead=7 us"]),
        key(&["host.source.overhead=7 us"])
    );
    for (set, error) in [
        (
            "host.source-3.overhead=5 us",
            "host.source-3: there is no host \"source-3\"; \"source\" has \"source-0\" to \"source-2\"",
        ),
        (
            "host.source-1.count=2",
            "host.source-1.count: it is the same for all of host.source; write host.source.count",
        ),
        (
            "host.source-1.overhaed=5 us",
            "host.source-1.overhaed: unknown key; did you mean \"overhead\"?",
        ),
    ] {
        let sets = [set.to_string()];
        let errors = Plan::parse(dumbbell().as_bytes(), "x", &sets).expect_err(set);
        let told: Vec<String> = errors.errors.iter().map(ToString::to_string).collect();
        assert_eq!(told, [error], "{set}");
    }
}

#[test]
fn links_with_numbers_are_meant_by_their_name_without() {
    let text = shaped(
        "kind = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts = 2",
        "host-0",
        "host-3",
    );
    let plain = network(&text, &[]);
    let of = |stem: &str| {
        let names = plain.links.iter().map(|it| it.name.clone());
        names.filter(|it| it.starts_with(stem)).collect::<Vec<_>>()
    };
    for stem in ["access", "fabric"] {
        let other = network(&text, &[&format!("link.{stem}.delay=4 ms")]);
        assert_eq!(changed(&plain, &other), of(stem), "{stem}");
    }
    let sets = ["link.entry.delay=4 ms".to_string()];
    assert!(Plan::parse(text.as_bytes(), "x", &sets).is_err());
}

#[test]
fn what_is_set_of_a_group_holds_for_the_rest_in_any_order() {
    let buffers = |sets: &[&str]| -> Vec<String> {
        let network = network(&dumbbell(), sets);
        let ways = network
            .links
            .iter()
            .filter(|it| it.name.starts_with("access-") && !it.name.ends_with(".back"));
        ways.map(|it| format!("{:?} {:?}", it.rate.0, it.queue))
            .collect()
    };
    let sets = [
        "link.access-1.queue.buffer=7 packets",
        "link.access.queue=red",
        "link.access.rate=2 Mb/s",
        "link.access-2.rate=3 Mb/s",
        "link.access-*.queue.max_p=0.5",
    ];
    let found = buffers(&sets);
    let back: Vec<_> = sets.iter().rev().copied().collect();
    assert_eq!(found, buffers(&back));
    for (at, (rate, room)) in [(2, 50), (2, 7), (3, 50)].into_iter().enumerate() {
        let told = &found[at];
        assert!(told.starts_with(&format!("{rate}000000 ")), "{told}");
        assert!(
            told.contains("Red(") && told.contains(&format!("Packets({room})")),
            "{told}"
        );
        assert!(told.contains("max_p: Share(0.5)"), "{told}");
    }
    // An axis of the group does not replace a member's own value.
    let swept = dumbbell() + "[sweep]\n\"link.access.queue\" = [\"red\", \"drop-tail\"]\n";
    let plan = plan(&swept, &["link.access-1.queue.buffer=7 packets"]);
    for point in &plan.points {
        let link = point.network.links.iter().find(|it| it.name == "access-1");
        let queue = format!("{:?}", link.and_then(|it| it.queue.clone()));
        assert!(queue.contains("Packets(7)"), "{queue}");
    }
}

#[test]
fn the_same_values_are_the_same_experiment() {
    let key = |sets: &[&str]| plan(&dumbbell(), sets).points[0].key.clone();
    let plain = key(&[]);
    assert_eq!(
        key(&[
            "link.access-1.delay=10 us",
            "flow.bulk-2.transport.kind=reno"
        ]),
        plain
    );
    assert_ne!(key(&["link.access-1.delay=11 us"]), plain);
    assert_ne!(
        key(&["link.access-1.delay=11 us"]),
        key(&["link.access-2.delay=11 us"])
    );
    assert_ne!(key(&["flow.bulk-2.transport.kind=sack"]), plain);
}

#[test]
fn groups_of_the_plan_itself_have_members_too() {
    let text = r#"
duration = "1 s"
host = [{ name = "a", count = 3 }, { name = "b" }]
link = [{ name = "l", from = "a", to = "b", carries = "packets", rate = "10 Mb/s", delay = "1 ms", members = { l-2 = { delay = "9 ms", queue.kind = "drop-tail", "queue.buffer" = "3 packets" } } }]
flow = [{ name = "f", from = "a", to = "b", members = { f-0 = { start = "1 ms" }, "f-*" = { start = "2 ms", transport = { kind = "sack" } } } }]
"#;
    let found = network(
        text,
        &["flow.f-1.traffic.kind=file", "flow.f-1.traffic.size=9 kB"],
    );
    let delays: Vec<_> = found
        .links
        .iter()
        .step_by(2)
        .map(|it| it.delay.0 / 1_000_000_000)
        .collect();
    assert_eq!(delays, [1, 1, 9]);
    let starts: Vec<_> = found
        .flows
        .iter()
        .map(|it| it.start.0.0 / 1_000_000_000)
        .collect();
    assert_eq!(starts, [1, 2, 2]);
    assert!(
        found
            .flows
            .iter()
            .all(|it| it.transport.pair.name() == "sack")
    );
    let files = found
        .flows
        .iter()
        .map(|it| format!("{:?}", it.traffic).starts_with("File"));
    assert_eq!(files.collect::<Vec<_>>(), [false, true, false]);
    let queue = format!("{:?}", found.links[4].queue);
    assert!(queue.contains("Packets(3)"), "{queue}");
}

#[test]
fn wrong_members_are_refused_by_their_paths() {
    let told = |set: &str| mistakes(&dumbbell(), &[set]);
    let cases = [
        (
            "link.access-3.delay=1 ms",
            "link.access-3: there is no link \"access-3\"; \"access\" has \"access-0\" to \"access-2\"",
        ),
        (
            "link.acess-1.delay=1 ms",
            "link.acess-1.delay: there is no link \"acess-1\"; did you mean \"access-1\"?",
        ),
        (
            "link.bottleneck-0.delay=1 ms",
            "link.bottleneck-0.delay: there is no link \"bottleneck-0\"; did you mean \"bottleneck\"?",
        ),
        (
            "link.access-1.dely=1 ms",
            "link.access-1.dely: unknown key; did you mean \"delay\"?",
        ),
        (
            "link.access-1.delay=1 mss",
            "link.access-1.delay: \"1 mss\" is not a time: its unit is \"mss\"; write a time such as \"0.3 ms\" (ps, ns, us, ms, s, min, h)",
        ),
        (
            "link.access-1=1 ms",
            "link.access-1: a whole link; write the path of one of its values, such as link.access-1.KEY",
        ),
        (
            "link.access-1.to=left",
            "link.access-1.to: it is the same for all of link.access; write link.access.to",
        ),
        (
            "flow.bulk-1.pairs=in-order",
            "flow.bulk-1.pairs: it is the same for all of flow.bulk; write flow.bulk.pairs",
        ),
        (
            "flow.bulk-9.start=1 ms",
            "flow.bulk-9: there is no flow \"bulk-9\"; \"bulk\" has \"bulk-0\" to \"bulk-2\"",
        ),
        (
            "switch.left-1.count=2",
            "switch.left-1.count: there is no switch \"left-1\"; did you mean \"left\"?",
        ),
    ];
    for (set, want) in cases {
        assert_eq!(told(set), [want], "{set}");
    }
    // A mistake of the group is told once.
    let text = dumbbell().replace("1 Gb/s", "1 GB/s");
    let errors = mistakes(&text, &["link.access-1.delay=1 ms"]);
    assert_eq!(errors.len(), 1, "{errors:?}");
    let written = dumbbell().replace(
        "1 Gb/s\"",
        "1 Gb/s\", members = { access-1 = { delay = \"1 ms\" } }",
    );
    let errors = mistakes(&written, &[]);
    assert!(
        errors[0].starts_with("topology.access.members: "),
        "{errors:?}"
    );
}
