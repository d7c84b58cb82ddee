//! M, the longest packet: a parameter of disciplines that keep room for the rest of an arriving packet.
//= chan-wang-chen-2002 §3.1

use super::Line;
use crate::declare::Fault;
use crate::measure::Room;
use alloc::format;

/// M \[cells\]: as given, or the longest packet on the line; at most the room.
pub fn longest(given: Option<Room>, line: &Line, room: u64) -> u64 {
    given.map_or(line.longest.min(room), Room::count)
}

/// Whether a packet of at most `packet` fits in the `buffer`.
pub fn fits(name: &'static str, packet: Option<Room>, buffer: Room) -> Result<(), Fault> {
    let Some(packet) = packet.filter(|packet| packet.count() > buffer.count()) else {
        return Ok(());
    };
    let told = |room| match room {
        Room::Cells(n) => format!("{n} cells"),
        Room::Packets(n) => format!("{n} packets"),
    };
    Err(Fault {
        name,
        found: told(packet),
        allowed: format!("at most `buffer`, which is {}", told(buffer)),
    })
}
