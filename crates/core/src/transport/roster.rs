//! The transports by name: each a pair of controller and repair, and any other pair that goes together.

use super::compat::{self, Compat};
use super::control::external::{self, ExternalParams};
use super::control::{self, AnyController, ControlParams, Needs};
use super::receiver::Receiver;
use super::repair::{self, AnyRepair, Habits, Hears, RepairParams};
use super::sender::Sender;
use super::{Common, OutOfOrder};
use crate::declare::{Declared, Fallback, Fault, Parameter, Value};
use crate::roster::{Entry, Roster};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

const CONTROLLERS: &[Entry<control::About>] = ControlParams::ENTRIES;
const REPAIRS: &[Entry<repair::About>] = RepairParams::ENTRIES;

/// The halves of a pair that has a name of its own.
#[derive(Clone, Copy, Debug)]
pub struct Halves {
    /// Its controller's word.
    pub control: &'static str,
    /// Its repair's word.
    pub repair: &'static str,
    /// The preset whose defaults it has, if it has one's: then it is the model of a whole stack.
    pub preset: Option<&'static str>,
}

impl Halves {
    const fn of(control: &'static str, repair: &'static str) -> Self {
        Self {
            control,
            repair,
            preset: None,
        }
    }
}

/// A transport whose name is that of neither half.
const fn named(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    about: Halves,
) -> Entry<Halves> {
    Entry {
        name,
        summary,
        source,
        parameters: &[],
        about,
    }
}

/// A stack of Linux, with this controller.
const fn linux(name: &'static str, summary: &'static str, control: &'static str) -> Entry<Halves> {
    let about = Halves {
        preset: Some("linux"),
        ..Halves::of(control, "rack-tlp")
    };
    named(name, summary, "linux", about)
}

/// A stack of QUIC, with this controller.
const fn quic(name: &'static str, summary: &'static str, control: &'static str) -> Entry<Halves> {
    let about = Halves {
        preset: Some("quic"),
        ..Halves::of(control, "quic")
    };
    named(name, summary, "rfc9002", about)
}

/// The pairs whose names are those of neither half. Every other transport is declared by one of its halves.
const NAMED: &[Entry<Halves>] = &[
    named(
        "udp",
        "Sends each datagram once, as it comes; nothing is acknowledged.",
        "rfc768",
        Halves::of("static-window", "none"),
    ),
    linux(
        "linux-reno",
        "Sends as Linux does with Reno: RACK-TLP, proportional rate reduction, an initial window of 10 segments, acks as its receiver sends them; the defaults are those of the preset linux.",
        "reno",
    ),
    linux(
        "linux-cubic",
        "Sends as Linux does by default: its CUBIC with HyStart, RACK-TLP, proportional rate reduction, an initial window of 10 segments, acks as its receiver sends them; the defaults are those of the preset linux.",
        "tcp-cubic",
    ),
    linux(
        "linux-bbr",
        "Sends as Linux does with BBR: BBRv1, RACK-TLP, an initial window of 10 segments, acks as its receiver sends them; the defaults are those of the preset linux.",
        "bbr1",
    ),
    quic(
        "quic-newreno",
        "Sends as QUIC does by RFC 9002: Reno, losses found by packet numbers and times, probe timeouts, pacing, an initial window of 10 packets, delayed acks; the defaults are those of the preset quic.",
        "reno",
    ),
    quic(
        "quic-cubic",
        "Sends as quic-newreno does, with CUBIC.",
        "cubic",
    ),
    quic(
        "quic-bbr3",
        "Sends as quic-newreno does, with BBRv3, which has a pacing rate of its own.",
        "bbr3",
    ),
];

/// Number of named pairs.
const COUNT: usize = {
    let (mut at, mut count) = (0, NAMED.len());
    while at < REPAIRS.len() {
        count += REPAIRS[at].about.control.is_some() as usize;
        at += 1;
    }
    at = 0;
    while at < CONTROLLERS.len() {
        count += CONTROLLERS[at].about.repair.is_some() as usize;
        at += 1;
    }
    count
};

