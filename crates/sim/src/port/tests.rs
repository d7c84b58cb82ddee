//! A line with reordering, against the simplest model of it: which packet arrives when, for any buffer before the line.

use super::*;
use crate::grain::Header;
use crate::packets::{Bodies, Body, Left};
use crate::probe::Off;
use crate::shared::Tracer;
use crate::spec::FarEnd;
use dupack_core::declare::Declared;
use dupack_core::ledger::Cause;
use dupack_core::measure::{Bytes, Rate, Room, Share};
use dupack_core::queue::{self, drop_tail, external, fair_queueing};
use dupack_core::reorder::{self, Reorder};
use dupack_core::rng::Stream;
use dupack_core::time::SECOND;
use dupack_core::unit::{Ecn, FlowId, HostPair, Packet};
use proptest::prelude::*;
use std::sync::Arc;

pub(super) const MILLI: u64 = SECOND / 1000;
const PATH: &str = "link.l.reorder";

/// 500 bytes take half a millisecond, and then five.
pub(super) fn link(
    queue: Option<queue::QueueParams>,
    reorder: Option<reorder::ReorderParams>,
) -> spec::Link {
    let line = spec::Line {
        framing: dupack_core::framing::Framing::Raw,
        grants: None,
        duplicate: None,
        carries: queue::Grain::Packets,
        far_end: FarEnd::Host,
        rate: Rate(8_000_000),
        trace: None,
        schedule: None,
        delay: Duration::millis(5),
        queue,
        marker: None,
        loss: None,
        jitter: None,
        reorder: reorder.map(|params| spec::Reorder {
            params,
            path: PATH.into(),
        }),
    };
    spec::Link {
        name: "l".into(),
        from: "a".into(),
        to: "b".into(),
        line: Arc::new(line),
    }
}

/// Buffers before the line: none, and two disciplines that lose nothing.
pub(super) fn buffers() -> [Option<queue::QueueParams>; 3] {
    let buffer = Room::Packets(100_000);
    let texts = [("buffer", "100000 packets")];
    [
        None,
        Some(queue::QueueParams::DropTail(drop_tail::DropTailParams {
            buffer,
        })),
        Some(queue::QueueParams::FairQueueing(
            fair_queueing::FairQueueingParams::from_texts(&texts),
        )),
    ]
}

/// Offers a packet at each of these times \[ps\], as the world does, and gives when each number arrives, in order of arrival.
pub(super) fn arrivals(link: &spec::Link, offers: &[u64]) -> Vec<(u64, u16)> {
    let mut port = Port::<Packet>::new(link, 1, (&[], 1), false);
    let arrived = through(&mut port, offers);
    assert_eq!(arrived.len(), offers.len());
    arrived
}

/// What the port shares with others, at the start of a run without an end.
pub(super) fn shared() -> Shared<Packet, Off> {
    Shared {
        now: Instant::ZERO,
        end: Instant::NEVER,
        bodies: Bodies::default(),
        routes: vec![0],
        first: vec![0],
        lost: vec![0],
        joiners: vec![()],
        dead: vec![0],
        tape: Tracer::new(Off, Instant::NEVER, Vec::new()),
        delays: None,
        broken: false,
    }
}

/// Offers a packet now.
pub(super) fn offer(port: &mut Port<Packet>, serial: u16, shared: &mut Shared<Packet, Off>) {
    let (way, sent, damaged) = (FlowId(0), shared.now, false);
    let kind = Payload::Data {
        segment: u64::from(serial),
        again: false,
        id: u64::from(serial),
        cwr: false,
    };
    let body = shared.bodies.put(Body {
        way,
        serial,
        sent,
        damaged,
        left: Left::Whole,
        ecn: Ecn::NotEct,
        kind,
    });
    let header = Header {
        way,
        hosts: HostPair(0),
        ends: (0, 1),
        body,
        serial,
        priority: 0,
        dscp: 0,
        ecn: Ecn::NotEct,
    };
    port.offer(Packet::first(header, Bytes(500), 1), 0, shared);
    port.rearm();
}

