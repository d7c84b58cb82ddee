"""ns-3 and dupack through the same bottleneck: the plans in `verify/plans`, and what differs from seed to seed."""

from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import dupack
from dupack.work import Run, jobs_of, run_jobs

HERE = Path(__file__).parent
LIBRARIES = ["applications", "point-to-point", "traffic-control", "internet", "network", "core"]
HEADER = Path("/usr/include/ns3/core-module.h")


@dataclass(frozen=True)
class Flow:
    """What a seed draws for a flow."""

    start_s: float
    access_s: float
    """Delay of its sender's line."""


@dataclass(frozen=True, eq=False)
class Scenario:
    """A plan, and what of it ns-3 is told."""

    name: str
    plan: str
    rate_bps: int
    delay_s: float
    buffer: int
    red: tuple[float, float, float, float] | None
    """Thresholds [packets], share at the upper one, weight."""
    warm_up_s: float
    duration_s: float
    seeds: int
    """How many are run."""
    draw: Callable[[random.Random], list[Flow]]
    sets: Callable[[Sequence[Flow]], list[str]]
    """How the plan is told what was drawn."""


@dataclass(frozen=True)
class Result:
    """What either simulator says of a run."""

    goodputs: list[float]
    """Of each flow, after warm-up [Mb/s]."""
    loss: float
    """Share of what arrived at the bottleneck that was dropped there, after warm-up."""
    waiting: float
    """Mean of what waited there, after warm-up [packets]."""
    recoveries: int
    """Of all flows, after warm-up."""
    timeouts: int


def drawn(scenario: Scenario, seed: int) -> list[Flow]:
    """The flows of a seed, the same for both simulators."""
    return scenario.draw(random.Random(f"{scenario.name} {seed}"))


def missing() -> str | None:
    """Why ns-3 cannot be run here, if it cannot."""
    if not HEADER.exists():
        return "ns-3 is not installed (Debian: the package libns3-dev)"
    if not shutil.which("c++"):
        return "there is no C++ compiler to build a program for ns-3"
    return None


@contextmanager
def program() -> Iterator[Path]:
    """Our program for ns-3, compiled."""
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "ns3"
        # Named, because Debian's pkg-config files ask for more than its packages bring.
        libraries = [f"-lns3-{it}" for it in LIBRARIES]
        words = ["c++", "-std=c++17", "-O1", str(HERE / "ns3.cc"), "-o", str(binary)]
        done = subprocess.run([*words, *libraries], capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            raise RuntimeError(f"verify/ns3.cc does not compile: {done.stderr[-2000:]}")
        yield binary


def of_ns3(binary: Path, scenario: Scenario, seed: int, sender: str) -> Result:
    """Runs a seed in ns-3, with senders as `shipped` or as in the RFCs (`rfc`)."""
    red = ":".join(map(str, scenario.red)) if scenario.red else "none"
    numbers = [scenario.rate_bps, scenario.delay_s, scenario.buffer, red, sender]
    words = [str(binary), *map(str, numbers), str(scenario.warm_up_s), str(scenario.duration_s), str(seed)]
    words += [f"{flow.start_s}:{flow.access_s}" for flow in drawn(scenario, seed)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=3000, check=False)
    if done.returncode or done.stderr:
        raise RuntimeError(f"ns-3 failed on {scenario.name}: {done.stderr or done.stdout[-200:]}")
    *flows, queue = [line.split() for line in done.stdout.splitlines()]
    time_s = scenario.duration_s - scenario.warm_up_s
    arrived, dropped, waiting = queue[1:]
    return Result(
        goodputs=[int(it[1]) * 8e-6 / time_s for it in flows],
        loss=int(dropped) / int(arrived),
        waiting=float(waiting),
        recoveries=sum(int(it[2]) for it in flows),
        timeouts=sum(int(it[3]) for it in flows),
    )


def of_dupack(scenario: Scenario, seeds: Sequence[int]) -> list[Result]:
    """Runs seeds in dupack. Its links count from the start, so each is also run no further than warm-up goes."""
    path = HERE / "plans" / scenario.plan
    jobs = []
    for seed in seeds:
        sets = scenario.sets(drawn(scenario, seed))
        early = [f"duration={scenario.warm_up_s} s", "warm_up=0 s"]
        for plan in (sets, sets + early):
            jobs += jobs_of(dupack.Plan(path.read_bytes(), str(path), plan), [seed])
    runs: dict[int, Run] = {}
    run_jobs(jobs, done=runs.__setitem__)
    return [measured(runs[at], runs[at + 1]) for at in range(0, len(jobs), 2)]


def measured(whole: Run, early: Run) -> Result:
    """What a run says of the time after its warm-up, which ends where `early` does."""
    counts = []
    for run in (whole, early):
        (queue,) = [it for it in run.document["links"] if it["name"] == "bottleneck"]
        counts.append((queue["offered"], sum(queue["dropped"].values()), queue["mean_backlog"]))
    (arrived, dropped, waiting), (arrived_early, dropped_early, _) = counts
    flows = whole.document["flows"]
    return Result(
        goodputs=[it["goodput_bps"] / 1e6 for it in flows],
        loss=(dropped - dropped_early) / (arrived - arrived_early),
        waiting=waiting,
        recoveries=sum(it["fast_retransmits"] for it in flows),
        timeouts=sum(it["timeouts"] for it in flows),
    )
