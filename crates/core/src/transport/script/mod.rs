//! Scripts for senders: a line per step, failures name the line.
//!
//! ```text
//! 0    greedy              => 0 1                  # what the application hands over; what is sent
//! 100  ack(1)              => 2 3 | cwnd 3 open    # an ack, and what to check after it
//! 110  ack(1, 2..3)        =>     | dup            # a duplicate with a selective ack of segment 2
//! 300  timeout             => 1*  | cwnd 1         # the timer runs out, at exactly this time; 1 is sent again
//! ```
//!
//! Steps: `greedy`, `release(SEGMENTS)`, `ack(NEXT)`, `ack(NEXT, FROM..TO ...)`, `ack(NEXT by CAUSE)`, `ack(NEXT by CAUSE@N)` for an ack that
//! echoes the N-th transmission of its cause (from 0; otherwise the latest), with or without runs. `ack(NEXT ece)` is one with ECN-Echo, `ack(NEXT marks N)` one with
//! a counter of marks, `acks(FROM..TO)` one ack per number;
//! `packets(NEXT, FROM..TO ... late MS)` is one of QUIC, with ranges of transmissions, the latest first, and how long it was withheld;
//! `notice(NEXT of SEGMENT)` and `notice(NEXT of SEGMENT@N)` are notices that this transmission was trimmed. `repeat(NEXT)` and
//! `repeat(NEXT, FROM..TO ...)` are the answer to a damaged packet, `timeout`, `clock` (the
//! repair's own timer is due, at exactly this time, and it is no timeout), `wait` (the timer must not have run out); ` xN`
//! repeats one. What is sent: `7`, `7..10` (`..` leaves out its end, as in Rust),
//! `7*` if it was sent before, `7e` if it is ECN-capable, `7ew` if it bears CWR as well. Checks: `cwnd`, `ssthresh`, `flight`, `rto` and `timer` (in ms, or `off`), each with a
//! value, and the reading of the ack: `stale`, `dup`, `loss`, `open`, `partial`, `over`, `spurious`, `measured`, `unmeasured`, `probe`.

use super::repair::{Advance, Reading, Repair};
use super::sender::AckOutcome;
use super::{AnySender, Pair, TransportParams, entry};
use crate::time::{Duration, Instant};
use crate::unit::Ecn;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

mod bbr1;
mod bbr3;
mod bbr3_spurious;
mod blocks;
mod bottleneck;
mod channel;
mod clock;
mod datagrams;
mod dctcp;
mod early;
mod ecn;
mod fuzzed;
mod growth;
mod held;
mod idle;
mod laws;
mod limited;
mod matrix;
mod nack;
mod network;
mod newreno;
mod ns2;
mod pair;
mod prr;
mod quic;
mod rack_tlp;
mod read;
mod records;
mod reno;
mod reports;
mod rfc6675;
mod sack;
mod shaped;
mod smart;
mod spurious;
mod tahoe;
mod timeout;
mod timer;
mod tried;
mod truncated;

use read::{Input, Sent, ack, inputs, number, plain, segments};

/// The parameters of `transport`, those not in `texts` at their default.
pub fn params(transport: &str, texts: &[(&str, &str)]) -> TransportParams {
    tried::params(pair(transport), texts).expect("parameters that go together")
}

/// A pair by its name or as `control+repair`.
pub fn pair(name: &str) -> Pair {
    if let Some(entry) = entry(name) {
        return Pair::of(&entry.about).expect("both on their rosters");
    }
    let (control, repair) = name.split_once('+').expect("a transport");
    Pair::new(control, repair).expect("both on their rosters")
}

/// Plays `script` to a new sender.
pub fn play(transport: &str, texts: &[(&str, &str)], script: &str) {
    play_on(&mut params(transport, texts).sender(), script);
}

/// Plays `script` to `sender`; returns what its last ack was heard as.
pub fn play_on(sender: &mut AnySender, script: &str) -> Option<AckOutcome> {
    let mut heard = None;
    // The segment of each transmission.
    let mut log = Vec::new();
    for (at, whole) in script.lines().enumerate() {
        let line = whole.split('#').next().unwrap().trim();
        if !line.is_empty()
            && let Err(why) = step(sender, line, &mut heard, &mut log)
        {
            panic!("line {}: {}\n    {why}", at + 1, whole.trim());
        }
    }
    heard
}

/// One line.
fn step(
    sender: &mut AnySender,
    line: &str,
    heard: &mut Option<AckOutcome>,
    log: &mut Vec<u64>,
) -> Result<(), String> {
    let (left, right) = line
        .split_once("=>")
        .ok_or("a line is `TIME step => sends`")?;
    let (want, checks) = right.split_once('|').unwrap_or((right, ""));
    let (time, action) = left
        .trim()
        .split_once(' ')
        .ok_or("a line starts with its time")?;
    let now = Instant(Duration::millis(number(time)?).0);
    let (action, times) = match action.rsplit_once(" x") {
        Some((action, times)) => (action.trim(), number(times)?),
        None => (action.trim(), 1),
    };
    let mut got = Vec::new();
    for _ in 0..times {
        for input in inputs(action)? {
            act(sender, now, &input, heard, log)?;
            let sent = sends(sender, now);
            log.extend(sent.iter().map(|it| it.segment));
            got.extend(sent);
        }
    }
    let want = segments(want)?;
    if got != want {
        return Err(format!("sent {}", show(&got)));
    }
    if sender.resort().is_some() != (sender.flight() > 0) {
        return Err("the timer must run while something is outstanding, and only then".into());
    }
    check(sender, *heard, checks)
}