const fn all() -> [Entry<Halves>; COUNT] {
    let mut all = [NAMED[0]; COUNT];
    let (mut at, mut next) = (0, 0);
    while at < REPAIRS.len() {
        let half = &REPAIRS[at];
        if let Some(control) = half.about.control {
            let repair = half.name;
            all[next] = half.with(Halves::of(control, repair));
            next += 1;
        }
        at += 1;
    }
    at = 0;
    while at < CONTROLLERS.len() {
        let half = &CONTROLLERS[at];
        if let Some(repair) = half.about.repair {
            let control = half.name;
            all[next] = half.with(Halves::of(control, repair));
            next += 1;
        }
        at += 1;
    }
    at = 0;
    while at < NAMED.len() {
        all[next] = NAMED[at];
        (at, next) = (at + 1, next + 1);
    }
    all
}

/// Every pair with a name, in the order of the pages: those that a repair declares, those that a controller does, the others. The
/// first name of a pair is the one that it is called by.
pub const ROSTER: &[Entry<Halves>] = &all();

/// The pair called `name`.
pub fn entry(name: &str) -> Option<&'static Entry<Halves>> {
    ROSTER.iter().find(|entry| entry.name == name)
}

/// Values of a parameter of every transport that the repair decides, for each repair: `karn for go-back-n, else timed`.
pub fn repairs_own(parameter: &str) -> Option<String> {
    let own = |habits: &Habits| match parameter {
        "rto" => Some(habits.rto.in_plans()),
        "samples" => Some(habits.samples.in_plans()),
        _ => None,
    };
    let usual = own(&Habits::TCP)?;
    let mut others: Vec<(&str, Vec<&str>)> = Vec::new();
    for repair in REPAIRS {
        let word = own(&repair.about.habits).filter(|word| *word != usual);
        if let Some(word) = word {
            match others.iter_mut().find(|it| it.0 == word) {
                Some((_, names)) => names.push(repair.name),
                None => others.push((word, Vec::from([repair.name]))),
            }
        }
    }
    let told = others
        .iter()
        .map(|(word, names)| format!("{word} for {}, ", names.join(" and ")));
    Some(format!("{}else {usual}", told.collect::<String>()))
}

/// A controller and a repair, and the preset whose defaults they have.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The controller.
    pub control: &'static Entry<control::About>,
    /// The repair.
    pub repair: &'static Entry<repair::About>,
    /// The preset, if there is one.
    pub preset: Option<&'static Compat>,
}

impl Pair {
    /// The pair of these words, if both are on their rosters.
    pub fn new(control: &str, repair: &str) -> Option<Self> {
        Some(Self {
            control: ControlParams::entry(control)?,
            repair: RepairParams::entry(repair)?,
            preset: None,
        })
    }

    /// The pair of a transport of its own name.
    pub fn of(halves: &Halves) -> Option<Self> {
        let pair = Self::new(halves.control, halves.repair)?;
        let preset = halves.preset.and_then(compat::entry);
        Some(Self { preset, ..pair })
    }

