"""Comparisons from Python: alternatives of a network, run with the same seeds and ranked."""

from __future__ import annotations

import html
import io
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dupack import memory
from dupack.comparing.command import about, tell
from dupack.comparing.trial import Trial
from dupack.dataframes import frame
from dupack.errors import RequestError
from dupack.network import Network, Senders
from dupack.parts import Traffic
from dupack.printer import Printer
from dupack.progress import Progress
from dupack.sweeps import listed, seeds_of

if TYPE_CHECKING:
    import polars as pl

    from dupack.plots.of import ComparePlots

WIDTH = 100
"""Width of the table in text."""


class CompareResult:
    """Ranked alternatives."""

    def __init__(self, trial: Trial, text: str, comparisons: list[dict[str, Any]]) -> None:
        self.plan = text
        """Text of a plan file whose sweep has the alternatives."""
        self.title = trial.plan.title
        self.of: str = about(trial)["of"]
        """Measure that ranks them: a path in the documents of runs."""
        self.better: str = about(trial)["better"]
        """Which is better: ``"more"`` or ``"less"``."""
        self.seeds = trial.seeds
        """Seeds; every alternative was run with each."""
        self.note = trial.note
        """A note on the seeds; empty if there is none."""
        self.comparisons = comparisons
        """The comparisons, as in ``dupack compare --json``."""
        self._trial = trial
        self._kept = trial.kept()
        self._carries = trial.carries
        self._default = list(self._kept)

    @property
    def measures(self) -> list[str]:
        """Measures that `plot` can draw: ``of``, and those of ``also``."""
        return list(self._kept)

    @property
    def plot(self) -> ComparePlots:
        """Figures: ``result.plot()`` draws the alternatives, the best first, a panel per measure."""
        from dupack.plots.of import ComparePlots

        return ComparePlots(self.title, self.of, self.comparisons, self._default, self._kept, self._carries)

    @cached_property
    def ranked(self) -> pl.DataFrame:
        """A row per alternative, the best first.

        Columns: ``rank`` (null if the measure is missing in a run); the values of the alternative; ``mean`` and
        ``ci95``, the half-width of its 95 % interval; ``difference`` from the best, with its interval from ``low`` to
        ``high``; ``told_apart``, whether the difference is significant. The last four are null for the best.

        If the network has a sweep, its axes are the first columns, and each of its points is ranked separately. The
        intervals of all differences in a comparison hold simultaneously with 95 % confidence.

        Times of connections are of completed connections only. With such a measure, ``begun`` and ``open`` are the mean
        numbers of connections begun in a run and not completed at its end.
        """
        keys = ["mean", "ci95", "difference", "low", "high", "told_apart"]
        alternatives = [one for group in self.comparisons for one in group["alternatives"]]
        empty = dict.fromkeys([*keys, *(key for key in ("open", "begun") if alternatives and key in alternatives[0])])
        rows: list[dict[str, Any]] = []
        for group in self.comparisons:
            for rank, one in enumerate(group["alternatives"], 1):
                rest = {key: one[key] for key in empty}
                rows.append({**group["settings"], "rank": rank, **one["alternative"], **rest})
            rows += [{**group["settings"], "rank": None, **one, **empty} for one in group["unmeasured"]]
        return frame(rows)

    @cached_property
    def _told(self) -> str:
        out = io.StringIO()
        tell(self._trial, self.comparisons, Printer(file=out, width=WIDTH))
        return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).rstrip()

    def __repr__(self) -> str:
        return self._told

    def __getstate__(self) -> dict[str, Any]:
        # The printed text is kept; the plan that was read cannot be pickled.
        return {**self.__dict__, "_told": self._told, "_trial": None}

    def _repr_html_(self) -> str:
        better = "lower" if self.better == "less" else "higher"
        head = f"{self.title}: {self.of}, {better} is better; {len(self.seeds)} runs of each, with the same seeds"
        return f"<div><b>{html.escape(head)}</b>{self.ranked._repr_html_()}</div>"


def compare(
    net: Network,
    vary: Mapping[str, Iterable[Any]],
    transport: Senders | None = None,
    *,
    of: str = "goodput_bps",
    lowest: bool | None = None,
    also: Iterable[str] = (),
    seeds: int | str | Iterable[int] | None = None,
    duration: str | None = None,
    warm_up: str | None = None,
    traffic: Traffic | None = None,
    threads: int | None = None,
) -> CompareResult:
    """Runs alternatives of a network with the same seeds, and ranks them with intervals of their differences.

    Args:
        net: The network. If it has a sweep, every point of its other axes is a separate comparison.
        vary: Values to compare, per path of the plan, as for `dupack.sweep`; every combination is compared.
        transport: As for `Network.run`.
        of: Measure that ranks them: a path in the documents of runs, ``"links.bottleneck.queue_delay_s.p99"``.
        lowest: Whether the lowest value is best; by default it is for delay, loss, backlog and retransmissions.
        also: Other measures, which rank nothing: they are printed, and ``result.plot()`` draws them beside ``of``.
        seeds: As for `dupack.sweep`; by default those of the network if it has several, else 10.
        duration: As for `Network.run`.
        warm_up: As for `Network.run`.
        traffic: As for `Network.run`.
        threads: Number of worker threads; by default one per core. It does not change the results.

    Raises:
        PlanError: A value is wrong; nothing was run.
        RunError: A run failed.
        RequestError: Arguments contradict each other, or the measure is unknown; nothing was run.
    """
    if not isinstance(net, Network):
        raise RequestError(f"net: {net!r} is not a network; write one such as dupack.dumbbell(...)")
    grid = {path: listed(path, values) for path, values in vary.items()}
    few = next((path for path, values in grid.items() if len(values) < 2), None)
    if not grid or few:
        raise RequestError(f"vary: {few or 'empty'}: fewer than two values; give two or more")
    plan, text = net.read(transport, duration=duration, warm_up=warm_up, traffic=traffic, sweep=grid)
    trial = Trial(plan, list(grid), of, lowest=lowest, seeds=seeds_of(seeds), also=listed("also", also))
    memory.of_process().check(plan, "compare", len(trial.seeds), threads)
    with Progress("comparing", len(trial.jobs)) as progress:
        return CompareResult(trial, text, trial.run(threads=threads, step=progress.step))
