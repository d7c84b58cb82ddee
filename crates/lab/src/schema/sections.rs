//! The sections of a plan and their keys, for the schema and the reference. A test asks the plan reader which keys it knows, and
//! fails if the two differ.

use crate::family::Family;
use crate::plan::stop;
use dupack_core::data::Format;
use dupack_core::declare::{Declared, Fallback, Field, Kind, Parameter};
use dupack_core::framing::Framing;
use dupack_core::measure::Share;
use dupack_core::schedule::StepParams;
use dupack_sim::spec::{Dscp, Pairs, Routing};

/// Kinds of values of a key.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A value.
    Value(Kind),
    /// A title.
    Title,
    /// A new name.
    Name,
    /// A time, or a range of times.
    Start,
    /// A time, or the word for one that is found.
    WarmUp,
    /// An existing section.
    Section(&'static str),
    /// A list of such sections.
    Sections(&'static str),
    /// A list of steps, or the table of a schedule; for the reverse direction also the word for that of the way there.
    Schedule(&'static [&'static str]),
    /// The table of a word, or of no word if its family has but one.
    Part(Family),
    /// The shape of a network.
    Topology,
    /// A sweep.
    Sweep,
    /// A number of a run's results.
    Measure,
    /// Keys of this section for single members of a group.
    Members(&'static str),
}

/// A key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// As in the plan.
    pub name: &'static str,
    /// Kind of its value.
    pub shape: Shape,
    /// Value if it is not given.
    pub fallback: Fallback,
    /// Help text.
    pub help: &'static str,
}

/// A section.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Its name; empty for the plan itself.
    pub name: &'static str,
    /// Help text.
    pub help: &'static str,
    /// Its keys, in order.
    pub keys: &'static [Key],
}

const MUST: Fallback = Fallback::Required;
const MAY: Fallback = Fallback::Unset("");

const fn key(name: &'static str, shape: Shape, fallback: Fallback, help: &'static str) -> Key {
    Key {
        name,
        shape,
        fallback,
        help,
    }
}

/// The key of a declared parameter.
const fn declared(it: &Parameter) -> Key {
    key(it.name, Shape::Value(it.kind), it.fallback, it.help)
}

const CARRIES: Kind = Kind::Choice(&["cells", "packets"]);

const NAME: Key = key("name", Shape::Name, MUST, "Its name.");

