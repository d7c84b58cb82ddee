"""``dupack live``: kernel traffic over emulated links. Skipped where there are no namespaces or TUN devices."""

import csv
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from on_kernel import ANSWERED, BOUND, PLAN, live, run, trust


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


@live
def test_a_flow_of_the_kernel_fills_the_link_and_the_ledger_balances(plan: Path, tmp_path: Path) -> None:
    tape = tmp_path / "tape.csv"
    document = json.loads(run("live", plan, *BOUND, "--json", "--tape", tape).stdout)
    flow, line = document["flows"][0], document["links"][0]
    assert flow["transport"] == "kernel reno"
    assert line["sent"] + sum(line["dropped"].values()) + line["waiting"] + line["in_service"] == line["offered"]
    # Not more than the line can carry, except for what a gap held back that was filled just after the warm-up: at most
    # a full buffer and a round trip.
    assert flow["goodput_bps"] <= 1e7 * 1000 / 1052 + 60 * 8000
    # A round trip is not less than the propagation delay.
    assert flow["mean_rtt_s"] > 0.020
    sockets = document["live"]["sockets"][0]
    assert sockets["control"] == "reno"
    assert sockets["failed"] is None
    events = Counter(row["event"] for row in csv.DictReader(tape.open()))
    assert events["drop"] == sum(line["dropped"].values())
    trust(document)
    # Most of what the line can carry, and not much more of a round trip than a full buffer adds.
    assert flow["goodput_bps"] > 0.8e7
    assert flow["mean_rtt_s"] < 0.020 + 32 * 1052 * 8 / 1e7 + 0.2
    # The receiver's socket had what the router saw arrive in order, up to what was on the way at the end.
    assert abs(sockets["bytes_received"] / 1000 - events["deliver"]) < 100


@live
def test_the_receivers_window_is_that_of_the_plan(plan: Path) -> None:
    sets = ["--set", 'flow.bulk.transport={ kernel = "cubic", mss = "1000 B", max_window = "10 segments" }']
    document = json.loads(run("live", plan, *sets, "--json").stdout)
    # 10 segments in 20 ms are less than the line carries, so that no more than they can wait.
    assert document["links"][0]["max_backlog"] <= 10
    assert document["flows"][0]["goodput_bps"] < 10 * 8000 / 0.02


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
    document = json.loads(run("live", plan, *sets, *BOUND, "--json").stdout)
    line, flow = document["links"][0], document["flows"][0]
    assert line["dropped"]["overflow"] > 0
    assert line["dead_units"] > 0
    # 1052 B are 23 cells with AAL5's trailer.
    assert flow["goodput_bps"] <= 1.05 * 1e7 * 8000 / (23 * 53 * 8)
    trust(document)
    assert flow["goodput_bps"] > 0.4e7


@live
def test_a_file_completes_and_random_losses_are_repaired(plan: Path) -> None:
    sets = ["--set", 'flow.bulk.traffic={ kind = "file", size = "300 kB" }']
    sets += ["--set", 'link.line.loss={ kind = "bernoulli", rate = 0.01 }', "--set", "warm_up=0 s"]
    # It takes half a second, and longer after timeouts.
    document = json.loads(run("live", plan, *sets, "--set", "duration=5 s", "--json").stdout)
    flow, line = document["flows"][0], document["links"][0]
    assert flow["segments_delivered"] == 300
    assert flow["completed_s"] > 0.27
    assert flow["segments_retransmitted"] >= line["dropped"].get("random", 0) > 0


@live
def test_datagrams_of_constant_rate(plan: Path) -> None:
    sets = ["--set", 'flow.bulk.traffic={ kind = "cbr", rate = "1 Mb/s" }']
    sets += ["--set", 'flow.bulk.transport={ kind = "udp", mss = "972 B", header = "28 B" }']
    document = json.loads(run("live", plan, *sets, *BOUND, "--json").stdout)
    flow = document["flows"][0]
    assert flow["transport"] == "kernel udp"
    # Never less than the line takes; more if the machine lets the sender catch up.
    assert flow["mean_delay_s"] > 0.01079
    trust(document)
    assert flow["segments_sent"] == pytest.approx(125, abs=3)
    assert flow["mean_delay_s"] < 0.013


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
        (["flow.bulk.traffic.kind=video"], "flow.bulk.traffic: live flows have no player"),
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
import random, socket, struct
from subprocess import run
run(["ip", "link", "set", "dupack0", "mtu", "9000"], check=True)
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
out.bind(("dupack0", 0x0800))

