//! Whole runs, from plan text to measures: exact times, the ledger of every link, dead cells, tapes, determinism.

use crate::common;
use dupack_lab::run::{Host, Job, News, Outcome, run, run_all};
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;

fn jobs(text: &str, sets: &[&str], seed: u64) -> Vec<Job> {
    let points = common::plan(text, sets).points.into_iter();
    points
        .map(|it| common::job(it.network, seed, true))
        .collect()
}

fn outcome(text: &str, sets: &[&str], seed: u64) -> Outcome {
    common::outcome(text, sets, seed, true)
}

/// The document without the one value that may differ.
fn repeatable(outcome: &Outcome) -> String {
    let mut document = outcome.document.clone();
    document.cpu_s = 0.0;
    serde_json::to_string(&document).unwrap() + outcome.tape.as_deref().unwrap_or("")
}

const BALANCED: &str = include_str!("../plans/balanced-discard.toml");
const SCRIPTED: &str = include_str!("../plans/scripted-loss.toml");

/// A chain of two links, packets or cells.
const CHAIN: &str = r#"
duration = "10 s"
[[host]]
name = "a"
[[host]]
name = "b"
[[switch]]
name = "s"
[[link]]
name = "first"
from = "a"
to = "s"
carries = "cells"
rate = "53 Mb/s"
delay = "1 ms"
[[link]]
name = "second"
from = "s"
to = "b"
carries = "cells"
rate = "10.6 Mb/s"
delay = "2 ms"
[[flow]]
name = "f"
from = "a"
to = "b"
traffic = { kind = "file", size = "1 segments" }
"#;

#[test]
fn the_time_of_one_segment_is_exact() {
    // 13 cells with the trailer: a cell takes 8 us on the first link, 40 us on the second. The last cell has crossed the
    // first link at 13 x 8 us + 1 ms. The second sends a cell in 40 us, so it falls behind: its first cell arrives at
    // 1.008 ms, and it sends 13 in a row: 1.008 + 0.52 + 2 = 3.528 ms. The ack is one cell: 2.04 + 1.008 ms.
    let done = outcome(CHAIN, &[], 1).document.report.flows[0].completed_s;
    assert_eq!(done, Some(0.003528 + 0.00204 + 0.001008));
    // As packets of 576 and 40 bytes: 86.943 us + 1 ms and 434.716 us + 2 ms there, 30.188 us + 2 ms and 6.037 us + 1 ms back.
    let sets = ["link.first.carries=packets", "link.second.carries=packets"];
    let done = outcome(CHAIN, &sets, 1).document.report.flows[0]
        .completed_s
        .unwrap();
    assert!((done - 0.006_557_887).abs() < 2e-9, "{done}");
}

#[test]
fn dead_cells_are_dead_on_every_link_they_passed() {
    // The first cell of the segment is lost on the second link, so the 12 others arrive in vain, and all 13 crossed the first link in
    // vain. The retransmission arrives.
    let sets = [
        r#"link.second.loss={ kind = "script", flow = "f", segments = [0] }"#,
        r#"link.second.queue={ kind = "plain", buffer = "100 cells" }"#,
    ];
    let report = outcome(CHAIN, &sets, 1).document.report;
    let dead: Vec<_> = report
        .links
        .iter()
        .map(|l| (l.name.as_str(), l.dead_units, l.sent))
        .collect();
    assert_eq!(
        dead,
        [
            ("first", 13, 26),
            ("first.back", 0, 1),
            ("second", 12, 25),
            ("second.back", 0, 1)
        ]
    );
    assert_eq!(report.links[2].dropped.get("script"), Some(&1));
    assert_eq!(report.flows[0].timeouts, 1);
    // The same happens behind an unlimited FIFO, which books losses ahead.
    let free = outcome(CHAIN, &sets[..1], 1).document.report;
    let links = |r: &dupack_sim::report::Report| {
        r.links
            .iter()
            .map(|l| (l.dead_units, l.sent))
            .collect::<Vec<_>>()
    };
    assert_eq!(links(&free), links(&report));
}

