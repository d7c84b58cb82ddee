//! Every state of every TCP against every input, a page each. (SMART and packet-pair, whose state is a whole history, have scripts, and
//! all pairs run over the channel.)
//!
//! Segments 2 and 5 of 0..11 are lost. A row is a state, a column an input, a cell what comes of it: the reading (`tmo` for a
//! timeout), what is sent (`*` again), cwnd/ssthresh (whole segments, `-` for none), and `t` if the timer was set anew, `off` if it
//! was stopped. The oldest segment that is not acknowledged is `una`; an `old` ack is of una - 1, `next` of una + 1.

use super::{ack, params, plain, sends, show, word};
use crate::time::{Duration, Instant};
use crate::transport::repair::Reading;
use crate::transport::{Ack, AnySender, Block, TransportParams};
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

/// The states, by what was heard: acks as next and runs (without their ends), and timeouts.
const STATES: [(&str, &str); 8] = [
    ("open", "2"),
    ("1 dup", "2; 2 3-4"),
    ("2 dups", "2; 2 3-4; 2 3-5"),
    ("3 dups", "2; 2 3-4; 2 3-5; 2 6-7 3-5"),
    ("ack 5", "2; 2 3-4; 2 3-5; 2 6-7 3-5; 5 6-7"),
    ("tmo", "2; tmo"),
    ("tmo, ack 5", "2; tmo; 5"),
    ("tmo, ack 11", "2; tmo; 11"),
];

