"""Every mean over runs has its interval, in tables, documents and tables of Python: compared with ones by hand."""

from __future__ import annotations

import json
import math
import os
import re
import statistics
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

import dupack as dk
from conftest import DUPACK, Dupack, of_json
from dupack import _native, amounts, percentiles
from dupack.amounts import within
from dupack.measures import Measure, numbers
from dupack.reproduce.paper import PAPERS
from test_measures import CONNECTIONS, SIZES

T4 = 2.776445
"""Student's t, 4 degrees of freedom, 0.975: of any table."""


def by_hand(values: list[float]) -> tuple[float, float]:
    """Mean and half-width of five values."""
    assert len(values) == 5
    return statistics.fmean(values), T4 * statistics.stdev(values) / math.sqrt(5)


@pytest.mark.parametrize(
    ("told", "mean", "half", "text"),
    [
        (amounts.rate, 3.794e6, 238.9e3, "3.79 ± 0.24 Mb/s"),
        (amounts.rate, 19.25e6, 3.151e3, "19.250 ± 0.003 Mb/s"),
        (amounts.rate, 5e2, 2e3, "0.5 ± 2.0 kb/s"),
        (amounts.count, 8284.0, 31.4, "8,284 ± 31"),
        (amounts.count, 1_054_344.2, 82_576.0, "1,054,000 ± 83,000"),
        (amounts.count, 3.2, 5.1, "3 ± 5"),
        (amounts.count, 0.5, 6.4, "0.5 ± 6.4"),
        (amounts.rate, 317.7e6, 3.26e9, "0.3 ± 3.3 Gb/s"),
        (amounts.count, 3.0, 0.0, "3"),
        (amounts.count, 3.25, None, "3.2"),
        (amounts.count, None, None, "-"),
        (amounts.seconds, 0.03922, 0.00011, "39.22 ± 0.11 ms"),
        (amounts.seconds, -0.00002, 0.000004, "-20 ± 4 µs"),
        (amounts.share, 0.999, 0.0004, "99.90 ± 0.04 %"),
        (amounts.fraction, 0.9968, 0.00059, "0.9968 ± 0.0006"),
        (amounts.fraction, 0.5, 1e-9, "0.500000 ± 0.000001"),
        (amounts.ratio, 1234.5, 130.0, "1,230 ± 130"),
    ],
)
def test_a_mean_ends_where_its_interval_does(told: Any, mean: float | None, half: float | None, text: str) -> None:
    assert within(told, mean, half) == text


def test_every_number_of_the_document_has_its_interval(dupack: Dupack, plan: Path) -> None:
    document = of_json(dupack("run", plan, "--set", "percentiles=true", "--seeds", "1..5", "--json"))
    told, runs = document["measures"], document["runs"]
    assert {path for path, _ in numbers(runs[0])} == set(told)
    values = [next(link for link in run["links"] if link["name"] == "bottleneck") for run in runs]
    for path, found in {
        "links.bottleneck.dropped": [float(sum(one["dropped"].values())) for one in values],
        "links.bottleneck.dropped.early": [float(one["dropped"].get("early", 0)) for one in values],
        "links.bottleneck.mean_backlog": [one["mean_backlog"] for one in values],
        "links.bottleneck.queue_delay_s.p99": [one["queue_delay_s"]["p99"] for one in values],
        "flows.bulk-1.mean_rtt_s": [run["flows"][1]["mean_rtt_s"] for run in runs],
        "flows.bulk-1.segments_retransmitted": [float(run["flows"][1]["segments_retransmitted"]) for run in runs],
        "summary.timeouts": [float(run["summary"]["timeouts"]) for run in runs],
    }.items():
        assert (told[path]["mean"], told[path]["ci95"]) == pytest.approx(by_hand(found), rel=1e-5), path
    largest = [one["max_backlog"] for one in values]
    assert told["links.bottleneck.max_backlog"]["max"] == max(largest)
    assert told["links.bottleneck.max_backlog"]["mean"] == statistics.fmean(largest)
    assert told["flows.bulk-0.completed_s"] == {"mean": None, "ci95": None}
    # The keys that documents had before have the same values.
    assert document["summary"] == {key: told[f"summary.{key}"] for key in runs[0]["summary"]}
    assert document["ci95"]["goodput_bps"] == told["summary.goodput_bps"]["ci95"]


