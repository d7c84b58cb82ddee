//! Converts one value of a plan from TOML to the kind of its parameter, or says why it cannot.

use super::spelling::suggest;
use crate::halt::look;
use dupack_core::declare::{Kind, Value};
use dupack_core::measure::{Factor, PartialRate, Room, Share, Window};
use std::fmt;

/// The longest piece of a plan that an error repeats \[characters\].
const SHOWN: usize = 60;

/// Reads `found` as a value of `kind`; the error says what was found and what is allowed.
pub(super) fn read(kind: Kind, found: &toml::Value) -> Result<Value, String> {
    use toml::Value as Toml;
    match (kind, found) {
        (Kind::Share, Toml::Integer(_) | Toml::Float(_)) => share(kind, found).map(Value::Share),
        (Kind::PartialRate, Toml::Integer(_) | Toml::Float(_)) => {
            share(kind, found).map(|it| Value::PartialRate(PartialRate::Share(it)))
        }
        (Kind::Real, Toml::Integer(_) | Toml::Float(_)) => real(kind, found),
        (Kind::Factor, Toml::Integer(_) | Toml::Float(_)) => factor(kind, found),
        (Kind::Count, Toml::Integer(n)) => u64::try_from(*n)
            .map(Value::Count)
            .map_err(|_| format!("{n} is below zero; write {}", kind.allowed())),
        (Kind::Count, Toml::Float(x)) => Err(format!("{x} is not whole; write {}", kind.allowed())),
        // TOML's integers have 64 bits, so the command line passes larger numbers as texts.
        (Kind::Count, Toml::String(text))
            if text.len() > 18 && text.bytes().all(|b| b.is_ascii_digit()) =>
        {
            Err(format!(
                "{} is too large; write {} up to {}",
                show(found),
                kind.allowed(),
                i64::MAX
            ))
        }
        (Kind::Flag, Toml::Boolean(flag)) => Ok(Value::Flag(*flag)),
        (Kind::Indices, Toml::Array(items)) => indices(kind, items),
        (Kind::Choice(words), Toml::String(text)) => kind
            .read(text)
            .ok_or_else(|| format!("{} is unknown; {}", show(found), suggest(text, words))),
        (Kind::Name, Toml::String(text)) => Ok(Value::Name(text.clone())),
        (_, Toml::String(text)) if has_unit(kind) => kind.read(text).ok_or_else(|| {
            format!(
                "{} is not {}: {}; write {}",
                show(found),
                noun(kind),
                reason(kind, text),
                kind.allowed()
            )
        }),
        (_, Toml::Integer(_) | Toml::Float(_)) if has_unit(kind) => Err(format!(
            "{} is a bare number; write a unit: {}",
            show(found),
            kind.allowed()
        )),
        _ => Err(format!("{}; write {}", is_a(found), kind.allowed())),
    }
}

/// Whether a value of this kind is written as a number and its unit.
fn has_unit(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Bytes
            | Kind::Time
            | Kind::Rate
            | Kind::CellRate
            | Kind::PartialRate
            | Kind::Room
            | Kind::Packets
            | Kind::MeanPackets
            | Kind::Window
    )
}

/// A number of any size.
fn real(kind: Kind, found: &toml::Value) -> Result<Value, String> {
    let real = number(found);
    if real.is_finite() {
        Ok(Value::Real(real + 0.0)) // -0 becomes 0
    } else {
        Err(format!(
            "{} is not finite; write {}",
            show(found),
            kind.allowed()
        ))
    }
}

/// A number that is not below 1.
fn factor(kind: Kind, found: &toml::Value) -> Result<Value, String> {
    let factor = number(found);
    if factor.is_finite() && factor >= 1.0 {
        Ok(Value::Factor(Factor(factor)))
    } else {
        let found = show(found);
        Err(format!(
            "{found} is not 1 or more; write {}",
            kind.allowed()
        ))
    }
}

/// A list of whole numbers.
fn indices(kind: Kind, items: &[toml::Value]) -> Result<Value, String> {
    let wrong = |item| format!("a list that holds {}; write {}", show(item), kind.allowed());
    let items = items.iter().map(|item| {
        let whole = item.as_integer().and_then(|n| u64::try_from(n).ok());
        whole.ok_or_else(|| wrong(item))
    });
    Ok(Value::Indices(items.collect::<Result<_, _>>()?))
}

/// A number as a float, NaN for other values.
fn number(found: &toml::Value) -> f64 {
    match found {
        toml::Value::Integer(n) => *n as f64,
        toml::Value::Float(x) => *x,
        _ => f64::NAN,
    }
}

/// A number as a share, or as part of a rate.
fn share(kind: Kind, found: &toml::Value) -> Result<Share, String> {
    let share = number(found);
    if (0.0..=1.0).contains(&share) {
        Ok(Share(share + 0.0)) // -0 becomes 0
    } else {
        let found = show(found);
        Err(format!(
            "{found} is not from 0 to 1; write {}",
            kind.allowed()
        ))
    }
}

