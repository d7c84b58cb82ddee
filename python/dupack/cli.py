"""The command ``dupack``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click

from dupack import __version__, tables
from dupack._start import Importing, code, word
from dupack.document import assemble
from dupack.errors import Error, RequestError, RunError, WriteError
from dupack.files import (
    check_directory,
    check_file,
    drop_stdout,
    own_directory,
    printing,
    remove,
    to_json,
    write_json,
    write_whole,
)
from dupack.work import Job, Run, cores, jobs_of, parse_seeds, read_plan, run_jobs

FAILED, WRONG = 1, 2


class Seeds(click.ParamType):
    """Seeds as plans write them."""

    name = "seeds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return parse_seeds(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Place(click.Path):
    """A path; an empty one is none (and not, as Python would have it, the directory we are in)."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("it is empty; give a path", param, ctx)
        return super().convert(value, param, ctx)


def _threads(command: Callable[..., Any]) -> Callable[..., Any]:
    text = f"Worker threads; results do not depend on it.  [default: all cores, here {cores()}]"
    return click.option("--threads", type=click.IntRange(1, 1024), metavar="N", help=text)(command)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="dupack", message="%(prog)s %(version)s")
def cli() -> None:
    """A congestion laboratory: how a buffer discards, how a sender recovers, how the rate is controlled."""


@cli.command()
@click.argument("plan", type=Place())
@click.option("--set", "sets", multiple=True, metavar="PATH=VALUE", help="Put VALUE in the place of the plan's own.")
@click.option("--seeds", type=Seeds(), metavar="SEEDS", help='Run once with each: "3", "1..5", "1,2,7".')
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of tables.")
@click.option("--tape", type=Place(), metavar="FILE", help="Write every event as CSV; one run only.")
@click.option("--out", type=Place(), metavar="DIR", help="Write results there, each as it finishes.")
@_threads
def run(
    plan: Path,
    sets: tuple[str, ...],
    seeds: list[int] | None,
    as_json: bool,
    tape: Path | None,
    out: Path | None,
    threads: int | None,
) -> None:
    """Run the experiment in PLAN and print what was measured.

    --out writes result.json, and with several runs also runs/*.json as each finishes: those stay after Ctrl-C. Results
    that an earlier run left in DIR are removed first.
    """
    read = read_plan(plan, sets)
    jobs = jobs_of(read, seeds)
    several = len(jobs) > 1
    if tape is not None:
        if several:
            raise RequestError(f"--tape records one run, and this is {len(jobs)}; give one seed and no sweep")
        check_file(tape, "--tape")
    if out is not None:
        check_directory(out, "--out")
        old = own_directory(out, "--out")
        if old:
            remove(old, "--out")
            click.echo(f"--out {out}: the earlier results in it were removed", err=True)
        if several:
            check_directory(out / "runs", "--out")

    finished: list[dict[str, Any] | None] = [None] * len(jobs)
    tapes: list[str] = []

    def done(index: int, run: Run) -> None:
        if run.tape is not None:
            tapes.append(run.tape)
        if out is not None and several:
            about = {"title": read.title, "plan": read.origin, "sets": sets, "settings": read.points[run.job.point]}
            write_json(out / "runs" / f"{_name(run.job)}.json", {**about, **run.document}, "--out")
        finished[index] = run.document

    def document() -> dict[str, Any]:
        return assemble(read, finished, repeated=seeds is not None or len(read.seeds) > 1)

    try:
        with Progress("running", len(jobs), quiet=not several) as progress:
            run_jobs(jobs, threads=threads, tape=tape is not None, done=progress.then(done))
    except (KeyboardInterrupt, WriteError) as stop:
        n = sum(document is not None for document in finished)
        kept = ""
        if n and out is not None and several:
            kept = f", and {'is' if n == 1 else 'are'} whole in {out / 'runs'}"
        elif out is not None:
            kept = f"; {out} has no result"
        elif n:
            kept = ", and are in the document" if as_json else "; --out DIR would have kept them"
        told = f"{n} of {len(jobs)} runs had finished{kept}"
        if isinstance(stop, WriteError):
            raise WriteError(f"{stop}; {told}") from stop
        click.echo(f"{word(stop)}: {told}", err=True)
        if n and as_json:
            with printing():
                click.echo(to_json(document()))
        sys.exit(code(stop))

    # Whatever cannot be written, the rest is: a run may have taken hours.
    failed: list[WriteError] = []
    result = document()
    if out is not None:
        try:
            write_json(out / "result.json", result, "--out")
        except WriteError as error:
            runs = f"; the runs are whole in {out / 'runs'}" if several else ""
            failed.append(WriteError(f"{error}{runs}"))
    if tape is not None:
        try:
            write_whole(tape, tapes[0], "--tape")
        except WriteError as error:
            failed.append(WriteError(f"{error}; the run had finished, and its other results stand"))
    stands = f"; the results are whole in {out / 'result.json'}" if out is not None and not failed else ""
    with printing(stands or "; the runs had finished, and --out DIR would have kept them"):
        if as_json:
            click.echo(to_json(result))
        else:
            tables.show(result, tables.console())
            if stands:
                click.echo(f"results: {out / 'result.json'}")
            if tape is not None and not failed:
                click.echo(f"tape: {tape}")
    if failed:
        raise WriteError("\n".join(map(str, failed)))