#[test]
fn a_run_may_end_while_a_lost_unit_is_on_the_line() {
    // The segment takes 4.6 ms at 1 Mb/s. A loss counts when the segment has left the line, and the run ends before that.
    let lossy = r#"link.second.loss={ kind = "script", flow = "f", segments = [0] }"#;
    for queue in [
        "",
        r#"link.second.queue={ kind = "drop-tail", buffer = "9 packets" }"#,
    ] {
        for (duration, want) in [("2 ms", (0, 0, 1)), ("10 ms", (1, 0, 0))] {
            let duration = format!("duration={duration}");
            let mut sets = vec!["link.first.carries=packets", "link.second.carries=packets"];
            sets.extend([lossy, "link.second.rate=1 Mb/s", "sample=100 us", &duration]);
            sets.extend((!queue.is_empty()).then_some(queue));
            let link = &outcome(CHAIN, &sets, 1).document.report.links[2];
            let dropped = link.dropped.get("script").copied().unwrap_or(0);
            assert_eq!(
                (dropped, link.sent, link.in_service),
                want,
                "{queue} {duration}"
            );
            assert_eq!(link.max_backlog, 0, "nothing has ever waited");
        }
    }
}

#[test]
fn a_drop_stands_on_the_tape_when_it_happened() {
    // The drop has the time at which it left the line, not that of the next look at the queue 300 ms later.
    let tape = outcome(SCRIPTED, &["link.bottleneck.delay=300 ms"], 1)
        .tape
        .unwrap();
    let at = |event: &str, segment: &str| -> f64 {
        let row = tape
            .lines()
            .find(|l| l.contains(&format!(",{event},{segment},")))
            .unwrap();
        row.split(',').next().unwrap().parse().unwrap()
    };
    for segment in ["40", "43"] {
        let on_the_way = at("drop", segment) - at("send", segment);
        // 80 us on the first line, its delay of 2 ms, and on the second line 1 ms per segment of the burst.
        assert!((0.003_079..0.014_1).contains(&on_the_way), "{on_the_way}");
    }
}

#[test]
fn every_lost_transmission_is_on_the_tape() {
    // Every packet that is sent is delivered, dropped, or still on its way at the end. This holds as well for a packet that is lost only
    // because the end mark of the packet before it was dropped.
    let plain = r#"link.bottleneck.queue={ kind = "plain", buffer = "50 cells" }"#;
    let outcome = outcome(BALANCED, &[plain, "duration=5 s"], 1);
    let tape = outcome.tape.as_deref().unwrap();
    let rows = |event: &str| tape.lines().filter(|l| l.contains(event)).count() as u64;
    let flows = &outcome.document.report.flows;
    let acks: u64 = flows.iter().map(|f| f.acks).sum();
    let (sent, dropped) = (rows(",send,") + rows(",retransmit,"), rows(",drop,"));
    assert!(dropped > 100);
    // Every arrival is acknowledged at once, and no ack is lost.
    let under_way = sent - dropped - acks;
    assert!(
        under_way < 5 * 122,
        "{sent} sent, {dropped} dropped, {acks} acknowledged"
    );
    let ended: u64 = flows.iter().map(|f| u64::from(f.timeouts > 0)).sum();
    assert_eq!(ended, 5);
}

#[test]
fn a_loss_that_a_repairs_clock_finds_is_counted_and_on_the_tape() {
    // Segment 12 is lost, and 23 and 24 with one gap. The recovery of 12 ends before 24, so the loss of 24 has not been counted when its
    // retransmission, packet 37, is lost as well. SMART's timer finds that loss.
    let sets = [
        r#"link.bottleneck.loss={ kind = "script", flow = "transfer", packets = [12, 23, 25, 37] }"#,
        r#"flow.transfer.transport={ kind = "smart", mss = "960 B", window = "12 segments", max_window = "64 segments", lost_retransmission = "timer" }"#,
    ];
    let outcome = outcome(SCRIPTED, &sets, 1);
    let flow = &outcome.document.report.flows[0];
    assert_eq!((flow.fast_retransmits, flow.timeouts), (2, 0));
    let tape = outcome.tape.as_deref().unwrap();
    let rows = tape.lines().filter(|l| l.contains(",fast_retransmit,"));
    assert_eq!(rows.count(), 2);
}

#[test]
fn a_wait_that_is_still_open_at_the_end_is_not_active() {
    // The only segment is lost, and its timeout of 1 s would expire after the end. In the 0.8 s before, the flow is active only at the
    // instant at which it sends.
    let sets = [
        r#"link.second.loss={ kind = "script", flow = "f", segments = [0] }"#,
        "duration=800 ms",
        "warm_up=200 ms",
    ];
    for sets in [&sets[..2], &sets[..]] {
        let flow = &outcome(CHAIN, sets, 1).document.report.flows[0];
        assert_eq!((flow.timeouts, flow.active_fraction), (0, 0.0));
    }
    // After the retransmission the sender does not wait for a timeout any more.
    let sets = [sets[0], "link.second.delay=400 ms", "duration=1200 ms"];
    let flow = &outcome(CHAIN, &sets, 1).document.report.flows[0];
    assert_eq!(flow.timeouts, 1);
    assert!(
        (flow.active_fraction - 0.2 / 1.2).abs() < 1e-6,
        "{}",
        flow.active_fraction
    );
}

