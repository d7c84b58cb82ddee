//! `cubic-streams draw COUNT SEED`: prints the events of COUNT streams, for a controller in another language.
//!
//! `cubic-streams judge COUNT SEED WINDOWS`: compares the windows of dupack, s2n-quic, aioquic and the plain program on the same streams.
//! WINDOWS is aioquic's answer to `draw`: per event its window and its ssthresh (0 if it has none), in bytes, as two little-endian `f32`.
//! Prints a row per finding, with tabs.

mod ours;
mod plain;
mod s2n;
mod stream;

use plain::{Difference as D, Plain, Set};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::error::Error;
use std::io::{BufReader, BufWriter, Read, Write};
use stream::Event;

/// Windows of two controllers count as equal within this relative difference.
const BAND: f64 = 0.01;

/// Another implementation's controller.
struct Peer {
    name: &'static str,
    /// Its differences from dupack, in the order in which they are left out.
    all: &'static [D],
    /// When it leaves slow start, congestion avoidance begins before the ack is counted, not with the next ack.
    before: bool,
}

const S2N: Peer = Peer {
    name: "s2n-quic",
    all: &[
        D::RoundsOtherwise,
        D::BoundByFlight,
        D::LeavesSlowStart,
        D::ShortestTrip,
        D::RenoByTime,
        D::HalfOfAcked,
        D::LastLoss,
        D::OfWindow,
        D::AtThreshold,
        D::CountsAtEnd,
        D::LowestThreshold,
        D::SeenWhenSent,
    ],
    before: true,
};

const AIOQUIC: Peer = Peer {
    name: "aioquic",
    all: &[
        D::RoundsOtherwise,
        D::LeavesSlowStart,
        D::LastTrip,
        D::RenoByOne,
        D::WithoutLost,
        D::AtThreshold,
        D::NoSlowStart,
        D::WholeBytes,
        D::PerPacket,
        D::GrowsInRecovery,
        D::GrowsLimited,
        D::IdleReset,
    ],
    before: false,
};

/// A stream with a peer's windows on it.
struct Run<'a> {
    events: &'a [Event],
    windows: Vec<f64>,
    /// Where it left slow start because of a round trip.
    leaves: Vec<bool>,
}

impl Run<'_> {
    /// The plain program with some of the peer's differences has the peer's windows.
    fn is_as(&self, peer: &Peer, set: Set) -> bool {
        self.first_other(peer, set).is_none()
    }

    /// The first event after which they differ, with the program's window.
    fn first_other(&self, peer: &Peer, set: Set) -> Option<(usize, f64)> {
        let mut plain = Plain::new(set);
        for (at, event) in self.events.iter().enumerate() {
            if self.leaves[at] && peer.before {
                plain.leave(now(event), true);
            }
            plain.on(event, self.windows[at]);
            if self.leaves[at] && !peer.before {
                plain.leave(now(event), false);
            }
            if !close(plain.window(), self.windows[at]) {
                return Some((at, plain.window()));
            }
        }
        None
    }

    /// A minimal set of differences that gives the peer's windows; `None` if even all of them do not.
    fn needed(&self, peer: &Peer) -> Option<Vec<D>> {
        let mut left = peer.all.to_vec();
        if !self.is_as(peer, Set::of(&left)) {
            return None;
        }
        for one in peer.all {
            let without: Vec<D> = left.iter().copied().filter(|it| it != one).collect();
            if self.is_as(peer, Set::of(&without)) {
                left = without;
            }
        }
        Some(left)
    }
}

fn now(event: &Event) -> u64 {
    match *event {
        Event::Round { now, .. }
        | Event::Ack { now, .. }
        | Event::Drained { now }
        | Event::Lost { now, .. }
        | Event::Persistent { now } => now,
    }
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= BAND * other
}

/// Results over all streams, for a peer.
#[derive(Default)]
struct Findings {
    direct: u64,
    explained: u64,
    /// Per difference, the streams that need it.
    needed: Vec<u64>,
    open: Vec<String>,
}

impl Findings {
    fn add(&mut self, peer: &Peer, run: &Run<'_>, ours: &[f64], number: usize) {
        self.needed.resize(peer.all.len(), 0);
        if ours.iter().zip(&run.windows).all(|(a, b)| close(*a, *b)) {
            self.direct += 1;
            return;
        }
        let Some(needed) = run.needed(peer) else {
            let all = run.first_other(peer, Set::of(peer.all));
            let (at, found) = all.expect("it differs");
            self.open.push(format!(
                "stream {number}, event {at}: {found:.2} packets, theirs {:.2}",
                run.windows[at]
            ));
            return;
        };
        self.explained += 1;
        for (at, one) in peer.all.iter().enumerate() {
            self.needed[at] += u64::from(needed.contains(one));
        }
    }

