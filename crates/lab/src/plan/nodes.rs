//! `[[host]]`, `[[switch]]` and `[[edge]]`: the nodes. They share one set of names.

use super::error::Log;
use super::names::{Names, declare, name, path_of};
use super::optional::Optional;
use super::reader::Reader;
use dupack_core::time::Duration;
use std::collections::HashSet;
use std::ops::Range;

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
            let overhead = match sort {
                Sort::Host => overhead(log, &mut reader),
                Sort::Switch | Sort::Edge => Some(None),
            };
            reader.finish(log);
            nodes.sound &= declared.is_some() && overhead.is_some();
            nodes.sorts.resize(nodes.names.len(), sort);
            let overhead = overhead.flatten();
            nodes.overheads.resize(nodes.names.len(), overhead);
        }
    }
    nodes
}

/// The longest time that a host takes to send a packet.
fn overhead(log: &mut Log, reader: &mut Reader<'_>) -> Option<Option<Duration>> {
    let kept = log.key.len();
    let found = Optional::<Duration>::get(log, reader, "overhead", "none");
    if found.is_absent() {
        // Most hosts take no time.
        log.key.truncate(kept);
    }
    found.right().ok()
}

fn node(log: &mut Log, reader: &mut Reader<'_>, names: &mut Names) -> Option<Range<usize>> {
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
    declare(log, names, &reader.path, "node", name?, count).filter(|_| right)
}
