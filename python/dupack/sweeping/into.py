"""Sweeps from Python into stores: like ``dupack sweep``, but takes values and returns tables."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from dupack import _native, memory
from dupack.dataframes import polars
from dupack.engines import engine
from dupack.progress import Progress
from dupack.store import schema
from dupack.store.query import Reader
from dupack.store.slots import Slots
from dupack.store.store import Store
from dupack.sweeping.fill import Tally, fill


def fill_store(plan: _native.Plan, out: Path, on: str, threads: int | None, code: Mapping[str, str]) -> Tally:
    """Runs what a store is missing of a plan's sweep; finished runs are kept, however it ends.

    ``code`` has the digests of the plan's Python disciplines, by name.
    """
    by = engine(on, threads=threads)
    if on == "local":
        memory.of_process().check(plan, "sweep", memory.runs_of(plan, None), threads)
    slots = Slots(plan, code=code)
    store = Store(out, slots, option="out")
    for note in store.notes:
        warnings.warn(note, stacklevel=4)
    tally = Tally(max(slots.least(), store.there()), store.there())
    try:
        with Progress("sweeping", tally.total, tally.before) as progress:
            store.settle()
            fill(store, by, tally, partial(tally.tell, progress))
    finally:
        store.close()
    return tally


def table_of(out: Path, table: str) -> Any:
    """A table of a store for `dupack.SweepResult`, in polars; it begins with the point and the seed.

    It leaves out the digest of the run, columns that are the same in all runs, and columns of parts that the plan does
    not have (ABR, for example).
    """
    reader = Reader(out)
    lib = polars()

    def read(name: str) -> Any:
        return lib.from_arrow(reader.table(f"from {name}"))

    runs = read(schema.RUNS).sort("point", "seed")
    led = ["run", "point", "seed"]
    if table == schema.RUNS:
        found = runs.select(*led, *(column.name for column in schema.summary_columns()), *schema.batch_columns())
    else:
        found = read(table).join(runs.select(led), on="run", maintain_order="left")
        found = found.sort("point", "seed", maintain_order=True)
    return found.select("point", "seed", *(of for of in found.columns if of not in {*led, *_nothing(table, found)}))


def _nothing(table: str, found: Any) -> set[str]:
    """Columns of parts that no row of this store has."""
    columns = [column for column in schema.tables()[table] if column.inside and column.name in found.columns]
    had = {column.inside for column in columns if found[column.name].null_count() < found.height}
    return {column.name for column in columns if column.inside not in had}
