"""The search of a paper's readings: edits of plans, runs that are kept, and the rules of the answer."""

from __future__ import annotations

import itertools
import random
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from dupack.errors import RequestError
from dupack.readings import axes
from dupack.readings.answer import _beside_it, _claim, _fitted, _leading, _reading, _screened, in_words, status
from dupack.readings.axes import Axis, Reading, Space, Value
from dupack.readings.edits import Edits, edited
from dupack.readings.rows import Rows
from dupack.readings.search import Search, Tried, along, by_chance, choose, leading, moving, pairs_first, split
from dupack.reproduce.batch import Batch
from dupack.reproduce.expected import Expected, by_turns
from dupack.reproduce.paper import Claim, Experiment, Finding, Measured, Measures, Results, Sample
from dupack.reproduce.papers import all_papers
from dupack.reproduce.runs import Runs
from dupack.work import Plan, read_plan

PLAN = b"""
duration = "1 s"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "l"
from = "a"
to = "b"
carries = "packets"
rate = "10 Mb/s"
delay = "1 ms"
queue = { kind = "drop-tail", buffer = "50 packets" }
[[flow]]
name = "f"
from = "a"
to = "b"
traffic = { kind = "greedy" }
transport = { kind = "reno", mss = "536 B", header = "40 B", tick = "100 ms" }
[sweep]
seeds = "1..2"
"link.*.rate" = ["10 Mb/s", "20 Mb/s"]
"link.l.queue" = [
  { kind = "drop-tail", buffer = "50 packets" },
  { kind = "red", buffer = "60 packets", min_th = "5 packets", max_th = "15 packets" },
]
"""


@pytest.fixture
def swept() -> Plan:
    return Plan(PLAN, "swept.toml", [])


def values(plan: Plan, edits: Edits) -> list[dict[str, Any]]:
    return [edits.values(plan, point) for point in range(len(plan.points))]


def value(plan: Plan, path: str) -> str:
    """A value of the experiment of a plan's first point, in base units."""
    return dict(line.split(" = ", 1) for line in plan.key(0).splitlines())[path]


# Edits


