//! One declaration per parameter: name, type, default, unit, help.
//!
//! [`declare!`](crate::declare!) writes a struct of parameters and, from the same words, the table from which the plan's
//! keys, the error messages, the command line's help and the reference are made.

use crate::data::{Data, Delays, Format, Opportunities, Packets as Trace, Sizes, Steps};
use crate::measure::{
    Bytes, CELL_BITS, CellRate, Factor, MeanPackets, Packets, PartialRate, Rate, Room, Share,
    Window,
};
use crate::time::Duration;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Kinds of values, and so how a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `"536 B"`, `"64 KiB"`
    Bytes,
    /// `"0.3 ms"`
    Time,
    /// `"155.52 Mb/s"`
    Rate,
    /// `"365566 cells/s"`, `"155 Mb/s"`
    CellRate,
    /// the same, or a bare number from 0 to 1
    PartialRate,
    /// `"1200 cells"`, `"50 packets"`
    Room,
    /// `"25 packets"`
    Packets,
    /// `"5 packets"`, `"1.5 packets"`
    MeanPackets,
    /// `"64 KiB"`, `"12 segments"`
    Window,
    /// a bare number from 0 to 1
    Share,
    /// a bare number from 1 on
    Factor,
    /// a bare number
    Real,
    /// a bare whole number
    Count,
    /// `true`, `false`
    Flag,
    /// one of these words
    Choice(&'static [&'static str]),
    /// the name of something in the plan
    Name,
    /// a list of whole numbers
    Indices,
    /// the table of a discipline, one of these
    Discipline(&'static [&'static str]),
    /// the name of a file in this format
    Data(Format),
}

/// A value that has been read, in the type its parameter asks for.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // each variant is the `Kind` of its name
pub enum Value {
    Bytes(Bytes),
    Time(Duration),
    Rate(Rate),
    CellRate(CellRate),
    PartialRate(PartialRate),
    Room(Room),
    Packets(Packets),
    MeanPackets(MeanPackets),
    Window(Window),
    Share(Share),
    Factor(Factor),
    Real(f64),
    Count(u64),
    Flag(bool),
    Choice(&'static str),
    Name(String),
    Indices(Vec<u64>),
    /// A discipline's name, and its values in the order of its declaration.
    Discipline(&'static str, Vec<Value>),
    /// Contents of a file.
    Data(Data),
    /// An optional parameter that is not set.
    Unset,
}

/// Value of a parameter that the plan does not give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// The plan must say.
    Required,
    /// This text, read as if it stood in the plan.
    Text(&'static str),
    /// Nothing; the words say what that means (`"unlimited"`).
    Unset(&'static str),
}

/// One declared parameter.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The plan's key.
    pub name: &'static str,
    /// Kind of its value.
    pub kind: Kind,
    /// Value if it is not given.
    pub fallback: Fallback,
    /// Help, in a line or two.
    pub help: &'static str,
    /// Values that tests give it, as texts of its kind; none: its default, every word of a choice, or [`Kind::example`].
    pub tried: &'static [&'static str],
    /// The value with which its word's picture shows something, if that is not the default.
    pub shown: Option<&'static str>,
}

/// Inconsistent values: the one at fault, its value, and the allowed values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The parameter's name.
    pub name: &'static str,
    /// Its value, as the plan would write it.
    pub found: String,
    /// Description of the allowed values.
    pub allowed: String,
}

