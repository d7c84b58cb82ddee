"""Regimes: runs that fall into two groups, whose common mean describes none of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dupack import _native


def in_groups(values: Sequence[float]) -> dict[str, Any]:
    """The two groups as ``{"regimes": [{"runs": 7, "mean": 0.63}, {"runs": 1, "mean": 0.96}]}``, the lower one first.

    Empty for one group. The rule is that of ``dupack_lab::regimes``: at most 1 % of samples of one group are divided.
    """
    found = _native.regimes(list(values))
    if found is None:
        return {}
    low, low_mean, high, high_mean = found
    return {"regimes": [{"runs": low, "mean": low_mean}, {"runs": high, "mean": high_mean}]}


def note(name: str, estimate: Mapping[str, Any], shown: Callable[[float], str]) -> str:
    """A sentence on a measure whose runs fall into two groups; empty for one group."""
    groups = estimate.get("regimes")
    if not groups:
        return ""
    return f"{name}: two regimes, {told(groups, shown)}. The mean describes no run."


def told(groups: Sequence[Mapping[str, Any]], shown: Callable[[float], str], noun: str = "run") -> str:
    """The groups in words: "7 runs near 0.63 and 1 run near 0.96"."""
    return " and ".join(f"{_several(one['runs'], noun)} near {shown(one['mean'])}" for one in groups)


def _several(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
