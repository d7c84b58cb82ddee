//! A discipline: three flows on one line, and the fate of every unit.

use super::laws;
use super::signs::{COLUMNS, bar, row};
use dupack_core::ledger::{Cause, Ledger};
use dupack_core::measure::{Bytes, Rate};
use dupack_core::queue::{self, About, Discipline, Grain, Line, Queue};
use dupack_core::rng::Stream;
use dupack_core::roster::{Entry, Roster};
use dupack_core::time::{Duration, Instant};
use dupack_core::unit::{BodyId, CONTROL, Cell, DATA, Ecn, FlowId, HostPair, Packet, Unit};
use dupack_sim::spec::Network;
use std::collections::BTreeSet;

/// Plan around a discipline for cells. The picture does not show a run of this plan, only the queue of its link.
pub(super) const ON_CELLS: &str = r#"
duration = "1 s"
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "line", from = "a", to = "b", carries = "cells", rate = "1 Mb/s", delay = "1 ms", queue = PART }]
flow = [{ name = "flow", from = "a", to = "b" }]
"#;

/// The same for packets.
pub(super) const ON_PACKETS: &str = r#"
duration = "1 s"
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "line", from = "a", to = "b", carries = "packets", rate = "1 Mb/s", delay = "1 ms", queue = PART }]
flow = [{ name = "flow", from = "a", to = "b" }]
"#;

/// The time of one unit on the line.
const SLOT: Duration = Duration(1_000_000_000);
/// Cells of a packet.
const CELLS: u16 = 6;
/// A packet's length \[bytes\].
const BYTES: u16 = 1000;
const FLOWS: [char; 3] = ['A', 'B', 'C'];
/// Disciplines that know the classes of packets.
const CLASSED: [&str; 4] = ["cake", "queue-protection", "strict-priority", "wfq"];
/// Disciplines that treat acks in their own way: in their pictures, the packets of C are acks.
const FILTERS: [&str; 1] = ["ack-filter"];
/// Diffserv code points of their packets: EF, NQB and CS1.
const CODE_POINTS: [u8; 3] = [46, 45, 8];

pub(super) fn entry(name: &str) -> Option<&'static Entry<About>> {
    queue::QueueParams::entry(name)
}

/// On which links it is shown: those that it declares first.
pub(super) fn grain(entry: &Entry<About>) -> Grain {
    entry.about.grains[0]
}

/// Whether a unit of a flow arrives in a slot: A sends late and in every second slot, B in every second slot, C in trains.
fn arrives(flow: usize, slot: u64) -> bool {
    match flow {
        0 => slot >= 24 && slot.is_multiple_of(2),
        1 => slot.is_multiple_of(2),
        _ => slot % 36 < 30,
    }
}

/// A unit that a scene can make.
trait Drawn: Unit + Sized {
    /// Units of a packet.
    const OF: u16;
    /// Unit `index` of packet number `packet` of a flow.
    fn unit(flow: usize, packet: u32, index: u16) -> Self;
    /// The packet's number.
    fn packet(&self) -> usize;
    /// Marked.
    fn set_ce(&mut self);
    /// From now on it is an ack.
    fn set_ack(&mut self);
    /// Cut to its first bytes.
    fn cut(&self, keep: Bytes) -> Self;
}

impl Drawn for Cell {
    const OF: u16 = CELLS;
    fn unit(flow: usize, packet: u32, index: u16) -> Self {
        let mut cell = Self::first(FlowId(flow as u32), BodyId(packet), packet as u16, Self::OF);
        for _ in 0..index {
            cell = cell.following();
        }
        cell
    }
    fn packet(&self) -> usize {
        self.body().0 as usize
    }
    fn set_ce(&mut self) {}
    fn set_ack(&mut self) {
        unreachable!("no discipline looks for acks in cells")
    }
    fn cut(&self, _: Bytes) -> Self {
        unreachable!("no discipline cuts cells")
    }
}

