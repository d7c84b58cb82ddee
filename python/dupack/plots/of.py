"""``.plot`` of results in Python: each method returns a matplotlib Figure with its ``data``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dupack.plots import completions, runs, swept, tradeoff
from dupack.plots.data import Data

if TYPE_CHECKING:
    from dupack.figures import Figure

Names = str | Sequence[str] | None
At = Mapping[str, str] | None
"""Values of axes, by path or by their names in figures: only these points are drawn."""


class RunPlots:
    """Figures of a run.

    Each method returns a `matplotlib.figure.Figure`; its ``save("figure.svg")`` writes it as SVG, PDF or PNG, and its
    data beside it as CSV; ``data`` has the same rows.
    """

    def __init__(self, data: Data) -> None:
        self._data = data

    def cwnd(self, flows: Names = None) -> Figure:
        """Congestion windows over time, of all flows or of those named (a name or a list of names).

        If the run has a tape, drops, fast retransmits and timeouts are ticks below them.
        """
        return runs.cwnd(self._data, flows)

    def queue(self, links: Names = None) -> Figure:
        """Backlogs over time, of all links with a queue discipline, or of those named."""
        return runs.queue(self._data, links)

    def goodput(self, flows: Names = None) -> Figure:
        """Goodput over time, as means over intervals, of all flows or of those named, and their sum."""
        return runs.goodput(self._data, flows)

    def course(self, flows: Names = None, links: Names = None) -> Figure:
        """Windows with their events, backlogs and goodput, one above the other on one time axis."""
        return runs.course(self._data, flows, links)

    def queues(self, links: Names = None) -> Figure:
        """A heat map of backlogs over time, a row per link: for networks with many links."""
        return runs.queues(self._data, links)

    def gauges(self, links: Names = None) -> Figure:
        """State variables of queues over time, such as RED's average or PIE's drop probability: a panel for each."""
        return runs.gauges(self._data, links)

    def cdf(self, flow: str | None = None, *, of: str = "completion_s") -> Figure:
        """Distribution of completion times (or ``of="slowdown"``) of connections, by size."""
        return completions.distribution(self._data, flow=flow, of=of)

    def ccdf(self, flow: str | None = None, *, of: str = "completion_s") -> Figure:
        """The part of the connections that took longer, on a logarithmic axis, by size."""
        return completions.distribution(self._data, flow=flow, of=of, tail=True)

    def slowdown(self, flow: str | None = None) -> Figure:
        """Slowdown of connections against their size: median and 99th percentile."""
        return completions.slowdown(self._data, flow=flow)

    def tradeoff(self) -> Figure:
        """Goodput against mean RTT: a dot per flow, and an ellipse of one standard deviation."""
        return tradeoff.tradeoff(self._data)


class SweepPlots:
    """Figures of a sweep; a call draws measures: ``result.plot("goodput_bps")``.

    ``at`` chooses points by the values of axes: ``at={"link.bottleneck.queue.buffer": "20 packets"}``.
    """

    def __init__(self, made: Callable[[], Data]) -> None:
        self._made = made

    def _data(self, at: At) -> Data:
        data = self._made()
        data.keep(at or {})
        return data

    def __call__(
        self,
        *measures: str,
        x: str | None = None,
        at: At = None,
        heat: bool | None = None,
        log: str | None = None,
    ) -> Figure:
        """Draws measures over the axis ``x``, with 95 % intervals; other axes give curves and panels.

        Args:
            measures: Paths of measures, as for `SweepResult.estimates`; each has a panel.
            x: The axis; by default the first with numbers, else the first.
            at: Values of other axes, to draw only these points.
            heat: Whether to draw two axes with numbers as a heat map; by default if there are more than 12 curves.
            log: Logarithmic axes: ``""``, ``"x"``, ``"y"``, ``"xy"``; by default x if its values are far apart.

        Raises:
            RequestError: A measure or an axis is unknown, or there is nothing to draw, or too much for a figure.
        """
        return swept.measures(self._data(at), measures or ("goodput_bps",), x=x, as_heat=heat, log=log)

    def cdf(self, flow: str | None = None, *, of: str = "completion_s", at: At = None) -> Figure:
        """Distribution of completion times (or ``of="slowdown"``) of connections, a panel per size."""
        return completions.distribution(self._data(at), flow=flow, of=of)

    def ccdf(self, flow: str | None = None, *, of: str = "completion_s", at: At = None) -> Figure:
        """The part of the connections that took longer, on a logarithmic axis, a panel per size."""
        return completions.distribution(self._data(at), flow=flow, of=of, tail=True)

    def slowdown(self, flow: str | None = None, *, at: At = None) -> Figure:
        """Slowdown of connections against their size: median and 99th percentile, with 95 % intervals."""
        return completions.slowdown(self._data(at), flow=flow)

    def tradeoff(self, delay: str | None = None, goodput: str | None = None, *, at: At = None) -> Figure:
        """Goodput against delay, with an ellipse of one standard deviation per point.

        By default the dots are flows of single runs, with their goodputs and mean RTTs; with paths of measures they
        are runs.
        """
        return tradeoff.tradeoff(self._data(at), delay=delay, goodput=goodput)


class ComparePlots:
    """Figures of a comparison; a call draws it: ``result.plot()``."""

    def __init__(
        self,
        title: str,
        of: str,
        comparisons: list[dict[str, Any]],
        default: Sequence[str],
        kept: Mapping[str, Any],
        carries: str,
    ) -> None:
        self._title = title
        self._of = of
        self._comparisons = comparisons
        self._default = default
        self._kept = kept
        self._carries = carries

    def __call__(self, *measures: str) -> Figure:
        """Draws the alternatives, the best first, with 95 % intervals; each measure has a panel.

        Args:
            measures: Measures of those in ``result.measures``; by default the one that ranks, and those of ``also``.

        Raises:
            RequestError: The comparison does not have a measure.
        """
        from dupack.plots.compared import compared

        return compared(self._title, self._of, self._comparisons, measures or self._default, self._kept, self._carries)
