"""The reference: pages made of the declarations beside the algorithms, so that they say what the program does."""

from __future__ import annotations

import inspect
import json
import re
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import click

import dupack
from docs.site.markdown import cell, fence, table
from dupack import _native
from dupack.cli import cli
from dupack.parts import identifier
from dupack.reference import FAMILIES, catalogue, picture, schema
from dupack.store.schema import tables

MODULES = {"queue", "transport", "traffic", "arrivals", "loss", "jitter"}
"""Families of which Python has a function per word."""

PYTHON = {
    "Networks": ("dumbbell", "parking_lot", "star", "incast", "leaf_spine", "fat_tree", "graphml", "load", "Network"),
    "Results": ("RunResult", "sweep", "SweepResult", "compare", "CompareResult"),
    "Memory": ("limit_memory",),
    "Parts": ("Queue", "Transport", "Traffic", "Arrivals", "Loss", "Jitter"),
    "Disciplines and controllers in Python": (
        *("Discipline", "Unit", "Book"),
        *("Controller", "Ack", "Congestion", "conformance"),
    ),
    "Plans, as the command runs them": ("read_plan", "Plan", "run", "run_jobs", "Run", "parse_seeds"),
    "Statistics": ("mean_ci95", "batch_means"),
    "Errors": ("Error", "PlanError", "RunError", "RequestError", "OutputError", "MissingError", "LawError"),
}
"""Every public name, under its heading; the modules of parts have pages of their own."""


def pages(sources: Path, *, forge: bool = False) -> dict[str, str]:
    """Every page of the reference, by its place under ``docs``; ``sources`` is the list of what is cited.

    With ``forge`` they are as a forge can show them: without the directives of Sphinx, which write the pages on the
    command line and on Python and the navigation, and without the downloads, which are made with the site.
    """
    known = catalogue()
    made = {f"reference/{family}.md": _family(family, known) for family in FAMILIES}
    made["reference/plan.md"] = _plan(known, forge=forge)
    made["reference/results.md"] = _results(forge=forge)
    made["reference/command.md"] = _command() if forge else _COMMAND
    made["reference/python.md"] = _python(forge=forge)
    made["reference/sources.md"] = _sources(sources, forge=forge)
    made["reference/index.md"] = _index(known, forge=forge)
    return made


def downloads() -> dict[str, str]:
    """Files that pages offer: the schemas."""
    return {
        "plan.schema.json": json.dumps(schema(), indent=1) + "\n",
        "run.schema.json": json.dumps(json.loads(_native.document_schema()), indent=1) + "\n",
    }


def _parameters(parameters: Iterable[Mapping[str, Any]]) -> str:
    rows = []
    for one in parameters:
        default = "required" if one["required"] else cell(one["default"] or "none")
        rows.append((f"`{one['name']}`", default, cell(one["help"]), cell(one["written"])))
    return table(("key", "default", "meaning", "written as"), rows) if rows else ""


def _family(family: str, known: Mapping[str, Any]) -> str:
    heading, where = FAMILIES[family]
    parts = [f"# {heading}\n", f"{_where(where)}\n"]
    if family == "transport":
        parts.append(
            "A transport is a [controller](control.md) and a [repair](repair.md); a `kind` is a pair by its usual "
            "name. [Parameters of every transport](#parameters-of-every-transport) are below.\n"
        )
    if family == "topology":
        parts.append(_TOPOLOGY)
    for entry in known["entries"]:
        if entry["family"] == family:
            parts.append(_word(entry, known))
    if family == "transport":
        parts += ["## Parameters of every transport\n", _parameters(known["transports"])]
    return "\n".join(parts)


def _where(text: str) -> str:
    """Where a plan writes it: its table and keys as code."""
    place, _, written = text.partition(": ")
    code, semicolon, more = written.partition("; ")
    more = re.sub(r"\b(back_\w+|control|repair)\b", r"`\1`", more)
    return f"{place[0].upper()}{place[1:]}: `{code}`{semicolon}{more}." if code else f"{text}."