impl Drawn for Packet {
    const OF: u16 = 1;
    fn unit(flow: usize, packet: u32, _: u16) -> Self {
        Self {
            flow: FlowId(flow as u32),
            hosts: HostPair(flow as u32),
            ends: (flow as u32, flow as u32),
            body: BodyId(packet),
            bytes: BYTES,
            hop: 0,
            serial: packet as u16,
            priority: DATA,
            dscp: CODE_POINTS[flow],
            // Disciplines that do not mark ignore this field.
            ecn: Ecn::Ect0,
        }
    }
    fn packet(&self) -> usize {
        self.body.0 as usize
    }
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
    fn set_ack(&mut self) {
        self.priority = CONTROL;
    }
    fn cut(&self, keep: Bytes) -> Self {
        let bytes = self.bytes.min(keep.0 as u16);
        Self { bytes, ..*self }
    }
}

/// Where a unit is, or how it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum UnitState {
    Waiting,
    Sent,
    /// Marked, and then sent.
    Marked,
    Trimmed,
    Dropped(Cause),
    /// Dropped, and copies of its header were made.
    Copied,
}

/// The signs of fates, in the order of the key.
const SIGNS: [(UnitState, char, &str); 11] = [
    (UnitState::Sent, '=', "sent"),
    (UnitState::Marked, 'm', "marked and sent"),
    (UnitState::Waiting, '~', "still waiting"),
    (UnitState::Trimmed, 't', "trimmed"),
    (UnitState::Copied, 'c', "dropped, copies of its header sent"),
    (
        UnitState::Dropped(Cause::Overflow),
        'o',
        "dropped: overflow",
    ),
    (UnitState::Dropped(Cause::Early), 'e', "early"),
    (
        UnitState::Dropped(Cause::Partial),
        'p',
        "rest of a damaged packet",
    ),
    (UnitState::Dropped(Cause::PushedOut), 'x', "pushed out"),
    (UnitState::Dropped(Cause::Script), 's', "script"),
    (UnitState::Dropped(Cause::Random), 'r', "random"),
];

/// The sign of a sent unit that ends a packet of several.
const END: char = '>';

/// The book of a scene: the fate of every unit of every packet.
struct Book {
    fates: Vec<Vec<UnitState>>,
    /// The units that were marked, by packet and place.
    marked: BTreeSet<(usize, usize)>,
    copies: usize,
}

impl Book {
    fn note<U: Drawn>(&mut self, unit: &U, index: usize, fate: UnitState) {
        self.fates[unit.packet()][index] = fate;
    }
}

/// Where a unit stands in its packet.
trait Index {
    fn place(&self) -> usize;
}
impl Index for Cell {
    fn place(&self) -> usize {
        usize::from(self.index())
    }
}
impl Index for Packet {
    fn place(&self) -> usize {
        0
    }
}

impl<U: Drawn + Index> Ledger<U> for Book {
    fn drop(&mut self, unit: U, why: Cause) {
        let fate = &mut self.fates[unit.packet()][unit.place()];
        if *fate == UnitState::Waiting {
            *fate = UnitState::Dropped(why);
        }
    }
    fn mark(&mut self, unit: &mut U) -> bool {
        // All transports of a scene support ECN.
        self.marked.insert((unit.packet(), unit.place()));
        unit.set_ce();
        true
    }
    /// Each ack of a scene says more than those before it.
    fn supersedes(&self, newer: &U, older: &U) -> bool {
        [newer, older].map(Unit::priority) == [CONTROL; 2] && newer.flow() == older.flow()
    }
    fn trim(&mut self, unit: &mut U, keep: Bytes) {
        self.note(unit, unit.place(), UnitState::Trimmed);
        *unit = unit.cut(keep);
    }
    fn mint(&mut self, of: &U, keep: Bytes) -> U {
        self.note(of, of.place(), UnitState::Copied);
        self.copies += 1;
        of.cut(keep)
    }
}