/// Every section, the plan itself first.
pub const SECTIONS: &[Section] = &[
    Section {
        name: "",
        help: "An experiment.",
        keys: &[
            key(
                "title",
                Shape::Title,
                MAY,
                "Title of tables and figures; by default the name of the file.",
            ),
            key(
                "seed",
                Shape::Value(Kind::Count),
                Fallback::Text("1"),
                "Seed of the random numbers: the same seed gives the same run.",
            ),
            key(
                "duration",
                Shape::Value(Kind::Time),
                MUST,
                "End of the run, in simulated time.",
            ),
            key(
                "warm_up",
                Shape::WarmUp,
                Fallback::Text("0 s"),
                "Time from which flows and rates are measured; \"mser-5\" finds it for each run by MSER-5.",
            ),
            key(
                "sample",
                Shape::Value(Kind::Time),
                Fallback::Unset("none"),
                "Spacing of the time series of windows, queues and rates.",
            ),
            key(
                "percentiles",
                Shape::Value(Kind::Flag),
                Fallback::Text("false"),
                "Percentiles of the queueing delays of links, and of the round-trip times of flows.",
            ),
            key(
                "batches",
                Shape::Value(Kind::Count),
                Fallback::Unset("none"),
                "Number of parts of the measured time that are measured separately: they give a single run 95 % confidence intervals.",
            ),
            key(
                "detune",
                Shape::Value(Kind::Share),
                Fallback::Unset("none"),
                "Largest part by which the rate of each link is above or below that of the plan, drawn for each seed, such as 0.001. Intervals over seeds then show how much a result depends on exact rates: packets of several flows can stay in step (phase effects). Not allowed if all links carry cells. Links with a trace or a schedule keep their rates.",
            ),
            key(
                "routing",
                Shape::Value(Routing::KIND),
                Fallback::Text("first"),
                "Choice of a flow's path among several shortest ones: the first, or one that is drawn for it (ECMP).",
            ),
            key(
                "topology",
                Shape::Topology,
                MAY,
                "Hosts, switches and links by the name of their shape, or from a GraphML file.",
            ),
            key("host", Shape::Sections("host"), MAY, "Ends of flows."),
            key(
                "switch",
                Shape::Sections("switch"),
                MAY,
                "Nodes that forward units.",
            ),
            key(
                "edge",
                Shape::Sections("edge"),
                MAY,
                "Nodes that reassemble the packets of a VC and forward them whole, on another VC or over a link that carries packets.",
            ),
            key(
                "link",
                Shape::Sections("link"),
                MAY,
                "Duplex links between nodes; a topology makes links as well.",
            ),
            key(
                "aal5",
                Shape::Section("aal5"),
                MAY,
                "Segmentation of packets into cells.",
            ),
            key(
                "vc",
                Shape::Sections("vc"),
                MAY,
                "Virtual channels that several flows share between two edges.",
            ),
            key(
                "flow",
                Shape::Sections("flow"),
                MUST,
                "Transport connections between hosts.",
            ),
            key(
                "stop",
                Shape::Section("stop"),
                MAY,
                "Rule by which each point is run with as many seeds as it needs.",
            ),
            key(
                "sweep",
                Shape::Sweep,
                MAY,
                "Values that the plan is run with: lists by path, and seeds.",
            ),
        ],
    },
    Section {
        name: "host",
        help: "Where flows start and end; hosts do not forward.",
        keys: &[
            NAME,
            COUNT,
            OVERHEAD,
            key(
                "members",
                Shape::Members("host"),
                MAY,
                "Values of single hosts of a group, by their names, instead of the group's.",
            ),
        ],
    },
    Section {
        name: "switch",
        help: "Forwards units, each by itself.",
        keys: &[NAME, COUNT],
    },
    Section {
        name: "edge",
        help: "Reassembles the packets of a VC and forwards them whole, on another VC.",
        keys: &[NAME, COUNT],
    },
    Section {
        name: "link",
        help: "A duplex link. The reverse direction has the same rate and delay and an unlimited FIFO unless `back_...` says otherwise.",
        keys: &[
            NAME,
            key(
                "from",
                Shape::Value(Kind::Name),
                MUST,
                "Node at one end, or a group of nodes: one link for each.",
            ),
            key(
                "to",
                Shape::Value(Kind::Name),
                MUST,
                "Node at the other end, or a group of nodes.",
            ),
            key(
                "carries",
                Shape::Value(CARRIES),
                MUST,
                "Units that the link carries. Links of cells and links of packets meet at an edge.",
            ),
            key(
                "rate",
                Shape::Value(Kind::Rate),
                Fallback::Unset(""),
                "Rate in bits per second; a link with a trace has none.",
            ),
            key(
                "delay",
                Shape::Value(Kind::Time),
                MUST,
                "Propagation delay.",
            ),
            key(
                "framing",
                Shape::Value(Framing::KIND),
                Fallback::Unset("raw"),
                "What the line adds to each packet, by name: headers, and padding to a least length or to whole cells. The rate is that of the line with them. On a link of cells, what an edge adds to a packet before it becomes cells, in place of the trailer of AAL5 alone.",
            ),
            key(
                "queue",
                Shape::Part(Family::Queue),
                Fallback::Unset("an unlimited FIFO"),
                "Queue discipline of the buffer at the head of the link.",
            ),
            key(
                "loss",
                Shape::Part(Family::Loss),
                MAY,
                "Loss model of the link.",
            ),
            key(
                "jitter",
                Shape::Part(Family::Jitter),
                MAY,
                "Jitter: extra delays of packets, which keep their order.",
            ),
            key(
                "reorder",
                Shape::Part(Family::Reorder),
                MAY,
                "Reordering: packets that take longer, so that others overtake them.",
            ),
            key(
                "duplicate",
                Shape::Value(Share::KIND),
                MAY,
                "Probability that a packet arrives twice, the copy just behind it.",
            ),
            key(
                "grants",
                Shape::Part(Family::Grants),
                MAY,
                "Grants: the link sends only in bursts, each of which it has to ask for.",
            ),
            key(
                "marker",
                Shape::Part(Family::Marker),
                MAY,
                "Rate marker: the rates that the link allows the ABR sources whose cells pass it.",
            ),
            key(
                "trace",
                Shape::Value(Kind::Data(Format::Opportunities)),
                Fallback::Unset("none"),
                "Times at which the link can send, instead of a rate.",
            ),
            key(
                "schedule",
                Shape::Schedule(&[]),
                MAY,
                "Steps by which the rate, the delay and the losses of the link change, and it goes down and up again.",
            ),
            key(
                "back_trace",
                Shape::Value(Kind::Data(Format::Opportunities)),
                Fallback::Unset("as there"),
                "The same for the reverse direction.",
            ),
            key(
                "back_schedule",
                Shape::Schedule(&["as there"]),
                MAY,
                "The same for the reverse direction; \"as there\" repeats the steps of the way there.",
            ),
            key(
                "back_rate",
                Shape::Value(Kind::Rate),
                Fallback::Unset("as there"),
                "The same for the reverse direction.",
            ),
            key(
                "back_delay",
                Shape::Value(Kind::Time),
                Fallback::Unset("as there"),
                "The same for the reverse direction.",
            ),
            key(
                "back_framing",
                Shape::Value(Framing::KIND),
                Fallback::Unset("raw"),
                "The same for the reverse direction.",
            ),
            key(
                "back_queue",
                Shape::Part(Family::Queue),
                Fallback::Unset("an unlimited FIFO"),
                "The same for the reverse direction.",
            ),
            key(
                "back_loss",
                Shape::Part(Family::Loss),
                MAY,
                "The same for the reverse direction.",
            ),
            key(
                "back_jitter",
                Shape::Part(Family::Jitter),
                MAY,
                "The same for the reverse direction.",
            ),
            key(
                "back_reorder",
                Shape::Part(Family::Reorder),
                MAY,
                "The same for the reverse direction.",
            ),
            key(
                "back_duplicate",
                Shape::Value(Share::KIND),
                MAY,
                "The same for the reverse direction.",
            ),
            key(
                "back_grants",
                Shape::Part(Family::Grants),
                MAY,
                "The same for the reverse direction.",
            ),
            key(
                "back_marker",
                Shape::Part(Family::Marker),
                MAY,
                "The same for the reverse direction.",
            ),
            key(
                "members",
                Shape::Members("link"),
                MAY,
                "Values of single links of a group, by their names, instead of the group's.",
            ),
        ],
    },
    Section {
        name: "schedule",
        help: "Steps by which a link changes, as a table; a list of steps alone needs none.",
        keys: &[
            key(
                "steps",
                Shape::Sections("step"),
                MAY,
                "The steps, in order of time.",
            ),
            key(
                "file",
                Shape::Value(Kind::Data(Format::Steps)),
                MAY,
                "The same from a file.",
            ),
            key(
                "every",
                Shape::Value(Kind::Time),
                Fallback::Unset("once"),
                "Time after which the steps are repeated, again and again; after the last of them. A turn begins with what the turn before has left.",
            ),
        ],
    },
    Section {
        name: "step",
        help: "A change of a link at a time, in a list `schedule` or `steps`; what it does not give stays as it is.",
        keys: &[
            declared(&StepParams::PARAMETERS[0]),
            declared(&StepParams::PARAMETERS[1]),
            declared(&StepParams::PARAMETERS[2]),
            declared(&StepParams::PARAMETERS[3]),
            declared(&StepParams::PARAMETERS[4]),
        ],
    },
    Section {
        name: "aal5",
        help: "Segmentation of packets into cells.",
        keys: &[key(
            "trailer",
            Shape::Value(Kind::Bytes),
            Fallback::Text("8 B"),
            "Length of what AAL5 adds to a packet before it is padded to whole cells.",
        )],
    },
    Section {
        name: "stop",
        help: "Rule that says when a point has been run with enough seeds.",
        keys: &[
            key(
                "relative_ci",
                Shape::Value(Kind::Share),
                MUST,
                "Required half-width of the 95 % confidence interval, as a share of the mean; above 0, below 1.",
            ),
            key(
                "of",
                Shape::Measure,
                MUST,
                "Measure whose confidence interval decides: a number of a run's results by its path, such as `summary.goodput_bps` or `links.bottleneck.mean_backlog`.",
            ),
            key(
                "min",
                Shape::Value(Kind::Count),
                Fallback::Text(stop::MIN),
                "Number of runs below which the interval is not examined.",
            ),
            key(
                "max",
                Shape::Value(Kind::Count),
                Fallback::Text(stop::MAX),
                "Maximum number of runs.",
            ),
        ],
    },
    Section {
        name: "vc",
        help: "A virtual channel that several flows share, from the first edge on their paths to the last.",
        keys: &[NAME, MPR],
    },
    Section {
        name: "flow",
        help: "A transport connection: data one way, acks back.",
        keys: &[
            NAME,
            key(
                "from",
                Shape::Value(Kind::Name),
                MUST,
                "Sending host, or a group of hosts: one flow for each. With `pairs` or `arrivals`, names with a star (`host-*`) as well.",
            ),
            key(
                "to",
                Shape::Value(Kind::Name),
                MUST,
                "Receiving host, or a group of hosts.",
            ),
            key(
                "pairs",
                Shape::Value(Pairs::KIND),
                Fallback::Text("in-order"),
                "Pairs of hosts: the first with the first and so on; a random permutation, drawn for each seed; or each with each.",
            ),
            key(
                "start",
                Shape::Start,
                Fallback::Text("0 s"),
                "Start of the flow; from a range such as \"0 s..100 ms\" the seed draws the time.",
            ),
            key(
                "vc",
                Shape::Value(Kind::Name),
                Fallback::Unset("its own"),
                "VC that the flow shares with other flows between edges.",
            ),
            MPR,
            key(
                "dscp",
                Shape::Value(Dscp::KIND),
                Fallback::Unset("CS0"),
                "Diffserv code point of the flow's packets and of their acks, by which `cake`, `strict-priority` and others know its class. Cells have none.",
            ),
            key(
                "arrivals",
                Shape::Part(Family::Arrivals),
                MAY,
                "Arrivals of connections: the flow is many connections that come and go, each between two of its hosts.",
            ),
            key(
                "abr",
                Shape::Part(Family::Abr),
                Fallback::Unset("none"),
                "ABR source, which paces the flow's cells at the rate that backward RM cells carry.",
            ),
            key(
                "traffic",
                Shape::Part(Family::Traffic),
                Fallback::Unset("greedy"),
                "Traffic of the application: how much it hands over, and when.",
            ),
            key(
                "transport",
                Shape::Part(Family::Transport),
                Fallback::Unset("reno"),
                "Transport of the flow: its sender and receiver.",
            ),
            key(
                "members",
                Shape::Members("flow"),
                MAY,
                "Values of single flows of a group, by their names, instead of the group's.",
            ),
        ],
    },
];

