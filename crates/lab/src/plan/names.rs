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
use std::collections::{BTreeSet, HashMap, HashSet};
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

/// Things declared under one name.
#[derive(Debug)]
struct Declared {
    name: String,
    /// Its first member.
    start: usize,
    /// Whether it is a group.
    group: bool,
}

/// A namespace. Only what is declared is kept: the names of members follow from it, and a group may have a million.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// In order; the members of each, whose index is what the network uses, follow those of the one before.
    declared: Vec<Declared>,
    /// Number of members.
    len: usize,
    /// The place of each name in `declared`.
    lookup: HashMap<String, usize>,
    /// Per stem, the numbers of declared names that a member of a group of that name would have.
    numbered: HashMap<String, BTreeSet<usize>>,
}

/// The stem and the number of a name that a member of a group may have.
fn as_member(name: &str) -> Option<(&str, usize)> {
    let (stem, number) = name.rsplit_once('-')?;
    let at = number.parse::<usize>().ok()?;
    // No member is called `a-01` or `a-+1`.
    (at.to_string() == number).then_some((stem, at))
}

impl Names {
    /// The name of a member.
    pub fn member(&self, index: usize) -> String {
        let place = self.declared.partition_point(|it| it.start <= index);
        let Some(of) = place.checked_sub(1).map(|at| &self.declared[at]) else {
            return String::new();
        };
        if of.group {
            format!("{}-{}", of.name, index - of.start)
        } else {
            of.name.clone()
        }
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// What is declared at a place.
    fn span(&self, place: usize) -> Span {
        let next = self.declared.get(place + 1);
        let Declared { start, group, .. } = self.declared[place];
        Span {
            members: start..next.map_or(self.len, |it| it.start),
            group,
        }
    }

    /// Looks up a name.
    pub fn find(&self, name: &str) -> Option<Span> {
        if let Some(place) = self.lookup.get(name) {
            return Some(self.span(*place));
        }
        let (stem, number) = as_member(name)?;
        let group = self.span(*self.lookup.get(stem)?);
        let at = group.members.start + number;
        (group.group && number < group.members.len()).then_some(Span {
            members: at..at + 1,
            group: false,
        })
    }

    /// The members that `pattern` means: those of that name, or those whose names match its stars.
    pub fn matching(&self, pattern: &str) -> Vec<usize> {
        match self.find(pattern) {
            Some(span) => span.members.collect(),
            None if pattern.contains('*') => (0..self.len)
                .filter(|at| matches(&self.member(*at), pattern))
                .collect(),
            None => Vec::new(),
        }
    }

    /// Error message for an unknown name.
    pub fn unknown(&self, name: &str) -> String {
        // Names with wrong characters are declared as well, but must not be suggested.
        let declared = self.declared.iter().map(|it| it.name.as_str());
        let near: Vec<&str> = declared.filter(|name| is_name(name)).collect();
        let found = show(&toml::Value::String(name.to_string()));
        // The name is "source-7", and the group `source` has five members: the group is right, the number is not.
        if let Some((stem, number)) = name.rsplit_once('-')
            && number.parse::<u64>().is_ok()
            && let Some(span) = self.lookup.get(stem).map(|place| self.span(*place))
            && span.group
        {
            let (first, last) = (span.members.start, span.members.end - 1);
            return format!(
                "{found} does not exist; {stem:?} has \"{}\" to \"{}\"",
                self.member(first),
                self.member(last)
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
        let start = self.len;
        let many = count.unwrap_or(1);
        if many > MEMBERS - start.min(MEMBERS) {
            return Err(None);
        }
        if self.find(name).is_some() {
            return Err(Some(name.to_string()));
        }
        let others = self.numbered.get(name).and_then(BTreeSet::first);
        if let Some(number) = others.filter(|number| count.is_some() && **number < many) {
            return Err(Some(format!("{name}-{number}")));
        }
        if let Some((stem, number)) = as_member(name) {
            let numbers = self.numbered.entry(stem.to_string()).or_default();
            numbers.insert(number);
        }
        self.lookup.insert(name.to_string(), self.declared.len());
        self.declared.push(Declared {
            name: name.to_string(),
            start,
            group: count.is_some(),
        });
        self.len += many;
        Ok(start..self.len)
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
        let span = |members, group| Some(Span { members, group });
        assert_eq!(names.find("a"), span(0..2, true));
        assert_eq!(names.find("a-1"), span(1..2, false));
        assert_eq!(names.find("b"), span(2..3, false));
        assert_eq!(names.find("c"), span(3..4, true));
        assert_eq!(names.find("c-0"), span(3..4, false));
        assert_eq!(names.find("a-2"), None);
        assert_eq!(names.find("a-01"), None);
        let all: Vec<String> = (0..4).map(|at| names.member(at)).collect();
        assert_eq!(all, ["a-0", "a-1", "b", "c-0"]);
        // A name that stands alone may be one that a later group would need.
        assert_eq!(names.declare("d-7", None), Ok(4..5));
        assert_eq!(names.declare("d-3", Some(2)), Ok(5..7));
        assert_eq!(names.declare("d", Some(8)), Err(Some("d-3".into())));
        assert_eq!(names.declare("d", Some(3)), Ok(7..10));
        assert_eq!(names.declare("d-2", None), Err(Some("d-2".into())));
        assert_eq!(names.find("d-3-1"), span(6..7, false));
        assert_eq!(names.matching("d-*"), [4, 5, 6, 7, 8, 9]);
    }
}
