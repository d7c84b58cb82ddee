//! The plan's flows, as sockets of the kernel in the namespaces of their hosts. The applications are those of the simulator.

use crate::router::{Clock, Ends, Gauge, TCP, UDP, std_duration};
use crate::space::{self, Host, Trouble};
use crate::sys::{self, Awaited, Ready};
use dupack_core::measure::Bytes;
use dupack_core::rng::Stream;
use dupack_core::time::{Duration, Instant};
use dupack_core::traffic::{AnyTraffic, Extent, Traffic};
use dupack_sim::relay::MOST_WAYS;
use dupack_sim::spec;
use socket2::{Domain, Protocol, Socket, Type};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;
use std::sync::atomic::Ordering;

/// Ports of the first flow; those of the others follow.
const PORTS: (u16, u16) = (40_000, 5_001);
/// The most flows: each has two ways over the links. Their ports do not meet either.
pub const MOST_FLOWS: usize = MOST_WAYS / 2;
/// Receivers read at these intervals: a wake-up for every packet would cost more than the packet.
pub(crate) const READING: Duration = Duration::millis(2);
/// Congestion windows are looked at this often.
const LOOKING: Duration = Duration::millis(10);
/// Bytes that are read or written at once.
const CHUNK: usize = 1 << 18;
/// Length of the headers of TCP and IPv4 without options, and of time stamps with their padding \[bytes\].
pub(crate) const PLAIN: u64 = 40;
pub(crate) const STAMPS: u64 = 12;

/// The kernel's word for the controller of a flow.
///
/// # Errors
/// With a message, if the kernel has none like it.
pub fn kernel_word(flow: &spec::Flow) -> Result<String, String> {
    if let Some(word) = &flow.kernel {
        return Ok(word.clone());
    }
    let pair = &flow.transport.pair;
    if !pair.acknowledged() {
        return Ok("udp".into());
    }
    match pair.control.name {
        "reno" => Ok("reno".into()),
        "cubic" | "tcp-cubic" => Ok("cubic".into()),
        "bbr1" => Ok("bbr".into()),
        "dctcp" => Ok("dctcp".into()),
        other => Err(format!(
            "Linux has no controller like \"{other}\"; live flows have reno, cubic, bbr1, dctcp, or say which: transport = {{ kernel = \"cubic\" }}"
        )),
    }
}

/// Whether segments of the flow carry time stamps.
pub fn has_stamps(flow: &spec::Flow) -> bool {
    flow.transport.common.header.0 >= PLAIN + STAMPS
}

/// The plan's repair knows no SACK.
pub fn without_sack(flow: &spec::Flow) -> bool {
    flow.kernel.is_none()
        && matches!(
            flow.transport.pair.repair.name,
            "reno" | "newreno" | "tahoe"
        )
}

/// Of the kernel's `struct tcp_info`, what is of interest.
#[derive(Clone, Copy, Debug, Default)]
pub struct Info {
    /// cwnd \[segments\].
    pub cwnd: u32,
    /// ssthresh \[segments\]; the largest number if it is not set.
    pub ssthresh: u32,
    /// Smoothed round trip, and the least one \[us\].
    pub rtt: u32,
    /// See `rtt`.
    pub min_rtt: u32,
    /// Segments with data sent, and sent again.
    pub sent: u32,
    /// See `sent`.
    pub retransmitted: u32,
    /// Bytes received in order.
    pub received: u64,
    /// Segments whose delivery came with an echo of congestion.
    pub delivered_ce: u32,
    /// Timeouts, if the kernel counts them (from Linux 6.7 on).
    pub timeouts: Option<u16>,
}

