# Written by `make generate` from the declarations in crates/core; do not change it here.
"""Loss models: losses on a link, apart from drops by its queue.

One function per word of a plan, made from its declaration; its help lists the parameters (see `dupack.parts`).
"""

from collections.abc import Sequence
from typing import Literal

from dupack.parts import Loss

__all__ = [
    "bernoulli",
    "bit_errors",
    "burst",
    "gilbert_elliott",
    "late_in_burst",
    "script",
    "timed_burst",
]

def bernoulli(
    *,
    rate: float,
) -> Loss:
    """Loses each packet with the same probability, independently of the others.

    Args:
        rate: Probability that a packet is lost. [required]

    Source: common practice
    """

def bit_errors(
    *,
    rate: float,
    found_by: Literal["link", "host"] = "link",
) -> Loss:
    """Damages packets by independent bit errors, so that long packets are damaged more often; a checksum finds it.

    Args:
        rate: Probability that a bit is wrong. On a line of packets, the bits of a packet with its headers count,
            and those of a framing do not. [required]
        found_by: Whose checksum finds it: that of the "link", whose far end discards the packet, or that of the
            receiving "host", to which the packet travels on. [default link]

    Source: common practice
    """

def burst(
    *,
    rate: float,
    mean_burst: str | float,
) -> Loss:
    """Loses packets in bursts; the lengths of the bursts, and of the good runs between them, are geometrically
    distributed.

    Args:
        rate: Loss rate: share of all packets that are lost; at most L / (1 + L). [required]
        mean_burst: L: mean number of packets lost in a row. [in packets; required]

    Source: Srinivasan Keshav, Samuel P. Morgan. "SMART Retransmission: Performance with Overload and Random
        Losses". Proceedings of IEEE INFOCOM '97. 1997, §6
    """

def gilbert_elliott(
    *,
    to_bad: float,
    to_good: float,
    loss_bad: float = 1.0,
    loss_good: float = 0.0,
) -> Loss:
    """Loses a share of the packets of a line that is alternately good and bad, each for a random number of packets.

    Args:
        to_bad: p: probability, at each packet, that a good line becomes bad. [required]
        to_good: r: probability, at each packet, that a bad line becomes good. [required]
        loss_bad: Share of packets that a bad line loses. [default 1]
        loss_good: Share of packets that a good line loses. [default 0]

    Source: E. O. Elliott. "Estimates of Error Rates for Codes on Burst-Noise Channels". Bell System Technical
        Journal 42 (5), pp. 1977-1997, doi:10.1002/j.1538-7305.1963.tb00955.x. 1963
    """

def late_in_burst(
    *,
    spared: str | int,
    rate: float = 1.0,
    gap: str,
) -> Loss:
    """Loses a share of the packets of each burst behind its first ones.

    Args:
        spared: Number of packets at the beginning of a burst of which none is lost. [in packets; required]
        rate: Probability that a packet behind them is lost. [default 1]
        gap: Time without the end of a transmission after which a packet begins a burst. [in ps, ns, us, µs, ms,
            s, min, h; required]

    Source: common practice
    """

def script(
    *,
    flow: str,
    segments: Sequence[int] | None = None,
    packets: Sequence[int] | None = None,
) -> Loss:
    """Loses the named segments of a flow on their first transmission.

    Args:
        flow: Flow whose segments are lost. [required]
        segments: Numbers of the segments, counted from 0. [if not given: none]
        packets: Numbers of its data packets, retransmissions included, counted from 0 in the order in which the
            link carries them. [if not given: none]

    Source: Reuven Cohen, Yaniv Hamo. "Balanced packet discard for improving TCP performance in ATM networks".
        Computer Communications, Elsevier; an earlier version at IEEE INFOCOM 2000,
        doi:10.1109/INFCOM.2000.832554. 2001, §2.2
    """

def timed_burst(
    *,
    rate: float,
    mean_burst: str,
) -> Loss:
    """Loses the packets of a line that is alternately good and bad, each for a random time.

    Args:
        rate: Share of time in which the line is bad. [required]
        mean_burst: B: mean length of a bad time, which is exponentially distributed. [in ps, ns, us, µs, ms, s,
            min, h; required]

    Source: E. O. Elliott. "Estimates of Error Rates for Codes on Burst-Noise Channels". Bell System Technical
        Journal 42 (5), pp. 1977-1997, doi:10.1002/j.1538-7305.1963.tb00955.x. 1963
    """
