//! Why something happened to a flow: the chain of events, in words, from a loss, a mark or a silence to the end of the sender's answer.
//!
//! A tape tells what the sender saw and did, and incidents tell where packets were dropped or marked. An episode begins with the
//! first drop, mark or timeout after a quiet time, and ends when all is acknowledged that was outstanding when the sender found out.

mod episodes;
mod words;

use dupack_core::time::{Duration, Instant};
use dupack_sim::probe::{Incident, Reel, Row, Tape};
use dupack_sim::spec::Network;
use dupack_sim::{Failure, Session};
use episodes::{Episode, episodes};
use serde::Serialize;
use std::sync::atomic::AtomicBool;

/// Flows that an error names.
const NAMED: usize = 12;

/// Whose explanation, and of which time.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// Name of a flow; of a flow with connections that come and go that of one of them, such as `web.17`. None for the only flow.
    pub flow: Option<&'a str>,
    /// The time.
    pub at: Instant,
}

/// A chain of events.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The flow or connection.
    pub flow: String,
    /// The time that was asked for \[s\].
    pub at_s: f64,
    /// Its first event \[s\].
    pub from_s: f64,
    /// Its last event \[s\].
    pub to_s: f64,
    /// It goes on after the end of the run.
    pub open: bool,
    /// How many such chains the flow has from the start to this one, this one included.
    pub number: usize,
    /// Its events, in order of time.
    pub steps: Vec<Step>,
}

/// An event of a chain, or several of a kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// Time, of several that of the first \[s\].
    pub time_s: f64,
    /// Event of the tape, such as `drop`, or `recovered` for the end of a recovery.
    pub event: &'static str,
    /// A sentence.
    pub text: String,
    /// Link at which it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// Why there is no explanation.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Unexplained {
    /// The run failed.
    #[error("{0}")]
    Failed(Failure),
    /// The flow is unknown, or nothing happened to it.
    #[error("{0}")]
    Wrong(String),
    /// The time is after the end of the run; both in seconds.
    #[error("{0} s is after the end of the run, {1} s")]
    Late(f64, f64),
}

/// Explains what happened to a flow at a time, in a run of `network` with `seed`: the chain that covers this time, or the last one before
/// it, or the first one after it.
///
/// The run goes on until that chain ends.
///
/// # Errors
/// [`Unexplained::Failed`] as [`dupack_sim::simulate`]; the others if there is nothing to explain.
pub fn explain(
    network: &Network,
    seed: u64,
    asked: &Asked<'_>,
    halt: &AtomicBool,
) -> Result<Explanation, Unexplained> {
    let name = match asked.flow {
        Some(name) => name,
        None => only(network)?,
    };
    let who = find(network, name)?;
    if asked.at > Instant::ZERO + network.duration {
        let (at, end) = (asked.at.seconds(), network.duration.seconds());
        return Err(Unexplained::Late(at, end));
    }
    let network = Session::<Tape>::prepare(network, seed, halt).map_err(Unexplained::Failed)?;
    let mut session = Session::new(&network, seed, Tape::default());
    let end = Instant::ZERO + network.duration;
    // Rows of other flows are forgotten part by part. Most chains end within a few round trips, but timeouts in a row may take minutes.
    let (mut until, mut step) = (Instant::ZERO, Duration::millis(200));
    let mut seen = Reel::default();
    loop {
        session.advance(until, halt).map_err(Unexplained::Failed)?;
        let new = session.probe().take_reel();
        let mine = |row: &Row| (row.flow, row.connection) == who;
        seen.rows.extend(new.rows.into_iter().filter(mine));
        let mine = |it: &Incident| (it.flow, it.connection) == who;
        seen.incidents
            .extend(new.incidents.into_iter().filter(mine));
        if until < asked.at {
            until = (until + step).min(asked.at);
            continue;
        }
        seen.rows.sort_by_key(|row| row.at);
        seen.incidents.sort_by_key(|it| it.at);
        let found = episodes(&seen.rows, &seen.incidents);
        let ended = until >= end;
        match choose(&found, asked.at) {
            Some(number) if !found[number].open || ended => {
                return Ok(told(&network, (name, asked.at), &found[number], number + 1));
            }
            _ if ended => return Err(nothing(name, &seen.rows)),
            _ => {}
        }
        step = Duration(step.0 * 2);
        until = (until + step).min(end);
    }
}

/// The chain that covers `at`; else the last one before; else the first one after.
fn choose(found: &[Episode<'_>], at: Instant) -> Option<usize> {
    let before = found.iter().rposition(|it| it.from() <= at);
    before.or(if found.is_empty() { None } else { Some(0) })
}

fn nothing(name: &str, rows: &[Row]) -> Unexplained {
    Unexplained::Wrong(if rows.is_empty() {
        format!("{name} sends nothing in this run")
    } else {
        format!("nothing of {name} is dropped or marked in this run, and no timer of it expires")
    })
}

/// Name of the only flow.
fn only(network: &Network) -> Result<&str, Unexplained> {
    if let [flow] = &network.flows[..] {
        return Ok(&flow.name);
    }
    let names: Vec<_> = (network.flows.iter().take(NAMED))
        .map(|flow| flow.name.as_str())
        .collect();
    let more = match network.flows.len().saturating_sub(NAMED) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    Err(Unexplained::Wrong(format!(
        "name one of the {} flows: {}{more}",
        network.flows.len(),
        names.join(", ")
    )))
}

/// A flow, or a connection of one.
fn find(network: &Network, name: &str) -> Result<(usize, Option<u64>), Unexplained> {
    let flow = |name: &str| network.flows.iter().position(|flow| flow.name == name);
    if let Some(at) = flow(name) {
        return match &network.flows[at].arrivals {
            None => Ok((at, None)),
            Some(_) => Err(Unexplained::Wrong(format!(
                "{name} is many connections: name one of them, such as {name}.0"
            ))),
        };
    }
    let connection = name.rsplit_once('.').and_then(|(of, number)| {
        let at = flow(of).filter(|at| network.flows[*at].arrivals.is_some())?;
        Some((at, Some(number.parse().ok()?)))
    });
    connection.ok_or_else(|| {
        let names: Vec<_> = (network.flows.iter())
            .map(|flow| flow.name.as_str())
            .collect();
        let known = crate::plan::suggestion(name, &names);
        Unexplained::Wrong(format!("no flow \"{name}\": {known}"))
    })
}

fn told(
    network: &Network,
    (flow, at): (&str, Instant),
    episode: &Episode<'_>,
    number: usize,
) -> Explanation {
    Explanation {
        flow: flow.into(),
        at_s: at.seconds(),
        from_s: episode.from().seconds(),
        to_s: episode.to().seconds(),
        open: episode.open,
        number,
        steps: words::steps(network, episode),
    }
}
