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
    # Most of what the line can carry, and not more, except for a gap that was filled just after the warm-up.
    assert 0.8e7 < flow["goodput_bps"] <= 1.03 * 1e7 * 1000 / 1052
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
    assert 0.4e7 < flow["goodput_bps"] <= 1.05 * 1e7 * 8000 / (23 * 53 * 8)


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


@live
def test_a_command_runs_on_a_host_and_sees_only_the_plan(plan: Path, tmp_path: Path) -> None:
    script = "ip -o link | grep -vc LOOPBACK; ip route; grep -c sink /etc/hosts; exit 7"
    capture = tmp_path / "sink.pcapng"
    asked = ["live", plan, "--pcap", f"sink={capture}", "--on", "sink", "--", "sh", "-c", script]
    lines = run(*asked, code=7).stdout.splitlines()
    # One device besides the loopback, one route, which is to that device, and the name of the host itself.
    assert lines[:3] == ["1", "10.0.0.0/8 dev dupack0 scope link ", "1"]
    assert b"Captured by dupack live" in capture.read_bytes()[:200]


HOSTILE = """
import os, socket, struct
from subprocess import run
run(["ip", "link", "set", "dupack0", "mtu", "9000"], check=True)
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
out.bind(("dupack0", 0x0800))

def packet(source, to, length=60):
    ends = socket.inet_aton(source) + socket.inet_aton(to)
    head = struct.pack("!BBHHHBBH8s", 0x45, 0, length, 0, 0, 64, 17, 0, ends)
    return head + bytes(length - 20)

for _ in range(50):
    out.send(os.urandom(100))
    out.send(packet("10.0.0.1", "10.0.0.2")[:40])
    out.send(packet("192.0.2.1", "10.0.0.2"))
    out.send(packet("10.0.0.1", "10.0.0.1"))
    out.send(packet("10.0.0.1", "10.9.9.9"))
    out.send(packet("10.0.0.1", "10.0.0.2", 8000))
    out.send(packet("10.0.0.1", "10.0.0.2"))
"""


@live
@pytest.mark.skipif(os.geteuid() != 0, reason="packet sockets need root")
def test_hostile_packets_are_counted_and_dropped(plan: Path) -> None:
    document = json.loads(run("live", plan, "--json", "--", sys.executable, "-c", HOSTILE).stdout)
    refused = document["live"]["refused"]
    # Random bytes may by chance be something else than malformed.
    assert 95 <= refused["malformed"] <= 100
    want = {"spoofed": 50, "looped": 50, "unroutable": 50, "oversized": 50}
    assert {why: refused[why] for why in want} == want
    assert document["links"][0]["offered"] == 50


@live
def test_a_killed_run_leaves_only_what_clean_ends(plan: Path) -> None:
    script = "sleep 1000 & echo $!; wait"
    command = [sys.executable, "-m", "dupack", "live", str(plan), "--", "sh", "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        sleeper = Path("/proc", process.stdout.readline().strip())
        process.kill()
    assert b"sleep" in (sleeper / "cmdline").read_bytes()
    assert "ended 1 process" in run("live", "--clean").stdout
    assert not (sleeper / "cmdline").exists() or not (sleeper / "cmdline").read_bytes()


@live
def test_a_shell_has_a_link_of_cells_for_a_queue_of_cells() -> None:
    link = ["--rate", "20Mb/s", "--delay", "1ms", "--queue", "bpd"]
    ping = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(bytes(1000), ('host', 9))"
    done = run("shell", *link, "--", sys.executable, "-c", ping)
    # 1028 B and AAL5's trailer are 22 cells.
    assert "link: sent 22 cells, dropped none" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["shell"], "--rate or --trace: give one of the two"),
        (["shell", "--rate", "1Mb/s", "--serve", "nowhere=true"], "no host 'nowhere'; it has shell, host"),
        (["shell", "--rate", "1Mb/s", "--queue", "nonesuch"], 'unknown discipline "nonesuch"'),
    ],
)
def test_wrong_shells(arguments: list[str], said: str) -> None:
    assert said in run(*arguments, code=2).stderr
