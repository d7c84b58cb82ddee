//! The simplest programs for the disciplines that discard whole packets: vectors, and scans of them.

use super::script::guarantees;
use crate::declare::{Parameter, Value};
use crate::queue::{Line, QueueParams};
use crate::roster::Roster;
use std::cmp::Reverse;
use std::format;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Program {
    /// The threshold, whether overflow pushes out, and whether a packet that begins pushes out only one.
    Epd(f64, bool, bool),
    Abs,
    Stacks,
    /// Unit by unit.
    Longest(bool),
    /// alpha
    Dynamic(f64),
    RoundRobin,
}

/// Of a buffer and its line.
#[derive(Clone, Debug)]
pub struct Setting {
    pub kind: Program,
    pub room: usize,
    pub max_packet: usize,
    pub mpr: Vec<u64>,
    pub equal: bool,
}

impl Setting {
    pub fn params(&self) -> QueueParams {
        let (name, own): (_, Vec<(&str, String)>) = match self.kind {
            Program::Epd(threshold, push_out, once) => {
                let overflow = if push_out { "push-out" } else { "arriving" };
                let pushes = if once { "one-packet" } else { "until-below" };
                let own = [
                    ("threshold", threshold.to_string()),
                    ("overflow", overflow.into()),
                    ("pushes", pushes.into()),
                ];
                ("epd-push-out", own.into())
            }
            Program::Abs => ("abs-push-out", vec![]),
            Program::Stacks => ("abs-push-out-stacks", vec![]),
            Program::Longest(unitwise) => {
                let unit = if unitwise { "unit" } else { "packet" };
                ("longest-queue-drop", vec![("unit", unit.into())])
            }
            Program::Dynamic(alpha) => {
                let word = if alpha < 1.0 {
                    format!("1/{}", 1.0 / alpha)
                } else {
                    alpha.to_string()
                };
                ("dynamic-thresholds", vec![("alpha", word)])
            }
            Program::RoundRobin => ("weighted-round-robin", vec![]),
        };
        let entry = QueueParams::entry(name).unwrap();
        let value = |p: &Parameter| {
            let text = match p.name {
                "buffer" => format!("{} cells", self.room),
                "max_packet" => format!("{} cells", self.max_packet),
                "excess" => if self.equal { "equal" } else { "proportional" }.into(),
                name => match own.iter().find(|(own, _)| *own == name) {
                    Some((_, text)) => text.clone(),
                    None => panic!("{name} needs a value"),
                },
            };
            p.kind.read(&text).unwrap()
        };
        let values: Vec<Value> = entry.parameters.iter().map(value).collect();
        let params = QueueParams::from_values(name, &values).unwrap();
        params.check().unwrap();
        params
    }

    pub fn line(&self) -> Line {
        guarantees(&self.mpr)
    }

    /// share and whole: TL = share Q / whole. The line carries 10 Mb/s.
    fn share(&self, vc: usize) -> (i128, i128) {
        let (n, sum) = (self.mpr.len() as i128, self.mpr.iter().sum::<u64>() as i128);
        let Some(mpr) = self.mpr.get(vc).map(|mpr| *mpr as i128) else {
            return (0, 1);
        };
        match (sum, self.equal) {
            (0, _) => (1, n),
            (_, false) => (mpr, sum),
            (_, true) => (n * mpr + 10 - sum, 10 * n),
        }
    }

    /// n - TL, as a fraction.
    pub fn beyond(&self, vc: usize, n: usize) -> (i128, i128) {
        let (share, whole) = self.share(vc);
        (n as i128 * whole - share * self.room as i128, whole)
    }
}

/// What waits of a packet.
#[derive(Clone, Debug)]
pub struct Waits {
    pub name: String,
    pub vc: usize,
    pub packet: usize,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum State {
    Between,
    In(usize),
    Gone,
    Owes(usize),
}

#[derive(Clone, Debug, Default)]
pub struct Packet {
    pub came: usize,
    pub sent: usize,
    /// A cell of it was dropped for overflow; its end mark may still come in, without a reserved place.
    pub cut: bool,
}

pub const VCS: usize = 4;

/// The policies over vectors.
#[derive(Clone, Debug)]
pub struct Model {
    pub setting: Setting,
    pub buffer: Vec<Waits>,
    pub packets: Vec<Packet>,
    states: [State; VCS],
    pub stacks: [Vec<usize>; VCS],
    /// Whose turn is next, of those with and without a share; and what is left of a turn that is going on.
    rings: [Vec<(usize, i128)>; 2],
    going_on: [bool; 2],
    pub fates: Vec<(String, &'static str)>,
}

impl Model {
    pub fn new(setting: Setting) -> Self {
        Self {
            setting,
            buffer: vec![],
            packets: vec![],
            states: [State::Between; VCS],
            stacks: Default::default(),
            rings: Default::default(),
            going_on: [false; 2],
            fates: vec![],
        }
    }