fn act(
    sender: &mut AnySender,
    now: Instant,
    input: &Input,
    heard: &mut Option<AckOutcome>,
    log: &[u64],
) -> Result<(), String> {
    match input {
        Input::Release(segments) => sender.release(*segments, true),
        Input::Ack(ack, which) => {
            let mut all = (0..).zip(log).filter(|(_, segment)| **segment == ack.cause);
            let id = match which {
                Some(n) => all.nth(*n as usize),
                None => all.last(),
            };
            let id = id.map_or(0, |(id, _)| id);
            *heard = Some(sender.handle_ack(now, &super::Ack { id, ..*ack }));
        }
        Input::Packets(ack) => {
            let id = ack.ranges.largest().ok_or("no packet")?;
            let cause = *log.get(id as usize).ok_or("it has not been sent")?;
            *heard = Some(sender.handle_ack(now, &super::Ack { cause, id, ..*ack }));
        }
        Input::Wait if sender.handle_timeout(now) == Reading::Timeout => {
            return Err("the timer ran out".into());
        }
        Input::Wait => {}
        Input::Clock => {
            if sender.repair().poll_clock() != Some(now) {
                return Err(format!("timer {}", timer(sender)));
            }
            let early = sender.handle_timeout(Instant(now.0 - 1));
            assert_eq!(early, Reading::Stale);
            let reading = sender.handle_timeout(now);
            assert_ne!(reading, Reading::Timeout);
            let measured = false;
            *heard = Some(AckOutcome { reading, measured });
        }
        Input::Timeout => {
            if sender.resort() != Some(now) {
                return Err(format!("timer {}", timer(sender)));
            }
            let early = sender.handle_timeout(Instant(now.0 - 1));
            assert_ne!(early, Reading::Timeout);
            assert_eq!(sender.handle_timeout(now), Reading::Timeout);
        }
    }
    Ok(())
}

/// All that `sender` sends now.
pub fn sends(sender: &mut AnySender, now: Instant) -> Vec<Sent> {
    core::iter::from_fn(|| sender.poll_transmit(now))
        .map(|t| {
            assert!(matches!(t.ecn, Ecn::NotEct | Ecn::Ect0), "{t:?}");
            Sent {
                segment: t.segment,
                again: t.again,
                ect: t.ecn == Ecn::Ect0,
                cwr: t.cwr,
            }
        })
        .take(1000)
        .collect()
}

/// `sent` as a script writes it.
pub fn show(sent: &[Sent]) -> String {
    let mut runs: Vec<(Sent, u64)> = Vec::new();
    for it in sent {
        match runs.last_mut() {
            Some((first, to))
                if *it
                    == (Sent {
                        segment: *to,
                        ..*first
                    }) =>
            {
                *to += 1
            }
            _ => runs.push((*it, it.segment + 1)),
        }
    }
    let words: Vec<String> = runs
        .iter()
        .map(|(run, to)| {
            let marks = [(run.again, "*"), (run.ect, "e"), (run.cwr, "w")];
            let marks: String = marks.iter().filter(|it| it.0).map(|it| it.1).collect();
            match to - run.segment {
                1 => format!("{}{marks}", run.segment),
                _ => format!("{}..{to}{marks}", run.segment),
            }
        })
        .collect();
    if words.is_empty() {
        "-".into()
    } else {
        words.join(" ")
    }
}

/// The word for a reading.
pub fn word(reading: Reading) -> &'static str {
    match reading {
        Reading::Stale => "stale",
        Reading::Duplicate => "dup",
        Reading::Loss { .. } => "loss",
        Reading::Timeout => "timeout",
        Reading::Probe => "probe",
        Reading::Advance(Advance::Open) => "open",
        Reading::Advance(Advance::Partial { .. }) => "partial",
        Reading::Advance(Advance::Over) => "over",
        Reading::Spurious { .. } => "spurious",
    }
}

fn check(sender: &AnySender, heard: Option<AckOutcome>, checks: &str) -> Result<(), String> {
    let mut words = checks.split_whitespace();
    while let Some(key) = words.next() {
        let mut value = || words.next().unwrap_or_default();
        let (found, want) = match key {
            "cwnd" => {
                let want = value();
                (like(sender.cwnd(), want), want)
            }
            "ssthresh" => {
                let want = value();
                (like(sender.ssthresh(), want), want)
            }
            "flight" => (sender.flight().to_string(), value()),
            "rto" => (millis(sender.rto().0), value()),
            "timer" => (timer(sender), value()),
            "measured" | "unmeasured" => match heard {
                Some(AckOutcome { measured: true, .. }) => ("measured".into(), key),
                _ => ("unmeasured".into(), key),
            },
            reading => (
                heard.map_or("nothing", |heard| word(heard.reading)).into(),
                reading,
            ),
        };
        if found != want {
            return Err(format!("{key}: found {found}"));
        }
    }
    Ok(())
}

/// `found` to as many decimals as `want` has; all of them if it has none.
fn like(found: f64, want: &str) -> String {
    match want.split_once('.') {
        Some((_, decimals)) => format!("{found:.*}", decimals.len()),
        None => format!("{found}"),
    }
}

fn timer(sender: &AnySender) -> String {
    let at = sender.resort();
    at.map_or("off".into(), |at| millis(at.0))
}

/// Picoseconds in milliseconds.
fn millis(ps: u64) -> String {
    format!("{}", ps as f64 / Duration::millis(1).0 as f64)
}

#[test]
#[should_panic(expected = "line 3: 100 ack(1) => 1\n    sent 1..3")]
fn a_failure_names_its_line() {
    play("reno", &[], "0 greedy => 0\n\n100 ack(1) => 1");
}

#[test]
#[should_panic(expected = "cwnd: found 2")]
fn a_failed_check_says_what_was_found() {
    play(
        "reno",
        &[],
        "0 greedy => 0\n100 ack(1) => 1 2 | open cwnd 3",
    );
}
