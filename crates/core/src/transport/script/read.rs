//! The language of scripts.

use crate::time::Duration;
use crate::transport::{Ack, Block, Ranges};
use std::format;
use std::string::String;
use std::vec::Vec;

/// Inputs of a sender.
pub enum Input {
    Release(u64),
    /// An ack, and which transmission of its cause it echoes, from 0; the latest by default.
    Ack(Ack, Option<u64>),
    /// An ack of QUIC, whose cause is that of its largest transmission.
    Packets(Ack),
    Timeout,
    /// The repair's own timer is due.
    Clock,
    Wait,
}

/// The inputs that a step stands for.
pub fn inputs(action: &str) -> Result<Vec<Input>, String> {
    let (verb, args) = match action.split_once('(') {
        Some((verb, rest)) => (verb, rest.strip_suffix(')').ok_or("no `)`")?),
        None => (action, ""),
    };
    Ok(match verb {
        "greedy" => [Input::Release(u64::MAX)].into(),
        "release" => [Input::Release(number(args)?)].into(),
        "timeout" => [Input::Timeout].into(),
        "clock" => [Input::Clock].into(),
        "wait" => [Input::Wait].into(),
        "ack" => {
            let (args, which) = transmission(args)?;
            [Input::Ack(ack(&args)?, which)].into()
        }
        "packets" => [Input::Packets(packets(args)?)].into(),
        "notice" => {
            let (args, which) = transmission(args)?;
            let (next, segment) = args.split_once(" of ").ok_or("a notice is of a segment")?;
            let notice = Ack {
                cause: number(segment)?,
                trimmed: true,
                ..plain(number(next)?)
            };
            [Input::Ack(notice, which)].into()
        }
        "repeat" => {
            let repeats = true;
            let ack = ack(args)?;
            [Input::Ack(Ack { repeats, ..ack }, None)].into()
        }
        "acks" => {
            let Block { from, to } = range(args)?;
            (from..to)
                .map(|next| Input::Ack(plain(next), None))
                .collect()
        }
        _ => return Err(format!("no step is called `{verb}`")),
    })
}

/// `args` without their `@N`, and that.
fn transmission(args: &str) -> Result<(String, Option<u64>), String> {
    let Some((before, rest)) = args.split_once('@') else {
        return Ok((args.into(), None));
    };
    let digits = rest.find(|c: char| !c.is_ascii_digit());
    let (which, after) = rest.split_at(digits.unwrap_or(rest.len()));
    Ok((format!("{before}{after}"), Some(number(which)?)))
}

/// An ack without runs, caused by the last of the segments that it acknowledges.
pub fn plain(next: u64) -> Ack {
    Ack {
        next,
        cause: next.saturating_sub(1),
        ..Ack::default()
    }
}

/// An ack as a script writes it, without its name.
pub fn ack(args: &str) -> Result<Ack, String> {
    let (next, runs) = args.split_once(',').unwrap_or((args, ""));
    let (next, ece) = match next.trim().strip_suffix(" ece") {
        Some(next) => (next, true),
        None => (next, false),
    };
    let (next, marks) = next.split_once(" marks ").unwrap_or((next, "0"));
    let (next, cause) = next.split_once(" by ").unwrap_or((next, ""));
    let mut ack = Ack {
        ece,
        marks: number(marks)? as u32,
        ..plain(number(next)?)
    };
    if !cause.is_empty() {
        ack.cause = number(cause)?;
    }
    let runs: Vec<&str> = runs.split_whitespace().collect();
    if runs.len() > ack.blocks.len() {
        return Err("too many blocks for an ack".into());
    }
    for (block, run) in ack.blocks.iter_mut().zip(runs) {
        *block = range(run)?;
    }
    Ok(ack)
}

/// An ack of QUIC as a script writes it, without its name.
fn packets(args: &str) -> Result<Ack, String> {
    let (args, delay) = args.split_once(" late ").unwrap_or((args, "0"));
    let (next, runs) = args.split_once(',').ok_or("packets, and their ranges")?;
    let (next, ece) = match next.trim().strip_suffix(" ece") {
        Some(next) => (next, true),
        None => (next, false),
    };
    let (next, marks) = next.split_once(" marks ").unwrap_or((next, "0"));
    let runs: Result<Vec<Block>, String> = runs.split_whitespace().map(range).collect();
    Ok(Ack {
        ece,
        marks: number(marks)? as u32,
        ranges: Ranges::new(&runs?),
        delay: Duration::millis(number(delay)?),
        ..plain(number(next)?)
    })
}

/// A transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sent {
    pub segment: u64,
    /// `*`: it was sent before.
    pub again: bool,
    /// `e`: it is ECN-capable.
    pub ect: bool,
    /// `w`: it bears CWR.
    pub cwr: bool,
}

/// Segments that are sent.
pub fn segments(text: &str) -> Result<Vec<Sent>, String> {
    let mut all = Vec::new();
    for word in text.split_whitespace() {
        let numbers = word.trim_end_matches(['*', 'e', 'w']);
        let marks = &word[numbers.len()..];
        let Block { from, to } = match numbers.contains("..") {
            true => range(numbers)?,
            false => Block {
                from: number(numbers)?,
                to: number(numbers)? + 1,
            },
        };
        all.extend((from..to).map(|segment| Sent {
            segment,
            again: marks.contains('*'),
            ect: marks.contains('e'),
            cwr: marks.contains('w'),
        }));
    }
    Ok(all)
}

fn range(text: &str) -> Result<Block, String> {
    let (from, to) = text
        .split_once("..")
        .ok_or(format!("`{text}` is no range"))?;
    Ok(Block {
        from: number(from)?,
        to: number(to)?,
    })
}

/// A whole number.
pub fn number(text: &str) -> Result<u64, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("`{text}` is no number"))
}