#[test]
fn the_bottleneck_is_the_link_that_carries_the_most() {
    // One of five sources gets nearly all of the bottleneck, so its access link is used more fully than the bottleneck.
    let starve = [
        "link.bottleneck.rate=500 Mb/s",
        "link.access.back_delay=0.3 ms",
        "duration=3 s",
    ];
    let report = outcome(BALANCED, &starve, 1).document.report;
    let fraction = |name: &str| {
        report
            .links
            .iter()
            .find(|l| l.name == name)
            .unwrap()
            .goodput_fraction
    };
    assert!(fraction("access-0") > 0.9 && fraction("bottleneck") < 0.4);
    assert_eq!(report.summary.goodput_fraction, fraction("bottleneck"));
}

#[test]
fn two_losses_end_in_a_timeout_when_the_receivers_window_lets_nothing_out() {
    // Segments 40 and 43 are lost. The receiver's window of 12 is fully sent, so when 40 is repaired, no new segments have been sent that
    // could cause three duplicate acks for 43.
    let outcome = outcome(SCRIPTED, &[], 1);
    let flow = &outcome.document.report.flows[0];
    assert_eq!((flow.timeouts, flow.fast_retransmits), (1, 1));
    assert_eq!(flow.segments_delivered, 200);
    let tape = outcome.tape.unwrap();
    let rows = |event: &str| {
        let field = |line: &str, at: usize| line.split(',').nth(at).unwrap().to_string();
        let lines = tape.lines().skip(1).filter(|line| field(line, 2) == event);
        lines
            .map(|line| field(line, 3).parse().unwrap())
            .collect::<Vec<u64>>()
    };
    assert_eq!(rows("drop"), [40, 43]);
    assert_eq!(rows("fast_retransmit"), [40]);
    assert_eq!(rows("timeout"), [43]);
    assert_eq!(rows("deliver"), (0..200).collect::<Vec<_>>());
    assert_eq!(rows("send"), (0..200).collect::<Vec<_>>());
    // The other segments of that window arrived. After the timeout, the sender goes back to 43 and finds those behind it acknowledged.
    assert_eq!(rows("retransmit")[..2], [40, 43]);
    assert!(
        tape.lines()
            .skip(1)
            .map(|l| l.split(',').next().unwrap().parse::<f64>().unwrap())
            .is_sorted()
    );
}

#[test]
fn the_four_transports_differ_where_they_should() {
    let timeouts = |kind: &str| {
        let set = format!("flow.transfer.transport.kind={kind}");
        outcome(SCRIPTED, &[&set], 1).document.report.flows[0].timeouts
    };
    assert_eq!(
        ["tahoe", "reno", "newreno", "sack"].map(timeouts),
        [0, 1, 0, 0]
    );
}

#[test]
fn balanced_discard_prevents_the_timeouts_that_early_discard_does_not() {
    let epd = r#"link.bottleneck.queue={ kind = "epd", buffer = "1200 cells", threshold = 0.9 }"#;
    let [bpd, epd] = [&[][..], &[epd][..]].map(|sets| outcome(BALANCED, sets, 1).document.report);
    assert!(
        bpd.summary.timeouts * 5 < epd.summary.timeouts,
        "{} {}",
        bpd.summary.timeouts,
        epd.summary.timeouts
    );
    assert!(bpd.summary.active_fraction > epd.summary.active_fraction);
    assert!(bpd.summary.jain.unwrap() > 0.98);
    let bottleneck = bpd.links.iter().find(|l| l.name == "bottleneck").unwrap();
    assert!(bottleneck.max_backlog <= 1200 && bottleneck.goodput_fraction > 0.9);
    assert_eq!(bpd.summary.goodput_fraction, bottleneck.goodput_fraction);
}

#[test]
fn a_full_link_carries_all_the_payload_that_it_can() {
    // One sender on one line without loss: the payload share is 536 bytes in 13 cells of 53, less what slow start leaves unused.
    let sets = [
        "host.source.count=1",
        "link.access.rate=75 Mb/s",
        "duration=20 s",
        "warm_up=1 s",
    ];
    let report = outcome(BALANCED, &sets, 1).document.report;
    assert!(
        (report.summary.goodput_fraction - 1.0).abs() < 1e-3,
        "{}",
        report.summary.goodput_fraction
    );
    let payload = 75e6 * 536.0 / (13.0 * 53.0);
    assert!((report.summary.goodput_bps / payload - 1.0).abs() < 1e-3);
}

