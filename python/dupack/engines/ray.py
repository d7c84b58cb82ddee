"""The engine for Ray clusters. If a worker dies, Ray gives its task to another; no run is ever partial."""

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
from dupack.work import Job, Plan

TASK_S = 0.5
"""Duration of a task [s]; short runs share one, since a task costs Ray some milliseconds."""
MOST = 256
RETRIES = 3
"""Retries of a task whose worker has died."""

Told = tuple[str | None, str]
"""A run's document, or None and the reason why it failed."""


class Ray:
    """A cluster; ``on`` is "ray" (the one that this machine belongs to), "ray:HOST:PORT" or "ray://HOST:PORT"."""

    def __init__(self, on: str) -> None:
        if find_spec("ray") is None:
            raise MissingError("--on ray: Ray is not installed; install dupack[cluster]; nothing was run")
        self.on = on
        self.address = "auto" if on == "ray" else on if on.startswith("ray://") else on.removeprefix("ray:")

    def _knock(self) -> None:
        """Checks that the address answers: Ray would try for minutes, and has its own messages."""
        if self.address == "auto":
            return
        host, colon, port = self.address.removeprefix("ray://").rpartition(":")
        if not (host and colon and port.isdigit()):
            raise RequestError(f"--on {self.on}: not the address of a Ray cluster; write HOST:PORT; nothing was run")
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
        # Ray reads these when it is imported; they turn off its usage reports and irrelevant warnings.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        # Each attempt takes about fifteen seconds; twenty of them would look like a hang.
        os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", "2")
        import ray

        try:
            ray.init(address=self.address, log_to_driver=False, logging_level=logging.CRITICAL)
        except (ConnectionError, ValueError, RuntimeError) as error:
            said = str(error).strip().splitlines()[0]
            raise RequestError(f"--on {self.on}: no Ray cluster answers: {said}; nothing was run") from error
        try:
            # Ray reports dead workers on standard output, where the results go.
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
        self.plans: dict[int, tuple[Plan, Any]] = {}
        """The plans that the cluster has, by identity; a plan that is kept keeps its identity."""
        self.held: tuple[int, Job] | None = None
        """A job of another plan than those before it, for the next task."""
        self.pending: dict[Any, list[int]] = {}
        self.each_s = TASK_S
        """Estimated duration of a run."""

    def run(self) -> None:
        """Submits tasks and collects results until none are left."""
        try:
            while True:
                # Two tasks per worker: one in progress, one waiting. The cluster may have grown.
                room = 2 * max(int(self.ray.cluster_resources().get("CPU", 0)), 1)
                while len(self.pending) < room and self._hand_out():
                    pass
                if not self.pending:
                    return
                ended, _ = self.ray.wait(list(self.pending), num_returns=1, timeout=1.0)
                for task in ended:
                    self._take_in(task)
        except ConnectionError as error:
            raise RunError(f"the connection to the cluster is lost: {error}; finished runs are stored") from error
        finally:
            for task in self.pending:
                with suppress(Exception):
                    self.ray.cancel(task, force=True)

    def _hand_out(self) -> bool:
        slots, jobs, plan = [], [], None
        for _ in range(max(1, min(MOST, int(TASK_S / max(self.each_s, 1e-6))))):
            found, self.held = self.held or self.give(), None
            if found is None:
                break
            slot, job = found
            if plan is not None and job.plan is not plan:
                self.held = found
                break
            slots.append(slot)
            jobs.append((job.point, job.seed, _experiment(job.plan, job.point)))
            plan = job.plan
        if plan is None:
            return False
        if id(plan) not in self.plans:
            self.plans[id(plan)] = plan, self.ray.put((plan.text, plan.origin, tuple(plan.sets)))
        self.pending[self.task.remote(self.plans[id(plan)][1], jobs, _native.__build__)] = slots
        return True

    def _take_in(self, task: Any) -> None:
        from ray import exceptions

        slots = self.pending.pop(task)
        try:
            told: list[Told] = self.ray.get(task)
        except exceptions.RayTaskError as error:
            # An error in our own code affects all runs: another version, a broken installation.
            raise RunError(f"a worker of the cluster cannot run the sweep: {error.cause or error}") from error
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
    """Simulates runs of a plan, on a worker."""
    if build != _native.__build__:
        raise RunError(f"it has dupack {_native.__build__}; the sweep needs {build}")
    read = _plan(*plan)
    for point, _, experiment in jobs:
        if _experiment(read, point) != experiment:
            raise RunError(f"files that {plan[1]} names differ on the worker")
    given = iter(jobs)
    told: list[Told] = [(None, "")] * len(jobs)

    def next_job() -> tuple[Plan, int, int] | None:
        job = next(given, None)
        return None if job is None else (read, *job[:2])

    def done(number: int, document: str, _: str | None) -> None:
        told[number] = (document, "")

    def failed(number: int, why: str) -> None:
        told[number] = (None, why)

    _native.run_all(next_job, 1, False, done, failed, connections=True)
    return told


@lru_cache(maxsize=256)
def _experiment(plan: Plan, point: int) -> str:
    """All that is simulated, including the files that the plan names."""
    return hashlib.sha256(plan.key(point).encode()).hexdigest()


@lru_cache(maxsize=4)
def _plan(text: bytes, origin: str, sets: tuple[str, ...]) -> Plan:
    return Plan(text, origin, list(sets))
