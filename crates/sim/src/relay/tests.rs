use super::*;
use crate::probe::{Deed, Event, Incident, Probe, Row, Tape};
use crate::spec;
use dupack_core::loss::{LossParams, bernoulli::BernoulliParams};
use dupack_core::measure::{Bytes, Rate, Room, Share};
use dupack_core::queue::drop_tail::DropTailParams;
use dupack_core::queue::ppd::PpdParams;
use dupack_core::time::Duration;
use proptest::prelude::*;
use std::sync::Arc;

/// A link of 8 Mb/s (a byte each microsecond) and 1 ms.
fn link(name: &str, far_end: FarEnd, queue: Option<QueueParams>) -> spec::Link {
    let line = spec::Line {
        framing: dupack_core::framing::Framing::Raw,
        grants: None,
        duplicate: None,
        carries: Carries::Packets,
        far_end,
        rate: Rate(8_000_000),
        trace: None,
        schedule: None,
        delay: Duration::millis(1),
        queue,
        marker: None,
        loss: None,
        jitter: None,
        reorder: None,
    };
    spec::Link {
        name: name.into(),
        from: "a".into(),
        to: "b".into(),
        line: Arc::new(line),
    }
}

fn network(grain: Carries, mut links: Vec<spec::Link>) -> Network {
    links.iter_mut().for_each(|link| link.carries = grain);
    Network {
        grain,
        trailer: Bytes(8),
        duration: Duration::secs(10),
        warm_up: Duration::ZERO,
        mser: false,
        batches: None,
        sample: None,
        percentiles: false,
        detune: None,
        links,
        vcs: Vec::new(),
        flows: Vec::new(),
        map: crate::route::Map::default(),
        routing: spec::Routing::First,
        permutations: Vec::new(),
    }
}

fn micros(at: u64) -> Instant {
    Instant(at * 1_000_000)
}

fn parcel(token: u64, bytes: u16) -> Parcel {
    Parcel {
        way: 0,
        token,
        bytes,
        ecn: Ecn::NotEct,
        dscp: 0,
        control: false,
    }
}

/// Sends packets (time in microseconds, bytes) and tells their fates by time.
fn relayed(network: &Network, packets: &[(u64, u16)]) -> (Vec<Told>, Closed) {
    let end = Instant(network.duration.0);
    let mut relay = Relay::new(network, 1, end);
    let all: Vec<usize> = (0..network.links.len()).collect();
    relay.add_way(&all, 0, (0, 1));
    let mut told = Vec::new();
    for (token, (at, bytes)) in packets.iter().enumerate() {
        relay.advance(micros(*at), &mut told);
        relay.send(micros(*at), parcel(token as u64, *bytes));
    }
    relay.advance(end, &mut told);
    let closed = relay.close(network, end, &[]).expect("it balances");
    (told, closed)
}

#[test]
fn a_packet_takes_its_transmission_times_and_delays() {
    let network = network(
        Carries::Packets,
        vec![
            link("one", FarEnd::Switch, None),
            link("two", FarEnd::Host, None),
        ],
    );
    let (told, closed) = relayed(&network, &[(0, 100), (10, 100)]);
    let times: Vec<_> = told.iter().map(|it| (it.token, it.at)).collect();
    assert_eq!(times, [(0, micros(2200)), (1, micros(2300))]);
    assert_eq!((closed.links[1].offered, closed.links[1].sent), (2, 2));
}

#[test]
fn what_a_full_buffer_drops_is_told_with_its_cause() {
    let queue = QueueParams::DropTail(DropTailParams {
        buffer: Room::Packets(1),
    });
    let network = network(
        Carries::Packets,
        vec![link("one", FarEnd::Host, Some(queue))],
    );
    let (told, closed) = relayed(&network, &[(0, 100), (1, 100), (2, 100)]);
    let lost: Vec<_> = (told.iter())
        .filter_map(|it| match it.fate {
            Fate::Befell { link, deed, .. } => Some((it.token, it.at, link, deed)),
            _ => None,
        })
        .collect();
    let overflow = Deed::Dropped(dupack_core::ledger::Cause::Overflow);
    assert_eq!(lost, [(2, micros(2), 0, overflow)]);
    assert_eq!(closed.links[0].dropped["overflow"], 1);
}

