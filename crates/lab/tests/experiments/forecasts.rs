//! What `dupack check` forecasts of a plan is what runs of it measure.

use crate::common;
use dupack_lab::forecast::{Forecast, forecast};
use dupack_lab::plan::Plan;
use dupack_sim::measure;
use std::sync::atomic::AtomicBool;

/// Files from one host to another, over a line of 10 Mb/s that drops nothing; `limit` of them.
fn plan(size: &str, mss: u64, duration: f64, limit: u64, more: &[&str]) -> Plan {
    let text = format!(
        r#"
duration = "{duration} s"
host = [{{ name = "a" }}, {{ name = "b" }}]
link = [{{ name = "line", from = "a", to = "b", carries = "packets", rate = "10 Mb/s", delay = "100 us" }}]
[[flow]]
name = "files"
from = "a"
to = "b"
arrivals = {{ kind = "poisson", load = 0.02, of = "line", limit = {limit} }}
traffic = {{ kind = "file", size = "{size}" }}
transport = {{ kind = "sack", mss = "{mss} B", min_rto = "1 s", max_window = "100 segments" }}
"#
    );
    common::plan(&text, more)
}

/// Forecast, and the measured bits of a file on the line there and back over those that are forecast.
fn compared(plan: &Plan) -> (Forecast, [f64; 2]) {
    let network = &plan.points[0].network;
    let told = forecast(network, &plan.points[0].key);
    let report = measure(network, 1, &AtomicBool::new(false)).expect("a run");
    let files = report.flows[0].connections.as_ref().expect("connections");
    assert!(files.completed > 20 && files.open == 0, "{files:?}");
    // Both per file: the number of files that begin is random.
    let every = told.arrivals[0].every_s.expect("a mean time");
    let ratios = [0, 1].map(|at| {
        let measured = report.links[at].utilization * told.duration_s / files.completed as f64;
        measured / (told.links[at].offered_load.expect("a load") * every)
    });
    (told, ratios)
}

#[test]
fn the_load_of_files_of_any_size_is_what_runs_measure() {
    // Size, MSS, duration and number: long enough for all to end.
    let cases = [
        ("1 B", 1448, 20.0, 1000),
        ("20 B", 1448, 20.0, 1000),
        ("100 B", 1448, 20.0, 1000),
        ("1 kB", 1448, 60.0, 1000),
        ("1449 B", 1448, 80.0, 1000),
        ("10 kB", 1448, 200.0, 300),
        ("1 MB", 1448, 4000.0, 50),
        ("100 MB", 60_000, 300_000.0, 30),
    ];
    for (size, mss, duration, limit) in cases {
        let (told, ratios) = compared(&plan(size, mss, duration, limit, &[]));
        for ratio in ratios {
            assert!((ratio - 1.0).abs() < 0.01, "{size}: {ratios:?} {told:?}");
        }
        // The longer the files, the less headers add.
        let load = told.arrivals[0].bottleneck_load.expect("a load");
        assert!(load > 0.02, "{size}: {load}");
    }
}

#[test]
fn headers_of_short_files_are_most_of_their_load() {
    // A file of 1 B makes packets of 41 B: 41 times the load of its payload. One of 20 B makes 3 times.
    let load = |size: &str| {
        let plan = plan(size, 1448, 20.0, 1000, &[]);
        let told = forecast(&plan.points[0].network, &plan.points[0].key);
        told.arrivals[0].bottleneck_load.expect("a load")
    };
    assert!((load("1 B") - 0.82).abs() < 1e-9);
    assert!((load("20 B") - 0.06).abs() < 1e-9);
    assert!((load("100 B") - 0.028).abs() < 1e-9);
}

