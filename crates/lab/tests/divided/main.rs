//! Divided runs: the same report, byte for byte, as on one thread. Random plans are in `plan_laws`.

use dupack_lab::plan::Plan;
use dupack_sim::division::{Division, Undivided};
use dupack_sim::each::Log;
use dupack_sim::probe::Spreads;
use dupack_sim::report::Report;
use dupack_sim::spec::Network;
use dupack_sim::{Failure, measure, measure_in_parts, simulate, simulate_in_parts};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn plan(text: &str, origin: &Path, sets: &[&str]) -> Plan {
    let sets: Vec<String> = sets.iter().map(|it| (*it).to_string()).collect();
    let origin = origin.to_str().expect("a path in letters");
    Plan::parse(text.as_bytes(), origin, &sets).unwrap_or_else(|errors| panic!("{errors}"))
}

fn network(text: &str, sets: &[&str]) -> Arc<Network> {
    plan(text, &root().join("made.toml"), sets).points[0]
        .network
        .clone()
}

/// Whether the run of `network` can be divided into this many parts; if so, it must be the same.
fn is_the_same(network: &Network, parts: usize, seed: u64) -> bool {
    let halt = AtomicBool::new(false);
    let written = |report| serde_json::to_string(&report).expect("a report is written");
    let Some(report) = measure_in_parts(network, seed, parts, &halt).expect("a run") else {
        return false;
    };
    let whole = measure(network, seed, &halt).expect("a run");
    assert_eq!(
        written(report),
        written(whole),
        "in {parts} parts, seed {seed}"
    );
    true
}

/// Sixteen hosts, whose connections come and go, beside flows that stay.
const FAT_TREE: &str = r#"
duration = "90 ms"
warm_up = "20 ms"
routing = "ecmp"
percentiles = true
[topology]
kind = "fat-tree"
k = 4
carries = "packets"
queue = { kind = "drop-tail", buffer = "30 packets" }
access = { rate = "1 Gb/s", delay = "5 us" }
[[flow]]
name = "queries"
from = "host"
to = "host"
arrivals = { kind = "poisson", load = 0.4 }
traffic = { kind = "file", size = "20 kB" }
transport = { kind = "sack", mss = "1448 B", initial_window = "10 segments", delayed_ack = true, ack_delay = "1 ms", tick = "1 ms", min_rto = "5 ms" }
[[flow]]
name = "long"
from = "host"
to = "host"
pairs = "permutation"
traffic = { kind = "greedy" }
transport = { kind = "cubic", mss = "1448 B", tick = "1 ms", min_rto = "5 ms" }
"#;

#[test]
fn connections_that_come_and_go() {
    for (parts, seed) in [(2, 1), (3, 2), (4, 1), (7, 3)] {
        assert!(is_the_same(&network(FAT_TREE, &[]), parts, seed));
    }
    // The same with a record of each connection.
    let (network, halt) = (network(FAT_TREE, &[]), AtomicBool::new(false));
    let probe = || Spreads {
        log: Some(Log::default()),
    };
    let columns = |(report, kept): (Report, Spreads)| {
        let log = kept.log.expect("it was asked for");
        let columns = log.columns(&network, report.warm_up);
        serde_json::to_string(&columns).expect("columns are written")
    };
    let parts = simulate_in_parts(&network, 1, &probe(), 3, &halt).expect("a run");
    let whole = simulate(&network, 1, probe(), &halt).expect("a run");
    assert_eq!(parts.map(columns), Some(columns(whole)));
    // That is enough for slots to be used again.
    let report = measure(&network, 1, &halt).expect("a run");
    let many = report.flows[0].connections.as_ref().expect("it is many");
    assert!(many.completed > 2_000, "{many:?}");
}

#[test]
fn disciplines_that_do_not_tell_flows_apart() {
    for queue in ["red", "codel", "pie", "cobalt", "dualpi2", "trim"] {
        let set = format!("topology.queue = {{ kind = \"{queue}\", buffer = \"30 packets\" }}");
        let network = network(
            FAT_TREE,
            &["duration = \"40 ms\"", "warm_up = \"10 ms\"", &set],
        );
        assert!(is_the_same(&network, 2, 1), "{queue}");
    }
}

/// Lines of all kinds, and all that a run may record.
const DUMBBELL: &str = r#"
duration = "4 s"
warm_up = "1 s"
sample = "50 ms"
batches = 5
percentiles = true
host = [{ name = "left", count = 20 }, { name = "right", count = 20 }]
switch = [{ name = "a" }, { name = "b" }]
[[link]]
name = "in"
from = "left"
to = "a"
carries = "packets"
rate = "20 Mb/s"
delay = "2 ms"
[[link]]
name = "middle"
from = "a"
to = "b"
carries = "packets"
rate = "30 Mb/s"
delay = "10 ms"
queue = { kind = "red", buffer = "60 packets" }
[[link]]
name = "out"
from = "b"
to = "right"
carries = "packets"
rate = "20 Mb/s"
delay = "3 ms"
[[flow]]
name = "flow"
from = "left"
to = "right"
start = "0 s..100 ms"
traffic = { kind = "greedy" }
transport = { kind = "sack", mss = "1000 B", delayed_ack = true, tick = "10 ms", min_rto = "200 ms" }
"#;

