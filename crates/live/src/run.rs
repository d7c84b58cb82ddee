//! A live run: the plan's hosts as namespaces, its flows as sockets of the kernel, its links in the router; and the document of it.

use crate::commands::{self, Tasks};
use crate::document::Made;
pub use crate::document::{Lateness, Live, LiveDocument, Sockets};
use crate::flows::{self, Flows, Told};
use crate::router::{Captured, Clock, Ends, Gauge, Router, Seen, Wishes};
use crate::space::{self, Host, Trouble, Wanted};
use crate::sys;
use dupack_core::time::{Duration, Instant, SECOND};
use dupack_core::traffic::{Measures, Offer};
use dupack_lab::run::Document;
use dupack_sim::probe;
use dupack_sim::relay::{self, Relay};
use dupack_sim::spec::Network;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Lateness of writes (99th percentile) above which a run is not to be trusted.
pub const BOUND: Duration = Duration(500_000_000);

/// The least MTU of IPv6 \[bytes\] (RFC 8200 §5), and that of hosts without flows of the plan.
//= rfc8200 §5
const LEAST_IPV6: u16 = 1280;
const ETHERNET: u16 = 1500;
/// The least that the kernel gives a device with IPv4.
const LEAST: u16 = 576;

/// A run with a command lasts as long as that, and not longer than 50 days.
const ENDLESS: Duration = Duration::secs(50 * 86_400);

/// What a live run is to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// The seed of what is random on the links and in applications.
    pub seed: u64,
    /// Keep a tape.
    pub tape: bool,
    /// Keep packets of these many bytes at most, as they pass the hosts' devices.
    pub snaplen: Option<usize>,
    /// The bound of lateness.
    pub bound: Duration,
    /// Flows speak IPv6.
    pub ipv6: bool,
    /// Commands that run instead of the plan's flows.
    pub tasks: Option<Tasks>,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The plan asks for something that live runs do not have.
    #[error("{path}: {why}")]
    Refused {
        /// Its path in the plan.
        path: String,
        /// Why.
        why: String,
    },
    /// The network could not be set up.
    #[error(transparent)]
    Trouble(#[from] Trouble),
    /// The links did not keep the laws.
    #[error("{0}")]
    Broken(dupack_sim::Failure),
    /// The caller halted it.
    #[error("interrupted")]
    Halted,
}

/// A live run that is done.
#[derive(Debug)]
pub struct Outcome {
    /// Its document.
    pub document: LiveDocument,
    /// The tape, as CSV, if it was asked for.
    pub tape: Option<String>,
    /// The packets at the hosts' devices, if they were asked for.
    pub captured: Vec<Captured>,
    /// The beginning of the run, since that of 1970.
    pub epoch: std::time::Duration,
    /// Names of the hosts of `captured`.
    pub hosts: Vec<String>,
}

/// Why this network cannot be run live, if it cannot.
///
/// # Errors
/// With the path in the plan and the reason.
pub fn check(network: &Network) -> Result<(), Failure> {
    let refused = |path: String, why: String| Failure::Refused { path, why };
    if let Some((path, why)) = relay::refusal(network) {
        return Err(refused(path, why));
    }
    if network.mser {
        let why = "\"mser-5\" needs a run before the run; write a time".into();
        return Err(refused("warm_up".into(), why));
    }
    if network.flows.len() > flows::MOST_FLOWS {
        let why = format!(
            "{} flows; live runs have at most {}",
            network.flows.len(),
            flows::MOST_FLOWS
        );
        return Err(refused("flow".into(), why));
    }
    check_sysctls(network)?;
    for flow in &network.flows {
        if flow.traffic.measures() == Measures::Playback {
            let why = "live flows have no player; write other traffic, such as request-response";
            return Err(refused(format!("flow.{}.traffic", flow.name), why.into()));
        }
        let path = format!("flow.{}.transport", flow.name);
        let word = flows::kernel_word(flow).map_err(|why| refused(path.clone(), why))?;
        let known = space::controls();
        if flow.transport.pair.acknowledged() && !known.is_empty() && !known.contains(&word) {
            return Err(Trouble::NoControl {
                flow: flow.name.clone(),
                known: known.join(", "),
                word,
            }
            .into());
        }
    }
    Ok(())
}

/// The flows of a host share its sysctls.
fn check_sysctls(network: &Network) -> Result<(), Failure> {
    let mut set: HashMap<(usize, &str), (&str, &str)> = HashMap::new();
    for flow in &network.flows {
        for (name, value) in &flow.sysctls {
            for host in [flow.ends.0, flow.ends.1] {
                let (other, before) = *set
                    .entry((host, name))
                    .or_insert((flow.name.as_str(), value));
                if before != value {
                    return Err(Failure::Refused {
                        path: format!("flow.{}.transport.sysctl.{name}", flow.name),
                        why: format!(
                            "\"{value}\", but flow.{other}, which shares a host with it, says \"{before}\"; a host has one value of each sysctl"
                        ),
                    });
                }
            }
        }
    }
    Ok(())
}

