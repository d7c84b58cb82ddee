"""The package, as a program calls it."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import pytest

import dupack
from conftest import PLAN
from dupack import _native
from dupack.words import number, with_half


def test_a_plan_is_read_and_run(plan: Path) -> None:
    read = dupack.read_plan(plan, sets=["duration=1 s"])
    assert (read.title, read.seeds, read.points) == ("Two senders, one queue", [1], [{}])
    document = dupack.run(read, seeds=[4, 5], threads=2)
    assert [run["seed"] for run in document["runs"]] == [4, 5]
    assert document["duration_s"] == 1.0


def test_equal_experiments_have_equal_keys() -> None:
    def key(text: str, *sets: str) -> str:
        return dupack.Plan(text.encode(), "plan", list(sets)).key(0)

    assert key(PLAN) == key(PLAN.replace("Two senders", "Other words"), "seed=9")
    assert key(PLAN) == key(PLAN, "link.access.rate=10000 kb/s")
    assert key(PLAN) != key(PLAN, "link.access.rate=11 Mb/s")


def test_errors_are_one_family_with_the_texts_of_the_command(plan: Path) -> None:
    with pytest.raises(dupack.PlanError, match=r"link\.bottleneck\.queue\.kind: unknown"):
        dupack.read_plan(plan, sets=["link.bottleneck.queue.kind=epdd"])
    with pytest.raises(dupack.Error, match="the plan cannot be read"):
        dupack.read_plan(plan.with_name("none.toml"))
    for error in (dupack.PlanError, dupack.RunError, dupack.OutputError, dupack.RequestError, dupack.MissingError):
        assert issubclass(error, dupack.Error)


def test_what_done_raises_ends_the_work(plan: Path) -> None:
    read = dupack.read_plan(plan)
    seen = []

    def done(index: int, run: dupack.Run) -> None:
        seen.append(index)
        raise KeyError("enough")

    from dupack.work import jobs_of

    with pytest.raises(KeyError, match="enough"):
        dupack.run_jobs(jobs_of(read, range(1, 1000)), threads=2, done=done)
    assert len(seen) == 1


def test_mean_and_interval() -> None:
    assert dupack.mean_ci95([3.0]) == (3.0, None)
    mean, half = dupack.mean_ci95([1.0, 2.0, 3.0])
    assert mean == 2.0
    assert half is not None
    assert math.isclose(half, 4.302653 / math.sqrt(3), rel_tol=1e-6)


def test_batch_means_are_those_of_the_paper() -> None:
    assert dupack.batch_means([3.0]) == (3.0, None)
    mean, half = dupack.batch_means([1.0, 2.0, 3.0])
    assert mean == 2.0
    assert half is not None
    assert math.isclose(half, 1.96 / math.sqrt(3))


def test_closed_forms_by_their_names() -> None:
    assert math.isclose(_native.nominal_load(on=0.1, round_trip=0.05, off=_native.off_time(0.25, 0.1, 0.05)), 0.25)
    assert _native.packets_lost_per_loss_event(100.0) == 1250.0
    assert math.isclose(_native.tcp_goodput_loss(r=0.01, w=100.0), 25.0)
    assert math.isclose(_native.tcp_goodput(r=0.01, w=100.0), -24.0)
    assert math.isclose(_native.potential_goodput(0.05), 0.9025)
    assert math.isclose(_native.mean_good_run(r=0.01, mean_burst=5.0), 495.0)
    assert _native.least_error_control_window(x=3, w=100.0) == 400.0


def test_the_stub_names_what_the_module_has() -> None:
    stub = ast.parse(Path(_native.__file__).with_name("_native.pyi").read_text())
    told = set()
    for node in stub.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            told.add(node.name)
            members = (
                {one.name for one in node.body if isinstance(one, ast.FunctionDef)} if node.name == "Plan" else set()
            )
            assert members - {"__new__"} <= set(dir(getattr(_native, node.name))), node.name
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            told.add(node.target.id)
    public = {name for name in dir(_native) if not name.startswith("__")}
    assert {name for name in told if not name.startswith("__")} == public


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (0.006843, 0.0723, "0.007 ± 0.072"),
        (-0.00001, 0.00034, "-0.00001 ± 0.00034"),
        (-0.00001, 0.034, "0.000 ± 0.034"),
        (163876.4, 213.7, "163,876 ± 214"),
        (0.5, 0.0, "0.5"),
    ],
)
def test_a_mean_has_as_many_digits_as_its_interval_leaves_it(value: float, half: float, text: str) -> None:
    assert with_half(value, half) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(18, "18"), (0.741, "0.741"), (0.8122, "0.8122"), (1.0, "1"), (12345.6, "12,346"), (0.0000123, "0.000012")],
)
def test_numbers_are_written_as_people_do(value: float, text: str) -> None:
    assert number(value) == text
