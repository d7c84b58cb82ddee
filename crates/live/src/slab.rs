//! The contents of packets that are under way, each under a token.

use crate::packet::Packet;
use dupack_core::time::Instant;

/// A packet under way.
#[derive(Clone, Debug)]
pub struct Kept {
    /// All of it.
    pub bytes: Vec<u8>,
    /// When its host sent it.
    pub at: Instant,
    /// Its headers.
    pub packet: Packet,
    /// Its way.
    pub way: u32,
    /// The host to which it goes.
    pub to: usize,
}

/// Packets under way, up to a number of bytes.
#[derive(Debug)]
pub struct Slab {
    /// How often each place was used, and what is there now.
    places: Vec<(u32, Option<Kept>)>,
    free: Vec<u32>,
    held: usize,
    most: usize,
}

impl Slab {
    /// Room for `most` bytes.
    pub fn new(most: usize) -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
            held: 0,
            most,
        }
    }

    /// Keeps a packet: its token; `None` if there is no room.
    pub fn put(&mut self, kept: Kept) -> Option<u64> {
        if self.held + kept.bytes.len() > self.most {
            return None;
        }
        self.held += kept.bytes.len();
        let at = self.free.pop().unwrap_or_else(|| {
            self.places.push((0, None));
            (self.places.len() - 1) as u32
        });
        let place = &mut self.places[at as usize];
        place.0 = place.0.wrapping_add(1);
        place.1 = Some(kept);
        Some(u64::from(place.0) << 32 | u64::from(at))
    }

    /// The packet of a token, if it is still kept.
    pub fn get(&self, token: u64) -> Option<&Kept> {
        let (used, kept) = self.places.get(token as u32 as usize)?;
        kept.as_ref().filter(|_| *used == (token >> 32) as u32)
    }

    /// Gives the packet of a token away.
    pub fn take(&mut self, token: u64) -> Option<Kept> {
        let (used, kept) = self.places.get_mut(token as u32 as usize)?;
        if *used != (token >> 32) as u32 {
            return None;
        }
        let kept = kept.take()?;
        self.free.push(token as u32);
        self.held -= kept.bytes.len();
        Some(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dupack_core::unit::Ecn;

    fn kept(bytes: usize) -> Kept {
        Kept {
            bytes: vec![0; bytes],
            at: Instant::ZERO,
            packet: Packet {
                from: [0; 4].into(),
                to: [0; 4].into(),
                protocol: 6,
                ports: (0, 0),
                ecn: Ecn::NotEct,
                dscp: 0,
                bytes: bytes as u16,
                tcp: None,
            },
            way: 0,
            to: 0,
        }
    }

    #[test]
    fn it_holds_no_more_than_it_may_and_knows_old_tokens() {
        let mut slab = Slab::new(100);
        let one = slab.put(kept(60)).expect("there is room");
        assert_eq!(slab.put(kept(60)), None);
        assert!(slab.take(one).is_some());
        let two = slab.put(kept(60)).expect("there is room again");
        assert!(slab.get(one).is_none() && slab.take(one).is_none());
        assert!(slab.get(two).is_some());
    }
}
