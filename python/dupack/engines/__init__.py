"""Engines that simulate the runs of a sweep: the cores of this machine, or a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from dupack.errors import RequestError
from dupack.work import Job

Next = Callable[[], tuple[int, Job] | None]
"""Returns the next slot with its job; None if there is nothing to do until a run in progress has ended."""
Done = Callable[[int, str], None]
"""Takes a slot and the document of its run."""
Failed = Callable[[int, str], None]
"""Takes a slot and the reason why its run failed."""


class Engine(Protocol):
    """Simulates runs."""

    def run(self, give: Next, done: Done, failed: Failed) -> None:
        """Simulates runs until none is left and all have ended; reports each in the calling thread."""


def engine(on: str, *, threads: int | None) -> Engine:
    """The engine with this name or address."""
    if on == "local":
        from dupack.engines.local import Local

        return Local(threads)
    if on == "ray" or on.startswith(("ray://", "ray:")):
        if threads is not None:
            raise RequestError("--threads: applies only to --on local; a cluster sets its own parallelism")
        from dupack.engines.ray import Ray

        return Ray(on)
    raise RequestError(
        f'--on {on}: unknown engine; write "local", "ray" or the address of a Ray cluster, "ray://HOST:PORT"'
    )
