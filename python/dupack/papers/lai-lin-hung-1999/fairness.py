"""EPRCA and ERICA+ on the generic fairness configuration, and max-min fair rates."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from dupack._native import max_min_rates
from dupack.reproduce.paper import Estimate, Measured, Results, Sample
from dupack.reproduce.select import only
from dupack.reproduce.told import plain, shown, signed

from .runs import CELL, CELLS, MSS, By, percentile, warm

PLAN = "extra-fairness"
MARKERS = {"eprca": "EPRCA", "erica": "ERICA+"}
COLOURS = {"eprca": "epd", "erica": "bpd"}
LINES = (50.0, 150.0, 150.0, 100.0)
"""Rates of the four lines [Mb/s]."""
GROUPS = {"a": (3, (0, 1, 2)), "b": (3, (1, 2, 3)), "c": (3, (2,)), "d": (6, (0,)), "e": (6, (3,)), "f": (2, (1,))}
"""Per group the number of its VCs, and the lines that they pass."""
WIRE = CELLS * CELL / MSS * 32 / 31
"""Bits on the line per bit of payload, with RM cells."""


NEAR = 0.1
"""How near to its fair rate a VC has reached it [share of it]."""


def fair() -> dict[str, float]:
    """Max-min fair rate of a VC of each group [Mb/s on the line]."""
    vcs = [(group, list(lines)) for group, (n, lines) in GROUPS.items() for _ in range(n)]
    rates = max_min_rates(list(LINES), [lines for _, lines in vcs])
    return {group: rate for (group, _), rate in zip(vcs, rates, strict=True)}


SAMPLES: dict[str, dict[str, Any]] = {
    "eprca": {"kind": "eprca"},
    "erica": {"kind": "erica"},
    "wide": {"line-2.rate": True, "access-b.delay": False},
    "late": {"line-2.rate": True, "access-b.delay": "3.3 ms"},
    "line_1": {"line-1.rate": True},
}
"""The two markers, and trials with EPRCA that show why B is favoured: lines 2 and 3 with 600 Mb/s, where nothing waits;
the same with 3.3 ms on B's access; line 1 with 600 Mb/s."""


def sample_of(results: Results, name: str) -> Sample:
    """The sample of a marker or of a trial."""
    return only(results[PLAN], SAMPLES[name])


def mine(run: Measured, group: str) -> list[dict[str, Any]]:
    """The flows of a group."""
    return [flow for flow in run.document["flows"] if flow["name"].rsplit("-", 1)[0] == group]


def rate(run: Measured, group: str) -> float:
    """Mean rate of a VC of a group [Mb/s on the line], with RM cells."""
    return float(fmean(flow["goodput_bps"] for flow in mine(run, group)) * WIRE / 1e6)


def distance(run: Measured) -> float:
    """Mean over all VCs of the distance of a rate from the fair one [% of it]."""
    wanted = fair()
    return fmean(
        100 * abs(flow["goodput_bps"] * WIRE / 1e6 / wanted[group] - 1) for group in GROUPS for flow in mine(run, group)
    )


def lines(run: Measured, key: str) -> list[float]:
    """A measure of the four lines."""
    names = [f"line-{i + 1}" for i in range(len(LINES))]
    return [link[key] for link in run.document["links"] if link["name"] in names]


def least_used(run: Measured) -> float:
    """Utilization of the line that is used least [%]."""
    return 100 * min(lines(run, "utilization"))


def waiting(run: Measured) -> float:
    """Mean queueing delay of a cell on lines 2 and 3 together [ms]."""
    queues = {link["name"]: float(link["mean_backlog"]) for link in run.document["links"]}
    return sum(1e3 * queues[f"line-{i}"] / (LINES[i - 1] * 1e6 / (8 * CELL)) for i in (2, 3))


SUMS: dict[str, By] = {
    "mean distance from it, all VCs [%]": distance,
    "longest queue of a line [cells]": lambda run: max(lines(run, "max_backlog")),
    "least used line [%]": least_used,
}
"""The last rows of the table."""


def swing(run: Measured) -> float:
    """The 90th percentile of ACR over the 10th, mean over all VCs."""
    rates = [warm(run, values) for values in run.document["series"]["acr_bps"].values()]
    return fmean(percentile(one, 0.9) / percentile(one, 0.1) for one in rates)


def reached(run: Measured) -> float | None:
    """When ACR of every VC is within 10 % of its fair rate for the first time, after the start of the last VC [s]."""
    series, wanted = run.document["series"], fair()
    begins = max(flow["started_s"] for flow in run.document["flows"])
    rates = {name: wanted[name.rsplit("-", 1)[0]] for name in series["acr_bps"]}
    for i, time in enumerate(series["time_s"]):
        acr = {name: series["acr_bps"][name][i] for name in rates}
        if time >= begins and all(bps and abs(bps / 1e6 / rates[name] - 1) <= NEAR for name, bps in acr.items()):
            return float(time - begins)
    return None


def rate_of(results: Results, name: str, group: str) -> Estimate:
    """Mean rate of a VC of a group [Mb/s on the line]."""
    return sample_of(results, name).estimate(lambda run: rate(run, group))


def off(results: Results, name: str, group: str) -> Estimate:
    """Distance of the mean rate of a group from the fair one [% of it]."""
    wanted = fair()[group]
    return sample_of(results, name).estimate(lambda run: 100 * (rate(run, group) / wanted - 1))


def note(results: Results) -> dict[str, str]:
    """The numbers of the note on the rates."""
    found = {f"{name}_{group}": shown(rate_of(results, name, group)) for name in SAMPLES for group in ("b", "e")}
    for name in SAMPLES:
        for measure, by in {"distance": distance, "used": least_used, "wait": waiting}.items():
            found[f"{name}_{measure}"] = shown(sample_of(results, name).estimate(by))
    offs = (f"{group.upper()} {signed(off(results, 'eprca', group))} %" for group in GROUPS)
    return found | {"off": ", ".join(offs), "fair_b": plain(fair()["b"], 2)}
