"""Congestion controllers in Python: to try an idea before it is written in Rust."""

from __future__ import annotations

import copy
import math
import random
from abc import ABC, abstractmethod
from typing import Literal

from dupack._native import Ack, Congestion


class Controller(ABC):
    """A congestion controller: a subclass implements `on_ack` and `on_congestion`, which set `window`.

    An instance can be used wherever a `dupack.transport` can, and as its `control`. It is a template: every connection
    of every run starts as a copy of it. Losses are found and repaired by the repair beside it, by default SACK:
    `dupack.transport.pair(control=Mine(), repair="rack-tlp")` has another one.

    Times are in seconds, windows and counts in segments, rates in bit/s.

    Ctrl-C raises ``KeyboardInterrupt`` in its methods, so that it ends even an endless loop. It cannot end a method
    that catches ``BaseException`` in the loop, or that waits inside a function written in C.

    >>> import dupack as dk
    >>> class Halve(dk.Controller):
    ...     '''One segment more per round trip; half the window after a loss.'''
    ...     def on_ack(self, ack):
    ...         if ack.opens:
    ...             self.window += 1 / self.window
    ...     def on_congestion(self, congestion):
    ...         self.window = 1 if congestion.kind == "timeout" else max(self.window / 2, 1)
    >>> dk.conformance(Halve())
    >>> net = dk.dumbbell(senders=2, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms",
    ...                   queue=dk.queue.drop_tail(buffer="20 packets"))
    >>> net.run(Halve(), duration="1 s").flows["transport"].to_list()
    ['Halve', 'Halve']
    """

    window: float
    """The answer: the congestion window [segments], a finite number of at least 1. Read after each call; at the start
    it is the transport's `initial_window`. The transport's `max_cwnd` bounds it."""
    ssthresh: float = math.inf
    """Slow-start threshold [segments], for tapes and plots; has no other effect."""
    pacing_rate: float | None = None
    """The rate at which packets are sent [bit/s], headers included; None for no limit. Needs `wants_pacing`."""
    wants_records: bool = False
    """Whether acks report what is measured for each transmission: round-trip time, delivery rate, rounds."""
    wants_pacing: bool = False
    """Whether packets are sent at `pacing_rate`."""
    answer: Literal["halves", "stays", "closes"] = "halves"
    """Reaction of its window to a loss: it is reduced, it stays (losses alone are no congestion), or it closes to one
    segment. Some repairs do not work with one or the other. `conformance` checks that the window is reduced."""
    ect: Literal["ECT(0)", "ECT(1)"] = "ECT(0)"
    """Codepoint of its data in the ECN field, if the transport has ``ecn=True``."""
    mss: int
    """Payload of a full segment [bytes]; set before `start`, like all that follows."""
    header: int
    """Length of the headers of a segment [bytes]."""
    initial_window: float
    """The transport's `initial_window` [segments]."""
    initial_ssthresh: float
    """The transport's `initial_ssthresh` [segments]; infinite if it has none."""
    loss_window: float
    """The transport's `loss_window` [segments]."""
    random: random.Random
    """Random numbers of this connection, seeded by the run's seed and the flow's name."""

    @property
    def label(self) -> str:
        """Name in tables, figures and plans."""
        return type(self).__name__

    def start(self) -> None:  # noqa: B027 - may stay empty
        """Called once at the start of a connection."""

    @abstractmethod
    def on_ack(self, ack: Ack) -> None:
        """Called for every ack, whatever it means; after `on_congestion` or `on_recovered`, if it leads to one."""

    @abstractmethod
    def on_congestion(self, congestion: Congestion) -> None:
        """Called when congestion is found: a loss, an echoed mark, or a timeout."""

    def save(self) -> None:  # noqa: B027
        """Called before `on_congestion` if the congestion may turn out to have been none: keep what `undo` needs.

        Only with a repair that finds spurious losses or timeouts, such as ``repair="rack-tlp"`` with ``eifel=True``.
        """

    def undo(self) -> None:  # noqa: B027
        """Called when what `on_congestion` was told since `save` was no congestion: no segment was lost."""

    def on_recovered(self, now: float, flight: int) -> None:  # noqa: B027
        """Called at ``now`` [s] when all losses are repaired, with ``flight`` segments outstanding."""

    def on_partial_ack(self, segments: int) -> None:  # noqa: B027
        """Called when a partial ack takes ``segments`` from the window, as with NewReno."""

    def on_lost(self, now: float, in_flight_when_sent: int) -> None:  # noqa: B027
        """Called at ``now`` [s] for every transmission taken for lost; needs `wants_records`.

        ``in_flight_when_sent`` are the segments that were in the network when it was sent, itself among them.
        """

    def on_sent(self, now: float, in_flight: int) -> None:  # noqa: B027
        """Called at ``now`` [s] for every transmission, with ``in_flight`` segments in the network before it."""

    def begun(self, values: tuple[int, int, float, float, float], seed: int) -> Controller:
        """A copy for the start of a connection; called by the simulator."""
        made = copy.deepcopy(self)
        made.mss, made.header, made.initial_window, made.initial_ssthresh, made.loss_window = values
        made.random = random.Random(seed)
        made.window = made.initial_window
        made.start()
        return made

    def __repr__(self) -> str:
        return self.label
