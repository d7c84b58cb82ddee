//! Episodes in words.

use super::Step;
use super::episodes::{Episode, Happened};
use dupack_core::ledger::Cause;
use dupack_core::queue::Grain;
use dupack_sim::probe::{Carried, Deed, Event, Incident, Row};
use dupack_sim::spec::{Link, Network};

/// An episode's events, a sentence each.
pub(super) fn steps(network: &Network, episode: &Episode<'_>) -> Vec<Step> {
    let mut heard = None;
    let mut steps = Vec::with_capacity(episode.happened.len());
    for happened in &episode.happened {
        let (event, text, link) = match happened {
            Happened::Sent(rows) => ("send", sent(rows), None),
            Happened::Befell(them) => {
                let link = &network.links[them[0].link];
                (
                    deed(them[0].deed),
                    befell(network, them),
                    Some(link.name.clone()),
                )
            }
            Happened::AcksLost(them) => {
                let link = &network.links[them[0].link];
                (
                    deed(them[0].deed),
                    acks_lost(network, them),
                    Some(link.name.clone()),
                )
            }
            Happened::Row(row, before) => (row.event.name(), said(row, *before, heard), None),
            Happened::Duplicates(rows) => ("dup_ack", duplicates(rows), None),
            Happened::Resent(rows) => ("retransmit", resent(rows), None),
            Happened::Recovered(row) => ("recovered", recovered(row), None),
        };
        if let Happened::Duplicates(rows) = happened {
            heard = Some(rows.len());
        }
        steps.push(Step {
            time_s: happened.at().seconds(),
            event,
            text,
            link,
        });
    }
    steps
}

fn deed(deed: Deed) -> &'static str {
    match deed {
        Deed::Dropped(_) => "drop",
        Deed::Marked => "mark",
        Deed::Trimmed => "trim",
    }
}

/// Segments as people write them: `segment 4`, `segments 4, 6 to 9 and 12`.
fn segments(of: impl Iterator<Item = u64>) -> String {
    let mut numbers: Vec<u64> = of.collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for number in &numbers {
        match runs.last_mut() {
            Some((_, to)) if *to + 1 == *number => *to = *number,
            _ => runs.push((*number, *number)),
        }
    }
    let run = |(from, to): &(u64, u64)| match to - from {
        0 => from.to_string(),
        1 => format!("{from}, {to}"),
        _ => format!("{from} to {to}"),
    };
    let mut texts: Vec<_> = runs.iter().map(run).collect();
    let many = if numbers.len() == 1 {
        "segment"
    } else {
        "segments"
    };
    if texts.len() > 8 {
        let left = texts.split_off(8).len();
        return format!(
            "{many} {} and {left} more runs of segments",
            texts.join(", ")
        );
    }
    match texts.pop() {
        Some(last) if !texts.is_empty() => format!("{many} {} and {last}", texts.join(", ")),
        Some(last) => format!("{many} {last}"),
        None => many.into(),
    }
}

/// A number of windows: whole, or to two decimals.
fn window(segments: f64) -> String {
    let text = format!("{segments:.2}");
    text.trim_end_matches('0').trim_end_matches('.').into()
}

fn is(one: usize) -> &'static str {
    if one == 1 { "is" } else { "are" }
}

