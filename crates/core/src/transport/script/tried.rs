//! Every pair of a controller and a repair, with those values of its parameters that tests give it. The fuzzer in `fuzz/` includes
//! this file.

use crate::declare::{Fallback, Fault, Kind, Parameter, Value};
use crate::roster::Roster;
use crate::transport::control::ControlParams;
use crate::transport::repair::RepairParams;
use crate::transport::{Pair, TransportParams, compat};
use std::string::{String, ToString};
use std::vec::Vec;

/// The parameters of `pair`, those not in `texts` at their default; of a name that occurs twice, the first text.
pub fn params(pair: Pair, texts: &[(&str, &str)]) -> Result<TransportParams, Fault> {
    let known = |name: &str| pair.parameters().any(|p| p.name == name);
    assert!(texts.iter().all(|(name, _)| known(name)), "{texts:?}");
    let values: Vec<Value> = pair
        .parameters()
        .map(|p| {
            let given = texts.iter().find(|(name, _)| *name == p.name);
            match (given.map(|(_, text)| *text), p.fallback) {
                (Some(text), _) | (None, Fallback::Text(text)) => p.kind.read(text).expect(text),
                _ => Value::Unset,
            }
        })
        .collect();
    TransportParams::from_values(pair, &values)
}

/// Every pair that goes together, but for those that acknowledge nothing, with which what is lost is not delivered.
pub fn pairs() -> Vec<Pair> {
    let with = |control| {
        let pair = move |repair| Pair {
            control,
            repair,
            preset: None,
        };
        RepairParams::ENTRIES.iter().map(pair)
    };
    let all = ControlParams::ENTRIES.iter().flat_map(with);
    all.filter(|it| it.refusal().is_none() && it.acknowledged())
        .collect()
}

/// Values that `parameter` is given: those to be tried by its declaration, every word of a choice, both of a flag.
pub fn values(parameter: &'static Parameter) -> Vec<&'static str> {
    match parameter.kind {
        _ if !parameter.tried.is_empty() => parameter.tried.to_vec(),
        Kind::Choice(words) => words.to_vec(),
        Kind::Flag => Vec::from(["false", "true"]),
        _ => Vec::new(),
    }
}

/// Parameters of every transport that are seldom set, together as somebody has them.
pub const HABITS: &[&[(&str, &str)]] = &[
    &[],
    &[("limited_again", "true")],
    &[
        ("careful", "true"),
        ("recover_at_start", "exempt"),
        ("limited_again", "true"),
    ],
    &[("rto", "jacobson")],
    &[("samples", "karn")],
    &[("samples", "timed")],
    &[("samples", "timed"), ("backoff", "false")],
    &[("samples", "latest"), ("backoff", "false")],
    &[("samples", "latest"), ("undouble", "advance")],
    &[("out_of_order", "discard"), ("undouble", "advance")],
    &[("ack_every", "4"), ("beta_ecn", "0.8")],
    &[
        ("slow_start", "hystart++"),
        ("n_rtt_sample", "2"),
        ("css_rounds", "2"),
    ],
    &[
        ("slow_start", "hystart"),
        ("hystart_low_window", "2"),
        ("n_rtt_sample", "2"),
    ],
    &[("quick_acks", "8"), ("read_delay", "1 ms")],
];

/// Of ns-2's habits those that no other list tries. They go together: half of a window, not rounded up, may be less than a segment. Then
/// nothing goes out unless the window opens at the end of the recovery, or duplicates that report nothing do not count.
pub fn as_ns2(pair: &Pair) -> Vec<(&'static str, String)> {
    let ns2 = compat::entry("ns2").expect("a preset");
    let names = pair.parameters().map(|it| it.name);
    let own =
        names.filter(|name| ["halve", "rto", "rtt_ticks", "recovered", "pipe"].contains(name));
    own.filter_map(|name| Some((name, ns2.text(pair, name)?.to_string())))
        .collect()
}
