//! The numbers that a run measures, each by its path in the run's document: `summary.jain`, `links.bottleneck.queue_delay_s.p99`.
//!
//! The names are those of the report's declaration. Which of them a network has depends on its flows, its links, and the measures
//! that the plan asks for. A star matches any letters of a flow's or a link's name: it means the mean over all of these, or the
//! largest value of a maximum.

use super::spelling::nearest;
use super::stars::matches;
use crate::run;
use dupack_core::traffic::{Measures, Offer};
use dupack_sim::connections::SIZES;
use dupack_sim::report::Report;
use dupack_sim::spec::{Flow, Network};
use serde_json::Value;
use std::sync::LazyLock;

/// The part of the document that is one table.
const SUMMARY: &str = "summary";
/// The counts of a link since the warm-up.
const MEASURED: &str = "measured";
/// Statistics of a distribution.
const SHARES: [&str; 7] = ["mean", "p50", "p90", "p95", "p99", "p99_9", "max"];
/// Names of flows or links are listed only if there are at most this many.
const LISTED: usize = 4;
/// If there are more flows or links, only the numbers of this many are compared with a misspelled name.
const TRIED: usize = 100;
/// A shorter word resembles too many others.
const WORD: usize = 4;

/// A number of a run's document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    /// Its whole path.
    pub name: String,
    /// The part of the document: `summary`, `flows`, `links`.
    pub part: &'static str,
    /// Name of the flow or link, perhaps with a star; empty for the summary.
    pub of: String,
    /// The path below that.
    pub key: String,
    /// Direction that is better.
    pub better: Option<Better>,
}

/// Directions that can be better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Large ones.
    More,
    /// Small ones.
    Less,
}

impl Better {
    /// As in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::More => "more",
            Self::Less => "less",
        }
    }
}

/// Condition for a number to be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    Nothing,
    Percentiles,
    Arrivals,
    Abr,
    Frames,
    Responses,
    Video,
}

impl Needs {
    /// Whether a flow has it, for what a flow decides.
    fn of_flow(self, flow: &Flow) -> bool {
        let measures = flow.traffic.measures();
        match self {
            Self::Nothing | Self::Percentiles => true,
            Self::Arrivals => flow.arrivals.is_some(),
            Self::Abr => flow.abr.is_some(),
            Self::Frames => matches!(measures, Measures::Frames(_)),
            Self::Responses => measures == Measures::Responses,
            Self::Video => measures == Measures::Playback,
        }
    }

    /// What a flow without it lacks.
    fn missing(self) -> &'static str {
        match self {
            Self::Nothing | Self::Percentiles => "nothing",
            Self::Arrivals => "no `arrivals`",
            Self::Abr => "no ABR",
            Self::Frames => "no frames: its traffic is not `real-time`",
            Self::Responses => "no responses: its traffic is not `request-response`",
            Self::Video => "no video: its traffic is not `video`",
        }
    }
}

/// A number of each flow or link, or of the summary, by its path in it.
#[derive(Debug)]
struct Leaf {
    key: String,
    needs: Needs,
}

/// The numbers of each part of the document.
static PARTS: LazyLock<[(&str, Vec<Leaf>); 3]> = LazyLock::new(|| {
    let schema = schemars::schema_for!(Report).to_value();
    [SUMMARY, "flows", "links"].map(|part| {
        let mut found = Vec::new();
        let declared = resolve(&schema, &schema["properties"][part]);
        let one = if part == SUMMARY {
            declared
        } else {
            resolve(&schema, &declared["items"])
        };
        walk(&schema, one, "", &mut found);
        (part, found)
    })
});

/// A declaration without its references and without the possibility of null.
fn resolve<'a>(schema: &'a Value, declared: &'a Value) -> &'a Value {
    let any = declared["anyOf"].as_array();
    if let Some(one) = any.and_then(|any| any.iter().find(|one| one["type"] != "null")) {
        return resolve(schema, one);
    }
    match declared["$ref"]
        .as_str()
        .and_then(|to| to.strip_prefix('#'))
    {
        Some(to) => schema.pointer(to).unwrap_or(declared),
        None => declared,
    }
}

fn walk(schema: &Value, declared: &Value, above: &str, found: &mut Vec<Leaf>) {
    for (name, written) in declared["properties"].as_object().into_iter().flatten() {
        let (key, one) = (format!("{above}{name}"), resolve(schema, written));
        let is = |kind: &str| {
            one["type"] == kind
                || one["type"]
                    .as_array()
                    .is_some_and(|all| all.iter().any(|k| k == kind))
        };
        if name == "dropped" {
            // Drops by cause, and their total.
            let causes = run::drop_causes().map(|cause| format!("{key}.{cause}"));
            let all: Vec<String> = std::iter::once(key.clone()).chain(causes).collect();
            found.extend(all.into_iter().map(leaf));
        } else if name == "by_size" {
            for at in 0..=SIZES.len() {
                walk(
                    schema,
                    resolve(schema, &one["items"]),
                    &format!("{key}.{at}."),
                    found,
                );
            }
        } else if one.get("properties").is_some() {
            walk(schema, one, &format!("{key}."), found);
        } else if (is("number") || is("integer")) && !name.ends_with("_bytes") {
            // Bounds of size classes are parameters, not measures.
            found.push(leaf(key));
        }
    }
}

