"""Prague beside CUBIC in a dualpi2 queue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import Dupack

PLAN = """
title = "Prague beside CUBIC"
duration = "20 s"
warm_up = "10 s"
percentiles = true

[topology]
kind = "dumbbell"
senders = 2
carries = "packets"
access = { rate = "1 Gb/s", delay = "1 ms" }
bottleneck = { rate = "20 Mb/s", delay = "8 ms", queue = { kind = "dualpi2" } }

[[flow]]
name = "classic"
from = "source-0"
to = "sink-0"
transport = { kind = "linux-cubic" }

[[flow]]
name = "scalable"
from = "source-1"
to = "sink-1"
transport = { kind = "prague", compat = "linux" }
"""


@pytest.fixture
def beside(dupack: Dupack, tmp_path: Path) -> Any:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN, encoding="utf-8")

    def run(*sets: str) -> dict[str, Any]:
        told = [part for one in sets for part in ("--set", one)]
        document: dict[str, Any] = json.loads(dupack("run", plan, *told, "--json").stdout)
        return document

    return run


def test_prague_has_the_l4s_queue_and_does_not_starve_cubic(beside: Any) -> None:
    both = beside()
    goodput = {it["name"]: it["goodput_bps"] for it in both["flows"]}
    # The coupling of DualPI2 aims at equal rates (RFC 9332). The band is a factor of four, and 3/4 of the link.
    assert 0.25 < goodput["scalable"] / goodput["classic"] < 4
    assert sum(goodput.values()) > 15e6
    (bottleneck,) = (it for it in both["links"] if it["name"] == "bottleneck" and it["from"] == "left")
    assert bottleneck["marked"] > 0


def test_prague_alone_has_almost_no_queue(beside: Any) -> None:
    def delay(kind: str) -> float:
        kinds = [f"flow.{name}.transport.kind={kind}" for name in ("classic", "scalable")]
        links: list[dict[str, Any]] = beside(*kinds)["links"]
        (bottleneck,) = (it for it in links if it["name"] == "bottleneck")
        found: float = bottleneck["queue_delay_s"]["p50"]
        return found

    # The step of the L4S queue is at 1 ms, and the target of the other at 15 ms.
    assert delay("prague") < 0.003
    assert delay("linux-cubic") > 0.006
