"""A comparison from a plan to its ranks: who runs against whom, with which seeds, by which number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dupack.comparing.rank import Ranked, gain, rank
from dupack.errors import RequestError
from dupack.measures import Measure
from dupack.tables import setting
from dupack.work import Job, Plan, Run, jobs_of, run_jobs

SEEDS = 10
"""So many, where neither the plan nor the user gives several."""

Values = dict[tuple[Any, ...], list[float | None]]
Ends = dict[tuple[Any, ...], dict[str, float]]
"""Per alternative how many connections a run began, and how many were ``open`` at its end, both in the mean."""


class Trial:
    """Alternatives of a plan: the values of some of its axes, each with every other, all with the same seeds."""

    def __init__(
        self,
        plan: Plan,
        paths: Sequence[str],
        of: str,
        *,
        lowest: bool | None = None,
        seeds: Sequence[int] | None = None,
        words: tuple[str, str, str] = ("of", "seeds", "lowest=True or False"),
    ) -> None:
        """Checks it.

        Args:
            plan: A plan whose sweep has the axes.
            paths: What is compared; every point of the other axes is a comparison of its own.
            of: The path of the number that ranks.
            lowest: Whether less of it is better; if not given, as the measure says.
            seeds: Of each alternative; those of the plan if not given, and 10 if it has but one.
            words: What errors call the measure, the seeds, and what says which is better.
        """
        self.plan, self.paths = plan, list(paths)
        self.measure = Measure.find(plan, of, words[0])
        if lowest is None and self.measure.better is None:
            raise RequestError(
                f"{words[0]}: neither more nor less of {self.measure.name} is better; say so with {words[2]}; "
                "nothing was run"
            )
        self.least = self.measure.better == "less" if lowest is None else lowest
        self.note = ""
        """What is to be known of the seeds."""
        self.seeds = list(seeds) if seeds else self._seeds(words[1])
        if len(self.seeds) < 2:
            raise RequestError(f"{words[1]}: one seed has no interval; give at least two; nothing was run")
        self.jobs: list[Job] = jobs_of(plan, self.seeds)
        self._found: list[float | None] = [None] * len(self.jobs)
        self._ends: list[tuple[int, int]] = [(0, 0)] * len(self.jobs)

    def _seeds(self, word: str) -> list[int]:
        plan = self.plan
        if plan.stop is not None:
            least = plan.seeds[: plan.stop[2]]
            self.note = (
                f"The plan's rule to stop is not followed: it would give the alternatives different seeds. "
                f"Each has the {len(least)} that the rule begins with; {word} gives others."
            )
            return least
        return plan.seeds if len(plan.seeds) > 1 else list(range(plan.seeds[0], plan.seeds[0] + SEEDS))

    @property
    def _timed(self) -> bool:
        """Whether it is compared by times of connections: those that never ended are missing in them."""
        of, _, key = self.measure.key.partition(".")
        return of == "connections" and "." in key

    def run(self, *, threads: int | None, step: Callable[[], object]) -> list[dict[str, Any]]:
        """Runs all, and tells ``step`` of each; what comes is as `comparisons` has it."""

        def done(index: int, run: Run) -> None:
            self._found[index] = self.measure.value(run.document)
            if self._timed:
                self._ends[index] = _ends(self.measure, run.document)
            step()

        run_jobs(self.jobs, threads=threads, done=done)
        return self.comparisons()

    def comparisons(self) -> list[dict[str, Any]]:
        """Per setting of the axes that are not compared the alternatives in their ranks."""
        groups: dict[str, tuple[dict[str, Any], Values, Ends]] = {}
        for at, settings in enumerate(self.plan.points):
            others = {path: value for path, value in settings.items() if path not in self.paths}
            name = tuple(setting(settings.get(path)) for path in self.paths)
            runs = slice(at * len(self.seeds), (at + 1) * len(self.seeds))
            _, values, ends = groups.setdefault(repr(others), (others, {}, {}))
            values[name] = self._found[runs]
            if self._timed:
                still, begun = zip(*self._ends[runs], strict=True)
                ends[name] = {"open": sum(still) / len(still), "begun": sum(begun) / len(begun)}
        return [self._group(*group) for group in groups.values()]

    def _group(self, settings: dict[str, Any], values: Values, ends: Ends) -> dict[str, Any]:
        measured = {
            name: [value for value in mine if value is not None] for name, mine in values.items() if None not in mine
        }
        ranked = rank(measured, least=self.least) if measured else []
        return {
            "settings": settings,
            "alternatives": [{**self._alternative(one), **ends.get(one.name, {})} for one in ranked],
            "unmeasured": [dict(zip(self.paths, name, strict=True)) for name in values if name not in measured],
            "gain": gain(measured),
            "seeds_matter": any(len(set(mine)) > 1 for mine in values.values()),
        }

    def _alternative(self, one: Ranked) -> dict[str, Any]:
        best = one.half is None
        return {
            "alternative": dict(zip(self.paths, one.name, strict=True)),
            "mean": one.mean,
            "ci95": one.ci95,
            "difference": None if best else one.difference,
            "low": None if best else one.difference - (one.half or 0),
            "high": None if best else one.difference + (one.half or 0),
            "told_apart": None if best else one.told_apart,
        }


def _ends(measure: Measure, document: Mapping[str, Any]) -> tuple[int, int]:
    """Connections that were open at the end of a run, and those that began, of the flows that are measured."""
    found = [flow["connections"] for flow in document["flows"] if "connections" in flow and measure.names(flow["name"])]
    return sum(one["open"] for one in found), sum(one["begun"] for one in found)