fn leaf(key: String) -> Leaf {
    let needs = match key.split('.').next() {
        Some("rtt_s" | "queue_delay_s") => Needs::Percentiles,
        Some("connections") => Needs::Arrivals,
        Some("abr") => Needs::Abr,
        Some("frames") => Needs::Frames,
        Some("responses") => Needs::Responses,
        Some("video") => Needs::Video,
        _ => Needs::Nothing,
    };
    Leaf { key, needs }
}

/// Direction of a number that is better: less of delays, losses and retransmissions, more of goodput and fairness.
/// Other numbers have none.
fn better(key: &str) -> Option<Better> {
    let mut words = key.split('.').rev();
    let last = words.next()?;
    // A statistic has the direction of its distribution, and drops by cause have that of all drops.
    let word = match last {
        _ if distribution(key).is_some() => words.next()?,
        _ if key.starts_with("dropped.") || key.starts_with("measured.dropped.") => "dropped",
        _ => last,
    };
    match word {
        "goodput_bps" | "throughput_bps" | "goodput_fraction" | "jain" | "active_fraction"
        | "utilization" | "segments_delivered" | "messages" | "completed" | "rounds"
        | "mean_acr_bps" | "complete" | "chunks" | "mean_rate_bps" => Some(Better::More),
        "timeouts"
        | "segments_retransmitted"
        | "fast_retransmits"
        | "probes"
        | "dropped"
        | "trimmed"
        | "dead_units"
        | "waiting"
        | "mean_backlog"
        | "max_backlog"
        | "open"
        | "mean_rtt_s"
        | "rtt_s"
        | "mean_message_s"
        | "mean_delay_s"
        | "completed_s"
        | "completion_s"
        | "slowdown"
        | "round_s"
        | "queue_delay_s"
        | "late"
        | "missed_fraction"
        | "delay_s"
        | "time_s"
        | "switches"
        | "stalls"
        | "stalled_s"
        | "startup_s"
        | "unused_acr_bps" => Some(Better::Less),
        _ => None,
    }
}

/// The full path of the measure `text`: numbers of the summary may be named by their keys alone.
pub(super) fn whole(text: &str) -> String {
    let known = PARTS[0].1.iter().any(|leaf| leaf.key == text);
    if known {
        format!("{SUMMARY}.{text}")
    } else {
        text.to_string()
    }
}

/// The measure `text`, if runs of the network measure it.
///
/// # Errors
/// The mistake, and the available measures.
pub fn find(network: &Network, text: &str) -> Result<Measure, String> {
    let name = whole(text);
    let unknown = || Err(format!("{text:?} is unknown; {}", instead(network, &name)));
    let Some((part, rest)) = name.split_once('.') else {
        return unknown();
    };
    let Some((part, leaves)) = PARTS.iter().find(|(known, _)| *known == part) else {
        return unknown();
    };
    let made = |of: &str, leaf: &Leaf| Measure {
        name: name.clone(),
        part,
        of: of.to_string(),
        key: leaf.key.clone(),
        better: better(&leaf.key),
    };
    if *part == SUMMARY {
        let leaf = leaves.iter().find(|leaf| leaf.key == rest);
        return leaf.map_or_else(unknown, |leaf| Ok(made("", leaf)));
    }
    // The name of a link's reverse direction contains a dot, so every dot is tried.
    let dots = rest.match_indices('.').map(|(at, _)| at);
    let found = dots.filter_map(|at| {
        let (of, key) = (&rest[..at], &rest[at + 1..]);
        Some((of, leaves.iter().find(|leaf| leaf.key == key)?))
    });
    let named = found.map(|(of, leaf)| (of, leaf, having(network, part, of, leaf.needs)));
    // `links.x.measured.sent` is `measured.sent` of `x`; that `x.measured` might be a name is found out by looking for it.
    let mut named: Vec<_> = named.collect();
    named.sort_by_key(|(_, _, having)| !matches!(having, Having::NoSuch));
    let Some((of, leaf, having)) = named.pop() else {
        return unknown();
    };
    match having {
        Having::Some => Ok(made(of, leaf)),
        Having::NoSuch => unknown(),
        Having::None => Err(match leaf.needs {
            Needs::Percentiles => {
                format!("{text:?} is not measured: the plan lacks `percentiles = true`")
            }
            other => format!("{text:?} is not measured: {of:?} has {}", other.missing()),
        }),
    }
}

