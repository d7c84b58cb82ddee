"""`python -m verify.bench [--quick | --threads]`: measures the cases, and writes `docs/benchmarks.md`.

It takes less than 10 minutes on a quiet machine.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import dupack
from dupack.work import Run, jobs_of, run_jobs
from verify import ns3
from verify.bench import htsim, threads
from verify.bench.cases import CASES, FIVE, Case, Dumbbell, Found, Other, delivered, fat_tree, many
from verify.bench.page import page, plot, with_section
from verify.ns2 import installed

HERE = Path(__file__).parent
LONG_S = 3
"""A case that takes more processor time is measured once."""
NS3_SHARE = 0.25
"""ns-3 runs are shorter by this factor: ns-3 takes about fifty times as long."""
PAGE = Path("docs/benchmarks.md")
PLOT = Path("docs/figures/benchmarks.svg")
PLOT_OF_CORES = Path("docs/figures/benchmarks-cores.svg")


def of_dupack(case: Case, times: int) -> Found:
    """Runs a case this many times, or once if that takes long."""
    runs: list[Run] = []
    while len(runs) < times and sum(run.document["cpu_s"] for run in runs) < LONG_S:
        run_jobs(
            jobs_of(dupack.Plan(case.plan.encode(), case.name, []), [1]),
            threads=1,
            done=lambda _, run: runs.append(run),
        )
    documents = [run.document for run in runs]
    ns = statistics.median(it["cpu_s"] for it in documents) * 1e9 / case.work(documents[0])
    return Found(case, ns, documents[0]["summary"]["goodput_bps"])


def cpu_s(words: list[str]) -> tuple[float, str]:
    """Processor time of a process and its children, and what it printed."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(words, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said = out.read().decode()
    if process.returncode:
        raise RuntimeError(f"{words[0]} failed: {said[-200:]}")
    return usage.ru_utime + usage.ru_stime, said


def of_peer(words: list[str], dumbbell: Dumbbell, unit: int) -> tuple[float, float]:
    """Processor time per delivered segment [ns], and goodput [bit/s].

    The program prints how many units, each of `unit` bytes, were delivered.
    """
    took, said = cpu_s(words)
    delivered = int(said.split()[-1]) * unit
    return took * 1e9 / (delivered / dumbbell.mss), 8 * delivered / dumbbell.duration_s


@contextmanager
def ns3_program() -> Iterator[Path | None]:
    """Our program for ns-3, compiled; None if ns-3 is missing."""
    if ns3.missing():
        yield None
        return
    with ns3.program(HERE / "dumbbell.cc", level="-O2") as binary:
        yield binary


def of_peers(dumbbell: Dumbbell, of_ns3: Path | None, of_htsim: Path | None) -> dict[str, tuple[float, float]]:
    """Runs a case in the other simulators: for each that is here, what `of_peer` says."""
    found = {}
    if ns2 := installed():
        found["ns-2"] = of_peer([ns2, str(HERE / "dumbbell.tcl"), *dumbbell.ns2()], dumbbell, dumbbell.mss)
    if of_ns3:
        short = replace(dumbbell, duration_s=dumbbell.duration_s * NS3_SHARE)
        found["ns-3"] = of_peer([str(of_ns3), *short.ns3()], short, 1)
    if of_htsim:
        found["htsim"] = of_peer([str(of_htsim), *dumbbell.htsim()], dumbbell, dumbbell.mss)
    return found


def starts() -> list[Other]:
    """Processor time of commands [s], the least of five."""
    command = str(Path(sys.executable).with_name("dupack"))
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "plan.toml"
        plan.write_text(Dumbbell(1, 1e6, 1e6, 10, 536, 0.001, 0.01).plan())
        commands = [("`dupack run` of a trivial plan", ["run", str(plan)], 0.12), ("`dupack --help`", ["--help"], 0.08)]
        found = []
        for name, words, target in commands:
            took = min(cpu_s([command, *words])[0] for _ in range(5))
            found.append(Other(f"{name}, processor time", f"{took:.2f} s", f"{target} s", took <= target))
    return found


def speed_up() -> Other:
    """Of a sweep on two cores."""
    plan = dupack.Plan(FIVE.plan().encode(), "sweep", [])
    took = []
    for many_threads in (1, 2):
        began = time.monotonic()
        run_jobs(jobs_of(plan, range(1, 9)), threads=many_threads, done=lambda *_: None)
        took.append(time.monotonic() - began)
    ratio = took[0] / took[1]
    return Other("sweep of 8 runs on 2 cores instead of 1", f"{ratio:.2f} times as fast", "1.9", ratio >= 1.9)


SENDERS = (
    ("CUBIC with RACK-TLP", 'control = "cubic", repair = "rack-tlp"', 1.5),
    ("BBRv3 with RACK-TLP", 'control = "bbr3", repair = "rack-tlp"', 2.0),
)
"""Their names, transports, and how many times Reno's cost they may have."""

QUEUES = (
    ("CoDel", "codel", "drop-tail", replace(FIVE, buffer=1000), "(a) with a buffer of 1,000 packets", 1.15),
    ("FQ-CoDel", "fq-codel", "fair-queueing", many(1000, 4), "1,000 flows", 1.5),
)
"""Their names, words, those of the discipline beside it, where, and how many times its cost they may have."""


