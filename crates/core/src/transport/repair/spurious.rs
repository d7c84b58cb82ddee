//! Spurious congestion: what was sent again had arrived already, or was only late. Three ways to find it, each with a switch; without
//! any of them a repair pays a comparison with null.
//!
//! | way | the sender knows that nothing was lost, because |
//! |---|---|
//! | Eifel | the first ack of the segment that was sent again echoes its first transmission |
//! | F-RTO | after a timeout, acks of segments that were not sent again follow that of the one that was |
//! | DSACK | the receiver reports that every segment that was sent again has arrived twice |
//!
//! An *episode* begins with congestion that is found while no other is being repaired. It is one until the next begins, so that a late
//! DSACK still undoes it.
//= rfc3522 §3.2
//= rfc5682 §2.1
//= rfc5682 §3.1
//= rfc3708 §2

use super::Span;
use crate::transport::{Ack, Block};
use alloc::boxed::Box;

/// The segments that an ack reports as arrived twice, if it does: its first block is before the next segment expected, or within the
/// second block.
//= rfc2883 §4, (1)
pub(super) fn arrived_twice(ack: &Ack) -> Option<Block> {
    let mut blocks = ack.sacked();
    let first = blocks.next()?;
    let within = |it: Block| it.from <= first.from && first.to <= it.to;
    (first.to <= ack.next || blocks.next().is_some_and(within)).then_some(first)
}

/// News of an ack for this.
#[derive(Clone, Copy, Debug)]
pub struct News {
    /// The segments before this are acknowledged.
    pub una: u64,
    /// It has advanced that.
    pub advanced: bool,
    /// It is a duplicate: it has not, and something is outstanding.
    pub duplicate: bool,
    /// Segments that were outstanding at the timeout, and not sent again since, are shown to have arrived since.
    pub originals: bool,
}

/// The steps of F-RTO.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// Conventional recovery, or none.
    Off,
    /// The first ack is to come, once the oldest segment has been `sent` again: nothing else is sent before it.
    First { sent: bool },
    /// That has advanced the window: this many new segments may be sent, and the second ack tells.
    Second { new: u64 },
}

/// Congestion that may be found to be spurious.
#[derive(Clone, Copy, Debug)]
struct Episode {
    /// A timeout is a part of it.
    timeout: bool,
    /// "recover": one beyond the highest segment sent when it began, or when the last timeout of it came.
    point: u64,
    /// The first retransmission, and its segment: its number stands for RetransmitTS.
    first: Option<(u64, u64)>,
    /// An ack of that segment has not come.
    waits: bool,
    /// Retransmissions, and segments reported as arrived twice.
    resent: u64,
    twice: u64,
    step: Step,
}

/// The ways that are switched on, and the latest episode.
#[derive(Clone, Debug)]
pub struct Spurious {
    frto: bool,
    eifel: bool,
    dsack: bool,
    /// The repair has no reports of single segments.
    basic: bool,
    episode: Option<Episode>,
    /// An episode has just begun.
    fresh: bool,
}

impl Spurious {
    /// With F-RTO alone, of a repair without selective acks; none if it is not switched on.
    pub fn basic(frto: bool) -> Option<Box<Self>> {
        let mut it = Self::new(frto, false, false)?;
        it.basic = true;
        Some(it)
    }

    /// None if nothing is switched on.
    pub fn new(frto: bool, eifel: bool, dsack: bool) -> Option<Box<Self>> {
        let it = Self {
            frto,
            eifel,
            dsack,
            basic: false,
            episode: None,
            fresh: false,
        };
        (frto || eifel || dsack).then(|| Box::new(it))
    }

    /// Congestion is found, by a `timeout` or not; `una` is the oldest segment then outstanding.
    pub fn on_congestion(&mut self, span: &Span, una: u64, timeout: bool) {
        let before = self.episode.take_if(|it| una < it.point);
        self.fresh = before.is_none();
        //= rfc5682 §2.1, step 1
        //= rfc5682 §3.1, step 1
        // "If the TCP sender is already in RTO recovery AND "recover" is larger than or equal to SND.UNA", F-RTO does not begin. With
        // selective acks a fast recovery prevents it, too: what that has sent again would seem to be original.
        let again = before.is_some_and(|it| it.timeout || !self.basic);
        let step = if self.frto && timeout && !again {
            Step::First { sent: false }
        } else {
            Step::Off
        };
        let new = Episode {
            timeout,
            point: span.max,
            first: None,
            waits: true,
            resent: 0,
            twice: 0,
            step,
        };
        self.episode = Some(before.map_or(new, |it| Episode {
            timeout: it.timeout || timeout,
            point: span.max,
            step,
            ..it
        }));
    }

