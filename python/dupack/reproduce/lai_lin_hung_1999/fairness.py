"""EPRCA and ERICA+ on the generic fairness configuration, beside what is max-min fair."""

from __future__ import annotations

from dupack._native import max_min_rates
from dupack.reproduce.lai_lin_hung_1999.runs import CELL, CELLS, MSS
from dupack.reproduce.lai_lin_hung_1999.verdicts import shown
from dupack.reproduce.paper import Estimate, Figure, Measured, Results, Sample, Series, Table

PLAN = "extra-fairness"
MARKER = "link.line-*.marker"
MARKERS = {"eprca": "EPRCA", "erica": "ERICA+"}
LINES = (50.0, 150.0, 150.0, 100.0)
"""Of the four lines [Mb/s]."""
GROUPS = {"a": (3, (0, 1, 2)), "b": (3, (1, 2, 3)), "c": (3, (2,)), "d": (6, (0,)), "e": (6, (3,)), "f": (2, (1,))}
"""VCs, and the lines that they pass."""
WIRE = CELLS * CELL / MSS * 32 / 31
"""Bits on the line per bit of payload, RM cells among them."""


def fair() -> dict[str, float]:
    """Max-min fair rate of a VC of each group [Mb/s on the line]."""
    vcs = [(group, list(lines)) for group, (n, lines) in GROUPS.items() for _ in range(n)]
    rates = max_min_rates(list(LINES), [lines for _, lines in vcs])
    return {group: rate for (group, _), rate in zip(vcs, rates, strict=True)}


def sample_of(results: Results, kind: str) -> Sample:
    """The runs of a marker."""
    return next(sample for sample in results[PLAN] if sample.settings[MARKER]["kind"] == kind)


def mine(run: Measured, group: str) -> list[dict[str, object]]:
    """The flows of a group."""
    return [flow for flow in run.document["flows"] if str(flow["name"]).rsplit("-", 1)[0] == group]


def rate(run: Measured, group: str) -> float:
    """Mean over a group of what a VC sends [Mb/s on the line], RM cells among them."""
    flows = mine(run, group)
    return sum(float(str(flow["goodput_bps"])) for flow in flows) * WIRE / len(flows) / 1e6


def distance(run: Measured) -> float:
    """Mean over all VCs of how far a rate is from what is fair [% of it]."""
    wanted = fair()
    parts = [
        100 * abs(float(str(flow["goodput_bps"])) * WIRE / 1e6 / wanted[group] - 1)
        for group in GROUPS
        for flow in mine(run, group)
    ]
    return sum(parts) / len(parts)


def longest(run: Measured) -> float:
    """The longest queue of the four lines [cells]."""
    return float(max(link["max_backlog"] for link in run.document["links"] if link["name"] in NAMES))


def least_used(run: Measured) -> float:
    """Utilization of that of the four lines which is used least [%]."""
    return float(100 * min(link["utilization"] for link in run.document["links"] if link["name"] in NAMES))


NAMES = tuple(f"line-{i}" for i in range(1, 5))
SUMS = {
    "mean distance from it, all VCs [%]": distance,
    "longest queue of a line [cells]": longest,
    "least used line [%]": least_used,
}


def _bars(results: Results) -> list[Series]:
    wanted = fair()
    x: list[float | str] = [f"{group.upper()} [{GROUPS[group][0]}]" for group in GROUPS]
    made = [Series("max-min fair", x, list(wanted.values()), [None] * len(x), of="theory")]
    for kind, words in MARKERS.items():
        values: list[Estimate] = [
            sample_of(results, kind).estimate(lambda run, g=group: rate(run, g)) for group in GROUPS
        ]
        of = "epd" if kind == "eprca" else "bpd"
        made.append(Series(words, x, [e.mean for e in values], [e.half for e in values], of=of))
    return made


def _table(results: Results) -> Table:
    wanted = fair()
    rows = []
    for group, (n, lines) in GROUPS.items():
        passes = ", ".join(str(line + 1) for line in lines)
        values = [sample_of(results, kind).estimate(lambda run, g=group: rate(run, g)) for kind in MARKERS]
        rows.append([group.upper(), passes, str(n), f"{wanted[group]:.2f}", *(shown(value) for value in values)])
    for words, by in SUMS.items():
        values = [sample_of(results, kind).estimate(by) for kind in MARKERS]
        rows.append([words, "", "", "", *(shown(value) for value in values)])
    heads = ["group", "lines", "VCs", "max-min fair [Mb/s]", *(f"{words} [Mb/s]" for words in MARKERS.values())]
    return Table(heads, rows, words=2)


BEGINNING = 1.0
"""What is drawn of the courses [s]."""


def _courses(results: Results) -> list[Series]:
    made = []
    wanted = fair()
    shades = dict(zip(GROUPS, ("plain", "bpd", "epd", "ppd", "drop-tail", "theory"), strict=True))
    for kind, words in MARKERS.items():
        series = sample_of(results, kind).runs[0].document["series"]
        times: list[float | str] = [time for time in series["time_s"] if time <= BEGINNING]
        none: list[float | None] = [None] * len(times)
        for group, of in shades.items():
            rates = series["acr_bps"][f"{group}-0"][: len(times)]
            values = [None if bps is None else bps / 1e6 for bps in rates]
            made.append(Series(group.upper(), times, values, none, of=of, kind="steps", panel=words))
        for level in sorted(set(wanted.values())):
            ends: list[float | str] = [times[0], times[-1]]
            made.append(Series("max-min fair", ends, [level] * 2, [None] * 2, kind="reference", panel=words))
    return made


FIGURES = [
    Figure(
        "fairness",
        "Rates of the generic fairness configuration",
        "Beyond the paper: the ATM Forum's first generic fairness configuration, with EPRCA and with ERICA+, beside "
        "the max-min fair rates that dupack-theory computes by water-filling.",
        "group [VCs]",
        "rate of a VC [Mb/s on the line]",
        (PLAN,),
        _bars,
        limits=(0, None),
        place="Extra, fairness",
        table=_table,
        ours="ERICA+ gives each VC its max-min fair rate to within 0.2 %, and keeps all four lines full. EPRCA keeps "
        "them full, too, but gives what its means say: 31 % more than fair to B, whose three VCs pass three lines, and "
        "7 to 15 % less to most others; of the long ways B's is favoured, while A, which is as long, gets 7 % less "
        "than "
        "fair, and D, alone on the first line beside it, 4 % more.",
    ),
    Figure(
        "courses",
        "How ACR finds its way there",
        "The same runs: ACR of the first VC of each group, in the first second.",
        "time [s]",
        "ACR [Mb/s]",
        (PLAN,),
        _courses,
        limits=(0, 160),
        place="Extra, courses of ACR",
        ours="EPRCA answers by thresholds of the queue, and every ACR swings by a factor of ten all the time. ERICA+ "
        "has measured its way to the fair rates 0.1 s after the last VC began, and then varies the target with the "
        "queue by some per cent.",
    ),
]

__all__ = ["FIGURES", "distance", "fair", "rate"]
