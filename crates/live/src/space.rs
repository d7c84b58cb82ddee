//! Network namespaces: each host of a plan is one, with one network device, whose other end is the router.
//!
//! Nothing of it has a name outside the process: a namespace lives as long as someone has it open, and so does its device. When the
//! process ends, in whatever way, the kernel removes them. All routes in a namespace lead to its device, so no packet leaves it
//! except to the router.

use crate::sys;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::process::{Command, Stdio};

/// Name of a host's device.
pub const DEVICE: &str = "dupack0";

/// Whether a host's device gets a link-local address.
const OWN_ADDRESSES: &str = "ipv6/conf/dupack0/addr_gen_mode";

/// Packets that a device holds for the router.
const QUEUE: u32 = 2000;

/// Why a network could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The kernel refuses namespaces.
    #[error(
        "cannot make a network namespace: {0}; dupack live needs CAP_SYS_ADMIN and CAP_NET_ADMIN (root), or user namespaces \
         (sysctl user.max_user_namespaces above 0; where they exist, kernel.unprivileged_userns_clone=1 and \
         kernel.apparmor_restrict_unprivileged_userns=0)"
    )]
    Namespace(#[source] io::Error),
    /// The kernel refuses a namespace of processes.
    #[error(
        "cannot make a PID namespace for commands: {0}; it needs CAP_SYS_ADMIN, and sysctl user.max_pid_namespaces above 0"
    )]
    Processes(#[source] io::Error),
    /// There are no TUN devices.
    #[error(
        "cannot use /dev/net/tun: {0}; dupack live needs the kernel's TUN driver (modprobe tun), the device readable and writable, and \
         CAP_NET_ADMIN in the namespace"
    )]
    Tun(#[source] io::Error),
    /// The command `ip` is missing.
    #[error("cannot run the command ip: {0}; dupack live needs iproute2")]
    NoIp(#[source] io::Error),
    /// The command `ip` has failed.
    #[error("the command ip failed in the namespace of host {host}: {said}")]
    Ip {
        /// The host.
        host: String,
        /// Its messages.
        said: String,
    },
    /// A sysctl could not be set.
    #[error("cannot set the sysctl {name} = {value} in the namespace of host {host}: {why}")]
    Sysctl {
        /// The host.
        host: String,
        /// The sysctl.
        name: String,
        /// The value.
        value: String,
        /// The reason.
        why: io::Error,
    },
    /// A socket could not be made.
    #[error("{what}: {why}")]
    Socket {
        /// Which, and what failed.
        what: String,
        /// The reason.
        why: io::Error,
    },
    /// The kernel does not have a congestion control.
    #[error(
        "flow.{flow}.transport: this kernel has no congestion control \"{word}\"; it has {known}; other ones may be modules: modprobe tcp_{word}"
    )]
    NoControl {
        /// The flow.
        flow: String,
        /// Its congestion control.
        word: String,
        /// Those that the kernel has.
        known: String,
    },
    /// Threads cannot be started, or privileges not be dropped.
    #[error("{0}")]
    Other(String),
}

/// What a host is to be.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Its name.
    pub name: String,
    /// Its number, from 0.
    pub number: usize,
    /// The longest packet that it may send \[bytes\].
    pub mtu: u16,
    /// Sysctls, below `net/`, and their values.
    pub sysctls: Vec<(String, String)>,
    /// Further lines for `ip -batch`, after its address and its route are set.
    pub commands: Vec<String>,
    /// Whether it has an IPv6 address.
    pub ipv6: bool,
}

/// A host.
#[derive(Debug)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub space: File,
    /// The router's end of its device.
    pub tun: File,
    /// Its address.
    pub ipv4: Ipv4Addr,
    /// Its IPv6 address.
    pub ipv6: Ipv6Addr,
}

/// The address of a host by its number: 10.0.0.1, 10.0.0.2, ..., as in captures of simulated runs.
pub fn ipv4(host: usize) -> Ipv4Addr {
    let [_, a, b, c] = (host as u32 + 1).to_be_bytes();
    Ipv4Addr::new(10, a, b, c)
}

/// The same of IPv6: fd00::1, fd00::2, ... (unique local addresses, RFC 4193).
pub fn ipv6(host: usize) -> Ipv6Addr {
    Ipv6Addr::from((0xfd00_u128 << 112) | (host as u128 + 1))
}

