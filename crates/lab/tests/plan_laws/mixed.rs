//! Networks in which packets are cells on a part of their way.

use super::{Draw, Grain, Wants, line};
use std::fmt::Write;

/// Packets that are cells between two edges, over one link or two.
pub fn chain(draw: &mut Draw<'_>, wants: Wants) -> (String, (&'static str, &'static str)) {
    let count = if draw.happens(5) { "count = 2\n" } else { "" };
    let mut text = format!("[[host]]\nname = \"a\"\n{count}[[host]]\nname = \"b\"\n{count}");
    text += "[[edge]]\nname = \"s\"\n[[edge]]\nname = \"t\"\n";
    let nodes: &[&str] = if draw.happens(6) {
        text += "[[switch]]\nname = \"u\"\n";
        &["a", "s", "u", "t", "b"]
    } else {
        &["a", "s", "t", "b"]
    };
    let framing = draw.one(&["raw", "raw", "pppoe-llcsnap"]);
    for (at, pair) in nodes.windows(2).enumerate() {
        let name = ["access", "line", "bottleneck", "exit"][at];
        let grain = if pair.iter().any(|it| ["a", "b"].contains(it)) {
            Grain::Packets
        } else {
            Grain::Cells
        };
        let carries = grain.name();
        let _ = write!(
            text,
            "[[link]]\nname = {name:?}\nfrom = {:?}\nto = {:?}\ncarries = {carries:?}\n",
            pair[0], pair[1]
        );
        if grain == Grain::Cells {
            let _ = writeln!(text, "framing = {framing:?}");
        }
        let _ = writeln!(text, "{}", line(draw, grain, wants).join("\n"));
    }
    (text, ("a", "b"))
}
