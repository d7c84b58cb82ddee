//! Scripts for markers: a line per step; failures name the line.
//!
//! `TIME STEP VC KEY VALUE ... => OUTCOME`, times in microseconds. `0 cell a queue 3` offers a cell of VC a, and
//! `0 cells a 40 every 25` offers forty, one every 25 us. `7 forward a ccr 900 queue 0` offers a forward RM cell.
//! `9 backward a ccr 900 queue 600 er 500` passes a backward one, whose ER is the line's rate by default. The outcome is `er RATE`
//! for a backward cell (`er open`: unchanged, at the line's rate), and gauges for any other step: `macr 1000, z 0.5`, or nothing.

use super::{MarkedLine, RateMarker};
use crate::abr::rm_cell::RmCell;
use crate::measure::CellRate;
use crate::time::Instant;
use crate::unit::FlowId;
use std::format;
use std::string::String;
use std::vec::Vec;

/// A line of 100,000 cells per second: a cell takes 10 us.
pub const LINE: MarkedLine = MarkedLine {
    rate: CellRate(100_000.0),
};

const MICROSECOND: u64 = 1_000_000;

/// The value that follows `key`.
fn value(words: &[&str], key: &str) -> Option<f64> {
    let at = words.iter().position(|word| *word == key)?;
    Some(words[at + 1].parse().expect(key))
}

/// To a tenth of a cell per second, or six digits below 10: enough to tell rules apart, and short to write.
fn near(got: f64, want: f64) -> bool {
    (got - want).abs() <= if want.abs() < 10.0 { 1e-6 } else { 0.05 }
}

/// Value of a marker's gauge.
fn gauge(marker: &impl RateMarker, name: &str) -> Option<f64> {
    let mut found = None;
    marker.gauges(&mut |it, value| {
        if it.name == name {
            found = Some(value);
        }
    });
    found
}

/// Runs `script` on `marker`.
pub fn check(mut marker: impl RateMarker, script: &str) {
    for (at, line) in script.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        let (step, want) = line.split_once("=>").expect("a line is `step => outcome`");
        let words: Vec<&str> = step.split_whitespace().collect();
        let [time, verb, vc, ref keys @ ..] = words[..] else {
            panic!("line {}: {line}", at + 1);
        };
        let start: u64 = time.parse().expect("a time in us");
        let now = |us: u64| Instant((start + us) * MICROSECOND);
        let vc = FlowId(u32::from(vc.as_bytes()[0] - b'a'));
        let queue = value(keys, "queue").unwrap_or(0.0) as u64;
        let mut rm = RmCell {
            backward: verb == "backward",
            ci: false,
            ni: false,
            er: CellRate(value(keys, "er").unwrap_or(LINE.rate.0)),
            ccr: CellRate(value(keys, "ccr").unwrap_or(0.0)),
            mcr: CellRate(0.0),
        };
        match verb {
            "cell" => marker.on_cell(now(0), vc, queue),
            "cells" => {
                let count: u64 = keys[0].parse().expect("a count");
                let every = value(keys, "every").expect("every") as u64;
                (0..count).for_each(|n| marker.on_cell(now(n * every), vc, queue));
            }
            "forward" => {
                marker.on_cell(now(0), vc, queue);
                marker.on_forward(now(0), vc, &mut rm, queue);
            }
            "backward" => marker.on_backward(now(0), vc, &mut rm, queue),
            other => panic!("line {}: no step is called {other}", at + 1),
        }
        assert!(!rm.ci && !rm.ni, "line {}: neither marks by bits", at + 1);
        for want in want.split(',').map(str::trim).filter(|it| !it.is_empty()) {
            let (name, value) = want.split_once(' ').expect("`er RATE` or `GAUGE VALUE`");
            let (got, want): (f64, f64) = match (name, value) {
                ("er", "open") => (rm.er.0, LINE.rate.0),
                ("er", value) => (rm.er.0, value.parse().expect(value)),
                (name, value) => {
                    let shown = gauge(&marker, name).unwrap_or_else(|| panic!("no gauge {name}"));
                    (shown, value.parse().expect(value))
                }
            };
            let told: String = format!("line {}: {line}: {name} is {got}", at + 1);
            assert!(near(got, want), "{told}");
        }
    }
}
