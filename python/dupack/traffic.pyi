# Written by `make generate` from the declarations in crates/core; do not change it here.
"""Applications: when how much is handed to a transport.

A function per word of a plan, made from the declarations; its help says what it takes (see `dupack.parts`).
"""

from typing import Literal

from dupack.parts import Traffic

__all__ = [
    "cbr",
    "file",
    "greedy",
    "on_off",
    "poisson",
    "random_file",
    "trace",
]

def cbr(
    *,
    rate: str,
    packets: str | int | None = None,
) -> Traffic:
    """A packet of `mss` and `header` every so often.

    Args:
        rate: The rate, headers included, at which packets come into being, the first at once. [in b/s, kb/s,
            Mb/s, Gb/s, Tb/s, cells/s; required]
        packets: How many. [in packets; if not given: without end]

    Source: common practice
    """

def file(
    *,
    size: str,
) -> Traffic:
    """A given amount, handed over at the start.

    Args:
        size: How much; the last segment is short if it is no whole number of segments. [in B, kB, KiB, MB, MiB,
            GB, GiB, segments; required]

    Source: common practice
    """

def greedy(
    *,
    access_rate: str | None = None,
) -> Traffic:
    """Always has more to send.

    Args:
        access_rate: The rate, TCP and IP headers included, that its packets never exceed, sent again or not. [in
            b/s, kb/s, Mb/s, Gb/s, Tb/s, cells/s; if not given: unlimited]

    Source: Reuven Cohen, Yaniv Hamo. "Balanced packet discard for improving TCP performance in ATM networks".
        Computer Communications, Elsevier; an earlier version at IEEE INFOCOM 2000,
        doi:10.1109/INFCOM.2000.832554. 2001, §3
    """

def on_off(
    *,
    on: str | float,
    off: str,
    rate: str | None = None,
) -> Traffic:
    """Messages of random length, each after a random time to think that begins when the one before is acknowledged.

    Args:
        on: Mean length of a message, geometrically distributed. [in packets; required]
        off: Mean time to think, exponentially distributed; it begins when all of the message has been
            acknowledged. [in ps, ns, us, µs, ms, s, min, h; required]
        rate: The rate, headers included, at which the packets of a message come into being, the first at once.
            [in b/s, kb/s, Mb/s, Gb/s, Tb/s, cells/s; if not given: the whole message at once]

    Source: Srinivasan Keshav, Samuel P. Morgan. "SMART Retransmission: Performance with Overload and Random
        Losses". Proceedings of IEEE INFOCOM '97. 1997, §2
    """

def poisson(
    *,
    rate: str,
    sizes: Literal["fixed", "geometric"] = "fixed",
) -> Traffic:
    """Packets at random times that do not depend on each other.

    Args:
        rate: The mean rate, headers included, at which packets come into being. [in b/s, kb/s, Mb/s, Gb/s, Tb/s,
            cells/s; required]
        sizes: How long packets are: all of `mss`, or geometrically distributed with that mean. [default fixed]

    Source: Siméon Denis Poisson. "Recherches sur la probabilité des jugements en matière criminelle et en matière
        civile". Bachelier, Paris; as a model of traffic: Agner Krarup Erlang, Nyt Tidsskrift for Matematik B 20,
        1909. 1837
    """

def random_file(
    *,
    sizes: str,
    unit: Literal["bytes", "packets"] | None = None,
) -> Traffic:
    """A file of random size, handed over at the start.

    Args:
        sizes: The distribution of its size. [required]
        unit: What the file's sizes count: bytes, or packets of 1460 bytes; by its columns, bytes if there are
            two, packets if three. [if not given: by its columns]

    Source: common practice
    """

def trace(
    *,
    packets: str,
    repeat: bool = False,
) -> Traffic:
    """Packets at given times, of given lengths.

    Args:
        packets: When they come, counted from the flow's start, and how long they are with their headers.
            [required]
        repeat: Whether they begin again after the last, whose time is then the period. [default false]

    Source: common practice
    """