    pub fn nc(&self, vc: usize) -> usize {
        self.buffer.iter().filter(|it| it.vc == vc).count()
    }

    fn full(&self) -> bool {
        self.buffer.len() >= self.setting.room
    }

    /// B
    pub fn available(&self) -> i64 {
        let yet = |state: &State| match state {
            State::In(p) => self
                .setting
                .max_packet
                .saturating_sub(self.packets[*p].came),
            _ => 0,
        };
        let reserved: usize = self.states.iter().map(yet).sum();
        self.setting.room as i64 - self.buffer.len() as i64 - reserved as i64
    }

    /// Packets that wait and have lost a cell for overflow.
    pub fn cut(&self) -> usize {
        let cut = |p: &usize| self.packets[*p].cut && self.buffer.iter().any(|it| it.packet == *p);
        (0..self.packets.len()).filter(cut).count()
    }

    /// The VC's last packet, if nothing of it has been sent.
    fn last_packet(&self, vc: usize) -> Option<usize> {
        let last = self.buffer.iter().rfind(|it| it.vc == vc)?.packet;
        (self.packets[last].sent == 0).then_some(last)
    }

    fn worst(&self, but: Option<usize>) -> Option<usize> {
        let thresholds = !matches!(self.setting.kind, Program::Longest(_));
        let candidates = (0..VCS).filter(|vc| Some(*vc) != but && self.last_packet(*vc).is_some());
        candidates.reduce(|best, vc| {
            let excess = |vc| match thresholds {
                true => self.setting.beyond(vc, self.nc(vc)),
                false => (self.nc(vc) as i128, 1),
            };
            let ((a, a_whole), (b, b_whole)) = (excess(best), excess(vc));
            if b * a_whole > a * b_whole { vc } else { best }
        })
    }

    /// What arrives counts in its own VC, where nobody has a threshold.
    fn as_long(&self, vc: usize, other: usize) -> bool {
        let longest = matches!(self.setting.kind, Program::Longest(_));
        let untold = vc.min(other) >= self.setting.mpr.len();
        (longest || untold) && self.nc(vc) >= self.nc(other)
    }

    fn push_out(&mut self, packet: usize) -> usize {
        let vc = (self.buffer.iter().find(|it| it.packet == packet))
            .unwrap()
            .vc;
        let gone: Vec<Waits> = self
            .buffer
            .extract_if(.., |it| it.packet == packet)
            .collect();
        let fates = gone.iter().rev().map(|it| (it.name.clone(), "pushed-out"));
        self.fates.extend(fates);
        if self.states[vc] == State::In(packet) || self.states[vc] == State::Owes(packet) {
            self.states[vc] = State::Gone;
        }
        self.stacks[vc].retain(|it| *it != packet);
        gone.len()
    }

    fn push_out_worst(&mut self, but: Option<usize>) -> bool {
        let packet = self.worst(but).and_then(|vc| self.last_packet(vc));
        packet.is_some_and(|packet| self.push_out(packet) > 0)
    }

    fn pop_stacks(&mut self, but: usize) {
        let mut popped = 0;
        while popped <= self.setting.max_packet {
            let illegal = |vc: &usize| (self.stacks[*vc].len(), Reverse(*vc));
            let most = (0..VCS)
                .filter(|vc| *vc != but)
                .max_by_key(illegal)
                .unwrap();
            if self.stacks[most].is_empty() {
                break;
            }
            while popped <= self.setting.max_packet
                && let Some(packet) = self.stacks[most].last().copied()
            {
                popped += self.push_out(packet);
            }
        }
    }

    /// NC + M <= TL
    fn within(&self, vc: usize) -> bool {
        self.setting
            .beyond(vc, self.nc(vc) + self.setting.max_packet)
            .0
            <= 0
    }

    fn make_room(&mut self, vc: usize) {
        match self.setting.kind {
            Program::Epd(_, push_out, _) => {
                if push_out {
                    self.push_out_worst(Some(vc));
                }
            }
            Program::Abs => while self.available() <= 0 && self.push_out_worst(Some(vc)) {},
            Program::Stacks => self.pop_stacks(vc),
            Program::Longest(_) | Program::RoundRobin => {
                match (self.worst(None), self.last_packet(vc)) {
                    (Some(worst), Some(own)) if self.as_long(vc, worst) => self.push_out(own),
                    _ => usize::from(self.push_out_worst(None)),
                };
            }
            Program::Dynamic(_) => {}
        }
    }

