"""Drawings of the architecture, made from the code: `docs/figures/architecture/*.svg`, which `docs.generate` writes.

A crate or the Python package is a box, a folder or a file in it a room. `house.svg` has all boxes and the dependencies
between them. A drawing of one box has what each room is for and which rooms it imports; a room stands above those that
it imports, and rooms that import each other share a row. Tests and their helpers are left out.
"""

from __future__ import annotations

import ast
import re
import textwrap
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

WIDTH, COLUMNS, GAP, PAD = 860, 4, 8, 12
"""Width of a drawing, the most rooms in a row, the space between rooms and around their texts [px]."""
TEXT, LINE, LETTER = 12, 15.5, 6.7
"""Size of the text, height of a line, and the mean width of a letter [px]."""
ABOUT = 4
"""The most lines of what a room is for."""
GUTTER = 120
"""Width of the strip for the arrows between boxes [px]."""
CRATES = ("py", "wasm", "live", "papers", "lab", "sim", "theory", "core")
"""The crates, from the top of the house."""
DETAILED = ("core", "sim", "lab")
"""Crates with a drawing of their own."""
INK, PALE, LINES = "#1b1b1b", "#5a6472", "#8a97a8"
FILLS = {"python/dupack": "#fff6dd", "crates/core": "#e3f1e4", "crates/sim": "#e2ecf8", "crates/lab": "#f3e6f5"}
PLAIN = "#eef0f2"
LANES = ("#555555", "#996300", "#8e4a9e", "#0072b2", "#b34700", "#00754f")
HOUSE = "The crates and the Python package of dupack, their rooms, and the dependencies between them"


@dataclass(frozen=True)
class Room:
    """A folder or a file."""

    name: str
    about: str
    uses: frozenset[str]
    """Rooms of the same box that it imports."""
    inside: tuple[str, ...] = ()
    """Folders in it."""


@dataclass(frozen=True)
class Box:
    """A crate or a Python package, with its rooms."""

    title: str
    about: str
    uses: tuple[str, ...]
    """Boxes that it depends on."""
    rooms: tuple[Room, ...]


def sentence(text: str) -> str:
    """The first sentence of a doc comment, without marks for code and links."""
    text = re.sub(
        r"\[([^\]]*)\]\([^)]*\)|\[`?([^`\]]*)`?\]", lambda found: found[1] or found[2], " ".join(text.split())
    )
    return re.split(r"(?<=[a-z0-9)])[.;] |(?<=[a-z0-9)])[.:]$", text.replace("`", ""))[0].rstrip(".")


def crate(root: Path, name: str) -> Box:
    """A crate of `crates/`."""
    home = root / "crates" / name
    told = tomllib.loads((home / "Cargo.toml").read_text(encoding="utf-8"))
    uses = tuple(one.removeprefix("dupack-") for one in told["dependencies"] if one.startswith("dupack-"))
    source = home / "src"
    known = (path for path in source.iterdir() if path.is_file() or (path / "mod.rs").exists())
    places = sorted(path for path in known if path.name not in {"lib.rs", "tests.rs"})
    names = {path.stem for path in places}
    rooms = []
    for path in places:
        files = _code(path)
        front = path / "mod.rs" if path.is_dir() else path
        found = {one for file in files for one in _crate_imports(file.read_text(encoding="utf-8"))}
        inside = sorted({file.relative_to(path).parts[0] for file in files if file.parent.parent == path})
        uses_ = frozenset(found & names - {path.stem})
        rooms.append(Room(path.stem, _rust_doc(front), uses_, tuple(inside)))
    return Box(f"crates/{name}", told["package"]["description"], uses, tuple(rooms))


def _code(path: Path) -> list[Path]:
    """The files of a room, without tests."""
    if path.is_file():
        return [path]
    front = (path / "mod.rs").read_text(encoding="utf-8")
    helpers = set(re.findall(r"#\[cfg\(test\)\]\n(?:pub(?:\(\w+\))? )?mod (\w+);", front)) | {"tests"}
    found = path.rglob("*.rs")
    return sorted(file for file in found if not helpers & {*file.relative_to(path).parts, file.stem})


def _rust_doc(path: Path) -> str:
    first = re.match(r"(?://! ?.*\n)+", path.read_text(encoding="utf-8"))
    lines = first[0].replace("//!", "").split("\n \n")[0] if first else ""
    return sentence(lines.split("\n\n")[0])