/// Result of a scene.
#[derive(PartialEq)]
struct Outcome {
    /// Per flow and slot, the fate of the unit that arrived, and whether it ends its packet.
    arrivals: [Vec<Option<(UnitState, bool)>>; 3],
    /// Packet whose transmission begins in each slot.
    line: Vec<char>,
    /// Backlog at the end of each slot \[units\].
    waits: Vec<u64>,
    /// The most that ever waited.
    most: u64,
    /// Per flow, the number of packets that were sent whole, and of those that arrived whole.
    whole: [(usize, usize); 3],
}

/// Three flows and the line while it goes on.
struct Course<U> {
    queue: Queue<U>,
    book: Book,
    rate: Rate,
    /// Per flow, the packet that is arriving, and the number of its units that have arrived.
    open: [Option<(u32, u16)>; 3],
    /// Per flow and slot, the packet of the unit that arrived, and the unit's place in it.
    came: [Vec<Option<(usize, usize)>>; 3],
    /// When the line is free again.
    free: Instant,
    /// The most that waited.
    most: u64,
    /// In which order flows arrive.
    order: Stream,
    /// Whether the packets of C are acks.
    acks: bool,
}

/// The line, of which A and B may have a share guaranteed.
fn line<U: Drawn>(guaranteed: bool) -> Line {
    let rate = Rate(u64::from(U::unit(0, 0, 0).bytes()) * 8 * 1000);
    let share = if guaranteed { rate.0 / 3 } else { 0 };
    Line {
        rate,
        guaranteed: (0..3)
            .map(|flow| (FlowId(flow), Rate(if flow < 2 { share } else { 0 })))
            .collect(),
        longest: 6,
        stream: Stream::new(1, "picture"),
    }
}

/// The charts of the drop laws of the discipline.
fn drop_laws(params: &queue::QueueParams, grain: Grain) -> Vec<String> {
    match grain {
        Grain::Cells => laws::draw(&Queue::<Cell>::new(params, line::<Cell>(true)).drop_laws()),
        Grain::Packets => {
            laws::draw(&Queue::<Packet>::new(params, line::<Packet>(true)).drop_laws())
        }
    }
}

impl<U: Drawn + Index> Course<U> {
    fn new(params: &queue::QueueParams, guaranteed: bool) -> Self {
        let line = line::<U>(guaranteed);
        let rate = line.rate;
        Self {
            queue: Queue::new(params, line),
            book: Book {
                fates: Vec::new(),
                marked: BTreeSet::new(),
                copies: 0,
            },
            rate,
            open: [None; 3],
            came: Default::default(),
            free: Instant::ZERO,
            most: 0,
            order: Stream::new(1, "order"),
            acks: FILTERS.contains(&params.name()),
        }
    }

    /// Lets the units of a slot arrive.
    fn arrive(&mut self, slot: u64) {
        // The flows arrive in random order; in a fixed one, the same flow would always get the place that has just become free.
        let first = self.order.between(0, 2) as usize;
        for flow in [first, (first + 1) % 3, (first + 2) % 3] {
            if !arrives(flow, slot) {
                self.came[flow].push(None);
                continue;
            }
            let fates = &mut self.book.fates;
            let (packet, index) = self.open[flow].unwrap_or_else(|| {
                fates.push(vec![UnitState::Waiting; usize::from(U::OF)]);
                (fates.len() as u32 - 1, 0)
            });
            self.open[flow] = (index + 1 < U::OF).then_some((packet, index + 1));
            self.came[flow].push(Some((packet as usize, usize::from(index))));
            let mut unit = U::unit(flow, packet, index);
            if self.acks && flow == 2 {
                unit.set_ack();
            }
            self.queue.offer(at(slot), unit, &mut self.book);
            self.most = self.most.max(self.queue.backlog());
        }
    }

