//! `[[vc]]`: virtual channels that several flows share between two edges.

use super::error::Log;
use super::names::{Names, declare, name, path_of};
use super::optional::Optional;
use super::reader::Reader;
use dupack_core::measure::Rate;
use std::collections::HashSet;

/// The shared VCs of a plan.
#[derive(Debug, Default)]
pub(super) struct Vcs {
    /// Their names.
    pub names: Names,
    /// The guaranteed minimum rate of each, if it has one.
    pub mprs: Vec<Option<Rate>>,
}

/// Reads the section.
pub(super) fn vcs(log: &mut Log, plan: &mut Reader<'_>) -> Vcs {
    let mut vcs = Vcs::default();
    let mut earlier = HashSet::new();
    for (i, table) in plan.entries(log, "vc") {
        let mut reader = Reader::new(path_of("vc", i, table, &mut earlier), table);
        let name = name(log, &mut reader);
        let mpr = Optional::get(log, &mut reader, "mpr", "none");
        let path = reader.path.clone();
        reader.finish(log);
        if let Some(name) = name
            && declare(log, &mut vcs.names, &path, "vc", name, None).is_some()
        {
            vcs.mprs.push(mpr.given());
        }
    }
    vcs
}
