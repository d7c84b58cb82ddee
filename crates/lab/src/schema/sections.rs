//! The sections of a plan and their keys, as the schema and the reference tell of them. A test asks the reader of plans which
//! keys it knows, and fails where the two differ.

use crate::family::Family;
use crate::plan::stop;
use dupack_core::data::Format;
use dupack_core::declare::{Fallback, Field, Kind};
use dupack_sim::spec::{Pairs, Routing};

/// What stands under a key.
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
    /// What an existing section has.
    Section(&'static str),
    /// A list of such sections.
    Sections(&'static str),
    /// The table of a word, or of no word if its family has but one.
    Part(Family),
    /// The shape of a network.
    Topology,
    /// A sweep.
    Sweep,
    /// A number of a run's results.
    Measure,
}

/// A key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// As the plan writes it.
    pub name: &'static str,
    /// What stands there.
    pub shape: Shape,
    /// What it is if not given.
    pub fallback: Fallback,
    /// What it is for.
    pub help: &'static str,
}

/// A section.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Its name; empty for the plan itself.
    pub name: &'static str,
    /// What it describes.
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
                "What tables and figures are headed with; the file's name if it is not given.",
            ),
            key(
                "seed",
                Shape::Value(Kind::Count),
                Fallback::Text("1"),
                "Which random numbers: the same seed gives the same run.",
            ),
            key(
                "duration",
                Shape::Value(Kind::Time),
                MUST,
                "When the run ends, in simulated time.",
            ),
            key(
                "warm_up",
                Shape::WarmUp,
                Fallback::Text("0 s"),
                "Measures of flows, and rates, begin here; or where MSER-5 says of each run.",
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
                "Whether links tell percentiles of the delays in their queues, and flows of their round trips.",
            ),
            key(
                "batches",
                Shape::Value(Kind::Count),
                Fallback::Unset("none"),
                "So many parts of the measured time are measured each for itself: a single run has 95 % intervals from them.",
            ),
            key(
                "routing",
                Shape::Value(Routing::KIND),
                Fallback::Text("first"),
                "Which of several shortest ways a flow takes: the first, or one that is drawn for it (ECMP).",
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
                "Nodes that pass on what comes.",
            ),
            key(
                "edge",
                Shape::Sections("edge"),
                MAY,
                "Nodes that put the packets of a VC together and send them on whole, on another VC.",
            ),
            key(
                "link",
                Shape::Sections("link"),
                MAY,
                "Lines between nodes, duplex; a topology makes some, too.",
            ),
            key(
                "aal5",
                Shape::Section("aal5"),
                MAY,
                "How packets become cells.",
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
                "Run each point with as many seeds as it takes.",
            ),
            key(
                "sweep",
                Shape::Sweep,
                MAY,
                "What is tried: lists of values by path, and seeds.",
            ),
        ],
    },
    Section {
        name: "host",
        help: "Where flows begin and end; hosts pass nothing on.",
        keys: &[NAME, COUNT],
    },
    Section {
        name: "switch",
        help: "Passes on what comes, each unit by itself.",
        keys: &[NAME, COUNT],
    },
    Section {
        name: "edge",
        help: "Puts the packets of a VC together and sends them on whole, on another VC.",
        keys: &[NAME, COUNT],
    },
    Section {
        name: "link",
        help: "A duplex line. The way back has the same rate and delay and an unlimited FIFO unless `back_...` says otherwise.",
        keys: &[
            NAME,
            key(
                "from",
                Shape::Value(Kind::Name),
                MUST,
                "A node, or a group of nodes: one link for each.",
            ),
            key(
                "to",
                Shape::Value(Kind::Name),
                MUST,
                "The other end, or ends.",
            ),
            key(
                "carries",
                Shape::Value(CARRIES),
                MUST,
                "What it carries; the same on all links of a plan.",
            ),
            key(
                "rate",
                Shape::Value(Kind::Rate),
                Fallback::Unset(""),
                "Bits per second on the line; a line with a trace has none.",
            ),
            key(
                "delay",
                Shape::Value(Kind::Time),
                MUST,
                "Propagation delay.",
            ),
            key(
                "queue",
                Shape::Part(Family::Queue),
                Fallback::Unset("an unlimited FIFO"),
                "The discipline of the buffer at its head.",
            ),
            key(
                "loss",
                Shape::Part(Family::Loss),
                MAY,
                "What the line loses.",
            ),
            key(
                "reorder",
                Shape::Part(Family::Reorder),
                MAY,
                "Which packets take longer, so that others overtake them.",
            ),
            key(
                "marker",
                Shape::Part(Family::Marker),
                MAY,
                "What rates it allows the ABR sources whose cells pass it.",
            ),
            key(
                "trace",
                Shape::Value(Kind::Data(Format::Opportunities)),
                Fallback::Unset("none"),
                "When it can send, instead of a rate.",
            ),
            key(
                "back_trace",
                Shape::Value(Kind::Data(Format::Opportunities)),
                Fallback::Unset("as there"),
                "The same of the way back.",
            ),
            key(
                "back_rate",
                Shape::Value(Kind::Rate),
                Fallback::Unset("as there"),
                "The same of the way back.",
            ),
            key(
                "back_delay",
                Shape::Value(Kind::Time),
                Fallback::Unset("as there"),
                "The same of the way back.",
            ),
            key(
                "back_queue",
                Shape::Part(Family::Queue),
                Fallback::Unset("an unlimited FIFO"),
                "The same of the way back.",
            ),
            key(
                "back_loss",
                Shape::Part(Family::Loss),
                MAY,
                "The same of the way back.",
            ),
            key(
                "back_reorder",
                Shape::Part(Family::Reorder),
                MAY,
                "The same of the way back.",
            ),
            key(
                "back_marker",
                Shape::Part(Family::Marker),
                MAY,
                "The same of the way back.",
            ),
        ],
    },
    Section {
        name: "aal5",
        help: "How packets become cells.",
        keys: &[key(
            "trailer",
            Shape::Value(Kind::Bytes),
            Fallback::Text("8 B"),
            "What AAL5 adds to a packet before it is padded to whole cells.",
        )],
    },
    Section {
        name: "stop",
        help: "When a point has been run with enough seeds.",
        keys: &[
            key(
                "relative_ci",
                Shape::Value(Kind::Share),
                MUST,
                "The half-width of the 95 % interval, over the mean, that is narrow enough; above 0, below 1.",
            ),
            key(
                "of",
                Shape::Measure,
                MUST,
                "What the interval is of: a number of a run's results by its path, such as `summary.goodput_bps` or `links.bottleneck.mean_backlog`.",
            ),
            key(
                "min",
                Shape::Value(Kind::Count),
                Fallback::Text(stop::MIN),
                "With fewer runs the interval is not looked at.",
            ),
            key(
                "max",
                Shape::Value(Kind::Count),
                Fallback::Text(stop::MAX),
                "More runs are not made.",
            ),
        ],
    },
    Section {
        name: "vc",
        help: "A virtual channel that several flows share, from the first edge on their ways to the last.",
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
                "The sending host, or a group of hosts: one flow for each. Names with a star (`host-*`) where `pairs` or `arrivals` are given.",
            ),
            key(
                "to",
                Shape::Value(Kind::Name),
                MUST,
                "The receiving host, or hosts.",
            ),
            key(
                "pairs",
                Shape::Value(Pairs::KIND),
                Fallback::Text("in-order"),
                "Which of them: the first with the first and so on; each from one and to one, drawn for each seed; or each with each.",
            ),
            key(
                "start",
                Shape::Start,
                Fallback::Text("0 s"),
                "When it starts; of a range such as \"0 s..100 ms\" the seed draws the time.",
            ),
            key(
                "vc",
                Shape::Value(Kind::Name),
                Fallback::Unset("its own"),
                "The VC that it shares with other flows between edges.",
            ),
            MPR,
            key(
                "arrivals",
                Shape::Part(Family::Arrivals),
                MAY,
                "Makes it many connections that come and go, each between two of its hosts.",
            ),
            key(
                "abr",
                Shape::Part(Family::Abr),
                Fallback::Unset("none"),
                "Its cells are paced at the rate that RM cells bring back.",
            ),
            key(
                "traffic",
                Shape::Part(Family::Traffic),
                Fallback::Unset("greedy"),
                "When the application hands over how much.",
            ),
            key(
                "transport",
                Shape::Part(Family::Transport),
                Fallback::Unset("reno"),
                "Sender and receiver.",
            ),
        ],
    },
];

const COUNT: Key = key(
    "count",
    Shape::Value(Kind::Count),
    MAY,
    "Makes a group of so many, NAME-0, NAME-1, ...; the bare name then means all of them.",
);

const MPR: Key = key(
    "mpr",
    Shape::Value(Kind::Rate),
    Fallback::Unset("none"),
    "The minimum rate that its VC is guaranteed.",
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
