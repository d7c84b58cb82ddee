"""One run on several threads: measured on two, estimated for more."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import dupack
from dupack.work import jobs_of, run_jobs
from verify.bench.cases import HUNDRED, fat_tree, long_flows, many
from verify.figures import panels, svg

TARGET = 1.6
"""How many times faster the first case is to be on two cores."""
ESTIMATED = (2, 16, 64)
"""Numbers of threads in the table."""
PLOTTED = (2, 4, 8, 16, 32, 64)
"""The same in the plot."""
CASES = {
    "fat tree, k = 16 (1,024 hosts), connections that come and go": fat_tree(16, 60),
    "fat tree, k = 16 (1,024 hosts), 1,024 long flows": long_flows(16, 30),
    "(c) 100 x 1 Gb/s into 10 Gb/s": HUNDRED.plan(),
    "1,000 flows of about 1 Mb/s": many(1000, 4).plan(),
    "10,000 flows": many(10_000, 1).plan(),
    "100,000 flows": many(100_000, 0.25).plan(),
}


@dataclass(frozen=True, slots=True)
class Faster:
    """A case."""

    name: str
    one_s: float
    """Elapsed time on one thread."""
    two_s: float | None
    """On two; None if the run is not divided."""
    estimates: dict[int, float]
    """How many times faster it is on this number of threads, by estimate."""

    @property
    def ratio(self) -> float:
        """How many times faster it is on two threads."""
        return self.one_s / self.two_s if self.two_s else 1.0


def measured(times: int) -> list[Faster]:
    """All cases: the least of this many runs, in turns."""
    return [_measured(name, text, times) for name, text in CASES.items()]


def _measured(name: str, text: str, times: int) -> Faster:
    plan = dupack.Plan(text.encode(), name, [])
    is_divided = plan.divided(0, 1, 2)[0] > 1
    took: dict[int, list[float]] = {1: [], **({2: []} if is_divided else {})}
    for _ in range(times):
        for threads, all_of in took.items():
            began = time.monotonic()
            run_jobs(jobs_of(plan, [1]), threads=1, each=threads, done=lambda *_: None)
            all_of.append(time.monotonic() - began)
    estimates = {}
    for threads in sorted({*ESTIMATED, *PLOTTED}):
        parts, gain, _ = plan.divided(0, 1, threads)
        estimates[threads] = gain if parts > 1 else 1.0
    return Faster(name, min(took[1]), min(took[2]) if is_divided else None, estimates)


SECTION = "## One run on several threads"
TEXT = """{section}

`python -m verify.bench --threads` measured this section on {today}: {here}.

`dupack run` divides a run among the threads that it may use, if an estimate says that this makes it at least 1.4 times
as fast. The report is the same, byte for byte, for any number of threads. Times are
elapsed, the least of {times} runs in turns, without reading the plan. The target is {target} for the first row.

| case | 1 thread | 2 threads | times as fast | estimate for {estimated} threads |
|---|---|---|---|---|
"""
AFTER = """
![Elapsed time over the number of cores](figures/benchmarks-cores.svg)

The estimates are computed, not measured: they add up the work at each node, the packets that cross, and the windows, at
the end of which the threads wait for each other. The costs of these are rough assumptions, adjusted once to a few runs
on two cores ([division](../crates/sim/src/division/mod.rs)). Each thread is assumed to have a core of its own, and
caches and memory that are as fast as for one thread alone. Only the estimates for two threads have been compared with
runs. The time to find out that a run is not to be divided is not in the table: 0.1 s for 100,000 flows.

"""


def section(found: Sequence[Faster], times: int, here: str, today: str) -> str:
    """The section of the page."""
    estimated = f"{', '.join(map(str, ESTIMATED[:-1]))} and {ESTIMATED[-1]}"
    head = TEXT.format(section=SECTION, today=today, here=here, times=times, target=TARGET, estimated=estimated)
    rows = []
    for at, it in enumerate(found):
        estimates = ", ".join(f"{it.estimates[threads]:.2g}" for threads in ESTIMATED)
        if it.two_s is None:
            two, ratio = "not divided", ""
        else:
            two, ratio = f"{it.two_s:.2f} s", f"{it.ratio:.2f}"
        met = "" if at else ", met" if it.ratio >= TARGET else ", **missed**"
        rows.append(f"| {it.name} | {it.one_s:.2f} s | {two} | {ratio}{met} | {estimates} |\n")
    return head + "".join(rows) + AFTER


def plot(found: Sequence[Faster]) -> str:
    """Elapsed time over cores, of the runs that are divided."""
    figure, ((axes,),) = panels(1, width=6.4, height=4.2)
    for it in found:
        if it.two_s is None:
            continue
        estimated = [it.one_s, *(it.one_s / it.estimates[cores] for cores in PLOTTED)]
        (line,) = axes.loglog([1, *PLOTTED], estimated, "--", label=f"{it.name}: estimate")
        axes.loglog([1, 2], [it.one_s, it.two_s], "o", color=line.get_color(), label="measured")
    axes.set_xticks([1, *PLOTTED], [str(n) for n in (1, *PLOTTED)], minor=False)
    axes.xaxis.minorticks_off()
    axes.set_yscale("log", subs=(2, 5))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("{x:g}")
    axes.tick_params(which="both", labelsize=9)
    axes.grid(visible=True, which="both", alpha=0.3)
    axes.set(xlabel="cores", ylabel="elapsed time [s]")
    figure.legend(loc="outside lower center")
    return svg(figure)
