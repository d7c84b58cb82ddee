"""The manual page ``dupack(1)``, made of the commands' help. `docs.generate` writes it, and the wheel contains it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from docs.site.reference import STATUS
from dupack import __version__
from dupack.cli import cli

PLACE = "wheel/data/share/man/man1/dupack.1"
"""Where it is kept: ``wheel/data`` is the part of the wheel that is installed as it is."""

FILES = (
    ("store/", "Directory in which `dupack sweep` keeps runs, unless --out names another."),
    ("out/PAPER/", "Report of `dupack reproduce PAPER`; with --quick it is out/quick/PAPER."),
)
VARIABLES = (
    ("DUPACK_TRACEBACK", "If it is set, an internal error is shown with its traceback."),
    ("DUPACK_QUIET", "If it is 1, no progress is shown."),
    ("NO_COLOR", "If it is set, output has no colours."),
)


def manual() -> str:
    """The page, in the macros of man."""
    with click.Context(cli, info_name="dupack", help_option_names=["-h", "--help"]) as context:
        usage = context.command.collect_usage_pieces(context)
        options = list(_options(cli, context))
    parts = [
        f'.TH DUPACK 1 "" "dupack {__version__}" "User Commands"',
        ".nh\n.ad l",
        f".SH NAME\ndupack \\- {_text(_first(cli.help)[0].lower() + _first(cli.help)[1:].rstrip('.'))}",
        f".SH SYNOPSIS\n.B dupack\n{_text(' '.join(usage))}",
        ".SH DESCRIPTION\n" + _text(_ABOUT),
        ".SH OPTIONS",
        *options,
        ".SH COMMANDS",
    ]
    for name, command in cli.commands.items():
        with click.Context(command, info_name=f"dupack {name}", help_option_names=["-h", "--help"]) as context:
            usage = command.collect_usage_pieces(context)
            parts += [
                f".SS dupack {_text(' '.join([name, *usage]))}",
                *_paragraphs(command.help or ""),
                *_options(command, context),
            ]
    status, *notes = STATUS.split("\n\n")
    parts.append(".SH EXIT STATUS\n" + _text(" ".join(status.split())))
    parts += [".SH FILES", *(_item(name, told) for name, told in FILES)]
    parts += [".SH ENVIRONMENT", *(_item(name, told) for name, told in VARIABLES)]
    parts += [".SH NOTES", *(".PP\n" + _text(" ".join(note.split())) for note in notes)]
    return "\n".join(parts) + "\n"


_ABOUT = (
    "A plan in TOML describes an experiment: a network, its flows, and what is varied. `dupack new` writes a plan that "
    "runs, `dupack run` runs it, `dupack compare` ranks alternatives, and `dupack sweep` keeps thousands of runs. "
    "`dupack list` and `dupack show` are the reference of everything that a plan can name."
)


def _first(text: str | None) -> str:
    return inspect.cleandoc(text or "").split("\n\n")[0]


def _text(text: str) -> str:
    """A text as roff: no character of it is a command."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def _item(name: str, told: str) -> str:
    return f".TP\n.B {_text(name)}\n{_text(told)}"


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs of a command's help; what follows a backspace is an example, and keeps its lines."""
    for number, paragraph in enumerate(inspect.cleandoc(text).split("\n\n")):
        if paragraph.startswith("\b\n"):
            yield f".PP\n.nf\n.RS\n{_text(paragraph[2:])}\n.RE\n.fi"
        else:
            yield ("" if number == 0 else ".PP\n") + _text(" ".join(paragraph.split()))


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record and record[1]:
            # The number of cores depends on the machine, but the page must not.
            yield _item(record[0], " ".join(re.sub(r", here \d+", "", record[1]).split()))
