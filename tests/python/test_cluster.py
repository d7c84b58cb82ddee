"""``dupack sweep --on ray:...``: a cluster of two workers on this machine, one of which is killed."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from conftest import DUPACK, dupack_in, of_json
from test_sweep import SWEEP, begin, content, journal, until

# These are not among the tests of every change: on a busy machine, Ray's own processes start late or not at all.
pytestmark = pytest.mark.cluster

# Ray waits only seconds for its own processes, which take longer to start on a busy machine.
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_agent_register_timeout_ms": "300000",
    "RAY_raylet_start_wait_time_s": "300",
    "RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": "120",
    # This is the default on Windows and macOS: Ray keeps 127.0.0.1, and does not use the machine's outer address.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
}
STAGES = ("import", "read the plan", "begin the runs", "end the runs", "answer")
"""What a worker does for a task, in order."""

DIES = """
import importlib.abc, importlib.machinery, os, signal, sys
from pathlib import Path

def dies(stage):
    # One worker, once: the file of the stage is there until somebody has taken it.
    try:
        os.unlink(Path(os.environ["DUPACK_DIES"], stage))
    except OSError:
        return
    os.kill(os.getpid(), signal.SIGKILL)

class Native:
    def __init__(self, native):
        self.native = native
    def __getattr__(self, name):
        return getattr(self.native, name)
    def run_all(self, *given, **named):
        dies("begin the runs")
        self.native.run_all(*given, **named)
        dies("end the runs")

class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name != "dupack.engines.ray" or not any("default_worker" in word for word in sys.orig_argv):
            return None
        self.found = importlib.machinery.PathFinder.find_spec(name, path)
        return importlib.machinery.ModuleSpec(name, self, origin=self.found.origin)
    def exec_module(self, module):
        dies("import")
        module.__file__ = self.found.origin
        self.found.loader.exec_module(module)
        plan, do = module._plan, module.do
        def reads(*given):
            dies("read the plan")
            return plan(*given)
        def answers(*given):
            told = do(*given)
            dies("answer")
            return told
        module._plan, module._native, module.do = reads, Native(module._native), answers

sys.meta_path.insert(0, Finder())
"""
"""A ``sitecustomize`` by which a worker of Ray kills itself at a stage."""

SLOW = ("--set", "duration=60 s", "--seeds", "1..20")
"""Sixty runs of some tenths of a second."""


def ports(n: int) -> list[int]:
    """Free ones."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Cluster:
    """A head that does no work, and two workers with a processor each, all on the loopback interface."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster as Ray

        self.client = ports(1)[0]
        self._ray = Ray()
        self._start(self._node(0) | {"ray_client_server_port": self.client})
        self.workers = [self._start(self._node(1)) for _ in range(2)]
        self.address = self._ray.address

    def _start(self, arguments: dict[str, Any]) -> Any:
        # Reading Ray from the disk for the first time may take longer than its time limit, so it is tried again.
        for _ in range(4):
            with suppress(Exception):
                return self._ray.add_node(**arguments)
        return self._ray.add_node(**arguments)

    def _node(self, cpus: int) -> dict[str, Any]:
        names = ("metrics_agent_port", "runtime_env_agent_port", "dashboard_agent_listen_port", "metrics_export_port")
        fixed = dict(zip(names, ports(len(names)), strict=True))
        return {"num_cpus": cpus, "node_ip_address": "127.0.0.1", "include_dashboard": False, **fixed}

    def kill_node(self, worker: int) -> None:
        """Kills the node, like a power failure."""
        self._ray.remove_node(self.workers[worker], allow_graceful=False)

    def kill_process(self, worker: int) -> bool:
        """Kills what does a run on this worker just now, if anything does."""
        raylet = self.workers[worker].all_processes["raylet"][0].process.pid
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, ValueError):
                parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == raylet and (path / "cmdline").read_bytes().startswith(b"ray::do"):
                    os.kill(int(path.name), signal.SIGKILL)
                    return True
        return False

    def stop(self) -> None:
        """Ends all of it."""
        self._ray.shutdown()


@pytest.fixture(scope="module")
def dies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file in it with the name of a stage kills the first worker that comes to this stage."""
    place = tmp_path_factory.mktemp("dies")
    (place / "sitecustomize.py").write_text(DIES)
    return place


