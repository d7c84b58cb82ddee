//! The parts of a plan around its network: measurement, number of runs, sweep; and the virtual channels of its flows.

use super::{Draw, Grain, Wants};
use std::fmt::Write;

/// Keys of the plan itself.
pub fn keys(draw: &mut Draw<'_>, grain: Grain, wants: Wants) -> String {
    let mut text = String::new();
    if draw.happens(4) {
        text += "percentiles = true\n";
    }
    if draw.happens(3) {
        let _ = writeln!(text, "batches = {}", draw.one(&[2, 3, 10, 1]));
    }
    if draw.happens(if grain == Grain::Cells { 3 } else { 1 }) {
        let trailer = draw.one(&["0 B", "8 B", "48 B", "1 MB"]);
        let _ = writeln!(text, "aal5 = {{ trailer = {trailer:?} }}");
    }
    if wants.completes {
        return text;
    }
    if draw.happens(6) {
        let warm_up = draw.one(&["3 ms", "mser-5", "0 s", "mser-6"]);
        let _ = writeln!(text, "warm_up = {warm_up:?}");
    }
    if draw.happens(2) {
        let of = draw.one(&[
            "summary.goodput_bps",
            "summary.timeouts",
            "summary.goodput",
            "goodput_bps",
        ]);
        let min = draw.one(&[3, 2, 10, 1]);
        let width = draw.one(&["0.2", "0.01", "0", "1"]);
        let _ = writeln!(
            text,
            "stop = {{ relative_ci = {width}, of = {of:?}, min = {min}, max = 12 }}"
        );
    }
    text
}

/// Virtual channels that flows may share.
pub fn channels(draw: &mut Draw<'_>, grain: Grain) -> String {
    let mut text = String::new();
    if draw.happens(if grain == Grain::Cells { 5 } else { 1 }) {
        for name in &["shared", "spare"][..1 + draw.below(2)] {
            let _ = writeln!(text, "[[vc]]\nname = {name:?}");
            text += &guarantee(draw);
        }
    }
    text
}

/// What a flow has of them.
pub fn of_flow(draw: &mut Draw<'_>, grain: Grain) -> String {
    if grain != Grain::Cells && !draw.happens(1) {
        return String::new();
    }
    if draw.happens(5) {
        let vc = draw.one(&["shared", "shared", "shared", "spare"]);
        return format!("vc = {vc:?}\n");
    }
    guarantee(draw)
}

fn guarantee(draw: &mut Draw<'_>) -> String {
    if !draw.happens(3) {
        return String::new();
    }
    let rate = draw.one(&["20 kb/s", "0 b/s", "300 kb/s", "8 Mb/s"]);
    format!("mpr = {rate:?}\n")
}

/// Things to vary that most plans have, and some that none has.
const AXES: [&str; 11] = [
    "\"flow.flow-0.transport.initial_window\" = [\"1 segments\", \"4 segments\"]\n",
    "flow.flow-0.start = [\"0 s\", \"2 ms\"]\n",
    "duration = [\"5 ms\", \"40 ms\"]\n",
    "seeds = \"3..4\"\n",
    "percentiles = [true, false]\n",
    "\"flow.flow-0.transport\" = [\"sack\", \"smart\"]\n",
    "\"link.line.queue\" = [\"drop-tail\", \"epd\"]\n",
    "\"flow.flow-0.transport.mss\" = [\"40 B\", \"0 B\"]\n",
    "\"flow.flow-9.start\" = [\"0 s\"]\n",
    "batches = []\n",
    "title = [\"a\"]\n",
];

/// What is varied, if anything is: one grid or two, of an axis or two.
pub fn sweep(draw: &mut Draw<'_>) -> String {
    if !draw.happens(3) {
        return String::new();
    }
    let head = draw.one(&["[sweep]\n", "[[sweep]]\n"]);
    let mut text = String::new();
    for _ in 0..if head == "[sweep]\n" { 1 } else { 2 } {
        let first = draw.below(AXES.len());
        text += head;
        text += AXES[first];
        if draw.happens(6) {
            // The second axis must differ from the first: TOML allows a key only once.
            text += AXES[(first + 1 + draw.below(AXES.len() - 1)) % AXES.len()];
        }
    }
    text
}
