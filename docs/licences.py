"""The page of licences: the crates in the wheel's library, and the Python packages that dupack and its extras install.

`docs.generate` writes it.
"""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

from docs.site.markdown import cell, table
from docs.site.pages import ROOT

PLACE = "docs/licences.md"
TARGET = "x86_64-unknown-linux-gnu"
"""The crates of this target are listed; those of the other wheels are the same."""

EXTRAS = ("frames", "store", "figures", "cluster")
ROW = re.compile(r"^\| ([\w-]+) \| (?:all|`\w+`) \| (.+) \|$", re.MULTILINE)
"""A row of the table of packages: name and licence."""

HEAD = """# Licences

<!-- Written by `make generate`; do not change it here. -->

dupack's licence is Apache-2.0 or MIT, at your option. This page lists the libraries in a wheel, and those that are
installed with it.
"""


def page() -> str:
    """The page."""
    parts = [HEAD, "## Crates in the library of a wheel\n", table(("crate", "version", "licence"), _crates())]
    parts += [
        "## Python packages\n",
        "Of the versions that `uv.lock` names for Python 3.11. A package that several parts need is listed once.\n",
    ]
    parts.append(table(("package", "for", "licence"), _packages()))
    return "\n".join(parts)


def _crates() -> list[tuple[str, str, str]]:
    command = ["cargo", "metadata", "--locked", "--format-version=1", f"--filter-platform={TARGET}"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted(linked(json.loads(told)))


def linked(metadata: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Name, version and licence of every crate that the library contains; not what only builds or tests it."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [one for one, package in packages.items() if package["name"] == "dupack-py"]
    seen: set[str] = set()
    while waiting:
        one = waiting.pop()
        package = packages[one]
        # A macro runs in the compiler.
        if one in seen or any("proc-macro" in target["kind"] for target in package["targets"]):
            continue
        seen.add(one)
        if package["source"]:
            yield package["name"], package["version"], package["license"].replace("/", " OR ")
        used = (dep for dep in nodes[one]["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"]))
        waiting += [dep["pkg"] for dep in used]


def _packages() -> list[tuple[str, str, str]]:
    """Packages that dupack and its extras need, by ``uv.lock``, which is the same for every version of Python."""
    known: dict[str, list[Any]] = {}
    for package in tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]:
        known.setdefault(package["name"], []).append(package)
    (dupack,) = known["dupack"]
    groups = {"all": dupack["dependencies"]}
    groups |= {f"`{extra}`": dupack["optional-dependencies"][extra] for extra in EXTRAS}
    for_: dict[str, str] = {}
    for group, waiting in groups.items():
        waiting = list(waiting)
        while waiting:
            needed = waiting.pop()
            if needed["name"] in for_ or needed["name"] == "dupack":
                continue
            for_[needed["name"]] = group
            for package in known[needed["name"]]:
                waiting += package.get("dependencies", [])
                for extra in needed.get("extra", []):
                    waiting += package["optional-dependencies"][extra]
    kept = dict(ROW.findall((ROOT / PLACE).read_text(encoding="utf-8"))) if (ROOT / PLACE).exists() else {}
    return [
        (name, group, _licence(name, known[name][0]["version"], kept.get(name))) for name, group in sorted(for_.items())
    ]


def _licence(package: str, version: str, kept: str | None) -> str:
    """What a package says of its licence: an expression, else its classifiers, else a short text.

    If another version is installed, because Python is newer than 3.11, it is what the page says.
    """
    try:
        about: Any = distribution(package).metadata
    except PackageNotFoundError:
        about = None
    if about is None or (kept is not None and about["Version"] != version):
        if kept is None:
            raise RuntimeError(f"{package} is not installed; run `make develop`")
        return kept
    expression = about.get("License-Expression")
    if expression:
        return cell(str(expression))
    classes = [one.split(" :: ")[-1] for one in about.get_all("Classifier", []) if one.startswith("License :: ")]
    classes = [one for one in classes if one != "OSI Approved"]
    return cell(", ".join(classes) or (about.get("License") or "not stated").splitlines()[0])
