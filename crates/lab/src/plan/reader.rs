//! Reads one table of a plan: a key that nothing asks for is a mistake.

use super::error::Log;
use super::limits::MEMBERS;
use super::spelling::{join, suggest};
use super::value::{canonical, is_a, read, show};
use crate::halt::look;
use dupack_core::data::{Format, SHIPPED};
use dupack_core::declare::{Fallback, Field, Kind, Value};
use toml::Table;

/// A table and its path. A key is known once it has been asked for; [`Reader::finish`] reports the others.
pub(super) struct Reader<'t> {
    /// Path of the table; empty for the whole plan.
    pub path: String,
    table: &'t Table,
    known: Vec<&'static str>,
}

impl<'t> Reader<'t> {
    /// A table that nothing was asked of yet.
    pub fn new(path: impl Into<String>, table: &'t Table) -> Self {
        Self {
            path: path.into(),
            table,
            known: Vec::new(),
        }
    }

    /// The path of one of its keys.
    pub fn at(&self, key: &str) -> String {
        join(&self.path, key)
    }

    /// Value under `key`.
    pub fn raw(&mut self, key: &'static str) -> Option<&'t toml::Value> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.table.get(key)
    }

    /// The value under `key`, or its fallback; `None` if there is a mistake, which is then in the log.
    pub fn value(
        &mut self,
        log: &mut Log,
        key: &'static str,
        kind: Kind,
        fallback: Fallback,
    ) -> Option<Value> {
        let read = |kind, found: &toml::Value| match (kind, found) {
            (Kind::Data(format), toml::Value::String(file)) => data(log, format, file),
            _ => read(kind, found),
        };
        let value = match (self.raw(key), fallback) {
            // A sweep needs a word for "no limit", because TOML has no value for it.
            (Some(toml::Value::String(text)), Fallback::Unset(words))
                if text == words && !words.is_empty() =>
            {
                Ok(Value::Unset)
            }
            (Some(found), Fallback::Unset(words)) if !words.is_empty() => {
                read(kind, found).map_err(|message| or_word(message, kind, words))
            }
            (Some(found), _) => read(kind, found),
            (None, Fallback::Unset(_)) => Ok(Value::Unset),
            (None, Fallback::Text(text)) => kind.read(text).ok_or_else(|| {
                format!("its default {text:?} is not valid; this is a bug in dupack")
            }),
            (None, Fallback::Required) => Err(format!("missing; write {}", kind.allowed())),
        };
        match value {
            Ok(value) => {
                log.record(&self.at(key), &canonical(&value));
                Some(value)
            }
            Err(message) => {
                log.error(self.at(key), message);
                None
            }
        }
    }

    /// The same in the Rust type of its kind.
    pub fn get<T: Field>(
        &mut self,
        log: &mut Log,
        key: &'static str,
        fallback: Fallback,
    ) -> Option<T> {
        let value = self.value(log, key, T::KIND, fallback)?;
        T::take(&value)
    }

    /// The entries of a list of tables, `[[key]]`.
    pub fn entries(&mut self, log: &mut Log, key: &'static str) -> Vec<(usize, &'t Table)> {
        let path = self.at(key);
        let items = match self.raw(key) {
            None => return Vec::new(),
            Some(toml::Value::Array(items)) if items.len() > MEMBERS => {
                let found = items.len();
                log.error(
                    path,
                    format!("{found} of them; write at most {MEMBERS} (a group of hosts with a `count` is one)"),
                );
                return Vec::new();
            }
            Some(toml::Value::Array(items)) => items,
            Some(toml::Value::Table(_)) => {
                log.error(
                    path,
                    format!("a single table; write [[{key}]], once for each"),
                );
                return Vec::new();
            }
            Some(other) => {
                log.error(
                    path,
                    format!("{}; write [[{key}]], once for each", is_a(other)),
                );
                return Vec::new();
            }
        };
        let mut tables = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            match item {
                toml::Value::Table(table) => tables.push((i, table)),
                other => log.error(
                    format!("{path}[{i}]"),
                    format!("{}; write [[{key}]], once for each", is_a(other)),
                ),
            }
        }
        tables
    }

    /// Reports every key that was not asked for.
    pub fn finish(self, log: &mut Log) {
        for key in self.table.keys() {
            if !self.known.contains(&key.as_str()) {
                log.error(
                    self.at(key),
                    format!("unknown key; {}", suggest(key, &self.known)),
                );
            }
        }
    }
}

/// An error's message with the word that the plan may write in place of a value, unless the message names that word already.
fn or_word(message: String, kind: Kind, word: &str) -> String {
    match (kind, message.strip_suffix('?')) {
        (Kind::Choice(words), _) if words.contains(&word) => message,
        (_, Some(guess)) => format!("{guess} or {word:?}?"),
        (_, None) => format!("{message}, or {word:?}"),
    }
}

/// Contents of the file, or of the data compiled in under its name; a file of such a name is `./web-search`.
fn data(log: &Log, format: Format, file: &str) -> Result<Value, String> {
    let mut shipped = SHIPPED.iter().filter(|_| format == Format::Sizes);
    let text = match shipped.find(|(name, _)| *name == file) {
        Some((_, text)) => (*text).into(),
        None => {
            let text = log.files.text(file);
            text.map_err(|why| format!("{why}; write {}", format.allowed()))?
        }
    };
    let data = format.read(&text, &look).map_err(|fault| {
        let shown = show(&toml::Value::String(file.to_string()));
        // A fault in a line says what is allowed there.
        match fault.starts_with("line ") {
            true => format!("{shown}: {fault}"),
            false => format!("{shown}: {fault}; write {}", format.allowed()),
        }
    })?;
    Ok(Value::Data(data))
}
