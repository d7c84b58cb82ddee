//! `[sweep]`: the values to try. One table is one grid with all combinations of the values of its axes, the last axis varying
//! fastest; several, `[[sweep]]`, are grids one after the other.
//!
//! A point that several grids contain is one point. `seeds` applies to the whole plan: one grid gives it, or several give the same,
//! or it is in a grid of its own.

use super::error::Log;
use super::overrides::{Override, shown};
use super::path;
use super::seeds::{MOST, distinct, listed, range};
use super::spelling::join;
use super::stars;
use super::value::{is_a, show};
use std::collections::HashSet;
use toml::{Table, Value};

/// The most points of a plan.
pub(super) const POINTS: usize = 100_000;

/// One path and the values that it takes.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// Path that it sets.
    pub path: String,
    /// Its place in the plan, for errors.
    pub place: String,
    /// Values to try, in order.
    pub values: Vec<Value>,
}

/// The sweep of a plan.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    /// The axes of each grid.
    pub grids: Vec<Vec<Axis>>,
    /// If the sweep gives them.
    pub seeds: Option<Vec<u64>>,
    /// Whether all axes could be read, and the number of points is allowed.
    pub sound: bool,
}

/// Reads the sweep `found` in the plan, with the overrides `own` of it and those of the plan.
pub(super) fn read(
    log: &mut Log,
    found: Option<&Value>,
    own: &[Override],
    overrides: &[Override],
) -> Sweep {
    let before = log.errors.len();
    let mut grids = grids(log, found);
    replace(log, &mut grids, own);
    let mut sweep = Sweep::default();
    for (place, entries) in &grids {
        let mut axes: Vec<Axis> = Vec::new();
        for (path, value) in entries {
            let place = format!("{place}.{}", shown(path));
            if path == "seeds" {
                seeds(log, &place, value, &mut sweep.seeds);
            } else if axes.iter().any(|axis| axis.path == *path) {
                log.error(place, "given twice; write every axis once");
            } else if let Some(message) = path::not_an_axis(path) {
                log.error(place, message);
            } else {
                match values(value) {
                    Ok(values) => axes.push(Axis {
                        path: path.clone(),
                        place,
                        values,
                    }),
                    Err(message) => log.error(place, message),
                }
            }
        }
        // A grid with nothing but seeds sets the plan's seeds, and adds no point.
        let only_seeds = axes.is_empty() && entries.iter().any(|(path, _)| path == "seeds");
        if !(only_seeds && grids.len() > 1) {
            sweep.grids.push(axes);
        }
    }
    sweep.hold(overrides);
    let sizes = sweep.grids.iter().map(|axes| {
        axes.iter()
            .fold(1_usize, |n, axis| n.saturating_mul(axis.values.len()))
    });
    let points = sizes.fold(0_usize, usize::saturating_add);
    if points > POINTS {
        log.error(
            "sweep",
            format!("{points} points; write a sweep of at most {POINTS}"),
        );
    }
    sweep.sound = log.errors.len() == before;
    sweep
}

/// A grid as written: where it stands, and its entries, flat.
type Written = (String, Vec<(String, Value)>);

fn grids(log: &mut Log, found: Option<&Value>) -> Vec<Written> {
    let allowed = "write a table of paths and lists, [sweep], or several, [[sweep]]";
    match found {
        None => Vec::new(),
        Some(Value::Table(table)) => vec![("sweep".into(), flat(table))],
        Some(Value::Array(items)) => {
            let mut grids = Vec::with_capacity(items.len());
            for (i, item) in items.iter().enumerate() {
                match item {
                    Value::Table(table) => grids.push((format!("sweep[{i}]"), flat(table))),
                    other => {
                        log.error(format!("sweep[{i}]"), format!("{}; {allowed}", is_a(other)))
                    }
                }
            }
            grids
        }
        Some(other) => {
            log.error("sweep", format!("{}; {allowed}", is_a(other)));
            Vec::new()
        }
    }
}

/// Entries by whole path: TOML reads an unquoted `link.b.rate = [..]` as tables within tables.
fn flat(table: &Table) -> Vec<(String, Value)> {
    let mut entries = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) => {
                let inner = flat(inner).into_iter();
                entries.extend(inner.map(|(rest, value)| (format!("{key}.{rest}"), value)));
            }
            _ => entries.push((key.clone(), value.clone())),
        }
    }
    entries
}

/// An override of an axis replaces it in the grids that have it; a new one joins every grid.
fn replace(log: &mut Log, grids: &mut Vec<Written>, overrides: &[Override]) {
    for Override { path, value } in overrides {
        if path.is_empty() {
            *grids = self::grids(log, Some(value));
            continue;
        }
        if grids.is_empty() {
            grids.push(("sweep".into(), Vec::new()));
        }
        let has = |(_, entries): &Written| entries.iter().any(|(p, _)| p == path);
        let anywhere = grids.iter().any(has);
        for grid in grids.iter_mut().filter(|grid| !anywhere || has(grid)) {
            match grid.1.iter_mut().find(|(p, _)| p == path) {
                Some((_, old)) => *old = value.clone(),
                None => grid.1.push((path.clone(), value.clone())),
            }
        }
    }
}