impl Info {
    /// Reads a socket's. Offsets are those of the kernel's header `linux/tcp.h`, whose fields never move.
    pub fn of(socket: &Socket) -> io::Result<Self> {
        let bytes = sys::tcp_info(socket)?;
        let word = |at: usize| -> u32 {
            let four = bytes.get(at..at + 4).and_then(|it| it.try_into().ok());
            four.map_or(0, u32::from_ne_bytes)
        };
        let long = |at: usize| -> u64 {
            let eight = bytes.get(at..at + 8).and_then(|it| it.try_into().ok());
            eight.map_or(0, u64::from_ne_bytes)
        };
        let timeouts = bytes.get(240..242).and_then(|it| it.try_into().ok());
        Ok(Self {
            cwnd: word(80),
            ssthresh: word(76),
            rtt: word(68),
            min_rtt: word(148),
            sent: word(156),
            retransmitted: word(100),
            received: long(128),
            delivered_ce: word(196),
            timeouts: timeouts.map(u16::from_ne_bytes),
        })
    }
}

/// A flow.
#[derive(Debug)]
struct Flow {
    acknowledged: bool,
    out: Socket,
    /// The listening socket, or that of datagrams.
    at_receiver: Socket,
    accepted: Option<Socket>,
    to: SocketAddr,
    start: Instant,
    begun: bool,
    connected: bool,
    traffic: AnyTraffic,
    mss: u64,
    /// The receiver's window \[bytes\].
    window: i32,
    file: Option<Extent>,
    /// Segments handed over, and bytes of them.
    released: (u64, u64),
    awaited: u64,
    /// Bytes, or datagrams, that the socket has taken.
    written: u64,
    told: Told,
}

/// What the sockets of a flow tell.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Its start.
    pub start: Instant,
    /// TCP_INFO of the sender at the end, and when warm-up ended.
    pub info: Info,
    /// See `info`.
    pub warm: Info,
    /// Bytes that the receiver's socket had in order at the end.
    pub received: u64,
    /// Completion, if it is a file.
    pub completed: Option<Instant>,
    /// Messages since warm-up ended: sum of their times \[ps\], and number.
    pub messages: (u128, u64),
    /// An error that ended it.
    pub failed: Option<String>,
    /// It began, and its connection was never open.
    pub unanswered: bool,
}

/// All flows.
#[derive(Debug)]
pub struct Flows {
    flows: Vec<Flow>,
    warm_up: Instant,
}

/// The ends of flow number `at`, for the router.
pub fn ends(at: usize, flow: &spec::Flow, hosts: (usize, usize)) -> Ends {
    Ends {
        hosts,
        ports: (PORTS.0 + at as u16, PORTS.1 + at as u16),
        protocol: if flow.transport.pair.acknowledged() {
            TCP
        } else {
            UDP
        },
        mss: flow.transport.common.mss.0,
    }
}

/// A socket that never waits, of a flow's protocol.
fn socket(acknowledged: bool, address: SocketAddr) -> io::Result<Socket> {
    let (kind, protocol) = if acknowledged {
        (Type::STREAM, Protocol::TCP)
    } else {
        (Type::DGRAM, Protocol::UDP)
    };
    let socket = Socket::new(Domain::for_address(address), kind, Some(protocol))?;
    socket.set_nonblocking(true)?;
    socket.set_reuse_address(true)?;
    Ok(socket)
}

/// An error of a flow's socket: what could not be done, and the kernel's reason.
fn failed(spec: &spec::Flow, what: &str) -> impl FnOnce(io::Error) -> Trouble {
    let what = format!("flow.{}: {what}", spec.name);
    move |why| Trouble::Socket { what, why }
}

/// The receiver's window \[bytes\].
fn window(spec: &spec::Flow) -> i32 {
    let common = &spec.transport.common;
    common.max_window.bytes(common.mss).0.clamp(1, 1 << 29) as i32
}

