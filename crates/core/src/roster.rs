//! Rosters: the words that a plan can name, family by family.
//!
//! A family is a folder with an algorithm per file. An algorithm `red` is a module `red` with a declaration
//! [`RedParams`](crate::queue::red::RedParams) and a part `Red`; its word in the roster is the line `pub mod red;` in the
//! folder's `mod.rs`. `build.rs` collects those lines in a macro `words!`, with which `mod.rs` calls
//! [`roster!`](crate::roster!): everything that has to name every algorithm of a family is made there.

use crate::declare::{Declared, Fault, Parameter, Value};

/// Description of a word for plans, pages and errors.
#[derive(Clone, Copy, Debug)]
pub struct Entry<A: 'static = ()> {
    /// The word in plans.
    pub name: &'static str,
    /// Summary, in one line.
    pub summary: &'static str,
    /// Key of its source.
    pub source: &'static str,
    /// Its own parameters.
    pub parameters: &'static [Parameter],
    /// Part that only words of its family have.
    pub about: A,
}

impl<A> Entry<A> {
    /// The entry of a declaration.
    pub const fn of<P: Declared>(about: A) -> Self {
        Self {
            name: P::NAME,
            summary: P::SUMMARY,
            source: P::SOURCE,
            parameters: P::PARAMETERS,
            about,
        }
    }

    /// The same word with `about` and without parameters, for an entry with the name of one of its parts.
    pub const fn with<B>(&self, about: B) -> Entry<B> {
        Entry {
            name: self.name,
            summary: self.summary,
            source: self.source,
            parameters: &[],
            about,
        }
    }

    /// The entry without the part that only its family has.
    pub const fn word(&self) -> Entry {
        Entry {
            parameters: self.parameters,
            ..self.with(())
        }
    }
}

/// The parameters of any algorithm of a family; [`roster!`](crate::roster!) writes it.
pub trait Roster: Sized {
    /// Part that only words of this family have.
    type About: 'static;
    /// Every word, in the order of the pages.
    const ENTRIES: &'static [Entry<Self::About>];

    /// The entry of the word `name`.
    fn entry(name: &str) -> Option<&'static Entry<Self::About>> {
        Self::ENTRIES.iter().find(|entry| entry.name == name)
    }
    /// The parameters of the word `name`, from values in the order of its declaration; `None` for an unknown word.
    fn from_values(name: &str, values: &[Value]) -> Option<Self>;
    /// Checks whether the values are consistent.
    ///
    /// # Errors
    /// The value at fault.
    fn check(&self) -> Result<(), Fault>;
}

/// Makes the roster of a family: the enum of its parameters with its [`Roster`], the enum of its parts, and two macros for the
/// folder's `mod.rs`: `each!(self, it => ...)` does the same with whichever part it is, and `made!(params, new, ...)` is the part
/// of some parameters, from its constructor `new(params, ...)`.
///
/// A family calls it through its own macro `words!`, which `build.rs` writes and which names the modules. Of the arguments:
/// - `about (Type)`: each module of the family has a constant `ABOUT` of this type.
/// - `beside (...)`: variants that plans cannot name, such as a discipline written in Python.
/// - `any Name (<U>)`: the parts are generic.
#[macro_export]
macro_rules! roster {
    (
        words [$($module:ident $Word:ident $WordParams:ident)+]
        ($d:tt)
        $(#[$params_meta:meta])*
        params $Params:ident,
        $(#[$any_meta:meta])*
        any $Any:ident $generic:tt,
        about $about:tt,
        beside ($($xmodule:ident $X:ident $XParams:ident)*) $(,)?
    ) => {
        $(#[$params_meta])*
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)] // each variant is the word of its name
        pub enum $Params {
            $($Word($module::$WordParams),)+
            $($X($xmodule::$XParams),)*
        }

        impl $Params {
            /// The word.
            pub fn name(&self) -> &str {
                use $crate::declare::Declared;
                match self {
                    $(Self::$Word(_) => <$module::$WordParams>::NAME,)+
                    $(Self::$X(it) => it.name(),)*
                }
            }
        }

        impl $crate::roster::Roster for $Params {
            type About = $crate::roster!(@type $about);
            const ENTRIES: &'static [$crate::roster::Entry<Self::About>] = &[$(
                $crate::roster::Entry::of::<$module::$WordParams>($crate::roster!(@about $module $about)),
            )+];

            fn from_values(name: &str, values: &[$crate::declare::Value]) -> Option<Self> {
                use $crate::declare::Declared;
                match name {
                    $(<$module::$WordParams>::NAME => {
                        Some(Self::$Word($module::$WordParams::from_values(values)))
                    })+
                    _ => None,
                }
            }
            fn check(&self) -> Result<(), $crate::declare::Fault> {
                use $crate::declare::Declared;
                match self {
                    $(Self::$Word(it) => it.check(),)+
                    $(Self::$X(_) => Ok(()),)*
                }
            }
        }

        $crate::roster!(
            @any [$(#[$any_meta])*] $Any $generic [$($module $Word)+ $($xmodule $X)*]
        );

        /// Does the same with whichever it is.
        #[allow(unused_macros)]
        macro_rules! each {
            ($d any:expr, $d it:ident => $d done:expr) => {
                match $d any {
                    $(Self::$Word($d it) => $d done,)+
                    $(Self::$X($d it) => $d done,)*
                }
            };
        }

        /// The part of these parameters, from its constructor.
        #[allow(unused_macros)]
        macro_rules! made {
            ($d params:expr, $d new:ident $d(, $d given:expr)*) => {
                match $d params {
                    $($Params::$Word(it) => Self::$Word($module::$Word::$d new(it $d(, $d given)*)),)+
                    $($Params::$X(it) => Self::$X($xmodule::$X::$d new(it $d(, $d given)*)),)*
                }
            };
        }
    };
    (@any [$(#[$meta:meta])*] $Any:ident () [$($module:ident $Word:ident)+]) => {
        $(#[$meta])*
        #[allow(missing_docs)] // each variant is the word of its name
        pub enum $Any { $($Word($module::$Word),)+ }
    };
    (@any [$(#[$meta:meta])*] $Any:ident (<$U:ident>) [$($module:ident $Word:ident)+]) => {
        $(#[$meta])*
        #[allow(missing_docs)] // each variant is the word of its name
        pub enum $Any<$U> { $($Word($module::$Word<$U>),)+ }
    };
    (@type ()) => { () };
    (@type ($About:ty)) => { $About };
    (@about $module:ident ()) => { () };
    (@about $module:ident ($About:ty)) => { $module::ABOUT };
}
