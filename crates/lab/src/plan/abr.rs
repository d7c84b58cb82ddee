//! `abr` of a flow: what paces its VC.

use super::error::Log;
use super::part::{table, whole};
use super::reader::Reader;
use dupack_core::abr::source;
use dupack_core::declare::{Declared, Fallback};
use dupack_sim::spec::{Abr, Acks};

/// A right table, for errors.
const EXAMPLE: &str = r#"{ pcr = "365566 cells/s", icr = 0.05 }"#;

/// The word for a flow without.
const NONE: &str = "none";

/// Reads the table `found` at `path`; `Some(None)` if there is none, `None` if there is a mistake.
pub(super) fn abr(log: &mut Log, path: String, found: Option<&toml::Value>) -> Option<Option<Abr>> {
    let found = found.filter(|found| found.as_str() != Some(NONE));
    if found.is_none() {
        return Some(None);
    }
    let nothing = toml::Table::new();
    let table = table(
        log,
        &path,
        found,
        &nothing,
        &format!("{EXAMPLE}, or {NONE:?}"),
    )?;
    let mut reader = Reader::new(path, table);
    let acks: Option<Acks> = reader.get(log, "acks", Fallback::Text("plain"));
    let parameters: Vec<_> = source::SourceParams::PARAMETERS.iter().collect();
    let params = whole(log, reader, table, &parameters, &|_| Ok(()), |values| {
        let params = source::SourceParams::from_values(values);
        params.check().map(|()| params)
    });
    Some(Some(Abr {
        params: params?,
        acks: acks?,
    }))
}