    /// Sends a unit in a slot; returns its sign.
    fn depart(&mut self, slot: u64) -> char {
        let now = at(slot);
        let mut sign = ' ';
        while self.free < now + SLOT {
            let start = self.free.max(now);
            let Some(unit) = self.queue.pull(start, &mut self.book) else {
                break;
            };
            let own = FLOWS[unit.flow().0 as usize];
            let full = unit.bytes() == U::unit(0, 0, 0).bytes();
            if full {
                let marked = self.book.marked.contains(&(unit.packet(), unit.place()));
                let fate = if marked {
                    UnitState::Marked
                } else {
                    UnitState::Sent
                };
                self.book.note(&unit, unit.place(), fate);
            }
            // Whole packets take precedence: a header takes only a small part of a slot.
            match (full, sign) {
                (true, _) => sign = own,
                (false, ' ') => sign = own.to_ascii_lowercase(),
                _ => {}
            }
            let time = u128::from(unit.bytes()) * 8 * u128::from(SLOT.0) * 1000;
            self.free = start + Duration((time / u128::from(self.rate.0)) as u64);
        }
        sign
    }

    /// Of a flow's packets that have arrived completely, the number sent whole, and the number whose fate is known.
    fn whole(&self, flow: usize) -> (usize, usize) {
        let arrived = self.came[flow].iter().flatten();
        let mut packets: Vec<usize> = arrived.map(|(packet, _)| *packet).collect();
        packets.dedup();
        packets.retain(|packet| self.open[flow].is_none_or(|(open, _)| open as usize != *packet));
        let fates = &self.book.fates;
        let settled = |at: &&usize| !fates[**at].contains(&UnitState::Waiting);
        let arrives = |fate: &UnitState| matches!(fate, UnitState::Sent | UnitState::Marked);
        let sent = |at: &&usize| fates[**at].iter().all(arrives);
        (
            packets.iter().filter(sent).count(),
            packets.iter().filter(settled).count(),
        )
    }
}

/// When a slot begins.
fn at(slot: u64) -> Instant {
    Instant(slot * SLOT.0)
}

fn scene<U: Drawn + Index>(params: &queue::QueueParams, guaranteed: bool) -> Outcome {
    let mut course: Course<U> = Course::new(params, guaranteed);
    let (mut line, mut waits) = (Vec::new(), Vec::new());
    for slot in 0..COLUMNS as u64 {
        course.arrive(slot);
        line.push(course.depart(slot));
        waits.push(course.queue.backlog());
    }
    let fate = |place: &Option<(usize, usize)>| {
        place.map(|(packet, index)| {
            (
                course.book.fates[packet][index],
                U::OF > 1 && index + 1 == usize::from(U::OF),
            )
        })
    };
    Outcome {
        arrivals: [0, 1, 2].map(|flow: usize| course.came[flow].iter().map(fate).collect()),
        line,
        waits,
        most: course.most,
        whole: [0, 1, 2].map(|flow| course.whole(flow)),
    }
}

fn outcome(params: &queue::QueueParams, grain: Grain, guaranteed: bool) -> Outcome {
    match grain {
        Grain::Cells => scene::<Cell>(params, guaranteed),
        Grain::Packets => scene::<Packet>(params, guaranteed),
    }
}

