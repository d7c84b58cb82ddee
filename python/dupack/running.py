"""``dupack run``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dupack import memory
from dupack._native import write_run
from dupack.document import assemble
from dupack.errors import RequestError, WriteError
from dupack.files import (
    RESULT,
    check_directory,
    from_json,
    own_directory,
    printing,
    refuse_inputs,
    remove,
    to_json,
    write_json,
    write_pieces,
    write_whole,
)
from dupack.interrupts import Importing, Whole, code, word
from dupack.progress import Progress
from dupack.terminal import echo, heading
from dupack.work import Job, Plan, Run, inputs, jobs_of, read_plan, run_jobs

if TYPE_CHECKING:
    from dupack.traces import Recorded, Traces

MANY_FLOWS = 10_000
"""With more flows, or more links, the summary alone is printed, and a document is written row by row."""
ALONE = (
    "This is the summary of {:,.0f} flows and {:,.0f} links. --no-summary shows tables of them, "
    "--json and --out DIR each of them."
)
MOST_FILES = 10
"""With more files of one kind only the directory is printed: thousands of connections have a log each."""


def run(
    plan: Path,
    *,
    sets: Sequence[str],
    seeds: list[int] | None,
    traces: Traces | None,
    out: Path | None,
    limit: memory.Limit | None,
    threads: int | None,
    as_json: bool,
    summary: bool | None = None,
    force: bool,
) -> None:
    """Runs a plan, prints the results, and writes the files that are asked for."""
    read = read_plan(plan, sets)
    jobs = jobs_of(read, seeds)
    if read.stop is not None:
        from dupack.stopping import unheeded

        if note := unheeded(read, seeds):
            echo(note, err=True)
    outputs = list(traces.outputs()) if traces else []
    refuse_inputs([*outputs, *(outputs_of(out) if out is not None else ())], inputs(read, plan))
    if traces:
        traces.check(len(jobs), out, force=force)
    if summary is not None and as_json:
        raise RequestError("--summary: it is about tables, and --json prints none; leave one of the two out")
    large = not traces and any(is_large(read, point) for point in range(len(read.points)))
    in_rows = large and len(jobs) == 1 and len(read.seeds) == 1 and seeds is None and not read.axes
    brief = not traces and out is None and not as_json and (large if summary is None else summary)
    limit = limit or memory.default()
    rows = memory.tape_rows(read, jobs[0].seed) if traces else 0
    each = memory.runs_of(read, seeds)
    kept = "run --json" if as_json or out is not None else "run"
    limit.check(read, "run by rows" if brief or in_rows else kept, each, threads, rows)
    if out is not None:
        clear(out, several=len(jobs) > 1, force=force)
    if in_rows and (as_json or out is not None):
        by_rows(read, jobs[0], limit, threads, out, as_json=as_json)
        return
    runs = Runs(read, jobs, seeds, sets, out)
    parts = limit.threads_for_each(read, "run by rows" if brief else kept, len(jobs), threads)
    try:
        with limit.hold():
            recorded = runs.run(traces, threads, parts, brief=brief)
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
    written, failed = _write(result, recorded, out, several=runs.several)
    place = out / "result.json" if out is not None and not failed else None
    stands = f"; all results are in {place}" if place is not None else ""
    with printing(stands or "; all runs had finished; use --out DIR to keep their results"):
        if as_json:
            click.echo(to_json(result))
        else:
            heading(result["title"])
            # They take a third of the time of a short command: the title is there before.
            with Importing():
                from dupack import printed, tables

            printed.show(result, tables.console(), titled=False)
            if brief and summary is None:
                has = read.kept(0)
                echo(ALONE.format(has["flows"], has["links"] / 2))
            if place is not None:
                echo(f"results: {place}")
            for what, paths in groupby(written, key=lambda one: one[0]):
                _tell_files(what, [path for _, path in paths])
    for line in runs.missed(result):
        echo(line, err=True)
    if failed:
        more = [f"and {len(failed) - MOST_FILES} more files"] if len(failed) > MOST_FILES else []
        raise WriteError("\n".join([*map(str, failed[:MOST_FILES]), *more]))


def is_large(plan: Plan, point: int) -> bool:
    """Whether a point has more flows or links than tables of them are printed for."""
    has = plan.kept(point)
    # Links are counted in both directions.
    return max(has["flows"], has["links"] / 2) > MANY_FLOWS


def by_rows(plan: Plan, job: Job, limit: memory.Limit, threads: int | None, out: Path | None, *, as_json: bool) -> None:
    """Does the run of a plan with many flows, and writes its document row by row, so that it is never in memory."""
    parts = limit.threads_for_each(plan, "run by rows", 1, threads)
    place = out / "result.json" if out is not None else None
    what = "the document was not written whole" if as_json else ""
    with limit.hold(), Progress("running", 1), write_pieces(place, "--out") as keep:

        def write(piece: bytes) -> None:
            if place is not None:
                keep(piece)
            if as_json:
                with printing(f"; {what}"):
                    sys.stdout.buffer.write(piece)

        told = from_json(write_run(plan, job.point, job.seed, write, parts))
    if as_json:
        return
    heading(plan.title)
    with Importing():
        from dupack import printed, tables

    printed.show({"title": plan.title, **told}, tables.console(), titled=False)
    echo(f"results: {place}")


class Runs:
    """The runs of a plan, and their results so far."""

    def __init__(
        self, plan: Plan, jobs: Sequence[Job], seeds: Sequence[int] | None, sets: Sequence[str], out: Path | None
    ) -> None:
        self.several = len(jobs) > 1
        self._plan = plan
        self._jobs = jobs
        self._sets = sets
        self._out = out
        self._repeated = seeds is not None or len(plan.seeds) > 1
        self._finished: list[dict[str, Any] | None] = [None] * len(jobs)
        self._void: set[int] = set()
        self._stopping = None
        if plan.stop is not None and seeds is None:
            from dupack.stopping import Stopping

            self._stopping = Stopping(plan, len(plan.seeds), {}, self._void.update)

    def run(self, traces: Traces | None, threads: int | None, each: int, *, brief: bool = False) -> Recorded | None:
        """Runs them, each with up to ``each`` threads; returns the recorded run if traces are asked for."""
        with Progress("running", self.total()) as progress:

            def done(index: int, run: Run) -> None:
                self.keep(index, run)
                if self._stopping:
                    progress.grow(self._stopping.total())

            if traces:
                recorded = traces.record(self._jobs[0])
                done(0, Run(self._jobs[0], recorded.document))
                return recorded
            order = self._stopping.next if self._stopping else None
            run_jobs(self._jobs, threads=threads, brief=brief, each=each, done=progress.then(done), order=order)
        return None

    def turns(self) -> Iterator[tuple[int, Job]]:
        """The runs in turn, by the stopping rule if there is one; each is to be kept before the next is asked for."""
        indices = iter(range(len(self._jobs)))
        while (index := self._stopping.next() if self._stopping else next(indices, None)) is not None:
            yield index, self._jobs[index]

    def keep(self, index: int, run: Run) -> None:
        """Keeps a finished run, in a file if there are several."""
        if self._out is not None and self.several:
            settings = self._plan.points[run.job.point]
            about = {"title": self._plan.title, "plan": self._plan.origin, "sets": self._sets, "settings": settings}
            text = to_json({**about, **run.document}) + "\n"
            # Otherwise Ctrl-C could come between the file and its count.
            with Whole():
                write_whole(self._out / "runs" / f"{_name(run.job)}.json", text, "--out")
                self._finished[index] = run.document
        self._finished[index] = run.document
        if self._stopping:
            self._stopping.told(index, self._stopping.measure.value(run.document))

    def total(self) -> int:
        """The number of runs, as far as it is known."""
        return self._stopping.total() if self._stopping else len(self._jobs)

    def done(self) -> int:
        """The number of finished runs."""
        return sum(document is not None for document in self._finished)

    def document(self) -> dict[str, Any]:
        """The document that ``--json`` prints."""
        return assemble(self._plan, self._finished, repeated=self._repeated, void=self._void)

    def so_far(self, *, as_json: bool) -> str:
        """After an interruption: the number of finished runs, and where their results are."""
        n = self.done()
        kept = ""
        if n and self._out is not None and self.several:
            kept = f"; {'its result is' if n == 1 else 'their results are'} in {self._out / 'runs'}"
        elif self._out is not None:
            kept = f"; no result was written to {self._out}"
        elif n:
            kept = "; the document has their results" if as_json else "; use --out DIR to keep their results"
        return f"{n} of {self.total()} runs had finished{kept}"

    def missed(self, result: dict[str, Any]) -> list[str]:
        """A line per point at which the stopping rule was not met."""
        if self._stopping is None:
            return []
        from dupack.stopping import missed

        bodies = result.get("points", [{"settings": {}, **result}])
        of = self._stopping.measure.value
        return missed(self._plan, ((it["settings"], [of(run) for run in it["runs"]]) for it in bodies))


def outputs_of(out: Path) -> Iterator[tuple[str, Path]]:
    """The files of results in a directory that may be replaced."""
    yield from (("--out", path) for path in (out / RESULT, *(out / "runs").glob("*.json")))


def clear(out: Path, *, several: bool, force: bool) -> None:
    """Removes the results of an earlier run."""
    check_directory(out, "--out")
    old = own_directory(out, "--out", force=force)
    if old:
        remove(old, "--out")
        echo(f"--out {out}: earlier results were removed", err=True)
    if several:
        check_directory(out / "runs", "--out")


def _write(
    result: dict[str, Any], recorded: Recorded | None, out: Path | None, *, several: bool
) -> tuple[list[tuple[str, Path]], list[WriteError]]:
    """Writes all files that are asked for; returns the traces that were written, by their option, and the errors."""
    # If a file cannot be written, the others still are: a run may have taken hours.
    failed: list[WriteError] = []
    if out is not None:
        try:
            write_json(out / "result.json", result, "--out")
        except WriteError as error:
            runs = f"; the results of all runs are in {out / 'runs'}" if several else ""
            failed.append(WriteError(f"{error}{runs}"))
    written: list[tuple[str, Path]] = []
    for option, path, content in recorded.files() if recorded is not None else ():
        try:
            write_whole(path, content, option)
            written.append((option.strip("-"), path))
        except WriteError as error:
            failed.append(WriteError(f"{error}; the run had finished, and its other results were kept"))
    return written, failed


def _tell_files(what: str, paths: Sequence[Path]) -> None:
    if len(paths) > MOST_FILES:
        echo(f"{what}: {paths[0].parent} ({len(paths):,} files)")
        return
    for path in paths:
        echo(f"{what}: {path}")


def _name(job: Job) -> str:
    """The file name of a run: its point in the sweep, and its seed."""
    points = len(job.plan.points)
    point = f"point-{job.point:0{len(str(points - 1))}}-" if points > 1 else ""
    return f"{point}seed-{job.seed}"