/// The receiver's socket: TCP's listens, UDP's is bound.
fn listening(spec: &spec::Flow, at: SocketAddr, acknowledged: bool) -> Result<Socket, Trouble> {
    let window = window(spec);
    let socket = socket(acknowledged, at).map_err(failed(spec, "no socket"))?;
    let bound = socket.bind(&at.into());
    bound.map_err(failed(spec, "cannot bind"))?;
    // Twice the window, because the kernel counts its own overhead, and more for small packets.
    let _ = socket.set_recv_buffer_size(2 * window as usize + (1 << 20));
    if acknowledged {
        sys::set_tcp_option(&socket, libc::TCP_WINDOW_CLAMP, window)
            .map_err(failed(spec, "cannot set TCP_WINDOW_CLAMP"))?;
        let listens = socket.listen(1);
        listens.map_err(failed(spec, "cannot listen"))?;
    }
    Ok(socket)
}

/// The sender's socket, with the controller and the segment size of the plan.
fn sending(spec: &spec::Flow, at: SocketAddr, acknowledged: bool) -> Result<Socket, Trouble> {
    let socket = socket(acknowledged, at).map_err(failed(spec, "no socket"))?;
    let bound = socket.bind(&at.into());
    bound.map_err(failed(spec, "cannot bind"))?;
    if acknowledged {
        let word = kernel_word(spec).map_err(Trouble::Other)?;
        let taken = socket.set_tcp_congestion(word.as_bytes());
        taken.map_err(|_| Trouble::NoControl {
            flow: spec.name.clone(),
            word,
            known: space::controls().join(", "),
        })?;
        let stamps = if has_stamps(spec) { STAMPS } else { 0 };
        let most = (spec.transport.common.mss.0 + stamps) as i32;
        let what = "mss: the kernel takes 88 to 32767 B; TCP_MAXSEG";
        sys::set_tcp_option(&socket, libc::TCP_MAXSEG, most).map_err(failed(spec, what))?;
        // What waits in the socket is data that the application may not have yet.
        sys::set_tcp_option(&socket, libc::TCP_NOTSENT_LOWAT, 1 << 17)
            .map_err(failed(spec, "cannot set TCP_NOTSENT_LOWAT"))?;
        let set = socket.set_tcp_nodelay(true);
        set.map_err(failed(spec, "cannot set TCP_NODELAY"))?;
    }
    Ok(socket)
}

impl Flow {
    fn new(
        (spec, ends, seed): (&spec::Flow, &Ends, u64),
        hosts: &[&Host],
        ipv6: bool,
    ) -> Result<Self, Trouble> {
        let common = &spec.transport.common;
        let (from, to) = (hosts[ends.hosts.0], hosts[ends.hosts.1]);
        let address = |host: &Host| -> IpAddr {
            if ipv6 {
                host.ipv6.into()
            } else {
                host.ipv4.into()
            }
        };
        let here = SocketAddr::new(address(from), ends.ports.0);
        let there = SocketAddr::new(address(to), ends.ports.1);
        let acknowledged = ends.protocol == TCP;
        let at_receiver = to.within(|| listening(spec, there, acknowledged))?;
        let out = from.within(|| sending(spec, here, acknowledged))?;
        let stream = |of| Stream::new(seed, &format!("flow.{}.{of}", spec.name));
        let start = Instant(stream("start").between(spec.start.0.0, spec.start.1.0));
        let traffic = AnyTraffic::new(&spec.traffic, common.mss, common.header, stream("traffic"));
        Ok(Self {
            acknowledged,
            out,
            at_receiver,
            accepted: None,
            to: there,
            start,
            begun: false,
            connected: false,
            file: traffic.extent(),
            traffic,
            mss: common.mss.0,
            window: window(spec),
            released: (0, 0),
            awaited: u64::MAX,
            written: 0,
            told: Told {
                start,
                ..Told::default()
            },
        })
    }

    /// Payload of a segment.
    fn payload(&self, segment: u64) -> u64 {
        match self.file {
            Some(Extent { segments, last }) if segment + 1 == segments => last.0,
            _ => self.traffic.payload(segment).unwrap_or(Bytes(self.mss)).0,
        }
    }

