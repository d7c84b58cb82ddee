"""Queue disciplines in Python, to try an idea before it is written in Rust; tests of these and of controllers."""

from __future__ import annotations

import copy
import hashlib
import inspect
import pickle
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from dupack import _native
from dupack._native import Book, Unit
from dupack.controller import Controller
from dupack.errors import LawError, RequestError


class Discipline(ABC):
    """A queue discipline: a subclass implements `offer` and `pull`.

    An instance can be used wherever a `dupack.queue` can. It is a template: every queue of every run starts as a copy
    of it. The simulator checks the accounts: while units wait, `pull` must return one, or `ready_at` must say when it
    will; every unit is sent or dropped exactly once.

    Ctrl-C raises ``KeyboardInterrupt`` in its methods, so that it ends even an endless loop. It cannot end a method
    that catches ``BaseException`` in the loop, or that waits inside a function written in C.

    It is slow; `docs/python.md` has numbers. `conformance` tests it in the same way as the disciplines in Rust.

    >>> import dupack as dk
    >>> class DropFront(dk.Discipline):
    ...     '''When the buffer is full, an arriving packet pushes out the one that has waited longest.'''
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
    """Largest backlog [units]; more is an error. None for no limit."""
    rate: float
    """Rate of the link [bit/s]; set before `start`."""
    random: random.Random
    """Random numbers of this queue, seeded by the run's seed and the link's name; set before `start`."""

    @property
    def label(self) -> str:
        """Name in tables, figures and plans."""
        return type(self).__name__

    def start(self) -> None:  # noqa: B027 - may stay empty
        """Called once before the first unit, when `rate` and `random` are known."""

    @abstractmethod
    def offer(self, now: int, unit: Unit, book: Book) -> None:
        """Called when a unit arrives at ``now`` [ps]: keep it or drop it; drops of any unit go through ``book``."""

    @abstractmethod
    def pull(self, now: int, book: Book) -> Unit | None:
        """Returns the unit to send at ``now`` [ps]; None if none waits, or if all are held back."""

    def ready_at(self, now: int) -> int | None:
        """Returns the later time [ps] at which `pull` will return a unit, when it returned None with units waiting.

        Only a discipline that holds units back on an idle link, such as a shaper, needs it. The simulator calls `pull`
        again at that time, and after each arrival before it.
        """
        return None

    def begun(self, rate: float, seed: int) -> Discipline:
        """A copy for the beginning of a run; called by the simulator."""
        made = copy.deepcopy(self)
        made.rate = rate
        made.random = random.Random(seed)
        made.start()
        return made

    def __repr__(self) -> str:
        return self.label


External = Discipline | Controller
"""A part of a plan written in Python."""


def conformance(
    part: External, *, cases: int = 200, seed: int = 1, carries: Literal["cells", "packets"] = "packets"
) -> None:
    """Tests a discipline or a controller with random events against the laws that hold for every one.

    The laws of disciplines, after every step: each unit that was offered or minted has been sent or dropped, or
    waits; at most `room` units wait; the units of a flow are sent in the order in which they were offered (except
    units that go before data); no unit is held back, except until `ready_at`; equal arrivals have equal outcomes,
    however often `pull` is called on an empty queue. Steps are picoseconds to seconds apart, and half of the packets
    are ECN-capable.

    The laws of controllers: windows are finite and at least one segment, pacing rates are above zero; after a loss
    and its repair the window is smaller than before, or at most two segments (not with ``answer = "stays"``); after
    four timeouts in a row without an ack it is at most four segments; on a path without losses all segments are
    delivered in the end; equal events have equal outcomes. Segments and acks arrive, with or without a mark, or are
    lost, and up to minutes pass without an ack.

    Args:
        part: The discipline or controller to test.
        cases: Number of sequences: of up to 200 steps for a discipline, of up to 60 for a controller.
        seed: Seed of the events.
        carries: Unit that arrives at a discipline.

    Raises:
        LawError: A law was broken; the text has the shortest sequence found that breaks it.
    """
    if isinstance(part, Controller):
        told = _native.check_controller_laws(part.label, part, cases, seed)
    else:
        told = _native.check_laws(part.label, part, cases, seed, carries == "packets")
    if told is not None:
        kind = "controllers" if isinstance(part, Controller) else "disciplines"
        raise LawError(f"{part.label} breaks a law of {kind}:\n{told}")


def fingerprint(part: External) -> str:
    """A digest of the code and the state of a discipline or a controller, by which stores tell whether it has changed.

    The code is that of the files that define its classes; in a notebook, of the cells. Code that these import is not
    part of it.

    Raises:
        RequestError: The code or the state cannot be read.
    """
    told = hashlib.sha256()
    for one in type(part).__mro__:
        if one.__module__.partition(".")[0] in ("builtins", "abc", "dupack", "typing"):
            continue
        try:
            file = inspect.getsourcefile(one)
            whole = Path(file).read_text(encoding="utf-8") if file and Path(file).is_file() else inspect.getsource(one)
        except (OSError, TypeError, UnicodeDecodeError):
            raise RequestError(
                f"out: the code of {one.__qualname__} cannot be read, so no store can tell whether it has changed; "
                "define it in a file or in a cell of a notebook, or leave `out` out; nothing was run"
            ) from None
        told.update(f"{one.__qualname__}\n{whole}\n".encode())
    try:
        told.update(pickle.dumps(vars(part), protocol=5))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise RequestError(
            f"out: the state of {part.label} cannot be stored: {error}; leave `out` out; nothing was run"
        ) from None
    return told.hexdigest()


def named(value: Any, externals: dict[str, External], label: str = "") -> Any:
    """A value with every part in Python replaced by a table with its name, by which ``externals`` has it.

    The name is its label, or the ``label`` given.
    """
    if isinstance(value, External):
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
    """Distinct labels for disciplines or controllers of a sweep that have the same label: ``Mine (room 40)``."""
    alike: dict[str, list[External]] = {}
    for value in values:
        if isinstance(value, External):
            alike.setdefault(value.label, []).append(value)
    labels = []
    for value in values:
        mine = vars(value) if isinstance(value, External) else {}
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
