"""Disciplines written in Python."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import dupack as dk
from conftest import steady


class DropTail(dk.Discipline):
    """Drops arrivals at a full buffer."""

    def __init__(self, room: int = 20) -> None:
        self.room = room
        self.waiting: list[dk.Unit] = []

    def offer(self, now: int, unit: dk.Unit, book: dk.Book) -> None:
        if len(self.waiting) == self.room:
            book.drop(unit)
        else:
            self.waiting.append(unit)

    def pull(self, now: int, book: dk.Book) -> dk.Unit | None:
        return self.waiting.pop(0) if self.waiting else None


class Trim(DropTail):
    """NDP's idea: what finds the buffer full is cut down to its header, which goes first."""

    def offer(self, now: int, unit: dk.Unit, book: dk.Book) -> None:
        if len(self.waiting) < self.room:
            self.waiting.append(unit)
        elif unit.bytes > 64:
            book.drop(self.waiting.pop(), "pushed-out")
            book.trim(unit, 64)
            self.waiting.insert(0, unit)
        else:
            book.drop(unit)


class Copies(DropTail):
    """A copy of the header goes ahead of whatever is long."""

    def offer(self, now: int, unit: dk.Unit, book: dk.Book) -> None:
        if len(self.waiting) + 1 < (self.room or 0) and unit.bytes > 500:
            self.waiting.append(book.mint(unit, 40))
        super().offer(now, unit, book)


class Coin(DropTail):
    """Every other unit is dropped, by chance."""

    def start(self) -> None:
        assert self.rate == 8e6

    def offer(self, now: int, unit: dk.Unit, book: dk.Book) -> None:
        if self.random.random() < 0.02:
            book.drop(unit, "early")
        else:
            super().offer(now, unit, book)


