"""``dupack live``: kernel traffic over emulated links. Skipped where there are no namespaces or TUN devices."""

import csv
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

PLAN = """
title = "One kernel flow"
duration = "1500 ms"
warm_up = "500 ms"

[[host]]
name = "source"
[[host]]
name = "sink"

[[link]]
name = "line"
from = "source"
to = "sink"
carries = "packets"
rate = "10 Mb/s"
delay = "10 ms"
queue = { kind = "drop-tail", buffer = "30 packets" }

[[flow]]
name = "bulk"
from = "source"
to = "sink"
transport = { kernel = "reno", mss = "1000 B" }
"""


def _able() -> bool:
    can = "import os; os.unshare(os.CLONE_NEWNET)" if sys.version_info >= (3, 12) else "raise SystemExit(os.geteuid())"
    tun = os.access("/dev/net/tun", os.R_OK | os.W_OK)
    return tun and subprocess.run([sys.executable, "-c", f"import os; {can}"], capture_output=True).returncode == 0


live = pytest.mark.skipif(not _able(), reason="no network namespaces or no /dev/net/tun")


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


def run(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dupack", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done.stderr
    return done


@live
def test_a_flow_of_the_kernel_fills_the_link_and_the_ledger_balances(plan: Path, tmp_path: Path) -> None:
    tape = tmp_path / "tape.csv"
    document = json.loads(run("live", plan, "--json", "--tape", tape).stdout)
    flow, line = document["flows"][0], document["links"][0]
    assert flow["transport"] == "kernel reno"
    assert line["sent"] + sum(line["dropped"].values()) + line["waiting"] + line["in_service"] == line["offered"]
    # Whatever the machine does, no more than the line can carry, and most of that.
    assert 0.8e7 < flow["goodput_bps"] <= 1e7 * 1000 / 1052
    # A round trip is not less than the propagation delay, and not more than a full buffer adds.
    assert 0.020 < flow["mean_rtt_s"] < 0.020 + 32 * 1052 * 8 / 1e7 + 0.2
    sockets = document["live"]["sockets"][0]
    assert sockets["control"] == "reno"
    assert sockets["failed"] is None
    # The receiver's socket had what the router saw arrive in order, up to what was on the way at the end.
    events = Counter(row["event"] for row in csv.DictReader(tape.open()))
    assert events["drop"] == sum(line["dropped"].values())
    assert abs(sockets["bytes_received"] / 1000 - events["deliver"]) < 100


@live
def test_queues_mark_and_ipv6_flows_hear_it(plan: Path) -> None:
    sets = ["--set", 'link.line.queue={ kind = "codel", target = "1 ms", ecn = true }']
    sets += ["--set", "flow.bulk.transport.ecn=true"]
    document = json.loads(run("live", plan, *sets, "--ipv6", "--json").stdout)
    assert document["links"][0]["marked"] > 0
    assert document["live"]["sockets"][0]["delivered_ce"] > 0
    assert document["live"]["addresses"]["sink"] == "fd00::2"


@live
def test_cells_are_reassembled_and_a_damaged_frame_is_lost_whole(plan: Path) -> None:
    sets = ["--set", "link.line.carries=cells", "--set", 'link.line.queue={ kind = "plain", buffer = "200 cells" }']
    document = json.loads(run("live", plan, *sets, "--json").stdout)
    line, flow = document["links"][0], document["flows"][0]
    assert line["dropped"]["overflow"] > 0
    assert line["dead_units"] > 0
    # 1052 B are 23 cells with AAL5's trailer.
    assert 0.5e7 < flow["goodput_bps"] <= 1e7 * 8000 / (23 * 53 * 8)


@live
def test_a_file_completes_and_random_losses_are_repaired(plan: Path) -> None:
    sets = ["--set", 'flow.bulk.traffic={ kind = "file", size = "300 kB" }']
    sets += ["--set", 'link.line.loss={ kind = "bernoulli", rate = 0.01 }', "--set", "warm_up=0 s"]
    document = json.loads(run("live", plan, *sets, "--json").stdout)
    flow, line = document["flows"][0], document["links"][0]
    assert flow["segments_delivered"] == 300
    assert 0.27 < flow["completed_s"] < 1.5
    assert flow["segments_retransmitted"] >= line["dropped"].get("random", 0) > 0


@live
def test_datagrams_of_constant_rate(plan: Path) -> None:
    sets = ["--set", 'flow.bulk.traffic={ kind = "cbr", rate = "1 Mb/s" }']
    sets += ["--set", 'flow.bulk.transport={ kind = "udp", mss = "972 B", header = "28 B" }']
    document = json.loads(run("live", plan, *sets, "--json").stdout)
    flow = document["flows"][0]
    assert flow["transport"] == "kernel udp"
    assert flow["segments_sent"] == pytest.approx(125, abs=3)
    # Never less than the line takes; more if the machine lets the sender catch up.
    assert 0.01079 < flow["mean_delay_s"] < 0.013


@live
def test_nothing_is_left_behind(plan: Path) -> None:
    def devices() -> str:
        return Path("/proc/net/dev").read_text().count("dupack") * "dupack"

    before = devices()
    run("live", plan, "--json")
    assert devices() == before == ""


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (['flow.bulk.transport={ kind = "tahoe" }'], 'flow.bulk.transport: Linux has no controller like "tahoe"'),
        (['flow.bulk.transport={ kind = "cubic", kernel = "nonesuch" }'], 'no congestion control "nonesuch"; it has'),
        (["warm_up=mser-5"], "warm_up: "),
    ],
)
def test_a_plan_that_cannot_run_live_is_refused(plan: Path, sets: list[str], said: str) -> None:
    done = run("live", plan, *(part for one in sets for part in ("--set", one)), code=1)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_bound_is_refused(plan: Path) -> None:
    assert 'is not a time, such as "500 us"' in run("live", plan, "--bound", "5", code=2).stderr
