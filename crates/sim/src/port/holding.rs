//! Disciplines that hold units back while the line is idle, or mark, in a port. They are external ones, which may do either.

use super::hold::IN_VAIN;
use super::tests::{MILLI, link, time};
use super::*;
use crate::grain::Header;
use crate::packets::{Bodies, Body, Left};
use crate::probe::{Event, Off, Tape};
use crate::shared::Tracer;
use dupack_core::data::{Data, Format};
use dupack_core::measure::Bytes;
use dupack_core::queue::external::{
    self, Breach, Decisions, ExternalDiscipline, ExternalSource, Failed, Number, Seen,
};
use dupack_core::unit::{Cell, Ecn, HostPair, Packet};
use proptest::prelude::*;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

fn shared<U: Grain, P: Probe>(probe: P) -> Shared<U, P> {
    Shared {
        now: Instant::ZERO,
        end: Instant::NEVER,
        bodies: Bodies::default(),
        routes: vec![0],
        first: vec![0],
        lost: vec![0],
        joiners: vec![U::Joiner::default()],
        dead: vec![0],
        tape: Tracer::new(probe, Instant::NEVER, vec![(1.0, 1.0)]),
        delays: None,
        broken: false,
    }
}

/// Offers packet number `serial`, of `units` units, now.
fn offer<U: Grain, P: Probe>(
    port: &mut Port<U>,
    serial: u16,
    (units, priority, ecn): (u16, u8, Ecn),
    shared: &mut Shared<U, P>,
) {
    let way = FlowId(0);
    let body = shared.bodies.put(Body {
        way,
        serial,
        sent: shared.now,
        damaged: false,
        left: Left::Whole,
        ecn,
        kind: Payload::Data {
            segment: u64::from(serial),
            again: false,
            id: u64::from(serial),
            cwr: false,
        },
    });
    let header = Header {
        way,
        hosts: HostPair(0),
        ends: (0, 1),
        body,
        serial,
        priority,
        dscp: 0,
        ecn,
    };
    port.offer(U::first(header, Bytes(500), units), units - 1, shared);
    if let Some(due) = port.rearm() {
        port.due = due;
    }
}

/// Offers a packet at each of these times \[ps\], of this class, as the world does, and gives when each number arrives, in order of
/// arrival.
fn through(port: &mut Port<Packet>, offers: &[(u64, u8)]) -> Vec<(u64, u16)> {
    let mut shared = shared(Off);
    let mut arrived = Vec::new();
    let mut offers = (0u16..).zip(offers).peekable();
    while port.due < Instant::NEVER || offers.peek().is_some() {
        if let Some((serial, (at, class))) = offers.next_if(|(_, (at, _))| Instant(*at) < port.due)
        {
            shared.now = Instant(*at);
            offer(port, serial, (1, *class, Ecn::NotEct), &mut shared);
            continue;
        }
        shared.now = port.due;
        let (unit, next) = port.advance(&mut shared);
        assert!(next >= shared.now, "no event lies in the past");
        port.due = next;
        arrived.extend(unit.map(|unit| (shared.now.0, unit.serial)));
    }
    let balance = port.balance(shared.now);
    assert_eq!((balance.sent, balance.waiting), (arrived.len() as u64, 0));
    arrived
}

fn plain(offers: &[u64]) -> Vec<(u64, u8)> {
    offers.iter().map(|at| (*at, 0)).collect()
}

/// A discipline of the tests: a FIFO that gives the next packet `gap` after the last, but one of class 1 at once.
#[derive(Clone, Debug)]
struct Shaper {
    gap: Duration,
    next: Instant,
    waiting: [VecDeque<Number>; 2],
    /// Answer about the time when it is ready.
    says: fn(now: Instant, next: Instant) -> Option<Instant>,
    told: Arc<Mutex<Vec<Breach>>>,
}

impl Shaper {
    fn new(gap: Duration) -> Self {
        Self {
            gap,
            next: Instant::ZERO,
            waiting: Default::default(),
            says: |_, next| Some(next),
            told: Arc::default(),
        }
    }

    fn params(&self) -> queue::QueueParams {
        queue::QueueParams::External(external::ExternalParams {
            name: "shaper".into(),
            from: Some(Arc::new(self.clone())),
        })
    }
}

impl ExternalSource for Shaper {
    fn external(&self, _: Line) -> Box<dyn ExternalDiscipline> {
        Box::new(self.clone())
    }
    fn room(&self) -> Option<u64> {
        None
    }
}

impl ExternalDiscipline for Shaper {
    fn offer(
        &mut self,
        _: Instant,
        unit: Number,
        seen: Seen,
        desk: &mut Decisions,
    ) -> Result<(), Failed> {
        desk.mark(unit, seen.ecn);
        self.waiting[usize::from(seen.priority)].push_back(unit);
        Ok(())
    }
    fn pull(&mut self, now: Instant, _: &mut Decisions) -> Result<Option<Number>, Failed> {
        if let Some(first) = self.waiting[1].pop_front() {
            return Ok(Some(first));
        }
        if now < self.next {
            return Ok(None);
        }
        let first = self.waiting[0].pop_front();
        if first.is_some() {
            self.next = now + self.gap;
        }
        Ok(first)
    }
    fn ready_at(&mut self, now: Instant) -> Result<Option<Instant>, Failed> {
        Ok((self.says)(now, self.next))
    }
    fn on_breach(&mut self, _: Instant, breach: Breach) {
        self.told.lock().expect("one thread").push(breach);
    }
}