def shown(text: str, unit: str = "") -> tuple[float, float]:
    """The text of a cell."""
    found = re.fullmatch(rf"(-?[\d,.]+) ± ([\d,.]+){re.escape(unit)}", text)
    assert found, text
    mean, half = (float(one.replace(",", "")) for one in found.groups())
    return mean, half


def rows_of(text: str, title: str) -> dict[str, list[str]]:
    """The rows of a table by their first cells."""
    lines = text.splitlines()
    at = lines.index(next(line for line in lines if line.strip() == title))
    rows = [re.split(r"  +", line.strip()) for line in lines[at + 1 : lines.index("", at)]]
    return {row[0]: row for row in rows}


def test_tables_tell_every_mean_with_its_interval(dupack: Dupack, plan: Path) -> None:
    words = ["run", plan, "--set", "percentiles=true", "--seeds", "1..5"]
    runs, text = of_json(dupack(*words, "--json"))["runs"], dupack(*words).stdout
    assert (
        "Means over 5 runs ± half-width of the 95 % confidence interval (Student's t); without ±, all runs are equal."
        in text
    )
    flows = rows_of(text, "Flows")
    head, row = flows["flow"], flows["bulk-0"]
    mine = [run["flows"][0] for run in runs]
    for name, key, unit, factor in (
        ("segments sent", "segments_sent", "", 1),
        ("retrans.", "segments_retransmitted", "", 1),
        ("mean RTT", "mean_rtt_s", " ms", 1e-3),
        ("mean delay", "mean_delay_s", " ms", 1e-3),
        ("goodput", "goodput_bps", " Mb/s", 1e6),
    ):
        mean, half = by_hand([one[key] / factor for one in mine])
        said = shown(row[head.index(name)], unit)
        assert said[1] == pytest.approx(half, rel=0.2), name
        assert said[0] == pytest.approx(mean, abs=0.6 * half), name
    links = rows_of(text, "Links")
    head, row = links["link"], links["bottleneck"]
    bottleneck = [next(link for link in run["links"] if link["name"] == "bottleneck") for run in runs]
    early = by_hand([float(one["dropped"]["early"]) for one in bottleneck])
    dropped = next(part for part in row[head.index("dropped")].split(", ") if part.startswith("early "))
    assert shown(dropped.removeprefix("early ")) == pytest.approx(early, rel=0.1)
    assert row[head.index("max backlog of all runs")] == str(max(one["max_backlog"] for one in bottleneck))
    spread = rows_of(text, "Percentiles")
    head, row = spread["link or flow"], spread["bottleneck"]
    p95 = by_hand([1e3 * one["queue_delay_s"]["p95"] for one in bottleneck])
    assert shown(row[head.index("p95")], " ms") == pytest.approx(p95, rel=0.1)
    most = max(one["queue_delay_s"]["max"] for one in bottleneck)
    assert row[head.index("max of all runs")] == amounts.seconds(most)
    alone = dupack("run", plan, "--set", "percentiles=true").stdout
    assert "of all runs" not in alone
    assert "±" not in alone


def test_seeds_that_change_nothing_are_told(dupack: Dupack, plan: Path) -> None:
    still = ["--set", "flow.bulk.start=0 s"]
    text = dupack("run", plan, *still, "--seeds", "1..3").stdout
    assert "All 3 runs are equal: this plan does not depend on the seed." in text
    assert " ± " not in text.replace("± half", "").replace("without ±", "").replace("mean ± 95 %", "")
    assert "runs are equal:" not in dupack("run", plan, "--seeds", "1..3").stdout
    sweep = ["--set", 'sweep={ "link.bottleneck.delay" = ["1 ms", "2 ms"], seeds = "1..3" }']
    for command in ("run", "sweep"):
        told = dupack(command, plan, *still, *sweep).stdout
        assert "All numbers are equal in all runs: this plan does not depend on the seed." in told
    assert "All numbers are equal" not in dupack("run", plan, *sweep).stdout
    queues = ["--vary", "link.bottleneck.queue=ppd,epd"]
    assert "All seeds give equal values" in dupack("compare", plan, *still, *queues, "--seeds", "1..3").stdout


@pytest.mark.parametrize(("columns", "most"), [("90", 90), ("", 120), ("200", 200)])
def test_tables_are_as_wide_as_they_are_asked_to_be(plan: Path, columns: str, most: int) -> None:
    environment = {**os.environ, "COLUMNS": columns}
    words = [str(DUPACK), "run", str(plan), "--set", "percentiles=true", "--seeds", "1..5"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=100, check=True)
    widths = [len(line.rstrip()) for line in done.stdout.splitlines()]
    assert 0.7 * most < max(widths) <= most
    assert ("Columns that do not fit" in done.stdout) == (most < 200)


