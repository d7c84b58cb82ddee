//! An end of a link, where a capture is made.

use dupack_sim::probe::Seen;
use dupack_sim::spec::Network;

/// An end of a duplex link, at which both its directions are captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    /// Direction that leaves there, an index into [`Network::links`].
    pub(super) out: usize,
}

impl End {
    /// The end of `link` at `node`; by default where the link begins.
    ///
    /// # Errors
    /// The unknown name, and the existing ones; or that no packets can be seen there.
    pub fn find(network: &Network, link: &str, node: Option<&str>) -> Result<Self, String> {
        let names = || network.links.iter().map(|it| it.name.as_str());
        let Some(at) = network.links.iter().position(|it| it.name == link) else {
            let there = names().filter(|name| !name.ends_with(".back"));
            let there: Vec<&str> = there.collect();
            let said = crate::plan::suggestion(link, &there);
            return Err(format!("there is no link {link:?}; {said}"));
        };
        let here = &network.links[at];
        if here.carries != network.grain {
            return Err(format!(
                "link {link:?} carries cells within paths of packets, of which no capture can be made; name a link of packets"
            ));
        }
        match node {
            None => Ok(Self { out: at }),
            Some(node) if node == &*here.from => Ok(Self { out: at }),
            // The two directions of a link have neighbouring indices, which differ in the last bit.
            Some(node) if node == &*here.to => Ok(Self { out: at ^ 1 }),
            Some(node) => Err(format!(
                "link {link:?} does not end at {node:?}; it joins {:?} and {:?}",
                here.from, here.to
            )),
        }
    }

    /// The two captures at this end: packets that leave when they leave, and packets that arrive when they arrive.
    pub fn taps(self) -> [(usize, bool); 2] {
        [(self.out, false), (self.out ^ 1, true)]
    }

    /// Whether that is seen there.
    pub fn has(self, seen: &Seen) -> bool {
        self.taps().contains(&(seen.link, seen.far))
    }

    /// Its link and node.
    pub fn name(self, network: &Network) -> String {
        let (out, back) = (&network.links[self.out], &network.links[self.out ^ 1]);
        let link = out.name.strip_suffix(".back").unwrap_or(&out.name);
        debug_assert_eq!(out.from, back.to);
        format!("{link} at {}", out.from)
    }
}
