//! Data in the network with an honest receiver: a path keeps its order and loses data and acks, and a sender that counts the data
//! in flight never has more there than its window.

use super::channel::options_of;
use super::params;
use crate::time::{Duration, Instant};
use crate::transport::receiver::Receiver;
use crate::transport::repair::{Advance, Counts, Hears, Reading};
use crate::transport::{Ack, AnySender, TransportParams};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::println;
use std::string::String;
use std::sync::Mutex;
use std::vec::Vec;

/// What the network does to a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Arrives,
    Lost,
    /// Arrives as a header.
    Trimmed,
}

/// There and back \[ms\].
const ROUND_TRIP: u64 = 20;

/// A transmission in the network.
struct Transmission {
    segment: u64,
    /// It is a retransmission.
    again: bool,
    /// SACK no longer counts it: the timer has taken it for lost, or it is a retransmission of a recovery that is over. RFC 6675, too, sets
    /// HighRxt anew in each recovery (4.3), and may send a segment again while a copy of it is in the network.
    forgotten: bool,
}

/// A sender on a path.
struct Path {
    params: TransportParams,
    /// SACK's rule for `pipe`; empty for other repairs.
    pipe: String,
    /// Its repair has a clock of its own.
    clocked: bool,
    sender: AnySender,
    now: Instant,
    /// Transmissions that have not been lost, and of which, or of later ones, no ack has come back.
    network: BTreeMap<u64, Transmission>,
    /// Segments that acks have reported: of a further copy of one that is still there no sender knows.
    reported: BTreeSet<u64>,
    /// A timer of SMART or NACK has taken for lost what was still there: until it has left, more may be there than the sender can know.
    misled: bool,
    /// Segments in the network that `pipe` does not count in this recovery. Fall & Floyd, and ns-2, estimate it when a recovery begins,
    /// and from then on only add and subtract. So an error lasts until the recovery is over, even if the network is empty meanwhile.
    /// RFC 6675 counts anew from the scoreboard at every ack.
    short: u64,
    /// Duplicates since the last ack of new data that a copy of what had arrived has caused, or what the timer had taken for lost: nothing
    /// has left that counts.
    copies: u64,
    /// A loss has just been found, or a probe is due: what is sent for it goes whatever is in the network.
    found: bool,
    /// Segments that the last ack sends whatever is in the network: those of a partial ack of `sack1-partial`.
    owed: u8,
    acks: VecDeque<(Instant, Ack)>,
    /// Transmissions that were held against the window; of them, those of a recovery.
    held: [u64; 2],
    recovering: bool,
}

impl Path {
    fn sends(&mut self) -> Vec<(u64, u64)> {
        let counts = self.params.pair.repair.about.counts;
        let mut sent = Vec::new();
        while let Some(it) = self.sender.poll_transmit(self.now) {
            let transmission = Transmission {
                segment: it.segment,
                again: it.again,
                forgotten: false,
            };
            self.network.insert(it.id, transmission);
            sent.push((it.segment, it.id));
            let ahead = matches!(counts, Counts::SinceLoss | Counts::ButOne);
            let fast = core::mem::take(&mut self.found) && ahead;
            let owed = self.owed > 0;
            self.owed = self.owed.saturating_sub(1);
            if self.misled || fast || owed {
                continue;
            }
            let una = self.sender.acknowledged();
            let known = self.network.values().filter(|it| !it.forgotten);
            let mut there: Vec<_> = known
                .map(|it| it.segment)
                .filter(|it| *it >= una && !self.reported.contains(it))
                .collect();
            // Two copies of a segment that was lost again may be sent; they take the room of one. So do two of the last new segment that a
            // partial ack of `sack1-partial` sends.
            if counts == Counts::Segments || self.pipe == "sack1-partial" {
                there.sort_unstable();
                there.dedup();
            }
            // Limited transmit assumes that a duplicate means a departure. That of a copy does not, but a sender without its scoreboard
            // takes it for news, and sends a segment: "less than or equal to the congestion window plus two segments". RFC 6675 sends
            // within `pipe` (3.3).
            let limited = self.estimates() && self.params.common.limited_transmit;
            let limited = if limited { self.copies.min(2) } else { 0 };
            // What RFC 6675's fourth rule sends for rescue, once in a recovery, is not in its `pipe`.
            let rescue = u64::from(self.recovering && self.pipe == "rfc6675");
            let beyond = limited + rescue + self.short;
            assert!(
                there.len() as f64 <= self.sender.cwnd().floor() + beyond as f64,
                "{} in the network, of a window of {} and {beyond} beyond it: {there:?}",
                there.len(),
                self.sender.cwnd(),
            );
            self.held[0] += 1;
            self.held[1] += u64::from(self.recovering);
        }
        sent
    }