def packet(source, to, length=60):
    ends = socket.inet_aton(source) + socket.inet_aton(to)
    head = struct.pack("!BBHHHBBH8s", 0x45, 0, length, 0, 0, 64, 17, 0, ends)
    return head + bytes(length - 20)

# Always the same, because few of all random bytes are an IP header.
noise = random.Random(1)
for _ in range(50):
    out.send(noise.randbytes(100))
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
    sends = [sys.executable, "-c", HOSTILE + ANSWERED, "10.0.0.2", 1, 0]
    document = json.loads(run("live", plan, "--json", "--", *sends).stdout)
    refused = document["live"]["refused"]
    want = {"malformed": 100, "spoofed": 50, "looped": 50, "unroutable": 50, "oversized": 50}
    assert {why: refused[why] for why in want} == want
    # The last packet is that which is answered.
    assert document["links"][0]["offered"] == 51


@live
def test_a_shell_has_a_link_of_cells_for_a_queue_of_cells() -> None:
    link = ["--rate", "20Mb/s", "--delay", "1ms", "--queue", "bpd"]
    done = run("shell", *link, "--", sys.executable, "-c", ANSWERED, "host", 1, 1000)
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


@live
def test_simulation_and_kernel_are_compared_with_intervals(plan: Path) -> None:
    sets = ["--set", "duration=1 s", "--set", "warm_up=200 ms", "--seeds", "1..2"]
    told = json.loads(run("compare", plan, "--live", *sets, "--json").stdout)
    rows = {one["measure"]: one for one in told["points"][0]["measures"]}
    goodput = rows["flows.bulk.goodput_bps"]
    assert goodput["simulated"]["mean"] > 0.5e7
    assert goodput["live"]["mean"] > 0
    difference = goodput["difference"]
    assert difference["mean"] == pytest.approx(goodput["simulated"]["mean"] - goodput["live"]["mean"])
    assert difference["low"] <= difference["mean"] <= difference["high"]
    assert difference["significant"] == (not difference["low"] <= 0 <= difference["high"])
    text = run("compare", plan, "--live", *sets, "--of", "timeouts").stdout
    assert "simulated, and on traffic of Linux" in text
    assert "timeouts" in text


@pytest.mark.parametrize(
    ("arguments", "said", "code"),
    [
        (["--live", "--vary", "warm_up=0 s,1 s"], "--live: it ranks nothing; leave out --vary", 2),
        (["--live", "--lowest"], "--live: it ranks nothing; leave out --lowest or --highest", 2),
        (["--live", "--seeds", "1"], "--seeds: one seed, which gives no interval", 2),
        ([], "Missing option '--vary'; or give --live.", 2),
        (
            ["--live", "--set", "flow.bulk.transport.kind=tahoe", "--set", "flow.bulk.transport.kernel=nonesuch"],
            "it has",
            1,
        ),
    ],
)
def test_wrong_comparisons_with_the_kernel(plan: Path, arguments: list[str], said: str, code: int) -> None:
    assert said in run("compare", plan, *arguments, code=code).stderr


@live
def test_sysctls_of_the_plan_are_those_of_the_hosts(plan: Path) -> None:
    for sack, recovery in ((0, "TcpExt.TCPRenoRecovery"), (1, "TcpExt.TCPSackRecovery")):
        sets = ["--set", f"flow.bulk.transport.sysctl={{ tcp_sack = {sack} }}", "--set", "warm_up=0 s"]
        counters = json.loads(run("live", plan, *sets, "--json").stdout)["live"]["netstat"]["source"]
        assert counters[recovery] > 0
        other = {"TcpExt.TCPRenoRecovery", "TcpExt.TCPSackRecovery"} - {recovery}
        assert not other & counters.keys()


@live
def test_flows_that_share_a_host_share_its_sysctls(plan: Path) -> None:
    text = PLAN.replace('mss = "1000 B"', "sysctl = { tcp_sack = 0 }") + "".join(
        PLAN.partition("[[flow]]")[1:]
    ).replace('"bulk"', '"other"').replace('mss = "1000 B"', "sysctl = { tcp_sack = 1 }")
    plan.write_text(text)
    said = run("live", plan, code=1).stderr
    assert 'flow.other.transport.sysctl.tcp_sack: "1", but flow.bulk, which shares a host with it, says "0"' in said