    fn refuse(&mut self, vc: usize) -> Option<&'static str> {
        match self.setting.kind {
            Program::Epd(share, _, once) => {
                let threshold = share * self.setting.room as f64;
                let within = self.within(vc);
                while self.buffer.len() as f64 >= threshold {
                    if !within || !self.push_out_worst(Some(vc)) {
                        return Some("early");
                    }
                    if once {
                        break;
                    }
                }
                None
            }
            Program::Abs | Program::Stacks => {
                if self.available() <= 0 && self.within(vc) {
                    self.make_room(vc);
                }
                (self.available() <= 0).then_some("early")
            }
            Program::Longest(_) | Program::RoundRobin => {
                if !self.full() {
                    return None;
                }
                let goes = |worst| worst == vc || self.as_long(vc, worst);
                if self.worst(None).is_none_or(goes) {
                    return Some("overflow");
                }
                self.push_out_worst(None);
                None
            }
            Program::Dynamic(alpha) => {
                let free = self.setting.room - self.buffer.len();
                (self.nc(vc) as f64 >= alpha * free as f64).then_some("early")
            }
        }
    }

    pub fn offer(&mut self, name: &str, vc: usize, mark: bool) {
        let last = mark || self.setting.kind == Program::Longest(true);
        let after = |state| if last { State::Between } else { state };
        let mut lost = None;
        match self.states[vc] {
            State::Between => {
                lost = self.refuse(vc);
                self.states[vc] = match lost {
                    Some(_) => after(State::Gone),
                    None => {
                        self.begin(vc);
                        State::In(self.packets.len() - 1)
                    }
                };
            }
            State::Gone => {
                lost = Some("partial");
                self.states[vc] = after(State::Gone);
            }
            State::Owes(_) if !last => lost = Some("partial"),
            State::In(packet) | State::Owes(packet) => {
                let arriving = self.states[vc];
                if self.full() {
                    self.make_room(vc);
                }
                if self.states[vc] == State::Gone {
                    lost = Some("partial");
                    self.states[vc] = after(State::Gone);
                } else if self.full() {
                    lost = Some("overflow");
                    let keeps = matches!(
                        self.setting.kind,
                        Program::Epd(_, false, _) | Program::Dynamic(_)
                    );
                    if !keeps && arriving == State::In(packet) && self.packets[packet].sent == 0 {
                        self.push_out(packet);
                        self.states[vc] = after(State::Gone);
                    } else {
                        self.states[vc] = State::Owes(packet);
                        self.packets[packet].cut = true;
                    }
                }
            }
        }
        if let Some(why) = lost {
            return self.fates.push((name.into(), why));
        }
        let (State::In(packet) | State::Owes(packet)) = self.states[vc] else {
            panic!("nothing arrives");
        };
        let name = name.into();
        self.buffer.push(Waits { name, vc, packet });
        self.packets[packet].came += 1;
        self.states[vc] = if last {
            State::Between
        } else {
            self.states[vc]
        };
    }

    /// A packet's first cell is let in.
    fn begin(&mut self, vc: usize) {
        let (nc, m, packet) = (self.nc(vc), self.setting.max_packet, self.packets.len());
        self.packets.push(Packet::default());
        if self.setting.beyond(vc, nc + m).0 >= 0 {
            if self.setting.beyond(vc, nc).0 < 0 {
                self.stacks[vc].clear();
            }
            self.stacks[vc].push(packet);
        }
    }

    pub fn pull(&mut self) -> Option<String> {
        let at = match self.setting.kind {
            Program::RoundRobin => {
                let vc = self.turn()?;
                self.buffer.iter().position(|it| it.vc == vc)?
            }
            _ if self.buffer.is_empty() => return None,
            _ => 0,
        };
        let unit = self.buffer.remove(at);
        self.packets[unit.packet].sent += 1;
        self.stacks[unit.vc].retain(|it| *it != unit.packet);
        Some(unit.name)
    }

    pub fn waits(&mut self, vc: usize) {
        let waits = self.rings.iter().flatten().any(|(it, _)| *it == vc);
        if self.nc(vc) > 0 && !waits {
            let class = usize::from(self.setting.share(vc).0 <= 0);
            self.rings[class].push((vc, 0));
        }
    }

    fn turn(&mut self) -> Option<usize> {
        // The shares of all VCs are parts of the same whole, except for VCs without a share.
        let shares = (0..VCS).map(|vc| self.setting.share(vc).0);
        let least = shares.filter(|share| *share > 0).min().unwrap_or(1);
        for class in 0..2 {
            while let Some((vc, credit)) = self.rings[class].first().copied() {
                if self.nc(vc) == 0 {
                    self.rings[class].remove(0);
                    self.going_on[class] = false;
                    continue;
                }
                let share = self.setting.share(vc).0.max(least);
                let credit = credit + if self.going_on[class] { 0 } else { share };
                self.going_on[class] = credit >= least;
                if self.going_on[class] {
                    self.rings[class][0].1 = credit - least;
                    return Some(vc);
                }
                self.rings[class].remove(0);
                self.rings[class].push((vc, credit));
            }
        }
        None
    }
}
