"""What is read off a run with long and short connections."""

from __future__ import annotations

from typing import Any

from dupack.reproduce.paper import Measured


def _long(run: Measured) -> list[dict[str, Any]]:
    return [flow for flow in run.document["flows"] if flow["name"].startswith("bulk")]


def _short(run: Measured) -> dict[str, Any]:
    return next(flow for flow in run.document["flows"] if flow["name"] == "short")


def timeouts(run: Measured) -> float:
    """Timeouts of a long connection in 10 s, the mean over them."""
    long = _long(run)
    return sum(flow["timeouts"] for flow in long) / len(long) * 10 / run.measured_s


def active(run: Measured) -> float:
    """Share of its time that a long connection did not wait for a timeout, the mean over them [%]."""
    long = _long(run)
    return 100 * sum(flow["active_fraction"] for flow in long) / len(long)


def late(run: Measured) -> float | None:
    """99th percentile of the completion times of the short connections [ms]."""
    found = _short(run)["connections"]["completion_s"]
    return None if found is None else 1e3 * found["p99"]


def fairness(run: Measured) -> float:
    """Jain's index of the goodputs of the long connections."""
    rates = [flow["goodput_bps"] for flow in _long(run)]
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else 1.0


def delay(run: Measured) -> float | None:
    """Median of the queueing delay at the bottleneck [ms]."""
    found = next(link for link in run.document["links"] if link["name"] == "bottleneck")["queue_delay_s"]
    return None if found is None else 1e3 * found["p50"]


def used(run: Measured) -> float:
    """Share of the bottleneck that goodput takes [%]."""
    return 100 * next(link for link in run.document["links"] if link["name"] == "bottleneck")["goodput_fraction"]


def call(run: Measured) -> float:
    """Mean delay of the call's packets [ms]."""
    return 1e3 * next(flow for flow in run.document["flows"] if flow["name"] == "call")["mean_delay_s"]


def prague(run: Measured) -> float | None:
    """99th percentile of the round trips of the Prague connections, the mean over them [ms]."""
    found = [flow["rtt_s"] for flow in run.document["flows"] if flow["name"].startswith("prague")]
    return None if None in found else 1e3 * sum(it["p99"] for it in found) / len(found)


def fair(run: Measured) -> float:
    """Goodput of the two Prague connections; 100 is two of three equal shares of the bottleneck [%]."""
    found = [flow["goodput_bps"] for flow in run.document["flows"] if flow["name"].startswith("prague")]
    return 100 * sum(found) / (2 / 3 * 20e6)


READS = {
    "timeouts": timeouts,
    "active": active,
    "late": late,
    "fairness": fairness,
    "delay": delay,
    "used": used,
    "call": call,
    "prague": prague,
    "fair": fair,
}
