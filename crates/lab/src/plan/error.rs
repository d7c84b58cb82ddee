//! Errors in plans: every mistake, one line each.

use super::files::Files;
use std::fmt;

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlanError {
    /// Where: the path of the value (`link.bottleneck.queue.lower`), or the line of a file that is no TOML.
    pub path: String,
    /// What was found, and what is allowed.
    pub message: String,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// Every mistake of a plan. There is at least one, and nothing was run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct PlanErrors {
    /// The file, or whatever the plan came from.
    pub origin: String,
    /// The mistakes.
    pub errors: Vec<PlanError>,
}

impl fmt::Display for PlanErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.errors.len();
        let plural = if n == 1 { "" } else { "s" };
        write!(
            f,
            "{}: {n} error{plural} in the plan, nothing was run",
            self.origin
        )?;
        for error in &self.errors {
            write!(f, "\n{error}")?;
        }
        Ok(())
    }
}

/// Record of the reading of a plan: its mistakes, and its text in canonical form.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// The mistakes so far.
    pub errors: Vec<PlanError>,
    /// A line `path = value` per value, defaults included, in base units.
    pub key: String,
    /// Files that it may read.
    pub files: Files,
}

impl Log {
    /// Empty, for a plan that may read these files.
    pub fn with(files: &Files) -> Self {
        Self {
            files: files.clone(),
            ..Self::default()
        }
    }

    /// Notes a mistake. What the plan's author or a library wrote into the message stays in one line.
    pub fn error(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.errors.push(PlanError {
            path: one_line(path.into()),
            message: one_line(message.into()),
        });
    }

    /// Records a value of the plan.
    pub fn record(&mut self, path: &str, value: &str) {
        self.key.push_str(path);
        self.key.push_str(" = ");
        self.key.push_str(value);
        self.key.push('\n');
    }
}

/// The text with its control characters as escapes.
fn one_line(text: String) -> String {
    if !text.contains(char::is_control) {
        return text;
    }
    let escaped = |c: char| match c {
        c if c.is_control() => c.escape_default().to_string(),
        c => c.to_string(),
    };
    text.chars().map(escaped).collect()
}
