"""The two regimes of two Renos of NS 1.4 with BPD: what keeps them, and what decides which one a run enters."""

from __future__ import annotations

import csv
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from statistics import fmean, median
from typing import Any

from dupack.reproduce.paper import Measured, Results, Sample, Table
from dupack.reproduce.reads import read
from dupack.reproduce.select import number, only, setting, where
from dupack.reproduce.told import plain

PLAN, THIRD = "extra-regimes", "extra-third"
FLOWS = ("connection-1", "connection-2")
GAP = 20
"""Gap of Fig. 20 [packets]."""
SHOWN = (3.0, 4.0)
"""The part of a run whose windows are shown [s]."""
APART = 5e-3
"""Losses that are less than this apart belong to one overload; overloads are at least 15 ms apart [s]."""
SOON = 10e-3
"""Timeouts that are less than this apart are simultaneous [s]."""

goodput = read("link.bottleneck.goodput_fraction", {})

# What is kept of a run


@dataclass
class Pair:
    """Losses and timeouts of two connections, and their windows for a while."""

    cwnd: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: {flow: [] for flow in FLOWS})
    """Time [s] and congestion window [segments]."""
    losses: dict[str, list[tuple[float, int, float]]] = field(default_factory=lambda: {flow: [] for flow in FLOWS})
    """Time [s], number and congestion window [segments] of every lost segment."""
    timeouts: dict[str, list[float]] = field(default_factory=lambda: {flow: [] for flow in FLOWS})
    """Time of every timeout [s]."""


def pair(tape: str) -> Pair:
    """Reads a tape."""
    kept = Pair()
    lines = tape.splitlines()[1:]
    first, last = (bisect_left(lines, time, key=_time) for time in SHOWN)
    for time, flow, event, _, cwnd, _ in csv.reader(lines[first:last]):
        if event in ("cwnd", "timeout"):
            kept.cwnd[flow].append((float(time), float(cwnd)))
    # Most lines are of neither kind, and csv is slow.
    rare = (line for line in lines if ",drop," in line or ",timeout," in line)
    for time, flow, event, segment, cwnd, _ in csv.reader(rare):
        if event == "drop":
            kept.losses[flow].append((float(time), int(segment), float(cwnd)))
        else:
            kept.timeouts[flow].append(float(time))
    return kept


def _time(line: str) -> float:
    return float(line.partition(",")[0])


# What is read off a run


@dataclass(frozen=True)
class Overload:
    """Losses that follow each other closely."""

    time: float
    """Time of the first loss [s]."""
    losses: dict[str, list[tuple[float, int, float]]]
    """Of the connections that lost segments."""

    @property
    def window(self) -> float:
        """The larger window at the first loss of a connection [segments]."""
        return max(mine[0][2] for mine in self.losses.values())

    @property
    def most(self) -> int:
        """Largest number of segments that a connection lost."""
        return max(len(mine) for mine in self.losses.values())


def overloads(run: Measured) -> list[Overload]:
    """The overloads of a run, in order."""
    losses = sorted((loss, flow) for flow, mine in run.tape.losses.items() for loss in mine)
    found: list[Overload] = []
    last = -1.0
    for loss, flow in losses:
        if loss[0] - last > APART:
            found.append(Overload(loss[0], {}))
        found[-1].losses.setdefault(flow, []).append(loss)
        last = loss[0]
    return found


@dataclass(frozen=True)
class Timeout:
    """A timeout, and what came before it."""

    time: float
    flow: str
    cause: Overload
    """The overload in which the connection lost segments last."""
    before: Timeout | None
    """The timeout of either connection before this one."""

    @property
    def lost(self) -> int:
        """Number of segments that the connection lost in this overload."""
        return len(self.cause.losses[self.flow])

    @property
    def distance(self) -> int:
        """Distance of its first loss and its last one [segments]."""
        mine = self.cause.losses[self.flow]
        return mine[-1][1] - mine[0][1]

    @property
    def wait(self) -> float:
        """Time since its last loss [s]."""
        return self.time - self.cause.losses[self.flow][-1][0]

    @property
    def window(self) -> float:
        """Its window at its first loss in this overload [segments]."""
        return self.cause.losses[self.flow][0][2]


def timeouts(run: Measured) -> list[Timeout]:
    """The timeouts of a run, in order."""
    every, found = overloads(run), list[Timeout]()
    for time, flow in sorted((time, flow) for flow, mine in run.tape.timeouts.items() for time in mine):
        cause = [one for one in every if one.time < time and flow in one.losses][-1]
        found.append(Timeout(time, flow, cause, found[-1] if found else None))
    return found


def late(run: Measured) -> float:
    """Time from which a run counts as settled: half of it is left out [s]."""
    return float(run.document["duration_s"]) / 2


def with_timeouts(run: Measured) -> bool:
    """Whether a run is in the regime with timeouts, once settled."""
    return any(time >= late(run) for mine in run.tape.timeouts.values() for time in mine)


