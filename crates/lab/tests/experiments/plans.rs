//! Valid plans, and the networks that they make.

use crate::common;
use dupack_core::loss;
use dupack_core::measure::{Bytes, MeanPackets, Rate, Share};
use dupack_core::queue::{self, Grain};
use dupack_core::time::{Duration, SECOND};
use dupack_core::traffic::Offer;
use dupack_lab::plan::Point;
use dupack_sim::spec::{FarEnd, Network};

const BALANCED: &str = include_str!("../plans/balanced-discard.toml");
const SCRIPTED: &str = include_str!("../plans/scripted-loss.toml");
const RANDOM: &str = include_str!("../plans/random-loss.toml");

/// A host, a switch, a host; what a test needs is added.
const SMALL: &str = r#"
duration = "10 s"
host = [{ name = "a" }, { name = "b" }]
switch = [{ name = "s" }]
link = [
    { name = "in", from = "a", to = "s", carries = "packets", rate = "10 Mb/s", delay = "1 ms" },
    { name = "out", from = "s", to = "b", carries = "packets", rate = "1 Mb/s", delay = "2 ms" },
]
flow = [{ name = "f", from = "a", to = "b" }]
"#;

/// Room of a buffer, of the disciplines that these plans have.
fn room(queue: &queue::QueueParams) -> u64 {
    match queue {
        queue::QueueParams::Bpd(it) => it.buffer.count(),
        queue::QueueParams::Ppd(it) => it.buffer.count(),
        queue::QueueParams::Plain(it) => it.buffer.count(),
        queue::QueueParams::DropTail(it) => it.buffer.count(),
        other => panic!("{other:?}"),
    }
}

fn network(text: &str, sets: &[&str]) -> Network {
    let plan = common::plan(text, sets);
    assert_eq!(plan.points.len(), 1);
    (*plan.points[0].network).clone()
}

/// Its links as `name:from>to`.
fn links(network: &Network) -> Vec<String> {
    let link = |l: &dupack_sim::spec::Link| format!("{}:{}>{}", l.name, l.from, l.to);
    network.links.iter().map(link).collect()
}

#[test]
fn balanced_discard_is_five_senders_at_one_switch() {
    let plan = common::plan(BALANCED, &[]);
    assert_eq!(plan.title, "Balanced packet discard, topology B");
    assert_eq!(plan.seeds, [1]);
    let network = &plan.points[0].network;
    assert_eq!(network.grain, Grain::Cells);
    assert_eq!(network.trailer, Bytes(8));
    assert_eq!(network.duration, Duration::secs(60));
    assert_eq!(network.warm_up, Duration::ZERO);
    assert_eq!(network.sample, None);
    assert_eq!(network.links.len(), 12);
    assert_eq!(
        links(network)[..4],
        [
            "access-0:source-0>gray",
            "access-0.back:gray>source-0",
            "access-1:source-1>gray",
            "access-1.back:gray>source-1"
        ]
    );
    let bottleneck = &network.links[10];
    assert_eq!(bottleneck.name, "bottleneck");
    assert_eq!(bottleneck.rate, Rate(75_000_000));
    let queue = bottleneck.queue.as_ref().expect("a queue");
    assert_eq!((queue.name(), room(queue)), ("bpd", 1200));
    assert_eq!(bottleneck.far_end, FarEnd::Host);
    assert_eq!(network.links[11].far_end, FarEnd::Switch);
    assert!(network.links[11].queue.is_none());
    assert_eq!(network.flows.len(), 5);
    let flow = &network.flows[3];
    assert_eq!(flow.name, "bulk-3");
    assert_eq!(flow.start, (Duration::ZERO, Duration::millis(100)));
    assert_eq!(flow.transport.pair.name(), "reno");
    assert_eq!(flow.transport.common.min_rto, Some(Duration::millis(200)));
    assert_eq!(
        (&flow.forward[..], &flow.back[..]),
        (&[6, 10][..], &[11, 7][..])
    );
}

#[test]
fn scripted_loss_names_its_flow() {
    let network = network(SCRIPTED, &[]);
    assert_eq!(network.grain, Grain::Packets);
    let loss = network.links[2].loss.as_ref().expect("a script");
    let loss::LossParams::Script(script) = &loss.params else {
        panic!("{loss:?}");
    };
    assert_eq!(
        (&loss.watched[..], &script.segments),
        (&[0][..], &Some([40, 43].into()))
    );
}

