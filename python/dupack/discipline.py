"""Disciplines written in Python: for trying an idea before it is written in Rust."""

from __future__ import annotations

import copy
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Literal

from dupack import _native
from dupack._native import Book, Unit
from dupack.errors import LawError


class Discipline(ABC):
    """A buffer with a policy; subclass it, and write `offer` and `pull`.

    It stands wherever a `dupack.queue` does, and what is made is a pattern: every queue of every run begins with a copy
    of it. The simulator keeps the account. While a unit waits, `pull` must give one, or `ready_at` say when it will;
    each is sent or dropped once.

    It is slow: see `docs/python.md` for how slow. `conformance` tries it as those in Rust are tried.

    >>> import dupack as dk
    >>> class DropFront(dk.Discipline):
    ...     '''A packet that finds the buffer full pushes out the one that has waited longest.'''
    ...     def __init__(self, room):
    ...         self.room = room
    ...         self.waiting = []
    ...     def offer(self, now, unit, book):
    ...         if len(self.waiting) == self.room:
    ...             book.drop(self.waiting.pop(0), "pushed-out")
    ...         self.waiting.append(unit)
    ...     def pull(self, now, book):
    ...         return self.waiting.pop(0) if self.waiting else None
    >>> dk.conformance(DropFront(room=5))
    >>> net = dk.dumbbell(senders=2, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms", queue=DropFront(room=20))
    >>> net.run(duration="1 s").links.row(4, named=True)["queue"]
    'DropFront'
    """

    room: int | None = None
    """The most units that may wait: more are an error. None for no limit."""
    rate: float
    """Of the line [bit/s]; set before `start`."""
    random: random.Random
    """Its own random numbers, from the seed of the run and the name of the link; set before `start`."""

    @property
    def label(self) -> str:
        """What tables, figures and plans call it."""
        return type(self).__name__

    def start(self) -> None:  # noqa: B027 - nothing need be done
        """The queue comes into being: before the first unit, when `rate` and `random` are known."""

    @abstractmethod
    def offer(self, now: int, unit: Unit, book: Book) -> None:
        """A unit arrives at ``now`` [ps]: keep it, or drop it, or others, into the ``book``."""

    @abstractmethod
    def pull(self, now: int, book: Book) -> Unit | None:
        """The line takes a unit at ``now`` [ps]: the one to be sent, or None if none waits or it holds all back."""

    def ready_at(self, now: int) -> int | None:
        """`pull` has given None at ``now`` [ps] though units wait: the later time [ps] at which it will give one.

        For a discipline that holds units back while the line is idle, such as a shaper. It is asked again then, and
        after each arrival before then. One that holds nothing back has no need of it.
        """
        return None

    def begun(self, rate: float, seed: int) -> Discipline:
        """A copy at the beginning of a run; the simulator calls it."""
        made = copy.deepcopy(self)
        made.rate = rate
        made.random = random.Random(seed)
        made.start()
        return made

    def __repr__(self) -> str:
        return self.label


def conformance(
    discipline: Discipline, *, cases: int = 200, seed: int = 1, carries: Literal["cells", "packets"] = "packets"
) -> None:
    """Tries a discipline with arrivals drawn at random, against the laws that hold for every discipline.

    After every step what was offered or minted is sent, dropped or waits; no more wait than its `room`; what is sent of
    a flow was offered in that order (but for what goes before data); nothing is kept back, but until `ready_at`; the
    same arrivals meet the same fates, however often an empty queue is asked for a unit. Steps are picoseconds to
    seconds apart, and half of the packets can be marked.

    Args:
        discipline: What is tried.
        cases: So many sequences of up to 200 steps.
        seed: Of the arrivals.
        carries: What arrives.

    Raises:
        LawError: A law was broken; the text is the shortest sequence found that breaks it.
    """
    told = _native.check_laws(discipline.label, discipline, cases, seed, carries == "packets")
    if told is not None:
        raise LawError(f"{discipline.label} breaks a law of disciplines:\n{told}")


def named(value: Any, externals: dict[str, Discipline], label: str = "") -> Any:
    """A plan's value in which every discipline of Python's is a table with its name, under which ``externals`` has it.

    Its name is its label, or the ``label`` given.
    """
    if isinstance(value, Discipline):
        label = label or value.label
        name, n = label, 1
        while externals.setdefault(name, value) is not value:
            n += 1
            name = f"{label}-{n}"
        return {"kind": "external", "name": name}
    if isinstance(value, dict):
        return {key: named(inner, externals) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [named(inner, externals, label) for inner, label in zip(value, _labels(value), strict=True)]
    return value


def _labels(values: Sequence[Any]) -> list[str]:
    """What tells apart the disciplines among the values of a sweep that have the same label: ``Mine (room 40)``."""
    alike: dict[str, list[Discipline]] = {}
    for value in values:
        if isinstance(value, Discipline):
            alike.setdefault(value.label, []).append(value)
    labels = []
    for value in values:
        mine = vars(value) if isinstance(value, Discipline) else {}
        others = [vars(one) for one in alike[value.label]] if mine else []
        differ = [
            f"{key} {told}"
            for key, told in mine.items()
            if not key.startswith("_")
            and isinstance(told, (bool, int, float, str))
            and any(other.get(key) != told for other in others)
        ]
        labels.append(f"{value.label} ({', '.join(differ)})" if differ else "")
    return labels