/// The columns, for a sender whose oldest segment not acknowledged is `una`.
fn columns(una: u64, max: u64) -> [(&'static str, Option<Ack>); 6] {
    let mut news = plain(una);
    news.blocks[0] = Block {
        from: una + 5,
        to: una + 6,
    };
    [
        ("dup", Some(plain(una))),
        ("dup with news", Some(news)),
        ("next", Some(plain(una + 1))),
        ("all", Some(plain(max))),
        ("old", Some(plain(una - 1))),
        ("timeout", None),
    ]
}

/// Gives `input` to `sender` at `now`, or when its timer runs out; describes what comes of it.
fn give(sender: &mut AnySender, now: Instant, input: Option<&Ack>) -> String {
    let before = sender.poll_timeout();
    let (now, reading) = match input {
        Some(ack) => (now, word(sender.handle_ack(now, ack).reading)),
        None => {
            let at = before.expect("a timer");
            assert_eq!(sender.handle_timeout(at), Reading::Timeout);
            (at, "tmo")
        }
    };
    let sent = sends(sender, now);
    let timer = match sender.poll_timeout() {
        None => " off",
        at if at != before => " t",
        _ => "",
    };
    format!("{reading} {} {}{timer}", show(&sent), windows(sender))
}

fn windows(sender: &AnySender) -> String {
    let whole = |w: f64| {
        if w.is_finite() {
            (w as u64).to_string()
        } else {
            "-".into()
        }
    };
    format!("{}/{}", whole(sender.cwnd()), whole(sender.ssthresh()))
}

/// A sender that has heard `inputs`, one per 100 ms, and the time.
fn state(params: &TransportParams, inputs: &str) -> (AnySender, Instant) {
    let (mut sender, mut now) = (params.sender(), Instant::ZERO);
    sender.release(u64::MAX, true);
    sends(&mut sender, now);
    for input in inputs.split("; ") {
        now += Duration::millis(100);
        let ack = (input != "tmo").then(|| {
            let (next, runs) = input.split_once(' ').unwrap_or((input, ""));
            ack(&format!("{next}, {}", runs.replace('-', ".."))).expect(input)
        });
        if ack.is_none() {
            now = sender.poll_timeout().expect("a timer");
        }
        give(&mut sender, now, ack.as_ref());
    }
    (sender, now)
}

/// The page of one transport.
fn page(params: &TransportParams) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (name, inputs) in STATES {
        let (sender, now) = state(params, inputs);
        let max = sender.acknowledged() + sender.flight();
        let columns = columns(sender.acknowledged(), max);
        if rows.is_empty() {
            let names = columns.iter().map(|(name, _)| name.to_string());
            rows.push(["state".to_string()].into_iter().chain(names).collect());
        }
        let mut row = Vec::from([format!("{name} {}", windows(&sender))]);
        for (_, input) in columns {
            let mut sender = state(params, inputs).0;
            row.push(give(
                &mut sender,
                now + Duration::millis(50),
                input.as_ref(),
            ));
        }
        rows.push(row);
    }
    let widths: Vec<usize> = (0..rows[0].len())
        .map(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0))
        .collect();
    let line = |row: &Vec<String>| -> String {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join(" | ").trim_end().to_string()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn check(transport: &str, texts: &[(&str, &str)], want: &str) {
    let eight = ("initial_window", "8 segments");
    let texts: Vec<_> = texts.iter().copied().chain([eight]).collect();
    let found = page(&params(transport, &texts));
    let want: Vec<&str> = want.trim().lines().map(str::trim).collect();
    assert!(
        found == want.join("\n"),
        "{transport} {texts:?}: found\n{found}\n"
    );
}

#[test]
fn tahoe() {
    check("tahoe", &[], "
        state           | dup           | dup with news | next               | all                | old         | timeout
        open 9/-        | dup - 9/-     | dup - 9/-     | open 11..13 10/- t | open 11..21 10/- t | stale - 9/- | tmo 2* 1/4 t
        1 dup 9/-       | dup - 9/-     | dup - 9/-     | open 11..13 10/- t | open 11..21 10/- t | stale - 9/- | tmo 2* 1/4 t
        2 dups 9/-      | loss 2* 1/4 t | loss 2* 1/4 t | open 11..13 10/- t | open 11..21 10/- t | stale - 9/- | tmo 2* 1/4 t
        3 dups 1/4      | dup - 1/4     | dup - 1/4     | open 3..5* 2/4 t   | open 11..13 2/4 t  | stale - 1/4 | tmo 2* 1/2 t
        ack 5 2/4       | dup - 2/4     | dup - 2/4     | open 7..9* 3/4 t   | open 11..14 3/4 t  | stale - 2/4 | tmo 5* 1/2 t
        tmo 1/4         | dup - 1/4     | dup - 1/4     | open 3..5* 2/4 t   | open 11..13 2/4 t  | stale - 1/4 | tmo 2* 1/2 t
        tmo, ack 5 2/4  | dup - 2/4     | dup - 2/4     | open 7..9* 3/4 t   | open 11..14 3/4 t  | stale - 2/4 | tmo 5* 1/2 t
        tmo, ack 11 2/4 | dup - 2/4     | dup - 2/4     | open 13..15 3/4 t  | open 13..16 3/4 t  | stale - 2/4 | tmo 11* 1/2 t");
}
#[test]
fn reno() {
    check("reno", &[], "
        state           | dup           | dup with news | next               | all                | old         | timeout
        open 9/-        | dup - 9/-     | dup - 9/-     | open 11..13 10/- t | open 11..21 10/- t | stale - 9/- | tmo 2* 1/4 t
        1 dup 9/-       | dup - 9/-     | dup - 9/-     | open 11..13 10/- t | open 11..21 10/- t | stale - 9/- | tmo 2* 1/4 t
        2 dups 9/-      | loss 2* 7/4 t | loss 2* 7/4 t | open 11..13 10/- t | open 11..21 10/- t | stale - 9/- | tmo 2* 1/4 t
        3 dups 7/4      | dup - 8/4     | dup - 8/4     | over - 4/4 t       | over 11..15 4/4 t  | stale - 7/4 | tmo 2* 1/2 t
        ack 5 4/4       | dup - 4/4     | dup - 4/4     | open - 4/4 t       | open 11..15 4/4 t  | stale - 4/4 | tmo 5* 1/2 t
        tmo 1/4         | dup - 1/4     | dup - 1/4     | open 3..5* 2/4 t   | open 11..13 2/4 t  | stale - 1/4 | tmo 2* 1/2 t
        tmo, ack 5 2/4  | dup - 2/4     | dup - 2/4     | open 7..9* 3/4 t   | open 11..14 3/4 t  | stale - 2/4 | tmo 5* 1/2 t
        tmo, ack 11 2/4 | dup - 2/4     | dup - 2/4     | open 13..15 3/4 t  | open 13..16 3/4 t  | stale - 2/4 | tmo 11* 1/2 t");
}
#[test]
fn newreno() {
    check("newreno", &[], "
        state           | dup           | dup with news | next               | all                | old         | timeout
        open 9/-        | dup - 9/-     | dup - 9/-     | open 11..13 10/- t | open 11..21 10/- t | stale - 9/- | tmo 2* 1/4 t
        1 dup 9/-       | dup - 9/-     | dup - 9/-     | open 11..13 10/- t | open 11..21 10/- t | stale - 9/- | tmo 2* 1/4 t
        2 dups 9/-      | loss 2* 7/4 t | loss 2* 7/4 t | open 11..13 10/- t | open 11..21 10/- t | stale - 9/- | tmo 2* 1/4 t
        3 dups 7/4      | dup - 8/4     | dup - 8/4     | partial 3* 7/4 t   | over 11..15 4/4 t  | stale - 7/4 | tmo 2* 1/2 t
        ack 5 5/4       | dup - 6/4     | dup - 6/4     | partial 6* 5/4     | over 11..15 4/4 t  | stale - 5/4 | tmo 5* 1/2 t
        tmo 1/4         | dup - 1/4     | dup - 1/4     | open 3..5* 2/4 t   | open 11..13 2/4 t  | stale - 1/4 | tmo 2* 1/2 t
        tmo, ack 5 2/4  | dup - 2/4     | dup - 2/4     | open 7..9* 3/4 t   | open 11..14 3/4 t  | stale - 2/4 | tmo 5* 1/2 t
        tmo, ack 11 2/4 | dup - 2/4     | dup - 2/4     | open 13..15 3/4 t  | open 13..16 3/4 t  | stale - 2/4 | tmo 11* 1/2 t");
}
#[test]
fn sack() {
    check("sack", &[], "
        state           | dup           | dup with news | next                 | all                | old         | timeout
        open 9/-        | dup - 9/-     | dup - 9/-     | open 11..13 10/- t   | open 11..21 10/- t | stale - 9/- | tmo 2* 1/4 t
        1 dup 9/-       | dup - 9/-     | dup - 9/-     | open 11..13 10/- t   | open 11..21 10/- t | stale - 9/- | tmo 2* 1/4 t
        2 dups 9/-      | loss 2* 4/4 t | loss 2* 4/4 t | open 11..13 10/- t   | open 11..21 10/- t | stale - 9/- | tmo 2* 1/4 t
        3 dups 4/4      | dup - 4/4     | dup - 4/4     | partial - 4/4 t      | over 11..15 4/4 t  | stale - 4/4 | tmo 2* 1/2 t
        ack 5 4/4       | dup - 4/4     | dup 5* 4/4    | partial 11..13 4/4 t | over 11..15 4/4 t  | stale - 4/4 | tmo 5* 1/2 t
        tmo 1/4         | dup - 1/4     | dup - 1/4     | open 3..5* 2/4 t     | open 11..13 2/4 t  | stale - 1/4 | tmo 2* 1/2 t
        tmo, ack 5 2/4  | dup - 2/4     | dup - 2/4     | open 7..9* 3/4 t     | open 11..14 3/4 t  | stale - 2/4 | tmo 5* 1/2 t
        tmo, ack 11 2/4 | dup - 2/4     | dup - 2/4     | open 13..15 3/4 t    | open 13..16 3/4 t  | stale - 2/4 | tmo 11* 1/2 t");
}
#[test]
fn sack_by_rfc6675() {
    check("sack", &[("pipe", "rfc6675")], "
        state           | dup       | dup with news | next               | all                | old         | timeout
        open 9/-        | dup - 9/- | dup - 9/-     | open 11..13 10/- t | open 11..21 10/- t | stale - 9/- | tmo 2* 1/4 t
        1 dup 9/-       | dup - 9/- | dup - 9/-     | open 11..13 10/- t | open 11..21 10/- t | stale - 9/- | tmo 2* 1/4 t
        2 dups 9/-      | dup - 9/- | loss 2* 4/4 t | open 11..13 10/- t | open 11..21 10/- t | stale - 9/- | tmo 2* 1/4 t
        3 dups 4/4      | dup - 4/4 | dup - 4/4     | partial - 4/4 t    | over 11..15 4/4 t  | stale - 4/4 | tmo 2* 1/2 t
        ack 5 4/4       | dup - 4/4 | dup - 4/4     | partial - 4/4 t    | over 11..15 4/4 t  | stale - 4/4 | tmo 5* 1/2 t
        tmo 1/4         | dup - 1/4 | dup - 1/4     | open 3..5* 2/4 t   | open 11..13 2/4 t  | stale - 1/4 | tmo 2* 1/2 t
        tmo, ack 5 2/4  | dup - 2/4 | dup - 2/4     | open 7..9* 3/4 t   | open 11..14 3/4 t  | stale - 2/4 | tmo 5* 1/2 t
        tmo, ack 11 2/4 | dup - 2/4 | dup - 2/4     | open 13..15 3/4 t  | open 13..16 3/4 t  | stale - 2/4 | tmo 11* 1/2 t");
}
