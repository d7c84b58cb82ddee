//! What a plan asks of a flow that the kernel does differently, in words.

use crate::flows::{PLAIN, READING, STAMPS, has_stamps, without_sack};
use dupack_core::time::Duration;
use dupack_sim::spec;

/// Keys of a transport that live flows keep, or of which [`departures`] tells by itself.
const KEPT: [&str; 12] = [
    "kind",
    "control",
    "repair",
    "mss",
    "header",
    "initial_window",
    "max_window",
    "min_rto",
    "delayed_ack",
    "ecn",
    "max_cwnd",
    "initial_ssthresh",
];

/// Length of the headers of a full packet of the flow \[bytes\].
fn header(flow: &spec::Flow, ipv6: bool) -> u64 {
    let own = match flow.transport.pair.acknowledged() {
        false => 28,
        true if has_stamps(flow) => PLAIN + STAMPS,
        true => PLAIN,
    };
    own + if ipv6 { 20 } else { 0 }
}

/// What the plan asks of a flow that the kernel does differently.
pub fn departures(flow: &spec::Flow, ipv6: bool) -> Vec<String> {
    let common = &flow.transport.common;
    let mut notes = Vec::new();
    let (asked, own) = (common.header.0, header(flow, ipv6));
    if asked != own {
        let why = if ipv6 { " with IPv6" } else { "" };
        notes.push(format!(
            "header: {asked} B in the plan, {own} B in the kernel{why}"
        ));
    }
    if flow.transport.pair.acknowledged() {
        if common.max_cwnd.is_some() {
            notes.push("max_cwnd: the kernel has no such bound".into());
        }
        if common.initial_ssthresh.is_some() {
            notes.push("initial_ssthresh: the kernel begins without".into());
        }
        let repair = flow.transport.pair.repair.name;
        let given = flow.kernel.is_none() || flow.asked.iter().any(|(key, _)| key == "repair");
        if given && repair != "rack-tlp" {
            let own = if without_sack(flow) {
                "NewReno (tcp_sack = 0)"
            } else {
                "RACK-TLP"
            };
            notes.push(format!("repair: {repair} in the plan, {own} in the kernel"));
        }
    }
    for (key, value) in &flow.asked {
        if key == "read_delay" {
            let reading = READING.0 / Duration::millis(1).0;
            notes.push(format!(
                "read_delay: {value} in the plan, live receivers read every {reading} ms"
            ));
        } else if !KEPT.contains(&key.as_str()) {
            notes.push(format!("{key}: {value} in the plan is not kept"));
        }
    }
    notes
}