def _crate_imports(text: str) -> set[str]:
    """The rooms that a file names by `crate::`, outside of comments and tests."""
    text = re.sub(r"//.*", "", text)
    text = re.split(r"#\[cfg\((?:all\()?test[^\n]*\n(?:pub(?:\(\w+\))? )?mod \w+ \{", text)[0]
    text = re.sub(r"#\[cfg\(test\)\]\n[^;{]*;", "", text)
    found = set(re.findall(r"\bcrate::(\w+)", text))
    for group in re.findall(r"\bcrate::\{(.*?)\};", text, re.DOTALL):
        found |= set(re.findall(r"(?:^|[,{]\s*)(\w+)", re.sub(r"\{[^{}]*\}", "", group)))
    return found


def package(root: Path) -> Box:
    """`python/dupack`: its folders, and the files beside them as one room."""
    home = root / "python" / "dupack"
    folders = sorted(path.parent for path in home.glob("*/__init__.py"))
    own = "the modules"
    files = {folder.name: sorted(folder.rglob("*.py")) for folder in folders}
    files[own] = sorted(home.glob("*.py"))
    abouts = {folder.name: _python_doc(folder / "__init__.py") for folder in folders}
    abouts[own] = "The command, networks, results, sweeps, plots and printed tables: one file each beside the folders"
    rooms = []
    for name, mine in files.items():
        found = {one if one in files else own for file in mine for one in _package_imports(file)}
        rooms.append(Room(name, abouts[name], frozenset(found - {name})))
    return Box("python/dupack", "The command line and the Python API", ("py",), tuple(rooms))


