"""Writes the files generated from the declarations: ``make generate``, or ``python -m docs.generate``.

The stubs of the modules that are made from declarations, the words of every family in README.md, the reference, the
lists of papers and departures, the manual page, the licences, and the drawings of the architecture.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docs import drawing, licences, manual
from docs.site import pages
from dupack import _stubs
from dupack.parts import FAMILIES as PARTS
from dupack.parts import catalogue
from dupack.reference import FAMILIES

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BEGIN = "<!-- Written by `make generate` from the declarations beside the algorithms; do not change it here. -->\n"
END = "<!-- Up to here. -->\n"


def words() -> str:
    """README's table of everything that a plan can name."""
    rows = ["| family | words |", "|---|---|"]
    rows += [f"| {heading} | {_listed(family)} |" for family, (heading, _) in FAMILIES.items()]
    return "\n".join(rows) + "\n"


def _listed(family: str) -> str:
    mine = [entry for entry in catalogue()["entries"] if entry["family"] == family]
    groups: dict[str, list[str]] = {}
    for entry in mine:
        groups.setdefault(" and ".join(sorted(entry.get("carries", ()))), []).append(f"`{entry['name']}`")
    told = (f"on {on}: {', '.join(names)}" if on else ", ".join(names) for on, names in groups.items())
    return "; ".join(told)


def readme(text: str) -> str:
    """README.md with the table as it should be."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{words()}\n{END}{after}"


def generated() -> Iterator[tuple[Path, str]]:
    """Every file with something generated in it, and what it should hold."""
    for part in PARTS:
        yield Path(_stubs.__file__).with_name(f"{part.family}.pyi"), _stubs.stub(part)
    yield README, readme(README.read_text(encoding="utf-8"))
    for name, text in pages.kept().items():
        yield pages.DOCS / name, text
    yield ROOT / manual.PLACE, manual.manual()
    yield ROOT / licences.PLACE, licences.page()
    for name, text in drawing.drawings(ROOT).items():
        yield pages.DOCS / "figures" / "architecture" / name, text


def main() -> None:
    """Writes all of them."""
    for path, text in generated():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
