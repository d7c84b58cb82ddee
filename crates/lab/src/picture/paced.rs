//! ABR: three sources on one line, begun one after the other, and the rates that they are allowed.

use super::signs::{COLUMNS, bar, row};
use dupack_sim::probe::Off;
use dupack_sim::simulate;
use dupack_sim::spec::Network;
use std::sync::atomic::AtomicBool;

/// Around a marker: sources that always have cells to send, and whose transport does not interfere.
pub(super) const MARKED: &str = r#"
duration = "720 ms"
sample = "10 ms"
host = [{ name = "a", count = 3 }, { name = "b" }]
switch = [{ name = "s" }]
link = [
  { name = "access", from = "a", to = "s", carries = "cells", rate = "10 Mb/s", delay = "1 ms" },
  { name = "line", from = "s", to = "b", carries = "cells", rate = "10 Mb/s", delay = "1 ms", queue = { kind = "plain", buffer = "10000 cells" }, marker = PART },
]
flow = [
  { name = "first", from = "a-0", to = "b", abr = { icr = 0.05 }, transport = { kind = "go-back-n", mss = "1000 B", max_window = "2000 segments", min_rto = "60 s", initial_rto = "60 s" } },
  { name = "second", from = "a-1", to = "b", start = "200 ms", abr = { icr = 0.05 }, transport = { kind = "go-back-n", mss = "1000 B", max_window = "2000 segments", min_rto = "60 s", initial_rto = "60 s" } },
  { name = "third", from = "a-2", to = "b", start = "400 ms", abr = { icr = 0.05 }, transport = { kind = "go-back-n", mss = "1000 B", max_window = "2000 segments", min_rto = "60 s", initial_rto = "60 s" } },
]
"#;

/// Around a source's parameters, which all three sources have; the sources begin together.
pub(super) const SOURCES: &str = r#"
duration = "720 ms"
sample = "10 ms"
host = [{ name = "a", count = 3 }, { name = "b" }]
switch = [{ name = "s" }]
link = [
  { name = "access", from = "a", to = "s", carries = "cells", rate = "10 Mb/s", delay = "1 ms" },
  { name = "line", from = "s", to = "b", carries = "cells", rate = "10 Mb/s", delay = "1 ms", queue = { kind = "plain", buffer = "10000 cells" }, marker = { kind = "erica" } },
]
flow = [{ name = "flow", from = "a", to = "b", abr = PART, transport = { kind = "go-back-n", mss = "1000 B", max_window = "2000 segments", min_rto = "60 s", initial_rto = "60 s" } }]
"#;

/// The rates of the sources and the queue over time.
pub(super) fn draw(network: &Network) -> Vec<String> {
    let report = match simulate(network, 1, Off, &AtomicBool::new(false)) {
        Ok((report, _)) => report,
        // The flag to halt is never set, and tests would find a ledger that does not balance.
        Err(failure) => unreachable!("{failure}"),
    };
    let series = report
        .series
        .unwrap_or_else(|| unreachable!("the scenes are sampled"));
    let line = network.links.iter().find(|link| link.queue.is_some());
    let rate = line.map_or(1.0, |link| link.rate.bps());
    let mut lines = vec![
        "Allowed cell rates (ACR) of three sources on a link of 10 Mb/s, 10 ms per column; a full bar is the link's rate.".into(),
        String::new(),
    ];
    let mut last = Vec::new();
    for flow in &network.flows {
        let rates = series
            .acr_bps
            .get(&flow.name)
            .map_or(&[][..], Vec::as_slice);
        let begins = flow.start.0.seconds();
        let sign = |(at, rate_now): (&f64, &f64)| {
            if *at < begins {
                ' '
            } else {
                bar(*rate_now, rate)
            }
        };
        let signs = series.time_s.iter().zip(rates).map(sign).take(COLUMNS);
        lines.push(row(&flow.name, signs));
        last.push(format!("{:.2}", rates.last().copied().unwrap_or(0.0) / 1e6));
    }
    let waits = line.and_then(|link| series.backlog.get(&link.name));
    let waits = waits.map_or(&[][..], Vec::as_slice);
    let most = waits.iter().copied().max().unwrap_or(0);
    let signs = waits.iter().map(|it| bar(*it as f64, most as f64));
    lines.push(row("waiting", signs.take(COLUMNS)));
    lines.push(String::new());
    lines.push(format!(
        "At the end {} Mb/s; at most {most} cells wait.",
        last.join(", ")
    ));
    lines
}
