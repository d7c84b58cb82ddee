"""What an installation consists of: completion, the manual page, extras, versions, the release workflow."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from conftest import DUPACK, Dupack
from dupack.cli import cli

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import wheels  # noqa: E402

from docs import manual  # noqa: E402
from docs.site.pages import written  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = set(PROJECT["project"]["optional-dependencies"])

ASK = {
    "bash": ". ~/.bashrc; COMP_WORDS=(dupack {words}); COMP_CWORD={n}; _dupack_completion dupack; "
    'printf "%s\\n" "${{COMPREPLY[@]}}"',
    # Outside of its line editor, zsh cannot complete: the functions that show what was found print it instead.
    "zsh": "compadd() {{ print -rl -- ${{(P)@[-1]}} }}; _describe() {{ print -rl -- ${{${{(P)3}}%%:*}} }}; "
    "words=(dupack {words}); CURRENT=$(({n} + 1)); _dupack_completion",
    "fish": 'complete -C "dupack {words}" | cut -f1',
}
"""How each shell is asked for completions."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "ZDOTDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{DUPACK.parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


@pytest.mark.parametrize("shell", list(ASK))
@pytest.mark.parametrize(
    ("words", "expected"),
    [("sho", {"show"}), ("show code", {"codel"}), ("list arr", {"arrivals"}), ("reproduce coh", {"cohen-hamo-2001"})],
)
def test_a_new_shell_completes(shell: str, words: str, expected: set[str], home: Path, dupack: Dupack) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    assert dupack("--install-completion", shell).returncode == 0
    script = ASK[shell].format(words=words, n=len(words.split()))
    flags = ["-ic"] if shell == "zsh" else ["-c"]
    asked = subprocess.run([shell, *flags, script], capture_output=True, text=True, timeout=60)
    assert set(asked.stdout.split()) == expected, asked.stderr


def test_completion_is_installed_once_and_for_the_shell_that_is_used(
    home: Path, dupack: Dupack, monkeypatch: pytest.MonkeyPatch
) -> None:
    startup = home / ".bashrc"
    startup.write_text("alias ll='ls -l'")
    monkeypatch.setenv("SHELL", "/bin/bash")
    for _ in range(2):
        done = dupack("--install-completion")
        assert (done.returncode, done.stderr) == (0, "")
    script = home / ".local/share/dupack/completion.bash"
    assert startup.read_text() == f"alias ll='ls -l'\n[ -f {script} ] && . {script}\n"


@pytest.mark.parametrize("shell", ["tcsh", "run"])
def test_an_unknown_shell_is_refused(shell: str, home: Path, dupack: Dupack) -> None:
    done = dupack("--install-completion", shell)
    assert done.returncode == 2
    assert done.stderr == f"--install-completion: {shell}: unknown shell; give one of bash, zsh, fish\n"
    assert list(home.iterdir()) == []


def test_a_file_that_dupack_did_not_write_is_kept(home: Path, dupack: Dupack) -> None:
    mine = home / ".config/fish/completions/dupack.fish"
    mine.parent.mkdir(parents=True)
    mine.write_text("# my own\n")
    done = dupack("--install-completion", "fish")
    assert done.returncode == 2
    assert "dupack did not write this file" in done.stderr
    assert mine.read_text() == "# my own\n"


def test_a_directory_that_cannot_be_written_is_told(home: Path, dupack: Dupack) -> None:
    (home / ".local").write_text("a file")
    done = dupack("--install-completion", "bash")
    assert done.returncode == 2
    assert done.stderr.startswith(f"--install-completion: {home / '.local'}")
    assert "Traceback" not in done.stderr


def test_the_manual_has_every_command_and_option() -> None:
    text = (ROOT / manual.PLACE).read_text().replace("\\-", "-")
    for name, command in cli.commands.items():
        section = text.split(f"\n.SS dupack {name} ")[1].split("\n.SS ")[0]
        for parameter in command.params:
            for option in parameter.opts if isinstance(parameter, click.Option) and not parameter.hidden else ():
                assert re.search(rf"^\.B .*{re.escape(option)}\b", section, re.MULTILINE), f"{name} {option}"
    assert PROJECT["tool"]["maturin"]["data"] == manual.PLACE.split("/")[0]


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_manual_is_read_without_a_warning() -> None:
    page = ROOT / manual.PLACE
    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-P-cbou", "-ww", "-rLL=80n", page],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    assert "dupack run [OPTIONS] PLAN" in done.stdout


LIBRARIES = {
    "figures": ("jinja2", "matplotlib", "msgspec", "plotly"),
    "store": ("duckdb", "pyarrow"),
    "frames": ("polars",),
    "cluster": ("ray",),
}
"""What each extra installs, as it is imported."""


def bare(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs dupack as if no extra were installed."""
    hidden = [name for names in LIBRARIES.values() for name in names]
    code = f"import sys; sys.modules.update(dict.fromkeys({hidden})); from dupack._start import main; main()"
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=120)


def test_the_extras_have_their_libraries() -> None:
    inside = {
        extra: tuple(re.match(r"\w+", one)[0] for one in sorted(needed) if not one.startswith("dupack"))  # type: ignore[index]
        for extra, needed in PROJECT["project"]["optional-dependencies"].items()
    }
    assert inside == LIBRARIES


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        ("plot plan.toml", "figures"),
        ("reproduce cohen-hamo-2001", "figures"),
        ("readings cohen-hamo-2001", "figures"),
        ("sweep plan.toml", "store"),
        ("query", "store"),
        ("run plan.toml --tape tape.parquet", "store"),
    ],
)
def test_a_command_names_the_extra_that_it_needs(words: str, extra: str, plan: Path, tmp_path: Path) -> None:
    done = bare(tmp_path, *words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert f"install dupack[{extra}]" in done.stderr
    assert list(tmp_path.iterdir()) == [plan]


def test_the_other_commands_need_no_extra(plan: Path, tmp_path: Path) -> None:
    assert bare(tmp_path, "new", "mine.toml").returncode == 0
    needing = {"plot", "reproduce", "readings", "sweep", "query", "new"}
    compared = ["--vary", "link.bottleneck.queue.kind=drop-tail,red"]
    words = {
        "check": ["plan.toml"],
        "run": ["plan.toml"],
        "compare": ["mine.toml", *compared],
        "list": [],
        "show": ["codel"],
        "schema": [],
        "explain": ["plan.toml", "--flow", "bulk-0"],
        "live": ["--clean"],
    }
    # These two would go on until they are stopped; a wrong plan or rate ends them after everything was imported.
    # Without npm there is no page, and `play` says so first.
    refused = {"play": (["absent.toml"], "absent.toml|make web"), "shell": (["--rate", "fast", "--", "true"], "fast")}
    assert set(words) | set(refused) | needing == set(cli.commands)
    for name, others in words.items():
        done = bare(tmp_path, name, *others)
        assert done.returncode == 0, f"{name}: {done.stderr}"
    for name, (others, wrong) in refused.items():
        done = bare(tmp_path, name, *others)
        assert done.returncode == 2
        assert re.search(wrong, done.stderr)
        assert "dupack[" not in done.stderr


def test_extras_that_pages_and_messages_name_exist() -> None:
    texts = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *written(), *(ROOT / "python/dupack").rglob("*.py")]
    named = {
        extra
        for path in texts
        for found in re.findall(r"(?:dupack|\.whl)\[([a-z, ]+)\]", path.read_text())
        for extra in re.split(r", *", found)
    }
    assert named == EXTRAS


def test_the_least_versions_are_the_same_everywhere() -> None:
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text())
    rust = cargo["workspace"]["package"]["rust-version"]
    python = PROJECT["project"]["requires-python"].removeprefix(">=")
    pages = ("README.md", "CONTRIBUTING.md", "docs/install.md", "Makefile")
    texts = "\n".join((ROOT / name).read_text() for name in pages)
    assert set(re.findall(r"Rust (\d[\d.]*\d)", texts)) == {rust}
    assert set(re.findall(r"Python (?:>= )?(\d[\d.]*\d)", texts)) == {python}


WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_runs_the_makefile_and_nothing_else(path: Path) -> None:
    targets = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    runs = re.findall(r"^ *(?:- )?run: *(.*)$", path.read_text(), re.MULTILINE)
    assert runs
    for line in runs:
        words = line.split()
        assert words[0] == "make", line
        assert {word for word in words[1:] if "=" not in word} <= targets, line


DENY = tomllib.loads((ROOT / "deny.toml").read_text())


def allowed(licence: str) -> bool:
    """Whether an SPDX expression can be met with the licences that `deny.toml` allows."""
    # Older crates write a slash for OR.
    words = re.findall(r"\(|\)|[^\s()]+(?: WITH [^\s()]+)?", licence.replace("/", " OR "))
    known = DENY["licenses"]["allow"]
    terms = {"(": "(", ")": ")", "OR": "or", "AND": "and"}
    return bool(eval(" ".join(terms.get(word, str(word in known)) for word in words)))


@pytest.mark.parametrize(
    ("licence", "met"),
    [
        ("MIT", True),
        ("MIT/GPL-3.0", True),
        ("GPL-3.0 OR Apache-2.0 WITH LLVM-exception", True),
        ("(MIT OR Apache-2.0) AND GPL-3.0", False),
        ("Apache-2.0 WITH Classpath-exception", False),
    ],
)
def test_expressions_of_licences_are_read(licence: str, met: bool) -> None:
    assert allowed(licence) is met


@pytest.mark.parametrize("manifest", ["Cargo.toml", "fuzz/Cargo.toml"])
def test_every_crate_has_a_source_and_a_licence_that_are_allowed(manifest: str) -> None:
    command = [
        "cargo",
        "metadata",
        "--locked",
        "--offline",
        "--format-version=1",
        "--manifest-path",
        str(ROOT / manifest),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and "--offline" in done.stderr:
        pytest.skip("some crates of this workspace have not been downloaded")
    assert done.returncode == 0, done.stderr
    crates = json.loads(done.stdout)["packages"]
    assert len(crates) > 10
    sources = {f"registry+{source}" for source in DENY["sources"]["allow-registry"]} | {None}
    wrong = [one["id"] for one in crates if one["source"] not in sources or not allowed(one["license"] or "")]
    assert wrong == []


def test_faults_of_wheels_are_found() -> None:
    package = {"dupack/__init__.py", "dupack/starters/star.toml"}
    info = "dupack-1.dist-info"
    right = [
        *package,
        "dupack/_native.abi3.so",
        "dupack-1.data/data/share/man/man1/dupack.1",
        f"{info}/entry_points.txt",
        f"{info}/licenses/LICENSE-MIT",
        f"{info}/licenses/LICENSE-APACHE",
        f"{info}/sboms/dupack-py.cyclonedx.json",
    ]
    assert list(wheels.faults(right, package)) == []
    for name in right:
        assert len(list(wheels.faults(set(right) - {name}, package))) == 1, name
    more = [*right, "dupack/__pycache__/x.pyc"]
    assert list(wheels.faults(more, package)) == [
        "has dupack/__pycache__/x.pyc, which is not a file of the package",
    ]
    assert "dupack/starters/dumbbell.toml" in wheels.packaged()


def test_the_playground_is_a_part_of_the_package_where_it_is_built(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    page = tmp_path / "python/dupack/playground/assets/page.js"
    page.parent.mkdir(parents=True)
    page.write_text("")
    assert wheels.packaged(tmp_path) == {"dupack/playground/assets/page.js"}


def test_the_source_distribution_has_what_is_built_from_it() -> None:
    """maturin takes crates and Python files; what these name outside must be named in its settings."""
    maturin = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["maturin"]
    more = {entry["path"] for entry in maturin["include"] if entry["format"] == "sdist"}
    assert f"{maturin['data']}/**/*" in more
    contained = {
        (source.parent / name).resolve().relative_to(ROOT)
        for source in (ROOT / "crates").glob("*/src/**/*.rs")
        for name in re.findall(r'include_(?:str|bytes)!\("([^"]+)"\)', source.read_text())
    }
    outside = {str(path) for path in contained if path.parts[0] != "crates"}
    assert "docs/sources.toml" in outside
    assert outside <= more


def test_there_is_a_workflow() -> None:
    assert [path.name for path in WORKFLOWS] == ["release.yml"]
