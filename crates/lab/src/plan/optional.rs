//! Values that a plan may omit.

use super::error::Log;
use super::reader::Reader;
use dupack_core::declare::{Fallback, Field};

/// Value of a key that may be omitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Optional<T> {
    /// The plan gives it.
    Given(T),
    /// The plan omits it, or writes the word for that.
    Absent,
    /// There is a mistake, which is in the log.
    Wrong,
}

impl<T: Field> Optional<T> {
    /// The value under `key`; `word` is the one for leaving it out.
    pub fn get(
        log: &mut Log,
        reader: &mut Reader<'_>,
        key: &'static str,
        word: &'static str,
    ) -> Self {
        match reader.get::<Option<T>>(log, key, Fallback::Unset(word)) {
            Some(found) => Self::from(found),
            None => Self::Wrong,
        }
    }
}

impl<T> Optional<T> {
    /// Applies `read` to the value; `read` returns nothing for a mistake.
    pub fn read(found: Option<&toml::Value>, read: impl FnOnce(&toml::Value) -> Option<T>) -> Self {
        match found.map(read) {
            None => Self::Absent,
            Some(None) => Self::Wrong,
            Some(Some(it)) => Self::Given(it),
        }
    }

    /// The value, if a valid one is given.
    pub fn given(self) -> Option<T> {
        match self {
            Self::Given(it) => Some(it),
            Self::Absent | Self::Wrong => None,
        }
    }

    /// Whether a valid value is given.
    pub fn is_given(&self) -> bool {
        matches!(self, Self::Given(_))
    }

    /// Whether it is omitted.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// The value or its absence, unless there is a mistake.
    pub fn right(self) -> Result<Option<T>, Wrong> {
        match self {
            Self::Given(it) => Ok(Some(it)),
            Self::Absent => Ok(None),
            Self::Wrong => Err(Wrong),
        }
    }
}

impl<T> From<Option<T>> for Optional<T> {
    fn from(found: Option<T>) -> Self {
        found.map_or(Self::Absent, Self::Given)
    }
}

/// There is a mistake, which is in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wrong;