def run(queue: Any, carries: Any = "packets", duration: str = "2 s", **values: Any) -> dk.RunResult:
    net = dk.dumbbell(senders=3, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms", queue=queue, carries=carries)
    return net.run(duration=duration, **values)


def but_for_its_name(result: dk.RunResult) -> Any:
    document = steady(result.document)
    for link in document["links"]:
        link.pop("queue")
    return document


@pytest.mark.parametrize(
    ("carries", "room", "rust"),
    [
        ("packets", 20, dk.queue.drop_tail(buffer="20 packets")),
        ("cells", 100, dk.queue.plain(buffer="100 cells")),
    ],
)
def test_it_does_what_the_same_discipline_does_in_rust(carries: str, room: int, rust: dk.Queue) -> None:
    mine, its = run(DropTail(room), carries), run(rust, carries)
    assert mine.links["dropped"].sum() > 50
    assert but_for_its_name(mine) == but_for_its_name(its)
    assert mine.links.row(6, named=True)["queue"] == "DropTail"


def test_the_laws_hold_for_what_keeps_them() -> None:
    for discipline in (DropTail(5), Trim(5), Copies(5)):
        dk.conformance(discipline, cases=50)
    dk.conformance(DropTail(7), cases=50, carries="cells")


def test_trimmed_and_minted_units_are_accounted_for() -> None:
    trimmed = run(Trim(10), transport=dk.transport.nack()).links
    assert trimmed["trimmed"].sum() > 10
    minted = run(Copies(10)).links
    assert minted["minted"].sum() > 10
    for links in (trimmed, minted):
        inflow = links["offered"] + links["minted"]
        assert (inflow == links["sent"] + links["dropped"] + links["waiting"] + links["in_service"]).all()


def test_its_random_numbers_are_those_of_the_seed_and_the_link() -> None:
    assert but_for_its_name(run(Coin(), seed=4)) == but_for_its_name(run(Coin(), seed=4))
    assert but_for_its_name(run(Coin(), seed=4)) != but_for_its_name(run(Coin(), seed=5))
    assert run(Coin()).links["dropped_early"].sum() > 10


def test_every_queue_begins_with_a_copy() -> None:
    pattern = DropTail(20)
    assert but_for_its_name(run(pattern)) == but_for_its_name(run(pattern))
    assert pattern.waiting == []


def test_a_sweep_over_disciplines_of_either_kind() -> None:
    net = dk.dumbbell(senders=3, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms")
    queues = [
        DropTail(20),
        DropTail(5),
        dk.queue.drop_tail(buffer="20 packets"),
        dk.queue.drop_tail(buffer="5 packets"),
    ]
    result = dk.sweep(net, {"link.bottleneck.queue": queues}, seeds=2, duration="1 s", threads=2)
    mine = result.points["goodput_bps"].to_list()
    assert mine[:2] == mine[2:]
    assert mine[0] != mine[1]
    names = ["DropTail (room 20)", "DropTail (room 5)", "drop-tail (buffer 20 packets)", "drop-tail (buffer 5 packets)"]
    assert result.points["link.bottleneck.queue"].to_list() == names


class KeepsBack(DropTail):
    def pull(self, now: int, book: dk.Book) -> dk.Unit | None:
        return super().pull(now, book) if len(self.waiting) > 1 else None


class Forgets(DropTail):
    def offer(self, now: int, unit: dk.Unit, book: dk.Book) -> None:
        if len(self.waiting) < (self.room or 0):
            self.waiting.append(unit)


class Twice(DropTail):
    def pull(self, now: int, book: dk.Book) -> dk.Unit | None:
        return self.waiting[0] if self.waiting else None


class Reorders(DropTail):
    def pull(self, now: int, book: dk.Book) -> dk.Unit | None:
        return self.waiting.pop() if self.waiting else None


class Overfull(DropTail):
    def offer(self, now: int, unit: dk.Unit, book: dk.Book) -> None:
        self.waiting.append(unit)


class Fickle(DropTail):
    calls = 0

    def offer(self, now: int, unit: dk.Unit, book: dk.Book) -> None:
        type(self).calls += 1
        if self.calls % 7 == 0:
            book.drop(unit, "early")
        else:
            super().offer(now, unit, book)


class Raises(DropTail):
    def offer(self, now: int, unit: dk.Unit, book: dk.Book) -> None:
        if now > 10:
            raise ZeroDivisionError("by nothing")
        super().offer(now, unit, book)


class Untyped(DropTail):
    def pull(self, now: int, book: dk.Book) -> Any:
        return "a unit" if super().pull(now, book) else None


class Cause(DropTail):
    def offer(self, now: int, unit: dk.Unit, book: dk.Book) -> None:
        book.drop(unit, "tired")


class Longer(DropTail):
    def offer(self, now: int, unit: dk.Unit, book: dk.Book) -> None:
        book.trim(unit, unit.bytes + 1)
        self.waiting.append(unit)


BREACHES: list[tuple[type[DropTail], str]] = [
    (KeepsBack, "pull gave nothing, but 1 units wait"),
    (Forgets, "3 units wait, but its room is 2"),
    (Twice, "does not wait here: it was sent or dropped before"),
    (Overfull, "3 units wait, but its room is 2"),
    (Raises, r"Raises\.offer at .* s: ZeroDivisionError: by nothing"),
    (Untyped, r"Untyped\.pull at .* s: TypeError: gave 'a unit', which is neither a unit nor None"),
    (Cause, r"ValueError: no cause \"tired\"; write one of overflow, early, partial, pushed-out"),
    (Longer, "was cut down to .*; write less"),
]


@pytest.mark.parametrize(("kind", "told"), BREACHES)
def test_whoever_breaks_a_law_is_told_in_a_run(kind: type[DropTail], told: str) -> None:
    with pytest.raises(dk.RunError, match=told):
        run(kind(2))


@pytest.mark.parametrize(
    ("kind", "told"), [*BREACHES, (Reorders, "the order of flow"), (Fickle, "the same arrivals met other fates")]
)
def test_whoever_breaks_a_law_is_found(kind: type[DropTail], told: str) -> None:
    with pytest.raises(dk.LawError, match=told):
        dk.conformance(kind(2))


def test_the_sequence_that_is_shown_is_as_short_as_can_be() -> None:
    with pytest.raises(dk.LawError) as error:
        dk.conformance(Overfull(2))
    lines = str(error.value).splitlines()
    assert lines[0] == "Overfull breaks a law of disciplines:"
    assert [line.split()[:2] for line in lines[1:-1]] == [["0", "offer"], ["1", "offer"], ["2", "offer"]]


def test_what_was_raised_is_the_cause() -> None:
    with pytest.raises(dk.RunError) as error:
        run(Raises())
    assert isinstance(error.value.__cause__, ZeroDivisionError)
    # A missing method is reported when the discipline is made, not in the middle of a run.
    with pytest.raises(TypeError, match=r"abstract .*offer.*pull"):
        type("Unwritten", (dk.Discipline,), {})()


def test_a_sweep_ends_with_what_one_run_raises() -> None:
    net = dk.dumbbell(senders=3, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms", queue=Raises())
    with pytest.raises(dk.RunError, match="ZeroDivisionError"):
        dk.sweep(net, {}, seeds=20, threads=2)


ENDLESS = """
import os, signal
import dupack as dk

class Endless(dk.Discipline):
    def offer(self, now, unit, book):
        os.kill(os.getpid(), signal.SIGINT)
        while True:
            pass
    def pull(self, now, book):
        return None

net = dk.dumbbell(senders=2, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms", queue=Endless())
vary = {{"link.bottleneck.delay": ["1 ms", "2 ms"]}}
try:
    {call}
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(
    "call",
    [
        "net.run(duration='1 s')",
        "net.run(duration='1 s', tape=True)",
        "dk.sweep(net, vary, seeds=2, threads=2)",
        "dk.compare(net, vary, seeds=2)",
        "dk.conformance(Endless())",
    ],
)
def test_ctrl_c_ends_an_endless_loop(call: str) -> None:
    # The loop itself presses Ctrl-C, so that it has begun for sure.
    code = ENDLESS.format(call=call)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_after_ctrl_c_nothing_is_left_of_it() -> None:
    code = ENDLESS.format(call=BEFORE_THE_NEXT)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr) == ("True\n", "")


BEFORE_THE_NEXT = """plan, _ = net.read(duration="1 s")
    for _ in range(2):
        try:
            dk._native.run_one(plan, 0, 1, False)
        except KeyboardInterrupt:
            pass
    Endless.offer = lambda self, now, unit, book: book.drop(unit)
    print(len(dk._native.run_one(plan, 0, 1, False)[0]) > 0)"""


def test_cells_cannot_be_cut() -> None:
    with pytest.raises(dk.RunError, match="cells cannot be cut"):
        run(Longer(), "cells")


def test_its_plan_says_what_it_is_and_runs_from_python_only(tmp_path: Any, dupack: Any) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(run(DropTail()).plan)
    assert 'queue = { kind = "external", name = "DropTail" }' in plan.read_text()
    done = dupack("run", plan)
    assert done.returncode == 2
    assert 'link.bottleneck.queue: there is no discipline "DropTail"' in done.stderr
