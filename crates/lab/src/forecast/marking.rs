//! Flows whose data is ECN-capable, although nothing on their ways marks.

use super::of_paths;
use dupack_core::queue::QueueParams;
use dupack_core::roster::Roster;
use dupack_sim::spec::{Flow, Network};
use std::collections::HashSet;

/// A note on the first such flow, which counts the others. `lines` are the paths and values of the canonical text.
pub(super) fn note<'a>(
    network: &Network,
    lines: impl Iterator<Item = (&'a str, &'a str)>,
) -> Option<String> {
    let asks = |flow: &&Flow| flow.transport.common.ecn;
    network.flows.iter().find(asks)?;
    let marking: HashSet<String> = lines
        .filter_map(|(path, found)| place(path, found))
        .collect();
    let marks = |link: usize| marking.contains(&network.links[link].name);
    let in_vain = |flow: &&Flow| {
        // Connections that come and go have several ways, of which these are the links of one.
        !match flow.arrivals {
            Some(_) => (0..network.links.len()).any(marks),
            None => flow.forward.iter().copied().any(marks),
        }
    };
    let flows = network.flows.iter().filter(asks).filter(in_vain);
    of_paths(
        flows.map(|flow| format!("flow.{}.transport.ecn", flow.name)),
        "true has no effect: no queue on the way of its data marks.",
    )
}

/// The link whose queue marks, if this value says so of one. A discipline in Python may mark.
fn place(path: &str, found: &str) -> Option<String> {
    let (above, last) = path.rsplit_once('.')?;
    let marks = match last {
        "ecn" => found == "true",
        "kind" => QueueParams::entry(found).is_none_or(|entry| entry.about.marks),
        _ => false,
    };
    let (link, part) = above.strip_prefix("link.")?.split_once('.')?;
    let part = part.split('.').next()?;
    match part {
        _ if !marks => None,
        "queue" => Some(link.to_string()),
        "back_queue" => Some(format!("{link}.back")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::forecast::notes;
    use crate::plan::Plan;

    const PLAN: &str = r#"
duration = "1 s"
topology = { kind = "dumbbell", senders = 2, carries = "packets", access = { rate = "10 Mb/s", delay = "1 ms" }, bottleneck = { rate = "10 Mb/s", delay = "1 ms", queue = { kind = "token-bucket", rate = "5 Mb/s", burst = "2 kB", buffer = "50 packets", inner = { kind = "red", buffer = "50 packets", min_th = "5 packets", max_th = "15 packets" } } } }
[[flow]]
name = "bulk"
from = "source"
to = "sink"
transport = { kind = "dctcp", mss = "1000 B" }
"#;

    #[test]
    fn a_flow_that_asks_for_marks_where_nothing_marks_is_told() {
        let told = |sets: &[&str]| {
            let sets: Vec<String> = sets.iter().map(|set| (*set).to_string()).collect();
            let plan = Plan::parse(PLAN.as_bytes(), "x", &sets).unwrap_or_else(|e| panic!("{e}"));
            let notes = notes(&plan.points).into_iter().map(|it| it.0);
            notes.filter(|it| it.contains(".ecn")).collect::<Vec<_>>()
        };
        let none = [
            "flow.bulk-0.transport.ecn (and 1 more): true has no effect: no queue on the way of its data marks.",
        ];
        assert_eq!(told(&[]), none);
        let queue = "link.bottleneck.queue";
        assert!(told(&[&format!("{queue}.inner.ecn=true")]).is_empty());
        let dualpi2 = format!("{queue}.inner={{ kind = \"dualpi2\", buffer = \"50 packets\" }}");
        assert!(told(&[&dualpi2]).is_empty());
        // Acks are not marked.
        let back =
            r#"link.bottleneck.back_queue={ kind = "codel", buffer = "50 packets", ecn = true }"#;
        assert_eq!(told(&[back]), none);
        // Neither is the data of the other flow.
        let one = r#"link.access-1.queue={ kind = "codel", buffer = "50 packets", ecn = true }"#;
        let other = [
            "flow.bulk-0.transport.ecn: true has no effect: no queue on the way of its data marks.",
        ];
        assert_eq!(told(&[one]), other);
        assert!(told(&["flow.bulk.transport.ecn=false"]).is_empty());
    }
}