    fn print(&self, peer: &Peer) {
        let name = peer.name;
        println!("{name}\tdirect\t{}", self.direct);
        println!("{name}\texplained\t{}", self.explained);
        for (one, streams) in peer.all.iter().zip(&self.needed) {
            println!("{name}\t{one:?}\t{streams}");
        }
        for one in &self.open {
            println!("{name}\topen\t{one}");
        }
    }
}

/// The streams of a seed.
fn streams(count: usize, seed: u64) -> impl Iterator<Item = (Vec<Event>, Vec<f64>)> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let paths = stream::paths();
    (0..count).map(move |_| {
        let tree = paths.new_tree(&mut runner).expect("nothing is refused");
        tree.current().events()
    })
}

fn draw(count: usize, seed: u64) -> std::io::Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (events, _) in streams(count, seed) {
        for event in events {
            match event {
                Event::Round { now, limit } => writeln!(out, "R {now} {limit}"),
                Event::Ack { now, rtt, packets } => writeln!(out, "A {now} {rtt} {packets}"),
                Event::Drained { now } => writeln!(out, "D {now}"),
                Event::Lost { now, rtt } => writeln!(out, "X {now} {rtt}"),
                Event::Persistent { now } => writeln!(out, "P {now}"),
            }?;
        }
        writeln!(out, "E")?;
    }
    out.flush()
}

/// aioquic's windows on a stream.
fn answered<'a>(events: &'a [Event], file: &mut impl Read) -> std::io::Result<Run<'a>> {
    let mut run = Run {
        events,
        windows: Vec::new(),
        leaves: Vec::new(),
    };
    let mut had = 0.0;
    for event in events {
        let mut bytes = [0; 8];
        file.read_exact(&mut bytes)?;
        let [window, threshold] = [0, 4].map(|at| {
            let four = bytes[at..at + 4].try_into().expect("four bytes");
            f64::from(f32::from_le_bytes(four))
        });
        run.windows.push(window / 1200.0);
        // A new threshold without a loss is that of its monitor of round trips.
        let acked = matches!(event, Event::Ack { .. });
        run.leaves
            .push(acked && threshold > 0.0 && threshold != had);
        had = threshold;
    }
    Ok(run)
}

fn judge(count: usize, seed: u64, windows: &str) -> Result<(), Box<dyn Error>> {
    let mut file = BufReader::new(std::fs::File::open(windows)?);
    let (mut s2n, mut aioquic) = (Findings::default(), Findings::default());
    let (mut either, mut acks, mut losses, mut off) = (0, 0, 0, 0.0f64);
    for (number, (events, ours)) in streams(count, seed).enumerate() {
        let mut plain = Plain::new(Set::default());
        for (event, window) in events.iter().zip(&ours) {
            plain.on(event, *window);
            off = off.max((plain.window() / window - 1.0).abs());
            acks += u64::from(matches!(event, Event::Ack { .. }));
            losses += u64::from(matches!(event, Event::Lost { .. }));
        }
        let mut controller = s2n::S2n::new();
        let mut run = Run {
            events: &events,
            windows: Vec::new(),
            leaves: Vec::new(),
        };
        for event in &events {
            controller.on(event);
            run.windows.push(controller.window());
            run.leaves.push(controller.left());
        }
        let before = s2n.direct + aioquic.direct;
        s2n.add(&S2N, &run, &ours, number);
        let run = answered(&events, &mut file)?;
        aioquic.add(&AIOQUIC, &run, &ours, number);
        either += u64::from(s2n.direct + aioquic.direct > before);
    }
    println!("dupack\tacks\t{acks}");
    println!("dupack\tlosses\t{losses}");
    println!("dupack\teither\t{either}");
    println!("dupack\tplain\t{off:e}");
    s2n.print(&S2N);
    aioquic.print(&AIOQUIC);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["draw", count, seed] => Ok(draw(count.parse()?, seed.parse()?)?),
        ["judge", count, seed, windows] => judge(count.parse()?, seed.parse()?, windows),
        _ => Err("cubic-streams draw COUNT SEED, or judge COUNT SEED WINDOWS".into()),
    }
}
