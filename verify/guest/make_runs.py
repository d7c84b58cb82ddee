"""Runs flows over queues of Linux, inside Linux in a process: a child of init.sh, which verify/uml.py starts.

The network is made of namespaces: `to` receives, `router` has the bottleneck towards it, `from-0`, `from-1`, ... send.
Delays are on the way of the acks, from the router to each sender, so that flows of different round trips share a queue.
Each run is a line of the given file, in JSON; its result is a line of the output, in JSON, after a mark.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import socket
import struct
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MARK = "RESULT "
MODULES = "/usr/lib/uml/modules"
QDISCS = ("tbf", "netem", "codel", "fq_codel", "pie", "cake", "red", "sfq", "choke")
CONTROLS = ("bbr", "dctcp")
"""Those of congestion control that are modules; Reno and CUBIC are built in."""
WANTED = (
    "drivers/net/veth.ko",
    *(f"net/sched/sch_{name}.ko" for name in QDISCS),
    *(f"net/ipv4/tcp_{name}.ko" for name in CONTROLS),
)
SENDERS = 8
FINIT_MODULE = 313
"""System call of x86-64."""
CLONE_NEWNET = 0x40000000
ABSOLUTE = 1
"""TFD_TIMER_ABSTIME"""
SO_TIMESTAMPNS = 35
ECHO_REQUEST = 8
PORT = 5000
SAMPLE_S = 0.05
"""Time between two looks at TCP_INFO."""
SETTLE_S = 0.3
"""Between runs, so that what is in flight has gone."""
COUNTERS = (
    "TCPTimeouts",
    "TCPLossProbes",
    "TCPSpuriousRTOs",
    "TCPLostRetransmit",
    "TCPHystartTrainDetect",
    "TCPHystartDelayDetect",
    "TCPHystartTrainCwnd",
    "TCPHystartDelayCwnd",
)
SHOW = ("tc", "-n", "router", "-s", "-j", "qdisc", "show", "dev", "bottleneck")
INFO = struct.Struct("<8B24I4Q6I4Q2I2Q4I")
"""`struct tcp_info` of Linux 6.1 up to `tcpi_snd_wnd`."""
FIELDS = {
    "rto_us": 8,
    "lost": 14,
    "srtt_us": 23,
    "ssthresh": 25,
    "cwnd": 26,
    "retransmitted": 31,
    "pacing_bps": 32,
    "segments_out": 36,
    "acks": 37,
    "min_rtt_us": 39,
    "data_segments_out": 41,
    "rwnd_limited_us": 44,
    "sndbuf_limited_us": 45,
    "delivered": 46,
    "delivered_ce": 47,
    "dsack_dups": 50,
}
"""Places in what `INFO` unpacks."""

LIBC = ctypes.CDLL(None, use_errno=True)


def tool(*words: str, text: str = "") -> str:
    """What a command prints; it must succeed."""
    done = subprocess.run(words, capture_output=True, text=True, input=text or None, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def load_modules() -> None:
    """Loads what the runs need."""
    (home,) = Path(MODULES).glob("*/kernel")
    for name in WANTED:
        file = os.open(home / name, os.O_RDONLY)
        if LIBC.syscall(FINIT_MODULE, file, b"", 0):
            raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
        os.close(file)


@contextlib.contextmanager
def inside(namespace: str) -> Iterator[None]:
    """Runs its body in a network namespace; sockets that it makes stay there."""
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    try:
        if LIBC.setns(there, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"setns {namespace}")
        yield
    finally:
        LIBC.setns(home, CLONE_NEWNET)
        os.close(home)
        os.close(there)


def network() -> None:
    """Makes the namespaces and the devices between them."""
    senders = [f"from-{n}" for n in range(SENDERS)]
    links = [("router", "bottleneck", "to", "receiver", "10.0.99")]
    links += [(f"from-{n}", "sender", "router", f"access-{n}", f"10.0.{n}") for n in range(SENDERS)]
    lines = [f"netns add {name}" for name in ("router", "to", *senders)]
    addresses: dict[str, list[str]] = {}
    for here, device, there, peer, prefix in links:
        lines.append(f"link add {device} netns {here} type veth peer name {peer} netns {there}")
        for name, at, end in ((here, device, 1), (there, peer, 2)):
            # No packet of more than one segment: a qdisc would count it as one.
            own = [f"addr add {prefix}.{end}/24 dev {at}", f"link set {at} gso_max_segs 1 up"]
            addresses.setdefault(name, []).extend(own)
    tool("ip", "-batch", "-", text="\n".join(lines))
    for name, own in addresses.items():
        if name != "router":
            gateway = "10.0.99.1" if name == "to" else f"10.0.{name.removeprefix('from-')}.2"
            own.append(f"route add default via {gateway}")
        tool("ip", "-n", name, "-batch", "-", text="\n".join(own))
        with inside(name):
            if name == "router":
                _set("ipv4/ip_forward", "1")
            # What an earlier connection to the same host has learned is not used.
            _set("ipv4/tcp_no_metrics_save", "1")
            # The largest receive buffer is there from the start, so that the window of the receiver never limits.
            _set("ipv4/tcp_rmem", "4096 6291456 6291456")


def _set(name: str, value: str) -> None:
    Path("/proc/sys/net", name).write_text(value)


def queues(run: dict[str, Any]) -> None:
    """Sets the bottleneck's qdiscs and the delays of a run."""
    lines = [f"qdisc replace dev access-{n} root pfifo limit 1000" for n in range(SENDERS)]
    for n, flow in enumerate(run["flows"]):
        lines.append(f"qdisc replace dev access-{n} root netem delay {flow['rtt_ms']}ms limit 100000")
    lines.append("qdisc replace dev bottleneck root pfifo limit 1000")
    bucket = f"tbf rate {run['rate_bps']}bit burst {run['burst']} limit 100000000"
    lines.append(f"qdisc replace dev bottleneck root handle 1: {bucket}")
    lines.append(f"qdisc replace dev bottleneck parent 1:1 handle 2: {run['qdisc']}")
    tool("tc", "-n", "router", "-batch", "-", text="\n".join(lines))


