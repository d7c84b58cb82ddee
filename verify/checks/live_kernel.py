"""The simulator's models of Linux' senders beside Linux itself, over the same links and queues."""

from __future__ import annotations

import json
import os
import platform
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import combinations, product
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from dupack import _native
from dupack.live import run_live
from dupack.work import Job, Plan, run_points
from verify import live_host
from verify.frame import Report, Row
from verify.linux_rows import CHANCE, chance
from verify.live_kernel_reasons import BELOW, FEW, lateness

TITLE = "Simulated senders beside those of the Linux kernel"
AGAINST = "the kernel's own TCP, in live runs of the same plans"
ORDER = 28
CONTROLS = ("reno", "cubic", "bbr")
SENDERS = (*((one,) for one in CONTROLS), *combinations(CONTROLS, 2))
KEPT = Path("out/verify/live_kernel.jsonl")
"""What live runs gave, so that the check goes on where it was ended."""
SIMULATED = range(1, 21)
"""Seeds; those of the live runs are among them."""
TRIES = 3
"""A live run that says that it is not to be trusted is repeated up to this number of times."""
BANDS = {"goodput": 0.03, "RTT": 0.05, "drops": 0.15, "share": 0.10}
FORMS = {"goodput": "{:.2f} Mb/s", "RTT": "{:.1f} ms", "drops": "{:.3f} %", "share": "share {:.2f}"}
SCALES = {"goodput": 1e-6, "RTT": 1e3, "drops": 100.0, "share": 1.0}


@dataclass(frozen=True)
class Setting:
    """A link."""

    rate: int
    """Mb/s."""
    rtt: int
    """Round trip of the empty network [ms]."""
    duration: int
    warm_up: int
    at_once: int
    """Live runs at the same time."""

    @property
    def packets(self) -> int:
        """Packets of 1,500 B in a BDP."""
        return self.rate * self.rtt * 1000 // 8 // 1500

    def queues(self) -> dict[str, tuple[str, str]]:
        """Per queue, the units of the link, and its table: buffers of a BDP, RED's of two."""
        n = self.packets
        red = f"min_th = '{n // 4} packets', max_th = '{n} packets', max_p = 0.1, weight = 0.002"
        return {
            "drop-tail": ("packets", f"kind = 'drop-tail', buffer = '{n} packets'"),
            "codel": ("packets", "kind = 'codel'"),
            "fq-codel": ("packets", "kind = 'fq-codel'"),
            "red": ("packets", f"kind = 'red', buffer = '{2 * n} packets', {red}"),
            "bpd": ("cells", f"kind = 'bpd', buffer = '{32 * n} cells', lower = 0.4, upper = 0.9, gap = '25 packets'"),
        }


SETTINGS = (Setting(5, 100, 20, 8, 8), Setting(20, 40, 15, 5, 6), Setting(100, 10, 8, 3, 2))
QUICK = (Setting(20, 40, 8, 3, 3),)
PLAN = """
title = "{title}"
duration = "{duration} s"
warm_up = "{warm_up} s"
percentiles = true
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "line"
carries = "{units}"
from = "a"
to = "b"
rate = "{rate} Mb/s"
delay = "{delay} ms"
queue = {{ {queue} }}
"""
FLOW = """
[[flow]]
name = "{control}"
from = "a"
to = "b"
start = "0 s..200 ms"
transport = {{ kernel = "{control}" }}
"""
TEXT = """
One flow, or two of different kinds, over one link, as simulated (`linux-reno`, `linux-cubic`, `linux-bbr`) and live on
the kernel's TCP; {runs} live runs and {simulated} simulated ones, with the same first seeds. A row has total goodput,
median round trip (of two flows the mean), share of units dropped, and, of two flows, the share of the first. Bands,
stated before: within 3 %, 5 %, 15 % and 10 % of the kernel's; {settings}.
Buffers are a BDP, RED's two. A live run that says that it is not to be trusted is repeated, up to three times; where
none of the three is trusted, nothing is claimed. {within} of {all} numbers are within their bands. The load of the
machine (1 minute) was {least:.0f} to {most:.0f} while the live runs were made.

Live receivers read every 2 ms. How much this delays their acks is measured: `ack_delay_s` of live documents has
the times from the writing of a segment to the reading of the ack that it caused. Means over the runs, of the median and
of the 99th percentile: {acks}.
The simulated receivers are those of the presets, which acknowledge every second segment after at most 20 us.

{agreeing} rows are within their bands as they are. {departing} depart: all their numbers come within the bands in
simulations with the delays of the live runs (reason 1). {open} are open. Of {unsaid} nothing can be said: their runs
spread so much that the difference may be chance (Mann and Whitney's test, p of {chance} or more; this verdict was added
after rows of an earlier version had been seen), or a live run was not trusted.

The rows of earlier versions have led to changes, so that they are no test of these. Simulated BBR sent its packets one
by one; captures of live runs showed bursts, and `linux-bbr` now has Linux's (`send_quantum`). Live round trips were
measured when segments were acknowledged, also of those that had been reported by selective acks long before; now the
first report counts, as in simulations. The delays of acks were not known.
"""


