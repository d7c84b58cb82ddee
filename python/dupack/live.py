"""``dupack live``: a plan on real traffic of the Linux kernel."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from dupack import _native
from dupack.document import Document
from dupack.errors import OutputError, RequestError, WriteError
from dupack.files import check_file, printing, to_json, write_json, write_whole
from dupack.interrupts import code, word
from dupack.progress import Progress
from dupack.running import Runs, clear
from dupack.terminal import echo
from dupack.traces import is_parquet, is_tape
from dupack.work import Job, Run, jobs_of, read_plan


def live(
    plan: Path,
    *,
    sets: Sequence[str],
    seeds: list[int] | None,
    tape: Path | None,
    bound: str,
    ipv6: bool,
    out: Path | None,
    as_json: bool,
    force: bool,
) -> None:
    """Runs a plan live, one run after another, prints the results, and writes the files that are asked for."""
    read = read_plan(plan, sets)
    jobs = jobs_of(read, seeds)
    most = _native.picoseconds(bound)
    if most is None or most == 0:
        raise RequestError(f'--bound: {bound!r} is not a time, such as "500 us" or "2 ms"; nothing was run')
    _check_tape(tape, len(jobs), force=force)
    if out is not None:
        clear(out, several=len(jobs) > 1, force=force)
    runs = Live(read, jobs, seeds, sets, out)
    try:
        runs.live(most, ipv6=ipv6, tape=tape is not None)
    except (KeyboardInterrupt, WriteError) as stop:
        told = runs.so_far(as_json=as_json)
        if isinstance(stop, WriteError):
            raise WriteError(f"{stop}; {told}") from stop
        echo(f"{word(stop)}: {told}", err=True)
        if runs.done() and as_json:
            with printing():
                click.echo(to_json(runs.document()))
        sys.exit(code(stop))
    result = runs.document()
    if out is not None:
        write_json(out / "result.json", result, "--out")
    if tape is not None:
        write_whole(tape, runs.tape, "--tape")
    with printing():
        if as_json:
            click.echo(to_json(result))
            return
        # Slow to import.
        from dupack import printed, tables

        printed.show(result, tables.console())
        for what, path in (("results", out and out / "result.json"), ("tape", tape)):
            if path is not None:
                echo(f"{what}: {path}")


def _check_tape(tape: Path | None, runs: int, *, force: bool) -> None:
    if tape is None:
        return
    if runs != 1:
        raise RequestError(
            f"--tape records a single run, but there are {runs}; give one seed and a plan without a sweep"
        )
    if is_parquet(tape):
        raise OutputError(
            f"--tape {tape}: the tape of a live run is CSV; give a file that ends in .csv; nothing was run"
        )
    check_file(tape, "--tape", is_tape, force=force)


class Live(Runs):
    """The live runs of a plan. They run one after another, because they share the processors with the traffic."""

    tape: str = ""

    def live(self, bound: int, *, ipv6: bool, tape: bool) -> None:
        """Runs them, with this bound of lateness [ps]."""
        with Progress("running live", self.total()) as progress:
            for index, job in self.turns():
                document, csv = _native.live(job.plan, job.point, job.seed, tape=tape, bound=bound, ipv6=ipv6)
                self.tape = csv or ""
                self.keep(index, Run(job, json.loads(document)))
                progress.grow(self.total())
                progress.step()


def run_live(job: Job, *, bound: int | None = None, ipv6: bool = False) -> Document:
    """The document of one live run; raises `RunError` if the plan or the machine cannot do it."""
    document: dict[str, Any] = json.loads(_native.live(job.plan, job.point, job.seed, bound=bound, ipv6=ipv6)[0])
    return document