    /// When the congestion was found, `count` segments were under way that had been sent again before; `first` is the first of them, with its
    /// transmission.
    //= linux §tcp_input.c, tcp_init_undo
    pub fn on_repairing(&mut self, first: (u64, u64), count: u64) {
        if let Some(episode) = self.episode.as_mut().filter(|it| it.first.is_none()) {
            (episode.first, episode.resent) = (Some(first), count);
        }
    }

    /// Whether the congestion that has just been found begins an episode; asked once.
    pub fn begins(&mut self) -> bool {
        core::mem::take(&mut self.fresh)
    }

    /// Congestion that is no loss has followed, which nothing undoes.
    //= linux §tcp_input.c, tcp_enter_cwr
    pub fn forget(&mut self) {
        self.episode = None;
    }

    /// Transmission `id` is of `segment`, `again` if that was sent before.
    pub fn on_sent(&mut self, segment: u64, id: u64, again: bool) {
        let Some(episode) = &mut self.episode else {
            return;
        };
        if again {
            //= rfc3522 §3.2, step 2
            episode.first.get_or_insert((segment, id));
            episode.resent += 1;
            if let Step::First { sent } = &mut episode.step {
                *sent = true;
            }
        } else if let Step::Second { new } = &mut episode.step {
            *new = new.saturating_sub(1);
        }
    }

    /// New segments that F-RTO sends before anything else is sent again.
    pub fn new_segments(&self) -> u64 {
        match self.episode {
            Some(Episode {
                step: Step::Second { new },
                ..
            }) => new,
            _ => 0,
        }
    }

    /// F-RTO has nothing new to send: the timeout counts as genuine.
    //= rfc5682 §2.1, step 2b
    pub fn give_up(&mut self) {
        if let Some(episode) = &mut self.episode {
            episode.step = Step::Off;
        }
    }

    /// Whether F-RTO waits for the first ack. A window of one segment after the timeout would let nothing else out; but there are
    /// controllers that keep their window, and loss windows of several segments.
    //= rfc5682 §2.1, step 1
    pub fn awaits_first(&self) -> bool {
        self.episode
            .is_some_and(|it| it.step == Step::First { sent: true })
    }

    /// Whether F-RTO waits for the second ack.
    pub fn awaits_second(&self) -> bool {
        self.episode
            .is_some_and(|it| matches!(it.step, Step::Second { .. }))
    }

    /// Reads an ack. Whether it shows that the episode was no congestion; then it is over.
    pub fn on_ack(&mut self, ack: &Ack, news: &News) -> bool {
        let Some(mut episode) = self.episode else {
            return false;
        };
        let found = self.eifel && episode.echoes(ack, news)
            || episode.follow(news)
            || self.dsack && episode.all_twice(ack, news);
        self.episode = (!found).then_some(episode);
        found
    }
}

impl Episode {
    /// Eifel: the first ack that covers the segment that was sent again echoes an earlier transmission.
    //= rfc3522 §3.2, step 3
    //= rfc3522 §3.2, step 4
    fn echoes(&mut self, ack: &Ack, news: &News) -> bool {
        let Some((segment, id)) = self.first else {
            return false;
        };
        if !self.waits || news.una <= segment {
            return false;
        }
        self.waits = false;
        !ack.trimmed && !ack.repeats && ack.id < id
    }

    /// F-RTO.
    //= rfc5682 §2.1, step 2a
    //= rfc5682 §2.1, step 2b
    //= rfc5682 §2.1, step 3a
    //= rfc5682 §2.1, step 3b
    //= rfc5682 §3.1, step 3b
    fn follow(&mut self, news: &News) -> bool {
        if self.step == Step::Off {
            return false;
        }
        if news.originals {
            return true;
        }
        self.step = match self.step {
            Step::First { .. } if news.advanced && news.una < self.point => Step::Second { new: 2 },
            Step::Second { new } if news.advanced && news.una < self.point => Step::Second { new },
            _ if news.advanced || news.duplicate => Step::Off,
            step => step,
        };
        false
    }

    /// DSACK: once the recovery is over, as many segments have been reported as arrived twice as were sent again.
    //= rfc3708 §2, count
    fn all_twice(&mut self, ack: &Ack, news: &News) -> bool {
        if let Some((first, _)) = self.first
            && let Some(block) = arrived_twice(ack)
            && block.from >= first
        {
            self.twice += block.to - block.from;
        }
        news.una >= self.point && self.resent > 0 && self.twice >= self.resent
    }
}