#[test]
fn random_loss_is_both_ways_each_with_its_own_stream() {
    let network = network(RANDOM, &[]);
    assert_eq!(network.links.len(), 2);
    for (link, path) in network
        .links
        .iter()
        .zip(["link.path.loss", "link.path.back_loss"])
    {
        let loss = link.loss.as_ref().expect("losses");
        let (rate, mean_burst) = (Share(0.01), MeanPackets(1.0));
        let burst = loss::burst::BurstParams { rate, mean_burst };
        assert_eq!(loss.params, loss::LossParams::Burst(burst));
        assert_eq!((&loss.path[..], &loss.watched[..]), (path, &[][..]));
    }
}

#[test]
fn members_of_a_group_lose_on_their_own() {
    let loss = r#"link.access.back_loss={ kind = "bernoulli", rate = 0.1 }"#;
    let links = network(BALANCED, &[loss]).links;
    let paths = links
        .iter()
        .filter_map(|l| Some(&l.loss.as_ref()?.path[..]));
    let want = [0, 1, 2, 3, 4].map(|i| format!("link.access-{i}.back_loss"));
    assert_eq!(paths.collect::<Vec<_>>(), want);
    assert!(links[0].loss.is_none() && links[1].loss.is_some());
}

#[test]
fn each_direction_of_each_member_has_its_own_disorder() {
    let sets = [
        r#"link.in.back_reorder={ rate = 0.1, delay = "2 ms" }"#,
        r#"link.out.reorder={ rate = 0.2, delay = "3 ms" }"#,
    ];
    let links = network(SMALL, &sets).links;
    let told = |at: usize| {
        let it = links[at].reorder.as_ref()?;
        Some((&it.path[..], it.params.rate.0, it.params.delay))
    };
    assert_eq!([told(0), told(3)], [None, None]);
    assert_eq!(
        told(1),
        Some(("link.in.back_reorder", 0.1, Duration::millis(2)))
    );
    assert_eq!(
        told(2),
        Some(("link.out.reorder", 0.2, Duration::millis(3)))
    );
}

#[test]
fn what_is_not_said_is_the_default() {
    let plan = common::plan(SMALL, &[]);
    assert_eq!(plan.title, "test");
    assert_eq!(plan.seeds, [1]);
    let flow = &plan.points[0].network.flows[0];
    assert_eq!(flow.transport.pair.name(), "reno");
    assert_eq!(
        flow.transport.common,
        dupack_core::transport::Common::default()
    );
    assert_eq!(flow.traffic.mean_size(Bytes(1)), None);
    assert_eq!(flow.start, (Duration::ZERO, Duration::ZERO));
    let back = &plan.points[0].network.links[1];
    assert_eq!(
        (back.rate, back.delay),
        (Rate(10_000_000), Duration::millis(1))
    );
}

#[test]
fn the_way_back_may_be_its_own() {
    let network = network(
        SMALL,
        &[
            "link.in.back_rate=1 kb/s",
            "link.in.back_delay=7 ms",
            r#"link.in.back_queue={ kind = "drop-tail", buffer = "3 packets" }"#,
        ],
    );
    let back = &network.links[1];
    assert_eq!((back.rate, back.delay), (Rate(1000), Duration::millis(7)));
    assert_eq!(back.queue.as_ref().map(room), Some(3));
    assert_eq!(network.links[0].rate, Rate(10_000_000));
    assert!(network.links[0].queue.is_none());
}