/// Half a millisecond on the line, five on the way.
fn ms(arrived: &[(u64, u16)]) -> Vec<(f64, u16)> {
    let ms = |at: u64| at as f64 / MILLI as f64;
    arrived.iter().map(|(at, n)| (ms(*at), *n)).collect()
}

#[test]
fn a_discipline_may_hold_packets_back_while_the_line_is_idle() {
    let shaper = Shaper::new(Duration::millis(2));
    let mut port = Port::<Packet>::new(&link(Some(shaper.params()), None), 1, (&[], 1), false);
    let arrived = through(&mut port, &plain(&[0, 0, 0, 11 * MILLI, 11 * MILLI]));
    let want = [(5.5, 0), (7.5, 1), (9.5, 2), (16.5, 3), (18.5, 4)];
    assert_eq!(ms(&arrived), want);
    // Five transmissions of half a millisecond each, and five idle times.
    let end = Instant(20 * MILLI);
    assert_eq!(port.busy(end), 5 * MILLI / 2);
    assert_eq!(port.pauses(end), 5);
    // Two packets wait for 2 ms, then one for 2 ms, and one more for 2 ms.
    assert_eq!(port.area(end), u128::from((2 + 4 + 2) * MILLI));
    assert_eq!(port.peak(), 2);
    assert!(shaper.told.lock().expect("one thread").is_empty());
}

#[test]
fn while_a_packet_is_held_back_the_line_is_idle() {
    let shaper = Shaper::new(Duration::millis(2));
    let mut port = Port::<Packet>::new(&link(Some(shaper.params()), None), 1, (&[], 1), false);
    let mut shared = shared(Off);
    for serial in 0..2 {
        offer(&mut port, serial, (1, 0, Ecn::NotEct), &mut shared);
    }
    for (quarter, busy, in_service, waiting, pauses) in [
        (1, 1, 1, 1, 0),
        (4, 2, 0, 1, 1),
        (7, 2, 0, 1, 1),
        (9, 3, 1, 0, 1),
        (11, 4, 0, 0, 2),
    ] {
        let now = Instant(quarter * MILLI / 4);
        shared.now = now;
        port.catch_up(&mut shared);
        assert_eq!(port.busy(now), busy * MILLI / 4, "{quarter}");
        let balance = port.balance(now);
        assert_eq!((balance.in_service, balance.waiting), (in_service, waiting));
        assert_eq!(balance.sent + in_service + waiting, 2);
        assert_eq!(port.pauses(now), pauses, "{quarter}");
        // An idle time that goes on is not over.
        let lasts = u64::from([4, 7].contains(&quarter));
        assert_eq!(port.pauses_over(), port.counts.pauses - lasts, "{quarter}");
    }
}

#[test]
fn what_arrives_while_others_are_held_back_may_go_at_once() {
    let shaper = Shaper::new(Duration::millis(8));
    let offers = [(0, 0), (0, 0), (MILLI, 1), (6 * MILLI, 0), (9 * MILLI, 1)];
    let mut port = Port::<Packet>::new(&link(Some(shaper.params()), None), 1, (&[], 1), false);
    let arrived = through(&mut port, &offers);
    // The packet of 1 ms arrives before the event for the packet that is ready at 8 ms.
    let want = [(5.5, 0), (6.5, 2), (13.5, 1), (14.5, 4), (21.5, 3)];
    assert_eq!(ms(&arrived), want);
}

#[test]
fn what_is_held_back_before_a_line_with_a_trace_waits_for_the_next_opportunity() {
    // The shaper is ready at 3.5 and 6.5 ms.
    let shaper = Shaper::new(Duration(5 * MILLI / 2));
    let Ok(Data::Opportunities(trace)) =
        Format::Opportunities.read("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", &|| ())
    else {
        panic!("a trace")
    };
    let mut line = link(Some(shaper.params()), None);
    line.trace = Some(trace);
    let mut port = Port::<Packet>::new(&line, 1, (&[], 1), false);
    let arrived = through(&mut port, &plain(&[0, 0, 0]));
    assert_eq!(ms(&arrived), [(6.0, 0), (9.0, 1), (12.0, 2)]);
}

#[test]
// Two opportunities at once: a packet goes with the first, and for the second the discipline is not ready.
fn opportunities_of_the_same_time_are_no_broken_promise() {
    let Ok(Data::Opportunities(trace)) = Format::Opportunities.read("1\n1\n4\n4\n", &|| ()) else {
        panic!("a trace")
    };
    let shaper = Shaper::new(Duration::millis(2));
    let mut line = link(Some(shaper.params()), None);
    line.trace = Some(trace);
    let mut port = Port::<Packet>::new(&line, 1, (&[], 1), false);
    let packets = 2 * IN_VAIN as usize;
    let arrived = through(&mut port, &plain(&vec![0; packets]));
    assert_eq!(arrived.len(), packets);
    assert_eq!(port.withheld(), None);
}

