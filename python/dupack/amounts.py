"""Numbers with units for reading, alone or with the half-width of their 95 % interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Told = Callable[[float | None], str]
Units = Sequence[tuple[float, str]]

RATES: Units = ((1e9, " Gb/s"), (1e6, " Mb/s"), (1e3, " kb/s"), (1, " b/s"))
SIZES: Units = ((1e9, " GB"), (1e6, " MB"), (1e3, " kB"), (1, " B"))
TIMES: Units = ((1, " s"), (1e-3, " ms"), (1e-6, " µs"), (1e-9, " ns"))
DIGITS = 6
"""The most digits of a mean, however narrow its interval is."""
SHARES = ("mean", "p50", "p90", "p95", "p99", "p99_9", "max")
"""The numbers of a distribution: each has the unit of the whole."""


def count(value: float | None) -> str:
    """A count, or a mean of counts."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 1000 else f"{value:,.1f}"


def share(value: float | None) -> str:
    """A fraction, in percent."""
    return "-" if value is None else f"{100 * value:.1f} %"


def fraction(value: float | None) -> str:
    """A fraction."""
    return "-" if value is None else f"{value:.4f}"


def ratio(value: float | None) -> str:
    """A ratio."""
    return "-" if value is None else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def rate(value: float | None) -> str:
    """A rate [bit/s]."""
    return "-" if value is None else _scaled(value, RATES)


def size_of(value: float | None) -> str:
    """An amount of memory [bytes], to two digits."""
    return "-" if value is None else _scaled(float(f"{value:.2g}"), SIZES)


def seconds(value: float | None) -> str:
    """A time [s]."""
    if value == 0:
        return "0 s"
    return "-" if value is None else _scaled(value, TIMES)


def _scaled(value: float, units: Units) -> str:
    factor, unit = _unit(value, units)
    return f"{value / factor:.4g}{unit}" if abs(value / factor) < 1000 else f"{value / factor:,.0f}{unit}"


def _unit(value: float, units: Units) -> tuple[float, str]:
    return next(((f, u) for f, u in units if abs(value) >= f), units[-1])


def within(told: Told, mean: float | None, half: float | None) -> str:
    """A mean with the half-width of its interval in the same unit; the mean alone if there is no interval or it is 0.

    The half-width has two significant digits if it begins with 1 or 2 or is at least 10, else one. The mean is rounded
    to the same decimal, unless nothing would be left of it.
    """
    if mean is None or not half:
        return told(mean)
    scales: dict[Told, Units] = {rate: RATES, seconds: TIMES, share: ((0.01, " %"),)}
    factor, unit = _unit(max(abs(mean), half), scales.get(told, ((1, ""),)))
    mean, half = mean / factor, half / factor
    size = math.floor(math.log10(half))
    decimals = (1 if half < 3 * 10**size or size > 0 else 0) - size
    if mean:
        decimals = max(decimals, -math.floor(math.log10(abs(mean))))
    most = DIGITS - 1 - math.floor(math.log10(max(abs(mean), half)))
    decimals = min(decimals, max(most, 0))
    # An interval that is too narrow to be shown is not printed as 0.
    half = max(half, 10.0**-decimals)
    shown = max(decimals, 0)
    return f"{round(mean, decimals):z,.{shown}f} ± {round(half, decimals):,.{shown}f}{unit}"


def kind(key: str) -> Told:
    """The function that prints the number with this path in a run's document."""
    *above, last = key.split(".")
    if last in SHARES and above:
        last = above[-1]
    if last.endswith("_s"):
        return seconds
    if last.endswith("_bps"):
        return rate
    if last in ("jain", "utilization") or last.endswith("_fraction"):
        return fraction
    return ratio if last == "slowdown" else count