CELLS = {
    "plain": "",
    "ppd": "",
    "epd": ", threshold = 0.8",
    "bpd": ', lower = 0.4, upper = 0.9, gap = "10 packets"',
    "epd-push-out": ", threshold = 0.8",
    "abs-push-out": "",
}


@live
@pytest.mark.parametrize("kind", CELLS)
def test_every_discipline_of_cells_carries_kernel_traffic(plan: Path, kind: str) -> None:
    queue = f'{{ kind = "{kind}", buffer = "200 cells"{CELLS[kind]} }}'
    sets = ["--set", "link.line.carries=cells", "--set", f"link.line.queue={queue}", "--set", "warm_up=0 s"]
    document = json.loads(run("live", plan, *sets, "--json").stdout)
    line, flow = document["links"][0], document["flows"][0]
    assert line["carries"] == "cells"
    assert line["sent"] + sum(line["dropped"].values()) + line["waiting"] + line["in_service"] == line["offered"]
    assert sum(line["dropped"].values()) > 0
    assert flow["segments_delivered"] > 100
    # What arrived whole is all that the receiver's socket can have.
    assert document["live"]["sockets"][0]["failed"] is None


BURST = """
traffic = { kind = "file", size = "30 kB" }
transport = { kernel = "reno", mss = "1000 B", header = "40 B", initial_window = "30 segments", SYSCTL }
""".replace("SYSCTL", "sysctl = { tcp_sack = 0 }")


@live
@pytest.mark.parametrize("keep", ["41 B", "40 B"])
def test_copies_with_the_last_byte_tell_of_a_lost_tail(plan: Path, keep: str) -> None:
    inner = 'inner = { kind = "drop-tail", buffer = "15 packets" }, duplicates = 3, interval = "25 packets"'
    queue = f'{{ kind = "triple-truncated", {inner}, keep = "{keep}", reserve = "30 packets" }}'
    plan.write_text(PLAN.partition("transport =")[0] + BURST)
    sets = ["--set", f"link.line.queue={queue}", "--set", "warm_up=0 s"]
    document = json.loads(run("live", plan, *sets, *BOUND, "--json").stdout)
    line, flow, counters = document["links"][0], document["flows"][0], document["live"]["netstat"]
    assert line["minted"] >= 3
    assert flow["segments_delivered"] == 30
    # After 200 ms without a copy, the sender sends again by itself.
    trust(document)
    # A copy as the paper prints it is shorter than its IP header says, and the kernel drops it.
    assert ("IpExt.InTruncatedPkts" in counters["sink"]) == (keep == "40 B")
    assert ("TcpExt.TCPRenoRecovery" in counters["source"]) == (keep == "41 B")


def between(command: str, out: Path) -> str:
    """The command for a shell, after a server is ready, and before it has written its file."""
    return f"while ! [ -e {out}.ready ]; do sleep 0.05; done; {command}; while ! [ -s {out} ]; do sleep 0.05; done"


FRAGMENTS = """
import socket, sys
here = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
here.bind(("0.0.0.0", 4000))
here.settimeout(60)
open(sys.argv[1] + ".ready", "w").close()
whole = here.recv(65536)
open(sys.argv[1], "w").write(f"{len(whole)} {set(whole)}")
"""


@live
def test_fragments_are_passed_as_they_are(plan: Path, tmp_path: Path) -> None:
    out = tmp_path / "got"
    receive = f"{sys.executable} -c '{FRAGMENTS}' {out}"
    send = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x' * 4000, ('sink', 4000))"
    main = between(f'{sys.executable} -c "{send}"', out)
    document = json.loads(run("live", plan, "--json", "--serve", f"sink={receive}", "--", "sh", "-c", main).stdout)
    assert document["links"][0]["sent"] == 3
    assert out.read_text() == "4000 {120}"


