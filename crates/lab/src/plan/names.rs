//! Names and groups: a declaration stands for one thing or for many.
//!
//! A `count` makes a group, even `count = 1`: its members are `NAME-0`, `NAME-1`, ..., and the group's name means all of them.
//! Without a count there is one thing, and it has the bare name.

use super::error::Log;
use super::limits::MEMBERS;
use super::reader::Reader;
use super::spelling::{is_bare, join, nearest, quoted};
use super::stars::matches;
use super::value::{is_a, show};
use crate::halt::look;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use toml::Table;

/// The longest name: it becomes part of file names.
const LENGTH: usize = 100;

/// Nodes, links or flows that a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// Indices of its members.
    pub members: Range<usize>,
    /// Whether it names a group, so that its use applies to each member.
    pub group: bool,
}

/// A namespace.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Names as declared, in order.
    declared: Vec<String>,
    /// The members' names; their index is what the network uses.
    members: Vec<String>,
    lookup: HashMap<String, Span>,
}

impl Names {
    /// The name of a member.
    pub fn member(&self, index: usize) -> &str {
        &self.members[index]
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Looks up a name.
    pub fn find(&self, name: &str) -> Option<&Span> {
        self.lookup.get(name)
    }

    /// The members that `pattern` means: those of that name, or those whose names match its stars.
    pub fn matching(&self, pattern: &str) -> Vec<usize> {
        match self.lookup.get(pattern) {
            Some(span) => span.members.clone().collect(),
            None => (0..self.members.len())
                .filter(|at| pattern.contains('*') && matches(&self.members[*at], pattern))
                .collect(),
        }
    }

    /// Error message for an unknown name.
    pub fn unknown(&self, name: &str) -> String {
        // Names with wrong characters are declared as well, but must not be suggested.
        let declared = self.declared.iter().map(String::as_str);
        let near: Vec<&str> = declared.filter(|name| is_name(name)).collect();
        let found = show(&toml::Value::String(name.to_string()));
        // The name is "source-7", and the group `source` has five members: the group is right, the number is not.
        if let Some((stem, number)) = name.rsplit_once('-')
            && number.parse::<u64>().is_ok()
            && let Some(span) = self.lookup.get(stem).filter(|span| span.group)
        {
            let (first, last) = (span.members.start, span.members.end - 1);
            return format!(
                "{found} does not exist; {stem:?} has \"{}\" to \"{}\"",
                self.members[first], self.members[last]
            );
        }
        match nearest(name, &near) {
            Some(near) => format!("{found} does not exist; did you mean \"{near}\"?"),
            None if near.is_empty() => format!("{found} does not exist; nothing is declared"),
            None => format!("{found} does not exist; allowed: {}", quoted(&near)),
        }
    }

    /// Declares one thing, or a group of `count`. The error is the name that is already taken, or `None` if there are too
    /// many.
    pub fn declare(
        &mut self,
        name: &str,
        count: Option<usize>,
    ) -> Result<Range<usize>, Option<String>> {
        let start = self.members.len();
        let many = count.unwrap_or(1);
        if many > MEMBERS - start.min(MEMBERS) {
            return Err(None);
        }
        let members = start..start + many;
        let mut names = vec![(name.to_string(), members.clone(), count.is_some())];
        if count.is_some() {
            names.extend(
                (0..many).map(|i| (format!("{name}-{i}"), start + i..start + i + 1, false)),
            );
        }
        if let Some((taken, ..)) = names
            .iter()
            .find(|(name, ..)| self.lookup.contains_key(name))
        {
            return Err(Some(taken.clone()));
        }
        for (name, members, group) in names {
            if !group {
                self.members.push(name.clone());
            }
            self.lookup.insert(name, Span { members, group });
        }
        self.declared.push(name.to_string());
        Ok(members)
    }
}

/// Path of an entry of a `[[section]]` in errors: its name if it is unique, else its number,
/// from 0 like all numbers here. `earlier` are the names of the entries before it, to which its own is added.
pub(super) fn path_of<'t>(
    section: &str,
    index: usize,
    table: &'t Table,
    earlier: &mut HashSet<&'t str>,
) -> String {
    look();
    match table.get("name") {
        Some(toml::Value::String(name)) if earlier.insert(name) && is_name(name) => {
            join(section, name)
        }
        _ => format!("{section}[{index}]"),
    }
}

/// Whether `name` is valid.
pub(super) fn is_name(name: &str) -> bool {
    is_bare(name) && name.len() <= LENGTH
}

/// The `name` of an entry; `None` if it has none. A name with wrong characters is reported and returned, so that its uses
/// are not reported as well.
pub(super) fn name<'t>(log: &mut Log, reader: &mut Reader<'t>) -> Option<&'t str> {
    let rule = format!("letters, digits, \"_\" and \"-\", at most {LENGTH}");
    let (found, message) = match reader.raw("name") {
        Some(toml::Value::String(name)) if is_name(name) => {
            return Some(name);
        }
        Some(toml::Value::String(name)) => {
            let shown = show(&toml::Value::String(name.clone()));
            (
                Some(name.as_str()),
                format!("{shown} is not a name; write {rule}"),
            )
        }
        Some(other) => (None, format!("{}; write a name: {rule}", is_a(other))),
        None => (None, format!("missing; write a name: {rule}")),
    };
    log.error(reader.at("name"), message);
    found
}

/// Declares `name` in `names`, and reports if that cannot be.
pub(super) fn declare(
    log: &mut Log,
    names: &mut Names,
    path: &str,
    sort: &str,
    name: &str,
    count: Option<usize>,
) -> Option<Range<usize>> {
    match names.declare(name, count) {
        Ok(members) => Some(members),
        Err(Some(taken)) if taken == name => {
            let message = format!("{taken:?} is taken; give every {sort} a name of its own");
            log.error(join(path, "name"), message);
            None
        }
        Err(Some(taken)) => {
            let message =
                format!("its member {taken:?} has a name that is taken; rename one of the two");
            log.error(join(path, "name"), message);
            None
        }
        Err(None) => {
            let message = format!("makes more than {MEMBERS} {sort}s in all; write fewer");
            log.error(path, message);
            // The name is declared nevertheless, so that its uses are not reported as well.
            let _ = names.declare(name, Some(1));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_members_and_names_are_unique() {
        let mut names = Names::default();
        assert_eq!(names.declare("a", Some(2)), Ok(0..2));
        assert_eq!(names.declare("b", None), Ok(2..3));
        assert_eq!(names.declare("c", Some(1)), Ok(3..4));
        assert_eq!(names.declare("a-1", None), Err(Some("a-1".into())));
        assert_eq!(names.declare("a", Some(9)), Err(Some("a".into())));
        assert_eq!(names.declare("d", Some(MEMBERS)), Err(None));
        let span = |members, group| Some(&*Box::leak(Box::new(Span { members, group })));
        assert_eq!(names.find("a"), span(0..2, true));
        assert_eq!(names.find("a-1"), span(1..2, false));
        assert_eq!(names.find("b"), span(2..3, false));
        assert_eq!(names.find("c"), span(3..4, true));
        assert_eq!(names.find("c-0"), span(3..4, false));
        assert_eq!(names.member(3), "c-0");
    }
}
