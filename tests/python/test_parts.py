"""Queues, transports, traffic and losses as values, their help and their types."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import dupack as dk
from conftest import net
from dupack import parts


def test_a_part_is_a_value() -> None:
    red = dk.queue.red(buffer="50 packets", min_th=5, max_th="15 packets")
    assert red == dk.queue.red(buffer="50 packets", min_th="5 packets", max_th=15)
    assert len({red, pickle.loads(pickle.dumps(red))}) == 1
    assert eval(repr(red), {"dupack": dk}) == red
    assert red.kind == "red"
    with pytest.raises(AttributeError, match="is immutable"):
        red.kind = "plain"
    wrapped = dk.queue.triple_buffering(inner=red)
    assert wrapped.table["inner"] == red.table
    pair = dk.transport.pair(control="static-window", repair="smart", window="12 segments")
    assert eval(repr(pair), {"dupack": dk}) == pair


def test_numbers_of_numpy_are_numbers() -> None:
    import numpy as np

    queue = dk.queue.bpd(buffer="100 cells", lower=np.float32(0.5), upper=np.float64(0.75), gap=np.int64(5))
    assert queue == dk.queue.bpd(buffer="100 cells", lower=0.5, upper=0.75, gap="5 packets")
    assert dk.transport.reno(careful=np.bool_(True)) == dk.transport.reno(careful=True)


def test_every_word_has_a_function_whose_help_says_all() -> None:
    for of in parts.FAMILIES:
        module = getattr(dk, of.family)
        told = {entry["name"] for entry, _ in parts.entries(of.family) if entry["name"]}
        assert {parts.identifier(word) for word in told} <= set(module.__all__)
        for entry, parameters in parts.entries(of.family):
            made = getattr(module, parts.identifier(entry["name"] or "pair"))
            assert list(inspect.signature(made).parameters) == [p["name"] for p in parameters]
            for parameter in parameters:
                assert f"    {parameter['name']}: " in made.__doc__


def test_a_default_that_is_written_changes_nothing() -> None:
    def key(queue: dk.Queue) -> str:
        return net(queue=queue, carries="cells").read()[0].key(0)

    told = inspect.signature(dk.queue.bpd).parameters
    defaults = {name: p.default for name, p in told.items() if p.default not in (p.empty, None)}
    assert set(defaults) == {"lower", "upper", "gap"}
    assert key(dk.queue.bpd(buffer="100 cells")) == key(dk.queue.bpd(buffer="100 cells", **defaults))


def test_stubs_match_the_modules(tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    # PyO3 generates `__all__`, and the stub describes everything in it.
    allowed.write_text("dupack._native.__all__\n")
    modules = ["dupack._native", *(f"dupack.{of.family}" for of in parts.FAMILIES)]
    done = _python("-m", "mypy.stubtest", "--allowlist", str(allowed), *modules, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


USE = """
import dupack as dk

queue: dk.Queue = dk.queue.bpd(buffer="1200 cells", lower=0.4, gap=25)
net = dk.dumbbell(senders=5, access="30 Mb/s", bottleneck="75 Mb/s", delay="0.3 ms", carries="cells", queue=queue)
run = net.run(dk.transport.reno(mss="536 B"), duration="60 s", seed=1)
reveal_type(run.flows)
reveal_type(run.plot.cwnd())
reveal_type(dk.sweep(net, {"link.bottleneck.queue.lower": [0.2]}, seeds=10).points)


class Mine(dk.Discipline):
    def offer(self, now: int, unit: dk.Unit, book: dk.Book) -> None:
        book.drop(unit, "early")

    def pull(self, now: int, book: dk.Book) -> dk.Unit | None:
        return None
"""


def test_types_are_known_to_who_uses_them(tmp_path: Path) -> None:
    (tmp_path / "use.py").write_text(USE)
    (tmp_path / "wrong.py").write_text(
        'import dupack as dk\n\ndk.queue.bpd(buffer=1200)\ndk.queue.bpd(bufer="1 cells")\ndk.dumbbell(senders="five")\n'
    )
    cache = ["--strict", "--cache-dir", str(tmp_path / "cache")]
    done = _python("-m", "mypy", *cache, "use.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("polars.dataframe.frame.DataFrame") == 2
    assert "dupack.figures.Figure" in done.stdout
    done = _python("-m", "mypy", *cache, "wrong.py", cwd=tmp_path)
    assert 'Argument "buffer" to "bpd" has incompatible type "int"; expected "str"' in done.stdout
    assert 'Unexpected keyword argument "bufer" for "bpd"' in done.stdout
    assert 'Missing named argument "access"' in done.stdout


def _python(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