/// The values of an axis.
fn values(found: &Value) -> Result<Vec<Value>, String> {
    let allowed = "write a list of values, or a range of whole numbers such as \"1..20\"";
    let values = match found {
        Value::Array(items) if items.is_empty() => {
            return Err("an empty list; write at least one value".into());
        }
        Value::Array(items) if items.len() as u64 > MOST => {
            return Err(format!("{} values; write at most {MOST}", items.len()));
        }
        Value::Array(items) => items.clone(),
        Value::String(text) => {
            let range =
                range(text).ok_or_else(|| format!("{} is not a list; {allowed}", show(found)))?;
            let whole = |n| i64::try_from(n).map(Value::Integer);
            let numbers: Result<_, _> = listed(text, range)?.into_iter().map(whole).collect();
            numbers.map_err(|_| format!("{} is too large; {allowed}", show(found)))?
        }
        _ => return Err(format!("{}; {allowed}", is_a(found))),
    };
    // In long lists only neighbours are compared: accidental repetitions are close together, and comparing all pairs would take long.
    let near = if values.len() > 1_000 {
        1
    } else {
        values.len()
    };
    for (i, value) in values.iter().enumerate() {
        if values
            .iter()
            .skip(i + 1)
            .take(near)
            .any(|other| other == value)
        {
            let value = show(value);
            return Err(format!("{value} is given twice; write every value once"));
        }
    }
    Ok(values)
}

/// Reads `seeds`, which must equal those of another grid, if one gave them.
fn seeds(log: &mut Log, place: &str, found: &Value, known: &mut Option<Vec<u64>>) {
    let read = values(found).and_then(|values| {
        let seed = |value: &Value| {
            let seed = value.as_integer().and_then(|n| u64::try_from(n).ok());
            seed.ok_or_else(|| format!("{} is not a seed; write whole numbers", show(value)))
        };
        let seeds: Vec<u64> = values.iter().map(seed).collect::<Result<_, _>>()?;
        distinct(&seeds)?;
        Ok(seeds)
    });
    match (read, known) {
        (Err(message), _) => log.error(place, message),
        (Ok(seeds), Some(known)) if seeds != *known => log.error(
            place,
            "these seeds differ from those of an earlier grid; write seeds once: they hold for the whole plan",
        ),
        (Ok(seeds), known) => *known = Some(seeds),
    }
}

/// Values that a point of a sweep sets.
pub(super) type Settings = Vec<(String, Value)>;

impl Sweep {
    /// Removes the axes that an override fixes: the user's value applies to every point.
    fn hold(&mut self, overrides: &[Override]) {
        for axes in &mut self.grids {
            axes.retain(|axis| {
                !overrides
                    .iter()
                    .any(|o| stars::is_within(&axis.path, &o.path))
            });
        }
        if let Some(seed) = overrides.iter().rfind(|o| o.path == "seed") {
            self.seeds = seed
                .value
                .as_integer()
                .and_then(|n| u64::try_from(n).ok())
                .map(|n| vec![n]);
        }
    }

    /// Every point, in order; if the sweep has mistakes, only the first point of each grid.
    pub fn points(&self) -> Vec<Settings> {
        if self.grids.is_empty() {
            return vec![Settings::new()];
        }
        let mut points = Vec::new();
        for axes in &self.grids {
            let mut grid = vec![Settings::new()];
            for axis in axes {
                let values = if self.sound {
                    axis.values.as_slice()
                } else {
                    &axis.values[..1]
                };
                grid = grid
                    .iter()
                    .flat_map(|settings| {
                        values.iter().map(|value| {
                            let mut settings = settings.clone();
                            settings.push((axis.path.clone(), value.clone()));
                            settings
                        })
                    })
                    .collect();
            }
            points.append(&mut grid);
        }
        // Two grids may contain the same point, above all when an override has removed axes in which they differ.
        let mut seen = HashSet::new();
        points.retain(|settings| self.grids.len() == 1 || seen.insert(format!("{settings:?}")));
        points
    }
}

/// Values that a point sets, for errors: `link.bottleneck.queue.lower = 0.4, ...`.
pub(super) fn describe(settings: &Settings) -> String {
    let one = |(path, value): &(String, Value)| {
        let value = match value {
            Value::Array(_) | Value::Table(_) => value.to_string().replace('\n', " "),
            _ => show(value),
        };
        format!("{} = {value}", join("", path).trim_matches('"'))
    };
    settings.iter().map(one).collect::<Vec<_>>().join(", ")
}