#[test]
fn random_sizes_delayed_acks_and_packets_are_forecast_too() {
    let random = "flow.files.traffic={ kind = \"random-file\", sizes = \"web-search\" }";
    let delayed = "flow.files.transport.delayed_ack=true";
    let packets =
        "flow.files.traffic={ kind = \"cbr\", rate = \"1 Mb/s\", packets = \"20 packets\" }";
    let (told, ratios) = compared(&plan("10 kB", 1448, 200.0, 300, &[delayed]));
    assert!(
        (ratios[0] - 1.0).abs() < 0.01 && (ratios[1] - 1.0).abs() < 0.1,
        "{ratios:?} {told:?}"
    );
    // Seven segments: four acks at once, and two for the other three.
    let quick = "flow.files.transport.quick_acks=4";
    let (told, ratios) = compared(&plan("10 kB", 1448, 200.0, 300, &[delayed, quick]));
    assert!((ratios[1] - 1.0).abs() < 0.02, "{ratios:?} {told:?}");
    let (_, ratios) = compared(&plan("10 kB", 1448, 2000.0, 300, &[packets]));
    assert!((ratios[0] - 1.0).abs() < 0.01, "{ratios:?}");
    // Sizes differ by four powers of ten: the mean of 4,000 files is within a tenth of that of all.
    let (told, ratios) = compared(&plan("1 B", 1448, 1_000_000.0, 1000, &[random]));
    assert!((ratios[0] - 1.0).abs() < 0.15, "{ratios:?} {told:?}");
    assert!((ratios[1] / ratios[0] - 1.0).abs() < 0.01, "{ratios:?}");
}

#[test]
fn what_a_line_adds_to_packets_is_part_of_the_load() {
    let framing = "link.line.framing=pppoe-llcsnap";
    let back = "link.line.back_framing=ethernet";
    for (size, duration, limit) in [
        ("1 B", 60.0, 1000),
        ("100 B", 60.0, 1000),
        ("20 kB", 200.0, 300),
    ] {
        for sets in [&[framing][..], &[framing, back]] {
            let (told, ratios) = compared(&plan(size, 1448, duration, limit, sets));
            for ratio in ratios {
                assert!((ratio - 1.0).abs() < 0.01, "{size}: {ratios:?} {told:?}");
            }
        }
    }
    // 1500 B and 40 B more are 33 cells, and a segment takes as many bits of the product.
    let text = r#"
duration = "1 s"
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "line", from = "a", to = "b", carries = "packets", rate = "10 Mb/s", delay = "50 ms", framing = "pppoe-llcsnap", queue = { kind = "drop-tail", buffer = "100 packets" } }]
flow = [{ name = "bulk", from = "a", to = "b", transport = { kind = "sack", mss = "1460 B" } }]
"#;
    let plan = common::plan(text, &[]);
    let told = forecast(&plan.points[0].network, &plan.points[0].key);
    let (flow, line) = (&told.flows[0], &told.links[0]);
    let packet = 33.0 * 424.0;
    assert!(
        (flow.bdp_segments * packet / 8.0 / flow.bdp_bytes - 1.0).abs() < 1e-9,
        "{flow:?}"
    );
    assert!(
        (line.buffer_s.expect("a buffer") - 100.0 * packet / 1e7).abs() < 1e-9,
        "{line:?}"
    );
}

/// Files of 1 B in a leaf-spine.
const TINY: &str = r#"
duration = "1 s"
topology = { kind = "leaf-spine", leaves = 2, spines = 2, hosts = 4, carries = "packets", access = { rate = "1 Gb/s", delay = "10 us" } }
[[flow]]
name = "web"
from = "host-*"
to = "host-*"
arrivals = { kind = "poisson", load = 0.5 }
traffic = { kind = "file", size = "1 B" }
transport = { kind = "sack", mss = "1448 B" }
"#;

#[test]
fn more_connections_than_a_run_holds_are_refused_before_it_starts() {
    let errors = Plan::parse(TINY.as_bytes(), "test.toml", &[]).expect_err("too many");
    let told: Vec<String> = errors.errors.iter().map(ToString::to_string).collect();
    let starts = "flow.web.arrivals: they load the link \"fabric-0-0\" to ";
    assert!(told.len() == 1 && told[0].starts_with(starts), "{told:?}");
    assert!(
        told[0].ends_with("write a lower load, a longer `every`, a `limit`, or a shorter duration")
    );
    for fewer in [
        "flow.web.arrivals.load=0.005",
        "flow.web.arrivals.limit=100000",
        "duration=1 ms",
    ] {
        let sets = [fewer.to_string()];
        assert!(
            Plan::parse(TINY.as_bytes(), "test.toml", &sets).is_ok(),
            "{fewer}"
        );
    }
}