def counters(namespace: str) -> dict[str, int]:
    """The extended counters of TCP of a namespace."""
    with inside(namespace):
        # A new process would be in the namespace; /proc/net is that of the main thread.
        lines = Path("/proc/thread-self/net/netstat").read_text().splitlines()
    names, values = next((a, b) for a, b in zip(lines[::2], lines[1::2], strict=True) if a.startswith("TcpExt:"))
    every = dict(zip(names.split()[1:], map(int, values.split()[1:]), strict=True))
    return {name: every[name] for name in COUNTERS if name in every}


class Tcp:
    """A TCP flow: a socket that is always full, and one that discards what comes."""

    def __init__(self, number: int, asked: dict[str, Any], ecn: bool, poll: Poll) -> None:
        self.number, self._poll = number, poll
        self.received = 0
        self._spare = bytearray(1 << 18)
        self._text = bytes(1 << 16)
        control = asked["control"].encode()
        for name in ("to", f"from-{number}"):
            with inside(name):
                _set("ipv4/tcp_ecn", "1" if ecn else "0")
        with inside("to"):
            self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control)
        self._listener.bind(("10.0.99.2", PORT + number))
        self._listener.listen(1)
        poll.add(self._listener, select.EPOLLIN, self._accept)
        with inside(f"from-{number}"):
            self._sender = socket.socket()
        self._sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control)
        # An abortive close: nothing is sent after the run.
        self._sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._sender.setblocking(False)
        self._receiver: socket.socket | None = None

    def start(self) -> None:
        """Connects."""
        self._sender.connect_ex(("10.0.99.2", PORT + self.number))
        self._poll.add(self._sender, select.EPOLLOUT, self._send)

    def _accept(self) -> None:
        self._receiver, _ = self._listener.accept()
        self._receiver.setblocking(False)
        self._poll.add(self._receiver, select.EPOLLIN, self._receive)

    def _receive(self) -> None:
        assert self._receiver
        with contextlib.suppress(BlockingIOError):
            self.received += self._receiver.recv_into(self._spare, 0, socket.MSG_TRUNC)

    def _send(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._sender.send(self._text)

    def info(self) -> dict[str, int]:
        """What TCP_INFO tells."""
        told = INFO.unpack(self._sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, INFO.size))
        return {name: told[at] for name, at in FIELDS.items()}

    def close(self) -> None:
        """Ends the connection at once."""
        for one in (self._sender, self._receiver, self._listener):
            if one:
                self._poll.remove(one)
                one.close()


class Timer:
    """A clock that is ready at exact times, again and again; a wait of `epoll` ends at whole milliseconds."""

    def __init__(self) -> None:
        self._file = LIBC.timerfd_create(time.CLOCK_MONOTONIC, os.O_NONBLOCK)
        if self._file < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create")

    def fileno(self) -> int:
        """To wait for it."""
        return int(self._file)

    def start(self, at: float, every: float) -> None:
        """It is ready at this time of the monotonic clock, and then again after each ``every`` seconds."""
        (seconds, rest), (period, part) = (divmod(round(it * 1e9), 10**9) for it in (at, every))
        when = struct.pack("4l", period, part, seconds, rest)
        if LIBC.timerfd_settime(self._file, ABSOLUTE, when, None):
            raise OSError(ctypes.get_errno(), "timerfd_settime")

    def passed(self) -> int:
        """How often it was ready since the last call."""
        return int.from_bytes(os.read(self._file, 8), "little")

    def close(self) -> None:
        """Ends it."""
        os.close(self._file)


