//! The packets at a host's device, as a pcapng file.

use crate::router::Captured;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::PcapNgBlock;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{DataLink, Endianness, PcapError};
use std::time::Duration;

/// The packets that host number `host`, called `name`, has sent and received, in a run that began `epoch` after the beginning of 1970.
///
/// What it sends is stamped with the time at which the router read it, what it receives with the ideal time of its arrival.
///
/// # Errors
/// If the file cannot be composed.
pub fn pcapng(
    captured: &[Captured],
    (host, name): (usize, &str),
    epoch: Duration,
    snaplen: u32,
) -> Result<Vec<u8>, PcapError> {
    let section = SectionHeaderBlock {
        endianness: Endianness::native(),
        options: vec![
            SectionHeaderOption::Comment(
                format!("Captured by dupack live at host {name}. What the host receives has the ideal time of its arrival.").into(),
            ),
            SectionHeaderOption::UserApplication(concat!("dupack ", env!("CARGO_PKG_VERSION")).into()),
        ],
        ..SectionHeaderBlock::default()
    };
    let mut writer = PcapNgWriter::with_section_header(Vec::new(), section)?;
    let mut interface = InterfaceDescriptionBlock::new(DataLink::RAW, snaplen);
    interface.options = vec![
        InterfaceDescriptionOption::IfName(name.to_string().into()),
        // Times are in nanoseconds.
        InterfaceDescriptionOption::IfTsResol(9),
    ];
    writer.write_pcapng_block(interface)?;
    let mut own: Vec<&Captured> = captured.iter().filter(|it| it.host == host).collect();
    own.sort_by_key(|it| it.at);
    for it in own {
        let block = EnhancedPacketBlock {
            interface_id: 0,
            timestamp: epoch + Duration::from_nanos(it.at.0 / 1000),
            original_len: it.length,
            data: (&it.bytes[..]).into(),
            // The flags word is 1 for packets that come in, and 2 for packets that go out.
            options: vec![EnhancedPacketOption::Flags(if it.out { 2 } else { 1 })],
        };
        writer.write_block(&block.into_block())?;
    }
    Ok(writer.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dupack_core::time::Instant;
    use pcap_file::pcapng::PcapNgReader;
    use pcap_file::pcapng::blocks::Block;

    #[test]
    fn what_is_written_is_read_again() {
        let packet = |at, host, out| Captured {
            at: Instant(at),
            host,
            out,
            bytes: vec![0x45; 20],
            length: 100,
        };
        let all = [
            packet(2_000_000, 0, false),
            packet(1_000_000, 0, true),
            packet(0, 1, true),
        ];
        let file =
            pcapng(&all, (0, "source"), Duration::from_secs(10), 20).expect("it is composed");
        let mut reader = PcapNgReader::new(&file[..]).expect("a section");
        let mut found = Vec::new();
        while let Some(block) = reader.next_block() {
            if let Block::EnhancedPacket(it) = block.expect("a block") {
                found.push((it.timestamp, it.original_len, it.data.len()));
            }
        }
        let at = |micros| Duration::from_secs(10) + Duration::from_micros(micros);
        assert_eq!(found, [(at(1), 100, 20), (at(2), 100, 20)]);
    }
}
