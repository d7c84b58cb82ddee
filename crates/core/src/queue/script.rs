//! Scripts for disciplines: a line per step, failures name the line.
//!
//! `a1 . => kept` offers cell 1 of VC a; `a3 last => early` offers one with the end mark; `b2 1500 => kept` offers a packet of so
//! many bytes; `pull => a1` takes one out. What befalls others follows: `b3 40 => kept, pushed-out a1 a2`.

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
    pub bytes: u32,
}

impl Named {
    /// A unit as a script writes it: its name, and `.`, `last` or its bytes.
    fn read(step: &str) -> Self {
        let (name, mark) = step
            .split_once(char::is_whitespace)
            .expect("`name .`, `name last` or `name BYTES`");
        let (last, bytes) = match mark.trim() {
            "." => (false, 53),
            "last" => (true, 53),
            bytes => (true, bytes.parse().expect("`.`, `last` or bytes")),
        };
        let name = name.into();
        Self { name, last, bytes }
    }
}

impl Unit for Named {
    fn bytes(&self) -> u32 {
        self.bytes
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

impl Fates {
    /// What befell `own`, and then the others in order, those of a cause in a row together.
    fn tell(self, own: &str) -> String {
        let (mine, others): (Vec<_>, Vec<_>) =
            self.0.into_iter().partition(|(name, _)| name == own);
        let mut told = mine
            .first()
            .map_or("kept".to_string(), |(_, why)| why.name().into());
        let mut before = None;
        for (name, why) in others {
            if before.replace(why) != Some(why) {
                told = told + ", " + why.name();
            }
            told = told + " " + &name;
        }
        told
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
            let unit = Named::read(step);
            let name = unit.name.clone();
            queue.offer(Instant::ZERO, unit, &mut book);
            book.tell(&name)
        };
        assert_eq!(got, want, "line {}: {line}", at + 1);
    }
}
