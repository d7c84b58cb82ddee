//! Any plan that a generator can make is refused with the path of what is wrong, or runs with all laws kept; and where nothing more is
//! lost every transfer completes.

mod make;

use dupack_core::queue::Grain;
use dupack_lab::plan::{Plan, PlanErrors};
use dupack_lab::run::{Document, Job, Outcome, run};
use dupack_sim::percentiles::Percentiles;
use dupack_sim::report::{Flow, Link, Report};
use dupack_sim::spec::Network;
use dupack_sim::{Failure, measure, measure_in_parts};
use make::{ORIGIN, Wants, is_patient, plan};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const ANY: Wants = Wants {
    completes: false,
    mixed: false,
};
const LOSSLESS: Wants = Wants {
    completes: true,
    mixed: false,
};
/// The points of a sweep that are run.
const RUN: usize = 4;

fn plans(wants: Wants) -> impl Strategy<Value = String> {
    prop::collection::vec(any::<u16>(), 0..160).prop_map(move |numbers| plan(&numbers, wants))
}

fn read(text: &str) -> Result<Plan, PlanErrors> {
    Plan::parse(text.as_bytes(), ORIGIN, &[])
}

/// What holds of the points of a plan, and of how often each is run.
fn points_keep_their_laws(plan: &Plan) {
    assert!(!plan.points.is_empty() && !plan.seeds.is_empty());
    for point in &plan.points {
        let on_an_axis = |path: &String| plan.axes.contains(path);
        assert!(point.settings.iter().all(|(path, _)| on_an_axis(path)));
    }
    if let Some(stop) = &plan.stop {
        assert!(
            stop.relative_ci > 0.0 && stop.relative_ci < 1.0 && stop.min >= 2,
            "{stop:?}"
        );
        assert!(
            stop.min <= stop.max && plan.seeds.len() as u64 <= stop.max,
            "{stop:?}"
        );
    }
}

/// A refusal has the path of something that the plan has, or lacks.
fn refused_well(errors: &PlanErrors) {
    assert!(!errors.errors.is_empty());
    for error in &errors.errors {
        let section = error.path.split(['.', '[']).next().unwrap_or_default();
        let known = [
            "duration", "warm_up", "sample", "routing", "host", "switch", "edge", "link", "flow",
            "topology", "vc", "aal5", "batches", "stop", "sweep",
        ];
        assert!(known.contains(&section), "{error}");
        assert!(!error.message.contains("bug"), "{error}");
    }
}

/// Of all runs.
const SEED: u64 = 7;

/// What came of it; nothing if MSER-5 found no beginning to leave out, which the run then says.
fn ran(network: &Arc<Network>, tape: bool) -> Option<Outcome> {
    let job = Job {
        network: network.clone(),
        seed: SEED,
        threads: 1,
        tape,
        connections: false,
    };
    match run(&job, &AtomicBool::new(false)) {
        Err(Failure::NeverSteady) if network.mser => None,
        outcome => Some(outcome.expect("every ledger balances")),
    }
}