impl Host {
    /// Makes a host.
    ///
    /// # Errors
    /// If the kernel refuses it, or `ip` fails.
    pub fn new(wanted: &Wanted) -> Result<Self, Trouble> {
        on_a_thread(|| {
            sys::new_network_namespace().map_err(Trouble::Namespace)?;
            let space = File::open("/proc/thread-self/ns/net").map_err(Trouble::Namespace)?;
            let mut tun = OpenOptions::new();
            let tun = tun.read(true).write(true).open("/dev/net/tun");
            let tun = tun.map_err(Trouble::Tun)?;
            sys::become_tun(&tun, DEVICE).map_err(Trouble::Tun)?;
            sys::set_nonblocking(&tun).map_err(Trouble::Tun)?;
            let own = [
                (
                    "ipv6/conf/all/disable_ipv6",
                    if wanted.ipv6 { "0" } else { "1" },
                ),
                ("ipv6/conf/all/accept_ra", "0"),
                ("ipv6/conf/default/accept_ra", "0"),
                // Without link-local addresses no host asks for routers, which would be packets of nobody.
                ("ipv6/conf/default/addr_gen_mode", "1"),
                (OWN_ADDRESSES, "1"),
                ("ipv4/conf/all/rp_filter", "0"),
                ("ipv4/ip_forward", "0"),
            ];
            for (name, value) in own {
                // A kernel without IPv6 has none of these.
                if wanted.ipv6 || !name.starts_with("ipv6") || is_sysctl(name) {
                    set_sysctl(&wanted.name, name, value)?;
                }
            }
            // Programs such as ping work for a user without privileges; a user namespace has group 0 only.
            let groups = ["0 2147483647", "0 0"];
            let _ =
                (groups.iter()).any(|it| std::fs::write(path("ipv4/ping_group_range"), it).is_ok());
            for (name, value) in &wanted.sysctls {
                set_sysctl(&wanted.name, name, value)?;
            }
            configure(wanted)?;
            Ok(Self {
                name: wanted.name.clone(),
                space,
                tun,
                ipv4: ipv4(wanted.number),
                ipv6: ipv6(wanted.number),
            })
        })
    }

    /// Does `work` on a thread in the host's namespace.
    ///
    /// # Errors
    /// If the namespace cannot be entered, or as `work`.
    pub fn within<T: Send>(
        &self,
        work: impl FnOnce() -> Result<T, Trouble> + Send,
    ) -> Result<T, Trouble> {
        on_a_thread(|| {
            sys::enter(&self.space).map_err(Trouble::Namespace)?;
            work()
        })
    }
}