FLOOD = """
import os, socket, struct, sys
from subprocess import run
run(["ip", "link", "set", "dupack0", "mtu", "9000"], check=True)
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
out.bind(("dupack0", 0x0800))
def packet(source, to, length=60):
    ends = socket.inet_aton(source) + socket.inet_aton(to)
    return struct.pack("!BBHHHBBH8s", 0x45, 0, length, 0, 0, 64, 17, 0, ends) + bytes(length - 20)
own = os.environ["OWN"]
bad = [packet(own, "10.0.0.9"), packet("192.0.2.1", "10.0.0.1"), packet(own, own), packet(own, "10.0.0.1", 8000), b"E"]
while not os.path.exists(sys.argv[1]):
    for one in bad:
        try:
            out.send(one)
        except OSError:
            pass
"""
GOOD = """
import socket, struct, sys, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for number in range(200):
    out.sendto(struct.pack("!I", number) + bytes(500), ("sink", 4000))
    time.sleep(0.005)
"""
COUNT = """
import socket, struct, sys
here = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
here.bind(("0.0.0.0", 4000))
here.settimeout(60)
open(sys.argv[1] + ".ready", "w").close()
numbers = [struct.unpack_from("!I", here.recv(65536))[0] for _ in range(200)]
open(sys.argv[1], "w").write(str(numbers == list(range(200))))
"""


@live
@pytest.mark.skipif(os.geteuid() != 0, reason="packet sockets need root")
def test_a_flood_of_wrong_packets_takes_nothing_from_others(plan: Path, tmp_path: Path) -> None:
    out = tmp_path / "done"
    for name, text in (("flood", FLOOD), ("good", GOOD), ("count", COUNT)):
        (tmp_path / f"{name}.py").write_text(text)
    third = '[[host]]\nname = "bad"\n[[switch]]\nname = "middle"\n'
    link = "".join(PLAN.partition("[[link]]")[1:]).partition("[[flow]]")[0]
    ends = [link.replace('"line"', f'"{of}"').replace('from = "source"', f'from = "{of}"') for of in ("bad", "source")]
    into = [one.replace('to = "sink"', 'to = "middle"') for one in ends]
    last = link.replace('from = "source"', 'from = "middle"')
    head, _, flow = PLAN.partition("[[flow]]")
    text = head.partition("[[link]]")[0] + third + "".join(into) + last + "[[flow]]" + flow
    # All good packets have room, also if the router sees many of them at once.
    plan.write_text(text.replace('buffer = "30 packets"', 'buffer = "300 packets"'))
    python = sys.executable
    main = between(f"{python} {tmp_path}/good.py", out)
    asked = ["live", plan, "--json", "--serve", f"sink={python} {tmp_path}/count.py {out}"]
    asked += ["--serve", f"bad=env OWN=10.0.0.3 {python} {tmp_path}/flood.py {out}"]
    document = json.loads(run(*asked, "--on", "source", "--", "sh", "-c", main).stdout)
    assert out.read_text() == "True"
    refused = document["live"]["refused"]
    for why in ("malformed", "spoofed", "looped", "unroutable", "oversized"):
        assert refused[why] > 50
    line = next(one for one in document["links"] if one["name"] == "line")
    assert (line["offered"], line["dropped"]) == (200, {})


LARGE = """
import socket
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(40_000):
    out.sendto(bytes(1400), ("sink", 9))
"""


@live
def test_memory_is_that_of_the_buffers(plan: Path) -> None:
    def most(script: str) -> int:
        command = [sys.executable, "-m", "dupack", "live", str(plan), "--json", "--", sys.executable, "-c", script]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return used.ru_maxrss

    # 56 MB pass by, of which the buffer holds 30 packets.
    assert most(LARGE) - most("") < 20_000


@live
def test_a_shell_behind_a_trace_of_mahimahi(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    trace.write_text("2\n4\n6\n")
    done = run("shell", "--trace", trace, "--", sys.executable, "-c", ANSWERED, "host", 5, 1000)
    assert "link: sent 5 packets, dropped none" in done.stderr


@live
def test_steps_and_jitter_of_a_link(plan: Path) -> None:
    steps = '[{ at = "500 ms", rate = "2 Mb/s" }]'
    sets = [
        "--set",
        f"link.line.schedule={steps}",
        "--set",
        'link.line.jitter={ kind = "uniform", max_delay = "5 ms" }',
    ]
    document = json.loads(run("live", plan, *sets, "--json").stdout)
    # Warm-up ends with the step.
    assert document["flows"][0]["goodput_bps"] < 0.25e7
    assert document["flows"][0]["mean_rtt_s"] > 0.021