@pytest.fixture(scope="module")
def cluster(dies: Path) -> Iterator[Cluster]:
    """A cluster. Tests that kill a part of it stand last."""
    pytest.importorskip("ray", reason="the extra cluster is not installed")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in SETTINGS.items():
            patch.setenv(name, value)
        patch.setenv("PYTHONPATH", str(dies))
        patch.setenv("DUPACK_DIES", str(dies))
        made = Cluster()
        try:
            yield made
        finally:
            made.stop()


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """The same as in the tests of sweeps."""
    path = tmp_path / "plan.toml"
    path.write_text(SWEEP)
    return path


# The first, because a worker imports once.
@pytest.mark.parametrize("stage", STAGES)
def test_a_worker_that_dies_at_a_stage_loses_nothing(
    cluster: Cluster, dies: Path, plan: Path, tmp_path: Path, stage: str
) -> None:
    (dies / stage).touch()
    process = begin(plan, "--on", f"ray:{cluster.address}", "--out", "far", "--json")
    output, errors = process.communicate(timeout=300)
    assert (process.returncode, errors) == (0, "")
    assert not (dies / stage).exists(), "no worker has died"
    told = of_json(subprocess.CompletedProcess([], 0, output, errors))
    assert (told["ran"], told["finished"], told["failed"]) == (12, 12, 0)
    assert dupack_in(tmp_path, "sweep", plan, "--out", "near").returncode == 0
    assert content(tmp_path / "far") == content(tmp_path / "near")


def test_interrupted_on_a_cluster_it_goes_on_at_home(cluster: Cluster, plan: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    process = begin(plan, *SLOW, "--on", f"ray:{cluster.address}")
    until(lambda: len(journal(store)) >= 5)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, "")
    assert errors.startswith("interrupted: ")
    assert errors.endswith(" of 60 runs are stored in store; the same command resumes the sweep\n")
    had = int(errors.split()[1])
    assert of_json(dupack_in(tmp_path, "sweep", plan, *SLOW, "--json"))["ran"] == 60 - had


def test_readings_are_searched_on_a_cluster(cluster: Cluster, tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "docs/howto/paper/fall-floyd-1996"
    shutil.copytree(example, tmp_path / example.name, ignore=shutil.ignore_patterns("__pycache__"))
    found = {}
    for name, words in (("far", ["--on", f"ray:{cluster.address}"]), ("near", [])):
        asked = ["readings", f"./{example.name}", "--quick", "--json", "--out", name]
        found[name] = of_json(dupack_in(tmp_path, *asked, *words))
    # All but what it took.
    assert all(of["screening"].pop("cpu_s") >= 0 for of in found.values())
    assert found["far"]["readings"]
    assert found["far"] == found["near"]


def test_no_cluster_is_told_in_words(plan: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="the extra cluster is not installed")
    port = ports(1)[0]
    for on, error in [
        (f"ray:127.0.0.1:{port}", "no Ray cluster answers: connection refused"),
        (f"ray://127.0.0.1:{port}", "no Ray cluster answers: connection refused"),
        ("ray:nonsense", "not the address of a Ray cluster; write HOST:PORT"),
    ]:
        words = [str(DUPACK), "sweep", str(plan), "--on", on]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=200, check=False)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"--on {on}: {error}; nothing was run\n"


def test_killed_workers_lose_nothing_and_the_store_is_that_of_one_machine(
    cluster: Cluster, plan: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    process = begin(plan, *SLOW, "--on", f"ray:{cluster.address}", "--json")
    until(lambda: len(journal(store)) >= 5)
    until(lambda: cluster.kill_process(0))
    had = len(journal(store))
    until(lambda: len(journal(store)) >= had + 5)
    cluster.kill_node(1)
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    assert errors == ""
    told = of_json(subprocess.CompletedProcess([], 0, output, errors))
    assert (told["ran"], told["finished"], told["failed"]) == (60, 60, 0)
    assert dupack_in(tmp_path, "sweep", plan, *SLOW, "--out", "local").returncode == 0
    assert content(store) == content(tmp_path / "local")
    # The rest of the cluster runs another sweep, this time for a client outside it.
    process = begin(plan, "--on", f"ray://127.0.0.1:{cluster.client}", "--out", "far")
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    assert dupack_in(tmp_path, "sweep", plan, "--out", "near").returncode == 0
    assert content(tmp_path / "far") == content(tmp_path / "near")