/// Hands out jobs, and keeps what is repeatable of their outcomes.
struct Decisions<'a> {
    jobs: std::slice::Iter<'a, Job>,
    outcomes: Vec<String>,
    /// A job is handed out only when the one before has ended.
    one_by_one: bool,
    under_way: usize,
    most: usize,
}

impl<'a> Decisions<'a> {
    fn of(jobs: &'a [Job]) -> Self {
        Self {
            jobs: jobs.iter(),
            outcomes: vec![String::new(); jobs.len()],
            one_by_one: false,
            under_way: 0,
            most: 0,
        }
    }
}

impl Host for Decisions<'_> {
    fn next(&mut self) -> Option<Job> {
        if self.one_by_one && self.under_way > 0 {
            return None;
        }
        let job = self.jobs.next()?.clone();
        self.under_way += 1;
        self.most = self.most.max(self.under_way);
        Some(job)
    }

    fn hear(&mut self, news: News) -> bool {
        if let News::Done(at, outcome) = news {
            self.under_way -= 1;
            self.outcomes[at] = repeatable(&outcome.unwrap());
        }
        true
    }
}

#[test]
fn a_host_may_wait_for_a_result_before_it_has_another_job() {
    let all: Vec<_> = (1..=3)
        .flat_map(|seed| jobs(BALANCED, &["duration=200 ms"], seed))
        .collect();
    let mut decisions = Decisions::of(&all);
    decisions.one_by_one = true;
    run_all(&mut decisions, 2);
    assert_eq!(decisions.most, 1);
    assert!(decisions.outcomes.iter().all(|text| !text.is_empty()));
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let all: Vec<_> = (1..=4)
        .flat_map(|seed| jobs(BALANCED, &["duration=3 s"], seed))
        .collect();
    let on = |threads| {
        let mut decisions = Decisions::of(&all);
        run_all(&mut decisions, threads);
        decisions.outcomes
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one[0], repeatable(&outcome(BALANCED, &["duration=3 s"], 1)));
    assert_ne!(one[0], one[1], "seeds differ");
}

#[test]
fn adding_a_source_does_not_shift_the_others() {
    let starts = |count: &str| {
        let set = format!("host.source.count={count}");
        let report = outcome(BALANCED, &[&set, "duration=1 s"], 7)
            .document
            .report;
        report.flows.iter().map(|f| f.started_s).collect::<Vec<_>>()
    };
    assert_eq!(starts("5"), starts("6")[..5]);
}

#[test]
fn warm_up_is_not_measured_but_stays_in_the_ledger() {
    let whole = outcome(BALANCED, &["duration=6 s"], 1).document.report;
    let rest = outcome(BALANCED, &["duration=6 s", "warm_up=2 s"], 1)
        .document
        .report;
    let first = outcome(BALANCED, &["duration=2 s"], 1).document.report;
    for ((whole, rest), first) in whole.flows.iter().zip(&rest.flows).zip(&first.flows) {
        assert_eq!(
            whole.segments_sent,
            first.segments_sent + rest.segments_sent
        );
        assert_eq!(
            whole.segments_delivered,
            first.segments_delivered + rest.segments_delivered
        );
        let sum = first.goodput_bps * 2.0 + rest.goodput_bps * 4.0;
        assert!((whole.goodput_bps * 6.0 - sum).abs() < 1.0);
    }
    for (whole, rest) in whole.links.iter().zip(&rest.links) {
        assert_eq!((whole.offered, whole.sent), (rest.offered, rest.sent));
    }
}

#[test]
fn samples_are_taken_at_equal_distances() {
    let sets = ["duration=1 s", "sample=100 ms"];
    let report = outcome(BALANCED, &sets, 1).document.report;
    let series = report.series.unwrap();
    assert_eq!(series.time_s.len(), 11);
    assert_eq!(series.backlog["bottleneck"].len(), 11);
    assert_eq!(series.cwnd["bulk-4"].len(), 11);
    assert_eq!(
        series.backlog.len(),
        1,
        "links without a discipline have no series"
    );
    // Observing a run does not change it.
    let blind = outcome(BALANCED, &sets[..1], 1).document.report;
    assert_eq!(
        serde_json::to_string(&blind.links).unwrap(),
        serde_json::to_string(&report.links).unwrap()
    );
}

#[test]
fn delayed_acks_are_fewer() {
    let acks = |set: &str| {
        let report = outcome(SCRIPTED, &[set], 1).document.report;
        assert_eq!(report.flows[0].segments_delivered, 200);
        report.flows[0].acks
    };
    assert!(
        acks("flow.transfer.transport.delayed_ack=true")
            < acks("flow.transfer.transport.delayed_ack=false") * 2 / 3
    );
}