def _word(entry: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    family, name = entry["family"], entry["name"]
    parts = [f"## {name}\n", f"{cell(entry['summary'])}\n"]
    about = []
    if entry.get("carries"):
        about.append(f"On links that carry {' or '.join(entry['carries'])}.")
    if family == "transport":
        control, repair = entry["halves"]
        about.append(
            f"The controller [{control}](control.md#{control}) with the repair [{repair}](repair.md#{repair}), "
            "and their parameters."
        )
    about.append(_source(entry))
    parts.append(" ".join(about) + "\n")
    parts += _refused(entry, known)
    parts.append(_parameters(entry["parameters"]))
    if family == "topology":
        rows = []
        for line in entry["links"]:
            like = f"as `{line['like']}`" if line["like"] else "none"
            rows.append((f"`{line['name']}`", "required" if line["required"] else like, cell(line["help"])))
        parts.append(table(("table", "default", "its links"), rows))
        parts.append(f"In [Python](python.md): `dk.{identifier(name)}`.\n")
    if family in MODULES:
        function = getattr(import_module(f"dupack.{family}"), identifier(name))
        required = [p.name for p in inspect.signature(function).parameters.values() if p.default is p.empty]
        given = ", ".join(f"{one}=..." for one in required)
        parts.append(f"In Python: `dk.{family}.{identifier(name)}({given})`.\n")
    drawn = picture(family, name)
    parts.append(fence(drawn["written"], "toml"))
    parts.append(fence("\n".join(_wrapped(drawn["lines"]))))
    return "\n".join(part for part in parts if part)


def _refused(entry: Mapping[str, Any], known: Mapping[str, Any]) -> list[str]:
    """With which other halves a controller or a repair does not go together, and why."""
    family, name = entry["family"], entry["name"]
    if family not in ("control", "repair"):
        return []
    other = "repair" if family == "control" else "control"
    reasons: dict[str, list[str]] = {}
    for pair in known["pairs"]:
        if pair[family] == name and pair["refused"]:
            reasons.setdefault(pair["refused"], []).append(f"[{pair[other]}]({other}.md#{pair[other]})")
    return [f"Refused with {', '.join(words)}: {cell(why)}.\n" for why, words in reasons.items()]


def _wrapped(lines: Iterable[str]) -> Iterable[str]:
    """A picture's words are broken where the page ends; its rows, which begin with blanks, are not."""
    for line in lines:
        yield from [line] if line.startswith(" ") else textwrap.wrap(line, 96) or [""]


def _source(entry: Mapping[str, Any]) -> str:
    key, _, place = entry["source"].partition(" ")
    told = f"[{key}](sources.md#{key}) {cell(place)}".strip() if entry["published"] else cell(entry["source"])
    return f"Source: {told}."


def _plan(known: Mapping[str, Any], *, forge: bool) -> str:
    schema = "JSON Schema" if forge else "[JSON Schema](../extra/plan.schema.json)"
    parts = [
        "# Plans\n",
        'A plan is a TOML file. Values carry their unit as a string (`"155.52 Mb/s"`, `"0.3 ms"`, `"1200 cells"`); a '
        "bare number where a unit belongs is refused. `--set`, a `[sweep]` and Python can set any value by its path "
        "(`link.bottleneck.queue.lower`, `flow.*.transport.kind`).\n",
        f"Editors complete and check plans with the {schema} that `dupack schema` prints, "
        "if a plan begins with `#:schema ./plan.schema.json`.\n",
    ]
    for section in known["sections"]:
        name = f"[[{section['name']}]]" if section["name"] else "The plan itself"
        name = name.replace("[[aal5]]", "[aal5]").replace("[[stop]]", "[stop]")
        parts += _anchor(section["name"] or "plan", forge=forge)
        parts += [f"## {name}\n", f"{cell(section['help'])}\n"]
        parts.append(_parameters(section["parameters"]))
    return "\n".join(parts)


def _anchor(name: str, *, forge: bool) -> list[str]:
    """An explicit target. A forge would print it; there the heading below it makes the same anchor."""
    return [] if forge else [f"({name})="]


def _results(*, forge: bool) -> str:
    download = "" if forge else " [As a JSON Schema](../extra/run.schema.json)."
    document = json.loads(_native.document_schema())
    parts = [
        "# Measures\n",
        "The keys of a run's document: `dupack run --json`, `run.document` in Python. Tables in Python and in a "
        "[store](#tables-of-a-store) have columns of the same names. A value that a run does not have is null."
        f"{download}\n",
        "With several seeds, the document has `runs`. For every number of `summary` it has the `mean` and `ci95`, the "
        "half-width of the 95 % confidence interval (Student's t). `measures` has both for every number by its path, "
        "such as `links.bottleneck.mean_backlog`; for maxima also the `max` of all runs. A number whose runs fall into "
        "two groups also has `regimes`: for each group the number of `runs` and their `mean`, the lower group first.\n",
        "## The document\n",
        _keys(document),
    ]
    for name, part in document["$defs"].items():
        parts += [f"## {name}\n", f"{_told(part)}\n"]
        if "properties" in part:
            parts.append(_keys(part))
    parts += [
        *_live(),
        "## Tables of a store\n",
        "`dupack query` prints them, too, with the columns of the sweep's settings.\n",
    ]
    for name, columns in tables().items():
        rows = [(f"`{column.name}`", f"`{column.type}`", cell(column.help)) for column in columns]
        parts += [f"### {name}\n", table(("column", "type", "meaning"), rows)]
    return "\n".join(parts)


def _live() -> Iterator[str]:
    """What only the document of a live run has."""
    live = json.loads(_native.live_schema())
    if not live:
        return
    yield "## Live\n"
    yield "The document of a [live run](../howto/live.md) also has `live`, with these keys.\n"
    yield _keys(live)
    for name, part in live["$defs"].items():
        yield f"## {name}\n"
        yield f"{_told(part)}\n"
        yield _keys(part)


def _keys(part: Mapping[str, Any]) -> str:
    rows = [(f"`{key}`", _type(told), _told(told)) for key, told in part["properties"].items()]
    return table(("key", "type", "meaning"), rows)


def _told(part: Mapping[str, Any]) -> str:
    return cell(part.get("description", "").replace("\\[", "[").replace("\\]", "]"))


def _type(told: Mapping[str, Any]) -> str:
    """Type of a key, linked if it has a table of its own."""
    for form in told.get("anyOf", ()):
        if form != {"type": "null"}:
            return _type(form)
    if "$ref" in told:
        name = told["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    kinds = told.get("type", "any")
    kind = next(one for one in kinds if one != "null") if isinstance(kinds, list) else kinds
    if kind == "array":
        return f"list of {_type(told['items'])}"
    if kind == "object" and isinstance(told.get("additionalProperties"), dict):
        return f"by name: {_type(told['additionalProperties'])}"
    return kind


def _command() -> str:
    """The usage and options of all commands, as `dupack COMMAND --help` tells them."""
    parts = ["# Command line\n", STATUS, MORE]
    for name, command in cli.commands.items():
        with click.Context(command, info_name=f"dupack {name}", help_option_names=["-h", "--help"]) as context:
            usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
            records = [param.get_help_record(context) for param in command.get_params(context)]
        parts += [f"## {name}\n", fence(usage), *_help(command.help or "")]
        # The number of cores depends on the machine, but the page must not.
        options = [
            (f"`{record[0]}`", cell(re.sub(r", here \d+", "", record[1]))) for record in records if record and record[1]
        ]
        parts.append(table(("option", "what it does"), options))
    return "\n".join(parts)


def _help(text: str) -> Iterator[str]:
    """The paragraphs of a command's help; what click does not wrap, because it follows a backspace, is an example."""
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        yield fence(paragraph[2:]) if paragraph.startswith("\b\n") else f"{cell(paragraph)}\n"


def _python(*, forge: bool) -> str:
    parts = [
        "# Python API\n",
        "The [page on Python](../python.md) shows how they are used. `import dupack as dk` gives all of them.\n",
    ]
    for heading, names in PYTHON.items():
        parts.append(f"## {heading}\n")
        if forge:
            rows = [(f"`dk.{name}`", cell(_first(getattr(dupack, name)))) for name in names]
            parts.append(table(("name", "what it is"), rows))
            continue
        for name in names:
            thing = getattr(dupack, name)
            kind = "function" if not inspect.isclass(thing) else "class"
            kind = "exception" if kind == "class" and issubclass(thing, Exception) else kind
            lines = [f".. auto{kind}:: dupack.{name}"]
            if kind == "class":
                lines += ["   :members:", "   :inherited-members: object"]
            parts.append(fence("\n".join(lines), "{eval-rst}"))
    parts.append("## Functions for parts\n")
    for family in sorted(MODULES):
        parts += [f"### dupack.{family}\n", f"Their parameters are in the [reference](../reference/{family}.md).\n"]
        if not forge:
            parts.append(fence(f".. automodule:: dupack.{family}\n   :no-members:", "{eval-rst}"))
        rows = []
        module = import_module(f"dupack.{family}")
        for entry in catalogue()["entries"]:
            if entry["family"] == family:
                name = identifier(entry["name"])
                if hasattr(module, name):
                    rows.append(
                        (f"[`dk.{family}.{name}`](../reference/{family}.md#{entry['name']})", cell(entry["summary"]))
                    )
        parts.append(table(("function", "summary"), rows))
    return "\n".join(parts)


def _first(thing: Any) -> str:
    """The first sentence of a docstring."""
    return " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())


def _sources(path: Path, *, forge: bool) -> str:
    known = tomllib.loads(path.read_text(encoding="utf-8"))
    parts = ["# Sources\n", "Sources that the code cites, by the keys of its marks.\n"]
    for key, told in sorted(known.items()):
        said = [
            ", ".join(told.get("authors", [])),
            f"“{told['title']}”",
            str(told.get("published", "")),
            str(told.get("year", "")),
        ]
        parts += [*_anchor(key, forge=forge), f"## {key}\n", ". ".join(cell(one) for one in said if one) + ".\n"]
    return "\n".join(parts)


def _index(known: Mapping[str, Any], *, forge: bool) -> str:
    parts = [
        "# Reference\n",
        "Generated from the declarations of the algorithms, like the output of `dupack list` and `dupack show`.\n",
        table(("page", "what it lists"), [(f"[{title}]({page}.md)", what) for page, title, what in _OTHERS]),
    ]
    rows = []
    for family, (heading, _) in FAMILIES.items():
        words = [e["name"] for e in known["entries"] if e["family"] == family]
        rows.append((f"[{heading}]({family}.md)", ", ".join(f"[`{word}`]({family}.md#{word})" for word in words)))
    parts.append(table(("family", "words"), rows))
    if not forge:
        tree = [":maxdepth: 1\n", *(page for page, *_ in _OTHERS), *FAMILIES]
        parts.append(fence("\n".join(tree), "{toctree}"))
    return "\n".join(parts)


_TOPOLOGY = (
    "A network by the name of its shape: `kind`, the parameters of the shape, and tables that describe its links "
    "with the keys of a [link](plan.md#link). `carries` and `queue` apply to all links whose tables do not give them; "
    "`queue` is the discipline of every port of every switch. Generated links and nodes can be overridden by their "
    "paths, and `[[host]]`, `[[switch]]` and `[[link]]` tables add others. "
    "Examples: [import a topology](../howto/topology.md).\n"
)
"""Text about all topologies."""

_OTHERS = (
    ("plan", "Plans", "every key of a plan, table by table"),
    ("results", "Measures", "every number of a run, and the tables of a store"),
    ("command", "Command line", "every command and option"),
    ("python", "Python API", "every public name"),
    ("sources", "Sources", "the papers and RFCs that the code cites"),
)
"""Pages that are no family's: file, title, and what they list."""

STATUS = """Results go to standard output, all else to standard error. The exit status is 0, 1 if a run failed or could
not be written, and 2 for a wrong plan or request; after Ctrl-C it is 130, and finished runs are kept.

A command that runs longer shows a bar on standard error. If that is not a terminal, it prints a line every 10 s.
`DUPACK_QUIET=1` in the environment turns off both.

No file that dupack did not write is overwritten, unless `--force` is given. A file that the command reads is never
overwritten. Nothing is written through a link: links inside a store or a directory of results are an error. `~` at
the beginning of a path is the home directory. An option with a single value is given at most once. Text is UTF-8 in
every locale; paths may have any bytes. Control characters in titles, names and errors are printed as escapes, such as
`\\x1b`.
"""

MORE = """`man dupack` shows this page in a terminal, if dupack was installed from a wheel.
`dupack --install-completion` installs completion of commands, options and words for bash, zsh or fish.
"""

_COMMAND = f"""# Command line

{STATUS}
{MORE}
```{{eval-rst}}
.. click:: dupack.cli:cli
   :prog: dupack
   :nested: full
```
"""