def beside(*dumbbells: Dumbbell) -> list[float]:
    """Costs per delivered segment [ns]: the least of five runs each, in turns."""
    cases = [Case("", it.plan(), None, delivered) for it in dumbbells]
    found = [[of_dupack(case, 1) for case in cases] for _ in range(5)]
    return [min(it.ns for it in runs) for runs in zip(*found, strict=True)]


def parts() -> list[Other]:
    """Costs of senders beside that of Reno, and of disciplines beside a simpler one."""
    reno, *others = beside(*(replace(FIVE, sender=it) for it in ('kind = "reno"', *(it for _, it, _ in SENDERS))))
    costs = [
        (f"{name} on (a)", ns, f"Reno's {reno:.0f} ns", reno, most)
        for (name, _, most), ns in zip(SENDERS, others, strict=True)
    ]
    for name, word, simple, dumbbell, where, most in QUEUES:
        least, ns = beside(replace(dumbbell, queue=simple), replace(dumbbell, queue=word))
        costs.append((f"{name}, {where}", ns, f"the {least:.0f} ns of `{simple}`", least, most))
    return [
        Other(f"{name}, per delivered segment", f"{ns / least:.2f} times {of}", f"{most}", ns <= most * least)
        for name, ns, of, least, most in costs
    ]


def machine() -> str:
    """Processor, cores, load, and versions."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((it.partition(":")[2].strip() for it in lines if it.startswith("model name")), platform.processor())
    rust = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=False).stdout.strip()
    commit = subprocess.run(
        ["git", "log", "-1", "--format=%h, %as"], capture_output=True, text=True, check=False
    ).stdout.strip()
    load = os.getloadavg()[0]
    system = f"{platform.system()} {platform.release()}"
    return f"{model}, {os.cpu_count()} cores, load {load:.1f} at the start; {system}; {rust}; commit {commit}"


def on_threads(here: str, *, quick: bool) -> None:
    """Measures runs on several threads, and writes their section."""
    times = 1 if quick else 5
    found = threads.measured(times)
    for it in found:
        two = f", {it.two_s:.2f} s on 2: {it.ratio:.2f} times as fast" if it.two_s else "; not divided"
        print(f"{it.name}: {it.one_s:.2f} s on 1 thread{two}", flush=True)
    if not quick:
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        PLOT_OF_CORES.write_text(threads.plot(found))
        PAGE.write_text(with_section(PAGE.read_text(), threads.section(found, times, here, today)))


def ready() -> Other:
    """Time from the plan of a large network to its first event, the least of three."""
    text = fat_tree(48, 0.0001).encode()
    took = []
    for _ in range(3):
        began = time.monotonic()
        plan = dupack.Plan(text, "ready", [])
        run_jobs(jobs_of(plan, [1]), threads=1, each=1, brief=True, done=lambda *_: None)
        took.append(time.monotonic() - began)
    return Other(
        "fat tree, k = 48 (27,648 hosts), from the plan to the first event", f"{min(took):.2f} s", "3 s", min(took) <= 3
    )


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(
        prog="verify.bench",
        description="How fast dupack is, beside ns-2, ns-3 and htsim.",
        epilog="htsim is measured if the environment variable HTSIM names the folder sim of a build of it.",
    )
    parser.add_argument("--quick", action="store_true", help="each case once; no page is written")
    parser.add_argument(
        "--threads", action="store_true", help="only runs on several threads, of which the page has a section"
    )
    asked = parser.parse_args()
    quick, here = asked.quick, machine()
    if asked.threads:
        on_threads(here, quick=quick)
        return
    found = []
    ns2_missing = None if installed() else "ns-2 is not installed (Debian: the package ns2)"
    absent = [reason for reason in (ns2_missing, ns3.missing(), htsim.missing()) if reason]
    for reason in absent:
        print(f"skipped: {reason}", flush=True)
    with ns3_program() as of_ns3, htsim.program() as of_htsim:
        for case in CASES:
            it = of_dupack(case, 1 if quick else 3)
            if case.dumbbell:
                it.peers = of_peers(case.dumbbell, None if quick else of_ns3, of_htsim)
            found.append(it)
            peers = "".join(f", {name} {ns:,.0f} ns and {bps / 1e6:.1f} Mb/s" for name, (ns, bps) in it.peers.items())
            print(f"{case.name}: {it.ns:,.0f} ns per {case.unit}, {it.goodput_bps / 1e6:.1f} Mb/s{peers}", flush=True)
    others = [*starts(), ready(), speed_up(), *parts()]
    for other in others:
        print(f"{other.name}: {other.value} (target {other.target})", flush=True)
    if not quick:
        PLOT.write_text(plot(found))
        before = PAGE.read_text() if PAGE.exists() else ""
        version = None if htsim.missing() else htsim.version()
        PAGE.write_text(page(before, found, others, here, absent, version))
    on_threads(here, quick=quick)


if __name__ == "__main__":
    main()