#[test]
fn a_halted_run_has_no_outcome() {
    let job = &jobs(BALANCED, &[], 1)[0];
    assert_eq!(
        run(job, &AtomicBool::new(true)).unwrap_err(),
        dupack_sim::Failure::Halted
    );
}

/// Disciplines of cell links, in all their settings.
fn queue() -> impl Strategy<Value = String> {
    let share = || (0u32..=100).prop_map(|p| f64::from(p) / 100.0);
    (1u64..400, 0..14, share(), share(), 0u64..40).prop_map(|(room, kind, a, b, gap)| {
        let (low, high, packet) = (a.min(b), a.max(b), room.min(12));
        let fair = |overflow| {
            format!(
                r#"{{ kind = "fair-queueing", buffer = "{room} cells", overflow = "{overflow}" }}"#
            )
        };
        match kind {
            0 => format!(r#"{{ kind = "plain", buffer = "{room} cells" }}"#),
            1 => format!(r#"{{ kind = "ppd", buffer = "{room} cells" }}"#),
            2 => format!(r#"{{ kind = "epd", buffer = "{room} cells", threshold = {a} }}"#),
            3 => fair("arriving"),
            4 => fair("longest-queue"),
            5 => fair("longest-queue-head"),
            6 => fair("longest-queue-tail"),
            7 => format!(
                r#"{{ kind = "epd-push-out", buffer = "{room} cells", threshold = {}, max_packet = "{packet} cells" }}"#,
                a.max(0.01)
            ),
            8 => format!(
                r#"{{ kind = "abs-push-out", buffer = "{room} cells", max_packet = "{packet} cells" }}"#
            ),
            9 => format!(
                r#"{{ kind = "abs-push-out-stacks", buffer = "{room} cells", max_packet = "{packet} cells", excess = "equal" }}"#
            ),
            10 => format!(r#"{{ kind = "longest-queue-drop", buffer = "{room} cells" }}"#),
            11 => format!(r#"{{ kind = "dynamic-thresholds", buffer = "{room} cells", alpha = "2" }}"#),
            12 => format!(r#"{{ kind = "weighted-round-robin", buffer = "{room} cells" }}"#),
            _ => format!(
                r#"{{ kind = "bpd", buffer = "{room} cells", lower = {low}, upper = {high}, gap = "{gap} packets" }}"#
            ),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Whatever the plan, every ledger balances (or `outcome` panics), no buffer overflows its room, and what flows
    /// deliver is what whole packets carried.
    #[test]
    fn every_ledger_balances(
        queue in queue(), back in queue(), access in queue(), kind in 0usize..4, sources in 1u32..6,
        delayed: bool, seed: u64, warm_up in 0u32..2,
    ) {
        let kind = ["tahoe", "reno", "newreno", "sack"][kind];
        let outcome = outcome(BALANCED, &[
            &format!("link.bottleneck.queue={queue}"), &format!("link.bottleneck.back_queue={back}"),
            &format!("link.access.queue={access}"), &format!("flow.bulk.transport.kind={kind}"),
            &format!("flow.bulk.transport.delayed_ack={delayed}"), &format!("host.source.count={sources}"),
            "duration=1500 ms", &format!("warm_up={warm_up} s"),
        ], seed);
        let report = &outcome.document.report;
        let tape = outcome.tape.as_deref().unwrap();
        let lines = |event: &str| tape.lines().filter(|l| l.contains(event)).count() as u64;
        if warm_up == 0 {
            prop_assert_eq!(report.flows.iter().map(|f| f.segments_delivered).sum::<u64>(), lines(",deliver,"));
            prop_assert_eq!(report.flows.iter().map(|f| f.timeouts).sum::<u64>(), lines(",timeout,"));
            let sent = lines(",send,") + lines(",retransmit,");
            prop_assert_eq!(report.flows.iter().map(|f| f.segments_sent).sum::<u64>(), sent);
        }
        for link in &report.links {
            let dropped: u64 = link.dropped.values().sum();
            prop_assert_eq!(link.offered + link.minted, link.sent + dropped + link.waiting + link.in_service);
            prop_assert!(link.dead_units <= link.sent && link.utilization <= 1.0 + 1e-9 && link.in_service <= 1);
            prop_assert!(link.mean_backlog <= link.max_backlog as f64 + 1e-9);
            // After a warm-up, goodput may exceed the capacity: a segment fills a hole, and data that arrived before is delivered with it.
            prop_assert!(warm_up > 0 || link.goodput_fraction <= 1.0 + 1e-9);
        }
    }
}
