"""A figure for notebooks and files. It needs matplotlib: `dupack.plots` imports it when a figure is drawn."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure as Base

from dupack.errors import RequestError
from dupack.files import check_file, refuse_inputs, write_whole
from dupack.reproduce.draw import RC

KINDS = ("svg", "pdf", "png")
"""Kinds of files, by suffix."""
CREATOR = "dupack"
MARKS = {"svg": b"<dc:title>dupack</dc:title>", "pdf": b"/Creator (dupack)", "png": b"Software\0dupack"}
"""How a file tells that dupack has written it."""


@contextmanager
def drawing() -> Iterator[None]:
    """A context for drawing: text is as broad at every resolution, so that what fits in one also fits in another.

    There are no warnings of characters that the font lacks: PNG and PDF have boxes in their place, an SVG has the text.
    """
    with warnings.catch_warnings(), mpl.rc_context({"text.hinting": "no_hinting"}):
        warnings.filterwarnings("ignore", r"Glyph .* missing from")
        warnings.filterwarnings("ignore", r"Matplotlib currently does not support \w+ natively")
        yield


class Figure(Base):
    """A figure that a notebook displays without pyplot. A saved SVG has the same bytes for the same numbers."""

    data: list[dict[str, Any]]
    """What it shows: a row per mark, point of a curve or cell, with units in the names of the columns."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.data = []

    def draw(self, renderer: Any) -> None:
        """See matplotlib."""
        with drawing():
            super().draw(renderer)

    def savefig(self, fname: Any, **options: Any) -> None:
        """Saves the figure as matplotlib does; an SVG without the date, and with text as text."""
        name = fname if isinstance(fname, (str, Path)) else ""
        kind = options.get("format") or Path(name).suffix.removeprefix(".")
        if kind == "svg":
            options["metadata"] = {"Date": None, "Creator": CREATOR, **options.get("metadata", {})}
        elif kind == "pdf":
            options["metadata"] = {"CreationDate": None, "Creator": CREATOR, **options.get("metadata", {})}
        elif kind == "png":
            options["metadata"] = {"Software": CREATOR, **options.get("metadata", {})}
            options.setdefault("dpi", RC["savefig.dpi"])
        fixed = {key: RC[key] for key in ("svg.fonttype", "svg.hashsalt", "pdf.fonttype")}
        with drawing(), mpl.rc_context(fixed):  # type: ignore[arg-type]
            super().savefig(fname, **options)

    def save(self, path: str | Path, *, force: bool = False) -> list[Path]:
        """Saves the figure as SVG, PDF or PNG, by its suffix, and its data beside it as CSV; returns both paths.

        Raises:
            RequestError: The suffix is another one, or there is a file that dupack has not written and ``force`` is not
                given.
            WriteError: A file cannot be written.
        """
        path = check_place(Path(path), force=force)
        drawn = io.BytesIO()
        self.savefig(drawn, format=path.suffix[1:])
        write_whole(path, drawn.getvalue())
        beside = path.with_suffix(".csv")
        write_whole(beside, as_csv(self.data))
        return [path, beside]

    def _repr_png_(self) -> bytes:
        drawn = io.BytesIO()
        self.savefig(drawn, format="png", dpi=110, bbox_inches="tight")
        return drawn.getvalue()


def check_place(path: Path, *, force: bool, option: str = "", inputs: Sequence[Path] = ()) -> Path:
    """The path, if a figure can be written there, and its data beside it; neither replaces one of ``inputs``."""
    before = f"{option} " if option else ""
    if path.suffix.removeprefix(".") not in KINDS:
        raise RequestError(f"{before}{path}: not a kind of figure; write a name that ends in .svg, .pdf or .png")
    beside = path.with_suffix(".csv")
    ending = "nothing was drawn"
    refuse_inputs([(option, path), (option, beside)], inputs, ending)
    for file in (path, beside):
        check_file(file, option, ending=ending)
    if not force and path.is_file() and not _ours(path):
        raise RequestError(f"{before}{path}: not a figure of dupack; --force replaces it (force=True in Python)")
    # The data have no mark of their own: they are those of a figure with the same name.
    if not force and beside.is_file() and not any(_ours(path.with_suffix(f".{kind}")) for kind in KINDS):
        raise RequestError(
            f"{before}{beside}: not the data of a figure of dupack; --force replaces it (force=True in Python)"
        )
    return path


def _ours(path: Path) -> bool:
    """Whether dupack has written this figure. Its metadata are at the beginning or at the end."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(4096)
        file.seek(max(path.stat().st_size - 8192, 0))
        return MARKS[path.suffix[1:]] in head + file.read()


def as_csv(rows: list[dict[str, Any]]) -> str:
    """Rows as CSV; a missing value is an empty cell."""
    out = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    told = csv.DictWriter(out, names, lineterminator="\n")
    told.writeheader()
    told.writerows(rows)
    return out.getvalue()
