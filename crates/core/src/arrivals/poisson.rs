//! Poisson: connections begin at independent random times, each between two hosts drawn at random.
//= poisson-1837

use super::{Arrivals, Begin, Expect, Hosts, Load};
use crate::declare::Fault;
use crate::measure::Share;
use crate::rng::Stream;
use crate::time::{Duration, Instant};
use alloc::string::{String, ToString};

crate::declare! {
    /// Starts connections at random times, each between two random hosts.
    pub struct PoissonParams as "poisson" from "poisson-1837" {
        /// Mean time between the starts of two connections.
        every: Option<Duration> = unset "by load", show "200 ms";
        /// Instead of `every`: mean rate of the connections' payload, as a share of a link's rate.
        load: Option<Share> = unset "by every";
        /// Link whose rate `load` refers to; without it, the sum of the rates of the sending hosts' first links.
        of: Option<String> = unset "the hosts' own links";
        /// Number of connections in all.
        limit: Option<u64> = unset "without end";
    }
    check |it| {
        let fault = |name, found: &str, allowed: &str| {
            Err(Fault { name, found: found.to_string(), allowed: allowed.to_string() })
        };
        match (it.every, it.load) {
            (None, None) => fault("every", "\"by load\"", "a mean time such as \"1 ms\", or a `load` such as 0.6"),
            (Some(_), Some(_)) => fault("load", "with `every`", "either `every` or `load`"),
            (Some(Duration::ZERO), _) => fault("every", "\"0 s\"", "more than 0 s"),
            (_, Some(Share(0.0))) => fault("load", "0", "more than 0"),
            (Some(_), None) if it.of.is_some() => fault("of", "without `load`", "`of` together with `load`"),
            _ => Ok(()),
        }
    }
}

impl Expect for PoissonParams {
    fn load(&self) -> Option<Load<'_>> {
        let of = self.of.as_deref();
        self.load.map(|share| Load { share, of })
    }
    fn set_every(&mut self, every: Duration) {
        self.every = Some(every);
    }
    fn every(&self) -> Option<Duration> {
        self.every
    }
    fn expected(&self, seconds: f64, _sources: usize) -> Option<f64> {
        let unlimited = seconds / self.every?.seconds();
        Some(
            self.limit
                .map_or(unlimited, |limit| unlimited.min(limit as f64)),
        )
    }
}

/// Random times.
#[derive(Clone, Debug)]
pub struct Poisson {
    /// Mean time between two.
    mean: Duration,
    left: u64,
    hosts: Hosts,
    stream: Stream,
    next: Option<Instant>,
    begin: Option<Begin>,
}

impl Poisson {
    /// Before its start. A load has been turned into a mean time by then.
    pub fn new(params: &PoissonParams, hosts: Hosts, stream: Stream) -> Self {
        Self {
            mean: params.every.unwrap_or(Duration(u64::MAX)),
            left: params.limit.unwrap_or(u64::MAX),
            hosts,
            stream,
            next: None,
            begin: None,
        }
    }

    fn think(&mut self, now: Instant) {
        let more = self.left > 0;
        self.next = more.then(|| now + self.stream.exponential(self.mean));
    }
}

impl Arrivals for Poisson {
    fn handle_start(&mut self, now: Instant) {
        self.think(now);
    }

    fn handle_timeout(&mut self, now: Instant) {
        if let Some(next) = self.next
            && next <= now
        {
            let (source, target) = self.hosts.draw(&mut self.stream);
            self.begin = Some(Begin {
                source,
                target,
                round: 0,
            });
            self.left -= 1;
            self.think(next);
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.next
    }

    fn poll_begin(&mut self) -> Option<Begin> {
        self.begin.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use std::vec;
    use std::vec::Vec;

    fn process(texts: &[(&str, &str)], hosts: Hosts) -> Poisson {
        Poisson::new(
            &PoissonParams::from_texts(texts),
            hosts,
            Stream::new(1, "test"),
        )
    }

    #[test]
    //= poisson-1837 type=test
    fn times_are_exponential_and_hosts_are_drawn_evenly() {
        let hosts = Hosts {
            sources: 3,
            targets: 3,
            same: true,
        };
        let mut process = process(&[("every", "1 ms")], hosts);
        process.handle_start(Instant::ZERO);
        let (mut pairs, mut last) = (vec![0; 9], Instant::ZERO);
        let mut gaps = Vec::new();
        for _ in 0..40_000 {
            let now = process.poll_timeout().unwrap();
            process.handle_timeout(now);
            let begin = process.poll_begin().unwrap();
            assert_eq!(process.poll_begin(), None);
            pairs[3 * begin.source + begin.target] += 1;
            gaps.push((now - last).0 as f64 / 1e9);
            last = now;
        }
        // The mean and the deviation of an exponential time are equal, and a share of 1/e of the times is longer than the mean.
        let mean = gaps.iter().sum::<f64>() / 4e4;
        assert!((mean - 1.0).abs() < 4.0 / 200.0, "{mean}");
        let beyond = gaps.iter().filter(|gap| **gap > 1.0).count() as f64 / 4e4;
        assert!((beyond - 0.3679).abs() < 4.0 * 0.00241, "{beyond}");
        for (at, n) in pairs.into_iter().enumerate() {
            if at % 4 == 0 {
                assert_eq!(n, 0, "nobody sends to itself");
            } else {
                // A sixth of 40,000, within four standard deviations.
                assert!((n - 6667_i32).abs() < 298, "{at}: {n}");
            }
        }
    }

    #[test]
    fn there_are_no_more_than_the_limit() {
        let hosts = Hosts {
            sources: 1,
            targets: 1,
            same: false,
        };
        let mut process = process(&[("every", "1 us"), ("limit", "2")], hosts);
        process.handle_start(Instant(7));
        let mut begun = 0;
        while let Some(at) = process.poll_timeout() {
            process.handle_timeout(at);
            begun += usize::from(process.poll_begin().is_some());
        }
        assert_eq!(begun, 2);
    }

    #[test]
    fn either_the_time_or_the_load_is_given() {
        let params = |every, load, of: Option<&str>| PoissonParams {
            every,
            load,
            of: of.map(Into::into),
            limit: None,
        };
        let name = |params: PoissonParams| params.check().err().map(|fault| fault.name);
        let (time, load) = (Some(Duration::secs(1)), Some(Share(0.5)));
        assert_eq!(name(params(time, None, None)), None);
        assert_eq!(name(params(None, load, Some("x"))), None);
        assert_eq!(name(params(None, None, None)), Some("every"));
        assert_eq!(name(params(time, load, None)), Some("load"));
        assert_eq!(
            name(params(Some(Duration::ZERO), None, None)),
            Some("every")
        );
        assert_eq!(name(params(None, Some(Share(0.0)), None)), Some("load"));
        assert_eq!(name(params(time, None, Some("x"))), Some("of"));
    }
}