    fn hear(&mut self, ack: &Ack) {
        let counted = (self.network.get(&ack.id)).is_some_and(|it| !it.forgotten);
        // The path keeps the order of packets: earlier transmissions have arrived or are lost.
        self.network.retain(|id, _| *id > ack.id);
        let before = self.reported.len();
        for block in ack.sacked() {
            self.reported.extend(block.from..block.to);
        }
        let news = self.reported.len() > before;
        if !ack.trimmed && !ack.repeats {
            self.reported.insert(ack.cause);
        }
        self.misled &= !self.network.is_empty();
        self.owed = 0;
        match self.sender.handle_ack(self.now, ack).reading {
            Reading::Loss { .. } => {
                (self.found, self.recovering) = (true, true);
                self.copies = 0;
                self.forget_the_last_recovery();
                // `pipe` begins at what is outstanding less three, for the three duplicates. Copies of segments that had arrived cause
                // duplicates, too, but then fewer than three have left.
                let above = self.reported.range(self.sender.acknowledged()..);
                self.short = 0;
                self.lacks(3 - above.take(3).count() as u64);
                self.lacks(self.original());
            }
            Reading::Advance(Advance::Partial { .. }) => {
                (self.found, self.recovering) = (false, true);
                self.copies = 0;
                // `pipe` takes two: what has arrived, and the original of the segment that is missing next, which it takes for lost.
                self.lacks(self.original());
                self.owed = 2 * u8::from(self.pipe == "sack1-partial");
            }
            Reading::Advance(phase) => {
                if phase == Advance::Over {
                    self.forget_the_last_recovery();
                }
                self.ends();
            }
            Reading::Duplicate => {
                self.copies += u64::from(!news || !counted);
                // ns-2 takes one from `pipe` for every ack.
                if self.recovering && self.pipe.starts_with("sack1") {
                    self.lacks(u64::from(!news));
                }
            }
            // Segments that were taken for lost are in the network again.
            Reading::Spurious { .. } => {
                self.ends();
                self.misled = !self.network.is_empty();
            }
            Reading::Stale | Reading::Timeout | Reading::Probe => {}
        }
    }

    fn wake(&mut self) {
        // SMART's own timer, too, may take a late segment for lost.
        let clock = self.clocked && self.sender.poll_timeout().is_some_and(|at| at <= self.now);
        let reading = self.sender.handle_timeout(self.now);
        let ran_out = reading == Reading::Timeout;
        if ran_out {
            self.ends();
        }
        if let Reading::Loss { .. } | Reading::Probe = reading {
            self.found = true;
            self.recovering |= reading != Reading::Probe;
        }
        if ran_out && !self.pipe.is_empty() {
            self.network.values_mut().for_each(|it| it.forgotten = true);
        } else {
            self.misled |= (ran_out || clock) && !self.network.is_empty();
        }
    }

    /// There is no recovery now.
    fn ends(&mut self) {
        (self.found, self.recovering) = (false, false);
        (self.copies, self.short) = (0, 0);
    }

    fn forget_the_last_recovery(&mut self) {
        if !self.pipe.is_empty() {
            (self.network.values_mut()).for_each(|it| it.forgotten |= it.again);
        }
    }

