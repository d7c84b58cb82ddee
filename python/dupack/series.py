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
    """The time series of a run: per measure a table with ``time_s`` and a column per flow or link.

    Their memory is that in which the simulator wrote them; nothing is copied (but for the two measures that can be
    missing, which Arrow lays out otherwise: ``delay_s`` and ``throughput_bps``).
    """

    MEASURES = ("cwnd", "delivered", "delay_s", "backlog", "throughput_bps")

    cwnd: pl.DataFrame
    """The congestion window of each flow [segments]."""
    delivered: pl.DataFrame
    """What each flow has delivered since the start [bytes]."""
    delay_s: pl.DataFrame
    """Mean delay of what each flow has delivered since the sample before [s]; null for nothing."""
    backlog: pl.DataFrame
    """What waits in each queue that has a discipline [cells or packets]."""
    throughput_bps: pl.DataFrame
    """What each direction of each link has carried since the sample before [bit/s]; null at the first."""

    def __init__(self, columns: dict[str, _native.Columns]) -> None:
        self._columns = columns

    def __getattr__(self, name: str) -> pl.DataFrame:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._columns:
            raise AttributeError(f"there is no series {name!r}; there are {', '.join(self._columns)}")
        made = taken_over(self._columns[name])
        setattr(self, name, made)
        return made

    def columns(self, name: str) -> _native.Columns:
        """The same for any other library that reads Arrow's stream: ``pyarrow.table(run.series.columns("cwnd"))``."""
        if name not in self._columns:
            raise RequestError(f"there is no series {name!r}; there are {', '.join(self._columns)}")
        return self._columns[name]

    def __getstate__(self) -> dict[str, Any]:
        # The simulator's own memory stays; `columns` gives a table of polars' then, which libraries read as well.
        return {"_columns": {name: taken_over(column) for name, column in self._columns.items()}}

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._columns})

    def __repr__(self) -> str:
        points = len(next(iter(self._columns.values()))) if self._columns else 0
        return f"series of {points} points: {', '.join(self._columns)}"