/// The same, of those that are not dropped.
pub(super) fn through(port: &mut Port<Packet>, offers: &[u64]) -> Vec<(u64, u16)> {
    let mut shared = shared();
    let mut arrived = Vec::new();
    let mut offers = (0u16..).zip(offers).peekable();
    while port.due < Instant::NEVER || offers.peek().is_some() {
        let next = offers.next_if(|(_, at)| Instant(**at) < port.due);
        let Some((serial, at)) = next else {
            shared.now = port.due;
            let (unit, next) = port.advance(&mut shared);
            assert!(next >= shared.now, "no event lies in the past");
            port.due = next;
            arrived.extend(unit.map(|unit| (shared.now.0, unit.serial)));
            continue;
        };
        shared.now = Instant(*at);
        offer(port, serial, &mut shared);
    }
    let balance = port.balance(shared.now);
    assert_eq!((balance.sent, balance.waiting), (arrived.len() as u64, 0));
    arrived
}

/// RED's average queue falls while the line is idle, even if the unit that then arrives is dropped. Otherwise an average that has been
/// above the threshold once would cause drops forever.
#[test]
//= floyd-jacobson-1993 §4 type=test
fn a_discipline_hears_that_its_line_was_idle() {
    let texts = [
        ("buffer", "40 packets"),
        ("min_th", "2 packets"),
        ("max_th", "6 packets"),
        ("weight", "0.2"),
        ("packet_size", "500 B"),
    ];
    let red = queue::QueueParams::Red(queue::red::RedParams::from_texts(&texts));
    let link = link(Some(red), None);
    // Thirty packets at once bring the average above the threshold; then one arrives every 20 packet times.
    let mut offers = vec![0; 30];
    offers.extend((1..=5).map(|n| (20 + 10 * n) * MILLI));
    let mut port = Port::<Packet>::new(&link, 1, (&[], 1), false);
    let arrived = through(&mut port, &offers);
    let late: Vec<u16> = arrived.iter().map(|it| it.1).filter(|n| *n >= 30).collect();
    assert!(
        arrived.len() - late.len() < 30,
        "the burst is dropped in part"
    );
    assert_eq!(late, [30, 31, 32, 33, 34]);
}

/// A FIFO that drops all that waits when the line asks for the second time.
#[derive(Clone, Debug, Default)]
struct Flush {
    waiting: Vec<external::Number>,
    asked: u64,
}

impl external::ExternalSource for Flush {
    fn external(&self, _: Line) -> Box<dyn external::ExternalDiscipline> {
        Box::new(self.clone())
    }
    fn room(&self) -> Option<u64> {
        None
    }
}

impl external::ExternalDiscipline for Flush {
    fn offer(
        &mut self,
        _: Instant,
        unit: external::Number,
        _: external::Seen,
        _: &mut external::Decisions,
    ) -> Result<(), external::Failed> {
        self.waiting.push(unit);
        Ok(())
    }
    fn pull(
        &mut self,
        _: Instant,
        desk: &mut external::Decisions,
    ) -> Result<Option<external::Number>, external::Failed> {
        self.asked += u64::from(!self.waiting.is_empty());
        if self.asked == 2 {
            self.waiting
                .drain(..)
                .for_each(|it| desk.drop(it, Cause::Early));
        }
        Ok((!self.waiting.is_empty()).then(|| self.waiting.remove(0)))
    }
    fn on_breach(&mut self, _: Instant, breach: external::Breach) {
        panic!("{breach}");
    }
}

