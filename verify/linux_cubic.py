"""CUBIC's congestion avoidance as Linux 6.1 has it, as a controller for the simulator; `linux-cubic` follows RFC 9438.

Windows are whole segments, and a loss leaves the whole part of 0.7 of the window. Reno's window grows by 0.53 segments
per round trip, also beyond the window at the last loss, from where RFC 9438 has 1. Slow start ends at ssthresh, and not
with the first ack after it: a loss is not followed by a segment more. For a window of data after an echo (the state
CWR) nothing grows. The growth is reckoned anew once in three ticks at most, while the window is the same. Slow start is
the standard one; `initial_ssthresh` says where it ends. Names in comments are the kernel's.
"""

from __future__ import annotations

import math

import dupack as dk

HZ = 100
"""Ticks per second of User-Mode Linux."""
BETA = 717 / 1024
FRIENDLY = 15 / 8
"""Acknowledged segments per segment of Reno's window, and per segment of the window: `beta_scale` / 8."""
C = 410 / 1024
"""Segments per second cubed: `bic_scale` times 10, over 1024."""


class LinuxCubic(dk.Controller):
    """`tcp_cubic.c`, with this many ticks per second."""

    def __init__(self, hz: int = HZ) -> None:
        self.hz = hz

    def start(self) -> None:
        """A new connection."""
        self.window = float(int(self.initial_window))
        self.ssthresh = self.initial_ssthresh
        self._count = 0  # snd_cwnd_cnt
        self._una = self._reduced_until = 0  # snd_una, high_seq
        self._saved: tuple[float, float, int] | None = None
        self._forget()

    def _forget(self) -> None:
        """`bictcp_reset`."""
        self._last_max = 0
        self._epoch: int | None = None
        self._per_segment = 0.0  # cnt
        self._reno = self._acks = 0
        self._last = (-1, -self.hz)  # last_cwnd, last_time
        self._k, self._origin = 0.0, 0

    def on_ack(self, ack: dk._native.Ack) -> None:
        """`cubictcp_cong_avoid`."""
        self._una += ack.acked
        if self._una < self._reduced_until:
            return
        if not ack.opens or not ack.acked or not ack.is_limited_by(self.window):
            return
        acked = ack.acked
        if self.window < self.ssthresh:
            grown = min(self.window + acked, self.ssthresh)
            acked -= int(grown - self.window)
            self.window = grown
            if not acked:
                return
        self._grow(ack.now, acked, ack.min_rtt or 0.0)

    def _grow(self, now: float, acked: int, min_rtt: float) -> None:
        """`bictcp_update` and `tcp_cong_avoid_ai`."""
        cwnd, tick = int(self.window), int(now * self.hz)
        self._acks += acked
        last_cwnd, last = self._last
        if not (last_cwnd == cwnd and tick - last <= self.hz // 32):
            if self._epoch is None or tick != last:
                self._last = (cwnd, tick)
                self._curve(tick, cwnd, acked, min_rtt)
            self._friendly(cwnd)
        each = max(int(self._per_segment), 2)
        if self._count >= each:
            self._count = 0
            self.window += 1
        self._count += acked
        if self._count >= each:
            self.window += self._count // each
            self._count %= each

    def _curve(self, tick: int, cwnd: int, acked: int, min_rtt: float) -> None:
        if self._epoch is None:
            self._epoch, self._acks, self._reno = tick, acked, cwnd
            self._k = ((max(self._last_max, cwnd) - cwnd) / C) ** (1 / 3)
            self._origin = max(self._last_max, cwnd)
        from_k = (tick - self._epoch) / self.hz + min_rtt - self._k
        target = self._origin + math.copysign(int(C * abs(from_k) ** 3), from_k)
        self._per_segment = cwnd // (target - cwnd) if target > cwnd else 100 * cwnd
        if not self._last_max:
            self._per_segment = min(self._per_segment, 20)

    def _friendly(self, cwnd: int) -> None:
        step = int(cwnd * FRIENDLY)
        while self._acks > step:
            self._acks -= step
            self._reno += 1
        if self._reno > cwnd:
            self._per_segment = min(self._per_segment, cwnd // (self._reno - cwnd))

    def on_congestion(self, congestion: dk._native.Congestion) -> None:
        """`bictcp_recalc_ssthresh`, and `bictcp_state` for a timeout."""
        if congestion.kind == "loss" and congestion.echoed:
            return
        cwnd = int(self.window)
        if congestion.kind == "ecn":
            self._reduced_until = self._una + congestion.flight
        if not (congestion.kind == "timeout" and congestion.again):
            self._epoch = None
            self._last_max = int(cwnd * (1 + BETA) / 2) if cwnd < self._last_max else cwnd
            self.ssthresh = max(int(cwnd * BETA), 2)
        self.window = 1.0 if congestion.kind == "timeout" else self.ssthresh
        self._count = 0
        if congestion.kind == "timeout":
            self._forget()

    def save(self) -> None:
        """Before congestion that may be none."""
        self._saved = (self.window, self.ssthresh, self._last_max)

    def undo(self) -> None:
        """It was none: `tcp_undo_cwnd_reduction`."""
        if self._saved:
            window, ssthresh, self._last_max = self._saved
            self.window, self.ssthresh = max(self.window, window), max(self.ssthresh, ssthresh)
            self._saved = None
