//! Packets that are cells on a part of their way.

use super::World;
use crate::grain::Grain;
use crate::probe::{Deed, Event, Incident, Probe};
use crate::relay::{Fate, Told};
use dupack_core::measure::CELL_BITS;
use dupack_core::time::Instant;
use dupack_core::unit::Ecn;

impl<U: Grain, P: Probe> World<'_, U, P> {
    /// A packet has come to an edge between packets and cells: it goes on, as a packet or as cells.
    #[cold]
    pub(super) fn pass_edge(&mut self, unit: U) {
        let place = self.shared.place(&unit);
        let port = self.shared.routes[place] as usize;
        let (now, vc) = (self.shared.now, self.vcs[place]);
        match &mut self.section {
            Some(section) if section.has(port) => {
                let way = unit.way();
                section.enter(now, unit, vc, way);
                self.hear_of_cells();
            }
            _ => self.offer(port, unit, 0),
        }
    }

    /// Something is due on the lines of cells.
    #[cold]
    pub(super) fn advance_cells(&mut self, now: Instant) {
        if let Some(section) = &mut self.section {
            section.advance(now);
            self.hear_of_cells();
        }
    }

    /// Brings these lines up to `now`.
    pub(super) fn catch_up_cells(&mut self, now: Instant) {
        if let Some(section) = &mut self.section {
            section.catch_up(now);
            self.hear_of_cells();
        }
    }

    /// Deals with what has become of packets there, and sets the next event.
    fn hear_of_cells(&mut self) {
        while let Some(it) = self.section.as_mut().and_then(|it| it.next_told()) {
            match it.fate {
                Fate::Arrived { .. } => self.leave_cells(it.token),
                Fate::Befell {
                    link,
                    deed,
                    waiting,
                } => self.befell_cells(&it, link, (deed, waiting)),
                // The cells of a broken frame are counted where they were sent. The lines before carried the packet in vain.
                Fate::Dead => self.lose_cells(&it, 0),
                Fate::Copied => unreachable!("cells are not copied"),
            }
        }
        if let Some(section) = &self.section {
            self.shared.broken |= section.broken();
            self.lines.set(section.first(), section.due());
        }
    }

    /// All cells of a packet have come to the edge where they end.
    fn leave_cells(&mut self, token: u64) {
        let Some(section) = &mut self.section else {
            return;
        };
        let (mut unit, links) = section.leave(token);
        (0..links).for_each(|_| unit.pass());
        self.pass_edge(unit);
    }

    /// A line has dropped the first cell of a packet, or marked one.
    fn befell_cells(&mut self, told: &Told, link: usize, (deed, waiting): (Deed, u64)) {
        let Some(section) = &mut self.section else {
            return;
        };
        let (before, line) = section.place(told.token, link);
        let unit = section.packet(told.token);
        let way = unit.way();
        let bodies = &self.shared.bodies;
        if P::ON
            && told.at <= self.shared.end
            && let Some((carried, ..)) = bodies.peek(unit.body(), way, unit.serial())
        {
            let (flow, connection) = self.shared.tape.whose(way.0 as usize / 2);
            self.shared.tape.probe.befell(&Incident {
                at: told.at,
                link: line,
                flow,
                connection,
                hop: unit.hop() + before as u16,
                deed,
                waiting,
                bytes: (CELL_BITS / 8) as u32,
                carried,
            });
        }
        match deed {
            Deed::Dropped(_) => self.lose_cells(told, before),
            Deed::Marked => {
                unit.set_ce();
                if let Some(body) = (self.shared.bodies).get(unit.body(), way, unit.serial()) {
                    body.set_ecn(Ecn::Ce);
                    if let Some((segment, _)) = body.segment() {
                        let flow = way.0 as usize / 2;
                        self.shared.tape.row(told.at, flow, Event::Mark, segment);
                    }
                }
            }
            Deed::Trimmed => unreachable!("cells are not trimmed"),
        }
    }

    /// A packet is lost on its way over these lines, after it has passed this many of them.
    fn lose_cells(&mut self, told: &Told, before: usize) {
        let Some(section) = &mut self.section else {
            return;
        };
        let (unit, _) = section.leave(told.token);
        let shared = &mut self.shared;
        let place = shared.place(&unit) + before;
        shared.lost[place] += 1;
        let way = unit.way();
        if let Some(body) = shared.bodies.get(unit.body(), way, unit.serial()) {
            if body.damage()
                && let Some((segment, _)) = body.segment()
            {
                let flow = way.0 as usize / 2;
                shared.tape.row(told.at, flow, Event::Drop, segment);
            }
            shared.bodies.take(unit.body());
        }
    }
}
