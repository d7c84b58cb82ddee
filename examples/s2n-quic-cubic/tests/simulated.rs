//! s2n-quic's CUBIC in dupack's simulator: its windows are s2n-quic's.

use dupack_core::time::Duration;
use dupack_core::transport::control::Answer;
use dupack_core::transport::laws;
use dupack_lab::plan::{Externals, Plan};
use dupack_lab::run::{Job, run};
use dupack_lab::trial::trial;
use s2n_quic_cubic::{Call, Log, Quic, S2nCubic};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flow over 20 Mb/s with a round trip of 40 ms and a buffer of about one BDP. QUIC's acks name every packet that has arrived.
const PLAN: &str = r#"
duration = "20 s"
warm_up = "5 s"

[topology]
kind = "dumbbell"
senders = 2
carries = "packets"
access = { rate = "1 Gb/s", delay = "1 ms" }
bottleneck = { rate = "20 Mb/s", delay = "18 ms", queue = { kind = "drop-tail", buffer = "80 packets" } }

[[flow]]
name = "me"
from = "source-0"
to = "sink-0"
transport = { kind = "external", name = "s2n", repair = "quic", compat = "quic" }
"#;

/// A second flow, of dupack's own QUIC.
const OTHER: &str = r#"
[[flow]]
name = "other"
from = "source-1"
to = "sink-1"
transport = { kind = "quic-cubic" }
"#;

fn externals(log: &Log) -> Externals {
    let log = Arc::clone(log);
    let make = move |common: &_| S2nCubic::logged(common, Arc::clone(&log));
    Externals::new().with_controller("s2n", Answer::Halves, make)
}

#[test]
fn it_keeps_the_laws_of_controllers() {
    laws::conformance(Answer::Halves, S2nCubic::new);
}

/// The calls that it gets in our world give a controller of s2n-quic, made here, the same windows; and these are the windows that
/// limit the flow: those on the tape.
#[test]
fn its_windows_are_those_of_s2n_quic() {
    let log = Log::default();
    let plan = Plan::parse_with(PLAN.as_bytes(), Path::new("plan"), &[], &externals(&log));
    let plan = plan.expect("a right plan");
    let job = Job {
        network: Arc::clone(&plan.points[0].network),
        seed: 1,
        threads: 1,
        tape: true,
        connections: false,
    };
    let outcome = run(&job, &AtomicBool::new(false)).expect("a run");
    let log = log.lock().expect("the run is over");
    let mut quic = Quic::new(1200);
    let mut losses = 0;
    for (call, window) in &*log {
        let before = quic.window();
        quic.call(*call);
        assert_eq!(quic.window(), *window, "{call:?}");
        // beta is 0.7, and nothing is cut twice for one congestion.
        if let Call::Lost {
            persistent: false, ..
        } = call
            && *window != before
        {
            losses += 1;
            // Both are rounded down from fractions of a byte.
            let want = (f64::from(before) * 0.7) as u32;
            assert!(window.abs_diff(want) <= 1, "{call:?}: {before} -> {window}");
        }
    }
    assert!(log.len() > 10_000 && losses > 3, "{} {losses}", log.len());

    let tape = outcome.tape.expect("it was asked for");
    let mut lines = tape.lines();
    let head: Vec<&str> = lines.next().expect("a head").split(',').collect();
    let column = |name: &str| head.iter().position(|it| *it == name).expect(name);
    let (time, event, cwnd) = (column("time_s"), column("event"), column("cwnd"));
    let mut compared = 0;
    for line in lines {
        let row: Vec<&str> = line.split(',').collect();
        if row[event] != "cwnd" {
            continue;
        }
        let at: f64 = row[time].parse().expect("a time");
        let found: f64 = row[cwnd].parse().expect("a window");
        // One of the windows that s2n-quic had at that instant: a loss and an ack may come together.
        let had = log.iter().any(|(call, window)| {
            (seconds(call) - at).abs() < 1e-9 && (f64::from(*window) / 1200.0 - found).abs() < 1e-6
        });
        assert!(had || at == 0.0, "cwnd {found} at {at} s");
        compared += 1;
    }
    assert!(compared > 1000, "{compared}");
}

fn seconds(call: &Call) -> f64 {
    let (Call::Sent { now, .. }
    | Call::Rtt { now, .. }
    | Call::Ack { now, .. }
    | Call::Lost { now, .. }
    | Call::Marked { now }) = call;
    Duration::seconds(*now)
}

#[test]
fn it_fills_the_link_and_shares_it_with_dupacks_own() {
    let alone = trial(PLAN, &[], &externals(&Log::default())).expect("a right plan");
    assert!(alone.link("bottleneck").utilization > 0.9);
    let both = [PLAN, OTHER].concat();
    let report = trial(&both, &[], &externals(&Log::default())).expect("a right plan");
    assert!(report.link("bottleneck").utilization > 0.9);
    let share = report.flow("me").goodput_bps / report.flow("other").goodput_bps;
    assert!((0.33..3.0).contains(&share), "{share}");
}
