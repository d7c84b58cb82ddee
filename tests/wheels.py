"""Looks into the wheels and the source distribution of a directory, and runs them: ``wheels.py DIR UV``.

In clean environments it runs the wheel for this machine, and one that it builds from the source distribution.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parents[1]
LIBRARY = "dupack/_native.abi3.so"

COMMANDS = (
    ["dupack", "--version"],
    ["dupack", "new", "plan.toml"],
    ["dupack", "check", "plan.toml"],
    ["dupack", "run", "plan.toml", "--set", "duration=6 s"],
)
"""What the wheel alone can do."""


def packaged(root: Path = ROOT) -> set[str]:
    """The files of the package, as the wheel names them: those that git has, and the playground, if it is built."""
    listed = subprocess.run(["git", "ls-files", "python/dupack"], cwd=root, capture_output=True, text=True, check=True)
    package = root / "python"
    built = {str(path.relative_to(package)) for path in package.glob("dupack/playground/**/*") if path.is_file()}
    return {path.removeprefix("python/") for path in listed.stdout.split("\n") if path} | built


def faults(names: Iterable[str], package: set[str]) -> Iterator[str]:
    """What is wrong with a wheel that has files of these names, if the package has those files."""
    found = set(names)
    inside = {name for name in found if name.startswith("dupack/")}
    for name in sorted(package | {LIBRARY}):
        if name not in inside:
            yield f"lacks {name}"
    for name in sorted(inside - package - {LIBRARY}):
        yield f"has {name}, which is not a file of the package"
    needed = {
        "the manual page": ".data/data/share/man/man1/dupack.1",
        "the command": ".dist-info/entry_points.txt",
        "a licence": ".dist-info/licenses/LICENSE-MIT",
        "another licence": ".dist-info/licenses/LICENSE-APACHE",
        "the SBOM of its crates": ".cyclonedx.json",
    }
    for what, end in needed.items():
        if not any(name.endswith(end) for name in found):
            yield f"lacks {what}, *{end}"


def runs_here(wheel: Path) -> bool:
    """Whether a wheel is for this machine."""
    libc = "manylinux" if platform.libc_ver()[0] == "glibc" else "musllinux"
    return libc in wheel.name and wheel.name.endswith(f"_{platform.machine()}.whl")


def _try(package: Path, uv: Path) -> None:
    """Runs the commands with nothing but the wheel, or one that is built from the source, and what it needs."""
    alone: list[str | Path] = [
        uv,
        "tool",
        "run",
        "--quiet",
        "--isolated",
        "--python",
        sys.executable,
        "--from",
        package.resolve(),
    ]
    # The crates of others are built already.
    built = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target/for-wheels")}
    with tempfile.TemporaryDirectory() as place:
        for command in COMMANDS:
            subprocess.run([*alone, *command], cwd=place, env=built, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """The command."""
    directory, uv = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    wheels = sorted(directory.glob("*.whl"))
    package = packaged()
    wrong = []
    for wheel in wheels:
        with ZipFile(wheel) as file:
            wrong += [f"{wheel.name}: {fault}" for fault in faults(file.namelist(), package)]
    sources = sorted(directory.glob("*.tar.gz"))
    tried = [wheel for wheel in wheels if runs_here(wheel)] + sources
    for package_of in tried:
        _try(package_of, uv)
    for line in wrong:
        print(line, file=sys.stderr)
    names = ", ".join(one.name for one in tried) or "none is for this machine"
    print(f"{directory}: {len(wheels)} wheels; tried in a clean environment: {names}")
    sys.exit(1 if wrong or not wheels or len(sources) != 1 else 0)


if __name__ == "__main__":
    main()
