"""Progress of runs: on stderr a bar in a terminal, and now and then a line elsewhere; a bar in a notebook."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from threading import Event, Thread
from types import TracebackType
from typing import Any

from dupack.terminal import echo
from dupack.words import visible
from dupack.work import Run

QUIET = "DUPACK_QUIET"
"""The environment variable that turns it off."""
FIRST_S = 0.5
"""Time before a bar appears: short runs have none."""
EVERY_S = 10.0
"""Time between two lines."""
FRAME_S = 0.5
"""Time between two states of a bar in a notebook."""


class Progress:
    """Shows how many runs have ended, and how long the others will take; ``before`` had ended before."""

    def __init__(self, what: str, total: int, before: int = 0) -> None:
        self._what, self._total, self._before, self._done, self._failed = what, total, before, before, 0
        self._left: float | None = None
        self._began = time.monotonic()
        self._over = Event()
        terminal = sys.stderr.isatty()
        show = self._in_notebook if _notebook() else self._in_terminal if terminal else self._in_lines
        if os.environ.get(QUIET):
            show = self._in_silence
        self._thread = Thread(target=show, daemon=True)

    def __enter__(self) -> Progress:
        self._thread.start()
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()

    def then(self, done: Callable[[int, Run], object]) -> Callable[[int, Run], None]:
        """Calls ``done``, then counts the run."""

        def both(index: int, run: Run) -> None:
            done(index, run)
            self.step()

        return both

    def grow(self, total: int) -> None:
        """Sets a new total."""
        self._total = total

    def step(self, left: float | None = None) -> None:
        """Counts one more as done; ``left`` is the work that is left over the work so far, if it is known.

        If it is not, all runs are taken to be equally long.
        """
        self._done, self._left = self._done + 1, left

    def at(self, done: int, total: int, failed: int) -> None:
        """Sets how many have ended, of how many, and how many of them have failed."""
        self._done, self._total, self._failed = done, total, failed

    def _in_terminal(self) -> None:
        # Imports come after the wait: a short run does not need them.
        if self._over.wait(FIRST_S):
            return
        from rich import progress

        from dupack import tables

        bar = progress.Progress(
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(bar_width=24),
            progress.TextColumn("{task.fields[told]}", markup=False),
            console=tables.console(stderr=True),
            transient=True,
            auto_refresh=False,
        )
        task = bar.add_task(visible(self._what), total=None, told="")
        with bar:
            while True:
                many = self._total > 1
                bar.update(task, total=self._total if many else None, completed=self._done, told=self._told())
                bar.refresh()
                if self._over.wait(0.1):
                    return

    def _in_silence(self) -> None:
        """Shows nothing."""

    def _in_lines(self) -> None:
        while not self._over.wait(EVERY_S):
            echo(f"{self._what}: {self._told()}", err=True)

    def _in_notebook(self) -> None:
        if self._over.wait(FIRST_S):
            return
        from IPython.display import display

        shown: Any = display(self._state(), raw=True, display_id=True)  # type: ignore[no-untyped-call]
        while not self._over.wait(FRAME_S):
            shown.update(self._state(), raw=True)
        shown.update({"text/plain": ""}, raw=True)

    def _state(self) -> dict[str, str]:
        """The bar as HTML and as text."""
        from html import escape

        told = f"{self._what}: {self._told()}"
        at = f' value="{self._done}" max="{self._total}"' if self._total > 1 else ""
        return {"text/plain": told, "text/html": f"<progress{at}></progress> {escape(told)}"}

    def _told(self) -> str:
        """The state in words: "12 of 600 runs (2 %), 40 s so far, about 30 min left"."""
        took = time.monotonic() - self._began
        done, total = self._done, self._total
        parts = [] if total == 1 else [f"{done:,} of {total:,} runs ({done / max(total, 1):.0%})".replace("%", " %")]
        if self._failed:
            parts.append(f"{self._failed:,} failed")
        parts.append(f"{_time(took)} so far")
        if done - self._before > 0 and done < total:
            left = (total - done) / (done - self._before) if self._left is None else self._left
            parts.append(f"about {_time(took * left)} left")
        return ", ".join(parts)


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def _notebook() -> bool:
    """Whether a notebook shows the output."""
    interactive: Any = sys.modules.get("IPython")
    shell = interactive and interactive.get_ipython()
    return bool(shell) and hasattr(shell, "kernel")
