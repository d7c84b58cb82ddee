//! Presets: the behaviour of other TCP implementations, as values of our parameters. Keys of the plan take precedence.

use super::Pair;
use super::repair::RepairParams;
use crate::declare::{Fallback, Kind, Parameter};
use crate::roster::{Entry, Roster};
use alloc::vec::Vec;

/// A preset.
#[derive(Clone, Copy, Debug)]
pub struct Compat {
    /// The word in plans.
    pub name: &'static str,
    /// Whose habits, in one line.
    pub summary: &'static str,
    /// Key of their source.
    pub source: &'static str,
    /// Parameters, with their values as a plan writes them: of all transports, or of the repair named first, or the controller if no
    /// repair has that name, if it is not empty.
    habits: &'static [(&'static str, &'static str, &'static str)],
}

/// Every preset, in the order of the pages.
pub const ROSTER: &[Compat] = &[
    Compat {
        name: "ns2",
        summary: "Gives the transport the defaults of ns-2.35 as it is shipped: of the agents TCP (Tahoe), TCP/Reno, TCP/Newreno and TCP/Sack1, without SYN.",
        source: "ns-2",
        habits: NS2,
    },
    Compat {
        name: "linux",
        summary: "Gives the transport the defaults of Linux, as far as transports have them; with the repair rack-tlp it is a whole stack, such as linux-cubic.",
        source: "linux",
        habits: LINUX,
    },
    Compat {
        name: "quic",
        summary: "Gives the transport the defaults that RFC 9000 and RFC 9002 recommend; with the repair quic it is a whole stack, such as quic-cubic.",
        source: "rfc9002",
        habits: QUIC,
    },
];

/// The key of plans.
pub const KEY: &str = "compat";

/// The word for none.
pub const NONE: &str = "none";

/// The words of [`ROSTER`], and that for none.
const WORDS: &[&str] = &["ns2", "linux", "quic", NONE];

/// The key, as every transport has it.
pub const PARAMETER: Parameter = Parameter {
    name: KEY,
    kind: Kind::Choice(WORDS),
    fallback: Fallback::Text(NONE),
    help: "Implementation whose defaults the transport has; keys of the plan take precedence.",
    tried: &[],
    shown: None,
};

/// The preset called `name`.
pub fn entry(name: &str) -> Option<&'static Compat> {
    ROSTER.iter().find(|it| it.name == name)
}

impl Compat {
    /// Its entry among the words.
    pub const fn entry(&self) -> Entry {
        Entry {
            name: self.name,
            summary: self.summary,
            source: self.source,
            parameters: &[],
            about: (),
        }
    }

    /// Parameters that it changes, with its values as defaults, and the repair or controller of those that belong to one.
    pub fn parameters(&self) -> Vec<(Option<&'static str>, Parameter)> {
        let habits = self.habits.iter();
        let found = habits.filter_map(|(repair, name, text)| {
            let own = Some(*repair).filter(|it| !it.is_empty());
            let pair = home(repair)?;
            let declared = pair.parameters().find(|it| it.name == *name)?;
            let fallback = Fallback::Text(text);
            Some((
                own,
                Parameter {
                    fallback,
                    ..declared
                },
            ))
        });
        found.collect()
    }

    /// The preset's value of `parameter` for a transport of this pair, if it has one.
    pub fn text(&self, pair: &Pair, parameter: &str) -> Option<&'static str> {
        let of = |repair: &str| {
            let mut all = self.habits.iter();
            all.find(|it| it.0 == repair && it.1 == parameter)
        };
        let control = Some(pair.control.name).filter(|it| !is_repair(it));
        control
            .and_then(of)
            .or_else(|| of(pair.repair.name))
            .or_else(|| of(""))
            .map(|it| it.2)
    }
}

/// Whether a repair has this name; then a habit of that name is the repair's.
pub fn is_repair(half: &str) -> bool {
    RepairParams::entry(half).is_some()
}

/// A pair with the half called `half`.
fn home(half: &str) -> Option<Pair> {
    match half {
        "" => Pair::new("reno", "reno"),
        "tahoe" => Pair::new("tahoe", "tahoe"),
        repair if is_repair(repair) => Pair::new("reno", repair),
        control => Pair::new(control, "rack-tlp"),
    }
}

