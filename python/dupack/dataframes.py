"""Documents of runs as polars data frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dupack import _native
from dupack.connections import EACH
from dupack.errors import MissingError
from dupack.parts import identifier

if TYPE_CHECKING:
    import polars as pl


def polars() -> Any:
    """The library; `MissingError` says how to install it."""
    try:
        import polars as pl
    except ImportError as error:
        raise MissingError("tables need polars: pip install 'dupack[frames]'") from error
    return pl


def frame(rows: Iterable[Mapping[str, Any]], *, known: Sequence[str] = ()) -> pl.DataFrame:
    """A table of rows with equal keys; ``known`` names the columns if there are no rows.

    A column in which all values are null has a numeric type, so tables of several runs can be concatenated.
    """
    lib = polars()
    made: pl.DataFrame = lib.DataFrame([flat(row) for row in rows], infer_schema_length=None)
    if not made.width:
        made = lib.DataFrame(schema=dict.fromkeys(known, lib.Float64))
    return made.with_columns(lib.col(lib.Null).cast(lib.Float64))


def record(columns: Mapping[str, Sequence[Any]]) -> pl.DataFrame:
    """The table with a row per connection (`dupack.connections.each`), with the types of a store."""
    lib = polars()
    types = dict.fromkeys(EACH, lib.Int64) | dict.fromkeys(("flow", "path"), lib.String) | {"measured": lib.Boolean}
    types |= dict.fromkeys(("start_s", "completion_s", "slowdown"), lib.Float64)
    made: pl.DataFrame = lib.DataFrame({name: columns.get(name, []) for name in EACH}, schema=types)
    return made


def flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row without nested tables; drops become columns by cause, and their sum."""
    made: dict[str, Any] = {}
    for key, value in row.items():
        if key == "dropped" and isinstance(value, Mapping):
            made["dropped"] = sum(value.values())
            made |= {f"dropped_{identifier(cause)}": value.get(cause, 0) for cause in _native.drop_causes()}
        elif isinstance(value, Mapping):
            made |= {f"{key}_{inner}": x for inner, x in flat(value).items()}
        else:
            made[key] = value
    return made


def taken_over(columns: Any) -> pl.DataFrame:
    """Columns from Rust as a table in the same memory, by an Arrow stream."""
    made: pl.DataFrame = polars().DataFrame(columns)
    return made
