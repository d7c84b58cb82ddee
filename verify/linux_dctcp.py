"""DCTCP as Linux 6.1 has it, as a controller for the simulator, whose `dctcp` follows RFC 8257.

Windows are whole segments, and so is what an echo takes from them: of a small window with a small alpha, nothing. Alpha
counts in 1,024ths. Names in comments are the kernel's.
"""

from __future__ import annotations

import dupack as dk

MOST = 1024
SHIFT = 4
"""g is 1/16: `dctcp_shift_g`."""


class LinuxDctcp(dk.Controller):
    """`tcp_dctcp.c`, with the part of `tcp_input.c` that reduces the window."""

    wants_records = True

    def start(self) -> None:
        """A new connection."""
        self.window = float(int(self.initial_window))
        self.ssthresh = self.initial_ssthresh
        self._alpha = MOST
        self._count = 0  # snd_cwnd_cnt
        self._una = self._delivered = self._delivered_ce = 0
        self._window_end = 0  # next_seq
        self._old = (0, 0)  # old_delivered, old_delivered_ce
        self._saved: tuple[float, float] | None = None

    def on_ack(self, ack: dk._native.Ack) -> None:
        """`dctcp_update_alpha`, then `tcp_reno_cong_avoid`."""
        following = self._una + ack.flight
        self._una += ack.acked
        delivered = ack.delivered or 0
        if ack.ece:
            self._delivered_ce += delivered - self._delivered
        self._delivered = delivered
        if self._una >= self._window_end:
            self._window_end = following
            self._update()
        if not ack.opens or not ack.is_limited_by(self.window):
            return
        acked = ack.acked
        if self.window < self.ssthresh:
            grown = min(self.window + acked, self.ssthresh)
            acked -= int(grown - self.window)
            self.window = grown
        self._count += acked
        if self._count >= self.window:
            self._count -= int(self.window)
            self.window += 1

    def _update(self) -> None:
        delivered, marked = self._delivered - self._old[0], self._delivered_ce - self._old[1]
        self._old = self._delivered, self._delivered_ce
        # The last part of alpha goes at once.
        self._alpha -= self._alpha >> SHIFT or self._alpha
        if marked:
            self._alpha = min(self._alpha + (marked << (10 - SHIFT)) // max(1, delivered), MOST)

    def on_congestion(self, congestion: dk._native.Congestion) -> None:
        """`dctcp_ssthresh` for an echo, `dctcp_react_to_loss` for a loss."""
        cwnd = int(self.window)
        if congestion.kind == "ecn":
            self.ssthresh = max(cwnd - (cwnd * self._alpha >> 11), 2)
        elif not (congestion.echoed or (congestion.kind == "timeout" and congestion.again)):
            self.ssthresh = max(cwnd >> 1, 2)
        self.window = 1.0 if congestion.kind == "timeout" else min(self.window, self.ssthresh)
        self._count = 0

    def save(self) -> None:
        """Before congestion that may be none."""
        self._saved = (self.window, self.ssthresh)

    def undo(self) -> None:
        """It was none."""
        if self._saved:
            self.window, self.ssthresh = max(self.window, self._saved[0]), max(self.ssthresh, self._saved[1])
            self._saved = None
