"""Optional libraries for stores, imported only when a store is used."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from dupack.errors import MissingError


def store_module(module: str) -> Any:
    """A module of dupack that needs the extra ``store``; `MissingError` says how to install it."""
    missing = [name for name in ("pyarrow", "duckdb") if find_spec(name) is None]
    if missing:
        raise MissingError(f"stores need {' and '.join(missing)}: install dupack[store]; nothing was run")
    # With its first list, pyarrow imports pandas to check for a pandas series: half a second for nothing.
    sys.meta_path.insert(0, _NoPandas)
    try:
        import_module("pyarrow").array([0])
    finally:
        sys.meta_path.remove(_NoPandas)
    return import_module(f"dupack.{module}")


class _NoPandas:
    """An import hook that hides pandas."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("not now", name=name)
