"""A paper's folder: what it declares, what is refused, and how findings are compared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from conftest import PLAN, Dupack, of_json
from dupack.errors import RequestError
from dupack.reproduce.batch import Batch
from dupack.reproduce.compare import apart, best, gain, mean_of, mean_paired, paired, ratio, worst
from dupack.reproduce.folder import load, module, unwrapped
from dupack.reproduce.judging import judge
from dupack.reproduce.paper import Estimate, Measured, Paper, Results, Sample, Series
from dupack.reproduce.reads import read
from dupack.reproduce.select import flat, matches, number, only, setting, where
from dupack.reproduce.verdicts import above, all_above, below, every, in_order, positive, within

PAPER_TOML = """
cite = "A. Author: A paper (2026)"
about = "About"
short = "Goodput is {mean:.1f}."
quick = "half"

[experiment.plan]
quick_only = { "queue.kind" = ["epd"] }

[[open]]
open = "what"
choice = "this"
reason = "because"
"""
CLAIM = """
[[claim]]
id = "{id}"
where = "§1"
what = "what"
published = {published}
measure = {{ plan = "plan", read = "goodput"{measure} }}
"""
FIGURES_TOML = """
[[figure]]
id = "1"
title = "Goodput"
shows = "Goodput over the threshold."
plans = ["plan"]
x = "threshold [share]"
y = "goodput [share]"
y_min = 0
ours = "At most {most:.1f}."
curves = [
  { name = "EPD", of = "epd", plan = "plan", where = { kind = "epd" }, x = "queue.threshold", read = "goodput" },
  { name = "plain", of = "plain", plan = "plan", where = { "queue.kind" = "plain" }, read = "goodput" },
  { name = "paper", published = "mean" },
]
"""
MEASURES_PY = """
from dupack.reproduce.paper import Finding, Measures

MEASURES = measure = Measures()
READS = {"goodput": lambda run: run.document["summary"]["goodput"]}

def short(results):
    return {"mean": 0.5}
"""
FIGURES_PY = """
from dupack.reproduce.paper import Figures

from .measures import READS

