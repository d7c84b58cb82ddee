"""A comparison, from a plan to ranks: the alternatives, the seeds and the measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from dupack.comparing.rank import Ranked, against, gain, rank
from dupack.errors import RequestError
from dupack.measures import Measure
from dupack.regimes import in_groups
from dupack.words import common_unit, setting
from dupack.work import Job, Plan, Run, jobs_of, run_jobs

SEEDS = 10
"""The number of seeds if neither the plan nor the user gives several."""

Values = dict[tuple[Any, ...], list[float | None]]
Ends = dict[tuple[Any, ...], dict[str, float]]
"""Per alternative, the mean numbers of connections ``begun`` in a run and ``open`` at its end."""


class Trial:
    """Alternatives of a plan: every combination of the values of some axes, all with the same seeds."""

    def __init__(
        self,
        plan: Plan,
        paths: Sequence[str],
        of: str,
        *,
        lowest: bool | None = None,
        seeds: Sequence[int] | None = None,
        also: Sequence[str] = (),
        words: tuple[str, str, str, str] = ("of", "seeds", "lowest=True or False", "also"),
    ) -> None:
        """Checks the comparison.

        Args:
            plan: A plan whose sweep has the axes.
            paths: The axes that are compared; every point of the other axes is a separate comparison.
            of: Path of the measure that ranks the alternatives.
            lowest: Whether the lowest value is best; by default as the measure declares.
            seeds: Seeds of each alternative; by default those of the plan, or 10 if it has only one.
            also: Paths of other measures, which rank nothing.
            words: Names in errors of the measure, of the seeds, of the direction, and of the other measures.
        """
        self.plan, self.paths = plan, list(paths)
        self.measure = Measure.find(plan, of, words[0])
        if lowest is None and self.measure.better is None:
            raise RequestError(
                f"{words[0]}: {self.measure.name} does not say whether higher or lower is better; give {words[2]}; "
                "nothing was run"
            )
        self.least = self.measure.better == "less" if lowest is None else lowest
        self.note = ""
        """A note on the seeds."""
        self.seeds = list(seeds) if seeds else self._seeds(words[1])
        if len(self.seeds) < 2:
            raise RequestError(f"{words[1]}: one seed, which gives no interval; give at least two; nothing was run")
        self.jobs: list[Job] = jobs_of(plan, self.seeds)
        self.also = self._others(also, words[3])
        self.carries = ""
        """Cells, packets, or units of both: what links carry, known after a run."""
        self._beside: list[list[float | None]] = [[] for _ in self.jobs]
        self._found: list[float | None] = [None] * len(self.jobs)
        self._ends: list[tuple[int, int]] = [(0, 0)] * len(self.jobs)

    def _seeds(self, word: str) -> list[int]:
        plan = self.plan
        if plan.stop is not None:
            least = plan.seeds[: plan.stop[2]]
            self.note = (
                f"The plan's stopping rule is ignored: it would give the alternatives different seeds. "
                f"Each alternative has the first {len(least)} seeds of the rule; {word} sets others."
            )
            return least
        return plan.seeds if len(plan.seeds) > 1 else list(range(plan.seeds[0], plan.seeds[0] + SEEDS))

    def _others(self, also: Sequence[str], word: str) -> list[Measure]:
        """The other measures, each another one."""
        found = [Measure.find(self.plan, one, word) for one in also]
        names = [self.measure.name, *(one.name for one in found)]
        for at, name in enumerate(names):
            if name in names[:at]:
                raise RequestError(f"{word}: {name} is given more than once; give it once; nothing was run")
        return found

    @property
    def _timed(self) -> bool:
        """Whether the measure is a time of connections; such times do not include connections that never completed."""
        of, _, key = self.measure.key.partition(".")
        return of == "connections" and "." in key

    def run(self, *, threads: int | None, step: Callable[[], object]) -> list[dict[str, Any]]:
        """Runs all alternatives, and calls ``step`` after each run; returns `comparisons`."""

        def done(index: int, run: Run) -> None:
            self._found[index] = self.measure.value(run.document)
            self.carries = common_unit(link["carries"] for link in run.document["links"])
            self._beside[index] = [one.value(run.document) for one in self.also]
            if self._timed:
                self._ends[index] = _ends(self.measure, run.document)
            step()

        run_jobs(self.jobs, threads=threads, done=done)
        return self.comparisons()

    def comparisons(self) -> list[dict[str, Any]]:
        """The ranked alternatives, per point of the axes that are not compared."""
        groups: dict[str, tuple[dict[str, Any], Values, Ends]] = {}
        for others, name, runs in self._alternatives():
            _, values, ends = groups.setdefault(repr(others), (others, {}, {}))
            values[name] = self._found[runs]
            if self._timed:
                still, begun = zip(*self._ends[runs], strict=True)
                ends[name] = {"open": sum(still) / len(still), "begun": sum(begun) / len(begun)}
        beside = [self._by_comparison([run[at] for run in self._beside]) for at in range(len(self.also))]
        return [self._group(*group, [one[at] for one in beside]) for at, group in enumerate(groups.values())]

    def _alternatives(self) -> Iterator[tuple[dict[str, Any], tuple[Any, ...], slice]]:
        """Each alternative: the values of the axes that are not compared, its own values, its runs."""
        for at, settings in enumerate(self.plan.points):
            others = {path: value for path, value in settings.items() if path not in self.paths}
            name = tuple(setting(settings.get(path)) for path in self.paths)
            yield others, name, slice(at * len(self.seeds), (at + 1) * len(self.seeds))

    def kept(self) -> dict[str, list[Values]]:
        """The values of each alternative: per measure that is kept, and comparison."""
        columns = {self.measure.name: self._found}
        columns |= {one.name: [run[at] for run in self._beside] for at, one in enumerate(self.also)}
        return {name: self._by_comparison(values) for name, values in columns.items()}

    def _by_comparison(self, values: Sequence[float | None]) -> list[Values]:
        """The values of the runs of each alternative, per comparison."""
        groups: dict[str, Values] = {}
        for others, alternative, runs in self._alternatives():
            groups.setdefault(repr(others), {})[alternative] = list(values[runs])
        return list(groups.values())

    def _group(self, settings: dict[str, Any], values: Values, ends: Ends, beside: Sequence[Values]) -> dict[str, Any]:
        measured = _whole(values)
        ranked = rank(measured, least=self.least) if measured else []
        also = [_against(ranked[0].name, _whole(other)) if ranked else {} for other in beside]
        return {
            "settings": settings,
            "alternatives": [
                {
                    **self._alternative(one),
                    **ends.get(one.name, {}),
                    **in_groups(measured[one.name]),
                    **({"also": self._also(one.name, also)} if self.also else {}),
                }
                for one in ranked
            ],
            "unmeasured": [dict(zip(self.paths, name, strict=True)) for name in values if name not in measured],
            "gain": gain(measured),
            "seeds_matter": any(len(set(mine)) > 1 for mine in values.values()),
        }

    def _alternative(self, one: Ranked) -> dict[str, Any]:
        return {"alternative": dict(zip(self.paths, one.name, strict=True)), **_numbers(one)}

    def _also(self, name: tuple[Any, ...], compared: Sequence[Mapping[Any, dict[str, Any]]]) -> dict[str, Any]:
        """The other measures of an alternative; null for those that some run lacks, of it or of the best."""
        return {measure.name: found.get(name) for measure, found in zip(self.also, compared, strict=True)}


def _against(best: tuple[Any, ...], values: dict[tuple[Any, ...], list[float]]) -> dict[Any, dict[str, Any]]:
    """A measure of each alternative, compared with that of the best; empty if runs of the best lack it."""
    compared = against(best, values) if best in values else []
    return {one.name: {**_numbers(one), **in_groups(values[one.name])} for one in compared}


def _whole(values: Values) -> dict[tuple[Any, ...], list[float]]:
    """Those alternatives of which every run has a value."""
    return {name: [value for value in mine if value is not None] for name, mine in values.items() if None not in mine}


def _numbers(one: Ranked) -> dict[str, Any]:
    best = one.half is None
    return {
        "mean": one.mean,
        "ci95": one.ci95,
        "difference": None if best else one.difference,
        "low": None if best else one.difference - (one.half or 0),
        "high": None if best else one.difference + (one.half or 0),
        "told_apart": None if best else one.told_apart,
    }


def _ends(measure: Measure, document: Mapping[str, Any]) -> tuple[int, int]:
    """Connections open at the end of a run, and connections begun, of the measured flows."""
    found = [flow["connections"] for flow in document["flows"] if "connections" in flow and measure.names(flow["name"])]
    return sum(one["open"] for one in found), sum(one["begun"] for one in found)