def _python_doc(path: Path) -> str:
    return sentence((ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n\n")[0])


def _package_imports(path: Path) -> set[str]:
    """The modules and folders of `dupack` that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "dupack":
            parts = node.module.split(".")[1:]
            found |= {parts[0]} if parts else {alias.name for alias in node.names}
    return found - {"_native", "__version__"}


def layers(uses: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Names in rows, from the top: each above all that it uses, and those that use each other in one row."""
    reach: dict[str, set[str]] = {name: set(mine) for name, mine in uses.items()}
    for middle in reach:
        for name in reach:
            if middle in reach[name]:
                reach[name] |= reach[middle]
    levels: dict[str, int] = {}

    def level(name: str) -> int:
        if name not in levels:
            below = [one for one in reach[name] if name not in reach[one]]
            levels[name] = 1 + max((level(one) for one in below), default=-1)
        return levels[name]

    rows: list[list[str]] = [[] for _ in range(1 + max(map(level, reach), default=-1))]
    for name in sorted(reach):
        rows[level(name)].append(name)
    return rows[::-1]


def drawings(root: Path) -> dict[str, str]:
    """Every drawing, by the name of its file."""
    boxes = {name: crate(root, name) for name in CRATES}
    python = package(root)
    made = {"house.svg": _house([python, *boxes.values()])}
    made |= {f"{name}.svg": _rooms(boxes[name]) for name in DETAILED}
    made["python.svg"] = _rooms(python)
    return made


def _house(boxes: list[Box]) -> str:
    """All boxes, one above the other, with the names of their rooms, and an arrow for each dependency."""
    parts: list[str] = []
    middles: dict[str, tuple[float, float]] = {}
    y = float(PAD)
    wide = WIDTH - GUTTER
    for box in boxes:
        chips, rows = [], 0
        x = float(2 * PAD)
        for room in box.rooms:
            width = len(room.name) * 7.4 + 16
            if x + width > wide - PAD:
                x, rows = float(2 * PAD), rows + 1
            at = y + 46 + rows * 28
            chips.append(_rect(x, at, width, 22, "#ffffff"))
            chips.append(_text(x + 8, at + 15, room.name))
            x += width + GAP
        height = 46 + (rows + 1) * 28 + 6
        parts.append(_rect(PAD, y, wide - PAD, height, FILLS.get(box.title, PLAIN)))
        parts.append(_text(2 * PAD, y + 20, box.title, bold=True, size=14))
        parts.append(_text(2 * PAD, y + 37, f"{box.about}", pale=True))
        parts += chips
        middles[box.title.removeprefix("crates/")] = (y, height)
        y += height + 16
    return _svg(y, [*parts, *_lanes(boxes, middles, wide)], HOUSE)


def _lanes(boxes: list[Box], places: Mapping[str, tuple[float, float]], edge: float) -> Iterable[str]:
    """The arrows between boxes: each box that others depend on has a lane, with a dot where each of them joins it."""
    names = [box.title.removeprefix("crates/") for box in boxes]
    for i, used in enumerate(name for name in names if any(name in box.uses for box in boxes)):
        users = [name for name, box in zip(names, boxes, strict=True) if used in box.uses]
        x, ink = edge + 20 + 16 * i, LANES[i % len(LANES)]
        end = places[used][0] + 14
        starts = [places[name][0] + 26 + 10 * i for name in users]
        line = f'fill="none" stroke="{ink}" stroke-width="1.6"'
        yield f'<path d="M{x:g} {min(starts):g}V{end:g}H{edge + 3:g}" {line} marker-end="url(#tip)"/>'
        for start in starts:
            yield f'<path d="M{edge:g} {start:g}H{x:g}" {line}/><circle cx="{x:g}" cy="{start:g}" r="3" fill="{ink}"/>'


def _rooms(box: Box) -> str:
    """The rooms of a box, in layers."""
    y = float(PAD)
    parts = [_text(PAD, y + 10, box.title, bold=True, size=14)]
    y += 24
    known = {room.name: room for room in box.rooms}
    for row in layers({room.name: room.uses for room in box.rooms}):
        for some in _even(row):
            width = (WIDTH - 2 * PAD - GAP * (len(some) - 1)) / len(some)
            texts = [_lines(known[name], int((width - 2 * PAD) / LETTER)) for name in some]
            height = max(map(len, texts)) * LINE + 2 * PAD - 6
            for i, lines in enumerate(texts):
                x = PAD + i * (width + GAP)
                parts.append(_rect(x, y, width, height, FILLS.get(box.title, PLAIN)))
                for j, (style, line) in enumerate(lines):
                    at = y + PAD + 6 + j * LINE
                    parts.append(_text(x + PAD, at, line, bold=style == "name", pale=style == "uses"))
            y += height + GAP
        y += 6
    return _svg(y, parts, f"The rooms of {box.title}, each above those that it imports")


def _even(row: list[str]) -> list[list[str]]:
    """A row in as few rows as hold it, of nearly equal length."""
    rows = -(-len(row) // COLUMNS)
    size = -(-len(row) // rows)
    return [row[i : i + size] for i in range(0, len(row), size)]


def _lines(room: Room, letters: int) -> list[tuple[str, str]]:
    """The lines of a room: its name, what it is for, the folders in it, and the rooms that it imports."""
    about = textwrap.wrap(room.about, letters, max_lines=ABOUT, placeholder=" …")
    told = [("name", room.name), *(("about", line) for line in about)]
    if room.inside:
        told += [("about", line) for line in textwrap.wrap(f"folders: {', '.join(room.inside)}", letters)]
    uses = ", ".join(sorted(room.uses))
    return told + [("uses", line) for line in textwrap.wrap(f"imports {uses}" if uses else "", letters)]


def _rect(x: float, y: float, width: float, height: float, fill: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4" fill="{fill}" '
        f'stroke="{LINES}" stroke-width="0.8"/>'
    )


def _text(x: float, y: float, text: str, *, bold: bool = False, pale: bool = False, size: float = TEXT) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{PALE if pale else INK}"{weight}>'
        f"{escape(text, quote=False)}</text>"
    )


def _svg(height: float, parts: Iterable[str], title: str) -> str:
    tall = round(height)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{tall}" viewBox="0 0 {WIDTH} {tall}" '
        f'font-family="DejaVu Sans, Verdana, sans-serif" role="img">\n<title>{escape(title)}</title>\n'
        '<defs><marker id="tip" markerUnits="userSpaceOnUse" markerWidth="8" markerHeight="8" refX="6" refY="4" '
        'orient="auto">'
        f'<path d="M0 1L7 4L0 7z" fill="{INK}"/></marker></defs>\n'
        f'<rect width="{WIDTH}" height="{tall}" fill="#ffffff"/>\n'
    )
    return head + "\n".join(parts) + "\n</svg>\n"
