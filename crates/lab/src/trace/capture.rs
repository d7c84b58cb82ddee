//! The packets on a line as a pcapng file, with the headers that a real host would give them today.
//!
//! Parts that the simulator does not have are made up, and comments in the file say so: addresses and ports, the handshake
//! (without which no tool knows the MSS, the window scale, or that there are SACK blocks), and the payload, which is zeros.
//! On cell links, a capture has the packets of which every cell has passed, as on a network card that reassembles cells.

use super::end::End;
use super::headers::{Endpoints, Packet, Speaks};
use super::recording::{Recording, Talk, ends_of};
use crate::forecast::passing;
use dupack_sim::probe::Seen;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::PcapNgBlock;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::name_resolution::{Ipv4Record, NameResolutionBlock, Record};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{DataLink, Endianness};
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};

/// Simulated time 0: midnight at the beginning of 2000 \[s since 1970\]. So the time of day is the simulated time, and made-up
/// packets can be earlier.
const EPOCH: u64 = 946_684_800;

/// Options of a capture.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The most bytes of each packet that are kept.
    pub snaplen: u32,
}

/// A packet to be written: when \[ns after time 0, or before\], what, whether it leaves, and what must be said of it.
struct Frame {
    at: i128,
    packet: Packet,
    outbound: bool,
    comment: Option<String>,
}

impl Recording {
    /// Writes what passed `end` as pcapng.
    ///
    /// # Errors
    /// Those of `to`.
    pub fn capture(&self, end: End, options: Options, to: impl Write) -> io::Result<()> {
        let seen: Vec<(&Seen, usize)> = self
            .seen
            .iter()
            .filter(|seen| end.has(seen))
            .filter_map(|seen| Some((seen, *self.at.get(&(seen.flow, seen.connection))?)))
            .collect();
        let mut of: HashMap<usize, Vec<&Seen>> = HashMap::new();
        for (seen, talk) in &seen {
            of.entry(*talk).or_default().push(seen);
        }
        let talks: BTreeSet<usize> = of.keys().copied().collect();
        let hosts = self.hosts();
        let speaks: HashMap<usize, (Speaks, Vec<u64>)> = talks
            .iter()
            .map(|at| {
                let flow = &self.network.flows[self.talks[*at].flow];
                let speaks = Speaks::new(flow, self.endpoints(*at, &hosts), of[at].iter().copied());
                (*at, (speaks, self.starts(*at)))
            })
            .collect();

        let mut frames = Vec::with_capacity(seen.len() + 3 * talks.len());
        let mut greeted = BTreeSet::new();
        for (seen, talk) in seen {
            let (speaks, starts) = &speaks[&talk];
            if greeted.insert(talk) {
                frames.extend(self.handshake(end, seen, &self.talks[talk], speaks));
            }
            let (packet, comment) = speaks.packet(seen, starts);
            frames.push(Frame {
                at: i128::from(seen.at.0 / 1000),
                packet,
                outbound: !seen.far,
                comment,
            });
        }
        frames.sort_by_key(|frame| frame.at);
        self.write(end, options, &hosts, &talks, frames, to)
            .map_err(|error| match error {
                pcap_file::PcapError::IoError(error) => error,
                other => io::Error::other(other),
            })
    }

    /// The three packets with which the connection of `first`, the first packet seen of it, would have begun: as far from each other as
    /// they would be on an empty network. Nothing for datagrams.
    fn handshake(&self, end: End, first: &Seen, talk: &Talk, speaks: &Speaks) -> Vec<Frame> {
        let network = &self.network;
        let flow = &network.flows[talk.flow];
        if !flow.transport.pair.acknowledged() {
            return Vec::new();
        }
        let (there, back) = (place(&talk.forward, end), place(&talk.back, end));
        let header = flow.transport.common.header.0;
        // If both ways pass this end: the time from here to each host and back. If one does: the time round to here, by that host.
        let time = |links: &[usize]| (passing(network, links, header) * 1e9) as i128;
        let (to_receiver, from_receiver) = match (there, back) {
            (Some(there), Some(back)) => (time(&talk.forward[there..]), time(&talk.back[..back])),
            (Some(there), None) => (time(&talk.forward[there..]) + time(&talk.back), 0),
            (None, Some(back)) => (0, time(&talk.back[..back]) + time(&talk.forward)),
            (None, None) => return Vec::new(),
        };
        let near = time(&talk.forward) + time(&talk.back) - to_receiver - from_receiver;
        // The first data packet follows the third packet of the handshake at once.
        let line = network.links[first.link].rate.bps();
        let sending = (f64::from(first.bytes) * 8e9 / line) as i128;
        let third = i128::from(first.at.0 / 1000) - sending.max(1);
        let second = third - near.max(1);
        let syn = second - to_receiver - from_receiver;
        let leaves =
            |at: Option<usize>, way: &[usize]| at.is_some_and(|at| way.get(at) == Some(&end.out));
        let frame = |at, packet, outbound| Frame {
            at,
            packet,
            outbound,
            comment: Some("made up: the simulator's connections begin established".into()),
        };
        let [first, answer, last] = speaks.handshake();
        let mut frames = Vec::new();
        let out = leaves(there, &talk.forward);
        frames.extend(there.map(|_| frame(syn, first, out)));
        let answers = leaves(back, &talk.back);
        frames.extend(back.map(|_| frame(second, answer, answers)));
        frames.extend(there.map(|_| frame(third, last, out)));
        frames
    }

