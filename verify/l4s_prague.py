"""Prague as l4s-tests' kernel has it: `tcp_prague.c` of L4STeam/linux, commit b256daedc767, with its defaults.

Names in comments are the kernel's. `prague` follows draft-briscoe-iccrg-prague-04, which is younger.
"""

from __future__ import annotations

import dupack as dk

ONE = 1 << 20
"""A segment in `cwnd_cnt` (ONE_CWND), and an alpha of 1 (PRAGUE_MAX_ALPHA)."""
LEAST = 2
"""MIN_CWND [segments]."""
GAIN = 4
"""PRAGUE_SHIFT_G: g is 1/16."""
MTU, MSS, FRAME = 1500, 1448, 1514
"""Bytes of a packet: of IP, its payload, and with the header of Ethernet."""


class LinuxPrague(dk.Controller):
    """`prague`, without RTT independence and without a fallback for classic queues, as is its default.

    What dupack's `prague` has otherwise: it sends by a window with a fraction, rounded down, and takes alpha of it at
    once; the kernel's window is whole segments, which follow the exact window when it is a segment away. An echo takes
    the alpha before the ack that brings it. Packets are paced by their payload at the rate of their IP packets, which
    is 3.6 % more than a window per round trip.
    """

    wants_records = True
    wants_pacing = True
    ect = "ECT(1)"

    def start(self) -> None:
        """`prague_init`."""
        self.window = float(int(self.initial_window))
        self.ssthresh = self.initial_ssthresh
        self._alpha = ONE << GAIN  # upscaled_alpha
        self._count = 0  # cwnd_cnt
        self._in_loss = self._saw_ce = False
        self._una = self._next = 0  # next_seq
        self._delivered = self._marked = 0  # of the round
        self._saved: tuple[float, float, int] | None = None

    def on_ack(self, ack: dk._native.Ack) -> None:
        """`prague_cong_control`."""
        sent = self._una + ack.flight
        self._una += ack.acked
        arrived = ack.arrived or 0
        self._saw_ce |= ack.ce > 0
        self._delivered += arrived
        self._marked += ack.ce
        self._update_window(arrived - ack.ce)
        if self._una >= self._next:
            self._update_alpha()
            self._next = sent
        self._pace(ack)

    def _update_window(self, unmarked: int) -> None:
        """`prague_update_cwnd`: the sender always has data, and is paced, so that its window counts as used."""
        if unmarked > 0 and not self._in_loss:
            if self.window < self.ssthresh:
                grown = min(self.window + unmarked, self.ssthresh)
                unmarked -= int(grown - self.window)
                self.window = grown
                if unmarked == 0:
                    return
            cwnd = int(self.window)
            self._count += max((unmarked * ONE + (cwnd >> 1)) // cwnd, unmarked)
        if self._count <= -ONE:
            self._count += ONE
            self.window -= 1
            if self.window < LEAST:
                self.window, self._count = float(LEAST), 0
            self.ssthresh = self.window
        elif self._count >= ONE:
            self._count -= ONE
            self.window += 1

    def _update_alpha(self) -> None:
        """`prague_update_alpha`, once per round trip."""
        if self._saw_ce:
            share = self._marked * ONE // max(1, self._delivered)
            self._alpha = min(self._alpha - (self._alpha >> GAIN) + share, ONE << GAIN)
        self._delivered = self._marked = 0

    def _pace(self, ack: dk._native.Ack) -> None:
        """`prague_update_pacing_rate`, and `tcp_update_skb_after_send`, which counts payload."""
        if not ack.srtt:
            return
        packets = max(self.window, ack.in_flight) * (2 if self.window < self.ssthresh / 2 else 1)
        self.pacing_rate = packets * 8 * FRAME * MTU / MSS / ack.srtt

    def on_congestion(self, congestion: dk._native.Congestion) -> None:
        """`prague_enter_cwr`, `prague_enter_loss`."""
        cwnd = int(self.window)
        if congestion.kind == "ecn":
            alpha = self._alpha >> GAIN
            self._count -= (alpha * cwnd * ONE + ONE) // (2 * ONE)
            return
        self._count -= (cwnd << 19) + (self._count >> 1)
        self._in_loss = True
        if congestion.kind == "timeout":
            self.window = 1.0

    def on_recovered(self, now: float, flight: int) -> None:
        """`prague_ca_open`."""
        self._in_loss = False

    def save(self) -> None:
        """`loss_cwnd`."""
        self._saved = (self.window, self.ssthresh, self._count)

    def undo(self) -> None:
        """`prague_cwnd_undo`."""
        if self._saved:
            window, self.ssthresh, count = self._saved
            self.window = max(self.window, window)
            self._count += self._count - count
            self._saved = None


TRANSPORT = (
    f'control = {{ kind = "external", name = "{LinuxPrague.__name__}" }}, repair = "rack-tlp", compat = "linux", '
    'reduction = "classic", echo_reduction = "classic", ecn = true, ecn_echo = "counter", send_quantum = "0 s"'
)
"""In a plan, without the braces. It sends packets one by one, as `prague`: bursts are short (`prague_tso_segs`)."""
