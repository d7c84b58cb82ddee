//! A controller that another program brings along, and one for each law that it may break.

use super::*;
use crate::declare::Declared;
use crate::time::Duration;
use crate::transport::control::reno::{Reno, RenoParams};
use crate::transport::script::{params, sends};
use crate::transport::{Ack, TransportParams};
use std::string::ToString;
use std::sync::Mutex;
use std::vec::Vec;

/// The transport `reno` with this controller in place of Reno.
fn with(from: Arc<dyn ExternalSource>, texts: &[(&str, &str)]) -> TransportParams {
    let external = ExternalParams {
        name: "Mine".into(),
        from: Some(from),
    };
    params("reno", texts).with_external(external)
}

/// Answers with the window, the threshold and the rate of its next turn.
#[derive(Debug)]
struct Answers(Vec<(f64, f64, Option<u64>)>);

impl Controller for Answers {
    fn window(&self) -> f64 {
        self.0[0].0
    }
    fn ssthresh(&self) -> f64 {
        self.0[0].1
    }
    fn pacing(&self) -> Option<Rate> {
        self.0[0].2.map(Rate)
    }
    fn on_ack(&mut self, _: &AckSample) {
        self.0.remove(0);
    }
}

/// Keeps what is told.
#[derive(Debug, Default)]
struct Told(Vec<(f64, f64, Option<u64>)>, Mutex<Vec<String>>);

impl ExternalSource for Told {
    fn controller(&self, _: &Common) -> Boxed {
        Box::new(Answers(self.0.clone()))
    }
    fn on_breach(&self, name: &str, now: Instant, breach: Breach) {
        let told = std::format!("{name} at {} s: {breach}", now.seconds());
        self.1.lock().expect("one thread").push(told);
    }
}

#[test]
fn reno_as_an_external_controller_is_reno() {
    let made = |common: &Common| Reno::new(&RenoParams::from_texts(&[]), common);
    let (mine, own) = (with(source(Answer::Halves, made), &[]), params("reno", &[]));
    assert_eq!(
        (mine.name(), own.name()),
        ("Mine+reno".into(), "reno".into())
    );
    let run = |params: &TransportParams| {
        let (mut sender, mut now) = (params.sender(), Instant::ZERO);
        sender.release(60, true);
        let mut seen = Vec::new();
        for next in (1..30).chain([29, 29, 29, 29, 32]).chain(33..60) {
            seen.push(std::format!(
                "{:?} {}",
                sends(&mut sender, now),
                sender.cwnd()
            ));
            now += Duration::millis(10);
            let (cause, id) = (next - 1, next - 1);
            sender.handle_ack(
                now,
                &Ack {
                    next,
                    cause,
                    id,
                    ..Ack::default()
                },
            );
        }
        seen
    };
    assert_eq!(run(&mine), run(&own));
}

#[test]
fn a_breach_is_told_once_and_the_last_window_that_was_right_stays() {
    let right = (4.0, f64::INFINITY, None);
    for (wrong, said) in [
        ((f64::NAN, 9.0, None), "its window is NaN segments"),
        ((0.5, 9.0, None), "its window is 0.5 segments"),
        ((f64::INFINITY, 9.0, None), "its window is inf segments"),
        ((4.0, 0.0, None), "its slow-start threshold is 0 segments"),
        ((4.0, f64::NAN, None), "its slow-start threshold is NaN"),
        ((4.0, 9.0, Some(0)), "its pacing rate is below 1 bit/s"),
    ] {
        let from = Arc::new(Told(Vec::from([right, wrong]), Mutex::default()));
        let mut sender = with(from.clone(), &[]).sender();
        sender.release(60, true);
        let mut now = Instant::ZERO;
        assert_eq!(sends(&mut sender, now).len(), 4);
        for next in 1..4 {
            now += Duration::millis(10);
            let (cause, id) = (next - 1, next - 1);
            sender.handle_ack(
                now,
                &Ack {
                    next,
                    cause,
                    id,
                    ..Ack::default()
                },
            );
            assert_eq!(sender.cwnd(), 4.0);
        }
        let told = from.1.lock().expect("one thread");
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].starts_with(&std::format!("Mine at 0.01 s: {said}")),
            "{told:?}"
        );
    }
}

#[test]
#[should_panic(
    expected = "Mine at 0 s: its window is -1 segments; a window is a finite number, at least 1"
)]
fn a_breach_of_a_controller_in_rust_is_a_panic() {
    let answers = |_: &Common| Answers(Vec::from([(-1.0, 9.0, None)]));
    with(source(Answer::Halves, answers), &[]).sender();
}

#[test]
fn max_cwnd_bounds_it_and_repairs_see_its_answer() {
    let answers = |_: &Common| Answers(Vec::from([(40.0, 9.0, None)]));
    let bounded = with(
        source(Answer::Stays, answers),
        &[("max_cwnd", "7 segments")],
    );
    assert_eq!(bounded.sender().cwnd(), 7.0);
    assert_eq!(bounded.pair.control.about.answer, Answer::Stays);
    for answer in [Answer::Halves, Answer::Stays, Answer::Closes] {
        assert_eq!(entry(answer).about.answer, answer);
    }
    assert_eq!(bounded.pair.control.name.to_string(), KIND);
}
