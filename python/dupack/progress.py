"""Progress of many runs, on stderr: a bar in a terminal, and now and then a line elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable

import click

from dupack import tables
from dupack.work import Run

EVERY_S = 30.0
"""Time between two lines."""


class Progress:
    """Shows how many runs have ended, and how long the others will take; ``before`` had ended before."""

    def __init__(self, what: str, total: int, before: int = 0, *, quiet: bool = False) -> None:
        from rich import progress

        out = tables.console(stderr=True)
        self._what, self._total, self._before, self._done = what, total, before, before
        self._lines = not quiet and not out.is_terminal
        self._began = self._told = time.monotonic()
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
        self._task = self._bar.add_task(what, total=total, completed=before)

    def __enter__(self) -> Progress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def then(self, done: Callable[[int, Run], object]) -> Callable[[int, Run], None]:
        """Calls ``done``, then advances the bar."""

        def both(index: int, run: Run) -> None:
            done(index, run)
            self.step()

        return both

    def grow(self, total: int) -> None:
        """Sets a new total."""
        self._total = total
        self._bar.update(self._task, total=total)

    def step(self) -> None:
        """Counts one more as done."""
        self._done += 1
        self._bar.advance(self._task)
        now = time.monotonic()
        if self._lines and now - self._told >= EVERY_S and self._done < self._total:
            self._told = now
            left = (now - self._began) * (self._total - self._done) / (self._done - self._before)
            soon = f"{left:.0f} s" if left < 100 else f"{left / 60:.0f} min"
            click.echo(f"{self._what}: {self._done:,} of {self._total:,} runs, about {soon} left", err=True)