/// Names of the network's nodes.
fn nodes(network: &Network) -> Vec<String> {
    let mut names = vec![String::new(); network.map.hosts.len()];
    for (at, (from, to)) in network.map.links.iter().enumerate() {
        let link = &network.links[2 * at];
        names[*from] = link.from.to_string();
        names[*to] = link.to.to_string();
    }
    names
}

/// Hosts that are namespaces: number of each node that is one.
struct Places {
    /// Per host its node.
    nodes: Vec<usize>,
    wanted: Vec<Wanted>,
}

impl Places {
    /// The hosts that flows of the network use; all, if it has none.
    fn new(network: &Network, ipv6: bool) -> Self {
        let names = nodes(network);
        let uses = |node: &usize| {
            let mut flows = network.flows.iter();
            network.flows.is_empty()
                || flows.any(|flow| flow.ends.0 == *node || flow.ends.1 == *node)
        };
        let hosts = (0..names.len()).filter(|it| network.map.hosts[*it]);
        let nodes: Vec<usize> = hosts.filter(uses).collect();
        let longest = network.flows.iter().map(|flow| {
            let common = &flow.transport.common;
            common.mss.0 + common.header.0.max(40) + if ipv6 { 20 } else { 0 }
        });
        let longest = longest.max().unwrap_or(u64::from(ETHERNET));
        let least = if ipv6 { LEAST_IPV6 } else { LEAST };
        let mtu = u16::try_from(longest).unwrap_or(u16::MAX).max(least);
        let wanted = nodes.iter().enumerate().map(|(number, node)| {
            let (sysctls, commands) = habits(network, &nodes, *node, ipv6);
            Wanted {
                name: names[*node].clone(),
                number,
                mtu,
                sysctls,
                commands,
                ipv6,
            }
        });
        let wanted = wanted.collect();
        Self { nodes, wanted }
    }

    fn number(&self, node: usize) -> usize {
        let found = self.nodes.iter().position(|it| *it == node);
        found.expect("flows end at hosts")
    }
}

/// Sysctls and routes of a host, as its flows ask for them.
fn habits(
    network: &Network,
    nodes: &[usize],
    node: usize,
    ipv6: bool,
) -> (Vec<(String, String)>, Vec<String>) {
    let tcp = || (network.flows.iter()).filter(|flow| flow.transport.pair.acknowledged());
    let own = || tcp().filter(|flow| flow.ends.0 == node || flow.ends.1 == node);
    let number = |it: bool| if it { "1" } else { "0" }.to_string();
    let sysctls = [
        ("tcp_timestamps", number(own().any(flows::has_stamps))),
        ("tcp_sack", number(!own().any(flows::without_sack))),
        ("tcp_no_metrics_save", "1".into()),
        // Room for any window; what the plan limits, the receiver's socket does.
        ("tcp_rmem", "4096 131072 268435456".into()),
        ("tcp_wmem", "4096 65536 268435456".into()),
    ];
    // Those of the plan come last.
    let asked = own().flat_map(|flow| flow.sysctls.iter().cloned());
    let sysctls = sysctls.map(|(name, value)| (name.to_string(), value));
    let sysctls = sysctls.into_iter().chain(asked);
    let sysctls = sysctls.map(|(name, value)| (format!("ipv4/{name}"), value));
    let mut commands = Vec::new();
    for (at, peer) in nodes.iter().enumerate() {
        let sends = tcp().find(|flow| flow.ends == (node, *peer));
        let receives = tcp().find(|flow| flow.ends == (*peer, node));
        let mut features = String::new();
        if let Some(flow) = sends {
            let common = &flow.transport.common;
            let window = common.initial_window.whole_segments(common.mss);
            features += &format!(" initcwnd {window}");
            if let Some(least) = common.min_rto {
                features += &format!(" rto_min {}ms", (least.0 / (SECOND / 1000)).max(1));
            }
            if common.ecn {
                features += " features ecn";
            }
        }
        if receives.is_some_and(|flow| !flow.transport.common.delayed_ack) {
            features += " quickack 1";
        }
        if !features.is_empty() {
            let (family, address) = if ipv6 {
                ("-6 ", format!("{}/128", space::ipv6(at)))
            } else {
                ("", format!("{}/32", space::ipv4(at)))
            };
            commands.push(format!(
                "{family}route add {address} dev {}{features}",
                space::DEVICE
            ));
        }
    }
    (sysctls.collect(), commands)
}

