"""The time series of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dupack import _native
from dupack.dataframes import taken_over
from dupack.errors import RequestError

if TYPE_CHECKING:
    import polars as pl


class Series:
    """The time series of a run: a table per measure, with ``time_s`` and a column per flow or link.

    The tables use the simulator's memory without a copy. Exceptions are states and the measures that can be null,
    ``delay_s``, ``throughput_bps`` and ``pacing_bps``, because Arrow has another layout for them.
    """

    MEASURES = ("cwnd", "state", "pacing_bps", "delivered", "delay_s", "backlog", "throughput_bps", "gauges")

    cwnd: pl.DataFrame
    """Congestion window of each flow [segments]."""
    state: pl.DataFrame
    """State of the sender of each flow that is one connection, such as ``slow-start`` or ``probe-rtt``."""
    pacing_bps: pl.DataFrame
    """Pacing rate of each such flow that is paced [bit/s]; null before it is known."""
    delivered: pl.DataFrame
    """Data that each flow has delivered since the start [bytes]."""
    delay_s: pl.DataFrame
    """Mean delay of the data that each flow has delivered since the previous sample [s]; null if there was none."""
    backlog: pl.DataFrame
    """Backlog of each link with a queue discipline [cells or packets]."""
    throughput_bps: pl.DataFrame
    """Throughput of each direction of each link since the previous sample [bit/s]; null at the first sample."""
    gauges: pl.DataFrame
    """State variables of disciplines and rate markers, such as ``bottleneck.average`` of RED."""
    units: dict[str, str]
    """Unit of each state variable, such as ``packets`` or ``probability``."""

    def __init__(self, columns: dict[str, _native.Columns]) -> None:
        self._columns = columns
        self.units = columns["gauges"].units if "gauges" in columns else {}

    def __getattr__(self, name: str) -> pl.DataFrame:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._columns:
            raise AttributeError(f"unknown series {name!r}; known: {', '.join(self._columns)}")
        made = taken_over(self._columns[name])
        setattr(self, name, made)
        return made

    def columns(self, name: str) -> _native.Columns:
        """A series for any library that reads Arrow streams: ``pyarrow.table(run.series.columns("cwnd"))``."""
        if name not in self._columns:
            raise RequestError(f"unknown series {name!r}; known: {', '.join(self._columns)}")
        return self._columns[name]

    def __getstate__(self) -> dict[str, Any]:
        # The simulator's memory cannot be pickled; `columns` then returns a polars table, which libraries also read.
        columns = {name: taken_over(column) for name, column in self._columns.items()}
        return {"_columns": columns, "units": self.units}

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._columns})

    def __repr__(self) -> str:
        points = len(next(iter(self._columns.values()))) if self._columns else 0
        return f"series of {points} points: {', '.join(self._columns)}"
