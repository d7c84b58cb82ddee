"""``dupack plot``."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dupack.errors import RequestError
from dupack.plots import completions, runs, swept, tradeoff
from dupack.plots.compared import compared, measures_of
from dupack.plots.data import Data
from dupack.plots.source import read, tape
from dupack.plots.tape import OfTape
from dupack.terminal import echo
from dupack.words import nearest

if TYPE_CHECKING:
    from dupack.figures import Figure

Flows = Sequence[str]


@dataclass(frozen=True)
class Asked:
    """The options of the command."""

    x: str | None = None
    at: tuple[str, ...] = ()
    seed: int | None = None
    flows: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    heat: bool | None = None
    log: str | None = None
    delay: str | None = None
    goodput: str | None = None
    tape: Path | None = None

    @property
    def flow(self) -> str | None:
        """The one flow of a figure of connections."""
        if len(self.flows) > 1:
            raise RequestError("--flow: give one flow for connections, or none for all")
        return self.flows[0] if self.flows else None


KINDS: dict[str, tuple[str, Callable[[Data, Asked], Any]]] = {
    "cdf": (
        "distribution of completion times of connections, by size",
        lambda data, asked: completions.distribution(data, flow=asked.flow),
    ),
    "ccdf": (
        "the part of the connections that took longer, by size",
        lambda data, asked: completions.distribution(data, flow=asked.flow, tail=True),
    ),
    "slowdown": (
        "slowdown of connections against their size",
        lambda data, asked: completions.slowdown(data, flow=asked.flow),
    ),
    "tradeoff": (
        "goodput against delay, with ellipses of one standard deviation",
        lambda data, asked: tradeoff.tradeoff(data, delay=asked.delay, goodput=asked.goodput),
    ),
    "course": (
        "windows (with events, if there is a tape), backlogs and goodput of a run over time",
        lambda data, asked: runs.course(data, asked.flows or None, asked.links or None, seed=asked.seed),
    ),
    "cwnd": (
        "congestion windows of a run over time, with events if there is a tape",
        lambda data, asked: runs.cwnd(data, asked.flows or None, seed=asked.seed),
    ),
    "queue": (
        "backlogs of a run over time",
        lambda data, asked: runs.queue(data, asked.links or None, seed=asked.seed),
    ),
    "goodput": (
        "goodput of a run over time",
        lambda data, asked: runs.goodput(data, asked.flows or None, seed=asked.seed),
    ),
    "queues": (
        "heat map of the backlogs of all links with a queue discipline",
        lambda data, asked: runs.queues(data, asked.links or None, seed=asked.seed),
    ),
    "gauges": (
        "state variables of the queues of a run over time, such as RED's average",
        lambda data, asked: runs.gauges(data, asked.links or None, seed=asked.seed),
    ),
}
"""Kinds of figures: what each shows, and how it is drawn. Any other word is a measure."""


def plot(source: Path, what: Sequence[str], asked: Asked, outs: Sequence[Path], *, force: bool, show: bool) -> None:
    """Draws a figure of what ``source`` has, and writes it with its data."""
    _check_installed()
    found = read(source)
    name = "-".join(re.sub(r"[^\w.-]+", "_", one) for one in what)[:80] or None
    if isinstance(found, Mapping):
        if asked.tape is not None:
            raise RequestError(f"--tape: {source} is a comparison; give a run with samples, to draw cwnd or course")
        with _as_written(source):
            there = ", ".join(measures_of(found["of"], found["comparisons"]))
        if kind := next((one for one in what if one in KINDS), None):
            raise RequestError(f"{kind}: {source} is a comparison, which has no data for this figure; it has {there}")
        outs = outs or [Path(f"{name or 'comparison'}.svg")]
        _check_places(outs, source, None, force=force)
        with _as_written(source):
            figure = compared(found["title"], found["of"], found["comparisons"], what or None, None)
    else:
        with _as_written(source):
            found.keep(dict(map(_pair, asked.at)))
            what = what or [_usual(found) if asked.tape is None else "course"]
            if asked.tape is not None:
                _add_tape(found, what, asked, asked.tape)
        outs = outs or [Path(f"{name or what[0]}.svg")]
        _check_places(outs, source, asked.tape, force=force)
        with _as_written(source):
            figure = _draw(found, what, asked)
    written: list[Path] = []
    with _as_written(source):
        for out in outs:
            written += [path for path in figure.save(out, force=True) if path not in written]
    echo(f"figure: {', '.join(map(str, written))}")
    if show:
        _open(written[0].absolute())


OPENER = "open" if sys.platform == "darwin" else "xdg-open"
"""Opens a file with the program that the user has for its kind."""
PATIENCE_S = 5.0
"""Time in which it finds that there is none. Some wait until the user closes the file."""


def _open(figure: Path) -> None:
    """Opens a figure."""
    none = subprocess.DEVNULL
    try:
        # It prints an error for each program that it tries.
        opener = subprocess.Popen([OPENER, str(figure)], stdin=none, stdout=none, stderr=none, start_new_session=True)
        found = opener.wait(PATIENCE_S) == 0
    except subprocess.TimeoutExpired:
        found = True
    except OSError:
        found = False
    if not found:
        echo("--open: no program that shows the figure was found; open the file yourself", err=True)


def _check_places(outs: Sequence[Path], source: Path, tape: Path | None, *, force: bool) -> None:
    """Raises an error if a figure or its data cannot be written, or would replace what is drawn."""
    from dupack.figures import check_place

    inputs = [source, tape] if tape is not None else [source]
    for out in outs:
        check_place(out, force=force, option="--out", inputs=inputs)


@contextmanager
def _as_written(source: Path) -> Iterator[None]:
    """A context for drawing: a file that somebody has changed may lack a value, or have a text in place of a number."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        if os.environ.get("DUPACK_TRACEBACK"):
            raise
        raise RequestError(
            f"{source}: cannot be drawn: it is not as dupack writes it ({type(error).__name__}: {error}); "
            "if nobody has changed it, please report this (DUPACK_TRACEBACK=1 shows the details)"
        ) from error


