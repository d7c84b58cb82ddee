"""`python tests/seeds.py [--resume] [SEEDS]`: runs each property test of the crates with fresh seeds, 1,000 by default.

A property is a test that stands in `proptest! { .. }` or calls `proptest!(..)`. The test binaries are built once. A
process runs all properties of a binary with one seed, as `PROPTEST_RNG_SEED=seed cargo test` would; as many run at
a time as there are processors. For the first failures of each property it prints the seed, the command that repeats
it, and the panic.

With `--resume`, seeds with which all properties of a binary have passed are kept in `out/seeds`, in one file per
binary, named by the binary's hash. The same command then resumes, until as many as asked for have passed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from brief import shortened

ROOT = Path(__file__).parents[1]
BUILD = "cargo test --no-run --message-format json-render-diagnostics"
KEPT = ROOT / "out/seeds"
EVERY_S = 30
"""Between two lines of progress."""
SHOWN = 3
"""Seeds of a property that fails that are told."""
WIDE = 2000
"""Characters of a line that are printed; a case of many inputs is one line. The command that repeats it prints all."""

BLOCK = re.compile(r"^( *)proptest! \{\n(.*?)^\1\}", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"\bproptest!\(")
TEST = re.compile(r"#\[test\]\s*(?:(?://|#\[).*\s*)*fn (\w+)")
FAILED = re.compile(r"^---- (\S+) stdout ----$", re.MULTILINE)


@dataclass(frozen=True)
class Binary:
    """A test binary, and the properties in it."""

    path: str
    folder: str
    """Of its package, in which its tests run."""
    option: str
    """What `cargo test` calls it."""
    properties: tuple[str, ...]

    def kept(self) -> Path:
        """The file of seeds with which this binary has passed."""
        return KEPT / hashlib.sha256(Path(self.path).read_bytes()).hexdigest()[:16]

    def run(self, seed: int) -> str:
        """What the properties say if one of them fails with a seed."""
        # Every later process would replay kept failures, and backtraces make shrinking slow.
        drawn = {"PROPTEST_RNG_SEED": str(seed), "PROPTEST_DISABLE_FAILURE_PERSISTENCE": "1", "RUST_BACKTRACE": "0"}
        run = subprocess.run(
            [self.path, "--exact", "--test-threads=1", *self.properties],
            cwd=self.folder,
            env=os.environ | drawn,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        if run.returncode and not FAILED.search(run.stdout):
            # The process ended without a failed test; this reports it in the same form.
            return f"---- {self.properties[0]} stdout ----\n{run.stdout}\nexit status {run.returncode}\n"
        return run.stdout if run.returncode else ""


def properties(text: str) -> set[str]:
    """The tests of a source file that are properties."""
    found = set()
    blocks = list(BLOCK.finditer(text))
    for block in blocks:
        tests = TEST.findall(block[2])
        assert tests, f"no test in {block[0]}"
        found.update(tests)
    for call in CALL.finditer(text):
        before = TEST.findall(text[: call.start()])
        assert before, f"no test before {text[call.start() :][:100]}"
        found.add(before[-1])
    assert len(blocks) + len(CALL.findall(text)) == text.count("proptest!"), "a proptest! of an unknown form"
    return found


def of_target(source: Path, names: list[str]) -> tuple[str, ...]:
    """Those tests of a binary, made from a source file and what stands beside and below it, that are properties."""
    alone = source.name not in ("lib.rs", "main.rs")
    found = []
    for file in [source] if alone else sorted(source.parent.rglob("*.rs")):
        for function in properties(file.read_text()):
            modules = [it for it in file.relative_to(source.parent).with_suffix("").parts if it != "mod"]
            begin = "" if file == source else "::".join([*modules, ""])
            tests = [name for name in names if f"::{name}".endswith(f"::{function}") and name.startswith(begin)]
            assert tests, f"{file}: {function} is no test of its binary"
            found += tests
    return tuple(sorted(found))


def targets() -> list[str]:
    """What `cargo test` calls the packages and targets that have properties."""
    found = set()
    for file in ROOT.glob("crates/*/**/*.rs"):
        if "proptest!" in file.read_text():
            package, folder, *below = file.relative_to(ROOT / "crates").with_suffix("").parts
            found |= {f"--package=dupack-{package}", "--lib" if folder == "src" else f"--test={below[0]}"}
    return sorted(found)


def binaries() -> list[Binary]:
    """All that have properties, built."""
    built = subprocess.run([*BUILD.split(), *targets()], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if built.returncode:
        sys.exit(built.returncode)
    found = []
    for line in built.stdout.splitlines():
        artifact = json.loads(line)
        if not artifact.get("executable") or not artifact["profile"]["test"]:
            continue
        target, folder = artifact["target"], Path(artifact["manifest_path"]).parent
        if target["kind"][0] not in ("lib", "test"):
            continue
        listed = subprocess.check_output([artifact["executable"], "--list", "--format=terse"], cwd=folder, text=True)
        names = [line.removesuffix(": test") for line in listed.splitlines() if line.endswith(": test")]
        which = "--lib" if target["kind"] == ["lib"] else f"--test {target['name']}"
        package = f"dupack-{folder.name}"
        if tests := of_target(Path(target["src_path"]), names):
            found.append(Binary(artifact["executable"], str(folder), f"-p {package} {which}", tests))
    return found


def report(binary: Binary, seed: int, output: str, failures: Counter[str]) -> None:
    """Counts the properties that have failed, and shows the first failures of each."""
    parts = FAILED.split(output)
    for name, said in zip(parts[1::2], parts[2::2], strict=True):
        failures[name] += 1
        if failures[name] > SHOWN:
            continue
        print(f"\nFAILED with seed {seed}: {name}")
        print(f"  PROPTEST_RNG_SEED={seed} cargo test {binary.option} -- --exact {name}")
        lines = shortened(said.split("\n\nfailures:\n")[0].strip("\n").splitlines())
        print("\n".join(line if len(line) <= WIDE else f"{line[:WIDE]} [...]" for line in lines), flush=True)


def passed(kept: Path) -> int:
    """How many seeds a file holds."""
    return len(kept.read_text().split()) if kept.exists() else 0


def main() -> int:
    """1 if a property has failed."""
    parser = argparse.ArgumentParser(prog="seeds")
    parser.add_argument("seeds", type=int, nargs="?", default=1000)
    parser.add_argument("--resume", action="store_true", help="go on where this was ended with the same build")
    options = parser.parse_args()
    seeds = options.seeds
    found = binaries()
    count = sum(len(binary.properties) for binary in found)
    kept = {binary: binary.kept() for binary in found} if options.resume else {}
    had = {binary: passed(file) for binary, file in kept.items()}
    drawn = random.SystemRandom().sample(range(2**32), seeds)
    jobs = [(binary, seed) for at, seed in enumerate(drawn) for binary in found if at >= had.get(binary, 0)]
    before = f"; of these, {min(had.values(), default=0)} have passed before" if options.resume else ""
    print(f"{count} properties of {len(found)} binaries, {seeds} fresh seeds each{before}", flush=True)
    failures: Counter[str] = Counter()
    began = told = time.monotonic()
    if options.resume:
        KEPT.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {pool.submit(binary.run, seed): (binary, seed) for binary, seed in jobs}
        try:
            for done, future in enumerate(as_completed(running), 1):
                binary, seed = running[future]
                if output := future.result():
                    report(binary, seed, output, failures)
                elif binary in kept:
                    with kept[binary].open("a") as file:
                        file.write(f"{seed}\n")
                if (now := time.monotonic()) - told >= EVERY_S or done == len(jobs):
                    told = now
                    left = (now - began) / done * (len(jobs) - done)
                    print(
                        f"{done * 100 // len(jobs)} %, {failures.total()} failures, "
                        f"{(now - began) / 60:.1f} min, {left / 60:.1f} left",
                        flush=True,
                    )
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            return 130
    for name, times in failures.most_common():
        print(f"{name}: failed with {times} of {seeds} seeds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
