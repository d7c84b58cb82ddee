//! What a line does to the packets on it, besides losing them: jitter, reordering, grants, and copies.

use super::directions::Keys;
use super::error::Log;
use super::optional::Optional;
use super::part::{JITTERS, part, table, whole};
use super::reader::Reader;
use dupack_core::declare::Declared;
use dupack_core::grants::GrantsParams;
use dupack_core::measure::Share;
use dupack_core::queue::Grain;
use dupack_core::{jitter, reorder};

/// Reads the jitter of a direction.
pub(super) fn late(
    log: &mut Log,
    path: String,
    found: &toml::Value,
    grain: Option<Grain>,
) -> Option<jitter::JitterParams> {
    if grain == Some(Grain::Cells) {
        let message = "this link carries cells, which keep their distance; write it on a link that carries packets";
        log.error(path, message);
        return None;
    }
    part(log, path, Some(found), &JITTERS, &|_| Ok(()))
}

/// Reads the reordering of a direction.
pub(super) fn order(
    log: &mut Log,
    path: &str,
    found: &toml::Value,
    grain: Option<Grain>,
) -> Option<reorder::ReorderParams> {
    if grain == Some(Grain::Cells) {
        let message = "this link carries cells, and ATM keeps their order; write it on a link that carries packets";
        log.error(path, message);
        return None;
    }
    let nothing = toml::Table::new();
    let table = table(
        log,
        path,
        Some(found),
        &nothing,
        r#"{ rate = 0.01, delay = "2 ms" }"#,
    )?;
    let parameters: Vec<_> = reorder::ReorderParams::PARAMETERS.iter().collect();
    let reader = Reader::new(path, table);
    whole(log, reader, table, &parameters, &|_| Ok(()), |values| {
        let params = reorder::ReorderParams::from_values(values);
        params.check().map(|()| params)
    })
}

/// Reads the grants of a direction.
pub(super) fn turns(
    log: &mut Log,
    path: &str,
    found: &toml::Value,
    grain: Option<Grain>,
) -> Option<GrantsParams> {
    if grain == Some(Grain::Cells) {
        let message = "this link carries cells, which are sent at its rate; write it on a link that carries packets";
        log.error(path, message);
        return None;
    }
    let nothing = toml::Table::new();
    let table = table(
        log,
        path,
        Some(found),
        &nothing,
        r#"{ slot = "2 ms", delay = "4 ms" }"#,
    )?;
    let parameters: Vec<_> = GrantsParams::PARAMETERS.iter().collect();
    let reader = Reader::new(path, table);
    whole(log, reader, table, &parameters, &|_| Ok(()), |values| {
        let params = GrantsParams::from_values(values);
        params.check().map(|()| params)
    })
}

/// Reads the duplication of a direction.
pub(super) fn twice(
    log: &mut Log,
    reader: &mut Reader<'_>,
    keys: &Keys,
    grain: Option<Grain>,
) -> Optional<Share> {
    let kept = log.key.len();
    let rate = Optional::<Share>::get(log, reader, keys.duplicate, "none");
    if rate.is_absent() {
        // As for a trace.
        log.key.truncate(kept);
    } else if grain == Some(Grain::Cells) {
        let message = "this link carries cells, and ATM sends none twice; write it on a link that carries packets";
        log.error(reader.at(keys.duplicate), message);
    }
    rate
}
