//! `from` and `to` of links and flows: nodes or groups of nodes, paired.

use super::error::Log;
use super::names::Span;
use super::nodes::{Nodes, Sort};
use super::reader::Reader;
use dupack_core::declare::Fallback;

/// The pairs of nodes that a link or a flow stands for.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    /// From and to, per member.
    pub pairs: Vec<(usize, usize)>,
    /// Whether the plan makes one per member of a group.
    pub group: bool,
}

impl Ends {
    /// The count of the group that the link or flow becomes, if it does.
    pub fn count(&self) -> Option<usize> {
        self.group.then_some(self.pairs.len())
    }
}

/// Reads both ends; `hosts_only` for flows. `None` if there is a mistake, which is then in the log.
pub(super) fn ends(
    log: &mut Log,
    reader: &mut Reader<'_>,
    nodes: &Nodes,
    hosts_only: bool,
) -> Option<Ends> {
    let from = end(log, reader, nodes, "from", hosts_only);
    let to = end(log, reader, nodes, "to", hosts_only);
    let ((from_name, from), (to_name, to)) = (from?, to?);
    let (many_from, many_to) = (from.members.len(), to.members.len());
    if from.group && to.group && many_from != many_to {
        log.error(
            reader.at("to"),
            format!(
                "{to_name:?} has {many_to} members and {from_name:?} has {many_from}; write groups of one size, or at \
                 one end a single node"
            ),
        );
        return None;
    }
    let many = many_from.max(many_to);
    let member = |span: &Span, i: usize| span.members.start + if span.group { i } else { 0 };
    let pairs: Vec<_> = (0..many)
        .map(|i| (member(&from, i), member(&to, i)))
        .collect();
    if let Some((same, _)) = pairs.iter().find(|(a, b)| a == b) {
        let same = nodes.names.member(*same);
        log.error(
            reader.at("to"),
            format!("{same:?} is at both ends; write two different nodes"),
        );
        return None;
    }
    Some(Ends {
        pairs,
        group: from.group || to.group,
    })
}

fn end(
    log: &mut Log,
    reader: &mut Reader<'_>,
    nodes: &Nodes,
    key: &'static str,
    hosts_only: bool,
) -> Option<(String, Span)> {
    let name: String = reader.get(log, key, Fallback::Required)?;
    let Some(span) = nodes.names.find(&name) else {
        log.error(reader.at(key), nodes.names.unknown(&name));
        return None;
    };
    let what = match nodes.sorts[span.members.start] {
        Sort::Switch => "a switch",
        Sort::Edge => "an edge",
        Sort::Host => "",
    };
    if hosts_only && !what.is_empty() {
        log.error(
            reader.at(key),
            format!("{name:?} is {what}; write a host: flows start and end there"),
        );
        return None;
    }
    Some((name, span.clone()))
}