    /// Originals in the network of the first segment not acknowledged: one, or none.
    fn original(&self) -> u64 {
        let una = self.sender.acknowledged();
        let mut there = self.network.values();
        u64::from(there.any(|it| it.segment == una && !it.again && !it.forgotten))
    }

    /// Whether its `pipe` is estimated at the start of a recovery.
    fn estimates(&self) -> bool {
        ["fall-floyd", "sack1", "sack1-partial"].contains(&self.pipe.as_str())
    }

    /// `pipe`, if it is estimated, has taken `segments` for departed that have not left.
    fn lacks(&mut self, segments: u64) {
        if self.estimates() {
            self.short += segments;
        }
    }

    /// A transmission arrives, or does not; its answer, if there is one.
    fn carry(
        &mut self,
        receiver: &mut Receiver,
        (segment, id): (u64, u64),
        fate: Outcome,
    ) -> Option<Ack> {
        let ack = match fate {
            Outcome::Arrives => return receiver.handle_segment(self.now, segment, id).ack,
            Outcome::Lost => None,
            Outcome::Trimmed => receiver.handle_trimmed(self.now, segment, id),
        };
        if ack.is_none_or(|it| it.id != id) {
            self.network.remove(&id);
        }
        ack
    }

    /// Sends `segments`; each transmission and each ack takes the next of its fates, a letter each, and once there are none nothing
    /// is lost.
    fn run(&mut self, segments: u64, data: &str, back: &str) {
        let (mut data, mut back) = (data.chars().map(fate), back.chars().map(fate));
        let notices = self.params.pair.repair.about.habits.hears == Hears::Notices;
        let mut receiver = self.params.receiver();
        self.sender.release(segments, true);
        for _ in 0..100_000 {
            let mut answers = Vec::new();
            for transmission in self.sends() {
                let fate = match data.next().unwrap_or(Outcome::Arrives) {
                    // To other repairs the duplicate for a damaged packet means that a segment has left, but it may be the lost one itself.
                    Outcome::Trimmed if !notices => Outcome::Lost,
                    fate => fate,
                };
                answers.extend(self.carry(&mut receiver, transmission, fate));
            }
            answers.extend(receiver.handle_timeout(self.now));
            let at = self.now + Duration::millis(ROUND_TRIP);
            for ack in answers {
                if back.next() != Some(Outcome::Lost) {
                    self.acks.push_back((at, ack));
                }
            }
            if self.sender.acknowledged() == segments {
                return;
            }
            let heard = self.acks.front().map(|(at, _)| *at);
            let next = [heard, receiver.poll_timeout(), self.sender.poll_timeout()];
            let next = next.into_iter().flatten().min();
            self.now = next.expect("something is to come").max(self.now);
            // One ack at a time, so that what the ack lets out is checked against what it has reported.
            match self.acks.front().copied() {
                Some((at, ack)) if at <= self.now => {
                    self.acks.pop_front();
                    self.hear(&ack);
                }
                _ => self.wake(),
            }
        }
        panic!(
            "{} of {segments} are acknowledged, and no more comes",
            self.sender.acknowledged()
        );
    }
}

fn fate(letter: char) -> Outcome {
    match letter {
        '.' => Outcome::Arrives,
        'x' => Outcome::Lost,
        't' => Outcome::Trimmed,
        _ => panic!("{letter} is no fate"),
    }
}

/// Fates of data and of acks.
fn fates() -> impl Strategy<Value = (String, String)> {
    let fate = prop_oneof![12 => Just('.'), 2 => Just('x'), 1 => Just('t')];
    let lost = prop_oneof![12 => Just('.'), 1 => Just('x')];
    (
        prop::collection::vec(fate, 0..150).prop_map(String::from_iter),
        prop::collection::vec(lost, 0..150).prop_map(String::from_iter),
    )
}

