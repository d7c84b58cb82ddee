"""Comparisons from Python: alternatives of a network with the same seeds, ranked."""

from __future__ import annotations

import html
import io
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dupack.comparing.command import about, tell
from dupack.comparing.trial import Trial
from dupack.dataframes import frame
from dupack.errors import RequestError
from dupack.network import Network, Senders
from dupack.parts import Traffic
from dupack.progress import Progress
from dupack.sweeps import listed, seeds_of

if TYPE_CHECKING:
    import polars as pl

WIDTH = 100
"""Of the table in text."""


class CompareResult:
    """Alternatives in their ranks."""

    def __init__(self, trial: Trial, text: str, comparisons: list[dict[str, Any]]) -> None:
        self.plan = text
        """The alternatives as the sweep of a plan file's text."""
        self.title = trial.plan.title
        self.of: str = about(trial)["of"]
        """What ranks them: the path of a number in runs' documents."""
        self.better: str = about(trial)["better"]
        """``"more"`` or ``"less"`` of it."""
        self.seeds = trial.seeds
        """Every alternative was run with each."""
        self.note = trial.note
        """What is to be known of the seeds, if anything."""
        self.comparisons = comparisons
        """As ``dupack compare --json`` has them."""
        self._trial = trial

    @cached_property
    def ranked(self) -> pl.DataFrame:
        """A row per alternative, the best first: its ``rank`` (null if a run could not measure it), its values, its
        ``mean`` with ``ci95``, the half-width of the 95 % interval; of its ``difference`` to the best the interval from
        ``low`` to ``high``, and whether that is more than chance, ``told_apart``; null with the best.

        A sweep of the network's own is told in columns before, each of its points ranked alone. All intervals of
        differences in a comparison hold together with 95 %.

        Times of connections are of those that ended: by such, ``open`` says how many a run had not at its end, of those
        that had ``begun``, both means.
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
        from rich.console import Console

        out = io.StringIO()
        tell(self._trial, self.comparisons, Console(file=out, width=WIDTH, highlight=False, emoji=False, markup=False))
        return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).rstrip()

    def __repr__(self) -> str:
        return self._told

    def __getstate__(self) -> dict[str, Any]:
        # What tells it is kept in words: the plan that was read stays.
        return {**self.__dict__, "_told": self._told, "_trial": None}

    def _repr_html_(self) -> str:
        head = f"{self.title}: {self.of}, {self.better} is better; {len(self.seeds)} runs of each, with the same seeds"
        return f"<div><b>{html.escape(head)}</b>{self.ranked._repr_html_()}</div>"


def compare(
    net: Network,
    vary: Mapping[str, Iterable[Any]],
    transport: Senders | None = None,
    *,
    of: str = "goodput_bps",
    lowest: bool | None = None,
    seeds: int | str | Iterable[int] | None = None,
    duration: str | None = None,
    warm_up: str | None = None,
    traffic: Traffic | None = None,
    threads: int | None = None,
) -> CompareResult:
    """Runs alternatives of a network with the same seeds and ranks them, with the interval of each difference.

    Args:
        net: What is run. If it has a sweep, its other axes make a comparison of each of their points.
        vary: Per path of the plan the values that are compared, as for `dupack.sweep`; every one with every other.
        transport: As for `Network.run`.
        of: What ranks them, by its path in runs' documents: ``"links.bottleneck.queue_delay_s.p99"``.
        lowest: Whether less of it is better; if not given that of delay, loss, backlog and repetition.
        seeds: As for `dupack.sweep`; if not given those of the network if several, else 10.
        duration: As for `Network.run`.
        warm_up: As for `Network.run`.
        traffic: As for `Network.run`.
        threads: How many runs at a time; all cores if not given. Results do not depend on it.

    Raises:
        PlanError: A value is wrong; nothing was run.
        RunError: A run failed.
        RequestError: What is asked for does not go together, or is not measured; nothing was run.
    """
    if not isinstance(net, Network):
        raise RequestError(f"net: {net!r} is no network; make one such as dupack.dumbbell(...)")
    grid = {path: listed(path, values) for path, values in vary.items()}
    few = next((path for path, values in grid.items() if len(values) < 2), None)
    if not grid or few:
        raise RequestError(f"vary: {few or 'empty'}: there is nothing to compare; give two or more values")
    plan, text = net.read(transport, duration=duration, warm_up=warm_up, traffic=traffic, sweep=grid)
    trial = Trial(plan, list(grid), of, lowest=lowest, seeds=seeds_of(seeds))
    with Progress("comparing", len(trial.jobs)) as progress:
        return CompareResult(trial, text, trial.run(threads=threads, step=progress.step))