#[test]
fn a_discipline_that_is_never_ready_when_it_says_so_is_found_out() {
    let mut shaper = Shaper::new(Duration::millis(1000));
    shaper.says = |now, _| Some(now + Duration(1));
    let mut port = Port::<Packet>::new(&link(Some(shaper.params()), None), 1, (&[], 1), false);
    let mut shared = shared(Off);
    for serial in 0..3 {
        offer(&mut port, serial, (1, 0, Ecn::NotEct), &mut shared);
    }
    shared.now = Instant(900 * MILLI);
    port.catch_up(&mut shared);
    let first = MILLI / 2;
    let broken = Instant(first + u64::from(IN_VAIN) + 1);
    assert_eq!(port.withheld(), Some((broken, Withheld::Vain, 2)));
    assert!(shared.broken);
    let (sent, next) = port.advance(&mut shared);
    assert!(
        sent.is_some() && next == Instant::NEVER,
        "it is asked no more"
    );
    // Arrivals do not make the port ask again, either.
    offer(&mut port, 3, (1, 1, Ecn::NotEct), &mut shared);
    assert_eq!(port.withheld(), Some((broken, Withheld::Vain, 3)));
}

/// For packets with these ECN fields: units marked, the fields seen after departure, and the segments that are marked on the tape.
fn marked<U: Grain>(units: u16, fields: &[Ecn]) -> (u64, Vec<Ecn>, Vec<u64>) {
    let shaper = Shaper::new(Duration::millis(1));
    let mut port = Port::<U>::new(&link(Some(shaper.params()), None), 1, (&[], 1), false);
    let mut shared = shared::<U, Tape>(Tape::with_captures(vec![(0, false)]));
    port.capture = Capture::new(0, shared.tape.probe.captures());
    for (serial, ecn) in (0u16..).zip(fields) {
        offer(&mut port, serial, (units, 0, *ecn), &mut shared);
    }
    // The last unit is still in the buffer: it may be both marked and waiting.
    shared.now = Instant((fields.len() as u64 - 1) * u64::from(units) * MILLI - 1);
    port.catch_up(&mut shared);
    let balance = port.balance(shared.now);
    assert_eq!(
        balance.sent + balance.in_service + balance.waiting,
        fields.len() as u64 * u64::from(units),
        "what is marked is sent or waits as any other"
    );
    assert_eq!(balance.waiting, u64::from(units));
    let reel = shared.tape.probe.reel();
    let rows = reel.rows.iter().filter(|row| row.event == Event::Mark);
    (
        port.counts.marked,
        reel.seen.iter().map(|seen| seen.ecn).collect(),
        rows.map(|row| row.segment).collect(),
    )
}

#[test]
//= rfc3168 §5 type=test
fn what_a_discipline_marks_is_counted_and_seen_and_on_the_tape() {
    let fields = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::NotEct, Ecn::Ect0];
    let seen = [Ecn::NotEct, Ecn::Ce, Ecn::Ce, Ecn::NotEct];
    assert_eq!(
        marked::<Packet>(1, &fields),
        (3, seen.to_vec(), vec![1, 2, 4])
    );
    // Each cell of a packet is marked, but the tape has the segment once.
    assert_eq!(
        marked::<Cell>(4, &fields),
        (12, seen.to_vec(), vec![1, 2, 4])
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn packets_leave_when_the_line_is_free_and_the_discipline_ready(
        gaps in prop::collection::vec(prop_oneof![Just(0), time(8), time(40)], 1..100),
        gap in time(20),
        outage in prop::option::of((time(200), time(40))),
    ) {
        let mut at = 0;
        let offers: Vec<u64> = gaps.iter().map(|gap| { at += gap; at }).collect();
        let shaper = Shaper::new(Duration(gap));
        // The line may be down for a while, from a time until another.
        let (down, up) = outage.map_or((u64::MAX, u64::MAX), |(down, length)| (down, down + length));
        let up_from = |at: u64| if (down..up).contains(&at) { up } else { at };
        let (mut free, mut ready) = (0, 0);
        let want: Vec<(u64, u16)> = (0u16..)
            .zip(&offers)
            .map(|(number, offer)| {
                let start = up_from((*offer).max(free).max(ready));
                let end = start + MILLI / 2;
                let cut = start < down && down < end;
                (free, ready) = (end + if cut { up - down } else { 0 }, start + gap);
                (free + 5 * MILLI, number)
            })
            .collect();
        let mut line = link(Some(shaper.params()), None);
        line.schedule = outage.map(|_| super::scheduled::outage(down, up));
        let mut port = Port::<Packet>::new(&line, 1, (&[], 1), false);
        let arrived = through(&mut port, &plain(&offers));
        prop_assert_eq!(arrived, want);
    }
}
