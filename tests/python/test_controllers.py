"""Controllers written in Python."""

from __future__ import annotations

import math
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dupack as dk
from conftest import steady


class Reno(dk.Controller):
    """RFC 5681 as `dupack.transport.reno` has it: halves of whole segments, acks counted."""

    def start(self) -> None:
        self.ssthresh = self.initial_ssthresh

    def on_ack(self, ack: dk.Ack) -> None:
        if ack.opens:
            self.window += 1.0 if self.window < self.ssthresh else 1.0 / self.window

    def on_congestion(self, congestion: dk.Congestion) -> None:
        if congestion.kind == "loss" and congestion.echoed:
            return
        half = float(int(min(self.window, congestion.receiver_window) / 2))
        self.ssthresh = max(half, 2.0)
        if congestion.kind == "timeout":
            self.window = self.loss_window
        elif congestion.kind == "ecn":
            self.window = min(self.window, self.ssthresh)
        else:
            self.window = self.ssthresh

    def on_recovered(self, now: float, flight: int) -> None:
        self.window = max(self.ssthresh, 1.0)

    def on_partial_ack(self, segments: int) -> None:
        self.window = max(self.window - segments, 1.0)


class Paced(Reno):
    """Reno whose packets go at twice a window per round trip."""

    wants_records = True
    wants_pacing = True

    def on_ack(self, ack: dk.Ack) -> None:
        super().on_ack(ack)
        assert ack.delivered is not None
        if ack.srtt:
            self.pacing_rate = 2 * self.window * (self.mss + self.header) * 8 / ack.srtt


class Fixed(dk.Controller):
    """A window that stays."""

    answer = "stays"

    def __init__(self, size: float = 4) -> None:
        self.size = size

    def start(self) -> None:
        self.window = self.size

    def on_ack(self, ack: dk.Ack) -> None:
        pass

    def on_congestion(self, congestion: dk.Congestion) -> None:
        if congestion.kind == "timeout":
            self.window = 1

    def on_recovered(self, now: float, flight: int) -> None:
        self.window = self.size


BOTTLENECK = dk.queue.drop_tail(buffer="8 packets")


def network(queue: Any = BOTTLENECK) -> dk.Network:
    return dk.dumbbell(senders=3, access="10 Mb/s", bottleneck="4 Mb/s", delay="5 ms", queue=queue)


def but_for_its_name(result: dk.RunResult) -> Any:
    document = steady(result.document)
    for flow in document["flows"]:
        flow.pop("transport")
    return document


@pytest.mark.parametrize("repair", ["reno", "newreno", "sack", "rack-tlp"])
@pytest.mark.parametrize("ecn", [False, True])
def test_reno_in_python_is_reno(repair: Any, ecn: bool) -> None:
    queue = dk.queue.red(buffer="20 packets", min_th="3 packets", max_th="9 packets", ecn=True) if ecn else BOTTLENECK
    own = dk.transport.pair(control="reno", repair=repair, ecn=ecn)
    mine = dk.transport.pair(control=Reno(), repair=repair, ecn=ecn)
    ours, its = (network(queue).run(one, duration="20 s", tape=True) for one in (mine, own))
    assert its.flows["fast_retransmits"].sum() > 10 or ecn
    assert but_for_its_name(ours) == but_for_its_name(its)
    assert ours.tape.equals(its.tape)
    assert set(ours.flows["transport"]) == {"Reno" if repair == "sack" else f"Reno+{repair}"}


def test_a_controller_stands_for_a_transport_with_sack() -> None:
    alone, pair = network().run(Reno()), network().run(dk.transport.pair(control=Reno(), repair="sack"))
    assert alone.document["flows"] == pair.document["flows"]
    assert network().run([Reno(), dk.transport.cubic()]).flows["transport"].to_list() == ["Reno", "cubic", "Reno"]
    stack = network().run(dk.transport.linux_cubic(control=Fixed(5))).flows
    assert set(stack["transport"]) == {"Fixed+rack-tlp"}
    one = network().with_values({"flow.bulk.transport": dk.transport.tahoe()})
    one = one.with_flow("mine", "source-0", "sink-0", transport=Fixed(3))
    assert one.run(duration="1 s").flows["transport"].to_list()[-1] == "Fixed"


