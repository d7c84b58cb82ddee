//! A topology, drawn from its generated nodes and links: a row per node, a column per link.

use super::scene::table;
use super::signs::{COLUMNS, Picture};
use crate::plan::{self, Graph, Links, PlanErrors, Wire, Wiring, Without};
use dupack_core::declare::{Declared, Parameter};
use dupack_core::queue::Grain;

/// Rows of a picture.
const ROWS: usize = 60;

/// Values of links in pictures, which do not show them.
const LIKE: &str = r#"{ rate = "100 Mb/s", delay = "1 ms" }"#;

/// The wiring of the topology `name`, with `sets` (`KEY=VALUE`); `None` if there is none of that name.
pub(super) fn draw(name: &str, sets: &[String]) -> Option<Result<Picture, PlanErrors>> {
    let shape = plan::SHAPES.iter().find(|it| it.name == name);
    let (parameters, links): (&[Parameter], &[Links]) = match shape {
        Some(shape) => (shape.parameters, shape.about.links),
        None if name == Graph::NAME => (Graph::PARAMETERS, plan::graph_links()),
        None => return None,
    };
    let given = |key: &str| sets.iter().any(|set| set.starts_with(&format!("{key}=")));
    if name == Graph::NAME && !given("file") {
        return Some(Ok(Picture {
            written: "file = \"FILE\"".into(),
            lines: vec!["Its nodes and links are in a file: --set file=FILE draws them.".into()],
        }));
    }
    let mut written = table(&format!("kind = {name:?}"), parameters, Grain::Packets);
    let required = links.iter().filter(|it| it.without == Without::Wrong);
    let mut own: Vec<String> = vec!["carries = \"packets\"".into()];
    own.extend(required.map(|it| format!("{} = {LIKE}", it.name)));
    written.truncate(written.len() - " }".len());
    let written = format!("topology = {written}, {} }}", own.join(", "));
    let paths: Vec<String> = sets.iter().map(|set| format!("topology.{set}")).collect();
    Some(
        plan::wiring(&written, "the picture's plan", &paths).map(|wiring| Picture {
            written: match sets {
                [] => written,
                sets => format!("{written} with {}", sets.join(", ")),
            },
            lines: lines(&wiring, links),
        }),
    )
}

/// The sign of a table: its first letter.
fn sign(table: &str) -> char {
    table.chars().next().unwrap_or('?')
}

/// The picture, and what its columns are.
fn lines(wiring: &Wiring, links: &[Links]) -> Vec<String> {
    let Wiring { nodes, lines } = wiring;
    let mut told = Vec::new();
    if lines.len() > COLUMNS || nodes.len() > ROWS {
        told.push(format!(
            "{} nodes and {} links, too many to be drawn here.",
            nodes.len(),
            lines.len()
        ));
    } else {
        told.extend(rows(nodes, lines));
        told.push(String::new());
    }
    for table in links {
        let own: Vec<&Wire> = lines.iter().filter(|it| it.table == table.name).collect();
        let names = match own.as_slice() {
            [] => continue,
            [one] => one.name.clone(),
            [first, second] => format!("{}, {}", first.name, second.name),
            [first, .., last] => format!("{}, ..., {}", first.name, last.name),
        };
        told.push(format!("{}: {names}, {}", sign(table.name), table.help));
    }
    told.push(String::new());
    told.push("A row is a node, a column a link between the two nodes at its ends.".into());
    told
}

/// A row per node, and one of the links' signs.
fn rows(nodes: &[String], lines: &[Wire]) -> Vec<String> {
    let width = nodes.iter().map(|name| name.chars().count()).max();
    let width = width.unwrap_or(0);
    // A blank is left between columns if there is room for it.
    let wide = 2 * lines.len() <= COLUMNS;
    let mut rows: Vec<String> = (nodes.iter().enumerate())
        .map(|(at, name)| {
            let ends_here = |wire: &Wire| wire.ends.0 == at || wire.ends.1 == at;
            let last = lines.iter().rposition(ends_here);
            let mut row = format!("  {name:>width$} ");
            for (column, wire) in lines.iter().enumerate() {
                let before = last.is_some_and(|last| column <= last);
                if wide {
                    row.push(if before { '─' } else { ' ' });
                }
                let (top, bottom) = (wire.ends.0.min(wire.ends.1), wire.ends.0.max(wire.ends.1));
                row.push(match (last == Some(column), before) {
                    (true, _) if at == top => '┐',
                    (true, _) => '┘',
                    _ if at == top => '┬',
                    _ if at == bottom => '┴',
                    // The link crosses this node's row without ending there.
                    _ if (top..bottom).contains(&at) => '│',
                    (_, true) => '─',
                    _ => ' ',
                });
            }
            row.trim_end().to_string()
        })
        .collect();
    let mut signs = format!("  {:>width$} ", "");
    for wire in lines {
        if wide {
            signs.push(' ');
        }
        signs.push(sign(wire.table));
    }
    rows.push(signs);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(name: &str, sets: &[&str]) -> Vec<String> {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_string()).collect();
        let drawn = draw(name, &sets).expect("a shape");
        drawn.unwrap_or_else(|e| panic!("{e}")).lines
    }

    #[test]
    fn links_are_drawn_from_node_to_node() {
        let drawn = picture("dumbbell", &["senders=2"]);
        assert_eq!(
            drawn[..7],
            [
                "  source-0 ─┐",
                "  source-1 ─│─┐",
                "      left ─┴─┴─┐",
                "     right ─────┴─┬─┐",
                "    sink-0 ───────┘ │",
                "    sink-1 ─────────┘",
                "            a a b e e",
            ]
        );
        assert_eq!(
            drawn[8],
            "a: access-0, access-1, from each sender to the switch `left`"
        );
    }

    #[test]
    fn every_link_has_two_ends_in_every_shape() {
        for shape in plan::SHAPES {
            let drawn = picture(shape.name, &[]);
            let rows = || drawn.iter().take_while(|row| !row.is_empty());
            let signs = rows().last().expect("a row");
            let links: String = signs.split_whitespace().collect();
            let count = |c: &[char]| -> usize {
                rows()
                    .map(|row| row.chars().filter(|it| c.contains(it)).count())
                    .sum()
            };
            let ends = (count(&['┐', '┬']), count(&['┘', '┴']));
            assert_eq!(ends, (links.len(), links.len()), "{}", shape.name);
        }
    }

    #[test]
    fn what_is_too_large_is_told_in_numbers_and_what_is_wrong_as_in_a_plan() {
        let drawn = picture("fat-tree", &["k=8"]);
        assert_eq!(
            drawn[0],
            "208 nodes and 384 links, too many to be drawn here."
        );
        let wrong = draw("fat-tree", &["k=5".into()]).expect("a shape");
        let wrong = wrong.expect_err("an odd number").to_string();
        assert!(
            wrong.contains("topology.k: 5; write an even number"),
            "{wrong}"
        );
    }
}
