//! Any plan that a generator can make is refused with the path of what is wrong, or runs with all laws kept; and where nothing more is
//! lost every transfer completes.

mod make;

use dupack_lab::plan::{Plan, PlanErrors};
use dupack_lab::run::{Job, Outcome, run};
use dupack_sim::report::{Flow, Link};
use dupack_sim::spec::Network;
use make::{ORIGIN, Wants, plan};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const ANY: Wants = Wants { completes: false };
const LOSSLESS: Wants = Wants { completes: true };

fn plans(wants: Wants) -> impl Strategy<Value = String> {
    prop::collection::vec(any::<u16>(), 0..160).prop_map(move |numbers| plan(&numbers, wants))
}

fn read(text: &str) -> Result<Arc<Network>, PlanErrors> {
    let plan = Plan::parse(text.as_bytes(), ORIGIN, &[])?;
    Ok(plan.points[0].network.clone())
}

/// A refusal has the path of something that the plan has, or lacks.
fn refused_well(errors: &PlanErrors) {
    assert!(!errors.errors.is_empty());
    for error in &errors.errors {
        let section = error.path.split(['.', '[']).next().unwrap_or_default();
        let known = [
            "duration", "warm_up", "sample", "routing", "host", "switch", "edge", "link", "flow",
            "topology",
        ];
        assert!(known.contains(&section), "{error}");
        assert!(!error.message.contains("bug"), "{error}");
    }
}

/// Of all runs.
const SEED: u64 = 7;

fn ran(network: &Arc<Network>, tape: bool) -> Outcome {
    let job = Job {
        network: network.clone(),
        seed: SEED,
        tape,
    };
    run(&job, &AtomicBool::new(false)).expect("every ledger balances")
}

fn link_keeps_its_laws(link: &Link) {
    let dropped: u64 = link.dropped.values().sum();
    let out = link.sent + dropped + link.waiting + link.in_service;
    assert_eq!(link.offered + link.minted, out, "{link:?}");
    assert!(
        link.trimmed <= link.offered && link.dead_units <= link.sent,
        "{link:?}"
    );
    assert!(
        link.waiting <= link.max_backlog && link.in_service <= 1,
        "{link:?}"
    );
    assert!((0.0..=1.0 + 1e-9).contains(&link.utilization), "{link:?}");
    assert!((-1e-9..=1.0).contains(&link.empty_fraction), "{link:?}");
    assert!(
        (0.0..=link.max_backlog as f64 * (1.0 + 1e-9)).contains(&link.mean_backlog),
        "{link:?}"
    );
    assert!(
        link.goodput_fraction >= 0.0 && link.goodput_fraction.is_finite(),
        "{link:?}"
    );
}

/// What holds of a flow; `way` and `round` are the times that light takes there, and there and back \[s\].
fn flow_keeps_its_laws(flow: &Flow, (way, round): (f64, f64), duration: f64) {
    let within = |share: f64| (0.0..=1.0).contains(&share);
    assert!(
        flow.segments_retransmitted <= flow.segments_sent,
        "{flow:?}"
    );
    assert!(
        within(flow.active_fraction) && flow.goodput_bps >= 0.0,
        "{flow:?}"
    );
    assert!(
        flow.mean_rtt_s
            .is_none_or(|rtt| rtt >= round * (1.0 - 1e-9)),
        "{flow:?}: {round}"
    );
    assert!(
        flow.mean_delay_s
            .is_none_or(|delay| delay >= way * (1.0 - 1e-9)),
        "{flow:?}: {way}"
    );
    let ended = flow.completed_s.unwrap_or(duration);
    if flow.started_s <= duration {
        assert!(flow.started_s <= ended && ended <= duration, "{flow:?}");
    }
}

