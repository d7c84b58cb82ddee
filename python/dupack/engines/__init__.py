"""Where the runs of a sweep are done: on this machine's cores, or by a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from dupack.errors import RequestError
from dupack.work import Job

Next = Callable[[], tuple[int, Job] | None]
"""The next slot to fill, with its job; None if there is nothing to do before a run that is under way has ended."""
Done = Callable[[int, str], None]
"""Takes a slot and the document of its run."""
Failed = Callable[[int, str], None]
"""Takes a slot and why its run failed."""


class Engine(Protocol):
    """Does runs."""

    def run(self, give: Next, done: Done, failed: Failed) -> None:
        """Does runs until there is nothing more to do and all have ended; tells of each in the calling thread."""


def engine(on: str, *, threads: int | None) -> Engine:
    """The engine of that name or address."""
    if on == "local":
        from dupack.engines.local import Local

        return Local(threads)
    if on == "ray" or on.startswith(("ray://", "ray:")):
        if threads is not None:
            raise RequestError("--threads is for --on local; a cluster decides itself how much it does at once")
        from dupack.engines.ray import Ray

        return Ray(on)
    raise RequestError(f'--on {on}: unknown; write "local", "ray" or the address of a Ray cluster, "ray://HOST:PORT"')