STOPS = """
title = "Until certain"
duration = "2 s"
percentiles = true
stop = { relative_ci = 0.1, of = "links.bottleneck.mean_backlog", min = 3, max = 30 }
[topology]
kind = "dumbbell"
senders = 3
carries = "packets"
access = { rate = "20 Mb/s", delay = "1 ms" }
bottleneck = { rate = "8 Mb/s", delay = "2 ms", queue = { kind = "drop-tail", buffer = "30 packets" } }
[[flow]]
name = "bulk"
from = "source"
to = "sink"
start = "0 s..100 ms"
"""


@pytest.fixture
def net(tmp_path: Path) -> dk.Network:
    """A network with a random start."""
    path = tmp_path / "net.toml"
    path.write_text("".join(line for line in STOPS.splitlines(keepends=True) if not line.startswith("stop")))
    return dk.load(path)


def test_flows_and_links_of_a_sweep_have_means_with_intervals(net: dk.Network) -> None:
    result = dk.sweep(net, {"link.bottleneck.delay": ["2 ms", "9 ms"]}, seeds=5)
    for part, name, column in (("flows", "bulk-1", "mean_rtt_s"), ("links", "bottleneck", "dropped_overflow")):
        table = getattr(result, part)
        mine = table.filter(table["name"] == name)
        told = result.means(part)
        assert told.height == 2 * table["name"].n_unique()
        row = told.filter(told["name"] == name).row(1, named=True)
        values = mine.filter(mine["link.bottleneck.delay"] == "9 ms")[column].to_list()
        assert (row[column], row[f"{column}_ci95"]) == pytest.approx(by_hand([float(x) for x in values]), rel=1e-5)
        assert (row["runs"], row["link.bottleneck.delay"]) == (5, "9 ms")
    links = result.means("links")
    bottleneck = result.links.filter(result.links["name"] == "bottleneck")
    most = links.filter(links["name"] == "bottleneck")["max_backlog_max"].to_list()
    assert most == [float(max(bottleneck["max_backlog"][i : i + 5])) for i in (0, 5)]
    # The mean over the runs of each run's longest round-trip time of all flows.
    told = result.estimates("flows.*.rtt_s.max")
    worst = result.flows.group_by("link.bottleneck.delay", "seed", maintain_order=True).agg(dk_max("rtt_s_max"))
    assert (told["mean"][0], told["ci95"][0]) == pytest.approx(by_hand(worst["rtt_s_max"][:5].to_list()), rel=1e-5)
    line = result.plot("flows.*.rtt_s.max").axes[0].containers[0].lines[0]
    assert list(line.get_ydata()) == pytest.approx([1000 * mean for mean in told["mean"]]), "in ms"
    with pytest.raises(dk.RequestError, match='did you mean "flows\\.bulk-0\\.rtt_s\\.max"'):
        result.estimates("flows.bulk.rtt.max")
    with pytest.raises(dk.RequestError, match="unknown table 'nodes'"):
        result.means("nodes")


def dk_max(column: str) -> Any:
    """The largest of a column."""
    import polars as pl

    return pl.col(column).max()


def test_a_store_measures_what_documents_have(tmp_path: Path) -> None:
    for at, plan in enumerate(kinds()):
        network = dk.Network(without_sweep(plan), f"{at}")
        here = dk.sweep(network, {}, seeds=2)
        stored = dk.sweep(network, {}, seeds=2, out=tmp_path / f"store-{at}")
        names = [*here.measures, "flows.*.connections.completion_s.p99" if not at else "flows.*.mean_rtt_s"]
        assert set(here.measures) == set(stored.measures)
        for name in names:
            assert here.estimates(name).equals(stored.estimates(name)), name


def without_sweep(plan: dk.Plan) -> dict[str, Any]:
    """Its tables, for one second."""
    tables = tomllib.loads(plan.text.decode())
    tables.pop("sweep", None)
    return {**tables, "duration": "1 s", "warm_up": "0 s", "percentiles": True}


