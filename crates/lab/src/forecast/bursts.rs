//! Buckets of tokens that are smaller than a packet, so that none of its length ever passes.

use dupack_core::queue::QueueParams;
use dupack_sim::spec::{Link, Network};

/// A note on the first such queue on the way of some flow's data.
pub(super) fn note(network: &Network) -> Option<String> {
    network.flows.iter().find_map(|flow| {
        let common = &flow.transport.common;
        let bytes = common.mss.0 + common.header.0;
        let ways = flow.forward.iter().map(|at| &network.links[*at]);
        let (link, most) = ways
            .filter_map(|link| Some((link, most(link)?)))
            .find(|(_, most)| *most < bytes)?;
        Some(format!(
            "{}.burst: full packets of flow.{} have {bytes} B and never pass, because the bucket holds at most {most} B.",
            super::of_way(link, "queue"),
            flow.name
        ))
    })
}

/// The most bytes for which there can be tokens at a time, if there is a bucket.
fn most(link: &Link) -> Option<u64> {
    match link.queue.as_ref()? {
        QueueParams::TokenBucket(it) => Some(it.burst.0),
        QueueParams::Policer(it) if it.peak_rate.is_some() => Some(it.peak_burst.0),
        QueueParams::Policer(it) => Some(it.burst.0.max(it.excess_burst.0)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::forecast::notes;
    use crate::plan::Plan;

    const PLAN: &str = r#"
duration = "1 s"
topology = { kind = "dumbbell", senders = 2, carries = "packets", access = { rate = "10 Mb/s", delay = "1 ms" }, bottleneck = { rate = "10 Mb/s", delay = "1 ms", queue = { kind = "token-bucket", rate = "5 Mb/s", burst = "100 B", buffer = "50 packets" } } }
[[flow]]
name = "bulk"
from = "source"
to = "sink"
transport = { kind = "udp", mss = "1000 B", header = "40 B" }
traffic = { kind = "cbr", rate = "1 Mb/s" }
"#;

    #[test]
    fn a_bucket_that_no_packet_passes_is_told() {
        let told = |queue: &str| {
            let sets = [format!("link.bottleneck.queue={queue}")];
            let sets = if queue.is_empty() { &[][..] } else { &sets };
            let plan = Plan::parse(PLAN.as_bytes(), "x", sets).unwrap_or_else(|e| panic!("{e}"));
            let notes = notes(&plan.points);
            notes.into_iter().find(|it| it.0.contains("never pass"))
        };
        let note = told("").expect("a note").0;
        assert!(
            note.starts_with("link.bottleneck.queue.burst: full packets of flow.bulk"),
            "{note}"
        );
        assert!(note.contains("1040 B and never pass, because the bucket holds at most 100 B"));
        let policer = |more: &str| {
            format!(
                "{{ kind = \"policer\", rate = \"5 Mb/s\", buffer = \"50 packets\", burst = \"100 B\", {more} }}"
            )
        };
        assert!(told(&policer("excess_burst = \"1 kB\"")).is_some());
        assert_eq!(told(&policer("excess_burst = \"2 kB\"")), None);
        assert_eq!(told("drop-tail"), None);
    }
}
