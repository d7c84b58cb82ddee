"""The course of a tape: the windows and events that ``dupack run --tape`` has recorded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dupack.errors import RequestError
from dupack.plots.data import RECORD, Course, Data, flow_of

MOST = 2000
"""The most rows of a window that are drawn, per flow."""


class OfTape(Data):
    """A tape: its windows as they are at each event."""

    def __init__(self, columns: dict[str, list[Any]], where: str, about: Mapping[str, Any]) -> None:
        seed = about.get("seed")
        title = about.get("title")
        run = (0, seed if isinstance(seed, int) else -1)
        super().__init__(title if isinstance(title, str) and title else where, [{}], [run], where)
        self._columns = columns
        self._flows = [str(name) for name in about.get("flows") or []]

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
        # A flow that begins later is not drawn later.
        return grid, {name: found[name] for name in sorted(found, key=self._place)}

    def _place(self, name: str) -> tuple[int, list[tuple[int, str]]]:
        """The place of a flow in the plan if it is known, then that of the numbers in its name."""
        flow = flow_of(name, self._flows)
        parts = [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]
        return self._flows.index(flow) if flow else len(self._flows), parts

    def every(self, run: tuple[int, int]) -> list[str]:
        """See `Data`."""
        return self._flows
