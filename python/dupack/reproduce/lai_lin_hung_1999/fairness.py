"""EPRCA and ERICA+ on the generic fairness configuration, beside what is max-min fair."""

from __future__ import annotations

from functools import partial
from statistics import fmean

from dupack._native import max_min_rates
from dupack.reproduce.lai_lin_hung_1999.runs import CELL, CELLS, MSS, percentile, warm
from dupack.reproduce.lai_lin_hung_1999.verdicts import shown, signed
from dupack.reproduce.paper import Estimate, Figure, Measured, Panel, Results, Sample, Series, Table

PLAN = "extra-fairness"
MARKER = "link.line-*.marker"
MARKERS = {"eprca": "EPRCA", "erica": "ERICA+"}
OF = {"eprca": "epd", "erica": "bpd"}
"""Whose colours they have."""
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
    return next(sample for sample in results[PLAN] if sample.settings.get(MARKER, {}).get("kind") == kind)


WIDE = "link.line-{}.rate"
FEEDBACK = {
    "as the configuration is": (None, ()),
    "nothing waits on lines 2 and 3": (None, (2, 3)),
    "the same, and 3.3 ms on B's access": ("3.3 ms", (2, 3)),
    "nothing waits on line 1": (None, (1,)),
}
"""What is tried with EPRCA to see why B is favoured: delay of B's access, and the lines that are made 600 Mb/s."""


def tried(results: Results, words: str) -> Sample:
    """The runs of one of these."""
    delay, wide = FEEDBACK[words]
    if not wide:
        return sample_of(results, "eprca")
    keys = {WIDE.format(line) for line in wide}
    for sample in results[PLAN]:
        mine = {key for key in sample.settings if key.endswith(".rate")}
        if mine == keys and sample.settings.get("link.access-b.delay") == delay:
            return sample
    raise KeyError(words)


def waiting(run: Measured, lines: tuple[int, ...]) -> float:
    """How long a cell waits in the mean, at the queues of some lines in a row [ms]."""
    queues = [link for link in run.document["links"] if link["name"] in {f"line-{line}" for line in lines}]
    cells = {f"line-{i + 1}": rate * 1e6 / (8 * CELL) for i, rate in enumerate(LINES)}
    return sum(1e3 * float(link["mean_backlog"]) / cells[link["name"]] for link in queues)


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
        values: list[Estimate] = [sample_of(results, kind).estimate(partial(rate, group=group)) for group in GROUPS]
        made.append(Series(words, x, [e.mean for e in values], [e.half for e in values], of=OF[kind]))
    return made


def _table(results: Results) -> Table:
    wanted = fair()
    rows = []
    for group, (n, lines) in GROUPS.items():
        passes = ", ".join(str(line + 1) for line in lines)
        values = [sample_of(results, kind).estimate(partial(rate, group=group)) for kind in MARKERS]
        rows.append([group.upper(), passes, str(n), f"{wanted[group]:.2f}", *(shown(value) for value in values)])
    for words, by in SUMS.items():
        values = [sample_of(results, kind).estimate(by) for kind in MARKERS]
        rows.append([words, "", "", "", *(shown(value) for value in values)])
    heads = ["group", "lines", "VCs", "max-min fair [Mb/s]", *(f"{words} [Mb/s]" for words in MARKERS.values())]
    return Table(heads, rows, words=2)


BEGINNING = 1.0
"""What is drawn of the courses [s]."""


def _place(group: str) -> str:
    """A panel's title: the group, and the lines that it passes."""
    lines = [str(line + 1) for line in GROUPS[group][1]]
    return f"{group.upper()}, on line{'s' if len(lines) > 1 else ''} {', '.join(lines)}"


