"""Percentiles, warm-up by MSER-5, intervals by batches: as a user meets them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import dupack as dk
from conftest import Dupack, of_json
from dupack.store import schema

NET = dk.dumbbell(
    senders=3,
    access="20 Mb/s",
    bottleneck="8 Mb/s",
    delay="2 ms",
    carries="packets",
    queue=dk.queue.drop_tail(buffer="30 packets"),
)

SIZES = "web-search"

CONNECTIONS = """
title = "Requests"
duration = "4 s"
[topology]
kind = "star"
hosts = 4
carries = "packets"
access = { rate = "100 Mb/s", delay = "20 us" }
[[flow]]
name = "requests"
from = "host"
to = "host"
arrivals = { kind = "poisson", load = 0.4 }
traffic = { kind = "random-file", sizes = "SIZES" }
[[flow]]
name = "rounds"
from = "host"
to = "host"
arrivals = { kind = "rounds", senders = 3, pause = "100 ms" }
traffic = { kind = "file", size = "20 kB" }
"""


def test_percentiles_are_told_if_asked_for(dupack: Dupack, plan: Path) -> None:
    plain = of_json(dupack("run", plan, "--json"))
    assert "queue_delay_s" not in json.dumps(plain)
    document = of_json(dupack("run", plan, "--set", "percentiles=true", "--json"))
    found = {link["name"]: link["queue_delay_s"] for link in document["links"]}["bottleneck"]
    # At most 300 cells of 424 bits wait at 12 Mb/s.
    assert 0 < found["p50"] <= found["p95"] <= found["p99"] <= found["max"] <= 300 * 424 / 12e6
    assert all(flow["rtt_s"]["p50"] > 0.004 for flow in document["flows"])
    assert plain["summary"] == document["summary"]
    lines = dupack("run", plan, "--set", "percentiles=true").stdout.splitlines()
    head = next(line for line in lines if line.startswith("link or flow"))
    assert head.split()[-6:] == ["mean", "p50", "p95", "p99", "p99.9", "max"]
    assert any(line.startswith("bottleneck") and "queueing delay" in line for line in lines)
    assert any(line.startswith("bulk-1") and "RTT" in line for line in lines)


def test_connections_have_a_table(dupack: Dupack, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(CONNECTIONS.replace("SIZES", str(SIZES)))
    told = dupack("run", tmp_path / "plan.toml", "--seeds", "1..2")
    assert told.returncode == 0, told.stderr
    lines = told.stdout.splitlines()
    at = lines.index(next(line for line in lines if line.startswith("Connections")))
    rows = [re.split(r"  +", line) for line in lines[at + 2 : lines.index("", at)]]
    known = {(row[0], row[1]) for row in rows}
    parts = ["", ", up to 100 kB", ", up to 10 MB"]
    assert {("requests", what + part) for what in ("completion time", "slowdown") for part in parts} <= known
    assert ("rounds", "round time") in known
    assert ("rounds", "slowdown, up to 100 kB") not in known
    ended, mean, *shares, longest = rows[0][2:]
    assert re.fullmatch(r"[\d,.]+( ± [\d,.]+)?,? of [\d,.]+( ± [\d,.]+)?", ended)
    assert len([mean, *shares, longest]) == 6


def test_warm_up_is_found_per_seed_and_told_as_a_number(dupack: Dupack, plan: Path) -> None:
    sets = ["--set", "warm_up=mser-5", "--set", "duration=20 s"]
    runs = of_json(dupack("run", plan, *sets, "--seeds", "1..3", "--json"))
    found = [run["warm_up_s"] for run in runs["runs"]]
    assert all(0 <= at <= 10 for at in found)
    assert any(at > 0 for at in found)
    assert runs["warm_up_s"] == pytest.approx(sum(found) / 3)
    given = of_json(dupack("run", plan, "--set", f"warm_up={found[0]} s", "--set", "duration=20 s", "--json"))
    assert given["summary"] == runs["runs"][0]["summary"]


def test_a_run_that_is_never_steady_is_told_in_words(dupack: Dupack, plan: Path) -> None:
    done = dupack("run", plan, "--set", "warm_up=mser-5", "--set", "duration=20 s", "--set", "flow.bulk.start=12 s")
    assert done.returncode == 1
    assert done.stderr.startswith('warm_up: "mser-5" finds no steady state')
    assert "Traceback" not in done.stderr


def test_one_run_has_intervals_by_batches(dupack: Dupack, plan: Path) -> None:
    sets = ["--set", "warm_up=1 s", "--set", "duration=21 s", "--set", "batches=10"]
    document = of_json(dupack("run", plan, *sets, "--json"))
    batches = document["batches"]
    assert (batches["count"], batches["length_s"]) == (10, 2.0)
    goodputs = batches["values"]["goodput_bps"]
    assert dk.mean_ci95(goodputs) == pytest.approx((document["summary"]["goodput_bps"], batches["ci95"]["goodput_bps"]))
    text = dupack("run", plan, *sets).stdout
    assert "± 95 %, 10 batches" in text
    # With one seed, the document of several seeds has the same values; with several seeds, it has its own.
    one = of_json(dupack("run", plan, *sets, "--seeds", "1", "--json"))
    assert one["ci95"]["goodput_bps"] == batches["ci95"]["goodput_bps"]
    assert one["ci95"]["jain"] is None
    two = of_json(dupack("run", plan, *sets, "--seeds", "1..2", "--json"))
    both = [run["summary"]["goodput_bps"] for run in two["runs"]]
    assert two["ci95"]["goodput_bps"] == dk.mean_ci95(both)[1]


def test_batches_that_hang_on_each_other_are_told(dupack: Dupack, plan: Path) -> None:
    text = dupack("run", plan, "--set", "duration=10 s", "--set", "batches=1000").stdout
    assert "Successive batches are correlated in" in text
    assert "goodput (" in text


def test_a_sweep_of_single_seeds_has_intervals_by_batches() -> None:
    net = NET.with_values({"batches": 10, "percentiles": True})
    result = dk.sweep(net, {"link.bottleneck.rate": ["4 Mb/s", "8 Mb/s"]}, duration="10 s", warm_up="mser-5")
    assert all(half > 0 for half in result.points["goodput_bps_ci95"])
    assert result.points["jain_ci95"].null_count() == 2
    assert (result.links["queue_delay_s_p99"].drop_nulls() >= 0).all()


def test_a_store_has_columns_for_them() -> None:
    tables = schema.tables()
    names = {table: {column.name for column in columns} for table, columns in tables.items()}
    assert {"batches_count", "batches_ci95_goodput_bps", "batches_correlation_goodput_bps"} <= names["runs"]
    assert {"queue_delay_s_p50", "queue_delay_s_p99_9"} <= names["links"]
    assert "rtt_s_p95" in names["flows"]