@dataclass
class Numbers:
    """What is compared, per run, and what explains it."""

    goodput: list[float] = field(default_factory=list)
    rtt: list[float] = field(default_factory=list)
    drops: list[float] = field(default_factory=list)
    """Share of the units."""
    dropped: int = 0
    offered: int = 0
    share: list[float] = field(default_factory=list)
    timeouts: list[int] = field(default_factory=list)
    retransmitted: list[int] = field(default_factory=list)
    counters: dict[str, float] = field(default_factory=dict)
    """The kernel's, of the sender's host, means over runs."""

    @staticmethod
    def of(runs: Sequence[dict[str, Any]]) -> Numbers:
        """Of what `_kept` has kept."""
        made = Numbers()
        for run in runs:
            goodputs = [flow["goodput_bps"] for flow in run["flows"]]
            made.goodput.append(sum(goodputs))
            made.rtt.append(fmean(flow["rtt"] for flow in run["flows"]))
            made.share.append(goodputs[0] / sum(goodputs))
            made.drops.append(run["dropped"] / max(1, run["offered"]))
            made.dropped += run["dropped"]
            made.offered += run["offered"]
            made.timeouts.append(sum(flow["timeouts"] for flow in run["flows"]))
            made.retransmitted.append(sum(flow["retransmitted"] for flow in run["flows"]))
            for name, value in run["counters"].items():
                made.counters[name] = made.counters.get(name, 0.0) + value / len(runs)
        return made

    def values(self, pair: bool) -> dict[str, float]:
        """The numbers that are compared."""
        found = {
            "goodput": fmean(self.goodput),
            "RTT": fmean(self.rtt),
            "drops": self.dropped / max(1, self.offered),
        }
        return {**found, "share": fmean(self.share)} if pair else found

    def each(self, name: str) -> list[float]:
        """A number of every run."""
        return {"goodput": self.goodput, "RTT": self.rtt, "drops": self.drops, "share": self.share}[name]


def _kept(document: dict[str, Any]) -> dict[str, Any]:
    """The part of a run's document that is compared."""
    line = next(link for link in document["links"] if link["name"] == "line")["measured"]
    live = document.get("live", {})
    return {
        "flows": [
            {
                "goodput_bps": one["goodput_bps"],
                "rtt": one["rtt_s"]["p50"],
                "timeouts": one["timeouts"],
                "retransmitted": one["segments_retransmitted"],
            }
            for one in document["flows"]
        ],
        "dropped": sum(line["dropped"].values()),
        "offered": line["offered"],
        "counters": live.get("netstat", {}).get("a", {}),
        "lateness": live.get("lateness_s"),
        "ack_delay": live.get("ack_delay_s"),
        "trusted": live.get("trusted", True),
        "load": os.getloadavg()[0],
    }