class Rated(Fixed):
    """A megabit per second, whatever the window allows."""

    wants_pacing = True

    def start(self) -> None:
        super().start()
        self.pacing_rate = 1e6


def test_packets_are_sent_at_its_pacing_rate() -> None:
    result = network().run(Rated(40), duration="20 s", warm_up="1 s")
    assert result.links["dropped"].sum() == 0
    assert result.flows["throughput_bps"].to_list() == pytest.approx([1e6] * 3, rel=1e-3)


def test_its_random_numbers_are_those_of_the_seed_and_the_flow() -> None:
    class Coin(Reno):
        def on_ack(self, ack: dk.Ack) -> None:
            if self.random.random() < 0.5:
                super().on_ack(ack)

    runs = [but_for_its_name(network().run(Coin(), seed=seed, duration="3 s")) for seed in (4, 4, 5)]
    assert runs[0] == runs[1] != runs[2]


def test_every_connection_begins_with_a_copy() -> None:
    pattern = Fixed()
    runs = [but_for_its_name(network().run(pattern, duration="2 s")) for _ in range(2)]
    assert runs[0] == runs[1]
    assert "window" not in vars(pattern)


def test_a_sweep_over_controllers_of_either_kind(tmp_path: Path) -> None:
    transports = [Fixed(2), Fixed(6), dk.transport.pair(control=Reno(), repair="reno"), dk.transport.reno()]
    vary = {"flow.bulk.transport": transports}
    result = dk.sweep(network(), vary, seeds=2, duration="2 s", threads=2, out=tmp_path / "store")
    goodput = result.points["goodput_bps"].to_list()
    assert goodput[2] == goodput[3] != goodput[0] != goodput[1]
    names = result.points["flow.bulk.transport"].to_list()
    assert names[:2] == ["Fixed (size 2)", "Fixed (size 6)"]
    again = dk.sweep(network(), vary, seeds=2, duration="2 s", threads=2, out=tmp_path / "store")
    assert again.points["goodput_bps"].to_list() == goodput
    told = dk.compare(network(), {"flow.bulk.transport.control": [Fixed(2), "reno"]}, seeds=3, duration="2 s")
    assert "Fixed" in str(told)


def test_it_can_be_pickled_with_its_transport() -> None:
    part = dk.transport.pair(control=Fixed(3), repair="sack", mss="1000 B")
    copied = pickle.loads(pickle.dumps(part))
    assert network().run(copied).document["flows"] == network().run(part).document["flows"]
    assert "control=Fixed" in repr(part)


def test_the_laws_hold_for_those_that_keep_them() -> None:
    for controller in (Reno(), Paced(), Fixed(7)):
        dk.conformance(controller, cases=40)


class Deaf(Reno):
    def on_congestion(self, congestion: dk.Congestion) -> None:
        pass

    def on_recovered(self, now: float, flight: int) -> None:
        pass


class Patient(Reno):
    def on_congestion(self, congestion: dk.Congestion) -> None:
        if congestion.kind != "timeout":
            super().on_congestion(congestion)


class NoNumber(Reno):
    def on_ack(self, ack: dk.Ack) -> None:
        self.window = "wide"  # type: ignore[assignment]


class NotANumber(Reno):
    def on_ack(self, ack: dk.Ack) -> None:
        self.window = math.nan


class BelowOne(Reno):
    def on_congestion(self, congestion: dk.Congestion) -> None:
        self.window = 0.3


class Endless(Reno):
    def on_ack(self, ack: dk.Ack) -> None:
        self.window = math.inf


class NoRate(Paced):
    def on_ack(self, ack: dk.Ack) -> None:
        self.pacing_rate = 0


class Unasked(Reno):
    def on_ack(self, ack: dk.Ack) -> None:
        self.pacing_rate = 1e6


class Raises(Reno):
    def on_congestion(self, congestion: dk.Congestion) -> None:
        raise ZeroDivisionError("by nothing")


class RaisesAtStart(Reno):
    def start(self) -> None:
        raise ZeroDivisionError("at first")


class NoThreshold(Reno):
    def on_congestion(self, congestion: dk.Congestion) -> None:
        self.ssthresh = 0


