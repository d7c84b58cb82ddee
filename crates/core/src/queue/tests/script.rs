//! Scripts for disciplines: a line per step, failures name the line.
//!
//! A line may begin with its time, `@12ms pull => a1`; without one it is at the time of the line before it, the first at 0.
//!
//! `a1 . => kept` offers cell 1 of VC a; `a3 last => early` offers one with the end mark; `b2 1500 => kept` offers a packet of
//! 1500 bytes, `a4 40 control => kept` one of the priority of acks, `a5 1500 ect => kept` one that can be marked, `ar rm => kept` an RM cell; `pull => a1` takes one out. What befalls others
//! (and, as it is pulled, the unit itself) follows: `pull => a3, early a2, marked a3`, `b3 40 => kept, pushed-out a1 a2`. A unit that is trimmed is called `b3~` from then on, and copies of it `b3'`: `b3 1500 =>
//! overflow, minted b3' b3' b3'`.

use crate::declare::{Declared, Fallback, Kind, Parameter, Value};
use crate::measure::Rate;
pub use crate::queue::laws::{Fates, Named};
use crate::queue::{Discipline, Line, QueueParams};
use crate::rng::Stream;
use crate::roster::Roster;
use crate::time::{Duration, Instant};
use crate::unit::{CONTROL, DATA, Ecn, FlowId};
use std::string::{String, ToString};
use std::vec::Vec;

impl Named {
    /// A unit as a script writes it: its name, and `.`, `last` or its bytes.
    fn read(step: &str) -> Self {
        let (name, mark) = step
            .split_once(char::is_whitespace)
            .expect("`name .`, `name last` or `name BYTES`");
        let mark = mark.trim();
        let (mark, priority) = match mark.strip_suffix(" control") {
            Some(mark) => (mark, CONTROL),
            None => (mark, DATA),
        };
        let (mark, ecn) = match mark.strip_suffix(" ect") {
            Some(mark) => (mark, Ecn::Ect0),
            None => (mark, Ecn::NotEct),
        };
        let (last, bytes) = match mark {
            "." => (false, 53),
            "last" | "rm" => (true, 53),
            bytes => (true, bytes.parse().expect("`.`, `last`, `rm` or bytes")),
        };
        let name = name.into();
        Self {
            name,
            last,
            bytes,
            priority,
            ecn,
        }
    }
}

impl Fates {
    /// What befell `own`, and then the others in order, those of a fate in a row together.
    fn tell(self, own: &str) -> String {
        let (mine, others): (Vec<_>, Vec<_>) =
            self.0.into_iter().partition(|(name, _)| name == own);
        let own = mine.first().map_or("kept", |(_, fate)| *fate);
        Self(others).append_to(own.to_string())
    }

    /// `told`, and then each fate in order, those of a kind in a row together.
    fn append_to(self, mut told: String) -> String {
        let mut before = None;
        for (name, fate) in self.0 {
            if before.replace(fate) != Some(fate) {
                told = told + ", " + fate;
            }
            told = told + " " + &name;
        }
        told
    }
}

/// A line for disciplines that ask for one.
pub fn line() -> Line {
    Line {
        rate: Rate(10_000_000),
        guaranteed: Vec::new(),
        longest: 3,
        stream: Stream::new(1, "queue"),
    }
}

/// The same, with guarantees [Mb/s] to the flows a, b, ...
pub fn guarantees(mpr: &[u64]) -> Line {
    let guaranteed = mpr.iter().zip(0..);
    let guaranteed = guaranteed.map(|(mpr, flow)| (FlowId(flow), Rate(mpr * 1_000_000)));
    Line {
        guaranteed: guaranteed.collect(),
        ..line()
    }
}

/// A discipline that wraps another, both with the values of `texts`.
pub fn wrapping<P: Declared>(
    (inner, texts): (&str, &[(&str, &str)]),
    own_texts: &[(&str, &str)],
) -> P {
    let values = |parameters: &[Parameter], texts: &[(&str, &str)]| {
        let value = |p: &Parameter| {
            let given = texts.iter().find(|(name, _)| *name == p.name);
            match (given.map(|(_, text)| *text), p.fallback) {
                (Some(text), _) | (None, Fallback::Text(text)) => p.kind.read(text).expect(text),
                (None, Fallback::Unset(_)) => Value::Unset,
                (None, Fallback::Required) => panic!("{} is required", p.name),
            }
        };
        parameters.iter().map(value).collect::<Vec<_>>()
    };
    let entry = QueueParams::entry(inner).expect(inner);
    let inner = Value::Discipline(entry.name, values(entry.parameters, texts));
    let (first, own) = P::PARAMETERS.split_first().expect("parameters");
    assert_eq!(first.name, "inner");
    let params = P::from_values(&[&[inner], &values(own, own_texts)[..]].concat());
    params.check().expect("parameters go together");
    params
}

/// Runs `script` on `queue`.
pub fn check(mut queue: impl Discipline<Named>, script: &str) {
    let mut now = Instant::ZERO;
    for (at, line) in script.lines().enumerate() {
        let line = line.split('#').next().unwrap().trim();
        let (step, want) = line.split_once("=>").expect("a line is `step => outcome`");
        let (mut step, want) = (step.trim(), want.trim());
        if let Some(rest) = step.strip_prefix('@') {
            let (time, rest) = rest.split_once(char::is_whitespace).expect("`@TIME step`");
            let Some(Value::Time(Duration(time))) = Kind::Time.read(time) else {
                panic!("line {}: {time}: a time such as 12ms", at + 1)
            };
            assert!(time >= now.0, "line {}: before the line before it", at + 1);
            (now, step) = (Instant(time), rest.trim());
        }
        let mut book = Fates::default();
        let got = if step == "pull" {
            let pulled = queue.pull(now, &mut book);
            book.append_to(pulled.map_or("nothing".into(), |unit| unit.name))
        } else {
            let unit = Named::read(step);
            let name = unit.name.clone();
            if step.ends_with(" rm") {
                queue.offer_control(now, unit, &mut book);
            } else {
                queue.offer(now, unit, &mut book);
            }
            book.tell(&name)
        };
        assert_eq!(got, want, "line {}: {line}", at + 1);
    }
}
