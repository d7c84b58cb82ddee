"""Reno as l4s-tests' kernel sends it: `tcp_cong.c` and `tcp_output.c` of Linux 5.4, with `netem` right behind them.

Names in comments are the kernel's. What is here and not in `linux-reno` is how many packets may go out for one ack.
"""

from __future__ import annotations

import math
from collections import deque

import dupack as dk

MSS = 1448
HEAD, SEGMENT = 1280, 2304
"""Bytes that a packet counts beside its payload (`truesize`), and that a segment counts which is cut from a packet."""
LEAST = 2
"""Segments of a packet (`tcp_min_tso_segs`), if the window and the pacing rate allow no more."""
BUFFER = 4352
"""Bytes of a segment in the send buffer, which has room for two windows, of ten segments at least."""
MOST_BUFFER = 4 << 20
"""`tcp_wmem` [B]."""


class LinuxReno(dk.Controller):
    """Reno with windows of whole segments, whose packets wait for room below.

    Two packets may be below the sender (`tcp_small_queue_check`). `netem` takes those it delays out of that count, but
    it did not wake the sender before 2021 ("net: let skb_orphan_partial wake-up waiters"). So a third packet waits for
    the next ack, or until the application writes. A window that is not full then does not grow.

    The window that the simulator gets is what may be in flight until the next ack.

    Args:
        waits: Whether a third packet waits; if not, it is `linux-reno`, written again.
    """

    wants_records = True

    def __init__(self, *, waits: bool = True) -> None:
        self.waits = waits

    def start(self) -> None:
        """Slow start, with what `tcp_init_buffer_space` gives."""
        self._cwnd = int(self.initial_window)
        self.window = float(self._cwnd)
        self.ssthresh = self.initial_ssthresh
        self._count = self._una = 0  # snd_cwnd_cnt, snd_una
        self._high: int | None = None  # high_seq, in TCP_CA_CWR
        self._prior = self._delivered = self._out = 0  # prior_cwnd, prr_delivered, prr_out
        self._most = self._until = 0  # max_packets_out, max_packets_seq
        self._full = False  # is_cwnd_limited
        self._sent: deque[float] = deque()
        self._last = -math.inf  # tcp_wstamp_ns
        self._buffer, self._free = 2 * 10 * BUFFER, 0  # tcp_sndbuf_expand

    def on_sent(self, now: float, in_flight: int) -> None:
        """Times of transmissions, for `tcp_tso_should_defer`."""
        self._out += 1
        self._sent.append(now)
        self._last = now

    def on_ack(self, ack: dk._native.Ack) -> None:
        """`tcp_cong_control`, `tcp_data_snd_check`."""
        end = self._una + ack.flight
        self._una += ack.acked
        self._free += MSS * ack.acked
        left = ack.flight - ack.acked
        while len(self._sent) > left:
            self._sent.popleft()
        if ack.phase != "open":
            self.window = float(self._cwnd)
            return
        arrived = ack.arrived or 0
        if self._high is not None and self._una > self._high:
            self._high = None
            self._cwnd = int(self.ssthresh)
        if self._high is not None:
            self._reduce(arrived, ack.in_flight)
        elif ack.acked and self._is_used():
            self._grow(arrived)
        sent = self._push(ack, end, 0, waits=self.waits)
        if 3 * self._free >= self._buffer:
            # sk_stream_write_space: the application is woken, and finds that what was sent has gone on.
            if ack.in_flight + sent < self._cwnd:
                self._buffer = min(max(self._buffer, 2 * max(10, self._cwnd) * BUFFER), MOST_BUFFER)
            self._free = 0
            sent += self._push(ack, end, sent, waits=False)
        self.window = float(max(1, ack.in_flight + sent if self.waits else self._cwnd))

    def _is_used(self) -> bool:
        """`tcp_is_cwnd_limited`."""
        return self._cwnd < 2 * self._most if self._cwnd < self.ssthresh else self._full

    def _grow(self, arrived: int) -> None:
        """`tcp_reno_cong_avoid`, `tcp_cong_avoid_ai`."""
        if self._cwnd < self.ssthresh:
            grown = int(min(self._cwnd + arrived, self.ssthresh))
            arrived -= grown - self._cwnd
            self._cwnd = grown
        if arrived:
            if self._count >= self._cwnd:
                self._count = 0
                self._cwnd += 1
            more, self._count = divmod(self._count + arrived, self._cwnd)
            self._cwnd += more

    def _reduce(self, arrived: int, in_flight: int) -> None:
        """`tcp_cwnd_reduction`, after a mark."""
        if not arrived:
            return
        self._delivered += arrived
        goal = int(self.ssthresh)
        if in_flight > goal:
            more = -(-goal * self._delivered // self._prior) - self._out
        else:
            more = min(goal - in_flight, arrived)
        self._cwnd = in_flight + max(more, 0 if self._out else 1)

    def _push(self, ack: dk._native.Ack, end: int, before: int, *, waits: bool) -> int:
        """`tcp_write_xmit`: how many segments go out, when ``before`` of this ack's have."""
        in_flight, left = ack.in_flight + before, ack.flight - ack.acked + before
        srtt = ack.srtt or math.inf
        # tcp_update_pacing_rate, tcp_tso_autosize: bytes of about a millisecond.
        rate = (2 if self._cwnd < self.ssthresh / 2 else 1.2) * MSS * max(self._cwnd, left) / srtt / 1024
        most = max(LEAST, int(rate / MSS))
        sent, below, deferred = 0, 1, False
        while in_flight + sent < self._cwnd:
            room = self._cwnd - in_flight - sent
            if self._defers(ack.now, room, most, srtt, sent=sent > 0):
                deferred = True
                break
            size = min(max(self._cwnd // 2, 1), room, most)
            if waits and left + sent and below > max(2 * (HEAD + MSS * size), rate):
                break
            below += SEGMENT * size if size > 1 else HEAD + MSS
            sent += size
        # tcp_cwnd_validate
        if sent and (self._una >= self._until or left + sent > self._most):
            self._most, self._until = left + sent, end + before + sent
            self._full = deferred or in_flight + sent >= self._cwnd
        return sent

    def _defers(self, now: float, room: int, most: int, srtt: float, *, sent: bool) -> bool:
        """`tcp_tso_should_defer`: whether a small rest waits for the next ack, which comes soon."""
        if room >= most or 3 * room >= self._cwnd or not (sent or now - self._last <= 1e-3):
            return False
        return bool(self._sent) and now - self._sent[0] >= srtt / 2

    def on_congestion(self, congestion: dk._native.Congestion) -> None:
        """`tcp_init_cwnd_reduction`, `tcp_enter_loss`."""
        self._prior, self._delivered, self._out, self._count = self._cwnd, 0, 0, 0
        self.ssthresh = max(self._cwnd // 2, 2)
        if congestion.kind == "ecn":
            self._high = self._una + congestion.flight
            return
        self._high = None
        self._cwnd = 1 if congestion.kind == "timeout" else int(self.ssthresh)
        self.window = float(self._cwnd)

    def on_recovered(self, now: float, flight: int) -> None:
        """`tcp_end_cwnd_reduction`; after a timeout the window has stayed."""
        if self._cwnd > 1:
            self._cwnd = int(self.ssthresh)
        self.window = float(self._cwnd)


TRANSPORT = (
    f'control = {{ kind = "external", name = "{LinuxReno.__name__}" }}, repair = "rack-tlp", compat = "linux", '
    'echo_reduction = "classic"'
)
"""In a plan, without the braces and ECN. After a mark the controller itself reduces its window step by step."""
