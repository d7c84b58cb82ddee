"""Runs on several threads: how many each may have, and that they change nothing. More about it is tested in Rust."""

from __future__ import annotations

from typing import Any

import pytest

from dupack import Plan, memory, run_jobs
from dupack.work import Run, jobs_of

TREE = """
duration = "4 ms"
routing = "ecmp"
[topology]
kind = "fat-tree"
k = 16
carries = "packets"
queue = { kind = "drop-tail", buffer = "50 packets" }
access = { rate = "1 Gb/s", delay = "5 us" }
[[flow]]
name = "long"
from = "host"
to = "host"
pairs = "permutation"
traffic = { kind = "greedy" }
transport = { kind = "sack", mss = "1448 B", initial_window = "10 segments" }
"""


def plan(*sets: str) -> Plan:
    return Plan(TREE.encode(), "tree", list(sets))


def test_threads_do_not_change_the_results() -> None:
    tree = plan('duration = "20 ms"')
    assert tree.divided(0, 1, 2)[::2] == (2, None)
    told: dict[int, dict[str, Any]] = {}
    for each in (1, 2):

        def done(_: int, run: Run, each: int = each) -> None:
            told[each] = {key: value for key, value in run.document.items() if key != "cpu_s"}

        run_jobs(jobs_of(tree, [1]), threads=1, each=each, done=done)
    assert told[1] == told[2]


def test_what_is_not_divided_says_why() -> None:
    parts, gain, why = plan('topology.access.delay = "0.001 us"').divided(0, 1, 2)
    assert (parts, gain) == (1, 1.0)
    assert why is not None
    assert "is not worth it" in why


@pytest.mark.parametrize(("cores", "jobs", "threads", "each"), [
    (8, 1, None, 8),
    (8, 3, None, 2),
    (8, 5, None, 1),
    (8, 1, 4, 4),
    (8, 1, 64, 8),
    (1, 1, 64, 1),
    (8, 100, None, 1),
])  # fmt: skip
def test_threads_are_shared_among_runs(
    monkeypatch: pytest.MonkeyPatch, cores: int, jobs: int, threads: int | None, each: int
) -> None:
    monkeypatch.setattr(memory, "cores", lambda: cores)
    limit = memory.Limit(64e9, "64 GB")
    assert limit.threads_for_each(plan(), "run", jobs, threads) == each


def test_a_run_has_as_many_parts_as_the_memory_suffices_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "cores", lambda: 64)
    tree = plan()
    needs = [memory.estimate(tree, "run", 1, None, parts=parts).total for parts in (1, 16, 32)]
    assert needs == sorted(set(needs))
    for size, each in ((needs[2], 32), (needs[1], 16), (needs[0], 1), (0, 1)):
        assert memory.Limit(size, "a limit").threads_for_each(tree, "run", 1, None) == each
