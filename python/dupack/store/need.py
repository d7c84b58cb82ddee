"""What stores need besides the base: it is looked for when a store is asked for, not before."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from dupack.errors import MissingError


def store_module(module: str) -> Any:
    """A module of dupack's that needs the extra ``store``; `MissingError` says how to get that."""
    missing = [name for name in ("pyarrow", "duckdb") if find_spec(name) is None]
    if missing:
        raise MissingError(f"stores need {' and '.join(missing)}: install dupack[store]; nothing was run")
    # pyarrow imports pandas when it is first given a list, lest that be one of its series: half a second for nothing.
    sys.meta_path.insert(0, _NoPandas)
    try:
        import_module("pyarrow").array([0])
    finally:
        sys.meta_path.remove(_NoPandas)
    return import_module(f"dupack.{module}")


class _NoPandas:
    """An import hook that finds no pandas."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("not now", name=name)