/// What holds of a link whose units come to its far end up to `copies` times.
fn link_keeps_its_laws(link: &Link, copies: u64) {
    let dropped: u64 = link.dropped.values().sum();
    let out = link.sent + dropped + link.waiting + link.in_service;
    assert_eq!(link.offered + link.minted, out, "{link:?}");
    assert!(
        link.trimmed <= link.offered
            && link.dead_units <= link.sent * copies
            && link.marked <= link.offered + link.minted,
        "{link:?}"
    );
    let since = &link.measured;
    assert!(
        since.offered <= link.offered
            && since.minted <= link.minted
            && since.sent <= link.sent
            && since.dropped.values().sum::<u64>() <= dropped,
        "{link:?}"
    );
    // What waited when the warm-up ended is sent or dropped after it.
    let after = since.sent + since.dropped.values().sum::<u64>() + link.waiting + link.in_service;
    assert!(since.offered + since.minted <= after, "{link:?}");
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

/// What holds of a tape: time passes, what is delivered had been sent, and is delivered once (in order, unless by datagrams, of which
/// `ordered` is false), and what is sent again had been sent. Datagrams may be delivered again where lines send `twice`. The segments
/// that were delivered, by flow.
fn tape_keeps_its_laws(
    tape: &str,
    duration: f64,
    ordered: impl Fn(&str) -> bool,
    twice: bool,
) -> HashMap<&str, u64> {
    let mut last = 0.0;
    let mut sent: HashSet<(&str, &str)> = HashSet::new();
    let mut arrived: HashSet<(&str, &str)> = HashSet::new();
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
                // A datagram that a line sends twice is delivered twice: no receiver knows it again.
                let first = arrived.insert((flow, segment));
                assert!(
                    first || (twice && !ordered(flow)),
                    "delivered twice: {line}"
                );
                let count = delivered.entry(flow).or_default();
                assert!(
                    !ordered(flow) || segment == count.to_string(),
                    "out of order, {count} were delivered: {line}"
                );
                *count += 1;
            }
            _ => {}
        }
    }
    delivered
}

/// The times that light takes for a flow: there, and there and back \[s\].
fn light(network: &Network, flow: usize) -> (f64, f64) {
    let of = |route: &[usize]| -> f64 {
        route
            .iter()
            .map(|at| network.links[*at].least_delay().seconds())
            .sum()
    };
    let flow = &network.flows[flow];
    (of(&flow.forward), of(&flow.forward) + of(&flow.back))
}

/// What holds of percentiles, which are there if the plan asks for them and something was measured.
fn percentiles_keep_their_laws(found: Option<&Percentiles>, asked: bool) {
    assert!(asked || found.is_none());
    let Some(it) = found else { return };
    let rising = [0.0, it.p50, it.p90, it.p95, it.p99, it.p99_9, it.max];
    assert!(rising.is_sorted(), "{it:?}");
    // Percentiles have three significant digits.
    assert!((0.0..=it.max * 1.002).contains(&it.mean), "{it:?}");
}

/// The laws of batches: as many as asked for, of equal length, within the time that is measured.
fn batches_keep_their_laws(document: &Document, asked: Option<u64>) {
    assert_eq!(document.batches.as_ref().map(|it| it.count as u64), asked);
    let Some(batches) = &document.batches else {
        return;
    };
    let measured = document.duration_s - document.warm_up_s;
    // The ends of a batch are rounded to whole picoseconds.
    let tolerance = 1e-9 + 1e-12 / batches.length_s;
    let same = |a: f64, b: f64| (a - b).abs() <= tolerance * a.abs().max(b.abs());
    assert!(
        same(batches.length_s * batches.count as f64, measured),
        "{batches:?} of {measured}"
    );
    let summary = &document.report.summary;
    let sum = |values: &Option<Vec<f64>>| {
        let values = values.as_ref().expect("any run has them");
        assert_eq!(values.len(), batches.count);
        values.iter().sum::<f64>()
    };
    assert!(
        same(sum(&batches.values.timeouts), summary.timeouts as f64),
        "{batches:?}"
    );
    let mean = sum(&batches.values.goodput_bps) / batches.count as f64;
    assert!(
        same(mean, summary.goodput_bps),
        "{batches:?}: {mean} of {summary:?}"
    );
}