FIGURES = Figures()
FIGURES.note("1")(lambda results: {"most": max(sample.estimate(READS["goodput"]).mean for sample in results["plan"])})
"""


def sample(settings: Mapping[str, Any], *goodputs: float | list[float] | None) -> Sample:
    """A point with a run for each value."""
    return Sample(dict(settings), [Measured({"summary": {"goodput": value}}) for value in goodputs])


def epd(threshold: float, *goodputs: float) -> Sample:
    return sample({"link.a.queue": {"kind": "epd", "threshold": threshold, "buffer": "100 cells"}}, *goodputs)


PLAIN = sample({"link.a.queue": {"kind": "plain", "buffer": "100 cells"}}, 0.30, 0.32, 0.31)
LOW, HIGH = epd(0.2, 0.50, 0.53, 0.51), epd(0.8, 0.60, 0.61, 0.62)
RESULTS: Results = {"plan": [PLAIN, LOW, HIGH]}
GOODPUT = read("summary.goodput", {})


def folder(place: Path, claims: str = "", figures: str = FIGURES_TOML, **files: str) -> Path:
    """A folder with a plan and these files."""
    given = {"mean": CLAIM.format(id="mean", published="0.55\ntolerance = 0.1", measure=', pick = "best"')}
    texts = {
        "plan.toml": "",
        "paper.toml": PAPER_TOML,
        "published.toml": given["mean"] + claims,
        "figures.toml": figures,
        "measures.py": MEASURES_PY,
        "figures.py": FIGURES_PY,
    }
    made = place / "a-paper 2026"
    made.mkdir()
    for name, text in (texts | {name.replace("_", "."): text for name, text in files.items()}).items():
        (made / name).write_text(text)
    return made


def test_a_folder_is_a_paper_whatever_its_name(tmp_path: Path) -> None:
    paper = load(folder(tmp_path))
    assert paper.key == "a-paper 2026"
    assert paper.short(RESULTS) == "Goodput is 0.5."
    (experiment,) = paper.experiments
    assert [experiment.quick_keep(one.settings) for one in RESULTS["plan"]] == [False, True, True]
    row = judge(paper.claims[0], paper, RESULTS)
    assert row["measured"] == pytest.approx(0.61)
    assert row["agrees"] is True
    (figure,) = paper.figures
    assert figure.told(RESULTS).ours == "At most 0.6."
    one, plain, published = figure.series(RESULTS)
    assert (one.x, [round(y or 0, 3) for y in one.y]) == ([0.2, 0.8], [0.513, 0.61])
    assert (plain.kind, plain.x) == ("flat", [0.2, 0.8])
    assert [y for y in plain.y if y is not None] == pytest.approx([0.31, 0.31])
    assert (published.kind, published.y) == ("reference", [0.55, 0.55])
    measures = module(paper.directory, "measures")
    assert measures is not None
    assert measures.short({}) == {"mean": 0.5}
    assert module(paper.directory, "other") is None


def test_two_folders_of_one_name_are_two_papers(tmp_path: Path) -> None:
    papers = []
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        text = MEASURES_PY.replace("0.5", {"a": "0.1", "b": "0.2"}[place])
        papers.append(load(folder(tmp_path / place, measures_py=text)))
    assert [paper.short(RESULTS) for paper in papers] == ["Goodput is 0.1.", "Goodput is 0.2."]


def test_a_folder_is_loaded_again_with_its_python(tmp_path: Path) -> None:
    place = folder(tmp_path)
    assert load(place).short(RESULTS) == "Goodput is 0.5."
    (place / "measures.py").write_text(MEASURES_PY.replace('"mean": 0.5', '"mean": 0.75'))
    assert load(place).short(RESULTS) == "Goodput is 0.8."


def declared(place: Path, measure: str, published: str = '"so"', results: Results = RESULTS) -> tuple[Any, Any]:
    """What a declared claim gives: the measured value, and whether it agrees."""
    claim = CLAIM.format(id="it", published=published, measure=f", {measure}")
    paper: Paper = load(folder(place, claims=claim))
    row = judge(paper.claims[1], paper, results)
    value = row["measured"]
    return (round(value, 4) if isinstance(value, float) else value), row["agrees"]


EPD = 'where = { "queue.threshold" = true }'


@pytest.mark.parametrize(
    ("measure", "found"),
    [
        (f'{EPD}, pick = "best", minus = {{ where = {{ "queue.kind" = "plain" }} }}', (0.3, True)),
        ('where = { "queue.kind" = "plain" }, minus = { where = { "queue.threshold" = 0.2 } }', (-0.2033, False)),
        (f'{EPD}, minus = {{ where = {{ "queue.kind" = "plain" }} }}', (0.2517, True)),  # the mean of both
        (f'{EPD}, pick = "first", over = {{ pick = "last" }}', (0.8416, False)),
        (f'{EPD}, pick = "last", minus = {{ pick = "first" }}, paired = false', (0.0967, True)),
        (f'{EPD}, pick = "last", gain_over = {{ pick = "first" }}, times = 100', (18.8877, True)),
        (f'{EPD}, pick = "worst", minus = {{ pick = "first" }}', (0.0, False)),
        (f'{EPD}, pick = "worst", holds = "> 0.5"', (0.5133, None)),
        (f'{EPD}, pick = "worst", holds = "< 0.6"', (0.5133, True)),
        (f'{EPD}, pick = "best", minus = {{ pick = "worst" }}, holds = "within 0.2"', (0.0967, True)),
        (
            'order = [{ where = { "queue.kind" = "plain" } }, { where = { "queue.threshold" = 0.2 } }]',
            ("0.310, 0.513", True),
        ),
    ],
)
def test_claims_are_declared(tmp_path: Path, measure: str, found: tuple[Any, Any]) -> None:
    assert declared(tmp_path, measure) == found


def test_a_declared_number_is_compared_with_the_published_one(tmp_path: Path) -> None:
    assert declared(tmp_path, 'pick = "first"', "0.31\ntolerance = 0.01") == (0.31, True)


def test_the_optimum_is_a_number(tmp_path: Path) -> None:
    assert declared(tmp_path, f'{EPD}, optimum = "queue.threshold"', "0.7\ntolerance = 0.1") == (0.8, True)


def test_every_setting_that_is_not_significantly_worse_may_be_the_optimum(tmp_path: Path) -> None:
    flat: Results = {"plan": [PLAIN, epd(0.2, 0.60, 0.61, 0.61), HIGH]}
    assert declared(tmp_path, f'{EPD}, optimum = "queue.threshold"', "0.7\ntolerance = 0.1", flat) == (0.8, None)


@pytest.mark.parametrize(
    ("measure", "published", "agrees"),
    [
        # The interval of the mean, 0.805 to 0.983, reaches each of these.
        ("range = true", "0.98\ntolerance = 0.01", False),
        ("range = true", "0.9\ntolerance = 0.05", None),
        ("range = true", "0.8\ntolerance = 0.2", True),
        ('holds = "> 0.5"', '"so"', None),  # one run has no interval
        ('holds = "< 0.5"', '"so"', None),
    ],
)
def test_each_regime_is_compared(tmp_path: Path, measure: str, published: str, agrees: bool | None) -> None:
    both: Results = {"plan": [sample({"a": 1}, 0.630, 0.930, 0.931, 0.932, 0.933, 0.934, 0.931, 0.932)]}
    value, verdict = declared(tmp_path, measure, published, both)
    assert value == pytest.approx(0.8941, abs=1e-4)
    assert verdict is agrees


def test_the_single_runs_of_two_regimes_are_drawn() -> None:
    values = [0.630, 0.930, 0.931, 0.932, 0.933, 0.934, 0.931, 0.932]
    curve = Series.estimated("EPD", [1.0, 2.0], [Estimate.of([0.5, 0.51]), Estimate.of(values).times(2)], of="epd")
    mean, singles = curve.with_singles()
    assert mean is curve
    assert (singles.kind, singles.of, list(singles.x)) == ("runs", "epd", [2.0] * 8)
    assert list(singles.y) == pytest.approx([2 * value for value in values])


def test_a_ratio_to_0_does_not_exist(tmp_path: Path) -> None:
    claim = CLAIM.format(id="it", published='"so"', measure=f', {EPD}, over = {{ read = "zero" }}')
    reads = MEASURES_PY.replace("READS = {", 'READS = {"zero": lambda run: 0, ')
    paper = load(folder(tmp_path, claims=claim, measures_py=reads))
    row = judge(paper.claims[1], paper, RESULTS)
    assert (row["measured"], row["agrees"]) == (None, None)
    assert row["note"] == "3 of 3 ratios do not exist, because the divisor is 0."


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"paper_toml": PAPER_TOML + "odd = 1\n"}, "paper.toml: Object contains unknown field `odd` - at `$.open[0]`"),
        ({"paper_toml": "cite = 1"}, "paper.toml: Expected `str`, got `int` - at `$.cite`"),
        ({"paper_toml": "="}, "paper.toml: Invalid statement (at line 1, column 1)"),
        ({"paper_toml": PAPER_TOML.replace("experiment.plan", "experiment.other")}, "there is no plan other.toml"),
        (
            {"paper_toml": PAPER_TOML.replace("quick_only", 'tape = "odd"\nquick_only')},
            "measures.py has no function odd",
        ),
        (
            {"measures_py": "", "figures_py": ""},
            'claim mean: unknown measure "goodput"; declared: none; or summary.KEY',
        ),
        ({"figures": FIGURES_TOML.replace('"mean"', '"odd"')}, 'curve paper: no claim "odd" has a published number'),
        ({"figures": FIGURES_TOML.replace("curves =", "odd =")}, "Object contains unknown field `odd`"),
        ({"figures": FIGURES_TOML.split("curves")[0]}, "figure 1: has no curves here or in figures.py"),
        ({"figures_py": FIGURES_PY.replace('"1"', '"2"')}, "figures.py: unknown figures: 2"),
        ({"claims": CLAIM.format(id="mean", published=1, measure="")}, "claim mean: given twice"),
        (
            {"claims": CLAIM.format(id="x", published=1, measure=', pick = "odd"')},
            'claim x: pick = "odd"; known: first',
        ),
        ({"claims": CLAIM.format(id="x", published=1, measure=', holds = "odd"')}, 'claim x: holds = "odd"; allowed:'),
        (
            {"claims": CLAIM.format(id="x", published=1, measure=', minus = {}, optimum = "a"')},
            "claim x: minus and optimum are given together; give one of them",
        ),
        ({"claims": CLAIM.format(id="x", published=1, measure="").split("measure")[0]}, "claim x: has no measure here"),
        (
            {"measures_py": MEASURES_PY + '\nmeasure("odd", "plan")(lambda results: Finding(1))\n'},
            "measures.py: measures of unknown claims: odd",
        ),
        (
            {"measures_py": MEASURES_PY + '\nmeasure("mean", "plan")(lambda results: Finding(1))\n'},
            "claim mean: is also measured in measures.py",
        ),
        (
            {"measures_py": MEASURES_PY.replace("Measures()", "{}")},
            "measures.py: MEASURES is a dict and not a Measures",
        ),
        ({"measures_py": MEASURES_PY + "READS = {'goodput': 1}\n"}, "measures.py: READS: goodput is no function"),
        ({"measures_py": "import sys\nsys.exit(1)\n"}, "measures.py, line 2: SystemExit: 1"),
        (
            {"measures_py": MEASURES_PY.split("def short")[0]},
            "paper.toml: short: {mean} stands for a number, but no Python gives the numbers",
        ),
        ({"figures": FIGURES_TOML.replace("{most:.1f}", "{")}, "figure 1: ours: expected '}' before end of string"),
        ({"figures": FIGURES_TOML + FIGURES_TOML}, "figure 1: given twice"),
        (
            {"figures": FIGURES_TOML.replace('plans = ["plan"]', "plans = []")},
            "figure 1: curve EPD: plans do not name its plan plan",
        ),
        (
            {"claims": CLAIM.format(id="x", published=1, measure="").replace('"plan"', '"odd"')},
            "claim x: there is no plan odd; known: plan",
        ),
        (
            {"claims": CLAIM.format(id="x", published=1, measure="") + 'figure = "2"\n'},
            "claim x: there is no figure 2; known: 1",
        ),
        (
            {"claims": CLAIM.format(id="x", published=1, measure="") + 'relation = "=>"\n'},
            "Invalid enum value '=>' - at `$.claim[1].relation`, claim x",
        ),
        (
            {"claims": CLAIM.format(id="x", published=1, measure=', holds = "> 1"')},
            "claim x: holds: it is for a claim in words; for a number give tolerance or relation",
        ),
        (
            {"claims": CLAIM.format(id="x", published='"so"', measure="")},
            "claim x: the claim is in words; holds must say when it agrees",
        ),
        (
            {"claims": CLAIM.format(id="x", published='"so"', measure=", order = [{}, {}], times = 2")},
            "claim x: times: it does not go with order",
        ),
        (
            {"claims": CLAIM.format(id="x", published='"so"', measure=", over = {}, paired = false")},
            "claim x: paired: it goes with minus only",
        ),
        (
            {
                "claims": CLAIM.format(id="x", published='"so"', measure=", minus = {}")
                + 'mark = { label = "x", y = "published" }\n'
            },
            'mark: y = "published"; the claim is in words',
        ),
    ],
)
def test_a_folder_that_is_not_whole_is_refused(tmp_path: Path, files: dict[str, str], said: str) -> None:
    with pytest.raises(RequestError) as refused:
        load(folder(tmp_path, **files))
    assert said in str(refused.value)
    assert str(tmp_path) in str(refused.value), "it names the file"


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        (
            'where = { "queue.kind" = "odd" }',
            'no point of plan has queue.kind = "odd"; its settings: link.a.queue.kind, link.a.queue.buffer',
        ),
        ('read = "summary.odd"', 'the runs have no "summary.odd"; known: goodput'),
        (f'{EPD}, optimum = "odd"', 'optimum: no setting ends in "odd"'),
        ("order = [{ pick = 'best' }]", "order: it has one sample; give at least two"),
    ],
)
def test_a_claim_that_these_runs_cannot_decide_says_why(tmp_path: Path, measure: str, said: str) -> None:
    published = '"so"' if "order" in measure else "1"
    claim = CLAIM.format(id="it", published=published, measure=f", {measure}")
    paper = load(folder(tmp_path, claims=claim.replace('read = "goodput", read', "read")))
    with pytest.raises(RequestError) as refused:
        judge(paper.claims[1], paper, RESULTS)
    assert f"published.toml: claim it: {said}" in str(refused.value)


def test_a_first_look_gives_no_reason_of_full_runs(tmp_path: Path) -> None:
    words = 'why = "So."\nshows = "It is."\nmeasure'
    claim = CLAIM.format(id="it", published="1\ntolerance = 0.1", measure="").replace("measure", words)
    paper = load(folder(tmp_path, claims=claim))
    assert judge(paper.claims[1], paper, RESULTS)["note"] == "It is. So."
    assert judge(paper.claims[1], paper, RESULTS, full=False)["note"] == ""


SWEEP = """
[sweep]
"link.bottleneck.queue.threshold" = [0.5, 0.7]
"""


def test_points_that_no_plan_has_are_refused_before_any_run(tmp_path: Path) -> None:
    claim = CLAIM.format(id="it", published=1, measure=', where = { "queue.threshold" = 0.6 }')
    figure = '{ name = "EPD", of = "epd", plan = "plan", where = { threshold = 0.9 }, read = "goodput" },'
    curve = re.sub(r"(?s)\{ name = \"EPD\".*?\n.*?\n", figure + "\n", FIGURES_TOML)
    paper = load(folder(tmp_path, claims=claim, figures=curve, plan_toml=PLAN + SWEEP))
    batch = Batch.of(paper, ["plan"], quick=False)
    batch.check(paper.claims[:1], [])
    for asked, said in (
        (
            (paper.claims, []),
            "published.toml: claim it: no point of plan has queue.threshold = 0.6; its",
        ),
        (([], paper.figures), "figures.toml: figure 1: no point of plan has threshold = 0.9"),
    ):
        with pytest.raises(RequestError, match=re.escape(said)):
            batch.check(*asked)


def test_an_error_in_a_measure_names_the_claim_and_the_line(tmp_path: Path) -> None:
    text = MEASURES_PY + '\nmeasure("it", "plan")(lambda results: Finding(1 / 0))\n'
    claim = CLAIM.format(id="it", published=1, measure="").split("measure")[0]
    paper = load(folder(tmp_path, claims=claim, measures_py=text))
    with pytest.raises(RequestError, match=r"claim it: .*measures\.py, line 10: ZeroDivisionError: division by zero"):
        judge(paper.claims[1], paper, RESULTS)


def test_a_number_that_the_runs_do_not_have_is_a_dash(tmp_path: Path) -> None:
    paper = load(folder(tmp_path, measures_py=MEASURES_PY.replace('"mean": 0.5', '"mean": None')))
    assert paper.short(RESULTS) == "Goodput is -."


def test_a_folder_without_a_paper_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        RequestError, match=r"paper\.toml: No such file or directory; a paper's folder needs paper.toml"
    ):
        load(tmp_path)


def test_paragraphs_are_unwrapped_and_lists_are_not() -> None:
    assert unwrapped("\none\ntwo\n\n- a\n  b\n- c\n") == "one two\n\n- a b\n- c"


# Selections


def test_settings_are_found_by_the_end_of_their_path() -> None:
    one = sample({"link.a.queue": {"kind": "epd", "buffer": "100 cells"}, "flow.f.transport.kind": "reno"}, 1.0)
    assert flat(one.settings)["link.a.queue.buffer"] == "100 cells"
    assert setting(one, "queue.kind") == "epd"
    assert number(one, "buffer") == 100
    assert setting(one, "gap", "none") == "none"
    with pytest.raises(ValueError, match="kind is the end of several settings: "):
        setting(one, "kind")
    assert matches(one, {"queue.kind": ["plain", "epd"], "buffer": True, "gap": False})
    assert not matches(one, {"buffer": False})
    assert not matches(one, {"gap": True})
    assert where(RESULTS["plan"], threshold=True) == [LOW, HIGH]
    assert only(RESULTS["plan"], threshold=0.8) is HIGH
    with pytest.raises(LookupError, match="2 samples have "):
        only(RESULTS["plan"], threshold=True)


def test_a_setting_may_be_true_or_false() -> None:
    yes, no, none = sample({"a.b": True}, 1.0), sample({"a.b": False}, 1.0), sample({}, 1.0)
    assert where([yes, no, none], b=True) == [yes]
    assert where([yes, no, none], b=False) == [no, none]


def test_a_setting_may_be_a_list() -> None:
    one, both = sample({"loss.segments": [14]}, 1.0), sample({"loss.segments": [14, 28]}, 1.0)
    assert where([one, both], segments=[14, 28]) == [both]
    assert where([one, both], segments=[[14], [14, 28]]) == [one, both]
    assert where([one, both], segments=[28]) == []


# Comparisons


def test_samples_are_compared_seed_by_seed() -> None:
    assert paired(HIGH, LOW, GOODPUT).mean == pytest.approx(0.29 / 3)
    assert ratio(HIGH, LOW, GOODPUT).mean == pytest.approx((0.60 / 0.50 + 0.61 / 0.53 + 0.62 / 0.51) / 3)
    assert gain(HIGH, LOW, GOODPUT).mean == pytest.approx((0.60 / 0.50 + 0.61 / 0.53 + 0.62 / 0.51) / 3 - 1)
    assert mean_of([LOW, HIGH], GOODPUT).mean == pytest.approx((1.54 + 1.83) / 6)
    assert mean_paired([(HIGH, LOW), (HIGH, PLAIN)], GOODPUT).mean == pytest.approx((0.29 + 0.90) / 6)
    assert best([LOW, HIGH, PLAIN], GOODPUT) is HIGH
    assert worst([sample({}, None), LOW, HIGH], GOODPUT) is LOW, "a sample without a value is not the worst"
    with pytest.raises(ValueError, match="samples with 2 and with 3 values cannot be compared run by run"):
        paired(LOW, sample({}, 1.0, 2.0), GOODPUT)
    assert apart(Estimate(3.0, 0.3), Estimate(1.0, 0.4)) == Estimate(2.0, 0.5)
    same = paired(HIGH, HIGH, GOODPUT)
    assert (same.mean, same.half) == (0.0, 0.0), "paired differences have no spread of their own"


def test_successive_intervals_of_a_run_are_compared_one_by_one() -> None:
    ones, others = sample({}, [1.0, 2.0, 3.0]), sample({}, [0.5, 1.5, 2.5])
    found = paired(ones, others, GOODPUT)
    assert (found.mean, found.half) == (0.5, 0.0)
    assert ones.estimate(GOODPUT) == Estimate.of_intervals([1.0, 2.0, 3.0])


def test_runs_without_a_value_are_left_out() -> None:
    some = Sample({}, [Measured({"summary": {"goodput": value}}) for value in (1.0, None, 3.0)])
    all_ = sample({}, 0.5, 9.0, 1.5)
    assert paired(some, all_, GOODPUT).mean == pytest.approx(1.0)
    assert mean_paired([(some, all_)], GOODPUT).mean == pytest.approx(1.0)


# Verdicts


@pytest.mark.parametrize(
    ("estimate", "verdict"),
    [
        (Estimate(1.0, 0.5), True),
        (Estimate(-1.0, 0.5), False),
        (Estimate(1.0, 1.5), None),  # the interval contains 0
        (Estimate(1.0), None),  # a single run decides nothing
        (Estimate(None), None),
    ],
)
def test_an_interval_decides_or_nothing_does(estimate: Estimate, verdict: bool | None) -> None:
    assert positive(estimate) is verdict
    assert above(estimate).agrees is verdict
    assert above(Estimate(None if estimate.mean is None else estimate.mean + 5, estimate.half), 5.0).agrees is verdict
    turned = Estimate(None if estimate.mean is None else -estimate.mean, estimate.half)
    assert below(turned).agrees is verdict


def test_verdicts_of_several() -> None:
    assert every([True, True]) is True
    assert every([]) is None, "nothing decides nothing"
    assert every([True, None]) is None
    assert every([None, False]) is False
    assert within(Estimate(0.1, 0.1), 0.3).agrees is True
    assert within(Estimate(-0.5, 0.1), 0.3).agrees is False
    assert within(Estimate(0.25, 0.1), 0.3).agrees is None
    assert all_above([Estimate(1.0, 0.1), Estimate(0.5, 0.1)]) == above(Estimate(0.5, 0.1))
    assert positive(Estimate(0.5, 0.2), negligible=1.0) is True
    assert positive(Estimate(0.1, 0.2), negligible=1.0) is False, "surely less than what counts"
    assert in_order([PLAIN, LOW, HIGH], GOODPUT).agrees is True
    assert in_order([LOW, PLAIN], GOODPUT).agrees is False
    assert in_order([LOW, LOW], GOODPUT, slack=0.1).agrees is True


def test_a_folder_is_reproduced_by_its_path(dupack: Dupack, tmp_path: Path) -> None:
    place = folder(tmp_path)
    sweep = """
[sweep]
seeds = "1..2"
"link.bottleneck.queue" = [
  { kind = "epd", buffer = "300 cells", threshold = 0.2 },
  { kind = "epd", buffer = "300 cells", threshold = 0.8 },
  { kind = "plain", buffer = "300 cells" },
]
"""
    (place / "plan.toml").write_text(PLAN + sweep)
    (place / "measures.py").write_text(MEASURES_PY.replace('["goodput"]', '["goodput_fraction"]'))
    (place / "README.md").write_text("# A paper\n")
    result = of_json(dupack("reproduce", "./a-paper 2026", "--json"))
    assert (result["paper"], result["runs"]) == ("a-paper 2026", 6)
    (claim,) = result["claims"]
    assert 0.5 < claim["measured"] < 1
    (figure,) = result["figures"]
    assert [series["name"] for series in figure["series"]] == ["EPD", "plain", "paper"]
    report = (tmp_path / "out" / "a-paper 2026" / "report.html").read_text()
    assert "A. Author: A paper (2026)" in report
    lost = dupack("reproduce", "./nowhere")
    assert lost.returncode == 2
    assert "nowhere/paper.toml: No such file or directory" in lost.stderr
