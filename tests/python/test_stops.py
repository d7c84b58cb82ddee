"""Ctrl-C ends every command, whatever it does; limits are applied before work is done."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dupack as dk
from conftest import DUPACK, STARTED, Dupack

FLOWS = (
    'duration = "1 s"\nhost = [{ name = "a" }, { name = "b" }]\n'
    'link = [{ name = "line", from = "a", to = "b", carries = "packets", rate = "1 Gb/s", delay = "1 ms" }]\n'
    + "".join(
        f'[[flow]]\nname = "f{at}"\nfrom = "a"\nto = "b"\n'
        'traffic = { kind = "greedy" }\ntransport = { kind = "reno" }\n'
        for at in range(120_000)
    )
)
"""A plan that takes ten seconds to check."""

LOOP = """
import dupack as dk
class Endless(dk.Discipline):
    room = 9
    def begun(self, rate, seed):
        return self
    def offer(self, now, unit, book):
        print("looping", flush=True)
        while True:
            pass
    def pull(self, now, book):
        return None
net = dk.dumbbell(senders=1, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms", queue=Endless())
net.run(dk.transport.reno(), duration="1 s")
"""


def started(place: Path, *words: object) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [str(word) for word in words], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    STARTED.append(process)
    return process


CHECK = f"""
import sys
from dupack import work
whole = work.whole
def read(file):
    text = whole(file)
    print("begun", flush=True)
    return text
work.whole = read
sys.argv[0] = {str(DUPACK)!r}
exec(open(sys.argv[0]).read())
"""
"""The command, which tells when it has read a plan and begins to check it."""


def checked(place: Path) -> subprocess.Popen[str]:
    """A check of a plan that is under way."""
    process = started(place, sys.executable, "-c", CHECK, "check", "plan.toml")
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    # The signal is to come in the middle; before, it would end the command as well.
    time.sleep(0.5)
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_long_check_answers_signals(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "plan.toml").write_text(FLOWS)
    process = checked(tmp_path)
    process.send_signal(number)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 128 + number, errors
    assert "Traceback" not in errors


GUARDED = """
import itertools, os, time
from dupack import interrupts
with interrupts.Importing():
    interrupts.guard()
{work}
"""
"""A program with the signals of the command."""


def guarded(place: Path, work: str) -> subprocess.Popen[str]:
    """Such a program, which has begun its work."""
    process = started(place, sys.executable, "-c", GUARDED.format(work=work))
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command_even_while_python_cannot_handle_it(tmp_path: Path, number: signal.Signals) -> None:
    # A call of C code that lasts for months, in which Python does not look for signals.
    work = "sum(itertools.chain(map(os.write, [1], [b'begun\\n']), range(10**15)))"
    process = guarded(tmp_path, work)
    process.send_signal(number)
    _, errors = process.communicate(timeout=300)
    word = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}[number]
    assert (process.returncode, errors) == (128 + number, f"{word}\n")


ASLEEP = """
import signal, threading
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
try:
    print("begun", flush=True)
    time.sleep(600)
except KeyboardInterrupt:
    print("handled")
"""
"""The other thread takes the signal, so that it does not end the system call of the main thread."""


def test_a_signal_is_handled_though_the_main_thread_waits_in_a_system_call(tmp_path: Path) -> None:
    process = guarded(tmp_path, ASLEEP)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=300)
    assert (process.returncode, output, errors) == (0, "handled\n", "")


CLEANING = """
import signal
def rest(seconds):
    # A signal just before a system call is handled after it, so none is long.
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(0.01)
try:
    print("begun", flush=True)
    rest(600)
except KeyboardInterrupt:
    # The second comes while the first is handled.
    os.kill(os.getpid(), signal.SIGINT)
    rest(4)
    print("cleaned")
"""


def test_what_handles_a_signal_has_its_time(tmp_path: Path) -> None:
    process = guarded(tmp_path, CLEANING)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=300)
    assert (process.returncode, output, errors) == (0, "cleaned\n", "")


STEPS = """
duration = "1 s"
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "line", from = "a", to = "b", carries = "packets", rate = "1 Mb/s", delay = "1 ms",
          schedule = { file = "steps.csv" } }]
flow = [{ name = "f", from = "a", to = "b" }]
"""


def test_a_long_schedule_answers_a_signal(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(STEPS)
    # It takes an hour to read where each step looks at all before it.
    rows = (f"{step // 1000000}.{step % 1000000:06d},{1000000 + step}\n" for step in range(3_000_000))
    (tmp_path / "steps.csv").write_text("at_s,rate_bps\n" + "".join(rows))
    process = checked(tmp_path)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    # It may have ended before.
    assert process.returncode in (130, 0), errors
    assert "Traceback" not in errors


def test_a_discipline_in_an_endless_loop_can_be_stopped(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    process = started(tmp_path, sys.executable, "loop.py")
    assert process.stdout is not None
    assert process.stdout.readline() == "looping\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode != 0
    assert errors.splitlines()[-1].startswith("KeyboardInterrupt")


CAPTURE = """
import os, signal, sys, threading
from pathlib import Path
from dupack import _native, work
plan = work.read_plan(Path("plan.toml"), ["duration=150 s", "flow.bulk.transport.max_window=40 segments"])
recording = _native.record(plan, 0, 1, [("bottleneck", None)])
def profiled(frame, event, called):
    if getattr(called, "__name__", "") == "capture":
        print(event, flush=True)
        if event == "c_call":
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
sys.setprofile(profiled)
recording.capture(0, 65535)
"""
"""Ctrl-C comes while a capture is written, which takes a second; says whether that call then returns or raises."""


def test_writing_a_capture_is_ended(tmp_path: Path) -> None:
    assert subprocess.run([DUPACK, "new", "plan.toml"], cwd=tmp_path, capture_output=True).returncode == 0
    (tmp_path / "capture.py").write_text(CAPTURE)
    process = started(tmp_path, sys.executable, "capture.py")
    output, errors = process.communicate(timeout=300)
    assert output.split() == ["c_call", "c_exception"]
    assert errors.splitlines()[-1] == "KeyboardInterrupt"


def test_more_entries_than_allowed_are_refused_before_they_are_read(dupack: Dupack, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text("host = [" + 2_000_001 * "1," + "]\n")
    done = dupack("check", "plan.toml")
    assert done.returncode == 2
    assert "host: 2000001 of them; write at most 2000000 (a group of hosts with a `count` is one)\n" in done.stderr


@pytest.mark.parametrize("command", ["check", "run", "sweep"])
def test_a_device_without_an_end_is_no_plan(dupack: Dupack, command: str) -> None:
    done = dupack(command, "/dev/zero")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "/dev/zero: larger than 256 MiB, so it is no plan; nothing was run\n"


def test_a_device_is_not_loaded() -> None:
    with pytest.raises(dk.PlanError, match="/dev/zero: larger than 256 MiB"):
        dk.load("/dev/zero")