#[test]
fn lines_of_all_kinds_and_all_that_is_recorded() {
    for set in [
        "duration = \"4 s\"",
        "link.middle.loss = { kind = \"bernoulli\", rate = 0.01 }",
        "link.middle.jitter = { kind = \"uniform\", max_delay = \"5 ms\" }",
        "link.middle.reorder = { rate = 0.02, delay = \"5 ms\" }",
        "link.middle.duplicate = 0.01",
        "link.middle.queue = { kind = \"fq-codel\", buffer = \"100 packets\" }",
        "link.middle.queue = { kind = \"token-bucket\", rate = \"10 Mb/s\", burst = \"20 kB\", buffer = \"60 packets\" }",
        "link.middle.queue = { kind = \"fair-queueing\", buffer = \"60 packets\" }",
        "link.middle.schedule = [{ at = \"1 s\", rate = \"5 Mb/s\" }, { at = \"2 s\", delay = \"30 ms\" }, { at = \"3 s\", up = false }, { at = \"3.2 s\", up = true }]",
        "flow.flow.transport.kind = \"linux-bbr\"",
        "flow.flow.traffic = { kind = \"real-time\", key_every = 5, size = \"3 kB\" }",
        "flow.flow.traffic = { kind = \"video\", chunk = \"0.2 s\" }",
        "flow.flow.traffic = { kind = \"request-response\", size = \"30 kB\", think = \"50 ms\" }",
        "warm_up = \"mser-5\"",
    ] {
        let network = network(DUMBBELL, &[set]);
        for parts in [2, 5] {
            assert!(is_the_same(&network, parts, 1), "{set}");
        }
    }
}

#[test]
fn every_starter() {
    let folder = root().join("python/dupack/starters");
    let mut divided = Vec::new();
    for file in std::fs::read_dir(&folder).expect("a folder") {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a plan");
        for point in plan(&text, &path, &[]).points.iter().take(2) {
            for parts in [2, 3] {
                if is_the_same(&point.network, parts, 1) {
                    divided.push(path.file_stem().expect("a name").to_owned());
                }
            }
        }
    }
    divided.sort();
    divided.dedup();
    // `home` has pages that come and go beside a call, whose two ends share more than packets.
    assert_eq!(divided, ["dumbbell", "leaf-spine", "parking-lot", "star"]);
}

#[test]
fn what_cannot_be_divided_says_why() {
    let why = |sets: &[&str]| {
        Division::any(&network(FAT_TREE, sets).drawn(1), 1, 2).expect_err("a reason")
    };
    assert_eq!(
        why(&["sample = \"1 ms\""]),
        Undivided::Key("arrivals and sample")
    );
    assert_eq!(
        why(&["batches = 3"]),
        Undivided::Key("arrivals and batches")
    );
    assert!(matches!(
        why(&["topology.queue = { kind = \"fq-codel\", buffer = \"30 packets\" }"]),
        Undivided::PerFlow(_)
    ));
    assert_eq!(
        why(&["flow.queries.arrivals = { kind = \"rounds\" }"]),
        Undivided::Key("arrivals in rounds")
    );
}

#[test]
fn a_small_network_is_not_divided_and_a_large_one_is() {
    let gain = |text: &str, sets: &[&str]| {
        Division::new(&network(text, sets).drawn(1), 1, 2).map(|it| it.parts)
    };
    let short = [
        "link.in.delay = \"20 us\"",
        "link.middle.delay = \"20 us\"",
        "link.out.delay = \"20 us\"",
    ];
    assert!(matches!(gain(DUMBBELL, &short), Err(Undivided::Slow(_))));
    assert_eq!(gain(FAT_TREE, &["topology.k = 16"]), Ok(2));
}

#[test]
fn all_threads_end_if_the_run_is_halted() {
    let halt = AtomicBool::new(false);
    let network = network(FAT_TREE, &["duration = \"1000 s\""]);
    let ended = std::thread::scope(|scope| {
        let run = scope.spawn(|| measure_in_parts(&network, 1, 2, &halt).map(|_| ()));
        std::thread::sleep(Duration::from_millis(200));
        halt.store(true, Ordering::Relaxed);
        run.join().expect("no panic")
    });
    assert_eq!(ended, Err(Failure::Halted));
}
