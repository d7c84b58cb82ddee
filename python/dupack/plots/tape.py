"""The course of a tape: the windows and events that ``dupack run --tape`` has recorded."""

from __future__ import annotations

from typing import Any

from dupack.errors import RequestError
from dupack.plots.data import RECORD, Course, Data

MOST = 2000
"""The most rows of a window that are drawn, per flow."""


class OfTape(Data):
    """A tape: its windows as they are at each event."""

    def __init__(self, columns: dict[str, list[Any]], where: str) -> None:
        super().__init__(where, [{}], [(0, -1)], where)
        self._columns = columns

    def measures(self) -> list[str]:
        """A tape has none."""
        return []

    def _values(self, measure: str) -> dict[int, list[float | None]]:
        raise RequestError(f"{self.where}: a tape has no measures")

    def rows(self, part: str) -> list[dict[str, Any]]:
        """A tape has no tables."""
        return []

    def record(self) -> dict[str, list[Any]]:
        """A tape has no table of connections."""
        return {name: [] for name in RECORD}

    def events(self) -> dict[str, list[Any]]:
        """See `Data`."""
        return self._columns

    def series(self, measure: str, point: int, seed: int) -> Course:
        """The windows, at the times of a grid."""
        if measure != "cwnd":
            return [], {}
        times: list[float] = self._columns["time_s"]
        if not times:
            return [], {}
        step = (times[-1] - times[0]) / MOST
        grid = [times[0] + i * step for i in range(MOST + 1)]
        found: dict[str, list[Any]] = {}
        now: dict[str, float] = {}
        at = 0
        for place, time in enumerate(grid):
            while at < len(times) and times[at] <= time:
                now[self._columns["flow"][at]] = self._columns["cwnd"][at]
                at += 1
            for flow, window in now.items():
                found.setdefault(flow, [None] * place).append(window)
        return grid, found
