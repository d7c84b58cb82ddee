"""Where the texts do not follow docs/terms.md: ``python -m docs.prose``, a part of ``make lint``.

The checks are those of proselint, the table "Not these words" of docs/terms.md, and that page's rules for sentences.
The texts are the pages, and the comments and docstrings of the code, of which help texts and reference pages are made.
Code and quotations within a text are not checked, because they are not in our words.
"""

from __future__ import annotations

import io
import re
import subprocess
import tokenize
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from proselint import checks
from proselint.registry.checks import Check, CheckFlags, CheckResult, types

from docs.site.pages import DOCS, ROOT

TERMS = DOCS / "terms.md"
TABLE = "## Not these words"
LONGEST = 40
"""Words from one full stop, colon or semicolon to the next."""

OFF = (
    "dates_times.dates.decade_apostrophes",  # finds a decade in "20's"
    "dates_times.dates.dash_and_from",  # finds a range of dates in "from 1,650 to 1,100"
    "restricted",  # allows the thousand commonest words
    "typography",  # wants curly quotes
    "weasel_words.very",
)
"""Checks of proselint that are not used."""

MADE = (
    "docs/verification.md",
    "docs/benchmarks.md",
    # The texts of these pages are declarations, which are checked at their source, and quoted titles of papers.
    "docs/reference/",
)
"""Pages, and a folder of pages, that a program writes; its docstrings are checked."""

FENCE = re.compile(r"^([ \t]*)(`{3,}|:{3,}).*?^\1\2[ \t]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)[^`]+?\1")
NO_PROSE = re.compile(r"(?<=\])\([^()\s]+\)|<[^<>\n]+>|^\[[^\]\n]+\]: .*$", re.MULTILINE)
OWN_PARAGRAPH = re.compile(r"^[ \t]*(?:#+ |[-*] |\d+\. |>>> |\.\.\. )|\|", re.MULTILINE)
QUOTED = re.compile(r'"[^"¶]*"')
END = re.compile(r"[.!?][)*_]*\s+(?=[A-Z*·(\[])|[:;]\s|¶")
WORD = re.compile(r"(?<!\w)[A-Za-z][A-Za-z'’-]+(?!\w)|·+|\d[\d.,]*")
WHO = re.compile(r"(?:\A|¶|[.!?][)*_]*\s)[\s(*_]*(Who\b[^.!?¶]*)(?=[.!¶]|\Z)")


