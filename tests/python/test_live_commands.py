"""Commands of ``dupack live``: what they see and can reach, how they end, and what is left of them: nothing."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import IO

import pytest
from click.testing import CliRunner

from dupack import live as lives
from dupack import privileges
from dupack.cli import cli
from on_kernel import PLAN, live, run

root = pytest.mark.skipif(os.geteuid() != 0, reason="it needs root")


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


def lasting(seconds: int) -> str:
    """A number of seconds as a word for ``sleep`` that no process of another test has."""
    return f"{seconds}.{os.getpid()}"


def processes(word: str) -> list[int]:
    """Numbers of the processes that have this word as an argument."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if word.encode() in words:
            found.append(int(folder.name))
    return found


def soon(holds: Callable[[], bool]) -> bool:
    """Whether this holds within 5 minutes: a process starts and ends a moment after it was told to."""
    last = monotonic() + 300
    while not (held := holds()) and monotonic() < last:
        sleep(0.01)
    return held


def there(word: str) -> bool:
    """Whether a process has this word as an argument.

    The shell that starts it may go on, and print, before the new process has its own arguments.
    """
    return soon(lambda: bool(processes(word)))


def gone(word: str) -> bool:
    """Whether no process has this word as an argument."""
    return soon(lambda: not processes(word))


@contextmanager
def started(*arguments: object, python: str | None = None) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """A live run that goes on until it is ended, and its output."""
    words = [python] if python else ["-m", "dupack", *map(str, arguments)]
    command = [sys.executable, *(["-c", *words] if python else words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout
        finally:
            process.kill()


LEFT = {
    "in the background": "sleep {} > /dev/null 2>&1 &",
    "without an environment": "env -i sleep {} > /dev/null 2>&1 &",
    "in a session of its own": "setsid sleep {} > /dev/null 2>&1 &",
}


@live
@pytest.mark.parametrize("how", LEFT)
def test_the_end_of_the_command_ends_what_it_started(plan: Path, how: str, tmp_path: Path) -> None:
    word, over = lasting(70), tmp_path / "over"
    script = f"{LEFT[how].format(word)} echo started; while ! [ -e {over} ]; do sleep 0.05; done"
    with started("live", plan, "--", "sh", "-c", script) as (process, out):
        assert out.readline() == "started\n"
        assert there(word)
        over.touch()
        process.communicate(timeout=300)
        assert process.returncode == 0
        assert processes(word) == []


@live
def test_the_end_of_the_command_ends_what_servers_started(plan: Path) -> None:
    word = lasting(801)
    run("live", plan, "--serve", f"sink=sh -c 'sleep {word}; true'", "--", "true")
    assert processes(word) == []


@live
@pytest.mark.parametrize("how", LEFT)
def test_a_killed_run_leaves_nothing(plan: Path, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    word = lasting(900)
    script = f"{LEFT[how].format(word)} echo started; wait; sleep {word}"
    with started("live", plan, "--", "sh", "-c", script) as (process, out):
        assert out.readline() == "started\n"
        assert there(word)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert gone(word)
    assert not list((tmp_path / "temporary").iterdir())


@live
def test_clean_spares_the_commands_of_a_run_from_python(plan: Path) -> None:
    word = lasting(902)
    script = f"trap '' TERM; echo started; sleep {word}"
    text = f"""
from pathlib import Path
from dupack import live
program = live.Program(("source", ["sh", "-c", {script!r}]))
live.live(live.Wish(plan=Path({str(plan)!r}), program=program), out=None, as_json=False, force=False)
"""
    with started(python=text) as (_, out):
        assert out.readline() == "started\n"
        assert there(word)
        run("live", "--clean")
        assert processes(word)
    assert gone(word)


def test_clean_ends_processes_of_a_run_that_is_dead() -> None:
    # The number of this test's process, which started at another time.
    marked = {**os.environ, privileges.MARK: f"{os.getpid()}:1"}
    with subprocess.Popen(["sleep", lasting(903)], env=marked) as left:
        try:
            # A live run that another test begins just now may end it first, as each does.
            run("live", "--clean")
            assert left.wait(timeout=300) == -signal.SIGKILL
        finally:
            left.kill()


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (0, "nothing was left\n"),
        (1, "ended 1 process of killed live runs\n"),
        (2, "ended 2 processes of killed live runs\n"),
    ],
)
def test_clean_says_what_it_has_ended(monkeypatch: pytest.MonkeyPatch, ended: int, said: str) -> None:
    monkeypatch.setattr(lives, "clean", lambda: ended)
    assert CliRunner().invoke(cli, ["live", "--clean"]).output == said


def test_clean_goes_with_nothing_else(plan: Path) -> None:
    assert "--clean: it goes with nothing else" in run("live", plan, "--clean", code=2).stderr


@live
@root
def test_commands_of_root_cannot_leave_their_namespaces(plan: Path) -> None:
    script = """
for space in /proc/$PPID/ns/net /proc/*/ns/net; do nsenter --net=$space ip -br link; done 2> /dev/null
umount /proc
for space in /proc/*/ns/net; do nsenter --net=$space ip -br link; done 2> /dev/null
ip -br link
"""
    told = run("live", plan, "--", "sh", "-c", script).stdout.partition("One kernel flow")[0]
    assert {line.split()[0] for line in told.splitlines()} == {"lo", "dupack0"}


@live
def test_commands_see_their_own_processes_alone(plan: Path) -> None:
    told = run("live", plan, "--", "sh", "-c", "echo $PPID; ls -d /proc/[0-9]* | wc -l").stdout.splitlines()
    # The first process of the namespace, the shell, ls and wc.
    assert told[0] == "0"
    assert int(told[1]) <= 4


PING = """
import socket, struct
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
out.settimeout(60)
head = struct.pack("!BBHHH", 8, 0, 0, 0, 1)
out.sendto(struct.pack("!BBHHH", 8, 0, ~sum(struct.unpack("!4H", head)) & 0xFFFF, 0, 1), ("sink", 0))
print("answered", out.recv(100)[0], open("/etc/hosts").read().count("sink"))
"""


@live
@root
def test_the_user_of_sudo_knows_the_hosts_and_can_ping(plan: Path) -> None:
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if python is None:
        pytest.skip("no Python that another user can run")
    script = 'umask 077; exec "$@"'
    ping = f"import os\nprint(os.getuid())\n{PING}"
    command = [sys.executable, "-m", "dupack", "live", str(plan), "--", python, "-c", ping]
    user = {**os.environ, "SUDO_UID": "65534", "SUDO_GID": "65534"}
    done = subprocess.run(["sh", "-c", script, "sh", *command], env=user, capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines()[:2] == ["65534", "answered 0 1"], done.stderr


@live
def test_a_user_namespace_has_no_user_of_sudo(plan: Path) -> None:
    user = {**os.environ, "SUDO_UID": "65534", "SUDO_GID": "65534"}
    inside = ["unshare", "--user", "--map-root-user", "--net"]
    command = [*inside, sys.executable, "-m", "dupack", "live", str(plan), "--", "id", "-u"]
    done = subprocess.run(command, env=user, capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines()[0] == "0", done.stderr


def test_no_module_of_the_directory_is_imported_in_the_user_namespace(
    plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK) or shutil.which("unshare") is None:
        pytest.skip("no /dev/net/tun, or no unshare")
    (tmp_path / "click.py").write_text("raise SystemExit('a module of the directory')\n")
    asked: list[str] = []
    monkeypatch.setattr(privileges, "_has", lambda _: False)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 0))
    monkeypatch.setattr(os, "execv", lambda _, words: asked.extend(words))
    monkeypatch.delenv(privileges.INSIDE, raising=False)
    monkeypatch.setattr(sys, "argv", ["dupack", "--version"])
    privileges.obtain()
    monkeypatch.undo()
    command = asked[asked.index("--") + 1 :]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@live
def test_json_of_a_run_with_a_command_is_json_alone(plan: Path, tmp_path: Path) -> None:
    said = tmp_path / "said"
    server = f"sink=sh -c 'echo of a server; touch {said}'"
    command = f"while ! [ -e {said} ]; do sleep 0.05; done; echo of the command"
    done = run("live", plan, "--json", "--serve", server, "--", "sh", "-c", command)
    assert json.loads(done.stdout)["live"]["exit_code"] == 0
    assert {"of a server", "of the command"} <= set(done.stderr.splitlines())


PATIENT = """
import signal
timer = signal.setitimer
signal.setitimer = lambda which, seconds: timer(which, 300 * seconds)
from dupack.cli import main
main()
"""
"""The command, which waits 5 minutes instead of a second for a command of the user to end after an interrupt."""


@live
def test_the_first_interrupt_is_that_of_the_command(plan: Path) -> None:
    script = "trap 'echo over; exit 3' INT; echo started; while true; do sleep 0.05; done"
    words = ["live", str(plan), "--", "sh", "-c", script]
    command = [sys.executable, "-c", PATIENT, *words]
    # A group of its own, as a terminal interrupts it.
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, start_new_session=True, **pipes) as process:  # type: ignore[call-overload]
        assert process.stdout.readline() == "started\n"
        os.killpg(process.pid, signal.SIGINT)
        told, _ = process.communicate(timeout=300)
    assert process.returncode == 3
    assert told.startswith("over\n")
    assert "Links" in told