    /// Takes what the application has handed over.
    fn hand_over(&mut self, gauge: &Gauge) {
        let released = self.traffic.released();
        if self.file.is_none() && released.segments > 1 << 40 {
            self.released = (released.segments, u64::MAX);
        }
        while self.released.0 < released.segments {
            let payload = self.payload(self.released.0);
            self.released.0 += 1;
            self.released.1 += payload;
        }
        let awaited = if released.complete {
            self.released.1
        } else {
            u64::MAX
        };
        if self.acknowledged && awaited != self.awaited {
            gauge.done.store(u64::MAX, Ordering::Relaxed);
            gauge.awaited.store(awaited, Ordering::Release);
            // All of it may be acknowledged already, of which the router does not tell again.
            if gauge.acknowledged.load(Ordering::Relaxed) >= awaited {
                gauge.done.store(0, Ordering::Relaxed);
            }
        }
        self.awaited = awaited;
    }

    /// Does what is due; true if the socket has no room for what is to be sent.
    fn step(&mut self, now: Instant, gauge: &Gauge, warm: bool) -> io::Result<bool> {
        if !self.begun {
            if now < self.start {
                return Ok(false);
            }
            self.begun = true;
            match self.out.connect(&self.to.into()) {
                Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => return Err(error),
                _ => {}
            }
            self.traffic.handle_start(now);
            self.hand_over(gauge);
        }
        if self.traffic.poll_timeout().is_some_and(|at| at <= now) {
            self.traffic.handle_timeout(now);
            self.hand_over(gauge);
        }
        let done = gauge.done.load(Ordering::Acquire);
        if done != u64::MAX {
            gauge.done.store(u64::MAX, Ordering::Relaxed);
            gauge.awaited.store(u64::MAX, Ordering::Relaxed);
            self.acknowledge(if done == 0 { now } else { Instant(done) }, gauge, warm);
        }
        if self.acknowledged {
            self.write()
        } else {
            self.send(now, gauge, warm)
        }
    }

    /// All that was handed over is acknowledged.
    fn acknowledge(&mut self, at: Instant, gauge: &Gauge, warm: bool) {
        if let Some(begun) = self.traffic.handle_acknowledged(at, self.released.0) {
            if warm {
                self.told.messages.0 += u128::from(at.since(begun).0);
                self.told.messages.1 += 1;
            }
            self.told.completed = self.file.map(|_| at);
        }
        self.awaited = u64::MAX;
        self.hand_over(gauge);
    }