BEFORE_A_DOCSTRING = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def _lines_of(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _dots(found: re.Match[str]) -> str:
    return "·" + "\n·" * found[0].count("\n")


def prose(text: str) -> str:
    """What is prose in a Markdown text, with as many lines; code is a dot, and ``¶`` stands between paragraphs."""
    text = FENCE.sub(_lines_of, text)
    text = CODE.sub(_dots, text)
    text = NO_PROSE.sub("", text)
    text = OWN_PARAGRAPH.sub("¶ ", text)
    text = re.sub(r"^[ \t]*$", "¶", text, flags=re.MULTILINE)
    return QUOTED.sub(_dots, text)


def of_rust(text: str) -> str:
    """Comments and doc comments that have lines of their own; marks of sources are none."""
    lines = (re.match(r"\s*//[/!]?(?!=)(.*)", line) for line in text.split("\n"))
    return prose("\n".join(line[1] if line else "" for line in lines))


def of_toml(text: str) -> str:
    """Comments that have lines of their own; those that are indented draw something."""
    return prose("\n".join(line[1:] if re.match(r"#(?!   )", line) else "" for line in text.split("\n")))


def of_python(text: str) -> str:
    """Comments and docstrings."""
    lines = [""] * (text.count("\n") + 2)
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    before = tokenize.NEWLINE
    for token, after in pairwise(tokens):
        first = token.start[0] - 1
        if token.type == tokenize.COMMENT:
            lines[first] = token.string[1:]
        elif token.type == tokenize.STRING and before in BEFORE_A_DOCSTRING and after.type == tokenize.NEWLINE:
            inside = re.sub(r'^[rb]*"+|"+$', "", token.string)
            for number, line in enumerate(inside.split("\n")):
                lines[first + number] = line
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            before = token.type
    return prose("\n".join(lines))


KINDS: Mapping[str, Callable[[str], str]] = {
    ".md": prose,
    ".rs": of_rust,
    ".py": of_python,
    ".pyi": of_python,
    ".toml": of_toml,
}


def words(text: str) -> dict[str, str]:
    """The table "Not these words" of a page: what not to write, and what instead.

    Raises:
        ValueError: There is no such table, or a row says nothing to write instead.
    """
    _, found, rest = text.partition(f"{TABLE}\n")
    known: dict[str, str] = {}
    for row in re.findall(r"^\|(.+)\|(.*)\|$", rest.split("\n## ")[0], re.MULTILINE)[2:]:
        forms, instead = (cell.strip() for cell in row)
        if not instead:
            raise ValueError(f"{TABLE}: nothing to write instead of {forms}")
        known |= {form.strip(): instead for form in forms.split(",")}
    if not found or not known:
        raise ValueError(f'no table "{TABLE}"')
    return known


def _long(text: str, check: Check) -> Iterator[CheckResult]:
    start = 0
    for end in (*END.finditer(text), None):
        at = end.start() if end else len(text)
        length = len(WORD.findall(text, start, at))
        if length > LONGEST:
            first = WORD.search(text, start)
            assert first is not None
            yield CheckResult(check.path, check.message.format(length), (first.start(), at), None)
        start = end.end() if end else at


def _who(text: str, check: Check) -> Iterator[CheckResult]:
    for found in WHO.finditer(text):
        yield CheckResult(check.path, check.message, found.span(1), None)


def ours(text: str) -> tuple[Check, ...]:
    """The checks that the page of terms states."""
    forms = {r"\s+".join(map(re.escape, form.split())): instead for form, instead in words(text).items()}
    quoted = CheckFlags(allow_quotes=True)
    return (
        Check(types.PreferredForms(forms), path="terms.words", message='write "{}", not "{}"', flags=quoted),
        Check(_long, path="terms.sentences", message=f"{{}} words without a stop; write at most {LONGEST}"),
        Check(_who, path="terms.who", message='"Who" begins a sentence that does not ask; name the subject'),
    )


def _whole(text: str, start: int, end: int) -> bool:
    """Whether a place does not begin or end within a word: proselint reports "for ever" in "for every", too."""
    return not any(text[at - 1 : at + 1].isalpha() and len(text[at - 1 : at + 1]) == 2 for at in (start, end) if at)


def found(text: str, every: tuple[Check, ...]) -> Iterator[tuple[int, str]]:
    """What is wrong in a text that is prose only: lines, counted from 1, and what."""
    told = {
        (text.count("\n", 0, result.span[0]) + 1, f"{result.message} ({result.check_path})")
        for check in every
        for result in check.check_with_flags(text)
        if _whole(text, *result.span) and "¶" not in text[slice(*result.span)].strip("¶ \n")
    }
    yield from sorted(told)


def of_the_project() -> list[str]:
    """All of it, as ``file:line: what is wrong``."""
    theirs = tuple(check for check in checks.__register__ if not any(map(check.matches_partial, OFF)))
    every = (*theirs, *ours(TERMS.read_text(encoding="utf-8")))
    known = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names, starts, texts = [], [], []
    start = 0
    for name in known.split("\0"):
        path = ROOT / name
        if path.suffix in KINDS and path.is_file() and not name.startswith(MADE):
            text = KINDS[path.suffix](path.read_text(encoding="utf-8").partition(f"{TABLE}\n")[0])
            names.append(name)
            starts.append(start)
            texts.append(f"{text}\n¶\n")
            start += texts[-1].count("\n")
    told = []
    # All pages are checked in one call: starting a check costs more than reading some pages.
    for line, what in found("".join(texts), every):
        at = bisect(starts, line - 1) - 1
        told.append(f"{names[at]}:{line - starts[at]}: {what}")
    return told


def main() -> None:
    """Says which, and fails if there are some."""
    told = of_the_project()
    if told:
        raise SystemExit("\n".join([*told, f"{len(told)} places do not follow docs/terms.md"]))


if __name__ == "__main__":
    main()
