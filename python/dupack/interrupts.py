"""Ctrl-C and SIGTERM: messages, exit codes and handlers."""

from __future__ import annotations

import gc
import os
import signal
from contextlib import suppress
from time import monotonic

# What is imported here, and in the package's __init__, is imported before Ctrl-C is handled: as little as possible.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import NoReturn

WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}

_ear: int | None = None
"""The write end of the pipe of `guard`."""
_told = float("-inf")
_whole = False
_held: KeyboardInterrupt | None = None


class Terminated(KeyboardInterrupt):
    """SIGTERM: an interrupt by another program."""


def word(stop: KeyboardInterrupt) -> str:
    """The message."""
    return WORDS[signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT]


def code(stop: KeyboardInterrupt) -> int:
    """The exit code, as in shells: 128 + the signal."""
    return 128 + (signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT)


def _leave(number: int, _: FrameType | None) -> NoReturn:
    # In the middle of an import, an exception could be lost or replaced.
    os.write(2, f"{WORDS[signal.Signals(number)]}\n".encode())
    os._exit(128 + number)


def guard() -> None:
    """From now on a signal ends the process even while C code is running, for which handlers wait: 1.5 s later.

    For the command alone, because Python's own clean-up is left out.
    """
    global _ear
    from dupack import _native

    read, _ear = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    _native.leave_unless_heard(read)
    os.close(read)
    # The thread wakes the main thread with it.
    signal.signal(signal.SIGURG, lambda number, frame: None)
    signal.set_wakeup_fd(_ear, warn_on_full_buffer=False)


def _hear() -> None:
    """Tells the thread of `guard` that a signal is handled."""
    if _ear is not None:
        # A full pipe has enough zeros in it.
        with suppress(BlockingIOError):
            os.write(_ear, b"\0")


def _raise(number: int, _: FrameType | None) -> None:
    global _told, _held
    _hear()
    # A second Ctrl-C within a second is ignored: results are being written.
    if monotonic() - _told > 1:
        _told = monotonic()
        stop = Terminated() if number == signal.SIGTERM else KeyboardInterrupt()
        if not _whole:
            raise stop
        _held = stop


def _handle(handler: signal.Handlers | object) -> None:
    for number in WORDS:
        # `nohup` and shells that start us in the background ignore the signal.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)  # type: ignore[arg-type]


class Patient:
    """A context while a command of the user runs that has the terminal, too: the first Ctrl-C is for the command.

    A second one interrupts, and so does the first one if the command goes on for a second.
    """

    def __enter__(self) -> None:
        self._alarm = signal.getsignal(signal.SIGALRM)
        self._patient = signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
        if self._patient:
            self._before = signal.signal(signal.SIGINT, self._wait)

    def __exit__(self, *_: object) -> None:
        if self._patient:
            self._end()

    def _wait(self, number: int, frame: FrameType | None) -> None:
        _hear()
        self._end()
        signal.signal(signal.SIGALRM, lambda _, frame: self._interrupt(frame))
        signal.setitimer(signal.ITIMER_REAL, 1)

    def _end(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._alarm)
        signal.signal(signal.SIGINT, self._before)

    def _interrupt(self, frame: FrameType | None) -> None:
        self._end()
        _raise(signal.SIGINT, frame)


class Whole:
    """A context for a short step that a signal does not leave half done: the interrupt is raised at its end.

    A thread of another language may be told of the signal first, so a mask of the main thread would not do.
    """

    def __enter__(self) -> None:
        global _whole
        _whole = True

    def __exit__(self, *_: object) -> None:
        global _whole, _held
        _whole = False
        if _held is not None:
            stop, _held = _held, None
            raise stop


class Importing:
    """A context for slow imports before any work: a signal ends the process at once.

    What is imported stays, so the garbage collector need not look at it meanwhile.
    """

    def __enter__(self) -> None:
        _handle(_leave)
        gc.disable()

    def __exit__(self, *_: object) -> None:
        gc.enable()
        _handle(_raise)


class Leaving:
    """A context for work that leaves nothing behind: a signal ends the process at once, also while C code is running.

    Python's handlers run only between its own instructions, and one of a library may take minutes. The kernel tells a
    thread of the signal instead; ``last`` is called by it before the end.
    """

    def __init__(self, last: Callable[[], object] = lambda: None) -> None:
        self._last = last

    def __enter__(self) -> None:
        from threading import Thread

        self._read, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        os.set_blocking(self._read, True)
        self._before = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        _handle(lambda number, frame: None)
        self._thread = Thread(target=self._watch, daemon=True)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        _handle(_raise)
        signal.set_wakeup_fd(self._before)
        # The thread reads the end of the pipe. If it lived on, so would all that ``last`` refers to, and libraries
        # complain of what is left when Python ends.
        os.close(self._write)
        self._thread.join()

    def _watch(self) -> None:
        while heard := os.read(self._read, 1):
            if heard[0] in WORDS:
                self._last()
                _leave(heard[0], None)
        os.close(self._read)
