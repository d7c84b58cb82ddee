"""A Ray cluster. Ray gives a task of a worker that dies to another; a run is done whole or not at all."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dupack import _native
from dupack.engines import Done, Failed, Next
from dupack.errors import MissingError, RequestError, RunError
from dupack.files import why
from dupack.work import Plan

TASK_S = 0.5
"""Short runs are handed out together, about so many seconds of them: a task costs Ray some milliseconds."""
MOST = 256
RETRIES = 3
"""So often a task is tried again whose worker has died."""

Told = tuple[str | None, str]
"""A run's document, or None and why it failed."""


class Ray:
    """A cluster; ``on`` is "ray" for the one that this machine belongs to, "ray:HOST:PORT" or "ray://HOST:PORT"."""

    def __init__(self, on: str) -> None:
        if find_spec("ray") is None:
            raise MissingError("--on ray needs Ray: install dupack[cluster]; nothing was run")
        self.on = on
        self.address = "auto" if on == "ray" else on if on.startswith("ray://") else on.removeprefix("ray:")

    def _knock(self) -> None:
        """Whether anybody is there: Ray would try for minutes, and say why not in its own way."""
        if self.address == "auto":
            return
        host, colon, port = self.address.removeprefix("ray://").rpartition(":")
        if not (host and colon and port.isdigit()):
            raise RequestError(f"--on {self.on}: no address of a Ray cluster; write HOST:PORT; nothing was run")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
        except (OSError, OverflowError) as error:
            said = why(error) if isinstance(error, OSError) else str(error)
            raise RequestError(f"--on {self.on}: no Ray cluster answers: {said}; nothing was run") from error

    def run(self, give: Next, done: Done, failed: Failed) -> None:
        """See `dupack.engines.Engine`."""
        self._knock()
        with self._connected() as ray:
            _Work(ray, give, done, failed).run()

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        # Read when Ray is imported: it would report to its makers, and warn of what does not concern us.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        # Each takes some fifteen seconds; twenty of them look like a command that hangs.
        os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", "2")
        import ray

        try:
            ray.init(address=self.address, log_to_driver=False, logging_level=logging.CRITICAL)
        except (ConnectionError, ValueError, RuntimeError) as error:
            said = str(error).strip().splitlines()[0]
            raise RequestError(f"--on {self.on}: no Ray cluster answers: {said}; nothing was run") from error
        try:
            # Ray tells of dead workers where the results go.
            with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
                yield ray
        finally:
            with suppress(Exception):
                ray.shutdown()


class _Work:
    """The tasks of one sweep."""

    def __init__(self, ray: Any, give: Next, done: Done, failed: Failed) -> None:
        self.ray, self.give, self.done, self.failed = ray, give, done, failed
        self.task = ray.remote(max_retries=RETRIES)(do)
        self.plans: dict[int, Any] = {}
        self.pending: dict[Any, list[int]] = {}
        self.each_s = TASK_S
        """A run takes about so long."""

    def run(self) -> None:
        """Hands out, and takes in, until nothing is left."""
        try:
            while True:
                # Two tasks per worker: one that it does, one that waits. The cluster may have grown.
                room = 2 * max(int(self.ray.cluster_resources().get("CPU", 0)), 1)
                while len(self.pending) < room and self._hand_out():
                    pass
                if not self.pending:
                    return
                ended, _ = self.ray.wait(list(self.pending), num_returns=1, timeout=1.0)
                for task in ended:
                    self._take_in(task)
        except ConnectionError as error:
            raise RunError(f"the cluster is gone: {error}; what had finished stands") from error
        finally:
            for task in self.pending:
                with suppress(Exception):
                    self.ray.cancel(task, force=True)

    def _hand_out(self) -> bool:
        slots, jobs, plan = [], [], None
        for _ in range(max(1, min(MOST, int(TASK_S / max(self.each_s, 1e-6))))):
            found = self.give()
            if found is None:
                break
            slot, job = found
            slots.append(slot)
            jobs.append((job.point, job.seed, _experiment(job.plan, job.point)))
            plan = job.plan
        if plan is None:
            return False
        if id(plan) not in self.plans:
            self.plans[id(plan)] = self.ray.put((plan.text, plan.origin, tuple(plan.sets)))
        self.pending[self.task.remote(self.plans[id(plan)], jobs, _native.__build__)] = slots
        return True

    def _take_in(self, task: Any) -> None:
        from ray import exceptions

        slots = self.pending.pop(task)
        try:
            told: list[Told] = self.ray.get(task)
        except exceptions.RayTaskError as error:
            # What our own code raises holds for all: another program, a broken installation.
            raise RunError(f"a worker of the cluster cannot run this: {error.cause or error}") from error
        except exceptions.RayError as error:
            said = str(error).strip().splitlines()[0]
            told = [(None, f"its worker died {RETRIES + 1} times: {said}")] * len(slots)
        for slot, (document, said) in zip(slots, told, strict=True):
            if document is None:
                self.failed(slot, said)
            else:
                self.each_s += (json.loads(document)["cpu_s"] - self.each_s) / 8
                self.done(slot, document)


def do(plan: tuple[bytes, str, tuple[str, ...]], jobs: list[tuple[int, int, str]], build: str) -> list[Told]:
    """On a worker: runs of a plan."""
    if build != _native.__build__:
        raise RunError(f"it has dupack {_native.__build__}, and the sweep is of {build}")
    read = _plan(*plan)
    for point, _, experiment in jobs:
        if _experiment(read, point) != experiment:
            raise RunError(f"the files that {plan[1]} names are others there")
    given = iter(jobs)
    told: list[Told] = [(None, "")] * len(jobs)

    def next_job() -> tuple[Plan, int, int] | None:
        job = next(given, None)
        return None if job is None else (read, *job[:2])

    def done(number: int, document: str, _: str | None) -> None:
        told[number] = (document, "")

    def failed(number: int, why: str) -> None:
        told[number] = (None, why)

    _native.run_all(next_job, 1, False, done, failed)
    return told


@lru_cache(maxsize=256)
def _experiment(plan: Plan, point: int) -> str:
    """What is simulated, files that the plan names included."""
    return hashlib.sha256(plan.key(point).encode()).hexdigest()


@lru_cache(maxsize=4)
def _plan(text: bytes, origin: str, sets: tuple[str, ...]) -> Plan:
    return Plan(text, origin, list(sets))
