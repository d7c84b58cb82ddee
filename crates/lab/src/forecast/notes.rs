//! Notes on values of a plan that are right, but have no effect beyond a bound that the plan itself sets.

use super::{bursts, marking, of_paths, of_way, phases};
use crate::halt::look;
use crate::plan::Point;
use dupack_core::arrivals::Expect;
use dupack_core::measure::Bytes;
use dupack_sim::spec::Network;
use std::collections::{HashMap, HashSet};

/// The notes on all points of a plan: each once, with the number of points that have it, and the first of them.
pub fn notes(points: &[Point]) -> Vec<(String, usize, usize)> {
    let mut found: Vec<(String, usize, usize)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (at, point) in points.iter().enumerate() {
        look();
        for note in of_point(&point.network, &point.key) {
            let place = *places.entry(note.clone()).or_insert(found.len());
            match found.get_mut(place) {
                Some(known) => known.1 += 1,
                None => found.push((note, 1, at)),
            }
        }
    }
    found
}

/// The notes, each with the path of its value; `key` is the canonical text of the plan.
fn of_point(network: &Network, key: &str) -> Vec<String> {
    let values: HashMap<&str, &str> = key.lines().filter_map(|it| it.split_once(" = ")).collect();
    let mut notes = Vec::new();
    for (path, found) in key.lines().filter_map(|it| it.split_once(" = ")) {
        let Some((above, last)) = path.rsplit_once('.') else {
            continue;
        };
        let beside = |key: &str| values.get(format!("{above}.{key}").as_str()).copied();
        let note = match last {
            "max_th" => beside("buffer").and_then(|buffer| {
                let (most, room) = (number(found)?, number(buffer)?);
                (most > room).then(|| {
                    format!("{found} is more than its buffer of {buffer}: the average queue never reaches it, and max_p neither")
                })
            }),
            "target" if beside("interval").is_some() => {
                let ms = |text: &str| Some(text.strip_suffix(" ps")?.parse::<f64>().ok()? / 1e9);
                ms(found).zip(beside("interval").and_then(ms)).filter(|(target, interval)| target >= interval).map(|(target, interval)| {
                    format!("{target} ms is not less than its interval of {interval} ms; RFC 8289 has 5 to 10 % of it")
                })
            }
            "min_th" | "th_len" | "target" | "depth" | "minq" => {
                beside("buffer").and_then(|buffer| {
                    let same = found.split(' ').nth(1) == buffer.split(' ').nth(1);
                    (same && number(found)? > number(buffer)?).then(|| {
                        format!("{found} is more than its buffer of {buffer}, so the queue never reaches it")
                    })
                })
            }
            "window" | "initial_window" | "max_cwnd" if above.starts_with("flow.") => beside("max_window").and_then(|most| {
                let mss = beside("mss").and_then(number).map_or(Bytes(1), |it| Bytes(it as u64));
                (bytes(found, mss)? > bytes(most, mss)?)
                    .then(|| format!("{found} is more than its max_window of {most}, which holds"))
            }),
            "hard_drop" if found == "false" && beside("ecn") == Some("false") => {
                Some("false has no effect without `ecn`: nothing is marked".to_string())
            }
            _ => None,
        };
        notes.extend(note.map(|note| format!("{path}: {note}.")));
    }
    for flow in &network.flows {
        let Some(arrivals) = &flow.arrivals else {
            continue;
        };
        let hosts = arrivals.sources.len();
        if let Some(asked) = arrivals
            .params
            .asked()
            .filter(|asked| *asked > hosts as u64)
        {
            notes.push(format!(
                "flow.{}.arrivals.senders: {asked} is more than its {hosts} sending hosts: each round has all of them.",
                flow.name
            ));
        }
    }
    let lines = key.lines().filter_map(|it| it.split_once(" = "));
    notes.extend(marking::note(network, lines));
    notes.extend(bursts::note(network));
    if network.detune.is_none() {
        notes.extend(phases::note(network));
    }
    notes.extend(late(network));
    let changing = network.links.iter().filter(|it| it.schedule.is_some());
    let changing = changing.map(|it| of_way(it, "schedule"));
    notes.extend(of_paths(
        changing,
        "the rates and delays above are means over the measured time.",
    ));
    notes
}