@pytest.mark.parametrize("paper", all_papers(), ids=lambda paper: paper.key)
def test_a_point_without_edits_is_the_same_experiment(paper: Any) -> None:
    for experiment in paper.experiments:
        plan = read_plan(paper.plan_file(experiment.plan))
        for point in {0, len(plan.points) // 2, len(plan.points) - 1}:
            assert edited(plan, point, Edits()).key(0) == plan.key(point)


@pytest.mark.parametrize("paper", all_papers(), ids=lambda paper: paper.key)
def test_the_axes_of_every_paper_can_be_searched(paper: Any) -> None:
    space = axes.load(paper)
    axes.check(space, space.plans)


def test_an_edit_applies_where_the_point_has_the_path(swept: Plan) -> None:
    found = values(swept, Edits([("link.*.queue.min_th", "7 packets"), ("flow.*.transport.careful", True)]))
    careful = {"flow.f.transport.careful": True}
    red = {"link.l.queue.min_th": "7 packets"}
    assert found == [careful, careful | red, careful, careful | red]


def test_an_edit_of_a_swept_path_keeps_the_settings(swept: Plan) -> None:
    edits = Edits([("link.l.rate", "5 Mb/s")])
    assert [edited(swept, point, edits).points for point in range(4)] == [[{}]] * 4
    assert value(edited(swept, 3, edits), "link.l.rate") == "5000000 b/s"
    assert swept.points[3]["link.*.rate"] == "20 Mb/s"


def test_a_value_is_replaced_point_by_point(swept: Plan) -> None:
    edits = Edits(replace=[("link.*.rate", {"20 Mb/s": "19 Mb/s", "10 Mb/s": "9 Mb/s"})])
    rates = [value(edited(swept, point, edits), "link.l.rate") for point in range(4)]
    assert rates == ["9000000 b/s", "9000000 b/s", "19000000 b/s", "19000000 b/s"]


def test_what_one_axis_sets_another_one_replaces(swept: Plan) -> None:
    edits = Edits([("link.l.rate", "5 Mb/s")], [("link.*.rate", {"20 Mb/s": "19 Mb/s", "5 Mb/s": "4 Mb/s"})])
    assert [each["link.l.rate"] for each in values(swept, edits)] == ["4 Mb/s"] * 4
    # No point has 20 Mb/s then.
    assert edits.told(swept) == ['link.l.rate = "5 Mb/s"', 'link.*.rate = "4 Mb/s"   # instead of 5 Mb/s']
    twice = Edits([("link.l.rate", "5 Mb/s"), ("link.*.rate", "5 Mb/s")])
    assert twice.told(swept) == ['link.l.rate = "5 Mb/s"']


def test_a_report_shows_the_edits_that_change_a_plan(swept: Plan) -> None:
    edits = Edits(
        [("flow.*.transport.careful", True), ("flow.*.transport.carefree", True)],
        [("link.*.rate", {"20 Mb/s": "19 Mb/s", "30 Mb/s": "29 Mb/s"})],
    )
    assert edits.told(swept) == [
        "flow.*.transport.careful = true",
        'link.*.rate = "19 Mb/s"   # instead of 20 Mb/s',
    ]


def test_a_replacement_is_for_the_named_values_only(swept: Plan) -> None:
    assert (
        values(swept, Edits(replace=[("link.l.queue.buffer", {"60 packets": "61 packets"})]))
        == [
            {},
            {"link.l.queue.buffer": "61 packets"},
        ]
        * 2
    )
    # A value outside of the sweep, and one that the plan does not write.
    assert values(swept, Edits(replace=[("flow.f.transport.tick", {"100 ms": "10 ms"})]))[0] == {
        "flow.f.transport.tick": "10 ms"
    }
    assert values(swept, Edits(replace=[("flow.f.transport.min_rto", {"200 ms": "1 s"})])) == [{}] * 4


def test_a_part_is_replaced_by_its_kind(swept: Plan) -> None:
    edits = Edits(replace=[("link.l.queue", {"red": {"kind": "codel", "buffer": "60 packets"}})])
    kinds = [value(edited(swept, point, edits), "link.l.queue.kind") for point in range(4)]
    assert kinds == ["drop-tail", "codel"] * 2


def test_an_edit_also_applies_to_a_table_that_another_edit_sets(swept: Plan) -> None:
    codel = {"kind": "codel", "buffer": "60 packets", "target": "5 ms"}
    queues = ("link.l.queue", {"red": codel})
    whole = Edits(replace=[queues])
    # CoDel's keys are not those of RED.
    target = Edits([("link.*.queue.target", "7 ms")])
    assert values(swept, target) == [{}] * 4
    both = Edits(target.set, whole.replace)
    assert [value(edited(swept, point, both), "link.l.queue.target") for point in (1, 3)] == ["7000000000 ps"] * 2
    replaced = Edits(replace=[queues, ("link.*.queue.target", {"5 ms": "9 ms", "6 ms": "8 ms"})])
    assert value(edited(swept, 1, replaced), "link.l.queue.target") == "9000000000 ps"
    assert value(edited(swept, 1, whole), "link.l.queue.target") == "5000000000 ps"
    # A value that the plan has, too, is what the table says.
    kinds = Edits(replace=[queues, ("link.*.queue.kind", {"codel": "pie"})])
    assert value(edited(swept, 1, kinds), "link.l.queue.kind") == "codel"
    assert both.told(swept) == [
        'link.*.queue.target = "7 ms"',
        'link.l.queue = { "kind" = "codel", "buffer" = "60 packets", "target" = "5 ms" }   # instead of red',
    ]


# Runs that are kept


@dataclass
class Tape:
    lines: int
    times: list[tuple[float, int]]


def of_tape(tape: str) -> Tape:
    return Tape(len(tape), [(0.1, 1), (1 / 3, 2)])


KEY = ("an experiment", 1, "")
TAPED = Experiment("plan", tape=of_tape)


def test_a_run_is_read_back_as_it_was(tmp_path: Path) -> None:
    run = Measured({"summary": {"x": 1 / 3}, "none": None}, of_tape("a tape"))
    with Runs(tmp_path / "runs.sqlite") as runs:
        runs.put(KEY, TAPED, run, 0.5)
    with Runs(tmp_path / "runs.sqlite") as runs:
        assert runs.has(KEY)
        assert not runs.has(("an experiment", 2, ""))
        assert runs.get(KEY, TAPED) == run
        assert runs.cpu_s(KEY) == 0.5


def test_a_run_whose_tape_has_no_known_type_is_kept_in_memory_only(tmp_path: Path) -> None:
    untyped = Experiment("plan", tape=lambda tape: {1, 2})
    with Runs(tmp_path / "runs.sqlite") as runs:
        runs.put(KEY, untyped, Measured({}, {1, 2}), 0.5)
        assert runs.get(KEY, untyped).tape == {1, 2}
    with Runs(tmp_path / "runs.sqlite") as runs:
        assert not runs.has(KEY)


def test_the_work_that_is_left_is_estimated_by_plan() -> None:
    jobs: Any = {
        (f"duration = {s}000000000000 ps\nother = 1", at, ""): (Experiment(plan), None)
        for at, (plan, s) in enumerate([("slow", 2), ("slow", 2), ("slow", 4), ("fast", 1), ("fast", 3), ("other", 1)])
    }
    keys = list(jobs)
    assert [jobs[key][0].plan for key in by_turns(jobs)] == ["slow", "fast", "other", "slow", "fast", "slow"]
    runs = Runs()
    # A run that an earlier command has kept tells what its plan costs, and is not part of this work.
    runs.put(keys[0], Experiment("slow"), Measured({}), 20.0)
    work = Expected(jobs, runs)
    assert work.share_left is None
    work.ended(keys[3], 1.0)
    # Per simulated second: slow 10 s, fast 1 s, and 7 s for what is not known.
    assert work.share_left == pytest.approx((6 * 10 + 3 * 1 + 1 * 7) / 1.0)
    for key, cpu_s in ((keys[1], 20.0), (keys[2], 40.0), (keys[4], 3.0), (keys[5], 5.0)):
        work.ended(key, cpu_s)
    assert work.share_left == 0


def foreign(place: Path) -> Iterator[Path]:
    """Files that dupack has not written."""
    (place / "text.sqlite").write_text("my notes, which are long enough not to be taken for an empty file" * 20)
    yield place / "text.sqlite"
    with sqlite3.connect(place / "other.sqlite") as other:
        other.execute("CREATE TABLE mine (a)")
    yield place / "other.sqlite"
    (place / "link.sqlite").symlink_to(place / "text.sqlite")
    yield place / "link.sqlite"


def test_nothing_that_others_wrote_is_opened_for_runs(tmp_path: Path) -> None:
    for file in foreign(tmp_path):
        before = file.read_bytes()
        with pytest.raises(RequestError, match="nothing was run"):
            Runs(file)
        assert file.read_bytes() == before


# Rows that readings share


class Told(Batch):
    """A reading of the first paper whose runs are named."""

    named: Mapping[str, str]

    def keys(self, plan: str) -> Any:
        return [[(self.named[plan], 1, "")]]

    @property
    def plans(self) -> list[str]:
        return list(self.named)

    def samples(self, plan: str, runs: Runs) -> list[Sample]:
        return [Sample({}, [Measured({"run": self.named[plan]}, None, self.options)])]


def test_a_claim_is_measured_again_only_if_its_runs_or_options_differ(tmp_path: Path) -> None:
    measures = Measures()
    asked: list[tuple[str, str]] = []

    @measures("one", "a")
    def _(results: Results) -> Finding:
        run = results["a"][0].runs[0]
        asked.append((run.document["run"], run.option("count", "all")))
        return Finding(asked[-1][0] + asked[-1][1])

    # This one uses a plan that it does not declare.
    measures("two", "a")(lambda results: Finding(results["b"][0].runs[0].document["run"]))
    paper = replace(all_papers()[0], measures=measures)
    claims = [Claim(name, "", "", "words") for name in ("one", "two")]
    with Runs(tmp_path / "runs.sqlite") as runs:
        rows = Rows(paper, claims, runs)

        def found(a: str, b: str, **options: str) -> list[Any]:
            batch = Told(paper, [], options)
            batch.named = {"a": a, "b": b}
            return [row["measured"] for row in rows.of(batch).values()]

        assert found("a1", "b1") == ["a1all", "b1"]
        assert found("a1", "b1", other="x") == ["a1all", "b1"]
        assert found("a1", "b2") == ["a1all", "b2"]
        assert asked == [("a1", "all")]
        assert found("a1", "b1", count="some") == ["a1some", "b1"]
        assert found("a2", "b1") == ["a2all", "b1"]
        assert found("a1", "b1") == ["a1all", "b1"]
        assert asked == [("a1", "all"), ("a1", "some"), ("a2", "all")]


# The rules of the answer


def axis(name: str, *bases: Any) -> Axis:
    """An axis with values of these bases; the first is as in the plans."""
    made = [
        Value(name=f"v{at}", says="", basis=basis, why="", measure={name: str(at)} if at else {})
        for at, basis in enumerate(bases)
    ]
    return Axis(name=name, where="", open="", value=made)


SPACE = Space(all_papers()[0], [axis("a", "guess", "letter"), axis("b", "letter", "tool", "guess")])


def tried(reading: tuple[int, ...], verdicts: str) -> Tried:
    """A reading under which claims agree (y), do not agree (n) or cannot be said (-)."""
    words: Mapping[str, bool | None] = {"y": True, "n": False, "-": None}
    return Tried(reading, {f"c{at}": {"agrees": words[one]} for at, one in enumerate(verdicts)})


def test_preferred_is_the_best_basis_of_each_axis() -> None:
    assert SPACE.planned == (0, 0)
    assert SPACE.preferred == (1, 0)
    assert SPACE.bases((0, 1)) == (1, 0, 1)


@pytest.mark.parametrize(
    ("one", "other", "probability"),
    [("yyyyy", "nnnnn", 2 / 2**5), ("yyyyyy", "n-nnn-", 2 / 2**6), ("yn", "ny", 1.0), ("yy", "yy", 1.0)],
)
def test_chance_is_that_of_a_fair_coin(one: str, other: str, probability: float) -> None:
    """McNemar's exact test: only claims that agree under one reading alone count."""
    assert by_chance(tried((0, 0), one), tried((0, 1), other)) == pytest.approx(probability)


def test_an_excluded_value_is_searched_and_is_never_the_best() -> None:
    values = [
        Value(name="first", says="", basis="letter", why="", excluded="It is two readings."),
        Value(name="one", says="", basis="guess", why="", measure={"a": "1"}),
        Value(name="other", says="", basis="tool", why="", measure={"a": "2"}),
    ]
    space = Space(all_papers()[0], [Axis(name="a", where="", open="", value=values)])
    assert space.planned == (0,)
    assert space.preferred == (2,)
    ones = [tried((0,), "yyyyyyyyyy"), tried((1,), "yynnnnnnnn"), tried((2,), "ynnnnnnnnn")]
    assert choose(space, ones) is ones[2]
    assert leading(space, ones, 3) == [(2,), (1,), (2,)]


def test_a_claim_that_no_axis_moves_alone_depends_on_those_of_the_closest_readings() -> None:
    ones = [tried((0, 0), "yy"), tried((1, 1), "nn"), tried((1, 2), "ny")]
    assert _claim(SPACE, "c0", ones, {0, 1})["axes"] == ["a", "b"]
    # Axis b edits no plan that the claim uses.
    assert _claim(SPACE, "c0", ones, {0})["axes"] == ["a"]
    # Along the second axis alone, the verdict of the second claim changes.
    assert _claim(SPACE, "c1", ones, {0, 1})["axes"] == ["b"]
    known = {"id": "c0", "status": "fails", "agree": 0, "decided": 2, "axes": [], "alone": True}
    assert _claim(SPACE, "c0", ones[1:], {0, 1}) == known
    assert [_claim(SPACE, claim, ones, {0, 1})["alone"] for claim in ("c0", "c1")] == [False, True]
    assert _claim(SPACE, "c0", ones, {0})["alone"], "no other axis can change this claim"
    assert status(_claim(SPACE, "c0", ones, {0, 1}), 3) == "depends on the reading: at least one of a, b"
    assert status(_claim(SPACE, "c1", ones, {0, 1}), 3) == "depends on the reading: b"


def test_a_reading_that_decides_nothing_contradicts_no_other() -> None:
    ones = [tried((0, 0), "yn-y"), tried((0, 1), "---n"), tried((1, 1), "yn--")]
    found = [_claim(SPACE, f"c{at}", ones, {0, 1}) for at in range(4)]
    assert [claim["status"] for claim in found] == ["holds", "fails", "unsaid", "depends"]
    assert [claim["decided"] for claim in found] == [2, 2, 0, 2]
    assert [claim["axes"] for claim in found] == [[], [], [], ["b"]]
    told = ["holds under every reading that decides it", "holds under no reading that was tried"]
    assert [status(claim, 3) for claim in found] == [
        *(f"{one} (1 of 3 decides nothing)" for one in told),
        "cannot be said",
        "depends on the reading: b (1 of 3 decides nothing)",
    ]


def test_a_letter_comes_before_a_guess_that_is_better_by_chance() -> None:
    letter, guess = tried((1, 0), "yynnnnnnnn"), tried((1, 2), "yyyyyyynnn")
    # 5 of 5 claims: probability 0.0625.
    assert choose(SPACE, [letter, guess]) is letter
    better = tried((1, 2), "yyyyyyyynn")
    assert choose(SPACE, [letter, better]) is better
    # On the last three claims the two are alike.
    assert choose(SPACE, [letter, better], ["c8", "c9"]) is letter


def test_of_readings_alike_the_one_with_fewer_guesses_then_tools_is_best() -> None:
    ones = [tried((0, 0), "yyn"), tried((1, 1), "yyn"), tried((1, 2), "yyn"), tried((1, 0), "ynn")]
    assert choose(SPACE, ones) is ones[3]
    assert choose(SPACE, ones[:3]) is ones[1]
    assert leading(SPACE, ones, 3) == [(1, 0), (1, 1), (0, 0)]


def test_an_axis_moves_a_claim_if_nothing_else_differs() -> None:
    ones = [tried((0, 0), "yn"), tried((1, 0), "yn"), tried((1, 1), "nn"), tried((0, 2), "yy")]
    assert moving(SPACE, ones) == [1]
    assert [(a.reading, b.reading) for a, b in along(ones, 0)] == [((0, 0), (1, 0))]


class Priced(Search):
    """A search whose readings need one run each of 3 s of processor time; two share theirs."""

    def _todo(self, reading: Reading, *, quick: bool) -> Any:
        return {} if quick else {("run", min(reading[1], 1)): (Named("fig-01"), None)}


@dataclass(frozen=True)
class Named:
    plan: str


@pytest.mark.parametrize(("budget_s", "count"), [(0.0, 1), (3.0, 3), (2.9, 1)])
def test_around_the_best_the_budget_counts_each_run_once(tmp_path: Path, budget_s: float, count: int) -> None:
    with Runs(tmp_path / "runs.sqlite") as runs:
        search = Priced(SPACE, [], runs, budget_s)
        search._in_full = {("run", 0): ("fig-01", 3.0)}  # type: ignore[dict-item]
        assert len(list(search._within_budget([(0, 0), (0, 1), (0, 2)]))) == count


def test_an_answer_says_what_was_left_out_around_the_best() -> None:
    assert not _beside_it({"readings": 16, "in_full": 16})
    (told,) = _beside_it({"readings": 16, "in_full": 4})
    assert "16 readings" in told
    assert "4 of them" in told


def test_an_answer_says_how_many_leading_readings_were_run() -> None:
    assert not _leading({"readings": 8, "in_full": 8})
    (told,) = _leading({"readings": 8, "in_full": 5})
    assert "8 readings that led" in told
    assert "run 5 in full" in told


def test_an_answer_says_that_no_combinations_were_screened() -> None:
    known = {"readings": 35, "combinations": 1000, "combined": 32, "refused": 0, "budget_s": 60.0}
    assert "32 of them were tried, within the budget of 1 min" in _screened(known, 34)
    assert "no others were tried" in _screened(known, 35)


def test_a_record_has_what_judges_its_claims_anew() -> None:
    row = {"agrees": True, "measured": 0.12345678, "low": 0.1, "high": 0.2}
    words = {"agrees": False, "measured": "3 of 4", "low": None, "high": None}
    found = _reading(SPACE, Tried((0, 0), {"one": row, "two": words}))
    assert found["measured"] == [0.123457, None]
    assert found["halves"] == [0.05, None]
    assert found["verdicts"] == "yn"


@pytest.mark.parametrize(
    ("unseen", "preferred", "more", "told"),
    [
        (0.60, 0.50, True, "is better for others, too."),
        (
            0.55,
            0.50,
            True,
            "better for the others. More claims agree under the best reading than under that with",
        ),
        (0.50, 0.55, False, "does not clearly make the reading better for the others."),
        (0.30, 0.50, False, "makes the reading worse for the others."),
    ],
)
def test_the_check_for_overfitting_says_what_it_found(unseen: float, preferred: float, more: bool, told: str) -> None:
    said = _fitted({"count": 20, "seen": 0.7, "unseen": unseen, "preferred": preferred, "spread": 0.08}, more)
    assert told in said
    assert said.endswith("authors'." if "More claims" in told else told)
    assert f"{100 * (unseen - preferred):+.0f} points, with a standard deviation of 8 points" in said


def test_the_check_for_overfitting_says_that_nothing_was_fitted() -> None:
    said = _fitted({"count": 20, "seen": 0.7, "unseen": 0.5, "preferred": 0.5, "spread": 0.0}, more=False)
    assert said.endswith(
        "In every split this is the same share as under the chosen reading, so choosing gained nothing."
    )


def test_no_claims_are_not_counted_in_words() -> None:
    assert in_words({"holds": 2, "depends": 1, "fails": 0, "unsaid": 0}) == (
        "Of 3 claims, 2 hold under every reading that decides them and 1 depends on the reading."
    )
    assert in_words({"holds": 0, "depends": 2, "fails": 0, "unsaid": 0}) == "Of 2 claims, 2 depend on the reading."


def test_each_combination_comes_once_and_each_pair_early() -> None:
    sizes = [3, 2, 4, 2, 3]
    made = list(pairs_first(random.Random(1).sample(range(144), 144), sizes))
    assert sorted(made) == sorted(map(list, itertools.product(*map(range, sizes))))
    axes = list(itertools.combinations(range(5), 2))
    pairs = {(a, x, b, y) for a, b in axes for x in range(sizes[a]) for y in range(sizes[b])}
    first = {(a, one[a], b, one[b]) for one in made[:24] for a, b in axes}
    # The least number of combinations with all pairs is 12.
    assert first == pairs


def test_a_split_chooses_by_one_half_and_judges_by_the_other() -> None:
    claims = [Claim(f"c{at}", "", "", 1.0, figure=f"{at // 10}") for at in range(40)]
    # The first reading is right about two figures, the second about none; nothing is right about the others.
    ones = [tried((1, 0), "y" * 20 + "n" * 20), tried((0, 0), "n" * 40)]
    found = split(SPACE, ones, claims)
    assert len(found) == 20
    assert all(one.preferred == one.unseen for one in found), "the letters agree more often, and are always chosen"
    other = split(SPACE, [tried((1, 0), "n" * 40), tried((0, 0), "y" * 40)], claims)
    assert {(one.chosen, one.unseen, one.preferred) for one in other} == {((0, 0), 1.0, 0.0)}
    assert all(one.seen + one.unseen == 1.0 for one in found if one.chosen == (1, 0))
    assert len({one.seen for one in found}) > 1
    assert split(SPACE, ones, claims) == found
