"""ns-3 and dupack with the same bottleneck: the plans in `verify/plans`, and the values drawn per seed.

The variable `NS3` names the folder `ns3` of its Python wheel, unpacked. Without it, Debian's package is used.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import dupack
from dupack.work import Run, jobs_of, run_jobs

HERE = Path(__file__).parent
LIBRARIES = ["applications", "point-to-point", "traffic-control", "internet", "network", "core"]
SENDERS = {
    "rfc": "as in the RFCs",
    "rfc+one": "all corrected but partial acks",
    "shipped": "as shipped",
    "halve": "halving corrected",
    "whole": "increments corrected",
    "halve+whole": "both corrected",
    "rfc red": "as in the RFCs, RED as shipped",
}
"""The variants of ns-3, as `ns3.cc` calls its senders and as the page does; with ` red` RED is as shipped."""
DEFINES = Path("/usr/include/ns3/version-defines.h")
"""Of Debian's package."""


@dataclass(frozen=True)
class Flow:
    """Random values of a flow, drawn from a seed."""

    start_s: float
    exit_s: float
    """Delay of its receiver's line."""


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
    sets: tuple[str, ...] = ()
    """Further overrides of the plan."""


@dataclass(frozen=True)
class Result:
    """Results of a run of either simulator."""

    goodputs: list[float]
    """Goodput of each flow after warm-up [Mb/s]."""
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


@dataclass(frozen=True)
class Installed:
    """An ns-3 to build programs with."""

    version: str
    flags: tuple[str, ...]
    """Of the compiler."""


def installed() -> Installed | None:
    """The ns-3 that `NS3` names, or Debian's; None without any."""
    if home := os.environ.get("NS3"):
        return _of_wheel(Path(home).resolve())
    if not DEFINES.exists():
        return None
    major, minor = re.findall(r"define NS3_VERSION_(?:MAJOR|MINOR) (\d+)", DEFINES.read_text())
    # They are named here, because Debian's pkg-config files require more than its packages install.
    return Installed(f"{major}.{minor}", ("-std=c++17", *(f"-lns3-{it}" for it in LIBRARIES)))


def _of_wheel(home: Path) -> Installed | None:
    libraries = home / "lib64"
    names = [it.name for it in libraries.glob("libns3.*-core.so")]
    if not names:
        return None
    version = names[0].removeprefix("libns").removesuffix("-core.so")
    paths = (f"-I{home / 'include'}", f"-L{libraries}", f"-Wl,-rpath,{libraries}")
    return Installed(version, ("-std=c++20", *paths, *(f"-lns{version}-{it}" for it in LIBRARIES)))


def missing() -> str | None:
    """Why ns-3 cannot be run here, if it cannot."""
    if not shutil.which("c++"):
        return "there is no C++ compiler to build a program for ns-3"
    if installed():
        return None
    if home := os.environ.get("NS3"):
        return f"NS3={home} has no lib64/libns3.*-core.so: it must name the folder `ns3` of the wheel, unpacked"
    return "ns-3 is not installed (Debian: libns3-dev; or NS3= names the folder `ns3` of its wheel, unpacked)"


def against() -> str:
    """Its name and version, for a row of the overview."""
    found = None if missing() else installed()
    return f"ns-{found.version}" if found else "ns-3"


@contextmanager
def program(source: Path, *, level: str = "-O1") -> Iterator[Path]:
    """A program of ours for ns-3, compiled at this level of optimisation."""
    found = installed()
    assert found
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "ns3"
        words = ["c++", level, str(source), "-o", str(binary), *found.flags]
        done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            raise RuntimeError(f"{source} does not compile: {done.stderr[-2000:]}")
        yield binary


def run_ns3(binary: Path, scenario: Scenario, seed: int, sender: str, *, trace: bool = False) -> list[list[str]]:
    """Runs a seed in ns-3: the words of the lines that it prints, with `trace` also of those of packets sent."""
    sender, *shipped = sender.split()
    kind = "shipped" if shipped else "paper"
    red = ":".join(map(str, [kind, *scenario.red])) if scenario.red else "none"
    words = [str(binary), *map(str, [scenario.rate_bps, scenario.delay_s, scenario.buffer, red, sender])]
    words += map(str, [scenario.warm_up_s, scenario.duration_s, seed, int(trace)])
    words += [f"{flow.start_s}:{flow.exit_s}" for flow in drawn(scenario, seed)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=3000, check=False)
    if done.returncode or done.stderr:
        raise RuntimeError(f"ns-3 failed on {scenario.name}: {done.stderr or done.stdout[-200:]}")
    return [line.split() for line in done.stdout.splitlines()]


