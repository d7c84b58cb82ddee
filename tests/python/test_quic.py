"""QUIC, as plans name it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import Dupack

PLAN = """
title = "A transfer of 20 packets over 40 ms"
duration = "20 s"

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
delay = "20 ms"
queue = { kind = "drop-tail", buffer = "100 packets" }

[[flow]]
name = "transfer"
from = "source"
to = "sink"
traffic = { kind = "file", size = "24000 B" }
transport = { kind = "quic-newreno" }
"""


@pytest.fixture
def transfer(dupack: Dupack, tmp_path: Path) -> Any:
    """Runs the transfer with `sets`; returns its flow in the document."""
    plan = tmp_path / "transfer.toml"
    plan.write_text(PLAN, encoding="utf-8")

    def run(*sets: str) -> dict[str, Any]:
        told = [part for one in sets for part in ("--set", one)]
        flow: dict[str, Any] = json.loads(dupack("run", plan, *told, "--json").stdout)["flows"][0]
        return flow

    return run


def lost(*segments: int) -> str:
    return f'link.line.loss={{ kind = "script", flow = "transfer", segments = {list(segments)} }}'


def test_the_stacks_are_pairs_with_a_preset(transfer: Any) -> None:
    clean = transfer()
    # 20 packets, ten of them at once, and an ack for two.
    assert [clean["transport"], clean["segments_sent"], clean["acks"]] == ["quic-newreno", 20, 10]
    spelled = transfer('flow.transfer.transport={ kind = "reno", repair = "quic", compat = "quic" }')
    assert spelled == clean
    # CUBIC's slow start is Reno's.
    cubic = transfer("flow.transfer.transport.kind=quic-cubic")
    assert cubic["completed_s"] == clean["completed_s"]
    assert transfer("flow.transfer.transport.kind=quic-bbr3")["segments_sent"] == 20


def test_a_loss_in_the_middle_needs_no_probe_and_one_at_the_end_does(transfer: Any) -> None:
    clean, middle, end = transfer(), transfer(lost(12)), transfer(lost(19))
    assert [it["segments_retransmitted"] for it in (clean, middle, end)] == [0, 1, 1]
    assert [it["probes"] for it in (clean, middle, end)] == [0, 0, 1]
    assert [it["fast_retransmits"] for it in (clean, middle)] == [0, 1]
    assert [it["timeouts"] for it in (clean, middle, end)] == [0, 0, 0]
    # The probe waits for a round trip, its variation, and the receiver's 25 ms.
    late = end["completed_s"] - clean["completed_s"]
    assert 0.065 < late < 0.3


def test_when_all_is_lost_for_long_congestion_is_persistent(transfer: Any) -> None:
    sets = ['flow.transfer.traffic={ kind = "greedy" }', "duration=8 s"]
    steps = '[{ at = "2 s", loss = 1.0 }, { at = "4 s", loss = 0.0 }]'
    cut = transfer(*sets, f"link.line.schedule={steps}")
    assert cut["timeouts"] == 1
    assert cut["probes"] >= 3
    assert transfer(*sets)["timeouts"] == 0


def test_bad_values_are_refused(dupack: Dupack, tmp_path: Path) -> None:
    plan = tmp_path / "transfer.toml"
    plan.write_text(PLAN, encoding="utf-8")
    told = dupack("check", plan, "--set", "flow.transfer.transport.time_threshold=0.5").stderr
    assert "time_threshold" in told
    assert "at least 1" in told
    told = dupack("check", plan, "--set", "flow.transfer.transport.pace=0").stderr
    assert "pace" in told
    assert "above 0" in told
