"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from dupack._native import parse_seeds
from dupack.errors import RequestError
from dupack.files import expanded
from dupack.machine import cores

SNAPLEN = 65_535
"""Largest size of a packet [bytes]."""


class Place(click.Path):
    """A path. An empty one is an error; Python would take it for the current directory."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("the path is empty; give a path", param, ctx)
        try:
            return super().convert(expanded(value), param, ctx)
        except RequestError as error:
            self.fail(str(error), param, ctx)


class Seeds(click.ParamType):  # type: ignore[type-arg]  # no generic class in click 8.2
    """Seeds, as a plan writes them."""

    name = "seeds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return parse_seeds(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Command(click.Command):
    """A command that refuses an option with a single value that is given twice; click would take the last value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(list(args))
            _once(order, ctx)
        rest = super().parse_args(ctx, args)
        for text in _texts(ctx.params):
            if any("\ud800" <= letter <= "\udfff" for letter in text):
                raise click.UsageError(f"{text} is not UTF-8; write it in UTF-8", ctx)
        return rest


def _once(order: Sequence[click.Parameter], ctx: click.Context) -> None:
    seen: dict[str | None, click.Parameter] = {}
    for one in order:
        before = seen.setdefault(one.name, one)
        if before is not one:
            raise click.UsageError(f"{_name(before)} and {_name(one)}: given together; give only one", ctx)
        flag = isinstance(one, click.Option) and one.is_flag and not one.secondary_opts
        if order.count(one) > 1 and not (flag or one.multiple):
            raise click.UsageError(f"{_name(one)}: given more than once; give it once", ctx)


def _name(param: click.Parameter) -> str:
    return " or ".join(dict.fromkeys((param.opts[0], *param.secondary_opts[:1])))


PATHS = {"paper", "sql"}
"""Arguments that may be paths: a path may have any bytes."""


def _texts(params: dict[str, Any]) -> Iterator[str]:
    for name, value in params.items():
        for one in value if isinstance(value, tuple) else [value]:
            if isinstance(one, str) and name not in PATHS:
                yield one


def distinct(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """The values ``PATH=VALUE`` of an option, each with another path: the last one would win silently."""
    paths = [value.partition("=")[0].strip() for value in values]
    twice = next((path for at, path in enumerate(paths) if path in paths[:at]), None)
    if twice is not None:
        raise click.BadParameter(f"{twice} is given more than once; give it once", ctx, param)
    return values


SETS = click.option(
    "--set", "sets", multiple=True, callback=distinct, metavar="PATH=VALUE", help="Set PATH of the plan to VALUE."
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of tables.")
FORCE = click.option(
    "--force", is_flag=True, help="Overwrite files that dupack did not write.  [default: they are an error]"
)


class Amount(click.ParamType):  # type: ignore[type-arg]  # no generic class in click 8.2
    """An amount of memory, with its unit."""

    name = "memory"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from dupack import memory

        if not isinstance(value, str):
            return value
        try:
            return memory.read(value, "as --memory says", "--memory")
        except ValueError as error:
            self.fail(str(error), param, ctx)


class CaptureFile(click.ParamType):  # type: ignore[type-arg]  # as above
    """A link, one of its ends, and a file."""

    name = "capture"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from dupack.traces import Capture

        if not isinstance(value, str):
            return value
        try:
            return Capture.read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


MEMORY = click.option(
    "--memory",
    "limit",
    type=Amount(),
    metavar="SIZE",
    help='Most memory that the runs may use: "8 GB", "50 %". Runs that need more are refused, or ended.  '
    "[default: half of the machine's]",
)


_THREADS = "Number of worker threads; it does not change the results."
_CORES = f"  [default: all cores, here {cores()}]"
THREADS = click.option("--threads", type=click.IntRange(1, 1024), metavar="N", help=f"{_THREADS}{_CORES}")
THREADS_OF_A_RUN = click.option(
    "--threads",
    type=click.IntRange(1, 1024),
    metavar="N",
    help=f"{_THREADS} If there are at least twice as many threads as runs, a large run may have several.{_CORES}",
)