#[test]
fn a_pull_that_drops_all_leaves_an_empty_buffer_and_a_free_line() {
    let from: Arc<dyn external::ExternalSource> = Arc::new(Flush::default());
    let flush = queue::QueueParams::External(external::ExternalParams {
        name: "flush".into(),
        from: Some(from),
    });
    let mut port = Port::<Packet>::new(&link(Some(flush), None), 1, (&[], 1), false);
    // The first packet is sent at once, three wait for half a millisecond and are dropped, and the last finds an idle line.
    let arrived = through(&mut port, &[0, 0, 0, 0, 20 * MILLI]);
    assert_eq!(
        arrived,
        [(5 * MILLI + MILLI / 2, 0), (25 * MILLI + MILLI / 2, 4)]
    );
    let end = Instant(30 * MILLI);
    assert_eq!(port.counts.dropped[Cause::Early as usize], 3);
    assert_eq!((port.backlog(end), port.counts.waiting), (0, 0));
    assert_eq!(
        (port.area(end), port.peak()),
        (3 * u128::from(MILLI / 2), 3)
    );
}

#[test]
fn a_late_packet_is_overtaken_by_those_within_its_delay() {
    let (rate, delay) = (Share(0.05), Duration(1_200_000_000));
    let params = reorder::ReorderParams { rate, delay };
    // All packets arrive at once, so that the line is never idle.
    let (n, offers) = (4000u64, vec![0; 4000]);
    for buffer in buffers() {
        let arrived = arrivals(&link(buffer, Some(params.clone())), &offers);
        assert_eq!(arrived.len() as u64, n);
        let on_time = |number: u16| 5 * MILLI + (u64::from(number) + 1) * MILLI / 2;
        let late: Vec<u16> = arrived
            .iter()
            .filter(|(at, number)| *at != on_time(*number))
            .map(|(_, number)| *number)
            .collect();
        assert!((150..250).contains(&late.len()), "{}", late.len());
        let place = |number: u16| arrived.iter().position(|it| it.1 == number).unwrap();
        for number in late {
            let place_of_late = place(number);
            assert_eq!(arrived[place_of_late].0, on_time(number) + delay.0);
            // Two packets follow within 1.2 ms; they overtake it unless they are delayed themselves.
            for (behind, overtakes) in [(1, true), (2, true), (3, false)] {
                let behind = number + behind;
                if u64::from(behind) < n && arrived[place(behind)].0 == on_time(behind) {
                    assert_eq!(place(behind) < place_of_late, overtakes);
                }
            }
        }
    }
}

/// A time of at most `quarters` quarters of a millisecond, often a whole number of them, so that arrivals coincide.
pub(super) fn time(quarters: u64) -> impl Strategy<Value = u64> {
    prop_oneof![
        (1..=quarters).prop_map(|n| n * MILLI / 4),
        1..quarters * MILLI / 4
    ]
}

proptest! {
    #[test]
    fn packets_arrive_when_they_should(
        gaps in prop::collection::vec(prop_oneof![Just(0), time(8), time(120)], 1..120),
        rate in 0.0..=1.0f64,
        late in time(80),
    ) {
        let mut at = 0;
        let offers: Vec<u64> = gaps.iter().map(|gap| { at += gap; at }).collect();
        let params = reorder::ReorderParams { rate: Share(rate), delay: Duration(late) };
        let mut draws = Reorder::new(&params, Stream::new(1, PATH));
        let mut free = 0;
        let mut want: Vec<(u64, u16)> = (0u16..)
            .zip(&offers)
            .map(|(number, offer)| {
                free = free.max(*offer) + MILLI / 2;
                (free + 5 * MILLI + draws.on_packet().0, number)
            })
            .collect();
        want.sort_by_key(|(at, _)| *at);
        for buffer in buffers() {
            prop_assert_eq!(&arrivals(&link(buffer.clone(), Some(params.clone())), &offers), &want);
            let in_order = arrivals(&link(buffer, None), &offers);
            prop_assert!(in_order.iter().map(|it| it.1).eq(0..offers.len() as u16));
        }
    }
}
