//! Laws of every marker: it lowers rates and never raises them, it leaves a source's own values unchanged, and equal sequences
//! give equal answers.

use super::{AnyMarker, MarkedLine, MarkerParams, RateMarker};
use crate::abr::rm_cell::RmCell;
use crate::declare::{Fallback, Kind, Value};
use crate::measure::CellRate;
use crate::roster::{Entry, Roster};
use crate::time::Instant;
use crate::unit::FlowId;
use core::slice;
use proptest::prelude::*;
use std::vec::Vec;

/// A marker of every word with every set of values to be tried: those of its declaration, every word of a choice, both of a flag, else
/// its default, or the example of a kind that must be given, in cells.
fn all() -> Vec<MarkerParams> {
    let of = |entry: &'static Entry| {
        let mut all = Vec::from([Vec::new()]);
        for parameter in entry.parameters {
            let read = |text: &str| parameter.kind.read(text).expect(text);
            let values: Vec<Value> = match (parameter.kind, parameter.fallback) {
                _ if !parameter.tried.is_empty() => {
                    parameter.tried.iter().map(|text| read(text)).collect()
                }
                (Kind::Choice(words), _) => words.iter().map(|word| read(word)).collect(),
                (Kind::Flag, _) => ["false", "true"].map(read).into(),
                (_, Fallback::Text(text)) => [read(text)].into(),
                (_, Fallback::Unset(_)) => [Value::Unset].into(),
                (Kind::Room, Fallback::Required) => {
                    [read(&parameter.kind.example().replace("packets", "cells"))].into()
                }
                (_, Fallback::Required) => [read(parameter.kind.example())].into(),
            };
            let with = |before: &Vec<Value>| {
                let after = |value: &Value| [&before[..], slice::from_ref(value)].concat();
                values.iter().map(after).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(with).collect();
        }
        let made = move |values: Vec<Value>| MarkerParams::from_values(entry.name, &values);
        let all = all.into_iter().map(move |it| made(it).expect(entry.name));
        let fit: Vec<_> = all.filter(|it| it.check().is_ok()).collect();
        assert!(!fit.is_empty(), "{}: no values go together", entry.name);
        fit
    };
    MarkerParams::ENTRIES.iter().flat_map(of).collect()
}

/// Time since the last step \[us\], what passes (cell, forward, backward), VC, CCR and ER \[cells/s\], cells that wait.
type Step = (u64, u8, u32, u32, u32, u64);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (
        0u64..3000,
        0u8..3,
        0u32..5,
        0u32..400_000,
        0u32..400_000,
        0u64..100,
    );
    proptest::collection::vec(step, 1..200)
}

/// The ER of every RM cell after it has passed.
fn answers(params: &MarkerParams, steps: &[Step]) -> Vec<f64> {
    let line = MarkedLine {
        rate: CellRate(365_566.0),
    };
    let mut marker = AnyMarker::new(params, line);
    let mut now = 0;
    let mut told = Vec::new();
    for (after, what, vc, ccr, er, backlog) in steps {
        now += after * 1_000_000;
        let (at, vc) = (Instant(now), FlowId(*vc));
        let before = RmCell {
            backward: *what == 2,
            ci: false,
            ni: false,
            er: CellRate(f64::from(*er)),
            ccr: CellRate(f64::from(*ccr)),
            mcr: CellRate(0.0),
        };
        let mut rm = before;
        if *what == 2 {
            marker.on_backward(at, vc, &mut rm, *backlog);
        } else {
            marker.on_cell(at, vc, *backlog);
            if *what == 1 {
                marker.on_forward(at, vc, &mut rm, *backlog);
            }
        }
        let same = RmCell {
            er: before.er,
            ci: before.ci,
            ni: before.ni,
            ..rm
        };
        assert_eq!(same, before);
        assert!(rm.er.0.is_finite() && rm.er.0 >= 0.0 && rm.er <= before.er);
        marker.gauges(&mut |it, value| assert!(value.is_finite() && value >= 0.0, "{it:?}"));
        told.push(rm.er.0);
    }
    told
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn rates_are_only_lowered(steps in steps()) {
        for params in all() {
            prop_assert_eq!(answers(&params, &steps), answers(&params, &steps));
        }
    }
}
