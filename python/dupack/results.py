"""Results of a run, as tables and figures."""

from __future__ import annotations

import html
import io
import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dupack import _native, memory
from dupack.connections import each
from dupack.dataframes import frame, polars, record
from dupack.document import estimates
from dupack.errors import RequestError
from dupack.series import Series
from dupack.words import visible

if TYPE_CHECKING:
    import polars as pl

    from dupack.plots.of import RunPlots


class RunResult:
    """Results of a finished run.

    Tables are polars data frames (``run.flows.to_pandas()`` converts to pandas); figures are matplotlib figures.
    """

    def __init__(
        self,
        plan: str,
        document: dict[str, Any],
        columns: dict[str, _native.Columns],
        tape: str | None = None,
        each: dict[str, list[Any]] | None = None,
    ) -> None:
        self.plan = plan
        """Text of a plan file of the experiment, without the seed of this run."""
        self.document = document
        """Document of the run, as ``dupack run --json`` prints it, without the time series."""
        self.series = Series(columns)
        """Time series."""
        self._tape = tape
        self._each = each or {}

    @classmethod
    def of(cls, plan: _native.Plan, text: str, *, tape: bool) -> RunResult:
        """Runs a plan with one point and one seed."""
        limit = memory.of_process()
        limit.check(plan, "run in Python", 1, 1, memory.tape_rows(plan, plan.seeds[0]) if tape else 0)
        threads = limit.threads_for_each(plan, "run in Python", 1, None)
        with limit.hold():
            told, events, columns = _native.run_one(plan, 0, plan.seeds[0], tape, threads)
        document = {"title": plan.title, **json.loads(told)}
        record = each(document)
        document.pop("connections", None)
        return cls(text, document, dict(columns), events, record)

    @property
    def seed(self) -> int:
        """Seed of the run."""
        return int(self.document["seed"])

    @cached_property
    def flows(self) -> pl.DataFrame:
        """A row per flow. Counts and rates cover the time after the warm-up."""
        return frame(self.document["flows"])

    @cached_property
    def links(self) -> pl.DataFrame:
        """A row per direction of each link. Counts cover the whole run, those
        that begin with ``measured_`` and rates the time after the warm-up."""
        return frame(self.document["links"])

    @cached_property
    def connections(self) -> pl.DataFrame:
        """A row per connection of flows with ``arrivals``, in the order in which they began.

        The columns are those of table ``connections`` in a store: ``flow``, ``number``, ``start_s``, ``size_bytes``,
        ``completion_s`` and ``slowdown`` (null for a connection that was open at the end), ``segments_retransmitted``,
        ``round``, ``measured`` (whether it began after warm-up), ``path``.
        """
        return record(self._each)

    @cached_property
    def summary(self) -> pl.DataFrame:
        """One row with the measures of all flows together."""
        return frame([self.document["summary"]])

    @cached_property
    def tape(self) -> pl.DataFrame:
        """Every event: ``time_s, flow, event, segment, cwnd, ssthresh``."""
        if self._tape is None:
            raise RequestError("tape: not recorded; write run(..., tape=True)")
        lib = polars()
        types = {"time_s": lib.Float64, "flow": lib.String, "event": lib.String, "segment": lib.UInt64}
        # "inf" is an ssthresh that has not been set.
        types |= {"cwnd": lib.Float64, "ssthresh": lib.Float64}
        made: pl.DataFrame = lib.read_csv(io.StringIO(self._tape), schema=types)
        return made

    @property
    def plot(self) -> RunPlots:
        """Figures: ``run.plot.cwnd()``, ``.queue()``, ``.goodput()``, ``.course()``, ``.queues()``, ``.gauges()``,
        ``.tradeoff()``.

        Of connections: ``.cdf()``, ``.ccdf()``, ``.slowdown()``.
        """
        from dupack.plots.data import OfDocument
        from dupack.plots.of import RunPlots

        tape = self.tape if self._tape is not None else None
        return RunPlots(OfDocument.of_run(self.document, self.series, self.connections, tape))

    def __repr__(self) -> str:
        told = ", ".join(f"{key} {_short(value)}" for key, value in self.document["summary"].items())
        return visible(f"{self.document['title']}, {self.document['duration_s']:g} s, seed {self.seed}: {told}")

    def _repr_html_(self) -> str:
        from dupack import tables

        cells = estimates([self.document]).items()
        told = ((tables.SUMMARY.get(key, key), tables.measured(key, cell)) for key, cell in cells)
        rows = "".join(f"<tr><td>{html.escape(key)}</td><td>{html.escape(value)}</td></tr>" for key, value in told)
        head = f"{self.document['title']}, {self.document['duration_s']:g} s, seed {self.seed}"
        return (
            f"<div><b>{html.escape(head)}</b><table><tbody>{rows}</tbody></table>"
            f"<details open><summary>flows</summary>{self.flows._repr_html_()}</details>"
            f"<details><summary>links</summary>{self.links._repr_html_()}</details></div>"
        )


def _short(value: Any) -> str:
    return "-" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
