"""What several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


class Place(click.Path):
    """A path; an empty one is none (and not, as Python would have it, the directory we are in)."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("it is empty; give a path", param, ctx)
        return super().convert(value, param, ctx)


SETS = click.option(
    "--set", "sets", multiple=True, metavar="PATH=VALUE", help="Put VALUE in the place of the plan's own."
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of tables.")
