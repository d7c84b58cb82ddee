# Written by `make generate` from the declarations in crates/core; do not change it here.
"""Traffic: when an application hands data to a transport, and how much.

One function per word of a plan, made from its declaration; its help lists the parameters (see `dupack.parts`).
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
    """Generates packets of `mss` plus `header` at a constant rate.

    Args:
        rate: Rate at which packets are generated, headers included; the first is generated at once. [in b/s,
            kb/s, Mb/s, Gb/s, Tb/s, cells/s; required]
        packets: Number of packets. [in packets; if not given: without end]

    Source: common practice
    """

def file(
    *,
    size: str,
) -> Traffic:
    """Hands over a given amount of data at the start.

    Args:
        size: Amount of data; the last segment is short if it is not a whole number of segments. [in B, kB, KiB,
            MB, MiB, GB, GiB, segments; required]

    Source: common practice
    """

def greedy(
    *,
    access_rate: str | None = None,
) -> Traffic:
    """Always has data to send.

    Args:
        access_rate: Rate that its transmissions never exceed, TCP and IP headers and retransmissions included.
            [in b/s, kb/s, Mb/s, Gb/s, Tb/s, cells/s; if not given: unlimited]

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
    """Sends messages of random length, each after a random think time that begins when the previous one is
    acknowledged.

    Args:
        on: Mean length of a message; the length is geometrically distributed. [in packets; required]
        off: Mean think time, exponentially distributed; it begins when the whole message has been acknowledged.
            [in ps, ns, us, µs, ms, s, min, h; required]
        rate: Rate at which the packets of a message are generated, headers included; the first is generated at
            once. [in b/s, kb/s, Mb/s, Gb/s, Tb/s, cells/s; if not given: the whole message at once]

    Source: Srinivasan Keshav, Samuel P. Morgan. "SMART Retransmission: Performance with Overload and Random
        Losses". Proceedings of IEEE INFOCOM '97. 1997, §2
    """

def poisson(
    *,
    rate: str,
    sizes: Literal["fixed", "geometric"] = "fixed",
) -> Traffic:
    """Generates packets at random times, independent of each other.

    Args:
        rate: Mean rate at which packets are generated, headers included. [in b/s, kb/s, Mb/s, Gb/s, Tb/s,
            cells/s; required]
        sizes: Distribution of packet lengths: all of `mss`, or geometrically distributed with that mean. [default
            fixed]

    Source: Siméon Denis Poisson. "Recherches sur la probabilité des jugements en matière criminelle et en matière
        civile". Bachelier, Paris; as a model of traffic: Agner Krarup Erlang, Nyt Tidsskrift for Matematik B 20,
        1909. 1837
    """

def random_file(
    *,
    sizes: str,
    unit: Literal["bytes", "packets"] | None = None,
) -> Traffic:
    """Hands over a file of random size at the start.

    Args:
        sizes: Distribution of the file's size. [required]
        unit: Unit of the sizes: bytes, or packets of 1460 bytes; by columns, bytes if there are two, packets if
            there are three. [if not given: by its columns]

    Source: common practice
    """

def trace(
    *,
    packets: str,
    repeat: bool = False,
) -> Traffic:
    """Generates packets of given lengths at given times.

    Args:
        packets: Times of the packets, counted from the start of the flow, and their lengths, headers included.
            [required]
        repeat: Repetition of the trace after its last packet, whose time is then the period. [default false]

    Source: common practice
    """
