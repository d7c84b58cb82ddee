//! The contents of packets that are under way, each under a token.

use crate::packet::Packet;
use dupack_core::time::Instant;
use std::collections::HashMap;

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
    /// Memory that the links need for it \[bytes\].
    pub on_links: usize,
}

/// Packets under way, up to a number of bytes of memory.
#[derive(Debug)]
pub struct Slab {
    /// How often each place was used, and what is there now.
    places: Vec<(u32, Option<Kept>)>,
    /// Tokens of packets of which there are copies on the way, and how many.
    copies: HashMap<u64, u32>,
    free: Vec<u32>,
    held: usize,
    most: usize,
}

impl Slab {
    /// Room for `most` bytes.
    pub fn new(most: usize) -> Self {
        Self {
            places: Vec::new(),
            copies: HashMap::new(),
            free: Vec::new(),
            held: 0,
            most,
        }
    }

    /// Memory that a packet takes: its bytes, its place here, and what the links note of it.
    fn weight(kept: &Kept) -> usize {
        kept.bytes.len() + size_of::<(u32, Option<Kept>)>() + kept.on_links
    }

    /// Keeps a packet: its token; `None` if there is no room.
    pub fn put(&mut self, kept: Kept) -> Option<u64> {
        if self.held + Self::weight(&kept) > self.most {
            return None;
        }
        self.held += Self::weight(&kept);
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

    /// One more copy of a packet is on its way: it is to be taken once more.
    pub fn copy(&mut self, token: u64) {
        if self.get(token).is_some() {
            *self.copies.entry(token).or_default() += 1;
        }
    }

    /// Gives the packet of a token away; or a copy of it, as long as there are some.
    pub fn take(&mut self, token: u64) -> Option<Kept> {
        if let Some(left) = self.copies.get_mut(&token) {
            *left -= 1;
            if *left == 0 {
                self.copies.remove(&token);
            }
            return self.get(token).cloned();
        }
        let (used, kept) = self.places.get_mut(token as u32 as usize)?;
        if *used != (token >> 32) as u32 {
            return None;
        }
        let kept = kept.take()?;
        self.free.push(token as u32);
        self.held -= Self::weight(&kept);
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
            on_links: 0,
        }
    }

    #[test]
    fn it_holds_no_more_than_it_may_and_knows_old_tokens() {
        let mut slab = Slab::new(100 + size_of::<(u32, Option<Kept>)>());
        let one = slab.put(kept(60)).expect("there is room");
        assert_eq!(slab.put(kept(60)), None);
        assert!(slab.take(one).is_some());
        let two = slab.put(kept(60)).expect("there is room again");
        assert!(slab.get(one).is_none() && slab.take(one).is_none());
        assert!(slab.get(two).is_some());
    }

    #[test]
    fn short_packets_take_more_than_their_bytes() {
        let mut slab = Slab::new(10_000);
        let of = |bytes| Kept {
            on_links: 80,
            ..kept(bytes)
        };
        let many = (0..1000).take_while(|_| slab.put(of(20)).is_some()).count();
        assert!(many * (20 + 80 + size_of::<Kept>()) <= 10_000, "{many}");
    }

    #[test]
    fn a_packet_is_kept_until_its_last_copy_is_taken() {
        let mut slab = Slab::new(100 + size_of::<(u32, Option<Kept>)>());
        let token = slab.put(kept(60)).expect("there is room");
        slab.copy(token);
        slab.copy(token);
        for left in [true, true, false] {
            assert!(slab.take(token).is_some());
            assert_eq!(slab.get(token).is_some(), left);
        }
        assert!(slab.take(token).is_none());
        slab.copy(token); // of what is gone, which does nothing
        assert!(slab.put(kept(100)).is_some());
    }
}
