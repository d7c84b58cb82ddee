"""The entry point of the command. It prepares standard streams, and reports Ctrl-C and SIGTERM before any import."""

from __future__ import annotations

import os
import sys

from dupack.interrupts import Importing, code, word

# What is imported here, and in the package's __init__, is imported before Ctrl-C is handled: as little as possible.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def _speak_utf8() -> None:
    """Starts Python again in its UTF-8 mode, if the locale has another encoding.

    Plans and documents are UTF-8 everywhere, and no table can be printed in ASCII.
    """
    if sys.getfilesystemencoding() != "utf-8" and sys.executable:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])
    if sys.stdout and sys.stdout.encoding.lower().replace("-", "") != "utf8":
        # Only PYTHONIOENCODING does this.
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _open_streams() -> None:
    """Opens standard streams that are closed: else a file that is opened later would receive what is printed.

    What is printed to a closed standard output is an error, as on a full disk.
    """
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, mode)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def main() -> NoReturn:
    """The command ``dupack``."""
    _open_streams()
    _speak_utf8()
    with Importing():
        from dupack import cli
    try:
        cli.main()
    except KeyboardInterrupt as stop:
        os.write(2, f"{word(stop)}\n".encode())
        sys.exit(code(stop))
