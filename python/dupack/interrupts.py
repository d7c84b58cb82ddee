"""Ctrl-C and SIGTERM: what they are called, what the command exits with, and what they end."""

from __future__ import annotations

import os
import signal
from time import monotonic

# What is imported here, and in the package's __init__, is imported before Ctrl-C is answered: as little as possible.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}

_told = float("-inf")


class Terminated(KeyboardInterrupt):
    """SIGTERM: an interrupt that a program asked for."""


def word(stop: KeyboardInterrupt) -> str:
    """What happened."""
    return WORDS[signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT]


def code(stop: KeyboardInterrupt) -> int:
    """What the command exits with, as shells count."""
    return 128 + (signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT)


def _leave(number: int, _: FrameType | None) -> NoReturn:
    # An exception would be lost, or become another one, in the middle of an import.
    os.write(2, f"{WORDS[signal.Signals(number)]}\n".encode())
    os._exit(128 + number)


def _raise(number: int, _: FrameType | None) -> None:
    global _told
    # Who presses twice means once: what is being kept by then is kept.
    if monotonic() - _told > 1:
        _told = monotonic()
        raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


def _handle(handler: signal.Handlers | object) -> None:
    for number in WORDS:
        # `nohup` and shells that start us in the background want it ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)  # type: ignore[arg-type]


class Importing:
    """Around imports that take long, when nothing has been done yet: a signal ends the process there and then."""

    def __enter__(self) -> None:
        _handle(_leave)

    def __exit__(self, *_: object) -> None:
        _handle(_raise)
