//! Scalable TCP in dupack's simulator.

use dupack_core::transport::control::Answer;
use dupack_core::transport::laws;
use dupack_lab::plan::Externals;
use dupack_lab::trial::trial;
use own_controller::Scalable;

/// Two flows over 50 Mb/s with a round trip of 40 ms; the plan calls the controller by its name.
const PLAN: &str = r#"
duration = "20 s"
warm_up = "5 s"

[topology]
kind = "dumbbell"
senders = 2
carries = "packets"
access = { rate = "1 Gb/s", delay = "1 ms" }
bottleneck = { rate = "50 Mb/s", delay = "18 ms", queue = { kind = "drop-tail", buffer = "60 packets" } }

[[flow]]
name = "me"
from = "source-0"
to = "sink-0"
transport = { kind = "external", name = "scalable", repair = "rack-tlp", mss = "1448 B", max_window = "4 MiB" }

[[flow]]
name = "other"
from = "source-1"
to = "sink-1"
transport = { kind = "linux-reno" }
"#;

fn externals() -> Externals {
    Externals::new().with_controller("scalable", Answer::Halves, Scalable::new)
}

#[test]
fn it_keeps_the_laws_of_controllers() {
    laws::conformance(Answer::Halves, Scalable::new);
}

#[test]
fn it_takes_the_larger_part_beside_reno() {
    let report = trial(PLAN, &[], &externals()).expect("a right plan");
    assert_eq!(report.flow("me").transport, "scalable+rack-tlp");
    assert!(report.flow("me").goodput_bps > 25e6);
    assert!(report.flow("me").goodput_bps > report.flow("other").goodput_bps);
    assert!(report.link("bottleneck").utilization > 0.95);
}

#[test]
fn two_of_it_fill_the_link() {
    let both = r#"flow.other.transport={ kind = "external", name = "scalable", mss = "1448 B", max_window = "4 MiB" }"#;
    let report = trial(PLAN, &[both], &externals()).expect("a right plan");
    assert!(report.summary.goodput_bps > 44e6);
    assert_eq!(report.flow("other").transport, "scalable");
}

#[test]
fn a_plan_without_it_says_what_is_missing() {
    let error = trial(PLAN, &[], &Externals::new()).expect_err("nobody brings it along");
    assert!(
        error
            .to_string()
            .contains("there is no controller \"scalable\""),
        "{error}"
    );
}
