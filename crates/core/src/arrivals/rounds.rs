//! Rounds: many hosts begin at once, as servers do that answer one request, and again when all have ended, or at fixed intervals.
//! With one receiver this is incast.
//= phanishayee-2008

use super::{Arrivals, Begin, Expect, Hosts, one_of};
use crate::declare::Fault;
use crate::rng::Stream;
use crate::time::{Duration, Instant};
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;

crate::declare! {
    /// Starts many connections at once, in rounds.
    pub struct RoundsParams as "rounds" from "phanishayee-2008" {
        /// Number of hosts that take part in each round, drawn anew for each.
        senders: Option<u64> = unset "all";
        /// Time from the end of a round to the start of the next.
        pause: Duration = "0 s";
        /// Instead of `pause`: time from the start of a round to the start of the next, whether it has ended or not.
        every: Option<Duration> = unset "when the one before has ended";
        /// Number of rounds.
        limit: Option<u64> = unset "without end";
    }
    check |it| {
        let fault = |name, allowed: &str| Err(Fault { name, found: "0".into(), allowed: allowed.into() });
        match (it.senders, it.every) {
            (Some(0), _) => fault("senders", "at least 1"),
            (_, Some(Duration::ZERO)) => fault("every", "more than 0 s"),
            (_, Some(_)) if it.pause > Duration::ZERO => Err(Fault {
                name: "pause",
                found: "with `every`".into(),
                allowed: "either `pause` or `every`".into(),
            }),
            _ => Ok(()),
        }
    }
}

impl Expect for RoundsParams {
    fn at_once(&self, sources: usize) -> Option<u64> {
        Some(
            self.senders
                .map_or(sources as u64, |it| it.min(sources as u64)),
        )
    }
    fn asked(&self) -> Option<u64> {
        self.senders
    }
    fn every(&self) -> Option<Duration> {
        self.every
    }
    fn expected(&self, seconds: f64, sources: usize) -> Option<f64> {
        let limit = self.limit.map(|limit| limit as f64);
        // The first round begins at once.
        let begun = |every: Duration| libm::floor(seconds / every.seconds()) + 1.0;
        let rounds = match (self.every.map(begun), limit) {
            (Some(begun), Some(limit)) => begun.min(limit),
            (begun, limit) => begun.or(limit)?,
        };
        Some(rounds * self.at_once(sources)? as f64)
    }
}

/// One round after the other.
#[derive(Clone, Debug)]
pub struct Rounds {
    params: RoundsParams,
    hosts: Hosts,
    stream: Stream,
    /// Rounds so far.
    rounds: u64,
    next: Option<Instant>,
    /// Per round that has not ended, when it began, and connections that have yet to end.
    open: BTreeMap<u64, (Instant, u64)>,
    begin: VecDeque<Begin>,
    /// The numbers of all senders, in the order in which the draws have left them.
    order: Vec<usize>,
}

impl Rounds {
    /// Before its start.
    pub fn new(params: &RoundsParams, hosts: Hosts, stream: Stream) -> Self {
        Self {
            params: params.clone(),
            order: (0..hosts.sources).collect(),
            hosts,
            stream,
            rounds: 0,
            next: None,
            open: BTreeMap::new(),
            begin: VecDeque::new(),
        }
    }

    fn begin(&mut self, now: Instant) {
        self.next = None;
        let round = self.rounds;
        if self.params.limit == Some(round) {
            return;
        }
        self.rounds += 1;
        let all = self.order.len();
        // All senders of a round send to one host. If that host is a sender itself, it does not take part.
        let target = one_of(self.hosts.targets, &mut self.stream);
        let many = self
            .params
            .senders
            .map_or(all, |n| n.min(all as u64) as usize);
        let mut taken = 0;
        for at in 0..all {
            if taken == many as u64 {
                break;
            }
            if many < all {
                let other = self.stream.between(at as u64, all as u64 - 1) as usize;
                self.order.swap(at, other);
            }
            let source = self.order[at];
            if self.hosts.same && source == target {
                continue;
            }
            taken += 1;
            self.begin.push_back(Begin {
                source,
                target,
                round,
            });
        }
        self.open.insert(round, (now, taken));
        if let Some(every) = self.params.every {
            self.next = Some(now + every);
        }
    }
}