    /// All hosts that talk, in the order of the flows and connections.
    pub(super) fn hosts(&self) -> Vec<String> {
        let mut known = BTreeSet::new();
        let mut hosts = Vec::new();
        for talk in &self.talks {
            for host in ends_of(&self.network, &talk.forward) {
                if known.insert(host.clone()) {
                    hosts.push(host);
                }
            }
        }
        hosts
    }

    fn endpoints(&self, talk: usize, hosts: &[String]) -> Endpoints {
        let talk = &self.talks[talk];
        let number = |name: &String| hosts.iter().position(|host| host == name).unwrap_or(0);
        let [from, to] = ends_of(&self.network, &talk.forward);
        Endpoints::new(talk.number, number(&from), number(&to))
    }

    fn write(
        &self,
        end: End,
        options: Options,
        hosts: &[String],
        talks: &BTreeSet<usize>,
        frames: Vec<Frame>,
        to: impl Write,
    ) -> Result<(), pcap_file::PcapError> {
        let network = &self.network;
        let about = format!(
            "{}; seed {}. Simulated by dupack: time 0 is 2000-01-01T00:00:00Z. Made up: addresses, ports, handshakes, payload (zeros).",
            self.title, self.document.seed
        );
        let section = SectionHeaderBlock {
            endianness: Endianness::native(),
            options: vec![
                SectionHeaderOption::Comment(about.into()),
                SectionHeaderOption::UserApplication(
                    concat!("dupack ", env!("CARGO_PKG_VERSION")).into(),
                ),
            ],
            ..SectionHeaderBlock::default()
        };
        let mut writer = PcapNgWriter::with_section_header(to, section)?;
        let mut interface = InterfaceDescriptionBlock::new(DataLink::RAW, options.snaplen);
        interface.options = vec![
            InterfaceDescriptionOption::IfName(end.name(network).into()),
            InterfaceDescriptionOption::IfSpeed(network.links[end.out].rate.0),
            // Times are in nanoseconds.
            InterfaceDescriptionOption::IfTsResol(9),
        ];
        writer.write_pcapng_block(interface)?;
        let here: BTreeSet<String> = talks
            .iter()
            .flat_map(|at| ends_of(network, &self.talks[*at].forward))
            .collect();
        let mut records = Vec::new();
        for (at, name) in hosts.iter().enumerate() {
            if here.contains(name) {
                records.push(Record::Ipv4(Ipv4Record {
                    ip_addr: super::headers::address(at).to_vec().into(),
                    names: vec![name.as_str().into()],
                }));
            }
        }
        records.push(Record::End);
        writer.write_pcapng_block(NameResolutionBlock {
            records,
            options: Vec::new(),
        })?;
        for frame in frames {
            let nanoseconds = i128::from(EPOCH) * 1_000_000_000 + frame.at;
            // The flags word is 1 for packets that come in, and 2 for packets that go out.
            let mut said = vec![EnhancedPacketOption::Flags(if frame.outbound {
                2
            } else {
                1
            })];
            said.extend(
                frame
                    .comment
                    .map(|text| EnhancedPacketOption::Comment(text.into())),
            );
            let mut data = frame.packet.bytes;
            data.truncate(options.snaplen as usize);
            let block = EnhancedPacketBlock {
                interface_id: 0,
                timestamp: std::time::Duration::from_nanos(nanoseconds.max(0) as u64),
                original_len: frame.packet.length,
                data: data.into(),
                options: said,
            };
            writer.write_block(&block.into_block())?;
        }
        Ok(())
    }
}

/// Place of an end on a way: the number of links that a packet has passed there, without the one that begins there.
fn place(way: &[usize], end: End) -> Option<usize> {
    let leaves = way.iter().position(|link| *link == end.out);
    let comes = way.iter().position(|link| *link == end.out ^ 1);
    leaves.or(comes.map(|at| at + 1))
}
