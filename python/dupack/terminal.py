"""Messages for people: what others wrote cannot act on the terminal."""

from __future__ import annotations

import os

import click

from dupack.words import visible


def echo(text: object, *, err: bool = False) -> None:
    """Prints a message."""
    click.echo(visible(str(text)), err=err)


def heading(text: str) -> None:
    """Prints a title in bold, without the library that prints tables: that takes as long to import as all else."""
    plain = os.environ.get("TERM", "") in ("dumb", "unknown", "")
    click.echo(visible(text) if plain else click.style(visible(text), bold=True))
