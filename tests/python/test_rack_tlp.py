"""RACK-TLP and the stacks of Linux, as plans name them."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

import dupack as dk
from conftest import Dupack

PLAN = """
title = "A transfer of 20 segments over 40 ms"
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
traffic = { kind = "file", size = "20000 B" }
transport = { kind = "reno", mss = "1000 B", initial_window = "4 segments", tick = "1 ms", min_rto = "400 ms" }
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


def with_repair(repair: str, loss: str) -> list[str]:
    return [f"flow.transfer.transport.repair={repair}", f"link.line.loss={loss}"]


def test_a_probe_repairs_the_loss_of_the_last_segment(transfer: Any) -> None:
    loss = '{ kind = "script", flow = "transfer", segments = [19] }'
    sack, rack, alone = (
        transfer(*with_repair(repair, loss), *more)
        for repair, more in [
            ("sack", []),
            ("rack-tlp", []),
            ("rack-tlp", ["flow.transfer.transport.tlp=false"]),
        ]
    )
    assert [it["timeouts"] for it in (sack, rack, alone)] == [1, 0, 1]
    assert [it["probes"] for it in (sack, rack, alone)] == [0, 1, 0]
    assert [it["segments_retransmitted"] for it in (sack, rack, alone)] == [1, 1, 1]
    # About two round trips instead of a timeout of 400 ms.
    clean = transfer(*with_repair("rack-tlp", '{ kind = "bernoulli", rate = 0.0 }'))
    late = [it["completed_s"] - clean["completed_s"] for it in (sack, rack)]
    assert late[0] > 0.39
    assert 0.08 < late[1] < 0.14


def test_a_lost_retransmission_needs_no_timeout(transfer: Any) -> None:
    # Packet 5 is segment 5. Its retransmission is lost as well: it is the packet that is sent when the loss is found.
    sack, rack = (
        [
            transfer(*with_repair(repair, f'{{ kind = "script", flow = "transfer", packets = [5, {n}] }}'))
            for n in range(9, 20)
        ]
        for repair in ("sack", "rack-tlp")
    )
    twice = [i for i, it in enumerate(sack) if it["timeouts"] > 0]
    assert twice, "one of them is the retransmission"
    assert all(it["timeouts"] == 0 for it in rack)
    assert all(rack[i]["completed_s"] < sack[i]["completed_s"] for i in twice)


def test_stacks_of_linux_have_the_defaults_of_their_preset(transfer: Any, dupack: Dupack, tmp_path: Path) -> None:
    plan = tmp_path / "linux.toml"
    head, _, _ = PLAN.rpartition("transport = ")
    documents = []
    for transport in (
        'kind = "linux-cubic"',
        'control = "tcp-cubic", repair = "rack-tlp", compat = "linux"',
        'kind = "linux-reno"',
        'kind = "linux-cubic", compat = "none"',
    ):
        plan.write_text(f"{head}transport = {{ {transport} }}\n", encoding="utf-8")
        documents.append(json.loads(dupack("run", plan, "--json").stdout)["flows"][0])
    stack, spelled, reno, none = documents
    assert stack == spelled
    assert [it["transport"] for it in documents] == ["linux-cubic", "linux-cubic", "linux-reno", "tcp-cubic+rack-tlp"]
    # 14 segments of 1448 B, ten of them at once, and an ack for each: two round trips. Without the preset, 38 of 536 B.
    assert [stack["segments_sent"], stack["acks"], none["segments_sent"]] == [14, 14, 38]
    assert stack["completed_s"] < 0.2 < none["completed_s"]
    assert reno["completed_s"] == stack["completed_s"]


def test_a_stack_is_shown_with_its_own_defaults(dupack: Dupack) -> None:
    """Linux leaves the window of a recovery to BBR, and reduces CUBIC's proportionally."""
    for kind, reduction in {"linux-cubic": "prr", "linux-bbr": "classic"}.items():
        shown = dupack("show", kind).stdout
        assert re.search(rf"^reduction +{reduction} ", shown, re.MULTILINE)
        assert re.search(r"^max_ack_delay +200 ms ", shown, re.MULTILINE)
        made = getattr(dk.transport, kind.replace("-", "_"))
        assert inspect.signature(made).parameters["reduction"].default == reduction
