"""Commands on real traffic: ``dupack live``, ``dupack shell``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from dupack.errors import RequestError
from dupack.interrupts import Importing
from dupack.options import FORCE, JSON, SETS, Command, Place, Seeds


def _serve(host: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        "--serve",
        "servers",
        multiple=True,
        metavar="HOST=CMD",
        help=f'Run CMD on HOST while the command runs, such as {host}="iperf3 -s".',
    )


DASHES = "--"


class WithCommand(Command):
    """A command with an argument PLAN, and a command of the user after ``--``.

    Click would take what follows the dashes for a missing plan, and what precedes them for a command.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = args.index(DASHES) if DASHES in args else len(args)
        rest = super().parse_args(ctx, args[:at])
        unexpected = ctx.params.get("command") or ()
        if unexpected and not ctx.resilient_parsing:
            word = unexpected[0]
            raise click.UsageError(
                f"Got unexpected extra argument ({word}); a command goes after --: -- {word} ...", ctx
            )
        ctx.params["command"] = tuple(args[at + 1 :])
        return rest


BOUND = click.option(
    "--bound",
    default="500 us",
    metavar="TIME",
    help="Lateness of the router (99th percentile) above which the results are not to be trusted.  [default: 500 us]",
)
IPV6 = click.option("--ipv6", is_flag=True, help="The flows speak IPv6.")


@click.command(cls=WithCommand)
@click.argument("plan", type=Place(), required=False)
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- CMD...]")
@SETS
@click.option(
    "--seeds", type=Seeds(), metavar="SEEDS", help='Seeds; the plan runs once with each: "3", "1..5", "1,2,7".'
)
@JSON
@click.option("--on", "host", metavar="HOST", help="The host on which CMD runs.  [default: the first]")
@click.option("--shell", metavar="HOST", help="Start your shell on HOST, instead of a command.")
@_serve("sink")
@click.option("--tape", type=Place(), metavar="FILE", help="Record every event in FILE, as CSV.")
@click.option(
    "--pcap",
    "captures",
    multiple=True,
    metavar="HOST=FILE",
    help="Capture the packets at HOST, as pcapng for Wireshark.",
)
@BOUND
@IPV6
@click.option("--out", type=Place(), metavar="DIR", help="Write results to DIR, each run as soon as it finishes.")
@click.option("--clean", is_flag=True, help="End what a killed dupack live has left, and do nothing else.")
@FORCE
def live(
    plan: Path | None,
    command: tuple[str, ...],
    sets: tuple[str, ...],
    seeds: list[int] | None,
    as_json: bool,
    host: str | None,
    shell: str | None,
    servers: tuple[str, ...],
    tape: Path | None,
    captures: tuple[str, ...],
    bound: str,
    ipv6: bool,
    out: Path | None,
    clean: bool,
    force: bool,
) -> None:
    """Run the experiment in PLAN on real traffic of the Linux kernel, in real time.

    Each host is a network namespace, each flow a connection of the kernel's TCP (or UDP), and the links are emulated by
    the code that the simulator runs. Needs root, or user namespaces.

    A flow has the kernel's controller that its transport names, transport = { kernel = "cubic" }, or else the one like
    its own: reno, cubic, bbr1, dctcp.

    With a command after --, or --shell, that runs instead of the flows, for as long as it takes. The names of the
    plan's hosts are known to it. No network but the plan's links can be reached from it.

    \b
    dupack live PLAN --serve sink="iperf3 -s" -- iperf3 -c sink
    """
    with Importing():
        from dupack import live as lives
        from dupack.privileges import say_cleaned

    if clean:
        if plan is not None:
            raise RequestError("--clean: it goes with nothing else; leave out the plan; nothing was run or ended")
        say_cleaned(lives.clean())
        return
    if plan is None:
        raise click.UsageError("Missing argument 'PLAN'.")
    lives.live(
        lives.Wish(
            plan=plan,
            sets=sets,
            seeds=seeds,
            tape=tape,
            captures=captures,
            bound=bound,
            ipv6=ipv6,
            program=lives.program(command, host, shell, servers),
        ),
        out=out,
        as_json=as_json,
        force=force,
    )


@click.command(cls=Command)
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.option("--rate", metavar="RATE", help='Rate of the link in both directions, such as "20Mb/s".')
@click.option("--delay", default="0 s", metavar="TIME", help="Propagation delay of the link, one way.  [default: 0 s]")
@click.option(
    "--queue",
    default="drop-tail",
    metavar="KIND",
    help='The queue in both directions, as "dupack list queue" names them, or as a plan writes it: '
    '{ kind = "codel", target = "2 ms" }. Its buffer is 100 packets, or 1200 cells, unless it has a default or says '
    "otherwise. Queues for cells make the link one of cells.  [default: drop-tail]",
)
@click.option("--trace", type=Place(), metavar="FILE", help="Trace of the link's rate, as Mahimahi has it.")
@click.option("--loss", type=click.FloatRange(0, 1), metavar="SHARE", help="Share of packets lost, each way.")
@_serve("host")
@IPV6
def shell(
    command: tuple[str, ...],
    rate: str | None,
    delay: str,
    queue: str,
    trace: Path | None,
    loss: float | None,
    servers: tuple[str, ...],
    ipv6: bool,
) -> None:
    """Start your shell, or the command after --, behind an emulated link.

    The other end of the link is a host called "host", on which --serve starts servers. Nothing leads further: the
    shell does not reach this machine's other interfaces, nor the Internet.

    \b
    dupack shell --rate 20Mb/s --delay 30ms --queue bpd --serve host="iperf3 -s"
    """
    with Importing():
        from dupack import live as lives

    if (rate is None) == (trace is None):
        raise RequestError("--rate or --trace: give one of the two")
    lives.shell(
        command,
        rate=rate,
        delay=delay,
        queue=queue,
        trace=trace,
        loss=loss,
        servers=servers,
        ipv6=ipv6,
    )


LIVE = (live, shell)
