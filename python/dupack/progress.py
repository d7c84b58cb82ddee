"""Progress of many runs, shown in a terminal."""

from __future__ import annotations

from collections.abc import Callable

from dupack import tables
from dupack.work import Run


class Progress:
    """A progress bar on stderr, with the time left; only in a terminal."""

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
        """Calls ``done``, then advances the bar."""

        def both(index: int, run: Run) -> None:
            done(index, run)
            self.step()

        return both

    def grow(self, total: int) -> None:
        """Sets a new total."""
        self._bar.update(self._task, total=total)

    def step(self) -> None:
        """Counts one more as done."""
        self._bar.advance(self._task)