/// A note on the first jitter, or on grants; the time that a host takes is a jitter of its line, but the plan has it at the host.
fn late(network: &Network) -> Option<String> {
    let late = network.links.iter().filter_map(|it| {
        let path = &it.jitter.as_ref()?.path;
        let host = path.ends_with(".overhead");
        Some(if host {
            format!("host.{}.overhead", it.from)
        } else {
            path.clone()
        })
    });
    let asked = (network.links.iter().filter(|it| it.grants.is_some()))
        .map(|it| super::of_way(it, "grants"));
    // Several lines may leave a host.
    let mut told = HashSet::new();
    let late = late.chain(asked).filter(|path| told.insert(path.clone()));
    of_paths(late, "its delays are not in the delays and RTTs above.")
}

/// The number of `50 packets`.
fn number(value: &str) -> Option<f64> {
    value.split(' ').next()?.parse().ok()
}

/// A window in bytes.
fn bytes(value: &str, mss: Bytes) -> Option<f64> {
    let unit = if value.ends_with(" segments") {
        mss.0 as f64
    } else {
        1.0
    };
    Some(number(value)? * unit)
}

#[cfg(test)]
mod tests {
    use super::notes;
    use crate::forecast::forecast;
    use crate::plan::Plan;

    const PLAN: &str = r#"
duration = "1 s"
topology = { kind = "incast", senders = 3, carries = "packets", access = { rate = "10 Mb/s", delay = "1 ms" }, bottleneck = { rate = "10 Mb/s", delay = "1 ms", queue = { kind = "red", buffer = "50 packets", min_th = "5 packets", max_th = "40 packets" } } }
[[flow]]
name = "web"
from = "source"
to = "sink"
arrivals = { kind = "rounds", senders = 3 }
traffic = { kind = "file", size = "20 kB" }
transport = { kind = "static-window", mss = "1000 B", window = "9 segments", max_window = "9 kB" }
"#;

    #[test]
    fn values_without_an_effect_are_told() {
        let told = |sets: &[&str]| {
            let sets: Vec<String> = sets.iter().map(|set| (*set).to_string()).collect();
            let plan = Plan::parse(PLAN.as_bytes(), "x", &sets).unwrap_or_else(|e| panic!("{e}"));
            let told = forecast(&plan.points[0].network, &plan.points[0].key);
            let notes: Vec<_> = notes(&plan.points).into_iter().map(|it| it.0).collect();
            (notes, told.arrivals[0].at_once)
        };
        assert_eq!(told(&[]), (vec![], Some(3)));
        let sets = [
            "link.bottleneck.queue.max_th=60 packets",
            "link.bottleneck.queue.hard_drop=false",
            "flow.web.arrivals.senders=4",
            r#"link.access*.jitter={ kind = "uniform", max_delay = "2 ms" }"#,
            "flow.web.transport.window=10 segments",
            r#"link.bottleneck.back_schedule=[{ at = "0.5 s", up = false }]"#,
        ];
        let (notes, at_once) = told(&sets);
        assert_eq!(at_once, Some(3));
        assert_eq!(
            notes,
            [
                "link.bottleneck.queue.max_th: 60 packets is more than its buffer of 50 packets: the average queue never reaches it, and max_p neither.",
                "link.bottleneck.queue.hard_drop: false has no effect without `ecn`: nothing is marked.",
                "flow.web.transport.window: 10 segments is more than its max_window of 9000 B, which holds.",
                "flow.web.arrivals.senders: 4 is more than its 3 sending hosts: each round has all of them.",
                "link.access-0.jitter (and 2 more): its delays are not in the delays and RTTs above.",
                "link.bottleneck.back_schedule: the rates and delays above are means over the measured time.",
            ]
        );
        let codel = |target: &str| {
            let queue =
                format!(r#"link.bottleneck.queue={{ kind = "codel", target = "{target}" }}"#);
            told(&[&queue]).0
        };
        assert_eq!(
            codel("200 ms"),
            [
                "link.bottleneck.queue.target: 200 ms is not less than its interval of 100 ms; RFC 8289 has 5 to 10 % of it."
            ]
        );
        assert!(codel("99 ms").is_empty());
        assert_eq!(
            told(&["host.source*.overhead=1 ms"]).0,
            [
                "host.source-0.overhead (and 2 more): its delays are not in the delays and RTTs above."
            ]
        );
    }
}
