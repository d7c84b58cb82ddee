//! The record of each connection.

use super::{origin, star};
use dupack_lab::plan::Plan;
use dupack_lab::run::{Document, Job, run};
use std::sync::atomic::AtomicBool;

/// It agrees with the measures of the flow, and recording changes nothing.
#[test]
fn every_connection_is_recorded() {
    let text = star(
        r#"{ kind = "poisson", load = 0.5 }"#,
        r#"{ kind = "random-file", sizes = "web-search" }"#,
    );
    let plan = Plan::parse(text.as_bytes(), &origin("plan"), &[]).unwrap_or_else(|e| panic!("{e}"));
    let job = |tape, connections| Job {
        network: plan.points[0].network.clone(),
        seed: 3,
        threads: 1,
        tape,
        connections,
    };
    let done = |tape, connections| {
        let outcome = run(&job(tape, connections), &AtomicBool::new(false)).unwrap();
        outcome.document
    };
    let with = done(false, true);
    let without = done(false, false);
    assert!(without.connections.is_none());
    let flow = |of: &Document| serde_json::to_string(&of.report.flows).unwrap();
    assert_eq!(flow(&with), flow(&without));
    assert_eq!(done(true, true).connections, with.connections);

    let each = &with.connections.as_ref().expect("a record")["web"];
    let it = with.report.flows[0]
        .connections
        .as_ref()
        .expect("connections");
    let measured = |at: &usize| each.measured[*at];
    let rows = 0..each.start_s.len();
    assert_eq!(rows.clone().filter(measured).count() as u64, it.begun);
    let took: Vec<f64> = rows
        .clone()
        .filter(measured)
        .filter_map(|at| each.completion_s[at])
        .collect();
    assert_eq!(took.len() as u64, it.completed);
    let mean = took.iter().sum::<f64>() / took.len() as f64;
    assert!((mean / it.completion_s.expect("some").mean - 1.0).abs() < 1e-9);
    let most = rows
        .clone()
        .filter(measured)
        .filter_map(|at| each.slowdown[at])
        .fold(0.0, f64::max);
    assert_eq!(most, it.slowdown.expect("some").max);
    let again: u64 = each.segments_retransmitted.iter().sum();
    assert!(again >= with.report.flows[0].segments_retransmitted && again > 0);
    assert!(each.start_s.is_sorted());
    for at in rows {
        let path: Vec<&str> = each.paths[each.path[at] as usize].split(' ').collect();
        assert_eq!((path.len(), path[1]), (3, "hub"));
        assert_eq!(each.completion_s[at].is_some(), each.slowdown[at].is_some());
    }
}