fn sent(rows: &[&Row]) -> String {
    let last = rows[rows.len() - 1];
    format!(
        "{} {} sent; cwnd is {}.",
        capital(&segments(rows.iter().map(|row| row.segment))),
        is(rows.len()),
        window(last.cwnd)
    )
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// The link, and its discipline.
fn place(network: &Network, it: &Incident) -> String {
    let link = &network.links[it.link];
    match &link.queue {
        Some(queue) => format!("link {} ({})", link.name, queue.name()),
        None => format!("link {}", link.name),
    }
}

/// What waits on a link, in the units that it carries: `40 packets`.
fn waiting(link: &Link, units: u64) -> String {
    let unit = match (link.carries, units) {
        (Grain::Cells, 1) => "cell",
        (Grain::Cells, _) => "cells",
        (Grain::Packets, 1) => "packet",
        (Grain::Packets, _) => "packets",
    };
    format!("{units} {unit}")
}

/// `10 packets`, or `8 to 10 packets`.
fn range(link: &Link, them: &[&Incident]) -> String {
    let units = them.iter().map(|it| it.waiting);
    let (least, most) = (units.clone().min().unwrap_or(0), units.max().unwrap_or(0));
    if least == most {
        waiting(link, most)
    } else {
        format!("{least} to {}", waiting(link, most))
    }
}

fn number(it: &Incident) -> u64 {
    match it.carried {
        Carried::Data { segment, .. } => segment,
        Carried::Ack(ack) => ack.next,
    }
}

fn befell(network: &Network, them: &[&Incident]) -> String {
    let what = capital(&segments(them.iter().map(|it| number(it))));
    let (be, place) = (is(them.len()), place(network, them[0]));
    let units = range(&network.links[them[0].link], them);
    match them[0].deed {
        Deed::Dropped(cause) => dropped(&what, be, &place, &units, cause),
        Deed::Marked => format!("{what} {be} marked with CE at {place}, where {units} wait."),
        Deed::Trimmed => {
            let header = if them.len() == 1 {
                "its header"
            } else {
                "their headers"
            };
            format!(
                "{what} {be} trimmed at {place}, where {units} wait: only {header} will arrive."
            )
        }
    }
}

fn dropped(what: &str, be: &str, place: &str, units: &str, cause: Cause) -> String {
    match cause {
        Cause::Overflow => {
            format!("{what} {be} dropped at {place}: the buffer has no room, {units} wait.")
        }
        Cause::Early if place.ends_with("(policer)") => {
            format!("{what} {be} dropped at {place}, above its rate; {units} wait.")
        }
        Cause::Early => {
            format!("{what} {be} dropped at {place} before its buffer is full: {units} wait.")
        }
        Cause::Partial => format!(
            "{what} {be} dropped at {place}: the rest of a packet that has lost a cell; {units} wait."
        ),
        Cause::PushedOut => format!(
            "{what} {be} pushed out of the buffer of {place} to make room for another; {units} wait."
        ),
        Cause::Script => format!("{what} {be} lost on {place}, as its loss script says."),
        Cause::Random => format!("{what} {be} lost on {place}, by its loss model."),
    }
}

fn acks_lost(network: &Network, them: &[&Incident]) -> String {
    let place = place(network, them[0]);
    let last = them.iter().map(|it| number(it)).max().unwrap_or(0);
    let fate = match them[0].deed {
        Deed::Dropped(Cause::Script | Cause::Random) => "lost on",
        Deed::Marked => "marked at",
        _ => "dropped at",
    };
    match them.len() {
        1 => format!("An ack that expects segment {last} is {fate} {place}."),
        n => format!("{n} acks, the last of which expects segment {last}, are {fate} {place}."),
    }
}

fn duplicates(rows: &[&Row]) -> String {
    let expected = rows[0].segment;
    match rows.len() {
        1 => format!("A duplicate ack arrives: the receiver still expects segment {expected}."),
        n => {
            let last = rows[n - 1].at.seconds();
            format!(
                "{n} duplicate acks arrive until {last:.6} s: the receiver still expects segment {expected}."
            )
        }
    }
}

fn resent(rows: &[&Row]) -> String {
    format!(
        "{} {} sent again.",
        capital(&segments(rows.iter().map(|row| row.segment))),
        is(rows.len())
    )
}

/// A change of cwnd, if it is one.
fn change(before: f64, row: &Row) -> String {
    let ssthresh = if row.ssthresh.is_finite() {
        format!(", ssthresh is {}", window(row.ssthresh))
    } else {
        String::new()
    };
    if before == row.cwnd {
        format!("cwnd stays {}{ssthresh}", window(before))
    } else {
        format!(
            "cwnd goes from {} to {}{ssthresh}",
            window(before),
            window(row.cwnd)
        )
    }
}

fn said(row: &Row, before: f64, duplicates: Option<usize>) -> String {
    let segment = row.segment;
    match row.event {
        Event::FastRetransmit => {
            let after = duplicates.map_or(String::new(), |n| match n {
                1 => " after a duplicate ack".into(),
                n => format!(" after {n} duplicate acks"),
            });
            format!(
                "The sender takes segment {segment} for lost{after}: {}.",
                change(before, row)
            )
        }
        Event::Timeout => format!(
            "The retransmission timer expires; the oldest segment without an ack is {segment}: {}.",
            change(before, row)
        ),
        Event::Cwnd => format!("The sender answers the mark: {}.", change(before, row)),
        Event::Drop => format!(
            "Segment {segment} is lost: its last cell was dropped, so the receiver cannot tell it from the next packet."
        ),
        _ => String::new(),
    }
}

fn recovered(row: &Row) -> String {
    format!(
        "An ack that expects segment {} arrives: all that was outstanding when the sender found out has arrived. The recovery is over; cwnd is {}.",
        row.segment,
        window(row.cwnd)
    )
}
