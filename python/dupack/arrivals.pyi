# Written by `make generate` from the declarations in crates/core; do not change it here.
"""When the connections of a flow begin that is many of them, which come and go.

A function per word of a plan, made from the declarations; its help says what it takes (see `dupack.parts`).
"""

from dupack.parts import Arrivals

__all__ = [
    "poisson",
    "rounds",
]

def poisson(
    *,
    every: str | None = None,
    load: float | None = None,
    of: str | None = None,
    limit: int | None = None,
) -> Arrivals:
    """Connections at random times, each between two hosts at random.

    Args:
        every: The mean time from one to the next. [in ps, ns, us, µs, ms, s, min, h; if not given: by load]
        load: Instead: what their payload is of a line's rate, on average over time. [if not given: by every]
        of: The link whose rate that is; without one it is the sum of the rates of the sending hosts' first links.
            [if not given: the hosts' own links]
        limit: How many there are in all. [if not given: without end]

    Source: Siméon Denis Poisson. "Recherches sur la probabilité des jugements en matière criminelle et en matière
        civile". Bachelier, Paris; as a model of traffic: Agner Krarup Erlang, Nyt Tidsskrift for Matematik B 20,
        1909. 1837
    """

def rounds(
    *,
    senders: int | None = None,
    pause: str = "0 s",
    every: str | None = None,
    limit: int | None = None,
) -> Arrivals:
    """Many connections at once, again and again.

    Args:
        senders: How many hosts take part in each round, drawn anew. [if not given: all]
        pause: The time from the end of a round to the next. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        every: Instead: the time from the beginning of a round to that of the next, whether it has ended or not.
            [in ps, ns, us, µs, ms, s, min, h; if not given: when the one before has ended]
        limit: How many rounds there are. [if not given: without end]

    Source: Amar Phanishayee, Elie Krevat, Vijay Vasudevan, David G. Andersen, Gregory R. Ganger, Garth A. Gibson,
        Srinivasan Seshan. "Measurement and Analysis of TCP Throughput Collapse in Cluster-based Storage Systems".
        USENIX FAST '08, pp. 175-188. 2008
    """