/// A struct made by [`declare!`](crate::declare!).
pub trait Declared: Sized {
    /// The word in plans, and everywhere else.
    const NAME: &'static str;
    /// Summary, in one line.
    const SUMMARY: &'static str;
    /// Key of its source.
    const SOURCE: &'static str;
    /// The parameters, in order.
    const PARAMETERS: &'static [Parameter];
    /// The struct from values in the order of [`Self::PARAMETERS`], each of its parameter's kind.
    fn from_values(values: &[Value]) -> Self;
    /// Checks whether the values are consistent.
    fn check(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// The struct from texts, all others at their default: for tests and examples.
    ///
    /// # Panics
    /// If a name is not declared, a text is not of its kind, a required one is missing, or the values are inconsistent.
    fn from_texts(texts: &[(&str, &str)]) -> Self {
        for (name, _) in texts {
            assert!(
                Self::PARAMETERS.iter().any(|p| p.name == *name),
                "{} has no parameter {name}",
                Self::NAME
            );
        }
        let values: Vec<Value> = Self::PARAMETERS
            .iter()
            .map(|p| {
                let given = texts
                    .iter()
                    .find(|(name, _)| *name == p.name)
                    .map(|(_, text)| *text);
                match (given, p.fallback) {
                    (Some(text), _) | (None, Fallback::Text(text)) => {
                        p.kind.read(text).expect(text)
                    }
                    (None, Fallback::Unset(_)) => Value::Unset,
                    (None, Fallback::Required) => panic!("{} needs {}", Self::NAME, p.name),
                }
            })
            .collect();
        let it = Self::from_values(&values);
        it.check().expect("parameters go together");
        it
    }
}

/// A Rust type that a parameter can have.
pub trait Field: Sized {
    /// Its kind.
    const KIND: Kind;
    /// From a value of that kind.
    fn take(value: &Value) -> Option<Self>;
}

macro_rules! field {
    ($($type:ty: $kind:ident),*) => {$(
        impl Field for $type {
            const KIND: Kind = Kind::$kind;
            fn take(value: &Value) -> Option<Self> {
                if let Value::$kind(it) = value { Some(it.clone()) } else { None }
            }
        }
    )*};
}
field!(Bytes: Bytes, Duration: Time, Rate: Rate, CellRate: CellRate, PartialRate: PartialRate, Room: Room, Packets: Packets, MeanPackets: MeanPackets, Window: Window, Share: Share,
       Factor: Factor, f64: Real, u64: Count, bool: Flag, String: Name, Vec<u64>: Indices);

macro_rules! data {
    ($($type:ty: $format:ident),*) => {$(
        impl Field for Arc<$type> {
            const KIND: Kind = Kind::Data(Format::$format);
            fn take(value: &Value) -> Option<Self> {
                if let Value::Data(Data::$format(it)) = value { Some(it.clone()) } else { None }
            }
        }
    )*};
}
data!(Sizes: Sizes, Trace: Packets, Opportunities: Opportunities, Steps: Steps, Delays: Delays);

impl<T: Field> Field for Option<T> {
    const KIND: Kind = T::KIND;
    fn take(value: &Value) -> Option<Self> {
        if matches!(value, Value::Unset) {
            Some(None)
        } else {
            T::take(value).map(Some)
        }
    }
}

/// Declares an enum whose variants are words in a plan.
#[macro_export]
macro_rules! choice {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$vmeta])* $variant),+ }
        impl $name {
            /// Its word in plans.
            pub const fn in_plans(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
        impl $crate::declare::Field for $name {
            const KIND: $crate::declare::Kind = $crate::declare::Kind::Choice(&[$($word),+]);
            fn take(value: &$crate::declare::Value) -> Option<Self> {
                match value {
                    $($crate::declare::Value::Choice($word) => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

/// Declares the parameters of a part: a struct, and its [`Declared`](crate::declare::Declared) table.
///
/// `name: Type;` is required, `name: Type = "text";` has a default, `name: Option<Type> = unset "unlimited";` may be left out.
/// After that, `try ["text", ...]` gives the values that tests try beside what they would otherwise take, and `show "text"` the one in the
/// word's picture; both only where the default shows too little in a short run. A trailing `check |it| expr` says whether the
/// values go together.
#[macro_export]
macro_rules! declare {
    (
        $(#[doc = $summary:literal])+
        pub struct $name:ident as $word:literal from $source:literal {
            $( $(#[doc = $help:literal])+ $field:ident : $type:ty $(= $($unset:ident)? $text:literal)?
                $(, try [$($tried:literal),+])? $(, show $shown:literal)? ; )*
        }
        $(check $check:expr)?
    ) => {
        $(#[doc = $summary])+
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $( $(#[doc = $help])+ pub $field: $type, )* }

        impl $crate::declare::Declared for $name {
            const NAME: &'static str = $word;
            const SUMMARY: &'static str = concat!($($summary),+);
            const SOURCE: &'static str = $source;
            const PARAMETERS: &'static [$crate::declare::Parameter] = &[
                $( $crate::declare::Parameter {
                    name: stringify!($field),
                    kind: <$type as $crate::declare::Field>::KIND,
                    fallback: $crate::declare!(@fallback $($($unset)? $text)?),
                    help: concat!($($help),+),
                    tried: &[$($($tried),+)?],
                    shown: $crate::declare!(@shown $($shown)?),
                }, )*
            ];
            #[allow(unused_mut, unused_variables)]
            fn from_values(values: &[$crate::declare::Value]) -> Self {
                let mut values = values.iter();
                Self { $( $field: <$type as $crate::declare::Field>::take(
                    values.next().expect(concat!("a value for ", stringify!($field)))
                ).expect(concat!("the kind of ", stringify!($field))), )* }
            }
            $(
                fn check(&self) -> Result<(), $crate::declare::Fault> {
                    let check: fn(&Self) -> Result<(), $crate::declare::Fault> = $check;
                    check(self)
                }
            )?
        }
    };
    (@shown) => { None };
    (@shown $text:literal) => { Some($text) };
    (@fallback) => { $crate::declare::Fallback::Required };
    (@fallback unset $words:literal) => { $crate::declare::Fallback::Unset($words) };
    (@fallback $text:literal) => { $crate::declare::Fallback::Text($text) };
}

/// Units of a scale, each with its size in the base unit.
type Scale = &'static [(&'static str, u64)];
const TIMES: Scale = &[
    ("ps", 1),
    ("ns", 1_000),
    ("us", 1_000_000),
    ("µs", 1_000_000),
    ("ms", 1_000_000_000),
    ("s", 1_000_000_000_000),
    ("min", 60_000_000_000_000),
    ("h", 3_600_000_000_000_000),
];
const RATES: Scale = &[
    ("b/s", 1),
    ("kb/s", 1_000),
    ("Mb/s", 1_000_000),
    ("Gb/s", 1_000_000_000),
    ("Tb/s", 1_000_000_000_000),
    ("cells/s", CELL_BITS),
];
const BYTES: Scale = &[
    ("B", 1),
    ("kB", 1_000),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
];

impl Kind {
    /// Its name in plans.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Time => "time",
            Self::Rate => "rate",
            Self::Room => "room",
            Self::Packets => "packets",
            Self::MeanPackets => "mean-packets",
            Self::Window => "window",
            Self::Share => "share",
            Self::Count => "count",
            Self::Flag => "flag",
            Self::Choice(_) => "choice",
            Self::Name => "name",
            Self::Indices => "indices",
            Self::Discipline(_) => "discipline",
            Self::CellRate => "cell-rate",
            Self::PartialRate => "partial-rate",
            Self::Factor => "factor",
            Self::Real => "real",
            Self::Data(_) => "file",
        }
    }

    /// Units in which a value of this kind may be written; empty for kinds without a unit.
    pub fn units(self) -> Vec<&'static str> {
        let of = |scale: Scale| scale.iter().map(|(name, _)| *name).collect();
        match self {
            Self::Bytes => of(BYTES),
            Self::Time => of(TIMES),
            Self::Rate => of(RATES),
            Self::CellRate | Self::PartialRate => [Vec::from(["cells/s"]), of(RATES)].concat(),
            Self::Room => Vec::from(["cells", "cell", "packets", "packet"]),
            Self::Packets | Self::MeanPackets => Vec::from(["packets", "packet"]),
            Self::Window => [of(BYTES), Vec::from(["segments", "segment"])].concat(),
            Self::Share
            | Self::Factor
            | Self::Real
            | Self::Count
            | Self::Flag
            | Self::Choice(_)
            | Self::Name
            | Self::Indices
            | Self::Data(_)
            | Self::Discipline(_) => Vec::new(),
        }
    }

    /// A value of this kind that serves where any will do, as [`Kind::read`] reads it; of a discipline's table as a plan writes it. Room is in
    /// packets.
    pub const fn example(self) -> &'static str {
        match self {
            Self::Bytes => "1000 B",
            Self::Time => "1 s",
            Self::Rate | Self::CellRate | Self::PartialRate => "160 kb/s",
            Self::Room => "8 packets",
            Self::Packets | Self::MeanPackets => "5 packets",
            Self::Window => "24 segments",
            Self::Share => "0.1",
            Self::Factor => "2",
            Self::Real => "0.5",
            Self::Count => "4",
            Self::Flag => "true",
            Self::Choice(words) => match words {
                [] => "",
                [first, ..] => first,
            },
            Self::Name | Self::Data(_) => "flow",
            Self::Indices => "[7, 11, 12]",
            Self::Discipline(_) => "{ kind = \"drop-tail\", buffer = \"8 packets\" }",
        }
    }

    /// Description of a value of this kind, for messages: `a time such as "0.3 ms"`.
    pub fn allowed(self) -> String {
        match self {
            Self::Bytes => {
                "a size such as \"536 B\" or \"64 KiB\" (B, kB, KiB, MB, MiB, GB, GiB)".into()
            }
            Self::Time => "a time such as \"0.3 ms\" (ps, ns, us, ms, s, min, h)".into(),
            Self::Rate => {
                "a rate above zero such as \"155.52 Mb/s\" (b/s, kb/s, Mb/s, Gb/s, Tb/s, cells/s)".into()
            }
            Self::CellRate => {
                "a rate such as \"365566 cells/s\" or \"155 Mb/s\" (cells/s, b/s, kb/s, Mb/s, Gb/s, Tb/s)"
                    .into()
            }
            Self::PartialRate => {
                "a rate such as \"18278 cells/s\" or \"7.75 Mb/s\", or a share, a bare number from 0 to 1"
                    .into()
            }
            Self::Room => "room such as \"1200 cells\" or \"50 packets\", at least 1".into(),
            Self::Packets => "a number of packets such as \"25 packets\"".into(),
            Self::MeanPackets => {
                "a mean number of packets such as \"5 packets\" or \"1.5 packets\", at least 1"
                    .into()
            }
            Self::Window => "a size such as \"64 KiB\" or \"12 segments\"".into(),
            Self::Share => "a share, a bare number from 0 to 1".into(),
            Self::Factor => "a factor, a bare number of at least 1".into(),
            Self::Real => "a bare number such as 0.4".into(),
            Self::Count => "a whole number".into(),
            Self::Flag => "true or false".into(),
            Self::Choice(words) => {
                let quoted: Vec<String> = words.iter().map(|w| format!("\"{w}\"")).collect();
                quoted.join(" or ")
            }
            Self::Name => "a name from the plan".into(),
            Self::Indices => "a list of whole numbers such as [40, 43]".into(),
            Self::Data(format) => format.allowed().into(),
            Self::Discipline(names) => {
                let quoted: Vec<String> = names.iter().map(|w| format!("\"{w}\"")).collect();
                format!(
                    "a table such as {{ kind = \"drop-tail\", buffer = \"50 packets\" }}; its kinds: {}",
                    quoted.join(", ")
                )
            }
        }
    }

    /// The value of this kind that `text` writes, or `None` if it writes none; [`Kind::allowed`] says how to.
    pub fn read(self, text: &str) -> Option<Value> {
        let text = text.trim();
        Some(match self {
            Self::Bytes => Value::Bytes(Bytes(quantity(text, BYTES)?)),
            Self::Time => Value::Time(Duration(quantity(text, TIMES)?)),
            Self::Rate => Value::Rate(Rate(quantity(text, RATES).filter(|r| *r > 0)?)),
            Self::CellRate => Value::CellRate(cell_rate(text)?),
            Self::PartialRate => Value::PartialRate(match Self::Share.read(text) {
                Some(Value::Share(share)) => PartialRate::Share(share),
                _ => PartialRate::Cells(cell_rate(text)?),
            }),
            Self::Room => {
                let (n, unit) = split(text)?;
                let n = n.parse().ok().filter(|n| *n > 0)?;
                match unit {
                    "cells" | "cell" => Value::Room(Room::Cells(n)),
                    "packets" | "packet" => Value::Room(Room::Packets(n)),
                    _ => return None,
                }
            }
            Self::Packets => match split(text)? {
                (n, "packets" | "packet") => Value::Packets(Packets(n.parse().ok()?)),
                _ => return None,
            },
            Self::MeanPackets => match split(text)? {
                (n, "packets" | "packet") => {
                    let mean = n.parse().ok().filter(|n| (1.0..=f64::MAX).contains(n))?;
                    Value::MeanPackets(MeanPackets(mean))
                }
                _ => return None,
            },
            Self::Window => match split(text)? {
                (n, "segments" | "segment") => Value::Window(Window::Segments(n.parse().ok()?)),
                _ => Value::Window(Window::Bytes(quantity(text, BYTES)?)),
            },
            Self::Share => Value::Share(Share(
                text.parse().ok().filter(|s| (0.0..=1.0).contains(s))?,
            )),
            Self::Factor => Value::Factor(Factor(
                text.parse()
                    .ok()
                    .filter(|it: &f64| it.is_finite() && *it >= 1.0)?,
            )),
            Self::Real => Value::Real(text.parse().ok().filter(|it: &f64| it.is_finite())?),
            Self::Count => Value::Count(text.parse().ok()?),
            Self::Flag => Value::Flag(text.parse().ok()?),
            Self::Choice(words) => Value::Choice(words.iter().find(|w| **w == text)?),
            Self::Name => Value::Name(text.to_string()),
            // A discipline is a table, not a text, and only the host reads files.
            Self::Discipline(_) | Self::Data(_) => return None,
            Self::Indices => {
                let inner = text.strip_prefix('[')?.strip_suffix(']')?;
                let items = inner
                    .split(',')
                    .map(str::trim)
                    .filter(|item| !item.is_empty());
                Value::Indices(items.map(|item| item.parse().ok()).collect::<Option<_>>()?)
            }
        })
    }
}

/// `"12 cells"` into `("12", "cells")`.
fn split(text: &str) -> Option<(&str, &str)> {
    let at = text.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    let (number, unit) = text.split_at(at);
    let unit = unit.trim_start();
    let has_digit = number.bytes().any(|b| b.is_ascii_digit());
    (has_digit && !unit.is_empty()).then_some((number, unit))
}

/// A decimal number and a unit of `scale`, exactly: `"155.52 Mb/s"` is 155,520,000. Digits finer than the base unit are
/// refused rather than rounded.
fn quantity(text: &str, scale: Scale) -> Option<u64> {
    let (number, unit) = split(text)?;
    let (_, size) = scale.iter().find(|(name, _)| *name == unit)?;
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let whole: u128 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let part = part.trim_end_matches('0');
    let fraction: u128 = if part.is_empty() {
        0
    } else {
        part.parse().ok()?
    };
    let decimals = 10u128.checked_pow(u32::try_from(part.len()).ok()?)?;
    let scaled = fraction.checked_mul(u128::from(*size))?;
    if scaled % decimals != 0 {
        return None;
    }
    let scaled = whole
        .checked_mul(u128::from(*size))?
        .checked_add(scaled / decimals)?;
    u64::try_from(scaled).ok()
}

/// A rate in cells, or in bits on the line. Part of a cell per second is a rate as well.
fn cell_rate(text: &str) -> Option<CellRate> {
    if let (number, "cells/s") = split(text)? {
        let rate: f64 = number.parse().ok()?;
        return rate.is_finite().then_some(CellRate(rate));
    }
    quantity(text, RATES).map(|bits| CellRate::of(Rate(bits)))
}

#[cfg(test)]
mod tests;
