"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


class Place(click.Path):
    """A path. An empty one is an error; Python would take it for the current directory."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("the path is empty; give a path", param, ctx)
        return super().convert(value, param, ctx)


SETS = click.option("--set", "sets", multiple=True, metavar="PATH=VALUE", help="Set PATH of the plan to VALUE.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of tables.")