/// What was held against the window, where these are lost.
fn held(
    transport: &str,
    texts: &[(&str, &str)],
    segments: u64,
    data: &str,
    back: &str,
) -> [u64; 2] {
    // The timer must not expire before a delayed ack is sent.
    let texts = [texts, &[("min_rto", "300 ms")]].concat();
    let params = params(transport, &texts);
    let pipe = match params.pair.repair.about.counts {
        Counts::SinceLoss => texts.iter().find(|(name, _)| *name == "pipe"),
        Counts::Segments | Counts::Transmissions | Counts::ButOne => Some(&("pipe", "")),
    };
    let pipe = pipe.map_or("fall-floyd", |(_, text)| text).into();
    let mut path = Path {
        sender: params.sender(),
        params,
        pipe,
        clocked: texts.contains(&("lost_retransmission", "timer")),
        now: Instant::ZERO,
        network: BTreeMap::new(),
        reported: BTreeSet::new(),
        misled: false,
        short: 0,
        copies: 0,
        found: false,
        owed: 0,
        acks: VecDeque::new(),
        held: [0; 2],
        recovering: false,
    };
    path.run(segments, data, back);
    path.held
}

#[test]
//= rfc5681 §3 type=test
fn no_more_is_in_the_network_than_the_window() {
    // The numbers of cases, of transmissions checked against the window, and of those in recoveries; and the pairs.
    let tried = Mutex::new((0, [0; 2], BTreeSet::new()));
    let config = ProptestConfig {
        cases: 2000,
        ..ProptestConfig::default()
    };
    // The pairs that send by what they think is in flight.
    let options = options_of(|it| it.repair.about.habits.knows_what_arrived);
    proptest!(config, |((transport, texts) in options, segments in 1..200u64, (data, back) in fates())| {
        let texts: Vec<_> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let held = held(&transport, &texts, segments, &data, &back);
        let mut tried = tried.lock().expect("no case has failed");
        tried.0 += 1;
        tried.1[0] += held[0];
        tried.1[1] += held[1];
        tried.2.insert(transport);
    });
    let (cases, [held, recovering], pairs) = tried.into_inner().expect("no case has failed");
    // Without recoveries the test would prove little.
    assert!(20 * recovering > held, "{recovering} of {held}");
    println!(
        "{cases} cases, {} pairs, {held} transmissions, {recovering} in recoveries",
        pairs.len()
    );
}

const SACK1: [(&str, &str); 5] = [
    ("pipe", "sack1"),
    ("halve", "exact"),
    ("recovered", "stay"),
    ("limited_again", "true"),
    ("tick", "1 ms"),
];

#[test]
//= rfc3042 §2 type=test
// The law above found this case before it allowed for what a copy lets out. 15 to 21 are sent again after two timeouts, 16 and 17
// needlessly: the ack of 15 covers both. The duplicate of 16 lets out 20, the third in a network with a window of 2.5.
fn what_a_copy_lets_out_is_within_limited_transmit() {
    let texts = [
        ("max_window", "15 segments"),
        ("initial_window", "6 segments"),
        ("limited_transmit", "true"),
        ("delayed_ack", "true"),
    ];
    let data = ".............x.x..xxx.......xx.....";
    held("sack", &[&SACK1[..], &texts].concat(), 29, data, "");
}

#[test]
//= rfc5682 §2.1, step 1 type=test
// The law above found this case before F-RTO waited for the first ack: a window that a timeout does not close let out more.
fn f_rto_sends_the_oldest_segment_and_waits() {
    let texts = [
        ("frto", "true"),
        ("window", "5 segments"),
        ("max_window", "5 segments"),
    ];
    let data = "....t.x.t................x..xt....x....x.ttx........x....x..........x....x..xx.x.x.............";
    held("static-window+sack", &texts, 199, data, "...");
}

#[test]
//= rfc5682 §2.1, step 3a type=test
// The law above found this case: of what was outstanding at the timeout, 22 is reported; so the next after 21 would have been 24, which
// F-RTO has sent as a new segment and which is in the network.
fn f_rto_does_not_send_its_new_segments_again() {
    let texts = [
        ("pipe", "rfc6675"),
        ("frto", "true"),
        ("limited_transmit", "true"),
        ("window", "5 segments"),
        ("max_window", "12 segments"),
        ("initial_window", "1 segments"),
    ];
    let data = "x...x........x.x....x....t.t..............t....x";
    let back = "..........x......x...........x..x";
    held("static-window+sack", &texts, 95, data, back);
}

