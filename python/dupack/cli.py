"""The command ``dupack``."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from dupack import __version__, completion
from dupack.errors import Error, RequestError, RunError, WriteError
from dupack.files import drop_stdout, printing
from dupack.interrupts import Importing, guard
from dupack.livecommands import LIVE
from dupack.options import (
    FORCE,
    JSON,
    MEMORY,
    SETS,
    SNAPLEN,
    THREADS,
    THREADS_OF_A_RUN,
    Amount,
    CaptureFile,
    Command,
    Place,
    Seeds,
    distinct,
)
from dupack.reference import COMMANDS
from dupack.terminal import echo

if TYPE_CHECKING:
    from dupack.memory import Limit
    from dupack.traces import Capture

FAILED, WRONG = 1, 2


ENGINE = click.option(
    "--on",
    default="local",
    metavar="ENGINE",
    help='Where the runs are simulated: "local" (this machine), "ray" (the Ray cluster that this machine belongs to), '
    '"ray:HOST:PORT" (the cluster at this address), "ray://HOST:PORT" (a remote cluster, by its client port).  '
    "[default: local]",
)


def _papers() -> list[str]:
    folders = (entry.name for entry in Path(__file__).with_name("papers").iterdir() if entry.is_dir())
    return sorted(name for name in folders if not name.startswith("_"))


def _studies() -> list[str]:
    folders = (entry.name for entry in Path(__file__).with_name("studies").iterdir() if entry.is_dir())
    return sorted(name for name in folders if not name.startswith("_"))


PAPERS = completion.one_of(_papers)
REPRODUCED = completion.one_of(lambda: [*_papers(), *_studies()])


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="dupack", message="%(prog)s %(version)s")
@completion.INSTALL
def cli() -> None:
    """A congestion-control laboratory: simulates queue disciplines, loss recovery and rate control."""


@cli.command(cls=Command)
@click.argument("plan", type=Place())
@SETS
@click.option(
    "--seeds", type=Seeds(), metavar="SEEDS", help='Seeds; the plan runs once with each: "3", "1..5", "1,2,7".'
)
@JSON
@click.option(
    "--summary/--no-summary",
    default=None,
    help="Print the summary alone, without tables of flows and links.  [default: with more than 10,000 flows or links]",
)
@click.option(
    "--tape",
    type=Place(),
    metavar="FILE",
    help="Record every event in FILE: as Parquet if its name ends in .parquet, else as CSV.",
)
@click.option(
    "--pcap",
    "captures",
    type=CaptureFile(),
    multiple=True,
    metavar="LINK[@NODE]=FILE",
    help="Capture the packets on LINK in both directions, as pcapng for Wireshark. NODE is the end of the link at "
    "which they are captured.  [default: where the link begins]",
)
@click.option(
    "--snaplen",
    type=click.IntRange(20, SNAPLEN),
    default=SNAPLEN,
    metavar="BYTES",
    help="Largest number of bytes captured of each packet.  [default: all]",
)
@click.option("--qlog", type=Place(), metavar="DIR", help="Write a qlog file for each flow's sender to DIR.")
@click.option("--out", type=Place(), metavar="DIR", help="Write results to DIR, each run as soon as it finishes.")
@FORCE
@MEMORY
@THREADS_OF_A_RUN
def run(
    plan: Path,
    sets: tuple[str, ...],
    seeds: list[int] | None,
    as_json: bool,
    summary: bool | None,
    tape: Path | None,
    captures: tuple[Capture, ...],
    snaplen: int,
    qlog: Path | None,
    out: Path | None,
    force: bool,
    limit: Limit | None,
    threads: int | None,
) -> None:
    """Run the experiment in PLAN and print the results.

    --tape, --pcap and --qlog record a single run: give one seed and a plan without a sweep.

    --out writes result.json. With several runs it also writes runs/*.json, one file as each run finishes; Ctrl-C does
    not remove them. Results of an earlier run in DIR are removed first.

    Files that dupack did not write are not overwritten, unless --force is given.
    """
    with Importing():
        from dupack import running

        traces = None
        if tape or captures or qlog:
            from dupack.traces import Traces

            traces = Traces(tape, captures, snaplen, qlog)

    running.run(
        plan,
        sets=sets,
        seeds=seeds,
        traces=traces,
        out=out,
        limit=limit,
        threads=threads,
        as_json=as_json,
        summary=summary,
        force=force,
    )


@cli.command(cls=Command)
@click.argument("paper", required=False, shell_complete=REPRODUCED)
@click.option("--figure", metavar="N", help="Reproduce only figure N, with the runs that it needs.")
@click.option("--table", metavar="N", help="Reproduce only table N, with the runs that it needs.")
@click.option("--quick", is_flag=True, help="Use fewer seeds, shorter runs and coarser grids, for a first look.")
@click.option(
    "--seeds", type=click.IntRange(1, 1000), metavar="N", help="Number of seeds per point, instead of the plans' own."
)
@click.option(
    "--reading",
    multiple=True,
    metavar="READING",
    help='How the paper is read: "best" (by the search of its readings), "planned" (as the plans are), or AXIS=VALUE, '
    "which may be given several times.  [default: best, if the paper has a record of a search]",
)
@click.option(
    "--out",
    type=Place(),
    metavar="DIR",
    help="Directory of the report.  [default: out/PAPER, or out/quick/PAPER with --quick]",
)
@JSON
@FORCE
@MEMORY
@THREADS
def reproduce(
    paper: str | None,
    figure: str | None,
    table: str | None,
    quick: bool,
    seeds: int | None,
    reading: tuple[str, ...],
    out: Path | None,
    as_json: bool,
    force: bool,
    limit: Limit | None,
    threads: int | None,
) -> None:
    """Reproduce the experiments and figures of PAPER.

    Write a report with the figures, and compare the paper's numbers with ours. PAPER is the key of a paper or a
    study that dupack has, or the folder of another one (./my-paper). Study "descendants" compares balanced packet
    discard, on packets, with queues that came later. Study "live" asks the questions of two papers on real traffic of
    the Linux kernel, as `dupack live` does. Without PAPER, reproduce all papers that dupack has, and no study.
    """
    with Importing():
        from dupack.reproduce.need import check_installed

        check_installed()
        from dupack.reproduce import command, report  # noqa: F401

    command.reproduce(
        paper,
        figure=figure,
        table=table,
        quick=quick,
        seeds=seeds,
        reading=reading,
        out=out,
        as_json=as_json,
        limit=limit,
        threads=threads,
        force=force,
    )


@cli.command(cls=Command)
@click.argument("paper", shell_complete=PAPERS)
@click.option(
    "--claim", "claims", multiple=True, metavar="ID", help="Search only for this claim; may be given several times."
)
@click.option(
    "--axis",
    "added",
    multiple=True,
    metavar="AXIS",
    help="Do not search: vary this axis alone, in full and without a budget, around the reading of the record; with "
    "--record, add the readings to it. May be given several times.",
)
@click.option(
    "--budget",
    default="20m",
    metavar="TIME",
    help="Time for screening combinations, again for the leading readings in full, and again for those around the "
    "best one, on two cores: a number with s, m or h.  [default: 20m]",
)
@click.option("--quick", is_flag=True, help="Only screen, with shorter runs; run no reading in full.")
@ENGINE
@click.option(
    "--out",
    type=Place(),
    metavar="DIR",
    help="Directory of the report.  [default: out/PAPER, or out/quick/PAPER with --quick]",
)
@click.option("--record", is_flag=True, help="Also keep the answer in the folder of the paper, for `dupack reproduce`.")
@JSON
@FORCE
@MEMORY
@THREADS
def readings(
    paper: str,
    claims: tuple[str, ...],
    added: tuple[str, ...],
    budget: str,
    quick: bool,
    on: str,
    out: Path | None,
    record: bool,
    as_json: bool,
    force: bool,
    limit: Limit | None,
    threads: int | None,
) -> None:
    """Search the readings of PAPER: what it leaves open, and what its claims depend on.

    The folder of PAPER has a file readings.toml with the points that the text leaves open, and the ways to read each.
    The search tries them: each alone, then in combination, and the leading readings in full. The answer says which
    claims hold under every reading, which depend on what, and which single reading is the best.

    Runs are kept. If the search is interrupted, the same command resumes it.
    """
    with Importing():
        from dupack.reproduce.need import check_installed

        check_installed()
        from dupack.readings import command

    command.readings(
        paper,
        claims=claims,
        added=added,
        budget=budget,
        quick=quick,
        on=on,
        out=out,
        record=record,
        as_json=as_json,
        limit=limit,
        threads=threads,
        force=force,
    )


for _command in (*COMMANDS, *LIVE):
    cli.add_command(_command)


@cli.command(cls=Command)
@click.argument("plan", type=Place())
@SETS
@click.option(
    "--seeds", type=Seeds(), metavar="SEEDS", help='Seeds; each point runs once with each: "3", "1..5", "1,2,7".'
)
@ENGINE
@click.option("--out", type=Place(), default="store", metavar="DIR", help="Directory of the store.  [default: store]")
@JSON
@MEMORY
@THREADS
def sweep(
    plan: Path,
    sets: tuple[str, ...],
    seeds: list[int] | None,
    on: str,
    out: Path,
    as_json: bool,
    limit: Limit | None,
    threads: int | None,
) -> None:
    """Run PLAN's sweep, and keep the results in a store.

    Every point of the sweep is run with every seed. The store consists of Parquet files.

    Each run is committed to disk as soon as it finishes. If the sweep is interrupted, the same command resumes it: only
    missing and damaged runs are simulated. If points or seeds are added to the plan, only the new runs are simulated.
    Read the results with `dupack query`, or open DIR/runs/*.parquet (also flows, links, series) with DuckDB, polars or
    pandas.
    """
    with Importing():
        from dupack.store.need import store_module

        command = store_module("sweeping.command")

    command.sweep(plan, sets=sets, seeds=seeds, on=on, out=out, limit=limit, threads=threads, as_json=as_json)


@cli.command(cls=Command)
@click.argument("plan", type=Place())
@click.option(
    "--vary",
    multiple=True,
    callback=distinct,
    metavar="PATH=V1,V2,...",
    help="Path of the plan and the values to compare; several --vary compare every combination of their values.",
)
@click.option(
    "--live",
    is_flag=True,
    help="Compare, instead of alternatives, the simulation with live runs on kernel traffic (see `dupack live`). "
    "--of and --also choose the measures. By default there are 5 seeds.",
)
@click.option(
    "--of",
    default="goodput_bps",
    metavar="MEASURE",
    help="Measure by which the alternatives are ranked: a path in the results, such as "
    "links.bottleneck.queue_delay_s.p99. An unknown measure gives an error that lists all.  [default: goodput_bps]",
)
@click.option(
    "--lowest/--highest",
    default=None,
    help="Whether the lowest or the highest value is best.  [default: lowest for delay, loss, backlog and "
    "retransmissions, highest for all others]",
)
@click.option(
    "--also",
    multiple=True,
    callback=distinct,
    metavar="MEASURE",
    help="Another measure to print for each alternative; may be repeated. It does not change the ranks. By default, if "
    "goodput ranks: the queueing delay of a link whose queue is varied, in plans with percentiles.",
)
@click.option(
    "--detune",
    "detuned",
    is_flag=True,
    help="Change the rate of each link by up to 0.1 %, drawn for each seed: the same as --set detune=0.001. Without "
    "anything random, packets of several flows can stay in step behind a full queue (phase effects). Intervals over "
    "seeds show this only if the seeds differ. Where 0.1 % of a round trip is less than a packet's time on the line, "
    "they do not differ enough: use --set host.NAME.overhead=TIME.",
)
@click.option("--least", "lowest", flag_value=True, default=None, hidden=True, type=bool)
@SETS
@click.option(
    "--seeds",
    type=Seeds(),
    metavar="SEEDS",
    help="Seeds of each alternative.  [default: the plan's if it has several, else 10 seeds]",
)
@JSON
@MEMORY
@THREADS_OF_A_RUN
def compare(
    plan: Path,
    vary: tuple[str, ...],
    live: bool,
    of: str,
    lowest: bool | None,
    also: tuple[str, ...],
    detuned: bool,
    sets: tuple[str, ...],
    seeds: list[int] | None,
    as_json: bool,
    limit: Limit | None,
    threads: int | None,
) -> None:
    """Run alternatives of PLAN with the same seeds and rank them.

    The differences between alternatives have confidence intervals.

    With --live, compare the simulation of PLAN with live runs of it.

    \b
    dupack compare PLAN --vary link.bottleneck.queue=plain,ppd,epd,bpd
    dupack compare PLAN --vary flow.bulk.transport=reno,sack --of timeouts
    dupack compare PLAN --vary link.bottleneck.queue=drop-tail,red \\
        --of flows.web.connections.completion_s.p99 --also jain

    The same seed gives every alternative the same random numbers (common random numbers), so the paired differences
    vary less than the results. A single word for a queue, transport, loss or traffic sets its kind; parameters of the
    plan that the new kind also has are kept. A plan with a sweep gets one table per point of the sweep.
    """
    with Importing():
        from dupack.comparing import beside, command

    if live:
        if vary or lowest is not None:
            raise RequestError(f"--live: it ranks nothing; leave out {'--vary' if vary else '--lowest or --highest'}")
        chosen = [] if of == command.GOODPUT and not also else [of, *also]
        beside.compare(
            plan,
            sets=sets,
            seeds=seeds,
            of=chosen,
            detuned=detuned,
            limit=limit,
            threads=threads,
            as_json=as_json,
        )
        return
    if not vary:
        raise click.UsageError("Missing option '--vary'; or give --live.")
    command.compare(
        plan,
        vary=vary,
        sets=sets,
        seeds=seeds,
        of=of,
        lowest=lowest,
        also=also,
        detuned=detuned,
        limit=limit,
        threads=threads,
        as_json=as_json,
    )


@cli.command(cls=Command)
@click.argument("plan", type=Place())
@click.option(
    "--flow", metavar="NAME", help="The flow, or one of its connections, such as web.17.  [default: the only one]"
)
@click.option(
    "--at", default="0 s", metavar="TIME", help="The time, such as 12.3s.  [default: 0 s, for the first chain]"
)
@click.option(
    "--point", type=click.IntRange(0), default=0, metavar="N", help="Point of the plan's sweep, from 0.  [default: 0]"
)
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), metavar="N", help="Seed.  [default: the plan's first]")
@SETS
@JSON
def explain(
    plan: Path, flow: str | None, at: str, point: int, seed: int | None, sets: tuple[str, ...], as_json: bool
) -> None:
    """Explain in words what happened to a flow of PLAN at a time.

    Prints a chain of events: packets dropped or marked, with the link, the cause and the backlog; duplicate acks; what
    the sender did and why; the end of the recovery. The chain is the one that covers TIME, or else the last one before.

    \b
    dupack explain PLAN --flow bulk-0 --at 12.3s
    """
    with Importing():
        from dupack import explained

    explained.explain(plan, at=at, flow=flow, point=point, seed=seed, sets=sets, as_json=as_json)


@cli.command(cls=Command)
@click.argument("plan", type=Place(), required=False)
@SETS
@click.option("--seed", type=click.IntRange(0, 2**53), metavar="N", help="Seed.  [default: the plan's first]")
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Port.  [default: a free one]")
@click.option("--browser/--no-browser", default=True, help="Open the page in a browser.  [default: --browser]")
def play(plan: Path | None, sets: tuple[str, ...], seed: int | None, port: int, browser: bool) -> None:
    """Simulate in a web page: watch packets, change links while they are in use, and ask why.

    Serves the page to this machine only, at an address that it prints, until Ctrl-C. The page computes what `run`
    computes; it cannot read files that PLAN names, nor disciplines written in Python.
    """
    with Importing():
        from dupack import playing

    playing.play(plan, sets=sets, seed=seed, port=port, browser=browser)


@cli.command(cls=Command)
@click.argument("sql", required=False)
@click.argument("store", type=Place(), default="store")
@click.option("--csv", "form", flag_value="csv", help="Print CSV instead of a table.")
@click.option("--json", "form", flag_value="json", help="Print one JSON document instead of a table.")
@click.option(
    "--unsafe-sql",
    "unsafe",
    is_flag=True,
    help="Let SQL read and write files, attach databases, load extensions and change settings, as DuckDB does.  "
    "[default: SQL sees only the store]",
)
@click.option(
    "--memory",
    "limit",
    type=Amount(),
    metavar="SIZE",
    help='Most memory that DuckDB may use: "8 GB", "50 %". What does not fit is kept in temporary files, if the query '
    "allows it.  [default: half of the machine's]",
)
def query(sql: str | None, store: Path, form: str | None, unsafe: bool, limit: Limit | None) -> None:
    """Query a STORE with SQL, or list its tables and columns.

    SQL is in DuckDB's dialect; without it, the tables and columns of the store are listed. SQL sees only the store, and
    changes nothing on disk.

    Rows that are too wide for a table are printed as lines "name: value".

    While a sweep is running, the finished runs are visible. Names with dots need double quotes:

    \b
    dupack query 'select "link.bottleneck.queue.lower" as lower,
        avg(goodput_fraction), count(*) from runs group by 1'
    """
    with Importing():
        from dupack.store.need import store_module

        command = store_module("store.query")

    command.query(sql, store, form, unsafe=unsafe, limit=limit)


@cli.command(cls=Command)
@click.argument("source", type=Place())
@click.argument("what", nargs=-1)
@click.option("--x", metavar="AXIS", help="Axis of the sweep to draw measures over.  [default: the first with numbers]")
@click.option(
    "--at",
    multiple=True,
    metavar="AXIS=VALUE",
    help="Draw only the points with this value; may be given several times.",
)
@click.option("--seed", type=int, metavar="N", help="Seed of the run to draw over time.  [default: the first]")
@click.option("--flow", "flows", multiple=True, metavar="NAME", help="Draw only this flow; may be given several times.")
@click.option("--link", "links", multiple=True, metavar="NAME", help="Draw only this link; may be given several times.")
@click.option(
    "--heat/--curves",
    default=None,
    help="Whether two axes with numbers give a heat map.  [default: if there would be more than 12 curves]",
)
@click.option(
    "--log",
    type=click.Choice(["x", "y", "xy", "none"]),
    metavar="AXES",
    help="Logarithmic axes: x, y, xy or none.  [default: x if its values are far apart]",
)
@click.option("--delay", metavar="MEASURE", help="Measure of delay of `tradeoff`.  [default: mean RTT of each flow]")
@click.option("--goodput", metavar="MEASURE", help="Measure of goodput of `tradeoff`.  [default: that of each flow]")
@click.option(
    "--tape", type=Place(), metavar="FILE", help="Draw the events of this tape of the run on `cwnd` or `course`."
)
@click.option(
    "--out",
    "outs",
    type=Place(),
    multiple=True,
    metavar="FILE",
    help="File of the figure: FILE.svg, FILE.pdf or FILE.png. The data are written beside it, to FILE.csv. May be "
    "given several times.  [default: WHAT.svg]",
)
@click.option("--force", is_flag=True, help="Replace files that dupack has not written.")
@click.option("--open", "show", is_flag=True, help="Open the figure.")
def plot(
    source: Path,
    what: tuple[str, ...],
    x: str | None,
    at: tuple[str, ...],
    seed: int | None,
    flows: tuple[str, ...],
    links: tuple[str, ...],
    heat: bool | None,
    log: str | None,
    delay: str | None,
    goodput: str | None,
    tape: Path | None,
    outs: tuple[Path, ...],
    force: bool,
    show: bool,
) -> None:
    """Draw a figure of SOURCE: a store, a result, a comparison or a tape.

    WHAT is one or more measures, such as goodput_bps or links.bottleneck.queue_delay_s.p99, each with a panel, or one
    of:

    \b
    cdf       distribution of completion times of connections, by size;
    ccdf      the part of the connections that took longer, by size;
    slowdown  median and 99th percentile of the slowdown against the size;
    tradeoff  goodput against delay, with ellipses of one standard deviation;
    course    windows, backlogs and goodput of a run over time, with events if it has a tape;
    cwnd, queue, goodput
              one of these alone;
    queues    heat map of the backlogs of all links with a queue discipline;
    gauges    state variables of the queues of a run over time, such as RED's average.

    Without WHAT, the figure depends on what SOURCE has. Measures have 95 % intervals.

    SOURCE is a store (`dupack sweep --out`), a result (`dupack run --out`, or its --json in a file), a comparison
    (`dupack compare --json`), or a tape (`dupack run --tape`).

    \b
    dupack plot store goodput_bps links.bottleneck.mean_backlog
    dupack plot store cdf --at flow.queries.arrivals.load=0.8 --out cdf.pdf
    """
    with Importing():
        from dupack.plots import command

    asked = command.Asked(x, at, seed, flows, links, heat, "" if log == "none" else log, delay, goodput, tape)
    command.plot(source, what, asked, outs, force=force, show=show)


def main() -> NoReturn:
    """Runs the command; every failure is reported as a message, never as a traceback."""
    try:
        guard()
        # click itself reports wrong options and Ctrl-C outside a run.
        with printing():
            status = cli.main(prog_name="dupack", standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.ClickException as error:
        told = io.StringIO()
        error.show(told)
        echo(told.getvalue().rstrip("\n"), err=True)
        sys.exit(error.exit_code)
    except Error as error:
        echo(error, err=True)
        sys.exit(FAILED if isinstance(error, RunError | WriteError) else WRONG)
    except click.Abort as abort:
        # click passes Ctrl-C and SIGTERM on in this way; `dupack._start` reports them.
        raise (abort.__cause__ or KeyboardInterrupt()) from None
    except BrokenPipeError:
        # The reader of the pipe has closed it: `dupack run ... | head`.
        drop_stdout()
        sys.exit(FAILED)
    except OSError as error:
        echo(error, err=True)
        sys.exit(FAILED)
    except Exception as error:
        if os.environ.get("DUPACK_TRACEBACK"):
            raise
        echo(
            f"internal error: {type(error).__name__}: {error}; please report it (DUPACK_TRACEBACK=1 shows the details)",
            err=True,
        )
        sys.exit(FAILED)
