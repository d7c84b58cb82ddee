"""The linter of texts finds what docs/terms.md does not want, at its line, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from proselint import checks

from docs import prose

TERMS = prose.TERMS.read_text()
OURS = prose.ours(TERMS)


def told(text: str) -> list[tuple[int, str]]:
    return list(prose.found(prose.prose(text), OURS))


def test_each_word_of_the_table_is_found_with_what_to_write_instead() -> None:
    known = prose.words(TERMS)
    assert len(known) > 20
    for form, instead in known.items():
        broken = form.replace(" ", "\n  ")
        assert told(f"A page.\n\nIt has {broken} in it.\n") == [
            (3, f'write "{instead}", not "{broken}" (terms.words)'),
        ]
        elsewhere = f'"{form}" in quotes, `{form}` in code, [a link](x/{form.replace(" ", "-")})'
        assert told(f"It has {elsewhere}.\n\n```text\n{form}\n```\n") == []


def test_a_table_without_a_replacement_is_refused() -> None:
    head = f"{prose.TABLE}\n\n| not | but |\n|---|---|\n"
    assert prose.words(f"{head}| a b, c | d |\n\n## More\n\n| e | f |\n") == {"a b": "d", "c": "d"}
    with pytest.raises(ValueError, match="nothing to write instead of a"):
        prose.words(f"{head}| a | |\n")
    for none in ("# Terms\n", head):
        with pytest.raises(ValueError, match="no table"):
            prose.words(none)


def test_a_sentence_has_forty_words() -> None:
    limit = "Here " + " ".join(["word"] * (prose.LONGEST - 1))
    assert told(f"First.\n{limit}. {limit}: {limit}; {limit}\n\n- {limit}\n- {limit}\n\n| {limit} | {limit} |\n") == []
    assert told(f"First.\nThen\n{limit}.\n") == [(2, "41 words without a stop; write at most 40 (terms.sentences)")]
    assert [line for line, _ in told(f"{limit} `a` b:\n\n{limit} `a b c`\n")] == [1, 3]


def test_only_a_question_begins_with_who() -> None:
    assert told("Who sends? Whoever may. A host who\nWho knows. *Who asks?*\n\n## Who sends it?\n") == []
    says = '"Who" begins a sentence that does not ask; name the subject (terms.who)'
    assert told("Who finds it full\nmay not. (Who comes first\nstays.)\n\n## Who sends\n") == [
        (1, says),
        (2, says),
        (5, says),
    ]


def test_of_code_the_comments_are_read() -> None:
    rust = """//! Nought.
let nought = "nought"; // nought
    /// A lag of
    /// `nought`, an
    /// own one.
//= nought §1
"""
    python = '''nought = "nought"  # A lag.

def nought():
    """One.

    An own
    one: `lag`.
    """
    return """lag"""
'''
    toml = 'nought = "lag"\n# A lag.\n#    lag ── lag\n'
    for read, text, lines in (
        (prose.of_rust, rust, [1, 3, 4]),
        (prose.of_python, python, [1, 6]),
        (prose.of_toml, toml, [2]),
    ):
        assert read(text).count("\n") >= text.count("\n") - 1
        assert [line for line, _ in prose.found(read(text), OURS)] == lines, read


def test_proselint_finds_a_doubled_word_and_no_part_of_a_word() -> None:
    text = "Packets wait for every ack. The the queue is full.\n\nThe queue\n\nThe queue waits for ever.\n"
    told = list(prose.found(prose.prose(text), checks.__register__))
    assert [line for line, what in told if "lexical" in what] == [1]
    assert [line for line, what in told if "archaism" in what] == [5]