@live
@pytest.mark.parametrize("times", [1, 2])
def test_a_command_that_ignores_interrupts_is_ended(plan: Path, times: int) -> None:
    word = lasting(903 + times)
    script = f"trap '' INT TERM; echo started; while true; do sleep {word}; done"
    with started("live", plan, "--", "sh", "-c", script) as (process, out):
        assert out.readline() == "started\n"
        for _ in range(times):
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)
        assert process.returncode == 130
        assert gone(word)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["PLAN", "other.toml"], "Got unexpected extra argument (other.toml); a command goes after --"),
        (["--", "iperf3", "-c", "sink"], "Missing argument 'PLAN'"),
    ],
)
def test_a_command_goes_after_a_plan_and_dashes(plan: Path, arguments: list[str], said: str) -> None:
    words = [str(plan) if word == "PLAN" else word for word in arguments]
    assert said in " ".join(run("live", *words, code=2).stderr.replace("│", "").split())


@live
def test_a_server_that_ends_at_once_is_an_error(plan: Path) -> None:
    said = run("live", plan, "--serve", "sink=sh -c 'exit 5'", "--", "true", code=1).stderr
    assert "the server on host sink, sh -c exit 5, ended at once (exit status: 5)" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rate", "20"], '--rate: "20"'),
        (["--rate", "1Mb/s", "--queue", '{ kind = "codel"'], "--queue: '{ kind = \"codel\"' is not a table"),
        (["--rate", "1Mb/s", "--delay", "x"], '--delay: "x"'),
        (["--rate", "1Mb/s", "--queue", '{ kind = "codel", target = "x" }'], '--queue: target: "x"'),
    ],
)
def test_errors_of_a_shell_name_its_options(options: list[str], said: str) -> None:
    told = run("shell", *options, code=2).stderr
    assert said in told
    assert "link.link" not in told
    assert told.count(said) == 1
    assert "plan" not in told