/// The timeouts that it had.
fn keeps_its_laws(network: &Arc<Network>) -> u64 {
    let (taped, plain) = (ran(network, true), ran(network, false));
    let (Some(taped), Some(plain)) = (&taped, &plain) else {
        assert!(taped.is_none() && plain.is_none());
        return 0;
    };
    let report = &taped.document.report;
    assert!((0.0..=taped.document.duration_s).contains(&taped.document.warm_up_s));
    batches_keep_their_laws(&taped.document, network.batches);
    for link in &report.links {
        percentiles_keep_their_laws(link.queue_delay_s.as_ref(), network.percentiles);
    }
    for flow in &report.flows {
        percentiles_keep_their_laws(flow.rtt_s.as_ref(), network.percentiles);
    }
    // Each copy of a packet that a line sends twice may be lost on its own, and is dead on all links that carried the packet.
    let twice = (network.links.iter()).filter(|link| link.duplicate.is_some());
    let copies = 1 << twice.count().min(32);
    (report.links.iter()).for_each(|link| link_keeps_its_laws(link, copies));
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
    // Connections that come and go share the name of their flow, and each counts from 0, so the tape cannot be checked by flow.
    if network.flows.iter().all(|flow| flow.arrivals.is_none()) {
        let tape = taped.tape.as_deref().unwrap_or_default();
        let of = |name: &str| network.flows.iter().find(|flow| flow.name == name);
        let ordered = |name: &str| of(name).expect(name).transport.pair.acknowledged();
        let delivered = tape_keeps_its_laws(tape, duration, ordered, copies > 1);
        for flow in report
            .flows
            .iter()
            .filter(|_| taped.document.warm_up_s == 0.0)
        {
            let on_tape = delivered.get(flow.name.as_str()).copied();
            assert_eq!(on_tape.unwrap_or(0), flow.segments_delivered, "{flow:?}");
        }
    }
    // The run with a tape and the run without one, which deals with some packets ahead of time, give the same document.
    let same = |outcome: &Outcome| {
        let mut document = outcome.document.clone();
        document.cpu_s = 0.0;
        serde_json::to_string(&document).expect("a document")
    };
    assert_eq!(same(taped), same(plain));
    report.summary.timeouts
}

/// Of the plans that were made, those that were right.
fn share(right: &AtomicUsize, all: &AtomicUsize) -> f64 {
    right.load(Ordering::Relaxed) as f64 / all.load(Ordering::Relaxed) as f64
}

/// The configuration for `cases` plans.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        max_shrink_iters: 20_000,
        // Some plans take seconds.
        max_shrink_time: 60_000,
        ..ProptestConfig::default()
    }
}

#[test]
fn any_plan_is_refused_with_a_path_or_runs_with_all_laws_kept() {
    let (all, right) = (AtomicUsize::new(0), AtomicUsize::new(0));
    // The number of runs with a retransmission timeout.
    let timed_out = AtomicUsize::new(0);
    proptest!(config(1_500), |(text in plans(ANY))| {
        all.fetch_add(1, Ordering::Relaxed);
        match read(&text) {
            Err(errors) => refused_well(&errors),
            Ok(plan) => {
                right.fetch_add(1, Ordering::Relaxed);
                points_keep_their_laws(&plan);
                for point in plan.points.iter().take(RUN) {
                    let timeouts = keeps_its_laws(&point.network);
                    timed_out.fetch_add(usize::from(timeouts > 0), Ordering::Relaxed);
                }
            }
        }
    });
    // A generator that made almost only invalid plans would prove little.
    assert!(share(&right, &all) > 0.2, "{}", share(&right, &all));
    println!("{all:?} plans, {right:?} right, {timed_out:?} runs with timeouts");
    // The same holds for runs that end before any timeout.
    assert!(timed_out.into_inner() >= 5);
}

/// The report, as it is written.
fn written(report: &Report) -> String {
    serde_json::to_string(report).expect("a report is written")
}

#[test]
fn a_divided_run_is_the_same() {
    let (all, divided) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let halt = AtomicBool::new(false);
    proptest!(config(6_000), |(text in plans(ANY), parts in 2usize..5)| {
        let Ok(plan) = read(&text) else { return Ok(()) };
        for point in plan.points.iter().take(2) {
            all.fetch_add(1, Ordering::Relaxed);
            let network = &point.network;
            let found = measure_in_parts(network, SEED, parts, &halt).transpose();
            let Some(found) = found else { continue };
            divided.fetch_add(1, Ordering::Relaxed);
            let found = found.map(|report| written(&report));
            let whole = measure(network, SEED, &halt).map(|report| written(&report));
            prop_assert_eq!(found, whole, "in {} parts:\n{}", parts, text);
        }
    });
    println!("{all:?} runs, {divided:?} of them divided");
    assert!(divided.into_inner() >= 500);
}