def kinds() -> list[dk.Plan]:
    """Plans that together measure all that there is."""
    requests = "percentiles = true\n" + CONNECTIONS.replace("SIZES", str(SIZES))
    abr = (PAPERS / "lai-lin-hung-1999" / "extra-delay.toml").read_text()
    return [
        dk.Plan(requests.encode(), "requests", ["duration=1 s"]),
        dk.Plan(abr.encode(), "abr", ["sweep={}", "duration=1 s", "percentiles=true", "warm_up=0 s"]),
    ]


def test_a_plan_knows_what_its_documents_have() -> None:
    seen: set[str] = set()
    pattern = re.compile(json.loads(_native.schema())["definitions"]["stop"]["properties"]["of"]["pattern"])
    for plan in kinds():
        document = dk.run(plan)
        found = dict(numbers(document))
        names = plan.measures()
        # A value that could not be measured at all is missing from the document.
        assert set(found) <= set(names)
        assert not [name for name in names if name not in found and not re.search(r"\.(rtt|queue_delay)_s\.", name)]
        for name in names:
            measure = Measure.find(plan, name, "of")
            assert measure.value(document) == found.get(name), name
            assert pattern.fullmatch(name), name
            seen.add(measure.part + measure.key)
    assert {"linksdropped.pushed-out", "flowsabr.max_backlog", "flowsconnections.by_size.2.slowdown.p99_9"} <= seen


def test_a_point_is_run_until_any_number_is_certain(dupack: Dupack, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(STOPS)
    document = of_json(dupack("run", plan, "--json"))
    links = [next(one for one in run["links"] if one["name"] == "bottleneck") for run in document["runs"]]
    values = [one["mean_backlog"] for one in links]
    assert 3 <= len(values) < 30
    mean, half = dk.mean_ci95(values)
    assert half is not None
    assert half <= 0.1 * mean
    assert document["measures"][document["stop"]["of"]] == {"mean": mean, "ci95": half}
    stored = of_json(dupack("sweep", plan, "--json"))
    assert (stored["finished"], stored["ran"]) == (len(values), len(values))
    (point,) = stored["points"]
    assert point["measures"]["links.bottleneck.mean_backlog"] == pytest.approx({"mean": mean, "ci95": half})
    # Other rules need no further runs: for several flows, for a distribution, for the summary.
    for of in ("flows.bulk-*.segments_sent", "links.bottleneck.queue_delay_s.p99", "goodput_bps"):
        again = of_json(dupack("sweep", plan, "--json", "--set", f'stop.of="{of}"', "--set", "stop.relative_ci=0.99"))
        assert again["ran"] == 0, of
    assert of_json(dupack("sweep", plan, "--json"))["ran"] == 0
    hard = dupack("sweep", plan, "--set", "stop.relative_ci=0.0001", "--set", "stop.max=4", "--out", "hard")
    assert "stop: not met after 4 runs: the interval of links.bottleneck.mean_backlog is ± " in hard.stderr


def test_a_network_with_a_rule_is_no_single_run(dupack: Dupack, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(STOPS)
    rule = r"3 to 30 runs, until the 95 % interval of links\.bottleneck\.mean_backlog is ± 10 % of its mean"
    with pytest.raises(
        dk.RequestError, match=rf"{rule}, where run\(\) makes a single one; write dupack\.sweep\(net, {{}}\)"
    ):
        dk.load(plan).run()
    result = dk.sweep(dk.load(plan), {})
    assert re.fullmatch(r"Until certain: 1 point x \d+ seeds, over nothing", repr(result))
    assert f" x {len(result)} seeds" in repr(result)
    told = dupack("check", plan).stdout
    assert re.search(rf"^{rule}\.$", told, re.MULTILINE)
    assert re.search(r"^The first 3 runs of 2 s: .*; 30 would take 10 times as long\.$", told, re.MULTILINE)
    assert of_json(dupack("check", plan, "--json"))["stop"]["max"] == 30
    assert "The first" not in dupack("check", plan, "--seeds", "1..4").stdout


def test_a_number_that_some_runs_lack_is_marked() -> None:
    found = [[{"p50": 3.0}], [], [{"p50": 5.0}]]
    assert percentiles._over(found, "p50", amounts.count).endswith("*")
    assert percentiles._over([[{"p50": 3.0}], []], "p50", amounts.count) == "3*"
    assert percentiles._over([[{"p50": 3.0}], [{"p50": 3.0}]], "p50", amounts.count) == "3"
    assert percentiles._over([[], []], "p50", amounts.count) == "-"
