//! Families of words: each word that a plan can name belongs to one of them.

use crate::plan::{self, Graph, Links};
use dupack_core::abr::{source::SourceParams, switch};
use dupack_core::declare::{Declared, Fallback, Field, Parameter};
use dupack_core::grants::GrantsParams;
use dupack_core::queue::Grain;
use dupack_core::reorder::ReorderParams;
use dupack_core::roster::{Entry, Roster};
use dupack_core::transport::{Halves, control, repair};
use dupack_core::{arrivals, jitter, loss, queue, traffic, transport};
use dupack_sim::spec::Acks;
use serde::Serialize;

/// A sort of words, and where a plan writes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Of links: the discipline of the buffer.
    Queue,
    /// Of flows: a controller and a repair by their usual name.
    Transport,
    /// The half of a transport that says how much and how fast.
    Control,
    /// The half that decides what to retransmit.
    Repair,
    /// Of flows: the implementation whose defaults a transport has.
    Compat,
    /// Of flows: when the application hands over how much data.
    Traffic,
    /// Of flows with many connections: when these begin.
    Arrivals,
    /// Of links: the losses on the line.
    Loss,
    /// Of links: extra delays of packets, which keep their order.
    Jitter,
    /// Of links: the packets that the line delays, so that others overtake them.
    Reorder,
    /// Of links: bursts that the line has to ask for.
    Grants,
    /// Of links: the rates that they allow the ABR sources whose cells pass.
    Marker,
    /// Of flows: the pace of their cells.
    Abr,
    /// A network by the name of its shape.
    Topology,
}

/// A word with the parts that only some families have.
#[derive(Clone, Debug)]
pub struct Word {
    /// Its declaration.
    pub entry: Entry,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// For a discipline, the kinds of links on which it runs.
    pub grains: &'static [Grain],
    /// Controller and repair of a named pair.
    pub halves: Option<Halves>,
    /// Tables of a topology that describe its links.
    pub links: &'static [Links],
}

impl Word {
    fn new<A>(entry: &Entry<A>) -> Self {
        Self {
            entry: entry.word(),
            parameters: entry.parameters.to_vec(),
            grains: &[],
            halves: None,
            links: &[],
        }
    }
}

impl Family {
    /// All of them, in the order of the pages.
    pub const ALL: [Self; 14] = [
        Self::Queue,
        Self::Transport,
        Self::Control,
        Self::Repair,
        Self::Compat,
        Self::Traffic,
        Self::Arrivals,
        Self::Loss,
        Self::Jitter,
        Self::Reorder,
        Self::Grants,
        Self::Marker,
        Self::Abr,
        Self::Topology,
    ];

    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Transport => "transport",
            Self::Control => "control",
            Self::Repair => "repair",
            Self::Compat => "compat",
            Self::Traffic => "traffic",
            Self::Arrivals => "arrivals",
            Self::Loss => "loss",
            Self::Jitter => "jitter",
            Self::Reorder => "reorder",
            Self::Grants => "grants",
            Self::Marker => "marker",
            Self::Abr => "abr",
            Self::Topology => "topology",
        }
    }

    /// Its words, in the order of the pages.
    pub fn words(self) -> Vec<Word> {
        fn all<A>(roster: &[Entry<A>]) -> Vec<Word> {
            roster.iter().map(Word::new).collect()
        }
        match self {
            Self::Queue => (queue::QueueParams::ENTRIES.iter())
                .map(|it| Word {
                    grains: it.about.grains,
                    ..Word::new(it)
                })
                .collect(),
            Self::Transport => (transport::ROSTER.iter())
                .map(|it| Word {
                    halves: Some(it.about),
                    parameters: of_stack(&it.about),
                    ..Word::new(it)
                })
                .collect(),
            Self::Control => all(control::ControlParams::ENTRIES),
            Self::Repair => all(repair::RepairParams::ENTRIES),
            Self::Compat => (transport::compat::ROSTER.iter())
                .map(|it| Word {
                    parameters: it.parameters().into_iter().map(|(_, it)| it).collect(),
                    ..Word::new(&it.entry())
                })
                .collect(),
            Self::Traffic => all(traffic::TrafficParams::ENTRIES),
            Self::Arrivals => all(arrivals::ArrivalsParams::ENTRIES),
            Self::Loss => all(loss::LossParams::ENTRIES),
            Self::Jitter => all(jitter::JitterParams::ENTRIES),
            Self::Reorder => vec![Word::new(&Entry::of::<ReorderParams>(()))],
            Self::Grants => vec![Word::new(&Entry::of::<GrantsParams>(()))],
            Self::Marker => all(switch::MarkerParams::ENTRIES),
            Self::Abr => vec![Word {
                parameters: abr(),
                ..Word::new(&Entry::of::<SourceParams>(()))
            }],
            Self::Topology => {
                let shapes = plan::SHAPES.iter().map(|it| Word {
                    links: it.about.links,
                    ..Word::new(it)
                });
                let graph = Word {
                    links: plan::graph_links(),
                    ..Word::new(&Entry::of::<Graph>(()))
                };
                shapes.chain([graph]).collect()
            }
        }
    }

    /// The word `name`, if it is one of its words.
    pub fn word(self, name: &str) -> Option<Word> {
        self.words().into_iter().find(|it| it.entry.name == name)
    }
}

/// The parameters of the two halves of a stack, with the defaults of its preset; none for a pair without a preset.
fn of_stack(halves: &transport::Halves) -> Vec<Parameter> {
    let Some(pair) = transport::Pair::of(halves).filter(|it| it.preset.is_some()) else {
        return Vec::new();
    };
    let own = [pair.control.parameters, pair.repair.parameters].concat();
    let changed = |it: Parameter| {
        pair.parameters()
            .find(|of| of.name == it.name)
            .unwrap_or(it)
    };
    own.into_iter().map(changed).collect()
}

/// The parameters of a flow's ABR: those of its source, and others.
fn abr() -> Vec<Parameter> {
    let acks = Parameter {
        name: "acks",
        kind: Acks::KIND,
        fallback: Fallback::Text("plain"),
        help: "Departure of acks, and of the RM cells that return with them, from the receiver: at once, or paced by a source of their own.",
        tried: &[],
        shown: None,
    };
    [&[acks], SourceParams::PARAMETERS].concat()
}

/// A declared help or summary, on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