/// Runs a network live, unless `halt` is set before its end.
///
/// # Errors
/// See [`Failure`].
pub fn run(network: &Network, options: &Options, halt: &AtomicBool) -> Result<Outcome, Failure> {
    let mut network = network.drawn(options.seed).into_owned();
    if options.tasks.is_some() {
        network.flows.clear();
        network.permutations.clear();
        (network.duration, network.warm_up, network.mser) = (ENDLESS, Duration::ZERO, false);
    }
    check(&network)?;
    let places = Places::new(&network, options.ipv6);
    let hosts: Vec<Host> = (places.wanted.iter().map(Host::new)).collect::<Result<_, _>>()?;
    let all: Vec<&Host> = hosts.iter().collect();
    let ends: Vec<Ends> = (network.flows.iter().enumerate())
        .map(|(at, flow)| {
            let (from, to) = flow.ends;
            flows::ends(at, flow, (places.number(from), places.number(to)))
        })
        .collect();
    let sockets = Flows::new(
        &network.flows,
        &ends,
        &all,
        (options.seed, options.ipv6, network.warm_up),
    )?;
    let gauges: Arc<Vec<Gauge>> = Arc::new(ends.iter().map(|_| Gauge::default()).collect());
    let wishes = Wishes {
        tape: options.tape,
        snaplen: options.snaplen,
    };
    let mtus = places.wanted.iter().map(|it| it.mtu).collect();
    let mut router = Router::new(
        &network,
        options.seed,
        (all, places.nodes.clone(), mtus),
        &ends,
        (Arc::clone(&gauges), wishes),
    );
    let end = Instant(network.duration.0);
    let epoch = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let clock = Clock::start();
    let (told, exit) = drive(
        sockets,
        &mut router,
        &gauges,
        (clock, end),
        (&hosts, options),
        halt,
    )
    .map_err(Failure::Trouble)?;
    if halt.load(Ordering::Relaxed) {
        return Err(Failure::Halted);
    }
    let (relay, mut seen) = router.finish();
    network.duration = Duration(seen.end.0);
    let captured = std::mem::take(&mut seen.captured);
    let document = documented(&network, options, (&seen, &told), relay, (&hosts, exit))?;
    let names: Vec<String> = network.flows.iter().map(|it| it.name.clone()).collect();
    let tape = options.tape.then(|| {
        let mut rows = seen.rows.clone();
        rows.sort_by_key(|row| row.at);
        probe::csv(&rows, &names)
    });
    Ok(Outcome {
        document,
        tape,
        captured,
        epoch,
        hosts: hosts.iter().map(|it| it.name.clone()).collect(),
    })
}

/// The document of a run that has ended.
fn documented(
    network: &Network,
    options: &Options,
    (seen, told): (&Seen, &[Told]),
    relay: Relay,
    (hosts, exit): (&[Host], Option<i32>),
) -> Result<LiveDocument, Failure> {
    let drops = hosts
        .iter()
        .map(|it| (it.name.clone(), space::dropped_by_device(it)));
    let drops: BTreeMap<String, u64> = drops.collect();
    let made = Made {
        network,
        bound: options.bound,
        ipv6: options.ipv6,
        seen,
        told,
    };
    let report = made.report(relay).map_err(Failure::Broken)?;
    let live = made.live(drops, hosts, exit);
    let document = Document::new(network, options.seed, report, seen.cpu.as_secs_f64());
    Ok(LiveDocument { document, live })
}

/// Runs the sockets, the router and the commands, each in a thread of its own, until `end`, or until the commands have ended or
/// `halt` is set. Returns what the sockets tell, and the exit code of the command if there is one.
fn drive(
    sockets: Flows,
    router: &mut Router<'_>,
    gauges: &[Gauge],
    (clock, end): (Clock, Instant),
    (hosts, options): (&[Host], &Options),
    halt: &AtomicBool,
) -> Result<(Vec<Told>, Option<i32>), Trouble> {
    let over = AtomicBool::new(false);
    let stop = || halt.load(Ordering::Relaxed) || over.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        let driver = scope.spawn(|| {
            // Applications send when they want to, not when the scheduler finds time.
            sys::be_precise();
            let safe = give_up_privileges();
            (safe, sockets.run(clock, end, gauges, &stop))
        });
        let router = scope.spawn(|| {
            // Without privileges it could not.
            router.seen.precise = sys::be_precise();
            let safe = give_up_privileges();
            router.run(clock, options.bound, &stop);
            safe
        });
        let tasks = options.tasks.as_ref();
        let exit = tasks.map(|it| commands::run(it, hosts, options.ipv6, halt));
        over.store(tasks.is_some(), Ordering::Relaxed);
        let safe = router
            .join()
            .unwrap_or_else(|it| std::panic::resume_unwind(it));
        let told = driver
            .join()
            .unwrap_or_else(|it| std::panic::resume_unwind(it));
        safe.and(told.0)?;
        Ok((told.1, exit.transpose()?))
    })
}

/// The calling thread gives up its capabilities, and can gain none.
fn give_up_privileges() -> Result<(), Trouble> {
    let done = sys::no_new_privileges().and_then(|()| sys::drop_capabilities());
    done.map_err(|error| Trouble::Other(format!("cannot drop privileges: {error}")))
}