/// ns-2's variables, each after our parameter and its value. `overhead_` (a random wait before each packet) and `maxburst_` are 0
/// in ns-2, so they need no value here; `packetSize_` and `window_` belong to the experiment.
//= ns-2
const NS2: &[(&str, &str, &str)] = &[
    ("", "initial_window", "2 segments"),          // windowInit_ 2
    ("", "tick", "10 ms"),                         // tcpTick_ 0.01
    ("", "rtt_ticks", "passed"),                   // timestamps_ false
    ("", "rto", "scaled"),                         // T_SRTT_BITS 3, T_RTTVAR_BITS 2, rttvar_exp_ 2
    ("", "samples", "timed"),                      // timestamps_ false
    ("", "initial_rto", "3 s"),                    // rtxcur_init_ 3
    ("", "min_rto", "200 ms"),                     // minrto_ 0.2
    ("", "max_rto", "60 s"),                       // maxrto_ 60
    ("", "undouble", "sample"),                    // ts_resetRTO_ false
    ("", "careful", "true"),                       // bugFix_ true
    ("", "recover_at_start", "exempt"),            // recover_ is 0 at the start, bugfix_ss_ 1
    ("", "limited_transmit", "true"),              // singledup_ 1
    ("", "limited_again", "true"),                 // send_one() does not require a new segment
    ("", "halve", "exact"),                        // precisionReduce_ true
    ("", "recovered", "open"), // exit_recovery_fix_ 0; recv_newack_helper() opens the window
    ("tahoe", "timeout_keeps_duplicates", "true"), // TcpAgent::timeout() leaves dupacks_
    ("newreno", "burst", "2"), // recv() calls send_much(0, 0, 2)
    ("newreno", "deflate", "window"), // partial_window_deflation_ 1
    ("sack", "recovered", "stay"), // newack() does not open the window
    ("sack", "pipe", "sack1"), // partial_ack_ false, oldCode_ false, LimTransmitFix_ false
];

/// Linux 6, each of its constants and settings after our parameter and its value; an MTU of 1500 B and time stamps.
//= linux
//= linux §tcp_input.c, quick acks type=departure
const LINUX: &[(&str, &str, &str)] = &[
    ("", "mss", "1448 B"),
    ("", "header", "52 B"),
    ("", "max_window", "3 MiB"), // half of the largest receive buffer, tcp_rmem[2]
    ("", "initial_window", "10 segments"), // TCP_INIT_CWND
    ("", "delayed_ack", "true"),
    ("", "ack_delay", "40 ms"), // TCP_DELACK_MIN
    //= linux §tcp_input.c, quick acks
    // tcp_grow_window(): each segment adds two to the offered window, from 64 KiB to `max_window`, and is acknowledged at once
    ("", "quick_acks", "1063"),
    //= linux §tcp.c, tcp_cleanup_rbuf
    // With the whole buffer offered, what has not been read makes the window smaller, and the ack is sent when it is read.
    ("", "read_delay", "20 us"),
    ("", "send_quantum", "0.9765625 ms"), // tcp_tso_autosize(), sk_pacing_shift 10
    ("", "tick", "1 ms"),                 // HZ 1000
    ("", "samples", "each"),              // time stamps
    ("", "initial_rto", "1 s"),           // TCP_TIMEOUT_INIT
    ("", "rto", "floored"),               // tcp_rto_min() is the least of rttvar_us
    ("", "min_rto", "200 ms"),            // TCP_RTO_MIN
    ("", "max_rto", "120 s"),             // TCP_RTO_MAX
    ("", "dsack", "true"),                // tcp_dsack
    ("", "idle", "decay"),                // tcp_slow_start_after_idle
    ("", "counted", "windows"),           // tcp_slow_start(), tcp_cong_avoid_ai()
    ("tcp-cubic", "slow_start", "hystart"),
    // RFC 9438 counts the first ack after a loss in slow start. If segments counted, a delayed ack would then add two; Linux adds none.
    ("cubic", "counted", "acks"),
    ("cubic", "slow_start", "hystart++"),
    ("cubic", "beta_of", "window"), // ssthresh is a part of cwnd
    ("rack-tlp", "reduction", "prr"),
    ("rack-tlp", "echo_reduction", "prr"), // tcp_enter_cwr()
    // Controllers of the kernel that set the window themselves, in a recovery and in CWR, too: cong_control().
    ("bbr1", "reduction", "classic"),
    ("bbr1", "echo_reduction", "classic"),
    ("bbr3", "reduction", "classic"),
    ("bbr3", "echo_reduction", "classic"),
    ("prague", "send_quantum", "0 s"), // prague_burst_usec is 250 us: one packet at less than 48 Mb/s
    ("prague", "reduction", "classic"),
    ("prague", "echo_reduction", "classic"),
    ("rack-tlp", "frto", "true"),            // tcp_frto
    ("rack-tlp", "eifel", "true"),           // tcp_packet_delayed(), by time stamps
    ("rack-tlp", "dsack_undo", "true"),      // tcp_check_dsack(), undo_retrans
    ("rack-tlp", "max_ack_delay", "200 ms"), // tlp: TCP_RTO_MIN more for one segment
    ("rack-tlp", "late_ticks", "2"), // TCP_TIMEOUT_MIN, added to the timers of tlp and of reordering
];