/// What holds of a tape: time passes, what is delivered had been sent, and what is sent again had been sent.
fn tape_keeps_its_laws(tape: &str, duration: f64) {
    let mut last = 0.0;
    let mut sent: HashSet<(&str, &str)> = HashSet::new();
    let mut delivered: HashMap<&str, u64> = HashMap::new();
    for line in tape.lines().skip(1) {
        let mut fields = line.split(',');
        let mut next = || fields.next().unwrap_or_default();
        let (time, flow, event, segment) = (next(), next(), next(), next());
        let time: f64 = time.parse().expect(line);
        assert!(last <= time && time <= duration, "{line}");
        last = time;
        match event {
            "send" => assert!(sent.insert((flow, segment)), "twice new: {line}"),
            "retransmit" => assert!(
                sent.contains(&(flow, segment)),
                "again, before it was sent: {line}"
            ),
            "deliver" => {
                assert!(sent.contains(&(flow, segment)), "never sent: {line}");
                *delivered.entry(flow).or_default() += 1;
            }
            _ => {}
        }
    }
}

/// The times that light takes for a flow: there, and there and back \[s\].
fn light(network: &Network, flow: usize) -> (f64, f64) {
    let of = |route: &[usize]| -> f64 {
        route
            .iter()
            .map(|at| network.links[*at].delay.seconds())
            .sum()
    };
    let flow = &network.flows[flow];
    (of(&flow.forward), of(&flow.forward) + of(&flow.back))
}

fn keeps_its_laws(network: &Arc<Network>) {
    let taped = ran(network, true);
    let report = &taped.document.report;
    report.links.iter().for_each(link_keeps_its_laws);
    let duration = taped.document.duration_s;
    let routed = network.routed(SEED);
    for (at, flow) in report.flows.iter().enumerate() {
        flow_keeps_its_laws(flow, light(&routed, at), duration);
    }
    assert!(
        report
            .summary
            .jain
            .is_none_or(|it| (0.0..=1.0 + 1e-9).contains(&it))
    );
    // Connections that come and go share the name of their flow, and each counts its segments from 0.
    if network.flows.iter().all(|flow| flow.arrivals.is_none()) {
        tape_keeps_its_laws(taped.tape.as_deref().unwrap_or_default(), duration);
    }
    // The same again, and nothing hangs on being watched.
    let same = |outcome: &Outcome| {
        let mut document = outcome.document.clone();
        document.cpu_s = 0.0;
        serde_json::to_string(&document).expect("a document")
    };
    assert_eq!(same(&taped), same(&ran(network, false)));
}

/// Of the plans that were made, those that were right.
fn share(right: &AtomicUsize, all: &AtomicUsize) -> f64 {
    right.load(Ordering::Relaxed) as f64 / all.load(Ordering::Relaxed) as f64
}

/// So many plans.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    }
}

#[test]
fn any_plan_is_refused_with_a_path_or_runs_with_all_laws_kept() {
    let (all, right) = (AtomicUsize::new(0), AtomicUsize::new(0));
    proptest!(config(1_500), |(text in plans(ANY))| {
        all.fetch_add(1, Ordering::Relaxed);
        match read(&text) {
            Err(errors) => refused_well(&errors),
            Ok(network) => {
                right.fetch_add(1, Ordering::Relaxed);
                keeps_its_laws(&network);
            }
        }
    });
    // A generator of nothing but wrong plans would prove little.
    assert!(share(&right, &all) > 0.2, "{}", share(&right, &all));
}

#[test]
fn once_nothing_more_is_lost_every_transfer_completes() {
    let (all, right) = (AtomicUsize::new(0), AtomicUsize::new(0));
    proptest!(config(1_500), |(text in plans(LOSSLESS))| {
        all.fetch_add(1, Ordering::Relaxed);
        if let Ok(network) = read(&text) {
            right.fetch_add(1, Ordering::Relaxed);
            let report = ran(&network, false).document.report;
            for (flow, spec) in report.flows.iter().zip(&network.flows) {
                prop_assert!(flow.completed_s.is_some(), "{flow:?}\n{text}");
                if spec.transport.pair.acknowledged() {
                    prop_assert_eq!(flow.messages, 1, "{:?}\n{}", flow, text);
                }
            }
        }
    });
    assert!(share(&right, &all) > 0.2, "{}", share(&right, &all));
}
