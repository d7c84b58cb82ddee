use dupack_core::declare::Declared;
use dupack_core::measure::*;
use dupack_core::queue::{self, Grain};
use dupack_core::time::Duration;
use dupack_core::{traffic, transport};
use dupack_sim::probe::Off;
use dupack_sim::spec::*;

fn main() {
    let dur: u64 = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(60);
    let kind = std::env::args().nth(2).unwrap_or("bpd".into());
    let n = 5;
    let link = |name: &str, from: &str, to: &str, to_host, rate: u64, queue| Link {
        name: name.into(), from: from.into(), to: to.into(), to_host, rate: Rate(rate),
        delay: Duration(300_000_000), queue, loss: None,
    };
    let q = match kind.as_str() {
        "bpd" => queue::Params::bpd(queue::bpd::Params::from_texts(&[("buffer", "1200 cells")])),
        "epd" => queue::Params::epd(queue::epd::Params::from_texts(&[("buffer", "1200 cells"), ("threshold", "0.9")])),
        "ppd" => queue::Params::ppd(queue::ppd::Params::from_texts(&[("buffer", "1200 cells")])),
        _ => queue::Params::plain(queue::plain::Params::from_texts(&[("buffer", "1200 cells")])),
    };
    let mut links = vec![];
    for i in 0..n {
        links.push(link(&format!("access-{i}"), "s", "gray", false, 30_000_000, None));
        links.push(link(&format!("access-{i}.back"), "gray", "s", true, 30_000_000, None));
    }
    links.push(link("bottleneck", "gray", "sink", true, 75_000_000, Some(q)));
    links.push(link("bottleneck.back", "sink", "gray", false, 75_000_000, None));
    let entry = transport::entry("reno").unwrap();
    let flows = (0..n).map(|i| Flow {
        name: format!("bulk-{i}"),
        transport: transport::Params { entry, common: transport::Common::default(), own: vec![] },
        traffic: traffic::Params::greedy(traffic::greedy::Params {}),
        start: (Duration::ZERO, Duration::millis(100)),
        forward: vec![2 * i, 2 * n], back: vec![2 * n + 1, 2 * i + 1],
    }).collect();
    let net = Network { grain: Grain::Cells, trailer: Bytes(0), duration: Duration::secs(dur), warm_up: Duration::ZERO, sample: None, links, flows };
    for seed in 1..=3 {
        let t = std::time::Instant::now();
        let (r, _) = dupack_sim::simulate(&net, seed, Off).unwrap();
        let el = t.elapsed().as_nanos() as f64;
        let b = &r.links[2 * n];
        println!("{:.1} ns/cell offered={} frac={:.4} jain={:.3} active={:.3} timeouts={} util={:.3} dead={} mean={:.0} max={} dropped={:?} rtt={:?} fr={}", el / b.offered as f64, b.offered, r.summary.goodput_fraction, r.summary.jain.unwrap(), r.summary.active_fraction, r.summary.timeouts, b.utilization, b.dead_units, b.mean_backlog, b.max_backlog, b.dropped, r.flows[0].mean_rtt_s, r.flows[0].fast_retransmits);
    }
}
