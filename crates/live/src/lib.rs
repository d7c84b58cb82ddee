//! dupack's links and queues on real traffic of the Linux kernel.
//!
//! Each host of a plan is a network namespace with a TUN device. A router in this process reads the packets that hosts send, offers
//! them to the very ports and disciplines of the simulator ([`dupack_sim::relay`]), and writes them to the device of the host that they
//! reach. Everything is decided at ideal event times; only the write may be late, and how late is measured.
//!
//! | module | contents |
//! |---|---|
//! | `sys` | calls to the kernel; the only unsafe code |
//! | [`space`] | namespaces and their devices |
//! | [`packet`] | headers of packets |
//! | [`gate`] | which packets may enter the links |
//! | [`watch`] | what the headers tell of a TCP connection |
//! | [`slab`] | contents of packets under way |
//! | `seen` | what the router measures |
//! | `router` | the loop between devices and links |
//! | `flows` | the plan's flows, as sockets |
//! | `departures` | what of a plan they do not keep |
//! | [`commands`] | programs on the hosts, instead of flows |
//! | [`capture`] | packets at a host's device, as pcapng |
//! | `document` | the document of a run |
//! | [`run`] | a whole run |
#![cfg(target_os = "linux")]

pub mod capture;
pub mod commands;
mod departures;
mod document;
mod flows;
pub mod gate;
pub mod packet;
mod router;
pub mod run;
mod seen;
pub mod slab;
pub mod space;
mod sys;
pub mod watch;
