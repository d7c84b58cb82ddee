//! Packet-pair over fair queueing: it fills a path, shares it, and does not overfill it.

use crate::common;
use dupack_sim::report::Report;

/// Greedy flows with the transport's defaults on a backbone of 100 packets in a round trip of 50 ms.
fn greedy(flows: u32, buffer: u32) -> Report {
    let plan = format!(
        r#"
duration = "60 s"
warm_up = "10 s"
[[host]]
name = "source"
count = {flows}
[[host]]
name = "sink"
[[switch]]
name = "router"
[[link]]
name = "access"
from = "source"
to = "router"
carries = "packets"
rate = "80 Mb/s"
delay = "5 ms"
[[link]]
name = "backbone"
from = "router"
to = "sink"
carries = "packets"
rate = "8 Mb/s"
delay = "20 ms"
queue = {{ kind = "fair-queueing", buffer = "{buffer} packets" }}
[[flow]]
name = "user"
from = "source"
to = "sink"
start = "0 s..2 s"
transport = {{ kind = "packet-pair", mss = "460 B", tick = "1 ms" }}
"#
    );
    common::report(&plan, &[])
}

#[test]
//= keshav-morgan-1997 §5 type=test
// "ensure that the bottleneck's buffers are neither too full, nor too empty"; "the buffer size needs to be at least 2N packets".
fn greedy_flows_fill_the_path_equally_and_lose_nothing_once_they_know_it() {
    for (flows, buffer) in [(1, 25), (3, 25), (10, 60)] {
        let report = greedy(flows, buffer);
        let case = format!("{flows} flows, {buffer} packets: {:?}", report.summary);
        assert!(report.summary.goodput_fraction > 0.995, "{case}");
        assert!(
            report.summary.jain.is_some_and(|jain| jain > 0.999),
            "{case}"
        );
        let again: u64 = report.flows.iter().map(|f| f.segments_retransmitted).sum();
        assert_eq!(again, 0, "after the start; {case}");
    }
}
