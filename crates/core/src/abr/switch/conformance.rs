//! What holds for every marker: rates are lowered and never raised, what a source says of itself stays, and the same sequence
//! gives the same answers.

use super::{AnyMarker, MarkedLine, MarkerParams, ROSTER, RateMarker};
use crate::abr::rm_cell::RmCell;
use crate::declare::{Fallback, Parameter, Value};
use crate::measure::CellRate;
use crate::time::Instant;
use crate::unit::FlowId;
use proptest::prelude::*;
use std::vec::Vec;

/// The least texts that a marker of this name asks for.
fn required(parameter: &Parameter) -> &'static str {
    match parameter.name {
        "congested" => "20 cells",
        "very_congested" => "40 cells",
        other => panic!("what is {other}?"),
    }
}

fn params(at: usize) -> MarkerParams {
    let entry = &ROSTER[at];
    let values: Vec<Value> = entry
        .parameters
        .iter()
        .map(|parameter| {
            let text = match parameter.fallback {
                Fallback::Text(text) => text,
                Fallback::Required => required(parameter),
                Fallback::Unset(_) => return Value::Unset,
            };
            parameter.kind.read(text).expect(text)
        })
        .collect();
    let params = MarkerParams::from_values(entry.name, &values).expect(entry.name);
    assert_eq!(params.name(), entry.name);
    params.check().expect("defaults go together");
    params
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
fn answers(marker: usize, steps: &[Step]) -> Vec<f64> {
    let line = MarkedLine {
        rate: CellRate(365_566.0),
    };
    let mut marker = AnyMarker::new(&params(marker), line);
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
        marker.gauges(&mut |name, value| assert!(value.is_finite() && value >= 0.0, "{name}"));
        told.push(rm.er.0);
    }
    told
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn rates_are_only_lowered(steps in steps()) {
        for marker in 0..ROSTER.len() {
            prop_assert_eq!(answers(marker, &steps), answers(marker, &steps));
        }
    }
}
