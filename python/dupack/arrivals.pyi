# Written by `make generate` from the declarations in crates/core; do not change it here.
"""Arrivals: when the connections of a flow begin.

One function per word of a plan, made from its declaration; its help lists the parameters (see `dupack.parts`).
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
    """Starts connections at random times, each between two random hosts.

    Args:
        every: Mean time between the starts of two connections. [in ps, ns, us, µs, ms, s, min, h; if not given:
            by load]
        load: Instead of `every`: mean rate of the connections' payload, as a share of a link's rate. [if not
            given: by every]
        of: Link whose rate `load` refers to; without it, the sum of the rates of the sending hosts' first links.
            [if not given: the hosts' own links]
        limit: Number of connections in all. [if not given: without end]

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
    """Starts many connections at once, in rounds.

    Args:
        senders: Number of hosts that take part in each round, drawn anew for each. [if not given: all]
        pause: Time from the end of a round to the start of the next. [in ps, ns, us, µs, ms, s, min, h; default 0
            s]
        every: Instead of `pause`: time from the start of a round to the start of the next, whether it has ended
            or not. [in ps, ns, us, µs, ms, s, min, h; if not given: when the one before has ended]
        limit: Number of rounds. [if not given: without end]

    Source: Amar Phanishayee, Elie Krevat, Vijay Vasudevan, David G. Andersen, Gregory R. Ganger, Garth A. Gibson,
        Srinivasan Seshan. "Measurement and Analysis of TCP Throughput Collapse in Cluster-based Storage Systems".
        USENIX FAST '08, pp. 175-188. 2008
    """
