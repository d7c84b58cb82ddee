# Written by `make generate` from the declarations in crates/core; do not change it here.
"""Jitter: extra delays of a link's packets, which keep their order.

One function per word of a plan, made from its declaration; its help lists the parameters (see `dupack.parts`).
"""

from dupack.parts import Jitter

__all__ = [
    "normal",
    "pareto",
    "table",
    "uniform",
    "wifi",
]

def normal(
    *,
    mean: str,
    deviation: str,
) -> Jitter:
    """Delays each packet by a further time that is normally distributed; draws below 0 count as 0.

    Args:
        mean: Mean of the distribution. [in ps, ns, us, µs, ms, s, min, h; required]
        deviation: Its standard deviation. [in ps, ns, us, µs, ms, s, min, h; required]

    Source: common practice
    """

def pareto(
    *,
    mean: str,
    shape: float = 3.0,
) -> Jitter:
    """Delays each packet by a further time that has a Pareto distribution: mostly short, and rarely very long.

    Args:
        mean: Mean extra delay. [in ps, ns, us, µs, ms, s, min, h; required]
        shape: a: how fast long delays become rare; above 1. The variance is finite above 2. [default 3]

    Source: K. S. Lomax. "Business Failures: Another Example of the Analysis of Failure Data". Journal of the
        American Statistical Association 49 (268), pp. 847-852, doi:10.1080/01621459.1954.10501239. 1954
    """

def table(
    *,
    delays: str,
    base: str = "0 ms",
) -> Jitter:
    """Delays each packet by a further time that is drawn from measured delays.

    Args:
        delays: Measured delays, such as those of `ping`; every value between two that follow each other in size
            is as likely. [required]
        base: Base delay, which is taken off each delay; what would then be negative is zero. [in ps, ns, us, µs,
            ms, s, min, h; default 0 ms]

    Source: common practice
    """

def uniform(
    *,
    max_delay: str,
) -> Jitter:
    """Delays each packet by a further time that is uniformly distributed from 0 to `max_delay`.

    Args:
        max_delay: Largest extra delay. [in ps, ns, us, µs, ms, s, min, h; required]

    Source: common practice
    """

def wifi(
    *,
    mean: str = "7 ms",
) -> Jitter:
    """Delays packets as a Wi-Fi link among others does: by short deferrals, and rarely by many retransmissions.

    Args:
        mean: Mean extra delay by the formula of the draft, from 1 ms to 91 ms; packets have 0.316 ms less. [in
            ps, ns, us, µs, ms, s, min, h; default 7 ms]

    Source: Christian Huitema, Suhas Nandakumar, Cullen Jennings. "Testing of Christian's Congestion Control Code
        (C4)". draft-huitema-ccwg-c4-test, November 2025. 2025
    """