impl Arrivals for Rounds {
    fn handle_start(&mut self, now: Instant) {
        self.begin(now);
    }

    fn handle_timeout(&mut self, now: Instant) {
        if let Some(next) = self.next
            && next <= now
        {
            self.begin(next);
        }
    }

    fn handle_ended(&mut self, now: Instant, round: u64) -> Option<Instant> {
        let (begun, left) = self.open.get_mut(&round)?;
        *left -= 1;
        if *left > 0 {
            return None;
        }
        let begun = *begun;
        self.open.remove(&round);
        if self.params.every.is_none() {
            self.next = Some(now + self.params.pause);
        }
        Some(begun)
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.next
    }

    fn poll_begin(&mut self) -> Option<Begin> {
        self.begin.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;

    fn process(texts: &[(&str, &str)], sources: usize, same: bool) -> Rounds {
        let targets = if same { sources } else { 1 };
        let hosts = Hosts {
            sources,
            targets,
            same,
        };
        Rounds::new(
            &RoundsParams::from_texts(texts),
            hosts,
            Stream::new(1, "test"),
        )
    }

    fn begun(process: &mut Rounds) -> Vec<Begin> {
        core::iter::from_fn(|| process.poll_begin()).collect()
    }

    #[test]
    //= phanishayee-2008 type=test
    fn the_next_round_begins_when_all_of_the_last_have_ended() {
        let mut process = process(&[("pause", "1 ms"), ("limit", "2")], 3, false);
        process.handle_start(Instant(5));
        let first = begun(&mut process);
        let senders: Vec<_> = first.iter().map(|it| it.source).collect();
        assert_eq!(
            (&senders[..], process.poll_timeout()),
            (&[0, 1, 2][..], None)
        );
        assert_eq!(process.handle_ended(Instant(10), 0), None);
        assert_eq!(process.handle_ended(Instant(11), 0), None);
        assert_eq!(process.handle_ended(Instant(12), 0), Some(Instant(5)));
        let next = Instant(12) + Duration::millis(1);
        assert_eq!(process.poll_timeout(), Some(next));
        process.handle_timeout(next);
        assert_eq!(begun(&mut process).len(), 3);
        for _ in 0..3 {
            process.handle_ended(next, 1);
        }
        process.handle_timeout(Instant(next.0 + Duration::millis(1).0));
        assert_eq!(
            (begun(&mut process), process.poll_timeout()),
            (Vec::new(), None)
        );
    }

    #[test]
    fn rounds_at_equal_distances_may_overlap() {
        let mut process = process(&[("every", "1 ms")], 2, false);
        process.handle_start(Instant(0));
        assert_eq!(begun(&mut process).len(), 2);
        let next = Instant(Duration::millis(1).0);
        process.handle_timeout(next);
        let second = begun(&mut process);
        assert!(second.iter().all(|it| it.round == 1));
        assert_eq!(process.handle_ended(next, 1), None);
        assert_eq!(process.handle_ended(next, 0), None);
        assert_eq!(process.handle_ended(next, 1), Some(next));
        assert_eq!(process.handle_ended(next, 0), Some(Instant(0)));
    }

    #[test]
    fn some_of_many_are_drawn_evenly_and_none_sends_to_itself() {
        let mut process = process(&[("senders", "2"), ("every", "1 us")], 5, true);
        let mut taken = [0i32; 5];
        process.handle_start(Instant(0));
        for n in 1..=5000 {
            let round = begun(&mut process);
            assert_eq!(round.len(), 2);
            assert!(
                round
                    .iter()
                    .all(|it| it.source != it.target && it.target == round[0].target)
            );
            assert_ne!(round[0].source, round[1].source);
            for it in round {
                taken[it.source] += 1;
            }
            process.handle_timeout(Instant(n * 1_000_000));
        }
        // Two of five hosts send in each of 5,000 rounds. The bound is four standard deviations of a binomial count.
        assert!(taken.iter().all(|n| (n - 2000).abs() < 139), "{taken:?}");
    }
}
