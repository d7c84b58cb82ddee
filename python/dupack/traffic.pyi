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
    "real_time",
    "request_response",
    "trace",
    "video",
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

def real_time(
    *,
    interval: str = "20 ms",
    size: str = "80 B",
    key_every: int | None = None,
    key_size: str | None = None,
    deadline: str = "150 ms",
) -> Traffic:
    """Generates frames at fixed intervals and counts those that arrive before their deadline.

    Args:
        interval: Time between frames; the first is generated at once. [in ps, ns, us, µs, ms, s, min, h; default
            20 ms]
        size: Payload of a frame. [in B, kB, KiB, MB, MiB, GB, GiB; default 80 B]
        key_every: Number of frames from one key frame to the next; the first frame is one of them. [if not given:
            no key frames]
        key_size: Payload of a key frame. [in B, kB, KiB, MB, MiB, GB, GiB; if not given: 10 times size]
        deadline: Longest delay at which a frame is of use. [in ps, ns, us, µs, ms, s, min, h; default 150 ms]

    Source: ITU-T. "One-way transmission time". Recommendation G.114. 2003
    """

def request_response(
    *,
    size: str = "20 kB",
    sizes: str | None = None,
    think: str = "1 s",
    thinking: Literal["exponential", "constant"] = "exponential",
) -> Traffic:
    """Sends responses, each after a think time that begins when the one before has arrived.

    Args:
        size: Length of a response, unless `sizes` has their distribution. [in B, kB, KiB, MB, MiB, GB, GiB,
            segments; default 20 kB]
        sizes: Distribution of the length of a response in bytes. [if not given: each has `size`]
        think: Mean think time. [in ps, ns, us, µs, ms, s, min, h; default 1 s]
        thinking: Distribution of think times. [default exponential]

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

def video(
    *,
    chunk: str = "4 s",
    lowest: str = "235 kb/s",
    highest: str = "5 Mb/s",
    rates: int = 8,
    buffer: str = "240 s",
    reservoir: str = "90 s",
    cushion: str = "126 s",
) -> Traffic:
    """Fetches the chunks of a video at rates that follow the player's buffer, and counts stalls.

    Args:
        chunk: Playing time of a chunk. [in ps, ns, us, µs, ms, s, min, h; default 4 s]
        lowest: R_min: the lowest rate of the video. [in b/s, kb/s, Mb/s, Gb/s, Tb/s, cells/s; default 235 kb/s]
        highest: R_max: the highest rate. [in b/s, kb/s, Mb/s, Gb/s, Tb/s, cells/s; default 5 Mb/s]
        rates: Number of rates, from the lowest to the highest in equal ratios. [default 8]
        buffer: Playing time for which the player has room. [in ps, ns, us, µs, ms, s, min, h; default 240 s]
        reservoir: r: with less playing time than this the rate is the lowest. [in ps, ns, us, µs, ms, s, min, h;
            default 90 s]
        cushion: The rate grows to the highest over this playing time above the reservoir. [in ps, ns, us, µs, ms,
            s, min, h; default 126 s]

    Source: Te-Yuan Huang, Ramesh Johari, Nick McKeown, Matthew Trunnell, Mark Watson. "A Buffer-Based Approach to
        Rate Adaptation: Evidence from a Large Video Streaming Service". ACM SIGCOMM 2014. 2014, §4
    """