/// What QUIC's RFCs recommend; a segment of ours is a datagram.
const QUIC: &[(&str, &str, &str)] = &[
    //= rfc9000 §14
    // The smallest allowed maximum datagram size, which every path must carry. Windows are in datagrams, and headers of QUIC are a part of
    // them, so goodput counts those, too.
    ("", "mss", "1200 B"),
    ("", "header", "28 B"),      // IP and UDP
    ("", "max_window", "3 MiB"), // flow control is the application's; that of the preset linux
    //= rfc9002 §7.2
    ("", "initial_window", "10 segments"),
    ("", "loss_window", "2 segments"), // kMinimumWindow
    ("", "counted", "segments"),
    //= rfc9002 §7.7
    ("", "pace", "1.25"), // N
    //= rfc9000 §13.2.2
    ("", "delayed_ack", "true"),
    ("", "ack_every", "2"),
    //= rfc9000 §18.2, max_ack_delay
    ("", "ack_delay", "25 ms"),
    ("", "tick", "1 ms"), // kGranularity
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn the_words_are_the_roster() {
        let names = ROSTER.iter().map(|it| it.name).chain([NONE]);
        assert!(names.eq(WORDS.iter().copied()));
        for compat in ROSTER {
            assert_eq!(compat.parameters().len(), compat.habits.len());
        }
    }

    #[test]
    fn every_habit_is_a_value_of_a_parameter() {
        for compat in ROSTER {
            for (repair, name, text) in compat.habits {
                let pair = home(repair).expect("a half");
                let mut parameters = pair.parameters();
                let found = parameters.find(|it| it.name == *name).expect(name);
                assert!(found.kind.read(text).is_some(), "{name}: {text}");
            }
        }
    }

    #[test]
    fn a_stack_is_a_pair_with_the_defaults_of_its_preset() {
        let found = |kind: &str, name: &str| {
            let pair = Pair::of(&crate::transport::entry(kind).unwrap().about).unwrap();
            assert_eq!(pair.name(), kind);
            let fallback = pair.parameters().find(|it| it.name == name);
            fallback.map(|it| it.fallback)
        };
        let text = |text| Some(Fallback::Text(text));
        assert_eq!(found("linux-cubic", "slow_start"), text("hystart"));
        assert_eq!(found("linux-cubic", "reduction"), text("prr"));
        assert_eq!(found("linux-bbr", "reduction"), text("classic"));
        assert_eq!(found("linux-reno", "slow_start"), text("standard"));
        assert_eq!(found("linux-reno", "initial_window"), text("10 segments"));
        // The halves alone are not the stack.
        let pair = Pair::new("cubic", "rack-tlp").unwrap();
        assert_eq!(pair.name(), "cubic+rack-tlp");
        assert!(
            pair.parameters()
                .any(|it| it.fallback == Fallback::Text("1 segments"))
        );
    }

    #[test]
    fn a_habit_of_a_repair_goes_before_that_of_all() {
        let ns2 = entry("ns2").unwrap();
        let of = |repair, name| ns2.text(&Pair::new("reno", repair).unwrap(), name);
        let recovered: Vec<_> = ["reno", "sack"].map(|it| of(it, "recovered")).into();
        assert_eq!(recovered, [Some("open"), Some("stay")]);
        assert_eq!((of("reno", "burst"), of("reno", "mss")), (None, None));
    }
}