#[test]
fn a_frame_of_cells_arrives_whole_or_not_at_all() {
    let queue = QueueParams::Ppd(PpdParams {
        buffer: Room::Cells(20),
    });
    let network = network(Carries::Cells, vec![link("one", FarEnd::Host, Some(queue))]);
    // Each is 13 cells: the end mark of the second does not fit behind the first, so that the third ends in its frame.
    let packets = [(0, 576), (0, 576), (100_000, 576), (200_000, 576)];
    let (told, closed) = relayed(&network, &packets);
    let fates: Vec<_> = (told.iter())
        .map(|it| match it.fate {
            Fate::Arrived { .. } => (it.token, "arrived"),
            Fate::Befell { .. } => (it.token, "dropped"),
            Fate::Copied => (it.token, "copied"),
            Fate::Dead => (it.token, "dead"),
        })
        .collect();
    let want = [(1, "dropped"), (0, "arrived"), (2, "dead"), (3, "arrived")];
    assert_eq!(fates, want);
    assert!(closed.links[0].dead_units > 13);
}

proptest! {
    /// Every packet has one end: it arrives or is lost, on packets and on cells, whatever comes.
    #[test]
    fn every_packet_has_one_end(
        sizes in prop::collection::vec((0u64..3000, 20u16..=65_535), 1..200),
        cells: bool,
        buffer in 1u64..200,
    ) {
        let (grain, room) = if cells {
            (Carries::Cells, Room::Cells(buffer))
        } else {
            (Carries::Packets, Room::Packets(buffer))
        };
        let queue = QueueParams::Plain(dupack_core::queue::plain::PlainParams { buffer: room });
        let mut lossy = link("one", FarEnd::Switch, Some(queue));
        lossy.loss = Some(spec::Loss {
            params: LossParams::Bernoulli(BernoulliParams { rate: Share(0.1) }),
            watched: Vec::new(),
            path: "link.one.loss".into(),
        });
        let mut network = network(grain, vec![lossy, link("two", FarEnd::Host, None)]);
        network.duration = Duration::secs(100);
        let mut at = 0;
        let packets: Vec<_> = sizes
            .iter()
            .map(|(gap, bytes)| { at += gap; (at, *bytes) })
            .collect();
        let (told, closed) = relayed(&network, &packets);
        let mut ends = vec![0; packets.len()];
        for it in &told {
            let ended = match it.fate {
                Fate::Arrived { .. } | Fate::Dead => true,
                Fate::Befell { deed, .. } => matches!(deed, Deed::Dropped(_)),
                Fate::Copied => false,
            };
            ends[it.token as usize] += u64::from(ended);
        }
        // The last frames may wait for an end mark that was dropped.
        let open = ends.iter().filter(|n| **n == 0).count();
        prop_assert!(ends.iter().all(|n| *n <= 1), "{ends:?}");
        prop_assert!(open == 0 || cells, "{ends:?}");
        let drops: u64 = closed.links[0].dropped.values().sum();
        prop_assert_eq!(closed.links[0].offered, closed.links[0].sent + drops);
    }
}

#[test]
fn a_packet_that_is_marked_and_then_lost_with_another_is_lost() {
    let mut tape = Tape::of_fates();
    let carried = crate::probe::Carried::Data {
        segment: 7,
        again: false,
        id: 0,
        cwr: false,
    };
    tape.befell(&Incident {
        at: micros(1),
        link: 0,
        flow: 0,
        connection: None,
        hop: 0,
        deed: Deed::Marked,
        waiting: 3,
        bytes: 53,
        carried,
    });
    tape.on(&Row {
        at: micros(2),
        flow: 0,
        connection: None,
        event: Event::Drop,
        segment: 7,
        cwnd: 0.0,
        ssthresh: 0.0,
        id: 0,
        bytes: 0,
        ece: false,
        ranges: 0,
    });
    let mut told = Vec::new();
    tape.tell(&mut told);
    let fates: Vec<Fate> = told.iter().map(|it| it.fate).collect();
    assert!(
        matches!(fates[..], [Fate::Befell { .. }, Fate::Dead]),
        "{fates:?}"
    );
}
