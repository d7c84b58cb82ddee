"""The command ``dupack``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click

from dupack import __version__, running
from dupack.errors import Error, RunError, WriteError
from dupack.files import drop_stdout, printing
from dupack.interrupts import Importing
from dupack.options import JSON, SETS, Place
from dupack.reference import COMMANDS
from dupack.traces import SNAPLEN, Tap, Traces
from dupack.work import cores, parse_seeds

FAILED, WRONG = 1, 2


class Seeds(click.ParamType):  # type: ignore[type-arg]  # no generic class in click 8.2
    """Seeds as plans write them."""

    name = "seeds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return parse_seeds(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Capture(click.ParamType):  # type: ignore[type-arg]  # as above
    """A link, one of its ends, and a file."""

    name = "capture"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return Tap.read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def _threads(command: Callable[..., Any]) -> Callable[..., Any]:
    text = f"Worker threads; results do not depend on it.  [default: all cores, here {cores()}]"
    return click.option("--threads", type=click.IntRange(1, 1024), metavar="N", help=text)(command)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="dupack", message="%(prog)s %(version)s")
def cli() -> None:
    """A congestion laboratory: how a buffer discards, how a sender recovers, how the rate is controlled."""


@cli.command()
@click.argument("plan", type=Place())
@SETS
@click.option("--seeds", type=Seeds(), metavar="SEEDS", help='Run once with each: "3", "1..5", "1,2,7".')
@JSON
@click.option(
    "--tape", type=Place(), metavar="FILE", help="Write every event, as CSV, or Parquet if FILE ends in .parquet."
)
@click.option(
    "--pcap",
    "taps",
    type=Capture(),
    multiple=True,
    metavar="LINK[@NODE]=FILE",
    help="Write what passes LINK, both ways, at NODE (where it begins if not given), as pcapng for Wireshark.",
)
@click.option(
    "--snaplen",
    type=click.IntRange(20, SNAPLEN),
    default=SNAPLEN,
    metavar="BYTES",
    help="Of each packet keep so much in captures.  [default: all]",
)
@click.option("--qlog", type=Place(), metavar="DIR", help="Write there what each flow's sender did, as qlog.")
@click.option("--out", type=Place(), metavar="DIR", help="Write results there, each as it finishes.")
@_threads
def run(
    plan: Path,
    sets: tuple[str, ...],
    seeds: list[int] | None,
    as_json: bool,
    tape: Path | None,
    taps: tuple[Tap, ...],
    snaplen: int,
    qlog: Path | None,
    out: Path | None,
    threads: int | None,
) -> None:
    """Run the experiment in PLAN and print what was measured.

    --tape, --pcap and --qlog record one run: give one seed, and no sweep.

    --out writes result.json, and with several runs also runs/*.json as each finishes: those stay after Ctrl-C. Results
    that an earlier run left in DIR are removed first.
    """
    traces = Traces(tape, taps, snaplen, qlog)
    running.run(plan, sets=sets, seeds=seeds, traces=traces, out=out, threads=threads, as_json=as_json)


@cli.command()
@click.argument("paper", required=False)
@click.option("--figure", metavar="N", help="Only this figure, with the runs that it needs.")
@click.option("--table", metavar="N", help="Only this table, with the runs that it needs.")
@click.option("--quick", is_flag=True, help="Fewer seeds, shorter runs, coarser grids: a first look.")
@click.option("--seeds", type=click.IntRange(1, 1000), metavar="N", help="Seeds per point, instead of the plans' own.")
@click.option("--out", type=Place(), metavar="DIR", help="For the report.  [default: out/PAPER]")
@JSON
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


for _command in COMMANDS:
    cli.add_command(_command)


@cli.command()
@click.argument("plan", type=Place())
@SETS
@click.option("--seeds", type=Seeds(), metavar="SEEDS", help='Run each point once with each: "3", "1..5", "1,2,7".')
@click.option(
    "--on",
    default="local",
    metavar="ENGINE",
    help='What does the runs: "local", this machine; "ray", the Ray cluster of this machine; '
    '"ray:HOST:PORT" that at this address; "ray://HOST:PORT" one elsewhere.  [default: local]',
)
@click.option("--out", type=Place(), default="store", metavar="DIR", help="The store.  [default: store]")
@JSON
@_threads
def sweep(
    plan: Path,
    sets: tuple[str, ...],
    seeds: list[int] | None,
    on: str,
    out: Path,
    as_json: bool,
    threads: int | None,
) -> None:
    """Run every point of PLAN's sweep with every seed, into a store of Parquet files.

    Each run is kept as it finishes. Whatever stops the sweep, the same command goes on from there: only what is missing
    is run, and what is damaged. A plan with more points or seeds runs those. Ask with dupack query, or open
    DIR/runs/*.parquet (flows, links, series) with DuckDB, polars or pandas.
    """
    with Importing():
        from dupack.store.need import store_module

        command = store_module("sweeping.command")

    command.sweep(plan, sets=sets, seeds=seeds, on=on, out=out, threads=threads, as_json=as_json)


@cli.command()
@click.argument("plan", type=Place())
@click.option(
    "--vary",
    multiple=True,
    required=True,
    metavar="PATH=V1,V2,...",
    help="What is compared; given more than once, every value with every other.",
)
@click.option(
    "--of",
    default="goodput_bps",
    metavar="MEASURE",
    help="What ranks them: a number of the results by its path, such as links.bottleneck.queue_delay_s.p99; "
    "a wrong one is told all that there are.  [default: goodput_bps]",
)
@click.option(
    "--lowest/--highest",
    default=None,
    help="Less of it is better, or more.  [default: less delay, loss, backlog and repetition, more of the rest]",
)
@click.option("--least", "lowest", flag_value=True, default=None, hidden=True, type=bool)
@SETS
@click.option(
    "--seeds",
    type=Seeds(),
    metavar="SEEDS",
    help="Run each with these.  [default: the plan's if several, or 10]",
)
@JSON
@_threads
def compare(
    plan: Path,
    vary: tuple[str, ...],
    of: str,
    lowest: bool | None,
    sets: tuple[str, ...],
    seeds: list[int] | None,
    as_json: bool,
    threads: int | None,
) -> None:
    """Run alternatives of PLAN with the same seeds and rank them, with the interval of each difference.

    \b
    dupack compare PLAN --vary link.bottleneck.queue=plain,ppd,epd,bpd
    dupack compare PLAN --vary flow.bulk.transport=reno,sack --of timeouts
    dupack compare PLAN --vary link.bottleneck.queue=drop-tail,red --of flows.web.connections.completion_s.p99

    The same seed gives every alternative the same random numbers, so that the differences per seed vary less than the
    results do. A word for a queue, a transport, a loss or traffic is its kind: parameters that it has stay as the plan
    has them. Under each setting of the plan's own sweep there is a table of its own.
    """
    with Importing():
        from dupack.comparing import command

    command.compare(plan, vary=vary, sets=sets, seeds=seeds, of=of, lowest=lowest, threads=threads, as_json=as_json)


@cli.command()
@click.argument("sql", required=False)
@click.argument("store", type=Place(), default="store")
@click.option("--csv", "form", flag_value="csv", help="Print CSV instead of a table.")
@click.option("--json", "form", flag_value="json", help="Print one JSON document instead of a table.")
def query(sql: str | None, store: Path, form: str | None) -> None:
    """Ask a STORE with SQL, as DuckDB speaks it; without SQL, say what tables and columns there are.

    A sweep that is under way shows the runs that have finished. Names with dots need double quotes:

    \b
    dupack query 'select "link.bottleneck.queue.lower" as lower, avg(goodput_fraction), count(*) from runs group by 1'
    """
    with Importing():
        from dupack.store.need import store_module

        command = store_module("store.query")

    command.query(sql, store, form)


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