/// Whether the named flow or link exists, and has the measure.
enum Having {
    Some,
    None,
    NoSuch,
}

fn having(network: &Network, part: &str, of: &str, needs: Needs) -> Having {
    let flows = || network.flows.iter().filter(|flow| matches(&flow.name, of));
    let exists = match part {
        "flows" => flows().next().is_some(),
        _ => network.links.iter().any(|link| matches(&link.name, of)),
    };
    let measured = match needs {
        Needs::Nothing => true,
        Needs::Percentiles => network.percentiles,
        own => flows().any(|flow| own.of_flow(flow)),
    };
    match (exists, measured) {
        (false, _) => Having::NoSuch,
        (true, false) => Having::None,
        (true, true) => Having::Some,
    }
}

/// The names of all numbers that runs of the network measure.
pub fn names(network: &Network) -> Vec<String> {
    let mut all = Vec::new();
    let mut add = |above: &str, leaves: &[Leaf], has: &dyn Fn(Needs) -> bool| {
        let those = leaves.iter().filter(|leaf| has(leaf.needs));
        all.extend(those.map(|leaf| format!("{above}.{}", leaf.key)));
    };
    let [(summary, of_summary), (flows, of_flows), (links, of_links)] = &*PARTS;
    add(summary, of_summary, &|_| true);
    for flow in &network.flows {
        add(
            &format!("{flows}.{}", flow.name),
            of_flows,
            &|needs| match needs {
                Needs::Percentiles => network.percentiles,
                own => own.of_flow(flow),
            },
        );
    }
    for link in &network.links {
        let has = |needs| needs == Needs::Nothing || network.percentiles;
        add(&format!("{links}.{}", link.name), of_links, &has);
    }
    all
}

fn named<'a>(network: &'a Network, part: &str) -> Box<dyn Iterator<Item = &'a str> + 'a> {
    match part {
        "flows" => Box::new(network.flows.iter().map(|flow| flow.name.as_str())),
        _ => Box::new(network.links.iter().map(|link| link.name.as_str())),
    }
}

/// The nearest name, and a short list of available ones.
fn instead(network: &Network, name: &str) -> String {
    // This includes numbers that the run does not measure: the next error says how to measure them.
    let all: Vec<String> = PARTS
        .iter()
        .flat_map(|(part, leaves)| {
            let of: Vec<String> = match *part {
                SUMMARY => vec![SUMMARY.into()],
                _ => named(network, part)
                    .take(TRIED)
                    .map(|of| format!("{part}.{of}"))
                    .collect(),
            };
            of.into_iter().flat_map(move |above| {
                leaves
                    .iter()
                    .map(move |leaf| format!("{above}.{}", leaf.key))
            })
        })
        .collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    // A name without a dot is meant for the summary. Very short ones are left alone: they resemble too many names.
    let near = if name.contains('.') || name.len() < WORD {
        nearest(name, &all)
    } else {
        nearest(&format!("{SUMMARY}.{name}"), &all)
    };
    let near = near.map_or_else(String::new, |near| format!("did you mean {near:?}? "));
    let mut told = Vec::new();
    for (part, leaves) in PARTS.iter() {
        let mut keys: Vec<String> = Vec::new();
        for leaf in leaves {
            let has = *part == SUMMARY
                || named(network, part)
                    .take(TRIED)
                    .any(|of| matches!(having(network, part, of, leaf.needs), Having::Some));
            let key = short(&leaf.key);
            if has && keys.last() != Some(&key) {
                keys.push(key);
            }
        }
        let of = if *part == SUMMARY {
            String::new()
        } else {
            format!(".NAME ({})", some(network, part))
        };
        told.push(format!("{part}{of}: {}", keys.join(", ")));
    }
    format!("{near}this plan has {}", told.join("; "))
}

/// `rtt_s.p99` and its like as one: `rtt_s.{mean, p50, ..., max}`.
fn short(key: &str) -> String {
    match (distribution(key), key.split_once('.')) {
        (Some(above), _) => format!("{above}.{{{}}}", SHARES.join(", ")),
        (None, Some(("dropped", _))) => "dropped.CAUSE".into(),
        (None, Some((MEASURED, key))) => format!("{MEASURED}.{}", short(key)),
        _ => key.to_string(),
    }
}

/// The distribution of which a number is a share.
fn distribution(key: &str) -> Option<&str> {
    let (above, last) = key.rsplit_once('.')?;
    SHARES.contains(&last).then_some(above)
}

fn some(network: &Network, part: &str) -> String {
    let count = named(network, part).count();
    let mut told: Vec<&str> = named(network, part).take(LISTED).collect();
    let more = format!("{} more", count.saturating_sub(LISTED));
    if count > LISTED {
        told.push(&more);
    }
    told.join(", ")
}