def divided(runs: Sequence[Measured]) -> tuple[list[Measured], list[Measured]]:
    """The runs in the regime with timeouts, and those in the other."""
    return [run for run in runs if with_timeouts(run)], [run for run in runs if not with_timeouts(run)]


def mean_goodput(runs: Sequence[Measured]) -> float | None:
    """Mean goodput of runs; None without runs."""
    return Sample({}, runs).estimate(goodput).mean if runs else None


# The runs


def asked(results: Results) -> Sample:
    """The runs with the starts of Fig. 20."""
    return only(results[PLAN], start="0 s..100 ms")


def alike(results: Results) -> list[Measured]:
    """The runs that differ from those of Fig. 20 in their starts only."""
    return [run for sample in where(results[PLAN], start=True) for run in sample.runs]


def examples(results: Results) -> Iterator[tuple[str, Measured]]:
    """A run of each regime that is present, with the starts of Fig. 20 if possible."""
    first = list(asked(results).runs)
    for regime, runs in zip(("with timeouts", "without timeouts"), divided([*first, *alike(results)]), strict=True):
        if runs:
            yield regime, runs[0]


# The cycle of each regime


def _settled(runs: Sequence[Measured]) -> list[Overload]:
    return [one for run in runs for one in overloads(run) if one.time >= late(run)]


def _late_timeouts(runs: Sequence[Measured]) -> list[Timeout]:
    return [one for run in runs for one in timeouts(run) if one.time >= late(run)]


def _share(of: Sequence[Any], holds: Callable[[Any], bool]) -> float | None:
    return sum(map(holds, of)) / len(of) if of else None


def _per_second(runs: Sequence[Measured], of: Sequence[Any], connections: int = 1) -> float | None:
    return len(of) / connections / sum(late(run) for run in runs) if runs else None


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"


def cycle(results: Results) -> Table:
    """How often what happens in each regime."""
    rows: dict[str, list[str]] = {}
    for runs in divided(alike(results)):
        every, ends = _settled(runs), _late_timeouts(runs)
        windows = [one.window for one in every]
        found = {
            "runs": str(len(runs)),
            "goodput": plain(mean_goodput(runs), 3),
            "timeouts of a connection, per second": plain(_per_second(runs, ends, len(FLOWS)), 2),
            "overloads, per second": plain(_per_second(runs, every), 1),
            "both connections lose segments [share of overloads]": _percent(
                _share(every, lambda one: len(one.losses) == 2)
            ),
            "one connection loses two segments [share of overloads]": _percent(_share(every, lambda one: one.most > 1)),
            "larger window at an overload, mean [segments]": plain(_mean(windows)),
            "larger window at an overload, maximum [segments]": plain(max(windows, default=None)),
            "window of a connection before its timeout, minimum [segments]": plain(
                min((one.window for one in ends), default=None)
            ),
            "a timeout follows two losses in one overload [share of timeouts]": _percent(
                _share(ends, lambda one: one.lost == 2)
            ),
            "distance of these losses, median [segments]": plain(
                median(one.distance for one in ends if one.lost == 2) if ends else None, 0
            ),
            "a timeout follows one of the other connection [share of timeouts]": _percent(_share(ends, _alternates)),
            "both time out within 10 ms [share of timeouts]": _percent(_share(ends, _simultaneous)),
        }
        for row, value in found.items():
            rows.setdefault(row, []).append(value)
    return Table(
        ["", "with timeouts", "without timeouts"],
        [[name, *values] for name, values in rows.items()],
        title="The two regimes in numbers: second half of the runs with Gap 20",
    )


def _alternates(one: Timeout) -> bool:
    return one.before is not None and one.before.flow != one.flow


def _simultaneous(one: Timeout) -> bool:
    return _alternates(one) and one.before is not None and one.time - one.before.time < SOON


def note(results: Results) -> dict[str, Any]:
    """The numbers in the notes on the two regimes."""
    bad, good = divided(asked(results).runs)
    every = alike(results)
    ends = _late_timeouts(divided(every)[0])
    calm = _settled(divided(every)[1])
    small: list[Measured] = []
    large: list[Measured] = []
    for run in every:
        (small if first_window(run) < GAP + 1 else large).append(run)
    return {
        "runs": len(bad) + len(good),
        "bad": len(bad),
        "low": mean_goodput(divided(every)[0]),
        "high": mean_goodput(divided(every)[1]),
        "distance": GAP + 1,
        "wait": 1e3 * fmean(one.wait for one in ends) if ends else None,
        "grown": _mean(_returns(divided(every)[0])),
        "calm": max((one.window for one in calm), default=None),
        "all": len(every),
        "small": len(small),
        "small_bad": sum(map(again, small)),
        "large": len(large),
        "large_bad": sum(map(again, large)),
        "stay": len(divided(large)[0]),
        **_together(only(results[PLAN], gap="19 packets").runs),
    }


