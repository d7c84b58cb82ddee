"""``dupack compare`` and the rule ``stop``, as a user calls them."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path

import pytest

import dupack as dk
from conftest import PLAN, Dupack, of_json
from dupack import Plan, _native, run
from dupack.comparing.rank import gain, rank
from dupack.stopping import Stopping
from test_sweep import SWEEP, begin, content, journal, until

QUEUE = "link.bottleneck.queue"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """A plan that takes milliseconds."""
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


def test_alternatives_are_ranked_with_paired_differences(dupack: Dupack, plan: Path) -> None:
    words = ["compare", plan, "--vary", f"{QUEUE}=plain,ppd,epd,bpd", "--seeds", "1..6"]
    found = of_json(dupack(*words, "--json"))
    assert (found["of"], found["better"], found["seeds"]) == ("goodput_bps", "more", [1, 2, 3, 4, 5, 6])
    (group,) = found["comparisons"]
    ranked = group["alternatives"]
    assert {one["alternative"][QUEUE] for one in ranked} == {"plain", "ppd", "epd", "bpd"}
    means = [one["mean"] for one in ranked]
    assert means == sorted(means, reverse=True)
    # The same by hand, from separate runs of each alternative.
    values = {}
    for one in ranked:
        kind = one["alternative"][QUEUE]
        alone = of_json(dupack("run", plan, "--set", f"{QUEUE}={kind}", "--seeds", "1..6", "--json"))
        values[kind] = [each["summary"]["goodput_bps"] for each in alone["runs"]]
        assert one["mean"] == pytest.approx(sum(values[kind]) / 6)
    best = ranked[0]["alternative"][QUEUE]
    for one in ranked[1:]:
        paired = [a - b for a, b in zip(values[one["alternative"][QUEUE]], values[best], strict=True)]
        mean = sum(paired) / 6
        sigma = math.sqrt(sum((x - mean) ** 2 for x in paired) / 5 / 6)
        assert one["difference"] == pytest.approx(mean)
        # Student's t with 5 degrees of freedom, at 1 - 0.05 / 6 / 2.
        assert (one["high"] - one["low"]) / 2 == pytest.approx(4.2193 * sigma, rel=1e-3)
        assert one["told_apart"] == (one["high"] < 0)
    text = dupack(*words).stdout
    assert "The intervals of all 6 differences hold simultaneously with 95 % confidence (Bonferroni)" in text
    line = next(line for line in text.splitlines() if line.startswith("1"))
    assert line.split()[1] == best
    assert line.rstrip().endswith(" best")


def test_other_measures_are_compared_beside_the_one_that_ranks(dupack: Dupack, plan: Path) -> None:
    words = ["compare", plan, "--vary", f"{QUEUE}=plain,ppd,epd", "--seeds", "1..6"]
    found = of_json(dupack(*words, "--also", "timeouts", "--also", "flows.bulk-*.mean_rtt_s", "--json"))
    (group,) = found["comparisons"]
    (alone,) = of_json(dupack(*words, "--of", "timeouts", "--json"))["comparisons"]
    means = {one["alternative"][QUEUE]: one["mean"] for one in alone["alternatives"]}
    best = group["alternatives"][0]["alternative"][QUEUE]
    for one in group["alternatives"]:
        name, timeouts = one["alternative"][QUEUE], one["also"]["summary.timeouts"]
        assert timeouts["mean"] == means[name]
        assert list(one["also"]) == ["summary.timeouts", "flows.bulk-*.mean_rtt_s"]
        if name != best:
            assert timeouts["difference"] == pytest.approx(means[name] - means[best])
            assert timeouts["told_apart"] == (timeouts["low"] > 0 or timeouts["high"] < 0)
    stars = sum(part["told_apart"] or False for one in group["alternatives"] for part in one["also"].values())
    first = sum(one["told_apart"] or False for one in group["alternatives"])
    # In one table where it fits, else in two, of which the first has a column for what is significant.
    for columns, heads, starred in (
        (1000, r"goodput +difference from the best +timeouts +bulk-\* mean_rtt_s$", stars + first),
        (66, r"  queue +timeouts +bulk-\* mean_rtt_s$", stars),
    ):
        text = dupack(
            *words, "--also", "timeouts", "--also", "flows.bulk-*.mean_rtt_s", "--of", "goodput_bps", columns=columns
        ).stdout
        lines = text.splitlines()
        at = next(at for at, line in enumerate(lines) if "mean_rtt_s" in line)
        head, *rows = lines[at : at + 4]
        assert re.search(heads, head), head
        assert [row.split()[1] for row in rows] == [one["alternative"][QUEUE] for one in group["alternatives"]]
        assert sum(row.count("*") for row in rows) == starred
        assert (f"*: the difference from {best} is significant (95 %)." in text) == (starred > 0)
        assert bool(re.search(r" (yes|no)\n", text)) == (columns < 1000)


def test_what_ranks_if_nothing_is_asked_for_is_the_goodput_of_all_flows(dupack: Dupack) -> None:
    """Not the share of the fullest link: fair queueing fills one hop of a parking lot and delivers less."""
    dupack("new", "lot.toml", "--topology", "parking-lot")
    words = ["compare", "lot.toml", "--vary", "link.hop-*.queue=drop-tail,fair-queueing", "--seeds", "1..3"]
    best = []
    for of in ("goodput_bps", "goodput_fraction"):
        (group,) = of_json(dupack(*words, "--of", of, "--json"))["comparisons"]
        best.append(group["alternatives"][0]["alternative"]["link.hop-*.queue"])
    assert best == ["drop-tail", "fair-queueing"]
    assert of_json(dupack(*words, "--json"))["of"] == "goodput_bps"
    assert "goodput fraction, busiest link, higher is better" in dupack(*words, "--of", "goodput_fraction").stdout


def test_each_setting_of_the_plans_sweep_is_a_comparison(dupack: Dupack, plan: Path) -> None:
    plan.write_text(SWEEP)
    words = ["compare", plan, "--vary", "flow.bulk.transport=reno,sack", "--of", "timeouts"]
    found = of_json(dupack(*words, "--json"))
    assert [group["settings"] for group in found["comparisons"]] == [{f"{QUEUE}.threshold": t} for t in (0.3, 0.6, 0.9)]
    for group in found["comparisons"]:
        first, second = group["alternatives"]
        assert first["mean"] <= second["mean"]
        assert second["difference"] >= 0
    assert "± is the half-width of the 95 % confidence interval (Student's t)." in dupack(*words).stdout


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ([QUEUE], f'--vary {QUEUE}: not PATH=VALUE,VALUE; write "link.bottleneck.queue=plain,ppd"'),
        ([f"{QUEUE}=plain"], "fewer than two values; give two or more"),
        ([f"{QUEUE}=plain,,ppd"], "fewer than two values; give two or more"),
        ([f"{QUEUE}=plain,pdp"], f'{QUEUE}.kind: unknown discipline "pdp"; did you mean "ppd"?'),
        ([f"{QUEUE}=plain,ppd", "--of", "goodput"], '--of: "goodput" is unknown; did you mean "summary.goodput_'),
        ([f"{QUEUE}=plain,ppd", "--seeds", "3"], "--seeds: one seed, which gives no interval"),
        ([f"{QUEUE}=plain,ppd", "--set", f"{QUEUE}=epd"], f"--vary {QUEUE}: --set fixes the same path"),
        (
            [f"{QUEUE}=plain,ppd", "--set", f'sweep.{QUEUE}.kind=["plain","ppd"]'],
            f"--vary {QUEUE}: the plan's sweep sets {QUEUE}.kind in each alternative, so they would be alike; vary",
        ),
        (
            [f"{QUEUE}=plain,ppd", "--set", f"{QUEUE}.kind=plain"],
            f"--vary {QUEUE}: --set sets {QUEUE}.kind in each alternative, so they would be alike; vary",
        ),
        (["queue=plain,ppd"], "queue: unknown key"),
        ([f"{QUEUE}=plain,ppd", "--also", "jian"], '--also: "jian" is unknown; did you mean "summary.jain"'),
        ([f"{QUEUE}=plain,ppd", "--also", "goodput_bps"], "--also: summary.goodput_bps is given more than once"),
    ],
)
def test_what_cannot_be_compared(dupack: Dupack, plan: Path, words: list[str], error: str) -> None:
    done = dupack("compare", plan, "--vary", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert error in done.stderr


def test_whole_tables_and_numbers_are_alternatives_too(dupack: Dupack, plan: Path) -> None:
    bpd = '{ kind = "bpd", buffer = "300 cells", lower = 0.2 }'
    words = ["compare", plan, "--vary", f"{QUEUE}=epd,{bpd}", "--vary", "link.access.rate=10 Mb/s,20 Mb/s"]
    (group,) = of_json(dupack(*words, "--seeds", "1..2", "--json"))["comparisons"]
    names = {tuple(one["alternative"].values()) for one in group["alternatives"]}
    told = "bpd (buffer 300 cells, lower 0.2)"
    assert names == {(queue, rate) for queue in ("epd", told) for rate in ("10 Mb/s", "20 Mb/s")}


def test_rates_are_detuned_from_seed_to_seed(dupack: Dupack, tmp_path: Path) -> None:
    """Without anything random all runs are alike, and no interval tells that the packets of two flows stay in step."""
    dupack("new", "two.toml", "--topology", "dumbbell")
    fixed = ["--set", "flow.*.start=0 s", "--set", "duration=10 s", "--set", "warm_up=2 s"]
    queue = "link.bottleneck.queue.buffer=20 packets,30 packets"
    words = ["compare", "two.toml", *fixed, "--vary", queue, "--of", "jain", "--seeds", "1..4"]
    alike, detuned = (of_json(dupack(*words, *more, "--json")) for more in ([], ["--detune"]))
    for same, drawn in zip(*(one["comparisons"][0]["alternatives"] for one in (alike, detuned)), strict=True):
        assert same["ci95"] == 0
        assert drawn["ci95"] > 0
    assert "each with other rates of links, up to 0.1 % off" in dupack(*words, "--detune").stdout
    rates = []
    for seed in (1, 2, 1):
        run = of_json(dupack("run", "two.toml", *fixed, "--set", "detune=0.01", "--seeds", str(seed), "--json"))
        rates.append(next(link for link in run["runs"][0]["links"] if link["name"] == "bottleneck"))
    assert rates[0] == rates[2]
    assert rates[0] != rates[1]


PACKETS = "links.bottleneck.queue_delay_s.p99"


def test_any_number_ranks_and_knows_which_way(dupack: Dupack, plan: Path) -> None:
    words = ["compare", plan, "--vary", f"{QUEUE}=plain,epd", "--seeds", "1..4", "--set", "percentiles=true"]
    found = of_json(dupack(*words, "--of", PACKETS, "--json"))
    assert (found["of"], found["better"]) == (PACKETS, "less")
    (group,) = found["comparisons"]
    first, second = group["alternatives"]
    for one in (first, second):
        kind = one["alternative"][QUEUE]
        sets = ["--set", f"{QUEUE}={kind}", "--set", "percentiles=true"]
        runs = of_json(dupack("run", plan, *sets, "--seeds", "1..4", "--json"))["runs"]
        values = [next(at for at in run["links"] if at["name"] == "bottleneck")["queue_delay_s"]["p99"] for run in runs]
        assert one["mean"] == pytest.approx(sum(values) / 4)
    assert first["mean"] < second["mean"]
    turned = of_json(dupack(*words, "--of", PACKETS, "--highest", "--json"))
    (other,) = turned["comparisons"]
    assert turned["better"] == "more"
    assert other["alternatives"][0]["alternative"] == second["alternative"]
    text = dupack(*words, "--of", PACKETS).stdout
    assert f"{PACKETS}, lower is better: 4 runs of each alternative, all with the same seeds" in text
    assert re.search(r"^1 +\w+ +[\d.]+( ± [\d.]+)? ms +best *$", text, re.MULTILINE)
    for of, better in (("summary.jain", "more"), ("timeouts", "less"), ("links.*.dropped", "less")):
        assert of_json(dupack(*words, "--of", of, "--json"))["better"] == better
    assert of_json(dupack(*words, "--of", "jain", "--least", "--json"))["better"] == "less"
    either = [*words, "--of", "flows.bulk-0.segments_sent"]
    refused = dupack(*either)
    assert refused.returncode == 2
    assert (
        "--of: flows.bulk-0.segments_sent does not say whether higher or lower is better; give --lowest"
        in refused.stderr
    )
    assert of_json(dupack(*either, "--lowest", "--json"))["better"] == "less"


def test_a_rule_to_stop_is_not_followed_and_that_is_told(dupack: Dupack, until_plan: Path) -> None:
    words = ["compare", until_plan, "--vary", "flow.bulk.transport=reno,sack"]
    done = dupack(*words, "--json")
    assert of_json(done)["seeds"] == [1, 2, 3, 4]
    assert "The plan's stopping rule is ignored" in done.stderr
    assert "Each alternative has the first 4 seeds of the rule; --seeds sets others." in done.stderr
    assert "rule" not in dupack(*words, "--seeds", "1..2").stderr


def test_seeds_that_are_asked_for_take_the_place_of_a_rule_and_that_is_told(
    dupack: Dupack, until_plan: Path, plan: Path
) -> None:
    said = "The plan's stopping rule is ignored: --seeds gives every point 2 runs.\n"
    for command in ("run", "sweep"):
        assert dupack(command, until_plan, "--seeds", "1..2").stderr.count(said) == 1
        assert "is ignored" not in dupack(command, until_plan).stderr
    plan.write_text(PLAN)
    rule = ["--set", 'stop={ relative_ci = 0.02, of = "summary.goodput_bps", min = 2, max = 4 }']
    assert "--seeds gives the plan 1 run.\n" in dupack("run", plan, *rule, "--seeds", "3").stderr
    assert dupack("run", plan, "--seeds", "1..2").stderr == ""


def test_a_program_compares_as_the_command_does(dupack: Dupack, plan: Path) -> None:
    net = dk.load(plan)
    result = dk.compare(net, {QUEUE: ["plain", "ppd", "epd"]}, of="links.bottleneck.dropped", seeds=4, threads=1)
    words = ["compare", plan, "--vary", f"{QUEUE}=plain,ppd,epd", "--of", "links.bottleneck.dropped", "--seeds", "1..4"]
    assert result.comparisons == of_json(dupack(*words, "--json"))["comparisons"]
    assert (result.of, result.better, result.seeds) == ("links.bottleneck.dropped", "less", [1, 2, 3, 4])
    ranked = result.ranked
    assert ranked["rank"].to_list() == [1, 2, 3]
    assert ranked["mean"].is_sorted()
    best = ranked.row(0, named=True)
    assert [best[key] for key in ("difference", "low", "high", "told_apart")] == [None] * 4
    for row in ranked.iter_rows(named=True):
        if row["rank"] > 1:
            assert row["difference"] == pytest.approx(row["mean"] - best["mean"])
            assert row["low"] <= row["difference"] <= row["high"]
            assert row["told_apart"] == (row["low"] > 0)
    lines = [line.split() for line in repr(result).splitlines()]
    assert [line[1] for line in lines if line and line[0] in "123"] == ranked[QUEUE].to_list()
    assert "links.bottleneck.dropped, lower is better" in result._repr_html_()
    assert dk.compare(net, {QUEUE: ["plain", "epd"]}, seeds=2).of == "goodput_bps"
    turned = dk.compare(net, {QUEUE: ["plain", "epd"]}, of="timeouts", lowest=False, seeds=2)
    assert (turned.better, turned.ranked["mean"].is_sorted(descending=True)) == ("more", True)
    for vary, of, error in (
        ({QUEUE: ["plain"]}, "jain", "fewer than two values"),
        ({}, "jain", "fewer than two values"),
        ({QUEUE: ["plain", "ppd"]}, "links.bottleneck.dropt", "did you mean"),
        ({QUEUE: ["plain", "ppd"]}, "flows.bulk-0.acks", "does not say whether higher or lower is better"),
        ({QUEUE: ["plain", "ppd"]}, PACKETS, "the plan lacks `percentiles = true`"),
    ):
        with pytest.raises(dk.RequestError, match=error):
            dk.compare(net, vary, of=of)


def test_intervals_of_all_differences_hold_together() -> None:
    # Five alternatives have equal means and a common random part; a false difference is reported with probability 5 %.
    draws = random.Random(1)
    wrong = 0
    for _ in range(1000):
        common = [draws.gauss(0, 3) for _ in range(8)]
        values = {name: [c + draws.gauss(0, 1) for c in common] for name in "abcde"}
        wrong += any(one.told_apart for one in rank(values))
    assert 5 < wrong < 65
    assert gain({"a": [1, 2, 3, 4], "b": [1.1, 2, 3, 4.1]}) == pytest.approx(1001, rel=0.2)


STOP = 'stop = { relative_ci = 0.05, of = "summary.goodput_bps", min = 4, max = 40 }\n'


@pytest.fixture
def until_plan(plan: Path) -> Path:
    """Runs until it is certain."""
    plan.write_text(STOP + SWEEP.replace('seeds = "1..4"\n', ""))
    return plan


def test_a_point_is_run_until_its_interval_is_narrow(dupack: Dupack, until_plan: Path) -> None:
    points = of_json(dupack("run", until_plan, "--json"))["points"]
    for point in points:
        values = [one["summary"]["goodput_bps"] for one in point["runs"]]
        assert point["seeds"] == list(range(1, len(values) + 1))
        mean, half = _native.mean_ci95(values)
        assert half is not None
        assert half <= 0.05 / 1.05 * mean or len(values) == 40
    assert len({len(point["runs"]) for point in points}) > 1, "some take longer"
    assert "to 40 runs each" in dupack("run", until_plan).stdout or max(len(p["runs"]) for p in points) < 40
    asked = of_json(dupack("run", until_plan, "--seeds", "1..2", "--json"))["points"]
    assert [point["seeds"] for point in asked] == [[1, 2]] * 3, "who asks for seeds gets them"


def test_a_sweep_until_it_is_certain_is_the_same_however_it_is_interrupted(
    dupack: Dupack, until_plan: Path, tmp_path: Path
) -> None:
    points = of_json(dupack("run", until_plan, "--json"))["points"]
    made = sum(len(point["runs"]) for point in points)
    told = of_json(dupack("sweep", until_plan, "--json", "--threads", "1"))
    assert (told["finished"], [p["n"] for p in told["points"]]) == (made, [len(p["runs"]) for p in points])
    assert [p["summary"] for p in told["points"]] == [p["summary"] for p in points]
    process = begin(until_plan, "--out", "again")
    until(lambda: len(journal(tmp_path / "again")) >= 6)
    process.kill()
    process.communicate()
    assert 0 <= of_json(dupack("sweep", until_plan, "--out", "again", "--json"))["ran"] <= made - 5
    assert content(tmp_path / "again") == content(tmp_path / "store")
    assert of_json(dupack("sweep", until_plan, "--out", "again", "--json"))["ran"] == 0
    # Runs of the fixed seeds that are in the store already are not repeated.
    assert dupack("sweep", until_plan, "--seeds", "1..3", "--out", "third").returncode == 0
    assert of_json(dupack("sweep", until_plan, "--out", "third", "--json"))["ran"] == made - 9
    assert content(tmp_path / "third") == content(tmp_path / "store")


def test_what_is_run_hangs_on_the_results_and_not_on_their_order() -> None:
    plan = Plan((STOP + SWEEP).encode(), "plan", ['sweep.seeds="1..40"'])
    draws = random.Random(2)
    values = [10 + draws.gauss(0, 1) for _ in range(3 * 40)]
    made = []
    for most in (1, 3, 50):
        void: set[int] = set()
        rule = Stopping(plan, 40, {}, void.update)
        under_way: list[int] = []
        ran: set[int] = set()
        while True:
            while len(under_way) < most and (slot := rule.next()) is not None:
                under_way.append(slot)
            if not under_way:
                break
            slot = under_way.pop(draws.randrange(len(under_way)))
            ran.add(slot)
            rule.told(slot, values[slot])
        assert ran | void == set(range(3 * 40))
        assert not ran & void
        made.append(ran)
    assert made[0] == made[1] == made[2]


def test_a_program_runs_until_it_is_certain_too(until_plan: Path) -> None:
    document = run(Plan(until_plan.read_bytes(), "plan", []))
    assert all(4 <= len(point["runs"]) <= 40 for point in document["points"])
    assert "interrupted" not in document


def test_a_measure_that_is_null_is_never_certain(dupack: Dupack, plan: Path) -> None:
    # No data is delivered within a millisecond, so Jain's index is null.
    rule = 'stop={ relative_ci = 0.1, of = "summary.jain", min = 2, max = 5 }'
    document = of_json(dupack("run", plan, "--set", rule, "--set", "duration=1 ms", "--json"))
    assert len(document["runs"]) == 5


def test_a_point_that_was_given_up_is_told(dupack: Dupack, plan: Path) -> None:
    rule = 'stop={ relative_ci = 0.000001, of = "summary.goodput_bps", min = 2, max = 3 }'
    for words in (["run"], ["sweep"]):
        done = dupack(*words, plan, "--set", rule)
        assert done.returncode == 0
        assert "stop: not met after 3 runs: the interval of summary.goodput_bps is ± " in done.stderr
    easy = dupack("run", plan, "--set", rule.replace("0.000001", "0.9"))
    assert "not met" not in easy.stderr