def _courses(results: Results) -> list[Series]:
    """ACR of the first VC of each group: a panel per group, so that it can be read how far each swings."""
    made = []
    for group, level in fair().items():
        panel = _place(group)
        for kind, words in MARKERS.items():
            series = sample_of(results, kind).runs[0].document["series"]
            times: list[float | str] = [time for time in series["time_s"] if time <= BEGINNING]
            rates = series["acr_bps"][f"{group}-0"][: len(times)]
            values = [None if bps is None else bps / 1e6 for bps in rates]
            made.append(Series(words, times, values, [None] * len(times), of=OF[kind], kind="steps", panel=panel))
        ends: list[float | str] = [times[0], times[-1]]
        made.append(Series("max-min fair", ends, [level] * 2, [None] * 2, kind="reference", panel=panel))
    return made


def _off(results: Results, kind: str, group: str) -> Estimate:
    """How far the mean rate of a group is from what is fair [% of it]."""
    wanted = fair()[group]
    return sample_of(results, kind).estimate(lambda run: 100 * (rate(run, group) / wanted - 1))


def _why_b(results: Results) -> str:
    """Whose feedback is late has more."""

    def of(words: str, group: str) -> str:
        return shown(tried(results, words).estimate(lambda run: rate(run, group)))

    usual, wide, late, other = FEEDBACK
    queues, again = (
        shown(tried(results, words).estimate(lambda run: waiting(run, (2, 3)))) for words in (usual, other)
    )
    return (
        f"B shares line 4 with E, and passes the queues of lines 2 and 3 ({queues} ms of waiting in the mean) before "
        f"it. That makes its feedback late, and late feedback pays: with lines 2 and 3 at 600 Mb/s, where nothing "
        f"waits, B has {of(wide, 'b')} Mb/s and E {of(wide, 'e')} ({of(usual, 'b')} and {of(usual, 'e')} before; fair "
        f"are {fair()['b']:.2f} for both); with 3.3 ms on B's access in their place {of(late, 'b')} and "
        f"{of(late, 'e')}. It is not all: with line 1 at 600 Mb/s instead, B waits for {again} ms on lines 2 and 3, "
        f"and has {of(other, 'b')}, and E {of(other, 'e')}."
    )


def _seen_rates(results: Results) -> str:
    near, far = (sample_of(results, kind).estimate(distance) for kind in ("erica", "eprca"))
    used = {kind: sample_of(results, kind).estimate(least_used) for kind in MARKERS}
    off = ", ".join(f"{group.upper()} {signed(_off(results, 'eprca', group))} %" for group in GROUPS)
    return (
        f"ERICA+ gives each VC its max-min fair rate to within {shown(near)} % in the mean, and keeps all four lines "
        f"full (the least used to {shown(used['erica'])} %). EPRCA keeps them full, too ({shown(used['eprca'])} %), "
        f"but is {shown(far)} % away in the mean: {off}. {_why_b(results)}"
    )


def _swing(results: Results, kind: str) -> Estimate:
    """The 90th over the 10th percentile of ACR after warm-up, the mean over all VCs."""

    def by(run: Measured) -> float:
        rates = [warm(run, values) for values in run.document["series"]["acr_bps"].values()]
        return fmean(percentile(one, 0.9) / percentile(one, 0.1) for one in rates)

    return sample_of(results, kind).estimate(by)


def _seen_courses(results: Results) -> str:
    return (
        "EPRCA answers by thresholds of the queue, and every ACR swings all the time: of a VC's samples the 90th "
        f"percentile is {shown(_swing(results, 'eprca'))} times the 10th in the mean over all VCs. ERICA+ has measured "
        "its way to the fair rates 0.1 s after the last VC began, and then varies the target with the queue by some "
        f"per cent ({shown(_swing(results, 'erica'))} times)."
    )


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
        ours=_seen_rates,
    ),
    Figure(
        "courses",
        "How ACR finds its way there",
        "The same runs: ACR of the first VC of each group, in the first second, with EPRCA and with ERICA+.",
        "time [s]",
        "",
        (PLAN,),
        _courses,
        panels={_place(group): Panel("ACR [Mb/s]", (0, None)) for group in GROUPS},
        stacked=True,
        place="Extra, courses of ACR",
        ours=_seen_courses,
    ),
]

__all__ = ["FIGURES", "distance", "fair", "rate"]
