//! `from` and `to` of links and flows: nodes or groups of nodes, paired.

use super::error::Log;
use super::limits::MEMBERS;
use super::names::Span;
use super::nodes::{Nodes, Sort};
use super::reader::Reader;
use dupack_core::declare::Fallback;
use dupack_sim::spec::{Pairs, Permutation};

/// Allowed values of `from` and `to` that mean many hosts.
const WHICH: &str = "write a group of hosts, one host, or names with a star such as \"host-*\"";

/// The pairs of nodes that a link or a flow stands for.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    /// From and to, per member.
    pub pairs: Vec<(usize, usize)>,
    /// Whether there is one per member of a group.
    pub group: bool,
    /// Draws the receivers for each seed, if they are drawn; the pairs are then those of one draw.
    pub permutation: Option<Permutation>,
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
                "{to_name:?} has {many_to} members and {from_name:?} has {many_from}; write groups of the same size, \
                 or a single node at one end"
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
        permutation: None,
    })
}

/// Reads both ends of a flow whose hosts are joined in other ways than in order.
pub(super) fn pairs(
    log: &mut Log,
    reader: &mut Reader<'_>,
    nodes: &Nodes,
    which: Pairs,
) -> Option<Ends> {
    let from = hosts(log, reader, nodes, "from");
    let to = hosts(log, reader, nodes, "to");
    let (from, to) = (from?, to?);
    let message = if from == to && from.len() == 1 {
        "a single host at both ends; write at least two".into()
    } else if which == Pairs::Permutation && from.len() != to.len() {
        format!(
            "{} hosts, and `from` has {}; write as many, since each receives from one in a permutation",
            to.len(),
            from.len()
        )
    } else if from.len().saturating_mul(to.len()) > MEMBERS && which == Pairs::AllToAll {
        format!(
            "{} hosts, each of which receives from {}: more than {MEMBERS} flows; write fewer hosts, or `pairs = \"permutation\"`",
            to.len(),
            from.len()
        )
    } else {
        let permutation = (which == Pairs::Permutation).then(|| Permutation {
            path: reader.at("pairs"),
            flows: 0..from.len(),
            sources: from.clone(),
            targets: to.clone(),
        });
        let pairs = match &permutation {
            Some(it) => from.into_iter().zip(it.draw(1)).collect(),
            None => {
                let others = |from: usize| to.iter().map(move |to| (from, *to));
                let all = from.into_iter().flat_map(others);
                all.filter(|(from, to)| from != to).collect()
            }
        };
        return Some(Ends {
            pairs,
            group: true,
            permutation,
        });
    };
    log.error(reader.at("to"), message);
    None
}

/// The hosts that `key` names: a group, one host, or those that match a star.
pub(super) fn hosts(
    log: &mut Log,
    reader: &mut Reader<'_>,
    nodes: &Nodes,
    key: &'static str,
) -> Option<Vec<usize>> {
    let name: String = reader.get(log, key, Fallback::Required)?;
    let found = nodes.names.matching(&name);
    let other = found.iter().find(|at| nodes.sorts[**at] != Sort::Host);
    let message = match other {
        Some(at) => format!("{:?} is not a host; {WHICH}", nodes.names.member(*at)),
        None if found.is_empty() && name.contains('*') => {
            format!("{name:?} is not the name of a host; {WHICH}")
        }
        None if found.is_empty() => nodes.names.unknown(&name),
        None => return Some(found),
    };
    log.error(reader.at(key), message);
    None
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
            format!("{name:?} is {what}; write a host: flows start and end at hosts"),
        );
        return None;
    }
    Some((name, span.clone()))
}
