//! Runs in parts: wherever they are divided, they give what a run at one go gives.

use crate::common;
use dupack_core::time::{Duration, Instant};
use dupack_lab::plan::Plan;
use dupack_lab::run::{Document, Job, run};
use dupack_sim::Session;
use dupack_sim::probe::{self, Deed, Event, Tape};
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Plans whose networks differ in kind: cells, packets, variable lines, connections that come and go, ABR.
fn plans() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["python/dupack/starters", "papers/lai-lin-hung-1999"];
    let mut found = Vec::new();
    for folder in folders.map(|folder| root.join(folder)) {
        for entry in std::fs::read_dir(folder).expect("a folder of the repository") {
            let path = entry.expect("an entry").path();
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let name = path.to_string_lossy().into_owned();
            if name.ends_with(".toml") && text.contains("\nduration") {
                found.push((name, text));
            }
        }
    }
    found.sort();
    assert!(found.len() >= 8, "{found:?}");
    found
}

fn job(name: &str, text: &str, seed: u64) -> Job {
    let sets = [
        "duration=\"600 ms\"",
        "warm_up=\"100 ms\"",
        "percentiles=true",
    ];
    let plan = Plan::parse(text.as_bytes(), name, &sets.map(Into::into));
    let plan = plan.unwrap_or_else(|errors| panic!("{errors}"));
    common::job(Arc::clone(&plan.points[0].network), seed, true)
}

fn text(mut document: Document) -> String {
    document.cpu_s = 0.0;
    serde_json::to_string(&document).expect("a document is JSON")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn runs_in_parts_give_the_same(
        at in prop::collection::vec(0..600_000_000_000_u64, 1..12),
        seed in 1..1000_u64,
        which in any::<prop::sample::Index>(),
    ) {
        let halt = AtomicBool::new(false);
        let plans = plans();
        let (name, plan) = which.get(&plans);
            let job = job(name, plan, seed);
            let whole = run(&job, &halt).expect("a right run");
            let network = Session::<Tape>::prepare(&job.network, seed, &halt).expect("a network");
            let mut session = Session::new(&network, seed, Tape::default());
            let (mut times, mut rows) = (at.clone(), Vec::new());
            times.sort_unstable();
            for at in times.into_iter().map(Duration).map(|at| Instant::ZERO + at) {
                session.advance(at, &halt).expect("a right run");
                rows.append(&mut session.probe().take_reel().rows);
                prop_assert_eq!(session.links(at).len(), network.links.len());
            }
            let (report, mut tape) = session.finish(&halt).expect("a right run");
            rows.append(&mut tape.take_reel().rows);
            rows.sort_by_key(|row| row.at);
            let names: Vec<_> = network.flows.iter().map(|flow| flow.name.clone()).collect();
            let document = Document::new(&network, seed, report, 0.0);
            prop_assert_eq!(text(document), text(whole.document), "{}", name);
            prop_assert_eq!(probe::csv(&rows, &names), whole.tape.unwrap_or_default(), "{}", name);
    }
}

#[test]
fn incidents_are_the_drops_of_the_tape_with_their_place() {
    let halt = AtomicBool::new(false);
    for (name, plan) in plans() {
        let job = job(&name, &plan, 1);
        let network = Session::<Tape>::prepare(&job.network, 1, &halt).expect("a network");
        let session = Session::new(&network, 1, Tape::default());
        let (report, tape) = session.finish(&halt).expect("a right run");
        let reel = tape.reel();
        let drops = reel.rows.iter().filter(|row| row.event == Event::Drop);
        let mut drops: Vec<_> = drops.map(|row| (row.at, row.flow, row.segment)).collect();
        for incident in &reel.incidents {
            let dropped: u64 = report.links[incident.link].dropped.values().sum();
            assert!(
                dropped > 0 || !matches!(incident.deed, Deed::Dropped(_)),
                "{name}: {incident:?}"
            );
            if let probe::Carried::Data { segment, .. } = incident.carried
                && incident.deed != Deed::Marked
            {
                let this = (incident.at, incident.flow, segment);
                let place = drops.iter().position(|drop| *drop == this);
                drops.remove(place.unwrap_or_else(|| panic!("{name}: {incident:?}")));
            }
        }
        assert!(drops.is_empty(), "{name}: {drops:?}");
    }
}
