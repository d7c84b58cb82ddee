"""Completion of commands, options and words in the user's shell: ``dupack --install-completion``."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem, get_completion_class

from dupack.errors import RequestError
from dupack.files import why, write_whole
from dupack.terminal import echo

OPTION = "--install-completion"
VARIABLE = "_DUPACK_COMPLETE"
"""click's name of the variable by which a shell asks the command for completions."""

ZSH_SYSTEM = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }\n"
"""Starts zsh's completion system, unless it runs. (`#compdef` is for files in zsh's own search path.)"""


class Place(NamedTuple):
    """Where the completion of a shell is kept."""

    script: Path
    startup: Path | None
    """File that the shell reads when it starts, if the shell does not find ``script`` by itself."""


def _home(variable: str, *otherwise: str) -> Path:
    given = os.environ.get(variable, "")
    return Path(given) if given.startswith("/") else Path.home().joinpath(*otherwise)


def _places() -> dict[str, Place]:
    data = _home("XDG_DATA_HOME", ".local", "share") / "dupack"
    return {
        "bash": Place(data / "completion.bash", Path.home() / ".bashrc"),
        "zsh": Place(data / "completion.zsh", _home("ZDOTDIR") / ".zshrc"),
        "fish": Place(_home("XDG_CONFIG_HOME", ".config") / "fish" / "completions" / "dupack.fish", None),
    }


def install(shell: str, command: click.Command) -> str:
    """Writes the completion of a shell, and a line into its startup file; returns what was done."""
    places = _places()
    if shell not in places:
        found = "the variable SHELL does not name a shell that is known" if not shell else f"{shell}: unknown shell"
        raise RequestError(f"{OPTION}: {found}; give one of {', '.join(places)}")
    script, startup = places[shell]
    maker = get_completion_class(shell)
    assert maker is not None
    text = maker(command, {}, "dupack", VARIABLE).source()
    if shell == "zsh":
        text = ZSH_SYSTEM + text
    try:
        if script.is_symlink() or (script.exists() and VARIABLE not in script.read_text(errors="replace")):
            raise RequestError(f"{OPTION}: {script}: dupack did not write this file, and it was not changed; move it")
        script.parent.mkdir(parents=True, exist_ok=True)
        write_whole(script, text, OPTION)
        told = f"completion for {shell}: {script}"
        quoted = shlex.quote(str(script))
        if startup is not None and _add(startup, f"[ -f {quoted} ] && . {quoted}"):
            told += f"; added a line to {startup}"
    except OSError as error:
        raise RequestError(f"{OPTION}: {error.filename}: cannot be written: {why(error)}") from error
    return f"{told}; it works in every shell that is started from now on"


def _add(startup: Path, line: str) -> bool:
    """Appends a line to a file, unless the file has it."""
    before = startup.read_text(encoding="utf-8", errors="surrogateescape") if startup.exists() else ""
    if line in before.splitlines():
        return False
    with startup.open("a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(("" if not before or before.endswith("\n") else "\n") + line + "\n")
    return True


def _asked(context: click.Context, _: click.Parameter, shell: str | None) -> None:
    if shell is None or context.resilient_parsing:
        return
    echo(install(shell or Path(os.environ.get("SHELL", "")).name, context.find_root().command))
    context.exit()


INSTALL = click.option(
    OPTION,
    is_flag=False,
    flag_value="",
    metavar="[SHELL]",
    is_eager=True,
    expose_value=False,
    callback=_asked,
    help="Install completion for SHELL (bash, zsh or fish), and exit.  [default: the shell of the variable SHELL]",
)

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def one_of(words: Callable[[], Any]) -> Complete:
    """Completes an argument with words that are listed only when a shell asks."""
    return lambda _context, _parameter, begun: [CompletionItem(it) for it in words() if it.startswith(begun)]