#[test]
fn groups_pair_member_by_member_or_with_a_single_node() {
    let text = r#"
        duration = "1 s"
        host = [{ name = "a", count = 2 }, { name = "b", count = 2 }]
        switch = [{ name = "s" }, { name = "t" }]
        flow = [
            { name = "f", from = "a", to = "b" },
            { name = "g", from = "b-1", to = "a-0" },
            { name = "h", from = "a-0", to = "b" },
        ]
        link = [
            { name = "l", from = "a", to = "s", carries = "packets", rate = "1 Mb/s", delay = "0 s" },
            { name = "m", from = "s", to = "t", carries = "packets", rate = "1 Mb/s", delay = "0 s" },
            { name = "r", from = "t", to = "b", carries = "packets", rate = "1 Mb/s", delay = "0 s" },
            { name = "d", from = "a", to = "b", carries = "packets", rate = "1 Mb/s", delay = "0 s" },
        ]"#;
    let network = network(text, &[]);
    assert_eq!(
        links(&network).iter().step_by(2).collect::<Vec<_>>(),
        [
            "l-0:a-0>s",
            "l-1:a-1>s",
            "m:s>t",
            "r-0:t>b-0",
            "r-1:t>b-1",
            "d-0:a-0>b-0",
            "d-1:a-1>b-1"
        ]
    );
    let flows: Vec<_> = network
        .flows
        .iter()
        .map(|f| (&f.name[..], &f.forward[..]))
        .collect();
    assert_eq!(
        flows,
        [
            ("f-0", &[10][..]), // the direct link is the shortest
            ("f-1", &[12]),
            ("g", &[9, 5, 1]), // hosts do not forward, so the way is not over a-1 or b-0
            ("h-0", &[10]),
            ("h-1", &[0, 4, 8]),
        ]
    );
}

/// A count of one is still a group: its members' names do not depend on how many there are.
#[test]
fn a_group_of_one_keeps_its_names() {
    let one = network(BALANCED, &["host.source.count=1"]);
    assert_eq!(links(&one)[0], "access-0:source-0>gray");
    assert_eq!(one.flows.len(), 1);
    assert_eq!(one.flows[0].name, "bulk-0");
}

#[test]
fn overrides_take_toml_or_plain_text() {
    let network = network(
        BALANCED,
        &[
            "duration = 2 s",
            "warm_up=\"1 s\"",
            "aal5.trailer=0 B",
            "link.bottleneck.queue.lower=0.25",
            "flow.bulk.transport.kind=sack",
            "flow.bulk.transport.pipe=rfc6675",
            "flow.bulk.transport.careful=true",
            "sample=10 ms",
            r#"link.access.loss={ kind = "script", flow = "bulk-1", segments = [1, 2] }"#,
        ],
    );
    assert_eq!(network.duration, Duration::secs(2));
    assert_eq!(network.warm_up, Duration::secs(1));
    assert_eq!(network.trailer, Bytes(0));
    assert_eq!(network.sample, Some(Duration(SECOND / 100)));
    assert_eq!(network.flows[0].transport.pair.name(), "sack");
    assert!(network.flows[0].transport.common.careful);
    assert!(network.links[0].loss.is_some());
    let queue = format!("{:?}", network.links[10].queue);
    assert!(queue.contains("lower: Share(0.25)"), "{queue}");
}

#[test]
fn a_star_sets_everything_of_that_name_at_once() {
    let rates = |network: &Network| {
        network
            .links
            .iter()
            .map(|l| l.rate.bps())
            .collect::<Vec<_>>()
    };
    let set = network(SMALL, &["link.*.rate=3 Mb/s"]);
    assert_eq!(rates(&set), [3_000_000.0; 4]);

    // The same holds for axes, whichever the sweep names first; an override can fix them.
    let sweep =
        "[sweep]\n\"link.in.rate\" = [\"4 Mb/s\"]\n\"link.*.rate\" = [\"2 Mb/s\", \"3 Mb/s\"]\n";
    let swept = common::plan(&format!("{SMALL}{sweep}"), &[]);
    let points: Vec<_> = swept.points.iter().map(|p| rates(&p.network)).collect();
    assert_eq!(points.len(), 2);
    for (point, megabits) in points.iter().zip([2.0, 3.0]) {
        let slow = 1e6 * megabits;
        assert_eq!(*point, [4_000_000.0, 4_000_000.0, slow, slow]);
    }
    let held = common::plan(&format!("{SMALL}{sweep}"), &["link.out.rate=9 Mb/s"]);
    for point in &held.points {
        assert_eq!(rates(&point.network)[2], 9_000_000.0);
    }
    let held = common::plan(&format!("{SMALL}{sweep}"), &["link.*.rate=9 Mb/s"]);
    assert_eq!(held.points.len(), 1);
    assert_eq!(rates(&held.points[0].network), [9_000_000.0; 4]);

    // A star may also stand for keys: here losses in both directions.
    let both = network(
        RANDOM,
        &[
            "link.path.*loss.mean_burst=5 packets",
            "link.path.b*_loss.rate=0.2",
        ],
    );
    let losses = |n: usize| {
        let loss = both.links[n].loss.as_ref();
        format!("{:?}", loss.expect("it loses").params)
    };
    assert_eq!(losses(0).replace("0.01", "0.2"), losses(1));
    assert!(
        losses(0).contains('5') && losses(0) != losses(1),
        "{}",
        losses(0)
    );
}

