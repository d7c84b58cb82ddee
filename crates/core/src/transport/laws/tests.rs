//! Every controller of the roster keeps the laws, and one for each law that is broken is found.

use super::*;
use crate::roster::Roster;
use crate::transport::control::reno::{Reno, RenoParams};
use crate::transport::control::{ControlParams, Needs};
use crate::transport::{TransportParams, script};
use std::boxed::Box;
use std::panic::catch_unwind;

fn told(answer: Answer, make: &mut dyn FnMut(&Common) -> Boxed) -> Option<String> {
    let mut watch = || Ok::<_, core::convert::Infallible>(None);
    search(make, answer, (300, 1), &mut watch).expect("never fails")
}

#[test]
fn every_controller_keeps_them() {
    for entry in ControlParams::ENTRIES {
        // The window of static-window never reacts, by design; packet-pair needs a repair of its own.
        if entry.about.needs == Needs::EveryAck || entry.name == "static-window" {
            continue;
        }
        let params: TransportParams = script::params(&std::format!("{}+sack", entry.name), &[]);
        let mut make = |common: &Common| -> Boxed { Box::new(params.controller(common)) };
        assert_eq!(told(entry.about.answer, &mut make), None, "{}", entry.name);
    }
}

/// Reno with a fault.
struct Faulty {
    reno: Reno,
    fault: Fault,
    losses: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    None,
    /// Losses and timeouts do not reach it.
    Deaf,
    /// Timeouts do not.
    Patient,
    /// Each loss costs it a quarter, down to nothing.
    Shrinks,
    /// It waits an hour for each segment after a loss.
    Stalls,
    /// It counts the controllers that were made.
    Fickle(u32),
    Panics,
}

impl Controller for Faulty {
    fn window(&self) -> f64 {
        match self.fault {
            Fault::Shrinks => 4.0 - f64::from(self.losses),
            Fault::Fickle(made) => self.reno.window() + f64::from(made % 2),
            _ => self.reno.window(),
        }
    }
    fn on_ack(&mut self, sample: &AckSample) {
        self.reno.on_ack(sample);
    }
    fn on_congestion(&mut self, signal: Signal, outstanding: &Outstanding) {
        self.losses += 1;
        match (self.fault, signal) {
            (Fault::Deaf, _) | (Fault::Patient, Signal::Timeout { .. }) => {}
            (Fault::Panics, _) => panic!("by a loss"),
            _ => self.reno.on_congestion(signal, outstanding),
        }
    }
    fn next_at(&self, now: Instant) -> Instant {
        match self.fault {
            Fault::Stalls if self.losses > 0 => now + Duration::secs(3600),
            _ => Instant::ZERO,
        }
    }
}

fn faulty(fault: Fault) -> Option<String> {
    let mut made = 0;
    let mut make = |common: &Common| -> Boxed {
        made += 1;
        let fault = match fault {
            Fault::Fickle(_) => Fault::Fickle(made),
            other => other,
        };
        let reno = Reno::new(&RenoParams::from_texts(&[]), common);
        Box::new(Faulty {
            reno,
            fault,
            losses: 0,
        })
    };
    told(Answer::Halves, &mut make)
}

#[test]
fn who_breaks_one_is_found() {
    assert_eq!(faulty(Fault::None), None);
    for (fault, said) in [
        (Fault::Deaf, "its window was"),
        (
            Fault::Patient,
            "after 4 timeouts in a row its window is still",
        ),
        (Fault::Shrinks, "its window is 0 segments"),
        (Fault::Stalls, "it stalls: over a path without losses"),
        (Fault::Fickle(0), "the same events had other outcomes"),
    ] {
        let told = faulty(fault).unwrap_or_else(|| panic!("{fault:?} was not found"));
        let lines: Vec<&str> = told.lines().collect();
        assert!(
            lines[lines.len() - 1].starts_with(said),
            "{fault:?}: {told}"
        );
        // The case that is shown is a short one.
        assert!(lines.len() <= 12, "{fault:?}: {told}");
    }
    assert!(catch_unwind(|| faulty(Fault::Panics)).is_err());
}

#[test]
fn a_controller_that_keeps_its_window_is_not_asked_for_a_reaction_to_a_loss() {
    let mut make = |common: &Common| -> Boxed {
        let reno = Reno::new(&RenoParams::from_texts(&[]), common);
        Box::new(Half(reno))
    };
    assert_eq!(told(Answer::Stays, &mut make), None);
    assert!(told(Answer::Halves, &mut make).is_some());
}

/// Reno that hears of timeouts only.
struct Half(Reno);

impl Controller for Half {
    fn window(&self) -> f64 {
        self.0.window()
    }
    fn on_ack(&mut self, sample: &AckSample) {
        self.0.on_ack(sample);
    }
    fn on_congestion(&mut self, signal: Signal, outstanding: &Outstanding) {
        if matches!(signal, Signal::Timeout { .. }) {
            self.0.on_congestion(signal, outstanding);
        }
    }
}