/// Noun for a value of this kind in errors.
fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Bytes | Kind::Window => "a size",
        Kind::Time => "a time",
        Kind::Rate | Kind::CellRate | Kind::PartialRate => "a rate",
        Kind::Room => "room",
        Kind::Packets => "a number of packets",
        Kind::MeanPackets => "a mean number of packets",
        Kind::Share => "a share",
        Kind::Factor => "a factor",
        Kind::Real => "a number",
        Kind::Count => "a whole number",
        Kind::Flag => "true or false",
        Kind::Choice(_) => "one of the words",
        Kind::Name => "a name",
        Kind::Indices => "a list of whole numbers",
        Kind::Discipline(_) => "a discipline",
        Kind::Data(_) => "a file",
    }
}

/// Why `text` is no quantity of `kind`: the number, or the unit.
fn reason(kind: Kind, text: &str) -> String {
    let text = text.trim();
    let at = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let unit = unit.trim_start();
    if number.is_empty() {
        return if unit.starts_with('-') {
            "it is negative".into()
        } else {
            "it has no number".into()
        };
    }
    if unit.is_empty() {
        return "it has no unit".into();
    }
    if kind.read(&format!("1 {unit}")).is_none() {
        return format!("its unit is {unit:?}");
    }
    match number.parse::<f64>() {
        Err(_) => format!("{number} is not a number"),
        Ok(0.0) => "it is zero".into(),
        Ok(mean) if kind == Kind::MeanPackets && mean < 1.0 => "it is below 1".into(),
        Ok(_) if number.contains('.') => {
            // The whole part is tried alone, to learn whether the decimals are the mistake.
            let whole = number.split('.').next().unwrap_or_default();
            if kind.read(&format!("{whole}1 {unit}")).is_some() {
                "it has too many decimals".into()
            } else {
                "it is too large".into()
            }
        }
        Ok(_) => "it is too large".into(),
    }
}

/// A found value, short and on one line.
pub(super) fn show(found: &toml::Value) -> String {
    use toml::Value as Toml;
    match found {
        Toml::String(text) => {
            let mut short: String = text.chars().take(SHOWN).collect();
            if short.len() < text.len() {
                short.push('…');
            }
            format!("{short:?}")
        }
        Toml::Integer(n) => n.to_string(),
        Toml::Float(x) => x.to_string(),
        Toml::Boolean(b) => b.to_string(),
        Toml::Datetime(d) => d.to_string(),
        Toml::Array(_) => "a list".into(),
        Toml::Table(_) => "a table".into(),
    }
}

/// `"x" is a string`, `a table`: for a value of the wrong type.
pub(super) fn is_a(found: &toml::Value) -> String {
    use toml::Value as Toml;
    let kind = match found {
        Toml::String(_) => "a string",
        Toml::Integer(_) | Toml::Float(_) => "a number",
        Toml::Boolean(_) => "a flag",
        Toml::Datetime(_) => "a date",
        Toml::Array(_) | Toml::Table(_) => return show(found),
    };
    format!("{} is {kind}", show(found))
}

/// Canonical text of a value: equal values have equal texts, whatever units the plan used.
pub(super) fn canonical(value: &Value) -> String {
    match value {
        Value::Bytes(b) => format!("{} B", b.0),
        Value::Time(t) => format!("{} ps", t.0),
        Value::Rate(r) => format!("{} b/s", r.0),
        Value::CellRate(r) | Value::PartialRate(PartialRate::Cells(r)) => {
            format!("{} cells/s", r.0)
        }
        Value::PartialRate(PartialRate::Share(s)) => s.0.to_string(),
        Value::Room(Room::Cells(n)) => format!("{n} cells"),
        Value::Room(Room::Packets(n)) => format!("{n} packets"),
        Value::Packets(p) => format!("{} packets", p.0),
        Value::MeanPackets(p) => format!("{} packets", p.0),
        Value::Window(Window::Bytes(b)) => format!("{b} B"),
        Value::Window(Window::Segments(n)) => format!("{n} segments"),
        Value::Share(s) => s.0.to_string(),
        Value::Factor(f) => f.0.to_string(),
        Value::Real(x) => x.to_string(),
        Value::Count(n) => n.to_string(),
        Value::Flag(f) => f.to_string(),
        Value::Choice(word) => (*word).to_string(),
        Value::Name(name) => name.clone(),
        Value::Indices(items) => format!("{items:?}"),
        // The parameters of the discipline are recorded under their own paths.
        Value::Discipline(name, _) => (*name).to_string(),
        Value::Data(data) => {
            let mut digest = Digest::new();
            data.canonical(&mut digest).expect("it takes everything");
            digest.told()
        }
        Value::Unset => "unset".into(),
    }
}

/// FNV-1a of 128 bits: a file's contents may be long, and the key has one line for them.
struct Digest(u128);

impl Digest {
    fn new() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    fn told(&self) -> String {
        format!("{:032x}", self.0)
    }
}

impl fmt::Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        look();
        let step = |hash: u128, byte| (hash ^ u128::from(byte)).wrapping_mul((1 << 88) + 0x13b);
        self.0 = text.bytes().fold(self.0, step);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    #[test]
    fn the_digest_is_fnv_1a() {
        let mut digest = Digest::new();
        assert_eq!(digest.told(), "6c62272e07bb014262b821756295c58d");
        digest.write_str("a").expect("it takes everything");
        assert_eq!(digest.told(), "d228cb696f1a8caf78912b704e4a8964");
    }
}