/// A thread that moves to a namespace ends there, so that no other thread is ever in the wrong one.
pub(crate) fn on_a_thread<T: Send>(
    work: impl FnOnce() -> Result<T, Trouble> + Send,
) -> Result<T, Trouble> {
    std::thread::scope(|scope| match scope.spawn(work).join() {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

fn path(name: &str) -> String {
    format!("/proc/sys/net/{name}")
}

fn is_sysctl(name: &str) -> bool {
    std::path::Path::new(&path(name)).exists()
}

fn set_sysctl(host: &str, name: &str, value: &str) -> Result<(), Trouble> {
    std::fs::write(path(name), value).map_err(|why| Trouble::Sysctl {
        host: host.into(),
        name: format!("net.{}", name.replace('/', ".")),
        value: value.into(),
        why,
    })
}

/// Sets up the devices of the namespace in which the calling thread is.
fn configure(wanted: &Wanted) -> Result<(), Trouble> {
    let mut lines = vec![
        "link set lo up".to_string(),
        format!("link set {DEVICE} mtu {} txqueuelen {QUEUE} up", wanted.mtu),
        format!("addr add {}/32 dev {DEVICE}", ipv4(wanted.number)),
        format!("route add 10.0.0.0/8 dev {DEVICE}"),
    ];
    if wanted.ipv6 {
        let address = ipv6(wanted.number);
        lines.push(format!("-6 addr add {address}/128 dev {DEVICE} nodad"));
        lines.push(format!("-6 route add fd00::/16 dev {DEVICE}"));
    }
    lines.extend(wanted.commands.iter().cloned());
    let (six, four): (Vec<&str>, Vec<&str>) = (lines.iter())
        .map(String::as_str)
        .partition(|line| line.starts_with(FAMILY));
    run_ip(&wanted.name, &[], &four)?;
    let six: Vec<&str> = six.iter().map(|line| &line[FAMILY.len()..]).collect();
    if six.is_empty() {
        return Ok(());
    }
    run_ip(&wanted.name, &["-6"], &six)
}

/// What begins a line of IPv6. `ip` takes it for a whole batch.
const FAMILY: &str = "-6 ";

/// Runs lines of `ip` in the namespace in which the calling thread is, with these options. One process for all: each takes milliseconds.
fn run_ip(host: &str, options: &[&str], lines: &[&str]) -> Result<(), Trouble> {
    let mut child = Command::new("ip")
        .args(options)
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(Trouble::NoIp)?;
    if let Some(mut input) = child.stdin.take() {
        // If it reads no further, it says why.
        let _ = input.write_all((lines.join("\n") + "\n").as_bytes());
    }
    let done = child.wait_with_output().map_err(Trouble::NoIp)?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    // Its last line names the line of the batch.
    let number = said.rsplit_once("-:").map(|it| it.1.trim());
    let at = number.and_then(|it| lines.get(it.parse::<usize>().ok()?.checked_sub(1)?));
    let said = said.trim().replace('\n', "; ");
    Err(Trouble::Ip {
        host: host.into(),
        said: at.map_or(said.clone(), |line| format!("ip {line}: {said}")),
    })
}

/// Congestion controls that the kernel has loaded.
pub fn controls() -> Vec<String> {
    let path = path("ipv4/tcp_available_congestion_control");
    let all = std::fs::read_to_string(path).unwrap_or_default();
    all.split_whitespace().map(String::from).collect()
}

/// Packets that the host's device has dropped because the router did not take them in time, from the table of the namespace's devices.
pub fn dropped_by_device(host: &Host) -> u64 {
    let read = || Ok(std::fs::read_to_string("/proc/thread-self/net/dev").unwrap_or_default());
    let table = host.within(read).unwrap_or_default();
    // Eight columns of what is received, then bytes, packets, errors and drops of what is sent.
    let line = (table.lines()).find_map(|it| it.trim().strip_prefix(DEVICE)?.strip_prefix(':'));
    let column = line.and_then(|it| it.split_whitespace().nth(11));
    column.and_then(|it| it.parse().ok()).unwrap_or(0)
}

/// The kernel's counters of a host's IP and TCP that are not 0, by their names, such as `TcpExt.TCPTimeouts`. A namespace begins with zeros.
pub fn counters(host: &Host) -> BTreeMap<String, u64> {
    let read = || {
        let of = |name| {
            std::fs::read_to_string(format!("/proc/thread-self/net/{name}")).unwrap_or_default()
        };
        Ok(named(&of("snmp"), &of("netstat")))
    };
    host.within(read).unwrap_or_default()
}

/// Counters of both tables: a line of names, then a line of values, which begin with the same word. What is no counter is negative or a setting.
fn named(snmp: &str, netstat: &str) -> BTreeMap<String, u64> {
    let settings = [
        "Forwarding",
        "DefaultTTL",
        "RtoAlgorithm",
        "RtoMin",
        "RtoMax",
        "MaxConn",
    ];
    let lines: Vec<&str> = snmp.lines().chain(netstat.lines()).collect();
    let pairs = lines.chunks_exact(2).flat_map(|pair| {
        let (group, names) = pair[0].split_once(':').unwrap_or_default();
        let values = pair[1].split_once(':').unwrap_or_default().1;
        let all = names.split_whitespace().zip(values.split_whitespace());
        all.map(move |(name, value)| (group, name, value))
    });
    let known = pairs.filter(|(group, name, _)| {
        ["Ip", "Tcp", "TcpExt", "IpExt"].contains(group) && !settings.contains(name)
    });
    let told = known.filter_map(|(group, name, value)| {
        let value = value.parse().ok().filter(|it| *it > 0)?;
        Some((format!("{group}.{name}"), value))
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_have_the_names_of_the_line_before() {
        let snmp = "Ip: Forwarding InReceives\nIp: 2 17\nUdp: InDatagrams\nUdp: 4\n";
        let netstat = "TcpExt: TCPTimeouts TCPLossProbes MaxConn\nTcpExt: 3 0 -1\n";
        let found: Vec<_> = named(snmp, netstat).into_iter().collect();
        let want = [("Ip.InReceives", 17), ("TcpExt.TCPTimeouts", 3)];
        assert_eq!(found, want.map(|(name, value)| (name.to_string(), value)));
    }

    #[test]
    fn hosts_have_the_addresses_of_captures() {
        assert_eq!(ipv4(0), Ipv4Addr::new(10, 0, 0, 1));
        assert_eq!(ipv4(256), Ipv4Addr::new(10, 0, 1, 1));
        assert_eq!(ipv6(9).to_string(), "fd00::a");
    }
}
