//! Bytes to TOML, or the line and column of every mistake that keeps them from being TOML.

use super::error::PlanError;
use super::value::show;
use std::ops::Range;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

/// The parser's words for an unquoted text.
const UNQUOTED: &str = "string values must be quoted";

/// The document in `bytes`.
pub(super) fn parse(bytes: &[u8]) -> Result<Table, Vec<PlanError>> {
    let text = std::str::from_utf8(bytes).map_err(|e| {
        vec![PlanError {
            path: format!("byte {}", e.valid_up_to()),
            message: "not UTF-8; a plan is a text file in UTF-8".into(),
        }]
    })?;
    let (document, faults) = DeTable::parse_recoverable(text);
    if !faults.is_empty() {
        let faults = faults
            .iter()
            .map(|fault| (fault.span().unwrap_or(0..0), fault.message()));
        return Err(faults_of(text, faults.collect()));
    }
    let mut errors = Vec::new();
    let table = plain_table(document.into_inner(), text, &mut errors);
    if errors.is_empty() {
        Ok(table)
    } else {
        Err(errors)
    }
}

/// The parser's errors as lines. It recovers well from a text without quotes, the most common mistake, so if there are only
/// such errors, all are reported. Errors after any other one are mostly its consequences, and are left out.
fn faults_of(text: &str, mut faults: Vec<(Range<usize>, &str)>) -> Vec<PlanError> {
    if !faults
        .iter()
        .all(|(_, message)| message.starts_with(UNQUOTED))
    {
        faults.truncate(1);
    }
    let fault = |(span, message): (Range<usize>, &str)| {
        let (line, column) = place(text, span.start);
        let found = text.get(span).unwrap_or_default().trim();
        let message = if !message.starts_with(UNQUOTED) {
            let message = message.replace(['\n', '\r'], " ");
            format!(
                "not TOML: {}",
                message.replacen(", expected", "; expected", 1)
            )
        } else if found.is_empty() {
            "no value; write one after \"=\"".to_string()
        } else {
            let found = show(&Value::String(found.to_string()));
            format!("no quotes around a text; write {found}")
        };
        PlanError {
            path: format!("line {line}, column {column}"),
            message,
        }
    };
    faults.into_iter().map(fault).collect()
}

/// Line and column, both from 1, of a byte.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    (line, column)
}

fn plain_table(table: DeTable<'_>, text: &str, errors: &mut Vec<PlanError>) -> Table {
    table
        .into_iter()
        .map(|(key, value)| (key.into_inner().into_owned(), plain(value, text, errors)))
        .collect()
}

/// A parsed value as an owned one. Numbers are judged here, because here their place is still known.
fn plain(value: Spanned<DeValue<'_>>, text: &str, errors: &mut Vec<PlanError>) -> Value {
    let at = value.span().start;
    let mut too_large = |number: String, most: &str| {
        let (line, column) = place(text, at);
        errors.push(PlanError {
            path: format!("line {line}, column {column}"),
            message: format!("{number} is too large; write at most {most}"),
        });
    };
    match value.into_inner() {
        DeValue::String(s) => Value::String(s.into_owned()),
        DeValue::Boolean(b) => Value::Boolean(b),
        DeValue::Datetime(d) => Value::Datetime(d),
        DeValue::Integer(n) => Value::Integer(
            i64::from_str_radix(n.as_str(), n.radix()).unwrap_or_else(|_| {
                too_large(n.to_string(), "9223372036854775807");
                0
            }),
        ),
        DeValue::Float(x) => {
            let parsed: f64 = x.as_str().parse().unwrap_or(f64::INFINITY);
            if parsed.is_infinite() && !x.as_str().contains("inf") {
                too_large(x.to_string(), "1.7e308");
            }
            Value::Float(parsed)
        }
        DeValue::Array(items) => Value::Array(
            items
                .into_iter()
                .map(|item| plain(item, text, errors))
                .collect(),
        ),
        DeValue::Table(table) => Value::Table(plain_table(table, text, errors)),
    }
}
