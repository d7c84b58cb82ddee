"""Messages for people: what others wrote cannot act on the terminal."""

from __future__ import annotations

import click

from dupack.words import visible


def echo(text: object, *, err: bool = False) -> None:
    """Prints a message."""
    click.echo(visible(str(text)), err=err)