BREACHES: list[tuple[type[Reno], str]] = [
    (NoNumber, r"NoNumber\.on_ack at .* s: TypeError: window is 'wide', which is no number"),
    (NotANumber, "its window is NaN segments; a window is a finite number, at least 1"),
    (BelowOne, "its window is 0.3 segments; a window is a finite number, at least 1"),
    (Endless, "its window is inf segments; a window is a finite number, at least 1"),
    (NoRate, "its pacing rate is below 1 bit/s"),
    (Unasked, r"Unasked\.on_ack at .* s: ValueError: pacing_rate is set, but wants_pacing is False"),
    (Raises, r"Raises\.on_congestion at .* s: ZeroDivisionError: by nothing"),
    (RaisesAtStart, r"RaisesAtStart\.start at 0 s: ZeroDivisionError: at first"),
    (NoThreshold, "its slow-start threshold is 0 segments"),
]


@pytest.mark.parametrize(("kind", "told"), BREACHES)
def test_whoever_breaks_a_law_is_told_in_a_run(kind: type[Reno], told: str) -> None:
    with pytest.raises(dk.RunError, match=told):
        network().run(kind(), duration="10 s")


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        *BREACHES,
        (Deaf, "it must be smaller, or at most 2"),
        (Patient, "after 4 timeouts in a row its window is still"),
    ],
)
def test_whoever_breaks_a_law_is_found(kind: type[Reno], told: str) -> None:
    with pytest.raises(dk.LawError, match=told):
        dk.conformance(kind())


def test_the_case_that_is_shown_is_short() -> None:
    with pytest.raises(dk.LawError) as error:
        dk.conformance(BelowOne())
    lines = str(error.value).splitlines()
    assert lines[0] == "BelowOne breaks a law of controllers:"
    assert len(lines) < 8, lines


def test_what_was_raised_is_the_cause() -> None:
    with pytest.raises(dk.RunError) as error:
        network().run(Raises(), duration="10 s")
    assert isinstance(error.value.__cause__, ZeroDivisionError)
    with pytest.raises(TypeError, match=r"abstract .*on_ack.*on_congestion"):
        type("Unwritten", (dk.Controller,), {})()


def test_what_does_not_fit_is_told_before_anything_runs() -> None:
    with pytest.raises(dk.PlanError, match='the repair "reno" does not go with the controller Closing'):
        network().run(dk.transport.pair(control=type("Closing", (Reno,), {"answer": "closes"})(), repair="reno"))
    with pytest.raises(ValueError, match=r"Odd\.answer is 'quarters'; allowed: \"halves\", \"stays\", \"closes\""):
        network().run(type("Odd", (Reno,), {"answer": "quarters"})())
    with pytest.raises(dk.PlanError, match=r"transport.pair.mss: "):
        dk.transport.pair(control=Reno(), repair="sack", mss="1")
    with pytest.raises(dk.RequestError, match="is not a Transport"):
        network().run(Reno)  # type: ignore[arg-type]


ENDLESS = """
import os, signal
import dupack as dk

class Endless(dk.Controller):
    def on_ack(self, ack):
        os.kill(os.getpid(), signal.SIGINT)
        while True:
            pass
    def on_congestion(self, congestion):
        pass

net = dk.dumbbell(senders=2, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms")
net = net.with_values({{"flow.bulk.transport": Endless()}})
vary = {{"link.bottleneck.delay": ["1 ms", "2 ms"]}}
try:
    {call}
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(
    "call",
    [
        "net.run(duration='1 s')",
        "dk.sweep(net, vary, seeds=2, threads=2)",
        "dk.conformance(Endless())",
    ],
)
def test_ctrl_c_ends_an_endless_loop(call: str) -> None:
    # The loop itself presses Ctrl-C, so that it has begun for sure.
    code = ENDLESS.format(call=call)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_its_plan_says_what_it_is_and_runs_from_python_only(tmp_path: Path, dupack: Any) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(network().run(Reno(), duration="1 s").plan)
    assert 'transport = { kind = "external", name = "Reno" }' in plan.read_text()
    done = dupack("run", plan)
    assert done.returncode == 2
    assert 'there is no controller "Reno"' in done.stderr


def test_the_page_shows_the_example_crate() -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs/howto/controller.md").read_text()
    crate = root / "examples/own-controller"
    code = (crate / "src/lib.rs").read_text() + (crate / "tests/simulated.rs").read_text()
    shown = re.findall(r"```rust\n(.*?)```", page, re.DOTALL)
    assert len(shown) == 4
    assert [one for one in shown if one not in code] == []
