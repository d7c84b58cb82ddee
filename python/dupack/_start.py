"""The entry point of the command. It reports Ctrl-C and SIGTERM from the start, before anything is imported."""

from __future__ import annotations

import os
import sys

from dupack.interrupts import Importing, code, word

# What is imported here, and in the package's __init__, is imported before Ctrl-C is handled: as little as possible.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """The command ``dupack``."""
    with Importing():
        from dupack import cli
    try:
        cli.main()
    except KeyboardInterrupt as stop:
        os.write(2, f"{word(stop)}\n".encode())
        sys.exit(code(stop))
