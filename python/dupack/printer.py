"""A console for text that others wrote: it cannot act on the terminal, and never fails to be printed."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from dupack.words import visible

LEAST = 60
"""Least width of printed text [columns]: in less, tables would break words. A narrower terminal breaks the lines."""


class Printer(Console):
    """A console for text without markup."""

    def __init__(self, **options: Any) -> None:
        # In a notebook, rich would display each line as an output of its own.
        super().__init__(highlight=False, emoji=False, markup=False, force_jupyter=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """The text of titles, cells and lines."""
        return super().render_str(visible(text), **options)
