"""Stubs, for editors, of the modules that are made from declarations; `make generate` writes them."""

from __future__ import annotations

import importlib
import inspect

from dupack.parts import Part, entries, help_of, identifier, signature

HEAD = "# Written by `make generate` from the declarations in crates/core; do not change it here.\n"


def stub(of: type[Part]) -> str:
    """The stub of the module of a family."""
    module = importlib.import_module(f"dupack.{of.family}")
    functions = [_function(identifier(entry["name"] or "pair"), entry, told, of) for entry, told in entries(of.family)]
    body = "\n".join(functions)
    needs = ["from collections.abc import Sequence"] if "Sequence[" in body else []
    needs += ["from typing import Literal"] if "Literal[" in body else []
    needs += [""] if needs else []
    needs += ["from dupack.controller import Controller"] if "| Controller" in body else []
    needs += [f"from dupack.parts import {of.__name__}"]
    doc = inspect.getdoc(module) or ""
    names = "\n".join(f'    "{name}",' for name in sorted(module.__all__))
    return f'{HEAD}"""{doc}\n"""\n\n' + "\n".join(needs) + f"\n\n__all__ = [\n{names}\n]\n\n{body}"


def _wrapped(line: str) -> str:
    """A line of a parameter; one with more words than fit in a line has a line for each."""
    before, bracket, rest = line.partition("Literal[")
    words, end, after = rest.partition("]")
    if len(line) <= 120 or not bracket:
        return line
    # As the formatter has it, alternatives have lines of their own.
    after = after.replace(" | ", "\n    | ")
    return "\n".join([f"{before}{bracket}", *(f"        {word}," for word in words.split(", ")), f"    {end}{after}"])


def _function(name: str, entry: dict, parameters: list[dict], of: type[Part]) -> str:  # type: ignore[type-arg]
    told = signature(parameters, of.__name__).parameters.values()
    lines = [
        _wrapped(f"    {p.name}: {p.annotation}{'' if p.default is p.empty else f' = {_literal(p.default)}'},")
        for p in told
    ]
    doc = help_of(entry, parameters).replace("\\", "\\\\").splitlines()
    head = f"def {name}(\n    *,\n" + "\n".join(lines) + "\n)" if lines else f"def {name}()"
    text = "\n".join(f"    {line}".rstrip() for line in doc).lstrip()
    return f'{head} -> {of.__name__}:\n    """{text}\n    """\n'


def _literal(value: object) -> str:
    return '"' + value.replace('"', '\\"') + '"' if isinstance(value, str) else repr(value)