def _name(job: Job) -> str:
    """The file of a run: its place in the sweep, and its seed."""
    points = len(job.plan.points)
    point = f"point-{job.point:0{len(str(points - 1))}}-" if points > 1 else ""
    return f"{point}seed-{job.seed}"


@cli.command()
@click.argument("paper", required=False)
@click.option("--figure", metavar="N", help="Only this figure, with the runs that it needs.")
@click.option("--table", metavar="N", help="Only this table, with the runs that it needs.")
@click.option("--quick", is_flag=True, help="Fewer seeds, shorter runs, coarser grids: a first look.")
@click.option("--seeds", type=click.IntRange(1, 1000), metavar="N", help="Seeds per point, instead of the plans' own.")
@click.option("--out", type=Place(), metavar="DIR", help="For the report.  [default: out/PAPER]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of the table.")
@_threads
def reproduce(
    paper: str | None,
    figure: str | None,
    table: str | None,
    quick: bool,
    seeds: int | None,
    out: Path | None,
    as_json: bool,
    threads: int | None,
) -> None:
    """Run a paper's experiments, draw its figures, and write a report that sets its numbers beside ours.

    Without PAPER, all that dupack knows.
    """
    with Importing():
        from dupack.reproduce import command, report  # noqa: F401

    command.reproduce(
        paper, figure=figure, table=table, quick=quick, seeds=seeds, out=out, as_json=as_json, threads=threads
    )


class Progress:
    """A bar on stderr with done, left and time left, where somebody watches."""

    def __init__(self, what: str, total: int, *, quiet: bool = False) -> None:
        from rich import progress

        out = tables.console(stderr=True)
        self._bar = progress.Progress(
            progress.TextColumn(what),
            progress.BarColumn(bar_width=40),
            progress.MofNCompleteColumn(),
            progress.TextColumn("{task.percentage:3.0f} %"),
            progress.TextColumn("left"),
            progress.TimeRemainingColumn(),
            console=out,
            transient=True,
            disable=quiet or not out.is_terminal,
        )
        self._task = self._bar.add_task(what, total=total)

    def __enter__(self) -> Progress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def then(self, done: Callable[[int, Run], object]) -> Callable[[int, Run], None]:
        """``done``, then one step of the bar."""

        def both(index: int, run: Run) -> None:
            done(index, run)
            self.step()

        return both

    def step(self) -> None:
        """One more is done."""
        self._bar.advance(self._task)


def main() -> NoReturn:
    """Runs the command; whatever goes wrong is told in words, never as a traceback."""
    try:
        # click itself tells of wrong options and of Ctrl-C outside a run.
        with printing():
            status = cli.main(prog_name="dupack", standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except Error as error:
        click.echo(error, err=True)
        sys.exit(FAILED if isinstance(error, RunError | WriteError) else WRONG)
    except click.Abort as abort:
        # So click hands on Ctrl-C and SIGTERM; `dupack._start` tells of them.
        raise (abort.__cause__ or KeyboardInterrupt()) from None
    except BrokenPipeError:
        # Whoever read us has had enough: `dupack run ... | head`.
        drop_stdout()
        sys.exit(FAILED)
    except OSError as error:
        click.echo(error, err=True)
        sys.exit(FAILED)
    except Exception as error:
        if os.environ.get("DUPACK_TRACEBACK"):
            raise
        click.echo(
            f"internal error: {type(error).__name__}: {error}; please report it (DUPACK_TRACEBACK=1 shows the details)",
            err=True,
        )
        sys.exit(FAILED)