#[test]
fn an_override_may_change_a_default_that_the_plan_does_not_write() {
    let network = network(
        SMALL,
        &["flow.f.transport.mss=1000 B", "flow.f.start=1 s..2 s"],
    );
    assert_eq!(network.flows[0].transport.common.mss, Bytes(1000));
    assert_eq!(network.flows[0].transport.pair.name(), "reno");
    assert_eq!(
        network.flows[0].start,
        (Duration::secs(1), Duration::secs(2))
    );
}

#[test]
fn no_limit_can_be_said() {
    let set = [
        "flow.f.transport.max_cwnd=unlimited",
        "flow.f.transport.min_rto=two ticks",
    ];
    let network = network(SMALL, &set);
    assert_eq!(network.flows[0].transport.common.max_cwnd, None);
    assert_eq!(network.flows[0].transport.common.min_rto, None);
}

/// The settings of every point, as texts.
fn settings(points: &[Point]) -> Vec<String> {
    let one = |(path, value): &(String, toml::Value)| format!("{path}={value}");
    let point = |p: &Point| p.settings.iter().map(one).collect::<Vec<_>>().join(" ");
    points.iter().map(point).collect()
}

#[test]
fn a_sweep_is_a_grid_with_the_last_axis_fastest() {
    let text = SMALL.to_string()
        + r#"
        [sweep]
        seeds = "1..3"
        "flow.f.transport.kind" = ["reno", "sack"]
        link.out.rate = ["1 Mb/s", "2 Mb/s"]
        "#;
    let plan = common::plan(&text, &[]);
    assert_eq!(plan.seeds, [1, 2, 3]);
    assert_eq!(plan.axes, ["flow.f.transport.kind", "link.out.rate"]);
    assert_eq!(
        settings(&plan.points),
        [
            r#"flow.f.transport.kind="reno" link.out.rate="1 Mb/s""#,
            r#"flow.f.transport.kind="reno" link.out.rate="2 Mb/s""#,
            r#"flow.f.transport.kind="sack" link.out.rate="1 Mb/s""#,
            r#"flow.f.transport.kind="sack" link.out.rate="2 Mb/s""#,
        ]
    );
    let last = &plan.points[3].network;
    assert_eq!(last.flows[0].transport.pair.name(), "sack");
    assert_eq!(last.links[2].rate, Rate(2_000_000));
}

#[test]
fn several_grids_are_a_union_and_whole_tables_are_values() {
    let text = BALANCED.to_string()
        + r#"
        [[sweep]]
        seeds = [4, 2]
        "link.bottleneck.queue" = [{ kind = "plain", buffer = "10 cells" }, { kind = "ppd", buffer = "20 cells" }]
        [[sweep]]
        "link.bottleneck.queue.gap" = ["5 packets"]
        "host.source.count" = "1..2"
        "#;
    let plan = common::plan(&text, &[]);
    assert_eq!(plan.seeds, [4, 2]);
    assert_eq!(plan.points.len(), 4);
    let queue = |i: usize| {
        let links = &plan.points[i].network.links;
        links[links.len() - 2]
            .queue
            .as_ref()
            .map(|q| (q.name(), room(q)))
    };
    assert_eq!(queue(0), Some(("plain", 10)));
    assert_eq!(queue(1), Some(("ppd", 20)));
    assert_eq!(queue(2), Some(("bpd", 1200)));
    assert_eq!(plan.points[2].network.flows.len(), 1);
    assert_eq!(plan.points[3].network.flows.len(), 2);
}

