//! Scripts for disciplines: a line per step, failures name the line.
//!
//! `a1 . => kept` offers cell 1 of VC a; `a3 last => early` offers one with the end mark; `pull => a1` takes one out.

use super::Discipline;
use crate::ledger::{Cause, Ledger};
use crate::time::Instant;
use crate::unit::{FlowId, Unit};
use std::string::{String, ToString};
use std::vec::Vec;

/// A unit with a name; its first letter is its flow.
#[derive(Debug, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    pub last: bool,
}

impl Unit for Named {
    fn bytes(&self) -> u32 {
        53
    }
    fn flow(&self) -> FlowId {
        FlowId(u32::from(self.name.as_bytes()[0] - b'a'))
    }
    fn last(&self) -> bool {
        self.last
    }
}

#[derive(Default)]
pub struct Fates(pub Vec<(String, Cause)>);

impl Ledger<Named> for Fates {
    fn drop(&mut self, unit: Named, why: Cause) {
        self.0.push((unit.name, why));
    }
}

/// Runs `script` on `queue`.
pub fn check(mut queue: impl Discipline<Named>, script: &str) {
    for (at, line) in script.lines().enumerate() {
        let line = line.split('#').next().unwrap().trim();
        let (step, want) = line.split_once("=>").expect("a line is `step => outcome`");
        let (step, want) = (step.trim(), want.trim());
        let mut book = Fates::default();
        let got = if step == "pull" {
            queue
                .pull(Instant::ZERO, &mut book)
                .map_or("nothing".into(), |unit| unit.name)
        } else {
            let (name, mark) = step
                .split_once(char::is_whitespace)
                .expect("`name .` or `name last`");
            let last = mark.trim() == "last";
            queue.offer(
                Instant::ZERO,
                Named {
                    name: name.into(),
                    last,
                },
                &mut book,
            );
            book.0
                .pop()
                .map_or("kept".to_string(), |(_, why)| why.name().into())
        };
        assert_eq!(got, want, "line {}: {line}", at + 1);
    }
}