    fn write(&mut self) -> io::Result<bool> {
        static ZEROS: [u8; CHUNK] = [0; CHUNK];
        if !self.connected {
            if let Some(error) = self.out.take_error()? {
                return Err(error);
            }
            self.connected = self.out.peer_addr().is_ok();
            if !self.connected {
                return Ok(true);
            }
        }
        while self.written < self.released.1 {
            let left = (self.released.1 - self.written).min(CHUNK as u64) as usize;
            match self.out.send(&ZEROS[..left]) {
                Ok(taken) => self.written += taken as u64,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    fn send(&mut self, now: Instant, gauge: &Gauge, warm: bool) -> io::Result<bool> {
        static ZEROS: [u8; 65_535] = [0; 65_535];
        while self.written < self.released.0 {
            let length = self.payload(self.written).min(65_507) as usize;
            match self.out.send(&ZEROS[..length]) {
                Ok(_) => self.written += 1,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                Err(error) => return Err(error),
            }
        }
        if self.awaited != u64::MAX {
            self.acknowledge(now, gauge, warm);
        }
        Ok(false)
    }

    /// The receiver reads all that is there.
    fn read(&mut self) {
        if !self.acknowledged {
            while sys::discard(&self.at_receiver, 1).is_ok() {}
            return;
        }
        if self.accepted.is_none()
            && let Ok((socket, _)) = self.at_receiver.accept()
        {
            self.accepted = socket.set_nonblocking(true).ok().map(|()| socket);
        }
        if let Some(socket) = &self.accepted {
            // Kernels forget it when they measure how much memory a segment takes.
            let _ = sys::set_tcp_option(socket, libc::TCP_WINDOW_CLAMP, self.window);
            while sys::discard(socket, CHUNK).is_ok_and(|it| it > 0) {}
        }
    }

    fn look(&self, gauge: &Gauge) {
        if let Ok(info) = Info::of(&self.out)
            && self.connected
        {
            let ssthresh = match info.ssthresh {
                unset if unset >= i32::MAX as u32 => f64::INFINITY,
                set => f64::from(set),
            };
            let cwnd = f64::from(info.cwnd);
            gauge.cwnd.store(cwnd.to_bits(), Ordering::Relaxed);
            gauge.ssthresh.store(ssthresh.to_bits(), Ordering::Relaxed);
        }
    }
}

impl Flows {
    /// The sockets of flows with these ends; nothing is sent yet.
    ///
    /// # Errors
    /// If the kernel refuses one.
    pub fn new(
        flows: &[spec::Flow],
        ends: &[Ends],
        hosts: &[&Host],
        (seed, ipv6, warm_up): (u64, bool, Duration),
    ) -> Result<Self, Trouble> {
        let flows = flows.iter().zip(ends);
        let flows = flows.map(|(flow, ends)| Flow::new((flow, ends, seed), hosts, ipv6));
        Ok(Self {
            flows: flows.collect::<Result<_, _>>()?,
            warm_up: Instant(warm_up.0),
        })
    }

    /// Runs applications and receivers until `end` or until it is halted, and gives what the sockets tell then.
    pub fn run(
        mut self,
        clock: Clock,
        end: Instant,
        gauges: &[Gauge],
        stop: &impl Fn() -> bool,
    ) -> Vec<Told> {
        let (mut reads, mut looks, mut warm) = (Instant::ZERO, Instant::ZERO, false);
        loop {
            let now = clock.now();
            if !warm && now >= self.warm_up {
                warm = true;
                for flow in self.flows.iter_mut().filter(|it| it.acknowledged) {
                    flow.told.warm = Info::of(&flow.out).unwrap_or_default();
                }
            }
            if now >= end || stop() {
                break;
            }
            let mut full = Vec::new();
            let mut next = end.min(reads);
            for (at, (flow, gauge)) in self.flows.iter_mut().zip(gauges).enumerate() {
                if flow.told.failed.is_some() {
                    continue;
                }
                match flow.step(now, gauge, warm) {
                    Ok(true) => full.push(at),
                    Ok(false) => {}
                    Err(error) => flow.told.failed = Some(error.to_string()),
                }
                let due = flow.traffic.poll_timeout().unwrap_or(Instant::NEVER);
                next = next.min(if flow.begun { due } else { flow.start });
            }
            if now >= reads {
                self.flows.iter_mut().for_each(Flow::read);
                reads = now + READING;
            }
            if now >= looks {
                let both = self.flows.iter().zip(gauges);
                both.filter(|(flow, _)| flow.acknowledged)
                    .for_each(|(flow, gauge)| flow.look(gauge));
                looks = now + LOOKING;
            }
            let rest = next.min(reads).since(clock.now());
            if rest > Duration::ZERO {
                let files = full.iter().map(|at| self.flows[*at].out.as_fd());
                let _ = Awaited::new(files, Ready::Write).wait(std_duration(rest));
            }
        }
        self.close()
    }

    fn close(self) -> Vec<Told> {
        let close = |mut flow: Flow| {
            if flow.acknowledged {
                flow.told.info = Info::of(&flow.out).unwrap_or_default();
                let received = flow.accepted.as_ref().and_then(|it| Info::of(it).ok());
                flow.told.received = received.map_or(0, |it| it.received);
            }
            flow.told.unanswered = flow.acknowledged && flow.begun && !flow.connected;
            flow.told
        };
        self.flows.into_iter().map(close).collect()
    }
}
