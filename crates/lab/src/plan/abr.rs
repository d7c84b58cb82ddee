//! `abr` of a flow: the ABR source that paces its VC.

use super::error::Log;
use super::optional::Optional;
use super::part::{table, whole};
use super::reader::Reader;
use dupack_core::abr::source;
use dupack_core::declare::{Declared, Fallback};
use dupack_sim::spec::{Abr, Acks};

/// A right table, for errors.
const EXAMPLE: &str = r#"{ pcr = "365566 cells/s", icr = 0.05 }"#;

/// The word for a flow without.
const NONE: &str = "none";

/// Reads the table `found` at `path`, if there is one.
pub(super) fn abr(log: &mut Log, path: String, found: Option<&toml::Value>) -> Optional<Abr> {
    let found = found.filter(|found| found.as_str() != Some(NONE));
    Optional::read(found, |found| given(log, path, found))
}

fn given(log: &mut Log, path: String, found: &toml::Value) -> Option<Abr> {
    let nothing = toml::Table::new();
    let table = table(
        log,
        &path,
        Some(found),
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
    Some(Abr {
        params: params?,
        acks: acks?,
    })
}
