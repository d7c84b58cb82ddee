"""Commands on real traffic: ``dupack live``."""

from __future__ import annotations

from pathlib import Path

import click

from dupack.interrupts import Importing
from dupack.options import FORCE, JSON, SETS, Command, Place, Seeds


@click.command(cls=Command)
@click.argument("plan", type=Place())
@SETS
@click.option(
    "--seeds", type=Seeds(), metavar="SEEDS", help='Seeds; the plan runs once with each: "3", "1..5", "1,2,7".'
)
@JSON
@click.option("--tape", type=Place(), metavar="FILE", help="Record every event in FILE, as CSV.")
@click.option(
    "--bound",
    default="500 us",
    metavar="TIME",
    help="Lateness of the router (99th percentile) above which the results are not to be trusted.  [default: 500 us]",
)
@click.option("--ipv6", is_flag=True, help="The flows speak IPv6.")
@click.option("--out", type=Place(), metavar="DIR", help="Write results to DIR, each run as soon as it finishes.")
@FORCE
def live(
    plan: Path,
    sets: tuple[str, ...],
    seeds: list[int] | None,
    as_json: bool,
    tape: Path | None,
    bound: str,
    ipv6: bool,
    out: Path | None,
    force: bool,
) -> None:
    """Run the experiment in PLAN on real traffic of the Linux kernel, in real time.

    Each host is a network namespace, each flow a connection of the kernel's TCP (or UDP), and the links are emulated by
    the code that the simulator runs. Needs root, or user namespaces.

    A flow has the kernel's controller that its transport names, transport = { kernel = "cubic" }, or else the one like
    its own: reno, cubic, bbr1, dctcp.
    """
    with Importing():
        from dupack import live as lives

    lives.live(
        plan,
        sets=sets,
        seeds=seeds,
        tape=tape,
        bound=bound,
        ipv6=ipv6,
        out=out,
        as_json=as_json,
        force=force,
    )


LIVE = (live,)
