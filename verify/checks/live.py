"""The emulation of live links: rate, delay, losses and order, as programs at both ends see them."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verify import live_ends, live_host
from verify.frame import Report, Row

TITLE = "Live links, as programs at their ends see them"
AGAINST = "the plan's numbers; sequence numbers and the kernel's own time stamps of UDP datagrams"
ORDER = 27
ENDS = Path(live_ends.__file__)
SIZE = 1000
"""Length of the packets [bytes]."""
RATES = {"1 Mb/s": 1e6, "10 Mb/s": 1e7, "100 Mb/s": 1e8}
REPORTED = {"1 Gb/s": 1e9}
"""Of these, nothing is claimed."""
DELAY = 0.02
BURST = 20_000
"""Of tbf [bytes]."""
REPEATS = 5
"""Of the measurement of delays."""
SECONDS = 4.0
"""Length of the measurement of a rate."""
PLAN = """
title = "One link"
duration = "1 s"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "line"
carries = "packets"
from = "a"
to = "b"
rate = "{rate}"
delay = "{delay} ms"
queue = {{ kind = "drop-tail", buffer = "50000 packets" }}
loss = {{ kind = "bernoulli", rate = {loss} }}
[[flow]]
name = "unused"
from = "a"
to = "b"
transport = {{ kernel = "reno" }}
"""
TEXT = """
A Python program on one host sends numbered UDP datagrams of 1,000 B to another program, which notes the kernel's time
stamp of each. Neither knows of dupack. **Rate**: datagrams come 1.5 times as fast as the line carries them, so that
the queue is never empty; the rate is that between the first and the last arrival. **Delay**: the line is loaded by a
half; an arrival is compared with that of an ideal FIFO line, computed from the times alone at which the sender's kernel
gave the packets to its device (the kernel's time stamps, too). Of {repeats} repetitions, the row has the one with the
median of the 99th percentiles.
**Losses and order**: the link loses 2 % at random; what arrived, in its order, is compared with a capture at the
receiver's device, and the number of losses with the router's ledger. Bands: 0.1 % of the rate; 150 us for the 99th
percentile of the delay, unless the run itself says that the router was too late to be trusted; identical. At 1 Gb/s
the sender is the limit, and nothing is claimed. The same rates are measured behind the kernel's tbf (burst 20 kB) on
a pair of veth devices, where there are such. The sender, the
receiver and the router share the machine with whatever else runs there.
"""


@dataclass(frozen=True)
class Seen:
    """What the two ends and dupack tell."""

    sent: list[int]
    arrived: list[tuple[int, int]]
    document: dict[str, object]
    captured: list[int]
    """Numbers of the datagrams in the capture at the receiver, in its order."""


def check(quick: bool) -> Report:
    """Runs the links, one after another."""
    if why := live_host.unable(root=True):
        return Report(TITLE, AGAINST, skipped=why, order=ORDER)
    rows = []
    for name, rate in {**RATES, **({} if quick else REPORTED)}.items():
        seconds = 1.0 if quick or name in REPORTED else SECONDS
        rows += _rows(name, rate, seconds, claimed=name in RATES, repeats=1 if quick else REPEATS)
    return Report(TITLE, AGAINST, rows, TEXT.format(repeats=1 if quick else REPEATS), order=ORDER)


def _rows(name: str, rate: float, seconds: float, *, claimed: bool, repeats: int) -> list[Row]:
    each = SIZE * 8 / rate
    full = _live(name, 0.0, round(seconds / each), int(each * 1e9 / 1.5))
    measured = behind(full.arrived)
    rows = [_rate(f"{name}: rate behind dupack", measured, rate, claimed)]
    if shutil.which("tc") is not None and rate <= 1e8:
        rows.append(_beside(f"{name}: rate behind tbf", rate, round(seconds / each), int(each * 1e9 / 1.5)))
    rows.append(_delay(name, rate, seconds, claimed=claimed, repeats=repeats))
    lossy = _live(name, 0.02, round(seconds / each / 2), int(each * 2e9))
    numbers = [number for number, _ in lossy.arrived]
    same = numbers == lossy.captured
    many = f"{len(numbers):,} datagrams"
    rows.append(Row(f"{name}: arrivals in their order", many, f"{len(lossy.captured):,} captured", "identical", same))
    link = lossy.document["links"][0]  # type: ignore[index]
    lost = sum(link["dropped"].values())
    missing = len(lossy.sent) - len(numbers)
    ours, theirs = f"{lost:,} dropped", f"{missing:,} missing"
    rows.append(
        Row(f"{name}: losses", ours, theirs, "identical" if claimed else "", lost == missing if claimed else None)
    )
    return rows


def _delay(name: str, rate: float, seconds: float, *, claimed: bool, repeats: int) -> Row:
    """The median over repetitions of the 99th percentile of lateness."""
    each = SIZE * 8 / rate
    cuts, own, doubted = [], [], 0
    for _ in range(repeats):
        half = _live(name, 0.0, round(seconds / each / 2), int(each * 2e9))
        late = lateness(half, rate)
        cut = statistics.quantiles(late, n=100)
        cuts.append((cut[98], cut[49], max(late)))
        live: dict[str, Any] = half.document["live"]  # type: ignore[assignment]
        own.append(live["lateness_s"]["p99"])
        doubted += not live["trusted"]
    p99, p50, most = sorted(cuts)[len(cuts) // 2]
    found = f"p50: {p50 * 1e6:.0f} us, p99: {p99 * 1e6:.0f} us, max: {most * 1e6:.0f} us"
    note = f"router's own p99: {statistics.median(own) * 1e6:.0f} us; load {os.getloadavg()[0]:.1f}"
    if repeats > 1:
        note = f"p99 of each: {', '.join(f'{one[0] * 1e6:.0f}' for one in cuts)} us; {note}"
    if doubted:
        note += f"; {doubted} of {repeats} runs say: do not trust this"
    agrees = p99 <= 150e-6 if claimed and doubted <= repeats / 2 else None
    return Row(f"{name}: later than an ideal line", found, "0 us", "p99 150 us" if claimed else "", agrees, note)


def _beside(what: str, rate: float, packets: int, gap: int) -> Row:
    """The row of tbf, which says why if there is no number."""
    found = tbf(rate, packets, gap)
    if isinstance(found, float):
        return _rate(what, found, rate, None)
    return Row(what, "no number", f"{rate / 1e6:.0f} Mb/s", "", None, found)


def _rate(what: str, measured: float, rate: float, claimed: bool | None) -> Row:
    agrees = abs(measured / rate - 1) <= 0.001 if claimed else None
    return Row(what, f"{measured / 1e6:.4f} Mb/s", f"{rate / 1e6:.0f} Mb/s", "±0.1 %" if claimed else "", agrees)


def behind(arrived: list[tuple[int, int]]) -> float:
    """The rate [bit/s] between the first arrival and the last."""
    return (len(arrived) - 1) * SIZE * 8 / ((arrived[-1][1] - arrived[0][1]) / 1e9)


def lateness(seen: Seen, rate: float) -> list[float]:
    """By how much each datagram arrived later than over an ideal FIFO line [s]."""
    each = SIZE * 8e9 / rate
    free, ideal = 0.0, []
    for at in seen.sent:
        free = max(free, at) + each
        ideal.append(free + DELAY * 1e9)
    return [(at - ideal[number]) / 1e9 for number, at in seen.arrived]


def _live(rate: str, loss: float, packets: int, gap: int) -> Seen:
    with tempfile.TemporaryDirectory() as folder:
        plan, sent, arrived, capture = (Path(folder, name) for name in ("plan.toml", "sent", "arrived", "b.pcapng"))
        plan.write_text(PLAN.format(rate=rate, delay=DELAY * 1000, loss=loss))
        receiver = f"{sys.executable} {ENDS} receive {arrived} 1"
        sender = f"{sys.executable} {ENDS} send {sent} b {packets} {SIZE} {gap}"
        # The run ends when the receiver has written its file.
        ready = f"while ! [ -e {arrived}.ready ]; do sleep 0.05; done"
        wait = f"{ready}; {sender}; while ! [ -s {arrived} ]; do sleep 0.1; done"
        command = [sys.executable, "-m", "dupack", "live", str(plan), "--json", "--pcap", f"b={capture}"]
        command += ["--serve", f"b={receiver}", "--on", "a", "--", "sh", "-c", wait]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
        found = [(number, at) for number, at in json.loads(arrived.read_text())]
        return Seen(json.loads(sent.read_text()), found, json.loads(done.stdout), _numbers(capture.read_bytes()))


def _numbers(capture: bytes) -> list[int]:
    """Numbers of the datagrams in a pcapng file, from its enhanced packet blocks."""
    at, found = 0, []
    while at < len(capture):
        kind, length = (int.from_bytes(capture[at + i : at + i + 4], sys.byteorder) for i in (0, 4))
        if kind == 6:
            # 28 bytes of the block's own, then the headers of IPv4 and UDP.
            found.append(int.from_bytes(capture[at + 28 + 28 : at + 28 + 32], "big"))
        at += length
    return found


def tbf(rate: float, packets: int, gap: int) -> float | str:
    """The rate behind the kernel's token bucket filter on a pair of veth devices, or why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        arrived, sent = Path(folder, "arrived"), Path(folder, "sent")
        setup = f"""
            set -e
            ip link add v0 type veth peer name v1
            ip link set v0 up
            ip addr add 10.1.0.1/24 dev v0
            unshare -n sleep 120 >/dev/null 2>&1 &
            holder=$!
            trap "kill $holder" EXIT
            while [ "$(readlink /proc/$holder/ns/net)" = "$(readlink /proc/$$/ns/net)" ]; do sleep 0.01; done
            ip link set v1 netns $holder
            in="nsenter --net=/proc/$holder/ns/net"
            $in ip addr add 10.1.0.2/24 dev v1
            $in ip link set v1 up
            tc qdisc add dev v0 root tbf rate {rate:.0f}bit burst {BURST} limit {packets * SIZE}
            $in {sys.executable} {ENDS} receive {arrived} 1 &
            receiver=$!
            while ! [ -e {arrived}.ready ]; do sleep 0.05; done
            {sys.executable} {ENDS} send {sent} 10.1.0.2 {packets} {SIZE - 14} {gap}
            wait $receiver
        """
        done = subprocess.run(["unshare", "-n", "bash", "-c", setup], capture_output=True, timeout=120, check=False)
        if done.returncode or not arrived.exists():
            return (done.stderr.decode(errors="replace").strip().splitlines() or ["it failed"])[-1]
        # The bucket is full at first: its burst is no rate. It lasts for three times as many datagrams, because they
        # come only 1.5 times as fast as it fills.
        first = len(json.loads(sent.read_text())) // 10 + 3 * BURST // SIZE
        found = json.loads(arrived.read_text())[first:]
        # tbf counts Ethernet's header as well, which these datagrams leave room for.
        return behind(found) if len(found) > 10 else f"{len(found)} datagrams arrived"