#[test]
// The law above found this case: BBR's window shrinks from 10 to 7 segments while two copies of 87 are to be sent. The second takes no room
// in addition to that of the first, but by then there is none.
fn a_second_copy_is_not_sent_beyond_a_window_that_has_shrunk() {
    let texts = [
        ("max_window", "22 segments"),
        ("initial_window", "8 segments"),
        ("delayed_ack", "true"),
        ("bad_checksum", "drop"),
        ("tick", "1 ms"),
        ("max_cwnd", "14 segments"),
    ];
    let data = "...........x...........x.............x........xx..................xx.x.........x..............x.xxx...x...x.x...x..........";
    let back = "....................................x...x...................xx........xx";
    held("bbr3+smart", &texts, 104, data, back);
}

#[test]
//= rfc6675 §5, (4.3) type=test
// The law above found this case before it allowed for a recovery that forgets what the last one sent again. 27 and 28 are beyond the
// point where the first recovery ends. They are sent again in it and, while those copies are in the network, in the second.
fn a_second_recovery_does_not_know_what_the_first_has_sent_again() {
    let texts = [
        ("pipe", "rfc6675"),
        ("max_window", "19 segments"),
        ("initial_window", "8 segments"),
        ("delayed_ack", "true"),
        ("tick", "1 ms"),
    ];
    let data = ".............x..........x...xx.........";
    held("sack", &texts, 35, data, ".x");
    // The same with Fall & Floyd's count: each partial ack of such a recovery takes two from `pipe`, although one has left.
    let texts = [
        ("max_window", "20 segments"),
        ("initial_window", "8 segments"),
    ];
    let data = "........x...........x....x............";
    held("sack", &[&SACK1[..], &texts].concat(), 38, data, ".......x");
    // Here the copy of 35, with which the second recovery begins, was lost. Those of 39 and 45 are in the network; 45 was sent for rescue.
    let texts = [
        ("pipe", "rfc6675"),
        ("max_window", "17 segments"),
        ("initial_window", "2 segments"),
        ("limited_transmit", "true"),
        ("max_cwnd", "16 segments"),
        ("tick", "1 ms"),
    ];
    let data = "..............x..............xx.....x...x........x";
    held("cubic", &texts, 48, data, "");
}

#[test]
//= fall-floyd-1996 §5 type=test
// The law above found this case before it allowed for what `pipe` lacks until a recovery is over. After a timeout, 40 to 42 are sent again
// needlessly. Their duplicates begin a recovery, which sends 61 needlessly, and more than the window allows. 66 to 71 are lost. The duplicate
// of 61 is the first of three for 66. So `pipe` begins at 8, the 11 outstanding segments less three, although only 72 and 73 have left.
// When the retransmission of 66 has arrived, the network is empty, but `pipe` still lacks one. When it has taken off the lost segments, it
// is 5, and 6 segments are there.
fn what_pipe_lacks_it_lacks_until_the_recovery_is_over() {
    let texts = [
        ("window", "5 segments"),
        ("max_window", "22 segments"),
        ("tick", "1 ms"),
    ];
    let data = "......xxx...x....x....x.....xx.......xx...x.......................x.x..x.............................xxxxxx";
    held("static-window+sack", &texts, 82, data, "");
    // 56 and 57 are sent again in two recoveries, as in the test above. ns-2 takes one from `pipe` for the duplicates of the second copies,
    // too.
    let texts = [
        ("pipe", "sack1"),
        ("window", "13 segments"),
        ("max_window", "23 segments"),
        ("tick", "1 ms"),
    ];
    let data = "..........................x................x..x....x..x....xx.x.x";
    held("static-window+sack", &texts, 124, data, "");
}
