"""Disciplines that hold packets back while the line is idle."""

from __future__ import annotations

import math
from typing import Any

import pytest

import dupack as dk
from conftest import steady


class TokenBucket(dk.Discipline):
    """Packets pass at a rate below the line's, but for a burst."""

    def __init__(self, rate_bps: float = 2e6, burst: int = 1000, room: int = 20) -> None:
        self.rate_bps = rate_bps
        self.burst = burst
        self.room = room
        self.waiting: list[dk.Unit] = []
        self.tokens, self.since = float(burst), 0

    def offer(self, now: int, unit: dk.Unit, book: dk.Book) -> None:
        if len(self.waiting) == self.room:
            book.drop(unit)
        else:
            self.waiting.append(unit)

    def pull(self, now: int, book: dk.Book) -> dk.Unit | None:
        self.tokens = min(self.burst, self.tokens + (now - self.since) * self.rate_bps / 8e12)
        self.since = now
        if not self.waiting or self.tokens < self.waiting[0].bytes:
            return None
        self.tokens -= self.waiting[0].bytes
        return self.waiting.pop(0)

    def ready_at(self, now: int) -> int | None:
        missing = self.waiting[0].bytes - self.tokens
        # Tokens are rounded, so the time may be too early by a picosecond; the discipline is then asked again.
        return now + max(1, math.ceil(missing * 8e12 / self.rate_bps))


def run(queue: Any, bottleneck: str = "8 Mb/s", duration: str = "4 s", **values: Any) -> dk.RunResult:
    net = dk.dumbbell(senders=3, access="20 Mb/s", bottleneck=bottleneck, delay="1 ms", queue=queue, carries="packets")
    return net.with_values({"percentiles": True}).run(duration=duration, **values)


def line(result: dk.RunResult) -> dict[str, Any]:
    [link] = [link for link in result.document["links"] if link["name"] == "bottleneck"]
    assert link["offered"] == link["sent"] + sum(link["dropped"].values()) + link["waiting"] + link["in_service"]
    return dict(link)


DATAGRAMS: dict[str, Any] = {
    "transport": dk.transport.udp(mss="972 B", header="28 B"),
    "traffic": dk.traffic.poisson(rate="0.7 Mb/s"),
}


def test_what_is_shaped_waits_as_before_a_slower_line() -> None:
    """With packets of one length and a burst of one, each starts when it would on a line of the shaper's rate."""
    shaped = line(run(TokenBucket(), **DATAGRAMS))
    slower = line(run(dk.queue.drop_tail(buffer="20 packets"), "2 Mb/s", **DATAGRAMS))
    assert shaped["dropped"] == slower["dropped"]
    assert shaped["dropped"]["overflow"] > 20
    assert shaped["max_backlog"] == slower["max_backlog"] == 20
    assert shaped["mean_backlog"] == pytest.approx(slower["mean_backlog"], rel=1e-6)
    assert shaped["queue_delay_s"] == pytest.approx(slower["queue_delay_s"], rel=1e-6)
    # A packet takes 1 ms on the shaped line, and 4 ms on the slower one.
    assert shaped["utilization"] == pytest.approx(slower["utilization"] / 4, rel=1e-3)
    assert shaped["empty_fraction"] == 1 - shaped["utilization"]
    # The line is idle before all packets, except those that arrive when the shaper is ready.
    assert shaped["empty_periods"] == pytest.approx(shaped["sent"], rel=0.01)


def test_flows_share_the_rate_of_the_shaper() -> None:
    result = run(TokenBucket(burst=3000), transport=dk.transport.newreno(mss="960 B", header="40 B", tick="10 ms"))
    assert 0.24 < line(result)["utilization"] < 0.2505
    assert line(result)["dropped"]["overflow"] > 5
    assert sum(flow["goodput_bps"] for flow in result.document["flows"]) == pytest.approx(2e6 * 0.96, rel=0.05)


def test_the_same_seed_gives_the_same_run() -> None:
    values = {**DATAGRAMS, "duration": "0.5 s"}
    once, again = (steady(run(TokenBucket(), **values).document) for _ in range(2))
    assert once == again


def test_the_laws_hold_for_a_shaper() -> None:
    dk.conformance(TokenBucket(burst=1500, room=5), cases=50)
    dk.conformance(TokenBucket(burst=53, room=5), cases=50, carries="cells")


class Silent(TokenBucket):
    def ready_at(self, now: int) -> int | None:
        return None


class Past(TokenBucket):
    def ready_at(self, now: int) -> int | None:
        return now


class Vain(TokenBucket):
    """Says that it is ready, and is not."""

    def ready_at(self, now: int) -> int | None:
        return now + 1


class Raises(TokenBucket):
    def ready_at(self, now: int) -> int | None:
        raise ZeroDivisionError("by nothing")


class Rounded(TokenBucket):
    def ready_at(self, now: int) -> Any:
        return now + 0.5


WRONG = [
    (Silent, "Silent at .* s: pull gave nothing, but [0-9]+ units wait, of what was offered"),
    (Past, "Past at .* s: pull gave nothing, but [0-9]+ units wait, and ready_at gave a time that is not later"),
    (Raises, r"Raises\.ready_at at .* s: ZeroDivisionError: by nothing"),
    (Rounded, r"Rounded\.ready_at at .* s: TypeError: gave [0-9.e+]+, which is neither a whole number of picoseconds"),
]


@pytest.mark.parametrize(("kind", "told"), [*WRONG, (Vain, "Vain of link bottleneck at .* s: .* at any of the 100")])
def test_one_that_does_not_say_when_it_is_ready_ends_the_run(kind: type[TokenBucket], told: str) -> None:
    with pytest.raises(dk.RunError, match=told):
        run(kind(), **DATAGRAMS)


@pytest.mark.parametrize(("kind", "told"), [*WRONG, (Vain, "pull gave nothing, but [0-9]+ units wait")])
def test_one_that_does_not_say_when_it_is_ready_is_found(kind: type[TokenBucket], told: str) -> None:
    with pytest.raises(dk.LawError, match=told):
        dk.conformance(kind())
