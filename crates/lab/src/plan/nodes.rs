//! `[[host]]`, `[[switch]]` and `[[edge]]`: the nodes. They share one set of names.

use super::error::Log;
use super::members::{Piece, pieces};
use super::names::{Names, declare, name, path_of};
use super::optional::Optional;
use super::reader::Reader;
use dupack_core::time::Duration;
use std::collections::HashSet;
use std::ops::Range;
use toml::Table;

/// Kinds of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Host,
    Switch,
    Edge,
}

/// The nodes of a network.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    /// Their names.
    pub names: Names,
    /// Kind of each node.
    pub sorts: Vec<Sort>,
    /// Longest time that each node takes to send a packet, if it is a host that takes any.
    pub overheads: Vec<Option<Duration>>,
    /// Whether all declared nodes are valid.
    pub sound: bool,
}

/// Reads the three sections.
pub(super) fn nodes(log: &mut Log, plan: &mut Reader<'_>) -> Nodes {
    let mut nodes = Nodes {
        sound: true,
        ..Nodes::default()
    };
    let sections = [
        ("host", Sort::Host),
        ("switch", Sort::Switch),
        ("edge", Sort::Edge),
    ];
    for (section, sort) in sections {
        let mut earlier = HashSet::new();
        for (i, table) in plan.entries(log, section) {
            let mut reader = Reader::new(path_of(section, i, table, &mut earlier), table);
            let declared = node(log, &mut reader, &mut nodes.names);
            let time = match sort {
                // Most hosts take no time.
                Sort::Host => overhead(log, &mut reader, None),
                Sort::Switch | Sort::Edge => Some(None),
            };
            let own = match (sort, &declared) {
                (Sort::Host, Some((name, members))) => {
                    let count = table.contains_key("count").then_some(members.len());
                    pieces(log, &mut reader, section, table, (name, count))
                }
                _ => Vec::new(),
            };
            reader.finish(log);
            nodes.sound &= declared.is_some() && time.is_some();
            nodes.sorts.resize(nodes.names.len(), sort);
            let time = time.flatten();
            nodes.overheads.resize(nodes.names.len(), time);
            let first = declared.map_or(0, |(_, members)| members.start);
            for (path, table, at) in own.into_iter().filter_map(single) {
                let mut reader = Reader::new(path, &table);
                for key in ["name", "count"] {
                    reader.raw(key);
                }
                let own = overhead(log, &mut reader, time);
                reader.finish(log);
                nodes.sound &= own.is_some();
                nodes.overheads[first + at] = own.flatten();
            }
        }
    }
    nodes
}

/// Path, values and number of a member with values of its own.
fn single(piece: Piece) -> Option<(String, Table, usize)> {
    let (path, table) = piece.own?;
    Some((path, table, piece.members.start))
}

/// The longest time that a host takes to send a packet. What is `usual` is not in the canonical text.
fn overhead(
    log: &mut Log,
    reader: &mut Reader<'_>,
    usual: Option<Duration>,
) -> Option<Option<Duration>> {
    let kept = log.key.len();
    let found = Optional::<Duration>::get(log, reader, "overhead", "none").right();
    if found == Ok(usual) {
        log.key.truncate(kept);
    }
    found.ok()
}

/// The name of an entry, and its nodes.
fn node<'t>(
    log: &mut Log,
    reader: &mut Reader<'t>,
    names: &mut Names,
) -> Option<(&'t str, Range<usize>)> {
    let name = name(log, reader);
    // If the count is wrong, the name is declared nevertheless, so that its uses are not reported as well.
    let (count, right) = match Optional::<u64>::get(log, reader, "count", "") {
        Optional::Given(0) => {
            log.error(reader.at("count"), "0; write at least 1");
            (Some(1), false)
        }
        Optional::Given(n) => (Some(usize::try_from(n).unwrap_or(usize::MAX)), true),
        Optional::Absent => (None, true),
        Optional::Wrong => (Some(1), false),
    };
    let members = declare(log, names, &reader.path, "node", name?, count)?;
    right.then_some((name?, members))
}
