"""Live runs leave the machine's network alone, and what they need is said where it is missing."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dupack import privileges
from on_kernel import BOUND, PLAN, live, run, trust


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


def _told(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _addresses() -> list[str]:
    """Of this machine's interfaces, without those of the links alone."""
    interfaces = json.loads(_told("ip", "-json", "address"))
    found = [it for one in interfaces for it in one["addr_info"]]
    return [it["local"] for it in found if it["scope"] != "link"]


@live
def test_nothing_outside_can_be_reached(plan: Path) -> None:
    addresses = sorted({"127.0.0.1", "192.0.2.1", "::1", *_addresses()})
    families = [(socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")]
    streams = [socket.create_server((host, 0), family=family) for family, host in families]
    ports = {family: it.getsockname()[1] for (family, _), it in zip(families, streams, strict=True)}
    datagrams = [socket.socket(family, socket.SOCK_DGRAM) for family, _ in families]
    for (family, host), it in zip(families, datagrams, strict=True):
        it.setblocking(False)
        it.bind((host, ports[family]))
    asked = [(one, ports[socket.AF_INET6 if ":" in one else socket.AF_INET]) for one in addresses]
    script = f"""
import socket
for address, port in {asked!r}:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as out:
        try:
            out.sendto(b"reached", (address, port))
        except OSError:
            pass
    with socket.socket(family) as it:
        it.settimeout(0.3)
        print(address, it.connect_ex((address, port)) != 0)
"""
    done = run("live", plan, "--", sys.executable, "-c", script)
    told = [line.split() for line in done.stdout.splitlines() if line.endswith(("True", "False"))]
    assert told == [[address, "True"] for address in addresses]
    for it in datagrams:
        with pytest.raises(BlockingIOError):
            it.recv(100)
    for one in (*streams, *datagrams):
        one.close()


def _network() -> dict[str, str]:
    """What forwards packets on this machine."""
    words = {
        "addresses": ("ip", "-brief", "address"),
        "links": ("ip", "-brief", "link"),
        "routes": ("ip", "route", "show", "table", "all"),
        "routes6": ("ip", "-6", "route", "show", "table", "all"),
        "rules": ("ip", "rule"),
    }
    if shutil.which("nft"):
        words["nft"] = ("nft", "list", "ruleset")
    switches = ("ipv4/ip_forward", "ipv6/conf/all/forwarding", "ipv4/conf/all/proxy_arp")
    found = {name: _told(*command) for name, command in words.items()}
    return found | {name: (Path("/proc/sys/net") / name).read_text() for name in switches}


@live
def test_the_network_of_the_machine_stays_as_it_is(plan: Path) -> None:
    before = _network()
    assert before["links"]
    during = 0
    with subprocess.Popen(
        [sys.executable, "-m", "dupack", "live", str(plan), "--json"], stdout=subprocess.DEVNULL
    ) as process:
        while process.poll() is None:
            assert _network() == before
            during += 1
            time.sleep(0.1)
    assert process.returncode == 0
    assert during > 3
    assert _network() == before


SPOOFED = """
import os, socket, struct, time
out = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM)
out.bind(("dupack0", 0x0800))
ends = socket.inet_aton("192.0.2.1") + socket.inet_aton("10.0.0.2")
wrong = struct.pack("!BBHHHBBH8s", 0x45, 0, 1000, 0, 0, 64, 17, 0, ends) + bytes(980)
while True:
    for _ in range(20):
        try:
            out.send(wrong)
        except OSError:
            pass
    time.sleep(0.002)
"""


SENDS = """
import os, socket, sys, time
while not os.path.exists(sys.argv[1] + ".ready"):
    time.sleep(0.01)
with socket.create_connection(("sink", 4000)) as out:
    until = time.monotonic() + 2
    while time.monotonic() < until:
        out.sendall(bytes(10_000))
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
"""
COUNTS = """
import os, socket, sys, time
with socket.create_server(("0.0.0.0", 4000)) as here:
    open(sys.argv[1] + ".ready", "w").close()
    stream, _ = here.accept()
    began, count = time.monotonic(), 0
    while data := stream.recv(1 << 16):
        count += len(data)
    rate = 8 * count / (time.monotonic() - began)
open(sys.argv[1] + ".new", "w").write(str(rate))
os.rename(sys.argv[1] + ".new", sys.argv[1])
"""


@live
@pytest.mark.skipif(os.geteuid() != 0, reason="packet sockets need root")
def test_a_flood_leaves_a_flow_its_share(plan: Path, tmp_path: Path) -> None:
    """8 times the rate of the line, from the host of the flow: none of it is offered to the line."""
    for name, text in (("flood", SPOOFED), ("sends", SENDS), ("counts", COUNTS)):
        (tmp_path / f"{name}.py").write_text(text)
    python = sys.executable
    rates = []
    for name, more in (("alone", []), ("beside", ["--serve", f"source={python} {tmp_path}/flood.py"])):
        out = tmp_path / name
        asked = ["live", plan, *BOUND, "--json", "--serve", f"sink={python} {tmp_path}/counts.py {out}", *more]
        document = json.loads(run(*asked, "--on", "source", "--", python, tmp_path / "sends.py", out).stdout)
        rates.append(float(out.read_text()))
        assert (document["live"]["refused"]["spoofed"] > 2000) == (name == "beside")
        trust(document)
    alone, beside = rates
    assert alone > 5e6
    assert beside > 0.7 * alone


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {"user/max_user_namespaces": "0"},
            "as root, sysctl -w user.max_user_namespaces=10000 (it is 0)",
        ),
        (
            {"user/max_user_namespaces": "100", "kernel/unprivileged_userns_clone": "0"},
            "as root, sysctl -w kernel.unprivileged_userns_clone=1 (it is 0)",
        ),
        (
            {
                "kernel/apparmor_restrict_unprivileged_userns": "1",
                "user/max_user_namespaces": "0",
            },
            "as root, sysctl -w user.max_user_namespaces=10000 (it is 0) and "
            "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (it is 1)",
        ),
        (
            {"user/max_user_namespaces": "100"},
            "as root, a container may forbid it: give it CAP_SYS_ADMIN and CAP_NET_ADMIN",
        ),
        ({}, "as root, a container may forbid it: give it CAP_SYS_ADMIN and CAP_NET_ADMIN"),
    ],
)
def test_what_forbids_a_user_namespace_is_named(
    values: dict[str, str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in values.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{value}\n")
    monkeypatch.setattr(privileges, "SETTINGS", tmp_path)
    told = privileges._missing("unshare: Operation not permitted")
    start = "no user namespace can be made (unshare: Operation not permitted): run it as root; or, "
    assert told == start + said


@live
def test_the_threads_that_handle_packets_have_no_privileges(plan: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "dupack",
        "live",
        str(plan),
        "--json",
        "--set",
        "duration=4 s",
        "--",
        "sleep",
        "60",
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        safe: set[str] = set()
        while len(safe) < 2 and process.poll() is None:
            safe = {thread for thread, status in _threads(process.pid) if _is_safe(status)}
            time.sleep(0.05)
        process.terminate()
    # The router, and the ends of flows.
    assert len(safe) >= 2


def _threads(process: int) -> list[tuple[str, dict[str, str]]]:
    found = []
    for folder in Path(f"/proc/{process}/task").glob("*"):
        try:
            lines = (folder / "status").read_text().splitlines()
        except OSError:
            continue
        found.append((folder.name, dict(line.split(":\t", 1) for line in lines if ":\t" in line)))
    return found


def _is_safe(status: dict[str, str]) -> bool:
    sets = ("CapEff", "CapPrm", "CapInh")
    return status["NoNewPrivs"] == "1" and all(int(status[name], 16) == 0 for name in sets)