#[test]
fn packets_that_are_cells_on_their_way_keep_all_laws() {
    let (all, right) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let dropped = AtomicUsize::new(0);
    let mixed = Wants { mixed: true, ..ANY };
    proptest!(config(1_000), |(text in plans(mixed))| {
        all.fetch_add(1, Ordering::Relaxed);
        match read(&text) {
            Err(errors) => refused_well(&errors),
            Ok(plan) => {
                right.fetch_add(1, Ordering::Relaxed);
                let network = &plan.points[0].network;
                assert!(network.is_mixed());
                keeps_its_laws(network);
                let report = ran(network, false).map(|it| it.document.report);
                let mut cells = report.iter().flat_map(|it| &it.links).filter(|it| it.carries == "cells");
                let drops = cells.any(|it| it.dropped.values().sum::<u64>() > 0);
                dropped.fetch_add(usize::from(drops), Ordering::Relaxed);
            }
        }
    });
    assert!(share(&right, &all) > 0.2, "{}", share(&right, &all));
    println!("{all:?} plans, {right:?} right, {dropped:?} that drop cells");
    assert!(dropped.into_inner() >= 10);
}

#[test]
// A third of 2 ms is no whole number of picoseconds, so the batches differ in length: the mean of their rates is not the rate of the whole.
fn batches_that_divide_no_picosecond_keep_their_laws() {
    let text = r#"
        duration = "5 ms"
        warm_up = "3 ms"
        batches = 3
        host = [{ name = "a" }, { name = "b" }]
        link = [{ name = "line", from = "a", to = "b", carries = "packets", rate = "2 Mb/s", delay = "1 ms" }]
        [[flow]]
        name = "flow"
        from = "a"
        to = "b"
        traffic = { kind = "cbr", rate = "1 Mb/s" }
        transport = { kind = "tahoe" }
    "#;
    keeps_its_laws(&read(text).expect("a right plan").points[0].network);
}

#[test]
fn disciplines_that_drop_where_there_is_room_are_found() {
    let patient = |text: &str| {
        let queue = format!("{{ {text}, buffer = \"90000 packets\" }}");
        make::overload(Grain::Packets, &queue, "{ kind = \"greedy\" }").expect("a right plan");
        is_patient(Grain::Packets, &queue)
    };
    assert!(patient("kind = \"drop-tail\"") && patient("kind = \"trim\", headers = \"9 packets\""));
    // RED's default thresholds grow with the buffer, but this one is fixed.
    assert!(!patient("kind = \"red\", max_th = \"30 packets\""));
    assert!(!patient("kind = \"codel\""));
}

#[test]
fn once_nothing_more_is_lost_every_transfer_completes() {
    all_complete(1_500, LOSSLESS);
}

#[test]
fn so_it_does_if_packets_are_cells_on_their_way() {
    let mixed = Wants {
        mixed: true,
        ..LOSSLESS
    };
    all_complete(300, mixed);
}

fn all_complete(cases: u32, wants: Wants) {
    let (all, right) = (AtomicUsize::new(0), AtomicUsize::new(0));
    proptest!(config(cases), |(text in plans(wants))| {
        all.fetch_add(1, Ordering::Relaxed);
        if let Ok(plan) = read(&text) {
            right.fetch_add(1, Ordering::Relaxed);
            let network = &plan.points[0].network;
            let report = ran(network, false).expect("no MSER-5").document.report;
            for (flow, spec) in report.flows.iter().zip(&network.flows) {
                prop_assert!(flow.completed_s.is_some(), "{flow:?}\n{text}");
                if spec.transport.pair.acknowledged() {
                    prop_assert_eq!(flow.messages, 1, "{:?}\n{}", flow, text);
                }
            }
        }
    });
    assert!(share(&right, &all) > 0.2, "{}", share(&right, &all));
    println!("{all:?} plans, {right:?} right");
}