def of_ns3(binary: Path, scenario: Scenario, seed: int, sender: str) -> Result:
    """Output of a run of ns-3."""
    *flows, queue = run_ns3(binary, scenario, seed, sender)
    time_s = scenario.duration_s - scenario.warm_up_s
    arrived, dropped, waiting = queue[1:]
    return Result(
        goodputs=[int(it[1]) * 8e-6 / time_s for it in flows],
        loss=int(dropped) / int(arrived),
        waiting=float(waiting),
        recoveries=sum(int(it[2]) for it in flows),
        timeouts=sum(int(it[3]) for it in flows),
    )


def plan(scenario: Scenario, seed: int, *more: str) -> dupack.Plan:
    """The plan for what a seed draws. One group of flows, `tcp`, becomes a flow for each, with its own start."""
    path = HERE / "plans" / scenario.plan
    text = path.read_text()
    flows = drawn(scenario, seed)
    head, *blocks = text.split("[[flow]]")
    sets = [*scenario.sets, *more]
    if len(blocks) == len(flows):
        sets += [f'link.exit-{n}.delay="{it.exit_s * 1e9:.0f} ns"' for n, it in enumerate(flows)]
    else:
        (group,) = blocks
        members = [re.sub('"(tcp|source|sink)"', rf'"\1-{n}"', group) for n in range(len(flows))]
        text = "[[flow]]".join([head, *members])
    sets += [f'flow.tcp-{n}.start="{it.start_s * 1e6:.0f} us"' for n, it in enumerate(flows)]
    return dupack.Plan(text.encode(), str(path), sets)


def of_dupack(scenario: Scenario, seeds: Sequence[int]) -> list[Result]:
    """Runs seeds in dupack. Its links count from the start, so each is also run no further than warm-up goes."""
    early = (f"duration={scenario.warm_up_s} s", "warm_up=0 s")
    jobs = [job for seed in seeds for more in ((), early) for job in jobs_of(plan(scenario, seed, *more), [seed])]
    runs: dict[int, Run] = {}
    run_jobs(jobs, done=runs.__setitem__)
    return [measured(runs[at], runs[at + 1]) for at in range(0, len(jobs), 2)]


@dataclass(frozen=True)
class Alike:
    """Number of identical packets of all flows in both simulators, from the start on."""

    same: int
    """Packets sent until the first that differs."""
    of: int
    """Packets that dupack sends in all."""
    until_s: float
    """When the first differs; the end, if none does."""


def alike(binary: Path, scenario: Scenario, seed: int) -> Alike:
    """Compares what each flow sends, segment by segment: the same one, within a microsecond of the same time."""
    theirs: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for word, *rest in run_ns3(binary, scenario, seed, "rfc", trace=True):
        if word == "send":
            time, flow, segment = map(int, rest)
            theirs[f"tcp-{flow}"].append((time, segment))
    runs: list[Run] = []
    run_jobs(jobs_of(plan(scenario, seed), [seed]), tape=True, done=lambda _, run: runs.append(run))
    ours: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for line in (runs[0].tape or "").splitlines()[1:]:
        time_s, name, event, number, *_ = line.split(",")
        if event in ("send", "retransmit"):
            ours[name].append((round(float(time_s) * 1e9), int(number)))
    parted = scenario.duration_s * 1e9
    for name in theirs.keys() | ours.keys():
        for mine, other in zip_longest(ours[name], theirs[name]):
            if mine is None or other is None or mine[1] != other[1] or abs(mine[0] - other[0]) > 1000:
                # A packet that either sends within its last microsecond may be after the end of the other.
                at = min(it[0] for it in (mine, other) if it)
                parted = min(parted, at) if at < scenario.duration_s * 1e9 - 1000 else parted
                break
    sent = [time for flow in ours.values() for time, _ in flow]
    return Alike(sum(time < parted for time in sent), len(sent), parted / 1e9)


def measured(whole: Run, early: Run) -> Result:
    """Results of a run for the time after its warm-up, which ends where `early` does."""
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
