"""A paper of one's own: the example of the how-to, and what a folder is told that is not right."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conftest import Dupack, Once, browser, dupack_in, interrupted, of_json
from dupack.cli import cli
from dupack.errors import RequestError
from dupack.readings.record import StaleRecordError
from dupack.readings.record import load as load_record
from dupack.reproduce.folder import load

HOWTO = Path(__file__).parents[2] / "docs/howto"
EXAMPLE = HOWTO / "paper/fall-floyd-1996"
NAME = EXAMPLE.name


def copied(place: Path) -> Path:
    """The example in another place; nothing is written into docs."""
    return Path(shutil.copytree(EXAMPLE, place / NAME, ignore=shutil.ignore_patterns("__pycache__")))


@pytest.fixture(scope="session")
def searched(once: Once) -> tuple[Path, Any]:
    """The reports of the example, and what the commands print: reproduced, searched, and reproduced again."""

    def make(place: Path) -> dict[str, Any]:
        copied(place)
        planned = of_json(dupack_in(place, "reproduce", f"./{NAME}", "--json"))
        answer = of_json(dupack_in(place, "readings", f"./{NAME}", "--record", "--json"))
        again = dupack_in(place, "reproduce", f"./{NAME}", "--json")
        return {"planned": planned, "answer": answer, "again": of_json(again), "said": again.stderr}

    return once("own-paper", make)


def verdicts(document: Any) -> dict[str, bool | None]:
    return {claim["id"]: claim["agrees"] for claim in document["claims"]}


def test_the_example_is_reproduced(searched: tuple[Path, Any]) -> None:
    place, found = searched
    planned = found["planned"]
    assert (planned["paper"], planned["runs"], planned["reading"]) == (NAME, 16, None)
    assert [claim for claim, agrees in verdicts(planned).items() if agrees is not True] == ["two-reno"]
    assert planned["short"].startswith("Reno waits for a timeout when 2 or 3 or 4 packets")
    assert planned["short"].split("\n\n")[0].endswith(" The runs decide every claim.")
    measured = {claim["id"]: claim["measured"] for claim in planned["claims"]}
    assert measured["newreno-one-per-round-trip"] == pytest.approx(3)
    assert measured["tahoe-once"] == "4 in 4 runs, 0 timeouts"
    assert {file.name for file in (place / "out" / NAME / "figures").glob("*.svg")} == {
        "fig-04.svg",
        "readings.svg",
        "recovery.svg",
    }
    recovery, packets = planned["figures"]
    words = ["[14]", "[14, 28]", "[14, 26, 28]", "[14, 24, 26, 28]"]
    assert [series["x"] for series in recovery["series"]] == [words] * 4
    assert {series["name"].split(": ")[0] for series in packets["series"]} == {"Tahoe", "Reno", "NewReno", "SACK"}


def test_its_readings_are_searched(searched: tuple[Path, Any]) -> None:
    place, found = searched
    answer = found["answer"]
    status = {claim["id"]: (claim["status"], claim["axes"]) for claim in answer["claims"]}
    assert [claim for claim, (one, _) in status.items() if one == "holds"] == ["one-reno", "three-reno", "four-reno"]
    assert status["two-reno"] == ("depends", ["reno", "drops", "acks"])
    assert status["newreno-none"] == status["sack-none"] == ("depends", ["acks"])
    best, planned = (answer["readings"][answer[which]] for which in ("best", "planned"))
    assert best["values"] == {"reno": "again", "drops": "ns-2", "acks": "each", "round-trip": "empty"}
    assert (best["agree"], planned["agree"]) == (9, 8)
    assert planned["values"]["reno"] == "once"
    moves = {axis["name"]: len(axis["moves"]) for axis in answer["axes"]}
    assert moves["round-trip"] == 0
    assert moves["acks"] == 6
    assert answer["screening"]["combined"] == answer["screening"]["combinations"] == 12
    assert answer["screening"]["refused"] == 0
    assert answer == json.loads((place / NAME / "readings.json").read_text())
    page = (HOWTO / "paper.md").read_text()
    assert [key for key in answer if f"`{key}`" not in page] == []
    assert (place / "out" / NAME / "readings.html").exists()


WIDTH = 380
FRAME = """<!doctype html>
<iframe id="page" src="{page}" style="width: {width}px; height: 2000px; border: 0"></iframe>
<script>
onload = () => {{
  const root = document.getElementById("page").contentDocument.documentElement;
  document.title = `${{root.scrollWidth}} of ${{root.clientWidth}}`;
}};
</script>
"""


def test_its_pages_are_not_wider_than_a_telephone(searched: tuple[Path, Any], tmp_path: Path) -> None:
    program = browser()
    for name in ("report", "readings"):
        page = searched[0] / "out" / NAME / f"{name}.html"
        (tmp_path / "frame.html").write_text(FRAME.format(page=page.as_uri(), width=WIDTH))
        headless = ["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--dump-dom"]
        told = subprocess.run(
            [program, *headless, "--virtual-time-budget=5000", (tmp_path / "frame.html").as_uri()],
            env=os.environ | {"HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        width, of = map(int, re.findall(r"<title>(\d+) of (\d+)</title>", told.stdout)[0])
        assert width <= of <= WIDTH, name


def test_with_a_record_it_is_reproduced_by_the_best_reading(searched: tuple[Path, Any]) -> None:
    place, found = searched
    assert found["again"]["reading"]["reno"] == "again"
    report = (place / "out" / NAME / "report.html").read_text()
    assert "<b>All readings.</b>" in report
    assert "as requested" not in report
    assert "<li>fast retransmits of Reno, two drops (Fig. 3): reno, drops, acks</li>" in report
    assert "<pre>flow.transfer.transport.careful = false</pre>" in report, "what the reading changes in the plan"
    assert set(verdicts(found["again"]).values()) == {True}
    assert found["said"] == f"{NAME}: 16 of 16 runs had already finished\n", "the search has run them"


def test_a_search_that_is_interrupted_goes_on(searched: tuple[Path, Any], tmp_path: Path) -> None:
    copied(tmp_path)
    stopped = interrupted(tmp_path, 20, "readings", f"./{NAME}")
    assert stopped.returncode == 130
    assert "no answer was written. Finished runs are in out/fall-floyd-1996/data/runs.sqlite" in stopped.stderr
    found = of_json(dupack_in(tmp_path, "readings", f"./{NAME}", "--json"))
    whole = searched[1]["answer"]
    assert found["screening"].pop("cpu_s") >= 0
    assert found | {"screening": 0} == whole | {"screening": 0}


def test_the_page_shows_the_files_of_the_example() -> None:
    text = (HOWTO / "paper.md").read_text()
    files = [path.read_text() for path in EXAMPLE.iterdir() if path.is_file()]
    blocks = re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    for block in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        # Imports are shown in part.
        blocks += [part for part in re.split(r"\n\n+", block) if not part.startswith(("import", "from", "MEASURES"))]
    assert len(blocks) > 6
    for block in blocks:
        assert any(block.strip() in file for file in files), block


# Input that is refused

Told = Callable[..., str]


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Told:
    """Changes the example, calls the command, and gives what it says; nothing may have been run."""

    def told(*changes: tuple[str, str], file: str = "readings.toml", words: Sequence[str] = ()) -> str:
        folder = copied(tmp_path)
        text = (folder / file).read_text()
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (folder / file).write_text(text)
        monkeypatch.chdir(tmp_path)
        result = CliRunner().invoke(cli, ["readings", f"./{NAME}", *words])
        assert isinstance(result.exception, RequestError), result.output
        assert not (tmp_path / "out").exists(), "nothing was run"
        return str(result.exception)

    return told


CAREFUL = 'set = { "flow.transfer.transport.careful" = false }'
DELAYED = 'set = { "flow.transfer.transport.delayed_ack" = true }'
AGAIN = f"{NAME}/readings.toml: axis reno, value again: "
SAME = "once and again are the same in all plans that the claims need: drops"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        # An edit that has no place.
        ((CAREFUL, CAREFUL.replace("careful", "carefree")), f"{AGAIN}no plan that the claims need (drops) has flow."),
        ((CAREFUL, f"{CAREFUL[:-1]}, 'link.x.rate' = '1 Mb/s' }}"), f"{AGAIN}no plan that the claims need (drops) has"),
        ((CAREFUL, 'set = { "sweep.seeds" = "1..3" }'), f"{AGAIN}no plan that the claims need (drops) has sweep.seeds"),
        (
            ('"[14, 26, 28]" = [7, 8, 9]', '"[14,26,28]" = [7, 8, 9]'),
            "axis drops, value small-window: no plan that the claims need (drops) has link.bottleneck.loss.segments = "
            "[14,26,28]",
        ),
        (
            ('measure = { round-trip = "measured" }', 'measure = { trip = "measured" }'),
            'axis round-trip, value measured: measure: no measure in Python asks for the option "trip"',
        ),
        (
            ('measure = { round-trip = "measured" }', 'measure = { round-trip = "banana" }'),
            'axis round-trip, value measured: measure.round-trip: no measure in Python knows the word "banana"',
        ),
        # A name of something else in Python is not that of an option.
        (
            ('measure = { round-trip = "measured" }', 'measure = { send = "drop" }'),
            'axis round-trip, value measured: measure: no measure in Python asks for the option "send"',
        ),
        # Values that are the same.
        ((CAREFUL, CAREFUL.replace("false", "true")), f"axis reno: {SAME}"),
        (
            ('"[14]" = [7]\n"[14, 28]" = [7, 8]\n"[14, 26, 28]" = [7, 8, 9]\n"[14, 24, 26, 28]" = [7, 8, 9, 10]',
             '"[14, 28]" = [14, 15]\n"[14, 26, 28]" = [14, 15, 16]\n"[14, 24, 26, 28]" = [14, 15, 16, 17]'),
            "axis drops: in-a-row and small-window are the same in all plans that the claims need: drops",
        ),
        # A value that the plan refuses.
        ((CAREFUL, CAREFUL.replace("false", '"no"')), 'transport.careful: "no" is a string; write true or false'),
        ((CAREFUL, 'set = { duration = 20 }'), "duration: 20 is a bare number; write a unit"),
        # A table without a value that another axis edits.
        (
            (DELAYED, 'set = { "flow.transfer.transport" = { kind = "tahoe", mss = "1000 B" } }'),
            "axis acks sets flow.transfer.transport of drops.toml, point 1, as a whole, and axis reno sets "
            "flow.transfer.transport.careful in it. The plan has careful = true there, and the table does not have it",
        ),
        # Two axes that edit the same value.
        (
            (DELAYED, CAREFUL),
            "readings.toml: axes reno and acks both set flow.transfer.transport.careful of drops.toml, point 1; one of "
            "them may",
        ),
        # An axis may set what another one replaces, if that one knows the value.
        (
            (DELAYED, 'set = { "link.bottleneck.loss.segments" = [14, 27] }'),
            "to [14, 27], and axis drops has no new value for it there; it has some for [14, 28], [14, 26, 28], [14, ",
        ),
        (
            (DELAYED, 'measure = { round-trip = "measured" }'),
            "axis round-trip: measure.round-trip is also set by axis acks",
        ),
        # No value as in the plans, or two.
        (
            ('why = "The default of ns-2 (bugFix_)."', f'why = "x"\n{DELAYED}'),
            "axis reno: one value must be as in the plans, without set, replace, only and measure; found: none",
        ),
        (
            (CAREFUL, ""),
            "must be as in the plans, without set, replace, only and measure; found: once and again",
        ),
        # An unknown plan.
        (('name = "acks"', 'name = "acks"\nplans = ["drop"]'), "axis acks: there is no plan drop; known: drops"),
        ((CAREFUL, 'only = { drop = { "duration" = "4 s" } }'), "axis reno: there is no plan drop; known: drops"),
        # Names and words.
        (('name = "acks"', 'name = "reno"'), "readings.toml: axis reno: given twice"),
        (('name = "delayed"', 'name = "each"'), "axis acks: value each: given twice"),
        (
            ('name = "delayed"', 'name = "Delayed acks"'),
            "it is not a name - at `$.axis[2].value[1].name`, axis acks, value Delayed acks; allowed are small letters",
        ),
        (('name = "acks"', 'name = "acks\\n"'), "it is not a name - at `$.axis[2].name`, axis 'acks\\n'; allowed are"),
        (('name = "acks"', 'name = ""'), "it is not a name - at `$.axis[2].name`; allowed are small letters"),
        (
            ('basis = "letter"', 'basis = "text"'),
            "value 'text' - at `$.axis[0].value[1].basis`, axis reno, value again; allowed are letter, tool, standard,",
        ),
        (('basis = "letter"', 'basis = 1'), "`str`, got `int` - at `$.axis[0].value[1].basis`, axis reno, value again"),
        (('basis = "letter"\n', ''), "missing required field `basis` - at `$.axis[0].value[1]`, axis reno, value"),
        (('where = "Fig. 3"\n', ''), "Object missing required field `where` - at `$.axis[0]`, axis reno"),
        (('name = "reno"\n', ''), "Object missing required field `name` - at `$.axis[0]`"),
        (('why = "RFC 1122 asks for them."', 'why = " "'), "it is empty - at `$.axis[2].value[1].why`, axis acks"),
        ((CAREFUL, f'{CAREFUL}\nexcluded = " "'), "it is empty - at `$.axis[0].value[1].excluded`, axis reno"),
        ((CAREFUL, "set = [1]"), "Expected `object`, got `array` - at `$.axis[0].value[1].set`, axis reno"),
        ((DELAYED, f"{DELAYED}\nname = 1"), "Cannot overwrite a value (at line "),
        ((CAREFUL, f'{CAREFUL}\nclaim = "two-renos"'), "Object contains unknown field `claim` - at"),
        # Words of options.
        (
            ('measure = { round-trip = "measured" }', 'measure = { round-trip = "empty" }'),
            "axis round-trip: empty and measured are the same in all plans that the claims need: drops",
        ),
        (
            ('measure = { round-trip = "measured" }', 'measure = { round-trip = "" }'),
            "it is empty - at `$.axis[3].value[1].measure[...]`, axis round-trip, value measured",
        ),
        (
            ('measure = { round-trip = "measured" }', 'measure = { round-trip = "3" }'),
            'axis round-trip, value measured: measure.round-trip: no measure in Python knows the word "3"',
        ),
        ((CAREFUL, "set = { duration = 2001-02-03 }"), 'duration: 2001-02-03 is a date; write a time'),
        (
            (CAREFUL, "[axis.value.sets]"),
            "Object contains unknown field `sets` - at `$.axis[0].value[1]`, axis reno, value again",
        ),
    ],
)  # fmt: skip
def test_readings_that_are_not_right_are_refused(refused: Told, change: tuple[str, str], said: str) -> None:
    told = refused(change)
    assert said in told
    assert f"{NAME}/readings.toml: " in told, "it names the file"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "Object missing required field `axis`"),
        (b"axis = []", "Expected `array` of length >= 1 - at `$.axis`"),
        (b"axis = 3", "Expected `array`, got `int` - at `$.axis`"),
        (b"axis = [1]", "Expected `object`, got `int` - at `$.axis[0]`"),
        (b"[axis]", "Expected `array`, got `object` - at `$.axis`"),
        (b"[[axis]", "(at line 1, column "),
        (b"# \xe9", "byte 2 is not UTF-8"),
        (b"axis = " + 5000 * b"[", "its lists or tables are nested too deeply"),
    ],
)
def test_a_file_of_other_things_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    folder = copied(tmp_path)
    (folder / "readings.toml").write_bytes(content)
    # The report of a paper has its axes, too.
    for command in (["readings", str(folder)], ["reproduce", str(folder), "--out", str(tmp_path / "out")]):
        result = CliRunner().invoke(cli, command)
        assert isinstance(result.exception, RequestError), result.output
        assert str(result.exception).startswith(f"{folder / 'readings.toml'}: ")
        assert said in str(result.exception)
        assert not (tmp_path / "out").exists(), "nothing was run"


@pytest.mark.parametrize("name", ["paper.toml", "published.toml", "figures.toml"])
def test_a_file_that_is_nested_too_deeply_is_refused(tmp_path: Path, name: str) -> None:
    folder = copied(tmp_path)
    (folder / name).write_bytes(b"x = " + 5000 * b"[")
    with pytest.raises(RequestError, match=f"{name}: its lists or tables are nested too deeply"):
        load(folder)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--claim", "two-renos"], f'--claim: {NAME} has no claim "two-renos"; did you mean "two-reno"?'),
        (["--claim", "x"], f'--claim: {NAME} has no claim "x"; its claims are in '),
        (["--budget", "soon"], '--budget soon: not a time; write a number with s, m or h, such as "20m"'),
        (["--budget", "20"], "--budget 20: not a time"),
        (["--budget", "-1s"], "--budget -1s: not a time"),
        (["--on", "moon"], "--on moon: unknown engine"),
        (["--record", "--quick"], "--record: it needs full runs of all claims; leave out --quick and --claim"),
        (["--record", "--claim", "two-reno"], "--record: it needs full runs of all claims"),
    ],
)
def test_options_that_are_not_right_are_refused(refused: Told, words: list[str], said: str) -> None:
    assert said in refused(words=words)


def test_a_folder_without_axes_is_refused(dupack: Dupack, tmp_path: Path) -> None:
    (copied(tmp_path) / "readings.toml").unlink()
    done = dupack("readings", f"./{NAME}")
    assert done.returncode == 2
    assert f"{NAME}/readings.toml: there is no such file; it says what the paper leaves open" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_record_of_other_axes_is_not_used(dupack: Dupack, tmp_path: Path, searched: tuple[Path, Any]) -> None:
    folder = copied(tmp_path)
    (folder / "readings.json").write_text(json.dumps(searched[1]["answer"]))
    (folder / "readings.toml").write_text((folder / "readings.toml").read_text().replace('"acks"', '"receiver"'))
    asked = dupack("reproduce", f"./{NAME}", "--reading", "best")
    assert asked.returncode == 2
    assert "readings.json: there is no axis acks; known: reno, drops, receiver, round-trip. dupack" in asked.stderr
    assert not (tmp_path / "out").exists()
    done = dupack("reproduce", f"./{NAME}", "--json")
    said = (
        f"The record of the search is not used, and the plans are run as they are. {folder}/readings.json: there "
        f"is no axis acks; known: reno, drops, receiver, round-trip. dupack readings {NAME} --record makes it anew."
    )
    assert said in done.stderr
    found = of_json(done)
    assert (found["reading"], found["unused_record"]) == (None, said)
    assert verdicts(found) == verdicts(searched[1]["planned"])
    assert said in (tmp_path / "out" / NAME / "report.html").read_text()


@pytest.mark.parametrize("text", ["{}", "[]", "nothing", '{"claims": [], "axes": 1, "readings": {}, "best": 0}'])
def test_a_record_that_is_none_is_not_used(dupack: Dupack, tmp_path: Path, text: str) -> None:
    (copied(tmp_path) / "readings.json").write_text(text)
    done = dupack("reproduce", f"./{NAME}", "--quick", "--json")
    assert "The record of the search is not used, and the plans are run as they are. " in done.stderr
    assert of_json(done)["reading"] is None


def test_what_was_added_after_the_search_is_told(searched: tuple[Path, Any], tmp_path: Path) -> None:
    folder = copied(tmp_path)
    found = searched[1]["answer"]
    found = found | {"axes": [axis for axis in found["axes"] if axis["name"] != "round-trip"]}
    (folder / "readings.json").write_text(json.dumps(found))
    record = load_record(load(folder))
    assert record is not None
    assert record.told()[-1] == (
        f"Added after this search, and not tried: round-trip. dupack readings {NAME} --axis round-trip --record tries "
        "it."
    )


def test_an_axis_is_added_to_a_record(searched: tuple[Path, Any], dupack: Dupack, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    whole = (folder / "readings.toml").read_text()
    # The axes acks and round-trip come later, and a value of acks has a better basis than that of the plans.
    (folder / "readings.toml").write_text(whole[: whole.index('[[axis]]\nname = "acks"')])
    first = of_json(dupack("readings", f"./{NAME}", "--record", "--json"))
    assert [axis["name"] for axis in first["axes"]] == ["reno", "drops"]
    assert whole.count('basis = "standard"') == 1
    (folder / "readings.toml").write_text(whole.replace('basis = "standard"', 'basis = "letter"'))
    found = of_json(dupack("readings", f"./{NAME}", "--axis", "acks", "--record", "--json"))
    assert found == json.loads((folder / "readings.json").read_text())
    assert found["added"] == len(found["readings"]) - len(first["readings"]) == 1
    assert found["around"] == first["around"]
    (axis,) = (axis for axis in found["axes"] if axis["name"] == "acks")
    assert [value["agree"] for value in axis["values"]] == [9, 3]
    assert axis["moved_in_screening"] is None
    assert found["readings"][found["preferred"]]["values"]["acks"] == "delayed"
    status = {claim["id"]: (claim["status"], claim["axes"]) for claim in found["claims"]}
    assert status["newreno-none"] == ("depends", ["acks"])
    best = [answer["readings"][answer["best"]] for answer in (first, found)]
    assert {one["values"]["acks"] for one in found["readings"]} == {"each", "delayed"}
    assert [one["agree"] for one in best] == [9, 9]
    record = load_record(load(folder))
    assert record is not None
    assert "Later, one reading was added with --axis, which has no budget." in record.told()
    assert record.told()[-1].startswith("Added after this search, and not tried: round-trip. ")
    # Nothing is added to a record of which these runs are not.
    at = found["readings"][found["center"]]
    at["verdicts"] = "n" + at["verdicts"][1:]
    (folder / "readings.json").write_text(json.dumps(found))
    done = dupack("readings", f"./{NAME}", "--axis", "acks")
    assert done.returncode == 2
    assert "--axis: in these runs, 1 claim has another verdict than in " in done.stderr


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--axis", "ack"), 'readings.toml has no axis ack; did you mean "acks"?'),
        (("--axis", "acks"), "readings.json does not exist; search with --record first"),
        (("--axis", "acks", "--quick"), "--axis: it adds full runs of all claims to a record; leave out --quick and"),
    ],
)
def test_an_axis_that_cannot_be_added_is_refused(
    dupack: Dupack, tmp_path: Path, asked: tuple[str, ...], said: str
) -> None:
    copied(tmp_path)
    done = dupack("readings", f"./{NAME}", *asked)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_record_by_another_rule_is_not_used(searched: tuple[Path, Any], tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "readings.json").write_text(json.dumps(searched[1]["answer"] | {"rule": "The first is the best."}))
    with pytest.raises(StaleRecordError, match="its best reading was chosen by another rule"):
        load_record(load(folder))


def test_verdicts_that_are_not_those_of_the_search_are_told(searched: tuple[Path, Any], tmp_path: Path) -> None:
    folder = copied(tmp_path)
    found = searched[1]["answer"]
    (folder / "readings.json").write_text(json.dumps(found))
    record, rows = load_record(load(folder)), searched[1]["again"]["claims"]
    assert record is not None
    assert record.changed(rows) == []
    other = [row | {"agrees": None} if row["id"] == "tahoe-once" else row for row in rows]
    (told,) = record.changed(other)
    assert told.startswith("1 claim has another verdict in these runs than in the search: ")
    assert rows[[row["id"] for row in rows].index("tahoe-once")]["what"] in told


# Parts of a search


def test_a_claim_is_searched_on_the_axes_that_concern_it(dupack: Dupack, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    plan = (folder / "drops.toml").read_text()
    (folder / "other.toml").write_text(plan.replace('["tahoe", "reno", "newreno", "sack"]', '["reno"]'))
    for name, old, new in (
        ("published.toml", 'plan = "drops", where = { kind = "reno", segments = [14] }', 'plan = "other"'),
        ("readings.toml", 'name = "acks"', 'name = "acks"\nplans = ["drops"]'),
    ):
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))
    found = of_json(dupack("readings", f"./{NAME}", "--claim", "one-reno", "--quick", "--json"))
    assert [axis["name"] for axis in found["axes"]] == ["reno", "drops", "round-trip"]
    assert [claim["id"] for claim in found["claims"]] == ["one-reno"]
    # The answer for all claims is another file.
    written = {path.name for path in (tmp_path / "out/quick" / NAME).glob("readings*")}
    assert written == {"readings-of-claims.html", "readings-of-claims.json"}


def test_values_that_do_not_go_together_are_left_out(dupack: Dupack, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    text = (folder / "readings.toml").read_text()
    for old, path, time in ((CAREFUL, "min_rto", "4 s"), (DELAYED, "max_rto", "2 s")):
        text = text.replace(old, f'{old[:-2]}, "flow.transfer.transport.{path}" = "{time}" }}')
    (folder / "readings.toml").write_text(text)
    done = dupack("readings", f"./{NAME}", "--quick")
    assert "Left out, because their values do not go together and a plan refuses them: 1." in done.stdout
    # With these bases they are the preferred reading, around which all others are tried.
    (folder / "readings.toml").write_text(
        text.replace('basis = "tool"\nwhy = "The default receiver', 'basis = "guess"\nwhy = "')
    )
    done = dupack("readings", f"./{NAME}", "--quick")
    assert done.returncode == 2
    assert "the values with the best basis do not go together (reno again, drops ns-2, acks delayed" in done.stderr


def test_a_measure_that_fails_under_a_reading_names_the_reading(dupack: Dupack, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    text = (folder / "readings.toml").read_text()
    assert DELAYED in text
    # With two hosts a flow has another name.
    (folder / "readings.toml").write_text(text.replace(DELAYED, 'set = { "host.s1.count" = 2 }'))
    done = dupack("readings", f"./{NAME}", "--quick")
    assert done.returncode == 2
    assert "claim " in done.stderr
    assert "(under the reading reno=again, acks=delayed of " in done.stderr
    assert f"{NAME}/readings.toml; other axes as in the plans)" in done.stderr