class Udp:
    """Datagrams at a constant rate, whatever becomes of them."""

    def __init__(self, number: int, asked: dict[str, Any], poll: Poll) -> None:
        self.number, self._poll = number, poll
        self.received = self.sent = 0
        self._payload = bytes(asked["payload"])
        self._every_s = asked["every_s"]
        self._timer = Timer()
        with inside("to"):
            self._receiver = socket.socket(type=socket.SOCK_DGRAM)
        self._receiver.setblocking(False)
        self._receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self._receiver.bind(("10.0.99.2", PORT + number))
        poll.add(self._receiver, select.EPOLLIN, self._receive)
        with inside(f"from-{number}"):
            self._sender = socket.socket(type=socket.SOCK_DGRAM)
        self._sender.connect(("10.0.99.2", PORT + number))

    def _receive(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self.received += len(self._receiver.recv(1 << 16))

    def start(self, at: float) -> None:
        """Sends from then on, by the monotonic clock."""
        self._timer.start(at, self._every_s)
        self._poll.add(self._timer, select.EPOLLIN, self._send)

    def _send(self) -> None:
        for _ in range(self._timer.passed()):
            self._sender.send(self._payload)
            self.sent += 1

    def close(self) -> None:
        """Closes its sockets."""
        for one in (self._receiver, self._timer):
            self._poll.remove(one)
        for one in (self._receiver, self._sender, self._timer):
            one.close()


class Pings:
    """Echo requests to the router at a constant rate; the answers have the delay of acks, and pass no bottleneck.

    The kernel answers, and tells when each answer came. How much later than the delay that is, is kept.
    """

    def __init__(self, number: int, asked: dict[str, Any], poll: Poll) -> None:
        self.number, self._poll = number, poll
        self.late_us: list[int] = []
        self._delay_ns = asked["rtt_ms"] * 1_000_000
        self._every_s = asked["every_s"]
        self._sent: list[int] = []
        self._from = 0
        self._timer = Timer()
        with inside(f"from-{number}"):
            self._socket = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        self._socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self._socket.setblocking(False)
        self._to = (f"10.0.{number}.2", 0)
        poll.add(self._socket, select.EPOLLIN, self._receive)

    def start(self, at: float) -> None:
        """Sends from then on, by the monotonic clock."""
        self._timer.start(at, self._every_s)
        self._poll.add(self._timer, select.EPOLLIN, self._send)

    def _send(self) -> None:
        self._timer.passed()
        number = len(self._sent)
        plain = struct.pack("!BBHHH", ECHO_REQUEST, 0, 0, self.number, number % 2**16)
        self._sent.append(time.time_ns())
        self._socket.sendto(plain[:2] + struct.pack("!H", checksum(plain)) + plain[4:], self._to)

    def _receive(self) -> None:
        with contextlib.suppress(BlockingIOError):
            packet, extra, _, _ = self._socket.recvmsg(256, 256)
            header = 4 * (packet[0] & 15)
            kind, _, _, _, number = struct.unpack("!BBHHH", packet[header : header + 8])
            seconds, rest = struct.unpack("2q", extra[0][2][:16])
            # Requests that were sent before the first answer came may have waited for address resolution.
            self._from = self._from or len(self._sent)
            if kind == 0 and number >= self._from:
                late = seconds * 10**9 + rest - self._sent[number] - self._delay_ns
                self.late_us.append(late // 1000)

    def close(self) -> None:
        """Closes its sockets."""
        for one in (self._socket, self._timer):
            self._poll.remove(one)
            one.close()


def checksum(data: bytes) -> int:
    """That of the Internet (RFC 1071), of an even number of bytes."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF


class Poll:
    """What to do when a socket is ready."""

    def __init__(self) -> None:
        self._poll = select.epoll()
        self._actions: dict[int, Any] = {}

    def add(self, one: socket.socket | Timer, events: int, action: Any) -> None:
        """Calls ``action`` whenever there is an event."""
        self._actions[one.fileno()] = action
        self._poll.register(one, events)

    def remove(self, one: socket.socket | Timer) -> None:
        """Forgets a socket."""
        if self._actions.pop(one.fileno(), None):
            self._poll.unregister(one)

    def wait(self, seconds: float) -> None:
        """Handles what happens until then, once."""
        for file, _ in self._poll.poll(max(0.0, seconds)):
            if action := self._actions.get(file):
                action()


def make(run: dict[str, Any]) -> dict[str, Any]:
    """Makes a run."""
    queues(run)
    poll = Poll()
    tcp: list[Tcp] = []
    udp: list[Udp] = []
    pings: list[Pings] = []
    starts: list[float] = []
    for number, asked in enumerate(run["flows"]):
        if asked["control"] == "udp":
            udp.append(Udp(number, asked, poll))
        elif asked["control"] == "pings":
            pings.append(Pings(number, asked, poll))
        else:
            tcp.append(Tcp(number, asked, run["ecn"], poll))
            starts.append(asked["start_s"])
    before = {one.number: counters(f"from-{one.number}") for one in tcp}
    samples: dict[int, list[dict[str, int]]] = {one.number: [] for one in tcp}
    first: dict[int, tuple[int, dict[str, int]]] = {}
    middle: dict[int, dict[str, int]] = {}
    started: set[int] = set()
    stalls: list[float] = []
    began = time.monotonic()
    timed: list[Udp | Pings] = [*udp, *pings]
    for flow in timed:
        flow.start(began + run["flows"][flow.number]["start_s"])
    sample = SAMPLE_S
    while (now := time.monotonic() - began) < run["duration_s"]:
        for one, start in zip(tcp, starts, strict=True):
            if one.number not in started and now >= start:
                started.add(one.number)
                one.start()
        if now >= run["warm_up_s"] and not first:
            first = {one.number: (one.received, one.info()) for one in tcp}
            first |= {it.number: (it.received, {}) for it in udp}
            measured_from = now
            # Not waited for: the flows go on.
            looking = subprocess.Popen(SHOW, stdout=subprocess.PIPE, text=True)
            middle = {one.number: counters(f"from-{one.number}") for one in tcp}
        if now >= sample:
            stalls.append(now - sample)
            if first:
                for one in tcp:
                    samples[one.number].append(one.info())
            sample += SAMPLE_S
        waits = [sample, run["duration_s"]]
        waits += [start for one, start in zip(tcp, starts, strict=True) if one.number not in started]
        poll.wait(min(waits) - now)
    last = {one.number: (one.received, one.info()) for one in tcp} | {it.number: (it.received, {}) for it in udp}
    took = time.monotonic() - began - measured_from
    told = json.loads(tool(*SHOW))
    told_at_warm_up = json.loads(looking.communicate()[0])
    for connection in tcp:
        connection.close()
    for flow in timed:
        flow.close()
    late = {one.number: one.late_us for one in pings}
    flows = []
    for number, asked in enumerate(run["flows"]):
        if number in late:
            flows.append({"answers": len(late[number]), "late_us": percentiles(late[number])})
            continue
        bytes_, info = first[number]
        upto, final = last[number]
        one_: dict[str, Any] = {"goodput_bps": (upto - bytes_) * 8 / took}
        if asked["control"] != "udp":
            after = counters(f"from-{number}")
            one_["info"] = final
            one_["info_at_warm_up"] = info
            one_["netstat"] = {name: after[name] - before[number][name] for name in after}
            one_["netstat_at_warm_up"] = {name: middle[number][name] - before[number][name] for name in after}
            one_["srtt_us"] = quantiles([it["srtt_us"] for it in samples[number]])
            one_["cwnd"] = quantiles([it["cwnd"] for it in samples[number]])
        flows.append(one_)
    return {
        "key": run["key"],
        "flows": flows,
        "qdisc": told[-1],
        "qdisc_at_warm_up": told_at_warm_up[-1],
        "sent_datagrams": sum(flow.sent for flow in udp),
        "stall_ms": max(stalls) * 1e3,
        "stalls_ms_p99": sorted(stalls)[len(stalls) * 99 // 100] * 1e3,
    }


def quantiles(values: list[int]) -> dict[str, int]:
    """Median, 95th percentile and largest."""
    values = sorted(values)
    return {"p50": values[len(values) // 2], "p95": values[len(values) * 95 // 100], "max": values[-1]}


def percentiles(values: list[int]) -> list[int]:
    """The smallest, each percentile, and the largest."""
    values = sorted(values)
    return [values[min(len(values) * share // 100, len(values) - 1)] for share in range(101)]


def main() -> None:
    """Makes all runs."""
    load_modules()
    network()
    for line in Path(sys.argv[1]).read_text().splitlines():
        run = json.loads(line)
        try:
            found = make(run)
        except Exception:  # The other runs are made all the same; verify/uml.py tells of this one.
            found = {"key": run["key"], "failed": traceback.format_exc()}
        print(MARK + json.dumps(found), flush=True)
        time.sleep(SETTLE_S)


if __name__ == "__main__":
    main()