/// Figures share points: what two grids have in common is run once.
#[test]
fn grids_may_meet_and_seeds_stand_alone() {
    let text = BALANCED.to_string()
        + r#"
        [[sweep]]
        seeds = [7, 8]
        [[sweep]]
        "link.bottleneck.queue.gap" = ["5 packets", "10 packets"]
        [[sweep]]
        "link.bottleneck.queue.gap" = ["10 packets", "15 packets"]
        "#;
    let plan = common::plan(&text, &[]);
    assert_eq!(plan.seeds, [7, 8]);
    assert_eq!(
        settings(&plan.points),
        ["5", "10", "15"].map(|n| format!("link.bottleneck.queue.gap=\"{n} packets\""))
    );
}

/// A table that an axis replaces is replaced before another axis sets a value in it, whichever is written first.
#[test]
fn a_table_and_a_value_in_it_can_both_be_swept() {
    let text = BALANCED.to_string()
        + r#"
        [sweep]
        "link.bottleneck.queue.buffer" = ["30 cells"]
        "link.bottleneck.queue" = [{ kind = "plain", buffer = "10 cells" }, { kind = "ppd", buffer = "20 cells" }]
        "#;
    for point in common::plan(&text, &[]).points {
        assert_eq!(point.network.links[10].queue.as_ref().map(room), Some(30));
    }
}

#[test]
fn what_is_set_by_hand_holds_in_every_point() {
    let text = BALANCED.to_string()
        + r#"
        [sweep]
        seeds = "1..20"
        "link.bottleneck.queue.gap" = ["5 packets", "10 packets"]
        "link.bottleneck.queue" = [{ kind = "plain", buffer = "10 cells" }, { kind = "ppd", buffer = "20 cells" }]
        "#;
    let plan = common::plan(
        &text,
        &[
            "seed=7",
            "link.bottleneck.queue.gap=3 packets",
            "link.bottleneck.queue={ kind = \"plain\", buffer = \"9 cells\" }",
        ],
    );
    assert_eq!(plan.seeds, [7]);
    assert_eq!(plan.points.len(), 1);
    assert_eq!(
        plan.points[0].network.links[10].queue.as_ref().map(room),
        Some(9)
    );

    let text = text.replace(
        "gap\" = [\"5 packets\", \"10 packets\"]",
        "buffer\" = [\"7 cells\"]",
    );
    let plan = common::plan(
        &text,
        &["link.bottleneck.queue.buffer=8 cells", "sweep.seeds=1..2"],
    );
    assert_eq!(plan.seeds, [1, 2]);
    for point in plan.points {
        assert_eq!(point.network.links[10].queue.as_ref().map(room), Some(8));
    }
}

#[test]
fn the_sweep_itself_can_be_overridden() {
    let plan = common::plan(
        SMALL,
        &[
            "sweep.link.out.rate=[\"1 Mb/s\", \"3 Mb/s\"]",
            "sweep.seeds=5..6",
        ],
    );
    assert_eq!(plan.seeds, [5, 6]);
    assert_eq!(plan.points.len(), 2);
    assert_eq!(plan.points[1].network.links[2].rate, Rate(3_000_000));
}

/// Equal experiments have equal keys, whatever units and defaults are written out; others have others.
#[test]
fn keys_say_what_is_simulated() {
    let key = |sets: &[&str]| common::plan(SMALL, sets).points[0].key.clone();
    let plain = key(&[]);
    for same in [
        "title=Another",
        "seed=9",
        "link.in.delay=1000 us",
        "flow.f.transport.mss=536 B",
        "link.in.back_rate=10 Mb/s",
        "flow.f.start=0 s..0 s",
        "aal5.trailer=0 B", // packets have no trailer
        "sweep.seeds=1..3",
    ] {
        assert_eq!(key(&[same]), plain, "{same}");
    }
    for other in [
        "duration=11 s",
        "warm_up=1 s",
        "sample=1 s",
        "link.in.delay=1001 us",
        "link.in.back_rate=11 Mb/s",
        "host.a.count=1",
        "flow.f.transport.mss=537 B",
        "flow.f.start=0 s..1 s",
    ] {
        assert_ne!(key(&[other]), plain, "{other}");
    }
    let swept = common::plan(SMALL, &["sweep.link.in.delay=[\"1 ms\", \"2 ms\"]"]);
    assert_eq!(swept.points[0].key, plain);
    assert_eq!(swept.points[1].key, key(&["link.in.delay=2 ms"]));
}
