"""An algorithm is a file and its line in a `mod.rs`: a copy of the tree gets one in each family, and all checks pass.

The discipline is the one of docs/howto/discipline.md, to the letter; in the other families a short algorithm of the
tree stands again under another name.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dupack import parts

ROOT = Path(__file__).parents[2]
TREE = ROOT / "target/house"
sys.path.insert(0, str(ROOT))

from docs import generate  # noqa: E402

AGAIN = {
    "arrivals": "rounds",
    "loss": "bernoulli",
    "jitter": "uniform",
    "traffic": "greedy",
    "abr/switch": "eprca",
    "transport/control": "tahoe",
    "transport/repair": "go_back_n",
}
"""Folders of families, and what stands in each again as ``sample``."""

CHECKS = (
    ("dupack-core", "--lib", ["queue::", "roster", "control::", "script::", "loss::", "jitter::", "abr::switch"]),
    ("dupack-core", "--test=house", ["rosters", "marks", "arrows"]),
    ("dupack-lab", "--lib", ["catalogue", "picture", "schema", "part::", "transports::"]),
    ("dupack-lab", "--test=bad_plans", [""]),
)
"""Packages, their tests, and which of them look at rosters."""


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def copy(to: Path) -> None:
    """The files of the tree that git knows, without those that no check here reads."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.split("\0"):
        # The tests of the core replay what the fuzzers of disciplines and of transports have kept.
        needed = name.startswith(("fuzz/corpus/queue/", "fuzz/corpus/transport/")) or not name.startswith(
            ("fuzz/", "python/dupack/papers", "papers")
        )
        if name and needed and (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)


def add(core: Path, folder: str, module: str, text: str) -> None:
    """A file, and its line."""
    (core / folder / f"{module}.rs").write_text(text)
    roster = core / folder / "mod.rs"
    listed = roster.read_text()
    first = re.search(r"^pub mod \w+;\n", listed, re.MULTILINE)
    assert first is not None
    roster.write_text(listed[: first.start()] + f"pub mod {module};\n" + listed[first.start() :])


def camel(module: str) -> str:
    return "".join(part.capitalize() for part in module.split("_"))


def test_a_word_is_a_file_and_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    # Always the same directory: otherwise every run would leave another build behind.
    shutil.rmtree(TREE, ignore_errors=True)
    copy(TREE)
    core = TREE / "crates/core/src"
    howto = (ROOT / "docs/howto/discipline.md").read_text()
    discipline, word = blocks(howto, "rust")[:2]
    add(core, "queue", "drop_front", discipline)
    assert word == "pub mod drop_front;\n"
    sources = TREE / "docs/sources.toml"
    sources.write_text(sources.read_text() + "\n" + blocks(howto, "toml")[0])
    for folder, module in AGAIN.items():
        text = (core / folder / f"{module}.rs").read_text()
        text = re.sub(rf"\b{camel(module)}(Params)?\b", r"Sample\1", text)
        text = text.replace(f'as "{module.replace("_", "-")}"', 'as "sample"')
        add(core, folder, "sample", text.split("#[cfg(test)]")[0])

    # Crates from outside are built already, and those of the tree are built quickly.
    cargo = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target"), "PROPTEST_CASES": "20"}
    crates = ("core", "theory", "sim", "lab")
    quickly = [word for it in crates for word in ("--config", f"profile.test.package.dupack-{it}.opt-level=0")]

    def run(*words: str) -> str:
        command = ["cargo", *quickly, *words]
        done = subprocess.run(command, cwd=TREE, env=cargo, capture_output=True, text=True)
        assert done.returncode == 0, f"cargo {' '.join(words)}\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}"
        return done.stdout

    for package, tests, names in CHECKS:
        # The same discipline under another name has the same picture.
        twins = ("--skip", "different_words_have_different_pictures")
        run("test", "--quiet", "--package", package, tests, "--", *names, *twins)

    known = json.loads(run("run", "--quiet", "--profile", "test", "--package", "dupack-lab", "--example", "catalogue"))
    words = {(entry["family"], entry["name"]) for entry in known["entries"]}
    # The repair is a transport of the same name, too.
    families = ("arrivals", "control", "jitter", "loss", "marker", "repair", "traffic", "transport")
    assert {("queue", "drop-front"), *((family, "sample") for family in families)} <= words
    monkeypatch.setattr(parts, "catalogue", lambda: known)
    monkeypatch.setattr(generate, "catalogue", lambda: known)
    text = generate.readme(generate.README.read_text())
    assert "`drop-front`" in text
    before = generate.README.read_text().count("`sample`")
    assert text.count("`sample`") == before + len(families)
    assert text != generate.README.read_text(), "stale, and said to be"