def _together(runs: Sequence[Measured]) -> dict[str, int]:
    """In how many runs the last timeouts of the two connections are simultaneous."""
    last = [timeouts(run)[-1:] for run in runs]
    return {"together": sum(_simultaneous(one) for some in last for one in some), "nineteen": len(last)}


def _returns(runs: Sequence[Measured]) -> list[float]:
    """The larger window at the first overload after each timeout [segments]."""
    found = []
    for run in runs:
        every = overloads(run)
        for one in timeouts(run):
            after = [overload.window for overload in every if overload.time > one.time]
            found += after[:1] if one.time >= late(run) else []
    return found


def first_window(run: Measured) -> float:
    """The larger window at the first overload after the timeouts that end the first slow start [segments]."""
    begin = max((mine[0] for mine in run.tape.timeouts.values() if mine), default=0.0)
    return next((one.window for one in overloads(run) if one.time > begin), 0.0)


def again(run: Measured) -> bool:
    """Whether a connection has a timeout after those that end the first slow start."""
    return any(len(mine) > 1 for mine in run.tape.timeouts.values())


# What changes the regime

CHANGES: dict[str, dict[str, Any]] = {
    "nothing": {"start": "0 s..100 ms"},
    "starts within 10 ms": {"start": "0 s..10 ms"},
    "starts within 1 ms": {"start": "0 s..1 ms"},
    "windows of at most 20 segments": {"max_window": True},
    "Reno of §2.2": {"careful": [False]},
}


def changes(results: Results) -> Table:
    """How many runs are in each regime, after one change."""
    named = CHANGES | {f"Gap {gap(one)}": {"gap": setting(one, "gap")} for one in where(results[PLAN], gap=True)}
    rows = []
    for name, settings in named.items():
        found = where(results[PLAN], settings)
        if found:
            bad, good = divided(found[0].runs)
            counts = [run.document["flows"] for run in found[0].runs]
            each = [sum(flow["timeouts"] for flow in flows) for flows in counts]
            rows.append(
                [
                    name,
                    f"{len(bad)} of {len(counts)}",
                    plain(mean_goodput(bad), 3),
                    plain(mean_goodput(good), 3),
                    f"{min(each)} to {max(each)}" if min(each) < max(each) else str(each[0]),
                ]
            )
    heads = ["change", "runs with timeouts", "their goodput", "goodput of the others", "timeouts of both in a run"]
    return Table(heads, rows)


def gap(sample: Sample) -> int:
    """The Gap of a point that has one in its settings [packets]."""
    return int(number(sample, "gap"))


# With a third connection

DELAYS = (0.2, 0.3, 0.5)
"""Delays of a link [ms]."""
ACCESS, SHARED, PACKET = 45e6, 75e6, 12 * 424
"""Rates of the links [b/s], and length of a packet [bits]."""
LOWER = 160 * 424
"""LT [bits]."""
FEW = 3
"""Most timeouts of a connection that the start of a run explains, mean over the two."""


def reaction(delay: float) -> float:
    """Packets of a connection that arrive at the switch between a loss and what the sender sends in reaction to it.

    That is a round trip (four links, a backlog of LT, and a transmission on either link), and three packets for the
    duplicate acknowledgments.
    """
    round_trip = 4 * delay * 1e-3 + LOWER / SHARED + PACKET / ACCESS + PACKET / SHARED
    return round_trip * ACCESS / PACKET + 3


def thresholds(results: Results) -> Table:
    """Up to which Gap the timeouts go on."""
    rows = []
    for delay in DELAYS:
        found = sorted(where(results[THIRD], delay=f"{delay} ms", gap=True), key=gap)
        on = list(takewhile(lambda one: all(map(often, one.runs)), found))
        off = list(takewhile(lambda one: not any(map(often, one.runs)), reversed(found)))
        ends = [plain(gap(some[-1]) if some else None, 0) for some in (on, off)]
        rows.append([f"{delay} ms", plain(reaction(delay)), *ends])
    heads = [
        "delay of a link",
        "packets before the reaction",
        "longest Gap up to which all runs have timeouts",
        "shortest Gap from which no run has",
    ]
    return Table(heads, rows)


def third_note(results: Results) -> dict[str, Any]:
    """The numbers in the notes on the third connection."""
    close = only(results[THIRD], start=True).runs
    return {"disturbed": sum(map(often, close)), "runs": len(close)}


def _each(run: Measured) -> float:
    return fmean(flow["timeouts"] for flow in run.document["flows"] if flow["name"] in FLOWS)


def timeouts_in_10_s(run: Measured) -> float:
    """Timeouts of a connection in 10 s, mean over the two."""
    return 10 * _each(run) / float(run.document["duration_s"])


def often(run: Measured) -> bool:
    """Whether there are more timeouts than the start of a run explains."""
    return _each(run) > FEW