/// Allowed values of `of`, for the JSON Schema of plans.
pub(crate) fn pattern() -> String {
    let keys = |leaves: &[Leaf]| {
        let mut told: Vec<String> = Vec::new();
        for leaf in leaves {
            let key = match distribution(&leaf.key) {
                Some(above) => format!("{above}.({})", SHARES.join("|")),
                None => leaf.key.clone(),
            };
            let sizes = (0..=SIZES.len()).fold(key, |key, at| {
                key.replace(&format!("by_size.{at}."), "by_size.[0-9].")
            });
            let key = sizes.replace('.', r"\.");
            if !told.contains(&key) {
                told.push(key);
            }
        }
        told.join("|")
    };
    let [(_, summary), (_, flows), (_, links)] = &*PARTS;
    let name = "[A-Za-z0-9_*-]+";
    format!(
        r"^((summary\.)?({})|flows\.{name}\.({})|links\.{name}(\.back)?\.({}))$",
        keys(summary),
        keys(flows),
        keys(links)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    const NEITHER: [&str; 17] = [
        "generated",
        "segments_sent",
        "acks",
        "mean_rto_s",
        "started_s",
        "rate_based_fraction",
        "window_based_fraction",
        "forward_rm",
        "backward_rm",
        "begun",
        "offered",
        "minted",
        "marked",
        "sent",
        "in_service",
        "empty_fraction",
        "empty_periods",
    ];

    #[test]
    fn of_every_number_it_is_said_which_is_better_or_that_it_cannot_be_said() {
        for (part, leaves) in PARTS.iter() {
            for leaf in leaves {
                let last = leaf.key.rsplit('.').next().unwrap_or_default();
                let neither = NEITHER.contains(&last);
                assert_eq!(better(&leaf.key).is_none(), neither, "{part}: {}", leaf.key);
            }
        }
        assert_eq!(better("goodput_bps"), Some(Better::More));
        assert_eq!(
            better("connections.by_size.0.slowdown.p99"),
            Some(Better::Less)
        );
        assert_eq!(better("dropped.overflow"), Some(Better::Less));
    }

    const PLAN: &str = r#"
duration = "1 s"
percentiles = true
topology = { kind = "dumbbell", senders = 2, carries = "packets", access = { rate = "10 Mb/s", delay = "1 ms" }, bottleneck = { rate = "8 Mb/s", delay = "1 ms" } }
[[flow]]
name = "bulk"
from = "source"
to = "sink"
"#;

    fn network(text: &str) -> std::sync::Arc<Network> {
        let plan =
            Plan::parse(text.as_bytes(), "plan", &[]).unwrap_or_else(|errors| panic!("{errors}"));
        plan.points[0].network.clone()
    }

    #[test]
    fn names_are_found() {
        let network = network(PLAN);
        let found = |text: &str| find(&network, text).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(found("jain").name, "summary.jain");
        assert_eq!(found("summary.jain"), found("jain"));
        let delay = found("links.bottleneck.back.queue_delay_s.p99_9");
        assert_eq!(
            (delay.of.as_str(), delay.key.as_str()),
            ("bottleneck.back", "queue_delay_s.p99_9")
        );
        assert_eq!(found("flows.bulk-*.timeouts").of, "bulk-*");
        for name in names(&network) {
            assert_eq!(found(&name).name, name);
        }
    }

    #[test]
    fn what_is_not_measured_is_told() {
        let network = network(&PLAN.replace("percentiles = true", ""));
        let why = |text: &str| find(&network, text).expect_err("it is not measured");
        assert!(
            why("links.bottleneck.queue_delay_s.p99")
                .ends_with("the plan lacks `percentiles = true`")
        );
        assert!(
            why("flows.bulk-0.connections.slowdown.p50").ends_with("\"bulk-0\" has no `arrivals`")
        );
        assert!(why("flows.*.abr.mean_backlog").ends_with("has no ABR"));
        assert!(why("flows.*.video.stalls").ends_with("its traffic is not `video`"));
        let unknown = why("links.botleneck.droped");
        assert!(
            unknown.contains("did you mean \"links.bottleneck.dropped\"? this plan has summary: "),
            "{unknown}"
        );
        assert!(
            unknown.contains("flows.NAME (bulk-0, bulk-1): "),
            "{unknown}"
        );
        assert!(!unknown.contains("queue_delay_s"), "{unknown}");
        for text in [
            "",
            ".",
            "flows",
            "flows.",
            "flows.bulk-9.timeouts",
            "links.*.",
            "summary.",
            "seed",
            "flows.bulk-0.name",
        ] {
            assert!(why(text).contains("is unknown"), "{text}");
        }
    }
}