class _Store:
    """Live runs that were made before, by this build on this kernel."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, dict[str, Any]] = {}
        if path.exists():
            for line in path.read_text().splitlines():
                one = json.loads(line)
                self._known[one["key"]] = one["run"]

    def live(self, job: Job) -> dict[str, Any]:
        """The run, made now if it is not known."""
        key = "|".join([_native.__build__, platform.release(), *map(str, job.same())])
        if key in self._known:
            return self._known[key]
        for _ in range(TRIES):
            run = _kept(run_live(job))
            if run["trusted"]:
                break
        self._path.parent.mkdir(parents=True, exist_ok=True)
        # One write, so that lines of several threads do not mix.
        with self._path.open("a") as file:
            file.write(json.dumps({"key": key, "run": run}) + "\n")
        self._known[key] = run
        return run


def check(quick: bool) -> Report:
    """Runs the grid."""
    if why := live_host.unable(root=False):
        return Report(TITLE, AGAINST, skipped=why, order=ORDER)
    settings, runs = (QUICK, 2) if quick else (SETTINGS, 5)
    store = _Store(KEPT)
    rows: list[Row] = []
    loads: list[float] = []
    acks: list[str] = []
    counts = [0, 0]
    for setting in settings:
        cases = list(_cases(setting, runs))
        jobs = [job for _, _, jobs in cases for job in jobs]
        with ThreadPoolExecutor(setting.at_once) as pool:
            live = dict(zip(map(Job.same, jobs), pool.map(store.live, jobs), strict=True))
        delays = [run["ack_delay"] for run in live.values()]
        median, most = (fmean(1e3 * it[name] for it in delays) for name in ("p50", "p99"))
        acks.append(f"{median:.2f} ms and {most:.2f} ms at {setting.rate} Mb/s")
        for where, senders, own in cases:
            theirs = [live[job.same()] for job in own]
            loads += [run["load"] for run in theirs]
            rows.append(_row(where, senders, own, theirs, counts))
    told = ", ".join(
        f"{it.rate} Mb/s with {it.rtt} ms ({it.duration} s, {it.warm_up} s not measured)" for it in settings
    )
    within, every = counts
    verdicts = [row.verdict if row.departs else row.agrees for row in rows]
    text = TEXT.format(
        runs=runs,
        simulated=len(SIMULATED),
        settings=told,
        within=within,
        all=every,
        least=min(loads),
        most=max(loads),
        agreeing=verdicts.count(True),
        departing=verdicts.count("departs"),
        unsaid=verdicts.count(None),
        open=verdicts.count(False),
        chance=CHANCE,
        acks=", ".join(acks),
    )
    return Report(TITLE, AGAINST, rows, text, below=BELOW, order=ORDER)


def _cases(setting: Setting, runs: int) -> Iterator[tuple[str, tuple[str, ...], list[Job]]]:
    for senders, (queue, (units, table)) in product(SENDERS, setting.queues().items()):
        where = f"{' and '.join(senders)}, {queue}, {setting.rate} Mb/s, {setting.rtt} ms"
        text = PLAN.format(
            title=where,
            duration=setting.duration,
            warm_up=setting.warm_up,
            units=units,
            rate=setting.rate,
            delay=setting.rtt / 2,
            queue=table,
        )
        text += "".join(FLOW.format(control=one) for one in senders)
        plan = Plan(text.encode(), "live_kernel", [])
        yield where, senders, [Job(plan, 0, seed) for seed in range(1, runs + 1)]


def _simulated(
    senders: Sequence[str], text: bytes, more: Sequence[str] = (), seeds: Sequence[int] = SIMULATED
) -> Numbers:
    # Whole, because a parameter beside `kernel` would leave the preset behind.
    own = [f'flow.{it}.transport={{ kind = "linux-{it}" }}' for it in senders]
    plan = Plan(text, "live_kernel", [*own, *more])
    runs = run_points(plan, [Job(plan, 0, seed) for seed in seeds], until=False)
    return Numbers.of([_kept(run.document) for run in runs if run])


def _late(senders: Sequence[str], job: Job, runs: Sequence[dict[str, Any]], folder: Path) -> Numbers:
    """Simulated with the delays of live ``runs``."""
    text = job.plan.text.decode()
    rate = float(tomllib.loads(text)["link"][0]["rate"].removesuffix(" Mb/s"))
    late, changes = lateness(text, 12.0 / rate, runs, folder)
    return _simulated(senders, late.encode(), changes)


def _outside(mine: dict[str, float], its: dict[str, float]) -> list[str]:
    return [name for name, value in its.items() if abs(mine[name] - value) > BANDS[name] * value]


def _row(
    where: str, senders: tuple[str, ...], jobs: Sequence[Job], runs: list[dict[str, Any]], counts: list[int]
) -> Row:
    ours, theirs = _simulated(senders, jobs[0].plan.text), Numbers.of(runs)
    pair = len(senders) > 1
    mine, its = ours.values(pair), theirs.values(pair)
    trusted = all(run["trusted"] for run in runs)
    outside = _outside(mine, its)
    if trusted:
        counts[0] += len(its) - len(outside)
        counts[1] += len(its)
    notes = [_off(name, mine[name], its[name]) for name in outside]
    agrees: bool | None = not outside
    explained = False
    if outside:
        notes.append(_counted(ours, theirs))
        left = outside
        with TemporaryDirectory() as folder:
            other = _late(senders, jobs[0], runs, Path(folder)).values(pair)
        left = _outside(other, its)
        notes.append(f"reason 1: {_told(other)}; {'outside: ' + ', '.join(left) if left else 'all within'}")
        explained = not left
        by_chance = min(chance(ours.each(name), theirs.each(name)) for name in outside)
        if not explained and by_chance >= CHANCE:
            agrees = None
            notes.append(f"may be chance (p = {by_chance:.2f})")
        elif not explained and set(left) == {"drops"} and theirs.dropped / len(runs) < FEW:
            notes.append("reason 2")
    if not trusted:
        agrees, explained = None, False
        notes.append("live runs say: do not trust this")
    bands = "within the bands"
    return Row(where, _told(mine), _told(its), bands, agrees, "; ".join(notes), departs=explained)


def _told(values: dict[str, float]) -> str:
    return ", ".join(FORMS[name].format(value * SCALES[name]) for name, value in values.items())


def _off(name: str, ours: float, theirs: float) -> str:
    return f"{name} {(ours / theirs - 1) * 100:+.0f} %" if theirs else f"{name}: the kernel has none"


def _counted(ours: Numbers, theirs: Numbers) -> str:
    """What happened per run, as counted there and here."""
    counted = ", ".join(
        f"{word} {theirs.counters[name]:.1f}"
        for name, word in (
            ("TcpExt.TCPHystartTrainDetect", "HyStart by trains"),
            ("TcpExt.TCPHystartDelayDetect", "HyStart by delay"),
            ("TcpExt.TCPLossProbes", "probes"),
            ("TcpExt.TCPSpuriousRTOs", "spurious timeouts"),
        )
        if name in theirs.counters
    )
    both = (
        f"per run {fmean(ours.retransmitted):.0f} retransmissions and {fmean(ours.timeouts):.1f} timeouts simulated, "
        f"{fmean(theirs.retransmitted):.0f} and {fmean(theirs.timeouts):.1f} live"
    )
    return f"{both} ({counted})" if counted else both