/// The picture of the discipline of the first link.
pub(super) fn draw(network: &Network) -> Vec<String> {
    let Some(params) = &network.links[0].queue else {
        unreachable!("the scene gives its link a queue")
    };
    let grain = network.grain;
    let told = outcome(params, grain, true);
    let (units, of) = match grain {
        Grain::Cells => ("cell", format!(" Packets have {CELLS} cells.")),
        Grain::Packets => ("packet", String::new()),
    };
    let mut lines = vec![
        format!(
            "The link sends one {units} per column.{of} B: one {units} arrives in every second column."
        ),
        format!("A: the same from the 25th column on. C: {units}s arrive in trains."),
    ];
    if CLASSED.contains(&params.name()) {
        lines
            .push("The packets of A are of class EF, those of B of NQB, those of C of CS1.".into());
    }
    if FILTERS.contains(&params.name()) {
        lines.push("The packets of C are acks; each says all that those before it say.".into());
    }
    if told != outcome(params, grain, false) {
        lines.push("A and B are guaranteed a third of the link's rate each.".into());
    }
    lines.push(String::new());
    let mut used = Vec::new();
    for (flow, arrivals) in FLOWS.iter().zip(&told.arrivals) {
        let signs = arrivals.iter().map(|it| match it {
            None => '.',
            Some((UnitState::Sent, true)) => END,
            Some((fate, _)) => {
                used.push(*fate);
                let sign = SIGNS.iter().find(|(known, ..)| known == fate);
                sign.map_or('?', |(_, sign, _)| *sign)
            }
        });
        let signs: Vec<char> = signs.collect();
        lines.push(row(&flow.to_string(), signs));
    }
    lines.push(row("line", told.line.iter().copied()));
    let most = told.most;
    let bars = told
        .waits
        .iter()
        .map(|waits| bar(*waits as f64, most as f64));
    lines.push(row("waiting", bars));
    lines.push(String::new());
    let mut key: Vec<String> = SIGNS
        .iter()
        .filter(|(fate, ..)| used.contains(fate))
        .map(|(_, sign, says)| format!("{sign} {says}"))
        .collect();
    if grain == Grain::Cells {
        key.insert(1, format!("{END} sent, last of its packet"));
    }
    if told.line.iter().any(|sign| sign.is_ascii_lowercase()) {
        key.push("a b c on the line: headers only".into());
    }
    lines.push(format!("{}; at most {most} wait.", key.join(", ")));
    let whole = FLOWS.iter().zip(told.whole);
    let whole: Vec<String> = whole
        .map(|(flow, (sent, all))| format!("{flow} {sent} of {all}"))
        .collect();
    lines.push(format!("Packets sent whole: {}.", whole.join(", ")));
    lines.extend(drop_laws(params, grain));
    lines
}

#[cfg(test)]
mod tests {
    use super::super::{Family, draw as picture};
    use super::*;
    use dupack_core::declare::Value;
    use dupack_core::measure::{Room, Share};
    use dupack_core::queue::external::{self, ExternalDiscipline, ExternalSource};

    #[test]
    fn the_picture_of_epd_is_that_of_its_rule() {
        let lines = picture(Family::Queue, "epd", &["threshold=0.25".into()])
            .expect("a right value")
            .lines;
        let rows: Vec<&str> = lines.iter().filter_map(|l| l.get(10..)).collect();
        let c = rows
            .iter()
            .find(|r| r.starts_with("=====>"))
            .expect("flow C");
        // A packet is sent whole or dropped early whole, except for its last cell, which may be kept because it ends the packet.
        for packet in c.trim_matches('.').split(['.']).filter(|p| !p.is_empty()) {
            assert_eq!(packet.len() % usize::from(CELLS), 0, "{c}");
            for cells in packet.as_bytes().chunks(usize::from(CELLS)) {
                let cells = std::str::from_utf8(cells).expect("ASCII");
                let waits = cells.ends_with('~')
                    && cells.trim_start_matches('=').trim_matches('~').is_empty();
                assert!(waits || ["=====>", "epppp>"].contains(&cells), "{c}");
            }
        }
        assert!(c.contains("epppp>"), "{c}");
    }