const COUNT: Key = key(
    "count",
    Shape::Value(Kind::Count),
    MAY,
    "Number of members of a group, NAME-0, NAME-1, ...; the bare name then means all of them.",
);

const OVERHEAD: Key = key(
    "overhead",
    Shape::Value(Kind::Time),
    MAY,
    "Longest time that a host takes to process a packet that it sends: drawn for each packet from 0 to this. Packets keep their order.",
);

const MPR: Key = key(
    "mpr",
    Shape::Value(Kind::Rate),
    Fallback::Unset("none"),
    "Minimum rate that the VC is guaranteed.",
);

/// A section by its name.
pub fn section(name: &str) -> Option<&'static Section> {
    SECTIONS.iter().find(|section| section.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    /// A plan with one of each section.
    const PLAN: &str = r#"
duration = "1 s"
[[host]]
name = "a"
[[host]]
name = "b"
[[switch]]
name = "s"
[[edge]]
name = "e"
[[edge]]
name = "f"
[[link]]
name = "l"
from = "a"
to = "e"
carries = "cells"
rate = "1 Mb/s"
delay = "1 ms"
[link.schedule]
[[link.schedule.steps]]
at = "1 s"
up = false
[[link]]
name = "m"
from = "e"
to = "f"
carries = "cells"
rate = "1 Mb/s"
delay = "1 ms"
[[link]]
name = "n"
from = "f"
to = "b"
carries = "cells"
rate = "1 Mb/s"
delay = "1 ms"
[aal5]
trailer = "8 B"
[stop]
relative_ci = 0.1
of = "summary.goodput_bps"
[[vc]]
name = "v"
[[flow]]
name = "x"
from = "a"
to = "b"
vc = "v"
"#;

    /// A key that is near to none.
    const ODD: &str = "qqqqqqqqqqqqqqqqqqqq";

    /// The keys that the reader of plans says are allowed.
    fn known(plan: &str) -> Vec<String> {
        let errors = Plan::parse(plan.as_bytes(), "x", &[]).expect_err("an unknown key");
        let error = errors
            .errors
            .iter()
            .find(|error| error.path.ends_with(ODD))
            .unwrap_or_else(|| panic!("{errors}"));
        let (_, list) = error.message.split_once("allowed: ").expect("a list");
        assert!(!list.contains(" more"), "the list is cut: {list}");
        list.split(", ")
            .map(|word| word.trim_matches('"').to_string())
            .collect()
    }

    #[test]
    fn the_keys_are_those_that_the_reader_knows() {
        assert!(Plan::parse(PLAN.as_bytes(), "x", &[]).is_ok());
        for section in SECTIONS {
            let plan = if section.name.is_empty() {
                format!("{ODD} = 1\n{PLAN}")
            } else {
                let heads = [
                    format!("[[{}]]", section.name),
                    format!("[{}]", section.name),
                    format!("[link.{}]", section.name),
                    format!("[[link.schedule.{}s]]", section.name),
                ];
                let head = heads
                    .iter()
                    .find(|head| PLAN.contains(*head))
                    .expect("one of each");
                PLAN.replacen(head.as_str(), &format!("{head}\n{ODD} = 1"), 1)
            };
            let mut want = known(&plan);
            want.sort();
            let mut here: Vec<_> = section
                .keys
                .iter()
                .map(|key| key.name.to_string())
                .collect();
            here.sort();
            assert_eq!(
                here, want,
                "section {:?}; a new key belongs in this file too",
                section.name
            );
        }
    }
}