    /// The reason if the two are incompatible.
    pub fn refusal(&self) -> Option<&'static str> {
        if !self.acknowledged() && self.control.about.needs != Needs::Nothing {
            return Some(
                "it needs acks to open its window or to measure a rate, and there are none",
            );
        }
        (self.repair.about.refuses)(self.control.about.answer)
    }

    /// Whether the receiver sends acks.
    pub fn acknowledged(&self) -> bool {
        self.repair.about.habits.hears != Hears::Nothing
    }

    /// Its name, or `control+repair` if it has none.
    pub fn name(&self) -> Cow<'static, str> {
        let called = |preset: Option<&str>| {
            ROSTER.iter().find(|it| {
                let Halves {
                    control, repair, ..
                } = it.about;
                (control, repair, it.about.preset) == (self.control.name, self.repair.name, preset)
            })
        };
        let stack = self.preset.and_then(|it| called(Some(it.name)));
        match stack.or_else(|| called(None)) {
            Some(entry) => entry.name.into(),
            None => format!("{}+{}", self.control.name, self.repair.name).into(),
        }
    }

    /// All its parameters: the common ones, its controller's own, its repair's. Their defaults are those of the preset, or else what the
    /// controller, or else the repair, says of common ones, or else what is declared.
    pub fn parameters(&self) -> impl Iterator<Item = Parameter> + use<> {
        let (first, second) = (self.control.about.defaults, self.repair.about.defaults);
        let common = Common::PARAMETERS.iter().map(move |it| {
            let mut defaults = first.iter().chain(second);
            let own = defaults.find(|(name, _)| *name == it.name);
            Parameter {
                fallback: own.map_or(it.fallback, |(_, text)| Fallback::Text(text)),
                ..*it
            }
        });
        let pair = *self;
        common
            .chain(self.control.parameters.iter().copied())
            .chain(self.repair.parameters.iter().copied())
            .map(
                move |it| match pair.preset.and_then(|preset| preset.text(&pair, it.name)) {
                    Some(text) => Parameter {
                        fallback: Fallback::Text(text),
                        ..it
                    },
                    None => it,
                },
            )
    }
}

/// The parameters of any transport.
#[derive(Clone, Debug)]
pub struct TransportParams {
    /// Its controller and repair.
    pub pair: Pair,
    /// Parameters of every transport.
    pub common: Common,
    /// Its controller's own.
    control: ControlParams,
    /// Its repair's own.
    repair: RepairParams,
}

impl TransportParams {
    /// Its repair's own parameters.
    pub fn repair(&self) -> &RepairParams {
        &self.repair
    }

    /// From values in the order of [`Pair::parameters`].
    ///
    /// # Errors
    /// If the values are inconsistent.
    pub fn from_values(pair: Pair, values: &[Value]) -> Result<Self, Fault> {
        let known = |values: &[Value]| {
            ControlParams::from_values(pair.control.name, values).expect("a pair is made of words")
        };
        Self::of(pair, values, known)
    }

    /// The same for a pair whose controller is an external one: its entry is from [`external::entry`].
    ///
    /// # Errors
    /// If the values are inconsistent.
    pub fn external_from_values(
        pair: Pair,
        external: ExternalParams,
        values: &[Value],
    ) -> Result<Self, Fault> {
        Self::of(pair, values, |_| ControlParams::External(external))
    }

    fn of(
        pair: Pair,
        values: &[Value],
        control_of: impl FnOnce(&[Value]) -> ControlParams,
    ) -> Result<Self, Fault> {
        let (common, own) = values.split_at(Common::PARAMETERS.len());
        let (control, repair) = own.split_at(pair.control.parameters.len());
        let common = Common::from_values(common);
        common.check()?;
        if common.delayed_ack && pair.control.about.needs == Needs::EveryAck {
            return Err(Fault {
                name: "delayed_ack",
                found: "true".into(),
                allowed: format!(
                    "false: {} measures the time between the acks of neighbouring segments",
                    pair.control.name
                ),
            });
        }
        if common.out_of_order == OutOfOrder::Discard && pair.repair.about.habits.knows_what_arrived
        {
            return Err(Fault {
                name: "out_of_order",
                found: "discard".into(),
                allowed: format!(
                    "\"keep\": {} relies on the receiver to keep the segments that it has acknowledged",
                    pair.repair.name
                ),
            });
        }
        let control = control_of(control);
        let repair = RepairParams::from_values(pair.repair.name, repair);
        let repair = repair.expect("a pair is made of words");
        control.check()?;
        repair.check()?;
        for (parameter, value) in pair.parameters().zip(values) {
            if let Value::Window(window) = value
                && window.whole_segments(common.mss) == 0
            {
                return Err(Fault {
                    name: parameter.name,
                    found: format!("{window:?}"),
                    allowed: "at least one segment of `mss`".into(),
                });
            }
        }
        Ok(Self {
            pair,
            common,
            control,
            repair,
        })
    }