    #[test]
    fn what_is_sent_is_what_is_counted() {
        let values = [Value::Room(Room::Cells(24)), Value::Share(Share(0.5))];
        let params = queue::QueueParams::from_values("epd", &values).expect("on the roster");
        let told = outcome(&params, Grain::Cells, true);
        let came: usize = told
            .arrivals
            .iter()
            .map(|row| row.iter().flatten().count())
            .sum();
        let sent = |row: &Vec<Option<(UnitState, bool)>>| {
            row.iter()
                .flatten()
                .filter(|(f, _)| *f == UnitState::Sent)
                .count()
        };
        let sent: usize = told.arrivals.iter().map(sent).sum();
        assert_eq!(sent, told.line.iter().filter(|sign| **sign != ' ').count());
        let waiting = |row: &Vec<Option<(UnitState, bool)>>| {
            row.iter()
                .flatten()
                .filter(|(f, _)| *f == UnitState::Waiting)
                .count()
        };
        let waiting: usize = told.arrivals.iter().map(waiting).sum();
        assert_eq!(waiting as u64, *told.waits.last().expect("slots"));
        assert!(came > sent + waiting, "something was dropped");
    }

    /// A FIFO of five that marks all of flow A, and flow B's while three wait.
    #[derive(Debug, Default)]
    struct Marks(std::collections::VecDeque<external::Number>);

    impl ExternalSource for Marks {
        fn external(&self, _: Line) -> Box<dyn ExternalDiscipline> {
            Box::new(Self::default())
        }
        fn room(&self) -> Option<u64> {
            Some(5)
        }
    }

    impl ExternalDiscipline for Marks {
        fn offer(
            &mut self,
            _: Instant,
            unit: external::Number,
            seen: external::Seen,
            decisions: &mut external::Decisions,
        ) -> Result<(), external::Failed> {
            if self.0.len() == 5 {
                decisions.drop(unit, Cause::Overflow);
                return Ok(());
            }
            if seen.flow.0 == 0 || seen.flow.0 == 1 && self.0.len() >= 3 {
                assert!(
                    decisions.mark(unit, seen.ecn),
                    "transports understand marks"
                );
            }
            self.0.push_back(unit);
            Ok(())
        }
        fn pull(
            &mut self,
            _: Instant,
            _: &mut external::Decisions,
        ) -> Result<Option<external::Number>, external::Failed> {
            Ok(self.0.pop_front())
        }
        fn on_breach(&mut self, _: Instant, breach: external::Breach) {
            panic!("{breach}");
        }
    }

    #[test]
    fn what_is_marked_and_sent_has_a_sign() {
        let params = queue::QueueParams::External(external::ExternalParams {
            name: "marks".into(),
            from: Some(std::sync::Arc::new(Marks::default())),
        });
        let told = outcome(&params, Grain::Packets, true);
        let count = |flow: usize, of: UnitState| {
            let fates = told.arrivals[flow].iter().flatten();
            fates.filter(|(fate, _)| *fate == of).count()
        };
        assert!(count(0, UnitState::Marked) > 3 && count(0, UnitState::Sent) == 0);
        assert!(count(1, UnitState::Marked) > 3 && count(1, UnitState::Sent) > 0);
        assert!(count(2, UnitState::Marked) == 0 && count(2, UnitState::Sent) > 3);
        let dropped = [0, 1, 2].map(|flow| count(flow, UnitState::Dropped(Cause::Overflow)));
        assert!(dropped.iter().sum::<usize>() > 3);
        // Marked packets count as arrived, too.
        assert_eq!(told.whole[0].0, count(0, UnitState::Marked));
        let plan = ON_PACKETS.replace("PART", r#"{ kind = "drop-tail", buffer = "5 packets" }"#);
        let plan = crate::plan::Plan::parse(plan.as_bytes(), "x", &[]).expect("a right plan");
        let mut network = (*plan.points[0].network).clone();
        network.links[0].queue = Some(params);
        let lines = draw(&network);
        assert!(
            lines
                .iter()
                .any(|line| line.contains("= sent, m marked and sent, "))
        );
        assert!(
            lines
                .iter()
                .any(|line| line.trim_start().starts_with("A ") && line.contains("m."))
        );
    }
}