def _add_tape(data: Data, what: Sequence[str], asked: Asked, place: Path) -> None:
    """Adds the events of a tape to a figure that has windows."""
    if isinstance(data, OfTape):
        raise RequestError(f"--tape: {data.where} is a tape itself; give a run with samples")
    if len(what) != 1 or what[0] not in ("cwnd", "course"):
        raise RequestError(f"--tape: {' '.join(what)} has no windows on which to draw its events; draw cwnd or course")
    run = data.only(asked.seed, what[0])
    columns = tape(place)
    try:
        data.add_tape(columns, run)
    except RequestError as error:
        raise RequestError(f"--tape {place}: {error}") from None


def _draw(data: Data, what: Sequence[str], asked: Asked) -> Figure:
    kinds = [one for one in what if one in KINDS]
    if kinds and len(what) > 1:
        raise RequestError(f"{kinds[0]}: is a figure of its own; several words are measures, each with a panel")
    if kinds:
        return KINDS[kinds[0]][1](data, asked)
    if isinstance(data, OfTape):
        raise RequestError(f"{what[0]}: unknown; a tape has windows and events: cwnd, course")
    for one in what:
        near = nearest(one, KINDS)
        if "." not in one and near and f"summary.{one}" not in data.measures():
            raise RequestError(f'{one}: neither a figure nor a measure; did you mean "{near}"?')
    return swept.measures(data, what, x=asked.x, as_heat=asked.heat, log=asked.log)


def _usual(data: Data) -> str:
    """The figure that is drawn if none is named."""
    if isinstance(data, OfTape):
        return "cwnd"
    if data.connects():
        return "slowdown"
    if data.axes():
        return "goodput_bps"
    point = data.points[0]
    return "course" if data.series("cwnd", point, data.seeds(point)[0])[1] else "tradeoff"


def _pair(text: str) -> tuple[str, str]:
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise RequestError(f'--at {text!r}: write PATH=VALUE, such as --at link.bottleneck.queue.buffer="20 packets"')
    return path.strip(), value.strip()


def _check_installed() -> None:
    from importlib.util import find_spec

    from dupack.errors import MissingError

    if find_spec("matplotlib") is None:
        raise MissingError("figures need matplotlib; install dupack[figures]")