    /// The same with an external controller in place of its own.
    pub fn with_external(mut self, external: ExternalParams) -> Self {
        let answer = external.from.as_ref().map(|from| from.answer());
        self.pair.control = external::entry(answer.unwrap_or(control::Answer::Halves));
        self.control = ControlParams::External(external);
        self
    }

    /// Its external controller, if it has one.
    pub fn external(&self) -> Option<&ExternalParams> {
        match &self.control {
            ControlParams::External(external) => Some(external),
            _ => None,
        }
    }

    /// Its name, or `control+repair` if it has none. An external controller is called by its name in plans, without a repair if that is
    /// its usual one.
    pub fn name(&self) -> Cow<'static, str> {
        match self.external() {
            None => self.pair.name(),
            Some(it) if self.pair.repair.name == external::REPAIR => it.name.clone().into(),
            Some(it) => format!("{}+{}", it.name, self.pair.repair.name).into(),
        }
    }

    /// A sender at the start of its connection.
    pub fn sender(&self) -> AnySender {
        let mut sender = Sender::new(
            &self.common,
            self.pair.repair.about.habits,
            AnyController::new(&self.control, &self.common),
            AnyRepair::new(&self.repair, &self.common),
        );
        let from = self.external().and_then(|it| it.from.as_ref());
        sender.send_as(from.map_or(self.pair.control.about.ect, |from| from.ect()));
        sender
    }

    /// Its controller alone, at the start of a connection with these parameters of every transport.
    #[cfg(test)]
    pub(crate) fn controller(&self, common: &Common) -> AnyController {
        AnyController::new(&self.control, common)
    }

    /// A receiver at the start of its connection.
    pub fn receiver(&self) -> Receiver {
        Receiver::new(&self.common, self.pair.repair.about.habits.hears)
    }
}

/// A sender of any transport.
pub type AnySender = Sender<AnyController, AnyRepair>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::control::Answer;
    use crate::unit::Ecn;
    use alloc::vec::Vec;

    #[test]
    fn a_controller_has_defaults_and_a_codepoint_of_its_own() {
        const ABOUT: control::About = control::About::new(Answer::Halves, Needs::Acks)
            .with_ect(Ecn::Ect1)
            .with_defaults(&[("ecn", "true"), ("ecn_echo", "exact")]);
        static SCALABLE: Entry<control::About> = Entry {
            name: "scalable",
            summary: "",
            source: "rfc9331",
            parameters: &[],
            about: ABOUT,
        };
        let mut pair = Pair::new("reno", "sack").expect("both on their rosters");
        let texts = |pair: &Pair| {
            let named = |it: &Parameter| ["ecn", "ecn_echo", "dsack"].contains(&it.name);
            let all = pair.parameters().filter(named);
            all.map(|it| (it.name, it.fallback)).collect::<Vec<_>>()
        };
        let fallbacks = |ecn, echo| {
            let text = Fallback::Text;
            Vec::from([
                ("dsack", text("false")),
                ("ecn", text(ecn)),
                ("ecn_echo", text(echo)),
            ])
        };
        assert_eq!(texts(&pair), fallbacks("false", "latched"));
        let mut own = super::super::script::params("reno", &[("ecn", "true")]);
        let ecn = |params: &TransportParams| {
            let mut sender = params.sender();
            sender.release(1, true);
            let sent = sender.poll_transmit(crate::time::Instant::ZERO);
            sent.expect("a segment").ecn
        };
        assert_eq!(ecn(&own), Ecn::Ect0);
        (pair.control, own.pair.control) = (&SCALABLE, &SCALABLE);
        assert_eq!(texts(&pair), fallbacks("true", "exact"));
        assert_eq!(ecn(&own), Ecn::Ect1);
    }
}
